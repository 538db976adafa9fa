"""Single values of results by their names, for numbers that stand alone: which record does a sentence speak of?

A record's words are those of its measure and of the fields that tell it from the others. Of all records that a sentence
names at least as well, those that lie near the printed number without printing the same show how likely an accident is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.frames import Dimension, Frame, Numbers
from sealtrace.binding.names import telling_words, words
from sealtrace.binding.series import Slot

MAX_VALUES = 30_000
"""Values of one table that are looked through."""
NEAR = 50
"""Units of the last place within which other values count as near."""
_EMPTY = frozenset({"vs", "the", "a", "of", "and", "to", "in", "by", "for", "on", "is", "value", "current", "item"})


@dataclass(frozen=True)
class Named:
    """A value that a sentence names."""

    frame: Frame
    row: int
    measure: int
    bits: float
    """How unlikely it is that another value as well named prints the same."""
    said: float

    def text(self) -> str:
        """What it is and where it stands."""
        if not self.frame.derived.startswith("mean") and not self.frame.derived.startswith("rows"):
            return f"{self.frame.measures[self.measure]} at {self.frame.places[self.row]}"
        where = " and ".join(
            f"{one.name} = {one.values[one.codes[self.row]]}"
            for one in self.frame.dimensions
            if one.codes[self.row] >= 0
        )
        what = "rows" if self.frame.derived == "rows" else f"mean of {self.frame.measures[self.measure]}"
        return f"{what} in {self.frame.name}" + (f" where {where}" if where else "")


class Records:
    """All values of some frames, ready to be asked."""

    def __init__(self, frames: list[Frame], measured: float) -> None:
        """`measured` is the share of a measure's own words that must be said."""
        self._measured = measured
        self._frames = [frame for frame in frames if 0 < frame.numbers.size <= MAX_VALUES]
        self._measures = [[_told(words(name)) for name in frame.measures] for frame in self._frames]
        self._fields = [
            [(one, [_told(told) for told in _value_words(one)]) for one in primary(frame)] for frame in self._frames
        ]
        sizes = [frame.numbers.size for frame in self._frames]
        self._starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64) if sizes else np.zeros(1, np.int64)
        self._flat = np.concatenate([frame.numbers.reshape(-1) for frame in self._frames]) if sizes else np.zeros(0)
        self._weights: Mapping[str, float] = {}
        self._covers: dict[int, tuple[Numbers, Numbers]] = {}

    def named(self, slot: Slot, weights: Mapping[str, float]) -> Named | None:
        """The value that prints as the number and that the words name most surely."""
        if self._weights is not weights:
            self._weights, self._covers = weights, {}
        unit = float(slot.unit) or 1.0
        target = abs(float(slot.value))
        found: list[tuple[float, float, int, int, int]] = []
        for scale in _scales(slot):
            hit = np.abs(np.abs(self._flat * scale) - target) <= unit / 2 * (1 + 1e-9)
            if slot.text[0] in "+-−":
                hit &= self._flat * float(slot.value) >= 0
            for flat in np.nonzero(hit)[0]:
                place, row, column = self._at(int(flat))
                if self._frames[place].derived == "rows" and "." in slot.text:
                    continue
                cover, length = self._said(place, weights)
                if cover[row, column] >= 0.5:
                    found.append((float(cover[row, column]), float(length[row, column]), place, row, column))
        # Of what is said as well, the shorter name goes first; the few best are weighed against their rivals.
        found.sort(key=lambda one: (-round(one[0], 1), one[1], -one[0]))
        best: Named | None = None
        for score, length_of_name, place, row, column in found[:4]:
            bits = self._bits(slot, weights, score - 0.05, length_of_name)
            if best is None or bits > best.bits:
                best = Named(self._frames[place], row, column, bits, score)
        return best

    def _at(self, flat: int) -> tuple[int, int, int]:
        """Frame, row and measure of a value."""
        place = int(np.searchsorted(self._starts, flat, "right")) - 1
        row, column = divmod(flat - int(self._starts[place]), self._frames[place].numbers.shape[1])
        return place, row, column

    def _said(self, place: int, weights: Mapping[str, float]) -> tuple[Numbers, Numbers]:
        """Share of each value's words that is said, and how many words there are: [row, measure]."""
        if place in self._covers:
            return self._covers[place]
        frame = self._frames[place]
        measure = np.array([sum(weights.get(word, 0.0) for word in told) for told in self._measures[place]])
        length = np.array([len(told) for told in self._measures[place]], float)
        rows, sizes = np.zeros(frame.rows), np.zeros(frame.rows)
        for field, told in self._fields[place]:
            score = np.array([*(sum(weights.get(word, 0.0) for word in one) for one in told), 0.0])
            count = np.array([*(float(len(one)) for one in told), 0.0])
            rows += score[field.codes]
            sizes += count[field.codes]
        total = length[None, :] + sizes[:, None]
        cover: Numbers = (measure[None, :] + rows[:, None]) / np.maximum(1.0, total)
        # A measure that is not named at all is not spoken of.
        spoken = measure / np.maximum(1.0, length) >= self._measured
        # A field that is measured and selects would name itself.
        spoken &= ~np.isin(frame.measures, [field.name for field, _ in self._fields[place]]) | (frame.derived == "rows")
        self._covers[place] = np.where(spoken[None, :], cover, 0.0), total
        return self._covers[place]

    def _bits(self, slot: Slot, weights: Mapping[str, float], least: float, words_in_name: float) -> float:
        """How unlikely an accident is, from rivals: values as well and as briefly named that lie near it.

        Values that print the same are no rivals, and equal rivals count once.
        """
        unit = float(slot.unit) or 1.0
        reach = min(NEAR * unit, max(2 * unit, abs(float(slot.value)) / 2))
        target = abs(float(slot.value))
        rivals: set[float] = set()
        for scale in _scales(slot):
            gap = np.abs(np.abs(self._flat * scale) - target)
            near = np.nonzero((gap <= reach) & (gap > unit / 2 * (1 + 1e-9)))[0]
            places = np.searchsorted(self._starts, near, "right") - 1
            for place in np.unique(places):
                cover, length = self._said(int(place), weights)
                inside = near[places == place] - self._starts[place]
                named = (cover.reshape(-1)[inside] >= least) & (length.reshape(-1)[inside] <= words_in_name)
                values = self._frames[place].numbers.reshape(-1)[inside[named]]
                rivals.update(np.round(values * scale / unit).tolist())
        return -math.log2((len(rivals) + 0.5) / (2 * reach / unit + 1))


