"""Records made from the published schemas: whole ones, random ones, and ones with something wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from hypothesis import strategies as st

from sealtrace.bundle.resources import schema_document
from sealtrace.contract.kinds import KINDS, Form
from sealtrace.contract.scalars import EXACT_PATTERN
from support import Row

ROWS = sorted(name for name, kind in KINDS.items() if kind.form is Form.ROWS and kind.model)
DOCUMENTS = sorted(name for name, kind in KINDS.items() if kind.form is Form.DOCUMENT)

LARGEST = 2**53 - 1
Place = tuple[str | int, ...]

SHA256_PATTERN = "^[0-9a-f]{64}$"
NAME_PATTERN = r"^[^\x00-\x1f\x7f-\x9f]*$"

_names = st.one_of(
    st.sampled_from(["0000", "fold", "call", "raise", "é", "e\u0301", "😀", "a b", "/", "~", "\u2028", "9" * 200]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6),
)
_exact = st.one_of(
    st.sampled_from(["0", "-0", "0.08", "1/80", "1e-12", "-3.50e2", "1." + "0" * 62]),
    st.builds("{}.{:03d}".format, st.integers(-99, 99), st.integers(0, 999)),
    st.builds("{}/{}".format, st.integers(-99, 99), st.integers(1, 99)),
)
SQL_NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"
_patterned = {
    SQL_NAME_PATTERN: st.text("abcXYZ_09", min_size=1, max_size=6).map(lambda text: f"n{text}"),
    SHA256_PATTERN: st.text("0123456789abcdef", min_size=64, max_size=64),
    NAME_PATTERN: _names,
    EXACT_PATTERN: _exact,
}
_specimen_text = {SQL_NAME_PATTERN: "name", SHA256_PATTERN: "5a" * 32, NAME_PATTERN: "name", EXACT_PATTERN: "0.05"}
_free_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
_numbers = st.one_of(
    st.sampled_from([0, 0.0, -0.0, 1, -1, 0.5, 5e-324, 1.7976931348623157e308, LARGEST, -LARGEST]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-LARGEST, LARGEST),
)


def _resolved(node: Row, kind: str) -> Row:
    if "$ref" in node:
        found: Row = schema_document(kind)["$defs"][node["$ref"].removeprefix("#/$defs/")]
        return found
    return node


def specimen(kind: str) -> Row:
    """One valid record that has every field, optional ones too, and one item in every list and map."""
    record: Row = _specimen(schema_document(kind), kind)
    return record


def _specimen(node: Row | bool, kind: str) -> Any:
    if isinstance(node, bool):
        return "anything"
    node = _resolved(node, kind)
    if "anyOf" in node:
        return _specimen(node["anyOf"][0], kind)
    if "const" in node:
        return node["const"]
    if "enum" in node:
        return node["enum"][0]
    match node["type"]:
        case "string":
            return _specimen_text[node["pattern"]] if "pattern" in node else "text"
        case "number":
            return 0.25
        case "integer":
            return max(node.get("minimum", 3), min(node.get("maximum", 3), 3))
        case "boolean":
            return True
        case "array":
            return [_specimen(node["items"], kind)] * node.get("minItems", 1)
    if "properties" in node:
        return {name: _specimen(child, kind) for name, child in node["properties"].items()}
    return {_key_names(node)[0]: _specimen(node["additionalProperties"], kind)}


def _key_names(node: Row) -> list[str]:
    """What a map's keys may be called, where its schema lists them."""
    return list(node.get("propertyNames", {}).get("enum", ["name"]))


@cache
def records(kind: str) -> st.SearchStrategy[Row]:
    """Valid records, drawn from the schema."""
    return _drawn(schema_document(kind), kind)


def _drawn(node: Row | bool, kind: str) -> st.SearchStrategy[Any]:
    if isinstance(node, bool):
        return st.none() | _free_text | st.booleans()
    node = _resolved(node, kind)
    if "anyOf" in node:
        return st.one_of(*(st.none() if one == {"type": "null"} else _drawn(one, kind) for one in node["anyOf"]))
    if "const" in node:
        return st.just(node["const"])
    if "enum" in node:
        return st.sampled_from(node["enum"])
    match node["type"]:
        case "string":
            return _patterned[node["pattern"]] if "pattern" in node else _free_text
        case "number":
            return _numbers
        case "integer":
            low, high = node["minimum"], node["maximum"]
            return st.integers(low, high) | st.sampled_from([low, high, float(max(low, min(high, 2)))])
        case "boolean":
            return st.booleans()
        case "array":
            least = node.get("minItems", 0)
            return st.lists(_drawn(node["items"], kind), min_size=least, max_size=node.get("maxItems", 3))
    if "properties" in node:
        required = set(node.get("required", ()))
        fields = {name: _drawn(child, kind) for name, child in node["properties"].items()}
        drawn = st.fixed_dictionaries(
            {name: field for name, field in fields.items() if name in required},
            optional={name: field for name, field in fields.items() if name not in required},
        )
        return drawn.map(lambda record: _with_dependents(record, node.get("dependentRequired", {})))
    listed = node.get("propertyNames", {}).get("enum")
    keys = _names if listed is None else st.sampled_from(listed)
    return st.dictionaries(keys, _drawn(node["additionalProperties"], kind), max_size=3)


