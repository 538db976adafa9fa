"""The records of choices against what each declared selector takes: selections and maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sealtrace.bundle.model import TypedDocument
from sealtrace.checks.outcome import FindingPlace, Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.kinds import STAGES
from sealtrace.contract.scalars import exact
from sealtrace.studies.policies.checks.certificates import missing_where_undefined
from sealtrace.studies.policies.evidence.bank import Verdict
from sealtrace.studies.policies.evidence.calibration import UndeclaredError, declared_setting
from sealtrace.studies.policies.evidence.choice import (
    RULES,
    Chosen,
    CountedScales,
    count_scales,
    partition_of,
    same_bound,
)
from sealtrace.studies.policies.evidence.deployment import chosen_by
from sealtrace.studies.policies.evidence.outcomes import BOTH, Role, UnscoredError, states_of
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.certification import CandidateCount, CandidateMap, SelectionRecord, Selector


def is_grouped(record: SelectionRecord) -> bool:
    """Whether a selection record is one of a choice in groups."""
    return record.assignments is not None


def _counting(study: Study) -> list[Selector]:
    """The selectors that a selection record stands for; the others leave maps."""
    return [selector for selector in study.declared.selectors if selector.rule == "empirical-zero"]


def _selector(study: Study, record: SelectionRecord) -> Selector | None:
    """The declared selector that a selection record names."""
    known = study.declared.choosing if is_grouped(record) else _counting(study)
    return next((selector for selector in known if selector.name == record.selector), None)


def _at(outcome: Outcome, document: TypedDocument[SelectionRecord | CandidateMap], **more: str) -> FindingPlace:
    """A record of a choice, or a part of it, to say findings of."""
    return outcome.at(document.path, {"selector": document.record.selector, **more})


def _or_nothing(value: object) -> object:
    return "nothing" if value is None else value


def _exact(constant: str | None) -> Fraction | None:
    return None if constant is None else exact(constant)


# Selections


def _nothing_selected(study: Study, outcome: Outcome) -> bool:
    """Says so where the study neither declares nor records a selection."""
    if _counting(study) or study.bundle.sealed(SelectionRecord):
        return False
    outcome.not_applicable = "the protocol declares no selector over a grid of scales"
    return True


def recounted(study: Study) -> Iterator[tuple[TypedDocument[SelectionRecord], CountedScales | None]]:
    """Every selection record over a grid of scales with its recount; None where a scale was not traced."""
    for document in study.bundle.sealed(SelectionRecord):
        if is_grouped(document.record):
            continue
        selector, counted = _selector(study, document.record), None
        if selector is not None:
            states = states_of(study, document.record.split)
            with suppress(UndeclaredError, UnscoredError):
                counted = count_scales(study, selector.arm, states, declared_setting(study))
        yield document, counted


def _recomputed_selections(
    study: Study, outcome: Outcome
) -> Iterator[tuple[TypedDocument[SelectionRecord], Chosen | CountedScales]]:
    """Every selection record with what its selector takes: in groups, and over a grid of scales."""
    if _nothing_selected(study, outcome):
        return
    for document in study.bundle.sealed(SelectionRecord):
        if is_grouped(document.record) and _selector(study, document.record) is not None:
            with missing_where_undefined(outcome):
                yield document, chosen_by(study, document.record.selector, declared_setting(study))
    for document, counted in recounted(study):
        if counted is None:
            outcome.missing = "the grid was not traced and scored on the selection's split"
        else:
            yield document, counted


@check("selection.grid", "selections", unless=_nothing_selected)
def grid(study: Study, outcome: Outcome) -> None:
    documents, declared = study.bundle.sealed(SelectionRecord), study.declared
    outcome.inspected = len(documents)
    times = Counter(document.record.selector for document in documents)
    calibration = study.bank.splits_of("calibration")
    for document in documents:
        record, at = document.record, _at(outcome, document)
        if _selector(study, record) is None:
            known = ", ".join(selector.name for selector in _counting(study)) or "none"
            at.error("/selector", "The protocol declares no such selector.", known, record.selector)
        used = ("grid", declared.scale_grid, record.grid), ("tau", [declared.tau], [record.tau])
        for name, due, stated in used:
            if list(map(exact, stated)) != list(map(exact, due)):
                message = "The selection used another value than the protocol declares."
                at.error(f"/{name}", message, ", ".join(due) or "none", ", ".join(stated) or "none")
        _budgets(study, record, at)
        if record.split not in calibration:
            message = "The selection counts a split that is not for calibration."
            at.error("/split", message, " or ".join(calibration) or "a calibration split", record.split)
        elif len(calibration) > 1:
            # A selector is declared without a split, so nobody said beforehand which of them would count.
            message = "The study has several calibration splits, and the selection counts the one that it names."
            at.error("/split", message, f"a count over {' and '.join(calibration)}", record.split)
    for document in documents:
        if (records := times[document.record.selector]) > 1:
            message = "The selector has more than one selection record."
            _at(outcome, document).error("/selector", message, "one record", records)
    recorded = {selector.name for selector in _counting(study)}
    if any(is_grouped(document.record) for document in documents):
        # Where one choice in groups has its record, every choice has.
        recorded |= {selector.name for selector in declared.choosing}
    if absent := recorded - times.keys():
        outcome.missing = f"no selection record of {', '.join(sorted(absent))}"


def _budgets(study: Study, record: SelectionRecord, at: FindingPlace) -> None:
    """Budgets and bounds that the record states are those of its rule."""
    budgets = {
        "epsilon": record.epsilon,
        "epsilon_global": record.epsilon_global,
        "zeta": record.zeta,
        "zeta_util": record.zeta_util,
    }
    selector = _selector(study, record)
    if is_grouped(record) and selector is not None:
        declared, certified = study.declared.certification, RULES[selector.rule].certified
        used = "risk" in certified, selector.rule == "robust", "risk" in certified, "utility" in certified
        constants = ("epsilon_group", "epsilon_global", "zeta_risk", "zeta_util")
        for (name, stated), constant, is_used in zip(budgets.items(), constants, used, strict=True):
            due = getattr(declared, constant, None) if is_used else None
            if _exact(stated) != _exact(due):
                message = "The selection used another budget than its rule has."
                at.error(f"/{name}", message, due or "nothing", stated or "nothing")
        return
    for name, stated in budgets.items():
        if stated is not None:
            at.error(f"/{name}", "Empirical-zero selection has no budget.", "nothing", stated)
    for place, count in enumerate(record.counts):
        for name, value in (*_bounds(count).items(), ("certified", count.certified)):
            if value is not None:
                message = f"Empirical-zero selection has no {'risk bound' if name == 'risk_upper' else name}."
                at.error(f"/counts/{place}/{name}", message, "nothing", value)


def _bounds(count: CandidateCount) -> dict[str, float | None]:
    """The bounds that a count states."""
    return {"risk_upper": count.risk_upper, "utility_mean": count.utility_mean, "utility_lower": count.utility_lower}


@dataclass(frozen=True)
class _DueCount:
    """What a selection record must count for one scale, or for one candidate in one group."""

    arm: str | None
    scale: str
    group: str | None
    crossings: int
    states: int
    absent: dict[Role, int]
    """At how many of the states an evaluator gives no score: then nothing can be said of what needs it."""
    bounds: dict[str, float | None]
    """Field to the bound that the rule uses, if it is known; None where it uses none, or an empty group has none."""

    @property
    def named(self) -> dict[str, str]:
        """How findings name it."""
        known = {"arm": self.arm, "scale": self.scale, "group": self.group}
        return {name: value for name, value in known.items() if value is not None}


def _due_counts(study: Study, taken: Chosen | CountedScales) -> list[_DueCount]:
    if isinstance(taken, CountedScales):
        counts = zip(study.declared.scale_grid, taken.crossings, taken.absent, strict=True)
        return [
            _DueCount(None, scale, None, crossings, taken.states, {"risk": absent}, {})
            for scale, crossings, absent in counts
        ]
    calibration, certified = taken.calibration, RULES[taken.rule].certified
    nothing = np.full(calibration.crossings.shape, np.nan)
    tables = {
        "risk_upper": calibration.upper if "risk" in certified else nothing,
        "utility_mean": calibration.normalized if "utility" in certified else nothing,
        "utility_lower": calibration.stated_lower if "utility" in certified else nothing,
    }
    found = []
    for pair, named in _pairs(taken):
        crossings, states = int(calibration.crossings[pair]), int(calibration.counts[pair[1]])
        absent = {role: int(calibration.absent[role][pair]) for role in BOTH if role == "risk" or role in certified}
        bounds = {
            name: float(table[pair]) if not np.isnan(table[pair]) else None
            for name, table in tables.items()
            if not absent.get("utility" if name.startswith("utility") else "risk")
        }
        found.append(_DueCount(named["arm"], named["scale"], named["group"], crossings, states, absent, bounds))
    return found


def _pairs(chosen: Chosen) -> Iterator[tuple[tuple[int, int], dict[str, str]]]:
    """Every competing candidate in every group: its place in the recomputed tables, and how records name it."""
    for row, place in enumerate(chosen.calibration.candidates):
        candidate = chosen.calibration.study.candidates[place]
        for column, group in enumerate(chosen.partition.groups):
            yield (row, column), {"arm": candidate.arm, "scale": candidate.scale or "0", "group": group}


def _place(count: CandidateCount | _DueCount, taken: Chosen | CountedScales) -> Hashable:
    """What a count counts, for comparison: a scale, or a candidate in a group."""
    if isinstance(taken, CountedScales):
        return (_exact(count.scale),)
    return count.arm or "", exact(count.scale or "0"), count.group or ""


def _reported(
    document: TypedDocument[SelectionRecord], taken: Chosen | CountedScales
) -> dict[Hashable, tuple[str, CandidateCount]]:
    """The record's counts by what they count, each with its pointer; the later of two."""
    counts = enumerate(document.record.counts)
    return {_place(count, taken): (f"/counts/{place}", count) for place, count in counts}


