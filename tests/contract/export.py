"""Writes schemas/ anew from the models. `make schemas` runs this."""

from __future__ import annotations

from pathlib import Path

from sealtrace.contract.schemas import schema_files

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"


def export(directory: Path) -> list[str]:
    """Writes every schema, removes what no kind has any more, and names the files that changed."""
    directory.mkdir(parents=True, exist_ok=True)
    wanted = schema_files()
    changed = []
    for stale in sorted(directory.glob("*.schema.json")):
        if stale.name not in wanted:
            stale.unlink()
            changed.append(stale.name)
    for name, text in wanted.items():
        path = directory / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return sorted(changed)


if __name__ == "__main__":
    for changed_name in export(SCHEMAS):
        print(changed_name)
