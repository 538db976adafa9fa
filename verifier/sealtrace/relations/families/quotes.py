"""Numbers of the text that quote a cell: bound by the words around them, not by their value, and then compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact, plain_address
from sealtrace.relations.families import estimates
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.spoken import Index, Span, Spoken
from sealtrace.relations.families.wording import is_percent, plain, real, same
from sealtrace.relations.lexicon import named_by, spoken_of, stem, telling, vocabulary, words
from sealtrace.relations.prose import Mention, Sentence, lists_in, ratios_in
from sealtrace.relations.work import time_is_up

FAMILY = "quote"
LEAST_DIGITS = 2
_FIRST = (None, "mean", "value", "1")
"""The part of a cell that is its value, whatever stands behind it."""
MOST_CHANCE = 0.03
"""How often an unrelated number would stand as near to one of the cells that the words name, at most."""


@dataclass(frozen=True)
class _Candidate:
    """A cell that a number may quote."""

    fact: Fact
    scale: Fraction
    """By what the cell is multiplied to read as the text does: 100 where only the text says percent."""
    row: bool
    column: bool
    """Whether the words name its row, its column."""
    distance: int
    named: bool

    @property
    def score(self) -> tuple[int, int]:
        return (2 * self.row + self.column + self.named, -self.distance)


def find(paper: Paper) -> Iterator[Claim]:
    """Every number whose words name a cell, where a cell says the same or nearly the same."""
    told = set()
    for claim in estimates.find(paper, FAMILY):
        told |= {plain_address(fact) for fact in claim.facts}
        yield claim
    index = Index(paper)
    said = Counter(mention.fact.text for sentence in paper.sentences for mention in sentence.mentions)
    everywhere = {(abs(fact.value), fact.unit) for fact in paper.facts.every() if fact.table is not None}
    before, paragraph = "", None
    for sentence in paper.sentences:
        if time_is_up():
            return
        if (sentence.source, sentence.paragraph) != paragraph:
            paragraph, before = (sentence.source, sentence.paragraph), ""
        own = index.spoken(sentence)
        spoken = index.spoken(sentence, before) if before else own
        before = f"{sentence.text} {before}"[:600]
        # A number that belongs to the name of a row or a column quotes nothing.
        names = [span for one in own for spans in (*one.rows.values(), *one.columns.values()) for span in spans]
        mentions = [one for one in sentence.mentions if not any(a <= one.start and one.end <= b for a, b in names)]
        quotable = [
            one
            for one in mentions
            if is_quotable(one) and one.fact.address not in told and not _PER.search(sentence.text[: one.start])
        ]
        matches = {id(one): _best(one, _candidates(one, spoken)) for one in quotable}
        found = [one for one in matches.values() if one is not None]
        # A number that some table prints, or that is said twice, is a quote of something else.
        alone = [one for one in mentions if said[one.fact.text] == 1 and not _elsewhere(one, everywhere)]
        yield from _bracketed(sentence, own, found, alone)
        yield from _respectively(sentence, own)
        for mention in quotable:
            match = matches[id(mention)]
            siblings = [one for one in found if one is not match]
            # What stands beside its row among others that do is no number of some other row.
            beside = None if match is not None and match.row else _plain_miss(sentence, mention, own, siblings)
            if match is not None and (beside is None or beside[1] < 2):
                # Only where words alone choose the cell could another value have been noticed.
                other = _named_cell(sentence, mention, own)
                yield replace(_claim(sentence, mention, match), telling=other is not None and other.fact == match.fact)
            elif not mention.loose and (mention in alone or beside is not None):
                yield from _counted(sentence, mention, paper) if mention in alone else ()
                vouched = {one.fact.table for one in siblings}
                near = [beside, _near(mention, own, siblings)]
                if siblings and not any(near):
                    near = [_near(mention, [one for one in spoken if one.sheet.label in vouched], siblings)]
                misses = [] if _foreign(mention, mentions, matches) else [one for one in near if one is not None]
                for one in misses:
                    if not (
                        _symbol(sentence, mention, one[0])
                        or _quoted(mention, one[0], mentions)
                        or _composed(mention, one[0], own)
                    ):
                        yield _claim(sentence, mention, *one)
                        break


def _foreign(mention: Mention, mentions: list[Mention], matches: dict[int, _Candidate | None]) -> bool:
    """Whether the sentence speaks of something that no table has: more of its numbers are no cell's."""
    alike = [one for one in mentions if one.decimals == mention.decimals and (one.unit == "%") == (mention.unit == "%")]
    return any(one is not mention and not one.loose and matches.get(id(one), mention) is None for one in alike)


