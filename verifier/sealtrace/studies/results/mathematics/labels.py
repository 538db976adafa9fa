"""Predicted labels against true ones. Labels are integers from zero; everything is a count or a fraction of counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sealtrace.studies.results.mathematics.summaries import Codes
from sealtrace.studies.results.mathematics.sums import UndefinedError

SCORES = ("precision", "recall", "f1")
AVERAGES = ("macro", "micro", "weighted")


@dataclass(frozen=True)
class Confusion:
    """How often each true label (row) was given each label (column)."""

    counts: npt.NDArray[np.int64]

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def hits(self, label: int) -> int:
        return int(self.counts[label, label])

    def support(self, label: int) -> int:
        """How often the label is the true one."""
        return int(self.counts[label].sum())

    def predicted(self, label: int) -> int:
        """How often the label was given."""
        return int(self.counts[:, label].sum())


def confusion(truth: Codes, predicted: Codes, labels: int) -> Confusion:
    """The confusion counts of two columns."""
    if len(truth) != len(predicted):
        raise ValueError("two columns of one table have the same length")
    if not len(truth):
        raise UndefinedError("there are no predictions")
    flat = np.bincount(truth * labels + predicted, minlength=labels * labels)
    return Confusion(flat.reshape(labels, labels))


def class_score(table: Confusion, score: str, label: int, undefined: str = "zero") -> Fraction:
    """Precision, recall or F1 of one label.

    Where nothing was predicted there is no precision, and where nothing is true no recall: `undefined` says whether
    that counts as zero, as it does in scikit-learn, or is an error.
    """
    return _score(score, table.hits(label), table.predicted(label), table.support(label), undefined)


def average_score(
    table: Confusion, score: str, average: str, labels: list[int] | None = None, undefined: str = "zero"
) -> Fraction:
    """Precision, recall or F1 over labels: `macro` (each label once), `weighted` (by support), `micro` (pooled)."""
    chosen = list(range(len(table.counts))) if labels is None else labels
    if not chosen:
        raise UndefinedError("an average over no labels")
    supports = [table.support(label) for label in chosen]
    if average == "micro":
        hits, predicted = (sum(map(count, chosen)) for count in (table.hits, table.predicted))
        return _score(score, hits, predicted, sum(supports), undefined)
    scores = [class_score(table, score, label, undefined) for label in chosen]
    if average == "macro":
        return sum(scores, Fraction(0)) / len(chosen)
    if average == "weighted":
        if not sum(supports):
            raise UndefinedError("none of the labels is ever the true one")
        return sum((s * n for s, n in zip(scores, supports, strict=True)), Fraction(0)) / sum(supports)
    raise ValueError(f"no average is called {average!r}")


def _score(score: str, hits: int, predicted: int, support: int, undefined: str) -> Fraction:
    above, below = {"precision": (hits, predicted), "recall": (hits, support), "f1": (2 * hits, predicted + support)}[
        score
    ]
    if below:
        return Fraction(above, below)
    if undefined == "zero":
        return Fraction(0)
    raise UndefinedError(f"the {score} of a label that was never {'predicted' if score == 'precision' else 'true'}")
