"""Content identity: the same records have one digest, and other records have another."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract.specimens import ROWS, json_lines, records, specimen, variants
from oracles.block_digest import spelled_out_in_blocks
from oracles.columnar_digest import spelled_out
from sealtrace.bundle import blocks, encoding, stores
from sealtrace.bundle.content import document_digest, table_digest
from sealtrace.bundle.parquet_writing import write_parquet
from sealtrace.bundle.shapes import row_shape
from sealtrace.bundle.writing import write_rows
from sealtrace.contract.kinds import KINDS
from support import FIXTURE, LONG, Row, read_rows, schema_accepts

fuzz = settings(
    max_examples=400 if LONG else 8,
    deadline=None,
    derandomize=not LONG,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


# What the package says of the same rows, by way of each format.


def table_of(kind: str, rows: list[Any]) -> pa.Table:
    """The rows by way of JSON lines."""
    store = stores.read_rows(json_lines(rows), "file.jsonl", kind, "jsonl")
    assert store.whole is not None
    assert store.misfits.total == 0
    return store.whole


def digest_of(kind: str, rows: list[Any]) -> str:
    """The digest of rows by way of JSON lines."""
    return table_digest(table_of(kind, rows), kind)


def by_parquet(kind: str, table: pa.Table, **options: Any) -> str:
    """The digest of a table by way of Parquet."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    store = stores.read_rows(sink.getvalue(), "file.parquet", kind, "parquet")
    assert (store.syntax.listed, store.misfits.listed) == ([], [])
    assert store.whole is not None
    return table_digest(store.whole, kind)


@pytest.mark.parametrize("part", ["trace/trace.calibration", "replay/trace.held-out", "calibrate/score.calibration"])
def test_fixture_digests_are_what_the_specification_gives(part: str) -> None:
    """The sealed digests can be had without this package, from the written rules alone."""
    kind = part.partition("/")[2].partition(".")[0]
    rows = read_rows(FIXTURE / f"{part}.jsonl")
    manifest = json.loads((FIXTURE / "manifest.json").read_text(encoding="utf-8"))
    sealed = {entry["path"]: entry.get("content_sha256") for entry in manifest["files"]}
    assert len(rows) == 108
    assert spelled_out(kind, rows) == digest_of(kind, rows)
    assert spelled_out(kind, rows) == sealed[f"{part}.jsonl"]


def test_the_stream_of_one_row_byte_by_byte() -> None:
    """A golden vector short enough to read: any change of convention shows here first."""
    row = {"relation": "r", "formula": "é", "sentence": "s", "source": "p"}
    stream = (
        b"sealtrace-columns-1\0relation\0" + b"\x01" + bytes(7)
        + b"relation\0t1" + b"\x01" + bytes(7) + b"r"
        + b"formula\0t1" + b"\x02" + bytes(7) + b"\xc3\xa9"
        + b"sentence\0t1" + b"\x01" + bytes(7) + b"s"
        + b"source\0t1" + b"\x01" + bytes(7) + b"p"
    )  # fmt: skip
    assert hashlib.sha256(stream).hexdigest() == digest_of("relation", [row])


@pytest.mark.parametrize("kind", ROWS)
@fuzz
@given(data=st.data())
def test_both_formats_and_the_specification_give_one_digest(kind: str, data: st.DataObject) -> None:
    """Random records, in any order, as JSON lines and as Parquet of several layouts: one identity."""
    rows = data.draw(st.lists(records(kind), min_size=1, max_size=5))
    expected = spelled_out(kind, rows)
    table = table_of(kind, rows)
    assert expected == table_digest(table, kind)
    assert expected == digest_of(kind, data.draw(st.permutations(rows)))
    assert expected == by_parquet(kind, table, use_dictionary=data.draw(st.booleans()), row_group_size=2)


