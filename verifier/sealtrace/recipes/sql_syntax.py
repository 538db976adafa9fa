"""What a query does, as its syntax tree says it: one description, which every guard against idle recipes reads.

A query may scale (100 * avg(x)), count down from one or a hundred, and compare with anything. Any other number in what
it gives, such as `CASE WHEN avg(x) > 0.4 THEN 99.9 ELSE avg(x) END`, is the author's and not the records'.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

Node = dict[str, Any]
_ROWS = ("where_clause", "having", "qualify", "condition", "group_expressions", "partitions")
"""Where rows are taken, joined and grouped."""
_ORDERS = ("orders", "order_bys", "modifiers")
_BRANCHES = ("when_expr", "type_expr", "start_expr", "end_expr")
_SELECTING = (*_ROWS, *_ORDERS, *_BRANCHES, "filter")
"""Where a number chooses rows or branches, and gives none."""
_EQUAL = ("COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_IN", "COMPARE_NOT_IN")
_EXCLUDING = ("COMPARE_NOTEQUAL", "COMPARE_NOT_IN", "OPERATOR_NOT")
_MEANS = frozenset({"avg", "mean"})


@dataclass(frozen=True)
class QueryDescription:
    """What a query does, with the views and macros that it uses."""

    words: str = ""
    functions: tuple[str, ...] = ()
    """What its numbers go through."""
    fields: tuple[str, ...] = ()
    """What they are made of."""
    selects: tuple[str, ...] = ()
    """By what it takes, joins and groups rows."""
    mean: bool = False
    """Whether it is plainly the mean of a field."""
    brought: tuple[str, ...] = ()
    """Numbers that its result may take from the query itself."""
    demands: dict[str, list[str]] | None = None
    """The values that it demands of fields, where it chooses rows by nothing else; flags under ""."""
    excludes: bool = False
    """Whether it may take the rows that do not have the values that it names."""


def described(trees: list[Any]) -> QueryDescription:
    """What a query does: its own tree comes first, then those of the views and macros that it uses."""
    if not trees:
        return QueryDescription()
    through, of, by = (
        tuple(sorted({name for tree in trees for name in found(tree)})) for found in (_functions, _fields, _selecting)
    )
    own = tuple(number for tree in trees for number in brought(tree, _calculated(trees)))
    node = trees[0]["statements"][0]["node"]
    mean = bool(node.get("select_list")) and _mean(node["select_list"][0], _aliases(trees[0]), 0)
    text = _query(node, 0)
    words = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    excludes = any(node.get("class") == "CASE" or node.get("type") in _EXCLUDING for node in objects(trees))
    return QueryDescription(words, through, of, by, mean, own, _demanded(trees), excludes)


def objects(tree: Any, without: Collection[str] = ()) -> Iterator[Node]:
    """Every object of a syntax tree, without recursion: nobody knows how deep it is."""
    rest = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            yield node
            rest.extend(value for name, value in node.items() if name not in without)
        elif isinstance(node, list):
            rest.extend(node)


def _function(node: Node) -> str:
    return str(node.get("function_name") or "").casefold()


def _inputs(node: Node) -> list[Node]:
    return [argument.get("expression", argument) for argument in node.get("arguments") or node.get("children") or []]


def _column(node: Node) -> str:
    return str(node["column_names"][-1]).casefold()


def _columns(nodes: Iterable[Node]) -> set[str]:
    return {_column(node) for node in nodes if node.get("class") == "COLUMN_REF"}


def _aliases(tree: Any) -> dict[str, Node]:
    items = (item for node in objects(tree) for item in node.get("select_list") or ())
    return {str(item["alias"]).casefold(): item for item in items if item.get("alias")}


def _calculated(tree: Any) -> dict[str, Node]:
    """What columns are that queries make and others read, by their names."""
    return {name: node for name, node in _aliases(tree).items() if name not in _columns(objects(node))}


def _within(node: Any, calculated: dict[str, Node]) -> Iterator[Node]:
    """Every object of an expression, and of the columns that it reads where queries make them."""
    rest, seen = [node], set[str]()
    while rest:
        for inner in objects(rest.pop()):
            yield inner
            if inner.get("class") == "COLUMN_REF" and (name := _column(inner)) in calculated and name not in seen:
                seen.add(name)
                rest.append(calculated[name])


def _is_constant(node: Node) -> bool:
    return node.get("class") == "CONSTANT" or (node.get("class") == "CAST" and _is_constant(node.get("child") or {}))


def _constant(node: Node) -> str:
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


def _number(node: Node) -> str | None:
    """A constant's number as it is written; None where it is no number."""
    text = _constant(node)
    return text.strip() if _NUMBER.fullmatch(text) else None


