"""The records can be read in one way only."""

from __future__ import annotations

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.studies.policies.evidence.study import Study


@check("schema.json", "files")
def strict_json(study: Study, outcome: Outcome) -> None:
    bundle = study.bundle
    outcome.inspected = len(bundle.documents) + len(bundle.stores)
    outcome.defects(bundle.syntax.listed)
    outcome.counts["error"] = bundle.syntax.total


@check("schema.documents", "documents")
def documents(study: Study, outcome: Outcome) -> None:
    outcome.inspected = len(study.bundle.documents)
    outcome.defects(study.bundle.document_misfits)


@check("schema.rows", "rows")
def rows(study: Study, outcome: Outcome) -> None:
    stores = study.bundle.stores
    outcome.inspected = sum(store.count for store in stores)
    for store in stores:
        outcome.defects(store.misfits.listed)
        outcome.counts["error"] += store.misfits.total - len(store.misfits.listed)
