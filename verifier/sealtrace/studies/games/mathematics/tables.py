"""Small poker games with at most one public card: who acts where, and what a showdown pays.

Every player has one private card. In each betting round player 0 acts first, a fold is legal only against a bet, and a
round allows a fixed number of raises of one fixed size. A public card lies between the first round and the second.
Leduc poker has three ranks twice and two rounds; Kuhn poker has three ranks once and a single round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sealtrace.mathematics import Mask, Vector

ACTIONS = ("fold", "call", "raise")
"""The actions in their one order. A call without a bet to match is a check."""
FOLD, CALL, RAISE = range(3)
LETTERS = "fcr"


@dataclass(frozen=True)
class Node:
    """A public point of one betting round where a player acts."""

    history: str
    """The round's actions so far, one letter each."""
    player: int
    legal: tuple[int, ...]
    raises: int
    """Raises so far in this round."""


@dataclass(frozen=True)
class InformationSet:
    """What the acting player knows."""

    name: str
    player: int
    legal: tuple[int, ...]


def legal_mask(information_sets: Sequence[InformationSet | Node], actions: int) -> Mask:
    """Information set, or node, × action: what may be done where."""
    mask = np.zeros((len(information_sets), actions), dtype=bool)
    for place, information_set in enumerate(information_sets):
        mask[place, list(information_set.legal)] = True
    return mask


@dataclass(frozen=True)
class Game:
    """The rules of one game."""

    ranks: tuple[str, ...]
    """From low to high."""
    copies: int
    """Cards of each rank."""
    ante: int
    raises: tuple[int, ...]
    """The size of a raise in each betting round; there are as many rounds."""
    cap: int
    """Raises that a round allows."""

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The points of one betting round where a player acts, the shorter history first."""
        found = [""]
        for history in found:
            if not history:
                found.append("c")
            if history.count("r") < self.cap:
                found.append(history + "r")
        return tuple(
            Node(
                history,
                len(history) % 2,
                (*([FOLD] if history.endswith("r") else []), CALL, *([RAISE] if history.count("r") < self.cap else [])),
                history.count("r"),
            )
            for history in sorted(found, key=lambda history: (len(history), history))
        )

    @cached_property
    def node_places(self) -> dict[str, int]:
        """The place of every node, by history."""
        return {node.history: place for place, node in enumerate(self.nodes)}

    @cached_property
    def closings(self) -> tuple[str, ...]:
        """The histories that end a betting round without a fold."""
        return tuple(node.history + "c" for node in self.nodes if node.history)

    def second_round(self, closing: int) -> int:
        """The place of the first information set after a closing of the first round."""
        return len(self.nodes) * len(self.ranks) * (1 + closing * len(self.ranks))

    @cached_property
    def information_sets(self) -> tuple[InformationSet, ...]:
        """All of them: the first round by node and rank; the second by closing, public card, node and rank."""
        first = [
            InformationSet(f"{rank}:{node.history}", node.player, node.legal)
            for node in self.nodes
            for rank in self.ranks
        ]
        if len(self.raises) == 1:
            return tuple(first)
        return (
            *first,
            *(
                InformationSet(f"{rank}:{closing}/{board}:{node.history}", node.player, node.legal)
                for closing in self.closings
                for board in self.ranks
                for node in self.nodes
                for rank in self.ranks
            ),
        )

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of every information set, by name."""
        return {information_set.name: place for place, information_set in enumerate(self.information_sets)}

    @property
    def actions(self) -> tuple[str, ...]:
        return ACTIONS

    @cached_property
    def legal(self) -> Mask:
        """Information set × action: what may be done where."""
        return legal_mask(self.information_sets, len(ACTIONS))

    @cached_property
    def players(self) -> npt.NDArray[np.int64]:
        """The acting player of every information set."""
        return np.array([information_set.player for information_set in self.information_sets])

    @cached_property
    def deals(self) -> Vector:
        """P(a, b): the chance that player 0 holds rank a and player 1 rank b."""
        count = len(self.ranks)
        cards = count * self.copies
        chances: Vector = self.copies * (self.copies - np.eye(count)) / (cards * (cards - 1))
        return chances

    @cached_property
    def boards(self) -> Vector:
        """P(k | a, b), with k the public rank: axes k, a, b."""
        count = len(self.ranks)
        same = np.eye(count)
        left = self.copies - same[:, :, None] - same[:, None, :]
        chances: Vector = np.maximum(left, 0) / (count * self.copies - 2)
        return chances

    @cached_property
    def showdown(self) -> Vector:
        """The sign of player 0's result at a showdown without a public card: axes a, b."""
        order = np.arange(len(self.ranks))
        signs: Vector = np.sign(order[:, None] - order[None, :]).astype(float)
        return signs

    @cached_property
    def paired_showdown(self) -> Vector:
        """The same with a public card, where a pair wins: axes k, a, b."""
        pair = np.eye(len(self.ranks))
        paired = pair[:, :, None] - pair[:, None, :]
        return np.where(paired != 0, paired, self.showdown)