# Functions and fields


def _functions(tree: Any) -> set[str]:
    """The functions that its numbers go through; a number of rows that is moved by one is another number."""
    nodes = [node for node in objects(tree, (*_ROWS, *_ORDERS, *_BRANCHES)) if node.get("class") != "WINDOW"]
    calculated = _calculated(tree)
    moved = {
        f"count {_function(node)} {number}"
        for node in nodes
        if _function(node) in ("+", "-") and len(inputs := _inputs(node)) == 2
        for other, constant in zip(inputs, reversed(inputs), strict=True)
        if _is_constant(constant) and (number := _number(constant)) not in (None, "0") and _counts(other, calculated)
    }
    return {_function(node) for node in nodes} | moved - {""}


def _counts(node: Node, calculated: dict[str, Node]) -> bool:
    """Whether an expression is a number of rows, perhaps of another query."""
    for _step in range(_DEEPEST):
        match node.get("class"):
            case "CAST":
                node = node["child"]
            case "COLUMN_REF" if _column(node) in calculated:
                node = calculated[_column(node)]
    return _function(node).startswith("count")


def _fields(tree: Any) -> set[str]:
    """The fields that its numbers are made of."""
    return _columns(objects(tree, (*_ROWS, *_ORDERS))) - set(_calculated(tree))


def _selecting(tree: Any) -> set[str]:
    """The fields by whose values it takes rows, joins them and groups them."""
    nodes = list(objects([node[name] for node in objects(tree) for name in _ROWS if node.get(name)]))
    asked = [inner for node in nodes if str(node.get("type")).endswith("_NULL") for inner in _inputs(node)]
    read = (node for node in nodes if not any(node is wanted for wanted in asked))
    return {*_columns(read), *(name for node in objects(tree) for name in node.get("using_columns") or ())}


_DEEPEST = 12


def _mean(node: Node, aliases: dict[str, Node], depth: int, *, within: bool = False) -> bool:
    """Whether something is plainly the mean of a field or of a comparison, also of means, and perhaps as percent.

    `within` a mean, what is averaged may be a field as well.
    """
    name, inputs = _function(node), _inputs(node)
    if depth > _DEEPEST:
        return False
    match node.get("class"):
        case "CAST":
            return _mean(node["child"], aliases, depth + 1, within=within)
        case "COLUMN_REF":
            own = aliases.get(_column(node))
            if own is not None and own is not node and own.get("class") != "COLUMN_REF":
                return _mean(own, aliases, depth + 1, within=within)
            return within
        case "COMPARISON":
            return within and all(node[side].get("class") == "COLUMN_REF" for side in ("left", "right"))
        case "CASE":
            checks, otherwise = node.get("case_checks") or [], node.get("else_expr") or {}
            whole = len(checks) == 1 and (_constant(checks[0]["then_expr"]), _constant(otherwise)) == ("1", "0")
            return whole and _mean(checks[0]["when_expr"], aliases, depth + 1, within=within)
        case "FUNCTION" if name in _MEANS and not node.get("distinct") and not node.get("filter"):
            return _mean(inputs[0], aliases, depth + 1, within=True)
        case "FUNCTION" if name == "round":
            return _mean(inputs[0], aliases, depth + 1, within=within)
        case "FUNCTION" if name == "*" and len(inputs) == 2:
            return any(
                _constant(scale) in ("100", "100.0", "1000") and _mean(other, aliases, depth + 1, within=within)
                for scale, other in zip(inputs, reversed(inputs), strict=True)
            )
    return False


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


def brought(tree: Any, calculated: dict[str, Node]) -> list[str]:
    """The numbers of a query's syntax tree that its result may take from the query itself."""
    makes_rows = any(node.get("type") in _MADE for node in objects(tree))
    return list(dict.fromkeys(_values(tree, calculated, all_count=makes_rows)))


