"""How much may be spent on a question. Counted in steps, not seconds, so that every machine gives the same answer."""

from __future__ import annotations


class OutOfWorkError(Exception):
    """The question costs more than it may; the message says what ran out."""


class Work:
    """Steps that are left."""

    def __init__(self, steps: int = 300_000, boxes: int = 4000) -> None:
        self.steps = steps
        self.boxes = boxes

    def spend(self, steps: int) -> None:
        """Takes steps of arithmetic."""
        self.steps -= steps
        if self.steps < 0:
            raise OutOfWorkError("the steps allowed for one relation are used up")

    def open_box(self) -> None:
        """Takes one case."""
        self.boxes -= 1
        if self.boxes < 0:
            raise OutOfWorkError("too many cases")
