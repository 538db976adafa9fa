"""Clopper-Pearson intervals and bounds that a table names, against the counts that stand beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import is_percent, plain, real
from sealtrace.relations.syntax import Expression, Formula, all_of, any_of, call, equal

FAMILY = "certificate"
_NAMED = re.compile(r"\bclopper[-–— ]+pearson\b|\bexact binomial\b", re.I)
_LEVEL = re.compile(r"(\d{2}(?:\.\d+)?) ?%")
_BOUND = re.compile(r"\b(?:ucb|upper)\b")
_ADJUSTED = re.compile(
    r"\bbonferroni|\badjust|\bcorrect(?:ed|ion)|\bsimultaneous|\bunion bound|\ballocat|\bmid-p", re.I
)
LARGEST = 20_000


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        for column in sheet.numeric_columns():
            label = sheet.columns[column].label
            if _NAMED.search(label) or (
                _NAMED.search(sheet.caption) and re.search(r"interval|\bci\b|ucb|upper", plain(label))
            ):
                yield from _column(sheet, column)


def _column(sheet: Sheet, column: int) -> Iterator[Claim]:
    label = sheet.columns[column].label
    levels = set(_LEVEL.findall(label)) or set(_LEVEL.findall(sheet.caption))
    counts = [
        one for one in sheet.numeric_columns() if any(sheet.part(row, one, "k", "n") for row in range(len(sheet.rows)))
    ]
    if len(levels) != 1 or len(counts) != 1 or _ADJUSTED.search(sheet.caption + label):
        return
    miss = 1 - Fraction(levels.pop()) / 100
    for row in range(len(sheet.rows)):
        ratio = sheet.part(row, counts[0], "k", "n")
        entry = sheet.entry(row, column)
        if ratio is None or entry is None or not 0 < ratio[1].value <= LARGEST or ratio[0].value > ratio[1].value:
            continue
        k, n = int(ratio[0].value), int(ratio[1].value)
        whole = 100 if is_percent(re.sub(r"\d+ ?%", "", label), sheet.caption, (entry.text,)) else 1
        ends = sheet.part(row, column, "low", "high")
        if ends is not None:
            yield _claim(
                sheet, ends[0], _interval(ends, k, n, miss / 2, whole), _interval(ends, k, n, miss, whole), k, n, label
            )
        elif len(entry.facts) == 1 and _BOUND.search(plain(label)):
            ways = [_upper(entry.facts[0], k, n, share, whole) for share in (miss, miss / 2)]
            yield _claim(sheet, entry.facts[0], any_of(*ways), None, k, n, label)


def _interval(ends: tuple[Fact, ...], k: int, n: int, share: Fraction, whole: int) -> Formula:
    # The lower end for k successes is the upper one's mirror for the failures.
    mirrored = whole - _scaled(call("cp_upper", n - k, n, share), whole)
    return all_of(equal(real(ends[0]), mirrored if k else 0), _upper(ends[1], k, n, share, whole))


def _upper(fact: Fact, k: int, n: int, share: Fraction, whole: int) -> Formula:
    return equal(real(fact), _scaled(call("cp_upper", k, n, share), whole))


def _scaled(bound: Expression, whole: int) -> Expression:
    return bound if whole == 1 else whole * bound


def _claim(sheet: Sheet, fact: Fact, formula: Formula, one_sided: Formula | None, k: int, n: int, label: str) -> Claim:
    repairs = (Repair("each end was computed at the whole level", one_sided),) if one_sided is not None else ()
    return Claim(
        f"{FAMILY} {fact.address}",
        formula,
        f"{fact.text} is the Clopper-Pearson bound of {k}/{n}.",
        sheet.place(f"column {label!r}"),
        ("The bound is of the count beside it, at the level named.",),
        repairs,
        f"From which count and at which level is {fact.text} computed?",
        FAMILY,
    )
