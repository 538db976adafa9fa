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
    epsilon_global: Fraction | None
    zeta_risk: Fraction | None
    zeta_util: Fraction | None
    rho: Fraction | None
    utility_range: tuple[Fraction, Fraction] | None
    families: tuple[str, ...] | None
    """The families that compete; None: all of them, with the partition's own allocations."""
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

    def constant(name: str, of: str) -> Fraction | None:
        text = getattr(changed, of) or getattr(budgets, name, None)
        return None if text is None else exact(text)

    bounds = changed.utility_range or (None if budgets is None else budgets.utility_range)
    evaluators = changed.evaluators or study.declared.evaluators
    return Setting(
        tau=exact(changed.tau or study.declared.tau),
        epsilon_group=constant("epsilon_group", "epsilon"),
        epsilon_global=constant("epsilon_global", "epsilon"),
        zeta_risk=constant("zeta_risk", "zeta"),
        zeta_util=constant("zeta_util", "zeta"),
        rho=constant("rho", "rho"),
        utility_range=None if bounds is None else (exact(bounds[0]), exact(bounds[1])),
        families=None if changed.families is None else tuple(changed.families),
        utility=evaluators.utility,
        risk=evaluators.risk,
        partition=changed.partition,
        calibration=changed.calibration,
    )


@once
def competing(study: Study, families: tuple[str, ...] | None = None) -> list[int]:
    """The candidates that compete, the smaller scale first, then the lower family index.

    They are the tilts of the anchor whose scale is on the grid; a policy with a base of its own does not compete.
    """
    grid = {exact(text) for text in study.declared.scale_grid}
    chosen = [
        (exact(one.scale), one.family_index or 0, place)
        for place, one in enumerate(study.candidates)
        if one.policy == "tilt"
        and one.scale is not None
        and exact(one.scale) in grid
        and (families is None or one.family in families)
    ]
    return [place for _, _, place in sorted(chosen)]
