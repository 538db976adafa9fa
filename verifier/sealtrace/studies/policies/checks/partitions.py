"""The frozen partitions: rules, support, objective, optimality, and the allocations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from sealtrace.bundle.frames import Matrix
from sealtrace.checks.outcome import FindingPlace, Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import Undecided
from sealtrace.studies.policies.evidence.outcomes import declared_outcomes, states_of
from sealtrace.studies.policies.evidence.partitions import FrozenPartition, frozen_partitions
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics.partitions.exact import objective as objective_of
from sealtrace.studies.policies.mathematics.partitions.rules import PartitionTooLargeError, TreeClass, canonical
from sealtrace.studies.policies.mathematics.partitions.rules import in_class as belongs
from sealtrace.studies.policies.mathematics.partitions.search import best_partition
from sealtrace.studies.policies.records.certification import Partition


def no_partition(study: Study, outcome: Outcome) -> bool:
    """Says so where the study freezes no partition and needs none."""
    if study.bundle.documents_of("partition"):
        return False
    if named := [selector.name for selector in study.declared.choosing]:
        outcome.missing = f"no partition is frozen, and {', '.join(named)} choose in its groups"
    else:
        outcome.not_applicable = "the study freezes no partition"
    return True


def _at(outcome: Outcome, partition: FrozenPartition, **more: str) -> FindingPlace:
    """A partition, or a part of it, to say findings of."""
    return outcome.at(partition.path, {"partition": partition.name, **more})


def _learned(study: Study, outcome: Outcome) -> Iterator[tuple[FrozenPartition, TreeClass]]:
    """The partitions that were learned, with the class that each is the best of."""
    classes = study.declared.partition_classes
    for partition in frozen_partitions(study.states).values():
        if partition.learned_in is None:
            continue
        declared = classes.get(partition.learned_in)
        if declared is None:
            message = "The protocol declares no such class of partitions."
            _at(outcome, partition).error("/learned_in", message, ", ".join(classes) or "none", partition.learned_in)
            continue
        thresholds = {name: [exact(text) for text in texts] for name, texts in declared.thresholds.items()}
        penalties = exact(declared.lambda_cert), exact(declared.lambda_comp)
        yield partition, TreeClass(declared.depth, thresholds, declared.minimum_support, *penalties)


def _none_learned(study: Study, outcome: Outcome) -> bool:
    if no_partition(study, outcome):
        return True
    learned = {document.record.learned_in for document in study.bundle.sealed(Partition)}
    if absent := sorted(set(study.declared.partition_classes) - {*learned}):
        outcome.missing = f"no partition says that it was learned in {', '.join(absent)}"
    elif learned == {None}:
        outcome.not_applicable = "no partition was learned"
        return True
    return False


@check("partition.rule", "partitions", unless=no_partition)
def rule(study: Study, outcome: Outcome) -> None:
    documents, features = study.bundle.sealed(Partition), study.declared.features
    outcome.inspected = len(documents)
    # What a deployed rule may read is what every declared interface shows.
    shown = [set(fields) for fields in study.declared.interfaces.values()]
    visible = set.intersection(*shown) if shown else set()
    names = Counter(document.record.name for document in documents)
    for document in documents:
        name, leaves = document.record.name, document.record.leaves
        if names[name] > 1:
            at = outcome.at(document.path, {"partition": name})
            at.error("/name", "Several partitions have this name.", "one partition", names[name])
        groups = Counter(leaf.group for leaf in leaves)
        for place, leaf in enumerate(leaves):
            at = outcome.at(document.path, {"partition": name, "group": leaf.group})
            if groups[leaf.group] > 1:
                message = "Two leaves have this group. Rename one."
                at.error(f"/leaves/{place}/group", message, "one leaf", groups[leaf.group])
            for number, condition in enumerate(leaf.conditions):
                pointer, feature = f"/leaves/{place}/conditions/{number}/feature", condition.feature
                if feature not in features:
                    message = "The rule reads a feature that the protocol does not declare."
                    at.error(pointer, message, ", ".join(features), feature)
                elif (field := features[feature].field) not in visible:
                    message = "The rule reads a field that a deployed policy does not see."
                    at.error(pointer, message, ", ".join(sorted(visible)) or "none", f"{feature} of {field}")
    _cover(study, outcome)


def _cover(study: Study, outcome: Outcome) -> None:
    """Every observed state lies in exactly one group of every partition."""
    frame = study.frame("observation")
    for partition in frozen_partitions(study.states).values():
        holding = partition.holding
        for wrong, message in (
            (holding == 0, f"No group of {partition.name} holds the state."),
            (holding > 1, f"Several groups of {partition.name} hold the state."),
            (holding < 0, f"The rule of {partition.name} cannot be followed at the state."),
        ):
            outcome.rows(frame, wrong, "/state", message, "one group", lambda row: str(max(0, int(holding[row]))))


@check("partition.labels", "traces")
def labels(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    codes, texts = frame.texts("group")
    deployed = study.declared.deployed
    labelled = codes >= 0
    if deployed is None:
        outcome.inspected = int(labelled.sum())
        message = "The trace carries a group, and the protocol deploys no partition."
        outcome.rows(frame, labelled, "/group", message, "no group")
        outcome.not_applicable = None if outcome.inspected else "no partition is deployed"
        return
    partition = frozen_partitions(study.states).get(deployed)
    if partition is None:
        outcome.missing = f"the deployed partition {deployed} is not in the bundle"
        return
    splits, names = frame.texts("split")
    due = [code for code, name in enumerate(names) if study.bank.roles.get(name) in ("calibration", "held-out")]
    labelled_due = np.isin(splits, due)
    if left := int((labelled_due & (study.joined.state < 0)).sum()):
        outcome.missing = f"{left} traces join no state"
    rows = np.flatnonzero(labelled_due & (study.joined.state >= 0))
    groups = partition.group_of[study.joined.state[rows]]
    outcome.inspected = len(rows)
    message = "The trace names a group, and was sealed before there was a partition."
    outcome.rows(frame, labelled & ~np.isin(splits, due), "/group", message, "no group")
    # Of a name that two groups have, the later; a trace without a group carries none, whatever is due.
    known = {group: number for number, group in enumerate(partition.groups)}
    place = np.array([*(known.get(text, -2) for text in texts), -3])
    wrong = place[codes[rows]] != groups
    due_groups = [partition.groups[group] if group >= 0 else "none" for group in groups[wrong].tolist()]
    found = [texts[code] if code >= 0 else "none" for code in codes[rows[wrong]].tolist()]
    message = "The trace carries another group than the deployed rule gives."
    outcome.rows(frame, rows[wrong], "/group", message, due_groups, found)


@check("partition.support", "groups", unless=no_partition)
def support(study: Study, outcome: Outcome) -> None:
    for partition, declared in _learned(study, outcome):
        if study.bank.structure_split is None:
            outcome.missing = "the protocol does not declare one structure split"
            continue
        least = max(1, declared.minimum_support)
        for leaf, at, count in _counts(study, outcome, partition, study.bank.structure_split):
            if count < least:
                message = "Fewer structure states fall into the group than the class demands."
                at.error(leaf, message, f"at least {least}", count)
    for partition in frozen_partitions(study.states).values():
        outcome.inspected += len(partition.groups)
        for split in study.bank.splits_of("calibration"):
            for leaf, at, count in _counts(study, outcome, partition, split):
                if not count:
                    at.warning(
                        leaf,
                        "No calibration state falls into the group: its bounds are U = 1 and L = 0, and it falls back "
                        "to the anchor.",
                        "calibration states",
                        0,
                    )


def _counts(
    study: Study, outcome: Outcome, partition: FrozenPartition, split: str
) -> Iterator[tuple[str, FindingPlace, int]]:
    """Every leaf of a partition, where to say something of it, and how many states of a split fall into it."""
    groups = partition.group_of[states_of(study, split)]
    counts = np.bincount(groups[groups >= 0], minlength=len(partition.groups)).tolist()
    for place, (group, count) in enumerate(zip(partition.groups, counts, strict=True)):
        yield f"/leaves/{place}", _at(outcome, partition, group=group), count


def structure_degradations(study: Study) -> Matrix | None:
    """d of every competing candidate at every structure state; None where one is not there."""
    outcomes, states = declared_outcomes(study), states_of(study, study.bank.structure_split or "")
    columns = [outcomes.of(candidate).delta[states] for candidate in study.bank.competing()]
    matrix = np.column_stack(columns) if columns else np.zeros((0, 0))
    return matrix if matrix.size and np.isfinite(matrix).all() else None


@check("partition.class", "partitions", unless=_none_learned)
def in_class(study: Study, outcome: Outcome) -> None:
    for partition, declared in _learned(study, outcome):
        outcome.inspected += 1
        reason = _not_in_class(study, outcome, partition, declared)
        if reason is not None:
            message = f"The partition is not of its class: {reason}."
            expected, found = f"a partition of the class {partition.learned_in}", f"{len(partition.groups)} leaves"
            _at(outcome, partition).error("/leaves", message, expected, found)


def _not_in_class(study: Study, outcome: Outcome, partition: FrozenPartition, declared: TreeClass) -> str | None:
    """Why a partition is not of its class; None where it is, or where that cannot be told."""
    states = len(states_of(study, study.bank.structure_split or ""))
    if states and len(partition.groups) > states:
        return f"{states} structure states cannot support {len(partition.groups)} leaves"
    try:
        return belongs(partition.leaves, declared)
    except PartitionTooLargeError as error:
        outcome.missing = f"{partition.name}: {error}"
        return None


def _learned_and_scored(study: Study, outcome: Outcome) -> Iterator[tuple[FrozenPartition, TreeClass, Matrix]]:
    """Every learned partition with its class, and the degradations that it was learned from."""
    if _none_learned(study, outcome):
        return
    degradations = structure_degradations(study)
    if degradations is None:
        outcome.missing = "the structure split is not scored for every competing candidate"
        return
    for partition, declared in _learned(study, outcome):
        outcome.inspected += 1
        yield partition, declared, degradations


@check("partition.objective", "partitions")
def objective(study: Study, outcome: Outcome) -> None:
    states = states_of(study, study.bank.structure_split or "")
    for partition, declared, degradations in _learned_and_scored(study, outcome):
        groups = partition.group_of[states]
        reported = partition.record.objective
        if (groups < 0).any() or reported is None:
            outcome.missing = f"{partition.name} states no objective, or leaves structure states without a group"
            continue
        due = objective_of(groups, len(partition.groups), degradations, declared.lambda_cert, declared.lambda_comp)
        if not math.isclose(due, reported, rel_tol=study.tolerance):
            message = "The objective is not what the structure split gives."
            _at(outcome, partition).error("/objective", message, due, reported)


MOST_THRESHOLDS = 1000
"""A class that declares more is not searched: it would take minutes."""


@check("partition.optimal", "partitions")
def optimal(study: Study, outcome: Outcome) -> None:
    states = states_of(study, study.bank.structure_split or "")
    for partition, declared, degradations in _learned_and_scored(study, outcome):
        if sum(map(len, declared.thresholds.values())) > MOST_THRESHOLDS:
            outcome.missing = f"{partition.name}: a class of more than {MOST_THRESHOLDS} thresholds is not searched"
            continue
        features = {name: study.states.feature(name)[states] for name in declared.thresholds}
        try:
            found = best_partition(features, degradations, declared)
        except (PartitionTooLargeError, Undecided, ValueError) as error:
            outcome.missing = f"{partition.name}: {error}"
            continue
        message = f"Another partition of the class is better, or equal and earlier: {found.describe()}."
        texts = [canonical(leaves).replace("\n", "; ") for leaves in (found.leaves, partition.leaves)]
        _at(outcome, partition).expect("/leaves", message, *texts)


@check("partition.allocations", "shares", unless=no_partition)
def allocations(study: Study, outcome: Outcome) -> None:
    certified = study.frame("certificate").texts("partition")[1]
    chosen_in = {selector.partition for selector in study.declared.selectors}
    for partition in frozen_partitions(study.states).values():
        shares = partition.record.allocations
        for group, budget in partition.budgets.items():
            outcome.inspected += 1
            if not 0 <= budget <= 1:
                message, place = "The group's risk budget lies outside its domain.", partition.groups.index(group)
                _at(outcome, partition, group=group).error(f"/leaves/{place}/epsilon", message, "from 0 to 1", budget)
        if shares is None:
            if partition.name in certified or partition.name in chosen_in:
                outcome.missing = f"{partition.name} is certified in, and allocates nothing"
            continue
        outcome.inspected += len(shares)
        _compare_shares(study, outcome, partition)
        for kind, zeta in (("risk", "zeta_risk"), ("utility", "zeta_util")):
            stated = [share.risk if kind == "risk" else share.utility for share in shares]
            total = sum((exact(share) for share in stated if share is not None), Fraction(0))
            if total > 1:
                message = f"The shares of {zeta} sum to more than one."
                _at(outcome, partition).error("/allocations", message, "at most 1", total)
            _name_replaced_shares(study, outcome, partition, kind, set(stated))


def _name_replaced_shares(
    study: Study, outcome: Outcome, partition: FrozenPartition, kind: str, stated: set[str | None]
) -> None:
    """Says of variants with fewer competitors that equal shares stand in the place of unequal frozen ones."""
    replaced = [
        name
        for name, variant in study.declared.variants.items()
        if (variant.families or variant.scales)
        and not variant.allocation
        and variant.partition in (None, partition.name)
    ]
    if replaced and len(stated) > 1:
        _at(outcome, partition).note(
            "/allocations",
            f"The frozen {kind} shares differ. {', '.join(replaced)}: fewer candidates compete and no allocation is "
            "named, so that what competes has equal shares there.",
        )


def _compare_shares(study: Study, outcome: Outcome, partition: FrozenPartition) -> None:
    """Each share is positive and names a competing candidate and a group, and every pair has one."""
    bank, groups = study.bank.competing(), set(partition.groups)
    seen: set[tuple[int | None, str]] = set()
    for place, share in enumerate(partition.record.allocations or []):
        scaled = {} if share.scale is None else {"scale": share.scale}
        at = _at(outcome, partition, arm=share.arm, group=share.group, **scaled)
        for kind, stated in (("risk", share.risk), ("utility", share.utility)):
            if stated is not None and exact(stated) <= 0:
                message = "A share of the failure budget is positive."
                at.error(f"/allocations/{place}/{kind}", message, "above 0", stated)
        candidate = study.bank.candidate_at(share.arm, share.scale)
        if candidate not in bank or share.group not in groups or (candidate, share.group) in seen:
            message = "The share belongs to no pair of a competing candidate and a group, or the pair has one already."
            found = f"{share.arm}@{share.scale or 'none'} in {share.group}"
            at.error(f"/allocations/{place}", message, "one share per competing candidate and group", found)
            continue
        seen.add((candidate, share.group))
    message = "The pair has no share of the failure budgets."
    for candidate, group in product(bank, partition.groups):
        if (candidate, group) not in seen:
            at = _at(outcome, partition, group=group, candidate=study.candidates[candidate].name)
            at.error("/allocations", message, "one share", "none")
