"""Columns that headers or captions call differences of others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sealtrace.paper.extracted import JOIN
from sealtrace.paper.sentences import clauses
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.stated import StatedRule, headers
from sealtrace.relations.families.wording import plain, real
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, Given, any_of, equal
from sealtrace.relations.work import Work

DIFFERENCES = "difference"


_CHANGE = re.compile(r"(?:δ|delta|diff\.?|difference|change|gain|improvement|improv\.?|gap)(?: ?\(?%\)?)?")
_BEFORE = re.compile(r"(?:before|pre|pre-test|initial|old|baseline)(?: ?\(%\))?")
_AFTER = re.compile(r"(?:after|post|post-test|final|new)(?: ?\(%\))?")
_MINUS = r"(?:[-–—]|minus)"
_IS = r"(?: is| =| denotes| equals|:| means| gives)(?: the)?"


def _difference(result: Given, left: Given, right: Given) -> Formula:
    return equal(result, left - right)


def _change(result: Given, left: Given, right: Given) -> Formula:
    """In percent of one of the two."""
    return any_of(*(equal(result * base, (left - right) * 100) for base in (left, right)))


_IS_DIFFERENCE = StatedRule(
    DIFFERENCES,
    "{0} is the difference of {1} and {2}.",
    _difference,
    ("Both numbers are of the same row as the difference.",),
    "Which two numbers differ by {0}?",
    ("a change relative to one of them", _change),
)
_IS_CHANGE = replace(_IS_DIFFERENCE, formula=lambda *cells: any_of(_difference(*cells), _change(*cells)), repair=None)


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
    base: int | None = None
    """The row from whose number in the right column all others of it are subtracted."""

    def claims(self, sheet: Sheet) -> Iterator[Claim]:
        """What it says of every row."""
        columns = self.result, self.left, self.right
        fixed = None if self.base is None else sheet.number(self.base, self.right)
        for row, facts in sheet.together(*columns):
            if row == self.base or (self.base is not None and fixed is None):
                continue
            given = facts if fixed is None else (facts[0], facts[1], fixed)
            percent, *points = (
                "%" in f"{sheet.columns[column].label} {sheet.entries[row, column].text}" for column in columns
            )
            rule = _IS_CHANGE if not self.named or (percent and not any(points)) else _IS_DIFFERENCE
            result, left, right = map(real, given)
            either = [rule.formula(result, *pair) for pair in ((left, right), (right, left))]
            formula = any_of(*either[: 1 if self.ordered else 2])
            yield rule.claim(sheet, given, self.said, formula=formula)

    def holding(self, sheet: Sheet) -> int:
        """In how many rows it holds."""
        return sum(search(claim.formula, Work(20_000)).status == "possible" for claim in self.claims(sheet))


def find_differences(paper: AuditedPaper) -> Iterator[Claim]:
    """A header `A - B`, a caption that names both columns, a change against a row or column that is named, or the only
    two columns beside a change."""
    for sheet in paper.both_ways:
        headed = [(plain(sheet.columns[column].label), column) for column in sheet.numeric_columns()]
        often = Counter(label for label, _column in headed)
        names = {label: column for label, column in headed if often[label] == 1}
        found = [*_against(sheet, names), *_by_names(sheet)]
        if not sheet.is_turned:
            found = [*_by_header(sheet, names), *_by_caption(sheet, names), *found]
        for subtraction in {subtraction.result: subtraction for subtraction in reversed(found)}.values():
            yield from subtraction.claims(sheet)


_AGAINST = re.compile(
    rf"{_CHANGE.pattern} ?\(?(?:vs\.?|versus|over|against|from|to|relative to|compared (?:to|with)|w\.?r\.?t\.?) "
    r"(?:the )?(?P<name>[^()]+?)\)?(?: ?\(?%\)?)?"
)


def _against(sheet: Sheet, names: dict[str, int]) -> Iterator[_Subtraction]:
    """`Δ vs. Base`, where Base is a row or a column: of the column that fits best, or of the only one there is."""
    rows = [(row, {plain(line.first), plain(line.label)}) for row, line in enumerate(sheet.rows)]
    for result in sheet.numeric_columns():
        told = _AGAINST.fullmatch(plain(sheet.columns[result].label).split(JOIN)[-1])
        if told is None:
            continue
        said, name = f"header {headers(sheet, result)}", told["name"]
        bases = [row for row, called in rows if name in called] or [
            row for row, called in rows if any(one.startswith(f"{name} ") for one in called)
        ]
        others = [
            column
            for column in sheet.numeric_columns()
            if column not in (result, names.get(name)) and not _CHANGE.match(plain(sheet.columns[column].label))
        ]
        if name in names and names[name] != result:
            ways = [_Subtraction(result, column, names[name], said, ordered=False, named=False) for column in others]
        elif len(bases) == 1:
            ways = [
                _Subtraction(result, column, column, said, ordered=False, named=False, base=bases[0])
                for column in others
            ]
        else:
            continue
        # The column right before it comes first among those that fit as well.
        ranked = sorted(ways, key=lambda way: (-way.holding(sheet), abs(result - way.left)))
        if ranked and (len(ranked) == 1 or ranked[0].holding(sheet)):
            yield ranked[0]


def _by_header(sheet: Sheet, names: dict[str, int]) -> Iterator[_Subtraction]:
    """A header such as `A - B` or `Δ (A - B)`."""
    for result in sheet.numeric_columns():
        header = plain(sheet.columns[result].label)
        inner = re.fullmatch(rf"{_CHANGE.pattern} ?[(:=]?(.*?)\)?", header)
        for text in (header, inner.group(1).strip() if inner else ""):
            for sign in re.finditer(rf" {_MINUS} |–|—", text):
                left, right = (names.get(side.strip()) for side in (text[: sign.start()], text[sign.end() :]))
                if left is not None and right is not None and result not in (left, right):
                    yield _Subtraction(result, left, right, f"header {headers(sheet, result)}")


def _by_caption(sheet: Sheet, names: dict[str, int]) -> Iterator[_Subtraction]:
    """A caption such as `Gain is A minus B`, or `Δ is the difference between A and B`."""
    one_of = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    minus = rf"(?P<left>{one_of}) {_MINUS} (?P<right>{one_of})"
    between = rf"difference (?:between|of) (?:the )?(?P<one>{one_of}) and (?:the )?(?P<other>{one_of})"
    for result in sheet.headed(_CHANGE):
        header = re.sub(r" ?\(?%\)?$", "", plain(sheet.columns[result].label))
        told = re.compile(rf"(?<!\w){re.escape(header)}{_IS} (?:{minus}|{between})(?!\w)")
        for found in (match for sentence in clauses(sheet.caption) for match in told.finditer(plain(sentence))):
            ordered = found["left"] is not None
            left, right = (names[name] for name in found.group(*(("left", "right") if ordered else ("one", "other"))))
            if len({result, left, right}) == 3:
                yield _Subtraction(result, left, right, "caption", ordered=ordered)


def _by_names(sheet: Sheet) -> Iterator[_Subtraction]:
    """Two columns beside a column of changes, and no fourth one that could be meant: before and after, or any two of
    which the change is in some row."""
    columns, result = sheet.numeric_columns(), sheet.only(_CHANGE)
    if len(columns) != 3 or result is None:
        return
    named = sheet.only(_BEFORE) is not None and sheet.only(_AFTER) is not None
    first, second = (column for column in columns if column != result)
    said = f"columns {headers(sheet, *columns)}"
    found = _Subtraction(result, second, first, said, ordered=False, named=False)
    if named or found.holding(sheet):
        yield found
