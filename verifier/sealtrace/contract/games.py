"""Strategies of whole games."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from sealtrace.contract.scalars import ByAction, Count, Name, Record


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
