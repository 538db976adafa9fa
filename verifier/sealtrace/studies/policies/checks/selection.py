"""The selection records against the recomputed counts, over a grid of scales and in groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from sealtrace.bundle.frames import Matrix
from sealtrace.bundle.model import Document
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.kinds import STAGES
from sealtrace.contract.scalars import exact
from sealtrace.studies.policies.checks.certificates import missing_where_undefined
from sealtrace.studies.policies.evidence.calibration import UndeclaredError, declared_setting
from sealtrace.studies.policies.evidence.choice import RULES, Chosen, CountedScales, count_scales
from sealtrace.studies.policies.evidence.deployment import chosen_by, deciding
from sealtrace.studies.policies.evidence.outcomes import states_of
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.choosing import Selector


def is_grouped(record: dict[str, Any]) -> bool:
    """Whether a selection record is one of a choice in groups."""
    return record.get("assignments") is not None


def declared_budgets(study: Study, selector: Selector) -> dict[str, str | None]:
    """Field of the record to the constant that the protocol declares; None where the rule has no such thing."""
    budgets, certified = study.declared.certification, RULES[selector.rule].certified
    uses = {
        "epsilon": ("epsilon_group", "risk" in certified),
        "epsilon_global": ("epsilon_global", selector.rule == "robust"),
        "zeta": ("zeta_risk", "risk" in certified),
        "zeta_util": ("zeta_util", "utility" in certified),
    }
    return {field: getattr(budgets, name, None) if used else None for field, (name, used) in uses.items()}


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
    message = "There is another number of counts than of candidates and groups."
    outcome.at(document.path, key).expect("/counts", message, len(due), len(record["counts"]))
    certified = RULES[chosen.rule].certified
    bounds: dict[str, Matrix | None] = {"risk_upper": calibration.upper if "risk" in certified else None}
    bounds["utility_mean"] = calibration.normalized if "utility" in certified else None
    bounds["utility_lower"] = calibration.stated_lower if "utility" in certified else None
    for pair, (row, group) in due.items():
        outcome.inspected += 1
        at = outcome.at(document.path, dict(zip(("arm", "scale", "group"), pair, strict=True)) | key)
        if pair not in found:
            at.error("/counts", "The selection counts nothing for this pair.", "a count", "nothing")
            continue
        place, one = found[pair]
        counted = {"crossings": int(calibration.crossings[row, group]), "states": int(calibration.counts[group])}
        for field, number in counted.items():
            at.expect(f"/counts/{place}/{field}", "The count is not that of the records.", number, one[field])
        for field, table in bounds.items():
            bound, stated = None if table is None else float(table[row, group]), one.get(field)
            if stated is None and (bound is None or math.isnan(bound)):
                continue
            if bound is None or stated is None or not abs(bound - stated) <= study.tolerance * max(1.0, abs(bound)):
                message = "The bound is not that of the recomputed count, or the rule uses none."
                at.error(f"/counts/{place}/{field}", message, _or_nothing(bound), _or_nothing(stated))


def compare_certified(study: Study, outcome: Outcome, document: Document) -> None:
    """Each pair says whether the rule may take it."""
    chosen, found = _chosen(study, document), _reported(document.value)
    admitted = None
    if RULES[chosen.rule].certified:
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
            message = "The records give another answer to whether the rule may take the candidate in this group."
            said = _or_nothing(due), _or_nothing(one.get("certified"))
            outcome.at(document.path, where).error(f"/counts/{place}/certified", message, *said)


def compare_choice(study: Study, outcome: Outcome, document: Document) -> None:
    """The assignments are what the rule takes."""
    chosen = _chosen(study, document)
    taken = [study.candidates[one] for one in deciding(chosen)]
    due = [
        (group, one.arm, _exact(one.scale), "no-certified-candidate" if fell else "selected")
        for group, one, fell in zip(chosen.partition.groups, taken, chosen.fell_back, strict=True)
    ]
    assigned = document.value["assignments"]
    found = [(one["group"], one["arm"], _exact(one.get("scale")), one["outcome"]) for one in assigned]
    outcome.inspected += 1
    at = outcome.at(document.path, {"selector": document.value["selector"]})
    if due != found:
        at.error("/assignments", f"The rule takes something else ({chosen.reason}).", _said(due), _said(found))
    wanted = "no-certified-candidate" if all(chosen.fell_back) else "selected"
    at.expect("/outcome", "The outcome is not what the rule gives.", wanted, document.value["outcome"])


def _said(assigned: list[tuple[Any, ...]]) -> str:
    return ", ".join(
        f"{group}: {arm}{'' if scale is None else f'@{scale}'}{'' if outcome == 'selected' else ' (none certified)'}"
        for group, arm, scale, outcome in assigned
    )


def recount(study: Study, selector: Selector, split: str) -> CountedScales | None:
    """Counts every scale of the protocol's grid on a split; None where one was not traced there."""
    try:
        counted = count_scales(study, selector.arm, states_of(study, split), declared_setting(study))
    except UndeclaredError:
        return None
    return counted if all(counted.scored) else None


