"""Records of running systems: attempts at requests, and paired matches."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from sealtrace.contract.scalars import Count, Name, Number, Record


class Attempt(Record):
    """One attempt at one request; failed attempts stay in the ledger."""

    request: Name = Field(description="The request.")
    attempt: Count = Field(description="The attempt's index, from zero.")
    arm: Name = Field(description="The policy arm.")
    trigger: Name = Field(description="What caused the attempt: first, or the reason of the retry.")
    elapsed_ms: Number = Field(description="Elapsed time within the declared timing boundary.")
    prompt_tokens: Count | None = Field(None, description="Tokens read.")
    generated_tokens: Count | None = Field(None, description="Tokens written.")
    outcome: Literal["ok", "illegal-action", "parser-failure", "service-timeout", "solver-timeout"] = Field(
        description="The terminal code."
    )

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "request": "r-1",
                    "attempt": 0,
                    "arm": "residual",
                    "trigger": "first",
                    "elapsed_ms": 84.3,
                    "outcome": "ok",
                }
            ]
        }
    )


class Match(Record):
    """The result of one arm in one paired hand or match block."""

    match: Name = Field(description="The paired hand or block.")
    arm: Name = Field(description="The policy arm.")
    opponent: Name = Field(description="The opponent, fixed before scoring.")
    seed: Count | None = Field(None, description="The evaluation seed.")
    result: Literal["win", "tie", "loss"] | None = Field(None, description="The outcome, where it is one of three.")
    value: Number | None = Field(None, description="The return, where outcomes are valued.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"match": "h-1", "arm": "residual", "opponent": "independent-A", "result": "win"}]
        }
    )


class Measurement(Record):
    """One sealed measurement, such as a search time: what no recomputation can give again."""

    quantity: Name = Field(description="What was measured.")
    subject: Name = Field(description="Of what.")
    repeat: Count = Field(description="The measurement's index, from zero.")
    value: Number = Field(description="The measured value.")
    unit: Name = Field(description="Its unit.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"quantity": "map-search", "subject": "depth-2", "repeat": 0, "value": 0.68, "unit": "ms"}]
        }
    )
