"""Ranking and calibration against scikit-learn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.oracles import calibration, learn
from sealtrace.statistics import probabilities
from sealtrace.statistics.sums import UndefinedError

SCORED = st.lists(
    st.tuples(st.booleans(), st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]))),
    min_size=2,
    max_size=60,
).filter(lambda rows: len({happened for happened, _ in rows}) == 2)


def columns(rows: list[tuple[bool, float]]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    return np.array([happened for happened, _ in rows]), np.array([score for _, score in rows])


@given(SCORED)
def test_ranking(rows: list[tuple[bool, float]]) -> None:
    """AUROC with ties, exact; average precision with equal scores as one threshold."""
    positive, scores = columns(rows)
    area = probabilities.auroc(positive, scores)
    assert isinstance(area, Fraction)
    assert float(area) == pytest.approx(learn.roc_auc_score(positive, scores))
    expected = learn.average_precision_score(positive, scores)
    assert probabilities.average_precision(positive, scores) == pytest.approx(expected)


@given(SCORED)
def test_proper_scores(rows: list[tuple[bool, float]]) -> None:
    """The Brier score is exact; the logarithm is clipped where that is declared, and otherwise refuses zero."""
    positive, scores = columns(rows)
    assert float(probabilities.brier(positive, scores)) == pytest.approx(
        learn.brier_score_loss(positive, scores), abs=1e-12
    )
    of_truth = np.where(positive, scores, 1 - scores)
    clip = Fraction(1, 10**9)
    clipped = np.clip(scores, 1e-9, 1 - 1e-9)
    assert probabilities.log_loss(of_truth, clip) == pytest.approx(learn.log_loss(positive, clipped), abs=1e-6)
    if (of_truth == 0).any():
        with pytest.raises(UndefinedError, match="probability zero"):
            probabilities.log_loss(of_truth)


@pytest.mark.parametrize(("rule", "strategy"), [("width", "uniform"), ("count", "quantile")])
@given(rows=SCORED, bins=st.integers(2, 15))
def test_calibration(rule: str, strategy: str, rows: list[tuple[bool, float]], bins: int) -> None:
    """By bin what scikit-learn's reliability curve gives, weighted by the sizes of the bins."""
    right, confidence = columns(rows)
    shares, means = calibration.calibration_curve(right, confidence, n_bins=bins, strategy=strategy)
    edges = np.linspace(0, 1, bins + 1)
    if strategy == "quantile":
        edges = np.percentile(confidence, edges * 100)
    sizes = np.bincount(np.searchsorted(edges[1:-1], confidence), minlength=bins)
    expected = float((np.abs(shares - means) * sizes[sizes > 0]).sum() / len(rows))
    assert float(probabilities.calibration_error(right, confidence, bins, rule)) == pytest.approx(expected, abs=1e-12)


def test_what_does_not_exist() -> None:
    """One class only, probabilities that are none, infinite scores, unknown rules."""
    with pytest.raises(UndefinedError, match="positives and negatives"):
        probabilities.auroc(np.array([True, True]), np.array([0.1, 0.2]))
    with pytest.raises(UndefinedError, match="outside"):
        probabilities.brier(np.array([True]), np.array([1.5]))
    with pytest.raises(UndefinedError, match="outside"):
        probabilities.brier(np.array([True]), np.array([np.nan]))
    with pytest.raises(UndefinedError, match="finite"):
        probabilities.auroc(np.array([True, False]), np.array([np.inf, 0.0]))
    with pytest.raises(ValueError, match="no rule"):
        probabilities.calibration_error(np.array([True]), np.array([0.5]), 5, "area")
    with pytest.raises(UndefinedError, match="one bin"):
        probabilities.calibration_error(np.array([True]), np.array([0.5]), 0)
    with pytest.raises(ValueError, match="same length"):
        probabilities.auroc(np.array([True, False]), np.array([0.5]))
    with pytest.raises(UndefinedError, match="positives and negatives"):
        probabilities.average_precision(np.array([False, False]), np.array([0.1, 0.2]))
    with pytest.raises(UndefinedError, match="outside"):
        probabilities.log_loss(np.array([0.5, -0.1]))


def test_the_ends_are_probabilities() -> None:
    """Zero and one are; positives alone have a precision; one bin holds everything, and ten are meant."""
    sure = np.array([True, False])
    assert probabilities.brier(sure, np.array([1.0, 0.0])) == 0
    assert probabilities.average_precision(np.array([True, True]), np.array([0.1, 0.2])) == 1.0
    assert probabilities.calibration_error(sure, np.array([0.75, 0.5]), 1) == Fraction(1, 8)
    # Ten bins hold these two together, and eleven do not.
    assert probabilities.calibration_error(sure, np.array([0.8125, 0.875])) == Fraction(11, 32)
    assert probabilities.calibration_error(sure, np.array([0.8125, 0.875]), 11) == Fraction(17, 32)
    assert probabilities.log_loss(np.array([1.0, 1.0])) == 0.0
    quarter = Fraction(1, 4)
    assert probabilities.log_loss(np.array([1.0]), quarter) == probabilities.log_loss(np.array([0.75]))
