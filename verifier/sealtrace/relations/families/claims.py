"""What sentences say of columns and rows: highest, all within, only, first, monotone, points above, times.

Each operator reads a passage in every way that its words allow, over every table that they name, as a formula. A way
that holds is what is meant; where none does, the one whose table fits the words best is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

from sealtrace.paper.extracted import JOIN
from sealtrace.paper.fact import Fact
from sealtrace.paper.names.words import named_by, vocabulary
from sealtrace.paper.numbers import count_in
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.differences import changes
from sealtrace.relations.families.naming import Span, Spoken, index_of
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.superlatives import superlatives
from sealtrace.relations.families.ways import ASIDES, Way, clause_around, meets, numbers_of, settled
from sealtrace.relations.families.wording import is_slip, plain, printed, same
from sealtrace.relations.prose import ratios_in, shape_of
from sealtrace.relations.syntax import Formula, Given, Ordered, all_of, any_of, call, compare, equal, number
from sealtrace.relations.work import time_is_up


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every claim that a sentence makes of a table."""
    index = index_of(paper)
    labels = {sheet.label.split("#")[0] for sheet in paper.sheets}
    before: Sentence | None = None
    for sentence in paper.sentences:
        if time_is_up():
            return
        spoken = index.spoken(sentence)
        # Right behind a sentence that refers to a table it speaks of that one.
        follows = before is not None and (before.source, before.paragraph) == (sentence.source, sentence.paragraph)
        meant = labels.intersection(before.references) if before is not None and follows else frozenset()
        if meant and not sentence.references and not sentence.caption:
            spoken = [named for named in spoken if named.sheet.label.split("#")[0] in meant]
        before = sentence
        near = [named for named in spoken if named.referred]
        swept = near or [named for named in spoken if _sweeps(sentence, named.sheet)]
        for operator, tables in (
            (superlatives, spoken),
            (changes, [*spoken, *(named.turned() for named in spoken)]),
            (_signs, near or spoken),
            (_monotone, swept),
            (_bounds, spoken),
            (_first_times, spoken),
            (_extents, near),
        ):
            yield from settled(sentence, list(operator(sentence, tables)))


def _filled(spoken: list[Spoken], least: int) -> Iterator[tuple[Sheet, int, list[Fact]]]:
    """Columns that a sentence names, with the numbers of the rows that it names, or of all; at least so many."""
    for named in spoken:
        for column in named.columns:
            facts = list(numbers_of(named.sheet, column, named.rows or None).values())
            if len(facts) >= least:
                yield named.sheet, column, facts


# Whole columns


_MONOTONE = re.compile(
    r"(?<!near-)(?<!near )(?<!nearly )(?<!non-)(?<!not )(?<!almost )(?<!roughly )(?<!mostly )"
    r"\bmonoton(?:ically|ic|e)\b",
    re.I,
)
_MOVES = re.compile(
    r"\b(?:(?P<up>rises?|climbs?|increas(?:es?|ing)|grows?|improves?|rising|growing)|"
    r"(?P<down>falls?|drops?|decreas(?:es?|ing)|declin(?:es?|ing)|shrinks?|falling|dropping)|"
    r"scales?|changes?|varies|var(?:y|ying)|moves?)\b",
    re.I,
)
_ALONG = re.compile(
    r"\b(?:with|as|along) (?:the |increasing |larger |growing )*([\w ’'-]+?)"
    r"(?= (?:for|in|at|across|from|on|is|of|and)\b|[,;:.(]|$)"
)
_FROM_TO = re.compile(r"\bfrom\b[^.;]*?\bto\b[^.;,(]*", re.I)


def _sweeps(sentence: Sentence, sheet: Sheet) -> bool:
    """Whether a sentence names what changes from row to row: `rises with data size`."""
    heads = named_by(sheet.table.columns[0].label)
    along = _ALONG.search(sentence.text)
    return bool(heads) and along is not None and named_by(along[1]) == heads


