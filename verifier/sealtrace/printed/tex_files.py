"""The files of a document, the one that is given and those that it puts in, and the stack that they are read from.

The stack holds lists of tokens, one on top of the other: files, and in front of them what macros became.
"""

from __future__ import annotations

import posixpath
import re

from sealtrace.printed.extracted import Load, Problem
from sealtrace.printed.tex_tokens import BLANK, SourceText, Token, match_braces, tokenize
from sealtrace.printed.tex_visible import HIDES, before_tables

_SEARCH = 2000  # tokens in which the end of an optional or delimited argument is looked for


class Frame:
    """One list. Braces always match within it."""

    def __init__(self, tokens: list[Token], closing: dict[int, int], name: str | None = None) -> None:
        self.tokens = tokens
        self.closing = closing
        self.name = name
        """Of the file."""
        self.index = 0


class Frames:
    """The stack. Nothing is expanded here."""

    def __init__(self) -> None:
        self.stack: list[Frame] = []
        self.pushed = 0
        """How many tokens were put in front so far."""

    def next(self) -> Token | None:
        while self.stack:
            frame = self.stack[-1]
            if frame.index < len(frame.tokens):
                frame.index += 1
                return frame.tokens[frame.index - 1]
            self.stack.pop()
        return None

    def peek(self, *, blanks: bool = False) -> Token | None:
        """The next token; white space before it is passed over unless asked for."""
        while self.stack:
            frame = self.stack[-1]
            if frame.index == len(frame.tokens):
                self.stack.pop()
            elif not blanks and frame.tokens[frame.index].kind in BLANK:
                frame.index += 1
            else:
                return frame.tokens[frame.index]
        return None

    def push(self, tokens: list[Token]) -> None:
        """Puts tokens in front."""
        self.pushed += len(tokens) + 1
        if tokens:
            tokens, closing, _problems = match_braces(tokens)
            self.stack.append(Frame(tokens, closing))

    def drop_file(self) -> None:
        """Leaves the file that is being read."""
        while self.stack:
            if self.stack.pop().name is not None:
                return

    def star(self) -> None:
        token = self.peek()
        if token is not None and token.kind == "*":
            self.next()

    def argument(self) -> tuple[list[Token], Token | None]:
        """A group without its braces or one token, and the last token that was taken."""
        token = self.peek()
        if token is None or token.kind == "}":
            return [], None
        frame = self.stack[-1]
        if token.kind == "{":
            begin, end = frame.index + 1, frame.closing[frame.index]
            frame.index = end + 1
            return frame.tokens[begin:end], frame.tokens[end]
        frame.index += 1
        if token.kind == "text" and len(token.text) > 1:
            self.push([token._replace(text=token.text[1:], start=token.start + 1)])
            token = token._replace(text=token.text[0], end=token.start + 1)
        return [token], token

    def peek_group(self) -> list[Token]:
        """The group that stands here, without its braces and without taking it."""
        token = self.peek()
        if token is None or token.kind != "{":
            return []
        frame = self.stack[-1]
        return frame.tokens[frame.index + 1 : frame.closing[frame.index]]

    def option(self) -> list[Token] | None:
        """An optional argument, if one stands here."""
        token = self.peek()
        if token is None or token.kind != "[":
            return None
        frame = self.stack[-1]
        index = frame.index + 1
        while index < min(len(frame.tokens), frame.index + _SEARCH):
            kind = frame.tokens[index].kind
            if kind == "]":
                taken = frame.tokens[frame.index + 1 : index]
                frame.index = index + 1
                return taken
            index = frame.closing[index] + 1 if kind == "{" else index + 1
        return None

    def delimited(self, delimiter: tuple[Token, ...]) -> tuple[list[Token], Token] | None:
        """What stands before a delimiter, and the delimiter's last token; None if it is not found."""
        if self.peek(blanks=True) is None:
            return None
        frame = self.stack[-1]
        wanted = [(token.kind, token.text) for token in delimiter]
        index = frame.index
        while index < min(len(frame.tokens), frame.index + _SEARCH):
            token = frame.tokens[index]
            if [(token.kind, token.text) for token in frame.tokens[index : index + len(wanted)]] == wanted:
                taken = frame.tokens[frame.index : index]
                frame.index = index + len(wanted)
                return taken, frame.tokens[frame.index - 1]
            if len(wanted) == 1 and token.kind == "text" == wanted[0][0] and wanted[0][1] in token.text:
                return self._inside(index, wanted[0][1])
            index = frame.closing[index] + 1 if token.kind == "{" else index + 1
        return None

    def _inside(self, index: int, delimiter: str) -> tuple[list[Token], Token]:
        """The same where the delimiter is a part of a text token."""
        frame = self.stack[-1]
        token = frame.tokens[index]
        before, _delimiter, after = token.text.partition(delimiter)
        middle = token.start + len(before)
        taken = [*frame.tokens[frame.index : index], token._replace(text=before, end=middle)]
        frame.index = index + 1
        if after:
            self.push([token._replace(text=after, start=token.end - len(after))])
        return taken, token._replace(end=middle + len(delimiter))


