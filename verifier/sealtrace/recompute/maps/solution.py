"""A map, its worst values, and why no other map is better."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .proof import Proof


@dataclass(frozen=True)
class Solution:
    """The best map: the largest worst utility, and among equals the first in order of preference."""

    choice: tuple[int, ...]
    """The option of each group."""
    utility: Fraction
    """The worst utility, the optimum."""
    risk: Fraction
    """The worst risk, within the budget."""
    proof: Proof
