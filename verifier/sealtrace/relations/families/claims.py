"""What sentences say of columns and rows: highest, all within, only, first, monotone, points above, times.

Each operator reads a passage in every way that its words allow, over every table that they name, as a formula. A way
that holds is what is meant; where none does, the one whose table fits the words best is shown.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise, product

from sealtrace.printed.extracted import JOIN
from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.naming import Span, Spoken, index_of
from sealtrace.relations.families.paper import Line, Paper, Sheet
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, apart, is_slip, plain, printed, real, same
from sealtrace.relations.lexicon import named_by, phrase, telling, vocabulary, words
from sealtrace.relations.prose import LOOSE, SMALL, Mention, Sentence, count_in, lists_in, ratios_in
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, Given, Ordered, all_of, any_of, call, compare, equal, number
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
            (_shared_bounds, spoken),
            (_first_times, spoken),
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


def _column(sheet: Sheet, column: int, rows: Container[int] | None = None) -> dict[int, Fact]:
    """The numbers of a column, by row, in rows that are no summaries."""
    return {
        row: fact
        for row, line in enumerate(sheet.rows)
        if (fact := sheet.number(row, column)) is not None and (rows is None or row in rows)
        if not _is_summary(line)
    }


def _is_summary(line: Line) -> bool:
    """Whether a row speaks of the others: `Mean`, `Total over 11 pairs`, but not `Mean conflict`."""
    found = SUMMARY.match(plain(line.first)) or SUMMARY.match(plain(line.label))
    return (
        found is not None
        and re.match(r"$|\W*$|\W*(?:over|of|across|for|in)\b", found.string[found.end() :]) is not None
    )


def _filled(spoken: list[Spoken], least: int) -> Iterator[tuple[Sheet, int, list[Fact]]]:
    """Columns that a sentence names, with the numbers of the rows that it names, or of all; at least so many."""
    for named in spoken:
        for column in named.columns:
            facts = list(_column(named.sheet, column, named.rows or None).values())
            if len(facts) >= least:
                yield named.sheet, column, facts


def _meets(mention: Mention, fact: Fact) -> bool:
    own, other = real(mention.fact).fact, real(fact).fact
    # To the same digit two that only touch are two numbers.
    return any(own.low < other.high * scale and own.high > other.low * scale for scale in (1, 100))


def _last_before(rows: dict[int, list[Span]], start: int, end: int, without: Container[int] = ()) -> list[int]:
    """The rows that are named in a stretch, the last first."""
    named = [(span[1], row) for row, spans in rows.items() for span in spans if start <= span[0] and span[1] <= end]
    return list(dict.fromkeys(row for _end, row in sorted(named, reverse=True) if row not in without))


# Highest and lowest


# What has its largest in a column is largest of its own row; who is failing most has the least of what is measured.
_SUPERLATIVE = re.compile(
    r"(?<!\bits )(?<!\btheir )\b(?:(?P<best>\w+est or )?(?P<second>second)[- ])?"
    r"(?:(?P<high>highest|largest|greatest|maximum|(?<!ing )most|top)|"
    r"(?P<low>lowest|smallest|(?<!ing )least|minimum|fewest)|best|strongest|worst|weakest)\b",
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
_VALUE = re.compile(r"(?:\(|\b(?:at|of|with|is)\s)[$€£]?$")
MOST_BETTER = 3
"""So many rows that stand before the one that is called first: with more of them the words mean something else."""


def _superlatives(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`A is highest on X`, also among some, or second-highest; `A has the highest X`; `A is the worst (0.9)`."""
    text = sentence.text
    for found in _SUPERLATIVE.finditer(text):
        begin = max((cut.end() for cut in _CLAUSE.finditer(text, 0, found.start())), default=0)
        end = min((cut.start() for cut in _CLAUSE.finditer(text, found.end())), default=len(text))
        among = _AMONG.search(text[begin:end])
        narrowed = _NARROWED.search(_AMONG.sub("", f"{text[begin : found.start()]} {text[found.end() : end]}"))
        if narrowed:
            continue
        ways: list[_Way] = []
        unclear = sentence.caption and not any(named.referred for named in spoken)
        for named in spoken:
            group = _members(named.sheet, among["group"]) if among else None
            rows = {row: spans for row, spans in named.rows.items() if group is None or row in group}
            subjects = _last_before(rows, begin, found.start())
            columns = _columns_after(sentence, named, found, end, bool(among))
            # Where a table has several rows of that name, another need not be meant.
            unclear = unclear or (len(subjects) > 1 and bool(columns))
            cells = [
                (row, column)
                for row in (subjects if len(subjects) == 1 else ())
                for column, value in columns.items()
                if (fact := named.sheet.number(row, column)) is not None and (value is None or _meets(value, fact))
            ]
            for row, column in cells or _quoted(sentence, named, found, end):
                if group or not among:
                    ways += _extreme(named.sheet, column, row, found, group)
        yield from (replace(way, only_if_true=way.only_if_true or unclear) for way in ways)


