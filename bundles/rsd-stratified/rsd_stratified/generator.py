"""The widened state bank: every observation that can occur, and what each evaluator says of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from rsd_stratified.protocol import ACTIONS, RANKS
from rsd_stratified.states import Row, Values

SEATS = ["BB", "BTN"]
POTS = range(4, 11)
STACKS = range(16, 48)
HISTORIES = [
    ["check"],
    ["bet"],
    ["raise"],
    ["check", "bet"],
    ["check", "raise"],
    ["bet", "raise"],
    ["check", "bet", "raise"],
    ["bet", "call", "bet"],
    ["bet", "raise", "raise"],
    ["check", "bet", "raise", "raise"],
    ["bet", "call", "check", "bet"],
    ["bet", "call", "check", "raise"],
]
"""Three of each length; four of the nine longer ones hold a raise after a check."""

POPULATION_SEED = 4101
TEMPER = [step / 4 for step in range(7)]
"""Chips that the strong opponent adds to its punishment at a state for reasons that no player sees."""
CHECK_RAISE_BONUS = 0.75
PUNISHMENT = [0.5, 1.5, 2.5, 4.75]
"""Chips by which the strong opponent lowers the value of a raise, by length of the betting so far."""
SEAT_PUNISHMENT = {"BB": 0.5, "BTN": 0.0}
POT_PUNISHMENT = 0.0625
"""What each chip in the pot beyond the smallest adds."""
RESPONSE_SHIFT = {"weak": -0.25, "strong": -0.5}
"""What the shifted opponents change in the value of a raise."""
ADAPTATION = {"weak": -0.5, "strong": -1.5}
"""What adaptive opponents change in it where the anchor always raises; in proportion elsewhere."""


@dataclass(frozen=True)
class Situation:
    """One member of the population: what the player sees, and the opponent's temper."""

    seen: Row
    temper: float


def situations() -> Iterator[Row]:
    """Every observation that can occur, once."""
    for hero, board, seat, pot, stack, history in product(RANKS, RANKS, SEATS, POTS, STACKS, HISTORIES):
        if hero != board:
            yield {
                "legal": ACTIONS,
                "hero": hero,
                "board": [board],
                "position": seat,
                "pot": pot,
                "stack": stack,
                "history": history,
            }


def teacher_values(seen: Row) -> Values:
    """Fold, call and raise against an opponent who holds one of the two ranks that are not in sight."""
    hero, pot = RANKS.index(seen["hero"]), seen["pot"]
    opponents = [place for place, rank in enumerate(RANKS) if rank not in (seen["hero"], *seen["board"])]
    beaten = sum(hero > opponent for opponent in opponents)
    lost = len(opponents) - beaten
    return {
        "fold": -pot / 2,
        "call": pot * (beaten - lost) / len(opponents) - 2.0,
        "raise": pot - 4.5 * lost / len(opponents),
    }


def weak_values(seen: Row) -> Values:
    """The weak opponent gives up more often once it has seen a check raised."""
    history = seen["history"]
    checked = "check" in history and "raise" in history[history.index("check") :]
    teacher = teacher_values(seen)
    return {**teacher, "raise": teacher["raise"] + (CHECK_RAISE_BONUS if checked else 0.0)}


def strong_values(seen: Row, temper: float) -> Values:
    """The strong opponent punishes raises, most of all deep in the betting, from the big blind and in large pots."""
    punishment = PUNISHMENT[len(seen["history"]) - 1] + SEAT_PUNISHMENT[seen["position"]] + temper
    punishment += POT_PUNISHMENT * (seen["pot"] - POTS[0])
    teacher = teacher_values(seen)
    return {**teacher, "raise": teacher["raise"] - punishment}


def value_ranges() -> dict[str, tuple[float, float]]:
    """Evaluator to the least and the greatest action value that can occur."""
    values: dict[str, list[float]] = {"weak": [], "strong": []}
    for seen in situations():
        values["weak"].extend(weak_values(seen).values())
        for temper in (TEMPER[0], TEMPER[-1]):
            values["strong"].extend(strong_values(seen, temper).values())
    return {name: (min(found), max(found)) for name, found in values.items()}


def population() -> list[Situation]:
    """Every situation, with its temper drawn."""
    draws = random.Random(POPULATION_SEED)
    return [Situation(seen, draws.choice(TEMPER)) for seen in situations()]


def shifted_values(evaluator: str, values: Values) -> Values:
    """The same opponent after its response to raises has changed."""
    return {**values, "raise": values["raise"] + RESPONSE_SHIFT[evaluator]}


def adaptive_values(evaluator: str, values: Values, raising: float) -> Values:
    """The opponent that has learned how often the anchor raises here; rounded, since records are read by people."""
    return {**values, "raise": round(values["raise"] + ADAPTATION[evaluator] * raising, 6)}
