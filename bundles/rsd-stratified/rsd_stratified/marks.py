"""Which printed numbers of a column are the best and the second best; equal ones share the mark."""

from __future__ import annotations

from fractions import Fraction


def marks(printed: list[str], direction: str, *, second: bool) -> list[str | None]:
    """The mark of each cell of a column. What is printed decides, because that is what a reader compares."""
    numbers = [_number(text) for text in printed]
    ranks = sorted({number for number in numbers if number is not None}, reverse=direction == "higher")
    if len(ranks) < 2:
        return [None for _ in printed]
    names = {ranks[0]: "best"} | ({ranks[1]: "second"} if second else {})
    return [None if number is None else names.get(number) for number in numbers]


def _number(text: str) -> Fraction | None:
    """A printed decimal, share or multiple; None where nothing is available."""
    return None if text == "n/a" else Fraction(text.removesuffix("×"))
