"""Changing, deleting or adding any one byte of any file of a bundle is found."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sealtrace
from support import FIXTURE, LONG, copy_of_fixture

FILES = sorted(str(path.relative_to(FIXTURE)) for path in FIXTURE.rglob("*") if path.is_file())


def positions(size: int, name: str) -> list[int]:
    """The ends and forty places between; every place of the manifest and of the sums."""
    if name in ("manifest.json", "SHA256SUMS"):
        return list(range(size))
    between = random.Random(name).sample(range(size), min(size, 40))
    return sorted({0, size - 1, *between})


WAYS: tuple[Callable[[bytes, int], bytes], ...] = (
    lambda data, at: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :],
    lambda data, at: data[:at] + data[at + 1 :],
    lambda data, at: data[:at] + data[at : at + 1] + data[at:],
)
"""One byte changed, deleted, added."""


def variants(data: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    """Each way at each of the positions; in the short form one of each, and of the sums and the manifest some more."""
    tried = [(way, at) for at in positions(len(data), name) for way in WAYS]
    if not LONG:
        tried = random.Random(name).sample(tried, 9 if name in ("manifest.json", "SHA256SUMS") else 1)
    yield from ((at, way(data, at)) for way, at in tried)


@pytest.mark.parametrize("name", FILES)
def test_any_byte(name: str, tmp_path: Path) -> None:
    """No byte is outside the identity checks, whatever it means."""
    bundle = copy_of_fixture(tmp_path)
    data = (bundle / name).read_bytes()
    for position, changed in variants(data, name):
        (bundle / name).write_bytes(changed)
        report = sealtrace.verify(bundle, check=["identity"])
        failed = [check.id for check in report.checks if check.status == "fail"]
        assert failed, f"byte {position} of {name}"
        assert any(finding.source in (name, "SHA256SUMS") for finding in report.findings)