def _quoted(mention: Mention, cell: _Candidate, mentions: list[Mention]) -> bool:
    """Whether another number of the sentence is that of the cell."""
    return any(_same(one, cell) for one in mentions if one is not mention)


def _composed(mention: Mention, cell: _Candidate, own: list[Spoken]) -> bool:
    """Whether a number is the sum or the difference of two of the cell's row: `107 found, one of them wrong`."""
    sheets = [one.sheet for one in own if one.sheet.label == cell.fact.table]
    rows = [(sheet, row) for sheet in sheets for row, line in enumerate(sheet.rows) if line.label == cell.fact.row]
    alike = [[fact.value for fact in sheet.across(row) if fact.unit == cell.fact.unit] for sheet, row in rows]
    pairs = [pair for values in alike for pair in combinations(values, 2)]
    value = abs(mention.fact.value) / cell.scale
    return any(value in (abs(a + b), abs(a - b)) for a, b in pairs if a and b)


_PER = re.compile(r"\b(?:per|every|each)\s+$", re.I)
"""Before the base of a rate: `per 10,000`."""
_SCALED = re.compile(r"\d\s?([KMBT×])")
_CLAUSE = re.compile(r"[;:]|,? (?:while|but|whereas|although|though)\b")
_NAMED_BY = re.compile(r"([^\W\d_]\w{0,5})\s?=\s?[-+]?$")


def _bracketed(
    sentence: Sentence, own: list[Spoken], matches: list[_Candidate], alone: list[Mention]
) -> Iterator[Claim]:
    """Numbers in brackets behind a label: `A (predicted ~490B, 7.0×)`, `A is higher on X (88%)`, `A (0.64, n=206)`.

    Behind a row, the unit or a symbol that is a column's name tells the cell; behind a column, the only row that the
    clause names before. Without a unit, another number of the sentence must be what the table prints there.
    """
    text = sentence.text
    for mention in sentence.mentions:
        opened = text.rfind(" (", 0, mention.start)
        inside = [one for one in sentence.mentions if opened < one.start < text.find(")", max(opened, 0))]
        if opened < 0 or mention not in inside:
            continue
        item = text[max(opened, text.rfind(",", opened, mention.start)) : mention.start]
        begin = max((one.end() for one in _CLAUSE.finditer(text, 0, mention.start)), default=0)
        for one in own:
            rows = [row for row, spans in one.rows.items() if [span[1] for span in spans].count(opened) == 1]
            before = [row for row, spans in one.rows.items() if any(begin <= span[0] < opened for span in spans)]
            columns = [column for column, spans in one.columns.items() if any(span[1] == opened for span in spans)]
            facts: list[Fact] = []
            if len(rows) == 1 and mention in alone:
                facts = _told(one.sheet, rows[0], mention, item, inside, matches)
            elif len(before) == len(columns) == 1 and f"{item}{text[mention.end :][:1]}" == " ()":
                # Of two digits some other table has any number.
                if mention not in alone and len(mention.digits) > 2:
                    continue
                facts = _crossing(one.sheet, before[0], columns[0], mention, matches)
                rows = before
            if len(facts) == 1 and not any(_close(mention, fact) for fact in one.sheet.across(rows[0])):
                yield _claim(sentence, mention, _Candidate(facts[0], Fraction(1), True, True, 0, one.named), 1)


def _told(
    sheet: Sheet, row: int, mention: Mention, item: str, inside: list[Mention], matches: list[_Candidate]
) -> list[Fact]:
    """The cells of a row that a number's unit tells, or a symbol before it where the row is quoted besides."""
    if unit := _SCALED.search(mention.fact.text):
        alike = [fact for fact in sheet.across(row) if _unit(fact, sheet) == unit[1]]
        named = [fact for fact in alike if named_by(fact.column) & vocabulary(item)]
        others = [one for one in inside if one is not mention]
        meant = named if len(alike) > 1 else alike
        return [fact for fact in meant if not any(_close(one, fact) for one in others)]
    symbol, place = _NAMED_BY.search(item), (sheet.label, sheet.rows[row].label)
    vouched = any((one.fact.table, one.fact.row) == place for one in matches if one.row)
    if symbol is None or not vouched or mention.loose or len(mention.digits) < 2:
        return []
    heads = [column for column in sheet.numeric_columns() if sheet.columns[column].label == symbol[1]]
    found = [fact for column in heads if (fact := sheet.number(row, column)) is not None]
    return [fact for fact in found if real(fact).fact.unit == real(mention.fact).fact.unit]


