"""Words of formulas: numbers, names, signs and labels, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from sealtrace.relations.facts import Facts
from sealtrace.relations.syntax import Shared

MAX_LITERAL = 60
RESERVED = frozenset({"and", "or", "some", "is", "in", "inf"})
NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
# A decimal up to the power of ten that is worth computing with.
_CONSTANT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?0*(?:[1-3]?[0-9]{1,2}|400))?")
_STRING = r'"((?:[^"\\\n]|\\["\\])*)"'
PLACEHOLDER = re.compile(r"\{([^\W\d]\w*)\}")
_WORD = re.compile(
    rf"""\s*(?:(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<table>(?!(?:{"|".join(RESERVED)})\[)[^\W\d]\w*(?::[^\s\[\](){{}},;"*+/=<>!]*)?(?=\[))
    |(?P<name>{NAME.pattern})|{PLACEHOLDER.pattern.replace("(", "(?P<placeholder>", 1)}
    |{_STRING.replace("(", "(?P<string>", 1)}
    |(?P<sign>\.\.|==|!=|<=|>=|.)|(?P<end>\Z))""",
    re.VERBOSE | re.DOTALL,
)
PLACE = re.compile(rf"\[\s*(?:{_STRING}\s*|([^,\]\n]*)\s*),\s*(?:{_STRING}\s*|([^\]\n]*)\s*)\](?:\.(\w+))?")
_SPELT = {"≤": "<=", "≥": ">=", "≠": "!="}


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

    def __init__(self, message: str, start: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start


Locate = Callable[[int], tuple[int, int]]
"""Gives the line and the column of an offset in a text."""


def parse_constant(text: str) -> Fraction | None:
    """A decimal or a ratio, exactly; None where it is neither or too long."""
    numbers = [one.strip() for one in text.split("/")]
    if len(numbers) > 2 or not all(_CONSTANT.fullmatch(one) and len(one) <= MAX_LITERAL for one in numbers):
        return None
    value, *below = map(Fraction, numbers)
    return value if not below else value / below[0] if below[0] else None


def parse_place(text: str) -> tuple[str, str]:
    """The labels of `[row, column]`."""
    match = PLACE.fullmatch(text)
    if match is None:
        raise FormulaError("expected [row, column]", 0)
    return labels_of(match, 1)[0], labels_of(match, 3)[0]


def substituted(text: str, bindings: dict[str, str]) -> tuple[str, list[str]]:
    """A text with its placeholders filled in, and the names that nothing fills."""
    missing = [name for name in PLACEHOLDER.findall(text) if name not in bindings]
    return PLACEHOLDER.sub(lambda match: bindings.get(match.group(1), match.group()), text), missing


def labels_of(match: re.Match[str], group: int) -> tuple[str, bool]:
    """A label of a place, and whether it was quoted."""
    quoted, plain = match.group(group), match.group(group + 1)
    return (" ".join(plain.split()), False) if quoted is None else (_unquoted(quoted), True)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


@dataclass(frozen=True)
class Word:
    """One word, number or sign."""

    kind: str
    text: str
    start: int
    end: int

    def is_one(self, *texts: str) -> bool:
        """Whether it is one of these words and signs."""
        return self.kind in ("name", "sign") and self.text in texts

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text[:40])


class Words:
    """A text, read word by word from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self._ahead: Word | None = None

    def peek(self) -> Word:
        if self._ahead is None:
            match = _WORD.match(self.text, self.place)
            assert match is not None
            kind = match.lastgroup or "end"
            start = match.start(kind) - (kind in ("string", "placeholder"))
            if kind == "number" and match.end() - start > MAX_LITERAL:
                raise FormulaError(f"a number of {match.end() - start} characters", start)
            text = _unquoted(match[kind]) if kind == "string" else _SPELT.get(match[kind], match[kind])
            self._ahead = Word(kind, text, start, match.end())
        return self._ahead

    def next(self) -> Word:
        token = self.peek()
        self.go(token.end)
        return token

    def go(self, place: int) -> None:
        self.place, self._ahead = place, None

    def take(self, *texts: str) -> Word | None:
        """The next token if it is one of these."""
        return self.next() if self.peek().is_one(*texts) else None

    def expect(self, *texts: str) -> Word:
        token = self.peek()
        if not token.is_one(*texts):
            wanted = " or ".join(repr(text) if text.isalpha() else text for text in texts)
            raise FormulaError(f"expected {wanted}, found {token}", token.start)
        return self.next()
