"""The profiles of the study: the uniform one, the checkpoints of one run, and the same end by other arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

from leduc_recipe.game import RANKS
from leduc_recipe.solver import Policy, averages, uniform

PRINTED = (1, 10, 100, 1000)
"""The checkpoints of the paper's table."""
CHECKPOINTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
ORDERS = ("JKQ", "QJK", "QKJ", "KJQ", "KQJ")
"""Orders of the deals other than the recipe's own: the same sums, added up in another order."""
DIGITS = (77, 154)
"""Decimal digits of the runs in higher precision: about 256 and 512 bits."""


@dataclass(frozen=True)
class Checkpoint:
    """One profile and how it was made."""

    name: str
    policy: Policy
    iterations: int
    order: str | None = None
    digits: int | None = None


def checkpoints() -> list[Checkpoint]:
    """All of them. A relative change of 1e-16 grows over a thousand updates; profiles are stored to end that."""
    made = [Checkpoint("uniform", uniform(), 0)]
    made += [Checkpoint(f"cfr+{done}", policy, done, RANKS) for done, policy in averages(CHECKPOINTS)]
    last = max(PRINTED)
    for order in ORDERS:
        made += [
            Checkpoint(f"cfr+{done} {order}", policy, done, order) for done, policy in averages((last,), order=order)
        ]
    for digits in DIGITS:
        with localcontext(Context(prec=digits)):
            ((done, policy),) = averages((last,), Decimal)
            rounded = {name: [float(probability) for probability in row] for name, row in policy.items()}
        made.append(Checkpoint(f"cfr+{done} {digits} digits", rounded, done, RANKS, digits))
    return made
