"""The frozen partitions and their shares of the failure budgets."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from rsd_stratified.bank import CANDIDATES
from rsd_stratified.groups import group_of
from rsd_stratified.population import Population
from rsd_stratified.protocol import MANUAL_LEAVES
from rsd_stratified.states import Candidate, Row, Traced
from rsd_stratified.structure import Box, Class, Condition, declared_class, sides

__all__ = ["competing", "group_of", "partition_records"]

LEARNED = {
    "learned": "certificate-aware",
    "learned-unpenalized": "unpenalized",
    "depth-1": "depth-1",
    "depth-3": "depth-3",
    "depth-4": "depth-4",
}
"""Partition to the class that it is the best of."""
RANDOM_CLASS, RANDOM_SEED = "certificate-aware", 29


def competing(protocol: Row, families: tuple[str, ...] | None = None) -> list[Candidate]:
    """The candidates that compete, by scale and then family index, which is how ties are broken."""
    grid = {Fraction(scale) for scale in protocol["scale_grid"]}
    chosen = [
        one
        for one in CANDIDATES
        if one.policy == "tilt" and Fraction(one.scale or 0) in grid and (families is None or one.family in families)
    ]
    return sorted(chosen, key=lambda one: (Fraction(one.scale or 0), one.family_index))


def partition_records(protocol: Row, traced_structure: list[Traced]) -> list[Row]:
    """Every partition of the study; what is learned is learned on the structure split alone."""
    states = Population(traced_structure)
    features = [one.features for one in states.traced]
    candidates = competing(protocol)
    deltas = [states.deltas(one.name, protocol["evaluators"]["risk"]) for one in candidates]
    classes = {
        name: declared_class(declared, features, deltas) for name, declared in protocol["partition_classes"].items()
    }
    records: list[Row] = [
        {"name": "global", "leaves": [{"group": "all", "conditions": []}]},
        {"name": "manual", "leaves": MANUAL_LEAVES},
        {"name": "random", "leaves": _leaves(_random_paths(classes[RANDOM_CLASS], protocol))},
    ]
    for name, learned_in in LEARNED.items():
        searched = classes[learned_in]
        tree = searched.best(searched.everything, protocol["partition_classes"][learned_in]["depth"])
        if tree is None:
            raise ValueError(f"the structure split is too small for {learned_in}")
        leaves = _leaves(searched.paths(tree))
        records.append({"name": name, "learned_in": learned_in, "leaves": leaves, "objective": tree.value})
    return [record | {"allocations": _allocations(record, candidates)} for record in records]


def _leaves(paths: list[list[Condition]]) -> list[Row]:
    return [{"group": f"g{number}", "conditions": path} for number, path in enumerate(paths, 1)]


def _random_paths(drawn: Class, protocol: Row) -> list[list[Condition]]:
    """A tree of the class whose cuts are drawn, each among those that leave every leaf below it enough states."""
    generator = random.Random(RANDOM_SEED)

    def grow(box: Box, depth: int, above: list[Condition]) -> list[list[Condition]]:
        least = drawn.minimum * 2 ** (depth - 1) if depth else 0
        possible = [
            cut
            for cut in drawn.cuts(box)
            if all((sums := drawn.sums(side)) is not None and sums.states >= least for side in sides(box, *cut))
        ]
        if not depth or not possible:
            return [above]
        axis, position = generator.choice(possible)
        condition = {"feature": drawn.features[axis], "threshold": drawn.thresholds[axis][position - 1]}
        below, beyond = sides(box, axis, position)
        return [
            *grow(below, depth - 1, [*above, condition | {"below": True}]),
            *grow(beyond, depth - 1, [*above, condition | {"below": False}]),
        ]

    return grow(drawn.everything, protocol["partition_classes"][RANDOM_CLASS]["depth"], [])


def _allocations(partition: Row, candidates: list[Candidate]) -> list[dict[str, Any]]:
    """Equal shares; in the deployed partition the smaller of m scales weigh m, m - 1, .. 1 before the larger."""
    scales = sorted({Fraction(one.scale or 0) for one in candidates})
    weights = {
        scale: len(scales) - place if partition["name"] == "learned" else 1 for place, scale in enumerate(scales)
    }
    total = sum(weights[Fraction(one.scale or 0)] for one in candidates) * len(partition["leaves"])
    rows = []
    for leaf in partition["leaves"]:
        for one in candidates:
            share = str(Fraction(weights[Fraction(one.scale or 0)], total))
            row: Row = {"arm": one.arm, "group": leaf["group"], "risk": share, "utility": share}
            rows.append(row if one.scale is None else row | {"scale": one.scale})
    return rows
