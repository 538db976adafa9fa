"""Predicted labels against true ones. Labels are integers from zero; everything is a count or a fraction of counts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sealtrace.studies.results.mathematics.summaries import Codes
from sealtrace.studies.results.mathematics.sums import UndefinedError

SCORES = ("precision", "recall", "f1")
AVERAGES = ("macro", "micro", "weighted")


Confusion = npt.NDArray[np.int64]
"""How often each true label (row) was given each label (column)."""


def confusion(truth: Codes, predicted: Codes, labels: int) -> Confusion:
    """The confusion counts of two columns."""
    if len(truth) != len(predicted):
        raise ValueError("two columns of one table have the same length")
    if not len(truth):
        raise UndefinedError("there are no predictions")
    return np.bincount(truth * labels + predicted, minlength=labels * labels).reshape(labels, labels)


def class_score(table: Confusion, score: str, label: int, undefined: str = "zero") -> Fraction:
    """Precision, recall or F1 of one label.

    Where nothing was predicted there is no precision, and where nothing is true no recall: `undefined` says whether
    that counts as zero, as it does in scikit-learn, or is an error.
    """
    return _score(score, table, [label], undefined)


def average_score(
    table: Confusion, score: str, average: str, labels: list[int] | None = None, undefined: str = "zero"
) -> Fraction:
    """Precision, recall or F1 over labels: `macro` (each label once), `weighted` (by support), `micro` (pooled)."""
    chosen = list(range(len(table))) if labels is None else labels
    if not chosen:
        raise UndefinedError("an average over no labels")
    if average == "micro":
        return _score(score, table, chosen, undefined)
    scores = [class_score(table, score, label, undefined) for label in chosen]
    if average == "macro":
        return sum(scores, Fraction(0)) / len(chosen)
    if average != "weighted":
        raise ValueError(f"no average is called {average!r}")
    supports: list[int] = table[chosen].sum(axis=1).tolist()
    if not sum(supports):
        raise UndefinedError("none of the labels is ever the true one")
    return sum((s * n for s, n in zip(scores, supports, strict=True)), Fraction(0)) / sum(supports)


def _score(score: str, table: Confusion, labels: list[int], undefined: str) -> Fraction:
    """Of some labels pooled: their hits by how often they were given, or true, or both."""
    hits = int(table[labels, labels].sum())
    predicted, support = int(table[:, labels].sum()), int(table[labels].sum())
    above, below = {"precision": (hits, predicted), "recall": (hits, support), "f1": (2 * hits, predicted + support)}[
        score
    ]
    if below:
        return Fraction(above, below)
    if undefined == "zero":
        return Fraction(0)
    raise UndefinedError(f"the {score} of a label that was never {'predicted' if score == 'precision' else 'true'}")