MAX_FILES = 500
_MARKER = re.compile(r"^%% file: *(\S.*?)[ \t\r]*$", re.MULTILINE)
_ASKED = re.compile(r"\\(?:input|include|subfile)\s*\{\s*([^{}\n]+?)\s*\}")


class Files:
    """Tokens of files by name.

    Several files may be joined into the one that is given, each under a line "%% file: name". Where one of them asks
    for another, that one is read in its place, and its lines count in the whole; else the line is a comment like any
    other.
    """

    def __init__(self, text: str, source: str, load: Load, problems: list[Problem]) -> None:
        self._load = load
        self._problems = problems
        self._cache: dict[str, Frame] = {}
        self._sections: dict[str, tuple[int, int]] = {}
        self._styles: set[str] = set()
        self._put_in = 0
        self._colours: dict[str, tuple[str, str]] = {}
        self._main = SourceText(source, text, self._colours)
        self._markers = list(_MARKER.finditer(text))
        self.main = self._frame(self._main, self._cut(), source)

    def holds(self, name: str, where: Token) -> bool:
        """Whether a file is there."""
        return any(self._find(one) is not None for one in _candidates(name, where))

    def open(self, name: str, where: Token, opened: set[str | None]) -> Frame | None:
        """A frame to read, or a problem."""
        candidates = _candidates(name, where)
        if opened.intersection(candidates):
            self._problems.append(where.problem(f"{name} puts itself in"))
            return None
        if self._put_in == MAX_FILES:
            self._problems.append(where.problem(f"more than {MAX_FILES} files are put in: {name} is not read"))
            return None
        for candidate in candidates:
            frame = self._find(candidate)
            if frame is not None:
                self._put_in += 1
                return Frame(frame.tokens, frame.closing, candidate)
        self._problems.append(where.problem(f"{name} is not there: what it holds is not read", warning=True))
        return None

    def style(self, name: str) -> Frame | None:
        """A package or class that lies beside the document, where @ is a letter; None where it does not, or again."""
        if name in self._styles or len(self._styles) == MAX_FILES:
            return None
        self._styles.add(name)
        text = self._load(name)
        if text is None:
            return None
        tokens, _problems = tokenize(SourceText(name, text, self._colours), 0, len(text), internal=True)
        tokens, closing, _problems = match_braces(tokens)
        return Frame(tokens, closing, name)

    def after_document(self, end: Token) -> int | None:
        """Where reading goes on after \\end{document}: at the next file of the given text, if it is a joined one."""
        if end.file is not self._main:
            return None
        return next((match.start() for match in self._markers if match.start() > end.start), None)

    def _find(self, name: str) -> Frame | None:
        if name not in self._cache:
            if name in self._sections:
                self._cache[name] = self._frame(self._main, [self._sections[name]], name)
            else:
                text = self._load(name)
                if text is None:
                    return None
                self._cache[name] = self._frame(SourceText(name, text, self._colours), [(0, len(text))], name)
        return self._cache[name]

    def _frame(self, file: SourceText, pieces: list[tuple[int, int]], name: str) -> Frame:
        tokens: list[Token] = []
        for start, command in before_tables(file.text, file.colours):
            where = Token("command", command, file, start, start)
            self._problems.append(where.problem(HIDES.format(command), warning=True))
        for begin, end in pieces:
            more, problems = tokenize(file, begin, end)
            tokens += more
            self._problems.extend(problems)
        tokens, closing, problems = match_braces(tokens)
        self._problems.extend(problems)
        return Frame(tokens, closing, name)

    def _cut(self) -> list[tuple[int, int]]:
        """Cuts out the files that the given text puts in. Returns what is left of it."""
        text = self._main.text
        starts = [match.start() for match in self._markers]
        pieces = [(0, starts[0] if starts else len(text))]
        asked = {_with_suffix(name) for name in _ASKED.findall(text)}
        for number, match in enumerate(self._markers):
            end = starts[number + 1] if number + 1 < len(starts) else len(text)
            name = _with_suffix(match.group(1))
            # The first file is the document itself, whatever its name.
            if number > 0 and name in asked and name not in self._sections:
                self._sections[name] = (match.start(), end)
            else:
                pieces.append((match.start(), end))
        return pieces


def _candidates(name: str, where: Token) -> list[str]:
    """What a file may be called: some files name others from their own directory rather than from the document's."""
    found = [name] if name.endswith(".tex") else [f"{name}.tex", name]
    home = posixpath.dirname(where.file.name)
    return found + [posixpath.normpath(posixpath.join(home, one)) for one in found if home]


def _with_suffix(name: str) -> str:
    return name if name.endswith(".tex") else f"{name}.tex"
