"""The bank: its candidates, the frozen weights of those that were learned, and the features that they compute with."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sealtrace.bundle.content import document_digest
from sealtrace.bundle.encoding import arrow_array
from sealtrace.bundle.frames import Frame, Index, Vector
from sealtrace.bundle.model import TypedDocument
from sealtrace.contract.scalars import exact
from sealtrace.evidence import View, once
from sealtrace.mathematics import networks
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.records import policies as records
from sealtrace.studies.policies.records.certification import Assigned
from sealtrace.studies.policies.records.protocol import Feature, PolicyProtocol

Verdict = Literal["selected", "no-certified-candidate"]
"""What a rule gives in a group."""


class BankCandidate(records.CandidateRecord):
    """One row of the bank."""

    row: int

    @classmethod
    def of(cls, row: int, record: dict[str, Any]) -> BankCandidate:
        """What a row says that fits its schema."""
        rules = {
            action: records.Affine.model_construct(constant=rule["constant"], terms=dict(rule["terms"] or ()))
            for action, rule in (record["direction"] or {}).items()
        }
        direction = None if record["direction"] is None else rules
        return cls.model_construct(**{**record, "row": row, "direction": direction})

    @property
    def name(self) -> str:
        """Arm and scale, as people write them."""
        return self.arm if self.scale is None else f"{self.arm}@{self.scale}"

    @property
    def exact_scale(self) -> Fraction | None:
        """The scale as a number; None where the arm has none."""
        return None if self.scale is None else exact(self.scale)


@dataclass(frozen=True, eq=False)
class FrozenWeights:
    """The frozen weights of a learned family."""

    document: TypedDocument[records.Checkpoint]

    @property
    def family(self) -> str:
        return self.document.record.family

    def head(self, name: str) -> list[records.Layer] | None:
        """The layers of a head: `residual`, `base` or `gate`; None where the network has no such head."""
        record = self.document.record
        return {"residual": record.residual, "base": record.base, "gate": record.gate}[name] or None

    def misfit(self, bank: Bank) -> tuple[str, str, str] | None:
        """(pointer, expected, found) where the weights cannot be run on the study's features; None where they can."""
        record = self.document.record
        for place, name in enumerate(record.features):
            if name not in bank.declared.features:
                return f"/features/{place}", "a declared feature", name
        if record.actions != bank.actions:
            return "/actions", ", ".join(bank.actions), ", ".join(record.actions)
        for head, outputs in (("residual", len(bank.actions)), ("base", len(bank.actions)), ("gate", 1)):
            layers = self.head(head)
            wrong = networks.misfit(layers, len(record.features), outputs) if layers else None
            if wrong is not None:
                return f"/{head}{wrong[0]}", wrong[1], wrong[2]
        return None


