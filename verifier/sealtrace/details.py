"""The evidence behind a verdict, for pages: only where it is asked for, from what the checks left in memory."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.stages import seals_in_order
from sealtrace.contract.details import (
    CandidateBound,
    ChosenMap,
    Details,
    DrawnRow,
    DrawnTable,
    Frontier,
    GroupBounds,
    Lineage,
    Mixture,
    PartitionBounds,
    Reached,
    StageLink,
)
from sealtrace.contract.kinds import STAGES
from sealtrace.contract.report import CheckResult
from sealtrace.printed.cells import CellResult
from sealtrace.printed.metrics import METRICS
from sealtrace.studies.policies.checks.certificates import calibration_of, joined
from sealtrace.studies.policies.checks.maps import recomputed
from sealtrace.studies.policies.evidence.calibration import Calibration, UndeclaredError, VoidError
from sealtrace.studies.policies.evidence.choice import Chosen
from sealtrace.studies.policies.evidence.deployment import deploy
from sealtrace.studies.policies.evidence.outcomes import UnscoredError, outcomes_of, states_of
from sealtrace.studies.policies.evidence.settings import declared_setting
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics.scores import mean
from sealtrace.studies.policies.mathematics.undecided import Undecided

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


def details_of(study: Study, results: dict[str, CheckResult], cells: list[CellResult]) -> Details:
    """Everything that a page shows beside the report's own figures."""
    computed = {name for name, result in results.items() if result.status in ("pass", "fail")}
    holding = {name for name, result in results.items() if result.status == "pass"}
    budgets = study.protocol.get("certification") or {}
    maps = list(_chosen(study)) if "map.choice" in computed else []
    return Details(
        lineages=[_lineage(result) for result in cells],
        tables=list(_tables(study)),
        stages=list(_stages(study)),
        certificates=list(_certificates(study, "certificate.utility" in computed))
        if "certificate.certified" in computed
        else [],
        frontier=_frontier(study, maps) if holding.issuperset(_SCORED) else None,
        maps=[_map(study, name, chosen) for name, chosen in maps],
        budget=budgets.get("epsilon_global"),
        radius=budgets.get("rho"),
    )


def _lineage(result: CellResult) -> Lineage:
    metric = METRICS.get((result.cell.recipe or {}).get("metric") or "")
    population = None
    if metric is not None and "population" in metric.optional and "state=" not in (result.recipe or ""):
        given = re.search(r"population=([^,)]*)", result.recipe or "")
        population = given.group(1) if given else "all"
    return Lineage(
        formula=None if metric is None else metric.formula,
        formula_source=None if metric is None else metric.source,
        population=population,
        count=0 if result.value is None else result.value.count,
        records=[] if result.value is None else result.value.records(),
        undisclosed=list(result.undisclosed),
    )


def _tables(study: Study) -> Iterator[DrawnTable]:
    for document in study.bundle.documents_of("table"):
        record = document.value
        yield DrawnTable(
            label=record["label"],
            caption=record.get("caption"),
            columns=[column["label"] for column in record["columns"]],
            rows=[
                DrawnRow(label=row["label"], cells=row["cells"], marks=row.get("marks") or {}) for row in record["rows"]
            ],
        )


def _stages(study: Study) -> Iterator[StageLink]:
    seals = {seal.value["stage"]: seal for seal in seals_in_order(study)}
    before: str | None = None
    for stage in STAGES:
        seal = seals.get(stage)
        if seal is None:
            yield StageLink(stage=stage, sealed=False, files=0, bytes=0, kinds={}, linked=False)
            continue
        value, digest = seal.value, study.bundle.contents[seal.path]
        yield StageLink(
            stage=stage,
            sealed=True,
            files=len(value["files"]),
            bytes=sum(file["bytes"] for file in value["files"]),
            kinds=dict(Counter(file["kind"] for file in value["files"])),
            digest=digest,
            previous=value.get("previous"),
            linked=value.get("previous") == before,
            empty_reason=value.get("empty_reason"),
        )
        before = digest


def _certificates(study: Study, with_utility: bool) -> Iterator[PartitionBounds]:
    declared = (study.protocol.get("certification") or {}).get("partition")
    for one in joined(study):
        with suppress(*_UNDEFINED):
            calibration = calibration_of(study, one.partition)
            yield PartitionBounds(
                partition=one.partition.name,
                declared=one.partition.name == declared,
                budget=(study.protocol.get("certification") or {}).get("epsilon_group"),
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


def _chosen(study: Study) -> Iterator[tuple[str, Chosen]]:
    # The outcome only takes what could not be computed; the check has reported it already.
    for _, key, chosen in recomputed(study, Outcome("map.choice", "assignments")):
        yield key["selector"], chosen


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
