"""Files of rows: whatever is wrong becomes a defect with a place, and nothing raises."""

from __future__ import annotations

import base64
import io
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as encryption
import pytest

from contract.specimens import ROWS, json_lines, specimen
from sealtrace.bundle.archives import Opened
from sealtrace.bundle.content import table_digest
from sealtrace.bundle.defects import LISTED_DEFECTS, Defect
from sealtrace.bundle.documents import declared_rows
from sealtrace.bundle.json_columns import check_table
from sealtrace.bundle.shapes import Field, Struct, Text, arrow_schema
from sealtrace.bundle.shard_columns import NotLaidOutError
from sealtrace.bundle.shards import LaidOut
from sealtrace.bundle.stores import Store, read_rows
from sealtrace.contract.scalars import PRINTABLE
from support import LONG, Row

TRACE = specimen("trace")
SCORE = specimen("score")
ATTEMPT = specimen("attempt")


def by_json(kind: str, rows: list[Any]) -> Store:
    """Reads rows by way of JSON lines."""
    return read_rows(json_lines(rows), "stage/file.jsonl", kind, "jsonl")


def table_of(kind: str, rows: list[Row]) -> pa.Table:
    """Good rows as a table."""
    store = by_json(kind, rows)
    assert store.whole is not None
    return store.whole


def parquet_bytes(table: pa.Table, **options: Any) -> bytes:
    """A table as a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def by_parquet(kind: str, data: bytes) -> Store:
    """Reads a Parquet file twice; looking at every row must find the same."""
    store = read_rows(data, "stage/file.parquet", kind, "parquet")
    again = read_rows(data, "stage/file.parquet", kind, "parquet", every_row=True)
    assert store.syntax == again.syntax
    assert store.misfits == again.misfits
    assert list(store.rows) == list(again.rows)
    return store


def test_good_rows_have_no_defects() -> None:
    """The baseline of everything below."""
    store = by_json("trace", [TRACE, TRACE])
    assert (store.syntax.listed, store.misfits.listed) == ([], [])
    assert (store.count, list(store.rows)) == (2, [1, 2])


def test_a_misfit_names_line_key_and_field() -> None:
    """Enough to find the value in the file and in the study."""
    bad = TRACE | {"state": "0007", "ledger": [*TRACE["ledger"], TRACE["ledger"][0] | {"tokens": -1}]}
    store = by_json("trace", [TRACE, bad, TRACE])
    expected = Defect(
        "The value does not fit the schema.",
        "stage/file.jsonl",
        2,
        key={"state": "0007", "arm": "name", "scale": "0.05", "split": "name"},
        field="/ledger/*/tokens",
        expected="a whole number of at least 0",
        found="-1",
    )
    assert [expected] == store.misfits.listed
    assert list(store.rows) == [1, 3]
    assert store.count == 3


WRONG_VALUES: dict[str, tuple[Row, str, str, str]] = {
    "missing field": ({"legal": None}, "/legal", "a list", "nothing"),
    "wrong type": ({"inputs": "hero"}, "/inputs", "a list", '"hero"'),
    "null item": ({"legal": ["fold", None]}, "/legal/*", "text matching", "null"),
    "wrong item": ({"legal": ["fold", 3]}, "/legal/*", "text matching", "3"),
    "flag for a number": ({"probabilities": {"fold": True}}, "/probabilities/*", "a number", "true"),
    "control character": ({"action": "a\x1b[2J"}, "/action", "text matching", '"a\\x1b[2J"'),
    "unknown field": ({"opponent_cards": ["K"]}, "/opponent_cards", "no such field", "['K']"),
    "unknown field within": ({"query": TRACE["query"] | {"seed": 1}}, "/query/seed", "no such field", "1"),
    "missing field within": ({"query": {"requested": True, "accepted": True}}, "/query/score", "a number", "nothing"),
}


@pytest.mark.parametrize(("change", "field", "expected", "found"), WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_each_wrong_value_is_named_once(change: Row, field: str, expected: str, found: str) -> None:
    """One wrong value, one defect, with what was expected and what is there."""
    (defect,) = by_json("trace", [TRACE | change]).misfits.listed
    assert (field, found) == (defect.field, defect.found)
    assert defect.expected is not None
    assert defect.expected.startswith(expected)


def test_syntax_errors_have_their_line_and_column() -> None:
    """A bad line is named, and the lines beside it are read."""
    lines = json_lines([SCORE, SCORE]).splitlines(keepends=True)
    store = read_rows(lines[0] + b'{"state": NaN}\n\n' + lines[1], "f.jsonl", "score", "jsonl")
    assert [(defect.row, defect.column) for defect in store.syntax.listed] == [(2, 11), (3, 1)]
    assert list(store.rows) == [1, 4]
    assert store.count == 4
    assert store.whole is None


@pytest.mark.parametrize("data", [b"\xff\xfe\n", b"\n", b"{}\r{}\n", b"[" * 10_000, b"\x00" * 100, b"{}{}\n"])
def test_text_that_is_not_json_lines_is_a_syntax_defect(data: bytes) -> None:
    """Garbage in the place of JSON lines never raises."""
    store = read_rows(data, "f.jsonl", "score", "jsonl")
    assert store.syntax.total >= 1
    assert store.table.num_rows == 0


@pytest.mark.parametrize("line", [b"null", b"[]", b"1", b'"x"', b"{}", b"[{}]"])
def test_a_line_that_is_no_record_is_a_misfit(line: bytes) -> None:
    """JSON, but not an object with the kind's fields."""
    for kind in ROWS:
        store = read_rows(line + b"\n", "f.jsonl", kind, "jsonl")
        assert store.misfits.total >= 1
        assert store.table.num_rows == 0