def _crossing(sheet: Sheet, row: int, column: int, mention: Mention, matches: list[_Candidate]) -> list[Fact]:
    """The cell of a row and a column, printed as the number is, where the table is quoted besides."""
    fact = sheet.number(row, column)
    vouched = any(one.fact.table == sheet.label and one.row and one.column for one in matches)
    if fact is None or not vouched or mention.loose or len(mention.digits) < 2:
        return []
    same_kind = (mention.unit == "%") == _percent(fact, sheet)
    return [fact] if same_kind and real(fact).fact.unit == real(mention.fact).fact.unit else []


_TOTAL = re.compile(r"(?:total|totals|sum|all|overall)\b.*")


def _counted(sentence: Sentence, mention: Mention, paper: Paper) -> Iterator[Claim]:
    """`172 of 368 people`, `15,840 old trees`: a count that misses by a slip the cell of that name."""
    after = [word for word, start, _end in words(sentence.text) if 0 < start - mention.end < 40][:3]
    nouns, near = set(telling(word for word in after if word.isalpha())), set(after[:1])
    digits = len(mention.digits.rstrip("0"))
    if not nouns or mention.decimals or mention.unit or len(mention.digits) < 3:
        return
    found = []
    for sheet in paper.sheets:
        for (row, column), entry in sheet.entries.items():
            fact, line = sheet.number(row, column), sheet.rows[row]
            if fact is None or len(entry.facts) > 1 or not is_slip(mention.fact.value, fact.value, fact.unit):
                continue
            heads = named_by(sheet.columns[column].label)
            # With fewer digits only a total is told from others; and a few more or fewer are other things.
            total = _TOTAL.fullmatch(plain(line.first)) is not None and bool(near & heads)
            long = digits > 3 and fact.exact and abs(mention.fact.value - fact.value) >= 10
            if total or (long and nouns & (heads | named_by(line.first))):
                found.append(fact)
    for fact in found if len({fact.value for fact in found}) == 1 else ():
        yield _claim(sentence, mention, _Candidate(fact, Fraction(1), True, True, 0, False), 1)


def _respectively(sentence: Sentence, own: list[Spoken]) -> Iterator[Claim]:
    """`Elm, Oak and Ash have 21, 18 and 25, respectively`: as many numbers as rows, and all but one are theirs."""
    text = sentence.text
    for one in own if "respectively" in text else ():
        for spoken in (one, Spoken(one.sheet.turned(), one.columns, one.rows, one.named)):
            rows = sorted(spoken.rows, key=lambda row: min(spoken.rows[row]))
            for run in (run for run in lists_in(sentence) if len(run) == len(rows) > 2):
                for column in spoken.sheet.numeric_columns():
                    cells = [spoken.sheet.number(row, column) for row in rows]
                    pairs = [(mention, fact) for mention, fact in zip(run, cells, strict=True) if fact is not None]
                    wrong = [(mention, fact) for mention, fact in pairs if not _close(mention, fact)]
                    if len(pairs) == len(rows) and len(wrong) == 1 and text.count("respectively") == 1:
                        match = _Candidate(wrong[0][1], Fraction(1), True, True, 0, spoken.named)
                        yield _claim(sentence, wrong[0][0], match, 1)


def _percent(fact: Fact, sheet: Sheet) -> bool:
    """Whether a cell is in percent: by its sign, its header or the caption, or by its size."""
    return is_percent(fact.column, sheet.caption, (fact.text,)) or abs(fact.value) > 1


def _unit(fact: Fact, sheet: Sheet) -> str:
    """The sign behind a cell's number: of a scale, or of a ratio."""
    entry = next((one for one in sheet.entries.values() if fact in one.facts), None)
    found = re.search(re.escape(fact.text.rstrip("KMBT×")) + r"\s?([KMBT×])", "" if entry is None else entry.text)
    return "" if found is None else found[1]


def _close(mention: Mention, fact: Fact) -> bool:
    """Whether a number is a cell's, or nearly where the text says about."""
    slack = fact.value / 8 if mention.loose else Fraction(0)
    own, other = real(mention.fact).fact, real(fact).fact
    return own.low <= other.high + abs(slack) and own.high >= other.low - abs(slack)


