"""Follows recipes: what the records give for a cell, or another bundle that is at hand, and what that makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sealtrace.bundle.frames import Frame
from sealtrace.contract.result import WORDS, NumberResult, Result
from sealtrace.evidence import Evidence, once
from sealtrace.paper.model import Table
from sealtrace.paper.number_grammar import is_factor, is_unit
from sealtrace.paper.table_records import RecipeRecord
from sealtrace.recipes import headings
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.entities import EVERY, Around, EntityNames, appearance, disagreements
from sealtrace.recipes.judgement import RECOMPUTED, CellStatus, Judgement, in_print, judge, judge_text
from sealtrace.recipes.metrics import (
    MissingEvidenceError,
    RecipeError,
    Value,
    metric_of,
    unless_fixed,
)
from sealtrace.recipes.populations import (
    MOST_VALUES,
    PopulationRows,
    RecipePopulation,
    field_types,
    taken_by_metric,
    used_by_metric,
    values_in,
)
from sealtrace.recipes.queries import Queries
from sealtrace.recipes.recipe_files import OTHER_CELL
from sealtrace.recipes.sql_syntax import QueryDescription
from sealtrace.statistics.table import Statistic

if TYPE_CHECKING:
    from sealtrace.recipes.sql import Within

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class CellResult:
    """A cell and what became of it."""

    cell: TableCell
    judgement: Judgement
    value: Value | None = None
    recipe: str | None = None
    """The recipe with its arguments filled in, for readers."""
    problem: str | None = None
    """Why the recipe cannot be followed, where it cannot."""
    undisclosed: tuple[str, ...] = ()
    """What the recipe needs and the paper does not say."""
    meaning: str | None = None
    """What the recipe computes, in words."""
    metric: Statistic | None = None
    arguments: dict[str, str] = field(default_factory=dict)
    """What the metric was asked with."""
    unsaid: tuple[str, ...] = ()
    """Where the recipe takes other rows, entities or statistics than the table prints: what it says of itself as not
    stated in the paper makes no difference."""
    population: RecipePopulation | None = None
    """The declared population that the number is about."""
    without_population: str | None = None
    """The number without it."""
    share: tuple[int, int] = (0, 0)
    """How many rows the population has, and how many there are."""
    relation: str | None = None
    """The relation that contradicts the cell, where one does."""
    elsewhere: NumberResult | None = None
    """The cell of another bundle that recomputes this one, where that was looked at."""

    @property
    def status(self) -> CellStatus:
        return self.judgement.status

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return self.number._repr_html_()

    @property
    def number(self) -> NumberResult:
        """The cell as results have it."""
        return NumberResult(
            id=self.cell.name,
            table=self.cell.table,
            row=self.cell.row,
            column=self.cell.column,
            printed=self.cell.text,
            word=WORDS[self.status.value],
            status=self.status.value,
            given=self.recomputed,
            formula=self.formula,
            records=[] if self.value is None else self.value.records(),
            count=0 if self.value is None else self.value.count,
            source=self.cell.source or self.cell.record,
            line=self.cell.line,
            says=self.judgement.sentence,
            recipe=self.recipe,
            population=self.about,
            undisclosed=list(self.undisclosed),
            relation=self.relation,
        )

    @property
    def formula(self) -> str | None:
        """What the recipe computes: a metric's formula with its source, or what a query does in words."""
        return self.meaning if self.metric is None else f"{self.metric.formula}  [{self.metric.source}]"

    @property
    def template(self) -> str | None:
        """What the recipe computes, in words that hold for every row: what the row gives is named, not filled in."""
        if self.metric is None:
            return self.meaning
        recipe = self.cell.recipe or self.cell.table_recipe or {}
        said = {**self.arguments, **written_arguments(recipe)}
        over = {} if self.about is None or self.population is not None else {"population": self.about}
        return _in_words(self.metric, {**said, **over})

    @property
    def restricted(self) -> str:
        """The declared population with its share of the rows and the number without it; empty where there is none."""
        if self.population is None:
            return ""
        conditions = " and ".join(f"{name} is {' or '.join(values)}" for name, values in self.population.where.items())
        few, every = self.share
        without = f"; without it {self.cell.row} has {self.without_population}" if self.without_population else ""
        return f"{self.population.name} ({conditions}): {few:,} of {every:,} rows of {self.population.dataset}{without}"

    @property
    def stands_for(self) -> list[str]:
        """What the row's name stands for, where that is not what it prints."""
        written = written_arguments(self.cell.recipe or self.cell.table_recipe or {})
        filled = {
            key.rpartition(".")[2]: text
            for key, text in self.arguments.items()
            if key in written and written[key] != text
        }
        shown = appearance(" ".join([self.cell.row, *self.cell.naming.values()]))
        return [
            f"{self.cell.row} is {name} {value}" for name, value in filled.items() if appearance(value) not in shown
        ]

    @property
    def about(self) -> str | None:
        """The declared population that the number is about, or the split that its metric was asked over."""
        if self.population is not None:
            return self.population.name
        if self.metric is None or "population" not in self.metric.optional or "state" in self.arguments:
            return None
        return self.arguments.get("population", "all")

    @property
    def recomputed(self) -> str | None:
        """The unrounded numbers, for readers."""
        if self.value is None:
            return None if self.elsewhere is None else self.elsewhere.given
        if self.value.text is not None:
            return self.value.text
        scaled = self.value.numbers
        if (printed := self.cell.printed) is not None:
            percent = bool((self.cell.recipe or {}).get("percent") or printed.percent)
            scaled = in_print(printed, scaled, percent=percent)
        shown = [str(value.numerator) if value.denominator == 1 else repr(float(value)) for value in scaled]
        return ", ".join([*shown, *self.value.words])


