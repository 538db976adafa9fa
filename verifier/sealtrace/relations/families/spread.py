"""Standard deviations: never negative, and those of listed values are what the values give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.means import items_above, seed_columns, summarized
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import plain, real
from sealtrace.relations.syntax import Unknown, all_of, any_of, call, compare, equal, some_real

FAMILY = "standard deviation"
_SD = re.compile(r"(?:sd|s\.d\.?|std\.?|std\.? ?dev\.?|st\. ?dev\.|standard deviation)")
_HEADED = re.compile(r"(?:.* )?(?:sd|std|std\.? ?dev|standard deviation)\.?(?: ?\(%\))?")
_PLUS_MINUS = re.compile(r"(?:mean|average|avg\.?) ?± ?(?:sd|std\.?|s\.d\.|standard deviation)")
_TOLD = re.compile(r"±[^.;]*\b(?:standard deviations?|SDs?|std)\b|\bstandard deviations?\b[^.;]*±", re.IGNORECASE)
_OTHER = re.compile(r"\bstandard errors?\b|\bSEM\b|\bconfidence|\bbootstrap|\bpooled\b", re.IGNORECASE)
_RELATIVE = re.compile(r"Δ|δ|\b(?:delta|diff|change|gain|log|relative)\b")
MOST_LISTED = 12
"""Longer lists have too many corners to try."""


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        yield from _signs(sheet)
        yield from _listed_in_rows(sheet)
        yield from _listed_in_columns(sheet)
    for sheet in paper.both_ways:
        yield from _headed_signs(sheet)


def _signs(sheet: Sheet) -> Iterator[Claim]:
    for row, column in sorted(sheet.entries):
        both = sheet.part(row, column, "mean", "sd")
        if both is not None:
            yield _nonnegative(sheet, both[1], "±")


def _headed_signs(sheet: Sheet) -> Iterator[Claim]:
    for column in sheet.numeric_columns():
        header = plain(sheet.columns[column].label)
        if _HEADED.fullmatch(header) and not _RELATIVE.search(header):
            for row in range(len(sheet.rows)):
                fact = sheet.number(row, column)
                if fact is not None and fact.part is None:
                    yield _nonnegative(sheet, fact, f"{sheet.columns[column].label!r}")


def _nonnegative(sheet: Sheet, fact: Fact, said: str) -> Claim:
    return Claim(
        f"{FAMILY} {fact.address}",
        compare(real(fact), ">=", 0),
        f"{fact.text} is a spread, which is never negative.",
        sheet.place(said),
        question=f"What is {fact.text}?",
        family=FAMILY,
        telling=False,
    )


def _listed_in_rows(sheet: Sheet) -> Iterator[Claim]:
    """A row's deviation beside its seeds."""
    found = seed_columns(sheet)
    if found is None or _OTHER.search(sheet.caption):
        return
    listed, mean = found
    headers = [plain(line.label) for line in sheet.columns]
    columns = [column for column in sheet.numeric_columns() if _SD.fullmatch(headers[column])]
    told = _PLUS_MINUS.fullmatch(headers[mean]) or _TOLD.search(sheet.caption)
    for row in range(len(sheet.rows)):
        values = [sheet.number(row, column) for column in listed]
        facts = [one for one in values if one is not None]
        both = sheet.part(row, mean, "mean", "sd")
        deviation = both[1] if both is not None and told else None
        if len(columns) == 1 and deviation is None:
            deviation = sheet.number(row, columns[0])
        if deviation is not None and len(facts) == len(values):
            yield from _of_values(sheet, deviation, facts, f"columns of {len(facts)} values")


def _listed_in_columns(sheet: Sheet) -> Iterator[Claim]:
    """A row of deviations below the rows that it speaks of."""
    if _OTHER.search(sheet.caption):
        return
    for row, line in enumerate(sheet.rows):
        scopes = summarized(sheet, row)
        if not _SD.fullmatch(plain(line.first)) or len(scopes) != 1 or not items_above(sheet, row):
            continue
        for column in sheet.numeric_columns():
            deviation, facts = sheet.number(row, column), sheet.down(column, scopes[0])
            if deviation is not None and facts is not None:
                yield from _of_values(sheet, deviation, facts, f"row {line.label!r}")


def _of_values(sheet: Sheet, deviation: Fact, facts: Sequence[Fact], said: str) -> Iterator[Claim]:
    if not 2 <= len(facts) <= MOST_LISTED:
        return
    cells = [real(fact) for fact in facts]
    least, most = squared_distances([(cell.fact.low, cell.fact.high) for cell in cells])
    ways = [equal(real(deviation) ** 2 * divisor, Unknown("v")) for divisor in (len(facts) - 1, len(facts))]
    centre = some_real("m", None, None, equal(Unknown("m"), call("mean", *cells)))
    yield Claim(
        f"{FAMILY} {deviation.address} of {len(facts)}",
        all_of(centre, some_real("v", least, most, any_of(*ways))),
        f"{deviation.text} is the standard deviation of {', '.join(fact.text for fact in facts)}; their squares around "
        f"their mean sum to {float(least):.6g} to {float(most):.6g}.",
        sheet.place(said),
        ("The divisor is the number of values or one less.",),
        question=f"Which values have the standard deviation {deviation.text}?",
        family=FAMILY,
    )


def squared_distances(ends: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """The least and the greatest sum of squared distances from their own mean, of values within intervals."""
    return _least(ends), max(_around_mean(corner) for corner in product(*ends))


def _around_mean(values: Sequence[Fraction]) -> Fraction:
    # A convex function of the values: the greatest is at a corner.
    total = sum(values, Fraction(0))
    return sum((value * value for value in values), Fraction(0)) - total * total / len(values)


def _least(ends: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """Every value as near as it can be to the best common point, which one of the stretches between ends holds."""
    points = sorted({end for pair in ends for end in pair})
    found = [Fraction(0)] if len(points) == 1 else []
    for left, right in pairwise(points):
        away = [high for _low, high in ends if high <= left] + [low for low, _high in ends if low >= right]
        best = min(max(sum(away, Fraction(0)) / len(away), left), right) if away else left
        found.append(sum(((value - best) ** 2 for value in away), Fraction(0)))
    return min(found)
