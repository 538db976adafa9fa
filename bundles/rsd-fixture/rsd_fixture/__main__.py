"""`python -m rsd_fixture DIRECTORY` builds the fixture's bundle in a new directory."""

from __future__ import annotations

import sys
from pathlib import Path

from rsd_fixture.build import build
from rsd_fixture.fixture import fixture
from rsd_fixture.platform import platform_bytes


def rebuild(directory: Path) -> None:
    """Builds the fixture with its own source and platform archived beside it.

    The source is archived as text: as modules, an installer would compile it inside the sealed bundle.
    """
    here = Path(__file__).parent
    source = sorted([*here.glob("*.py"), here / "printed.json"])
    code = {f"rsd_fixture/{path.name}.txt": path.read_bytes() for path in source}
    build(fixture(), directory, code | {"environment.json": platform_bytes()})


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: python -m rsd_fixture DIRECTORY   (the directory must not exist)")
    rebuild(Path(sys.argv[1]))
