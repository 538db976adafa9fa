"""Queries that must return no rows: checks that a study, or its reader, writes in SQL."""

from __future__ import annotations

from sealtrace.bundle.defects import ended
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.printed import SharedQueries
from sealtrace.evidence import Evidence
from sealtrace.recipes.metrics import MissingEvidenceError, RecipeError
from sealtrace.recipes.queries import Queries

SHOWN = 20
"""How many rows of one query are findings of their own."""


@check("query.empty", "queries")
def empty(evidence: Evidence, outcome: Outcome) -> None:
    declared: list[tuple[str | None, str, str]] = [
        (document.path, name, sql)
        for document in evidence.bundle.sealed(SharedQueries)
        for name, sql in (document.record.must_be_empty or {}).items()
    ]
    declared += [(None, name, sql) for name, sql in evidence.asked.must_be_empty]
    outcome.inspected = len(declared)
    if not declared:
        outcome.not_applicable = "no query is declared that must return no rows"
        return
    queries = Queries(evidence)
    try:
        for path, name, sql in declared:
            spot = outcome.at(path, {"query": name})
            try:
                columns, rows = queries.found(sql)
            except MissingEvidenceError as error:
                outcome.missing = f"{name}: {error}"
                continue
            except RecipeError as error:
                spot.error(None, ended(f"The query cannot be run: {error}"), "a SELECT over the records", sql[:200])
                continue
            for row in rows[:SHOWN]:
                told = ", ".join(f"{column}={value}" for column, value in zip(columns, row, strict=True))
                spot.error(None, f"The query {name} must return no rows, and returns {told[:300]}.")
            outcome.counts["error"] += max(0, len(rows) - SHOWN)
    finally:
        queries.close()
