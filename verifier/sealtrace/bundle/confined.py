"""What a process may take that opens bytes which nobody vouches for."""

from __future__ import annotations

import math
import sys
import time
from contextlib import suppress
from pathlib import Path


def command(module: str) -> list[str]:
    """Runs `serve` of a module: isolated from PYTHON* and the working directory, with the caller's own import path."""
    program = f"import sys; sys.path[:] = {sys.path!r}; from {module} import serve; serve()"
    return [sys.executable, "-I", "-c", program]


def confine(memory: int, written: int = 0) -> None:
    """What the operating system can forbid: more memory, longer files (none at all as a rule), a core dump."""
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limits, macOS not all of them.
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (written, written))
        # Beside what it owns by now; files that it maps do not count.
        limit = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def allow_time(seconds: float) -> None:
    """Ends this process after some more processor time."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit = math.ceil(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def ended_by_clock(code: int) -> bool:
    """Whether a process with this exit code ran out of the time that it was allowed."""
    import signal

    return -code == getattr(signal, "SIGXCPU", 0)
