"""Marks of best and second best, where the caption says what they mark and the paper which direction is good."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, product
from typing import Any

from sealtrace.printed.cells import TableCell, cells_of, marked_groups, wrong_marks
from sealtrace.printed.extracted import JOIN
from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.trials import blocks_of
from sealtrace.relations.families.wording import plain, printed, sentences
from sealtrace.relations.syntax import Expression, Formula, any_of, call, equal

FAMILY = "marks"
_BEST = re.compile(r"\bbest\b[^.;]*\bbold|\bbold[^.;]*\bbest\b", re.I)
_SECOND = re.compile(r"\bsecond[^.;]*\bunderlin|\bunderlin[^.;]*\bsecond", re.I)
# Marks among some of the rows only, or along the rows, are not followed.
_SOME = re.compile(
    r"\bamong|\bcompar|\bwithin|\bbetween|\bsignifican|\b(?:per|each) (?!column)|\bnon-|\bexclud|\bexcept|\btwo\b|"
    r"\bour|\bnot\b|\bgroup|\bblock|\brows?\b|\bmatched|\bmean\w* [^.;]*deviation",
    re.I,
)
_IS_BETTER = re.compile(r"(.*?)\b(?:is|are) (higher|lower)[ -]is[ -]better", re.I)
_PREFERRED = re.compile(r"(.*)\b(?:is|are) (?:preferred|preferable|better)\b", re.I)
_SIDES = re.compile(r"\b(higher|larger|greater|more|lower|smaller|fewer|less)\b", re.I)
_BETTER: dict[str | None, tuple[str, ...]] = {"best": (), "second": ("best",)}
"""Each mark, and those that are better."""
_MOST_CHANCE = 0.1
"""So rarely would marks that mean something else be at the good end as often: what is bold is nearly always best."""
_MOST_WRONG = 10
"""One mark in so many may be wrong, one may in any case."""
_HIGHER = frozenset({"higher", "larger", "greater", "more"})


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        told = [sentence for sentence in sentences(sheet.caption) if re.search("bold", sentence, re.I)]
        known: set[str] = set()
        if told and all(_BEST.search(sentence) and not _SOME.search(sentence) for sentence in told):
            for claim in _sheet(sheet):
                known.add(claim.name)
                yield claim
        yield from (claim for claim in _usual(sheet, said=bool(told)) if claim.name not in known)


def directions(sheet: Sheet) -> dict[str, str]:
    """Which way is better, by column: what arrows say, else what the caption's sentences say of a name."""
    labels = [column["label"] for column in sheet.record["columns"]]
    found = {column["label"]: column["direction"] for column in sheet.record["columns"] if "direction" in column}
    said: dict[str, set[str]] = {}
    for item, direction in _said(sheet.caption):
        for label in labels:
            if _names(item, plain(label)):
                said.setdefault(label, set()).add(direction)
    return {label: way.pop() for label, way in said.items() if len(way) == 1} | found


def _said(caption: str) -> Iterator[tuple[str, str]]:
    for sentence in sentences(caption):
        if (match := _IS_BETTER.search(sentence)) is not None:
            yield from ((item, match.group(2).lower()) for item in _items(match.group(1)))
        elif (match := _PREFERRED.search(sentence)) is not None:
            pieces = _SIDES.split(match.group(1))
            for side, text in zip(pieces[1::2], pieces[2::2], strict=True):
                direction = "higher" if side.lower() in _HIGHER else "lower"
                yield from ((item, direction) for item in _items(text))


def _items(text: str) -> Iterator[str]:
    """What a caption lists, with `(Opp.)` as another name, and `weak/strong EV` as two things."""
    for item in re.split(r",|\band\b|;", plain(text)):
        yield from (inside.strip() for inside in re.findall(r"\(([^()]+)\)", item))
        bare = re.sub(r"\([^()]*\)|[().]+$", "", item).strip()
        sides = re.fullmatch(r"([\w-]+)/([\w-]+) (.+)", bare)
        yield from [f"{side} {sides[3]}" for side in sides.groups()[:2]] if sides else [bare] if bare else []


def _names(item: str, header: str) -> bool:
    """Whether a caption's name is a header's, word for word, abbreviations allowed."""
    words, heads = item.split(), re.sub(r"\(.*?\)", "", header).split()
    same = len(words) == len(heads)
    return same and all(
        word == head or (head.endswith(".") and len(head) > 3 and word.startswith(head[:-1]))
        for word, head in zip(words, heads, strict=True)
    )


