"""Numbers that a query brings along instead of taking them from records.

A query may scale (100 * avg(x)), count down from one or a hundred, and compare with anything. Any other number in what
it gives, such as `CASE WHEN avg(x) > 0.4 THEN 99.9 ELSE avg(x) END`, is the author's and not the records'.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
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
_OF_TEXTS = frozenset(
    {"hash", "md5_number", "md5_number_lower", "md5_number_upper", "ascii", "unicode", "ord", "instr"}
)
"""Functions that make numbers of letters, which say nothing of results."""
_COUNTING = re.compile(r"count\w*|list_value|struct_pack|row")
_HOLDING = frozenset({"list_value", "struct_pack", "row", "unnest", "range", "generate_series"})
"""Functions that calculate nothing, so that what they hold is looked at by itself."""


def brought(tree: Any) -> list[str]:
    """The numbers of a query's syntax tree that its result may take from the query itself."""
    makes_rows = any(node.get("type") in _MADE for node in objects(tree))
    return list(dict.fromkeys(_values(tree, all_count=makes_rows)))


_OPPOSITE = {
    "max": "min", "arg_max": "arg_min", "max_by": "min_by", "argmax": "argmin", "arg_max_null": "arg_min_null",
    "first": "last", "arbitrary": "last", "any_value": "last", "first_value": "last_value", "greatest": "least",
    "list_max": "list_min", "array_max": "array_min", "list_sort": "list_reverse_sort", "lead": "lag",
    "array_sort": "array_reverse_sort", "list_first": "list_last", "array_first": "array_last",
    "COMPARE_GREATERTHAN": "COMPARE_LESSTHAN", "COMPARE_GREATERTHANOREQUALTO": "COMPARE_LESSTHANOREQUALTO",
}  # fmt: skip
_OPPOSITE |= {turned: name for name, turned in _OPPOSITE.items()}
_ONE_WAY = {
    "ceil": "floor", "ceiling": "floor", "floor": "ceil", "trunc": "ceil", "even": "floor", "//": "/", "fdiv": "/",
    "divide": "/",
}  # fmt: skip
"""Rounding that makes every number larger, or smaller. Where rows are chosen it makes classes, and none is shown."""
_REMAINDERS = frozenset({"%", "mod", "fmod"})
_SETTING_OF = re.compile(r".*quantile\w*|percentile\w*")
_SUMMED = frozenset({"SUBQUERY", "WINDOW"})


def turned(tree: Any) -> bool:
    """Turns a query's choices by results round, in place: the least for the greatest, the last for the first.

    What it gives then is another number, unless nothing was chosen. False where it has no such choice.
    """
    found = False
    for node in list(objects(tree, _SELECTING)):
        if (other := _ONE_WAY.get(name := _function(node))) is not None:
            _rename(node, other)
            found = True
        elif name == "-" and any(_function(one) in _REMAINDERS for one in objects(_inputs(node))):
            _rename(node, "+")
            found = True
    for node in list(objects(tree)):
        name, arguments = _function(node), _inputs(node)
        if name in _OPPOSITE and not (name in ("greatest", "least") and any(map(_is_constant, arguments))):
            _rename(node, _OPPOSITE[name])
            found = True
            if node.get("class") == "WINDOW" and node["type"].removeprefix("WINDOW_").casefold() == name:
                node["type"] = f"WINDOW_{_OPPOSITE[name].upper()}"
        elif _SETTING_OF.fullmatch(name) and len(arguments) > 1 and (share := _text(arguments[1])) is not None:
            literal = {"kind": "NUMERIC", "text": str(1 - Decimal(share))}
            arguments[1].pop("value", None)
            arguments[1]["literal"], found = literal, True
        elif node.get("class") == "COMPARISON" and node["type"] in _OPPOSITE and _of_results(node):
            node["type"], found = _OPPOSITE[node["type"]], True
        for order in node.get("orders") or ():
            order["type"] = "ASCENDING" if order["type"] == "DESCENDING" else "DESCENDING"
        limiting = [one for one in node.get("modifiers") or () if one.get("type") in _LIMITING]
        limits = bool(limiting)
        if not any(one.get("type") == "ORDER_MODIFIER" for one in node.get("modifiers") or ()):
            for one in limiting:  # rows by their place: others instead
                if "limit" in one:
                    one["offset"] = None if one.get("offset") else one["limit"]
        found |= limits or (bool(node.get("orders")) and (bool(name) or node.get("class") == "WINDOW"))
    return found


def _function(node: dict[str, Any]) -> str:
    return str(node.get("function_name") or "").casefold()


