"""Macros and files: what they print, and where a reader finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from paper.reading import document, headers, lines, table, tabular, texts
from sealtrace.paper.extracted import ReadingProblem
from sealtrace.paper.latex import read_document


@pytest.mark.parametrize(
    ("definition", "call", "text"),
    [
        (r"\newcommand{\best}[1]{\textbf{\boldmath #1}}", r"\best{$4.3\pm0.1$}", "4.3±0.1"),
        (r"\newcommand\name{RSD}", r"\name{}-x \name", "RSD-x RSD"),
        (r"\newcommand*{\pair}[2]{#2 of #1}", r"\pair{1}{2}", "2 of 1"),
        (r"\newcommand{\unit}[2][ms]{#2 #1}", r"\unit{5} \unit[s]{6}", "5 ms 6 s"),
        (r"\def\half{0.5}", r"\half", "0.5"),
        (r"\def\twice#1{#1#1}", r"\twice 4 \twice{56}", "44 5656"),
        (r"\def\until#1.{<#1>}", r"\until ab. c", "<ab> c"),
        (r"\def\box[#1]{(#1)}", r"\box[7]", "(7)"),
        (r"\providecommand{\mine}{1}\providecommand{\mine}{2}", r"\mine", "1"),
        (r"\providecommand{\textbf}[1]{no}", r"\textbf{yes}", "yes"),
        (r"\newcommand{\x}{1}\renewcommand{\x}{2}", r"\x", "2"),
        (r"\newcommand{\x}{1}{\renewcommand{\x}{2}}", r"\x", "1"),
        (r"\newcommand{\x}{1}{\gdef\x{2}}", r"\x", "2"),
        (r"\newcommand{\outer}{\newcommand{\inner}[1]{[##1]}}\outer", r"\inner{3}", "[3]"),
        (r"\newcommand{\a}{\b 3}\newcommand{\b}[1]{#1!}", r"\a", "3!"),
        (r"\let\old\textbf\renewcommand{\textbf}[1]{\old{*#1}}", r"\textbf{4}", "*4"),
        (r"\DeclareMathOperator{\EV}{EV}", r"$\EV x$", "EVx"),
        (r"\makeatletter\def\my@x{8}\newcommand{\eight}{\my@x}\makeatother", r"\eight", "8"),
    ],
)
def test_definitions(definition: str, call: str, text: str) -> None:
    """Definitions with and without arguments are expanded in cells, captions and prose."""
    inner = tabular("ll", f"name & x \\\\ \\midrule row & {call} \\\\")
    found = document(f"{definition}\n\\begin{{table}}\\caption{{{call}}}{inner}\\end{{table}}\n\n{call}")
    assert found.problems == []
    assert texts(found.tables[0])[1][1] == text
    assert found.tables[0].caption == text
    assert found.prose[-1].text == text


def test_cells_of_a_macro_stand_at_its_call() -> None:
    """Lines are those of the table, never of the definition."""
    found = table(
        "\\newcommand{\\second}[1]{\\underline{#1}}\n\\newcommand{\\row}[3]{#1 & \\textbf{#2} & #3 \\\\}\n"
        + tabular("lrr", "a & b & c \\\\ \\midrule\nd & \\second{1} & 2 \\\\\n\\row{e}{3}\n{4}")
    )
    assert texts(found)[1:] == [["d", "1", "2"], ["e", "3", "4"]]
    assert lines(found)[1:] == [[5, 5, 5], [6, 6, 7]]
    assert [cell.underline for cell in found.rows[1].cells if cell is not None] == [False, True, False]
    assert [cell.bold for cell in found.rows[2].cells if cell is not None] == [False, True, False]


def test_environments_that_a_document_defines() -> None:
    """A new environment around a table."""
    text = (
        "\\newenvironment{mine}[1]{\\begin{table}\\caption{#1}\\begin{tabular}{lr}}{\\end{tabular}\\end{table}}\n"
        "\\begin{mine}{Own}\na & b \\\\ \\hline\nc & 1\n\\end{mine}"
    )
    found = table(text)
    assert (found.caption, texts(found), lines(found)) == ("Own", [["a", "b"], ["c", "1"]], [[3, 3], [4, 4]])


@pytest.mark.parametrize(
    "definition",
    [
        r"\newcommand{\x}{\x}",
        r"\newcommand{\x}{\x\x}",
        r"\def\x{\y}\def\y{\x}",
        r"\def\x#1{#1#1}\def\y{\x\x}",
        r"\def\x{a\x b}",
    ],
)
def test_endless_macros_are_reported(definition: str) -> None:
    """A macro that calls itself ends in a problem, not in a loop."""
    found = document("\n".join([definition, tabular("lr", r"a & b \\ \hline \x & 1"), r"\x\x \y"]))
    assert any(problem.severity == "error" for problem in found.problems)


def test_redefined_structure_is_ignored() -> None:
    """A document may decorate \\caption or \\midrule in ways that only TeX follows; that is said."""
    text = r"\makeatletter\renewcommand{\midrule}{\noalign{\@x}}\let\old\caption\renewcommand{\caption}[1]{\old{}}"
    found = document(text + "\\begin{table}\\caption{C}" + tabular("lr", r"a & b \\ \midrule c & 1") + "\\end{table}")
    assert (found.tables[0].caption, headers(found.tables[0])) == ("C", [True, False])
    told = [f"{name} is defined anew: it is read as LaTeX defines it" for name in ("midrule", "caption")]
    assert told == [one.message for one in found.problems]


def test_unknown_commands_are_named_once() -> None:
    """What a command of some package prints is not known, and said."""
    found = document(tabular("lr", "a & b \\\\ \\hline\nc & \\win{1} \\\\\nd & \\win{2}"))
    assert texts(found.tables[0])[1:] == [["c", "1"], ["d", "2"]]
    assert [(problem.severity, problem.line) for problem in found.problems] == [("warning", 3)]


FILES = {
    "main.tex": "\\newcommand{\\x}{9}\n\\input{rows/first}\n\\begin{tabular}{lr}\na & b \\\\ \\hline\n"
    "\\input{rows/more.tex}\n\\end{tabular}\n\\include{gone}\n",
    "rows/first.tex": "% first\n\n\\begin{table}\\caption{In a file}\\label{tab:file}\n\\begin{tabular}{l}h\\\\ "
    "\\hline \\x\\end{tabular}\\end{table}\n",
    "rows/more.tex": "c & 1 \\\\\n\nd & \\x \\\\\n\\endinput\ne & 3 \\\\\n",
}


def test_input(tmp_path: Path) -> None:
    """Files are read where they are put in, their lines are their own, and a missing one is a warning."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def load(name: str) -> str | None:
        path = tmp_path / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    found = read_document(FILES["main.tex"], "main.tex", load)
    tables = found.tables
    assert [(one.source, one.line, one.label) for one in tables] == [
        ("rows/first.tex", 4, "tab:file"),
        ("main.tex", 3, None),
    ]
    assert texts(tables[0]) == [["h"], ["9"]]
    assert texts(tables[1]) == [["a", "b"], ["c", "1"], ["d", "9"]]
    places = [(cell.source, cell.line) for row in tables[1].rows for cell in row.cells if cell is not None]
    assert places[2:] == [("rows/more.tex", 1)] * 2 + [("rows/more.tex", 3)] * 2
    assert found.problems == [ReadingProblem("gone is not there: what it holds is not read", "main.tex", 7, "warning")]


