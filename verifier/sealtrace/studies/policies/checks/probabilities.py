"""Distributions are distributions, on legal actions only."""

from __future__ import annotations

import numpy as np

from sealtrace.bundle.action_columns import ActionMatrix, action_matrix
from sealtrace.bundle.frames import Frame
from sealtrace.checks.outcome import USUAL_TOLERANCE, Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.study import Study


def _distributions(study: Study) -> list[tuple[Frame, str, ActionMatrix]]:
    teacher, trace = study.frame("teacher"), study.frame("trace")
    return [
        (teacher, "distribution", action_matrix(teacher, "distribution", study.actions)),
        (trace, "probabilities", study.probabilities),
    ]


@check("probability.support", "distributions")
def support(study: Study, outcome: Outcome) -> None:
    if not study.frame("observation").size:
        return
    for frame, field, matrix in _distributions(study):
        states = study.state_of(frame.kind)
        rows = np.flatnonzero(states >= 0)
        rows = rows[study.playable[states[rows]]]
        outcome.inspected += len(rows)
        legal = study.legal.named[states[rows]]
        # An illegal action may be named with probability zero; a legal one may not be left out.
        stray = (matrix.values[rows] != 0) & ~legal
        absent = legal & ~matrix.named[rows]
        with np.errstate(invalid="ignore"):
            negative = ~(np.isfinite(matrix.values[rows]) & (matrix.values[rows] >= 0))
        for bad, message, expected in (
            (stray, "An action that is not legal has a probability.", "0"),
            (absent, "A legal action has no probability.", "a probability"),
            (
                negative & legal,
                "The probability is negative or not finite.",
                "a finite number of at least 0",
            ),
        ):
            for action in np.flatnonzero(bad.any(axis=0)).tolist():
                outcome.rows(
                    frame,
                    rows[bad[:, action]],
                    f"/{field}/{study.actions[action]}",
                    message,
                    expected,
                    lambda row: float(matrix.values[row, action]) if matrix.named[row, action] else "nothing",
                )
        outcome.rows(
            frame,
            matrix.unknown,
            f"/{field}",
            "Probability on an action that nobody declared.",
            ", ".join(study.actions),
            lambda row: ", ".join(name for name, _ in frame.column(field)[row].as_py()),
        )


@check("probability.normalized", "distributions")
def normalized(study: Study, outcome: Outcome) -> None:
    declared = study.declared.tolerances.normalization
    tolerance = as_double(exact(declared))
    for frame, field, matrix in _distributions(study):
        rows = np.flatnonzero(~matrix.unknown)
        outcome.inspected += len(rows)
        with np.errstate(invalid="ignore", over="ignore"):
            sums = matrix.values.sum(axis=1)
            distance = np.abs(sums[rows] - 1.0)
        outcome.rows(
            frame,
            rows[~(distance <= tolerance)],
            f"/{field}",
            "The probabilities do not sum to one.",
            f"1 within {declared}",
            lambda row: float(sums[row]),
        )
        if tolerance > USUAL_TOLERANCE and len(eased := rows[(distance > USUAL_TOLERANCE) & (distance <= tolerance)]):
            outcome.on(frame, int(eased[0])).warning(
                f"/{field}",
                f"{len(eased)} sums pass only by the declared tolerance: at {USUAL_TOLERANCE:g} they would be wrong.",
                1.0,
                float(sums[eased[0]]),
            )
        if len(rows):
            worst = int(np.where(np.isfinite(distance), distance, -1.0).argmax())
            if np.isfinite(distance[worst]):
                outcome.difference(float(distance[worst]), frame, int(rows[worst]), f"/{field}")
