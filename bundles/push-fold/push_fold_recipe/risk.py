"""Where an arm is worse than the base that it corrects: information sets at which it expects less by more than tau."""

from __future__ import annotations

from push_fold_recipe.game import POINTS, RANKS, Policy, deals, value

THRESHOLD = {"base": "base", "evaluator": "solver", "smoothing": "0.05", "tau": "0.05"}
Values = dict[str, list[float]]
"""Information set to what each action is worth there."""


def action_values(solved: Policy) -> Values:
    """What the player expects after each action: as the solver from there on, against the solver mixed with chance."""
    mixed = float(THRESHOLD["smoothing"])
    opponent = {name: [(1 - mixed) * chance + mixed / 2 for chance in chances] for name, chances in solved.items()}
    found: Values = {}
    for history, options in POINTS.items():
        player = len(history) % 2
        seats = (solved, opponent) if player == 0 else (opponent, solved)
        for rank in RANKS:
            met = [(cards, float(chance)) for cards, chance in deals() if cards[player] == rank]
            there = [(cards, chance * _reached(cards, history, opponent, 1 - player)) for cards, chance in met]
            total = sum(weight for _, weight in there)
            sign = 1 if player == 0 else -1
            found[f"{rank}:{history}"] = [
                sign * sum(weight * value(cards, seats, history + action) for cards, weight in there) / total
                for action in options
            ]
    return found


def _reached(cards: str, history: str, policy: Policy, player: int) -> float:
    """How likely a player does what led here."""
    chance = 1.0
    for place, action in enumerate(history):
        if place % 2 == player:
            before = history[:place]
            chance *= policy[f"{cards[player]}:{before}"][POINTS[before].index(action)]
    return chance


def violation(policy: Policy, base: Policy, values: Values) -> float:
    """The share of information sets at which the policy violates."""
    lost = [
        sum((own - other) * worth for own, other, worth in zip(policy[name], base[name], values[name], strict=True))
        for name in values
    ]
    return sum(one < -float(THRESHOLD["tau"]) for one in lost) / len(lost)
