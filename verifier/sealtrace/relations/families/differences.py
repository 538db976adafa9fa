"""Differences and multiples of two rows: `5.2 pp above B`, `23.8× relative to B`, `twice that of B`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations

from sealtrace.paper.fact import plain_address
from sealtrace.paper.names.words import stems, telling, vocabulary
from sealtrace.paper.numbers import COUNTS, PrintedNumber
from sealtrace.paper.sentences import Sentence, TextNumber, relation_before
from sealtrace.relations.families.naming import Spoken
from sealtrace.relations.families.paper import Sheet
from sealtrace.relations.families.ways import ASIDES, CLAUSE, Way, last_before, meets
from sealtrace.relations.families.wording import RELATIVE, apart
from sealtrace.relations.prose import lists_in
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, any_of
from sealtrace.relations.work import Work

_ABOVE = r"(?:above|over|below|behind|ahead of|short of|than)"
_ITS = r"\s+(?:the\s+|its\s+|that of\s+)?"
_RIVAL = re.compile(
    rf"\b(?:{_ABOVE}|compared (?:to|with)|(?:outperform|surpass|exceed|beat|trail|lead)\w*){_ITS}$", re.I
)
_POINTS_ABOVE = re.compile(
    rf"\s*(?:(?:\w+er|more|less|worse|gain|lift|increase|decrease|reduction|drop|lead|improvement|advantage|margin)\s)?"
    rf"{_ABOVE}{_ITS}",
    re.I,
)
_TIMES = re.compile(
    rf"\s*(?:[\w-]+\s){{0,3}}?(?:{_ABOVE}|relative to|compared (?:to|with)|versus|vs\.?|against|of){_ITS}", re.I
)
_CHANGED = re.compile(
    r"\b(?:increas|reduc|decreas|improv|rais|lower|cut|boost|shorten|lengthen|slow|speed)\w*\s"
    r"(?:the\s|its\s|our\s)?((?:[a-z-]+\s){1,3})by\s[-+−]?$",
    re.I,
)
_BY = re.compile(r"\bby\s+(?:only\s+|just\s+)?[-+−]?$", re.I)
_BY_SO_MUCH = re.compile(r"\s(?:by\s(?:only\s|just\s)?[-+−]?|\((?=[+−-]))", re.I)
_WORDED = re.compile(
    rf"\b(?:(?P<word>twice|doubles?|triples?|half|halves)|(?P<count>{'|'.join(COUNTS[2:])}) times)\b", re.I
)
_MULTIPLES = {"twice": "2", "double": "2", "triple": "3", "half": "0.5", "halve": "0.5"}


def _worded(sentence: Sentence) -> Iterator[TextNumber]:
    """`twice`, `half`, `three times`: multiples in words, known to half of the last digit."""
    for found in _WORDED.finditer(sentence.text):
        word, count = found["word"], found["count"]
        value = Fraction(_MULTIPLES[word.lower().rstrip("s")] if word else COUNTS.index(count.lower()))
        unit = Fraction(1) if value > 1 else Fraction(1, 5)
        start, text = found.start(), found.group()
        name = plain_address(sentence.fact(start, text, value, unit))
        said = PrintedNumber(text, value, unit, relation=relation_before(sentence.text, start))
        line = sentence.line_at(start)
        yield TextNumber(name, said, text, start, found.end(), sentence.source, line, "×", "word")


def changes(sentence: Sentence, spoken: list[Spoken]) -> Iterator[Way]:
    """`5.2 pp above B`, `improves over B by 1.2 and 3.4 points`, `23.8× relative to B`: two rows of one table."""
    if not spoken:
        return
    text = sentence.text
    several = sum(mention.unit == "×" for mention in sentence.amounts) > 1
    for mention in (*sentence.amounts, *_worded(sentence)):
        run = next((run for run in lists_in(sentence) if mention in run), [mention])
        by = _BY.search(text[: run[0].start]) is not None
        unit = "pp" if by and run[-1].unit == "pp" else mention.unit
        ranged = re.search(r"\d\s?[–—-]\s?$", text[: mention.start])
        likely = unit == "×" and (several or re.match(r"\s\w+ likely\b", text[mention.end :]))
        if not (mention.loose or ranged or likely or _explained(mention, sentence.amounts)):
            measure = _CHANGED.search(text[: mention.start])
            words = telling(stems(measure[1])) if measure else ()
            for named in spoken if unit or (by and mention.text[:1] in "+-−") else ():
                if words and not set(words) & _spoken_of(named.sheet):
                    continue  # `increases latency by 34 %`: of a table that has no latency
                yield from _change(sentence, named, mention, run if by else [mention], unit)


def _spoken_of(sheet: Sheet) -> frozenset[str]:
    """The words of a table's caption and headers, and of the names of its rows."""
    labels = (line.label for line in (*sheet.columns, *sheet.rows))
    return vocabulary(" ".join((sheet.caption, *labels)))


def _explained(mention: TextNumber, mentions: Sequence[TextNumber]) -> bool:
    """Whether two other numbers of the sentence differ by so many percent, or so many times."""
    values = [other.fact.value for other in mentions if other is not mention and other.fact.value]
    ratios = [a / b for a, b in permutations(values, 2)]
    gaps = {"%": [abs(100 * (ratio - 1)) for ratio in ratios], "×": ratios}.get(mention.unit, [])
    return any(abs(gap - abs(mention.fact.value)) <= mention.fact.unit for gap in gaps)


