"""Every distribution against a reference that works one state at a time, in plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.studies.policies.mathematics import policies

CLOSE = 1e-13
Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """Random numbers and legal sets for a few states."""

    values: Matrix
    other: Matrix
    legal: Mask

    def legal_of(self, row: int) -> list[int]:
        return np.flatnonzero(self.legal[row]).tolist()


@st.composite
def random_rows(draw: st.DrawFn, low: float = -20, high: float = 20) -> Rows:
    size, width = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    number = st.one_of(st.floats(low, high), st.sampled_from([max(low, 0.0), 0.25, 1.0, 1.0]))

    def matrix() -> Matrix:
        return np.array(draw(st.lists(st.lists(number, min_size=width, max_size=width), min_size=size, max_size=size)))

    legal = np.array([draw(st.lists(st.booleans(), min_size=width, max_size=width).filter(any)) for _ in range(size)])
    return Rows(matrix(), matrix(), legal)


def softmax(logits: list[float], floor: float = 0.0) -> list[float]:
    """(exp(z - max z) + floor) / sum, with 50 digits."""
    with localcontext(Context(prec=50)):
        exact = [Decimal(logit) for logit in logits]
        weights = [(logit - max(exact)).exp() + Decimal(floor) for logit in exact]
        return [float(weight / sum(weights)) for weight in weights]


def assert_rows(found: Matrix, rows: Rows, expected: list[list[float]]) -> None:
    """Legal entries are close to the reference, illegal ones are zero."""
    for row, reference in enumerate(expected):
        assert found[row, rows.legal[row]] == pytest.approx(reference, abs=CLOSE, rel=CLOSE)
        assert not found[row, ~rows.legal[row]].any()


@given(random_rows())
def test_shifted_exponential(rows: Rows) -> None:
    """The largest legal weight is exactly one, and the others are its ratios."""
    found = policies.shifted_exponential(rows.values, rows.legal)
    expected = []
    for row, values in enumerate(rows.values.tolist()):
        best = max(values[action] for action in rows.legal_of(row))
        expected.append([math.exp(values[action] - best) for action in rows.legal_of(row)])
    assert_rows(found, rows, expected)
    assert (found.max(axis=1) == 1.0).all()


@given(random_rows(), st.sampled_from([0.5, 1.5, 2.5, 10.0]))
def test_teacher(rows: Rows, temperature: float) -> None:
    """The teacher is the temperature softmax over legal actions."""
    found = policies.normalized(policies.teacher_weights(rows.values, rows.legal, temperature))
    expected = [
        softmax([values[action] / temperature for action in rows.legal_of(row)])
        for row, values in enumerate(rows.values.tolist())
    ]
    assert_rows(found, rows, expected)


@given(random_rows(0, 1), st.floats(0, 1))
def test_anchor(rows: Rows, weight: float) -> None:
    """Teacher and uniform are mixed over the legal actions alone."""
    found = policies.anchor(rows.values, rows.legal, weight, 1 - weight)
    expected = [
        [weight * values[action] + (1 - weight) / len(rows.legal_of(row)) for action in rows.legal_of(row)]
        for row, values in enumerate(rows.values.tolist())
    ]
    assert_rows(found, rows, expected)


@given(random_rows(0.01, 1), st.floats(-3, 3))
def test_tilt(rows: Rows, scale: float) -> None:
    """The tilt multiplies the base by exp(scale * direction) and normalizes."""
    weights = policies.tilt_weights(rows.values, rows.other, scale, rows.legal)
    expected = [
        softmax([math.log(values[action]) + scale * rows.other[row, action] for action in rows.legal_of(row)])
        for row, values in enumerate(rows.values.tolist())
    ]
    assert_rows(policies.normalized(weights), rows, expected)
    assert policies.normalizers(weights) == pytest.approx([math.fsum(row) for row in weights.tolist()])


@given(random_rows(), st.sampled_from([0.0, 0.02, 1.0]))
def test_prior(rows: Rows, floor: float) -> None:
    """The floor is added to legal weights only, before normalization."""
    found = policies.normalized(policies.prior_weights(rows.values, rows.legal, floor))
    expected = [
        softmax([values[action] for action in rows.legal_of(row)], floor)
        for row, values in enumerate(rows.values.tolist())
    ]
    assert_rows(found, rows, expected)


@given(random_rows(-5, 5), st.floats(-1, 2), st.lists(st.floats(-1, 1), max_size=3))
def test_query_score(rows: Rows, entropy_weight: float, weights: list[float]) -> None:
    """Entropy is divided by log max(2, number of legal actions); the sum is clipped to [0, 1]."""
    prior = policies.normalized(policies.prior_weights(rows.values, rows.legal, 0.02))
    features = [rows.other[:, 0] / (place + 1) for place in range(len(weights))]
    found = policies.query_score(prior, rows.legal, entropy_weight, weights, features)
    for row in range(len(prior)):
        entropy = -math.fsum(p * math.log(p) for p in prior[row].tolist() if p > 0)
        score = entropy_weight * entropy / math.log(max(2, len(rows.legal_of(row))))
        score += math.fsum(weight * float(feature[row]) for weight, feature in zip(weights, features, strict=True))
        assert found[row] == pytest.approx(min(1.0, max(0.0, score)), abs=1e-12)


@given(random_rows(0, 1))
def test_top_action(rows: Rows) -> None:
    """The earliest of the largest legal entries, and all mass on it."""
    found = policies.top_action(rows.values, rows.legal)
    for row, values in enumerate(rows.values.tolist()):
        best = max(values[action] for action in rows.legal_of(row))
        assert found[row] == next(action for action in rows.legal_of(row) if values[action] == best)
    mass = policies.point_mass(found, rows.values.shape[1])
    assert (mass.sum(axis=1) == 1.0).all()
    assert mass[np.arange(len(found)), found].all()


def test_top_action_without_legal_actions() -> None:
    """No legal action, no top action, no mass; a tie between an illegal and a legal action is no tie."""
    legal = np.array([[False, False], [False, True], [True, True]])
    found = policies.top_action(np.array([[1.0, 2.0], [0.5, 0.5], [0.5, 0.5]]), legal)
    assert found.tolist() == [-1, 1, 0]
    assert policies.point_mass(found, 2).tolist() == [[0, 0], [0, 1], [1, 0]]


@given(st.lists(st.booleans()), st.one_of(st.none(), st.integers(0, 5)))
def test_accepted_queries(requested: list[bool], budget: int | None) -> None:
    """The budget goes to the first requests; a request that was refused costs it nothing."""
    left = len(requested) if budget is None else budget
    expected = []
    for asks in requested:
        expected.append(asks and left > 0)
        left -= expected[-1]
    assert policies.accepted_queries(np.array(requested, np.bool_), budget).tolist() == expected


@given(random_rows(-5, 5), st.integers(0, 3))
def test_affine(rows: Rows, terms: int) -> None:
    """A constant and weighted features, for each state and action; no features is no special case."""
    size, width = rows.values.shape
    constants = rows.other[0]
    weights = np.arange(terms * width, dtype=np.float64).reshape(terms, width) / 7
    features = [rows.values[:, 0] * (place + 1) for place in range(terms)]
    found = policies.affine(constants, weights, features, size)
    assert found.shape == (size, width)
    for row in range(size):
        for action in range(width):
            terms_of = [float(weights[place, action] * features[place][row]) for place in range(terms)]
            assert found[row, action] == pytest.approx(float(constants[action]) + math.fsum(terms_of), abs=1e-11)


def test_error_states_are_values() -> None:
    """Empty legal sets, overflow and zero temperature give NaN where no distribution is. No warnings."""
    nobody, everybody = np.zeros((1, 2), np.bool_), np.ones((1, 2), np.bool_)
    some = np.array([[1.0, 2.0]])
    assert policies.shifted_exponential(some, nobody).tolist() == [[0, 0]]
    assert policies.normalizers(policies.shifted_exponential(some, nobody)).tolist() == [0]
    assert np.isnan(policies.normalized(policies.shifted_exponential(some, nobody))).all()
    assert policies.anchor(some, nobody, 0.92, 0.08).tolist() == [[0, 0]]

    infinite = np.array([[math.inf, 1.0]])
    assert np.isnan(policies.normalizers(policies.shifted_exponential(infinite, everybody))).all()
    hopeless = np.full((1, 2), -math.inf)
    assert np.isnan(policies.normalizers(policies.shifted_exponential(hopeless, everybody))).all()
    assert np.isnan(policies.normalizers(policies.teacher_weights(some, everybody, 0.0))).all()
    assert np.isnan(policies.normalizers(policies.tilt_weights(some, some, math.inf, everybody))).all()
    assert np.isnan(policies.normalizers(policies.tilt_weights(some, 5e307 * some, 1e10, everybody))).all()
    assert np.isinf(policies.normalizers(np.full((1, 2), 1e308) * 1.5)).all()
    assert np.isnan(policies.anchor(np.array([[0.0, 1.0]]), everybody, math.inf, 0.08)[0, 0])
    features = [np.array([0.0]), np.array([1e308])]
    assert np.isnan(policies.affine(np.zeros(2), np.full((2, 2), math.inf), features, 1)).all()
    assert np.isnan(policies.query_score(np.full((1, 2), 0.5), everybody, 1.0, [math.inf, 1e308], features)).all()


def test_zero_probability_is_tilted_to_zero() -> None:
    """A base of zero stays zero, and does not spoil its row."""
    weights = policies.tilt_weights(np.array([[0.0, 1.0]]), np.array([[3.0, 1.0]]), 1.0, np.ones((1, 2), np.bool_))
    assert policies.normalized(weights).tolist() == [[0, 1]]


@pytest.mark.parametrize("logits", [[1.0, 0.5, -1.0], [0.0, 0.0], [3.0], [0.0, -1e5]])
@pytest.mark.parametrize("floor", [0.0, 0.125])
def test_query_score_to_eighty_digits(logits: list[float], floor: float) -> None:
    """The same score as in doubles, before it is clipped; one action has no entropy, and nothing divides by zero."""
    row, legal = np.array([logits]), np.ones((1, len(logits)), np.bool_)
    prior = policies.normalized(policies.prior_weights(row, legal, floor))
    found = policies.exact_query_score(
        [Fraction(logit) for logit in logits], Fraction(floor), Fraction(1, 2), Fraction(1, 4)
    )
    (expected,) = policies.query_score(prior, legal, 0.5, [1.0], [np.array([0.25])])
    assert float(found) == pytest.approx(expected, abs=1e-15)
    shifted = policies.exact_query_score([Fraction(0)] * 2, Fraction(0), Fraction(1), Fraction(1, 3))
    assert abs(shifted - (1 + Decimal(1) / 3)) < Decimal(10) ** -27


@pytest.mark.parametrize(("hair", "expected"), [("1e-60", True), ("-1e-60", False), ("1e-61", None), ("0", None)])
def test_what_eighty_digits_do_not_tell_is_not_guessed(hair: str, expected: bool | None) -> None:
    """A gate that is as close to its threshold as that is left open."""
    with localcontext(Context(prec=80)):
        score = Decimal("0.25") + Decimal(hair)
    assert policies.at_least(score, Fraction(1, 4)) is expected
