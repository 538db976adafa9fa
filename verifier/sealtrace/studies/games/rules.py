"""Declared rules as a game: of cards, or one whose rules OpenSpiel has. What profiles are worth is computed here."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from sealtrace.studies.games.mathematics.evaluation import CHANCE, END, GameTree
from sealtrace.studies.games.mathematics.tables import Game, InformationSet
from sealtrace.studies.games.records import GameRules

_PARAMETER = r"[a-z_]{1,30}=[A-Za-z0-9]{1,5}"
ALLOWED = re.compile(rf"(kuhn_poker|leduc_poker|liars_dice)(\({_PARAMETER}(,{_PARAMETER}){{0,5}}\))?")
"""Games that are small unless their parameters say otherwise: the name comes from whoever sealed the bundle."""
MOST_NODES = 400_000
"""Larger trees take minutes, and gigabytes."""


class UnplayableError(Exception):
    """Why a game of OpenSpiel cannot be evaluated."""


@lru_cache(maxsize=4)
def tree_of(name: str) -> GameTree:
    """The whole tree of a game, an information set named after its player and what OpenSpiel says that he knows."""
    import pyspiel

    if not ALLOWED.fullmatch(name):
        raise UnplayableError("only kuhn_poker, leduc_poker and liars_dice are loaded, with plain parameters")
    try:
        game = pyspiel.load_game(name)
        kind = game.get_type()
        if game.num_players() != 2 or kind.utility != pyspiel.GameType.Utility.ZERO_SUM:
            raise UnplayableError("it is no zero-sum game of two players")
        return _walked(game)
    except (RuntimeError, ValueError, TypeError, pyspiel.SpielError) as error:
        raise UnplayableError(f"OpenSpiel says: {error}") from None


def _walked(game: Any) -> GameTree:
    """One level of the tree after the other."""
    level = [(game.new_initial_state(), -1, -1, 1.0)]
    actions: dict[str, int] = {}
    sets: dict[str, InformationSet] = {}
    places: dict[str, tuple[int, int]] = {}
    rows: list[tuple[int, int, int, int, float, float, int]] = []
    depth = 0
    while level:
        below = []
        for state, parent, taken, chance in level:
            place, actor, seen, won = len(rows), CHANCE, -1, 0.0
            if place >= MOST_NODES:
                raise UnplayableError(f"its tree has more than {MOST_NODES} nodes")
            if state.is_terminal():
                actor, won = END, state.returns()[0]
            elif state.is_chance_node():
                below += [(state.child(action), place, -1, chance * p) for action, p in state.chance_outcomes()]
            else:
                actor = state.current_player()
                words = {state.action_to_string(action): action for action in state.legal_actions()}
                legal = tuple(actions.setdefault(word, len(actions)) for word in words)
                below += [(state.child(action), place, actions[word], chance) for word, action in words.items()]
                name = " ".join(f"{actor}: {state.information_state_string()}".split())
                if places.setdefault(name, (len(sets), depth))[1] != depth:
                    raise UnplayableError(f"{name} can be met early and late")
                sets.setdefault(name, InformationSet(name, actor, legal))
                seen = places[name][0]
            rows.append((parent, actor, seen, taken, chance, won, depth))
        level, depth = below, depth + 1
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return GameTree(tuple(actions), tuple(sets.values()), *columns)


CARDS = ("ranks", "copies", "ante", "raises", "most_raises")
"""What declares a game of cards."""


def rules_problem(rules: GameRules) -> tuple[str, str, str] | None:
    """(field, expected, found) where the declared game cannot be dealt."""
    told = [name for name in CARDS if getattr(rules, name) is not None]
    if (name := rules.openspiel) is not None:
        try:
            if told:
                raise UnplayableError(f"{told[0]} declares a game of cards beside it")
            tree_of(name)
        except UnplayableError as error:
            return "/openspiel", f"a small zero-sum game of two players ({error})", name
        return None
    if absent := [name for name in CARDS if name not in told]:
        return f"/{absent[0]}", "given", "nothing"
    game = game_of(rules)
    for place, rank in enumerate(game.ranks):
        if len(rank) != 1 or not rank.isalnum():
            return f"/ranks/{place}", "one letter or digit", rank
    if len(set(game.ranks)) < len(game.ranks):
        return "/ranks", "ranks that differ", ", ".join(game.ranks)
    cards, dealt = len(game.ranks) * game.copies, len(game.raises) + 1
    return ("/copies", f"{dealt} cards or more", str(cards)) if cards < dealt else None


def game_of(rules: GameRules) -> Game:
    """The game of cards that rules declare."""
    counts = (rules.copies or 0, rules.ante or 0, tuple(rules.raises or ()), rules.most_raises or 0)
    return Game(tuple(rules.ranks or ()), *counts)
