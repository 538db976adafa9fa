"""Cells that another bundle recomputes: what the verifier says of that bundle, where it is at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sealtrace.contract.report import Cell, Report
from sealtrace.printed.cells import TableCell
from sealtrace.printed.judgement import RECOMPUTED, CellStatus, Judgement
from sealtrace.printed.metrics import MissingEvidenceError, RecipeError


def named_bundles(tables: Sequence[dict[str, Any]]) -> set[str]:
    """The names and roots of the bundles that the recipes of some tables refer to."""
    recipes = [record.get("recipe") for record in tables]
    for record in tables:
        recipes += [column.get("recipe") for column in record["columns"]]
        recipes += [recipe for row in record["rows"] for recipe in (row.get("recipes") or {}).values()]
    references = [recipe["elsewhere"] for recipe in recipes if recipe and recipe.get("elsewhere")]
    return {reference[name] for reference in references for name in ("study", "root_sha256")}


@dataclass(frozen=True)
class Beside:
    """The verifier's own reports on the bundles that the reader gave."""

    reports: Sequence[Report]

    @cached_property
    def _cells(self) -> dict[str | None, dict[tuple[str, str, str], Cell]]:
        """Root to the cells of its bundle."""
        return {
            report.bundle.root_sha256: {(cell.table, cell.row, cell.column): cell for cell in report.cells}
            for report in self.reports
        }

    def judge(self, cell: TableCell, reference: dict[str, Any]) -> tuple[Judgement, Cell | None]:
        """What becomes of a cell that another bundle recomputes, and that bundle's cell where it was looked at."""
        study, root = reference["study"], reference["root_sha256"]
        if not self._at_hand(study, root):
            return Judgement(
                CellStatus.ELSEWHERE, f"{study} recomputes it (root {root[:12]}…), and was not looked at."
            ), None
        address = (
            reference.get("table") or cell.table,
            reference.get("row") or cell.row,
            reference.get("column") or cell.column,
        )
        there = self._cells[root].get(address)
        if there is None:
            raise RecipeError(f"{study} has no number at {address[0]}[{address[1]}, {address[2]}]")
        if "".join(there.reported.split()) != "".join(cell.text.split()):
            return Judgement(
                CellStatus.MISMATCH, f"The paper prints {cell.text}; {study} prints {there.reported}."
            ), there
        status = CellStatus(there.status)
        if status not in RECOMPUTED | {CellStatus.INPUT, CellStatus.ATTESTED}:
            raise MissingEvidenceError(f"{study} does not recompute it; there it is {status.value}")
        return Judgement(status, f"In {study} (root {root[:12]}…): {there.sentence}"), there

    def _at_hand(self, study: str, root: str) -> bool:
        """Whether the named bundle was given: its root is the named one, and binds the bytes that were read."""
        named = next((one for one in self.reports if one.bundle.root_sha256 == root), None)
        if named is None:
            if other := next((one for one in self.reports if one.bundle.name == study), None):
                found = other.bundle.root_sha256 or "none"
                raise MissingEvidenceError(f"the {study} at hand has the root {found[:12]}…, not {root[:12]}…")
            return False
        for check in named.checks:
            if check.id.startswith("identity.") and check.status == "fail":
                raise MissingEvidenceError(f"the {study} at hand is not what was sealed: {check.id} fails")
        return True
