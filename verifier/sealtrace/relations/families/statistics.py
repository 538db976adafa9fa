"""Statistics against what they are computed from: p of a test, intervals of counts, margins of rates, errors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.stated import Rule, size_of
from sealtrace.relations.families.wording import DOWN, count, plain, real
from sealtrace.relations.intervals import Interval, ends_of
from sealtrace.relations.prose import Sentence
from sealtrace.relations.syntax import (
    Formula,
    Given,
    Unknown,
    all_of,
    any_of,
    at_most,
    call,
    equal,
    some_integer,
)

FAMILY = "statistics"
_NUM = r"[-+−]?\d*\.?\d+"
_TEST = re.compile(
    rf"(?P<name>\bt|\bF|χ\^?2|χ²|\br|\bz|\bZ)\s?(?:\(\s?(?P<one>\d+)(?:\s?,\s?(?:N\s?=\s?)?(?P<two>\d+))?\s?\))?\s?=\s?(?P<value>{_NUM})"
    rf"\s?[,;]\s?(?:one-sided |two-sided )?p\s?(?P<sign>[=<>])\s?(?P<p>\d?\.\d+)"
)
_INTERVAL = re.compile(
    rf"(?P<value>{_NUM})(?P<unit>%?)(?:\s[a-z]+)?(?:[,;]\s?(?:SE|t|z|p)(?:\s?\([\d,. ]+\))?\s?[=<>]\s?[-−]?[\d.]+)*"
    rf"\s?[,;(\[]*\s?(?:9[059]\s?%\s?)?(?:CI|(?:confidence|credible) interval)[:,=]?\s?"
    rf"(?P<open>[\[(]?)\s?(?P<low>{_NUM})%?\s?(?P<join>,|;|to|–|-)\s?(?P<high>{_NUM})(?P<share>%?)"
)
_SIZED = re.compile(r"\b([A-Z][A-Za-z-]{0,8})\s?=\s?[a-z][\w -]{2,40}?\((?:n\s?=\s?)?(\d[\d,]*)\)")
_WHOLE = re.compile(r"(?:all|overall|total|average|avg\.?|mean)(?: ?\(?%\)?)?")
# A p of something else than that the statistic is zero, or not by its distribution.
_OTHER_P = re.compile(
    r"equivalen|inferior|superior|\bTOST\b|one-sided tests|\bbounds?\b|adjust|correct(?:ed|ion)|permut|bootstrap|"
    r"monte[ -]carlo|simulat|robust|cluster|bayes",
    re.I,
)
_DEVIATION = r"sd|s\.d\.|std\.?|standard deviation"
_ERROR = r"se|s\.e\.|sem|std\.? err(?:or)?\.?|standard error"
_ESTIMATE = r"(?:estimate|est\.?|coef\.?|coefficient|β|b|beta)"
_RATIO = r"(?:t|z)(?:[ -](?:value|stat(?:istic)?))?"
_HEADED_N = r"n|# ?\w+|sample size"
_P = r"p(?:[ -]?values?)?"
_BINARY = re.compile(r"\bbinary\b|\b0/1\b|\bzero or one\b|\bdichotom", re.I)
MOST_FREEDOM = 10**6
MOST_PAIRS = 5000
_FINE = 10**12
_COUNTS = re.compile(r"(?:b|c|n_?01|n_?10|only \w+|gained|lost|wins|losses|improved|worsened|fixed|broken)")


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sentence in paper.sentences:
        yield from _tests(sentence)
        yield from _estimates(sentence)
    notes = " ".join(sentence.text for sentence in paper.sentences)
    sizes = {name: int(size.replace(",", "")) for name, size in _SIZED.findall(notes)}
    for sheet in paper.sheets:
        yield from _margins(sheet, sizes)
        yield from _mcnemar(sheet)
        yield from _errors(sheet)


def _fact(sentence: Sentence, text: str, start: int) -> Fact:
    digits = text.replace("−", "-")
    unit = Fraction(1, 10 ** len(digits.partition(".")[2]))
    return sentence.fact(start, text, Fraction(re.sub(r"^([-+]?)\.", r"\g<1>0.", digits)), unit / 2, unit)


def _said(sentence: Sentence, start: int) -> str:
    return f"“{sentence.short}” ({sentence.place(start)})"


# Tests in the text


def tail(name: str, value: Fraction, freedom: int | None = None, two: int | None = None) -> Interval | None:
    """The two-sided probability of a test's value, as a tiny interval; None where the test says too little."""
    from flint import arb, ctx, fmpq

    def beta(x: Any, a: int, b: int) -> Any:
        return x.beta_lower(arb(a) / 2, arb(b) / 2, True)

    with ctx.workprec(128):
        x: Any = abs(arb(fmpq(value.numerator, value.denominator)))
        match name:
            case "z" | "Z":
                p = (x / arb(2).sqrt()).erfc()
            case "t" if freedom:
                p = beta(arb(freedom) / (freedom + x * x), freedom, 1)
            case "r" if freedom and abs(value) < 1:
                p = beta(1 - x * x, freedom, 1)
            case "F" if freedom and two:
                p = beta(arb(two) / (two + freedom * x), two, freedom)
            case _ if name.startswith("χ") and freedom:
                p = (x / 2).gamma_upper(arb(freedom) / 2, 1)
            case _:
                return None
        if not p.is_finite():
            return None
        # To twelve decimals, outwards: more than is printed, and short enough to read.
        ends = ends_of(p)
        return Interval(Fraction(math.floor(ends.low * _FINE), _FINE), Fraction(math.ceil(ends.high * _FINE), _FINE))


