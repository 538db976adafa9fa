"""`sealtrace`: finds the command, and turns what goes wrong into a message and an exit code.

Exit codes: 0 verified; 1 an error was found; 2 usage, unreadable input or an internal error;
3 no error, but something is missing or skipped.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace import __version__, process
from sealtrace.bundle.defects import BundleError, nearest, real_path
from sealtrace.cli import options
from sealtrace.report.inert import harmless
from sealtrace.settings import OTHERS, SETTABLE, read_settings

if TYPE_CHECKING:
    from sealtrace.settings import Settings

SECTIONS = {
    "A paper": {
        "check": "Find how each printed number follows from a directory of results.",
        "audit": "Decide whether a paper's printed numbers can all be true.",
        "outline": "List a paper's tables, sentences and numbers with their addresses.",
        "extract": "Extract the tables of a paper as records to fill in.",
    },
    "A bundle of sealed records": {
        "verify": "Recompute everything from the records: every check, every number.",
        "show": "Show what a bundle holds: kinds, rows, stages, digests.",
        "diff": "Compare printed numbers with recomputed ones, cell by cell.",
        "explain": "Show where one printed cell comes from.",
        "report": "Write every report about a bundle into a directory.",
        "certify": "Recompute certificates and maps, or explore other budgets.",
        "macros": "Write a bundle's numbers as LaTeX commands.",
    },
    "A bundle of your own": {
        "init": "Start a new study from templates.",
        "import": "Turn result files into a dataset, and propose what it declares.",
        "bind": "Propose recipes for the cells of a bundle that have none.",
        "try": "Try recipes on a bundle or a draft, without sealing.",
        "seal": "Seal a directory of records, stage by stage or all at once.",
        "convert": "Turn a file of records from JSON lines into Parquet, or back.",
        "digest": "Print the digests of a record file, before it is sealed.",
    },
    "Who vouches for it": {
        "sign": "Sign a bundle's root or a stage of it.",
        "attest": "State what passed as a signed in-toto attestation.",
        "disclose": "Disclose rows of a sealed tree, chosen or drawn by a seed.",
    },
    "Reference and tools": {
        "checks": "List the checks, or explain one.",
        "metrics": "List the metrics that recipes can ask for.",
        "schema": "List the record kinds, or print the schema of one.",
        "mcp": "Offer outline, decide, check, verify and audit to an assistant.",
        "completion": "Print a completion script for bash, zsh or fish.",
    },
}
"""What each command is for, in the order in which `--help` shows them."""

COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}
"""Command to its one line. `--help` prints these without importing a command."""

MODULES = {
    name: module
    for module, names in {
        "audit": ("audit", "outline"),
        "cells": ("diff", "explain", "try", "macros"),
        "check": ("check", "bind"),
        "drafts": ("init", "import", "extract"),
        "listings": ("checks", "metrics", "schema", "completion"),
        "records": ("seal", "show", "digest", "convert"),
        "signing": ("sign", "attest"),
    }.items()
    for name in names
}
"""Command to the module that it shares with others; any other command has one of its own name."""

EXIT_ERROR = 2


class LazyGroup(click.Group):
    """Imports a command when it is used, so that `--help` costs next to nothing."""

    def list_commands(self, _: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        # A function cannot be named after a word of the language.
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: click.Command = getattr(import_module(f"sealtrace.cli.{MODULES.get(cmd_name, cmd_name)}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            # A path in a command's place is a bundle, most likely.
            hint = f"; did you mean `sealtrace verify {name}`?" if os.path.exists(name) else nearest(name, COMMANDS, 0)
            ctx.fail(f"there is no command {name!r}{hint.partition('; there')[0]}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<10}", line) for name, line in commands.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Exit codes: 0 verified; 1 an error was found; 2 usage, unreadable input or internal error; "
    "3 no error, but something is missing or skipped.",
)
@click.version_option(__version__, "-V", "--version", prog_name="sealtrace")
@click.pass_context
def cli(context: click.Context) -> None:
    """Find out whether the numbers that a paper prints follow from its results.

    \b
    Examples:
      sealtrace check paper.tex results/  a paper against its result files
      sealtrace check artifact/           the same, from one directory
      sealtrace audit paper.tex           a paper's numbers against each other
      sealtrace verify artifact.zip       a sealed bundle that you were given
      sealtrace verify                    the example bundle of this package
      sealtrace init my-study             a bundle of your own

    `sealtrace COMMAND --help` has examples of each command.
    """
    name = context.invoked_subcommand
    if name is not None and (command := cli.get_command(context, name)) is not None:
        context.obj = read_settings()
        context.default_map = {name: _as_defaults(context.obj, command, name)}


def _as_defaults(settings: Settings, command: click.Command, name: str) -> dict[str, object]:
    """A command's options as its parameters are called; paths are seen from where the settings are."""

    for section, table in settings.commands.items():
        if section not in COMMANDS:
            known = (*OTHERS, *COMMANDS)
            raise BundleError(f"{settings.path}: there is no setting {section!r}{nearest(section, known)}")
        if not isinstance(table, dict):
            raise BundleError(f"{settings.path}: {section} is a table of options")
    params = {
        option.lstrip("-"): param
        for param in command.params
        for option in ((param.name or "",) if isinstance(param, click.Argument) else param.opts)
    }
    found: dict[str, object] = {}
    for option, value in settings.commands.get(name, {}).items():
        if option not in params:
            raise BundleError(f"{settings.path}: {name} has no option {option!r}{nearest(option, params)}")
        if option not in SETTABLE:
            raise BundleError(f"{settings.path}: {option} is typed, never set: settings may come with what is judged")
        param = params[option]
        several = value if isinstance(value, list) else [value]
        if "\0" in str(value):
            raise BundleError(f"{settings.path}: {option} of {name} holds a null character")
        repeatable = param.multiple or param.nargs == -1
        if not repeatable and len(several) != 1:
            raise BundleError(f"{settings.path}: {name} takes one {option}, not {len(several)}")
        if isinstance(param.type, click.Path) and settings.path is not None:
            several = [_below(settings.path, str(path)) for path in several]
        found[str(param.name)] = several if repeatable else several[0]
    return found


