"""The declared operating point, and what a declared variant makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.protocol import Variant

ASSUMPTIONS = (
    "calibration states are independent draws within each group",
    "the distribution within each group is the same at deployment; only the mixture of groups may move",
    "every utility lies in the declared range, also where it was not looked at",
    "candidates, groups, shares and constants were fixed before the calibration scores were seen",
)
"""What certificates assume, and no record can verify."""


@dataclass(frozen=True)
class Setting:
    """Everything that a certificate or a selection depends on besides records."""

    tau: Fraction
    epsilon_group: Fraction | None
    """The budget of every group that has none of its own."""
    epsilon_groups: tuple[tuple[str, Fraction], ...] | None
    """Groups with budgets of their own; None: as the partition's leaves state them."""
    epsilon_global: Fraction | None
    zeta_risk: Fraction | None
    zeta_util: Fraction | None
    rho: Fraction | None
    utility_range: tuple[Fraction, Fraction] | None
    families: tuple[str, ...] | None
    """The families that compete; None: all of them."""
    scales: tuple[Fraction, ...] | None
    """The scales that compete; None: all of the grid."""
    allocation: str | None
    """The declared allocation; None: the partition's own, or equal shares where not everything competes."""
    utility: str
    """The evaluator of the objective."""
    risk: str
    """The evaluator of degradation."""
    partition: str | None
    """The partition that replaces a selector's own."""
    calibration: int | None
    """Calibration states of a repeated split, where the variant changes them."""


def declared_setting(study: Study, variant: Variant | None = None) -> Setting:
    """The protocol's operating point with what a variant changes."""
    changed = variant or Variant.model_construct()
    budgets = study.declared.certification

    def constant(name: str, *of: str) -> Fraction | None:
        texts = [*(getattr(changed, one) for one in of), getattr(budgets, name, None)]
        return next((exact(text) for text in texts if text is not None), None)

    own: tuple[tuple[str, Fraction], ...] | None = (
        None if changed.epsilon is None and changed.epsilon_group is None else ()
    )
    if changed.epsilon_groups is not None:
        own = tuple((group, exact(text)) for group, text in sorted(changed.epsilon_groups.items()))

    bounds = changed.utility_range or (None if budgets is None else budgets.utility_range)
    evaluators = changed.evaluators or study.declared.evaluators
    return Setting(
        tau=exact(changed.tau or study.declared.tau),
        epsilon_group=constant("epsilon_group", "epsilon_group", "epsilon"),
        epsilon_groups=own,
        epsilon_global=constant("epsilon_global", "epsilon_global", "epsilon"),
        zeta_risk=constant("zeta_risk", "zeta"),
        zeta_util=constant("zeta_util", "zeta"),
        rho=constant("rho", "rho"),
        utility_range=None if bounds is None else (exact(bounds[0]), exact(bounds[1])),
        families=None if changed.families is None else tuple(changed.families),
        scales=None if changed.scales is None else tuple(sorted(exact(text) for text in changed.scales)),
        allocation=changed.allocation,
        utility=evaluators.utility,
        risk=evaluators.risk,
        partition=changed.partition,
        calibration=changed.calibration,
    )


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
