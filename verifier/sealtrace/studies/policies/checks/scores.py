"""Reported scores against what distributions and action values give."""

from __future__ import annotations

import numpy as np

from sealtrace.bundle.encoding import distinct
from sealtrace.bundle.frames import Index, Mask, Vector, action_matrix
from sealtrace.checks.outcome import Outcome, text
from sealtrace.checks.registry import check, lacking
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.replaying import replay_of
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import thresholds
from sealtrace.studies.policies.mathematics.scores import aggregate

REPLAY_ROUNDING = 1e-12
"""How far a replayed delta may lie from the true one, relative to the action values."""


def _joined(study: Study, outcome: Outcome, recomputed: Vector) -> tuple[Index, Index]:
    """Places of numbers that are recomputed and have a reported score, and the rows of those; what is left out is
    said."""
    reported = study.joined.score[study.scored.rows]
    places = np.flatnonzero((reported >= 0) & ~np.isnan(recomputed))
    outcome.inspected = max(outcome.inspected, len(places))
    if left := int(study.joined.to_be_scored.sum()) - len(places):
        outcome.missing = f"{left} traces cannot be scored, or have no single score"
    return places, reported[places]


@check("score.trace-digest", "scores")
def trace_digest(study: Study, outcome: Outcome) -> None:
    traces, scores = study.frame("trace"), study.frame("score")
    rows = np.flatnonzero(study.joined.score >= 0)
    outcome.inspected = len(rows)
    if left := int((study.joined.to_be_scored & (study.joined.score < 0)).sum()):
        outcome.missing = f"{left} traces have no single score"
    codes, texts = scores.texts("trace_sha256")
    digests = [study.bundle.contents.get(path) for path in traces.paths]
    if None in digests:
        outcome.missing = "a trace file could not be read whole"
        return
    due = np.array([texts.index(digest) if digest in texts else -1 for digest in digests])
    files = traces.file_of()[rows]
    reported = study.joined.score[rows]
    wrong = codes[reported] != due[files]
    expected = [digests[file] for file in files[wrong]]
    outcome.rows(scores, reported[wrong], "/trace_sha256", "The score was made for another trace table.", expected)


@check("score.utility", "scores")
def utility(study: Study, outcome: Outcome) -> None:
    frame = study.frame("score")
    names = [study.declared.evaluators.utility, study.declared.evaluators.risk]
    by_name = action_matrix(frame, "expected", sorted(set(names)))
    roles = (("weak", "utility", study.scored.weak), ("strong", "risk", study.scored.strong))
    for name, (field, role, replayed) in zip(names, roles, strict=True):
        places, rows = _joined(study, outcome, replayed)
        states = study.joined.state[study.scored.rows[places]]
        column = sorted(set(names)).index(name)
        own = np.where(by_name.named[:, column], by_name.values[:, column], np.nan)
        stored = np.where(np.isnan(frame.numbers(field)), own, frame.numbers(field))
        told = ~np.isnan(stored[rows])
        expected, message = f"a number as {field}, or under {name}", "The score leaves out what an evaluator expects."
        outcome.rows(frame, rows[~told], f"/expected/{name}", message, expected, "nothing")
        pointer = f"/{field}" if frame.column("expected").null_count else f"/expected/{name}"
        message = "The utility is not the distribution's mean of the action values."
        size = study.states.magnitude(role)[states]
        numbers = replayed[places][told], stored[rows[told]]
        outcome.compare(frame, rows[told], pointer, *numbers, study.tolerance, message, size[told])


@check("score.delta", "scores")
def delta(study: Study, outcome: Outcome) -> None:
    frame = study.frame("score")
    places, rows = _joined(study, outcome, study.scored.delta)
    numbers = study.scored.delta[places], frame.numbers("delta")[rows]
    message = "The delta is not the risk evaluator's expectation less that of the anchor at the same state."
    size = study.states.magnitude("risk")[study.joined.state[study.scored.rows[places]]]
    outcome.compare(frame, rows, "/delta", *numbers, study.tolerance, message, size)


@check("threshold.stored", "scores")
def stored_threshold(study: Study, outcome: Outcome) -> None:
    frame = study.frame("score")
    outcome.inspected = frame.size
    deltas, reported = frame.numbers("delta"), frame.flags("crossing")
    bound = -exact(study.declared.tau)
    crossed = thresholds.below(deltas, bound)
    tau, wrong = study.declared.tau, np.flatnonzero(crossed != reported)
    message = f"The stored crossing does not follow from the stored delta: a delta below -{tau} is one."
    outcome.rows(frame, wrong, "/crossing", message, _answers(crossed[wrong], deltas[wrong]), reported[wrong])
    differ = np.flatnonzero(thresholds.read_differently(deltas, bound))
    nearest = f"The delta is the double nearest to -{tau}"
    message = f"{nearest}: read exactly it is a crossing, compared with that double it is not."
    said = [f"crossing {text(answer)}" for answer in crossed[differ]]
    outcome.rows(frame, differ, "/delta", message, said, deltas[differ], severity="warning")


def _answers(crossed: Mask, deltas: Vector) -> list[str]:
    return [f"{text(answer)} (delta {text(delta)})" for answer, delta in zip(crossed, deltas, strict=True)]


