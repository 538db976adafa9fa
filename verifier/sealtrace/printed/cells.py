"""Every cell of every table: what was printed, what the records give, and what that makes of it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sealtrace.printed.judgement import Judgement, Status, judge
from sealtrace.printed.metrics import METRICS, MissingEvidenceError, RecipeError, Value, compute
from sealtrace.printed.numbers import Printed, looks_numeric, read_printed
from sealtrace.studies.policies import map_metrics, policy_metrics  # noqa: F401 - imported for their registrations
from sealtrace.studies.policies.evidence.study import Study

if TYPE_CHECKING:
    from sealtrace.printed.sql import SqlRecords, SqlResult

OTHER_CELL = "cell"
"""The metric that takes the value of another cell."""
REPORTED = frozenset({"score", "summary", "certificate"})
"""What was reported: a recomputation never reads it."""
SQL_SECONDS = 120
"""How long all queries of a bundle may take together."""

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class TableCell:
    """A cell in its place, before anything is computed."""

    table: str
    row: str
    column: str
    text: str
    printed: Printed | None
    """None where the cell holds no number."""
    recipe: dict[str, Any] | None
    table_recipe: dict[str, Any] | None
    """The query that fills the whole table, where there is one."""
    texts: dict[str, str]
    """The row's printed texts by column, for placeholders."""
    arguments: dict[str, str]
    """What the row gives to its recipes."""
    place: int
    """The row's place in its table, from zero."""
    rows: int
    """How many rows the table has."""
    record: str
    """The table record's path in the bundle."""
    pointer: str
    """The cell's JSON pointer in the record."""
    source: str | None = None
    line: int | None = None
    mark: str | None = None
    direction: str | None = None
    among: str | None = None

    @property
    def name(self) -> str:
        """The cell's address, as `explain` takes it."""
        return f"{self.table}[{self.row}, {self.column}]"


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
    undisclosed: tuple[str, ...] = field(default_factory=tuple)

    @property
    def status(self) -> Status:
        return self.judgement.status


def cells_of(record: dict[str, Any], path: str) -> Iterator[TableCell]:
    """The cells of one table record."""
    columns = record["columns"]
    for place, row in enumerate(record["rows"]):
        texts = {column["label"]: text for column, text in zip(columns, row["cells"], strict=False)}
        lines = row.get("lines") or [row.get("line")] * len(row["cells"])
        for index, (column, text) in enumerate(zip(columns, row["cells"], strict=False)):
            label = column["label"]
            yield TableCell(
                table=record["label"],
                row=row["label"],
                column=label,
                text=text,
                printed=read_printed(text),
                # A row's own recipe may be empty: then the column's does not apply to it.
                recipe=(row.get("recipes") or {}).get(label, column.get("recipe")),
                table_recipe=record.get("recipe"),
                texts=texts,
                arguments=row.get("arguments") or {},
                place=place,
                rows=len(record["rows"]),
                record=path,
                pointer=f"/rows/{place}/cells/{index}",
                source=record.get("source"),
                line=lines[index] if index < len(lines) else None,
                mark=(row.get("marks") or {}).get(label),
                direction=column.get("direction"),
                among=row.get("among"),
            )


