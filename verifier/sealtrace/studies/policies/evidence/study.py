"""The evidence of a bundle as columns that join: what every check reads.

Rows join through the observed states. A key that is missing or stands twice joins nothing (-1), so a
check sees only rows whose partners are certain; the join checks report the others.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from sealtrace.bundle.content import combined_codes, document_digest
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
from sealtrace.bundle.model import Document
from sealtrace.contract.kinds import KINDS
from sealtrace.contract.scalars import exact
from sealtrace.evidence import Evidence, once
from sealtrace.mathematics import networks
from sealtrace.mathematics.exact import as_double, row_products, scaled
from sealtrace.studies.policies.evidence.features import Feature, observed_fields
from sealtrace.studies.policies.mathematics import policies, scores, thresholds
from sealtrace.studies.policies.records.policies import Affine
from sealtrace.studies.policies.records.protocol import PolicyProtocol


@dataclass(frozen=True)
class Candidate:
    """One row of the bank."""

    row: int
    arm: str
    scale: str | None
    policy: str
    interface: str
    direction: dict[str, Any] | None
    family: str | None
    family_index: int | None
    normalization: str
    checkpoint: str | None
    splits: list[str] | None

    @property
    def name(self) -> str:
        """Arm and scale, as people write them."""
        return self.arm if self.scale is None else f"{self.arm}@{self.scale}"

    @property
    def rules(self) -> dict[str, Affine]:
        """The residual direction of a fixed rule, by action; empty where there is none."""
        return {
            action: Affine.model_construct(constant=rule["constant"], terms=dict(rule["terms"] or ()))
            for action, rule in (self.direction or {}).items()
        }


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The frozen weights of a learned family."""

    document: Document

    def problem(self, study: Study) -> tuple[str, str, str] | None:
        """(pointer, expected, found) where the weights cannot be run on the study's features; None where they can."""
        value = self.document.value
        for place, name in enumerate(value["features"]):
            if name not in study.declared.features:
                return f"/features/{place}", "a declared feature", name
        if value["actions"] != study.actions:
            return "/actions", ", ".join(study.actions), ", ".join(value["actions"])
        for head, outputs in (("residual", len(study.actions)), ("base", len(study.actions)), ("gate", 1)):
            wrong = networks.misfit(value[head], len(value["features"]), outputs) if value.get(head) else None
            if wrong is not None:
                return f"/{head}{wrong[0]}", wrong[1], wrong[2]
        return None

    def direction(self, study: Study) -> Matrix | None:
        """The residual direction at every observed state, from observations alone."""
        return _network_outputs(study, self, "residual")

    def base(self, study: Study) -> Matrix | None:
        """The logits of the family's own base policy; None where it has none."""
        return _network_outputs(study, self, "base")

    def gate(self, study: Study) -> Matrix | None:
        """The score of a learned gate, one column; None where there is none."""
        return _network_outputs(study, self, "gate")


@once
def _network_outputs(study: Study, checkpoint: Checkpoint, head: str) -> Matrix | None:
    """One head of the network at every observed state, for all scales of a family."""
    value = checkpoint.document.value
    if not value.get(head) or checkpoint.problem(study) is not None:
        return None
    inputs = np.column_stack([study.feature(name) for name in value["features"]])
    return networks.forward(inputs, networks.layers_of(value[head]))


