"""Counterfactual regret minimization with floored regrets, and best responses by looking at every hand."""

from __future__ import annotations

from push_fold_recipe.game import POINTS, Policy, deals, information_sets, won

ITERATIONS = 3000


def uniform() -> Policy:
    """Every action alike."""
    return {name: [0.5, 0.5] for name in information_sets()}


def solve(iterations: int = ITERATIONS) -> Policy:
    """The average over all iterations, each with its number for a weight and the player's own reach."""
    regrets = {name: [0.0, 0.0] for name in information_sets()}
    sums = {name: [0.0, 0.0] for name in information_sets()}
    chances = [(cards, float(chance)) for cards, chance in deals()]
    for iteration in range(1, iterations + 1):
        policy = {name: _matched(known) for name, known in regrets.items()}
        for cards, chance in chances:
            _sweep(cards, "", policy, regrets, [1.0, 1.0], chance)
        for name, known in regrets.items():
            regrets[name] = [max(0.0, one) for one in known]
        policy = {name: _matched(known) for name, known in regrets.items()}
        for name, total in sums.items():
            rank, _, history = name.partition(":")
            reach = policy[f"{rank}:"][0] if history == "cr" else 1.0
            sums[name] = [old + iteration * reach * new for old, new in zip(total, policy[name], strict=True)]
    return {name: _matched(total) for name, total in sums.items()}


def _matched(weights: list[float]) -> list[float]:
    total = weights[0] + weights[1]
    first = weights[0] / total if total > 0 else 0.5
    return [first, 1.0 - first]


def _sweep(cards: str, history: str, policy: Policy, regrets: Policy, reach: list[float], chance: float) -> float:
    """What player 0 wins; regrets of the deal are added on the way."""
    if history not in POINTS:
        return float(won(cards, history))
    player = len(history) % 2
    name = f"{cards[player]}:{history}"
    worths = []
    for action, probability in zip(POINTS[history], policy[name], strict=True):
        further = [one * (probability if seat == player else 1.0) for seat, one in enumerate(reach)]
        worths.append(_sweep(cards, history + action, policy, regrets, further, chance))
    mean = worths[0] * policy[name][0] + worths[1] * policy[name][1]
    sign, other = (1.0 if player == 0 else -1.0), reach[1 - player]
    for place, worth in enumerate(worths):
        regrets[name][place] += sign * chance * other * (worth - mean)
    return mean


def best_response(policy: Policy, player: int) -> float:
    """The most that a player wins against the other's part of a policy."""
    return sum(_best(rank, "", policy, player) for rank in sorted({name[0] for name in information_sets()}))


def _best(rank: str, history: str, policy: Policy, player: int) -> float:
    """The same of one own card, over all cards and actions of the other, from a point on."""
    if history not in POINTS:
        sign = 1.0 if player == 0 else -1.0
        return sum(weight * sign * won(cards, history) for cards, weight in _reached(rank, history, policy, player))
    values = [_best(rank, history + action, policy, player) for action in POINTS[history]]
    return max(values) if len(history) % 2 == player else sum(values)


def _reached(rank: str, history: str, policy: Policy, player: int) -> list[tuple[str, float]]:
    """Deals with the own card, each with the chance that it is dealt and that the other acts so."""
    found = []
    for cards, chance in deals():
        if cards[player] == rank:
            weight = float(chance)
            for place, action in enumerate(history):
                if place % 2 != player:
                    before = history[:place]
                    weight *= policy[f"{cards[1 - player]}:{before}"][POINTS[before].index(action)]
            found.append((cards, weight))
    return found