def test_many_bad_rows_are_all_counted_and_some_listed() -> None:
    """A spoilt file must not fill the report, nor look less spoilt than it is."""
    rows = [SCORE | {"weak": "high"}] * 2500 + [SCORE]
    for every_row in (False, True):
        store = read_rows(json_lines(rows), "f.jsonl", "score", "jsonl", every_row=every_row)
        assert LISTED_DEFECTS == 1000 == len(store.misfits.listed)
        assert store.misfits.total == 2500
        assert list(store.rows) == [2501]
        assert store.count == 2501


def test_many_bad_lines_are_all_counted() -> None:
    """The same for lines that are not JSON."""
    store = read_rows(b"{\n" * 1500, "f.jsonl", "score", "jsonl")
    assert (len(store.syntax.listed), store.syntax.total) == (1000, 1500)


def test_many_bad_parquet_rows_are_all_counted() -> None:
    """The same for Parquet."""
    table = table_of("score", [SCORE] * 1500)
    store = by_parquet("score", parquet_bytes(with_column(table, "weak", pa.array([float("nan")] * 1500))))
    assert (len(store.misfits.listed), store.misfits.total) == (1000, 1500)


def with_column(table: pa.Table, name: str, column: Any) -> pa.Table:
    """The table with one column changed."""
    return table.set_column(table.column_names.index(name), name, column)


def _map(key: pa.DataType, value: pa.DataType, entries: list[Any]) -> pa.Array:
    return pa.array([entries], pa.map_(key, value))


def _not_utf8() -> pa.Array:
    offsets = pa.py_buffer(bytes(4) + b"\x02\0\0\0")
    return pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xff\xfe")])


