"""Queries that differ only in texts that fields are equal to, as those of a table's cells mostly do.

What such a query reads and does follows from its tree without these texts, so it is asked once for all of them. And one
query that groups by the fields gives the numbers of all, where numbers cannot depend on how they are put together:
numbers of rows, and sums and means of integers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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
    objects,
    type_of,
)

_MARK = re.compile("\ue000(\\d+)\ue001")
"""What stands for a text; such characters are in no field's name, and a query that has them is like no other."""
_PLACE = re.compile(r'"query_location(?:_length)?": \d+(?:, )?')
_EXACT = frozenset({"avg", "mean", "sum"})
_INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "round"})


@dataclass(frozen=True)
class Alike:
    """A query of one table, and the texts in which others like it may differ."""

    key: str
    """The tree with marks for the texts, and without places: the same for all that are alike."""
    tree: Node
    equated: tuple[tuple[str, str], ...]
    """Fields, and the texts that they must be equal to."""

    @property
    def table(self) -> str:
        """The table that it reads."""
        return str(_select(self.tree)["from_table"]["table_name"])

    def described(self, description: QueryDescription) -> QueryDescription:
        """What the query does, by what one with marks does."""
        texts = {f"\ue000{place}\ue001": text for place, (_, text) in enumerate(self.equated)}
        compared = (
            replace(one, values=tuple(texts.get(value, value) for value in one.values)) for one in description.compared
        )
        words = _MARK.sub(lambda mark: texts[mark[0]], description.words)
        return replace(description, words=words, compared=tuple(dict.fromkeys(compared)))

    def grouped(self, fields: list[str]) -> Node | None:
        """The query that gives the fields and the numbers of every query like this one; None where that may differ."""
        tree = cast("Node", json.loads(json.dumps(self.tree)))
        node = _select(tree)
        if not _adds_exactly(node):
            return None
        left = [one for one in _conditions(node) if _MARK.fullmatch(_text(one) or "") is None]
        if len(left) > 1:
            node["where_clause"]["children"] = left
        else:
            node["where_clause"] = left[0] if left else cast("Node", None)
        plain = {"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": ""}
        keys = [cast("Node", {**plain, "column_names": [name]}) for name in fields]
        node["select_list"] = [*keys, *node["select_list"]]
        node["group_expressions"], node["group_sets"] = keys, [list(range(len(keys)))]
        return tree


def alike(tree: Node) -> Alike | None:
    """What others may be like; None where a query is more than one SELECT of one table, or compares with no text."""
    known = json.dumps(tree, ensure_ascii=False)
    node = _select(tree)
    simple = node["type"] == "SELECT_NODE" and (node.get("from_table") or {}).get("type") == "BASE_TABLE"
    if not simple or "\ue000" in known:
        return None
    marked = cast("Node", json.loads(known))
    equated: list[tuple[str, str]] = []
    for condition in _conditions(_select(marked)):
        if (text := _text(condition)) is not None:
            condition["right"]["literal"]["text"] = f"\ue000{len(equated)}\ue001"
            equated.append((column(condition["left"]), text))
    return Alike(_PLACE.sub("", json.dumps(marked)), marked, tuple(equated)) if equated else None


def shortened(description: QueryDescription) -> QueryDescription:
    """The description in as many words as are shown."""
    long = len(description.words) > LONGEST_WORDS
    return replace(description, words=f"{description.words[:LONGEST_WORDS]} …") if long else description


def _select(tree: Node) -> Node:
    return tree["statements"][0]["node"]


def _conditions(node: Node) -> Iterator[Node]:
    """What all rows that the query takes fulfil."""
    where = node.get("where_clause")
    if where:
        yield from where["children"] if where.get("type") == "CONJUNCTION_AND" else [where]


def _text(condition: Node) -> str | None:
    """The text that a field must be equal to; None where a condition is another."""
    left, literal = condition.get("left") or {}, (condition.get("right") or {}).get("literal") or {}
    plain = condition.get("type") == "COMPARE_EQUAL" and len(left.get("column_names") or ()) == 1
    return literal["text"] if plain and literal.get("kind") == "STRING" else None


def _adds_exactly(node: Node) -> bool:
    """Whether a query is one row of sums that are the same in any order, and of what arithmetic makes of them."""
    more = [node.get(name) for name in ("group_expressions", "having", "qualify", "sample", "modifiers")]
    if any(more) or (node.get("cte_map") or {}).get("map"):
        return False
    sums = 0
    for inner in objects(node["select_list"]):
        name, given = function(inner), arguments_of(inner)
        exact = name in COUNTS or (name in _EXACT and all(type_of(one) in _INTEGERS for one in given))
        sums += exact
        other = name and name not in _ARITHMETIC and not exact
        if other or inner.get("class") in ("SUBQUERY", "WINDOW", "LAMBDA"):
            return False
    return sums > 0
