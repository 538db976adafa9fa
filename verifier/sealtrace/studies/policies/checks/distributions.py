"""Distributions: on legal actions only, summing to one, and replayed from what each policy was allowed to see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import compress

import numpy as np
import pyarrow as pa

from sealtrace.bundle.frames import ActionMatrix, Frame, Index, Mask, Matrix, action_matrix, some_rows
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.bank import BankCandidate
from sealtrace.studies.policies.evidence.replaying import replay_of, smoothed_teacher
from sealtrace.studies.policies.evidence.states import network_outputs
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import policies, scores
from sealtrace.studies.policies.mathematics.over_actions import total


def _playable(study: Study, kind: str) -> tuple[Index, Index]:
    """Rows of a kind whose state is certain and has a usable legal set, and those states."""
    states = study.joined.state_of(kind)
    rows = np.flatnonzero(states >= 0)
    # action.legal-set reports the others.
    rows = rows[study.states.playable[states[rows]]]
    return rows, states[rows]


def _names_in(frame: Frame, field: str) -> Callable[[int], str]:
    """The actions that a row names in a list, or as the keys of a map."""
    column = frame.column(field)
    return lambda row: ", ".join(item if isinstance(item, str) else item[0] for item in column[row].as_py()) or "none"


# Legal actions


@check("action.legal-set", "states")
def legal_set(study: Study, outcome: Outcome) -> None:
    frame, legal = study.frame("observation"), study.states.legal
    outcome.inspected = frame.size
    for rows, message, expected in (
        (~legal.named.any(axis=1) & ~legal.unknown, "The state has no legal action.", "at least one action"),
        (legal.unknown, "A legal action is not one of the declared actions.", ", ".join(study.actions)),
        (legal.repeated, "A legal action is listed twice.", "each action once"),
    ):
        outcome.rows(frame, rows, "/legal", message, expected)


@check("action.order", "rows")
def order(study: Study, outcome: Outcome) -> None:
    for kind, lists in (("observation", study.states.legal), ("trace", study.joined.legal)):
        frame = study.frame(kind)
        outcome.inspected += frame.size
        listed = frame.column("legal")

        def in_order(row: int) -> str:
            return ", ".join(action for action in study.actions if action in listed[row].as_py())

        outcome.rows(frame, ~lists.ordered, "/legal", "The actions are not in the protocol's order.", in_order)
    # Of observations action.legal-set says so.
    outcome.rows(frame, lists.repeated, "/legal", "A legal action is listed twice.", "each action once")


@check("action.vocabulary", "rows")
def vocabulary(study: Study, outcome: Outcome) -> None:
    if not study.frame("observation").size:
        return
    for kind, field in (("teacher", "distribution"), ("teacher", "values"), ("trace", "legal"), ("values", "values")):
        frame = study.frame(kind)
        if field == "legal":
            named, unknown = study.joined.legal.named, study.joined.legal.unknown | study.joined.legal.repeated
        else:
            matrix = action_matrix(frame, field, study.actions)
            named, unknown = matrix.named, matrix.unknown
        rows, states = _playable(study, kind)
        there = frame.table.column(field).is_valid().to_numpy()[rows]
        rows, states = rows[there], states[there]
        outcome.inspected += len(rows)
        wrong = unknown[rows] | (some_rows(named, rows) != some_rows(study.states.legal.named, states)).any(axis=1)
        state_of = study.joined.state_of(kind)

        def legal(row: int) -> str:
            return ", ".join(compress(study.actions, study.states.legal.named[state_of[row]])) or "none"

        message = "The actions are not the observation's legal actions."
        outcome.rows(frame, rows[wrong], f"/{field}", message, legal, _names_in(frame, field))


@check("action.chosen", "traces")
def chosen(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    rows, states = _playable(study, "trace")
    outcome.inspected = len(rows)
    best = policies.top_action(study.joined.probabilities.values[rows], study.states.legal.named[states])
    wrong = frame.lookup("action", pa.array(study.actions))[rows] != best
    message = "The stored action is not the legal action of largest probability."
    outcome.rows(frame, rows[wrong], "/action", message, [study.actions[place] for place in best[wrong]])


# Probabilities


def _distributions(study: Study) -> list[tuple[Frame, str, ActionMatrix]]:
    teacher, trace = study.frame("teacher"), study.frame("trace")
    return [
        (teacher, "distribution", action_matrix(teacher, "distribution", study.actions)),
        (trace, "probabilities", study.joined.probabilities),
    ]


@check("probability.support", "distributions")
def support(study: Study, outcome: Outcome) -> None:
    if not study.frame("observation").size:
        return
    for frame, field, matrix in _distributions(study):
        rows, states = _playable(study, frame.kind)
        outcome.inspected += len(rows)
        legal, values = some_rows(study.states.legal.named, states), some_rows(matrix.values, rows)
        # An illegal action may be named with probability zero; a legal one may not be left out.
        stray = (values != 0) & ~legal
        absent = legal & ~some_rows(matrix.named, rows)
        with np.errstate(invalid="ignore"):
            negative = ~(np.isfinite(values) & (values >= 0))
        for bad, message, expected in (
            (stray, "An action that is not legal has a probability.", "0"),
            (absent, "A legal action has no probability.", "a probability"),
            (negative & legal, "The probability is negative or not finite.", "a finite number of at least 0"),
        ):
            for action in np.flatnonzero(bad.any(axis=0)).tolist():
                wrong, pointer = rows[bad[:, action]], f"/{field}/{study.actions[action]}"
                named, values = matrix.named[wrong, action], matrix.values[wrong, action]
                found = [value if there else "nothing" for value, there in zip(values, named, strict=True)]
                outcome.rows(frame, wrong, pointer, message, expected, found)
        message, expected = "Probability on an action that nobody declared.", ", ".join(study.actions)
        outcome.rows(frame, matrix.unknown, f"/{field}", message, expected, _names_in(frame, field))


@check("probability.normalized", "distributions")
def normalized(study: Study, outcome: Outcome) -> None:
    for frame, field, matrix in _distributions(study):
        rows = np.flatnonzero(~matrix.unknown)
        outcome.inspected += len(rows)
        with np.errstate(invalid="ignore", over="ignore"):
            sums = total(matrix.values.T)[rows]
        outcome.normalized(frame, rows, f"/{field}", sums, study.declared.tolerances.normalization)


# Replay


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
    stored = study.joined.probabilities.values[rows]
    compare_matrix(study, outcome, "trace", rows, "probabilities", replayed, stored, message)


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
    rows, states = _playable(study, "teacher")
    rows, states = rows[valued[rows]], states[valued[rows]]
    values = action_matrix(frame, "values", study.actions)
    named = (some_rows(values.named, rows) | ~some_rows(study.states.legal.named, states)).all(
        axis=1
    ) & ~values.unknown[rows]
    rows, legal = rows[named], some_rows(study.states.legal.named, states[named])
    given, stored = (
        some_rows(matrix.values, rows) for matrix in (values, action_matrix(frame, "distribution", study.actions))
    )
    # An action after the other in memory, as they are compared.
    replayed = np.empty(stored.T.shape).T
    for block in _blocks(len(rows)):
        weights = policies.teacher_weights(given[block], legal[block], as_double(exact(rule.temperature)))
        replayed[block] = policies.normalized(weights)
    message = "The distribution is not the softmax of the action values."
    compare_matrix(study, outcome, "teacher", rows, "distribution", replayed, stored, message)


def _blocks(count: int) -> Iterator[slice]:
    """Rows in batches that keep what is computed from them small."""
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
    rows, _ = _playable(study, "teacher")
    rows = rows[valued[rows]]
    outcome.inspected = len(rows)
    values, distribution = (
        some_rows(action_matrix(frame, field, study.actions).values, rows) for field in ("values", "distribution")
    )
    replayed, size = np.empty(len(rows)), np.empty(len(rows))
    for block in _blocks(len(rows)):
        replayed[block] = scores.expected_utility(distribution[block], values[block])
        size[block] = np.abs(values[block]).max(axis=1, initial=0.0)
    message = "The state value is not the mean of the action values."
    outcome.compare(frame, rows, "/value", replayed, reported[rows], study.tolerance, message, size)


@check("replay.normalizer", "normalizers")
def normalizer(study: Study, outcome: Outcome) -> None:
    replays = [replay_of(study.states, place) for place in range(len(study.candidates))]
    if replays and all(replay is not None and replay.normalizers is None for replay in replays):
        outcome.not_applicable = "no policy of the bank is normalized"
        return
    for candidate, replay in zip(study.candidates, replays, strict=True):
        if replay is None or replay.normalizers is None:
            continue
        known = study.states.playable
        if candidate.policy == "tilt":
            known = known & np.isfinite(smoothed_teacher(study.states)).all(axis=1)
        values = replay.normalizers[known]
        outcome.inspected += len(values)
        bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
        if len(bad):
            state = study.states.ids[int(np.flatnonzero(known)[bad[0]])].as_py()
            message = f"The normalizer is not finite and positive at {len(bad)} states, first at {state}."
            at = outcome.on(study.frame("candidate"), candidate.row)
            at.error("/scale", message, "a finite positive normalizer", float(values[bad[0]]))


def _replay_policy(study: Study, outcome: Outcome, policy: str, message: str) -> None:
    """Compares the traces of every candidate of a policy with their replay."""
    places = [place for place, candidate in enumerate(study.candidates) if candidate.policy == policy]
    if study.candidates and not places:
        outcome.not_applicable = f"the bank has no {policy} policy"
    for place in places:
        replay = replay_of(study.states, place)
        if replay is None:
            outcome.missing = f"{study.candidates[place].name} does not declare what its policy needs"
            continue
        rows = study.joined.traces_of(place)
        compare_traces(study, outcome, rows, replay.probabilities[study.joined.state[rows]], message)
    outcome.missing = outcome.missing or study.joined.untraced(places)


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
    if not frame.size:
        outcome.not_applicable = "no direction is sealed"
        return
    learned = {
        candidate.family: candidate
        for candidate in study.candidates
        if candidate.direction is None and candidate.checkpoint_sha256 is not None
    }
    matrix = action_matrix(frame, "direction", study.actions)
    unseen = frame.lookup("state", study.states.ids) < 0
    outcome.rows(frame, unseen, "/state", "No observation has this state.", "an observation")
    other = matrix.unknown | ~matrix.named.all(axis=1)
    message = "The direction does not name exactly the declared actions."
    outcome.rows(frame, other, "/direction", message, ", ".join(study.actions), _names_in(frame, "direction"))
    states = study.joined.state_of("residual")
    for family in frame.texts("family")[1]:
        rows = np.flatnonzero(frame.says("family", family))
        if family not in learned:
            outcome.inspected += len(rows)
            message = "No candidate of the bank has a learned direction of this family."
            outcome.rows(frame, rows, "/family", message, ", ".join(sorted(filter(None, learned))) or "none", family)
            continue
        _named_checkpoints(study, outcome, rows, learned[family])
        checkpoint = study.bank.checkpoint_of(learned[family])
        replayed = None if checkpoint is None else network_outputs(study.states, checkpoint, "residual")
        if replayed is None:
            # Taken as sealed: bank.checkpoints says so.
            outcome.inspected += len(rows)
            continue
        rows = rows[(states[rows] >= 0) & ~matrix.unknown[rows]]
        message = "The sealed direction is not what the weights give on the observation."
        numbers = replayed[states[rows]], matrix.values[rows]
        compare_matrix(study, outcome, "residual", rows, "direction", *numbers, message)


def _named_checkpoints(study: Study, outcome: Outcome, rows: Index, candidate: BankCandidate) -> None:
    """A direction that names a checkpoint names that of its family's candidates."""
    frame, due = study.frame("residual"), candidate.checkpoint_sha256
    other: Mask = (frame.texts("checkpoint_sha256")[0] >= 0) & ~frame.says("checkpoint_sha256", due)
    message = "The direction names another checkpoint than the candidates of its family."
    outcome.rows(frame, rows[other[rows]], "/checkpoint_sha256", message, due)


