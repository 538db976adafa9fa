"""What a profile is worth, and what its best responses are: exact, for many profiles at once.

A public node is visited once. Private cards are an axis of the arrays: a player's reach is a vector over the
opponent's card, and a value is a vector over the own card, weighted by the chance of the deal.

A game of cards is evaluated by its cards; any other, given as a whole tree, node by node."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sealtrace.mathematics import Index, Mask, Vector
from sealtrace.studies.games.mathematics.tables import CALL, FOLD, LETTERS, Game, InformationSet, legal_mask


@dataclass(frozen=True)
class Evaluation:
    """The exact values of some profiles, one entry each."""

    value: Vector
    """u_0: the expected return of player 0 where both play the profile."""
    best_response_0: Vector
    """b_0: the most that player 0 can win against the profile's player 1."""
    best_response_1: Vector

    @property
    def nash_conv(self) -> Vector:
        """Σ_i [b_i - u_i]; the current values cancel, because u_1 = -u_0."""
        return self.best_response_0 + self.best_response_1

    @property
    def exploitability(self) -> Vector:
        """NashConv / 2."""
        return self.nash_conv / 2


def evaluate(game: Game, profiles: Vector) -> Evaluation:
    """Values of profiles given as profile × information set × action, in the game's order of information sets."""
    return Evaluation(
        expected_return(game, profiles, 0),
        expected_return(game, profiles, 0, best=True),
        expected_return(game, profiles, 1, best=True),
    )


def seated(game: Game, first: Vector, second: Vector) -> Vector:
    """The profile in which player 0 plays as in one and player 1 as in the other."""
    return np.where((game.players == 0)[:, None], first, second)


def expected_return(game: Game, profiles: Vector, player: int, *, best: bool = False) -> Vector:
    """The expected return of a player who follows the profile, or who answers it in the best way."""
    return _GameWalk(game, profiles, player, best).total()


def action_values(game: Game, own: Vector, other: Vector) -> Vector:
    """Q(I, a): what the acting player expects after action a at information set I, and nothing where a is not legal.

    Until I the opponent has played as in `other`; from then on the player plays as in `own` and the opponent as in
    `other`. Every information set must be reached by `other`.
    """
    values = np.zeros(game.legal.shape)
    for player in range(2):
        first, second = (own, other) if player == 0 else (other, own)
        walk = _GameWalk(game, seated(game, first, second)[None], player, best=False, values=values)
        walk.total()
    return values


@dataclass(frozen=True)
class _GameWalk:
    """One pass through the public tree, for one player."""

    game: Game
    profiles: Vector
    player: int
    best: bool
    values: Vector | None = None
    """Where to write the action values of a single profile, if they are wanted."""

    def total(self) -> Vector:
        ranks = len(self.game.ranks)
        first = len(self.game.nodes) * ranks
        strategy = self.profiles[:, :first].reshape(-1, len(self.game.nodes), ranks, 3)
        reach = np.ones((len(self.profiles), ranks))
        total: Vector = self._node(0, strategy, reach, 0, self.game.ante).sum(axis=-1)
        return total

    def _node(self, place: int, strategy: Vector, reach: Vector, start: int, paid: int) -> Vector:
        """The player's return by own card at a node, weighted by chance and by the opponent's reach.

        `strategy` has the axes profile (and public card), node, rank, action; `reach` has profile (and public card)
        and the opponent's rank; `start` is the place of the betting round's first information set, and `paid` what
        each player had put in when the round began.
        """
        node = self.game.nodes[place]
        acts = node.player == self.player
        values = []
        for action in node.legal:
            chance = strategy[..., place, :, action]
            value = self._after(action, place, strategy, reach if acts else reach * chance, start, paid)
            if acts and self.values is not None:
                self._write(self.values, place, action, reach, start, value)
            values.append(value * chance if acts and not self.best else value)
        result: Vector = np.max(values, axis=0) if acts and self.best else np.sum(values, axis=0)
        return result

    def _write(self, values: Vector, place: int, action: int, reach: Vector, start: int, value: Vector) -> None:
        ranks = len(self.game.ranks)
        there = self._paid(reach, start, 1.0)
        boards = np.arange(ranks if start else 1) * len(self.game.nodes) * ranks
        sets = start + boards[:, None] + place * ranks + np.arange(ranks)
        values[sets.ravel(), action] = (value / there).ravel()

    def _after(self, action: int, place: int, strategy: Vector, reach: Vector, start: int, paid: int) -> Vector:
        game, node = self.game, self.game.nodes[place]
        size = game.raises[1 if start else 0]
        if action == FOLD:
            # The folder has matched all raises but the last.
            lost = paid + (node.raises - 1) * size
            return self._paid(reach, start, -lost if node.player == self.player else lost)
        history = node.history + LETTERS[action]
        if action == CALL and node.history:
            matched = paid + node.raises * size
            if not start and len(game.raises) > 1:
                return self._public_card(history, reach, matched)
            return self._shown(reach, start, matched)
        return self._node(game.node_places[history], strategy, reach, start, paid)

    def _public_card(self, closing: str, reach: Vector, paid: int) -> Vector:
        game = self.game
        ranks, nodes = len(game.ranks), len(game.nodes)
        start = game.second_round(game.closings.index(closing))
        strategy = self.profiles[:, start : start + ranks * nodes * ranks].reshape(-1, ranks, nodes, ranks, 3)
        by_card = np.repeat(reach[:, None, :], ranks, axis=1)
        value: Vector = self._node(0, strategy, by_card, start, paid).sum(axis=1)
        return value

    def _weights(self, start: int) -> Vector:
        """The chance of the deal (and of the public card): axes (public card), own card, opponent's card.

        Both players are dealt from one deck, so that it is the same for either.
        """
        return self.game.deals * self.game.boards if start else self.game.deals

    def _paid(self, reach: Vector, start: int, amount: float) -> Vector:
        value: Vector = amount * np.einsum("...b,...ab->...a", reach, self._weights(start))
        return value

    def _shown(self, reach: Vector, start: int, amount: float) -> Vector:
        # What one player wins with two cards, the other wins with the cards exchanged.
        won = self.game.paired_showdown if start else self.game.showdown
        value: Vector = amount * np.einsum("...b,...ab->...a", reach, self._weights(start) * won)
        return value


CHANCE, END = -1, -2
"""Who acts at a node where no player does."""


@dataclass(frozen=True)
class GameTree:
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