class Evaluator:
    """Follows recipes. Queries and metrics that several cells share are computed once."""

    def __init__(self, evidence: Evidence, other_cell: Callable[[str], TableCell | None]) -> None:
        """`other_cell` finds a cell by its name."""
        self._evidence, self._other_cell = evidence, other_cell
        self._queries = Queries(evidence)
        self._beside = Beside(evidence.beside)
        self._rows = PopulationRows(evidence)
        self._heading_clauses: dict[Hashable, list[str]] = {}
        self._flags: dict[tuple[str, str], bool] = {}
        self._counts: dict[str, dict[str, int]] = {}

    def evaluate(self, cell: TableCell, caption: str) -> CellResult | None:
        """What becomes of a cell of a table with a caption; None where it holds no number and owes none."""
        recipe = cell.recipe or {}
        holds = cell.printed is not None or cell.role == "number"
        if cell.recipe is None and cell.table_recipe is not None and holds:
            recipe = cell.table_recipe
        ways = [
            name for name in ("metric", "sql", "elsewhere", "derived", "classification") if recipe.get(name) is not None
        ]
        # Nothing is printed: right where the records give nothing, and a number left out where they do.
        not_available = not cell.text.strip() or (cell.printed is not None and cell.printed.form == "not-available")
        if not ways:
            if cell.role != "number":
                return None
            note = f" {recipe['note']}" if recipe.get("note") else ""
            sentence = f"Nothing says how this cell follows from the records.{note}"
            return CellResult(cell, Judgement(CellStatus.UNCLASSIFIED, sentence))
        metric = metric_of(recipe.get("metric"), written_arguments(recipe))
        result = CellResult(
            cell,
            Judgement(CellStatus.MISSING, ""),
            recipe=_described(recipe, cell),
            undisclosed=tuple(recipe.get("undisclosed") or ()),
            metric=metric,
        )
        try:
            if cell.spoilt is not None:
                raise MissingEvidenceError(cell.spoilt)
            if len(ways) > 1:
                raise RecipeError(f"a recipe says one thing, not {' and '.join(ways)}")
            if cell.declared_name:
                if cell.mark or cell.direction:
                    raise RecipeError("it is declared a name, and names are not better or worse than others")
                if cell.key or names_its_row(cell) or not self._rows.declared or self._rows.is_name(cell.text):
                    return None
                reason = "It is declared a name, and neither the row's label nor a record or declared name has it."
                return replace(result, judgement=Judgement(CellStatus.UNCLASSIFIED, reason), recipe=None)
            if (relation := recipe.get("derived")) is not None:
                told = Judgement(CellStatus.DERIVED, f"other printed numbers give it, by the relation {relation}")
                return replace(result, judgement=told, recipe=None, relation=relation)
            if recipe.get("classification") == "definition":
                return replace(result, judgement=_by_definition(cell), recipe=None)
            if (classification := recipe.get("classification")) is not None:
                status = CellStatus(classification)
                checked = ", and nothing checks it." if status is CellStatus.ATTESTED else "; relations bind it"
                return replace(result, judgement=Judgement(status, f"no records give it{checked}"), recipe=None)
            if (reference := recipe.get("elsewhere")) is not None:
                judgement, there = self._beside.judge(cell, reference)
                called = tuple(_called_otherwise(reference, cell))
                return replace(result, judgement=judgement, elsewhere=there, unsaid=called)
            around = self._rows.around(cell, caption, own=metric is not None and metric.given)
            population = self._rows.population_of(cell)
            if metric is not None:
                result = replace(result, arguments=self._asked(recipe, cell, metric, population))
            elif recipe.get("metric") == OTHER_CELL:
                result = replace(result, arguments=_arguments(recipe, cell, None, self._rows.names))
            value = self._value(recipe, cell, around, result.arguments)
            meaning = None if value.description is None else value.description.words
            if metric is not None:
                meaning = _in_words(metric, result.arguments)
            not_told: tuple[str, ...] = ()
            if not value.fixed or metric is not None:
                clauses = (
                    *self._rows.results_in(population),
                    *self._unsaid(around, value, metric, result),
                    *self._misnamed(caption, value, metric, result),
                )
                not_told = tuple(dict.fromkeys(clauses))
            declared = not_told if self._rows.declared else ()
            result = replace(result, unsaid=declared, meaning=meaning, population=population)
            if population is not None:
                without, share = self._without(recipe, cell, caption), self._queries.share(population)
                result = replace(result, without_population=without, share=share)
            if not self._rows.declared and not_told:
                reason = f"the bundle is of contract 0.1, which declares no populations and names: {not_told[0]}"
                raise MissingEvidenceError(reason)
            if value.description is not None and (absent := self._queries.absent(value)) is not None:
                raise MissingEvidenceError(absent)
            if value.description is not None and value.description.unknown and not value.fixed:
                raise MissingEvidenceError(f"what the query takes is not known: {value.description.unknown[0]}")
        except (RecipeError, MissingEvidenceError) as error:
            if not_available:
                return None
            problem = str(error) if isinstance(error, RecipeError) else None
            return replace(result, judgement=Judgement(CellStatus.MISSING, str(error)), problem=problem)
        return replace(result, judgement=_judged(cell, recipe, value, metric), value=value)

    def _asked(
        self, recipe: RecipeRecord, cell: TableCell, metric: Statistic, population: RecipePopulation | None
    ) -> dict[str, str]:
        """A metric's arguments, with the conditions of the table's population."""
        arguments = _arguments(recipe, cell, metric, self._rows.names)
        if population is None or "where" not in metric.optional:
            return arguments
        if arguments.setdefault("dataset", population.dataset) != population.dataset:
            raise RecipeError(f"the table's population {population.name!r} is of {population.dataset}")
        for name, values in population.where.items():
            arguments.setdefault(f"where.{name}", values[0] if len(values) == 1 else json.dumps(values))
        return arguments

    def _unsaid(self, around: Around, value: Value, metric: Statistic | None, result: CellResult) -> Iterator[str]:
        """Where a recipe takes other rows, entities or statistics than the table prints."""
        arguments = result.arguments
        if metric is None and value.description is None and "cell" in arguments:
            # The same quantity printed twice is of the same entities in both places.
            quoted = self._other_cell(arguments["cell"])
            recipe = {} if quoted is None else quoted.recipe or {}
            metric = metric_of(recipe.get("metric"), written_arguments(recipe))
            asked = None if quoted is None or metric is None else quoted
            arguments = {} if asked is None else _arguments(recipe, asked, metric, self._rows.names)
        if metric is not None:
            kind = value.frame.kind if value.frame is not None and "where" in metric.optional else None
            taken = taken_by_metric(metric, arguments)
            known = self._rows.entities(kind) if kind else dict.fromkeys(taken, ())
            used = used_by_metric(metric, arguments)
            yield from disagreements(around, used, known)
            for key, text in arguments.items() if kind else ():
                word, _, name = key.partition(".")
                values = set(values_in(text))
                printed = around.in_row(name, values) - {EVERY}
                if word in ("where", "minus") and printed and values > printed:
                    yield f"it takes {name} {' and '.join(sorted(values))} together"
            if kind:
                for name in sorted(_names(arguments, "over", "group") - {""}):
                    if not self._rows.is_entity(kind, name):
                        yield f"it averages what each {name} gives, which is a result itself"
                truth = result.arguments.get("against"), result.arguments.get("of"), result.arguments.get("predicted")
                restricting = {name for name in used if name not in _names(result.arguments, "over", "group")}
                outcomes = [name for name in truth if name]
                yield from self._rows.telling(kind, restricting, outcomes)
        elif value.description is not None:
            yield from self._unsaid_of_query(around, value, value.description)

    def _unsaid_of_query(self, around: Around, value: Value, description: QueryDescription) -> Iterator[str]:
        used: dict[str, set[str]] = {}
        for compared in description.compared:
            if not compared.restricts and compared.values == ("1",) and self._are_flags(value.kinds, [compared.field]):
                continue
            if compared.equal:
                used.setdefault(compared.field, set()).update(compared.values)
                continue
            numbers = [number for number in map(_number, compared.values) if number is not None]
            if len(numbers) < len(compared.values) or not self._rows.constants.issuperset(numbers):
                told = ", ".join(compared.values)
                yield f"it compares {compared.field} with {told}, which nothing printed or declared gives"
        yield from disagreements(around, used, {})
        for one in description.compared:
            together = sorted(one.values)
            printed = around.in_row(one.field, one.values)
            # A heading may name one entity for all rows (`share of ours`), but none beside the row's own.
            if len(one.values) == 1:
                printed |= around.in_heading(one.field, one.values)
            if one.equal and one.restricts and printed - {EVERY} and not printed >= set(one.values):
                yield f"it takes {one.field} {' and '.join(together)} together"
        for _, _, pairs in description.joins:
            for name in sorted({name for pair in pairs for name in pair}):
                if not any(self._rows.is_entity(kind, name) for kind in value.kinds):
                    yield f"it joins records by {name}, which is a result"
        for name in description.averaged_by if description.totals else ():
            if not any(self._rows.is_entity(kind, name) for kind in value.kinds):
                yield f"it averages what each {name} gives, which is a result itself"
        yield from description.picks
        for name in description.present:
            if self._queries.some_absent(value, name):
                yield f"it takes only some rows, by whether there is {name}"
        for kind in value.kinds:
            restricting = {one.field for one in description.compared if one.equal and one.restricts}
            restricting |= set(self._rows.within(around, [kind], row=True).get(kind, {}))
            yield from self._rows.telling(kind, restricting, description.fields)

    def _misnamed(self, caption: str, value: Value, metric: Statistic | None, result: CellResult) -> Iterator[str]:
        """Where labels name another statistic than the recipe computes."""
        cell, description = result.cell, value.description
        if cell.key or (metric is not None and (metric.name == OTHER_CELL or (metric.given and value.fixed))):
            return
        kinds = value.kinds if metric is None else (value.frame.kind,) if value.frame is not None else ()
        hidden = {appearance(name) for names in self._rows.names.declared.values() for name in names}
        hidden |= self._rows.values(kinds)
        if metric is not None:
            flags = "where" in metric.optional and self._are_flags(kinds, [result.arguments.get("of", "")])
            # How often a field has some value is no share of what is right.
            flags = flags and result.arguments.get("is", "true").casefold() in ("true", "1")
            if "over" in metric.optional and value.frame is not None:
                counts = self._counts_of(value.frame)
                yield from headings.repeats_unlike(cell, caption, result.arguments, counts)
            if "where" in metric.optional:  # those of packs read fields that no argument names
                yield from self._other_field(cell, kinds, set(result.arguments.values()))
            # Arguments that say of which rows a cell is change nothing of what its heading must say.
            read = {name: text for name, text in result.arguments.items() if headings.reads(name)}
            asked = (
                (cell.column, cell.row if cell.own_recipe else None, caption, kinds, flags),
                (metric.pack, metric.name, *sorted(read.items())),
            )
            if asked not in self._heading_clauses:
                computed = headings.of_metric(metric, read, of_flags=flags)
                self._heading_clauses[asked] = list(headings.disagreement(cell, caption, computed, hidden))
            yield from self._heading_clauses[asked]
        else:
            if description is None:
                return
            computed = headings.of_query(description, of_flags=self._are_flags(kinds, description.fields))
            yield from headings.functions_unnamed(cell, description, hidden)
            yield from self._other_field(cell, kinds, set(description.fields))
            yield from headings.disagreement(cell, caption, computed, hidden)

    def _counts_of(self, frame: Frame) -> dict[str, int]:
        """How many values each entity's field of a kind of record has."""
        if frame.kind not in self._counts:
            names = [name for name in frame.names if self._rows.is_entity(frame.kind, name)]
            self._counts[frame.kind] = {name: len(frame.distinct(name, MOST_VALUES)) for name in names}
        return self._counts[frame.kind]

    def _other_field(self, cell: TableCell, kinds: Iterable[str], used: set[str]) -> Iterator[str]:
        """A heading that is the name of a measured field, where the recipe does not read it."""
        for kind in kinds:
            types = field_types(self._evidence.frame(kind))
            numeric = {name for name, form in types.items() if pa.types.is_floating(form) or pa.types.is_integer(form)}
            heading = appearance(cell.column)
            named = {name for name in numeric if appearance(name).replace("_", " ") == heading}
            measured = named - set(self._evidence.frame(kind).key_fields)
            if measured and not any(name in used or name.casefold() in used for name in measured):
                others = " and ".join(sorted(name for name in types if name in used or name.casefold() in used))
                yield f"the heading is the field {min(measured)}, and the recipe is of {others or 'no field'}"

    def _are_flags(self, kinds: Iterable[str], fields: Iterable[str]) -> bool:
        """Whether what is averaged is right or wrong: flags, zeros and ones, or texts that are compared."""
        asked = {name.casefold() for name in fields}
        for kind in kinds:
            frame = self._evidence.frame(kind)
            for name, form in field_types(frame).items():
                numeric = pa.types.is_floating(form) or pa.types.is_integer(form)
                if name.casefold() in asked and numeric and not self._is_flag(frame, name):
                    return False
        return True

    def _is_flag(self, frame: Frame, name: str) -> bool:
        if (frame.kind, name) not in self._flags:
            flag = name in frame.key_fields
            if not flag:
                values = {str(value) for value in frame.distinct(name, 3).to_pylist()}
                flag = values <= {"0", "1", "0.0", "1.0", "None"}
            self._flags[frame.kind, name] = flag
        return self._flags[frame.kind, name]

    def _without(self, recipe: RecipeRecord, cell: TableCell, caption: str) -> str | None:
        """What the recipe gives without the table's population."""
        metric = metric_of(recipe.get("metric"), written_arguments(recipe))
        whole = replace(cell, population=None)
        try:
            arguments = {} if metric is None else self._asked(recipe, whole, metric, None)
            value = self._value(recipe, whole, self._rows.around(whole, caption), arguments)
        except (RecipeError, MissingEvidenceError):
            return None
        return ", ".join(f"{float(number):.6g}" for number in value.numbers)

    def _value(self, recipe: RecipeRecord, cell: TableCell, around: Around, arguments: dict[str, str]) -> Value:
        if (name := recipe.get("metric")) is not None:
            if name == OTHER_CELL:
                own = recipe.get("percent") or (cell.printed is not None and cell.printed.percent)
                return self._other(arguments.get("cell", ""), arguments.get("part"), as_fraction=bool(own))
            return self._given(lambda: unless_fixed(self._evidence, name, arguments), name, *sorted(arguments.items()))
        sql = recipe.get("sql") or ""
        place, rows = cell.place, cell.rows

        def restricted(kinds: Iterable[str], row: bool, compared: Mapping[str, Collection[str]]) -> Within:
            return self._rows.within(around, kinds, row=row, compared=compared)

        def of_table() -> Value:
            whole = replace(around, row=(), label="", heading="")

            def by_caption(kinds: Iterable[str], row: bool, compared: Mapping[str, Collection[str]]) -> Within:
                return self._rows.within(whole, kinds, row=row, compared=compared)

            return self._queries.of_table(sql, cell.column, place, rows, (by_caption, restricted))

        if recipe is cell.table_recipe:
            return self._given(of_table, around.key, sql, cell.column, place, rows)
        filled = _filled(sql, cell, self._rows.names, quoted=True)
        rows = rows if filled == sql else 1
        asked = around.key, filled, place, rows
        return self._given(lambda: self._queries.of_cell(filled, place, rows, restricted), *asked)

    def _given(self, ask: Callable[[], Value], *asked: Hashable) -> Value:
        """What the records give to a question, which several cells may ask; the same error each time they do not."""
        known = _answers(self._evidence)
        if asked not in known:
            try:
                known[asked] = ask().lightened()
            except (RecipeError, MissingEvidenceError) as error:
                known[asked] = error
        found = known[asked]
        if not isinstance(found, Value):
            raise found
        return found

    def _other(self, address: str, part: str | None, *, as_fraction: bool) -> Value:
        """The recomputed value of another cell, or of one of its numbers: the same quantity, printed twice.

        What the other cell prints in percent without the sign is so many per cent here, too, unless this one is said
        to print a fraction.
        """
        other = self._other_cell(address)
        recipe = {} if other is None else other.recipe or {}
        if other is None or recipe.get("metric") == OTHER_CELL or not (recipe.get("metric") or recipe.get("sql")):
            raise RecipeError(f"{address!r} is no cell with a recipe of its own")
        metric = metric_of(recipe.get("metric"), written_arguments(recipe))
        arguments = {} if metric is None else _arguments(recipe, other, metric, self._rows.names)
        value = self._value(recipe, other, self._rows.around(other, ""), arguments)
        if recipe.get("percent") and other.printed is not None and not as_fraction:
            value = replace(value, numbers=in_print(other.printed, value.numbers, percent=True), rounded=None)
        return value if part is None else _part_of(value, other, part)

    def clashes(self) -> list[str]:
        """Declared names that are the value of another entity: each as a clause."""
        return list(self._rows.clashes()) if self._rows.names.declared else []

    def meant(self, text: str) -> str:
        """The entity that a printed name stands for; else itself."""
        return self._rows.names.meant(text)

    def close(self) -> None:
        """Lets the database go."""
        self._queries.close()


