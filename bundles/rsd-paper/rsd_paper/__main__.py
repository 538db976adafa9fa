"""`python -m rsd_paper DIRECTORY` builds the bundle in a new directory; `python -m rsd_paper extract PAPER.tex` takes
the paper's numbers into printed.json, which the bundle is built from."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rsd_paper.build import build
from rsd_paper.extract import write

HERE = Path(__file__).parent
PRINTED = HERE.parent / "printed.json"
ELSEWHERE = HERE.parent / "elsewhere.json"
"""Table to the study that recomputes it from records."""


def relations() -> list[Path]:
    """The relations files, in order."""
    return sorted((HERE.parent / "relations").glob("*.relations"))


def there(study: str) -> dict[str, str]:
    """A study as it lies sealed beside this one."""
    manifest = json.loads((HERE.parents[1] / study / "bundle/manifest.json").read_text(encoding="utf-8"))
    return {"study": manifest["name"], "root_sha256": manifest["root_sha256"]}


def rebuild(directory: Path) -> None:
    """Builds the study with its own sources archived beside it.

    They are archived as text: as modules, an installer would compile them inside the sealed bundle.
    """
    printed = json.loads(PRINTED.read_text(encoding="utf-8"))
    elsewhere = {label: there(study) for label, study in json.loads(ELSEWHERE.read_text(encoding="utf-8")).items()}
    texts = {path.name: path.read_text(encoding="utf-8") for path in relations()}
    archived = {f"{HERE.name}/{path.name}.txt": path.read_bytes() for path in sorted(HERE.glob("*.py"))}
    archived |= {f"relations/{path.name}.txt": path.read_bytes() for path in relations()}
    build(printed, texts, elsewhere, directory, archived)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["extract", paper]:
            write(Path(paper), relations(), PRINTED)
        case [directory] if not Path(directory).exists():
            rebuild(Path(directory))
        case _:
            sys.exit(
                "usage: python -m rsd_paper DIRECTORY   (the directory must not exist)\n"
                "       python -m rsd_paper extract PAPER.tex"
            )
