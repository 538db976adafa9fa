"""What tests share: the good bundle, copies of it, and editing records in place."""

from __future__ import annotations

import atexit
import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sealtrace.bundle.documents import _validator
from sealtrace.bundle.sealing import seal
from sealtrace.contract.result import Result

ROOT = Path(__file__).resolve().parents[1]
FIXTURE = ROOT / "bundles" / "rsd-fixture" / "bundle"
STRATIFIED = ROOT / "bundles" / "rsd-stratified" / "bundle"
OPERATING = ROOT / "bundles" / "rsd-operating" / "bundle"
LONG = bool(os.environ.get("SEALTRACE_LONG"))
"""Set by `make fuzz`: exhaustive forms of the slow tests."""

Row = dict[str, Any]


def copy_of(bundle: Path, directory: Path) -> Path:
    """A copy that may be broken."""
    target = directory / "bundle"
    shutil.copytree(bundle, target)
    return target


def copy_of_fixture(directory: Path) -> Path:
    """A copy of the fixture that may be broken."""
    return copy_of(FIXTURE, directory)


def shipped_report(study: str) -> Result:
    """What the verifier says of a shipped study, as committed: `test_reports.py` holds it to what is said today."""
    return Result.model_validate_json((ROOT / "reports" / study / "report.json").read_bytes())


EMPTY = {"structure": "The fixture fixes one residual direction and learns no partition."}
"""Why a stage of the fixture has no records."""
LARGE_TABLES = ("policy-ci", "probabilities", "rows-delta", "rows-ev", "scale-split", "state-inventory", "text")
"""Tables of the fixture that hold nine tenths of its cells."""


def copy_of_small_fixture(directory: Path) -> Path:
    """A copy of the fixture's records with four small tables: verified in half of the time, broken in the same ways."""
    return copy_of(small_fixture(), directory)


@cache
def small_fixture() -> Path:
    """What is copied: sealed once for each process, and removed when it ends."""
    directory = TemporaryDirectory(prefix="small-fixture-")
    atexit.register(directory.cleanup)
    bundle = copy_of_fixture(Path(directory.name))
    for name in LARGE_TABLES:
        (bundle / "report" / f"table.{name}.json").unlink()
    unseal(bundle)
    seal(bundle, empty=EMPTY)
    return bundle


def read_rows(path: Path) -> list[Row]:
    """The rows of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_rows(path: Path, rows: list[Row]) -> None:
    """Writes rows as the recipes do."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def edit_rows(path: Path, edit: Callable[[list[Row]], None]) -> None:
    """Changes rows in place."""
    rows = read_rows(path)
    edit(rows)
    write_rows(path, rows)


def edit_document(path: Path, edit: Callable[[Row], None]) -> None:
    """Changes a JSON document in place."""
    document = json.loads(path.read_text(encoding="utf-8"))
    edit(document)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def unseal(bundle: Path) -> None:
    """Takes the seals, the manifest and the sums away."""
    shutil.rmtree(bundle / "seals")
    (bundle / "manifest.json").unlink()
    (bundle / "SHA256SUMS").unlink()


def schema_accepts(kind: str, record: Any) -> bool:
    """Whether the published schema alone accepts a record."""
    return bool(_validator(kind).is_valid(record))