class Bank(View):
    """What was declared before any state was seen: the protocol, the candidates and their frozen weights."""

    @cached_property
    def declared(self) -> PolicyProtocol:
        """The protocol, typed."""
        return PolicyProtocol.of(self.evidence.protocol)

    @cached_property
    def actions(self) -> list[str]:
        longest = max((store.count for store in self.bundle.stores), default=0)
        self.evidence.require_memory("rows x actions", longest, len(self.declared.actions), width=9)
        return self.declared.actions

    @cached_property
    def tolerance(self) -> float:
        return as_double(exact(self.declared.tolerances.replay))

    @cached_property
    def candidates(self) -> list[BankCandidate]:
        rows = self.frame("candidate").table.to_pylist(maps_as_pydicts="lossy")
        return [BankCandidate.of(row, record) for row, record in enumerate(rows)]

    def candidate_at(self, arm: str | None, scale: str | Fraction | None) -> int | None:
        """The candidate of an arm and a scale, which are compared as numbers; None where the bank has none."""
        return self._candidate_places.get((arm or "", exact(scale) if isinstance(scale, str) else scale))

    def assigned(self, record: Assigned) -> tuple[str, str, Verdict]:
        """What a record assigns to a group: the group, the candidate as the bank writes it, and what the rule gave."""
        arm, scale = record.arm, record.scale
        name = f"{arm if scale is None else f'{arm}@{scale}'} (not in the bank)"
        if (place := self.candidate_at(arm, scale)) is not None:
            name = self.candidates[place].name
        return record.group, name, record.outcome

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
        # In the order of the tie rule (section 3.4), which then takes the first of equals everywhere.
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

    @property
    def roles(self) -> dict[str, str]:
        """Split name to role."""
        return self.evidence.roles

    def splits_of(self, role: str) -> list[str]:
        """The declared splits of a role."""
        return [split for split, declared in self.roles.items() if declared == role]

    @property
    def structure_split(self) -> str | None:
        """The one split that partitions are learned on."""
        splits = self.splits_of("structure")
        return splits[0] if len(splits) == 1 else None

    def candidate_of(self, frame: Frame) -> Index:
        """The candidate of each row; -1 where the bank has none or several."""
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

    @cached_property
    def checkpoints(self) -> dict[str, FrozenWeights]:
        """The weights in the bundle, by the content digest that candidates name."""
        return {
            document_digest(document.value): FrozenWeights(document)
            for document in self.bundle.sealed(records.Checkpoint)
        }

    def gate_weights(self, family: str | None) -> FrozenWeights | None:
        """The weights of a learned gate, where exactly one checkpoint of the family has them."""
        gates = [
            checkpoint
            for checkpoint in self.checkpoints.values()
            if checkpoint.family == family and checkpoint.head("gate")
        ]
        return gates[0] if len(gates) == 1 else None

    def checkpoint_of(self, candidate: BankCandidate) -> FrozenWeights | None:
        """The weights of a candidate, where they are in the bundle."""
        return self.checkpoints.get(candidate.checkpoint_sha256 or "")


# Declared features of an observation: in doubles for all states, and exactly for one

_IDENTITY = frozenset({"state", "split", "block", "legal"})


def observed_fields(schema: pa.Schema) -> frozenset[str]:
    """What a policy may compute with: never a state's id, split or block."""
    return frozenset(schema.names) - _IDENTITY


@dataclass(frozen=True)
class ObservedFeature:
    """One rule of the protocol: a lookup of a text or of a list's first text, a number, or one cut off at a cap."""

    rule: Feature

    def of_each(self, frame: Frame) -> Vector:
        """The feature of every observation; NaN where it cannot be computed."""
        if not self.fits(frame.table.schema):
            return np.full(frame.size, np.nan)
        field, form = self.rule.field, self.rule.form
        if form in ("lookup", "first-lookup"):
            table = {text: as_double(exact(value)) for text, value in (self.rule.table or {}).items()}
            codes, texts = frame.texts(field) if form == "lookup" else frame.first_texts(field)
            values: Vector = np.array([*(table.get(text, np.nan) for text in texts), np.nan])
            return values[codes]
        if form == "capped-length":
            column = frame.column(field)
            absent = column.is_null().to_numpy(zero_copy_only=False)
            sizes: Vector = np.where(absent, np.nan, np.diff(column.offsets.to_numpy()))
        else:
            sizes = frame.numbers(field)
        if form in ("number", "flag"):
            return sizes
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.minimum(1.0, sizes / as_double(exact(self.rule.cap or "0")))

    def of_one(self, frame: Frame, row: int) -> Fraction:
        """The feature of one observation with nothing rounded, where it can be computed."""
        value = frame.column(self.rule.field)[row].as_py()
        table = self.rule.table or {}
        match self.rule.form:
            case "lookup":
                return exact(table[value])
            case "first-lookup":
                return exact(table[value[0]])
            case "number" | "flag":
                return Fraction(value)
            case form:
                size = Fraction(len(value) if form == "capped-length" else value)
                return min(Fraction(1), size / exact(self.rule.cap or "0"))

    def fits(self, schema: pa.Schema) -> bool:
        """Whether an observation's field can give a feature of this form."""
        field, form = self.rule.field, self.rule.form
        if field not in observed_fields(schema):
            return False
        kind = schema.field(field).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if "lookup" in form:
            return bool(self.rule.table) and (pa.types.is_string if form == "lookup" else pa.types.is_list)(kind)
        if form.startswith("capped") and exact(self.rule.cap or "0") <= 0:
            return False
        if form in ("capped-length", "flag"):
            return bool((pa.types.is_list if form == "capped-length" else pa.types.is_boolean)(kind))
        return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))
