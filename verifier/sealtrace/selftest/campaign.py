"""Changes records of a bundle one at a time, and asks the verifier each time.

A changed bundle is one that was sealed anew without a complaint: its records are exchanged after reading, so digests
say nothing, and only what the records mean can be wrong. Digests that records name go on naming the changed records,
as after a consistent resealing. A change counts as found where a check says something else than it did before.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sealtrace.bundle.declared import DeclarationError, opened_rows
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.frames import Frame
from sealtrace.bundle.json_columns import check_table
from sealtrace.bundle.reading import Bundle, Document, Progress
from sealtrace.bundle.shapes import arrow_schema, row_shape
from sealtrace.bundle.stores import Store, read_rows, without_nulls
from sealtrace.contract.kinds import KINDS
from sealtrace.contract.report import CheckResult
from sealtrace.examination import Examination
from sealtrace.printed.numbers import looks_numeric, read_printed
from sealtrace.selftest.mutating import REMOVED, Pointer, changed, pattern, places, rewritings, same_constant, ways
from sealtrace.selftest.undetermined import reason_of

ROWS = 400
"""How many rows of one file are looked at in a sample."""
CELLS = "table /rows/*/cells/*"
SCHEMA = "schema"
"""What finds a record that its schema refuses; no check need run."""
_IDENTITY = frozenset({"seal"})
"""Kinds that are made by sealing: a consistent change of them is a change of what they seal."""


@dataclass(frozen=True)
class Mutant:
    """One change of one record."""

    path: str
    kind: str
    row: int | None
    """The row's place in its file, from zero; None of a document."""
    pointer: Pointer
    """Where in the record; empty where the row as a whole is changed."""
    way: str
    value: Any
    before: Any = None
    """What stood there."""
    split: str | None = None
    """The split of its row, where it names one."""

    @property
    def field(self) -> str:
        """The record's kind and the field, whichever record it is; of a printed cell, also what is changed of it."""
        field = f"{self.kind} {pattern(self.pointer) or '(row)'}"
        return f"{field}{_sense(self.before, self.value)}" if field == CELLS else field

    @property
    def name(self) -> str:
        """The change in one line."""
        row = "" if self.row is None else f":{self.row + 1}"
        return f"{self.path}{row}{''.join(f'/{part}' for part in self.pointer)}: {self.way}"


@dataclass(frozen=True)
class Judged:
    """A change, and the first check that noticed it; None where none did."""

    mutant: Mutant
    found_by: str | None


@dataclass(frozen=True)
class Survey:
    """What became of all changes."""

    judged: list[Judged]
    possible: int
    """How many changes there are, of which these are a sample."""
    false_alarms: list[Judged]
    """Records written otherwise, which say the same and were complained of."""

    @property
    def survivors(self) -> list[Mutant]:
        """Changes that nothing noticed and that nobody has reviewed."""
        unnoticed = [one.mutant for one in self.judged if one.found_by is None]
        return [one for one in unnoticed if reason_of(one.field, one.way, one.split) is None]

    @property
    def undetermined(self) -> dict[str, tuple[int, str]]:
        """Fields that are known to be free: how many changes of each went unnoticed, and why."""
        found: dict[str, tuple[int, str]] = {}
        for one in sorted(self.judged, key=lambda one: one.mutant.field):
            changed = one.mutant
            reason = reason_of(changed.field, changed.way, changed.split) if one.found_by is None else None
            if reason is not None:
                found[one.mutant.field] = (found.get(one.mutant.field, (0, ""))[0] + 1, reason)
        return found


