"""A printed number in its place: how a cell is addressed, and whether a number there was counted or rounded."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sealtrace.paper.number_grammar import PrintedNumber, Rule

__all__ = ["Fact", "Rule", "cell_id", "fact_of", "is_rounded", "is_whole", "plain_address"]

Fact = PrintedNumber
"""What recipes that are sealed call it."""


def cell_id(table: object, row: object, column: object) -> str:
    """How a cell is addressed, in every command and format."""
    return f"{table}[{row}, {column}]"


def fact_of(
    number: PrintedNumber,
    address: str,
    source: str | None,
    line: int | None,
    table: str | None = None,
    row: str = "",
    column: str = "",
    part: str | None = None,
    *,
    measured: bool = False,
) -> PrintedNumber:
    """A number of a sentence, or of a cell by its table, row and column: one with decimals was rounded, and so was an
    integer that was measured; others are counts."""
    rounded = number.unit and (measured or number.relation == "≈" or is_rounded(number))
    interval = (number.low, number.high) if rounded else (number.value, number.value)
    return replace(
        number,
        unit=number.unit or Fraction(1),
        relation="",
        interval=interval,
        address=address,
        source=source,
        line=line,
        table=table,
        row=row,
        column=column,
        part=part,
    )


def is_rounded(number: PrintedNumber) -> bool:
    """Whether a number shows by itself that it was rounded."""
    return number.unit not in (0, 1) or not is_whole(number.text)


def is_whole(text: str) -> bool:
    """Whether a text is a whole number and nothing else; thousands may be parted by commas or thin spaces."""
    return "".join(text.lstrip("+-").replace(",", "").split()).isdecimal()


def plain_address(fact: PrintedNumber) -> str:
    """The address of a number, the same whether it is read as a count, as rounded or as printed."""
    return fact.plain_address
