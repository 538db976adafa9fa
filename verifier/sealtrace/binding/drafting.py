"""The draft of a bundle that a check leaves: rows with all their fields, names, populations, tables and their recipes.

A draft is a proposal. It counts in a verdict once its author has read and sealed it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count

import numpy as np
import pyarrow as pa

from sealtrace.binding.candidates import Selected
from sealtrace.binding.checking import Findings
from sealtrace.binding.frames import PLACE, Dimension, Numbers, ResultFrame, quoted
from sealtrace.binding.prose import BoundText
from sealtrace.binding.recipes import DraftDataset, conditions_of, copies_in, dataset_name, parts_of, recipe_of
from sealtrace.binding.series import Grid, Spot
from sealtrace.bundle.content import combined_codes
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.proposing import proposed
from sealtrace.bundle.writing import dataset_paths
from sealtrace.contract.kinds import KINDS
from sealtrace.paper.model import Cell, Paper, Row, Table, TableColumn
from sealtrace.paper.table_records import RecipeRecord
from sealtrace.recipes.entities import appearance

MAX_ROWS = 200_000
TEXT, PRINTED = "text", "Printed"
"""The table of numbers of the running text, and its column."""
_OPEN = "Tried: none of the {:,} formulas that were compared gives it."
_LONGEST = 2000


@dataclass
class _Printed:
    """What the labels of tables stand for, and what tables are about without printing it."""

    names: dict[str, dict[str, str]] = field(default_factory=dict)
    """Field, printed label, value."""
    populations: dict[str, dict[str, str]] = field(default_factory=dict)
    """Table to field and value."""


@dataclass
class _CellCondition:
    """One condition of one cell, and the labels around that cell."""

    name: str
    value: str
    labels: dict[str, str]
    """Place to label: `row 0`, `row 1`, `heading 0`, `heading`."""
    cell: tuple[int, int]


class Draft:
    """What a check found, as files of a bundle that can be sealed."""

    def __init__(self, findings: Findings, reported: Paper) -> None:
        self._findings, self._reported = findings, reported
        self._datasets: dict[int, tuple[ResultFrame, DraftDataset]] = {}
        self._used: dict[int, set[str]] = {}
        self._printed = _Printed()

    def files(self) -> dict[str, str]:
        """Paths and contents."""
        grids = {grid.name: grid for grid in self._findings.grids}
        tables = {
            table.label: table if (grid := grids.get(table.label)) is None else self._filled(table.with_names, grid)
            for table in self._reported.tables
        }
        for label, where in self._printed.populations.items():
            tables[label] = replace(tables[label], population=_population_name(where))
        files = {f"report/{self._reported.file_names[label]}": _json(one.record()) for label, one in tables.items()}
        if self._findings.text:
            files["report/table.text.json"] = _json(self._text().record())
        for frame, dataset in self._datasets.values():
            declared, rows = self._declared(frame, dataset)
            place, lines = dataset_paths(dataset.name, "jsonl")
            files[place] = _json(declared)
            files[lines] = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        if self._printed.names:
            files["declare/names.json"] = _json({"printed": self._printed.names})
        return files

    def _named(self, frame: ResultFrame) -> DraftDataset | None:
        """The dataset that will hold the rows of a frame."""
        if frame.rows > MAX_ROWS or frame.weights is not None:  # What was summed up has no rows to seal.
            return None
        if id(frame) not in self._datasets:
            taken = {*KINDS, *(dataset.name for _, dataset in self._datasets.values())}
            name = base = dataset_name(frame)
            number = 2
            while name in taken:
                name, number = f"{base}_{number}", number + 1
            self._datasets[id(frame)] = frame, DraftDataset(name, copies=copies_in(frame))
        return self._datasets[id(frame)][1]

    # Tables

    def _filled(self, table: Table, grid: Grid) -> Table:
        """A table with a recipe for every cell that one query gives, and a note for every other."""
        seen: list[_CellCondition] = []
        rows = []
        for place, row in enumerate(table.rows):
            recipes = dict(row.recipes)
            for column, label in enumerate(table.headers):
                if (place, column) not in grid.cells:
                    continue
                recipe = recipe_of(self._findings.bound, grid, place, column, self._named)
                if recipe is not None:
                    recipes[label] = recipe
                    seen += self._conditions(grid, place, column)
            rows.append(replace(row, recipes=recipes))
        self._learn(table.label, seen)
        numeric = {table.headers[column] for _, column in grid.cells}
        columns = list(table.columns)
        for place, given in enumerate(table.columns):
            if given.label not in numeric or given.recipe is not None:
                continue
            # What a column's note says of all its cells, the recipe of a cell takes back.
            shared = self._shared(table, grid, rows, given.label)
            columns[place] = replace(given, recipe=shared or self._open)
            if shared is not None:
                rows = [replace(row, recipes=_without(row.recipes, given.label)) for row in rows]
        return replace(table, columns=tuple(columns), rows=tuple(rows))

    def _shared(self, table: Table, grid: Grid, rows: list[Row], column: str) -> RecipeRecord | None:
        """The one recipe of all rows of a column, with `{Header}` in the place of what each row prints; if there is."""
        found: set[str] = set()
        for place, row in enumerate(rows):
            if column not in row.recipes:
                return None
            query = str(row.recipes[column]["sql"])
            for label in grid.labels:
                text = row.cells[label].text
                meant = {names[text] for names in self._printed.names.values() if text in names} or {text}
                for value in meant:
                    query = query.replace(quoted(value), f"'{{{table.headers[label]}}}'")
            found.add(query)
            if place and (len(found) > 1 or row.recipes[column].get("note") != rows[0].recipes[column].get("note")):
                return None
        return {**rows[0].recipes[column], "sql": found.pop()} if found else None

    @property
    def _open(self) -> RecipeRecord:
        return {"note": _OPEN.format(self._findings.tally.hypotheses)}

    def _conditions(self, grid: Grid, row: int, column: int) -> Iterable[_CellCondition]:
        labels = {f"row {place}": text for place, text in enumerate(grid.row_labels[row]) if text}
        # A heading above several columns names an entity by itself; the whole heading would hide the statistic in it.
        labels |= {f"heading {place}": text for place, text in enumerate(grid.table.above(column)) if text}
        labels["heading"] = grid.table.headers[column]
        for slot in range(len(grid.cells[row, column].slots)):
            number = self._findings.bound.numbers[Spot(grid.number, row, column, slot)]
            candidate = number.binding.candidate
            if isinstance(candidate, Selected):
                base = candidate.frame.derivation.base if candidate.frame.derivation else candidate.frame
                base = base.whole or base
                for name, value in conditions_of(candidate, number.place)[1].items():
                    self._used.setdefault(id(base), set()).add(name)
                    if value and (dataset := self._named(base)) is not None:
                        yield _CellCondition(dataset.field(name), dataset.value(name, value), labels, (row, column))

    def _learn(self, table: str, seen: list[_CellCondition]) -> None:
        """Which labels stand for values of fields, one for one; a value of all cells that no label has is a population.

        A field that takes several values is named by the place whose labels follow it; a row comes before a heading.
        """
        cells = {one.cell for one in seen}
        for name in dict.fromkeys(one.name for one in seen):
            own = [one for one in seen if one.name == name]
            values = {one.value for one in own}
            shared = len(values) == 1 and {one.cell for one in own} == cells
            # A label that is the value itself needs no name.
            if all(one.value in one.labels.values() for one in own):
                continue
            if shared and not any(appearance(own[0].value) in map(appearance, one.labels.values()) for one in own):
                self._printed.populations.setdefault(table, {})[name] = own[0].value
                continue
            places = {place for one in own for place in one.labels}
            for place in sorted(places, key=lambda at: (at.startswith("heading"), at == "heading", at)):
                pairs = {(one.labels.get(place, ""), one.value) for one in own}
                known = self._printed.names.get(name, {})
                labels = dict(pairs)
                kept = all(known.get(label, value) == value for label, value in pairs)  # one meaning in all tables
                if len(labels) == len(pairs) and "" not in labels and kept:
                    said = {self._in_sentences(label): value for label, value in labels.items()} | labels
                    self._printed.names[name] = known | {
                        label: value for label, value in said.items() if label not in (value, "")
                    }
                    break

    def _in_sentences(self, label: str) -> str:
        """What sentences call a row `Tidemark (ours)`, where they do without the brackets."""
        bare = label.partition(" (")[0].strip()
        whole = re.compile(rf"(?<!\w){re.escape(bare)}(?!\w)")
        said = bare != label and len(bare) > 2 and any(whole.search(one.text) for one in self._reported.sentences)
        others = [other for table in self._reported.tables for row in table.rows for other in row.texts]
        return bare if said and not any(other != label and other.startswith(bare) for other in others) else ""

    # Numbers of the running text

    def _text(self) -> Table:
        """Every number of the text that could be a result, with its sentence."""
        rows = []
        for text in self._findings.text:
            recipe = self._of_cell(text) or self._open
            shown = text.number.text
            rows.append(
                Row(text.number.id, (Cell(shown, text.number.line),), text.number.line,
                    recipes={PRINTED: recipe}, quotation=_quotation(text))
            )  # fmt: skip
        source = self._findings.text[0].number.source
        return Table(TEXT, (TableColumn(PRINTED),), tuple(rows), "Numbers of the running text", source)

    def _of_cell(self, text: BoundText) -> RecipeRecord | None:
        """The cell that prints the same number, where one does and results give it."""
        if text.printed_at is None or text.status != "explained":
            return None
        grid, cell, slot = text.printed_at
        arguments = {"cell": grid.table.id(cell.row, cell.column)}
        arguments |= {"part": str(slot + 1)} if len(cell.slots) > 1 else {}
        return {"metric": "cell", "arguments": arguments}

    # Datasets

    def _declared(self, frame: ResultFrame, dataset: DraftDataset) -> tuple[dict[str, object], list[dict[str, object]]]:
        """The declaration of a frame's rows, and the rows."""
        table, from_names = self._columns(frame, dataset)
        about = {name: value for where in self._printed.populations.values() for name, value in where.items()}
        needed = {*dataset.runs, *(name for name in about if name in table.column_names)}
        plain = [name for name in table.column_names if name in needed and _identifies(table, name)]
        try:
            first = proposed(dataset.name, table, from_names)
            found = first["key"]
            items = [name for name in found if name not in from_names]
            if items and first.get("truth") and _are_unlike(table, items, first["truth"]):
                found = [PLACE]
        except BundleError:
            found = [PLACE]
        if found == [PLACE]:
            places = pa.array(frame.places, pa.string())
            # A release may have a field of that name.
            names = chain([PLACE], (f"{PLACE}{number}" for number in count(2)))
            known = {name: table.column(name).combine_chunks().equals(places) for name in table.column_names}
            found = [next(name for name in names if known.get(name, True))]
            table = table if found[0] in known else table.append_column(found[0], places)
        key = [name for name in table.column_names if name in {*found, *plain}]
        declared = proposed(dataset.name, table, from_names, key)
        declared["title"] = f"Rows of {frame.name}"[:200]
        # One table of each population, and its conditions.
        conditions = {_population_name(one): (named, one) for named, one in self._printed.populations.items()}
        if populations := [_population(table.column_names, where, label) for label, where in conditions.values()]:
            declared["populations"] = [one for one in populations if one is not None]
        return declared, [
            {name: value for name, value in row.items() if value is not None} for row in table.to_pylist()
        ]

    def _columns(self, frame: ResultFrame, dataset: DraftDataset) -> tuple[pa.Table, list[str]]:
        """Every field of the rows, as read; and those that the names of files gave."""
        fields = {dimension.name: dimension for dimension in frame.dimensions}
        measures = dict(zip(frame.measures, frame.numbers.T, strict=True))
        finer = {part for name in fields for part in parts_of(frame, name)}
        used = self._used.get(id(frame), set())
        named = [name for name in fields if name.partition("/")[0] not in frame.read]
        columns: dict[str, pa.Array] = {}
        for name in dict.fromkeys((*frame.read, *measures, *fields)):
            if name in dataset.copies:
                continue
            called = dataset.field(name)
            if called in columns:
                continue
            if name in measures:
                columns[called] = _numbers(measures[name], frame.read.get(name))
            elif name in frame.read and name not in fields:
                if (texts := _texts(frame.read[name])) is not None:
                    columns[called] = texts
            elif name in used or called in dataset.runs or _is_kept(name, named, finer, fields):
                columns[called] = _values(fields[name])
        own = dict.fromkeys(map(dataset.field, named))
        return pa.table(columns), [name for name in own if name in columns]


