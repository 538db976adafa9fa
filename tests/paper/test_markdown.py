"""Pipe tables of Markdown."""

from __future__ import annotations

import pytest

from paper.reading import headers, lines, texts
from sealtrace.paper.extracted import ReadingProblem
from sealtrace.paper.markdown import read_markdown

TEXT = r"""# Result

## Ponds {#tab:ponds}

| Pond | Ducks \| geese | `n` |
|:-----|:--------------:|----:|
| North | **12** | <u>3</u> |
| South | __7__/8 | $4\pm1$ |

Some text.
a | b
--|--
x | 1 &plusmn; 2
Table: Second one {#tab:two}
"""


def test_tables() -> None:
    """Cells, lines, marks, captions and labels."""
    page = read_markdown(TEXT, "r.md")
    assert page.problems == []
    first, second = page.tables
    assert (first.label, first.caption, first.line) == ("tab:ponds", "Ponds", 5)
    assert texts(first) == [["Pond", "Ducks | geese", "n"], ["North", "12", "3"], ["South", "7/8", "4±1"]]
    assert lines(first) == [[5, 5, 5], [7, 7, 7], [8, 8, 8]]
    assert headers(first) == [True, False, False]
    marks = [[(cell.bold, cell.underline) for cell in row.cells if cell is not None] for row in first.rows[1:]]
    assert marks == [[(False, False), (True, False), (False, True)], [(False, False)] * 3]
    assert (second.label, second.caption, second.line) == ("tab:two", "Second one", 11)
    assert texts(second) == [["a", "b"], ["x", "1 ± 2"]]
    assert first.column_labels() == ["Pond", "Ducks | geese", "n"]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("n_min", "n_min"),
        ("_n_ *m*", "n m"),
        (r"\*5\*", "*5*"),
        ("[four](http://x)", "four"),
        ("one<br>two", "one two"),
        ("`a|b`".replace("|", r"\|"), "a|b"),
        ("5 * 3", "5 * 3"),
        ("**$x_1*y$** $*$", "x_1*y *"),
        ("−0.5", "-0.5"),
        ("<b>1</b>&nbsp;2", "1 2"),
        ("US$ 5 and $6", "US$ 5 and $6"),
    ],
)
def test_text_of_a_cell(cell: str, text: str) -> None:
    """Inline marks are not text."""
    tables = read_markdown(f"|a|b|\n|-|-|\n|{cell}|x|", "r.md").tables
    assert texts(tables[0])[1][0] == text


def test_rows_that_do_not_add_up() -> None:
    """Refused at the line where cells are too many; filled up where they are too few, and said."""
    page = read_markdown("|a|b|\n|-|-|\n|1|2|\n|1|2|3|", "r.md")
    assert page.tables == []
    message = "a row does not add up to the columns (got 3, expected 2): the table is refused"
    assert page.problems == [ReadingProblem(message, "r.md", 4)]
    page = read_markdown("|a|b|\n|-|-|\n|1|", "r.md")
    assert texts(page.tables[0]) == [["a", "b"], ["1", ""]]
    assert [(one.severity, one.line) for one in page.problems] == [("warning", 3)]


def test_running_text() -> None:
    """Paragraphs and headings, line by line, without marks; tables and code are not among them."""
    page = read_markdown(TEXT + "\nTwo **bold\nlines** with $a = 1$.\n\n- an item\n\n```\ncode\n```\n", "r.md")
    assert [(line.line, line.paragraph, line.text) for line in page.prose] == [
        (1, 1, "Result"),
        (3, 2, "Ponds"),
        (10, 3, "Some text."),
        (16, 4, "Two bold"),
        (17, 4, "lines with a = 1."),
        (19, 5, "an item"),
    ]


def test_not_tables() -> None:
    """Code and comments hold no tables, and lines after them keep their numbers."""
    inner = "|a|b|\n|-|-|\n|1|2|\n"
    text = f"```\n{inner}```\n<!--\n{inner}-->\n    |a|b|\n    |-|-|\n\n{inner}"
    tables = read_markdown(text, "r.md").tables
    assert [table.line for table in tables] == [14]


def test_raised_digits_are_exponents_and_raised_signs_are_marks() -> None:
    """What <sup> raises must not be read as digits of the number before it."""
    table = read_markdown("|a|b|\n|-|-|\n|1.8 × 10<sup>-5</sup>|0.5<sup>*</sup>|\n", "r.md").tables[0]
    assert texts(table) == [["a", "b"], ["1.8 × 10^-5", "0.5*"]]


def test_a_tag_without_an_end_may_hide() -> None:
    """Nobody looks for its end from each of thousands of others, so a long one is a doubt by itself."""
    hidden = read_markdown("<div>\n<a " + "x " * 300 + "\n</div>\n", "paper.md").problems
    plain = read_markdown("<div>\n<a " + "x " * 200 + ">\n</div>\n", "paper.md").problems
    assert [problem.message for problem in hidden] == ["HTML that may hide or print tables is not read"]
    assert plain == []
