"""Files of foreign formats (workbooks, databases, statistical packages, arrays, events), each opened in a process of
its own that has limits of time and memory: a file that is damaged, encrypted or makes its reader crash costs itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

START_SECONDS = 30.0
WALL_FACTOR = 10
"""Seconds of the wall clock for one of the processor, on a machine that does other things as well."""


class ForeignReader:
    """A process that reads one file after the other, and is replaced where one ends it."""

    def __init__(self) -> None:
        self.spent = 0.0
        """Seconds of the processor that its processes took; the caller's own clock does not count them."""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def read(self, path: Path, kind: str, seconds: float) -> tuple[list[dict[str, Any]], list[str]]:
        """The tables and documents of a file, and what was left out of them; `ValueError` says why there are none."""
        process = self._process or self._start()
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(START_SECONDS + WALL_FACTOR * seconds, stop)
        timer.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError):
                request = {"path": str(path.resolve()), "kind": kind, "seconds": seconds}
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
            line = process.stdout.readline()
        finally:
            timer.cancel()
            timer.join()
        if not line.endswith("\n"):
            self._end()
            out_of_time = late.is_set() or _ended_by_clock(process.returncode)
            self.spent += seconds if out_of_time else 0.0
            raise ValueError(f"not read within {seconds:.0f} s" if out_of_time else "its reader crashed")
        answer = json.loads(line)
        self.spent += answer["spent"]
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["parts"], answer["left_out"]

    def _start(self) -> subprocess.Popen[str]:
        # Isolated from PYTHON* and the working directory, but with the caller's own import path.
        program = (
            f"import sys; sys.path[:] = {sys.path!r}; from sealtrace.binding.foreign_process import serve; serve()"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            with suppress(BrokenPipeError):
                self._process.communicate()
            self._process = None


def _ended_by_clock(code: int) -> bool:
    import signal

    return -code == getattr(signal, "SIGXCPU", 0)
