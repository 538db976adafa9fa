"""Columns of differences: a header or a caption names the two columns that are subtracted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import plain, real, sentences
from sealtrace.relations.syntax import Formula, any_of, equal

FAMILY = "difference"
_HEADED = re.compile(r"(?:δ|delta|diff\.?|difference|change|gain|improvement|improv\.?|gap)(?: ?\(?%\)?)?")
_BEFORE = re.compile(r"(?:before|pre|pre-test|initial|old|baseline)(?: ?\(%\))?")
_AFTER = re.compile(r"(?:after|post|post-test|final|new)(?: ?\(%\))?")
_SIGNS = r"(?:[-–—]|minus)"


@dataclass(frozen=True)
class _Subtraction:
    """Which column is subtracted from which; where the paper leaves the order open, either from the other."""

    result: int
    left: int
    right: int
    said: str
    ordered: bool = True
    named: bool = True
    """Whether the paper names both columns; where it does not, a change in percent may be meant."""


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        seen: set[int] = set()
        for one in (*_by_header(sheet), *_by_caption(sheet), *_by_names(sheet)):
            if one.result not in seen:
                seen.add(one.result)
                yield from _claims(sheet, one)


def _by_header(sheet: Sheet) -> Iterator[_Subtraction]:
    """A header such as `A - B` or `Δ (A - B)`."""
    names = _names(sheet)
    for result in sheet.numeric_columns():
        header = plain(sheet.columns[result].label)
        inner = re.fullmatch(rf"{_HEADED.pattern} ?[(:=]?(.*?)\)?", header)
        for text in (header, inner.group(1).strip() if inner else ""):
            for sign in re.finditer(rf" {_SIGNS} |–|—", text):
                left, right = text[: sign.start()].strip(), text[sign.end() :].strip()
                if left in names and right in names and result not in (names[left], names[right]):
                    yield _Subtraction(result, names[left], names[right], f"header {sheet.columns[result].label!r}")


def _by_caption(sheet: Sheet) -> Iterator[_Subtraction]:
    """A caption such as `Gain is A minus B`, or `Δ is the difference between A and B`."""
    names = _names(sheet)
    for result in sheet.numeric_columns():
        header = re.sub(r" ?\(?%\)?$", "", plain(sheet.columns[result].label))
        if not _HEADED.fullmatch(header):
            continue
        for sentence in map(plain, sentences(sheet.caption)):
            for left, one in names.items():
                for right, other in names.items():
                    if len({result, one, other}) < 3:
                        continue
                    first, second = re.escape(left), re.escape(right)
                    is_word = r"(?: is| =| denotes| equals|:| means| gives)(?: the)?"
                    if re.search(rf"(?<!\w){re.escape(header)}{is_word} {first} {_SIGNS} {second}(?!\w)", sentence):
                        yield _Subtraction(result, one, other, "caption")
                    between = rf"difference (?:between|of) (?:the )?{first} and (?:the )?{second}(?!\w)"
                    if re.search(rf"(?<!\w){re.escape(header)}{is_word} {between}", sentence):
                        yield _Subtraction(result, one, other, "caption", ordered=False)


def _by_names(sheet: Sheet) -> Iterator[_Subtraction]:
    """Before and after beside a column of changes, and no fourth column that could be meant."""
    columns = sheet.numeric_columns()
    before, after, result = (sheet.only(pattern) for pattern in (_BEFORE, _AFTER, _HEADED))
    if len(columns) == 3 and before is not None and after is not None and result is not None:
        said = f"columns {', '.join(repr(sheet.columns[column].label) for column in columns)}"
        yield _Subtraction(result, after, before, said, ordered=False, named=False)


def _names(sheet: Sheet) -> dict[str, int]:
    labels = [(plain(sheet.columns[column].label), column) for column in sheet.numeric_columns()]
    return {label: column for label, column in labels if [name for name, _ in labels].count(label) == 1}


def _claims(sheet: Sheet, one: _Subtraction) -> Iterator[Claim]:
    label = sheet.columns[one.result].label
    for row, (result, left, right) in sheet.together(one.result, one.left, one.right):
        texts = [entry.text for place in (one.left, one.right) if (entry := sheet.entry(row, place))]
        own = sheet.entry(row, one.result)
        percent = "%" in label or (own is not None and "%" in own.text)
        headers = sheet.columns[one.left].label + sheet.columns[one.right].label
        points = "%" in headers or any("%" in text for text in texts)
        relative = _relative(result, left, right, one.ordered)
        ways = _ways(result, left, right, one.ordered) + (relative if not one.named or (percent and not points) else [])
        yield Claim(
            f"{FAMILY} {result.address}",
            any_of(*ways),
            f"{result.text} is the difference of {left.text} and {right.text}.",
            sheet.place(one.said),
            ("Both numbers are of the same row as the difference.",),
            (Repair("a change relative to one of them", any_of(*relative)),) if one.named and not percent else (),
            f"Which two numbers differ by {result.text}?",
            FAMILY,
        )


def _ways(result: Fact, left: Fact, right: Fact, ordered: bool) -> list[Formula]:
    ways: list[Formula] = [equal(real(result), real(left) - real(right))]
    return ways if ordered else [*ways, equal(real(result), real(right) - real(left))]


def _relative(result: Fact, left: Fact, right: Fact, ordered: bool) -> list[Formula]:
    """A change in percent of where it started."""
    pairs = [(left, right)] if ordered else [(left, right), (right, left)]
    return [
        equal(real(result) * real(base), (real(new) - real(old)) * 100) for new, old in pairs for base in (left, right)
    ]
