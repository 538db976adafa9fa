"""Bindings in words: the formula of a candidate, and what is wrong with a cell."""

from __future__ import annotations

import numpy as np

from sealtrace.binding.choosing import Candidate

_STATISTICS = {
    "mean": "mean",
    "median": "median",
    "sd": "standard deviation (n - 1)",
    "sd0": "standard deviation (n)",
    "min": "least",
    "max": "greatest",
    "sum": "sum",
    "count": "number of values",
    "negative": "number of negative values",
}


def statistic_of(candidate: Candidate) -> str:
    """The statistic, or `value` where a single record stands behind every number."""
    single = bool(np.all(candidate.sizes[candidate.covered] <= 1))
    return "value" if single and candidate.statistic == "mean" else candidate.statistic


def needed_fields(candidate: Candidate) -> list[int]:
    """Places, among the selecting fields, of those that are needed to select the same rows; plain fields stay."""
    frame, selection = candidate.frame, candidate.selection
    hits = [
        frame.dimensions[field].codes[None, :] == selection.codes[:, column, None]
        for column, field in enumerate(selection.fields)
    ]
    kept = list(range(len(hits)))
    # Parts of names go first, then what was found last.
    for column in sorted(kept, key=lambda one: ("/" not in frame.dimensions[selection.fields[one]].name, -one)):
        rest = [one for one in kept if one != column]
        if rest and np.array_equal(np.logical_and.reduce([hits[one] for one in rest]), selection.chosen):
            kept = rest
    return kept


def selected_by(candidate: Candidate) -> list[str]:
    """The fields whose values labels name."""
    return [candidate.frame.dimensions[candidate.selection.fields[one]].name for one in needed_fields(candidate)]


def formula_of(candidate: Candidate) -> str:
    """How results give the numbers, in a line."""
    statistic = statistic_of(candidate)
    measured = candidate.measure
    named = "column" in selected_by(candidate)
    what = "the column that the label names" if named and measured == "value" else measured
    text = what if statistic == "value" else f"{_STATISTICS[statistic]} of {what}"
    text = candidate.transformation.text(text)
    where = " and ".join(f"{name} = {value or 'none'}" for name, value in candidate.fixed)
    by = ", ".join(name for name in selected_by(candidate) if name != "column")
    return f"{text} in {candidate.frame.name}" + (f" where {where}" if where else "") + (f" by {by}" if by else "")


def records_behind(candidate: Candidate, place: int, most: int = 5) -> tuple[list[str], int]:
    """Where the records behind a number stand."""
    rows = candidate.selection.chosen[place].copy()
    for name, value in candidate.fixed:
        field = next(one for one in candidate.frame.dimensions if one.name == name)
        code = field.values.index(value) if value else -1
        rows &= field.codes == code
    found = np.nonzero(rows)[0]
    return list(dict.fromkeys(candidate.frame.places[row] for row in found[: 4 * most]))[:most], len(found)
