"""A study of policies, stage by stage: the bank, the observed states, traces joined with them, and their scores.

Each stage is computed once from the one before, and passed on whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa

from sealtrace.bundle.content import combined_codes
from sealtrace.bundle.encoding import by_reference, distinct
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
)
from sealtrace.contract.kinds import KINDS
from sealtrace.contract.scalars import exact
from sealtrace.evidence import Evidence, View, once
from sealtrace.studies.policies.evidence.bank import BankCandidate
from sealtrace.studies.policies.evidence.states import States
from sealtrace.studies.policies.mathematics import scores, thresholds
from sealtrace.studies.policies.records.protocol import PolicyProtocol


class Joined(View):
    """Traces and scores, joined with the observed states and the bank."""

    def __init__(self, evidence: Evidence, states: States) -> None:
        super().__init__(evidence)
        self.states, self.bank = states, states.bank

    @once
    def state_of(self, kind: str) -> Index:
        """The observation that each row of a kind belongs to; -1 where none or several do."""
        own = kind in ("trace", "score")
        return self.states.places_of(self.frame(kind)) if own else self.states.state_of(kind)

    def observed_split(self, kind: str) -> Index:
        """The split of each row's observation, as a code of the kind's own splits; -2 where no row has it."""
        return self.states.observed_split(self.frame(kind), self.state_of(kind))

    @cached_property
    def state(self) -> Index:
        """The observation that each trace belongs to."""
        return self.state_of("trace")

    @cached_property
    def sound(self) -> Mask:
        """Traces that join one playable state, name its split and its legal actions."""
        return self.states.sound_rows(self.frame("trace"), self.state)

    @cached_property
    def candidate(self) -> Index:
        """The candidate of each trace."""
        return self.bank.candidate_of(self.frame("trace"))

    def traces_of(self, candidate: int) -> Index:
        """The traces of a candidate whose state is certain and playable."""
        rows = np.flatnonzero((self.candidate == candidate) & (self.state >= 0))
        return rows[self.states.playable[self.state[rows]]]

    def untraced(self, places: Iterable[int], within: Mask | None = None) -> str | None:
        """Why not every trace that candidates owe, at some states, can be looked at; None where each can."""
        observations = self.frame("observation")
        splits, names = observations.texts("split")
        # Where one candidate has a trace in a split, each that is declared for it owes one at every state of it.
        traced = set(distinct(splits[self.state[self.state >= 0]]).tolist())
        for place in places:
            candidate, rows = self.bank.candidates[place], np.flatnonzero(self.candidate == place)
            states = self.state[rows]
            usable = np.zeros(observations.size, np.bool_)
            usable[states[states >= 0]] = True
            usable &= self.states.playable
            due = [code for code in traced if candidate.splits is None or names[code] in candidate.splits]
            owed = np.isin(splits, due) if within is None else np.isin(splits, due) & within
            if absent := int((owed & ~usable).sum() + (states < 0).sum()):
                return f"{candidate.name} has {absent} traces that are not there or join no state"
        return None

    @cached_property
    def probabilities(self) -> ActionMatrix:
        return action_matrix(self.frame("trace"), "probabilities", self.bank.actions)

    @cached_property
    def legal(self) -> ActionLists:
        """The legal actions that each policy was given."""
        return action_lists(self.frame("trace"), "legal", self.bank.actions)

    @cached_property
    def anchors(self) -> Index:
        """The anchor's trace at every observed state; -1 where none or several."""
        if self.bank.anchor is None:
            return np.full(len(self.states.ids), -1, np.int64)
        return self.states.single_rows(self.state, np.flatnonzero(self.candidate == self.bank.anchor))

    @cached_property
    def to_be_scored(self) -> Mask:
        """Traces that are scored: those of training records are not."""
        codes, names = self.frame("trace").texts("split")
        scored: Mask = np.array([*(self.bank.roles.get(name) != "training" for name in names), True])[codes]
        return scored

    @cached_property
    def score(self) -> Index:
        """The score of each trace; -1 where there is none, -2 where there are several."""
        traces, scores = self.frame("trace"), self.frame("score")
        left, right = _shared_codes(traces, scores)
        # Scores nearly always lie as their traces do; sorting is for those that do not.
        if np.array_equal(left, right) and not traces.repeats:
            return np.arange(traces.size)
        if not scores.size:
            return np.full(traces.size, -1, np.int64)
        order = np.argsort(right, kind="stable")
        ordered = right[order]
        low = np.searchsorted(ordered, left, side="left")
        times = np.searchsorted(ordered, left, side="right") - low
        found = np.where(times == 1, order[np.minimum(low, len(order) - 1)], -2)
        return np.where(times == 0, -1, found)


