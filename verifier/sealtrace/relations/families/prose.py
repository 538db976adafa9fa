"""The text against itself: what a sentence computes or enumerates, and what is said twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import prod

from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import Paper
from sealtrace.relations.families.wording import LEVEL, apart, is_slip, printed, real, same
from sealtrace.relations.lexicon import telling, words
from sealtrace.relations.prose import SMALL, Mention, Sentence, count_in, lists_in
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, Given, all_of, any_of, call, equal, number
from sealtrace.relations.work import Work, time_is_up

FAMILY = "text against text"


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    yield from _lists(paper.sentences)
    yield from _phrases(paper.sentences)
    for place, sentence in enumerate(paper.sentences):
        if time_is_up():
            return
        earlier = paper.sentences[place - 1] if place else sentence
        for reader in (_totals, _shares, _changes, _enumerations):
            yield from reader(sentence)
        yield from _percents(sentence, earlier if earlier.paragraph == sentence.paragraph else sentence)


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


# What a sentence computes. Its shape has № for a number with its unit, and ¤ for a count out of a number.


_NOUNS = r"(?:\s[A-Za-z][\w-]*)"
_FACTOR = rf"№{_NOUNS}{{0,3}}"
_PART = r"(?:№\s[a-z][\w-]*[^,;:()№≋¤]*|[A-Za-z][\w -]*=\s?№)"
_TOTALS = (
    # A term of something longer (20 × 20 + 30) is no sum by itself, nor is a total that goes on (= 400 + 30).
    re.compile(
        r"(?<![\w×*·/^(.,+−–-])(?<![×*·/^(+−–-]\s)(?P<parts>[№≋](?:(?:\s?\+\s?№)+|(?:\s?[×*·]\s?№)+))\s?=\s?(?P<total>№)"
        r"(?!\s?[×*·/^+−–-]|[\w.]*\d)"
    ),
    # 960 runs: 20 plots × 12 kinds × 4 years
    re.compile(
        rf"(?<![×/-])(?P<total>№){_NOUNS}{{1,5}}\s?(?:\(|:\s|=\s?)(?P<parts>{_FACTOR}(?:\s?×\s?{_FACTOR})+)(?=[).;,]|$)"
    ),
    # 24 scenarios (12 approvals, 12 refusals)
    re.compile(
        rf"(?P<total>№){_NOUNS}{{1,5}}?\s?(?:\(|:\s)(?P<parts>{_PART}(?:(?:,\s+(?:and\s+)?|;\s+|\s+and\s+){_PART})+)(?=[).;]|$)"
    ),
)


def _totals(sentence: Sentence) -> Iterator[Claim]:
    """`71 + 10 + 2 = 83`, `960 runs: 20 plots × 12 kinds × 4 years`, `24 scenarios (12 approvals, 12 refusals)`."""
    for place, pattern in enumerate(_TOTALS):
        for found in pattern.finditer(sentence.shape.text):
            (total,), parts = (sentence.shape.numbers(found, group) for group in ("total", "parts"))
            # The sign behind a factor is no unit of it.
            whole, *terms = (
                printed(mention.fact)
                if re.fullmatch(r"[\d,]+\s?×?", mention.fact.text)
                else Given(real(mention.fact).fact)
                for mention in (total, *parts)
            )
            times = re.search(r"[×*·]", found["parts"]) is not None
            values = [mention.fact.value for mention in parts]
            value = prod(values) if times else sum(values)
            # A list may say more of the same things, or leave the rest out: only what nearly gives it is meant to.
            crossed = re.search(r"\beach\b", found["parts"])
            if place and (crossed or not (value and 4 <= 5 * total.fact.value / value <= Fraction(25, 4))):
                continue
            right = prod(terms[1:], start=terms[0]) if times else call("sum", *terms)
            listed = sentence.text[parts[0].start : parts[-1].end] + found["parts"].rpartition("№")[2].lstrip("%×")
            yield _claim(
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
    for found in (found for pattern in _SHARES for found in pattern.finditer(sentence.shape.text)):
        ratio, (share,) = sentence.shape.ratio(found), sentence.shape.numbers(found)
        two_parts = "/" in ratio.text and ratio.part + ratio.whole == 100  # `50/50` is no count out of a number
        # What falls behind `line 15/16` is a change, and `95% CI` a level.
        if two_parts or ratio.part > ratio.whole or share.fact.value < 0 or LEVEL.match(sentence.text, share.end):
            continue
        part = Fraction(100 * ratio.part, ratio.whole)
        # Beside a noun it may be the share of the others: `misses 3/12 facts (75%)`.
        ways = [part, 100 - part] if found["between"].strip(" (=:") else [part]
        yield _claim(
            sentence,
            any_of(*(equal(real(share.fact), way) for way in ways)),
            f"{share.fact.text} is {ratio.text}.",
            "the share and its count stand directly beside each other",
            ratio.start,
        )


_SHARE_OF = re.compile(r"№%\s+of (?:all the |all |the |its |our )?№(?=\s)")
_SAME = re.compile(r"\b(?:equivalent|corresponding|equal|amount\w*|which is|i\.e\.,?|or)\b(?:(?!\. )[^;])*$", re.I)


def _percents(sentence: Sentence, earlier: Sentence) -> Iterator[Claim]:
    """`225M …, equivalent to 3.5% of the 6.6B events`: the part is a number of the same things, just before."""
    for found in _SHARE_OF.finditer(sentence.shape.text):
        share, whole = sentence.shape.numbers(found)
        noun = next(iter(telling(_behind(sentence, whole, 30))), "")
        before = [mention for mention in sentence.mentions if mention.end < share.start]
        parts = [mention for mention in before if not mention.unit and noun in _behind(sentence, mention, 25)]
        if not parts and earlier is not sentence and _SAME.search(sentence.text[: share.start]):
            parts = [
                mention for mention in earlier.mentions if not mention.unit and noun in _behind(earlier, mention, 25)
            ]
        if noun and len(parts) == 1 and parts[0].fact.value <= whole.fact.value and not parts[0].loose:
            yield _claim(
                sentence,
                equal(real(share.fact), 100 * real(parts[0].fact) / real(whole.fact)),
                f"{share.fact.text} is {parts[0].fact.text} of {whole.fact.text} {noun}s.",
                "the sentence names both counts and the same things",
                share.start,
            )


def _behind(sentence: Sentence, mention: Mention, letters: int) -> list[str]:
    return [word for word, start, _end in words(sentence.text) if 0 <= start - mention.end < letters]


def _ahead(sentence: Sentence, mention: Mention, letters: int) -> list[str]:
    return [word for word, _start, end in words(sentence.text) if 0 <= mention.start - end < letters]


_CHANGE = (
    r"gain|increase|drop|reduction|difference|gap|improvement|decrease|decline|rise|advantage|speed-?up|change|lead|"
    r"overhead|slow-?down|saving|savings"
)
_CHANGED = re.compile(rf"\b(?:{_CHANGE}|more|less|fewer|worse|[a-z]+er|(?:de|in)creas\w+|r[aeiu]\w+s?)\b|×", re.I)
_OPPOSED = re.compile(r"\b(?:compared (?:to|with)|vs|versus|against|than|to)\b[^,;.:()]{0,30}$", re.I)
_ASIDE = r"(?:\s?[A-Za-z]{1,7})?(?:\s\([^()№≋¤]{1,40}\))?"
"""What may stand behind each of two numbers: a unit, and in brackets of what they are."""
_COMPUTED = re.compile(
    rf"(?:(?P<earlier>№)[^№≋¤]*)?(?P<a>№)(?P<unit>%|pp|×|)(?P<between>[^№≋¤]*)(?P<b>№)(?P=unit)[^№≋¤]*"
    rf"\b(?P<what>ratio|sum|total|{_CHANGE}) of\s+[-+−]?[$€£]?(?P<own>№)(?!×|\w*\s?(?:to|–|-)\s?[№≋])",
    re.I,
)
_PAIR = re.compile(
    rf"(?P<from>\bfrom\s+)?[-+−]?(?P<a>№)(?P<unit>%|pp|×|){_ASIDE}\s?(?:(?P<to>to)|vs\.?|versus|→)\s?[-+−]?(?P<b>№)(?P=unit)",
    re.I,
)
_ELSEWHERE = r"\b(?:at|with|despite|for) (?:\w+ly )?(?:comparable|similar|equal|the same)\b"
"""Before a pair that is of something else: `8× faster at comparable safety (89% vs. 93%)`."""
_BEFORE_PAIR = re.compile(
    r"(?P<words>[^№≋¤]{0,40}?(?P<by>\bby\s+)?)[-+−]?(?P<own>№)(?P<unit>%|pp|×)?(?!\s+of\b)"
    rf"(?P<gap>(?:(?!{_ELSEWHERE})[^().;:,№≋¤\d]|vs\.){{0,60}})\($"
)
_AFTER_PAIR = re.compile(
    rf"{_ASIDE}\s?(?:(?P<open>\()(?:(?P<called>\|?Δ\s?(?P<of>\w{{0,8}})\|?|{_CHANGE})\s?[=:]\s?)?|"
    rf"(?:,|—|–)\s?(?:representing |corresponding to |which is |yielding )?)(?:an? |by )*(?P<sign>[-+−])?(?P<own>№)"
    rf"(?P<unit>%|pp|×)?\s?(?:(?P<end>[),;])|(?:relative |absolute |points? )?(?:{_CHANGE})\b)",
    re.I,
)


def _changes(sentence: Sentence) -> Iterator[Claim]:
    """`0.08 among A against 0.097 among B, a ratio of 0.82`, `1.6 pp more (0.921 vs. 0.905)`, `from 4 to 6 (+50%)`."""
    shape = sentence.shape
    for found in _COMPUTED.finditer(shape.text):
        own, a, b = (shape.numbers(found, name)[0] for name in ("own", "a", "b"))
        what, close = found["what"].lower(), own.start - a.start < 160 and a.fact.value and b.fact.value
        if not close or len(own.digits) < 2:
            continue
        # A number between the two may say of what they are: `502 in the 10,000 bin against 249`.
        firsts = [first for first in (a, *shape.numbers(found, "earlier")) if first.fact.value]
        ways = [way for first in firsts for way in _ways(what, own, first, b)]
        # Where a word opposes the two, nothing else can be meant; otherwise only a slip is near enough.
        opposed = _OPPOSED.search(found["between"]) and len(sentence.mentions) == 3
        slips = (is_slip(own.fact.value, value, own.fact.unit) for value in _values(what, a.fact.value, b.fact.value))
        if opposed or any(search(way, Work(2000)).status == "possible" for way in ways) or any(slips):
            yield _change(sentence, what, own, a, b, ways)
    for found in _PAIR.finditer(shape.text):
        a, b = (shape.numbers(found, name)[0] for name in ("a", "b"))
        known = a.fact.value and b.fact.value and a.decimals == b.decimals and bool(found["to"]) <= bool(found["from"])
        for own in _beside(sentence, found, a) if known else ():
            yield _change(sentence, "change", own, a, b, _ways("change", own, a, b))


def _beside(sentence: Sentence, pair: re.Match[str], a: Mention) -> Iterator[Mention]:
    """The change that stands right before a pair of numbers in brackets, or behind a pair."""
    shape = sentence.shape
    before, after = _BEFORE_PAIR.search(shape.text[: pair.start()]), _AFTER_PAIR.match(shape.text, pair.end())
    closed = re.match(r"[^()№≋¤\d]{0,20}\)", shape.text[pair.end() :]) is not None
    if before and closed and (before["by"] or (before["unit"] and _CHANGED.search(before["words"] + before["gap"]))):
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


def _change(sentence: Sentence, what: str, own: Mention, a: Mention, b: Mention, ways: list[Formula]) -> Claim:
    says = f"{own.fact.text} is the {what} of {a.fact.text} and {b.fact.text}."
    return _claim(sentence, any_of(*ways), says, "the sentence names both numbers beside it", own.start)


def _values(what: str, a: Fraction, b: Fraction) -> tuple[Fraction, ...]:
    return {"ratio": (a / b, b / a), "sum": (a + b,), "total": (a + b,)}.get(what, (a - b, b - a))


def _ways(what: str, own: Mention, a: Mention, b: Mention) -> list[Formula]:
    """How a number may follow from two others: as the word before it says, or as its unit does."""
    if what in ("sum", "total"):
        return [equal(real(own.fact), real(a.fact) + real(b.fact))]
    if what == "ratio":
        # Of sizes, and one of them perhaps in hundredths: 3.8 log points against -0.087.
        scales = [Fraction(sign * scale) for scale in (1, 100, Fraction(1, 100)) for sign in (1, -1)]
        ratios = (real(a.fact) / real(b.fact), real(b.fact) / real(a.fact))
        return [equal(real(own.fact), ratio * scale) for ratio in ratios for scale in scales]
    return apart(own.fact, own.unit, a.fact, b.fact, percent=a.unit == "%")


# What a sentence enumerates


_COUNTED = re.compile(
    rf"(?<![\w.–—-])(?P<count>{'|'.join(SMALL[2:])}|\d{{1,2}})\s+(?P<noun>(?:[\w-]+\s){{0,3}}?[a-z]+s)\s?"
    r"(?:\((?P<inside>[^()]*)\)|(?::\s|—\s?(?=.*—))(?P<behind>.*?)(?=[;.](?:\s|$)|—|$))",
    re.I,
)
_UNCOUNTED = re.compile(r"(?:×|\b(?:of|at least|over|than|about|roughly|nearly|first|top|other|to|or|per))\s+$", re.I)
_ITEM = re.compile(r"(?:the |a |an )?[\w’'.%+@-]+(?: [\w’'.%+@-]+){0,3}(?: \([^()]*\))?")
_ITEM_MARK = re.compile(r"\((?:i{1,3}|iv|v|vi{0,3}|ix|x|[a-n]|\d\d?)\)")
_OPEN_LIST = re.compile(r"/|…|\betc|e\.g|such as|including|for example|\d")


def _enumerations(sentence: Sentence) -> Iterator[Claim]:
    """`four checks: a, b, c and d`: a count against what is enumerated behind it."""
    for found in _COUNTED.finditer(sentence.text):
        told, noun, listed = count_in(found["count"]), found["noun"], (found["inside"] or found["behind"] or "").strip()
        # `five models across four scenarios: …` lists the scenarios.
        several = any(count_in(word) is not None or word in ("to", "or", "and", "of") for word in noun.split())
        if told is None or not 2 < told < 13 or several or _UNCOUNTED.search(sentence.text[: found.start()]):
            continue
        listed = re.sub(r",?\s+respectively$", "", listed.rstrip("."))
        *items, last = re.split(r",\s+(?:(?:and|or)\s+)?", listed)
        # With a comma before `and` the list ends there; without one `and` joins the last two.
        items += [last] if re.search(r",\s+(?:and|or)\s", listed) else re.split(r"\s+(?:and|or)\s+", last)
        if re.match(r"\((?:a|i|1)\)", listed) and found["behind"]:
            items = list(dict.fromkeys(_ITEM_MARK.findall(sentence.text[found.end("noun") :])))
        elif _OPEN_LIST.search(listed) or not all(_ITEM.fullmatch(item.strip()) for item in items):
            continue
        # Semicolons part what is counted; and a bracket before further ones is of the first item.
        own = found["inside"] and re.match(r",[^.()]*\(", sentence.text[found.end() :])
        if own or len(sentence.text[found.start() :].split(";")) == told:
            continue
        # One more or one fewer may be a matter of reading (“A and B” as one item): only the plainest lists count.
        joined = len(items) != told and any(re.search(r"\s(?:and|or)\s", item) for item in items)
        if len(items) > 2 and abs(len(items) - told) < 3 and not joined:
            counted = f"{found['count']} {noun}"
            yield _claim(
                sentence,
                equal(Given(sentence.fact(found.start(), counted, Fraction(told))), number(len(items))),
                f"{counted} are enumerated: {', '.join(items)[:120]}.",
                f"{len(items)} {noun.split()[-1]} stand behind the count",
                found.start(),
            )


# What is said twice


LEAST_DIGITS = 3
"""So many digits have to be the same in two lists that are taken for one."""


_LABEL = re.compile(r"([^.:;]+):\s*$")
"""What an item is called before its list."""


def _lists(sentences: tuple[Sentence, ...]) -> Iterator[Claim]:
    """Lists of three or more numbers of the same things that differ in one of them."""
    found = [(sentence, run, noun) for sentence in sentences for run, noun in _runs(sentence)]
    times = Counter(_values_of(run) for _sentence, run, _noun in found)
    for place, (sentence, run, noun) in enumerate(found):
        for earlier, other, other_noun in found[:place]:
            if len(run) != len(other) or not set(noun) & set(other_noun) or sentence is earlier:
                continue
            before = (sentence.text[: run[0].start], earlier.text[: other[0].start])
            if len({label[1].casefold() for text in before if (label := _LABEL.search(text))}) > 1:
                continue  # items that are called otherwise
            pairs = list(zip(run, other, strict=True))
            differ = [(a, b) for a, b in pairs if a.fact.value != b.fact.value]
            alike = sum(len(a.digits.strip("0")) for a, b in pairs if a.fact.value == b.fact.value)
            # Zero, a half and one stand in many lists; an order is another one; and what stands twice is no slip.
            if len(differ) > 1 or (
                differ
                and (
                    # What stands so in other places, too, is known by fewer digits.
                    alike < LEAST_DIGITS - (times[_values_of(other)] > 2)
                    or differ[0][0].fact.value in _values_of(other)
                    or min(times[_values_of(run)], times[_values_of(other)]) > 1
                )
            ):
                continue
            a, b = (differ or pairs)[0]
            texts = [", ".join(mention.fact.text for mention in listed) for listed in (run, other)]
            yield _claim(
                sentence,
                all_of(*(same(a.fact, b.fact) for a, b in pairs)),
                f"{' '.join(noun)}: {texts[0]} here and {texts[1]} at {earlier.place(b.start)} are one list.",
                f"{len(run) - len(differ)} of {len(run)} numbers of both lists are the same, and so is what is counted",
                a.start,
            )
            break


def _values_of(run: list[Mention]) -> tuple[Fraction, ...]:
    return tuple(mention.fact.value for mention in run)


def _runs(sentence: Sentence) -> Iterator[tuple[list[Mention], list[str]]]:
    """Whole lists with the nouns around them; numbers that follow one another only number things."""
    for run in (run for run in lists_in(sentence) if len(run) > 2):
        if re.search(r"(?:\b\w|\d),\s?$|\+$", sentence.text[: run[0].start]):
            continue
        values = sorted(_values_of(run))
        noun = telling(_ahead(sentence, run[0], 30))[-2:] + telling(_behind(sentence, run[-1], 30))[:3]
        if noun and values != [values[0] + step for step in range(len(values))]:
            yield run, noun


_Said = tuple[Sentence, Mention]
_NAMED = re.compile(r"\b[A-Z][A-Z\d]+[ -]$")
"""Before a number that is part of a name: `NGC 1277`."""
_FEWER = re.compile(
    r"\b(?:dropp?(?:ed|ing)?|exclud\w+|missing|lost|los(?:es?|ing)|without|remaining|remain|restrict\w*|subset|subsample|"
    r"after (?:removing|filtering|merging|cleaning)|of (?:which|these|whom)|minus|except)\b",
    re.I,
)
"""Words that say why a number is smaller here than elsewhere."""


def _phrases(sentences: tuple[Sentence, ...]) -> Iterator[Claim]:
    """The same words around another number: once said so, elsewhere otherwise."""
    said = Counter(mention.fact.text for sentence in sentences for mention in sentence.mentions)
    seen: set[frozenset[str]] = set()
    for key, members in _contexts(sentences).items():
        ((usual, times),) = Counter(mention.fact.value for _sentence, mention in members).most_common(1)
        model = next(member for member in members if member[1].fact.value == usual)
        others = [member for member in members if member[1].fact.value != usual]
        if not others:
            for member in members[1:]:
                evidence = f"the same words stand around it {times} times"
                yield _repeat(member, model, evidence, telling=_one_thing(key, times - 1, member, model))
            continue
        unit = model[1].fact.unit
        if key[0] == "one":
            # Many counts are of the same things: a few more or fewer are others, another digit within is a slip.
            others = [member for member in others if 10 * unit <= abs(member[1].fact.value - usual) < usual]
            others = [member for member in others if is_slip(member[1].fact.value, usual, unit)]
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
        for mention in sentence.mentions:
            # A round number is often a size that several things have, each its own.
            odd = mention.digits.rstrip("0")
            small = not mention.decimals and (odd == "1" or (len(odd) < 2 and not mention.unit))
            if len(mention.digits) < 2 or small or _NAMED.search(sentence.text[: mention.start]):
                continue
            after, before = _behind(sentence, mention, 40)[:3], _ahead(sentence, mention, 70)[-5:]
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
    mine, theirs = (Counter(beside.fact.value for beside in each.mentions) for each in (sentence, other))
    if (sentence.paragraph, sentence.source) == (other.paragraph, other.source):
        return False
    # A sentence that has both numbers tells them apart: `2,560 packages, 2,550 of them attacked`.
    if mention.fact.value != usual.fact.value and (mine[usual.fact.value] or theirs[mention.fact.value]):
        return False
    if mention.fact.unit != usual.fact.unit or _FEWER.search(sentence.text) or _FEWER.search(other.text):
        return False
    # Where both stand once, only sentences that are nearly the same, and all their other numbers, say the same thing.
    here, there = (set(telling(word for word, _start, _end in words(each.text))) for each in (sentence, other))
    nearly = len(here & there) * 2 >= len(here | there) and (mine - theirs).total() < 2 > (theirs - mine).total()
    if times < (2 if strong or not short else 3) and not (strong and times and nearly):
        return False
    # Names or years near the two numbers differ: then two things are meant.
    here, there = _names_near(sentence, mention), _names_near(other, usual)
    return not ((strong or short) and here - there and there - here)


def _names_near(sentence: Sentence, mention: Mention) -> set[str]:
    text = sentence.text
    near = f"{text[max(0, mention.start - 60) : mention.start]} {text[mention.end : mention.end + 60]}"
    return set(re.findall(r"\b(?:[A-Z][\w-]*[A-Z\d][\w-]*|(?:19|20)\d\d)\b", near))


def _repeat(said: _Said, model: _Said, evidence: str, *, telling: bool = True) -> Claim:
    (sentence, mention), (other, usual) = said, model
    says = f"{mention.fact.text} here is {usual.fact.text} at {other.place(usual.start)}."
    return _claim(sentence, same(mention.fact, usual.fact), says, evidence, mention.start, telling=telling)
