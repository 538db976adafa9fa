"""Relations files: constants, numbers of the running text, rules of printing, and relations with their loops.

    # a comment
    let zeta = 0.05 from section 4
    fact abstract.weak = 4.4936 at 62
    unknown w in [0, 1]
    unknown integer n in 100..200
    print tab:x[*, ms] rounded
    relation name
      says    What it says.
      because the place that implies it
      assumes what a contradiction needs besides
      for r in tab:x
      holds   tab:x[{r}, a] == tab:x[{r}, b] / 2
      repaired by another denominator: some integer n in 500..520: …
      ask     Which denominator was used?

A line that is indented further than the lines of its relation continues the one above.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product

from sealtrace.bundle.defects import nearest
from sealtrace.paper.number_grammar import Rule
from sealtrace.relations.decision import Claim
from sealtrace.relations.facts import Facts, UnknownFactError
from sealtrace.relations.language import (
    NAME,
    RESERVED,
    FormulaError,
    FormulaNames,
    Locate,
    Misreading,
    parse_constant,
    parse_place,
    substituted,
)
from sealtrace.relations.stored import claim_of
from sealtrace.relations.syntax import Shared
from sealtrace.relations.work import OutOfWorkError, Work, spend

MAX_CLAIMS = 5000
MAX_CHARACTERS = 2_000_000
MAX_LINE = 20_000
MAX_PROBLEMS = 1000
MAX_STEPS = 1_000_000
"""Terms, and tens of letters, of all relations of a file with their loops: some ten seconds."""
_DECLARED = re.compile(rf"({NAME.pattern})\s*=\s*(.*)")
_FACT = re.compile(rf"({NAME.pattern})\s*=\s*+((?:.*?\S)??)\s++at\s+(?:(\S+):)?(\d{{1,7}})")
_RANGE = re.compile(rf"(integer\s+)?({NAME.pattern})\s++in\s++(?:\[(?>(.+?),)(.+?)\]|(?>(.+?)\.\.)(.+))")
_LOOP = re.compile(r"([^\W\d]\w*)\s+in\s+(.*)", re.DOTALL)
_PRINTED = re.compile(r'("[^"]*"|[^\[\s]+)(\[.*\])?(?:\.(\w+))?\s+(\w+)')
_ONCE = ("says", "because", "holds", "ask")
_KEYS = ("says", "because", "assumes", "for", "holds", "repaired", "ask")


@dataclass
class Reading:
    """What a relations file says."""

    claims: list[Claim] = field(default_factory=list)
    problems: list[Misreading] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """Instances of loops that speak of a cell that says n/a: their names, and that cell."""
    constants: dict[str, Fraction] = field(default_factory=dict)
    shared: dict[str, Shared] = field(default_factory=dict)


@dataclass
class _Passage:
    """A key's text, with the place of each of its lines."""

    key: str
    text: str
    starts: list[tuple[int, int, int]]
    """Offset in the text, line and column in the file."""

    def locate(self, offset: int, skipped: int = 0) -> tuple[int, int]:
        """Line and column of an offset behind what is skipped."""
        offset += skipped
        start, line, column = max(begin for begin in self.starts if begin[0] <= offset)
        return line, column + offset - start


@dataclass
class _RelationsBlock:
    """A relation as written."""

    name: str
    line: int
    passages: list[_Passage] = field(default_factory=list)

    def all(self, key: str) -> list[_Passage]:
        return [passage for passage in self.passages if passage.key == key]

    def text(self, key: str) -> str:
        return next((passage.text for passage in self.all(key)), "")


def read_relations(text: str, source: str, facts: Facts) -> Reading:
    """The claims of a relations file, or everything that is wrong with it; its facts and rules are added to `facts`."""
    reader = _RelationsReader(source, facts)
    if len(text) > MAX_CHARACTERS:
        reader.problem(f"more than {MAX_CHARACTERS} characters", 1)
        return reader.reading
    reader.read(text)
    return reader.reading


