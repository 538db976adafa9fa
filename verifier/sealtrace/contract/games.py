"""Small games, and strategies of whole games."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from sealtrace.contract.scalars import ByAction, Count, Exact, Name, Record

Positive = Annotated[int, Field(strict=True, ge=1, le=1000)]


class GameRules(Record):
    """A poker game for two with one private card each and a public card between two betting rounds, if there are two.

    Player 0 acts first in each round; a fold is legal only against a raise; a pair with the public card wins, then the
    higher card. Information sets are named after what the player sees, with one letter per action: in `K:crc/Q:r` the
    player holds a king, the first round went check, raise, call, the public card is a queen, and a raise is to be met.
    """

    game: Name = Field(description="The game's name.")
    ranks: Annotated[list[Name], Field(min_length=2, max_length=13)] = Field(
        description="The ranks from low to high, one letter or digit each."
    )
    copies: Annotated[int, Field(strict=True, ge=1, le=4)] = Field(description="Cards of each rank.")
    ante: Positive = Field(description="What each player pays first.")
    raises: Annotated[list[Positive], Field(min_length=1, max_length=2)] = Field(
        description="The size of a raise in each betting round; there are as many rounds."
    )
    most_raises: Annotated[int, Field(strict=True, ge=1, le=4)] = Field(description="Raises that a round allows.")
    tolerance: Exact = Field(description="Allowed distance of a strategy's sum from one, and of replayed numbers.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "game": "leduc",
                    "ranks": ["J", "Q", "K"],
                    "copies": 2,
                    "ante": 1,
                    "raises": [2, 4],
                    "most_raises": 2,
                    "tolerance": "1e-12",
                }
            ]
        }
    )


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
                    "information_set": "J:",
                    "player": 0,
                    "probabilities": {"call": 0.5, "raise": 0.5},
                }
            ]
        }
    )
