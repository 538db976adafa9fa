"""What a query computes, from its syntax tree: in words, by which functions, of which fields, and whether as a mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sealtrace.printed.sql_constants import objects

_VALUES = ("where_clause", "having", "qualify", "condition", "group_expressions", "partitions", "orders", "order_bys",
           "modifiers", "when_expr", "type_expr", "start_expr", "end_expr")  # fmt: skip
_CHOOSING_ROWS = ("where_clause", "having", "qualify", "condition", "group_expressions", "partitions")
_MEANS = frozenset({"avg", "mean"})
_SPOKEN = {
    "avg": "mean of", "mean": "mean of", "sum": "sum of", "count_star": "number of rows", "count": "number of",
    "max": "greatest", "min": "least", "median": "median of", "mode": "commonest", "stddev": "standard deviation of",
    "stddev_samp": "standard deviation of", "sqrt": "root of", "*": "×", "/": "÷", "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "is not", "COMPARE_LESSTHAN": "<", "COMPARE_GREATERTHAN": ">", "OPERATOR_NOT": "not",
    "COMPARE_LESSTHANOREQUALTO": "≤", "COMPARE_GREATERTHANOREQUALTO": "≥", "COMPARE_IN": "in",
    "COMPARE_NOT_IN": "not in", "CONJUNCTION_AND": "and", "CONJUNCTION_OR": "or", "OPERATOR_IS_NULL": "no value of",
    "OPERATOR_IS_NOT_NULL": "a value of",
}  # fmt: skip
_LONGEST = 400
_DEEPEST = 12


@dataclass(frozen=True)
class Computed:
    """What a query computes."""

    words: str
    functions: tuple[str, ...]
    """What its numbers go through."""
    fields: tuple[str, ...]
    """What they are made of."""
    selects: tuple[str, ...]
    """By what it takes, joins and groups rows."""
    mean: bool
    """Whether it is plainly the mean of a field."""


def computed(trees: list[Any]) -> Computed:
    """What a query computes, with the views and macros that it uses."""
    if not trees:
        return Computed("", (), (), (), mean=False)
    through, of, by = (
        tuple(sorted({name for tree in trees for name in found(tree)})) for found in (functions, fields, selecting)
    )
    return Computed(worded(trees[0]), through, of, by, evident_mean(trees[0]))


def functions(tree: Any) -> set[str]:
    """The functions that its numbers go through."""
    return {
        str(node["function_name"]).casefold()
        for node in objects(tree, _VALUES)
        if node.get("function_name") and node.get("class") != "WINDOW"
    }


def fields(tree: Any) -> set[str]:
    """The fields that its numbers are made of."""
    found = set(_columns(objects(tree, (*_CHOOSING_ROWS, "orders", "order_bys", "modifiers"))))
    for name, node in _aliases(tree).items():
        if name not in _columns(objects(node)):
            found.discard(name)
    return found


def selecting(tree: Any) -> set[str]:
    """The fields by whose values it takes rows, joins them and groups them."""
    parts = [node[name] for node in objects(tree) for name in _CHOOSING_ROWS if node.get(name)]
    nodes = list(objects(parts))
    asked = [one for node in nodes if str(node.get("type")).endswith("_NULL") for one in _inputs(node)]
    read = (node for node in nodes if not any(node is one for one in asked))
    return {*_columns(read), *(name for node in objects(tree) for name in node.get("using_columns") or ())}


def evident_mean(tree: Any) -> bool:
    """Whether a query is plainly the mean of a field or of a comparison, also of means, and perhaps as percent."""
    node = tree["statements"][0]["node"]
    return bool(node.get("select_list")) and _mean(node["select_list"][0], _aliases(tree), 0)


def worded(tree: Any) -> str:
    """A query in words, as far as there are some."""
    text = _query(tree["statements"][0]["node"], 0)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _columns(nodes: Iterable[dict[str, Any]]) -> set[str]:
    return {str(node["column_names"][-1]).casefold() for node in nodes if node.get("class") == "COLUMN_REF"}


def _aliases(tree: Any) -> dict[str, Any]:
    return {
        str(item["alias"]).casefold(): item
        for node in objects(tree)
        for item in node.get("select_list") or ()
        if item.get("alias")
    }


def _inputs(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [one.get("expression", one) for one in node.get("arguments") or node.get("children") or []]


def _mean(node: dict[str, Any], aliases: dict[str, Any], depth: int, *, within: bool = False) -> bool:
    """`within` a mean, what is averaged may be a field as well."""
    kind, name, inputs = node.get("class"), str(node.get("function_name") or "").casefold(), _inputs(node)
    if depth > _DEEPEST:
        return False
    match kind:
        case "CAST":
            return _mean(node["child"], aliases, depth + 1, within=within)
        case "COLUMN_REF":
            own = aliases.get(str(node["column_names"][-1]).casefold())
            if own is not None and own is not node and own.get("class") != "COLUMN_REF":
                return _mean(own, aliases, depth + 1, within=within)
            return within
        case "COMPARISON":
            return within and all(node[side].get("class") == "COLUMN_REF" for side in ("left", "right"))
        case "CASE":
            checks, otherwise = node.get("case_checks") or [], node.get("else_expr") or {}
            whole = len(checks) == 1 and (_number(checks[0]["then_expr"]), _number(otherwise)) == ("1", "0")
            return whole and _mean(checks[0]["when_expr"], aliases, depth + 1, within=within)
        case "FUNCTION" if name in _MEANS and not node.get("distinct") and not node.get("filter"):
            return _mean(inputs[0], aliases, depth + 1, within=True)
        case "FUNCTION" if name == "round":
            return _mean(inputs[0], aliases, depth + 1, within=within)
        case "FUNCTION" if name == "*" and len(inputs) == 2:
            scales = [_number(one) for one in inputs]
            return any(
                scale in ("100", "100.0", "1000") and _mean(other, aliases, depth + 1, within=within)
                for scale, other in zip(scales, reversed(inputs), strict=True)
            )
    return False


def _number(node: dict[str, Any]) -> str:
    literal = node.get("literal")
    return str(literal["text"] if literal else (node.get("value") or {}).get("value"))


def _query(node: dict[str, Any], depth: int) -> str:
    if node.get("type") != "SELECT_NODE" or depth > _DEEPEST:
        return "several queries combined"
    said = ", ".join(_words(one, depth) for one in node["select_list"])
    if (place := _table(node.get("from_table") or {}, depth)) != "":
        said += f" in {place}"
    if node.get("where_clause"):
        said += f" where {_words(node['where_clause'], depth)}"
    if node.get("group_expressions"):
        said += f" for each {', '.join(_words(one, depth) for one in node['group_expressions'])}"
    for name in ("having", "qualify"):
        said += f" if {_words(node[name], depth)}" if node.get(name) else ""
    if any(one.get("type") != "ORDER_MODIFIER" for one in node.get("modifiers") or ()):
        said += ", of which only some rows"
    for entry in (node.get("cte_map") or {}).get("map") or ():
        named = entry["value"]
        inner = named["query_node"] if "query_node" in named else named["query"]["node"]
        said += f"; {entry['key']} is {_query(inner, depth + 1)}"
    return said


def _table(node: dict[str, Any], depth: int) -> str:
    match node.get("type"):
        case "BASE_TABLE":
            return str(node["table_name"])
        case "SUBQUERY":
            return f"({_query(node['subquery']['node'], depth + 1)})"
        case "JOIN":
            return f"{_table(node['left'], depth + 1)} with {_table(node['right'], depth + 1)}"
        case "EMPTY" | None:
            return ""
    return str(node["type"]).casefold().replace("_", " ")


def _words(node: dict[str, Any], depth: int) -> str:
    kind, form = node.get("class"), str(node.get("type") or "")
    if depth > _DEEPEST:
        return "…"
    depth += 1
    match kind:
        case "COLUMN_REF":
            return ".".join(map(str, node["column_names"]))
        case "CONSTANT":
            literal = node.get("literal") or {}
            return f"'{literal['text']}'" if literal.get("kind") == "STRING" else _number(node)
        case "CAST":
            return _words(node["child"], depth)
        case "STAR":
            return "everything"
        case "COMPARISON":
            return f"{_words(node['left'], depth)} {_SPOKEN.get(form, form)} {_words(node['right'], depth)}"
        case "CONJUNCTION":
            return f" {_SPOKEN.get(form, form)} ".join(_words(one, depth) for one in node["children"])
        case "CASE":
            cases = [
                f"{_words(one['then_expr'], depth)} if {_words(one['when_expr'], depth)}" for one in node["case_checks"]
            ]
            return f"({', '.join([*cases, 'else ' + _words(node.get('else_expr') or {}, depth)])})"
        case "SUBQUERY":
            return f"({_query(node['subquery']['node'], depth)})"
        case "OPERATOR" if form in ("COMPARE_IN", "COMPARE_NOT_IN"):
            first, *rest = (_words(one, depth) for one in node["children"])
            return f"{first} {_SPOKEN[form]} ({', '.join(rest)})"
        case "FUNCTION" | "WINDOW" | "OPERATOR":
            return _call(node, form, depth)
    return (kind or "nothing").casefold()


def _call(node: dict[str, Any], form: str, depth: int) -> str:
    name = str(node.get("function_name") or form).casefold() if node.get("function_name") else form
    inputs = [_words(one, depth) for one in _inputs(node)]
    if node.get("is_operator") and len(inputs) == 2:
        return f"({inputs[0]} {_SPOKEN.get(name, name)} {inputs[1]})"
    different = "different " if node.get("distinct") else ""
    if name == "round":
        said = inputs[0]
    elif len(inputs) < 2 and name in _SPOKEN:
        said = " ".join([_SPOKEN[name], *(f"{different}{one}" for one in inputs)])
    else:
        said = f"{name.removeprefix('OPERATOR_').casefold()}({different}{', '.join(inputs)})"
    if node.get("filter"):
        said += f" where {_words(node['filter'], depth)}"
    return said
