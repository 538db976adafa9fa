"""Named metrics: quantities of a study that a cell can ask for by name.

A metric reads what was recorded, never a score, a summary or a selection record: those are what was reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from sealtrace.bundle.defects import nearest
from sealtrace.bundle.frames import Frame, Index, StreamedFrame, Vector
from sealtrace.contract.packs import packs
from sealtrace.contract.scalars import EXACT_PATTERN, exact
from sealtrace.evidence import Evidence, once, seen_by
from sealtrace.recipes.forms import FORMS, RESULTS
from sealtrace.recipes.judgement import Rounded, round_to
from sealtrace.recipes.sql_syntax import QueryDescription
from sealtrace.statistics.table import Statistic, all_entries, described, register

Arguments = dict[str, str]


_MOST_KEPT = 2**17
"""Records of one value that are kept by number."""


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
    words: tuple[str, ...] = ()
    """The words that the cell must print with its numbers, such as `41 yes`, where the recipe gives some."""
    measured: bool = False
    """Computed from sealed measurements, which no recomputation can give again."""
    fixed: str | None = None
    """What gives it whatever the records hold, so that it proves nothing; None where it depends on them."""
    query: str | None = None
    """The query that gave it, where one did."""
    total: int | None = None
    """How many records there were, where only the first of them are kept."""
    description: QueryDescription | None = None
    """What that query does."""
    kinds: tuple[str, ...] = ()
    """The kinds of record that it reads."""
    within: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """Kind, field and values: the rows that the query saw."""
    repeats: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Field and values that a pack's metric takes together: the runs and seeds of an arm."""

    @property
    def count(self) -> int:
        """How many records there were."""
        return self.total or (0 if self.rows is None else len(self.rows))

    def lightened(self) -> Value:
        """The same value with the first of very many records: those that are shown."""
        few = self.rows is None or len(self.rows) <= _MOST_KEPT
        return self if few or self.rows is None else replace(self, rows=self.rows[:100].copy(), total=self.count)

    def records(self, most: int = 3) -> list[str]:
        """The first few records, as people find them."""
        if self.frame is None or self.rows is None:
            return []
        return [_record(self.frame, row) for row in self.rows[:most].tolist()]


MetricFunction = Callable[[Any, Arguments], Value]
"""From the records, as the metric's pack sees them, and the recipe's arguments."""
Computing = Callable[[Any, Statistic, Arguments], Value]
_FUNCTIONS: dict[tuple[str, str], MetricFunction] = {}
_COMPUTED: dict[str, Computing] = {}
"""What gives the other statistics of a pack, from the entry."""


def metrics_of(pack: str) -> Callable[[str], Callable[[MetricFunction], MetricFunction]]:
    """The decorator that registers a metric of a pack, which lists it, by its name."""

    def metric(name: str) -> Callable[[MetricFunction], MetricFunction]:
        def add(function: MetricFunction) -> MetricFunction:
            _FUNCTIONS[pack, name] = function
            return function

        return add

    return metric


def computed_by(pack: str, function: Computing) -> None:
    """Registers what gives every statistic of a pack that has no function of its own."""
    _COMPUTED[pack] = function


def all_metrics() -> list[Statistic]:
    """Every metric of every pack."""
    _list_metrics()
    return list(filter(_is_metric, all_entries()))


@cache
def _list_metrics() -> None:
    for pack in packs():
        register(*described(pack.listed, pack.name, pack.paper))


def _is_metric(one: Statistic) -> bool:
    """Whether a pack computes a statistic that it lists; a pack's metrics are imported when first asked for."""
    module = next((pack.metrics for pack in packs() if pack.name == one.pack), "")
    if module:
        import_module(module)
    return (one.pack, one.name) in _FUNCTIONS or (one.pack in _COMPUTED and one.exact is not None)


def metric_of(name: str | None, given: Collection[str] = ()) -> Statistic | None:
    """The metric of a name; where packs share it, the one that takes the given arguments."""
    return _metric_of(name, frozenset(argument.partition(".")[0] for argument in given))


@lru_cache(maxsize=4096)
def _metric_of(name: str | None, words: frozenset[str]) -> Statistic | None:
    """Asked for every cell."""
    _list_metrics()
    found = [metric for metric in all_entries() if metric.name == name and _is_metric(metric)]
    fitting = [metric for metric in found if set(metric.arguments) <= words <= {*metric.arguments, *metric.optional}]
    return next(iter(fitting or found), None)


def compute(evidence: Evidence, name: str, arguments: Arguments) -> Value:
    """The value of a metric, or `RecipeError` where it cannot be asked for so."""
    known = metric_of(name, arguments)
    if known is None:
        raise RecipeError(f"there is no metric {name!r}{nearest(name, [metric.name for metric in all_metrics()])}")
    for argument in known.arguments:
        if argument not in arguments:
            raise RecipeError(f"{name} needs the argument {argument!r}")
    for argument in arguments:
        if argument.partition(".")[0] not in known.arguments + known.optional:
            raise RecipeError(f"{name} takes no argument {argument!r}")
    pack = next(pack for pack in packs() if pack.name == known.pack)
    if (reason := pack.absent(evidence)) is not None:
        raise RecipeError(f"{name} is a metric of {pack.name}: {reason}")
    if (reason := pack.unusable(evidence)) is not None:
        raise MissingEvidenceError(reason)
    arguments = {**known.defaults, **arguments}
    seen, function = seen_by(evidence, pack), _FUNCTIONS.get((known.pack, name))
    return _COMPUTED[known.pack](seen, known, arguments) if function is None else function(seen, arguments)


