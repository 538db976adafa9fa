"""Given labels against true ones, from three counts of each label.

Every score is written once, with labels on the last axis. Of whole numbers it is an exact fraction; of doubles, which
may be those of many runs at once, it is a double. What is divided by nothing is zero, as in scikit-learn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sealtrace.statistics.sums import UndefinedError, root

SCORES = ("precision", "recall", "f1")
AVERAGES = ("macro", "micro", "weighted")

Counts = npt.NDArray[Any]
"""Whole numbers, or doubles of many runs; labels are on the last axis."""
Codes = npt.NDArray[np.int64]
"""Labels as places in a list of names."""


@dataclass(frozen=True)
class Margins:
    """Of each label: how often it was given rightly, was true, and was given."""

    hits: Counts
    support: Counts
    given: Counts
    rows: Any
    """How many rows there are, with whatever label."""

    def shares(self, counts: Counts) -> Any:
        """Counts of labels as shares of all rows."""
        return ratio(counts, np.asarray(self.rows)[..., None])

    def of_labels(self, labels: list[int]) -> Margins:
        """The counts of some labels only."""
        return Margins(self.hits[..., labels], self.support[..., labels], self.given[..., labels], self.rows)

    def pooled(self) -> Margins:
        """The sums over all labels, as if they were one."""
        hits, support, given = (counts.sum(axis=-1, keepdims=True) for counts in (self.hits, self.support, self.given))
        return Margins(hits, support, given, self.rows)


def margins(truth: Codes, given: Codes, labels: int, times: Codes | None = None) -> Margins:
    """The counts of two columns, whose entries stand for one row each, or for so many."""
    if len(truth) != len(given):
        raise ValueError("two columns of one table have the same length")
    if not len(truth):
        raise UndefinedError("there are no predictions")
    right = truth == given
    columns = ((truth[right], None if times is None else times[right]), (truth, times), (given, times))
    # Weights are doubles, which hold every number of rows exactly.
    hits, support, said = (np.bincount(codes, weights, labels).astype(np.int64) for codes, weights in columns)
    return Margins(hits, support, said, len(truth) if times is None else int(times.sum()))


def ratio(above: Any, below: Any) -> Any:
    """above / below, exact of exact numbers; zero where nothing is below."""
    above, below = np.asarray(above), np.asarray(below)
    if "f" not in (above.dtype.kind, below.dtype.kind):
        return _exact_ratio(above, below)
    # Where nothing is below, the zero stays; `[()]` makes a number of an array without axes.
    found = np.zeros(np.broadcast(above, below).shape)
    np.divide(above.astype(float), below.astype(float), out=found, where=below != 0)
    return found[()]


_exact_ratio = np.frompyfunc(lambda above, below: Fraction(above) / below if below else Fraction(0), 2, 1)


def class_scores(counts: Margins, score: str, undefined: str = "zero") -> Any:
    """Precision, recall or F1 of each label.

    Where nothing was given there is no precision, and where nothing is true no recall: `undefined` says whether that
    counts as zero, or is an error.
    """
    above, below = {
        "precision": (counts.hits, counts.given),
        "recall": (counts.hits, counts.support),
        "f1": (2 * counts.hits, counts.given + counts.support),
    }[score]
    if undefined != "zero" and not below.all():
        never = "predicted" if score == "precision" else "true"
        raise UndefinedError(f"the {score} of a label that was never {never}")
    return ratio(above, below)


def average_score(
    counts: Margins, score: str, average: str, labels: list[int] | None = None, undefined: str = "zero"
) -> Any:
    """Precision, recall or F1 over labels: `macro` (each label once), `weighted` (by support), `micro` (pooled).

    Without a choice of labels, those count that are true or given somewhere in the run.
    """
    present = counts.support + counts.given > 0
    if labels is not None:
        counts, present = counts.of_labels(labels), np.ones(len(labels), bool)
    if not counts.hits.shape[-1]:
        raise UndefinedError("an average over no labels")
    if average == "micro":
        return class_scores(counts.pooled(), score, undefined)[..., 0]
    if average not in AVERAGES:
        raise ValueError(f"no average is called {average!r}")
    weights = present.astype(counts.support.dtype) if average == "macro" else counts.support
    if labels is not None and not weights.any():
        raise UndefinedError("none of the labels is ever the true one")
    return ratio((class_scores(counts, score, undefined) * weights).sum(axis=-1), weights.sum(axis=-1))


def accuracy(counts: Margins) -> Any:
    """The share of rows whose label is the true one."""
    return ratio(counts.hits.sum(axis=-1), counts.rows)


def kappa(counts: Margins) -> Any:
    """Cohen's kappa: agreement beyond that of labels which are given as often, but at random."""
    by_chance = _by_chance(counts)
    return ratio(accuracy(counts) - by_chance, 1 - by_chance)


def mcc(counts: Margins) -> Any:
    """Matthews' correlation of labels, of any number of them."""
    # Gorodkin (2004), of any number of labels: a covariance over the root of two variances.
    free = (1 - prior_accuracy(counts.given)) * (1 - prior_accuracy(counts.support))
    return ratio(accuracy(counts) - _by_chance(counts), root(free) if isinstance(free, Fraction) else np.sqrt(free))


def _by_chance(counts: Margins) -> Any:
    return (counts.shares(counts.given) * counts.shares(counts.support)).sum(axis=-1)


def balanced_accuracy(counts: Margins) -> Any:
    """The mean recall of the labels that are true somewhere."""
    there = counts.support > 0
    return ratio((class_scores(counts, "recall") * there).sum(axis=-1), there.sum(axis=-1).astype(counts.support.dtype))


# One column of labels, by how often each is there


def dominant_rate(counts: Counts) -> Any:
    """The share of the commonest label."""
    return ratio(counts.max(axis=-1), counts.sum(axis=-1))


def distinct(counts: Counts) -> Any:
    """How many labels are there."""
    return (counts > 0).sum(axis=-1).astype(counts.dtype)


def uniform_accuracy(counts: Counts) -> Any:
    """The accuracy of guessing any label that is there."""
    return ratio(np.ones_like(distinct(counts)), distinct(counts))


def prior_accuracy(counts: Counts) -> Any:
    """The accuracy of guessing labels as often as they are."""
    shares = ratio(counts, np.asarray(counts.sum(axis=-1))[..., None])
    return (shares * shares).sum(axis=-1)


def majority_macro_f1(counts: Counts) -> Any:
    """Macro F1 of always guessing the commonest label."""
    top = dominant_rate(counts)
    return ratio(2 * top, (1 + top) * distinct(counts))


def entropy(counts: Counts | Sequence[int], base: str = "e", normalized: str = "false", labels: Any = None) -> Any:
    """Shannon entropy: in nats (`e`) or bits (`2`), or as a share of that of so many equally common labels."""
    often: Counts = np.asarray(counts, dtype=float)
    total = often.sum(axis=-1)
    if base not in ("e", "2") or normalized not in ("true", "false"):
        raise ValueError("the base is e or 2, and normalized is true or false")
    if not np.all(total):
        raise UndefinedError("the entropy of no labels")
    # From counts: shares, each rounded, would add their errors up.
    value = np.log(total) - (often * np.log(np.where(often > 0, often, 1.0))).sum(axis=-1) / total
    labels = np.asarray(often.shape[-1] if labels is None else labels, dtype=float)
    if normalized == "true":
        if labels.ndim == 0 and labels < 2:
            raise UndefinedError("a single label has no normalized entropy")
        value = ratio(value, np.log(np.maximum(labels, 1.0)))
    elif base == "2":
        value = value / math.log(2)
    return np.maximum(0.0, value)
