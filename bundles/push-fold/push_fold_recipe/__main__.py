"""`python -m push_fold_recipe DIRECTORY` builds the bundle of the all-in game in a new directory."""

from __future__ import annotations

import sys
from pathlib import Path

from push_fold_recipe.build import build


def rebuild(directory: Path) -> None:
    """Builds the study with its own source archived beside it.

    The source is archived as text: as modules, an installer would compile it inside the sealed bundle.
    """
    here = Path(__file__).parent
    build(directory, {f"{here.name}/{path.name}.txt": path.read_bytes() for path in sorted(here.glob("*.py"))})


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: python -m push_fold_recipe DIRECTORY   (the directory must not exist)")
    rebuild(Path(sys.argv[1]))
