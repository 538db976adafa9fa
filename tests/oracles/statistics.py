"""Statistics as other people's libraries compute them: numpy, scipy, scikit-learn, statsmodels."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, log, log2
from typing import Any

import numpy as np

from results.oracles import contingency, learn, proportion, stats

_OPTIONS = {"zero_division": 0}
_AVERAGED = {"precision": learn.precision_score, "recall": learn.recall_score, "f1": learn.f1_score}


def _majority(true: Any) -> Any:
    values, counts = np.unique(true, return_counts=True)
    return np.full(len(true), values[counts.argmax()])


def _expected_calibration_error(was: Any, scores: Any) -> float:
    place = np.clip(np.ceil(scores * 10).astype(int) - 1, 0, 9)
    return float(sum(abs(was[place == k].sum() - scores[place == k].sum()) for k in range(10)) / len(was))


OF_VALUES: dict[str, Callable[..., Any]] = {
    "count": len,
    "mean": np.mean,
    "geometric_mean": stats.gmean,
    "sum": np.sum,
    "negative": lambda x: np.count_nonzero(np.signbit(x)),
    "median": np.median,
    "quantile": lambda x, q, rule: np.quantile(x, float(q), method=rule),
    "minimum": np.min,
    "maximum": np.max,
    "sd": lambda x, divisor="n-1": np.std(x, ddof=1 if divisor == "n-1" else 0),
    "variance": lambda x, divisor="n-1": np.var(x, ddof=1 if divisor == "n-1" else 0),
    "sem": stats.sem,
    "t_interval": lambda x: stats.t.interval(0.95, len(x) - 1, np.mean(x), stats.sem(x)),
}


def _end(interval: tuple[float, float], x: Any, key: str) -> float:
    """The end of an interval that a form's name ends with, or its half."""
    low, high = interval
    return low if key.endswith("low") else high if key.endswith("high") else high - np.mean(x)


def _of_mean(x: Any, key: str) -> float:
    quantile = 1.96 if key.startswith("ci95") else stats.t.ppf(0.975, len(x) - 1)
    half = quantile * stats.sem(x)
    return _end((np.mean(x) - half, np.mean(x) + half), x, key)


OF_INTERVALS: dict[str, Callable[..., float]] = {
    "t_interval": _of_mean,
    "wilson": lambda x, key: _end(proportion.proportion_confint(sum(x), len(x), method="wilson"), x, key),
}
"""Ends of intervals of values, by the name of the form that `check` tries."""
OF_POSITIVE = ("geometric_mean",)
"""Those of values that are defined for positive ones only."""
OF_TEXTS: dict[str, Callable[..., Any]] = {
    "distinct": lambda counts: len(np.flatnonzero(counts)),
    "dominant_rate": lambda counts: max(counts) / sum(counts),
    "uniform_accuracy": lambda counts: 1 / len(np.flatnonzero(counts)),
    "prior_accuracy": lambda counts: float(np.sum((counts / np.sum(counts)) ** 2)),
    "entropy": stats.entropy,
    "normalized_entropy": lambda counts: stats.entropy(counts) / log(len(counts)),
}
OF_LABELS: dict[str, Callable[..., Any]] = {
    "accuracy": learn.accuracy_score,
    "correct": lambda true, given: learn.accuracy_score(true, given, normalize=False),
    "error_rate": lambda true, given: learn.zero_one_loss(true, given),
    "errors": lambda true, given: learn.zero_one_loss(true, given, normalize=False),
    "balanced_accuracy": learn.balanced_accuracy_score,
    "mcc": learn.matthews_corrcoef,
    "kappa": learn.cohen_kappa_score,
    "prediction_entropy": lambda _, given: stats.entropy(np.unique(given, return_counts=True)[1]),
    "prediction_entropy_normalized": lambda true, given: (
        stats.entropy(np.unique(given, return_counts=True)[1], base=2) / log2(len(set(true)))
    ),
    "labels_predicted": lambda _, given: len(set(given)),
    "majority_macro_f1": lambda true, _: learn.f1_score(true, _majority(true), average="macro", **_OPTIONS),
    **{
        f"{average}_{score}": lambda true, given, average=average, oracle=oracle: oracle(
            true, given, average=average, **_OPTIONS
        )
        for score, oracle in _AVERAGED.items()
        for average in ("macro", "micro", "weighted")
    },
}


