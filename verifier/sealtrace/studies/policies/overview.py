"""What a study of policies says of itself: its part of the summary, and what a page draws of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING

from sealtrace.contract.details import Plot, PlotLimit, PlotPoint, PlotSeries
from sealtrace.contract.result import Agreement, SelectorResult
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import mean
from sealtrace.studies.policies.checks.certificates import calibration_of, reported_certificates
from sealtrace.studies.policies.checks.choices import chosen_text, recounted
from sealtrace.studies.policies.evidence.calibration import ASSUMPTIONS, UNCOMPUTABLE, Calibration, declared_setting
from sealtrace.studies.policies.evidence.choice import Chosen
from sealtrace.studies.policies.evidence.deployment import chosen_by, deploy, map_name
from sealtrace.studies.policies.evidence.outcomes import BOTH, declared_outcomes, states_of
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.certification import CandidateMap

if TYPE_CHECKING:
    from sealtrace.bundle.model import TypedDocument
    from sealtrace.examination import Examination


RADII = tuple(Fraction(step, 20) for step in range(41))
"""Where a map's bounds are drawn: from no movement to any mixture. What cannot be computed is not drawn."""

_RISK = (
    "A line runs from the share k/n that was counted to the bound U that is certified. A full dot is certified, a ring "
    "is not. The dashed line is the budget of a group."
)
_UTILITY = "A line runs from the bound L that is certified to the mean that was counted. A ring is not certified."


def certificates(study: Study, *, with_utility: bool) -> Iterator[Plot]:
    """The recomputed bounds of every candidate, a plot for each group; the protocol's own partition first and open."""
    partitions = [reported.partition for reported in reported_certificates(study)]
    partitions.sort(key=lambda partition: partition.name != study.declared.deployed)
    for number, partition in enumerate(partitions):
        for draw in (_risks, _utilities) if with_utility else (_risks,):
            for group in range(len(partition.groups)):
                with suppress(*UNCOMPUTABLE):
                    calibration = calibration_of(study, partition)
                    calibration.require_scores(groups=[group])
                    yield draw(calibration, group, number > 0)


def _risks(calibration: Calibration, group: int, folded: bool) -> Plot:
    states, budgets = int(calibration.counts[group]), calibration.study.declared.certification
    points = []
    for row, candidate in enumerate(calibration.candidates):
        crossings, upper = int(calibration.crossings[row, group]), float(calibration.upper[row, group])
        points.append(
            PlotPoint(
                label=calibration.study.candidates[candidate].name,
                y=upper,
                low=crossings / states if states else 0.0,
                high=upper,
                note=f"{crossings} of {states} cross",
                hollow=not calibration.certified[row, group],
            )
        )
    return Plot(
        title=f"{calibration.partition.groups[group]}, {states} states",
        section=f"Risk bounds in {calibration.partition.name}",
        caption=_RISK,
        across="share of states that cross",
        series=[PlotSeries(name="U", points=points)],
        limits=_limit("budget", budgets.epsilon_group if budgets else None),
        folded=folded,
    )


def _utilities(calibration: Calibration, group: int, folded: bool) -> Plot:
    points = []
    for row, candidate in enumerate(calibration.candidates):
        lower, middle = float(calibration.stated_lower[row, group]), float(calibration.normalized[row, group])
        if math.isfinite(lower):
            label, high = calibration.study.candidates[candidate].name, middle if math.isfinite(middle) else None
            hollow = not calibration.certified[row, group]
            points.append(PlotPoint(label=label, y=lower, low=lower, high=high, hollow=hollow))
    return Plot(
        title=calibration.partition.groups[group],
        section=f"Utility bounds in {calibration.partition.name}",
        caption=_UTILITY,
        across="normalized utility",
        series=[PlotSeries(name="L", points=points)],
        folded=folded,
    )


def _limit(name: str, value: str | None, *, upright: bool = True) -> list[PlotLimit]:
    """A declared constant, where it can be drawn."""
    with suppress(ValueError, ZeroDivisionError, OverflowError):
        if value is not None:
            return [PlotLimit(name=f"{name} {value}", value=float(exact(value)), upright=upright)]
    return []


def mixtures(study: Study, maps: list[tuple[str, Chosen]]) -> Iterator[Plot]:
    """The worst bounds of each map that states them, against how far the mixture of groups may move."""
    budgets = study.declared.certification
    radius = _limit("declared radius", budgets.rho if budgets else None)
    budget = _limit("budget", budgets.epsilon_global if budgets else None, upright=False)
    for bound, value, limits in (("risk", Chosen.risk_upper, budget), ("utility", Chosen.utility_lower, [])):
        # Maps that are the same give the same curve, which is drawn once.
        curves: dict[tuple[float, ...], list[str]] = {}
        for selector, chosen in maps:
            if bound in chosen.certifies and (values := _mixed(chosen, value)):
                curves.setdefault(values, []).append(selector)
        if curves:
            yield Plot(
                title=f"Worst {bound} bound",
                caption=f"How the {bound} bound of each map worsens as the mixture of groups moves away from the "
                "calibrated one: at radius 0 it stays, at 2 it may be any mixture.",
                across="radius of the l1 ball",
                up=f"{bound} bound",
                series=[
                    PlotSeries(
                        name=", ".join(selectors),
                        points=[PlotPoint(x=float(at), y=y) for at, y in zip(RADII, values, strict=True)],
                        marks=False,
                    )
                    for values, selectors in curves.items()
                ],
                limits=[*radius, *limits],
            )


