"""The bank of policies as the protocol states them: one arrival at a time, sums that round once."""

from __future__ import annotations

import math
from fractions import Fraction

from ward_triage_recipe.arrivals import Arrival, Values
from ward_triage_recipe.declared import ACTIONS, ARMS, DESK, FEATURES, GRID, RULES, Row

BANK: list[tuple[str, str | None]] = [("anchor", None), *((arm, scale) for arm in ARMS for scale in GRID)]
"""Arm and scale of every candidate; those that compete in the order of arms."""


def features(seen: Row) -> Values:
    """The declared features of an arrival."""
    return {name: _feature(rule, seen[rule["field"]]) for name, rule in FEATURES.items()}


def _feature(rule: Row, value: object) -> float:
    match rule["form"]:
        case "lookup":
            return float(Fraction(rule["table"][value]))
        case "capped-ratio":
            return min(1.0, float(value) / float(Fraction(rule["cap"])))  # type: ignore[arg-type]
        case "capped-length":
            return min(1.0, len(value) / float(Fraction(rule["cap"])))  # type: ignore[arg-type]
        case _:
            return float(value)  # type: ignore[arg-type]


def softmax(logits: Values) -> Values:
    """Shifted exponentials, normalized."""
    largest = max(logits.values())
    weights = {action: math.exp(logit - largest) for action, logit in logits.items()}
    total = math.fsum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def nurse(one: Arrival) -> Values:
    """The nurse's rule as a distribution, at temperature 2."""
    return softmax({action: value / 2 for action, value in one.nurse.items()})


def distributions(one: Arrival) -> dict[tuple[str, str | None], Values]:
    """Every candidate's distribution at one arrival."""
    seen = features(one.seen)
    anchor = {action: 0.9 * mass + 0.1 * (1 / len(ACTIONS)) for action, mass in nurse(one).items()}
    own = softmax(_network("base", seen))
    found: dict[tuple[str, str | None], Values] = {("anchor", None): anchor}
    for arm, scale in BANK[1:]:
        direction = _network("residual", seen) if arm == "desk" else _affine(RULES[arm], seen)
        start = own if arm == "desk" else anchor
        step = float(Fraction(scale or "0"))
        found[arm, scale] = softmax({action: math.log(start[action]) + step * direction[action] for action in ACTIONS})
    return found


def _affine(rules: Row, seen: Values) -> Values:
    return {
        action: math.fsum(
            [float(Fraction(rule["constant"]))]
            + [float(Fraction(weight)) * seen[name] for name, weight in rule.get("terms", {}).items()]
        )
        for action, rule in rules.items()
    }


def _network(head: str, seen: Values) -> Values:
    (layer,) = DESK[head]
    inputs = [seen[name] for name in DESK["features"]]
    columns = zip(*layer["weights"], strict=True)
    return {
        action: math.fsum([bias, *(value * weight for value, weight in zip(inputs, column, strict=True))])
        for action, bias, column in zip(ACTIONS, layer["bias"], columns, strict=True)
    }


def expected(policy: Values, values: Values) -> float:
    """The mean value of a policy's actions."""
    return math.fsum(policy[action] * values[action] for action in ACTIONS)


def crosses(policy: Values, anchor: Values, safety: Values, tau: Fraction) -> bool:
    """Whether the policy is less safe than the anchor by more than tau, with nothing rounded."""
    moved = sum(((Fraction(policy[a]) - Fraction(anchor[a])) * Fraction(safety[a]) for a in ACTIONS), Fraction(0))
    return moved < -tau