def _tests(sentence: Sentence) -> Iterator[Claim]:
    """`t(28) = 2.20, p = .036`."""
    for found in _TEST.finditer(sentence.text) if not _OTHER_P.search(sentence.text) else ():
        value, p = (_fact(sentence, found[name], found.start(name)) for name in ("value", "p"))
        one, two = (int(found[name]) if found[name] else None for name in ("one", "two"))
        name, sign = found["name"], found["sign"]
        if max(one or 1, two or 1) > MOST_FREEDOM:
            continue
        # A t or an r has one number of degrees: in t(1,200) they are 1200, or the second of two.
        single = name in ("t", "r") and one is not None and two is not None
        degrees = [(int(f"{one}{two}"), None), (two, None)] if single else [(one, two)]
        probable = [tail(name, abs(end), *each) for each in degrees for end in (value.low, value.high)]
        tails = [interval for interval in probable if interval is not None]
        if len(tails) < len(probable):
            continue
        low, high = (
            Fraction(min(interval.low for interval in tails)),
            Fraction(max(interval.high for interval in tails)),
        )
        sides = (1,) if name == "F" or name.startswith("χ") else (1, 2)
        above = [at_most(low / side, Given(p)) for side in sides]
        below = [at_most(Given(p), high / side) for side in sides]
        ways: list[Formula] = [*(above if sign == "<" else below)] if sign != "=" else list(map(all_of, above, below))
        yield Claim(
            f"{FAMILY} {p.address}",
            all_of(any_of(*ways), equal(Given(value), Given(value))),
            f"p {sign} {p.text} belongs to {name} = {value.text}, which gives {float(low):.4g} to {float(high):.4g}"
            f"{' (half of it one-sided)' if len(sides) > 1 else ''}.",
            _said(sentence, found.start()),
            ("The p is of this test, one- or two-sided, without adjustment.",),
            question=f"Which p belongs to {name} = {value.text}?",
            family=FAMILY,
        )


