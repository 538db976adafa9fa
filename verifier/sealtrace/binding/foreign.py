"""Files of foreign formats (workbooks, databases, statistical packages, arrays, events), each opened in a process of
its own that has limits of time and memory: a file that is damaged, encrypted or makes its reader crash costs itself.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from sealtrace.binding.foreign_process import Part
from sealtrace.binding.written import parsed
from sealtrace.bundle.child_process import ChildProcess
from sealtrace.bundle.defects import real_path

START_SECONDS = 30.0
WALL_FACTOR = 10
"""Seconds of the wall clock for one of the processor, on a machine that does other things as well."""


class ForeignReader:
    """A process that reads one file after the other, and is replaced where one ends it."""

    def __init__(self) -> None:
        self.spent = 0.0
        """Seconds of the processor that its processes took; the caller's own clock does not count them."""
        self._process: ChildProcess | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._process.end()

    def read(self, path: Path, kind: str, seconds: float) -> tuple[list[Part], list[str]]:
        """The tables and documents of a file, and what was left out of them; `ValueError` says why there are none."""
        process = self._process or ChildProcess("sealtrace.binding.foreign_process")
        self._process = process
        request = {"path": str(real_path(path)), "kind": kind, "seconds": seconds}
        line = process.ask(request, START_SECONDS + WALL_FACTOR * seconds)
        if line is None:
            self._process = None
            self.spent += seconds if process.late else 0.0
            raise ValueError(f"not read within {seconds:.0f} s" if process.late else "its reader crashed")
        answer = parsed(line)
        self.spent += answer["spent"]
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["parts"], answer["left_out"]
