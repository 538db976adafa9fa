"""How many: counts of the text against the rows of the table that lists what is counted.

A count is held against a table only where the table is the whole: the sentence refers to it, another table sorts its
rows by the same names, or the text says out of how many, and so many rows are there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sealtrace.paper.extracted import JOIN
from sealtrace.paper.names.words import named_by, stem, stems, vocabulary, words
from sealtrace.paper.numbers import COUNTS, count_in
from sealtrace.paper.sentences import Sentence
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.naming import Span, is_of
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.wording import SUMMARY, plain
from sealtrace.relations.prose import ratios_in
from sealtrace.relations.syntax import Expression, Given, equal, number
from sealtrace.relations.work import time_is_up

FAMILY = "tally"
MOST_APART = 2
"""So far a count may be from the rows: what is further off counts something else."""
LEAST_WRONG = 4
"""So many are more likely all of a table than a few of it that were spoken of before."""
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(COUNTS[3:])})"
# What counts all of them, and not a few that do something.
_WHOLE = re.compile(
    r"\b(?:all(?: of)?(?: the)?|the|these|our|its|(?P<caption>over|across|on)|(?:compris|contain|spann?|cover)\w*|"
    r"we (?:select|evaluat|compar|consider|stud|us|test|defin|examin|analy[sz]|benchmark)\w*)\s"
    rf"{_COUNT}\s(?P<noun>(?:(?!of|and|or|in|other|remaining|best|top|most)[\w’'-]+\s){{0,2}}?[a-z]+s)\b"
    r"(?!\s(?:that|which|whose|where|with|without|who|not|above|below)\b|\s?[×x]\s?\d)",
    re.I,
)
_SUMS_UP = re.compile(r"\b(?:average|avg\.?|mean|total|overall|subtotal)\)?$")
_OVER = re.compile(rf"(?:mean|average|total|median|sum) (?:over|of|across) (?:all |the )?{_COUNT}\b", re.I)
_BESIDE = re.compile(
    r"baseline|control|original|clean|none|reference|random|chance|human|oracle|ours|full|default|standard|other", re.I
)
"""Rows that a count of the others may leave out."""
_SEVERAL = re.compile(r"^(?:others?|misc\w*|rest|remaining|various|multiple)\b|[+,/&]| and ", re.I)
"""Rows that stand for several things."""
_SPAN = re.compile(r"years?|months?|weeks?|days?|hours?|quarters?|rows?|lines?", re.I)
"""Nouns whose count need not be the rows: from 2014 to 2024 are ten years."""
_COMPARED = re.compile(r"methods?|models?|approaches|systems?|algorithms?|variants?|settings?|con\w+|strategies", re.I)
"""Nouns of which a table may have one more: what they are compared with."""
_SOME = re.compile(
    r"\b(?:examples?|select\w*|samples?|top|representative|subset|excerpt|partial|some|continued)\b", re.I
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?![\d–-])")
_DATED = re.compile(
    r"\b(?:(?P<from>(?:in|from) (?=\d+ or later)|since )|(?P<before>before |prior to )|(?P<after>after ))"
    r"(?P<year>(?:19|20)\d\d)(?: or later)?",
    re.I,
)
_SHARE = re.compile(rf"(?<![\w.,/-]){_COUNT}\s(?P<noun>[a-z]+s)\s\((?P<share>\d{{1,3}}(?:\.\d)?)\s?%\)", re.I)
_NOT = re.compile(r"\b(?:not|no|without|except|excluding|but|only|lack\w*|neither|nor|non)\b", re.I)
_CATEGORY = re.compile(rf"(?P<head>[A-Z][a-z]+)\s(?P<value>\d|[A-Z])\b[^.;()]{{0,40}}\({_COUNT}\s(?P<noun>[a-z]+)\)")
_NEAR = 60


@dataclass(frozen=True)
class _Listing:
    """A table that lists things, each in a row of its own."""

    sheet: Sheet
    rows: tuple[int, ...]
    """Those that sum up nothing."""

    @cached_property
    def cells(self) -> dict[int, tuple[str, ...]]:
        """What stands in each row."""
        return {row: self.sheet.table.rows[row].texts for row in self.rows}

    @cached_property
    def heads(self) -> dict[int, tuple[str, ...]]:
        """The stems of each header that stands in one line."""
        labels = self.sheet.table.headers
        return {column: stems(label) for column, label in enumerate(labels) if stems(label) and JOIN not in label}

    def names(self, column: int) -> set[str]:
        """What a column says."""
        return {plain(cells[column]) for cells in self.cells.values()} - {""}

    def lists(self, noun: str) -> bool:
        """Whether such things are listed, by one of the first headers or the caption."""
        heads = [self.heads.get(column, ()) for column in (0, 1)]
        return any(noun in head for head in heads) or noun in vocabulary(self.sheet.caption)

    def sizes(self, column: int) -> set[int]:
        """How many a count may mean: rows, names, parts between rules, rows that are not zero, or no baselines."""
        lines, size = self.sheet.rows, 0
        beside = sum(_BESIDE.search(lines[row].label) is not None for row in self.rows)
        filled = [row for row in self.rows if any(fact.value for fact in self.sheet.across(row))]
        parts = {0}
        for row, after in zip(self.rows, (*self.rows[1:], None), strict=True):
            size += 1
            if after is None or any(line.after_rule for line in lines[row + 1 : after + 1]):
                parts |= {total + size for total in parts}
                size = 0
        return {len(self.names(column)), len(filled), *parts, *range(len(self.rows) - beside, len(self.rows) + 1)}


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every claim of this family."""
    listings = [listing for sheet in paper.sheets if (listing := _listing(sheet)) is not None]
    for listing in listings:
        yield from _summed_up(listing)
    yield from _all_rows(paper, listings)
    yield from _by_category(paper, listings)
    for sentence in paper.sentences:
        if time_is_up():
            return
        yield from _some_rows(sentence, listings)


