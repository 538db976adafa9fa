"""A stream of tokens, from which the arguments of commands are taken and into which tokens can be put back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from sealtrace.printed.tex_tokens import BLANK, Token, written

_SEARCH = 2000  # tokens in which the end of an optional or delimited argument is looked for


class TokenStream:
    """Tokens that wait, the next one last, and what gives more of them when none is left."""

    def __init__(self, tokens: Iterable[Token] = (), more: Callable[[], Token | None] = lambda: None) -> None:
        self._waiting = list(tokens)[::-1]
        self._more = more
        self.last: Token | None = None
        """The token that ended the argument taken last; None where nothing did."""

    def next(self) -> Token | None:
        """Takes the next token; None at the end."""
        return self._waiting.pop() if self._waiting else self._more()

    def push(self, tokens: Iterable[Token]) -> None:
        """Puts tokens in front."""
        self._waiting.extend(list(tokens)[::-1])

    def peek(self) -> Token | None:
        """The next token, which stays."""
        token = self.next()
        if token is not None:
            self._waiting.append(token)
        return token

    def ahead(self) -> Token | None:
        """The next token that is no white space, which stays; white space before it is passed over."""
        while (token := self.peek()) is not None and token.kind in BLANK:
            self.next()
        return token

    def rest(self) -> list[Token]:
        """Takes all that waits."""
        tokens, self._waiting = self._waiting[::-1], []
        return tokens

    def star(self) -> bool:
        """Takes a star, if one stands here."""
        token = self.peek()
        starred = token is not None and token.kind == "*"
        if starred:
            self.next()
        return starred

    def argument(self) -> list[Token]:
        """A group without its braces, or one token; one character of a text, as in \\frac12."""
        self.last = None
        token = self.ahead()
        if token is None or token.kind == "}":
            return []
        self.next()
        if token.kind == "{":
            return self.group()
        if token.kind == "text" and len(token.text) > 1:
            self.push([token._replace(text=token.text[1:], start=token.start + 1)])
            token = token._replace(text=token.text[0], end=token.start + 1)
        self.last = token
        return self.alone(token)

    def alone(self, token: Token) -> list[Token]:
        """What an argument is that has no braces."""
        return [token]

    def group(self) -> list[Token]:
        """The rest of a group whose first brace is taken already, without the last."""
        taken: list[Token] = []
        depth = 0
        while (token := self.next()) is not None:
            depth += (token.kind == "{") - (token.kind == "}")
            if depth < 0:
                self.last = token
                break
            taken.append(token)
        return taken

    def group_ahead(self) -> list[Token]:
        """The group that stands here, without its braces; it stays."""
        opening = self.ahead()
        if opening is None or opening.kind != "{":
            return []
        inner = self.argument()
        self.push([opening, *inner, *([self.last] if self.last is not None else [])])
        return inner

    def option(self, braces: str = "[]", fitting: re.Pattern[str] | None = None) -> list[Token] | None:
        """An optional argument, if one stands here and fits."""
        opening, closing = braces[0], braces[1]
        taken: list[Token] = []
        begin = depth = 0
        while len(taken) < _SEARCH and (token := self.next()) is not None:
            taken.append(token)
            if not begin:
                if token.kind == opening:
                    begin = len(taken)
                elif token.kind not in BLANK:
                    break
            elif depth == 0 and token.kind == closing:
                if fitting is None or fitting.fullmatch(written(taken[begin:-1])):
                    return taken[begin:-1]
                break
            else:
                depth += (token.kind == "{") - (token.kind == "}")
                if depth < 0:
                    break
        self.push(taken)
        return None

    def take(self, letter: str) -> list[Token] | None:
        """One argument of a signature: * a star, o an option, p one in round brackets, anything else a plain one."""
        if letter == "*":
            self.star()
            return None
        if letter == "o":
            return self.option()
        return self.option("()") if letter == "p" else self.argument()

    def delimited(self, delimiter: tuple[Token, ...]) -> list[Token] | None:
        """What stands before a delimiter, which is taken too; None if it is not found."""
        wanted = [(token.kind, token.text) for token in delimiter]
        taken: list[Token] = []
        depth = 0
        while len(taken) < _SEARCH and (token := self.next()) is not None:
            taken.append(token)
            self.last = token
            if depth == 0 and [(one.kind, one.text) for one in taken[-len(wanted) :]] == wanted:
                return taken[: -len(wanted)]
            if depth == 0 and len(wanted) == 1 and token.kind == "text" == wanted[0][0] and wanted[0][1] in token.text:
                # The delimiter is a part of a text.
                before, _delimiter, after = token.text.partition(wanted[0][1])
                if after:
                    self.push([token._replace(text=after, start=token.end - len(after))])
                self.last = token._replace(end=token.end - len(after))
                return [*taken[:-1], token._replace(text=before, end=token.start + len(before))]
            depth = max(0, depth + (token.kind == "{") - (token.kind == "}"))
        self.push(taken)
        self.last = None
        return None
