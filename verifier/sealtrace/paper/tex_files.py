"""The files of a document, the one that is given and those that it puts in, as one stream of tokens."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from sealtrace.paper.extracted import Load, ReadingProblem
from sealtrace.paper.tex_harmless import doubts_in, is_brought, is_published, without_passages
from sealtrace.paper.tex_tokens import SourceText, Token, TokenStream, match_braces, tokenize
from sealtrace.paper.tex_visible import HIDES, before_tables

_FILE_ENDS = "end of file"


class OpenFiles(TokenStream):
    """What is left of a document: its main file, and in front of that other files and what macros became."""

    def __init__(self, name: str, tokens: list[Token]) -> None:
        self._main = iter(tokens)
        self.opened = [name]
        """The files that are being read."""
        self.pushed = 0
        """How many tokens were put in front so far."""
        super().__init__(more=lambda: next(self._main, None))

    def next(self) -> Token | None:
        token = super().next()
        while token is not None and token.kind == _FILE_ENDS:
            self.opened.pop()
            token = super().next()
        return token

    def expand(self, tokens: list[Token]) -> None:
        """Puts in front what a macro became."""
        self.pushed += len(tokens) + 1
        self.push(tokens)

    def open(self, name: str, tokens: list[Token], where: Token) -> None:
        """Puts a file in front."""
        self.opened.append(name)
        self.push([*tokens, where._replace(kind=_FILE_ENDS)])

    def drop_file(self) -> None:
        """Leaves the file that is being read."""
        while self._waiting:
            if self._waiting.pop().kind == _FILE_ENDS:
                self.opened.pop()
                return
        self.drop_until(None)

    def drop_until(self, offset: int | None) -> None:
        """Leaves everything, but for the main file from an offset on, if one is given."""
        self._waiting.clear()
        del self.opened[1:]
        for token in self._main:
            if offset is not None and token.start >= offset:
                self.push([token])
                return


# Files that put in each other would never end.
MAX_FILES = 500
_MARKER = re.compile(r"^%% file: *(\S.*?)[ \t\r]*$", re.MULTILINE)
_ASKED = re.compile(r"\\(?:input|include|subfile)\s*\{\s*+([^{}\n]*[^{}\s])\s*\}")


class Files:
    """Tokens of files by name.

    Several files may be joined into the one that is given, each under a line "%% file: name". Where one of them asks
    for another, that one is read in its place, and its lines count in the whole; else the line is a comment like any
    other.
    """

    def __init__(self, text: str, source: str, load: Load, problems: list[ReadingProblem]) -> None:
        self._load = load
        self._problems = problems
        self._cache: dict[str, list[Token]] = {}
        self._sections: dict[str, tuple[int, int]] = {}
        self._styles: set[str] = set()
        self.styles: set[str] = set()
        """Packages and classes that lie beside the document."""
        self._put_in = 0
        self._colours: dict[str, tuple[str, str]] = {}
        self._read: list[list[Token]] = []
        self._published: list[list[Token]] = []
        """Packages and classes that are as their publishers give them out."""
        self._main = SourceText(source, without_passages(text), self._colours)
        self._markers = list(_MARKER.finditer(text))
        self.main = self._tokens(self._main, self._cut())

    def holds(self, name: str, where: Token) -> bool:
        if posixpath.splitext(name)[1] in (".sty", ".cls"):  # asked for, and read as what it is where it is used
            return self._load(name) is not None
        return any(self._find(candidate) is not None for candidate in _candidates(name, where))

    def put_in(self, name: str, where: Token, sources: OpenFiles) -> int:
        """Puts a file in front, or notes a problem. Returns how many tokens it has."""
        candidates = _candidates(name, where)
        if not set(sources.opened).isdisjoint(candidates):
            self._problems.append(where.problem(f"{name} puts itself in"))
            return 0
        if self._put_in == MAX_FILES:
            self._problems.append(where.problem(f"more than {MAX_FILES} files are put in: {name} is not read"))
            return 0
        for candidate in candidates:
            tokens = self._find(candidate)
            if tokens is not None:
                self._put_in += 1
                sources.open(candidate, tokens, where)
                return len(tokens)
        if not is_brought(name):
            self._problems.append(where.problem(f"{name} is not there: what it holds is not read", warning=True))
        return 0

    def style(self, name: str) -> list[Token] | None:
        """A package or class that lies beside the document, where @ is a letter; None where it does not, or again."""
        if name in self._styles or len(self._styles) == MAX_FILES:
            return None
        self._styles.add(name)
        text = self._load(name)
        if text is None:
            return None
        self.styles.add(name)
        tokens, _problems = tokenize(SourceText(name, text, self._colours), 0, len(text), internal=True)
        (self._published if is_published(text) else self._read).append(tokens)
        return match_braces(tokens)[0]

    def doubts(self) -> Iterator[ReadingProblem]:
        """What of the files that were read could change what is printed, and is not followed."""
        return doubts_in(self._read, self._published, {*self.styles, *self._cache})

    def after_document(self, end: Token) -> int | None:
        """Where reading goes on after \\end{document}: at the next file of the given text, if it is a joined one."""
        if end.file is not self._main:
            return None
        return next((match.start() for match in self._markers if match.start() > end.start), None)

    def _find(self, name: str) -> list[Token] | None:
        if name not in self._cache:
            if name in self._sections:
                self._cache[name] = self._tokens(self._main, [self._sections[name]])
            else:
                text = self._load(name)
                if text is None:
                    return None
                file = SourceText(name, without_passages(text), self._colours)
                self._cache[name] = self._tokens(file, [(0, len(text))])
        return self._cache[name]

    def _tokens(self, file: SourceText, pieces: list[tuple[int, int]]) -> list[Token]:
        tokens: list[Token] = []
        for start, command in before_tables(file.text, file.colours):
            where = Token("command", command, file, start, start)
            self._problems.append(where.problem(HIDES.format(command), warning=True))
        for begin, end in pieces:
            more, problems = tokenize(file, begin, end)
            tokens += more
            self._problems.extend(problems)
        self._read.append(tokens)
        tokens, problems = match_braces(tokens)
        self._problems.extend(problems)
        return tokens

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
            if number == 1:
                message = f"a comment says that {match.group(1)} begins here, which TeX does not read so"
                line = self._main.line(match.start())
                self._problems.append(ReadingProblem(message, self._main.name, line, "note"))
            if number > 0 and name in asked and name not in self._sections:
                self._sections[name] = (match.start(), end)
            else:
                pieces.append((match.start(), end))
        return pieces


def _candidates(name: str, where: Token) -> list[str]:
    """What a file may be called: some files name others from their own directory rather than from the document's."""
    found = [name] if name.endswith(".tex") else [f"{name}.tex", name]
    home = posixpath.dirname(where.file.name)
    return found + [posixpath.normpath(posixpath.join(home, candidate)) for candidate in found if home]


def _with_suffix(name: str) -> str:
    return name if name.endswith(".tex") else f"{name}.tex"
