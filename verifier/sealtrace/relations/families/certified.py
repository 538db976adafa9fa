"""Intervals and bounds that a table calls Clopper and Pearson's or Wilson's, against the counts beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import is_percent, plain, real
from sealtrace.relations.syntax import Expression, Formula, all_of, any_of, at_most, call, equal, number

FAMILY = "certificate"
_NAMED = re.compile(r"\b(?:clopper[-–— ]+pearson|exact binomial|(wilson))\b", re.I)
_LEVEL = re.compile(r"(\d{2}(?:\.\d+)?) ?%")
_ADJUSTED = re.compile(
    r"\bbonferroni|\badjust|\bcorrect(?:ed|ion)|\bsimultaneous|\bunion bound|\ballocat|\bmid-p", re.I
)
_Z = {"90": "1.6449", "95": "1.9600", "99": "2.5758"}
LARGEST = 20_000


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        for column in sheet.numeric_columns():
            label = sheet.columns[column].label
            bounds = re.search(r"interval|\bcis?\b|\b(?:ucb|upper)\b", plain(label))
            named = _NAMED.search(label) or (_NAMED.search(sheet.caption) if bounds else None)
            if named is not None and not _ADJUSTED.search(sheet.caption + label):
                yield from _column(sheet, column, wilson=named[1] is not None)


def _column(sheet: Sheet, column: int, *, wilson: bool) -> Iterator[Claim]:
    label, rows = sheet.columns[column].label, range(len(sheet.rows))
    levels = set(_LEVEL.findall(label)) or set(_LEVEL.findall(sheet.caption)) or ({"95"} if wilson else set())
    counts = [column for column in sheet.numeric_columns() if any(sheet.part(row, column, "k", "n") for row in rows)]
    level = levels.pop() if len(levels) == 1 else None
    if level is None or len(counts) != 1 or (wilson and level not in _Z):
        return
    miss = 1 - Fraction(level) / 100
    for row in rows:
        ratio, entry = sheet.part(row, counts[0], "k", "n"), sheet.entry(row, column)
        if ratio is None or entry is None or not 0 < ratio[1].value <= LARGEST or ratio[0].value > ratio[1].value:
            continue
        k, n = int(ratio[0].value), int(ratio[1].value)
        whole = 100 if is_percent(re.sub(r"\d+ ?%", "", label), sheet.caption, (entry.text,)) else 1
        ends = sheet.part(row, column, "low", "high")
        if ends is not None and wilson:
            yield _claim(sheet, ends[0], _wilson(ends, k, n, Fraction(_Z[level]), whole), f"Wilson's of {k}/{n}", label)
        elif ends is not None:
            two, one = (_interval(ends, k, n, share, whole) for share in (miss / 2, miss))
            repair = Repair("each end was computed at the whole level", one)
            yield _claim(sheet, ends[0], two, f"the Clopper-Pearson bound of {k}/{n}", label, repair)
        elif len(entry.facts) == 1 and not wilson and re.search(r"\b(?:ucb|upper)\b", plain(label)):
            ways = any_of(*(_upper(entry.facts[0], k, n, share, whole) for share in (miss, miss / 2)))
            yield _claim(sheet, entry.facts[0], ways, f"the Clopper-Pearson bound of {k}/{n}", label)


def _interval(ends: tuple[Fact, ...], k: int, n: int, share: Fraction, whole: int) -> Formula:
    # The lower end for k successes is the upper one's mirror for the failures.
    mirrored = whole - _scaled(call("cp_upper", n - k, n, share), whole)
    return all_of(equal(real(ends[0]), mirrored if k else 0), _upper(ends[1], k, n, share, whole))


def _upper(fact: Fact, k: int, n: int, share: Fraction, whole: int) -> Formula:
    return equal(real(fact), _scaled(call("cp_upper", k, n, share), whole))


def _scaled(bound: Expression, whole: int) -> Expression:
    return bound if whole == 1 else whole * bound


def _wilson(ends: tuple[Fact, ...], k: int, n: int, z: Fraction, whole: int) -> Formula:
    p = Fraction(k, n)
    half = z * call("sqrt", p * (1 - p) / n + z * z / (4 * n * n))
    exact = [whole * (number(p + z * z / (2 * n)) + sign * half) / (1 + z * z / n) for sign in (-1, 1)]
    # A level is known to a few digits; what it moves the ends by is far below what is printed.
    slack = Fraction(whole, 10**4)
    return all_of(*(at_most(call("abs", real(end) - due), slack) for end, due in zip(ends, exact, strict=True)))


def _claim(sheet: Sheet, fact: Fact, formula: Formula, says: str, label: str, *repairs: Repair) -> Claim:
    return Claim(
        f"{FAMILY} {fact.address}",
        formula,
        f"{fact.text} is {says}.",
        sheet.place(f"column {label!r}"),
        ("It is of the count beside it, at the level named, without correction for continuity.",),
        repairs,
        f"From which count and at which level is {fact.text} computed?",
        FAMILY,
    )
