"""Which cell a number of the text speaks of, by words alone: every cell has a score, and the best one a margin.

The score of a cell is how strongly words tie its row, its column and its table to the number: a name right beside it,
the only name of its clause, a name of the sentence before; lists of names and of numbers go in step. Other numbers of
the sentence that are found in the table speak for the table, and for a row or a column that nothing names. The number's
own value is never looked at: so a cell that is found could also have shown that the number is wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sealtrace.paper.fact import Fact
from sealtrace.paper.names.words import vocabulary
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.families.naming import COLUMN, ROW, Index, Name, is_of
from sealtrace.relations.families.paper import Sheet
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, plain, real
from sealtrace.relations.prose import lists_in

_FIRST = (None, "mean", "value", "1")
"""The part of a cell that is its value, whatever stands behind it."""
BESIDE, NEAR, ALONE, AROUND, BEFORE = 3.0, 2.0, 1.5, 1.0, 0.75
"""How strongly a name is tied to a number: beside it, nearest in its clause, alone in the sentence, elsewhere in it, or
in the sentences before."""
_LINK = (
    r"(?:is|was|are|were|at|of|to|only|just|has|have|with|from|by|about|approximately|a|an|the|gives?|shows?|gets?|"
    r"drops?|falls?|rises?|(?:scor|reach|obtain|achiev|attain|yield)\w*)"
)
_BEFORE = re.compile(rf"[\s(,:=–—]*(?:{_LINK}\s+)*[(~≈]?\s*")
_BEHIND = re.compile(
    r"\s*(?:±\s?[\d.]+\s*)?(?:(?:for|by|with|in|on|under|of|from|at)\s+(?:the\s+|its\s+|our\s+)?|\(|\s)\s*"
)
_CLAUSE = re.compile(r"[;:]|,? (?:while|but|whereas|although|though|compared|versus|vs\.?|than|against|and)\b|, ")
_HARDLY = 0.2
"""The least that has to speak for a cell whose number is the same."""
_SPREAD = re.compile(r"±\s?$")
_VERSUS = re.compile(r"[\s,]*(?:versus|vs|against|compared)\b")
_OF = re.compile(r"^\s*(?:for|by|with|in|on|under|of)\b")
_SYMBOL = re.compile(r"([^\W\d_]\w{0,5})\s?=\s?[-+]?$")
_FROM = re.compile(r"\bfrom\s*[-+−~≈]?$")
_WHOLE = re.compile(r"\b(?:of|all)\s+(?:the |all |our |these )?$")
"""Before the number of a whole."""
_APART = 10
"""So many times larger or smaller than all of its row and its column no number is a cell's."""
_LISTED = re.compile(r"\s*(?:,|,? and|,? or|/|&|vs\.?)\s*(?:the\s+|at\s+)?")


@dataclass(frozen=True)
class Candidate:
    """A cell that a number may be, and how strongly words say so."""

    sheet: Sheet
    row: int
    column: int
    fact: Fact
    scale: Fraction
    """By what the cell is multiplied to read as the text does: 100 where only the text says percent."""
    rows: float
    columns: float
    table: float

    @property
    def score(self) -> float:
        """Both lines and the table."""
        return self.rows + self.columns + self.table


@dataclass
class Reading:
    """A sentence with what it names, and the cells that its numbers may be."""

    sentence: Sentence
    names: list[Name]
    earlier: list[list[Name]] = field(default_factory=list)
    """Names of the sentences before it in its paragraph, the last first."""
    referred: frozenset[str] = frozenset()
    """Tables that the paragraph has referred to so far."""


def kind_fits(mention: TextNumber, fact: Fact, text: str) -> list[Fraction]:
    """By what a cell has to be multiplied to be of the kind of a number; nothing where it cannot be."""
    if (mention.text[-1:] in "KMBT" or fact.text[-1:] in "KMBT") and mention.text[-1:] != fact.text[-1:]:
        return []
    if mention.unit == "×":
        return [Fraction(1)] if "×" in text or RELATIVE.search(text) else []
    scale = Fraction(100 if mention.unit == "%" and "%" not in text and abs(fact.value) <= 1 else 1)
    signed = mention.text[:1] in "+-−"
    if signed != (fact.text[:1] in "+-−") and (signed or fact.text[:1] == "+"):
        return []
    # More digits than the cell has cannot come from it.
    return [scale] if mention.fact.unit >= fact.unit * scale else []


