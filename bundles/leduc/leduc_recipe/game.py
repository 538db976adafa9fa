"""Leduc poker, one history at a time.

Six cards: J, Q, K, each twice. Both players ante 1 and hold one card. A betting round allows two raises, of 2 in the
first round and of 4 in the second; player 0 acts first in both. A public card is dealt between the rounds. At a
showdown a pair with the public card wins, then the higher card; equal cards share the pot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

RANKS = "JQK"
ACTIONS = {"f": "fold", "c": "call", "r": "raise"}
RAISES = (2, 4)
MOST_RAISES = 2


@dataclass(frozen=True)
class State:
    """One history: both private cards, the public card once it is dealt, and the letters of both rounds."""

    cards: str
    first: str = ""
    board: str = ""
    second: str = ""

    @property
    def betting(self) -> str:
        """The actions of the round that is being played."""
        return self.second if self.board else self.first

    @property
    def folded(self) -> bool:
        return self.betting.endswith("f")

    @property
    def round_over(self) -> bool:
        """Both checked, or the last raise was called."""
        return len(self.betting) > 1 and self.betting.endswith("c")

    @property
    def deals_board(self) -> bool:
        return self.round_over and not self.board

    @property
    def ended(self) -> bool:
        return self.folded or (self.round_over and self.board != "")

    @property
    def player(self) -> int:
        return len(self.betting) % 2

    @property
    def information_set(self) -> str:
        """What the acting player sees: the own card, then the actions, with the public card between the rounds."""
        own = self.cards[self.player]
        return f"{own}:{self.first}/{self.board}:{self.second}" if self.board else f"{own}:{self.first}"

    @property
    def legal(self) -> str:
        """Fold only against a raise; call or check always; raise while the round allows it."""
        fold = "f" if self.betting.endswith("r") else ""
        more = "r" if self.betting.count("r") < MOST_RAISES else ""
        return fold + "c" + more

    def after(self, action: str) -> State:
        if self.board:
            return State(self.cards, self.first, self.board, self.second + action)
        return State(self.cards, self.first + action)

    def boards(self) -> Iterator[tuple[State, Fraction]]:
        """The public cards that may come, with their chances: four cards are left."""
        for rank in RANKS:
            left = 2 - self.cards.count(rank)
            if left:
                yield State(self.cards, self.first, rank), Fraction(left, 4)

    def paid(self, player: int) -> int:
        """What a player has put into the pot."""
        total = 1
        for betting, size in zip((self.first, self.second), RAISES, strict=True):
            own = 0
            highest = 0
            for place, action in enumerate(betting):
                if action == "r":
                    highest += size
                if place % 2 == player and action != "f":
                    own = highest
            total += own
        return total

    def returns(self) -> int:
        """What player 0 wins in the end."""
        if self.folded:
            folder = (len(self.betting) - 1) % 2
            return -self.paid(0) if folder == 0 else self.paid(1)
        strengths = [(card == self.board, RANKS.index(card)) for card in self.cards]
        if strengths[0] == strengths[1]:
            return 0
        return self.paid(1) if strengths[0] > strengths[1] else -self.paid(0)


def deals(order: str = RANKS) -> Iterator[tuple[State, Fraction]]:
    """The pairs of private cards with their chances, in an order of ranks that only arithmetic can notice."""
    for one in order:
        for other in order:
            yield State(one + other), Fraction(1, 3) * Fraction(1 if one == other else 2, 5)
