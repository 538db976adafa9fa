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

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar, cast

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
    Shared,
    Some,
    Unknown,
)

MAX_DEPTH = 40
MAX_TERMS = 5000
MAX_EXPONENT = 64
MAX_LITERAL = 60
RESERVED = frozenset({"and", "or", "some", "is", "in", "inf"})
NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
# A decimal up to the power of ten that is worth computing with.
_CONSTANT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?0*(?:[1-3]?[0-9]{1,2}|400))?")
_STRING = r'"((?:[^"\\\n]|\\["\\])*)"'
_PLACEHOLDER = re.compile(r"\{([^\W\d]\w*)\}")
_WORD = re.compile(
    rf"""\s*(?:(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<table>(?!(?:{"|".join(RESERVED)})\[)[^\W\d]\w*(?::[^\s\[\](){{}},;"*+/=<>!]*)?(?=\[))
    |(?P<name>{NAME.pattern})|{_PLACEHOLDER.pattern.replace("(", "(?P<placeholder>", 1)}
    |{_STRING.replace("(", "(?P<string>", 1)}
    |(?P<sign>\.\.|==|!=|<=|>=|.)|(?P<end>\Z))""",
    re.VERBOSE | re.DOTALL,
)
_PLACE = re.compile(rf"\[\s*(?:{_STRING}\s*|([^,\]\n]*)\s*),\s*(?:{_STRING}\s*|([^\]\n]*)\s*)\](?:\.(\w+))?")
_SPELT = {"≤": "<=", "≥": ">=", "≠": "!="}
_WHOLE_LISTS = frozenset({"sum", "mean"})
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Misreading:
    """One thing that cannot be read, and where it stands."""

    message: str
    source: str
    line: int
    column: int = 1
    absent: bool = False
    """Whether it is only that a cell says n/a: a loop may pass over it."""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}: {self.message}"


@dataclass
class Names:
    """What a formula may speak of."""

    facts: Facts
    constants: Mapping[str, Fraction] = field(default_factory=dict)
    shared: Mapping[str, Shared] = field(default_factory=dict)
    bindings: dict[str, str] = field(default_factory=dict)
    """What stands for `{r}`, from the loops around."""


class FormulaError(Exception):
    """A formula cannot be read on from here."""

    def __init__(self, message: str, start: int = 0) -> None:
        super().__init__(message)
        self.start = start


Locate = Callable[[int], tuple[int, int]]
"""Gives the line and the column of an offset in a text."""


def parse_formula(
    text: str, names: Names, source: str = "formula", locate: Locate = lambda offset: (1, offset + 1)
) -> tuple[Formula | None, list[Misreading]]:
    """The formula that a text states, or None with everything that is wrong with it."""
    parser = _Parser(text, names)
    formula: Formula | None = None
    try:
        formula = parser.formula()
        parser.refuse("the end of the formula", unless=parser.peek().kind == "end")
    except FormulaError as error:
        parser.fault(str(error), error.start)
    problems = [Misreading(message, source, *locate(start), absent) for message, start, absent in parser.faults]
    return (formula if not problems else None), problems


def parse_constant(text: str) -> Fraction | None:
    """A decimal or a ratio, exactly; None where it is neither or too long."""
    numbers = [number.strip() for number in text.split("/")]
    if len(numbers) > 2 or not all(_CONSTANT.fullmatch(number) and len(number) <= MAX_LITERAL for number in numbers):
        return None
    value, *below = map(Fraction, numbers)
    return value if not below else value / below[0] if below[0] else None


def parse_place(text: str) -> tuple[str, str]:
    """The labels of `[row, column]`."""
    match = _PLACE.fullmatch(text)
    if match is None:
        raise FormulaError("expected [row, column]")
    return _label(match, 1)[0], _label(match, 3)[0]


def substituted(text: str, bindings: dict[str, str]) -> tuple[str, list[str]]:
    """A text with its placeholders filled in, and the names that nothing fills."""
    missing = [name for name in _PLACEHOLDER.findall(text) if name not in bindings]
    return _PLACEHOLDER.sub(lambda match: bindings.get(match.group(1), match.group()), text), missing