@pytest.mark.parametrize("kind", ROWS)
@settings(fuzz, max_examples=400 if LONG else 3)
@given(data=st.data())
def test_large_tables_have_one_digest_in_blocks_whatever_carries_them(kind: str, data: st.DataObject) -> None:
    """Blocks of two rows and more: JSON lines, shuffled Parquet and laid-out Parquet give what the rules give."""
    rows = data.draw(st.lists(records(kind), min_size=3, max_size=7))
    table = table_of(kind, rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(blocks, "SMALL", 2)
        patched.setattr(blocks, "BLOCK", 2)
        expected = spelled_out_in_blocks(kind, rows, 2)
        assert expected == table_digest(table, kind)
        assert expected == digest_of(kind, data.draw(st.permutations(rows)))
        assert expected == by_parquet(kind, table, row_group_size=2)
        sink = io.BytesIO()
        write_parquet(table, kind, sink)
        back = stores.read_rows(sink.getvalue(), "file.parquet", kind, "parquet")
        assert (back.syntax.listed, back.misfits.listed) == ([], [])
        assert back.whole is not None
        assert expected == table_digest(back.whole, kind)
        assert spelled_out(kind, rows) == table_digest(back.whole, kind, "sha256-columns-1")


@pytest.mark.parametrize("kind", ROWS)
def test_formats_agree_on_the_published_records(kind: str, tmp_path: Any) -> None:
    """The writer that recipes use gives the same digest for either ending."""
    rows = [specimen(kind), without_optional(kind)]
    expected = spelled_out(kind, rows)
    assert expected == write_rows(tmp_path / "a.jsonl", kind, rows)
    assert expected == write_rows(tmp_path / "a.parquet", kind, rows)
    for name in ("jsonl", "parquet"):
        store = stores.read_rows((tmp_path / f"a.{name}").read_bytes(), "a", kind, name)
        assert store.whole is not None
        assert expected == table_digest(store.whole, kind)


def without_optional(kind: str) -> Row:
    """A record with nothing that may be absent."""
    required = {field.name for field in row_shape(kind).fields if field.required}
    return {name: value for name, value in specimen(kind).items() if name in required}


@pytest.mark.parametrize("kind", ROWS)
def test_any_change_of_one_value_changes_the_digest(kind: str) -> None:
    """Over all valid variants of a record: equal digests exactly where the records say the same."""
    seen: dict[str, str] = {}
    tried = variants(specimen(kind), None if LONG else 250)
    for variant in (one for one in tried if schema_accepts(kind, one)):
        meaning = json.dumps(_meaning(variant), sort_keys=True)
        assert seen.setdefault(meaning, digest := digest_of(kind, [variant])) == digest
    assert len(seen) > 10
    assert len(seen) == len(set(seen.values()))


def _meaning(value: Any) -> Any:
    """A record with absent for null, one zero, and no difference between 1 and 1.0."""
    if isinstance(value, dict):
        return {name: _meaning(child) for name, child in value.items() if child is not None}
    if isinstance(value, list):
        return [_meaning(child) for child in value]
    return value if isinstance(value, bool | str) else float(value) + 0.0


SCORE = specimen("score")
TRACE = specimen("trace")


def test_row_order_does_not_matter() -> None:
    """A file may be written in any order."""
    rows = read_rows(FIXTURE / "trace" / "trace.calibration.jsonl")
    assert digest_of("trace", rows) == digest_of("trace", rows[::-1])
    assert digest_of("trace", rows) == digest_of("trace", rows[50:] + rows[:50])


def test_order_within_a_list_matters() -> None:
    """Lists, such as the action order, are sequences."""
    assert digest_of("trace", [TRACE | {"legal": ["a", "b"]}]) != digest_of("trace", [TRACE | {"legal": ["b", "a"]}])


def test_order_within_a_map_does_not_matter() -> None:
    """Maps are read by name; names sort by their UTF-8 bytes, where UTF-16 would differ."""
    names = ["b", "a", "é", "\uffff", "😀", "aa"]
    maps = [dict.fromkeys(order, 0.5) | {"a": 0.25} for order in (names, sorted(names), names[::-1])]
    digests = {digest_of("trace", [TRACE | {"probabilities": one}]) for one in maps}
    assert digests == {spelled_out("trace", [TRACE | {"probabilities": maps[0]}])}


def test_there_is_one_zero() -> None:
    """-0.0, 0.0 and 0 are one number."""
    digests = {digest_of("score", [SCORE | {"delta": zero}]) for zero in (0, 0.0, -0.0)}
    assert len(digests) == 1
    maps = {digest_of("trace", [TRACE | {"probabilities": {"a": zero}}]) for zero in (0, 0.0, -0.0)}
    assert len(maps) == 1


def test_absent_is_null_is_a_missing_column() -> None:
    """A field that is not there has one identity however that is written."""
    absent = {name: value for name, value in SCORE.items() if name != "scale"}
    expected = digest_of("score", [absent])
    assert expected == digest_of("score", [absent | {"scale": None}])
    assert expected == by_parquet("score", table_of("score", [absent]))
    assert expected == by_parquet("score", table_of("score", [absent]).drop_columns(["scale"]))
    assert expected != digest_of("score", [SCORE])


def test_absent_is_not_empty() -> None:
    """An empty list or map says something; an absent one does not."""
    observation = specimen("observation")
    assert digest_of("observation", [observation | {"board": []}]) != digest_of(
        "observation", [observation | {"board": None}]
    )
    run = specimen("run")
    assert digest_of("run", [run | {"settings": {}}]) != digest_of("run", [run | {"settings": None}])


def test_values_do_not_run_into_each_other() -> None:
    """Lengths are part of the stream: the same letters in other places are other records."""
    first = digest_of("trace", [TRACE | {"legal": ["ab", "c"]}])
    assert first != digest_of("trace", [TRACE | {"legal": ["a", "bc"]}])
    assert first != digest_of("trace", [TRACE | {"legal": ["abc"]}])


def test_rows_with_equal_keys_have_no_order() -> None:
    """Duplicates are findings elsewhere; the digest must not depend on how they happen to lie."""
    rows = [SCORE | {"weak": weak} for weak in (3, 1, 2, 1, -1.5)] + [SCORE | {"arm": "another"}]
    expected = spelled_out("score", rows)
    assert expected == digest_of("score", rows)
    assert expected == digest_of("score", rows[::-1])
    assert expected != digest_of("score", rows[1:])
    assert expected != digest_of("score", [*rows, rows[0]])


def test_integer_keys_sort_by_value() -> None:
    """Attempt 10 comes after attempt 9, not after attempt 1."""
    rows = [specimen("attempt") | {"attempt": number} for number in (10, 9, 1, 0, 2**53 - 1)]
    assert spelled_out("attempt", rows) == digest_of("attempt", rows)


def test_many_duplicates_do_not_take_quadratic_time() -> None:
    """A file of nothing but duplicates is settled in about the time of reading it."""
    rows = [SCORE | {"state": f"{number // 2}"} for number in range(6000)]
    assert spelled_out("score", rows) == digest_of("score", rows)


@pytest.mark.parametrize("kind", ["trace", "score", "candidate"])
def test_dictionary_and_plain_columns_are_equal(kind: str) -> None:
    """How Arrow or Parquet encodes text says nothing about the records."""
    rows = [specimen(kind), without_optional(kind), specimen(kind) | {KINDS[kind].key[0]: "another"}]
    table = table_of(kind, rows)
    encoded = table
    for index, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            encoded = encoded.set_column(index, field.name, table.column(index).dictionary_encode())
    assert encoded.schema != table.schema
    expected = spelled_out(kind, rows)
    assert expected == table_digest(encoded, kind)
    assert expected == by_parquet(kind, encoded)
    assert expected == by_parquet(kind, table, use_dictionary=False)
    assert expected == by_parquet(kind, table, compression="none", data_page_version="2.0", row_group_size=1)


def test_wider_and_narrower_columns_are_equal() -> None:
    """A cast that loses nothing changes no identity."""
    rows = [specimen("attempt") | {"request": name} for name in ("a", "b")]
    table = table_of("attempt", rows)
    narrow = table.set_column(
        table.column_names.index("attempt"), "attempt", table.column("attempt").cast(pa.int16())
    ).set_column(0, "request", table.column("request").cast(pa.large_string()))
    assert spelled_out("attempt", rows) == by_parquet("attempt", narrow)


@pytest.mark.parametrize("kind", ROWS)
def test_slices_and_chunks_are_equal(kind: str) -> None:
    """A table cut out of a larger one, or glued from several, is what it holds."""
    names = ["a", "b", "c", "d"]
    rows = [
        record | {KINDS[kind].key[0]: name} for name in names for record in (specimen(kind), without_optional(kind))
    ]
    whole = table_of(kind, rows)
    expected = spelled_out(kind, rows[2:6])
    assert expected == table_digest(whole.slice(2, 4), kind)
    assert expected == table_digest(pa.concat_tables([whole.slice(4, 2), whole.slice(2, 2)]), kind)
    assert expected == table_digest(whole.take(pa.array(np.array([5, 3, 2, 4]))), kind)


def test_kind_and_count_are_bound() -> None:
    """An empty table, and the same columns under another kind, have identities of their own."""
    assert digest_of("score", []) != digest_of("trace", [])
    assert spelled_out("score", []) == digest_of("score", [])


def test_documents_are_canonical() -> None:
    """RFC 8785: order, spacing and the spelling of numbers do not matter; values do."""
    first = json.loads('{"b": 1.0, "a": [1e2, "\\u00e9"], "own": "x"}')
    second = json.loads('{"own":"y","a":[100,"é"],"b":1}')
    assert document_digest(first, without="own") == document_digest(second, without="own")
    assert document_digest(first) != document_digest(second)
    assert hashlib.sha256('{"a":[100,"é"],"b":1}'.encode()).hexdigest() == document_digest(first, without="own")


@pytest.mark.parametrize("chunks", [[["a", "b"], ["c", "d"]], [["c", "d"], ["a", "b"]], [["a", None], ["a", "b"]]])
def test_one_dictionary_for_all_chunks(chunks: list[list[str | None]]) -> None:
    """Texts in order are put end to end, others are looked up; the values stay what they were."""
    column = pa.chunked_array([pa.array(one).dictionary_encode() for one in chunks])
    joined = encoding.one_dictionary(column)
    assert joined.to_pylist() == [text for one in chunks for text in one]
    assert len({tuple(chunk.dictionary.to_pylist()) for chunk in joined.chunks}) == 1


def test_codes_of_a_slice_see_only_the_slice() -> None:
    """Lists and maps of a stretch of rows are told apart by what is in them, wherever the stretch begins."""
    lists = pa.array([["x"], ["a", "b"], None, [], ["a", "b"], ["b", "a"]])[1:]
    maps = pa.array([[("x", 1.0)], [("a", 0.0)], [("a", -0.0)], [("a", 1.0)]], pa.map_(pa.string(), pa.float64()))[1:]
    same = [[left == right for right in blocks.codes_of(lists)] for left in blocks.codes_of(lists)]
    assert same == [[left == right for right in lists.to_pylist()] for left in lists.to_pylist()]
    first, again, other = blocks.codes_of(maps).tolist()
    assert first == again != other


def test_only_flags_are_flags() -> None:
    """A stretch of flags is read bit by bit; numbers in their place are refused."""
    flags = pa.array([True, False, False, True, True, False, True, True, False, True])
    assert encoding.flags_of(flags[3:]).tolist() == [1, 1, 0, 1, 1, 0, 1]
    with pytest.raises(TypeError):
        encoding.flags_of(pa.array([1, 0]))