class Study(View):
    """A study of policies."""

    def __init__(self, evidence: Evidence, states: States | None = None) -> None:
        super().__init__(evidence)
        self.states = evidence.view(States) if states is None else states
        self.bank = self.states.bank

    def with_rows(self, frames: dict[str, Frame], joined: dict[str, Index] | None = None) -> Study:
        """A copy with other rows of states, traces and scores; `joined` gives the states of rows that are known."""
        evidence = Evidence(self.bundle, frames=frames)
        # Not a view that the evidence knows: they would hold each other until somebody looks for such rings.
        return Study(evidence, States(evidence, self.bank, joined))

    @property
    def declared(self) -> PolicyProtocol:
        """The protocol, typed."""
        return self.bank.declared

    @property
    def actions(self) -> list[str]:
        return self.bank.actions

    @property
    def tolerance(self) -> float:
        return self.bank.tolerance

    @property
    def candidates(self) -> list[BankCandidate]:
        return self.bank.candidates

    @cached_property
    def joined(self) -> Joined:
        """Traces and scores with their states and candidates."""
        return Joined(self.evidence, self.states)

    @cached_property
    def scored(self) -> Scored:
        """Every trace under the declared evaluators and threshold; `score` records are not read."""
        named, joined = self.declared.evaluators, self.joined
        utility, risk = self.states.evaluator(named.utility), self.states.evaluator(named.risk)
        return score_traces(joined, np.flatnonzero(joined.candidate >= 0), utility, risk, exact(self.declared.tau))


@dataclass(frozen=True)
class Scored:
    """Scores of traces, recomputed from stored distributions and action values."""

    rows: Index
    """Rows of the trace frame, whose state, anchor and action values of some evaluator are there."""
    weak: Vector
    """NaN where the utility evaluator has no action values."""
    strong: Vector
    """NaN where the risk evaluator has none, as delta is; nothing is crossed there."""
    delta: Vector
    crossed: Mask


def score_traces(joined: Joined, rows: Index, utility: Matrix, risk: Matrix, tau: Fraction) -> Scored:
    """Scores those of the given traces that can be scored, with action values by observed state."""
    matrix, anchors = joined.probabilities, joined.anchors
    risky: Mask = np.asarray(np.isfinite(risk).all(axis=1))
    usable = joined.states.playable & (anchors >= 0) & (np.isfinite(utility).all(axis=1) | risky)
    rows = rows[(joined.state[rows] >= 0) & ~matrix.unknown[rows]]
    rows = rows[usable[joined.state[rows]]]
    weak, strong, delta = np.empty(len(rows)), np.empty(len(rows)), np.full(len(rows), np.nan)
    crossed = np.zeros(len(rows), np.bool_)
    # Blocks keep the working set small however many traces there are.
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        states = joined.state[rows[block]]
        policy, base = matrix.values[rows[block]], matrix.values[anchors[states]]
        weak[block] = scores.expected_utility(policy, utility[states])
        strong[block] = scores.expected_utility(policy, risk[states])
        there = risky[states]
        if not there.all():
            states, policy, base = states[there], policy[there], base[there]
        found, places = thresholds.crossings(policy, base, risk[states], tau), start + np.flatnonzero(there)
        delta[places], crossed[places] = found.delta, found.crossed
    return Scored(rows, weak, strong, delta, crossed)


_BLOCK = 2**17


def _shared_codes(left: Frame, right: Frame) -> tuple[Index, Index]:
    """Integers for the keys of two frames of the same key fields, equal where keys are equal."""
    key = KINDS[left.kind].key
    coded = [pa.table({name: by_reference(frame.table.column(name)) for name in key}) for frame in (left, right)]
    codes = combined_codes(pa.concat_tables(coded).unify_dictionaries(), key)
    return codes[: left.size], codes[left.size :]
