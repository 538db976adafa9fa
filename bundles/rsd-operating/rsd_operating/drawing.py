"""The draws of every split from the part of the population that the stratified study left alone."""

from __future__ import annotations

import random
from collections.abc import Callable

from rsd_operating.protocol import DRAWN, SHIFT_STATES
from rsd_stratified import generator
from rsd_stratified.drawing import DRAW_SEED
from rsd_stratified.generator import Situation
from rsd_stratified.protocol import DEALT
from rsd_stratified.states import Row, State

FAVOURED = 448
"""How many states of a shifted split come from the part of the population that it favours."""
SHIFTED: dict[str, Callable[[Situation], bool]] = {
    "deep-betting": lambda one: len(one.seen["history"]) == 4,
    "small-pots": lambda one: one.seen["pot"] <= 5 and len(one.seen["history"]) >= 3,
    "worse-tempers": lambda one: one.temper >= generator.TEMPER[-2] and len(one.seen["history"]) >= 3,
}
"""Shifted split to what it favours: betting of full length, small pots late in it, and a bad temper late in it."""


def states() -> list[State]:
    """The states of every split, in order of id."""
    pool = generator.population()
    random.Random(DRAW_SEED).shuffle(pool)
    rest = pool[sum(DEALT.values()) :]
    drawn: dict[str, list[Situation]] = {}
    for split, size in DRAWN.items():
        drawn[split], rest = rest[:size], rest[size:]
    for split, favours in SHIFTED.items():
        drawn[split], rest = _favouring(rest, favours)
    listed = [(split, one) for split, chosen in drawn.items() for one in chosen]
    return [_state(one, f"t{number:05d}", split) for number, (split, one) in enumerate(listed)]


def _favouring(rest: list[Situation], favours: Callable[[Situation], bool]) -> tuple[list[Situation], list[Situation]]:
    """Mostly favoured situations in the order of the draw, and what lies beyond them.

    Those that were passed over are no sample of the population any more, and serve no other split.
    """
    room = {True: FAVOURED, False: SHIFT_STATES - FAVOURED}
    chosen: list[Situation] = []
    for place, one in enumerate(rest, 1):
        favoured = favours(one)
        if room[favoured]:
            chosen.append(one)
            room[favoured] -= 1
        if len(chosen) == SHIFT_STATES:
            return chosen, rest[place:]
    raise ValueError("the population is too small for its shifts")


def _state(one: Situation, name: str, split: str) -> State:
    values = {"weak": generator.weak_values(one.seen), "strong": generator.strong_values(one.seen, one.temper)}
    if split == "held-out":
        values |= {f"{name}-shifted": generator.shifted_values(name, known) for name, known in values.items()}
    observation: Row = {"state": name, "split": split, **one.seen}
    return State(observation, generator.teacher_values(one.seen), values)
