"""Statistics against what they are computed from: p of a test, intervals of counts, margins of rates, errors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import DOWN, count, plain, real
from sealtrace.relations.prose import Sentence
from sealtrace.relations.syntax import (
    Cell,
    Formula,
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
    rf"(?P<value>{_NUM})(?P<unit>%?)(?:\s[a-z]+)?(?:[,;]\s?(?:SE|t|z|p)(?:\s?\([\d,.]+\))?\s?[=<>]\s?[-−]?[\d.]+)*"
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
        yield from _binary(sheet)
        yield from _errors(sheet)


def _fact(sentence: Sentence, text: str, start: int) -> Fact:
    digits = text.replace("−", "-")
    unit = Fraction(1, 10 ** len(digits.partition(".")[2]))
    return sentence.fact(start, text, Fraction(re.sub(r"^([-+]?)\.", r"\g<1>0.", digits)), unit / 2, unit)


def _said(sentence: Sentence, start: int) -> str:
    return f"“{sentence.short}” ({sentence.place(start)})"


# Tests in the text


def tail(name: str, value: Fraction, one: int | None, two: int | None) -> tuple[Fraction, Fraction] | None:
    """The two-sided probability of a test's value, as a tiny interval; None where the test says too little."""
    from flint import arb, ctx, fmpq

    with ctx.workprec(128):
        x: Any = abs(arb(fmpq(value.numerator, value.denominator)))
        match name:
            case "z" | "Z":
                p = (x / arb(2).sqrt()).erfc()
            case "t" if one:
                p = _beta(arb(one) / (one + x * x), Fraction(one, 2), Fraction(1, 2))
            case "r" if one and abs(value) < 1:
                squared = x * x * one / (1 - x * x)
                p = _beta(arb(one) / (one + squared), Fraction(one, 2), Fraction(1, 2))
            case "F" if one and two:
                p = _beta(arb(two) / (two + one * x), Fraction(two, 2), Fraction(one, 2))
            case _ if name.startswith("χ") and one:
                p = (x / 2).gamma_upper(arb(one) / 2, 1) if hasattr(x, "gamma_upper") else None
            case _:
                return None
        return None if p is None or not p.is_finite() else _ends(p)


def _beta(x: Any, a: Fraction, b: Fraction) -> Any:
    from flint import arb, fmpq

    return x.beta_lower(arb(fmpq(a.numerator, a.denominator)), arb(fmpq(b.numerator, b.denominator)), True)


def _ends(ball: Any) -> tuple[Fraction, Fraction]:
    """A ball's ends, outwards to twelve decimals: more than is printed, and short enough to read."""
    ends = []
    for end in (ball.lower(), ball.upper()):
        mantissa, exponent = end.man_exp()
        ends.append(Fraction(int(mantissa)) * Fraction(2) ** int(exponent) * _FINE)
    return Fraction(math.floor(ends[0]), _FINE), Fraction(math.ceil(ends[1]), _FINE)


