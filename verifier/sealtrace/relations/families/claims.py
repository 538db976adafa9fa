"""What sentences say of columns and rows: highest, all within, monotone, positive only for, points above, times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.naming import Index, Span, Spoken
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.quotes import is_slip
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, plain, printed, real, same
from sealtrace.relations.lexicon import named_by, phrase, stem, telling, vocabulary, words
from sealtrace.relations.prose import LOOSE, SMALL, Mention, Sentence, count_in, ratios_in
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, Given, Ordered, all_of, any_of, call, compare, equal, number
from sealtrace.relations.work import Work, time_is_up

FAMILY = "claim"
_HIGH = r"highest|largest|greatest|maximum|most|top"
_LOW = r"lowest|smallest|least|minimum|fewest"
_SUPERLATIVE = re.compile(rf"\b(?:(?P<high>{_HIGH})|(?P<low>{_LOW})|(?P<either>best|strongest|worst|weakest))\b", re.I)
# What narrows the rows or the sense: then the sentence is not about the whole column.
_NARROWED = re.compile(
    r"\b(?:among|amongst|except|excluding|apart|besides|other|second|third|next|nearly|almost|one of|within|per|of the|"
    r"of all|of any|of those|of these|without|not|never|no longer|than|ours|baselines?|adapted|tested|after|before|if|"
    r"when|would|could|may|might|should|expected|persistent|open|closed|previous|prior|competing|similar|comparable)\b|"
    r"\w+-(?:limited|free|only|system|based|shot)",
    re.I,
)
_AMONG = re.compile(
    r"\bamong(?:st)?\s+(?:the\s+|all\s+)*(?P<group>[\w+-]+(?: [\w+-]+){0,3}?)"
    r"(?=\s+(?:on|in|at|for|is|has|by)\b|[,.;:]|$),?",
    re.I,
)
_ASIDE = re.compile(r"oracle|upper bound|ceiling|human|reference|full|ideal|skyline|topline|all[_ ]features", re.I)
_CLAUSE = re.compile(
    r"[;:]|, (?:while|but|whereas|and|yet|so|which|with)\b| (?:while|but|whereas|although|though|because)\b"
)
_MONOTONE = re.compile(
    r"(?<!near-)(?<!near )(?<!nearly )(?<!non-)(?<!not )(?<!almost )(?<!roughly )(?<!mostly )"
    r"\bmonoton(?:ically|ic|e)\b",
    re.I,
)
_RISES = re.compile(r"\b(?:rises?|climbs?|increas(?:es?|ing)|grows?|improves?|rising|growing)\b", re.I)
_FALLS = re.compile(r"\b(?:falls?|drops?|decreas(?:es?|ing)|declin(?:es?|ing)|shrinks?|falling|dropping)\b", re.I)
_SCALES = re.compile(r"\b(?:scales?|changes?|varies|var(?:y|ying)|moves?)\b", re.I)
_ALONG = re.compile(
    r"\b(?:with|as|along) (?:the |increasing |larger |growing )*([\w -]+?)"
    r"(?= (?:for|in|at|across|from|on|is|of|and)\b|[,;:.(]|$)"
)
_ASIDES = re.compile(r"\([^()]*\)")
_ORDERS = {"nondecreasing": "rises", "nonincreasing": "falls"}
_EVERY = re.compile(r"\b(?:every|all|each|no|none|never|any|always|both)\b", re.I)
_WITHIN = re.compile(r"(?:within|by more than|more than|exceeds?)\s+±?\s?$", re.I)
_AT_MOST = re.compile(
    r"(?:at most|no more than|not more than|below|under|less than|smaller than|up to|≤|<|within)\s*$", re.I
)
_AT_LEAST = re.compile(r"(?:at least|no less than|above|over|greater than|larger than|exceeds?|beyond|≥|>)\s*$", re.I)
_ONLY = re.compile(
    r"\b(positive|negative|non-?zero)\s+only\s+(?:for|on|in)\s+(?:the\s+)?(?:(\d+|one|two|three|four|five|six)\b)?",
    re.I,
)
_SIGN = re.compile(r"\b(positive|negative)\b", re.I)
_ABOVE = re.compile(
    r"\s*(?:(?:gain|improvement|advantage|increase|drop|reduction|lead|margin)\s)?"
    r"(?:above|over|below|behind|ahead of|short of|(?:high|bett|great|larg|low|few)er than|(?:more|less|worse) than)"
    r"\s+(?:the\s+|its\s+|that of\s+)?",
    re.I,
)
_RELATIVE = re.compile(r"\b(?:relative to|compared (?:to|with)|than|over|versus|vs\.?|against|of)\s+(?:the\s+)?$", re.I)
_COUNTED_ROWS = re.compile(r"\b(?:mean|average|total|median|sum) (?:over|of|across) (?:all |the )?(\d+|[a-z]+)\b", re.I)


_COUNTED_THINGS = re.compile(
    rf"\b(?:all|the|over|across|on) (?P<count>\d{{1,3}}|{'|'.join(SMALL[3:])}) (?P<noun>[a-z]+s)\b", re.I
)


@dataclass(frozen=True)
class _Column:
    """A column that a sentence speaks of, with the rows that are compared."""

    sheet: Sheet
    column: int
    spans: list[Span]

    def facts(self, rows: Sequence[int] | None = None) -> list[tuple[int, Fact]]:
        """The numbers of rows that are no summaries."""
        found = []
        for row, line in enumerate(self.sheet.rows):
            fact = self.sheet.number(row, self.column)
            summary = SUMMARY.fullmatch(plain(line.first)) or SUMMARY.match(plain(line.label))
            if fact is not None and not summary and (rows is None or row in rows):
                found.append((row, fact))
        return found

    @property
    def label(self) -> str:
        return self.sheet.columns[self.column].label


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim that a sentence makes of a table."""
    index = Index(paper)
    for sheet in paper.sheets:
        yield from _counted_rows(sheet)
    for sentence in paper.sentences:
        if time_is_up():
            return
        spoken = index.spoken(sentence)
        if not spoken:
            continue
        near = [one for one in spoken if one.referred]
        swept = near or [one for one in spoken if _sweeps(sentence, one.sheet)]
        for read, tables in (
            (_superlatives, spoken),
            (_differences, spoken),
            (_multiples, spoken),
            (_only, spoken),
            (_monotone, swept),
            (_bounds, near),
            (_ranges, near),
            (_up_to, near),
            (_signs, near),
        ):
            yield from _settled(sentence, list(read(sentence, tables)))