def test_macros_in_the_name_of_a_file() -> None:
    """A directory that a macro names is followed; one that names itself ends."""
    table = "\\begin{tabular}{lr}\na & b \\\\ \\hline\nc & 1 \\\\\n\\end{tabular}\n"
    files = {"tables/first.tex": table, "tables/second.tex": table}
    names = "\\newcommand{\\base}{tables}\\newcommand{\\tabdir}{\\base/}\\def\\loop{\\loop\\loop}\n"
    text = names + "\\input{\\tabdir first.tex}\n\\input{\\base/second}\n\\input{\\loop}\n"
    found = read_document(text, "main.tex", lambda name: files.get(name) or files.get(f"{name}.tex"))
    assert [table.source for table in found.tables] == ["tables/first.tex", "tables/second.tex"]
    assert [problem.line for problem in found.problems] == [4]
    assert all("is not there" in problem.message for problem in found.problems)


def test_tests_of_equality() -> None:
    """What macros ask of their arguments is answered; what only TeX knows is not, and the table is refused."""
    macro = "\\newcommand{\\val}[2]{\\ifthenelse{\\equal{#2}{}}{#1}{#1$\\pm$#2}}\n"
    rows = "a & b \\\\ \\hline c & \\val{7}{} \\\\ d & \\val{8}{0.5}"
    assert texts(table(macro + tabular("lr", rows)))[1:] == [["c", "7"], ["d", "8±0.5"]]
    asked = document(macro + tabular("lr", rows.replace("{}", "{\\jobname}")))
    assert asked.tables == []


