"""Partial maps of a cell, group by group: only those that none surpasses and that can still reach the target.

Doubles decide where they can; labels that lie closer than the margin are compared in whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics.exact import Undecided

from .cell import CAP, LEAST, Cell
from .frontier import undominated
from .instance import Mask, Matrix, Vector
from .problem import Problem
from .relaxation import exact_contribution

Wholes = npt.NDArray[np.object_]
Positions = npt.NDArray[np.intp]

AROUND = (1.0, 0.8, 1.25, 0.0)
"""Labels far from the best map are excluded sooner by smaller or larger multipliers."""


PIECE = 1_000_000
"""So many labels are made at a time, to spare memory."""


class TooManyLabels(Undecided):
    """The search would need more labels than it was allowed."""


@dataclass
class Layer:
    """One group's open options."""

    options: npt.NDArray[np.int64]
    parts: Matrix
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
    problem: Problem,
    cell: Cell,
    parts: Matrix,
    multiplier: float,
    target: float,
    most: int,
    width: int | None = None,
) -> Followed:
    """All maps of the cell that may reach the target, but for those that another one makes needless.

    With a width only so many labels per group, those with the best scores: some good maps, and no proof.
    """
    layers = [_layer(problem, cell, parts, group) for group in range(problem.instance.groups)]
    multipliers = [multiplier * factor for factor in AROUND]
    sums, wholes = np.zeros((2, 1)), np.array([[0], [0]], dtype=object)
    trail: list[tuple[Positions, Positions]] = []
    labels = 0
    for layer, rest in zip(layers, _rests(layers, multipliers), strict=True):
        extended, parents, columns = _extended(
            sums, layer, lambda totals: _reaching(problem, totals, multipliers, rest, target)
        )
        exact = _Exact(wholes, layer.wholes, parents, columns)
        kept = _unsurpassed(problem, extended, exact)
        if width is not None and len(kept) > width:
            scores = extended[0, kept] + multiplier * extended[1, kept]
            kept = np.sort(kept[np.argpartition(-scores, width)[:width]])
        labels += len(kept)
        if labels > most:
            raise TooManyLabels(f"more than {most:,} labels")
        sums, wholes = extended[:, kept], exact.of(kept)
        trail.append((parents[kept], columns[kept]))
    return Followed(_walk_back(layers, trail), labels)


def _layer(problem: Problem, cell: Cell, parts: Matrix, group: int) -> Layer:
    """A group's options with their exact contributions."""
    instance = problem.instance
    columns = np.flatnonzero(cell.open[group])
    moved = instance.moved.numerator, instance.moved.denominator
    wholes = []
    for side, levels in enumerate(problem.levels):
        low, high = cell.box[2 * side + CAP].tolist()
        cap, least = (levels[low], levels[high]), levels[int(cell.box[2 * side + LEAST, 1])]
        values = [levels[rank] for rank in problem.ranks[side, group, columns].tolist()]
        wholes.append([exact_contribution(value, instance.counts[group], moved, cap, least) for value in values])
    return Layer(columns, parts[:, group, columns], np.array(wholes, dtype=object))


def _rests(layers: Sequence[Layer], multipliers: Sequence[float]) -> list[_Rest]:
    """For every layer what comes after it."""
    rests = [_Rest([0.0] * len(multipliers), 0.0)]
    for layer in reversed(layers[1:]):
        scores = [
            score + float((layer.parts[0] + multiplier * layer.parts[1]).max())
            for score, multiplier in zip(rests[-1].scores, multipliers, strict=True)
        ]
        rests.append(_Rest(scores, rests[-1].safety + float(layer.parts[1].max())))
    return rests[::-1]


def _extended(
    sums: Matrix, layer: Layer, reaching: Callable[[Matrix], Positions]
) -> tuple[Matrix, Positions, Positions]:
    """Labels with one more group, in order: their sums, and the label and the column that they come from."""
    width = len(layer.options)
    step = max(PIECE // width, 1)
    kept, origins = [], []
    for start in range(0, sums.shape[1], step):
        totals = (sums[:, start : start + step, None] + layer.parts[:, None, :]).reshape(2, -1)
        positions = reaching(totals)
        kept.append(totals[:, positions])
        origins.append(positions + start * width)
    parents, columns = np.divmod(np.concatenate(origins or [np.zeros(0, dtype=np.intp)]), width)
    return np.concatenate(kept or [sums], axis=1), parents, columns


def _reaching(problem: Problem, sums: Matrix, multipliers: Sequence[float], rest: _Rest, target: float) -> Positions:
    """The labels that may still keep the budget and reach the target."""
    margin = problem.instance.rounding
    reaching: Mask = sums[1] + rest.safety >= -problem.budget - margin
    for multiplier, score in zip(multipliers, rest.scores, strict=True):
        needed = target - score - multiplier * problem.budget - margin * (1 + multiplier)
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


def _unsurpassed(problem: Problem, sums: Matrix, exact: _Exact) -> Positions:
    """The labels, in order, that no other label makes needless."""
    margin = problem.instance.rounding
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
    unsurpassed = unsure[undominated(safeties.tolist(), gains.tolist(), _whole_slack(problem))]
    return np.sort(np.concatenate([order[~close], unsurpassed]))


def _close(gain: Vector, risk: Vector, margin: float) -> Mask:
    """The labels, in order of risk, that may surpass a neighbour by a difference that doubles do not show."""
    follows = (np.diff(risk) <= margin) | (gain[1:] <= np.maximum.accumulate(gain)[:-1] + margin)
    close = np.zeros(len(gain), dtype=np.bool_)
    close[1:] |= follows
    close[:-1] |= follows
    return close


def _whole_slack(problem: Problem) -> int:
    """The slack in the unit of exact contributions."""
    instance = problem.instance
    return math.ceil(instance.slack * problem.scale * instance.states * instance.moved.denominator)


def _walk_back(layers: Sequence[Layer], trail: Sequence[tuple[Positions, Positions]]) -> npt.NDArray[np.int64]:
    """The maps of the last layer's labels."""
    labels = np.arange(len(trail[-1][0]))
    choices = []
    for layer, (parents, columns) in zip(reversed(layers), reversed(trail), strict=True):
        choices.append(layer.options[columns[labels]])
        labels = parents[labels]
    return np.stack(choices[::-1], axis=1)
