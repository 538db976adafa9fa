"""How much may be spent on a question. Counted in steps, not seconds, so that every machine gives the same answer."""

from __future__ import annotations


class OutOfWorkError(Exception):
    """The question costs more than it may; the message says what ran out."""


class Work:
    """Steps that are left."""

    def __init__(self, steps: int = 300_000, boxes: int = 2000, halvings: int = 250) -> None:
        self.steps = steps
        self.boxes = boxes
        self.halvings = halvings

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

    def halve(self) -> None:
        """Takes one division of a range of real numbers."""
        self.halvings -= 1
        if self.halvings < 0:
            raise OutOfWorkError("the two sides are too close to be told apart")
