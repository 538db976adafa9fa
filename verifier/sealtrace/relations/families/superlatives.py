"""Highest and lowest: a row that a sentence calls first of a column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sealtrace.paper.extracted import JOIN
from sealtrace.paper.names.words import named_by, telling, vocabulary, words
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.families.naming import Spoken
from sealtrace.relations.families.paper import Sheet
from sealtrace.relations.families.ways import Way, clause_around, last_before, numbers_of
from sealtrace.relations.families.wording import printed, real
from sealtrace.relations.syntax import all_of, any_of, compare

# What has its largest in a column is largest of its own row; who is failing most has the least of what is measured.
_SUPERLATIVE = re.compile(
    r"(?<!\bits )(?<!\btheir )\b(?:(?P<best>\w+est or )?(?P<rank>second|third|fourth)[- ])?"
    r"(?:(?P<high>highest|(?P<large>largest|greatest)|maximum|(?<!ing )most|top)|"
    r"(?P<low>lowest|smallest|(?<!ing )least|minimum|fewest)|best|strongest|worst|weakest)\b(?!-of-)",
    re.I,
)
_RANKS = ("first", "second", "third", "fourth")
# What narrows the rows or the sense: then the sentence is not about the whole column.
_NARROWED = re.compile(
    r"\b(?:among|amongst|except|excluding|apart|besides|other|second|third|next|nearly|almost|one of|within|per|of the|"
    r"of those|of these|without|not|never|no longer|than|ours|baselines?|adapted|tested|after|before|if|"
    r"when|would|could|may|might|should|expected|persistent|open|closed|previous|prior|competing|similar|comparable)\b|"
    r"\w+-(?:limited|free|only|system|based|shot)",
    re.I,
)
_AMONG = re.compile(
    r"\bamong(?:st)?\s+(?:the\s+|all\s+)*(?P<group>[\w+-]+(?: [\w+-]+){0,3}?)"
    r"(?=\s+(?:on|in|at|for|is|has|by)\b|\s\(|[,.;:]|$),?",
    re.I,
)
_ASIDE = re.compile(r"oracle|upper bound|ceiling|human|reference|full|ideal|skyline|topline|all[_ ]features", re.I)
_HAS = re.compile(
    r"\b(?:has|have|had|(?:achiev|attain|exhibit|obtain|giv|yield|reach|report|record|show)\w*)(?: the)?\s+$", re.I
)
_MOST_BETTER = 3
"""So many rows that stand before the one that is called first: with more of them the words mean something else."""


def superlatives(sentence: Sentence, spoken: list[Spoken]) -> Iterator[Way]:
    """`A is highest on X`, also among some, or second-highest; `A has the highest X`."""
    text = sentence.text
    for found in _SUPERLATIVE.finditer(text):
        begin, end = clause_around(text, *found.span())
        among = _AMONG.search(text[begin:end])
        narrowed = _NARROWED.search(_AMONG.sub("", f"{text[begin : found.start()]} {text[found.end() : end]}"))
        unclear = sentence.caption and not any(named.referred for named in spoken)
        ways: list[Way] = []
        for named in spoken:
            group = _members(named.sheet, among["group"]) if among else None
            if among and not group:
                continue
            rows = {row: spans for row, spans in named.rows.items() if group is None or row in group}
            subjects = last_before(rows, begin, found.start())
            columns = {} if narrowed else _columns_after(sentence, named, found, end, bool(among))
            # Where a table has several rows of that name, another need not be meant.
            unclear = unclear or (len(subjects) > 1 and bool(columns))
            cells = [
                (row, column, value)
                for row in (subjects if len(subjects) == 1 else ())
                for column, value in columns.items()
                if (fact := named.sheet.number(row, column)) is not None and (value is None or _quotes(value, fact))
            ]
            for row, column, value in cells:
                extremes = _extreme(named.sheet, column, row, found, group)
                if value is not None:
                    yield from extremes
                else:
                    ways += extremes
        yield from (replace(way, only_if_true=way.only_if_true or unclear) for way in ways)


def _columns_after(
    sentence: Sentence, named: Spoken, found: re.Match[str], end: int, among: bool
) -> dict[int, TextNumber | None]:
    """The columns that stand behind a superlative with nothing else between, each with the value behind it."""
    text, columns = sentence.text, {}
    linked = re.match(r"\s+(?:on|in|at|for)\s", _AMONG.sub("", text[found.end() : end], count=1)) is not None
    for column, spans in named.columns.items():
        after = [span for span in spans if found.end() <= span[0] < end]
        gap = text[found.end() : after[0][0]] if after else ""
        whole = named_by(named.sheet.columns[column].label) <= vocabulary(text[found.end() : end])
        owned = whole and not gap.strip() and _HAS.search(text[: found.start()])
        if after and (owned or (linked and (among or _is_listed(gap, named, sentence, found.end())))):
            values = [mention for mention in sentence.amounts if 0 <= mention.start - after[-1][1] < 12]
            columns[column] = next((value for value in values if value.start < end), None)
    return columns


def _is_listed(between: str, named: Spoken, sentence: Sentence, offset: int) -> bool:
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


def _members(sheet: Sheet, group: str) -> list[int]:
    """The rows whose names, or those of their block, have the words of a group: `among the open models`."""
    names = [vocabulary(f"{line.label} {line.first}") for line in sheet.rows]
    wanted = named_by(group) & frozenset().union(*names)
    return [row for row, own in enumerate(names) if wanted and wanted <= own]


def _extreme(sheet: Sheet, column: int, row: int, found: re.Match[str], group: list[int] | None) -> Iterator[Way]:
    own, labels = sheet.number(row, column), [line.label.split(JOIN) for line in sheet.rows]
    beside = [other for other, parts in enumerate(labels) if parts[:-1] == labels[row][:-1]]
    # The first of a block is the first of its rows.
    facts = numbers_of(sheet, column, group or (beside if len(labels[row]) > 1 and len(beside) > 2 else None))
    others = [fact for other, fact in facts.items() if other != row and not _ASIDE.search(sheet.rows[other].label)]
    # A column of several things has no first.
    if own is None or len(others) < 2 or any(other.unit != own.unit for other in others):
        return
    signs = (">=",) if found["high"] else ("<=",) if found["low"] else (">=", "<=")
    # Or it is the first of those that are called so in every block.
    alike = [other for other, parts in enumerate(labels) if len(parts) > 1 and parts[1:] == labels[row][1:]]
    called = [fact for other, fact in numbers_of(sheet, column, alike).items() if other != row]
    orders = [(sign, rivals) for sign in signs for rivals in ((others, called) if len(called) > 1 else (others,))]
    if own.value < 0 and (found["large"] or len(signs) > 1):
        # The largest fall is the largest of all falls, without its sign.
        orders += [("<=", [rival for rival in rivals if rival.value < 0]) for _sign, rivals in orders]
    formulas, ahead = [], []
    rank = _RANKS.index((found["rank"] or "first").lower())
    for sign, rivals in orders:
        ranked = sorted(rivals, key=lambda fact: fact.value, reverse=sign == ">=")
        if rivals is not called:
            ahead.append(sum(fact.value > own.value if sign == ">=" else fact.value < own.value for fact in ranked))
        # Those before a second or third have to be there, unless it may be the first itself.
        before = [] if found["best"] else [compare(printed(fact), sign, printed(own)) for fact in ranked[:rank]]
        formulas.append(all_of(*before, *(compare(printed(own), sign, printed(fact)) for fact in ranked[rank:])))
    label, many = sheet.columns[column].label, min(ahead) > rank + _MOST_BETTER
    says = f"{sheet.rows[row].label} is {found.group().lower()} of column {label!r}"
    yield Way(sheet, any_of(*formulas), says, "row and column", found.start(), label, only_if_true=many)