@dataclass(frozen=True)
class _Read:
    """One way to understand a passage of a sentence."""

    sheet: Sheet
    formula: Formula
    says: str
    kind: str
    start: int
    """Where the passage begins: what begins at one place is one claim, read in several ways."""
    subject: str = ""
    """What it is said of, where one passage speaks of several things."""


def _settled(sentence: Sentence, read: list[_Read]) -> Iterator[Claim]:
    """Of each passage the ways of reading it that hold; where none does, the one whose table fits the words best."""
    for _key, group in groupby(
        sorted(read, key=lambda one: (one.start, one.subject)), lambda one: (one.start, one.subject)
    ):
        ways = list(group)
        if len(ways) > 1:
            holding = [one for one in ways if search(one.formula, Work(20_000)).status != "impossible"]
            ways = holding or [max(ways, key=lambda one: _overlap(sentence, one.sheet))]
        for one in ways[:3]:
            yield _claim(sentence, one)


def _overlap(sentence: Sentence, sheet: Sheet) -> int:
    """How many telling words a sentence shares with a table's caption."""
    own = set(telling(phrase(sentence.text)))
    return len(own & set(telling(phrase(sheet.caption))))


def _sweeps(sentence: Sentence, sheet: Sheet) -> bool:
    """Whether a sentence names what changes from row to row: `rises with data size`."""
    heads = named_by(sheet.record["columns"][0]["label"]) if sheet.record else frozenset()
    along = _ALONG.search(sentence.text)
    return bool(heads) and along is not None and named_by(along[1]) == heads


def _columns(one: Spoken) -> list[_Column]:
    return [_Column(one.sheet, column, spans) for column, spans in one.columns.items()]


def _filled(spoken: list[Spoken], least: int) -> Iterator[tuple[_Column, list[Fact]]]:
    """Columns that a sentence names, with the numbers of the rows that it names, or of all; at least so many."""
    for one in spoken:
        for column in _columns(one):
            facts = [fact for _row, fact in column.facts(list(one.rows) or None)]
            if len(facts) >= least:
                yield column, facts


