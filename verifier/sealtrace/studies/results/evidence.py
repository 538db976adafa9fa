"""Predictions and measurements as columns that join."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from sealtrace.bundle.content import document_digest
from sealtrace.bundle.frames import Index, Mask
from sealtrace.evidence import Evidence
from sealtrace.studies.results.joins import Gap, contradicting, incomplete, unknown


class Results(Evidence):
    """Datasets, labels, predictions, measurements and runs."""

    @cached_property
    def declarations(self) -> dict[str, dict[str, Any]]:
        """The sound declarations, by the name of their dataset."""
        sound = self.bundle.declared
        return {
            one.value["dataset"]: one.value
            for one in self.bundle.documents_of("dataset")
            if one.value["dataset"] in sound
        }

    @cached_property
    def declared_at(self) -> dict[str, str]:
        """Where each dataset is declared."""
        return {one.value["dataset"]: one.path for one in self.bundle.documents_of("dataset")}

    def target(self, reference: dict[str, Any]) -> list[str] | None:
        """The fields that a reference points to; None where there is no such dataset or field."""
        there = self.declarations.get(reference["dataset"])
        if there is None:
            return None
        fields: list[str] = reference.get("to") or there["key"]
        known = there["row"]["properties"]
        return fields if len(fields) == len(reference["fields"]) and all(name in known for name in fields) else None

    @cached_property
    def completeness_gaps(self) -> dict[str, list[Gap]]:
        """Combinations that each dataset lacks."""
        return {
            name: [
                gap
                for one in declaration.get("complete") or []
                for gap in incomplete(
                    self.frame(name).table,
                    one["every"],
                    one.get("by") or [],
                    None if one.get("several") else one.get("times") or 1,
                )
            ]
            for name, declaration in self.declarations.items()
            if self.frame(name).size
        }

    @cached_property
    def dependency_gaps(self) -> dict[str, list[Gap]]:
        """Values of each dataset that should be one and are several."""
        return {
            name: [
                gap
                for one in declaration.get("depends") or []
                for field in one["fields"]
                for gap in contradicting(self.frame(name).table, one["on"], field)
            ]
            for name, declaration in self.declarations.items()
            if self.frame(name).size
        }

    @cached_property
    def lost(self) -> dict[tuple[str, int], tuple[Index, Index]]:
        """By dataset and reference: rows that name nothing there, and rows there that nothing names."""
        found = {}
        for name, declaration in self.declarations.items():
            for number, reference in enumerate(declaration.get("references") or []):
                to = self.target(reference)
                if to is None:
                    continue
                here, there = self.frame(name).table, self.frame(reference["dataset"]).table
                back = (
                    unknown(there, to, here, reference["fields"]) if reference.get("every") else np.zeros(0, np.int64)
                )
                found[name, number] = (unknown(here, reference["fields"], there, to), back)
        return found

    @cached_property
    def item_of_prediction(self) -> Index:
        """The label that each prediction is about; -1 where none or several are."""
        labels = self.frame("label")
        codes, items = labels.texts("item")
        times = np.bincount(codes[codes >= 0], minlength=len(items))
        place = np.full(len(items) + 1, -1, np.int64)
        place[codes] = np.arange(labels.size)
        place[:-1][times != 1] = -1
        known = {item: index for index, item in enumerate(items)}
        predicted, texts = self.frame("prediction").texts("item")
        found: Index = place[np.array([known.get(text, -1) for text in texts] or [-1])[predicted]]
        return found

    @cached_property
    def predicted(self) -> tuple[list[str], Mask]:
        """The models, and which label each of them predicted exactly once."""
        models, names = self.frame("prediction").texts("model")
        self.room("models x items", len(names), self.frame("label").size)
        table = np.zeros((len(names), self.frame("label").size), np.int64)
        known = self.item_of_prediction >= 0
        np.add.at(table, (models[known], self.item_of_prediction[known]), 1)
        return names, table == 1

    @cached_property
    def checkpoints(self) -> frozenset[str]:
        """Digests by which a run can name what is in the bundle: of a file's bytes, or of a document's content."""
        documents = (document_digest(document.value) for document in self.bundle.documents if document.kind != "seal")
        return frozenset(self.bundle.digests.values()) | frozenset(documents)


def doubtful(evidence: Evidence, kind: str) -> Mask | None:
    """The rows of a dataset that do not join as declared; None where it is no dataset."""
    results = evidence.seen_as(Results)
    if kind not in results.declarations:
        return None
    mask = np.zeros(results.frame(kind).size, np.bool_)
    for gap in (*results.completeness_gaps.get(kind, ()), *results.dependency_gaps.get(kind, ())):
        mask[gap.rows] = True
    for (name, number), (here, there) in results.lost.items():
        if name == kind:
            mask[here] = True
        if (results.declarations[name].get("references") or [])[number]["dataset"] == kind:
            mask[there] = True
    return mask
