"""Words, numbers and signs of a formula, each with its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

MAX_LITERAL = 60
_NUMBER = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_TABLE = re.compile(r"[^\W\d]\w*(?::[^\s\[\](){},;\"*+/=<>!]*)?(?=\[)")
_PLACEHOLDER = re.compile(r"\{([^\W\d]\w*)\}")
_STRING = re.compile(r'"((?:[^"\\\n]|\\["\\])*)"')
_SIGNS = re.compile(r"\.\.|==|!=|<=|>=|[-+*/^()\[\],:;<>=≤≥≠]|.", re.DOTALL)
_SPELT = {"≤": "<=", "≥": ">=", "≠": "!="}
_SPACE = re.compile(r"\s*")

Kind = Literal["number", "name", "table", "placeholder", "string", "sign", "end"]
RESERVED = frozenset({"and", "or", "some", "is", "in", "inf"})


@dataclass(frozen=True)
class Token:
    """One word, number or sign."""

    kind: Kind
    text: str
    start: int
    end: int

    def is_sign(self, *texts: str) -> bool:
        """Whether it is one of these signs."""
        return self.kind == "sign" and self.text in texts

    def is_word(self, *texts: str) -> bool:
        """Whether it is one of these words."""
        return self.kind == "name" and self.text in texts


class FormulaError(Exception):
    """A formula cannot be read on from here."""

    def __init__(self, message: str, start: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start


class Scanner:
    """Reads a text from left to right; labels between brackets are read as they stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self._ahead: Token | None = None

    def peek(self) -> Token:
        """The next token, which stays."""
        if self._ahead is None:
            self._ahead = self._scan()
        return self._ahead

    def next(self) -> Token:
        """The next token, which is taken."""
        token = self.peek()
        self.place, self._ahead = token.end, None
        return token

    def rewind(self, place: int) -> None:
        """Goes back to a place."""
        self.place, self._ahead = place, None

    def take(self, *signs: str) -> Token | None:
        """The next token if it is one of these signs."""
        return self.next() if self.peek().is_sign(*signs) else None

    def word(self, *words: str) -> Token | None:
        """The next token if it is one of these words."""
        return self.next() if self.peek().is_word(*words) else None

    def expect(self, *signs: str) -> Token:
        """The next token, which must be one of these signs."""
        token = self.peek()
        if not token.is_sign(*signs):
            raise FormulaError(f"expected {' or '.join(signs)}, found {shown(token)}", token.start)
        return self.next()

    def expect_word(self, *words: str) -> Token:
        """The next token, which must be one of these words."""
        token = self.peek()
        if not token.is_word(*words):
            raise FormulaError(f"expected {' or '.join(map(repr, words))}, found {shown(token)}", token.start)
        return self.next()

    def label(self, ends: str, resolve: Callable[[str, int], str]) -> tuple[str, bool, int]:
        """A row's or column's label up to one of the ends; whether it was quoted; and where it stands."""
        assert self._ahead is None
        start = self.place = _end(_SPACE, self.text, self.place)
        if quoted := _STRING.match(self.text, start):
            self.place = quoted.end()
            return resolve(_unquoted(quoted.group(1)), start), True, start
        found = re.compile(f"[^{re.escape(ends)}\n]*").match(self.text, start)
        assert found is not None
        self.place = found.end()
        return resolve(" ".join(found.group().split()), start), False, start

    def _scan(self) -> Token:
        text, start = self.text, _end(_SPACE, self.text, self.place)
        if start >= len(text):
            return Token("end", "", len(text), len(text))
        if match := _NUMBER.match(text, start):
            if match.end() - start > MAX_LITERAL:
                raise FormulaError(f"a number of {match.end() - start} characters", start)
            return Token("number", match.group(), start, match.end())
        if (match := _TABLE.match(text, start)) and match.group() not in RESERVED:
            return Token("table", match.group(), start, match.end())
        if match := _NAME.match(text, start):
            return Token("name", match.group(), start, match.end())
        if match := _PLACEHOLDER.match(text, start):
            return Token("placeholder", match.group(1), start, match.end())
        if match := _STRING.match(text, start):
            return Token("string", _unquoted(match.group(1)), start, match.end())
        match = _SIGNS.match(text, start)
        assert match is not None
        return Token("sign", _SPELT.get(match.group(), match.group()), start, match.end())


def shown(token: Token) -> str:
    """A token, for a message."""
    return "the end" if token.kind == "end" else repr(token.text[:40])


def substituted(text: str, bindings: dict[str, str]) -> tuple[str, list[str]]:
    """A text with its placeholders filled in, and the names that nothing fills."""
    missing = [match.group(1) for match in _PLACEHOLDER.finditer(text) if match.group(1) not in bindings]
    return _PLACEHOLDER.sub(lambda match: bindings.get(match.group(1), match.group()), text), missing


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