def _columns_after(
    sentence: Sentence, named: Spoken, found: re.Match[str], end: int, among: bool
) -> dict[int, Mention | None]:
    """The columns that stand behind a superlative with nothing else between, each with the value behind it."""
    text, columns = sentence.text, {}
    linked = re.match(r"\s+(?:on|in|at|for)\s", _AMONG.sub("", text[found.end() : end], count=1)) is not None
    for column, spans in named.columns.items():
        after = [span for span in spans if found.end() <= span[0] < end]
        gap = text[found.end() : after[0][0]] if after else ""
        whole = named_by(named.sheet.columns[column].label) <= vocabulary(text[found.end() : end])
        owned = whole and not gap.strip() and _HAS.search(text[: found.start()])
        if after and (owned or (linked and (among or _is_listed(gap, named, sentence, found.end())))):
            values = [mention for mention in sentence.mentions if 0 <= mention.start - after[-1][1] < 12]
            columns[column] = next((value for value in values if value.start < end), None)
    return columns


_ANYTHING = vocabulary(
    "method methods model models system systems approach variant configuration setting kind performer "
    "score result value overall performance"
)
"""Words for rows of any kind."""


def _quoted(sentence: Sentence, named: Spoken, found: re.Match[str], end: int) -> list[tuple[int, int]]:
    """The only cell of the rows named before it that a value behind a superlative quotes: `the worst method (0.467`."""
    values = [mention for mention in sentence.mentions if found.end() <= mention.start < min(end, found.end() + 60)]
    if not values or len(values[0].digits) < 3 or not _VALUE.search(sentence.text[: values[0].start]):
        return []
    heads = vocabulary(" ".join(named.sheet.columns[column].label for column in named.columns))
    between = telling(phrase(re.sub(r"^-\w+", "", sentence.text[found.end() : values[0].start])))
    if not set(between) <= heads | _ANYTHING:
        return []  # the strongest local model is the first of some rows only
    cells = [
        (row, column)
        for row in _last_before(named.rows, 0, found.start())
        for column in named.sheet.numeric_columns()
        if (fact := named.sheet.number(row, column)) is not None and _meets(values[0], fact)
    ]
    return cells if len(cells) == 1 else []


def _members(sheet: Sheet, group: str) -> list[int]:
    """The rows whose names, or those of their block, have the words of a group: `among the open models`."""
    names = [vocabulary(f"{line.label} {line.first}") for line in sheet.rows]
    wanted = named_by(group) & frozenset().union(*names)
    return [row for row, own in enumerate(names) if wanted and wanted <= own]


def _is_listed(between: str, named: Spoken, sentence: Sentence, offset: int) -> bool:
    """Whether only names of columns, values and idle words stand between."""
    covered = [span for spans in named.columns.values() for span in spans]
    covered += [(mention.start, mention.end) for mention in sentence.mentions]
    left = [word for word, a, b in words(between) if not any(x <= a + offset and b + offset <= y for x, y in covered)]
    return not telling(left)


