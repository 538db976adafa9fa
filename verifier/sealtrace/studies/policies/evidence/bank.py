"""The bank: its candidates, the frozen weights of those that were learned, and the features that they compute with."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sealtrace.bundle.frames import Frame, Matrix, Vector
from sealtrace.bundle.model import Document
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics import networks
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.records import policies as records
from sealtrace.studies.policies.records.protocol import Feature

if TYPE_CHECKING:
    from sealtrace.studies.policies.evidence.study import Study


class Candidate(records.Candidate):
    """One row of the bank."""

    row: int

    @classmethod
    def of(cls, row: int, record: dict[str, Any]) -> Candidate:
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
class Checkpoint:
    """The frozen weights of a learned family."""

    document: Document

    @property
    def family(self) -> str:
        return str(self.document.value["family"])

    def misfit(self, study: Study) -> tuple[str, str, str] | None:
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


@once
def network_outputs(study: Study, checkpoint: Checkpoint, head: str) -> Matrix | None:
    """A head of the network at every observed state: residual direction, base policy's logits, or gate's score.

    They follow from observations alone, and serve all scales of a family. None where the network has no such head.
    """
    value = checkpoint.document.value
    if not value.get(head) or checkpoint.misfit(study) is not None:
        return None
    inputs = np.column_stack([study.feature(name) for name in value["features"]])
    return networks.forward(inputs, networks.layers_of(value[head]))


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