def _counting(study: Study) -> list[Selector]:
    """The selectors that a selection record stands for; the others leave maps."""
    return [one for one in study.declared.selectors if one.rule == "empirical-zero"]


def _selector(study: Study, record: dict[str, Any]) -> Selector | None:
    known = study.declared.choosing if is_grouped(record) else _counting(study)
    return next((one for one in known if one.name == record["selector"]), None)


def _each(
    study: Study, outcome: Outcome, compare: Callable[[Study, Outcome, Document], None]
) -> Iterator[tuple[Document, dict[str, Any], CountedScales]]:
    """Compares every record of a choice in groups, and gives those over a grid of scales with their recounts."""
    if _nothing_selected(study, outcome):
        return
    for document in study.bundle.documents_of("selection"):
        if is_grouped(document.value) and _selector(study, document.value) is not None:
            with missing_where_undefined(outcome):
                compare(study, outcome, document)
    for document, key, counted in recounted(study):
        if counted is None:
            outcome.missing = "the grid was not traced and scored on the selection's split"
        else:
            yield document, key, counted


def recounted(study: Study) -> Iterator[tuple[Document, dict[str, Any], CountedScales | None]]:
    """Every selection record over a grid of scales with its recount."""
    for document in study.bundle.documents_of("selection"):
        if is_grouped(document.value):
            continue
        selector = _selector(study, document.value)
        counted = None if selector is None else recount(study, selector, document.value["split"])
        yield document, {"selector": document.value["selector"]}, counted


def _nothing_selected(study: Study, outcome: Outcome) -> bool:
    """Says so where the study neither declares nor records a selection."""
    if _counting(study) or study.bundle.documents_of("selection"):
        return False
    outcome.not_applicable = "the protocol declares no selector over a grid of scales"
    return True


@check("selection.grid", "selections", unless=_nothing_selected)
def grid(study: Study, outcome: Outcome) -> None:
    selectors = _counting(study)
    documents = study.bundle.documents_of("selection")
    outcome.inspected = len(documents)
    names = [document.value["selector"] for document in documents]
    calibration = [name for name, role in study.roles.items() if role == "calibration"]
    for document in documents:
        record, at = document.value, outcome.at(document.path, {"selector": document.value["selector"]})
        if _selector(study, record) is None:
            known = ", ".join(one.name for one in selectors) or "none"
            at.error("/selector", "The protocol declares no such selector.", known, record["selector"])
        for field, due in (("grid", study.declared.scale_grid), ("tau", study.declared.tau)):
            if _values(record[field]) != _values(due):
                message = "The selection used another value than the protocol declares."
                at.error(f"/{field}", message, _text(due), _text(record[field]))
        _budgets(study, outcome, document)
        if record["split"] not in calibration:
            message = "The selection counts a split that is not for calibration."
            at.error("/split", message, _of_role(study, "calibration"), record["split"])
        elif len(calibration) > 1:
            # A selector is declared without a split, so nobody said beforehand which of them would count.
            message = "The study has several calibration splits, and the selection counts the one that it names."
            at.error("/split", message, f"a count over {' and '.join(calibration)}", record["split"])
    for document in documents:
        if (times := names.count(document.value["selector"])) > 1:
            at = outcome.at(document.path, {"selector": document.value["selector"]})
            at.error("/selector", "The selector has more than one selection record.", "one record", times)
    recorded = {one.name for one in selectors}
    if any(is_grouped(document.value) for document in documents):
        # Where one choice in groups has its record, every choice has.
        recorded |= {one.name for one in study.declared.choosing}
    absent = recorded - {document.value["selector"] for document in documents}
    if absent:
        outcome.missing = f"no selection record of {', '.join(sorted(absent))}"


def _budgets(study: Study, outcome: Outcome, document: Document) -> None:
    """Budgets and bounds that the record states are those of its rule."""
    record, at = document.value, outcome.at(document.path, {"selector": document.value["selector"]})
    selector = _selector(study, record)
    if is_grouped(record) and selector is not None:
        for field, declared in declared_budgets(study, selector).items():
            stated = record.get(field)
            if _exact(stated) != _exact(declared):
                message = "The selection used another budget than its rule has."
                at.error(f"/{field}", message, declared or "nothing", stated or "nothing")
        return
    for field in ("epsilon", "epsilon_global", "zeta", "zeta_util"):
        if record.get(field) is not None:
            at.error(f"/{field}", "Empirical-zero selection has no budget.", "nothing", record[field])
    for place, one in enumerate(record["counts"]):
        for field in ("risk_upper", "utility_mean", "utility_lower", "certified"):
            if one.get(field) is not None:
                message = f"Empirical-zero selection has no {'risk bound' if field == 'risk_upper' else field}."
                at.error(f"/counts/{place}/{field}", message, "nothing", one[field])


