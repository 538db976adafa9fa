"""Where output goes: the renderings that are wanted, their width and colours, and a progress bar meanwhile."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from sealtrace.bundle.defects import BundleError, real_path
from sealtrace.bundle.placing import replace_files
from sealtrace.report.formats import BY_NAME, Showing, sentence
from sealtrace.report.inert import harmless
from sealtrace.settings import Settings

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from sealtrace.bundle.budget import Asked
    from sealtrace.contract.result import Result
    from sealtrace.examination import Examination


def _on_terminal() -> bool:
    """Whether somebody reads along; standard output may even be closed."""
    stream: TextIO | None = sys.stdout
    return stream is not None and stream.isatty()


def paint(text: str, colour: str) -> str:
    """Text in colour: on a terminal only, and never under NO_COLOR."""
    wanted = _on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return click.style(text, fg=colour, bold=True) if wanted else text


def text_width() -> int:
    """The terminal's width within reason; 80 in a pipe."""
    if not _on_terminal():
        return 80
    return max(40, min(shutil.get_terminal_size().columns, 120))


def complain(sentence: str) -> None:
    """Says on standard error what is wrong."""
    click.echo(f"sealtrace: {harmless(sentence)}", err=True)


def write_output(text: str, output: Path | None, bundle: Path | None) -> None:
    """To standard output, or to a file that is not part of the bundle."""
    if bundle is not None and output is not None:
        refuse_input(output, bundle)
    _write_all([(output, text)])


def _write_all(texts: Sequence[tuple[Path | None, str]]) -> None:
    """Files are replaced whole, and none before all of them are on the disk; then standard output."""
    texts = [(None if path is not None and _is_standard_output(path) else path, text) for path, text in texts]
    files = {path: text.encode() for path, text in texts if path is not None}
    streams = {path: data for path, data in files.items() if _is_stream(path)}
    try:
        replace_files({path: data for path, data in files.items() if path not in streams})
        for path, data in streams.items():
            # Behind what is there: where `>>` has opened a file, that is somebody's.
            with open(path, "ab", opener=_opened_at_once) as file:
                file.write(data)
    except OSError as error:
        place = error.filename or next(iter(files))
        raise BundleError(f"{place}: cannot be written ({error.strerror or error})") from None
    for text in (text for path, text in texts if path is None):
        _write_out(text)


def _is_stream(path: Path) -> bool:
    """A pipe, a device, or a name of an open file such as /dev/stdout: no other file may take its place."""
    named = real_path((path.parent / os.readlink(path) if path.is_symlink() else path).parent)
    opened = named.is_relative_to("/proc") or named.is_relative_to("/dev/fd")
    return path.exists() and (opened or not path.is_file())


def _is_standard_output(path: Path) -> bool:
    """Whether it is another name of where this process prints: opened twice, each would write over the other."""
    try:
        return _is_stream(path) and os.path.samestat(path.stat(), os.fstat(1))
    except OSError:  # closed
        return False


def _opened_at_once(path: str, flags: int) -> int:
    """A pipe that nobody reads is refused by the system instead of waited for."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if os.name != "nt":
        os.set_blocking(descriptor, True)
    return descriptor


def refuse_input(output: Path, given: Path) -> None:
    """A report never replaces what it is made from, and never becomes a part of it."""
    if given.is_dir() and real_path(output).is_relative_to(real_path(given)):
        raise BundleError(f"{output}: inside the bundle; a report written there would spoil it")
    if real_path(output) == real_path(given):
        raise BundleError(f"{output}: that is what the report is made from")


def way_down(path: Path) -> str | None:
    """The way to a directory as the workspace has it: a build's, or the repository that it lies in, or the working
    directory; None where it is elsewhere, or on another drive."""
    from sealtrace.paper.papers import is_repository  # Not needed before there is something to show.

    place = real_path(path)
    given = os.environ.get("GITHUB_WORKSPACE")
    tops = [real_path(Path(given))] if given else []
    tops += [top for top in (place, *place.parents) if is_repository(top)][:1]
    for top in (*tops, Path.cwd()):
        try:
            way = Path(os.path.relpath(place, top))
        except ValueError:
            return None
        if ".." not in way.parts:
            return "" if way == Path() else f"{way.as_posix()}/"
    return None


def _write_out(text: str) -> None:
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise BundleError("standard output is closed")
    try:
        click.echo(text, nl=False)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BundleError(f"standard output cannot be written to ({error.strerror or error})") from None


PATIENCE = 1.0
"""Seconds before anything is shown."""
_QUIET = "sealtrace.quiet"
_Function = TypeVar("_Function", bound=Callable[..., object])


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
    from rich.console import Console  # takes time to import, and most commands end before
    from rich.progress import Progress, ProgressColumn, Task
    from rich.text import Text

    class Speed(ProgressColumn):
        """How many rows, bytes or cells a second."""

        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.0f}/s")

    columns = (*Progress.get_default_columns(), Speed())
    return Progress(*columns, console=Console(stderr=True), transient=True)


@contextmanager
def progress_bar() -> Iterator[_Bar | None]:
    """A bar to report to, or None where nobody would see it."""
    stream: TextIO | None = sys.stderr
    context = click.get_current_context(silent=True)
    quiet = context is not None and context.meta.get(_QUIET)
    if quiet or stream is None or not stream.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


def examined(bundle: Path | None, asked: Asked | None = None, **options: Any) -> Examination:
    """Examines a bundle under the project's settings, with a progress bar."""
    from sealtrace.examination import examine

    settings = click.get_current_context().find_object(Settings) or Settings()
    with progress_bar() as progress:
        return examine(bundle, progress=progress, **settings.examining(bundle, asked), **options)


