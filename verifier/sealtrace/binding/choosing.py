"""Searches the bindings of series that share their labels, and keeps the best candidates of each."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

import numpy as np
import numpy.typing as npt

from sealtrace.binding import scoring
from sealtrace.binding.evaluation import Evaluated, evaluate
from sealtrace.binding.frames import Frame, Numbers
from sealtrace.binding.hypotheses import (
    FrameView,
    Named,
    Selection,
    Transformation,
    filter_costs,
    fixed_sets,
    selections,
    transformations,
)
from sealtrace.binding.series import Series, Slot

KEPT = 10
"""Candidates that are kept of each series."""
_LEAST = -12.0
"""Score below which nothing is kept; other bindings of the table may pay what is shared."""
UNSAID = 9.0
"""Bits that a number costs, in choosing between candidates, of which one says nothing."""
_LOOKED_AT = 8
"""Candidates of one statistic and transformation that are scored in full."""


@dataclass
class Candidate:
    """One way to get the numbers of a series from a frame."""

    series: Series
    frame: Frame
    selection: Selection
    fixed: tuple[tuple[str, str], ...]
    """Field and value, for the whole series."""
    measure: str
    statistic: str
    transformation: Transformation
    expected: Numbers
    """What it gives for each number; NaN where it says nothing."""
    sizes: Numbers
    """Rows behind each."""
    agrees: npt.NDArray[np.bool_]
    bits: Numbers
    cost: float
    shared: float
    """The part of the cost that further bindings of the same table in the same frame need not pay again."""
    score: float
    """Evidence less costs, for deciding whether to believe it."""
    rank: float
    """The same with evidence from printed digits only, and less for numbers left out, for choosing."""

    @property
    def covered(self) -> npt.NDArray[np.bool_]:
        """The numbers that it says something of."""
        return np.isfinite(self.expected)

    @property
    def off(self) -> int:
        """How many of them it does not give."""
        return int((self.covered & ~self.agrees).sum())

    @property
    def whole(self) -> bool:
        """Whether it gives every number of the series."""
        return bool(self.agrees.all())


@dataclass
class Tally:
    """How much was tried."""

    hypotheses: int = 0
    seconds: float = 0.0
    untried: list[str] = field(default_factory=list)


@dataclass
class _Wanted:
    """A series and what is known of it before the search."""

    series: Series
    changes: list[Transformation]
    words: tuple[str, ...]
    bits: Numbers
    """What each of its numbers can give, from its digits."""
    kept: list[Candidate] = field(default_factory=list)

    @property
    def floor(self) -> float:
        """The score that a further candidate must have."""
        return max(_LEAST, min(one.rank for one in self.kept)) if len(self.kept) >= KEPT else _LEAST


def printed_as(value: float, slot: Slot) -> str:
    """A value as the paper would have printed it in a number's place."""
    if not math.isfinite(value):
        return "nothing"
    with localcontext() as context:
        context.prec = 60
        unit = Decimal(slot.unit.numerator) / Decimal(slot.unit.denominator) if slot.unit else Decimal(1)
        steps = (Decimal(value) / unit).to_integral_value(ROUND_HALF_EVEN)
        exact = steps * unit
    decimals = slot.decimals
    text = f"{exact:,.{decimals}f}" if "," in slot.text else f"{exact:.{decimals}f}"
    if slot.text.startswith("."):
        text = text.replace("0.", ".", 1)
    return f"+{text}" if slot.text.startswith("+") and not text.startswith("-") else text


def search(
    group: list[Series], views: Iterable[FrameView], frames: int, tally: Tally, deadline: float, *, deep: bool = False
) -> list[list[Candidate]]:
    """For each of the series, which have their labels in common, the best candidates, best first."""
    wanted = [_wanted(series, deep) for series in group]
    # Numbers with too few digits to prove anything are not searched for.
    hopeful = any(one.bits.sum() >= scoring.JOINED for one in wanted)
    for view in views if hopeful else ():
        if time.monotonic() > deadline:
            break
        for selection in selections(view, group[0]):
            for fixed, named in fixed_sets(view, group, selection, deep=deep):
                if time.monotonic() > deadline:
                    break
                evaluated = evaluate(view.frame, selection.chosen, fixed)
                if evaluated is None:
                    continue
                for one, said in zip(wanted, named, strict=True):
                    if one.bits.sum() >= scoring.JOINED:
                        _compare(one, view, selection, fixed, said, evaluated, frames, tally)
    return [one.kept for one in wanted]


def _wanted(series: Series, deep: bool) -> _Wanted:
    changes = transformations(series)
    words = tuple(word for text in series.constant for word in text.lower().replace("(", " ").replace(")", " ").split())
    bits = scoring.digits_bits(series.value, series.unit)
    # A bound says little: half of all values lie below it.
    bits = np.where([bool(slot.side) for slot in series.slots], np.minimum(bits, 1.0), bits)
    return _Wanted(series, changes if deep else [one for one in changes if one.cost < 6], words, bits)


