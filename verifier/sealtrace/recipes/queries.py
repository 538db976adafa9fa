"""Recipes in SQL: what they give on the sealed records, and on other forms of them.

A query is run more than once. Where rows are doubtful (a key stands twice, a value is refused by its schema), it
is run with and without them: a result that differs depends on them and is missing; any other is judged. And every
query is run on altered records: a result that none of them turns into another number proves nothing.

A query sees the rows that the cell's table prints: those of its row, its heading, its caption and its population. One
that fills a whole column, or a table, sees all rows, and each of its numbers must be what it gives on those of its row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING

import pyarrow as pa

from sealtrace.bundle.frames import Frame, KeptFrame
from sealtrace.contract.kinds import KINDS
from sealtrace.contract.kinds import Form as RecordForm
from sealtrace.contract.packs import packs
from sealtrace.evidence import Evidence
from sealtrace.recipes.forms import FORMS, ROW_BY_ROW, Altering
from sealtrace.recipes.metrics import MissingEvidenceError, RecipeError, Value
from sealtrace.recipes.populations import declared_constants
from sealtrace.recipes.sql_syntax import SqlError, SqlUnfinishedError

if TYPE_CHECKING:
    from sealtrace.recipes.populations import RecipePopulation
    from sealtrace.recipes.sql import Records, SqlRecords, SqlResult, Within

    Restricted = Callable[[Iterable[str], bool, Mapping[str, Collection[str]]], Within]
    """From kinds of record, whether the row's labels count, and the values that a query asks for itself, to the values
    that records must have."""

SECONDS = 120
"""How much processor time all queries of a bundle may take together."""
_SAME = "a query that gives the same, or nothing, whatever the records hold"
_SEALED, _DESCRIBED, _EVERY_ROW = "sealed", "described", ", every row"
_WITHOUT_DOUBTFUL, _WITH_REFUSED = "without doubtful rows", "with refused rows"


class Queries:
    """The queries of one bundle's recipes; each is run once on each form of the records."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._databases: dict[str, SqlRecords] = {}
        self._results: dict[tuple[str, str, str], SqlResult | RecipeError | MissingEvidenceError] = {}

    def of_cell(self, sql: str, place: int, rows: int, restricted: Restricted, *, many: bool = False) -> Value:
        """The one number of a query, or the place's where it gives a whole column of so many rows.

        `many` says that other rows have queries that differ from this one only in texts.
        """
        sound = self._sound(sql)
        reads = sound.reads
        compared: dict[str, set[str]] = {}
        for one in sound.description.compared:
            compared.setdefault(one.field, set()).update(one.values if one.equal else ())
        near, whole = restricted(reads, False, compared), restricted(reads, True, compared)
        if self._undeclared(sound):  # a number of its own, whatever the rows are
            near, whole = {}, {}
        if rows > 1 and len((result := self._run(sql, within=near)).rows) == rows:
            if whole != near:
                self._confirm(sql, whole, result, place, list(range(len(result.columns))))
            return self._value(sql, near, result, place, None)
        result = self._run(sql, within=whole, many=many)
        if whole and _nothing(result) and not _nothing(self._run(sql)):
            raise RecipeError("the query gives nothing on the rows that the table prints")
        if len(result.rows) == 1:
            return self._value(sql, whole, result, 0, None)
        wanted = f"1 row, or {rows} for the whole column" if rows > 1 else "1 row"
        raise RecipeError(f"the query gives {len(result.rows)} rows, not {wanted}")

    def of_table(
        self, sql: str, column: str, place: int, rows: int, restricted: tuple[Restricted, Restricted]
    ) -> Value:
        """The cell's place in the result of the query that fills its table.

        `restricted` is what the caption demands of records, and what the cell's own labels demand.
        """
        reads = self._sound(sql).reads
        near = restricted[0](reads, False, {})
        result = self._run(sql, within=near)
        if column not in result.columns:
            raise RecipeError(f"the table's query gives no column {column!r}")
        if len(result.rows) != rows:
            raise RecipeError(f"the table's query gives {len(result.rows)} rows, not {rows}")
        self._confirm(sql, restricted[1](reads, True, {}), result, place, [result.columns.index(column)])
        return self._value(sql, near, result, place, column)

    def _confirm(self, sql: str, within: Within, result: SqlResult, place: int, columns: list[int]) -> None:
        """Raises where a query that fills a column gives another number on the rows that this one is labelled by.

        Groups of the query are left as they are: a share of all rows is another on the rows of its own group alone.
        """
        grouped = self._sound(sql).description.grouped
        places = {name: at for at, one in enumerate(result.columns) if (name := grouped.get(one))}
        row = result.rows[place]
        left = {
            kind: {
                name: values
                for name, values in fields.items()
                if name.casefold() not in places or values != [str(row[places[name.casefold()]])]
            }
            for kind, fields in within.items()
        }
        if not any(left.values()):
            return
        own = [
            other
            for other in self._run(sql, within={kind: fields for kind, fields in left.items() if fields}).rows
            if all(other[at] == row[at] for at in places.values())
        ]
        for at in columns:
            given = {other[at] for other in own if other[at] is not None}
            if given and given != {row[at]}:
                shown = " or ".join(str(value) for value in list(given)[:2])
                raise RecipeError(f"row {place + 1} of the query is not of what the row prints, which gives {shown}")

    def share(self, population: RecipePopulation) -> tuple[int, int]:
        """How many rows of its dataset a population has, and how many there are."""
        asked = f'SELECT count(*) FROM "{population.dataset}"'
        within = {population.dataset: {name: list(values) for name, values in population.where.items()}}
        few, every = (self._run(asked, within=rows).rows[0][0] for rows in (within, None))
        return int(str(few)), int(str(every))

    def some_absent(self, value: Value, name: str) -> bool:
        """Whether a field has no value in some of the rows that a query reads, or is not a field of them at all."""
        kinds = [kind for kind in value.kinds if name in map(str.casefold, self._evidence.frame(kind).names)]
        asked = [f'SELECT count(*) FROM "{kind}" WHERE "{name}" IS NULL' for kind in kinds]
        return not asked or any(self._run(one, within=value.within).rows[0][0] for one in asked)

    def absent(self, value: Value, declared: Collection[str]) -> str | None:
        """Why a mean or sum is not known: some rows lack a field that it is of, and nothing declares that."""
        description = value.description
        if description is None or value.fixed or not description.totals:
            return None
        for kind in value.kinds:
            frame = self._evidence.frame(kind)
            for name in frame.names:
                if (
                    name.casefold() in set(description.fields) - set(declared)
                    and frame.columns([name]).column(0).null_count
                ):
                    asked = f'SELECT count(*) FROM "{kind}" WHERE "{name}" IS NULL'
                    if count := self._run(asked, within=value.within).rows[0][0]:
                        return f"{name} is absent in {count} rows of {kind}, which a mean or sum leaves out"
        return None

    def found(self, sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
        """Columns and rows of a query that is a check."""
        self._sound(sql)
        result = self._run(sql)
        return list(result.columns), list(result.rows)

    def behind(self, sql: str) -> tuple[int, list[str]]:
        """How many rows a query sums up, and the first of them as people read them."""
        try:
            with self._opened(self._sealed) as records:
                count, rows = records.behind(sql)
        except SqlError as error:
            raise RecipeError(str(error)) from None
        return count, [", ".join(f"{name} {value}" for name, value in row.items()) for row in rows]

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
    def _unheld(self) -> dict[str, KeptFrame]:
        """The frames whose rows are on the disk, and none of them doubtful: doubtful ones were read whole already."""
        return {
            kind: frame
            for kind, frame in self._frames.items()
            if isinstance(frame, KeptFrame) and not self._evidence.doubtful(kind).any()
        }

    @cached_property
    def _sealed(self) -> dict[str, Records]:
        return {kind: self._unheld.get(kind) or frame.table for kind, frame in self._frames.items()}

    def _records(self, form: str) -> dict[str, Records]:
        if form == _SEALED:
            return self._sealed
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

    def _run(self, sql: str, form: str = _SEALED, within: Within | None = None, *, many: bool = False) -> SqlResult:
        described = form == _DESCRIBED
        key = sql, form, json.dumps(within or {}, sort_keys=True)
        if key not in self._results:
            try:
                database = self._database(_SEALED if described else form)
                self._results[key] = database.query(sql, within, described=described, many=many)
            except SqlUnfinishedError as error:
                self._results[key] = MissingEvidenceError(str(error))
            except (RecipeError, SqlError) as error:
                self._results[key] = RecipeError(str(error))
        found = self._results[key]
        if isinstance(found, RecipeError | MissingEvidenceError):
            raise found
        return found

    def _database(self, form: str) -> SqlRecords:
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
    def _shared(self) -> dict[str, dict[str, str]]:
        """The views and macros that the bundle's queries share."""
        shared: dict[str, dict[str, str]] = {"views": {}, "macros": {}}
        for document in self._evidence.bundle.documents_of("queries"):
            for name, known in shared.items():
                known.update(document.value.get(name) or {})
        return shared

    def _opened(self, records: dict[str, Records]) -> SqlRecords:
        from sealtrace.recipes import sql  # start-up: only queries need a process of their own

        # Held or not, all have the same limits, so that one process serves them.
        seconds, spilling = sql.SECONDS * self._patience, bool(self._unheld)
        return sql.SqlRecords(
            records, seconds=seconds, spilling=spilling, views=self._shared["views"], macros=self._shared["macros"]
        )

    # What a result is worth

    def _sound(self, sql: str) -> SqlResult:
        """What a query reads and does; it is not run, because most cells ask for some of the rows only."""
        result = self._run(sql, _DESCRIBED)
        if not result.reads:
            raise RecipeError("the query reads no record, so it proves nothing")
        for kind in sorted(result.reads):
            if (reason := self._evidence.unreadable(kind)) is not None:
                raise MissingEvidenceError(reason)
        return result

    def _value(self, sql: str, within: Within, result: SqlResult, place: int, column: str | None) -> Value:
        from sealtrace.recipes.sql import numbers  # likewise

        columns = list(range(len(result.columns))) if column is None else [result.columns.index(column)]
        row = result.rows[place]
        same = partial(self._same, sql, within, result, place)
        self._refuse_doubtful(same, result, columns)
        fixed = self._fixed(same, self._sound(sql), result, place, columns)
        texts, rest = ([at for at in columns if isinstance(row[at], str) is text] for text in (True, False))
        if not rest:
            if len(columns) > 1:
                raise RecipeError("the query gives several texts and no number")
            told, kinds = self._sound(sql).description, tuple(sorted(result.reads))
            return Value((), text=str(row[columns[0]]), fixed=fixed, query=sql, description=told, kinds=kinds)
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
            description=self._sound(sql).description,
            within=within,
            kinds=tuple(sorted(result.reads)),
        )

    def _refuse_doubtful(self, same: Callable[..., bool], result: SqlResult, columns: list[int]) -> None:
        """Raises where a result depends on rows that are doubtful, or that were refused."""
        doubts: dict[str, Callable[[str], str | None]] = {
            _WITHOUT_DOUBTFUL: self._evidence.doubt,
            _WITH_REFUSED: self._evidence.refusal,
        }
        for form, reason_of in doubts.items():
            doubt = next((reason for kind in sorted(result.reads) if (reason := reason_of(kind)) is not None), None)
            if doubt is not None and not all(same(form, at, or_nothing=False) for at in columns):
                raise MissingEvidenceError(f"it depends on {doubt}")

    def _fixed(
        self, same: Callable[..., bool], described: SqlResult, result: SqlResult, place: int, columns: list[int]
    ) -> str | None:
        """What gives a result whatever the records hold; None where they give it."""
        if own := self._undeclared(described):
            return f"a query that brings {', '.join(own[:3])} of its own"
        # Of rows that are not held, some are tried first and all only where need be.
        every = [f"{form}{_EVERY_ROW}" for form in ROW_BY_ROW] if result.reads & self._unheld.keys() else []
        # Words that stand with a number may always be the same.
        telling = [at for at in columns if len(columns) == 1 or not isinstance(result.rows[place][at], str)]
        never_moves = any(all(same(form, at, or_nothing=True) for form in (*FORMS, *every)) for at in telling)
        return _SAME if never_moves else None

    def _undeclared(self, result: SqlResult) -> list[str]:
        """The numbers that a query writes itself, without those that it scales by and the bundle declares."""
        known = declared_constants(self._evidence) if result.description.scales else ()
        scales = [text for text in result.description.scales if Fraction(text) not in known]
        return [*result.description.brought, *scales]

    def _same(
        self, sql: str, within: Within, sealed: SqlResult, place: int, form: str, column: int, *, or_nothing: bool
    ) -> bool:
        """Whether another form of the records gives the same in this place, or, where that will do, nothing."""
        try:
            other = self._run(sql, form, within)
        except RecipeError:
            return or_nothing
        if or_nothing and all(row[column] is None for row in other.rows):
            return True
        if len(other.rows) != len(sealed.rows):
            return or_nothing
        return other.rows[place][column] == sealed.rows[place][column]


def _nothing(result: SqlResult) -> bool:
    return all(value is None for row in result.rows for value in row)


def _altered_parts(frame: KeptFrame, alter: Altering) -> Iterator[pa.Table]:
    return (alter(table, ()) for table in frame.parts(frame.names))
