"""Where the definitions of a LaTeX document begin and end, which of them something calls, what stands around tables.

What a definition holds does nothing until the command is called, so what no file calls need not be judged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from sealtrace.paper import tex_commands as commands
from sealtrace.paper.tex_tokens import BLANK, Token, TokenStream, is_undecided, names, written

_FORMS = {
    name: form
    for form, told in {
        "ob": "newcommand renewcommand providecommand DeclareRobustCommand",
        "gb": "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand",
        "obb": "newenvironment renewenvironment",
        "gbb": "NewDocumentEnvironment RenewDocumentEnvironment DeclareDocumentEnvironment",
        "pb": "def gdef edef xdef",
        "o b": "NewEnviron RenewEnviron",
    }.items()
    for name in told.split()
}
"""What follows the name: o options, g a group of parameters, p parameters of TeX, b a body."""
_INDIRECT = {"csname": "endcsname", "@nameuse": "", "csuse": ""}
_FILES = names("input include subfile import subimport")
# Nine parameters with what stands between them; further on stands another definition.
_MOST_PARAMETERS = 40
_OF_TABULAR = names("@arstrut @array @tabular @tabarray @tabacol @preamble @mkpream @sharp @acol @startpbox @endpbox")


class Body(NamedTuple):
    """What a definition holds: the tokens from `start` on, before `end`."""

    name: str
    start: int
    end: int


def bodies_of(tokens: list[Token]) -> Iterator[Body]:
    """The bodies of the definitions of a file; those inside another belong to that."""
    stream = TokenStream(tokens)
    while (token := stream.next()) is not None:
        if token.kind != "command" or (form := _FORMS.get(token.text)) is None:
            continue
        stream.star()
        told = [one for one in stream.argument() if one.kind not in BLANK]
        name = told[0].text if len(told) == 1 else written(told)
        for letter in form.replace(" ", ""):
            if letter == "o":
                while stream.option() is not None:
                    pass
            elif letter == "p":
                for _ in range(_MOST_PARAMETERS):
                    if (following := stream.peek()) is not None and following.kind != "{":
                        stream.next()
            elif (following := stream.ahead()) is None or following.kind != "{":
                break
            else:
                start = len(tokens) - stream.waiting
                stream.argument()
                if letter == "b":
                    yield Body(name, start, len(tokens) - stream.waiting)


def called(texts: list[list[Token]], bodies: list[list[Body]], known: Collection[str]) -> set[str] | None:
    """The commands that something calls: the document, LaTeX itself, or what these call; None where nobody can tell."""
    inside: dict[str, list[list[Token]]] = {}
    outside: list[list[Token]] = []
    for tokens, own in zip(texts, bodies, strict=True):
        at = 0
        for body in own:
            inside.setdefault(body.name, []).append(tokens[body.start : body.end])
            outside.append(_without_target(tokens[at : body.start]))
            at = body.end
        outside.append(tokens[at:])
    found = {name for name in inside if name in known or "@" in name}
    rest = [*outside, *(part for name in found for part in inside[name])]
    while rest:
        for name in _named(rest.pop()):
            if name is None:
                return None
            if name not in found:
                found.add(name)
                rest += inside.get(name, [])
    return found


def _without_target(tokens: list[Token]) -> list[Token]:
    """The tokens before a body, without the name that is defined."""
    defining = [place for place, one in enumerate(tokens) if one.kind == "command" and one.text in _FORMS]
    return tokens if not defining else tokens[: defining[-1] + 1]


def _named(tokens: list[Token]) -> Iterator[str | None]:
    """The commands and environments that tokens call; None where a name is put together."""
    for place, token in enumerate(tokens):
        if token.kind != "command":
            continue
        yield token.text
        if token.text in ("begin", "end"):
            group = written(TokenStream(tokens[place + 1 : place + 12]).group_ahead())
            yield group if "#" not in group and "\\" not in group else None
        elif token.text in _INDIRECT:
            stream = tokens[place + 1 : place + _MOST_PARAMETERS]
            until = next((at for at, one in enumerate(stream) if one.is_command(_INDIRECT[token.text])), None)
            told = stream[:until] if token.text == "csname" else TokenStream(stream).group_ahead()
            plain = told and all(one.kind in ("text", "*", *BLANK) for one in told)
            yield written(told) if plain and (until is not None or token.text != "csname") else None


def without_uncalled(tokens: list[Token], bodies: Iterable[Body], called: set[str] | None) -> list[Token]:
    """A file without the bodies of what nothing calls."""
    if called is None:
        return tokens
    left: list[Token] = []
    at = 0
    for body in bodies:
        if body.name not in called:
            left += tokens[at : body.start]
            at = body.end
    return left + tokens[at:]


def fresh(tokens: list[Token]) -> set[str]:
    """Commands that a file defines with \\newcommand where nothing can pass over it: LaTeX had none of them."""
    found: set[str] = set()
    depth = conditions = 0
    for place, token in enumerate(tokens):
        depth += (token.kind == "{") - (token.kind == "}")
        if token.kind != "command":
            continue
        if token.text == "endinput":
            break
        if is_undecided(token.text) and not (place and tokens[place - 1].is_command("newif")):
            conditions += 1
        conditions -= token.text == "fi" and conditions > 0
        if token.text == "newcommand" and depth == conditions == 0:
            told = [one for one in tokens[place + 1 : place + 5] if one.kind == "command"]
            found |= {told[0].text} if told else set()
    return found - _OF_TABULAR


def tabling(texts: list[list[Token]], bodies: list[list[Body]]) -> set[str]:
    """The commands whose definitions set a table, or put in a file."""
    held: dict[str, set[str]] = {}
    for tokens, own in zip(texts, bodies, strict=True):
        for body in own:
            inner = tokens[body.start : body.end]
            held.setdefault(body.name, set()).update(one.text for one in inner if one.kind in ("command", "text"))
    sought = commands.TABULARS | commands.FLOATS | _FILES
    found: set[str] = set()
    while more := {name for name, inner in held.items() if name not in found and inner & (sought | found)}:
        found |= more
    return found


def around_tables(tokens: list[Token], tabling: Collection[str]) -> set[int]:
    """Where environments begin or end that hold a table, stand in one, or do not end in their file."""
    found: set[int] = set()
    open_ones: list[tuple[str, Token]] = []
    # How many of the open ones are tables, and how many of the outermost are found already: asking all of them anew
    # at each command takes the square of the document's length.
    tabulars = marked = 0
    for place, token in enumerate(tokens):
        if token.kind != "command":
            continue
        told = written(TokenStream(tokens[place + 1 : place + 12]).group_ahead())
        tables = token.text in tabling or token.text in _FILES
        if token.text == "begin":
            found |= {token.start} if tabulars else set()
            tables = told in commands.TABULARS or told in commands.FLOATS or told in tabling
            open_ones.append((told, token))
            tabulars += told in commands.TABULARS
        elif token.text == "end":
            while open_ones:
                name, begin = open_ones.pop()
                tabulars -= name in commands.TABULARS
                if name == told:
                    found |= {token.start} if begin.start in found else set()
                    break
                found.add(begin.start)
        marked = min(marked, len(open_ones))
        if tables:
            found |= {begin.start for _, begin in open_ones[marked:]}
            marked = len(open_ones)
    return found | {begin.start for _, begin in open_ones}


def character(stream: TokenStream) -> str | None:
    """The sign that \\char prints, as in \\char`\\_; all of it stays. None where it is given by its number."""
    first = stream.peek()
    if first is None or first.kind != "text" or not first.text.startswith("`"):
        return None
    if len(first.text) > 1:
        return first.text[1]
    stream.next()
    second = stream.peek()
    stream.push([first])
    return second.text[0] if second is not None and second.text else None
