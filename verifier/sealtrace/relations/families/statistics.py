"""Statistics against what they are computed from: p of a test, intervals of counts, margins of rates, errors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from sealtrace.paper.fact import Fact
from sealtrace.relations.computing import tail
from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.families import inference
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.significance import FAMILY, reported
from sealtrace.relations.families.stated import StatedRule
from sealtrace.relations.families.wording import is_percent, plain, real
from sealtrace.relations.syntax import (
    Expression,
    Formula,
    Given,
    all_of,
    any_of,
    at_most,
    call,
    equal,
)

CERTIFICATES = "certificate"


def find_statistics(paper: AuditedPaper) -> Iterator[Claim]:
    """What sentences report; margins of rates, McNemar's test and errors in tables."""
    yield from reported(paper)
    yield from inference.find(paper)
    for sheet in paper.sheets:
        yield from _mcnemar(sheet)
        yield from _OF_DEVIATION.claims(sheet)
        if not any(_is_padded(sheet, column) for column in _OF_ESTIMATE.columns(sheet)):
            yield from _OF_ESTIMATE.claims(sheet)


# Counts behind rates

_COUNTS = re.compile(r"(?:b|c|n_?01|n_?10|only \w+|gained|lost|wins|losses|improved|worsened|fixed|broken)")
_MOST_PAIRS = 5000


def mcnemar(difference: int, discordant: int) -> Fraction:
    """The exact two-sided p of McNemar's test."""
    fewer = (discordant - difference) // 2
    total = sum(math.comb(discordant, successes) for successes in range(fewer + 1))
    return min(Fraction(1), Fraction(2 * total, 2**discordant))


def _mcnemar(sheet: Sheet) -> Iterator[Claim]:
    """McNemar's p against its two counts."""
    if not re.search(r"\bMcNemar", sheet.caption + " ".join(line.label for line in sheet.columns)):
        return
    if len(_OF_PAIRS.columns(sheet)) == 3:
        yield from _OF_PAIRS.claims(sheet)


def _of_pairs(p: Given, b: Given, c: Given) -> Formula:
    """The exact p of two counts, or the usual approximation with or without a correction."""
    together, apart = int(b.fact.value + c.fact.value), int(abs(b.fact.value - c.fact.value))
    if together > _MOST_PAIRS:
        return equal(p, p)
    ways: list[Formula] = [equal(p, mcnemar(apart, together))]
    for correction in (0, 1):
        square = Fraction(max(apart - correction, 0) ** 2, max(together, 1))
        near = tail("z", Fraction(math.isqrt(int(square * 10**24)), 10**12))
        ways += [at_most(call("abs", p - Fraction(near.low)), Fraction(1, 10**6))] if near is not None else []
    return all_of(any_of(*ways), equal(b, b), equal(c, c))


_P = r"p(?:[ -]?values?)?"
_OF_PAIRS = StatedRule(
    FAMILY,
    "p {0} is McNemar's for {1} against {2}.",
    _of_pairs,
    ("The test is paired over the same items.",),
    "From which pairs is p = {0} computed?",
    headed=(_P,),
    listed=_COUNTS,
)


# Errors and deviations

_DEVIATION = r"sd|s\.d\.|std\.?|standard deviation"
_ERROR = r"se|s\.e\.|sem|std\.? err(?:or)?\.?|standard error"


def _is_padded(sheet: Sheet, column: int) -> bool:
    """Whether zeros were set behind numbers that had been rounded: all of them end in one."""
    texts = [fact.text for fact in sheet.every(column)]
    return len(texts) > 4 and all("." in text and text.endswith("0") for text in texts)


_OF_DEVIATION = StatedRule(
    FAMILY,
    "{0} is {1} over the root of {2}.",
    lambda error, deviation, n: equal(error**2 * n, deviation**2),
    ("All are of the same row, and nothing is adjusted.",),
    "From what is {0} computed?",
    headed=(_ERROR, _DEVIATION),
    sized=r"n|# ?\w+|sample size",
)
_OF_ESTIMATE = replace(
    _OF_DEVIATION,
    says="{0} is {1} over its error {2}.",
    formula=lambda ratio, value, error: equal(ratio * error, value),
    headed=(r"(?:t|z)(?:[ -](?:value|stat(?:istic)?))?", r"(?:estimate|est\.?|coef\.?|coefficient|β|b|beta)", _ERROR),
    sized=None,
)