def _claim(sentence: Sentence, one: _Read) -> Claim:
    place = sentence.place(one.start)
    return Claim(
        f"{FAMILY} {one.kind} {place} {one.sheet.label} {one.says[:60]}",
        one.formula,
        f"{one.says}, {one.sheet.label}.",
        f"“{sentence.short}” ({place})",
        ("The sentence speaks of that table, as its words say.",),
        question="Does the sentence speak of these numbers, and which of them is right?",
        family=FAMILY,
        evidence=f"the sentence names the {one.kind}",
    )


# Highest and lowest


def _superlatives(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Read]:
    text = sentence.text
    for found in _SUPERLATIVE.finditer(text):
        clause_start = max((one.end() for one in _CLAUSE.finditer(text, 0, found.start())), default=0)
        clause_end = min((one.start() for one in _CLAUSE.finditer(text, found.end())), default=len(text))
        clause = text[clause_start:clause_end]
        among = _AMONG.search(clause)
        behind = _AMONG.sub("", text[found.end() : clause_end], count=1)
        if _NARROWED.search(_AMONG.sub("", clause)) or not re.match(r"\s+(?:on|in|at|for)\s", behind):
            continue
        for one in spoken:
            group = _members(one.sheet, among.group("group")) if among else None
            subject = _before(
                {row: one.rows[row] for row in one.rows if not among or row in (group or ())},
                clause_start,
                found.start(),
            )
            if subject is None or (among and not group):
                continue
            for column in _columns(one):
                after = [span for span in column.spans if found.end() <= span[0] < clause_end]
                if after and (among or _listed(text[found.end() : after[0][0]], one, sentence, found.end())):
                    yield from _extreme(sentence, column, subject, found, (after[-1][1], clause_end), group)


def _members(sheet: Sheet, group: str) -> list[int]:
    """The rows whose names, or those of their block, have the words of a group: `among the open models`."""
    names = [vocabulary(f"{line.label} {line.first}") for line in sheet.rows]
    wanted = named_by(group) & frozenset().union(*names)
    return [row for row, own in enumerate(names) if wanted and wanted <= own]


def _before(rows: dict[int, list[Span]], start: int, end: int) -> int | None:
    """The row that is named last before a place, and the only one there."""
    named = [(span[1], row) for row, spans in rows.items() for span in spans if start <= span[0] and span[1] <= end]
    return max(named)[1] if len({row for _end, row in named}) == 1 else None


def _listed(between: str, one: Spoken, sentence: Sentence, offset: int) -> bool:
    """Whether only names of columns, values and idle words stand between."""
    covered = [span for spans in one.columns.values() for span in spans]
    covered += [(mention.start, mention.end) for mention in sentence.mentions]
    left = [
        word
        for word, start, end in words(between)
        if not any(a <= start + offset and end + offset <= b for a, b in covered)
    ]
    return not telling(left)


def _extreme(
    sentence: Sentence, column: _Column, row: int, found: re.Match[str], span: Span, group: list[int] | None
) -> Iterator[_Read]:
    own, (after, end) = column.sheet.number(row, column.column), span
    others = [
        fact
        for other, fact in column.facts(group)
        if other != row and not _ASIDE.search(column.sheet.rows[other].label)
    ]
    value = next((one for one in sentence.mentions if after <= one.start < min(end, after + 12)), None)
    if own is None or len(others) < 2 or (value is not None and not _meets(value, own)):
        return
    highest = all_of(*(compare(printed(own), ">=", printed(other)) for other in others))
    lowest = all_of(*(compare(printed(own), "<=", printed(other)) for other in others))
    formula = highest if found.group("high") else lowest if found.group("low") else any_of(highest, lowest)
    says = f"{column.sheet.rows[row].label} is {found.group().lower()} of column {column.label!r}"
    yield _Read(column.sheet, formula, says, "row and column", found.start(), column.label)


def _meets(mention: Mention, fact: Fact) -> bool:
    own, other = real(mention.fact).fact, real(fact).fact
    # To the same digit two that only touch are two numbers.
    return any(own.low < other.high * scale and own.high > other.low * scale for scale in (1, 100))


# Differences and multiples


