"""What datasets declare: combinations that are absent, and values that should be one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sealtrace.studies.results.joins import Gap, contradicting, incomplete, unmatched


def doubted(gaps: list[Gap]) -> set[int]:
    return set(np.concatenate([gap.rows for gap in gaps]).tolist())


def test_every_row_of_every_gap_is_doubtful() -> None:
    """However few gaps are described: rows beyond those would else be judged as if nothing were wrong."""
    rows = [(f"q{item}", system) for item in range(300) for system in range(4)]
    kept = [(item, system) for item, system in rows if system == 0 or item in ("q0", "q1")]
    table = pa.table({"item": [item for item, _ in kept], "system": [system for _, system in kept]})
    gaps = incomplete(table, [["item"], ["system"]], [], 1)
    assert len(gaps) <= 200
    assert doubted(gaps) >= {place for place, (item, _) in enumerate(kept) if item not in ("q0", "q1")}
    assert [table.column("item")[int(gap.rows[0])].as_py() for gap in gaps[:2]] == ["q10", "q100"]


def test_systems_that_lack_items() -> None:
    """Each is named with what it lacks, and the rows of all of them are doubtful, also of those not described."""
    pairs = [(f"q{item:03}", f"s{system:03}") for system in range(250) for item in range(260)]
    kept = [(item, system) for item, system in pairs if item != "q001" or system < "s130"]
    table = pa.table({"item": [item for item, _ in kept], "system": [system for _, system in kept]})
    gaps = incomplete(table, [["item"], ["system"]], [], 1)
    assert len(gaps) == 100
    assert "system s130 lacks 1 that the others have, item q001 among them" in gaps[0].message
    assert doubted(gaps) == {place for place, (_, system) in enumerate(kept) if system >= "s130"}


def test_values_that_should_be_one() -> None:
    """All rows of all of them are doubtful."""
    table = pa.table({"item": [n // 2 for n in range(400)], "gold": list(range(400))})
    gaps = contradicting(table, ["item"], "gold")
    assert len(gaps) == 100
    assert doubted(gaps) == set(range(400))


def rows(*texts: str, names: str = "item system seed") -> pa.Table:
    """A table of words, such as `q1 ours 1`; a dash is nothing."""
    values = [[None if word == "-" else word for word in text.split()] for text in texts]
    return pa.table({name: [row[place] for row in values] for place, name in enumerate(names.split())})


def told(gaps: list[Gap]) -> list[tuple[str, str, str, str, list[int]]]:
    """What each gap is about, its field, both numbers, and its rows."""
    return [(" ".join(gap.key.values()), gap.field, gap.expected, gap.found, gap.rows.tolist()) for gap in gaps]


def crossed(items: str, systems: str, *without: str) -> list[str]:
    """Every item with every system, but for some."""
    every = [f"{item} {system}" for system in systems.split() for item in items.split()]
    return [pair for pair in every if pair not in without]


EVERY = [["item"], ["system"]]
PAIRS = "item system"


def test_nothing_is_absent() -> None:
    """Every item with every system, each once; more than once where that is declared, or any number is."""
    table = rows(*crossed("a b c", "x y"), names=PAIRS)
    assert incomplete(table, EVERY, [], 1) == []
    twice = pa.concat_tables([table, table])
    assert incomplete(twice, EVERY, [], 2) == []
    assert incomplete(twice, EVERY, [], None) == []
    assert incomplete(pa.concat_tables([table, table[:2]]), EVERY, [], None) == []


def test_a_system_that_lacks_an_item() -> None:
    """It is to blame where at least half of the systems have the item; the item is where fewer do."""
    table = rows(*crossed("a b c d", "x y", "b y", "d y"), names=PAIRS)
    assert told(incomplete(table, EVERY, [], 1)) == [("y", "/item", "4 of item", "2", [4, 5, 4, 5])]
    assert incomplete(table, EVERY, [], 1)[0].message == (
        "system y lacks 2 that the others have, item b among them. Add them."
    )
    table = rows(*crossed("a b c d", "x y z", "b y", "b z"), names=PAIRS)
    assert told(incomplete(table, EVERY, [], 1)) == [("b", "/item", "3 of system", "1", [1, 1])]
    assert incomplete(table, EVERY, [], 1)[0].message == "item b is there for few only. Remove it, or add it for all."
    table = rows(*crossed("a b c d", "x y"), "a z", names=PAIRS)
    assert told(incomplete(table, EVERY, [], 1)) == [("z", "/item", "4 of item", "1", [8, 8])]
    # Both at once: what is rare is not what a system lacks.
    table = rows(*crossed("a b c d", "x y z", "b y", "b z", "c z"), names=PAIRS)
    assert told(incomplete(table, EVERY, [], 1)) == [
        ("b", "/item", "3 of system", "1", [1, 1]),
        ("z", "/item", "3 of item", "2", [7, 8, 7, 8]),
    ]


def test_each_part_by_itself() -> None:
    """What is absent in one part is not looked for in another."""
    parts = [
        (f"{part} {item} {system}") for system in "xy" for part, items in (("1", "abc"), ("2", "pqr")) for item in items
    ]
    table = rows(*parts[:-1], names="part item system")
    assert told(incomplete(table, EVERY, ["part"], 1)) == [("2 y", "/item", "3 of item", "2", [9, 10, 9, 10])]
    assert len(incomplete(table, EVERY, [], 1)) == 1


def test_combinations_that_are_absent_altogether() -> None:
    """A seed of one system, with the largest group taken for the items; parts by themselves."""
    groups = [["seed"], ["item"], ["system"]]
    every = [f"{item} {system} {seed}" for item in "abcd" for system in "xy" for seed in "12"]
    assert incomplete(rows(*every), groups, [], 1) == []
    kept = [text for text in every if not text.endswith("y 2")]
    (gap,) = incomplete(rows(*kept), groups, [], 1)
    assert told([gap]) == [("", "/seed", "4 combinations", "3", list(range(12)))]
    assert gap.message == "Some combinations of seed x system are absent altogether."
    parts = pa.concat_tables([rows(*every), rows(*kept)]).append_column("part", pa.array(["d1"] * 16 + ["d2"] * 12))
    (gap,) = incomplete(parts, groups, ["part"], 1)
    assert told([gap]) == [("d2", "/seed", "4 combinations", "3", list(range(16, 28)))]
    (gap,) = incomplete(rows(*[text for text in every if text != "b y 2"]), groups, [], 1)
    assert (gap.key, gap.found) == ({"system": "y", "seed": "2"}, "3")


def test_wrong_times() -> None:
    """Rows that are there more or less often than declared, each with its rows; the first has all of them."""
    table = rows("a x", "b x", "a y", "b y", "a x", "b y", "b y", names=PAIRS)
    assert told(incomplete(table, EVERY, [], 1)) == [
        ("a x", "/system", "1 times", "2 times", [0, 4, 0, 4, 3, 5, 6]),
        ("b y", "/system", "1 times", "3 times", [3, 5, 6]),
    ]
    assert [(gap.key, gap.found) for gap in incomplete(table, EVERY, [], 2)] == [
        ({"item": "a", "system": "y"}, "1 times"),
        ({"item": "b", "system": "x"}, "1 times"),
        ({"item": "b", "system": "y"}, "3 times"),
    ]


def test_several_values_where_one_should_be() -> None:
    """Nothing is a value, and at most three are shown; the first gap has the rows of all."""
    table = rows("a 1", "b 2", "a 1", "b -", "c 3", "c 4", "c 5", "c 6", "d 7", names="item gold")
    gaps = contradicting(table, ["item"], "gold")
    assert told(gaps) == [
        ("b", "/gold", "one", "nothing, 2", [1, 3, 1, 3, 4, 5, 6, 7]),
        ("c", "/gold", "one", "3, 4, 5", [4, 5, 6, 7]),
    ]
    assert gaps[0].message == "item b has several values of gold, and should have one."
    assert contradicting(rows("a 1", "a 1", "b 1", names="item gold"), ["item"], "gold") == []
    absent = contradicting(rows("- 1", "- 2", names="item gold"), ["item"], "gold")
    assert (absent[0].key, absent[0].message) == ({}, "item absent has several values of gold, and should have one.")


def test_rows_that_name_nothing_there() -> None:
    """Several fields together; rows without any of them name nothing, and those with some do."""
    here = rows("a 1", "b 1", "- 1", "- -", "a 2", names="item part")
    there = rows("1 a", "2 b", names="place name")
    lost = unmatched(here, ["item", "part"], there, ["name", "place"])
    assert [side.tolist() for side in lost] == [[1, 2, 4], [1]]
    assert [side.tolist() for side in unmatched(here, ["item"], there, ["name"])] == [[], []]
    assert [side.tolist() for side in unmatched(here[:1], ["item"], there, ["name"])] == [[], [1]]
    coded = here.set_column(0, "item", here.column("item").dictionary_encode())
    assert unmatched(coded, ["item"], there[:1], ["name"])[0].tolist() == [1]
    numbers = pa.table({"item": [1, 2, None]})
    assert [side.tolist() for side in unmatched(numbers, ["item"], there, ["name"])] == [[0, 1], [0, 1]]
