"""What a profile is worth, by following every history that a player cannot tell apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leduc_recipe.game import RANKS, State, deals
from leduc_recipe.solver import Policy

Weighted = list[tuple[State, float]]
"""Histories that look alike to a player, each with its chance times the opponent's part in it."""


@dataclass(frozen=True)
class Worth:
    """The exact values of a profile."""

    best_response_0: float
    best_response_1: float
    value: float

    @property
    def nash_conv(self) -> float:
        return self.best_response_0 + self.best_response_1


def worth(policy: Policy) -> Worth:
    """Both best responses, and the value for player 0."""

    def answer(_: State, values: list[float]) -> float:
        return max(values)

    def follow(state: State, values: list[float]) -> float:
        chances = policy[state.information_set]
        return float(sum(chance * value for chance, value in zip(chances, values, strict=True)))

    return Worth(_total(policy, 0, answer), _total(policy, 1, answer), _total(policy, 0, follow))


Choice = Callable[[State, list[float]], float]


def _total(policy: Policy, player: int, choose: Choice) -> float:
    dealt = list(deals())
    return sum(
        _alike(
            [(state, float(chance)) for state, chance in dealt if state.cards[player] == card], policy, player, choose
        )
        for card in RANKS
    )


def _alike(histories: Weighted, policy: Policy, player: int, choose: Choice) -> float:
    """The player's return over histories with the same own card and the same public actions."""
    some = histories[0][0]
    if some.ended:
        sign = 1 if player == 0 else -1
        return sum(chance * sign * state.returns() for state, chance in histories)
    if some.deals_board:
        total = 0.0
        for card in RANKS:
            dealt = [
                (later, chance * float(share))
                for state, chance in histories
                for later, share in state.boards()
                if later.board == card
            ]
            total += _alike(dealt, policy, player, choose) if dealt else 0.0
        return total
    if some.player == player:
        values = [
            _alike([(state.after(action), chance) for state, chance in histories], policy, player, choose)
            for action in some.legal
        ]
        return choose(some, values)
    return sum(
        _alike(
            [(state.after(action), chance * policy[state.information_set][place]) for state, chance in histories],
            policy,
            player,
            choose,
        )
        for place, action in enumerate(some.legal)
    )