def _with_dependents(record: Row, dependents: dict[str, list[str]]) -> Row:
    """Without the fields that would need others which were not drawn."""
    return {name: value for name, value in record.items() if set(dependents.get(name, ())) <= set(record)}


STRANGERS: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.0, -0.0, 1.5, -1.5, 1e300, 5e-324),
    *(LARGEST, -LARGEST, float(LARGEST), 2.0**53, 2.0**63, -(2.0**63), 2.0**64),
    *("", " ", "x", "x\n", "\n", "x\r", "x\t", "\x00", "x\x00y", "\x1f", "\x7f", "\x80", "\x9f", "\xa0", "\u2028"),
    *("n" * 200, "n" * 201, "😀" * 200, "😀" * 201, "e\u0301" * 101, "t" * 4000, "t" * 4001),
    *("0" * 64, "0" * 63, "0" * 65, "A" * 64, "0" * 64 + "\n", "g" * 64),
    *("0", "-0", "+1", "01", "1.", ".5", "1.5", "1e5", "1E5", "1e+5", "1e-999", "1e1000", "1/2", "1/0", "1/02", "-1/2"),
    *("1.5/2", "1/2\n", "\u0663", "1_000", "NaN", "inf", "1" * 64, "1" * 65, "0.05 "),
    *("true", "null", "selected", "verified", "1", "2"),
    *([], [None], ["x"], ["x", "x\n"], [""], [1], [1.5], [True], [[]], [{}], ["0", "1"], ["0", "1", "2"]),
    *({}, {"": 1}, {"x": None}, {"x": 1}, {"x": True}, {"x": "1"}, {"x": 1.5}, {"x\n": 1}, {"n" * 201: 1}, {"x": {}}),
)
"""JSON values that have no business in most places, and are right in some."""


def places(value: Any, here: Place = ()) -> Iterator[Place]:
    """Every place of a JSON value: the whole, and all that lies in it."""
    yield here
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in children:
        yield from places(child, (*here, step))


def at(value: Any, place: Place) -> Any:
    """What lies at a place."""
    for step in place:
        value = value[step]
    return value


def with_value(record: Any, place: Place, value: Any) -> Any:
    """The record with another value at one place."""
    if not place:
        return value
    changed = copy.deepcopy(record)
    at(changed, place[:-1])[place[-1]] = value
    return changed


def without(record: Any, place: Place) -> Any:
    """The record without one field or item."""
    changed = copy.deepcopy(record)
    del at(changed, place[:-1])[place[-1]]
    return changed


def alterations(value: Any) -> list[Any]:
    """What one value is easily mistaken for."""
    match value:
        case bool():
            return [int(value), str(value).lower(), [value]]
        case str():
            return [
                f"{value}\n",
                f"\n{value}",
                f"{value} ",
                f"{value}\x00",
                value.upper(),
                value[:-1],
                value * 100,
                [value],
            ]
        case int() | float():
            return [-value, value + 0.5, float(value), str(value), bool(value), [value]]
        case list():
            return [[], [*value, None], [*value, *value], [*value, value], {"0": value}, *value]
        case dict():
            return [
                {},
                list(value),
                [value],
                {**value, "unknown": 1},
                {**value, "unknown": None},
                {**value, "": 1},
                {**value, "x\n": 1},
                {**value, "n" * 201: 1},
            ]
    return ["null", 0, {}, []]


def variants(record: Any, most: int | None = None) -> list[Any]:
    """The record with each place in turn dropped, altered, or taken by each stranger; or so many, evenly spread."""
    makers: list[Callable[[], Any]] = []
    for place in places(record):
        if place:
            makers.append(partial(without, record, place))
        strange = (*STRANGERS, *alterations(at(record, place)))
        makers += [partial(with_value, record, place, value) for value in strange]
    return [make() for make in makers[:: -(-len(makers) // most) if most else 1]]


@st.composite
def mutants(draw: st.DrawFn, kind: str) -> Any:
    """A valid record with up to three things changed; most are invalid, some are valid still."""
    record: Any = draw(records(kind))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.sampled_from(list(places(record))))
        operation = draw(st.sampled_from(_OPERATIONS))
        record = draw(operation(record, place))
    return record


def _dropped(record: Any, place: Place) -> st.SearchStrategy[Any]:
    return st.just(without(record, place) if place else record)


def _strange(record: Any, place: Place) -> st.SearchStrategy[Any]:
    return st.sampled_from(STRANGERS).map(lambda value: with_value(record, place, value))


def _altered(record: Any, place: Place) -> st.SearchStrategy[Any]:
    return st.sampled_from(alterations(at(record, place))).map(lambda value: with_value(record, place, value))


_OPERATIONS: list[Callable[[Any, Place], st.SearchStrategy[Any]]] = [_dropped, _strange, _altered]


def json_lines(batch: list[Any]) -> bytes:
    """Records as a JSON lines file."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in batch).encode()
