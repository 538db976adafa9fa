"""Partial maps, group by group and in whole numbers: only those that none surpasses and that can reach the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import nlargest

from sealtrace.mathematics.exact import Undecided

Contributions = Sequence[Mapping[int, tuple[int, int]]]
"""By group and option: what the option contributes to gain and safety."""


class TooManyLabels(Undecided):
    """More labels would be needed than were allowed."""


@dataclass(frozen=True)
class Goal:
    """What a map must reach, and whether partial maps may be dropped because another surpasses them."""

    target: int
    budget: int
    slack: int | None
    """How close two numbers may be without being told apart; None where no partial map may be dropped."""


def follow(
    contributions: Contributions, goal: Goal, multiplier: Fraction, most: int | None, width: int | None = None
) -> tuple[list[tuple[int, ...]], int]:
    """All maps that may reach the goal, in order of preference, and how many labels led to them.

    Where labels are dropped, a width keeps only so many per group, those with the best scores: some good maps, and no
    proof.
    """
    times, weight = multiplier.denominator, multiplier.numerator
    sums = [(0, 0)]
    trail: list[list[tuple[int, int]]] = []
    labels = 0
    for row, rest in zip(contributions, _rests(contributions, multiplier), strict=True):
        steps = _steps(row, sums, goal, multiplier, rest)
        totals = [(sums[parent][0] + row[option][0], sums[parent][1] + row[option][1]) for parent, option in steps]
        if goal.slack is not None:
            kept = undominated([safety for _, safety in totals], [gain for gain, _ in totals], goal.slack)
            if width is not None and len(kept) > width:
                kept = sorted(nlargest(width, kept, key=lambda one: times * totals[one][0] + weight * totals[one][1]))
            steps, totals = [steps[label] for label in kept], [totals[label] for label in kept]
        labels += len(steps)
        if most is not None and labels > most:
            raise TooManyLabels(f"more than {most:,} labels")
        sums = totals
        trail.append(steps)
    return [_walk_back(trail, last) for last in range(len(sums))], labels


def _rests(contributions: Contributions, multiplier: Fraction) -> list[tuple[int, int, int]]:
    """For every group the largest score, gain and safety of the groups after it."""
    rests = [(0, 0, 0)]
    for row in reversed(contributions[1:]):
        top = max(multiplier.denominator * gain + multiplier.numerator * safety for gain, safety in row.values())
        gains, safeties = zip(*row.values(), strict=True)
        score, gain, safety = rests[-1]
        rests.append((score + top, gain + max(gains), safety + max(safeties)))
    return rests[::-1]


def _steps(
    row: Mapping[int, tuple[int, int]],
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


def undominated(safety: Sequence[int], gain: Sequence[int], slack: int) -> list[int]:
    """The positions, in order, of the labels that no other makes needless; labels come in order of preference.

    A label is needless if another is as safe and gains more, or gains as much and is preferred. Numbers
    that differ by less than the slack count as neither larger nor equal.
    """
    order = sorted(range(len(gain)), key=lambda label: (-safety[label], -gain[label], label))
    kept: list[int] = []
    safer, level = _Rivals(), _Rivals()
    waiting = 0
    for label in order:
        while waiting < len(kept) and safety[kept[waiting]] >= safety[label] + max(slack, 1):
            safer.add(gain[kept[waiting]], kept[waiting])
            waiting += 1
        if level.safety != safety[label]:
            level = _Rivals(safety[label])
        if not (safer.surpass(gain[label], label, slack) or level.surpass(gain[label], label, slack)):
            kept.append(label)
            level.add(gain[label], label)
    return sorted(kept)


class _Rivals:
    """Labels that are as safe as the next one: their largest gain, and the first label of every gain."""

    def __init__(self, safety: int | None = None) -> None:
        self.safety = safety
        self._largest: int | None = None
        self._first: dict[int, int] = {}

    def add(self, gain: int, label: int) -> None:
        self._largest = gain if self._largest is None else max(gain, self._largest)
        self._first[gain] = min(label, self._first.get(gain, label))

    def surpass(self, gain: int, label: int, slack: int) -> bool:
        """Whether one of them makes a label needless."""
        if self._largest is not None and self._largest >= gain + max(slack, 1):
            return True
        return self._first.get(gain, label) < label