QUERY = TRACE["query"]
CHARGE = TRACE["ledger"][0]
COLUMNS: dict[str, tuple[str, str, Callable[[], pa.Array], str]] = {
    "text for a number": ("score", "weak", lambda: pa.array(["1.5"]), "/weak"),
    "integer that a double cannot hold": ("score", "weak", lambda: pa.array([2**53 + 1]), "/weak"),
    "decimal for a number": ("score", "weak", lambda: pa.array(["1"]).cast(pa.decimal128(5, 2)), "/weak"),
    "flag for a number": ("score", "weak", lambda: pa.array([True]), "/weak"),
    "number for a flag": ("score", "crossing", lambda: pa.array([1]), "/crossing"),
    "number for text": ("score", "state", lambda: pa.array([17]), "/state"),
    "bytes for text": ("score", "state", lambda: pa.array([b"0000"]), "/state"),
    "time for text": ("score", "state", lambda: pa.array([0], pa.timestamp("us")), "/state"),
    "number for an integer": ("attempt", "attempt", lambda: pa.array([1.0]), "/attempt"),
    "integer beyond 64 bits": ("attempt", "attempt", lambda: pa.array([2**63], pa.uint64()), "/attempt"),
    "integer beyond 2^53 - 1": ("attempt", "attempt", lambda: pa.array([2**53]), "/attempt"),
    "negative count": ("attempt", "attempt", lambda: pa.array([-1]), "/attempt"),
    "NaN": ("score", "weak", lambda: pa.array([float("nan")]), "/weak"),
    "infinity": ("score", "weak", lambda: pa.array([float("-inf")]), "/weak"),
    "infinity in single precision": ("score", "weak", lambda: pa.array([float("inf")], pa.float32()), "/weak"),
    "null in a required column": ("score", "delta", lambda: pa.array([None], pa.float64()), "/delta"),
    "untyped null in a required column": ("score", "delta", lambda: pa.nulls(1), "/delta"),
    "text for a list": ("trace", "legal", lambda: pa.array(["fold"]), "/legal"),
    "list of numbers for names": ("trace", "legal", lambda: pa.array([[1]]), "/legal"),
    "null in a list": ("trace", "legal", lambda: pa.array([["fold", None]]), "/legal/*"),
    "control character in a list": ("trace", "legal", lambda: pa.array([["a\n"]]), "/legal/*"),
    "map of text": (
        "trace", "probabilities", lambda: _map(pa.string(), pa.string(), [("a", "0.5")]), "/probabilities",
    ),
    "map of flags": (
        "trace", "probabilities", lambda: _map(pa.string(), pa.bool_(), [("a", True)]), "/probabilities",
    ),
    "map by number": (
        "trace", "probabilities", lambda: _map(pa.int64(), pa.float64(), [(1, 0.5)]), "/probabilities",
    ),
    "map with a name twice": (
        "trace", "probabilities", lambda: _map(pa.string(), pa.float64(), [("a", 0.5), ("b", 0.1), ("a", 0.5)]),
        "/probabilities/*",
    ),
    "map with a null": (
        "trace", "probabilities", lambda: _map(pa.string(), pa.float64(), [("a", None)]), "/probabilities/*",
    ),
    "map with NaN": (
        "trace", "probabilities", lambda: _map(pa.string(), pa.float64(), [("a", float("nan"))]), "/probabilities/*",
    ),
    "map with an empty name": (
        "trace", "probabilities", lambda: _map(pa.string(), pa.float64(), [("", 0.5)]), "/probabilities/*",
    ),
    "list for a map": ("trace", "probabilities", lambda: pa.array([[0.5]]), "/probabilities"),
    "struct of text for a map": ("trace", "probabilities", lambda: pa.array([{"a": "0.5"}]), "/probabilities"),
    "map for a struct": ("trace", "query", lambda: _map(pa.string(), pa.float64(), [("score", 0.5)]), "/query"),
    "unknown field of a struct": ("trace", "query", lambda: pa.array([QUERY | {"secret": 1}]), "/query"),
    "missing field of a struct": (
        "trace", "query", lambda: pa.array([{"requested": True, "accepted": False}]), "/query/score",
    ),
    "wrong field of a struct": ("trace", "query", lambda: pa.array([QUERY | {"score": "0.5"}]), "/query"),
    "unknown field in a list of structs": ("trace", "ledger", lambda: pa.array([[CHARGE | {"secret": 1}]]), "/ledger"),
    "wrong field in a list of structs": ("trace", "ledger", lambda: pa.array([[CHARGE | {"tokens": 1.0}]]), "/ledger"),
    "null in a list of structs": ("trace", "ledger", lambda: pa.array([[CHARGE, None]]), "/ledger/*"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "column", "field"), COLUMNS.values(), ids=COLUMNS)
