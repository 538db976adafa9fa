"""Synthetic arrivals: what is seen of each, how ill each is, and what every action is worth to whom."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ward_triage_recipe.declared import COMPLAINTS, SIZES, Row

Values = dict[str, float]


@dataclass(frozen=True)
class Arrival:
    """One arrival."""

    state: str
    seen: Row
    nurse: Values
    """What the nurse's rule thinks of each action."""
    throughput: Values
    safety: Values


def arrivals() -> list[Arrival]:
    """All arrivals of the study, in order of their ids."""
    draw = random.Random(20261)
    return [_arrival(draw, f"a{number:04d}") for number in range(sum(SIZES.values()))]


def _arrival(draw: random.Random, state: str) -> Arrival:
    brought = draw.random() < 0.35
    oxygen = draw.random() < (0.4 if brought else 0.05)
    age = draw.randint(18, 96)
    saturation = round(draw.gauss(91 if oxygen else 96.5, 2), 1)
    seen = {
        "age": age,
        "pulse": round(draw.gauss(96 if brought else 82, 12), 1),
        "saturation": min(100.0, max(60.0, saturation)),
        "arrival": "ambulance" if brought else "on foot",
        "complaints": sorted(draw.sample(COMPLAINTS, draw.randint(1, 3))),
        "oxygen": oxygen,
    }
    visible = 0.1 + 0.3 * age / 100 + 0.2 * brought + 0.3 * oxygen
    # What nobody sees on arrival: a few are far more ill than they look.
    ill = min(1.0, visible + abs(draw.gauss(0, 0.06)) + (0.4 if draw.random() < 0.04 else 0.0))
    return Arrival(
        state,
        seen,
        nurse=_rounded(4 - 8 * visible, 2.5 - 2 * visible, 8 * visible - 2.5),
        throughput=_rounded(12 - 16 * ill, 6 - 4 * ill, 2 * ill),
        safety=_rounded(-6 * ill * ill, -2 * ill * ill, -0.2),
    )


def _rounded(*values: float) -> Values:
    return {action: round(value, 3) for action, value in zip(("wait", "soon", "now"), values, strict=True)}
