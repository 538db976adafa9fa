"""The process of a command: whether it is sealtrace's own, and what ends work that takes too long in it.

Apart from the rooms, because the lightest of them ask: what reads a number of a paper asks how much time is left.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import current_thread, main_thread

OWN_PROCESS = False
"""Whether nobody else's code runs in this process, so that the operating system may end what was not foreseen."""
_END: ContextVar[tuple[float, Exception] | None] = ContextVar("when a paper must have been read, and what is raised")
_asked = 0
_LOOKS = 256
"""How many times `keep_reading` is asked between two looks at the clock."""


@contextmanager
def ending_after(seconds: float, error: Exception) -> Iterator[None]:
    """Raises this error inside when these seconds of the processor's time are over.

    Readers ask in their loops. In a process of its own, an alarm also ends what does not ask, such as a library.
    """
    token = _END.set((time.process_time() + seconds, error))
    try:
        with alarm(seconds, error):
            yield
    finally:
        _END.reset(token)


@contextmanager
def alarm(seconds: float, error: Exception) -> Iterator[None]:
    """Ends what goes on inside for longer than these seconds of the processor's time, in a process of its own."""
    if not (OWN_PROCESS and hasattr(signal, "ITIMER_PROF") and current_thread() is main_thread()):
        yield
        return

    def ring(*_: object) -> None:
        raise error

    before = signal.signal(signal.SIGPROF, ring)
    try:
        # Once a second, in case one is not heard: what is raised in a destructor is lost.
        signal.setitimer(signal.ITIMER_PROF, max(seconds, 1e-3), 1.0)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def seconds_for_reading(most: float) -> float:
    """How many seconds of the processor's time a reader still has, of so many that it would take."""
    end = _END.get(None)
    return most if end is None else max(0.1, min(most, end[0] - time.process_time()))


def keep_reading() -> None:
    """Asked in the loops of readers: raises where the time for reading is over."""
    global _asked
    _asked += 1
    # To ask the clock every time would cost more than most loops do.
    if _asked % _LOOKS == 0 and (end := _END.get(None)) is not None and time.process_time() > end[0]:
        raise end[1]
