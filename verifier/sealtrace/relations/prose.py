"""Numbers of the running text: where they stand, in which unit, on which line, and how exactly they are meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from sealtrace.paper import sentences as printed
from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.numbers import PrintedNumber
from sealtrace.relations.fact import Fact, Rule, fact_of

_UNIT = re.compile(
    r"\s?(?P<unit>%|pp\b|(?:percentage[ -])?points?\b|per ?cent\b|×|x\b(?!\s?\d)|-fold\b|[- ]?times\b|"
    r"(?:thousand|million|billion)\b)",
    re.IGNORECASE,
)
_KINDS = {"x": "×", "-fold": "×", "times": "×", "-times": "×", "percent": "%", "per cent": "%"}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
# 3.3-70B is a name.
_NAME = re.compile(r"[\d.]+-\d+[A-Za-z]+")
_ONE_LENGTH = str.maketrans("−‐‑‒\u00a0\u202f", "----  ")
_RATIO = re.compile(r"(?<![\w./])(\d{1,7}(?:,\d{3})*)\s?/\s?(\d{1,7}(?:,\d{3})*)(?![\w/]|\.\d)")
# What is numbered, not counted; what names a version, a year or a page.
_NUMBERED = re.compile(
    r"(?:\b(?:tables?|tab|sections?|sec|figures?|figs?|equations?|eqs?|eq|appendix|appendices|app|chapters?|"
    r"algorithms?|steps?|lines?|definitions?|theorems?|lemmas?|propositions?|rows?|columns?|panels?|phases?|stages?|"
    r"versions?|page|pages|§|category|categories|case|hypothesis|axis|rq|seeds?|refs?|no|python|cuda)\.?[\s~]*"
    r"(?:\d+[a-z]?(?:\s?(?:,|and|–|-|to)\s?))*|§|\[|\bH)$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"19[5-9]\d|20[0-3]\d")
_LISTED = re.compile(r"(?<![\d.])(?!19|20)\d{2,4}(?:,|,? and|,? or)\s$")
"""A number that looks like a year is none in a list of others."""
LOOSE = re.compile(
    r"(?:[≈~∼<>≤≥≲≳]|\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|under|up to|more than|"
    r"less than|fewer than|at least|at most|close to|some|as (?:low|high|many|few) as|order of|within|exceeds?|"
    r"above|below|beyond)(?: (?:a|an|the))?)\s*[-+−±]?$",
    re.IGNORECASE,
)
"""Words before a number that is not meant exactly, or is a bound."""
GREATEST = 10**300
"""Nothing is looked for among numbers as large: doubles end there."""
MOST_LETTERS = 400_000
"""Of the running text: a book is read from its beginning."""
_REFERENCES = re.compile(r"references|bibliography|(?:literature|works) cited", re.IGNORECASE)
_ENTRY = re.compile(r"\((?:(?:19|20)\d\d[a-z]?|n\.d\.)\)|\bdoi\b")
_PIECE = re.compile(r"[\d.,]+|\S")


# Numbers that somebody points at


def stands_on_line(literal: str, line: str) -> bool:
    """Whether a number is printed on a line, whole: not as a piece of a longer one, nor without its sign."""
    plain, text = _plain(literal), _plain(line)
    # LaTeX sources wrap numbers in dollars and braces, and write \pm.
    text = text.replace(r"\pm", "±").replace("{,}", ",")
    pattern = re.compile(r"[\s${}\\,]*?".join(re.escape(piece) for piece in _PIECE.findall(plain)))
    return any(_whole(text, match.start(), match.end(), plain) for match in pattern.finditer(text))


def where_it_stands(literal: str, lines: list[tuple[int, str]], near: int) -> str:
    """A hint: the nearest line on which the number does stand."""
    found = sorted({line for line, text in lines if stands_on_line(literal, text)}, key=lambda line: abs(line - near))
    return f"; it stands on line {found[0]}" if found else "; it stands on no line of the running text"


def _plain(text: str) -> str:
    return text.replace("−", "-").replace("\u2009", " ").replace("\u00a0", " ")


def _whole(text: str, start: int, end: int, literal: str) -> bool:
    before, after = text[:start], text[end:]
    if re.search(r"[\d.]$", before) or re.match(r"\d|\.\d", after):
        return False
    if "." not in literal and (re.match(r",\d{3}(?!\d)", after) or (len(literal) == 3 and re.search(r"\d,$", before))):
        return False
    # A minus in front belongs to the number unless it joins it to what stands before.
    return literal[:1] in "+-" or not re.search(r"(?:^|[^\w)\]])-$", before)


# Numbers as they are read


@dataclass(frozen=True)
class Mention:
    """A number of the running text."""

    fact: Fact
    start: int
    end: int
    """Where it stands in its sentence."""
    unit: str = ""
    """`%`, `pp` for points, `×`, or nothing."""
    loose: bool = False
    """Whether words before it say that it is not meant exactly, or is a bound."""

    @property
    def decimals(self) -> int:
        """Digits behind the point."""
        return len(self.fact.text.partition(".")[2].rstrip("%×xKMBk "))

    @property
    def digits(self) -> str:
        """Its digits, without leading zeros."""
        return re.sub(r"\D", "", self.fact.text).lstrip("0")


NUMBER, LOOSE_NUMBER, RATIO = "№", "≋", "¤"
"""Signs of a shape: a number, one that is not meant exactly, and a count out of a number."""


@dataclass(frozen=True)
class Shape:
    """A sentence in which every number is a sign, with its unit behind it: `from №% to №% (+№pp)`."""

    text: str
    pieces: dict[int, Mention | Ratio]
    """What stands at each sign."""

    def numbers(self, found: re.Match[str], group: str | int = 0) -> list[Mention]:
        """The numbers that a pattern, or a group of it, has found."""
        return [piece for piece in self._inside(found, group) if isinstance(piece, Mention)]

    def ratio(self, found: re.Match[str]) -> Ratio:
        """The first count out of a number that a pattern has found."""
        return next(piece for piece in self._inside(found, 0) if isinstance(piece, Ratio))

    def _inside(self, found: re.Match[str], group: str | int) -> list[Mention | Ratio]:
        start, end = found.span(group)
        return [piece for place, piece in self.pieces.items() if start <= place < end]


@dataclass(frozen=True)
class Sentence(printed.Sentence):
    """A sentence, with the numbers that it mentions."""

    mentions: tuple[Mention, ...] = field(default=(), compare=False)

    @property
    def short(self) -> str:
        """The sentence, cut where it is long."""
        return self.text if len(self.text) < 300 else f"{self.text[:297]}…"

    def place(self, start: int = 0) -> str:
        """File and line of a passage."""
        return f"{self.source}:{self.line_at(start)}"

    @cached_property
    def shape(self) -> Shape:
        """The sentence with a sign in the place of each number."""
        found: list[Mention | Ratio] = [*ratios_in(self.text)]
        spans = [(ratio.start, ratio.end) for ratio in found]
        found += (mention for mention in self.mentions if not any(a <= mention.start < b for a, b in spans))
        text, end, pieces = "", 0, {}
        for piece in sorted(found, key=lambda piece: piece.start):
            text += self.text[end : piece.start]
            end = piece.end
            if isinstance(piece, Mention):
                text += piece.fact.text[:1] if piece.fact.text[:1] in "+-−" else ""
            pieces[len(text)] = piece
            text += RATIO if isinstance(piece, Ratio) else (LOOSE_NUMBER if piece.loose else NUMBER) + piece.unit
        return Shape(text + self.text[end:], pieces)

    def fact(self, start: int, text: str, value: Fraction, unit: Fraction | None = None) -> Fact:
        """A number that the sentence states: rounded to a unit, or a count where none is given."""
        address = f"{self.place(start)} {text} ({start})"
        fact = Fact(address, text, value, value, value, unit or Fraction(1), self.source, self.line_at(start))
        return fact if unit is None else fact.read_as(Rule.ROUNDED)


def sentences_of(prose: Iterable[ProseLine]) -> list[Sentence]:
    """Every sentence, from the first line to the last, with the numbers in it."""
    found: list[Sentence] = []
    names: Counter[str] = Counter()
    letters = 0
    for read in printed.sentences(_uncited(prose)):
        letters += len(read.text)
        if letters > MOST_LETTERS:
            break
        sentence = Sentence(**{name: getattr(read, name) for name in read.__dataclass_fields__})
        found.append(replace(sentence, mentions=tuple(_mentions(sentence, names))))
    return found


def _uncited(prose: Iterable[ProseLine]) -> list[ProseLine]:
    """The running text without a list of references that is written out: its numbers are pages and volumes."""
    lines = list(prose)
    begin = next((place for place, line in enumerate(lines) if _REFERENCES.fullmatch(line.text.strip())), len(lines))
    cited = {(line.source, line.paragraph) for line in lines[begin:] if _ENTRY.search(line.text)}
    return [line for line in lines if (line.source, line.paragraph) not in cited]


def _mentions(sentence: Sentence, names: Counter[str]) -> Iterator[Mention]:
    plain = sentence.text.translate(_ONE_LENGTH)
    for number in sentence.numbers:
        # A count out of a number is a ratio, and no two numbers.
        slashed = number.printed.form == "ratio" and "/" in number.printed.text
        if slashed or _NAME.fullmatch(number.printed.text) or _NUMBERED.search(plain[: number.start]):
            continue
        at = number.start
        for part in number.printed.parts:
            if (start := plain.find(part.text, at, number.end)) < 0:
                # A sign that stands apart joins two numbers: 71 + 10.
                part = replace(part, text=part.text.lstrip("+-"), value=abs(part.value))
                start = plain.find(part.text, at, number.end)
            if start >= 0:
                at = start + len(part.text)
                yield from _mention(sentence, plain, start, part, names)


def _mention(
    sentence: Sentence, plain: str, start: int, number: PrintedNumber, names: Counter[str]
) -> Iterator[Mention]:
    before, end = plain[:start], start + len(number.text)
    found = _UNIT.match(plain, end)
    word = found["unit"].lower() if found else ""
    if not before.strip() and re.match(r"\d+\.\d", number.text) and re.match(r"\s[A-Z][^.]*$", plain[end:]):
        return  # a heading's number
    if (_YEAR.fullmatch(number.text) and not word and not _LISTED.search(before)) or before.endswith(("^", "_", "{")):
        return
    end = found.end() if found else end
    points = "pp" if "point" in word or word == "pp" else _KINDS.get(word, word.replace(" ", ""))
    kind = "%" if number.percent else points
    text = " ".join(sentence.text[start:end].split())
    name = f"{sentence.place(start)} {text}"
    names[name] += 1
    fact = fact_of(
        replace(number, text=text, relation=""),
        name if names[name] == 1 else f"{name} ({names[name]})",
        measured=bool(found) or number.percent,
        scale=_SCALES.get(word, 1),
        source=sentence.source,
        line=sentence.line_at(start),
    )
    loose = bool(number.relation) or LOOSE.search(before) is not None or plain[end : end + 1] == "+"
    if abs(fact.value) < GREATEST:
        yield Mention(fact, start, end, kind if kind in ("%", "pp", "×") else "", loose)


@dataclass(frozen=True)
class Ratio:
    """A count out of a number, as text writes it: `9/10`, `9 of 10`, `9 out of the 10`."""

    part: int
    whole: int
    start: int
    end: int
    text: str


_OF = re.compile(
    r"(?<![\w.,/])(\d[\d,]*|[a-z]+)\s+(?:out )?of\s+(?:the |all |our |these )?(\d[\d,]*)(?![\w]*\d|\.\d|%| ?×)"
)
SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""Counts in words."""


def count_in(word: str) -> int | None:
    """A count in words or digits."""
    word = word.lower().replace(",", "")
    if word in SMALL:
        return SMALL.index(word)
    return int(word) if word.isdecimal() and len(word) < 10 else None


def ratios_in(text: str) -> list[Ratio]:
    """Every count out of a number."""
    found = []
    for match in [*_OF.finditer(text), *_RATIO.finditer(text)]:
        part, whole = count_in(match.group(1)), count_in(match.group(2))
        if part is not None and whole:
            found.append(Ratio(part, whole, match.start(), match.end(), match.group()))
    return found


_LISTED_WITH = re.compile(r"^\s?(?:±\s?[\d.]+%?\s?)?(?:,|,? and|,? or|/)\s?$")


def lists_in(sentence: Sentence) -> list[list[Mention]]:
    """Every list of numbers: `250, 500 and 1000`."""
    runs: list[list[Mention]] = []
    for mention in (
        mention for mention in sentence.mentions if not sentence.text[: mention.start].rstrip().endswith("±")
    ):
        if runs and _LISTED_WITH.match(sentence.text[runs[-1][-1].end : mention.start]):
            runs[-1].append(mention)
        else:
            runs.append([mention])
    return runs
