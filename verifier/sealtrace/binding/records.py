"""Single values of results by their names, for numbers that stand alone: which record does a sentence speak of?

A record's words are those of its measure and of the fields that tell it from the others. Of all records that a sentence
names at least as well, those that lie near the printed number without printing the same show how likely an accident is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sealtrace.binding.derived import REPEAT
from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.frames import Dimension, Numbers, ResultFrame
from sealtrace.binding.slots import HALF, gaps, is_telling, prints, reach, same_sign, scales, unit_of
from sealtrace.binding.wording import plain_field
from sealtrace.paper.names.words import distinguishing, of_one_only, stems, vocabulary
from sealtrace.paper.numbers import PrintedNumber

MAX_VALUES = 30_000
"""Values of one table that are looked through."""
_FEW_DIGITS, _NAMED_WELL = 3, 0.75
"""Numbers of fewer digits are printed by many records: so much of the row's words must be said."""
_POOLING = vocabulary("mean overall across pooled all")
"""Words with which a sentence speaks of a mean over different things; over repeats none is needed."""
_EMPTY = frozenset({"vs", "the", "a", "of", "and", "to", "in", "by", "for", "on", "is", "value", "current", "item"})


@dataclass(frozen=True)
class Named:
    """A value that a sentence names."""

    frame: ResultFrame
    row: int
    measure: int
    bits: float
    """How unlikely it is that another value as well named prints the same."""
    said: float

    def text(self) -> str:
        """What it is and where it stands."""
        if not self.frame.derived.startswith("mean"):
            return f"{self.frame.measures[self.measure]} at {self.frame.places[self.row]}"
        where = " and ".join(
            f"{plain_field(dimension.name)} = {dimension.values[dimension.codes[self.row]]}"
            for dimension in self.frame.dimensions
            if dimension.codes[self.row] >= 0
        )
        what = f"mean of {self.frame.measures[self.measure]}"
        return f"{what} in {self.frame.name}" + (f" where {where}" if where else "")


class _Names:
    """Words of many names, so that what a sentence says of each is one sum."""

    def __init__(self, names: list[tuple[str, ...]], vocabulary: dict[str, int]) -> None:
        told = [_told(name) for name in names]
        self._size = len(told)
        self._owner = np.array([place for place, name in enumerate(told) for _ in name], np.int64)
        self._word = np.array(
            [vocabulary.setdefault(word, len(vocabulary)) for name in told for word in name], np.int64
        )
        self.lengths = np.array([len(name) for name in told], float)

    def said(self, weights: Numbers) -> Numbers:
        """The weight of each name's words."""
        return np.bincount(self._owner, weights[self._word], self._size).astype(float)


class _Values:
    """The values of one frame by their names."""

    def __init__(self, frame: ResultFrame, measured: float, vocabulary: dict[str, int]) -> None:
        self.frame = frame
        self._measured = measured
        self._measures = _Names([stems(name) for name in frame.measures], vocabulary)
        fields = primary(frame)
        words = [(dimension.codes, [*value_words(dimension), ()]) for dimension in fields]
        self._fields = [(codes, _Names(names, vocabulary)) for codes, names in words]
        self._telling = [
            (codes, _Names([tuple(name) for name in of_one_only(names)], vocabulary)) for codes, names in words
        ]
        self._over = [_Names(value_words(dimension), vocabulary) for dimension in frame.over]
        self._pooling = np.array([vocabulary.setdefault(word, len(vocabulary)) for word in _POOLING])
        # A field that is measured and selects would name itself.
        own = np.isin(frame.measures, [dimension.name for dimension in fields])
        self._usable = ~own
        sizes = np.zeros(frame.rows)
        for codes, names in self._fields:
            sizes += names.lengths[codes]
        self._sizes = sizes
        self.lengths = self._measures.lengths[None, :] + sizes[:, None]
        # A measure that one row has names that row; of several, some word must tell.
        self._told = (sizes == 0)[:, None] | (np.isfinite(frame.numbers).sum(axis=0) < 2)

    def said(self, weights: Numbers) -> tuple[Numbers, Numbers] | None:
        """Share of each value's words that is said, [row, measure], and of each row's; None where no measure is spoken
        of, or where one of those is named in full that a mean is taken over."""
        sure = np.floor(weights)
        if any(bool(np.any(names.said(sure) >= np.maximum(1.0, names.lengths))) for names in self._over):
            return None
        measure = self._measures.said(weights)
        spoken = (measure / np.maximum(1.0, self._measures.lengths) >= self._measured) & self._usable
        if self.frame.derived:
            spoken &= measure > 0  # A mean of something that nobody speaks of is an accident.
        if not spoken.any():
            return None
        rows = np.zeros(self.frame.rows)
        meant = np.ones(self.frame.rows, dtype=bool)
        for codes, names in self._fields:
            rows += names.said(weights)[codes]
            # Where a sentence names another value in full and says nothing of a row's own, it speaks of the other.
            own = names.said(sure)
            if np.any(own >= np.maximum(1.0, names.lengths)):
                meant &= (own[codes] > 0) | (codes < 0)
        cover: Numbers = (measure[None, :] + rows[:, None]) / np.maximum(1.0, self.lengths)
        told = sum((names.said(weights)[codes] for codes, names in self._telling), np.zeros(self.frame.rows)) > 0
        shares = np.where(self._sizes > 0, rows / np.maximum(1.0, self._sizes), 1.0)
        named = spoken[None, :] & (self._told | told[:, None]) & meant[:, None]
        if self.frame.pooled is not None and weights[self._pooling].max() < 1.0:
            named &= ~self.frame.pooled
        return np.where(named, cover, 0.0), shares


