"""Running text as sentences, each with its id, its lines, the tables that it names, and its numbers.

A number of the text has one id, `s214.n3`: the third number of the 214th sentence, counted over all files in reading
order. Whether it is a quantity, or only numbers or names something, is decided here for everybody.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Literal, Protocol, TypeVar

from sealtrace.paper.extracted import REFERENCE, ProseLine
from sealtrace.paper.fact import fact_of
from sealtrace.paper.number_grammar import Relation, Rule
from sealtrace.paper.numbers import NUMBER_WORD, Printed, PrintedNumber, count_in, numbers_in, plain_signs

_END = re.compile(r"(?<![.!?])[.!?]++[)\]”’\"']*+\s++(?=[\"“‘(\[]*[A-Z0-9Α-Ω∆$~≈<>+\-])")
_ABBREVIATION = re.compile(
    r"(?:\b(?i:e\.g|i\.e|al|etc|cf|vs|resp|approx|ca|w\.r\.t|figs?|tabs?|eqs?|secs?|apps?|refs?|thm|def|prop|nos?|dr|"
    r"prof|mr|ms|mrs|st|inc|ltd|corp|vol|pp?|eds?|avg|std|dev|min|max|med|acc|viol|calib|sep|stab|pred|expl|opp)|"
    r"(?:^|[\s(])[A-Z])\.$"
)
_CONSONANTS = "[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz]"
_CURRENCY = re.compile(rf"(?<!\d )\b(?=[A-Za-z]*[a-z]){_CONSONANTS}{{2,4}}\.$")
"""No word has no vowel: such a one before a number is an abbreviation (Rs. 500, Fr. 20, Ksh. 300, Nr. 7), unless it is
the unit of a number before it."""

# What a number is

NumberUnit = Literal["", "%", "pp", "×"]
NumberKind = Literal["quantity", "name", "word"]
_UNIT = re.compile(
    r"\s?(?P<unit>%|pp\b|(?:percentage[ -])?points?\b|per ?cent\b|×|x\b(?!\s?\d)|-fold\b|[- ]?times\b|"
    r"(?:thousand|million|billion)\b)",
    re.IGNORECASE,
)
_UNITS: dict[str, NumberUnit] = {"%": "%", "percent": "%", "per cent": "%", "pp": "pp"}
_UNITS |= dict.fromkeys(("×", "x", "-fold", "times", "-times"), "×")
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
# 3.3-70B is a name.
_NAME = re.compile(r"[\d.]+-\d+[A-Za-z]+")
# What is numbered, not counted; what names a version, a year or a page.
_NUMBERED = re.compile(
    r"(?:\b(?:tables?|tab|sections?|sec|figures?|figs?|equations?|eqs?|eq|appendix|appendices|app|chapters?|"
    r"algorithms?|steps?|lines?|definitions?|theorems?|lemmas?|propositions?|rows?|columns?|panels?|phases?|stages?|"
    r"versions?|page|pages|§|category|categories|case|hypothesis|axis|rq|seeds?|refs?|no|python|cuda)\.?[\s~]*"
    r"(?:\d+[a-z]?(?:\s?(?:,|and|–|-|to)\s?))*|§|\bH)$",
    re.IGNORECASE,
)
_CITATION = re.compile(r"\[(?:\d+\s?[,–-]\s?)*$")
_YEAR = re.compile(r"19[5-9]\d|20[0-3]\d")
_LISTED = re.compile(r"(?<![\d.])(?!19|20)\d{2,4}(?:,|,? and|,? or)\s$")
"""A number that looks like a year is none in a list of others."""
_MEMBERS = re.compile(r"[^{},;]*[,;][^{}]*\}")
"""What goes on behind an opening brace where that begins a set."""
_HEADING = re.compile(r"\s*\d+\.\d[\d.]*\s[A-Z][^.]*")
_RELATIONS: dict[Relation, str] = {
    "<": "[<≲]|under|less than|fewer than|below",
    "≤": "≤|up to|at most|within",
    ">": "[>≳]|over|more than|exceeds?|above|beyond",
    "≥": "≥|at least",
    "≈": r"[≈~∼]|about|around|roughly|approximately|approx\.?|nearly|almost|close to|some|order of|"
    "as (?:low|high|many|few) as",
}
_LOOSE = re.compile(
    rf"(?<!\w)(?:{'|'.join(f'({words})' for words in _RELATIONS.values())})(?: (?:a|an|the))?\s*[-+−±]?$", re.IGNORECASE
)


def relation_before(text: str, place: int) -> Relation:
    """What the words before a number say of it: that it is a bound, or not meant exactly."""
    found = _LOOSE.search(_before(text, place))
    return list(_RELATIONS)[(found.lastindex or 0) - 1] if found else ""


TEXT_ID = re.compile(r"s\d{1,6}\.n\d{1,4}")
"""The id of a number of the text."""
GREATEST = 10**300
"""Nothing is looked for among numbers as large: doubles end there."""
_REFERENCES = re.compile(r"references|bibliography|(?:literature|works) cited", re.IGNORECASE)
_ENTRY = re.compile(r"\((?:(?:19|20)\d\d[a-z]?|n\.d\.)\)|\bdoi\b")


@dataclass(frozen=True, eq=False)
class TextNumber:
    """A number of the running text; of a compound such as 71.2 ± 0.3 or 9/10, one of its numbers."""

    id: str
    number: PrintedNumber
    """What it says: a word such as million is in its value, and words such as about or at least are its relation. Its
    role is its part in the compound."""
    text: str
    """As printed, with its unit."""
    start: int
    end: int
    """Where it stands in its sentence."""
    source: str
    line: int
    unit: NumberUnit = ""
    """Percent, percentage points or a multiple, as a sign or a word behind it says."""
    kind: NumberKind = "quantity"
    """A quantity in digits; the number or the name of something; or a number in words."""
    in_ratio: bool = False
    """One of two counts with a stroke between them, as in 9/10."""

    @cached_property
    def fact(self) -> PrintedNumber:
        """The number as relations take it."""
        given = replace(self.number, text=self.text, relation="")
        return fact_of(given, self.id, self.source, self.line, measured=bool(self.unit))

    @property
    def loose(self) -> bool:
        """Whether a sign or words before it say that it is not meant exactly, or is a bound."""
        return bool(self.number.relation)

    @property
    def count(self) -> int | None:
        """Its value, where it is a whole number without a unit."""
        return None if self.unit else count_in(self.text)

    @property
    def decimals(self) -> int:
        """Digits behind the point."""
        return self.number.decimals

    @property
    def digits(self) -> str:
        """Its digits, without leading zeros."""
        return re.sub(r"\D", "", self.text).lstrip("0")


@dataclass(frozen=True, eq=False)
class Sentence:
    """One sentence, or a heading or item without a full stop."""

    id: str
    """`s214`: numbered over the whole paper."""
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
    cited: bool = False
    """It is an entry of a list of references: its numbers are years, pages and volumes."""

    def line_at(self, offset: int) -> int:
        """The line of the source on which a place of the text stands."""
        place = bisect_right(self.starts, offset, key=lambda start: start[0])
        return self.starts[place - 1][1] if place else self.line

    def place(self, start: int = 0) -> str:
        """File and line of a passage."""
        return f"{self.source}:{self.line_at(start)}"

    @property
    def short(self) -> str:
        """The sentence, cut where it is long."""
        return self.text if len(self.text) < 300 else f"{self.text[:297]}…"

    @cached_property
    def numbers(self) -> tuple[TextNumber, ...]:
        """Every number, from left to right, those in words and those that name something included."""
        plain = plain_signs(self.text)
        found = [number for place in numbers_in(self.text) for number in self._parts(plain, *place)]
        taken = {place for number in found for place in range(number.start, number.end)}
        for word in NUMBER_WORD.finditer(self.text):
            if word.start() not in taken:
                said = PrintedNumber(word.group(), Fraction(count_in(word.group()) or 0), Fraction(0))
                found.append(self._number(plain, said, word.start(), "word"))
        found.sort(key=lambda number: number.start)
        return tuple(replace(number, id=f"{self.id}.n{place}") for place, number in enumerate(found, 1))

    @cached_property
    def quantities(self) -> tuple[TextNumber, ...]:
        return tuple(number for number in self.numbers if number.kind == "quantity")

    @cached_property
    def amounts(self) -> tuple[TextNumber, ...]:
        """The quantities but for counts out of others: 9/10 is one ratio, and no two amounts."""
        return tuple(number for number in self.quantities if not number.in_ratio)

    def fact(self, start: int, text: str, value: Fraction, unit: Fraction | None = None) -> PrintedNumber:
        """A number that the sentence states: rounded to a unit, or a count where none is given."""
        inside = (one for one in self.numbers if start <= one.start < start + len(text))
        own = next((one.id for one in inside if one.number.value == value), f"{self.id} {text} ({start})")
        address = own if unit is None else f"rounded({own})"
        fact = PrintedNumber(
            text, value, unit or Fraction(1), address=address, source=self.source, line=self.line_at(start)
        )
        return fact.read_as(Rule.EXACT if unit is None else Rule.ROUNDED)

    def _parts(self, plain: str, start: int, end: int, printed: Printed) -> Iterator[TextNumber]:
        """The numbers of a compound, or the one number that it is."""
        named = self.cited or _NAME.fullmatch(printed.text) or _NUMBERED.search(_before(plain, start))
        in_ratio = printed.form == "ratio" and "/" in printed.text
        for part in printed.parts:
            if (at := plain.find(part.text, start, end)) < 0:
                # A sign that stands apart joins two numbers: 71 + 10.
                part = replace(part, text=part.text.lstrip("+-"), value=abs(part.value))
                at = plain.find(part.text, start, end)
            if at >= 0:
                start = at + len(part.text)
                kind: NumberKind = "name" if named or _is_name(plain, at, part) else "quantity"
                yield self._number(plain, part, at, kind, in_ratio=in_ratio)

    def _number(
        self, plain: str, number: PrintedNumber, start: int, kind: NumberKind, *, in_ratio: bool = False
    ) -> TextNumber:
        """A number with what stands around it; its id is given once all of them are known."""
        end = start + len(number.text)
        found = _UNIT.match(plain, end)
        word = found["unit"].lower().strip() if found else ""
        end = found.end() if found else end
        unit: NumberUnit = "%" if number.percent else "pp" if "point" in word else _UNITS.get(word, "")
        relation = number.relation or relation_before(plain, start) or ("≥" if plain[end : end + 1] == "+" else "")
        said = replace(
            number,
            value=number.value * _SCALES.get(word, 1),
            unit=number.unit * _SCALES.get(word, 1),
            percent=unit == "%",
            relation=relation,
        )
        text = " ".join(self.text[start:end].split())
        return TextNumber("", said, text, start, end, self.source, self.line_at(start), unit, kind, in_ratio)


class _Stretch(Protocol):
    """Something that stands in a text."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


