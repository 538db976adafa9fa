"""The files of a document: the one that is given, and those that it puts in."""

from __future__ import annotations

import posixpath
import re

from sealtrace.printed.extracted import Load, Problem
from sealtrace.printed.tex_frames import Frame
from sealtrace.printed.tex_tokens import SourceText, Token, match_braces, tokenize

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
        self._main = SourceText(source, text)
        self._markers = list(_MARKER.finditer(text))
        self.main = self._frame(self._main, self._cut(), source)

    def open(self, name: str, where: Token, opened: set[str | None]) -> Frame | None:
        """A frame to read, or a problem."""
        candidates = [name] if name.endswith(".tex") else [f"{name}.tex", name]
        home = posixpath.dirname(where.file.name)
        if home:
            # Some files name others from their own directory rather than from the document's.
            candidates += [posixpath.normpath(posixpath.join(home, candidate)) for candidate in candidates]
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
        tokens, _problems = tokenize(SourceText(name, text), 0, len(text), internal=True)
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
                self._cache[name] = self._frame(SourceText(name, text), [(0, len(text))], name)
        return self._cache[name]

    def _frame(self, file: SourceText, pieces: list[tuple[int, int]], name: str) -> Frame:
        tokens: list[Token] = []
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


def _with_suffix(name: str) -> str:
    return name if name.endswith(".tex") else f"{name}.tex"
