"""Students of a game: policies from frozen weights and from what the acting player sees, and their risk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sealtrace.mathematics import Index, Vector
from sealtrace.mathematics.networks import NetworkLayer, forward
from sealtrace.studies.games.mathematics.evaluation import action_values
from sealtrace.studies.games.mathematics.hands import draw
from sealtrace.studies.games.mathematics.tables import Game


def features(game: Game, names: Sequence[str]) -> Vector:
    """Information set × feature, from the name of the information set alone; NaN for a feature that nobody knows.

    `rank X` and `public X` are 1 where the own or the public card is X; `pair`, `second round`, `facing a raise` and
    `player 1` are 1 where that is so; `raises` and `earlier raises` are the raises of this round and of the one
    before it, as shares of what a round allows.
    """
    columns = np.full((len(game.information_sets), len(names)), np.nan)
    for row, each in enumerate(game.information_sets):
        own, _, betting = each.name.partition(":")
        first, _, later = betting.partition("/")
        public, _, second = later.partition(":")
        now = second if public else first
        known = {
            "pair": own == public,
            "second round": bool(public),
            "facing a raise": now.endswith("r"),
            "player 1": each.player == 1,
            "raises": now.count("r") / game.cap,
            "earlier raises": first.count("r") / game.cap if public else 0.0,
        }
        known |= {f"rank {rank}": own == rank for rank in game.ranks}
        known |= {f"public {rank}": public == rank for rank in game.ranks}
        columns[row] = [float(known.get(name, np.nan)) for name in names]
    return columns


def student_policies(
    game: Game, inputs: Vector, base: Sequence[NetworkLayer], residual: Sequence[NetworkLayer], scales: Vector
) -> Vector:
    """Scale × information set × action: π ∝ exp(base + scale · residual) on legal actions."""
    # What overflows is no number, which the checks name.
    with np.errstate(over="ignore", invalid="ignore"):
        logits = forward(inputs, base)[None] + scales[:, None, None] * forward(inputs, residual)[None]
        logits = np.where(game.legal, logits, -np.inf)
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        policies: Vector = weights / weights.sum(axis=-1, keepdims=True)
    return policies


def evaluators(game: Game, teacher: Vector, smoothing: float) -> tuple[Vector, Vector]:
    """Weak and strong action values: against a uniform opponent, and against the teacher mixed with a uniform one."""
    uniform = game.legal / game.legal.sum(axis=1, keepdims=True)
    smoothed = (1 - smoothing) * teacher + smoothing * uniform
    return action_values(game, teacher, uniform), action_values(game, teacher, smoothed)


def sample(game: Game, seed: int, draws: int) -> Index:
    """Information sets drawn with replacement, each with the same chance: draw i is named `state/i`."""
    size = len(game.information_sets)
    return np.array([int(draw(seed, "state", str(place)) * size) for place in range(draws)], np.int64)


def deltas(policies: Vector, values: Vector, anchor: Vector) -> Vector:
    """Policy × information set: the expected value less the anchor's at the same information set."""
    gained: Vector = (policies * values).sum(axis=-1) - (anchor * values).sum(axis=-1)
    return gained
