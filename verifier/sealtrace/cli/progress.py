"""A progress bar on standard error: on a terminal only, and only for work that lasts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from sealtrace.bundle.asked import Asked
    from sealtrace.examination import Examination

PATIENCE = 1.0
"""Seconds before anything is shown."""
_QUIET = "sealtrace.quiet"
_Function = TypeVar("_Function", bound=Callable[..., Any])


def quiet_option(function: _Function) -> _Function:
    """Lets a command be told to show no progress."""

    def remember(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.meta[_QUIET] = value

    option = click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=remember, help="Show no progress bar."
    )
    return option(function)


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
    from rich.progress import BarColumn, Progress, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Speed(TextColumn):
        """How many rows, bytes or cells a second."""

        def __init__(self) -> None:
            super().__init__("")

        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.0f}/s", style="progress.data.speed")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        Speed(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def progress_bar() -> Iterator[_Bar | None]:
    """A bar to report to, or None where nobody would see it."""
    stream: TextIO | None = sys.stderr
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(_QUIET):
        yield None
        return
    if stream is None or not stream.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


def examined(bundle: Path | None, asked: Asked | None = None, **options: Any) -> Examination:
    """A bundle as every command sees it: under the project's settings, with a bar to look at."""
    from sealtrace.examination import examine
    from sealtrace.settings import Settings

    settings = click.get_current_context().find_object(Settings) or Settings()
    with progress_bar() as progress:
        return examine(bundle, progress=progress, **settings.examining(bundle, asked), **options)
