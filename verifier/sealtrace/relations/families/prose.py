"""The text against itself: what a sentence computes or enumerates, and what is said twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby

from sealtrace.paper.names.words import telling, words
from sealtrace.paper.numbers import COUNTS, count_in
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.computed import ahead, behind, claim_of, computed
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.wording import is_slip, same
from sealtrace.relations.prose import lists_in
from sealtrace.relations.syntax import Given, all_of, equal, number
from sealtrace.relations.work import time_is_up


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every claim of this family."""
    yield from _lists(paper.sentences)
    yield from _phrases(paper.sentences)
    for place, sentence in enumerate(paper.sentences):
        if time_is_up():
            return
        earlier = paper.sentences[place - 1] if place else sentence
        yield from computed(sentence, earlier if earlier.paragraph == sentence.paragraph else sentence)
        yield from _enumerations(sentence)
    for _paragraph, members in groupby(paper.sentences, lambda sentence: (sentence.source, sentence.paragraph)):
        yield from _announcements(list(members))


# What a sentence enumerates


_COUNTED = re.compile(
    rf"(?<![\w.–—-])(?P<count>{'|'.join(COUNTS[2:])}|\d{{1,2}})\s+(?P<noun>(?:[\w-]+\s){{0,3}}?[a-z]+s)\s?"
    r"(?:\((?P<inside>[^()]*)\)|(?::\s|—\s?(?=.*—))(?P<behind>.*?)(?=[;.](?:\s|$)|—|$))",
    re.I,
)
_UNCOUNTED = re.compile(
    r"(?:×|\b(?:of|at least|over|than|about|roughly|nearly|first|top|other|to|or|per|group|class|type|level|step|stage|"
    r"phase|part)(?:\sthe|\sour|\sall)?)\s+$",
    re.I,
)
_ITEM = re.compile(r"(?:the |a |an )?[\w’'.%+@-]+(?: [\w’'.%+@-]+){0,3}(?: \([^()]*\))?")
_ITEM_MARK = re.compile(r"\((?:i{1,3}|iv|v|vi{0,3}|ix|x|[a-n]|\d\d?)\)")
_OPEN_LIST = re.compile(
    r"/|…|\betc|e\.g|such as|including|for example|\d|"
    r"\b(?:their|its|each|others?|corresponding|rest|same|more|both)\b"
)
"""In a list that goes on, or of which an item stands for several."""


def _enumerations(sentence: Sentence) -> Iterator[Claim]:
    """`four checks: a, b, c and d`: a count against what is enumerated behind it."""
    for found in _COUNTED.finditer(sentence.text):
        told, noun, listed = count_in(found["count"]), found["noun"], (found["inside"] or found["behind"] or "").strip()
        # `five models across four scenarios: …` lists the scenarios.
        several = any(
            count_in(word) is not None or word in ("to", "or", "and", "of", "such", "as") for word in noun.split()
        )
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
        # `three kinds that occur in five woods: …` lists the kinds.
        joined = joined or len(items) in map(count_in, re.findall(r"\w+", sentence.text[: found.start()]))
        if len(items) > 2 and abs(len(items) - told) < 3 and not joined:
            counted = f"{found['count']} {noun}"
            yield claim_of(
                sentence,
                equal(Given(sentence.fact(found.start(), counted, Fraction(told))), number(len(items))),
                f"{counted} are counted, and {len(items)} are listed: {', '.join(items)[:120]}.",
                f"{len(items)} {noun.split()[-1]} stand behind the count",
                found.start(),
            )


# What is announced


