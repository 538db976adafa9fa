"""Follows recipes: what the records give for a cell, or another bundle that is at hand, and what that makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sealtrace.evidence import Evidence, once
from sealtrace.recipes.agreement import PrintedAgreement
from sealtrace.recipes.arguments import described_recipe, filled, filled_arguments, in_words, names_its_row
from sealtrace.recipes.beside import Beside, called_otherwise
from sealtrace.recipes.cell_judgement import by_definition, judged, part_of
from sealtrace.recipes.cell_results import CellResult
from sealtrace.recipes.cells import TableCell, table_in
from sealtrace.recipes.entities import EVERY, Around, appearance
from sealtrace.recipes.judgement import CellStatus, Judgement, in_print
from sealtrace.recipes.metrics import MissingEvidenceError, RecipeError, Value, metric_of, unless_fixed
from sealtrace.recipes.populations import PopulationRows, RecipePopulation
from sealtrace.recipes.queries import Queries
from sealtrace.recipes.recipe_files import OTHER_CELL
from sealtrace.statistics.table import Statistic

if TYPE_CHECKING:
    from sealtrace.recipes.sql import Within


class Evaluator:
    """Follows recipes. Queries and metrics that several cells share are computed once."""

    def __init__(self, evidence: Evidence, other_cell: Callable[[str], TableCell | None]) -> None:
        """`other_cell` finds a cell by its name."""
        self._evidence, self._other_cell = evidence, other_cell
        self._queries = Queries(evidence)
        self._beside = Beside(evidence.beside)
        self.rows = PopulationRows(evidence)
        self._agreement = PrintedAgreement(evidence, self.rows, self._queries, other_cell)

    def evaluate(self, cell: TableCell, caption: str) -> CellResult | None:
        """What becomes of a cell of a table with a caption; None where it holds no number and owes none."""
        recipe = cell.followed
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
        metric = metric_of(recipe.get("metric"), cell.said)
        result = CellResult(
            cell,
            Judgement(CellStatus.MISSING, ""),
            recipe=described_recipe(cell),
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
                if cell.key or names_its_row(cell) or not self.rows.declared or self.rows.is_name(cell):
                    return None
                reason = "It is declared a name, and neither the row's label nor a record or declared name has it."
                return replace(result, judgement=Judgement(CellStatus.UNCLASSIFIED, reason), recipe=None)
            if (relation := recipe.get("derived")) is not None:
                told = Judgement(CellStatus.DERIVED, f"other printed numbers give it, by the relation {relation}")
                return replace(result, judgement=told, recipe=None, relation=relation)
            if recipe.get("classification") == "definition":
                return replace(result, judgement=by_definition(cell), recipe=None)
            if (classification := recipe.get("classification")) is not None:
                status = CellStatus(classification)
                checked = ", and nothing checks it." if status is CellStatus.ATTESTED else "; relations bind it"
                return replace(result, judgement=Judgement(status, f"no records give it{checked}"), recipe=None)
            if (reference := recipe.get("elsewhere")) is not None:
                judgement, there = self._beside.judge(cell, reference)
                called = tuple(called_otherwise(reference, cell))
                return replace(result, judgement=judgement, elsewhere=there, unsaid=called)
            around = self.rows.around(cell, caption, own=metric is not None and metric.given)
            population = self.rows.population_of(cell)
            if metric is not None:
                arguments = self._asked(cell, metric, population)
                result = replace(result, arguments=self._of_row(arguments, around, metric))
            elif recipe.get("metric") == OTHER_CELL:
                result = replace(result, arguments=filled_arguments(cell, None, self.rows.names))
            if not_available and _from_itself(result.arguments):
                return None
            value = self._value(cell, around, result.arguments)
            meaning = None if value.description is None else value.description.words
            if value.description is not None and (few := sorted(self.rows.absent & set(value.description.fields))):
                meaning = f"{meaning}, of the rows that have {' and '.join(few)}"
            if metric is not None:
                meaning = in_words(metric, result.arguments)
            not_told: tuple[str, ...] = ()
            if not value.fixed or metric is not None:
                clauses = (
                    *self.rows.results_in(population),
                    *self._agreement.unsaid(around, value, metric, result),
                    *self._agreement.misnamed(caption, value, metric, result),
                )
                not_told = tuple(dict.fromkeys(clauses))
            declared = not_told if self.rows.declared else ()
            result = replace(result, unsaid=declared, meaning=meaning, population=population)
            if population is not None:
                without, share = self._without(cell, caption), self._queries.share(population)
                result = replace(result, without_population=without, share=share)
            if not self.rows.declared and not_told:
                reason = f"the bundle is of contract 0.1, which declares no populations and names: {not_told[0]}"
                raise MissingEvidenceError(reason)
            if value.description is not None and (absent := self._queries.absent(value, self.rows.absent)) is not None:
                raise MissingEvidenceError(absent)
            if value.description is not None and value.description.unknown and not value.fixed:
                raise MissingEvidenceError(f"what the query takes is not known: {value.description.unknown[0]}")
        except (RecipeError, MissingEvidenceError) as error:
            if not_available:
                return None
            problem = str(error) if isinstance(error, RecipeError) else None
            return replace(result, judgement=Judgement(CellStatus.MISSING, str(error)), problem=problem)
        return replace(result, judgement=judged(cell, value, metric), value=value)

    def _asked(self, cell: TableCell, metric: Statistic, population: RecipePopulation | None) -> dict[str, str]:
        """A metric's arguments, with the conditions of the table's population."""
        arguments = filled_arguments(cell, metric, self.rows.names)
        fields = self.rows.printed_fields if "where" in metric.optional else {}
        for word in ("of", "against"):  # rows may print what a field is called: Income
            arguments |= {word: fields[name]} if (name := appearance(arguments.get(word, ""))) in fields else {}
        if population is None or "where" not in metric.optional:
            return arguments
        if arguments.setdefault("dataset", population.dataset) != population.dataset:
            raise RecipeError(f"the table's population {population.name!r} is of {population.dataset}")
        for name, values in population.where.items():
            arguments.setdefault(f"where.{name}", values[0] if len(values) == 1 else json.dumps(values))
        return arguments

    def _of_row(self, arguments: dict[str, str], around: Around, metric: Statistic) -> dict[str, str]:
        """A metric's arguments with what else its row prints: its rows are selected as those of a query are."""
        if "where" not in metric.optional or not self.rows.declared:
            return arguments
        datasets = [name for name in self.rows.datasets if name == arguments.get("dataset", name)]
        asked = {key.partition(".")[2] or key for key in arguments}
        asked |= {name.strip() for word in ("group", "over", "among") for name in arguments.get(word, "").split(",")}
        asked |= set(arguments.values())
        for name, values in self.rows.entities(datasets[0]).items() if len(datasets) == 1 else ():
            printed = around.in_row(name, values) if name not in asked else frozenset()
            if len(printed) == 1 and EVERY not in printed:
                arguments = {**arguments, f"where.{name}": min(printed)}
        return arguments

    def _without(self, cell: TableCell, caption: str) -> str | None:
        """What the recipe gives without the table's population."""
        metric = metric_of(cell.followed.get("metric"), cell.said)
        whole = replace(cell, population=None)
        try:
            around = self.rows.around(whole, caption)
            arguments = {} if metric is None else self._asked(whole, metric, None)
            arguments = arguments if metric is None else self._of_row(arguments, around, metric)
            value = self._value(whole, around, arguments)
        except (RecipeError, MissingEvidenceError):
            return None
        return ", ".join(f"{float(number):.6g}" for number in value.numbers)

    def _value(self, cell: TableCell, around: Around, arguments: dict[str, str]) -> Value:
        recipe = cell.followed
        if (name := recipe.get("metric")) is not None:
            if name == OTHER_CELL:
                signed = cell.printed is not None and cell.printed.percent
                return self._other(
                    arguments.get("cell", ""), arguments.get("part"), signed, fraction=recipe.get("percent") or signed
                )
            return self._given(lambda: unless_fixed(self._evidence, name, arguments), name, *sorted(arguments.items()))
        sql = recipe.get("sql") or ""
        place, rows = cell.place, cell.rows

        def restricted(kinds: Iterable[str], row: bool, compared: Mapping[str, Collection[str]]) -> Within:
            return self.rows.within(around, kinds, row=row, compared=compared)

        def of_table() -> Value:
            whole = replace(around, row=(), label="", heading="")

            def by_caption(kinds: Iterable[str], row: bool, compared: Mapping[str, Collection[str]]) -> Within:
                return self.rows.within(whole, kinds, row=row, compared=compared)

            return self._queries.of_table(sql, cell.column, place, rows, (by_caption, restricted))

        if recipe is cell.table_recipe:
            return self._given(of_table, around.key, sql, cell.column, place, rows)
        text = filled(sql, cell, self.rows.names, quoted=True)
        many, rows = text != sql and rows > 1, rows if text == sql else 1
        asked = around.key, text, place, rows
        return self._given(lambda: self._queries.of_cell(text, place, rows, restricted, many=many), *asked)

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

    def _other(self, address: str, part: str | None, signed: bool, *, fraction: bool) -> Value:
        """The recomputed value of another cell, or of one of its numbers: the same quantity, printed twice.

        What the other cell prints in percent without the sign is so many per cent here, too, unless this one is said
        to print a fraction. Where the sign stands here and there only its caption or heading says per cent, a query
        that gives per cent is a hundred times the share.
        """
        other = self._other_cell(address)
        recipe = {} if other is None else other.recipe or {}
        if other is None or recipe.get("metric") == OTHER_CELL or not (recipe.get("metric") or recipe.get("sql")):
            raise RecipeError(f"{address!r} is no cell with a recipe of its own")
        metric = metric_of(recipe.get("metric"), other.said)
        arguments = {} if metric is None else filled_arguments(other, metric, self.rows.names)
        value = self._value(other, self.rows.around(other, ""), arguments)
        unsigned = other.printed is not None and not other.printed.percent
        sealed = {document.path for document in self._evidence.bundle.documents_of("table")}
        caption = table_in(self._evidence, other.record).caption if other.record in sealed else None
        around = other.column, other.row, caption or ""  # that of a draft is not at hand
        if recipe.get("percent") and other.printed is not None and not fraction:
            value = replace(value, numbers=in_print(other.printed, value.numbers, percent=True), rounded=None)
        elif signed and unsigned and not recipe.get("percent") and any("%" in said for said in around):
            value = replace(value, numbers=tuple(number / 100 for number in value.numbers), rounded=None)
        return value if part is None else part_of(value, other, part)

    def close(self) -> None:
        """Lets the database go."""
        self._queries.close()


def _from_itself(arguments: Mapping[str, str]) -> bool:
    """Whether a difference or a ratio is to the same rows: the row of the baseline, which prints a dash."""
    asked = {name.partition("."): text for name, text in arguments.items()}
    base = {name: text for (word, _, name), text in asked.items() if word in ("minus", "relative_to")}
    return bool(base) and all(arguments.get(f"where.{name}") == text for name, text in base.items())


@once
def _answers(_: Evidence) -> dict[Hashable, Value | Exception]:
    """What recipes have asked so far, and what the records gave."""
    return {}
