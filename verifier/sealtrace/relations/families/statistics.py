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
from sealtrace.relations.search import search
from sealtrace.relations.syntax import (
    Expression,
    Formula,
    Given,
    all_of,
    any_of,
    at_most,
    call,
    equal,
    number,
)
from sealtrace.relations.work import Work

CERTIFICATES = "certificate"


def find_statistics(paper: AuditedPaper) -> Iterator[Claim]:
    """What sentences report; margins of rates, McNemar's test and errors in tables."""
    yield from reported(paper)
    yield from inference.find(paper)
    stars = _thresholds(paper.words)
    for sheet in paper.sheets:
        yield from _starred(sheet, stars)
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


_P_BELOW = re.compile(r"(?<![*∗⋆])([*∗⋆]{1,4})\s?(?:denotes? |indicates? )?p\s?(?:-?values?\s?)?[<≤]\s?(0?\.\d+)")
_LEVELS = re.compile(r"\*, ?\*\*,? ?(?:and )?\*\*\*[^.]{3,60}?(\d+)\s?%?, ?(\d+)\s?%?,? (?:and )?(\d+)\s?(?:%|percent)")
_STARS = re.compile(r"[*∗⋆]+")
_CRITICAL = {"0.1": ("1.6424", "2.0151"), "0.05": ("1.9556", "2.5706"), "0.01": ("2.5589", "4.0322"),
             "0.001": ("3.1746", "6.8689")}  # fmt: skip
"""Of each level, what a ratio of estimate and error exceeds at least, p rounded to three digits, and what with five
degrees of freedom."""
_SIGNED = re.compile(r"\(\s*[-−]?[\d.,]+\s*\)\W*")
_T_BELOW = re.compile(r"\b[tz][- ](?:stat\w*|values?|ratios?) (?:are )?(?:\w+ )?in (?:parenth|bracket)", re.I)
_FEW = 6
"""One estimate in so many may have the wrong stars, one may in any case."""


def _thresholds(text: str) -> dict[int, tuple[str, str]]:
    """Between what the ratio of estimate and error lies for so many stars; empty where no note says what they mean."""
    told = {len(stars): f"{float(level):g}" for stars, level in _P_BELOW.findall(text)}
    if not told and (levels := _LEVELS.search(text)) is not None:
        told = {place: f"{int(level) / 100:g}" for place, level in enumerate(levels.groups(), 1)}
    known = {stars: _CRITICAL[level] for stars, level in sorted(told.items()) if level in _CRITICAL}
    starts, ends = ["0", *(least for least, _most in known.values())], [*(most for _least, most in known.values()), ""]
    return dict(zip([0, *known], zip(starts, ends, strict=True), strict=True)) if known else {}


def _of_stars(value: Given, error: Expression, _stars: str, least: str, most: str) -> Formula:
    size = value * (-1 if value.fact.value < 0 else 1)
    return all_of(at_most(error * least, size), *([at_most(size, error * most)] if most else []))


_HAS_STARS = StatedRule(
    FAMILY,
    "{0} with error {1} has as many stars as its level gives: {2}.",
    _of_stars,
    ("The number in brackets is its standard error, and stars are of a two-sided test of it.",),
    "How many stars has {0} ({1})?",
)


_HAS_STARS_BY_T = replace(
    _HAS_STARS,
    says="{0} with statistic {1} has as many stars as its level gives, and its sign: {2}.",
    formula=lambda value, ratio, stars, least, most: all_of(
        _of_stars(ratio, number(1), stars, least, most), at_most(0, value * (-1 if ratio.fact.value < 0 else 1))
    ),
    assumes=("The number in brackets is its t or z, and stars are of a two-sided test of it.",),
)


def _notes(sheet: Sheet) -> str:
    """What stands above and below a table: its caption, and its rows without numbers."""
    empty = (line.label for row, line in enumerate(sheet.rows) if not sheet.row_values(row))
    return " ".join((sheet.caption, *empty))


def _with_statistics(sheet: Sheet) -> Iterator[tuple[str, Fact, Fact]]:
    """Numbers with another one below them in brackets, which has their sign."""
    for row, column in sheet.entries:
        value, below = sheet.entry(row, column), sheet.entry(row + 1, column)
        if value is None or below is None or not len(value.facts) == len(below.facts) == 1 or sheet.rows[row + 1].first:
            continue
        if _SIGNED.fullmatch(below.text) and not _SIGNED.fullmatch(value.text):
            yield value.text, value.facts[0], below.facts[0]


def _starred(sheet: Sheet, usual: dict[int, tuple[str, str]]) -> Iterator[Claim]:
    """Estimates with their errors or statistics, and as many stars as the levels of the note give these."""
    claims, starred, notes = [], 0, _notes(sheet)
    thresholds, by_t = _thresholds(notes) or usual, _T_BELOW.search(notes) is not None
    found = _with_statistics(sheet) if by_t else _with_errors(sheet)
    for text, value, error in found if thresholds else ():
        runs = _STARS.findall(text)
        stars = "*" * sum(map(len, runs))
        if len(stars) in thresholds and len(runs) < 2:
            starred += bool(stars)
            name, rule = f"{FAMILY} stars {value.address}", _HAS_STARS_BY_T if by_t else _HAS_STARS
            claims.append(
                rule.claim(sheet, (value, error), "stars", stars or "none", *thresholds[len(stars)], name=name)
            )
    broken = sum(search(claim.formula, Work(20_000)).status == "impossible" for claim in claims)
    often = f"{len(claims) - broken} of {len(claims)} estimates of the table have the stars that their errors give"
    # Errors that are t-statistics, or p-values of another test, agree with stars by accident only.
    if starred > 2 and broken <= max(1, len(claims) // _FEW):
        yield from (replace(claim, evidence=often) for claim in claims)


_HAS_ERROR = re.compile(r"\(?(?:se|s\.e\.|std\.? ?err(?:or)?s?\.?|standard errors?)\)?")
_IN_BRACKETS = re.compile(r"\(\s*[\d.,]+\s*\)\W*")


def _with_errors(sheet: Sheet) -> Iterator[tuple[str, Fact, Fact]]:
    """Numbers whose error stands in their own cell, below them in brackets, or in the next column."""
    for row, column in sheet.entries:
        entry = sheet.entry(row, column)
        if entry is None or not 1 <= len(entry.facts) <= 2 or not entry.facts[0].value:
            continue
        value, *errors = entry.facts
        beside, below = sheet.number(row, column + 1), sheet.entry(row + 1, column)
        if errors and entry.names != ("mean", "sd") and "(" not in entry.text[1:]:
            continue
        header = plain(sheet.columns[column + 1].label).split(" / ")[-1] if beside is not None else ""
        if not errors and beside is not None and _HAS_ERROR.fullmatch(header):
            errors = [beside]
        elif not errors and below is not None and not sheet.rows[row + 1].first and _IN_BRACKETS.fullmatch(below.text):
            errors = list(below.facts)
        if len(errors) == 1:
            yield entry.text, value, errors[0]


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
