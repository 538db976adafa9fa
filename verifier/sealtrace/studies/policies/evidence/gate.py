"""When the query gate asks the teacher: in doubles, and exactly where its score comes close to the threshold."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np

from sealtrace.bundle.frames import Mask, Vector
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.calibration import UndeclaredError
from sealtrace.studies.policies.evidence.outcomes import in_order
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import policies
from sealtrace.studies.policies.records.policies import Affine
from sealtrace.studies.policies.records.protocol import PriorRule, QueryRule

CLOSE = 1e-9
"""Gate scores nearer than this to the threshold are decided with 80 digits."""


@once
def gate_requests(study: Study, arm: str) -> tuple[Vector, Mask, Mask]:
    """The score of an arm's gate at every observed state, whether it asks, and whether that is decided."""
    rule, prior = study.declared.gate(arm), study.declared.prior
    if rule is None or prior is None:
        raise UndeclaredError("the protocol declares no prior or no gate")
    threshold = exact(rule.threshold)
    if rule.random is not None:
        drawn = _random_scores(study, rule.random)
        # A stored double is a rational number: nothing here is near a threshold.
        return drawn, np.array([Fraction(one) >= threshold for one in drawn.tolist()], np.bool_), np.isfinite(drawn)
    if rule.learned is not None:
        learned = _learned_scores(study, rule.learned)
        return (
            learned,
            learned >= float(threshold),
            np.isfinite(learned) & (np.abs(learned - float(threshold)) >= CLOSE),
        )
    weights = [as_double(exact(weight)) for weight in rule.terms.values()]
    features = [study.feature(name) for name in rule.terms]
    score = policies.query_score(
        policies.normalized(study.prior_weights), study.legal.named, as_double(exact(rule.entropy)), weights, features
    )
    decided = np.isfinite(score)
    if not 0 < threshold <= 1:
        # The score is clipped to [0, 1], so it is always at least the threshold, or never.
        return score, np.full(len(score), threshold <= 0), decided
    asks = score >= float(threshold)
    for state in np.flatnonzero(decided & (np.abs(score - float(threshold)) < CLOSE)).tolist():
        answer = _decide(study, rule, prior, state)
        asks[state], decided[state] = bool(answer), answer is not None
    return score, asks, decided


def _random_scores(study: Study, seed: int) -> Vector:
    """One draw per observed state, in order of state id."""
    stream = Random(seed)
    scores = np.empty(len(study.states))
    for state in in_order(study, np.arange(len(study.states))).tolist():
        scores[state] = stream.random()
    return scores


def _learned_scores(study: Study, family: str) -> Vector:
    """What a learned gate says of every observed state, clipped to [0, 1]."""
    checkpoint = study.gate_weights(family)
    said = None if checkpoint is None else checkpoint.gate(study)
    if said is None:
        raise UndeclaredError("the bundle has no weights of the learned gate, or they cannot be run")
    clipped: Vector = np.clip(said[:, 0], 0.0, 1.0)
    return clipped


def _decide(study: Study, rule: QueryRule, prior: PriorRule, state: int) -> bool | None:
    """Whether the gate asks at one state, with exact features and 80 digits."""

    def weighted(terms: dict[str, str]) -> Fraction:
        return sum((exact(terms[name]) * study.exact_feature(name, state) for name in terms), Fraction(0))

    def affine(declared: Affine) -> Fraction:
        return exact(declared.constant) + weighted(declared.terms or {})

    if exact(rule.entropy) == 0:
        return weighted(rule.terms) >= exact(rule.threshold)
    legal = [action for action, there in zip(study.actions, study.legal.named[state], strict=True) if there]
    score = policies.exact_query_score(
        [affine(prior.logits[action]) for action in legal],
        exact(prior.floor),
        exact(rule.entropy),
        weighted(rule.terms),
    )
    return policies.at_least(score, exact(rule.threshold))