def _without(recipes: Mapping[str, RecipeRecord], column: str) -> dict[str, RecipeRecord]:
    return {name: recipe for name, recipe in recipes.items() if name != column}


def _is_kept(name: str, named: list[str], finer: set[str], fields: dict[str, Dimension]) -> bool:
    """Fields of rows are kept whole; names of files by their parts, where these say as much."""
    if name not in named:
        return "/" not in name
    return name in finer if "/" in name else not any(part.startswith(f"{name}/") for part in finer & set(fields))


def _values(dimension: Dimension) -> pa.Array:
    texts = pa.array([*dimension.values, None], pa.string())
    return texts.take(pa.array(np.where(dimension.codes < 0, len(dimension.values), dimension.codes)))


def _numbers(values: Numbers, read: list[object] | None) -> pa.Array:
    """Whole numbers and flags stay whole, where they were written so."""
    known = np.isfinite(values)
    whole = read is not None and all(map(_is_whole, read))
    kind = pa.int64() if whole and np.abs(values[known]).max(initial=0) < 2**53 else pa.float64()
    return pa.array(np.where(known, values, 0.0), mask=~known).cast(kind)


def _is_whole(value: object) -> bool:
    """Of a CSV file, what a column holds are texts."""
    return value is None or isinstance(value, int) or (isinstance(value, str) and _WHOLE.fullmatch(value) is not None)


