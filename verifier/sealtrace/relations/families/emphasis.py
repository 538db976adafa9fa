"""Marks of best and second best, where the caption says what they mark and the paper which direction is good."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sealtrace.printed.cells import MarkProblem, TableCell, cells_of, marked_groups, wrong_marks
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import plain, printed, sentences
from sealtrace.relations.syntax import Expression, call, compare, equal

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
_DESERVED = {"best": "be marked as best", "second": "be marked as second best"}
_HIGHER = frozenset({"higher", "larger", "greater", "more"})


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        told = [sentence for sentence in sentences(sheet.caption) if re.search("bold", sentence, re.I)]
        if told and all(_BEST.search(one) and not _SOME.search(one) for one in told):
            yield from _sheet(sheet)


def directions(sheet: Sheet) -> dict[str, str]:
    """Which way is better, by column: what arrows say, else what the caption's sentences say of a name."""
    labels = [column["label"] for column in sheet.record["columns"]]
    found = {column["label"]: column["direction"] for column in sheet.record["columns"] if "direction" in column}
    said: dict[str, set[str]] = {}
    for item, direction in _said(sheet.caption):
        for label in labels:
            if _names(item, plain(label)):
                said.setdefault(label, set()).add(direction)
    return {label: one.pop() for label, one in said.items() if len(one) == 1} | found


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
        yield from (one.strip() for one in re.findall(r"\(([^()]+)\)", item))
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
    rows = _rows(sheet.record, second=_SECOND.search(sheet.caption) is not None)
    columns = [{**column, "direction": ways.get(column["label"])} for column in sheet.record["columns"]]
    record = {**sheet.record, "label": sheet.label, "columns": columns}
    whole = list(cells_of({**record, "rows": rows}, ""))
    blocks = list(cells_of({**record, "rows": _blocked(sheet, rows)}, ""))
    # Where rules part the table, best may be meant for each part.
    cells = min((whole, blocks), key=lambda one: len(list(wrong_marks(one))))
    wrong = list(wrong_marks(cells))
    emphasized = any(len(row.get("marks") or {}) == len(row["cells"]) for row in rows)
    for group in marked_groups(cells):
        problems = [one for one in wrong if one.cell in group]
        # Without a direction nothing says which end is best.
        if group[0].direction is None or not any(cell.mark == "best" for cell in group):
            continue
        if not problems:
            yield _right(sheet, group)
        elif not emphasized and (group[0].column in arrows or not _other_way(group)):
            yield from (claim for one in problems if (claim := _problem(sheet, one, group)) is not None)


def _rows(record: dict[str, Any], *, second: bool) -> list[dict[str, Any]]:
    """Rows with the marks that the caption speaks of."""
    return [
        {**row, "marks": {name: mark for name, mark in row.get("marks", {}).items() if mark == "best" or second}}
        for row in record["rows"]
    ]


def _blocked(sheet: Sheet, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    block, result = 0, []
    for line, row in zip(sheet.rows, rows, strict=True):
        block += line.after_rule
        result.append({**row, "among": str(block)})
    return result


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


def _right(sheet: Sheet, group: list[TableCell]) -> Claim:
    best = next(cell for cell in group if cell.mark == "best")
    end = "max" if best.direction == "higher" else "min"
    values = [value for cell in group if (value := _value(sheet, cell)) is not None]
    own = _value(sheet, best)
    assert own is not None
    return Claim(
        f"{FAMILY} {sheet.label}[{best.row}, {best.column}]",
        equal(own, call(end, *values)),
        f"{best.text} is marked as best of column {best.column!r} ({best.direction} is better).",
        sheet.place("caption"),
        question="Which value is best?",
        family=FAMILY,
    )


def _problem(sheet: Sheet, problem: MarkProblem, group: list[TableCell]) -> Claim | None:
    """One wrong mark against the cell that shows it to be wrong."""
    cell = problem.cell
    higher = cell.direction == "higher"
    ranked = sorted(group, key=_shown, reverse=higher)
    if problem.found == "no mark" or (problem.found == "second" and problem.expected == "best"):
        other = next((one for one in ranked[::-1] if one.mark == problem.expected), None)
        if other is not None and _shown(other) == _shown(cell):
            # What prints the same may differ behind the last digit.
            return None
        operator, says = ("<" if higher else ">"), f"is not marked as {problem.expected}, and so not as good as"
    else:
        places = sorted({_shown(one) for one in group}, reverse=higher)
        rank = 0 if problem.found == "best" else 1
        other = next(one for one in ranked if _shown(one) == places[min(rank, len(places) - 1)])
        operator, says = (">=" if higher else "<="), f"is marked as {problem.found}, and so at least as good as"
    own, shown = _value(sheet, cell), None if other is None else _value(sheet, other)
    if own is None or shown is None or other is None:
        return None
    return Claim(
        f"{FAMILY} {sheet.label}[{cell.row}, {cell.column}]",
        compare(own, operator, shown),
        f"{cell.text} {says} {other.text} in column {cell.column!r} ({cell.direction} is better).",
        sheet.place("caption"),
        ("The marks compare the numbers as printed, over all rows or over each ruled part.",),
        question=f"Should {cell.text} {_DESERVED.get(problem.expected, 'have no mark')}?",
        family=FAMILY,
    )
