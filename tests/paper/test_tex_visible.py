"""Type that a reader does not see: a table with it is read with a doubt, so that no verdict rests on it."""

from __future__ import annotations

import pytest

from sealtrace.paper.reported import read_reported

PAPER = r"""\documentclass{article}
%s
\begin{document}
\begin{table}\caption{Scores.}\label{tab:a}%s
\begin{tabular}{lr}
System & Score \\ \hline
base & 0.58 \\
ours & %s \\
\end{tabular}\end{table}
\end{document}
"""


def doubts(cell: str, before: str = "", preamble: str = "", files: dict[str, str] | None = None) -> list[str]:
    """What is not certain of the table."""
    found = read_reported(PAPER % (preamble, before, cell), "paper.tex", (files or {}).get)
    assert found.records[0]["rows"][1]["cells"][0] == "ours"
    return [one.message for one in found.problems if not one.certain]


@pytest.mark.parametrize(
    "cell",
    [
        r"\textcolor{white}{0.63}", r"\textcolor[rgb]{1,1,1}{0.63}", r"\textcolor[RGB]{250,250,250}{0.63}",
        r"\textcolor[HTML]{FEFEFE}{0.63}", r"\textcolor[gray]{0.97}{0.63}", r"\textcolor[cmyk]{0,0,0,0.02}{0.63}",
        r"\textcolor{black!3}{0.63}", r"\textcolor{red!2!white}{0.63}", r"{\color{white} 0.63}",
        r"\cellcolor{black}0.63", r"\colorbox{black}{0.63}", r"\fcolorbox{red}{black!90}{0.63}",
        r"{\fontsize{1}{1}\selectfont 0.63}", r"\scalebox{0.05}{0.63}", r"\scalebox{-1}{0.63}",
        r"\resizebox{1pt}{!}{0.63}", r"\raisebox{-9cm}{0.63}", r"0.63\hspace{-2em}\rule{2em}{1em}",
        r"0.63\kern-20pt 9", r"\rotatebox{180}{0.66}", r"0.63\rule{2em}{1em}",
    ],
)  # fmt: skip
def test_what_nobody_sees(cell: str) -> None:
    """However it is hidden: by colour, size, place, or what covers it."""
    assert any("hides or changes" in one for one in doubts(cell))


@pytest.mark.parametrize(
    "cell",
    [
        "0.63", r"\textcolor{red}{0.63}", r"\textcolor{red!60!black}{0.63}", r"\textcolor[gray]{0.4}{0.63}",
        r"\cellcolor{gray!20}0.63", r"\textcolor{ink}{0.63}", r"{\fontsize{8}{9}\selectfont 0.63}", r"\tiny 0.63",
        r"\scalebox{0.9}{0.63}", r"\raisebox{1pt}{0.63}", r"0.63\hspace{-1pt}", r"0.63\rule{0pt}{12pt}",
        r"\rotatebox{90}{0.63}", r"\cellcolor{ForestGreen}0.63",
    ],
)  # fmt: skip
def test_what_everybody_sees(cell: str) -> None:
    """Colours, struts and small moves are the ordinary work of authors."""
    assert doubts(cell, preamble=r"\definecolor{ink}{RGB}{20,40,90}") == []


@pytest.mark.parametrize(
    ("between", "seen"),
    [
        (r"\rowcolor{black}", False), (r"\rowcolor[gray]{0.1}", False), (r"\noalign{\vskip -12pt}", False),
        (r"\addlinespace[-12pt]", False), (r"\RowStyle{\color{white}}", False), (r"\SetRow{bg=black}", False),
        (r"mid & 0.6 \\[-12pt] ", False), (r"\rowcolors{1}{black}{black}", False),
        (r"\rowcolor{gray!20}", True), (r"\addlinespace[2pt]", True), (r"\rowcolors{1}{gray!10}{white}", True),
        (r"\hline \\[-1.8ex] ", True), (r"\RowStyle{\bfseries}", True),
    ],
)  # fmt: skip
def test_what_hides_a_row(between: str, seen: bool) -> None:
    """A dark colour behind it, or a move onto the row above; stripes and the room of empty rows hide nothing."""
    text = PAPER % ("", "", "0.63")
    found = read_reported(text.replace("ours &", f"{between}ours &"), "paper.tex", lambda _: None)
    assert (not any("hides or changes" in one.message for one in found.problems)) == seen
    columns = read_reported(text.replace("{lr}", r"{l>{\columncolor{gray!9}}r}"), "paper.tex", lambda _: None)
    assert columns.records[0]["rows"][1]["cells"] == ["ours", "0.63"]


def test_white_under_another_name() -> None:
    """A colour is what its definition says, in whatever file that stands, and through other names."""
    assert doubts(r"\textcolor{ink}{0.63}", preamble=r"\definecolor{ink}{rgb}{1,1,1}")
    assert doubts(r"\textcolor{ink}{0.63}", preamble=r"\colorlet{paper}{white}\colorlet{ink}{paper}")
    assert doubts(r"\textcolor{ink}{0.63}", preamble=r"\input{x}", files={"x.tex": r"\colorlet{ink}{black!1}"})
    assert doubts(r"\hide{0.63}", preamble=r"\newcommand{\hide}[1]{\textcolor[gray]{1}{#1}}")


@pytest.mark.parametrize(
    "before",
    [
        r"\color{white}", r"\fontsize{1}{1}\selectfont", r"\renewcommand{\arraystretch}{0.01}",
        r"\setlength{\tabcolsep}{-40pt}", r"\scalebox{0.01}{",
    ],
)  # fmt: skip
def test_a_table_that_nobody_sees(before: str) -> None:
    """What is set before a table hides all of it."""
    found = read_reported(PAPER % ("", before, "0.63"), "paper.tex", lambda _: None)
    assert any("hides or changes" in one.message for one in found.problems)
    assert doubts("0.63", r"\small\renewcommand{\arraystretch}{1.2}\setlength{\tabcolsep}{4pt}") == []