def _extreme(sheet: Sheet, column: int, row: int, found: re.Match[str], group: list[int] | None) -> Iterator[_Way]:
    own, block = sheet.number(row, column), sheet.rows[row].label.split(JOIN)[:-1]
    beside = [other for other, line in enumerate(sheet.rows) if line.label.split(JOIN)[:-1] == block]
    # The first of a block is the first of its rows.
    facts = _column(sheet, column, group or (beside if block and len(beside) > 2 else None))
    others = [fact for other, fact in facts.items() if other != row and not _ASIDE.search(sheet.rows[other].label)]
    # A column of several things has no first.
    if own is None or len(others) < 2 or any(other.unit != own.unit for other in others):
        return
    formulas, ahead = [], []
    for sign in (">=",) if found["high"] else ("<=",) if found["low"] else (">=", "<="):
        better = [other for other in others if (other.value > own.value if sign == ">=" else other.value < own.value)]
        ahead.append(len(better))
        # Of a second the first is left out, which has to be there unless it may be the first itself.
        first = max(better, key=lambda other: abs(other.value - own.value), default=None) if found["second"] else None
        if first is not None or found["best"] or not found["second"]:
            behind = (other for other in others if other is not first)
            formulas.append(all_of(*(compare(printed(own), sign, printed(other)) for other in behind)))
    if formulas:
        label = sheet.columns[column].label
        says = f"{sheet.rows[row].label} is {found.group().lower()} of column {label!r}"
        many = min(ahead) > MOST_BETTER
        yield _Way(sheet, any_of(*formulas), says, "row and column", found.start(), label, only_if_true=many)


# Differences and multiples


