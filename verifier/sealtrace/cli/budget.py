"""`--max-memory`, `--max-bytes` and `--max-seconds`: what one run may spend."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

OWN_PROCESS = False
"""Whether the process is this program's own, so that the operating system may end what was not foreseen."""

_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _bytes(value: str | None) -> int | None:
    if value is None:
        return None
    found = _SIZE.fullmatch(value.strip())
    if found is None or not (count := int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))):
        raise click.BadParameter(f"{value!r} is not an amount of bytes, such as 8G or 500M")
    return count


def budget_options(function: _Function) -> _Function:
    """Lets a command be given more, or less, than suits a laptop."""

    def memory(context: click.Context, _: click.Parameter, value: str | None) -> None:
        _set(context, "memory", _bytes(value))
        _backstop_memory()

    def reading(context: click.Context, _: click.Parameter, value: str | None) -> None:
        _set(context, "reading", _bytes(value))

    def seconds(context: click.Context, _: click.Parameter, value: float | None) -> None:
        _set(context, "seconds", value)
        _backstop_time()

    for name, kind, metavar, callback, help_ in (
        ("--max-seconds", click.FloatRange(min=0, min_open=True), "N", seconds, "End after N seconds.  [default: 900]"),
        ("--max-bytes", str, "SIZE", reading, "Read and unpack at most SIZE.  [default: 64G]"),
        ("--max-memory", str, "SIZE", memory, "Hold records of at most SIZE.  [default: 4G]"),
    ):
        option = click.option(name, type=kind, metavar=metavar, callback=callback, expose_value=False, help=help_)
        function = option(function)
    return function


def _set(context: click.Context, name: str, value: float | None) -> None:
    from sealtrace.bundle.budget import LIMITS

    if value is not None:
        before = getattr(LIMITS, name)
        context.call_on_close(lambda: setattr(LIMITS, name, before))
        setattr(LIMITS, name, value)


def _backstop_memory() -> None:
    """Twice what is allowed, and what is used already: estimates are estimates, and joins take room."""
    if not OWN_PROCESS:
        return
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limit, macOS no such file
        import resource

        from sealtrace.bundle.budget import GIB, LIMITS

        used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (used + 2 * LIMITS.memory + GIB, most))


def _backstop_time() -> None:
    """An alarm, for work that does not ask how much time is left; once a second, in case one is not heard."""
    if not OWN_PROCESS:
        return
    with suppress(ImportError, AttributeError, ValueError):  # Windows has no such alarm
        import signal

        from sealtrace.bundle.budget import LIMITS, BudgetError

        def ring(*_: object) -> None:
            raise BudgetError(f"{LIMITS.seconds:g} seconds were up (--max-seconds)")

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, LIMITS.seconds, 1.0)
