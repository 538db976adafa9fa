"""Records of running systems: how a service is measured, and attempts at requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sealtrace.contract.scalars import WHOLE, Actions, Count, Exact, Name, Number, Record, Text, example

Outcome = Literal["ok", "illegal-action", "parser-failure", "service-timeout", "solver-timeout"]


class Service(Record):
    """How a service is measured: declared before the first request."""

    service: Name = Field(description="The service's name.")
    arms: Annotated[list[Name], Field(min_length=1)] = Field(description="The policy arms that are measured.")
    actions: Annotated[Actions, Field(min_length=1)] = Field(description="The actions that an answer may name.")
    warm_up: Count = Field(description="Requests per arm that are sent first and enter no figure.")
    requests: Count = Field(description="Timed requests per arm.")
    concurrency: Annotated[int, Field(strict=True, ge=1, le=10000), WHOLE] = Field(
        description="Requests under way at once."
    )
    batch: Annotated[int, Field(strict=True, ge=1, le=10000), WHOLE] = Field(description="Requests answered together.")
    attempts: Annotated[int, Field(strict=True, ge=1, le=1000), WHOLE] = Field(
        description="Most attempts at one request."
    )
    retried: list[Outcome] = Field(description="Outcomes after which a request is tried again.")
    timeout_ms: Exact = Field(description="After how long an attempt is given up.")
    tokens: Count | None = Field(None, description="Most tokens, read and written, of one attempt.")
    tool_calls: Count | None = Field(None, description="Most tool calls of one attempt.")
    percentile: Literal["nearest-rank", "linear"] = Field(description="How percentiles and the median are taken.")
    retry_unit: Literal["attempts", "requests"] = Field(
        description="Retry rate: attempts that are retries by all attempts, or requests that needed one by requests."
    )
    boundary: Text = Field(description="The events between which time is taken.")
    queue: Text = Field(description="What happens to requests that wait.")
    failure: Text = Field(description="What becomes of requests that fail, and of their time and cost.")
    hardware: Text | None = Field(None, description="What it ran on.")

    model_config = example("""{
        "service": "student", "arms": ["residual"], "actions": ["fold", "call", "raise"], "warm_up": 16,
        "requests": 200, "concurrency": 8, "batch": 1, "attempts": 3,
        "retried": ["illegal-action", "parser-failure", "service-timeout"], "timeout_ms": "50",
        "percentile": "nearest-rank", "retry_unit": "attempts",
        "boundary": "from sending the first attempt to the validated answer of the last",
        "queue": "none: a worker sends its next request when the last one has ended",
        "failure": "failed requests stay in every denominator, with their time and tokens"
    }""")


class Attempt(Record):
    """One attempt at one request; failed attempts stay in the ledger."""

    request: Name = Field(description="The request.")
    attempt: Count = Field(description="The attempt's index, from zero.")
    arm: Name = Field(description="The policy arm.")
    phase: Literal["warm-up", "timed"] | None = Field(None, description="Absent: timed.")
    trigger: Name = Field(description="What caused the attempt: first, or the outcome of the attempt before it.")
    started_ms: Number | None = Field(None, description="When the attempt was sent, since the run began.")
    elapsed_ms: Number = Field(description="Elapsed time within the declared timing boundary.")
    legal: Actions | None = Field(None, description="The actions that the request allows.")
    answer: Annotated[str, Field(max_length=400)] | None = Field(
        None, description="What the service said; absent where it said nothing."
    )
    prompt_tokens: Count | None = Field(None, description="Tokens read.")
    generated_tokens: Count | None = Field(None, description="Tokens written.")
    tool_calls: Count | None = Field(None, description="Tool calls.")
    outcome: Outcome = Field(description="The terminal code.")

    model_config = example(
        '{"request": "r-1", "attempt": 0, "arm": "residual", "trigger": "first", "elapsed_ms": 84.3, "outcome": "ok"}'
    )
