"""What calibration certifies and selection chooses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sealtrace.contract.scalars import Count, Exact, Name, Number, Record, Text, example


class Condition(Record):
    """One side of one split of a tree: feature below the threshold, or not."""

    feature: Name = Field(description="A declared feature.")
    threshold: Exact = Field(description="A declared threshold.")
    below: bool = Field(description="True for feature < threshold.")


class Leaf(Record):
    """One group of the partition."""

    group: Name = Field(description="The group's name.")
    conditions: list[Condition] = Field(description="The path from the root; empty where one group holds all.")
    epsilon: Exact | None = Field(None, description="epsilon_h, the group's own risk budget; absent: the protocol's.")


class Allocation(Record):
    """The shares of the failure budgets that one candidate-group pair gets."""

    arm: Name = Field(description="The candidate's arm.")
    scale: Exact | None = Field(None, description="The candidate's scale.")
    group: Name = Field(description="The group.")
    risk: Exact = Field(description="w^r, the share of zeta_risk.")
    utility: Exact | None = Field(None, description="w^u, the share of zeta_util.")


class Partition(Record):
    """The frozen rule from observation to group, and the frozen allocations."""

    name: Name = Field(description="The partition's name.")
    learned_in: Name | None = Field(
        None, description="The protocol's class that it is the best of; absent where it was declared by hand."
    )
    leaves: Annotated[list[Leaf], Field(min_length=1)] = Field(description="The groups, in order.")
    objective: Number | None = Field(None, description="The structure objective that it reached.")
    allocations: list[Allocation] | None = Field(None, description="Shares of the failure budgets.")

    model_config = example("""{
        "name": "by pot",
        "leaves": [{"group": "low", "conditions": [{"feature": "pot_pressure", "threshold": "1/2", "below": true}]},
            {"group": "high", "conditions": [{"feature": "pot_pressure", "threshold": "1/2", "below": false}]}]
    }""")


class Certificate(Record):
    """The simultaneous bounds of one candidate in one group."""

    partition: Name = Field(description="The partition.")
    group: Name = Field(description="The group.")
    arm: Name = Field(description="The candidate's arm.")
    scale: Exact | None = Field(None, description="The candidate's scale.")
    states: Count = Field(description="n: calibration states of the group.")
    crossings: Count = Field(description="k: how many of them cross.")
    risk_upper: Number = Field(description="U: Clopper-Pearson upper bound.")
    utility_mean: Number | None = Field(None, description="Mean normalized utility.")
    utility_lower: Number | None = Field(None, description="L: Hoeffding lower bound.")
    certified: bool = Field(description="Whether U is at most the group's risk budget; true where it has none.")

    model_config = example("""{
        "partition": "by pot", "group": "low", "arm": "residual", "scale": "0.08", "states": 128, "crossings": 0,
        "risk_upper": 0.0569, "certified": true
    }""")


class CandidateCount(Record):
    """What calibration counted for one candidate, over all states or in one group."""

    arm: Name | None = Field(None, description="The candidate's arm, where the selector chooses in groups.")
    scale: Exact | None = Field(None, description="The candidate's scale.")
    group: Name | None = Field(None, description="The group, where the selector chooses in groups.")
    crossings: Count = Field(description="How many calibration states cross.")
    states: Count = Field(description="Out of how many.")
    risk_upper: Number | None = Field(None, description="The risk bound, where the rule uses one.")
    utility_mean: Number | None = Field(None, description="Mean normalized utility, where the rule uses it.")
    utility_lower: Number | None = Field(None, description="The utility bound, where the rule uses one.")
    certified: bool | None = Field(None, description="Whether the rule may take it in this group.")


class HeldOut(Record):
    """Whether held-out scores had been joined when the choice was frozen."""

    split: Name = Field(description="The held-out split.")
    status: Literal["not-joined", "joined"] = Field(description="At the time of the choice.")


class Assigned(Record):
    """The candidate of one group."""

    group: Name = Field(description="The group.")
    outcome: Literal["selected", "no-certified-candidate"] = Field(description="What the rule gave in this group.")
    arm: Name = Field(description="The candidate's arm; the anchor's where nothing may be chosen.")
    scale: Exact | None = Field(None, description="The candidate's scale.")


class Selection(Record):
    """One selector's evidence and choice: over a grid of scales, or with `assignments` in the groups of a partition."""

    selector: Name = Field(description="The protocol's selector.")
    split: Name = Field(description="The split that was counted.")
    grid: list[Exact] = Field(description="The scales that competed, in order.")
    tau: Exact = Field(description="The severity threshold that was used.")
    epsilon: Exact | None = Field(None, description="The risk budget, where the rule has one.")
    epsilon_global: Exact | None = Field(None, description="The risk budget of the mixture, where the rule has one.")
    zeta: Exact | None = Field(None, description="The failure probability, where the rule has one.")
    zeta_util: Exact | None = Field(None, description="That of the utility bounds, where the rule has one.")
    counts: list[CandidateCount] = Field(
        description="One entry per scale of the grid; in groups, one per competing candidate and group."
    )
    certified: list[Exact] | None = Field(
        None, description="The scales that the rule admits; absent in groups, where each count says so."
    )
    assignments: list[Assigned] | None = Field(
        None, description="What a selector in groups chose, one entry per group in the partition's order."
    )
    outcome: Literal["selected", "no-certified-candidate"] = Field(description="What the rule gave.")
    choice: Exact | None = Field(None, description="The chosen scale; absent without one.")
    held_out: HeldOut = Field(description="Held-out join status.")

    model_config = example("""{
        "selector": "empirical-zero", "split": "calibration", "grid": ["0", "0.08"], "tau": "0.05",
        "counts": [{"scale": "0", "crossings": 0, "states": 12}, {"scale": "0.08", "crossings": 0, "states": 12}],
        "certified": ["0", "0.08"], "outcome": "selected", "choice": "0.08",
        "held_out": {"split": "held-out", "status": "not-joined"}
    }""")


class CandidateMap(Record):
    """A frozen group-to-candidate map: what one selector chose on the calibration split."""

    selector: Name = Field(description="The protocol's selector.")
    partition: Name = Field(description="The partition whose groups it maps.")
    split: Name = Field(description="The split that was counted.")
    assignments: Annotated[list[Assigned], Field(min_length=1)] = Field(
        description="One per group, in the partition's order."
    )
    risk_upper: Number | None = Field(None, description="The map's one risk bound, where the selector certifies risk.")
    utility_lower: Number | None = Field(
        None, description="The map's one utility bound, where the selector certifies utility."
    )
    reason: Text | None = Field(None, description="Why nothing better exists, for readers.")
    held_out: HeldOut = Field(description="Held-out join status.")

    model_config = example("""{
        "selector": "robust-group", "partition": "by pot", "split": "calibration",
        "assignments": [{"group": "low", "outcome": "selected", "arm": "residual", "scale": "0.08"}],
        "held_out": {"split": "held-out", "status": "not-joined"}
    }""")