def _named_cell(sentence: Sentence, mention: Mention, own: list[Spoken]) -> _Candidate | None:
    """The only cell whose row and column the sentence names itself, its row or column right beside the number."""
    if mention.loose or len(mention.digits) < 3:
        return None
    named = [one for one in _candidates(mention, own) if one.row and one.column and _alike(mention, one)]
    if len({one.fact.table for one in named}) != 1 or len(named) != 1 or named[0].distance > 40:
        return None
    rows = {row: spans for one in own if one.sheet.label == named[0].fact.table for row, spans in one.rows.items()}
    close = min((span for spans in rows.values() for span in spans), key=lambda span: _away(mention, span))
    between = range(min(close[1], mention.end), max(close[0], mention.start))
    # A row behind the number is what the number is compared with, unless it is said to be the number's.
    compared = close[0] >= mention.end and not _OF_IT.match(sentence.text[mention.end : close[0]])
    others = any(other.start in between and other is not mention for other in sentence.mentions)
    return None if others or compared else named[0]


_OF_IT = re.compile(r"[^.;]{0,20}\b(?:for|of|by|with|in|on|under|from|at)(?: the)?\s*$|\s*[(\[]\s*$")


_SYMBOL = re.compile(
    r"(?<![\w\\])(?:[A-Za-z]|[α-ωΑ-Ω]|R\^?2|se|SE|sd|SD|CI|n\.s\.)\s?[=<>≈≤≥]\s?[-+−±]?$|\bse $|[{∈]\s?[^}]*$"
)


_GIVEN = re.compile(r"([^\W\d_]{2,})\s?(?:=|≈|of\s?=)\s?[-+−±~∼]?$")
_MEASURED = re.compile(
    r"(?:\s?±\s?[\d.]+)?[ ~-](years?|days?|months?|weeks?|hours?|minutes?|seconds?|kg|km|cm|mm|ms|nm|Hz|°)(?!\w)"
)
_DERIVED = re.compile(
    r"\b(?:ratio|difference|gap|gains?|increase|decrease|drop|reduction|change|improvement|sum|total) of\s[-+−±~∼]?$",
    re.I,
)


_ELSEWHERE = re.compile(
    r"\b(?:maximum|minimum|largest|smallest) (?:possible|potential|feasible)\b|"
    r"\b(?:second|another|separate|different|additional|independent|follow-up|earlier|previous|prior|harder|larger)\b"
    r"[^.;]{0,40}\b(?:suite|sets?|datasets?|benchmark|runs?|study|experiment|sample|cohort|subset|test|paper|work)\b",
    re.I,
)
_COMPARED = re.compile(
    r"\b(?:surpass|exceed|outperform|beat|improv)\w*\b|\b(?:than|over|above|below|versus|vs|compared|against|relative)\b",
    re.I,
)


def _symbol(sentence: Sentence, mention: Mention, one: _Candidate) -> bool:
    """Whether it is no cell's: another symbol, unit or study has it, it ends a range, or it is computed."""
    before, after = sentence.text[: mention.start], sentence.text[mention.end :]
    ranged = re.match(r"\s?[–—]\s?[-+−]?\d", after) or re.search(r"\d[%×]?\s?[–—]\s?$", before)
    share = any(0 <= mention.start - ratio.end < 30 for ratio in ratios_in(sentence.text)) and mention.unit == "%"
    given = _GIVEN.search(before)
    other = given is not None and not {stem(given.group(1).lower())} & vocabulary(f"{one.fact.column} {one.fact.row}")
    measured = _MEASURED.match(after)
    unlike = measured is not None and measured.group(1) not in f"{one.fact.column} {one.fact.row}".lower()
    derived = _DERIVED.search(before) is not None or _ELSEWHERE.search(before) is not None
    spans = spoken_of(one.fact.row, after[:90]) if not spoken_of(one.fact.row, before) else []
    derived |= bool(spans) and _COMPARED.search(after[: spans[0][0]]) is not None
    symbol = _SYMBOL.search(before)
    named = symbol is not None and re.match(r"\W*(\w+)", symbol.group())
    unlike |= symbol is not None and not (named and named[1] in re.findall(r"\w+", f"{one.fact.column} {one.fact.row}"))
    return ranged is not None or share or other or unlike or derived


def is_quotable(mention: Mention) -> bool:
    """Whether a number has enough digits to be told from others."""
    digits = len(mention.digits)
    return (
        digits >= LEAST_DIGITS and mention.unit != "pp" and (mention.decimals > 0 or digits > 2 or mention.unit == "%")
    )


