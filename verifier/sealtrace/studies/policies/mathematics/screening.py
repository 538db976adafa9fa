"""Screens whole states at once: proves that nothing is wrong with most, and leaves the few others to the checks.

Arrays have a row per candidate and a column per state, one array per action. Every formula is the one of `policies`,
`scores` and `thresholds`, operation by operation, so that doubles agree bit by bit; sums run over actions in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Index = npt.NDArray[np.int64]

MOST_ACTIONS = 7
"""numpy adds up to seven numbers one after the other, and more in another order."""
_UNIT = 2.0**-53
_ROOM = 2.001
"""Two distributions within their tolerance have no more mass than this."""


@dataclass(frozen=True)
class Largest:
    """The largest distance of one sort, and where it is."""

    sort: tuple[str, ...]
    """What was compared: a quantity, and the action where it has one."""
    value: float
    candidate: int
    state: int


@dataclass
class Screen:
    """What is known of some states."""

    suspects: Mask
    """States that the checks must look at themselves."""
    largest: list[Largest] = field(default_factory=list)
    """Of each sort of distance, by candidate or over all of them."""

    def refuse(self, bad: Mask) -> None:
        """Leaves states to the checks; `bad` has a row per candidate."""
        if bad.any():
            self.suspects |= bad.any(axis=0)

    def within(
        self,
        sort: tuple[str, ...],
        distance: Matrix,
        sure: Vector | float,
        allowed: Sequence[Matrix | Vector],
        tolerance: float,
        candidates: Sequence[int] | None,
    ) -> None:
        """Distances within a tolerance of the largest of `allowed`; `sure` is a bound that is enough by itself.

        The largest is kept by candidate, or, where none are given, over all of them.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            if not (distance <= sure).all():
                size: Matrix | Vector = allowed[0]
                for other in allowed[1:]:
                    size = np.maximum(size, other)
                self.refuse(~(distance <= tolerance * size))
            self._keep(sort, distance, candidates)

    def _keep(self, sort: tuple[str, ...], distance: Matrix, candidates: Sequence[int] | None) -> None:
        places = distance.argmax(axis=1)
        values = distance[np.arange(len(distance)), places]
        if not np.isfinite(values).all():
            distance = np.where(np.isfinite(distance), distance, -1.0)
            places = distance.argmax(axis=1)
            values = distance[np.arange(len(distance)), places]
        if candidates is not None:
            found = zip(values.tolist(), candidates, places.tolist(), strict=True)
            self.largest.extend(Largest(sort, *one) for one in found if one[0] >= 0)
        elif len(values) and (most := float(values.max())) >= 0:
            # Of equal distances the one in the first row of the file, which has all candidates of a state together.
            state = min(int(np.argmax(distance[row] == most)) for row in np.flatnonzero(values == most))
            row = int(np.flatnonzero(distance[:, state] == most)[0])
            self.largest.append(Largest(sort, most, row, state))


@dataclass(frozen=True)
class Tilts:
    """Consecutive candidates that tilt the same base in the same direction."""

    rows: slice
    candidates: list[int]
    scales: Vector
    base: list[Vector]
    """The logarithm of the base, by action and state."""
    direction: list[Vector]


def distributions(screen: Screen, policy: list[Matrix], named: list[Mask | None], legal: list[Vector | None]) -> None:
    """Finite, not negative, nothing on illegal actions, and every legal action named; None where all are."""
    for values, there, allowed in zip(policy, named, legal, strict=True):
        if not values.min(initial=0.0) >= 0:
            screen.refuse(~(values >= 0))
        if allowed is not None:
            screen.refuse((values != 0) & ~allowed.astype(np.bool_))
        if there is not None:
            screen.refuse(~there if allowed is None else ~there & allowed.astype(np.bool_))


def total(parts: Sequence[Matrix]) -> Matrix:
    """The sum over actions, in order."""
    result = parts[0] + parts[1] if len(parts) > 1 else parts[0].copy()
    for part in parts[2:]:
        result += part
    return result


def normalized(screen: Screen, policy: list[Matrix], tolerance: float) -> float:
    """Distributions that sum to one; returns the largest distance of a sum from one."""
    with np.errstate(invalid="ignore", over="ignore"):
        distance = total(policy)
        distance -= 1.0
        np.abs(distance, out=distance)
        screen.within(("normalized",), distance, tolerance, [np.ones(1)], tolerance, None)
    return max((one.value for one in screen.largest if one.sort == ("normalized",)), default=0.0)


def tilted(tilts: Tilts, legal: list[Vector | None]) -> tuple[list[Matrix], Matrix]:
    """Exponential tilts by action, and their normalizers."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        weights = []
        for base, direction, allowed in zip(tilts.base, tilts.direction, legal, strict=True):
            logits = tilts.scales[:, None] * direction
            logits += base
            weights.append(logits if allowed is None else np.where(allowed, logits, -np.inf))
        shift = weights[0]
        for other in weights[1:]:
            shift = np.maximum(shift, other)
        for one in weights:
            one -= shift
            np.exp(one, out=one)
        sums = total(weights)
        for one in weights:
            one /= sums
        return weights, sums


def replayed(
    screen: Screen,
    what: str,
    actions: list[str],
    replay: list[Matrix],
    stored: list[Matrix],
    tolerance: float,
    candidates: list[int],
) -> None:
    """Stored distributions that agree with their replay, action by action."""
    for action, right, found in zip(actions, replay, stored, strict=True):
        distance = right - found
        np.abs(distance, out=distance)
        with np.errstate(invalid="ignore"):
            sure = float(tolerance * right.min(initial=np.inf))
        # What is replayed and what is stored have no sign, or are refused already.
        screen.within((what, action), distance, sure, [np.abs(right), np.abs(found)], tolerance, candidates)


def top_actions(policy: list[Matrix], legal: list[Vector | None]) -> npt.NDArray[np.int8]:
    """The largest legal probability; the earliest legal action among equals."""
    masked = [
        values if allowed is None else np.where(allowed, values, -np.inf)
        for values, allowed in zip(policy, legal, strict=True)
    ]
    best = masked[0]
    chosen = np.zeros(best.shape, np.int8)
    for place, values in enumerate(masked[1:], 1):
        higher = values > best
        np.putmask(chosen, higher, place)
        best = np.maximum(best, values)
    return chosen


def utilities(policy: list[Matrix], values: list[Vector]) -> Matrix:
    """E = sum_a pi(a|s) Q(s, a)."""
    return total([one * value for one, value in zip(policy, values, strict=True)])


def differences(policy: list[Matrix], anchor: int, values: list[Vector]) -> Matrix:
    """d = sum_a (pi - pi_0) Q, where pi_0 is a row of the policies."""
    return total([(one - one[anchor]) * value for one, value in zip(policy, values, strict=True)])


def sure_distance(magnitude: Vector, actions: int, tolerance: float, tau: float) -> Vector:
    """How far a delta must lie from -tau for its doubles to decide, and for no replay within tolerance to differ."""
    rounding = (actions + 3) * _UNIT * (_ROOM * magnitude) + np.finfo(np.float64).tiny * actions + 2 * _UNIT * tau
    reach: Vector = np.maximum(rounding, 4 * actions * tolerance * magnitude)
    return reach
