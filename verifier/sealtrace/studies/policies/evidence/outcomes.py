"""What every policy reaches at every state: utilities, degradations and crossings under named evaluators.

Computed from stored distributions and action values; `score` records are not read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from os import SEEK_END
from tempfile import TemporaryFile
from typing import Literal, NamedTuple
from weakref import finalize

import numpy as np
import pyarrow.compute as pc

from sealtrace.bundle.encoding import arrow_array
from sealtrace.bundle.frames import Index, Mask, Matrix, StreamedFrame, Vector
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics.exact import as_double, row_products, scaled
from sealtrace.studies.policies.evidence.study import Study, score_traces
from sealtrace.studies.policies.mathematics.scores import teacher_kl


class UnscoredError(Exception):
    """A state that is asked for has no trace, no anchor or no action values."""


_HELD = 2**21
"""Outcomes of streamed traces that are held at once; others are read again when they are asked for."""
NEAR = 1e-9
"""Values nearer than this, relative to their size, are told apart in exact arithmetic."""


Role = Literal["utility", "risk"]
"""Of an evaluator: what lacks the values of one is decided where the other's suffice."""
BOTH: tuple[Role, ...] = ("utility", "risk")


class Reached(NamedTuple):
    """What a candidate reaches at every observed state; or several candidates, one row each."""

    utility: Vector
    """NaN where there is no single trace, or the utility evaluator has no action values."""
    delta: Vector
    """NaN where there is no single trace, or the risk evaluator has no action values."""
    crossed: Mask

    def of(self, role: Role) -> Vector:
        """What an evaluator gives: the utility, or the delta."""
        return self.utility if role == "utility" else self.delta

    @classmethod
    def nothing(cls, states: int) -> Reached:
        """The outcome before anything is scored: no utility, no delta, no crossing."""
        return cls(np.full(states, np.nan), np.full(states, np.nan), np.zeros(states, np.bool_))


class Spilled:
    """Outcomes of streamed traces under the declared evaluators and threshold, on disk until they are asked for."""

    def __init__(self, states: int, candidates: int) -> None:
        self._states = states
        self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - closed with this object
        finalize(self, self._file.close)
        self._places: list[list[tuple[int, int, list[int], slice]]] = [[] for _ in range(candidates)]
        """By candidate, its stretches of states: first state, number, offsets in the file, rows of its traces."""
        self.rows = 0
        """How many traces there are."""

    def add(self, candidates: list[int], lo: int, reached: Reached) -> None:
        """One more stretch of states; arrays have a row per candidate, and traces follow those that came before."""
        width, count = reached.utility.shape
        starts = []
        for table in reached:
            starts.append((self._file.tell(), table.itemsize * count))
            self._file.write(table.data)
        for place, candidate in enumerate(candidates):
            rows = slice(self.rows + place, self.rows + place + width * count, width)
            self._places[candidate].append((lo, count, [start + place * size for start, size in starts], rows))
        self.rows += width * count

    def replace(self, candidate: int, lo: int, places: Index, reached: Reached) -> None:
        """Other outcomes at some states of the stretch that was added from `lo` on."""
        _, count, starts, _ = next(place for place in reversed(self._places[candidate]) if place[0] == lo)
        for start, values in zip(starts, reached, strict=True):
            stretch = np.empty(count, values.dtype)
            self._file.seek(start)
            self._file.readinto(stretch.data)
            stretch[places] = values
            self._file.seek(start)
            self._file.write(stretch.data)
        self._file.seek(0, SEEK_END)

    def of(self, candidate: int) -> Reached:
        """The outcome of a candidate."""
        reached = Reached.nothing(self._states)
        for lo, count, starts, _ in self._places[candidate]:
            for start, values in zip(starts, reached, strict=True):
                self._file.seek(start)
                self._file.readinto(values[lo : lo + count].data)
        return reached

    def traces(self, candidate: int) -> Index:
        """The row of a candidate's trace at every observed state; -1 where there is none."""
        rows = np.full(self._states, -1, np.int64)
        for lo, count, _, stretch in self._places[candidate]:
            rows[lo : lo + count] = np.arange(stretch.start, stretch.stop, stretch.step)[:count]
        return rows