Stretch = TypeVar("Stretch", bound=_Stretch)
NUMBER = "№"
"""The sign of a number in a text whose words alone matter."""


def with_signs(text: str, pieces: Iterable[Stretch], sign: Callable[[Stretch], str]) -> tuple[str, dict[int, Stretch]]:
    """A text with a sign in the place of each piece, in order; and which piece each sign stands for, by its place."""
    masked, end, places = "", 0, dict[int, Stretch]()
    for piece in pieces:
        masked += text[end : piece.start]
        given = sign(piece)
        # A minus or plus before the sign is no part of it.
        places[len(masked) + len(given) - len(given.lstrip("+-−"))] = piece
        masked, end = masked + given, piece.end
    return masked + text[end:], places


def _before(text: str, place: int) -> str:
    """What stands before a place: as much as a list of numbered things may take."""
    return text[max(0, place - 150) : place]


def _is_name(text: str, start: int, part: PrintedNumber) -> bool:
    """Whether a number is of a heading, a citation, an address or a year, raised, lowered, or larger than anything."""
    before, end = _before(text, start), start + len(part.text)
    if not before.strip() and _HEADING.fullmatch(text):
        return True
    if part.text.isdecimal() and _CITATION.search(before):
        return True
    year = _YEAR.fullmatch(part.text) and not _UNIT.match(text, end) and not _LISTED.search(before)
    raised = before.endswith(("^", "_")) or (before.endswith("{") and not _MEMBERS.match(text, start))
    return bool(year) or raised or text[end : end + 1] == "@" or abs(part.value) >= GREATEST


