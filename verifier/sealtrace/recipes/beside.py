"""Cells that another bundle recomputes: judged by the verifier's own report on that bundle, where it is at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sealtrace.contract.result import NumberResult, Result
from sealtrace.paper.model import Table
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.entities import appearance
from sealtrace.recipes.judgement import RECOMPUTED, CellStatus, Judgement
from sealtrace.recipes.metrics import MissingEvidenceError, RecipeError


def named_bundles(tables: Sequence[Table]) -> set[str]:
    """The names and roots of the bundles that the recipes of some tables refer to."""
    recipes = [recipe for table in tables for recipe in table.recipes]
    references = [reference for recipe in recipes if (reference := recipe.get("elsewhere"))]
    return {reference[name] for reference in references for name in ("study", "root_sha256")}


@dataclass(frozen=True)
class Beside:
    """The verifier's own reports on the bundles that the reader gave."""

    reports: Sequence[Result]

    @cached_property
    def _cells(self) -> dict[str | None, dict[tuple[str | None, str | None, str | None], NumberResult]]:
        """Root to the cells of its bundle."""
        return {
            report.subject.root_sha256: {(one.table, one.row, one.column): one for one in report.numbers}
            for report in self.reports
        }

    def judge(self, cell: TableCell, reference: Mapping[str, str]) -> tuple[Judgement, NumberResult | None]:
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
        if "".join(there.printed.split()) != "".join(cell.text.split()):
            return Judgement(
                CellStatus.MISMATCH, f"The paper prints {cell.text}; {study} prints {there.printed}."
            ), there
        status = CellStatus(there.status)
        if status not in RECOMPUTED | {CellStatus.INPUT, CellStatus.ATTESTED}:
            raise MissingEvidenceError(f"{study} does not recompute it; there it is {status.value}")
        return Judgement(status, f"In {study} (root {root[:12]}…): {there.says}"), there

    def _at_hand(self, study: str, root: str) -> bool:
        """Whether the named bundle was given: its root is the named one, and binds the bytes that were read."""
        named = next((report for report in self.reports if report.subject.root_sha256 == root), None)
        if named is None:
            if other := next((report for report in self.reports if report.subject.name == study), None):
                found = other.subject.root_sha256 or "none"
                raise MissingEvidenceError(f"the {study} at hand has the root {found[:12]}…, not {root[:12]}…")
            return False
        for check in named.checks:
            if check.id.startswith("identity.") and check.status == "fail":
                raise MissingEvidenceError(f"the {study} at hand is not what was sealed: {check.id} fails")
        return True


def called_otherwise(reference: dict[str, str], cell: TableCell) -> Iterator[str]:
    """A cell of another bundle that is called otherwise there: any equal number would do."""
    for part, own in (("row", cell.row), ("column", cell.column)):
        other = reference.get(part) or own
        if appearance(other) != appearance(own):
            yield f"the number is of {part} {other!r} of {reference['study']}, and the {part} here is {own!r}"
