"""Every record kind: the engine's own, and those of the study packs.

This module knows no pydantic, so that reading and hashing a bundle does not pay for the models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealtrace.contract.packs import STAGES, Form, Kind, any_role, loaded, packs, stages_due

if TYPE_CHECKING:
    from sealtrace.contract.scalars import Record

__all__ = ["KINDS", "SCHEMA_KINDS", "STAGES", "Form", "Kind", "kind_of", "may_seal", "model_of", "stages_due"]

_HERE = "sealtrace.contract"
_LATE = any_role("report")

_ENGINE = (
    Kind("protocol", Form.DOCUMENT, "sealtrace.studies.policies.records.protocol:Protocol", stages=any_role("declare")),
    Kind("source", Form.ROWS, f"{_HERE}.sealing:Source", ("path",), any_role(*STAGES)),
    Kind("tree", Form.DOCUMENT, f"{_HERE}.sealing:Tree", stages=any_role(*STAGES)),
    Kind("names", Form.DOCUMENT, f"{_HERE}.printed:PrintedNames", stages=any_role("declare")),
    Kind("table", Form.DOCUMENT, f"{_HERE}.printed:PrintedTable", stages=_LATE),
    Kind("queries", Form.DOCUMENT, f"{_HERE}.printed:SharedQueries", stages=_LATE),
    Kind("relation", Form.ROWS, f"{_HERE}.printed:Relation", ("relation",), _LATE),
    Kind("claims", Form.DOCUMENT, f"{_HERE}.claims:Claims", stages=_LATE),
    Kind("manuscript", Form.BYTES, "", stages=_LATE),
    Kind("attachment", Form.BYTES, "", stages=any_role(*STAGES)),
    Kind("seal", Form.DOCUMENT, f"{_HERE}.sealing:Seal", stages=any_role(*STAGES)),
    Kind("manifest", Form.DOCUMENT, f"{_HERE}.sealing:Manifest"),
    Kind("result", Form.DOCUMENT, f"{_HERE}.result:Result"),
)

KINDS: dict[str, Kind] = {kind.name: kind for kinds in (_ENGINE, *(pack.kinds for pack in packs())) for kind in kinds}

SCHEMA_KINDS = tuple(name for name, kind in KINDS.items() if kind.model)
"""The kinds that have a published schema."""


def model_of(kind: str) -> type[Record]:
    model: type[Record] = loaded(KINDS[kind].model)
    return model


def kind_of(model: type[Record]) -> str:
    return _DESCRIBED[f"{model.__module__}:{model.__qualname__}"]


_DESCRIBED = {kind.model: name for name, kind in KINDS.items()}


def may_seal(kind: str, stage: str, role: str | None) -> bool:
    """Whether a stage may hold a file of this kind for this role."""
    return any(stage == allowed and (needed == "*" or needed == role) for allowed, needed in KINDS[kind].stages)
