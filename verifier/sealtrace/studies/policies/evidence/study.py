"""The evidence of a bundle as columns that join: what every check reads.

Rows join through the observed states. A key that is missing or stands twice joins nothing (-1), so a
check sees only rows whose partners are certain; the join checks report the others.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sealtrace.bundle.content import combined_codes, document_digest
from sealtrace.bundle.encoding import arrow_array
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
from sealtrace.contract.kinds import KINDS
from sealtrace.contract.scalars import exact
from sealtrace.evidence import Evidence, once
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.bank import (
    Candidate,
    Checkpoint,
    ObservedFeature,
    observed_fields,
)
from sealtrace.studies.policies.mathematics import policies, scores, thresholds
from sealtrace.studies.policies.records.policies import Affine
from sealtrace.studies.policies.records.protocol import PolicyProtocol

Verdict = Literal["selected", "no-certified-candidate"]
"""What a rule gives in a group."""


class Study(Evidence):
    """Columns and joins of a study of policies. Everything is computed when first asked for, once."""

    def adopt(self, other: Evidence, without: Collection[str]) -> None:
        """Takes over what is known of states, which does not depend on traces and scores."""
        self.frames.update({kind: frame for kind, frame in other.frames.items() if kind not in without})
        known = ("declared", "tolerance", "candidates", "states", "_ambiguous_states", "legal", "playable", "teacher")
        self.__dict__.update({name: other.__dict__[name] for name in known if name in other.__dict__})
        computed = ("feature", "evaluator", "state_of", "sound")
        for key, value in other.known.items():
            if isinstance(key, tuple) and key[0].__name__ in computed and set(key[1]).isdisjoint(without):
                self.known[key] = value

    def with_rows(self, frames: dict[str, Frame]) -> Study:
        """The same study with other rows of states, traces and scores."""
        other = Study(self.bundle, frames=frames)
        other._views = {}  # It would name itself there, and be kept until somebody looks for such rings.
        same = ("protocol_document", "declared", "actions", "tolerance", "candidates", "roles", "checkpoints")
        other.__dict__.update({name: getattr(self, name) for name in same})
        return other

    @cached_property
    def declared(self) -> PolicyProtocol:
        """The protocol, typed."""
        return PolicyProtocol.of(self.protocol)

    @cached_property
    def actions(self) -> list[str]:
        longest = max((store.count for store in self.bundle.stores), default=0)
        self.room("rows x actions", longest, len(self.declared.actions), width=9)
        return self.declared.actions

    @cached_property
    def tolerance(self) -> float:
        return as_double(exact(self.declared.tolerances.replay))

    @cached_property
    def candidates(self) -> list[Candidate]:
        rows = self.frame("candidate").table.to_pylist(maps_as_pydicts="lossy")
        return [Candidate.of(row, record) for row, record in enumerate(rows)]

    def candidate_at(self, arm: str | None, scale: str | Fraction | None) -> int | None:
        """The candidate of an arm and a scale, which are compared as numbers; None where the bank has none."""
        return self._candidate_places.get((arm or "", exact(scale) if isinstance(scale, str) else scale))

    def assigned(self, record: dict[str, Any]) -> tuple[str, str, Verdict]:
        """What a record assigns to a group: the group, the candidate as the bank writes it, and what the rule gave."""
        arm, scale = str(record["arm"]), record.get("scale")
        name = f"{arm if scale is None else f'{arm}@{scale}'} (not in the bank)"
        if (place := self.candidate_at(arm, scale)) is not None:
            name = self.candidates[place].name
        return record["group"], name, record["outcome"]

    @cached_property
    def _candidate_places(self) -> dict[tuple[str, Fraction | None], int]:
        return {(candidate.arm, candidate.exact_scale): place for place, candidate in enumerate(self.candidates)}

    @once
    def competing(
        self, families: tuple[str, ...] | None = None, scales: tuple[Fraction, ...] | None = None
    ) -> list[int]:
        """The candidates that compete, the smaller scale first, then the lower family index.

        They are the candidates of the declared arms, by default the tilts of the anchor, whose scale is on the grid.
        """
        grid = {exact(text) for text in self.declared.scale_grid}
        arms = self.declared.competitors
        chosen = [
            (scale, candidate.family_index or 0, place)
            for place, candidate in enumerate(self.candidates)
            if (candidate.policy == "tilt" if arms is None else candidate.arm in arms)
            and (scale := candidate.exact_scale) in grid
            and (families is None or candidate.family in families)
            and (scales is None or scale in scales)
        ]
        return [place for _, _, place in sorted(chosen)]

    @cached_property
    def anchor(self) -> int | None:
        """The bank's anchor, where there is exactly one."""
        anchors = [place for place, candidate in enumerate(self.candidates) if candidate.policy == "anchor"]
        return anchors[0] if len(anchors) == 1 else None

    @property
    def anchor_name(self) -> str:
        """The anchor as the bank writes it."""
        return "anchor" if self.anchor is None else self.candidates[self.anchor].name

    # States

    def splits_of(self, role: str) -> list[str]:
        """The declared splits of a role."""
        return [split for split, declared in self.roles.items() if declared == role]

    @property
    def structure_split(self) -> str | None:
        """The one split that partitions are learned on."""
        splits = self.splits_of("structure")
        return splits[0] if len(splits) == 1 else None

    @cached_property
    def observed(self) -> frozenset[str]:
        """The fields of observations that a policy may compute with."""
        return observed_fields(self.frame("observation").table.schema)

    @cached_property
    def states(self) -> pa.Array:
        """State ids in the order of observations; ids that stand twice are left out of joins by `by_state`."""
        array = self.frame("observation").column("state")
        return array.dictionary.take(array.indices) if pa.types.is_dictionary(array.type) else array

    @cached_property
    def _ambiguous_states(self) -> Mask:
        frame = self.frame("observation")
        mask = np.zeros(frame.size, np.bool_)
        mask[[row for pair in frame.repeats.items() for row in pair]] = True
        return mask

    @once
    def state_of(self, kind: str) -> Index:
        """The observation that each row of a kind belongs to; -1 where none or several do."""
        places = self.frame(kind).lookup("state", self.states)
        if self._ambiguous_states.any():
            places = np.where((places >= 0) & ~self._ambiguous_states[places], places, -1)
        return places

    def join(self, kind: str, states: Index) -> None:
        """Takes somebody's word for the observation that each row of a kind belongs to."""
        self.known[Study.state_of.__wrapped__, (kind,)] = states  # type: ignore[attr-defined]

    def by_state(self, kind: str, rows: Index | None = None) -> Index:
        """For each observed state, the one row of a kind that belongs to it; -1 where none or several do."""
        states = self.state_of(kind)
        chosen = np.arange(len(states)) if rows is None else rows
        chosen = chosen[states[chosen] >= 0]
        places = np.full(len(self.states), -1, np.int64)
        places[states[chosen]] = chosen
        times = np.bincount(states[chosen], minlength=len(self.states))
        places[times > 1] = -1
        return places

    def incomplete(self, split: str | None) -> str | None:
        """Why the states of a split, or of all, cannot be counted on; None where they are all there."""
        if (reason := self.spoilt("observation")) is not None:
            return reason
        for declared in self.declared.splits:
            if split not in (None, declared.name):
                continue
            inside = self.frame("observation").says("split", declared.name)
            if (held := int(inside.sum())) != declared.states:
                return f"{declared.name} holds {held} states and declares {declared.states}"
            if (self._ambiguous_states & inside).any() or not self.playable[inside].all():
                return f"a state of {declared.name} is there twice, or has no usable legal actions"
        return None

    @once
    def sound(self, kind: str) -> Mask:
        """Rows that join one playable state, name its split and, where they name actions, its legal actions."""
        frame, states = self.frame(kind), self.state_of(kind)
        good = states >= 0
        good[good] &= self.playable[states[good]]
        good[good] &= self.observed_split(kind)[good] == frame.texts("split")[0][good]
        for field in {"trace": ("legal",), "teacher": ("distribution", "values"), "values": ("values",)}.get(kind, ()):
            lists = action_lists if field == "legal" else action_matrix
            named = lists(frame, field, self.actions)
            there = good & frame.table.column(field).is_valid().to_numpy()
            rows = slice(None) if there.all() else np.flatnonzero(there)
            legal = some_rows(self.legal.named, states[rows])
            good[rows] &= ~named.unknown[rows] & (named.named[rows] == legal).all(axis=1)
        return good

    def observed_split(self, kind: str) -> Index:
        """The split of each row's observation, as a code of the kind's own splits; -2 where no row has it."""
        codes, names = self.frame("observation").texts("split")
        known = {name: code for code, name in enumerate(self.frame(kind).texts("split")[1])}
        places = np.array([*(known.get(name, -2) for name in names), -2])
        found: Index = places[codes[self.state_of(kind)]] if len(codes) else np.full(self.frame(kind).size, -2)
        return found

    @cached_property
    def legal(self) -> ActionLists:
        """Legal actions of every observed state."""
        return action_lists(self.frame("observation"), "legal", self.actions)

    @cached_property
    def playable(self) -> Mask:
        """States whose legal set is usable: non-empty and within the vocabulary."""
        legal = self.legal
        return legal.named.any(axis=1) & ~legal.unknown & ~legal.repeated

    @once
    def feature(self, name: str) -> Vector:
        """A declared feature of every observed state; NaN where it cannot be computed."""
        rule = self.declared.features.get(name)
        frame = self.frame("observation")
        return np.full(frame.size, np.nan) if rule is None else ObservedFeature(rule).of_each(frame)

    def exact_feature(self, name: str, state: int) -> Fraction:
        """The same at one state with nothing rounded, where it can be computed."""
        return ObservedFeature(self.declared.features[name]).of_one(self.frame("observation"), state)

    def affine(self, rules: dict[str, Affine]) -> Matrix:
        """Affine rules by action, at every observed state; NaN for an action without a rule."""
        known = [rules.get(action) for action in self.actions]
        terms = [{} if rule is None else rule.terms or {} for rule in known]
        names = sorted({name for weights in terms for name in weights})
        constants = np.array([np.nan if rule is None else as_double(exact(rule.constant)) for rule in known])
        table = np.array([[as_double(exact(weights.get(name, "0"))) for weights in terms] for name in names])
        table = table.reshape(len(names), len(self.actions))
        return policies.affine(constants, table, [self.feature(name) for name in names], len(self.states))

    # Teacher and values, by state

    @cached_property
    def teacher(self) -> Matrix:
        """The cached teacher distribution of every observed state; NaN where there is none."""
        matrix = action_matrix(self.frame("teacher"), "distribution", self.actions)
        return aligned(matrix, self.by_state("teacher", np.flatnonzero(self.sound("teacher"))))

    @once
    def evaluator(self, name: str) -> Matrix:
        """The action values of an evaluator at every observed state; NaN where a legal action has none."""
        frame = self.frame("values")
        rows = np.flatnonzero(frame.says("evaluator", name) & self.sound("values"))
        matrix = action_matrix(frame, "values", self.actions)
        if not frame.size:
            return np.full(self.legal.named.shape, np.nan)
        places = self.by_state("values", rows)
        values, valued = some_rows(matrix.values, places), (places[:, None] >= 0) & some_rows(matrix.named, places)
        if valued.all() and self.legal.named.all():
            return values
        return np.where(self.legal.named, np.where(valued, values, np.nan), 0.0)

    def magnitude(self, role: str) -> Vector:
        """The largest action value of a role's evaluator at every observed state: what a utility is as exact as."""
        values = np.abs(np.nan_to_num(self.evaluator(getattr(self.declared.evaluators, role))))
        largest: Vector = values.max(axis=1, initial=0.0)
        return largest

    # Traces

    @cached_property
    def trace_state(self) -> Index:
        return self.state_of("trace")

    @cached_property
    def trace_candidate(self) -> Index:
        return self.candidate_of("trace")

    def candidate_of(self, kind: str) -> Index:
        """The candidate of each row of a kind; -1 where the bank has none or several."""
        frame = self.frame(kind)
        if not frame.size:
            return np.zeros(0, np.int64)
        known: dict[tuple[str | None, str | None], int] = {}
        for place, candidate in enumerate(self.candidates):
            key = candidate.arm, candidate.scale
            known[key] = -1 if key in known else place
        (arms, arm_texts), (scales, scale_texts) = frame.texts("arm"), frame.texts("scale")
        of_arms, of_scales = [None, *arm_texts], [None, *scale_texts]
        # Only the pairs that occur: rows may name many arms and many scales.
        pairs = arrow_array((arms + 1) * len(of_scales) + scales + 1).dictionary_encode()
        named = [divmod(pair, len(of_scales)) for pair in pairs.dictionary.to_pylist()]
        places = [known.get((of_arms[arm], of_scales[scale]), -1) for arm, scale in named]
        found: Index = np.array(places, np.int64)[pairs.indices.to_numpy()]
        return found

    def traces_of(self, candidate: int) -> Index:
        """The traces of a candidate whose state is certain and playable."""
        rows = np.flatnonzero((self.trace_candidate == candidate) & (self.trace_state >= 0))
        return rows[self.playable[self.trace_state[rows]]]

    @cached_property
    def probabilities(self) -> ActionMatrix:
        return action_matrix(self.frame("trace"), "probabilities", self.actions)

    @cached_property
    def trace_legal(self) -> ActionLists:
        """The legal actions that each policy was given."""
        return action_lists(self.frame("trace"), "legal", self.actions)

    @cached_property
    def anchor_traces(self) -> Index:
        """The anchor's trace at every observed state; -1 where none or several."""
        if self.anchor is None:
            return np.full(len(self.states), -1, np.int64)
        return self.by_state("trace", np.flatnonzero(self.trace_candidate == self.anchor))

    @cached_property
    def score_of_trace(self) -> Index:
        """The score of each trace; -1 where there is none, -2 where there are several."""
        traces, scores = self.frame("trace"), self.frame("score")
        left, right = _shared_codes(traces, scores)
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

    # Weights and scores

    @cached_property
    def checkpoints(self) -> dict[str, Checkpoint]:
        """The weights in the bundle, by the content digest that candidates name."""
        return {
            document_digest(document.value): Checkpoint(document) for document in self.bundle.documents_of("checkpoint")
        }

    def gate_weights(self, family: str | None) -> Checkpoint | None:
        """The weights of a learned gate, where exactly one checkpoint of the family has them."""
        gates = [
            checkpoint
            for checkpoint in self.checkpoints.values()
            if checkpoint.family == family and checkpoint.document.value.get("gate")
        ]
        return gates[0] if len(gates) == 1 else None

    def checkpoint_of(self, candidate: Candidate) -> Checkpoint | None:
        """The weights of a candidate, where they are in the bundle."""
        return self.checkpoints.get(candidate.checkpoint_sha256 or "")

    @cached_property
    def scored(self) -> Scored:
        """Every trace under the declared evaluators and threshold; `score` records are not read."""
        utility, risk = self.evaluator(self.declared.evaluators.utility), self.evaluator(self.declared.evaluators.risk)
        return score_traces(self, np.flatnonzero(self.trace_candidate >= 0), utility, risk, exact(self.declared.tau))


