"""Changes records of a bundle one at a time, and asks the verifier each time.

A changed bundle is one that was sealed anew without a complaint: its records are exchanged after reading, so digests
say nothing, and only what the records mean can be wrong. Digests that records name go on naming the changed records,
as after a consistent resealing. A change counts as found where a check says something else than it did before.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pyarrow as pa

from campaign.grounds import Ground, TouchedError, ground_without
from campaign.known import Rerun, evidence_of_other
from campaign.mutating import REMOVED, Pointer, altered, pattern, places, rewritings, same_constant, ways
from campaign.undetermined import OF_STATUS, reason_of
from remembering import remembering
from sealtrace.bundle.budget import Budget
from sealtrace.bundle.documents import declared_rows, fitted, opened_rows
from sealtrace.bundle.identity import dataset_of
from sealtrace.bundle.json_columns import check_table
from sealtrace.bundle.model import Bundle, Document, Progress
from sealtrace.bundle.shapes import DeclarationError, arrow_schema, row_key, row_shape
from sealtrace.bundle.stores import Store, read_rows, without_nulls
from sealtrace.contract.kinds import KINDS
from sealtrace.contract.result import CheckResult
from sealtrace.examination import Examination
from sealtrace.paper.numbers import looks_numeric, read_printed

ROWS = 400
"""How many rows of one file are looked at in a sample."""
ROUND = 200
"""How many groups of changes are drawn before they are put in the order of their kinds."""
TOGETHER = 60
"""How many changes of one field are made at once."""
GROUNDS = 4
"""For how many kinds or documents what does not depend on them is held: of a large study each may take 600 MB."""
CELLS = "table /rows/*/cells/*"
SCHEMA = "schema"
"""What finds a record that its schema refuses; no check need run."""
_WHOLE = {"removed": 0, "twice": 2}
"""Changes of a row as a whole, and how often it is there afterwards."""
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
    free: str | None = None
    """Why it may go unnoticed; None where it may not."""


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
        return [change.mutant for change in self.judged if change.found_by is None and change.free is None]

    @property
    def undetermined(self) -> dict[str, tuple[int, str]]:
        """Fields that are known to be free: how many changes of each went unnoticed, and why."""
        found: dict[str, tuple[int, str]] = {}
        for change in sorted(self.judged, key=lambda change: change.mutant.field):
            if change.found_by is None and change.free is not None:
                found[change.mutant.field] = (found.get(change.mutant.field, (0, ""))[0] + 1, change.free)
        return found


class Campaign:
    """The changes of one bundle."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._decided: dict[Hashable, Any] = {}
        """What is known of relations between printed numbers."""
        with remembering(self._decided):
            self.before = Examination(bundle)
        self._said = {result.id: _said(result, self.before) for result in self.before.results.values()}
        self._findings = {finding.name for outcome in self.before.outcomes.values() for finding in outcome.findings}
        self._grounds: dict[tuple[str, str | None], Ground] = {}
        self._likely: dict[str, str] = {}
        printed = self.before.printed
        self._printed_again = {table.path for table in printed.tables if printed.in_manuscripts(table)}
        """Tables that are read again from a sealed manuscript."""
        self._statuses = {
            (result.cell.record, result.cell.pointer): result.status.value for result in self.before.cells
        }
        self._scoring = set((self.before.evidence.protocol.get("evaluators") or {}).values())
        """The evaluators whose values score records repeat."""
        self._stores = {store.path: store for store in bundle.stores}
        self._row = lru_cache(10_000)(self._row_of)

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
        chosen, possible = _drawn(self.mutants(None if sample is None else chance), sample, chance)
        rewritten, _ = _drawn(self.rewritten(), None if sample is None else max(10, sample // 10), chance)
        judged: list[Judged] = []
        alarms: list[Judged] = []
        due = [(alarms, some) for some in self._together(rewritten)]
        due += [(judged, some) for some in self._together(chosen)]
        if sample is not None:
            chance.shuffle(due)  # whatever the seconds allow is a sample of both
            for start in range(0, len(due), ROUND):
                # What one kind needs is made once in a round.
                due[start : start + ROUND] = sorted(
                    due[start : start + ROUND], key=lambda group: (group[1][0].kind, group[1][0].path)
                )
        for into, some in due:
            found = self.complained_of(some) if into is alarms else self.noticed_each(some)
            into += [Judged(mutant, check, self.free(mutant)) for mutant, check in zip(some, found, strict=True)]
            if progress:
                progress("changing records", len(judged) + len(alarms), len(chosen) + len(rewritten))
            if end is not None and time.monotonic() > end:
                break
        return Survey(judged, possible, [change for change in alarms if change.found_by is not None])

    # Changes

    def mutants(self, chance: random.Random | None = None) -> Iterator[Mutant]:
        """Every change; with `chance`, of long files only those of some rows."""
        for document in self._documents():
            pools = _pools([document.value])
            yield from _changes(document.path, document.kind, None, document.value, pools)
        for store in self._bundle.stores:
            numbers: Sequence[int] = range(store.table.num_rows)
            if chance is not None and len(numbers) > ROWS:
                numbers = sorted(chance.sample(numbers, ROWS))
            pools = _pools([row for _number, row in _rows_at(store.table, numbers[: 2 * ROWS])])
            for number, row in _rows_at(store.table, numbers):
                yield Mutant(store.path, store.kind, number, (), "removed", REMOVED)
                yield Mutant(store.path, store.kind, number, (), "twice", row)
                yield from _changes(store.path, store.kind, number, row, pools)

    def _together(self, mutants: list[Mutant]) -> list[list[Mutant]]:
        """Changes in groups that can be judged at once: of one field of different records in one file."""
        groups: dict[tuple[Hashable, ...], list[list[Mutant]]] = {}
        found: list[list[Mutant]] = []
        times: Counter[Hashable] = Counter()
        for mutant in mutants:
            if mutant.row is None or (not mutant.pointer and mutant.way in _WHOLE):
                found.append([mutant])
                continue
            # A record comes once into a group: its second change opens the next one.
            key = mutant.path, mutant.field
            record = (*key, self._told_apart(mutant))
            times[record] += 1
            group = groups.setdefault((*key, times[record]), [[]])
            if len(group[-1]) == TOGETHER:
                group.append([])
            group[-1].append(mutant)
        return [*found, *(some for group in groups.values() for some in group)]

    def rewritten(self) -> Iterator[Mutant]:
        """The same records, written otherwise."""
        for document in self._documents():
            for way, value in rewritings(document.value):
                yield Mutant(document.path, document.kind, None, (), way, value)
        for store in self._bundle.stores:
            for number, row in _rows_at(store.table, range(min(ROWS, store.table.num_rows))):
                for pointer, value in [((), row), *places(row)]:
                    for way, new in rewritings(value):
                        yield Mutant(store.path, store.kind, number, pointer, way, new)

    def _documents(self) -> list[Document]:
        return [document for document in self._bundle.documents if document.fits and document.kind not in _IDENTITY]

    # Judging

    def noticed(self, mutant: Mutant) -> str | None:
        """The first check that says something else of the changed bundle than of the bundle; None where none does."""
        if (bundle := self.changed(mutant)) is None:
            return SCHEMA
        # What noticed the last change of this field is asked first: mostly it notices this one, too.
        likely = self._likely.get(mutant.field)
        found = None if likely is None else self._differing(bundle, mutant, frozenset({likely}))
        if found is None:
            found = self._differing(bundle, mutant, None)
        if found is not None:
            self._likely[mutant.field] = found
        return found

    def noticed_each(self, mutants: list[Mutant]) -> list[str | None]:
        """The same of changes of one field in several rows of a file, each of which its first key field tells apart.

        They are made at once. What is said of a changed record tells that its change is noticed; where nothing is said
        at all, none is. All others are judged one by one, and so is what would be a hole.
        """
        if len(mutants) == 1 or (likely := self._likely.get(mutants[0].field)) is None:
            first = self.noticed(mutants[0])
            return [first, *(self.noticed_each(mutants[1:]) if mutants[1:] else [])]
        accepted, bundle = self._rows_changed(mutants)
        found = [None if mutant in accepted else SCHEMA for mutant in mutants]
        if accepted:
            said = self._examined(bundle, accepted[0], frozenset({likely}))
            named = {
                value: finding.check
                for check in said.outcomes.values()
                for finding in check.findings
                if finding.severity != "note" and finding.name not in self._findings
                for value in (finding.key or {}).items()
            }
            found = [known or named.get(self._told_apart(mutant)) for known, mutant in zip(found, mutants, strict=True)]
            left = [mutant for mutant, known in zip(mutants, found, strict=True) if known is None]
            alone = len(left) == 1 or (left and self._differing(self._rows_changed(left)[1], left[0], None) is not None)
            for place, mutant in enumerate(mutants):
                if found[place] is None and (alone or self.free(mutant) is None):
                    found[place] = self.noticed(mutant)
        return found

    def complained_of(self, rewritten: list[Mutant]) -> list[str | None]:
        """The same of records that are only written otherwise: all at once, as nothing should be said of any."""
        if len(rewritten) > 1:
            accepted, bundle = self._rows_changed(rewritten)
            if len(accepted) == len(rewritten) and self._differing(bundle, rewritten[0], None) is None:
                return [None] * len(rewritten)
        return [self.noticed(mutant) for mutant in rewritten]

    def free(self, mutant: Mutant) -> str | None:
        """Why a change may go unnoticed; None where it may not."""
        again = mutant.path in self._printed_again
        reason = reason_of(mutant.field, mutant.way, self._groups_of(mutant), printed_again=again)
        place = mutant.path, "".join(f"/{part}" for part in mutant.pointer)
        return reason or OF_STATUS.get(self._statuses.get(place, ""))

    def _groups_of(self, mutant: Mutant) -> list[str]:
        """What else a row belongs to that decides whether anything rests on it."""
        if mutant.row is None:
            return []
        row = self._row(mutant.path, mutant.row)
        unscored = mutant.kind == "values" and row["evaluator"] not in self._scoring
        unclocked = mutant.kind == "attempt" and not any(
            "throughput" in json.dumps(document.value) for document in self._bundle.documents_of("table")
        )
        named = [row[name] for name in ("split", "phase") if row.get(name)]
        return [*named, *(["unscored"] if unscored else []), *(["unclocked"] if unclocked else [])]

    def _told_apart(self, mutant: Mutant) -> tuple[str, str]:
        """What tells a row from the others that are changed with it: its first key field."""
        assert mutant.row is not None
        name = row_key(self._stores[mutant.path].form)[0]
        return name, str(self._row(mutant.path, mutant.row).get(name))

    def _row_of(self, path: str, number: int) -> dict[str, Any]:
        """One row of a file as a record. Long files are never held as records: they would not fit."""
        return next(row for _number, row in _rows_at(self._stores[path].table, [number]))

    def _differing(self, bundle: Bundle, mutant: Mutant, chosen: frozenset[str] | None) -> str | None:
        """The first check that does not say what it said before."""
        found: list[str] = []

        def differs(result: CheckResult, examination: Examination) -> bool:
            if _said(result, examination) != self._said[result.id]:
                found.append(result.id)
            return bool(found)

        self._examined(bundle, mutant, chosen, differs)
        return found[-1] if found else None

    def _examined(
        self,
        bundle: Bundle,
        mutant: Mutant,
        chosen: frozenset[str] | None,
        until: Callable[[CheckResult, Examination], bool] | None = None,
    ) -> Examination:
        # Each verification is a run of its own: thousands of them last longer than one may.
        bundle = replace(bundle, budget=Budget())
        with remembering(dict(self._decided)):
            if [store.form for store in bundle.stores] != [store.form for store in self._bundle.stores]:
                return Rerun(bundle, chosen, until)  # rows that nobody changed mean something else
            ground = self._ground(mutant.kind, mutant.path if mutant.row is None else None)
            try:
                known = evidence_of_other(ground.evidence, bundle, mutant.kind)
                return Rerun(bundle, chosen, until, known, ground.settled)
            except TouchedError:
                # Something that is known without these records wants them after all: everything is computed anew.
                return Rerun(bundle, chosen, until, settled=ground.settled)

    def _ground(self, kind: str, path: str | None) -> Ground:
        """What stays when the records of a kind change, or of a document, that document alone."""
        if (kind, path) not in self._grounds:
            known = None if path is None else self._ground(kind, None)
            while len(self._grounds) >= GROUNDS:
                self._grounds.pop(next(iter(self._grounds)))
            self._grounds[kind, path] = ground_without(kind, path, self.before, known)
        return self._grounds[kind, path]

    def changed(self, mutant: Mutant) -> Bundle | None:
        """The bundle with a change; None where a schema refuses it."""
        if mutant.row is None:
            return self._document_changed(mutant)
        accepted, bundle = self._rows_changed([mutant])
        return bundle if accepted else None

    def _document_changed(self, mutant: Mutant) -> Bundle | None:
        documents = list(self._bundle.documents)
        place = next(place for place, document in enumerate(documents) if document.path == mutant.path)
        value = altered(documents[place].value, mutant.pointer, mutant.value) if mutant.pointer else mutant.value
        _, record = fitted(mutant.kind, value)
        if record is None or (stores := self._declared_by(mutant, value)) is None:
            return None
        documents[place] = replace(documents[place], value=value, record=record)
        name = value["study"] if mutant.kind == "protocol" else self._bundle.name
        return replace(self._bundle, documents=documents, name=name, stores=stores)

    def _declared_by(self, mutant: Mutant, value: dict[str, Any]) -> list[Store] | None:
        """The rows as a changed document declares them; None where reading would refuse it, or them."""
        found = []
        for store in self._bundle.stores:
            try:
                form = store.form
                if mutant.kind == "protocol" and store.kind in KINDS:
                    form = opened_rows(store.kind, value)
                elif mutant.kind == "dataset" and dataset_of(mutant.path) == store.kind:
                    form = declared_rows(value)
            except DeclarationError:
                return None
            if form != store.form:
                refused: list[int] = []
                if arrow_schema(form) != arrow_schema(store.form):
                    return None
                check_table(store.table, row_shape(form), lambda row, *_, refused=refused: refused.append(row))
                if refused:
                    return None
            found.append(replace(store, form=form))
        return found

    def _rows_changed(self, mutants: list[Mutant]) -> tuple[list[Mutant], Bundle]:
        """The bundle with some rows of one file changed, as far as their schema accepts them; only these are read."""
        store = self._stores[mutants[0].path]
        accepted = []
        table, done, parts = store.table, 0, []
        for mutant in sorted(mutants, key=lambda mutant: mutant.row or 0):
            assert mutant.row is not None
            row = self._row(mutant.path, mutant.row)
            if mutant.pointer:
                row = altered(row, mutant.pointer, mutant.value)
            elif mutant.way not in _WHOLE:
                row = mutant.value
            read = read_rows(_line(row), mutant.path, store.form, "jsonl")
            if read.misfits.total or read.syntax.total:
                continue
            accepted.append(mutant)
            times = 1 if mutant.pointer else _WHOLE.get(mutant.way, 1)
            parts += [table.slice(done, mutant.row - done), *[read.table.cast(table.schema)] * times]
            done = mutant.row + 1
        whole = pa.concat_tables([*parts, table.slice(done)])
        new = replace(store, table=whole, rows=range(1, whole.num_rows + 1), whole=whole, count=whole.num_rows)
        stores = [new if other.path == store.path else other for other in self._bundle.stores]
        return accepted, replace(self._bundle, stores=stores)


def _sense(before: Any, after: Any) -> str:
    """What a change of a printed cell changes: words, the unit behind a number, how finely it is printed, or all."""
    old = read_printed(str(before))
    if old is None or not old.numeric:
        return "" if looks_numeric(str(before)) else " (words)"
    new = read_printed(after) if isinstance(after, str) else None
    if new is None or [part.role for part in new.parts] != [part.role for part in old.parts]:
        return ""
    pairs = list(zip(old.parts, new.parts, strict=True))
    if all(
        (old_number.value, old_number.unit, old_number.relation) == (other.value, other.unit, other.relation)
        for old_number, other in pairs
    ):
        return " (unit)"
    coarser = all(
        other.low <= old_number.value <= other.high and other.high - other.low > old_number.high - old_number.low
        for old_number, other in pairs
    )
    return " (coarser)" if coarser else ""


def _changes(path: str, kind: str, row: int | None, record: Any, pools: dict[str, list[Any]]) -> Iterator[Mutant]:
    for pointer, value in places(record):
        other = next((taken for taken in pools.get(pattern(pointer), ()) if taken != value), None)
        for way, new in ways(value, () if other is None else (other,)):
            if not same_constant(value, new):
                yield Mutant(path, kind, row, pointer, way, new, value)


def _rows_at(table: pa.Table, numbers: Sequence[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of a table as records, a stretch at a time."""
    for start in range(0, len(numbers), ROWS):
        stretch = list(numbers[start : start + ROWS])
        for number, row in zip(stretch, table.take(stretch).to_pylist(maps_as_pydicts="strict"), strict=True):
            yield number, without_nulls(row)


def _drawn(mutants: Iterable[Mutant], size: int | None, chance: random.Random) -> tuple[list[Mutant], int]:
    """So many of them, each with the same chance, or all; and how many there are. No others are held."""
    kept: list[Mutant] = []
    possible = 0
    for possible, mutant in enumerate(mutants, 1):
        if size is None or len(kept) < size:
            kept.append(mutant)
        elif (place := chance.randrange(possible)) < size:
            kept[place] = mutant
    return kept, possible


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
