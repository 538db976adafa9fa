"""The running text: which lines print which numbers."""

from __future__ import annotations

from paper.reading import document, tabular
from sealtrace.paper.reported import read_reported

TEXT = r"""
\documentclass[11pt]{article}
\title{Not 1 word}
\begin{document}
\section{Three 3 things}
We count 4 ducks, % 5 geese
and $6.5\pm0.1$ swans\footnote{On 7 days.}
(Table~\ref{tab:8}, \citep[p.~9]{bird2010}).

\setlength{\tabcolsep}{10pt}\vspace*{11mm}\aboverulesep=0ex\hskip 2pt plus 1fil
\begin{figure}[h!]
\includegraphics[width=0.12\linewidth]{fig13.pdf}
\caption{Of 14 ponds.
All 15 cold.}
\end{figure}
\begin{itemize}[leftmargin=16pt]
\item Item 17.
\end{itemize}
\begin{equation}\label{eq:18}
x = 19 \\ & y
\end{equation}
\begin{table}\caption{Of 20.}
TABLE\end{table}
\begin{verbatim}
21
\end{verbatim}
\verb|22| and \url{http://x.org/%23}
\end{document}
After 24.
"""


def test_prose() -> None:
    """Every printed number on its line, captions flagged; lengths, references and tables left out."""
    found = document(TEXT.replace("TABLE", tabular("lr", r"a & b \\ \hline c & 99")))
    assert found.problems == []
    assert [(line.line, line.text, line.caption) for line in found.prose] == [
        (4, "Three 3 things", False),
        (5, "We count 4 ducks,", False),
        (6, "and 6.5±0.1 swans On 7 days.", False),
        (7, "(Table […], […]).", False),
        (12, "Of 14 ponds.", True),
        (13, "All 15 cold.", True),
        (16, "Item 17.", False),
        (19, "x = 19 y", False),
        (21, "Of 20.", True),
        (29, "22 and http://x.org/%23", False),
    ]
    assert {line.source for line in found.prose} == {"paper.tex"}


def test_paragraphs() -> None:
    """Lines of one paragraph share a number."""
    found = document("a\nb\n\nc\n%\n\nd")
    assert [(line.text, line.paragraph) for line in found.prose] == [("a", 1), ("b", 1), ("c", 2), ("d", 3)]


def test_macros_in_prose() -> None:
    """A number that a macro prints stands on the line of the call."""
    found = document("\\newcommand{\\n}{24}\n\nWe use\n\\n{} states.")
    assert [(line.line, line.text) for line in found.prose] == [(3, "We use"), (4, "24 states.")]


def test_an_abstract_before_the_document_is_read() -> None:
    """Some journals' classes want it in the preamble; nothing else that stands there is printed."""
    text = (
        "\\documentclass{mdpi}\n\\abstract{We reach 71.2 F1\non 40 tasks.}\nstray\n\\begin{document}\nIt took 3.5 s.\n"
    )
    read = read_reported(text + "\\end{document}\n", "paper.tex", lambda _name: None)
    assert [(line.text, line.line) for line in read.prose] == [
        ("We reach 71.2 F1", 2),
        ("on 40 tasks.", 3),
        ("It took 3.5 s.", 6),
    ]
