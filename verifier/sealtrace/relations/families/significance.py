"""Statistics that a sentence reports: a test and its p, an estimate and its interval."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from sealtrace.paper.number_grammar import PrintedNumber, Rule
from sealtrace.paper.sentences import Sentence
from sealtrace.relations.computing import one_unit_wider, tail_over
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.wording import DOWN
from sealtrace.relations.intervals import Interval
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, Given, all_of, any_of, at_most, compare, equal, number
from sealtrace.relations.work import Work

FAMILY = "statistics"
_NUM = r"(?<!\d)[-+−]?(?:\d++(?:\.\d++)?|\.\d++)"
_DF = r"\d+(?:,\d{3})*(?:\.\d+)?"
_TEST = re.compile(
    rf"(?P<name>(?<![\w.])(?:[tFrzZQ]|χ\s?\^?\{{?2\}}?|χ²|[Cc]hi-?\s?(?:\^?2|²|squared?)|[Xx](?:\^?2|²)))"
    rf"\s?(?:[(\[]\s?(?:df\s?=\s?)?(?P<one>{_DF})(?:\s?[,;]\s?(?:[Nn]\s?=\s?)?(?P<two>{_DF}))?\s?[)\]])?\s?(?P<at>[=<])\s?(?P<value>{_NUM})"
    rf"\s?[,;]?\s?(?:\(?(?:one-sided |two-sided )?p\s?(?P<sign>[=<>≤≥])\s?(?P<p>\d?\.\d+|1(?![\d.,]*\d))|"
    rf"(?P<ns>n\.?s\b))"
)
_LEVEL = Fraction(1, 20)
_INTERVAL = re.compile(
    rf"(?P<value>{_NUM})(?P<unit>%?)(?:\s[a-z]+)?(?:[,;]\s?(?:SE|t|z|p)(?:\s?\([\d,. ]+\))?\s?[=<>]\s?[-−]?[\d.]+)"
    rf"{{,4}}\s?(?P<outer>[,;(\[]*)\s?(?:9[059]\s?%\s?)?(?:CI|(?:confidence|credible) interval)[:,=]?\s?"
    rf"(?P<open>[\[(]?)\s?(?P<low>{_NUM})%?\s?(?P<join>,|;|to|–|-)\s?(?P<high>{_NUM})(?P<share>%?)(?P<close>\s?[\])])?"
)
# A p of something else than that the statistic is zero, or not by its distribution.
_OTHER_P = re.compile(
    r"equivalen|inferior|superior|\bTOST\b|one-sided tests|\bbounds?\b|adjust|correct(?:ed|ion)|permut|bootstrap|"
    r"monte[ -]carlo|simulat|robust|cluster|bayes",
    re.I,
)


_ONE_SIDED = re.compile(r"\b(?:one|1)[- ](?:sided|tailed)|\bdirectional (?:test|hypothes)", re.I)


def reported(paper: AuditedPaper) -> Iterator[Claim]:
    """Everything that sentences report."""
    one_sided = _ONE_SIDED.search(paper.words) is not None
    for sentence in paper.sentences:
        yield from _tests(sentence, one_sided=one_sided)
        yield from _estimates(sentence)


def _fact(sentence: Sentence, text: str, start: int) -> PrintedNumber:
    digits = text.replace("−", "-")
    unit = Fraction(1, 10 ** len(digits.partition(".")[2]))
    return sentence.fact(start, text, Fraction(re.sub(r"^([-+]?)\.", r"\g<1>0.", digits)), unit)


def _said(sentence: Sentence, start: int) -> str:
    return f"“{sentence.short}” ({sentence.place(start)})"


def _tests(sentence: Sentence, *, one_sided: bool) -> Iterator[Claim]:
    """`t(28) = 2.20, p = .036`; `[F(2, 30.5) = 3.10, ns]`; `F(1, 248) < 1.16, p > .28`."""
    text = letters(sentence.text)
    for found in _TEST.finditer(text) if not _OTHER_P.search(text) else ():
        name = _TESTS.get(found["name"][:1].lower(), "chi2")
        value = _fact(sentence, found["value"], found.start("value"))
        if found["at"] == "<":
            value = value.between(Fraction(0), value.value)
        degrees = _degrees(name, found["one"], found["two"])
        sides = (1, 2) if name in ("t", "z", "r") else (1,)
        fits = partial(_p_fits, sentence, found, name, degrees)
        formula, wider = fits(sides, value), fits(sides, one_unit_wider(value))
        if formula is None or wider is None:
            continue
        said, evidence = f"p {found['sign']} {found['p']}" if found["p"] else "ns", ""
        if len(sides) > 1 and not one_sided and search(wider, Work(20_000)).status == "possible":
            # Nothing speaks of one-sided tests: a p that fits one only is suspected, and no rounding.
            formula, wider = fits((1,), value) or formula, fits((1,), one_unit_wider(value))
            evidence = "a test is two-sided where nothing says otherwise"
        yield Claim(
            f"{FAMILY} {value.address} {said}",
            formula,
            f"{said} belongs to {found['name']} {found['at']} {value.text}{_gives(name, value, degrees)}.",
            _said(sentence, found.start()),
            question=f"Which p belongs to {found['name']} = {value.text}?",
            family=FAMILY,
            evidence=evidence,
            explicit=True,
            wider=wider,
        )


_TESTS = {"t": "t", "f": "f", "r": "r", "z": "z", "q": "chi2"}


def letters(text: str) -> str:
    """Mathematical letters of a PDF as letters."""
    plain = (unicodedata.normalize("NFKC", sign) if "\U0001d400" <= sign <= "\U0001d7ff" else sign for sign in text)
    return "".join(plain)


def _degrees(name: str, one: str | None, two: str | None) -> list[tuple[Interval, ...]]:
    """What the degrees of freedom may be: a fraction was rounded, and a comma may part thousands or two numbers."""
    given = [_freedom(text) for text in (one, two) if text]
    if name in ("t", "r") and one and two:
        return [(_freedom(one + two),), (given[1],)]
    # A second number behind χ² is how many were counted.
    return [tuple(given[:1] if name == "chi2" else given)]


def _freedom(text: str) -> Interval:
    plain = text.replace(",", "")
    half = Fraction(1, 2 * 10 ** len(plain.partition(".")[2])) if "." in plain else Fraction(0)
    return Interval(Fraction(plain) - half, Fraction(plain) + half)


def _tails(name: str, value: PrintedNumber, degrees: list[tuple[Interval, ...]]) -> list[Interval]:
    try:
        return [tail_over(name, Interval(value.low, value.high), *each) for each in degrees]
    except (ValueError, TypeError):
        return []


def _gives(name: str, value: PrintedNumber, degrees: list[tuple[Interval, ...]]) -> str:
    tails = _tails(name, value, degrees)
    low, high = min(float(one.low) for one in tails), max(float(one.high) for one in tails)
    return f", which gives {low:.4g} to {high:.4g}{' (half of it one-sided)' if name in ('t', 'z', 'r') else ''}"


def _p_fits(
    sentence: Sentence,
    found: re.Match[str],
    name: str,
    degrees: list[tuple[Interval, ...]],
    sides: tuple[int, ...],
    value: PrintedNumber,
) -> Formula | None:
    """The p that is printed, or that nothing is significant, against what the test gives on one side or on both."""
    tails = _tails(name, value, degrees)
    if not tails:
        return None
    low, high = min(Fraction(one.low) for one in tails), max(Fraction(one.high) for one in tails)
    own = equal(Given(value), Given(value))
    if found["ns"]:
        # The other side of a test that is not significant only has a greater p.
        return all_of(compare(number(high), ">", _LEVEL), own)
    sign, p = found["sign"], _fact(sentence, found["p"], found.start("p"))
    # What p is said to be below or above is a threshold, and exact.
    p = p.read_as(Rule.EXACT) if sign != "=" else one_unit_wider(p) if value.high - value.low > value.unit else p
    above = [at_most(low / side, Given(p)) for side in sides]
    below = [at_most(Given(p), high / side) for side in sides]
    ways = list(map(all_of, above, below)) if sign == "=" else above if sign in "<≤" else below
    return all_of(any_of(*ways), own)


def _estimates(sentence: Sentence) -> Iterator[Claim]:
    """`+0.41, 95% CI [+0.16, +0.61]`."""
    for found in _INTERVAL.finditer(sentence.text):
        low, value, high = (_fact(sentence, found.group(name), found.start(name)) for name in ("low", "value", "high"))
        # An estimate has the decimals of its interval; a number that belongs to a name (PM2.5, GPT 4.6) is none.
        quantity = any(one.start <= found.start("value") < one.end for one in sentence.quantities)
        named = not quantity or re.search(
            r"(?:\b(?!a?(?:OR|HR|RR|IRR)\b)[A-Z][\w.]*[\s-]|±\s?|/\s?|\bof (?:the )?|"
            r"\b(?:SE|SD|SEM|s\.e\.|[ptzZFnN](?:\s?\([^()]*\))?)\s?[=:<>≤≥]?\s?)$",
            sentence.text[: found.start("value")],
        )
        enclosed = found["open"] or (found["close"] and re.search(r"[(\[]", found["outer"]))
        bare = not enclosed and found["join"] in ",;"
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
