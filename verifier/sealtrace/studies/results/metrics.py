"""Metrics over datasets: a statistic of the selected rows, over repeats, shown as a table prints it.

A recipe says what the statistic is of (`of`, and `against` for right answers), which rows (`where`), what is averaged
(`group` within a repeat, `over` for repeats such as seeds), what is taken away (`minus`), what it is divided by
(`relative_to`), and what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from typing import Any

from sealtrace.bundle.frames import Index
from sealtrace.recipes.judgement import round_to
from sealtrace.recipes.metrics import (
    Arguments,
    MissingEvidenceError,
    RecipeError,
    Value,
    computed_by,
    constant_of,
    metrics_of,
)
from sealtrace.statistics import intervals, summaries, trials
from sealtrace.statistics.entries import STATISTICS
from sealtrace.statistics.sums import Number, UndefinedError
from sealtrace.statistics.table import Statistic, StatisticKind
from sealtrace.studies.results.counting import NeedsRowsError, counted_rows
from sealtrace.studies.results.evidence import Results
from sealtrace.studies.results.selection import SelectedRows, selection_of, within
from sealtrace.studies.results.statistics import Computed, names_of, statistic_of, texts_of, whole

metric = metrics_of("results")

SHOWS = ("mean", "mean±sd", "mean±sem", "mean [ci]", "sd", "sem", "median", "min", "max", "min to max", "count", "sum",
         "k/n")  # fmt: skip


@contextmanager
def _told(name: str) -> Iterator[None]:
    """What does not exist for these rows is missing, and what nobody can compute is a mistake of the recipe."""
    try:
        yield
    except (UndefinedError, ZeroDivisionError) as error:
        raise MissingEvidenceError(str(error) if isinstance(error, UndefinedError) else "it is relative to 0") from None
    except (ValueError, KeyError) as error:
        raise RecipeError(f"{name}: {str(error).strip(chr(34)).strip(chr(39))}") from None


def _computed(results: Results, statistic: Statistic, arguments: Arguments) -> Value:
    """A statistic of rows, as the table of statistics has it."""
    with _told(statistic.name):
        if statistic.kind is StatisticKind.INTERVAL:
            selection = selection_of(results, arguments)
            ends: Any = statistic_of(statistic)(selection, arguments)
            return Value(tuple(Fraction(end) for end in ends), selection.frame, selection.rows)
        with suppress(NeedsRowsError):
            if (counted := counted_rows(results, statistic, arguments)) is not None:
                return _shown(counted, arguments, statistic_of(statistic))
        return _shown(selection_of(results, arguments), arguments, statistic_of(statistic))


computed_by("results", _computed)


def _shown(selection: SelectedRows, arguments: Arguments, function: Computed) -> Value:
    own = values = _repeats(selection, arguments, function)
    rounded = None
    if not within(arguments, "relative_to") and (changed := within(arguments, "minus")):
        other = _repeats(selection.with_conditions(changed), arguments, function)
        if len(other) not in (1, len(own)):
            raise RecipeError(f"{len(own)} repeats minus {len(other)} repeats")
        base = other * len(own) if len(other) == 1 else other
        values = [Fraction(value) - Fraction(less) for value, less in zip(own, base, strict=True)]
        rounded = _rounded_difference(own, other)
    numbers = _show(values, arguments, selection.size)
    return Value(
        tuple(Fraction(number) for number in numbers),
        selection.frame,
        selection.rows,
        rounded=rounded if len(numbers) == 1 else None,
        total=selection.size,
        measured=bool(selection.results.declarations[selection.dataset].measured),
    )


def _repeats(selection: SelectedRows, arguments: Arguments, function: Computed) -> list[Number]:
    """The statistic of each repeat, or what sums it up over the groups of a repeat; relative to others, if so asked."""
    own = _grouped(selection, arguments, function)
    if base := within(arguments, "relative_to"):
        below = _beside(own, selection.with_conditions(base), arguments, function)
        less = within(arguments, "minus")
        taken = _beside(own, selection.with_conditions(less), arguments, function) if less else None
        own = {
            repeat: {
                name: (Fraction(value) - Fraction(taken[repeat][name] if taken else 0)) / Fraction(below[repeat][name])
                for name, value in groups.items()
            }
            for repeat, groups in own.items()
        }
    if "group" not in arguments:
        return [value for groups in own.values() for value in groups.values()]
    average = STATISTICS.get(arguments.get("average", "mean"))
    if average is None or average.reads != "values" or average.exact is None:
        raise RecipeError(f"average is a statistic of numbers, such as geometric_mean, not {arguments['average']!r}")
    return [average.exact(list(groups.values())) for groups in own.values()]


_Name = tuple[object, ...]
"""Values of the fields of `over`, or of `group`."""
_Repeats = dict[_Name, dict[_Name, Number]]
"""Of each repeat, of each group, the statistic of its rows."""


def _grouped(selection: SelectedRows, arguments: Arguments, function: Computed) -> _Repeats:
    over, group = names_of(arguments.get("over")), names_of(arguments.get("group"))
    return {
        repeat.level(over): {
            part.level(group): function(part, arguments) for part in (repeat.groups(group) if group else (repeat,))
        }
        for repeat in (selection.groups(over) if over else (selection,))
    }


def _beside(own: _Repeats, other: SelectedRows, arguments: Arguments, function: Computed) -> _Repeats:
    """The same of other rows, whose repeats are the same or one, and whose groups are the same."""
    found = _grouped(other, arguments, function)
    if len(found) == 1:
        found = dict.fromkeys(own, next(iter(found.values())))
    for name in own.keys() ^ found.keys() or {one for place in own for one in own[place].keys() ^ found[place].keys()}:
        raise RecipeError(f"{' '.join(map(str, name))} is only among one of the two that are compared")
    return found


_PARTS: dict[str, Callable[[list[Number], str], Number]] = {
    "mean": lambda values, _: summaries.mean(values),
    "sd": summaries.sd,
    "sem": summaries.sem,
    "median": lambda values, _: summaries.median(values),
    "min": lambda values, _: summaries.minimum(values),
    "max": lambda values, _: summaries.maximum(values),
    "count": lambda values, _: len(values),
    "sum": lambda values, _: summaries.total(values),
}


def _show(values: list[Number], arguments: Arguments, rows: int) -> tuple[Number, ...]:
    show = arguments.get("show", "mean").replace("+/-", "±").replace("+-", "±").replace(" ± ", "±")
    if show not in SHOWS:
        raise RecipeError(f"show is one of {', '.join(SHOWS)}, not {show!r}")
    divisor = arguments.get("divisor", "n-1")
    if divisor not in ("n-1", "n"):
        raise RecipeError(f"the divisor is n-1 or n, not {divisor!r}")
    if show == "mean [ci]":
        return (summaries.mean(values), *_interval(values, arguments, rows))
    if show == "k/n":
        return _counted(values, rows), rows
    return tuple(_PARTS[word](values, divisor) for word in re.split("±| to ", show))


def _interval(values: list[Number], arguments: Arguments, rows: int) -> tuple[float, float]:
    """Over repeats Student's; of a single share of the rows Wilson's, or the one that the recipe names."""
    confidence = constant_of(arguments.get("confidence", "0.95"))
    if len(values) > 1:
        return intervals.mean_interval(values, confidence)
    return SHARE_INTERVALS[arguments.get("interval", "wilson")](_counted(values, rows), rows, confidence)


def _counted(values: list[Number], rows: int) -> int:
    """How many of the rows a share of them is."""
    count = Fraction(values[0]) * rows
    if len(values) > 1 or count.denominator != 1 or not 0 <= count <= rows:
        raise RecipeError("without repeats, only a share of the rows is so many of them; use bootstrap or t_interval")
    return count.numerator


SHARE_INTERVALS = {"wilson": intervals.wilson, "clopper-pearson": intervals.clopper_pearson, "wald": intervals.wald}


def _rounded_difference(here: list[Number], there: list[Number]) -> Callable[[Fraction], tuple[Fraction, ...]]:
    """The difference of the two means as a table prints them."""
    means = summaries.mean(here), summaries.mean(there)

    def rounded(unit: Fraction) -> tuple[Fraction, ...]:
        first, second = (round_to(value, unit or Fraction(1)) for value in means)
        return (first - second,)

    return rounded


@metric("commonest")
def _commonest(results: Results, arguments: Arguments) -> Value:
    selection = selection_of(results, arguments)
    counts = texts_of(selection, arguments["of"]).value_counts().to_pylist()
    most = max(count["counts"] for count in counts)
    found = [count["values"] for count in counts if count["counts"] == most]
    if len(found) > 1:
        raise MissingEvidenceError(f"{', '.join(sorted(found))} are equally common")
    printed = (results.declarations[selection.dataset].printed or {}).get(arguments["of"], {})
    value = printed.get(found[0], found[0])
    if (show := arguments.get("show")) not in (None, "count"):
        raise RecipeError(f"the commonest value can be shown with its count, not as {show!r}")
    if show == "count":
        return Value((Fraction(most),), selection.frame, selection.rows, words=(value,))
    return Value((), selection.frame, selection.rows, text=value)


def _named_statistic(arguments: Arguments, purpose: str) -> Computed:
    if getattr(STATISTICS.get(arguments["by"]), "exact", None) is None:
        raise RecipeError(f"there is no metric {arguments['by']!r} to {purpose}")
    return statistic_of(STATISTICS[arguments["by"]])


@metric("bootstrap")
def _bootstrap(results: Results, arguments: Arguments) -> Value:
    function = _named_statistic(arguments, "resample")
    selection = selection_of(results, arguments)
    how = intervals.BootstrapRule(
        whole(arguments, "resamples", "1000", most=100_000), whole(arguments, "seed", "0"),
        arguments.get("rule", "percentile"), arguments.get("generator", "pcg64"),
    )  # fmt: skip
    if how.resamples * len(selection.rows) > 50_000_000:
        raise RecipeError("the bootstrap draws more than 50 million rows")

    def value(rows: Index) -> float:
        return float(function(selection.some(rows), arguments))

    confidence = constant_of(arguments.get("confidence", "0.95"))
    with _told("bootstrap"):
        low, high = intervals.bootstrap(len(selection.rows), value, confidence, how)
        centre = function(selection, arguments)
    given = (low, high) if arguments.get("give", "interval") == "interval" else (centre, low, high)
    return Value(tuple(Fraction(number) for number in given), selection.frame, selection.rows)


@metric("rank")
def _rank(results: Results, arguments: Arguments) -> Value:
    function, among = _named_statistic(arguments, "rank by"), arguments["among"]
    own = selection_of(results, arguments)
    everywhere = selection_of(results, {key: text for key, text in arguments.items() if key != f"where.{among}"})
    with _told("rank"):
        mine, *values = (
            summaries.mean(_repeats(part, arguments, function)) for part in (own, *everywhere.groups([among]))
        )
        higher = arguments.get("better", "higher") == "higher"
        place = trials.rank(mine, values, arguments.get("rule", "min"), higher=higher)
    return Value((place,), everywhere.frame, everywhere.rows)