class Campaign:
    """The changes of one bundle."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        examination = Examination(bundle)
        # Cells are asked for now, so that what they compute is there for every change that does not touch it.
        assert examination.report.checks
        self._before = {one.id: _said(one, examination) for one in examination.results.values()}
        self._frames = examination.evidence.frames
        self._likely: dict[str, str] = {}
        self._rows = {
            store.path: [without_nulls(row) for row in store.table.to_pylist(maps_as_pydicts="strict")]
            for store in bundle.stores
        }
        self._lines = {path: [_line(row) for row in rows] for path, rows in self._rows.items()}

    def run(
        self,
        sample: int | None = None,
        seed: int = 0,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> Survey:
        """Judges all changes, or a random sample of them, and some rewritings; fewer where the seconds are over."""
        end = None if seconds is None else time.monotonic() + seconds
        chance = random.Random(seed)
        every = list(self.mutants(None if sample is None else chance))
        chosen = every if sample is None or sample >= len(every) else chance.sample(every, sample)
        written = list(self.rewritten())
        rewritten = written if sample is None else chance.sample(written, min(len(written), max(10, sample // 10)))
        judged: list[Judged] = []
        alarms: list[Judged] = []
        due = [(alarms, one) for one in rewritten] + [(judged, one) for one in chosen]
        if sample is not None:
            chance.shuffle(due)  # whatever the seconds allow is a sample of both
        for number, (into, mutant) in enumerate(due, 1):
            into.append(Judged(mutant, self.noticed(mutant)))
            if progress:
                progress("changing records", number, len(due))
            if end is not None and time.monotonic() > end:
                break
        return Survey(judged, len(every), [one for one in alarms if one.found_by is not None])

    # Changes

    def mutants(self, chance: random.Random | None = None) -> Iterator[Mutant]:
        """Every change; with `chance`, of long files only those of some rows."""
        for document in self._documents():
            pools = _pools([document.value])
            yield from _changes(document.path, document.kind, None, document.value, pools)
        for store in self._bundle.stores:
            rows = self._rows[store.path]
            pools = _pools(rows)
            places_of_rows = range(len(rows))
            if chance is not None and len(rows) > ROWS:
                places_of_rows = sorted(chance.sample(places_of_rows, ROWS))  # type: ignore[assignment]
            for place in places_of_rows:
                split = rows[place].get("split")
                yield Mutant(store.path, store.kind, place, (), "removed", REMOVED, split=split)
                yield Mutant(store.path, store.kind, place, (), "twice", rows[place], split=split)
                yield from _changes(store.path, store.kind, place, rows[place], pools)

    def rewritten(self) -> Iterator[Mutant]:
        """The same records, written otherwise."""
        for document in self._documents():
            for way, value in rewritings(document.value):
                yield Mutant(document.path, document.kind, None, (), way, value)
        for store in self._bundle.stores:
            for place, row in enumerate(self._rows[store.path][:ROWS]):
                for pointer, value in [((), row), *places(row)]:
                    for way, new in rewritings(value):
                        yield Mutant(store.path, store.kind, place, pointer, way, new)

    def _documents(self) -> list[Document]:
        return [one for one in self._bundle.documents if one.fits and one.kind not in _IDENTITY]

    # Judging

    def noticed(self, mutant: Mutant) -> str | None:
        """The first check that says something else of the changed bundle than of the bundle; None where none does."""
        bundle = self._document_changed(mutant) if mutant.row is None else self._row_changed(mutant)
        if bundle is None:
            return SCHEMA
        frames = {kind: frame for kind, frame in self._frames.items() if kind != mutant.kind}
        # What noticed the last change of this field is asked first: mostly it notices this one, too.
        likely = self._likely.get(mutant.field)
        found = self._asked(bundle, frames, None if likely is None else frozenset({likely}))
        if found is None and likely is not None:
            found = self._asked(bundle, frames, None)
        if found is not None:
            self._likely[mutant.field] = found
        return found

    def _asked(self, bundle: Bundle, frames: dict[str, Frame], chosen: frozenset[str] | None) -> str | None:
        found: list[str] = []

        def differs(result: CheckResult, examination: Examination) -> bool:
            if _said(result, examination) != self._before[result.id]:
                found.append(result.id)
            return bool(found)

        Examination(bundle, chosen, frames=dict(frames), until=differs)
        return found[0] if found else None

    def _document_changed(self, mutant: Mutant) -> Bundle | None:
        documents = list(self._bundle.documents)
        place = next(place for place, one in enumerate(documents) if one.path == mutant.path)
        value = changed(documents[place].value, mutant.pointer, mutant.value) if mutant.pointer else mutant.value
        if misfits_of(mutant.kind, value) or (mutant.kind == "protocol" and self._refuses_rows(value)):
            return None
        documents[place] = replace(documents[place], value=value)
        name = value["study"] if mutant.kind == "protocol" else self._bundle.name
        return replace(self._bundle, documents=documents, name=name)

    def _refuses_rows(self, protocol: dict[str, Any]) -> bool:
        """Whether the fields that a protocol declares are not those of the rows, so that reading would say so."""
        for store in self._bundle.stores:
            try:
                form = opened_rows(store.kind, protocol) if store.kind in KINDS else store.form
            except DeclarationError:
                return True
            if form == store.form:
                continue
            refused: list[int] = []
            if arrow_schema(form) != arrow_schema(store.form):
                return True
            check_table(store.table, row_shape(form), lambda row, *_: refused.append(row))
            if refused:
                return True
        return False

    def _row_changed(self, mutant: Mutant) -> Bundle | None:
        assert mutant.row is not None
        lines, row = list(self._lines[mutant.path]), mutant.row
        if mutant.way == "removed" and not mutant.pointer:
            del lines[row]
        elif mutant.way == "twice":
            lines.append(lines[row])
        elif not mutant.pointer:
            lines[row] = _line(mutant.value)
        else:
            lines[row] = _line(changed(self._rows[mutant.path][row], mutant.pointer, mutant.value))
        form = next((one.form for one in self._bundle.stores if one.path == mutant.path), mutant.kind)
        store = read_rows(b"".join(lines), mutant.path, form, "jsonl")
        if store.misfits.total or store.syntax.total:
            return None
        return replace(self._bundle, stores=[_in_place(store, one) for one in self._bundle.stores])


def _sense(before: Any, after: Any) -> str:
    """What a change of a printed cell changes: words, the unit behind a number, how finely it is printed, or all."""
    old = read_printed(str(before))
    if old is None or not old.numeric:
        return "" if looks_numeric(str(before)) else " (words)"
    new = read_printed(after) if isinstance(after, str) else None
    if new is None or [part.role for part in new.parts] != [part.role for part in old.parts]:
        return ""
    pairs = list(zip(old.parts, new.parts, strict=True))
    if all((one.value, one.unit, one.relation) == (other.value, other.unit, other.relation) for one, other in pairs):
        return " (unit)"
    coarser = all(other.low <= one.low and one.high <= other.high for one, other in pairs)
    return " (coarser)" if coarser else ""


def _in_place(new: Store, old: Store) -> Store:
    return new if new.path == old.path else old


def _changes(path: str, kind: str, row: int | None, record: Any, pools: dict[str, list[Any]]) -> Iterator[Mutant]:
    split = record.get("split") if isinstance(record, dict) else None
    for pointer, value in places(record):
        other = next((one for one in pools.get(pattern(pointer), ()) if one != value), None)
        for way, new in ways(value, () if other is None else (other,)):
            if not same_constant(value, new):
                yield Mutant(path, kind, row, pointer, way, new, value, split if isinstance(split, str) else None)


def _pools(records: list[Any]) -> dict[str, list[Any]]:
    """For each field two values that stand there: one of them differs from any."""
    found: dict[str, list[Any]] = {}
    for record in records:
        for pointer, value in places(record):
            pool = found.setdefault(pattern(pointer), [])
            if len(pool) < 2 and isinstance(value, str | int | float | bool) and value not in pool:
                pool.append(value)
    return found


def _said(result: CheckResult, examination: Examination) -> tuple[object, ...]:
    counts = examination.outcomes[result.id].counts
    # The reason says how many cells nothing accounts for, also where the verdict was not a good one before.
    return result.status, result.reason, counts["error"], counts["warning"]


def _line(row: Any) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"
