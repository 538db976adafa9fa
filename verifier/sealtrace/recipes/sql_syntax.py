"""What a query does, as DuckDB's own syntax tree says it: what it computes, in words, and what it takes of the records.

A query may scale (100 * avg(x)), count down from one or a hundred, and compare fields with each other. Any other number
in what it gives, such as `CASE WHEN avg(x) > 0.4 THEN 99.9 ELSE avg(x) END`, is the author's and not the records'.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypedDict, cast

Tree = object
"""A part of a syntax tree: an object, a list, or a scalar."""
Node = TypedDict(
    "Node",
    {
        "class": str, "type": str, "alias": str, "function_name": str, "is_operator": bool, "distinct": bool,
        "kind": str, "text": str, "value": Tree, "literal": "Node", "type_info": "Node", "scale": int,
        "column_names": list[str], "table_name": str, "schema_name": str, "catalog_name": str,
        "using_columns": list[str], "ref_type": str, "join_type": str, "setop_type": str, "setop_all": bool,
        "subquery_type": str, "aggregate_handling": str, "query_location": int,
        "child": "Node", "expression": "Node", "left": "Node", "right": "Node", "input": "Node", "lower": "Node",
        "upper": "Node", "filter": "Node", "filter_expr": "Node", "condition": "Node", "when_expr": "Node",
        "then_expr": "Node", "else_expr": "Node", "subquery": "Node", "node": "Node", "query": "Node",
        "query_node": "Node", "function": "Node", "type_expr": "Node", "type_name": str,
        "from_table": "Node", "where_clause": "Node", "having": "Node", "qualify": "Node", "sample": "Node",
        "children": list["Node"], "arguments": list["Node"], "select_list": list["Node"], "case_checks": list["Node"],
        "group_expressions": list["Node"], "group_sets": list[list[int]], "statistic": list[str],
        "modifiers": list["Node"],
        "orders": list["Node"], "distinct_on_targets": list["Node"], "statements": list["Node"],
        "cte_map": "Node", "map": list["Node"], "key": str, "error": bool, "error_type": str, "error_message": str,
        "position": int,
    },
    total=False,
)  # fmt: skip
"""An object of DuckDB's JSON, with the fields that are read here; others are passed through."""
Join = tuple[str, str, tuple[tuple[str, str], ...]]
"""Both kinds of record, and the fields that are equal."""
_ROWS = ("where_clause", "having", "qualify", "condition", "group_expressions", "partitions")
"""Where rows are taken, joined and grouped."""
_ORDERS = ("orders", "order_bys", "modifiers")
_BRANCHES = ("when_expr", "type_expr", "start_expr", "end_expr")
_SELECTING = (*_ROWS, *_ORDERS, *_BRANCHES, "filter")
"""Where a number chooses rows or branches, and gives none."""
MEANS = frozenset({"avg", "mean", "favg"})
COUNTS = frozenset({"count", "count_star", "count_if"})


@dataclass(frozen=True)
class Compared:
    """A field that a query compares with constants."""

    field: str
    values: tuple[str, ...]
    equal: bool
    """Whether rows have one of the values; False for bounds, patterns, exclusions and functions of the field."""
    restricts: bool = True
    """Whether rows are taken by it; False where a statistic asks it of each row."""


@dataclass(frozen=True)
class QueryDescription:
    """What a query does, with the views and macros that it uses."""

    words: str = ""
    functions: tuple[str, ...] = ()
    """The functions that it calls, besides those that take every row alike."""
    fields: tuple[str, ...] = ()
    """What its numbers are made of."""
    mean: bool = False
    """Whether it is plainly the mean of a field, or of a comparison."""
    counts_wrong: bool = False
    """Whether that comparison is of fields that differ."""
    brought: tuple[str, ...] = ()
    """Numbers that its result may take from the query itself."""
    totals: bool = False
    """Whether it adds up or averages, and does not only count."""
    shares: tuple[str, ...] = ()
    """The shares of its quantiles."""
    compared: tuple[Compared, ...] = ()
    picks: tuple[str, ...] = ()
    """How it chooses rows by results or by order, each as a clause."""
    unknown: tuple[str, ...] = ()
    """Constructs of which nothing here says what they choose."""
    joins: tuple[Join, ...] = ()
    """Joins of records."""
    present: tuple[str, ...] = ()
    """Fields by whose presence rows are taken."""
    grouped: dict[str, str] = field(default_factory=dict)
    """Columns of its result that are fields by which it groups all rows."""
    divides_counts: bool = False
    averaged_by: tuple[str, ...] = ()
    """Fields by which it groups rows, to average what the groups give."""


