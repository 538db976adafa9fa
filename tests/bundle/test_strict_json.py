"""Strict JSON: one text, one meaning, and a position for everything else."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles.plain_json import RefusedError, strictly
from sealtrace.bundle.strict_json import StrictJSONError, parse
from support import LONG

fuzz = settings(max_examples=40_000 if LONG else 500, deadline=None, derandomize=not LONG)

BAD: dict[str, tuple[bytes, int, int, str]] = {
    "duplicate key": (b'{"a": 1, "a": 1}', 1, 10, 'duplicate key "a"'),
    "duplicate key, nested, on the second line": (
        b'{"x": [1,\n {"a": 1, "b": {}, "a": 2}]}',
        2,
        20,
        'duplicate key "a"',
    ),
    "duplicate key, written differently": (rb'{"\u0061": 1, "a": 2}', 1, 15, 'duplicate key "a"'),
    "duplicate key, surrogate pair": ('{"\\ud83d\\ude00": 1, "😀": 2}'.encode(), 1, 21, "duplicate key"),
    "NaN": (b'{"a": NaN}', 1, 7, "NaN is not a JSON number"),
    "Infinity": (b"[1, Infinity]", 1, 5, "Infinity is not a JSON number"),
    "negative Infinity": (b"[-Infinity]", 1, 2, "-Infinity is not a JSON number"),
    "beyond a double": (b"[1, 1e400]", 1, 5, "1e400 is beyond the range of a double"),
    "beyond a double, negative": (b"-1e400", 1, 1, "-1e400 is beyond the range of a double"),
    "beyond a double, all digits": (b"1" * 400 + b".0", 1, 1, "beyond the range of a double"),
    "below a double": (b"[\n1e-400]", 2, 1, "1e-400 is not zero but too small"),
    "below a double, all digits": (b"0." + b"0" * 400 + b"1", 1, 1, "not zero but too small"),
    "integer beyond 2^53 - 1": (b"[9007199254740992]", 1, 2, "integer 9007199254740992 is beyond 2^53 - 1"),
    "integer below -(2^53 - 1)": (b"[-9007199254740992]", 1, 2, "integer -9007199254740992 is beyond 2^53 - 1"),
    "huge integer": (b"[1, " + b"9" * 5000 + b"]", 1, 5, "is beyond 2^53 - 1; write it as a string"),
    "too deep, lists": (b"[" * 65 + b"]" * 65, 1, 65, "nested deeper than 64"),
    "too deep, objects": (b'{"a":' * 64 + b"{}" + b"}" * 64, 1, 321, "nested deeper than 64"),
    "too deep, many lines": (b"[\n" * 65 + b"]" * 65, 65, 1, "nested deeper than 64"),
    "lone high surrogate": (rb'["\ud800"]', 1, 3, "lone surrogate"),
    "lone high surrogate before a character": (rb'["a\ud800b"]', 1, 4, "lone surrogate"),
    "lone high surrogate before an escape": (rb'["\ud800\n\udc00"]', 1, 3, "lone surrogate"),
    "lone low surrogate": (rb'["x", "\uDC00"]', 1, 8, "lone surrogate"),
    "reversed pair": (rb'["\udc00\ud800"]', 1, 3, "lone surrogate"),
    "two high surrogates": (rb'["\ud800\ud800\udc00"]', 1, 3, "lone surrogate"),
    "lone surrogate in a key": (rb'{"\ud800": 1}', 1, 3, "lone surrogate"),
    "byte order mark": (b"\xef\xbb\xbf{}", 1, 1, "byte order mark"),
    "UTF-16": ("{}".encode("utf-16"), 1, 1, "not UTF-8"),
    "trailing data": (b"{} x", 1, 4, "data after the end of the value"),
    "trailing comma after the value": (b"{},", 1, 3, "data after the end of the value"),
    "two objects": (b'{"a": 1} {"a": 2}', 1, 10, "data after the end of the value"),
    "NUL after the value": (b"{}\0", 1, 3, "data after the end of the value"),
    "invalid UTF-8": (b'{"a":\n "\xff"}', 2, 3, "not UTF-8"),
    "UTF-8 of a surrogate": (b'["\xed\xa0\x80"]', 1, 3, "not UTF-8"),
    "overlong UTF-8": (b'["\xc0\x80"]', 1, 3, "not UTF-8"),
    "cut within a character": ('["é'.encode()[:-1], 1, 3, "not UTF-8"),
    "nothing": (b"", 1, 1, "unexpected end of text"),
    "only space": (b" \n ", 2, 2, "unexpected end of text"),
    "cut after a key": (b'{"a"', 1, 5, "expected ':'"),
    "cut after a colon": (b'{"a":', 1, 6, "unexpected end of text"),
    "cut in a list": (b"[1, 2", 1, 6, "expected ',' or the end of the container"),
    "cut in a string": (b'["abc', 1, 2, "unterminated or malformed string"),
    "cut in a word": (b"[tru", 1, 2, "expected a value"),
    "control character": (b'["a\x01"]', 1, 2, "unterminated or malformed string"),
    "newline in a string": (b'["a\n"]', 1, 2, "unterminated or malformed string"),
    "unknown escape": (rb'["\x41"]', 1, 2, "unterminated or malformed string"),
    "trailing comma": (b"[1,]", 1, 4, "expected a value"),
    "trailing comma in an object": (b'{"a": 1,}', 1, 9, "expected a key in double quotes"),
    "single quotes": (b"{'a': 1}", 1, 2, "expected a key in double quotes"),
    "key that is a number": (b"{1: 1}", 1, 2, "expected a key in double quotes"),
    "leading zero": (b"[01]", 1, 3, "expected ','"),
    "leading plus": (b"[+1]", 1, 2, "expected a value"),
    "no digit after the point": (b"[1.]", 1, 3, "expected ','"),
    "comment": (b"// x\n{}", 1, 1, "expected a value"),
    "wrong bracket": (b"[1}", 1, 3, "expected ','"),
    "space that is not JSON's": ("\u00a0{}".encode(), 1, 1, "expected a value"),
}

GOOD: dict[str, tuple[bytes, Any]] = {
    "negative integer": (b"-1", -1),
    "smallest integer": (b"-9007199254740991", -9007199254740991),
    "largest integer": (b"9007199254740991", 9007199254740991),
    "negative zero": (b"[-0, -0.0]", [0, -0.0]),
    "zero with an exponent": (b"0e-999", 0.0),
    "zero with decimals": (b"0.000", 0.0),
    "smallest double": (b"5e-324", 5e-324),
    "largest double": (b"1.7976931348623157e308", 1.7976931348623157e308),
    "large number with a point": (b"9007199254740993.0", 9007199254740992.0),
    "surrogate pair": (rb'["\ud83d\ude00", "\uD83D\uDE00"]', ["😀", "😀"]),
    "escaped backslash before u": (rb'["\\ud800"]', ["\\ud800"]),
    "64 deep": (b"[" * 63 + b"{}" + b"]" * 63, None),
    "brackets in a string": (b'["' + b"[" * 200 + b'"]', ["[" * 200]),
    "same key in two objects": (b'[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
    "keys that differ by case": (b'{"a": 1, "A": 2}', {"a": 1, "A": 2}),
    "space around": (b" \r\n\t{} \r\n", {}),
    "delete character": (b'"\x7f"', "\x7f"),
    "words": (b"[true, false, null]", [True, False, None]),
    "empty key": (b'{"": ""}', {"": ""}),
}


@pytest.mark.parametrize(("text", "line", "column", "fragment"), BAD.values(), ids=BAD)
def test_refusals_have_a_position_and_a_reason(text: bytes, line: int, column: int, fragment: str) -> None:
    """A reader of the report finds the place in an editor."""
    with pytest.raises(StrictJSONError) as caught:
        parse(text)
    position = caught.value
    assert (line, column) == (position.line, position.column)
    assert fragment in position.message
    assert str(caught.value).startswith(f"line {line} column {column}: ")


@pytest.mark.parametrize(("text", "value"), GOOD.values(), ids=GOOD)
def test_good_texts_have_their_value(text: bytes, value: Any) -> None:
    """Strictness refuses nothing that RFC 8259 and binary64 give one meaning."""
    expected = json.loads(text) if value is None else value
    assert _same(expected, parse(text))


def test_lines_count_from_where_the_text_begins() -> None:
    """In JSON lines, the position is one of the file, not of the line alone."""
    with pytest.raises(StrictJSONError) as caught:
        parse(b'{"a": 1} {"b": 2}', first_line=41)
    assert (caught.value.line, caught.value.column) == (41, 10)


def _same(expected: Any, actual: Any) -> bool:
    """Equal in value, type and the sign of zero."""
    if type(expected) is not type(actual):
        return False
    if isinstance(expected, dict):
        return list(expected) == list(actual) and all(_same(expected[key], actual[key]) for key in expected)
    if isinstance(expected, list):
        return len(expected) == len(actual) and all(map(_same, expected, actual))
    if isinstance(expected, float):
        return expected == actual and math.copysign(1, expected) == math.copysign(1, actual)
    return bool(expected == actual)


_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**54), 2**54)
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda child: st.lists(child, max_size=3) | st.dictionaries(st.text("ab", max_size=1), child, max_size=3),
    max_leaves=8,
)
_pieces = st.sampled_from(
    [
        *("{", "}", "[", "]", '"', ",", ":", "\\", " ", "\n", "0", "1", "-", ".", "e", "E", "+"),
        *("null", "true", "NaN", "-Infinity", "1e999", "1e-999", "9" * 17, '"a":', '{"a":1,"a":2}'),
        *("\\u0041", "\\ud83d", "\\ude00", "\\ud83d\\ude00", "\ufeff", "\x00", "\x1f", "\u2028", "é", "😀"),
        *("[" * 70, "]" * 70),
    ]
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """JSON, whole or with pieces put in, taken out or swapped; or pieces alone."""
    if draw(st.booleans()):
        return "".join(draw(st.lists(_pieces, max_size=8)))
    text = json.dumps(draw(_values), ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        stop = draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + draw(st.just("") | _pieces) + text[stop:]
    return text


@fuzz
@given(texts())
@example('"\\ud83d\\ude00"')
@example('{"\\ud83d\\ude00": 1, "😀": 1}')
@example("[" * 65)
def test_any_text_is_read_as_the_standard_library_does_or_refused_with_a_position(text: str) -> None:
    """Exactly strict JSON passes, with the usual value; nothing else ever escapes than the one exception."""
    try:
        expected: Any = strictly(text)
        strict = True
    except (ValueError, RefusedError):
        strict = False
    refusal, actual = _outcome(text.encode())
    assert strict == (refusal is None)
    if refusal is None:
        assert _same(expected, actual)
    else:
        lines = text.split("\n")
        assert 1 <= refusal.line <= len(lines)
        assert 1 <= refusal.column <= len(lines[refusal.line - 1]) + 1
        assert refusal.message


def _outcome(data: bytes) -> tuple[StrictJSONError | None, Any]:
    """Where and why the text is refused, or its value."""
    try:
        return None, parse(data)
    except StrictJSONError as error:
        return error, None


@fuzz
@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Bytes that are not text are refused like any other."""
    refusal, actual = _outcome(data)
    if refusal is None:
        assert _same(json.loads(data.decode()), actual)
    else:
        assert 1 <= refusal.line <= data.count(b"\n") + 1
        assert refusal.column >= 1


