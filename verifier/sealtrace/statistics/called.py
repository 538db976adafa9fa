"""What headers call statistics: for the table of statistics, and for those who read headers without arrays."""

from __future__ import annotations

CALLED = {
    "precision": "prec, prec., positive predictive value, ppv",
    "recall": "rec, rec., sensitivity, true positive rate, tpr",
    "f1": "f1-score, f1 score, f-score, f-measure, f₁, f_1",
    "accuracy": "acc, acc., exact match, em, correct answers, success rate",
    "error_rate": "error rate, classification error, misclassification rate",
    "tp": "true positives",
    "fp": "false positives",
    "fn": "false negatives",
    "sd": "std, std., stdev, std dev, std. dev., standard deviation, σ",
    "sem": "se, s.e., s.e.m., stderr, std err, std. err., standard error, standard error of the mean",
    "test_statistic": "t, z, t value, t-value, t stat, t-stat, t-statistic, z value, z-value, z stat, z-stat",
    "estimate": "est, est., coef, coef., coefficient, β, b, beta",
    "sample_size": "n, # samples",
}
"""By the name of the statistic, with commas between."""


def words_of(name: str) -> tuple[str, ...]:
    """Everything that calls it."""
    return name.replace("_", " "), *CALLED[name].split(", ")
