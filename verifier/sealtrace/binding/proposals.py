"""Readings of labels that somebody proposes, tested against the results: nothing is believed because it was said.

A label that means a value of a field has numbers beside it that the rows of that value hold; rows of other values hold
them by accident only. One that means a measured field has numbers beside it that this field holds. The odds are those
of the proposed value, or field, against any other, each number taken as independent evidence: that it is held, given
how many others hold it, too. Fields that were tried besides count against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.frames import Codes, Numbers, ResultFrame
from sealtrace.binding.series import Grid
from sealtrace.binding.slots import greatest, least
from sealtrace.contract.result import ClaimResult, Grade
from sealtrace.paper.names.glossary import Glossary
from sealtrace.paper.names.words import SEPARATORS, squeezed

FAMILY = "proposed name"
BELIEVED = 20.0
"""Odds from which a proposal is used, and their inverse from which it is called doubtful."""
_SOUND = 0.9
"""So often a number beside a label that is rightly read is held by its rows: papers also print what no record holds."""
_MOST_GROUPS = 1500
_SCALES = (1.0, 100.0)
_INITIALS, _WORD = re.compile(r"[^\W\d_]{3,6}"), re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Proposal:
    """What a label is said to mean, and what the results say of that."""

    label: str
    means: str
    field: str = ""
    """The field that has that value, or is called so; empty where none is."""
    is_field: bool = False
    numbers: int = 0
    held: int = 0
    """How many of the numbers beside the label rows of the value hold."""
    odds: float = 0.0

    @property
    def grade(self) -> Grade:
        """As claims are graded."""
        if not (self.field and self.numbers):
            return "refused"
        return "holds" if self.odds >= BELIEVED else "suspicion" if self.odds * BELIEVED <= 1 else "undecided"

    def __str__(self) -> str:
        said = f"{self.label!r} means {self.means!r}"
        if not self.numbers:
            return f"{said}: no number stands beside a label of that name."
        if not self.field:
            return f"{said}: no field of the results has that value or name."
        odds = f"{self.odds:,.0f} : 1" if self.odds >= 1 else f"1 : {min(1 / self.odds, 10**9):,.0f}"
        used = "it is used" if self.grade == "holds" else "it is not used"
        rows = f"of the field {self.field}" if self.is_field else f"those of rows with {self.field} = {self.means}"
        held = f"{self.held} of {self.numbers} numbers beside it are {rows}"
        return f"{said}: {held}; odds {odds}, {used}."

    def claim(self) -> ClaimResult:
        """As results list it."""
        return ClaimResult(
            id=f"{FAMILY} {self.label}",
            grade=self.grade,
            says=str(self),
            quote=self.label,
            readings=[f"{self.label} = {self.means}"],
            numbers=[],
            family=FAMILY,
            reason=str(self) if self.grade == "refused" else None,
            evidence=f"{self.held} of {self.numbers} numbers beside the label",
        )


def tested(names: Mapping[str, str], grids: Iterable[Grid], frames: Iterable[ResultFrame]) -> list[Proposal]:
    """Each proposed reading of a label, by the field that speaks for it most."""
    tables, found = list(grids), []
    usable = [frame for frame in frames if frame.measures and frame.rows]
    for label, means in names.items():
        ranges = np.array(list(_beside(tables, label))).reshape(-1, 2)
        readings = [
            (frame, place)
            for frame in usable
            for place, one in enumerate(frame.dimensions)
            if any(squeezed(value) == squeezed(means) for value in one.values)
        ]
        ways = [_as_value(Proposal(label, means, numbers=len(ranges)), ranges, *reading) for reading in readings]
        ways += [
            _as_field(Proposal(label, means, numbers=len(ranges)), ranges, frame, place)
            for frame in usable
            for place, name in enumerate(frame.measures)
            if squeezed(name) == squeezed(means)
        ]
        best = max(ways, key=lambda way: way.odds, default=Proposal(label, means, numbers=len(ranges)))
        # Whoever tries several fields finds one that fits by accident so much more easily.
        found.append(replace(best, odds=best.odds / max(1, len(ways))))
    return found


def learn(glossary: Glossary, proposals: Iterable[Proposal]) -> None:
    """Takes proposals that the results bear out among what the paper's short names stand for."""
    for one in (proposal for proposal in proposals if proposal.grade == "holds"):
        short = one.label.strip().casefold()
        glossary.meanings[short] = (one.means, *glossary.meanings.get(short, ()))


