"""Column specifications of LaTeX tables: how many columns, and what each puts around its cells."""

from __future__ import annotations

from dataclasses import dataclass, field

from sealtrace.printed.tex_definitions import ColumnType
from sealtrace.printed.tex_stream import TokenStream
from sealtrace.printed.tex_text import render
from sealtrace.printed.tex_tokens import BLANK, Token, written

MAX_COLUMNS = 500
_MAX_STEPS = 20_000
_MAX_NESTING = 10
_JOINTS = frozenset({"±", "+/-", "/", "–", "-", ":", ".", "×", "(", "[", "→", "·", "[…]", ",", "to", "of"})
_ARGUMENTS = {"p": 1, "m": 1, "b": 1, "w": 2, "W": 2, "D": 3}


class RefusedError(Exception):
    """The table cannot be read without guessing."""

    def __init__(self, message: str, token: Token | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.token = token


@dataclass
class TexColumn:
    """What is put before and after every cell of a column, as by >{\\bfseries}r<{\\%}."""

    before: list[Token] = field(default_factory=list)
    after: list[Token] = field(default_factory=list)
    joint: list[Token] | None = None
    """What is printed between it and the next column where both make one number, as in r@{±}l."""


Item = str | list[Token]
"""One character, or a group without its braces."""


def read_columns(tokens: list[Token], types: dict[str, ColumnType]) -> list[TexColumn]:
    """The columns of a specification."""
    return _Columns(types).read(tokens)


class _Columns:
    def __init__(self, types: dict[str, ColumnType]) -> None:
        self.types = types
        self.columns: list[TexColumn] = []
        self.before: list[Token] = []
        self.steps = 0

    def read(self, tokens: list[Token]) -> list[TexColumn]:
        self.items(_items(tokens), 0)
        return self.columns

    def items(self, items: list[Item], nesting: int) -> None:
        if nesting > _MAX_NESTING:
            raise RefusedError("the column specification nests too deeply")
        index = 0

        def group() -> list[Token]:
            nonlocal index
            if index < len(items) and not isinstance(item := items[index], str):
                index += 1
                return item
            return []

        while index < len(items):
            self.steps += 1
            if self.steps > _MAX_STEPS or len(self.columns) > MAX_COLUMNS:
                raise RefusedError(f"the column specification has more than {MAX_COLUMNS} columns")
            item = items[index]
            index += 1
            if not isinstance(item, str):
                continue
            if item == "*":
                times, repeated = written(group()), group()
                if not (times.isascii() and times.isdecimal()) or int(times[:6]) > MAX_COLUMNS:
                    raise RefusedError(f"the column specification repeats {times!r} times")
                for _ in range(int(times)):
                    self.items(_items(repeated), nesting + 1)
            elif item in "@!":
                self.between(group())
            elif item == ">":
                # The one that is written last is put nearest to the cell's beginning.
                self.before = group() + self.before
            elif item == "<":
                after = group()
                if self.columns:
                    self.columns[-1].after += after
            elif item in self.types:
                column_type = self.types[item]
                arguments = [group() for _ in range(column_type.parameters)]
                self.items(_items(_substitute(column_type.body, arguments)), nesting + 1)
            elif item == "[":
                while index < len(items) and items[index] != "]":
                    index += 1
            elif item.isalpha():
                for _ in range(_ARGUMENTS.get(item, 0)):
                    group()
                while index < len(items) and not isinstance(items[index], str):
                    index += 1  # a column type that a package defines
                self.columns.append(TexColumn(self.before))
                self.before = []

    def between(self, tokens: list[Token]) -> None:
        """Something that is printed between two columns: a sign joins them, anything else belongs to the left one."""
        text = render(tokens).text()
        if not text or text == "|":
            return
        if not self.columns:
            self.before = self.before + tokens
        elif text in _JOINTS:
            self.columns[-1].joint = tokens
        else:
            self.columns[-1].after += tokens


def _items(tokens: list[Token]) -> list[Item]:
    items: list[Item] = []
    stream = TokenStream(tokens)
    while (token := stream.next()) is not None:
        if token.kind == "{":
            items.append(stream.group())
        elif token.kind not in BLANK and token.kind != "command":
            items.extend(token.text)
    return items


def _substitute(body: list[Token], arguments: list[list[Token]]) -> list[Token]:
    result: list[Token] = []
    for token in body:
        if token.kind == "param":
            number = int(token.text[-1])
            result += arguments[number - 1] if number <= len(arguments) else []
        else:
            result.append(token)
    return result
