"""Predictions and measurements as columns that join."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sealtrace.bundle.content import document_digest
from sealtrace.bundle.frames import Index, Mask
from sealtrace.evidence import Evidence


class Results(Evidence):
    """Labels, predictions, measurements and runs."""

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
        table = np.zeros((len(names), self.frame("label").size), np.int64)
        known = self.item_of_prediction >= 0
        np.add.at(table, (models[known], self.item_of_prediction[known]), 1)
        return names, table == 1

    @cached_property
    def checkpoints(self) -> frozenset[str]:
        """Digests by which a run can name what is in the bundle: of a file's bytes, or of a document's content."""
        documents = (document_digest(document.value) for document in self.bundle.documents if document.kind != "seal")
        return frozenset(self.bundle.digests.values()) | frozenset(documents)
