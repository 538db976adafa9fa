"""Where the definitions of a LaTeX document begin and end, which of them something calls, what stands around tables.

What a definition holds does nothing until the command is called, so what no file calls need not be judged.
"""

from __future__ import annotations

import re
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
_EDGES = names("begin end")
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


def called(texts: list[list[Token]], bodies: list[list[Body]], known: Collection[str]) -> set[str]:
    """The commands that something calls: the document, LaTeX itself, or what these call."""
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
        for told in _named(rest.pop()):
            for name in {*matching(told, inside)} - found:
                found.add(name)
                rest += inside.get(name, [])
    return found


def _without_target(tokens: list[Token]) -> list[Token]:
    """The tokens before a body, without the name that is defined."""
    defining = [place for place, one in enumerate(tokens) if one.kind == "command" and one.text in _FORMS]
    return tokens if not defining else tokens[: defining[-1] + 1]


def _named(tokens: list[Token]) -> Iterator[str | re.Pattern[str]]:
    """The commands and environments that tokens call; a pattern where a name is put together."""
    for place, token in enumerate(tokens):
        if token.kind != "command":
            continue
        yield token.text
        if token.text in ("begin", "end"):
            yield put_together(TokenStream(tokens[place + 1 : place + 12]).group_ahead())
        elif token.text in _INDIRECT:
            stream = tokens[place + 1 : place + _MOST_PARAMETERS]
            until = next((at for at, one in enumerate(stream) if one.is_command(_INDIRECT[token.text])), len(stream))
            yield put_together(stream[:until] if token.text == "csname" else TokenStream(stream).group_ahead())


def put_together(tokens: list[Token]) -> str | re.Pattern[str]:
    """A name that is written out, or the pattern of one that is put together."""
    if all(one.kind not in ("command", "param") for one in tokens):
        return written(tokens)
    return re.compile("".join(".*" if one.kind in ("command", "param") else re.escape(one.text) for one in tokens))


def matching(name: str | re.Pattern[str], names: Iterable[str]) -> Iterable[str]:
    """Those of some names that a name, or the pattern of one, is."""
    return [name] if isinstance(name, str) else filter(name.fullmatch, names)


def without_uncalled(tokens: list[Token], bodies: Iterable[Body], called: set[str]) -> list[Token]:
    """A file without the bodies of what nothing calls."""
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


def reached(
    texts: list[list[Token]], bodies: list[list[Body]], tabling: Collection[str], resting: Collection[str]
) -> tuple[list[set[int]], set[str]]:
    """Where tokens stand that can be set in a table, file by file, and the commands that are called there.

    That is in a table, in a float that holds one, in what a command takes that sets one, in files that are put in
    there, and in the definitions of what is called from there, or of what the tables of LaTeX rest on.
    """
    parts: dict[str, list[tuple[int, list[Token]]]] = {}
    found: list[set[int]] = [set() for _ in texts]
    rest: list[list[Token]] = []
    for number, (tokens, own) in enumerate(zip(texts, bodies, strict=True)):
        at = 0
        for body in (*own, Body("", len(tokens), len(tokens))):
            for part in (tokens[at : body.start], tokens[body.start : body.end]):
                inside = _in_tables(part, tabling)
                found[number] |= {one.start for one in inside}
                rest.append(inside)
            parts.setdefault(body.name, []).append((number, tokens[body.start : body.end]))
            at = body.end
        for old, new in _aliases(tokens):
            parts.setdefault(new, []).append((number, [old]))
    whole = {_stem(tokens[0].file.name): number for number, tokens in enumerate(texts) if tokens}
    used = {name for name in parts if name in resting}
    rest += [_taken(parts, name, found) for name in used]
    while rest:
        tokens = rest.pop()
        for told in _named(tokens):
            for one in {*matching(told, parts)} - used:
                if one in parts:
                    rest.append(_taken(parts, one, found))
                used.add(one)
        for name in _put_in(tokens):
            if _stem(name) in whole:
                number = whole.pop(_stem(name))
                found[number] |= {one.start for one in texts[number]}
                rest.append(texts[number])
    return found, used