@once
def _answers(_: Evidence) -> dict[Hashable, Value | Exception]:
    """What recipes have asked so far, and what the records gave."""
    return {}


def _part_of(value: Value, cell: TableCell, part: str) -> Value:
    """One number of a cell, by its place or by what it is: mean, sd, k, n, low, high."""
    names = part_names(cell)
    if part not in names:
        raise RecipeError(f"{cell.name} has no part {part!r}; its parts are {', '.join(names)}")
    place = names[part]
    return replace(value, numbers=value.numbers[place : place + 1], rounded=None)


def part_names(cell: TableCell) -> dict[str, int]:
    """What the numbers of a cell are called, with their places."""
    form = cell.printed.form if cell.printed is not None else ""
    parts = cell.printed.parts if cell.printed is not None else ()
    called = {"plus-minus": ("mean", "sd"), "ratio": ("k", "n"), "interval": ("low", "high")}.get(form, ())
    names = {str(place + 1): place for place in range(len(parts))}
    return names | {name: place for place, name in enumerate(called) if place < len(parts)}


def _judged(cell: TableCell, recipe: RecipeRecord, value: Value, metric: Statistic | None) -> Judgement:
    if value.text is not None:
        judgement = judge_text(cell.text, value.text)
        return _attested(cell, value.fixed) if value.fixed and judgement.status is CellStatus.EXACT else judgement
    if cell.printed is None or not cell.printed.numeric:
        return Judgement(CellStatus.MISMATCH, f"The paper prints {cell.text!r}; the records give a number.")
    percent = bool(recipe.get("percent") or cell.printed.percent)
    numbers = in_print(cell.printed, value.numbers, percent=percent)
    judgement = judge(cell.printed, numbers, None if percent else value.rounded)
    if judgement.status is CellStatus.MISMATCH and not percent:
        hundredfold = judge(cell.printed, in_print(cell.printed, value.numbers, percent=True), None)
        if hundredfold.status is not CellStatus.MISMATCH:
            told = f'{judgement.sentence} A hundred times that is what is printed: add `"percent": true` to the recipe.'
            judgement = replace(judgement, sentence=told)
    said = f"The paper prints {cell.text}"
    if value.marks is not None and value.marks != cell.printed.marks:
        found, due = (marks or "no mark" for marks in (cell.printed.marks, value.marks))
        return Judgement(CellStatus.MISMATCH, f"{said} with {found}; the records give {due}.")
    printed_words = [number.suffix for number in cell.printed.parts if number.suffix]
    if value.words and printed_words != [" ".join(word.split()) for word in value.words]:
        found, due = (", ".join(map(repr, words)) or "no word" for words in (printed_words, value.words))
        return Judgement(CellStatus.MISMATCH, f"{said} with {found}; the records give {due}.")
    if (
        wrong := _unconverted(cell, value, metric, recipe) or _unscaled(cell, metric, recipe, percent=percent)
    ) is not None:
        return Judgement(CellStatus.MISMATCH, f"{said}; {wrong}")
    exact = judgement.status in (CellStatus.EXACT, CellStatus.TIE)
    given = metric is not None and metric.given
    of_rows = metric is None or "where" in metric.optional
    if exact and value.fixed and not of_rows and not any(value.numbers):
        return replace(judgement, status=CellStatus.INPUT, sentence=f"{said}, which is zero by definition.")
    if exact and value.fixed and not (given and names_its_row(cell)):
        return _attested(cell, value.fixed)
    if exact and given:
        return replace(judgement, status=CellStatus.INPUT, sentence=f"{said}, as the records have it.")
    measured = value.measured or (metric is not None and metric.measured)
    if measured and exact:
        sentence = f"{said}, as the sealed measurements give it."
        return replace(judgement, status=CellStatus.MEASURED, sentence=sentence)
    return judgement


