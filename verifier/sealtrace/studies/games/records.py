"""Strategies of whole games, and paired matches."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from sealtrace.contract.scalars import ByAction, Count, Name, Number, Record


class Profile(Record):
    """The strategy of one player at one information set."""

    profile: Name = Field(description="The profile's name, such as a checkpoint.")
    information_set: Name = Field(description="The information set.")
    player: Count = Field(description="The acting player.")
    probabilities: ByAction = Field(description="The strategy, by action name.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "profile": "uniform",
                    "information_set": "J|",
                    "player": 0,
                    "probabilities": {"call": 0.5, "raise": 0.5},
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
