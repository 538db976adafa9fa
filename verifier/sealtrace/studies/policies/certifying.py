"""What `certify` computes: certificates and maps from the records, beside the sealed maps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from sealtrace.bundle.frames import Matrix
from sealtrace.bundle.nearest import nearest
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import Undecided
from sealtrace.studies.policies import PACK
from sealtrace.studies.policies.certified import (
    Assigned,
    Certified,
    Change,
    Choice,
    Competitor,
    Count,
    Group,
    PartitionTable,
    constant_text,
)
from sealtrace.studies.policies.evidence.calibration import Calibration, UndeclaredError, VoidError
from sealtrace.studies.policies.evidence.choice import Chosen, count_scales
from sealtrace.studies.policies.evidence.deployment import calibration_split, chosen_by
from sealtrace.studies.policies.evidence.outcomes import UnscoredError, states_of
from sealtrace.studies.policies.evidence.partitions import Partition, frozen_partitions
from sealtrace.studies.policies.evidence.settings import ASSUMPTIONS, Setting, declared_setting
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import maps
from sealtrace.studies.policies.records.protocol import Selector
from sealtrace.studies.policies.sealed_choices import compared_map, compared_selection

if TYPE_CHECKING:
    from sealtrace.examination import Examination

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

_UNCOMPUTABLE = (UndeclaredError, UnscoredError, Undecided)

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
    study = examination.evidence.seen_as(Study)
    found = Certified(study.bundle.name, study.bundle.root_sha256, verdict=examination.report.verdict)
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
        if (table := _certificates(study, frozen_partitions(study).get(name), name, setting, missing)) is not None
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
    declared = {one.name: one for one in study.declared.selectors}
    frozen = list(frozen_partitions(study))
    for option, given, known in (("selector", selectors, list(declared)), ("partition", partitions, frozen)):
        for name in given:
            if name not in known:
                raise LookupError(f"there is no {option} {name!r}{nearest(name, known)}")
    if selectors:
        chosen = [declared[name] for name in dict.fromkeys(selectors)]
    else:
        chosen = [one for one in declared.values() if not partitions or one.partition in partitions]
    used = [one.partition for one in chosen if one.partition]
    return chosen, list(dict.fromkeys(partitions or used or (() if selectors else frozen)))


def _unusable(examination: Examination) -> str | None:
    if not examination.bundle.manifest_readable:
        return "nothing was computed: manifest.json cannot be read; `sealtrace verify` says why"
    if (reason := PACK.absent(examination.evidence)) is not None:
        return f"{reason}, so that there is nothing to certify"
    reason = examination.unmet(_READS, _NEEDS, PACK)
    return None if reason is None else f"nothing was computed: {reason}; `sealtrace verify` says more"


class Missing:
    """What could not be computed, by reason: one absent record is the reason of many things."""

    def __init__(self) -> None:
        self._by_reason: dict[str, list[str]] = {}

    def note(self, what: str, reason: str) -> None:
        """Takes down one thing."""
        known = self._by_reason.setdefault(reason, [])
        if what not in known:
            known.append(what)

    def sentences(self) -> tuple[str, ...]:
        """One for each reason."""
        return tuple(f"{', '.join(things)}: {reason}" for reason, things in self._by_reason.items())


@contextmanager
def _noting(missing: Missing, what: str) -> Iterator[None]:
    """What the evidence does not give is missing, with its reason."""
    try:
        yield
    except VoidError as error:
        missing.note(what, f"void, because {error}")
    except _UNCOMPUTABLE as error:
        missing.note(what, str(error))


Found = TypeVar("Found")


def _attempt(missing: Missing, what: str, compute: Callable[[], Found]) -> Found | None:
    """What the evidence gives, or None with the reason noted."""
    with _noting(missing, what):
        return compute()
    return None


# Certificates


def _certificates(
    study: Study, partition: Partition | None, name: str, setting: Setting, missing: Missing
) -> PartitionTable | None:
    if partition is None:
        missing.note(f"certificates of {name}", f"the bundle has no partition {name!r}")
        return None
    with _noting(missing, f"certificates of {name}"):
        split = calibration_split(study)
        calibration = Calibration(study, setting, partition, states_of(study, split))
        if not len(calibration.states):
            raise UnscoredError(f"{split} has no states")
        crossings = calibration.crossings
        risk, utility = f"risk bounds of {name}", f"utility bounds of {name}"
        upper = _attempt(missing, risk, lambda: calibration.upper)
        certified = _attempt(missing, risk, lambda: calibration.certified)
        mean = _attempt(missing, utility, lambda: calibration.normalized)
        lower = _attempt(missing, utility, lambda: calibration.lower)
        return PartitionTable(
            name,
            tuple(
                Group(
                    group,
                    int(calibration.counts[place]),
                    tuple(
                        Competitor(
                            study.candidates[candidate].name,
                            int(crossings[row, place]),
                            _entry(upper, row, place),
                            _entry(mean, row, place),
                            _entry(lower, row, place),
                            None if certified is None else bool(certified[row, place]),
                        )
                        for row, candidate in enumerate(calibration.candidates)
                    ),
                    constant_text(budget) if budget != setting.epsilon_group else None,
                )
                for place, (group, budget) in enumerate(zip(partition.groups, calibration.budgets, strict=True))
            ),
        )
    return None


def _entry(table: Matrix | None, row: int, group: int) -> float | None:
    """A number of a table; None where it was not computed, or where an empty group has none."""
    return None if table is None or np.isnan(table[row, group]) else float(table[row, group])


# Choices


def _choice(study: Study, selector: Selector, setting: Setting, declared: Setting, missing: Missing) -> Choice:
    name = selector.name
    choice = _attempt(missing, f"choice of {name}", lambda: _chosen(study, selector, setting, missing))
    if choice is None:
        choice = Choice(name, selector.rule, selector.partition)
    if setting == declared:
        return choice
    # What cannot be computed under the declared setting is not what was asked about.
    before = _attempt(Missing(), name, lambda: _chosen(study, selector, declared, Missing()).map) or ()
    return choice if before == choice.map else replace(choice, declared=before)


def _chosen(study: Study, selector: Selector, setting: Setting, missing: Missing) -> Choice:
    """What a selector takes, with the bounds that its rule states, beside what was sealed."""
    if selector.partition is None:
        return compared_selection(study, _counted(study, selector, setting))
    name, chosen = selector.name, chosen_by(study, selector.name, setting)
    risk = utility = None
    if "risk" in chosen.certifies:
        risk = _attempt(missing, f"risk bound of {name}", chosen.risk_upper)
    if "utility" in chosen.certifies:
        utility = _attempt(missing, f"utility bound of {name}", chosen.utility_lower)
    proof = None if chosen.solution is None else chosen.solution.proof
    idle = isinstance(proof.proof if isinstance(proof, maps.Settled) else proof, maps.GroupWise)
    choice = Choice(
        name,
        selector.rule,
        selector.partition,
        map=_assigned(chosen),
        risk_upper=risk,
        utility_lower=utility,
        radius=constant_text(chosen.radius),
        reason=chosen.reason,
        global_budget=None if chosen.rule != "robust" else "idle" if idle else "can-bind",
    )
    return compared_map(study, chosen, choice)


def _assigned(chosen: Chosen) -> tuple[Assigned, ...]:
    study = chosen.calibration.study
    return tuple(
        Assigned(
            group,
            study.anchor_name if candidate is None else study.candidates[candidate].name,
            "no-certified-candidate" if fell_back else "selected",
        )
        for group, candidate, fell_back in zip(chosen.partition.groups, chosen.assigned, chosen.fell_back, strict=True)
    )


def _counted(study: Study, selector: Selector, setting: Setting) -> Choice:
    """The largest scale of the grid without a crossing, over all calibration states."""
    if selector.rule != "empirical-zero":
        raise UndeclaredError(f"the selector {selector.name} names no partition")
    states = states_of(study, calibration_split(study))
    if not len(states):
        raise UnscoredError("there are no calibration states")
    counted = count_scales(study, selector.arm, states, setting)
    names = [study.candidates[place].name for place in counted.candidates]
    for name, scored in zip(names, counted.scored, strict=True):
        if scored < len(states):
            raise UnscoredError(f"{name} cannot be scored at {len(states) - scored} calibration states")
    grid = [exact(text) for text in study.declared.scale_grid]
    taken = counted.choice.chosen
    assigned = (
        Assigned(None, study.anchor_name, "no-certified-candidate")
        if taken is None
        else Assigned(None, names[grid.index(taken)], "selected")
    )
    return Choice(
        selector.name,
        selector.rule,
        None,
        map=(assigned,),
        reason="no larger scale is without a crossing" if taken is not None else "every scale has a crossing",
        counts=tuple(Count(name, count, len(states)) for name, count in zip(names, counted.crossings, strict=True)),
    )


# The setting


def _described(study: Study, setting: Setting) -> dict[str, Any]:
    bounds_of_utility = setting.utility_range
    described: dict[str, Any] = {
        name: constant_text(getattr(setting, name))
        for name in ("tau", "epsilon_group", "epsilon_global", "zeta_risk", "zeta_util", "rho")
    }
    described["utility_range"] = (
        None if bounds_of_utility is None else [constant_text(one) for one in bounds_of_utility]
    )
    described |= {"utility": setting.utility, "risk": setting.risk, "split": None, "states": None}
    split = _attempt(Missing(), "split", lambda: calibration_split(study))
    if split is not None:
        described |= {"split": split, "states": len(states_of(study, split))}
    return described
