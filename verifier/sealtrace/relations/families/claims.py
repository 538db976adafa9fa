"""What a sentence says of a column: which row is its highest or lowest, and where alone it is positive or negative."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, product

from sealtrace.paper.extracted import JOIN
from sealtrace.paper.names.index import APART, PART, Group, Names, Thing
from sealtrace.paper.names.words import named_by, stems, telling, vocabulary, words
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet, belongs_to
from sealtrace.relations.families.stated import is_possible
from sealtrace.relations.families.wording import count_of, is_summary, plain, printed, real
from sealtrace.relations.syntax import Formula, all_of, any_of, compare
from sealtrace.relations.work import time_is_up

FAMILY = "claim"
Span = tuple[int, int]
Spans = dict[int, list[Span]]
"""Lines of a table, with the passages that call each."""
_ROW, _COLUMN = "row", "column"
_STATISTIC = re.compile(r"\(?(?:s\.?e\.?|std\.? err\w*\.?|standard errors?|p(?:[ -]?values?)?|[ntzf]|obs\w*\.?|ci)\)?")
"""Rows that are named like what any sentence gives with an estimate."""
_CLAUSE = re.compile(
    r"[;:]|, (?:while|but|whereas|and|yet|so|which|with)\b| (?:while|but|whereas|although|though|because)\b"
)
"""Where another clause begins."""
# What has its largest in a column is largest of its own row; who is failing most has the least of what is measured.
_SUPERLATIVE = re.compile(
    r"(?<!\bits )(?<!\btheir )(?<!second[- ])(?<!third[- ])(?<!fourth[- ])\b"
    r"(?:(?P<high>highest|(?P<large>largest|greatest)|maximum|(?<!ing )most|top)|"
    r"(?P<low>lowest|smallest|(?<!ing )least|minimum|fewest)|best|strongest|worst|weakest)\b(?!-of-| or second)",
    re.I,
)
# What narrows the rows or the sense: then the sentence is not about the whole column.
_NARROWED = re.compile(
    r"\b(?:among|amongst|except|excluding|apart|besides|other|second|third|next|nearly|almost|one of|within|per|of the|"
    r"of those|of these|without|not|never|no longer|than|ours|baselines?|adapted|tested|after|before|if|"
    r"when|would|could|may|might|should|expected|persistent|open|closed|previous|prior|competing|similar|comparable)\b|"
    r"\b\w++-(?:limited|free|only|system|based|shot)",
    re.I,
)
_ASIDE = re.compile(r"oracle|upper bound|ceiling|human|reference|full|ideal|skyline|topline|all[_ ]features", re.I)
_HAS = re.compile(
    r"\b(?:has|have|had|(?:achiev|attain|exhibit|obtain|giv|yield|reach|report|record|show)\w*)(?: the)?\s+$", re.I
)
_ONLY = re.compile(
    r"\b(?P<sign>positive|negative)\s+only\s+(?:for|on|in)\s+(?:the\s+)?"
    r"(?:(?P<count>\d+|one|two|three|four|five|six)\b)?",
    re.I,
)
_MOST_BETTER = 3
"""So many rows that stand before the one that is called first: with more of them the words mean something else."""


@dataclass(frozen=True)
class _NamedTable:
    """What a sentence names of one table."""

    sheet: Sheet
    rows: Spans
    columns: Spans
    referred: bool
    """Whether it refers to the table, or is its caption."""

    def numbers(self, column: int, rows: Iterable[int] | None = None) -> dict[int, PrintedNumber]:
        """The numbers of a column, by row, in rows that are no summaries."""
        return {
            row: fact
            for row in (range(len(self.sheet.rows)) if rows is None else rows)
            if (fact := self.sheet.number(row, column)) is not None
            and not (is_summary(self.sheet.rows[row].first) or is_summary(self.sheet.rows[row].label))
        }


@dataclass(frozen=True)
class _Reading:
    """One way to understand a passage of a sentence."""

    sheet: Sheet
    formula: Formula
    says: str
    start: int
    """Where the passage begins: what begins at one place is one claim, read in several ways."""
    subject: str = ""
    """What it is said of, where one passage speaks of several things."""


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every claim that a sentence makes of a table."""
    names = Names([sentence.text for sentence in paper.sentences])
    lines = [(sheet, _lines(sheet, _ROW), _lines(sheet, _COLUMN)) for sheet in paper.sheets]
    labels = {_bare(sheet) for sheet in paper.sheets}
    before: Sentence | None = None
    for sentence in paper.sentences:
        if time_is_up():
            return
        # Right behind a sentence that refers to a table it speaks of that one.
        follows = before is not None and (before.source, before.paragraph) == (sentence.source, sentence.paragraph)
        meant = labels.intersection(before.references) if before is not None and follows else frozenset[str]()
        meant = frozenset() if sentence.references or sentence.caption else meant
        before = sentence
        if not (_SUPERLATIVE.search(sentence.text) or _ONLY.search(sentence.text)):
            continue
        spoken = []
        for sheet, rows, columns in lines:
            own = belongs_to(sentence, sheet)
            if (own or not sentence.caption) and (not meant or _bare(sheet) in meant):
                referred = own or _bare(sheet) in sentence.references
                named = _named(names, sentence.text, rows, APART), _named(names, sentence.text, columns, PART)
                spoken.append(_NamedTable(sheet, *named, referred))
        yield from _settled(sentence, list(_superlatives(sentence, spoken)))
        near = [named for named in spoken if named.referred]
        yield from _settled(sentence, list(_signs(sentence, near or spoken)))