def learn_initials(glossary: Glossary, labels: Iterable[str], frames: Iterable[ResultFrame]) -> None:
    """Takes words of labels for what results call by their initials: `Miles per gallon` for mpg."""
    values = ((*frame.measures, *(value for one in frame.dimensions for value in one.values)) for frame in frames)
    texts = {text for own in values for text in own}
    short = {piece for text in texts for piece in SEPARATORS.split(text.casefold()) if _INITIALS.fullmatch(piece)}
    for label in labels:
        told = list(_WORD.finditer(label.casefold()))
        for first, last in combinations(range(len(told)), 2):
            initials = "".join(word[0][0] for word in told[first : last + 1])
            if initials in short:
                phrase = label[told[first].start() : told[last].end()].casefold()
                glossary.meanings[phrase] = (*glossary.meanings.get(phrase, ()), initials)


def _beside(grids: list[Grid], label: str) -> Iterator[tuple[float, float]]:
    """Between what each number lies that stands in a row or a column of that label, or of a part of it."""
    wanted = squeezed(label)
    for grid in grids:
        rows = {row for row, texts in grid.row_labels.items() if wanted in map(squeezed, texts)}
        columns = {column for column, header in enumerate(grid.headers) if wanted in map(squeezed, header.split(" / "))}
        for (row, column), cell in grid.cells.items():
            if row in rows or column in columns:
                yield from ((float(least(slot)), float(greatest(slot))) for slot in cell.slots[:1])


def _as_value(proposal: Proposal, ranges: Numbers, frame: ResultFrame, place: int) -> Proposal:
    """What the values of one field say of it: which of them hold which of the numbers."""
    dimension = frame.dimensions[place]
    code = next(at for at, value in enumerate(dimension.values) if squeezed(value) == squeezed(proposal.means))
    held = np.zeros((len(ranges), len(dimension.values)), bool)
    for other in [None, *(at for at in range(len(frame.dimensions)) if at != place)]:
        for filters, values in _means(frame, [place] if other is None else [place, other]):
            if filters[0] >= 0:
                held[:, filters[0]] |= _inside(ranges, values)
    return _weighed(replace(proposal, field=dimension.name), held, code)


def _as_field(proposal: Proposal, ranges: Numbers, frame: ResultFrame, place: int) -> Proposal:
    """What the measured fields say of it: which of them hold which of the numbers, for rows of whatever value."""
    held = np.zeros((len(ranges), len(frame.measures)), bool)
    for at in [None, *range(len(frame.dimensions))]:
        for _filters, values in _means(frame, [] if at is None else [at]):
            for measure, value in enumerate(values):
                held[:, measure] |= _inside(ranges, values[measure : measure + 1]) if np.isfinite(value) else False
    return _weighed(replace(proposal, field=frame.measures[place], is_field=True), held, place)


def _means(frame: ResultFrame, fixed: list[int]) -> Iterator[tuple[Codes, Numbers]]:
    """The mean of each measure for every combination of values of some fields, with these values."""
    given = evaluate(frame, np.ones((1, frame.rows), bool), fixed, _MOST_GROUPS)
    if given is not None:
        yield from zip(given.filters, given.of("mean")[0], strict=True)


def _inside(ranges: Numbers, values: Numbers) -> npt.NDArray[np.bool_]:
    """Which of the numbers some value prints as, as it stands or in percent."""
    every = np.concatenate([values[np.isfinite(values)] * scale for scale in _SCALES])
    return np.asarray(((every >= ranges[:, :1]) & (every <= ranges[:, 1:])).any(axis=1))


def _weighed(proposal: Proposal, held: npt.NDArray[np.bool_], code: int) -> Proposal:
    """The odds of the proposed one against all others, by the numbers that each holds."""
    # A number that no value holds, of another measure, or that every one does, tells nothing; one that no other holds
    # is held by accident now and then.
    held = held[held.any(axis=1)]
    others = np.delete(held, code, axis=1)
    often = (others.sum(axis=1) + 1) / (others.shape[1] + 2)
    ratios = np.where(held[:, code], _SOUND / often, (1 - _SOUND) / (1 - often))
    odds = float(np.exp(np.log(ratios).sum())) / max(1, others.shape[1])
    return replace(proposal, held=int(held[:, code].sum()), odds=max(odds, 1e-9))
