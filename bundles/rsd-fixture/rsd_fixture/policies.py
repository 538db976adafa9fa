"""The policies, as the paper writes them: one state, plain Python, sums that round once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from rsd_fixture.study import State, Values


def real(text: str) -> float:
    """A declared constant as the nearest double."""
    return float(Fraction(text))


def feature(protocol: dict[str, Any], name: str, state: State) -> float:
    rule = protocol["features"][name]
    value = state.observation[rule["field"]]
    if rule["form"] == "capped-ratio":
        return min(1.0, float(value) / real(rule["cap"]))
    if rule["form"] == "capped-length":
        return min(1.0, len(value) / real(rule["cap"]))
    if rule["form"] == "lookup":
        return real(rule["table"][value])
    return float(value)


def affine(protocol: dict[str, Any], rule: dict[str, Any], state: State) -> float:
    terms = rule.get("terms", {})
    return math.fsum(
        [real(rule["constant"])] + [real(weight) * feature(protocol, name, state) for name, weight in terms.items()]
    )


def normalize(weights: Values) -> Values:
    total = math.fsum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def exponentials(logits: Values) -> Values:
    largest = max(logits.values())
    return {action: math.exp(logit - largest) for action, logit in logits.items()}


def teacher(protocol: dict[str, Any], state: State) -> Values:
    """Temperature softmax of the teacher's action values."""
    temperature = real(protocol["teacher"]["temperature"])
    return normalize(exponentials({action: state.teacher[action] / temperature for action in state.legal}))


def anchor(protocol: dict[str, Any], state: State) -> Values:
    """0.92 teacher + 0.08 uniform."""
    distribution = teacher(protocol, state)
    weight, uniform = real(protocol["anchor"]["teacher"]), real(protocol["anchor"]["uniform"])
    return {action: weight * distribution[action] + uniform * (1 / len(state.legal)) for action in state.legal}


def tilt(protocol: dict[str, Any], direction: dict[str, Any], scale: str, state: State) -> Values:
    """The exponential tilt of the anchor. Scale zero is the anchor itself, to the bit."""
    base = anchor(protocol, state)
    if Fraction(scale) == 0:
        return base
    return normalize(
        exponentials(
            {
                action: math.log(base[action]) + real(scale) * affine(protocol, direction[action], state)
                for action in state.legal
            }
        )
    )


def top_action(distribution: Values, state: State) -> str:
    """The largest probability; the earliest legal action among equals."""
    best = state.legal[0]
    for action in state.legal:
        if distribution[action] > distribution[best]:
            best = action
    return best


def point(distribution: Values, state: State) -> Values:
    best = top_action(distribution, state)
    return {action: 1.0 if action == best else 0.0 for action in state.legal}


def prior(protocol: dict[str, Any], state: State) -> Values:
    """The observation-based prior of the query policy."""
    rule = protocol["prior"]
    logits = {action: affine(protocol, rule["logits"][action], state) for action in state.legal}
    return normalize({action: weight + real(rule["floor"]) for action, weight in exponentials(logits).items()})


def query_score(protocol: dict[str, Any], state: State) -> float:
    rule = protocol["query"]
    entropy = -math.fsum(p * math.log(p) for p in prior(protocol, state).values())
    score = math.fsum(
        [real(rule["entropy"]) * entropy / math.log(max(2, len(state.legal)))]
        + [real(weight) * feature(protocol, name, state) for name, weight in rule["terms"].items()]
    )
    return min(1.0, max(0.0, score))