def _estimates(sentence: Sentence) -> Iterator[Claim]:
    """`+0.41, 95% CI [+0.16, +0.61]`."""
    for found in _INTERVAL.finditer(sentence.text):
        low, value, high = (_fact(sentence, found.group(name), found.start(name)) for name in ("low", "value", "high"))
        # An estimate has the decimals of its interval; a number that belongs to a name (GPT 4.6) is none.
        named = re.search(
            r"(?:\b[A-Z][\w.]*[\s-]|\w-|±\s?|/\s?|\bof (?:the )?|"
            r"\b(?:SE|SD|SEM|s\.e\.|[ptzZFnN](?:\s?\([^()]*\))?)\s?[=:<>≤≥]?\s?)$",
            sentence.text[: found.start("value")],
        )
        bare = not found["open"] and found["join"] in ",;"
        level = re.match(r"\s?%?\s?(?:CI|confidence|credible)", sentence.text[found.end("value") :])
        mixed = len({value.unit, low.unit, high.unit}) > 1 or (found["share"] and not found["unit"])
        if mixed or named or bare or level:
            continue
        # `reduced by 15.9 (95% CI [-22.7, -8.5])`: the word has the sign.
        fall = value.value > 0 > high.value and DOWN.search(sentence.text[: found.start()])
        sides = [Given(value), -Given(value)] if fall else [Given(value)]
        yield Claim(
            f"{FAMILY} {value.address} interval",
            any_of(
                *(all_of(at_most(Given(low), expression), at_most(expression, Given(high))) for expression in sides)
            ),
            f"{value.text} lies in its interval from {low.text} to {high.text}.",
            _said(sentence, found.start()),
            ("The interval is about the number before it.",),
            question=f"Of which estimate is [{low.text}, {high.text}] the interval?",
            family=FAMILY,
            evidence="the interval stands directly behind the number",
        )


# Counts behind rates


def _margins(sheet: Sheet, sizes: dict[str, int]) -> Iterator[Claim]:
    """Rates of parts whose sizes a note gives, and the rate of the whole: some counts must give all of them."""
    columns = {
        column: sizes[label] for column in sheet.numeric_columns() if (label := sheet.columns[column].label) in sizes
    }
    wholes = [column for column in sheet.numeric_columns() if _WHOLE.fullmatch(plain(sheet.columns[column].label))]
    if len(columns) < 2 or len(wholes) != 1 or len(columns) != len(sheet.numeric_columns()) - 1:
        return
    total = sum(columns.values())
    for row, line in enumerate(sheet.rows):
        whole = sheet.number(row, wholes[0])
        parts = [(sheet.number(row, column), size) for column, size in columns.items()]
        known = [(real(fact).fact, size) for fact, size in parts if fact is not None]
        if whole is None or len(known) < len(parts):
            continue
        scale = 100 if any(fact.value > 1 for fact, _size in known) else 1
        least = sum(math.ceil(fact.low * size / scale) for fact, size in known)
        most = sum(math.floor(fact.high * size / scale) for fact, size in known)
        body = equal(real(whole) * total, Unknown("k") * scale)
        bound = all_of(*(at_most(Given(fact), fact.high) for fact, _size in known))
        yield Claim(
            f"{FAMILY} {whole.address} margin",
            all_of(some_integer("k", least, max(least, most), body), bound),
            f"{whole.text} of {line.label!r} is a count over {total}, of parts that give {least} to {most}.",
            sheet.place(f"column {sheet.columns[wholes[0]].label!r}, and the sizes that the text gives"),
            ("Every item counts once, and the parts make up the whole.",),
            question=f"Which counts give {whole.text}?",
            family=FAMILY,
            evidence=f"the text gives the sizes of all {len(known)} parts",
        )


def mcnemar(difference: int, discordant: int) -> Fraction:
    """The exact two-sided p of McNemar's test."""
    fewer = (discordant - difference) // 2
    total = sum(math.comb(discordant, successes) for successes in range(fewer + 1))
    return min(Fraction(1), Fraction(2 * total, 2**discordant))


def _mcnemar(sheet: Sheet) -> Iterator[Claim]:
    """McNemar's p against its two counts; or against a difference of rates over n, which bounds it from below."""
    if not re.search(r"\bMcNemar", sheet.caption + " ".join(line.label for line in sheet.columns)):
        return
    pairs, deltas, p = sheet.headed(_COUNTS), sheet.headed(r"(?:δ|diff|change|gain).*"), sheet.only(_P)
    sizes = {int(size.replace(",", "")) for size in re.findall(r"\bn ?= ?(\d[\d,]*)", sheet.caption)}
    for _row, facts in sheet.together(p, *pairs) if len(pairs) == 2 else ():
        if all(count(fact) is not None for fact in facts[1:]) and facts[1].value + facts[2].value <= MOST_PAIRS:
            yield _OF_PAIRS.claim(sheet, facts, _MCNEMAR)
    for _row, facts in sheet.together(p, *deltas) if len(pairs) != 2 and len(deltas) == len(sizes) == 1 else ():
        if (ends := _around(facts[1], n := min(sizes))) is not None:
            yield _OF_DIFFERENCE.claim(sheet, facts, _MCNEMAR, n, *map(float, ends))