def _differences(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Read]:
    """`5.2pp above B`: two rows of one table, the first named before."""
    ways = {one: way for one in sentence.mentions if (way := _ABOVE.match(sentence.text, one.end))}
    for mention in ways:
        ranged = re.search(r"\d\s?[–—-]\s?$", sentence.text[: mention.start])
        if mention.unit not in ("pp", "%") or mention.loose or ranged or _explained(mention, sentence.mentions):
            continue
        for one in spoken:
            behind = {
                other: [row for row, spans in one.rows.items() if any(0 <= span[0] - each.end() <= 1 for span in spans)]
                for other, each in ways.items()
            }
            second = behind[mention]
            # What another number is compared with has not this one.
            first = _nearest_before(one.rows, mention.start, [row for rows in behind.values() for row in rows])
            if len(second) == 1 and first is not None:
                yield from _difference(sentence, one, mention, first, second[0])


def _explained(mention: Mention, mentions: Sequence[Mention]) -> bool:
    """Whether two other numbers of the sentence differ by so many percent."""
    values = [one.fact.value for one in mentions if one is not mention and one.fact.value]
    apart = [abs(100 * (a - b) / b) for a in values for b in values]
    return mention.unit == "%" and any(abs(one - abs(mention.fact.value)) <= mention.fact.unit for one in apart)


def _nearest_before(rows: dict[int, list[Span]], end: int, without: Sequence[int]) -> int | None:
    named = [(span[1], row) for row, spans in rows.items() for span in spans if span[1] <= end and row not in without]
    return max(named)[1] if named else None


def _difference(sentence: Sentence, one: Spoken, mention: Mention, first: int, second: int) -> Iterator[_Read]:
    sheet = one.sheet
    quoted = [
        column
        for column in sheet.numeric_columns()
        if (fact := sheet.number(first, column)) is not None
        and any(
            other.end <= mention.start and mention.start - other.end < 60 and _meets(other, fact)
            for other in sentence.mentions
        )
    ]
    # `A raises height by 1.2 pp over B`: the column that stands right before the number.
    beside = [
        column
        for column, spans in one.columns.items()
        if any(re.fullmatch(r"\s(?:by|of)\s[-+−]?", sentence.text[span[1] : mention.start]) for span in spans)
    ]
    columns = (
        beside
        or quoted[-1:]
        or list(one.columns)
        or [
            column
            for column in sheet.numeric_columns()
            if (entry := sheet.entry(first, column)) is not None
            and ("%" in entry.text or "%" in sheet.columns[column].label)
        ]
    )
    if len(quoted) > 1 and not beside:
        columns = quoted
    pairs = [
        (a, b)
        for column in columns
        if (a := sheet.number(first, column)) is not None and (b := sheet.number(second, column)) is not None
    ]
    if not pairs or len(pairs) > 4:
        return
    own = Given(real(mention.fact).fact)
    ways: list[Formula] = []
    for a, b in pairs:
        gap = real(a) - real(b)
        scaled = gap * 100 if abs(a.value) <= 1 and abs(b.value) <= 1 else gap
        ways += [equal(own, scaled), equal(own, -scaled)]
        if mention.unit == "%" and a.value and b.value:
            # Percent may be of one of them, not points.
            ways += [equal(own, sign * gap * 100 / real(base)) for base in (a, b) for sign in (1, -1)]
    labels = [sheet.rows[row].label for row in (first, second)]
    says = f"{labels[0]} and {labels[1]} differ by {mention.fact.text}"
    yield _Read(sheet, any_of(*ways), says, "rows", mention.start)


_WORDED = re.compile(
    rf"\b(?:(?P<word>twice|doubles?|triples?|half|halves)|(?P<count>{'|'.join(SMALL[2:])}) times)\b", re.I
)
_MULTIPLES = {
    "twice": "2",
    "double": "2",
    "doubles": "2",
    "triple": "3",
    "triples": "3",
    "half": "0.5",
    "halves": "0.5",
}


def _worded(sentence: Sentence) -> Iterator[Mention]:
    """`twice`, `half`, `three times`: multiples in words, known to half of the last digit."""
    for found in _WORDED.finditer(sentence.text):
        word, count = found.group("word"), found.group("count")
        value = Fraction(_MULTIPLES[word.lower()] if word else SMALL.index(count.lower()))
        unit = Fraction(1) if value > 1 else Fraction(1, 5)
        fact = sentence.fact(found.start(), found.group(), value, unit / 2, unit)
        yield Mention(fact, found.start(), found.end(), "×", LOOSE.search(sentence.text[: found.start()]) is not None)


