"""`python -m rsd_operating DIRECTORY` builds the bundle in a new directory."""

from __future__ import annotations

import sys
from pathlib import Path

import rsd_stratified
from rsd_operating.build import Build
from rsd_stratified.platform import platform_bytes

HERE = Path(__file__).parent


def rebuild(directory: Path) -> None:
    """Builds the study with its own source, the stratified study's, and the platform archived beside it."""
    Build(directory, sources()).run()


def sources() -> dict[str, bytes]:
    """The archived files, as text: as modules, an installer would compile them inside the sealed bundle."""
    assert rsd_stratified.__file__ is not None
    shared = Path(rsd_stratified.__file__).parent
    files = {
        f"{folder.name}/{path.relative_to(folder).as_posix()}.txt": path.read_bytes()
        for folder in (HERE, shared)
        for path in sorted([*folder.glob("*.py"), *folder.glob("weights/*.json")])
    }
    return files | {"environment.json": platform_bytes()}


if __name__ == "__main__":
    match sys.argv[1:]:
        case [name] if not Path(name).exists():
            rebuild(Path(name))
        case _:
            sys.exit("usage: python -m rsd_operating DIRECTORY   (the directory must not exist)")
