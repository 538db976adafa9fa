"""Classification scores against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.oracles import learn
from sealtrace.studies.results.mathematics import labels
from sealtrace.studies.results.mathematics.sums import UndefinedError

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60)
ORACLES = {
    "precision": learn.precision_score,
    "recall": learn.recall_score,
    "f1": learn.f1_score,
}


@given(PAIRS)
def test_counts(pairs: list[tuple[int, int]]) -> None:
    """The confusion counts are scikit-learn's."""
    truth, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    table = labels.confusion(truth, predicted, 4)
    assert table.tolist() == learn.confusion_matrix(truth, predicted, labels=range(4)).tolist()


@pytest.mark.parametrize("score", labels.SCORES)
@given(pairs=PAIRS)
def test_scores(score: str, pairs: list[tuple[int, int]]) -> None:
    """Per class and averaged in all three ways, over all labels and over some."""
    truth, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    table = labels.confusion(truth, predicted, 4)
    oracle = ORACLES[score]
    each = oracle(truth, predicted, labels=range(4), average=None, zero_division=0)
    assert [float(labels.class_score(table, score, label)) for label in range(4)] == pytest.approx(each.tolist())
    for chosen in (None, [0, 2, 3]):
        for average in labels.AVERAGES:
            if average == "weighted" and not table[chosen or range(4)].any():
                continue
            expected = oracle(truth, predicted, labels=chosen or range(4), average=average, zero_division=0)
            assert float(labels.average_score(table, score, average, chosen)) == pytest.approx(expected)


def test_what_does_not_exist() -> None:
    """A label that was never predicted has no precision, where that is asked; no label has no average."""
    table = labels.confusion(np.array([0, 1]), np.array([0, 0]), 2)
    assert labels.class_score(table, "precision", 1) == 0
    with pytest.raises(UndefinedError, match="never predicted"):
        labels.class_score(table, "precision", 1, "error")
    with pytest.raises(UndefinedError):
        labels.average_score(table, "f1", "macro", [])
    with pytest.raises(UndefinedError):
        labels.confusion(np.array([], int), np.array([], int), 2)
    with pytest.raises(ValueError, match="no average"):
        labels.average_score(table, "f1", "mean")
    with pytest.raises(UndefinedError, match="never true"):
        labels.class_score(labels.confusion(np.array([0]), np.array([0]), 2), "recall", 1, "error")
    with pytest.raises(ValueError, match="same length"):
        labels.confusion(np.array([0, 1]), np.array([0]), 2)
    with pytest.raises(UndefinedError, match="ever the true one"):
        labels.average_score(labels.confusion(np.array([0]), np.array([0]), 2), "f1", "weighted", [1])
