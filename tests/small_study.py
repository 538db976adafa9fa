"""The smallest bundle that is verified: a protocol, and labels of few items."""

from __future__ import annotations

from pathlib import Path

from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows


def small_study(directory: Path, name: str = "small", items: int = 3) -> Path:
    """Where a test is not about what is verified, this costs next to nothing."""
    write_document(
        directory / "declare" / "protocol.json", {"study": name, "title": "A few labels", "anonymous": False}
    )
    rows = [{"item": f"item-{number}", "split": "test", "label": "cat"} for number in range(items)]
    write_rows(directory / "declare" / "label.test.jsonl", "label", rows)
    seal(directory, empty={"all": "Only labels are kept."})
    return directory