def _is_summary(name: str) -> bool:
    return any((SUMMARY.fullmatch(name), _SUMS_UP.search(name), _OVER.match(name)))


def _listing(sheet: Sheet) -> _Listing | None:
    names = {
        row: (plain(line.first), plain(line.label))
        for row, line in enumerate(sheet.rows)
        if any(text.strip() for text in sheet.table.rows[row].texts)
    }
    rows = [row for row, own in names.items() if not any(map(_is_summary, own))]
    # Where a rule stands below every row, the header may have taken one.
    ruled = all(sheet.rows[row].after_rule for row in list(names)[1:])
    return _Listing(sheet, tuple(rows)) if len(rows) > 2 and not ruled else None


def _claim(listing: _Listing, told: Expression, counted: int, says: str, source: str) -> Claim:
    sheet = listing.sheet
    return Claim(
        f"{FAMILY} {source[-40:]} {sheet.label} {says[:60]}",
        equal(told, number(counted)),
        f"{says} are counted in {sheet.label}, and {counted} such rows stand there.",
        source,
        ("The table lists all that is counted, each in a row of its own.",),
        question="Which rows are counted, and are all of them printed?",
        family=FAMILY,
        evidence="the table is called what is counted",
    )


def _said(sentence: Sentence, span: Span, told: int) -> tuple[Given, str]:
    """A count as the sentence states it, and where."""
    fact = sentence.fact(span[0], sentence.text[slice(*span)], Fraction(told))
    return Given(fact), f"“{sentence.short}” ({sentence.place(span[0])})"


def _summed_up(listing: _Listing) -> Iterator[Claim]:
    """`Mean over 5 seeds`: a row that says how many are above it."""
    for row, line in enumerate(listing.sheet.rows):
        if found := _OVER.match(plain(line.label)):
            above = [other for other in listing.rows if other < row]
            told, source = number(count_in(found["count"]) or 0), listing.sheet.place(f"row {line.label!r}")
            yield _claim(listing, told, len(above), f"{line.label!r}: {found['count']}", source)


def _all_rows(paper: AuditedPaper, listings: list[_Listing]) -> Iterator[Claim]:
    """`the eight models in Table 2`, `spanning 8 domains`: as many as the table lists, said once or often."""
    said: dict[tuple[int, int], list[tuple[Sentence, re.Match[str]]]] = {}
    for sentence in paper.sentences:
        for found in _WHOLE.finditer(sentence.text):
            noun, told = stems(found["noun"]), count_in(found["count"]) or 0
            fitting = [
                (place, column)
                for place, listing in enumerate(listings)
                for column, head in listing.heads.items()
                if noun[-len(head) :] == head
            ]
            first = [place for place, column in fitting if column == 0]
            meant = [place for place in first if _refers(sentence, listings[place].sheet)]
            if found["caption"] and not sentence.caption:
                continue
            holding = [place for place, column in fitting if told in listings[place].sizes(column)]
            # A table of other things that is sorted by the same names.
            sorting = [listings[place].names(column) for place, column in fitting if column > 0]
            whole = meant or [place for place in first if listings[place].names(0) in sorting]
            for place in [place for place in whole if place in holding] or ([] if holding else whole[:1]):
                said.setdefault((place, told), []).append((sentence, found))
    for (place, told), passages in said.items():
        listing, (sentence, found) = listings[place], passages[0]
        names, holds = listing.names(0), told in listing.sizes(0)
        if holds or _is_wrong(paper, listing, told, found["noun"].split()[-1]):
            says = f"{found.group()!r}{f', said {len(passages)} times,' if len(passages) > 1 else ''}"
            given, source = _said(sentence, found.span("count"), told)
            yield _claim(listing, given, told if holds else len(names), says, source)