def _unconverted(cell: TableCell, value: Value, metric: Statistic | None, recipe: RecipeRecord) -> str | None:
    """Why a printed factor or unit is not what the recipe gives, where it is not."""
    assert cell.printed is not None
    told = f"{metric.name if metric else ''} {recipe.get('sql') or ''} {' '.join(written_arguments(recipe).values())}"
    for part in cell.printed.parts:
        if part.suffix in ("", "%", "×", "x", *value.words):
            continue
        stated = re.search(rf"(?<![^\W_]){re.escape(part.suffix)}(?![^\W_])", told)
        if (is_factor(part.suffix) or is_unit(part.suffix)) and not stated:
            return f"the recipe gives the number itself, not in {part.suffix}."
    return None


def _unscaled(cell: TableCell, metric: Statistic | None, recipe: RecipeRecord, *, percent: bool) -> str | None:
    """Why a factor, a unit or per cent in the heading is not what the recipe gives, where it is not."""
    said = written_arguments(recipe)
    measured = said.get("of") or said.get("quantity") or (metric.name if metric else "")
    own = measured.rpartition("_")[2] if "_" in measured else ""  # the unit that the field is called by: latency_ms
    for unit in re.findall(r"[(\[]([^()\[\]]*)[)\]]", cell.column):
        factor = unit.strip().removeprefix("in ").removeprefix("×").removeprefix("x ").strip()
        if is_factor(factor) or re.fullmatch(r"10{2,}|10(\^|\*\*)?\{?[-−]?\d\}?|10[⁻]?[²³⁴⁵⁶⁷⁸⁹]", factor):
            return f"the recipe gives the number itself, and the heading says {unit}."
        if is_unit(own) and is_unit(factor) and factor not in (own, "%"):
            return f"the recipe gives {measured}, and the heading says {unit}."
        share = metric is not None and (
            metric.unit in ("share", "probability") or metric.formula.startswith("share of")
        )
        if factor == "%" and share and not percent:
            return "the recipe gives a fraction, and the heading says %."
    return None


