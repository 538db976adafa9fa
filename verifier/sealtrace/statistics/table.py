"""The table of statistics: an entry says once what a statistic is called, what it takes and how it is computed.

Metrics of recipes, the search of `check`, functions of queries, words of reports and checks of headings read it, so
that a new statistic is one entry. Numbers in a heading that belong to a statistic (95 %, pass@k, p95, one-sided)
are values of its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Any


class StatisticKind(StrEnum):
    """What a statistic summarizes, which decides where a reader may expect it without a word."""

    REPEATS = "aggregate over repeats"
    """Of any numbers: over seeds, folds and runs it needs no word."""
    ITEMS = "aggregate over items"
    ORDER = "order statistic"
    """A chosen value: only where words name it."""
    TEST = "test"
    INTERVAL = "interval"
    COMBINATION = "combination of printed numbers"


RANGES: dict[str, tuple[int | None, int | None]] = {
    "measured": (None, None),
    "difference": (None, None),
    "deviation": (0, None),
    "squared": (0, None),
    "count": (0, None),
    "share": (0, 1),
    "probability": (0, 1),
    "correlation": (-1, 1),
    "at most one": (None, 1),
    "information": (0, None),
    "odds": (0, None),
}
"""Units of results, and the least and the greatest value of each: `measured` and `deviation` have the values' unit."""


@dataclass(frozen=True)
class Argument:
    """An argument of statistics, and how headings print its value."""

    name: str
    forms: tuple[str, ...] = ()
    """With the value as a number (`pass@{}`), or in percent (`p{%}`)."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Words that say a value."""

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], int]]:
        number = r"(\d+(?:\.\d+)?)"
        return [
            (
                _whole_word(re.escape(form).replace(r"\{%\}", number).replace(r"\{\}", number)),
                100 if "%}" in form else 1,
            )
            for form in self.forms
        ]

    def stated(self, heading: str) -> set[Fraction | str]:
        """The values that a heading says it has; none where the heading is silent."""
        # The cells of a column share their heading.
        if heading not in self._told:
            found: set[Fraction | str] = {
                Fraction(match[1]) / scale for pattern, scale in self._patterns for match in pattern.finditer(heading)
            }
            words = {value for word, value in self.words.items() if _whole_word(re.escape(word)).search(heading)}
            self._told[heading] = found | words
        return self._told[heading]

    @cached_property
    def _told(self) -> dict[str, set[Fraction | str]]:
        return {}


@dataclass(frozen=True)
class TriedForm:
    """A statistic with some arguments, as the search of `check` tries it."""

    key: str
    """How results of the check call it."""
    text: str = ""
    """In a formula for people; the name of the statistic where there is none."""
    sql: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)
    price: float = 12.0
    """Bits that a formula pays for it where no label names it: 1.5 to 8 for what papers often print without a word, 12
    otherwise."""
    words: tuple[str, ...] = ()
    """Words of labels that name it; those of the statistic where there are none."""
    everyday: bool = False
    """Whether a table need not name it."""
    side: str = ""
    """Of one column of labels: whether it is of the `true` or of the `given` ones."""
    quantile: bool = False
    """Whether it is an order statistic: labels must name it, and it is not tried of very large blocks."""
    of_probabilities: bool = False
    """Whether scores must lie between 0 and 1."""
    function: Callable[..., Any] | None = None
    """What computes it; the exact form of the statistic with these arguments where there is none."""
    is_count: bool = False
    at_once: bool = False

    def said(self, context: Container[str]) -> bool:
        """Whether labels say it."""
        return any(word in context for word in self.words)

    def cost(self, context: Container[str]) -> float:
        """Bits to name it: few where labels say it."""
        return 1.0 if self.said(context) else self.price


