"""JSON lines read fast: what is read and what is said is what the strict parser alone gives."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract.specimens import ROWS, json_lines, records, specimen
from sealtrace.bundle import stores
from sealtrace.bundle.fast_json import FEW, fast_table
from sealtrace.bundle.shapes import row_shape
from support import FIXTURE, LONG

TRACES = (FIXTURE / "trace/trace.calibration.jsonl").read_bytes().splitlines()
VALUES = (FIXTURE / "calibrate/values.calibration.jsonl").read_bytes().splitlines()
ROW: dict[str, Any] = json.loads(TRACES[20])
TEXT = TRACES[20].decode()


def read(data: bytes, kind: str, *, fast: bool) -> dict[str, Any]:
    """Everything that reading gives, by columns where that is certain or by the strict parser alone."""
    with pytest.MonkeyPatch.context() as patched:
        if not fast:
            patched.setattr(stores, "fast_table", lambda *_: None)
        store = stores.read_rows(data, "file.jsonl", kind, "jsonl")
    rows = store.table.to_pylist(maps_as_pydicts="strict")
    whole = None if store.whole is None else store.whole.num_rows
    said = (store.syntax.total, store.syntax.listed, store.misfits.total, store.misfits.listed)
    return {"rows": rows, "numbers": list(store.rows), "whole": whole, "count": store.count, "said": said}


def test_good_lines_take_the_fast_way() -> None:
    """The records of the fixture are certainly strict."""
    assert fast_table(b"\n".join(TRACES), row_shape("trace")) is not None
    assert fast_table(b"\n".join(VALUES), row_shape("values")) is not None
    assert fast_table(b"\n".join(TRACES[: FEW - 1]), row_shape("trace")) is None


NUMBERS = (
    "0", "-0", "1", "-1", "0.5", "-0.25", "1.0", "12.5", "1e5", "1E-5", "1e+05", "9007199254740991", "01", "-01.5",
    "00", "1.", ".5", "-", "-.5", "+1", "1.5.2", "1-2", "--1", "1e", "e5", "1e5.5", "0x1", "1_0", "١", "inf", "",
    "true", "false", "truely", "fals", "9007199254740992", "9007199254740991.5", "1e300", "1e-99", "1e-308", "5e-324",
    "1e-999", "0." + "0" * 60 + "1", "0." + "0" * 240 + "1e-99", "0." + "0" * 250 + "1", "1" + "0" * 200 + ".5",
    "0.1000000000000000055511151231257827",
)  # fmt: skip


@pytest.mark.parametrize("place", [0, 25])
@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_are_those_of_the_strict_parser(text: str, place: int) -> None:
    """Doubles, whole numbers and flags in every form, right and wrong, in the first line and in another."""
    scale = json.dumps(specimen("scale"))
    for kind, line, field in (
        ("trace", TEXT, '"fold": '),
        ("scale", scale, '"states": '),
        ("scale", scale, '"certified": '),
    ):
        lines = [line.encode()] * 40
        before, _, after = line.partition(field)
        lines[place] = f"{before}{field}{text},{after.partition(',')[2]}".encode()
        data = b"\n".join(lines) + b"\n"
        assert read(data, kind, fast=True) == read(data, kind, fast=False)


def changed(**fields: object) -> str:
    """A trace with other fields."""
    return json.dumps({**ROW, **fields})


STRANGE = {
    "a key twice": TEXT.replace('"arm":', '"arm": "x", "arm":', 1),
    "a key twice with a space": TEXT.replace('"arm":', '"arm" : "x", "arm":', 1),
    "a key twice by an escape": TEXT.replace('"arm":', '"\\u0061rm": "x", "arm":', 1),
    "a name of a map twice": TEXT.replace('"fold":', '"fold": 0.5, "fold":', 1),
    "not a number": TEXT.replace('"latency_ms": ', '"latency_ms": NaN, "x": ', 1),
    "nan in a map": changed(probabilities={"fold": float("nan"), "call": 0.5, "raise": 0.5}),
    "infinity": changed(probabilities={"fold": float("inf"), "call": 0.5, "raise": 0.5}),
    "beyond a double": TEXT.replace('"fold": ', '"fold": 1e999, "x": ', 1),
    "too small for a double": changed(probabilities={"fold": 0, "call": 0, "raise": 0}).replace(
        '"fold": 0', '"fold": 1e-999'
    ),
    "too small, written out": changed(probabilities={"fold": 0}).replace('"fold": 0', '"fold": 0.' + "0" * 400 + "1"),
    "an integer beyond 2^53": changed(probabilities={"fold": 2**53 + 1}),
    "a very long integer": changed(probabilities={"fold": 10**30}),
    "a count beyond 2^53": changed(ledger=[{"event": "e", "tokens": 2**53, "latency_ms": 1, "tool_calls": 0}]),
    "a count written as a double": changed(ledger=[{"event": "e", "tokens": 2.0, "latency_ms": 1, "tool_calls": 0}]),
    "a null in a map": changed(probabilities={"fold": None, "call": 1.0}),
    "a null field": changed(group=None),
    "a null required": changed(arm=None),
    "an unknown field": changed(unknown=1),
    "an unknown action": changed(probabilities={"jump": 1.0}),
    "no probabilities": changed(probabilities={}),
    "text for a number": changed(probabilities={"fold": "0.5"}),
    "a number for text": changed(arm=5),
    "a flag for text": changed(arm=True),
    "a lone surrogate": TEXT.replace('"arm": "', '"arm": "\\ud800', 1),
    "a paired surrogate": TEXT.replace('"arm": "', '"arm": "\\ud83d\\ude00', 1),
    "an escape": TEXT.replace('"arm": "', '"arm": "\\u0061', 1),
    "a control character": TEXT.replace('"arm": "', '"arm": "\x01', 1),
    "two objects on a line": TEXT + " " + TEXT,
    "data after the end": TEXT + "x",
    "a trailing comma": TEXT[:-1] + ",}",
    "a comment": TEXT.replace("{", "{/* */", 1),
    "a list": "[1]",
    "a blank line": "",
    "leading spaces": "  " + TEXT,
    "a byte order mark": "\ufeff" + TEXT,
    "negative zero": changed(probabilities={"fold": -0.0, "call": 0.5, "raise": 0.5}),
    "an integer for a double": changed(probabilities={"fold": 0, "call": 0, "raise": 1}),
    "deeply nested": changed(inputs=[]).replace("[]", "[" * 70 + "]" * 70, 1),
}


@pytest.mark.parametrize("what", STRANGE)
@pytest.mark.parametrize("place", [0, 17, 39])
def test_a_strange_line_is_read_and_named_as_the_strict_parser_does(what: str, place: int) -> None:
    """Among forty good lines, at the start, in the middle and at the end."""
    lines = [*TRACES[:40]]
    lines[place] = STRANGE[what].encode()
    data = b"\n".join(lines) + b"\n"
    assert read(data, "trace", fast=True) == read(data, "trace", fast=False)


def test_bytes_that_are_not_utf8() -> None:
    """They are named, not replaced."""
    data = b"\n".join([*TRACES[:30], TRACES[30].replace(b'"arm": "', b'"arm": "\xff')]) + b"\n"
    found = read(data, "trace", fast=True)
    assert found == read(data, "trace", fast=False)
    assert found["said"][0] == 1


@pytest.mark.parametrize("kind", ROWS)
@settings(
    max_examples=100 if LONG else 6,
    deadline=None,
    derandomize=not LONG,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_random_records_of_every_kind(kind: str, data: st.DataObject) -> None:
    """Random rows between published ones: the same table either way."""
    rows = [specimen(kind)] * FEW + data.draw(st.lists(records(kind), max_size=4))
    lines = json_lines(rows)
    assert read(lines, kind, fast=True) == read(lines, kind, fast=False)


PIECES = (b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\n", b" ", b"\t", b"\r", b"\0", b"\xff", b"\xc3\xa9", b"/",
          b"0", b"-", b"+", b".", b"e-400", b"E-999", b"1e400", b"null", b"true", b"NaN", b"-Infinity", b"0" * 80,
          b"9007199254740993", b"\\ud800", b"\\u0000", b'"arm": "x", ', b'"fold": 0.5, ', b"\xef\xbb\xbf")  # fmt: skip


@pytest.mark.parametrize("seed", range(400 if LONG else 60))
def test_mutated_bytes_are_read_and_named_as_the_strict_parser_does(seed: int) -> None:
    """Bytes are put in, taken out or doubled anywhere in one of forty lines."""
    source = random.Random(seed)
    lines = [*TRACES[:40]]
    at = source.randrange(len(lines))
    line = lines[at]
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        start = source.randrange(len(line) + 1)
        stop = min(len(line), start + source.choice((0, 0, 1, 1, 2, 5, 40)))
        put = source.choice((source.choice(PIECES), b"", line[start:stop] * 2))
        line = line[:start] + put + line[stop:]
    lines[at] = line
    data = b"\n".join(lines) + b"\n"
    assert read(data, "trace", fast=True) == read(data, "trace", fast=False)