def objects(tree: Tree, without: Collection[str] = ()) -> Iterator[Node]:
    """Every object of a syntax tree, without recursion: nobody knows how deep it is."""
    rest = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            yield cast("Node", node)
            rest.extend(value for name, value in node.items() if name not in without)
        elif isinstance(node, list):
            rest.extend(node)


def function(node: Node) -> str:
    return str(node.get("function_name") or "").casefold()


def arguments_of(node: Node) -> list[Node]:
    return [argument.get("expression", argument) for argument in node.get("arguments") or node.get("children") or []]


def column(node: Node) -> str:
    return str(node["column_names"][-1]).casefold()


def columns(nodes: Iterable[Node]) -> set[str]:
    return {column(node) for node in nodes if node.get("class") == "COLUMN_REF"}


def _aliases(tree: Tree) -> dict[str, Node]:
    items = (item for node in objects(tree) for item in node.get("select_list") or ())
    return {str(item["alias"]).casefold(): item for item in items if item.get("alias")}


def calculated_columns(tree: Tree) -> dict[str, Node]:
    """What columns are that queries make and others read, by their names."""
    return {name: node for name, node in _aliases(tree).items() if name not in columns(objects(node))}


def within(node: Tree, calculated: dict[str, Node]) -> Iterator[Node]:
    """Every object of an expression, and of the columns that it reads where queries make them."""
    rest, seen = [node], set[str]()
    while rest:
        for inner in objects(rest.pop()):
            yield inner
            if inner.get("class") == "COLUMN_REF" and (name := column(inner)) in calculated and name not in seen:
                seen.add(name)
                rest.append(calculated[name])


def is_constant(node: Node) -> bool:
    return node.get("class") == "CONSTANT" or (node.get("class") == "CAST" and is_constant(node.get("child") or {}))


def constant(node: Node) -> str:
    """A constant as it is written."""
    if isinstance(literal := node.get("literal"), dict):
        return str(literal.get("text"))
    value = node.get("value")
    inner = value.get("value") if isinstance(value, dict) else value
    scale = ((value.get("type") or {}).get("type_info") or {}).get("scale", 0) if isinstance(value, dict) else 0
    if isinstance(inner, bool):
        return str(inner).casefold()
    return str(Decimal(inner).scaleb(-scale)) if isinstance(inner, int) and scale else str(inner)


_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?\s*")


def number(node: Node) -> str | None:
    """A constant's number as it is written; None where it is no number."""
    text = constant(node)
    return text.strip() if _NUMBER.fullmatch(text) else None


def counts_rows(node: Node, calculated: dict[str, Node]) -> bool:
    """Whether an expression is a number of rows, perhaps of another query."""
    for _step in range(_DEEPEST):
        match node.get("class"):
            case "CAST":
                node = node["child"]
            case "COLUMN_REF" if column(node) in calculated:
                node = calculated[column(node)]
    return function(node).startswith("count")


def fields_of(tree: Tree) -> set[str]:
    """The fields that its numbers are made of."""
    return columns(objects(tree, (*_ROWS, *_ORDERS))) - set(calculated_columns(tree))


_DEEPEST = 12


