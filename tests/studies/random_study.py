"""Random studies of the recipe's shape, with the ties and the knife edges that real ones rarely have."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

from rsd_fixture.study import Arm, State, Study, Values

ACTIONS = ["fold", "check", "call", "bet ½", "raise", "all-in"]
RANKS = ["J", "Q", "K", "A"]
POSITIONS = ["BB", "BTN", "CO"]
INTERFACE = ["hero", "board", "position", "pot", "stack", "history", "legal"]
ANCHORS = [("0.92", "0.08"), ("3/4", "0.25"), ("0.5", "1/2"), ("7/8", "0.125"), ("2/3", "1/3")]
"""Teacher and uniform weights whose nearest doubles sum to exactly one, so that halves stay halves."""
TAUS = ["0.05", "0.0625", "1/16", "0.25", "1/3", "0.7"]


def random_study(random: Random) -> Study:
    """A study that the recipe can build and that the verifier must accept."""
    actions = _in_order(random, ACTIONS, random.randint(2, len(ACTIONS)))
    grid = _grid(random)
    tau = random.choice(TAUS)
    asks = random.random() < 0.85
    selects = random.random() < 0.85
    protocol: dict[str, Any] = {
        "study": f"random-{random.randrange(10**6)}",
        "title": "A random study",
        "anonymous": random.random() < 0.5,
        "actions": actions,
        "splits": [],
        "tau": tau,
        "scale_grid": grid,
        "evaluators": {"utility": "weak", "risk": "strong"},
        "features": _features(random),
        "teacher": {"temperature": random.choice(["1.5", "2", "2.5", "10/3"])},
        "anchor": dict(zip(("teacher", "uniform"), random.choice(ANCHORS), strict=True)),
        "charges": {
            event: {"tokens": random.randint(0, 9), "latency_ms": _constant(random, 0, 300), "tool_calls": calls}
            for event, calls in (("policy", 0), ("residual", 0), ("query-accepted", 1), ("query-rejected", 1))
        },
        "interfaces": {"teacher-backed": [*INTERFACE, "teacher.distribution"], "teacher-free": INTERFACE},
        "ties": {"action": "earliest-legal"},
        "tolerances": {"normalization": "1e-12", "replay": "1e-12"},
    }
    empty = {"structure": "Random studies learn no partition."}
    arms = [Arm("anchor", "anchor"), *(Arm("residual", "tilt", scale) for scale in [*grid, "7"])]
    if random.random() < 0.85:
        arms.append(Arm("top-1", "top-action"))
    if asks:
        protocol |= _query(random, actions)
        arms.append(Arm("active-query", "query"))
    if selects:
        protocol["selectors"] = [{"name": "empirical-zero", "rule": "empirical-zero", "arm": "residual"}]
    else:
        protocol["selectors"] = []
        empty["select"] = "Nothing is selected."
    random.shuffle(arms)
    states = _states(random, protocol)
    return Study(protocol, _affine_rules(random, actions), arms, states, empty=empty)


def threshold_state(observation: dict[str, Any], tau: float, steps: int) -> State:
    """A state whose top-action policy has d = -tau, or `steps` doubles above it (below, if negative).

    Both actions have the same teacher value, so the anchor is (1/2, 1/2) and d is half the strong
    value of the first action: doubles all of them, with nothing rounded.
    """
    first, second = observation["legal"]
    value = -2 * tau
    for _ in range(abs(steps)):
        value = math.nextafter(value, math.copysign(math.inf, steps))
    return State(observation, {first: 1.5, second: 1.5}, {first: 1.0, second: -0.5}, {first: value, second: 0.0})


def _in_order(random: Random, names: list[str], size: int) -> list[str]:
    chosen = set(random.sample(names, size))
    return [name for name in names if name in chosen]


def _constant(random: Random, low: int, high: int) -> str:
    """An exact constant between low and high hundredths: a decimal or a ratio."""
    hundredths = random.randint(low, high)
    if random.random() < 0.3:
        return f"{hundredths}/{random.choice([99, 100, 128])}"
    return f"{'-' if hundredths < 0 else ''}{abs(hundredths) // 100}.{abs(hundredths) % 100:02d}"


def _grid(random: Random) -> list[str]:
    """Zero and some positive scales, ascending, each written as its author liked."""
    scales = {Fraction(random.choice(["1/3", "0.04", "0.08", "1/7", "0.5", "2", "1"])) for _ in range(4)}
    scales |= {Fraction(random.randint(1, 400), 100) for _ in range(random.randint(0, 3))}
    texts = ["0"]
    for scale in sorted(scales):
        exact_decimal = Fraction(str(float(scale))) == scale
        texts.append(str(float(scale)) if exact_decimal and random.random() < 0.6 else str(scale))
    return texts


def _features(random: Random) -> dict[str, Any]:
    return {
        "pot_pressure": {"field": "pot", "form": "capped-ratio", "cap": random.choice(["10", "7.5", "20/3"])},
        "history_depth": {"field": "history", "form": "capped-length", "cap": random.choice(["4", "3", "5/2"])},
        "rank": {
            "field": "hero",
            "form": "lookup",
            "table": {rank: _constant(random, -100, 300) for rank in RANKS},
        },
        "position_certainty": {
            "field": "position",
            "form": "lookup",
            "table": {position: _constant(random, 0, 100) for position in POSITIONS},
        },
        "depth": {"field": "stack", "form": "number"},
    }


def _affine(random: Random) -> dict[str, Any]:
    rule: dict[str, Any] = {"constant": _constant(random, -60, 60)}
    names = random.sample(["pot_pressure", "history_depth", "rank", "position_certainty"], random.randint(0, 3))
    terms = {name: _constant(random, -50, 50) for name in names}
    if random.random() < 0.2:
        terms["depth"] = "0.01"
    if terms or random.random() < 0.3:
        rule["terms"] = terms
    return rule


def _affine_rules(random: Random, actions: list[str]) -> dict[str, Any]:
    """One rule per action; sometimes the same for all, so that probabilities tie."""
    if random.random() < 0.2:
        rule = _affine(random)
        return dict.fromkeys(actions, rule)
    return {action: _affine(random) for action in actions}


def _query(random: Random, actions: list[str]) -> dict[str, Any]:
    """Prior and gate. Some gates clip their score, and some budgets refuse requests."""
    gate: dict[str, Any] = {
        "entropy": _constant(random, 10, 70),
        "terms": {
            name: _constant(random, -60, 60)
            for name in random.sample(["pot_pressure", "history_depth", "rank"], random.randint(0, 3))
        },
        "threshold": random.choice(["0", "0.301", "0.449", "0.587", "0.713", "1", "1.5"]),
    }
    if random.random() < 0.6:
        gate["budget"] = random.randint(0, 4)
    return {
        "prior": {"logits": _affine_rules(random, actions), "floor": random.choice(["0", "0.02", "1/30"])},
        "query": gate,
    }


def _states(random: Random, protocol: dict[str, Any]) -> list[State]:
    """States in order of their ids, each in one of two splits; fills in the protocol's splits."""
    prefix = random.choice(["", "s-", "état ", "x9."])
    size = random.randint(2, 14)
    roles = {"calibration": random.choice(["calibration", "C"]), "held-out": random.choice(["held-out", "H ½"])}
    by_parity = random.random() < 0.4
    assigned = [("calibration", "held-out")[number % 2] for number in range(size)]
    if not by_parity:
        random.shuffle(assigned)
        rare = random.randrange(size)
        assigned = [random.choice([role, assigned[rare]]) for role in assigned]
        assigned[0], assigned[-1] = "held-out", "calibration"
    for remainder, (role, name) in enumerate(roles.items()):
        split: dict[str, Any] = {"name": name, "role": role, "states": assigned.count(role)}
        if by_parity:
            split["rule"] = {"modulus": 2, "remainder": remainder}
        protocol["splits"].append(split)
    ids = [f"{prefix}{number:04d}" for number in range(size)]
    return [
        _state(random, protocol, number, ids[number], roles[role])
        for number, role in sorted(enumerate(assigned), key=lambda item: ids[item[0]].encode())
    ]


