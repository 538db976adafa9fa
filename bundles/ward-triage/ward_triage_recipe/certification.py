"""Groups, certificates and maps, as the protocol states them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from rsd_stratified import bounds, mixtures, structure
from ward_triage_recipe.arrivals import Arrival, Values
from ward_triage_recipe.declared import ARMS, GRID, Row
from ward_triage_recipe.policies import crosses, expected, features

COMPETING = sorted(
    ((arm, scale) for arm in ARMS for scale in GRID), key=lambda one: (Fraction(one[1]), ARMS.index(one[0]))
)
"""In the order that breaks ties: the smaller scale, then the earlier family."""
ANCHORED = mixtures.Option(0.0, 0.0, lambda: Decimal(0))


@dataclass(frozen=True)
class Traced:
    """An arrival with every candidate's distribution."""

    arrival: Arrival
    policies: dict[tuple[str, str | None], Values]

    def delta(self, candidate: tuple[str, str | None]) -> float:
        """d: what the risk evaluator expects, less what it expects of the anchor."""
        safety = self.arrival.safety
        return expected(self.policies[candidate], safety) - expected(self.policies["anchor", None], safety)

    def crosses(self, candidate: tuple[str, str | None], tau: Fraction) -> bool:
        """v: whether d is strictly below -tau."""
        return crosses(self.policies[candidate], self.policies["anchor", None], self.arrival.safety, tau)


def partitions(protocol: Row, traced: list[Traced]) -> list[Row]:
    """One group, two that were named beforehand with budgets of their own, and the best of the declared class."""
    brought = {"feature": "brought", "threshold": "1/2"}
    by_hand: Row = {
        "everyone": [{"group": "all", "conditions": []}],
        "arrival": [
            {"group": "on foot", "conditions": [brought | {"below": True}], "epsilon": "0.08"},
            {"group": "brought", "conditions": [brought | {"below": False}], "epsilon": "0.25"},
        ],
    }
    records = [{"name": name, "leaves": leaves} for name, leaves in by_hand.items()]
    declared = protocol["partition_classes"]["vital signs"]
    tree_class = structure.declared_class(
        declared,
        [features(one.arrival.seen) for one in traced],
        [[one.delta(candidate) for one in traced] for candidate in COMPETING],
    )
    tree = tree_class.best(tree_class.everything, declared["depth"])
    assert tree is not None, "all arrivals together are enough for a leaf"
    leaves = [{"group": f"g{n}", "conditions": path} for n, path in enumerate(tree_class.paths(tree), 1)]
    records.append({"name": "learned", "learned_in": "vital signs", "leaves": leaves, "objective": tree.value})
    return [record | {"allocations": _allocations([leaf["group"] for leaf in record["leaves"]])} for record in records]


def _allocations(groups: list[str]) -> list[Row]:
    """Equal shares of the risk budget; of the utility budget 4 : 3 : 2 : 1 from the smallest scale to the largest."""
    grades = {scale: len(GRID) - place for place, scale in enumerate(GRID)}
    total = len(ARMS) * sum(grades.values()) * len(groups)
    return [
        {
            "arm": arm,
            "scale": scale,
            "group": group,
            "risk": f"1/{len(COMPETING) * len(groups)}",
            "utility": str(Fraction(grades[scale], total)),
        }
        for arm, scale in COMPETING
        for group in groups
    ]


def group_of(partition: Row, seen: Values) -> str:
    """The group whose conditions an arrival meets."""
    return next(
        str(leaf["group"])
        for leaf in partition["leaves"]
        if all((seen[one["feature"]] < Fraction(one["threshold"])) == one["below"] for one in leaf["conditions"])
    )


@dataclass(frozen=True)
class Certificate:
    """The bounds of one candidate in one group."""

    record: Row
    precise: Decimal

    @property
    def option(self) -> mixtures.Option:
        """What a map sees of it."""
        return mixtures.Option(self.record["risk_upper"], self.record["utility_lower"], lambda: self.precise)


def certificates(protocol: Row, partition: Row, traced: list[Traced]) -> dict[str, list[Certificate]]:
    """Group to the certificates of all candidates, in the order that breaks ties."""
    budgets, tau = protocol["certification"], Fraction(protocol["tau"])
    low, high = map(Fraction, budgets["utility_range"])
    shares = {(one["arm"], one["scale"], one["group"]): one for one in partition["allocations"]}
    found: dict[str, list[Certificate]] = {}
    for leaf in partition["leaves"]:
        members = [one for one in traced if group_of(partition, features(one.arrival.seen)) == leaf["group"]]
        n, epsilon = len(members), Fraction(leaf.get("epsilon", budgets["epsilon_group"]))
        for arm, scale in COMPETING:
            share = shares[arm, scale, leaf["group"]]
            risk, utility = (Fraction(share[kind]) * Fraction("0.05") for kind in ("risk", "utility"))
            k = sum(one.crosses((arm, scale), tau) for one in members)
            values = [(one.policies[arm, scale], one.arrival.throughput) for one in members]
            mean = (math.fsum(expected(*pair) for pair in values) / n - float(low)) / float(high - low)
            total = sum((Fraction(p[a]) * Fraction(q[a]) for p, q in values for a in p), Fraction(0))
            record = {
                "partition": partition["name"],
                "group": leaf["group"],
                "arm": arm,
                "scale": scale,
                "states": n,
                "crossings": k,
                "risk_upper": bounds.clopper_pearson(k, n, risk),
                "utility_mean": mean,
                "utility_lower": bounds.hoeffding(mean, n, utility),
                "certified": k <= bounds.most_certified(n, risk, epsilon),
            }
            precise = bounds.precise_hoeffding((total / n - low) / (high - low), n, utility)
            found.setdefault(leaf["group"], []).append(Certificate(record, precise))
    return found


