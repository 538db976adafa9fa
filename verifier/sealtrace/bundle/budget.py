"""What its reader asks of one run, and how much memory, time and reading it may spend, asked for before it is spent.

A bundle is untrusted input: a few kilobytes can claim to hold terabytes. What does not fit ends the run without a
verdict, and the message says what was not looked at.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, current_thread, main_thread

from sealtrace import bundle
from sealtrace.bundle.defects import BundleError

GIB = 2**30
_SPENDING = Lock()
"""Threads share a budget: what one adds while another does must not be lost."""
INCIDENTS: list[str] = []
"""What this process ran out of, or lost, and went on without: another run might have seen more."""
_NAMED = 12
"""How many of the things that were not looked at are named."""


class BudgetError(BundleError):
    """The run would spend more than it may. There is no verdict."""

    def __init__(self, reason: str, unseen: Iterable[str] = ()) -> None:
        self.reason = reason
        self.unseen = list(unseen)
        named = self.unseen[:_NAMED]
        if more := len(self.unseen) - len(named):
            named.append(f"and {more} more")
        rest = f"\nnot looked at: {', '.join(named)}" if named else ""
        super().__init__(f"no verdict, because {reason}{rest}")


@dataclass
class Limits:
    """What a run may spend where nobody says otherwise; the defaults suit a laptop."""

    memory: int = 4 * GIB
    """Bytes of records held at once, as they are estimated before they are read."""
    reading: int = 64 * GIB
    """Bytes read or unpacked."""
    seconds: float = 900.0


LIMITS = Limits()
"""Those of this process; options of the command line raise them."""


@dataclass
class Budget:
    """What one run may spend, and has spent."""

    memory: int = field(default_factory=lambda: LIMITS.memory)
    reading: int = field(default_factory=lambda: LIMITS.reading)
    seconds: float = field(default_factory=lambda: LIMITS.seconds)
    started: float = field(default_factory=time.monotonic)
    held: int = 0
    done: int = 0

    def read(self, count: int, what: str) -> None:
        """Counts bytes that are about to be read or unpacked."""
        self.on_time(what)
        with _SPENDING:
            self.done += count
        if self.done > self.reading:
            raise BudgetError(
                f"{what} would bring what is read to {size(self.done)}, "
                f"and {size(self.reading)} are allowed (--max-bytes)"
            )

    def require_memory(self, count: int, what: str) -> None:
        """Raises `BudgetError` where this many bytes, needed for a while, would exceed the memory that is allowed."""
        if self.held + count > self.memory:
            before = f", beside {size(self.held)} of other records" if self.held else ""
            raise BudgetError(
                f"{what} needs about {size(count)} of memory{before}, and {size(self.memory)} are allowed "
                "(--max-memory)"
            )

    def hold(self, count: int, what: str) -> None:
        """Counts bytes that stay in memory until the run ends."""
        with _SPENDING:
            self.require_memory(count, what)
            self.held += count

    def on_time(self, what: str) -> None:
        """Raises `BudgetError` where no time is left for the next piece of work."""
        if self.seconds_left() <= 0:
            raise BudgetError(f"{self.seconds:g} seconds were up at {what} (--max-seconds)")

    def seconds_left(self) -> float:
        """How long the run may go on."""
        return self.started + self.seconds - time.monotonic()


# Papers: one budget of processor time, of which reading is a part

_END: ContextVar[tuple[float, str] | None] = ContextVar("when a paper must have been read, and how that is said")
_asked = 0
_LOOKS = 256
"""How many times `keep_reading` is asked between two looks at the clock."""


@contextmanager
def reading_within(seconds: float, what: str) -> Iterator[None]:
    """Reading inside is ended with `BudgetError` when these seconds of the processor's time are over.

    Readers ask in their loops. In a process of its own, an alarm also ends what does not ask, such as a library.
    """
    reason = f"the seconds were up while {what} was read (--seconds)"
    token = _END.set((time.process_time() + seconds, reason))
    try:
        with alarm(seconds, BudgetError(reason)):
            yield
    finally:
        _END.reset(token)


@contextmanager
def alarm(seconds: float, error: Exception) -> Iterator[None]:
    """Ends what goes on inside for longer than these seconds of the processor's time, in a process of its own."""
    if not (bundle.OWN_PROCESS and hasattr(signal, "ITIMER_PROF") and current_thread() is main_thread()):
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


def keep_reading() -> None:
    """Asked in the loops of readers: `BudgetError` where the time for reading is over."""
    global _asked
    _asked += 1
    # To ask the clock every time would cost more than most loops do.
    if _asked % _LOOKS == 0 and (end := _END.get(None)) is not None and time.process_time() > end[0]:
        raise BudgetError(end[1])


def size(count: int) -> str:
    """A number of bytes for people."""
    amount = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


@dataclass(frozen=True)
class Asked:
    """Keys and certificates come from the reader; a bundle can name none of them."""

    signatures: tuple[Path, ...] = ()
    """Public keys; each must have signed the root."""
    timestamps: tuple[str, ...] = ()
    """Stages, or `root`, that an authority must have seen."""
    authorities: tuple[Path, ...] = ()
    """Certificates of timestamping authorities, or of those that vouch for them."""
    sigstore_root: Path | None = None
    sigstore_identity: str | None = None
    """The trust root of a sigstore instance, and the e-mail address or URI that must have signed."""
    sigstore_issuer: str | None = None
    """Who must have told sigstore that it is them; any that the trust root admits where absent."""
    sigstore_required: bool = False
    """Whether that identity must have signed the root."""
    partial: tuple[Path, ...] = ()
    """Files of rows that were withheld and are disclosed now."""
    seed: str | None = None
    """What the reviewer drew the rows by."""
    count: int | None = None
    """How many rows the reviewer demanded: whoever chose how many could stop before a wrong one."""
    files: tuple[Path, ...] = ()
    """Witnesses outside the bundle."""
    root: str | None = None
    """The root digest that the paper names."""
    papers: tuple[Path, ...] = ()
    """Papers at hand, which must print what the bundle's table records say."""
    must_be_empty: tuple[tuple[str, str], ...] = ()
    """Names and queries of the reader's own that must return no rows."""
