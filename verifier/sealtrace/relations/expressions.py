"""Expressions of the language: numbers, names, cells, functions and arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from sealtrace.bundle.nearest import nearest
from sealtrace.relations.fact import Fact, Listing, NotAvailableError, UnknownFactError
from sealtrace.relations.facts import Facts
from sealtrace.relations.scanner import FormulaError, Scanner, Token, shown, substituted
from sealtrace.relations.syntax import (
    FUNCTIONS,
    ORDERS,
    Call,
    Cell,
    Expression,
    Formula,
    Inverse,
    Negative,
    Number,
    Ordered,
    Power,
    Product,
    Shared,
    Sum,
    Unknown,
)

MAX_DEPTH = 40
MAX_TERMS = 5000
MAX_EXPONENT = 64
MAX_POWER_OF_TEN = 400
_Read = TypeVar("_Read")
_WHOLE_LISTS = frozenset({"sum", "mean"})


@dataclass
class Names:
    """What a formula may speak of."""

    facts: Facts
    constants: Mapping[str, Fraction] = field(default_factory=dict)
    shared: Mapping[str, Shared] = field(default_factory=dict)
    bindings: dict[str, str] = field(default_factory=dict)
    """What stands for `{r}`, from the loops around."""


def parse_constant(text: str) -> Fraction | None:
    """A decimal or a ratio, exactly; None where it is neither or too long."""
    top, slash, bottom = text.strip().partition("/")
    numbers = [_literal(one.strip()) for one in ([top, bottom] if slash else [top])]
    if any(one is None for one in numbers):
        return None
    value, *rest = [one for one in numbers if one is not None]
    return value if not rest else (value / rest[0] if rest[0] else None)


def _literal(text: str) -> Fraction | None:
    mantissa, _, exponent = text.lower().partition("e")
    digits = mantissa.lstrip("+-").replace(".", "", 1)
    if len(text) > 60 or not (digits.isascii() and digits.isdecimal()) or mantissa.endswith("."):
        return None
    if "e" in text.lower() and not (exponent.lstrip("+-").isdecimal() and abs(int(exponent)) <= MAX_POWER_OF_TEN):
        return None
    try:
        return Fraction(text)
    except ValueError:
        return None


@dataclass(frozen=True)
class _Fault:
    message: str
    start: int
    absent: bool = False


class ExpressionParser:
    """Reads expressions; what may stand in parentheses besides is left to whoever reads formulas."""

    def __init__(self, text: str, names: Names) -> None:
        self.scan = Scanner(text)
        self.names = names
        self.faults: list[_Fault] = []
        """Wrong references: the reading goes on behind them."""
        self.scope: list[str] = []
        self.depth = 0
        self.terms = 0

    def either(self) -> Expression | Formula:
        """What stands in parentheses."""
        raise NotImplementedError

    def expression(self) -> Expression:
        start = self.scan.peek().start
        return self.as_expression(self.sum(), start)

    def sum(self) -> Expression | Formula:
        return self.chained(("+", "-"), "-", self.product, Sum, Negative)

    def product(self) -> Expression | Formula:
        return self.chained(("*", "/"), "/", self.signed, Product, Inverse)

    def chained(
        self,
        signs: tuple[str, str],
        turning: str,
        inner: Callable[[], Expression | Formula],
        kind: type[Sum] | type[Product],
        turned: type[Negative] | type[Inverse],
    ) -> Expression | Formula:
        start = self.scan.peek().start
        first = inner()
        if not self.scan.peek().is_sign(*signs):
            return first
        terms = [self.as_expression(first, start)]
        while sign := self.scan.take(*signs):
            start = self.scan.peek().start
            term = self.as_expression(inner(), start)
            terms.append(turned(term) if sign.text == turning else term)
            self.count(sign)
        return kind(tuple(terms))

    def signed(self) -> Expression | Formula:
        minus = 0
        while token := self.scan.take("-"):
            minus += 1
            self.count(token)
        start = self.scan.peek().start
        value = self.power()
        return Negative(self.as_expression(value, start)) if minus % 2 else value

    def power(self) -> Expression | Formula:
        start = self.scan.peek().start
        base = self.value()
        if not self.scan.take("^"):
            return base
        token = self.scan.next()
        if token.kind != "number" or not token.text.isdecimal() or not 1 <= int(token.text) <= MAX_EXPONENT:
            raise FormulaError(f"expected an exponent from 1 to {MAX_EXPONENT}, found {shown(token)}", token.start)
        return Power(self.as_expression(base, start), int(token.text))

    def value(self) -> Expression | Formula:
        token = self.scan.next()
        self.count(token)
        if token.kind == "number":
            return self.literal(token.text, token)
        if token.is_sign("("):
            inner = self.nested(self.either)
            self.scan.expect(")")
            return inner
        if token.kind in ("table", "string") or self.starts_cell(token):
            found, listed = self.reference(token)
            if listed:
                self.fault("a list of cells belongs inside sum, mean, min, max or an order", token.start)
            return Cell(found.facts[0]) if found.facts else Number(Fraction(0))
        if token.kind == "placeholder":
            return self.literal(self.filled("{" + token.text + "}", token.start), token)
        if token.kind == "name" and self.scan.peek().is_sign("("):
            return self.nested(lambda: self.call(token))
        if token.kind == "name":
            return self.named(token)
        raise FormulaError(f"expected a number, a name or a cell, found {shown(token)}", token.start)

    def literal(self, text: str, token: Token) -> Expression:
        value = parse_constant(text)
        if value is None:
            self.fault(f"{text[:40]!r} is not a number", token.start)
        return Number(value or Fraction(0))

    def named(self, token: Token) -> Expression:
        name = token.text
        if name in self.scope:
            return Unknown(name)
        if name in self.names.constants:
            return Number(self.names.constants[name], name)
        if name in self.names.shared:
            return self.names.shared[name]
        facts = self.names.facts
        owner, _, part = name.rpartition(".")
        if name not in facts.declared and owner in facts.declared:
            return self.cell(lambda: facts.named(owner, part), token.start)
        if name not in facts.declared:
            known = [*self.scope, *self.names.constants, *self.names.shared, *facts.declared]
            self.fault(f"{name!r} is not known{nearest(name, known)}", token.start)
            return Number(Fraction(0))
        return self.cell(lambda: facts.named(name), token.start)

    def call(self, token: Token) -> Expression | Formula:
        name = token.text
        self.scan.expect("(")
        if name == "rounded":
            argument = self.expression()
            self.scan.expect(")")
            if not isinstance(argument, Cell):
                self.fault("rounded(…) takes one cell", token.start)
                return argument
            return Cell(argument.fact.rounded())
        arguments: list[Expression] = []
        faults = len(self.faults)
        while True:
            arguments += self.items(name)
            if not self.scan.take(","):
                break
        self.scan.expect(")")
        if name in ORDERS:
            if len(arguments) < 2 and len(self.faults) == faults:
                self.fault(f"{name} needs a list of two or more", token.start)
            return Ordered(name, tuple(arguments))
        if name not in FUNCTIONS:
            self.fault(f"no function {name!r}{nearest(name, [*FUNCTIONS, *ORDERS, 'rounded'])}", token.start)
            return Number(Fraction(0))
        least, most = FUNCTIONS[name]
        wrong = len(arguments) < least or (most is not None and len(arguments) > most)
        if wrong and len(self.faults) == faults:
            wanted = str(least) if least == most else f"{least} or more"
            self.fault(f"{name} takes {wanted} arguments, not {len(arguments)}", token.start)
        return Call(name, tuple(arguments))

    def items(self, function: str) -> list[Expression]:
        """One argument, or the many that a starred cell stands for."""
        token = self.scan.peek()
        if not self.starts_cell(token):
            return [self.expression()]
        before, faults = self.scan.place, len(self.faults)
        found, listed = self.reference(self.scan.next())
        if not listed:
            # An ordinary cell, with which an expression may go on: read it again as one.
            self.scan.rewind(before)
            del self.faults[faults:]
            return [self.expression()]
        if found.missing and function in _WHOLE_LISTS:
            self.fault(f"{found.missing[0]} says n/a: {function} needs every number", token.start)
        for _ in found.facts:
            self.count(token)
        return [Cell(fact) for fact in found.facts]

    # References

    def starts_cell(self, token: Token) -> bool:
        return token.kind in ("table", "string", "placeholder") and self.scan.text.startswith("[", token.end)

    def reference(self, token: Token) -> tuple[Listing, bool]:
        """The cells of a reference, none where it is wrong; and whether it stands for a list."""
        table = self.filled("{" + token.text + "}", token.start) if token.kind == "placeholder" else token.text
        self.scan.expect("[")
        row, row_quoted, _ = self.scan.label(",]", self.filled)
        self.scan.expect(",")
        column, column_quoted, _ = self.scan.label("]", self.filled)
        closing = self.scan.expect("]")
        part = self.part(closing.end)
        every_row, every_column = _starred(row, row_quoted), _starred(column, column_quoted)
        facts = self.names.facts
        try:
            if every_row is not None and every_column is not None:
                raise UnknownFactError("one of row and column may be *, not both")
            if every_row is not None:
                return facts.column(table, column, part, every_row), True
            if every_column is not None:
                return facts.row(table, row, part, every_column), True
            return Listing((facts.cell(table, row, column, part),)), False
        except UnknownFactError as error:
            self.fault(str(error), token.start, absent=isinstance(error, NotAvailableError))
            return Listing(()), every_row is not None or every_column is not None

    def part(self, end: int) -> str | None:
        """The part behind a cell, which must follow without a space."""
        text = self.scan.text
        stop = end + 1
        while text.startswith(".", end) and stop < len(text) and (text[stop].isalnum() or text[stop] == "_"):
            stop += 1
        if stop == end + 1:
            return None
        self.scan.rewind(stop)
        return text[end + 1 : stop]

    def cell(self, find: Callable[[], Fact], start: int) -> Expression:
        try:
            return Cell(find())
        except UnknownFactError as error:
            self.fault(str(error), start, absent=isinstance(error, NotAvailableError))
            return Number(Fraction(0))

    def filled(self, text: str, start: int) -> str:
        result, missing = substituted(text, self.names.bindings)
        for name in missing:
            self.fault(f"nothing gives {{{name}}}{nearest(name, self.names.bindings)}", start)
        return result

    # Kinds and limits

    def fault(self, message: str, start: int, *, absent: bool = False) -> None:
        self.faults.append(_Fault(message, start, absent))

    def as_formula(self, node: Expression | Formula, start: int) -> Formula:
        if isinstance(node, Formula):
            return node
        token = self.scan.peek()
        hint = "; write == for equality" if token.is_sign("=") else ""
        raise FormulaError(f"expected a comparison, such as ==, found {shown(token)}{hint}", max(start, token.start))

    def as_expression(self, node: Expression | Formula, start: int) -> Expression:
        if isinstance(node, Expression):
            return node
        raise FormulaError("a value is needed here, and this is a comparison", start)

    def nested(self, inner: Callable[[], _Read]) -> _Read:
        if self.depth >= MAX_DEPTH:
            raise FormulaError(f"nested more than {MAX_DEPTH} deep", self.scan.peek().start)
        self.depth += 1
        result = inner()
        self.depth -= 1
        return result

    def count(self, token: Token) -> None:
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
