"""Games given as a whole tree: what a profile is worth, and what its best responses are, for many profiles at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sealtrace.studies.games.mathematics.evaluation import Evaluation
from sealtrace.studies.games.mathematics.tables import InformationSet, Mask, Vector, legal_mask

Index = npt.NDArray[np.int64]

CHANCE, END = -1, -2
"""Who acts at a node where no player does."""


@dataclass(frozen=True)
class Tree:
    """A zero-sum game of two players with perfect recall. Nodes come by depth, so that parents stand before children.

    All nodes of an information set have the same depth: then one pass from the leaves up finds best responses.
    """

    actions: tuple[str, ...]
    information_sets: tuple[InformationSet, ...]
    parent: Index
    """Of every node; -1 of the first."""
    actor: Index
    """The player who acts at a node, CHANCE or END."""
    seen: Index
    """The information set of a node; -1 where no player acts."""
    taken: Index
    """The action that led to a node; -1 where chance did."""
    chance: Vector
    """The chance of everything that chance did until a node."""
    won: Vector
    """What player 0 wins at an end."""
    depth: Index

    @cached_property
    def legal(self) -> Mask:
        """Information set × action: what may be done where."""
        return legal_mask(self.information_sets, len(self.actions))

    @cached_property
    def players(self) -> Index:
        """The acting player of every information set."""
        return np.array([information_set.player for information_set in self.information_sets])

    @cached_property
    def _levels(self) -> list[Index]:
        """The nodes of every depth but the first."""
        return [np.flatnonzero(self.depth == level) for level in range(1, int(self.depth.max()) + 1)]

    def evaluate(self, profiles: Vector) -> Evaluation:
        """Values of profiles given as profile × information set × action."""
        reach = [self._reach(profiles, player) for player in range(2)]
        value: Vector = (reach[0] * reach[1] * self.chance * self.won).sum(axis=1)
        return Evaluation(value, self._best(reach[1], 0), self._best(reach[0], 1))

    def _reach(self, profiles: Vector, player: int) -> Vector:
        """Profile × node: the chance that a player does what leads to a node."""
        reach = np.ones((len(profiles), len(self.parent)))
        for nodes in self._levels:
            above = self.parent[nodes]
            step = np.where(self.actor[above] == player, profiles[:, self.seen[above], self.taken[nodes]], 1.0)
            reach[:, nodes] = reach[:, above] * step
        return reach

    def _best(self, reach: Vector, player: int) -> Vector:
        """The most that a player wins against an opponent who reaches nodes so."""
        sign = 1.0 if player == 0 else -1.0
        # Node × profile. Weights are counted at the ends, so that values of nodes that nobody tells apart just add up.
        worth: Vector = (reach * self.chance * (self.won * sign)).T.copy()
        for nodes in reversed(self._levels):
            above = self.parent[nodes]
            own = self.actor[above] == player
            np.add.at(worth, above[~own], worth[nodes[~own]])
            sets, actions = self.seen[above[own]], self.taken[nodes[own]]
            choice = np.where(self.legal.reshape(-1, 1), np.zeros(worth.shape[1]), -np.inf)
            np.add.at(choice, sets * len(self.actions) + actions, worth[nodes[own]])
            best = choice.reshape(*self.legal.shape, -1).argmax(axis=1)
            np.add.at(worth, above[own], np.where(best[sets] == actions[:, None], worth[nodes[own]], 0.0))
        first: Vector = worth[0]
        return first