def _below(settings: Path, said: str) -> str:
    path = settings.parent / said
    if ":/" in said or not real_path(path).is_relative_to(settings.parent):
        raise BundleError(f"{settings}: {said} lies elsewhere, and is typed: settings may come with what is judged")
    return os.path.relpath(path)


def program() -> None:
    """The `sealtrace` script: a process of its own, which the operating system may bound."""
    process.OWN_PROCESS = True
    # Tens of thousands of objects are made while modules are imported, and all of them stay.
    gc.set_threshold(100_000, 20, 20)
    try:
        main()
    finally:
        if "duckdb" not in sys.modules:  # which complains at the end of whatever it did not see go
            gc.freeze()  # or they would all be looked through once more, before the process ends


def main() -> None:
    """Runs the command line and ends with its exit code."""
    # The verifier multiplies small matrices only: threads for it would only cost start-up time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Pydantic would look through every installed distribution for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    _print_anything()
    try:
        code = _exit_code()
    except OSError:
        # What went wrong cannot be said: standard error is full, or nobody reads it. There is no verdict all the same.
        if sys.stderr is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        code = EXIT_ERROR
    sys.exit(code)


def _exit_code() -> int:
    """Runs the command, and says what went wrong on standard error."""
    try:
        try:
            code = cli.main(standalone_mode=False)
        finally:
            options.no_more_alarms()
        if (stream := sys.stdout) is not None:
            stream.flush()
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        error.show()
        code = EXIT_ERROR
    except click.Abort:
        click.echo("sealtrace: interrupted", err=True)
        code = 130
    except BrokenPipeError:
        # The reader left, as `head` does. Python would complain at exit while flushing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_ERROR
    except Exception as error:
        code = _explain(error)
    return code if isinstance(code, int) else 0


def _print_anything() -> None:
    """What an encoding has no character for is escaped; what goes to a file or a pipe is UTF-8, on Windows too."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            own = os.name != "nt" or stream.isatty() or "PYTHONIOENCODING" in os.environ
            stream.reconfigure(encoding=None if own else "utf-8", errors="backslashreplace")


def _explain(error: Exception) -> int:
    if os.environ.get("SEALTRACE_DEBUG"):
        raise error
    if isinstance(error, BundleError):
        for line in str(error).splitlines():
            click.echo(f"sealtrace: {harmless(line)}", err=True)
    elif isinstance(error, OSError) and error.errno:
        # Without a name it is one of the streams, such as a standard output on a full disk; those are always there.
        unnamed = "the working directory" if isinstance(error, FileNotFoundError) else "standard output"
        place = unnamed if error.filename is None else harmless(str(error.filename))
        click.echo(f"sealtrace: {place}: {error.strerror or error}", err=True)
    elif isinstance(error, MemoryError):
        click.echo("sealtrace: no verdict, because memory ran out (--max-memory raises the limit)", err=True)
    else:
        click.echo(
            f"sealtrace: internal error: {type(error).__name__}: {harmless(str(error))}\n"
            "Please report it; SEALTRACE_DEBUG=1 shows where it happened.",
            err=True,
        )
    return EXIT_ERROR
