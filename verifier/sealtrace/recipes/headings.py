"""Whether a heading names what its recipe computes, by the one table of statistics.

Names of entities and fields in a heading come before statistics, and the longest name wins. A heading that names a
statistic names one that the recipe computes; a chosen value (a maximum, a median) or a spread is named wherever it is
shown; and numbers that belong to a statistic (95 %, pass@1, p95) are those of the recipe.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from sealtrace.contract.packs import packs
from sealtrace.paper.names.statistics import named_in, other_statistics
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.entities import AS_WORDS, appearance, fraction_of
from sealtrace.recipes.sql_syntax import QueryDescription
from sealtrace.statistics.table import ARGUMENTS, STATISTICS, Statistic, StatisticKind, all_entries, entry_of

_SHOWN = {"mean": "mean", "sd": "sd", "sem": "sem", "median": "median", "min": "minimum", "max": "maximum",
          "count": "count", "sum": "sum"}  # fmt: skip
"""What recipes call statistics of repeats."""
_SPREADS = frozenset({"sd", "sem"})
_SHARES = frozenset({"mean", "rate", "accuracy", "error_rate"})
"""Means of what is right or true: one may be called another where what is averaged is a flag."""
_LABELLED = frozenset({"labels", "label", "scores"})
_COUNTED = frozenset({"count", "rate"})
_DEFAULTS = {"confidence": "0.95", "sides": "two", "divisor": "n-1", "give": "p", "base": "e",
             "equal_variances": "false"}  # fmt: skip
_NUMBERS = ("k", "q", "sides", "give", "bins", "base", "variant", "divisor", "equal_variances", "method")
"""Arguments whose values headings print."""
_READ = frozenset(
    {
        *_NUMBERS,
        "confidence",
        "of",
        "interval",
        "by",
        "show",
        "statistic",
        "quantity",
        "over",
        "group",
        "average",
        "minus",
        "relative_to",
    }
)
_SUMMARY = re.compile(r"-?[a-z][^_(,:=]*?(?= of | \w+_| d\b|[(,:=]|$)")
_NAMED = re.compile(r"\b[a-z_]\w*+(?=\s*+\()")


class Arithmetic(NamedTuple):
    """What a heading says is done to a number before it is printed, and what of a recipe does that."""

    heading: re.Pattern[str]
    recipe: re.Pattern[str]
    hundredfold: bool


def _arithmetic(heading: str, recipe: str, *, hundredfold: bool = False) -> Arithmetic:
    return Arithmetic(re.compile(heading, re.IGNORECASE), re.compile(recipe, re.IGNORECASE), hundredfold)


ARITHMETIC = (
    _arithmetic(r"(?<![\w.])100\s*[×·*](?!\w*\d)|[×·*]\s*100(?![\d.])", r"\b100\b|percent", hundredfold=True),
    _arithmetic(r"(?<![\w.])10{3,}\s*[×·*]|[×·*]\s*10{3,}(?!\d)", r"\b10{3,}\b"),
    _arithmetic(r"\bper (?:100|hundred)\b", "100|hundred|percent", hundredfold=True),
    _arithmetic(r"\bper (?:1,?0{3,}|thousand|million)\b", "10{3,}|thousand|million"),
    _arithmetic("‰", r"\b1000\b|mille"),
    _arithmetic(r"^\s*(?:1|100)\s*[−–-]\s*[^\W\d_]", r"\b1(?:00)?(?:\.0*)?\s*-|error|wrong|complement"),
    _arithmetic(r"√|\b(?:square )?root of\b", "sqrt|root|rms"),
    _arithmetic(r"[^\W\d_]{3,}\s?²", r"\bpow|\^|\*\*|\*|square|sq|2"),
    _arithmetic(r"\blog(?:2|₂)\s*[(\s]", "log2"),
    _arithmetic(r"\blog(?:10|₁₀)\s*[(\s]", r"log10|\blog\b"),
    _arithmetic(r"\bln\s*[(\s]", r"\bln\b"),
    _arithmetic(r"\blog\s*[(\s](?!loss|lik|rank|odds)", r"\bln\b|log"),
)
"""Signs of arithmetic in headings. The longest names of statistics have such signs, too (log loss, R²)."""


@dataclass(frozen=True)
class ComputedStatistic:
    """What a recipe computes."""

    names: frozenset[str]
    """Its statistics."""
    needed: frozenset[str] = frozenset()
    """Those that a label must name."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    share: bool = False
    """Whether it is the mean of what is right or true."""
    among: tuple[Statistic, ...] = ()
    """The statistics that labels may name: everyday ones, and those of the metric's pack."""
    said: str = ""
    """For readers."""
    counted: bool = False
    """Whether it is a metric of a pack, which may count or add up anything."""
    level: bool = False
    """Whether it is a mean of what is no difference."""
    is_metric: bool = False
    """Whether it is a named metric, and no query, which may go on computing with it."""

    def takes(self, word: str) -> bool:
        """Whether it takes rows beside its own: `minus`, `relative_to`."""
        return any(name.partition(".")[0] == word for name in self.arguments)