def _around(delta: Fact, n: int) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest p that a difference of rates over so many pairs can have."""
    scale = 1 if abs(delta.value) <= 1 and delta.unit < Fraction(1, 100) else 100
    apart = max(0, math.ceil((abs(delta.value) - delta.unit / 2) * n / scale))
    if not 0 < n <= MOST_PAIRS or apart > n:
        return None
    least = Fraction(2, 2**apart) if apart else Fraction(0)
    return least, max(least, mcnemar(apart, n - (n - apart) % 2))


def _of_difference(p: Given, delta: Given, n: int, *_ends: float) -> Formula:
    least, most = _around(delta.fact, n) or (0, 1)
    return all_of(at_most(least, p), at_most(p, most), at_most(delta, delta.fact.high))


def _of_pairs(p: Given, b: Given, c: Given) -> Formula:
    """The exact p of two counts, or the usual approximation with or without a correction."""
    together, apart = int(b.fact.value + c.fact.value), int(abs(b.fact.value - c.fact.value))
    ways: list[Formula] = [equal(p, mcnemar(apart, together))]
    for correction in (0, 1):
        square = Fraction(max(apart - correction, 0) ** 2, max(together, 1))
        near = tail("z", Fraction(math.isqrt(int(square * 10**24)), 10**12))
        ways += [at_most(call("abs", p - Fraction(near.low)), Fraction(1, 10**6))] if near is not None else []
    return all_of(any_of(*ways), equal(b, b), equal(c, c))


_MCNEMAR = "McNemar, as the caption or a header says"
_OF_PAIRS = Rule(
    FAMILY,
    "p {0} is McNemar's for {1} against {2}.",
    _of_pairs,
    ("The test is paired over the same items.",),
    "From which pairs is p = {0} computed?",
)
_OF_DIFFERENCE = replace(
    _OF_PAIRS, says="p {0} is McNemar's for a difference of {1} over {2}: {3:.2g} to {4:.2g}.", formula=_of_difference
)


# Means and errors


def _errors(sheet: Sheet) -> Iterator[Claim]:
    """The deviation of zeros and ones, the error of a deviation, and the t of an estimate."""
    deviation, error, binary = sheet.only(_DEVIATION), sheet.only(_ERROR), sheet.only(r"mean|m|proportion|share")
    for row, facts in sheet.together(deviation, binary) if _BINARY.search(sheet.caption) else ():
        n = size_of(sheet, row, _HEADED_N)
        if n is not None and n > 1 and 0 <= facts[1].value <= 1:
            yield _OF_BINARY.claim(sheet, facts, "headers", n)
    for row, facts in sheet.together(error, deviation):
        n = size_of(sheet, row, _HEADED_N)
        if n:
            yield _OF_DEVIATION.claim(sheet, facts, "headers", n)
    columns = (sheet.only(_RATIO), sheet.only(_ESTIMATE), error)
    if not any(column is not None and _padded(sheet, column) for column in columns):
        yield from _OF_ESTIMATE.claims(sheet, columns, "headers")


def _padded(sheet: Sheet, column: int) -> bool:
    """Whether zeros were set behind numbers that had been rounded: all of them end in one."""
    texts = [fact.text for fact in sheet.every(column)]
    return len(texts) > 4 and all("." in text and text.endswith("0") for text in texts)


_OF_DEVIATION = Rule(
    FAMILY,
    "{0} is {1} over the root of {2}.",
    lambda error, deviation, n: equal(error**2 * n, deviation**2),
    ("All are of the same row, and nothing is adjusted.",),
    "From what is {0} computed?",
)
_OF_ESTIMATE = replace(
    _OF_DEVIATION,
    says="{0} is {1} over its error {2}.",
    formula=lambda ratio, value, error: equal(ratio * error, value),
)
_OF_BINARY = replace(
    _OF_DEVIATION,
    says="{0} is the standard deviation of zeros and ones with mean {1}.",
    formula=lambda deviation, mean, n: any_of(
        *(equal(deviation**2 * divisor, mean * (1 - mean) * n) for divisor in (n - 1, n))
    ),
    assumes=("Every value is zero or one.",),
)
