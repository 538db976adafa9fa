"""Declared rules as a game."""

from __future__ import annotations

from typing import Any

from sealtrace.studies.games.mathematics.tables import Game
from sealtrace.studies.games.mathematics.trees import Tree
from sealtrace.studies.games.openspiel import UnplayableError, tree_of

CARDS = ("ranks", "copies", "ante", "raises", "most_raises")
"""What declares a game of cards."""


def rules_problem(rules: dict[str, Any]) -> tuple[str, str, str] | None:
    """(field, expected, found) where the declared game cannot be dealt."""
    told = [name for name in CARDS if rules.get(name) is not None]
    if (name := rules.get("openspiel")) is not None:
        try:
            if told:
                raise UnplayableError(f"{told[0]} declares a game of cards beside it")
            tree_of(name)
        except UnplayableError as error:
            return "/openspiel", f"a small zero-sum game of two players ({error})", name
        return None
    if absent := [name for name in CARDS if name not in told]:
        return f"/{absent[0]}", "given", "nothing"
    ranks = rules["ranks"]
    for place, rank in enumerate(ranks):
        if len(rank) != 1 or not rank.isalnum():
            return f"/ranks/{place}", "one letter or digit", rank
    if len(set(ranks)) < len(ranks):
        return "/ranks", "ranks that differ", ", ".join(ranks)
    cards, dealt = len(ranks) * rules["copies"], len(rules["raises"]) + 1
    return ("/copies", f"{dealt} cards or more", str(cards)) if cards < dealt else None


def form_of(rules: dict[str, Any]) -> Game | Tree:
    """The game that rules declare, where they can be dealt."""
    return game_of(rules) if rules.get("openspiel") is None else tree_of(rules["openspiel"])


def game_of(rules: dict[str, Any]) -> Game:
    """The game of cards that rules declare, where they can be dealt."""
    return Game(tuple(rules["ranks"]), rules["copies"], rules["ante"], tuple(rules["raises"]), rules["most_raises"])
