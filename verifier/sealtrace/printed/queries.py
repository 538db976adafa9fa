"""Recipes in SQL: what they give on the sealed records, and on the same records altered.

A query is run more than once. Where rows are doubtful (a key stands twice, a value is refused by its schema), it
is run with and without them: a result that differs depends on them and is missing; any other is judged. And every
query is run on altered records: a result that none of them turns into another number proves nothing. Further forms
tell what a query chooses (`choices.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.frames import Frame, StreamedFrame, plain
from sealtrace.contract.packs import packs
from sealtrace.evidence import Evidence
from sealtrace.printed.altered import FORMS, ROW_BY_ROW, Altering
from sealtrace.printed.choices import Asked, RecipeChoice, formed, of_names, of_query, values_of
from sealtrace.printed.headings import counts_wrong, is_mean, levelled
from sealtrace.printed.metrics import MissingEvidenceError, RecipeError, Value
from sealtrace.printed.sql_guard import SqlError

if TYPE_CHECKING:
    from sealtrace.printed.sql import Records, SqlRecords, SqlResult

SECONDS = 120
"""How much processor time all queries of a bundle may take together."""
MOST_ROWS = 20_000
"""How many rows of a kind are asked for what a query chooses."""
_SAME = "a query that gives the same, or nothing, whatever the records hold"

_EVERY_ROW = ", every row"


class Queries:
    """The queries of one bundle's recipes; each is run once on each form of the records."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._databases: dict[str, SqlRecords] = {}
        self._results: dict[tuple[str, str], SqlResult | RecipeError] = {}

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
        sql, computed = value.query, value.computed
        if sql is None or computed is None:
            return False

        def on(form: str) -> tuple[float, ...] | None:
            try:
                found = self._run(sql, form, computed.selects)
                at = 0 if column is None else found.columns.index(column)
                return tuple(float(row[at]) for row in found.rows)  # type: ignore[arg-type]
            except (RecipeError, TypeError, ValueError):
                return None

        if truth is not None and truth.casefold() in computed.fields and counts_wrong(on, truth):
            return False
        if computed.mean:
            return True
        given = on("some")
        texts = sorted({text.replace("''", "'") for text in re.findall(r"'((?:[^']|'')*)'", sql)})
        return bool(given) and is_mean(given or (), on, computed.fields, texts[:4], one_kind=len(value.kinds) == 1)

    def close(self) -> None:
        """Lets the databases go."""
        for database in self._databases.values():
            database.close()

    @cached_property
    def _shared(self) -> dict[str, dict[str, str]]:
        """The views and macros that the bundle's queries share."""
        shared: dict[str, dict[str, str]] = {"views": {}, "macros": {}}
        for document in self._evidence.bundle.documents_of("queries"):
            for name, known in shared.items():
                known.update(document.value.get(name) or {})
        return shared

    # Forms of the records

    @cached_property
    def _frames(self) -> dict[str, Frame]:
        reported = {kind for pack in packs() for kind in pack.reported}
        bundle = self._evidence.bundle
        kinds = {store.kind for store in bundle.stores} - reported
        # Of rows that were lost a query is told so, and not that there are none of that name.
        kinds |= {entry.records for entry in bundle.entries if entry.path in bundle.lost} - reported
        return {kind: self._evidence.frame(kind) for kind in sorted(kinds)}

    @cached_property
    def _unheld(self) -> dict[str, StreamedFrame]:
        """The frames whose rows are on the disk, and none of them doubtful: doubtful ones were read whole already."""
        return {
            kind: one
            for kind, one in self._frames.items()
            if isinstance(one, StreamedFrame) and one.kept and not self._evidence.doubtful(kind).any()
        }

    @cached_property
    def _sealed(self) -> dict[str, Records]:
        return {kind: self._unheld.get(kind) or frame.table for kind, frame in self._frames.items()}

    @cached_property
    def _patience(self) -> float:
        """How many times longer than usual queries may take."""
        return 1 + sum(frame.size for frame in self._unheld.values()) / 2_000_000

    def _records(self, form: str, kept: Collection[str] = ()) -> dict[str, Records]:
        if form == "sealed":
            return self._sealed
        held = {kind: frame.table for kind, frame in self._frames.items() if kind not in self._unheld}
        if form == "without doubtful rows":
            sound = {kind: table.filter(pa.array(~self._evidence.doubtful(kind))) for kind, table in held.items()}
            return {**self._unheld, **sound}
        if form == "with refused rows":
            return {**self._unheld, **{kind: _with_refused(self._evidence, kind, one) for kind, one in held.items()}}
        if form == "some":
            return dict(self._some)
        if form.startswith("level:"):
            return {
                kind: levelled(form, table, {*map(str.casefold, self._frames[kind].key_fields), *kept})
                for kind, table in self._some.items()
            }
        if ":" in form:
            values = self._called[form.split(":")[1]]
            return {
                kind: formed(form, table, self._frames[kind].key_fields, values, self._given.get(kind, ()))
                for kind, table in self._some.items()
            }
        alter = FORMS[form.removesuffix(_EVERY_ROW)]
        altered: dict[str, Records] = {kind: alter(table, ()) for kind, table in held.items()}
        for kind, frame in self._unheld.items():
            whole = partial(_altered_parts, frame, alter)
            altered[kind] = whole if form.endswith(_EVERY_ROW) else alter(frame.some, ())
        return altered

    def _forms(self, result: SqlResult) -> list[str]:
        """Forms of the records that tell; of rows that are not held, some of them first and all only where need be."""
        every = [f"{form}{_EVERY_ROW}" for form in ROW_BY_ROW] if result.reads & self._unheld.keys() else []
        return [*FORMS, *every]

    @cached_property
    def _some(self) -> dict[str, pa.Table]:
        """Rows of each kind that are asked for what a query chooses."""
        return {
            kind: self._unheld[kind].some if kind in self._unheld else frame.table.take(_some(frame.size))
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
            name: (values := pc.unique(pa.concat_arrays(parts)).drop_null()).take(pc.sort_indices(values))
            for name, parts in found.items()
            if len({part.type for part in parts}) == 1 and not pa.types.is_nested(parts[0].type)
        }

    @cached_property
    def _given(self) -> dict[str, set[str]]:
        """Fields of datasets that are no results: right answers, and what others determine."""
        found: dict[str, set[str]] = {}
        for document in self._evidence.bundle.documents_of("dataset"):
            determined = [name for one in document.value.get("depends") or () for name in one["fields"]]
            found[document.value["dataset"]] = {*determined, document.value.get("truth") or ""}
        return found

    def _run(self, sql: str, form: str = "sealed", kept: Collection[str] = ()) -> SqlResult:
        if (sql, form) not in self._results:
            try:
                self._results[sql, form] = self._query(sql, form, kept)
            except RecipeError as error:
                self._results[sql, form] = error
        found = self._results[sql, form]
        if isinstance(found, RecipeError):
            raise found
        return found

    def _query(self, sql: str, form: str, kept: Collection[str]) -> SqlResult:
        if self._spent > SECONDS * self._patience:
            raise RecipeError(f"the bundle's queries took longer than {SECONDS * self._patience:g} s together")
        try:
            place = " ".join((form, *kept))
            if place not in self._databases:
                self._databases[place] = self._opened(self._records(form, kept))
            return self._databases[place].query(sql)
        except SqlError as error:
            raise RecipeError(str(error)) from None

    @property
    def _spent(self) -> float:
        return sum(database.spent for database in self._databases.values())

    def _opened(self, records: dict[str, Records]) -> SqlRecords:
        from sealtrace.printed import sql

        # Held or not, all have the same limits, so that one process serves them.
        limits: dict[str, Any] = {"seconds": sql.SECONDS * self._patience, "spilling": bool(self._unheld)}
        return sql.SqlRecords(records, views=self._shared["views"], macros=self._shared["macros"], **limits)

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
        from sealtrace.printed.sql import numbers

        def taken(found: SqlResult) -> tuple[object, ...]:
            row = found.rows[place]
            return row if column is None else (row[found.columns.index(column)],)

        due = taken(result)
        names = result.columns if column is None else [column]
        places = [at for at, name in enumerate(result.columns) if name in names]
        for form, doubt in (
            ("without doubtful rows", self._doubt(result, self._evidence.doubt)),
            ("with refused rows", self._doubt(result, self._evidence.refusal)),
        ):
            if doubt is not None and not all(
                self._same(sql, form, result, place, at, or_nothing=False) for at in places
            ):
                raise MissingEvidenceError(f"it depends on {doubt}")

        # Words that stand with a number may always be the same.
        telling = [at for at in places if len(places) == 1 or not isinstance(result.rows[place][at], str)]
        fixed = None
        if result.brought:
            fixed = f"a query that brings {', '.join(result.brought[:3])} of its own"
        elif any(
            all(self._same(sql, form, result, place, at, or_nothing=True) for form in self._forms(result))
            for at in telling
        ):
            fixed = _SAME
        if len(due) == 1 and isinstance(due[0], str):
            return Value((), text=due[0], fixed=fixed, query=sql)
        # Texts among the numbers are the words that stand with them.
        words = tuple(value for value in due if isinstance(value, str))
        kept = [place for place, value in enumerate(due) if not isinstance(value, str)]
        if not kept:
            raise RecipeError("the query gives several texts and no number")
        due, names = tuple(due[place] for place in kept), [names[place] for place in kept]
        try:
            (row,) = numbers(replace(result, columns=names, rows=[due]))
        except SqlError as error:
            raise RecipeError(str(error)) from None
        if any(number is None for number in row):
            raise MissingEvidenceError("the query gives null")
        measured = any(kind in pack.measured for pack in packs() for kind in result.reads)
        found = tuple(one for one in row if one is not None)
        chosen = () if fixed else tuple(self._choices(sql, result, [places[at] for at in kept]))
        computed, kinds = result.computed, tuple(sorted(result.reads))
        return Value(found, None, words=words, fixed=fixed, measured=measured, query=sql, chosen=chosen,
                     computed=computed, kinds=kinds)  # fmt: skip

    def _choices(self, sql: str, result: SqlResult, places: list[int]) -> Iterator[RecipeChoice]:
        """What a query chooses of the records that it reads."""

        def on(form: str) -> tuple[object, ...] | None:
            try:
                return numbers_in(self._run(sql, form))
            except RecipeError:
                return None

        def numbers_in(found: SqlResult) -> tuple[object, ...] | None:
            cells = (row[at] for row in found.rows for at in places)
            given = tuple(float(cell) if isinstance(cell, Decimal) else cell for cell in cells)
            return None if not given or all(one is None for one in given) else given

        names = {name for kind in result.reads for name in self._evidence.frame(kind).key_fields}
        fields = {name: values for name, values in self._called.items() if name in names}
        if result.demands is not None and all(self._known(*one) for one in result.demands.items() if one[0]):
            for name, values in fields.items():
                if len(values) > 1 and (named := result.demands.get(name.casefold())):
                    yield from of_names(name, sorted(set(named)), fields)
            if results := sorted(set(result.demands.get("", ()))):
                words = tuple(name.replace("_", " ") for name in results)
                yield RecipeChoice(f"it takes only some rows, by {' and '.join(results)}", words)
            return
        if (given := on("some")) is None:
            return
        opposite = self._turned(sql)
        yield from of_query(Asked(sql, given, on), fields, None if opposite is None else numbers_in(opposite))

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

    def _turned(self, sql: str) -> SqlResult | None:
        try:
            return self._databases["some"].turned(sql)
        except SqlError:
            return None

    @staticmethod
    def _doubt(result: SqlResult, reason_of: object) -> str | None:
        assert callable(reason_of)
        return next((reason for kind in sorted(result.reads) if (reason := reason_of(kind)) is not None), None)

    def _same(self, sql: str, form: str, sealed: SqlResult, place: int, column: int, *, or_nothing: bool) -> bool:
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


def _altered_parts(frame: StreamedFrame, alter: Altering) -> Iterator[pa.Table]:
    return (alter(table, ()) for table in frame.parts(frame.names))


def _some(rows: int) -> pa.Array:
    return pa.array(range(0, rows, 1 + rows // MOST_ROWS), pa.int64())


def _with_refused(evidence: Evidence, kind: str, table: pa.Table) -> pa.Table:
    """The rows that fit and those that do not, with nothing where a value was refused."""
    refused = [store.refused for store in evidence.bundle.of_kind(kind) if store.refused.num_rows]
    return pa.concat_tables([table, *(one.cast(table.schema) for one in refused)]) if refused else table
