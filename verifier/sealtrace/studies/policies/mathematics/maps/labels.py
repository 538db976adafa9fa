"""Partial maps of a domain, group by group: only those that none surpasses and that can still reach the target.

Doubles decide where they can; labels that lie closer than the margin are compared in whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics.exact import Undecided

from .domains import CAP, LEAST, Domain, Ranked, exact_contribution
from .instance import Mask, Matrix, Vector

Wholes = npt.NDArray[np.object_]
Positions = npt.NDArray[np.intp]

AROUND = (1.0, 0.8, 1.25, 0.0)
"""Labels far from the best map are excluded sooner by smaller or larger multipliers."""
LABELS_AT_A_TIME = 1_000_000
"""So many labels are made at a time, to spare memory."""


class TooManyLabels(Undecided):
    """The search would need more labels than it was allowed."""


@dataclass
class GroupOptions:
    """One group's open options."""

    options: npt.NDArray[np.int64]
    contributed: Matrix
    """Their contributions to gain and safety."""
    wholes: Wholes
    """The same, exactly."""


@dataclass
class Followed:
    """The maps that may reach the target, and how many labels led to them."""

    maps: npt.NDArray[np.int64]
    """One map per row."""
    labels: int


@dataclass
class _Rest:
    """What the groups to come can contribute at most."""

    scores: list[float]
    """By multiplier."""
    safety: float


def follow(
    ranked: Ranked,
    domain: Domain,
    contributed: Matrix,
    multiplier: float,
    target: float,
    most: int,
    width: int | None = None,
) -> Followed:
    """All maps of the domain that may reach the target, but for those that another one makes needless.

    With a width only so many labels per group, those with the best scores: some good maps, and no proof.
    """
    groups = [_group_options(ranked, domain, contributed, group) for group in range(ranked.instance.groups)]
    multipliers = [multiplier * factor for factor in AROUND]
    sums, wholes = np.zeros((2, 1)), np.array([[0], [0]], dtype=object)
    trail: list[tuple[Positions, Positions]] = []
    labels = 0
    for group_options, rest in zip(groups, _rests(groups, multipliers), strict=True):
        extended, parents, columns = _extended(
            sums, group_options, lambda totals: _reaching(ranked, totals, multipliers, rest, target)
        )
        exact = _Exact(wholes, group_options.wholes, parents, columns)
        kept = _unsurpassed(ranked, extended, exact)
        if width is not None and len(kept) > width:
            scores = extended[0, kept] + multiplier * extended[1, kept]
            kept = np.sort(kept[np.argpartition(-scores, width)[:width]])
        labels += len(kept)
        if labels > most:
            raise TooManyLabels(f"more than {most:,} labels")
        sums, wholes = extended[:, kept], exact.of(kept)
        trail.append((parents[kept], columns[kept]))
    return Followed(_walk_back(groups, trail), labels)


def _group_options(ranked: Ranked, domain: Domain, contributed: Matrix, group: int) -> GroupOptions:
    """A group's options with their exact contributions."""
    instance = ranked.instance
    columns = np.flatnonzero(domain.open[group])
    moved = instance.moved.numerator, instance.moved.denominator
    wholes = []
    for side, levels in enumerate(ranked.levels):
        low, high = domain.ranges[2 * side + CAP].tolist()
        cap, least = (levels[low], levels[high]), levels[int(domain.ranges[2 * side + LEAST, 1])]
        values = [levels[rank] for rank in ranked.ranks[side, group, columns].tolist()]
        wholes.append([exact_contribution(value, instance.counts[group], moved, cap, least) for value in values])
    return GroupOptions(columns, contributed[:, group, columns], np.array(wholes, dtype=object))


def _rests(groups: Sequence[GroupOptions], multipliers: Sequence[float]) -> list[_Rest]:
    """For every group what comes after it."""
    rests = [_Rest([0.0] * len(multipliers), 0.0)]
    for group_options in reversed(groups[1:]):
        scores = [
            score + float((group_options.contributed[0] + multiplier * group_options.contributed[1]).max())
            for score, multiplier in zip(rests[-1].scores, multipliers, strict=True)
        ]
        rests.append(_Rest(scores, rests[-1].safety + float(group_options.contributed[1].max())))
    return rests[::-1]


