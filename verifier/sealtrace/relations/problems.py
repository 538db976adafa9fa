"""What is wrong with a relations file: all of it in one run, each with its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that cannot be read, and where it stands."""

    message: str
    source: str
    line: int
    column: int = 1
    absent: bool = False
    """Whether it is only that a cell says n/a: a loop may pass over it."""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}: {self.message}"
