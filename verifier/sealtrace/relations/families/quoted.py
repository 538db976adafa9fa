"""Numbers of the running text that tables print too, and those that a named table does not print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from sealtrace.printed.extracted import ProseLine
from sealtrace.printed.numbers import read_printed
from sealtrace.relations.decision import Claim, Decision, Status
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper
from sealtrace.relations.families.wording import real
from sealtrace.relations.syntax import Cell, equal

FAMILY = "quoted"
_NUMBER = re.compile(r"(?<![\w.,@])[-+−]?\d[\d,]*\.\d+(?![\w.]*\d)")
_REFERENCE = re.compile(r"\\(?:auto|c|C)?ref\*?\{([^{}]*)\}")
_SENTENCE = re.compile(r"(?<=[.!?])[)}$\s~]*\s+(?=[A-Z\\])")
LEAST_DIGITS = 3


def find(paper: Paper) -> Iterator[Claim]:
    """Every number of the running text that equals a cell, as a claim that they are the same."""
    cells = _cells(paper)
    named = {id(line): tables for line, tables in _references(paper)}
    for line in paper.prose:
        if line.caption:
            continue
        for text in dict.fromkeys(_telling(line.text)):
            found = cells.get(_key(text), [])
            preferred = [fact for fact in found if fact.table in named.get(id(line), ())]
            if found:
                yield _match(line, text, (preferred or found)[0])


def hints(paper: Paper) -> list[Decision]:
    """Numbers of a sentence that names tables, none of which prints them: nothing follows, but a reader may look."""
    cells = _cells(paper)
    found = []
    for line, tables in _references(paper):
        there = [fact for facts in cells.values() for fact in facts if fact.table in tables]
        for text in dict.fromkeys(_telling(line.text)):
            if there and _key(text) not in cells:
                fact = _fact(line, text)
                nearest = min(there, key=lambda one: abs(one.value - fact.value))
                claim = replace(
                    _match(line, text, nearest),
                    sentence=f"{text} is quoted beside {', '.join(tables)}.",
                    question=f"Where does {text} on line {line.line} come from?",
                )
                reason = f"{', '.join(tables)} does not print {text}; the nearest is {nearest.text} ({nearest.address})"
                found.append(Decision(claim, Status.UNDECIDED, reason=reason))
    return found


def significant(text: str) -> int:
    """How many digits of a number tell something."""
    return len(re.sub(r"\D", "", text).lstrip("0"))


def _telling(text: str) -> list[str]:
    return [one for one in _NUMBER.findall(text) if significant(one) >= LEAST_DIGITS]


def _key(text: str) -> str:
    return text.replace("−", "-").replace(",", "").lstrip("+")


def _cells(paper: Paper) -> dict[str, list[Fact]]:
    cells: dict[str, list[Fact]] = {}
    for fact in paper.facts.every():
        if fact.table is not None and "." in fact.text:
            cells.setdefault(_key(fact.text), []).append(fact)
    return cells


def _references(paper: Paper) -> Iterator[tuple[ProseLine, tuple[str, ...]]]:
    """Lines of a sentence that names tables by \\ref, with the tables and their panels."""
    known = paper.facts.tables
    paragraphs: dict[tuple[str, int], list[ProseLine]] = {}
    for line in paper.prose:
        if not line.caption:
            paragraphs.setdefault((line.source, line.paragraph), []).append(line)
    for (source, _number), lines in paragraphs.items():
        written = paper.texts.get(source, "").split("\n")
        raw = {line.line: written[line.line - 1] if line.line <= len(written) else "" for line in lines}
        spans = _sentence_lines(list(raw), list(raw.values()))
        for line in lines:
            labels = [label for numbers, found in spans if line.line in numbers for label in found]
            tables = tuple(one for one in known if one.split("#")[0].rstrip("'") in labels)
            if tables:
                yield line, tables


def _sentence_lines(numbers: list[int], texts: list[str]) -> list[tuple[set[int], list[str]]]:
    """For each sentence the lines that it stands on alone, or mostly, and the labels that it refers to."""
    whole, owner = "", []
    for number, text in zip(numbers, texts, strict=True):
        whole += text + "\n"
        owner += [number] * (len(text) + 1)
    starts = [0] + [match.end() for match in _SENTENCE.finditer(whole)] + [len(whole)]
    spans = []
    for start, end in pairwise(starts):
        labels = [label.strip() for found in _REFERENCE.findall(whole[start:end]) for label in found.split(",")]
        # A line that two sentences share belongs to neither.
        shared = {owner[place] for place in (start - 1, end) if 0 <= place < len(owner)}
        spans.append((set(owner[start:end]) - shared, labels))
    return spans


def _fact(line: ProseLine, text: str) -> Fact:
    printed = read_printed(text)
    assert printed is not None
    part = printed.parts[0]
    address = f"{line.source}:{line.line} {text}"
    return Fact(address, text, part.value, part.low, part.high, part.unit, line.source, line.line)


def _match(line: ProseLine, text: str, fact: Fact) -> Claim:
    return Claim(
        f"{FAMILY} {line.source}:{line.line} {text}",
        equal(Cell(_fact(line, text)), real(fact)),
        f"{text} in the running text is {fact.address}.",
        f"{line.source}:{line.line}",
        ("The sentence speaks of that cell.",),
        family=FAMILY,
    )