@check("replay.zero-scale", "traces")
def zero_scale(study: Study, outcome: Outcome) -> None:
    zeros = [
        place
        for place, candidate in enumerate(study.candidates)
        if candidate.policy == "tilt" and candidate.exact_scale == 0
    ]
    if study.candidates and not zeros:
        outcome.not_applicable = "no candidate has scale zero"
    frame = study.frame("trace")
    values = study.joined.probabilities.values
    anchor = [] if study.bank.anchor is None else [study.bank.anchor]
    outcome.missing = study.joined.untraced([*zeros, *anchor]) if zeros else None
    for place in zeros:
        rows = study.joined.traces_of(place)
        base = study.joined.anchors[study.joined.state[rows]]
        rows, base = rows[base >= 0], base[base >= 0]
        outcome.inspected += len(rows)
        # As bits: zeros of two signs differ, and a NaN is what it is.
        differs = values[rows].view(np.int64) != values[base].view(np.int64)
        for column in np.flatnonzero(differs.any(axis=0)).tolist():
            due, found = (values[traces[differs[:, column]], column] for traces in (base, rows))
            pointer = f"/probabilities/{study.actions[column]}"
            message = "A candidate of scale zero is not the stored anchor, bit for bit."
            outcome.rows(frame, rows[differs[:, column]], pointer, message, due, found)
