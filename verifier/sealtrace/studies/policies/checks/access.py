"""What policies may see, when they ask the teacher, and what each is charged."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from sealtrace.bundle.encoding import arrow_array, distinct
from sealtrace.bundle.frames import Index, Mask, Vector
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.checks.replay import compare_traces, replay_of
from sealtrace.studies.policies.evidence.calibration import UndeclaredError
from sealtrace.studies.policies.evidence.gate import CLOSE, gate_requests
from sealtrace.studies.policies.evidence.study import Candidate, Study
from sealtrace.studies.policies.mathematics import policies
from sealtrace.studies.policies.records.policies import Affine
from sealtrace.studies.policies.records.protocol import QueryRule


def _query_candidates(study: Study, outcome: Outcome) -> list[int]:
    indices = [index for index, one in enumerate(study.candidates) if one.policy == "query"]
    if study.candidates and not indices:
        outcome.not_applicable = "the bank has no query policy"
    return indices


def query_columns(study: Study) -> tuple[Mask, Mask, Vector, Mask]:
    """Requested, accepted, score of every trace, and whether the trace has a query record."""
    column = study.frame("trace").column("query")
    present = column.is_valid().to_numpy(zero_copy_only=False)
    requested, accepted, score = (
        column.field(name).fill_null(default).to_numpy(zero_copy_only=False)
        for name, default in (("requested", False), ("accepted", False), ("score", 0.0))
    )
    return requested, accepted, score, present


@check("replay.query-gate", "traces")
def query_gate(study: Study, outcome: Outcome) -> None:
    indices = _query_candidates(study, outcome)
    frame = study.frame("trace")
    requested, accepted, score, present = query_columns(study)
    gated = np.isin(study.trace_candidate, indices)
    message = "A policy without a gate has a query record."
    outcome.rows(frame, present & ~gated & (study.trace_candidate >= 0), "/query", message, "nothing", "a query record")
    for index in indices:
        if replay_of(study, index) is None:
            outcome.missing = "the protocol declares no prior or no gate"
            return
        rows = study.traces_of(index)
        outcome.inspected += len(rows)
        message = "The policy's query record is missing."
        outcome.rows(frame, rows[~present[rows]], "/query", message, "a query record", "nothing")
        rows = rows[present[rows]]
        states = study.trace_state[rows]
        try:
            scores_by_state, asks, decided = gate_requests(study, study.candidates[index].arm)
        except UndeclaredError as error:
            outcome.missing = str(error)
            return
        if not decided[states].all():
            outcome.missing = f"{int((~decided[states]).sum())} gate scores cannot be told from the threshold"
        rows, states = rows[decided[states]], states[decided[states]]
        message = "The gate's score is not what the prior and the features give."
        outcome.compare(
            frame, rows, "/query/score", scores_by_state[states], score[rows], study.tolerance, message, 1.0
        )
        wrong = requested[rows] != asks[states]
        message = "The prior and the features give another decision of the gate."
        outcome.rows(frame, rows[wrong], "/query/requested", message, asks[states[wrong]], requested[rows[wrong]])
        gate = study.declared.gate(study.candidates[index].arm)
        allowed, sure = _allowed(study, gate, states, asks, scores_by_state)
        if not sure:
            outcome.missing = "scores at the end of the budget cannot be told apart"
            continue
        wrong = accepted[rows] != allowed
        message = "The declared budget gives another decision on this query."
        outcome.rows(frame, rows[wrong], "/query/accepted", message, allowed[wrong], accepted[rows[wrong]])


def _allowed(study: Study, gate: QueryRule | None, states: Index, asks: Mask, scores: Vector) -> tuple[Mask, bool]:
    """Which requests the budget accepts, the first ones of each split as declared, and whether that is sure."""
    budget = None if gate is None else gate.budget
    by_score = gate is not None and gate.first == "score" and budget is not None
    sure = True
    splits, _ = study.frame("observation").texts("split")
    identifiers = np.array(study.states.take(arrow_array(states)).to_pylist(), dtype=object)
    allowed = np.zeros(len(states), np.bool_)
    for split in distinct(splits[states]).tolist():
        members = np.flatnonzero(splits[states] == split)
        members = members[np.argsort([name.encode() for name in identifiers[members]], kind="stable")]
        if by_score and budget is not None:
            members = members[np.argsort(-scores[states[members]], kind="stable")]
            asking = scores[states[members]][asks[states[members]]]
            if 0 < budget < len(asking):
                gap = asking[budget - 1] - asking[budget]
                sure &= gap == 0 or gap >= CLOSE
        allowed[members] = policies.accepted_queries(asks[states[members]], budget)
    return allowed, bool(sure)


@check("replay.query-policy", "traces")
def query_policy(study: Study, outcome: Outcome) -> None:
    _, accepted, _, present = query_columns(study)
    for index in _query_candidates(study, outcome):
        replay = replay_of(study, index)
        if replay is None:
            outcome.missing = "the protocol declares no prior or no gate"
            return
        rows = study.traces_of(index)
        rows = rows[present[rows]]
        states = study.trace_state[rows]
        replayed = np.where(accepted[rows][:, None], study.smoothed_teacher[states], replay.probabilities[states])
        message = "The distribution is neither the accepted anchor nor the prior that it must be."
        compare_traces(study, outcome, rows, replayed, message)


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
    places = [known_events.index(name) if name in known_events else _NONE for name in names.dictionary.to_pylist()]
    place_of = np.array(places or [_NONE])
    charged = place_of[names.indices.to_numpy()]

    known = study.trace_candidate >= 0
    outcome.inspected = int(known.sum())
    due = _due(study, known_events)
    owed = 1 + (due[1] != _NONE)
    right = known & (np.diff(starts) == owed)

    def events_due(row: int) -> str:
        return ", ".join(known_events[event[row]] for event in due if event[row] != _NONE)

    def events_found(row: int) -> list[str]:
        return [event["event"] for event in column[row].as_py()]

    message = "The ledger has other events than the policy owes."
    wrong = known & ~right
    outcome.rows(frame, wrong, "/ledger", message, events_due, lambda row: ", ".join(events_found(row)) or "none")
    for position, event in enumerate(due):
        rows = np.flatnonzero(right & (event != _NONE))
        places = starts[rows] + position
        same = charged[places] == event[rows]
        expected = [known_events[one] for one in event[rows[~same]]]
        other, message = rows[~same], "Another event was charged."
        outcome.rows(
            frame, other, f"/ledger/{position}/event", message, expected, lambda row: events_found(row)[position]
        )
        rows, places = rows[same], places[same]
        for number in distinct(event[rows]).tolist():
            members = np.flatnonzero(event[rows] == number)
            _costs(study, outcome, rows[members], places[members], known_events[number], position, events)


def _costs(
    study: Study, outcome: Outcome, rows: Index, places: Index, event: str, position: int, events: pa.StructArray
) -> None:
    """One event of many traces costs what the protocol configures."""
    frame = study.frame("trace")
    rule = study.declared.charges.get(event)
    if rule is None:
        message = "The protocol configures no such charge."
        outcome.rows(frame, rows, f"/ledger/{position}/event", message, f"a charge for {event}", "none")
        return
    for name in (one for one in study.declared.counted if one in rule):
        cost = as_double(Fraction(rule[name]))
        stored = events.field(name).to_numpy(zero_copy_only=False)[places].astype(np.float64)
        message = "The event does not cost what the protocol configures."
        outcome.compare(
            frame, rows, f"/ledger/{position}/{name}", np.full(len(rows), cost), stored, study.tolerance, message
        )


def visible(study: Study, interface: str) -> frozenset[str]:
    """What an interface may show: the observation, never its id, split or block, and at most the teacher besides.

    Action values, scores and identities are in none.
    """
    taught = {"teacher.distribution"} if study.declared.shows_teacher(interface) else set[str]()
    return study.observed | {"legal"} | taught


@check("boundary.interfaces", "fields")
def interfaces(study: Study, outcome: Outcome) -> None:
    if not study.declared.interfaces:
        outcome.not_applicable = "the protocol declares no interface"
        return
    for name, fields in study.declared.interfaces.items():
        outcome.inspected += len(fields)
        for index, field in enumerate(fields):
            if field not in visible(study, name):
                message = "The interface declares a field that its contract hides."
                outcome.at(study.protocol_path, {"interface": name}).error(
                    f"/interfaces/{name}/{index}", message, ", ".join(sorted(visible(study, name))), field
                )
            if field in fields[:index]:
                outcome.at(study.protocol_path, {"interface": name}).error(
                    f"/interfaces/{name}/{index}", "The interface lists a field twice.", "each field once", field
                )


@check("boundary.inputs", "traces")
def inputs(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    outcome.inspected = frame.size
    read, twice = _read_fields(study)
    outcome.rows(frame, twice, "/inputs", "The trace lists a field twice.", "each field once")
    declared = study.declared.interfaces
    accepted = query_columns(study)[1]

    def named(row: int) -> str:
        return ", ".join(frame.column("inputs")[row].as_py()) or "nothing"

    for index, one in enumerate(study.candidates):
        rows = np.flatnonzero(study.trace_candidate == index)
        allowed = set(declared.get(one.interface, ())) & visible(study, one.interface)
        for name, names in read.items():
            if name not in allowed:
                message = "The policy read a field that its interface does not show."
                outcome.rows(
                    frame, rows[names[rows]], "/inputs", message, ", ".join(sorted(allowed)) or "nothing", name
                )
        for name, needed in _needed(study, one, accepted[rows]).items():
            lacking = needed & ~read.get(name, np.zeros(frame.size, np.bool_))[rows]
            message = "The policy cannot be computed without a field that it does not name."
            outcome.rows(frame, rows[lacking], "/inputs", message, name, named)


def _read_fields(study: Study) -> tuple[dict[str, Mask], Mask]:
    """Field to the traces that name it among their inputs, and the traces that name one twice."""
    frame = study.frame("trace")
    column = frame.column("inputs")
    names = column.values
    names = names if pa.types.is_dictionary(names.type) else names.dictionary_encode()
    offsets = column.offsets.to_numpy().astype(np.int64)
    codes = names.indices.to_numpy()[offsets[0] : offsets[-1]]
    owners = np.repeat(np.arange(frame.size), np.diff(offsets))
    read = {}
    width = max(1, len(names.dictionary))
    times = np.bincount(owners * width + codes, minlength=frame.size * width)
    twice: Mask = np.asarray((times > 1).reshape(frame.size, width).any(axis=1))
    for code, name in enumerate(names.dictionary.to_pylist()):
        read[name] = np.zeros(frame.size, np.bool_)
        read[name][owners[codes == code]] = True
    return read, twice


def _needed(study: Study, one: Candidate, accepted: Mask) -> dict[str, Mask]:
    """Field to which of a candidate's traces cannot do without it."""
    every = np.ones(len(accepted), np.bool_)
    features, prior, query = study.declared.features, study.declared.prior, study.declared.gate(one.arm)
    rules: list[Affine | QueryRule] = []
    if one.policy == "tilt":
        rules = [*one.rules.values()]
    if one.policy == "query":
        rules = [*(prior.logits.values() if prior else ()), *([query] if query else ())]
    names = {name for rule in rules for name in rule.terms or {}}
    learned = study.gate_weights(query.learned) if query is not None and one.policy == "query" else None
    if (checkpoint := study.checkpoint_of(one) or learned) is not None:
        names |= set(checkpoint.document.value["features"])
    needed = {features[name].field: every for name in names if name in features}
    needed["legal"] = every
    if one.policy != "student":
        needed["teacher.distribution"] = accepted if one.policy == "query" else every
    return needed