@check("threshold.recomputed", "scores")
def recomputed_threshold(study: Study, outcome: Outcome) -> None:
    frame = study.frame("score")
    places, rows = _joined(study, outcome, study.scored.delta)
    reported = frame.flags("crossing")[rows]
    crossed, deltas = study.scored.crossed[places], study.scored.delta[places]
    wrong = crossed != reported
    message = f"The records give another answer to whether the delta is below -{study.declared.tau}."
    outcome.rows(frame, rows[wrong], "/crossing", message, _answers(crossed[wrong], deltas[wrong]), reported[wrong])
    _replayed_crossings(study, outcome)


def _replayed_crossings(study: Study, outcome: Outcome) -> None:
    """A stored distribution may differ from its replay by the tolerance, but not in what it decides."""
    anchor = None if study.bank.anchor is None else replay_of(study.states, study.bank.anchor)
    if anchor is None:
        return
    scored, tau, stored = study.scored, exact(study.declared.tau), study.joined.probabilities.values
    risk, size = study.states.evaluator(study.declared.evaluators.risk), study.states.magnitude("risk")
    every = study.joined.state[scored.rows]
    # Only so near to the threshold can a difference within the tolerance decide anything.
    reach = 4 * len(study.actions) * study.tolerance * size[every]
    close = np.flatnonzero(np.abs(scored.delta + as_double(tau)) <= reach)
    for index in sorted(set(study.joined.candidate[scored.rows[close]].tolist())):
        # A query policy has no one replay: it is the prior, or the anchor where a query was accepted.
        if study.candidates[index].policy == "query" or (replay := replay_of(study.states, index)) is None:
            continue
        places = close[study.joined.candidate[scored.rows[close]] == index]
        rows, states = scored.rows[places], every[places]
        policy, base = replay.probabilities[states], anchor.probabilities[states]
        delta, _ = thresholds.expected_difference(policy, base, risk[states])
        apart = np.abs(np.c_[policy - stored[rows], base - stored[study.joined.anchors[states]]]).max(axis=1)
        # What is farther off, the replay's own check reports; what a replay's rounding may decide, nobody can.
        sure = (apart <= study.tolerance) & (np.abs(delta + float(tau)) > REPLAY_ROUNDING * (float(tau) + size[states]))
        wrong = sure & (thresholds.below(delta, -tau) != scored.crossed[places])
        message = f"Within the tolerance of its replay, the distribution gives another answer at -{study.declared.tau}."
        expected = [f"delta {text(value)}, as replayed" for value in delta[wrong]]
        found = [f"delta {text(value)}, as stored" for value in scored.delta[places[wrong]]]
        outcome.rows(study.frame("trace"), rows[wrong], "/probabilities", message, expected, found)


@check("aggregate.summary", "summaries", unless=lacking("summary", "the bundle retains no policy summary"))
def summary(study: Study, outcome: Outcome) -> None:
    frame = study.frame("summary")
    candidates = study.bank.candidate_of(study.frame("summary"))
    populations, names = frame.texts("population")
    scored = study.scored
    splits, split_names = study.frame("observation").texts("split")
    of_row = study.joined.candidate[scored.rows]
    split_of_row = splits[study.joined.state[scored.rows]]
    for row in range(frame.size):
        population = names[populations[row]]
        inside, within = of_row == candidates[row], np.ones(len(splits), np.bool_)
        if population in split_names:
            inside &= split_of_row == split_names.index(population)
            within = splits == split_names.index(population)
        if candidates[row] >= 0 and (reason := _unscored(study, int(candidates[row]), inside, within)) is not None:
            outcome.missing = reason
            continue
        outcome.inspected += 1
        if candidates[row] < 0 or (population not in split_names and population != "all") or not inside.any():
            message = "Nothing was traced for this policy and population."
            outcome.on(frame, row).error("/population", message, f"all or one of {', '.join(split_names)}", population)
            continue
        # What an evaluator without values would give is not compared.
        lost = {name: bool(np.isnan(getattr(scored, name)[inside]).any()) for name in ("weak", "strong")}
        if any(lost.values()):
            outcome.missing = f"{study.candidates[candidates[row]].name} is not scored exactly once at every state"
        weak, strong, delta = (np.nan_to_num(one[inside]) for one in (scored.weak, scored.strong, scored.delta))
        result = aggregate(weak, strong, delta, scored.crossed[inside])
        place = np.array([row])
        # A mean of differences is no more exact than what was subtracted.
        size = {name: float(np.abs(getattr(scored, name)[inside]).max()) for name in ("weak", "strong")}
        message = "The summary is not the aggregate of its states."
        for field in ("weak", "strong", "delta", "delta_min", "delta_max"):
            if lost["weak" if field == "weak" else "strong"]:
                continue
            numbers = np.array([getattr(result, field)]), frame.numbers(field)[place]
            scale = size["weak" if field == "weak" else "strong"]
            outcome.compare(frame, place, f"/{field}", *numbers, study.tolerance, message, scale)
        message = "The count is not that of the records."
        for field in ("states",) if lost["strong"] else ("states", "crossings"):
            found = int(frame.table.column(field)[row].as_py())
            outcome.on(frame, row).expect(f"/{field}", message, getattr(result, field), found)


def _unscored(study: Study, candidate: int, inside: Mask, within: Mask) -> str | None:
    """Why an aggregate of a candidate over some states cannot be formed; None where each of them is scored once."""
    if (reason := study.joined.untraced([candidate], within)) is not None:
        return reason
    due = study.joined.to_be_scored & (study.joined.candidate == candidate)
    states, scored = study.joined.state[due], study.joined.state[study.scored.rows[inside]]
    if len(distinct(scored)) < len(scored) or len(scored) < int(within[states[states >= 0]].sum()):
        return f"{study.candidates[candidate].name} is not scored exactly once at every state"
    return None