def beside(record: Named, slot: Slot) -> Named | None:
    """Another value of the measure that the number next to this one was bound to, where few could print the same."""
    values = record.frame.numbers[:, record.measure]
    unit = float(slot.unit) or 1.0
    gap = np.abs(values - float(slot.value))
    equal = np.nonzero(gap <= unit / 2 * (1 + 1e-9))[0]
    reach = min(NEAR * unit, max(2 * unit, abs(float(slot.value)) / 2))
    rivals = len(np.unique(np.round(values[(gap <= reach) & (gap > unit / 2 * (1 + 1e-9))] / unit)))
    if len(equal) != 1:
        return None
    return Named(record.frame, int(equal[0]), record.measure, -math.log2((rivals + 0.5) / (2 * reach / unit + 1)), 0.0)


def _value_words(field: Dimension) -> list[tuple[str, ...]]:
    """Words that name each value of a field; a bare number is named with its field."""
    if all(one.isdecimal() for one in field.values):
        return [words(f"{field.name} {one}") for one in field.values]
    return telling_words(field.values)


def _scales(slot: Slot) -> tuple[float, ...]:
    return (100.0, 1.0) if slot.percent else (1.0,)


def _told(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in dict.fromkeys(tokens) if word not in _EMPTY)


def primary(frame: Frame) -> list[Dimension]:
    """Fields that name rows: no parts of other fields, and none that all rows share."""
    named = [one for one in frame.dimensions if "/" not in one.name and len(one.values) > 1]
    return [one for one in named if one.name not in frame.measures or len(one.values) <= 12]


def summaries(frame: Frame, fields: int = 2) -> list[Frame]:
    """Means over the whole frame and over the values of some fields, and how many rows have each value."""
    frame = frame.only(set(frame.measures) - {one.name for one in frame.dimensions})
    if not 2 < frame.rows <= 20_000 or not frame.measures or frame.numbers.size > 400_000:
        return []
    telling = primary(frame)
    places = [place for place, one in enumerate(frame.dimensions) if one in telling and len(one.values) <= 40]
    chosen = np.ones((1, frame.rows), dtype=bool)
    found = []
    for size in range(fields + 1):
        for fixed in combinations(places[:6], size):
            evaluated = evaluate(frame, chosen, list(fixed), simple=True)
            if evaluated is None or evaluated.sizes.max() <= 1:
                continue
            rows = len(evaluated.filters)
            dimensions = [
                Dimension(frame.dimensions[one].name, frame.dimensions[one].values, evaluated.filters[:, column])
                for column, one in enumerate(fixed)
            ]
            names = [frame.name] * rows
            found.append(
                Frame(frame.name, frame.files, dimensions, frame.measures, evaluated.of("mean")[0], names, "mean")
            )
            if size == 1:
                counts = np.bincount(frame.dimensions[fixed[0]].codes + 1, minlength=1)[evaluated.filters[:, 0] + 1]
                label = frame.dimensions[fixed[0]].name
                found.append(
                    Frame(frame.name, frame.files, dimensions, [label], counts[:, None].astype(float), names, "rows")
                )
    return found
