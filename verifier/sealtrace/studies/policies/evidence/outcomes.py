"""What every policy reaches at every state: utilities, degradations and crossings under named evaluators.

Computed from stored distributions and action values; `score` records are not read.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from sealtrace.studies.policies.evidence.frame import Index, Mask, Matrix, Vector
from sealtrace.studies.policies.evidence.study import Study, as_double
from sealtrace.studies.policies.mathematics import fidelity, scores, thresholds


class UnscoredError(Exception):
    """A state that is asked for has no trace, no anchor or no action values."""


NEAR = 1e-9
"""Values nearer than this, relative to their size, are told apart in exact arithmetic."""


@dataclass(frozen=True)
class Outcome:
    """One candidate at every observed state; or several, one row each."""

    utility: Vector
    """NaN where there is no single trace or no action values."""
    delta: Vector
    crossed: Mask


class Outcomes:
    """Outcomes under one pair of evaluators and one threshold; each candidate is computed when first asked for."""

    def __init__(self, study: Study, utility: str, risk: str, tau: Fraction) -> None:
        self.study = study
        self._utility = study.evaluator(utility)
        self._risk = study.evaluator(risk)
        self._tau = tau
        self._known: dict[int, Outcome] = {}
        self._stacks: dict[tuple[int, ...], Outcome] = {}
        self._outside: dict[tuple[tuple[int, ...], Fraction, Fraction], Mask] = {}

    @cached_property
    def _usable(self) -> Mask:
        values = np.isfinite(self._utility).all(axis=1) & np.isfinite(self._risk).all(axis=1)
        return self.study.playable & (self.study.anchor_traces >= 0) & values

    def of(self, candidate: int) -> Outcome:
        """The outcome of a candidate."""
        if candidate not in self._known:
            self._known[candidate] = self._computed(candidate)
        return self._known[candidate]

    def _computed(self, candidate: int) -> Outcome:
        study = self.study
        rows = traces_by_state(study, candidate)
        matrix = study.probabilities
        states = np.flatnonzero(self._usable & (rows >= 0))
        states = states[~matrix.unknown[rows[states]]]
        policy = matrix.values[rows[states]]
        base = matrix.values[study.anchor_traces[states]]
        found = thresholds.crossings(policy, base, self._risk[states], self._tau)
        size = len(study.states)
        utility, delta = np.full(size, np.nan), np.full(size, np.nan)
        crossed = np.zeros(size, np.bool_)
        utility[states] = scores.expected_utility(policy, self._utility[states])
        delta[states], crossed[states] = found.delta, found.crossed
        return Outcome(utility, delta, crossed)

    def stacked(self, candidates: list[int]) -> Outcome:
        """The outcomes of several candidates, one row each."""
        key = tuple(candidates)
        if key not in self._stacks:
            found = [self.of(candidate) for candidate in candidates]
            self._stacks[key] = Outcome(
                np.array([one.utility for one in found]),
                np.array([one.delta for one in found]),
                np.array([one.crossed for one in found]),
            )
        return self._stacks[key]

    def outside(self, candidates: list[int], low: Fraction, high: Fraction) -> Mask:
        """Which utilities lie outside a range, decided exactly: one row per candidate, one column per state."""
        key = (tuple(candidates), low, high)
        if key not in self._outside:
            self._outside[key] = self._decided_outside(candidates, low, high)
        return self._outside[key]

    def _decided_outside(self, candidates: list[int], low: Fraction, high: Fraction) -> Mask:
        values = self.stacked(candidates).utility
        ends = as_double(low), as_double(high)
        size = max(1.0, abs(ends[0]), abs(ends[1]))
        beyond: Mask = (values < ends[0]) | (values > ends[1])
        unsure = (np.abs(values - ends[0]) <= NEAR * size) | (np.abs(values - ends[1]) <= NEAR * size)
        for row, state in np.argwhere(unsure).tolist():
            beyond[row, state] = not low <= self.exact_utility(candidates[row], np.array([state])) <= high
        return beyond

    def exact_utility(self, candidate: int, states: Index) -> Fraction:
        """The sum of utilities over states with nothing rounded."""
        rows = traces_by_state(self.study, candidate)
        policy = self.study.probabilities.values[rows[states]]
        return exact_sum(policy, self._utility[states])

    def exact_delta(self, candidate: int, states: Index) -> Fraction:
        """The sum of degradations over states with nothing rounded."""
        rows = traces_by_state(self.study, candidate)
        matrix = self.study.probabilities.values
        risk = self._risk[states]
        return exact_sum(matrix[rows[states]], risk) - exact_sum(matrix[self.study.anchor_traces[states]], risk)


def exact_sum(policy: Matrix, values: Matrix) -> Fraction:
    """The sum of policy * values over all entries, with nothing rounded. Entries are finite."""
    # A double is an integer times a power of two; sums of integers need no common divisors.
    wholes, powers = zip(_as_integers(policy), _as_integers(values), strict=True)
    exponents = [one + other for one, other in zip(*powers, strict=True)]
    least = min(exponents, default=0)
    total = sum(one * other << (exponent - least) for one, other, exponent in zip(*wholes, exponents, strict=True))
    return Fraction(total) * Fraction(2) ** least


def _as_integers(matrix: Matrix) -> tuple[list[int], list[int]]:
    """Every entry as an integer and the power of two that it is multiplied with."""
    mantissas, exponents = np.frexp(matrix.ravel())
    return (mantissas * 2.0**53).astype(np.int64).tolist(), (exponents.astype(np.int64) - 53).tolist()


def traces_by_state(study: Study, candidate: int) -> Index:
    """A candidate's trace at every observed state; -1 where none or several."""
    name = f"traces by state {candidate}"
    if name not in study.memory:
        study.memory[name] = study.by_state("trace", np.flatnonzero(study.trace_candidate == candidate))
    rows: Index = study.memory[name]
    return rows