# Intervals and bounds that a table calls Clopper and Pearson's or Wilson's, against the counts beside them

_NAMED = re.compile(r"\b(?:clopper[-–— ]+pearson|exact binomial|(wilson))\b", re.I)
_LEVEL = re.compile(r"(\d{2}(?:\.\d+)?) ?%")
_ADJUSTED = re.compile(
    r"\bbonferroni|\badjust|\bcorrect(?:ed|ion)|\bsimultaneous|\bunion bound|\ballocat|\bmid-p", re.I
)
_Z = {"90": "1.6449", "95": "1.9600", "99": "2.5758"}
_MOST_TRIALS = 20_000


def find_certificates(paper: AuditedPaper) -> Iterator[Claim]:
    """A column that is called so, or whose caption is, beside a column of k/n."""
    for sheet in paper.sheets:
        rows = range(len(sheet.rows))
        counts = [place for place in sheet.numeric_columns() if any(sheet.part(row, place, "k", "n") for row in rows)]
        for column in sheet.numeric_columns() if len(counts) == 1 else ():
            label = sheet.columns[column].label
            bounds = re.search(r"interval|\bcis?\b|\b(?:ucb|upper)\b", plain(label))
            named = _NAMED.search(label) or (_NAMED.search(sheet.caption) if bounds else None)
            if named is None or _ADJUSTED.search(sheet.caption + label):
                continue
            levels = set(_LEVEL.findall(label) or _LEVEL.findall(sheet.caption) or (["95"] if named[1] else []))
            for row in rows if len(levels) == 1 else ():
                ratio = sheet.part(row, counts[0], "k", "n")
                if ratio is not None and 0 < ratio[1].value <= _MOST_TRIALS and ratio[0].value <= ratio[1].value:
                    yield from _bound(sheet, row, column, ratio, min(levels), is_wilson=named[1] is not None)


def _wilson(sign: int, share: Fraction, size: int, z: Fraction) -> Expression:
    """One end of Wilson's interval for a share of so many, z being the quantile of its level."""
    square = z * z
    half = z * call("sqrt", (share - share * share + square / (4 * size)) / size)
    return (share + square / (2 * size) + sign * half) / (1 + square / size)


_IS_BOUND = StatedRule(
    CERTIFICATES,
    "{0} is {1} of {2}/{3}.",
    lambda _bound, _name, _k, _n, formula: formula,
    ("It is of the count beside it, at the level named, without correction for continuity.",),
    "From which count and at which level is {0} computed?",
)


def _bound(
    sheet: Sheet, row: int, column: int, ratio: tuple[Fact, ...], level: str, *, is_wilson: bool
) -> Iterator[Claim]:
    (k, n), entry, label = (
        map(int, (fact.value for fact in ratio)),
        sheet.entries[row, column],
        sheet.columns[column].label,
    )
    whole = 100 if is_percent(re.sub(r"\d+ ?%", "", label), sheet.caption, (entry.text,)) else 1
    is_whole, is_upper = entry.names == ("low", "high"), re.search(r"\b(?:ucb|upper)\b", plain(label))
    miss, said, facts = 1 - Fraction(level) / 100, f"column {label!r}", entry.facts

    def exact(share: Fraction) -> Formula:
        # The lower end for k successes is the upper one's mirror for the failures.
        lower = whole - whole * call("cp_upper", n - k, n, share) if k else 0
        upper = equal(real(facts[-1]), whole * call("cp_upper", k, n, share))
        return all_of(equal(real(facts[0]), lower), upper) if is_whole else upper

    if is_wilson and is_whole and level in _Z:
        # A level is known to a few digits; what it moves the ends by is far below what is printed.
        due = [whole * _wilson(sign, Fraction(k, n), n, Fraction(_Z[level])) for sign in (-1, 1)]
        slack = Fraction(whole, 10**4)
        near = all_of(*(at_most(call("abs", real(end) - bound), slack) for end, bound in zip(facts, due, strict=True)))
        yield _IS_BOUND.claim(sheet, facts[:1], said, "Wilson's", k, n, near)
    elif not is_wilson and (is_whole or (is_upper and len(facts) == 1)):
        formula = exact(miss / 2) if is_whole else any_of(exact(miss), exact(miss / 2))
        repairs = (Repair("each end was computed at the whole level", exact(miss)),) if is_whole else ()
        yield _IS_BOUND.claim(sheet, facts[:1], said, "the Clopper-Pearson bound", k, n, formula, repairs=repairs)
