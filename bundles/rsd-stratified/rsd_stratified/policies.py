"""The policies as the protocol states them: one state, plain Python, sums that round once."""

from __future__ import annotations

import math
from fractions import Fraction

from rsd_stratified.networks import forward
from rsd_stratified.protocol import DIRECTION
from rsd_stratified.states import Candidate, Row, Values


def real(text: str) -> float:
    """A declared constant as the nearest double."""
    return float(Fraction(text))


def feature(rule: Row, observation: Row) -> float:
    """One declared feature of an observation."""
    value = observation[rule["field"]]
    if rule["form"] == "capped-ratio":
        return min(1.0, float(value) / real(rule["cap"]))
    if rule["form"] == "capped-length":
        return min(1.0, len(value) / real(rule["cap"]))
    if rule["form"] == "first-lookup":
        return real(rule["table"][value[0]])
    return real(rule["table"][value])


def features(protocol: Row, observation: Row) -> Values:
    """Every declared feature of an observation, by name."""
    return {name: feature(rule, observation) for name, rule in protocol["features"].items()}


def normalize(weights: Values) -> Values:
    """Weights divided by their sum."""
    total = math.fsum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def exponentials(logits: Values) -> Values:
    """exp(z - max z)."""
    largest = max(logits.values())
    return {action: math.exp(logit - largest) for action, logit in logits.items()}


def teacher(protocol: Row, values: Values) -> Values:
    """Temperature softmax of the teacher's action values."""
    temperature = real(protocol["teacher"]["temperature"])
    return normalize(exponentials({action: value / temperature for action, value in values.items()}))


def anchor(protocol: Row, distribution: Values) -> Values:
    """The teacher's distribution, smoothed by the uniform one."""
    weight, uniform = real(protocol["anchor"]["teacher"]), real(protocol["anchor"]["uniform"])
    return {action: weight * mass + uniform * (1 / len(distribution)) for action, mass in distribution.items()}


def fixed_direction(seen: Values, legal: list[str]) -> Values:
    """The fixed family's affine rule."""
    return {
        action: math.fsum(
            [real(DIRECTION[action]["constant"])]
            + [real(weight) * seen[name] for name, weight in DIRECTION[action].get("terms", {}).items()]
        )
        for action in legal
    }


def learned_direction(checkpoint: Row, seen: Values, legal: list[str]) -> Values:
    """What a checkpoint's residual network says of a state."""
    return _outputs(checkpoint, "residual", seen, legal)


def base(checkpoint: Row, seen: Values, legal: list[str]) -> Values:
    """The checkpoint's own policy, which sees no teacher."""
    return normalize(exponentials(_outputs(checkpoint, "base", seen, legal)))


def tilt(start: Values, direction: Values, scale: str) -> Values:
    """The exponential tilt of a policy. Scale zero is the policy itself, to the bit."""
    if Fraction(scale) == 0:
        return start
    return normalize(
        exponentials({action: math.log(mass) + real(scale) * direction[action] for action, mass in start.items()})
    )


def policy(one: Candidate, anchored: Values, own: Values, directions: dict[str, Values]) -> Values:
    """A candidate's distribution, from the anchor, the student's own policy and the families' directions."""
    if one.family is None or one.scale is None:
        return anchored
    return tilt(own if one.policy == "student" else anchored, directions[one.family], one.scale)


def top_action(distribution: Values) -> str:
    """The largest probability; the earliest legal action among equals."""
    return max(distribution, key=lambda action: distribution[action])


def expected(distribution: Values, values: Values) -> float:
    """The mean action value under a distribution."""
    return math.fsum(mass * values[action] for action, mass in distribution.items())


def _outputs(checkpoint: Row, part: str, seen: Values, legal: list[str]) -> Values:
    outputs = forward(checkpoint[part], [seen[name] for name in checkpoint["features"]])
    by_action = dict(zip(checkpoint["actions"], outputs, strict=True))
    return {action: by_action[action] for action in legal}