LARGE: dict[str, tuple[bytes, bool]] = {
    "open brackets": (b"[" * 2**20, False),
    "open objects": (b'{"a":' * 2**18, False),
    "digits": (b"9" * 2**20, False),
    "decimals": (b"0." + b"1" * 2**20, True),
    "digits with a point": (b"1" * 2**20 + b".5", False),
    "digits of an exponent": (b"1e" + b"9" * 2**20, False),
    "escapes": (b'"' + b"\\u0041" * (2**20 // 6) + b'"', True),
    "surrogate pairs": (b'"' + b"\\ud83d\\ude00" * (2**20 // 12) + b'"', True),
    "escapes without an end": (b'"' + b"\\u0041" * (2**20 // 6), False),
    "backslashes": (b'"' + b"\\" * 2**20 + b'"', True),
    "quotes": (b'"' * 2**20, False),
    "keys": (b"{" + b",".join(b'"%d":0' % number for number in range(2**16)) + b"}", True),
    "keys, the last one twice": (b"{" + b",".join(b'"%d":0' % number for number in range(2**16)) + b',"0":0}', False),
    "lists in lists": (b"[" + b"[[]]," * 2**17 + b"0]", True),
    "spaces": (b" " * 2**20, False),
}


@pytest.mark.parametrize(("text", "good"), LARGE.values(), ids=LARGE)
def test_a_megabyte_is_read_to_its_end(text: bytes, good: bool) -> None:
    """No text makes the reader recurse; `benchmarks/growth.py` shows that none makes it backtrack or multiply."""
    if good:
        parse(text)
    else:
        with pytest.raises(StrictJSONError) as caught:
            parse(text)
        assert len(caught.value.message) < 200
