"""Named metrics: quantities of a study that a cell can ask for by name.

A metric reads what was recorded, never a score, a summary or a selection record: those are what was reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from sealtrace.bundle.defects import nearest
from sealtrace.bundle.frames import Frame, Index, Vector
from sealtrace.contract.packs import Pack, loaded, packs
from sealtrace.contract.scalars import EXACT_PATTERN, exact
from sealtrace.evidence import Evidence, once
from sealtrace.recipes.choices import RecipeChoice
from sealtrace.recipes.forms import FORMS, RESULTS
from sealtrace.recipes.judgement import Rounded, round_to
from sealtrace.recipes.sql_syntax import QueryDescription

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
    chosen: tuple[RecipeChoice, ...] = ()
    """What that query chooses of the records."""
    description: QueryDescription | None = None
    """What that query does."""
    kinds: tuple[str, ...] = ()
    """The kinds of record that it reads."""

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
    function: MetricFunction
    pack: str
    """The study pack whose records it reads."""


MetricFunction = Callable[[Any, Arguments], Value]
"""From the records, as the metric's pack sees them, and the recipe's arguments."""

METRICS: dict[str, Metric] = {}


def metrics_of(pack: str, listed: str, paper: str = "") -> Callable[[str], Callable[[MetricFunction], MetricFunction]]:
    """The decorator that registers a metric of a pack by its name.

    What it is stands in a list, under its source; a section or an appendix is one of `paper`:

        section 3.3
            crossing_rate policy [population]: share of states with d < -tau

    A line that is too long goes on below, further in. (given) and (measured) at its end say what those words say here.
    """
    known = _listed(listed, paper)

    def metric(name: str) -> Callable[[MetricFunction], MetricFunction]:
        def register(function: MetricFunction) -> MetricFunction:
            METRICS[name] = Metric(name, *known[name], function, pack)
            return function

        return register

    return metric


_Described = tuple[str, str, tuple[str, ...], tuple[str, ...], bool, bool]
_ENTRY = re.compile(r"(\w+)((?: \w+)*)((?: \[\w+\])*): (.*?)(?: \((given|measured)\))?")


def _listed(text: str, paper: str) -> dict[str, _Described]:
    """Every metric of a list, by name."""
    found: dict[str, _Described] = {}
    for section in re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]:
        source, *entries = (" ".join(entry.split()) for entry in re.split(r"\n {4}(?=\S)", section))
        if source.startswith(("section", "appendix")):
            source = f"{paper}, {source}"
        for entry in entries:
            match = _ENTRY.fullmatch(entry)
            assert match is not None, entry
            name, needs, takes, formula, kind = match.groups()
            optional = tuple(name.strip("[]") for name in takes.split())
            found[name] = (formula, source, tuple(needs.split()), optional, kind == "given", kind == "measured")
    return found


@cache
def all_metrics() -> dict[str, Metric]:
    """Every metric of every pack, imported when first asked for."""
    for pack in packs():
        if pack.metrics:
            import_module(pack.metrics)
    return METRICS


def compute(evidence: Evidence, name: str, arguments: Arguments) -> Value:
    """The value of a metric, or `RecipeError` where it cannot be asked for so."""
    known = all_metrics().get(name)
    if known is None:
        raise RecipeError(f"there is no metric {name!r}{nearest(name, all_metrics())}")
    for argument in known.arguments:
        if argument not in arguments:
            raise RecipeError(f"{name} needs the argument {argument!r}")
    for argument in arguments:
        if argument.partition(".")[0] not in known.arguments + known.optional:
            raise RecipeError(f"{name} takes no argument {argument!r}")
    pack = _pack(known.pack)
    if (reason := pack.absent(evidence)) is not None:
        raise RecipeError(f"{name} is a metric of {pack.name}: {reason}")
    if (reason := pack.unusable(evidence)) is not None:
        raise MissingEvidenceError(reason)
    view = loaded(pack.evidence) if pack.evidence else Evidence
    return known.function(evidence.seen_as(view), arguments)


def _pack(name: str) -> Pack:
    return next(pack for pack in packs() if pack.name == name)


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


def unless_fixed(evidence: Evidence, name: str, arguments: dict[str, str]) -> Value:
    """A metric's value, with the remark that it proves nothing where no form of the records that it reads moves it."""
    value = compute(evidence, name, arguments)
    known = all_metrics()[name]
    named = {word: _policy(arguments[word]) for word in ("policy", "selector", "base", "against") if word in arguments}
    if len(set(named.values())) < len(named) and not known.measured:
        return replace(value, fixed="a difference of something from itself")
    if value.frame is None or value.rows is None or known.given or known.measured:
        return value
    if "where" in known.optional:
        table = value.frame.sample(value.rows, _MOST_ALTERED)
        kept = _selecting(arguments) | set(value.frame.key_fields)
        forms = (
            evidence.with_frames({value.frame.kind: value.frame.altered(alter(table, kept))})
            for alter in FORMS.values()
        )
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
