"""Bindings that are believed, and what became of each number of the tables."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sealtrace.binding.candidates import Candidate, Selected
from sealtrace.binding.series import Spot


@dataclass
class Binding:
    """A candidate that is believed."""

    candidate: Candidate
    score: float
    """Bits, with what other bindings of the table paid already."""
    others: list[Candidate] = field(default_factory=list)
    """Candidates that give the same numbers and cost about as much."""


@dataclass
class BoundNumber:
    """What became of one number of a table."""

    binding: Binding
    place: int
    """In its series."""

    @property
    def agrees(self) -> bool:
        """Whether the paper prints what the binding gives."""
        return bool(self.binding.candidate.agrees[self.place])


@dataclass
class Bound:
    """Bindings of all tables."""

    numbers: dict[Spot, BoundNumber] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)
    meant: dict[tuple[int, str, int], dict[str, str]] = field(default_factory=dict)
    """Table, kind of series and row or column to what its label means, where the numbers beside it say so."""

    def add(self, binding: Binding) -> None:
        """Takes a binding in; a number that is given already stays as it is."""
        candidate = binding.candidate
        self.bindings.append(binding)
        for one in candidate.selected:
            if one.selection.by_value:
                self._learn(one)
        for place in np.nonzero(candidate.covered)[0]:
            spot = candidate.series.spots[place]
            known = self.numbers.get(spot)
            found = BoundNumber(binding, int(place))
            if known is None or (found.agrees and not known.agrees):
                self.numbers[spot] = found

    def _learn(self, one: Selected) -> None:
        fields = [one.frame.dimensions[place] for place in one.selection.fields]
        for spot, codes in zip(one.series.spots, one.selection.codes, strict=True):
            if codes[0] >= 0:
                meant = {field.name: field.values[code] for field, code in zip(fields, codes, strict=True)}
                self.meant.setdefault(one.series.line(spot), {}).update(meant)

    def remove(self, bindings: list[Binding]) -> None:
        """Takes bindings out, with the numbers that they gave."""
        gone = {id(one) for one in bindings}
        self.bindings = [one for one in self.bindings if id(one) not in gone]
        self.numbers = {spot: one for spot, one in self.numbers.items() if id(one.binding) not in gone}
