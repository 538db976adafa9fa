"""One map problem, and the worst mixture of a map in closed form.

Every number is held twice: as a double for speed, and as an exact rational that is asked for only where
doubles are too close to decide. Within the radius a mixture may move the mass delta = radius / 2 wherever it
likes: the worst utility takes it from the groups with the largest values and gives it to the smallest, and the
worst risk mirrors that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from sealtrace.mathematics import Mask, Matrix, Vector
from sealtrace.mathematics.exact import Undecided

Exact = Callable[[int, int], Fraction]

INPUT_ERROR = 2.0**-40
"""How far a double of an instance may lie from the number that it stands for."""


@dataclass(frozen=True, eq=False)
class Instance:
    """Groups in order, each with options in order of preference; option 0 is the anchor, (U, L) = (0, 0).

    Rows are groups, columns are options; a group with fewer options has inadmissible columns at its end.
    """

    counts: tuple[int, ...]
    """Calibration states per group: the mixtures are centred at counts / sum(counts)."""
    upper: Matrix
    """U in doubles, each within INPUT_ERROR of its exact value."""
    lower: Matrix
    """L in doubles, each within INPUT_ERROR of its exact value."""
    admissible: Mask
    """Whether an option keeps its own group's budget; the anchor always does."""
    exact_upper: Exact
    """U of a group and an option, asked for only where doubles do not decide."""
    exact_lower: Exact
    """L of a group and an option, asked for only where doubles do not decide."""
    budget: Fraction | None
    """The bound on the worst risk; None where there is none."""
    radius: Fraction
    """How far a mixture may lie from the centre, as a sum of absolute differences."""
    slack: Fraction = Fraction(0)
    """Exact values that differ, but by less than this, are not told apart."""

    def __post_init__(self) -> None:
        shape = (len(self.counts), self.lower.shape[1])
        if not self.upper.shape == self.lower.shape == self.admissible.shape == shape:
            raise ValueError("counts, bounds and admissibility must have the same groups and options")
        if min(self.counts, default=0) < 0 or sum(self.counts) == 0:
            raise ValueError("counts must be nonnegative, and one of them positive")
        if not 0 <= self.radius <= 2 or self.slack < 0 or (self.budget is not None and self.budget < 0):
            raise ValueError("radius must lie in [0, 2]; budget and slack must not be negative")
        if self.upper[:, 0].any() or self.lower[:, 0].any() or not self.admissible[:, 0].all():
            raise ValueError("option 0 must be the admissible anchor with bounds (0, 0)")

    @cached_property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.counts)

    @cached_property
    def states(self) -> int:
        """How many calibration states there are."""
        return sum(self.counts)

    @cached_property
    def shares(self) -> Vector:
        """The centre of the mixtures in doubles."""
        return np.array(self.counts, dtype=np.float64) / self.states

    @cached_property
    def moved(self) -> Fraction:
        """The largest mass that a mixture can move from one set of groups to another."""
        return min(self.radius / 2, Fraction(1))

    @cached_property
    def margin(self) -> float:
        """More than the error of a difference of worst values in doubles, and twice the slack."""
        return 4 * INPUT_ERROR + self.rounding

    @cached_property
    def rounding(self) -> float:
        """More than the error of a difference of worst values in doubles that are nearest to their exact values."""
        return (self.groups + 16) * 2.0**-49 + 2 * float(self.slack)

    def uppers(self, choice: Sequence[int]) -> list[Fraction]:
        """U of a map's options, exactly."""
        return [self.exact_upper(group, option) for group, option in enumerate(choice)]

    def lowers(self, choice: Sequence[int]) -> list[Fraction]:
        """L of a map's options, exactly."""
        return [self.exact_lower(group, option) for group, option in enumerate(choice)]

    def compare(self, one: Fraction, other: Fraction) -> int:
        """The sign of one - other, refused where the two differ by less than the slack."""
        if one == other:
            return 0
        if abs(one - other) < self.slack:
            raise Undecided(f"a difference of {float(one - other):.1e} is below the precision of the inputs")
        return 1 if one > other else -1

    def may_keep_budget(self, risk: Fraction) -> bool:
        """Whether an exact worst risk is within the budget, or too close to it to tell."""
        return self.budget is None or risk <= self.budget or risk < self.budget + self.slack

    def keeps_budget(self, risk: Fraction) -> bool:
        """Whether an exact worst risk is within the budget."""
        return self.budget is None or self.compare(risk, self.budget) <= 0


NUMBERS_AT_A_TIME = 65_536
"""Numbers per batch: they stay near the processor."""


def worst_utility(instance: Instance, choice: Sequence[int]) -> Fraction:
    """The smallest mean of L over all mixtures, exactly."""
    return least_mean(instance.lowers(choice), instance.counts, instance.moved)


def worst_risk(instance: Instance, choice: Sequence[int]) -> Fraction:
    """The largest mean of U over all mixtures, exactly."""
    return least_mean(instance.uppers(choice), instance.counts, instance.moved, sign=-1)


def least_mean(values: Sequence[Fraction], counts: Sequence[int], moved: Fraction, sign: int = 1) -> Fraction:
    """The smallest mean over all mixtures that move at most the given mass; the largest with sign -1."""
    # Section 3.5, the inner problems in closed form: no linear program is solved for a mixture in an l1 ball.
    # Integers over one denominator: a sum of fractions would look for common divisors at every step.
    scale = math.lcm(*[value.denominator for value in values])
    whole = [sign * value.numerator * (scale // value.denominator) for value in values]
    return Fraction(sign * whole_mean(whole, counts, moved), scale * moved.denominator * sum(counts))


def whole_mean(values: Sequence[int], counts: Sequence[int], moved: Fraction) -> int:
    """The smallest mean of whole numbers, times the denominator of the moved mass and the number of states."""
    unit, left = moved.denominator, moved.numerator * sum(counts)
    total = left * min(values)
    # Mass is taken from the largest values first, and all of it goes to the smallest.
    for value, count in sorted(zip(values, counts, strict=True), reverse=True):
        taken = min(left, count * unit)
        left -= taken
        total += (count * unit - taken) * value
    return total


def least_means(values: Matrix, shares: Vector, moved: float) -> Vector:
    """The smallest means over all mixtures, in doubles, of many maps: one map per row, one group per column."""
    maps, groups = values.shape
    # So many at a time stay near the processor.
    piece = max(NUMBERS_AT_A_TIME // groups**2, 1)
    means = np.empty(maps)
    for start in range(0, maps, piece):
        # Maps last, so that every operation runs along many of them.
        part = np.ascontiguousarray(values[start : start + piece].T)
        capped = shares @ np.minimum(part[:, None], part).reshape(groups, -1)
        # The best cap is one of the values: above it lies no more than the moved mass.
        best = (capped.reshape(part.shape) - moved * part).max(axis=0)
        means[start : start + piece] = best + moved * part.min(axis=0)
    return means


def worst_utilities(instance: Instance, lower: Matrix) -> Vector:
    """The worst utilities of many maps in doubles, within the instance's margin."""
    return least_means(lower, instance.shares, float(instance.moved))


def worst_risks(instance: Instance, upper: Matrix) -> Vector:
    """The worst risks of many maps in doubles, within the instance's margin."""
    return -least_means(-upper, instance.shares, float(instance.moved))