_ABOVE = r"(?:above|over|below|behind|ahead of|short of|than)"
_ITS = r"\s+(?:the\s+|its\s+|that of\s+)?"
_RIVAL = re.compile(
    rf"\b(?:{_ABOVE}|compared (?:to|with)|(?:outperform|surpass|exceed|beat|trail|lead)\w*){_ITS}$", re.I
)
_POINTS_ABOVE = re.compile(rf"\s*(?:[\w-]+\s)?{_ABOVE}{_ITS}", re.I)
_TIMES = re.compile(
    rf"\s*(?:[\w-]+\s){{0,3}}?(?:{_ABOVE}|relative to|compared (?:to|with)|versus|vs\.?|against|of){_ITS}", re.I
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
        fact = sentence.fact(found.start(), found.group(), value, unit)
        yield Mention(fact, found.start(), found.end(), "×", LOOSE.search(sentence.text[: found.start()]) is not None)


def _changes(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`5.2 pp above B`, `improves over B by 1.2 and 3.4 points`, `23.8× relative to B`: two rows of one table."""
    text = sentence.text
    several = sum(mention.unit == "×" for mention in sentence.mentions) > 1
    for mention in (*sentence.mentions, *_worded(sentence)):
        run = next((run for run in lists_in(sentence) if mention in run), [mention])
        by = _BY.search(text[: run[0].start]) is not None
        unit = "pp" if by and run[-1].unit == "pp" else mention.unit
        ranged = re.search(r"\d\s?[–—-]\s?$", text[: mention.start])
        likely = unit == "×" and (several or re.match(r"\s\w+ likely\b", text[mention.end :]))
        if not (mention.loose or ranged or likely or _explained(mention, sentence.mentions)):
            for named in spoken if unit or (by and mention.fact.text[:1] in "+-−") else ():
                yield from _change(sentence, named, mention, run if by else [mention], unit)


def _explained(mention: Mention, mentions: Sequence[Mention]) -> bool:
    """Whether two other numbers of the sentence differ by so many percent."""
    values = [other.fact.value for other in mentions if other is not mention and other.fact.value]
    gaps = [abs(100 * (a - b) / b) for a in values for b in values]
    return mention.unit == "%" and any(abs(gap - abs(mention.fact.value)) <= mention.fact.unit for gap in gaps)


def _change(sentence: Sentence, named: Spoken, mention: Mention, run: list[Mention], unit: str) -> Iterator[_Way]:
    """A number that two rows differ by: the second stands behind a word that compares, the first is named before."""
    text, sheet = sentence.text, named.sheet
    spans = [(row, span) for row, spans in named.rows.items() for span in spans]
    link = _TIMES if unit == "×" else _POINTS_ABOVE
    behind = {row: span[0] for row, span in spans if link.fullmatch(text, mention.end, span[0])}
    rivals = {row for row, span in spans if _RIVAL.search(text[: span[0]])} | behind.keys()
    second = list(behind) or (list(rivals) if _BY.search(text[: run[0].start]) and len(named.rows) == 2 else [])
    # What another number is compared with has not this one.
    first = _last_before(named.rows, 0, mention.start if behind else len(text), rivals)
    if len(second) != 1 or not first:
        return
    rows = (first[0], second[0])
    beside = _columns_beside(sentence, named, mention, behind.get(second[0], mention.end))
    columns = beside or (_columns_meant(sentence, named, mention, first[0]) if unit != "×" else [])
    if len(run) > 2 and len(run) == len(sheet.numeric_columns()):
        listed = list(zip(run, sheet.numeric_columns(), strict=True))
        right = [_differ(sheet, rows, [column], other, "pp") for other, column in listed]
        columns = [column for other, column in listed if other is mention]
        if sum(any(search(way, Work(2000)).status == "possible" for way in ways) for ways in right) < len(run) - 1:
            return
    if unit == "×" and (not columns or RELATIVE.search(sheet.columns[columns[0]].label)):
        # What is a ratio already is quoted, not divided.
        return
    ways = _differ(sheet, rows, columns[:8], mention, unit)
    if ways:
        says = f"{' and '.join(sheet.rows[row].label for row in rows)} differ by {mention.fact.text}"
        yield _Way(sheet, any_of(*ways), says, "rows", mention.start, only_if_true=len(columns) > (4 if behind else 1))


def _columns_beside(sentence: Sentence, named: Spoken, mention: Mention, until: int) -> list[int]:
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


def _columns_meant(sentence: Sentence, named: Spoken, mention: Mention, first: int) -> list[int]:
    """The columns of a difference where none stands beside it: quoted before it, named at all, or those in percent."""
    sheet = named.sheet
    close = [other for other in sentence.mentions if other.end <= mention.start and mention.start - other.end < 60]
    numbers = {column: fact for column in sheet.numeric_columns() if (fact := sheet.number(first, column)) is not None}
    quoted = [column for column, fact in numbers.items() if any(_meets(other, fact) for other in close)]
    entries = {column: entry for column in numbers if (entry := sheet.entry(first, column)) is not None}
    percent = [column for column, entry in entries.items() if "%" in f"{entry.text} {sheet.columns[column].label}"]
    end = min((cut.start() for cut in _CLAUSE.finditer(sentence.text, mention.end)), default=len(sentence.text))
    spoken = [column for column, spans in named.columns.items() if any(span[0] < end for span in spans)]
    return quoted or spoken or percent or (list(numbers) if named.referred and len(numbers) == 1 else [])


def _differ(sheet: Sheet, rows: Sequence[int], columns: Sequence[int], mention: Mention, unit: str) -> list[Formula]:
    """How two rows may differ by a number in one of the columns."""
    pairs = [[sheet.number(row, column) for row in rows] for column in columns]
    return [way for a, b in pairs if a and b for way in apart(mention.fact, unit, a, b)]


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
_ASIDES = re.compile(r"\([^()]*\)")
_FROM_TO = re.compile(r"\bfrom\b[^.;]*?\bto\b[^.;,(]*", re.I)


def _sweeps(sentence: Sentence, sheet: Sheet) -> bool:
    """Whether a sentence names what changes from row to row: `rises with data size`."""
    heads = named_by(sheet.record["columns"][0]["label"]) if sheet.record else frozenset()
    along = _ALONG.search(sentence.text)
    return bool(heads) and along is not None and named_by(along[1]) == heads


def _monotone(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`height rises monotonically with age`: a column, from row to row."""
    text, verbs = sentence.text, list(_MOVES.finditer(sentence.text))
    if not _MONOTONE.search(text):
        return
    for verb, meant in product(verbs, (meant for meant in spoken if not meant.rows)):
        begin = max((other.start() for other in verbs if other.start() < verb.start()), default=0)
        spans = [(span[1], column) for column, spans in meant.columns.items() for span in spans]
        named = [(end, column) for end, column in spans if begin <= end <= verb.start()]
        if not named or len(_ASIDES.sub("", text[max(named)[0] : verb.start()])) >= 40:
            continue
        column = max(named)[1]
        facts = list(_column(meant.sheet, column).values())
        # `from order 0 to order 4` speaks of some rows only, unless these are the column's own ends.
        some = _FROM_TO.search(text, verb.start())
        ends = [mention for mention in sentence.mentions if some and some.start() < mention.start < some.end()]
        if len(facts) < 4 or any(not _meets(end, fact) for end, fact in zip(ends, (facts[0], facts[-1]), strict=False)):
            continue
        orders = {"nondecreasing": "rises", "nonincreasing": "falls"}
        # Where rows are not of what it goes along with, they may be in another order.
        either = _ALONG.search(text) is not None and not _sweeps(sentence, meant.sheet)
        if not either and (verb["up"] or verb["down"]):
            del orders["nonincreasing" if verb["up"] else "nondecreasing"]
        formula = any_of(*(Ordered(order, tuple(map(printed, facts))) for order in orders))
        says = f"column {meant.sheet.columns[column].label!r} {' or '.join(orders.values())} from row to row"
        yield _Way(meant.sheet, formula, says, "column", verb.start(), only_if_true=either and not sentence.caption)


_EVERY = re.compile(r"\b(?:every|all|each|no|none|never|any|always|both)\b", re.I)
_EXCEPT = re.compile(r"\b(?:except|but|other than|excluding|apart from|nearly all|almost all|not all)\b", re.I)
_LIMIT = re.compile(
    r"(?:(?P<sides>(?:within|by|than|exceeds?)\s±)|(?P<within>within|by more than|more than|exceeds?)|"
    r"(?P<most>at most|no more than|not more than|below|under|less than|smaller than|up to|≤|<)|"
    r"(?P<least>at least|no less than|above|over|greater than|larger than|beyond|≥|>))\s*$",
    re.I,
)


def _bounds(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`every delta is within ±0.04`, `all above 0.95`."""
    text, every = sentence.text, _EVERY.search(sentence.text)
    if every is None or _EXCEPT.search(text) or len(sentence.mentions) > 3:
        return
    for mention in (mention for mention in sentence.mentions if mention.decimals and every.start() < mention.start):
        found, limit = _LIMIT.search(text[: mention.start]), mention.fact.value
        negated = re.search(r"\b(?:no|none|never)\b", text[: mention.start], re.I) is not None
        for sheet, column, facts in _filled(spoken, 3) if found else ():
            largest = max(abs(fact.value) for fact in facts)
            if found is None or not largest or not Fraction(1, 5) < abs(limit) / largest < 5:
                # A bound of another size is of another quantity.
                continue
            if found["sides"] or (found["within"] and any(fact.value < 0 for fact in facts)):
                formulas = [compare(call("abs", printed(fact)), "<=", limit) for fact in facts]
            elif not negated and found["within"] not in ("by more than", "more than"):
                sign = "<=" if found["most"] or found["within"] == "within" else ">="
                formulas = [compare(printed(fact), sign, limit) for fact in facts]
            else:
                continue
            says = f"column {sheet.columns[column].label!r} stays {found.group().strip()} {mention.fact.text}"
            formula = all_of(*formulas, compare(Given(mention.fact), "<=", mention.fact.high))
            yield _Way(sheet, formula, says, "column", mention.start)


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


def _shared_bounds(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`both A and B reach accuracy > 0.9`, `accuracy above 0.9 is confined to A and B`: named rows, or all others."""
    text = sentence.text
    for mention in sentence.mentions:
        found, limit = _LIMIT.search(text[: mention.start]), mention.fact.value
        if found is None or found["sides"] or re.match(r"within|by|up", found.group(), re.I):
            continue
        begin = max((cut.end() for cut in _CLAUSE.finditer(text, 0, found.start())), default=0)
        confined = _CONFINED.match(text, mention.end)
        for named in spoken if not _DOUBT.search(text[begin : found.start()]) else ():
            columns = [
                column
                for column, spans in named.columns.items()
                if _measured(text, spans, found, mention)
                if named_by(named.sheet.columns[column].label.split(JOIN)[-1]) <= vocabulary(text)
            ]
            rows = _joined(text, named.rows, begin, found.start())
            if len(columns) != 1 or bool(rows) == bool(confined):
                continue
            facts = _column(named.sheet, columns[0])
            scale = 100 if mention.unit == "%" and all(abs(fact.value) <= 1 for fact in facts.values()) else 1
            sign, label = "<=" if found["most"] else ">=", named.sheet.columns[columns[0]].label
            if confined:
                rows = _unlisted(named.sheet, facts, confined["list"], sign, limit / scale)
                sign = _OPPOSITE[sign]
            largest = max((abs(facts[row].value) for row in rows if row in facts), default=Fraction(0)) * scale
            # A bound of another size is of another quantity.
            alike = not limit or largest / 5 < abs(limit) < largest * 5
            if rows and alike and all(row in facts for row in rows):
                formulas = [compare(printed(facts[row]), sign, limit / scale) for row in rows]
                labels = ", ".join(named.sheet.rows[row].label for row in rows)
                says = f"{label} of {labels if len(rows) < 5 else 'all others'} is {sign} {mention.fact.text}"
                formula = all_of(*formulas, compare(Given(mention.fact), "<=", mention.fact.high))
                yield _Way(named.sheet, formula, says, "rows and column", mention.start)


def _measured(text: str, spans: list[Span], found: re.Match[str], mention: Mention) -> bool:
    """Whether a column is named right before a bound, or right behind its number."""
    link = r"\s?(?:scores?|values?|is|are|was|were|of|remains?|stays?)?\s?"
    return any(
        re.fullmatch(link, text[end : found.start()]) if end <= found.start() else text[mention.end : start] == " "
        for start, end in spans
    )


def _joined(text: str, rows: dict[int, list[Span]], begin: int, end: int) -> list[int]:
    """Rows that a clause lists one behind the other, what stands in brackets left out."""
    spans = sorted((span, row) for row, spans in rows.items() for span in spans if begin <= span[0] and span[1] <= end)
    listed = all(_LISTED.fullmatch(_ASIDES.sub("", text[a[1] : b[0]])) for (a, _row), (b, _next) in pairwise(spans))
    # Of two that are called both, one may have another name in the table.
    both = spans and re.search(r"\bboth\s(?:(?:[\w()’'-]+\s){1,5}and\s(?:[\w-]+\s)?)?$", text[: spans[0][0][0]], re.I)
    return [row for _span, row in spans] if listed and (len(spans) > 1 or both) else []


def _unlisted(sheet: Sheet, facts: dict[int, Fact], listed: str, sign: str, limit: Fraction) -> list[int]:
    """The rows that should not be beyond a bound: those that are not, and more than can be meant by unknown names."""
    beyond = [row for row, fact in facts.items() if (fact.value > limit if sign == ">=" else fact.value < limit)]
    names = [named_by(item) for item in re.split(r",\s*(?:and\s)?|\sand\s", _ASIDES.sub("", listed))]
    own = {row: named_by(sheet.rows[row].first) for row in beyond}
    foreign = [row for row in beyond if not any(own[row] & name for name in names)]
    unknown = sum(not any(name & stems for stems in own.values()) for name in names)
    others = [row for row in facts if row not in beyond]
    return [*foreign, *others] if not foreign or len(foreign) > unknown else []


def _first_times(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
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
            facts = _column(named.sheet, columns[0], range(meant[0] + 1))
            formulas = [
                compare(printed(fact), sign if row == meant[0] else _OPPOSITE[sign], limit)
                for row, fact in facts.items()
            ]
            says = f"column {label!r} is {sign} {limit} in {named.sheet.rows[meant[0]].label}, and not before"
            if len(formulas) > 2:
                yield _Way(named.sheet, all_of(*formulas), says, "row and column", found.start())


_RANGES = re.compile(
    r"(?:(?P<between>between\s)?(?P<first>№)(?:%|pp|×)?\s?(?:–|—|to|(?P<and>and))\s?|\bup to\s+)[-+−]?(?P<last>[№≋])",
    re.I,
)


def _extents(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`0.61–0.95`, `from 0.61 to 0.95`, `up to 0.95`: ends of a column, or ones that miss them by a slip."""
    shape = sentence.shape
    for found in _RANGES.finditer(shape.text):
        given = [*(shape.numbers(found, "first") if found["first"] else ()), *shape.numbers(found, "last")]
        if found["and"] and not found["between"]:
            continue
        ends = sorted(given, key=lambda mention: mention.fact.value)
        for sheet, column, facts in _filled(spoken, 5 - len(ends)) if len(ends[-1].digits) > 1 else ():
            bottom, top = (choose(facts, key=lambda fact: fact.value) for choose in (min, max))
            scale = 100 if given[-1].unit == "%" and abs(top.value) <= 1 else 1
            pairs = list(zip(ends, (bottom, top)[-len(ends) :], strict=True))
            wrong = [(mention, end) for mention, end in pairs if not _meets(mention, end)]
            slips = (
                len(own.digits) > 2 and is_slip(own.fact.value, end.value * scale, own.fact.unit) for own, end in wrong
            )
            # One end that is right vouches for the other.
            if len(wrong) < 2 and all(slips):
                texts = " to ".join(mention.fact.text for mention in ends)
                says = f"column {sheet.columns[column].label!r} goes {'up to ' if len(ends) == 1 else 'from '}{texts}"
                formula = all_of(*(same(mention.fact, end, scale) for mention, end in pairs))
                yield _Way(sheet, formula, says, "column", given[0].start)


# Signs


_ONLY = re.compile(
    r"\b(?P<sign>positive|negative|non-?zero)\s+only\s+(?:for|on|in)\s+(?:the\s+)?"
    r"(?:(?P<count>\d+|one|two|three|four|five|six)\b)?",
    re.I,
)
_SIGN = re.compile(r"\b(?P<sign>positive|negative)\b", re.I)


def _signs(sentence: Sentence, spoken: list[Spoken]) -> Iterator[_Way]:
    """`positive only for A and B`, `positive only for the two …`, `negative on 9/10 seeds`."""
    for named, column in ((meant, column) for meant in spoken for column in _signed_columns(meant)):
        facts, label = _column(named.sheet, column), named.sheet.columns[column].label
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
            yield _Way(named.sheet, formula, says, "column", found.start())
        for ratio in ratios_in(sentence.text) if named.referred else ():
            signs = list(_SIGN.finditer(sentence.text, max(0, ratio.start - 90), ratio.end + 40))
            if len(signs) == 1 and len(facts) == ratio.whole:
                kept = [fact for fact in facts.values() if _has_sign(fact, signs[0]["sign"])]
                says = f"{ratio.text} of column {label!r} are {signs[0]['sign'].lower()}, and {len(kept)} are"
                yield _Way(named.sheet, _counted(kept, ratio.part), says, "column", ratio.start)


def _signed_columns(meant: Spoken) -> list[int]:
    """Columns that have both signs: those that the sentence names, or the only one."""
    columns = {column: _column(meant.sheet, column).values() for column in meant.sheet.numeric_columns()}
    signed = [column for column, facts in columns.items() if len(facts) > 3 and min(fact.value for fact in facts) < 0]
    return [column for column in signed if column in meant.columns] or (signed if len(signed) == 1 else [])


def _has_sign(fact: Fact, word: str) -> bool:
    return {"positive": fact.value > 0, "negative": fact.value < 0}.get(word.lower(), fact.value != 0)


def _counted(facts: list[Fact], count: int) -> Formula:
    """So many numbers are not zero, no more and no fewer."""
    return all_of(equal(number(len(facts)), number(count)), *(compare(printed(fact), "!=", 0) for fact in facts))