@check("selection.counts", "counts")
def counts(study: Study, outcome: Outcome) -> None:
    for document, key, counted in _each(study, outcome, compare_counts):
        record = document.value
        reported = {exact(one["scale"]): (index, one) for index, one in enumerate(record["counts"]) if one.get("scale")}
        message = "The selection has another number of counts than the grid has scales."
        outcome.at(document.path, key).expect("/counts", message, len(study.declared.scale_grid), len(record["counts"]))
        for text, crossings, states in zip(study.declared.scale_grid, counted.crossings, counted.scored, strict=True):
            outcome.inspected += 1
            at = outcome.at(document.path, {**key, "scale": text})
            if exact(text) not in reported:
                message = "The selection counts nothing for this scale."
                at.error("/counts", message, f"{crossings}/{states}", "nothing")
                continue
            index, one = reported[exact(text)]
            for field, due in (("crossings", crossings), ("states", states)):
                at.expect(f"/counts/{index}/{field}", "The count is not that of the records.", due, one[field])


@check("selection.certified", "selections")
def certified(study: Study, outcome: Outcome) -> None:
    for document, key, counted in _each(study, outcome, compare_certified):
        outcome.inspected += 1
        due = [text for text in study.declared.scale_grid if exact(text) in counted.choice.certified]
        if sorted(_values(document.value.get("certified") or [])) != sorted(counted.choice.certified):
            message = "The certified set is not what the rule admits."
            found = _text(document.value.get("certified") or [])
            outcome.at(document.path, key).error("/certified", message, _text(due), found)


@check("selection.choice", "selections")
def choice(study: Study, outcome: Outcome) -> None:
    for document, key, counted in _each(study, outcome, compare_choice):
        outcome.inspected += 1
        chosen = document.value.get("choice")
        due = chosen_text(study, counted)
        at = outcome.at(document.path, key)
        if _exact(chosen) != counted.choice.chosen:
            at.error("/choice", "The declared rule chooses another scale.", due or "none", chosen or "none")
        wanted = "selected" if due else "no-certified-candidate"
        at.expect("/outcome", "The declared rule gives another outcome.", wanted, document.value["outcome"])


def chosen_text(study: Study, counted: CountedScales) -> str | None:
    """The chosen scale as the grid writes it."""
    return next((text for text in study.declared.scale_grid if exact(text) == counted.choice.chosen), None)


@check("selection.held-out", "selections", unless=_nothing_selected)
def held_out(study: Study, outcome: Outcome) -> None:
    for document in study.bundle.documents_of("selection"):
        outcome.inspected += 1
        report_held_out(study, outcome, document)


def report_held_out(study: Study, outcome: Outcome, document: Document) -> None:
    """The choice was sealed before any held-out value or score, and says so."""
    stages = {entry.path: STAGES.index(entry.stage) for entry in study.bundle.entries}
    status, at = document.value["held_out"], outcome.at(document.path, {"selector": document.value["selector"]})
    if study.roles.get(status["split"]) != "held-out":
        message = "The split that was to stay unseen is not the held-out one."
        at.error("/held_out/split", message, _of_role(study, "held-out"), status["split"])
    early = [
        entry.path
        for entry in study.bundle.entries
        if entry.kind in ("values", "score")
        and study.roles.get(entry.split or "") == "held-out"
        and stages[entry.path] <= stages[document.path]
    ]
    if early:
        message = "Held-out values or scores were sealed no later than the choice."
        at.error("/held_out/status", message, "held-out scores sealed after select", ", ".join(early))
    message = "The choice was made with held-out scores joined."
    at.expect("/held_out/status", message, "not-joined", status["status"])


def _exact(constant: str | None) -> Fraction | None:
    return None if constant is None else exact(constant)


def _or_nothing(value: object) -> object:
    return "nothing" if value is None else value


def _values(constants: str | list[str]) -> list[Fraction]:
    return [exact(text) for text in ([constants] if isinstance(constants, str) else constants)]


def _text(constants: str | list[str]) -> str:
    return constants if isinstance(constants, str) else ", ".join(constants) or "none"


def _of_role(study: Study, role: str) -> str:
    return " or ".join(name for name, of in study.roles.items() if of == role) or f"a {role} split"
