"""A heads-up game of all-in or nothing: one card each from a full deck, and one bet that takes the whole stack.

Both players ante 1 and have 9 more. Player 0 checks or pushes; after a check player 1 may push too; a push is called or
folded to. The higher rank wins, equal ranks share.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

RANKS = "23456789TJQKA"
COPIES = 4
ANTE, STACK = 1, 9
ACTIONS = {"f": "fold", "c": "call", "r": "raise"}
POINTS = {"": "cr", "c": "cr", "r": "fc", "cr": "fc"}
"""What was done so far to what may be done."""

Policy = dict[str, list[float]]
"""Information set to the chances of its actions, in order."""
Exact = dict[str, list[Fraction]]
"""The same in rational numbers."""


def information_sets() -> list[str]:
    """Own card and what was done."""
    return [f"{rank}:{history}" for history in POINTS for rank in RANKS]


def deals() -> Iterator[tuple[str, Fraction]]:
    """Both cards, and their chance."""
    cards = len(RANKS) * COPIES
    for one in RANKS:
        for other in RANKS:
            left = COPIES - (one == other)
            yield one + other, Fraction(COPIES * left, cards * (cards - 1))


def won(cards: str, history: str) -> int:
    """What player 0 wins at the end of a hand."""
    if history.endswith("f"):
        return ANTE if len(history) % 2 == 0 else -ANTE
    higher = (RANKS.index(cards[0]) > RANKS.index(cards[1])) - (RANKS.index(cards[0]) < RANKS.index(cards[1]))
    return higher * (ANTE + STACK if "r" in history else ANTE)


def value(cards: str, policies: tuple[Policy, Policy], history: str = "") -> float:
    """What player 0 wins on average from here on, each player with a policy of their own."""
    if history not in POINTS:
        return float(won(cards, history))
    player = len(history) % 2
    chances = policies[player][f"{cards[player]}:{history}"]
    return sum(
        chance * value(cards, policies, history + action)
        for action, chance in zip(POINTS[history], chances, strict=True)
        if chance
    )
