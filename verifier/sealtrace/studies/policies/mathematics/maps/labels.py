"""Partial maps of a domain, group by group: only those that none surpasses and that can still reach the target.

Doubles decide where they can; labels that lie closer than the margin are compared in whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Mask, Matrix, Vector
from sealtrace.mathematics.exact import Undecided

from .domains import CAP, LEAST, Domains, Maps, Ranked, exact_contribution, settled

Wholes = npt.NDArray[np.object_]
Positions = npt.NDArray[np.intp]

LABELS_AT_A_TIME = 1_000_000
"""Labels made at a time, to limit memory."""


class TooManyLabels(Undecided):
    """The search would need more labels than it was allowed."""


def follow(
    ranked: Ranked,
    domain: Domains,
    contributed: Matrix,
    multiplier: float,
    target: float,
    most: int,
    width: int | None = None,
) -> tuple[Maps, int]:
    """All maps of a domain that may reach the target, and how many labels led to them.

    Where contributions sum to the very worst means, maps are left out that another one makes needless. With a width
    only so many labels per group are kept, those with the best scores: some good maps, and no proof.
    """
    budget, margin, compared = ranked.budget, ranked.instance.rounding, settled(ranked, domain)
    options = [np.flatnonzero(row) for row in domain.open[0]]
    parts = [contributed[:, group, chosen] for group, chosen in enumerate(options)]
    tops = np.array([((part[0] + multiplier * part[1]).max(), part[1].max()) for part in parts])
    # What the groups to come can contribute at most, to the score and to safety.
    rests = np.vstack([np.cumsum(tops[:0:-1], axis=0)[::-1], np.zeros((1, 2))])
    sums, wholes = np.zeros((2, 1)), np.array([[0], [0]], dtype=object)
    trail: list[tuple[Positions, Positions]] = []
    labels = 0
    for group, (part, (score, safety)) in enumerate(zip(parts, rests.tolist(), strict=True)):
        # For any multiplier m >= 0 and any map within the budget B, gain <= gain + m * (safety + B): a label that
        # cannot reach target - m * B even with the best of all groups to come leads to no map that matters.
        needed = target - score - multiplier * budget - margin * (1 + multiplier), -budget - margin - safety
        extended, parents, columns = _extended(sums, part, multiplier, needed)
        kept = np.arange(len(parents))
        if compared:
            exact = partial(_exact_sums, wholes, _wholes(ranked, domain, group, options[group]), parents, columns)
            kept = _unsurpassed(ranked, extended, exact)
            if width is not None and len(kept) > width:
                scores = extended[0, kept] + multiplier * extended[1, kept]
                kept = np.sort(kept[np.argpartition(-scores, width)[:width]])
            wholes = exact(kept)
        labels += len(kept)
        if labels > most:
            raise TooManyLabels(f"more than {most:,} labels")
        sums = extended[:, kept]
        trail.append((parents[kept], columns[kept]))
    return _walk_back(options, trail), labels


def _wholes(ranked: Ranked, domain: Domains, group: int, options: Positions) -> Wholes:
    """The exact contributions of a group's options to gain and safety."""
    instance = ranked.instance
    moved = instance.moved.numerator, instance.moved.denominator
    wholes = []
    for side, levels in enumerate(ranked.levels):
        low, high = domain.ranges[0, 2 * side + CAP].tolist()
        cap, least = (levels[low], levels[high]), levels[int(domain.ranges[0, 2 * side + LEAST, 1])]
        values = [levels[rank] for rank in ranked.ranks[side, group, options].tolist()]
        wholes.append([exact_contribution(value, instance.counts[group], moved, cap, least) for value in values])
    return np.array(wholes, dtype=object)


def _extended(
    sums: Matrix, part: Matrix, multiplier: float, needed: tuple[float, float]
) -> tuple[Matrix, Positions, Positions]:
    """Labels with one more group that have the score and the safety that are needed, in order.

    Their sums, and the label and the column that they come from.
    """
    width = part.shape[1]
    step = max(LABELS_AT_A_TIME // width, 1)
    kept, origins = [], []
    for start in range(0, sums.shape[1], step):
        totals = (sums[:, start : start + step, None] + part[:, None, :]).reshape(2, -1)
        reaching = (totals[0] + multiplier * totals[1] >= needed[0]) & (totals[1] >= needed[1])
        positions = np.flatnonzero(reaching)
        kept.append(totals[:, positions])
        origins.append(positions + start * width)
    parents, columns = np.divmod(np.concatenate(origins or [np.zeros(0, dtype=np.intp)]), width)
    return np.concatenate(kept or [sums], axis=1), parents, columns


def _exact_sums(wholes: Wholes, added: Wholes, parents: Positions, columns: Positions, labels: Positions) -> Wholes:
    """Gain and safety of some extended labels, exactly."""
    sums: Wholes = wholes[:, parents[labels]] + added[:, columns[labels]]
    return sums


def _unsurpassed(ranked: Ranked, sums: Matrix, exact: Callable[[Positions], Wholes]) -> Positions:
    """The labels, in order, that no other label makes needless."""
    margin = ranked.instance.rounding
    order = np.argsort(-sums[1], kind="stable")
    gain, risk = sums[0][order], -sums[1][order]
    # Labels that are safer by more than the margin, so that the comparison holds whatever was rounded.
    safer = np.searchsorted(risk, risk - margin, side="left")
    best = np.concatenate([[-np.inf], np.maximum.accumulate(gain)])
    kept = np.flatnonzero(best[safer] < gain + margin)
    order = order[kept]
    close = _close(gain[kept], risk[kept], margin)
    if not close.any():
        return np.sort(order)
    # Whole numbers are slow, so only labels that lie closer than the margin to another are compared in them.
    unsure = np.sort(order[close])
    gains, safeties = exact(unsure)
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


def _walk_back(options: Sequence[Positions], trail: Sequence[tuple[Positions, Positions]]) -> Maps:
    """The maps of the last group's labels."""
    labels = np.arange(len(trail[-1][0]))
    choices = []
    for chosen, (parents, columns) in zip(reversed(options), reversed(trail), strict=True):
        choices.append(chosen[columns[labels]])
        labels = parents[labels]
    return np.stack(choices[::-1], axis=1)


def undominated(safety: Sequence[int], gain: Sequence[int], slack: int) -> list[int]:
    """The positions, in order, of the labels that no other makes needless; labels come in order of preference.

    A label is needless if another is as safe and gains more, or gains as much and is preferred. Numbers
    that differ by less than the slack count as neither larger nor equal.
    """
    # Safest first: whoever makes a label needless has been seen before it. Each label is looked at once.
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
