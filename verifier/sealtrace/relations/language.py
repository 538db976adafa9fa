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

from sealtrace.relations.expressions import ExpressionParser, Names, parse_constant
from sealtrace.relations.problems import Problem
from sealtrace.relations.scanner import RESERVED, FormulaError, shown
from sealtrace.relations.syntax import (
    OPERATORS,
    And,
    Comparison,
    Expression,
    Formula,
    Multiple,
    Or,
    SomeInteger,
    SomeReal,
)

__all__ = ["Names", "parse_constant", "parse_formula"]


def _from_start(offset: int) -> tuple[int, int]:
    return 1, offset + 1


def parse_formula(
    text: str, names: Names, source: str = "formula", locate: Callable[[int], tuple[int, int]] = _from_start
) -> tuple[Formula | None, list[Problem]]:
    """The formula that a text states, or None with everything that is wrong with it."""
    parser = _FormulaParser(text, names)
    formula: Formula | None = None
    try:
        formula = parser.whole()
    except FormulaError as error:
        parser.fault(error.message, error.start)
    problems = [Problem(fault.message, source, *locate(fault.start), fault.absent) for fault in parser.faults]
    return (formula if not problems else None), problems


class _FormulaParser(ExpressionParser):
    def whole(self) -> Formula:
        formula = self.formula()
        token = self.scan.peek()
        if token.kind != "end":
            hint = "; write == for equality" if token.is_sign("=") else ""
            raise FormulaError(f"expected the end of the formula, found {shown(token)}{hint}", token.start)
        return formula

    # Formulas

    def formula(self) -> Formula:
        start = self.scan.peek().start
        return self.as_formula(self.either(), start)

    def either(self) -> Expression | Formula:
        """A formula, or an expression in parentheses that only what follows can tell from one."""
        return self.joined("or", Or, lambda: self.joined("and", And, self.atom))

    def joined(
        self, word: str, kind: type[And] | type[Or], inner: Callable[[], Expression | Formula]
    ) -> Expression | Formula:
        start = self.scan.peek().start
        first = inner()
        if not self.scan.peek().is_word(word):
            return first
        parts = [self.as_formula(first, start)]
        while self.scan.word(word):
            start = self.scan.peek().start
            parts.append(self.as_formula(inner(), start))
        return kind(tuple(parts))

    def atom(self) -> Expression | Formula:
        if self.scan.word("some"):
            return self.nested(self.some)
        start = self.scan.peek().start
        first = self.sum()
        token = self.scan.peek()
        if token.is_word("is"):
            return self.multiple(self.as_expression(first, start))
        if not token.is_sign(*OPERATORS):
            return first
        left = self.as_expression(first, start)
        chain: list[Formula] = []
        while operator := self.scan.take(*OPERATORS):
            start = self.scan.peek().start
            right = self.as_expression(self.sum(), start)
            chain.append(Comparison(operator.text, left, right))
            left = right
        return chain[0] if len(chain) == 1 else And(tuple(chain))

    def some(self) -> Formula:
        integer = self.scan.word("integer") is not None
        token = self.scan.next()
        if token.kind != "name" or token.text in RESERVED or "." in token.text:
            raise FormulaError(f"expected a name for the unknown, found {shown(token)}", token.start)
        name = token.text
        self.scan.expect_word("in")
        if integer:
            low: Expression | None = self.expression()
            self.scan.expect("..")
            high: Expression | None = self.expression()
        else:
            self.scan.expect("[")
            low = self.end()
            self.scan.expect(",")
            high = self.end()
            self.scan.expect("]")
        self.scan.expect(":")
        self.scope.append(name)
        body = self.formula()
        self.scope.pop()
        if integer:
            assert low is not None
            assert high is not None
            return SomeInteger(name, low, high, body)
        return SomeReal(name, low, high, body)

    def end(self) -> Expression | None:
        """One end of a range; None where it is infinite."""
        before = self.scan.place
        self.scan.take("-")
        if self.scan.word("inf"):
            return None
        self.scan.rewind(before)
        return self.expression()

    def multiple(self, of: Expression) -> Formula:
        self.scan.expect_word("is")
        self.scan.expect_word("a")
        repeats = None
        if self.scan.expect_word("multiple", "mean").text == "mean":
            self.scan.expect_word("of")
            repeats = self.expression()
            self.scan.expect_word("multiples")
        self.scan.expect_word("of")
        return Multiple(of, self.expression(), repeats)