_NAMED = re.compile(r"([a-z]+)=(.*)", re.DOTALL)

root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help=r"Read what PAPER puts in (\input) from anywhere below DIR; by default, the top of its repository.",
)


@dataclass(frozen=True)
class Outputs:
    """The renderings that are wanted."""

    places: list[tuple[str, Path | None]]
    """Each format and where it goes: a file, or standard output (None)."""
    beside: tuple[str, ...] = ()
    """Files that hold the whole report, unless a format was also asked for on standard output."""

    def refuse(self, *inputs: Path | None) -> None:
        """Before any work is done: no report where a bundle or a paper is, or where there is no directory."""
        for path in filter(None, (path for _, path in self.places)):
            for given in filter(None, inputs):
                refuse_input(path, given)
            if not path.parent.is_dir():
                raise BundleError(f"{path}: cannot be written (there is no directory {path.parent})")

    @property
    def details(self) -> bool:
        """Whether one of them needs the details, which are collected only when asked for."""
        return any(BY_NAME[form].details for form, _ in self.places)

    def write(self, result: Result, showing: Showing) -> None:
        """Renders everything before the first file is touched; files are then replaced whole.

        A terminal gets what is as wide and as colourful as it is; a file is the same everywhere.
        """
        seen = replace(showing, width=text_width(), paint=paint, beside=self.beside)
        texts = [(path, BY_NAME[form].render(result, showing if path else seen)) for form, path in self.places]
        _write_all(texts)


_ENDINGS = {f".{known.extension}": name for name, known in BY_NAME.items() if known.extension}


def output_options(everything: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Gives a command the arguments `outputs` and `everything`; FORMATS in its help becomes what each format is for.

    `everything` says what `--all` lists besides.
    """

    def add(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def parsed(*args: object, forms: tuple[str, ...], named: tuple[str, ...], **given: object) -> int:
            places = _places(forms, named)
            whole = () if forms else tuple(str(path) for form, path in places if path and BY_NAME[form].whole)
            return command(*args, outputs=Outputs(places, whole), **given)

        parsed.__doc__ = (command.__doc__ or "").replace("FORMATS", f"Formats: {sentence()}.")
        where = click.option(
            "-o",
            "--output",
            "named",
            multiple=True,
            metavar="[FORMAT=]FILE",
            help="Write to FILE instead of standard output: FORMAT, or that of --format, or of its ending; repeatable.",
        )
        how = click.option(
            "--format",
            "forms",
            multiple=True,
            type=click.Choice(list(BY_NAME)),
            help="How to render; repeatable, the others with -o FORMAT=FILE.  [default: text]",
        )
        listed = click.option("--all", "--verbose", "everything", is_flag=True, help=everything)
        return how(where(listed(quiet_option(parsed))))

    return add


def _places(forms: Sequence[str], outputs: Sequence[str]) -> list[tuple[str, Path | None]]:
    """Files first, then at most one rendering for standard output."""
    given = [_parsed(output) for output in outputs]
    if not forms:
        # Nobody named a format, so the ending of a file tells it.
        given = [(form or _ENDINGS.get(path.suffix), path) for form, path in given]
    plain = [path for form, path in given if form is None]
    places: list[tuple[str, Path | None]] = [(form, path) for form, path in given if form is not None]
    free = [form for form in dict.fromkeys(forms or ("text",)) if form not in dict(places)]
    if plain and (len(plain) > 1 or len(free) != 1):
        raise click.UsageError(f"-o {plain[-1]}: say which format it is for, as in -o {(free or ['json'])[0]}=FILE")
    if len(free) > 1:
        advice = " ".join(f"-o {form}=FILE" for form in free[1:])
        raise click.UsageError(f"only one of {', '.join(free)} can go to standard output; write the rest with {advice}")
    places += [(form, plain[0] if plain else None) for form in free]
    taken: dict[Path, str] = {}
    for form, path in places:
        if path is not None and (place := real_path(path)) in taken:
            raise click.UsageError(f"{taken[place]} and {form} cannot both be written to {path}")
        taken |= {} if path is None else {real_path(path): form}
    return places


def _parsed(output: str) -> tuple[str | None, Path]:
    """A format, where one is named, and a file."""
    found = _NAMED.fullmatch(output)
    form, name = (found.group(1), found.group(2)) if found else (None, output)
    if form is not None and form not in BY_NAME:
        raise click.UsageError(
            f"-o {output}: there is no format {form!r}, only {', '.join(BY_NAME)}; a file of that name is ./{output}"
        )
    if not name:
        raise click.UsageError(f"-o {output}: the name of a file is missing")
    path = Path(name)
    if path.is_dir():
        raise click.UsageError(f"-o {output}: {name} is a directory")
    return form, path
