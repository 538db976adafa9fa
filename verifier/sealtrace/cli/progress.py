"""A progress bar on standard error: on a terminal only, and only for work that lasts."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0
"""Seconds before anything is shown."""


class _Bar:
    """Shows steps once they have lasted a while."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._shown: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, step: str, done: int, total: int) -> None:
        if self._shown is None:
            if time.monotonic() - self._started < PATIENCE:
                return
            self._shown = _rich_progress()
            self._shown.start()
        if step not in self._tasks:
            self._tasks[step] = self._shown.add_task(step, total=total)
        self._shown.update(self._tasks[step], completed=done, total=total)

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self._shown is not None:
            self._shown.stop()


def _rich_progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def progress_bar() -> Iterator[_Bar | None]:
    """A bar to report to, or None where nobody would see it."""
    stream: TextIO | None = sys.stderr
    if stream is None or not stream.isatty() or find_spec("rich") is None:
        yield None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()