def _elsewhere(mention: Mention, everywhere: set[tuple[Fraction, Fraction]]) -> bool:
    value, unit = abs(mention.fact.value), mention.fact.unit
    return (value, unit) in everywhere or (value / 100, unit / 100) in everywhere


def _candidates(mention: Mention, spoken: list[Spoken]) -> Iterator[_Candidate]:
    """Every cell of a row or a column that the sentence names."""
    for one in spoken:
        for (row, column), entry in one.sheet.entries.items():
            in_row, in_column = row in one.rows, column in one.columns
            if not (in_row or in_column):
                continue
            spans = one.rows.get(row, []) or one.columns.get(column, [])
            away = min((_away(mention, span) for span in spans), default=999)
            for fact in entry.facts:
                for scale in _scales(mention, fact, entry.text):
                    yield _Candidate(fact, scale, in_row, in_column, away, one.named)


def _away(mention: Mention, span: Span) -> int:
    return max(span[0] - mention.end, mention.start - span[1], 0)


def _scales(mention: Mention, fact: Fact, text: str) -> list[Fraction]:
    if mention.unit == "×":
        return [Fraction(1)] if "×" in text or abs(fact.value) > 1 else []
    if mention.unit == "%" and "%" not in text and abs(fact.value) <= 1:
        return [Fraction(100)]
    return [Fraction(1)]


def _same(mention: Mention, one: _Candidate) -> bool:
    """Whether both may be one number, the text perhaps with fewer digits, or without the sign."""
    fact, own = real(one.fact).fact, real(mention.fact).fact
    low, high = fact.low * one.scale, fact.high * one.scale
    if fact.unit * one.scale >= own.unit and abs(own.value) != abs(fact.value * one.scale):
        # With as many digits they are the same digits, and more than the cell has cannot come from it.
        return False
    straight = own.low <= high and own.high >= low
    return straight or (mention.fact.value > 0 > fact.value and own.low <= -low and own.high >= -high)


def _best(mention: Mention, candidates: Iterator[_Candidate]) -> _Candidate | None:
    return max((one for one in candidates if _same(mention, one)), key=lambda one: one.score, default=None)


def _alike(mention: Mention, one: _Candidate) -> bool:
    """Whether both are printed to the same decimal, or the text to fewer."""
    unit, own = real(one.fact).fact.unit * one.scale, real(mention.fact).fact.unit
    return unit == own or (unit < own and mention.decimals > 1)


def _slipped(mention: Mention, one: _Candidate) -> bool:
    """Whether a number misses a cell, rounded to its digits, by a slip."""
    value, unit = one.fact.value * one.scale, mention.fact.unit
    return is_slip(mention.fact.value, round(value / unit) * unit, unit)


def _near(mention: Mention, spoken: list[Spoken], siblings: list[_Candidate]) -> tuple[_Candidate, int, float] | None:
    """The cell that the number misses by a slip, where the words name it or other numbers vouch for it."""
    lines = {(one.fact.table, line) for one in siblings for line in (one.fact.row, one.fact.column)}
    vouching = Counter(one.fact.table for one in siblings)
    quoted = {one.fact.address for one in siblings}

    def beside(one: _Candidate) -> int:
        return sum((one.fact.table, line) in lines for line in (one.fact.row, one.fact.column))

    def weight(one: _Candidate) -> int:
        return one.score[0] + beside(one)

    named = [
        one
        for one in _candidates(mention, spoken)
        if one.fact.address not in quoted
        and one.fact.part in _FIRST
        and _alike(mention, one)
        and one.row
        and (one.column or beside(one) or (one.named and len(mention.digits) > 3))
    ]
    near = [one for one in named if _slipped(mention, one)]
    if not near:
        return None
    best = max(near, key=lambda one: (weight(one), one.score))
    rivals = {one.fact.value for one in named if weight(one) >= weight(best)}
    # The zeros of a round number tell nothing.
    digits = len(mention.digits if mention.decimals else mention.digits.rstrip("0"))
    chance = len(rivals) * (11 * digits) / 10**digits
    bonus = (2 if best.row and (best.column or beside(best)) else 1) * (1 + min(3, vouching[best.fact.table]))
    return (best, len(rivals), chance) if chance <= MOST_CHANCE * bonus else None


_BY = 25
_BESIDE = re.compile(
    r"[\s(,:=–—]*(?:(?:is|was|at|of|to|scores?|reaches|reaching|obtains?|has|with|and|from|vs\.?)\s)*[(]?"
)


