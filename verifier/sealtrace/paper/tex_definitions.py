"""What a document defines: macros, environments, column types, and the groups that they hold in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sealtrace.paper import tex_commands as commands
from sealtrace.paper.extracted import ReadingProblem
from sealtrace.paper.tex_tokens import BLANK, Token, TokenStream, is_undecided, names, written

FROZEN = 1 << 30
"""The depth of a command that \\let saved: it keeps its first meaning."""
_DEFINING = names("newcommand renewcommand providecommand DeclareRobustCommand DeclareMathOperator def gdef edef xdef")
_DOCUMENT_COMMANDS = names(
    "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand NewExpandableDocumentCommand"
)
_DOCUMENT_ENVIRONMENTS = names("NewDocumentEnvironment RenewDocumentEnvironment DeclareDocumentEnvironment")
PROGRAMMING = (
    _DEFINING
    | _DOCUMENT_COMMANDS
    | names(
        """
    let futurelet expandafter csname endcsname global begingroup endgroup bgroup egroup catcode aftergroup relax else
    fi the advance count dimen setbox box newif newcount afterassignment noexpand string
    """
    )
)
_PREFIXES = names("global long outer protected")
_PDFTEX = names("pdfoutput pdftexversion pdfstrcmp")
# Tokens. Longer bodies are taken to program rather than to print.
_LONGEST_BODY = 200
_BUILT_IN = commands.BOLD | commands.UNDERLINE | commands.TYPEWRITER
_BUILT_IN |= commands.SYMBOLS.keys() | commands.SIGNATURES.keys() | commands.ACCENTS.keys()


@dataclass(frozen=True)
class Macro:
    body: list[Token]
    parameters: int = 0
    default: list[Token] | None = None
    """Of the first parameter, which is then optional."""
    delimiters: tuple[tuple[Token, ...], ...] = ()
    """For \\def: what must stand before the first parameter and after each of them."""
    signature: tuple[tuple[str, list[Token]], ...] | None = None
    """For \\NewDocumentCommand: the kind of each argument with its delimiters, and what stands for it if absent."""


class Definitions:
    """Everything defined so far. A definition holds until the group around it ends."""

    def __init__(self, problems: list[ReadingProblem]) -> None:
        self.macros: dict[str, Macro] = {}
        self.environments: dict[str, tuple[Macro, list[Token]]] = {}
        self.column_types: dict[str, Macro] = {}
        self.scopes: list[tuple[str, list[tuple[str, Macro | None]]]] = []
        self._prefixed = False
        """\\global stands before what follows."""
        self._problems = problems
        self._at: Token | None = None

    def obeyed(self, token: Token, stream: TokenStream) -> bool:
        """Takes a definition in. False if the command is none."""
        name, self._at = token.text, token
        if name in _PREFIXES:
            self._prefixed |= name == "global"
            return True
        try:
            return self._obeyed(token, name, stream)
        finally:
            self._prefixed = False

    def _obeyed(self, token: Token, name: str, stream: TokenStream) -> bool:
        if name in _DEFINING:
            self._define(token, stream)
        elif name in _DOCUMENT_COMMANDS:
            self._define_document_command(token, stream)
        elif name == "let":
            self._let(stream)
        elif name in ("newenvironment", "renewenvironment"):
            self._define_environment(stream)
        elif name in _DOCUMENT_ENVIRONMENTS:
            environment, signature, begin, end = (stream.argument() for _ in range(4))
            self._set_environment(written(environment), Macro(begin, signature=_signature(signature)), end)
        elif name in ("@namedef", "csdef", "csgdef"):
            defined = written(stream.argument())
            self._set(defined, Macro(stream.argument()), everywhere=name == "csgdef")
        elif name == "DeclareSIUnit":
            stream.option()
            if (unit := _defined_name(stream)) is not None:
                self._set(unit, Macro(stream.argument()))
        elif name == "newcolumntype":
            column, parameters = written(stream.argument()), _digit(stream.option())
            self.column_types[column] = Macro(stream.argument(), parameters)
        else:
            return False
        return True

    def knows(self, name: str) -> bool:
        """Whether a command is defined, here or by LaTeX as it is read."""
        return name in self.macros or name in _BUILT_IN or name in commands.STRUCTURAL or name in _PDFTEX

    def take_package(self, style: list[Token]) -> tuple[list[str], list[str]]:
        """Obeys nothing but definitions, and none that would change what is known already.

        Returns the packages that it asks for, and the switches that it declares.
        """
        problems, self._problems = self._problems, []
        known, environments = dict(self.macros), dict(self.environments)
        required: list[str] = []
        switches: list[str] = []
        stream = TokenStream(style)
        while (token := stream.next()) is not None:
            if token.is_command("RequirePackage"):
                stream.option()
                required += written(stream.argument()).split(",")
            elif token.is_command("newif"):
                switches += [named.text for named in stream.argument()[:1] if named.kind == "command"]
            elif token.kind == "command":
                self.obeyed(token, stream)
        plain = {name: macro for name, macro in self.macros.items() if _plain_macro(name, macro)}
        self.macros, self.environments, self._problems = plain | known, environments, problems
        return required, switches

    def _define(self, token: Token, stream: TokenStream) -> None:
        kind = token.text
        if kind.endswith("def"):
            self._define_plain(kind, stream)
            return
        stream.star()
        name = _defined_name(stream)
        option = stream.option()
        default = stream.option() if option is not None else None
        body = stream.argument()
        if name is None:
            self._problems.append(token.problem(f"a \\{kind} that cannot be read", warning=True))
        elif kind != "providecommand" or (name not in self.macros and name not in _BUILT_IN):
            self._set(name, Macro(body, _digit(option), default))

    def _define_plain(self, kind: str, stream: TokenStream) -> None:
        target = stream.ahead()
        if target is None or target.kind != "command":
            return
        stream.next()
        delimiters: list[list[Token]] = [[]]
        while (following := stream.peek()) is not None and following.kind != "{":
            if following.kind == "par" or len(delimiters) > 9 or len(delimiters[-1]) > 20:
                return
            stream.next()
            if following.kind == "param":
                delimiters.append([])
            else:
                delimiters[-1].append(following)
        body = stream.argument()
        macro = Macro(body, len(delimiters) - 1, None, tuple(tuple(delimiter) for delimiter in delimiters))
        self._set(target.text, macro, everywhere=kind in ("gdef", "xdef"))

    def _define_document_command(self, token: Token, stream: TokenStream) -> None:
        name = _defined_name(stream)
        signature = _signature(stream.argument())
        body = stream.argument()
        if name is not None and (token.text != "ProvideDocumentCommand" or name not in self.macros):
            self._set(name, Macro(body, len(signature), signature=signature))

    def _define_environment(self, stream: TokenStream) -> None:
        stream.star()
        name = written(stream.argument())
        option = stream.option()
        default = stream.option() if option is not None else None
        begin = stream.argument()
        self._set_environment(name, Macro(begin, _digit(option), default), stream.argument())

    def _set_environment(self, name: str, begin: Macro, end: list[Token]) -> None:
        if name in commands.TABULARS | commands.FLOATS:
            self._refuse(name)
        else:
            self.environments[name] = (begin, end)

    def _let(self, stream: TokenStream) -> None:
        target = stream.ahead()
        if target is None or target.kind != "command" or target.text in PROGRAMMING:
            return
        stream.next()
        meaning = stream.ahead()
        if meaning is not None and meaning.kind == "text" and meaning.text.startswith("="):
            stream.argument()
            meaning = stream.ahead()
        if meaning is None or meaning.kind in "{}":
            return
        stream.next()
        saved = self.macros.get(meaning.text) if meaning.kind == "command" else None
        self._set(target.text, saved or Macro([meaning._replace(depth=FROZEN)]))

    def _set(self, name: str, macro: Macro, *, everywhere: bool = False) -> None:
        if name in commands.STRUCTURAL:
            if name not in commands.FULL_RULES or not _only_rules(macro.body):
                self._refuse(name)
            return
        if everywhere or self._prefixed:
            # What groups around it would restore at their end is no more.
            for _opened, earlier in self.scopes:
                earlier[:] = [(known, before) for known, before in earlier if known != name]
        elif self.scopes:
            self.scopes[-1][1].append((name, self.macros.get(name)))
        self.macros[name] = macro

    def _refuse(self, name: str) -> None:
        if name in commands.OF_TABLES and self._at is not None:
            message = f"{name} is defined anew: it is read as LaTeX defines it"
            self._problems.append(self._at.problem(message, warning=True))

    def close_scope(self, kind: str) -> None:
        if kind == "{" and self.scopes and self.scopes[-1][0] != "{":
            return
        while self.scopes:
            opened, earlier = self.scopes.pop()
            for name, macro in reversed(earlier):
                if macro is None:
                    self.macros.pop(name, None)
                else:
                    self.macros[name] = macro
            if opened == kind:
                return


def _plain_macro(name: str, macro: Macro) -> bool:
    """Whether a definition of a package is one that an author could have written: it prints, and programs nothing."""
    if name in _BUILT_IN or name in commands.TITLE_PAGE or len(macro.body) > _LONGEST_BODY:
        return False
    called = {token.text for token in (*macro.body, *(macro.default or ())) if token.kind == "command"}
    programming = called & PROGRAMMING or any("@" in word or is_undecided(word) for word in (name, *called))
    return not programming and name not in called


def _only_rules(body: list[Token]) -> bool:
    """Whether a definition draws rules and sets nothing beside them; what \\noalign holds is judged with doubts."""
    depth = 0
    for token in body:
        depth += (token.kind == "{") - (token.kind == "}")
        rule = token.kind == "command" and (token.text in {"noalign", *commands.FULL_RULES} or depth > 0)
        if "@" in token.text or (depth == 0 and not rule and token.kind not in (*BLANK, "}")):
            return False
    return True


def _digit(tokens: Iterable[Token] | None) -> int:
    """A number of parameters as written, or zero."""
    text = written(list(tokens or ()))
    return int(text) if re.fullmatch(r"[0-9]", text) else 0


def _signature(specification: list[Token]) -> tuple[tuple[str, list[Token]], ...]:
    """The arguments that a specification of xparse asks for: a letter with its delimiters, and a default."""
    signature: list[tuple[str, list[Token]]] = []
    stream = TokenStream(specification)
    while (given := stream.ahead()) is not None:
        taken = stream.argument()
        letter = taken[0].text if taken else ""
        if given.kind == "{" and signature:
            signature[-1] = (signature[-1][0], taken)
        elif letter == ">":
            stream.argument()  # what is done with an argument before it is used
        elif given.kind == "text" and letter in "mosOvbcrRdDt":
            delimiters = "" if letter in "mosOvbc" else written(stream.argument())
            delimiters += "" if letter in "mosOvbct" else written(stream.argument())
            signature.append((letter + delimiters, []))
    return tuple(signature[:9])


def _defined_name(stream: TokenStream) -> str | None:
    told = [token for token in stream.argument() if token.kind not in BLANK]
    return told[0].text if len(told) == 1 and told[0].kind == "command" else None