def _attested(cell: TableCell, source: str) -> Judgement:
    return Judgement(
        CellStatus.ATTESTED, f"The paper prints {cell.text}, which comes from {source}: nothing checks it."
    )


def _arguments(recipe: RecipeRecord, cell: TableCell, metric: Statistic | None, names: EntityNames) -> dict[str, str]:
    """A metric's arguments with their placeholders filled in."""
    # A cell that names its row may select the record of that name; a result may not select itself.
    own = metric is not None and metric.given and names_its_row(cell)
    return {
        key: _filled(text, cell, names, key.partition(".")[2] or key, own=own)
        for key, text in written_arguments(recipe).items()
    }


def written_arguments(recipe: RecipeRecord) -> dict[str, str]:
    """Everything that a recipe says to its metric, by name; conditions as `where.field`, several values as JSON."""
    said = {name: text for name in _WORDS if isinstance(text := recipe.get(name), str)}
    conditions = {"where": recipe.get("where"), "minus": recipe.get("minus"), "versus": recipe.get("versus")}
    for name, given in conditions.items():
        for field_, value in (given or {}).items():
            said[f"{name}.{field_}"] = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
    return {**(recipe.get("arguments") or {}), **said}


_WORDS = ("dataset", "of", "against", "group", "over", "show")


