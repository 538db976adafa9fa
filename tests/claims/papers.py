"""A small paper for claims, and what becomes of claims about it."""

from __future__ import annotations

from sealtrace.claims.deciding import decide_claims
from sealtrace.claims.reading import claims_in
from sealtrace.claims.tying import Ground
from sealtrace.contract.result import ClaimResult
from sealtrace.paper.reported import read_reported

PAPER = r"""
\documentclass{article}\begin{document}
Of the 48,200 records, 3,133 (5.0\%) were removed. Base reaches 71.2 F1 and Large reaches 74.9 F1 on the test set.
Large gains 3.7 points of F1 over Base. All models stay above 70 F1, and two of them are ours.
The effect was clear, $t(28) = 2.20$, $p = .001$. The rate was $2.7\times 10^{-4}$ in range 12--2.15.
We use 4.7M parameters. Small has an accuracy of 0.81. The p value was $p < 0.001$.
\begin{table}\caption{F1 and accuracy of three models.}\label{tab:main}
\begin{tabular}{lrrr}\toprule
Model & F1 & Accuracy & Params \\ \midrule
Small & 70.4 & 0.80 & 12 \\
Base & 71.2 & 0.84 & 40 \\
Large & \textbf{74.9} & 0.88 & 95 \\
Total & & & 147 \\ \bottomrule
\end{tabular}\end{table}
\end{document}
"""


def ground(text: str = PAPER) -> Ground:
    """A paper as claims speak of it."""
    return Ground(read_reported(text, "paper.tex", lambda _name: None))


def decided(claims: str, text: str = PAPER) -> list[ClaimResult]:
    """The results of claims in the short form."""
    return decide_claims(claims_in(claims, "paper.claims"), ground(text)).results


def one(quote: str, reading: str, *lines: str, text: str = PAPER) -> ClaimResult:
    """What becomes of one claim."""
    also = "".join(f"\n  {line}" for line in lines)
    return decided(f'claim it\n  at "{quote}"\n  reads {reading}{also}\n', text)[0]
