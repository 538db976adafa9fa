"""The candidate bank and the traces that its policies left."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sealtrace.contract.scalars import Actions, ByAction, Count, Exact, Name, Number, Record, Sha256, example


class Affine(Record):
    """A constant plus a weighted sum of the protocol's features."""

    constant: Exact = Field(description="The constant term.")
    terms: dict[Name, Exact] | None = Field(None, description="Feature name to weight.")


class CandidateRecord(Record):
    """One policy of the frozen bank."""

    arm: Name = Field(description="The policy arm.")
    scale: Exact | None = Field(None, description="The residual scale; absent where the arm has none.")
    policy: Literal["top-action", "anchor", "tilt", "query", "student"] = Field(
        description="How the distribution is formed: a point mass on the teacher's top action, the smoothed "
        "anchor, an exponential tilt of the anchor, the prior with gated queries, or an exponential tilt of the "
        "checkpoint's own base policy."
    )
    interface: Name = Field(description="The protocol's interface: which fields the policy may see.")
    family: Name | None = Field(None, description="The residual family.")
    family_index: Count | None = Field(None, description="The family's place, for ties.")
    direction: dict[Name, Affine] | None = Field(None, description="The residual direction of a fixed rule, by action.")
    checkpoint_sha256: Sha256 | None = Field(None, description="The checkpoint of a learned direction.")
    splits: list[Name] | None = Field(
        None, description="The splits that the candidate is traced on; absent: all that are traced."
    )
    serializer: Actions = Field(description="The action order that the policy's vectors use.")
    normalization: Literal["shifted-exponential", "none"] = Field(
        description="How weights become probabilities; `none` where nothing is exponentiated."
    )

    model_config = example("""{
        "arm": "residual", "scale": "0.08", "policy": "tilt", "interface": "teacher-backed", "family": "fixed",
        "family_index": 0,
        "direction": {"fold": {"constant": "-0.20"}, "call": {"constant": "0.05"}, "raise": {"constant": "0.55",
            "terms": {"pot_pressure": "1"}}},
        "serializer": ["fold", "call", "raise"], "normalization": "shifted-exponential"
    }""")


class Layer(Record):
    """One layer of a network: activation(inputs . weights + bias)."""

    weights: Annotated[list[list[Number]], Field(min_length=1)] = Field(
        description="One list per input, with one number per output."
    )
    bias: Annotated[list[Number], Field(min_length=1)] = Field(description="One number per output.")
    activation: Literal["identity", "tanh", "relu", "logistic"] = Field(description="Applied to each output.")


class Checkpoint(Record):
    """The frozen weights of a learned family. Its content digest is what candidates name as their checkpoint."""

    family: Name = Field(description="The residual family.")
    features: Annotated[list[Name], Field(min_length=1)] = Field(
        description="The protocol's features that enter, in order. They are functions of observations alone."
    )
    actions: Actions = Field(description="The actions that the last outputs stand for, in order.")
    residual: Annotated[list[Layer], Field(min_length=1)] | None = Field(
        None, description="From features to the residual direction."
    )
    base: list[Layer] | None = Field(
        None, description="From features to the logits of the base policy, where the family has one of its own."
    )
    gate: list[Layer] | None = Field(
        None, description="From features to one number, the score of a learned gate, clipped to [0, 1]."
    )

    model_config = example("""{
        "family": "linear", "features": ["pot_pressure"], "actions": ["fold", "raise"],
        "residual": [{"weights": [[-0.1, 0.4]], "bias": [0.0, 0.1], "activation": "identity"}]
    }""")


class Residual(Record):
    """The sealed direction of a learned residual family at one state."""

    family: Name = Field(description="The residual family.")
    state: Name = Field(description="The observed state.")
    split: Name = Field(description="The split of that state.")
    direction: ByAction = Field(description="The direction, by action.")
    checkpoint_sha256: Sha256 | None = Field(None, description="The checkpoint that gave it.")

    model_config = example("""{
        "family": "linear", "state": "0000", "split": "calibration",
        "direction": {"fold": -0.1, "call": 0.0, "raise": 0.4}
    }""")


class Query(Record):
    """A gate's decision about asking the teacher."""

    requested: bool = Field(description="The gate asked.")
    accepted: bool = Field(description="The budget allowed it.")
    score: Number = Field(description="The gate's score.")


class Charge(Record):
    """One event of the cost ledger. Where the protocol declares its own `costs`, these stand in the place of ours."""

    event: Name = Field(description="What was charged; a name of the protocol's charges.")
    tokens: Count = Field(description="Tokens charged.")
    latency_ms: Number = Field(description="Milliseconds charged.")
    tool_calls: Count = Field(description="Tool calls charged.")


class Trace(Record):
    """What one policy did at one state: identity, input boundary, policy output, ledger."""

    state: Name = Field(description="The observed state.")
    arm: Name = Field(description="The policy arm.")
    scale: Exact | None = Field(None, description="The residual scale, written as in the bank.")
    split: Name = Field(description="The split of the state.")
    group: Name | None = Field(None, description="The partition's group, where one is frozen.")
    inputs: list[Name] = Field(description="The fields that entered the policy.")
    legal: Actions = Field(description="The legal actions that the policy was given.")
    probabilities: ByAction = Field(description="The whole distribution, by action name.")
    action: Name = Field(description="The top action.")
    query: Query | None = Field(None, description="The gate's decision, where the policy has a gate.")
    ledger: list[Charge] = Field(description="Every cost event, rejected ones too.")

    model_config = example("""{
        "state": "0000", "arm": "anchor", "split": "calibration",
        "inputs": ["hero", "board", "legal", "teacher.distribution"], "legal": ["fold", "call", "raise"],
        "probabilities": {"fold": 0.25, "call": 0.25, "raise": 0.5}, "action": "raise",
        "ledger": [{"event": "anchor", "tokens": 1, "latency_ms": 0.1, "tool_calls": 0}]
    }""")
