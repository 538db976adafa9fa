"""How much may be spent on a question: steps, which every machine counts alike, and seconds for the whole run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_END: ContextVar[float | None] = ContextVar("end of the run", default=None)
_POT: ContextVar[Pot | None] = ContextVar("what a relation may cost", default=None)
_LOOKS = 64
"""How many steps are taken between two looks at the clock."""


class OutOfWorkError(Exception):
    """The question costs more than it may; the message says what ran out."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Everything inside stops when the seconds are over; None for no limit."""
    token = _END.set(None if seconds is None else time.process_time() + seconds)
    try:
        yield
    finally:
        _END.reset(token)


def time_is_up() -> bool:
    """Whether the seconds of the run are used up."""
    end = _END.get()
    return end is not None and time.process_time() > end


@dataclass
class Pot:
    """Steps that everything about one relation shares: deciding it, explaining it, and trying its repairs."""

    left: int


@contextmanager
def shared(steps: int) -> Iterator[Pot]:
    """Whatever is spent inside is taken from one pot besides; within another pot, from that one, too."""
    outer, pot = _POT.get(), Pot(steps)
    token = _POT.set(pot)
    try:
        yield pot
    finally:
        _POT.reset(token)
        if outer is not None:
            outer.left -= steps - pot.left


class Work:
    """Steps that are left."""

    def __init__(self, steps: int = 300_000, boxes: int = 2000, halvings: int = 250) -> None:
        self.steps = steps
        self.boxes = boxes
        self.halvings = halvings
        self._until_look = 0

    def spend(self, steps: int) -> None:
        """Takes steps of arithmetic."""
        self.steps -= steps
        if (pot := _POT.get()) is not None:
            pot.left -= steps
        if self.steps < 0 or (pot is not None and pot.left < 0):
            raise OutOfWorkError("the steps allowed for one relation are used up")
        self._until_look -= steps
        if self._until_look < 0:
            self._until_look = _LOOKS
            if time_is_up():
                raise OutOfWorkError("the seconds of the run are used up")

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