def _bare(sheet: Sheet) -> str:
    return sheet.label.split("#")[0]


def _lines(sheet: Sheet, axis: str) -> Group[int]:
    """The lines of a table that a sentence may call: by their labels, and by parts that no other line has."""
    lines = sheet.rows if axis == _ROW else sheet.columns
    places = range(len(lines)) if axis == _ROW else sheet.numeric_columns()
    parts = {place: lines[place].label.split(JOIN) for place in places}
    often = [part for own in parts.values() for part in set(own)]
    return Group(
        Thing(axis, place, (" ".join(own), *(part for part in own if len(own) > 1 and often.count(part) == 1)))
        for place, own in parts.items()
        if stems(lines[place].label)
        and not (axis == _ROW and (is_summary(own[0]) or _STATISTIC.fullmatch(plain(own[0]))))
    )


def _named(names: Names, text: str, group: Group[int], least: float) -> Spans:
    found: Spans = {}
    for named in names.resolve(text, [group], running=True):
        if named.strength >= least:
            found.setdefault(named.thing.id, []).append(named.span)
    return found


def _settled(sentence: Sentence, readings: list[_Reading]) -> Iterator[Claim]:
    """Of each passage the readings that hold; where none does, the one whose table fits the words best."""
    for _passage, group in groupby(sorted(readings, key=_passage_of), _passage_of):
        given = list(group)
        holding = [one for one in given if is_possible(one.formula)]
        # Where none holds, the table whose caption has most telling words of the sentence.
        words = set(telling(stems(sentence.text)))
        given.sort(key=lambda one: -len(words.intersection(telling(stems(one.sheet.caption)))))
        for one in holding[:3] or given[:1]:
            place = sentence.place(one.start)
            yield Claim(
                f"{FAMILY} {place} {one.sheet.label} {one.says[:60]}",
                one.formula,
                f"{one.says}, {one.sheet.label}.",
                f"“{sentence.short}” ({place})",
                ("The sentence speaks of that table, as its words say.",),
                question="Does the sentence speak of these numbers, and which of them is right?",
                family=FAMILY,
                evidence="the sentence names the column, and the row",
            )


def _passage_of(reading: _Reading) -> tuple[int, str]:
    return reading.start, reading.subject


# Superlatives


def _superlatives(sentence: Sentence, spoken: list[_NamedTable]) -> Iterator[_Reading]:
    """`A is highest on X`, `A has the highest X`."""
    text = sentence.text
    for found in _SUPERLATIVE.finditer(text):
        begin = max((cut.end() for cut in _CLAUSE.finditer(text, 0, found.start())), default=0)
        end = min((cut.start() for cut in _CLAUSE.finditer(text, found.end())), default=len(text))
        if _NARROWED.search(f"{text[begin : found.start()]} {text[found.end() : end]}"):
            continue
        readings: list[_Reading] = []
        for named in spoken:
            subjects = {
                row
                for row, spans in named.rows.items()
                for start, stop in spans
                if begin <= start and stop <= found.start()
            }
            columns = _columns_after(sentence, named, found, end)
            # Where a table has several rows of that name, none of them need be meant, nor one of another table.
            if columns and (len(subjects) > 1 or (sentence.caption and not named.referred)):
                readings.clear()
                break
            for row, (column, value) in product(subjects, columns.items()):
                fact = named.sheet.number(row, column)
                if fact is not None and (value is None or _quotes(value, fact)):
                    readings += _extreme(named, column, row, found)
        yield from readings