def _values(tree: Any, calculated: dict[str, Node], *, all_count: bool) -> Iterator[str]:
    rest: list[tuple[Any, bool]] = [(tree, False)]  # a node, and whether it is added rather than scaled by
    while rest:
        node, added = rest.pop()
        if isinstance(node, list):
            rest.extend((item, added) for item in node)
            continue
        if not isinstance(node, dict):
            continue
        kind, name, inputs = node.get("class"), _function(node), _inputs(node)
        if kind == "CONSTANT":
            if (text := _number(node)) is not None and not _usual(text, added=added):
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
            rest.extend((inner, added or _is_constant(inner)) for inner in alternatives)
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
    if _function(node) in _EITHER or node.get("type") == "OPERATOR_COALESCE":
        given = _inputs(node)
    # Constants alone may be the points of grades, unless what is chosen by is a result itself.
    chosen_by = [branch.get("when_expr") for branch in node.get("case_checks") or ()]
    by_result = any(
        _SUMMARY.fullmatch(_function(inner)) or inner.get("class") == "SUBQUERY"
        for inner in _within(chosen_by, calculated)
    )
    return given if by_result or not all(map(_is_constant, given)) else []


def _written_number(node: Any) -> bool:
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
        inner["class"] in ("CONSTANT", "CAST", "TYPE") or (inner["class"] == "FUNCTION" and bool(_inputs(inner)))
        for inner in within
    )


# Rows that a query demands

_PLAIN = re.compile(r"avg|mean|sum|count(?:_star|_if)?|round|[-+*/]|(?:stddev|var)(?:_\w+)?|not|sqrt|abs")
"""Functions that take every row alike."""
_CHOOSERS = frozenset({"SUBQUERY", "WINDOW", "LAMBDA", "BETWEEN"})


def _demanded(trees: list[Any]) -> dict[str, list[str]] | None:
    """The values that a query demands of fields, where that is all that it chooses; None where it may choose otherwise.

    Such a query sums, counts and averages the rows whose fields equal what it names, also group by group. One that only
    counts rows says what it counts by what it demands of them, so that its flags are no choice.
    """
    averages = any(_function(node) in (*_MEANS, "sum") for tree in trees for node in objects(tree))
    demanded: dict[str, list[str]] = {}
    for tree in trees:
        for node in objects(tree):
            if _chooses_otherwise(node):
                return None
            averaged = node.get("filter") if node.get("function_name") in _MEANS else None
            for where in (node.get("where_clause"), averaged) if averages else ():
                demanded.setdefault("", []).extend(_flags(where) if where else ())
            if node.get("class") == "COMPARISON" or node.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN"):
                sides = node.get("children") or [node["left"], node["right"]]
                column, *others = sorted(sides, key=lambda side: side.get("class") != "COLUMN_REF")
                if column.get("class") != "COLUMN_REF" or node["type"] not in _EQUAL:
                    return None
                if any(other.get("class") not in ("CONSTANT", "COLUMN_REF") for other in others):
                    return None
                constants = [_constant(other) for other in others if other["class"] == "CONSTANT"]
                demanded.setdefault(_column(column), []).extend(constants)
    return {field: values for field, values in demanded.items() if values}


def _chooses_otherwise(node: Node) -> bool:
    modified = {str(modifier.get("type")) for modifier in node.get("modifiers") or ()} - {"ORDER_MODIFIER"}
    if modified or node.get("ref_type", "REGULAR") not in ("REGULAR", "CROSS"):
        return True
    match node.get("class"):
        case "CASE":
            given = [branch["then_expr"] for branch in node.get("case_checks") or ()]
            return not all(map(_is_constant, [*given, node.get("else_expr") or {"class": "CONSTANT"}]))
        case "FUNCTION":
            return not _PLAIN.fullmatch(_function(node))
        case "OPERATOR":
            return bool(node["type"] == "OPERATOR_COALESCE")
        case kind:
            return kind in _CHOOSERS


def _flags(where: Node) -> Iterator[str]:
    """The fields by whose results rows are taken: flags, and fields that are compared with each other."""
    rest = [where]
    while rest:
        node = rest.pop()
        rest += node.get("children") or () if node.get("class") == "CONJUNCTION" else ()
        sides = [node["left"], node["right"]] if node.get("class") == "COMPARISON" else [node]
        if all(side.get("class") == "COLUMN_REF" for side in sides):
            yield from (str(side["column_names"][-1]) for side in sides)