def _change(sentence: Sentence, named: Spoken, mention: TextNumber, run: list[TextNumber], unit: str) -> Iterator[Way]:
    """A number that two rows differ by: the second stands behind a word that compares, the first is named before."""
    sheet = named.sheet
    subjects, rival, behind = _compared(sentence, named, mention, run, unit)
    if not subjects or rival is None:
        return
    beside = _columns_beside(sentence, named, mention, behind or mention.end)
    columns = beside or (_columns_meant(sentence, named, mention, subjects[0]) if unit != "×" else [])
    if len(run) > 2 and len(run) == len(sheet.numeric_columns()):
        listed = list(zip(run, sheet.numeric_columns(), strict=True))
        right = [_differ(sheet, (subjects[0], rival), [column], other, "pp") for other, column in listed]
        columns = [column for other, column in listed if other is mention]
        if sum(any(search(way, Work(2000)).status == "possible" for way in ways) for ways in right) < len(run) - 1:
            return
    if unit == "×" and (not columns or RELATIVE.search(sheet.columns[columns[0]].label)):
        # What is a ratio already is quoted, not divided.
        return
    ways = [way for row in subjects for way in _differ(sheet, (row, rival), columns[:8], mention, unit)]
    if ways:
        labels = " or ".join(sheet.rows[row].label for row in subjects)
        says = f"{labels} and {sheet.rows[rival].label} differ by {mention.text}"
        yield Way(sheet, any_of(*ways), says, "rows", mention.start, only_if_true=len(columns) > (4 if behind else 1))


def _compared(
    sentence: Sentence, named: Spoken, mention: TextNumber, run: list[TextNumber], unit: str
) -> tuple[list[int], int | None, int | None]:
    """The rows of one name that have the number, the row that they are compared with, and where it begins behind it."""
    text = sentence.text
    # What stands in other brackets only explains what is compared.
    asides = [found.span() for found in ASIDES.finditer(text) if not found.start() < mention.start < found.end()]
    rows = {
        row: kept
        for row, spans in named.rows.items()
        if (kept := [span for span in spans if not any(start < span[1] and span[0] < end for start, end in asides)])
    }
    spans = sorted((span, row) for row, own in rows.items() for span in own)
    link = _TIMES if unit == "×" else _POINTS_ABOVE
    behind = {row: start for (start, _end), row in spans if link.fullmatch(text, mention.end, start)}
    rivals = {row for (start, _end), row in spans if _RIVAL.search(text[:start])} | behind.keys()
    # `surpassing B by 1.5 points and C by 3.0`, `surpassing B (+1.5 points)`: what the first is, the others are.
    margins = {
        other.start: row
        for (_start, end), row in spans
        for other in sentence.amounts
        if _BY_SO_MUCH.fullmatch(text, end, other.start)
    }
    if margins and next(iter(margins.values())) in rivals:
        rivals |= set(margins.values())
    ahead = [row for start, row in margins.items() if start == mention.start and row in rivals]
    second = list(behind) or ahead
    if not second and _BY.search(text[: run[0].start]) and len(rows) == 2:
        second = list(rivals)
    # What another number is compared with has not this one.
    first = last_before(rows, 0, mention.start if behind or ahead else len(text), rivals)
    if len(second) != 1 or not first:
        return [], None, None
    return [row for row in first if rows[row] == rows[first[0]]], second[0], behind.get(second[0])


def _columns_beside(sentence: Sentence, named: Spoken, mention: TextNumber, until: int) -> list[int]:
    """The columns that are named right before a number, or between it and the row behind it."""
    # What stands right behind a row is what the row is, and is not measured.
    rows = [span[1] for spans in named.rows.values() for span in spans]
    return [
        column
        for column, spans in named.columns.items()
        for start, end in spans
        if re.fullmatch(r"\s(?:by|of)\s[-+−]?", sentence.text[end : mention.start])
        or mention.end <= start < end <= until
        if not any(0 <= start - row < 2 for row in rows)
    ]


_OF_ANOTHER = re.compile(r"^[^.;]{0,12}?,? (?:representing|corresponding to|which (?:is|represents)|an?) an?\s$")
"""Between the value of what is compared and the change: with a value that is not the row's, another thing is meant."""


def _columns_meant(sentence: Sentence, named: Spoken, mention: TextNumber, first: int) -> list[int]:
    """The columns of a difference where none stands beside it: quoted before it, named at all, or those in percent."""
    sheet = named.sheet
    close = [other for other in sentence.amounts if other.end <= mention.start and mention.start - other.end < 60]
    numbers = {column: fact for column in sheet.numeric_columns() if (fact := sheet.number(first, column)) is not None}
    quoted = [column for column, fact in numbers.items() if any(meets(other, fact) for other in close)]
    if close and not quoted and _OF_ANOTHER.search(sentence.text[close[-1].end : mention.start]):
        return []
    entries = {column: entry for column in numbers if (entry := sheet.entry(first, column)) is not None}
    percent = [column for column, entry in entries.items() if "%" in f"{entry.text} {sheet.columns[column].label}"]
    if mention.unit == "%" and not named.referred:
        # So many percent more may be of anything that the table has not.
        percent = []
    end = min((cut.start() for cut in CLAUSE.finditer(sentence.text, mention.end)), default=len(sentence.text))
    spoken = [column for column, spans in named.columns.items() if any(span[0] < end for span in spans)]
    return quoted or spoken or percent or (list(numbers) if named.referred and len(numbers) == 1 else [])


def _differ(sheet: Sheet, rows: Sequence[int], columns: Sequence[int], mention: TextNumber, unit: str) -> list[Formula]:
    """How two rows may differ by a number in one of the columns."""
    pairs = [[sheet.number(row, column) for row in rows] for column in columns]
    return [way for a, b in pairs if a and b for way in apart(mention.fact, unit, a, b)]
