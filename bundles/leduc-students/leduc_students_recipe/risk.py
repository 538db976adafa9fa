"""Action values of information sets, states drawn for calibration, violations, and their upper bounds."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from dataclasses import dataclass

from leduc_recipe.game import State, deals
from leduc_recipe.solver import Policy, uniform
from leduc_students_recipe.players import SETS, StudentPlayer
from leduc_students_recipe.settings import DISTILLATION, SCALES

Values = dict[str, list[float]]
"""By information set, the value of each legal action for the player who acts."""


def draw(seed: int, match: str, purpose: str) -> float:
    """A number in [0, 1): the first 53 bits of a digest."""
    digest = hashlib.sha256(f"{seed}/{match}/{purpose}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def evaluators(teacher: Policy) -> tuple[Values, Values]:
    """Weak values, against a uniform opponent; strong ones, against the teacher with a little of the uniform one."""
    share = float(DISTILLATION["smoothing"])
    plain = uniform()
    smoothed = {
        name: [(1 - share) * mine + share * other for mine, other in zip(teacher[name], plain[name], strict=True)]
        for name in SETS
    }
    return action_values(teacher, plain), action_values(teacher, smoothed)


def action_values(own: Policy, other: Policy) -> Values:
    """At each information set: the histories in it, weighted by chance and by how the opponent came there."""
    histories: dict[str, list[tuple[State, float]]] = defaultdict(list)

    def visit(state: State, chance: float, reach: tuple[float, float]) -> None:
        if state.ended:
            return
        if state.deals_board:
            for board, share in state.boards():
                visit(board, chance * float(share), reach)
            return
        histories[state.information_set].append((state, chance * reach[1 - state.player]))
        for action, probability in zip(state.legal, other[state.information_set], strict=True):
            moved = (reach[0] * probability, reach[1]) if state.player == 0 else (reach[0], reach[1] * probability)
            visit(state.after(action), chance, moved)

    for state, chance in deals():
        visit(state, float(chance), (1.0, 1.0))
    known: dict[tuple[State, int], float] = {}
    result = {}
    for name, members in histories.items():
        total = sum(weight for _, weight in members)
        player = members[0][0].player
        result[name] = [
            sum(weight * _expected(state.after(action), player, own, other, known) for state, weight in members) / total
            for action in members[0][0].legal
        ]
    return result


def _expected(state: State, player: int, own: Policy, other: Policy, known: dict[tuple[State, int], float]) -> float:
    """What the player wins from a history on."""
    key = (state, player)
    if key not in known:
        if state.ended:
            known[key] = float(state.returns() if player == 0 else -state.returns())
        elif state.deals_board:
            known[key] = sum(float(share) * _expected(b, player, own, other, known) for b, share in state.boards())
        else:
            policy = own if state.player == player else other
            known[key] = sum(
                probability * _expected(state.after(action), player, own, other, known)
                for action, probability in zip(state.legal, policy[state.information_set], strict=True)
            )
    return known[key]


def drawn(sample: dict[str, int]) -> list[str]:
    """Information sets drawn with replacement, in the order in which the game lists them."""
    listed = in_order()
    return [listed[int(draw(sample["seed"], "state", str(place)) * len(listed))] for place in range(sample["draws"])]


def in_order() -> list[str]:
    """First-round sets by length of history, history, own card; then by closing, public card and the same again."""

    def key(name: str) -> tuple[object, ...]:
        own, _, betting = name.partition(":")
        first, _, later = betting.partition("/")
        public, _, second = later.partition(":")
        rank = "JQK".index
        if not public:
            return (0, 0, "", 0, len(first), first, rank(own))
        return (1, len(first), first, rank(public), len(second), second, rank(own))

    return sorted(SETS, key=key)


def expected(policy: list[float], values: list[float]) -> float:
    """Σ π·Q at one information set."""
    return sum(probability * value for probability, value in zip(policy, values, strict=True))


@dataclass(frozen=True)
class Calibrated:
    """One student at one scale, on the calibration states."""

    scale: str
    violations: int
    bound: float
    certified: bool


def calibrate(student: StudentPlayer, strong: Values, sample: list[str]) -> list[Calibrated]:
    """Every scale of the grid."""
    share = float(DISTILLATION["zeta"]) / len(SCALES)
    result = []
    for scale in SCALES:
        count = sum(violated(student, scale, strong, sample))
        bound = upper_bound(count, len(sample), share)
        result.append(Calibrated(scale, count, bound, bound <= float(DISTILLATION["epsilon"])))
    return result


def chosen(calibrated: list[Calibrated]) -> str:
    """The largest certified scale; scale 0 has no violation, so there is one."""
    return [each.scale for each in calibrated if each.certified][-1]


def violated(student: StudentPlayer, scale: str, strong: Values, sample: list[str]) -> list[bool]:
    """Where the policy's strong value lies more than tau below the base's, state by drawn state."""
    base, policy = student.policy("0"), student.policy(scale)
    tau = float(DISTILLATION["tau"])
    worse = {name: expected(policy[name], strong[name]) - expected(base[name], strong[name]) < -tau for name in SETS}
    return [worse[name] for name in sample]


def upper_bound(count: int, size: int, share: float) -> float:
    """Where P(Bin(n, p) ≤ k) falls to the share, by bisection."""
    if count == size:
        return 1.0
    low, high = count / size, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        tail = math.fsum(math.comb(size, j) * middle**j * (1 - middle) ** (size - j) for j in range(count + 1))
        low, high = (middle, high) if tail > share else (low, middle)
    return high