def is_plain_mean(node: Node, calculated: dict[str, Node], depth: int, *, averaged: bool = False) -> bool:
    """Whether something is plainly the mean of a field or of a comparison, also of means, and perhaps as percent.

    What is `averaged` already may be a field as well.
    """
    name, given = function(node), arguments_of(node)
    if depth > _DEEPEST:
        return False
    depth += 1
    match node.get("class"):
        case "CAST":
            return is_plain_mean(node["child"], calculated, depth, averaged=averaged)
        case "COLUMN_REF":
            own = calculated.get(column(node))
            return averaged if own is None else is_plain_mean(own, calculated, depth, averaged=averaged)
        case "COMPARISON":
            return averaged and all(node[side].get("class") == "COLUMN_REF" for side in ("left", "right"))
        case "CASE":
            checks, otherwise = node.get("case_checks") or [], node.get("else_expr") or {}
            whole = len(checks) == 1 and (constant(checks[0]["then_expr"]), constant(otherwise)) == ("1", "0")
            return whole and is_plain_mean(checks[0]["when_expr"], calculated, depth, averaged=averaged)
        case "FUNCTION" if name in MEANS and not node.get("distinct") and not node.get("filter"):
            return is_plain_mean(given[0], calculated, depth, averaged=True)
        case "SUBQUERY" if node.get("subquery_type") == "SCALAR":
            given = node["subquery"]["node"].get("select_list") or [{}]
            return is_plain_mean(given[0], calculated, depth, averaged=averaged)
        case "FUNCTION" if name in ("accuracy", "error_rate"):
            return True
        case "FUNCTION" if name == "round":
            return is_plain_mean(given[0], calculated, depth, averaged=averaged)
        case "FUNCTION" if name == "/" and len(given) == 2:
            return _whole_count(given[1]) and _total(given[0], calculated, depth)
        case "FUNCTION" if name == "*" and len(given) == 2:
            return any(
                is_constant(scale)
                and constant(scale) in ("100", "100.0", "1000", "1.0", "1")
                and (is_plain_mean(other, calculated, depth, averaged=averaged) or _total(other, calculated, depth))
                for scale, other in zip(given, reversed(given), strict=True)
            )
    return False


def _whole_count(node: Node) -> bool:
    while node.get("class") == "CAST":
        node = node["child"]
    return function(node) in ("count", "count_star") and not node.get("filter") and not node.get("distinct")


def _total(node: Node, calculated: dict[str, Node], depth: int) -> bool:
    """Whether something is the sum of a field over all rows, or the number of rows in which fields are equal."""
    name, given = function(node), arguments_of(node)
    if depth > _DEEPEST:
        return False
    if node.get("class") == "CAST":
        return _total(node["child"], calculated, depth + 1)
    if name == "*":
        return any(
            is_constant(scale) and constant(scale) in ("100", "100.0", "1.0", "1")
            and _total(other, calculated, depth + 1)
            for scale, other in zip(given, reversed(given), strict=True)
        )  # fmt: skip
    if name in ("sum", "fsum"):
        return not node.get("filter") and is_plain_mean(given[0], calculated, depth + 1, averaged=True)
    if name in ("count_star", "count"):
        return is_plain_mean(node.get("filter") or {}, calculated, depth + 1, averaged=True)
    return name == "count_if" and is_plain_mean(given[0], calculated, depth + 1, averaged=True)


# Numbers that a query brings along

_UNITS = {
    Decimal(text) for text in ("12", "24", "60", "365", "1024", "1048576", "3600", "86400", "1.645", "1.96", "2.576")
}
"""Hours, seconds, bytes and the usual normal quantiles."""
_ADDED = {Decimal(0), Decimal(1), Decimal(100)}
_TINY = Decimal("1e-6")
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
_SUMMARY = re.compile(
    r"avg|mean|f?sum|count\w*|min|max|median|mode|(?:stddev|var)\w*|quantile\w*|arg_\w+|any_value|bool_\w+"
)
"""Functions that make one value of many rows."""
_EITHER = frozenset({"greatest", "least", "list_value", "array_value"})


def brought(tree: Tree, calculated: dict[str, Node]) -> list[str]:
    """The numbers of a query's syntax tree that its result may take from the query itself."""
    makes_rows = any(node.get("type") in _MADE for node in objects(tree))
    return list(dict.fromkeys(_values(tree, calculated, all_count=makes_rows)))