@dataclass(frozen=True)
class Scored:
    """Scores of traces, recomputed from stored distributions and action values."""

    rows: Index
    """Rows of the trace frame, whose state, anchor and action values are all there."""
    weak: Vector
    strong: Vector
    delta: Vector
    crossed: Mask


def score_traces(study: Study, rows: Index, utility: Matrix, risk: Matrix, tau: Fraction) -> Scored:
    """Scores those of the given traces that can be scored, with action values by observed state."""
    matrix, anchors = study.probabilities, study.anchor_traces
    usable = study.playable & (anchors >= 0) & np.isfinite(utility).all(axis=1) & np.isfinite(risk).all(axis=1)
    rows = rows[(study.trace_state[rows] >= 0) & ~matrix.unknown[rows]]
    rows = rows[usable[study.trace_state[rows]]]
    weak, strong, delta = np.empty(len(rows)), np.empty(len(rows)), np.empty(len(rows))
    crossed = np.zeros(len(rows), np.bool_)
    # Blocks keep the working set small however many traces there are.
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        states = study.trace_state[rows[block]]
        policy, base = matrix.values[rows[block]], matrix.values[anchors[states]]
        weak[block] = scores.expected_utility(policy, utility[states])
        strong[block] = scores.expected_utility(policy, risk[states])
        found = thresholds.crossings(policy, base, risk[states], tau)
        delta[block], crossed[block] = found.delta, found.crossed
    return Scored(rows, weak, strong, delta, crossed)


_BLOCK = 2**17


def _shared_codes(left: Frame, right: Frame) -> tuple[Index, Index]:
    """Integers for the keys of two frames of the same key fields, equal where keys are equal."""
    key = KINDS[left.kind].key
    coded = [pa.table({name: _coded(frame.table.column(name)) for name in key}) for frame in (left, right)]
    codes = combined_codes(pa.concat_tables(coded).unify_dictionaries(), key)
    return codes[: left.size], codes[left.size :]


def _coded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def aligned(matrix: ActionMatrix, rows: Index) -> Matrix:
    """Rows of a matrix by state; NaN where a state has no row or names an unknown action."""
    if not len(matrix.values):
        return np.full((len(rows), matrix.values.shape[1]), np.nan)
    good, values = (rows >= 0) & ~matrix.unknown[rows], some_rows(matrix.values, rows)
    return values if good.all() else np.where(good[:, None], values, np.nan)
