"""How sure a prediction of labels is, as odds: what agrees beside a cell, and what does not.

A column's formula is established by other rows, what a row's label means by other columns, and both together predict
the cell where they cross.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sealtrace.binding.candidates import SHOWN, Bound
from sealtrace.binding.hypotheses import NAMED, FrameView
from sealtrace.binding.label_readings import LITERAL, STRONG, Heard, Home, heard_in
from sealtrace.binding.series import Grid, Spot, series_of
from sealtrace.binding.tally import Tally
from sealtrace.binding.weighing import bits_of
from sealtrace.paper.names.words import likeness, stems

WEIGHTS = {
    "constant": -1.72, "label": 0.55, "line follows": 2.45, "measure": 0.22, "one beside": 0.76, "two beside": 0.37,
    "three beside": 0.43, "one departs": -1.85, "half depart": -0.84, "two, none departs": 1.22,
    "three, none departs": 1.66, "line departs": -0.42, "mixed": -1.14, "shared": -1.37, "alone": -0.53,
}  # fmt: skip
"""Logarithms of odds, fitted by `benchmarks/odds.py` (docs/adr/0022)."""


@dataclass(frozen=True)
class LabelEvidence:
    """What speaks for a prediction and against it, of which nothing is the cell's own value."""

    label: float
    """How well the cell's labels name the rows of results."""
    measure: float
    """How well they name what is measured."""
    series: int
    """Different values beside it that agree with the same reading."""
    line: int
    """Cells of its row, or of its column in a series that is a row, that follow from the same rows of results."""
    table: int
    """Different values elsewhere in the table that follow from the same file, by the same fields and statistic."""
    against: int
    """Numbers of the series that do not agree with the reading."""
    line_against: int
    """Cells of its row whose measure is named as well, and that print something else."""
    mixed: bool
    """A mean over things that other rows of the table name one by one: what its label means is open."""
    shared: bool
    """Another label that selects the same rows agrees: that one may name them."""
    alone: bool
    """No other column of several follows from the frame: it is like the one that the table was made of."""

    @property
    def features(self) -> tuple[float, ...]:
        """What the odds are fitted on, in the order of `WEIGHTS`."""
        steps = (self.series >= 1, self.series >= 2, self.series >= 3, self.against > 0,
                 self.against >= max(1, self.series), self.series >= 2 and not self.against,
                 self.series >= 3 and not self.against, self.line_against > 0)  # fmt: skip
        flags = (self.mixed, self.shared, self.alone)
        return (1.0, self.label, float(self.line > 0), self.measure, *map(float, (*steps, *flags)))

    @property
    def odds(self) -> float:
        """How much likelier the results' value is what the cell should print than not."""
        return math.exp(sum(weight * value for weight, value in zip(WEIGHTS.values(), self.features, strict=True)))