@dataclass(frozen=True)
class Replay:
    """A candidate's distribution at every observed state, recomputed."""

    probabilities: Matrix
    normalizers: Vector | None
    """None where nothing is normalized."""


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
        frame = self.frame("candidate")
        return [
            Candidate(
                row,
                record["arm"],
                record["scale"],
                record["policy"],
                record["interface"],
                record["direction"],
                record["family"],
                record["family_index"],
                record["normalization"],
                record["checkpoint_sha256"],
                record["splits"],
            )
            for row, record in enumerate(frame.table.to_pylist(maps_as_pydicts="lossy"))
        ]

    @cached_property
    def anchor(self) -> int | None:
        """The bank's anchor, where there is exactly one."""
        anchors = [index for index, one in enumerate(self.candidates) if one.policy == "anchor"]
        return anchors[0] if len(anchors) == 1 else None

    @property
    def anchor_name(self) -> str:
        """The anchor as the bank writes it."""
        return "anchor" if self.anchor is None else self.candidates[self.anchor].name

    # States

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
        codes, names = self.frame("observation").texts("split")
        for declared in self.declared.splits:
            if split not in (None, declared.name):
                continue
            inside = codes == (names.index(declared.name) if declared.name in names else -2)
            if int(inside.sum()) != declared.states:
                return f"{declared.name} holds {int(inside.sum())} states and declares {declared.states}"
            if (self._ambiguous_states & inside).any() or not self.playable[inside].all():
                return f"a state of {declared.name} is there twice, or has no usable legal actions"
        return None

    @once
    def sound(self, kind: str) -> Mask:
        """Rows that join one playable state, name its split and, where they name actions, its legal actions."""
        frame, states = self.frame(kind), self.state_of(kind)
        good = states >= 0
        good[good] &= self.playable[states[good]]
        observed, names = self.frame("observation").texts("split")
        codes, texts = frame.texts("split")
        place = np.array([names.index(text) if text in names else -2 for text in texts] or [-2])
        good[good] &= place[codes[good]] == observed[states[good]]
        for field in {"trace": ("legal",), "teacher": ("distribution", "values"), "values": ("values",)}.get(kind, ()):
            lists = action_lists if field == "legal" else action_matrix
            named = lists(frame, field, self.actions)
            there = good & frame.table.column(field).is_valid().to_numpy()
            rows = slice(None) if there.all() else np.flatnonzero(there)
            legal = some_rows(self.legal.named, states[rows])
            good[rows] &= ~named.unknown[rows] & (named.named[rows] == legal).all(axis=1)
        return good

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
        return np.full(frame.size, np.nan) if rule is None else Feature(rule).of_each(frame)

    def exact_feature(self, name: str, state: int) -> Fraction:
        """The same at one state with nothing rounded, where it can be computed."""
        return Feature(self.declared.features[name]).of_one(self.frame("observation"), state)

    def affine_terms(self, rules: dict[str, Affine]) -> tuple[Vector, Matrix, list[str]]:
        """Affine rules by action as numbers: constants, weights by feature, and the features' names."""
        known = [rules.get(action) for action in self.actions]
        terms = [{} if rule is None else rule.terms or {} for rule in known]
        names = sorted({name for one in terms for name in one})
        constants = np.array([np.nan if rule is None else as_double(exact(rule.constant)) for rule in known])
        weights = np.array([[as_double(exact(one.get(name, "0"))) for one in terms] for name in names])
        return constants, weights.reshape(len(names), len(self.actions)), names

    def affine(self, rules: dict[str, Affine]) -> Matrix:
        """Affine rules by action, at every observed state; NaN for an action without a rule."""
        constants, weights, names = self.affine_terms(rules)
        return policies.affine(constants, weights, [self.feature(name) for name in names], len(self.states))

    # Teacher and values, by state

    @cached_property
    def teacher(self) -> Matrix:
        """The cached teacher distribution of every observed state; NaN where there is none."""
        matrix = action_matrix(self.frame("teacher"), "distribution", self.actions)
        return _aligned(matrix, self.by_state("teacher", np.flatnonzero(self.sound("teacher"))))

    @once
    def evaluator(self, name: str) -> Matrix:
        """The action values of an evaluator at every observed state; NaN where a legal action has none."""
        frame = self.frame("values")
        codes, texts = frame.texts("evaluator")
        wanted = texts.index(name) if name in texts else -2
        rows = np.flatnonzero((codes == wanted) & self.sound("values"))
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
        """The candidate of each trace; -1 where the bank has none or several."""
        return self._candidates_of("trace")

    def candidate_of(self, kind: str) -> Index:
        """The candidate of each row of a kind."""
        return self.trace_candidate if kind == "trace" else self._candidates_of(kind)

    def _candidates_of(self, kind: str) -> Index:
        frame = self.frame(kind)
        arms, arm_texts = frame.texts("arm")
        scales, scale_texts = frame.texts("scale")
        places = np.full((len(arm_texts), len(scale_texts) + 1), -1, np.int64)
        seen: dict[tuple[str, str | None], int] = {}
        for index, one in enumerate(self.candidates):
            key = (one.arm, one.scale)
            seen[key] = -1 if key in seen else index
        for (arm, scale), index in seen.items():
            if arm in arm_texts and (scale is None or scale in scale_texts):
                column = len(scale_texts) if scale is None else scale_texts.index(scale)
                places[arm_texts.index(arm), column] = index
        if not frame.size:
            return np.zeros(0, np.int64)
        return np.where(arms >= 0, places[arms, scales], -1)

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

    def charged(self, quantity: str, traces: Index) -> Fraction:
        """What the ledgers of some traces charge together, exactly.

        A stored double that is the nearest one to its event's declared charge stands for the declared decimal.
        """
        ledger = self.frame("trace").column("ledger")
        offsets = ledger.offsets.to_numpy().astype(np.int64)
        lengths = np.diff(offsets)[traces]
        # The items of each trace: its first item, and as many after it as its ledger has.
        ends = np.cumsum(lengths)
        items = np.arange(ends[-1] if len(ends) else 0) + np.repeat(offsets[traces] - ends + lengths, lengths)
        events = ledger.values.field("event")
        events = events if pa.types.is_dictionary(events.type) else events.dictionary_encode()
        codes = events.indices.to_numpy()[items]
        stored = ledger.values.field(quantity).to_numpy(zero_copy_only=False)[items].astype(np.float64)
        total = Fraction(0)
        for code in np.unique(codes).tolist():
            charge = self.declared.charges.get(events.dictionary[code].as_py(), {}).get(quantity)
            declared = None if charge is None else Fraction(charge)
            amounts, times = np.unique(stored[codes == code], return_counts=True)
            usual = np.full(len(amounts), False) if declared is None else amounts == as_double(declared)
            total += (declared or 0) * int(times[usual].sum())
            total += scaled(*row_products(amounts[None, ~usual], times[None, ~usual].astype(np.float64)))
        return total

    # Recomputation

    @once
    def replay(self, place: int) -> Replay | None:
        """A candidate's distributions from what it may see, or None where the bank does not say how."""
        candidate, legal = self.candidates[place], self.legal.named
        match candidate.policy:
            case "top-action":
                top = policies.top_action(self.teacher, legal)
                # argmax takes NaN for the largest, so a state without a teacher is said to have none.
                known = np.asarray(np.isfinite(self.teacher).all(axis=1))
                mass = policies.point_mass(np.where(known, top, -1), len(self.actions))
                return Replay(np.where(known[:, None], mass, np.nan), None)
            case "anchor":
                return Replay(self.smoothed_teacher, None)
            case "tilt":
                if candidate.scale is None:
                    return None
                scale = as_double(exact(candidate.scale))
                if scale == 0:
                    return Replay(self.smoothed_teacher, None)
                return self._tilted(candidate, self.smoothed_teacher, scale)
            case "student":
                checkpoint = self.checkpoint_of(candidate)
                if candidate.scale is None or checkpoint is None or (logits := checkpoint.base(self)) is None:
                    return None
                base = policies.shifted_exponential(logits, legal)
                scale = as_double(exact(candidate.scale))
                if scale == 0:
                    return Replay(policies.normalized(base), policies.normalizers(base))
                return self._tilted(candidate, policies.normalized(base), scale)
            case _:
                weights = self.prior_weights
                return Replay(policies.normalized(weights), policies.normalizers(weights))

    def _tilted(self, candidate: Candidate, base: Matrix, scale: float) -> Replay | None:
        direction = self.direction_of(candidate)
        if direction is None:
            return None
        weights = policies.tilt_weights(base, direction, scale, self.legal.named)
        return Replay(policies.normalized(weights), policies.normalizers(weights))

    def direction_of(self, candidate: Candidate) -> Matrix | None:
        """A residual direction at every observed state: from its rule, its weights, or as sealed."""
        if candidate.direction is not None:
            return self.affine(candidate.rules) if set(self.actions) <= set(candidate.direction) else None
        if (checkpoint := self.checkpoint_of(candidate)) is not None:
            return checkpoint.direction(self)
        return self.sealed_directions(candidate.family)

    def sealed_directions(self, family: str | None) -> Matrix | None:
        """The sealed directions of a family by state, NaN where there is none; None where it has none at all."""
        frame = self.frame("residual")
        codes, texts = frame.texts("family")
        if family is None or family not in texts:
            return None
        rows = self.by_state("residual", np.flatnonzero(codes == texts.index(family)))
        return _aligned(action_matrix(frame, "direction", self.actions), rows)

    @cached_property
    def checkpoints(self) -> dict[str, Checkpoint]:
        """The weights in the bundle, by the content digest that candidates name."""
        return {
            document_digest(document.value): Checkpoint(document) for document in self.bundle.documents_of("checkpoint")
        }

    def gate_weights(self, family: str | None) -> Checkpoint | None:
        """The weights of a learned gate, where exactly one checkpoint of the family has them."""
        found = [one for one in self.checkpoints.values() if one.document.value["family"] == family]
        gates = [one for one in found if one.document.value.get("gate")]
        return gates[0] if len(gates) == 1 else None

    def checkpoint_of(self, candidate: Candidate) -> Checkpoint | None:
        """The weights of a candidate, where they are in the bundle."""
        return None if candidate.checkpoint is None else self.checkpoints.get(candidate.checkpoint)

    @cached_property
    def smoothed_teacher(self) -> Matrix:
        """The anchor, recomputed from the cached teacher at every observed state."""
        return self.smoothed(slice(None))

    def smoothed(self, states: slice) -> Matrix:
        """The same at some of them."""
        rule, legal = self.declared.anchor, self.legal.named[states]
        if rule is None:
            return np.full(legal.shape, np.nan)
        return policies.anchor(
            self.teacher[states], legal, as_double(exact(rule.teacher)), as_double(exact(rule.uniform))
        )

    @cached_property
    def prior_weights(self) -> Matrix:
        """The prior of the query policy, before normalization."""
        prior = self.declared.prior
        if prior is None:
            return np.full(self.legal.named.shape, np.nan)
        return policies.prior_weights(self.affine(prior.logits), self.legal.named, as_double(exact(prior.floor)))

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
    exactly: int
    """How many crossings needed rational arithmetic."""


