"""Rows that may not be redistributed: a tree of their hashes is sealed in their place."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sealtrace.contract.scalars import Count, Name, Record, Sha256, Text, example


class Tree(Record):
    """A Merkle tree over withheld rows. Any of them can be shown later to be what was sealed."""

    sealtrace: Literal["1"] = Field(description="Version of the bundle format.")
    name: Name = Field(description="The tree's name, by which disclosures refer to it.")
    kind: Name = Field(description="The record kind of the withheld rows.")
    hash: Literal["sha256-rfc6962"] = Field(description="How leaves and nodes are hashed.")
    leaves: Count = Field(description="How many rows there are.")
    root_sha256: Sha256 = Field(description="The tree's root.")
    reason: Text | None = Field(None, description="Why the rows are withheld.")

    model_config = example("""{
        "sealtrace": "1", "name": "answers", "kind": "prediction", "hash": "sha256-rfc6962", "leaves": 1000,
        "root_sha256": "0000000000000000000000000000000000000000000000000000000000000000",
        "reason": "The questions are under licence."
    }""")
