"""Columns of differences: a header or a caption names the two columns that are subtracted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.stated import Rule, headers
from sealtrace.relations.families.wording import plain, real, sentences
from sealtrace.relations.syntax import Expression, Formula, any_of, equal

FAMILY = "difference"
_HEADED = re.compile(r"(?:δ|delta|diff\.?|difference|change|gain|improvement|improv\.?|gap)(?: ?\(?%\)?)?")
_BEFORE = re.compile(r"(?:before|pre|pre-test|initial|old|baseline)(?: ?\(%\))?")
_AFTER = re.compile(r"(?:after|post|post-test|final|new)(?: ?\(%\))?")
_SIGNS = r"(?:[-–—]|minus)"
_IS = r"(?: is| =| denotes| equals|:| means| gives)(?: the)?"
_IS_DIFFERENCE = Rule(
    FAMILY,
    "{0} is the difference of {1} and {2}.",
    lambda result, left, right: equal(result, left - right),
    ("Both numbers are of the same row as the difference.",),
    "Which two numbers differ by {0}?",
)


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

    def ways(self, result: Expression, left: Expression, right: Expression) -> tuple[list[Formula], list[Formula]]:
        """What the result may be: a difference, or a change in percent of where it started."""
        pairs = [(left, right)] if self.ordered else [(left, right), (right, left)]
        changes = [equal(result * base, (new - old) * 100) for new, old in pairs for base in (left, right)]
        return [equal(result, new - old) for new, old in pairs], list[Formula](changes)


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        labels = [(plain(sheet.columns[column].label), column) for column in sheet.numeric_columns()]
        names = {label: column for label, column in labels if [name for name, _ in labels].count(label) == 1}
        found = (*_by_header(sheet, names), *_by_caption(sheet, names), *_by_names(sheet))
        for subtraction in {subtraction.result: subtraction for subtraction in reversed(found)}.values():
            yield from _claims(sheet, subtraction)


def _by_header(sheet: Sheet, names: dict[str, int]) -> Iterator[_Subtraction]:
    """A header such as `A - B` or `Δ (A - B)`."""
    for result in sheet.numeric_columns():
        header = plain(sheet.columns[result].label)
        inner = re.fullmatch(rf"{_HEADED.pattern} ?[(:=]?(.*?)\)?", header)
        for text in (header, inner.group(1).strip() if inner else ""):
            for sign in re.finditer(rf" {_SIGNS} |–|—", text):
                left, right = (names.get(side.strip()) for side in (text[: sign.start()], text[sign.end() :]))
                if left is not None and right is not None and result not in (left, right):
                    yield _Subtraction(result, left, right, f"header {headers(sheet, result)}")


def _by_caption(sheet: Sheet, names: dict[str, int]) -> Iterator[_Subtraction]:
    """A caption such as `Gain is A minus B`, or `Δ is the difference between A and B`."""
    one_of = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    minus = rf"(?P<left>{one_of}) {_SIGNS} (?P<right>{one_of})"
    between = rf"difference (?:between|of) (?:the )?(?P<one>{one_of}) and (?:the )?(?P<other>{one_of})"
    for result in sheet.numeric_columns():
        header = re.sub(r" ?\(?%\)?$", "", plain(sheet.columns[result].label))
        if not _HEADED.fullmatch(header):
            continue
        told = re.compile(rf"(?<!\w){re.escape(header)}{_IS} (?:{minus}|{between})(?!\w)")
        for found in (match for sentence in sentences(sheet.caption) for match in told.finditer(plain(sentence))):
            ordered = found["left"] is not None
            pair = found.group("left", "right") if ordered else found.group("one", "other")
            left, right = (names[name] for name in pair)
            if len({result, left, right}) == 3:
                yield _Subtraction(result, left, right, "caption", ordered=ordered)


def _by_names(sheet: Sheet) -> Iterator[_Subtraction]:
    """Before and after beside a column of changes, and no fourth column that could be meant."""
    columns = sheet.numeric_columns()
    before, after, result = (sheet.only(pattern) for pattern in (_BEFORE, _AFTER, _HEADED))
    if len(columns) == 3 and before is not None and after is not None and result is not None:
        said = f"columns {headers(sheet, *columns)}"
        yield _Subtraction(result, after, before, said, ordered=False, named=False)


def _claims(sheet: Sheet, subtraction: _Subtraction) -> Iterator[Claim]:
    columns = subtraction.result, subtraction.left, subtraction.right
    for row, facts in sheet.together(*columns):
        entries = [(sheet.columns[column].label, sheet.entry(row, column)) for column in columns]
        percent, *points = ("%" in label or (entry is not None and "%" in entry.text) for label, entry in entries)
        differences, changes = subtraction.ways(*map(real, facts))
        either = not subtraction.named or (percent and not any(points))
        repair = Repair("a change relative to one of them", any_of(*changes))
        yield _IS_DIFFERENCE.claim(
            sheet,
            facts,
            subtraction.said,
            formula=any_of(*differences, *(changes if either else ())),
            repairs=(repair,) if subtraction.named and not percent else (),
        )
