"""Grades of claims that cannot hold, by what they rest on.

contradiction   every premise is quoted or defined, each cell's row and column are named, and it stays broken when every
                rounded number moves one unit in its last place
rounding        one unit in the last place of rounded numbers mends it
suspicion       one of these is missing, or a neighbouring cell would mend it
question        it rests on something that the paper states nowhere

Counts, numbers of items and thresholds are exact: only what was rounded moves.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from sealtrace.claims.tying import Ground, Passage, Tied
from sealtrace.contract.claims import ClaimedConstant
from sealtrace.paper.model import Table
from sealtrace.paper.names.index import PART, WORDS, Group, Thing
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.paper.numbers import numbers_of
from sealtrace.paper.sentences import TEXT_ID
from sealtrace.relations.syntax import Comparison, Formula, Given, walk

NOT, NAMED, OUTRIGHT = 0, 1, 2
"""How a line of a table is named by what is quoted: not, by a part or another word, or by its label."""
_MOST_NEIGHBOURS = 60
_PARTS = " / "


def missing_in(tied: Tied, ground: Ground) -> tuple[list[str], str | None]:
    """What keeps a claim that is broken from being a contradiction, and a cell that would mend it."""
    missing = [
        f"{name} = {constant.value} ({constant.kind}) is the reader's: {constant.because}"
        for name, constant in tied.written.claim.constants.items()
        if not _is_stated(constant, tied.passages)
    ]
    quoted = {number.id for passage in tied.passages for number in passage.numbers}
    missing += [
        f"{fact.address} stands in no quotation: quote its sentence under `also`"
        for fact in tied.used.values()
        if TEXT_ID.fullmatch(fact.address) and fact.address not in quoted
    ]
    levels = {address: _levels(fact, tied, ground) for address, fact in tied.used.items() if fact.table is not None}
    for address, (row, column) in levels.items():
        lines = " and ".join(name for name, level in (("row", row), ("column", column)) if level == NOT)
        if lines:
            fact = tied.used[address]
            labels = zip((fact.row, fact.column), (row, column), strict=True)
            called = " and ".join(repr(label) for label, level in labels if level == NOT)
            missing.append(
                f"what is quoted does not name the {lines} of {address}: "
                f"quote under `also` where the paper says {called}"
            )
    missing += _passed_over(tied, ground)
    meant = _meant(tied, ground, levels) if _equates(tied.formula) else None
    if meant is not None:
        missing.append(f"did you mean {meant}? It would mend it")
    return missing, meant


def _is_stated(constant: ClaimedConstant, passages: tuple[Passage, ...]) -> bool:
    """Whether words that are quoted give a constant; of a definition they must say its number.

    Otherwise anybody could call a number a definition, and prove whatever they like with it.
    """
    citing = [passage for passage in passages if constant.because in passage.quote]
    if constant.kind != "definition" or not citing:
        return bool(citing)
    value = Fraction(constant.value)
    said = [one.number for passage in citing for one in passage.numbers if one.text in constant.because]
    return any(number.value == value for number in (*said, *numbers_of(constant.because)))


def _equates(formula: Formula) -> bool:
    """Whether it is an equality, or a copy, which is two comparisons."""
    nodes = list(walk(formula))
    copies = any(isinstance(node, Given) and node.fact.address.startswith("printed(") for node in nodes)
    return copies or any(isinstance(node, Comparison) and node.operator == "==" for node in nodes)


def _passed_over(tied: Tied, ground: Ground) -> list[str]:
    """Where one cell stands twice in a formula: lines that are quoted outright and that the claim does not use."""
    given = Counter(node.fact.address for node in walk(tied.formula) if isinstance(node, Given))
    found = []
    for fact in tied.used.values():
        if fact.table is None or given[fact.address] < 2 or len(tied.written.claim.readings) > 1:
            continue
        for axis in ("row", "column"):
            used = {getattr(one, axis) for one in tied.used.values() if one.table == fact.table}
            spoken = _named(tied.passages, ground.tables[fact.table], axis, ground)
            found += [
                f"{fact.address} is used twice, and the quoted {axis} {label!r} not at all"
                for label, level in spoken.items()
                if level == OUTRIGHT and label not in used
            ]
    return found


# Which rows and columns are named


def _levels(fact: PrintedNumber, tied: Tied, ground: Ground) -> tuple[int, int]:
    """How the row and the column of a cell are named."""
    table = ground.tables[fact.table or ""]
    rows, columns = (_named(tied.passages, table, axis, ground) for axis in ("row", "column"))
    row, column = rows.get(fact.row, NOT), columns.get(fact.column, NOT)
    member = tied.members.get(fact.address)
    row, column = (OUTRIGHT if member == "row" else row), (OUTRIGHT if member == "column" else column)
    # A label or a caption says its relation of every other line alike.
    cells = [one for one in tied.used.values() if one.table == fact.table]
    if any(passage.table == fact.table for passage in tied.passages[:1]) and len(cells) > 1:
        row = OUTRIGHT if len({one.row for one in cells}) == 1 or _starred(fact, tied, "row") else row
        column = OUTRIGHT if len({one.column for one in cells}) == 1 or _starred(fact, tied, "column") else column
    # Where there is no other, none need be named.
    row = OUTRIGHT if len(table.rows) == 1 else row
    numeric = {place for _row, place, _cell in table.numbers}
    return row, OUTRIGHT if len(numeric) == 1 else column


def _starred(fact: PrintedNumber, tied: Tied, axis: str) -> bool:
    """Whether the cell is one of a whole column, or row."""
    if f"{axis}s of {fact.table}" in tied.lists:
        return True
    start = f"{fact.table}[*" if axis == "row" else f"{fact.table}[{fact.row}, *"
    return any(one.startswith(start) for one in tied.lists)


def _named(passages: tuple[Passage, ...], table: Table, axis: str, ground: Ground) -> dict[str, int]:
    """The lines of a table that are quoted, and how outright."""
    return _named_by(tuple(passage.quote for passage in passages), table.label, axis, ground)


@lru_cache(maxsize=4096)
def _named_by(quotes: tuple[str, ...], label: str, axis: str, ground: Ground) -> dict[str, int]:
    table = ground.tables[label]
    labels = tuple(row.label for row in table.rows) if axis == "row" else table.headers
    found: dict[str, int] = {}
    group = Group(Thing(axis, line, texts) for line, texts in _texts(labels).items())
    for quote in quotes:
        for named in ground.vocabulary.resolve(quote, [group], running=True):
            level = OUTRIGHT if named.strength >= WORDS else NAMED if named.strength >= PART else NOT
            found[named.thing.id] = max(found.get(named.thing.id, NOT), level)
        for line in _literally(quote, labels):
            found[line] = OUTRIGHT
    return found


def _texts(labels: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """What calls each line: its label, and each part of it that no other line has."""
    parts = [part for label in labels for part in set(label.split(_PARTS))]
    return {
        label: (label, *(part for part in label.split(_PARTS) if part != label and parts.count(part) == 1))
        for label in labels
    }


def _literally(quote: str, labels: tuple[str, ...]) -> Iterator[str]:
    """Labels that stand in a quotation letter by letter, and in no longer label that does."""
    spans = []
    for line, texts in _texts(labels).items():
        for text in texts:
            bare = text.split("#")[0].strip()
            if bare:
                pattern = re.compile(rf"(?<!\w){re.escape(bare)}(?!\w)")
                spans += [(found.start(), found.end(), line) for found in pattern.finditer(quote)]
    for start, end, line in spans:
        if not any(a <= start and end <= b and b - a > end - start for a, b, _line in spans):
            yield line


# Neighbours that would mend it


def _meant(tied: Tied, ground: Ground, levels: dict[str, tuple[int, int]]) -> str | None:
    """A cell beside one that the claim uses, or of a line that is quoted, with which it could hold."""
    tried = 0
    for address, (row, column) in levels.items():
        fact = tied.used[address]
        for other in _neighbours(fact, ground, tied, rows=row < OUTRIGHT, columns=column < OUTRIGHT):
            tried += 1
            if tried > _MOST_NEIGHBOURS:
                return None
            if other.address not in tied.used and _status_with(tied, address, other) == "possible":
                return other.address
    return None


def _status_with(tied: Tied, address: str, other: PrintedNumber) -> str:
    def read(fact: PrintedNumber) -> PrintedNumber:
        if fact.plain_address != address:
            return fact
        if fact.address.startswith("printed("):
            return other.as_printed()
        return other.rounded() if fact.address.startswith("rounded(") else other

    return tied.status(read)


def _neighbours(
    fact: PrintedNumber, ground: Ground, tied: Tied, *, rows: bool, columns: bool
) -> Iterator[PrintedNumber]:
    table = ground.tables[fact.table or ""]
    lines = {"row": [row.label for row in table.rows], "column": list(table.headers)}
    own = {"row": fact.row, "column": fact.column}
    for axis, open_ in (("row", rows), ("column", columns)):
        labels = lines[axis]
        if own[axis] not in labels:
            continue
        at = labels.index(own[axis])
        near = [labels[place] for place in (at - 1, at + 1) if 0 <= place < len(labels)] if open_ else []
        # A line that is quoted and that the claim does not use may have been meant.
        spoken = _named(tied.passages, table, axis, ground)
        used = {getattr(one, axis) for one in tied.used.values() if one.table == fact.table}
        near += [label for label in spoken if label not in used and label not in near]
        for label in near:
            row, column = (label, fact.column) if axis == "row" else (fact.row, label)
            try:
                yield ground.facts.cell(table.label, row, column, fact.part)
            except LookupError:
                continue