def test_parts_that_are_documents_of_their_own() -> None:
    """A subfile ends by itself, not the document that it is a part of; read alone, it knows the macros of that one."""
    part = "\\documentclass[../main.tex]{subfiles}\\begin{document}\n"
    part += tabular("lr", "a & b \\\\ \\hline \\name & 7") + "\\end{document} not printed"
    whole = "\\documentclass{article}\\newcommand{\\name}{north}\\begin{document}\\subfile{parts/one}\nIt goes on.\n"
    whole += tabular("lr", "c & d \\\\ \\hline \\name & 8") + "\\end{document} not printed"
    found = read_document(whole, "main.tex", {"parts/one.tex": part}.get)
    assert [texts(one) for one in found.tables] == [[["a", "b"], ["north", "7"]], [["c", "d"], ["north", "8"]]]
    assert [line.text for line in found.prose] == ["It goes on."]
    assert texts(table(part, {"../main.tex": whole})) == [["a", "b"], ["north", "7"]]


def test_files_that_put_themselves_in() -> None:
    """A loop of files is an error at the place that closes it."""
    files = {"a.tex": "x\n\\input{b}", "b.tex": "\n\n\\input{a}"}
    found = document("\\input{a}", files)
    assert found.problems == [ReadingProblem("a puts itself in", "b.tex", 3)]


def test_no_end_of_files() -> None:
    """A document that asks for ever more files is stopped."""
    count = 0

    def load(_name: str) -> str | None:
        nonlocal count
        count += 1
        return f"\\input{{f{2 * count}}}\\input{{f{2 * count + 1}}}"

    found = read_document("\\input{x}", "main.tex", load)
    assert count <= 500
    assert "more than 500 files" in found.problems[0].message


JOINED = r"""%% file: main.tex
\input{macros}
\begin{document}
\begin{tabular}{lr}
a & b \\ \hline
c & \x
\end{tabular}
\end{document}
\begin{tabular}{l} not printed \end{tabular}
%% file: macros.tex
\newcommand{\x}{5}
%% file: more.tex
\begin{tabular}{lr}
d & e \\ \hline
f & 6
\end{tabular}
"""


def test_joined_files() -> None:
    """Files joined under marker lines: lines count in the whole, and one that is asked for is read in its place."""
    found = read_document(JOINED, "joined.tex", lambda _name: None)
    assert [(problem.line, problem.severity) for problem in found.problems] == [(10, "note")]
    tables = found.tables
    assert [texts(one) for one in tables] == [[["a", "b"], ["c", "5"]], [["d", "e"], ["f", "6"]]]
    assert [(one.source, one.line) for one in tables] == [("joined.tex", 4), ("joined.tex", 13)]


ASKED: dict[str, tuple[str, str]] = {
    "what the document defines": (r"\def\mine{}\ifdefined\mine 1\else 2\fi", "1"),
    "what nothing defines": (r"\ifdefined\other 1\else 2\fi", "2"),
    "the same with braces": (r"\def\mine{}\ifdef{\mine}{1}{2}\ifundef{\other}{3}{4}", "13"),
    "a file that is there": (r"\IfFileExists{data.tex}{1}{2}", "1"),
    "a file that is not": (r"\IfFileExists{other.tex}{1}{2}", "2"),
    "a file to put in": (r"\InputIfFileExists{data}{1}{2}", "17.5"),
    "a file put in plainly": (r"\PlainInput{data.tex}", "7.5"),
    "the next character": (
        r"\makeatletter\newcommand{\more}{\@ifnextchar\bgroup{\one}{}}\newcommand{\one}[1]{#1\more}\makeatother"
        r"\more{1}{2}.",
        "12.",
    ),
    "a star": (r"\makeatletter\def\kind{\@ifstar{1}{2}}\makeatother\kind*\kind.", "12."),
    "another name in a style": (r"\usepackage{local}\begin{document}3\plusminus 4\end{document}", "3±4"),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_a_document_asks_of_itself(name: str) -> None:
    """Only the branch that holds is read."""
    text, expected = ASKED[name]
    found = document(
        text, {"data.tex": "7.5", "local.sty": r"\let\plusminus\pm \expandafter\let\csname x\endcsname\relax"}
    )
    assert ("".join(line.text for line in found.prose), found.problems) == (expected, [])
