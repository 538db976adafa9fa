"""`python -m leduc_students_recipe DIRECTORY` builds the bundle of Leduc students in a new directory."""

from __future__ import annotations

import sys
from pathlib import Path

import leduc_recipe
from leduc_students_recipe.build import build
from leduc_students_recipe.platform import platform_bytes

GAME_MODULES = ("game", "solver", "values")
"""What the study takes from the recipe of Leduc profiles."""


def rebuild(directory: Path) -> None:
    """Builds the study with its source, the game's and the platform archived beside it.

    The source is archived as text: as modules, an installer would compile it inside the sealed bundle.
    """
    code: dict[str, bytes] = {}
    here, game = Path(__file__).parent, Path(leduc_recipe.__file__).parent
    for path in (*sorted(here.glob("*.py")), *(game / f"{name}.py" for name in GAME_MODULES)):
        code[f"{path.parent.name}/{path.name}.txt"] = path.read_bytes()
    build(directory, code | {"environment.json": platform_bytes()})


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: python -m leduc_students_recipe DIRECTORY   (the directory must not exist)")
    rebuild(Path(sys.argv[1]))
