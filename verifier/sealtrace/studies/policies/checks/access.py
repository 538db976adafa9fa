"""What policies may see, when they ask the teacher, and what each is charged."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import numpy as np
import pyarrow as pa

from sealtrace.bundle.encoding import arrow_array, distinct
from sealtrace.bundle.frames import Index, Mask, Vector, coded_texts
from sealtrace.checks.outcome import LISTED, Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.checks.distributions import compare_traces
from sealtrace.studies.policies.evidence.bank import BankCandidate
from sealtrace.studies.policies.evidence.calibration import UndeclaredError
from sealtrace.studies.policies.evidence.outcomes import in_order
from sealtrace.studies.policies.evidence.replaying import prior_weights, replay_of, smoothed_teacher
from sealtrace.studies.policies.evidence.states import network_outputs
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import policies
from sealtrace.studies.policies.records.policies import Affine
from sealtrace.studies.policies.records.protocol import PriorRule, QueryRule

CLOSE = 1e-9
"""Gate scores nearer than this to the threshold are decided with 80 digits."""


@once
def gate_requests(study: Study, arm: str) -> tuple[Vector, Mask, Mask]:
    """The score of an arm's gate at every observed state, whether it asks, and whether that is decided."""
    rule, prior = study.declared.gate(arm), study.declared.prior
    if rule is None or prior is None:
        raise UndeclaredError("the protocol declares no prior or no gate")
    threshold = exact(rule.threshold)
    if rule.random is not None:
        stream, drawn = Random(rule.random), np.empty(len(study.states.ids))
        for state in in_order(study, np.arange(len(study.states.ids))).tolist():
            drawn[state] = stream.random()
        # A stored double is a rational number: nothing here is near a threshold.
        return drawn, np.array([Fraction(score) >= threshold for score in drawn.tolist()], np.bool_), np.isfinite(drawn)
    if rule.learned is not None:
        checkpoint = study.bank.gate_weights(rule.learned)
        outputs = None if checkpoint is None else network_outputs(study.states, checkpoint, "gate")
        if outputs is None:
            raise UndeclaredError("the bundle has no weights of the learned gate, or they cannot be run")
        learned: Vector = np.clip(outputs[:, 0], 0.0, 1.0)
        apart = np.abs(learned - float(threshold)) >= CLOSE
        return learned, learned >= float(threshold), np.isfinite(learned) & apart
    weights = [as_double(exact(weight)) for weight in rule.terms.values()]
    features = [study.states.feature(name) for name in rule.terms]
    score = policies.query_score(
        policies.normalized(prior_weights(study.states)),
        study.states.legal.named,
        as_double(exact(rule.entropy)),
        weights,
        features,
    )
    decided = np.isfinite(score)
    if not 0 < threshold <= 1:
        # The score is clipped to [0, 1], so it is always at least the threshold, or never.
        return score, np.full(len(score), threshold <= 0), decided
    asks = score >= float(threshold)
    for state in np.flatnonzero(decided & (np.abs(score - float(threshold)) < CLOSE)).tolist():
        answer = _decide(study, rule, prior, state)
        asks[state], decided[state] = bool(answer), answer is not None
    return score, asks, decided


def _decide(study: Study, rule: QueryRule, prior: PriorRule, state: int) -> bool | None:
    """Whether the gate asks at one state, with exact features and 80 digits."""

    def weighted(terms: dict[str, str]) -> Fraction:
        return sum((exact(terms[name]) * study.states.exact_feature(name, state) for name in terms), Fraction(0))

    def affine(declared: Affine) -> Fraction:
        return exact(declared.constant) + weighted(declared.terms or {})

    if exact(rule.entropy) == 0:
        return weighted(rule.terms) >= exact(rule.threshold)
    legal = [action for action, there in zip(study.actions, study.states.legal.named[state], strict=True) if there]
    logits = [affine(prior.logits[action]) for action in legal]
    score = policies.exact_query_score(logits, exact(prior.floor), exact(rule.entropy), weighted(rule.terms))
    return policies.at_least(score, exact(rule.threshold))