def _monotone(sentence: Sentence, spoken: list[Spoken]) -> Iterator[Way]:
    """`height rises monotonically with age`: a column, from row to row."""
    text, verbs = sentence.text, list(_MOVES.finditer(sentence.text))
    if not _MONOTONE.search(text):
        return
    for verb, meant in product(verbs, (meant for meant in spoken if not meant.rows)):
        begin = max((other.start() for other in verbs if other.start() < verb.start()), default=0)
        spans = [(span[1], column) for column, spans in meant.columns.items() for span in spans]
        named = [(end, column) for end, column in spans if begin <= end <= verb.start()]
        if not named or len(ASIDES.sub("", text[max(named)[0] : verb.start()])) >= 40:
            continue
        column = max(named)[1]
        facts = list(numbers_of(meant.sheet, column).values())
        # `from order 0 to order 4` speaks of some rows only, unless these are the column's own ends.
        some = _FROM_TO.search(text, verb.start())
        ends = [mention for mention in sentence.amounts if some and some.start() < mention.start < some.end()]
        if len(facts) < 4 or any(not meets(end, fact) for end, fact in zip(ends, (facts[0], facts[-1]), strict=False)):
            continue
        orders = {"nondecreasing": "rises", "nonincreasing": "falls"}
        # Where rows are not of what it goes along with, they may be in another order.
        either = _ALONG.search(text) is not None and not _sweeps(sentence, meant.sheet)
        if not either and (verb["up"] or verb["down"]):
            del orders["nonincreasing" if verb["up"] else "nondecreasing"]
        formula = any_of(*(Ordered(order, tuple(map(printed, facts))) for order in orders))
        says = f"column {meant.sheet.columns[column].label!r} {' or '.join(orders.values())} from row to row"
        yield Way(meant.sheet, formula, says, "column", verb.start(), only_if_true=either and not sentence.caption)


_EVERY = re.compile(r"\b(?:every|all|each|always)\b", re.I)
_EXCEPT = re.compile(r"\b(?:except|but|other than|excluding|apart from|nearly all|almost all|not all)\b", re.I)
_LIMIT = re.compile(
    r"(?:(?P<sides>within(?:\s±)?)|(?P<by>by more than)|"
    r"(?P<most>at most|no more than|not more than|below|under|less than|smaller than|up to|≤|<)|"
    r"(?P<least>at least|no less than|above|over|greater than|larger than|more than|exceeds?|beyond|≥|>))\s*$",
    re.I,
)


_LISTED = re.compile(r"\s*(?:,|,?\s*and|,?\s*as well as)\s+(?:the\s+)?")
_DOUBT = re.compile(
    r"\b(?:no|not|never|neither|nor|without|fail\w*|except|but|if|when|would|could|may|might|between|than|versus|vs|gap|"
    r"difference\w*|target\w*|threshold\w*|requir\w*)\b",
    re.I,
)
_CONFINED = re.compile(r"[^.;:]{0,30}?\b(?:confined|limited|restricted) to\s(?P<list>[^.;:]+)", re.I)
_FIRST = re.compile(
    r"\b(?:(?P<most>below|under)|above|over|exceed\w*)\s(?P<limit>parity|unity|one|zero|-?\d+(?:\.\d+)?)\s"
    r"for the first time in\s",
    re.I,
)
_WORDS = {"parity": 1, "unity": 1, "one": 1, "zero": 0}
_OPPOSITE = {"<=": ">=", ">=": "<="}


def _bounds(sentence: Sentence, spoken: list[Spoken]) -> Iterator[Way]:
    """`both A and B reach accuracy > 0.9`, `every delta is within ±0.04`, `accuracy above 0.9 is confined to A`."""
    text = sentence.text
    for mention in sentence.amounts:
        found, limit = _LIMIT.search(text[: mention.start]), mention.fact.value
        if found is None or re.match(r"by|up", found.group(), re.I):
            continue
        begin, _end = clause_around(text, *found.span())
        confined = _CONFINED.match(text, mention.end)
        every = _EVERY.search(text, begin, found.start()) is not None and not _EXCEPT.search(text)
        for named in spoken if not _DOUBT.search(text[begin : found.start()]) else ():
            columns = [
                column
                for column, spans in named.columns.items()
                if _measured(text, spans, found, mention)
                if named_by(named.sheet.columns[column].label.split(JOIN)[-1]) <= vocabulary(text)
            ]
            rows = _joined(text, named.rows, begin, found.start())
            if len(columns) != 1 or bool(rows) + bool(confined) + (every and not named.rows) != 1:
                continue
            facts = numbers_of(named.sheet, columns[0])
            scale = 100 if mention.unit == "%" and all(abs(fact.value) <= 1 for fact in facts.values()) else 1
            sign, label = "<=" if found["most"] or found["sides"] else ">=", named.sheet.columns[columns[0]].label
            if confined:
                rows = _unlisted(named.sheet, facts, confined["list"], sign, limit / scale)
                sign = _OPPOSITE[sign]
            elif not rows and len(facts) > 2 and mention.decimals:
                rows = list(facts)
            largest = max((abs(facts[row].value) for row in rows if row in facts), default=Fraction(0)) * scale
            # A bound of another size is of another quantity.
            alike = not limit or largest / 5 < abs(limit) < largest * 5
            if rows and alike and all(row in facts for row in rows):
                cells = [call("abs", printed(facts[row])) if found["sides"] else printed(facts[row]) for row in rows]
                labels = ", ".join(named.sheet.rows[row].label for row in rows)
                says = f"{label} of {labels if len(rows) < 5 else 'all others' if confined else 'all rows'} is {sign} "
                formula = all_of(
                    *(compare(cell, sign, limit / scale) for cell in cells),
                    compare(Given(mention.fact), "<=", mention.fact.high),
                )
                yield Way(named.sheet, formula, says + mention.text, "rows and column", mention.start)


