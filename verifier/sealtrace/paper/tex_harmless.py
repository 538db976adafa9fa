"""What of a LaTeX document could change what it sets, beyond what the reader follows.

LaTeX can redefine anything, so no list of dangerous commands is ever whole. The lists here (`harmless.toml`) say the
opposite: which commands, packages and options do nothing to the numbers of a table that the reader would not see.
Everything else is a doubt, in whichever file and place it stands. A package or class that lies beside the document is
read like the document itself, unless it is, letter for letter, one that a publisher gives out.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sealtrace.paper import tex_bodies
from sealtrace.paper import tex_commands as commands
from sealtrace.paper.extracted import ReadingProblem
from sealtrace.paper.tex_tokens import LONGEST_CONDITION, VERBATIM, Token, TokenStream, is_undecided, written
from sealtrace.paper.tex_visible import changes_box, hidden

_SETTINGS = ("DeclareGraphicsExtensions", "graphicspath", "hypersetup", "defaultfontfeatures", "setmathfont")
_STYLES = {"usepackage": "sty", "RequirePackage": "sty", "documentclass": "cls", "LoadClass": "cls"}
_KEY = re.compile(r"(?:^|,)\s*([A-Za-z-]+)\s*(?:=\s*(\{[^{}]*\}|[^,{}]*))?")
_PLAIN = {("output-decimal-marker", "."), ("round-mode", "none")} | {
    ("group-separator", sign) for sign in (",", "\\,", "~", "", "\\ ", "\\thinspace")
}
"""Options that print the number as it is written only with such a value."""
_TABLE_KEY = re.compile(r"([A-Za-z-]+)\s*(?=[={])")
_COLOUR_KEY = re.compile(r"\b(?:fg|bg)\s*=")
_FONTS = frozenset({
    "setmainfont", "setsansfont", "setmonofont", "setmathfont", "newfontfamily", "newfontface", "fontspec",
    "defaultfontfeatures", "setCJKmainfont", "babelfont", "addfontfeature", "addfontfeatures",
})  # fmt: skip
_LONGEST_FONT = 60
_OWN_FONT = re.compile(
    r"\.(?:ttf|otf|ttc|woff)|Path|Extension|Mapping|RawFeature|StylisticSet|Alternate|Renderer", re.IGNORECASE
)
"""What asks for a font beside the document, or for other glyphs of a font."""
_NUMBERS = commands.NUMBERS | {"sisetup", "complexnum", "ang", "si", "unit"}


_CARETS = "^^ writes a sign by its number"
_SHAPED = frozenset({"mathcal", "mathscr"})
"""Alphabets whose fonts have no digits."""


class _Known(NamedTuple):
    commands: frozenset[str]
    environments: frozenset[str]
    packages: frozenset[str]
    redefined: frozenset[str]
    primitives: frozenset[str]
    numbers: frozenset[str]
    tables: frozenset[str]
    digests: frozenset[str]
    passages: re.Pattern[str]


@cache
def _known() -> _Known:
    """The lists, beside what the reader itself understands."""
    told = tomllib.loads((files("sealtrace.paper") / "harmless.toml").read_text("utf-8"))
    passages = re.compile("|".join(map(_as_passage, told.pop("passages"))))
    lists = {name: frozenset(text.split()) for name, text in told.items()}
    understood = (
        commands.SYMBOLS.keys() | commands.SIGNATURES.keys() | commands.COMPOSED.keys() | commands.ACCENTS.keys()
        | commands.BETWEEN_ROWS.keys() | commands.UNITS.keys() | commands.BOLD | commands.UNDERLINE | commands.UPRIGHT
        | commands.TYPEWRITER | commands.TITLE_PAGE | commands.DIMENSION_FOLLOWS | commands.SECTIONS
        | commands.STRUCTURAL | commands.TABULARS
    )  # fmt: skip
    environments = commands.ENVIRONMENTS.keys() | commands.TABULARS | commands.FLOATS | commands.GRAPHICS
    lists["commands"] |= (understood | lists["redefined"]) - lists.pop("changing")
    lists["environments"] |= environments | commands.DISPLAYS
    return _Known(passages=passages, **lists)


def _as_passage(text: str) -> str:
    """A pattern for a passage, between whose words any white space and comments may stand."""
    return r"(?:\s|%[^\n]*\n)*".join(map(re.escape, re.findall(r"\\[A-Za-z@]+|\S", text)))


def without_passages(text: str) -> str:
    """A text with blanks in the place of what converters put into every paper; lines stay where they are."""
    return _known().passages.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def is_published(text: str) -> bool:
    """Whether the text of a package or class is one that its publisher gives out; how lines end does not matter."""
    return hashlib.sha256("\n".join(text.split()).encode()).hexdigest()[:16] in _known().digests


def is_brought(name: str) -> bool:
    """Whether every distribution of TeX brings a file, and it changes nothing: glyphtounicode."""
    return name.removesuffix(".tex") in _known().packages


def changes_number(options: str) -> str | None:
    """The first option of siunitx that may change which number is printed."""
    for key, value in _KEY.findall(re.sub(r"\{[^{}]*\{[^{}]*\}[^{}]*\}", "{}", options)):
        if key not in _known().numbers and (key, value.strip("{} ")) not in _PLAIN:
            return str(key)
    return None


def changes_table(keys: str) -> str | None:
    """The first key of tabularray that may change what cells print."""
    found = _TABLE_KEY.findall(re.sub(r"\[[^]]*\]", "", keys))  # options of a column are judged with it
    if _COLOUR_KEY.search(keys) and hidden("SetCell", [keys], {}):
        return "fg"
    return next((key for key in found if key not in _known().tables), None)


def doubts_in(texts: list[list[Token]], published: list[list[Token]], there: Iterable[str]) -> Iterator[ReadingProblem]:
    """What could change the tables of a document, by the tokens of its files; `there` are the files beside it.

    A command that a file defines is followed where it is called, so its name is no doubt; what its definition holds is
    looked at like everything else, unless nothing calls it.
    """
    defined, environments = _defined([*texts, *published])
    bodies = [list(tex_bodies.bodies_of(tokens)) for tokens in texts]
    judge = _Judge(defined, environments, frozenset(there), frozenset().union(*map(tex_bodies.fresh, texts)))
    taken = judge.known.commands | judge.known.primitives | judge.known.environments
    called = tex_bodies.called(texts, bodies, taken)
    judge.tabling, judge.called = tex_bodies.tabling(texts, bodies), called
    for tokens, own in zip(texts, bodies, strict=True):
        for token, why in judge.of(tex_bodies.without_uncalled(tokens, own, called)):
            yield ReadingProblem(why, token.file.name, token.line, "note")


_NAMING = {
    name: kind
    for kind, names in {
        "command": """
            newcommand renewcommand providecommand DeclareRobustCommand DeclareMathOperator def gdef edef xdef let
            newlength newcount newdimen newskip newsavebox newbox newtoks NewDocumentCommand RenewDocumentCommand
            ProvideDocumentCommand DeclareDocumentCommand NewExpandableDocumentCommand DeclareSIUnit newcommandx
            DeclarePairedDelimiter DeclarePairedDelimiterX newlist newcites chardef newread newwrite
            DeclareTextFontCommand DeclareOldFontCommand newmdenv pgfmathsetmacro pgfmathtruncatemacro
        """,
        "environment": """
            newenvironment renewenvironment newtheorem NewDocumentEnvironment RenewDocumentEnvironment newtcolorbox
            DeclareDocumentEnvironment newfloat newmdtheoremenv lstnewenvironment newlist newmdenv declaretheorem
            newtcbtheorem NewEnviron RenewEnviron
        """,
        "spelled": "@namedef csdef csgdef newcounter newcolumntype definecolor",
        "switch": "newif",
        "loop": "foreach",
    }.items()
    for name in names.split()
}
_REDEFINING = frozenset(name for name in _NAMING if name not in ("newcommand", "newif", "let") and "ef" in name) | {
    "renewcommand", "let", "DeclareRobustCommand", "RenewDocumentCommand", "DeclareDocumentCommand", "chardef",
}  # fmt: skip


def _defined(texts: list[list[Token]]) -> tuple[set[str], set[str]]:
    """The commands and environments that files define."""
    found: set[str] = set()
    environments: set[str] = set()
    for tokens in texts:
        for place, token in enumerate(tokens):
            if token.kind != "command" or (kind := _NAMING.get(token.text)) is None:
                continue
            if token.text == "foreach":
                found |= _loop_names(tokens[place + 1 : place + 20])
                continue
            stream = TokenStream(tokens[place + 1 : place + 40])
            stream.star()
            stream.option()
            if (name := stream.argument()) and kind in ("command", "switch") and name[0].kind == "command":
                told = name[0].text
                found |= {told}
                if kind == "switch":
                    found |= {f"{told[2:]}true", f"{told[2:]}false"}
            elif name and kind != "command":
                told = written(name)
                environments |= {told, f"{told}*"} if kind == "environment" else set()
                found |= {told, f"the{told}", f"end{told}"}
                if token.text == "newtheorem":
                    found.add(f"{told}name")
    return found, environments


def _loop_names(tokens: list[Token]) -> set[str]:
    """The commands that a loop of a drawing sets: those before its list."""
    found: set[str] = set()
    for token in tokens:
        if token.kind == "text" and token.text.split()[0] == "in":
            break
        found |= {token.text} if token.kind == "command" else set()
    return found


class _Judge:
    def __init__(self, defined: set[str], environments: set[str], there: frozenset[str], fresh: frozenset[str]) -> None:
        self.known = _known()
        self.defined = defined
        self.environments = environments
        self.there = there
        self.fresh = fresh
        """Commands that LaTeX would refuse to define if it had them already."""
        self.tabling: set[str] = set()
        """Commands of the document that set tables."""
        self.called: set[str] | None = None
        self.around_tables: set[int] = set()
        self.said: set[str] = set()

    def of(self, tokens: list[Token]) -> Iterator[tuple[Token, str]]:
        """The doubts of one file, each once."""
        self.around_tables = tex_bodies.around_tables(tokens, self.tabling)
        stream = TokenStream(tokens)
        while (token := stream.next()) is not None:
            following = stream.ahead() if token.text == "^" else None
            if following is not None and following.text[:1] == "^" and token.end == following.start:
                if _CARETS not in self.said:
                    self.said.add(_CARETS)
                    yield token, _CARETS
                continue
            if token.kind != "command":
                continue
            if token.text == "end" and written(stream.group_ahead()) == "document":
                return
            why = self.doubt(token, stream)
            if why is not None and why not in self.said:
                self.said.add(why)
                yield token, why

    def doubt(self, token: Token, stream: TokenStream) -> str | None:
        """Why a command may change what tables print; None where it does not. What it takes is put back."""
        name = token.text
        if name in _STYLES:
            return self.of_style(token, stream)
        if name in ("begin", "end"):
            told = written(stream.group_ahead())
            if told == "adjustbox" and name == "begin":
                return self.of_box(stream)
            known = told in self.known.environments or told in self.environments or told in self.defined
            # An environment of a known package or class changes no more than what stands in it, or lies on it.
            placed = told.startswith("textblock")
            if known or not told or (token.start not in self.around_tables and not placed):
                return None
            return f"the environment {told} is not known: it may change what it holds"
        if name in _SHAPED and any(sign.isdigit() for sign in written(stream.group_ahead())):
            return f"\\{name} has other signs for digits"
        if name in _NUMBERS:
            key = changes_number(_option_ahead(stream) if name != "sisetup" else written(stream.group_ahead()))
            return None if key is None else f"the option {key} of \\{name} may change which number is printed"
        if name == "noalign":
            return None if prints_nothing(stream.group_ahead()) else "\\noalign holds what may be printed"
        if name in ("IfFileExists", "InputIfFileExists"):
            return self.of_file(stream)
        if name in ("ifmmode", "ifdim"):
            return self.of_condition(name, stream)
        if name in _FONTS:
            return self.of_font(name, stream)
        if name in ("advance", "skip"):
            following = stream.ahead()
            length = following is not None and following.kind == "command" and following.text in self.known.commands
            return None if length else f"\\{name} may change a number"
        if name == "char":
            return None if tex_bodies.character(stream) else "\\char prints a sign by its number"
        if name in ("NewEnviron", "RenewEnviron"):
            return self.of_collected(stream)
        if _NAMING.get(name) == "environment":
            told = self.named(stream)
            if told in commands.FLOATS and self.is_plain_float(stream):
                return None
            if told in commands.TABULARS | commands.FLOATS | VERBATIM:
                return f"the environment {told} is defined anew: it is read as LaTeX defines it"
        if name in _REDEFINING and (why := self.of_redefinition(token, stream)) is not None:
            return why
        if name in self.known.commands or name in self.defined:
            return None
        return f"\\{name} is not known to be harmless: it may change what is printed"

    def of_style(self, token: Token, stream: TokenStream) -> str | None:
        """A package or class that is neither beside the document nor known."""
        ending = _STYLES[token.text]
        option = stream.option()
        told = stream.argument()
        asked = [name.strip() for name in written(told).split(",")]
        if "siunitx" in asked and option and (key := changes_number(written(option))) is not None:
            return f"the option {key} of siunitx may change which number is printed"
        if asked == ["subfiles"] and ending == "cls":
            return None
        strange = [
            name
            for name in asked
            if name and f"{name}.{ending}" not in self.there and f"{name}.{ending}" not in self.known.packages
            and name not in self.known.packages and not name.endswith(".tex")
        ]  # fmt: skip
        if strange and not any(one.kind == "param" for one in told):
            return f"{strange[0]}.{ending} is neither there nor known: it may change what is printed"
        return None

    def of_box(self, stream: TokenStream) -> str | None:
        """Keys of a box around a table that could cut it or turn it over."""
        taken = [token for token in (stream.next() for _ in range(3)) if token is not None]
        key = changes_box(written(stream.group_ahead()))
        stream.push(taken)
        return None if key is None else f"the key {key} of adjustbox may hide what it holds"

    def of_font(self, name: str, stream: TokenStream) -> str | None:
        """A font that is a file of the document, or that prints other signs than are written."""
        taken: list[Token] = []
        while (token := stream.next()) is not None and len(taken) < _LONGEST_FONT:
            taken.append(token)
            if token.kind in ("par", "space") and written(taken).endswith("}"):
                break
        stream.push(taken if token is None or token in taken else [*taken, token])
        told = written(taken)
        return f"\\{name} takes a font that may have other digits" if _OWN_FONT.search(told) else None

    def of_collected(self, stream: TokenStream) -> str | None:
        """An environment that prints what it holds only where it says so."""
        if self.called is not None and self.named(stream) not in self.called:
            return None
        taken = stream.seen(LONGEST_CONDITION, lambda token: token.kind == "par" or token.is_command("BODY"))
        return None if taken and taken[-1].is_command("BODY") else "an environment does not print what it holds"

    def is_plain_float(self, stream: TokenStream) -> bool:
        """Whether a float is defined as LaTeX does, with other distances."""
        taken = stream.seen(LONGEST_CONDITION, lambda token: token.is_command("end@float", "end@dblfloat"))
        begin = [place for place, one in enumerate(taken) if one.is_command("@float", "@dblfloat")]
        opened = [place for place, one in enumerate(taken) if one.kind == "{"]
        if len(begin) != 1 or len(opened) < 2 or not taken[-1].is_command("end@float", "end@dblfloat"):
            return False
        after = [one for one in taken[begin[0] + 1 :] if one.kind not in ("{", "}", "[", "]", "space")]
        plain = [one for one in after if not one.is_command("end@float", "end@dblfloat")]
        return prints_nothing(taken[opened[1] : begin[0]]) and written(plain) in ("table", "figure", "#1")

    def of_file(self, stream: TokenStream) -> str | None:
        """What is set only if a file is there, which nobody can see here."""
        name, *branches = (stream.argument() for _ in range(3))
        file = written(name)
        for tokens in reversed(branches):
            stream.push(tokens)
        if file in self.there or all(map(prints_nothing, branches)):
            return None
        inner = [one for branch in branches for one in branch]
        if any(one.is_command("includegraphics") for one in inner) and not any(one.kind == "&" for one in inner):
            return None  # a picture, or words in its place
        return f"what is set depends on whether {file} is there"

    def of_condition(self, name: str, stream: TokenStream) -> str | None:
        """A condition that the reader answers without knowing: in mathematics or not, wider than the page or not."""
        following = stream.ahead()
        if name == "ifdim" and (following is None or not following.is_command("width")):
            return None
        taken: list[Token] = []
        branches: list[list[Token]] = [[]]
        depth = 0
        while depth >= 0 and len(taken) < LONGEST_CONDITION and (token := stream.next()) is not None:
            taken.append(token)
            word = token.text if token.kind == "command" else ""
            depth += is_undecided(word) - (word == "fi")
            if depth == 0 and word == "else":
                branches.append([])
            elif depth >= 0:
                branches[-1].append(token)
        stream.push(taken)
        if name == "ifmmode":
            texts = {written([one for one in branch if not _only_mode(one)]) for branch in branches}
            return None if len(branches) == 2 and len(texts) == 1 else "\\ifmmode sets other things in text"
        widths = [one for one in branches[0] if one.kind == "command"][2:]
        plain = all(map(prints_nothing, [widths, *branches[1:]]))
        return None if plain else "\\ifdim sets other things where a table is wide"

    def named(self, stream: TokenStream) -> str:
        """The name in braces that stands here, behind a star or an option; all of it stays."""
        taken = stream.seen(20, lambda token: token.kind == "}")
        opening = [place for place, one in enumerate(taken) if one.kind == "{"]
        return written(taken[opening[-1] + 1 : -1]) if opening else ""

    def of_redefinition(self, token: Token, stream: TokenStream) -> str | None:
        """A new meaning for a command on which others rest that the reader takes as they are."""
        taken = stream.seen(4, lambda following: following.kind == "command")
        target = taken[-1].text if taken and taken[-1].kind == "command" else ""
        named = token.text in ("@namedef", "csdef", "csgdef")
        if named:
            target = written(stream.group_ahead())
        own = target in self.fresh and target not in self.known.primitives
        resting = target in self.known.primitives or "@" in target or target.removeprefix("end") in commands.TABULARS
        resting = resting and not own
        if resting and target not in self.known.redefined:
            return f"\\{target} is defined anew, and what LaTeX prints rests on it"
        if token.text in ("edef", "xdef") and self.expands(stream):
            return f"\\{target} is defined by what others mean at that moment"
        return None

    def expands(self, stream: TokenStream) -> bool:
        """Whether the body of an \\edef calls something."""
        before = [stream.next() for _ in stream.seen(20, lambda token: token.kind == "{")[:-1]]
        body = stream.group_ahead()
        stream.push(token for token in before if token is not None)
        return any(one.kind == "command" for one in body)


def prints_nothing(tokens: list[Token]) -> bool:
    """Whether tokens print and define nothing: lengths, rules, and packages."""
    known = _known().commands
    stream = TokenStream(tokens)
    while (token := stream.next()) is not None:
        if token.kind == "command" and token.text in (*_STYLES, *_SETTINGS):
            stream.option()
            stream.argument()
        elif token.kind == "command" and commands.SIGNATURES.get(token.text, "?").strip("*od") == "":
            for letter in commands.SIGNATURES[token.text]:
                stream.take(letter)
        elif token.is_command(*commands.DIMENSION_FOLLOWS, "pdfoutput", "pdfminorversion", "pdfcompresslevel"):
            while (following := stream.ahead()) is not None and following.kind == "text":
                stream.next()
        elif token.kind in ("text", "verb", "&", "param") or (
            token.kind == "command"
            and (token.text not in known or token.text in commands.SYMBOLS or token.text in _NAMING)
        ):
            return False
    return True


def _only_mode(token: Token) -> bool:
    """Whether a token only goes into mathematics or out of it."""
    return token.kind in ("$", "{", "}", "space") or token.is_command("ensuremath", "mathrm", "rm", "text", "xspace")


def _option_ahead(stream: TokenStream) -> str:
    """The optional argument that stands here, which stays."""
    opening = stream.ahead()
    option = stream.option()
    if option is None or opening is None:
        return ""
    stream.push([opening, *option, opening._replace(kind="]", text="]")])
    return written(option)
