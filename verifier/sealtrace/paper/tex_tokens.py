"""LaTeX source to tokens, each with its place, and streams of them from which arguments of commands are taken.

Comments and verbatim environments end here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from sealtrace.paper.extracted import THIN_SPACE, ReadingProblem
from sealtrace.paper.tex_visible import colours_in
from sealtrace.process import keep_reading


class SourceText:
    def __init__(self, name: str, text: str, colours: dict[str, tuple[str, str]] | None = None) -> None:
        """`colours` are those that the files of its document have defined so far; its own are added."""
        self.name = name
        self.text = text
        self.colours = {} if colours is None else colours
        self.colours.update(colours_in(text))
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """Line of an offset, from one."""
        return bisect_right(self._starts, offset)


class Token(NamedTuple):
    """A command (text without the backslash), text, space, par, param, verb, stray brace, or a character by itself."""

    kind: str
    text: str
    file: SourceText
    start: int
    end: int
    depth: int = 0
    """How many macro expansions it comes from."""

    @property
    def line(self) -> int:
        return self.file.line(self.start)

    def problem(self, message: str, *, warning: bool = False, certain: bool = False) -> ReadingProblem:
        return ReadingProblem(message, self.file.name, self.line, "warning" if warning else "error", certain)

    def is_command(self, *names: str) -> bool:
        return self.kind == "command" and self.text in names


def names(text: str) -> frozenset[str]:
    """A set of names, written as one text."""
    return frozenset(text.split())


BLANK = frozenset({"space", "par"})
VERBATIM = names(
    """
    verbatim verbatim* Verbatim BVerbatim LVerbatim lstlisting minted comment alltt filecontents
    filecontents*
    """
)
_TOKEN = re.compile(
    r"""(?P<comment>%[^\n]*\n?[ \t]*)
    |(?P<space>[ \t\r\n\f\v]+)
    |(?P<word>\\[A-Za-z]+)
    |(?P<symbol>\\[\s\S]?)
    |(?P<param>\#{1,8}[1-9])
    |(?P<special>[{}$&^_~\[\]()*\#])
    |(?P<text>[^\s%\\{}$&^_~\[\]()*\#]+)
    |(?P<other>[\s\S])""",
    re.VERBOSE,
)
_INTERNAL_WORD = re.compile(r"\\[A-Za-z@]+")
# A control word swallows the white space after it, but not a blank line.
_AFTER_WORD = re.compile(r"[ \t\r]*(?:\n(?![ \t\r]*\n)[ \t]*)?")
_ENVIRONMENT = re.compile(r"\s*\{([A-Za-z]+\*?)\}")
_FILE_CONTENTS = re.compile(r"\s*\{filecontents\*?\}\s*(?:\[[^]]*\])?\s*\{([^{}]*)\}")
_VERB = re.compile(r"\*?[ \t]*([^A-Za-z\s*])")
# Characters on one line; a delimiter that is missing must not search the whole file at each command.
_VERB_LENGTH = 500
_URL = re.compile(r"\s*\{")


def tokenize(
    file: SourceText, start: int, end: int, *, internal: bool = False
) -> tuple[list[Token], list[ReadingProblem]]:
    """Tokens of file.text[start:end]. Internal: @ is a letter, as between \\makeatletter and \\makeatother."""
    text = file.text
    tokens: list[Token] = []
    problems: list[ReadingProblem] = []
    position = start
    after_comment = False  # the comment took its line's end, so one more line end is a blank line
    while position < end:
        match = _TOKEN.match(text, position, end)
        assert match is not None  # the last alternative takes any character
        kind, piece, begin, position = str(match.lastgroup), match.group(), match.start(), match.end()
        if kind == "comment":
            after_comment = True
            continue
        if kind == "space":
            breaks = piece.count("\n") + after_comment
            tokens.append(Token("par" if breaks > 1 else "space", " ", file, begin, position))
        elif kind in ("word", "symbol"):
            if internal:
                longer = _INTERNAL_WORD.match(text, begin, end)
                if longer is not None:
                    kind, piece, position = "word", longer.group(), longer.end()
            name = piece[1:]
            internal = name == "makeatletter" or (internal and name != "makeatother")
            if name == "begin":
                environment = _ENVIRONMENT.match(text, position, end)
                if environment is not None and environment.group(1) in VERBATIM:
                    close = f"\\end{{{environment.group(1)}}}"
                    found = text.find(close, environment.end(), end)
                    if found < 0:
                        message = f"\\begin{{{environment.group(1)}}} is never closed: the rest is not read"
                        problems.append(ReadingProblem(message, file.name, file.line(begin)))
                        break
                    written_to = _FILE_CONTENTS.match(text, environment.start(), found)
                    if written_to is not None and not written_to[1].endswith(".bib"):
                        message = f"the document writes {written_to[1]} itself, which is not read from here"
                        problems.append(ReadingProblem(message, file.name, file.line(begin), "warning"))
                    position = found + len(close)
                    after_comment = False
                    continue
            elif name in ("verb", "lstinline", "url", "nolinkurl", "path", "href"):
                content = _verbatim_argument(text, position, end, name)
                if content is not None:
                    if name == "href":
                        tokens.append(Token("command", name, file, begin, position))
                    tokens.append(Token("verb", text[content[0] : content[1]], file, begin, content[1] + 1))
                    position = content[1] + 1
                    after_comment = False
                    continue
            tokens.append(Token("command", name, file, begin, position))
            if kind == "word":
                after = _AFTER_WORD.match(text, position, end)
                assert after is not None
                position = after.end()
        elif kind == "special":
            tokens.append(Token(piece, piece, file, begin, position))
        elif kind == "other":
            kind = "text" if piece == THIN_SPACE else "space"
            tokens.append(Token(kind, piece, file, begin, position))
        else:
            tokens.append(Token(kind, piece, file, begin, position))
        after_comment = False
    return tokens, problems


def _verbatim_argument(text: str, position: int, end: int, name: str) -> tuple[int, int] | None:
    """Where the argument of \\verb or \\url begins and ends. It may hold any character, % too."""
    opening = (_VERB if name in ("verb", "lstinline") else _URL).match(text, position, end)
    if opening is None:
        return None
    begin = opening.end()
    end = min(end, begin + _VERB_LENGTH)
    line_end = text.find("\n", begin, end)
    line_end = end if line_end < 0 else line_end
    delimiter = text[begin - 1]
    if delimiter != "{":
        found = text.find(delimiter, begin, line_end)
        return (begin, found) if found >= 0 else None
    depth = 1
    for offset in range(begin, line_end):
        depth += (text[offset] == "{") - (text[offset] == "}")
        if depth == 0:
            return begin, offset
    return None


def match_braces(tokens: list[Token]) -> tuple[list[Token], list[ReadingProblem]]:
    """The tokens, in which braces without a partner are stray, and those reported."""
    opened: list[int] = []
    stray: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind == "{":
            opened.append(index)
        elif token.kind == "}":
            if opened:
                opened.pop()
            else:
                stray.append(index)
    problems = [tokens[index].problem("a brace is closed that was never opened") for index in stray]
    for index in opened:
        # TeX closes a plain group at the end by itself; an argument that never ends it does not.
        plain = tokens[index - 1].kind in BLANK if index else True
        problems.append(tokens[index].problem("a brace is opened and never closed", warning=plain))
    tokens = list(tokens)
    for index in (*stray, *opened):
        tokens[index] = tokens[index]._replace(kind="stray")
    return tokens, problems


def written(tokens: list[Token]) -> str:
    """Tokens as they were written, for names, numbers and lengths."""
    return "".join(f"\\{token.text}" if token.kind == "command" else token.text for token in tokens).strip()


def braced(token: Token, tokens: list[Token], braces: str = "{}") -> list[Token]:
    """Tokens between braces that stand at the place of a token."""
    opening, closing = (token._replace(kind=brace, text=brace) for brace in braces)
    return [opening, *tokens, closing]


def trimmed(tokens: list[Token]) -> list[Token]:
    """Without white space at both ends."""
    first, last = 0, len(tokens)
    while first < last and tokens[first].kind in BLANK:
        first += 1
    while last > first and tokens[last - 1].kind in BLANK:
        last -= 1
    return tokens[first:last]


_SEARCH = 2000  # tokens in which the end of an optional or delimited argument is looked for
LONGEST_CONDITION = 400
"""Tokens of a condition that are looked at."""


def is_undecided(name: str) -> bool:
    """Whether a command opens a conditional; outside Expander, one that only TeX can decide."""
    return name.startswith("if") and name != "iff"


class TokenStream:
    """Tokens that wait, the next one last, and what gives more of them when none is left."""

    def __init__(self, tokens: Iterable[Token] = (), more: Callable[[], Token | None] = lambda: None) -> None:
        self._waiting = list(tokens)[::-1]
        self._more = more
        self._barren = ("", 0, 0)
        """An end that was looked for in vain, and the part of `_waiting` that holds neither it nor a brace: the next
        search for it goes on behind that."""
        self.last: Token | None = None
        """The token that ended the argument taken last; None where nothing did."""

    @property
    def waiting(self) -> int:
        """How many tokens are left, of those that were given."""
        return len(self._waiting)

    def next(self) -> Token | None:
        """Takes the next token; None at the end."""
        return self._waiting.pop() if self._waiting else self._more()

    def push(self, tokens: Iterable[Token]) -> None:
        """Puts tokens in front."""
        keep_reading()
        sought, low, high = self._barren
        self._barren = sought, low, min(high, len(self._waiting))
        self._waiting.extend(list(tokens)[::-1])

    def peek(self) -> Token | None:
        """The next token, which stays."""
        token = self.next()
        if token is not None:
            self.push([token])
        return token

    def ahead(self) -> Token | None:
        """The next token that is no white space, which stays; white space before it is passed over."""
        while (token := self.peek()) is not None and token.kind in BLANK:
            self.next()
        return token

    def seen(self, most: int, last: Callable[[Token], bool] = lambda _: False) -> list[Token]:
        """The next tokens, up to the last one that is looked for, and at most so many; they stay."""
        taken: list[Token] = []
        while len(taken) < most and (token := self.next()) is not None:
            taken.append(token)
            if last(token):
                break
        self.push(taken)
        return taken

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

    def condition_ahead(self) -> list[Token] | None:
        """What stands here up to the \\fi that ends an opened condition; it stays. None where that is far."""
        found: list[Token] = []
        depth = 0
        for place, token in self._searched(""):
            word = token.text if token.kind == "command" else ""
            depth += is_undecided(word) - (word == "fi")
            if depth < 0:
                return found
            if place > LONGEST_CONDITION:
                break
            found.append(token)
        return None

    def _searched(self, sought: str) -> Iterator[tuple[int, Token]]:
        """The tokens in which an end is looked for, each with its place; they stay."""
        place = fertile = 0
        while place < _SEARCH:
            known, low, high = self._barren
            if place == len(self._waiting):
                if (more := self._more()) is None:
                    break
                self._waiting.insert(0, more)
                low, high = low + 1, high + 1
                self._barren = known, low, high
            height = len(self._waiting) - place
            if sought and sought == known and low < height <= high:
                place += height - low
                continue
            token = self._waiting[height - 1]
            yield place, token
            place += 1
            if token.kind in "{}" or sought in (token.kind, f"\\{token.text}"):
                fertile = place
        self._barren = sought, len(self._waiting) - place, len(self._waiting) - fertile

    def _take(self, count: int) -> list[Token]:
        """Takes the tokens of so many places; where a file ends, none stands."""
        left = len(self._waiting) - count
        taken = []
        while len(self._waiting) > left and (token := self.next()) is not None:
            taken.append(token)
        return taken

    def option(self, braces: str = "[]", fitting: re.Pattern[str] | None = None) -> list[Token] | None:
        """An optional argument, if one stands here and fits."""
        opening, closing = braces[0], braces[1]
        begin = depth = 0
        for place, token in self._searched(closing):
            if not begin:
                if token.kind == opening:
                    begin = place + 1
                elif token.kind not in BLANK:
                    break
            elif depth == 0 and token.kind == closing:
                taken = self._take(place + 1)
                if fitting is None or fitting.fullmatch(written(taken[begin:-1])):
                    return taken[begin:-1]
                self.push(taken)
                break
            else:
                depth += (token.kind == "{") - (token.kind == "}")
                if depth < 0:
                    break
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
        sought = f"\\{wanted[0][1]}" if len(wanted) == 1 and wanted[0][0] == "command" else ""
        last: list[tuple[str, str]] = []
        depth = 0
        self.last = None
        for place, token in self._searched(sought):
            last = [*last, (token.kind, token.text)][-len(wanted) :]
            if depth == 0 and last == wanted:
                self.last = token
                return self._take(place + 1)[: -len(wanted)]
            if depth == 0 and len(wanted) == 1 and token.kind == "text" == wanted[0][0] and wanted[0][1] in token.text:
                # The delimiter is a part of a text.
                before, _delimiter, after = token.text.partition(wanted[0][1])
                taken = self._take(place + 1)
                if after:
                    self.push([token._replace(text=after, start=token.end - len(after))])
                self.last = token._replace(end=token.end - len(after))
                return [*taken[:-1], token._replace(text=before, end=token.start + len(before))]
            depth = max(0, depth + (token.kind == "{") - (token.kind == "}"))
        return None
