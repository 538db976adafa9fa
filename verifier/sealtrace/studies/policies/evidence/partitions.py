"""The frozen partitions: who falls into which group, and which share of the failure budgets each pair has."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from sealtrace.bundle.frames import Index, Vector
from sealtrace.bundle.model import TypedDocument
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.studies.policies.evidence.states import States
from sealtrace.studies.policies.mathematics.partitions.rules import Side, assign, held
from sealtrace.studies.policies.records.certification import Partition


class FrozenPartition:
    """One frozen partition of a study."""

    def __init__(self, states: States, document: TypedDocument[Partition]) -> None:
        self.states = states
        self.path, self.record = document.path, document.record
        self.name, self.learned_in = self.record.name, self.record.learned_in
        self.groups = [leaf.group for leaf in self.record.leaves]
        self.budgets = {leaf.group: exact(leaf.epsilon) for leaf in self.record.leaves if leaf.epsilon}
        """epsilon_h of the groups that state their own."""

    @cached_property
    def leaves(self) -> list[list[Side]]:
        """The rule, exactly."""
        return [
            [Side(condition.feature, exact(condition.threshold), condition.below) for condition in leaf.conditions]
            for leaf in self.record.leaves
        ]

    @cached_property
    def features(self) -> dict[str, Vector]:
        """The columns that the rule reads, at every observed state."""
        names = {condition.feature for leaf in self.leaves for condition in leaf}
        return {name: self.states.feature(name) for name in sorted(names)}

    @cached_property
    def known(self) -> Index:
        """The observed states at which every feature of the rule can be computed."""
        columns = list(self.features.values())
        usable = np.ones(len(self.states.ids), np.bool_)
        for column in columns:
            usable &= ~np.isnan(column)
        return np.flatnonzero(usable)

    @cached_property
    def holding(self) -> Index:
        """How many groups hold each observed state; -1 where the rule cannot be followed."""
        count = np.full(len(self.states.ids), -1, np.int64)
        count[self.known] = held(self._at_known, self.leaves, len(self.known))
        return count

    @cached_property
    def group_of(self) -> Index:
        """The group of every observed state; -1 where none, several, or the rule cannot be followed."""
        place = np.full(len(self.states.ids), -1, np.int64)
        place[self.known] = assign(self._at_known, self.leaves, len(self.known))
        # A state in two groups is in neither: each would count it with its own share of the budgets.
        return np.where(self.holding == 1, place, -1)

    @cached_property
    def _at_known(self) -> dict[str, Vector]:
        return {name: column[self.known] for name, column in self.features.items()}

    @cached_property
    def shares(self) -> dict[tuple[int, int, str], Fraction | None]:
        """The share of a budget by candidate, group and kind of bound; the first of two with the same key."""
        groups = {group: place for place, group in reversed([*enumerate(self.groups)])}
        shares: dict[tuple[int, int, str], Fraction | None] = {}
        for allocated in reversed(self.record.allocations or []):
            candidate = self.states.bank.candidate_at(allocated.arm, allocated.scale)
            group = groups.get(allocated.group)
            if candidate is not None and group is not None:
                for kind, share in (("risk", allocated.risk), ("utility", allocated.utility)):
                    shares[candidate, group, kind] = None if share is None else exact(share)
        return shares


@once
def frozen_partitions(states: States) -> dict[str, FrozenPartition]:
    """The partitions of a study by name; of two with one name, the first."""
    found: dict[str, FrozenPartition] = {}
    for document in states.bundle.sealed(Partition):
        found.setdefault(document.record.name, FrozenPartition(states, document))
    return found