class Outcomes:
    """Outcomes under one pair of evaluators and one threshold; each candidate is computed when first asked for."""

    def __init__(self, study: Study, utility: str, risk: str, tau: Fraction) -> None:
        self.study = study
        self._evaluators = utility, risk
        self._tau = tau
        declared = study.declared.evaluators
        usual = (utility, risk, tau) == (declared.utility, declared.risk, exact(study.declared.tau))
        self._spilled = spilled_of(study) if usual else None
        self._known: dict[int, Reached] = {}
        self._stacks: dict[tuple[int, ...], Reached] = {}
        self._outside: dict[tuple[tuple[int, ...], Fraction, Fraction], Mask] = {}
        self._counted: list[tuple[Sequence[int], Index, tuple[list[int], list[int]]]] = []
        self._exact: dict[int, tuple[list[int], int]] = {}
        self._unscored: dict[tuple[tuple[int, ...], Role], Mask] = {}

    @property
    def _utility(self) -> Matrix:
        return self.study.states.evaluator(self._evaluators[0])

    @property
    def _risk(self) -> Matrix:
        return self.study.states.evaluator(self._evaluators[1])

    def of(self, candidate: int) -> Reached:
        """The outcome of a candidate."""
        if candidate not in self._known and self._spilled is not None:
            if len(self._known) * len(self.study.states.ids) > _HELD:
                self._known.clear()
            self._known[candidate] = self._spilled.of(candidate)
        if candidate not in self._known:
            rows = traces_by_state(self.study, candidate)
            scored = score_traces(self.study.joined, rows[rows >= 0], self._utility, self._risk, self._tau)
            self._known[candidate] = reached = Reached.nothing(len(self.study.states.ids))
            for values, found in zip(reached, (scored.weak, scored.delta, scored.crossed), strict=True):
                values[self.study.joined.state[scored.rows]] = found
        return self._known[candidate]

    def parts(self, candidates: Sequence[int]) -> Iterator[tuple[slice, Reached]]:
        """The outcomes of several candidates, one row each, as many at a time as are held: their places, and they."""
        step = max(1, _HELD // max(1, len(self.study.states.ids)))
        for start in range(0, len(candidates), step):
            place, key = slice(start, start + step), tuple(candidates[start : start + step])
            found = self._stacks.get(key)
            if found is None:
                columns = zip(*(self.of(candidate) for candidate in key), strict=True)
                # Of one candidate alone nothing is copied: it may have many states.
                found = Reached(*(np.array(rows) if len(rows) > 1 else rows[0][None] for rows in columns))
                if len(candidates) <= step:
                    # What is held together is not held again.
                    self._stacks[key] = found
                    for row, candidate in enumerate(key):
                        self._known[candidate] = Reached(*(table[row] for table in found))
            yield place, found

    def counted(self, candidates: Sequence[int], states: Index) -> tuple[list[int], list[int]]:
        """At how many of some states each candidate crosses the threshold, and at how many it could be scored."""
        for known, of, found in self._counted:
            if known == candidates and of is states:
                return found
        found = [], []
        for _, outcome in self.parts(candidates):
            found[0].extend(outcome.crossed[:, states].sum(axis=1).tolist())
            found[1].extend((~np.isnan(outcome.delta[:, states])).sum(axis=1).tolist())
        self._counted.append((candidates, states, found))
        return found

    def unscored(self, candidates: Sequence[int], role: Role) -> Mask:
        """The states at which one of some candidates has no score by the evaluator of a role."""
        key = tuple(candidates), role
        if key not in self._unscored:
            absent = np.zeros(len(self.study.states.ids), np.bool_)
            for _, found in self.parts(candidates):
                absent |= np.isnan(found.of(role)).any(axis=0)
            self._unscored[key] = absent
        return self._unscored[key]

    def outside(self, candidates: Sequence[int], low: Fraction, high: Fraction) -> Mask:
        """Which utilities lie outside a range, decided exactly: one row per candidate, one column per state."""
        key = (tuple(candidates), low, high)
        if key not in self._outside:
            self._outside[key] = self._decided_outside(candidates, low, high)
        return self._outside[key]

    def _decided_outside(self, candidates: Sequence[int], low: Fraction, high: Fraction) -> Mask:
        ends = as_double(low), as_double(high)
        size = max(1.0, abs(ends[0]), abs(ends[1]))
        beyond = np.zeros((len(candidates), len(self.study.states.ids)), np.bool_)
        for place, found in self.parts(candidates):
            values = found.utility
            beyond[place] = (values < ends[0]) | (values > ends[1])
            # An end of the range is often reached exactly, where a rounded sum falls on either side of it.
            unsure = (np.abs(values - ends[0]) <= NEAR * size) | (np.abs(values - ends[1]) <= NEAR * size)
            for row, state in np.argwhere(unsure).tolist():
                candidate = candidates[place.start + row]
                beyond[place.start + row, state] = not low <= self.exact_utility(candidate, np.array([state])) <= high
        return beyond

    def exact_utility(self, candidate: int, states: Index) -> Fraction:
        """The sum of utilities over scored states with nothing rounded."""
        if candidate not in self._exact:
            scored = np.flatnonzero(np.isfinite(self.of(candidate).utility))
            policy = self.study.joined.probabilities.values[traces_by_state(self.study, candidate)[scored]]
            sums, power = row_products(policy, self._utility[scored])
            by_state = [0] * len(self.study.states.ids)
            for state, total in zip(scored.tolist(), sums, strict=True):
                by_state[state] = total
            self._exact[candidate] = by_state, power
        by_state, power = self._exact[candidate]
        return scaled([by_state[state] for state in states.tolist()], power)

    def exact_delta(self, candidate: int, states: Index) -> Fraction:
        """The sum of degradations over scored states with nothing rounded."""
        matrix, risk = self.study.joined.probabilities.values, self._risk[states]
        rows = traces_by_state(self.study, candidate)[states], self.study.joined.anchors[states]
        policy, anchor = (scaled(*row_products(matrix[traces], risk)) for traces in rows)
        return policy - anchor


@once
def outcomes_of(study: Study, utility: str, risk: str, tau: Fraction) -> Outcomes:
    """The outcomes under a pair of evaluators and a threshold."""
    return Outcomes(study, utility, risk, tau)


def declared_outcomes(study: Study) -> Outcomes:
    """The outcomes under the declared evaluators and threshold."""
    declared = study.declared
    return outcomes_of(study, declared.evaluators.utility, declared.evaluators.risk, exact(declared.tau))


def spilled_of(study: Study) -> Spilled | None:
    """The outcomes of traces that were judged a shard at a time; None where traces are in memory."""
    frame = study.frame("trace")
    return frame.facts if isinstance(frame, StreamedFrame) else None


@once
def traces_by_state(study: Study, candidate: int) -> Index:
    """A candidate's trace at every observed state; -1 where there is none, or none that is certain."""
    if (spilled := spilled_of(study)) is not None:
        return spilled.traces(candidate)
    joined = study.joined
    return study.states.single_rows(joined.state, np.flatnonzero((joined.candidate == candidate) & joined.sound))


def twin(study: Study, candidate: int) -> int:
    """The first candidate of the bank that has the same stored distribution at the same states."""
    return _twins(study)[candidate]


@once
def _twins(study: Study) -> list[int]:
    seen: dict[bytes, int] = {}
    twins = []
    for place in range(len(study.candidates)):
        rows = traces_by_state(study, place)
        states = np.flatnonzero(rows >= 0)
        # Bit for bit at the same states: scale 0 is one policy, in whatever family it stands.
        written = states.tobytes() + study.joined.probabilities.values[rows[states]].tobytes()
        twins.append(seen.setdefault(hashlib.sha256(written).digest(), place))
    return twins


@once
def divergences(study: Study, candidate: int, clip: float) -> Vector:
    """KL(teacher || policy) at every observed state; NaN where there is no single trace or no teacher."""
    rows = traces_by_state(study, candidate)
    values = np.full(len(study.states.ids), np.nan)
    states = np.flatnonzero((rows >= 0) & np.isfinite(study.states.teacher).all(axis=1))
    values[states] = teacher_kl(study.states.teacher[states], study.joined.probabilities.values[rows[states]], clip)
    return values


@once
def states_of(study: Study, split: str) -> Index:
    """The observed states of a split, in order of their ids."""
    return in_order(study, np.flatnonzero(study.frame("observation").says("split", split)))


def in_order(study: Study, states: Index) -> Index:
    """States in the order of their ids' bytes."""
    ordered: Index = states[pc.sort_indices(study.states.ids.take(arrow_array(states))).to_numpy()]
    return ordered
