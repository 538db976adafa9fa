"""What datasets declare: combinations that are absent, and values that should be one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sealtrace.studies.results.joins import LISTED, Gap, contradicting, incomplete


def doubted(gaps: list[Gap]) -> set[int]:
    return set(np.concatenate([gap.rows for gap in gaps]).tolist())


def test_every_row_of_every_gap_is_doubtful() -> None:
    """However few gaps are described: rows beyond those would else be judged as if nothing were wrong."""
    rows = [(f"q{item}", system) for item in range(300) for system in range(4)]
    kept = [(item, system) for item, system in rows if system == 0 or item in ("q0", "q1")]
    table = pa.table({"item": [item for item, _ in kept], "system": [system for _, system in kept]})
    gaps = incomplete(table, [["item"], ["system"]], [], 1)
    assert len(gaps) <= 2 * LISTED
    assert doubted(gaps) >= {place for place, (item, _) in enumerate(kept) if item not in ("q0", "q1")}
    assert [table.column("item")[int(gap.rows[0])].as_py() for gap in gaps[:2]] == ["q10", "q100"]


def test_systems_that_lack_items() -> None:
    """Each is named with what it lacks, and the rows of all of them are doubtful, also of those not described."""
    pairs = [(f"q{item:03}", f"s{system:03}") for system in range(250) for item in range(260)]
    kept = [(item, system) for item, system in pairs if item != "q001" or system < "s130"]
    table = pa.table({"item": [item for item, _ in kept], "system": [system for _, system in kept]})
    gaps = incomplete(table, [["item"], ["system"]], [], 1)
    assert len(gaps) == LISTED
    assert "system s130 lacks 1 that the others have, item q001 among them" in gaps[0].message
    assert doubted(gaps) == {place for place, (_, system) in enumerate(kept) if system >= "s130"}


def test_values_that_should_be_one() -> None:
    """All rows of all of them are doubtful."""
    table = pa.table({"item": [n // 2 for n in range(400)], "gold": list(range(400))})
    gaps = contradicting(table, ["item"], "gold")
    assert len(gaps) == LISTED
    assert doubted(gaps) == set(range(400))
