"""Follows recipes: what the records give for a cell, or another bundle that is at hand, and what that makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sealtrace.contract.result import WORDS, NumberResult, Result
from sealtrace.contract.sealing import Dataset
from sealtrace.evidence import Evidence, once
from sealtrace.paper.model import Table
from sealtrace.recipes import headings
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.choices import Print, RecipeChoice, of_metric, of_other_bundle, unsaid
from sealtrace.recipes.judgement import RECOMPUTED, CellStatus, Judgement, in_print, judge, judge_text
from sealtrace.recipes.metrics import (
    MissingEvidenceError,
    RecipeError,
    Value,
    metric_of,
    unless_fixed,
)
from sealtrace.recipes.queries import Queries
from sealtrace.statistics.table import Statistic

OTHER_CELL = "cell"
"""The metric that takes the value of another cell."""

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
    unsaid: tuple[tuple[str, bool], ...] = ()
    """What the recipe chooses and the table does not say, each with whether the recipe admits that."""
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
            population=self.population,
            undisclosed=list(self.undisclosed),
            relation=self.relation,
        )

    @property
    def formula(self) -> str | None:
        """What the recipe computes: a metric's formula with its source, or what a query does in words."""
        return self.meaning if self.metric is None else f"{self.metric.formula}  [{self.metric.source}]"

    @property
    def population(self) -> str | None:
        """The population that the metric was asked over, where it has one."""
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

    def evaluate(self, cell: TableCell, caption: str) -> CellResult | None:
        """What becomes of a cell of a table with a caption; None where it holds no number and owes none."""
        recipe = cell.recipe or {}
        holds = cell.printed is not None or cell.role == "number"
        if cell.recipe is None and cell.table_recipe is not None and holds:
            recipe = cell.table_recipe
        ways = [name for name in ("metric", "sql", "elsewhere", "classification") if recipe.get(name) is not None]
        # Nothing is printed: right where the records give nothing, and a number left out where they do.
        not_available = not cell.text.strip() or (cell.printed is not None and cell.printed.form == "not-available")
        if not ways:
            if cell.role != "number":
                return None
            return CellResult(
                cell, Judgement(CellStatus.UNCLASSIFIED, "Nothing says how this cell follows from the records.")
            )
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
                return None
            if (classification := recipe.get("classification")) is not None:
                status = CellStatus(classification)
                checked = ", and nothing checks it." if status is CellStatus.ATTESTED else "; relations bind it"
                return replace(result, judgement=Judgement(status, f"no records give it{checked}"), recipe=None)
            if (reference := recipe.get("elsewhere")) is not None:
                judgement, there = self._beside.judge(cell, reference)
                choices = list(of_other_bundle(reference, cell))
                not_told = tuple(unsaid(choices, Print.around(cell, caption), result.undisclosed))
                return replace(result, judgement=judgement, elsewhere=there, unsaid=not_told)
            if recipe.get("metric") is not None:
                result = replace(result, arguments=_arguments(recipe, cell, metric))
            value = self._value(recipe, cell)
            choices = [*value.chosen]
            if metric is not None and "where" in metric.optional:
                choices += of_metric(metric.name, result.arguments, cell.column, value.frame)
            if not value.fixed and not cell.key:
                column = cell.column if recipe is cell.table_recipe else None
                choices += self._against_headings(cell, value, metric, result.arguments, column)
            meaning = None if value.description is None else value.description.words
            if metric is not None:
                meaning = _in_words(metric, result.arguments)
            not_told = tuple(unsaid(choices, Print.around(cell, caption), result.undisclosed))
            result = replace(result, unsaid=not_told, meaning=meaning)
        except (RecipeError, MissingEvidenceError) as error:
            if not_available:
                return None
            problem = str(error) if isinstance(error, RecipeError) else None
            return replace(result, judgement=Judgement(CellStatus.MISSING, str(error)), problem=problem)
        return replace(result, judgement=_judged(cell, recipe, value, metric), value=value)

    def _against_headings(
        self, cell: TableCell, value: Value, metric: Statistic | None, arguments: dict[str, str], column: str | None
    ) -> Iterator[RecipeChoice]:
        """Where a column is something else than its labels say, or more than they say."""
        declared = (document.record for document in self._evidence.bundle.sealed(Dataset))
        truths = {record.dataset: record.truth for record in declared}
        if metric is None and value.description is not None:
            frames, fields = [self._evidence.frame(kind) for kind in value.kinds], value.description.fields
            yield from headings.of_functions(value.description.functions, cell)
            told = truths.get(value.kinds[0]) if len(value.kinds) == 1 and headings.of_right(cell) else None
            yield from headings.of_statistic(cell, "", fields, lambda: self._queries.gives_mean(value, column, told))
        elif metric is not None and "where" in metric.optional and value.frame is not None:
            frames = [value.frame]
            truth = arguments.get("against") or truths.get(value.frame.kind)
            read = arguments.get("of"), arguments.get("predicted"), truth if "against" in metric.optional else None
            fields = tuple(name.casefold() for name in read if name)
            yield from headings.of_statistic(cell, metric.name, fields, lambda: metric.name in headings.MEANS)
        else:
            return
        right = [truth for frame in frames if (truth := truths.get(frame.kind)) is not None]
        yield from headings.of_field(cell, fields, frames, right)

    def _value(self, recipe: dict[str, Any], cell: TableCell) -> Value:
        if (name := recipe.get("metric")) is not None:
            arguments = _arguments(recipe, cell, metric_of(name, written_arguments(recipe)))
            if name == OTHER_CELL:
                return self._other(arguments.get("cell", ""))
            return self._given(lambda: unless_fixed(self._evidence, name, arguments), name, *sorted(arguments.items()))
        sql: str = recipe["sql"]
        place, rows = cell.place, cell.rows
        if recipe is cell.table_recipe:
            asked = sql, cell.column, place, rows
            return self._given(lambda: self._queries.of_table(*asked), *asked)
        filled = _filled(sql, cell, quoted=True)
        rows = rows if filled == sql else 1
        return self._given(lambda: self._queries.of_cell(filled, place, rows), filled, place, rows)

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

    def _other(self, address: str) -> Value:
        """The recomputed value of another cell: the same quantity, printed twice."""
        other = self._other_cell(address)
        recipe = {} if other is None else other.recipe or {}
        if other is None or recipe.get("metric") == OTHER_CELL or not (recipe.get("metric") or recipe.get("sql")):
            raise RecipeError(f"{address!r} is no cell with a recipe of its own")
        return self._value(recipe, other)

    def close(self) -> None:
        """Lets the database go."""
        self._queries.close()