def _query_candidates(study: Study, outcome: Outcome) -> list[int]:
    """The bank's query policies whose prior and gate are declared."""
    places = [place for place, candidate in enumerate(study.candidates) if candidate.policy == "query"]
    if study.candidates and not places:
        outcome.not_applicable = "the bank has no query policy"
    if any(replay_of(study.states, place) is None for place in places):
        outcome.missing = "the protocol declares no prior or no gate"
        return []
    outcome.missing = study.joined.untraced(places)
    return places


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
    frame = study.frame("trace")
    requested, accepted, score, present = query_columns(study)
    gated = [candidate.policy == "query" for candidate in study.candidates]
    ungated = (study.joined.candidate >= 0) & ~np.array([*gated, False])[study.joined.candidate]
    message = "A policy without a gate has a query record."
    outcome.rows(frame, present & ungated, "/query", message, "nothing", "a query record")
    for place in _query_candidates(study, outcome):
        rows = study.joined.traces_of(place)
        outcome.inspected += len(rows)
        message = "The policy's query record is missing."
        outcome.rows(frame, rows[~present[rows]], "/query", message, "a query record", "nothing")
        rows = rows[present[rows]]
        states = study.joined.state[rows]
        arm = study.candidates[place].arm
        try:
            due_score, asks, decided = gate_requests(study, arm)
        except UndeclaredError as error:
            outcome.missing = str(error)
            return
        if not decided[states].all():
            outcome.missing = f"{int((~decided[states]).sum())} gate scores cannot be told from the threshold"
        rows, states = rows[decided[states]], states[decided[states]]
        message = "The gate's score is not what the prior and the features give."
        outcome.compare(frame, rows, "/query/score", due_score[states], score[rows], study.tolerance, message, 1.0)
        wrong = requested[rows] != asks[states]
        message = "The prior and the features give another decision of the gate."
        outcome.rows(frame, rows[wrong], "/query/requested", message, asks[states[wrong]], requested[rows[wrong]])
        allowed, sure = _allowed(study, study.declared.gate(arm), states, asks, due_score)
        if not sure:
            outcome.missing = "scores at the end of the budget cannot be told apart"
            continue
        wrong = accepted[rows] != allowed
        message = "The declared budget gives another decision on this query."
        outcome.rows(frame, rows[wrong], "/query/accepted", message, allowed[wrong], accepted[rows[wrong]])


def _allowed(study: Study, gate: QueryRule | None, states: Index, asks: Mask, scores: Vector) -> tuple[Mask, bool]:
    """Which requests the budget accepts, the first ones of each split as declared, and whether that is sure."""
    budget = None if gate is None else gate.budget
    sure = True
    splits, _ = study.frame("observation").texts("split")
    identifiers = np.array(study.states.ids.take(arrow_array(states)).to_pylist(), dtype=object)
    allowed = np.zeros(len(states), np.bool_)
    for split in distinct(splits[states]).tolist():
        members = np.flatnonzero(splits[states] == split)
        members = members[np.argsort([name.encode() for name in identifiers[members]], kind="stable")]
        if gate is not None and gate.first == "score" and budget is not None:
            # Stable: requests with one score stay in the order of their ids.
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
    for place in _query_candidates(study, outcome):
        replay = replay_of(study.states, place)
        assert replay is not None
        rows = study.joined.traces_of(place)
        rows = rows[present[rows]]
        states = study.joined.state[rows]
        replayed = np.where(
            accepted[rows][:, None], smoothed_teacher(study.states)[states], replay.probabilities[states]
        )
        message = "The distribution is neither the accepted anchor nor the prior that it must be."
        compare_traces(study, outcome, rows, replayed, message)


# The ledger