def _compare(
    wanted: _Wanted,
    view: FrameView,
    selection: Selection,
    fixed: list[int],
    named: Named,
    evaluated: Evaluated,
    frames: int,
    tally: Tally,
) -> None:
    """Every statistic and transformation of an evaluation against the printed numbers of one series."""
    series = wanted.series
    shared = math.log2(max(2, frames)) + selection.cost
    base = view.measure_costs(series.constant)[None, :] + filter_costs(view, fixed, evaluated.filters, named)[:, None]
    base = base + ({"column": 0.0, "row": 1.5, "block": 1.5}[series.kind] + (1.0 if view.melted else 0.0))
    total = float(wanted.bits.sum())
    for statistic, values in evaluated.values.items():
        stat_cost = scoring.statistic_cost(statistic, wanted.words)
        if total - stat_cost - shared - float(base.min()) <= wanted.floor:
            continue
        covered = evaluated.covered[statistic]
        for change in wanted.changes:
            if statistic in ("count", "negative") and change.name:
                continue
            tally.hypotheses += values.shape[1] * values.shape[2]
            agree = scoring.hits(change(values), series.low, series.high)
            count = agree.sum(axis=0)
            if not count.any():
                continue
            own = base + stat_cost + change.cost
            gained = np.tensordot(wanted.bits, agree, axes=1)
            # A number that is one digit off loses one bit at least.
            bound = gained - (covered - count) - own - shared
            promising = (count * 2 >= covered) & (bound > wanted.floor)
            if not promising.any():
                continue
            spots = np.argwhere(promising)
            if len(spots) > _LOOKED_AT:
                rough = (gained - (covered - count) * 4.0 - own)[promising]
                spots = spots[np.argsort(-rough, kind="stable")[:_LOOKED_AT]]
            for one, measure in spots:
                candidate = _scored(
                    wanted, view, selection, fixed, evaluated.filters[one], int(measure), statistic, change,
                    change(values[:, :, measure]), int(one), agree[:, one, measure], evaluated.sizes[:, one, measure],
                    float(own[one, measure]), shared,
                )  # fmt: skip
                if candidate is not None:
                    _keep(wanted.kept, candidate)


def _swapped(series: Series, expected: Numbers, wrong: npt.NDArray[np.bool_]) -> bool:
    """Whether the two numbers that disagree are each what the other should be."""
    places = np.nonzero(wrong)[0]
    if len(places) != 2:
        return False
    crossed = scoring.hits(expected[places[::-1]], series.low[places], series.high[places])
    return bool(crossed.all())


def _keep(kept: list[Candidate], candidate: Candidate) -> None:
    """Adds a candidate, unless one that says the same for less is there."""
    for place, other in enumerate(kept):
        if other.frame.files == candidate.frame.files and np.allclose(
            other.expected, candidate.expected, rtol=1e-9, atol=0, equal_nan=True
        ):
            if other.rank >= candidate.rank:
                return
            del kept[place]
            break
    kept.append(candidate)
    kept.sort(key=lambda one: (-one.rank, one.cost))
    del kept[KEPT:]


def _scored(
    wanted: _Wanted,
    view: FrameView,
    selection: Selection,
    fixed: list[int],
    filters: npt.NDArray[np.int32],
    measure: int,
    statistic: str,
    change: Transformation,
    table: Numbers,
    place: int,
    agrees: npt.NDArray[np.bool_],
    sizes: Numbers,
    own: float,
    shared: float,
) -> Candidate | None:
    series = wanted.series
    expected = table[:, place]
    covered = np.isfinite(expected)
    off = int((covered & ~agrees).sum())
    swapped = _swapped(series, expected, covered & ~agrees)
    if off > max(2, 0.15 * covered.sum()) or agrees.sum() < off or (off > 1 and agrees.sum() == off and not swapped):
        return None
    pool = (np.unique(table, axis=1) if table.shape[1] > 1 else table).reshape(-1)
    bits = np.minimum(wanted.bits, scoring.common_bits(pool, series.value, series.unit))
    lost = 0.0
    if swapped:
        # Two labels that changed places: their numbers are evidence still, and the pair has to be named.
        size = len(series.slots)
        lost = scoring.SLIP + math.log2(size * (size - 1) / 2) - float(bits[covered & ~agrees].sum())
    for spot in np.nonzero(covered & ~agrees)[0] if not swapped else ():
        slot = series.slots[spot]
        if agrees.sum() == off and not scoring.one_digit_apart(slot.text, printed_as(float(expected[spot]), slot)):
            return None
        lost += scoring.loss(slot.text, printed_as(float(expected[spot]), slot), float(bits[spot]))
        lost += math.log2(len(series.slots))
    score = float(bits[agrees].sum()) - lost - own - shared
    rank = float(wanted.bits[agrees].sum()) - lost - own - shared
    if rank <= wanted.floor:
        return None
    rank -= UNSAID * float((~covered).sum()) if series.kind == "column" else 0.0
    fields = view.frame.dimensions
    return Candidate(
        series,
        view.frame,
        selection,
        tuple(
            (fields[one].name, fields[one].values[code] if code >= 0 else "")
            for one, code in zip(fixed, filters, strict=True)
        ),
        view.frame.measures[measure],
        statistic,
        change,
        expected,
        sizes,
        agrees,
        bits,
        own + shared,
        shared,
        score,
        rank,
    )
