"""`certify` of a study of policies: certificates and choices, recomputed and compared with the sealed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from sealtrace.bundle.defects import nearest
from sealtrace.bundle.frames import Matrix
from sealtrace.contract.packs import Check
from sealtrace.contract.scalars import exact
from sealtrace.studies.policies import PACK
from sealtrace.studies.policies.certified import (
    Certified,
    Change,
    ChosenCandidate,
    Competitor,
    Count,
    GroupTable,
    PartitionTable,
    RemovedOption,
    SelectorChoice,
    StatedSetting,
    constant_text,
)
from sealtrace.studies.policies.evidence.calibration import (
    ASSUMPTIONS,
    UNCOMPUTABLE,
    Calibration,
    Setting,
    UndeclaredError,
    VoidError,
    declared_setting,
)
from sealtrace.studies.policies.evidence.choice import Chosen, count_scales, partition_named, same_bound
from sealtrace.studies.policies.evidence.deployment import calibration_split, chosen_by
from sealtrace.studies.policies.evidence.outcomes import UnscoredError, states_of
from sealtrace.studies.policies.evidence.partitions import frozen_partitions
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics.maps.groupwise import largest_risk, removals
from sealtrace.studies.policies.mathematics.maps.instance import Instance
from sealtrace.studies.policies.mathematics.maps.proof import GroupWise, Settled
from sealtrace.studies.policies.records.certification import CandidateMap, SelectionRecord, Selector

if TYPE_CHECKING:
    from sealtrace.examination import Examination


def compared_map(study: Study, chosen: Chosen, choice: SelectorChoice) -> SelectorChoice:
    """A choice in groups beside the sealed map."""
    if not (sealed := _sealed(study, CandidateMap, choice)):
        return choice
    record, differences = sealed[0], []
    if len(sealed) > 1:
        differences.append(f"there are {len(sealed)} sealed maps of this selector")
    if record.partition != choice.partition:
        differences.append(f"the sealed map is one of {record.partition}")
    due = {assigned.group: _said(assigned) for assigned in choice.map}
    sealed_map = [ChosenCandidate(*study.bank.assigned(assigned)) for assigned in record.assignments]
    found = {assigned.group: _said(assigned) for assigned in sealed_map}
    differences += [
        f"{group}: sealed {found.get(group, 'nothing')}, recomputed {due.get(group, 'nothing')}"
        for group in dict.fromkeys([*due, *found])
        if due.get(group) != found.get(group)
    ]
    for kind, name, reported, computed in (
        ("risk", "risk_upper", record.risk_upper, choice.risk_upper),
        ("utility", "utility_lower", record.utility_lower, choice.utility_lower),
    ):
        unknown = kind in chosen.certifies and computed is None
        if not unknown and not same_bound(name, computed, reported, study.tolerance):
            differences.append(f"{kind} bound: sealed {_stated(reported)}, recomputed {_stated(computed)}")
    return replace(choice, sealed="differs" if differences else "same", differences=tuple(differences))


_Choice = TypeVar("_Choice", SelectionRecord, CandidateMap)


def _sealed(study: Study, model: type[_Choice], choice: SelectorChoice) -> list[_Choice]:
    """The sealed records of a selector's choice."""
    records = (document.record for document in study.bundle.sealed(model))
    return [record for record in records if record.selector == choice.selector]


def _said(assigned: ChosenCandidate) -> str:
    return assigned.candidate if assigned.outcome == "selected" else f"{assigned.candidate} (NO-CERTIFIED-CANDIDATE)"


def _stated(bound: float | None) -> str:
    return "nothing" if bound is None else repr(bound)


def compared_selection(study: Study, choice: SelectorChoice) -> SelectorChoice:
    """A choice over the scale grid beside the sealed selection."""
    if not (sealed := _sealed(study, SelectionRecord, choice)):
        return choice
    chosen = sealed[0].choice
    names = [count.candidate for count in choice.counts]
    scales = dict(zip(map(exact, study.declared.scale_grid), names, strict=True))
    anchor = ChosenCandidate(None, study.bank.anchor_name, "no-certified-candidate")
    found = (
        anchor if chosen is None else ChosenCandidate(None, scales.get(exact(chosen), f"scale {chosen}"), "selected")
    )
    if (found,) == choice.map:
        return replace(choice, sealed="same")
    return replace(choice, sealed="differs", differences=(f"sealed {_said(found)}, recomputed {_said(choice.map[0])}",))


_READS = ("protocol", "observation", "candidate", "trace", "values", "partition")
_NEEDS = (
    "identity.bytes",
    "identity.content",
    "protocol.domain",
    "join.unique-key",
    "split.inventory",
    "split.agreement",
    "action.legal-set",
    "action.vocabulary",
    "partition.rule",
    "partition.allocations",
)
"""What the calibration evidence must pass. Held-out records may be absent: a study may still be under way."""

Explored = dict[str, Fraction | tuple[Fraction, Fraction]]
"""Fields of a setting to what a what-if option makes of them."""


