"""Certificates and maps the slow way: one state at a time from plain records, every map with a linear program each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from scipy.optimize import linprog

from oracles.binomial import statsmodels_upper, tail

Row = dict[str, Any]
Share = Callable[[Row, str], Fraction]
"""The weight of a candidate in a group."""
TIE = 1e-12


@dataclass(frozen=True)
class Operating:
    """Everything that a choice depends on besides records."""

    tau: Fraction
    budgets: dict[str, Fraction | None]
    """epsilon_h by group, in the order of groups; None where the group has none."""
    epsilon_global: Fraction | None
    zeta: Fraction
    rho: Fraction
    span: tuple[Fraction, Fraction]
    candidates: list[Row]
    """What competes, the smaller scale first, then the lower family index."""
    risk_share: Share
    utility_share: Share
    nominal_ties: bool = False


@dataclass(frozen=True)
class Bound:
    """One candidate in one group."""

    states: int
    crossings: int
    upper: float
    lower: float
    certified: bool


def certificates(
    operating: Operating, traces: Sequence[Row], values: Sequence[Row], group_of: Callable[[str], str]
) -> dict[tuple[int, str], Bound]:
    """(place of the candidate, group) to its bounds, from all traces and action values of the calibration states."""
    valued = {(row["state"], row["evaluator"]): row["values"] for row in values}
    policies = {(row["state"], row["arm"], row.get("scale")): row["probabilities"] for row in traces}
    states = sorted({row["state"] for row in traces})
    low, high = operating.span
    found = {}
    for place, one in enumerate(operating.candidates):
        for group, budget in operating.budgets.items():
            members = [state for state in states if group_of(state) == group]
            crossings, total = 0, 0.0
            for state in members:
                policy, anchor = policies[state, one["arm"], one["scale"]], policies[state, "anchor", None]
                strong, weak = valued[state, "strong"], valued[state, "weak"]
                moved = sum((Fraction(policy[a]) - Fraction(anchor[a])) * Fraction(strong[a]) for a in strong)
                crossings += moved < -operating.tau
                total += (math.fsum(policy[a] * weak[a] for a in weak) - float(low)) / float(high - low)
            n, k = len(members), crossings
            shares = [operating.zeta * share(one, group) for share in (operating.risk_share, operating.utility_share)]
            vacuous = k == n
            within = budget is None or (budget >= 1 if vacuous else tail(k, n, budget) <= shares[0])
            found[place, group] = Bound(
                n,
                k,
                1.0 if vacuous else statsmodels_upper(k, n, float(shares[0])),
                max(0.0, total / n - math.sqrt(math.log(1 / float(shares[1])) / (2 * n))) if n else 0.0,
                within,
            )
    return found


def dual(operating: Operating, bounds: dict[tuple[int, str], Bound]) -> list[int | None]:
    """The largest utility bound among certified candidates of each group; the earliest of equals."""
    chosen: list[int | None] = []
    for group in operating.budgets:
        places = [place for place in range(len(operating.candidates)) if bounds[place, group].certified]
        best = max((bounds[place, group].lower for place in places), default=None)
        chosen.append(next((p for p in places if best is not None and bounds[p, group].lower > best - TIE), None))
    return chosen


def worst(values: Sequence[float], shares: Sequence[float], rho: float) -> float:
    """The smallest mean of some values over all mixtures near the given one, by a linear program."""
    size = len(values)
    # Variables: the mixture, and for each group what it moves up and down.
    equal = [[1.0] * size + [0.0] * 2 * size]
    for place in range(size):
        row = [0.0] * 3 * size
        row[place], row[size + place], row[2 * size + place] = 1.0, -1.0, 1.0
        equal.append(row)
    found = linprog(
        [*values, *[0.0] * 2 * size],
        A_ub=[[0.0] * size + [1.0] * 2 * size],
        b_ub=[rho],
        A_eq=equal,
        b_eq=[1.0, *shares],
        bounds=[(0, None)] * 3 * size,
    )
    assert found.success, found.message
    assert found.fun is not None
    return float(found.fun)


def robust(
    operating: Operating, bounds: dict[tuple[int, str], Bound], *, within_groups: bool = True
) -> list[int | None]:
    """The best map by looking at all of them; among equals the larger nominal utility where asked, then the first."""
    groups = list(operating.budgets)
    counts = [bounds[0, group].states for group in groups]
    shares = [count / sum(counts) for count in counts]
    options: list[list[int | None]] = [
        [None, *(p for p in range(len(operating.candidates)) if not within_groups or bounds[p, group].certified)]
        for group in groups
    ]
    best: tuple[float, float] | None = None
    chosen: list[int | None] = []
    for choice in product(*options):
        picked = [None if p is None else bounds[p, group] for p, group in zip(choice, groups, strict=True)]
        risk = -worst([-(one.upper if one else 0.0) for one in picked], shares, float(operating.rho))
        if operating.epsilon_global is not None and risk > float(operating.epsilon_global) + TIE:
            continue
        lowers = [one.lower if one else 0.0 for one in picked]
        nominal = math.fsum(s * v for s, v in zip(shares, lowers, strict=True)) if operating.nominal_ties else 0.0
        value = worst(lowers, shares, float(operating.rho)), nominal
        if best is None or value[0] > best[0] + TIE or (value[0] > best[0] - TIE and value[1] > best[1] + TIE):
            best, chosen = value, list(choice)
    return chosen