def of_metric(metric: Statistic, arguments: Mapping[str, str], *, of_flags: bool) -> ComputedStatistic:
    """What a metric computes: its own statistic, what is shown over repeats, and what its quantity is called."""
    shown = arguments.get("show", arguments.get("statistic", "mean")).replace("+/-", "±").replace("+-", "±")
    parts = {_SHOWN[word] for word in re.split(r"±| to |\s", shown) if word in _SHOWN}
    quantity = arguments.get("quantity", "").replace("_", " ")
    shares = ARGUMENTS["q"].stated(quantity)
    if shares and not {"show", "statistic"} & set(arguments):  # the quantity is a quantile, and no mean
        parts, arguments = set(), {**arguments, "q": str(min(map(str, shares)))}
    average = arguments.get("average", "mean")
    if not {"show", "over", "statistic", *(["group"] if average == "mean" else [])} & set(arguments):
        parts = set()  # nothing is averaged but what the statistic itself averages
    # The interval of a statistic that is resampled, and its rank, are called by that statistic.
    names = {metric.name, *parts, *filter(None, map(arguments.get, ("quantity", "by", "average")))}
    if "[ci]" in shown:
        interval = arguments.get("interval", "wilson").replace("-", "_")
        names.add("t_interval" if "over" in arguments else interval)
    for text in (
        metric.name,
        arguments.get("quantity", ""),
        arguments.get("statistic", ""),
        *_formula(metric),
        *_formula(entry_of(metric.pack, arguments.get("quantity", ""))),
    ):
        names |= {entry.name for entry in named_in(text.replace("_", " "))}
    # The mean of a field that is called accuracy is one; the sum of one that is called errors, how many there are.
    field_of = _called(arguments.get("of", ""))
    if field_of is not None and (metric.name == "mean" or (metric.name == "sum" and field_of.unit == "count")):
        names.add(field_of.name)
    if metric.name == "quantile" and fraction_of(arguments.get("q", "0.5")) == Fraction(1, 2):
        names.add("median")
    own = STATISTICS.get(metric.name)
    chosen = {name for name in parts if STATISTICS[name].kind is StatisticKind.ORDER}
    if (
        own is not None and own.kind is StatisticKind.TEST
    ):  # the largest p of several repeats claims less than any other
        chosen -= {"maximum"}
    alone = shown in _SPREADS and ("over" in arguments or "statistic" in arguments)
    needed = chosen | ({shown} if alone else set()) | ({average} - {"mean"})
    # A metric that is called by an extreme is one, and a label says so.
    if metric.pack != "results":
        needed |= {entry.name for entry in named_in(metric.name.replace("_", " "))} & {"minimum", "maximum"}
    if own is not None and (own.kind is StatisticKind.ORDER or own.name in _SPREADS) and metric.pack == "results":
        needed.add("median" if "median" in names else own.name)
    # A metric of the same things is a rival; one of other things, such as a map, may be meant by the same word.
    # What a quantity is called may be any metric of its pack, and no declared constant is a metric.
    alike = None if metric.given or "quantity" in metric.arguments else _asked_of(metric)
    among = _rivals(metric.pack, alike, len(all_entries()))
    # Entries that headings call by the same word do not contradict each other.
    names |= {entry.name for entry in among if metric.pack != "results" and set(entry.words) & set(metric.words)}
    level = metric.pack != "results" and "mean" in names and metric.unit != "difference"
    said = f"{shown} over {arguments['over']} of {metric.name}" if arguments.get("over") else metric.name
    return ComputedStatistic(
        frozenset(names), frozenset(needed), arguments, of_flags and metric.name in _SHARES, among,
        said.replace("_", " "), metric.pack != "results", level and "quantity" not in metric.arguments, is_metric=True,
    )  # fmt: skip