def certify(
    examination: Examination,
    selectors: Sequence[str] = (),
    partitions: Sequence[str] = (),
    explored: Explored | None = None,
) -> Certified:
    """Certificates of partitions and choices of selectors from an examined bundle's records, all or the named ones.

    `explored` changes fields of the declared setting; the result is then exploratory. `LookupError` where the study
    has no selector or partition of a name.
    """
    explored = explored or {}
    study = examination.evidence.view(Study)
    report = examination.report
    found = Certified(
        study.bundle.name, study.bundle.root_sha256, report.subject.title, verdict=report.verdict, waived=report.waived
    )
    if reason := _unusable(examination):
        changed = {name: Change(None, constant_text(to) or "") for name, to in explored.items()}
        return replace(found, changed=changed, missing=(reason,))
    asked, shown = _asked_for(study, selectors, partitions)
    declared = declared_setting(study)
    setting = replace(declared, **explored)  # type: ignore[arg-type]  # fields of a setting, by construction
    if "epsilon_group" in explored:
        # One budget for every group, also for those with their own.
        setting = replace(setting, epsilon_groups=())
    missing = Missing()
    tables = [
        table
        for name in shown
        if (table := missing.attempt(f"certificates of {name}", partial(_certificates, study, name, setting, missing)))
    ]
    choices = [_choice(study, selector, setting, declared, missing) for selector in asked]
    if not tables and not choices:
        missing.note("the study certifies nothing", "it declares no selector and freezes no partition")
    return replace(
        found,
        setting=_described(study, setting),
        changed={
            name: Change(constant_text(getattr(declared, name)), constant_text(to) or "")
            for name, to in explored.items()
        },
        partitions=tuple(tables),
        selectors=tuple(choices),
        assumptions=ASSUMPTIONS if tables else (),
        missing=missing.sentences(),
    )


def _asked_for(study: Study, selectors: Sequence[str], partitions: Sequence[str]) -> tuple[list[Selector], list[str]]:
    """The selectors, and the partitions whose certificates are shown: by default those that the selectors use."""
    declared = {selector.name: selector for selector in study.declared.selectors}
    frozen = list(frozen_partitions(study.states))
    for option, given, known in (("selector", selectors, list(declared)), ("partition", partitions, frozen)):
        for name in given:
            if name not in known:
                raise LookupError(f"there is no {option} {name!r}{nearest(name, known)}")
    if selectors:
        chosen = [declared[name] for name in dict.fromkeys(selectors)]
    else:
        chosen = [selector for selector in declared.values() if not partitions or selector.partition in partitions]
    used = [selector.partition for selector in chosen if selector.partition]
    return chosen, list(dict.fromkeys(partitions or used or (() if selectors else frozen)))


def _unusable(examination: Examination) -> str | None:
    if not examination.bundle.manifest_readable:
        return "nothing was computed: manifest.json cannot be read; `sealtrace verify` says why"
    if (reason := PACK.absent(examination.evidence)) is not None:
        return f"{reason}, so that there is nothing to certify"
    reads = Check("certify", "what is certified", "", "", _READS, _NEEDS)
    reason = examination.unmet(reads, PACK)
    return None if reason is None else f"nothing was computed: {reason}; `sealtrace verify` says more"


Found = TypeVar("Found")


class Missing:
    """What could not be computed, by reason: one absent record is the reason of many things."""

    def __init__(self) -> None:
        self._by_reason: dict[str, list[str]] = {}

    def note(self, what: str, reason: str) -> None:
        """Takes down one thing."""
        known = self._by_reason.setdefault(reason, [])
        if what not in known:
            known.append(what)

    def attempt(self, what: str, compute: Callable[[], Found]) -> Found | None:
        """What the evidence gives, or None with the reason noted."""
        try:
            return compute()
        except UNCOMPUTABLE as error:
            self.note(what, f"void, because {error}" if isinstance(error, VoidError) else str(error))
            return None

    def sentences(self) -> tuple[str, ...]:
        """One for each reason."""
        return tuple(f"{', '.join(things)}: {reason}" for reason, things in self._by_reason.items())


# Certificates


def _certificates(study: Study, name: str, setting: Setting, missing: Missing) -> PartitionTable:
    """The certificates of a partition; `UNCOMPUTABLE` where there are none."""
    partition, split = partition_named(study, name), calibration_split(study)
    calibration = Calibration(study, setting, partition, states_of(study, split))
    if not len(calibration.states):
        raise UnscoredError(f"{split} has no states")
    calibration.require_scores()
    crossings = calibration.crossings
    risk, utility = f"risk bounds of {name}", f"utility bounds of {name}"
    upper = missing.attempt(risk, lambda: calibration.upper)
    certified = missing.attempt(risk, lambda: calibration.certified)
    mean = missing.attempt(utility, lambda: calibration.normalized)
    lower = missing.attempt(utility, lambda: calibration.lower)
    groups = []
    for place, (group, budget) in enumerate(zip(partition.groups, calibration.budgets, strict=True)):
        candidates = tuple(
            Competitor(
                study.candidates[candidate].name,
                int(crossings[row, place]),
                _entry(upper, row, place),
                _entry(mean, row, place),
                _entry(lower, row, place),
                None if certified is None else bool(certified[row, place]),
            )
            for row, candidate in enumerate(calibration.candidates)
        )
        own = constant_text(budget) if budget != setting.epsilon_group else None
        groups.append(GroupTable(group, int(calibration.counts[place]), candidates, own))
    return PartitionTable(name, tuple(groups))


