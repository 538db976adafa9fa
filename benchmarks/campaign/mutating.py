"""Every way to change a record: each value that it holds, by type; and every way to write the same record otherwise."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

Pointer = tuple[str | int, ...]
"""The way into a record: names of fields, places in lists."""

REMOVED: Any = object()
"""Instead of a new value: the field or the item is taken away."""

_EXACT = re.compile(r"[+-]?\d+(?:\.\d+)?(?:/\d+|[eE][+-]?\d{1,3})?")
_LAST_DIGIT = re.compile(r"\d(?=\D*$)")


def places(value: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Everything that stands in a record, with the way to it; the record itself is left out."""
    if at:
        yield at, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from places(item, (*at, name))


def ways(value: Any, others: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    """What a value may be changed to; `others` are values that stand in the same field of other records."""
    yield "removed", REMOVED
    match value:
        case bool():
            yield "negated", not value
        case int():
            yield "one more", value + 1
            yield "one less", value - 1
            yield "negative", -value - 1
        case float():
            yield "a little larger", value + max(1e-6, abs(value) * 1e-6)
            yield "negated", -value if value else 1.0
            yield "much larger", value * 1000 + 1
        case str():
            yield from _texts(value)
        case list():
            yield from _lists(value)
        case dict():
            yield from _maps(value)
    for other in others:
        if other != value:
            yield "another record's", other


def _texts(value: str) -> Iterator[tuple[str, str]]:
    yield "longer", f"{value}x"
    if digit := _LAST_DIGIT.search(value):
        yield "another digit", value[: digit.start()] + str((int(digit[0]) + 1) % 10) + value[digit.end() :]
    if _EXACT.fullmatch(value):
        yield "negated", value[1:] if value.startswith("-") else f"-{value.removeprefix('+')}"
        with suppress(ArithmeticError):
            yield "much larger", f"{float(Fraction(value)) * 1000 + 1:g}"


def _lists(value: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    if value:
        yield "the last twice", [*value, value[-1]]
    if len(value) > 1 and value[::-1] != value:
        yield "reversed", value[::-1]


def _maps(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if len(value) > 1:
        first, second, *_ = value
        if value[first] != value[second]:
            yield "two exchanged", {**value, first: value[second], second: value[first]}


def rewritings(value: Any) -> Iterator[tuple[str, Any]]:
    """Other ways to write the same value: none of them may be found."""
    match value:
        case dict() if len(value) > 1:
            yield "fields in another order", dict(reversed(value.items()))
        case float() if value == math.trunc(value) and abs(value) < 2**53:
            yield "a whole number", int(value)


def altered(record: Any, pointer: Pointer, new: Any) -> Any:
    """A copy of a record with another value in one place; what is not changed is shared."""
    name, *rest = pointer
    if isinstance(record, list):
        assert isinstance(name, int)
        inner = altered(record[name], tuple(rest), new) if rest else new
        return [*record[:name], *(() if inner is REMOVED else (inner,)), *record[name + 1 :]]
    inner = altered(record[name], tuple(rest), new) if rest else new
    if inner is REMOVED:
        return {key: item for key, item in record.items() if key != name}
    return {key: inner if key == name else item for key, item in record.items()}


def pattern(pointer: Pointer) -> str:
    """A way into records of a kind: every place of a list is the same."""
    return "".join("/*" if isinstance(part, int) else f"/{part}" for part in pointer)


def same_constant(old: Any, new: Any) -> bool:
    """Whether two texts declare the same exact number, so that nothing is changed."""
    if not (isinstance(old, str) and isinstance(new, str) and _EXACT.fullmatch(old) and _EXACT.fullmatch(new)):
        return False
    try:
        return Fraction(old) == Fraction(new)
    except ZeroDivisionError:
        return False
