"""Distributions, replayed from what each policy was allowed to see."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from sealtrace.bundle.frames import ActionMatrix, Index, Matrix, action_matrix, some_rows
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.study import Candidate, Replay, Study
from sealtrace.studies.policies.mathematics import policies, scores


def compare_matrix(
    study: Study, outcome: Outcome, kind: str, rows: Index, field: str, replayed: Matrix, stored: Matrix, message: str
) -> None:
    """Compares distributions action by action, where the replay is defined."""
    outcome.inspected += len(rows)
    finite = np.isfinite(replayed)
    if undefined := int((~finite.all(axis=1)).sum()):
        outcome.missing = f"{undefined} distributions cannot be replayed from what is there"
    for column, action in enumerate(study.actions):
        defined = np.flatnonzero(finite[:, column]) if undefined else slice(None)
        numbers = replayed[defined, column], stored[defined, column]
        outcome.compare(study.frame(kind), rows[defined], f"/{field}/{action}", *numbers, study.tolerance, message)


def compare_traces(study: Study, outcome: Outcome, rows: Index, replayed: Matrix, message: str) -> None:
    """Compares the distributions of traces with their replay."""
    stored = study.probabilities.values[rows]
    compare_matrix(study, outcome, "trace", rows, "probabilities", replayed, stored, message)


def _teacher_rows(study: Study) -> tuple[Index, Index]:
    """Teacher rows with a certain, playable state, and those states."""
    states = study.state_of("teacher")
    rows = np.flatnonzero(states >= 0)
    rows = rows[study.playable[states[rows]]]
    return rows, states[rows]


@check("replay.teacher", "teacher records")
def teacher(study: Study, outcome: Outcome) -> None:
    rule = study.declared.teacher
    if rule is None:
        outcome.not_applicable = "the protocol does not say how the teacher's distribution is formed"
        return
    frame = study.frame("teacher")
    valued = frame.table.column("values").is_valid().to_numpy()
    if not valued.all():
        outcome.missing = f"{int((~valued).sum())} teacher records hold no action values"
    rows, states = _teacher_rows(study)
    rows, states = rows[valued[rows]], states[valued[rows]]
    values = action_matrix(frame, "values", study.actions)
    named = (some_rows(values.named, rows) | ~some_rows(study.legal.named, states)).all(axis=1) & ~values.unknown[rows]
    rows, legal = rows[named], some_rows(study.legal.named, states[named])
    given, stored = (
        some_rows(one.values, rows) for one in (values, action_matrix(frame, "distribution", study.actions))
    )
    replayed = np.empty(stored.T.shape).T
    for block in _blocks(len(rows)):
        weights = policies.teacher_weights(given[block], legal[block], as_double(exact(rule.temperature)))
        replayed[block] = policies.normalized(weights)
    message = "The distribution is not the softmax of the action values."
    compare_matrix(study, outcome, "teacher", rows, "distribution", replayed, stored, message)


def _blocks(count: int) -> Iterator[slice]:
    """Rows, so many at a time that what is computed of them stays small."""
    return (slice(start, start + 2**16) for start in range(0, count, 2**16))


@check("replay.teacher-value", "teacher records")
def teacher_value(study: Study, outcome: Outcome) -> None:
    frame = study.frame("teacher")
    reported = frame.numbers("value")
    stated = np.isfinite(reported)
    valued = frame.table.column("values").is_valid().to_numpy() & stated
    if (stated & ~valued).any():
        outcome.missing = f"{int((stated & ~valued).sum())} state values have no action values to follow from"
    if frame.size and not stated.any():
        outcome.not_applicable = "the teacher's records hold no state value"
        return
    rows, _ = _teacher_rows(study)
    rows = rows[valued[rows]]
    outcome.inspected = len(rows)
    values = some_rows(action_matrix(frame, "values", study.actions).values, rows)
    distribution = some_rows(action_matrix(frame, "distribution", study.actions).values, rows)
    replayed, size = np.empty(len(rows)), np.empty(len(rows))
    for block in _blocks(len(rows)):
        replayed[block] = scores.expected_utility(distribution[block], values[block])
        size[block] = np.abs(values[block]).max(axis=1, initial=0.0)
    message = "The state value is not the mean of the action values."
    outcome.compare(frame, rows, "/value", replayed, reported[rows], study.tolerance, message, size)


@check("replay.normalizer", "normalizers")
def normalizer(study: Study, outcome: Outcome) -> None:
    frame = study.frame("candidate")
    replays = [replay_of(study, index) for index in range(len(study.candidates))]
    if replays and all(replay is not None and replay.normalizers is None for replay in replays):
        outcome.not_applicable = "no policy of the bank is normalized"
        return
    for one, replay in zip(study.candidates, replays, strict=True):
        if replay is None or replay.normalizers is None:
            continue
        known = study.playable
        if one.policy == "tilt":
            known = known & np.isfinite(study.smoothed_teacher).all(axis=1)
        values = replay.normalizers[known]
        outcome.inspected += len(values)
        bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
        if len(bad):
            state = study.states[int(np.flatnonzero(known)[bad[0]])].as_py()
            message = f"The normalizer is not finite and positive at {len(bad)} states, first at {state}."
            outcome.on(frame, one.row).error("/scale", message, "a finite positive normalizer", float(values[bad[0]]))


def replay_of(study: Study, candidate: int) -> Replay | None:
    """The replay of a candidate, or None where the protocol or the bank does not say how."""
    declared = study.declared
    needed = {
        "tilt": (declared.anchor,),
        "anchor": (declared.anchor,),
        "query": (declared.prior, declared.gate(study.candidates[candidate].arm)),
    }
    if None in needed.get(study.candidates[candidate].policy, ()) or not study.frame("observation").size:
        return None
    return study.replay(candidate)


def _replay_policy(study: Study, outcome: Outcome, policy: str, message: str) -> None:
    """Compares the traces of every candidate of a policy with their replay."""
    indices = [index for index, one in enumerate(study.candidates) if one.policy == policy]
    if study.candidates and not indices:
        outcome.not_applicable = f"the bank has no {policy} policy"
        return
    for index in indices:
        replay = replay_of(study, index)
        if replay is None:
            outcome.missing = f"{study.candidates[index].name} does not declare what its policy needs"
            continue
        rows = study.traces_of(index)
        compare_traces(study, outcome, rows, replay.probabilities[study.trace_state[rows]], message)


for _policy, _message in {
    "anchor": "The distribution is not the smoothed teacher.",
    "top-action": "The distribution is not a point mass on the teacher's top action.",
    "tilt": "The distribution is not the tilt of the anchor at this scale.",
    "student": "The distribution is not the tilt of the checkpoint's own base policy.",
}.items():
    check(f"replay.{_policy}", "traces")(partial(_replay_policy, policy=_policy, message=_message))


@check("replay.residual", "sealed directions")
def residual(study: Study, outcome: Outcome) -> None:
    frame = study.frame("residual")
    learned = {one.family: one for one in study.candidates if one.direction is None and one.checkpoint is not None}
    if not frame.size:
        outcome.not_applicable = "no direction is sealed"
        return
    codes, families = frame.texts("family")
    states = study.state_of("residual")
    matrix = action_matrix(frame, "direction", study.actions)
    _whole_directions(study, outcome, matrix)
    for code, family in enumerate(families):
        rows = np.flatnonzero(codes == code)
        if family not in learned:
            outcome.inspected += len(rows)
            message = "No candidate of the bank has a learned direction of this family."
            outcome.rows(frame, rows, "/family", message, ", ".join(sorted(filter(None, learned))) or "none", family)
            continue
        _named_checkpoints(study, outcome, rows, learned[family])
        checkpoint = study.checkpoint_of(learned[family])
        replayed = None if checkpoint is None else checkpoint.direction(study)
        if replayed is None:
            # Taken as sealed: bank.checkpoints says so.
            outcome.inspected += len(rows)
            continue
        rows = rows[(states[rows] >= 0) & ~matrix.unknown[rows]]
        message = "The sealed direction is not what the weights give on the observation."
        compare_matrix(
            study, outcome, "residual", rows, "direction", replayed[states[rows]], matrix.values[rows], message
        )


def _whole_directions(study: Study, outcome: Outcome, matrix: ActionMatrix) -> None:
    """Every sealed direction belongs to an observed state, and names every action and no other."""
    frame = study.frame("residual")
    unseen = frame.lookup("state", study.states) < 0
    outcome.rows(frame, unseen, "/state", "No observation has this state.", "an observation")

    def named(row: int) -> str:
        return ", ".join(dict(frame.column("direction")[row].as_py()))

    other = matrix.unknown | ~matrix.named.all(axis=1)
    message = "The direction does not name exactly the declared actions."
    outcome.rows(frame, other, "/direction", message, ", ".join(study.actions), named)


def _named_checkpoints(study: Study, outcome: Outcome, rows: Index, one: Candidate) -> None:
    """A direction that names a checkpoint names that of its family's candidates."""
    frame = study.frame("residual")
    digests, texts = frame.texts("checkpoint_sha256")
    due = texts.index(one.checkpoint) if one.checkpoint in texts else -2
    message = "The direction names another checkpoint than the candidates of its family."
    outcome.rows(
        frame, rows[(digests[rows] >= 0) & (digests[rows] != due)], "/checkpoint_sha256", message, one.checkpoint
    )


@check("replay.zero-scale", "traces")
def zero_scale(study: Study, outcome: Outcome) -> None:
    zeros = [
        index
        for index, one in enumerate(study.candidates)
        if one.policy == "tilt" and one.scale is not None and exact(one.scale) == 0
    ]
    if study.candidates and not zeros:
        outcome.not_applicable = "no candidate has scale zero"
        return
    frame = study.frame("trace")
    values = study.probabilities.values
    for index in zeros:
        rows = study.traces_of(index)
        base = study.anchor_traces[study.trace_state[rows]]
        rows, base = rows[base >= 0], base[base >= 0]
        outcome.inspected += len(rows)
        differs = values[rows].view(np.int64) != values[base].view(np.int64)
        for column in np.flatnonzero(differs.any(axis=0)).tolist():
            due, found = (values[some[differs[:, column]], column] for some in (base, rows))
            pointer = f"/probabilities/{study.actions[column]}"
            message = "A candidate of scale zero is not the stored anchor, bit for bit."
            outcome.rows(frame, rows[differs[:, column]], pointer, message, due, found)