_BEHIND = re.compile(r"\s+(?:(?:for|by|with|in|on|under)\s+(?:the\s+)?)?")


def _plain_miss(
    sentence: Sentence, mention: Mention, own: list[Spoken], siblings: list[_Candidate]
) -> tuple[_Candidate, int, None] | None:
    """The cell of the row that stands directly beside the number, in the column of which the others of its kind are.

    `A (0.58) led B (0.48) and C (0.43)`, `53% for A and 11% for B`: what is found of them tells the column of the rest.
    Or the other way round: columns stand beside the numbers, and the others tell the row.
    """
    if re.match(r"\s?(?:vs\.?|versus|against|→)\s", sentence.text[mention.end :]):
        # `A below B (0.31 vs. 0.37)`: what stands beside B is A's.
        return None
    turned = [Spoken(one.sheet.turned(), one.columns, one.rows, one.named) for one in own]
    for spoken, line, cross in ((own, "row", "column"), (turned, "column", "row")):
        vouched = Counter(
            (one.fact.table, getattr(one.fact, cross)) for one in siblings if getattr(one, line) and one.distance <= _BY
        )
        for (table, label), vouching in vouched.most_common(1):
            for one in (each for each in spoken if each.sheet.label == table):
                lines = {one.sheet.rows[row].label for row in _beside(sentence.text, mention, one)}
                there = [
                    cell
                    for cell in _candidates(mention, [one])
                    if getattr(cell.fact, line) in lines
                    and getattr(cell.fact, cross) == label
                    and cell.fact.part in _FIRST
                    and _alike(mention, cell)
                ]
                only = one.named and len(one.sheet.numeric_columns()) == 1
                if len(lines) == len(there) == 1 and (vouching > 1 or there[0].column or only):
                    return replace(there[0], row=True, column=True), vouching, None
    return None


def _beside(text: str, mention: Mention, one: Spoken) -> list[int]:
    """The rows that stand directly beside a number; what is said to be a row's is not the one's before it."""
    sides = {
        row: (
            any(span[1] <= mention.start and _BESIDE.fullmatch(text, span[1], mention.start) for span in spans),
            any(mention.end < span[0] and _BEHIND.fullmatch(text, mention.end, span[0]) for span in spans),
        )
        for row, spans in one.rows.items()
    }
    return [row for row, side in sides.items() if side[1]] or [row for row, side in sides.items() if side[0]]


def is_slip(one: Fraction, other: Fraction, unit: Fraction) -> bool:
    """Whether two numbers differ as a slip of the pen makes them: one digit, two digits swapped, or the sign."""
    a, b = (str(abs(round(value / unit))) for value in (one, other))
    if a == b:
        return one != other
    width = max(len(a), len(b))
    a, b = a.zfill(width), b.zfill(width)
    wrong = [place for place in range(width) if a[place] != b[place]]
    if len(wrong) == 1:
        return True
    return len(wrong) == 2 and wrong[1] == wrong[0] + 1 and a[wrong[0]] == b[wrong[1]] and a[wrong[1]] == b[wrong[0]]


def _claim(
    sentence: Sentence, mention: Mention, match: _Candidate, rivals: int = 0, chance: float | None = None
) -> Claim:
    fact = match.fact
    said = f"“{_around(sentence.text, mention)}” ({sentence.place(mention.start)})"
    names = " and ".join(name for name, there in (("row", match.row), ("column", match.column)) if there)
    turned = mention.fact.value > 0 > fact.value and _same(mention, match)
    return Claim(
        f"{FAMILY} {mention.fact.address}",
        same(mention.fact, fact, -match.scale if turned else match.scale),
        f"{mention.fact.text} in the text is {fact.text} of {fact.address}.",
        said,
        ("The sentence speaks of that cell.",),
        question=f"Is it {mention.fact.text}, as the text says, or {fact.text}, as the table prints?",
        family=FAMILY,
        evidence=f"the sentence names its {names or 'table'}"
        + (f"; {rivals} cells are named so, and none prints {mention.fact.text}" if rivals else ""),
        chance=None if chance is None else min(1.0, chance),
    )


def _around(text: str, mention: Mention) -> str:
    start, end = max(0, mention.start - 60), min(len(text), mention.end + 40)
    start = text.find(" ", start) + 1 if start else 0
    cut = text[start:end]
    return re.sub(r"\s+", " ", ("…" if start else "") + cut + ("…" if end < len(text) else ""))
