"""The frozen maps against what each declared selector takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from sealtrace.bundle.model import Document
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.studies.policies.checks.certificates import missing_where_undefined
from sealtrace.studies.policies.checks.selection import report_held_out
from sealtrace.studies.policies.evidence.bank import candidate_at
from sealtrace.studies.policies.evidence.calibration import declared_setting
from sealtrace.studies.policies.evidence.choice import RULES, Chosen
from sealtrace.studies.policies.evidence.deployment import chosen_by
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.choosing import Selector


def _no_map(study: Study, outcome: Outcome) -> bool:
    if study.bundle.documents_of("map") or study.declared.choosing:
        return False
    outcome.not_applicable = "no selector chooses in the groups of a partition"
    return True


def declared_selector(study: Study, record: dict[str, Any]) -> Selector | None:
    """The selector that a map names, where the protocol declares it with a partition."""
    return next((one for one in study.declared.choosing if one.name == record["selector"]), None)


def recomputed(study: Study, outcome: Outcome) -> Iterator[tuple[Document, dict[str, str], Chosen]]:
    """Every map record of a declared selector with what the selector takes."""
    for document in study.bundle.documents_of("map"):
        if declared_selector(study, document.value) is None:
            outcome.missing = f"{document.path} names no declared selector"
            continue
        with missing_where_undefined(outcome):
            chosen = chosen_by(study, document.value["selector"], declared_setting(study))
            yield document, {"selector": document.value["selector"]}, chosen


@check("map.selector", "maps", unless=_no_map)
def selector(study: Study, outcome: Outcome) -> None:
    documents = study.bundle.documents_of("map")
    outcome.inspected = len(documents)
    choosing = {one.name: one for one in study.declared.choosing}
    times = Counter(document.value["selector"] for document in documents)
    for document in documents:
        record, key = document.value, {"selector": document.value["selector"]}
        declared = choosing.get(record["selector"])
        expected: list[tuple[str, object, object]] = []
        if times[record["selector"]] > 1:
            expected.append(("/selector", "one map per selector", times[record["selector"]]))
        if declared is None:
            expected.append(("/selector", ", ".join(choosing) or "none", record["selector"]))
        else:
            expected.append(("/partition", declared.partition, record["partition"]))
        if study.roles.get(record["split"]) != "calibration":
            names = [name for name, role in study.roles.items() if role == "calibration"]
            expected.append(("/split", " or ".join(names), record["split"]))
        for field, due, found in expected:
            message = "The map is not one that the protocol's selectors make."
            outcome.at(document.path, key).expect(field, message, due, found)
    absent = set(choosing) - set(times)
    if absent:
        outcome.missing = f"no map of {', '.join(sorted(absent))}"


@check("map.groups", "maps", unless=_no_map)
def groups(study: Study, outcome: Outcome) -> None:
    for document, key, chosen in recomputed(study, outcome):
        outcome.inspected += 1
        due, found = chosen.partition.groups, [one["group"] for one in document.value["assignments"]]
        if due != found:
            message = "The map assigns other groups than its partition has, or in another order."
            outcome.at(document.path, key).error("/assignments", message, ", ".join(due), ", ".join(found))


@check("map.certified", "assignments", unless=_no_map)
def certified(study: Study, outcome: Outcome) -> None:
    for document, key, chosen in recomputed(study, outcome):
        if not RULES[chosen.rule].certified:
            outcome.inspected += len(document.value["assignments"])
            continue
        for place, assigned in enumerate(document.value["assignments"]):
            outcome.inspected += 1
            name = assigned_name(study, assigned)
            if name == study.anchor_name or assigned["group"] not in chosen.partition.groups:
                continue
            with missing_where_undefined(outcome):
                allowed = admitted_names(chosen, chosen.partition.groups.index(assigned["group"]))
                if name not in allowed:
                    message = "The map deploys a candidate that is not certified in the group."
                    outcome.at(document.path, {**key, "group": assigned["group"]}).error(
                        f"/assignments/{place}", message, ", ".join([*allowed, study.anchor_name]), name
                    )


def admitted_names(chosen: Chosen, group: int) -> list[str]:
    """The candidates that a map's rule may take in a group, in the order of the tie rule."""
    calibration, solution = chosen.calibration, chosen.solution
    admitted = calibration.certified[:, group] if solution is None else solution.instance.admissible[group, 1:]
    return [calibration.study.candidates[calibration.candidates[row]].name for row in np.flatnonzero(admitted).tolist()]


def assigned_name(study: Study, assigned: dict[str, Any]) -> str:
    """The candidate that an assignment names, as the bank writes it."""
    arm, scale = str(assigned["arm"]), assigned.get("scale")
    if (place := candidate_at(study, arm, scale)) is not None:
        return study.candidates[place].name
    return arm if scale is None else f"{arm}@{scale}"


@check("map.choice", "assignments", unless=_no_map)
def choice(study: Study, outcome: Outcome) -> None:
    for document, key, chosen in recomputed(study, outcome):
        if chosen.doubt is not None:
            outcome.missing = (
                f"the proof that no map is better than that of {key['selector']} does not hold: {chosen.doubt}"
            )
            continue
        by_group = {one["group"]: (place, one) for place, one in enumerate(document.value["assignments"])}
        for group, due, wanted in chosen.deployed:
            outcome.inspected += 1
            if group not in by_group:
                continue
            place, assigned = by_group[group]
            at = outcome.at(document.path, {**key, "group": group})
            message = f"The declared rule chooses another candidate in this group ({chosen.reason})."
            at.expect(f"/assignments/{place}/arm", message, due, assigned_name(study, assigned))
            at.expect(f"/assignments/{place}/outcome", message, wanted, assigned["outcome"])


@check("map.bounds", "bounds", unless=_no_map)
def bounds(study: Study, outcome: Outcome) -> None:
    for document, key, chosen in recomputed(study, outcome):
        for field, kind in (("risk_upper", "risk"), ("utility_lower", "utility")):
            outcome.inspected += 1
            reported = document.value.get(field)
            if kind not in chosen.certifies:
                if reported is not None:
                    outcome.at(document.path, key).error(
                        f"/{field}", f"A {chosen.rule} rule states no such bound.", "nothing", reported
                    )
                continue
            with missing_where_undefined(outcome):
                due = chosen.risk_upper() if kind == "risk" else chosen.utility_lower()
                size = max(abs(due), 1.0 if kind == "utility" else 0.0)
                if reported is None or not abs(due - reported) <= study.tolerance * size:
                    message = f"The map's {kind} bound is not its worst mixture within {_ratio(chosen.radius)}."
                    outcome.at(document.path, key).error(
                        f"/{field}", message, due, "nothing" if reported is None else reported
                    )


def _ratio(value: Fraction) -> str:
    return str(float(value))


@check("map.held-out", "maps", unless=_no_map)
def held_out(study: Study, outcome: Outcome) -> None:
    for document in study.bundle.documents_of("map"):
        outcome.inspected += 1
        report_held_out(study, outcome, document)
