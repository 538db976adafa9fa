"""How candidates are certified and chosen: what the protocol declares of it, and what is recorded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sealtrace.contract.scalars import Count, Exact, Name, Number, Record, Text, example

# What the protocol declares


class Evaluators(Record):
    """Which action values define utility and which define risk."""

    utility: Name = Field(description="The evaluator of the objective.")
    risk: Name = Field(description="The evaluator of degradation.")


SelectionRule = Literal["anchor", "fixed", "empirical-zero", "mean-strong", "kl-budget", "risk-only", "dual", "robust"]


class Weights(Record):
    """Shares of one failure budget in proportion to products of weights; a factor that is left out weighs all alike."""

    scales: dict[Name, Exact] | None = Field(None, description="Scale to weight.")
    families: dict[Name, Exact] | None = Field(None, description="Family to weight.")
    groups: dict[Name, Exact] | None = Field(None, description="Group to weight.")
    total: Exact | None = Field(None, description="What the shares sum to over all that competes; absent: 1.")


class AllocationRule(Record):
    """How both failure budgets are shared among what competes, in any partition and variant."""

    risk: Weights = Field(description="w^r, of the risk certificates.")
    utility: Weights = Field(description="w^u, of the utility certificates.")


class Selector(Record):
    """A selection rule, declared before calibration.

    Candidates compete in every group of a partition. A certified candidate of a group has a risk bound of at most
    the group's budget. Ties go to the smaller scale, then to the lower family index. A group in which nothing may
    be chosen falls back to the anchor.
    """

    name: Name = Field(description="The selector's name.")
    rule: SelectionRule = Field(
        description="anchor: always the anchor. fixed: the named candidate. empirical-zero: the arm's largest scale of "
        "the grid without a calibration crossing. mean-strong: the largest mean utility among candidates whose mean d "
        "is at least -limit. kl-budget: the largest mean utility among candidates whose mean KL(teacher || policy) is "
        "at most limit. risk-only: the largest mean utility among certified candidates. dual: the largest utility "
        "bound among certified candidates. robust: the map of the largest worst-mixture utility bound whose worst-"
        "mixture risk bound is within the global budget, among certified candidates and the anchor."
    )
    arm: Name | None = Field(None, description="The arm of a fixed candidate, or whose scales compete.")
    scale: Exact | None = Field(None, description="The scale of a fixed candidate.")
    partition: Name | None = Field(None, description="The partition in whose groups candidates compete.")
    limit: Exact | None = Field(None, description="The limit of mean-strong and kl-budget.")
    clip: Exact | None = Field(None, description="kl-budget: the policy's mass is clipped below at this.")
    radius: Exact | None = Field(
        None,
        description="The l1 radius of the mixture set over which the map's one risk bound (the largest mixture of U) "
        "and one utility bound (the smallest mixture of L) are stated. Absent: the certification's rho for a robust "
        "rule, and 0, the calibration mixture, for others. An anchor has the bounds of the bank's first scale-0 "
        "candidate, and where none competes the known ones, 0 and 0.",
    )
    allocation: Name | None = Field(
        None, description="The protocol's allocation that shares the failure budgets; absent: the partition's own."
    )
    group_budgets: bool | None = Field(
        None,
        description="robust: false where the mixture's budget alone binds. Groups without a declared budget bind "
        "nothing anyhow.",
    )


class Variant(Record):
    """What a declared sensitivity analysis changes. What it does not name stays as the study declares it."""

    tau: Exact | None = Field(None, description="The severity threshold.")
    epsilon: Exact | None = Field(None, description="The risk budget, of groups and of the mixture.")
    epsilon_group: Exact | None = Field(None, description="The risk budget of every group; goes before epsilon.")
    epsilon_groups: dict[Name, Exact] | None = Field(
        None, description="Group to its own risk budget; goes before epsilon_group."
    )
    epsilon_global: Exact | None = Field(None, description="The risk budget of the mixture; goes before epsilon.")
    zeta: Exact | None = Field(None, description="Both failure probabilities.")
    rho: Exact | None = Field(None, description="The radius of the mixture set.")
    utility_range: Annotated[list[Exact], Field(min_length=2, max_length=2)] | None = Field(
        None, description="q_min and q_max."
    )
    families: list[Name] | None = Field(
        None,
        description="The families that compete. Shares of the budgets are then equal over what competes, unless an "
        "allocation is named.",
    )
    scales: list[Exact] | None = Field(
        None, description="The scales that compete; shares as with families. Without 0 the anchor is a fallback only."
    )
    allocation: Name | None = Field(
        None, description="The protocol's allocation that shares the failure budgets; goes before a selector's."
    )
    evaluators: Evaluators | None = Field(None, description="Which action values define utility and risk.")
    partition: Name | None = Field(None, description="The partition in whose groups candidates compete.")
    calibration: Count | None = Field(None, description="Calibration states of each repeated split.")


class Ties(Record):
    """How equal values are ordered."""

    action: Literal["earliest-legal"] = Field(description="The top action among equals.")
    selection: Literal["smaller-scale"] | None = Field(
        None,
        description="Among equal candidates: the smaller scale, then the lower family index; absent where a rule "
        "cannot tie.",
    )
    map: Literal["lexicographic", "nominal-utility"] | None = Field(
        None,
        description="Among equal maps: group by group, the anchor first, then smaller scale, then family index; or, "
        "before that, the larger utility bound at the calibration mixture.",
    )
    partition: Literal["fewer-leaves"] | None = Field(
        None, description="Among equal partitions: fewer leaves, then the earlier serialization."
    )


class Certification(Record):
    """Budgets of a study that certifies."""

    epsilon_group: Exact | None = Field(
        None, description="The risk budget of each group whose leaf states none of its own."
    )
    epsilon_global: Exact | None = Field(None, description="The risk budget of the mixture.")
    zeta_risk: Exact = Field(description="Failure probability of the risk certificates.")
    zeta_util: Exact | None = Field(None, description="Failure probability of the utility certificates.")
    rho: Exact | None = Field(None, description="Radius of the mixture set, in l1.")
    utility_range: Annotated[list[Exact], Field(min_length=2, max_length=2)] | None = Field(
        None, description="q_min and q_max."
    )
    partition: Name | None = Field(
        None, description="The deployed partition: calibration and held-out traces carry its groups."
    )
    certified_when: Literal["every-group", "any-group", "every-group-moves"] | None = Field(
        None,
        description="A repeat counts as certified where no group falls back to the anchor, where one does not, or "
        "where every group gets a candidate of a scale above 0.",
    )


class PartitionClass(Record):
    """The partitions that structure learning may choose from, and what it minimizes on the structure split."""

    depth: Count = Field(description="Largest depth of a tree.")
    thresholds: dict[Name, list[Exact]] = Field(description="Feature to its allowed thresholds.")
    minimum_support: Count = Field(description="n_min: fewest structure states in a leaf.")
    lambda_cert: Exact = Field(description="Weight of the certificate term.")
    lambda_comp: Exact = Field(description="Weight of the number of leaves.")


# What calibration and selection record


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


class SelectionRecord(Record):
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
