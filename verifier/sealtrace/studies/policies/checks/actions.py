"""Legal actions, their order, the probabilities on them, and the action that was stored."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sealtrace.bundle.frames import ActionMatrix, Frame, Mask, action_matrix, some_rows
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import policies


@check("action.legal-set", "states")
def legal_set(study: Study, outcome: Outcome) -> None:
    frame, legal = study.frame("observation"), study.legal
    outcome.inspected = frame.size
    listed = frame.column("legal")
    for rows, message, expected in (
        (~legal.named.any(axis=1) & ~legal.unknown, "The state has no legal action.", "at least one action"),
        (legal.unknown, "A legal action is not one of the declared actions.", ", ".join(study.actions)),
        (legal.repeated, "a legal action is listed twice", "each action once"),
    ):
        outcome.rows(frame, rows, "/legal", message, expected, lambda row: ", ".join(listed[row].as_py()) or "none")


@check("action.order", "rows")
def order(study: Study, outcome: Outcome) -> None:
    for kind in ("observation", "trace"):
        frame = study.frame(kind)
        outcome.inspected += frame.size
        lists = study.legal if kind == "observation" else study.trace_legal
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
    teacher, trace, values = study.frame("teacher"), study.frame("trace"), study.frame("values")
    _same_names(study, outcome, teacher, "distribution")
    _same_names(study, outcome, teacher, "values")
    _report(
        study, outcome, trace, "legal", study.trace_legal.named, study.trace_legal.unknown | study.trace_legal.repeated
    )
    _same_names(study, outcome, values, "values")


def _same_names(study: Study, outcome: Outcome, frame: Frame, field: str) -> None:
    matrix = action_matrix(frame, field, study.actions)
    _report(study, outcome, frame, field, matrix.named, matrix.unknown)


def _report(study: Study, outcome: Outcome, frame: Frame, field: str, named: Mask, unknown: Mask) -> None:
    column = frame.table.column(field)
    states = study.state_of(frame.kind)
    rows = np.flatnonzero((states >= 0) & column.is_valid().to_numpy())
    # A state without a usable legal set has nothing to compare with; action.legal-set reports it.
    rows = rows[study.playable[states[rows]]]
    outcome.inspected += len(rows)
    legal = some_rows(study.legal.named, states[rows])
    wrong = rows[unknown[rows] | (some_rows(named, rows) != legal).any(axis=1)]

    def names(mask: Mask) -> str:
        return ", ".join(action for action, there in zip(study.actions, mask, strict=True) if there) or "none"

    def found(row: int) -> str:
        value = column[row].as_py()
        return ", ".join(item if isinstance(item, str) else item[0] for item in value) or "none"

    message = "The actions are not the observation's legal actions."
    outcome.rows(frame, wrong, f"/{field}", message, lambda row: names(study.legal.named[states[row]]), found)


@check("action.chosen", "traces")
def chosen(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    rows = np.flatnonzero(study.trace_state >= 0)
    rows = rows[study.playable[study.trace_state[rows]]]
    outcome.inspected = len(rows)
    legal = study.legal.named[study.trace_state[rows]]
    best = policies.top_action(study.probabilities.values[rows], legal)
    wrong = frame.lookup("action", pa.array(study.actions))[rows] != best
    message = "The stored action is not the legal action of largest probability."
    outcome.rows(frame, rows[wrong], "/action", message, [study.actions[place] for place in best[wrong]])


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
        column = frame.column(field)
        states = study.state_of(frame.kind)
        rows = np.flatnonzero(states >= 0)
        rows = rows[study.playable[states[rows]]]
        outcome.inspected += len(rows)
        legal, values = some_rows(study.legal.named, states[rows]), some_rows(matrix.values, rows)
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

        def names(row: int) -> str:
            return ", ".join(name for name, _ in column[row].as_py())

        message = "Probability on an action that nobody declared."
        outcome.rows(frame, matrix.unknown, f"/{field}", message, ", ".join(study.actions), names)


@check("probability.normalized", "distributions")
def normalized(study: Study, outcome: Outcome) -> None:
    for frame, field, matrix in _distributions(study):
        rows = np.flatnonzero(~matrix.unknown)
        outcome.inspected += len(rows)
        with np.errstate(invalid="ignore", over="ignore"):
            sums = matrix.values.sum(axis=1)[rows]
        outcome.normalized(frame, rows, f"/{field}", sums, study.declared.tolerances.normalization)
