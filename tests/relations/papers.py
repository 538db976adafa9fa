"""A small paper's tables and running text, as the LaTeX reader hands them on."""

from __future__ import annotations

from collections.abc import Iterable

from sealtrace.paper.reported import read_reported
from sealtrace.relations.decide import decide, decide_groups
from sealtrace.relations.decision import Claim, Decision, Status
from sealtrace.relations.facts import Facts
from sealtrace.relations.language import FormulaNames, parse_formula
from sealtrace.relations.syntax import Formula

PAPER = r"""\documentclass{article}
\begin{document}
Method B raises weak EV from $4.4074$ to $4.4936$, by 0.0862.
It wins 54.86/2.82/42.32, with interval $[-0.0186,0.0183]$ over 60{,}000 hands ($n=512$).
The shift lowers it by $-0.25$, from 4.2207 $\pm$ 0.0248.
\begin{table}
\caption{Main.}\label{tab:main}
\begin{tabular}{lrrrrr}
\toprule
Method & Weak EV $\uparrow$ & Rate & Count & Time (ms) & Interval \\
\midrule
A & 4.4074 & 0.0569 & 3/12 & 84 & [0.1, 0.3] \\
B & 4.4936 & 0.0508 & 0/12 & 90 & [0.2, 0.4] \\
C, tuned & 4.4827 & n/a & 2/12 & 118 & [0.3, 0.5] \\
\bottomrule
\end{tabular}
\end{table}
\begin{table}
\caption{Sizes.}\label{tab:sizes}
\begin{tabular}{rrrr}
\toprule
n & Groups & Share & Score \\
\midrule
32 & 2 & 33\% & 0.53$\pm$0.01 \\
64 & 4 & 67\% & 0.68$\pm$0.02 \\
\bottomrule
\end{tabular}
\end{table}
\end{document}
"""


def paper_facts(text: str = PAPER) -> Facts:
    """The facts of a paper."""
    reported = read_reported(text, "paper.tex", lambda _name: None)
    return Facts.of(reported.tables, reported.prose, {"paper.tex": text})


def formula_of(text: str, facts: Facts | None = None) -> Formula:
    """A formula that can be read."""
    formula, problems = parse_formula(text, FormulaNames(facts or paper_facts()))
    assert formula is not None, problems
    return formula


def decide_all(claims: Iterable[Claim]) -> list[Decision]:
    """Every claim by itself, then the groups that contradict each other although each of their claims holds."""
    decisions = [decide(claim) for claim in claims]
    return decisions + decide_groups([one.claim for one in decisions if one.status is not Status.CONTRADICTION])
