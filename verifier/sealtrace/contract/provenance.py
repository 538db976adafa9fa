"""Where records come from: archived originals and training or evaluation runs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sealtrace.contract.scalars import Count, Exact, Name, Record, Sha256, Text, example


class Source(Record):
    """An archived original. Its bytes must still have the hash that they had when they were archived."""

    path: Name = Field(description="The attachment, relative to the bundle.")
    role: Literal["original", "code", "environment"] = Field(description="What it is.")
    bytes: Count = Field(description="Its original length.")
    sha256: Sha256 = Field(description="Its original hash.")
    description: Text | None = Field(None, description="What it is, for readers.")

    model_config = example("""{
        "path": "declare/attachments/recipe.py", "role": "code", "bytes": 1024,
        "sha256": "0000000000000000000000000000000000000000000000000000000000000000"
    }""")


class Run(Record):
    """One training or evaluation run. Its three kinds of seed live apart."""

    run: Name = Field(description="The run's name.")
    arm: Name = Field(description="The policy arm.")
    training_seed: Count | None = Field(None, description="Seed of training.")
    evaluation_seed: Count | None = Field(None, description="Seed of evaluation.")
    resampling_seed: Count | None = Field(None, description="Seed of resampling.")
    data_order: Text | None = Field(None, description="How training data were ordered.")
    checkpoint_sha256: Sha256 | None = Field(None, description="The resulting checkpoint.")
    checkpoint_rule: Text | None = Field(None, description="How the checkpoint was chosen.")
    settings: dict[Name, Exact] | None = Field(None, description="Numeric settings, exact.")

    model_config = example('{"run": "rsd-s17", "arm": "residual", "training_seed": 17, "settings": {"batch": "32"}}')