def _sheet(sheet: Sheet) -> Iterator[Claim]:
    ways = directions(sheet)
    arrows = {column["label"] for column in sheet.record["columns"] if "direction" in column}
    columns = [{**column, "direction": ways.get(column["label"])} for column in sheet.record["columns"]]
    rows = _rows(sheet, second=_SECOND.search(sheet.caption) is not None)
    record = {**sheet.record, "label": sheet.label, "columns": columns}
    # Where rules part the table, best may be meant for each part.
    whole = list(cells_of({**record, "rows": [{**row, "among": None} for row in rows]}, ""))
    cells = min(
        (whole, list(cells_of({**record, "rows": rows}, ""))), key=lambda record: len(list(wrong_marks(record)))
    )
    wrong = [mark.cell for mark in wrong_marks(cells)]
    emphasized = any(len(row["marks"]) == len(row["cells"]) for row in rows)
    for group in marked_groups(cells):
        # Without a direction nothing says which end is best.
        if group[0].direction is None or not any(cell.mark == "best" for cell in group):
            continue
        right = not any(cell in wrong for cell in group)
        if right or (not emphasized and (group[0].column in arrows or not _other_way(group))):
            yield from _claims(sheet, group, {row["label"] for row in rows if row["marks"]})


def _rows(sheet: Sheet, *, second: bool) -> list[dict[str, Any]]:
    """Rows with the marks that the caption speaks of, and the part of the table between two rules that each is in."""
    told = ("best", "second") if second else ("best",)
    rules = accumulate(int(line.after_rule) for line in sheet.rows)
    return [
        {
            **row,
            "marks": {name: mark for name, mark in row.get("marks", {}).items() if mark in told},
            "among": str(part),
        }
        for row, part in zip(sheet.record["rows"], rules, strict=True)
    ]


def _other_way(group: list[TableCell]) -> bool:
    """Whether what is marked would be best in the other direction: then the caption was misread."""
    values = [_shown(cell) for cell in group]
    ends = {min(values), max(values)}
    return any(cell.mark == "best" and _shown(cell) in ends for cell in group)


def _shown(cell: TableCell) -> Any:
    assert cell.printed is not None
    first, *rest = cell.printed.parts
    return first.value / rest[0].value if cell.printed.form == "ratio" and rest[0].value else first.value


def _value(sheet: Sheet, cell: TableCell) -> Expression | None:
    """What a cell is ranked by, as printed."""
    entry = sheet.entry(cell.place, int(cell.pointer.rsplit("/", 1)[1]))
    if entry is None or not entry.facts:
        return None
    first, *rest = entry.facts
    if entry.names == ("k", "n"):
        return printed(first) / printed(rest[0]) if rest[0].value else None
    return printed(first)


def _claims(sheet: Sheet, group: list[TableCell], marked: set[str]) -> Iterator[Claim]:
    """Every marked cell is the best of those that print another number than those with a better mark.

    A better row that bears no mark in any column may be there for comparison only, as a note below the table would say.
    """
    values = [(cell, value) for cell in group if (value := _value(sheet, cell)) is not None]
    for cell, own in values:
        if cell.mark not in _BETTER:
            continue
        better = {_shown(other) for other in group if other.mark in _BETTER[cell.mark]} - {_shown(cell)}
        others = [value for other, value in values if _shown(other) not in better]
        sign = 1 if cell.direction == "higher" else -1
        ahead = {other.row for other in group if sign * _shown(other) > sign * _shown(cell)} - {
            other.row for other in group if _shown(other) in better
        }
        apart = bool(ahead) and not ahead & marked
        yield Claim(
            f"{FAMILY} {sheet.label}[{cell.row}, {cell.column}]",
            equal(own, call("max" if cell.direction == "higher" else "min", *others)),
            f"{cell.text} is marked as {cell.mark} of column {cell.column!r} ({cell.direction} is better).",
            sheet.place("caption"),
            ("The marks compare the numbers as printed, over all rows or over each ruled part.",),
            question=f"Which value of column {cell.column!r} is {cell.mark}?",
            family=FAMILY,
            evidence="what the caption says of marks; rows without any may be left out of it" if apart else "",
        )


# Marks that nobody explains: what nearly all columns, or all rows, are marked by