class Evaluator:
    """Follows recipes. Queries and metrics that several cells share are computed once."""

    def __init__(self, study: Study, cells: list[TableCell]) -> None:
        self._study = study
        self._cells = {cell.name: cell for cell in cells}
        self._values: dict[tuple[str, tuple[tuple[str, str], ...]], Value] = {}
        self._columns: dict[str, list[Value]] = {}
        self._results: dict[str, SqlResult] = {}
        self._sql: SqlRecords | None = None
        self._spent = 0.0

    def evaluate(self, cell: TableCell) -> CellResult | None:
        """What becomes of a cell; None where it holds no number and owes none."""
        recipe = cell.recipe or {}
        if cell.recipe is None and cell.table_recipe is not None and cell.printed is not None:
            recipe = cell.table_recipe
        undisclosed = tuple(recipe.get("undisclosed") or ())
        ways = [name for name in ("metric", "sql", "classification") if recipe.get(name) is not None]
        if not ways:
            if cell.printed is None and not looks_numeric(cell.text):
                return None
            if cell.printed is not None and cell.printed.form == "not-available":
                return None
            return CellResult(cell, Judgement(Status.UNCLASSIFIED, "nobody said how the cell follows from records"))
        described = _described(recipe, cell)
        if len(ways) > 1:
            problem = f"a recipe has one of metric, sql and classification, not {' and '.join(ways)}"
            return CellResult(cell, Judgement(Status.MISSING, problem), None, described, problem, undisclosed)
        if (classification := recipe.get("classification")) is not None:
            return CellResult(cell, self._classified(Status(classification)), undisclosed=undisclosed)
        try:
            value = self._value(recipe, cell)
        except (RecipeError, MissingEvidenceError) as error:
            if cell.printed is not None and cell.printed.form == "not-available":
                return None
            cause = str(error) if isinstance(error, RecipeError) else None
            return CellResult(cell, Judgement(Status.MISSING, str(error)), None, described, cause, undisclosed)
        return CellResult(cell, _judged(cell, recipe, value), value, described, None, undisclosed)

    def _classified(self, status: Status) -> Judgement:
        if status is Status.ATTESTED:
            return Judgement(status, "no records give it, and nothing checks it")
        if not self._study.bundle.of_kind("relation"):
            sentence = "called constrained, but the bundle has no relation that could bind it"
            return Judgement(Status.UNCLASSIFIED, sentence)
        return Judgement(status, "no records give it; relations bind it")

    def _value(self, recipe: dict[str, Any], cell: TableCell) -> Value:
        if (name := recipe.get("metric")) is not None:
            arguments = {
                key: _filled(text, cell, quoted=False) for key, text in (recipe.get("arguments") or {}).items()
            }
            if name == OTHER_CELL:
                return self._other(arguments.get("cell", ""))
            key = (name, tuple(sorted(arguments.items())))
            if key not in self._values:
                self._values[key] = compute(self._study, name, arguments)
            return self._values[key]
        if (sql := recipe.get("sql")) is not None:
            return self._from_table(sql, cell) if recipe is cell.table_recipe else self._from_sql(sql, cell)
        raise RecipeError("the recipe has neither a metric nor a query nor a classification")

    def _other(self, address: str) -> Value:
        """The recomputed value of another cell: the same quantity, printed twice."""
        other = self._cells.get(address)
        if other is None or other.recipe is None or other.recipe.get("metric") == OTHER_CELL:
            raise RecipeError(f"{address!r} is no cell with a recipe of its own")
        return self._value(other.recipe, other)

    def _from_sql(self, sql: str, cell: TableCell) -> Value:
        filled = _filled(sql, cell, quoted=True)
        whole_column = filled == sql and cell.rows > 1
        if filled not in self._columns:
            self._columns[filled] = self._run(filled)
        values = self._columns[filled]
        if whole_column and len(values) == cell.rows:
            return values[cell.place]
        if len(values) == 1:
            return values[0]
        wanted = f"1 row, or {cell.rows} for the whole column" if whole_column else "1 row"
        raise RecipeError(f"the query gives {len(values)} rows, not {wanted}")

    def _from_table(self, sql: str, cell: TableCell) -> Value:
        """The cell's place in the result of the query that fills its table."""
        if sql not in self._results:
            self._results[sql] = self._query(sql)
        result = self._results[sql]
        if cell.column not in result.columns:
            raise RecipeError(f"the table's query gives no column {cell.column!r}")
        if len(result.rows) != cell.rows:
            raise RecipeError(f"the table's query gives {len(result.rows)} rows, not {cell.rows}")
        number = result.rows[cell.place][result.columns.index(cell.column)]
        return self._values_of(replace(result, columns=[cell.column], rows=[(number,)]))[0]

    def _run(self, sql: str) -> list[Value]:
        return self._values_of(self._query(sql))

    def _query(self, sql: str) -> SqlResult:
        from sealtrace.printed.sql import SqlRecords
        from sealtrace.printed.sql_process import SqlError

        if self._sql is None:
            kinds = {store.kind for store in self._study.bundle.stores} - REPORTED
            try:
                self._sql = SqlRecords({kind: self._study.frame(kind).table for kind in sorted(kinds)})
            except SqlError as error:
                # Without DuckDB here, nothing is wrong with the bundle.
                raise MissingEvidenceError(str(error)) from None
        if self._spent > SQL_SECONDS:
            raise RecipeError(f"the bundle's queries took longer than {SQL_SECONDS} s together")
        started = time.monotonic()
        try:
            result = self._sql.query(sql)
        except SqlError as error:
            raise RecipeError(str(error)) from None
        finally:
            self._spent += time.monotonic() - started
        if not result.reads:
            raise RecipeError("the query reads no record, so it proves nothing")
        return result

    @staticmethod
    def _values_of(result: SqlResult) -> list[Value]:
        from sealtrace.printed.sql import numbers
        from sealtrace.printed.sql_process import SqlError

        try:
            rows = numbers(result)
        except SqlError as error:
            raise RecipeError(str(error)) from None
        values = []
        for row in rows:
            if any(number is None for number in row):
                raise MissingEvidenceError("the query gives null")
            values.append(Value(tuple(number for number in row if number is not None)))
        return values

    def close(self) -> None:
        """Lets the database go."""
        if self._sql is not None:
            self._sql.close()


