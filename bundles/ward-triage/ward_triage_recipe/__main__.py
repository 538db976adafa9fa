"""`python -m ward_triage_recipe DIRECTORY` builds the study's bundle in a new directory."""

from __future__ import annotations

import sys
from pathlib import Path

from ward_triage_recipe.build import build


def rebuild(directory: Path) -> None:
    """Builds the study with its own source archived beside it, as text: an installer would compile modules."""
    here = Path(__file__).parent
    build(directory, {f"{here.name}/{path.name}.txt": path.read_bytes() for path in sorted(here.glob("*.py"))})


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: python -m ward_triage_recipe DIRECTORY   (the directory must not exist)")
    rebuild(Path(sys.argv[1]))
