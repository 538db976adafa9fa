"""Small papers for `audit`: one whose numbers agree, and the same with numbers that cannot."""

from __future__ import annotations

from pathlib import Path

GOOD = r"""\documentclass{article}
\begin{document}
The gain is 0.25, and the rate is 0.375 over 8 hands.
\begin{table}
\caption{Scores of two methods.}\label{tab:scores}
\begin{tabular}{lrrr}
\toprule
Method & Before & After & Gain \\
\midrule
A & 1.25 & 1.50 & 0.25 \\
B & 2.00 & 2.10 & 0.10 \\
C & 3.00 & n/a & n/a \\
\bottomrule
\end{tabular}
\end{table}
\begin{table}
\caption{Parts.}\label{tab:parts}
\begin{tabular}{lr}
\toprule
Part & Count \\
\midrule
x & 3 \\
y & 5 \\
Total & 8 \\
\bottomrule
\end{tabular}
\end{table}
\end{document}
"""
GAIN_LINE = 10
"""Where A stands in both papers."""
BAD = GOOD.replace("1.50 & 0.25", "1.50 & 0.35")

RELATIONS = """\
let hands = 8 from the text
fact text.gain = 0.25 at 3
relation gain
  says    Gain is after minus before, for {r}.
  because header of tab:scores
  for r in tab:scores
  holds   tab:scores[{r}, Gain] == tab:scores[{r}, After] - tab:scores[{r}, Before]
  repaired by a factor: some f in [1, 2]:
    tab:scores[{r}, Gain] == f * (tab:scores[{r}, After] - tab:scores[{r}, Before])
  repaired by another sign: tab:scores[{r}, Gain] == tab:scores[{r}, Before] - tab:scores[{r}, After]
  ask     What is subtracted for {r}?
relation quoted
  says    The text quotes the gain of A.
  because line 3
  holds   text.gain == tab:scores[A, After] - tab:scores[A, Before]
"""
UNDECIDED = """\
relation root
  says    A number is the root of a negative one.
  because nothing
  holds   sqrt(tab:scores[A, Gain] - 10) == 1
"""


def write(directory: Path, name: str, text: str) -> Path:
    """A file with that content."""
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path