def _entry(table: Matrix | None, row: int, group: int) -> float | None:
    """A number of a table; None where it was not computed, or where an empty group has none."""
    return None if table is None or np.isnan(table[row, group]) else float(table[row, group])


# Choices


def _choice(study: Study, selector: Selector, setting: Setting, declared: Setting, missing: Missing) -> SelectorChoice:
    name = selector.name
    choice = missing.attempt(f"choice of {name}", lambda: _chosen(study, selector, setting, missing))
    if choice is None:
        choice = SelectorChoice(name, selector.rule, selector.partition)
    if setting == declared:
        return choice
    # What cannot be computed under the declared setting is not what was asked about.
    before = Missing().attempt(name, lambda: _chosen(study, selector, declared, Missing()).map) or ()
    return choice if before == choice.map else replace(choice, declared=before)


def _chosen(study: Study, selector: Selector, setting: Setting, missing: Missing) -> SelectorChoice:
    """What a selector takes, with the bounds that its rule states, beside what was sealed."""
    if selector.partition is None:
        return compared_selection(study, _counted(study, selector, setting))
    name, chosen = selector.name, chosen_by(study, selector.name, setting)
    chosen.require_known()
    risk = missing.attempt(f"risk bound of {name}", lambda: chosen.bound("risk"))
    utility = missing.attempt(f"utility bound of {name}", lambda: chosen.bound("utility"))
    proof = None if chosen.solution is None else chosen.solution.proof
    proof = proof.proof if isinstance(proof, Settled) else proof
    removed = () if chosen.solution is None else _removed(study, chosen, chosen.solution.instance)
    choice = SelectorChoice(
        name,
        selector.rule,
        selector.partition,
        map=tuple(ChosenCandidate(*deployed) for deployed in chosen.deployed),
        risk_upper=risk,
        utility_lower=utility,
        radius=constant_text(chosen.radius),
        reason=chosen.reason,
        removed=removed,
    )
    if chosen.solution is not None and chosen.solution.instance.budget is not None:
        budget: Literal["idle", "removes", "can-bind"] = "removes" if removed else "idle"
        choice = replace(
            choice,
            global_budget=budget if isinstance(proof, GroupWise) else "can-bind",
            largest_risk=float(largest_risk(chosen.solution.instance)),
        )
    return compared_map(study, chosen, choice)


def _removed(study: Study, chosen: Chosen, instance: Instance) -> tuple[RemovedOption, ...]:
    """The certified candidates that the global budget keeps out of every map."""
    calibration = chosen.calibration
    return tuple(
        RemovedOption(
            calibration.partition.groups[removal.group],
            study.candidates[calibration.candidates[removal.option - 1]].name,
            float(removal.upper),
            float(removal.share),
            float(removal.risk),
        )
        for removal in removals(instance)
    )


def _counted(study: Study, selector: Selector, setting: Setting) -> SelectorChoice:
    """The largest scale of the grid without a crossing, over all calibration states."""
    if selector.rule != "empirical-zero":
        raise UndeclaredError(f"the selector {selector.name} names no partition")
    counted = count_scales(study, selector.arm, states_of(study, calibration_split(study)), setting)
    names = [study.candidates[place].name for place in counted.candidates]
    grid = [exact(text) for text in study.declared.scale_grid]
    taken = counted.choice.chosen
    assigned = (
        ChosenCandidate(None, study.bank.anchor_name, "no-certified-candidate")
        if taken is None
        else ChosenCandidate(None, names[grid.index(taken)], "selected")
    )
    return SelectorChoice(
        selector.name,
        selector.rule,
        None,
        map=(assigned,),
        reason="no larger scale is without a crossing" if taken is not None else "every scale has a crossing",
        counts=tuple(Count(name, count, counted.states) for name, count in zip(names, counted.crossings, strict=True)),
    )


# The setting


def _described(study: Study, setting: Setting) -> StatedSetting:
    split = Missing().attempt("split", lambda: calibration_split(study))
    return {
        "tau": constant_text(setting.tau),
        "epsilon_group": constant_text(setting.epsilon_group),
        "epsilon_global": constant_text(setting.epsilon_global),
        "zeta_risk": constant_text(setting.zeta_risk),
        "zeta_util": constant_text(setting.zeta_util),
        "rho": constant_text(setting.rho),
        "utility_range": None if setting.utility_range is None else list(map(constant_text, setting.utility_range)),
        "utility": setting.utility,
        "risk": setting.risk,
        "split": split,
        "states": None if split is None else len(states_of(study, split)),
    }
