"""What a check says, as these tests ask for it."""

from __future__ import annotations

from collections import Counter

from sealtrace.contract.result import NumberResult, Result


def counts(result: Result) -> Counter[str]:
    """How many numbers of tables have which status."""
    return Counter(one.status for one in result.numbers if one.table is not None)


def in_text(result: Result) -> list[NumberResult]:
    """The numbers of the running text."""
    return [one for one in result.numbers if one.table is None]


def accidents(result: Result) -> list[str]:
    """The kinds of accident that were recognised, with what is said of each."""
    return [f"{one.key['accident']}: {one.message}" for one in result.findings if one.key and "accident" in one.key]
