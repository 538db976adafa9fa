"""Cells that another bundle recomputes: a reference, held against what that bundle gives where it is at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sealtrace.contract.report import Cell, Report
from sealtrace.printed.cells import TableCell
from sealtrace.printed.judgement import RECOMPUTED, Judgement, Status
from sealtrace.printed.metrics import MissingEvidenceError, RecipeError


def named_bundles(tables: Sequence[dict[str, Any]]) -> set[str]:
    """The names and roots of the bundles that the recipes of some tables refer to."""
    recipes = [record.get("recipe") for record in tables]
    for record in tables:
        recipes += [column.get("recipe") for column in record["columns"]]
        recipes += [recipe for row in record["rows"] for recipe in (row.get("recipes") or {}).values()]
    references = [recipe["elsewhere"] for recipe in recipes if recipe and recipe.get("elsewhere")]
    return {reference[name] for reference in references for name in ("study", "root_sha256")}


def judge_elsewhere(
    cell: TableCell, reference: dict[str, Any], beside: Sequence[Report]
) -> tuple[Judgement, Cell | None]:
    """What becomes of a cell that another bundle recomputes, and that bundle's cell where it was looked at.

    `beside` are the verifier's own reports on the bundles that the reader gave. A bundle counts as the one that is
    named where its root is the named one and its bytes are those that the root binds.
    """
    study, root = reference["study"], reference["root_sha256"]
    report = next((one for one in beside if one.bundle.root_sha256 == root), None)
    if report is None:
        if other := next((one for one in beside if one.bundle.name == study), None):
            found = other.bundle.root_sha256 or "none"
            raise MissingEvidenceError(f"the {study} at hand has the root {found[:12]}…, not {root[:12]}…")
        return Judgement(Status.ELSEWHERE, f"{study} recomputes it (root {root[:12]}…); it was not looked at"), None
    broken = next((one.id for one in report.checks if one.id.startswith("identity.") and one.status == "fail"), None)
    if broken is not None:
        raise MissingEvidenceError(f"the {study} at hand is not what was sealed: {broken} fails")
    address = (
        reference.get("table") or cell.table,
        reference.get("row") or cell.row,
        reference.get("column") or cell.column,
    )
    there = next((one for one in report.cells if (one.table, one.row, one.column) == address), None)
    if there is None:
        raise RecipeError(f"{study} has no number at {address[0]}[{address[1]}, {address[2]}]")
    if "".join(there.reported.split()) != "".join(cell.text.split()):
        return Judgement(Status.MISMATCH, f"{cell.text} is {there.reported} in {study}"), there
    status = Status(there.status)
    if status not in RECOMPUTED | {Status.INPUT}:
        raise MissingEvidenceError(f"{study} does not recompute it; there it is {status.value}")
    return Judgement(status, f"in {study} (root {root[:12]}…): {there.sentence}"), there
