"""Which rows a table is about: all, those that its labels print, or a population that a dataset declares.

The engine selects: a recipe's conditions must be those that the table prints or its population demands, and queries see
records that are restricted so. What restricts rows must not be the outcome in other words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.frames import Frame, plain
from sealtrace.bundle.shapes import arrow_schema
from sealtrace.contract.packs import packs
from sealtrace.contract.printed import PrintedNames
from sealtrace.contract.scalars import exact
from sealtrace.contract.sealing import Dataset
from sealtrace.evidence import Evidence
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.entities import EVERY, Around, EntityNames, appearance, is_number
from sealtrace.recipes.metrics import RecipeError
from sealtrace.statistics.arguments import CONDITIONS
from sealtrace.statistics.table import Statistic, all_entries

_NOTHING: Mapping[str, Collection[str]] = {}
MOST_VALUES = 1000
"""How many values of a field are looked for in print."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_EARLY = ("declare", "bank")


@dataclass(frozen=True)
class RecipePopulation:
    """A declared population."""

    name: str
    dataset: str
    where: dict[str, tuple[str, ...]]
    sentence: str


class PopulationRows:
    """The rows of one bundle that tables may be about."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._known: dict[str, dict[str, tuple[str, ...]]] = {}
        self._whole: dict[str, set[str]] = {}
        self._values: dict[str, set[str]] = {}
        self._told: dict[tuple[str, str, tuple[str, ...]], str | None] = {}
        self.declared = evidence.bundle.contract != "0.1"
        """Whether the bundle was sealed under a contract in which restrictions are declared."""

    # What is declared

    @cached_property
    def names(self) -> EntityNames:
        """What printed names stand for: as the bundle declares it, and as datasets declare how their values print."""
        found: dict[str, dict[str, str]] = {}
        for declared in self._datasets:
            for name, labels in (declared.printed or {}).items():
                found.setdefault(name, {}).update({label: value for value, label in labels.items()})
        for document in self._evidence.bundle.sealed(PrintedNames):
            for name, printed in document.record.printed.items():
                found.setdefault(name, {}).update(printed)
        return EntityNames(found)

    @cached_property
    def constants(self) -> frozenset[Fraction]:
        """Numbers that queries may write."""
        return declared_constants(self._evidence)

    @cached_property
    def populations(self) -> dict[str, RecipePopulation]:
        return {
            one.name: RecipePopulation(
                one.name,
                declared.dataset,
                {name: values_in(condition) for name, condition in one.where.items()},
                one.sentence,
            )
            for declared in self._datasets
            for one in declared.populations or ()
        }

    @cached_property
    def _datasets(self) -> list[Dataset]:
        return [document.record for document in self._evidence.bundle.sealed(Dataset)]

    @cached_property
    def printed_fields(self) -> dict[str, str]:
        """Fields by what a table may print for them: capitals and spaces are no other name, where one field has it."""
        fields = {field for declared in self._datasets for field in declared.properties}
        shown = [appearance(field).replace("_", " ") for field in fields]
        return {name: field for name, field in zip(shown, fields, strict=True) if shown.count(name) == 1}

    @property
    def datasets(self) -> list[str]:
        """The names of the declared datasets."""
        return [declared.dataset for declared in self._datasets]

    @cached_property
    def absent(self) -> frozenset[str]:
        """Fields that rows are declared to lack, for a reason."""
        return frozenset(name.casefold() for declared in self._datasets for name in declared.absent or ())

    def _truth(self, kind: str) -> str | None:
        return next((declared.truth for declared in self._datasets if declared.dataset == kind), None)

    def population_of(self, cell: TableCell) -> RecipePopulation | None:
        """The population that a cell's table is about."""
        if cell.population is None:
            return None
        if cell.population not in self.populations:
            raise RecipeError(f"no dataset declares the population {cell.population!r} that the table names")
        return self.populations[cell.population]

    def around(self, cell: TableCell, caption: str, *, own: bool = False) -> Around:
        """What a table prints around a cell."""
        population = self.population_of(cell)
        where = {} if population is None else {name: frozenset(values) for name, values in population.where.items()}
        return Around.of(cell, caption, self.names, where, own=own)

    # Entities of records

    def entities(self, kind: str) -> dict[str, tuple[str, ...]]:
        """The fields of a kind of record whose values tables may print, with those values.

        They are what identifies rows, what that determines, and what was declared or sealed before there were results.
        """
        if kind not in self._known:
            self._known[kind] = dict(self._entities(kind))
        return self._known[kind]

    def _entities(self, kind: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        frame = self._evidence.frame(kind)
        names = set(frame.key_fields) | set(self.names.declared)
        truth = self._truth(kind)
        for declared in self._datasets:
            if declared.dataset == kind:
                names |= set(_determined(declared))
        if self._early(kind):
            names |= {name for name, form in field_types(frame).items() if pa.types.is_string(form)}
        for name in sorted(names & set(frame.names)):
            form = field_types(frame)[name]
            named = name == truth and name not in self.names.declared
            if not named and (pa.types.is_string(form) or pa.types.is_integer(form)):
                values = frame.distinct(name, MOST_VALUES + 1)
                if len(values) <= MOST_VALUES:
                    yield name, tuple(str(value) for value in values.to_pylist() if value is not None)

    def is_entity(self, kind: str, name: str) -> bool:
        """Whether a field says which row it is, and not how that came out."""
        if kind not in self._whole:
            frame = self._evidence.frame(kind)
            declared = [one for one in self._datasets if one.dataset == kind]
            names = {*frame.key_fields, *(frame.names if self._early(kind) or not declared else ())}
            names |= {field for one in declared for field in _determined(one)}
            self._whole[kind] = {one.casefold() for one in names}
        return name.casefold() in self._whole[kind]

    def results_in(self, population: RecipePopulation | None) -> Iterator[str]:
        """Conditions of a population on what is a result: each as a clause."""
        if population is None:
            return
        for name in population.where:
            if not self.is_entity(population.dataset, name):
                why = "which is a result: neither in the key nor determined by a part of it (`depends`)"
                yield f"the population {population.name!r} reads {name}, {why}"

    def clashes(self) -> Iterator[str]:
        """Declared names that are the value of another entity of their field: each as a clause."""
        for kind in sorted({store.kind for store in self._evidence.bundle.stores}):
            for name, values in self.entities(kind).items():
                known = self.names.of_field(name)
                for value in values:
                    if known.get(appearance(value), value) != value:
                        yield f"the name {value!r} of the {name} {known[appearance(value)]!r} is another {name}"
        for name, printed in self.names.declared.items():
            yield from _numbered_otherwise(name, printed)

    def _early(self, kind: str) -> bool:
        stages = {entry.stage for entry in self._evidence.bundle.entries if entry.records == kind}
        return bool(stages) and stages <= set(_EARLY)

    @cached_property
    def splits(self) -> tuple[str, ...]:
        """The splits that records are of."""
        frames = [self._evidence.frame(kind) for kind in sorted({store.kind for store in self._evidence.bundle.stores})]
        found = [frame.distinct("split", MOST_VALUES) for frame in frames if "split" in frame.names and frame.size]
        return tuple(sorted({str(value) for values in found for value in values.to_pylist()}))

    def values(self, kinds: Iterable[str]) -> set[str]:
        """The values that tables may print, as they look; numbers say nothing by themselves."""
        return set().union(*map(self._printable, kinds))

    def _printable(self, kind: str) -> set[str]:
        if kind not in self._values:
            fields = self.entities(kind).values()
            self._values[kind] = {appearance(value) for values in fields for value in values if not is_number(value)}
        return self._values[kind]

    def is_name(self, cell: TableCell) -> bool:
        """Whether a cell is the name of something: a declared one, a value of records, or a declared constant.

        A constant of several digits could be any result: what stands around it has to call it by its name.
        """
        kinds = {store.kind for store in self._evidence.bundle.stores}
        declared = {appearance(name) for names in self.names.declared.values() for name in names}
        said = None if is_number(cell.text) else appearance(f"{cell.column} {cell.quotation}")
        numbers = [] if cell.printed is None else [part.value for part in cell.printed.parts]
        constant = numbers and declared_constants(self._evidence, said).issuperset(numbers)
        return bool(constant) or appearance(cell.text) in declared | self.values(kinds)

    def within(
        self, around: Around, kinds: Iterable[str], *, row: bool, compared: Mapping[str, Collection[str]] = _NOTHING
    ) -> dict[str, dict[str, list[str]]]:
        """The values that records must have for a cell: those that the table prints, and its population's.

        What the row prints comes before the heading, and that before the caption; of the others are those values that a
        query asks for itself: a baseline, say.
        """
        found: dict[str, dict[str, list[str]]] = {}
        for kind in kinds:
            fields: dict[str, list[str]] = {}
            for name, values in self.entities(kind).items():
                places = [around.in_heading(name, values), around.in_caption(name, values)]
                places[:0] = [around.in_row(name, values)] if row else []
                printed = next(filter(None, places), frozenset())
                asked = set(compared.get(name.casefold(), ()))
                if printed and EVERY not in printed:
                    fields[name] = sorted(printed.union(*(asked & place for place in places)))
            for population in self.populations.values():
                if population.dataset == kind and around.population == {
                    name: frozenset(values) for name, values in population.where.items()
                }:
                    fields |= {name: list(values) for name, values in population.where.items()}
            if fields:
                found[kind] = fields
        return found

    # Restrictions that are the outcome in other words

    def telling(self, kind: str, names: Collection[str], outcomes: Collection[str]) -> Iterator[str]:
        """Fields that rows are restricted by and that read the outcome, or tell it: each as a clause."""
        frame = self._evidence.frame(kind)
        keys = set(frame.key_fields)
        if self._early(kind):  # sealed before there were results
            return
        truth = self._truth(kind)
        for name in sorted(set(names) & set(frame.names) - keys):
            if name in outcomes and name != truth:
                yield f"the rows are restricted by {name}, which is what the number is of"
                continue
            # The cells of a column restrict their rows by the same fields.
            asked = kind, name, tuple(sorted(outcomes))
            if asked not in self._told:
                self._told[asked] = _first_told(frame, name, outcomes, truth)
            if (told := self._told[asked]) is not None:
                yield f"the rows are restricted by {name}, which tells {told}"


def _numbered_otherwise(name: str, printed: Mapping[str, str]) -> Iterator[str]:
    """Names with the number of another value: BR1 for best_response_0. They may count from one, all in one order."""
    series: dict[tuple[str, str], dict[str, str]] = {}
    for label, value in printed.items():
        if len(_NUMBER.findall(label)) == len(_NUMBER.findall(value)) == 1:
            series.setdefault((_NUMBER.sub("#", label), _NUMBER.sub("#", value)), {})[label] = value
    for labels in series.values():
        numbers = sorted(
            (Fraction(_NUMBER.findall(one)[0]), Fraction(_NUMBER.findall(of)[0])) for one, of in labels.items()
        )
        kin = {Fraction(_NUMBER.findall(of)[0]) for of in printed.values() if _NUMBER.findall(of)}
        ordered = len(numbers) > 1 and all(one[1] < other[1] for one, other in pairwise(numbers))
        for label, value in labels.items():
            said, meant = (Fraction(_NUMBER.findall(text)[0]) for text in (label, value))
            if not ordered and said != meant and said in kin:
                yield f"the name {label!r} has another number than the {name} {value!r} that it stands for"


def declared_constants(evidence: Evidence, said: str | None = None) -> frozenset[Fraction]:
    """The numbers that a bundle declares before there are results; those whose names are `said`, where words are."""
    constants = (one.record.constants or {} for one in evidence.bundle.sealed(PrintedNames))
    named = (pair for own in constants for pair in own.items())
    return frozenset(exact(value) for name, value in named if said is None or appearance(name) in said)


def _determined(declared: Dataset) -> Iterator[str]:
    """Fields that a part of the key determines; the whole key determines every result."""
    for rule in declared.depends or ():
        if not set(rule.on) >= set(declared.key):
            yield from rule.fields


def _outcomes(table: pa.Table, names: Collection[str], truth: str | None) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """What a number is made of, row by row: numbers and flags, and whether an answer is the right one."""
    right = plain(table.column(truth)) if truth in table.column_names else None
    for name in sorted(set(names) & set(table.column_names)):
        column = plain(table.column(name))
        if right is not None and truth != name and column.type == right.type:
            yield f"whether {name} is {truth}", pc.equal(column, right)
        elif any(test(column.type) for test in (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating)):
            yield name, column


def _first_told(frame: Frame, name: str, outcomes: Collection[str], truth: str | None) -> str | None:
    """The first outcome that a field's values tell; None where they tell none."""
    fields = sorted({name, *outcomes, *filter(None, [truth])} & set(frame.names))
    found: dict[str, list[pa.Table]] = {}
    for part in frame.parts(fields):
        for outcome, column in _outcomes(part, outcomes, truth):
            if outcome != name:
                found.setdefault(outcome, []).append(_extents(part.column(name), column))
    return next((outcome for outcome, extents in found.items() if _tells(pa.concat_tables(extents))), None)


def _extents(field: pa.ChunkedArray, outcome: pa.ChunkedArray) -> pa.Table:
    """The least and the greatest outcome of each value of a field, and how many rows have it."""
    table = pa.table({"field": plain(field), "outcome": plain(outcome).cast(pa.float64())}).drop_null()
    extents = [("outcome", "min"), ("outcome", "max"), ("outcome", "count")]
    return table.group_by("field", use_threads=False).aggregate(extents)


def _tells(extents: pa.Table) -> bool:
    """Whether a field's values tell an outcome: it is the same for each value, or its values do not overlap."""
    merged = [("outcome_min", "min"), ("outcome_max", "max"), ("outcome_count", "sum")]
    table = extents.group_by("field", use_threads=False).aggregate(merged)
    low, high, count = (table.column(f"outcome_{name}").to_pylist() for name in ("min_min", "max_max", "count_sum"))
    if sum(count) < 4 or not 2 <= table.num_rows <= sum(count) // 2 or min(low) == max(high):
        return False
    return all(first[1] <= second[0] for first, second in pairwise(sorted(zip(low, high, strict=True))))


def field_types(frame: Frame) -> dict[str, pa.DataType]:
    """What each field of a kind of record holds."""
    found: dict[str, pa.DataType] | None = frame.matrices.get(field_types)
    if found is None:
        found = frame.matrices[field_types] = {one.name: one.type for one in arrow_schema(frame.form)}
    return found


def values_in(condition: object) -> tuple[str, ...]:
    """The values that a condition names."""
    if isinstance(condition, str) and condition.startswith("["):
        with suppress(ValueError):
            condition = json.loads(condition)
    return tuple(map(str, condition)) if isinstance(condition, list | tuple) else (str(condition),)


def used_by_metric(metric: Statistic, arguments: Mapping[str, str]) -> dict[str, set[str]]:
    """The entities that a metric is asked of, by field; `all` and an absent argument take every one."""
    entities = next(pack.entity_fields for pack in packs() if pack.name == metric.pack)
    used: dict[str, set[str]] = {}
    for argument, text in {**_in_quantity(metric, arguments), **arguments}.items():
        word, _, name = argument.partition(".")
        if word in CONDITIONS:
            used.setdefault(name, set()).update(values_in(text))
        elif word in entities and text != "all":
            for part in map(str.strip, text.split(",")):
                # A service's arm is an arm and a run of it.
                names = entities[word].removesuffix("?").split("/")
                for name, value in zip(names, part.split("/", len(names) - 1), strict=False):
                    if value:
                        used.setdefault(name, set()).add(value)
    return used


def _in_quantity(metric: Statistic, arguments: Mapping[str, str]) -> dict[str, str]:
    """What the name of a quantity ends with: `best_response_0` is what the metric gives for player 0."""
    text = arguments.get("quantity", "")
    # Most metrics are of no quantity, and are not compared with the whole table.
    entries = (entry for entry in all_entries() if entry.pack == metric.pack and entry.arguments) if text else ()
    found = {entry.arguments[-1]: text.removeprefix(f"{entry.name}_") for entry in entries}
    return {argument: value for argument, value in found.items() if value != text}


def taken_by_metric(metric: Statistic, arguments: Mapping[str, str]) -> set[str]:
    """The fields of entities that a metric could be asked of."""
    entities = next(pack.entity_fields for pack in packs() if pack.name == metric.pack)
    asked = (*metric.arguments, *metric.optional, *_in_quantity(metric, arguments))
    words = [word for word in asked if not entities.get(word, "?").endswith("?")]
    taken = {name for word in words for name in entities[word].split("/")}
    # A state is of one split, whichever that is.
    return taken - {"population"} if "state" in arguments else taken