def _inputs(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [one.get("expression", one) for one in node.get("arguments") or node.get("children") or []]


def _rename(node: dict[str, Any], name: str) -> None:
    node["function_name"] = name
    if "qualified_name" in node:
        node["qualified_name"] = {**node["qualified_name"], "path": [name]}


_PLAIN = re.compile(r"avg|mean|sum|count(?:_star|_if)?|round|[-+*/]|(?:stddev|var)(?:_\w+)?|not|sqrt|abs")
"""Functions that take every row alike."""
_CHOOSERS = frozenset({"SUBQUERY", "WINDOW", "LAMBDA", "BETWEEN"})


def plain(tree: Any) -> dict[str, list[str]] | None:
    """The values that a query demands of fields, where that is all that it chooses; None where it may choose otherwise.

    Such a query sums, counts and averages the rows whose fields equal what it names, also group by group.
    """
    demanded: dict[str, list[str]] = {}
    for node in objects(tree):
        averaged = node.get("filter") if node.get("function_name") in ("avg", "mean") else None
        for by in filter(None, (node.get("where_clause"), averaged)):
            demanded.setdefault("", []).extend(_results_in(by))
        kind, name = node.get("class"), str(node.get("function_name") or "").casefold()
        modified = {str(one.get("type")) for one in node.get("modifiers") or ()} - {"ORDER_MODIFIER"}
        if kind in _CHOOSERS or modified or node.get("ref_type", "REGULAR") not in ("REGULAR", "CROSS"):
            return None
        if kind == "CASE" and not all(map(_is_constant, _branches(node))):
            return None
        if kind == "FUNCTION" and not _PLAIN.fullmatch(name):
            return None
        if kind == "OPERATOR" and node["type"] == "OPERATOR_COALESCE":
            return None
        if kind == "COMPARISON" or node.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN"):
            sides = node.get("children") or [node["left"], node["right"]]
            column, *others = sorted(sides, key=lambda side: side.get("class") != "COLUMN_REF")
            if column.get("class") != "COLUMN_REF" or node["type"] not in _EQUAL:
                return None
            for other in others:
                if other.get("class") == "CONSTANT":
                    demanded.setdefault(str(column["column_names"][-1]).casefold(), []).append(_written(other))
                elif other.get("class") != "COLUMN_REF":
                    return None
    return demanded


def _branches(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        *(one["then_expr"] for one in case.get("case_checks") or ()),
        case.get("else_expr") or {"class": "CONSTANT"},
    ]


_EQUAL = ("COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_IN", "COMPARE_NOT_IN")


def _written(constant: dict[str, Any]) -> str:
    literal = constant.get("literal")
    value = literal.get("text") if literal else (constant.get("value") or {}).get("value")
    return str(value).casefold() if isinstance(value, bool) else str(value)


def averages(tree: Any) -> bool:
    """Whether a query averages or sums: one that counts rows says what it counts by what it demands of them."""
    return any(str(node.get("function_name") or "").casefold() in ("avg", "mean", "sum") for node in objects(tree))


def _results_in(where: dict[str, Any]) -> Iterator[str]:
    """The fields by whose results rows are taken: flags, and fields that are compared with each other."""
    rest = [where]
    while rest:
        node = rest.pop()
        rest += node.get("children") or () if node.get("class") == "CONJUNCTION" else ()
        sides = [node["left"], node["right"]] if node.get("class") == "COMPARISON" else [node]
        if all(side.get("class") == "COLUMN_REF" for side in sides):
            yield from (str(side["column_names"][-1]) for side in sides)


_LIMITING = ("LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "DISTINCT_MODIFIER")


def _is_constant(node: dict[str, Any]) -> bool:
    return node.get("class") == "CONSTANT" or (node.get("class") == "CAST" and _is_constant(node.get("child") or {}))


def _of_results(node: dict[str, Any]) -> bool:
    """Whether a comparison is with what other rows give: a mean of all, or a rank."""
    return any(one.get("class") in _SUMMED for one in objects([node.get("left"), node.get("right")]))


def objects(tree: Any, without: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Every object of a syntax tree, without recursion: nobody knows how deep it is."""
    rest = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            yield node
            rest.extend(value for name, value in node.items() if name not in without)
        elif isinstance(node, list):
            rest.extend(node)


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
        if kind == "FUNCTION" and (name in _OF_TEXTS or not (_parts(node) or _COUNTING.fullmatch(name))):
            yield f"{name}(…)"
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
    within = [one for one in objects(node.get("arguments") or node.get("children") or []) if "class" in one]
    return bool(within) and all(
        one["class"] in ("CONSTANT", "CAST", "TYPE") or (one["class"] == "FUNCTION" and _parts(one)) for one in within
    )


def _parts(node: dict[str, Any]) -> bool:
    return bool(node.get("arguments") or node.get("children"))
