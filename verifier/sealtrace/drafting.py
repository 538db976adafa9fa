"""Drafts that verify: a proposed recipe that the judge refuses becomes a note of what was tried."""

from __future__ import annotations

import json
from pathlib import Path

from sealtrace.bundle.placing import remove_scratch, scratch_directory, write_together
from sealtrace.contract.result import Result
from sealtrace.examination import examine
from sealtrace.recipes.cell_results import CellResult


def recipe_problems(report: Result) -> list[str]:
    """Why the recipes of an examined draft cannot be sealed: the errors of `verify`, each with its place."""
    return [
        f"{finding.source}{finding.field or ''}: {finding.message}"
        for finding in report.findings
        if finding.severity == "error" and finding.check == "table.recipes"
    ]


def settled(files: dict[str, bytes]) -> dict[str, bytes]:
    """The draft with a note in the place of every recipe that would be refused, until none is."""
    while refused := _refused(files):
        files = dict(files)
        for path in {result.cell.record for result in refused}:
            record = json.loads(files[path])
            for result in (result for result in refused if result.cell.record == path):
                row, column = record["rows"][result.cell.place], result.cell.column
                why = result.problem or (result.unsaid[0] if result.unsaid else result.judgement.sentence)
                note = f"Tried: {result.meaning or result.recipe}. Refused: {why}."
                row.setdefault("recipes", {})[column] = {"note": note[:4000]}
            files[path] = (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode()
    return files


def _refused(files: dict[str, bytes]) -> list[CellResult]:
    """The cells whose own recipes `verify` would refuse."""
    place = scratch_directory("draft")
    try:
        directory = Path(place) / "draft"
        write_together(directory, files, new=True)
        examination = examine(directory, check=["table"], draft=True)
        return [result for result in examination.cells if result.problem or result.unsaid]
    finally:
        remove_scratch(place)
