"""What the study reports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from push_fold_recipe.arms import ARMS, OPPONENTS, SEEDS
from push_fold_recipe.game import Policy, deals, value
from push_fold_recipe.solver import best_response

Hands = list[dict[str, Any]]


def called(name: str) -> str:
    """An arm as tables print it."""
    arm, _, seed = name.rpartition("-")
    return f"{ARMS[arm]}, seed {seed}"


def names() -> dict[str, Any]:
    """What printed names stand for."""
    learnt = {called(f"{arm}-{seed}"): f"{arm}-{seed}" for seed in SEEDS for arm in ARMS}
    profiles = {"Solver": "solver", "Uniform": "uniform", "Careful": "careful", "Loose": "loose"}
    return {
        "printed": {
            "profile": {**profiles, **learnt},
            "arm": learnt,
            "player": {"BR0": "0", "BR1": "1"},
            "opponent": {"solver": "solver", **{name: name for name in OPPONENTS}},
        }
    }


def exact_value(one: Policy, other: Policy) -> float:
    """What the first policy wins against the second, both seats alike."""
    first = sum(float(chance) * value(cards, (one, other)) for cards, chance in deals())
    second = -sum(float(chance) * value(cards, (other, one)) for cards, chance in deals())
    return (first + second) / 2


def score(hands: Hands) -> float:
    """Wins and half of the ties, by hands."""
    return sum({"win": 1.0, "tie": 0.5, "loss": 0.0}[hand["result"]] for hand in hands) / len(hands)


def text(number: float) -> str:
    """Four decimals; nothing that rounds to zero keeps its sign."""
    return f"{round(number, 4) + 0.0:.4f}"


def made(
    profiles: dict[str, Policy], opponents: dict[str, Policy], learnt: dict[str, Policy], hands: Hands
) -> dict[str, dict[str, Any]]:
    """All tables."""
    return {
        "profiles": profile_table(profiles, ("uniform", *opponents)),
        "arms": arm_table(opponents, learnt),
        "opponents": opponent_table(learnt, hands),
    }


def profile_table(profiles: dict[str, Policy], shown: tuple[str, ...]) -> dict[str, Any]:
    """What the solver and the opponents are worth."""
    rows = []
    for name in shown:
        one = profiles[name]
        best = [best_response(one, player) for player in range(2)]
        worth = sum(float(chance) * value(cards, (one, one)) for cards, chance in deals())
        conv = best[0] + best[1]
        recipes = {
            "BR0": _recipe("best_response", profile=name, player="0"),
            "BR1": _recipe("best_response", profile=name, player="1"),
            "u_0": _recipe("profile_value", profile=name),
            "NashConv": _recipe("nash_conv", profile=name),
            "Exploit.": _recipe("exploitability", profile=name),
        }
        rows.append(_row(name.capitalize(), map(text, (*best, worth, conv, conv / 2)), recipes))
    caption = "The solved profile, the uniform one and the opponents, evaluated over the whole tree."
    return _table("tab:profiles", caption, "Profile", rows)


def arm_table(opponents: dict[str, Policy], learnt: dict[str, Policy]) -> dict[str, Any]:
    """Every trained arm: exact values and exploitability."""
    rows = []
    for name, policy in learnt.items():
        exploitability = sum(best_response(policy, player) for player in range(2)) / 2
        values = [exact_value(policy, other) for other in opponents.values()]
        recipes = {
            f"Tree EV against {opponent}": _recipe("tree_ev", arm=name, opponent=opponent) for opponent in opponents
        }
        recipes["Exploit."] = _recipe("exploitability", profile=name)
        rows.append(_row(called(name), map(text, (*values, exploitability)), recipes))
    caption = "Exact value of every arm against the solver and under a shift of opponents, in chips per hand."
    return _table("tab:arms", caption, "Arm", rows)


def opponent_table(learnt: dict[str, Policy], hands: Hands) -> dict[str, Any]:
    """Scores against the opponents, and how many hands they are of."""
    rows = []
    for name in learnt:
        own = [hand for hand in hands if hand["arm"] == name]
        met = [[hand for hand in own if hand["opponent"] == opponent] for opponent in OPPONENTS]
        recipes = {
            f"Score against {opponent}": _recipe("match_score", arm=name, opponent=opponent) for opponent in OPPONENTS
        }
        recipes["Hands"] = _recipe("hands", arm=name)
        rows.append(_row(called(name), (*(text(score(some)) for some in met), str(len(own))), recipes))
    caption = "Wins and half of the ties by hands, on the same deals in both seats."
    return _table("tab:opponents", caption, "Arm", rows)


def _row(label: str, cells: Iterable[str], recipes: dict[str, Any]) -> dict[str, Any]:
    return {"label": label, "cells": [label, *cells], "recipes": recipes}


def _table(label: str, caption: str, first: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    columns = [{"label": name} for name in (first, *rows[0]["recipes"])]
    return {"label": label, "caption": caption, "columns": columns, "rows": rows}


def _recipe(metric: str, **arguments: str) -> dict[str, Any]:
    return {"metric": metric, "arguments": arguments}
