"""The manifest and the seals: which bytes a bundle is, and in what order they were frozen.

And what is sealed beside results: archived originals, runs, rows that are withheld, and declarations of datasets.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sealtrace.contract.scalars import Condition, Count, Exact, Name, Record, Sha256, Text, example

Stage = Literal["declare", "bank", "structure", "trace", "calibrate", "select", "replay", "report"]
Format = Literal["json", "jsonl", "parquet", "csv", "bytes"]


class Entry(Record):
    """One file of a bundle."""

    path: Name = Field(description="Path relative to the bundle, with forward slashes.")
    kind: Name = Field(description="The record kind.")
    stage: Stage = Field(description="The stage that sealed it.")
    split: Name | None = Field(None, description="The one split that the file holds.")
    format: Format = Field(description="How the bytes are read.")
    rows: Count | None = Field(None, description="How many records; absent for documents and bytes.")
    bytes: Count = Field(description="Length in bytes.")
    sha256: Sha256 = Field(description="SHA-256 of the bytes.")
    content_sha256: Sha256 | None = Field(None, description="Content identity; absent for bytes.")


class Hashes(Record):
    """The convention of each hash. Hashes of different conventions are never compared."""

    file: Literal["sha256"] = Field(description="SHA-256 of the bytes.")
    document: Literal["sha256-rfc8785"] = Field(description="SHA-256 of a JSON document's RFC 8785 form.")
    table: Literal["sha256-columns-1", "sha256-columns-2"] = Field(
        description="SHA-256 of sorted, typed columns; the second, of tables of more than 131,072 rows, over blocks."
    )
    root: Literal["sha256-rfc8785-without-root_sha256"] = Field(
        description="SHA-256 of this manifest's RFC 8785 form without root_sha256."
    )


class Manifest(Record):
    """Every file of a bundle with its identities."""

    sealtrace: Literal["1"] = Field(description="Version of the bundle format.")
    name: Name = Field(description="The study's name.")
    contract: Literal["0.2"] | None = Field(
        None, description="Version of the contract; absent in bundles of 0.1, which declare no populations and names."
    )
    hashes: Hashes = Field(description="Hash conventions.")
    files: list[Entry] = Field(description="Every file but this one and SHA256SUMS, by path.")
    root_sha256: Sha256 = Field(description="The bundle's root digest.")

    model_config = example("""{
        "sealtrace": "1", "name": "example",
        "hashes": {"file": "sha256", "document": "sha256-rfc8785", "table": "sha256-columns-1",
            "root": "sha256-rfc8785-without-root_sha256"},
        "files": [{"path": "declare/protocol.json", "kind": "protocol", "stage": "declare", "format": "json",
            "bytes": 1024, "sha256": "0000000000000000000000000000000000000000000000000000000000000000",
            "content_sha256": "0000000000000000000000000000000000000000000000000000000000000000"}],
        "root_sha256": "0000000000000000000000000000000000000000000000000000000000000000"
    }""")


class Seal(Record):
    """One link of the stage chain. It commits to its files and to every earlier link."""

    sealtrace: Literal["1"] = Field(description="Version of the bundle format.")
    stage: Stage = Field(description="The stage.")
    position: Count = Field(description="Its place in the order of stages, from one.")
    previous: Sha256 | None = Field(None, description="Content digest of the seal before; absent in the first.")
    files: list[Entry] = Field(description="The files frozen by this stage.")
    empty_reason: Text | None = Field(None, description="Why the stage holds nothing, where it does.")

    model_config = example("""{
        "sealtrace": "1", "stage": "structure", "position": 3,
        "previous": "0000000000000000000000000000000000000000000000000000000000000000", "files": [],
        "empty_reason": "The study learns no partition."
    }""")


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


# Datasets: any table of records, under a declaration of what its rows are and what must be there

Fields = Annotated[list[Name], Field(min_length=1, description="Names of fields.")]


class Reference(Record):
    """Rows that name rows of another dataset: each is there, once."""

    fields: Fields = Field(description="The fields here.")
    dataset: Name = Field(description="The dataset that they name a row of.")
    to: list[Name] | None = Field(None, description="The fields there, in the same order; its key where absent.")
    every: bool | None = Field(None, description="Whether every row there must be named from here as well.")


class Completeness(Record):
    """Every combination is there: every example with every system and every seed."""

    every: Annotated[list[Fields], Field(min_length=2)] = Field(
        description="What is combined: each entry is a field, or several that vary together, such as model and seed."
    )
    by: list[Name] | None = Field(
        None, description="Combined apart for each value of these fields, such as each task with its own examples."
    )
    times: Count | None = Field(None, description="How often each combination is there; once where absent.")
    several: bool | None = Field(None, description="Whether a combination may be there any number of times but none.")


class Dependency(Record):
    """What one thing has one of: each example one right answer, whichever system it was shown to."""

    on: Fields = Field(description="The fields that determine.")
    fields: Fields = Field(description="The fields that are determined.")


class Nesting(Record):
    """What belongs to one of the others: each patient to one arm, each pupil to one class.

    The same value in two arms names two patients, so arms need not have the same ones, and no test pairs them.
    """

    field: Name = Field(description="The field of the key whose values belong to one: patient.")
    within: Fields = Field(description="The fields of the key to whose values they belong: arm.")


class Population(Record):
    """Some rows of a dataset that tables may be about, declared before there are results."""

    name: Name = Field(description="Its name, by which a table says that it is about these rows.")
    where: dict[Name, Condition] = Field(
        min_length=1,
        description="Field to the value, or values, that rows must have; `>= 10`, `<= 10` and `<> x` are bounds.",
    )
    sentence: Text = Field(description="What it is and why, for readers.")


class DroppedRows(Record):
    """Rows of the original file that were not taken over."""

    where: Text = Field(description="The condition of the rows that were taken over.")
    rows: Count = Field(description="How many rows were left out.")


class Dataset(Record):
    """The declaration of `rows.<name>`: the JSON Schema of a row, its key, and what must be complete."""

    dataset: Name = Field(description="The dataset's name, as queries and recipes use it: letters, digits and _.")
    title: Text | None = Field(None, description="One line about it.")
    row: dict[str, object] = Field(description="JSON Schema (2020-12) of a row: an object with properties.")
    key: Fields = Field(description="The fields that identify a row. One that may be absent counts as a value then.")
    references: list[Reference] | None = Field(None, description="Rows of other datasets that rows name.")
    complete: list[Completeness] | None = Field(None, description="Combinations that must all be there.")
    depends: list[Dependency] | None = Field(None, description="Fields that others determine.")
    nested: list[Nesting] | None = Field(
        None, description="Fields of the key whose values differ from arm to arm, as between subjects."
    )
    absent: dict[Name, Text] | None = Field(
        None, description="Measured field to why rows lack it: no answer. Queries take means of the rows that have it."
    )
    rows: Count | None = Field(None, description="How many rows there are.")
    counts: dict[Name, Count] | None = Field(None, description="Field to how many different values it has.")
    printed: dict[Name, dict[Name, Name]] | None = Field(
        None, description="Field, value, and how tables print that value, where they print another name."
    )
    populations: list[Population] | None = Field(
        None, description="Rows that a table may be about instead of all; sealed in the stage `declare`."
    )
    dropped: list[DroppedRows] | None = Field(None, description="Rows of the original that are not here.")
    truth: Name | None = Field(None, description="The field of right answers, which predictions are compared with.")
    measured: bool | None = Field(None, description="Whether its numbers are measurements, which nothing recomputes.")

    @property
    def properties(self) -> dict[str, object]:
        """The fields of a row, by name."""
        properties = self.row["properties"]
        assert isinstance(properties, dict)
        return properties

    model_config = example("""{
        "dataset": "answers",
        "row": {"type": "object", "properties": {"example": {"type": "string"}, "system": {"type": "string",
            "enum": ["base", "ours"]}, "seed": {"type": "integer"}, "gold": {"type": "string"},
            "answer": {"type": "string"}, "length": {"type": "integer"}},
            "required": ["example", "system", "seed", "gold", "answer", "length"]},
        "key": ["example", "system", "seed"], "complete": [{"every": [["example"], ["system"], ["seed"]]}],
        "depends": [{"on": ["example"], "fields": ["gold"]}], "truth": "gold", "rows": 600,
        "printed": {"system": {"ours": "Ours (best)"}},
        "populations": [{"name": "long", "where": {"length": ">= 100"}, "sentence": "Questions of 100 words or more."}]
    }""")
