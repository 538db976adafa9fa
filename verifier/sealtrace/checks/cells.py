"""Printed tables: every cell, its recipe and its marks."""

from __future__ import annotations

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.checks.relations import bound_by_relations
from sealtrace.printed.cells import CellResult, TableCell, bundle_cells, evaluate_tables
from sealtrace.printed.judgement import WARNINGS, Status
from sealtrace.printed.marks import marked_groups, wrong_marks
from sealtrace.studies.policies.evidence.study import Study


def _no_tables(study: Study, outcome: Outcome) -> bool:
    if study.bundle.documents_of("table"):
        return False
    outcome.not_applicable = "the bundle reports no table"
    return True


def _key(cell: TableCell) -> dict[str, str]:
    return {"table": cell.table, "row": cell.row, "column": cell.column}


def _printed_at(cell: TableCell) -> str:
    """Where the paper prints a cell; the record's own place is the finding's source."""
    return f" (printed at {cell.source}:{cell.line})" if cell.source and cell.line else ""


@check("table.shape", "tables")
def shape(study: Study, outcome: Outcome) -> None:
    if _no_tables(study, outcome):
        return
    seen: dict[str, str] = {}
    for document in study.bundle.documents_of("table"):
        outcome.inspected += 1
        record = document.value
        if record["label"] in seen:
            outcome.add(
                "two records report the same table",
                source=document.path,
                key={"table": record["label"]},
                field="/label",
                expected=f"only {seen[record['label']]}",
                found=document.path,
            )
        seen[record["label"]] = document.path
        for name, labels in (
            ("columns", [column["label"] for column in record["columns"]]),
            ("rows", [row["label"] for row in record["rows"]]),
        ):
            for place, label in enumerate(labels):
                if label in labels[:place]:
                    outcome.add(
                        "a label stands twice, so cells cannot be told apart",
                        source=document.path,
                        key={"table": record["label"]},
                        field=f"/{name}/{place}/label",
                        expected="labels that differ",
                        found=label,
                    )
        for place, row in enumerate(record["rows"]):
            known = {column["label"] for column in record["columns"]}
            for name in ("marks", "recipes", "printing"):
                for column in sorted(set(row.get(name) or {}) - known):
                    outcome.add(
                        f"the row's {name} name a column that the table does not have",
                        source=document.path,
                        key={"table": record["label"], "row": row["label"]},
                        field=f"/rows/{place}/{name}",
                        expected=", ".join(sorted(known)),
                        found=column,
                    )
            if row.get("lines") and len(row["lines"]) != len(row["cells"]):
                outcome.add(
                    "the row does not have one line per cell",
                    source=document.path,
                    key={"table": record["label"], "row": row["label"]},
                    field=f"/rows/{place}/lines",
                    expected=f"{len(row['cells'])} lines",
                    found=f"{len(row['lines'])} lines",
                )
            if len(row["cells"]) != len(record["columns"]):
                outcome.add(
                    "the row does not have one cell per column",
                    source=document.path,
                    key={"table": record["label"], "row": row["label"]},
                    field=f"/rows/{place}/cells",
                    expected=f"{len(record['columns'])} cells",
                    found=f"{len(row['cells'])} cells",
                )


@check("table.recipes", "recipes")
def recipes(study: Study, outcome: Outcome) -> None:
    if _no_tables(study, outcome):
        return
    results = evaluated(study)
    outcome.inspected = sum(result.recipe is not None for result in results)
    if not outcome.inspected:
        outcome.not_applicable = "no cell has a recipe"
    for result in results:
        if result.problem is not None:
            outcome.add(
                f"the recipe cannot be followed: {result.problem}",
                source=result.cell.record,
                key=_key(result.cell),
                field=result.cell.pointer,
                expected="a recipe that the records can follow",
                found=result.recipe,
            )
    notes: dict[tuple[str, str], TableCell] = {}
    for result in results:
        for setting in result.undisclosed:
            notes.setdefault((result.cell.table, setting), result.cell)
    for (table, setting), cell in notes.items():
        outcome.add(
            f"under-specified: {setting}",
            severity="note",
            source=cell.record,
            key={"table": table, "column": cell.column},
        )


@check("table.cells", "cells")
def cells(study: Study, outcome: Outcome) -> None:
    if _no_tables(study, outcome):
        return
    results = evaluated(study)
    outcome.inspected = len(results)
    unclassified = sum(result.status is Status.UNCLASSIFIED for result in results)
    missing = [result for result in results if result.status is Status.MISSING]
    if unclassified:
        outcome.missing = f"{unclassified} cells have no recipe and no classification"
    elif missing:
        outcome.missing = f"{len(missing)} cells cannot be recomputed: {missing[0].judgement.sentence}"
    for result in results:
        if result.status is Status.MISMATCH or result.status in WARNINGS:
            outcome.add(
                f"{result.judgement.sentence}{_printed_at(result.cell)}",
                severity="warning" if result.status in WARNINGS else "error",
                source=result.cell.record,
                key=_key(result.cell),
                field=result.cell.pointer,
                expected=recomputed_text(result),
                found=result.cell.text,
            )


@check("table.marks", "cells")
def marks(study: Study, outcome: Outcome) -> None:
    if _no_tables(study, outcome):
        return
    all_cells = bundle_cells(study)
    outcome.inspected = sum(len(group) for group in marked_groups(all_cells))
    if not outcome.inspected:
        outcome.not_applicable = "no table marks its best cells"
    for problem in wrong_marks(all_cells):
        outcome.add(
            f"the mark is not what the column's direction gives{_printed_at(problem.cell)}",
            source=problem.cell.record,
            key=_key(problem.cell),
            field=problem.cell.pointer,
            expected=problem.expected,
            found=problem.found,
        )


def evaluated(study: Study) -> list[CellResult]:
    """Every numeric cell of the bundle's tables, computed once per study."""
    found: list[CellResult] | None = study.memory.get("cells")
    if found is None:
        found = bound_by_relations(study, evaluate_tables(study, bundle_cells(study)))
        study.memory["cells"] = found
    return found


def recomputed_text(result: CellResult) -> str | None:
    """The unrounded numbers of a cell, for readers."""
    if result.value is None:
        return None
    if result.value.text is not None:
        return result.value.text
    percent = (result.cell.recipe or {}).get("percent") or (result.cell.printed and result.cell.printed.percent)
    scaled = [number * (100 if percent else 1) for number in result.value.numbers]
    return ", ".join(str(number.numerator) if number.denominator == 1 else repr(float(number)) for number in scaled)