@check("replay.ledger", "traces")
def ledger(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    ledgers = frame.column("ledger")
    if not study.declared.charges:
        if len(ledgers.values):
            outcome.missing = "the protocol configures no charges for the ledger's events"
        else:
            outcome.not_applicable = "the study charges nothing"
        return
    outcome.inspected = int((study.joined.candidate >= 0).sum())
    if left := study.frame("trace").size - outcome.inspected:
        outcome.missing = f"{left} traces name no candidate of the bank"
    starts, charged = ledgers.offsets.to_numpy().astype(np.int64), ledgers.values
    codes, names = coded_texts(charged.field("event"))

    def charged_events(row: int) -> list[str]:
        return [charge["event"] for charge in ledgers[row].as_py()]

    owed, lengths = list(_due_events(study)), np.diff(starts)
    message = "The ledger has other events than the policy owes."
    for rows, due in owed:
        other, expected = rows[lengths[rows] != len(due)], ", ".join(due)
        outcome.rows(frame, other, "/ledger", message, expected, lambda row: ", ".join(charged_events(row)) or "none")
    whole = [(rows[lengths[rows] == len(due)], due) for rows, due in owed]
    for position, event in sorted({place for _, due in owed for place in enumerate(due)}):
        rows = np.sort(np.concatenate([rows for rows, due in whole if due[position : position + 1] == [event]]))
        places = starts[rows] + position
        same = codes[places] == (names.index(event) if event in names else -1)
        pointer, message = f"/ledger/{position}", "Another event was charged."
        found = [charged_events(row)[position] for row in rows[~same][:LISTED].tolist()]
        outcome.rows(frame, rows[~same], f"{pointer}/event", message, event, found)
        _costs(study, outcome, rows[same], charged.take(arrow_array(places[same])), event, pointer)


def _due_events(study: Study) -> Iterator[tuple[Index, list[str]]]:
    """Traces with the events that they owe: that of the policy at every state, and the outcome of a request besides."""
    requested, accepted, _, _ = query_columns(study)
    for place, candidate in enumerate(study.candidates):
        rows, event = np.flatnonzero(study.joined.candidate == place), _policy_event(study, candidate)
        if candidate.policy != "query":
            yield rows, [event]
            continue
        gate = study.declared.gate(candidate.arm)
        told = ("query-accepted", "query-rejected") if gate is None or gate.events is None else gate.events
        asked, allowed = requested[rows], accepted[rows]
        yield rows[~asked], [event]
        yield rows[asked & allowed], [event, told[0]]
        yield rows[asked & ~allowed], [event, told[1]]


def _policy_event(study: Study, candidate: BankCandidate) -> str:
    """What a policy owes at every state: a tilt its family's residual, where that has a charge of its own."""
    if (declared := study.declared.events.get(candidate.arm)) is not None:
        return declared
    if candidate.policy != "tilt":
        return "student" if candidate.policy == "student" else "policy"
    own = f"residual-{candidate.family}"
    return own if own in study.declared.charges else "residual"


def _costs(study: Study, outcome: Outcome, rows: Index, charged: pa.StructArray, event: str, pointer: str) -> None:
    """One event of many traces costs what the protocol configures."""
    frame, rule = study.frame("trace"), study.declared.charges.get(event)
    if rule is None:
        message = "The protocol configures no such charge."
        outcome.rows(frame, rows, f"{pointer}/event", message, f"a charge for {event}", "none")
        return
    for quantity in (counted for counted in study.declared.counted if counted in rule):
        due = np.full(len(rows), as_double(Fraction(rule[quantity])))
        stored = charged.field(quantity).to_numpy(zero_copy_only=False).astype(np.float64)
        message = "The event does not cost what the protocol configures."
        outcome.compare(frame, rows, f"{pointer}/{quantity}", due, stored, study.tolerance, message)


# The information boundary


def visible(study: Study, interface: str) -> frozenset[str]:
    """What an interface may show: the observation, never its id, split or block, and at most the teacher besides.

    Action values, scores and identities are in none.
    """
    taught = {"teacher.distribution"} if study.declared.shows_teacher(interface) else set[str]()
    return study.states.observed | {"legal"} | taught


@check("boundary.interfaces", "fields")
def interfaces(study: Study, outcome: Outcome) -> None:
    if not study.declared.interfaces:
        outcome.not_applicable = "the protocol declares no interface"
        return
    for name, fields in study.declared.interfaces.items():
        outcome.inspected += len(fields)
        at, shown = outcome.at(study.evidence.protocol_path, {"interface": name}), visible(study, name)
        for index, field in enumerate(fields):
            pointer = f"/interfaces/{name}/{index}"
            if field not in shown:
                message = "The interface declares a field that its contract hides."
                at.error(pointer, message, ", ".join(sorted(shown)), field)
            if field in fields[:index]:
                at.error(pointer, "The interface lists a field twice.", "each field once", field)


@check("boundary.inputs", "traces")
def inputs(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    outcome.inspected = int((study.joined.candidate >= 0).sum())
    if left := frame.size - outcome.inspected:
        outcome.missing = f"{left} traces name no candidate of the bank"
    read, twice = _read_fields(study)
    outcome.rows(frame, twice, "/inputs", "The trace lists a field twice.", "each field once")
    accepted = query_columns(study)[1]

    def named(row: int) -> str:
        return ", ".join(frame.column("inputs")[row].as_py()) or "nothing"

    for place, candidate in enumerate(study.candidates):
        rows = np.flatnonzero(study.joined.candidate == place)
        shown = set(study.declared.interfaces.get(candidate.interface, ())) & visible(study, candidate.interface)
        for name, reading in read.items():
            if name not in shown:
                message = "The policy read a field that its interface does not show."
                expected = ", ".join(sorted(shown)) or "nothing"
                outcome.rows(frame, rows[reading[rows]], "/inputs", message, expected, name)
        for name, needed in _needed(study, candidate, accepted[rows]).items():
            lacking = needed & ~read.get(name, np.zeros(frame.size, np.bool_))[rows]
            message = "The policy cannot be computed without a field that it does not name."
            outcome.rows(frame, rows[lacking], "/inputs", message, name, named)


def _read_fields(study: Study) -> tuple[dict[str, Mask], Mask]:
    """Field to the traces that name it among their inputs, and the traces that name one twice."""
    frame = study.frame("trace")
    column = frame.column("inputs")
    codes, names = coded_texts(column.values)
    offsets = column.offsets.to_numpy().astype(np.int64)
    owners = np.repeat(np.arange(frame.size), np.diff(offsets))
    width = max(1, len(names))
    pairs = owners * width + codes[offsets[0] : offsets[-1]]
    times = np.bincount(pairs, minlength=frame.size * width).reshape(frame.size, width)
    twice: Mask = np.asarray((times > 1).any(axis=1))
    return {name: times[:, code] > 0 for code, name in enumerate(names)}, twice


def _needed(study: Study, candidate: BankCandidate, accepted: Mask) -> dict[str, Mask]:
    """Field to which of a candidate's traces cannot do without it."""
    every = np.ones(len(accepted), np.bool_)
    features, prior, query = study.declared.features, study.declared.prior, study.declared.gate(candidate.arm)
    rules: list[Affine | QueryRule] = []
    if candidate.policy == "tilt":
        rules = [*(candidate.direction or {}).values()]
    if candidate.policy == "query":
        rules = [*(prior.logits.values() if prior else ()), *([query] if query else ())]
    names = {name for rule in rules for name in rule.terms or {}}
    learned = study.bank.gate_weights(query.learned) if query is not None and candidate.policy == "query" else None
    if (checkpoint := study.bank.checkpoint_of(candidate) or learned) is not None:
        names |= set(checkpoint.document.record.features)
    needed = {features[name].field: every for name in sorted(names) if name in features}
    needed["legal"] = every
    if candidate.policy != "student":
        needed["teacher.distribution"] = accepted if candidate.policy == "query" else every
    return needed
