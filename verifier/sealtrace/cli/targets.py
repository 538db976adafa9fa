"""`--format` and `-o`, both repeatable: which renderings are wanted, and where each of them goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from sealtrace.report.formats import Showing, sentence

Command = TypeVar("Command", bound=Callable[..., Any])

_NAMED = re.compile(r"([a-z]+)=(.*)", re.DOTALL)

root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help=r"Read what PAPER puts in (\input) from anywhere below DIR; by default, the top of its repository.",
)


@dataclass(frozen=True)
class Target:
    """One rendering and its place."""

    form: str
    path: Path | None
    """None stands for standard output."""


def format_options(forms: Sequence[str]) -> Callable[[Command], Command]:
    """Gives a command the arguments `forms` and `outputs`, which `targets_of` understands.

    FORMATS in the command's help becomes what each of the formats is for.
    """

    def add(command: Command) -> Command:
        command.__doc__ = (command.__doc__ or "").replace("FORMATS", f"Formats: {sentence(tuple(forms))}.")
        command = click.option(
            "-o",
            "--output",
            "outputs",
            multiple=True,
            metavar="[FORMAT=]FILE",
            help="Write to FILE instead of standard output: FORMAT, or the one that --format names; repeatable.",
        )(command)
        return click.option(
            "--format",
            "forms",
            multiple=True,
            type=click.Choice(list(forms)),
            help="How to render; repeatable, the others with -o FORMAT=FILE.  [default: text]",
        )(command)

    return add


def targets_of(forms: Sequence[str], outputs: Sequence[str], known: Sequence[str]) -> list[Target]:
    """Files first, then at most one rendering for standard output."""
    named: list[Target] = []
    plain: list[Path] = []
    for output in outputs:
        form, path = _parsed(output, known)
        if form is None:
            plain.append(path)
        else:
            named.append(Target(form, path))
    placed = {target.form for target in named}
    free = [form for form in dict.fromkeys(forms or ("text",)) if form not in placed]
    if plain and (len(plain) > 1 or len(free) != 1):
        raise click.UsageError(f"-o {plain[-1]}: say which format it is for, as in -o {(free or ['json'])[0]}=FILE")
    if len(free) > 1:
        advice = " ".join(f"-o {form}=FILE" for form in free[1:])
        raise click.UsageError(f"only one of {', '.join(free)} can go to standard output; write the rest with {advice}")
    targets = [*named, *(Target(form, plain[0] if plain else None) for form in free)]
    _refuse_one_file_twice(targets)
    return targets


def _parsed(output: str, known: Sequence[str]) -> tuple[str | None, Path]:
    """A format, where one is named, and a file."""
    found = _NAMED.fullmatch(output)
    form, name = (found.group(1), found.group(2)) if found else (None, output)
    if form is not None and form not in known:
        raise click.UsageError(
            f"-o {output}: there is no format {form!r}, only {', '.join(known)}; a file of that name is ./{output}"
        )
    if not name:
        raise click.UsageError(f"-o {output}: the name of a file is missing")
    path = Path(name)
    if path.is_dir():
        raise click.UsageError(f"-o {output}: {name} is a directory")
    return form, path


def _refuse_one_file_twice(targets: list[Target]) -> None:
    taken: dict[Path, str] = {}
    for target in targets:
        if target.path is None:
            continue
        place = target.path.resolve()
        if place in taken:
            raise click.UsageError(f"{taken[place]} and {target.form} cannot both be written to {target.path}")
        taken[place] = target.form


def refuse_bad_places(targets: list[Target], inputs: Sequence[Path]) -> None:
    """Before any work is done: no report where a bundle or a paper is, or where there is no directory."""
    from sealtrace.bundle.defects import BundleError
    from sealtrace.cli.output import refuse_input

    for target in targets:
        if target.path is None:
            continue
        for given in inputs:
            refuse_input(target.path, given)
        if not target.path.parent.is_dir():
            raise BundleError(f"{target.path}: cannot be written (there is no directory {target.path.parent})")


def shown_at(target: Target, showing: Showing) -> Showing:
    """As wide and as colourful as the terminal, where the target is one; a file is the same everywhere."""
    from sealtrace.cli.output import paint, text_width

    return showing if target.path else replace(showing, width=text_width(), paint=paint)


def write_targets(targets: list[Target], render: Callable[[Target], str]) -> None:
    """Renders everything before the first file is touched; files are then replaced whole."""
    from sealtrace.cli.output import write_output

    for target, text in [(target, render(target)) for target in targets]:
        write_output(text, target.path, None)
