"""Printed numbers: what a cell says, and which numbers stand in running text.

The language is in `number_grammar`. What does not fit it as a whole is no number: dates, versions and names with digits
stay text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from sealtrace.paper.number_grammar import MARK, NumberText, Printed, PrintedNumber, is_unit
from sealtrace.process import keep_reading

__all__ = ["Printed", "PrintedNumber", "count_in", "looks_numeric", "numbers_in", "numbers_of", "read_printed"]

_LONGEST = 200
_DATE = re.compile(
    r"(?:19|20)\d\d[-/](?:0[1-9]|1[0-2])(?:[-/]\d\d?)?|\d\d?[-/.]\d\d?[-/.](?:19|20)\d\d|\d+\.\d+\.[\d.]*\d"
)
_MAP = re.compile(r"[A-Za-z][A-Za-z\-]*(?:\.|@)[0-9.]+(?:\s*[/,]\s*[A-Za-z][A-Za-z\-]*(?:(?:\.|@)[0-9.]+)?)*")
_NOT_AVAILABLE = frozenset({"n/a", "na", "n.a.", "-", "--", "–", "—", "---", "·", "…", "...", "n.d.", "n/r"})
_REMARK = re.compile(r"(.*\S)\s*[(\[]([^()\[\]\d]{1,24})[)\]]")
"""A number, and brackets without a digit behind it: stars, `n.s.`, a note's letter, a word."""
_EMPTY_POWER = re.compile(r"(?<![\d.])[+\-]?(?:0+\.?0*|\.0+)(?:[eE]|\s*×\s*10\s*\^)\s*\{?\+?[1-9]")
_RAISED = re.compile("[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


@lru_cache(maxsize=65536)
def read_printed(text: str) -> Printed | None:
    """What a string stands for, or None where it is no number."""
    plain = _plain(text)
    marks = "".join(match.group().strip("^{}") for match in MARK.finditer(plain) if "…" not in match.group())
    bare = plain.strip("†‡*§¶⋆∗ ")
    if bare.lower() in _NOT_AVAILABLE:
        return Printed(text, "not-available", (), marks)
    if not bare or len(bare) > _LONGEST or _EMPTY_POWER.search(bare) or _DATE.fullmatch(bare):
        # A zero with a power of ten would stand for any number at all.
        return None
    found = NumberText(plain).read()
    if found is not None:
        form, parts = found
        return Printed(text, form, tuple(parts), marks, all(part.percent for part in parts))
    # A unit in brackets is no remark: it says what the number means.
    if (remark := _REMARK.fullmatch(plain)) and not is_unit(remark[2]) and "%" not in remark[2]:
        before = read_printed(remark[1])
        return replace(before, text=text, marks=before.marks + remark[2]) if before and before.parts else None
    return Printed(text, "map", (), marks) if _MAP.fullmatch(bare) else None


def _plain(text: str) -> str:
    """One sign for each minus and space; thin spaces between digits part thousands."""
    plain = re.sub(r"(?<=\d)[\u2009\u202f\u200a](?=\d)", "", text[: _LONGEST + 50])
    plain = re.sub(r"[−‐‑‒﹣]", "-", " ".join(plain.split())).replace("{,}", ",")
    plain = _RAISED.sub(lambda match: "^" + match.group().translate(_LOWERED), plain)
    # Between braces a comma parts two numbers, never thousands.
    plain = re.sub(r"\{[^{} ]*\}", lambda match: match.group().replace(",", ", "), plain)
    # --0.3 is set as a dash, and is a minus where no number stands before it.
    return re.sub(r"(?:^|(?<=[(\[,/→] )|(?<=[(\[,/→]))(?:–|—|--)(?=[\d.])", "-", plain)


_NO_SPACES = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters of languages that write no spaces: they join nothing to a number."""
_OPENING = r"(?:[<>≤≥≈~∼]\s?)?(?:[+\-]\s?(?=[$€£¥.\d]))?[$€£¥]?(?=\d|\.\d)"
_START = re.compile(rf"(?<![^\W{_NO_SPACES}])(?<![.,@#^_\\]){_OPENING}")
_NEXT = re.compile(rf",{_OPENING}")
_LISTED = re.compile(r",[+\-]?(?:\d*\.\d|\d+(?:\.\d+)?%)")
"""Behind a comma, a number that cannot go on the one before it: `[0.12,0.45]`, `[-43%,-37%]`."""
# The 4 of B-4, and what stands in an address.
_OF_A_NAME = re.compile(r"[^\W\d_][-/]$|[\w:]//?\S*/$")
_GOES_ON = re.compile(rf"[^\W{_NO_SPACES}]|[.,]\d")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
COUNTS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
"""Counts in words, each in its place."""
NUMBER_WORD = re.compile(
    rf"(?<![\w-])(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(COUNTS[1:10])}))?|{'|'.join(COUNTS)})(?!\w)", re.IGNORECASE
)
_SAME_LENGTH = str.maketrans("−‐‑‒\u00a0\u202f", "----  ")
_THIN_THOUSANDS = re.compile(r"(?<=\d)[\u2009\u202f\u200a](?=\d{3}(?!\d))")


_SET = re.compile(r"(?<![\w^@\\-])\{[^{}\s\"'=:;()\[\]]*\}")
_PARTED = re.compile(r",(?!0\d\d(?!\d))")
"""A comma between members of a set: no number but a group of thousands has `000` or `024` behind its comma."""


def plain_signs(text: str) -> str:
    """A text of the same length with one kind of minus, of space, of sign between thousands, and between members."""
    plain = _SET.sub(lambda found: _PARTED.sub(";", found.group()), text)
    return _THIN_THOUSANDS.sub(",", plain).translate(_SAME_LENGTH)


def numbers_in(text: str) -> list[tuple[int, int, Printed]]:
    """The numbers of running text with their places: each with its unit, deviation, total or other end of its range."""
    plain = plain_signs(text)
    found: list[tuple[int, int, Printed]] = []
    at, listed = 0, False
    while (start := (_NEXT if listed else _START).search(plain, at)) is not None:
        keep_reading()
        begin = start.start() + listed
        at, listed = max(start.end(), begin + 1), False
        if _OF_A_NAME.search(plain, max(0, begin - _LONGEST), begin) is not None:
            continue
        if (date := _DATE.match(plain, begin)) is not None:
            at = date.end()
            continue
        cell = NumberText(plain)
        cell.at = begin
        read = cell.span()
        if read is None or not read[1]:
            continue
        listed = _LISTED.match(plain, cell.at) is not None and not plain[begin : cell.at].strip("+-").isdecimal()
        if not listed and _GOES_ON.match(plain, cell.at):
            continue
        form, parts = read
        at = cell.at
        whole = text[begin:at].strip()
        percent = all(part.percent for part in parts)
        found.append((begin, begin + len(whole), Printed(whole, form, tuple(parts), "", percent)))
    return found


def numbers_of(text: str) -> tuple[PrintedNumber, ...]:
    """The numbers of a cell: those that it consists of, or those that stand between its words."""
    printed = read_printed(text)
    if printed is not None and printed.parts:
        return printed.parts
    return tuple(part for _start, _end, found in numbers_in(text) for part in found.parts)


_LETTERS = re.compile(r"[^\W\d_]{3}")
_FIRST = re.compile(r"[^\W_]")


def looks_numeric(text: str) -> bool:
    """Whether a text reads as a number rather than a name: it starts with a digit, and holds no word."""
    first = _FIRST.search(text)
    return first is not None and first.group().isdecimal() and not _LETTERS.search(text)


def count_in(word: str) -> int | None:
    """A count in words or digits."""
    word = word.lower().replace(",", "")
    if NUMBER_WORD.fullmatch(word):
        parts = re.split("[- ]", word)
        return sum(COUNTS.index(part) if part in COUNTS else 10 * _TENS.index(part) + 20 for part in parts)
    digits = "".join(word.split())  # thousands may be parted by a thin space
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None
