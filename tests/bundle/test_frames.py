"""Rows of a kind across files: places, keys, repeats and columns, the same from JSON lines and from Parquet."""

from __future__ import annotations

import io
import json
import random
from typing import Any, cast

import pyarrow as pa
import pytest
from pyarrow import parquet

from sealtrace.bundle.frames import Frame, KeptFrame, action_lists, action_matrix
from sealtrace.bundle.shapes import arrow_schema
from sealtrace.bundle.shards import KeptFile
from sealtrace.bundle.stores import Store, read_rows

ACTIONS = ["fold", "call", "raise"]
VALUES: dict[str, Any] = {"split": "calibration", "values": {"fold": 0.0}}


def lines(kind: str, rows: list[Any], path: str = "a.jsonl") -> Store:
    """A file of JSON lines."""
    return read_rows("".join(f"{json.dumps(row)}\n" for row in rows).encode(), path, kind, "jsonl")


def columns(kind: str, rows: list[Any], path: str = "a.parquet") -> Store:
    """The same rows as Parquet, with dictionaries."""
    sink = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows, arrow_schema(kind)), sink)
    return read_rows(sink.getvalue(), path, kind, "parquet")


def value(state: str, evaluator: str = "weak", **more: Any) -> dict[str, Any]:
    """A row of action values."""
    return {"state": state, "evaluator": evaluator, **VALUES, **more}


def test_a_row_keeps_its_file_and_line() -> None:
    """Rows that their schema refuses are left out, and the lines of the others do not move."""
    frame = Frame("values", [lines("values", [value("a"), 5, value("b")]), lines("values", [value("c")], "b.jsonl")])
    assert [frame.place(row) for row in range(frame.size)] == [("a.jsonl", 1), ("a.jsonl", 3), ("b.jsonl", 1)]
    assert frame.file_of().tolist() == [0, 0, 1]
    assert frame.key(1)["state"] == "b"


def test_no_file_is_an_empty_frame() -> None:
    """Every column is there, without a row."""
    frame = Frame("values", [])
    assert (frame.size, frame.repeats) == (0, {})
    assert frame.texts("state")[0].tolist() == []
    assert frame.lookup("state", pa.array(["a"])).tolist() == []
    assert action_matrix(frame, "values", ACTIONS).values.shape == (0, 3)


def test_repeats_name_the_first_row_of_their_key() -> None:
    """Across files, however often, and whatever stands between; another evaluator is another key."""
    first = [value("b"), value("a"), value("b", "strong"), value("b")]
    frame = Frame("values", [lines("values", first), columns("values", [value("c"), value("b"), value("a")], "b")])
    assert frame.repeats == {3: 0, 5: 0, 6: 1}


@pytest.mark.parametrize("seed", range(5))
def test_repeats_are_those_of_a_plain_loop(seed: int) -> None:
    """On random keys."""
    chance = random.Random(seed)
    rows = [value(chance.choice("abcdefgh"), chance.choice(["weak", "strong"])) for _ in range(30)]
    seen: dict[tuple[str, str], int] = {}
    expected = {}
    for place, row in enumerate(rows):
        first = seen.setdefault((row["state"], row["evaluator"]), place)
        if first != place:
            expected[place] = first
    assert Frame("values", [lines("values", rows)]).repeats == expected


@pytest.mark.parametrize("reader", [lines, columns])
def test_lookup_finds_each_text_or_nothing(reader: Any) -> None:
    """-1 where the target is not there."""
    frame = Frame("values", [reader("values", [value("b"), value("x"), value("a"), value("b", "strong")])])
    assert frame.lookup("state", pa.array(["a", "b", "c"])).tolist() == [1, -1, 0, 1]
    assert frame.lookup("state", pa.array([], pa.string())).tolist() == [-1] * 4


def test_absent_is_not_a_value() -> None:
    """-1 for a text, NaN for a number."""
    traces = [
        {"state": "a", "arm": "x", "split": "s", "legal": ["fold"], "probabilities": {"fold": 1.0}, "action": "fold",
         "inputs": [], "ledger": []},
        {"state": "a", "arm": "x", "scale": "0.5", "split": "s", "legal": ["fold"], "probabilities": {"fold": 1.0},
         "action": "fold", "inputs": [], "ledger": []},
    ]  # fmt: skip
    for frame in (Frame("trace", [lines("trace", traces)]), Frame("trace", [columns("trace", traces)])):
        assert frame.size == 2
        codes, texts = frame.texts("scale")
        assert [None if code < 0 else texts[code] for code in codes.tolist()] == [None, "0.5"]
        assert [row.get("scale") for row in map(frame.key, range(2))] == [None, "0.5"]
        assert frame.repeats == {}