@check("selection.counts", "counts")
def counts(study: Study, outcome: Outcome) -> None:
    for document, taken in _recomputed_selections(study, outcome):
        with missing_where_undefined(outcome):
            due_counts, reported = _due_counts(study, taken), _reported(document, taken)
            message = "There is another number of counts than of scales, or of candidates and groups."
            found = len(document.record.counts)
            _at(outcome, document).expect("/counts", message, len(due_counts), found)
            for due in due_counts:
                if absent := max(due.absent.values()):
                    what = " ".join(due.named.values())
                    outcome.missing = f"{what} cannot be scored at {absent} calibration states"
                    if all(due.absent.values()):
                        continue
                outcome.inspected += 1
                at = _at(outcome, document, **due.named)
                if (place := _place(due, taken)) not in reported:
                    expected = f"{due.crossings}/{due.states}"
                    at.error("/counts", "The selection has no count of this.", expected, "nothing")
                    continue
                pointer, count = reported[place]
                message = "The count is not that of the records."
                if not due.absent["risk"]:
                    at.expect(f"{pointer}/crossings", message, due.crossings, count.crossings)
                at.expect(f"{pointer}/states", message, due.states, count.states)
                stated = _bounds(count)
                for name, bound in due.bounds.items():
                    if not same_bound(name, bound, stated[name], study.tolerance):
                        message = "The bound is not that of the recomputed count, or the rule uses none."
                        at.error(f"{pointer}/{name}", message, _or_nothing(bound), _or_nothing(stated[name]))


