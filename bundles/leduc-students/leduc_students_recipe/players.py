"""The teacher, the two opponents, and students as policies: probabilities by information set, one at a time."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from leduc_recipe.game import RANKS, State
from leduc_recipe.solver import Policy, averages, information_sets
from leduc_students_recipe.settings import FEATURES, OPPONENTS, RUNS

WEIGHTS = Path(__file__).parent / "weights"
SETS = information_sets()


def teacher_and_opponents() -> tuple[Policy, dict[str, Policy]]:
    """The average after a thousand updates; the average after three; and a player who follows a rule of thumb."""
    made = dict(averages((3, 1000)))
    return made[1000], dict(zip(OPPONENTS, (made[3], {name: rule(state) for name, state in SETS.items()}), strict=True))


def rule(state: State) -> list[float]:
    """Raises with a pair or a king, calls with a queen or when it is free, gives up the rest two times in three."""
    own = state.cards[state.player]
    strong = own == state.board or own == RANKS[-1]
    wish = {"f": 0.0, "c": 0.3, "r": 0.7} if strong else {"f": 0.2, "c": 0.7, "r": 0.1}
    if not strong and own == RANKS[0]:
        wish = {"f": 0.6, "c": 0.3, "r": 0.1}
    total = sum(wish[action] for action in state.legal)
    return [wish[action] / total for action in state.legal]


def features(state: State) -> list[float]:
    """What the acting player sees, as numbers."""
    own = state.cards[state.player]
    seen = {
        "pair": float(own == state.board),
        "second round": float(state.board != ""),
        "facing a raise": float(state.betting.endswith("r")),
        "player 1": float(state.player == 1),
        "raises": state.betting.count("r") / 2,
        "earlier raises": state.first.count("r") / 2 if state.board else 0.0,
    }
    for rank in RANKS:
        seen[f"rank {rank}"] = float(own == rank)
        seen[f"public {rank}"] = float(state.board == rank)
    return [seen[name] for name in FEATURES]


def load_students() -> dict[str, dict[str, Any]]:
    """The frozen weights, by run."""
    return {run: json.loads((WEIGHTS / f"{run}.json").read_text(encoding="utf-8")) for run in RUNS}


def run_layers(values: list[float], layers: list[dict[str, Any]]) -> list[float]:
    """A small network, one neuron at a time."""
    for layer in layers:
        sums = list(layer["bias"])
        for value, row in zip(values, layer["weights"], strict=True):
            sums = [total + value * weight for total, weight in zip(sums, row, strict=True)]
        values = [math.tanh(total) for total in sums] if layer["activation"] == "tanh" else sums
    return values


class StudentPlayer:
    """One student: its base and its residual at every information set, from observations alone."""

    def __init__(self, record: dict[str, Any]) -> None:
        seen = {name: features(state) for name, state in SETS.items()}
        self.base = {name: run_layers(values, record["base"]) for name, values in seen.items()}
        self.residual = {name: run_layers(values, record["residual"]) for name, values in seen.items()}

    def policy(self, scale: str) -> Policy:
        """π ∝ exp(base + scale · residual) on legal actions."""
        result: Policy = {}
        for name, state in SETS.items():
            places = ["fcr".index(action) for action in state.legal]
            logits = [self.base[name][place] + float(scale) * self.residual[name][place] for place in places]
            highest = max(logits)
            weights = [math.exp(logit - highest) for logit in logits]
            result[name] = [weight / sum(weights) for weight in weights]
        return result
