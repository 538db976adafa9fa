"""Labelled items, what models predicted of them, and measurements."""

from __future__ import annotations

from pydantic import Field

from sealtrace.contract.scalars import ByAction, Count, Name, Number, Record, example


class Label(Record):
    """What was recorded of one item: behaviour, or the right answer."""

    item: Name = Field(description="The labelled item.")
    split: Name = Field(description="Its split.")
    label: Name = Field(description="What was recorded.")
    block: Name | None = Field(None, description="The independent block, such as a player group.")
    predictions: ByAction | None = Field(None, description="Predicted probability of each label.")

    model_config = example('{"item": "hand-1", "split": "evaluation", "label": "raise"}')


class Prediction(Record):
    """What one model said of one item."""

    item: Name = Field(description="The item.")
    model: Name = Field(description="The model, or a model and its seed.")
    predicted: Name | None = Field(None, description="The label that it predicted.")
    score: Number | None = Field(None, description="The number that it gave, such as a confidence.")
    run: Name | None = Field(None, description="The run that produced it.")

    model_config = example('{"item": "hand-1", "model": "prior", "predicted": "raise", "score": 0.75}')


class Measurement(Record):
    """One sealed measurement, such as a search time: what no recomputation can give again."""

    quantity: Name = Field(description="What was measured.")
    subject: Name = Field(description="Of what.")
    repeat: Count = Field(description="The measurement's index, from zero.")
    value: Number = Field(description="The measured value.")
    unit: Name = Field(description="Its unit.")

    model_config = example('{"quantity": "map-search", "subject": "depth-2", "repeat": 0, "value": 0.68, "unit": "ms"}')