def test_files_of_both_formats_are_one_frame() -> None:
    """Texts have one meaning whatever file they come from."""
    frame = Frame("values", [columns("values", [value("a"), value("b")]), lines("values", [value("b", "strong")])])
    codes, texts = frame.texts("state")
    assert [texts[code] for code in codes.tolist()] == ["a", "b", "b"]
    assert codes[1] == codes[2]
    assert frame.lookup("state", pa.array(["b"])).tolist() == [-1, 0, 0]


def random_map(chance: random.Random) -> dict[str, float]:
    """Some actions in some order, now and then an undeclared one."""
    names = chance.sample([*ACTIONS, "jump"], chance.randint(1, 4))
    return {name: chance.uniform(-2, 2) for name in names}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("reader", [lines, columns])
def test_action_maps_are_those_of_a_plain_loop(reader: Any, seed: int) -> None:
    """Regular maps, which are copied as blocks, and irregular ones."""
    chance = random.Random(seed)
    regular = {"call": 0.0, "fold": 0.0} if seed % 2 else None
    maps = [{name: chance.random() for name in regular} if regular else random_map(chance) for _ in range(12)]
    frame = Frame("values", [reader("values", [value(str(place), values=one) for place, one in enumerate(maps)])])
    found = action_matrix(frame, "values", ACTIONS)
    assert found.named.tolist() == [[name in one for name in ACTIONS] for one in maps]
    assert found.values.tolist() == [[one.get(name, 0.0) for name in ACTIONS] for one in maps]
    assert found.unknown.tolist() == ["jump" in one for one in maps]


OBSERVATION: dict[str, Any] = {
    "split": "s", "hero": "J", "board": [], "position": "BB", "pot": 1.0, "stack": 1.0, "history": [],
}  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_action_lists_are_those_of_a_plain_loop(seed: int) -> None:
    """Unknown, repeated and unordered lists are told apart, row by row."""
    chance = random.Random(seed)
    lists = [chance.choices([*ACTIONS, "jump"], k=chance.randint(1, 4)) for _ in range(12)]
    if seed == 0:
        lists = [["fold", "raise"]] * 12
    rows = [{"state": str(place), "legal": one, **OBSERVATION} for place, one in enumerate(lists)]
    frame = Frame("observation", [columns("observation", rows)])
    assert frame.size == 12
    found = action_lists(frame, "legal", ACTIONS)
    assert found.named.tolist() == [[name in one for name in ACTIONS] for one in lists]
    assert found.unknown.tolist() == ["jump" in one for one in lists]
    known = [[ACTIONS.index(name) for name in one if name in ACTIONS] for one in lists]
    assert found.repeated.tolist() == [len(set(one)) < len(one) for one in known]
    for place, one in enumerate(known):
        if not found.unknown[place] and not found.repeated[place]:
            assert found.ordered[place] == (one == sorted(one))


def test_names_are_looked_for_in_rows_that_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that a single row group names is known; of very many names, no more are read than needed."""
    groups = [pa.table({"model": names}) for names in (["base", "large"], ["base", "ours"])]
    frame = KeptFrame("prediction", {"a.parquet": 4}, lambda _: [], "prediction", [cast("KeptFile", None)])
    monkeypatch.setattr(KeptFrame, "parts", lambda *_: iter(groups))
    assert frame.distinct("model").to_pylist() == ["base", "large", "ours"]
    assert frame.distinct("model", most=1).to_pylist() == ["base", "large"]


def test_names_of_a_held_column_are_those_that_it_refers_to() -> None:
    """What is absent in a row is among them, and rows are not read again."""
    column = pa.chunked_array([pa.array(["ours", "base", None, "ours"]).dictionary_encode()])
    kept = [cast("KeptFile", None)]
    frame = KeptFrame("prediction", {"a.parquet": 4}, lambda _: [], "prediction", kept, {"model": column})
    assert frame.distinct("model", most=1).to_pylist() == ["ours", "base", None]
    assert [part.to_pydict() for part in frame.parts(["model"])] == [{"model": ["ours", "base", None, "ours"]}]