def _values(tree: Tree, calculated: dict[str, Node], *, all_count: bool) -> Iterator[str]:
    rest: list[tuple[Tree, bool]] = [(tree, False)]  # a node, and whether it is added rather than scaled by
    while rest:
        part, added = rest.pop()
        if isinstance(part, list):
            rest.extend((item, added) for item in part)
            continue
        if not isinstance(part, dict):
            continue
        node = cast("Node", part)
        kind, name, inputs = node.get("class"), function(node), arguments_of(node)
        if kind == "CONSTANT":
            if (text := number(node)) is not None and not _usual(text, added=added):
                yield text
        elif kind == "CAST" and _written_number(node.get("child")):
            yield f"the text {node['child']['literal']['text']!r} as a number"
        elif not all_count and (kind in _CHOOSING or node.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN")):
            continue
        elif kind == "FUNCTION" and (name in _OF_TEXTS or not (inputs or _COUNTING.fullmatch(name))):
            yield f"{name}(…)"
        elif kind == "FUNCTION" and name not in _HOLDING and _of_constants(inputs):
            yield f"{name}(…)" if not node.get("is_operator") else f"a calculation with {name}"
        elif kind == "FUNCTION" and name in ("+", "-") and len(inputs) == 2:
            rest.extend((inner, True) for inner in inputs)
        elif alternatives := _alternatives(node, calculated):
            rest.extend((inner, added or is_constant(inner)) for inner in alternatives)
            rest.extend((branch["when_expr"], added) for branch in node.get("case_checks") or () if all_count)
        elif kind == "FUNCTION" and inputs and _SETTINGS.fullmatch(name):
            rest.append((inputs[0], False))
        else:
            skipped = () if all_count else _SELECTING
            rest.extend((value, added) for field, value in node.items() if field not in skipped)


def _alternatives(node: Node, calculated: dict[str, Node]) -> list[Node]:
    """What a node gives one of: a constant among them may be the whole result, and scales nothing."""
    given = [branch["then_expr"] for branch in node.get("case_checks") or ()]
    if given and node.get("else_expr"):
        given.append(node["else_expr"])
    if function(node) in _EITHER or node.get("type") == "OPERATOR_COALESCE":
        given = arguments_of(node)
    # Constants alone may be the points of grades, unless what is chosen by is a result itself.
    chosen_by = [branch.get("when_expr") for branch in node.get("case_checks") or ()]
    by_result = any(
        _SUMMARY.fullmatch(function(inner)) or inner.get("class") == "SUBQUERY"
        for inner in within(chosen_by, calculated)
    )
    return given if by_result or not all(map(is_constant, given)) else []


def _written_number(node: Tree) -> bool:
    """Whether a text with a digit is turned into something else: in hexadecimal, say."""
    literal = node.get("literal") if isinstance(node, dict) and node.get("class") == "CONSTANT" else None
    text = str(literal.get("text")) if isinstance(literal, dict) and literal.get("kind") == "STRING" else ""
    return any(character.isdigit() for character in text)


def _usual(text: str, *, added: bool) -> bool:
    number = abs(Decimal(text))
    if number in _ADDED or 0 < number <= _TINY:
        return True
    return not added and (number in _UNITS or len(number.normalize().as_tuple().digits) == 1)


def _of_constants(inputs: list[Node]) -> bool:
    """Whether a function is asked of nothing but constants, of which at least one is there."""
    within = [inner for inner in objects(inputs) if "class" in inner]
    return bool(within) and all(
        inner["class"] in ("CONSTANT", "CAST", "TYPE") or (inner["class"] == "FUNCTION" and bool(arguments_of(inner)))
        for inner in within
    )


# In words

_SPOKEN = {
    "avg": "mean of", "mean": "mean of", "sum": "sum of", "count_star": "number of rows", "count": "number of",
    "max": "greatest", "min": "least", "median": "median of", "mode": "commonest", "stddev": "standard deviation of",
    "stddev_samp": "standard deviation of", "sqrt": "root of", "*": "×", "/": "÷", "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "is not", "COMPARE_LESSTHAN": "<", "COMPARE_GREATERTHAN": ">", "OPERATOR_NOT": "not",
    "COMPARE_LESSTHANOREQUALTO": "≤", "COMPARE_GREATERTHANOREQUALTO": "≥", "COMPARE_IN": "in",
    "COMPARE_NOT_IN": "not in", "CONJUNCTION_AND": "and", "CONJUNCTION_OR": "or", "OPERATOR_IS_NULL": "no value of",
    "OPERATOR_IS_NOT_NULL": "a value of",
}  # fmt: skip
LONGEST_WORDS = 400
_CUTTING = re.compile("INT|DECIMAL")
"""Types into which numbers are put that lose digits of them."""


def query_words(node: Node, depth: int) -> str:
    if node.get("type") != "SELECT_NODE" or depth > _DEEPEST:
        return "several queries combined"
    said = _listed(node["select_list"], depth)
    if (place := _table(node.get("from_table") or {}, depth)) != "":
        said += f" in {place}"
    if node.get("where_clause"):
        said += f" where {_words(node['where_clause'], depth)}"
    if node.get("group_expressions"):
        said += f" for each {_listed(node['group_expressions'], depth)}"
    for name in ("having", "qualify"):
        said += f" if {_words(node[name], depth)}" if node.get(name) else ""
    if any(modifier.get("type") != "ORDER_MODIFIER" for modifier in node.get("modifiers") or ()):
        said += ", of which only some rows"
    for entry in (node.get("cte_map") or {}).get("map") or ():
        named = cast("Node", entry["value"])
        inner = named["query_node"] if "query_node" in named else named["query"]["node"]
        said += f"; {entry['key']} is {query_words(inner, depth + 1)}"
    return said


def _table(node: Node, depth: int) -> str:
    match node.get("type"):
        case "BASE_TABLE":
            return str(node["table_name"])
        case "SUBQUERY":
            return f"({query_words(node['subquery']['node'], depth + 1)})"
        case "JOIN":
            return f"{_table(node['left'], depth + 1)} with {_table(node['right'], depth + 1)}"
        case "EMPTY" | None:
            return ""
    return str(node["type"]).casefold().replace("_", " ")


def _listed(nodes: list[Node], depth: int) -> str:
    return ", ".join(_words(node, depth) for node in nodes)


def _words(node: Node, depth: int) -> str:
    kind, form = node.get("class"), str(node.get("type") or "")
    if depth > _DEEPEST:
        return "…"
    depth += 1
    match kind:
        case "COLUMN_REF":
            return ".".join(map(str, node["column_names"]))
        case "CONSTANT":
            text = constant(node)
            return f"'{text}'" if (node.get("literal") or {}).get("kind") == "STRING" else text
        case "CAST":
            whole = str((node.get("type_expr") or {}).get("type_name"))
            cut = node["child"].get("class") in ("COLUMN_REF", "FUNCTION") and _CUTTING.search(whole)
            return _words(node["child"], depth) + (f" as {whole.casefold()}" if cut else "")
        case "STAR":
            return "everything"
        case "COMPARISON":
            return f"{_words(node['left'], depth)} {_SPOKEN.get(form, form)} {_words(node['right'], depth)}"
        case "CONJUNCTION":
            return f" {_SPOKEN.get(form, form)} ".join(_words(child, depth) for child in node["children"])
        case "CASE":
            cases = [
                f"{_words(branch['then_expr'], depth)} if {_words(branch['when_expr'], depth)}"
                for branch in node["case_checks"]
            ]
            return f"({', '.join([*cases, 'else ' + _words(node.get('else_expr') or {}, depth)])})"
        case "SUBQUERY":
            return f"({query_words(node['subquery']['node'], depth)})"
        case "OPERATOR" if form in ("COMPARE_IN", "COMPARE_NOT_IN"):
            first, *rest = node["children"]
            return f"{_words(first, depth)} {_SPOKEN[form]} ({_listed(rest, depth)})"
        case "FUNCTION" | "WINDOW" | "OPERATOR":
            return _call(node, function(node) or form, depth)
    return (kind or "nothing").casefold()


def _call(node: Node, name: str, depth: int) -> str:
    inputs = [_words(inner, depth) for inner in arguments_of(node)]
    if node.get("is_operator") and len(inputs) == 2:
        return f"({inputs[0]} {_SPOKEN.get(name, name)} {inputs[1]})"
    different = "different " if node.get("distinct") else ""
    if len(inputs) < 2 and name in _SPOKEN:
        said = " ".join([_SPOKEN[name], *(f"{different}{words}" for words in inputs)])
    else:
        said = f"{name.removeprefix('OPERATOR_').casefold()}({different}{', '.join(inputs)})"
    return f"{said} where {_words(node['filter'], depth)}" if node.get("filter") else said
