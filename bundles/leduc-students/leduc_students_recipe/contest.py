"""Paired hands: every arm meets every opponent on the same deals, once in each seat."""

from __future__ import annotations

from typing import Any

from leduc_recipe.game import RANKS, State
from leduc_recipe.solver import Policy
from leduc_students_recipe.risk import draw
from leduc_students_recipe.settings import CONTEST_SEED, PAIRS

MOST_ACTIONS = 8


class Chance:
    """The cards and draws of one match, made once for all who play it."""

    def __init__(self, match: str) -> None:
        deck = [rank for rank in RANKS for _ in range(2)]
        self.cards = "".join(deck.pop(int(draw(CONTEST_SEED, match, f"card {seat}") * len(deck))) for seat in range(2))
        self.board = deck[int(draw(CONTEST_SEED, match, "board") * len(deck))]
        self.actions = [draw(CONTEST_SEED, match, f"action {number}") for number in range(MOST_ACTIONS)]


def play(seats: tuple[Policy, Policy], chance: Chance) -> State:
    """One hand to its end."""
    state = State(chance.cards)
    number = 0
    while not state.ended:
        if state.deals_board:
            state = State(state.cards, state.first, chance.board)
            continue
        state = state.after(_action(state, seats[state.player][state.information_set], chance.actions[number]))
        number += 1
    return state


def _action(state: State, policy: list[float], drawn: float) -> str:
    """The first action whose cumulative probability exceeds the draw, else the last."""
    total = 0.0
    for action, probability in zip(state.legal, policy, strict=True):
        total += probability
        if drawn < total:
            return action
    return state.legal[-1]


def hands(arms: dict[str, Policy], opponents: dict[str, Policy]) -> list[dict[str, Any]]:
    """All match records."""
    chances = [Chance(str(match)) for match in range(PAIRS)]
    return [
        _record(str(match), name, opponent, seat, play((arm, other) if seat == 0 else (other, arm), chance))
        for name, arm in arms.items()
        for opponent, other in opponents.items()
        for match, chance in enumerate(chances)
        for seat in range(2)
    ]


def _record(match: str, arm: str, opponent: str, seat: int, state: State) -> dict[str, Any]:
    value = state.returns() if seat == 0 else -state.returns()
    return {
        "match": match,
        "arm": arm,
        "opponent": opponent,
        "seat": seat,
        "cards": state.cards,
        **({"board": state.board} if state.board else {}),
        "history": f"{state.first}/{state.second}" if state.board else state.first,
        "result": "win" if value > 0 else "loss" if value < 0 else "tie",
        "value": float(value),
        "opponent_value": float(-value),
    }
