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

from sealtrace.statistics.entries import STATISTICS


class SqlError(Exception):
    """A query that was refused, failed, or gave what is no number. `place` is its line and column, from one."""

    def __init__(self, message: str, place: tuple[int, int] | None = None) -> None:
        super().__init__(f"line {place[0]} column {place[1]}: {message}" if place else message)
        self.message = message
        self.place = place


class SqlUnfinishedError(SqlError):
    """A query that the clock ended: a busy machine may be the reason, so that nothing is said of the query."""


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
        "try_cast": bool, "child": "Node", "expression": "Node", "left": "Node", "right": "Node", "input": "Node",
        "lower": "Node",
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
LOGARITHMS = frozenset({"ln", "log", "log2", "log10"})
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
    orders: bool = False
    """Whether it counts what is more or less than something else, which is neither right nor wrong."""
    counts_wrong: bool = False
    """Whether that comparison is of fields that differ."""
    brought: tuple[str, ...] = ()
    """Numbers that its result may take from the query itself."""
    scales: tuple[str, ...] = ()
    """Numbers that it multiplies and divides by, which the bundle declares."""
    totals: bool = False
    """Whether it adds up or averages, and does not only count."""
    sum: bool = False
    """Whether it is plainly the sum of something."""
    shares: tuple[str, ...] = ()
    """The shares of its quantiles."""
    compared: tuple[Compared, ...] = ()
    picks: tuple[str, ...] = ()
    """How it chooses rows by results or by order, each as a clause."""
    unknown: tuple[str, ...] = ()
    """Constructs of which nothing here says what they choose."""
    joins: tuple[Join, ...] = ()
    """Joins of records."""
    equated: tuple[str, ...] = ()
    """Fields that conditions compare between two relations."""
    cut: tuple[str, ...] = ()
    """Fields that a cast cuts before they are summed up."""
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
            inside = [value for name, value in node.items() if name not in without] if without else node.values()
            # Asked of every node of every query, where a look at the class costs half of `isinstance`.
            rest.extend([value for value in inside if value and value.__class__ in _CONTAINERS])
        elif isinstance(node, list):
            rest.extend(node)


_CONTAINERS = (dict, list)


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
        case "FUNCTION" if averaged and name in LOGARITHMS and len(given) == 1:
            return is_plain_mean(given[0], calculated, depth, averaged=True)
        case "FUNCTION" if name == "round":
            return is_plain_mean(given[0], calculated, depth, averaged=averaged)
        case "FUNCTION" if name == "/" and len(given) == 2:
            return _whole_count(given[1]) and _total(given[0], calculated, depth)
        case "FUNCTION" if name == "*" and len(given) == 2:
            return any(
                is_plain_mean(other, calculated, depth, averaged=averaged) or _total(other, calculated, depth)
                for other in _scaled(given)
            )
    return False


def _whole_count(node: Node) -> bool:
    while node.get("class") == "CAST":
        node = node["child"]
    return function(node) in ("count", "count_star") and not node.get("filter") and not node.get("distinct")


def _scaled(sides: list[Node]) -> list[Node]:
    """What a product multiplies by one, ten, a hundred and so on."""
    pairs = zip(sides, reversed(sides), strict=True)
    return [other for scale, other in pairs if is_constant(scale) and _TENFOLD.fullmatch(constant(scale))]


def _total(node: Node, calculated: dict[str, Node], depth: int) -> bool:
    """Whether something is the sum of a field over all rows, or the number of rows in which fields are equal."""
    name, given = function(node), arguments_of(node)
    if depth > _DEEPEST:
        return False
    if node.get("class") == "CAST":
        return _total(node["child"], calculated, depth + 1)
    if name == "*":
        return any(_total(other, calculated, depth + 1) for other in _scaled(given))
    if name in ("sum", "fsum"):
        return not node.get("filter") and is_plain_mean(given[0], calculated, depth + 1, averaged=True)
    if name in ("count_star", "count"):
        return is_plain_mean(node.get("filter") or {}, calculated, depth + 1, averaged=True)
    return name == "count_if" and is_plain_mean(given[0], calculated, depth + 1, averaged=True)