_ANNOUNCED = re.compile(
    rf"(?<!column )(?<!row )(?<!table )(?<!model )(?<!study )\b(?P<count>{'|'.join(COUNTS[2:8])}|[2-7])\s"
    r"(?P<noun>(?:[a-z-]+\s){0,3}?[a-z]+s)\b",
    re.I,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_OPENED = re.compile(rf"(?:^|[;:.—]\s)\(?({'|'.join(_ORDINALS)})(?:ly)?(?=,|\s\(|:)", re.I)


def _announcements(paragraph: list[Sentence]) -> Iterator[Claim]:
    """`in three ways. First, … Second, … Third, …`: no more follow than were announced."""
    opened = [(place, found) for place, sentence in enumerate(paragraph) for found in _OPENED.finditer(sentence.text)]
    numbers = [_ORDINALS.index(found[1].lower()) + 1 for _place, found in opened]
    if numbers[:1] != [1] or numbers.count(1) > 1:
        return
    place, first = opened[0]
    sentence, until = (paragraph[place], first.start()) if first.start() else (paragraph[place - 1], None)
    told = list(_ANNOUNCED.finditer(sentence.text[:until])) if place or until else []
    last = next(count for count in range(len(numbers) + 1) if count + 1 not in numbers)
    count = count_in(told[-1]["count"]) if told else None
    # The last ones may come without a number, or in the next paragraph.
    if count is not None and count <= last:
        yield claim_of(
            sentence,
            equal(Given(sentence.fact(told[-1].start(), told[-1].group(), Fraction(count))), number(last)),
            f"{told[-1].group()} are announced, and {last} follow, from first to {_ORDINALS[last - 1]}.",
            "the sentences behind it are numbered",
            told[-1].start(),
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
            texts = [", ".join(mention.text for mention in listed) for listed in (run, other)]
            yield claim_of(
                sentence,
                all_of(*(same(a.fact, b.fact) for a, b in pairs)),
                f"{' '.join(noun)}: {texts[0]} here and {texts[1]} at {earlier.place(b.start)} are one list.",
                f"{len(run) - len(differ)} of {len(run)} numbers of both lists are the same, and so is what is counted",
                a.start,
            )
            break


def _values_of(run: list[TextNumber]) -> tuple[Fraction, ...]:
    return tuple(mention.fact.value for mention in run)


def _runs(sentence: Sentence) -> Iterator[tuple[list[TextNumber], list[str]]]:
    """Whole lists with the nouns around them; numbers that follow one another only number things."""
    for run in (run for run in lists_in(sentence) if len(run) > 2):
        if re.search(r"(?:\b\w|\d),\s?$|\+$", sentence.text[: run[0].start]):
            continue
        values = sorted(_values_of(run))
        noun = telling(ahead(sentence, run[0], 30))[-2:] + telling(behind(sentence, run[-1], 30))[:3]
        if noun and values != [values[0] + step for step in range(len(values))]:
            yield run, noun


_Said = tuple[Sentence, TextNumber]
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
    said = Counter(mention.text for sentence in sentences for mention in sentence.amounts)
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
        if said[mention.text] > 1 or pair in seen or not _one_thing(key, times, others[0], model):
            continue
        if near or is_slip(mention.fact.value, usual, mention.fact.unit):
            seen.add(pair)
            evidence = f"the same words ({' '.join(key[2:])}) stand around {model[1].fact.text} {times} times and "
            yield _repeat(others[0], model, f"{evidence}around {mention.text} once")


def _contexts(sentences: tuple[Sentence, ...]) -> dict[tuple[str, ...], list[_Said]]:
    """Numbers by the words around them, by those behind them, and by one word behind them."""
    groups: dict[tuple[str, ...], list[_Said]] = {}
    for sentence in sentences:
        for mention in sentence.amounts:
            # A round number is often a size that several things have, each its own.
            odd = mention.digits.rstrip("0")
            small = not mention.decimals and (odd == "1" or (len(odd) < 2 and not mention.unit))
            if len(mention.digits) < 2 or small or _NAMED.search(sentence.text[: mention.start]):
                continue
            after, before = behind(sentence, mention, 40)[:3], ahead(sentence, mention, 70)[-5:]
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
    mine, theirs = (Counter(beside.fact.value for beside in each.amounts) for each in (sentence, other))
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


def _names_near(sentence: Sentence, mention: TextNumber) -> set[str]:
    text = sentence.text
    near = f"{text[max(0, mention.start - 60) : mention.start]} {text[mention.end : mention.end + 60]}"
    return set(re.findall(r"\b(?:[A-Z][\w-]*[A-Z\d][\w-]*|(?:19|20)\d\d)\b", near))


def _repeat(said: _Said, model: _Said, evidence: str, *, telling: bool = True) -> Claim:
    (sentence, mention), (other, usual) = said, model
    says = f"{mention.text} here is {usual.fact.text} at {other.place(usual.start)}."
    return claim_of(sentence, same(mention.fact, usual.fact), says, evidence, mention.start, telling=telling)