def _multiples(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Read]:
    """`23.8× relative to B`, `three times more memory than B`: a ratio of two rows in a column named beside it."""
    for mention in (*sentence.mentions, *_worded(sentence)):
        several = [one for one in sentence.mentions if one.unit == "×" and one is not mention]
        if mention.unit != "×" or mention.loose or several or re.match(r"\s\w+ likely\b", sentence.text[mention.end :]):
            continue
        for one in spoken:
            second = {
                row: span
                for row, spans in one.rows.items()
                for span in spans
                if span[0] > mention.end and _RELATIVE.search(sentence.text[mention.end : span[0]])
            }
            first = _nearest_before(one.rows, mention.start, list(second))
            if len(second) != 1 or first is None:
                continue
            ((other, until),) = second.items()
            near = [
                (max(mention.start - span[1], span[0] - mention.end), column)
                for column, spans in one.columns.items()
                for span in spans
                if 0 <= mention.start - span[1] < 25 or mention.end <= span[0] < span[1] <= until[0]
                # What stands right behind a row is what the row is, and is not measured.
                if not any(0 <= span[0] - row[1] < 2 for spans in one.rows.values() for row in spans)
                if not any(span[1] <= between.start < mention.start for between in sentence.mentions)
            ]
            column = min(near)[1] if near else -1
            if near and RELATIVE.search(one.sheet.columns[column].label):
                # What is a ratio already is quoted, not divided.
                continue
            a, b = one.sheet.number(first, column), one.sheet.number(other, column)
            if a is None or b is None or not a.value or not b.value:
                continue
            own = Given(real(mention.fact).fact)
            formula = any_of(equal(own, real(a) / real(b)), equal(own, real(b) / real(a)))
            labels = " and ".join(one.sheet.rows[row].label for row in (first, other))
            says = f"{one.sheet.columns[column].label} of {labels} are {mention.fact.text} apart"
            yield _Read(one.sheet, formula, says, "rows and column", mention.start)


# Whole columns


def _monotone(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Read]:
    text = sentence.text
    if not _MONOTONE.search(text):
        return
    ways = ((_RISES, ("nondecreasing",)), (_FALLS, ("nonincreasing",)), (_SCALES, ("nondecreasing", "nonincreasing")))
    verbs = [(one.start(), orders) for verb, orders in ways for one in verb.finditer(text)]
    for one in spoken:
        for start, orders in verbs:
            named = [
                (span[1], column.column, column)
                for column in _columns(one)
                for span in column.spans
                if span[1] <= start and len(_ASIDES.sub("", text[span[1] : start])) < 40
                if not any(span[1] < other < start for other, _way in verbs)
            ]
            if not named:
                continue
            _end, _place, column = max(named, key=lambda item: item[:2])
            facts = [fact for _row, fact in column.facts()]
            if len(facts) < 4 or one.rows or _only_from_to(sentence, start, facts):
                continue
            formula = any_of(*(Ordered(order, tuple(map(printed, facts))) for order in orders))
            says = f"column {column.label!r} {' or '.join(_ORDERS[order] for order in orders)} from row to row"
            yield _Read(one.sheet, formula, says, "column", start)


def _only_from_to(sentence: Sentence, start: int, facts: list[Fact]) -> bool:
    """`from order 0 to order 4`: whether the verb speaks of some rows only, and not of the column's own ends."""
    found = re.compile(r"\bfrom\b[^.;]*?\bto\b[^.;,(]*", re.I).search(sentence.text, start)
    ends = [one for one in sentence.mentions if found and found.start() < one.start < found.end()]
    return any(not _meets(one, fact) for one, fact in zip(ends, (facts[0], facts[-1]), strict=False))


def _bounds(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Read]:
    """`every delta is within ±0.04`, `all above 0.95`."""
    text = sentence.text
    every = _EVERY.search(text)
    if every is None or re.search(
        r"\b(?:except|but|other than|excluding|apart from|nearly all|almost all|not all)\b", text, re.I
    ):
        return
    for mention in sentence.mentions:
        before = text[max(0, mention.start - 24) : mention.start]
        negated = re.search(r"\b(?:no|none|never)\b", text[: mention.start], re.I) is not None
        if not mention.decimals or every.start() > mention.start or len(sentence.mentions) > 3:
            continue
        for column, facts in _filled(spoken, 3):
            if _unit_apart(mention, facts):
                continue
            limit = mention.fact.value
            formulas: list[Formula] = []
            if re.search(r"\b(?:within|by|than|exceeds?)\s±\s?$", before) or (
                _WITHIN.search(before) and any(fact.value < 0 for fact in facts)
            ):
                formulas = [compare(call("abs", printed(fact)), "<=", limit) for fact in facts]
            elif not negated and (_AT_MOST.search(before) or _AT_LEAST.search(before)):
                way = "<=" if _AT_MOST.search(before) else ">="
                formulas = [compare(printed(fact), way, limit) for fact in facts]
            if formulas:
                says = f"column {column.label!r} stays {' '.join(before.split()[-2:])} {mention.fact.text}"
                formula = all_of(*formulas, compare(Given(mention.fact), "<=", mention.fact.high))
                yield _Read(column.sheet, formula, says, "column", mention.start)


