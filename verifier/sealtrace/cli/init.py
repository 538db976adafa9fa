"""`sealtrace init`."""

from __future__ import annotations

from pathlib import Path

import click

KINDS = ("results", "policies")


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="results",
    show_default=True,
    help="A CSV of per-example results and a paper; or policies that are traced, calibrated and selected.",
)
def command(directory: Path, kind: str) -> int:
    """Start a study in DIRECTORY, which must be new or empty.

    Its README.md says what to put where; protocol.notes.md explains every field of the protocol, because JSON has no
    comments; bundle/ is what will be sealed. The templates of `results` are a whole small study, which can be imported,
    extracted, sealed and verified before anything of it is replaced.

    \b
    Examples:
      sealtrace init my-study
      sealtrace init my-study --kind policies

    Exit codes: 0 started; 2 refused, and nothing was written.
    """
    from sealtrace.bundle.defects import BundleError
    from sealtrace.bundle.replacing import place_new_file
    from sealtrace.bundle.templates import directories_of, files_of
    from sealtrace.report.inert import harmless

    try:
        if directory.is_dir() and any(directory.iterdir()):
            raise BundleError(f"{directory}: not empty; a study is started in a directory of its own")
        files = files_of(kind, directory.resolve().name)
        for name in directories_of(kind):
            (directory / name).mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            place = directory / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place_new_file(place, data)
            click.echo(harmless(str(place)))
    except OSError as error:
        raise BundleError(f"{error.filename or directory}: {error.strerror or error}") from None
    return 0
