"""The records can be read in one way only."""

from __future__ import annotations

import numpy as np

from sealtrace.bundle.frames import Frame
from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.kinds import KINDS, Form
from sealtrace.evidence import Evidence


@check("schema.json", "files")
def strict_json(evidence: Evidence, outcome: Outcome) -> None:
    bundle = evidence.bundle
    outcome.inspected = len(bundle.documents) + len(bundle.stores)
    outcome.defects(bundle.syntax.listed)
    outcome.counts["error"] = bundle.syntax.total


@check("schema.documents", "documents")
def documents(evidence: Evidence, outcome: Outcome) -> None:
    outcome.inspected = len(evidence.bundle.documents)


@check("schema.rows", "rows")
def rows(evidence: Evidence, outcome: Outcome) -> None:
    stores = evidence.bundle.stores
    outcome.inspected = sum(store.count for store in stores)
    outcome.missing = next(iter(evidence.bundle.lost.values()), None)
    for store in stores:
        outcome.defects(store.misfits.listed)
        outcome.counts["error"] += store.misfits.total - len(store.misfits.listed)


@check("join.unique-key", "rows")
def unique_key(evidence: Evidence, outcome: Outcome) -> None:
    keys = {kind.name: kind.key for kind in KINDS.values() if kind.form is Form.ROWS}
    keys |= {name: declared.key for name, declared in evidence.bundle.declared.items()}
    outcome.missing = next(iter(evidence.bundle.lost.values()), None)
    for kind, key in keys.items():
        if not evidence.bundle.of_kind(kind):
            continue
        frame = evidence.frame(kind)
        outcome.inspected += frame.size
        repeats = frame.repeats
        outcome.rows(
            frame,
            np.array(sorted(repeats), np.int64),
            "/" + "+".join(key),
            lambda row: _twice(frame, repeats[row], row),
            lambda row: "only {}:{}".format(*frame.place(repeats[row])),
            lambda row: "{}:{}".format(*frame.place(row)),
        )


def _twice(frame: Frame, first: int, again: int) -> str:
    """Which key two records share, and where they are."""
    (source, line), (other, later) = frame.place(first), frame.place(again)
    lines = "rows" if source.endswith(".parquet") else "lines"
    where = f"on {lines} {line} and {later}" if source == other else f"at {source}:{line} and {other}:{later}"
    return (
        f"Duplicate: {', '.join(f'{name}={value}' for name, value in frame.key(again).items())} is {where}. Keep one."
    )


@check("schema.meaning", "kinds")
def meaning(evidence: Evidence, outcome: Outcome) -> None:
    """A kind that has a schema and nothing else is kept, not verified."""
    held = sorted({entry.kind for entry in evidence.bundle.entries if entry.kind in KINDS})
    outcome.inspected = len(held)
    judged = {kind for each in CATALOGUE for kind in each.reads} | _KEPT
    if unknown := [kind for kind in held if kind not in judged]:
        outcome.missing = f"no check knows what {', '.join(unknown)} records mean; only their schema was checked"


_KEPT = {"attachment", "manuscript", "queries", "seal"}
"""Kinds that no check demands: bytes that are kept as they are, and what seals, pages and a reader's queries are."""
