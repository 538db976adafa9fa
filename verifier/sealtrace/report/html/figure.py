"""A plot with its words and its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from markupsafe import Markup


@dataclass(frozen=True)
class Figure:
    """What a reader sees, and the same as a table."""

    title: str
    caption: str
    pictures: list[Markup]
    columns: list[str]
    rows: list[list[str]]
    legend: list[Markup] = field(default_factory=list)
    wide: bool = False
    """Pictures that need the whole width, one below the other."""
