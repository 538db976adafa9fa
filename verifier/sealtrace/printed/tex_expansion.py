"""A document as one stream of tokens: files put in, macros expanded, false conditionals left out.

Every token of an expansion stands where the macro was called, and every argument where it was written, so that a
cell can be traced to its source. Expansion is bounded: macros that call themselves are reported, never followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sealtrace.printed import tex_commands as commands
from sealtrace.printed.extracted import Problem
from sealtrace.printed.tex_files import Files, Load
from sealtrace.printed.tex_frames import Frame, Frames
from sealtrace.printed.tex_tokens import BLANK, Token, group_end, names, written

MAX_DEPTH = 100
MAX_PUSHED = 300_000
"""Tokens that macros may produce, beside five for each token of the source."""
_FROZEN = 1 << 30  # the depth of a command that \let saved: it keeps its first meaning
_DEFINING = names("newcommand renewcommand providecommand DeclareRobustCommand def gdef edef xdef")
_DOCUMENT_COMMANDS = names(
    "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand NewExpandableDocumentCommand"
)
_PROGRAMMING = (
    _DEFINING
    | _DOCUMENT_COMMANDS
    | names(
        """
    let futurelet expandafter csname endcsname global begingroup endgroup bgroup egroup catcode aftergroup relax else
    fi the advance count dimen setbox box newif newcount afterassignment noexpand string
    """
    )
)
_LONGEST_BODY = 200
_INPUT = names("input include subfile import subimport")
_STYLES = {"usepackage": ".sty", "RequirePackage": ".sty", "documentclass": ".cls", "LoadClass": ".cls"}
# A paper is set by pdfTeX unless it says otherwise.
_ENGINES = {"ifpdf": True, "ifPDFTeX": True, "iftutex": False} | dict.fromkeys(
    ["ifxetex", "ifXeTeX", "ifluatex", "ifLuaTeX", "ifxetexorluatex"], False
)
_TRUE, _FALSE, _NO_VALUE = "BooleanTrue", "BooleanFalse", "NoValue"
_SWITCH = re.compile(r"(?:new|provide)(?:bool|toggle)|(?P<set>set)(?:bool|toggle)|(?:bool|toggle)(?P<to>true|false)")
_ASKS = re.compile(r"If(Boolean|NoValue|Value)(T?F?)")
# These have the branches as arguments, and no \fi.
_BRANCHES_IN_BRACES = names(
    "ifthenelse iftoggle ifbool ifdefstring ifstrequal ifblank ifstrempty ifdefempty iflanguage ifdef ifundef ifcsdef"
)
_BUILT_IN = commands.BOLD | commands.UNDERLINE | commands.TYPEWRITER
_BUILT_IN |= commands.SYMBOLS.keys() | commands.SIGNATURES.keys() | commands.ACCENTS.keys()


@dataclass(frozen=True)
class Macro:
    """A definition."""

    body: list[Token]
    parameters: int = 0
    default: list[Token] | None = None
    """Of the first parameter, which is then optional."""
    delimiters: tuple[tuple[Token, ...], ...] = ()
    """For \\def: what must stand before the first parameter and after each of them."""
    signature: tuple[tuple[str, list[Token]], ...] | None = None
    """For \\NewDocumentCommand: the kind of each argument, and what stands for it where it is absent."""


@dataclass(frozen=True)
class ColumnType:
    """A \\newcolumntype."""

    parameters: int
    body: list[Token]


class Expander:
    """The stream."""

    def __init__(self, text: str, source: str, load: Load, problems: list[Problem]) -> None:
        self.problems = problems
        self.column_types: dict[str, ColumnType] = {}
        self._files = Files(text, source, load, problems)
        self._frames = Frames()
        self._frames.stack.append(self._files.main)
        self._allowed = MAX_PUSHED + 5 * len(self._files.main.tokens)
        self._macros: dict[str, Macro] = {}
        self._environments: dict[str, tuple[Macro, list[Token]]] = {}
        self._switches: dict[str, bool] = dict(_ENGINES)
        self._conditionals: list[bool] = []  # whether each open one was decided
        self._scopes: list[tuple[str, list[tuple[str, Macro | None]]]] = []
        self._global: set[str] = set()
        self._runaway: set[str] = set()
        self._undecided: set[tuple[str, str]] = set()
        tokens = self._files.main.tokens
        self.has_document = any(
            token.is_command("begin") and written(tokens[index + 1 : index + 4]) == "{document}"
            for index, token in enumerate(tokens)
        )

    def next(self) -> Token | None:
        """The next token after expansion, or None at the end."""
        while (token := self._frames.next()) is not None:
            if token.kind == "{":
                self._scopes.append(("{", []))
            elif token.kind == "}":
                self._close_scope("{")
            elif token.kind == "command" and self._obeyed(token):
                continue
            return token
        return None

    def _obeyed(self, token: Token) -> bool:
        """Obeys or expands a command. False if it is left to the reader of the stream."""
        name, frames = token.text, self._frames
        if frames.pushed > self._allowed:
            self.problems.append(token.problem("macros expand without end: the rest is not read"))
            frames.stack.clear()
            return True
        macro = self._macros.get(name)
        if macro is not None and token.depth != _FROZEN:
            return self._expanded(token, macro)
        if name in _DEFINING:
            self._define(token)
        elif name in _DOCUMENT_COMMANDS:
            self._define_document_command(token)
        elif (asked := _ASKS.fullmatch(name)) is not None:
            self._answer(asked)
        elif name in _STYLES:
            return self._read_styles(token)
        elif name == "let":
            self._let()
        elif name in ("newenvironment", "renewenvironment"):
            self._define_environment()
        elif name == "DeclareMathOperator":
            self._define_operator()
        elif name == "newcolumntype":
            self._define_column()
        elif name in _INPUT:
            self._put_in(token)
        elif name == "endinput":
            frames.drop_file()
        elif name in ("begingroup", "bgroup"):
            self._scopes.append(("{", []))
        elif name in ("endgroup", "egroup"):
            self._close_scope("{")
        elif name == "begin":
            return self._begin(token)
        elif name == "end":
            return self._end(token)
        else:
            return self._decided(token)
        return True

    # Calls

    def _expanded(self, call: Token, macro: Macro) -> bool:
        if call.depth > MAX_DEPTH:
            if call.text not in self._runaway:
                self._runaway.add(call.text)
                self.problems.append(call.problem(f"\\{call.text} calls itself without end"))
            return False
        arguments, end = self._arguments(call, macro)
        self._frames.push(_instantiate(macro.body, arguments, call, end))
        return True

    def _arguments(self, call: Token, macro: Macro) -> tuple[list[list[Token]], int]:
        """Arguments of a call, and the offset at which the call ends."""
        if macro.signature is not None:
            return [self._signed(letter, default, call) for letter, default in macro.signature], call.end
        end = call.end
        arguments: list[list[Token]] = []
        for expected in macro.delimiters[0] if macro.delimiters else ():
            following = self._frames.peek(blanks=True)
            if following is not None and (following.kind, following.text) == (expected.kind, expected.text):
                self._frames.next()
        for number in range(macro.parameters):
            if number == 0 and macro.default is not None:
                option = self._frames.option()
                arguments.append(_instantiate(macro.default, [], call, call.end) if option is None else option)
                continue
            delimiter = macro.delimiters[number + 1] if macro.delimiters else ()
            taken, last = self._delimited(call, delimiter) if delimiter else self._frames.argument()
            arguments.append(taken)
            if last is not None and last.file is call.file:
                end = max(end, last.end)
        return arguments, end

    def _delimited(self, call: Token, delimiter: tuple[Token, ...]) -> tuple[list[Token], Token | None]:
        found = self._frames.delimited(delimiter)
        if found is None:
            self.problems.append(call.problem(f"a call of \\{call.text} whose end is not found"))
            # A stray token, so that a table in which this happens is refused.
            return [call._replace(kind="stray", text="")], None
        return found

    # Definitions, which hold until the group around them ends

    def _define(self, token: Token) -> None:
        kind, frames = token.text, self._frames
        if kind.endswith("def"):
            self._define_plain(kind)
            return
        frames.star()
        name = self._defined_name()
        option = frames.option()
        default = frames.option() if option is not None else None
        body, _last = frames.argument()
        if name is None:
            self.problems.append(token.problem(f"a \\{kind} that cannot be read", warning=True))
        elif kind != "providecommand" or (name not in self._macros and name not in _BUILT_IN):
            self._set(name, Macro(body, _digit(option), default))

    def _define_plain(self, kind: str) -> None:
        frames = self._frames
        target = frames.peek()
        if target is None or target.kind != "command":
            return
        frames.next()
        delimiters: list[list[Token]] = [[]]
        while (following := frames.peek(blanks=True)) is not None and following.kind != "{":
            if following.kind == "par" or len(delimiters) > 9 or len(delimiters[-1]) > 20:
                return
            frames.next()
            if following.kind == "param":
                delimiters.append([])
            else:
                delimiters[-1].append(following)
        body, _last = frames.argument()
        macro = Macro(body, len(delimiters) - 1, None, tuple(tuple(delimiter) for delimiter in delimiters))
        self._set(target.text, macro, everywhere=kind in ("gdef", "xdef"))

    def _define_document_command(self, token: Token) -> None:
        name = self._defined_name()
        specification, _last = self._frames.argument()
        body, _last = self._frames.argument()
        signature: list[tuple[str, list[Token]]] = []
        index = 0
        while index < len(specification):
            given = specification[index]
            if given.kind == "{" and signature:
                end = group_end(specification, index)
                signature[-1] = (signature[-1][0], specification[index + 1 : end])
                index = end
            elif given.kind == "text":
                signature += [(letter, []) for letter in given.text if letter in "mosOvbc"]
            index += 1
        if name is not None and (token.text != "ProvideDocumentCommand" or name not in self._macros):
            self._set(name, Macro(body, len(signature), None, (), tuple(signature[:9])))

    def _signed(self, letter: str, default: list[Token], call: Token) -> list[Token]:
        """An argument by its letter in a signature."""
        frames = self._frames
        if letter == "s":
            following = frames.peek(blanks=True)
            starred = following is not None and following.kind == "*"
            if starred:
                frames.next()
            return [call._replace(kind="command", text=_TRUE if starred else _FALSE)]
        if letter in "oO":
            option = frames.option()
            absent = default if letter == "O" else [call._replace(kind="command", text=_NO_VALUE)]
            return absent if option is None else option
        return frames.argument()[0]

    def _answer(self, asked: re.Match[str]) -> None:
        """\\IfBooleanTF and its like: pushes the branch that holds."""
        frames = self._frames
        about, _last = frames.argument()
        holds = written(about) == {"Boolean": f"\\{_TRUE}", "NoValue": f"\\{_NO_VALUE}"}.get(asked.group(1), "")
        if asked.group(1) == "Value":
            holds = written(about) != f"\\{_NO_VALUE}"
        branches = {branch: frames.argument()[0] for branch in asked.group(2)}
        frames.push(branches.get("T" if holds else "F", []))

    def _read_styles(self, token: Token) -> bool:
        """Takes the definitions of a package or class that lies beside the document. The command itself stays."""
        frames = self._frames
        before = frames.stack[-1].index if frames.stack else 0
        frame = frames.stack[-1] if frames.stack else None
        frames.option()
        asked = written(frames.peek_group())
        if frame is not None and frames.stack and frames.stack[-1] is frame:
            frame.index = before
        for name in asked.split(",")[:50]:
            style = self._files.style(name.strip() + _STYLES[token.text])
            if style is not None:
                self._take_definitions(style)
        return False

    def _take_definitions(self, style: Frame) -> None:
        """Obeys nothing but definitions, and none that would change what is known already."""
        outer, self._frames = self._frames, Frames()
        problems, self.problems = self.problems, []
        known = dict(self._macros)
        self._frames.stack.append(style)
        while (token := self._frames.next()) is not None:
            if token.kind != "command":
                continue
            if token.text in _DEFINING:
                self._define(token)
            elif token.text in _DOCUMENT_COMMANDS:
                self._define_document_command(token)
            elif token.text == "DeclareMathOperator":
                self._define_operator()
            elif token.text == "newcolumntype":
                self._define_column()
            elif token.text == "newif":
                self._decided(token)
            elif token.text == "RequirePackage":
                self._read_styles(token)
        self._macros = {name: macro for name, macro in self._macros.items() if _plain_macro(name, macro)} | known
        self._frames, self.problems = outer, problems

    def _define_column(self) -> None:
        column = written(self._frames.argument()[0])
        parameters = _digit(self._frames.option())
        self.column_types[column] = ColumnType(parameters, self._frames.argument()[0])

    def _define_operator(self) -> None:
        self._frames.star()
        name = self._defined_name()
        body, _last = self._frames.argument()
        if name is not None:
            self._set(name, Macro(body))

    def _define_environment(self) -> None:
        frames = self._frames
        frames.star()
        name = written(frames.argument()[0])
        option = frames.option()
        default = frames.option() if option is not None else None
        begin, _last = frames.argument()
        end, _last = frames.argument()
        if name not in commands.TABULARS | commands.FLOATS:
            self._environments[name] = (Macro(begin, _digit(option), default), end)

    def _let(self) -> None:
        frames = self._frames
        target = frames.peek()
        if target is None or target.kind != "command":
            return
        frames.next()
        meaning = frames.peek()
        if meaning is not None and meaning.kind == "text" and meaning.text.startswith("="):
            frames.argument()
            meaning = frames.peek()
        if meaning is None or meaning.kind in "{}":
            return
        frames.next()
        saved = self._macros.get(meaning.text) if meaning.kind == "command" else None
        self._set(target.text, saved or Macro([meaning._replace(depth=_FROZEN)]))

    def _defined_name(self) -> str | None:
        told = [token for token in self._frames.argument()[0] if token.kind not in BLANK]
        return told[0].text if len(told) == 1 and told[0].kind == "command" else None

    def _set(self, name: str, macro: Macro, *, everywhere: bool = False) -> None:
        if name in commands.STRUCTURAL:
            return
        if everywhere:
            self._global.add(name)
        elif self._scopes:
            self._scopes[-1][1].append((name, self._macros.get(name)))
        self._macros[name] = macro

    def _close_scope(self, kind: str) -> None:
        if kind == "{" and self._scopes and self._scopes[-1][0] != "{":
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

    # Environments

    def _begin(self, token: Token) -> bool:
        self._scopes.append(("begin", []))
        own = self._environments.get(written(self._frames.peek_group()))
        if own is None:
            return False
        self._frames.argument()
        return self._expanded(token, own[0])

    def _end(self, token: Token) -> bool:
        name = written(self._frames.peek_group())
        if any(opened == "begin" for opened, _earlier in self._scopes[-MAX_DEPTH:]):
            self._close_scope("begin")
        own = self._environments.get(name)
        if own is not None and token.depth <= MAX_DEPTH:
            _name, last = self._frames.argument()
            end = last.end if last is not None and last.file is token.file else token.end
            self._frames.push(_instantiate(own[1], [], token, end))
            return True
        if name == "document":
            self._end_document(token)
            return True
        return False

    def _end_document(self, token: Token) -> None:
        """Nothing after \\end{document} is printed, unless it is another file that was put behind this one."""
        resume = self._files.after_document(token)
        stack = self._frames.stack
        del stack[1:]
        if stack:
            frame = stack[0]
            while frame.index < len(frame.tokens) and (resume is None or frame.tokens[frame.index].start < resume):
                frame.index += 1

    # Conditionals

    def _decided(self, token: Token) -> bool:
        """True if the token is a part of a conditional, and is obeyed here."""
        name = token.text
        if name == "newif":
            target, _last = self._frames.argument()
            if target and target[0].kind == "command":
                self._switches[target[0].text] = False
        elif name.endswith("true") and f"if{name[:-4]}" in self._switches:
            self._switches[f"if{name[:-4]}"] = True
        elif name.endswith("false") and f"if{name[:-5]}" in self._switches:
            self._switches[f"if{name[:-5]}"] = False
        elif (switch := _SWITCH.fullmatch(name)) is not None:
            self._set_switch(switch)
        elif name in ("ifbool", "iftoggle", "notbool", "nottoggle") and (
            held := self._switches.get(f"{written(self._frames.peek_group())} ")
        ) in (True, False):
            self._frames.argument()
            self._choose(held is name.startswith("if"))
        elif name in ("ifstrempty", "ifblank"):
            self._choose(not written(self._frames.argument()[0]))
        elif name == "ifstrequal":
            first, _last = self._frames.argument()
            self._choose(written(first) == written(self._frames.argument()[0]))
        elif name in ("iftrue", "iffalse") or name in self._switches:
            self._conditionals.append(True)
            if not self._switches.get(name, name == "iftrue"):
                self._skip_branch(token)
        elif name == "else":
            if self._conditionals and self._conditionals[-1]:
                self._skip_branch(token)
        elif name == "fi":
            if self._conditionals:
                self._conditionals.pop()
        elif is_undecided(name):
            if name not in _BRANCHES_IN_BRACES:
                self._conditionals.append(False)
            if (name, token.file.name) not in self._undecided:
                self._undecided.add((name, token.file.name))
                message = f"\\{name} is not evaluated: all its branches are read"
                self.problems.append(token.problem(message, warning=True))
            return False
        else:
            return False
        return True

    def _set_switch(self, switch: re.Match[str]) -> None:
        """\\newbool{x}, \\booltrue{x}, \\setbool{x}{true}: switches of etoolbox, told from others by a blank."""
        name = f"{written(self._frames.argument()[0])} "
        to = written(self._frames.argument()[0]) if switch["set"] else switch["to"]
        self._switches[name] = to == "true"

    def _choose(self, holds: bool) -> None:
        branches = [self._frames.argument()[0] for _ in range(2)]
        self._frames.push(branches[0] if holds else branches[1])

    def _skip_branch(self, opening: Token) -> None:
        """Leaves out tokens to the \\else or \\fi of the innermost open conditional."""
        depth = 0
        while (token := self._frames.next()) is not None:
            if token.kind != "command":
                continue
            if is_undecided(token.text):
                depth += token.text not in _BRANCHES_IN_BRACES
            elif token.text == "fi":
                if depth == 0:
                    self._conditionals.pop()
                    return
                depth -= 1
            elif token.text == "else" and depth == 0 and opening.text != "else":
                return  # what follows is the branch that holds
        self.problems.append(opening.problem(f"\\{opening.text} without \\fi: the rest is not read"))

    # Files

    def _put_in(self, token: Token) -> None:
        name = self._file_name(token)
        if not name:
            self.problems.append(token.problem(f"\\{token.text} names no file", warning=True))
            return
        frame = self._files.open(name, token, {frame.name for frame in self._frames.stack})
        if frame is not None:
            self._allowed += 5 * len(frame.tokens)
            self._frames.stack.append(frame)

    def _file_name(self, token: Token) -> str:
        frames = self._frames
        following = frames.peek()
        if following is not None and following.kind == "{":
            name = written(frames.argument()[0])
            if token.text in ("import", "subimport"):
                name += written(frames.argument()[0])
            return name.strip('"')
        name = ""
        while (following := frames.peek(blanks=True)) is not None and following.kind in ("text", "_"):
            name += following.text
            frames.next()
        return name


def _plain_macro(name: str, macro: Macro) -> bool:
    """Whether a definition of a package is one that an author could have written: it prints, and programs nothing."""
    if name in _BUILT_IN or name in commands.TITLE_PAGE or len(macro.body) > _LONGEST_BODY:
        return False
    called = {token.text for token in (*macro.body, *(macro.default or ())) if token.kind == "command"}
    programming = called & _PROGRAMMING or any("@" in one or is_undecided(one) for one in (name, *called))
    return not programming and name not in called


def is_undecided(name: str) -> bool:
    """Whether a command opens a conditional; outside Expander, one that only TeX can decide."""
    return name.startswith("if") and name != "iff"


def _instantiate(body: list[Token], arguments: list[list[Token]], call: Token, end: int) -> list[Token]:
    """A macro's body at the place of its call, with the arguments where they were written."""
    depth = call.depth + 1
    result: list[Token] = []
    for token in body:
        if token.kind == "param" and not token.text.startswith("##"):
            number = int(token.text[1:])
            result += [
                inner._replace(depth=depth) if inner.kind == "command" and inner.depth < depth else inner
                for inner in (arguments[number - 1] if number <= len(arguments) else [])
            ]
            continue
        text = token.text[1:] if token.kind == "param" else token.text
        kept = _FROZEN if token.depth == _FROZEN else depth
        result.append(Token(token.kind, text, call.file, call.start, end, kept))
    return result


def _digit(tokens: Iterable[Token] | None) -> int:
    """A number of parameters as written, or zero."""
    text = written(list(tokens or ()))
    return int(text) if re.fullmatch(r"[0-9]", text) else 0