def _judged(cell: TableCell, recipe: dict[str, Any], value: Value) -> Judgement:
    if value.text is not None:
        return _judged_text(cell, value.text)
    if cell.printed is None or not cell.printed.numeric:
        return Judgement(Status.MISMATCH, f"the records give a number, and the cell prints {cell.text!r}")
    factor = Fraction(100) if recipe.get("percent") or cell.printed.percent else Fraction(1)
    rounded = value.rounded if factor == 1 else None
    numbers = value.numbers if factor == 1 else tuple(number * factor for number in value.numbers)
    judgement = judge(cell.printed, numbers, rounded)
    if value.marks is not None and value.marks != cell.printed.marks:
        found = cell.printed.marks or "no mark"
        return Judgement(Status.MISMATCH, f"{cell.text} must carry {value.marks or 'no mark'}, and carries {found}")
    metric = METRICS.get(recipe.get("metric") or "")
    if metric is not None and metric.given and judgement.status is Status.EXACT:
        return replace(judgement, status=Status.INPUT, sentence=f"{cell.text} is as the records have it")
    if metric is not None and metric.measured and judgement.status in (Status.EXACT, Status.TIE):
        return replace(judgement, status=Status.MEASURED, sentence=f"{cell.text} is the sealed measurements' aggregate")
    return judgement


def _judged_text(cell: TableCell, due: str) -> Judgement:
    """A cell that prints names: the same names in the same order, whatever separates them."""
    printed, wanted = ([part.strip() for part in re.split(r"[/,]", text)] for text in (cell.text, due))
    if printed == wanted:
        return Judgement(Status.EXACT, f"{cell.text} is what the records give; exact")
    return Judgement(Status.MISMATCH, f"{cell.text!r} is not {due!r}")


def _filled(template: str, cell: TableCell, *, quoted: bool) -> str:
    """A template with `{Column}`, `{label}` and the row's arguments filled in."""

    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        if name == cell.column and quoted:
            raise RecipeError(f"{{{name}}} is the cell itself; a query may not read what it recomputes")
        known = {"label": cell.row, **cell.texts, **cell.arguments}
        if name not in known:
            raise RecipeError(f"{{{name}}} is neither a column nor an argument of the row")
        # In a query a placeholder stands inside single quotes, where a quote is written twice.
        return known[name].replace("'", "''") if quoted else known[name]

    return _PLACEHOLDER.sub(fill, template)


def _described(recipe: dict[str, Any], cell: TableCell) -> str:
    """A recipe as readers see it."""
    try:
        if recipe.get("sql") is not None:
            return " ".join(_filled(recipe["sql"], cell, quoted=True).split())
        arguments = {k: _filled(t, cell, quoted=False) for k, t in (recipe.get("arguments") or {}).items()}
    except RecipeError:
        arguments = dict(recipe.get("arguments") or {})
    listed = ", ".join(f"{name}={text}" for name, text in arguments.items())
    return f"{recipe.get('metric') or 'sql'}({listed})"


def evaluate_tables(study: Study, cells: list[TableCell]) -> list[CellResult]:
    """What becomes of every numeric cell, in order."""
    evaluator = Evaluator(study, bundle_cells(study) + cells)
    results = []
    try:
        for number, cell in enumerate(cells, 1):
            if (result := evaluator.evaluate(cell)) is not None:
                results.append(result)
            study.progress("recomputing cells", number, len(cells))
        return results
    finally:
        evaluator.close()


def bundle_cells(study: Study) -> list[TableCell]:
    """The cells of all table records of a bundle."""
    if "printed cells" not in study.memory:
        study.memory["printed cells"] = [
            cell for document in study.bundle.documents_of("table") for cell in cells_of(document.value, document.path)
        ]
    cells: list[TableCell] = study.memory["printed cells"]
    return cells


def missing_cells(cells: list[TableCell], reason: str) -> list[CellResult]:
    """All numeric cells as missing, for one reason."""
    return [
        CellResult(cell, Judgement(Status.MISSING, reason))
        for cell in cells
        if cell.printed is not None and cell.printed.numeric
    ]
