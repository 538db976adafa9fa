"""What papers call the scores of labels: for the table of statistics, and for those who read headers without arrays."""

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
}
"""By the name of the statistic, with commas between."""


def words_of(name: str) -> tuple[str, ...]:
    """Everything that calls it."""
    return name.replace("_", " "), *CALLED[name].split(", ")
