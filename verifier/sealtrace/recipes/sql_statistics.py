"""Statistics that a query writes out: their SQL, found in its syntax tree, becomes a call of the statistic.

The table of statistics gives the forms, so that what a form compares and counts is the statistic's own doing and not a
choice of the query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import cast

from sealtrace.recipes.sql_syntax import Node, Tree, arguments_of, function, is_constant, objects
from sealtrace.statistics.entries import STATISTICS

_IGNORED = frozenset({"alias", "query_location", "query_location_length", "qualified_name"})
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_MARK = "placeholder "
_FIELDS = ("x", "true", "given")
"""Placeholders that stand for something of the records."""

Form = tuple[str, Node]


def forms(parse: Callable[[str], Node]) -> tuple[Form, ...]:
    """The statistics that are more than one call, with the trees of their SQL; larger ones come first."""
    found: list[tuple[int, Form]] = []
    for entry in STATISTICS.values():
        texts = [entry.sql, *(variant.sql for variant in entry.tried or ())]
        for text in dict.fromkeys(filter(None, texts)) if entry.unit != "count" else ():
            marked = _PLACEHOLDER.sub(lambda match: f'"{_MARK}{match[1]}"', text)
            node = parse(f"SELECT {marked}")["statements"][0]["node"]["select_list"][0]
            if size := sum(bool(function(inner)) for inner in objects(node)) - 1:
                found.append((size, (entry.name, node)))
    return tuple(form for _, form in sorted(found, key=lambda one: -one[0]))


def with_statistics(tree: Tree, known: tuple[Form, ...]) -> Tree:
    """A syntax tree in which statistics stand for their forms; the label of one comes last among its arguments."""
    if isinstance(tree, list):
        return [with_statistics(item, known) for item in tree]
    if not isinstance(tree, dict):
        return tree
    for name, form in known if tree.get("class") == "FUNCTION" or tree.get("type") == "OPERATOR_COALESCE" else ():
        if function(form) != function(cast("Node", tree)):
            continue  # most are told apart so, and whole trees need not be compared
        if (bound := next(_bindings(form, tree, {}), None)) is not None:
            given = [{"name": "", "expression": with_statistics(node, known)} for _, node in sorted(bound.items())]
            return {
                "class": "FUNCTION", "type": "FUNCTION", "alias": tree.get("alias", ""), "function_name": name,
                "arguments": given, "filter": None, "distinct": False, "statistic": sorted(bound),
            }  # fmt: skip
    return {name: with_statistics(value, known) for name, value in tree.items()}


def _bindings(form: Tree, tree: Tree, bound: dict[str, Node]) -> Iterator[dict[str, Node]]:
    """What placeholders of a form stand for, where a tree has that form."""
    if isinstance(form, dict) and form.get("class") == "COLUMN_REF" and form["column_names"][-1].startswith(_MARK):
        name = form["column_names"][-1].removeprefix(_MARK)
        known = bound.get(name)
        node = cast("Node", tree)
        fits = isinstance(tree, dict) and not (name in _FIELDS and is_constant(node))
        if fits and (known is None or _plain(known) == _plain(tree)):
            yield {**bound, name: node}
    elif isinstance(form, dict):
        names = set(form) - _IGNORED
        if isinstance(tree, dict) and names == set(tree) - _IGNORED:
            either = str(form.get("type")) in ("COMPARE_EQUAL", "COMPARE_NOTEQUAL")
            sides = [form["left"], form["right"]] if either else []
            rest = sorted(names - ({"left", "right"} if either else set()))
            for order in permutations(sides):
                pairs = [*zip(order, (tree["left"], tree["right"]) if either else (), strict=True)]
                yield from _all([*pairs, *((form[name], tree[name]) for name in rest)], bound)
    elif isinstance(form, list):
        if isinstance(tree, list) and len(form) == len(tree):
            yield from _all(list(zip(form, tree, strict=True)), bound)
    elif form == tree:
        yield bound


def _all(pairs: list[tuple[Tree, Tree]], bound: dict[str, Node]) -> Iterator[dict[str, Node]]:
    if not pairs:
        yield bound
        return
    for found in _bindings(*pairs[0], bound):
        yield from _all(pairs[1:], found)


def _plain(tree: Tree) -> Tree:
    if isinstance(tree, dict):
        return {name: _plain(value) for name, value in tree.items() if name not in _IGNORED}
    return [_plain(item) for item in tree] if isinstance(tree, list) else tree


def labels_of(node: Node) -> list[Node]:
    """The labels that a statistic of one label is asked of."""
    names = node.get("statistic") or ()
    return [given for name, given in zip(names, arguments_of(node), strict=False) if name == "label"]