def reads(argument: str) -> bool:
    """Whether what a heading must say depends on an argument; the others say of which rows a cell is."""
    return argument.partition(".")[0] in _READ


@lru_cache(maxsize=256)
def _rivals(pack: str, arguments: frozenset[str] | None, _entries: int) -> tuple[Statistic, ...]:
    """Statistics that labels beside a metric may name; asked anew when a pack has registered more."""
    return tuple(
        entry
        for entry in all_entries()
        if entry.pack == "results" or (entry.pack == pack and arguments in (None, _asked_of(entry)))
    )


def _asked_of(entry: Statistic) -> frozenset[str]:
    """The arguments of a statistic that say of what it is: a policy, and not how its probabilities are clipped."""
    entities = next(pack.entity_fields for pack in packs() if pack.name == entry.pack)
    return frozenset(entry.arguments) & set(entities)


def _formula(metric: Statistic | None) -> tuple[str, ...]:
    """The summary that the formula of a pack's metric begins with: mean of …, least …, share of …"""
    found = None if metric is None or metric.pack == "results" else _SUMMARY.match(metric.formula)
    return () if found is None else (found[0],)


def of_query(description: QueryDescription, *, of_flags: bool) -> ComputedStatistic:
    """What a query computes, as far as its functions say."""
    called = set(description.functions) | ({"avg"} if description.mean else set())
    names = {entry.name for entry in STATISTICS.values() if (own := _functions(entry.sql)) and own <= called}
    names |= {name for name in called if name in STATISTICS}
    if description.mean:
        names |= {"mean"}
        if of_flags:
            right = () if description.orders else ("error_rate",) if description.counts_wrong else ("accuracy",)
            names |= {"rate", *right}
    if description.mean or not description.totals:
        # What a field that is called accuracy holds is an accuracy, and so is its mean over runs, seeds or tasks.
        names |= {entry.name for one in description.fields if (entry := _called(one)) is not None}
    if description.divides_counts:
        names.add("rate")
    if description.sum:
        names.add("sum")
    if not description.totals:
        names |= {entry.name for entry in STATISTICS.values() if entry.unit == "count"}
    if any(fraction_of(share) == Fraction(1, 2) for share in description.shares):
        names.add("median")
    arguments = {"q": description.shares[0]} if description.shares else {}
    said = "a mean" if description.mean else " and ".join(sorted(called)) or "no mean of a field"
    share = of_flags and description.mean and not description.counts_wrong and not description.orders
    return ComputedStatistic(frozenset(names), frozenset(), arguments, share, tuple(STATISTICS.values()), said)


@lru_cache(maxsize=1024)
def _called(field: str) -> Statistic | None:
    """The statistic that a field is called by, and by nothing else."""
    said = appearance(field).replace("_", " ")
    return next((entry for entry in named_in(said) if said in map(appearance, (entry.name, *entry.words))), None)


def said_of(column: str, caption: str) -> str:
    """What a caption says right before the words of a heading, or with `of` between: `median` latency."""
    noun = _IN_BRACKETS.sub(" ", appearance(column)).strip()
    if not noun:
        return ""
    beside = re.compile(rf"([^\s,;.:()]+) (?:of (?:the )?)?{re.escape(noun)}(?!\w)")
    return ", ".join(match[1] for match in beside.finditer(appearance(caption)))


_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_WORDS_TOLD = 4
"""How many words of a statistic a message names."""


@cache
def _functions(sql: str) -> frozenset[str]:
    return frozenset(_NAMED.findall(sql.casefold())) - {"count"}