# Equal only to itself: it is what indexes of names are kept by.
@dataclass(frozen=True, eq=False)
class Statistic:
    """One entry."""

    name: str
    formula: str
    kind: StatisticKind = StatisticKind.ITEMS
    reads: str = ""
    """What it is computed from: a column of numbers (`values`), of labels (`texts`), true and given labels (`labels`,
    of each label `label`), flags with scores (`scores`), two columns (`numbers`, `paired`, `samples`), or counts."""
    arguments: tuple[str, ...] = ()
    """Those that a recipe must give."""
    optional: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """What papers call it, in small letters."""
    not_words: tuple[str, ...] = ()
    """Phrases in which these words mean something else."""
    others: tuple[str, ...] = ()
    """Those of these phrases that name another statistic, of which the table has none."""
    unit: str = "measured"
    exact: Callable[..., Any] | None = None
    """From one selection of records, in exact numbers where there are some; of values and of labels also from all
    groups at once (`Groups`, `Margins` of doubles)."""
    sql: str = ""
    """In queries: `{x}` is the column, `{true}` and `{given}` are two, `{label}` is one label, others are counts."""
    tried: tuple[TriedForm, ...] | None = None
    """The forms that `check` tries; None for the statistic as it is."""
    at_once: bool = False
    """Whether `exact` takes all groups at once; otherwise it is asked for one group after the other."""
    pack: str = "results"
    """The study pack whose records it reads."""
    source: str = "everyday results"
    given: bool = False
    """An id, scale or declared constant rather than a result."""
    measured: bool = False
    """An aggregate of sealed measurements."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """What is taken where a recipe leaves an optional argument out: reports say so."""

    @property
    def range(self) -> tuple[int | None, int | None]:
        """The least and the greatest value that a result can have; None where there is no bound."""
        return RANGES[self.unit]

    def usage(self, name: str) -> str:
        """An optional argument with what is taken without it."""
        return f"{name}={self.defaults[name]}" if name in self.defaults else name

    def stated(self, heading: str) -> dict[str, set[Fraction | str]]:
        """The values of its arguments that a heading states."""
        told = {name: ARGUMENTS[name].stated(heading) for name in self.arguments + self.optional if name in ARGUMENTS}
        return {name: values for name, values in told.items() if values}


_PERCENTILES = ("p{%}", "q{%}", "{%}th percentile", "{%}th pct", "{%}th", "{%} % quantile", "{%}% quantile")
ARGUMENTS = {
    argument.name: argument
    for argument in (
        Argument("k", ("pass@{}", "top-{}", "top {}", "hits@{}", "recall@{}", "precision@{}",
                       "accuracy@{}", "acc@{}", "@{}", "k = {}", "k={}")),
        Argument("q", _PERCENTILES, {"median": "1/2", "q1": "1/4", "q3": "3/4", "lower quartile": "1/4",
                                     "upper quartile": "3/4"}),
        Argument("confidence", ("{%} %", "{%}%", "{%} percent", "ci{%}")),
        Argument("sides", (), {"one-sided": "one", "one-tailed": "one", "two-sided": "two", "two-tailed": "two"}),
        Argument("divisor", (), {"n-1": "n-1", "n − 1": "n-1", "sample": "n-1", "population": "n"}),
        Argument("bins", ("{} bins", "{}-bin", "ece-{}", "ece@{}")),
        Argument("base", ("(base {})", "log base {}"), {"bits": "2", "nats": "e"}),
        Argument("equal_variances", (), {"welch": "false", "welch's": "false", "student": "true", "student's": "true"}),
        Argument("method", (), {"exact": "exact"}),
        Argument("variant", (), {"tau-a": "a", "tau-b": "b", "τ-a": "a", "τ-b": "b"}),
        Argument("give", (), {"p": "p", "p-value": "p", "p value": "p", "statistic": "statistic"}),
        Argument("minus", (), dict.fromkeys(
            ("Δ", "delta", "difference", "diff", "diff.", "gain", "improvement", "increase", "decrease", "reduction",
             "drop", "change", "lift", "advantage", "gap", "more than", "less than", "higher than", "lower than",
             "better than", "worse than", "above", "below", "percentage points", "pp"), "difference")),
        Argument("relative_to", (), dict.fromkeys(
            ("ratio", "speed-up", "speedup", "slowdown", "overhead", "relative", "normalized", "normalised"),
            "ratio")),
        Argument("adjusted", (), dict.fromkeys(
            ("bonferroni", "holm", "benjamini-hochberg", "fdr", "adjusted p", "corrected p", "adj. p", "q-value",
             "p adjusted", "p-adjusted", "adjusted p-value", "corrected p-value"), "adjusted")),
        Argument("resamples", ("{} resamples", "{} bootstrap samples", "{} replicates")),
    )
}  # fmt: skip
"""Arguments whose values headings print."""

STATISTICS: dict[str, Statistic] = {}
"""Everyday statistics, which the search tries and queries may call, by name."""
OF_PACKS: dict[tuple[str, str], Statistic] = {}
"""The statistics of every pack, by pack and name."""


_SEARCHED = ("values", "texts", "labels", "label", "scores", "numbers")
TRIED: dict[str, dict[str, TriedForm]] = {reads: {} for reads in _SEARCHED}
"""What the search of `check` tries, by what it is computed from and by its key."""


def register(*entries: Statistic) -> None:
    """Adds entries to the table."""
    for entry in entries:
        OF_PACKS[entry.pack, entry.name] = entry
        if entry.pack == "results":
            STATISTICS[entry.name] = entry
        # How many rows there are, and how many of them are so, is asked of a column of numbers, too.
        searched = TRIED.get("values" if entry.reads in ("rows", "right of all") else entry.reads, {})
        searched.update((variant.key, variant) for variant in variants_of(entry) if entry.exact is not None)


def variants_of(entry: Statistic) -> Iterator[TriedForm]:
    """The forms of an entry that the search tries, each completed with the words, SQL and function of the entry."""
    for variant in (TriedForm(entry.name),) if entry.tried is None else entry.tried:
        function = variant.function or (partial(entry.exact, **variant.arguments) if entry.exact else None)
        yield replace(
            variant, text=variant.text or entry.name.replace("_", " "), sql=variant.sql or entry.sql,
            words=variant.words or entry.words, is_count=entry.unit == "count",
            function=function, at_once=entry.at_once or variant.function is not None,
        )  # fmt: skip


def entry_of(pack: str, name: str) -> Statistic | None:
    """The entry of a pack's metric, or of what one may be asked for."""
    return OF_PACKS.get((pack, name))


