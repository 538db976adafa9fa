"""What `sealtrace.read_paper` gives: header trees, groups, notes, cells and sentences, each with its place."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

import sealtrace
from sealtrace.contract import printed
from sealtrace.paper import table_records
from sealtrace.paper.model import Heading, Paper, Table

PAPER = r"""\documentclass{article}
\begin{document}
We harvest 3.25 tons in the north.
\begin{table}
\caption{Yield by year.}\label{tab:yield}
\begin{tabular}{lrrr}
\toprule
 & \multicolumn{2}{c}{Tons / acre} & Cost \\ \cmidrule(lr){2-3}
Field & 2021 & 2022 & 2022 \\
\midrule
Valley & & & \\
\quad North & 3.25 & 3.50 & 12 \\
\quad South & \textbf{4.75} & 1.25 & 13 \\
\multicolumn{4}{l}{Fields without rain are left out.} \\
\bottomrule
\end{tabular}
\begin{tablenotes}\item Means of 3 plots.\end{tablenotes}
\end{table}
The year was dry.
\end{document}
"""


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    (tmp_path / "paper.tex").write_text(PAPER)
    return sealtrace.read_paper(tmp_path / "paper.tex")


def test_the_header_is_a_tree(paper: Paper) -> None:
    """A heading over two columns has both below it, also where its own text holds the sign that joins labels."""
    (table,) = paper.tables
    outer = next(heading for heading in table.header if heading.below and heading.columns == 2)
    assert (outer.text, outer.first, outer.line) == ("Tons / acre", 1, 8)
    assert outer.below == (Heading("2021", 1, 1, 9), Heading("2022", 2, 1, 9))
    assert [table.above(column) for column in range(4)] == [
        ("Field",),
        ("Tons / acre", "2021"),
        ("Tons / acre", "2022"),
        ("Cost", "2022"),
    ]
    assert table.headers == ("Field", "Tons / acre / 2021", "Tons / acre / 2022", "Cost / 2022")


def test_rows_have_their_group(paper: Paper) -> None:
    """An indented row belongs to the row above that is not."""
    (table,) = paper.tables
    assert [(row.texts[0], row.group) for row in table.rows[:3]] == [
        ("Valley", ""),
        ("North", "Valley"),
        ("South", "Valley"),
    ]


def test_notes_are_what_is_printed_below(paper: Paper) -> None:
    """A row of one cell at the end, and text of the float behind the table; text outside the float is no note."""
    (table,) = paper.tables
    assert [(note.text, note.line) for note in table.notes] == [
        ("Fields without rain are left out.", 14),
        ("Means of 3 plots.", 17),
    ]


def test_a_title_above_other_rows_is_no_note(tmp_path: Path) -> None:
    """It names the rows that follow it."""
    text = PAPER.replace(r"\quad North", r"\multicolumn{4}{l}{Rainy fields} \\" + "\n" + r"\quad North")
    (tmp_path / "paper.tex").write_text(text)
    (table,) = sealtrace.read_paper(tmp_path / "paper.tex").tables
    assert "Rainy fields" not in [note.text for note in table.notes]


def test_numbers_are_found_by_their_ids(paper: Paper) -> None:
    """Cells by table, row and column, numbers of the text by sentence; what is not there is an error."""
    (table,) = paper.tables
    row = next(row for row in table.rows if row.texts[0] == "South")
    cell = paper.number(f"tab:yield[{row.label}, Tons / acre / 2021]")
    assert (cell.text, cell.line, row.marks) == ("4.75", 13, {"Tons / acre / 2021": "best"})
    (tons,) = paper.sentences[0].numbers
    assert (tons.text, paper.number(tons.id)) == ("3.25", tons)
    with pytest.raises(LookupError, match="no number"):
        paper.number("tab:yield[Elsewhere, 2021]")


def test_a_paper_is_frozen(paper: Paper) -> None:
    """Nobody who is handed a paper can change what another one sees."""
    for thing in (paper, paper.tables[0], paper.tables[0].header[0], paper.tables[0].rows[0]):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, fields(thing)[0].name, None)


def test_a_table_survives_its_record(paper: Paper) -> None:
    """What is sealed keeps labels, strings, lines and marks."""
    (table,) = paper.tables
    again = Table.of(table.record())
    assert again.record() == table.record()
    assert [row.texts for row in again.rows] == [row.texts for row in table.rows]


@pytest.mark.parametrize(
    ("record", "model"),
    [
        (table_records.RecipeRecord, printed.Recipe),
        (table_records.ColumnRecord, printed.Column),
        (table_records.RowRecord, printed.TableRow),
        (table_records.TableRecord, printed.PrintedTable),
    ],
)
def test_typed_records_have_the_fields_of_the_contract(record: type, model: type[printed.PrintedTable]) -> None:
    """The types of a record's JSON name what its model names."""
    assert set(record.__annotations__) == set(model.model_fields)
