"""Why no map is better: data that a reader can check without the search that found it.

Four numbers of a map are its thresholds: the smallest L, the L above which a worst mixture takes the
mass that it moves away, and the same two of -U. Regions of thresholds together cover all maps. In a
region the problem is no harder than a knapsack, and a multiplier on the budget bounds every map in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from .instance import Instance, worst_risk, worst_utility


class Refuted(ValueError):  # noqa: N818 - a finding that callers report, not a fault
    """The map is not shown to be the best one."""


@dataclass(frozen=True)
class GroupWise:
    """Whatever the groups take of the options left, the global budget holds: their best options are the best map."""

    removed: int = 0
    """How many admissible options the global budget removes first: each breaks it with the anchor elsewhere."""


@dataclass(frozen=True)
class SplitProof:
    """A region in two, by one threshold."""

    axis: int
    """0: the smallest L, 1: the cap on L, 2: the smallest -U, 3: the cap on -U."""
    cut: Fraction
    below: int
    """The region whose threshold is at most the cut."""
    above: int
    """The region whose threshold is larger than the cut."""


@dataclass(frozen=True)
class Region:
    """A set of maps, given by ranges of their thresholds, and what is done about it."""

    multiplier: Fraction = Fraction(0)
    """Its bound on the region's maps removes the options that no better map uses."""
    split: SplitProof | None = None
    labels: int | None = None
    """How many partial maps that none surpasses were followed, where the multiplier was not enough."""
    maps: int | None = None
    """How many maps were left, all looked at, where the multiplier was not enough."""


@dataclass(frozen=True)
class Covered:
    """Regions that cover all maps, the first of which is everything."""

    regions: tuple[Region, ...]


@dataclass(frozen=True)
class Settled:
    """A map of the best worst utility, which another proof shows, goes before all others of it."""

    proof: Proof
    """Why no map has a larger worst utility than `known`."""
    known: tuple[int, ...]
    steps: int
    """How many partial maps were looked at to tell equal ones apart."""


Proof = GroupWise | Covered | Settled


def describe(proof: Proof) -> str:
    """The proof in one sentence for a reader."""
    match proof:
        case GroupWise(removed):
            options = f"{removed:,} option{'s' * (removed != 1)}"
            binds = f"removes {options} and cannot bind among the others" if removed else "cannot bind"
            return (
                f"the global budget {binds}, so that the best options of the groups are the best map; "
                "among equal maps the earlier options stand"
            )
        case Settled(known):
            return f"{describe(known)}; among maps of that worst utility, the largest at the calibration mixture stands"
        case Covered(regions):
            leaves = [region for region in regions if region.split is None]
            labelled = [region.labels for region in leaves if region.labels is not None]
            listed = [region.maps for region in leaves if region.maps is not None]
            ways = [
                (len(leaves) - len(labelled) - len(listed), "by multipliers"),
                (len(labelled), f"by {sum(labelled):,} Pareto labels"),
                (len(listed), f"by comparing {sum(listed):,} maps"),
            ]
            counted = ", ".join(f"{count:,} {way}" for count, way in ways if count)
            return f"every better map is excluded, by regions of thresholds: {counted}"


@dataclass(frozen=True)
class Solution:
    """The best map: the largest worst utility, and among equals the one that the tie rule takes."""

    choice: tuple[int, ...]
    """The option of each group."""
    proof: Proof
    instance: Instance = field(repr=False)

    @cached_property
    def utility(self) -> Fraction:
        """The worst utility, the optimum; exact values are costly, and many callers want the map alone."""
        return worst_utility(self.instance, self.choice)

    @cached_property
    def risk(self) -> Fraction:
        """The worst risk, within the budget."""
        return worst_risk(self.instance, self.choice)
