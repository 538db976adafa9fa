"""Changing, deleting or adding any one byte of any file of a bundle is found."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import sealtrace
from support import FIXTURE, LONG, copy_of_fixture

FILES = sorted(str(path.relative_to(FIXTURE)) for path in FIXTURE.rglob("*") if path.is_file())


def positions(size: int, name: str) -> list[int]:
    """The ends, and some places between; every place of the manifest and the sums in the long form."""
    if LONG and name in ("manifest.json", "SHA256SUMS"):
        return list(range(size))
    between = random.Random(name).sample(range(size), min(size, 40 if LONG else 2))
    return sorted({0, size - 1, *between})


def variants(data: bytes, position: int) -> Iterator[bytes]:
    """One byte changed, deleted, added."""
    before, byte, after = data[:position], data[position], data[position + 1 :]
    yield before + bytes([byte ^ 1]) + after
    yield before + after
    yield before + bytes([byte, byte]) + after


@pytest.mark.parametrize("name", FILES)
def test_any_byte(name: str, tmp_path: Path) -> None:
    """No byte is outside the identity checks, whatever it means."""
    bundle = copy_of_fixture(tmp_path)
    data = (bundle / name).read_bytes()
    for position in positions(len(data), name):
        for changed in variants(data, position):
            (bundle / name).write_bytes(changed)
            report = sealtrace.verify(bundle, check=["identity"])
            failed = [check.id for check in report.checks if check.status == "fail"]
            assert failed, f"byte {position} of {name}"
            assert any(finding.source in (name, "SHA256SUMS") for finding in report.findings)
