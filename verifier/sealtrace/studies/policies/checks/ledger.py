"""The cost ledger: every event that a policy owes, at the configured cost."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from sealtrace.bundle.arrays import distinct
from sealtrace.bundle.frames import Index
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.checks.gate import query_columns
from sealtrace.studies.policies.evidence.study import Candidate, Study

_NONE = -1


def _event_of(study: Study, one: Candidate) -> str:
    """What a policy owes at every state: a tilt its family's residual, where that has a charge of its own."""
    if (declared := study.declared.events.get(one.arm)) is not None:
        return declared
    if one.policy == "student":
        return "student"
    if one.policy != "tilt":
        return "policy"
    own = f"residual-{one.family}"
    return own if own in study.declared.charges else "residual"


def _events(study: Study) -> list[str]:
    """What can be charged; a request owes its outcome besides."""
    owed = {_event_of(study, one) for one in study.candidates}
    owed |= {event for one in study.candidates for event in _asked_events(study, one)}
    return sorted(owed)


def _asked_events(study: Study, one: Candidate) -> tuple[str, str]:
    """What an accepted and a rejected request of a candidate's gate owe besides."""
    gate = study.declared.gate(one.arm)
    accepted, rejected = ("query-accepted", "query-rejected") if gate is None or gate.events is None else gate.events
    return accepted, rejected


def _due(study: Study, events: list[str]) -> tuple[Index, Index]:
    """The first and the second event that each trace owes, as places among events."""
    policies = np.array([one.policy for one in study.candidates] or [""])[study.trace_candidate]
    owed = [events.index(_event_of(study, one)) for one in study.candidates] or [_NONE]
    requested, accepted, _, _ = query_columns(study)
    asked = np.array(
        [[events.index(event) for event in _asked_events(study, one)] for one in study.candidates] or [[_NONE] * 2]
    )
    outcome = asked[study.trace_candidate, np.where(accepted, 0, 1)]
    return np.array(owed)[study.trace_candidate], np.where((policies == "query") & requested, outcome, _NONE)


@check("replay.ledger", "traces")
def ledger(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    column = frame.column("ledger")
    if not study.declared.charges:
        if len(column.values):
            outcome.missing = "the protocol configures no charges for the ledger's events"
        else:
            outcome.not_applicable = "the study charges nothing"
        return
    starts = column.offsets.to_numpy().astype(np.int64)
    known_events = _events(study)
    events = column.values
    names = events.field("event")
    names = names if pa.types.is_dictionary(names.type) else names.dictionary_encode()
    place_of = np.array(
        [known_events.index(name) if name in known_events else _NONE for name in names.dictionary.to_pylist()]
        or [_NONE]
    )
    charged = place_of[names.indices.to_numpy()]

    known = study.trace_candidate >= 0
    outcome.inspected = int(known.sum())
    due = _due(study, known_events)
    owed = 1 + (due[1] != _NONE)
    right = known & (np.diff(starts) == owed)
    outcome.rows(
        frame,
        known & ~right,
        "/ledger",
        "The ledger has other events than the policy owes.",
        lambda row: ", ".join(known_events[event[row]] for event in due if event[row] != _NONE),
        lambda row: ", ".join(event["event"] for event in column[row].as_py()) or "none",
    )
    for position, event in enumerate(due):
        rows = np.flatnonzero(right & (event != _NONE))
        places = starts[rows] + position
        same = charged[places] == event[rows]
        outcome.rows(
            frame,
            rows[~same],
            f"/ledger/{position}/event",
            "Another event was charged.",
            lambda row: known_events[event[row]],
            lambda row: column[row].as_py()[position]["event"],
        )
        rows, places = rows[same], places[same]
        for number in distinct(event[rows]).tolist():
            members = np.flatnonzero(event[rows] == number)
            _costs(study, outcome, rows[members], places[members], known_events[number], position, events)


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
    rule = study.declared.charges.get(event)
    if rule is None:
        outcome.rows(
            frame,
            rows,
            f"/ledger/{position}/event",
            "The protocol configures no such charge.",
            f"a charge for {event}",
            "none",
        )
        return
    for name in (one for one in study.declared.counted if one in rule):
        cost = as_double(Fraction(rule[name]))
        stored = events.field(name).to_numpy(zero_copy_only=False)[places].astype(np.float64)
        outcome.compare(
            frame,
            rows,
            f"/ledger/{position}/{name}",
            np.full(len(rows), cost),
            stored,
            study.tolerance,
            "The event does not cost what the protocol configures.",
        )
