"""Every command counts the same cells of a paper, and reading one takes as many steps as it has rows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

import sealtrace
from paper.docx_files import docx, paragraph, table
from sealtrace.paper.reported import read_reported
from sealtrace.recipes.cells import cells_of
from sealtrace.relations.auditing import audit
from sealtrace.relations.subjects import subject_of

ROOT = Path(__file__).parents[2]
PAPERS = sorted(
    path
    for directory in ("examples", "tests/relations/papers")
    for path in (ROOT / directory).rglob("*")
    if path.suffix == ".tex" or path.name == "paper.md"
)
ROWS = [["Model", "F1", "n"], ["ada", "61.73 ± 0.40", "120"], ["bo", "64.21 ± 0.52", "12/130"]]
SAID = "The best model, bo, reaches 64.21 on 130 questions."


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_count_the_same_cells(path: Path, tmp_path: Path) -> None:
    """Check, audit, extract and diff look at the cells that the paper says it has."""
    _count(path, tmp_path)


def _count(path: Path, tmp_path: Path) -> None:
    paper = sealtrace.read_paper(path)
    due = {table.id(row, column) for table in paper.tables for row, column, _cell in table.numbers}
    (tmp_path / "results.csv").write_text("run,score\na,1\n")
    checked = sealtrace.check(path, tmp_path, seconds=5, audited=False)
    audited = audit(subject_of(paper, path.name), families=())
    listed = {cell.name for table in paper.tables for cell in cells_of(table) if cell.role == "number"}
    assert due
    assert len([one for one in checked.numbers if one.table is not None]) == len(due)
    assert ({one.id for one in audited.numbers if one.table is not None}, listed) == (due, due)


def test_commands_count_the_same_in_every_format(tmp_path: Path) -> None:
    """The same small paper as Markdown, HTML and .docx has the same numbers, and every command counts them."""
    marked = ["# Birds", "", SAID, "", "Table 1: Scores.", "", *("| " + " | ".join(row) + " |" for row in ROWS)]
    marked.insert(7, "|---|---|---|")
    rows = "".join(f"<tr>{''.join(f'<td>{one}</td>' for one in row)}</tr>" for row in ROWS)
    papers = [tmp_path / name for name in ("paper.md", "paper.html", "paper.docx")]
    papers[0].write_text("\n".join(marked) + "\n")
    papers[1].write_text(f"<h1>Birds</h1><p>{SAID}</p><p>Table 1: Scores.</p><table>{rows}</table>")
    docx(papers[2], paragraph("Birds", style="Title1"), paragraph(SAID), paragraph("Table 1: Scores."), table(ROWS))
    told = []
    for number, path in enumerate(papers):
        (tmp_path / str(number)).mkdir()
        _count(path, tmp_path / str(number))
        paper = sealtrace.read_paper(path)
        quantities = [one.text for sentence in paper.sentences for one in sentence.numbers]
        told.append(([table.id(row, column) for table in paper.tables for row, column, _ in table.numbers], quantities))
    assert told[0] == told[1] == told[2]
    assert (len(told[0][0]), len(told[0][1])) == (4, 3)


def test_the_audited_papers_are_found() -> None:
    """The comparison above would say nothing without papers."""
    assert len(PAPERS) > 2


def _steps(text: str, name: str) -> int:
    """How many Python functions are called to read a text."""
    count = 0

    def called(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(called)
    try:
        read_reported(text, name, lambda _: None)
    finally:
        sys.setprofile(None)
    return count


def _csv(rows: int) -> str:
    return "name,n,acc\n" + "".join(f"m{row % 7},{50 + row},{row % 100}.5\n" for row in range(rows))


def _latex(rows: int) -> str:
    body = "".join(f"m{row % 7} & {50 + row} & {row % 100}.5 \\\\\n" for row in range(rows))
    return f"\\begin{{tabular}}{{lrr}}\n\\toprule\na & b & c \\\\ \\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n"


def _spanned(rows: int) -> str:
    body = "".join(f" & {50 + row} & {row % 100}.5 \\\\\n" for row in range(rows - 1))
    body = f"\\multirow{{{rows}}}{{*}}{{m}} & 50 & 0.5 \\\\\n{body}"
    return f"\\begin{{tabular}}{{lrr}}\n\\toprule\na & b & c \\\\ \\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n"


def _html(rows: int) -> str:
    body = "".join(f"<tr><td>m{row % 7}<td>{50 + row}<td>{row % 100}.5</tr>\n" for row in range(rows))
    return f"<p>Text.</p><table><tr><th>a<th>b<th>c</tr>{body}</table>"


def _markdown(rows: int) -> str:
    return "|a|b|c|\n|-|-|-|\n" + "".join(f"|m{row % 7}|{50 + row}|{row % 100}.5|\n" for row in range(rows))


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", _csv), ("a.tex", _latex), ("b.tex", _spanned), ("a.md", _markdown), ("a.html", _html)]
)
def test_four_times_the_rows_take_four_times_the_steps(name: str, text: Callable[[int], str]) -> None:
    """Labels of rows, their groups and what reaches over them are found in one pass."""
    short, long = (_steps(text(rows), name) for rows in (100, 400))
    assert long < 4.5 * short