def _tests(sentence: Sentence) -> Iterator[Claim]:
    """`t(28) = 2.20, p = .036`."""
    for found in _TEST.finditer(sentence.text) if not _OTHER_P.search(sentence.text) else ():
        value = _fact(sentence, found.group("value"), found.start("value"))
        p = _fact(sentence, found.group("p"), found.start("p"))
        one, two = (int(found.group(name)) if found.group(name) else None for name in ("one", "two"))
        if (one or 1) > 10**6 or (two or 1) > 10**6:
            continue
        name = found.group("name")
        ends = sorted((abs(value.low), abs(value.high)))
        # A t or an r has one number of degrees: in t(1,200) they are 1200, or the second of two.
        single = name in ("t", "r") and one is not None and two is not None
        degrees = [(int(f"{one}{two}"), None), (two, None)] if single else [(one, two)]
        try:
            probable = [tail(name, end, *each) for each in degrees for end in ends]
        except ModuleNotFoundError:
            return
        tails = [one for one in probable if one is not None]
        if len(tails) < len(probable):
            continue
        lowest, highest = min(low for low, _high in tails), max(high for _low, high in tails)
        sides = (Fraction(1),) if name in ("F",) or name.startswith("χ") else (Fraction(1), Fraction(1, 2))
        own = Cell(p)
        ways: list[Formula] = []
        for side in sides:
            low, high = lowest * side, highest * side
            if found.group("sign") == "=":
                ways.append(all_of(at_most(low, own), at_most(own, high)))
            else:
                ways.append(at_most(low, Cell(p)) if found.group("sign") == "<" else at_most(Cell(p), high))
        yield Claim(
            f"{FAMILY} {p.address}",
            all_of(any_of(*ways), equal(Cell(value), Cell(value))),
            f"p {found.group('sign')} {p.text} belongs to {name} = {value.text}, which gives "
            f"{float(lowest):.4g} to {float(highest):.4g}"
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
            r"(?:\b[A-Z][\w.]*[\s-]|\w-|±\s?|/\s?|\bof (?:the )?|\b(?:SE|SD|SEM|s\.e\.|[ptzZFnN])\s?[=:<>≤≥]?\s?)$",
            sentence.text[: found.start("value")],
        )
        bare = not found["open"] and found["join"] in ",;"
        if len({value.unit, low.unit, high.unit}) > 1 or named or bare or (found["share"] and not found["unit"]):
            continue
        # `reduced by 15.9 (95% CI [-22.7, -8.5])`: the word has the sign.
        fall = value.value > 0 > high.value and DOWN.search(sentence.text[: found.start()])
        sides = [Cell(value), -Cell(value)] if fall else [Cell(value)]
        yield Claim(
            f"{FAMILY} {value.address} interval",
            any_of(*(all_of(at_most(Cell(low), one), at_most(one, Cell(high))) for one in sides)),
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
        bound = all_of(*(at_most(Cell(fact), fact.high) for fact, _size in known))
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
    total = sum(math.comb(discordant, one) for one in range(fewer + 1))
    return min(Fraction(1), Fraction(2 * total, 2**discordant))


def _mcnemar(sheet: Sheet) -> Iterator[Claim]:
    """McNemar's p against its two counts; or against a difference of rates over n, which bounds it from below."""
    if not re.search(r"\bMcNemar", sheet.caption + " ".join(one.label for one in sheet.columns)):
        return
    pairs, deltas = sheet.headed(_COUNTS), sheet.headed(r"(?:δ|diff|change|gain).*")
    sizes = set(re.findall(r"\bn ?= ?(\d[\d,]*)", sheet.caption))
    for row, (p,) in sheet.together(sheet.only(r"p(?:[ -]?values?)?")):
        if len(pairs) == 2:
            b, c = (sheet.number(row, column) for column in pairs)
            if b is None or c is None or count(b) is None or count(c) is None or b.value + c.value > 5000:
                continue
            together, apart = int(b.value + c.value), int(abs(b.value - c.value))
            values = [mcnemar(apart, together)] if together else [Fraction(1)]
            ways: list[Formula] = [equal(real(p), value) for value in values]
            for correction in (0, 1):
                square = Fraction(max(apart - correction, 0) ** 2, max(together, 1))
                try:
                    ends = tail("z", Fraction(math.isqrt(int(square * 10**24)), 10**12), None, None)
                except ModuleNotFoundError:
                    return
                if ends is not None:
                    ways.append(at_most(call("abs", real(p) - ends[0]), Fraction(1, 10**6)))
            formula, says = any_of(*ways), f"p {p.text} is McNemar's for {b.text} against {c.text}"
            formula = all_of(formula, equal(Cell(b), Cell(b)), equal(Cell(c), Cell(c)))
        elif len(deltas) == 1 and len(sizes) == 1 and (delta := sheet.number(row, deltas[0])) is not None:
            n = int(sizes.pop().replace(",", "")) if len(sizes) == 1 else 0
            sizes = {str(n)}
            scale = 1 if abs(delta.value) <= 1 and delta.unit < Fraction(1, 100) else 100
            apart = max(0, math.ceil((abs(delta.value) - delta.unit / 2) * n / scale))
            if not 0 < n <= 3000 or apart > n:
                continue
            least, most = Fraction(2, 2**apart) if apart else Fraction(0), mcnemar(apart, n - (n - apart) % 2)
            formula = all_of(
                at_most(least, real(p)), at_most(real(p), max(most, least)), at_most(Cell(delta), delta.high)
            )
            says = f"p {p.text} is McNemar's for a difference of {delta.text} over {n}: "
            says += f"{float(least):.2g} to {float(most):.2g}"
        else:
            continue
        yield Claim(
            f"{FAMILY} {p.address} McNemar",
            formula,
            f"{says}.",
            sheet.place("McNemar, as the caption or a header says"),
            ("The test is paired over the same items.",),
            question=f"From which pairs is p = {p.text} computed?",
            family=FAMILY,
        )


# Means and errors


def _size(sheet: Sheet, row: int) -> int | None:
    column = sheet.only(r"n|# ?\w+|sample size")
    fact = None if column is None else sheet.number(row, column)
    told = re.findall(r"\b[nN] ?= ?(\d+)", sheet.caption)
    return count(fact) if fact is not None else int(told[0]) if len(told) == 1 else None


def _binary(sheet: Sheet) -> Iterator[Claim]:
    """The deviation of zeros and ones follows from their mean."""
    told = re.search(r"\bbinary\b|\b0/1\b|\bzero or one\b|\bdichotom", sheet.caption, re.I)
    columns = sheet.only(r"mean|m|proportion|share"), sheet.only(_DEVIATION)
    for row, (m, s) in sheet.together(*columns) if told else ():
        n = _size(sheet, row) or 0
        if n < 2 or not 0 <= m.value <= 1:
            continue
        variance = real(m) * (1 - real(m))
        formula = any_of(*(equal(real(s) ** 2 * divisor, variance * n) for divisor in (n - 1, n)))
        says = f"{s.text} is the standard deviation of zeros and ones with mean {m.text}"
        yield _follows(sheet, s, formula, says, "Every value is zero or one.")


def _errors(sheet: Sheet) -> Iterator[Claim]:
    """A standard error is the deviation over the root of n; a t is the estimate over its error."""
    error = sheet.only(r"se|s\.e\.|sem|std\.? err(?:or)?\.?|standard error")
    estimate = sheet.only(r"(?:estimate|est\.?|coef\.?|coefficient|β|b|beta)")
    for row, (se, sd) in sheet.together(error, sheet.only(_DEVIATION)):
        if n := _size(sheet, row):
            formula = equal(real(se) ** 2 * n, real(sd) ** 2)
            yield _follows(sheet, se, formula, f"{se.text} is {sd.text} over the root of {n}")
    for _row, (se, value, ratio) in sheet.together(
        error, estimate, sheet.only(r"(?:t|z)(?:[ -](?:value|stat(?:istic)?))?")
    ):
        formula = equal(real(ratio) * real(se), real(value))
        yield _follows(sheet, ratio, formula, f"{ratio.text} is {value.text} over its error {se.text}")


def _follows(
    sheet: Sheet,
    fact: Fact,
    formula: Formula,
    says: str,
    assumes: str = "All are of the same row, and nothing is adjusted.",
) -> Claim:
    question = f"From what is {fact.text} computed?"
    name = f"{FAMILY} {fact.address}"
    return Claim(name, formula, f"{says}.", sheet.place("headers"), (assumes,), (), question, FAMILY)
