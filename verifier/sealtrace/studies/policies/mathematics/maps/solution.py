"""A map, its worst values, and why no other map is better."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from .instance import Instance
from .mixtures import worst_risk, worst_utility
from .proof import Proof


@dataclass(frozen=True)
class Solution:
    """The best map: the largest worst utility, and among equals the first in order of preference."""

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