def _state(random: Random, protocol: dict[str, Any], number: int, name: str, split: str) -> State:
    actions = protocol["actions"]
    seen: dict[str, Any] = {
        "state": name,
        "split": split,
        "legal": _in_order(random, actions, min(len(actions), random.choice([1, 2, 2, 3, 3, 4, 5, 6]))),
        "hero": random.choice(RANKS),
        "board": random.sample(RANKS, random.randint(0, 3)),
        "position": random.choice(POSITIONS),
        "pot": random.choice([random.randint(1, 12), round(random.uniform(1, 12), 3)]),
        # No two states look the same, so that none stands in both splits.
        "stack": 10 + number + random.choice([0, 0.25, 0.5]),
        "history": [random.choice(["check", "raise"]) for _ in range(random.randint(0, 5))],
    }
    if random.random() < 0.3:
        seen["block"] = f"{split} {random.randint(0, 2)}"
    if len(seen["legal"]) == 2 and random.random() < 0.3:
        return threshold_state(seen, float(Fraction(protocol["tau"])), random.choice([-1, 0, 0, 1]))
    teacher: Values = {action: random.randint(-16, 16) / 4 for action in seen["legal"]}
    if random.random() < 0.3:
        teacher = _with_tie(random, teacher)
    weak = {action: value + random.choice([0, 0.75, random.uniform(-2, 2)]) for action, value in teacher.items()}
    strong = {action: value - random.choice([0, 1.5, random.uniform(-2, 4)]) for action, value in teacher.items()}
    return State(seen, teacher, weak, strong)


def _with_tie(random: Random, values: Values) -> Values:
    """The same values, the largest of them shared by several actions."""
    best = max(values.values())
    return {action: best if random.random() < 0.5 else value for action, value in values.items()}