def _measured(text: str, spans: list[Span], found: re.Match[str], mention: TextNumber) -> bool:
    """Whether a column is named right before a bound, or right behind its number."""
    link = r"\s?(?:scores?|values?|is|are|was|were|of|remains?|stays?|\()?\s?"
    return any(
        re.fullmatch(link, text[end : found.start()]) if end <= found.start() else text[mention.end : start] == " "
        for start, end in spans
    )


def _joined(text: str, rows: dict[int, list[Span]], begin: int, end: int) -> list[int]:
    """Rows that a clause lists one behind the other, what stands in brackets left out."""
    spans = sorted((span, row) for row, spans in rows.items() for span in spans if begin <= span[0] and span[1] <= end)
    listed = all(_LISTED.fullmatch(ASIDES.sub("", text[a[1] : b[0]])) for (a, _row), (b, _next) in pairwise(spans))
    # Of two that are called both, one may have another name in the table.
    both = spans and re.search(r"\bboth\s(?:(?:[\w()’'-]+\s){1,5}and\s(?:[\w-]+\s)?)?$", text[: spans[0][0][0]], re.I)
    return [row for _span, row in spans] if listed and (len(spans) > 1 or both) else []


def _unlisted(sheet: Sheet, facts: dict[int, Fact], listed: str, sign: str, limit: Fraction) -> list[int]:
    """The rows that should not be beyond a bound: those that are not, and more than can be meant by unknown names."""
    beyond = [row for row, fact in facts.items() if (fact.value > limit if sign == ">=" else fact.value < limit)]
    names = [named_by(item) for item in re.split(r",\s*(?:and\s)?|\sand\s", ASIDES.sub("", listed))]
    own = {row: named_by(sheet.rows[row].first) for row in beyond}
    foreign = [row for row in beyond if not any(own[row] & name for name in names)]
    unknown = sum(not any(name & stems for stems in own.values()) for name in names)
    others = [row for row in facts if row not in beyond]
    return [*foreign, *others] if not foreign or len(foreign) > unknown else []


def _first_times(sentence: Sentence, spoken: list[Spoken]) -> Iterator[Way]:
    """`the index rose above 1 for the first time in 2023`: no earlier row is."""
    for found in _FIRST.finditer(sentence.text):
        limit = Fraction(_WORDS.get(found["limit"].lower(), found["limit"]))
        for named in spoken:
            meant = [row for row, spans in named.rows.items() if any(a <= found.end() < b for a, b in spans)]
            columns = [
                column for column, spans in named.columns.items() if any(end < found.start() for _s, end in spans)
            ]
            years = [plain(line.first)[:4] for line in named.sheet.rows]
            rising = all(a.isdecimal() and (not b.isdecimal() or a < b) for a, b in pairwise([*years, ""]))
            if len(meant) != 1 or len(columns) != 1 or not rising:
                continue
            sign, label = "<=" if found["most"] else ">=", named.sheet.columns[columns[0]].label
            facts = numbers_of(named.sheet, columns[0], range(meant[0] + 1))
            formulas = [
                compare(printed(fact), sign if row == meant[0] else _OPPOSITE[sign], limit)
                for row, fact in facts.items()
            ]
            says = f"column {label!r} is {sign} {limit} in {named.sheet.rows[meant[0]].label}, and not before"
            if len(formulas) > 2:
                yield Way(named.sheet, all_of(*formulas), says, "row and column", found.start())


_RANGES = re.compile(
    r"(?:(?P<between>between\s)?(?P<first>№)(?:%|pp|×)?\s?(?:–|—|to|(?P<and>and))\s?|\bup to\s+)[-+−]?(?P<last>[№≋])",
    re.I,
)


