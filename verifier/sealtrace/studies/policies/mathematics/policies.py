"""Policy distributions, replayed from what each policy was allowed to see."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np

from sealtrace.mathematics import Index, Mask, Matrix, Vector
from sealtrace.studies.policies.mathematics import over_actions

# What overflows or is undefined becomes inf or NaN, which the checks name; it is no matter for a warning.
_named_states = np.errstate(divide="ignore", invalid="ignore", over="ignore")


@_named_states
def shifted_exponential(logits: Matrix, legal: Mask) -> Matrix:
    """exp(z - max z) over legal actions, zero elsewhere (appendix A, numerical implementation).

    A row without a finite maximum gives NaN: the named error state of its normalizer.
    """
    return np.where(legal, over_actions.exponentials(logits.T, legal.T).T, 0.0)


@_named_states
def normalized(weights: Matrix) -> Matrix:
    """Weights divided by their sum."""
    return weights / normalizers(weights)[:, None]


@_named_states
def normalizers(weights: Matrix) -> Vector:
    """The sums that weights are divided by; each must be finite and positive."""
    return over_actions.total(weights.T)


@_named_states
def teacher_weights(values: Matrix, legal: Mask, temperature: float) -> Matrix:
    """Unnormalized softmax of the teacher's action values (appendix A, teacher response model)."""
    return shifted_exponential(values / temperature, legal)


@_named_states
def anchor(teacher: Matrix, legal: Mask, teacher_weight: float, uniform_weight: float) -> Matrix:
    """pi_0 = w_T pi_T + w_U U, the left half of the tilt equation."""
    # Equation 1; its weights, 0.92 and 0.08, are what a protocol declares.
    uniform = 1 / legal.sum(axis=1, keepdims=True)
    return np.where(legal, teacher_weight * teacher + uniform_weight * uniform, 0.0)


@_named_states
def tilt_weights(base: Matrix, direction: Matrix, scale: float, legal: Mask) -> Matrix:
    """Unnormalized exponential tilt: exp(log pi_0 + alpha delta), shifted (the tilt equation)."""
    # Equation 1, and equation 7 of a student, in logarithms: the largest logit is then known before anything grows.
    return shifted_exponential(np.log(base) + scale * direction, legal)


def prior_weights(logits: Matrix, legal: Mask, floor: float) -> Matrix:
    """exp(l - max l) + floor (appendix C, deterministic baselines)."""
    return np.where(legal, shifted_exponential(logits, legal) + floor, 0.0)


@_named_states
def query_score(
    prior: Matrix, legal: Mask, entropy_weight: float, weights: list[float], features: list[Vector]
) -> Vector:
    """q(s): the prior's normalized entropy and features, weighted and clipped to [0, 1]."""
    # As a share of the entropy of the uniform policy. One action has none, and log 2 stands in for log 1.
    terms = np.where(prior > 0, -prior * np.log(prior), 0.0)
    score = entropy_weight * terms.sum(axis=1) / np.log(np.maximum(2, legal.sum(axis=1)))
    for weight, feature in zip(weights, features, strict=True):
        score = score + weight * feature
    clipped: Vector = np.clip(score, 0.0, 1.0)
    return clipped


def accepted_queries(requested: Mask, budget: int | None) -> Mask:
    """The first `budget` requests, in order; all of them without a budget."""
    if budget is None:
        return requested
    return requested & (np.cumsum(requested) <= budget)


def top_action(probabilities: Matrix, legal: Mask) -> Index:
    """The largest legal probability; the earliest legal action among equals. -1 without legal actions."""
    return np.where(legal.any(axis=1), over_actions.top_actions(probabilities.T, legal.T), -1).astype(np.int64)


def point_mass(actions: Index, width: int) -> Matrix:
    """All probability on one action."""
    matrix = np.zeros((len(actions), width))
    rows = np.flatnonzero(actions >= 0)
    matrix[rows, actions[rows]] = 1.0
    return matrix


@_named_states
def affine(constants: Vector, weights: Matrix, features: list[Vector], rows: int) -> Matrix:
    """constants + weights . features, for each row and action; `weights` is features by actions."""
    result = np.broadcast_to(constants[:, None], (len(constants), rows)).copy()
    for weight, feature in zip(weights, features, strict=True):
        result += weight[:, None] * feature
    return result.T


# The gate, where doubles come too close to tell

_DIGITS = 80
_UNDECIDED = Decimal(10) ** -60


def exact_query_score(
    logits: Sequence[Fraction], floor: Fraction, entropy_weight: Fraction, features: Fraction
) -> Decimal:
    """q(s) before clipping, to 80 digits, for one state. `features` is their weighted sum."""
    with localcontext(Context(prec=_DIGITS)):
        exact = [_decimal(logit) for logit in logits]
        largest = max(exact)
        weights = [(logit - largest).exp() + _decimal(floor) for logit in exact]
        total = sum(weights, Decimal(0))
        # 0 log 0 = 0: a weight may underflow even here.
        entropy = -sum(((w / total) * (w / total).ln() for w in weights if w), Decimal(0))
        size = Decimal(max(2, len(logits))).ln()
        return _decimal(entropy_weight) * entropy / size + _decimal(features)


def at_least(score: Decimal, threshold: Fraction) -> bool | None:
    """score >= threshold; None where 80 digits do not tell."""
    with localcontext(Context(prec=_DIGITS)):
        distance = score - _decimal(threshold)
        return None if abs(distance) < _UNDECIDED else distance > 0


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
