"""What a sentence computes: sums, products, shares, changes and means beside the numbers that they follow from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import prod

from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.wording import LEVEL, apart, printed, real
from sealtrace.relations.prose import shape_of
from sealtrace.relations.syntax import Formula, Given, any_of, call, equal

FAMILY = "text against text"


def computed(sentence: Sentence) -> Iterator[Claim]:
    """Everything that a sentence computes."""
    for reader in (_totals, _shares, _parts, _means, _changes):
        yield from reader(sentence)


def claim_of(sentence: Sentence, formula: Formula, says: str, evidence: str, start: int = 0) -> Claim:
    """What a sentence says of numbers in it."""
    place = sentence.place(start)
    return Claim(
        f"{FAMILY} {place} {says[:70]}",
        formula,
        says,
        f"“{sentence.short}” ({place})",
        ("The sentence is read word for word.",),
        question="Which of these numbers is right?",
        family=FAMILY,
        evidence=evidence,
    )


# What a sentence computes. Its shape has № for a number with its unit, and ¤ for a count out of a number.


_NOUNS = r"(?:\s[A-Za-z][\w-]*)"
_FACTOR = rf"№{_NOUNS}{{0,3}}"
_PART = r"(?:№\s[a-z][\w-]*[^,;:()№≋¤]*|[A-Za-z][\w -]*=\s?№)"
_CLOSED = r"(?(open)(?=\s?\))|(?=[).;]|$))"
"""Where a list ends: one in brackets with these, so that nothing goes on behind it, such as `minus those lost`."""
_LISTED = rf"(?P<parts>{_PART}(?:(?:,\s+(?:and\s+)?|;\s+|\s+and\s+){_PART})+){_CLOSED}"
_TOTALS = (
    # A term of something longer (20 × 20 + 30) is no sum by itself, nor is a total that goes on (= 400 + 30).
    re.compile(
        r"(?<![\w×*·/^(.,+−–-])(?<![×*·/^(+−–-]\s)(?P<parts>[№≋](?:(?:\s?\+\s?№)+|(?:\s?[×*·]\s?№)+))\s?=\s?(?P<total>№)"
        r"(?!\s?[×*·/^+−–-]|[\w.]*\d)"
    ),
    # 960 runs: 20 plots × 12 kinds × 4 years
    re.compile(
        rf"(?<![×/-])(?P<total>№){_NOUNS}{{1,5}}\s?(?:(?P<open>\()|:\s|=\s?)(?P<parts>{_FACTOR}(?:\s?×\s?{_FACTOR})+)"
        rf"(?:{_CLOSED}|(?(open)(?!)|(?=,)))"
    ),
    # 24 scenarios (12 approvals, 12 refusals); 24 scenarios into 12 approvals and 12 refusals; n = 24 (12 old, 12 new)
    re.compile(rf"(?P<total>№){_NOUNS}{{1,5}}?(?:\s?(?P<open>\()|\s?:\s|\sinto\s){_LISTED}"),
    re.compile(rf"\b[nN]\s?=\s?(?P<total>№)\s?(?P<open>\(){_LISTED}"),
)


def _totals(sentence: Sentence) -> Iterator[Claim]:
    """`71 + 10 + 2 = 83`, `960 runs: 20 plots × 12 kinds × 4 years`, `24 scenarios (12 approvals, 12 refusals)`."""
    for place, pattern in enumerate(_TOTALS):
        for found in pattern.finditer(shape_of(sentence).text):
            (total,), parts = (shape_of(sentence).numbers(found, group) for group in ("total", "parts"))
            # The sign behind a factor is no unit of it.
            whole, *terms = (
                printed(replace(mention.fact, text=mention.text.rstrip("× ")))
                if re.fullmatch(r"[\d,]+\s?×?", mention.text)
                else Given(real(mention.fact).fact)
                for mention in (total, *parts)
            )
            times = re.search(r"[×*·]", found["parts"]) is not None
            values = [mention.fact.value for mention in parts]
            value = prod(values) if times else sum(values)
            # A list may say more of the same things, leave the rest out, or number its items: only what nearly gives it
            # is meant to.
            crossed = re.search(r"\beach\b", found["parts"]) or values == list(range(1, len(values) + 1))
            # `0.36 hours (SE = 0.23, p = 0.16)`: names of numbers that are no counts say what else was computed.
            crossed = crossed or ("=" in found["parts"] and not all(mention.fact.exact for mention in parts))
            if place and (crossed or not (value and 4 <= 5 * total.fact.value / value <= Fraction(25, 4))):
                continue
            right = prod(terms[1:], start=terms[0]) if times else call("sum", *terms)
            listed = sentence.text[parts[0].start : parts[-1].end] + found["parts"].rpartition("№")[2].lstrip("%×")
            yield claim_of(
                sentence,
                any_of(equal(whole, right), equal(whole, 100 * right)) if times and not place else equal(whole, right),
                f"{total.fact.text} is {listed if times or not place else 'the sum of what is listed behind it'}.",
                f"the text writes {'its factors' if times else 'the parts'} out beside it",
                total.start,
            )  # fmt: skip


_SHARES = (
    re.compile(r"¤(?P<between>[^\w)№≋¤]{1,5}|(?:\s[a-z-]+){1,3}\s\()№%"),
    re.compile(r"№%(?P<between>(?:\s[a-z-]+){0,3}\s\()¤"),
)


def _shares(sentence: Sentence) -> Iterator[Claim]:
    """`9 of 10 (90%)`, `43/50 = 86%`, `a 94.4% match rate (3,008 of 3,186 records)`."""
    for found in (found for pattern in _SHARES for found in pattern.finditer(shape_of(sentence).text)):
        ratio, (share,) = shape_of(sentence).ratio(found), shape_of(sentence).numbers(found)
        two_parts = "/" in ratio.text and ratio.part + ratio.whole == 100  # `50/50` is no count out of a number
        # What falls behind `line 15/16` is a change, and `95% CI` a level.
        if two_parts or ratio.part > ratio.whole or share.fact.value < 0 or LEVEL.match(sentence.text, share.end):
            continue
        part = Fraction(100 * ratio.part, ratio.whole)
        # Beside a noun it may be the share of the others: `misses 3/12 facts (75%)`.
        ways = [part, 100 - part] if found["between"].strip(" (=:") else [part]
        yield claim_of(
            sentence,
            any_of(*(equal(real(share.fact), way) for way in ways)),
            f"{share.fact.text} is {ratio.text}.",
            "the share and its count stand directly beside each other",
            ratio.start,
        )


_PART_OF = re.compile(
    r"(?P<part>№)(?:\s[A-Za-z-]+){0,3}?\s?\((?P<share>№)%(?:\sof (?P<base>[A-Za-z][^№≋¤();,.]{2,40}))?(?=[),;])"
)
_STATED = re.compile(
    r"\b(?:of|from|among)\s(?:the |all |all the |our |these )?(?P<whole>№)\s[A-Za-z]|"
    r"№(?:\s[A-Za-z][\w-]*){1,4}, of (?:which|whom|these)\b",
    re.I,
)


def _parts(sentence: Sentence) -> Iterator[Claim]:
    """`Of the 1,208 trees, 364 (30.1%) fell`; `78.7 billion (34.5% of income) and 61.2 billion (26.8% of income)`."""
    shape = shape_of(sentence)
    last: dict[str, tuple[TextNumber, TextNumber]] = {}
    wholes = [(found.start(), shape.numbers(found)[0]) for found in _STATED.finditer(shape.text)]
    for found in _PART_OF.finditer(shape.text):
        (part,), (share,) = (shape.numbers(found, name) for name in ("part", "share"))
        before = [whole for start, whole in wholes if start < found.start() and whole is not part]
        known = [whole for whole in before if whole.fact.value >= part.fact.value]
        if part.unit or not part.fact.value or not share.fact.value:
            continue
        base = found["base"] or ""
        if known and part.fact.exact and not base:
            # Any count before it may be the whole: `of 80 trees, 40 (50%) fell, 10 (25%) of them in May`.
            counts = {one.id: one for one in sentence.amounts if one.end < share.start and one is not part}
            counted = [one for one in counts.values() if one.fact.exact and not one.unit]
            whole, *others = dict.fromkeys([known[-1], *(one for one in counted if one.fact.value >= part.fact.value)])
            ways = [equal(real(share.fact), 100 * printed(part.fact) / printed(one.fact)) for one in (whole, *others)]
            says = f"{share.fact.text} is {part.fact.text} of {whole.fact.text}."
            yield claim_of(sentence, any_of(*ways), says, "the sentence says of how many", share.start)
        if base and base in last:
            bases = [real(amount.fact) / real(rate.fact) for amount, rate in (last[base], (part, share))]
            first, second = (f"{rate.fact.text} ({amount.fact.text})" for amount, rate in (last[base], (part, share)))
            says = f"{first} and {second} are shares of one whole."
            yield claim_of(sentence, equal(*bases), says, f"both are shares of {base}", share.start)
        last[base] = part, share


_RATE_OF = re.compile(
    r"(?P<total>№)(?:\s[A-Za-z][\w-]*){0,4}? (?:over|across|in|from|for|during)\s(?:the |all |these )?(?P<count>[№≋])"
    r"(?:\s[A-Za-z][\w-]*){1,3}\s?[(,]\s?(?:an? |the )?(?:mean|average|avg\.?)(?: of|:| =|,)?\s(?P<mean>№)"
    r"(?!%|\s?(?:to|–|-)\s?№)"
)


def _means(sentence: Sentence) -> Iterator[Claim]:
    """`31,200 over 800 days (mean 39.0)`."""
    shape = shape_of(sentence)
    for found in _RATE_OF.finditer(shape.text):
        total, count, mean = (shape.numbers(found, name)[0] for name in ("total", "count", "mean"))
        if count.fact.value > 1 and {total.unit, count.unit, mean.unit} == {""}:
            formula = equal(real(mean.fact) * printed(count.fact), real(total.fact))
            says = f"{mean.fact.text} is {total.fact.text} over {count.fact.text}."
            yield claim_of(sentence, formula, says, "total, number and mean stand beside each other", mean.start)


_CHANGE = (
    r"gain|increase|drop|reduction|difference|gap|improvement|decrease|decline|rise|advantage|speed-?up|change|lead|"
    r"overhead|slow-?down|saving|savings"
)
_CHANGED = re.compile(rf"\b(?:{_CHANGE}|more|less|fewer|worse|[a-z]+er|(?:de|in)creas\w+|r[aeiu]\w+s?)\b|×", re.I)
_ASIDE = r"(?:\s?[A-Za-z]{1,7})?(?:\s\([^()№≋¤]{1,40}\))?"
"""What may stand behind each of two numbers: a unit, and in brackets of what they are."""
_PAIR = re.compile(
    rf"(?P<from>\bfrom\s+)?[-+−]?(?P<a>№)(?P<unit>%|pp|×|){_ASIDE}\s?(?:(?P<to>to)|vs\.?|versus|against|→)\s?[-+−]?(?P<b>№)(?P=unit)",
    re.I,
)
_ELSEWHERE = r"\b(?:at|with|despite|for) (?:\w+ly )?(?:comparable|similar|equal|the same)\b"
"""Before a pair that is of something else: `8× faster at comparable safety (89% vs. 93%)`."""
_BEFORE_PAIR = re.compile(
    r"(?P<words>[^№≋¤]{0,40}?(?P<by>\bby\s+)?)[-+−]?(?P<own>№)(?P<unit>%|pp|×)?(?!\s+of\b)"
    rf"(?P<gap>(?:(?!{_ELSEWHERE})[^().;:,№≋¤\d]|vs\.){{0,60}})(?:(?P<open>\()|,\s)$"
)
_AFTER_PAIR = re.compile(
    rf"{_ASIDE}\s?(?:(?P<open>\()(?:(?P<called>\|?Δ\s?(?P<of>\w{{0,8}})\|?|{_CHANGE})\s?[=:]\s?)?|"
    rf"(?:,|—|–)\s?(?:representing |corresponding to |which is |yielding )?)(?:an? |by )*(?P<sign>[-+−])?(?P<own>№)"
    rf"(?P<unit>%|pp|×)?(?:\s(?:[a-z]+er|more|less))?\s?(?:(?P<end>[),;])|"
    rf"(?:relative |absolute |points? )?(?:{_CHANGE})\b)",
    re.I,
)


def _changes(sentence: Sentence) -> Iterator[Claim]:
    """`1.6 pp more (0.921 vs. 0.905)`, `from 4 to 6 (+50%)`."""
    shape = shape_of(sentence)
    for found in _PAIR.finditer(shape.text):
        a, b = (shape.numbers(found, name)[0] for name in ("a", "b"))
        known = a.fact.value and b.fact.value and a.decimals == b.decimals and bool(found["to"]) <= bool(found["from"])
        for own in _beside(sentence, found, a) if known else ():
            yield _change(sentence, own, a, b)


def _beside(sentence: Sentence, pair: re.Match[str], a: TextNumber) -> Iterator[TextNumber]:
    """The change that stands right before a pair of numbers in brackets, or behind a pair."""
    shape = shape_of(sentence)
    before, after = _BEFORE_PAIR.search(shape.text[: pair.start()]), _AFTER_PAIR.match(shape.text, pair.end())
    closed = re.match(r"[^()№≋¤\d]{0,20}\)", shape.text[pair.end() :]) is not None
    opened = before is not None and (closed if before["open"] else before["by"] and pair["from"])
    if before and opened and (before["by"] or (before["unit"] and _CHANGED.search(before["words"] + before["gap"]))):
        yield from shape.numbers(before, "own")
    if after is None:
        return
    (own,) = shape.numbers(after, "own")
    # `ΔAIC` is of something else, unless the sentence speaks of it before.
    called = after["called"] and own.decimals == a.decimals and (after["of"] or "") in sentence.text[: a.start]
    if (
        (after["unit"] or after["sign"] or called)
        if after["open"] and after["end"]
        else (after["unit"] and not after["end"])
    ):
        yield own


def _change(sentence: Sentence, own: TextNumber, a: TextNumber, b: TextNumber) -> Claim:
    says = f"{own.fact.text} is the change of {a.fact.text} and {b.fact.text}."
    ways = apart(own.fact, own.unit, a.fact, b.fact, percent=a.unit == "%")
    return claim_of(sentence, any_of(*ways), says, "the sentence names both numbers beside it", own.start)
