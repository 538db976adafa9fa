"""From features to the group of a frozen partition."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from rsd_stratified.states import Values


def group_of(partition: dict[str, Any], features: Values) -> str:
    """The group of the leaf whose conditions all hold."""
    for leaf in partition["leaves"]:
        if all(_holds(condition, features) for condition in leaf["conditions"]):
            return str(leaf["group"])
    raise ValueError(f"no leaf of {partition['name']} holds {features}")


def _holds(condition: dict[str, Any], features: Values) -> bool:
    """feature < threshold where `below`, and not so otherwise; a double compares with a fraction exactly."""
    below = features[condition["feature"]] < _exact(condition["threshold"])
    return below is condition["below"]


@cache
def _exact(text: str) -> Fraction:
    return Fraction(text)
