"""Columns that headers or captions relate to each other: differences, and the values of two-player zero-sum games."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from sealtrace.paper.names.words import stems, telling
from sealtrace.paper.sentences import clauses
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.stated import Rule, found_by, headers
from sealtrace.relations.families.wording import plain, real
from sealtrace.relations.syntax import Formula, Given, any_of, call, equal

DIFFERENCES, GAMES = "difference", "games"


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


_IS_DIFFERENCE = Rule(
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

    def claims(self, sheet: Sheet) -> Iterator[Claim]:
        """What it says of every row."""
        columns = self.result, self.left, self.right
        for row, facts in sheet.together(*columns):
            percent, *points = (
                "%" in f"{sheet.columns[column].label} {sheet.entries[row, column].text}" for column in columns
            )
            rule = _IS_CHANGE if not self.named or (percent and not any(points)) else _IS_DIFFERENCE
            result, left, right = map(real, facts)
            either = [rule.formula(result, *pair) for pair in ((left, right), (right, left))]
            yield rule.claim(sheet, facts, self.said, formula=any_of(*either[: 1 if self.ordered else 2]))


def find_differences(paper: AuditedPaper) -> Iterator[Claim]:
    """A header `A - B`, a caption that names both columns, or before and after beside a change."""
    for sheet in paper.sheets:
        headed = [(plain(sheet.columns[column].label), column) for column in sheet.numeric_columns()]
        often = Counter(label for label, _column in headed)
        names = {label: column for label, column in headed if often[label] == 1}
        found = (*_by_header(sheet, names), *_by_caption(sheet, names), *_by_names(sheet))
        for subtraction in {subtraction.result: subtraction for subtraction in reversed(found)}.values():
            yield from subtraction.claims(sheet)


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
    """Before and after beside a column of changes, and no fourth column that could be meant."""
    columns = sheet.numeric_columns()
    before, after, result = (sheet.only(pattern) for pattern in (_BEFORE, _AFTER, _CHANGE))
    if len(columns) == 3 and before is not None and after is not None and result is not None:
        said = f"columns {headers(sheet, *columns)}"
        yield _Subtraction(result, after, before, said, ordered=False, named=False)


# Two-player zero-sum games

_ZERO_SUM = re.compile(r"zero-sum|\bpoker\b|\bleduc\b|\bkuhn\b|\bgoofspiel\b|\bliar's dice\b|rock-paper-scissors", re.I)
_PLAIN = r"(?!mbb|milli|log|δ|relative|normali[sz]ed)(?:[\w-]+ )?"
_NASHCONV = rf"{_PLAIN}nash-?conv"
_EXPLOITABILITY = rf"{_PLAIN}(?:exploitability|exploit\.|expl\.)"
_RESPONSE = r"(?:br|best[ -]response)(?: value)?,?[ _]?(?:\(?(?:player|p)?[ _]?[012]\)?)"
_SAYS_HALF = re.compile(
    r"exploitability[^.;]{0,80}(?:\bhalf\b|nashconv ?/ ?2|/ ?2\b|½)|(?:\bhalf\b|nashconv ?/ ?2)[^.;]{0,60}exploitab",
    re.I,
)
_IS_NASHCONV = Rule(
    GAMES,
    "NashConv {0} is the sum of the best-response values {1} and {2}.",
    lambda nashconv, *responses: equal(nashconv, call("sum", *responses)),
    ("Two players, zero-sum, and best responses to the same profile.",),
    "What are the best-response values behind {0}?",
    ("NashConv is their mean", lambda nashconv, *responses: equal(nashconv, call("mean", *responses))),
    headed=(_NASHCONV,),
    listed=_RESPONSE,
)
_IS_HALF = Rule(
    GAMES,
    "Exploitability {0} is half of NashConv {1}.",
    lambda exploitability, nashconv: equal(exploitability * 2, nashconv),
    ("Two players, and both numbers are of the same profile.",),
    "How is exploitability defined?",
    ("exploitability is NashConv itself", equal),
    headed=(_EXPLOITABILITY, _NASHCONV),
)
# Some call NashConv itself the exploitability; only a paper that says half is held to it.
_IS_EITHER = replace(
    _IS_HALF,
    says="Exploitability {0} is half of, or the same as, NashConv {1}.",
    formula=lambda *both: any_of(_IS_HALF.formula(*both), equal(*both)),
    repair=None,
)


def find_games(paper: AuditedPaper) -> Iterator[Claim]:
    """NashConv is the sum of the best-response values, exploitability is half of it, also in another table."""
    half = _SAYS_HALF.search(paper.words) is not None
    sheets = list(paper.both_ways) if _ZERO_SUM.search(paper.words) else []
    yield from found_by([_IS_NASHCONV, _IS_HALF if half else _IS_EITHER], sheets)
    for sheet, other in permutations(sheets, 2) if half else ():
        sums, rows = other.only(_NASHCONV), {plain(line.label): row for row, line in enumerate(other.rows)}
        if other.label == sheet.label or sums is None or not _same_evaluation(sheet.caption, other.caption):
            continue
        for row, (exploitability,) in sheet.together(sheet.only(_EXPLOITABILITY)):
            name = plain(sheet.rows[row].label)
            if name in rows and (nashconv := other.number(rows[name], sums)) is not None:
                yield _IS_HALF.claim(
                    sheet, (exploitability, nashconv), f"exploitability, and NashConv of {other.label}"
                )


def _same_evaluation(caption: str, other: str) -> bool:
    """Whether two captions share three words in a row that name something."""
    runs = [{words[place : place + 3] for place in range(len(words) - 2)} for words in (stems(caption), stems(other))]
    return any(len(telling(run)) == 3 for run in runs[0] & runs[1])
