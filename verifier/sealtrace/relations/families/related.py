"""Columns that headers or captions call differences, quotients, sums or changes of others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sealtrace.paper.sentences import clauses
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.stated import StatedRule, called, headers, is_possible, nearly_all
from sealtrace.relations.families.wording import plain, real
from sealtrace.relations.syntax import Formula, Given, any_of, call, equal
from sealtrace.statistics.combinations import COMBINATIONS

DIFFERENCES = "difference"

_CHANGES = ("difference", "relative change", "relative reduction")
_CHANGE = called(word for name in _CHANGES for word in COMBINATIONS[name].words)
_RATIO = called(COMBINATIONS["ratio"].words)
_BEFORE = re.compile(r"(?:before|pre|pre-test|initial|old|baseline)(?: ?\(%\))?")
_AFTER = re.compile(r"(?:after|post|post-test|final|new)(?: ?\(%\))?")
_TIME = re.compile(r".*(?:\btime\b|latency|duration|\brun-?time\b|\((?:m|µ|n)?s(?:ec\w*)?\)|\bseconds\b|\bms\b).*")
_OPERATOR = re.compile(r" (?P<minus>[-–—]|minus) | ?(?P<joint>–|—) ?| ?(?P<over>/) ?| (?P<plus>\+) ")
_IS = r"(?: is| =| denotes| equals|:| means| gives)(?: the)?"

Ways = Callable[[Given, Given, Given], list[Formula]]
"""How a number may follow from two others."""


def _difference(result: Given, left: Given, right: Given) -> list[Formula]:
    return [equal(result, left - right)]


def _sum(result: Given, left: Given, right: Given) -> list[Formula]:
    return [equal(result, left + right)]


def _quotient(result: Given, left: Given, right: Given) -> list[Formula]:
    """A quotient, or the same in percent."""
    return [equal(result * right, left), equal(result * right, left * 100)]


def _change(result: Given, left: Given, right: Given) -> list[Formula]:
    """In percent of one of the two."""
    return [equal(result * base, (left - right) * 100) for base in (left, right)]


def _any_change(result: Given, left: Given, right: Given) -> list[Formula]:
    """Also of the two without their signs."""
    sizes = call("abs", call("abs", left) - call("abs", right))
    return [*_difference(result, left, right), *_change(result, left, right), equal(call("abs", result), sizes)]


_OF_SIGN: dict[str, Ways] = {"minus": _difference, "joint": _difference, "over": _quotient, "plus": _sum}
_IS_COMPUTED = StatedRule(
    DIFFERENCES,
    "{0} is computed from {1} and {2}.",
    lambda *cells: any_of(*cells[-1](*cells[:-1])),
    ("Both numbers are of the same row as what is computed from them.",),
    "From which two numbers is {0} computed?",
)
_IS_CHANGE = replace(_IS_COMPUTED, says="{0} is the difference of {1} and {2}.")


@dataclass(frozen=True)
class _Computed:
    """Which column is computed from which two; where the paper leaves the order open, in either."""

    result: int
    left: int
    right: int
    said: str
    ways: Ways
    ordered: bool = True
    base: int | None = None
    """The row from whose number in the right column all others of it are counted; -1 for the row above."""

    def claims(self, sheet: Sheet) -> Iterator[Claim]:
        """What it says of every row."""
        rule = _IS_COMPUTED if self.ways in (_sum, _quotient) else _IS_CHANGE
        for row, (own, left, right) in sheet.rows_with(self.result, self.left, self.right):
            other = right if self.base is None else sheet.number(row - 1 if self.base < 0 else self.base, self.right)
            if row == self.base or other is None:
                continue
            orders = [(left, other), (other, left)][: 1 if self.ordered else 2]
            formulas = [way for pair in orders for way in self.ways(real(own), *map(real, pair))]
            yield rule.claim(sheet, (own, left, other), self.said, self.ways, formula=any_of(*formulas))

    def holding(self, sheet: Sheet) -> int:
        """In how many rows it holds."""
        return sum(is_possible(claim.formula) for claim in self.claims(sheet))


def find_differences(paper: AuditedPaper) -> Iterator[Claim]:
    """A header `A - B` or `A / B`, a caption that names both columns, a change or a quotient against a row or column
    that is named, or of the only two columns that it can be of."""
    for sheet in paper.both_ways:
        for group in sheet.groups():
            headed = [(plain(group.columns[column].label), column) for column in group.numeric_columns()]
            often = Counter(label for label, _column in headed)
            names = {label: column for label, column in headed if often[label] == 1}
            found = [*_by_header(group, names), *_by_caption(group, names), *_against(group, names), *_by_names(group)]
            told = {computed.result: computed for computed in reversed(found)}
            for computed in told.values():
                yield from computed.claims(group)
            for result in group.numeric_columns():
                # What stands beside several groups is computed from columns of all of them.
                beside = len(sheet.group_names) > 1 and not sheet.group_of(sheet.columns[result])
                if result not in told and not beside and (ways := _ways(group, result)) is not None:
                    yield from _nearly(group, result, _alone(group, result, ways))


def _ways(sheet: Sheet, result: int, *columns: int, named: bool = False) -> Ways | None:
    """What a header calls a column: a quotient, a difference, or a change that may be in percent."""
    header = plain(sheet.columns[result].label)
    if _RATIO.match(header):
        return _quotient
    texts = [entry.text for (_row, column), entry in sheet.entries.items() if column == result]
    percent = "%" in header or any("%" in text for text in texts)
    points = any("%" in sheet.columns[column].label for column in columns)
    return (_any_change if not named or (percent and not points) else _difference) if _CHANGE.match(header) else None


_AGAINST = re.compile(
    rf"(?:{_CHANGE.pattern}|{_RATIO.pattern}) ?\(?(?:vs\.?|versus|over|against|from|to|relative to|"
    r"compared (?:to|with)|w\.?r\.?t\.?) (?:the )?(?P<name>[^()]+?)\)?(?: ?\(?%\)?)?"
)


def _against(sheet: Sheet, names: dict[str, int]) -> Iterator[_Computed]:
    """`Δ vs. Base`, where Base is a row or a column: of the column that fits best, or of the only one there is."""
    rows = [(row, {plain(line.first), plain(line.label)}) for row, line in enumerate(sheet.rows)]
    for result in sheet.numeric_columns():
        told, ways = _AGAINST.fullmatch(plain(sheet.columns[result].label)), _ways(sheet, result)
        if told is None or ways is None:
            continue
        said, name = f"header {headers(sheet, result)}", told["name"]
        bases = [row for row, called_so in rows if name in called_so] or [
            row for row, called_so in rows if any(one.startswith(f"{name} ") for one in called_so)
        ]
        column = names.get(name, result)
        if column == result and len(bases) != 1:
            continue
        base = None if column != result else bases[0]
        found = [
            _Computed(result, other, other if base is not None else column, said, ways, ordered=False, base=base)
            for other in sheet.numeric_columns()
            if other not in (result, column) and not _CHANGE.match(plain(sheet.columns[other].label))
        ]
        # The column right before it comes first among those that fit as well.
        ranked = sorted(found, key=lambda way: (-way.holding(sheet), abs(result - way.left)))
        if ranked and (len(ranked) == 1 or ranked[0].holding(sheet)):
            yield ranked[0]


def _by_header(sheet: Sheet, names: dict[str, int]) -> Iterator[_Computed]:
    """A header such as `A - B`, `A / B` or `Δ (A - B)`."""
    for result in sheet.numeric_columns():
        header = plain(sheet.columns[result].label)
        inner = re.fullmatch(rf"{_CHANGE.pattern} ?[(:=]?(.*?)\)?", header)
        for text in (header, inner.group(1).strip() if inner else ""):
            for sign in _OPERATOR.finditer(text):
                left, right = (names.get(side.strip()) for side in (text[: sign.start()], text[sign.end() :]))
                if left is not None and right is not None and result not in (left, right):
                    ways = _OF_SIGN[sign.lastgroup or "minus"]
                    if ways is _difference:
                        ways = _ways(sheet, result, left, right, named=True) or ways
                    yield _Computed(result, left, right, f"header {headers(sheet, result)}", ways)


def _by_caption(sheet: Sheet, names: dict[str, int]) -> Iterator[_Computed]:
    """A caption such as `Gain is A minus B`, or `Δ is the difference between A and B`."""
    one_of = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    minus = rf"(?P<left>{one_of}) (?:[-–—]|minus) (?P<right>{one_of})"
    between = rf"difference (?:between|of) (?:the )?(?P<one>{one_of}) and (?:the )?(?P<other>{one_of})"
    for result in [] if sheet.is_turned else sheet.headed(_CHANGE):
        header = re.sub(r" ?\(?%\)?$", "", plain(sheet.columns[result].label))
        told = re.compile(rf"(?<!\w){re.escape(header)}{_IS} (?:{minus}|{between})(?!\w)")
        for found in (match for sentence in clauses(sheet.caption) for match in told.finditer(plain(sentence))):
            ordered = found["left"] is not None
            left, right = (names[name] for name in found.group(*(("left", "right") if ordered else ("one", "other"))))
            if len({result, left, right}) == 3:
                ways = _ways(sheet, result, left, right, named=True) or _difference
                yield _Computed(result, left, right, "caption", ways, ordered)


def _by_names(sheet: Sheet) -> Iterator[_Computed]:
    """Before and after beside a column of changes, and no fourth one that could be meant."""
    columns, result = sheet.numeric_columns(), sheet.sole_column(_CHANGE)
    before, after = sheet.sole_column(_BEFORE), sheet.sole_column(_AFTER)
    if len(columns) == 3 and result is not None and before is not None and after is not None:
        said = f"columns {headers(sheet, *columns)}"
        yield _Computed(result, after, before, said, _ways(sheet, result) or _any_change, ordered=False)


def _alone(sheet: Sheet, result: int, ways: Ways) -> list[_Computed]:
    """A change or a quotient whose header names nothing else: of the only two columns that it can be of, or of the only
    one and the row without a change, or the row above."""
    others = [column for column in sheet.numeric_columns() if column != result]
    times = [column for column in others if _TIME.fullmatch(plain(sheet.columns[column].label))]
    of = times if ways is _quotient and times else others
    said = f"column {headers(sheet, result)}"
    if len(of) == 2:
        return [_Computed(result, of[0], of[1], said, ways, ordered=False)]
    if len(of) != 1:
        return []
    nothing = 1 if ways is _quotient else 0
    rows = [row for row in sheet.numbered if sheet.number(row, of[0]) is not None]
    cells = [(row, sheet.number(row, result)) for row in rows]
    still = [row for row, fact in cells if fact is None or fact.value == nothing]
    bases = [still[0], -1] if len(still) == 1 else []
    return [_Computed(result, of[0], of[0], said, ways, ordered=False, base=base) for base in bases]


def _nearly(sheet: Sheet, result: int, found: list[_Computed]) -> Iterator[Claim]:
    """What fits best of these, where nearly all rows agree."""
    best = max(found, key=lambda computed: computed.holding(sheet), default=None)
    claims = list(best.claims(sheet)) if best is not None else []
    often = f"rows agree with {sheet.columns[result].label!r}"
    yield from nearly_all(claims, often, telling=lambda claim: len({fact.value for fact in claim.facts}) == 3)