def all_entries() -> list[Statistic]:
    """The whole table: everyday statistics, then those that packs registered."""
    return list(OF_PACKS.values())


_ENTRY = re.compile(
    r"(\w+)((?: \w+)*)((?: \[\w+(?:=[\w-]+)?\])*): (.*?)(?:; called (.*?))?(?:; not called (.*?))?"
    r"(?: \((given|measured|share|difference)\))?"
)


def described(text: str, pack: str, paper: str = "") -> Iterator[Statistic]:
    """The entries of a list in plain text, under their sources; a section or an appendix is one of `paper`:

        section 3.3
            crossing_rate policy [population=all]: share of states with d < -tau

    A line that is too long goes on below, further in. (given), (measured), (share) and (difference) at its end say
    what those words say here; before them, what else headings call it, and what they call its complement.
    """
    for section in re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]:
        source, *entries = (" ".join(entry.split()) for entry in re.split(r"\n {4}(?=\S)", section))
        if source.startswith(("section", "appendix")):
            source = f"{paper}, {source}"
        for entry in entries:
            match = _ENTRY.fullmatch(entry)
            assert match is not None, entry
            name, needs, takes, formula, called, others, kind = match.groups()
            taken = [name.strip("[]").partition("=") for name in takes.split()]
            defaults = {name: default for name, _, default in taken if default}
            yield Statistic(
                name, formula, arguments=tuple(needs.split()), optional=tuple(name for name, _, _ in taken),
                defaults=defaults, words=(*_spelled(name), *filter(None, (called or "").split(", "))),
                others=tuple(filter(None, (others or "").split(", "))), pack=pack, source=source,
                given=kind == "given", measured=kind == "measured",
                unit=kind if kind in ("share", "difference") else "measured",
            )  # fmt: skip


def _spelled(name: str) -> tuple[str, ...]:
    """A metric's name as headings print it: `nash conv` or `nashconv`."""
    return tuple(dict.fromkeys((name.replace("_", " "), name.replace("_", ""))))


@cache
def _whole_word(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.])(?:{pattern})(?!\w)", re.IGNORECASE)
