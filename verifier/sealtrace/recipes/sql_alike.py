"""Queries that differ only in texts that fields are equal to, as those of a table's cells mostly do.

What such a query reads and does follows from its tree without these texts, so it is asked once for all of them. And one
query that groups by the fields gives the numbers of all, where these are the same however rows are put together.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import cast

from sealtrace.recipes.sql_syntax import (
    COUNTS,
    LONGEST_WORDS,
    Node,
    QueryDescription,
    arguments_of,
    column,
    function,
    is_constant,
    objects,
    type_of,
)

_MARK = re.compile("\ue000(\\d+)\ue001")
"""What stands for a text; a query that has such characters itself is like no other."""
_PLACE = re.compile(r'"query_location(?:_length)?": \d+(?:, )?')
_SUMS = frozenset({"avg", "mean", "sum"})
_INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "round"})


@dataclass(frozen=True)
class Alike:
    """A query, and the texts in which others like it may differ."""

    key: str
    """The tree with marks for the texts, and without places: the same for all that are alike."""
    tree: Node
    equated: tuple[tuple[str, str], ...]
    """Fields of its one table, and the texts that they must be equal to; none of other queries."""
    table: str

    def described(self, description: QueryDescription) -> QueryDescription:
        """What the query does, by what one with marks does."""
        texts = {f"\ue000{place}\ue001": text for place, (_, text) in enumerate(self.equated)}
        compared = (
            replace(one, values=tuple(texts.get(value, value) for value in one.values)) for one in description.compared
        )
        words = _MARK.sub(lambda mark: texts.get(mark[0], mark[0]), description.words)
        words = words if len(words) <= LONGEST_WORDS else f"{words[:LONGEST_WORDS]} …"
        return replace(description, words=words, compared=tuple(dict.fromkeys(compared)))

    def grouped(self, fields: list[str]) -> Node | None:
        """The query that gives the fields and the numbers of every query like this one; None where that may differ."""
        tree = cast("Node", json.loads(json.dumps(self.tree)))
        node = tree["statements"][0]["node"]
        if not _adds_exactly(node):
            return None
        left = [one for one in _conditions(node) if not _MARK.fullmatch(_text(one) or "")]
        node["where_clause"] = cast(
            "Node", {**node["where_clause"], "children": left} if left[1:] else [*left, None][0]
        )
        plain = {"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": ""}
        keys = [cast("Node", {**plain, "column_names": [name]}) for name in fields]
        node["select_list"] = [*keys, *node["select_list"]]
        node["group_expressions"], node["group_sets"] = keys, [list(range(len(keys)))]
        return tree


def alike(tree: Node) -> Alike:
    """What others may be like; a query that is more than one SELECT of one table differs in no text."""
    marked, equated = cast("Node", json.loads(known := json.dumps(tree, ensure_ascii=False))), list[tuple[str, str]]()
    node = marked["statements"][0]["node"]
    source = node.get("from_table") or {}
    simple = node["type"] == "SELECT_NODE" and source.get("type") == "BASE_TABLE" and "\ue000" not in known
    for condition in _conditions(node) if simple else ():
        if (text := _text(condition)) is not None:
            condition["right"]["literal"]["text"] = f"\ue000{len(equated)}\ue001"
            equated.append((column(condition["left"]), text))
    key = _PLACE.sub("", json.dumps(marked))
    return Alike(key, marked, tuple(equated), str(source.get("table_name")).casefold())


def _conditions(node: Node) -> list[Node]:
    """What all rows that the query takes fulfil."""
    where = node.get("where_clause") or {}
    return where["children"] if where.get("type") == "CONJUNCTION_AND" else [where] if where else []


def _text(condition: Node) -> str | None:
    """The text that a field must be equal to; None where a condition is another."""
    left, literal = condition.get("left") or {}, (condition.get("right") or {}).get("literal") or {}
    plain = condition.get("type") == "COMPARE_EQUAL" and len(left.get("column_names") or ()) == 1
    return literal["text"] if plain and literal.get("kind") == "STRING" else None


def _adds_exactly(node: Node) -> bool:
    """Whether a query gives one row: numbers of rows, sums and means of integers, and what arithmetic makes of them."""
    more = [node.get(name) for name in ("group_expressions", "having", "qualify", "sample", "modifiers")]
    if any(more) or (node.get("cte_map") or {}).get("map"):
        return False
    inside = list(objects(node["select_list"]))
    summed = any(function(inner) in COUNTS | _SUMS for inner in inside)
    alone = all(inner.get("class") != "SUBQUERY" for inner in inside)
    return alone and summed and all(map(_is_exact, node["select_list"]))


def _is_exact(node: Node) -> bool:
    name, given = function(node), arguments_of(node)
    if node.get("class") == "CAST":
        return _is_exact(node["child"])
    if node.get("class") != "FUNCTION":
        return is_constant(node)
    if name in _ARITHMETIC:
        return all(map(_is_exact, given))
    return name in COUNTS or (name in _SUMS and all(type_of(one) in _INTEGERS for one in given))
