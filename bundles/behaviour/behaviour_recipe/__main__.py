"""`python -m behaviour_recipe DIRECTORY [--hands DIR]` builds the bundle of recorded behaviour in a new directory.

With `--hands` it is built from the .phh and .phhs files below another directory instead of the study's own.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from behaviour_recipe.build import build
from behaviour_recipe.writing_hands import HANDS

ARCHIVED = ("__init__", "__main__", "build", "reading_hands")
"""The code that is kept in the bundle. What wrote the study's own hands knows names, and stays outside."""


def rebuild(directory: Path, hands: Path = HANDS) -> None:
    """Builds the study with its source archived beside it, as text."""
    here = Path(__file__).parent
    build(directory, hands, {f"{here.name}/{name}.py.txt": (here / f"{name}.py").read_bytes() for name in ARCHIVED})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m behaviour_recipe", description=__doc__)
    parser.add_argument("directory", type=Path, help="a new directory")
    parser.add_argument("--hands", type=Path, default=HANDS, help="a directory of hands in PHH notation")
    options = parser.parse_args()
    if options.directory.exists():
        parser.error("the directory must not exist")
    if not options.hands.is_dir():
        parser.error(f"{options.hands}: no such directory")
    rebuild(options.directory, options.hands)
