"""What a study of policies says of itself: its part of the summary, and what a page draws of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sealtrace.contract.details import (
    CandidateBound,
    ChosenMap,
    Frontier,
    GroupBounds,
    Mixture,
    PartitionBounds,
    Reached,
)
from sealtrace.contract.report import Agreement, Selected
from sealtrace.mathematics.exact import Undecided, mean
from sealtrace.studies.policies.checks.certificates import calibration_of, joined
from sealtrace.studies.policies.checks.maps import assigned_name, declared_selector
from sealtrace.studies.policies.checks.selection import chosen_text, recounted
from sealtrace.studies.policies.evidence.calibration import Calibration, UndeclaredError, VoidError
from sealtrace.studies.policies.evidence.choice import Chosen
from sealtrace.studies.policies.evidence.deployment import chosen_by, deploy, map_name
from sealtrace.studies.policies.evidence.outcomes import UnscoredError, outcomes_of, states_of
from sealtrace.studies.policies.evidence.settings import ASSUMPTIONS, declared_setting
from sealtrace.studies.policies.evidence.study import Study

if TYPE_CHECKING:
    from sealtrace.bundle.reading import Document
    from sealtrace.examination import Examination

RADII = tuple(Fraction(step, 20) for step in range(41))
"""Where a map's bounds are drawn: from no movement to any mixture at all."""

_SCORED = (
    "join.unique-key",
    "join.trace",
    "join.values",
    "split.inventory",
    "split.agreement",
    "action.legal-set",
    "action.vocabulary",
)
"""What must hold before a mean over a split means anything."""

_UNDEFINED = (UndeclaredError, UnscoredError, VoidError, Undecided)
"""What cannot be computed is not drawn; a check has said why."""


def summary(study: Study, examination: Examination) -> dict[str, Any]:
    """The figures that the paper's appendix asks a verification to print."""
    threshold = examination.outcomes.get("threshold.recomputed")
    agreement = None
    if threshold is not None and threshold.inspected:
        wrong = threshold.counts["error"]
        agreement = Agreement(agree=threshold.inspected - wrong, total=threshold.inspected)
    states = len(study.states) if study.bundle.of_kind("observation") else 0
    policies, traces = len(study.candidates), study.frame("trace").size
    return {
        "inspected": [f"{states} states", f"{policies} policies", f"{traces} traces"],
        "states": states,
        "policies": policies,
        "traces": traces,
        "tolerance": study.declared.tolerances.replay if "tolerances" in study.declared.model_fields_set else None,
        "threshold_agreement": agreement,
        "selected": list(_selected(study, examination)),
        "assumed": list(ASSUMPTIONS) if study.bundle.of_kind("certificate") else [],
    }


def _selected(study: Study, examination: Examination) -> Iterator[Selected]:
    if examination.computed("selection.choice"):
        for document, key, counted in recounted(study):
            yield Selected(
                selector=key["selector"],
                recomputed=None if counted is None else chosen_text(counted),
                reported=document.value.get("choice"),
            )
    for document, chosen in _chosen_maps(study, examination):
        yield Selected(
            selector=document.value["selector"],
            recomputed=map_name(chosen),
            reported=" / ".join(assigned_name(study, one) for one in document.value["assignments"]),
        )


def _chosen_maps(study: Study, examination: Examination) -> Iterator[tuple[Document, Chosen]]:
    """Sealed maps with what their selector takes, where that was computed."""
    if not examination.computed("map.choice"):
        return
    for document in study.bundle.documents_of("map"):
        if declared_selector(study, document.value) is not None:
            with suppress(*_UNDEFINED):
                yield document, chosen_by(study, document.value["selector"], declared_setting(study))


def details(study: Study, examination: Examination) -> dict[str, Any]:
    """Certificates, the frontier and maps, where they could be computed."""
    budgets = study.declared.certification
    maps = [(document.value["selector"], chosen) for document, chosen in _chosen_maps(study, examination)]
    return {
        "certificates": list(_certificates(study, examination.computed("certificate.utility")))
        if examination.computed("certificate.certified")
        else [],
        "frontier": _frontier(study, maps) if examination.holds(*_SCORED) else None,
        "maps": [_map(study, name, chosen) for name, chosen in maps],
        "budget": None if budgets is None else budgets.epsilon_global,
        "radius": None if budgets is None else budgets.rho,
    }


def _certificates(study: Study, with_utility: bool) -> Iterator[PartitionBounds]:
    budgets = study.declared.certification
    for one in joined(study):
        with suppress(*_UNDEFINED):
            calibration = calibration_of(study, one.partition)
            yield PartitionBounds(
                partition=one.partition.name,
                declared=one.partition.name == study.declared.deployed,
                budget=None if budgets is None else budgets.epsilon_group,
                groups=[
                    GroupBounds(
                        group=group,
                        states=int(calibration.counts[place]),
                        bounds=_bounds(calibration, place, with_utility),
                    )
                    for place, group in enumerate(one.partition.groups)
                ],
            )


def _bounds(calibration: Calibration, group: int, with_utility: bool) -> list[CandidateBound]:
    return [
        CandidateBound(
            candidate=calibration.study.candidates[candidate].name,
            crossings=int(calibration.crossings[row, group]),
            risk_upper=float(calibration.upper[row, group]),
            utility_mean=_finite(float(calibration.normalized[row, group])) if with_utility else None,
            utility_lower=_finite(float(calibration.stated_lower[row, group])) if with_utility else None,
            certified=bool(calibration.certified[row, group]),
        )
        for row, candidate in enumerate(calibration.candidates)
    ]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _map(study: Study, selector: str, chosen: Chosen) -> ChosenMap:
    names = ["anchor" if one is None else study.candidates[one].name for one in chosen.assigned]
    mixtures: list[Mixture] = []
    if chosen.certifies:
        with suppress(*_UNDEFINED):
            mixtures = [
                Mixture(
                    radius=float(radius),
                    risk_upper=chosen.risk_upper(radius) if "risk" in chosen.certifies else None,
                    utility_lower=chosen.utility_lower(radius) if "utility" in chosen.certifies else None,
                )
                for radius in RADII
            ]
    return ChosenMap(
        selector=selector,
        rule=chosen.rule,
        partition=chosen.partition.name,
        assigned=dict(zip(chosen.partition.groups, names, strict=True)),
        reason=chosen.reason,
        mixtures=mixtures,
    )


def _frontier(study: Study, maps: list[tuple[str, Chosen]]) -> Frontier | None:
    """What candidates and maps reach on the first held-out split."""
    split = next((name for name, role in study.roles.items() if role == "held-out"), None)
    if split is None or not len(states := states_of(study, split)):
        return None
    setting = declared_setting(study)
    outcomes = outcomes_of(study, setting.utility, setting.risk, setting.tau)
    candidates = []
    for place, one in enumerate(study.candidates):
        found = outcomes.of(place)
        utility = mean(found.utility[states])
        if math.isfinite(utility):
            candidates.append(
                Reached(
                    name=one.name,
                    family=one.family or one.arm,
                    utility=utility,
                    crossings=int(found.crossed[states].sum()),
                    states=len(states),
                )
            )
    reached = []
    for selector, chosen in maps:
        with suppress(*_UNDEFINED):
            policy = deploy(chosen, states, setting.utility, setting.risk)
            reached.append(
                Reached(
                    name=selector,
                    utility=mean(policy.utility),
                    crossings=int(policy.crossed.sum()),
                    states=len(states),
                )
            )
    if not candidates:
        return None
    return Frontier(split=split, evaluator=setting.utility, candidates=candidates, chosen=reached)