@check("selection.certified", "selections")
def certified_set(study: Study, outcome: Outcome) -> None:
    for document, taken in _recomputed_selections(study, outcome):
        with missing_where_undefined(outcome):
            if isinstance(taken, Chosen):
                _certified_pairs(outcome, document, taken)
                continue
            due = [scale for scale in study.declared.scale_grid if exact(scale) in taken.choice.certified]
            outcome.inspected += 1
            found = document.record.certified or []
            if sorted(map(exact, found)) != sorted(taken.choice.certified):
                message = "The certified set is not what the rule admits."
                expected = ", ".join(due) or "none"
                _at(outcome, document).error("/certified", message, expected, ", ".join(found) or "none")


def _certified_pairs(outcome: Outcome, document: TypedDocument[SelectionRecord], chosen: Chosen) -> None:
    """Each pair says whether the rule may take it."""
    admitted = chosen.admitted if RULES[chosen.rule].certified else None
    reported = _reported(document, chosen)
    for pair, named in _pairs(chosen):
        if chosen.calibration.absent["risk"][pair]:
            with missing_where_undefined(outcome):
                chosen.calibration.require_scores([pair[0]], [pair[1]], ("risk",))
            continue
        pointer, count = reported.get((named["arm"], exact(named["scale"]), named["group"]), ("", None))
        outcome.inspected += 1
        if count is not None:
            due = None if admitted is None else bool(admitted[pair])
            message = "The records give another answer to whether the rule may take the candidate in this group."
            at, found = _at(outcome, document, **named), _or_nothing(count.certified)
            at.expect(f"{pointer}/certified", message, _or_nothing(due), found)