class _Table:
    """What agrees in a table and what does not, by where it follows from."""

    def __init__(self, heard: list[Heard]) -> None:
        self.values: dict[Home, set[float]] = {}
        self.columns: dict[str, set[int]] = {}
        """Columns in which something follows from a frame."""
        self.lines: dict[object, set[Spot]] = {}
        self.wrong: dict[object, set[Spot]] = {}
        for said in heard:
            frame = said.reading.view.frame
            self.values.setdefault(said.reading.home, set()).update(said.agreeing)
            named = said.reading.strength >= STRONG and not said.reading.unnamed
            for place in map(int, np.nonzero(said.covered)[0]):
                spot, key = said.series.spots[place], said.line(place)
                if said.agrees[place]:
                    self.columns.setdefault(frame.name, set()).add(spot.column)
                    self.lines.setdefault(key, set()).add(spot)
                elif named:
                    self.wrong.setdefault(key, set()).add(spot)

    def evidence(self, said: Heard) -> Iterator[tuple[int, LabelEvidence]]:
        """What is known of a reading without the cell at each of its places."""
        departs = said.covered & ~said.agrees
        alone = self._alone(said)
        around = self.values[said.reading.home]
        for place in map(int, np.nonzero(said.covered)[0]):
            spot, own, key = said.series.spots[place], float(said.series.value[place]), said.line(place)
            right, wrong = self.lines.get(key, set()), self.wrong.get(key, set())
            yield (
                place,
                LabelEvidence(
                    label=float(said.strengths[place]),
                    measure=said.reading.strength,
                    series=len(said.agreeing) - (own in said.agreeing),
                    line=sum(said.beside(cell, spot) for cell in right),
                    table=len(around) - (own in around),
                    against=int(departs.sum()) - int(departs[place]),
                    line_against=sum(said.beside(cell, spot) for cell in wrong - right),
                    mixed=bool(said.mixed[place]),
                    shared=bool(said.shared[place]),
                    alone=alone,
                ),
            )

    def _alone(self, said: Heard) -> bool:
        if said.series.kind != "column":
            return False
        own = {spot.column for spot in said.series.spots}
        beside = {column for _, column in said.series.grid.cells} - own
        return len(beside) > 1 and not self.columns.get(said.reading.view.frame.name, set()) & beside


@dataclass(frozen=True)
class LabelPrediction:
    """What one reading says of one cell."""

    said: Heard
    place: int
    evidence: LabelEvidence
    odds: float

    @property
    def spot(self) -> Spot:
        """Where the cell stands."""
        return self.said.series.spots[self.place]

    @property
    def value(self) -> float:
        """What the results give."""
        return float(self.said.expected[self.place])

    @property
    def agrees(self) -> bool:
        """Whether the cell prints it."""
        return bool(self.said.agrees[self.place])

    @property
    def digits(self) -> float:
        """Bits of the printed digits."""
        return float(bits_of(self.said.series)[self.place])

    @property
    def bits(self) -> float:
        """How unlikely it is that it agrees by accident."""
        return math.log2(self.odds) + self.digits

    @property
    def named(self) -> bool:
        """Whether labels and words chose its measure and statistic, not printed digits."""
        return not self.said.reading.unnamed

    @property
    def far(self) -> float:
        """How far it is from what is printed, in powers of ten: words leave the unit open, and the nearest is meant."""
        printed = abs(float(self.said.series.value[self.place]))
        return abs(math.log10(max(abs(self.value), 1e-12) / max(printed, 1e-12)))


def _of_the_named_measure(options: list[LabelPrediction]) -> list[LabelPrediction]:
    """Predictions without those of another measure that numbers chose, where the header is the name of one."""
    header = stems(options[0].said.series.grid.headers[options[0].spot.column])
    told = [likeness(header, option.said.reading.measure) for option in options]
    if not any(option.odds >= SHOWN and option.named and own >= LITERAL
               for option, own in zip(options, told, strict=True)):  # fmt: skip
        return options
    return [option for option, own in zip(options, told, strict=True)
            if own >= NAMED or option.said.reading.view.melted or option.said.reading.determined]  # fmt: skip


def predictions(
    grid: Grid, views: list[FrameView], bound: Bound, tally: Tally, limit: float = math.inf
) -> dict[Spot, list[LabelPrediction]]:
    """What the labels of each number name, the best established first."""
    heard: list[Heard] = []
    for series in series_of(grid):
        if not tally.over(limit):
            heard += heard_in(series, views, bound, tally)  # (1), (2)
    table = _Table(heard)  # (3)
    found: dict[Spot, list[LabelPrediction]] = {}
    for said in heard:
        for place, evidence in table.evidence(said):
            found.setdefault(said.series.spots[place], []).append(LabelPrediction(said, place, evidence, evidence.odds))
    for options in found.values():
        options[:] = _of_the_named_measure(options)
        options.sort(key=lambda option: (-round(math.log2(option.odds), 1), round(option.far)))
    return found
