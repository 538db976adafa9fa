"""The query gate: what it asked, what its budget allowed, and the policy that came of it."""

from __future__ import annotations

import numpy as np

from sealtrace.bundle.arrays import arrow_integers, distinct
from sealtrace.bundle.frames import Index, Mask, Vector
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.studies.policies.checks.replay import compare_matrix, replay_of
from sealtrace.studies.policies.evidence.calibration import UndeclaredError
from sealtrace.studies.policies.evidence.gate import CLOSE, gate_requests
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import policies
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
    outcome.rows(
        frame,
        present & ~gated & (study.trace_candidate >= 0),
        "/query",
        "A policy without a gate has a query record.",
        "nothing",
        "a query record",
    )
    for index in indices:
        if replay_of(study, index) is None:
            outcome.missing = "the protocol declares no prior or no gate"
            return
        rows = study.traces_of(index)
        outcome.inspected += len(rows)
        outcome.rows(
            frame, rows[~present[rows]], "/query", "The policy's query record is missing.", "a query record", "nothing"
        )
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
        outcome.compare(
            frame,
            rows,
            "/query/score",
            scores_by_state[states],
            score[rows],
            study.tolerance,
            "The gate's score is not what the prior and the features give.",
            1.0,
        )
        wrong = rows[requested[rows] != asks[states]]
        outcome.rows(
            frame,
            wrong,
            "/query/requested",
            "The prior and the features give another decision of the gate.",
            lambda row: bool(asks[study.trace_state[row]]),
            lambda row: bool(requested[row]),
        )
        gate = study.declared.gate(study.candidates[index].arm)
        allowed, sure = _allowed(study, gate, states, asks, scores_by_state)
        if not sure:
            outcome.missing = "scores at the end of the budget cannot be told apart"
            continue
        verdicts = dict(zip(rows.tolist(), allowed.tolist(), strict=True))
        outcome.rows(
            frame,
            rows[accepted[rows] != allowed],
            "/query/accepted",
            "The declared budget gives another decision on this query.",
            lambda row: verdicts[row],
            lambda row: bool(accepted[row]),
        )


def _allowed(study: Study, gate: QueryRule | None, states: Index, asks: Mask, scores: Vector) -> tuple[Mask, bool]:
    """Which requests the budget accepts, the first ones of each split as declared, and whether that is sure."""
    budget = None if gate is None else gate.budget
    by_score = gate is not None and gate.first == "score" and budget is not None
    sure = True
    splits, _ = study.frame("observation").texts("split")
    identifiers = np.array(study.states.take(arrow_integers(states)).to_pylist(), dtype=object)
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
        compare_matrix(
            study,
            outcome,
            "trace",
            rows,
            "probabilities",
            replayed,
            study.probabilities.values[rows],
            "the distribution is neither the accepted anchor nor the prior it must be",
        )