def _label(match: re.Match[str], group: int) -> tuple[str, bool]:
    """A label of a place, and whether it was quoted."""
    quoted, plain = match.group(group), match.group(group + 1)
    return (" ".join(plain.split()), False) if quoted is None else (_unquoted(quoted), True)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


class _Word(NamedTuple):
    """One word, number or sign."""

    kind: str
    text: str
    start: int
    end: int

    def says(self, *texts: str) -> bool:
        """Whether it is one of these words and signs."""
        return self.kind in ("name", "sign") and self.text in texts

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text[:40])


@dataclass(frozen=True)
class _Listed(Expression):
    """What a starred reference stands for; only a function takes it."""

    listing: Listing


class _Parser:
    """Reads on behind a wrong reference; other mistakes end it."""

    def __init__(self, text: str, names: Names) -> None:
        self.text = text
        self.names = names
        self.faults: list[tuple[str, int, bool]] = []
        """Message, place, and whether it is only that a cell says n/a."""
        self.scope: list[str] = []
        self.depth = self.terms = self.place = 0
        self._ahead: _Word | None = None

    # Words

    def peek(self) -> _Word:
        if self._ahead is None:
            match = _WORD.match(self.text, self.place)
            assert match is not None
            kind = match.lastgroup or "end"
            start = match.start(kind) - (kind in ("string", "placeholder"))
            if kind == "number" and match.end() - start > MAX_LITERAL:
                raise FormulaError(f"a number of {match.end() - start} characters", start)
            text = _unquoted(match[kind]) if kind == "string" else _SPELT.get(match[kind], match[kind])
            self._ahead = _Word(kind, text, start, match.end())
        return self._ahead

    def go(self, place: int) -> None:
        self.place, self._ahead = place, None

    def next(self) -> _Word:
        word = self.peek()
        self.go(word.end)
        return word

    def take(self, *texts: str) -> _Word | None:
        """The next word if it is one of these."""
        return self.next() if self.peek().says(*texts) else None

    def expect(self, *texts: str) -> _Word:
        wanted = " or ".join(repr(text) if text.isalpha() else text for text in texts)
        self.refuse(wanted, unless=self.peek().says(*texts))
        return self.next()

    def refuse(self, wanted: str, *, unless: bool = False) -> None:
        """An error at the next word, unless it is what was wanted."""
        word = self.peek()
        if not unless:
            hint = "; write == for equality" if word.says("=") else ""
            raise FormulaError(f"expected {wanted}, found {word}{hint}", word.start)

    # Formulas

    def formula(self) -> Formula:
        return self.as_formula(self.either(), 0)

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
        if not self.peek().says(*links):
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
        if not self.peek().says(*OPERATORS):
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
        word = self.peek()
        named = word.kind == "name" and word.text not in RESERVED and "." not in word.text
        self.refuse("a name for the unknown", unless=named)
        self.next()
        self.expect("in")
        low: Expression | None
        high: Expression | None
        if integer:
            low, _, high = self.expression(), self.expect(".."), self.expression()
        else:
            self.expect("[")
            low, _, high, _ = self.end(), self.expect(","), self.end(), self.expect("]")
        self.expect(":")
        self.scope.append(word.text)
        body = self.formula()
        self.scope.pop()
        return Some(word.text, low, high, body, integer)

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
        while word := self.take("-"):
            negative = not negative
            self.count(word)
        start = self.peek().start
        value = self.value()
        if self.take("^"):
            word = self.peek()
            whole = word.kind == "number" and word.text.isdecimal() and 1 <= int(word.text) <= MAX_EXPONENT
            self.refuse(f"an exponent from 1 to {MAX_EXPONENT}", unless=whole)
            value = self.as_expression(value, start) ** int(self.next().text)
        return -self.as_expression(value, start) if negative else value

    def value(self) -> Node:
        word = self.peek()
        self.refuse("a number, a name or a cell", unless=word.kind not in ("sign", "end") or word.text == "(")
        self.count(self.next())
        if word.kind in ("table", "string") or (word.kind == "placeholder" and self.text[word.end :][:1] == "["):
            return self.reference(word)
        if word.kind in ("number", "placeholder"):
            text = word.text if word.kind == "number" else self.filled("{" + word.text + "}", word.start)
            value = parse_constant(text)
            return self.fault(f"{text[:40]!r} is not a number", word.start) if value is None else Number(value)
        if word.text == "(":
            inner = self.nested(self.either)
            self.expect(")")
            return inner
        return self.nested(lambda: self.call(word)) if self.take("(") else self.named(word.text, word.start)

    def named(self, name: str, start: int) -> Expression:
        facts, declared = self.names.facts, self.names.facts.declared
        if name in self.scope:
            return Unknown(name)
        if name in self.names.constants:
            return Number(self.names.constants[name], name)
        if name in self.names.shared:
            return self.names.shared[name]
        owner, _, part = name.rpartition(".")
        if name in declared:
            return self.found(lambda: Given(facts.named(name)), start)
        if owner in declared:
            return self.found(lambda: Given(facts.named(owner, part)), start)
        known = [*self.scope, *self.names.constants, *self.names.shared, *declared]
        return self.fault(f"{name!r} is not known{nearest(name, known)}", start)

    def call(self, word: _Word) -> Node:
        name, faults = word.text, len(self.faults)
        arguments = self.items(name)
        while self.take(","):
            arguments += self.items(name)
        self.expect(")")
        if name == "rounded":
            match arguments:
                case [Given(fact)]:
                    return Given(fact.rounded())
            return self.fault("rounded(…) takes one cell", word.start)
        if name not in FUNCTIONS and name not in ORDERS:
            return self.fault(f"no function {name!r}{nearest(name, [*FUNCTIONS, *ORDERS, 'rounded'])}", word.start)
        least, most = FUNCTIONS.get(name, (2, None))
        if not least <= len(arguments) <= (most or MAX_TERMS) and len(self.faults) == faults:
            wanted = str(least) if least == most else f"{least} or more"
            few = f"{name} takes {wanted} arguments, not {len(arguments)}"
            self.fault(f"{name} needs a list of two or more" if name in ORDERS else few, word.start)
        return Ordered(name, tuple(arguments)) if name in ORDERS else Call(name, tuple(arguments))

    def items(self, function: str) -> list[Expression]:
        """One argument, or the many that a starred cell stands for."""
        word = self.peek()
        found = self.sum()
        if not isinstance(found, _Listed):
            return [self.as_expression(found, word.start)]
        facts, missing = found.listing
        if missing and function in _WHOLE_LISTS:
            self.fault(f"{missing[0]} says n/a: {function} needs every number", word.start)
        self.count(word, len(facts))
        return list(map(Given, facts))

    # References

    def reference(self, word: _Word) -> Expression:
        """The cell, or the cells, at an address."""
        table = self.filled("{" + word.text + "}", word.start) if word.kind == "placeholder" else word.text
        match = _PLACE.match(self.text, word.end)
        if match is None:
            raise FormulaError("expected [row, column] behind the name of a table", word.start)
        self.go(match.end())
        labels = [_label(match, group) for group in (1, 3)]
        row, column = (self.filled(label, word.start) for label, _ in labels)
        starred = [_starred(label, quoted) for label, (_, quoted) in zip((row, column), labels, strict=True)]

        def find() -> Expression:
            facts, part = self.names.facts, match[5]
            match starred:
                case [None, None]:
                    return Given(facts.cell(table, row, column, part))
                case [list() as without, None]:
                    return _Listed(facts.column(table, column, part, without))
                case [None, list() as without]:
                    return _Listed(facts.row(table, row, part, without))
            raise UnknownFactError("one of row and column may be *, not both")

        return self.found(find, word.start)

    def found(self, find: Callable[[], Expression], start: int) -> Expression:
        try:
            return find()
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

    def as_formula(self, node: Node, _start: int) -> Formula:
        if not isinstance(node, Formula):
            self.refuse("a comparison, such as ==")
        return cast("Formula", node)

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

    def count(self, word: _Word, terms: int = 1) -> None:
        self.terms += terms
        if self.terms > MAX_TERMS:
            raise FormulaError(f"more than {MAX_TERMS} terms", word.start)


def _starred(label: str, quoted: bool) -> list[str] | None:
    """What a star leaves out; None where the label is no star."""
    if quoted or not label.startswith("*"):
        return None
    word, *rest = label[1:].split(maxsplit=1) or [""]
    if not word:
        return []
    return [out.strip().strip('"') for out in " ".join(rest).split(";")] if word == "except" else None
