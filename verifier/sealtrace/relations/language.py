"""The language of formulas: text to formula.

formula    := conjunction { "or" conjunction }
conjunction:= atom { "and" atom }
atom       := "some" "integer" NAME "in" sum ".." sum ":" formula | "some" NAME "in" "[" end "," end "]" ":" formula
            | ORDER "(" list ")" | sum { COMPARISON sum } | sum "is" "a" "multiple" "of" sum
            | sum "is" "a" "mean" "of" sum "multiples" "of" sum | "(" formula ")"
sum        := product { ("+" | "-") product };  product := signed { ("*" | "/") signed };  signed := "-" signed | power
power      := value [ "^" INTEGER ];  value := NUMBER | NAME | cell | FUNCTION "(" list ")" | "(" sum ")"
cell       := TABLE "[" label "," label "]" [ "." PART ];  a label may be "*" or "* except a; b" inside a list
atom       |= sum "quotes" sum | ("all" | "each" | "none") loop formula | MARK "(" cell ")" | "same(" cell "," cell ")"
loop       := NAME "in" source [ "where" formula ] ":"
source     := ("rows" | "columns") "of" TABLE [ "except" label { ";" label } ] | list of cells | name of a set
value      |= "#" NUMBER of the quotation | AGGREGATE "(" loop sum ")" | "count(" loop formula ")" | "rows(" TABLE ")"
value      |= "stars(" cell ")"

What a list, a count, a rank or a test gives is computed while it is read, as an interval (`computing`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, TypeVar

from sealtrace.bundle.defects import nearest
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.cases import starting_box, value_of
from sealtrace.relations.computing import AGGREGATES, COMPUTED, MARKS, about, is_certain, negation
from sealtrace.relations.facts import Facts, Listing, NotAvailableError, UnknownFactError
from sealtrace.relations.intervals import EmptyError, Interval, TooLargeError
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
    all_of,
    walk,
)
from sealtrace.relations.work import spend

MAX_DEPTH = 40
MAX_TERMS = 5000
MAX_EXPONENT = 64
MAX_LITERAL = 60
RESERVED = frozenset({"and", "or", "some", "is", "in", "inf"})
NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
# A decimal up to the power of ten that is worth computing with.
_CONSTANT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?0*(?:[1-3]?[0-9]{1,2}|400))?")
_QUOTED = r'(?:[^"\\\n]|\\["\\])*'
_LOOP = r"[^\W\d]\w*"
_PLACEHOLDER = re.compile(rf"\{{({_LOOP})\}}")
_PLACE = (
    rf'\[\s*(?:"(?P<quoted_row>{_QUOTED})"|(?P<row>[^,\]\n]*))\s*,'
    rf'\s*(?:"(?P<quoted_column>{_QUOTED})"|(?P<column>[^\]\n]*))\s*\](?:\.(?P<part>\w+))?'
)
_WORD = re.compile(
    rf"""(?P<blank>\s*)(?:(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<cell>(?:(?P<table>(?!(?:{"|".join(RESERVED)})\[)[^\W\d]\w*(?::[^\s\[\](){{}},;"*+/=<>!]*)?|\{{{_LOOP}\}})(?=\[)
        |"(?P<quoted_table>{_QUOTED})")(?P<place>{_PLACE})?)
    |(?P<quoted>\#(?:[-+−<>≤≥~≈]?\d+(?:[.,]\d+)*(?:[eE×^]\S*|[KMB]\b|%|pp\b)?|[-+−]?\.\d+|[^\W\d]+(?:-[^\W\d]+)?)(?:@\d{{1,4}}(?!\d))?)
    |(?P<name>{NAME.pattern})|(?P<placeholder>\{{{_LOOP}\}})
    |(?P<sign>\.\.|==|!=|<=|>=|.)|(?P<end>\Z))""",
    re.VERBOSE | re.DOTALL,
)
_SOURCE = re.compile(
    r'(?P<axis>rows|columns)\s+of\s+(?P<table>"[^"]*"|\{\w+\}|[^\s\[\](){},;"*+/=<>!]+?)'
    r"(?:\s++except\s++(?P<out>.*?))?(?=\s{0,99}:\s|\s{1,99}where\b)",
    re.DOTALL,
)
_SPELT = {"≤": "<=", "≥": ">=", "≠": "!="}
_WHOLE_LISTS = frozenset({"sum", "mean"})
_OTHERS = ("rounded", "about", "same", "stars", "weighted", "rows", "columns")
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
class FormulaNames:
    """What a formula may speak of."""

    facts: Facts
    constants: Mapping[str, Fraction] = field(default_factory=dict)
    shared: Mapping[str, Shared] = field(default_factory=dict)
    bindings: dict[str, str] = field(default_factory=dict)
    """What stands for `{r}`, from the loops around."""
    quoted: Callable[[str], PrintedNumber] | None = None
    """The number that `#19.4` is, inside the quotation of a claim."""
    sets: Mapping[str, list[PrintedNumber]] = field(default_factory=dict)
    """Cells that a claim calls by one name."""
    read: Callable[[PrintedNumber], PrintedNumber] = lambda fact: fact
    """How a number is to be read, such as a unit in the last place wider."""
    used: dict[str, PrintedNumber] = field(default_factory=dict)
    """Every printed number that the formula speaks of, also inside what is computed from it."""
    literals: set[Fraction] = field(default_factory=set)
    """Numbers that stand in the formula itself."""
    lists: set[str] = field(default_factory=set)
    """Whole rows, columns and tables that it speaks of."""


class FormulaError(Exception):
    """A formula cannot be read on from here."""

    def __init__(self, message: str, start: int = 0) -> None:
        super().__init__(message)
        self.start = start


Locate = Callable[[int], tuple[int, int]]
"""Gives the line and the column of an offset in a text."""


def parse_formula(
    text: str, names: FormulaNames, source: str = "formula", locate: Locate = lambda offset: (1, offset + 1)
) -> tuple[Formula | None, list[Misreading]]:
    """The formula that a text states, or None with everything that is wrong with it."""
    parser = _Parser(text, names)
    formula: Formula | None = None
    try:
        formula = parser.part(Formula)
        parser.refuse("the end of the formula", unless=parser.word.kind == "end")
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
    match = re.fullmatch(_PLACE, text)
    if match is None:
        raise FormulaError("expected [row, column]")
    return _label(match, "row"), _label(match, "column")


def substituted(text: str, bindings: dict[str, str]) -> tuple[str, list[str]]:
    """A text with its placeholders filled in, and the names that nothing fills."""
    missing = [name for name in _PLACEHOLDER.findall(text) if name not in bindings]
    return _PLACEHOLDER.sub(lambda match: bindings.get(match.group(1), match.group()), text), missing


def _label(match: re.Match[str], part: str) -> str:
    """A table's name, or a label of a place, which may be quoted."""
    quoted = match[f"quoted_{part}"]
    return " ".join(match[part].split()) if quoted is None else re.sub(r"\\(.)", r"\1", quoted)


@dataclass(frozen=True)
class _Word:
    """One number, cell, name or sign."""

    kind: str
    text: str
    start: int
    match: re.Match[str]

    def says(self, *texts: str) -> bool:
        """Whether it is one of these words and signs."""
        return self.kind in ("name", "sign") and self.text in texts

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text[:40])


@lru_cache(maxsize=4)
def _words(text: str) -> list[_Word]:
    """The words of a text; a loop reads the same text again and again."""
    found = ((match.lastgroup or "end", match) for match in _WORD.finditer(text))
    return [_Word(kind, _SPELT.get(match[kind], match[kind]), match.end("blank"), match) for kind, match in found]


@dataclass(frozen=True)
class _Listed(Expression):
    """What a starred reference stands for; only a function takes it."""

    listing: Listing


def _joined(function: str, parts: list[Expression], links: list[str]) -> Node:
    """A sum or a product; the second sign turns the part behind it."""
    turned = (part if link == function else Call(link, (part,)) for link, part in zip(links, parts[1:], strict=True))
    return Call(function, (parts[0], *turned))


def _compared(parts: list[Expression], links: list[str]) -> Node:
    """A comparison, or a chain of them."""
    return all_of(*map(Comparison, links, parts, parts[1:]))


_LEVELS: tuple[tuple[tuple[str, ...], type[Node], Callable[[list[Any], list[str]], Node]], ...] = (
    (("or",), Formula, lambda parts, _links: Or(tuple(parts))),
    (("and",), Formula, lambda parts, _links: And(tuple(parts))),
    (OPERATORS, Expression, _compared),
    (("+", "-"), Expression, partial(_joined, "+")),
    (("*", "/"), Expression, partial(_joined, "*")),
)
"""Words and signs that join two or more parts, the loosest first: what they join, and what they make of it."""
_COMPARISON, _SUM = 2, 3


class _Parser:
    """Reads on behind a wrong reference; other mistakes end it."""

    def __init__(self, text: str, names: FormulaNames) -> None:
        self.names = names
        self.faults: list[tuple[str, int, bool]] = []
        """Message, place, and whether it is only that a cell says n/a."""
        self.scope: list[str] = []
        self.elements: dict[str, Expression] = {}
        """What the names of loops over cells stand for now."""
        self.text = text
        self.words = _words(text)
        self.place = self.depth = self.terms = 0

    # Words

    @property
    def word(self) -> _Word:
        """The next one."""
        return self.words[self.place]

    def take(self, *texts: str) -> _Word | None:
        """The next word if it is one of these."""
        word = self.word
        if not word.says(*texts):
            return None
        self.place += 1
        return word

    def expect(self, *texts: str) -> str:
        wanted = " or ".join(repr(text) if text.isalpha() else text for text in texts)
        self.refuse(wanted, unless=self.word.says(*texts))
        self.place += 1
        return self.words[self.place - 1].text

    def refuse(self, wanted: str, *, unless: bool = False) -> None:
        """An error at the next word, unless it is what was wanted."""
        if not unless:
            hint = "; write == for equality" if self.word.says("=") else ""
            raise FormulaError(f"expected {wanted}, found {self.word}{hint}", self.word.start)

    # Parts, and what joins them

    def node(self, level: int = 0) -> Node:
        """One part, or several that this level joins; what is in parentheses only what follows can tell."""
        if level == len(_LEVELS):
            return self.signed()
        signs, kind, join = _LEVELS[level]
        start = self.word.start
        first = self.node(level + 1)
        if level == _COMPARISON and self.take("is"):
            return self.multiple(self.checked(first, Expression, start))
        if level == _COMPARISON and self.take("quotes"):
            return self.quotes(self.checked(first, Expression, start), start)
        if not self.word.says(*signs):
            return first
        parts, links = [self.checked(first, kind, start)], []
        while link := self.take(*signs):
            links.append(link.text)
            parts.append(self.part(kind, level + 1))
        return join(parts, links)

    def part(self, kind: type[_Read], level: int = 0) -> _Read:
        """A part that must be a formula, or an expression."""
        start = self.word.start
        return self.checked(self.node(level), kind, start)

    def expression(self) -> Expression:
        return self.part(Expression, _SUM)

    def checked(self, node: Node, kind: type[_Read], start: int) -> _Read:
        if isinstance(node, _Listed) and kind is Expression:
            node = self.fault("a list of cells belongs inside sum, mean, min, max or an order", start)
        if isinstance(node, _Listed) or not isinstance(node, kind):
            self.refuse("a comparison, such as ==", unless=kind is Expression)
            raise FormulaError("a value is needed here, and this is a comparison", start)
        return node

    def nested(self, inner: Callable[[], _Read]) -> _Read:
        if self.depth >= MAX_DEPTH:
            raise FormulaError(f"nested more than {MAX_DEPTH} deep", self.word.start)
        self.depth += 1
        result = inner()
        self.depth -= 1
        return result

    def count(self, word: _Word, terms: int = 1) -> None:
        spend(terms)
        self.terms += terms
        if self.terms > MAX_TERMS:
            raise FormulaError(f"more than {MAX_TERMS} terms", word.start)

    def fault(self, message: str, start: int, *, absent: bool = False) -> Expression:
        """Notes what is wrong; the number stands in its place, so that the reading can go on."""
        self.faults.append((message, start, absent))
        return Number(Fraction(0))

    # Formulas

    def multiple(self, of: Expression) -> Formula:
        self.expect("a")
        repeats = None
        if self.expect("multiple", "mean") == "mean":
            self.expect("of")
            repeats = self.expression()
            self.expect("multiples")
        self.expect("of")
        return Multiple(of, self.expression(), repeats)

    def quotes(self, copy: Expression, start: int) -> Formula:
        """Two numbers print the same digits, at the coarser precision of the two."""
        original = self.expression()
        if not isinstance(copy, Given) or not isinstance(original, Given):
            raise FormulaError("quotes stands between two printed numbers", start)
        coarse, fine = sorted((copy.fact, original.fact), key=lambda fact: -fact.unit)
        room = Number(coarse.unit / 2)
        left, right = (Given(self.names.read(self.raw(fact).as_printed())) for fact in (coarse, fine))
        if coarse.unit == fine.unit:
            return Comparison("==", left, right)
        return all_of(Comparison("<=", left - room, right), Comparison("<=", right, left + room))

    def loop(self, each: Callable[[], _Read]) -> list[tuple[_Read, bool | None]]:
        """What stands behind `x in …:`, read once for each row, column or cell; and whether that one is meant."""
        name = self.word.text
        self.place += 1
        self.expect("in")
        elements = self.source()
        begin, found = self.place, list[tuple[_Read, bool | None]]()
        outside, inside = self.names.bindings, self.elements
        for element in elements:
            self.place, before = begin, len(self.faults)
            if isinstance(element, str):
                self.names.bindings = {**outside, name: element}
            else:
                self.elements = {**inside, name: element}
            meant = is_certain(self.part(Formula)) if self.take("where") else True
            self.expect(":")
            result = each()
            faults = self.faults[before:]
            if faults and all(absent for *_rest, absent in faults):
                # A cell that says n/a is no element.
                del self.faults[before:]
            elif meant is not False:
                found.append((result, meant))
        self.names.bindings, self.elements = outside, inside
        if not found:
            raise FormulaError("nothing is left to speak of here", self.words[begin].start)
        return found

    def source(self) -> list[str | Expression]:
        """What a loop goes over: labels of rows or columns, or cells."""
        start = self.word.start
        match = _SOURCE.match(self.text, start)
        if match is None:
            return [*self.items("count")]
        table = self.filled(match["table"].strip('"'), start)
        self.names.lists.add(f"{match['axis']} of {table}")
        facts = self.names.facts
        labels = (facts.rows if match["axis"] == "rows" else facts.columns)(table)
        out = [label.strip().strip('"') for label in (match["out"] or "").split(";") if label.strip()]
        if strange := next((label for label in out if label not in labels), None):
            raise FormulaError(f"{table} has no {match['axis'][:-1]} {strange!r}{nearest(strange, labels)}", start)
        while self.word.kind != "end" and self.word.start < match.end():
            self.place += 1
        rows = facts.rows(table) if match["axis"] == "columns" else ()
        named = min((facts.naming(table, row) for row in rows), default=0)
        return [label for label in labels[named:] if label not in out]

    def every(self, word: _Word) -> Formula:
        """`all x in …: formula`, or `none`."""
        found = self.loop(lambda: self.part(Formula))
        # What is only perhaps meant proves nothing.
        parts = [formula for formula, meant in found if meant]
        if word.text == "none":
            turned = [negation(part) for part in parts]
            parts = [part for part in turned if part is not None]
            if len(parts) < len(turned):
                raise FormulaError("none takes a comparison", word.start)
        return all_of(*parts) if parts else Comparison("==", Number(Fraction(0)), Number(Fraction(0)))

    def looped(self, word: _Word) -> Node:
        """`sum(x in …: value)`, `count(x in …: formula)`."""
        if word.text == "count":
            found = [(meant, is_certain(part)) for part, meant in self.loop(lambda: self.part(Formula))]
            surely = sum(meant is True and holds is True for meant, holds in found)
            perhaps = sum(holds is not False for _meant, holds in found)
            self.expect(")")
            return self.enclosed(word, Interval(Fraction(surely), Fraction(perhaps)), integer=True)
        parts = self.loop(self.expression)
        self.expect(")")
        if any(meant is None for _part, meant in parts):
            raise FormulaError("whether the condition holds depends on how numbers were rounded", word.start)
        return self.called(word, [part for part, _meant in parts])

    def enclosed(self, word: _Word, interval: Interval, *, integer: bool = False) -> Expression:
        """A value that was computed, as a number of its own within an interval."""
        name = " ".join(
            substituted(self.text[word.start : self.words[self.place - 1].match.end()], self.names.bindings)[0].split()
        )
        return Shared(name, Fraction(interval.low), Fraction(interval.high), integer)

    def given(self, fact: PrintedNumber) -> Given:
        """A printed number, read as it is to be read."""
        self.names.used[fact.plain_address] = fact
        return Given(self.names.read(fact))

    def raw(self, fact: PrintedNumber) -> PrintedNumber:
        """A number as it is printed, before it was read in another way."""
        return self.names.used.get(fact.plain_address, fact)

    def some(self) -> Formula:
        integer = self.take("integer") is not None
        word = self.word
        named = word.kind == "name" and word.text not in RESERVED and "." not in word.text
        self.refuse("a name for the unknown", unless=named)
        self.place += 1
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
        body = self.part(Formula)
        self.scope.pop()
        return Some(word.text, low, high, body, integer)

    def end(self) -> Expression | None:
        """One end of a range; None where it is infinite."""
        before = self.place
        self.take("-")
        if self.take("inf"):
            return None
        self.place = before
        return self.expression()

    # Expressions

    def signed(self) -> Node:
        negative = False
        while self.take("-"):
            negative = not negative
        start = self.word.start
        value = self.value()
        if self.take("^"):
            text = self.word.text
            whole = text.isdecimal() and len(text) < 3 and 1 <= int(text) <= MAX_EXPONENT
            self.refuse(f"an exponent from 1 to {MAX_EXPONENT}", unless=whole)
            self.place += 1
            value = self.checked(value, Expression, start) ** int(text)
        return -self.checked(value, Expression, start) if negative else value

    def value(self) -> Node:
        word = self.word
        self.refuse("a number, a name or a cell", unless=word.kind not in ("sign", "end") or word.text == "(")
        self.count(word)
        self.place += 1
        if word.kind in ("number", "placeholder"):
            text = self.filled(word.text, word.start)
            long = f"a number of {len(text)} characters" if len(text) > MAX_LITERAL else f"{text!r} is not a number"
            if (value := parse_constant(text)) is None:
                return self.fault(long, word.start)
            self.names.literals.add(value)
            return Number(value)
        if word.text == "(":
            inner = self.nested(self.node)
            self.expect(")")
            return inner
        if word.says("some"):
            return self.nested(self.some)
        if word.says("all", "each", "none") and self.loops():
            return self.nested(lambda: self.every(word))
        if self.take("("):
            return self.nested(
                lambda: self.looped(word) if word.says(*AGGREGATES) and self.loops() else self.call(word)
            )
        try:
            if word.kind == "quoted":
                if self.names.quoted is None:
                    raise UnknownFactError(f"{word.text} is a number of a quotation, and there is none here")
                return self.given(self.names.quoted(word.text))
            return self.reference(word) if word.kind == "cell" else self.named(word.text)
        except UnknownFactError as error:
            return self.fault(str(error), word.start, absent=isinstance(error, NotAvailableError))

    def loops(self) -> bool:
        """Whether `x in` stands next."""
        return self.word.kind == "name" and self.words[self.place + 1].says("in")

    def call(self, word: _Word) -> Node:
        name = word.text
        if name in ("rows", "columns"):
            return self.lines(name, word)
        if name == "count" and self.word.text in ("rows", "columns") and self.words[self.place + 1].says("of"):
            axis = self.word.text
            self.place += 2
            return self.lines(axis, word)
        arguments = self.items(name)
        split = len(arguments)
        while self.take(","):
            split = len(arguments)
            arguments += self.items(name)
        self.expect(")")
        if name == "weighted":
            return self.weighted(arguments[:split], arguments[split:], word)
        return self.called(word, arguments)

    def lines(self, axis: str, word: _Word) -> Expression:
        """How many rows or columns a table has."""
        table = self.text[self.word.start : self.text.find(")", self.word.start)].strip().strip('"')
        while not self.word.says(")") and self.word.kind != "end":
            self.place += 1
        self.expect(")")
        try:
            facts = self.names.facts
            found = facts.filled_rows(table) if axis == "rows" else len(facts.columns(table))
        except UnknownFactError as error:
            return self.fault(str(error), word.start)
        return self.given(counted(f"{axis}({table})", found))

    def weighted(self, values: list[Expression], weights: list[Expression], word: _Word) -> Expression:
        """A mean of values by their weights."""
        if len(values) != len(weights):
            return self.fault("weighted(values, weights) takes two lists of one length", word.start)
        products = (Call("*", pair) for pair in zip(values, weights, strict=True))
        return Call("sum", tuple(products)) / Call("sum", tuple(weights))

    def marked(self, name: str, arguments: list[Expression], word: _Word) -> Node:
        """Whether a cell is emphasized, how many stars it has, or whether two cells print the same text."""
        facts = [argument.fact for argument in arguments if isinstance(argument, Given)]
        if len(facts) != (2 if name == "same" else 1) or len(facts) < len(arguments):
            raise FormulaError(f"{name} takes {'two cells' if name == 'same' else 'one cell'}", word.start)
        address = f"{name}({', '.join(fact.plain_address for fact in facts)})"
        if name == "stars" and facts[0].table is None:
            raise FormulaError("stars stand in cells of tables", word.start)
        if name == "stars":
            return self.given(counted(address, self.names.facts.stars(facts[0])))
        if name == "same":
            agrees = facts[0].text.split() == facts[1].text.split()
        else:
            agrees = self.names.facts.mark(facts[0]) == {"bold": "best", "underlined": "second"}[name]
        found = counted(address, int(agrees), "yes" if agrees else "no")
        return Comparison("==", self.given(found), Number(Fraction(1)))

    def called(self, word: _Word, arguments: list[Expression]) -> Node:
        name, faults = word.text, len(self.faults)
        if name in ("rounded", "about"):
            match arguments:
                case [Given(fact)]:
                    raw = self.raw(fact)
                    return Given(self.names.read(raw.rounded() if name == "rounded" else about(raw)))
            return self.fault(f"{name}(…) takes one cell", word.start)
        if name in (*MARKS, "same", "stars"):
            return self.marked(name, arguments, word)
        if name in COMPUTED:
            return self.computed(word, arguments)
        if name not in FUNCTIONS and name not in ORDERS:
            known = [
                *FUNCTIONS,
                *ORDERS,
                *COMPUTED,
                *MARKS,
                "rounded",
                "about",
                "same",
                "stars",
                "weighted",
                "rows",
                "columns",
            ]
            return self.fault(f"no function {name!r}{nearest(name, known)}", word.start)
        least, most = FUNCTIONS.get(name, (2, None))
        if not least <= len(arguments) <= (most or MAX_TERMS) and len(self.faults) == faults:
            wanted = str(least) if least == most else f"{least} or more"
            few = f"{name} takes {wanted} arguments, not {len(arguments)}"
            self.fault(f"{name} needs a list of two or more" if name in ORDERS else few, word.start)
        return Ordered(name, tuple(arguments)) if name in ORDERS else Call(name, tuple(arguments))

    def computed(self, word: _Word, arguments: list[Expression]) -> Expression:
        """A function of which only an interval is known."""
        least, most, function = COMPUTED[word.text]
        if self.faults:
            return Number(Fraction(0))
        if not least <= len(arguments) <= (most or MAX_TERMS):
            wanted = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
            return self.fault(f"{word.text} takes {wanted} arguments, not {len(arguments)}", word.start)
        if unknown := next((node.name for one in arguments for node in walk(one) if isinstance(node, Unknown)), None):
            return self.fault(f"{word.text} is computed of printed numbers, and {unknown} is an unknown", word.start)
        try:
            given = [value_of(argument, starting_box(Comparison("==", argument, argument))) for argument in arguments]
            return self.enclosed(word, function(*given), integer=word.text in ("count", "rank"))
        except (ValueError, EmptyError, TooLargeError, OverflowError) as error:
            return self.fault(str(error) or f"{word.text} has no value here", word.start)

    def items(self, function: str) -> list[Expression]:
        """One argument, or the many that a starred cell stands for."""
        word = self.word
        found = self.node(_SUM)
        if not isinstance(found, _Listed):
            return [self.checked(found, Expression, word.start)]
        facts, missing = found.listing
        if missing and function in _WHOLE_LISTS:
            self.fault(f"{missing[0]} says n/a: {function} needs every number", word.start)
        self.count(word, len(facts))
        return list(map(self.given, facts))

    # References

    def named(self, name: str) -> Expression:
        facts, constants, shared = self.names.facts, self.names.constants, self.names.shared
        owner, _, part = name.rpartition(".")
        if name in self.scope:
            return Unknown(name)
        if name in self.elements:
            return self.elements[name]
        if name in self.names.sets:
            self.names.lists.add(name)
            return _Listed((self.names.sets[name], []))
        if name in constants:
            return Number(constants[name], name)
        if name in shared:
            return shared[name]
        if name in facts.declared or owner in facts.declared:
            return self.given(facts.named(name) if name in facts.declared else facts.named(owner, part))
        if (found := facts.text_number(name)) is not None:
            return self.given(found)
        known = [*self.scope, *self.elements, *self.names.sets, *constants, *shared, *facts.declared]
        raise UnknownFactError(f"{name!r} is not known{nearest(name, known)}")

    def reference(self, word: _Word) -> Expression:
        """The cell, or the cells, at an address."""
        if word.match["place"] is None:
            raise FormulaError("expected [row, column] behind the name of a table", word.start)
        table, row, column = (_label(word.match, part) for part in ("table", "row", "column"))
        table = self.filled(table, word.start) if word.match["quoted_table"] is None else table
        row, column = self.filled(row, word.start), self.filled(column, word.start)
        facts, part = self.names.facts, word.match["part"]
        rows = _starred(row) if word.match["quoted_row"] is None else None
        columns = _starred(column) if word.match["quoted_column"] is None else None
        if rows is not None and columns is not None:
            raise UnknownFactError("one of row and column may be *, not both")
        if rows is not None or columns is not None:
            self.names.lists.add(f"{table}[{row}, {column}]")
        if rows is not None:
            return _Listed(facts.column(table, column, part, rows))
        if columns is not None:
            return _Listed(facts.row(table, row, part, columns))
        return self.given(facts.cell(table, row, column, part))

    def filled(self, text: str, start: int) -> str:
        result, missing = substituted(text, self.names.bindings)
        for name in missing:
            self.fault(f"nothing gives {{{name}}}{nearest(name, self.names.bindings)}", start)
        return result


def counted(address: str, value: int, text: str | None = None) -> PrintedNumber:
    """Something that the paper shows without printing a number: how many rows, whether a cell is bold."""
    exact = Fraction(value)
    return PrintedNumber(text or str(value), exact, Fraction(1), interval=(exact, exact), address=address)


def _starred(label: str) -> list[str] | None:
    """What a star leaves out; None where the label is no star."""
    word, *rest = label.removeprefix("*").split(maxsplit=1) or [""]
    if not label.startswith("*") or word not in ("", "except"):
        return None
    return [out.strip().strip('"') for out in " ".join(rest).split(";")] if word else []