def _extended(
    sums: Matrix, group_options: GroupOptions, reaching: Callable[[Matrix], Positions]
) -> tuple[Matrix, Positions, Positions]:
    """Labels with one more group, in order: their sums, and the label and the column that they come from."""
    width = len(group_options.options)
    step = max(LABELS_AT_A_TIME // width, 1)
    kept, origins = [], []
    for start in range(0, sums.shape[1], step):
        totals = (sums[:, start : start + step, None] + group_options.contributed[:, None, :]).reshape(2, -1)
        positions = reaching(totals)
        kept.append(totals[:, positions])
        origins.append(positions + start * width)
    parents, columns = np.divmod(np.concatenate(origins or [np.zeros(0, dtype=np.intp)]), width)
    return np.concatenate(kept or [sums], axis=1), parents, columns


def _reaching(ranked: Ranked, sums: Matrix, multipliers: Sequence[float], rest: _Rest, target: float) -> Positions:
    """The labels that may still keep the budget and reach the target."""
    margin = ranked.instance.rounding
    reaching: Mask = sums[1] + rest.safety >= -ranked.budget - margin
    for multiplier, score in zip(multipliers, rest.scores, strict=True):
        needed = target - score - multiplier * ranked.budget - margin * (1 + multiplier)
        reaching &= sums[0] + multiplier * sums[1] >= needed
    return np.flatnonzero(reaching)


class _Exact:
    """The exact sums of extended labels, made only for those that are asked for."""

    def __init__(self, wholes: Wholes, added: Wholes, parents: Positions, columns: Positions) -> None:
        self._wholes, self._added, self._parents, self._columns = wholes, added, parents, columns

    def of(self, labels: Positions) -> Wholes:
        """Gain and safety of some labels."""
        sums: Wholes = self._wholes[:, self._parents[labels]] + self._added[:, self._columns[labels]]
        return sums


def _unsurpassed(ranked: Ranked, sums: Matrix, exact: _Exact) -> Positions:
    """The labels, in order, that no other label makes needless."""
    margin = ranked.instance.rounding
    order = np.argsort(-sums[1], kind="stable")
    gain, risk = sums[0][order], -sums[1][order]
    safer = np.searchsorted(risk, risk - margin, side="left")
    best = np.concatenate([[-np.inf], np.maximum.accumulate(gain)])
    kept = np.flatnonzero(best[safer] < gain + margin)
    order = order[kept]
    close = _close(gain[kept], risk[kept], margin)
    if not close.any():
        return np.sort(order)
    unsure = np.sort(order[close])
    gains, safeties = exact.of(unsure)
    unsurpassed = unsure[undominated(safeties.tolist(), gains.tolist(), _whole_slack(ranked))]
    return np.sort(np.concatenate([order[~close], unsurpassed]))


def _close(gain: Vector, risk: Vector, margin: float) -> Mask:
    """The labels, in order of risk, that may surpass a neighbour by a difference that doubles do not show."""
    follows = (np.diff(risk) <= margin) | (gain[1:] <= np.maximum.accumulate(gain)[:-1] + margin)
    close = np.zeros(len(gain), dtype=np.bool_)
    close[1:] |= follows
    close[:-1] |= follows
    return close


def _whole_slack(ranked: Ranked) -> int:
    """The slack in the unit of exact contributions."""
    instance = ranked.instance
    return math.ceil(instance.slack * ranked.scale * instance.states * instance.moved.denominator)


def _walk_back(groups: Sequence[GroupOptions], trail: Sequence[tuple[Positions, Positions]]) -> npt.NDArray[np.int64]:
    """The maps of the last group's labels."""
    labels = np.arange(len(trail[-1][0]))
    choices = []
    for group_options, (parents, columns) in zip(reversed(groups), reversed(trail), strict=True):
        choices.append(group_options.options[columns[labels]])
        labels = parents[labels]
    return np.stack(choices[::-1], axis=1)


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