def test_a_wrong_parquet_column_is_a_defect(kind: str, name: str, column: Callable[[], pa.Array], field: str) -> None:
    """Nothing is coerced, dropped or raised: a column that the schema refuses is named."""
    table = with_column(table_of(kind, [specimen(kind)]), name, column())
    store = by_parquet(kind, parquet_bytes(table))
    assert store.misfits.listed[0].field == field
    assert store.syntax.total == 0


def test_whole_numbers_may_be_stored_as_integers() -> None:
    """A data frame writes the pots of a study as integers, and JSON writes them without a point."""
    rows = [specimen("observation") | {"pot": 4.0}]
    table = with_column(table_of("observation", rows), "pot", pa.array([4]))
    store = by_parquet("observation", parquet_bytes(table))
    assert (store.misfits.total, store.table.column("pot").to_pylist()) == (0, [4.0])


def test_unknown_and_repeated_columns_are_defects() -> None:
    """A column that the contract does not know is not skipped in silence."""
    table = table_of("score", [SCORE])
    unknown = by_parquet("score", parquet_bytes(table.append_column("note", pa.array(["x"]))))
    assert [defect.field for defect in unknown.misfits.listed] == ["/note"]
    assert unknown.whole is None
    twice = by_parquet("score", parquet_bytes(table.append_column("weak", table.column("weak"))))
    assert twice.misfits.listed[0].field == "/weak"
    assert twice.whole is None


def test_a_missing_required_column_is_a_defect_of_every_row() -> None:
    """Absent evidence is not empty evidence."""
    table = table_of("score", [SCORE, SCORE])
    for name in ("state", "delta", "crossing"):
        store = by_parquet("score", parquet_bytes(table.drop_columns([name])))
        assert [(1, f"/{name}"), (2, f"/{name}")] == [(defect.row, defect.field) for defect in store.misfits.listed]
        assert store.table.num_rows == 0


def test_a_missing_optional_column_is_fine() -> None:
    """What may be absent may be absent everywhere, as a column or as untyped nulls."""
    table = table_of("trace", [TRACE])
    for name in ("scale", "group", "query"):
        for changed in (table.drop_columns([name]), with_column(table, name, pa.nulls(1))):
            store = by_parquet("trace", parquet_bytes(changed))
            assert store.misfits.listed == []
            assert store.table.column(name).to_pylist() == [None]


def test_cells_of_csv() -> None:
    """An empty cell is absent, a flag too; a cell that is not what its field asks for is named by its row."""
    row = {"id": {"type": "string"}, "right": {"type": "boolean"}, "score": {"type": "number"}}
    schema = {"type": "object", "properties": row, "required": ["id"]}
    form = declared_rows({"dataset": "answers", "row": schema, "key": ["id"]})
    good = read_rows(b"id,right,score\na,true,0.5\nb,,\n", "rows.answers.csv", form, "csv")
    assert (good.defects, good.table.column("right").to_pylist()) == ([], [True, None])
    bad = read_rows(b"id,right,score\na,yes,0.5\nb,false,.5\n", "rows.answers.csv", form, "csv")
    assert [(one.row, one.field, one.found) for one in bad.defects] == [(1, "/right", '"yes"'), (2, "/score", '".5"')]


@pytest.mark.parametrize("where", ["state", "legal", "probabilities"])
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_text_that_is_not_utf8_is_a_syntax_defect(where: str, use_dictionary: bool) -> None:
    """Arrow does not look; such text would raise wherever it is first shown."""
    columns = {
        "state": _not_utf8(),
        "legal": pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), _not_utf8()),
        "probabilities": pa.MapArray.from_arrays(pa.array([0, 1], pa.int32()), _not_utf8(), pa.array([0.5])),
    }
    table = with_column(table_of("trace", [TRACE]), where, columns[where])
    store = by_parquet("trace", parquet_bytes(table, use_dictionary=use_dictionary))
    assert store.syntax.total == 1
    assert "UTF8" in store.syntax.listed[0].message
    assert store.whole is None


