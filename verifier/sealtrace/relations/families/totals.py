"""Parts that sum to a whole: what is headed Total, and shares that a caption says sum to one hundred or one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.stated import Rule, headers, summaries, weighted
from sealtrace.relations.families.wording import SUMMARY, count, plain, real
from sealtrace.relations.syntax import Formula, Given, any_of, at_most, call, equal

FAMILY = "parts and whole"
_TOTAL = re.compile(r"(?:total|totals|sum)[.:]?")
_WHOLE = re.compile(r"(?:total|totals|sum|all|overall)[.:]?")
_NOT_ADDITIVE = re.compile(
    r"avg|mean|median|max|min|unique|distinct|year|rate|ratio|%|\bper\b|length|vocab|types|class|label|categor|entit|"
    r"relation|users|speakers|languages|authors|rank|depth|layers|time|\bid\b|version|seed|score|dim"
)
_ADDITIVE = re.compile(
    r"(?:# ?|no\. of |number of )?(?:[\w-]+ )?"
    r"(?:count|counts|n|samples|instances|examples|states|hands|matches|games|cases|questions|episodes|patients|errors)"
)
_SPLITS = re.compile(
    r"(?:train|training|dev|development|val\.?|valid\.?|validation|test|testing|calibration|held-?out|structure|tune)"
)
_RATE = re.compile(r"%|\b(?:rate|accuracy|acc|asr|success|pass(?:ed)?|recall|precision|coverage|share|agreement)\b")
_SUMS = re.compile(
    r"\b(columns?|rows?|percentages|shares|proportions|fractions|entries|values|probabilities)\b([^.;]*?)"
    r"\b(?:sums?|adds?(?: up)?|total)s? to (100|one hundred|1|one)\b(?!\.\d)",
    re.IGNORECASE,
)
_DOUBT = re.compile(r"\b(?:not|need|may|might|approximately|about|nearly|except)\b", re.IGNORECASE)


def _adds_up(total: Given, *parts: Given) -> Formula:
    """The sum of all parts; rows that break the whole down in several ways (by age, by region) count it repeatedly."""
    times = (1, 2, 3) if len(parts) > 3 else (1,)
    return any_of(*(equal(total * n if n > 1 else total, call("sum", *parts)) for n in times))


_IS_TOTAL = Rule(
    FAMILY,
    "{0} is the total of {count} parts.",
    _adds_up,
    ("The parts are disjoint, or break the whole down once in each of several ways.",),
    "Which parts sum to {0}?",
    ("the parts overlap", lambda total, *parts: at_most(total, call("sum", *parts))),
    read=Given,
)
_IS_RATE = Rule(
    FAMILY,
    "{0} of all is made of the {count} rates above, by their counts or evenly.",
    lambda whole, *rates: any_of(equal(whole, call("mean", *rates)), equal(whole, call("sum", *rates))),
    ("Every rate is over the count that its row gives.",),
    "Over which items is {0} computed?",
)


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        yield from _total_rows(sheet)
        yield from _total_columns(sheet)
        yield from _declared(sheet)


# Rows and columns of totals


def _total_rows(sheet: Sheet) -> Iterator[Claim]:
    for row, column, total, (above, *blocks) in summaries(sheet, _WHOLE):
        header, said = plain(sheet.columns[column].label), f"row {sheet.rows[row].label!r}"
        named = _TOTAL.fullmatch(plain(sheet.rows[row].first or sheet.rows[row].label)) or _ADDITIVE.fullmatch(header)
        last = all(SUMMARY.fullmatch(line.first) for line in sheet.rows[row + 1 :])
        parts = sheet.down(column, above)
        if not named or _NOT_ADDITIVE.search(header) or not last or parts is None or not _counts([*parts, total]):
            continue
        # What is many times its parts is a total of something else: of what the parts are means of; and parts that
        # are much more than the whole overlap.
        added = sum(part.value for part in parts)
        if any(sheet.rows[place].indented for place in above) or not 0.8 * added <= total.value <= 4 * added:
            continue
        lists = [parts, *(facts for block in blocks if (facts := sheet.down(column, block)) is not None)]
        ways = any_of(*(_adds_up(Given(total), *map(Given, facts)) for facts in lists))
        # Categories, users or places of several parts may be the same ones.
        overlap = total.value < added and not _ADDITIVE.fullmatch(header)
        evidence = "the row's name; a whole may be less than its parts where they overlap" if overlap else ""
        yield _IS_TOTAL.claim(sheet, (total, *parts), said, formula=ways, evidence=evidence)
        if added == total.value:
            yield from _rates(sheet, row, above, column, [part.value for part in parts])


def _rates(sheet: Sheet, row: int, above: list[int], counts: int, sizes: list[Fraction]) -> Iterator[Claim]:
    """Rates beside counts that add up: the rate of the whole weighs each part by its count, or all of them alike."""
    for column in sheet.numeric_columns():
        whole, parts = sheet.number(row, column), sheet.down(column, above)
        texts = [entry.text for place in (*above, row) if (entry := sheet.entry(place, column)) is not None]
        shares = _RATE.search(plain(sheet.columns[column].label)) or all("%" in text for text in texts)
        if whole is None or parts is None or not shares or len({part.value for part in parts}) < 2:
            continue
        scale = 100 if any(part.value > 1 for part in (*parts, whole)) else 1
        if not all(_is_share(part, size, scale) for part, size in zip(parts, sizes, strict=True)):
            continue
        rates = [real(part) for part in parts]
        ways = any_of(equal(real(whole), weighted(rates, sizes)), _IS_RATE.formula(real(whole), *rates))
        said = f"the counts of column {headers(sheet, counts)} add up to that of this row"
        place = f"row {sheet.rows[row].label!r}"
        yield _IS_RATE.claim(sheet, (whole, *parts), place, formula=ways, evidence=said)


def _counts(facts: Sequence[Fact]) -> bool:
    """Whether numbers are counts to the last digit: not rounded to hundreds."""
    values = [count(fact) for fact in facts]
    whole = [value for value in values if value is not None]
    return len(whole) == len(facts) and (any(fact % 100 for fact in whole) or max(whole) < 1000)


def _total_columns(sheet: Sheet) -> Iterator[Claim]:
    """A column headed Total beside columns that are splits of a data set."""
    column, parts = sheet.only(_TOTAL), sheet.headed(_SPLITS)
    if len(parts) > 1 and len(parts) + 1 == len(sheet.numeric_columns()):
        for _row, facts in sheet.together(column, *parts):
            if _counts(facts):
                yield _IS_TOTAL.claim(sheet, facts, f"column {headers(sheet, column)}")


def _is_share(rate: Fact, size: Fraction, scale: int) -> bool:
    """Whether a rate can be a count out of so many."""
    low, high = (end * size / scale for end in (real(rate).fact.low, real(rate).fact.high))
    return size > 0 and 0 <= rate.value <= scale and math.ceil(low) <= high


# What a caption says of shares


def _declared(sheet: Sheet) -> Iterator[Claim]:
    for noun, between, whole in _SUMS.findall(sheet.caption):
        if _DOUBT.search(between):
            continue
        target = Fraction(100) if whole.lower() in ("100", "one hundred") else Fraction(1)
        kind = noun.lower().rstrip("s")
        if kind == "row":
            yield from _sum_to(sheet.turned(), target)
        elif kind == "column" or len(sheet.numeric_columns()) == 1:
            yield from _sum_to(sheet, target)


def _sum_to(sheet: Sheet, target: Fraction) -> Iterator[Claim]:
    for column in sheet.numeric_columns():
        if SUMMARY.fullmatch(sheet.columns[column].label):
            continue
        rows = [row for row, line in enumerate(sheet.rows) if not SUMMARY.fullmatch(line.first or line.label)]
        parts = sheet.down(column, rows)
        if parts is None or len(parts) < 2:
            continue
        label = sheet.columns[column].label
        yield Claim(
            f"{FAMILY} {sheet.label}[{'row' if sheet.is_turned else 'column'} {label}]",
            equal(call("sum", *(real(part) for part in parts)), target),
            f"The {len(parts)} shares of {label!r} sum to {target}.",
            sheet.place("caption"),
            question=f"What is missing from the shares of {label!r}?",
            family=FAMILY,
        )