def names_its_row(cell: TableCell) -> bool:
    """Whether a cell is what its row is called by."""
    return bool(cell.text) and (cell.text in cell.row or cell.row in cell.text)


def _filled(
    template: str,
    cell: TableCell,
    names: EntityNames | None = None,
    of: str | None = None,
    *,
    quoted: bool = False,
    own: bool = False,
) -> str:
    """A template with `{Column}`, `{label}` and the row's arguments filled in; a printed name as what it stands for.

    In a query nothing says of which field a placeholder is: its name must be that of one field.
    """

    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        if name == cell.column and not own:
            raise RecipeError(f"{{{name}}} is the cell itself; a recipe may not read what it recomputes")
        known = {"label": cell.row, **cell.texts, **cell.arguments}
        if name not in known:
            raise RecipeError(f"{{{name}}} is neither a column nor an argument of the row")
        around = template[max(0, match.start() - 1) : match.start()], template[match.end() : match.end() + 1]
        # A part of a longer text (`residual@{Scale}`) is no name by itself.
        alone = around == (("'", "'") if quoted else ("", ""))
        value = names.meant(known[name], of) if names is not None and alone else known[name]
        # In a query a placeholder stands inside single quotes, where a quote is written twice.
        return value.replace("'", "''") if quoted else value

    return _PLACEHOLDER.sub(fill, template)