def constant_of(text: str) -> Fraction:
    """A constant of a recipe. Only what a record may declare is read: a longer exponent would never end."""
    if len(text) > 64 or not re.fullmatch(EXACT_PATTERN.removesuffix("$"), text):
        raise RecipeError(f"{text[:70]!r} is no decimal and no ratio")
    return exact(text)


def value_of(
    frame: Frame, rows: Index, *numbers: float | Fraction, marks: str | None = None, rounded: Rounded | None = None
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


# Values that no record gives

_SAME = "a recipe that gives the same whatever the records hold"
_EXTREMES = {Fraction(0), Fraction(1), Fraction(100)}
"""What a difference of something from itself gives, and a share of everything."""
_MOST_WHOLE = 20_000
"""How many rows are altered where a metric needs all of them."""
_MOST_ALTERED = 2000
"""How many rows are altered: enough to see whether a value moves."""
_MOST_ALIKE = 2**15
"""How many are altered once for all cells, which takes less than some rows for each of a few cells."""


def unless_fixed(evidence: Evidence, name: str, arguments: dict[str, str]) -> Value:
    """A metric's value, with the remark that it proves nothing where no form of the records that it reads moves it."""
    value = compute(evidence, name, arguments)
    known = metric_of(name, arguments)
    assert known is not None
    named = {word: _policy(arguments[word]) for word in ("policy", "selector", "base", "against") if word in arguments}
    if len(set(named.values())) < len(named) and not known.measured:
        return replace(value, fixed="a difference of something from itself")
    if value.frame is None or value.rows is None or known.given or known.measured:
        return value
    if "where" in known.optional:
        kept = frozenset(_selecting(arguments) | set(value.frame.key_fields))
        frame, rows = value.frame, value.rows
        forms = (_altered(evidence, frame, rows, form, kept) for form in FORMS)
    elif value.numbers and set(value.numbers) <= _EXTREMES and "selector" not in arguments:
        if value.frame.size > _MOST_WHOLE:
            return value
        forms = (_other_records(evidence, form) for form in RESULTS)
    else:
        # Nothing but records gives such a number to a metric that chooses no rows; what a selector chooses may
        # well be the same on other records.
        return value
    moves = [False] * max(1, len(value.numbers))
    computed = 0
    for altered in forms:
        try:
            other = compute(altered, name, arguments)
        except (RecipeError, MissingEvidenceError, ArithmeticError, ValueError):
            continue  # no study has such records: they may be beyond what a formula is made for
        computed += 1
        for at in range(len(moves)):
            moves[at] |= (other.numbers[at : at + 1], other.text) != (value.numbers[at : at + 1], value.text)
        if all(moves):
            return value
    return replace(value, fixed=_SAME) if computed else value


def _altered(evidence: Evidence, frame: Frame, rows: Index, form: str, kept: frozenset[str]) -> Evidence:
    """The records with some rows of a frame in another form; all rows, for all cells, where there are not many."""
    whole = isinstance(frame, StreamedFrame) or frame.size <= _MOST_ALIKE
    if whole and evidence.frame(frame.kind) is frame:
        return _altered_alike(evidence, frame.kind, form, kept)
    table = frame.sample(rows, _MOST_ALTERED)
    return evidence.with_frames({frame.kind: frame.altered(FORMS[form](table, kept))})


@once
def _altered_alike(evidence: Evidence, kind: str, form: str, kept: frozenset[str]) -> Evidence:
    frame = evidence.frame(kind)
    streamed = isinstance(frame, StreamedFrame)
    table = frame.sample(np.arange(min(frame.size, _MOST_ALTERED)), _MOST_ALTERED) if streamed else frame.table
    return evidence.with_frames({kind: frame.altered(FORMS[form](table, kept))})


@once
def _other_records(evidence: Evidence, form: str) -> Evidence:
    """The records with other results, but called as they are, so that they join."""
    frames = {kind: evidence.frame(kind) for kind in sorted({store.kind for store in evidence.bundle.stores})}
    return evidence.with_frames(
        {kind: frame.altered(RESULTS[form](frame.table, frame.key_fields)) for kind, frame in frames.items()}
    )


def _policy(name: str) -> tuple[str, Fraction | None]:
    """A policy however its scale is written."""
    arm, at, scale = name.partition("@")
    return arm, constant_of(scale) if at else None


def _selecting(arguments: dict[str, str]) -> set[str]:
    """The fields that say which rows are meant, and what is set beside what."""
    named = {key.partition(".")[2] for key in arguments if "." in key}
    for word in ("group", "over", "problem", "among"):
        named |= {name.strip() for name in arguments.get(word, "").split(",")}
    return named