@pytest.mark.parametrize(
    "data", [b"", b"PAR1", b"PAR1PAR1", b"garbage" * 100, b"PAR1" + b"\xff" * 64 + b"PAR1", b"{}\n"]
)
def test_garbage_is_a_syntax_defect(data: bytes) -> None:
    """Bytes that are not Parquet."""
    store = by_parquet("trace", data)
    assert store.syntax.total == 1
    assert store.syntax.listed[0].message.startswith("The file cannot be read as Parquet")
    assert (store.count, store.table.num_rows, store.whole) == (0, 0, None)


def test_a_truncated_file_is_a_syntax_defect() -> None:
    """Parquet keeps its directory at the end, so every cut is seen."""
    data = parquet_bytes(table_of("trace", [TRACE] * 5))
    for length in range(0, len(data), 1 if LONG else 97):
        assert by_parquet("trace", data[:length]).syntax.total == 1


def test_damaged_files_never_raise() -> None:
    """Flipped bytes give defects or other records, and no exception."""
    data = parquet_bytes(table_of("trace", [TRACE] * 5), compression="none")
    generator = random.Random(20)
    for _ in range(4000 if LONG else 200):
        damaged = bytearray(data)
        damaged[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
        store = read_rows(bytes(damaged), "f.parquet", "trace", "parquet", every_row=True)
        assert store.count == 0 or store.table.num_rows == len(store.rows)


def test_a_footer_that_counts_other_rows_is_a_syntax_defect() -> None:
    """Columns that are there and columns of nulls would have other lengths."""
    data = parquet_bytes(table_of("trace", [TRACE] * 12).drop_columns(["group"]))
    twelve, row_groups = b"\x16\x18", b"\x19\x1c"
    assert data.count(twelve + row_groups) == 1
    store = by_parquet("trace", data.replace(twelve + row_groups, b"\x16\x6a" + row_groups))
    (defect,) = store.syntax.listed
    assert "cannot be read as Parquet" in defect.message
    assert (store.count, store.misfits.total, store.whole) == (0, 0, None)


class _Keys(encryption.KmsClient):  # type: ignore[misc]
    """Hands out keys that anybody may know."""

    def wrap_key(self, key: bytes, _: str) -> bytes:
        return base64.b64encode(key)

    def unwrap_key(self, wrapped: bytes, _: str) -> bytes:
        return base64.b64decode(wrapped)


def test_encrypted_columns_are_refused(tmp_path: Path) -> None:
    """Behind a readable footer, too: Arrow would end the whole process when asked where the column lies."""
    table, path = table_of("trace", [TRACE]), tmp_path / "trace.parquet"
    settings = encryption.EncryptionConfiguration("footer", column_keys={"column": ["state"]}, plaintext_footer=True)
    factory = encryption.CryptoFactory(lambda _: _Keys())
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), settings)
    with pq.ParquetWriter(path, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    (defect,) = by_parquet("trace", path.read_bytes()).syntax.listed
    assert "a column is encrypted" in defect.message
    with path.open("rb") as file, pytest.raises(NotLaidOutError, match="a column is encrypted"):
        LaidOut(Opened(path.stat().st_size, file), "trace")


def test_rows_of_parquet_have_numbers_and_keys() -> None:
    """A Parquet row is named by its number, from one, and by its key."""
    table = table_of("attempt", [ATTEMPT | {"request": name} for name in "abc"])
    store = by_parquet("attempt", parquet_bytes(with_column(table, "attempt", pa.array([0, -5, 0])), row_group_size=1))
    (defect,) = store.misfits.listed
    assert (defect.row, defect.key, defect.found) == (2, {"request": "b"}, "-5")
    assert list(store.rows) == [1, 3]


@pytest.mark.parametrize("kind", ROWS)
def test_every_row_finds_the_same_in_good_files(kind: str) -> None:
    """jsonschema and the model have nothing to add to the column predicates, in either format."""
    table = table_of(kind, [specimen(kind)] * 3)
    store = by_parquet(kind, parquet_bytes(table))
    assert (store.syntax.listed, store.misfits.listed) == ([], [])
    assert table.to_pylist() == store.table.to_pylist()


def test_a_struct_stands_for_a_map() -> None:
    """DuckDB and others write objects as structs with a field per name; what is null there is absent."""
    rows = [
        TRACE | {"state": "a", "probabilities": {"fold": 0.5, "call": 0.5}},
        TRACE | {"state": "b", "probabilities": {"raise": 1.0}},
    ]
    expected = table_of("trace", rows)
    struct = pa.array([{"fold": 0.5, "call": 0.5, "raise": None}, {"fold": None, "call": None, "raise": 1.0}])
    index = expected.column_names.index("probabilities")
    store = by_parquet("trace", parquet_bytes(expected.set_column(index, "probabilities", struct)))
    assert (store.syntax.listed, store.misfits.listed) == ([], [])
    assert store.whole is not None
    assert table_digest(store.whole, "trace") == table_digest(expected, "trace")


def test_what_duckdb_writes_by_default_is_read() -> None:
    """Records that went through DuckDB's JSON reader and its Parquet writer are the same records."""
    duckdb = pytest.importorskip("duckdb", reason="the extra `sql` is not installed")
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name, "rows.jsonl"), Path(name, "rows.parquet")
        rows = [TRACE | {"state": f"s{number}"} for number in range(20)]
        source.write_bytes(json_lines(rows))
        with duckdb.connect(":memory:") as connection:
            connection.execute(f"COPY (FROM read_json('{source}')) TO '{target}' (FORMAT parquet)")
        store = by_parquet("trace", target.read_bytes())
    assert (store.syntax.listed, store.misfits.listed) == ([], [])
    assert store.whole is not None
    assert table_digest(store.whole, "trace") == table_digest(table_of("trace", rows), "trace")


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
def test_every_encoding_of_text_is_read(encoding: str) -> None:
    """Arrow cannot read some of them by reference, and then they are read as they are."""
    rows = [TRACE | {"state": f"s{number}"} for number in range(20)]
    table = table_of("trace", rows).cast(arrow_schema("trace"))
    names = ["state", "arm", "legal.list.element", "probabilities.key_value.key"]
    data = parquet_bytes(table, use_dictionary=False, column_encoding=dict.fromkeys(names, encoding), row_group_size=7)
    store = by_parquet("trace", data)
    assert (store.syntax.listed, store.misfits.listed) == ([], [])
    assert store.whole is not None
    assert table_digest(store.whole, "trace") == table_digest(table, "trace")


