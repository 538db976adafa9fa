"""Recipes in SQL: what they give on the sealed records, and on other forms of them.

A query is run more than once. Where rows are doubtful (a key stands twice, a value is refused by its schema), it
is run with and without them: a result that differs depends on them and is missing; any other is judged. And every
query is run on altered records: a result that none of them turns into another number proves nothing. Further forms
tell what a query chooses (`choices.py`), and whether it is what its heading says (`headings.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.frames import Frame, StreamedFrame, plain
from sealtrace.contract.kinds import KINDS
from sealtrace.contract.kinds import Form as RecordForm
from sealtrace.contract.packs import packs
from sealtrace.evidence import Evidence
from sealtrace.recipes.choices import RecipeChoice, of_names, of_query, takes_others, texts_in, values_of
from sealtrace.recipes.forms import FORMS, ROW_BY_ROW, Altering, Form, Level, Told
from sealtrace.recipes.headings import counts_wrong, is_mean
from sealtrace.recipes.metrics import MissingEvidenceError, RecipeError, Value
from sealtrace.recipes.sql_process import SqlError

if TYPE_CHECKING:
    from sealtrace.recipes.sql import Records, SqlRecords, SqlResult

SECONDS = 120
"""How much processor time all queries of a bundle may take together."""
MOST_ROWS = 20_000
"""How many rows of a kind are asked for what a query chooses."""
_SAME = "a query that gives the same, or nothing, whatever the records hold"
_SEALED, _SOME, _EVERY_ROW = "sealed", "some", ", every row"
_WITHOUT_DOUBTFUL, _WITH_REFUSED = "without doubtful rows", "with refused rows"


class Queries:
    """The queries of one bundle's recipes; each is run once on each form of the records."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._databases: dict[Form, SqlRecords] = {}
        self._results: dict[tuple[str, Form], SqlResult | RecipeError] = {}

    def of_cell(self, sql: str, place: int, rows: int) -> Value:
        """The one number of a query, or the place's where it gives a whole column of so many rows."""
        result = self._sound(sql)
        if rows > 1 and len(result.rows) == rows:
            return self._value(sql, result, place, None)
        if len(result.rows) == 1:
            return self._value(sql, result, 0, None)
        wanted = f"1 row, or {rows} for the whole column" if rows > 1 else "1 row"
        raise RecipeError(f"the query gives {len(result.rows)} rows, not {wanted}")

    def of_table(self, sql: str, column: str, place: int, rows: int) -> Value:
        """The cell's place in the result of the query that fills its table."""
        result = self._sound(sql)
        if column not in result.columns:
            raise RecipeError(f"the table's query gives no column {column!r}")
        if len(result.rows) != rows:
            raise RecipeError(f"the table's query gives {len(result.rows)} rows, not {rows}")
        return self._value(sql, result, place, column)

    def found(self, sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
        """Columns and rows of a query that is a check."""
        result = self._sound(sql)
        return list(result.columns), list(result.rows)

    def behind(self, sql: str) -> tuple[int, list[str]]:
        """How many rows a query sums up, and the first of them as people read them."""
        try:
            with self._opened(self._sealed) as records:
                count, rows = records.behind(sql)
        except SqlError as error:
            raise RecipeError(str(error)) from None
        return count, [", ".join(f"{name} {value}" for name, value in row.items()) for row in rows]

    def gives_mean(self, value: Value, column: str | None, truth: str | None = None) -> bool:
        """Whether a query's number moves as a mean does, and is nothing where all answers differ from `truth`."""
        sql, description = value.query, value.description
        if sql is None or description is None:
            return False
        kept = frozenset(description.selects)

        def on(form: Form) -> tuple[float, ...] | None:
            try:
                found = self._run(sql, replace(form, kept=kept) if isinstance(form, Level) else form)
                at = 0 if column is None else found.columns.index(column)
                return tuple(float(row[at]) for row in found.rows)  # type: ignore[arg-type]
            except (RecipeError, TypeError, ValueError):
                return None

        if truth is not None and truth.casefold() in description.fields and counts_wrong(on, truth):
            return False
        if description.mean:
            return True
        given, texts = on(_SOME), sorted(texts_in(sql))[:4]
        return bool(given) and is_mean(given or (), on, description.fields, texts, one_kind=len(value.kinds) == 1)

    def close(self) -> None:
        """Lets the databases go."""
        for database in self._databases.values():
            database.close()

    # Forms of the records

    @cached_property
    def _frames(self) -> dict[str, Frame]:
        reported = {kind for pack in packs() for kind in pack.reported}
        bundle = self._evidence.bundle
        kinds = {store.kind for store in bundle.stores} - reported
        # Of rows that were lost a query is told so, and not that there are none of that name.
        unread = [entry for entry in bundle.entries if entry.path in bundle.lost or entry.path not in bundle.digests]
        known = {*bundle.declared, *(name for name, kind in KINDS.items() if kind.form is RecordForm.ROWS)}
        kinds |= {entry.records for entry in unread} & known - reported
        return {kind: self._evidence.frame(kind) for kind in sorted(kinds)}

    @cached_property
    def _unheld(self) -> dict[str, StreamedFrame]:
        """The frames whose rows are on the disk, and none of them doubtful: doubtful ones were read whole already."""
        return {
            kind: frame
            for kind, frame in self._frames.items()
            if isinstance(frame, StreamedFrame) and frame.kept and not self._evidence.doubtful(kind).any()
        }

    @cached_property
    def _sealed(self) -> dict[str, Records]:
        return {kind: self._unheld.get(kind) or frame.table for kind, frame in self._frames.items()}

    def _records(self, form: Form) -> dict[str, Records]:
        if not isinstance(form, str):
            return {kind: form.of(table, self._told[kind]) for kind, table in self._some.items()}
        if form == _SEALED:
            return self._sealed
        if form == _SOME:
            return dict(self._some)
        held = {kind: frame.table for kind, frame in self._frames.items() if kind not in self._unheld}
        if form == _WITHOUT_DOUBTFUL:
            sound = {kind: table.filter(pa.array(~self._evidence.doubtful(kind))) for kind, table in held.items()}
            return {**self._unheld, **sound}
        if form == _WITH_REFUSED:
            return {**self._unheld, **{kind: self._with_refused(kind, table) for kind, table in held.items()}}
        alter = FORMS[form.removesuffix(_EVERY_ROW)]
        altered: dict[str, Records] = {kind: alter(table, ()) for kind, table in held.items()}
        for kind, frame in self._unheld.items():
            whole = partial(_altered_parts, frame, alter)
            altered[kind] = whole if form.endswith(_EVERY_ROW) else alter(frame.some, ())
        return altered

    def _with_refused(self, kind: str, table: pa.Table) -> pa.Table:
        """The rows that fit and those that do not, with nothing where a value was refused."""
        refused = [store.refused for store in self._evidence.bundle.of_kind(kind) if store.refused.num_rows]
        return pa.concat_tables([table, *(rows.cast(table.schema) for rows in refused)]) if refused else table

    @cached_property
    def _some(self) -> dict[str, pa.Table]:
        """Rows of each kind that are asked for what a query chooses."""
        return {
            kind: self._unheld[kind].some if kind in self._unheld else frame.table.take(_some_rows(frame.size))
            for kind, frame in self._frames.items()
        }

    @cached_property
    def _called(self) -> dict[str, pa.Array]:
        """The fields that identify rows, each with its values in order, whatever kind they are of."""
        found: dict[str, list[pa.Array]] = {}
        names = {name for frame in self._frames.values() for name in frame.key_fields}
        for frame in self._frames.values():
            for name in names & set(frame.names):
                found.setdefault(name, []).append(values_of(frame, name))
        return {
            name: (values := pc.unique(pa.concat_arrays(arrays)).drop_null()).take(pc.sort_indices(values))
            for name, arrays in found.items()
            if len({array.type for array in arrays}) == 1 and not pa.types.is_nested(arrays[0].type)
        }

    @cached_property
    def _told(self) -> dict[str, Told]:
        """What is known of the fields of each kind; right answers and what others determine are no results."""
        given: dict[str, set[str]] = {}
        for document in self._evidence.bundle.documents_of("dataset"):
            determined = [name for rule in document.value.get("depends") or () for name in rule["fields"]]
            given[document.value["dataset"]] = {*determined, document.value.get("truth") or ""}
        return {kind: Told(frame.key_fields, self._called, given.get(kind, ())) for kind, frame in self._frames.items()}

    def _run(self, sql: str, form: Form = _SEALED) -> SqlResult:
        if (sql, form) not in self._results:
            try:
                self._results[sql, form] = self._database(form).query(sql)
            except (RecipeError, SqlError) as error:
                self._results[sql, form] = RecipeError(str(error))
        found = self._results[sql, form]
        if isinstance(found, RecipeError):
            raise found
        return found

    def _database(self, form: Form) -> SqlRecords:
        """The records in a form, where queries have time left."""
        if sum(database.spent for database in self._databases.values()) > SECONDS * self._patience:
            raise RecipeError(f"the bundle's queries took longer than {SECONDS * self._patience:g} s together")
        if form not in self._databases:
            self._databases[form] = self._opened(self._records(form))
        return self._databases[form]

    @cached_property
    def _patience(self) -> float:
        """How many times longer than usual queries may take."""
        return 1 + sum(frame.size for frame in self._unheld.values()) / 2_000_000

    @cached_property
    def _shared(self) -> dict[str, Any]:
        """The views and macros that the bundle's queries share."""
        shared: dict[str, dict[str, str]] = {"views": {}, "macros": {}}
        for document in self._evidence.bundle.documents_of("queries"):
            for name, known in shared.items():
                known.update(document.value.get(name) or {})
        return shared

    def _opened(self, records: dict[str, Records]) -> SqlRecords:
        from sealtrace.recipes import sql

        # Held or not, all have the same limits, so that one process serves them.
        seconds, spilling = sql.SECONDS * self._patience, bool(self._unheld)
        return sql.SqlRecords(records, seconds=seconds, spilling=spilling, **self._shared)

    # What a result is worth

    def _sound(self, sql: str) -> SqlResult:
        result = self._run(sql)
        if not result.reads:
            raise RecipeError("the query reads no record, so it proves nothing")
        for kind in sorted(result.reads):
            if (reason := self._evidence.unreadable(kind)) is not None:
                raise MissingEvidenceError(reason)
        return result

    def _value(self, sql: str, result: SqlResult, place: int, column: str | None) -> Value:
        from sealtrace.recipes.sql import numbers

        columns = list(range(len(result.columns))) if column is None else [result.columns.index(column)]
        row = result.rows[place]
        self._refuse_doubtful(sql, result, place, columns)
        fixed = self._fixed(sql, result, place, columns)
        texts, rest = ([at for at in columns if isinstance(row[at], str) is text] for text in (True, False))
        if not rest:
            if len(columns) > 1:
                raise RecipeError("the query gives several texts and no number")
            return Value((), text=str(row[columns[0]]), fixed=fixed, query=sql)
        # Texts among the numbers are the words that stand with them.
        words = tuple(str(row[at]) for at in texts)
        try:
            names, due = [result.columns[at] for at in rest], tuple(row[at] for at in rest)
            (exact,) = numbers(replace(result, columns=names, rows=[due]))
        except SqlError as error:
            raise RecipeError(str(error)) from None
        if any(number is None for number in exact):
            raise MissingEvidenceError("the query gives null")
        measured = any(kind in pack.measured for pack in packs() for kind in result.reads)
        return Value(
            tuple(number for number in exact if number is not None),
            words=words,
            fixed=fixed,
            measured=measured,
            query=sql,
            chosen=() if fixed else tuple(self._choices(sql, result, rest)),
            description=result.description,
            kinds=tuple(sorted(result.reads)),
        )

    def _refuse_doubtful(self, sql: str, result: SqlResult, place: int, columns: list[int]) -> None:
        """Raises where a result depends on rows that are doubtful, or that were refused."""
        doubts: dict[str, Callable[[str], str | None]] = {
            _WITHOUT_DOUBTFUL: self._evidence.doubt,
            _WITH_REFUSED: self._evidence.refusal,
        }
        for form, reason_of in doubts.items():
            doubt = next((reason for kind in sorted(result.reads) if (reason := reason_of(kind)) is not None), None)
            if doubt is not None and not all(
                self._same(sql, form, result, place, at, or_nothing=False) for at in columns
            ):
                raise MissingEvidenceError(f"it depends on {doubt}")

    def _fixed(self, sql: str, result: SqlResult, place: int, columns: list[int]) -> str | None:
        """What gives a result whatever the records hold; None where they give it."""
        if own := result.description.brought:
            return f"a query that brings {', '.join(own[:3])} of its own"
        # Of rows that are not held, some are tried first and all only where need be.
        every = [f"{form}{_EVERY_ROW}" for form in ROW_BY_ROW] if result.reads & self._unheld.keys() else []
        # Words that stand with a number may always be the same.
        telling = [at for at in columns if len(columns) == 1 or not isinstance(result.rows[place][at], str)]
        never_moves = any(
            all(self._same(sql, form, result, place, at, or_nothing=True) for form in (*FORMS, *every))
            for at in telling
        )
        return _SAME if never_moves else None

    def _same(self, sql: str, form: Form, sealed: SqlResult, place: int, column: int, *, or_nothing: bool) -> bool:
        """Whether another form of the records gives the same in this place, or, where that will do, nothing."""
        try:
            other = self._run(sql, form)
        except RecipeError:
            return or_nothing
        if or_nothing and all(row[column] is None for row in other.rows):
            return True
        if len(other.rows) != len(sealed.rows):
            return or_nothing
        return other.rows[place][column] == sealed.rows[place][column]

    def _choices(self, sql: str, result: SqlResult, columns: list[int]) -> Iterator[RecipeChoice]:
        """What a query chooses of the records that it reads."""

        def on(form: Form) -> tuple[object, ...] | None:
            try:
                return numbers_in(self._run(sql, form))
            except RecipeError:
                return None

        def numbers_in(found: SqlResult) -> tuple[object, ...] | None:
            cells = (row[at] for row in found.rows for at in columns)
            given = tuple(float(cell) if isinstance(cell, Decimal) else cell for cell in cells)
            return None if not given or all(number is None for number in given) else given

        names = {name for kind in result.reads for name in self._evidence.frame(kind).key_fields}
        fields = {name: values for name, values in self._called.items() if name in names}
        demands = result.description.demands
        if demands is not None and all(self._known(field, named) for field, named in demands.items() if field):
            for name, values in fields.items():
                if len(values) > 1 and (named := sorted(set(demands.get(name.casefold(), ())))):
                    given = on(_SOME) if result.description.excludes else None
                    others = given is not None and takes_others(given, on, name, named)
                    yield from of_names(name, named, fields, others=others)
            if flags := sorted(set(demands.get("", ()))):
                words = tuple(name.replace("_", " ") for name in flags)
                yield RecipeChoice(f"it takes only some rows, by {' and '.join(flags)}", words)
            return
        if (given := on(_SOME)) is None:
            return
        try:
            opposite = self._databases[_SOME].turned(sql)
        except SqlError:
            opposite = None
        yield from of_query(sql, given, on, fields, None if opposite is None else numbers_in(opposite))

    def _known(self, field: str, named: list[str]) -> bool:
        """Whether records have a field, no number, with these values: a query may call its own results so."""
        for table in self._some.values():
            for name in table.column_names:
                kind = table.schema.field(name).type
                if name.casefold() == field and not pa.types.is_floating(kind) and not pa.types.is_nested(kind):
                    known = plain(table.column(name)).cast(pa.string()).unique()
                    if set(named) <= set(known.to_pylist()):
                        return True
        return False


def _altered_parts(frame: StreamedFrame, alter: Altering) -> Iterator[pa.Table]:
    return (alter(table, ()) for table in frame.parts(frame.names))


def _some_rows(rows: int) -> pa.Array:
    return pa.array(range(0, rows, 1 + rows // MOST_ROWS), pa.int64())
