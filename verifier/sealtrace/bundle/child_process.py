"""A Python process of its own for work that may crash, hang or take all memory, and what it may take at most.

`ChildProcess` asks one question after the other in lines of JSON; the rest of this module is for the process itself.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO


def command(module: str) -> list[str]:
    """Runs `serve` of a module: isolated from PYTHON* and the working directory, with the caller's own import path."""
    program = f"import sys; sys.path[:] = {sys.path!r}; from {module} import serve; serve()"
    return [sys.executable, "-I", "-c", program]


def ended_by_clock(code: int) -> bool:
    """Whether a process with this exit code ran out of the processor time that it was allowed."""
    return -code == getattr(signal, "SIGXCPU", 0)


class ChildProcess:
    """A process that serves one question after the other."""

    def __init__(self, module: str) -> None:
        """Starts the function `serve` of a module."""
        self._process = subprocess.Popen(
            command(module), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
        )
        self.pid = self._process.pid
        self.late = False
        """Whether it was ended because an answer took too long, by the wall clock or the processor's."""
        self._asked = threading.Condition()
        self._due = self._wakes = math.inf
        # One for all questions: to start a thread takes longer than most answers do.
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        """Ends the process when an answer is overdue."""
        with self._asked:
            while (left := self._due - time.monotonic()) > 0:
                self._wakes = self._due
                self._asked.wait(None if math.isinf(left) else left)
            if self.alive:
                self.late = True
                self._process.kill()

    def _expect(self, due: float) -> None:
        with self._asked:
            self._due = due
            if due < self._wakes:
                self._asked.notify()

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def ask(self, message: dict[str, object], seconds: float) -> str | None:
        """The line that answers, within so many seconds of the wall clock; None where the process has ended instead."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None

        self._expect(time.monotonic() + seconds)
        try:
            with suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps(message) + "\n")
                self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            self._expect(math.inf)
        if line.endswith("\n") and not self.late:
            return line
        self.end()
        self.late = self.late or ended_by_clock(self._process.returncode)
        return None

    def end(self) -> None:
        """Ends it, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._expect(-math.inf)
        if self._process.stdout is not None and not self._process.stdout.closed:
            with suppress(BrokenPipeError):
                self._process.communicate()


# Within the process


def own_output() -> IO[str]:
    """Where answers are written. Whatever else writes to standard output must not be taken for one."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


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
