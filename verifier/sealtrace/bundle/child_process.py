"""A Python process of its own for work that may crash, hang or take all memory; it is asked in lines of JSON."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any


class ChildProcess:
    """A process that serves one question after the other."""

    def __init__(self, module: str) -> None:
        """Starts the function `serve` of a module."""
        # Isolated from PYTHON* and the working directory, but with the caller's own import path.
        program = f"import sys; sys.path[:] = {sys.path!r}; from {module} import serve; serve()"
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self.pid = self._process.pid
        self.late = False
        """Whether it was ended because an answer took too long, by the wall clock or the processor's."""

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def ask(self, message: dict[str, Any], seconds: float) -> str | None:
        """The line that answers, within so many seconds of the wall clock; None where the process has ended instead."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None

        def stop() -> None:
            self.late = True
            self._process.kill()

        timer = threading.Timer(seconds, stop)
        timer.start()
        try:
            with suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps(message) + "\n")
                self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
            timer.join()
        if line.endswith("\n") and not self.late:
            return line
        self.end()
        self.late = self.late or -self._process.returncode == getattr(signal, "SIGXCPU", 0)
        return None

    def end(self) -> None:
        """Ends it, whatever it does."""
        self._process.kill()
        if self._process.stdout is not None and not self._process.stdout.closed:
            with suppress(BrokenPipeError):
                self._process.communicate()
