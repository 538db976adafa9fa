"""CFR+ on Leduc, in the variant of the printed table, with any kind of number.

Both players are updated in one sweep over all histories. Regrets are added up over the sweep and floored at zero once,
at its end. The next policy follows the positive regrets, and is uniform where there are none. Update t adds the policy
that it has made to the average, with the weight t and under the player's own reach; the uniform start has no weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from leduc_recipe.game import RANKS, State, deals

Policy = dict[str, list[Any]]
"""By information set, the probabilities of its legal actions in their order."""
Parents = dict[str, tuple[str, int] | None]
Number = Callable[[int], Any]
"""Makes a number of the arithmetic that is used: `float`, or `Decimal` with many digits."""


@dataclass
class Node:
    """A history with its successors, built once."""

    information_set: str = ""
    player: int = 0
    children: list[Node] = field(default_factory=list)
    chances: list[Any] = field(default_factory=list)
    """The chances of the children, where a card is dealt."""
    returns: Any = None
    """What player 0 wins, where the hand is over."""


def tree(number: Number, order: str) -> Node:
    """All histories below the deal."""
    states = list(deals(order))
    return Node(children=[_node(state, number) for state, _ in states], chances=[_chance(p, number) for _, p in states])


def _chance(chance: Fraction, number: Number) -> Any:
    return number(chance.numerator) / number(chance.denominator)


def _node(state: State, number: Number) -> Node:
    if state.ended:
        return Node(returns=number(state.returns()))
    if state.deals_board:
        boards = list(state.boards())
        return Node(children=[_node(b, number) for b, _ in boards], chances=[_chance(p, number) for _, p in boards])
    return Node(state.information_set, state.player, [_node(state.after(action), number) for action in state.legal])


def information_sets() -> dict[str, State]:
    """Every information set, with one of its histories."""
    found: dict[str, State] = {}

    def visit(state: State) -> None:
        if state.ended:
            return
        if state.deals_board:
            for board, _ in state.boards():
                visit(board)
            return
        found.setdefault(state.information_set, state)
        for action in state.legal:
            visit(state.after(action))

    for state, _ in deals():
        visit(state)
    return found


def uniform(number: Number = float) -> Policy:
    """Every legal action alike."""
    return {
        name: [number(1) / number(len(state.legal))] * len(state.legal) for name, state in information_sets().items()
    }


def averages(checkpoints: tuple[int, ...], number: Number = float, order: str = RANKS) -> Iterator[tuple[int, Policy]]:
    """The average policy after each of some updates."""
    root = tree(number, order)
    sets = information_sets()
    zero = number(0)
    policy = uniform(number)
    regrets: Policy = {name: [zero] * len(state.legal) for name, state in sets.items()}
    sums: Policy = {name: [zero] * len(state.legal) for name, state in sets.items()}
    parents = _own_parents(sets)
    for iteration in range(1, max(checkpoints) + 1):
        _sweep(root, policy, regrets, number(1), number(1), number(1))
        for name, row in regrets.items():
            for place, regret in enumerate(row):
                if regret < zero:
                    row[place] = zero
            total = sum(row, zero)
            share = number(1) / number(len(row))
            policy[name] = [regret / total for regret in row] if total > zero else [share] * len(row)
        _add_average(sums, policy, parents, number(iteration), number(1))
        if iteration in checkpoints:
            yield iteration, _normalized(sums, number)


def _normalized(sums: Policy, number: Number) -> Policy:
    """The average policy: sums divided by their total, uniform where nothing was ever reached."""
    result = uniform(number)
    for name, row in sums.items():
        total = sum(row, number(0))
        if total:
            result[name] = [entry / total for entry in row]
    return result


def _sweep(node: Node, policy: Policy, regrets: Policy, reach_0: Any, reach_1: Any, chance: Any) -> Any:
    """The expected return of player 0 at a node; adds to the regrets of both players on the way."""
    if node.returns is not None:
        return node.returns
    value = chance * 0
    if node.chances:
        for child, probability in zip(node.children, node.chances, strict=True):
            value += probability * _sweep(child, policy, regrets, reach_0, reach_1, chance * probability)
        return value
    probabilities = policy[node.information_set]
    values = []
    for child, probability in zip(node.children, probabilities, strict=True):
        if node.player == 0:
            got = _sweep(child, policy, regrets, reach_0 * probability, reach_1, chance)
        else:
            got = _sweep(child, policy, regrets, reach_0, reach_1 * probability, chance)
        value += probability * got
        values.append(got)
    row = regrets[node.information_set]
    if node.player == 0:
        others = reach_1 * chance
        for place, got in enumerate(values):
            row[place] += others * (got - value)
    else:
        others = reach_0 * chance
        for place, got in enumerate(values):
            row[place] += others * (value - got)
    return value


def _own_parents(sets: dict[str, State]) -> Parents:
    """For each information set, the player's own previous one and the place of the action that led on from it."""
    parents: Parents = {}
    for name, state in sets.items():
        parents[name] = None
        history = [(State(state.cards, state.first[:n]), a) for n, a in enumerate(state.first)]
        if state.board:
            history += [
                (State(state.cards, state.first, state.board, state.second[:n]), a) for n, a in enumerate(state.second)
            ]
        for earlier, action in history:
            if earlier.player == state.player:
                parents[name] = (earlier.information_set, earlier.legal.index(action))
    return parents


def _add_average(
    sums: Policy, policy: Policy, parents: dict[str, tuple[str, int] | None], weight: Any, one: Any
) -> None:
    reaches: dict[str, Any] = {}
    for name, row in policy.items():
        parent = parents[name]
        reaches[name] = one if parent is None else reaches[parent[0]] * policy[parent[0]][parent[1]]
        for place, probability in enumerate(row):
            sums[name][place] += weight * reaches[name] * probability
