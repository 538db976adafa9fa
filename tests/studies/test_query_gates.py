"""Random, entropy and learned gates with their budgets, against plain Python over the records."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import sealtrace
from studies.certified_study import ACTIONS, SPLITS, Parts, certified_study

PRIOR = {
    "logits": {
        "stay": {"constant": "0.2", "terms": {"seat": "1/2"}},
        "move": {"constant": "0", "terms": {"pot_pressure": "1"}},
    },
    "floor": "0.02",
}
GATE: dict[str, Any] = {
    "family": "asking",
    "features": ["pot_pressure", "seat"],
    "actions": ACTIONS,
    "gate": [
        {"weights": [[0.5, -1.0], [1.0, 0.25]], "bias": [0.0, 0.25], "activation": "tanh"},
        {"weights": [[1.5], [-0.5]], "bias": [-0.25], "activation": "logistic"},
    ],
}
GATES: dict[str, dict[str, Any]] = {
    "chance": {"entropy": "0", "terms": {}, "random": 5, "threshold": "0.4", "budget": 6},
    "entropy": {"entropy": "1", "terms": {}, "threshold": "0", "budget": 7, "first": "score"},
    "learned": {
        "entropy": "0",
        "terms": {},
        "learned": "asking",
        "threshold": "1/2",
        "budget": 8,
        "first": "score",
        "events": ["call", "no call"],
    },
    "never": {"entropy": "0", "terms": {}, "threshold": "2"},
    "always": {"entropy": "0", "terms": {}, "threshold": "0"},
}


def features(row: dict[str, Any]) -> dict[str, float]:
    """The declared features of an observation."""
    return {"pot_pressure": min(1.0, row["pot"] / 10), "seat": 0.0 if row["position"] == "early" else 1.0}


def prior(row: dict[str, Any]) -> dict[str, float]:
    """The prior at an observation."""
    seen = features(row)
    logits = {"stay": 0.2 + 0.5 * seen["seat"], "move": seen["pot_pressure"]}
    weights = {action: math.exp(logit - max(logits.values())) + 0.02 for action, logit in logits.items()}
    return {action: weight / math.fsum(weights.values()) for action, weight in weights.items()}


def score(arm: str, row: dict[str, Any], draws: dict[str, float]) -> float:
    """What a gate says of an observation."""
    if arm == "chance":
        return draws[row["state"]]
    if arm == "entropy":
        return -math.fsum(p * math.log(p) for p in prior(row).values()) / math.log(2)
    if arm == "learned":
        pot, seat = features(row).values()
        hidden = [math.tanh(0.5 * pot + seat), math.tanh(-pot + 0.25 * seat + 0.25)]
        return 1 / (1 + math.exp(-(1.5 * hidden[0] - 0.5 * hidden[1] - 0.25)))
    return 0.0


def with_gates(parts: Parts) -> None:
    """Five arms that ask the teacher, each by a gate of its own; they do not compete."""
    protocol = parts["protocol"]
    protocol |= {"prior": PRIOR, "gates": dict(GATES)}
    protocol["charges"] |= {
        event: {"tokens": 3, "latency_ms": "0.5", "tool_calls": 1}
        for event in ("query-accepted", "query-rejected", "call", "no call")
    }
    parts["checkpoint"]["asking"] = GATE
    everyone = sorted((row["state"] for rows in parts["observation"].values() for row in rows), key=str)
    stream = Random(5)
    draws = {state: stream.random() for state in everyone}
    for arm, gate in GATES.items():
        parts["candidate"].append(
            {
                "arm": arm,
                "policy": "query",
                "interface": "teacher-backed",
                "serializer": ACTIONS,
                "normalization": "shifted-exponential",
            }
        )
        for split in SPLITS:
            rows = sorted(parts["observation"][split], key=lambda row: str(row["state"]))
            scores = {row["state"]: score(arm, row, draws) for row in rows}
            asks = [row["state"] for row in rows if Fraction(scores[row["state"]]) >= Fraction(gate["threshold"])]
            if gate.get("first") == "score":
                asks = sorted(asks, key=lambda state: -scores[state])
            accepted = set(asks[: gate.get("budget")])
            anchors = {row["state"]: row for row in parts["trace"][split] if row["arm"] == "anchor"}
            values = {(row["state"], row["evaluator"]): row["values"] for row in parts["values"][split]}
            for row in rows:
                state = row["state"]
                policy = anchors[state]["probabilities"] if state in accepted else prior(row)
                event = gate.get("events", ["query-accepted", "query-rejected"])[state not in accepted]
                ledger = [{"event": "policy", "tokens": 1, "latency_ms": 0.1, "tool_calls": 0}]
                if state in asks:
                    ledger.append({"event": event, "tokens": 3, "latency_ms": 0.5, "tool_calls": 1})
                trace = {**anchors[state], "arm": arm, "probabilities": policy, "ledger": ledger}
                trace["action"] = max(ACTIONS, key=lambda action: policy[action])
                trace["inputs"] = ["legal", "position", "pot", *(["teacher.distribution"] if state in accepted else [])]
                trace["query"] = {"requested": state in asks, "accepted": state in accepted, "score": scores[state]}
                parts["trace"][split].append(trace)
                weak, strong = (
                    math.fsum(policy[a] * values[state, evaluator][a] for a in ACTIONS)
                    for evaluator in ("weak", "strong")
                )
                base = anchors[state]["probabilities"]
                delta = strong - math.fsum(base[a] * values[state, "strong"][a] for a in ACTIONS)
                moved = sum(
                    (Fraction(policy[a]) - Fraction(base[a])) * Fraction(values[state, "strong"][a]) for a in ACTIONS
                )
                scored = {"weak": weak, "strong": strong, "delta": delta, "crossing": moved < -Fraction("0.05")}
                parts["score"][split].append({"state": state, "arm": arm, "split": split, **scored})


def test_five_gates_are_replayed(tmp_path: Path) -> None:
    """Requests, acceptances, policies, charges and inputs of every gate are what plain Python gives."""
    report = sealtrace.verify(certified_study(tmp_path / "bundle", with_gates))
    assert [(one.check, one.key, one.expected, one.found) for one in report.findings if one.severity == "error"] == []
    assert report.verdict == "verified"
    (gate,) = [one for one in report.checks if one.id == "replay.query-gate"]
    assert gate.inspected == len(GATES) * sum(SPLITS.values())


def changed(**gate: Any) -> Any:
    """Changes the declaration of a gate after the traces were made."""
    ((arm, settings),) = gate.items()

    def change(parts: Parts) -> None:
        with_gates(parts)
        parts["protocol"]["gates"][arm] = {**GATES[arm], **settings}

    return change


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (changed(chance={"random": 6}), "/query/score"),
        (changed(chance={"budget": 5}), "/query/accepted"),
        (changed(entropy={"first": "state"}), "/query/accepted"),
        (changed(entropy={"threshold": "0.99"}), "/query/requested"),
        (changed(learned={"budget": 9}), "/query/accepted"),
        (changed(never={"threshold": "0"}), "/query/requested"),
    ],
)
def test_another_gate_is_found(tmp_path: Path, change: Any, field: str) -> None:
    """A seed, a budget, an order or a threshold that the traces do not follow."""
    report = sealtrace.verify(certified_study(tmp_path / "bundle", change), check=["replay.query-gate"])
    assert field in {one.field for one in report.findings if one.check == "replay.query-gate"}


def test_a_gate_has_one_way_to_its_score(tmp_path: Path) -> None:
    """Random and learned at once is refused, and so is an order of acceptance without a budget."""

    def change(parts: Parts) -> None:
        with_gates(parts)
        parts["protocol"]["gates"]["learned"] = {**GATES["learned"], "random": 1}
        parts["protocol"]["gates"]["always"] = {**GATES["always"], "first": "score"}

    report = sealtrace.verify(certified_study(tmp_path / "bundle", change), check=["protocol.domain"])
    assert {one.field for one in report.findings} == {"/gates/learned", "/gates/always/first"}


def test_a_learned_gate_needs_its_weights(tmp_path: Path) -> None:
    """Without them its requests are missing, not passed."""

    def change(parts: Parts) -> None:
        with_gates(parts)
        del parts["checkpoint"]["asking"]

    report = sealtrace.verify(certified_study(tmp_path / "bundle", change))
    missing = {one.id for one in report.checks if one.status == "missing"}
    assert {"bank.checkpoints", "replay.query-gate"} <= missing


def test_weights_of_a_gate_have_one_output(tmp_path: Path) -> None:
    """A gate that gives two numbers decides nothing."""

    def change(parts: Parts) -> None:
        with_gates(parts)
        parts["checkpoint"]["asking"] = {**GATE, "gate": GATE["gate"][:1]}

    report = sealtrace.verify(certified_study(tmp_path / "bundle", change), check=["bank.checkpoints"])
    assert "/gate" in {one.field for one in report.findings if one.severity == "error"}
