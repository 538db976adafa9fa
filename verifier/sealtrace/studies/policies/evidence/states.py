"""The observed states, and what records say of each of them before any policy is traced.

Rows join through the observed states. A key that is missing or stands twice joins nothing (-1), so a
check sees only rows whose partners are certain; the join checks report the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa

from sealtrace.bundle.frames import (
    ActionLists,
    ActionMatrix,
    Frame,
    Index,
    Mask,
    Matrix,
    Vector,
    action_lists,
    action_matrix,
    some_rows,
)
from sealtrace.contract.scalars import exact
from sealtrace.evidence import Evidence, View, once
from sealtrace.mathematics import networks
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.bank import Bank, FrozenWeights, ObservedFeature, observed_fields
from sealtrace.studies.policies.mathematics import policies
from sealtrace.studies.policies.records.policies import Affine

_BY_ACTION = {"trace": ("legal",), "teacher": ("distribution", "values"), "values": ("values",)}
"""Kind to the fields that name actions."""


class States(View):
    """Observations with the teacher's distributions, action values and directions at each of them."""

    def __init__(self, evidence: Evidence, bank: Bank | None = None, joined: Mapping[str, Index] | None = None) -> None:
        """`joined` says of some kinds which observation each row belongs to, where that is known."""
        super().__init__(evidence)
        self.bank = evidence.view(Bank) if bank is None else bank
        self._given = joined or {}

    @cached_property
    def observed(self) -> frozenset[str]:
        """The fields of observations that a policy may compute with."""
        return observed_fields(self.frame("observation").table.schema)

    @cached_property
    def ids(self) -> pa.Array:
        """State ids in the order of observations; `by_state` leaves repeated ids out of joins."""
        array = self.frame("observation").column("state")
        return array.dictionary.take(array.indices) if pa.types.is_dictionary(array.type) else array

    @cached_property
    def _ambiguous(self) -> Mask:
        frame = self.frame("observation")
        mask = np.zeros(frame.size, np.bool_)
        mask[[row for pair in frame.repeats.items() for row in pair]] = True
        return mask

    @once
    def state_of(self, kind: str) -> Index:
        """The observation that each row of a kind belongs to; -1 where none or several do."""
        given = self._given.get(kind)
        return self.places_of(self.frame(kind)) if given is None else given

    def places_of(self, frame: Frame) -> Index:
        """The observation of each row of a frame, which need not be one of this study's; -1 where none or several."""
        places = frame.lookup("state", self.ids)
        if self._ambiguous.any():
            places = np.where((places >= 0) & ~self._ambiguous[places], places, -1)
        return places

    def by_state(self, kind: str, rows: Index | None = None) -> Index:
        """For each observed state, the one row of a kind that belongs to it; -1 where none or several do."""
        return self.single_rows(self.state_of(kind), rows)

    def single_rows(self, states: Index, rows: Index | None = None) -> Index:
        """For each observed state, the one row among `rows` whose state it is; -1 where none or several are."""
        chosen = np.arange(len(states)) if rows is None else rows
        chosen = chosen[states[chosen] >= 0]
        places = np.full(len(self.ids), -1, np.int64)
        places[states[chosen]] = chosen
        times = np.bincount(states[chosen], minlength=len(self.ids))
        # Which of several is meant, nobody can tell: none is, and the join checks say so.
        places[times > 1] = -1
        return places

    def incomplete(self, split: str | None) -> str | None:
        """Why the states of a split, or of all, cannot be counted on; None where they are all there."""
        if (reason := self.evidence.spoilt("observation")) is not None:
            return reason
        for declared in self.bank.declared.splits:
            if split not in (None, declared.name):
                continue
            inside = self.frame("observation").says("split", declared.name)
            if (held := int(inside.sum())) != declared.states:
                return f"{declared.name} holds {held} states and declares {declared.states}"
            if (self._ambiguous & inside).any() or not self.playable[inside].all():
                return f"a state of {declared.name} is there twice, or has no usable legal actions"
        return None

    @once
    def sound(self, kind: str) -> Mask:
        """Rows that join one playable state, name its split and, where they name actions, its legal actions."""
        return self.sound_rows(self.frame(kind), self.state_of(kind))

    def sound_rows(self, frame: Frame, states: Index) -> Mask:
        """Which rows of a frame, whose states are given, are sound."""
        good = states >= 0
        good[good] &= self.playable[states[good]]
        good[good] &= self.observed_split(frame, states)[good] == frame.texts("split")[0][good]
        for field in _BY_ACTION.get(frame.kind, ()):
            lists = action_lists if field == "legal" else action_matrix
            named = lists(frame, field, self.bank.actions)
            there = good & frame.table.column(field).is_valid().to_numpy()
            rows = slice(None) if there.all() else np.flatnonzero(there)
            legal = some_rows(self.legal.named, states[rows])
            good[rows] &= ~named.unknown[rows] & (named.named[rows] == legal).all(axis=1)
        return good

    def observed_split(self, frame: Frame, states: Index) -> Index:
        """The split of each row's observation, as a code of the rows' own splits; -2 where no row has it."""
        codes, names = self.frame("observation").texts("split")
        known = {name: code for code, name in enumerate(frame.texts("split")[1])}
        places = np.array([*(known.get(name, -2) for name in names), -2])
        found: Index = places[codes[states]] if len(codes) else np.full(frame.size, -2)
        return found

    @cached_property
    def legal(self) -> ActionLists:
        """Legal actions of every observed state."""
        return action_lists(self.frame("observation"), "legal", self.bank.actions)

    @cached_property
    def playable(self) -> Mask:
        """States whose legal set is usable: non-empty and within the vocabulary."""
        legal = self.legal
        return legal.named.any(axis=1) & ~legal.unknown & ~legal.repeated

    @once
    def feature(self, name: str) -> Vector:
        """A declared feature of every observed state; NaN where it cannot be computed."""
        rule = self.bank.declared.features.get(name)
        frame = self.frame("observation")
        return np.full(frame.size, np.nan) if rule is None else ObservedFeature(rule).of_each(frame)

    def exact_feature(self, name: str, state: int) -> Fraction:
        """A declared feature of one state with nothing rounded, where it can be computed."""
        return ObservedFeature(self.bank.declared.features[name]).of_one(self.frame("observation"), state)

    def affine(self, rules: dict[str, Affine]) -> Matrix:
        """Affine rules by action, at every observed state; NaN for an action without a rule."""
        known = [rules.get(action) for action in self.bank.actions]
        terms = [{} if rule is None else rule.terms or {} for rule in known]
        names = sorted({name for weights in terms for name in weights})
        constants = np.array([np.nan if rule is None else as_double(exact(rule.constant)) for rule in known])
        table = np.array([[as_double(exact(weights.get(name, "0"))) for weights in terms] for name in names])
        table = table.reshape(len(names), len(self.bank.actions))
        return policies.affine(constants, table, [self.feature(name) for name in names], len(self.ids))

    # Teacher and values, by state

    @cached_property
    def teacher(self) -> Matrix:
        """The cached teacher distribution of every observed state; NaN where there is none."""
        matrix = action_matrix(self.frame("teacher"), "distribution", self.bank.actions)
        return aligned(matrix, self.by_state("teacher", np.flatnonzero(self.sound("teacher"))))

    @once
    def evaluator(self, name: str) -> Matrix:
        """The action values of an evaluator at every observed state; NaN where a legal action has none."""
        frame = self.frame("values")
        rows = np.flatnonzero(frame.says("evaluator", name) & self.sound("values"))
        matrix = action_matrix(frame, "values", self.bank.actions)
        if not frame.size:
            return np.full(self.legal.named.shape, np.nan)
        places = self.by_state("values", rows)
        values, valued = some_rows(matrix.values, places), (places[:, None] >= 0) & some_rows(matrix.named, places)
        if valued.all() and self.legal.named.all():
            return values
        # An illegal action has no probability, so that any number serves; a legal one without a value has none.
        return np.where(self.legal.named, np.where(valued, values, np.nan), 0.0)

    def magnitude(self, role: str) -> Vector:
        """The largest action value of a role's evaluator at every observed state: what a utility is as exact as."""
        values = np.abs(np.nan_to_num(self.evaluator(getattr(self.bank.declared.evaluators, role))))
        largest: Vector = values.max(axis=1, initial=0.0)
        return largest


@once
def network_outputs(states: States, checkpoint: FrozenWeights, head: str) -> Matrix | None:
    """A head of the network at every observed state: residual direction, base policy's logits, or gate's score.

    They follow from observations alone, and serve all scales of a family. None where the network has no such head.
    """
    layers = checkpoint.head(head)
    if layers is None or checkpoint.misfit(states.bank) is not None:
        return None
    inputs = np.column_stack([states.feature(name) for name in checkpoint.document.record.features])
    return networks.forward(inputs, networks.layers_of(layers))


def aligned(matrix: ActionMatrix, rows: Index) -> Matrix:
    """Rows of a matrix by state; NaN where a state has no row or names an unknown action."""
    if not len(matrix.values):
        return np.full((len(rows), matrix.values.shape[1]), np.nan)
    good, values = (rows >= 0) & ~matrix.unknown[rows], some_rows(matrix.values, rows)
    return values if good.all() else np.where(good[:, None], values, np.nan)