def _counts(true: Any, given: Any, label: str) -> Any:
    """tn, fp, fn and tp of one label."""
    return learn.confusion_matrix(true == label, given == label, labels=[False, True]).ravel()


OF_LABEL: dict[str, Callable[..., Any]] = {
    **{
        score: lambda true, given, label, oracle=oracle: oracle(true == label, given == label, **_OPTIONS)
        for score, oracle in _AVERAGED.items()
    },
    "support": lambda true, given, label: _counts(true, given, label)[2:].sum(),
    "pred_count": lambda true, given, label: _counts(true, given, label)[[1, 3]].sum(),
    "tp": lambda true, given, label: _counts(true, given, label)[3],
    "fp": lambda true, given, label: _counts(true, given, label)[1],
    "fn": lambda true, given, label: _counts(true, given, label)[2],
    "gold_rate": lambda true, _, label: np.mean(true == label),
    "pred_rate": lambda _, given, label: np.mean(given == label),
}
OF_SCORES: dict[str, Callable[..., Any]] = {
    "auroc": learn.roc_auc_score,
    "average_precision": learn.average_precision_score,
    "brier": learn.brier_score_loss,
    "ece": _expected_calibration_error,
}
OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "mae": learn.mean_absolute_error,
    "mse": learn.mean_squared_error,
    "rmse": learn.root_mean_squared_error,
    "r2": learn.r2_score,
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
    "pooled_ratio": lambda x, y: np.average(y / x, weights=x),
    "win_rate": lambda x, y: (np.sign(x - y).mean() + 1) / 2,
    "paired_t_test": lambda x, y: stats.ttest_rel(x, y).pvalue,
    "t_test": lambda x, y: stats.ttest_ind(x, y, equal_var=False).pvalue,
    "wilcoxon": lambda x, y: stats.wilcoxon(x, y).pvalue,
}
OF_COUNTS: dict[str, tuple[tuple[Any, ...], Callable[..., Any]]] = {
    "rate": ((17, 40), lambda k, n: k / n),
    "confusion": ((7,), lambda count: count),
    "pass_at_k": (([5, 8], [2, 0], 3), lambda n, c, k: (1 - comb(n[0] - c[0], k) / comb(n[0], k)) / 2),
    "mcnemar": ((9, 21), lambda b, c: contingency.mcnemar([[0, b], [c, 0]], exact=True).pvalue),
    "fisher": ((9, 4, 3, 12), lambda a, b, c, d: stats.fisher_exact([[a, b], [c, d]]).pvalue),
    "chi_squared": (([[9, 4, 7], [3, 12, 5]],), lambda table: stats.chi2_contingency(table).pvalue),
    "wilson": ((17, 40), lambda k, n: proportion.proportion_confint(k, n, method="wilson")),
    "clopper_pearson": ((17, 40), lambda k, n: proportion.proportion_confint(k, n, method="beta")),
    "wald": ((17, 40), lambda k, n: proportion.proportion_confint(k, n, method="normal")),
    "log_loss": ((np.array([0.2, 0.7, 0.9]),), lambda p: learn.log_loss([1, 1, 1], p, labels=[0, 1])),
}
WITHOUT = {
    "commonest": "gives a text",
    "bootstrap": "is of another statistic, with the draws of a declared generator: test_intervals.py has scipy's",
    "rank": "is of another statistic: test_association.py has scipy's",
}
"""Entries without an oracle here, and why."""
