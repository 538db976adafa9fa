"""Strategies of whole games, and recorded behaviour."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from sealtrace.records.scalars import ByAction, Count, Name, Record


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


class Label(Record):
    """Recorded behaviour, and what a policy predicted of it."""

    item: Name = Field(description="The labelled item.")
    split: Name = Field(description="Its split.")
    label: Name = Field(description="What was recorded.")
    block: Name | None = Field(None, description="The independent block, such as a player group.")
    predictions: ByAction | None = Field(None, description="Predicted probability of each label.")

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"item": "hand-1", "split": "evaluation", "label": "raise"}]}
    )
