"""Paired hands: every arm meets every opponent on the same deals, once in each seat."""

from __future__ import annotations

import hashlib
from typing import Any

from push_fold_recipe.game import COPIES, POINTS, RANKS, Policy, won

SEED, PAIRS = 20261, 400
Z = "1.96"
"""Standard errors of an interval."""


def draw(match: int, purpose: str) -> float:
    """The first 53 bits of a digest, as a number in [0, 1)."""
    digest = hashlib.sha256(f"{SEED}/{match}/{purpose}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def hands(arms: dict[str, Policy], opponents: dict[str, Policy]) -> list[dict[str, Any]]:
    """All match records."""
    return [
        _hand(match, name, opponent, seat, (arm, other) if seat == 0 else (other, arm))
        for name, arm in arms.items()
        for opponent, other in opponents.items()
        for match in range(PAIRS)
        for seat in range(2)
    ]


def _hand(match: int, arm: str, opponent: str, seat: int, seats: tuple[Policy, Policy]) -> dict[str, Any]:
    deck = [rank for rank in RANKS for _ in range(COPIES)]
    cards = "".join(deck.pop(int(draw(match, f"card {place}") * len(deck))) for place in range(2))
    history = ""
    while history in POINTS:
        drawn, total = draw(match, f"action {len(history)}"), 0.0
        options, chances = POINTS[history], seats[len(history) % 2][f"{cards[len(history) % 2]}:{history}"]
        taken = options[-1]
        for action, chance in zip(options, chances, strict=True):
            total += chance
            if drawn < total:
                taken = action
                break
        history += taken
    value = won(cards, history) * (1 if seat == 0 else -1)
    return {
        "match": str(match),
        "arm": arm,
        "opponent": opponent,
        "seat": seat,
        "cards": cards,
        "history": history,
        "result": "win" if value > 0 else "loss" if value < 0 else "tie",
        "value": float(value),
        "opponent_value": float(-value),
    }
