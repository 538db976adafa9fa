"""Relations found by search: cells that equal a simple function of others too often for chance. Nothing is claimed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations

from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.quoted import significant
from sealtrace.relations.families.wording import plain
from sealtrace.relations.intervals import Interval
from sealtrace.relations.rendering import fact_text

LEAST_SCORE = 3
"""Powers of ten by which chance must be unlikely."""
MOST_CHECKS = 300_000
"""Comparisons of cells in one search: some seconds."""
MOST_COLUMNS = 24


@dataclass(frozen=True)
class Suggestion:
    """A relation that the numbers satisfy, though no sentence of the paper was seen to imply it."""

    name: str
    text: str
    """Ready for a relations file; its `because` waits for a place."""
    sentence: str
    score: float
    """Digits that agree beyond what the number of attempts explains."""
    cells: tuple[str, ...]


@dataclass(frozen=True)
class _Pattern:
    """A function of one or two columns."""

    name: str
    inputs: int
    symmetric: bool
    value: Callable[..., Interval | None]
    text: str


def _add(one: Interval, other: Interval) -> Interval:
    return Interval(one.low + other.low, one.high + other.high)


def _half(one: Interval) -> Interval:
    return Interval(one.low / 2, one.high / 2)


def _ratio(one: Interval, other: Interval) -> Interval | None:
    if other.low <= 0 <= other.high:
        return None
    ends = [a / b for a in (one.low, one.high) for b in (other.low, other.high)]
    return Interval(min(ends), max(ends))


def _percent(one: Interval, other: Interval) -> Interval | None:
    ratio = _ratio(one, other)
    return None if ratio is None else Interval(100 * ratio.low, 100 * ratio.high)


_PATTERNS = (
    _Pattern("sum", 2, True, _add, "{0} + {1}"),
    _Pattern("half", 1, False, _half, "{0} / 2"),
    _Pattern("mean", 2, True, lambda one, other: _half(_add(one, other)), "({0} + {1}) / 2"),
    _Pattern("ratio", 2, False, _ratio, "{0} / {1}"),
    _Pattern("percent", 2, False, _percent, "100 * {0} / {1}"),
)


@dataclass(frozen=True)
class _Column:
    """A column's numbers by row, with rough ends that a first look compares."""

    place: int
    facts: tuple[Fact | None, ...]
    rough: tuple[tuple[float, float] | None, ...]
    spread: Fraction


class _Search:
    """What is left to try, and how much was tried."""

    def __init__(self) -> None:
        self.checks = MOST_CHECKS
        self.attempts = 0

    def spend(self) -> bool:
        self.checks -= 1
        return self.checks > 0


def suggest(paper: Paper) -> list[Suggestion]:
    """Relations that the paper's numbers satisfy, the least likely by chance first."""
    search = _Search()
    found = [one for sheet in paper.both_ways for one in _within(sheet, search)]
    tried = math.log10(max(search.attempts, 1))
    found = [replace(one, score=one.score - tried) for one in found] + list(_across(paper))
    return sorted((one for one in found if one.score >= LEAST_SCORE), key=lambda one: (-one.score, one.name))


# Inside one table


def _within(sheet: Sheet, search: _Search) -> Iterator[Suggestion]:
    columns = [one for place in sheet.numeric_columns() if (one := _column(sheet, place)) is not None][:MOST_COLUMNS]
    for pattern in _PATTERNS:
        for result, *inputs in permutations(columns, pattern.inputs + 1):
            if pattern.symmetric and inputs[0].place > inputs[1].place:
                continue
            search.attempts += 1
            if not search.spend():
                return
            found = _fitting(pattern, result, inputs)
            if found is not None:
                yield _suggestion(sheet, pattern, [result, *inputs], *found)


def _column(sheet: Sheet, place: int) -> _Column | None:
    """A column that varies and has numbers with digits that tell something."""
    facts = tuple(sheet.number(row, place) for row in range(len(sheet.rows)))
    known = [fact for fact in facts if fact is not None]
    values = {fact.value for fact in known}
    if len(values) < 2 or not any(significant(fact.text) > 1 for fact in known):
        return None
    rough = tuple(None if fact is None else (float(fact.low), float(fact.high)) for fact in facts)
    return _Column(place, facts, rough, max(values) - min(values))


