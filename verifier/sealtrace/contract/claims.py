"""What a reader claims that a paper says: a quotation, and formulas over the numbers of the paper."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sealtrace.contract.printed import Formula
from sealtrace.contract.scalars import Exact, Name, Record, Text, example


class Quotation(Record):
    """A passage of the paper, word for word."""

    at: Name | None = Field(None, description="The sentence's id, or the table's label; anywhere where absent.")
    quote: Text = Field(description="The words, as the outline prints them.")


class ClaimedSet(Record):
    """Cells that the quotation speaks of together."""

    cells: list[Formula] = Field(min_length=1, description="Addresses; one with * stands for a row or a column.")
    words: Text = Field(description="The words of a quotation that name them.")


class ClaimedConstant(Record):
    """A number that the paper does not print, or not here."""

    value: Exact = Field(description="The number, exactly.")
    kind: Literal["definition", "tolerance", "counted"] = Field(
        description="What it is: part of a definition, how much may differ, or what a reader counted."
    )
    because: Text = Field(description="What says so.")


class StatedClaim(Record):
    """One thing that a paper says of its numbers, whether it holds or not."""

    id: Name | None = Field(None, description="A name for it; its place in the file where absent.")
    at: Name | None = Field(None, description="The sentence's id, or the table's label; anywhere where absent.")
    quote: Text = Field(description="The words that say it, as the outline prints them.")
    readings: list[Formula] = Field(
        min_length=1, description="What the words can mean; the claim is broken only if every reading is."
    )
    also: list[Quotation] = Field(default=[], description="Other passages that it rests on.")
    sets: dict[Name, ClaimedSet] = Field(default={}, description="Name to cells that are spoken of together.")
    constants: dict[Name, ClaimedConstant] = Field(default={}, description="Name to a number that is not printed.")
    assumes: list[Text] = Field(default=[], description="What it needs that the paper states nowhere.")
    says: Text | None = Field(None, description="What it says, in other words.")

    model_config = example("""{
        "id": "share", "at": "s19", "quote": "Of the 48,200 records, 3,133 (5.0 %) were removed",
        "readings": ["#5.0% == 100 * #3,133 / #48,200"]
    }""")


class Claims(Record):
    """A file of claims about one paper, or about a paper and its supplements."""

    claims: list[StatedClaim] = Field(min_length=1, description="The claims.")

    model_config = example("""{
        "claims": [{"at": "s7", "quote": "ours gains 2.3 points of F1 over base",
            "readings": ["#2.3 == tab:main[ours, F1] - tab:main[base, F1]"]}]
    }""")
