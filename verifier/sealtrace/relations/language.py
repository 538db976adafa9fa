"""The language of formulas: text to formula.

formula    := conjunction { "or" conjunction }
conjunction:= atom { "and" atom }
atom       := "some" "integer" NAME "in" sum ".." sum ":" formula | "some" NAME "in" "[" end "," end "]" ":" formula
            | ORDER "(" list ")" | sum { COMPARISON sum } | sum "is" "a" "multiple" "of" sum
            | sum "is" "a" "mean" "of" sum "multiples" "of" sum | "(" formula ")"
sum        := product { ("+" | "-") product };  product := signed { ("*" | "/") signed };  signed := "-" signed | power
power      := value [ "^" INTEGER ];  value := NUMBER | NAME | cell | FUNCTION "(" list ")" | "(" sum ")"
cell       := TABLE "[" label "," label "]" [ "." PART ];  a label may be "*" or "* except a; b" inside a list
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from sealtrace.bundle.defects import nearest
from sealtrace.relations.fact import Listing, NotAvailableError, UnknownFactError
from sealtrace.relations.facts import Facts
from sealtrace.relations.syntax import (
    FUNCTIONS,
    OPERATORS,
    ORDERS,
    And,
    Call,
    Comparison,
    Expression,
    Formula,
    Given,
    Multiple,
    Node,
    Number,
    Or,
    Ordered,
    Some,
    Unknown,
)
from sealtrace.relations.words import (
    PLACE,
    RESERVED,
    FormulaError,
    Locate,
    Misreading,
    Names,
    Word,
    Words,
    labels_of,
    parse_constant,
    substituted,
)

MAX_DEPTH = 40
MAX_TERMS = 5000
MAX_EXPONENT = 64
_WHOLE_LISTS = frozenset({"sum", "mean"})
_Read = TypeVar("_Read")


def _from_start(offset: int) -> tuple[int, int]:
    return 1, offset + 1


def parse_formula(
    text: str, names: Names, source: str = "formula", locate: Locate = _from_start
) -> tuple[Formula | None, list[Misreading]]:
    """The formula that a text states, or None with everything that is wrong with it."""
    parser = _Parser(text, names)
    formula: Formula | None = None
    try:
        formula = parser.whole()
    except FormulaError as error:
        parser.fault(error.message, error.start)
    problems = [Misreading(message, source, *locate(start), absent) for message, start, absent in parser.faults]
    return (formula if not problems else None), problems


@dataclass(frozen=True)
class _Listed(Expression):
    """What a starred reference stands for; only a function takes it."""

    listing: Listing


class _Parser(Words):
    """Reads on behind a wrong reference; other mistakes end it."""

    def __init__(self, text: str, names: Names) -> None:
        super().__init__(text)
        self.names = names
        self.faults: list[tuple[str, int, bool]] = []
        """Message, place, and whether it is only that a cell says n/a."""
        self.scope: list[str] = []
        self.depth = self.terms = 0

    # Formulas

    def whole(self) -> Formula:
        formula = self.formula()
        token = self.peek()
        if token.kind != "end":
            hint = "; write == for equality" if token.is_one("=") else ""
            raise FormulaError(f"expected the end of the formula, found {token}{hint}", token.start)
        return formula

    def formula(self) -> Formula:
        start = self.peek().start
        return self.as_formula(self.either(), start)

    def either(self) -> Node:
        """A formula, or an expression in parentheses that only what follows can tell from one."""
        return self.chained(self.conjunction, Or, self.as_formula, "or")

    def conjunction(self) -> Node:
        return self.chained(self.atom, And, self.as_formula, "and")

    def chained(
        self, inner: Callable[[], Node], kind: Callable[[Any], Node], checked: Callable[[Node, int], Any], *links: str
    ) -> Node:
        """One part, or several between these words or signs; the second sign turns the part behind."""
        start = self.peek().start
        first = inner()
        if not self.peek().is_one(*links):
            return first
        parts = [checked(first, start)]
        while link := self.take(*links):
            start = self.peek().start
            part = checked(inner(), start)
            parts.append(part if link.text == links[0] else Call(link.text, (part,)))
            self.count(link)
        return kind(tuple(parts))

    def atom(self) -> Node:
        if self.take("some"):
            return self.nested(self.some)
        start = self.peek().start
        first = self.sum()
        if self.take("is"):
            return self.multiple(self.as_expression(first, start))
        if not self.peek().is_one(*OPERATORS):
            return first
        left = self.as_expression(first, start)
        chain: list[Formula] = []
        while operator := self.take(*OPERATORS):
            right = self.expression()
            chain.append(Comparison(operator.text, left, right))
            left = right
        return chain[0] if len(chain) == 1 else And(tuple(chain))

    def some(self) -> Formula:
        integer = self.take("integer") is not None
        token = self.next()
        if token.kind != "name" or token.text in RESERVED or "." in token.text:
            raise FormulaError(f"expected a name for the unknown, found {token}", token.start)
        self.expect("in")
        end: Callable[[], Expression | None] = self.expression if integer else self.end
        if not integer:
            self.expect("[")
        low = end()
        self.expect(".." if integer else ",")
        high = end()
        if not integer:
            self.expect("]")
        self.expect(":")
        self.scope.append(token.text)
        body = self.formula()
        self.scope.pop()
        return Some(token.text, low, high, body, integer)

    def end(self) -> Expression | None:
        """One end of a range; None where it is infinite."""
        before = self.place
        self.take("-")
        if self.take("inf"):
            return None
        self.go(before)
        return self.expression()

    def multiple(self, of: Expression) -> Formula:
        self.expect("a")
        repeats = None
        if self.expect("multiple", "mean").text == "mean":
            self.expect("of")
            repeats = self.expression()
            self.expect("multiples")
        self.expect("of")
        return Multiple(of, self.expression(), repeats)

    # Expressions

    def expression(self) -> Expression:
        start = self.peek().start
        return self.as_expression(self.sum(), start)

    def sum(self) -> Node:
        return self.chained(self.product, lambda parts: Call("+", parts), self.as_expression, "+", "-")

    def product(self) -> Node:
        return self.chained(self.signed, lambda parts: Call("*", parts), self.as_expression, "*", "/")

    def signed(self) -> Node:
        negative = False
        while token := self.take("-"):
            negative = not negative
            self.count(token)
        start = self.peek().start
        value = self.power()
        return -self.as_expression(value, start) if negative else value

    def power(self) -> Node:
        start = self.peek().start
        base = self.value()
        if not self.take("^"):
            return base
        token = self.next()
        if token.kind != "number" or not token.text.isdecimal() or not 1 <= int(token.text) <= MAX_EXPONENT:
            raise FormulaError(f"expected an exponent from 1 to {MAX_EXPONENT}, found {token}", token.start)
        return self.as_expression(base, start) ** int(token.text)

    def value(self) -> Node:
        token = self.next()
        self.count(token)
        behind = self.text[token.end : token.end + 1]
        if token.kind in ("table", "string") or (token.kind == "placeholder" and behind == "["):
            return self.reference(token)
        if token.kind == "number":
            return self.literal(token.text, token)
        if token.kind == "placeholder":
            return self.literal(self.filled("{" + token.text + "}", token.start), token)
        if token.is_one("("):
            inner = self.nested(self.either)
            self.expect(")")
            return inner
        if token.kind == "name":
            return self.nested(lambda: self.call(token)) if self.take("(") else self.named(token)
        raise FormulaError(f"expected a number, a name or a cell, found {token}", token.start)

    def literal(self, text: str, token: Word) -> Expression:
        value = parse_constant(text)
        return self.fault(f"{text[:40]!r} is not a number", token.start) if value is None else Number(value)

    def named(self, token: Word) -> Expression:
        name, declared = token.text, self.names.facts.declared
        if name in self.scope:
            return Unknown(name)
        if name in self.names.constants:
            return Number(self.names.constants[name], name)
        if name in self.names.shared:
            return self.names.shared[name]
        owner, _, part = name.rpartition(".")
        if name in declared:
            return self.found(lambda facts: Given(facts.named(name)), token.start)
        if owner in declared:
            return self.found(lambda facts: Given(facts.named(owner, part)), token.start)
        known = [*self.scope, *self.names.constants, *self.names.shared, *declared]
        return self.fault(f"{name!r} is not known{nearest(name, known)}", token.start)

    def call(self, token: Word) -> Node:
        name, faults = token.text, len(self.faults)
        if name == "rounded":
            argument = self.expression()
            self.expect(")")
            if isinstance(argument, Given):
                return Given(argument.fact.rounded())
            return self.fault("rounded(…) takes one cell", token.start)
        arguments = self.items(name)
        while self.take(","):
            arguments += self.items(name)
        self.expect(")")
        if name not in FUNCTIONS and name not in ORDERS:
            return self.fault(f"no function {name!r}{nearest(name, [*FUNCTIONS, *ORDERS, 'rounded'])}", token.start)
        least, most = FUNCTIONS.get(name, (2, None))
        if not least <= len(arguments) <= (most or MAX_TERMS) and len(self.faults) == faults:
            wanted = str(least) if least == most else f"{least} or more"
            few = f"{name} takes {wanted} arguments, not {len(arguments)}"
            self.fault(f"{name} needs a list of two or more" if name in ORDERS else few, token.start)
        return Ordered(name, tuple(arguments)) if name in ORDERS else Call(name, tuple(arguments))

    def items(self, function: str) -> list[Expression]:
        """One argument, or the many that a starred cell stands for."""
        token = self.peek()
        found = self.sum()
        if not isinstance(found, _Listed):
            return [self.as_expression(found, token.start)]
        facts, missing = found.listing
        if missing and function in _WHOLE_LISTS:
            self.fault(f"{missing[0]} says n/a: {function} needs every number", token.start)
        for _ in facts:
            self.count(token)
        return list(map(Given, facts))

    # References

    def reference(self, token: Word) -> Expression:
        """The cell, or the cells, at an address."""
        table = self.filled("{" + token.text + "}", token.start) if token.kind == "placeholder" else token.text
        match = PLACE.match(self.text, token.end)
        if match is None:
            raise FormulaError("expected [row, column] behind the name of a table", token.start)
        self.go(match.end())
        (row, row_quoted), (column, column_quoted) = labels_of(match, 1), labels_of(match, 3)
        row, column, part = self.filled(row, token.start), self.filled(column, token.start), match[5]
        without_rows, without_columns = _starred(row, row_quoted), _starred(column, column_quoted)

        def find(facts: Facts) -> Expression:
            if without_rows is not None and without_columns is not None:
                raise UnknownFactError("one of row and column may be *, not both")
            if without_rows is not None:
                return _Listed(facts.column(table, column, part, without_rows))
            if without_columns is not None:
                return _Listed(facts.row(table, row, part, without_columns))
            return Given(facts.cell(table, row, column, part))

        return self.found(find, token.start)

    def found(self, find: Callable[[Facts], Expression], start: int) -> Expression:
        try:
            return find(self.names.facts)
        except UnknownFactError as error:
            return self.fault(str(error), start, absent=isinstance(error, NotAvailableError))

    def filled(self, text: str, start: int) -> str:
        result, missing = substituted(text, self.names.bindings)
        for name in missing:
            self.fault(f"nothing gives {{{name}}}{nearest(name, self.names.bindings)}", start)
        return result

    # Kinds and limits

    def fault(self, message: str, start: int, *, absent: bool = False) -> Expression:
        """Notes what is wrong; the number stands in its place, so that the reading can go on."""
        self.faults.append((message, start, absent))
        return Number(Fraction(0))

    def as_formula(self, node: Node, start: int) -> Formula:
        if isinstance(node, Formula):
            return node
        token = self.peek()
        hint = "; write == for equality" if token.is_one("=") else ""
        raise FormulaError(f"expected a comparison, such as ==, found {token}{hint}", max(start, token.start))

    def as_expression(self, node: Node, start: int) -> Expression:
        if isinstance(node, Formula):
            raise FormulaError("a value is needed here, and this is a comparison", start)
        if isinstance(node, _Listed):
            return self.fault("a list of cells belongs inside sum, mean, min, max or an order", start)
        return node

    def nested(self, inner: Callable[[], _Read]) -> _Read:
        if self.depth >= MAX_DEPTH:
            raise FormulaError(f"nested more than {MAX_DEPTH} deep", self.peek().start)
        self.depth += 1
        result = inner()
        self.depth -= 1
        return result

    def count(self, token: Word) -> None:
        self.terms += 1
        if self.terms > MAX_TERMS:
            raise FormulaError(f"more than {MAX_TERMS} terms", token.start)


def _starred(label: str, quoted: bool) -> list[str] | None:
    """What a star leaves out; None where the label is no star."""
    if quoted or not label.startswith("*"):
        return None
    word, *rest = label[1:].split(maxsplit=1) or [""]
    if not word:
        return []
    return [one.strip().strip('"') for one in " ".join(rest).split(";")] if word == "except" else None