_WHOLE = re.compile(r"\s*(-?\d+)?\s*", re.ASCII)


def _texts(column: list[object]) -> pa.Array | None:
    """A column that neither selects nor measures; None where it holds nothing that a row can have."""
    if any(isinstance(value, list | dict) for value in column) or all(value is None for value in column):
        return None
    if all(value is None or (isinstance(value, int) and abs(value) < 2**53) for value in column):
        return pa.array(column, pa.int64())
    return pa.array([None if value is None else str(value) for value in column], pa.string())


def _are_unlike(table: pa.Table, items: list[str], truth: str) -> bool:
    """Whether most items have several right answers: then their names are those of other examples in each file."""
    each, both = (len(np.unique(combined_codes(table, tuple(fields)))) for fields in (items, [*items, truth]))
    return both - each > each / 2


def _identifies(table: pa.Table, name: str) -> bool:
    column = table.column(name)
    return not column.null_count and (pa.types.is_string(column.type) or pa.types.is_integer(column.type))


def _population_name(where: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in where.items())[:200]


def _population(columns: list[str], where: dict[str, str], table: str) -> dict[str, object] | None:
    if not set(where) <= set(columns):
        return None
    told = " and ".join(f"{name} is {value}" for name, value in where.items())
    return {
        "name": _population_name(where),
        "where": dict(where),
        "sentence": f"Proposed: the numbers of {table} follow from the rows where {told}. Say here why these.",
    }


def _quotation(text: BoundText) -> str:
    """The sentence; only the words up to the numbers beside it where the sentence has the number twice."""
    numbers = [number for number in text.sentence.numbers if number.kind != "word"]
    same = [one for one in numbers if (one.number.value, one.decimals) == (text.slot.value, text.number.decimals)]
    words = text.sentence.text
    if len(same) == 1 and len(words) <= _LONGEST:
        return words
    before = max((one.end for one in numbers if one.end <= text.number.start), default=0)
    after = min((one.start for one in numbers if one.start >= text.number.end), default=len(words))
    return words[max(before, text.number.start - _LONGEST // 2) : min(after, text.number.end + _LONGEST // 2)].strip()


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
