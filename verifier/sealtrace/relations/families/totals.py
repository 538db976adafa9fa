"""Parts that sum to a whole: what is headed Total, and shares that a caption says sum to one hundred or one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import SUMMARY, count, plain, real
from sealtrace.relations.syntax import Cell, any_of, call, compare, equal

FAMILY = "parts and whole"
_TOTAL = re.compile(r"(?:total|totals|sum)[.:]?")
_WHOLE = re.compile(r"(?:all|overall)[.:]?")
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


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        yield from _total_rows(sheet)
        yield from _total_columns(sheet)
        yield from _declared(sheet)


# Rows and columns of totals


def _total_rows(sheet: Sheet) -> Iterator[Claim]:
    for row, line in enumerate(sheet.rows):
        name = plain(line.first or line.label)
        if not (_TOTAL.fullmatch(name) or _WHOLE.fullmatch(name)):
            continue
        above = [place for place in range(row) if not SUMMARY.fullmatch(sheet.rows[place].first)]
        ruled = [place for place in range(row + 1) if sheet.rows[place].after_rule and place < row]
        block = [place for place in above if not ruled or place >= ruled[-1]]
        if len(above) < 2 or any(sheet.rows[place].indented for place in above) or not _last(sheet, row):
            continue
        for column in sheet.numeric_columns():
            header = plain(sheet.columns[column].label)
            additive = not _NOT_ADDITIVE.search(header) and (_TOTAL.fullmatch(name) or _ADDITIVE.fullmatch(header))
            total = sheet.number(row, column)
            parts = sheet.down(column, above)
            if not additive or total is None or parts is None or not _counts([*parts, total]):
                continue
            scopes = [parts]
            if len(block) > 1 and block != above and (fewer := sheet.down(column, block)) is not None:
                scopes.append(fewer)
            yield _sum(sheet, total, scopes, f"row {line.label!r}")
            if sum(part.value for part in parts) == total.value:
                yield from _rates(sheet, row, above, column)


def _rates(sheet: Sheet, row: int, above: list[int], counts: int) -> Iterator[Claim]:
    """Rates beside counts that add up: the rate of the whole weighs each part by its count, or all of them alike."""
    sizes = [fact.value for fact in sheet.down(counts, above) or ()]
    for column in sheet.numeric_columns():
        whole, parts, label = sheet.number(row, column), sheet.down(column, above), sheet.columns[column].label
        texts = [entry.text for place in (*above, row) if (entry := sheet.entry(place, column)) is not None]
        shares = _RATE.search(plain(label)) or all("%" in text for text in texts)
        if whole is None or parts is None or not shares or len({part.value for part in parts}) < 2:
            continue
        scale = 100 if any(part.value > 1 for part in (*parts, whole)) else 1
        if not all(_is_share(part, size, scale) for part, size in zip(parts, sizes, strict=True)):
            continue
        weighted = [real(part) * (size / sum(sizes)) for part, size in zip(parts, sizes, strict=True)]
        rates = [real(part) for part in parts]
        header = sheet.columns[counts].label
        yield Claim(
            f"{FAMILY} {whole.address} rate",
            any_of(
                *(
                    equal(real(whole), one)
                    for one in (call("sum", *weighted), call("mean", *rates), call("sum", *rates))
                )
            ),
            f"{whole.text} of all is made of the {len(parts)} rates above, by {header!r} or evenly.",
            sheet.place(f"row {sheet.rows[row].label!r}"),
            ("Every rate is over the count that its row gives.",),
            question=f"Over which items is {whole.text} computed?",
            family=FAMILY,
            evidence=f"the counts of column {header!r} add up to that of this row",
        )


def _last(sheet: Sheet, row: int) -> bool:
    """Whether only other summaries follow."""
    return all(SUMMARY.fullmatch(line.first) for line in sheet.rows[row + 1 :])


def _counts(facts: Sequence[Fact]) -> bool:
    """Whether numbers are counts to the last digit: not rounded to hundreds."""
    values = [count(fact) for fact in facts]
    whole = [one for one in values if one is not None]
    return len(whole) == len(facts) and (any(one % 100 for one in whole) or max(whole) < 1000)


def _sum(sheet: Sheet, total: Fact, scopes: list[list[Fact]], said: str) -> Claim:
    sums = [call("sum", *(Cell(part) for part in parts)) for parts in scopes]
    # Rows that break the whole down in several ways (by age, by region) count it once for each.
    times = (2, 3) if len(scopes[0]) > 3 else ()
    ways = [equal(Cell(total), one) for one in sums] + [equal(Cell(total) * n, one) for one in sums for n in times]
    most = any_of(*(compare(Cell(total), "<=", one) for one in sums))
    return Claim(
        f"{FAMILY} {total.address}",
        any_of(*ways),
        f"{total.text} is the total of {len(scopes[0])} parts.",
        sheet.place(said),
        ("The parts are disjoint, or break the whole down once in each of several ways.",),
        (Repair("the parts overlap", most),),
        f"Which parts sum to {total.text}?",
        FAMILY,
    )


def _total_columns(sheet: Sheet) -> Iterator[Claim]:
    """A column headed Total beside columns that are splits of a data set."""
    column, parts = sheet.only(_TOTAL), sheet.headed(_SPLITS)
    if column is None or len(parts) < 2 or len(parts) + 1 != len(sheet.numeric_columns()):
        return
    for _row, (total, *whole) in sheet.together(column, *parts):
        if _counts([*whole, total]):
            yield _sum(sheet, total, [whole], f"column {sheet.columns[column].label!r}")


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
