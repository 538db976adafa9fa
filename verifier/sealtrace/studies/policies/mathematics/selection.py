"""Selection rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Choice:
    """What a rule admits and what it takes."""

    certified: tuple[Fraction, ...]
    """In order of the grid."""
    chosen: Fraction | None
    """None: NO-CERTIFIED-CANDIDATE."""


def empirical_zero(grid: Sequence[Fraction], crossings: Sequence[int]) -> Choice:
    """alpha_zero = max{alpha in G : k_alpha = 0}."""
    certified = tuple(scale for scale, count in zip(grid, crossings, strict=True) if count == 0)
    return Choice(certified, max(certified, default=None))
