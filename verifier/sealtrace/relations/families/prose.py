"""The text against itself: what a sentence computes, enumerates or announces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby

from sealtrace.paper.numbers import COUNTS, count_in
from sealtrace.paper.sentences import Sentence
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.computed import claim_of, computed
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.syntax import Given, equal, number
from sealtrace.relations.work import time_is_up


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sentence in paper.sentences:
        if time_is_up():
            return
        yield from computed(sentence)
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
_NAMELY = re.compile(r"^(?:i\.?e\.?|namely|viz\.?|that is)(?:,\s*|:\s*|\s+)", re.I)


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
        listed = _NAMELY.sub("", re.sub(r",?\s+respectively$", "", listed.rstrip(".")))
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
                equal(Given(sentence.fact(found.start(), found["count"], Fraction(told))), number(len(items))),
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
            equal(Given(sentence.fact(told[-1].start(), told[-1]["count"], Fraction(count))), number(last)),
            f"{told[-1].group()} are announced, and {last} follow, from first to {_ORDINALS[last - 1]}.",
            "the sentences behind it are numbered",
            told[-1].start(),
        )