def _taken(parts: dict[str, list[tuple[int, list[Token]]]], name: str, found: list[set[int]]) -> list[Token]:
    """The definitions of a command, noted as reached."""
    for number, tokens in parts[name]:
        found[number] |= {one.start for one in tokens}
    return [one for _, tokens in parts[name] for one in tokens]


def _in_tables(tokens: list[Token], tabling: Collection[str]) -> list[Token]:
    """The tokens that stand in a table, in a float with one, or in what a command takes that sets one."""
    found: set[int] = set()
    begun: list[int] = []
    floats: list[int] = []
    end = 0
    for place, token in enumerate(tokens):
        if token.kind != "command":
            continue
        told = written(TokenStream(tokens[place + 1 : place + 12]).group_ahead()) if token.text in _EDGES else ""
        if told in commands.FLOATS and told not in tabling:
            if token.text == "begin":
                floats.append(place)
            elif floats and not found.isdisjoint(range(begin := floats.pop(), place)):
                found |= set(range(begin, place))
        elif told in commands.TABULARS or told in tabling:
            if token.text == "begin":
                begun.append(place)
            elif len(begun) < 2:
                found |= set(range(begun.pop() if begun else 0, place))
            else:
                begun.pop()
        # Within what another one takes, all is taken already.
        elif token.text in tabling and not begun and place >= end:
            depth, end = 0, place + 1
            while end < len(tokens) and (depth or tokens[end].kind in ("{", "[", *BLANK)):
                depth += (tokens[end].kind in ("{", "[")) - (tokens[end].kind in ("}", "]"))
                end += 1
            found |= set(range(place, end))
    found |= set(range(begun[0], len(tokens))) if begun else set()
    return [tokens[place] for place in sorted(found)]


def naming(texts: list[list[Token]], bodies: list[list[Body]]) -> dict[str, set[tuple[str, str]]]:
    """Commands that make names of what they take, as `\\csname end#1\\endcsname` does: what stands around it there."""
    found: dict[str, set[tuple[str, str]]] = {}
    for tokens, own in zip(texts, bodies, strict=True):
        for body in own:
            inner = tokens[body.start : body.end]
            for place, token in enumerate(inner):
                if token.is_command("csname") and (parts := around_parameter(inner[place + 1 :])) is not None:
                    found.setdefault(body.name, set()).add(parts)
    return found


def around_parameter(tokens: list[Token]) -> tuple[str, str] | None:
    """What stands before and behind the one parameter of a name, up to \\endcsname; None for another name."""
    end = next((place for place, one in enumerate(tokens[:_MOST_PARAMETERS]) if one.is_command("endcsname")), 0)
    made = [place for place, one in enumerate(tokens[:end]) if one.kind in ("param", "command")]
    if len(made) != 1 or tokens[made[0]].kind != "param":
        return None
    return written(tokens[: made[0]]), written(tokens[made[0] + 1 : end])


def lengths(tokens: list[Token]) -> Iterator[str]:
    """The lengths that a file defines."""
    for place, token in enumerate(tokens):
        if token.is_command("newlength", "newdimen", "newskip"):
            yield from (one.text for one in tokens[place + 1 : place + 4] if one.kind == "command")


def _aliases(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    """What \\let gives another name: the command, and the name."""
    for place, token in enumerate(tokens):
        if token.is_command("let"):
            told = [one for one in tokens[place + 1 : place + 6] if one.kind == "command"]
            if len(told) > 1:
                yield told[1], told[0].text


def _put_in(tokens: list[Token]) -> Iterator[str]:
    for place, token in enumerate(tokens):
        if token.kind == "command" and token.text in _FILES:
            stream = TokenStream(tokens[place + 1 : place + _MOST_PARAMETERS])
            yield written(stream.group_ahead())


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".tex").strip()


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
