"""The running text as sentences, each with its numbers: what stands there, in which unit, and on which line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from sealtrace.printed.extracted import ProseLine
from sealtrace.printed.sentences import sentences
from sealtrace.relations.fact import Fact

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+"
_NUMBER = re.compile(
    rf"(?<![\w.,@#^_\\])(?<!(?<![%×])/)(?<![A-Za-z\d][-–])(?P<sign>[-+−])?(?P<digits>{_DIGITS})"
    r"(?P<power>\s?×\s?10\^?\{?[-−+]?\d+\}?)?"
    r"(?P<unit>\s?(?:%|pp\b|(?:percentage[ -])?points?\b|percent\b|per cent\b|×|x\b(?!\s?\d)|-fold\b|[- ]?times\b|"
    r"(?:[KMBkT]|million|billion|thousand)\b(?![-.]?\d)))?"
    r"(?![\w]*\d)(?!\.\d)(?!-\d+[A-Za-z])(?:(?<=[%×])|(?!/\d))"
)
_SECOND = re.compile(
    rf"(?<=[\d%×])\s?[–—]\s?(?P<digits>{_DIGITS})(?P<unit>\s?(?:%|pp\b|×|[KMBk]\b))?(?![\w]*\d)(?!\.\d)"
)
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
_SCALES = {"k": 3, "thousand": 3, "m": 6, "million": 6, "b": 9, "billion": 9, "t": 12}
MOST_LETTERS = 400_000
"""Of the running text: a book is read from its beginning."""


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


@dataclass(frozen=True)
class Sentence:
    """One sentence."""

    text: str
    source: str
    paragraph: int
    starts: tuple[tuple[int, int], ...]
    """Offset and line of each piece."""
    caption: bool = False
    mentions: tuple[Mention, ...] = field(default=(), compare=False)

    def line(self, offset: int = 0) -> int:
        """The line on which a character stands."""
        return self.starts[max(0, bisect_right([start for start, _line in self.starts], offset) - 1)][1]

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.source}:{self.line()}"

    @cached_property
    def short(self) -> str:
        """The sentence, cut where it is long."""
        return self.text if len(self.text) < 300 else f"{self.text[:297]}…"


def sentences_of(prose: Iterable[ProseLine]) -> list[Sentence]:
    """Every sentence that has a number, and the others, from the first line to the last."""
    found: list[Sentence] = []
    names: Counter[str] = Counter()
    letters = 0
    for one in sentences(prose):
        letters += len(one.text)
        if letters > MOST_LETTERS:
            break
        sentence = Sentence(one.text, one.source, one.paragraph, one.starts, one.caption)
        found.append(replace(sentence, mentions=tuple(_mentions(sentence, names))))
    return found


def _mentions(sentence: Sentence, names: Counter[str]) -> Iterator[Mention]:
    text = sentence.text
    found = [(match.start(), match.end(), match) for match in _NUMBER.finditer(text)]
    found += [(match.start("digits"), match.end(), match) for match in _SECOND.finditer(text)]
    taken = 0
    for start, end, match in sorted(found, key=lambda one: one[:2]):
        if start < taken:
            continue
        mention = _mention(sentence, start, end, match, names)
        if mention is not None:
            taken = end
            yield mention


def _mention(sentence: Sentence, start: int, end: int, match: re.Match[str], names: Counter[str]) -> Mention | None:
    text, groups = sentence.text, match.groupdict()
    digits, unit = groups["digits"].replace(",", ""), (groups["unit"] or "").strip().lower()
    before = text[:start]
    if _NUMBERED.search(before) or (_YEAR.fullmatch(groups["digits"]) and not unit and not _LISTED.search(before)):
        return None
    if before.endswith(("^", "_", "{")) or (groups.get("power") and len(groups["power"]) > 12):
        return None
    after = text[end : end + 1]
    exponent = 0
    if groups.get("power"):
        exponent = int(re.sub(r".*10\^?\{?|\}", "", groups["power"]).replace("−", "-"))
    exponent += _SCALES.get(unit, 0)
    decimals = len(digits.partition(".")[2])
    step = Fraction(10) ** (exponent - decimals)
    value = Fraction(digits if not digits.startswith(".") else f"0{digits}") * Fraction(10) ** exponent
    sign = groups.get("sign") or ""
    # A dash between words, or after a closed bracket, is no minus.
    if sign == "-" and re.search(r"[\w)\]]\s?$", before) and not re.search(r"\s$", before):
        sign = ""
    value = -value if sign in ("-", "−") else value
    kind = {"percent": "%", "per cent": "%", "x": "×", "-fold": "×", "times": "×", "-times": "×"}.get(unit, unit)
    kind = "pp" if "point" in kind or kind == "pp" else kind if kind in ("%", "×") else ""
    printed = " ".join(text[start:end].split())
    name = f"{sentence.source}:{sentence.line(start)} {printed}"
    names[name] += 1
    address = name if names[name] == 1 else f"{name} ({names[name]})"
    rounded = bool(decimals or exponent or kind)
    low, high = (value - step / 2, value + step / 2) if rounded else (value, value)
    fact = Fact(address, printed, value, low, high, step, sentence.source, sentence.line(start))
    return Mention(fact, start, end, kind, bool(LOOSE.search(before)) or after == "+")


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