def _in_words(metric: Statistic, arguments: dict[str, str]) -> str:
    if "where" in metric.optional:
        return metric_in_words(metric.name, arguments)
    rest = ", ".join(f"{name} {text}" for name, text in arguments.items())
    return f"{metric.formula} ({rest})" if rest else metric.formula


def metric_in_words(name: str, arguments: Mapping[str, str]) -> str:
    """What a metric is asked for, in words."""
    said = name.replace("_", " ")
    if "of" in arguments:
        said += f" of {arguments['of']}"
    said += f" against {arguments['against']}" if "against" in arguments else ""
    said += f" in {arguments['dataset']}" if "dataset" in arguments else ""
    told = {
        part: " and ".join(
            f"{key.partition('.')[2]} is {value}" for key, value in arguments.items() if key.startswith(f"{part}.")
        )
        for part in ("where", "versus", "minus")
    }
    said += f" where {told['where']}" if told["where"] else ""
    said += f", versus the rows where {told['versus']}" if told["versus"] else ""
    said += f", averaged over {arguments['group']}" if arguments.get("group") else ""
    if arguments.get("over"):
        said += f", {arguments.get('show', 'mean')} over {arguments['over']}"
    said += f", less the same where {told['minus']}" if told["minus"] else ""
    known = {"of", "against", "dataset", "group", "over", "show"}
    rest = [f"{key} {value}" for key, value in arguments.items() if key not in known and "." not in key]
    return f"{said}; {', '.join(rest)}" if rest else said