def sentences(prose: Iterable[ProseLine]) -> list[Sentence]:
    """The sentences of running text. Several may stand on one line, and one may take several."""
    lines = list(prose)
    begin = next((place for place, line in enumerate(lines) if _REFERENCES.fullmatch(line.text.strip())), len(lines))
    cited = {(line.source, line.paragraph) for line in lines[begin:] if _ENTRY.search(line.text)}
    found: list[Sentence] = []
    for (number, source, _caption), paragraph in groupby(
        lines, key=lambda line: (line.paragraph, line.source, line.caption)
    ):
        found += _paragraph_sentences(list(paragraph), len(found) + 1, cited=(source, number) in cited)
    return found


def _paragraph_sentences(lines: list[ProseLine], number: int, *, cited: bool) -> Iterator[Sentence]:
    text = ""
    starts: list[tuple[int, int]] = []
    references: list[tuple[int, str]] = []
    for line in lines:
        starts.append((len(text), line.line))
        places = [len(text) + match.start() for match in re.finditer(re.escape(REFERENCE), line.text)]
        if len(places) == len(line.references):
            references += zip(places, line.references, strict=True)
        text += line.text + " "
    first = lines[0]
    for place, (begin, end) in enumerate(_cuts(text), number):
        # Of the lines that begin before the sentence, the last is the one on which it begins.
        own = starts[max(0, bisect_right(starts, begin, key=itemgetter(0)) - 1) : _first(starts, end)]
        labels = [label for _, named in references[_first(references, begin) : _first(references, end)]
                  for label in named.split(",")]  # fmt: skip
        yield Sentence(
            f"s{place}",
            text[begin:end],
            first.source,
            own[0][1],
            first.paragraph,
            first.caption,
            tuple((max(0, at - begin), line) for at, line in own),
            tuple(label.strip() for label in labels if label.strip()),
            cited,
        )


def _first(placed: Sequence[tuple[int, object]], place: int) -> int:
    """The first of what is placed that is there, or behind it."""
    return bisect_left(placed, place, key=itemgetter(0))


def clauses(text: str) -> list[str]:
    """The sentences of a caption, cut at semicolons as well."""
    whole = (text[begin:end] for begin, end in _cuts(text))
    return [clause for sentence in whole for part in re.split(r"(?<=;)\s", sentence) if (clause := part.strip())]


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """Beginning and end of each sentence."""
    begin = 0
    for match in _END.finditer(text):
        before = max(begin, match.start() - 12), match.start() + 1
        counted = text[match.end() : match.end() + 1].isdecimal() and _CURRENCY.search(text, *before)
        if counted or _ABBREVIATION.search(text, *before):
            continue
        if end := len(text[begin : match.end()].rstrip()):
            yield begin, begin + end
        begin = match.end()
    if rest := len(text[begin:].rstrip()):
        yield begin, begin + rest
