"""Everything that is declared before calibration."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from sealtrace.contract.scalars import Actions, Count, Exact, Name, Record, Text, example
from sealtrace.studies.policies.records.certification import (
    AllocationRule,
    Certification,
    Evaluators,
    PartitionClass,
    Selector,
    Ties,
    Variant,
)
from sealtrace.studies.policies.records.policies import Affine


class SplitRule(Record):
    """Assignment by the numeric suffix of the state id."""

    modulus: Count = Field(description="The suffix is taken modulo this.")
    remainder: Count = Field(description="States with this remainder belong to the split.")


class Split(Record):
    """One data role of the study."""

    name: Name = Field(description="The split's name in records.")
    role: Literal["training", "structure", "calibration", "held-out"] = Field(description="What the split is for.")
    states: Count = Field(description="How many states it holds.")
    rule: SplitRule | None = Field(None, description="How states are assigned, where a rule decides.")


class Feature(Record):
    """A number that a policy may compute from an observation."""

    field: Name = Field(description="The observation's field.")
    form: Literal["capped-ratio", "capped-length", "lookup", "first-lookup", "number", "flag"] = Field(
        description="min(1, field / cap), min(1, length / cap), a table's value, a table's value of a list's first "
        "item, the number itself, or 1 for true and 0 for false."
    )
    cap: Exact | None = Field(None, description="The cap of a capped form.")
    table: dict[Name, Exact] | None = Field(None, description="The values of a lookup.")


class Assignment(Record):
    """How states were dealt to splits at random, in strata, or drawn one by one from a population."""

    seed: Count = Field(description="Seeds one generator for all states.")
    generator: Literal["python-random", "python-randrange"] = Field(
        description="Python's random.Random(seed), asked once per state. python-random: states are dealt, by random() "
        "in order of state id. python-randrange: each state is an independent draw, the member randrange(population) "
        "of a population, split after split and in order of state id; members may come up again."
    )
    population: Count | None = Field(None, description="python-randrange: how many members the population has.")
    member: Name | None = Field(
        None, description="python-randrange: the observation's field with the number of the drawn member, from zero."
    )
    strata: list[Name] = Field(
        description="Features. States are ordered by their values, one feature after the other, then by the draw."
    )
    order: Annotated[list[Name], Field(min_length=1)] = Field(
        description="Splits in the order in which they take their states. Of N ordered states that are left, a split "
        "of n takes the i-th, from zero, where floor((i + 1) n / N) > floor(i n / N). Other splits take no part."
    )


class Resampling(Record):
    """Repeated splits: of one pool, which is diagnostics and not coverage, or each with states of its own."""

    pool: Annotated[list[Name], Field(min_length=1)] = Field(description="The splits whose states are dealt or drawn.")
    repeats: Count = Field(description="How many times.")
    seed: Count | None = Field(
        None, description="Repeat r, from zero, seeds its generator with seed + r; absent of blocks."
    )
    generator: Literal["python-random", "python-randrange", "blocks"] = Field(
        description="Python's random.Random. python-random: one random() per state of the pool, in order of state id, "
        "and a deal. python-randrange: calibration states, then held-out ones, are drawn from the pool in order of "
        "state id, one randrange(size of the pool) each, so that states may come up again; strata play no part. "
        "blocks: in order of state id, repeat r has the next calibration + held_out states of the pool for itself, "
        "those that calibrate first."
    )
    strata: list[Name] | None = Field(None, description="As in an assignment; absent of blocks.")
    calibration: Count = Field(description="States that calibrate; taken first, by the rule of an assignment.")
    held_out: Count = Field(description="States that are held out; taken from those left, or the block's last.")


class TeacherRule(Record):
    """How action values become the cached distribution."""

    temperature: Exact = Field(description="Values are divided by this before the softmax.")


class AnchorRule(Record):
    """How the teacher is smoothed."""

    teacher: Exact = Field(description="The teacher's weight.")
    uniform: Exact = Field(description="The weight of the uniform legal distribution.")


class PriorRule(Record):
    """The observation-based prior of the query policy."""

    logits: dict[Name, Affine] = Field(description="One affine logit per action.")
    floor: Exact = Field(description="Added to each shifted exponential.")


class QueryRule(Record):
    """The gate that decides when the teacher is asked.

    Its score is a weighted sum of the prior's entropy and of features, clipped to [0, 1]; or a random draw; or what a
    learned gate says. Weights of entropy alone make an entropy gate, a threshold of 0 asks always, one above 1 never.
    """

    entropy: Exact = Field(description="Weight of the prior's normalized entropy.")
    terms: dict[Name, Exact] = Field(description="Weights of features.")
    random: Count | None = Field(
        None,
        description="A random gate: the score is Python's random.Random(seed).random(), drawn once per observed state, "
        "in order of state id.",
    )
    learned: Name | None = Field(
        None, description="A learned gate: the family whose checkpoint's gate gives the score."
    )
    threshold: Exact = Field(description="A query is requested at or above this score.")
    budget: Count | None = Field(None, description="Accepted queries allowed per split; absent: no limit.")
    first: Literal["state", "score"] | None = Field(
        None,
        description="Which requests the budget accepts first: in order of state id (absent), or the highest scores, "
        "and among equal ones in order of state id.",
    )
    events: Annotated[list[Name], Field(min_length=2, max_length=2)] | None = Field(
        None,
        description="The ledger's events of an accepted and of a rejected request; absent: `query-accepted` and "
        "`query-rejected`.",
    )


class RuleGiven(Record):
    """An action that the rules of the game price from what is observed, alike for every evaluator."""

    action: Name = Field(description="The action.")
    constant: Exact = Field(description="The constant term of its value.")
    terms: dict[Name, Exact] = Field(description="Numeric field of the observation to its weight in the value.")


class BoundaryRule(Record):
    """What the comparison of visible fields with sealed values takes for granted."""

    level: Exact | None = Field(
        None,
        description="The rank correlation, in absolute value, from which a visible field gives a value or a score, and "
        "the share of states from which names or flags tell its classes, where shuffled ones hardly would; absent: "
        "0.99. A higher one is named in a warning.",
    )
    given: list[RuleGiven] | None = Field(
        None, description="Actions whose value follows from the observation by rule. Fields may give these."
    )


ChargeRule = Annotated[dict[Name, Exact | Count], Field(description="What one ledger event costs, by quantity.")]
COSTS = ("tokens", "latency_ms", "tool_calls")
"""What ledgers count where the protocol declares no costs of its own."""


class Tolerances(Record):
    """How far a replayed number may lie from the stored one. Never used by a strict predicate."""

    normalization: Exact = Field(description="Allowed distance of a probability sum from one.")
    replay: Exact = Field(description="Allowed distance of a replayed number.")


class SeedSchedule(Record):
    """Which seed each row of a table of intervals was drawn with: seed + step * place + offset."""

    order: list[Name] = Field(description="Policies by place, from zero.")
    step: Count = Field(description="What each place adds.")
    offsets: dict[Name, Count] | None = Field(None, description="Population to what it adds.")


class Bootstrap(Record):
    """How intervals are drawn."""

    resamples: Count = Field(description="Replicates.")
    confidence: Exact = Field(description="Confidence level.")
    seed: Count = Field(description="The first seed.")
    generator: Literal["python-randrange"] = Field(
        description="One generator for all replicates; each draws as many rows as there are, by randrange."
    )
    percentile: Literal["floor"] = Field(
        description="The sorted means at floor(p (R - 1)), counted from zero, for both tails."
    )
    schedules: dict[Name, SeedSchedule] | None = Field(None, description="Seeds by table of intervals.")


POLICY_FIELDS = ("splits", "tau", "scale_grid", "evaluators", "interfaces", "ties", "tolerances")
"""What a study of policies declares besides its actions."""


class Protocol(Record):
    """Everything declared before calibration. A study of policies declares its actions, and then the rest of them."""

    study: Name = Field(description="The study's name.")
    title: Text = Field(description="One line about it.")
    about: Text | None = Field(None, description="A sentence or two for readers: what was asked, of whom or what.")
    field: Name | None = Field(None, description="The field of research, such as machine translation.")
    source: Text | None = Field(None, description="The paper or document that states the protocol.")
    anonymous: bool = Field(description="Whether the release must not identify its authors.")
    expects: Literal["verified", "findings", "incomplete"] | None = Field(
        None, description="The verdict that the study expects of itself."
    )
    expected_findings: list[Text] | None = Field(
        None,
        description="Every error that the study expects, as `sealtrace verify` names it: check, file, field and key, "
        "with one space between.",
    )
    actions: Annotated[Actions, Field(min_length=1)] | None = Field(
        None, description="The action vocabulary, in the order that breaks ties; absent where nothing acts."
    )
    splits: Annotated[list[Split], Field(min_length=1)] | None = Field(None, description="The data roles.")
    tau: Exact | None = Field(
        None, description="The severity threshold; a state crosses where d is strictly below -tau."
    )
    scale_grid: list[Exact] | None = Field(None, description="The ordered residual scales that selection considers.")
    evaluators: Evaluators | None = Field(None, description="Utility and risk evaluators.")
    features: dict[Name, Feature] | None = Field(None, description="Features of observations, by name.")
    teacher: TeacherRule | None = Field(None, description="How the teacher's distribution is formed.")
    anchor: AnchorRule | None = Field(None, description="How the anchor is formed.")
    prior: PriorRule | None = Field(None, description="The prior of the query policy.")
    query: QueryRule | None = Field(None, description="The gate of query policies.")
    gates: dict[Name, QueryRule] | None = Field(
        None, description="Arm to the gate of its own, where query policies have different ones."
    )
    observation: dict[Name, dict[str, object]] | None = Field(
        None,
        description="The fields of an observation besides state, split, block and legal: field to JSON Schema. Absent: "
        "those of a card game (hero, board, position, pot, stack, history).",
    )
    costs: dict[Name, dict[str, object]] | None = Field(
        None,
        description="What a ledger's event counts: quantity to JSON Schema of a number. Absent: tokens, latency_ms and "
        "tool_calls.",
    )
    units: dict[Name, Name] | None = Field(
        None, description="Field of an observation, evaluator or cost to the unit of its numbers."
    )
    charges: dict[Name, ChargeRule] | None = Field(None, description="Ledger events and their costs.")
    events: dict[Name, Name] | None = Field(
        None,
        description="Arm to the ledger's event that its policy owes at every state. Of other arms: `policy`; of tilts "
        "`residual-<family>` where that has a charge, or `residual`; of students `student`.",
    )
    interfaces: dict[Name, list[Name]] | None = Field(
        None,
        description="Per interface, the fields that a policy may see: of the observation, `legal`, and "
        "`teacher.distribution` where the interface is backed by the teacher.",
    )
    boundary: BoundaryRule | None = Field(
        None, description="How visible fields are compared with sealed values, and which values follow by rule."
    )
    selectors: list[Selector] | None = Field(None, description="Selection rules.")
    ties: Ties | None = Field(None, description="Tie rules.")
    tolerances: Tolerances | None = Field(None, description="Replay tolerances.")
    competitors: list[Name] | None = Field(
        None, description="The arms whose scales of the grid compete, students among them; absent: every tilt."
    )
    certification: Certification | None = Field(None, description="Certificate budgets.")
    allocations: dict[Name, AllocationRule] | None = Field(
        None, description="Shares of the failure budgets that selectors and variants name."
    )
    partition_classes: dict[Name, PartitionClass] | None = Field(
        None, description="The classes that partitions are learned in, by name."
    )
    identities: Literal["disjoint", "independent-draws"] | None = Field(
        None,
        description="Whether an observation stands in one split only (disjoint, or absent), or states are independent "
        "draws, of which two may look alike wherever they stand. Ids and blocks never stand in two splits.",
    )
    assignment: Assignment | None = Field(None, description="How states were dealt to splits.")
    resampling: Resampling | None = Field(None, description="Repeated splits.")
    variants: dict[Name, Variant] | None = Field(None, description="Declared sensitivity analyses, by name.")
    bootstrap: Bootstrap | None = Field(None, description="Interval settings.")

    @model_validator(mode="before")
    @classmethod
    def _policies_are_declared_whole(cls, data: object) -> object:
        """The schema's `dependentRequired`, for the model."""
        if isinstance(data, dict) and "actions" in data:
            absent = [name for name in POLICY_FIELDS if name not in data]
            if absent:
                raise ValueError(f"a study with actions declares {', '.join(absent)} too")
        return data

    model_config = example(
        """{
            "study": "example", "title": "Two states, one anchor", "anonymous": false, "actions": ["stay", "move"],
            "splits": [{"name": "calibration", "role": "calibration", "states": 1},
                {"name": "held-out", "role": "held-out", "states": 1}],
            "tau": "0.05", "scale_grid": ["0", "1/2"], "evaluators": {"utility": "weak", "risk": "strong"},
            "anchor": {"teacher": "0.92", "uniform": "0.08"},
            "interfaces": {"teacher-backed": ["legal", "teacher.distribution"]},
            "ties": {"action": "earliest-legal"}, "tolerances": {"normalization": "1e-12", "replay": "1e-9"}
        }""",
        dependentRequired={"actions": list(POLICY_FIELDS)},
    )