def disagreement(cell: TableCell, caption: str, computed: ComputedStatistic, hidden: frozenset[str]) -> Iterator[str]:
    """Where labels say another statistic than the recipe computes, or do not say what it chooses; as clauses.

    `hidden` are names of entities, which are no words of statistics.
    """
    # A number of the text is called by its place; its sentence may name more statistics than the number is of.
    row = cell.row if cell.own_recipe and not cell.quotation else ""
    labels = [without(appearance(label), hidden) for label in (cell.column, row)]
    named = [named_in(label, computed.among) for label in labels]
    said = {entry.name for entry in named[0] or named[1]}
    if computed.counted:
        said = _contradicting(said, computed)
    named += [named_in(text, computed.among) for text in (without(appearance(cell.quotation), hidden),
                                                          said_of(cell.column, caption))]  # fmt: skip
    both = {entry.name for entries in named for entry in entries}
    if said and not _agree(said, computed):
        yield f"the heading says {_told(said)}, and the recipe computes {computed.said}"
        return
    # Beside the name of what is computed, a heading may say how it is summed up: as the recipe does it.
    summing = {StatisticKind.ORDER, *([StatisticKind.REPEATS] if computed.counted else [])}
    for name in sorted(said - computed.names):
        if name in STATISTICS and (STATISTICS[name].kind in summing or (computed.counted and name in _SPREADS)):
            yield f"the heading says {_told([name])}, and the recipe computes {computed.said}"
    yield from _of_another_kind(labels[0] or labels[1], appearance(caption), computed)
    # How groups are summed up is a matter of the whole table, which its caption may say.
    both |= {entry.name for entry in named_in(appearance(caption))} & {computed.arguments.get("average", "")}
    # Whoever says the metric's own name says what it chooses, but not how groups are summed up.
    called = computed.said.replace(" ", "_") in both
    summed_up = {computed.arguments.get("average", "")}
    for name in sorted((computed.needed & summed_up if called else computed.needed) - both):
        where = "its sentence does not say" if cell.quotation else "no label of the row or the column says"
        words = STATISTICS[name].words[:_WORDS_TOLD] if name in STATISTICS else ()
        such = f" with one of its words ({', '.join(words)}, …)" if words else ""
        yield f"it shows the {_told([name])}, and {where} so{such}"
    shown = computed.arguments.get("show", "")
    spread = next((name for name in _SPREADS if name in shown), None)
    if spread is not None:
        told = both & _SPREADS or {entry.name for entry in named_in(appearance(caption))} & _SPREADS
        if told and spread not in told:
            yield f"the table says {_told(told)}, and the recipe computes {_told([spread])}"
    yield from _numbers(labels[0] or appearance(cell.quotation), appearance(caption), computed)
    # A sentence may give other numbers of the test, but it says of one that is a difference or a ratio that it is.
    for word, what in (("minus", "difference"), ("relative_to", "ratio")):
        stated = any(ARGUMENTS[word].stated(text) for text in (labels[0], appearance(cell.quotation)))
        stated = stated or bool(_COMPARED.search(cell.quotation) if word == "minus" else _with_sign(cell, computed))
        if computed.takes(word) and not stated:
            yield f"it is a {what}, and the {'sentence' if cell.quotation else 'heading'} does not say so"


_COMPARED = re.compile(r"\b(?:more|less|worse|[a-z]{2,}er)\b[^.;:]*\bthan\b", re.IGNORECASE)
"""How a sentence says a difference: one thing is higher, with or by something, than another."""


def _with_sign(cell: TableCell, computed: ComputedStatistic) -> bool:
    """Whether a sign says a ratio: × behind the number, or % where the heading says a difference."""
    parts = cell.printed.parts if cell.printed is not None else ()
    signs = {part.suffix for part in parts} | ({"×", "%"} & set(cell.column))
    return bool(signs & {"×", "x"}) or (computed.takes("minus") and "%" in signs)


def _of_another_kind(label: str, caption: str, computed: ComputedStatistic) -> Iterator[str]:
    """Another statistic with a word of the recipe's name, or a p that is adjusted."""
    for name in other_statistics(label, computed.among):
        if name in computed.names:
            yield f"the heading names another statistic, and the recipe computes {_told([name])}"
    tests = [name for name in computed.names if name in STATISTICS and STATISTICS[name].kind is StatisticKind.TEST]
    adjusted = ARGUMENTS["adjusted"].stated(label) or ARGUMENTS["adjusted"].stated(caption)
    if computed.is_metric and tests and adjusted:
        yield f"the table says that p is adjusted for several tests, and the recipe gives that of one {_told(tests)}"
    # A field may hold differences; of labels and of scores, a statistic is one only where something is taken away.
    of_labels = any(name in STATISTICS and STATISTICS[name].reads in _LABELLED for name in computed.names)
    whole = computed.level or (computed.is_metric and of_labels)
    if whole and not computed.takes("minus") and ARGUMENTS["minus"].stated(label):
        yield "the heading says a difference, and the recipe takes nothing away"
    ranks = ARGUMENTS["k"].stated(label) - {Fraction(1)}
    if ranks and computed.is_metric and "accuracy" in computed.names:
        yield f"the heading counts an answer among the first {min(map(str, ranks))}, and the recipe takes the first"


