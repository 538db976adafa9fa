"""The game solved exactly: one linear program in integers, whose two solutions are the strategies of both players.

Player 0 chooses the chance x of a check and the chance y of a check that is followed by a call, rank by rank. Player 1
answers at each of its 26 information sets with the action that is worse for player 0, so the value of an information
set is at most that of either action: these bounds are the rows of the program, and their multipliers in the optimum
are the probabilities with which player 1 takes the actions.
"""

from __future__ import annotations

from fractions import Fraction

from push_fold_recipe.game import ANTE, COPIES, POINTS, RANKS, STACK, Exact, Policy, deals, information_sets, won

UNIT = len(RANKS) * COPIES * (len(RANKS) * COPIES - 1)
"""Ordered deals of two cards; chances are counts of these."""
Row = tuple[list[int], int]
"""Coefficients, and what their sum may come to at most."""


def uniform() -> Policy:
    """Every action alike."""
    return {name: [0.5, 0.5] for name in information_sets()}


def solve() -> Exact:
    """A strategy of each player that no other can gain against, in rational numbers."""
    places = range(len(RANKS))
    plan, multipliers = maximum([0] * 2 * len(RANKS) + [1] * 2 * len(RANKS), _program())
    policy: Exact = {}
    for place in places:
        rank, checked, called = RANKS[place], plan[place], plan[len(RANKS) + place]
        policy[f"{rank}:"] = [checked, 1 - checked]
        after = called / checked if checked else Fraction(0)
        policy[f"{rank}:cr"] = [1 - after, after]
        for offset, history in enumerate(("c", "r")):
            start = 4 * place + 2 * offset
            policy[f"{rank}:{history}"] = multipliers[start : start + 2]
    return {name: policy[name] for name in information_sets()}


def rounded(policy: Exact) -> Policy:
    """The nearest doubles of first actions, and what they leave to one."""
    return {name: [float(first), 1.0 - float(first)] for name, (first, _) in policy.items()}


def _program() -> list[Row]:
    """All rows; values are shifted by the most that can be lost, so that no variable is negative."""
    size = len(RANKS)
    weights = {cards: int(chance * UNIT) for cards, chance in deals()}
    rows = []
    for place, other in enumerate(RANKS):
        shift = (ANTE + STACK) * sum(weights[rank + other] for rank in RANKS)

        def worth(history: str, other: str = other) -> list[int]:
            return [weights[rank + other] * won(rank + other, history) for rank in RANKS]

        shown, folded, called = worth("cc"), worth("crf"), worth("crc")
        for checks, calls in ((shown, [0] * size), (folded, [c - f for c, f in zip(called, folded, strict=True)])):
            rows.append(([-one for one in (*checks, *calls)] + _unit(place), shift))
        pushed = (worth("rf"), worth("rc"))
        rows.extend((pushes + [0] * size + _unit(size + place), shift + sum(pushes)) for pushes in pushed)
    for place in range(size):
        variables = _unit(place) + [0] * 2 * size
        rows.append((variables, 1))
        rows.append(([-one for one in variables[:size]] + _unit(place) + [0] * size, 0))
    return rows


def _unit(place: int) -> list[int]:
    return [int(one == place) for one in range(2 * len(RANKS))]


def maximum(objective: list[int], rows: list[Row]) -> tuple[list[Fraction], list[Fraction]]:
    """The simplex method over integers: where the objective is greatest, and the multiplier of each row.

    No bound is negative, so that zero is a start. Entries are integers over one common divisor, the last pivot, and
    divisions leave no rest. Bland's rule, the first column and the least basic variable, never cycles.
    """
    own, count = len(objective), len(rows)
    table = [[*row, *(int(one == place) for one in range(count)), bound] for place, (row, bound) in enumerate(rows)]
    table.append([-one for one in objective] + [0] * (count + 1))
    basic, divisor = list(range(own, own + count)), 1
    while (column := next((at for at, one in enumerate(table[-1][:-1]) if one < 0), None)) is not None:
        row = min(
            (place for place in range(count) if table[place][column] > 0),
            key=lambda place: (Fraction(table[place][-1], table[place][column]), basic[place]),
        )
        pivot, leading = table[row][column], table[row]
        for place, line in enumerate(table):
            if place != row:
                pairs = zip(line, leading, strict=True)
                table[place] = [(pivot * one - line[column] * other) // divisor for one, other in pairs]
        basic[row], divisor = column, pivot
    found = dict(zip(basic, (Fraction(line[-1], divisor) for line in table), strict=False))
    return (
        [found.get(place, Fraction(0)) for place in range(own)],
        [Fraction(one, divisor) for one in table[-1][own:-1]],
    )


def best_response(policy: Policy | Exact, player: int) -> float | Fraction:
    """The most that a player wins against the other's part of a policy; exactly, if the policy is exact."""
    return sum(_best(rank, "", policy, player) for rank in RANKS)


def _best(rank: str, history: str, policy: Policy | Exact, player: int) -> float | Fraction:
    """The same of one own card, over all cards and actions of the other, from a point on."""
    if history not in POINTS:
        sign = 1 if player == 0 else -1
        return sum(weight * sign * won(cards, history) for cards, weight in _reached(rank, history, policy, player))
    values = [_best(rank, history + action, policy, player) for action in POINTS[history]]
    return max(values) if len(history) % 2 == player else sum(values)


def _reached(rank: str, history: str, policy: Policy | Exact, player: int) -> list[tuple[str, float | Fraction]]:
    """Deals with the own card, each with the chance that it is dealt and that the other acts so."""
    found = []
    for cards, chance in deals():
        if cards[player] == rank:
            weight: float | Fraction = chance
            for place, action in enumerate(history):
                if place % 2 != player:
                    before = history[:place]
                    weight = weight * policy[f"{cards[1 - player]}:{before}"][POINTS[before].index(action)]
            found.append((cards, weight))
    return found