def _columns_after(
    sentence: Sentence, named: _NamedTable, found: re.Match[str], end: int
) -> dict[int, TextNumber | None]:
    """The columns that stand behind a superlative with nothing else between, each with the value behind it."""
    text, columns = sentence.text, {}
    linked = re.match(r"\s+(?:on|in|at|for)\s", text[found.end() : end]) is not None
    for column, spans in named.columns.items():
        after = [span for span in spans if found.end() <= span[0] < end]
        gap = text[found.end() : after[0][0]] if after else ""
        whole = named_by(named.sheet.columns[column].label) <= vocabulary(text[found.end() : end])
        owned = whole and not gap.strip() and _HAS.search(text[: found.start()])
        if after and (owned or (linked and _is_listed(gap, named, sentence, found.end()))):
            values = [mention for mention in sentence.amounts if 0 <= mention.start - after[-1][1] < 12]
            columns[column] = next((value for value in values if value.start < end), None)
    return columns


def _is_listed(between: str, named: _NamedTable, sentence: Sentence, offset: int) -> bool:
    """Whether only names of columns, values and idle words stand between."""
    covered = [span for spans in named.columns.values() for span in spans]
    covered += [(mention.start, mention.end) for mention in sentence.amounts]
    left = [word for word, a, b in words(between) if not any(x <= a + offset and b + offset <= y for x, y in covered)]
    return not telling(left)


def _quotes(mention: TextNumber, fact: PrintedNumber) -> bool:
    """Whether a number is a cell's, which has its digits; a cell in shares may be quoted in percent."""
    scale = 100 if mention.unit == "%" and abs(fact.value) <= 1 else 1
    own, cell = real(mention.fact).fact, real(fact).fact
    return own.low < cell.high * scale and own.high > cell.low * scale and cell.unit * scale <= own.unit


def _extreme(named: _NamedTable, column: int, row: int, found: re.Match[str]) -> Iterator[_Reading]:
    sheet, labels = named.sheet, [line.label.split(JOIN) for line in named.sheet.rows]
    beside = [other for other, parts in enumerate(labels) if parts[:-1] == labels[row][:-1]]
    # The first of a block is the first of its rows, or the first of those that are called so in every block.
    facts = named.numbers(column, beside if len(labels[row]) > 1 and len(beside) > 2 else None)
    alike = [other for other, parts in enumerate(labels) if len(parts) > 1 and parts[1:] == labels[row][1:]]
    own, called = (
        sheet.number(row, column),
        [fact for other, fact in named.numbers(column, alike).items() if other != row],
    )
    others = [fact for other, fact in facts.items() if other != row and not _ASIDE.search(sheet.rows[other].label)]
    # A column of several things has no first.
    if own is None or len(others) < 2 or any(other.unit != own.unit for other in others):
        return
    signs = (">=",) if found["high"] else ("<=",) if found["low"] else (">=", "<=")
    orders = [(sign, rivals) for sign in signs for rivals in ((others, called) if len(called) > 1 else (others,))]
    if own.value < 0 and (found["large"] or len(signs) > 1):
        # The largest fall is the largest of all falls, without its sign.
        orders += [("<=", [rival for rival in rivals if rival.value < 0]) for _sign, rivals in orders]
    ahead = min(
        sum(fact.value > own.value if sign == ">=" else fact.value < own.value for fact in others) for sign in signs
    )
    if ahead <= _MOST_BETTER:
        label = sheet.columns[column].label
        formulas = [all_of(*(compare(printed(own), sign, printed(fact)) for fact in rivals)) for sign, rivals in orders]
        says = f"{sheet.rows[row].label} is {found.group().lower()} of column {label!r}"
        yield _Reading(sheet, any_of(*formulas), says, found.start(), label)


# Signs


def _signs(sentence: Sentence, spoken: list[_NamedTable]) -> Iterator[_Reading]:
    """`positive only for A and B`: then it is no such number in any other row."""
    for named in spoken:
        numbers = {column: named.numbers(column) for column in named.sheet.numeric_columns()}
        signed = [
            column for column, facts in numbers.items() if len(facts) > 3 and min(f.value for f in facts.values()) < 0
        ]
        # The columns that the sentence names, or the only one that has both signs.
        columns = [column for column in signed if column in named.columns] or (signed if len(signed) == 1 else [])
        for found, column in ((found, column) for found in _ONLY.finditer(sentence.text) for column in columns):
            meant = [row for row, spans in named.rows.items() if any(span[0] > found.start() for span in spans)]
            others = [fact for row, fact in numbers[column].items() if row not in meant]
            if meant and others and len(meant) == (count_of(found["count"]) if found["count"] else len(meant)):
                opposite = "<=" if found["sign"].lower() == "positive" else ">="
                called = ", ".join(named.sheet.rows[row].label for row in meant)
                says = f"column {named.sheet.columns[column].label!r} is {found.group().lower()} {called}"
                formula = all_of(*(compare(printed(fact), opposite, 0) for fact in others))
                yield _Reading(named.sheet, formula, says, found.start())