def _names(arguments: dict[str, str], *words: str) -> set[str]:
    return {name.strip() for word in words for name in arguments.get(word, "").split(",")}


def _number(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except ValueError:
        return None


def _called_otherwise(reference: dict[str, str], cell: TableCell) -> Iterator[str]:
    """A cell of another bundle that is called otherwise there: any equal number would do."""
    for part, own in (("row", cell.row), ("column", cell.column)):
        other = reference.get(part) or own
        if appearance(other) != appearance(own):
            yield f"the number is of {part} {other!r} of {reference['study']}, and the {part} here is {own!r}"


def _by_definition(cell: TableCell) -> Judgement:
    """A number that nothing could have made another: no more than a 0 or a 1 can be that."""
    parts = cell.printed.parts if cell.printed is not None else ()
    if not parts or any(part.value not in (0, 1) for part in parts):
        raise RecipeError("only a 0 or a 1 is what it is by definition")
    return Judgement(CellStatus.INPUT, "it is so by definition: a difference from itself, or a ratio to itself")


def _described(recipe: RecipeRecord, cell: TableCell) -> str:
    """A recipe as readers see it."""
    if (reference := recipe.get("elsewhere")) is not None:
        return f"elsewhere({', '.join(f'{name}={text}' for name, text in reference.items())})"
    sql = recipe.get("sql")
    try:
        if sql is not None:
            return " ".join(_filled(sql, cell, quoted=True).split())
        arguments = {name: _filled(text, cell, own=True) for name, text in written_arguments(recipe).items()}
    except RecipeError:
        if sql is not None:
            return " ".join(sql.split())
        arguments = written_arguments(recipe)
    listed = ", ".join(f"{name}={text}" for name, text in arguments.items())
    return f"{recipe.get('metric') or 'sql'}({listed})"


# Cells that another bundle recomputes


def named_bundles(tables: Sequence[Table]) -> set[str]:
    """The names and roots of the bundles that the recipes of some tables refer to."""
    recipes = [recipe for table in tables for recipe in table.recipes]
    references = [reference for recipe in recipes if (reference := recipe.get("elsewhere"))]
    return {reference[name] for reference in references for name in ("study", "root_sha256")}


@dataclass(frozen=True)
class Beside:
    """The verifier's own reports on the bundles that the reader gave."""

    reports: Sequence[Result]

    @cached_property
    def _cells(self) -> dict[str | None, dict[tuple[str | None, str | None, str | None], NumberResult]]:
        """Root to the cells of its bundle."""
        return {
            report.subject.root_sha256: {(one.table, one.row, one.column): one for one in report.numbers}
            for report in self.reports
        }

    def judge(self, cell: TableCell, reference: dict[str, Any]) -> tuple[Judgement, NumberResult | None]:
        """What becomes of a cell that another bundle recomputes, and that bundle's cell where it was looked at."""
        study, root = reference["study"], reference["root_sha256"]
        if not self._at_hand(study, root):
            return Judgement(
                CellStatus.ELSEWHERE, f"{study} recomputes it (root {root[:12]}…), and was not looked at."
            ), None
        address = (
            reference.get("table") or cell.table,
            reference.get("row") or cell.row,
            reference.get("column") or cell.column,
        )
        there = self._cells[root].get(address)
        if there is None:
            raise RecipeError(f"{study} has no number at {address[0]}[{address[1]}, {address[2]}]")
        if "".join(there.printed.split()) != "".join(cell.text.split()):
            return Judgement(
                CellStatus.MISMATCH, f"The paper prints {cell.text}; {study} prints {there.printed}."
            ), there
        status = CellStatus(there.status)
        if status not in RECOMPUTED | {CellStatus.INPUT, CellStatus.ATTESTED}:
            raise MissingEvidenceError(f"{study} does not recompute it; there it is {status.value}")
        return Judgement(status, f"In {study} (root {root[:12]}…): {there.says}"), there

    def _at_hand(self, study: str, root: str) -> bool:
        """Whether the named bundle was given: its root is the named one, and binds the bytes that were read."""
        named = next((report for report in self.reports if report.subject.root_sha256 == root), None)
        if named is None:
            if other := next((report for report in self.reports if report.subject.name == study), None):
                found = other.subject.root_sha256 or "none"
                raise MissingEvidenceError(f"the {study} at hand has the root {found[:12]}…, not {root[:12]}…")
            return False
        for check in named.checks:
            if check.id.startswith("identity.") and check.status == "fail":
                raise MissingEvidenceError(f"the {study} at hand is not what was sealed: {check.id} fails")
        return True
