"""Hands replayed: cards and actions from a declared seed, legal histories, and what they pay."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sealtrace.mathematics import Index, Vector
from sealtrace.studies.games.mathematics.tables import CALL, FOLD, LETTERS, Game, legal_mask

Draw = Callable[[Index, int], Vector]
"""From hands and the number of their next action to a number in [0, 1) each."""


def draw(seed: int, match: str, purpose: str) -> float:
    """A number in [0, 1): the first 53 bits of the SHA-256 of `seed/match/purpose`."""
    digest = hashlib.sha256(f"{seed}/{match}/{purpose}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def deal(game: Game, seed: int, match: str) -> tuple[int, int, int]:
    """The ranks of both players and of the public card (-1 without one), drawn in turn from a sorted deck."""
    deck = [rank for rank in range(len(game.ranks)) for _ in range(game.copies)]
    cards = [deck.pop(int(draw(seed, match, f"card {place}") * len(deck))) for place in range(2)]
    return cards[0], cards[1], deck[int(draw(seed, match, "board") * len(deck))] if len(game.raises) > 1 else -1


@dataclass(frozen=True)
class Ending:
    """How a hand may end."""

    history: str
    """The letters of both rounds, with a stroke between them."""
    amount: int
    """What the loser pays."""
    folder: int | None
    """Who folded; None at a showdown."""
    public: bool
    """Whether the public card was dealt."""


def endings(game: Game) -> list[Ending]:
    """Every legal way in which a hand ends."""
    found: list[Ending] = []

    def visit(place: int, before: str, betting_round: int, paid: int) -> None:
        node = game.nodes[place]
        size = game.raises[betting_round]
        for action in node.legal:
            history = node.history + LETTERS[action]
            whole = before + history
            if action == FOLD:
                found.append(Ending(whole, paid + (node.raises - 1) * size, node.player, betting_round > 0))
            elif action == CALL and node.history:
                matched = paid + node.raises * size
                if betting_round + 1 < len(game.raises):
                    visit(0, whole + "/", betting_round + 1, matched)
                else:
                    found.append(Ending(whole, matched, None, betting_round > 0))
            else:
                visit(game.node_places[history], before, betting_round, paid)

    visit(0, "", 0, game.ante)
    return found


def returns(game: Game, known: Sequence[Ending], ending: Index, cards: Index, board: Index) -> Vector:
    """What player 0 wins in each hand; `ending` gives places in `known`."""
    amount = np.array([each.amount for each in known], float)[ending]
    folder = np.array([-1 if each.folder is None else each.folder for each in known])[ending]
    plain = game.showdown[cards[:, 0], cards[:, 1]]
    shown = game.paired_showdown[board, cards[:, 0], cards[:, 1]] if len(game.raises) > 1 else plain
    won: Vector = amount * np.where(folder < 0, shown, np.where(folder == 1, 1.0, -1.0))
    return won


def play(game: Game, profiles: Vector, seats: Index, cards: Index, board: Index, draws: Draw) -> list[str]:
    """The history of each hand, all hands one action at a time.

    `profiles` is profile × information set × action, `seats` the profiles in seats 0 and 1. An action is the first
    whose cumulative probability, in the order fold, call, raise, exceeds the draw; else the last legal one.
    """
    ranks, width = len(game.ranks), len(game.nodes)
    hands = len(seats)
    start, node = np.zeros(hands, np.int64), np.zeros(hands, np.int64)
    histories = np.full(hands, "", dtype=object)
    following, closing = _transitions(game)
    players, possible = np.array([each.player for each in game.nodes]), legal_mask(game.nodes, len(LETTERS))
    playing = np.arange(hands)
    step = 0
    while len(playing):
        at, first = node[playing], start[playing]
        seat = players[at]
        own = cards[playing, seat]
        public = np.where(first > 0, board[playing], 0)
        chances = profiles[seats[playing, seat], first + (public * width + at) * ranks + own]
        above = np.cumsum(chances, axis=1) > draws(playing, step)[:, None]
        legal = possible[at]
        above &= legal
        last = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)
        action = np.where(above.any(axis=1), above.argmax(axis=1), last)
        histories[playing] += np.array(list(LETTERS), dtype=object)[action]
        node[playing] = np.maximum(following[at, action], 0)
        closed = closing[at, action]
        deals = (closed >= 0) & (first == 0) & (len(game.raises) > 1)
        dealt = playing[deals]
        histories[dealt] += "/"
        start[dealt] = np.array([game.second_round(place) for place in range(len(game.closings))])[closed[deals]]
        playing = playing[(following[at, action] >= 0) | deals]
        step += 1
    return [str(history) for history in histories]


def _transitions(game: Game) -> tuple[Index, Index]:
    """Node × action: the next node of the round, and the closing that ends it; -1 for none."""
    following = np.full((len(game.nodes), 3), -1)
    closing = np.full((len(game.nodes), 3), -1)
    for place, node in enumerate(game.nodes):
        for action in node.legal:
            history = node.history + LETTERS[action]
            following[place, action] = game.node_places.get(history, -1)
            if history in game.closings:
                closing[place, action] = game.closings.index(history)
    return following, closing