@pytest.mark.parametrize("end", [b"\n", b"\n\n", b"\r\n", b" \n\t\n", b"\n" * 70_000])
def test_blank_lines_at_the_end_are_no_rows(end: bytes) -> None:
    """Editors and concatenation leave them; among rows they remain an error."""
    good = json_lines([TRACE, TRACE | {"state": "b"}])
    store = read_rows(good + end, "x.jsonl", "trace", "jsonl")
    assert (store.syntax.total, store.count, list(store.rows)) == (0, 2, [1, 2])
    between = read_rows(good + end + good, "x.jsonl", "trace", "jsonl")
    assert between.syntax.total == end.count(b"\n")
    assert between.syntax.listed[0].row == 3


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("a b", True),
        ("", False),
        ("é" * 200, True),
        ("é" * 201, False),
        ("a" * 201, False),
        ("a\x7f", False),
        ("\x85", False),
    ],
)
def test_a_text_fits_or_not_whatever_stands_beside_it(text: str, fits: bool) -> None:
    """Texts that are plainly good are not looked at one by one; the others are, by reference or not."""
    shape = Struct((Field("name", Text(pattern=PRINTABLE, min_length=1, max_length=200), required=True),))
    for column in (pa.array(["fine", text]), pa.array(["fine", text]).dictionary_encode()):
        misfits: list[int] = []
        check_table(pa.table({"name": column}), shape, lambda row, *_: misfits.append(row))
        assert misfits == ([] if fits else [1])
