"""The cost ledger: every event that a policy owes, at the configured cost."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sealtrace.bundle.arrays import distinct
from sealtrace.checks.gate import query_columns
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.evidence.frame import Index
from sealtrace.evidence.study import Study, as_double
from sealtrace.records.scalars import exact

EVENTS = ("policy", "residual", "query-accepted", "query-rejected")
"""What can be charged. A tilt owes `residual`, any other policy `policy`; a request owes its outcome too."""
_NONE = -1


def _due(study: Study) -> tuple[Index, Index]:
    """The first and the second event that each trace owes, as places in EVENTS."""
    policies = np.array([one.policy for one in study.candidates] or [""])[study.trace_candidate]
    requested, accepted, _, _ = query_columns(study)
    first = np.where(policies == "tilt", EVENTS.index("residual"), EVENTS.index("policy"))
    outcome = np.where(accepted, EVENTS.index("query-accepted"), EVENTS.index("query-rejected"))
    return first, np.where((policies == "query") & requested, outcome, _NONE)


@check("replay.ledger", "traces")
def ledger(study: Study, outcome: Outcome) -> None:
    charges = study.protocol.get("charges")
    frame = study.frame("trace")
    column = frame.column("ledger")
    if not charges:
        if len(column.values):
            outcome.missing = "the protocol configures no charges for the ledger's events"
        else:
            outcome.not_applicable = "the study charges nothing"
        return
    starts = column.offsets.to_numpy().astype(np.int64)
    events = column.values
    names = events.field("event")
    names = names if pa.types.is_dictionary(names.type) else names.dictionary_encode()
    place_of = np.array(
        [EVENTS.index(name) if name in EVENTS else _NONE for name in names.dictionary.to_pylist()] or [_NONE]
    )
    charged = place_of[names.indices.to_numpy()]

    known = study.trace_candidate >= 0
    outcome.inspected = int(known.sum())
    due = _due(study)
    owed = 1 + (due[1] != _NONE)
    right = known & (np.diff(starts) == owed)
    outcome.rows(
        frame,
        np.flatnonzero(known & ~right),
        "/ledger",
        "the ledger has other events than the policy owes",
        expected=lambda row: ", ".join(EVENTS[event[row]] for event in due if event[row] != _NONE),
        found=lambda row: ", ".join(event["event"] for event in column[row].as_py()) or "none",
    )
    for position, event in enumerate(due):
        rows = np.flatnonzero(right & (event != _NONE))
        places = starts[rows] + position
        same = charged[places] == event[rows]
        outcome.rows(
            frame,
            rows[~same],
            f"/ledger/{position}/event",
            "another event was charged",
            expected=lambda row: EVENTS[event[row]],
            found=lambda row: column[row].as_py()[position]["event"],
        )
        rows, places = rows[same], places[same]
        for number in distinct(event[rows]).tolist():
            members = np.flatnonzero(event[rows] == number)
            _costs(study, outcome, rows[members], places[members], EVENTS[number], position, events)


def _costs(
    study: Study,
    outcome: Outcome,
    rows: Index,
    places: Index,
    event: str,
    position: int,
    events: pa.StructArray,
) -> None:
    """One event of many traces costs what the protocol configures."""
    frame = study.frame("trace")
    rule = study.protocol["charges"].get(event)
    if rule is None:
        outcome.rows(
            frame,
            rows,
            f"/ledger/{position}/event",
            "the protocol configures no such charge",
            expected=lambda _: f"a charge for {event}",
            found=lambda _: "none",
        )
        return
    for name in ("tokens", "latency_ms", "tool_calls"):
        cost = as_double(exact(rule[name])) if isinstance(rule[name], str) else float(rule[name])
        stored = events.field(name).to_numpy(zero_copy_only=False)[places].astype(np.float64)
        outcome.compare(
            frame,
            rows,
            f"/ledger/{position}/{name}",
            np.full(len(rows), cost),
            stored,
            study.tolerance,
            "the event does not cost what the protocol configures",
        )