@once
def _answers(_: Evidence) -> dict[Hashable, Value | Exception]:
    """What recipes have asked so far, and what the records gave."""
    return {}


def _judged(cell: TableCell, recipe: dict[str, Any], value: Value, metric: Statistic | None) -> Judgement:
    if value.text is not None:
        judgement = judge_text(cell.text, value.text)
        return _attested(cell, value.fixed) if value.fixed and judgement.status is CellStatus.EXACT else judgement
    if cell.printed is None or not cell.printed.numeric:
        return Judgement(CellStatus.MISMATCH, f"The paper prints {cell.text!r}; the records give a number.")
    percent = bool(recipe.get("percent") or cell.printed.percent)
    numbers = in_print(cell.printed, value.numbers, percent=percent)
    judgement = judge(cell.printed, numbers, None if percent else value.rounded)
    said = f"The paper prints {cell.text}"
    if value.marks is not None and value.marks != cell.printed.marks:
        found, due = (marks or "no mark" for marks in (cell.printed.marks, value.marks))
        return Judgement(CellStatus.MISMATCH, f"{said} with {found}; the records give {due}.")
    printed_words = [number.suffix for number in cell.printed.parts if number.suffix]
    if value.words and printed_words != [" ".join(word.split()) for word in value.words]:
        found, due = (", ".join(map(repr, words)) or "no word" for words in (printed_words, value.words))
        return Judgement(CellStatus.MISMATCH, f"{said} with {found}; the records give {due}.")
    exact = judgement.status is CellStatus.EXACT
    given = metric is not None and metric.given
    if exact and value.fixed and not (given and names_its_row(cell)):
        return _attested(cell, value.fixed)
    if exact and given:
        return replace(judgement, status=CellStatus.INPUT, sentence=f"{said}, as the records have it.")
    measured = value.measured or (metric is not None and metric.measured)
    if measured and (exact or judgement.status is CellStatus.TIE):
        sentence = f"{said}, as the sealed measurements give it."
        return replace(judgement, status=CellStatus.MEASURED, sentence=sentence)
    return judgement


