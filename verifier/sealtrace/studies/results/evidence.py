"""Predictions and measurements as columns that join."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.content import document_digest
from sealtrace.bundle.frames import Index, Mask, plain
from sealtrace.bundle.shapes import arrow_schema
from sealtrace.contract.printed import SharedQueries
from sealtrace.contract.sealing import Completeness, Dataset, Reference
from sealtrace.evidence import Evidence, View, once
from sealtrace.paper.table_records import RecipeRecord
from sealtrace.recipes.cells import tables_in
from sealtrace.studies.results.joins import Gap, combinations, contradicting, incomplete, unmatched

if TYPE_CHECKING:
    from sealtrace.examination import Examination

_SELECTED = re.compile(r"\b(\w++)\s*+(?:=|\bIN\s*\()\s*'|GROUP\s+BY\s+([\w\s,]+)", re.IGNORECASE)
"""Fields by whose values a query selects or groups."""
_COMPARED = re.compile(r"\b(?:\w+\.)?([A-Za-z_]\w*)\s*(?:=|<>|!=)\s*(?:\w+\.)?([A-Za-z_]\w*)\b")


class Results(View):
    """Datasets, labels, predictions, measurements and runs."""

    @cached_property
    def declarations(self) -> dict[str, Dataset]:
        """The sound declarations, by the name of their dataset."""
        records = (document.record for document in self.bundle.sealed(Dataset))
        return {record.dataset: record for record in records if record.dataset in self.bundle.declared}

    @cached_property
    def declared_at(self) -> dict[str, str]:
        """Where each dataset is declared."""
        return {document.record.dataset: document.path for document in self.bundle.sealed(Dataset)}

    def target(self, reference: Reference) -> list[str] | None:
        """The fields that a reference points to; None where there is no such dataset or field."""
        there = self.declarations.get(reference.dataset)
        if there is None:
            return None
        fields: list[str] = reference.to or there.key
        known = there.properties
        return fields if len(fields) == len(reference.fields) and all(name in known for name in fields) else None

    def distinct(self, name: str, field: str) -> int:
        """How many values a field of a dataset has."""
        return len(self.frame(name).distinct(field).drop_null())

    def combinations(self, name: str, fields: Sequence[str]) -> int:
        """How many combinations of values some fields of a dataset have."""
        return self._combinations(name, tuple(sorted(set(fields))))

    @once
    def _combinations(self, name: str, fields: tuple[str, ...]) -> int:
        frame = self.frame(name)
        if not frame.repeats and set(frame.key_fields) <= set(fields):
            return frame.size
        return len(frame.distinct(*fields)) if len(fields) == 1 else combinations(frame.columns(fields), fields)

    @cached_property
    def completeness_gaps(self) -> dict[str, list[Gap]]:
        """Combinations that each dataset lacks."""
        return {
            name: [gap for demand in declaration.complete or [] for gap in self._incomplete(name, demand)]
            for name, declaration in self.declarations.items()
            if self.frame(name).size
        }

    def _incomplete(self, name: str, demand: Completeness) -> list[Gap]:
        by, times = demand.by or [], None if demand.several else demand.times or 1
        fields = dict.fromkeys([*by, *(field for group in demand.every for field in group)])
        counted = partial(self.combinations, name)
        return incomplete(self.frame(name).columns(list(fields)), demand.every, by, times, counted)

    @cached_property
    def dependency_gaps(self) -> dict[str, list[Gap]]:
        """Values of each dataset that should be one and are several."""
        return {
            name: [gap for on, field in self.determined(name) for gap in self._contradicting(name, on, field)]
            for name in self.declarations
            if self.frame(name).size
        }

    def _contradicting(self, name: str, on: list[str], field: str) -> list[Gap]:
        """Rows of a dataset that agree in some fields and differ in one that those determine."""
        return contradicting(self.frame(name).columns([*on, field]), on, field)

    @once
    def determined(self, name: str) -> list[tuple[list[str], str]]:
        """What determines which field of a dataset: as declared, and right answers by the item that they are about."""
        declaration = self.declarations[name]
        said = [(rule.on, field) for rule in declaration.depends or [] for field in rule.fields]
        every = [group for demand in declaration.complete or [] for group in demand.every]
        by = [field for demand in declaration.complete or [] for field in demand.by or []]
        groups = every or [[field] for field in declaration.key]
        item = max(groups, key=lambda group: self.combinations(name, group))
        # Items that are numbered anew within each class are told apart by that, and so are their right answers.
        within = [outer for field, outers in self.nested(name) for outer in outers if field in item]
        on = list(dict.fromkeys([*by, *within, *item]))
        answers = self._right_answers(name, on) - set(on)
        if set(declaration.key) - answers <= set(on):
            return said
        # What items are combined with, and what tables compare, determines no right answer, whatever is declared.
        foreign = {field for group in every for field in group} | self._compared - set(by)
        foreign -= set(item)
        for field in sorted(answers):
            declared = [[field for field in fields if field not in foreign] for fields, told in said if told == field]
            alone = min(filter(None, declared), key=len, default=on)
            if not any(told == field and set(fields) <= set(alone) for fields, told in said):
                said.append((alone, field))
        return said

    @property
    def _compared(self) -> set[str]:
        """The fields by which recipes select rows."""
        return {field for recipe in self.recipes for field in (recipe.get("where") or {})}

    def nested(self, name: str) -> list[tuple[str, list[str]]]:
        """Fields of the key whose values belong to one value of others: as declared, or as one determines another."""
        declaration = self.declarations[name]
        found = [
            (one.field, one.within)
            for one in declaration.nested or []
            if {one.field, *one.within} <= set(declaration.key)
        ]
        for rule in declaration.depends or []:
            told = [field for field in rule.fields if field in declaration.key]
            if len(rule.on) == 1 and rule.on[0] in declaration.key and told:
                found.append((rule.on[0], told))
        return found

    def lacking(self, name: str, field: str) -> int | None:
        """How many rows of a dataset lack a field; None where it is no measured number, which alone may be left out."""
        declaration, frame = self.declarations[name], self.frame(name)
        if field in declaration.key or field == declaration.truth or field not in frame.names:
            return None
        form = arrow_schema(frame.form).field(field).type
        measured = pa.types.is_integer(form) or pa.types.is_floating(form)
        flag = measured and set(frame.distinct(field, 3).drop_null().to_pylist()) <= {0, 1}
        return frame.columns([field]).column(0).null_count if measured and not flag else None

    def unequal(self, name: str) -> Iterator[tuple[str, Gap]]:
        """What tables compare by rows that are not the same, where no declaration says which must be there."""
        declaration, frame = self.declarations[name], self.frame(name)
        if declaration.complete or not frame.size:
            return
        queries = " ".join(recipe.get("sql") or "" for recipe in self.recipes)
        named = {word for pair in _SELECTED.findall(queries) for part in pair for word in re.findall(r"\w+", part)}
        apart = {field for _, within in self.nested(name) for field in within}
        for field in sorted((self._compared | named) & set(declaration.key) - apart):
            others = [other for other in declaration.key if other != field]
            gaps = (
                incomplete(frame.columns([field, *others]), [[field], others], [], 1, partial(self.combinations, name))
                if others
                else []
            )
            # Where most are not shared, what is compared was never meant to have the same rows.
            if gaps and 2 * len(gaps) <= self.distinct(name, field) * self.combinations(name, others):
                yield field, gaps[0]

    def flattered(self, name: str) -> Iterator[tuple[str, str, Index]]:
        """Flags that say right mostly where an answer is the right one, and in some rows where it is not."""
        truth, frame = self.declarations[name].truth, self.frame(name)
        if truth is None or not frame.size:
            return
        kinds = arrow_schema(self.bundle.declared[name])
        fields = [field for field in frame.names if field not in (truth, *frame.key_fields)]
        flags = [field for field in fields if pa.types.is_boolean(kinds.field(field).type)]
        answers = [field for field in fields if kinds.field(field).type == kinds.field(truth).type]
        for answer in answers if flags else ():
            right = pc.fill_null(pc.equal(*map(plain, frame.columns([answer, truth]).columns)), False)
            for flag in flags:
                said = pc.fill_null(plain(frame.columns([flag]).column(0)), False)
                too_good = np.flatnonzero(pc.and_not(said, right).to_numpy(zero_copy_only=False))
                too_bad = pc.sum(pc.and_not(right, said)).as_py() or 0
                if len(too_good) and not too_bad and 4 * len(too_good) <= frame.size:
                    yield flag, answer, too_good

    def told_apart(self, name: str) -> Iterator[tuple[str, bool, Gap]]:
        """Right answers that are said to depend on what tables compare: whether few of them do, and the first."""
        for on, field in self.determined(name):
            alone = [field for field in on if field not in self._compared]
            if alone and len(alone) < len(on) and field in self._right_answers(name, on):
                gaps = self._contradicting(name, alone, field)
                if not any(inner in alone and set(outers) & set(on) for inner, outers in self.nested(name)) and gaps:
                    apart = " and ".join(field for field in on if field in self._compared)
                    yield apart, 2 * len(gaps) <= self.combinations(name, alone), gaps[0]

    def same_for_each(self, name: str) -> Iterator[tuple[str, str, str]]:
        """What is declared nested, in what, and the right answers that are the same for equal values everywhere."""
        truth = self.declarations[name].truth
        for inner, outers in self.nested(name) if truth is not None else ():
            assert truth is not None
            told, apart = self.combinations(name, [inner, truth]), self.combinations(name, [inner, *outers])
            values = self.combinations(name, [inner])
            # By chance four shared items agree in their answers at most once in sixteen times.
            if told == values and apart - values >= 4 and self.distinct(name, truth) > 1:
                yield inner, " and ".join(outers), truth

    def _right_answers(self, name: str, on: list[str]) -> set[str]:
        """The fields that predictions are compared with: declared, named by recipes, or told by queries."""
        declaration, table = self.declarations[name], self.frame(name).some
        fields = set(declaration.properties)
        found = {str(truth) for truth in (declaration.truth, *(recipe.get("against") for recipe in self.recipes))}
        shared = [document.record for document in self.bundle.sealed(SharedQueries)]
        texts = [text for one in shared for named in (one.views, one.macros or {}) for text in named.values()]
        for text in (*texts, *(recipe.get("sql") or "" for recipe in self.recipes)):
            for pair in _COMPARED.findall(text):
                if set(pair) <= fields and pair[0] != pair[1]:
                    # Of two answers that are compared, the right one is that which differs less between systems.
                    gaps = {field: len(contradicting(table, on, field)) for field in pair}
                    right = min(pair, key=lambda field: gaps[field])
                    found |= {right} if gaps[right] < gaps[max(pair, key=lambda field: gaps[field])] else set()
        return found & fields

    @cached_property
    def recipes(self) -> list[RecipeRecord]:
        """Every recipe of the bundle's tables."""
        return [recipe for table in tables_in(self.evidence) for recipe in table.recipes]

    @cached_property
    def lost(self) -> dict[tuple[str, int], tuple[Index, Index]]:
        """By dataset and reference: rows that name nothing there, and rows there that nothing names."""
        found = {}
        for name, declaration in self.declarations.items():
            for number, reference in enumerate(declaration.references or []):
                to = self.target(reference)
                if to is None or any(map(self.evidence.unreadable, (name, reference.dataset))):
                    continue
                other, fields, every = reference.dataset, reference.fields, bool(reference.every)
                found[name, number] = here, there = self._unmatched(name, fields, other, to)
                if not every:
                    found[name, number] = here, there[:0]
        return found

    def _unmatched(self, name: str, fields: list[str], other: str, to: list[str]) -> tuple[Index, Index]:
        if len(fields) == 1:
            mine, theirs = self.frame(name).distinct(fields[0]), self.frame(other).distinct(to[0])
            # Values that are the same in the same order are no reason to look at every row.
            if mine.equals(theirs):
                return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return unmatched(self.frame(name).columns(fields), fields, self.frame(other).columns(to), to)

    @cached_property
    def item_of_prediction(self) -> Index:
        """The label that each prediction is about; -1 where none or several are."""
        labels = self.frame("label")
        codes, items = labels.texts("item")
        times = np.bincount(codes[codes >= 0], minlength=len(items))
        place = np.full(len(items) + 1, -1, np.int64)
        place[codes] = np.arange(labels.size)
        place[:-1][times != 1] = -1
        found: Index = place[self.frame("prediction").lookup("item", pa.array(items, pa.string()))]
        return found

    @cached_property
    def predicted(self) -> tuple[list[str], Mask]:
        """The models, and which label each of them predicted exactly once."""
        models, names = self.frame("prediction").texts("model")
        self.evidence.require_memory("models x items", len(names), self.frame("label").size)
        table = np.zeros((len(names), self.frame("label").size), np.bool_)
        known = self.item_of_prediction >= 0
        pairs, times = np.unique(models[known] * table.shape[1] + self.item_of_prediction[known], return_counts=True)
        table.flat[pairs[times == 1]] = True
        return names, table

    @cached_property
    def checkpoints(self) -> frozenset[str]:
        """Digests by which a run can name what is in the bundle: of a file's bytes, or of a document's content."""
        documents = (document_digest(document.value) for document in self.bundle.documents if document.kind != "seal")
        return frozenset(self.bundle.digests.values()) | frozenset(documents)