def _mixed(chosen: Chosen, value: Callable[[Chosen, Fraction], float]) -> tuple[float, ...]:
    with suppress(*UNCOMPUTABLE):
        return tuple(value(chosen, radius) for radius in RADII)
    return ()


def frontier(study: Study, maps: list[tuple[str, Chosen]]) -> Iterator[Plot]:
    """Utility against violation of candidates and maps on the first held-out split."""
    split = next(iter(study.bank.splits_of("held-out")), "")
    if not len(states := states_of(study, split)):
        return
    setting = declared_setting(study)
    outcomes = declared_outcomes(study)
    families: dict[str, list[PlotPoint]] = {}
    for place, candidate in enumerate(study.candidates):
        found = outcomes.of(place)
        utility = mean(found.utility[states])
        if math.isfinite(utility):
            point = _reached(candidate.name, utility, int(found.crossed[states].sum()), len(states))
            families.setdefault(candidate.family or candidate.arm, []).append(point)
    chosen = []
    for selector, assigned in maps:
        with suppress(*UNCOMPUTABLE):
            policy = deploy(assigned, states, setting.utility, setting.risk)
            policy.require(*BOTH)
            chosen.append(_reached(selector, mean(policy.utility), int(policy.crossed.sum()), len(states)))
    if not families:
        return
    best = unsurpassed([point for points in families.values() for point in points])
    yield Plot(
        title=f"{setting.utility.capitalize()} EV against violation",
        caption=f"Every candidate on the split {split}. The line joins those that no other surpasses in both."
        + (" Crosses are what selectors chose." if chosen else ""),
        across="violation, share of states",
        up=f"mean {setting.utility} EV",
        series=[
            PlotSeries(name="unsurpassed", points=best, marks=False, named=not chosen),
            *(PlotSeries(name=name, points=points, line=False) for name, points in families.items()),
            *([PlotSeries(name="chosen by a selector", points=chosen, line=False, named=True)] if chosen else []),
        ],
    )


def _reached(name: str, utility: float, crossings: int, states: int) -> PlotPoint:
    return PlotPoint(label=name, x=crossings / states, y=utility, note=f"{crossings} of {states} cross")


def unsurpassed(points: list[PlotPoint]) -> list[PlotPoint]:
    """Those that no other surpasses in both, by rising violation."""
    best: list[PlotPoint] = []
    for point in sorted(points, key=lambda point: (point.x or 0.0, -point.y)):
        if not best or point.y > best[-1].y:
            best.append(point)
    return best


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


def summary(study: Study, examination: Examination) -> dict[str, object]:
    """The figures that the paper's appendix asks a verification to print."""
    threshold = examination.outcomes.get("threshold.recomputed")
    agreement = None
    if threshold is not None and threshold.inspected:
        wrong = threshold.counts["error"]
        agreement = Agreement(agree=threshold.inspected - wrong, total=threshold.inspected)
    states = len(study.states.ids) if study.bundle.of_kind("observation") else 0
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


def _selected(study: Study, examination: Examination) -> Iterator[SelectorResult]:
    if examination.computed("selection.choice"):
        for document, counted in recounted(study):
            yield SelectorResult(
                selector=document.record.selector,
                recomputed=None if counted is None else chosen_text(study, counted),
                reported=document.record.choice,
            )
    for sealed, chosen in _chosen_maps(study, examination):
        yield SelectorResult(
            selector=sealed.record.selector,
            recomputed=map_name(chosen),
            reported=" / ".join(study.bank.assigned(record)[1] for record in sealed.record.assignments),
        )


def _chosen_maps(study: Study, examination: Examination) -> Iterator[tuple[TypedDocument[CandidateMap], Chosen]]:
    """Sealed maps with what their selector takes, where that was computed."""
    if not examination.computed("map.choice"):
        return
    choosing = {selector.name for selector in study.declared.choosing}
    for document in study.bundle.sealed(CandidateMap):
        if document.record.selector in choosing:
            with suppress(*UNCOMPUTABLE):
                chosen = chosen_by(study, document.record.selector, declared_setting(study))
                chosen.require_known()
                yield document, chosen


def details(study: Study, examination: Examination) -> dict[str, object]:
    """Certificates, maps and the frontier, where they could be computed."""
    maps = [(document.record.selector, chosen) for document, chosen in _chosen_maps(study, examination)]
    plots: list[Plot] = []
    if examination.computed("certificate.certified"):
        plots += certificates(study, with_utility=examination.computed("certificate.utility"))
    plots += mixtures(study, maps)
    if examination.holds(*_SCORED):
        plots += frontier(study, maps)
    return {"plots": plots}
