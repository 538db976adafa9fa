"""Screens whole states at once: proves that nothing is wrong with most, and leaves the few others to the checks.

What is compared by row lies as it does in the file: all candidates of a state, then those of the next. What is computed
has an action, a candidate and a state as its axes. The formulas are those of `over_actions`, as they are for rows that
are held. Callers pass as many states as the processor's cache holds, and ignore numpy's warnings: what overflows or is
undefined makes a state a suspect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sealtrace.mathematics import Mask, Matrix, Vector
from sealtrace.studies.policies.mathematics.over_actions import UNIT, difference_error, exponentials, total

ROWS = 2**15
"""Rows per batch: about as many as fit in the cache with what is computed from them."""
_ROOM = 2.001
"""Two distributions within their tolerance have no more mass than this."""


@dataclass(frozen=True)
class Largest:
    """A distance that is larger than all before it, and where it is."""

    sort: str
    quantity: int
    """Its layer in the comparison: an action, or one of the three scores."""
    value: float
    candidate: int
    state: int


@dataclass
class Screen:
    """The state of screening: which states are suspects, and the largest differences so far."""

    suspects: Mask
    """States that the checks must look at themselves."""
    known: dict[str, Matrix]
    """Distances that were met before, by quantity and candidate: only larger ones are of interest."""
    largest: list[Largest] = field(default_factory=list)
    at: int = 0
    """The first of the states that are being looked at."""

    def refuse(self, bad: Mask) -> None:
        """Leaves states to the checks; `bad` has a row per candidate, or the rows of the file in order."""
        if bad.any():
            count = bad.shape[-1]
            self.suspects[self.at : self.at + count] |= bad.any(axis=0)

    def refuse_rows(self, bad: Mask, width: int) -> None:
        """Leaves states to the checks; `bad` has an entry per row of the file, `width` rows to a state."""
        if bad.any():
            self.refuse(bad.reshape(-1, width).T)

    def within(
        self, sort: str, distance: Matrix, sure: Matrix | float, allowed: Callable[[], Matrix], *, apart: bool
    ) -> None:
        """Distances that a tolerance allows: a layer per quantity, a row per candidate, a column per state.

        `sure` is a bound by quantity that is enough by itself, `allowed` what each may be at most. The largest is kept
        of every quantity, by candidate where they are told `apart`.
        """
        most = distance.max(axis=2)
        if not (most <= sure).all():
            self.refuse(np.asarray(~(distance <= allowed()).all(axis=0)))
        if not np.isfinite(most).all():
            distance = np.where(np.isfinite(distance), distance, -1.0)
            most = distance.max(axis=2)
        met = self.known.setdefault(sort, np.full(most.shape if apart else (len(most), 1), -0.5))
        if apart:
            for layer, row in np.argwhere(most > met).tolist():
                met[layer, row] = most[layer, row]
                self._keep(sort, layer, most[layer, row], row, distance[layer, row].argmax())
            return
        for layer in np.flatnonzero(most.max(axis=1) > met[:, 0]).tolist():
            met[layer] = value = most[layer].max()
            # Of equal distances the one in the first row of the file, which has all candidates of a state together.
            rows = np.flatnonzero(most[layer] == value)
            state = min((distance[layer, row] == value).argmax() for row in rows)
            self._keep(sort, layer, value, np.flatnonzero(distance[layer, :, state] == value)[0], state)

    def _keep(self, sort: str, layer: int, value: float, candidate: int, state: int) -> None:
        self.largest.append(Largest(sort, layer, float(value), int(candidate), self.at + int(state)))


@dataclass(frozen=True)
class CandidateRun:
    """Consecutive candidates of the bank that are replayed together."""

    rows: slice
    scales: Vector
    """What the direction is multiplied with; empty where nothing is tilted."""


def sound_rows(
    screen: Screen, policy: Sequence[Vector], named: Sequence[Mask | None], legal: Sequence[Mask | None], width: int
) -> float:
    """Numbers that are not negative, nothing on illegal actions, every legal action named; returns the least.

    There is an entry per row of the file; None where all actions are named, or legal.
    """
    least = np.inf
    for values, there, allowed in zip(policy, named, legal, strict=True):
        # In this order a least value that is no number stays.
        least = min(float(values.min(initial=np.inf)), least)
        if not least >= 0:
            screen.refuse_rows(~(values >= 0), width)
        if allowed is not None:
            screen.refuse_rows((values != 0) & ~allowed, width)
        if there is not None:
            screen.refuse_rows(~there if allowed is None else ~there & allowed, width)
    return least


def normalized(screen: Screen, policy: Sequence[Vector], tolerance: float, width: int) -> float:
    """Rows whose distribution sums to one; returns the largest distance of a sum from one."""
    distance = total(policy)
    distance -= 1.0
    np.abs(distance, out=distance)
    most = float(distance.max())
    # Below both there is neither a suspect nor a new largest distance, and nothing to lay out by candidate.
    if not most <= min(tolerance, screen.known.get("normalized", _NOTHING)[0, 0]):
        by_candidate = distance.reshape(1, -1, width).transpose(0, 2, 1)
        screen.within("normalized", by_candidate, tolerance, lambda: np.asarray(tolerance), apart=False)
    return most


_NOTHING = np.full((1, 1), -1.0)


def replayed(
    screen: Screen,
    runs: Sequence[tuple[CandidateRun, Matrix]],
    logs: Matrix,
    policy: Matrix,
    legal: Mask | None,
    tolerance: float,
    least: float,
) -> None:
    """Stored distributions that agree with their replay, action by action.

    Each run comes with the direction of its tilts, or with the distribution itself; `logs` is the logarithm of what is
    tilted. `least` is the least stored probability; what is replayed and stored has no sign, or is refused already.
    """
    replay = np.zeros(policy.shape)
    for run, direction in runs:
        if len(run.scales):
            np.multiply(run.scales[:, None], direction[:, None], out=replay[:, run.rows])
    replay += logs[:, None]
    replay = exponentials(replay, None if legal is None else legal[:, None])
    # The largest weight is one, or no number, and then neither is the replay: it agrees with nothing.
    replay /= total(replay)
    for run, distribution in runs:
        if not len(run.scales):
            replay[:, run.rows] = distribution[:, None]
    distance = replay - policy
    np.abs(distance, out=distance)
    screen.within("replay", distance, tolerance * least, lambda: tolerance * np.maximum(replay, policy), apart=True)


def sure_distance(magnitude: Vector, actions: int, tolerance: float, tau: float) -> Vector:
    """How far a delta must lie from -tau for its doubles to decide, and for no replay within tolerance to differ."""
    rounding = difference_error(_ROOM * magnitude, actions) + 2 * UNIT * tau
    # The second is how far `threshold.recomputed` looks for replays that decide otherwise.
    reach: Vector = np.maximum(rounding, 4 * actions * tolerance * magnitude)
    return reach