def _contradicting(said: set[str], computed: ComputedStatistic) -> set[str]:
    """Of what a heading above a pack's metric says, what the metric could contradict.

    Counts and shares of many things are metrics of their own. A word of the metric's own name (`hand` of the hand's
    value) is a word of what it is of, and so is an extreme (n_min), where the metric neither chooses nor averages.
    """
    called = f"{computed.said} {computed.arguments.get('quantity', '').replace('_', ' ')}"
    own = {word.removesuffix("s") for word in called.split()}
    left = {name for name in said if "_" in name or name.removesuffix("s") not in own}
    chosen = {name for name in STATISTICS if STATISTICS[name].kind is StatisticKind.ORDER}
    free = not computed.names & (chosen | {"mean"}) and not {"quantity", "statistic"} & set(computed.arguments)
    return left - _COUNTED - ({"minimum", "maximum"} if free else set())


def _agree(said: Collection[str], computed: ComputedStatistic) -> bool:
    if set(said) & computed.names:
        return True
    right_and_wrong = {"accuracy", "error_rate"}
    one_of_them = computed.names & right_and_wrong
    return computed.share and bool(set(said) & _SHARES - (right_and_wrong if one_of_them else set()))


def _numbers(heading: str, caption: str, computed: ComputedStatistic) -> Iterator[str]:
    """Numbers and words of a heading that are the value of an argument, where the recipe has another."""
    arguments = computed.arguments
    interval = "[ci]" in arguments.get("show", "") or "interval" in computed.said
    for name in (*_NUMBERS, *(["confidence"] if interval else [])):
        entries = [STATISTICS[one] for one in computed.names if one in STATISTICS]
        takes = any(name in (*entry.arguments, *entry.optional) for entry in entries)
        stated = ARGUMENTS[name].stated(heading) or (
            ARGUMENTS[name].stated(caption) if name in ("confidence", "sides", "divisor") else set()
        )
        given = arguments.get(name, _DEFAULTS.get(name))
        # What a pack's metric takes a logarithm of, it takes in nats.
        if not stated or given is None or not (takes or (computed.counted and name == "base")):
            continue
        if name == "sides":
            given = "one" if given in ("less", "greater", "one") else "two"
        values = {fraction_of(str(value)) if fraction_of(str(value)) is not None else value for value in stated}
        if (fraction_of(given) if fraction_of(given) is not None else given) not in values:
            told = " or ".join(str(value) for value in sorted(map(str, stated)))
            called = name.replace("_", " ")
            yield f"the table says {called} {told}, and the recipe has {called} {given}"


def functions_unnamed(
    cell: TableCell, caption: str, description: QueryDescription, hidden: frozenset[str], *, first: bool = False
) -> Iterator[str]:
    """Functions that a query puts its numbers through and that no statistic named by the labels uses.

    `first` says that the cell is only the first of several numbers that the query gives.
    """
    called = set(description.functions) - _SHARES
    if not called:
        return
    labels = [without(appearance(label), hidden) for label in (cell.column, cell.row, cell.quotation)]
    said = [entry for label in (*labels, said_of(cell.column, caption)) for entry in named_in(label)]
    allowed = {name for entry in said for name in (*_functions(entry.sql), entry.name)}
    if first or (
        cell.printed is not None and len(cell.printed.parts) > 1
    ):  # a number behind another says how far that is off
        allowed |= {"stddev_samp", "stddev", "sqrt", "stddev_pop"}
    if any(entry.name == "quantile" or entry.name == "median" for entry in said):
        allowed |= {name for name in description.functions if name.startswith(("quantile", "median"))}
    for change in ARITHMETIC:
        if change.heading.search(cell.column):
            allowed |= set(filter(change.recipe.search, description.functions))
    for name in sorted(called - allowed):
        yield f"it takes {name} of its numbers, and no label names a statistic that does"


def _told(names: Collection[str]) -> str:
    return " and ".join(sorted(name.replace("_", " ") for name in names))


@lru_cache(maxsize=1024)
def without(text: str, hidden: frozenset[str]) -> str:
    """Asked for every cell, and most have the same heading."""
    for name in sorted(hidden, key=len, reverse=True):
        if name and name in text:
            text = re.sub(AS_WORDS.format(re.escape(name)), " ", text)
    return text
