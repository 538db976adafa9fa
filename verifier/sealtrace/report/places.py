"""Where a finding stands: in words, and as a place that an editor can open."""

from __future__ import annotations

from dataclasses import dataclass

from sealtrace.contract.report import Cell, Finding, Report

Address = tuple[str | None, str | None, str | None]


@dataclass(frozen=True)
class Place:
    """A file, and the line in it where it has lines."""

    path: str
    line: int | None = None
    column: int | None = None


def printed_cells(report: Report) -> dict[Address, Cell]:
    """The cells whose line in the paper is known, by table, row and column."""
    return {(cell.table, cell.row, cell.column): cell for cell in report.cells if cell.source and cell.line}


def in_paper(finding: Finding, printed: dict[Address, Cell]) -> Place | None:
    """The line that prints the cell which a finding is about."""
    key = finding.key or {}
    cell = printed.get((key.get("table"), key.get("row"), key.get("column")))
    if cell is None or cell.source is None or cell.source == finding.source or not stays_inside(cell.source):
        return None
    return Place(cell.source, cell.line)


def in_bundle(finding: Finding) -> Place | None:
    """The record that a finding names; None where it names none, or a path that leads out of the bundle."""
    if not finding.source or not stays_inside(finding.source):
        return None
    if not finding.row or finding.source.endswith(".parquet"):
        return Place(finding.source)
    return Place(finding.source, finding.row, finding.column or None)


def stays_inside(path: str) -> bool:
    """Whether a path is relative and goes nowhere but down."""
    return all(part not in ("", ".", "..") for part in path.split("/"))


def key_text(key: dict[str, str] | None) -> str:
    """A composite key in one line."""
    return " ".join(f"{name}={value}" for name, value in (key or {}).items())


def finding_lines(finding: Finding) -> list[str]:
    """The place with the key, the message, what was expected and what was found; not yet made harmless."""
    place = finding.source or "bundle"
    for part in (finding.row, finding.column):
        place += "" if part is None else f":{part}"
    whole = f"{place}  {key_text(finding.key)}".rstrip()
    if finding.check == "table.cells":
        # The key says which cell it is, and the sentence both numbers.
        return [whole, finding.message]
    lines = [whole, f"{finding.field + ': ' if finding.field else ''}{finding.message}"]
    if finding.expected is not None:
        lines.append(f"expected {finding.expected}")
    if finding.found is not None:
        lines.append(f"found    {finding.found}")
    return lines


def times(count: int, noun: str) -> str:
    """A number of things in words."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
