"""What sentences say of columns and rows: highest, all within, monotone, positive only for, points above, times.

Each operator reads a passage in every way that its words allow, over every table that they name, as a formula. A way
that holds is what is meant; where none does, the one whose table fits the words best is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise

from sealtrace.printed.extracted import JOIN
from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.naming import Span, Spoken, index_of
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, is_slip, plain, printed, real, same
from sealtrace.relations.lexicon import named_by, phrase, stem, telling, vocabulary, words
from sealtrace.relations.prose import LOOSE, SMALL, Mention, Sentence, count_in, lists_in, ratios_in
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Expression, Formula, Given, Ordered, all_of, any_of, call, compare, equal, number
from sealtrace.relations.work import Work, time_is_up

FAMILY = "claim"


@dataclass(frozen=True)
class _Way:
    """One way to understand a passage of a sentence."""

    sheet: Sheet
    formula: Formula
    says: str
    named: str
    """What the sentence names: rows, a column, or both."""
    start: int
    """Where the passage begins: what begins at one place is one claim, read in several ways."""
    subject: str = ""
    """What it is said of, where one passage speaks of several things."""
    only_if_true: bool = False
    """Whether the words leave so much open that nothing follows where it does not hold."""


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim that a sentence makes of a table."""
    index = index_of(paper)
    for sheet in paper.sheets:
        yield from _counted_rows(sheet)
    for sentence in paper.sentences:
        if time_is_up():
            return
        spoken = index.spoken(sentence)
        near = [named for named in spoken if named.referred]
        swept = near or [named for named in spoken if _sweeps(sentence, named.sheet)]
        for operator, tables in (
            (_superlatives, spoken),
            (_changes, spoken),
            (_signs, near or spoken),
            (_monotone, swept),
            (_bounds, near),
            (_extents, near),
        ):
            yield from _settled(sentence, list(operator(sentence, tables)))


def _settled(sentence: Sentence, ways: list[_Way]) -> Iterator[Claim]:
    """Of each passage the ways of reading it that hold; where none does, the one whose table fits the words best."""
    for _passage, group in groupby(sorted(ways, key=_passage_of), _passage_of):
        given = list(group)
        holding = [way for way in given if search(way.formula, Work(20_000)).status != "impossible"]
        wrong = [way for way in given if not way.only_if_true]
        chosen = holding[:3] or ([max(wrong, key=lambda way: _overlap(sentence, way.sheet))] if wrong else [])
        for way in chosen:
            place = sentence.place(way.start)
            yield Claim(
                f"{FAMILY} {way.named} {place} {way.sheet.label} {way.says[:60]}",
                way.formula,
                f"{way.says}, {way.sheet.label}.",
                f"“{sentence.short}” ({place})",
                ("The sentence speaks of that table, as its words say.",),
                question="Does the sentence speak of these numbers, and which of them is right?",
                family=FAMILY,
                evidence=f"the sentence names the {way.named}",
                telling=not way.only_if_true,
            )


def _passage_of(way: _Way) -> tuple[int, str]:
    return way.start, way.subject


def _overlap(sentence: Sentence, sheet: Sheet) -> int:
    """How many telling words a sentence shares with a table's caption."""
    return len(set(telling(phrase(sentence.text))) & set(telling(phrase(sheet.caption))))


def _column(sheet: Sheet, column: int, rows: Sequence[int] | None = None) -> list[tuple[int, Fact]]:
    """The numbers of a column, in rows that are no summaries."""
    found = []
    for row, line in enumerate(sheet.rows):
        fact = sheet.number(row, column)
        summary = SUMMARY.fullmatch(plain(line.first)) or SUMMARY.match(plain(line.label))
        if fact is not None and not summary and (rows is None or row in rows):
            found.append((row, fact))
    return found


def _filled(spoken: list[Spoken], least: int) -> Iterator[tuple[Sheet, int, list[Fact]]]:
    """Columns that a sentence names, with the numbers of the rows that it names, or of all; at least so many."""
    for named in spoken:
        for column in named.columns:
            facts = [fact for _row, fact in _column(named.sheet, column, list(named.rows) or None)]
            if len(facts) >= least:
                yield named.sheet, column, facts


