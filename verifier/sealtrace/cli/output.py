"""Where output goes, how wide it is, and whether it has colour."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TextIO

import click

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.replacing import replace_file


def colour_wanted() -> bool:
    """Colour on a terminal only, and never under NO_COLOR."""
    return _on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _on_terminal() -> bool:
    """Whether somebody reads along; standard output may even be closed."""
    stream: TextIO | None = sys.stdout
    return stream is not None and stream.isatty()


def paint(text: str, colour: str) -> str:
    """Coloured text, where colour is wanted."""
    return click.style(text, fg=colour, bold=True) if colour_wanted() else text


def text_width() -> int:
    """The terminal's width within reason; 80 in a pipe."""
    if not _on_terminal():
        return 80
    return max(40, min(shutil.get_terminal_size().columns, 120))


def write_output(text: str, output: Path | None, bundle: Path | None) -> None:
    """To standard output, or to a file that is not part of the bundle."""
    if output is None:
        _write_out(text)
        return
    if bundle is not None:
        refuse_input(output, bundle)
    try:
        if output.exists() and not output.is_file():
            # A device is written to as it is.
            output.write_text(text, encoding="utf-8", newline="\n")
        else:
            replace_file(output, text.encode())
    except OSError as error:
        raise BundleError(f"{output}: cannot be written ({error.strerror or error})") from None


def refuse_input(output: Path, given: Path) -> None:
    """A report never replaces what it is made from, and never becomes a part of it."""
    if given.is_dir() and output.resolve().is_relative_to(given.resolve()):
        raise BundleError(f"{output}: inside the bundle; a report written there would spoil it")
    if output.resolve() == given.resolve():
        raise BundleError(f"{output}: that is what the report is made from")


def way_down(path: Path) -> str | None:
    """The way from the working directory down to a directory; None where it is elsewhere, or on another drive."""
    try:
        way = Path(os.path.relpath(path))
    except ValueError:
        return None
    if ".." in way.parts or way.is_absolute():
        return None
    return "" if way == Path() else f"{way.as_posix()}/"


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
