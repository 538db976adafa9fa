"""Tables in CSV and TSV files."""

from __future__ import annotations

import pytest

from paper.reading import headers, lines, texts
from sealtrace.paper.delimited import read_csv


def test_csv() -> None:
    """Cells and lines, also where a quoted field holds line ends, quotation marks and commas."""
    text = 'name,"long\nheader",n\nx,"a ""b"", c",1\n\n"two\r\nlines",\n3,4\n'.replace(",\n3", ',"\n3"')
    found = read_csv(text, "t.csv", "tab:csv")
    assert found.problems == []
    (table,) = found.tables
    assert (table.label, table.line, table.columns) == ("tab:csv", 1, 3)
    assert texts(table) == [["name", "long header", "n"], ["x", 'a "b", c', "1"], ["two lines", "3", "4"]]
    assert lines(table) == [[1, 1, 2], [3, 3, 3], [5, 7, 7]]
    assert headers(table) == [True, False, False]
    assert table.column_labels() == ["name", "long header", "n"]
    assert [table.row_label(row) for row in table.rows[1:]] == ["x", "two lines"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("t.tsv", "a,b\tc\n1\t2\n"),
        ("t.csv", "a b\tc\n1\t2\n"),
        ("t.csv", "a b;c\n1;2\n"),
        ("t.csv", "\ufeffa b,c\r\n1,2\r\n"),
    ],
)
def test_separators(source: str, text: str) -> None:
    """Tab, comma and semicolon; a byte order mark is no text."""
    tables = read_csv(text, source).tables
    assert texts(tables[0])[1] == ["1", "2"]
    assert tables[0].columns == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [("a,b\n1,2\n1,2,3\n", 3), ('a,b\n"x\ny",2\n1\n', 4), ('a,b\n"1"x,2\n', 2), ('a,b\n1,"2\n', 2)],
)
def test_refusals(text: str, line: int) -> None:
    """Rows that do not add up and broken quotation are refused, at the line where the row begins."""
    found = read_csv(text, "t.csv", "tab:x")
    assert found.tables == []
    assert [(problem.severity, problem.line) for problem in found.problems] == [("error", line)]


def test_empty() -> None:
    """Nothing is no table."""
    found = read_csv("\n", "t.csv", None)
    assert (found.tables, [problem.severity for problem in found.problems]) == ([], ["warning"])