def _meets(mention: Mention, fact: Fact) -> bool:
    own, other = real(mention.fact).fact, real(fact).fact
    # To the same digit two that only touch are two numbers.
    return any(own.low < other.high * scale and own.high > other.low * scale for scale in (1, 100))


# Highest and lowest


_SUPERLATIVE = re.compile(
    r"\b(?:(?P<high>highest|largest|greatest|maximum|most|top)|(?P<low>lowest|smallest|least|minimum|fewest)|"
    r"(?P<either>best|strongest|worst|weakest))\b",
    re.I,
)
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
_HAS = re.compile(
    r"\b(?:has|have|had|(?:achiev|attain|exhibit|obtain|giv|yield|reach|report|record|show)\w*)(?: the)?\s+$", re.I
)
MOST_BETTER = 3
"""So many rows that stand before the one that is called first: with more of them the words mean something else."""


def _superlatives(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`A is highest on X`, also among some; `A has the highest X (0.9)`."""
    text = sentence.text
    for found in _SUPERLATIVE.finditer(text):
        begin = max((cut.end() for cut in _CLAUSE.finditer(text, 0, found.start())), default=0)
        end = min((cut.start() for cut in _CLAUSE.finditer(text, found.end())), default=len(text))
        clause, among = text[begin:end], _AMONG.search(text[begin:end])
        behind = _AMONG.sub("", text[found.end() : end], count=1)
        if _NARROWED.search(_AMONG.sub("", clause)):
            continue
        linked = re.match(r"\s+(?:on|in|at|for)\s", behind) is not None
        for named in spoken:
            group = _members(named.sheet, among["group"]) if among else None
            rows = {row: spans for row, spans in named.rows.items() if not among or row in (group or ())}
            subject = _before(rows, begin, found.start())
            if subject is None or (among and not group):
                continue
            for column, spans in named.columns.items():
                after = [span for span in spans if found.end() <= span[0] < end]
                gap = text[found.end() : after[0][0]] if after else ""
                whole = named_by(named.sheet.columns[column].label) <= vocabulary(text[found.end() : end])
                owned = whole and not gap.strip() and _HAS.search(text[: found.start()])
                listed = linked and (among or _is_listed(gap, named, sentence, found.end()))
                if after and (listed or owned):
                    yield from _extreme(sentence, named.sheet, column, subject, found, (after[-1][1], end), group)


def _members(sheet: Sheet, group: str) -> list[int]:
    """The rows whose names, or those of their block, have the words of a group: `among the open models`."""
    names = [vocabulary(f"{line.label} {line.first}") for line in sheet.rows]
    wanted = named_by(group) & frozenset().union(*names)
    return [row for row, own in enumerate(names) if wanted and wanted <= own]


def _before(rows: dict[int, list[Span]], start: int, end: int) -> int | None:
    """The row that is named last before a place, and the only one there."""
    named = [(span[1], row) for row, spans in rows.items() for span in spans if start <= span[0] and span[1] <= end]
    return max(named)[1] if len({row for _end, row in named}) == 1 else None


def _is_listed(between: str, named: Spoken, sentence: Sentence, offset: int) -> bool:
    """Whether only names of columns, values and idle words stand between."""
    covered = [span for spans in named.columns.values() for span in spans]
    covered += [(mention.start, mention.end) for mention in sentence.mentions]
    left = [
        word
        for word, start, end in words(between)
        if not any(a <= start + offset and end + offset <= b for a, b in covered)
    ]
    return not telling(left)


def _extreme(
    sentence: Sentence, sheet: Sheet, column: int, row: int, found: re.Match[str], span: Span, group: list[int] | None
) -> Iterator[_Way]:
    own, (after, end) = sheet.number(row, column), span
    block = sheet.rows[row].label.split(JOIN)[:-1]
    beside = [other for other, line in enumerate(sheet.rows) if line.label.split(JOIN)[:-1] == block]
    # The first of a block is the first of its rows.
    group = group or (beside if block and len(beside) > 2 else None)
    others = [
        fact
        for other, fact in _column(sheet, column, group)
        if other != row and not _ASIDE.search(sheet.rows[other].label)
    ]
    value = next((mention for mention in sentence.mentions if after <= mention.start < min(end, after + 12)), None)
    if own is None or len(others) < 2 or (value is not None and not _meets(value, own)):
        return
    highest = all_of(*(compare(printed(own), ">=", printed(other)) for other in others))
    lowest = all_of(*(compare(printed(own), "<=", printed(other)) for other in others))
    formula = highest if found["high"] else lowest if found["low"] else any_of(highest, lowest)
    above, below = sum(other.value > own.value for other in others), sum(other.value < own.value for other in others)
    ahead = above if found["high"] else below if found["low"] else min(above, below)
    label = sheet.columns[column].label
    says = f"{sheet.rows[row].label} is {found.group().lower()} of column {label!r}"
    yield _Way(sheet, formula, says, "row and column", found.start(), label, ahead > MOST_BETTER)


# Differences and multiples


_ABOVE = re.compile(
    r"\s*(?:(?:gain|improvement|advantage|increase|drop|reduction|lead|margin)\s)?"
    r"(?:above|over|below|behind|ahead of|short of|(?:high|bett|great|larg|low|few)er than|(?:more|less|worse) than)"
    r"\s+(?:the\s+|its\s+|that of\s+)?",
    re.I,
)
_RELATIVE = re.compile(r"\b(?:relative to|compared (?:to|with)|than|over|versus|vs\.?|against|of)\s+(?:the\s+)?$", re.I)
_BEATS = re.compile(
    r"\b(?:over|compared (?:to|with)|(?:outperform|surpass|exceed|beat|trail|lead)\w*)\s+(?:the\s+)?$", re.I
)
_BY = re.compile(r"\bby\s+(?:only\s+|just\s+)?[-+−]?$", re.I)
_WORDED = re.compile(
    rf"\b(?:(?P<word>twice|doubles?|triples?|half|halves)|(?P<count>{'|'.join(SMALL[2:])}) times)\b", re.I
)
_MULTIPLES = {"twice": "2", "double": "2", "triple": "3", "half": "0.5", "halve": "0.5"}


def _worded(sentence: Sentence) -> Iterator[Mention]:
    """`twice`, `half`, `three times`: multiples in words, known to half of the last digit."""
    for found in _WORDED.finditer(sentence.text):
        word, count = found["word"], found["count"]
        value = Fraction(_MULTIPLES[word.lower().rstrip("s")] if word else SMALL.index(count.lower()))
        unit = Fraction(1) if value > 1 else Fraction(1, 5)
        fact = sentence.fact(found.start(), found.group(), value, unit / 2, unit)
        yield Mention(fact, found.start(), found.end(), "×", LOOSE.search(sentence.text[: found.start()]) is not None)


def _changes(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`5.2 pp above B`, `improves over B by 1.2 and 3.4 points`, `23.8× relative to B`: two rows of one table."""
    text = sentence.text
    seconds = {id(mention): way for mention in sentence.mentions if (way := _ABOVE.match(text, mention.end))}
    for mention in (*sentence.mentions, *_worded(sentence)):
        run = next((run for run in lists_in(sentence) if mention in run), [mention])
        by = _BY.search(text[: run[0].start]) is not None
        unit = "pp" if by and run[-1].unit == "pp" else mention.unit
        if (
            mention.loose
            or re.search(r"\d\s?[–—-]\s?$", text[: mention.start])
            or _explained(mention, sentence.mentions)
        ):
            continue
        for named in spoken:
            if unit == "×":
                yield from _multiple(sentence, named, mention)
            elif unit in ("pp", "%") and id(mention) in seconds:
                yield from _above(sentence, named, mention, seconds)
            elif by and (unit or mention.fact.text[:1] in "+-−"):
                yield from _by(sentence, named, mention, run, unit)


def _explained(mention: Mention, mentions: Sequence[Mention]) -> bool:
    """Whether two other numbers of the sentence differ by so many percent."""
    values = [other.fact.value for other in mentions if other is not mention and other.fact.value]
    apart = [abs(100 * (a - b) / b) for a in values for b in values]
    return mention.unit == "%" and any(abs(gap - abs(mention.fact.value)) <= mention.fact.unit for gap in apart)


def _nearest_before(rows: dict[int, list[Span]], end: int, without: Sequence[int]) -> int | None:
    named = [(span[1], row) for row, spans in rows.items() for span in spans if span[1] <= end and row not in without]
    return max(named)[1] if named else None


def _gap(mention: Mention, unit: str, a: Fact, b: Fact) -> list[Formula]:
    """How two numbers may differ by a third: in points, or in percent of one of them."""
    own, gap = Given(real(mention.fact).fact), real(a) - real(b)
    points: Expression = gap * 100 if unit in ("%", "pp") and max(abs(a.value), abs(b.value)) <= 1 else gap
    sides = [points, -points]
    if unit == "%":
        sides += [sign * gap * 100 / real(base) for base in (a, b) if base.value for sign in (1, -1)]
    return [equal(own, side) for side in sides]


def _above(sentence: Sentence, named: Spoken, mention: Mention, seconds: dict[int, re.Match[str]]) -> Iterator[_Way]:
    """`5.2 pp above B`: the second row stands behind the number, the first is named before."""
    behind = {
        key: [row for row, spans in named.rows.items() if any(0 <= span[0] - way.end() <= 1 for span in spans)]
        for key, way in seconds.items()
    }
    second = behind[id(mention)]
    # What another number is compared with has not this one.
    first = _nearest_before(named.rows, mention.start, [row for rows in behind.values() for row in rows])
    if len(second) != 1 or first is None:
        return
    pairs = _pairs(named, first, second[0], _columns_meant(sentence, named, mention, first))
    if 0 < len(pairs) < 5:
        says = f"{named.sheet.rows[first].label} and {named.sheet.rows[second[0]].label} differ by {mention.fact.text}"
        formula = any_of(*(way for a, b in pairs for way in _gap(mention, mention.unit, a, b)))
        yield _Way(named.sheet, formula, says, "rows", mention.start)


def _columns_meant(sentence: Sentence, named: Spoken, mention: Mention, first: int) -> list[int]:
    """The columns of a difference: named right before it, quoted before it, named at all, or those in percent."""
    sheet, text = named.sheet, sentence.text
    beside = [
        column
        for column, spans in named.columns.items()
        if any(re.fullmatch(r"\s(?:by|of)\s[-+−]?", text[span[1] : mention.start]) for span in spans)
    ]
    close = [other for other in sentence.mentions if other.end <= mention.start and mention.start - other.end < 60]
    quoted = [
        column
        for column in sheet.numeric_columns()
        if (fact := sheet.number(first, column)) is not None and any(_meets(other, fact) for other in close)
    ]
    percent = [
        column
        for column in sheet.numeric_columns()
        if (entry := sheet.entry(first, column)) is not None and "%" in f"{entry.text} {sheet.columns[column].label}"
    ]
    return beside or quoted or list(named.columns) or percent


def _pairs(named: Spoken, first: int, second: int, columns: Sequence[int]) -> list[tuple[Fact, Fact]]:
    both = [(named.sheet.number(first, column), named.sheet.number(second, column)) for column in columns]
    return [(a, b) for a, b in both if a is not None and b is not None]


def _by(sentence: Sentence, meant: Spoken, mention: Mention, run: list[Mention], unit: str) -> Iterator[_Way]:
    """`improves over B by x`: just two rows are named, and a list has a number for each column."""
    text, columns = sentence.text, meant.sheet.numeric_columns()
    seconds = [row for row, spans in meant.rows.items() if any(_BEATS.search(text[: span[0]]) for span in spans)]
    firsts = [row for row in meant.rows if row not in seconds]
    if len(seconds) != 1 or len(firsts) != 1:
        return
    named = [column for column in meant.columns if len(run) == 1] or (columns if len(columns) == 1 else [])
    if len(run) > 2 and len(run) == len(columns):
        named = [columns[run.index(mention)]]
        right = [
            pair and any(search(way, Work(2000)).status == "possible" for way in _gap(other, "pp", *pair[0]))
            for other, column in zip(run, columns, strict=True)
            for pair in [_pairs(meant, firsts[0], seconds[0], [column])]
        ]
        if sum(map(bool, right)) < len(run) - 1:
            return
    pairs = _pairs(meant, firsts[0], seconds[0], named or columns)
    if pairs and len(pairs) < 9:
        labels = " and ".join(meant.sheet.rows[row].label for row in (firsts[0], seconds[0]))
        says = f"{labels} differ by {mention.fact.text}"
        formula = any_of(*(way for a, b in pairs for way in _gap(mention, unit, a, b)))
        yield _Way(meant.sheet, formula, says, "rows", mention.start, only_if_true=len(named) != 1)


def _multiple(sentence: Sentence, named: Spoken, mention: Mention) -> Iterator[_Way]:
    """`23.8× relative to B`, `three times more memory than B`: a ratio of two rows in a column named beside it."""
    text = sentence.text
    several = any(other.unit == "×" and other is not mention for other in sentence.mentions)
    second = {
        row: span
        for row, spans in named.rows.items()
        for span in spans
        if span[0] > mention.end and _RELATIVE.search(text[mention.end : span[0]])
    }
    first = _nearest_before(named.rows, mention.start, list(second))
    if several or re.match(r"\s\w+ likely\b", text[mention.end :]) or len(second) != 1 or first is None:
        return
    ((other, until),) = second.items()
    near = [
        (max(mention.start - span[1], span[0] - mention.end), column)
        for column, spans in named.columns.items()
        for span in spans
        if 0 <= mention.start - span[1] < 25 or mention.end <= span[0] < span[1] <= until[0]
        # What stands right behind a row is what the row is, and is not measured.
        if not any(0 <= span[0] - row[1] < 2 for spans in named.rows.values() for row in spans)
        if not any(span[1] <= between.start < mention.start for between in sentence.mentions)
    ]
    # What is a ratio already is quoted, not divided.
    if not near or RELATIVE.search(named.sheet.columns[min(near)[1]].label):
        return
    column = min(near)[1]
    for a, b in _pairs(named, first, other, [column]):
        if a.value and b.value:
            own = Given(real(mention.fact).fact)
            formula = any_of(equal(own, real(a) / real(b)), equal(own, real(b) / real(a)))
            labels = " and ".join(named.sheet.rows[row].label for row in (first, other))
            says = f"{named.sheet.columns[column].label} of {labels} are {mention.fact.text} apart"
            yield _Way(named.sheet, formula, says, "rows and column", mention.start)


# Whole columns


_MONOTONE = re.compile(
    r"(?<!near-)(?<!near )(?<!nearly )(?<!non-)(?<!not )(?<!almost )(?<!roughly )(?<!mostly )"
    r"\bmonoton(?:ically|ic|e)\b",
    re.I,
)
_UP, _DOWN = ("nondecreasing",), ("nonincreasing",)
_MOVES = (
    (
        re.compile(r"\b(?:rises?|climbs?|increas(?:es?|ing)|grows?|improves?|rising|growing)\b", re.I),
        ("nondecreasing",),
    ),
    (
        re.compile(r"\b(?:falls?|drops?|decreas(?:es?|ing)|declin(?:es?|ing)|shrinks?|falling|dropping)\b", re.I),
        ("nonincreasing",),
    ),
    (re.compile(r"\b(?:scales?|changes?|varies|var(?:y|ying)|moves?)\b", re.I), _UP + _DOWN),
)
_ORDERS = {"nondecreasing": "rises", "nonincreasing": "falls"}
_ALONG = re.compile(
    r"\b(?:with|as|along) (?:the |increasing |larger |growing )*([\w ’'-]+?)"
    r"(?= (?:for|in|at|across|from|on|is|of|and)\b|[,;:.(]|$)"
)
_ASIDES = re.compile(r"\([^()]*\)")
_FROM_TO = re.compile(r"\bfrom\b[^.;]*?\bto\b[^.;,(]*", re.I)


def _sweeps(sentence: Sentence, sheet: Sheet) -> bool:
    """Whether a sentence names what changes from row to row: `rises with data size`."""
    heads = named_by(sheet.record["columns"][0]["label"]) if sheet.record else frozenset()
    along = _ALONG.search(sentence.text)
    return bool(heads) and along is not None and named_by(along[1]) == heads


def _monotone(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`height rises monotonically with age`: a column, from row to row."""
    text = sentence.text
    verbs = [(verb.start(), orders) for words_, orders in _MOVES for verb in words_.finditer(text)]
    for meant in spoken if _MONOTONE.search(text) else ():
        for start, orders in verbs:
            named = [
                (span[1], column)
                for column, spans in meant.columns.items()
                for span in spans
                if span[1] <= start and len(_ASIDES.sub("", text[span[1] : start])) < 40
                if not any(span[1] < other < start for other, _orders in verbs)
            ]
            facts = [fact for _row, fact in _column(meant.sheet, max(named)[1])] if named else []
            if len(facts) < 4 or meant.rows or _only_from_to(sentence, start, facts):
                continue
            if _ALONG.search(text) and not _sweeps(sentence, meant.sheet):
                # Rows may be listed from the most of it to the least.
                orders = _UP + _DOWN
            formula = any_of(*(Ordered(order, tuple(map(printed, facts))) for order in orders))
            label = meant.sheet.columns[max(named)[1]].label
            says = f"column {label!r} {' or '.join(_ORDERS[order] for order in orders)} from row to row"
            yield _Way(meant.sheet, formula, says, "column", start)


def _only_from_to(sentence: Sentence, start: int, facts: list[Fact]) -> bool:
    """`from order 0 to order 4`: whether the verb speaks of some rows only, and not of the column's own ends."""
    found = _FROM_TO.search(sentence.text, start)
    ends = [mention for mention in sentence.mentions if found and found.start() < mention.start < found.end()]
    return any(not _meets(mention, fact) for mention, fact in zip(ends, (facts[0], facts[-1]), strict=False))


_EVERY = re.compile(r"\b(?:every|all|each|no|none|never|any|always|both)\b", re.I)
_EXCEPT = re.compile(r"\b(?:except|but|other than|excluding|apart from|nearly all|almost all|not all)\b", re.I)
_EITHER_SIDE = re.compile(r"\b(?:within|by|than|exceeds?)\s±\s?$")
_WITHIN = re.compile(r"(?:within|by more than|more than|exceeds?)\s+±?\s?$", re.I)
_AT_MOST = re.compile(
    r"(?:at most|no more than|not more than|below|under|less than|smaller than|up to|≤|<|within)\s*$", re.I
)
_AT_LEAST = re.compile(r"(?:at least|no less than|above|over|greater than|larger than|exceeds?|beyond|≥|>)\s*$", re.I)


def _bounds(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`every delta is within ±0.04`, `all above 0.95`."""
    text, every = sentence.text, _EVERY.search(sentence.text)
    if every is None or _EXCEPT.search(text) or len(sentence.mentions) > 3:
        return
    for mention in (mention for mention in sentence.mentions if mention.decimals and every.start() < mention.start):
        before, limit = text[max(0, mention.start - 24) : mention.start], mention.fact.value
        negated = re.search(r"\b(?:no|none|never)\b", text[: mention.start], re.I) is not None
        for sheet, column, facts in _filled(spoken, 3):
            largest = max(abs(fact.value) for fact in facts)
            if not largest or not Fraction(1, 5) < abs(limit) / largest < 5:
                # A bound of another size is of another quantity.
                continue
            if _EITHER_SIDE.search(before) or (_WITHIN.search(before) and any(fact.value < 0 for fact in facts)):
                formulas = [compare(call("abs", printed(fact)), "<=", limit) for fact in facts]
            elif not negated and (_AT_MOST.search(before) or _AT_LEAST.search(before)):
                formulas = [compare(printed(fact), "<=" if _AT_MOST.search(before) else ">=", limit) for fact in facts]
            else:
                continue
            says = f"column {sheet.columns[column].label!r} stays {' '.join(before.split()[-2:])} {mention.fact.text}"
            formula = all_of(*formulas, compare(Given(mention.fact), "<=", mention.fact.high))
            yield _Way(sheet, formula, says, "column", mention.start)


def _extents(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`0.61–0.95`, `from 0.61 to 0.95`, `up to 0.95`: ends of a column, or ones that miss them by a slip."""
    text = sentence.text
    given: list[tuple[Mention, ...]] = [
        (mention,) for mention in sentence.mentions if re.search(r"\bup to\s+$", text[: mention.start], re.I)
    ]
    for first, second in pairwise(sentence.mentions):
        link = text[first.end : second.start].strip()
        between = link in ("–", "—", "to") or (link == "and" and re.search(r"\bbetween\s*$", text[: first.start]))
        if between and not first.loose and abs(second.start - first.end) < 6:
            given.append((min(first, second, key=_value), max(first, second, key=_value)))
    for ends in (ends for ends in given if len(ends[-1].digits) > 1):
        for sheet, column, facts in _filled(spoken, 5 - len(ends)):
            top, bottom = max(facts, key=lambda fact: fact.value), min(facts, key=lambda fact: fact.value)
            scale = 100 if ends[-1].unit == "%" and abs(top.value) <= 1 else 1
            pairs = list(zip(ends, (bottom, top)[-len(ends) :], strict=True))
            wrong = [(mention, end) for mention, end in pairs if not _meets(mention, end)]
            # One end that is right vouches for the other.
            if len(wrong) > 1 or not all(
                len(mention.digits) > 2 and is_slip(mention.fact.value, end.value * scale, mention.fact.unit)
                for mention, end in wrong
            ):
                continue
            texts = " to ".join(mention.fact.text for mention in ends)
            says = f"column {sheet.columns[column].label!r} goes {'up to ' if len(ends) == 1 else 'from '}{texts}"
            formula = all_of(*(same(mention.fact, end, scale) for mention, end in pairs))
            yield _Way(sheet, formula, says, "column", ends[0].start)


def _value(mention: Mention) -> Fraction:
    return mention.fact.value


# Signs


_ONLY = re.compile(
    r"\b(?P<sign>positive|negative|non-?zero)\s+only\s+(?:for|on|in)\s+(?:the\s+)?"
    r"(?:(?P<count>\d+|one|two|three|four|five|six)\b)?",
    re.I,
)
_SIGN = re.compile(r"\b(?P<sign>positive|negative)\b", re.I)


def _signs(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`positive only for A and B`, `positive only for the two …`, `negative on 9/10 seeds`."""
    for named in spoken:
        for column in _signed_columns(named):
            facts, label = _column(named.sheet, column), named.sheet.columns[column].label
            for found in _ONLY.finditer(sentence.text):
                count = count_in(found["count"]) if found["count"] else None
                meant = [row for row, spans in named.rows.items() if any(span[0] > found.start() for span in spans)]
                having = [(row, fact) for row, fact in facts if _has_sign(fact, found["sign"])]
                says = f"column {label!r} is {found.group().lower()}"
                if meant and count in (None, len(meant)):
                    opposite = "<=" if found["sign"].lower() == "positive" else ">="
                    others = [fact for row, fact in having if row not in meant]
                    others = others or [fact for row, fact in facts if row not in meant]
                    formula: Formula = all_of(*(compare(printed(fact), opposite, 0) for fact in others))
                    says += f" {', '.join(named.sheet.rows[row].label for row in meant)}"
                elif not meant and count is not None:
                    formula, says = _counted([fact for _row, fact in having], count), f"{says} rows"
                else:
                    continue
                yield _Way(named.sheet, formula, says, "column", found.start())
            for ratio in ratios_in(sentence.text) if named.referred else ():
                signs = list(_SIGN.finditer(sentence.text, max(0, ratio.start - 90), ratio.end + 40))
                if len(signs) == 1 and len(facts) == ratio.whole:
                    kept = [fact for _row, fact in facts if _has_sign(fact, signs[0]["sign"])]
                    sign = signs[0]["sign"].lower()
                    says = f"{ratio.text} of column {label!r} are {sign}, and {len(kept)} are"
                    yield _Way(named.sheet, _counted(kept, ratio.part), says, "column", ratio.start)


def _signed_columns(meant: Spoken) -> list[int]:
    """Columns that have both signs: those that the sentence names, or the only one."""
    signed = [
        column
        for column in meant.sheet.numeric_columns()
        if len(values := [fact.value for _row, fact in _column(meant.sheet, column)]) > 3 and min(values) < 0
    ]
    named = [column for column in signed if column in meant.columns]
    return named or (signed if len(signed) == 1 else [])


def _has_sign(fact: Fact, word: str) -> bool:
    return {"positive": fact.value > 0, "negative": fact.value < 0}.get(word.lower(), fact.value != 0)


def _counted(facts: list[Fact], count: int) -> Formula:
    """So many numbers are not zero, no more and no fewer."""
    return all_of(equal(number(len(facts)), number(count)), *(compare(printed(fact), "!=", 0) for fact in facts))


# How many rows


_COUNTED_ROWS = re.compile(r"\b(?:mean|average|total|median|sum) (?:over|of|across) (?:all |the )?(\d+|[a-z]+)\b", re.I)
_COUNTED_THINGS = re.compile(
    rf"\b(?:all|the|over|across|on) (?P<count>\d{{1,3}}|{'|'.join(SMALL[3:])}) (?P<noun>[a-z]+s)\b", re.I
)


def _counted_rows(sheet: Sheet) -> Iterator[Claim]:
    """A summary that says how many rows it speaks of, or a caption that counts what the first column lists."""
    rows = [row for row, line in enumerate(sheet.rows) if not SUMMARY.match(plain(line.first))]
    for row, line in enumerate(sheet.rows):
        found = _COUNTED_ROWS.match(plain(line.label))
        told = count_in(found.group(1)) if found else None
        if told is not None:
            above = [other for other in rows if other < row]
            yield from _count_of(sheet, told, above, f"row {line.label!r}", line.label)
    header = phrase(sheet.record["columns"][0]["label"]) if sheet.record else ()
    for found in _COUNTED_THINGS.finditer(sheet.caption) if len(header) == 1 else ():
        told = count_in(found["count"])
        names = {plain(sheet.rows[row].first) for row in rows}
        if told is None or stem(found["noun"].lower()) != header[0] or abs(told - len(names)) > 2:
            continue
        if len(names) == len(rows) and (told == len(names) or told not in _block_sums(sheet, rows)):
            yield from _count_of(sheet, told, rows, "caption", found.group())


def _block_sums(sheet: Sheet, rows: list[int]) -> set[int]:
    """How many rows stand in some of the parts that rules make: a baseline that is set apart need not be counted."""
    sums, size = {0}, 0
    for after in (*rows[1:], None):
        size += 1
        if after is None or sheet.rows[after].after_rule:
            sums |= {total + size for total in sums}
            size = 0
    return sums


def _count_of(sheet: Sheet, told: int, rows: list[int], said: str, text: str) -> Iterator[Claim]:
    column = next((column for column in sheet.numeric_columns() if rows and sheet.number(rows[0], column)), None)
    facts = [fact for row in rows if column is not None and (fact := sheet.number(row, column)) is not None]
    if 2 < told < 200 and facts:
        yield Claim(
            f"{FAMILY} rows {sheet.label} {text}",
            all_of(
                equal(number(len(rows)), number(told)), *(compare(printed(fact), "<=", fact.high) for fact in facts)
            ),
            f"{text!r} speaks of {told} rows, and {len(rows)} stand there.",
            sheet.place(said),
            ("All rows are meant.",),
            question="Which rows are counted?",
            family=FAMILY,
            evidence=f"the {said.split()[0]} gives a count",
        )
