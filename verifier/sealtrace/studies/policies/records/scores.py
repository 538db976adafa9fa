"""The evaluators' action values, the reported scores, and their aggregates."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from sealtrace.contract.scalars import ByAction, Count, Exact, Name, Number, Record, Sha256


class Values(Record):
    """One evaluator's action values at one state. A partition of its own, never a policy's input."""

    state: Name = Field(description="The observed state.")
    evaluator: Name = Field(description="The evaluator, such as weak or strong.")
    split: Name = Field(description="The split of the state.")
    values: ByAction = Field(description="The value of each legal action.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "state": "0000",
                    "evaluator": "strong",
                    "split": "calibration",
                    "values": {"fold": -2, "call": -6, "raise": -4.5},
                }
            ]
        }
    )


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

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "state": "0000",
                    "arm": "anchor",
                    "split": "calibration",
                    "weak": -1.0451,
                    "strong": -3.8049,
                    "delta": 0,
                    "crossing": False,
                    "trace_sha256": "0" * 64,
                }
            ]
        }
    )


class Summary(Record):
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

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "population": "all",
                    "arm": "anchor",
                    "states": 24,
                    "weak": 4.2082,
                    "strong": 0.7371,
                    "delta": 0,
                    "delta_min": 0,
                    "delta_max": 0,
                    "crossings": 0,
                }
            ]
        }
    )
