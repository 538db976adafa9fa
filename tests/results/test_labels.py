"""Classification scores against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.oracles import learn
from sealtrace.statistics import labels
from sealtrace.statistics.sums import UndefinedError

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60)
ORACLES = {
    "precision": learn.precision_score,
    "recall": learn.recall_score,
    "f1": learn.f1_score,
}


@given(PAIRS)
def test_counts(pairs: list[tuple[int, int]]) -> None:
    """Of each label, what is right, true and given is counted as in scikit-learn's confusion matrix."""
    truth, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    counts = labels.margins(truth, predicted, 4)
    table = learn.confusion_matrix(truth, predicted, labels=range(4))
    assert counts.hits.tolist() == table.diagonal().tolist()
    assert [counts.support.tolist(), counts.given.tolist()] == [table.sum(axis=1).tolist(), table.sum(axis=0).tolist()]


@pytest.mark.parametrize("score", labels.SCORES)
@given(pairs=PAIRS)
def test_scores(score: str, pairs: list[tuple[int, int]]) -> None:
    """Per class and averaged in all three ways, over all labels and over some."""
    truth, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    table = labels.margins(truth, predicted, 4)
    oracle = ORACLES[score]
    each = oracle(truth, predicted, labels=range(4), average=None, zero_division=0)
    assert labels.class_scores(table, score).astype(float).tolist() == pytest.approx(each.tolist())
    for chosen in (list(range(4)), [0, 2, 3]):
        for average in labels.AVERAGES:
            if average == "weighted" and not table.support[chosen].any():
                continue
            expected = oracle(truth, predicted, labels=chosen, average=average, zero_division=0)
            assert float(labels.average_score(table, score, average, chosen)) == pytest.approx(expected)


def test_what_does_not_exist() -> None:
    """A label that was never predicted has no precision, where that is asked; no label has no average."""
    table = labels.margins(np.array([0, 1]), np.array([0, 0]), 2)
    assert labels.class_scores(table, "precision")[1] == 0
    with pytest.raises(UndefinedError, match="never predicted"):
        labels.class_scores(table, "precision", "error")
    with pytest.raises(UndefinedError):
        labels.average_score(table, "f1", "macro", [])
    with pytest.raises(UndefinedError):
        labels.margins(np.array([], int), np.array([], int), 2)
    with pytest.raises(ValueError, match="no average"):
        labels.average_score(table, "f1", "mean")
    with pytest.raises(UndefinedError, match="never true"):
        labels.class_scores(labels.margins(np.array([0]), np.array([0]), 2), "recall", "error")
    with pytest.raises(ValueError, match="same length"):
        labels.margins(np.array([0, 1]), np.array([0]), 2)
    with pytest.raises(UndefinedError, match="ever the true one"):
        labels.average_score(labels.margins(np.array([0]), np.array([0]), 2), "f1", "weighted", [1])