def _is_wrong(paper: AuditedPaper, listing: _Listing, told: int, noun: str) -> bool:
    """Whether a count that is not that of the rows has nothing to excuse it."""
    sheet, names = listing.sheet, listing.names(0)
    panels = [other for other in paper.sheets if other.label.split("#")[0] == sheet.label.split("#")[0]]
    # Where things are listed side by side, the second header is told apart by a number.
    own = listing.heads[0]
    beside = [head for head in listing.heads.values() if head == own or (head[:-1] == own and head[-1].isdecimal())]
    alone = len(names) == len(listing.rows) and not any(map(_SEVERAL.search, names))
    excused = _SPAN.fullmatch(noun) or _SOME.search(sheet.caption) or (told < len(names) and _COMPARED.fullmatch(noun))
    near = told >= LEAST_WRONG and abs(told - len(names)) <= MOST_APART
    return alone and near and not excused and len(panels) == len(beside) == 1


def _refers(sentence: Sentence, sheet: Sheet) -> bool:
    return sheet.label.split("#")[0] in sentence.references or is_of(sentence, sheet)


def _by_category(paper: AuditedPaper, listings: list[_Listing]) -> Iterator[Claim]:
    """`Tier 1 (5 tasks)`, `Tier 2 (7 tasks)`: how often each stands below that header, where all are counted."""
    said: dict[tuple[str, str], dict[str, tuple[Sentence, re.Match[str]]]] = {}
    for sentence in paper.sentences:
        for found in _CATEGORY.finditer(sentence.text):
            counted = said.setdefault((stem(found["head"].lower()), stem(found["noun"])), {})
            counted.setdefault(found["value"], (sentence, found))
    for (head, noun), values in said.items():
        told = {value: count_in(found["count"]) or 0 for value, (_sentence, found) in values.items()}
        for listing in listings if len(told) > 1 else ():
            column = next((column for column, own in listing.heads.items() if own == (head,)), None)
            if column is None or not listing.lists(noun) or sum(told.values()) != len(listing.rows):
                continue
            if {cells[column].strip() for cells in listing.cells.values()} == set(told):
                for value, (sentence, found) in values.items():
                    rows = tuple(row for row, cells in listing.cells.items() if cells[column].strip() == value)
                    given, source = _said(sentence, found.span("count"), told[value])
                    says = f"{told[value]} of {found['head']} {value}"
                    yield _claim(listing, given, len(rows), says, source)


def _some_rows(sentence: Sentence, listings: list[_Listing]) -> Iterator[Claim]:
    """`13/16 tasks use NHANES`, `13 papers (81%) published in 2020 or later`: rows that say so."""
    text = sentence.text
    given = [(ratio.start, ratio.end, ratio.part, text[ratio.end :], {ratio.whole}) for ratio in ratios_in(sentence)]
    for found in _SHARE.finditer(text):
        part, unit = count_in(found["count"]) or 0, Fraction(1, 10 ** len(found["share"].partition(".")[2]))
        wholes = {n for n in range(3, 400) if abs(Fraction(100 * part, n) - Fraction(found["share"])) <= unit / 2}
        given.append((*found.span(), part, found["noun"], wholes))
    for start, end, part, behind, wholes in given:
        noun = next((word for word, _start, _end in words(behind)), "")
        clause = f"{text[max(0, start - _NEAR) : start]} {text[end : end + _NEAR]}"
        if _NOT.search(clause):
            continue
        ways = [
            (listing, says, rows)
            for listing in listings
            if len(listing.rows) in wholes and listing.lists(noun)
            for says, rows in _conditions(listing, clause)
        ]
        holding = [way for way in ways if len(way[2]) == part]
        # Where words of several columns fit, and not the same rows have them, nothing is said.
        for listing, says, rows in holding[:1] or (ways[:1] if len({len(rows) for *_way, rows in ways}) == 1 else ()):
            if abs(len(rows) - part) <= MOST_APART:
                told, source = _said(sentence, (start, end), part)
                yield _claim(listing, told, len(rows), f"{text[start:end]!r} with {says!r}", source)


def _conditions(listing: _Listing, clause: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What a clause may say of some of the rows, with these: a year, or a word of one column."""
    dated, named = _DATED.search(clause), {word: clause[start:end] for word, start, end in words(clause)}
    for column in range(1, len(listing.sheet.table.columns)):
        texts = {row: cells[column] for row, cells in listing.cells.items()}
        years = {row: int(own[0]) for row, text in texts.items() if len(own := _YEAR.findall(text)) == 1}
        if dated is not None:
            bound = int(dated["year"])
            meant = range(bound) if dated["before"] else range(bound + bool(dated["after"]), 2100)
            if len(years) == len(texts):
                yield dated.group(), tuple(row for row, year in years.items() if year in meant)
            continue
        often = Counter(word for text in texts.values() for word in named_by(text))
        for word, times in often.items():
            if word in named and 1 < times < len(texts) and word.isalpha() and len(word) > 2:
                yield named[word], tuple(row for row, text in texts.items() if word in named_by(text))
