"""Where the definitions of a LaTeX document begin and end, which of them something calls, what stands around tables.

What a definition holds does nothing until the command is called, so what no file calls need not be judged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from sealtrace.paper import tex_commands as commands
from sealtrace.paper.tex_tokens import BLANK, Token, TokenStream, names, written

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
# How often one command gives what it takes to another before it makes a name.
_MOST_PASSED = 10


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


def called(texts: list[list[Token]], bodies: list[list[Body]], known: Collection[str], *, all_files: bool) -> set[str]:
    """The commands that something calls: the document, or in `all_files` packages and LaTeX itself, or what these call.

    What packages define of the commands that the reader knows, it does not follow.
    """
    inside: dict[str, list[list[Token]]] = {}
    outside: list[list[Token]] = []
    for tokens, own in zip(texts, bodies, strict=True):
        followed = all_files or not is_style(tokens)
        for name, part in _parts(tokens, own):
            if name and (followed or name not in known):
                inside.setdefault(name, []).append(part)
            elif not name and followed:
                outside.append(part)
    found = {name for name in inside if name in known or "@" in name} if all_files else set()
    return _followed([*outside, *(part for name in found for part in inside[name])], inside) | found


def _followed(rest: list[list[Token]], inside: dict[str, list[list[Token]]]) -> set[str]:
    """What tokens call, by themselves or through definitions."""
    found: set[str] = set()
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
        elif token.text in _FILES:
            yield f"/{_stem(written(TokenStream(tokens[place + 1 : place + _MOST_PARAMETERS]).group_ahead()))}"
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


def is_style(tokens: list[Token]) -> bool:
    """Whether tokens are those of a package or class, of which the reader takes definitions and nothing else."""
    return bool(tokens) and tokens[0].file.name.endswith((".sty", ".cls"))


def reached(
    texts: list[list[Token]],
    bodies: list[list[Body]],
    tabling: Collection[str],
    known: Collection[str],
    resting: Collection[str],
) -> tuple[list[set[int]], set[str], set[str]]:
    """Where tokens stand that can be set in a table, file by file, and the commands that are called there.

    That is in a table, in a float that holds one, in what a command takes that sets one, in files that are put in
    there, and in the definitions of what is called from there, or of what the tables of LaTeX rest on. What a package
    sets in tables of its own, such as the authors of a title page, is read as a table only if the document calls it.
    The last are the commands that the document's own tables call, without what only packages define.
    """
    spoken = {"", *called(texts, bodies, known, all_files=False)}
    inside: dict[str, list[list[Token]]] = {}
    defined: dict[str, list[list[Token]]] = {}
    regions: list[list[Token]] = []
    own_regions: list[list[Token]] = []
    for tokens, own in zip(texts, bodies, strict=True):
        style = is_style(tokens)
        parts = [*_parts(tokens, own), *((new, [old]) for old, new in _aliases(tokens))]
        parts += [(f"/{_stem(tokens[0].file.name)}", tokens)] if tokens else []
        tables = [_in_tables(part, tabling) for name, part in parts if name in spoken and (name or not style)]
        regions += tables
        own_regions += [] if style else tables
        for name, part in parts:
            if name:
                inside.setdefault(name, []).append(part)
            if name and not style:
                defined.setdefault(name, []).append(part)
    in_cells = _followed(own_regions, defined)
    rested = {name for name in inside if name in resting}
    used = _followed(regions + [part for name in rested for part in inside[name]], inside) | rested
    found: dict[int, set[int]] = {}
    for part in (*regions, *(part for name in used for part in inside.get(name, ()))):
        for one in part:
            found.setdefault(id(one.file), set()).add(one.start)
    return [found.get(id(tokens[0].file), set()) if tokens else set() for tokens in texts], used, in_cells


def _parts(tokens: list[Token], bodies: Iterable[Body]) -> Iterator[tuple[str, list[Token]]]:
    """The bodies of a file, each with its name, and what stands between them, without one."""
    at = 0
    for body in bodies:
        yield "", _without_target(tokens[at : body.start])
        yield body.name, tokens[body.start : body.end]
        at = body.end
    yield "", tokens[at:]


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


def pass_on(
    found: dict[str, set[tuple[str, str]]], texts: list[list[Token]], bodies: list[list[Body]]
) -> set[tuple[str, int]]:
    """Adds the commands that give what they take to one that makes names of it; returns where they do so."""
    calls = [
        (body.name, token, parts)
        for tokens, own in zip(texts, bodies, strict=True)
        for body in own
        for place, token in enumerate(tokens[body.start : body.end], body.start)
        if token.kind == "command"
        and (group := TokenStream(tokens[place + 1 : min(place + _MOST_PARAMETERS, body.end)]).group_ahead())
        and (parts := _around(group)) is not None
    ]
    passed: set[tuple[str, int]] = set()
    for _ in range(_MOST_PASSED):
        size = sum(map(len, found.values()))
        for name, token, (before, behind) in calls:
            if token.text in found and name != token.text:
                passed.add((token.file.name, token.start))
                made = {(first + before, behind + last) for first, last in found[token.text]}
                found.setdefault(name, set()).update(made)
        if sum(map(len, found.values())) == size:
            return passed
    return set()


def around_parameter(tokens: list[Token]) -> tuple[str, str] | None:
    """What stands before and behind the one parameter of a name, up to \\endcsname; None for another name."""
    end = next((place for place, one in enumerate(tokens[:_MOST_PARAMETERS]) if one.is_command("endcsname")), 0)
    return _around(tokens[:end])


def _around(tokens: list[Token]) -> tuple[str, str] | None:
    """What stands before and behind the one parameter of tokens; None where a command stands there, or another one."""
    made = [place for place, one in enumerate(tokens) if one.kind in ("param", "command")]
    if len(made) != 1 or tokens[made[0]].kind != "param":
        return None
    return written(tokens[: made[0]]), written(tokens[made[0] + 1 :])


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


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".tex").strip()


def tabling(texts: list[list[Token]], bodies: list[list[Body]], known: Collection[str]) -> set[str]:
    """The commands whose definitions set a table, or put in a file; those that the reader understands do so nowhere."""
    held: dict[str, set[str]] = {}
    for tokens, own in zip(texts, bodies, strict=True):
        style = is_style(tokens)
        for body in own:
            if style and body.name in known:
                continue
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


def holding(texts: list[list[Token]], bodies: list[list[Body]], tabling: Collection[str]) -> set[str]:
    """The environments that tables stand in, and everything that their definitions call, under each of its names."""
    inside: dict[str, list[list[Token]]] = {}
    begun: list[list[Token]] = []
    for tokens, own in zip(texts, bodies, strict=True):
        around = around_tables(tokens, tabling)
        begun += [
            tokens[at : at + 4] for at, one in enumerate(tokens) if one.start in around and one.is_command("begin")
        ]
        for body in own:
            inside.setdefault(body.name, []).append(tokens[body.start : body.end])
        for old, new in _aliases(tokens):
            inside.setdefault(new, []).append([old])
    return _followed(begun, inside)


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
