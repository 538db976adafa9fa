"""Bindings in words: the formula of a candidate, and where the records behind a number stand."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from sealtrace.binding.candidates import Candidate, Composed, Selected
from sealtrace.binding.frames import COLUMN, Dimension
from sealtrace.binding.hypotheses import rows_named
from sealtrace.paper.names.words import likeness, squeezed, stems
from sealtrace.statistics.entries import TRIED


def statistic_of(candidate: Candidate) -> str:
    """The statistic, or `value` where a single record stands behind every number."""
    if isinstance(candidate, Composed):
        return candidate.operation.name
    assert isinstance(candidate, Selected)
    single = bool(np.all(candidate.sizes[candidate.covered] <= 1))
    return "value" if single and candidate.statistic == "mean" else candidate.statistic


def needed_fields(candidate: Selected) -> list[int]:
    """Places, among the selecting fields, of those that are needed to select the same rows; plain fields stay."""
    frame, selection = candidate.frame, candidate.selection
    hits = [
        rows_named(frame.dimensions[field], selection.codes[:, column]) for column, field in enumerate(selection.fields)
    ]
    kept = list(range(len(hits)))
    # Parts of names go first, then what was found last.
    for column in sorted(kept, key=lambda place: ("/" not in frame.dimensions[selection.fields[place]].name, -place)):
        rest = [place for place in kept if place != column]
        if rest and np.array_equal(np.logical_and.reduce([hits[place] for place in rest]), selection.chosen):
            kept = rest
    return kept


def selected_by(candidate: Candidate) -> list[str]:
    """The fields whose values labels name."""
    return list(
        dict.fromkeys(
            selected.frame.dimensions[selected.selection.fields[place]].name
            for selected in candidate.selected
            for place in needed_fields(selected)
        )
    )


def plain_field(name: str) -> str:
    """A field as reports and drafts call it: those that file names and paths in a file hold say where to look."""
    kind, _, part = name.partition("/")
    if part and kind != COLUMN:
        return f"{plain_field(kind)}_{part}".replace("_part", "_part_")
    if name == "file":
        return "file_name"
    if (level := re.fullmatch(r"(directory|key)(\d+)", name)) is not None:
        return "directory" if name == "directory1" else f"{level[1]}_{level[2]}"
    return name


def _with_examples(field: Dimension) -> str:
    """A field of names and paths with what stands there, so that nobody has to count their parts."""
    told = plain_field(field.name)
    shown = [value for value in field.values if value][:2]
    more = ", …" if len(field.values) > len(shown) else ""
    return told if told == field.name or not shown else f"{told} ({', '.join(shown)}{more})"


def formula_of(candidate: Candidate) -> str:
    """How results give the numbers, in a line."""
    if isinstance(candidate, Composed):
        return _composed(candidate)
    assert isinstance(candidate, Selected)
    statistic = statistic_of(candidate)
    measured = candidate.measure
    named = candidate.frame.whole is not None
    what = "the column that the label names" if named and measured == "value" else measured
    text = what if statistic == "value" else f"{TRIED['values'][statistic].text} of {what}"
    text = candidate.transformation.text(text)
    fixed = [(name, value) for name, value in candidate.fixed if value or not named]
    where = " and ".join(f"{plain_field(name)} = {value or 'none'}" for name, value in fixed)
    fields = {dimension.name: dimension for part in candidate.selected for dimension in part.frame.dimensions}
    names = [name for name in selected_by(candidate) if name.partition("/")[0] != COLUMN or not named]
    by = ", ".join(_with_examples(fields[name]) for name in names)
    told = f", by {by}{_aliases(candidate)}" if by else ""
    return f"{text} in {candidate.frame.name}" + (f" where {where}" if where else "") + told


def _aliases(candidate: Selected) -> str:
    if candidate.selection.by_value is None:
        return ""
    return f" (labels matched by value: {said_of_names(other_names(candidate))})"


def other_names(candidate: Candidate) -> dict[str, str]:
    """What labels were taken to mean, where their numbers and not their names say so."""
    found: dict[str, str] = {}
    for selected in candidate.selected:
        series, codes = selected.series, selected.selection.codes
        fields = [selected.frame.dimensions[place] for place in selected.selection.fields]
        for number in np.nonzero(codes[:, 0] >= 0)[0] if selected.selection.by_value is not None else ():
            label = " / ".join(label.text for label in series.varying[number][:2])
            values = (field.values[code] for field, code in zip(fields, codes[number], strict=True))
            found[label] = " / ".join(values)
        meant = [(name, value) for name, value in selected.fixed if value and name.partition("/")[0] != COLUMN]
        unsaid = [value for _, value in meant if not _is_said(value, series.constant)]
        if unsaid and series.kind == "row":
            found[series.constant[0]] = " and ".join(unsaid)
    return found


def _is_said(value: str, texts: tuple[str, ...]) -> bool:
    return any(squeezed(value) in squeezed(text) or likeness(stems(text), value) > 0 for text in texts)


def said_of_names(names: dict[str, str], most: int = 4) -> str:
    """Some labels with what they were taken to mean."""
    told = "; ".join(f"{label} = {meant}" for label, meant in list(names.items())[:most])
    return told + " …" * (len(names) > most)


def _composed(candidate: Composed) -> str:
    if candidate.of:
        return candidate.operation.text.format(all=candidate.of)
    first = next(parts for parts in candidate.parts if parts)
    names = []
    for (part, place), side in zip(first, range(2), strict=True):
        labels = {part.series.varying[at] for parts in candidate.parts if parts for _, at in parts[side : side + 1]}
        baseline = len(labels) == 1 and len(candidate.parts) > 1
        told = f" of {', '.join(label.text for label in part.series.varying[place])}" if baseline else ""
        names.append(f"[{formula_of(part)}{told}]")
    return candidate.operation.text.format(*names)


def rows_behind(candidate: Selected, place: int) -> npt.NDArray[np.int64]:
    """The rows of its frame that give a number."""
    return np.nonzero(candidate.selection.chosen[place] & candidate.frame.having(candidate.fixed))[0]


def records_behind(candidate: Candidate, place: int, most: int = 5) -> tuple[list[str], int]:
    """Where the records behind a number stand, and how many there are."""
    places: list[str] = []
    count = 0
    for selected, at in candidate.behind(place):
        found = rows_behind(selected, at)
        weights = selected.frame.weights
        count += len(found) if weights is None else int(weights[found].sum())
        places += list(dict.fromkeys(selected.frame.places[row] for row in found[: 4 * most]))[:most]
    return list(dict.fromkeys(places))[:most], count
