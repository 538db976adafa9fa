"""Named metrics: quantities of a study that a cell can ask for by name.

A metric reads distributions, action values, observations and ledgers, never a score, a summary or a
selection record: those are what was reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sealtrace.contract.scalars import EXACT_PATTERN, exact
from sealtrace.printed.judgement import Rounded, round_to
from sealtrace.studies.policies.evidence.frame import Frame, Index, Vector
from sealtrace.studies.policies.evidence.study import Study

Arguments = dict[str, str]


class RecipeError(Exception):
    """The recipe asks for something that the study does not have."""


class MissingEvidenceError(Exception):
    """The recipe is sound, but records that it needs are absent."""


@dataclass(frozen=True)
class Value:
    """A recomputed quantity."""

    numbers: tuple[Fraction, ...]
    frame: Frame | None = None
    rows: Index | None = None
    """The records that it was computed from."""
    marks: str | None = None
    """The marks that the cell must carry, where the metric says so."""
    rounded: Rounded | None = None
    """The same quantity from inputs that were rounded first, where it has inputs that a table would print."""
    text: str | None = None
    """What the cell must print, where it is no number: the candidates of a map."""

    @property
    def count(self) -> int:
        """How many records there were."""
        return 0 if self.rows is None else len(self.rows)

    def records(self, most: int = 3) -> list[str]:
        """The first few records, as people find them."""
        if self.frame is None or self.rows is None:
            return []
        return [_record(self.frame, row) for row in self.rows[:most].tolist()]


@dataclass(frozen=True)
class Metric:
    """One named metric."""

    name: str
    formula: str
    source: str
    arguments: tuple[str, ...]
    optional: tuple[str, ...]
    given: bool
    """An id, scale or declared constant rather than a result."""
    measured: bool
    """An aggregate of sealed measurements."""
    function: Callable[[Study, Arguments], Value]


METRICS: dict[str, Metric] = {}


def metric(
    name: str,
    formula: str,
    source: str,
    *,
    needs: str = "",
    takes: str = "",
    given: bool = False,
    measured: bool = False,
) -> Callable[[Callable[[Study, Arguments], Value]], Callable[[Study, Arguments], Value]]:
    """Registers a metric; `needs` and `takes` name its required and optional arguments."""

    def register(function: Callable[[Study, Arguments], Value]) -> Callable[[Study, Arguments], Value]:
        METRICS[name] = Metric(
            name, formula, source, tuple(needs.split()), tuple(takes.split()), given, measured, function
        )
        return function

    return register


@metric("cell", "the number of another cell, recomputed", "the same quantity, printed twice", needs="cell")
def _another_cell(_: Study, __: Arguments) -> Value:
    raise RecipeError("a cell takes its value from another one only within its tables")


def compute(study: Study, name: str, arguments: Arguments) -> Value:
    """The value of a metric, or `RecipeError` where it cannot be asked for so."""
    known = METRICS.get(name)
    if known is None:
        raise RecipeError(f"there is no metric {name!r}; `sealtrace metrics` lists them")
    for argument in known.arguments:
        if argument not in arguments:
            raise RecipeError(f"{name} needs the argument {argument!r}")
    for argument in arguments:
        if argument not in known.arguments + known.optional:
            raise RecipeError(f"{name} takes no argument {argument!r}")
    if not study.protocol.get("actions"):
        raise RecipeError(f"{name} is a metric of policies, and the study declares none")
    return known.function(study, arguments)


# What arguments mean


def candidate_place(study: Study, text: str) -> int:
    """The bank's candidate that `arm` or `arm@scale` names; scales are compared as numbers."""
    places: dict[tuple[str, Fraction | None], int] = once(
        study,
        "candidate places",
        lambda: {
            (one.arm, None if one.scale is None else exact(one.scale)): place
            for place, one in enumerate(study.candidates)
        },
    )
    arm, _, scale = text.partition("@")
    place = places.get((arm, constant_of(scale) if scale else None))
    if place is None:
        raise RecipeError(f"the bank has no policy {text!r}")
    return place


def constant_of(text: str) -> Fraction:
    """A constant of a recipe. Only what a record may declare is read: a longer exponent would never end."""
    if len(text) > 64 or not re.fullmatch(EXACT_PATTERN.removesuffix("$"), text):
        raise RecipeError(f"{text[:70]!r} is no decimal and no ratio")
    return exact(text)


def state_place(study: Study, text: str) -> int:
    places: dict[str, int] = once(
        study, "state places", lambda: {name: place for place, name in enumerate(study.states.to_pylist())}
    )
    if text not in places:
        raise RecipeError(f"there is no observed state {text!r}")
    return places[text]


def once(study: Study, name: str, compute_it: Callable[[], Any]) -> Any:
    """What many cells need is computed for the first of them."""
    if name not in study.memory:
        study.memory[name] = compute_it()
    return study.memory[name]


def members_of(study: Study, population: str) -> Index:
    """The observed states of a population, in order of their ids."""
    members: Index = once(study, f"members of {population}", lambda: _members_in_order(study, population))
    return members


def _members_in_order(study: Study, population: str) -> Index:
    splits, names = study.frame("observation").texts("split")
    if population == "all":
        members = np.arange(len(study.states))
    elif population in names:
        members = np.flatnonzero(splits == names.index(population))
    else:
        raise RecipeError(f"there is no population {population!r}; it is `all` or a split")
    ids = [text.encode() for text in study.states.to_pylist()]
    return np.array(sorted(members.tolist(), key=ids.__getitem__), np.int64)


def traces_of(study: Study, arguments: Arguments) -> Index:
    """The traces of a policy over a population or at a state, in order of state."""
    candidate = candidate_place(study, arguments["policy"])
    rows: Index = once(
        study,
        f"traces of {candidate}",
        lambda: study.by_state("trace", np.flatnonzero(study.trace_candidate == candidate)),
    )
    if "state" in arguments:
        members = np.array([state_place(study, arguments["state"])])
    else:
        members = members_of(study, arguments.get("population", "all"))
    chosen = rows[members]
    if not len(chosen) or (chosen < 0).any():
        raise MissingEvidenceError(f"{arguments['policy']} has no single trace at {int((chosen < 0).sum())} states")
    traces: Index = chosen
    return traces


def scored_traces(study: Study, arguments: Arguments) -> tuple[Index, Index]:
    """Traces, and their places among the recomputed scores."""
    rows = traces_of(study, arguments)
    places: Index = once(study, "places of scores", lambda: _places_of_scores(study))
    if (places[rows] < 0).any():
        raise MissingEvidenceError("a state has no anchor or no action values")
    return rows, places[rows]


def _places_of_scores(study: Study) -> Index:
    places = np.full(study.frame("trace").size, -1, np.int64)
    places[study.scored.rows] = np.arange(len(study.scored.rows))
    return places


def value_of(
    frame: Frame,
    rows: Index,
    *numbers: float | Fraction,
    marks: str | None = None,
    rounded: Rounded | None = None,
) -> Value:
    for number in numbers:
        if isinstance(number, float) and not np.isfinite(number):
            raise MissingEvidenceError("the value is not finite")
    return Value(tuple(Fraction(number) for number in numbers), frame, rows, marks, rounded)


def rounded_values(values: Vector, unit: Fraction) -> list[Fraction]:
    """Values as a table would print them. A count is printed whole."""
    return [round_to(Fraction(value), unit or Fraction(1)) for value in values.tolist()]


def _record(frame: Frame, row: int) -> str:
    source, number = frame.place(row)
    return f"{source}:{number} ({' '.join(frame.key(row).values())})"
