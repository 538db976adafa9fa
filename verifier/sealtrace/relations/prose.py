"""What sentences say with numbers: lists of them, counts out of others, and the shape of a sentence around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sealtrace.paper.numbers import plain_signs
from sealtrace.paper.sentences import NUMBER, Sentence, TextNumber, with_signs

_PIECE = re.compile(r"[\d.,]+|\S")


# Numbers that somebody points at


def stands_on_line(literal: str, line: str) -> bool:
    """Whether a number is printed on a line, whole: not as a piece of a longer one, nor without its sign."""
    # LaTeX sources wrap numbers in dollars and braces, and write \pm.
    plain, text = (plain_signs(one.replace(r"\pm", "±").replace("{,}", ",")) for one in (literal, line))
    pattern = re.compile(r"[\s${}\\,]*?".join(re.escape(piece) for piece in _PIECE.findall(plain)))
    return any(_whole(text, match.start(), match.end(), plain) for match in pattern.finditer(text))


def where_it_stands(literal: str, lines: list[tuple[int, str]], near: int) -> str:
    """A hint: the nearest line on which the number does stand."""
    found = sorted({line for line, text in lines if stands_on_line(literal, text)}, key=lambda line: abs(line - near))
    return f"; it stands on line {found[0]}" if found else "; it stands on no line of the running text"


def _whole(text: str, start: int, end: int, literal: str) -> bool:
    before, after = text[:start], text[end:]
    if re.search(r"[\d.]$", before) or re.match(r"\d|\.\d", after):
        return False
    if "." not in literal and (re.match(r",\d{3}(?!\d)", after) or (len(literal) == 3 and re.search(r"\d,$", before))):
        return False
    # A minus in front belongs to the number unless it joins it to what stands before.
    return literal[:1] in "+-" or not re.search(r"(?:^|[^\w)\]])-$", before)


# What is said with numbers


@dataclass(frozen=True)
class Ratio:
    """A count out of a number, as text writes it: `9/10`, `9 of 10`, `nine out of the 10`."""

    part: int
    whole: int
    start: int
    end: int
    text: str


_OUT_OF = re.compile(r"\s?/\s?|\s+(?:out )?of\s+(?:the |all |our |these )?")


@lru_cache(maxsize=4096)
def ratios_in(sentence: Sentence) -> tuple[Ratio, ...]:
    """Every count out of a number."""
    found = []
    for part, whole in pairwise(sentence.numbers):
        between = sentence.text[part.end : whole.start]
        if part.count is None or not whole.count or not _OUT_OF.fullmatch(between) or whole.kind == "word":
            continue
        if "/" not in between or (part.number.role, whole.number.role) == ("k", "n"):
            text = sentence.text[part.start : whole.end]
            found.append(Ratio(part.count, whole.count, part.start, whole.end, text))
    return tuple(found)


LOOSE_NUMBER, RATIO = "≋", "¤"
"""Further signs of a shape: a number that is not meant exactly, and a count out of a number."""


@dataclass(frozen=True)
class Shape:
    """A sentence in which every number is a sign, with its unit behind it: `from №% to №% (+№pp)`."""

    text: str
    pieces: dict[int, TextNumber | Ratio]
    """What stands at each sign."""

    def numbers(self, found: re.Match[str], group: str | int = 0) -> list[TextNumber]:
        """The numbers that a pattern, or a group of it, has found."""
        return [piece for piece in self._inside(found, group) if isinstance(piece, TextNumber)]

    def ratio(self, found: re.Match[str]) -> Ratio:
        """The first count out of a number that a pattern has found."""
        return next(piece for piece in self._inside(found, 0) if isinstance(piece, Ratio))

    def _inside(self, found: re.Match[str], group: str | int) -> list[TextNumber | Ratio]:
        start, end = found.span(group)
        return [piece for place, piece in self.pieces.items() if start <= place < end]


@lru_cache(maxsize=4096)
def shape_of(sentence: Sentence) -> Shape:
    """The sentence with a sign in the place of each number."""
    found: list[TextNumber | Ratio] = [*ratios_in(sentence)]
    spans = [(ratio.start, ratio.end) for ratio in found]
    found += (number for number in sentence.amounts if not any(a <= number.start < b for a, b in spans))
    return Shape(*with_signs(sentence.text, sorted(found, key=lambda piece: piece.start), _sign))


def _sign(piece: TextNumber | Ratio) -> str:
    if isinstance(piece, Ratio):
        return RATIO
    return (piece.text[:1] if piece.text[:1] in "+-−" else "") + (LOOSE_NUMBER if piece.loose else NUMBER) + piece.unit
