"""The declared protocol as code reads it: typed, whole, and empty where a study leaves something out."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from sealtrace.studies.policies.records.protocol import (
    ChargeRule,
    Evaluators,
    Feature,
    PartitionClass,
    Protocol,
    Selector,
    Split,
    Ties,
    Tolerances,
    Variant,
)


class PolicyProtocol(Protocol):
    """What a study of policies declares. Fields without a default are there wherever a check of policies runs."""

    actions: list[str] = Field([])
    splits: list[Split] = Field([])
    tau: str
    scale_grid: list[str]
    evaluators: Evaluators
    features: dict[str, Feature] = Field({})
    charges: dict[str, ChargeRule] = Field({})
    interfaces: dict[str, list[str]] = Field({})
    selectors: list[Selector] = Field([])
    ties: Ties
    tolerances: Tolerances
    partition_classes: dict[str, PartitionClass] = Field({})
    variants: dict[str, Variant] = Field({})

    @property
    def deployed(self) -> str | None:
        """The partition whose groups calibration and held-out traces carry."""
        return None if self.certification is None else self.certification.partition

    @property
    def choosing(self) -> list[Selector]:
        """The selectors that choose in the groups of a partition."""
        return [one for one in self.selectors if one.partition]


def declared_by(document: dict[str, Any] | None) -> PolicyProtocol:
    """A protocol that fits its schema; empty where there is none."""
    fields = {} if document is None else dict(Protocol.model_validate(document))
    return PolicyProtocol.model_construct(**{name: value for name, value in fields.items() if value is not None})
