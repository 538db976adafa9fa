"""Candidates of the bank: by arm and scale, and which of them compete."""

from __future__ import annotations

from fractions import Fraction

from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.studies.policies.evidence.study import Study


@once
def _places(study: Study) -> dict[tuple[str, Fraction | None], int]:
    return {
        (one.arm, None if one.scale is None else exact(one.scale)): place for place, one in enumerate(study.candidates)
    }


def candidate_at(study: Study, arm: str | None, scale: str | Fraction | None) -> int | None:
    """The candidate of an arm and a scale, which are compared as numbers; None where the bank has none."""
    return _places(study).get((arm or "", exact(scale) if isinstance(scale, str) else scale))


@once
def competing(
    study: Study, families: tuple[str, ...] | None = None, scales: tuple[Fraction, ...] | None = None
) -> list[int]:
    """The candidates that compete, the smaller scale first, then the lower family index.

    They are the candidates of the declared arms, by default the tilts of the anchor, whose scale is on the grid.
    """
    grid = {exact(text) for text in study.declared.scale_grid}
    arms = study.declared.competitors
    chosen = [
        (exact(one.scale), one.family_index or 0, place)
        for place, one in enumerate(study.candidates)
        if (one.policy == "tilt" if arms is None else one.arm in arms)
        and one.scale is not None
        and exact(one.scale) in grid
        and (families is None or one.family in families)
        and (scales is None or exact(one.scale) in scales)
    ]
    return [place for _, _, place in sorted(chosen)]
