"""The maps of a region that may reach a target, group by group in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .frontier import undominated
from .refuted import Refuted

Parts = Sequence[dict[int, tuple[int, int]]]
"""By group and option: the contributions to gain and safety."""


@dataclass(frozen=True)
class Goal:
    """What a map must reach, and whether partial maps may be dropped because another surpasses them."""

    target: int
    budget: int
    slack: int | None
    """How close two numbers may be without being told apart; None where no partial map may be dropped."""


def follow_exactly(parts: Parts, goal: Goal, multiplier: Fraction, stated: int | None) -> list[tuple[int, ...]]:
    """The maps in order of preference; Refuted where far more labels than stated are needed."""
    sums = [(0, 0)]
    trail: list[list[tuple[int, int]]] = []
    labels = 0
    for row, rest in zip(parts, _rests(parts, multiplier), strict=True):
        steps = _steps(row, sums, goal, multiplier, rest)
        totals = [(sums[parent][0] + row[option][0], sums[parent][1] + row[option][1]) for parent, option in steps]
        if goal.slack is not None:
            kept = undominated([safety for _, safety in totals], [gain for gain, _ in totals], goal.slack)
            steps, totals = [steps[label] for label in kept], [totals[label] for label in kept]
        labels += len(steps)
        if stated is not None and labels > 100 * stated + 10_000:
            raise Refuted("a region needs far more labels than stated")
        sums = totals
        trail.append(steps)
    return [_walk_back(trail, last) for last in range(len(sums))]


def _rests(parts: Parts, multiplier: Fraction) -> list[tuple[int, int, int]]:
    """For every group the largest score, gain and safety of the groups after it."""
    rests = [(0, 0, 0)]
    for row in reversed(parts[1:]):
        score, gain, safety = rests[-1]
        top = max(multiplier.denominator * part[0] + multiplier.numerator * part[1] for part in row.values())
        gains, safeties = zip(*row.values(), strict=True)
        rests.append((score + top, gain + max(gains), safety + max(safeties)))
    return rests[::-1]


def _steps(
    row: dict[int, tuple[int, int]],
    sums: Sequence[tuple[int, int]],
    goal: Goal,
    multiplier: Fraction,
    rest: tuple[int, int, int],
) -> list[tuple[int, int]]:
    """Pairs of label and option, in order, from which the target can still be reached within the budget."""
    times, weight = multiplier.denominator, multiplier.numerator
    scores = sorted(((times * gain + weight * safety, option) for option, (gain, safety) in row.items()), reverse=True)
    needed = times * goal.target - weight * goal.budget - rest[0]
    steps = []
    for label, (gain, safety) in enumerate(sums):
        score = needed - times * gain - weight * safety
        least, safest = goal.target - rest[1] - gain, -goal.budget - rest[2] - safety
        for reached, option in scores:
            if reached < score:
                break
            if row[option][0] >= least and row[option][1] >= safest:
                steps.append((label, option))
    return sorted(steps)


def _walk_back(trail: Sequence[list[tuple[int, int]]], label: int) -> tuple[int, ...]:
    """The map of a label of the last group."""
    choice = []
    for steps in reversed(trail):
        label, option = steps[label]
        choice.append(option)
    return tuple(reversed(choice))