# Choices turned round

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
_SHARE = re.compile(r".*quantile\w*|percentile\w*")
_LIMITING = ("LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "DISTINCT_MODIFIER")


def turned(tree: Any) -> bool:
    """Turns a query's choices by results round, in place: the least for the greatest, the last for the first.

    What it gives then is another number, unless nothing was chosen. False where it has no such choice.
    """
    found = False
    for node in list(objects(tree, _SELECTING)):
        if (other := _ONE_WAY.get(name := _function(node))) is not None:
            _rename(node, other)
            found = True
        elif name == "-" and any(_function(inner) in _REMAINDERS for inner in objects(_inputs(node))):
            _rename(node, "+")
            found = True
    for node in list(objects(tree)):
        name, inputs = _function(node), _inputs(node)
        modifiers = node.get("modifiers") or ()
        if name in _OPPOSITE and not (name in ("greatest", "least") and any(map(_is_constant, inputs))):
            _rename(node, _OPPOSITE[name])
            found = True
            if node.get("class") == "WINDOW" and node["type"].removeprefix("WINDOW_").casefold() == name:
                node["type"] = f"WINDOW_{_OPPOSITE[name].upper()}"
        elif _SHARE.fullmatch(name) and len(inputs) > 1 and (share := _number(inputs[1])) is not None:
            inputs[1].pop("value", None)
            inputs[1]["literal"] = {"kind": "NUMERIC", "text": str(1 - Decimal(share))}
            found = True
        elif node.get("class") == "COMPARISON" and node["type"] in _OPPOSITE and _of_results(node):
            node["type"], found = _OPPOSITE[node["type"]], True
        for order in node.get("orders") or ():
            order["type"] = "ASCENDING" if order["type"] == "DESCENDING" else "DESCENDING"
        limiting = [modifier for modifier in modifiers if modifier.get("type") in _LIMITING]
        if not any(modifier.get("type") == "ORDER_MODIFIER" for modifier in modifiers):
            for limit in limiting:  # rows by their place: others instead
                if "limit" in limit:
                    limit["offset"] = None if limit.get("offset") else limit["limit"]
        ordered = bool(node.get("orders")) and (bool(name) or node.get("class") == "WINDOW")
        found |= bool(limiting) or ordered
    return found


def _rename(node: Node, name: str) -> None:
    node["function_name"] = name
    if "qualified_name" in node:
        node["qualified_name"] = {**node["qualified_name"], "path": [name]}


def _of_results(node: Node) -> bool:
    """Whether a comparison is with what other rows give: a mean of all, or a rank."""
    return any(inner.get("class") in ("SUBQUERY", "WINDOW") for inner in objects([node.get("left"), node.get("right")]))


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
_LONGEST = 400


def _query(node: Node, depth: int) -> str:
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
        named = entry["value"]
        inner = named["query_node"] if "query_node" in named else named["query"]["node"]
        said += f"; {entry['key']} is {_query(inner, depth + 1)}"
    return said


def _table(node: Node, depth: int) -> str:
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
            text = _constant(node)
            return f"'{text}'" if (node.get("literal") or {}).get("kind") == "STRING" else text
        case "CAST":
            return _words(node["child"], depth)
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
            return f"({_query(node['subquery']['node'], depth)})"
        case "OPERATOR" if form in ("COMPARE_IN", "COMPARE_NOT_IN"):
            first, *rest = node["children"]
            return f"{_words(first, depth)} {_SPOKEN[form]} ({_listed(rest, depth)})"
        case "FUNCTION" | "WINDOW" | "OPERATOR":
            return _call(node, _function(node) or form, depth)
    return (kind or "nothing").casefold()


def _call(node: Node, name: str, depth: int) -> str:
    inputs = [_words(inner, depth) for inner in _inputs(node)]
    if node.get("is_operator") and len(inputs) == 2:
        return f"({inputs[0]} {_SPOKEN.get(name, name)} {inputs[1]})"
    different = "different " if node.get("distinct") else ""
    if name == "round":
        said = inputs[0]
    elif len(inputs) < 2 and name in _SPOKEN:
        said = " ".join([_SPOKEN[name], *(f"{different}{words}" for words in inputs)])
    else:
        said = f"{name.removeprefix('OPERATOR_').casefold()}({different}{', '.join(inputs)})"
    return f"{said} where {_words(node['filter'], depth)}" if node.get("filter") else said
