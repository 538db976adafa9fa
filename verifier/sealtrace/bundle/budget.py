"""What its reader asks of one run, and how much memory, time and reading it may spend, asked for before it is spent.

A bundle is untrusted input: a few kilobytes can claim to hold terabytes. What does not fit ends the run without a
verdict, and the message says what was not looked at.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from sealtrace.bundle.defects import BundleError
from sealtrace.process import ending_after

GIB = 2**30
_SPENDING = Lock()
"""Threads share a budget: what one adds while another does must not be lost."""
INCIDENTS: list[str] = []
"""What this process ran out of, or lost, and went on without: another run might have seen more."""
_NAMED = 12
"""Most files or checks that a message names as not looked at."""


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


def reading_within(seconds: float, what: str) -> AbstractContextManager[None]:
    """Reading a paper inside is ended with `BudgetError` when these seconds of the processor's time are over."""
    return ending_after(seconds, BudgetError(f"the seconds were up while {what} was read (--seconds)"))


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
    """The words by which the reviewer had rows drawn."""
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
