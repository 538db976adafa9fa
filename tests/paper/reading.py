"""Reads LaTeX that was written for a test."""

from __future__ import annotations

from sealtrace.paper.extracted import ExtractedTable, ReadingProblem, Reported
from sealtrace.paper.latex import read_document

BULLET = "·"
"""Stands for a place that another cell covers."""


def document(text: str, files: dict[str, str] | None = None) -> Reported:
    """Reads a text whose first line, after the opening quotation marks, is line 1. Without the notes on what may change
    what is printed, for which `test_tex_harmless` asks."""
    found = read_document(text.removeprefix("\n"), "paper.tex", (files or {}).get)
    found.problems = [problem for problem in found.problems if problem.severity != "note"]
    return found


def table(text: str, files: dict[str, str] | None = None) -> ExtractedTable:
    """The only table of a text that has no problems."""
    found = document(text, files)
    assert found.problems == []
    assert len(found.tables) == 1
    return found.tables[0]


def tabular(columns: str, body: str) -> str:
    """A tabular whose body begins on line 2."""
    return f"\\begin{{tabular}}{{{columns}}}\n{body.strip()}\n\\end{{tabular}}\n"


def texts(found: ExtractedTable) -> list[list[str]]:
    """Text of every cell, row by row."""
    return [[cell.text if cell is not None else BULLET for cell in row.cells] for row in found.rows]


def lines(found: ExtractedTable) -> list[list[int]]:
    """Line of every cell, row by row."""
    return [[cell.line for cell in row.cells if cell is not None] for row in found.rows]


def headers(found: ExtractedTable) -> list[bool]:
    """Whether each row is a header."""
    return [row.header for row in found.rows]


def panels(found: ExtractedTable) -> list[int]:
    """Panel of each row."""
    return [row.panel for row in found.rows]


def cell_text(content: str) -> str:
    """Text of a cell with this content, macros and all."""
    found = table(tabular("ll", f"name & x \\\\ \\midrule row & {content} \\\\"))
    cell = found.rows[1].cells[1]
    assert cell is not None
    return cell.text


def refusal(text: str) -> ReadingProblem:
    """The only error of a text from which no table may come."""
    found = document(text)
    assert found.tables == []
    errors = [problem for problem in found.problems if problem.severity == "error"]
    assert len(errors) == 1
    return errors[0]