def twin(study: Study, candidate: int) -> int:
    """The first candidate of the bank that has the same stored distribution at the same states."""
    if "twins" not in study.memory:
        seen: dict[bytes, int] = {}
        twins = []
        for place in range(len(study.candidates)):
            rows = traces_by_state(study, place)
            states = np.flatnonzero(rows >= 0)
            written = states.tobytes() + study.probabilities.values[rows[states]].tobytes()
            twins.append(seen.setdefault(hashlib.sha256(written).digest(), place))
        study.memory["twins"] = twins
    return int(study.memory["twins"][candidate])


def outcomes_of(study: Study, utility: str, risk: str, tau: Fraction) -> Outcomes:
    """The outcomes under a pair of evaluators and a threshold, computed once."""
    key = f"outcomes {utility!r} {risk!r} {tau}"
    if key not in study.memory:
        study.memory[key] = Outcomes(study, utility, risk, tau)
    known: Outcomes = study.memory[key]
    return known


def divergences(study: Study, candidate: int, clip: float) -> Vector:
    """KL(teacher || policy) at every observed state; NaN where there is no single trace or no teacher."""
    key = f"divergences {candidate} {clip!r}"
    if key not in study.memory:
        rows = traces_by_state(study, candidate)
        values = np.full(len(study.states), np.nan)
        states = np.flatnonzero((rows >= 0) & np.isfinite(study.teacher).all(axis=1))
        policy = study.probabilities.values[rows[states]]
        values[states] = fidelity.teacher_kl(study.teacher[states], policy, clip)
        study.memory[key] = values
    known: Vector = study.memory[key]
    return known


def states_of(study: Study, split: str) -> Index:
    """The observed states of a split, in order of their ids."""
    name = f"states of {split}"
    if name not in study.memory:
        codes, names = study.frame("observation").texts("split")
        members = np.flatnonzero(codes == names.index(split)) if split in names else np.zeros(0, np.int64)
        ids = np.array([text.encode() for text in study.states.take(members).to_pylist()], dtype=object)
        study.memory[name] = members[np.argsort(ids, kind="stable")]
    members_in_order: Index = study.memory[name]
    return members_in_order
