"""What is observed, and what the teacher said of it."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from sealtrace.contract.scalars import Actions, ByAction, Count, Name, Number, Record


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

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "state": "0000",
                    "split": "calibration",
                    "legal": ["fold", "call", "raise"],
                    "hero": "J",
                    "board": ["Q"],
                    "position": "BB",
                    "pot": 4,
                    "stack": 16,
                    "history": ["check", "raise"],
                }
            ]
        }
    )


class Teacher(Record):
    """The cached teacher's record of one state."""

    state: Name = Field(description="The observed state.")
    split: Name = Field(description="The split of that state.")
    values: ByAction | None = Field(None, description="The teacher's action values.")
    distribution: ByAction = Field(description="The cached teacher distribution over legal actions.")
    value: Number | None = Field(None, description="The teacher's value of the state.")
    visits: Count | None = Field(None, description="Samples behind the record, where it was sampled.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "state": "0000",
                    "split": "calibration",
                    "values": {"fold": -2, "call": -6, "raise": -0.5},
                    "distribution": {"fold": 0.25, "call": 0.25, "raise": 0.5},
                    "value": -1.25,
                }
            ]
        }
    )