def agrees(mention: TextNumber, fact: Fact, scale: Fraction) -> bool:
    """Whether both may be one number, the text perhaps with fewer digits, or without the sign."""
    if abs(abs(float(fact.value)) * float(scale) - abs(float(mention.fact.value))) > 1.01 * float(mention.fact.unit):
        return False
    cell, own = real(fact).fact, real(mention.fact).fact
    low, high = cell.low * scale, cell.high * scale
    if cell.unit * scale >= own.unit and abs(own.value) != abs(cell.value * scale):
        # With as many digits they are the same digits, and more than the cell has cannot come from it.
        return False
    straight = own.low <= high and own.high >= low
    return straight or (mention.fact.value > 0 > fact.value and own.low <= -low and own.high >= -high)


class Resolver:
    """Finds the cells that the numbers of one sentence may be."""

    def __init__(self, index: Index, reading: Reading, mentions: Sequence[TextNumber]) -> None:
        self.index = index
        self.sheets = index.paper.sheets
        self.reading = reading
        self.text = reading.sentence.text
        self.mentions = [mention for mention in mentions if not _SPREAD.search(self.text[: mention.start])]
        self.lists = [run for run in lists_in(reading.sentence) if len(run) > 1]
        self._named: dict[tuple[int, int], list[Name]] = defaultdict(list)
        for name in reading.names:
            self._named[name.sheet, name.axis].append(name)
        self._carried: dict[tuple[int, int], dict[int, float]] = {}
        self.found: dict[int, list[Candidate]] = {}
        touched = {name.sheet for name in reading.names} | {
            name.sheet for names in reading.earlier[:2] for name in names
        }
        self.touched = sorted(touched)
        for mention in self.mentions:
            self.found[id(mention)] = self._candidates(mention)
        self._support()

    # One number

    def _candidates(self, mention: TextNumber) -> list[Candidate]:
        found = []
        for place in self.touched:
            sheet = self.sheets[place]
            if self.reading.sentence.caption and sheet.caption and not is_of(self.reading.sentence, sheet):
                continue
            rows, columns = self.pulls(mention, place, ROW), self.pulls(mention, place, COLUMN)
            if not (rows or columns):
                continue
            cells = self._of_its_kind(mention, place, rows, columns)
            if max(rows.values(), default=0.0) < AROUND or _WHOLE.search(self.text[: mention.start]):
                rows = self._summaries(mention, {row: line.first for row, line in enumerate(sheet.rows)}) | rows
            heads = {column: sheet.columns[column].label for column in sheet.numeric_columns()}
            said = {column: pull for column, pull in self._summaries(mention, heads).items() if pull == ALONE}
            columns = said | columns or self._unnamed_columns(mention, place, cells)
            if len(heads) == 1:
                columns = {column: max(pull, ALONE) for column, pull in columns.items()}
            table = self._table(place)
            found += [
                Candidate(sheet, row, column, fact, scale, rows.get(row, 0.0), columns.get(column, 0.0), table)
                for row, column, fact, scale in cells
            ]
        return found

    def _of_its_kind(
        self, mention: TextNumber, place: int, rows: Container[int], columns: Container[int]
    ) -> list[tuple[int, int, Fact, Fraction]]:
        """Cells of some lines that print numbers as this one is: in its unit, of its size, with as many digits."""
        sheet, sizes = self.sheets[place], self.index.sizes[place]
        size, found = float(abs(mention.fact.value)), []
        for (row, column), entry in sheet.entries.items():
            if not entry.facts or not (row in rows or column in columns):
                continue
            around = (sizes[row, -1], sizes[-1, column])
            if not any(low / _APART <= size <= high * _APART for low, high in around):
                continue
            if mention.unit == "%" and "%" not in entry.text and sizes[-1, column][1] > 100:
                continue
            for fact in entry.facts:
                marked = mention.unit == "×" and re.search(re.escape(fact.text.rstrip("×")) + r"\s?×", entry.text)
                if fact.part in _FIRST or fact is entry.facts[0] or marked:
                    text = f"{entry.text} {sheet.columns[column].label}"
                    found += [(row, column, fact, scale) for scale in kind_fits(mention, fact, text)]
        return found

    def _table(self, place: int) -> float:
        """How strongly words speak for a table: a reference, or words of its caption that others have not."""
        sheet, sentence = self.sheets[place], self.reading.sentence
        label = sheet.label.split("#")[0]
        if label in sentence.references or is_of(sentence, sheet):
            return 1.0
        shared = len(vocabulary(self.text) & self.index.captions[place])
        return max(0.6 if label in self.reading.referred else 0.0, min(0.9, 0.3 * shared))

    def pulls(self, mention: TextNumber, sheet: int, axis: int) -> dict[int, float]:
        """How strongly each row or column of a table is tied to a number."""
        names = self._named.get((sheet, axis), [])
        if axis == COLUMN and (symbol := _SYMBOL.search(self.text[: mention.start])):
            heads = enumerate(self.sheets[sheet].columns)
            if called := {column: NEAR for column, head in heads if head.label == symbol[1]}:
                return called
        if not names:
            return self._earlier(sheet, axis)
        found: dict[int, dict[int, float]] = defaultdict(dict)
        for part in {name.part for name in names}:
            self._pull_part(mention, [name for name in names if name.part == part], found)
        parts = {name.place: name.parts for name in names}
        earlier = self._earlier(sheet, axis) if max(parts.values()) > 1 else {}
        return {
            place: (sum(own.values()) + (earlier.get(place, 0.0) if len(own) < parts[place] else 0.0)) / parts[place]
            for place, own in found.items()
        }

    def _pull_part(self, mention: TextNumber, names: list[Name], found: dict[int, dict[int, float]]) -> None:
        """Ties the lines that share a part of their label by where that part is called."""
        step = self._in_step(mention, names)
        spans = {(name.start, name.end): name for name in names}.values()
        pulls = {(name.start, name.end): self._pull(mention, name, spans) for name in spans}
        alone = len({self.text[name.start : name.end].casefold() for name in spans}) == 1
        # What is said to be a name's, as in `x for A`, is not that of the name before.
        given = any(
            pull == BESIDE and start >= mention.end and _OF.search(self.text[mention.end : end])
            for (start, end), pull in pulls.items()
        )
        for name in names:
            pull = pulls[name.start, name.end]
            if step is not None:
                pull = BESIDE if (step.start, step.end) == (name.start, name.end) else 0.0
            elif given and name.end <= mention.start:
                pull = min(pull, NEAR)
            if alone and name.end <= mention.start:
                pull = max(pull, ALONE)
            own = found[name.place]
            own[name.part] = max(own.get(name.part, 0.0), pull * name.strength)

    def _pull(self, mention: TextNumber, name: Name, names: Iterable[Name]) -> float:
        first = next((run for run in self.lists if mention in run), [mention])
        text = self.text
        if name.start >= mention.end:
            gap = text[mention.end : name.start]
            if self._between(mention.end, name.start):
                # `x versus y for A`: x is not A's.
                return 0.0 if _VERSUS.match(gap) else AROUND / 2
            if _BEHIND.fullmatch(gap):
                return BESIDE
            if re.fullmatch(r"\s[\w-]{1,15}\s", gap):
                return NEAR
            return AROUND if not _CLAUSE.search(gap) else AROUND / 2
        opened = text.rfind("(", 0, mention.start)
        if 0 <= opened - name.end < 2 and ")" not in text[opened : mention.start]:
            return BESIDE
        begin = first[0].start if name.end <= first[0].start else mention.start
        gap = text[name.end : begin]
        others = any(name.end <= other.start < begin for other in names)
        if others or (name.axis == ROW and _FROM.search(gap)):
            # `A raises it from x`: x is not A's.
            return AROUND / 2
        if self._between(name.end, begin):
            return AROUND
        if _BEFORE.fullmatch(gap):
            return BESIDE
        return NEAR if not _CLAUSE.search(gap) else AROUND

    def _between(self, start: int, end: int) -> bool:
        """Whether another number stands in a stretch."""
        return any(start <= mention.start and mention.end <= end for mention in self.mentions)

    def _in_step(self, mention: TextNumber, names: list[Name]) -> Name | None:
        """The name that has the place in a list of names that the number has in a list of numbers."""
        run = next((run for run in self.lists if mention in run), None)
        if run is None:
            return None
        for listed in _runs(list({(name.start, name.end): name for name in names}.values()), self.text):
            clear = listed[-1].end <= run[0].start or listed[0].start >= run[-1].end
            if len(listed) == len(run) and clear:
                return listed[run.index(mention)]
        return None

    def _earlier(self, sheet: int, axis: int) -> dict[int, float]:
        """What the last sentence that named a line of this axis named."""
        for names in self.reading.earlier[:2]:
            places = {name.place: name.strength for name in names if (name.sheet, name.axis) == (sheet, axis)}
            if places:
                return {place: (BEFORE if len(places) == 1 else BEFORE / 2) * own for place, own in places.items()}
        return {}

    def _summaries(self, mention: TextNumber, labels: dict[int, str]) -> dict[int, float]:
        """Lines for all others: they are meant where nothing else is named, and more so where their name is said."""
        found = {place: label.split(" / ")[-1] for place, label in labels.items()}
        found = {place: label for place, label in found.items() if SUMMARY.fullmatch(plain(label))}
        whole = _WHOLE.search(self.text[: mention.start]) is not None
        said = {place: whole or vocabulary(label) <= vocabulary(self.text) for place, label in found.items()}
        return {place: ALONE if said[place] else BEFORE / 2 for place in found}

    def _unnamed_columns(
        self, mention: TextNumber, place: int, cells: list[tuple[int, int, Fact, Fraction]]
    ) -> dict[int, float]:
        """Which column is meant where none is named: the only one, one for all, or the only one with such numbers."""
        sheet = self.sheets[place]
        columns = sheet.numeric_columns()
        if len(columns) == 1:
            return dict.fromkeys(columns, ALONE)
        if found := self._summaries(mention, {column: sheet.columns[column].label for column in columns}):
            return found
        unit = real(mention.fact).fact.unit
        alike = {column for _row, column, fact, scale in cells if real(fact).fact.unit * scale == unit}
        return dict.fromkeys(alike, ALONE if self._table(place) == 1 else BEFORE) if len(alike) == 1 else {}

    # All numbers together

    def _support(self) -> None:
        """Numbers that are found in a table speak for it, and for lines of it that no word names."""
        matched: dict[int, Candidate] = {}
        for mention in self.mentions:
            good = [
                candidate
                for candidate in self.found[id(mention)]
                if agrees(mention, candidate.fact, candidate.scale)
                and max(candidate.rows, candidate.columns) >= _HARDLY
            ]
            if good and len(mention.digits) > 1:
                matched[id(mention)] = max(
                    good, key=lambda candidate: (bool(candidate.rows and candidate.columns), candidate.score)
                )
        self.matched = matched
        self._aligned()
        for mention in self.mentions:
            role = self._role(mention)
            siblings = [
                (matched[id(other)], role != "" and self._role(other) == role)
                for other in self.mentions
                if other is not mention and id(other) in matched
            ]
            self.found[id(mention)] = [_supported(candidate, siblings) for candidate in self.found[id(mention)]]

    def _role(self, mention: TextNumber) -> str:
        """The word right before a number that says which of two it is: `from a to b, and from c to d`."""
        word = re.search(r"(\w+)\s*[-+−~≈]?$", self.text[: mention.start])
        return word[1].lower() if word else ""

    def _aligned(self) -> None:
        """Lists of numbers that are cells beside each other, all but one at most: what is left is the one's."""
        for run in (run for run in self.lists if len(run) > 2 and all(id(mention) in self.found for mention in run)):
            for sheet in self.sheets:
                for way in (sheet, sheet.turned()):
                    columns = way.numeric_columns()
                    for row in range(len(way.rows)):
                        for first in range(len(columns) - len(run) + 1):
                            self._align(run, sheet, way, row, columns[first : first + len(run)])

    def _align(self, run: list[TextNumber], sheet: Sheet, way: Sheet, row: int, columns: list[int]) -> None:
        cells = [
            (entry.facts[0], entry.text) if (entry := way.entry(row, column)) and entry.facts else None
            for column in columns
        ]
        fits = [
            next((scale for scale in kind_fits(mention, *cell) if agrees(mention, cell[0], scale)), None)
            if cell
            else None
            for mention, cell in zip(run, cells, strict=True)
        ]
        right = [mention for mention, scale in zip(run, fits, strict=True) if scale is not None]
        if len(right) < len(run) - 1 or sum(len(mention.digits) for mention in right) < 5:
            return
        scale = next(scale for scale in fits if scale is not None)
        for mention, cell, column in zip(run, cells, columns, strict=True):
            if cell is not None:
                place = (column, row) if way.is_turned else (row, column)
                self.found[id(mention)].append(Candidate(sheet, *place, cell[0], scale, BESIDE, BESIDE, 1.0))

    def printed(self, mention: TextNumber) -> int:
        """How many cells of the paper print a number."""
        value, unit = abs(mention.fact.value), mention.fact.unit
        return self.index.printed[value, unit] + self.index.printed[value / 100, unit / 100]

    def called(self, cell: Candidate) -> list[Name]:
        """Where the sentence names the row of a cell."""
        named = [name for name in self.reading.names if (name.axis, name.place) == (ROW, cell.row)]
        return [name for name in named if self.sheets[name.sheet] is cell.sheet]

    def goes_on(self, name: Name) -> bool:
        """Whether another line of the same table is named right behind a name."""
        return any(other.sheet == name.sheet and 0 < other.start - name.end < 2 for other in self.reading.names)

    def vouches(self, mention: TextNumber, cell: Candidate) -> bool:
        """Whether another number of the sentence is found in the table of a cell, its row and its column named."""
        others = [match for key, match in self.matched.items() if key != id(mention)]
        return any(
            candidate.sheet is cell.sheet and candidate.rows >= BEFORE and candidate.columns >= BEFORE
            for candidate in others
        )

    def best(self, mention: TextNumber) -> tuple[Candidate | None, float]:
        """The cell that words alone choose, and by how much more than any cell with another number."""
        whole = [candidate for candidate in self.found[id(mention)] if candidate.rows > 0 and candidate.columns > 0]
        best = max(whole, key=lambda candidate: candidate.score, default=None)
        if best is None:
            return None, 0.0
        rivals = [
            candidate.score
            for candidate in whole
            if candidate.fact.value * candidate.scale != best.fact.value * best.scale
        ]
        return best, best.score - max(rivals, default=0.0)


