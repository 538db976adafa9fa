"""What a record kind is: its form, its key, and the stages that may seal it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

STAGES = ("declare", "bank", "structure", "trace", "calibrate", "select", "replay", "report")
"""The freeze stages in their only order."""


class Form(StrEnum):
    """How the records of a kind lie in a file."""

    DOCUMENT = "document"
    """One JSON object."""
    ROWS = "rows"
    """JSON lines or Parquet."""
    BYTES = "bytes"
    """Kept and hashed, not parsed."""


@dataclass(frozen=True)
class Opening:
    """A place of a row whose fields a protocol may declare; where it declares none, they are the model's."""

    section: str
    """The protocol's section: field to JSON Schema."""
    kept: tuple[str, ...]
    """The fields that are there under every protocol."""
    at: str = ""
    """The field, a list of objects, that holds them; empty for the row itself."""


@dataclass(frozen=True)
class Kind:
    """One record kind of the contract."""

    name: str
    form: Form
    model: str
    """`module:Class`, imported when first needed; empty for bytes."""
    key: tuple[str, ...] = ()
    """The fields that identify a row."""
    stages: tuple[tuple[str, str], ...] = ()
    """(stage, role) pairs that may seal it; role `*` for any, or for files without a split."""
    open: tuple[Opening, ...] = ()
    """Where its fields are the protocol's to declare."""


def any_role(*stages: str) -> tuple[tuple[str, str], ...]:
    """Stages that may seal a kind whatever split it holds."""
    return tuple((stage, "*") for stage in stages)