def doubtful(evidence: Evidence, kind: str) -> Mask | None:
    """The rows of a dataset that do not join as declared; None where it is no dataset."""
    results = evidence.view(Results)
    if kind not in results.declarations:
        return None
    mask = np.zeros(results.frame(kind).size, np.bool_)
    for gap in (*results.completeness_gaps.get(kind, ()), *results.dependency_gaps.get(kind, ())):
        mask[gap.rows] = True
    for (name, number), (here, there) in results.lost.items():
        if name == kind:
            mask[here] = True
        if (results.declarations[name].references or [])[number].dataset == kind:
            mask[there] = True
    return mask


# What the study says of itself


def summary(results: Results, _: Examination) -> dict[str, object]:
    """What the study holds."""
    found = [_dataset(results, name) for name in results.declarations]
    if size := results.frame("label").size:
        found.append(f"{size} labelled items")
    if size := results.frame("prediction").size:
        found.append(f"{size} predictions of {len(results.predicted[0])} models")
    others = {kind: results.frame(kind).size for kind in ("measurement", "run")}
    return {"inspected": [*found, *(f"{size} {kind}s" for kind, size in others.items() if size)]}


def _dataset(results: Results, name: str) -> str:
    """Such as `28,476 predictions: 2,373 id x 3 model x 4 seed`."""
    declaration, frame = results.declarations[name], results.frame(name)
    groups: list[list[str]] = next((demand.every for demand in declaration.complete or []), [])
    sizes = [f"{results.combinations(name, group):,} {'+'.join(group)}" for group in groups] if frame.size else []
    called = name if name.endswith("s") else f"rows of {name}"
    return f"{frame.size:,} {called}" + (f" ({' x '.join(sizes)})" if sizes else "")


def details(_: Results, __: Examination) -> dict[str, object]:
    """A page draws nothing of its own for results."""
    return {}