def chosen(protocol: Row, selector: Row, listed: dict[str, list[Certificate]]) -> list[Certificate | None]:
    """The certificate of the candidate that each group gets; None for the anchor."""
    if selector["rule"] == "anchor":
        return [None] * len(listed)
    free = selector.get("group_budgets") is False
    allowed = [[one for one in ones if free or one.record["certified"]] for ones in listed.values()]
    if selector["rule"] == "dual":
        return [max(ones, key=lambda one: one.precise) if ones else None for ones in allowed]
    problem = mixtures.Problem(
        options=tuple((ANCHORED, *(one.option for one in ones)) for ones in allowed),
        mixtures=mixture(protocol, selector, listed),
        within_budget=False,
        budget=Fraction(protocol["certification"]["epsilon_global"]),
    )
    places = mixtures.robust_map(problem)
    return [ones[place - 1] if place else None for ones, place in zip(allowed, places, strict=True)]


def mixture(protocol: Row, selector: Row, listed: dict[str, list[Certificate]]) -> mixtures.Mixtures:
    """The mixtures that a selector's bounds are stated for."""
    counts = [ones[0].record["states"] for ones in listed.values()]
    radius = protocol["certification"]["rho"] if selector["rule"] == "robust" else "0"
    return mixtures.Mixtures(tuple(Fraction(count, sum(counts)) for count in counts), Fraction(radius))


def map_record(protocol: Row, selector: Row, listed: dict[str, list[Certificate]]) -> Row:
    """What a selector chose, with its bounds over the mixtures that it is stated for."""
    picked, near = chosen(protocol, selector, listed), mixture(protocol, selector, listed)
    free = selector["rule"] == "anchor" or selector.get("group_budgets") is False
    return {
        "selector": selector["name"],
        "partition": selector["partition"],
        "split": "calibration",
        "assignments": [
            {
                "group": group,
                "outcome": "selected"
                if free or any(one.record["certified"] for one in ones)
                else "no-certified-candidate",
                **({"arm": "anchor"} if one is None else {name: one.record[name] for name in ("arm", "scale")}),
            }
            for (group, ones), one in zip(listed.items(), picked, strict=True)
        ],
        "risk_upper": near.largest([one.record["risk_upper"] if one else 0.0 for one in picked]),
        "utility_lower": near.least([one.record["utility_lower"] if one else 0.0 for one in picked]),
        "held_out": {"split": "held-out", "status": "not-joined"},
    }


def group_selection(protocol: Row, selector: Row, listed: dict[str, list[Certificate]], chosen_map: Row) -> Row:
    """Every count and bound behind a choice in groups, and what was certified."""
    budgets, rule = protocol["certification"], selector["rule"]
    free = selector.get("group_budgets") is False
    kept = ["arm", "scale", "group", "crossings", "states"]
    kept += [] if rule == "anchor" else ["risk_upper", "utility_mean", "utility_lower", "certified"]
    record: Row = {
        "selector": selector["name"],
        "split": "calibration",
        "grid": GRID,
        "tau": protocol["tau"],
        "counts": [
            {name: one.record[name] for name in kept} | ({"certified": True} if free else {})
            for ones in listed.values()
            for one in ones
        ],
        "assignments": chosen_map["assignments"],
        "outcome": "selected",
        "held_out": chosen_map["held_out"],
    }
    if rule == "anchor":
        return record
    record |= {"epsilon": budgets["epsilon_group"], "zeta": budgets["zeta_risk"], "zeta_util": budgets["zeta_util"]}
    return record | ({"epsilon_global": budgets["epsilon_global"]} if rule == "robust" else {})


def selection_record(protocol: Row, selector: Row, traced: list[Traced]) -> Row:
    """The counts behind the largest scale without a crossing."""
    counts: list[Row] = [
        {
            "scale": scale,
            "crossings": sum(one.crosses((selector["arm"], scale), Fraction(protocol["tau"])) for one in traced),
            "states": len(traced),
        }
        for scale in GRID
    ]
    clean = [one["scale"] for one in counts if not one["crossings"]]
    record: Row = {
        "selector": selector["name"],
        "split": "calibration",
        "grid": GRID,
        "tau": protocol["tau"],
        "counts": counts,
        "certified": clean,
        "outcome": "selected" if clean else "no-certified-candidate",
        "held_out": {"split": "held-out", "status": "not-joined"},
    }
    return record | ({"choice": max(clean, key=Fraction)} if clean else {})
