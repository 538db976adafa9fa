"""Running text as sentences, each with its lines, the tables that it names, and the numbers in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from sealtrace.paper.extracted import REFERENCE, ProseLine
from sealtrace.paper.numbers import Printed, numbers_in

_END = re.compile(r"[.!?]+[)\]”’\"']*\s+(?=[\"“‘(\[]*[A-Z0-9Α-Ω∆$~≈<>+\-])")
_ABBREVIATION = re.compile(
    r"(?:\b(?i:e\.g|i\.e|al|etc|cf|vs|resp|approx|ca|w\.r\.t|figs?|tabs?|eqs?|secs?|apps?|refs?|thm|def|prop|nos?|dr|"
    r"prof|mr|ms|mrs|st|inc|ltd|corp|vol|pp?|eds?|avg|std|dev|min|max|med|acc|viol|calib|sep|stab|pred|expl|opp)|"
    r"(?:^|[\s(])[A-Z])\.$"
)


@dataclass(frozen=True)
class Quoted:
    """A number in a sentence."""

    start: int
    end: int
    """Where it stands in the sentence's text, its unit or the word behind it included."""
    printed: Printed
    line: int


@dataclass(frozen=True)
class Sentence:
    """One sentence, or a heading or item without a full stop."""

    text: str
    source: str
    line: int
    """Where it begins."""
    paragraph: int
    caption: bool = False
    starts: tuple[tuple[int, int], ...] = ()
    """Offsets in the text at which a new line of the source begins, with the number of that line."""
    references: tuple[str, ...] = ()
    """Labels that it refers to, in order; citations are none."""

    def line_at(self, offset: int) -> int:
        """The line of the source on which a place of the text stands."""
        place = bisect_right(self.starts, offset, key=lambda start: start[0])
        return self.starts[place - 1][1] if place else self.line

    @cached_property
    def numbers(self) -> tuple[Quoted, ...]:
        """Every number, from left to right."""
        found = numbers_in(self.text)
        return tuple(Quoted(start, end, printed, self.line_at(start)) for start, end, printed in found)


def sentences(prose: Iterable[ProseLine]) -> list[Sentence]:
    """The sentences of running text. Several may stand on one line, and one may take several."""
    found: list[Sentence] = []
    for _paragraph, lines in groupby(prose, key=lambda line: (line.paragraph, line.source, line.caption)):
        found += _paragraph_sentences(list(lines))
    return found


def _paragraph_sentences(lines: list[ProseLine]) -> Iterator[Sentence]:
    text, starts = "", []
    references: list[tuple[int, str]] = []
    for line in lines:
        starts.append((len(text), line.line))
        places = [len(text) + match.start() for match in re.finditer(re.escape(REFERENCE), line.text)]
        if len(places) == len(line.references):
            references += zip(places, line.references, strict=True)
        text += line.text + " "
    first = lines[0]
    for begin, end in _cuts(text):
        own = [(max(0, at - begin), number) for at, number in starts if at < end]
        # Of the lines that begin before the sentence, the last is the one on which it begins.
        own = [pair for place, pair in enumerate(own) if pair[0] > 0 or place + 1 == len(own) or own[place + 1][0] > 0]
        labels = [label for at, named in references if begin <= at < end for label in named.split(",")]
        yield Sentence(
            text[begin:end],
            first.source,
            own[0][1],
            first.paragraph,
            first.caption,
            tuple(own),
            tuple(label.strip() for label in labels if label.strip()),
        )


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """Beginning and end of each sentence."""
    begin = 0
    for match in _END.finditer(text):
        if _ABBREVIATION.search(text, max(begin, match.start() - 12), match.start() + 1):
            continue
        if end := len(text[begin : match.end()].rstrip()):
            yield begin, begin + end
        begin = match.end()
    if rest := len(text[begin:].rstrip()):
        yield begin, begin + rest