def _unit_apart(mention: Mention, facts: list[Fact]) -> bool:
    """Whether a bound is of another size than the column: then another quantity is meant."""
    largest = max(abs(fact.value) for fact in facts)
    size = abs(mention.fact.value)
    return not largest or not Fraction(1, 5) < size / largest < 5


def _ranges(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Read]:
    """`0.61–0.95`, `from 0.61 to 0.95`: ends of a column; one that is right vouches for the other."""
    text = sentence.text
    for first, second in zip(sentence.mentions, sentence.mentions[1:], strict=False):
        between = text[first.end : second.start]
        if not re.fullmatch(r"\s?(?:[–—]|to|and)\s?", between) or first.loose or len(second.digits) < 2:
            continue
        if between.strip() == "and" and not re.search(r"\bbetween\s*$", text[: first.start]):
            continue
        given = sorted((first, second), key=lambda mention: mention.fact.value)
        for column, facts in _filled(spoken, 4):
            ends = min(facts, key=lambda fact: fact.value), max(facts, key=lambda fact: fact.value)
            pairs = list(zip(given, ends, strict=True))
            wrong = [(mention, end) for mention, end in pairs if not _meets(mention, end)]
            if len(wrong) > 1 or not all(
                len(mention.digits) > 2 and is_slip(mention.fact.value, end.value, mention.fact.unit)
                for mention, end in wrong
            ):
                continue
            scale = 100 if given[0].unit == "%" and ends[1].value <= 1 else 1
            formula = all_of(*(same(mention.fact, end, scale) for mention, end in pairs))
            says = f"column {column.label!r} lies between {given[0].fact.text} and {given[1].fact.text}"
            yield _Read(column.sheet, formula, says, "column", first.start)


def _up_to(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Read]:
    """`up to 0.95`: the greatest number of a column, or one that misses it by a slip."""
    for mention in sentence.mentions:
        if not re.search(r"\bup to\s+$", sentence.text[: mention.start], re.I) or len(mention.digits) < 2:
            continue
        for column in (column for one in spoken for column in _columns(one)):
            facts = [fact for _row, fact in column.facts()]
            top = max(facts, key=lambda fact: fact.value, default=None)
            if top is None or len(facts) < 3:
                continue
            scale = 100 if mention.unit == "%" and abs(top.value) <= 1 else 1
            if _meets(mention, top) or is_slip(mention.fact.value, top.value * scale, mention.fact.unit):
                says = f"column {column.label!r} goes up to {mention.fact.text}"
                formula = equal(Given(real(mention.fact).fact), call("max", *map(real, facts)) * scale)
                yield _Read(column.sheet, formula, says, "column", mention.start)


# Signs


def _signed_columns(one: Spoken) -> list[_Column]:
    """Columns that have both signs: those that the sentence names, or the only one."""
    spoken = [column for column in _columns(one) if _has_signs(column)]
    if spoken:
        return spoken
    every = [_Column(one.sheet, column, []) for column in one.sheet.numeric_columns()]
    signed = [column for column in every if _has_signs(column)]
    return signed if len(signed) == 1 else []


def _has_signs(column: _Column) -> bool:
    values = [fact.value for _row, fact in column.facts()]
    return len(values) > 3 and min(values) < 0