@check("selection.choice", "selections")
def choice(study: Study, outcome: Outcome) -> None:
    for document, taken in _recomputed_selections(study, outcome):
        with missing_where_undefined(outcome):
            chose = _compare_choice(study, outcome, document, taken)
            outcome.inspected += 1
            wanted = "selected" if chose else "no-certified-candidate"
            message = "The declared rule gives another outcome."
            _at(outcome, document).expect("/outcome", message, wanted, document.record.outcome)


def _compare_choice(
    study: Study, outcome: Outcome, document: TypedDocument[SelectionRecord], taken: Chosen | CountedScales
) -> bool:
    """Compares what a record chose with what its rule takes; whether the rule takes anything."""
    record, at = document.record, _at(outcome, document)
    if isinstance(taken, CountedScales):
        if _exact(record.choice) != taken.choice.chosen:
            message, scale = "The declared rule chooses another scale.", chosen_text(study, taken)
            at.error("/choice", message, scale or "none", record.choice or "none")
        return taken.choice.chosen is not None
    unknown = {taken.partition.groups[group] for group, _ in taken.unknown}
    assigned = [study.bank.assigned(each) for each in record.assignments or []]
    due, found = taken.deployed, [each for each in assigned if each[0] not in unknown]
    if due != found:
        at.error("/assignments", f"The rule takes something else ({taken.reason}).", _said(due), _said(found))
    taken.require_known()
    return not all(taken.fell_back)


def _said(assigned: list[tuple[str, str, Verdict]]) -> str:
    return ", ".join(
        f"{group}: {name}{'' if verdict == 'selected' else ' (none certified)'}" for group, name, verdict in assigned
    )


def chosen_text(study: Study, counted: CountedScales) -> str | None:
    """The chosen scale as the grid writes it; None where none is chosen or a scale cannot be counted."""
    if any(counted.absent):
        return None
    return next((scale for scale in study.declared.scale_grid if exact(scale) == counted.choice.chosen), None)


@check("selection.held-out", "selections", unless=_nothing_selected)
def selected_unseen(study: Study, outcome: Outcome) -> None:
    _sealed_unseen(study, outcome, SelectionRecord)


def _sealed_unseen(study: Study, outcome: Outcome, model: type[SelectionRecord] | type[CandidateMap]) -> None:
    """Choices were sealed before any held-out value or score, and say so."""
    stages = {entry.path: STAGES.index(entry.stage) for entry in study.bundle.entries}
    unseen = study.bank.splits_of("held-out")
    scored = [entry for entry in study.bundle.entries if entry.kind in ("values", "score") and entry.split in unseen]
    for document in study.bundle.sealed(model):
        outcome.inspected += 1
        status, at = document.record.held_out, _at(outcome, document)
        if status.split not in unseen:
            message = "The split that was to stay unseen is not the held-out one."
            at.error("/held_out/split", message, " or ".join(unseen) or "a held-out split", status.split)
        # Stages are compared, not times: a seal has no clock, and commits to the stages before it.
        if early := [entry.path for entry in scored if stages[entry.path] <= stages[document.path]]:
            message = "Held-out values or scores were sealed no later than the choice."
            at.error("/held_out/status", message, "held-out scores sealed after select", ", ".join(early))
        message = "The choice was made with held-out scores joined."
        at.expect("/held_out/status", message, "not-joined", status.status)


# Maps


def _no_map(study: Study, outcome: Outcome) -> bool:
    if study.bundle.sealed(CandidateMap) or study.declared.choosing:
        return False
    outcome.not_applicable = "no selector chooses in the groups of a partition"
    return True


def _recomputed_maps(study: Study, outcome: Outcome) -> Iterator[tuple[TypedDocument[CandidateMap], Chosen]]:
    """Every map record of a declared selector with what the selector takes, where that can be computed."""
    choosing = {selector.name for selector in study.declared.choosing}
    for document in study.bundle.sealed(CandidateMap):
        if document.record.selector not in choosing:
            outcome.missing = f"{document.path} names no declared selector"
            continue
        with missing_where_undefined(outcome):
            yield document, chosen_by(study, document.record.selector, declared_setting(study))


