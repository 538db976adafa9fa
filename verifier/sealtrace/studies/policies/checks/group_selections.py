"""Selection records of selectors that choose in groups: every count, bound and certified pair behind the choice."""

from __future__ import annotations

import math
from typing import Any

from sealtrace.bundle.frames import Matrix
from sealtrace.bundle.reading import Document
from sealtrace.checks.outcome import Outcome
from sealtrace.contract.scalars import exact
from sealtrace.studies.policies.evidence.choice import Chosen
from sealtrace.studies.policies.evidence.deployment import chosen_by, deciding
from sealtrace.studies.policies.evidence.settings import declared_setting
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.protocol import Selector

_RISK, _UTILITY = ("risk-only", "dual", "robust"), ("dual", "robust")
"""Rules that use risk bounds, and rules that use utility bounds."""


def is_grouped(record: dict[str, Any]) -> bool:
    """Whether a selection record is one of a choice in groups."""
    return record.get("assignments") is not None


def declared_budgets(study: Study, selector: Selector) -> dict[str, str | None]:
    """Field of the record to the constant that the protocol declares; None where the rule has no such thing."""
    budgets = study.declared.certification
    uses = {
        "epsilon": ("epsilon_group", _RISK),
        "epsilon_global": ("epsilon_global", ("robust",)),
        "zeta": ("zeta_risk", _RISK),
        "zeta_util": ("zeta_util", _UTILITY),
    }
    return {
        field: getattr(budgets, name, None) if selector.rule in rules else None for field, (name, rules) in uses.items()
    }


def _chosen(study: Study, document: Document) -> Chosen:
    return chosen_by(study, document.value["selector"], declared_setting(study))


def _pairs(chosen: Chosen) -> dict[tuple[str, str, str], tuple[int, int]]:
    """(arm, scale, group) to candidate and group as places of the recomputed tables."""
    bank = [chosen.calibration.study.candidates[one] for one in chosen.calibration.candidates]
    return {
        (one.arm, str(exact(one.scale or "0")), group): (row, place)
        for row, one in enumerate(bank)
        for place, group in enumerate(chosen.partition.groups)
    }


def _reported(record: dict[str, Any]) -> dict[tuple[str, str, str], tuple[int, dict[str, Any]]]:
    """The record's counts by arm, scale and group, each with its place; of two, the later."""
    return {
        (one.get("arm", ""), str(exact(one.get("scale") or "0")), one.get("group", "")): (place, one)
        for place, one in enumerate(record["counts"])
    }


def compare_counts(study: Study, outcome: Outcome, document: Document) -> None:
    """Every pair of candidate and group once, with its count, its denominator and the bounds that the rule uses."""
    record, key = document.value, {"selector": document.value["selector"]}
    chosen = _chosen(study, document)
    calibration, due, found = chosen.calibration, _pairs(chosen), _reported(record)
    if len(record["counts"]) != len(due):
        outcome.at(document.path, key).error(
            "/counts",
            "There is another number of counts than of candidates and groups.",
            len(due),
            len(record["counts"]),
        )
    bounds: dict[str, Matrix | None] = {"risk_upper": calibration.upper if chosen.rule in _RISK else None}
    bounds["utility_mean"] = calibration.normalized if chosen.rule in _UTILITY else None
    bounds["utility_lower"] = calibration.stated_lower if chosen.rule in _UTILITY else None
    for pair, (row, group) in due.items():
        outcome.inspected += 1
        where = dict(zip(("arm", "scale", "group"), pair, strict=True)) | key
        if pair not in found:
            outcome.at(document.path, where).error(
                "/counts", "The selection counts nothing for this pair.", "a count", "nothing"
            )
            continue
        place, one = found[pair]
        counted = {"crossings": int(calibration.crossings[row, group]), "states": int(calibration.counts[group])}
        for field, number in counted.items():
            if one[field] != number:
                outcome.at(document.path, where).error(
                    f"/counts/{place}/{field}", "The count is not that of the records.", number, one[field]
                )
        for field, table in bounds.items():
            bound, stated = None if table is None else float(table[row, group]), one.get(field)
            if stated is None and (bound is None or math.isnan(bound)):
                continue
            if bound is None or stated is None or not abs(bound - stated) <= study.tolerance * max(1.0, abs(bound)):
                outcome.at(document.path, where).error(
                    f"/counts/{place}/{field}",
                    "The bound is not that of the recomputed count, or the rule uses none.",
                    "nothing" if bound is None else bound,
                    "nothing" if stated is None else stated,
                )


def compare_certified(study: Study, outcome: Outcome, document: Document) -> None:
    """Each pair says whether the rule may take it."""
    chosen, found = _chosen(study, document), _reported(document.value)
    admitted = None
    if chosen.rule in _RISK:
        solution = chosen.solution
        admitted = chosen.calibration.certified if solution is None else solution.instance.admissible[:, 1:].T
    for pair, (row, group) in _pairs(chosen).items():
        outcome.inspected += 1
        if pair not in found:
            continue
        place, one = found[pair]
        due = None if admitted is None else bool(admitted[row, group])
        if one.get("certified") != due:
            where = dict(zip(("arm", "scale", "group"), pair, strict=True)) | {"selector": document.value["selector"]}
            outcome.at(document.path, where).error(
                f"/counts/{place}/certified",
                "Whether the rule may take the candidate in this group is decided otherwise.",
                "nothing" if due is None else due,
                "nothing" if one.get("certified") is None else one["certified"],
            )


def compare_choice(study: Study, outcome: Outcome, document: Document) -> None:
    """The assignments are what the rule takes."""
    chosen = _chosen(study, document)
    taken = [study.candidates[one] for one in deciding(chosen)]
    due = [
        (
            group,
            one.arm,
            None if one.scale is None else exact(one.scale),
            "no-certified-candidate" if fell else "selected",
        )
        for group, one, fell in zip(chosen.partition.groups, taken, chosen.fell_back, strict=True)
    ]
    found = [
        (one["group"], one["arm"], None if one.get("scale") is None else exact(one["scale"]), one["outcome"])
        for one in document.value["assignments"]
    ]
    outcome.inspected += 1
    where = {"selector": document.value["selector"]}
    if due != found:
        outcome.at(document.path, where).error(
            "/assignments", f"The rule takes something else ({chosen.reason}).", _said(due), _said(found)
        )
    wanted = "no-certified-candidate" if all(chosen.fell_back) else "selected"
    if document.value["outcome"] != wanted:
        outcome.at(document.path, where).error(
            "/outcome", "The outcome is not what the rule gives.", wanted, document.value["outcome"]
        )


def _said(assigned: list[tuple[Any, ...]]) -> str:
    return ", ".join(
        f"{group}: {arm}{'' if scale is None else f'@{scale}'}{'' if outcome == 'selected' else ' (none certified)'}"
        for group, arm, scale, outcome in assigned
    )
