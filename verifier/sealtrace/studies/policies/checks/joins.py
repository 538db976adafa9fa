"""Records join in the declared multiplicity."""

from __future__ import annotations

import numpy as np

from sealtrace.bundle.arrays import distinct
from sealtrace.bundle.frames import Mask
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.studies.policies.evidence.study import Study


@check("join.teacher", "states")
def teacher(study: Study, outcome: Outcome) -> None:
    frame = study.frame("teacher")
    if not frame.size and not any(study.declared.shows_teacher(one.interface) for one in study.candidates):
        outcome.not_applicable = "no policy uses a teacher"
        return
    observations = study.frame("observation")
    outcome.inspected = observations.size
    places = study.state_of("teacher")
    outcome.rows(frame, places < 0, "/state", "No single observation has this state.", "one observation")
    taught = np.zeros(observations.size, np.bool_)
    taught[places[places >= 0]] = True
    outcome.rows(observations, ~taught, "/state", "The state has no teacher record.", "one teacher record", "none")


@check("join.trace", "traces")
def trace(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    observations = study.frame("observation")
    outcome.inspected = frame.size
    states, candidates = study.trace_state, study.trace_candidate
    outcome.rows(frame, states < 0, "/state", "No single observation has this state.", "one observation")
    outcome.rows(
        frame,
        candidates < 0,
        "/arm",
        "No single candidate of the bank has this arm and scale.",
        "one candidate",
        lambda row: f"{frame.text('arm', row)}@{frame.text('scale', row)}",
    )
    # A split is traced for a candidate wholly or not at all.
    known = (states >= 0) & (candidates >= 0)
    study.room("candidates x states", len(study.candidates), observations.size, width=1)
    present = np.zeros((len(study.candidates), observations.size), np.bool_)
    present[candidates[known], states[known]] = True
    splits, names = observations.texts("split")
    for split in distinct(splits).tolist():
        members = np.flatnonzero(splits == split)
        traced = present[:, members]
        if not traced.any():
            if study.roles.get(names[split]) in ("calibration", "held-out"):
                outcome.missing = f"{names[split]} was not traced"
            continue
        for index, one in enumerate(study.candidates):
            if one.splits is not None and names[split] not in one.splits:
                beyond = np.flatnonzero(known & (candidates == index) & np.isin(states, members))
                outcome.rows(
                    frame,
                    beyond,
                    "/split",
                    f"The candidate {one.name} is not declared to be traced on this split.",
                    ", ".join(one.splits or []),
                )
                continue
            absent = members[~traced[index]]
            outcome.rows(
                observations,
                absent,
                "/state",
                f"The candidate {one.name} has no trace at this state.",
                f"one trace of {one.name}",
                "none",
            )


def _scored(study: Study) -> Mask:
    """Traces that are scored: those of training records are not."""
    codes, names = study.frame("trace").texts("split")
    training = [code for code, name in enumerate(names) if study.roles.get(name) == "training"]
    return ~np.isin(codes, training)


@check("join.values", "states")
def values(study: Study, outcome: Outcome) -> None:
    frame = study.frame("values")
    places = study.state_of("values")
    outcome.rows(frame, places < 0, "/state", "No single observation has this state.", "one observation")
    observations = study.frame("observation")
    traced = distinct(study.trace_state[(study.trace_state >= 0) & _scored(study)])
    outcome.inspected = len(traced)
    codes, texts = frame.texts("evaluator")
    evaluators = study.declared.evaluators
    for evaluator in sorted({evaluators.utility, evaluators.risk}):
        rows = np.flatnonzero(codes == texts.index(evaluator)) if evaluator in texts else np.zeros(0, np.int64)
        absent = traced[study.by_state("values", rows)[traced] < 0]
        outcome.rows(
            observations,
            absent,
            "/state",
            f"The state has no single record of {evaluator} action values.",
            f"one {evaluator} record",
            "none",
        )


@check("join.score", "traces")
def score(study: Study, outcome: Outcome) -> None:
    traces, scores = study.frame("trace"), study.frame("score")
    outcome.inspected = traces.size
    joined = study.score_of_trace
    outcome.rows(traces, (joined == -1) & _scored(study), "/state", "The trace has no score.", "one score", "none")
    unscored = np.ones(scores.size, np.bool_)
    unscored[joined[joined >= 0]] = False
    unscored[[row for pair in scores.repeats.items() for row in pair]] = False
    outcome.rows(scores, unscored, "/state", "The score has no trace.", "one trace", "none")