@check("map.selector", "maps", unless=_no_map)
def map_selector(study: Study, outcome: Outcome) -> None:
    documents = study.bundle.sealed(CandidateMap)
    outcome.inspected = len(documents)
    choosing = {selector.name: selector for selector in study.declared.choosing}
    times = Counter(document.record.selector for document in documents)
    calibration = study.bank.splits_of("calibration")
    for document in documents:
        record, at = document.record, _at(outcome, document)
        name, message = record.selector, "The map is not one that the protocol's selectors make."
        if times[name] > 1:
            at.error("/selector", message, "one map per selector", times[name])
        if name in choosing:
            at.expect("/partition", message, choosing[name].partition, record.partition)
        else:
            at.error("/selector", message, ", ".join(choosing) or "none", name)
        if record.split not in calibration:
            at.error("/split", message, " or ".join(calibration), record.split)
    if absent := choosing.keys() - times.keys():
        outcome.missing = f"no map of {', '.join(sorted(absent))}"


@check("map.groups", "maps", unless=_no_map)
def groups(study: Study, outcome: Outcome) -> None:
    setting, choosing = declared_setting(study), {selector.name: selector for selector in study.declared.choosing}
    for document in study.bundle.sealed(CandidateMap):
        if (selector := choosing.get(document.record.selector)) is None:
            outcome.missing = f"{document.path} names no declared selector"
            continue
        with missing_where_undefined(outcome):
            due, found = (
                partition_of(study, selector, setting).groups,
                [each.group for each in document.record.assignments],
            )
            outcome.inspected += 1
            message = "The map assigns other groups than its partition has, or in another order."
            if due != found:
                _at(outcome, document).error("/assignments", message, ", ".join(due), ", ".join(found))


@check("map.certified", "assignments", unless=_no_map)
def certified_only(study: Study, outcome: Outcome) -> None:
    for document, chosen in _recomputed_maps(study, outcome):
        known = chosen.partition.groups
        for place, assigned in enumerate(document.record.assignments):
            group, name, _ = study.bank.assigned(assigned)
            with missing_where_undefined(outcome):
                if group in known and RULES[chosen.rule].certified:
                    chosen.calibration.require_scores(groups=[known.index(group)], roles=("risk",))
                outcome.inspected += 1
                if not RULES[chosen.rule].certified or name == study.bank.anchor_name or group not in known:
                    continue
                rows = np.flatnonzero(chosen.admitted[:, known.index(group)]).tolist()
                allowed = [study.candidates[chosen.calibration.candidates[row]].name for row in rows]
                if name not in allowed:
                    message = "The map deploys a candidate that is not certified in the group."
                    at = _at(outcome, document, group=group)
                    at.error(f"/assignments/{place}", message, ", ".join([*allowed, study.bank.anchor_name]), name)


@check("map.choice", "assignments", unless=_no_map)
def assignments(study: Study, outcome: Outcome) -> None:
    for document, chosen in _recomputed_maps(study, outcome):
        if chosen.doubt is not None:
            selector = document.record.selector
            outcome.missing = f"the proof that no map is better than that of {selector} does not hold: {chosen.doubt}"
            continue
        with missing_where_undefined(outcome):
            chosen.require_known()
        by_group = {assigned.group: place for place, assigned in enumerate(document.record.assignments)}
        for group, due, wanted in chosen.deployed:
            outcome.inspected += 1
            if group in by_group:
                pointer, at = f"/assignments/{by_group[group]}", _at(outcome, document, group=group)
                _, name, verdict = study.bank.assigned(document.record.assignments[by_group[group]])
                message = f"The declared rule chooses another candidate in this group ({chosen.reason})."
                at.expect(f"{pointer}/arm", message, due, name)
                at.expect(f"{pointer}/outcome", message, wanted, verdict)


@check("map.bounds", "bounds", unless=_no_map)
def bounds(study: Study, outcome: Outcome) -> None:
    for document, chosen in _recomputed_maps(study, outcome):
        at = _at(outcome, document)
        stated = ("risk", document.record.risk_upper), ("utility", document.record.utility_lower)
        for name, (kind, reported) in zip(("risk_upper", "utility_lower"), stated, strict=True):
            outcome.inspected += 1
            with missing_where_undefined(outcome):
                due = chosen.bound(kind)
                if not same_bound(name, due, reported, study.tolerance):
                    message = f"The map's {kind} bound is not its worst mixture within {float(chosen.radius)}."
                    message = f"A {chosen.rule} rule states no such bound." if due is None else message
                    at.error(f"/{name}", message, _or_nothing(due), _or_nothing(reported))


@check("map.held-out", "maps", unless=_no_map)
def mapped_unseen(study: Study, outcome: Outcome) -> None:
    _sealed_unseen(study, outcome, CandidateMap)
