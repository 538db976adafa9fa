"""Declared rules as a game."""

from __future__ import annotations

from typing import Any

from sealtrace.studies.games.mathematics.tables import Game


def rules_problem(rules: dict[str, Any]) -> tuple[str, str, str] | None:
    """(field, expected, found) where the declared game cannot be dealt."""
    ranks = rules["ranks"]
    for place, rank in enumerate(ranks):
        if len(rank) != 1 or not rank.isalnum():
            return f"/ranks/{place}", "one letter or digit", rank
    if len(set(ranks)) < len(ranks):
        return "/ranks", "ranks that differ", ", ".join(ranks)
    cards, dealt = len(ranks) * rules["copies"], len(rules["raises"]) + 1
    return ("/copies", f"{dealt} cards or more", str(cards)) if cards < dealt else None


def game_of(rules: dict[str, Any]) -> Game:
    """The game that rules declare, where they can be dealt."""
    return Game(tuple(rules["ranks"]), rules["copies"], rules["ante"], tuple(rules["raises"]), rules["most_raises"])