class _RelationsReader:
    def __init__(self, source: str, facts: Facts) -> None:
        self.source = source
        self.facts = facts
        self.reading = Reading()
        self.blocks: list[_RelationsBlock] = []
        self.prints: list[tuple[str, int]] = []

    def problem(self, message: str, line: int, column: int = 1) -> None:
        found = Misreading(message, self.source, line, column)
        if len(self.reading.problems) < MAX_PROBLEMS and found not in self.reading.problems:
            self.reading.problems.append(found)

    def read(self, text: str) -> None:
        inner: int | None = None
        for number, line in enumerate(text.split("\n"), 1):
            stripped = line.strip()
            if len(line) > MAX_LINE:
                self.problem(f"a line of more than {MAX_LINE} characters", number)
                continue
            if not stripped or stripped.startswith("#"):
                continue
            indent = len(line) - len(line.lstrip())
            if not indent:
                inner = None
                self.top(stripped, number)
            elif not self.blocks:
                self.problem("an indented line outside a relation", number, indent + 1)
            elif inner is None or indent <= inner:
                inner = indent if inner is None else inner
                self.key(stripped, number, indent)
            else:
                passage = self.blocks[-1].passages[-1]
                passage.starts.append((len(passage.text) + 1, number, indent + 1))
                passage.text += "\n" + stripped
        for place, number in self.prints:
            self.declared(self.print_rule, place, number)
        names: set[str] = set()
        with Work(MAX_STEPS):
            for block in self.blocks:
                if block.name in names:
                    self.problem(f"a second relation named {block.name!r}", block.line)
                names.add(block.name)
                try:
                    self.expand(block)
                except OutOfWorkError:
                    over = "its loops make it too long" if block.all("for") else "the file is too long"
                    self.problem(f"relation {block.name!r}: {over}; more cannot be read in time", block.line)
                    break
        self.reading.problems.sort(key=lambda problem: (problem.line, problem.column))

    # Declarations

    def top(self, line: str, number: int) -> None:
        word, *words = line.split()
        rest = " ".join(words)
        declarations = {"let": self.let, "fact": self.fact, "unknown": self.unknown}
        if word in declarations:
            self.declared(declarations[word], rest, number)
        elif word == "print":
            # It may be of a fact that is declared further down.
            self.prints.append((rest, number))
        elif word == "relation":
            if not rest:
                self.problem("a relation needs a name", number)
            self.blocks.append(_RelationsBlock(rest or f"line {number}", number))
        else:
            known = [*declarations, "print", "relation"]
            self.problem(f"{word[:40]!r} starts nothing here{nearest(word, known)}", number)

    def declared(self, declare: Callable[[str], None], rest: str, number: int) -> None:
        try:
            declare(rest)
        except (UnknownFactError, FormulaError) as error:
            self.problem(str(error), number)

    def let(self, rest: str) -> None:
        match = _DECLARED.fullmatch(rest)
        value = parse_constant(match.group(2).partition(" from ")[0]) if match else None
        if match is None or value is None:
            raise FormulaError("expected: let NAME = a decimal or a ratio [from PLACE]")
        self.reading.constants[self.free(match.group(1))] = value

    def fact(self, rest: str) -> None:
        match = _FACT.fullmatch(rest)
        if match is None:
            raise FormulaError("expected: fact NAME = NUMBER at LINE, or at FILE:LINE")
        name, literal, source, line = match.groups()
        self.facts.declare(self.free(name), literal, int(line), source)

    def unknown(self, rest: str) -> None:
        match = _RANGE.fullmatch(rest)
        integer = bool(match and match.group(1))
        if match is None or integer != (match.group(5) is not None):
            raise FormulaError("expected: unknown NAME in [A, B], or: unknown integer NAME in A..B")
        ends: list[Fraction | None] = []
        for text in map(str.strip, match.group(5, 6) if integer else match.group(3, 4)):
            ends.append(None if text in ("inf", "-inf") else parse_constant(text))
            if ends[-1] is None and text not in ("inf", "-inf"):
                raise FormulaError(f"{text!r} is not a number")
        name = self.free(match.group(2))
        self.reading.shared[name] = Shared(name, ends[0], ends[1], integer)

    def free(self, name: str) -> str:
        """The name, if nothing else has it."""
        if name in self.reading.constants or name in self.reading.shared or name in self.facts.declared:
            raise FormulaError(f"{name!r} is declared twice")
        if name in RESERVED:
            raise FormulaError(f"{name!r} is a word of the language")
        return name

    def print_rule(self, rest: str) -> None:
        match = _PRINTED.fullmatch(rest)
        if match is None or match.group(4) not in list(Rule):
            raise FormulaError(f"expected: print PLACE and one of {', '.join(Rule)}")
        row, column = parse_place(match.group(2)) if match.group(2) else ("*", "*")
        self.facts.print_as(Rule(match.group(4)), match.group(1).strip('"'), row, column, match.group(3))

    # Relations

    def key(self, line: str, number: int, indent: int) -> None:
        word, _, rest = line.partition(" ")
        offset = len(word)
        if word == "repaired" and rest.lstrip().startswith("by "):
            offset = line.index("by ", offset) + 2
        elif word not in _KEYS or word == "repaired":
            self.problem(f"{word[:40]!r} is no line of a relation{nearest(word, _KEYS)}", number, indent + 1)
            word = ""
        text = line[offset:].lstrip()
        if word in _ONCE and self.blocks[-1].all(word):
            self.problem(f"a second {word!r} in one relation", number, indent + 1)
        self.blocks[-1].passages.append(_Passage(word, text, [(0, number, indent + 1 + len(line) - len(text))]))

    def expand(self, block: _RelationsBlock) -> None:
        missing = [key for key in ("says", "because", "holds") if not block.text(key)]
        if missing:
            self.problem(f"relation {block.name!r} has no line {' and no line '.join(map(repr, missing))}", block.line)
        loops = [loop for passage in block.all("for") if (loop := self.loop(passage)) is not None]
        if missing or len(loops) < len(block.all("for")):
            return
        size = math.prod(len(labels) for _, labels in loops)
        if size + len(self.reading.claims) > MAX_CLAIMS:
            self.problem(f"relation {block.name!r} makes {size} relations; {MAX_CLAIMS} are allowed", block.line)
            return
        for labels in product(*(labels for _, labels in loops)):
            if len(self.reading.problems) >= MAX_PROBLEMS:
                return
            self.bind(block, dict(zip((name for name, _ in loops), labels, strict=True)))

    def loop(self, passage: _Passage) -> tuple[str, list[str]] | None:
        match = _LOOP.fullmatch(passage.text)
        if match is None:
            self.problem("expected: for NAME in TABLE, in columns of TABLE, or in [a; b; c]", *passage.locate(0))
            return None
        over, _, out = match.group(2).strip().partition(" except ")
        over = over.strip()
        if over.startswith("[") and over.endswith("]"):
            return match.group(1), _labels(over[1:-1])
        without = _labels(out) if out else []
        table = over.removeprefix("columns of ").strip().strip('"')
        try:
            labels = (self.facts.columns if over.startswith("columns of ") else self.facts.rows)(table)
        except UnknownFactError as error:
            self.problem(str(error), *passage.locate(match.start(2)))
            return None
        if strange := next((label for label in without if label not in labels), None):
            message = f"{table} has nothing labelled {strange!r}{nearest(strange, labels)}"
            self.problem(message, *passage.locate(match.start(2)))
            return None
        return match.group(1), [label for label in labels if label not in without]

    def bind(self, block: _RelationsBlock, bindings: dict[str, str]) -> None:
        """One relation, with labels in the places of its loops' names."""

        def filled(text: str) -> str:
            return substituted(" ".join(text.split()), bindings)[0]

        spend(sum(len(passage.text) for passage in block.passages) // 10)
        (passage,) = block.all("holds")[:1]
        places: list[Locate] = [passage.locate]
        repairs = []
        for repaired in block.all("repaired"):
            says, colon, text = repaired.text.partition(":")
            if colon:
                repairs.append({"says": filled(says), "formula": text})
                places.append(partial(repaired.locate, skipped=len(says) + 1))
            else:
                self.problem("expected: repaired by NAME: FORMULA", *repaired.locate(0))
        name = f"{block.name} ({', '.join(bindings.values())})" if bindings else block.name
        record: dict[str, object] = {
            "relation": name,
            "formula": passage.text,
            "sentence": filled(block.text("says")),
            "source": filled(block.text("because")),
            "assumes": [filled(assumption.text) for assumption in block.all("assumes")],
            "question": filled(block.text("ask")) or None,
            "repairs": repairs,
        }
        names = FormulaNames(self.facts, self.reading.constants, self.reading.shared, bindings)
        claim, problems = claim_of(record, names, self.source, block.line, places)
        if claim is not None:
            self.reading.claims.append(claim)
        elif bindings and all(problem.absent for problem in problems):
            self.reading.left_out.append((name, problems[0].message))
        else:
            for problem in problems:
                self.problem(problem.message, problem.line, problem.column)


def _labels(listed: str) -> list[str]:
    return [label.strip().strip('"') for label in listed.split(";")]