# Numbers that a query brings along

_OWN = frozenset(map(Decimal, (0, 1, 100)))
"""The numbers that any query may write: nothing, a whole, and per cent."""
_TENFOLD = re.compile(r"10*(\.0*)?")
"""What any query may scale by, too: other scales are declared constants of the bundle."""
_CHOOSING = frozenset({"COMPARISON", "CONJUNCTION", "BETWEEN", "LAMBDA", "COMPARE_IN", "COMPARE_NOT_IN",
                       "ARRAY_EXTRACT", "ARRAY_SLICE"})  # fmt: skip
"""Where numbers choose, which is looked at elsewhere."""
_MADE = frozenset({"TABLE_FUNCTION", "EXPRESSION_LIST"})
"""Rows that no record gives: what is compared with them gives numbers, too."""
QUANTILES = ("quantile", "approx_quantile", "percentile")


def brought(tree: Tree) -> tuple[list[str], list[str]]:
    """The numbers of a query's syntax tree that its result may take from the query itself, and those it scales by.

    What fields are compared with, how many digits are kept, and arguments of statistics are looked at elsewhere.
    """
    all_count = any(node.get("type") in _MADE for node in objects(tree))
    skipped = () if all_count else _SELECTING
    found: list[str] = []
    scales: list[str] = []
    rest = [tree]
    while rest:
        part = rest.pop()
        if isinstance(part, list):
            rest.extend(part)
        if not isinstance(part, dict):
            continue
        node = cast("Node", part)
        name, inputs = function(node), arguments_of(node)
        if node.get("class") == "CONSTANT":
            found += _other_numbers([node])
        elif node.get("class") == "CAST" and _written_number(node.get("child")):
            found.append(f"the text {node['child']['literal']['text']!r} as a number")
        elif name and name != "count_star" and reads_nothing(node):
            found.append(f"{name}(…)")
        elif name in ("*", "/"):
            scales += [text for text in _other_numbers(inputs) if not _TENFOLD.fullmatch(text)]
            rest.extend(given for given in inputs if not is_constant(given))
        elif name in STATISTICS or name == "round" or name.startswith(QUANTILES):
            rest.extend(given for given in inputs if not is_constant(given))
        elif all_count or not {node.get("class"), node.get("type")} & _CHOOSING:
            rest.extend(value for field, value in node.items() if field not in skipped)
    return list(dict.fromkeys(found)), list(dict.fromkeys(scales))


def _other_numbers(nodes: list[Node]) -> list[str]:
    """Those of the constants that are numbers, and not among the few that any query may write."""
    texts = [text for node in nodes if node.get("class") == "CONSTANT" and (text := number(node)) is not None]
    return [text for text in texts if abs(Decimal(text)) not in _OWN]


def _written_number(node: Tree) -> bool:
    """Whether a text with a digit is turned into something else: in hexadecimal, say."""
    literal = node.get("literal") if isinstance(node, dict) and node.get("class") == "CONSTANT" else None
    text = str(literal.get("text")) if isinstance(literal, dict) and literal.get("kind") == "STRING" else ""
    return any(character.isdigit() for character in text)


def reads_nothing(node: Node) -> bool:
    """Whether an expression is made of constants alone; count(*) names no field, and reads every row."""
    reading = ("COLUMN_REF", "SUBQUERY", "STAR")
    return not any(inner.get("class") in reading or function(inner) == "count_star" for inner in objects(node))


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
CUTTING = re.compile("INT|DECIMAL|BOOL")
"""Types into which numbers are put that lose digits of them."""


def type_of(cast_node: Node) -> str:
    """The type that a cast puts something into."""
    return str((cast_node.get("type_expr") or {}).get("type_name"))


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
            whole = type_of(node)
            cut = node["child"].get("class") in ("COLUMN_REF", "FUNCTION") and CUTTING.search(whole)
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
