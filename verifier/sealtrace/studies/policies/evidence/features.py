"""Declared features of an observation: in doubles for all states, and exactly for one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from sealtrace.bundle.frames import Frame, Vector
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.records.protocol import Feature as FeatureRule

_IDENTITY = frozenset({"state", "split", "block", "legal"})


def observed_fields(schema: pa.Schema) -> frozenset[str]:
    """What a policy may compute with: never a state's id, split or block."""
    return frozenset(schema.names) - _IDENTITY


@dataclass(frozen=True)
class Feature:
    """One rule of the protocol: a lookup of a text or of a list's first text, a number, or one cut off at a cap."""

    rule: FeatureRule

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
