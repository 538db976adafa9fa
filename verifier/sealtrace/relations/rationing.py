"""Many claims, decided within one allowance: no file of relations can make an answer wait for ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Claim, Decision, Status
from sealtrace.relations.work import Work, shared, time_is_up

ALLOWANCE = 2_000_000
"""Steps of arithmetic for all of them: a minute or so. A thousand relations of a real paper take a fraction."""
OUT_OF_TIME = "the seconds of the run were used up before its turn"

Progress = Callable[[str, int, int], None]
"""Told a step's name, how much of it is done, and how much there is."""


def decide_each(claims: Sequence[Claim], progress: Progress | None = None) -> list[Decision]:
    """Every claim by itself; once the allowance is used up, each is tried only shortly."""
    decisions = []
    left = ALLOWANCE
    for number, claim in enumerate(claims, 1):
        if time_is_up():
            decisions.append(Decision(claim, Status.UNDECIDED, reason=OUT_OF_TIME))
            continue
        work = Work() if left > 0 else Work(steps=2_000, boxes=20, halvings=20)
        with shared(2 * work.steps) as pot:
            decisions.append(decide(claim, work))
        left -= 2 * Work().steps - pot.left if left > 0 else 0
        if progress:
            progress("deciding", number, len(claims))
    return decisions