def _only(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Read]:
    """`positive only for A and B`, `positive only for the two …`."""
    for found in _ONLY.finditer(sentence.text):
        count = count_in(found.group(2)) if found.group(2) else None
        tables = [one for one in spoken if one.referred] or spoken
        for one in tables:
            meant = [row for row, spans in one.rows.items() if any(span[0] > found.start() for span in spans)]
            for column in _signed_columns(one):
                test = _test(found.group(1))
                having = [(row, fact) for row, fact in column.facts() if test(fact)]
                if meant:
                    extra = [fact for row, fact in having if row not in meant]
                    if count is not None and len(meant) != count:
                        continue
                    opposite = "<=" if found.group(1).lower() == "positive" else ">="
                    rest = [fact for row, fact in column.facts() if row not in meant]
                    formula = all_of(*(compare(printed(fact), opposite, 0) for fact in (extra or rest)))
                elif count is not None:
                    formula = all_of(
                        equal(number(len(having)), number(count)),
                        *(compare(printed(fact), "!=", 0) for _row, fact in having),
                    )
                else:
                    continue
                says = f"column {column.label!r} is {found.group().lower()}" + (
                    f" {', '.join(one.sheet.rows[row].label for row in meant)}" if meant else " rows"
                )
                yield _Read(one.sheet, formula, says, "column", found.start())


def _test(word: str) -> Callable[[Fact], bool]:
    return {
        "positive": lambda fact: fact.value > 0,
        "negative": lambda fact: fact.value < 0,
    }.get(word.lower(), lambda fact: fact.value != 0)


def _signs(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Read]:
    """`negative on 9/10 seeds`."""
    for ratio in ratios_in(sentence.text):
        sign = list(_SIGN.finditer(sentence.text, max(0, ratio.start - 90), ratio.end + 40))
        if len(sign) != 1:
            continue
        for one in spoken:
            for column in _signed_columns(one):
                facts = [fact for _row, fact in column.facts()]
                if len(facts) != ratio.whole:
                    continue
                test = _test(sign[0].group(1))
                having = [fact for fact in facts if test(fact)]
                formula = all_of(
                    equal(number(len(having)), number(ratio.part)),
                    *(compare(printed(fact), "!=", 0) for fact in having),
                )
                says = f"{ratio.text} of column {column.label!r} are {sign[0].group(1).lower()}, and {len(having)} are"
                yield _Read(one.sheet, formula, says, "column", ratio.start)


def _counted_rows(sheet: Sheet) -> Iterator[Claim]:
    """A summary that says how many rows it speaks of, or a caption that counts what the first column lists."""
    rows = [row for row, line in enumerate(sheet.rows) if not SUMMARY.match(plain(line.first))]
    for row, line in enumerate(sheet.rows):
        found = _COUNTED_ROWS.match(plain(line.label))
        told = count_in(found.group(1)) if found else None
        if told is not None:
            yield from _count_of(sheet, told, [one for one in rows if one < row], f"row {line.label!r}", line.label)
    header = phrase(sheet.record["columns"][0]["label"]) if sheet.record else ()
    for found in _COUNTED_THINGS.finditer(sheet.caption) if len(header) == 1 else ():
        told = count_in(found.group("count"))
        names = {plain(sheet.rows[row].first) for row in rows}
        if told is None or stem(found.group("noun").lower()) != header[0] or abs(told - len(names)) > 2:
            continue
        if told == len(names) or told not in _block_sums(sheet, rows):
            yield from _count_of(sheet, told, rows if len(names) == len(rows) else [], "caption", found.group())


def _block_sums(sheet: Sheet, rows: list[int]) -> set[int]:
    """How many rows stand in some of the parts that rules make: a baseline that is set apart need not be counted."""
    sums, size = {0}, 0
    for after in (*rows[1:], None):
        size += 1
        if after is None or sheet.rows[after].after_rule:
            sums |= {one + size for one in sums}
            size = 0
    return sums


def _count_of(sheet: Sheet, told: int, rows: list[int], said: str, text: str) -> Iterator[Claim]:
    column = next((one for one in sheet.numeric_columns() if rows and sheet.number(rows[0], one) is not None), None)
    facts = [fact for row in rows if column is not None and (fact := sheet.number(row, column)) is not None]
    if not 2 < told < 200 or not facts:
        return
    yield Claim(
        f"{FAMILY} rows {sheet.label} {text}",
        all_of(equal(number(len(rows)), number(told)), *(compare(printed(fact), "<=", fact.high) for fact in facts)),
        f"{text!r} speaks of {told} rows, and {len(rows)} stand there.",
        sheet.place(said),
        ("All rows are meant.",),
        question="Which rows are counted?",
        family=FAMILY,
        evidence=f"the {said.split()[0]} gives a count",
    )
