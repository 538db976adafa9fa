"""Numbers that a query brings along instead of taking them from records.

A query may scale (100 * avg(x)), count down from one or a hundred, and compare with anything. Any other number in what
it gives, such as `CASE WHEN avg(x) > 0.4 THEN 99.9 ELSE avg(x) END`, is the author's and not the records'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

_UNITS = {
    Decimal(text) for text in ("12", "24", "60", "365", "1024", "1048576", "3600", "86400", "1.645", "1.96", "2.576")
}
"""Hours, seconds, bytes and the usual normal quantiles."""
_ADDED = {Decimal(0), Decimal(1), Decimal(100)}
_TINY = Decimal("1e-6")
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?\s*")
_SELECTING = (
    "where_clause", "having", "qualify", "filter", "when_expr", "order_bys", "modifiers", "condition",
    "group_expressions", "partitions", "orders", "type_expr", "start_expr", "end_expr",
)  # fmt: skip
"""Where a number chooses rows or branches, and gives none."""
_CHOOSING = frozenset({"COMPARISON", "CONJUNCTION", "BETWEEN", "LAMBDA"})
_SETTINGS = re.compile(
    r"round\w*|trunc|.*quantile\w*|percentile\w*|list_\w+|array_\w+|sub\w*str\w*|split_part|n?th_value"
)
"""Functions whose further arguments say how, not what."""
_MADE = frozenset({"TABLE_FUNCTION", "EXPRESSION_LIST"})
"""Rows that no record gives: what is compared with them gives numbers, too."""
_HOLDING = frozenset({"list_value", "struct_pack", "row", "unnest", "range", "generate_series"})
"""Functions that calculate nothing, so that what they hold is looked at by itself."""


def brought(tree: Any) -> list[str]:
    """The numbers of a query's syntax tree that its result may take from the query itself."""
    makes_rows = any(node.get("type") in _MADE for node in _objects(tree))
    return list(dict.fromkeys(_values(tree, all_count=makes_rows)))


def _objects(tree: Any) -> Iterator[dict[str, Any]]:
    rest = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            yield node
        rest.extend(node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())


def _values(tree: Any, *, all_count: bool) -> Iterator[str]:
    rest: list[tuple[Any, bool]] = [(tree, False)]  # a node, and whether it is added rather than scaled by
    while rest:
        node, added = rest.pop()
        if isinstance(node, list):
            rest.extend((one, added) for one in node)
            continue
        if not isinstance(node, dict):
            continue
        kind, name = node.get("class"), str(node.get("function_name") or "").casefold()
        if kind == "CONSTANT":
            if (text := _text(node)) is not None and not _usual(text, added=added):
                yield text
            continue
        if kind == "CAST" and _written_number(node.get("child")):
            yield f"the text {node['child']['literal']['text']!r} as a number"
            continue
        if not all_count and (kind in _CHOOSING or node.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN")):
            continue
        if kind == "FUNCTION" and name not in _HOLDING and _constant(node):
            yield f"{name}(…)" if not node.get("is_operator") else f"a calculation with {name}"
            continue
        arguments = node.get("arguments") or node.get("children")
        if kind == "FUNCTION" and arguments and name in ("+", "-") and len(arguments) == 2:
            rest.extend((one, True) for one in arguments)
        elif kind == "FUNCTION" and arguments and _SETTINGS.fullmatch(name):
            rest.append((arguments[0], False))
        else:
            skipped = () if all_count else _SELECTING
            rest.extend((value, added) for field, value in node.items() if field not in skipped)


def _written_number(node: Any) -> bool:
    """Whether a text with a digit is turned into something else: in hexadecimal, say."""
    literal = node.get("literal") if isinstance(node, dict) and node.get("class") == "CONSTANT" else None
    text = str(literal.get("text")) if isinstance(literal, dict) and literal.get("kind") == "STRING" else ""
    return any(character.isdigit() for character in text)


def _text(node: dict[str, Any]) -> str | None:
    """A constant's number as it is written; None where it is no number."""
    literal = node.get("literal")
    if isinstance(literal, dict):
        text = str(literal.get("text") or "")
    else:
        value = node.get("value")
        inner = value.get("value") if isinstance(value, dict) else value
        scale = ((value.get("type") or {}).get("type_info") or {}).get("scale", 0) if isinstance(value, dict) else 0
        text = str(Decimal(inner).scaleb(-scale)) if isinstance(inner, int) and scale else str(inner)
    return text.strip() if _NUMBER.fullmatch(text) else None


def _usual(text: str, *, added: bool) -> bool:
    number = abs(Decimal(text))
    if number in _ADDED or 0 < number <= _TINY:
        return True
    if added:
        return False
    return number in _UNITS or len(number.normalize().as_tuple().digits) == 1


def _constant(node: dict[str, Any]) -> bool:
    """Whether a function is asked of nothing but constants, of which at least one is there."""
    within = [one for one in _objects(node.get("arguments") or node.get("children") or []) if "class" in one]
    return bool(within) and all(
        one["class"] in ("CONSTANT", "CAST", "TYPE") or (one["class"] == "FUNCTION" and _parts(one)) for one in within
    )


def _parts(node: dict[str, Any]) -> bool:
    return bool(node.get("arguments") or node.get("children"))
