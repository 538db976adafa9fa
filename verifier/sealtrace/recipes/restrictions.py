"""What a query takes of the records, by its syntax tree.

A field that is compared with a constant restricts the rows to what that constant says, wherever the comparison stands:
WHERE, JOIN, HAVING, QUALIFY, FILTER, CASE, or as a number. Whether the table prints the constant, the cell's entities
say. Choosing by results or by order is a pick, which no label can say; and of what is not known here, nothing is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from sealtrace.recipes.sql_statistics import labels_of
from sealtrace.recipes.sql_syntax import (
    COUNTS,
    CUTTING,
    MEANS,
    QUANTILES,
    Compared,
    Join,
    Node,
    QueryDescription,
    arguments_of,
    brought,
    calculated_columns,
    column,
    columns,
    constant,
    counts_rows,
    fields_of,
    function,
    is_constant,
    is_plain_mean,
    number,
    objects,
    query_words,
    reads_nothing,
    type_of,
    within,
)
from sealtrace.statistics.entries import STATISTICS

PLAIN = frozenset({"+", "-", "*", "/", "abs", "not", "round", "sum", "fsum", "kahan_sum", "sumkahan", "list",
                   "array_agg", "if", "iff", "nullif", "coalesce", "list_contains", "array_contains", "list_has",
                   "cast", "try_cast", "row", "struct_pack"}) | MEANS | COUNTS  # fmt: skip
"""Functions that take every row alike, or whose comparisons are looked at by themselves."""
_CONTAINS = frozenset({"list_contains", "array_contains", "list_has"})
_EQUAL = frozenset({"COMPARE_EQUAL", "COMPARE_IN"})
_AGGREGATES = MEANS | COUNTS | {"sum", "fsum", "min", "max", "median", "mode", "arg_max", "arg_min", "first", "last",
                                "any_value", "bool_or", "bool_and", "list", "stddev", "stddev_samp"}  # fmt: skip


def described(trees: list[Node], views: Collection[str] = (), macros: Collection[str] = ()) -> QueryDescription:
    """What a query does: its own tree comes first, then those of the views that it uses, then those of its macros."""
    if not trees:
        return QueryDescription()
    calculated = calculated_columns(trees)
    node, *shared = (tree["statements"][0]["node"] for tree in trees)
    named = [*views, *macros]
    text = "; ".join(
        [query_words(node, 0)] + [f"{name} is {query_words(own, 0)}" for name, own in zip(named, shared, strict=True)]
    )
    first = (node.get("select_list") or [{}])[0]
    found = Restrictions(trees, calculated, [name.partition("(")[0] for name in macros])
    picks = dict.fromkeys(found.picks())
    numbers = [brought(tree) for tree in trees]
    return QueryDescription(
        words=text,
        functions=tuple(sorted(found.functions())),
        fields=tuple(sorted({name for tree in trees for name in fields_of(tree)})),
        mean=is_plain_mean(first, calculated, 0),
        counts_wrong=any(
            inner.get("type") == "COMPARE_NOTEQUAL" or function(inner) == "error_rate"
            for inner in within(first, calculated)
        ),
        orders=any("THAN" in str(inner.get("type")) for inner in within(first, calculated)),
        brought=tuple(text for written, _ in numbers for text in written),
        scales=tuple(text for _, scales in numbers for text in scales),
        totals=found.totals,
        sum=function(first) in ("sum", "fsum"),
        shares=tuple(found.shares()),
        compared=tuple(dict.fromkeys(found.compared())),
        picks=tuple(pick for pick in picks if isinstance(pick, str)),
        present=tuple(sorted({name for pick in picks if isinstance(pick, Present) for name in pick.fields})),
        unknown=tuple(dict.fromkeys(found.unknown())),
        joins=tuple(dict.fromkeys(found.joins())),
        equated=tuple(sorted(set(found.equated()))),
        cut=tuple(sorted(set(found.cut()))),
        grouped=dict(found.grouped(node)),
        divides_counts=found.divides_counts,
        averaged_by=tuple(sorted(set(found.averaged_by()) - set(calculated))),
    )


@dataclass(frozen=True)
class Present:
    """Rows are taken by whether fields have a value: that takes all rows where none is absent."""

    fields: tuple[str, ...]


class Restrictions:
    """The restrictions of a query with the views and macros that it uses."""

    def __init__(self, trees: list[Node], calculated: dict[str, Node], macros: Collection[str]) -> None:
        self._trees, self._calculated = trees, calculated
        self._macros = {name.casefold() for name in macros}
        self._nodes = list(objects(trees))

    @cached_property
    def totals(self) -> bool:
        """Whether it adds up or averages; a query that only counts says what by what it demands of the rows."""
        adding = _AGGREGATES - COUNTS | {"/"}
        return any(function(node) in adding for node in self._nodes)

    @property
    def divides_counts(self) -> bool:
        """Whether it divides numbers of rows by each other."""
        divided = [arguments_of(node) for node in self._nodes if function(node) == "/"]
        return any(
            all(any(function(one) in COUNTS for one in within(side, self._calculated)) for side in sides)
            for sides in divided
        )

    # What it calls

    def functions(self) -> set[str]:
        """The functions that it calls, without those that take every row alike.

        A number of rows that is moved by one is another number.
        """
        called = {function(node) for node in self._nodes if node.get("class") in ("FUNCTION", "WINDOW")}
        for node in self._nodes:  # the mean of what each label has is a statistic of its own
            if function(node) in MEANS:
                inner = [one for one in within(arguments_of(node), self._calculated) if columns(labels_of(one))]
                called = (called - set(map(function, inner))) | {f"macro_{function(one)}" for one in inner}
        if any(  # what is averaged is not what the records hold
            function(one) == "round"
            for node in self._nodes
            if function(node) in _AGGREGATES
            for one in within(arguments_of(node), self._calculated)
        ):
            called = called | {"rounding"}
        moved = {
            f"count {function(node)} {text}"
            for node in self._nodes
            if function(node) in ("+", "-") and len(given := arguments_of(node)) == 2
            for other, written in zip(given, reversed(given), strict=True)
            if is_constant(written)
            and (text := number(written)) not in (None, "0")
            and counts_rows(other, self._calculated)
        }
        return (called | moved) - PLAIN - self._macros - {""}

    def shares(self) -> Iterator[str]:
        """The shares that its quantiles are asked for."""
        for node in self._nodes:
            if function(node).startswith(QUANTILES):
                yield from (constant(given) for given in arguments_of(node)[1:] if is_constant(given))
            elif function(node) == "median":
                yield "0.5"

    # Fields and constants

    def compared(self) -> Iterator[Compared]:
        """Every field that is compared with constants."""
        asked = {id(inner) for node in self._nodes if function(node) in STATISTICS for inner in objects(node)}
        for node in self._nodes:
            given = arguments_of(node)
            for label in filter(is_constant, labels := labels_of(node)):
                yield from self._against([*given, label], equal=True, restricts=False)
            if (sides := self._sides(node)) is not None:
                equal = str(node.get("type")) in _EQUAL or function(node) in _CONTAINS
                yield from self._against(sides, equal=equal, restricts=id(node) not in asked)
            elif not labels and (function(node) == "nullif" or any(map(_is_text, given))):
                yield from self._against(given, equal=False)

    def _sides(self, node: Node) -> list[Node] | None:
        """What a node compares with each other; None where it is no comparison."""
        if node.get("class") == "COMPARISON":
            return [node["left"], node["right"]]
        if str(node.get("type")) in ("COMPARE_IN", "COMPARE_NOT_IN"):
            return node["children"]
        if node.get("class") == "BETWEEN":
            return [node["input"], node["lower"], node["upper"]]
        return arguments_of(node) if function(node) in _CONTAINS | self._macros else None

    def _against(self, sides: list[Node], *, equal: bool, restricts: bool = True) -> Iterator[Compared]:
        constants = [side for side in sides if reads_nothing(side)]
        others = [side for side in sides if not reads_nothing(side)]
        if not constants:
            return
        # What a function makes of constants is known to nobody who reads the table.
        equal = equal and all(map(is_constant, constants))
        values = tuple(constant(side) if is_constant(side) else function(side) or "…" for side in constants)
        for other in others:
            plain = other
            while plain.get("class") == "CAST":
                plain = plain["child"]
            if plain.get("class") == "COLUMN_REF" and column(plain) not in self._calculated:
                yield Compared(column(plain), values, equal, restricts)
            else:
                inner = within(other, self._calculated)
                own = self._calculated.get(column(plain), {}) if plain.get("class") == "COLUMN_REF" else {}
                renamed = own.get("class") == "COLUMN_REF"
                for name in sorted(columns(inner) - set(self._calculated)):
                    yield Compared(name, values, equal and renamed, restricts)

    # Choosing by results or by order

    def picks(self) -> Iterator[str | Present]:
        """How it chooses rows otherwise than by fields that are compared with constants."""
        divisors = [arguments_of(node)[1] for node in self._nodes if function(node) == "/"]
        for node in self._nodes:
            for modifier in node.get("modifiers") or ():
                yield from self._modified(modifier, node)
            if node.get("type") in ("TABLE_FUNCTION", "EXPRESSION_LIST"):
                yield "it brings rows of its own"
            if str(node.get("join_type")) in ("SEMI", "ANTI"):
                yield "it takes rows by whether another record is there"
            if node.get("class") == "SUBQUERY" and node.get("subquery_type") != "SCALAR":
                yield "it takes rows by what another query gives"
            if node.get("class") == "COMPARISON" and any(
                self._is_result(side) for side in (node["left"], node["right"])
            ):
                yield "it chooses by results"
            if str(node.get("type")) in ("ARRAY_EXTRACT", "ARRAY_SLICE"):
                yield "it takes some values of a list by their place"
            if node.get("class") == "CAST" and node.get("try_cast"):
                yield f"it leaves out what is no {type_of(node)} (TRY_CAST); CAST takes every row"
            if node.get("distinct") and function(node) not in COUNTS and function(node):
                yield f"its {function(node)} takes equal values once"
            if self.totals:
                for clause in (node.get("where_clause"), node.get("having"), node.get("qualify")):
                    yield from self._flags(clause)
            if function(node) and function(node) not in COUNTS:
                yield from self._flags(node.get("filter"))
            yield from self._branches(node)
            for condition in _conjuncts(node.get("condition") or {}) if node.get("type") == "JOIN" else ():
                pair = condition.get("left") or {}, condition.get("right") or {}
                sides = [side.get("column_names") or () for side in pair]
                if condition.get("type") != "COMPARE_EQUAL" or any(len(names) != 2 for names in sides):
                    yield from self._flags(condition)
        for divisor in divisors:
            for node in objects(divisor):
                if function(node) in COUNTS:
                    yield from self._flags(node.get("filter"))

    def _modified(self, modifier: Node, node: Node) -> Iterator[str]:
        if str(modifier.get("type")).startswith("LIMIT"):
            yield "it takes some rows by their order (LIMIT)"
        if modifier.get("distinct_on_targets"):
            yield "it takes one row of several by their order (DISTINCT ON)"
        elif modifier.get("type") == "DISTINCT_MODIFIER":
            chosen = columns(within(node.get("select_list"), self._calculated))
            averaged = {
                name
                for other in self._nodes
                if function(other) in MEANS | {"sum", "fsum"}
                for name in columns(within(arguments_of(other), self._calculated))
            }
            if chosen & averaged:
                yield "it takes equal rows once (DISTINCT)"

    def _is_result(self, node: Node) -> bool:
        """Whether an expression holds what many rows give together."""
        return any(
            inner.get("class") in ("SUBQUERY", "WINDOW") or function(inner) in _AGGREGATES
            for inner in within(node, self._calculated)
        )

    def _branches(self, node: Node) -> Iterator[str | Present]:
        """A branch that gives a field where a flag says so leaves out the other rows."""
        checks = node.get("case_checks") or ()
        given = [branch["then_expr"] for branch in checks]
        if node.get("else_expr"):
            given.append(node["else_expr"])
        asked = [branch["when_expr"] for branch in checks]
        if function(node) in ("if", "iff"):
            asked, given = arguments_of(node)[:1], arguments_of(node)[1:]
        if asked and not all(map(is_constant, given)):
            for condition in asked:
                yield from self._flags(condition)

    def _flags(self, condition: Node | None) -> Iterator[str | Present]:
        """What rows are taken by besides fields that are compared with constants: flags, and fields among themselves.

        Nothing is passed over: a condition of any other form takes some rows by whatever it reads.
        """
        rest = [condition] if condition else []
        while rest:
            node = rest.pop()
            kind, form = node.get("class"), str(node.get("type"))
            if kind == "CONJUNCTION" or form == "OPERATOR_NOT":
                rest += node.get("children") or ()
            elif kind == "CAST":
                rest.append(node["child"])
            elif function(node) == "not":
                rest += arguments_of(node)
            elif form.endswith("_NULL"):
                yield Present(tuple(sorted(columns(within(node, self._calculated)) - set(self._calculated))))
            elif not self._with_constants(node) and not self._joins_tables(node):
                told = sorted(columns(within(node, self._calculated)) - set(self._calculated))
                if told and node.get("class") != "SUBQUERY":
                    yield f"it takes only some rows, by {' and '.join(told)}"

    def _with_constants(self, node: Node) -> bool:
        """Whether a condition compares one expression with constants, which is looked at by itself."""
        sides = self._sides(node)
        return reads_nothing(node) if sides is None else sum(not reads_nothing(side) for side in sides) < 2

    def _joins_tables(self, node: Node) -> bool:
        """Whether a condition says that a field is the same in two relations, as a join does."""
        sides = [node.get("left") or {}, node.get("right") or {}]
        named = [list(map(str, side.get("column_names") or ())) for side in sides]
        return (
            node.get("type") == "COMPARE_EQUAL"
            and all(len(names) == 2 for names in named)
            and named[0][0] != named[1][0]
            and named[0][1].casefold() == named[1][1].casefold()
        )

    def equated(self) -> Iterator[str]:
        """The fields that a condition compares between two relations: each row meets those that have the same."""
        for node in self._nodes:
            if self._joins_tables(node):
                yield column(node["left"])

    def cut(self) -> Iterator[str]:
        """The fields that lose digits, as whole numbers or with so many decimals, before they are summed up."""
        for node in self._nodes:
            inner = node.get("child") or {}
            compares = inner.get("class") in ("COMPARISON", "CONJUNCTION")
            if node.get("class") == "CAST" and not compares and CUTTING.search(type_of(node)):
                read = list(within(inner, self._calculated))
                if not any(function(one) in _AGGREGATES for one in read):
                    yield from columns(read) - set(self._calculated)

    def averaged_by(self) -> Iterator[str]:
        """The fields by which it groups rows whose groups it then averages, or adds up, again."""
        for node in self._nodes:
            inner = [one for one in objects(node.get("from_table")) if one.get("group_expressions")]
            if any(function(one) in MEANS | {"sum", "fsum"} for one in objects(node.get("select_list"))):
                grouping = [part for one in inner for part in one["group_expressions"] if not self._is_label(part)]
                yield from columns(within(grouping, self._calculated))

    def _is_label(self, part: Node) -> bool:
        """Whether it is a column that lists every label, over which macro averages are taken."""
        listed = [node for node in self._nodes if node.get("type") == "SET_OPERATION_NODE" and self._lists_labels(node)]
        names = {str(one.get("alias")) for node in listed for one in objects(node) if one.get("alias")}
        return part.get("class") == "COLUMN_REF" and part["column_names"][-1] in names

    def grouped(self, node: Node) -> Iterator[tuple[str, str]]:
        """The columns of its result that are fields of records by which it groups their rows."""
        relation = node.get("from_table") or {}
        if relation.get("type") != "BASE_TABLE":
            return
        by = columns(node.get("group_expressions") or ())
        for given in node.get("select_list") or ():
            if given.get("class") == "COLUMN_REF" and (name := column(given)) in by - set(self._calculated):
                yield str(given.get("alias") or given["column_names"][-1]), name

    # What is not known

    def unknown(self) -> Iterator[str]:
        """Constructs of which nothing here says what they choose."""
        for node in self._nodes:
            form = str(node.get("type"))
            if node.get("column_name_alias") or node.get("aliases"):
                yield "fields that a list gives other names"
            elif form == "SET_OPERATION_NODE":
                if not self._lists_labels(node):
                    yield str(node.get("setop_type"))
            elif node.get("class") == "STAR" and (node.get("replace_list") or node.get("rename_list")):
                yield "SELECT * with other fields in the place of some"
            elif form == "RECURSIVE_CTE_NODE":
                yield "WITH RECURSIVE"
            elif form == "SELECT_NODE" and node.get("aggregate_handling") != "STANDARD_HANDLING":
                yield "GROUP BY ALL"
            elif len(node.get("group_sets") or ()) > 1 and node is not self._trees[0]["statements"][0]["node"]:
                yield "several groupings at once"  # which fill the rows of a table, but may not be averaged again
            elif node.get("ref_type", "REGULAR") not in ("REGULAR", "CROSS", "NATURAL"):
                yield f"{node['ref_type']} JOIN"
            elif (
                node.get("class") == "WINDOW"
                and function(node) in _AGGREGATES
                and (node["orders"] or node["filter_expr"])
            ):
                yield f"{function(node)} OVER"
            elif function(node) in _AGGREGATES and any(
                one.get("class") == "SUBQUERY" and one["subquery"]["node"].get("where_clause")
                for one in objects(arguments_of(node))
            ):
                yield "a query within a sum or mean, which may give nothing for some rows"
            elif form == "JOIN" and node.get("ref_type") != "CROSS" and not self._pairs(node):
                yield "a join of queries"

    def _lists_labels(self, node: Node) -> bool:
        """Whether a UNION lists the labels that fields have, and nothing but a statistic of labels reads them."""
        inner = [one for one in objects(node) if one.get("type") == "SELECT_NODE"]
        items = [item for one in inner for item in one["select_list"]]
        if any(one.get("where_clause") for one in inner) or any(item.get("class") != "COLUMN_REF" for item in items):
            return False
        names = {str(item["alias"]).casefold() for item in items if item.get("alias")}
        labels = columns(label for one in self._nodes for label in labels_of(one))
        totals = [arguments_of(one) for one in self._nodes if function(one) in _AGGREGATES]
        return bool(names) and names <= labels and not names & columns(objects(totals))

    def joins(self) -> Iterator[Join]:
        """The kinds of record that are joined, and the fields that are equal in both."""
        for node in self._nodes:
            outer = node.get("join_type") in ("INNER", "LEFT", "RIGHT", "OUTER")
            if node.get("type") == "JOIN" and outer and node.get("ref_type") != "CROSS":
                yield from self._pairs(node)
            # `FROM a, b WHERE a.item = b.item` joins as much as JOIN does.
            relation = node.get("from_table") or {}
            if relation.get("type") == "JOIN" and relation.get("ref_type") == "CROSS" and node.get("where_clause"):
                yield from self._pairs({**relation, "condition": node["where_clause"]})

    def _pairs(self, node: Node) -> list[Join]:
        right = node["right"]
        lefts = [inner for inner in objects(node["left"]) if inner.get("type") == "BASE_TABLE"]
        queries = any(inner.get("type") == "SUBQUERY" for inner in objects([node["left"], right]))
        if right.get("type") != "BASE_TABLE" or not lefts or queries:
            return []
        there = str(right["table_name"])
        if using := node.get("using_columns"):
            pairs = tuple((str(name), str(name)) for name in using)
            # Which of several records has the field is asked of the database.
            return [("|".join(str(left["table_name"]) for left in lefts), there, pairs)]
        called = {str(table.get("alias") or table["table_name"]).casefold(): table for table in (*lefts, right)}
        found: dict[str, list[tuple[str, str]]] = {}
        for one in _conjuncts(node.get("condition") or {}):
            sides = [one.get("left") or {}, one.get("right") or {}]
            if one.get("type") != "COMPARE_EQUAL" or any(len(side.get("column_names") or ()) != 2 for side in sides):
                continue
            tables = [called.get(str(side["column_names"][0]).casefold()) for side in sides]
            if right not in tables or None in tables or tables[0] is tables[1]:
                continue
            mine, theirs = sides if tables[1] is right else reversed(sides)
            left = str((tables[0] if tables[1] is right else tables[1] or {})["table_name"])  # type: ignore[index]
            found.setdefault(left, []).append((column(mine), column(theirs)))
        return [(left, there, tuple(pairs)) for left, pairs in found.items()]


def _conjuncts(condition: Node) -> Iterator[Node]:
    if condition.get("class") == "CONJUNCTION" and condition.get("type") == "CONJUNCTION_AND":
        for child in condition["children"]:
            yield from _conjuncts(child)
    else:
        yield condition


def _is_text(node: Node) -> bool:
    literal = node.get("literal") if node.get("class") == "CONSTANT" else None
    return isinstance(literal, dict) and literal.get("kind") == "STRING"