@dataclass(frozen=True)
class _Marked:
    """The numbers of a column, or a row, or of one part of it, of which some are bold."""

    label: str
    direction: str | None
    bold: tuple[Fact, ...]
    others: tuple[Fact, ...]

    @property
    def chance(self) -> float:
        """How likely marks that mean nothing would be at an end."""
        ends = 2 if self.direction is None else 1
        return min(1.0, ends / math.comb(len(self.bold) + len(self.others), len(self.bold)))

    def formula(self, mark: Fact) -> Formula:
        """That a marked number is at the good end; at either where nothing tells which that is."""
        ends = {"higher": "max", "lower": "min"}
        ways = [ends[self.direction]] if self.direction else list(ends.values())
        return any_of(*(equal(printed(mark), call(end, printed(mark), *map(printed, self.others))) for end in ways))

    @property
    def is_best(self) -> bool:
        """Whether every marked number is at least as good as every other one."""
        low, high = (end(fact.value for fact in self.others) for end in (min, max))
        above = all(fact.value >= high for fact in self.bold) and self.direction != "lower"
        return above or (all(fact.value <= low for fact in self.bold) and self.direction != "higher")


def _usual(sheet: Sheet, *, said: bool) -> Iterator[Claim]:
    """What is bold is best in nearly all columns, or rows, or in all parts of these: the other one is suspected."""
    bold = {
        (row, column)
        for row, given in enumerate(sheet.record.get("rows", ()))
        for column, line in enumerate(sheet.columns)
        if given.get("marks", {}).get(line.label) == "best"
    }
    ways = directions(sheet) if bold else {}
    least, found = 2 if said else 3, []
    for turned in (False, True) if bold else ():
        way = sheet.turned() if turned else sheet
        marks = {(column, row) for row, column in bold} if turned else bold
        for parts, usual in product(_parts(way), ("higher", "lower", None)):
            lines = list(_lines(way, marks, parts, {} if turned else ways, usual))
            right = [line for line in lines if line.is_best]
            wrong = len(lines) - len(right)
            chance = math.prod(line.chance for line in right) * math.comb(len(lines), wrong)
            if chance <= _MOST_CHANCE and len(right) >= least and wrong <= max(1, len(lines) // _MOST_WRONG):
                found.append((wrong, chance, lines, turned))
    if not found:
        return
    wrong, chance, lines, turned = min(found, key=lambda reading: reading[:2])
    often = f"what is bold is best in {len(lines) - wrong} of {len(lines)} {'rows' if turned else 'columns'}"
    weakest = min(line.chance for line in lines)
    for line in lines:
        for mark in line.bold:
            yield Claim(
                f"{FAMILY} {sheet.label}[{mark.row}, {mark.column}]",
                line.formula(mark),
                f"{mark.text} is marked as the best of {line.label!r}.",
                sheet.place(often),
                ("Bold marks the best number.",),
                question=f"Which value of {line.label!r} is best?",
                family=FAMILY,
                evidence=often,
                chance=min(1.0, chance),
                telling=bool(wrong) or (chance / weakest * len(lines) <= _MOST_CHANCE and len(lines) > least),
            )


def _parts(sheet: Sheet) -> list[list[list[int]]]:
    """Among which rows the best may be marked: all of them, those between two rules, or those of one name."""
    blocks = blocks_of(sheet)
    named: dict[str, list[int]] = {}
    for row in (row for block in blocks for row in block):
        named.setdefault(plain(sheet.rows[row].label.rpartition(JOIN)[2]), []).append(row)
    whole = [[row for block in blocks for row in block]]
    return [whole, *(parts for parts in (blocks, list(named.values())) if 1 < len(parts) < len(whole[0]))]


def _lines(
    sheet: Sheet, bold: set[tuple[int, int]], parts: list[list[int]], ways: dict[str, str], usual: str | None
) -> Iterator[_Marked]:
    rows = {row for part in parts for row in part}
    numbers = {
        (row, column): fact
        for column in sheet.numeric_columns()
        for row in rows
        if (fact := sheet.number(row, column)) is not None
    }
    # A row that is bold throughout, the only one that has marks, is emphasized.
    full = {row for row in rows if all((own, column) in bold for own, column in numbers if own == row)}
    marked = {row for row, _column in bold}
    if marked == full and len(full) == 1:
        return
    for column, part in product(sheet.numeric_columns(), parts):
        cells = [(row, numbers[row, column]) for row in part if (row, column) in numbers]
        own = tuple(fact for row, fact in cells if (row, column) in bold)
        others = tuple(fact for row, fact in cells if (row, column) not in bold)
        label = sheet.columns[column].label
        if own and others and len(own) <= len(others) and len({fact.value for fact in (*own, *others)}) > 1:
            yield _Marked(label, ways.get(label, usual), own, others)