def _attested(cell: TableCell, source: str) -> Judgement:
    return Judgement(
        CellStatus.ATTESTED, f"The paper prints {cell.text}, which comes from {source}: nothing checks it."
    )


def _arguments(recipe: dict[str, Any], cell: TableCell, metric: Statistic | None) -> dict[str, str]:
    """A metric's arguments with their placeholders filled in."""
    # A cell that names its row may select the record of that name; a result may not select itself.
    own = metric is not None and metric.given and names_its_row(cell)
    return {key: _filled(text, cell, own=own) for key, text in written_arguments(recipe).items()}


def written_arguments(recipe: dict[str, Any]) -> dict[str, str]:
    """Everything that a recipe says to its metric, by name; conditions as `where.field`, several values as JSON."""
    said = {name: recipe[name] for name in _WORDS if recipe.get(name) is not None}
    for name in ("where", "minus", "versus"):
        for field_, value in (recipe.get(name) or {}).items():
            said[f"{name}.{field_}"] = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
    return {**(recipe.get("arguments") or {}), **said}


_WORDS = ("dataset", "of", "against", "group", "over", "show")


def names_its_row(cell: TableCell) -> bool:
    """Whether a cell is what its row is called by."""
    return bool(cell.text) and (cell.text in cell.row or cell.row in cell.text)


def _filled(template: str, cell: TableCell, *, quoted: bool = False, own: bool = False) -> str:
    """A template with `{Column}`, `{label}` and the row's arguments filled in."""

    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        if name == cell.column and not own:
            raise RecipeError(f"{{{name}}} is the cell itself; a recipe may not read what it recomputes")
        known = {"label": cell.row, **cell.texts, **cell.arguments}
        if name not in known:
            raise RecipeError(f"{{{name}}} is neither a column nor an argument of the row")
        # In a query a placeholder stands inside single quotes, where a quote is written twice.
        return known[name].replace("'", "''") if quoted else known[name]

    return _PLACEHOLDER.sub(fill, template)


def _in_words(metric: Statistic, arguments: dict[str, str]) -> str:
    if "where" in metric.optional:
        return headings.metric_in_words(metric.name, arguments)
    rest = ", ".join(f"{name} {text}" for name, text in arguments.items())
    return f"{metric.formula} ({rest})" if rest else metric.formula


def _described(recipe: dict[str, Any], cell: TableCell) -> str:
    """A recipe as readers see it."""
    if recipe.get("elsewhere") is not None:
        return f"elsewhere({', '.join(f'{name}={text}' for name, text in recipe['elsewhere'].items())})"
    try:
        if recipe.get("sql") is not None:
            return " ".join(_filled(recipe["sql"], cell, quoted=True).split())
        arguments = {name: _filled(text, cell, own=True) for name, text in written_arguments(recipe).items()}
    except RecipeError:
        if recipe.get("sql") is not None:
            return " ".join(recipe["sql"].split())
        arguments = written_arguments(recipe)
    listed = ", ".join(f"{name}={text}" for name, text in arguments.items())
    return f"{recipe.get('metric') or 'sql'}({listed})"


# Cells that another bundle recomputes


def named_bundles(tables: Sequence[Table]) -> set[str]:
    """The names and roots of the bundles that the recipes of some tables refer to."""
    recipes = [recipe for table in tables for recipe in table.recipes]
    references = [recipe["elsewhere"] for recipe in recipes if recipe.get("elsewhere")]
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
