"""What cannot be read without guessing is refused, at its line."""

from __future__ import annotations

import pytest

from paper.reading import document, refusal, tabular, texts

HEAD = "a & b & c \\\\ \\midrule\n1 & 2 & 3 \\\\\n"


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("4 & 5 & 6 & 7 \\\\", 4),
        ("4 & 5\n & 6 & 7 \\\\", 4),
        ("\\multicolumn{2}{c}{4} & 5 & 6 \\\\", 4),
        ("\\multicolumn{4}{c}{4} \\\\", 4),
        ("\\multicolumn{x}{c}{4} & 5 & 6\\\\", 4),
        ("4 & {5 & 6 \\\\", 4),
        ("4 & 5} & 6 \\\\", 4),
        ("4 & \\begin{minipage}{1cm} 5 & 6 \\\\", 1),
        ("4 & 5 & \\begin{tabular}{ll} 6 & 7 \\end{tabular} \\\\", 4),
        ("4 & 5 & \\multirow{x}{*}{6} \\\\", 4),
    ],
)
def test_rows_that_do_not_add_up(row: str, line: int) -> None:
    """No table comes out, and one error says where."""
    problems = document(tabular("lll", HEAD + row)).problems
    assert document(tabular("lll", HEAD + row)).tables == []
    assert line in [problem.line for problem in problems if problem.severity == "error"]


def test_message() -> None:
    """The message says what was found and what was expected."""
    problem = refusal(tabular("lll", HEAD + "4 & 5 & 6 & 7 \\\\"))
    assert problem.message == "a row does not add up to the columns (got 4, expected 3): the table is refused"
    assert problem.source == "paper.tex"


@pytest.mark.parametrize(
    "specification",
    ["", "@{}", "*{x}{l}", "*{501}{l}", "*{99}{*{99}{l}}", "*{9}{*{9}{*{9}{*{9}{*{9}{}}}}}"],
)
def test_column_specifications(specification: str) -> None:
    """Columns that cannot be counted."""
    assert refusal(tabular(specification, "1 & 2 \\\\")).line == 1


def test_undecided_conditionals() -> None:
    """A table with a branch that only TeX can choose."""
    found = document(tabular("ll", HEAD.replace("& c ", "").replace("& 3 ", "") + "\\ifnum1>0 4 & 5 \\\\ \\fi"))
    assert found.tables == []
    assert [(problem.severity, problem.line) for problem in found.problems] == [("warning", 4), ("error", 4)]


def test_text_under_a_span() -> None:
    """A cell over two rows that would lie over another ends above it, with a warning; one from below is refused."""
    found = document(tabular("ll", "a & b \\\\ \\hline \\multirow{2}{*}{4} & 1 \\\\ 5 & 2"))
    assert texts(found.tables[0]) == [["a", "b"], ["4", "1"], ["5", "2"]]
    assert [problem.severity for problem in found.problems] == ["warning"]
    assert "lies over '5'" in refusal(tabular("ll", "a & b \\\\ \\hline 5 & 1 \\\\ \\multirow{-2}{*}{4} & 2")).message


def test_others_are_still_read() -> None:
    """One bad table does not hide the good ones around it."""
    good = tabular("lll", HEAD)
    for bad in (
        tabular("lll", HEAD + "4 & 5 & 6 & 7 \\\\"),
        "\\begin{tabular}{lll}\n4 & 5",
        "\\caption{never closed",
        tabular("ll", "4 & {5 \\\\"),
        "\\end{tabular}}",
    ):
        found = document(f"\\begin{{table}}{good}\\end{{table}}\n\\begin{{table}}{bad}\\end{{table}}\n{good}")
        assert [texts(one) for one in found.tables] == [[["a", "b", "c"], ["1", "2", "3"]]] * 2
        assert any(problem.severity == "error" for problem in found.problems)


def test_spans_past_the_end() -> None:
    """LaTeX allows a span to reach further than the table; it is cut, with a warning."""
    found = document(tabular("ll", "a & b \\\\ \\hline \\multirow{3}{*}{4} & 1 \\\\ & 2"))
    assert found.tables[0].rows[1].cells[0] is not None
    assert found.tables[0].rows[1].cells[0].rows == 2
    assert [problem.severity for problem in found.problems] == ["warning"]


def test_pictures_of_tables() -> None:
    """A float that should hold a table and does not is named."""
    found = document("x\n\\begin{table}\\includegraphics{t.png}\\caption{A picture}\\end{table}")
    assert [(problem.severity, problem.line) for problem in found.problems] == [("warning", 2)]
