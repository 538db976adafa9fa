"""Metrics that queries may call, on lists: `macro_f1(list(gold), list(answer))`, `mcnemar(b, c)`, `wilson_low(k, n)`.

Each is the mathematics of the metric of the same name, in doubles, which is all that DuckDB can take from Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from sealtrace.studies.results.mathematics import (
    association,
    intervals,
    labels,
    probabilities,
    significance,
    summaries,
    trials,
)

_NINETY_FIVE = Fraction(95, 100)
_TEXTS, _NUMBERS, _FLAGS = "VARCHAR[]", "DOUBLE[]", "BOOLEAN[]"


def _confusion(truth: Sequence[str], predicted: Sequence[str]) -> labels.Confusion:
    names = sorted({*truth, *predicted})
    place = {name: number for number, name in enumerate(names)}
    first, second = (np.array([place[name] for name in column], np.int64) for column in (truth, predicted))
    return labels.confusion(first, second, len(names))


def _averaged(score: str, average: str) -> Callable[..., float]:
    def function(truth: Sequence[str], predicted: Sequence[str]) -> float:
        return float(labels.average_score(_confusion(truth, predicted), score, average))

    return function


def _of_numbers(function: Callable[..., Any]) -> Callable[..., float]:
    return lambda left, right: float(function(np.array(left, np.float64), np.array(right, np.float64)))


def _of_scores(function: Callable[..., Any]) -> Callable[..., float]:
    return lambda happened, scores: float(function(np.array(happened, bool), np.array(scores, np.float64)))


def _entropy(values: Sequence[str], labels_: int) -> float:
    counts = np.unique(np.array(values, dtype=object).astype(str), return_counts=True)[1].tolist()
    return summaries.entropy([*counts, *([0] * (labels_ - len(counts)))], normalized=True)


FUNCTIONS: dict[str, tuple[Callable[..., float], list[Any]]] = {
    **{
        f"{average}_{score}": (_averaged(score, average), [_TEXTS, _TEXTS])
        for score in labels.SCORES
        for average in labels.AVERAGES
    },
    "auroc": (_of_scores(probabilities.auroc), [_FLAGS, _NUMBERS]),
    "average_precision": (_of_scores(probabilities.average_precision), [_FLAGS, _NUMBERS]),
    "brier": (_of_scores(probabilities.brier), [_FLAGS, _NUMBERS]),
    "ece": (lambda right, confidence, bins: float(
        probabilities.calibration_error(np.array(right, bool), np.array(confidence, np.float64), bins)
    ), [_FLAGS, _NUMBERS, "BIGINT"]),
    "rmse": (_of_numbers(association.root_mean_squared_error), [_NUMBERS, _NUMBERS]),
    "r2": (_of_numbers(association.r_squared), [_NUMBERS, _NUMBERS]),
    "spearman": (_of_numbers(association.spearman), [_NUMBERS, _NUMBERS]),
    "kendall": (_of_numbers(association.kendall), [_NUMBERS, _NUMBERS]),
    "normalized_entropy": (_entropy, [_TEXTS, "BIGINT"]),
    "pass_at_k": (lambda tries, passed, k: float(trials.pass_at_k([tries], [passed], k)), ["BIGINT"] * 3),
    "mcnemar": (lambda b, c: float(significance.mcnemar(b, c).p), ["BIGINT", "BIGINT"]),
    "fisher": (lambda a, b, c, d: float(significance.fisher(a, b, c, d).p), ["BIGINT"] * 4),
    "paired_t_test": (lambda x, y: float(significance.paired_t_test(np.array(x), np.array(y)).p), [_NUMBERS, _NUMBERS]),
    "wilcoxon": (lambda x, y: float(significance.wilcoxon(np.array(x), np.array(y)).p), [_NUMBERS, _NUMBERS]),
    "wilson_low": (lambda k, n: intervals.wilson(k, n, _NINETY_FIVE)[0], ["BIGINT", "BIGINT"]),
    "wilson_high": (lambda k, n: intervals.wilson(k, n, _NINETY_FIVE)[1], ["BIGINT", "BIGINT"]),
    "clopper_pearson_low": (lambda k, n: intervals.clopper_pearson(k, n, _NINETY_FIVE)[0], ["BIGINT", "BIGINT"]),
    "clopper_pearson_high": (lambda k, n: intervals.clopper_pearson(k, n, _NINETY_FIVE)[1], ["BIGINT", "BIGINT"]),
}  # fmt: skip
