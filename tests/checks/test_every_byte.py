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
    """Each way at each of the positions; in the short form each way once, at the ends and somewhere between."""
    if LONG:
        yield from ((at, way(data, at)) for at in positions(len(data), name) for way in WAYS)
        return
    chance = random.Random(name)
    places = [0, chance.randrange(len(data)), len(data) - 1]
    for way, at in zip(chance.sample(WAYS, len(WAYS)), places, strict=True):
        yield at, way(data, at)


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
