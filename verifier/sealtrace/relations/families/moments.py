"""Means and standard deviations of whole numbers: both must come from some list of integers of the declared size."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.stated import size_of
from sealtrace.relations.families.wording import COUNT, count_of, plain, real
from sealtrace.relations.syntax import (
    Formula,
    Multiple,
    Unknown,
    all_of,
    any_of,
    equal,
    number,
    some_integer,
)

FAMILY = "whole numbers"
_WHOLE = re.compile(
    r"\bLikert\b|\b(?:\d|three|four|five|seven|nine|ten)-point (?:Likert )?scale|"
    r"\binteger (?:scores?|ratings?|grades?)|\bwhole-number (?:scores?|ratings?|grades?)",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\bitems?\b|\bsubscales?\b|\bcomposite\b|\bnormali[sz]ed\b|\bweighted\b|\badjusted\b|\braters\b|"
    r"\bannotators\b|\bper (?:rater|annotator|question)\b|\bmedian\b|\bstandard errors?\b|\bSEM?\b",
    re.IGNORECASE,
)
_ITEMS = re.compile(rf"\b(?:mean|average|averaged) (?:of|over) {COUNT} items\b", re.IGNORECASE)
_MEAN = re.compile(r"(?:mean|m|average|avg\.?)|(?:mean |average |avg\.? )?(?:rating|score|grade)s?(?: mean)?")
_SD = re.compile(r"(?:sd|s\.d\.|std\.?|std\.? dev\.?|standard deviation)")
MOST_SUMS = 50
"""With more possible sums than this a deviation tells nothing."""


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        if _WHOLE.search(sheet.caption):
            yield from _sheet(sheet)


def _sheet(sheet: Sheet) -> Iterator[Claim]:
    items = _items(sheet.caption)
    if items is None:
        return
    headers = [plain(line.label) for line in sheet.columns]
    means, deviations = sheet.headed(rf"(?:.* / )?(?:{_MEAN.pattern})"), sheet.headed(_SD)
    told = re.search(r"\b(?:SD|standard deviations?|s\.d\.)", sheet.caption) is not None
    for row in range(len(sheet.rows)):
        size = size_of(sheet, row, "n")
        if size is None or size < 2:
            continue
        for column in means:
            mean = sheet.number(row, column)
            if mean is None:
                continue
            yield from _mean(sheet, mean, size, items, headers[column])
            both = sheet.part(row, column, "mean", "sd")
            deviation = both[1] if both is not None and told else None
            if deviation is None and len(means) == len(deviations) == 1:
                deviation = sheet.number(row, deviations[0])
            if deviation is not None and items == 1:
                yield from _deviation(sheet, mean, deviation, size)


def _items(caption: str) -> int | None:
    """Of how many whole numbers each value is a mean; None where the caption leaves that open."""
    told = _ITEMS.findall(caption)
    if len(told) == 1:
        return count_of(told[0]) if not _SEVERAL.search(_ITEMS.sub("", caption)) else None
    return None if _SEVERAL.search(caption) else 1


def _mean(sheet: Sheet, mean: Fact, size: int, items: int, header: str) -> Iterator[Claim]:
    if Fraction(1, size * items) <= mean.unit:
        return
    each = f" of {items} items" if items > 1 else ""
    fewer = any_of(*(Multiple(real(mean), number(Fraction(1, n * items))) for n in range(max(2, size - 20), size)))
    yield Claim(
        f"{FAMILY} {mean.address}",
        Multiple(real(mean), number(Fraction(1, size * items))),
        f"{mean.text} is the mean of {size} answers{each} in whole numbers.",
        sheet.place(f"caption, column {header!r}"),
        ("Each of the declared sample gave one whole-number answer.",),
        (Repair("some did not answer", fewer),),
        f"How many answers does the mean {mean.text} have, and what is their sum?",
        FAMILY,
    )


def _deviation(sheet: Sheet, mean: Fact, deviation: Fact, size: int) -> Iterator[Claim]:
    formula = _some_list(mean, deviation, size)
    if formula is None:
        return
    fewer = [example for n in range(max(2, size - 5), size) if (example := _some_list(mean, deviation, n)) is not None]
    yield Claim(
        f"{FAMILY} {deviation.address}",
        formula,
        f"{mean.text} and {deviation.text} are mean and standard deviation of {size} whole numbers.",
        sheet.place("caption"),
        ("Each of the declared sample gave one whole-number answer.", "The divisor is the sample size or one less."),
        (Repair("up to five did not answer", any_of(*fewer)),) if fewer else (),
        f"Which sum and which sum of squares give {mean.text} and {deviation.text}?",
        FAMILY,
    )


def _some_list(mean: Fact, deviation: Fact, size: int) -> Formula | None:
    """Some sum and sum of squares of so many integers give both; None where many sums or none give the mean."""
    read = mean.rounded() if mean.exact else mean
    sums = range(math.ceil(read.low * size), math.floor(read.high * size) + 1)
    if not 0 < len(sums) <= MOST_SUMS:
        return None
    cases = []
    for total, divisor in product(sums, (size - 1, size)):
        base, over = divmod(total, size)
        # No integers of this sum have a smaller sum of squares, and every such sum has the parity of the sum itself.
        least = (size - over) * base**2 + over * (base + 1) ** 2
        # A little beyond the printed deviation, so that a reader sees the neighbours that do not fit.
        most = math.floor(divisor * (deviation.high + 2 * deviation.unit) ** 2 + Fraction(total * total, size))
        squares = total + 2 * Unknown("j") - Fraction(total * total, size)
        body = all_of(equal(real(mean), Fraction(total, size)), equal(real(deviation) ** 2 * divisor, squares))
        cases.append(some_integer("j", (least - total) // 2, max(least - total, most - total) // 2, body))
    return any_of(*cases)