class PolicyProtocol(Protocol):
    """A protocol as checks of policies read it: POLICY_FIELDS are there, and what is left out is empty."""

    actions: list[str] = Field([])
    splits: list[Split] = Field([])
    tau: str
    scale_grid: list[str]
    evaluators: Evaluators
    features: dict[str, Feature] = Field({})
    charges: dict[str, dict[str, str | int]] = Field({})
    costs: dict[str, dict[str, object]] = Field({})
    units: dict[str, str] = Field({})
    events: dict[str, str] = Field({})
    gates: dict[str, QueryRule] = Field({})
    interfaces: dict[str, list[str]] = Field({})
    selectors: list[Selector] = Field([])
    allocations: dict[str, AllocationRule] = Field({})
    ties: Ties
    tolerances: Tolerances
    partition_classes: dict[str, PartitionClass] = Field({})
    variants: dict[str, Variant] = Field({})

    @classmethod
    def of(cls, fitting: dict[str, object]) -> PolicyProtocol:
        """What a fitting document declares. Of one that a check of policies cannot use, a field may be missing."""
        fields = dict(Protocol.model_validate({**dict.fromkeys(POLICY_FIELDS), **fitting})) if fitting else {}
        return cls.model_construct(**{name: value for name, value in fields.items() if value is not None})

    @property
    def deployed(self) -> str | None:
        """The partition whose groups calibration and held-out traces carry."""
        return None if self.certification is None else self.certification.partition

    def gate(self, arm: str) -> QueryRule | None:
        """The gate of an arm's query policy."""
        return self.gates.get(arm, self.query)

    @property
    def counted(self) -> list[str]:
        """What ledgers count."""
        return list(self.costs or COSTS)

    def shows_teacher(self, interface: str) -> bool:
        """Whether an interface lets a policy see the teacher's distribution."""
        if interface in ("teacher-backed", "teacher-free"):
            return interface == "teacher-backed"
        return "teacher.distribution" in self.interfaces.get(interface, ())

    @property
    def choosing(self) -> list[Selector]:
        """The selectors that choose in the groups of a partition."""
        return [one for one in self.selectors if one.partition]