def score_traces(study: Study, rows: Index, utility: Matrix, risk: Matrix, tau: Fraction) -> Scored:
    """Scores those of the given traces that can be scored, with action values by observed state."""
    matrix, anchors = study.probabilities, study.anchor_traces
    usable = study.playable & (anchors >= 0) & np.isfinite(utility).all(axis=1) & np.isfinite(risk).all(axis=1)
    rows = rows[(study.trace_state[rows] >= 0) & ~matrix.unknown[rows]]
    rows = rows[usable[study.trace_state[rows]]]
    weak, strong, delta = np.empty(len(rows)), np.empty(len(rows)), np.empty(len(rows))
    crossed = np.zeros(len(rows), np.bool_)
    exactly = 0
    # Blocks keep the working set small however many traces there are.
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        states = study.trace_state[rows[block]]
        policy, base = matrix.values[rows[block]], matrix.values[anchors[states]]
        weak[block] = scores.expected_utility(policy, utility[states])
        strong[block] = scores.expected_utility(policy, risk[states])
        found = thresholds.crossings(policy, base, risk[states], tau)
        delta[block], crossed[block] = found.delta, found.crossed
        exactly += found.exactly
    return Scored(rows, weak, strong, delta, crossed, exactly)


_BLOCK = 2**17


def _shared_codes(left: Frame, right: Frame) -> tuple[Index, Index]:
    """Integers for the keys of two frames of the same key fields, equal where keys are equal."""
    key = KINDS[left.kind].key
    coded = [pa.table({name: _coded(frame.table.column(name)) for name in key}) for frame in (left, right)]
    codes = combined_codes(pa.concat_tables(coded).unify_dictionaries(), key)
    return codes[: left.size], codes[left.size :]


def _coded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _aligned(matrix: ActionMatrix, rows: Index) -> Matrix:
    """Rows of a matrix by state; NaN where a state has no row or names an unknown action."""
    if not len(matrix.values):
        return np.full((len(rows), matrix.values.shape[1]), np.nan)
    good, values = (rows >= 0) & ~matrix.unknown[rows], some_rows(matrix.values, rows)
    return values if good.all() else np.where(good[:, None], values, np.nan)