def _fitting(pattern: _Pattern, result: _Column, inputs: list[_Column]) -> tuple[list[int], float] | None:
    """The rows in which a pattern holds, if it holds wherever all of its numbers stand, and how telling that is."""
    rows, score = [], 0.0
    for row, own in enumerate(result.rough):
        ends = [one.rough[row] for one in inputs]
        if own is None or None in ends:
            continue
        roughly = pattern.value(*(Interval(*one) for one in ends if one is not None))
        slack = 1e-9 * (1 + abs(own[0]) + abs(own[1]))
        if roughly is None or roughly.low > own[1] + slack or roughly.high < own[0] - slack:
            return None
        rows.append(row)
    for row in rows:
        known = [fact for one in (result, *inputs) if (fact := one.facts[row]) is not None]
        given = pattern.value(*(fact.interval for fact in known[1:]))
        if given is None or given.meet(known[0].interval) is None:
            return None
        # Zeros agree with zeros: only rows whose every number is telling count.
        if all(fact.value for fact in known):
            width = Fraction(given.high) - Fraction(given.low) + known[0].high - known[0].low
            score += max(0.0, -math.log10(float(max(width, known[0].unit) / (result.spread + width + known[0].unit))))
    return (rows, score) if len(rows) > 1 and score >= LEAST_SCORE else None


def _suggestion(sheet: Sheet, pattern: _Pattern, columns: list[_Column], rows: list[int], score: float) -> Suggestion:
    labels = [sheet.columns[one.place].label for one in columns]
    facts = [[fact for one in columns if (fact := one.facts[row]) is not None] for row in rows]
    kind = "rows" if sheet.is_turned else "columns"
    name = f"suggested {pattern.name} {sheet.label} {labels[0]}"
    sentence = f"{labels[0]} is the {pattern.name} of {' and '.join(labels[1:])} ({kind} of {sheet.label})."
    lines = [_line(pattern, [fact_text(fact) for fact in line]) for line in facts]
    loop = None
    if len(rows) > 1 and all(_tame(sheet.rows[row].label) for row in rows):
        loop = "; ".join(sheet.rows[row].label for row in rows)
        varied = [replace(fact, column="{r}") if sheet.is_turned else replace(fact, row="{r}") for fact in facts[0]]
        lines = [_line(pattern, [fact_text(fact) for fact in varied])]
    return Suggestion(
        name,
        _text(name, sentence, lines, loop),
        sentence,
        score,
        tuple(fact.address for line in facts for fact in line),
    )


def _line(pattern: _Pattern, cells: list[str]) -> str:
    return f"{cells[0]} == {pattern.text.format(*cells[1:])}"


def _tame(label: str) -> bool:
    return label == " ".join(label.split()) and not set(label) & set('[];"{}\\*')


def _text(name: str, sentence: str, lines: list[str], loop: str | None) -> str:
    written = [f"relation {_identifier(name)}", f"  says    {sentence}", "  because found by search; name the place"]
    if loop is not None:
        written.append(f"  for r in [{loop}]")
    return "\n".join([*written, f"  holds   {' and '.join(lines)}"]) + "\n"


def _identifier(name: str) -> str:
    kept = "".join(character if character.isalnum() else "-" for character in name)
    return "-".join(filter(None, kept.split("-")))


# The same number in several tables


def _across(paper: Paper) -> Iterator[Suggestion]:
    """Numbers of three telling digits that tables repeat under the same header or for the same row."""
    groups: dict[str, dict[str, list[Fact]]] = {}
    for fact in paper.facts.every():
        if fact.table is not None and significant(fact.text) >= 3 and "." in fact.text:
            for shared in (f"column {plain(fact.column)}", f"row {plain(fact.row)}"):
                groups.setdefault(shared, {}).setdefault(fact.text, []).append(fact)
    seen: set[tuple[str, ...]] = set()
    for shared, texts in groups.items():
        for text, facts in texts.items():
            chosen = sorted({fact.table: fact for fact in reversed(facts)}.values(), key=lambda fact: fact.address)
            addresses = tuple(fact.address for fact in chosen)
            if len(chosen) < 2 or addresses in seen:
                continue
            seen.add(addresses)
            sentence = f"{text} is one number in {len(chosen)} tables ({shared})."
            name = f"suggested same {chosen[0].table} {text} {len(seen)}"
            line = " == ".join(fact_text(fact) for fact in chosen)
            score = significant(text) * (len(chosen) - 1) - math.log10(len(texts))
            yield Suggestion(name, _text(name, sentence, [line], None), sentence, score, addresses)
