"""The text against itself: lists that differ in one number, phrases repeated with another one, sums and shares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import prod

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper
from sealtrace.relations.families.quotes import is_slip
from sealtrace.relations.families.wording import LEVEL, printed, real, same
from sealtrace.relations.lexicon import stem, telling, words
from sealtrace.relations.prose import SMALL, Mention, Ratio, Sentence, count_in, lists_in, ratios_in
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Expression, Formula, Given, all_of, any_of, call, equal, number
from sealtrace.relations.work import Work, time_is_up

FAMILY = "text against text"
_COUNTED = re.compile(
    rf"(?<![\w.–—-])(?P<count>{'|'.join(SMALL[2:])}|\d{{1,2}})\s+(?P<noun>(?:[\w-]+\s){{0,3}}?[a-z]+s)\s?(?P<open>\(|:\s|—\s?)",
    re.I,
)
_SIMPLE_ITEM = re.compile(r"(?:the |a |an )?[\w’'.%+@-]+(?: [\w’'.%+@-]+){0,3}(?: \([^()]*\))?")
_ITEM_MARK = re.compile(r"\((?:i{1,3}|iv|v|vi{0,3}|ix|x|[a-n]|\d\d?)\)")
_SHARE = re.compile(r"\b(?:equivalent|corresponding|equal|amount\w*|which is|i\.e\.,?|or)\b(?:(?!\. )[^;])*$", re.I)
_PERCENT_OF = re.compile(r"\s+of (?:all the |all |the |its |our )?", re.I)
# A term of something longer (20 × 20 + 30) is no sum by itself, nor is a total that goes on (= 400 + 30).
_SUM = re.compile(
    r"(?<![\w×*·/^(.,+−–-])(?<![×*·/^(+−–-]\s)(?P<sum>\d[\d.,]*(?:\s?[+×*·]\s?\d[\d.,]*)+)\s?=\s?(?P<total>[\d.,]*\d)"
    r"(?!\s?[×*·/^+−–-]|[\w.]*\d)"
)


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    yield from _lists(paper.sentences)
    yield from _phrases(paper.sentences)
    for place, sentence in enumerate(paper.sentences):
        if time_is_up():
            return
        earlier = paper.sentences[place - 1] if place else sentence
        yield from _written(sentence)
        yield from _products(sentence)
        yield from _computed(sentence)
        yield from _parts(sentence)
        yield from _shares(sentence, earlier if earlier.paragraph == sentence.paragraph else sentence)
        yield from _counts(sentence)


def _claim(
    sentence: Sentence, formula: Formula, says: str, evidence: str, start: int = 0, *, telling: bool = True
) -> Claim:
    place = sentence.place(start)
    return Claim(
        f"{FAMILY} {place} {says[:70]}",
        formula,
        says,
        f"“{sentence.short}” ({place})",
        ("Both passages speak of the same thing.",) if "here" in says else ("The sentence is read word for word.",),
        question="Which of these numbers is right?",
        family=FAMILY,
        evidence=evidence,
        telling=telling,
    )


def _at(sentence: Sentence, mention: Mention) -> str:
    return sentence.place(mention.start)


def _cell(fact: Fact) -> Given:
    return Given(real(fact).fact)


# Lists


LEAST_DIGITS = 3
"""So many digits have to be the same in two lists that are taken for one."""


def _lists(sentences: tuple[Sentence, ...]) -> Iterator[Claim]:
    """Lists of three or more numbers of the same things that differ in one of them."""
    found = [(sentence, run, noun) for sentence in sentences for run, noun in _runs(sentence)]
    for place, (sentence, run, noun) in enumerate(found):
        for other_sentence, other, other_noun in found[:place]:
            if len(run) != len(other) or not set(noun) & set(other_noun) or sentence is other_sentence:
                continue
            differ = [(a, b) for a, b in zip(run, other, strict=True) if a.fact.value != b.fact.value]
            if len(differ) > 1 or (
                len(differ) == 1 and any(mention.fact.value == differ[0][0].fact.value for mention in other)
            ):
                continue
            a, b = differ[0] if differ else (run[0], other[0])
            if differ and sum(_digits(mention) for mention in run if mention is not a) < LEAST_DIGITS:
                continue  # zero, a half and one stand in many lists
            twins = Counter(tuple(mention.fact.value for mention in each) for _s, each, _n in found)
            if (
                differ
                and twins[tuple(mention.fact.value for mention in run)] > 1
                and twins[tuple(mention.fact.value for mention in other)] > 1
            ):
                continue
            texts = ", ".join(mention.fact.text for mention in run), ", ".join(mention.fact.text for mention in other)
            yield _claim(
                sentence,
                all_of(*(same(x.fact, y.fact) for x, y in zip(run, other, strict=True))),
                f"{' '.join(noun)}: {texts[0]} here and {texts[1]} at {_at(other_sentence, b)} are one list.",
                f"{len(run) - len(differ)} of {len(run)} numbers of both lists are the same, and so is what is counted",
                a.start,
            )
            break


def _digits(mention: Mention) -> int:
    """How many digits of a number tell it from others."""
    return len(re.sub(r"\D", "", mention.fact.text).strip("0"))


def _runs(sentence: Sentence) -> Iterator[tuple[list[Mention], list[str]]]:
    for run in lists_in(sentence):
        if len(run) > 2 and not _numbering([mention.fact.value for mention in run]):
            given = words(sentence.text)
            noun = telling(word for word, _start, end in given if 0 <= run[0].start - end < 30)[-2:]
            noun += telling(word for word, start, _end in given if 0 <= start - run[-1].end < 30)[:3]
            if noun:
                yield run, noun


def _numbering(values: list[Fraction]) -> bool:
    """Whether numbers only number things: one after the other, in whatever order."""
    return sorted(values) == [min(values) + step for step in range(len(values))]


# Phrases


_Said = tuple[Sentence, Mention]
_NAMED = re.compile(r"\b[A-Z][A-Z\d]+[ -]$")
"""Before a number that is part of a name: `NGC 1277`."""


def _phrases(sentences: tuple[Sentence, ...]) -> Iterator[Claim]:
    """The same words around another number: once said so, elsewhere otherwise."""
    said = Counter(mention.fact.text for sentence in sentences for mention in sentence.mentions)
    seen: set[frozenset[str]] = set()
    for key, members in _contexts(sentences).items():
        (usual, times), *_others = Counter(mention.fact.value for _sentence, mention in members).most_common()
        model = next(member for member in members if member[1].fact.value == usual)
        others = [member for member in members if member[1].fact.value != usual]
        if not others:
            for member in members[1:]:
                evidence = f"the same words stand around it {times} times"
                yield _repeat(member, model, evidence, telling=_one_thing(key, times - 1, member, model))
            continue
        if key[0] == "one":
            # Many counts are of the same things: a few more or fewer are others, another digit within is a slip.
            others = [
                mention for mention in others if 10 * model[1].fact.unit <= abs(mention[1].fact.value - usual) < usual
            ]
            others = [mention for mention in others if is_slip(mention[1].fact.value, usual, model[1].fact.unit)]
        # A phrase that goes with many numbers is a form, not a fact; and a slip stands once.
        if len(others) != 1 or (key[0] == "both" and len(members) > 3 and times < 3):
            continue
        mention = others[0][1]
        near = key[0] == "both" and abs(mention.fact.value - usual) <= abs(usual) / 50
        pair = frozenset((mention.fact.address, model[1].fact.address))
        if said[mention.fact.text] > 1 or pair in seen or not _one_thing(key, times, others[0], model):
            continue
        if near or is_slip(mention.fact.value, usual, mention.fact.unit):
            seen.add(pair)
            evidence = f"the same words ({' '.join(key[2:])}) stand around {model[1].fact.text} {times} times and "
            yield _repeat(others[0], model, f"{evidence}around {mention.fact.text} once")


def _contexts(sentences: tuple[Sentence, ...]) -> dict[tuple[str, ...], list[_Said]]:
    """Numbers by the words around them, by those behind them, and by one word behind them."""
    groups: dict[tuple[str, ...], list[_Said]] = {}
    for sentence in sentences:
        given = words(sentence.text)
        for mention in sentence.mentions:
            # A round number is often a size that several things have, each its own.
            odd = mention.digits.rstrip("0")
            small = not mention.decimals and (odd == "1" or (len(odd) < 2 and not mention.unit))
            if len(mention.digits) < 2 or small or _NAMED.search(sentence.text[: mention.start]):
                continue
            after = [word for word, start, _end in given if 0 <= start - mention.end < 40][:3]
            before = [word for word, _start, end in given if 0 <= mention.start - end < 70][-5:]
            keys: list[tuple[str, ...]] = []
            if mention.decimals == 0 and len(telling(after)) > 1 and not mention.loose:
                keys.append(("after", mention.unit, *after))
            if mention.decimals == 0 and len(mention.digits) > 3 and len(odd) > 2 and not mention.loose:
                # A word of two or three letters is a unit.
                keys += [("one", mention.unit, word) for word in dict.fromkeys(telling(after)) if len(word) > 3]
            # Another number right behind it tells as much as two words.
            enough = len(telling(after)) > 1 - any(word[0].isdecimal() for word in after[:2])
            size = next((size for size in (3, 5) if enough and len(telling(before[-size:])) > 2), 0)
            keys += [("both", mention.unit, *before[-size:], "#", *after[:2])] if size else []
            for key in keys:
                groups.setdefault(key, []).append((sentence, mention))
    return {key: members for key, members in groups.items() if len(members) > 1}


def _one_thing(key: tuple[str, ...], times: int, said: _Said, model: _Said) -> bool:
    """Whether two numbers with the same words around them, the second said so often, must be the same."""
    (sentence, mention), (other, usual) = said, model
    strong, short = key[0] == "both", len(mention.digits) < 3
    if sentence.paragraph == other.paragraph and sentence.source == other.source:
        return False
    # A sentence that has both numbers tells them apart: `2,560 packages, 2,550 of them attacked`.
    if mention.fact.value != usual.fact.value and any(
        beside.fact.value == value
        for text, value in ((sentence, usual.fact.value), (other, mention.fact.value))
        for beside in text.mentions
    ):
        return False
    # Where both stand once, only sentences that are nearly the same say the same thing.
    if times < 2 and not (strong and times and _nearly_same(sentence, other)):
        return False
    if mention.fact.unit != usual.fact.unit or _FEWER.search(sentence.text) or _FEWER.search(other.text):
        return False
    if not strong and short and times < 3:
        return False
    return not ((strong or short) and _others_differ(sentence, other, mention, usual))


def _repeat(said: _Said, model: _Said, evidence: str, *, telling: bool = True) -> Claim:
    (sentence, mention), (other, usual) = said, model
    says = f"{mention.fact.text} here is {usual.fact.text} at {_at(other, usual)}."
    return _claim(sentence, same(mention.fact, usual.fact), says, evidence, mention.start, telling=telling)


_FEWER = re.compile(
    r"\b(?:dropp?(?:ed|ing)?|exclud\w+|missing|lost|los(?:es?|ing)|without|remaining|remain|restrict\w*|subset|subsample|"
    r"after (?:removing|filtering|merging|cleaning)|of (?:which|these|whom)|minus|except)\b",
    re.I,
)
"""Words that say why a number is smaller here than elsewhere."""


def _nearly_same(sentence: Sentence, other: Sentence) -> bool:
    """Whether two sentences have most of the words in common that name something, and all numbers but one."""
    mine, theirs = (set(telling(word for word, _start, _end in words(each.text))) for each in (sentence, other))
    numbers, others = (Counter(mention.fact.value for mention in each.mentions) for each in (sentence, other))
    return len(mine & theirs) * 2 >= len(mine | theirs) and (numbers - others).total() < 2 > (others - numbers).total()


def _others_differ(here: Sentence, other: Sentence, mention: Mention, model: Mention) -> bool:
    """Whether names or years near the two numbers differ: then two things are meant."""

    def names(sentence: Sentence, around: Mention) -> set[str]:
        text = (
            sentence.text[max(0, around.start - 60) : around.start] + " " + sentence.text[around.end : around.end + 60]
        )
        return set(re.findall(r"\b(?:[A-Z][\w-]*[A-Z\d][\w-]*|(?:19|20)\d\d)\b", text))

    mine, theirs = names(here, mention), names(other, model)
    return bool(mine - theirs and theirs - mine)


# Sums, shares and counts


def _written(sentence: Sentence) -> Iterator[Claim]:
    """`71 + 10 + 2 = 83`, `30 × 9 × 3 = 810`: whole numbers, or all to their decimals."""
    for found in _SUM.finditer(sentence.text):
        inside = [
            mention for mention in sentence.mentions if found.start() <= mention.start and mention.end <= found.end()
        ]
        plus, times = (sum(found.group("sum").count(sign) for sign in signs) for signs in ("+", "×*·"))
        if len(inside) > 2 and len(inside) == plus + times + 2 and not (plus and times):
            # The sign behind a factor is no unit of it.
            whole = [re.fullmatch(r"[\d,]+\s?×?", mention.fact.text) is not None for mention in inside]
            *parts, total = (
                printed(mention.fact) if exact else _cell(mention.fact)
                for mention, exact in zip(inside, whole, strict=True)
            )
            right = call("sum", *parts) if plus else prod(parts[1:], start=parts[0])
            says = f"{found.group()} {'adds up' if plus else 'is so'}."
            # The result may be in percent.
            formula = any_of(equal(total, right), equal(total, 100 * right)) if times else equal(total, right)
            yield _claim(sentence, formula, says, "the text writes it out", found.start())


_FACTOR = r"\d[\d,]*(?:\s[a-z][a-z-]*){0,3}"
_PRODUCT = re.compile(
    rf"(?<![\d.,×/-])(?P<total>\d[\d,]*)\s(?:[a-z][a-z-]*\s){{0,4}}[a-z-]+\s?(?:\(|:\s|=\s?)(?P<list>{_FACTOR}(?:\s?×\s?{_FACTOR})+)"
    rf"(?=[).;,]|$)"
)


def _products(sentence: Sentence) -> Iterator[Claim]:
    """`960 runs: 20 plots × 12 kinds × 4 years`."""
    for found in _PRODUCT.finditer(sentence.text):
        given = [(found["total"], found.start("total"))]
        given += [(match[0], found.start("list") + match.start()) for match in re.finditer(r"\d[\d,]*", found["list"])]
        facts = [sentence.fact(at, text, Fraction(text.replace(",", "")), Fraction(0)) for text, at in given]
        whole, product = facts[0].value, prod(fact.value for fact in facts[1:])
        # What is several times as large counts something besides.
        if whole == product or (product and 1 < max(whole / product, product / whole) < 2):
            right = prod(map(Given, facts[2:]), start=Given(facts[1]))
            yield _claim(
                sentence, equal(Given(facts[0]), right), f"{facts[0].text} is {found['list']}.",
                "the factors stand directly behind it", found.start(),
            )  # fmt: skip


_CHANGE = (
    r"gain|increase|drop|reduction|difference|gap|improvement|decrease|decline|rise|advantage|speed-?up|change|lead|"
    r"overhead|slow-?down|saving|savings"
)
_CHANGED = re.compile(rf"\b(?:{_CHANGE}|more|less|fewer|worse|[a-z]+er|(?:de|in)creas\w+|r[aeiu]\w+s?)\b|×", re.I)
_COMPUTED = re.compile(rf"\b(?P<what>ratio|sum|total|{_CHANGE}) of\s+[-+−]?[$€£]?$", re.I)
_COMPARED = re.compile(r"\b(?:compared (?:to|with)|vs|versus|against|than|to)\b[^,;.:()]{0,30}$", re.I)
_ASIDE = r"(?:\s?[A-Za-z]{1,7})?(?:\s\([^()]{1,40}\))?"
"""What may stand behind each of two numbers: a unit, and in brackets of what they are."""
_OPPOSED = re.compile(rf"{_ASIDE}\s?(?P<link>vs\.?|versus|→|to)\s?", re.I)
_BEFORE_PAIR = re.compile(r"(?:[^().;:,\d]|vs\.){0,60}\((?:from )?")
_AFTER_PAIR = re.compile(
    rf"{_ASIDE}\s?(?:(?P<open>\()|(?:,|—|–)\s?(?:representing |corresponding to |which is |yielding )?)"
    rf"(?P<called>\|?Δ\s?(?P<of>\w{{0,8}})\|?\s?[=:]\s?|(?:{_CHANGE})\s?[=:]\s?)?"
    r"(?:[-+−]|an? |by )*",
    re.I,
)


def _computed(sentence: Sentence) -> Iterator[Claim]:
    """`0.08 among A against 0.097 among B, a ratio of 0.82`, `1.6 pp more (0.921 vs. 0.905)`, `from 4 to 6 (+50%)`."""
    for place, (first, second) in enumerate(pairwise(sentence.mentions)):
        after = sentence.mentions[place + 2] if place + 2 < len(sentence.mentions) else None
        found = _COMPUTED.search(sentence.text[: after.start]) if after else None
        if found and after and after.unit == "×" and found["what"].lower() in ("sum", "total"):
            # `a total of 51 × 3,000 tests` is a product.
            found = None
        if first.unit != second.unit or first.loose or second.loose or not first.fact.value or not second.fact.value:
            continue
        if after is not None and found is not None and after.start - first.start < 160 and not after.loose:
            ways = _ways(found["what"].lower(), after, first, second)
            if place and sentence.mentions[place - 1].fact.value and not sentence.mentions[place - 1].loose:
                # A number between the two may say of what they are: `502 in the 10,000 bin against 249`.
                ways += _ways(found["what"].lower(), after, sentence.mentions[place - 1], second)
            shown = [search(formula, Work(2000)).status == "possible" for formula in ways]
            slips = [
                is_slip(after.fact.value, value, after.fact.unit) for value in _values(found["what"], first, second)
            ]
            # Where a word opposes the two, nothing else can be meant; otherwise only a slip is near enough.
            opposed = _COMPARED.search(sentence.text[first.end : second.start]) and len(sentence.mentions) == 3
            if len(after.digits) > 1 and (any(shown) or any(slips) or opposed):
                yield _derived(sentence, after, found["what"].lower(), first, second, ways)
        for mention in _beside(sentence, place, first, second):
            yield _derived(sentence, mention, "change", first, second, _ways("change", mention, first, second))


def _derived(
    sentence: Sentence, mention: Mention, what: str, first: Mention, second: Mention, ways: list[Formula]
) -> Claim:
    says = f"{mention.fact.text} is the {what} of {first.fact.text} and {second.fact.text}."
    return _claim(sentence, any_of(*ways), says, "the sentence names both numbers beside it", mention.start)


def _beside(sentence: Sentence, place: int, first: Mention, second: Mention) -> Iterator[Mention]:
    """What stands right before `(a vs. b)`, or behind `from a to b` as `(+c)`, `(Δ = c)` or `, a c% reduction`."""
    text, mentions = sentence.text, sentence.mentions
    link = _OPPOSED.fullmatch(text, first.end, second.start)
    if link is None or first.decimals != second.decimals:
        return
    if link["link"].lower() == "to" and not re.search(r"\bfrom\s+$", text[: first.start], re.I):
        return
    before, after = mentions[place - 1] if place else None, mentions[place + 2] if place + 2 < len(mentions) else None
    closed = re.match(r"[^()\d]{0,20}\)", text[second.end :])
    if before is not None and closed and _BEFORE_PAIR.fullmatch(text, before.end, first.start) and not before.loose:
        by = re.search(r"\bby\s+[-+−]?$", text[: before.start])
        around = f"{text[max(0, before.start - 40) : before.start]} {text[before.end : first.start]}"
        share = _PERCENT_OF.match(text, before.end)  # `97.6% of the original` is no change
        yield from [before] if by or (before.unit and not share and _CHANGED.search(around)) else []
    if after is None or after.loose or (opened := _AFTER_PAIR.fullmatch(text, second.end, after.start)) is None:
        return
    behind = text[after.end :]
    if opened["open"] is not None:
        # `ΔAIC` is of something else, unless the sentence speaks of it before.
        called = opened["called"] and after.decimals == first.decimals and (opened["of"] or "") in text[: first.start]
        if re.match(r"\s?[),;]", behind) and (after.unit or after.fact.text[:1] in "+-−" or called):
            yield after
    elif after.unit and re.match(rf"\s?(?:relative |absolute |points? )?(?:{_CHANGE})\b", behind):
        yield after


def _values(what: str, first: Mention, second: Mention) -> tuple[Fraction, ...]:
    a, b = first.fact.value, second.fact.value
    return {"ratio": (a / b, b / a), "sum": (a + b,), "total": (a + b,)}.get(what.lower(), (a - b, b - a))


_SCALES = tuple(Fraction(*pair) for pair in ((1, 1), (-1, 1), (100, 1), (-100, 1), (1, 100), (-1, 100)))


def _ways(what: str, mention: Mention, first: Mention, second: Mention) -> list[Formula]:
    """How a number may follow from two others: as its unit says, or as the word before it."""
    own, a, b = _cell(mention.fact), _cell(first.fact), _cell(second.fact)
    ratios: list[Expression] = [a / b, b / a]
    apart: list[Expression] = [a - b, b - a]
    shares = first.unit == "%" or max(abs(first.fact.value), abs(second.fact.value)) <= 1
    whole = 100 if first.unit == "%" else 1
    points: list[Expression] = apart if first.unit == "%" or not shares else [100 * expression for expression in apart]
    if what in ("sum", "total"):
        return [equal(own, a + b)]
    if what == "ratio":
        # Of sizes, and one of them perhaps in hundredths: 3.8 log points against -0.087.
        return [equal(own, expression * scale) for expression in ratios for scale in _SCALES]
    sides: list[Expression]
    match mention.unit:
        case "×":
            sides = ratios
        case "pp":
            sides = points
        case "%":
            bases = [a, b] + ([whole - a, whole - b] if shares else [])
            kept = [term for term, base in zip(bases, (first, second, first, second), strict=False) if base.fact.value]
            sides = [100 * expression / base for base in kept for expression in apart] + (points if shares else [])
        case _:
            sides = apart
    return [equal(own, expression) for expression in sides]


_PARTS = re.compile(r"(?P<total>\d[\d,]*)\s+(?:[\w-]+\s){0,4}?[\w-]+\s?(?:\(|:\s)(?P<list>[^();:]*)")


def _parts(sentence: Sentence) -> Iterator[Claim]:
    """`24 scenarios (12 approvals, 12 refusals)`: a whole and a list in which every item begins with a count."""
    for found in _PARTS.finditer(sentence.text):
        items = [
            item.strip() for item in re.split(r",\s+(?:and\s+)?|;\s+|\s+and\s+", found.group("list")) if item.strip()
        ]
        counts = [
            re.match(r"(\d[\d,]*)\s+[a-z][\w-]*", item) or re.fullmatch(r"[A-Za-z][\w -]*=\s?(\d[\d,]*)", item)
            for item in items
        ]
        opened, behind = sentence.text[found.start("list") - 1], sentence.text[found.end() : found.end() + 1]
        if len(items) < 2 or not all(counts) or behind not in ((")",) if opened == "(" else ("", ".", ";", ")")):
            continue
        total = count_in(found.group("total"))
        parts = [count_in(match.group(1)) for match in counts if match is not None]
        facts = [
            mention for mention in sentence.mentions if found.start() <= mention.start and mention.end <= found.end()
        ]
        whole = next((mention for mention in facts if mention.start == found.start("total")), None)
        if total is None or whole is None or any(term is None for term in parts) or len(facts) != len(parts) + 1:
            continue
        values = [term for term in parts if term is not None]
        # A list may say more of the same things, or leave the rest out: only what nearly adds up is meant to.
        if max(values) > total or not 0.8 * total <= sum(values) <= 1.2 * total:
            continue
        yield _claim(
            sentence,
            equal(Given(whole.fact), call("sum", *(Given(mention.fact) for mention in facts if mention is not whole))),
            f"{whole.fact.text} is the sum of what is listed behind it.",
            f"all {len(values)} items of the list begin with a count, and they nearly add up",
            whole.start,
        )


def _shares(sentence: Sentence, earlier: Sentence) -> Iterator[Claim]:
    """`9 of 10 (90%)`, `43/50 = 86%`, and `225M …, equivalent to 3.5% of the 6.6B`."""
    text = sentence.text
    for ratio in ratios_in(text):
        if "/" in ratio.text and ratio.part + ratio.whole == 100:
            # `50/50`, `80/20`: two parts, and no count out of a number.
            continue
        yield from _share_before(sentence, ratio)
        after = next(
            (mention for mention in sentence.mentions if mention.unit == "%" and mention.start > ratio.end), None
        )
        between = "" if after is None else text[ratio.end : after.start]
        if after is None or after.loose or ratio.part > ratio.whole or LEVEL.match(text, after.end):
            continue
        if after.fact.value < 0:
            # A change: what stands before it (`line 15/16`) is a name.
            continue
        if re.fullmatch(r"[^\w)]{1,5}", between) or re.fullmatch(r"(?:\s[a-z-]+){1,3}\s\(", between):
            part = Fraction(100 * ratio.part, ratio.whole)
            # Behind a noun it may be the share of the others: `misses 3/12 facts (75%)`.
            ways = [part] if between[1:2] in "(=" else [part, 100 - part]
            yield _claim(
                sentence, any_of(*(equal(_cell(after.fact), way) for way in ways)),
                f"{after.fact.text} is {ratio.text}.", "the share stands directly behind its count", ratio.start,
            )  # fmt: skip
    for mention in sentence.mentions:
        link = _PERCENT_OF.match(text, mention.end)
        if mention.unit != "%" or mention.loose or link is None:
            continue
        whole = next((mention for mention in sentence.mentions if mention.start == link.end()), None)
        noun = (
            []
            if whole is None
            else telling(word for word, start, _end in words(text) if 0 <= start - whole.end < 30)[:1]
        )
        if whole is None or not noun or whole.unit:
            continue
        parts = [
            between
            for between in sentence.mentions
            if between.end < mention.start and not between.unit and _names(text, between, noun[0])
        ]
        if not parts and earlier is not sentence and _SHARE.search(text[: mention.start]):
            parts = [
                mention for mention in earlier.mentions if not mention.unit and _names(earlier.text, mention, noun[0])
            ]
        if len(parts) == 1 and parts[0].fact.value <= whole.fact.value and not (parts[0].loose or whole.loose):
            share = 100 * _cell(parts[0].fact) / _cell(whole.fact)
            yield _claim(
                sentence, equal(_cell(mention.fact), share),
                f"{mention.fact.text} is {parts[0].fact.text} of {whole.fact.text} {noun[0]}s.",
                "the sentence names both counts and the same things", mention.start,
            )  # fmt: skip


def _share_before(sentence: Sentence, ratio: Ratio) -> Iterator[Claim]:
    """`a 94.4% match rate (3,008 of 3,186 records)`: nothing but words stands between the share and its count."""
    before = [mention for mention in sentence.mentions if mention.unit == "%" and mention.end <= ratio.start]
    if not before or before[-1].loose or ratio.part > ratio.whole or not ratio.whole:
        return
    between = sentence.text[before[-1].end : ratio.start]
    if re.fullmatch(r"(?:\s[a-z-]+){0,3}\s\(", between) and not LEVEL.match(sentence.text, before[-1].end):
        part = Fraction(100 * ratio.part, ratio.whole)
        ways = [part] if between.strip() == "(" else [part, 100 - part]
        yield _claim(
            sentence, any_of(*(equal(_cell(before[-1].fact), way) for way in ways)),
            f"{before[-1].fact.text} is {ratio.text}.", "the count stands in brackets behind its share", ratio.start,
        )  # fmt: skip


def _names(text: str, mention: Mention, noun: str) -> bool:
    return noun in [word for word, start, _end in words(text) if 0 <= start - mention.end < 25]


def _counts(sentence: Sentence) -> Iterator[Claim]:
    """`four checks: a, b, c and d`: a count against what is enumerated behind it."""
    text = sentence.text
    for found in _COUNTED.finditer(text):
        told = count_in(found.group("count"))
        if (
            told is None
            or not 2 < told < 13
            or re.match(r"(?:to|or|and|of)\b", found.group("noun"))
            # `five models across four scenarios: …` lists the scenarios.
            or any(count_in(word) is not None for word in found.group("noun").split())
            or re.search(
                r"(?:×|\b(?:of|at least|over|than|about|roughly|nearly|first|top|other|to|or|per))\s+$",
                text[: found.start()],
                re.I,
            )
        ):
            continue
        closed = found.group("open").strip() == "("
        rest = text[found.end() :]
        if found.group("open").strip() == "—" and "—" not in rest:
            # What stands behind a single dash is a clause.
            continue
        rest = rest.partition(")")[0] if closed else re.split(r"[;.](?:\s|$)|—", rest)[0]
        first = re.match(r"\((?:a|i|1)\)", rest.strip()) and not closed
        marks = _ITEM_MARK.findall(text[found.end() :]) if first else []
        *items, last = re.split(r",\s+(?:(?:and|or)\s+)?", rest.strip().rstrip("."))
        # With a comma before `and` the list ends there; without one `and` joins the last two.
        items += [last] if re.search(r",\s+(?:and|or)\s", rest) else re.split(r"\s+(?:and|or)\s+", last)
        if len(marks) > 2:
            count = len(dict.fromkeys(marks))
        elif (
            len(items) > 2
            and all(_SIMPLE_ITEM.fullmatch(item.strip()) for item in items)
            and "/" not in rest
            and "…" not in rest
            and not re.search(r"\betc|e\.g|such as|including|for example|\d", rest)
        ):
            count = len(items)
        else:
            continue
        # One more or one fewer may be a matter of reading (“A and B” as one item): only the plainest lists count.
        if count != told and any(re.search(r"\s(?:and|or)\s", item) for item in items):
            continue
        if abs(count - told) > 2:
            continue
        noun = stem(found.group("noun").split()[-1].lower())
        fact = sentence.fact(
            found.start(), f"{found.group('count')} {found.group('noun')}", Fraction(told), Fraction(0)
        )
        yield _claim(
            sentence, equal(Given(fact), number(count)),
            f"{found.group('count')} {found.group('noun')} are enumerated: "
            f"{', '.join(items)[:120] if len(marks) <= 2 else ' '.join(marks)}.",
            f"{count} items of {noun}s stand behind the count", found.start(),
        )  # fmt: skip
