"""How much may be spent on a question: steps, which every machine counts alike, and seconds for the whole run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TypeVar, cast

from sealtrace.process import alarm

Answered = TypeVar("Answered")

_END: ContextVar[float | None] = ContextVar("end of the run", default=None)
_NOW: ContextVar[Work | None] = ContextVar("what the question at hand may cost", default=None)
MEMORY: ContextVar[dict[Hashable, object] | None] = ContextVar("answers that are known", default=None)

_LOOKS = 64
"""How many steps are taken between two looks at the clock."""


class OutOfWorkError(Exception):
    """The question costs more than it may; the message says what ran out."""


class _OutOfTimeError(Exception):
    """The seconds of the run were used up in the middle of a question."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Everything inside stops when the seconds are over; None for no limit."""
    token = _END.set(None if seconds is None else time.process_time() + seconds)
    try:
        yield
    finally:
        _END.reset(token)


@contextmanager
def within_time() -> Iterator[None]:
    """What goes on inside is given up when the seconds are over, even where it never looks at the clock."""
    end = _END.get()
    try:
        with nullcontext() if end is None else alarm(end - time.process_time(), _OutOfTimeError()):
            yield
    except _OutOfTimeError:
        _END.set(-math.inf)  # the alarm's clock may be ahead of the one that is looked at


def time_is_up() -> bool:
    """Whether the seconds of the run are used up."""
    end = _END.get()
    return end is not None and time.process_time() > end


def recall(question: Hashable, answer: Callable[[], Answered]) -> Answered:
    """The answer to a question that names everything which it depends on; computed, unless it is remembered."""
    memory = MEMORY.get()
    if memory is None:
        return answer()
    if question not in memory:
        memory[question] = answer()
    return cast("Answered", memory[question])


class Work:
    """Steps that everything inside `with work:` may cost together; they are taken from the work around it, too."""

    def __init__(self, steps: int = 300_000) -> None:
        self.left = steps
        self._until_look = 0

    def __enter__(self) -> Work:
        self._outer = _NOW.get()
        if self._outer is not None:
            self.left = min(self.left, self._outer.left)
        self._given = self.left
        self._token = _NOW.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _NOW.reset(self._token)
        if self._outer is not None:
            self._outer.left -= self._given - self.left


class Allowance:
    """Steps that many questions share: each gets its full share while some are left, and a short one afterwards.

    What a question may cost does not depend on those before it in any other way, so that answers can be remembered.
    """

    def __init__(self, steps: int, each: int, shortly: int = 0) -> None:
        self.left, self.each, self.shortly = steps, each, shortly

    def ask(self, question: Hashable, answer: Callable[[], Answered], otherwise: Answered) -> Answered:
        """The answer, or the other one where it costs more than is left."""
        given = self.each if self.left > 0 else self.shortly

        def counted() -> tuple[Answered, int]:
            with Work(given) as work:
                try:
                    return answer(), given - work.left
                except OutOfWorkError:
                    return otherwise, given - work.left

        if given <= 0 or time_is_up():
            return otherwise
        found, spent = recall((question, given), counted)
        self.left -= spent
        return found


@contextmanager
def unmetered() -> Iterator[None]:
    """What goes on inside costs nothing: for explanations, whose cost grows with their own length only."""
    token = _NOW.set(None)
    try:
        yield
    finally:
        _NOW.reset(token)


def spend(steps: int) -> None:
    """Takes steps of arithmetic from the work at hand; outside of any they cost nothing."""
    work = _NOW.get()
    if work is None:
        return
    work.left -= steps
    if work.left < 0:
        raise OutOfWorkError("the steps allowed for one relation are used up")
    work._until_look -= steps
    if work._until_look < 0:
        work._until_look = _LOOKS
        if time_is_up():
            raise OutOfWorkError("the seconds of the run are used up")
