"""JSON that means one thing: no duplicate keys, no NaN, nothing that a double cannot hold.

The standard library parses; its hooks refuse what RFC 8259 leaves open. It cannot say where a hook
refused, so only then does the small scanner below walk the text and find the place.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1


class StrictJSONError(ValueError):
    """The text is not strict JSON from a line and a column on."""

    def __init__(self, text: str, offset: int, message: str, first_line: int = 1) -> None:
        self.line = first_line + text.count("\n", 0, offset)
        self.column = offset - text.rfind("\n", 0, offset)
        self.message = message
        super().__init__(f"line {self.line} column {self.column}: {message}")


class _RefusedError(Exception):
    """A hook met something that strict JSON excludes; the scanner says where."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _RefusedError
    return result


def _integer(text: str) -> int:
    # The length is looked at first: converting a million digits is slow.
    if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
        raise _RefusedError
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value) or (value == 0 and _NONZERO_DIGIT.search(text)):
        raise _RefusedError
    return value


def _constant(text: str) -> float:
    raise _RefusedError(text)


_NONZERO_DIGIT = re.compile(r"^[^eE]*[1-9]")
_SURROGATE = r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
_SURROGATE_ESCAPE = re.compile(_SURROGATE)
_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)


def parse(data: bytes, *, first_line: int = 1) -> Any:
    """The value of one strict JSON text, or `StrictJSONError` with its place."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise StrictJSONError(before, len(before), "not UTF-8", first_line) from None
    if not _SURROGATE_ESCAPE.search(text):
        try:
            value = _decoder.decode(text)
        except (_RefusedError, ValueError, RecursionError):
            pass
        else:
            # Fewer brackets than the limit cannot nest deeper than it.
            if text.count("{") + text.count("[") <= MAX_DEPTH or _depth(value) <= MAX_DEPTH:
                return value
    _Scanner(text, first_line).scan()
    # Only surrogate escapes that pair up come here.
    return _decoder.decode(text)


def _depth(value: Any) -> int:
    """Nesting depth, without recursion."""
    deepest = 0
    stack = [(value, 1)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, dict):
            children: Any = node.values()
        elif isinstance(node, list):
            children = node
        else:
            continue
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in children)
    return deepest


_WHITESPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
# Nothing is tried twice: a text of escapes without an end would be remembered at each of them.
_STRING = re.compile(r'"((?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+)"')
_ESCAPE = re.compile(rf"\\u[dD][89abAB][0-9a-fA-F]{{2}}\\u[dD][c-fC-F][0-9a-fA-F]{{2}}|({_SURROGATE})|\\.")
"""A pair of surrogates, one that is not in a pair, or any other escape."""


class _Scanner:
    """Walks a text once, with its own stack, and refuses the first thing that is not strict JSON."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.first_line = first_line
        self.offset = 0

    def _refused(self, message: str, offset: int | None = None) -> StrictJSONError:
        return StrictJSONError(self.text, self.offset if offset is None else offset, message, self.first_line)

    def _skip(self) -> str:
        match = _WHITESPACE.match(self.text, self.offset)
        assert match is not None
        self.offset = match.end()
        return self.text[self.offset : self.offset + 1]

    def scan(self) -> None:
        if self.text.startswith("\ufeff"):
            raise self._refused("byte order mark")
        # For every open container the keys seen so far, or None for an array.
        stack: list[set[str] | None] = []
        while True:
            character = self._skip()
            if character in ("{", "["):
                if len(stack) == MAX_DEPTH:
                    raise self._refused(f"nested deeper than {MAX_DEPTH}")
                self.offset += 1
                stack.append(set() if character == "{" else None)
                if self._skip() != ("}" if character == "{" else "]"):
                    self._key(stack[-1])
                    continue
            else:
                self._scalar(character)
            while stack and self._skip() == ("]" if stack[-1] is None else "}"):
                self.offset += 1
                stack.pop()
            character = self._skip()
            if not stack:
                if character:
                    raise self._refused("data after the end of the value")
                return
            if character != ",":
                raise self._refused("expected ',' or the end of the container")
            self.offset += 1
            self._skip()
            self._key(stack[-1])

    def _key(self, keys: set[str] | None) -> None:
        """The key of an object's next value; items of an array have none."""
        if keys is None:
            return
        start = self.offset
        key = self._string("expected a key in double quotes")
        if key in keys:
            raise self._refused(f"duplicate key {json.dumps(key)}", start)
        keys.add(key)
        if self._skip() != ":":
            raise self._refused("expected ':'")
        self.offset += 1

    def _string(self, otherwise: str) -> str:
        match = _STRING.match(self.text, self.offset)
        if match is None:
            raise self._refused(otherwise)
        lone = next(filter(lambda escape: escape[1], _ESCAPE.finditer(match[1])), None)
        if lone is not None:
            raise self._refused("lone surrogate", match.start(1) + lone.start())
        self.offset = match.end()
        decoded: str = json.loads(match.group(0))
        return decoded

    def _scalar(self, character: str) -> None:
        if character == '"':
            self._string("unterminated or malformed string")
            return
        for word in ("true", "false", "null"):
            if self.text.startswith(word, self.offset):
                self.offset += len(word)
                return
        for word in ("NaN", "Infinity", "-Infinity"):
            if self.text.startswith(word, self.offset):
                raise self._refused(f"{word} is not a JSON number")
        match = _NUMBER.match(self.text, self.offset)
        if match is None:
            raise self._refused("expected a value" if character else "unexpected end of text")
        literal = match.group(0)
        try:
            if match.group(1) or match.group(2):
                _number(literal)
            else:
                _integer(literal)
        except _RefusedError:
            raise self._refused(_number_problem(literal)) from None
        self.offset = match.end()


def _number_problem(literal: str) -> str:
    shown = literal if len(literal) <= 40 else f"{literal[:37]}..."
    if not any(mark in literal for mark in ".eE"):
        return f"integer {shown} is beyond 2^53 - 1; write it as a string"
    if math.isinf(float(literal)):
        return f"number {shown} is beyond the range of a double"
    return f"number {shown} is not zero but too small for a double"