def _extents(sentence: Sentence, spoken: list[Spoken]) -> Iterator[Way]:
    """`0.61–0.95`, `from 0.61 to 0.95`, `up to 0.95`: ends of a column, or ones that miss them by a slip."""
    shape = shape_of(sentence)
    for found in _RANGES.finditer(shape.text):
        given = [*(shape.numbers(found, "first") if found["first"] else ()), *shape.numbers(found, "last")]
        if found["and"] and not found["between"]:
            continue
        ends = sorted(given, key=lambda mention: mention.fact.value)
        for sheet, column, facts in _filled(spoken, 5 - len(ends)) if len(ends[-1].digits) > 1 else ():
            bottom, top = (choose(facts, key=lambda fact: fact.value) for choose in (min, max))
            scale = 100 if given[-1].unit == "%" and abs(top.value) <= 1 else 1
            pairs = list(zip(ends, (bottom, top)[-len(ends) :], strict=True))
            wrong = [(mention, end) for mention, end in pairs if not meets(mention, end)]
            slips = (
                len(own.digits) > 2 and is_slip(own.fact.value, end.value * scale, own.fact.unit) for own, end in wrong
            )
            # One end that is right vouches for the other.
            if len(wrong) < 2 and all(slips):
                texts = " to ".join(mention.text for mention in ends)
                says = f"column {sheet.columns[column].label!r} goes {'up to ' if len(ends) == 1 else 'from '}{texts}"
                formula = all_of(*(same(mention.fact, end, scale) for mention, end in pairs))
                yield Way(sheet, formula, says, "column", given[0].start)


# Signs


_ONLY = re.compile(
    r"\b(?P<sign>positive|negative|non-?zero)\s+only\s+(?:for|on|in)\s+(?:the\s+)?"
    r"(?:(?P<count>\d+|one|two|three|four|five|six)\b)?",
    re.I,
)
_SIGN = re.compile(r"\b(?P<sign>positive|negative)\b", re.I)


def _signs(sentence: Sentence, spoken: list[Spoken]) -> Iterator[Way]:
    """`positive only for A and B`, `positive only for the two …`, `negative on 9/10 seeds`."""
    for named, column in ((meant, column) for meant in spoken for column in _signed_columns(meant)):
        facts, label = numbers_of(named.sheet, column), named.sheet.columns[column].label
        for found in _ONLY.finditer(sentence.text):
            count = count_in(found["count"]) if found["count"] else None
            meant = [row for row, spans in named.rows.items() if any(span[0] > found.start() for span in spans)]
            having = {row: fact for row, fact in facts.items() if _has_sign(fact, found["sign"])}
            says = f"column {label!r} is {found.group().lower()}"
            if meant and count in (None, len(meant)):
                opposite = "<=" if found["sign"].lower() == "positive" else ">="
                others = [fact for row, fact in having.items() if row not in meant]
                others = others or [fact for row, fact in facts.items() if row not in meant]
                formula: Formula = all_of(*(compare(printed(fact), opposite, 0) for fact in others))
                says += f" {', '.join(named.sheet.rows[row].label for row in meant)}"
            elif not meant and count is not None:
                formula, says = _counted(list(having.values()), count), f"{says} rows"
            else:
                continue
            yield Way(named.sheet, formula, says, "column", found.start())
        for ratio in ratios_in(sentence) if named.referred else ():
            signs = list(_SIGN.finditer(sentence.text, max(0, ratio.start - 90), ratio.end + 40))
            if len(signs) == 1 and len(facts) == ratio.whole:
                kept = [fact for fact in facts.values() if _has_sign(fact, signs[0]["sign"])]
                says = f"{ratio.text} of column {label!r} are {signs[0]['sign'].lower()}, and {len(kept)} are"
                yield Way(named.sheet, _counted(kept, ratio.part), says, "column", ratio.start)


def _signed_columns(meant: Spoken) -> list[int]:
    """Columns that have both signs: those that the sentence names, or the only one."""
    columns = {column: numbers_of(meant.sheet, column).values() for column in meant.sheet.numeric_columns()}
    signed = [column for column, facts in columns.items() if len(facts) > 3 and min(fact.value for fact in facts) < 0]
    return [column for column in signed if column in meant.columns] or (signed if len(signed) == 1 else [])


def _has_sign(fact: Fact, word: str) -> bool:
    return {"positive": fact.value > 0, "negative": fact.value < 0}.get(word.lower(), fact.value != 0)


def _counted(facts: list[Fact], count: int) -> Formula:
    """So many numbers are not zero, no more and no fewer."""
    return all_of(equal(number(len(facts)), number(count)), *(compare(printed(fact), "!=", 0) for fact in facts))
