"""Statistics that a sentence reports: a test and its p, an estimate and its interval, what is called significant."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from sealtrace.paper.fact import Fact
from sealtrace.paper.sentences import Sentence
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.wording import DOWN
from sealtrace.relations.intervals import Interval, ends_of
from sealtrace.relations.syntax import Formula, Given, all_of, any_of, at_most, equal

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
# A p of something else than that the statistic is zero, or not by its distribution.
_OTHER_P = re.compile(
    r"equivalen|inferior|superior|\bTOST\b|one-sided tests|\bbounds?\b|adjust|correct(?:ed|ion)|permut|bootstrap|"
    r"monte[ -]carlo|simulat|robust|cluster|bayes",
    re.I,
)
_MOST_FREEDOM = 10**6
_FINE = 10**12


def reported(paper: AuditedPaper) -> Iterator[Claim]:
    """Everything that sentences report."""
    lenient = _LENIENT.search(paper.words) is not None
    for sentence in paper.sentences:
        yield from _tests(sentence)
        yield from _estimates(sentence)
        yield from _significance(sentence, lenient=lenient)


def _fact(sentence: Sentence, text: str, start: int) -> Fact:
    digits = text.replace("−", "-")
    unit = Fraction(1, 10 ** len(digits.partition(".")[2]))
    return sentence.fact(start, text, Fraction(re.sub(r"^([-+]?)\.", r"\g<1>0.", digits)), unit)


def _said(sentence: Sentence, start: int) -> str:
    return f"“{sentence.short}” ({sentence.place(start)})"


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
        if max(one or 1, two or 1) > _MOST_FREEDOM:
            continue
        # A t or an r has one number of degrees: in t(1,200) they are 1200, or the second of two.
        single = name in ("t", "r") and one is not None and two is not None
        degrees = [(int(f"{one}{two}"), None), (two, None)] if single else [(one, two)]
        ends = [value.low, value.high, *([Fraction(0)] if value.low < 0 < value.high else [])]
        probable = [tail(name, abs(end), *each) for each in degrees for end in ends]
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


_P_VALUE = re.compile(r"\bp\s?(?:-?values?)?\s?(?P<sign>[=<>≤≥])\s?(?P<p>[01]?\.\d+)(?!\d|\s?[×·eE])")
_SIGNIFICANT = re.compile(r"\b(?P<not>in|non-?)?significan", re.I)
_NOT = re.compile(
    r"\b(?:not|no|non|none|nor|neither|without|never|fail\w*|lack\w*|lost|loses?|vanish\w*|cannot|barely|n't|hardly|nothing|"
    r"if|whether|would|unless|far|level|threshold|approach\w*|near\w*|digits?|figures?|most|less|more)\b|n[’']t\b",
    re.I,
)
_NONE = re.compile(r"\b(?:none|neither|no|nor|not|never|nothing)\b|n[’']t\b", re.I)
_APART = re.compile(r"[;:—]|\b(?:while|whereas|but|only|although|and|so|n\.s)\b")
_NEAR = 60
_WEAKLY = re.compile(r"\b(?:marginal|weak|borderline|suggest)\w*", re.I)
_LENIENT = re.compile(
    r"\b10\s?(?:%|per ?cent)|[<≤=]\s?0?\.10?\b|bonferroni|\bholm\b|\bfdr\b|benjamini|family-?wise|"
    r"multiple (?:comparison|test)",
    re.I,
)


def _significance(sentence: Sentence, *, lenient: bool) -> Iterator[Claim]:
    """A sentence that calls one thing significant, or not, and gives one p for it."""
    words, values = list(_SIGNIFICANT.finditer(sentence.text)), list(_P_VALUE.finditer(sentence.text))
    if len(words) != 1 or len(values) != 1 or _OTHER_P.search(sentence.text):
        return
    ends = sorted((*words[0].span(), *values[0].span()))
    if ends[2] - ends[1] > _NEAR or _APART.search(sentence.text[ends[1] : ends[2]]):
        return
    p, sign = _fact(sentence, values[0]["p"], values[0].start("p")), values[0]["sign"]
    around = sentence.text[max(0, words[0].start() - 60) : words[0].end() + 40]
    is_weak = _WEAKLY.search(around) is not None
    level = Fraction(1, 10) if is_weak or lenient else Fraction(1, 20)
    # What is denied of all is denied at the other end of the sentence: `none of the five predicted it to a … extent`.
    doubted = _NOT.search(around) or _NONE.search(sentence.text[: words[0].start()])
    if words[0]["not"] and not is_weak and not lenient and sign in "=<≤" and not doubted:
        said, formula = "not significant", at_most(level, Given(p))
    elif not words[0]["not"] and not doubted and sign in "=>≥":
        said, formula = "significant", at_most(Given(p), level)
    else:
        return
    yield Claim(
        f"{FAMILY} {p.address} significance",
        formula,
        f"p {sign} {p.text} is called {said}, at {float(level):g}.",
        _said(sentence, values[0].start()),
        ("The word is of this p, at the usual level.",),
        question=f"Is p {sign} {p.text} {said}, and at which level?",
        family=FAMILY,
        evidence="the sentence has one p, and one word for it",
    )
