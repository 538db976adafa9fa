"""What reading finds wrong, and where. Checks turn defects into findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


class BundleError(Exception):
    """The input cannot be treated as a bundle at all. The command line exits with 2."""


@dataclass(frozen=True)
class Defect:
    """One thing wrong with the bytes or records of a bundle."""

    message: str
    path: str | None = None
    row: int | None = None
    """Line or row, from one."""
    column: int | None = None
    """Column of a text line, from one."""
    key: dict[str, str] | None = None
    field: str | None = None
    """JSON pointer."""
    expected: str | None = None
    found: str | None = None
    severity: Literal["error", "warning", "note"] = "error"
