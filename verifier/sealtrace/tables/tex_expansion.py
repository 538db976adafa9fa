"""A document as one stream of tokens: files put in, macros expanded, false conditionals left out.

Every token of an expansion stands where the macro was called, and every argument where it was written, so that a
cell can be traced to its source. Expansion is bounded: macros that call themselves are reported, never followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sealtrace.tables import tex_commands as commands
from sealtrace.tables.extracted import Problem
from sealtrace.tables.tex_tokens import BLANK, SourceText, Token, match_braces, tokenize, written

Load = Callable[[str], str | None]

MAX_DEPTH = 100
MAX_FILES = 500
_FROZEN = 1 << 30  # the depth of a command that \let saved: it keeps its first meaning
_SEARCH = 2000  # tokens in which the end of an optional or delimited argument is looked for
_MARKER = re.compile(r"^%% file: *(\S.*?)[ \t\r]*$", re.MULTILINE)
_DEFINING = frozenset("newcommand renewcommand providecommand DeclareRobustCommand def gdef edef xdef".split())
_INPUT = frozenset("input include subfile import subimport".split())
# These have the branches as arguments, and no \fi.
BRANCHES_IN_BRACES = frozenset("ifthenelse iftoggle ifdefstring ifstrequal ifblank ifstrempty ifdefempty iflanguage".split())
_BUILT_IN = (
    frozenset(commands.SYMBOLS)
    | frozenset(commands.SIGNATURES)
    | frozenset(commands.ACCENTS)
    | commands.BOLD
    | commands.UNDERLINE
    | commands.TYPEWRITER
)


@dataclass(frozen=True)
class Macro:
    """A definition."""

    body: list[Token]
    parameters: int = 0
    default: list[Token] | None = None
    """Of the first parameter, which is then optional."""
    delimiters: tuple[tuple[Token, ...], ...] = ()
    """For \\def: what must stand before the first parameter and after each of them."""


@dataclass(frozen=True)
class ColumnType:
    """A \\newcolumntype."""

    parameters: int
    body: list[Token]


class _Frame:
    """A list of tokens that is being read."""

    def __init__(self, tokens: list[Token], closing: dict[int, int], name: str | None = None) -> None:
        self.tokens = tokens
        self.closing = closing
        self.name = name  # of the file
        self.index = 0


class Expander:
    """The stream."""

    def __init__(self, text: str, source: str, load: Load, problems: list[Problem]) -> None:
        self.problems = problems
        self.column_types: dict[str, ColumnType] = {}
        self._load = load
        self._macros: dict[str, Macro] = {}
        self._environments: dict[str, tuple[Macro, list[Token]]] = {}
        self._switches: dict[str, bool] = {}
        self._conditionals: list[bool] = []  # whether each open one was decided
        self._scopes: list[tuple[str, list[tuple[str, Macro | None]]]] = []
        self._global: set[str] = set()
        self._runaway: set[str] = set()
        self._cache: dict[str, tuple[list[Token], dict[int, int]]] = {}
        self._files = 0
        main = SourceText(source, text)
        self._markers = [match.start() for match in _MARKER.finditer(text)]
        pieces, self._sections = _sections(main)
        tokens = [token for begin, end in pieces for token in self._tokenize(main, begin, end)]
        self._main = main
        frame = self._file_frame(tokens, source)
        self._frames = [frame]
        self._budget = 200_000 + 5 * len(tokens)
        self.has_document = any(
            token.is_command("begin") and written(tokens[index + 1 : index + 4]) == "{document}"
            for index, token in enumerate(tokens)
        )

    def next(self) -> Token | None:
        """The next token after expansion, or None at the end."""
        while (token := self._next_raw()) is not None:
            if token.kind == "{":
                self._scopes.append(("{", []))
            elif token.kind == "}":
                self._close_scope("{")
            elif token.kind == "command" and not self._emitted(token):
                continue
            return token
        return None

    # Reading without expansion

    def _next_raw(self) -> Token | None:
        while self._frames:
            frame = self._frames[-1]
            if frame.index < len(frame.tokens):
                frame.index += 1
                return frame.tokens[frame.index - 1]
            self._frames.pop()
        return None

    def _peek_raw(self, *, blanks: bool = False) -> Token | None:
        """The next token; white space before it is passed over unless asked for."""
        while self._frames:
            frame = self._frames[-1]
            if frame.index == len(frame.tokens):
                self._frames.pop()
            elif not blanks and frame.tokens[frame.index].kind in BLANK:
                frame.index += 1
            else:
                return frame.tokens[frame.index]
        return None

    def _push(self, tokens: list[Token]) -> None:
        if tokens:
            self._budget -= len(tokens)
            tokens, closing, _problems = match_braces(tokens)
            self._frames.append(_Frame(tokens, closing))

    def _argument(self) -> tuple[list[Token], Token | None]:
        """A group without its braces or one token, and the last token that was taken."""
        token = self._peek_raw()
        if token is None or token.kind == "}":
            return [], None
        frame = self._frames[-1]
        if token.kind == "{":
            begin, end = frame.index + 1, frame.closing[frame.index]
            frame.index = end + 1
            return frame.tokens[begin:end], frame.tokens[end]
        frame.index += 1
        if token.kind == "text" and len(token.text) > 1:
            self._push([token._replace(text=token.text[1:], start=token.start + 1)])
            token = token._replace(text=token.text[0], end=token.start + 1)
        return [token], token

    def _option(self) -> list[Token] | None:
        token = self._peek_raw()
        if token is None or token.kind != "[":
            return None
        frame = self._frames[-1]
        index = frame.index + 1
        while index < min(len(frame.tokens), frame.index + _SEARCH):
            kind = frame.tokens[index].kind
            if kind == "]":
                taken = frame.tokens[frame.index + 1 : index]
                frame.index = index + 1
                return taken
            index = frame.closing[index] + 1 if kind == "{" else index + 1
        return None

    def _star(self) -> None:
        token = self._peek_raw()
        if token is not None and token.kind == "*":
            self._next_raw()

    # Commands that the stream itself obeys

    def _emitted(self, token: Token) -> bool:
        """Obeys or expands a command. True if it is left for the reader of the stream."""
        name = token.text
        if self._budget < 0:
            self.problems.append(token.problem("macros expand without end: the rest is not read"))
            self._frames.clear()
            return False
        macro = self._macros.get(name)
        if macro is not None and token.depth != _FROZEN:
            return self._expand(token, macro)
        if name in _DEFINING:
            self._define(token)
        elif name == "let":
            self._let()
        elif name in ("newenvironment", "renewenvironment"):
            self._define_environment()
        elif name == "DeclareMathOperator":
            self._star()
            self._define_operator()
        elif name == "newcolumntype":
            column = written(self._argument()[0])
            parameters = _integer(self._option())
            self.column_types[column] = ColumnType(parameters, self._argument()[0])
        elif name in _INPUT:
            self._include(token)
        elif name == "endinput":
            self._end_input()
        elif name in ("begingroup", "bgroup"):
            self._scopes.append(("{", []))
        elif name in ("endgroup", "egroup"):
            self._close_scope("{")
        elif name in ("begin", "end"):
            return self._environment(token)
        else:
            return not self._conditional(token)
        return False

    def _expand(self, token: Token, macro: Macro) -> bool:
        if token.depth > MAX_DEPTH:
            if token.text not in self._runaway:
                self._runaway.add(token.text)
                self.problems.append(token.problem(f"\\{token.text} calls itself without end"))
            return True
        arguments, end = self._take_arguments(token, macro)
        self._push(_instantiate(macro.body, arguments, token, end))
        self._budget -= 1
        return False

    def _take_arguments(self, call: Token, macro: Macro) -> tuple[list[list[Token]], int]:
        """Arguments of a call, and the offset at which the call ends."""
        end = call.end
        arguments: list[list[Token]] = []
        if macro.delimiters:
            for _expected in macro.delimiters[0]:
                self._next_raw()
        for number in range(macro.parameters):
            if number == 0 and macro.default is not None:
                option = self._option()
                arguments.append(macro.default if option is None else option)
                continue
            delimiter = macro.delimiters[number + 1] if macro.delimiters else ()
            taken, last = self._delimited(delimiter) if delimiter else self._argument()
            arguments.append(taken)
            if last is not None and last.file is call.file:
                end = max(end, last.end)
        return arguments, end

    def _delimited(self, delimiter: tuple[Token, ...]) -> tuple[list[Token], Token | None]:
        if self._peek_raw(blanks=True) is None:
            return [], None
        frame = self._frames[-1]
        wanted = [(token.kind, token.text) for token in delimiter]
        index = frame.index
        while index < min(len(frame.tokens), frame.index + _SEARCH):
            if [(token.kind, token.text) for token in frame.tokens[index : index + len(wanted)]] == wanted:
                taken = frame.tokens[frame.index : index]
                frame.index = index + len(wanted)
                return taken, frame.tokens[frame.index - 1]
            index = frame.closing[index] + 1 if frame.tokens[index].kind == "{" else index + 1
        return [], None

    def _define(self, token: Token) -> None:
        kind = token.text
        if kind.endswith("def"):
            self._define_plain(kind)
            return
        self._star()
        name = self._defined_name()
        option = self._option()
        default = self._option() if option is not None else None
        body, _last = self._argument()
        if name is None:
            self.problems.append(token.problem(f"a \\{kind} that cannot be read", warning=True))
        elif kind != "providecommand" or (name not in self._macros and name not in _BUILT_IN):
            self._set(name, Macro(body, min(_integer(option), 9), default))

    def _define_plain(self, kind: str) -> None:
        target = self._peek_raw()
        if target is None or target.kind != "command":
            return
        self._next_raw()
        delimiters: list[list[Token]] = [[]]
        while (following := self._peek_raw(blanks=True)) is not None and following.kind != "{":
            if following.kind == "par" or len(delimiters) > 9 or len(delimiters[-1]) > 20:
                return
            self._next_raw()
            if following.kind == "param":
                delimiters.append([])
            else:
                delimiters[-1].append(following)
        body, _last = self._argument()
        macro = Macro(body, len(delimiters) - 1, None, tuple(tuple(delimiter) for delimiter in delimiters))
        self._set(target.text, macro, everywhere=kind in ("gdef", "xdef"))

    def _define_operator(self) -> None:
        name = self._defined_name()
        body, _last = self._argument()
        if name is not None and body:
            self._set(name, Macro([body[0]._replace(kind="{", text="{"), *body, body[0]._replace(kind="}", text="}")]))

    def _define_environment(self) -> None:
        self._star()
        name = written(self._argument()[0])
        option = self._option()
        default = self._option() if option is not None else None
        begin, _last = self._argument()
        end, _last = self._argument()
        if name not in commands.TABULARS | commands.FLOATS:
            self._environments[name] = (Macro(begin, min(_integer(option), 9), default), end)

    def _let(self) -> None:
        target = self._peek_raw()
        if target is None or target.kind != "command":
            return
        self._next_raw()
        meaning = self._peek_raw()
        if meaning is not None and meaning.kind == "text" and meaning.text.startswith("="):
            self._argument()
            meaning = self._peek_raw()
        if meaning is None or meaning.kind in "{}":
            return
        self._next_raw()
        self._set(target.text, self._macros.get(meaning.text) or Macro([meaning._replace(depth=_FROZEN)]))

    def _defined_name(self) -> str | None:
        argument, _last = self._argument()
        commands_in = [token for token in argument if token.kind not in BLANK]
        return commands_in[0].text if len(commands_in) == 1 and commands_in[0].kind == "command" else None

    # Definitions hold until the group around them ends

    def _set(self, name: str, macro: Macro, *, everywhere: bool = False) -> None:
        if name in commands.STRUCTURAL:
            return
        if everywhere:
            self._global.add(name)
        elif self._scopes:
            self._scopes[-1][1].append((name, self._macros.get(name)))
        self._macros[name] = macro

    def _close_scope(self, kind: str) -> None:
        if not self._scopes or (kind == "{" and self._scopes[-1][0] != "{"):
            return
        while self._scopes:
            opened, earlier = self._scopes.pop()
            for name, macro in reversed(earlier):
                if name in self._global:
                    continue
                if macro is None:
                    self._macros.pop(name, None)
                else:
                    self._macros[name] = macro
            if opened == kind:
                return

    def _environment(self, token: Token) -> bool:
        following = self._peek_raw()
        name = ""
        if following is not None and following.kind == "{":
            frame = self._frames[-1]
            name = written(frame.tokens[frame.index + 1 : frame.closing[frame.index]])
        own = self._environments.get(name)
        if token.text == "begin":
            self._scopes.append(("begin", []))
            if own is None:
                return True
            self._argument()
            return self._expand(token, own[0])
        if any(opened == "begin" for opened, _earlier in self._scopes[-MAX_DEPTH:]):
            self._close_scope("begin")
        if own is not None:
            _name, last = self._argument()
            end = last.end if last is not None and last.file is token.file else token.end
            self._push(_instantiate(own[1], [], token, end))
            return token.depth > MAX_DEPTH
        if name == "document":
            self._end_document(token)
        return True

    def _end_document(self, token: Token) -> None:
        """Nothing after \\end{document} is printed, unless it is another file that was put behind this one."""
        self._argument()
        if token.file is self._main:
            resume = next((start for start in self._markers if start > token.start), len(token.file.text))
            del self._frames[1:]
            frame = self._frames[0]
            while frame.index < len(frame.tokens) and frame.tokens[frame.index].start < resume:
                frame.index += 1
        else:
            self._frames.clear()

    # Conditionals

    def _conditional(self, token: Token) -> bool:
        """True if the token was a part of a conditional that is decided here."""
        name = token.text
        if name == "newif":
            target, _last = self._argument()
            if target and target[0].kind == "command":
                self._switches[target[0].text] = False
        elif name.endswith("true") and f"if{name[:-4]}" in self._switches:
            self._switches[f"if{name[:-4]}"] = True
        elif name.endswith("false") and f"if{name[:-5]}" in self._switches:
            self._switches[f"if{name[:-5]}"] = False
        elif name in ("iftrue", "iffalse") or name in self._switches:
            self._conditionals.append(True)
            if not self._switches.get(name, name == "iftrue"):
                self._skip_branch(token)
        elif name == "else" and self._conditionals:
            if self._conditionals[-1]:
                self._skip_branch(token)
        elif name in ("fi", "else"):
            if self._conditionals:
                self._conditionals.pop()
        elif is_undecided(name):
            if name not in BRANCHES_IN_BRACES:
                self._conditionals.append(False)
            self.problems.append(token.problem(f"\\{name} is not evaluated: all its branches are read", warning=True))
            return False
        else:
            return False
        return True

    def _skip_branch(self, opening: Token) -> None:
        """Leaves out tokens to the \\else or \\fi of the innermost open conditional."""
        depth = 0
        while (token := self._next_raw()) is not None:
            if token.kind != "command":
                continue
            if token.text in ("iftrue", "iffalse") or token.text in self._switches or is_undecided(token.text):
                depth += token.text not in BRANCHES_IN_BRACES
            elif token.text == "fi":
                if depth == 0:
                    self._conditionals.pop()
                    return
                depth -= 1
            elif token.text == "else" and depth == 0 and opening.text != "else":
                # What follows is the branch that holds.
                return
        self.problems.append(opening.problem(f"\\{opening.text} without \\fi: the rest is not read"))

    # Files

    def _include(self, token: Token) -> None:
        name = self._file_name(token)
        if not name:
            self.problems.append(token.problem(f"\\{token.text} names no file", warning=True))
            return
        candidates = [name] if name.endswith(".tex") else [f"{name}.tex", name]
        for candidate in candidates:
            if any(frame.name == candidate for frame in self._frames):
                self.problems.append(token.problem(f"{candidate} puts itself in"))
                return
        if self._files == MAX_FILES:
            self.problems.append(token.problem(f"more than {MAX_FILES} files are put in: {name} is not read"))
            return
        for candidate in candidates:
            found = self._tokens_of(candidate)
            if found is not None:
                self._files += 1
                self._frames.append(_Frame(*found, candidate))
                return
        self.problems.append(token.problem(f"{name} is not there: what it holds is not read", warning=True))

    def _file_name(self, token: Token) -> str:
        following = self._peek_raw()
        if following is None:
            return ""
        if following.kind == "{":
            parts = [written(self._argument()[0])]
            if token.text in ("import", "subimport"):
                parts.append(written(self._argument()[0]))
            return "".join(parts).strip('"')
        name = []
        while (following := self._peek_raw(blanks=True)) is not None and following.kind in ("text", "_"):
            name.append(following.text)
            self._next_raw()
        return "".join(name)

    def _tokens_of(self, name: str) -> tuple[list[Token], dict[int, int]] | None:
        if name not in self._cache:
            if name in self._sections:
                file, (begin, end) = self._main, self._sections[name]
            else:
                text = self._load(name)
                if text is None:
                    return None
                file, begin, end = SourceText(name, text), 0, len(text)
            tokens = self._tokenize(file, begin, end)
            self._budget += 5 * len(tokens)
            frame = self._file_frame(tokens, name)
            self._cache[name] = (frame.tokens, frame.closing)
        return self._cache[name]

    def _tokenize(self, file: SourceText, begin: int, end: int) -> list[Token]:
        tokens, problems = tokenize(file, begin, end)
        self.problems.extend(problems)
        return tokens

    def _file_frame(self, tokens: list[Token], name: str) -> _Frame:
        tokens, closing, problems = match_braces(tokens)
        self.problems.extend(problems)
        return _Frame(tokens, closing, name)

    def _end_input(self) -> None:
        while self._frames:
            if self._frames.pop().name is not None:
                return


def is_undecided(name: str) -> bool:
    """Whether a command opens a conditional that only TeX can decide."""
    return name.startswith("if") and name != "iff"


def _sections(file: SourceText) -> tuple[list[tuple[int, int]], dict[str, tuple[int, int]]]:
    """Pieces of the main text, and the files behind it that it puts in by name.

    Several files may be joined into one, each under a line "%% file: name". Where one of them asks for another, that
    one is read in its place; else the line is a comment like any other.
    """
    text = file.text
    markers = list(_MARKER.finditer(text))
    ends = [match.start() for match in markers[1:]] + [len(text)]
    pieces: list[tuple[int, int]] = []
    sections: dict[str, tuple[int, int]] = {}
    if not markers or markers[0].start() > 0:
        pieces.append((0, markers[0].start() if markers else len(text)))
    asked = {
        name if name.endswith(".tex") else f"{name}.tex"
        for name in re.findall(r"\\(?:input|include|subfile)\s*\{\s*([^{}\n]+?)\s*\}", text)
    }
    for match, end in zip(markers, ends, strict=True):
        name = match.group(1)
        name = name if name.endswith(".tex") else f"{name}.tex"
        if pieces and name in asked and name not in sections:
            sections[name] = (match.start(), end)
        else:
            pieces.append((match.start(), end))
    return pieces, sections


def _instantiate(body: list[Token], arguments: list[list[Token]], call: Token, end: int) -> list[Token]:
    """A macro's body at the place of its call, with the arguments where they were written."""
    depth = call.depth + 1
    result: list[Token] = []
    for token in body:
        if token.kind == "param" and not token.text.startswith("##"):
            number = int(token.text[1:])
            if number <= len(arguments):
                result.extend(
                    inner._replace(depth=depth) if inner.kind == "command" and inner.depth < depth else inner
                    for inner in arguments[number - 1]
                )
            continue
        text = token.text[1:] if token.kind == "param" else token.text
        kept = _FROZEN if token.depth == _FROZEN else depth
        result.append(Token(token.kind, text, call.file, call.start, end, kept))
    return result


def _integer(tokens: Iterable[Token] | None) -> int:
    """A count as written, or zero."""
    text = written(list(tokens or ()))
    return int(text) if re.fullmatch(r"[0-9]", text) else 0