def _supported(candidate: Candidate, siblings: list[tuple[Candidate, bool]]) -> Candidate:
    """A cell with what the other numbers of the sentence say for its table, and for lines that no word names.

    Each comes with whether it has the number's role; two of them that are found in one line speak as a name does.
    """
    inside = [(other, alike) for other, alike in siblings if other.sheet is candidate.sheet]
    if not inside:
        return candidate
    rows, columns = (
        _parallel([(other.row == candidate.row, alike) for other, alike in inside]),
        _parallel([(other.column == candidate.column, alike) for other, alike in inside]),
    )
    table = candidate.table + min(2, len(inside)) / 2
    return replace(candidate, rows=candidate.rows or rows, columns=candidate.columns or columns, table=table)


def _parallel(siblings: list[tuple[bool, bool]]) -> float:
    """How strongly numbers speak for a line: whether each is found in it, and whether it has the same role."""
    alike = [inside for inside, alike in siblings if alike]
    return (
        ALONE if len(alike) > 1 and all(alike) else AROUND * sum(inside for inside, _alike in siblings) / len(siblings)
    )


def _runs(names: list[Name], text: str) -> list[list[Name]]:
    """Names that are listed: `A, B and C`."""
    found: list[list[Name]] = []
    for name in sorted(names, key=lambda name: name.start):
        if (
            found
            and found[-1][-1].end <= name.start
            and _LISTED.fullmatch(re.sub(r"[\[(…\])%.]", "", text[found[-1][-1].end : name.start]))
        ):
            found[-1].append(name)
        else:
            found.append([name])
    return [run for run in found if len(run) > 1]
