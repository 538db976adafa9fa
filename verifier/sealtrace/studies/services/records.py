"""Records of running systems: attempts at requests."""

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
