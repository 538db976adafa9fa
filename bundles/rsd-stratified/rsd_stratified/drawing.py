"""The draws of every split from the population, without repetition."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from rsd_stratified import generator, groups, policies
from rsd_stratified.generator import Situation
from rsd_stratified.protocol import DEALT, MANUAL_LEAVES, SHIFT_STATES
from rsd_stratified.states import Row, State, Values

DRAW_SEED = 4102
FAVOURED = 448
"""How many states of a composition shift come from the part of the population that it favours."""

COMPOSITION: dict[str, Callable[[Row], bool]] = {
    "position-shift": lambda seen: bool(seen["position"] == "BB"),
    "rank-shift": lambda seen: seen["hero"] in "JQ",
    "history-shift": lambda seen: len(seen["history"]) >= 3,
    "pot-shift": lambda seen: bool(seen["pot"] >= 8),
}
"""Shifted split to what it favours."""
WITHIN_GROUPS = "within-group-shift"
MANUAL: Row = {"name": "manual", "leaves": MANUAL_LEAVES}


def states(protocol: Row) -> list[State]:
    """The states of every split, in order of id."""
    pool = generator.population()
    random.Random(DRAW_SEED).shuffle(pool)
    matched, rest = pool[: sum(DEALT.values())], pool[sum(DEALT.values()) :]
    drawn = {"": matched}
    for name, favours in COMPOSITION.items():
        drawn[name], rest = _composed(rest, favours)
    drawn[WITHIN_GROUPS] = _worse_within_groups(protocol, matched, rest)
    listed = [(split, one) for split, chosen in drawn.items() for one in chosen]
    named = {f"s{number:05d}": pair for number, pair in enumerate(listed)}
    seen = {name: policies.features(protocol, one.seen) for name, (split, one) in named.items() if not split}
    dealt = deal(protocol["assignment"], seen, DEALT)
    return [_state(protocol, one, name, split or dealt[name]) for name, (split, one) in named.items()]


def deal(rule: Row, seen: dict[str, Values], sizes: dict[str, int]) -> dict[str, str]:
    """State to its split: states in order of stratum and draw, taken at even distances, split after split."""
    stream = random.Random(rule["seed"])
    draws = {state: stream.random() for state in sorted(seen)}
    left = sorted(seen, key=lambda state: ([seen[state][name] for name in rule["strata"]], draws[state], state))
    split_of: dict[str, str] = {}
    for split in rule["order"]:
        wanted, size = sizes[split], len(left)
        taken = {state for place, state in enumerate(left) if (place + 1) * wanted // size > place * wanted // size}
        split_of |= dict.fromkeys(taken, split)
        left = [state for state in left if state not in taken]
    return split_of


def _composed(rest: list[Situation], favours: Callable[[Row], bool]) -> tuple[list[Situation], list[Situation]]:
    """Mostly favoured situations, and what is left, both in the order of the draw."""
    room = {True: FAVOURED, False: SHIFT_STATES - FAVOURED}
    chosen: list[Situation] = []
    left: list[Situation] = []
    for one in rest:
        favoured = favours(one.seen)
        (chosen if room[favoured] else left).append(one)
        room[favoured] = max(0, room[favoured] - 1)
    return chosen, left


def _worse_within_groups(protocol: Row, matched: list[Situation], rest: list[Situation]) -> list[Situation]:
    """The worst tempers of each group named by hand, in the proportions that matched states have."""

    def group_of(one: Situation) -> str:
        return groups.group_of(MANUAL, policies.features(protocol, one.seen))

    counts = Counter(map(group_of, matched))
    members: dict[str, list[Situation]] = {group: [] for group in sorted(counts)}
    for one in rest:
        members[group_of(one)].append(one)
    chosen: list[Situation] = []
    before = 0
    for group, candidates in members.items():
        before += counts[group]
        # Rounding the running total keeps the whole split at its size.
        quota = round(SHIFT_STATES * before / len(matched)) - len(chosen)
        chosen += sorted(candidates, key=lambda one: -one.temper)[:quota]
    return chosen


def _state(protocol: Row, one: Situation, name: str, split: str) -> State:
    teacher = generator.teacher_values(one.seen)
    values = {"weak": generator.weak_values(one.seen), "strong": generator.strong_values(one.seen, one.temper)}
    if split == "held-out":
        raising = policies.anchor(protocol, policies.teacher(protocol, teacher))["raise"]
        for evaluator in ("weak", "strong"):
            known = values[evaluator]
            values[f"{evaluator}-shifted"] = generator.shifted_values(evaluator, known)
            values[f"{evaluator}-adaptive"] = generator.adaptive_values(evaluator, known, raising)
    return State({"state": name, "split": split, **one.seen}, teacher, values)