class Records:
    """All values of some frames, ready to be asked."""

    def __init__(self, frames: list[ResultFrame], measured: float, *, least: float = 0.5) -> None:
        """`measured` is the share of a measure's own words that must be said, `least` that of all words."""
        self._least = least
        self._vocabulary: dict[str, int] = {}
        self._values = [
            _Values(frame, measured, self._vocabulary) for frame in frames if 0 < frame.numbers.size <= MAX_VALUES
        ]
        sizes = [values.frame.numbers.size for values in self._values]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._flat = (
            np.concatenate([values.frame.numbers.reshape(-1) for values in self._values]) if sizes else np.zeros(0)
        )
        self._place = {id(value.frame): place for place, value in enumerate(self._values)}
        self._told: Mapping[str, float] = {}
        self._weights = np.zeros(0)
        self._covers: dict[int, tuple[Numbers, Numbers] | None] = {}

    def _listen(self, told: Mapping[str, float]) -> None:
        if self._told is not told or not len(self._weights):
            self._told, self._covers = told, {}
            self._weights = np.array([told.get(word, 0.0) for word in self._vocabulary])

    def _cover(self, place: int) -> tuple[Numbers, Numbers] | None:
        if place not in self._covers:
            self._covers[place] = self._values[place].said(self._weights)
        return self._covers[place]

    def disputed(self, named: Named, slot: PrintedNumber, told: Mapping[str, float]) -> bool | None:
        """Whether other words name another value of the measure than the number beside them; None: they name none."""
        self._listen(told)
        said = self._cover(self._place[id(named.frame)])
        if said is None or (cover := said[0])[:, named.measure].max() < named.said - 1e-9:
            return None
        best = cover[:, named.measure] >= cover[:, named.measure].max() - 1e-9
        values = named.frame.numbers[best, named.measure]
        return not any(bool(np.any(gaps(slot, values, scale) <= HALF)) for scale in (1.0, 100.0))

    def named(self, slot: PrintedNumber, told: Mapping[str, float]) -> Named | None:
        """The value that prints as the number and that the words name most surely."""
        self._listen(told)
        few = len(slot.text.strip("+-−0.%").replace(".", "").replace(",", "")) < _FEW_DIGITS
        # A round number is a setting or a level more often than a result: all of the record's words must be said.
        least = self._least if is_telling(slot) else 1 - 1e-9
        found: list[tuple[float, float, int, int]] = []
        for place, inside, cover in self._by_frame(np.nonzero(prints(slot, self._flat))[0]):
            values = self._values[place]
            if few and (said := self._cover(place)) is not None:
                cover = cover * (said[1][inside // values.frame.numbers.shape[1]] >= _NAMED_WELL)
            good, covers = inside[cover >= least], cover[cover >= least]
            lengths = values.lengths.reshape(-1)[good]
            order = np.lexsort((-covers, lengths, -np.round(covers, 1)))[:4]
            found += [(float(covers[at]), float(lengths[at]), place, int(good[at])) for at in order]
        # Of what is said as well, the shorter name goes first; the few best are weighed against their rivals.
        found.sort(key=lambda option: (-round(option[0], 1), option[1], -option[0]))
        best: Named | None = None
        for score, length, place, flat in found[:4]:
            bits = self._bits(slot, score - 0.05, length)
            if best is None or bits > best.bits:
                frame = self._values[place].frame
                row, column = divmod(flat, frame.numbers.shape[1])
                best = Named(frame, row, column, bits, score)
        return best

    def only(self, named: Named, slot: PrintedNumber) -> bool:
        """Whether the words that were asked last name no other value of the frame as well that prints differently."""
        said = self._cover(self._place[id(named.frame)])
        assert said is not None
        values = named.frame.numbers[said[0] >= named.said - 1e-9]
        value = named.frame.numbers[named.row, named.measure]
        return bool(np.all(np.abs(values - value)[np.isfinite(values)] <= float(slot.unit) / max(scales(slot))))

    def _by_frame(self, flat: npt.NDArray[np.int64]) -> Iterator[tuple[int, npt.NDArray[np.int64], Numbers]]:
        """Values by their frame: places inside it, and the share of their words that is said."""
        places = np.searchsorted(self._starts, flat, "right") - 1
        for place in np.unique(places).tolist():
            if (said := self._cover(place)) is not None:
                inside = flat[places == place] - self._starts[place]
                yield place, inside, said[0].reshape(-1)[inside]

    def _bits(self, slot: PrintedNumber, least: float, words_in_name: float) -> float:
        """How unlikely an accident is, from rivals: values as well and as briefly named that lie near it.

        Values that print the same are no rivals, and equal rivals count once.
        """
        rivals: set[float] = set()
        for scale in scales(slot):
            apart = gaps(slot, self._flat, scale)
            near = (apart <= reach(slot)) & (apart > HALF) & same_sign(slot, self._flat)
            for place, inside, cover in self._by_frame(np.nonzero(near)[0]):
                values = self._values[place]
                named = inside[(cover >= least) & (values.lengths.reshape(-1)[inside] <= words_in_name)]
                rivals |= _apart(values.frame.numbers.reshape(-1)[named] * scale, slot)
        return surprise(len(rivals), slot)


def _apart(values: Numbers, slot: PrintedNumber) -> set[float]:
    """Values as they would be told apart in a number's place."""
    return set(np.round(values / unit_of(slot)).tolist())


def surprise(rivals: int, slot: PrintedNumber) -> float:
    """Bits of a value that prints so among rivals which lie near it and do not."""
    return -math.log2((rivals + 0.5) / (2 * reach(slot) + 1))


def value_words(field: Dimension) -> list[tuple[str, ...]]:
    """Words that name each value of a field; a bare number is named with its field."""
    if all(value.isdecimal() for value in field.values):
        return [stems(f"{field.name} {value}") for value in field.values]
    return distinguishing(field.values)


def _told(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in dict.fromkeys(tokens) if word not in _EMPTY)


def primary(frame: ResultFrame) -> list[Dimension]:
    """Fields that name rows: no parts of other fields, and none that all rows share. Few whole numbers, or numbers with
    a unit (`5d`, `0.5B`), may do so as well."""
    named = [dimension for dimension in frame.dimensions if "/" not in dimension.name and len(dimension.values) > 1]
    return [one for one in named if one.name not in frame.measures or (
        len(one.values) <= 12 and all(value.isdecimal() or value[-1:].isalpha() for value in one.values)
    )]  # fmt: skip


def summaries(frame: ResultFrame, fields: int = 2) -> list[ResultFrame]:
    """Means over the whole frame and over the values of some fields."""
    frame = frame.only(set(frame.measures) - {dimension.name for dimension in frame.dimensions})
    if not 2 < frame.rows <= 20_000 or not frame.measures or frame.numbers.size > 400_000:
        return []
    telling = primary(frame)
    places = [
        place
        for place, dimension in enumerate(frame.dimensions)
        if dimension in telling and len(dimension.values) <= 40
    ]
    chosen = np.ones((1, frame.rows), dtype=bool)
    found = []
    for size in range(fields + 1):
        for fixed in combinations(places[:6], size):
            evaluated = evaluate(frame, chosen, list(fixed), statistics=("min", "max"))
            if evaluated is None or evaluated.sizes.max() <= 1:
                continue
            rows = len(evaluated.filters)
            dimensions = [
                Dimension(frame.dimensions[place].name, frame.dimensions[place].values, evaluated.filters[:, column])
                for column, place in enumerate(fixed)
            ]
            names = [frame.name] * rows
            over = tuple(frame.dimensions[place] for place in places if place not in fixed)
            unlike = evaluated.sizes[0] > 1
            if "max" in evaluated.statistics:
                unlike = evaluated.of("max")[0] > evaluated.of("min")[0]  # The same record in two files is one.
            pooled = unlike & any(REPEAT.search(dimension.name) is None for dimension in over)
            found.append(
                ResultFrame(frame.name, frame.files, dimensions, frame.measures, evaluated.of("mean")[0], names, "mean",
                            over=over, pooled=pooled)
            )  # fmt: skip
    return found
