"""What is observed of a state, what the teacher and the evaluators say of it, and what was reported."""

from __future__ import annotations

from pydantic import Field

from sealtrace.contract.scalars import Actions, ByAction, Count, Exact, Name, Number, Record, Sha256, example


class Observation(Record):
    """One state as the policy sees it, and the data role that it belongs to.

    Where the protocol declares fields under `observation`, these stand in the place of those of a card game.
    """

    state: Name = Field(description="The join key. Never a feature of a policy.")
    split: Name = Field(description="The split that the state is assigned to.")
    block: Name | None = Field(None, description="The independent block; states of one block stay in one split.")
    legal: Actions = Field(description="The legal actions, in the protocol's action order.")
    hero: Name | None = Field(None, description="The acting player's private rank.")
    board: list[Name] | None = Field(None, description="The public cards.")
    position: Name | None = Field(None, description="The acting player's seat.")
    pot: Number | None = Field(None, description="Chips in the pot.")
    stack: Number | None = Field(None, description="Effective stack.")
    history: list[Name] | None = Field(None, description="The betting actions so far.")

    model_config = example("""{
        "state": "0000", "split": "calibration", "legal": ["fold", "call", "raise"], "hero": "J", "board": ["Q"],
        "position": "BB", "pot": 4, "stack": 16, "history": ["check", "raise"]
    }""")


class Teacher(Record):
    """The cached teacher's record of one state."""

    state: Name = Field(description="The observed state.")
    split: Name = Field(description="The split of that state.")
    values: ByAction | None = Field(None, description="The teacher's action values.")
    distribution: ByAction = Field(description="The cached teacher distribution over legal actions.")
    value: Number | None = Field(None, description="The teacher's value of the state.")
    visits: Count | None = Field(None, description="Samples behind the record, where it was sampled.")

    model_config = example("""{
        "state": "0000", "split": "calibration", "values": {"fold": -2, "call": -6, "raise": -0.5},
        "distribution": {"fold": 0.25, "call": 0.25, "raise": 0.5}, "value": -1.25
    }""")


class Values(Record):
    """One evaluator's action values at one state. A partition of its own, never a policy's input."""

    state: Name = Field(description="The observed state.")
    evaluator: Name = Field(description="The evaluator, such as weak or strong.")
    split: Name = Field(description="The split of the state.")
    values: ByAction = Field(description="The value of each legal action.")

    model_config = example("""{
        "state": "0000", "evaluator": "strong", "split": "calibration",
        "values": {"fold": -2, "call": -6, "raise": -4.5}
    }""")


class Score(Record):
    """The reported score of one trace."""

    state: Name = Field(description="The observed state.")
    arm: Name = Field(description="The policy arm.")
    scale: Exact | None = Field(None, description="The residual scale.")
    split: Name = Field(description="The split of the state.")
    weak: Number | None = Field(None, description="E_w: expected utility under the utility evaluator.")
    strong: Number | None = Field(None, description="E_s: expected utility under the risk evaluator.")
    expected: ByAction | None = Field(
        None, description="The same by the evaluators' own names, in the place of `weak` and `strong`."
    )
    delta: Number = Field(description="d: E_s less the anchor's E_s at the same state.")
    crossing: bool = Field(description="v: whether d is strictly below -tau.")
    trace_sha256: Sha256 = Field(description="The content digest of the trace table that was scored.")

    model_config = example("""{
        "state": "0000", "arm": "anchor", "split": "calibration", "weak": -1.0451, "strong": -3.8049, "delta": 0,
        "crossing": false, "trace_sha256": "0000000000000000000000000000000000000000000000000000000000000000"
    }""")


class SummaryRecord(Record):
    """The retained aggregate of one policy over one population, before rounding."""

    population: Name = Field(description="A split's name, or `all`.")
    arm: Name = Field(description="The policy arm.")
    scale: Exact | None = Field(None, description="The residual scale.")
    states: Count = Field(description="The denominator.")
    weak: Number = Field(description="Mean E_w.")
    strong: Number = Field(description="Mean E_s.")
    delta: Number = Field(description="Mean d.")
    delta_min: Number = Field(description="Smallest d.")
    delta_max: Number = Field(description="Largest d.")
    crossings: Count = Field(description="How many states have d strictly below -tau.")

    model_config = example("""{
        "population": "all", "arm": "anchor", "states": 24, "weak": 4.2082, "strong": 0.7371, "delta": 0,
        "delta_min": 0, "delta_max": 0, "crossings": 0
    }""")
