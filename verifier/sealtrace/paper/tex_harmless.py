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
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sealtrace.paper import tex_bodies
from sealtrace.paper import tex_commands as commands
from sealtrace.paper.extracted import ReadingProblem
from sealtrace.paper.tex_tokens import LONGEST_CONDITION, VERBATIM, Token, TokenStream, is_undecided, names, written
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
_CONTROL = re.compile(r"\^[@A-Z\[\]^_?]")
"""What follows ^ where it writes a sign that is not printed, such as the end of a line."""
_OF_TABLES = re.compile(
    r"@(BT|mr|xmr|[cl]?mid|[abmxyz]?cmid|cell)|(LT|CT|TX|TY|NC|HH|DC|ST|TPT|MR|ar|cmr|siunitx|mcell|TeXr|adl|tbl|tabu|NewDoc)@"
)
"""How the packages that set tables begin names of their own."""
_CODES = frozenset({"catcode", "lccode", "uccode"})
_PLAIN_SIGN = re.compile(r"\s*`\\?(?:\^\^[@A-Z\[\]^_?]|[@:_\"'`!?;|/^])")
"""Signs that no number has, and whose codes change none."""
_FONT_ASKED = re.compile(
    r"\\(?:fontfamily\s*|usefont\s*\{[^{}]*\}\s*|renewcommand\s*\{?\\(?:rm|sf|tt|family)default\}?\s*)\{([^{}]*)\}"
    r"|\\font\s*\\[A-Za-z@]+\s*=?\s*([^\s{}\\]+)"
    r"|\\(?:Declare|Set)SymbolFont\s*\{operators\}\s*(?:\{(?:normal|bold)\}\s*)?\{[^{}]*\}\s*\{([^{}]*)\}"
)
_TEXT_FONT = re.compile(
    r"\\|#|$|[cel][cm]+(?:r|b|bx|ti|tt|ss|sl|csc|u|vtt|dh|fib|br|bras|tl)|lm|p(?:tm|hv|cr|pl|bk|ag|nc|ut)|bch|qx|zi4|ec-|tx|px"
    r"|[a-z]*(?:Linux|Libertin|Fira|Source|Noto|Roboto|Open|TempTeX|Times|Helvet|Sans|Serif|Mono)",
    re.IGNORECASE,
)
"""Families and files of fonts that have digits where others have them."""
_OTHER = re.compile(r"\s*`\\?[!-#'-/:-@\[\]`|]\s*=?\s*12\b")
"""Signs that print themselves, as they do anyway."""
_SHELL = re.compile(r"\s*=?\s*18")
_ACTIVE = re.compile(r"\s*(?:[~0-9.,+&-]|\\[0-9])")
"""A sign after \\def or \\let: one that prints itself, or stands between words and cells."""
_UNIT = r"\s*(?:true)?(?:pt|em|ex|mm|cm|in|bp|pc|sp|dd|cc|mu|px|fil+)?"
_GLUE = re.compile(rf"=?\s*[-+]?[\d.]*{_UNIT}(?:\s*(?:plus|minus)\s*[-+]?[\d.]*{_UNIT}){{,2}}")
"""What may follow a length or a count that is set."""
_OF_FILES = frozenset({"pdfoutput", "pdfminorversion", "pdfcompresslevel"})
_DIGITS = frozenset("0123456789.,+-")
_LONGEST_NAME = 20
_AROUND = frozenset({"label", "caption", "centering"})
_MAKING = names(
    """
    def edef gdef xdef let futurelet chardef mathchardef countdef dimendef skipdef toksdef font read csname expandafter
    afterassignment aftergroup input setbox
    """
)
"""Primitives that give a name a meaning, a box what it holds, or lead to those; others take a name as it is."""
_SHAPED = frozenset({"mathcal", "mathscr"})
"""Alphabets whose fonts have no digits."""


class _Known(NamedTuple):
    commands: frozenset[str]
    environments: frozenset[str]
    packages: frozenset[str]
    redefined: frozenset[str]
    primitives: frozenset[str]
    resting: frozenset[str]
    potent: frozenset[str]
    registers: frozenset[str]
    numbers: frozenset[str]
    tables: frozenset[str]
    digests: frozenset[str]
    passages: re.Pattern[str]


@cache
def _known() -> _Known:
    """The lists, beside what the reader itself understands."""
    told = tomllib.loads((files("sealtrace.paper") / "harmless.toml").read_text("utf-8"))
    words = (re.findall(r"\\[A-Za-z@]+|\S", text) for text in told.pop("passages"))
    # Between its words any white space and comments may stand.
    passages = re.compile("|".join(r"(?:\s|%[^\n]*\n)*".join(map(re.escape, passage)) for passage in words))
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
    judge = _Judge(defined, environments, frozenset(there))
    taken = judge.known.commands | judge.known.primitives | judge.known.environments
    called = tex_bodies.called(texts, bodies, taken, all_files=True)
    judge.tabling = tex_bodies.tabling(texts, bodies, judge.known.commands)
    judge.naming = tex_bodies.naming(texts, bodies)
    judge.passed = tex_bodies.pass_on(judge.naming, texts, bodies)
    judge.definitions = Counter(
        body.name for tokens, own in zip(texts, bodies, strict=True) if not tex_bodies.is_style(tokens) for body in own
    )
    judge.holding = tex_bodies.holding(texts, bodies, judge.tabling)
    judge.lengths = {name for tokens in texts for name in tex_bodies.lengths(tokens)}
    reached, judge.used, judge.in_cells = tex_bodies.reached(texts, bodies, judge.tabling, taken, judge.known.resting)
    for tokens, own, judge.reached in zip(texts, bodies, reached, strict=True):
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
    def __init__(self, defined: set[str], environments: set[str], there: frozenset[str]) -> None:
        self.known = _known()
        self.defined = defined
        self.environments = environments
        self.there = there
        self.lengths: set[str] = set()
        self.naming: dict[str, set[tuple[str, str]]] = {}
        """Commands that make names of what they take, and what they put around it."""
        self.passed: set[tuple[str, int]] = set()
        """Where a command gives what it takes to one of those, and is one itself."""
        self.tabling: set[str] = set()
        """Commands of the document that set tables."""
        self.in_cells: set[str] = set()
        """What tables of the document call, and the reader expands or understands."""
        self.definitions: Counter[str] = Counter()
        """How often the document itself defines a command."""
        self.holding: set[str] = set()
        """Environments around tables, and what these call."""
        self.used: set[str] = set()
        """Commands that tables call."""
        self.reached: set[int] = set()
        """Where tokens of this file stand that can be set in a table."""
        self.around_tables: set[int] = set()
        self.said: set[str] = set()

    def of(self, tokens: list[Token]) -> Iterator[tuple[Token, str]]:
        """The doubts of one file, each once."""
        self.around_tables = tex_bodies.around_tables(tokens, self.tabling)
        stream = TokenStream(tokens)
        while (token := stream.next()) is not None:
            following = stream.ahead() if token.text == "^" else None
            if following is not None and following.text[:1] == "^" and token.end == following.start:
                if _CONTROL.match(token.file.text, following.start) is None and _CARETS not in self.said:
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
        reached = token.start in self.reached
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
        if name in _SHAPED and reached and any(sign.isdigit() for sign in written(stream.group_ahead())):
            return f"\\{name} has other signs for digits"
        if name in _NUMBERS:
            key = changes_number(_option_ahead(stream) if name != "sisetup" else written(stream.group_ahead()))
            return None if key is None else f"the option {key} of \\{name} may change which number is printed"
        if name == "noalign" and reached:
            plain = prints_nothing(stream.group_ahead(), self.lengths)
            return None if plain else "\\noalign holds what may be printed"
        if name in ("IfFileExists", "InputIfFileExists"):
            return self.of_file(stream)
        if name in ("ifmmode", "ifdim") and reached:
            return self.of_condition(name, stream)
        if name in _FONTS:
            return self.of_font(name, stream)
        font = _FONT_ASKED.match(token.file.text, token.start)
        if font is not None and not _TEXT_FONT.match(font[1] or font[2] or font[3] or ""):
            return f"\\{name} takes a font that may have other digits"
        if name in ("advance", "skip") and reached:
            following = stream.ahead()
            length = following is not None and following.kind == "command" and following.text in self.known.commands
            return None if length else f"\\{name} may change a number"
        if name == "char" and reached:
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
        if name.startswith("every") and prints_nothing(stream.group_ahead()):
            return None
        if name in _CODES and changes_no_sign(token):
            return None
        if (
            name in self.naming
            and (token.file.name, token.start) not in self.passed
            and self.makes_names_of_tables(name, groups_ahead(stream))
        ):
            return f"\\{name} makes a name that tables use"
        if name in self.known.commands | self.known.registers or name in self.defined:
            return None
        if not (reached or self.reaches(token, stream)):
            return None
        return f"\\{name} is not known to be harmless: it may change what is printed"

    def reaches(self, token: Token, stream: TokenStream) -> bool:
        """Whether a command that is not known, and that no table calls, can change tables all the same.

        It can if it is one that works without naming what it changes, or if it names what tables use.
        """
        if token.text in self.known.potent or (
            token.text == "write" and _SHELL.match(token.file.text, token.end) is not None
        ):
            return True
        if token.text in self.known.primitives - _MAKING:
            return False
        taken = stream.seen(_LONGEST_NAME, lambda one: one.kind == "}")
        told = [one for one in taken if one.kind not in ("space", "*") and not one.is_command("expandafter")]
        if told and told[0].kind == "[":
            closing = next((place for place, one in enumerate(told) if one.kind == "]"), 0)
            told = told[closing + 1 :]
        if told and told[0].kind == "{":
            told = told[1:-1] if told[-1].kind == "}" else told[1:]
        else:
            told = told[: 1 if told and not told[0].is_command("csname") else None]
        return self.names_tables(told)

    def names_tables(self, told: list[Token]) -> bool:
        """Whether tokens are the name of something that tables use, or a digit."""
        if told and told[0].is_command("csname"):
            if tex_bodies.around_parameter(told[1:]) is not None:
                return False  # what is given to the command that makes this name is judged where it is called
            end = next((place for place, one in enumerate(told) if one.is_command("endcsname")), len(told))
            name = tex_bodies.put_together(told[1:end])
            return any(map(self.is_of_tables, tex_bodies.matching(name, [*self.known.resting, *self.used])))
        called = [one for one in told if one.kind == "command"]
        if len(called) == 1:
            return self.is_of_tables(called[0].text) or called[0].text.isdigit()
        text = written(told)
        words = set(re.findall(r"[A-Za-z]+\*?", text))
        return not called and (
            self.is_of_tables(text) or not words.isdisjoint(commands.TABULARS) or text.strip() in _DIGITS
        )

    def makes_names_of_tables(self, name: str, groups: list[list[Token]]) -> bool:
        """Whether a command puts the name of something that tables use together from what it takes."""
        made = [before + written(group) + behind for before, behind in self.naming[name] for group in groups]
        named = any(self.is_of_tables(one) for one in made)
        return named or any(one.kind == "param" for group in groups for one in group)

    def is_of_tables(self, name: str) -> bool:
        """Whether tables call a command, or LaTeX does where it sets them."""
        if name in self.known.registers:
            return False
        called = name in self.used and name not in commands.STRUCTURAL | _AROUND
        return called or name in self.known.resting or self.sets_tables(name)

    @staticmethod
    def sets_tables(name: str) -> bool:
        """Whether a command is of the packages that set tables."""
        return name.removeprefix("end") in commands.TABULARS or _OF_TABLES.match(name) is not None

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
        if self.named(stream) not in self.holding:
            return None
        taken = stream.seen(LONGEST_CONDITION, lambda token: token.kind == "par" or token.is_command("BODY"))
        return None if taken and taken[-1].is_command("BODY") else "an environment does not print what it holds"

    def is_plain_float(self, stream: TokenStream) -> bool:
        """Whether a float is defined by LaTeX's own, and sets no digits beside what it holds."""
        taken = stream.seen(LONGEST_CONDITION, lambda token: token.is_command("end@float", "end@dblfloat"))
        return any(one.is_command("@float", "@dblfloat") for one in taken) and not self.prints_digits(taken)

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
            # These only go into mathematics or out of it.
            kinds, modes = ("$", "{", "}", "space"), ("ensuremath", "mathrm", "rm", "text", "xspace")
            told = (
                [one for one in tokens if one.kind not in kinds and not one.is_command(*modes)] for tokens in branches
            )
            texts = set(map(written, told))
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
        if _ACTIVE.match(token.file.text, token.end):
            return f"\\{token.text} gives a sign another meaning"
        taken = stream.seen(4, lambda following: following.kind == "command")
        target = taken[-1].text if taken and taken[-1].kind == "command" else ""
        if token.text == "let" and any(name in _NAMING or name in self.known.potent for name in given(stream)):
            return f"\\{target} is another name of a command that defines others"
        if token.text in ("@namedef", "csdef", "csgdef"):
            target = written(stream.group_ahead())
        if target == "csname":
            named = stream.seen(_LONGEST_NAME, lambda one: one.is_command("endcsname"))
            resting = self.names_tables(named[len(taken) - 1 :])
        else:
            resting = target in self.known.primitives | self.known.resting or self.sets_tables(target)
        if resting and target not in self.known.redefined:
            return f"\\{target} is defined anew, and what LaTeX prints rests on it"
        if tex_bodies.is_style([token]) and target in self.in_cells and not self.is_followed(token, target, stream):
            return f"\\{target} is defined anew by a package, which is not followed there"
        if token.text in ("edef", "xdef") and self.is_of_tables(target) and self.expands(stream):
            return f"\\{target} is defined by what others mean at that moment"
        return None

    def is_followed(self, token: Token, target: str, stream: TokenStream) -> bool:
        """Whether the reader has the meaning that a package gives a command, or one that prints the same numbers."""
        if target not in self.known.commands:
            return target not in self.definitions
        if target in commands.SYMBOLS:
            return False
        if token.text == "let":
            return all(name in self.known.commands and name not in commands.SYMBOLS for name in given(stream))
        ahead = TokenStream(stream.seen(LONGEST_CONDITION))
        ahead.star()
        ahead.argument()
        while ahead.option() is not None:
            pass
        while (following := ahead.ahead()) is not None and following.kind != "{":
            ahead.next()
        return following is not None and not self.prints_digits(ahead.argument())

    def prints_digits(self, tokens: list[Token]) -> bool:
        """Whether digits stand there that are neither an argument of a command that sets nothing nor a length.

        A length is one in points, such as 6\\p@, behind a command of LaTeX.
        """
        before: Token | None = None
        stream = TokenStream(tokens)
        while (token := stream.next()) is not None:
            taken = commands.SIGNATURES.get(token.text, "?") if token.kind == "command" else "?"
            if taken.strip("*od") == "":
                for letter in taken:
                    stream.take(letter)
            elif token.kind == "text" and any(sign.isdigit() for sign in token.text):
                told = before is not None and before.kind == "command" and before.text not in self.defined
                unit, behind = (*stream.seen(2), None, None)[:2]
                if (
                    not told
                    or unit is None
                    or not unit.is_command("p@")
                    or (behind is not None and behind.kind == "text")
                ):
                    return True
            before = token
        return False

    def expands(self, stream: TokenStream) -> bool:
        """Whether the body of an \\edef calls something."""
        before = [stream.next() for _ in stream.seen(20, lambda token: token.kind == "{")[:-1]]
        body = stream.group_ahead()
        stream.push(token for token in before if token is not None)
        return any(one.kind == "command" for one in body)


def groups_ahead(stream: TokenStream) -> list[list[Token]]:
    """The arguments in braces that stand here; they stay."""
    found: list[list[Token]] = []
    while (following := stream.ahead()) is not None and following.kind == "{":
        found.append(stream.argument())
    for group in reversed(found):
        stream.push(group)
    return found


def given(stream: TokenStream) -> list[str]:
    """What \\let gives its first command the meaning of."""
    taken = [one for one in stream.seen(6) if one.kind != "space" and one.text != "="]
    return [one.text for one in taken[1:2] if one.kind == "command"]


def changes_no_sign(token: Token) -> bool:
    """Whether a code is only read, or is one of a sign that no number has."""
    text = token.file.text
    read = text[max(0, token.start - 8) : token.start].rstrip().endswith(("\\the", "\\number"))
    return read or bool(_PLAIN_SIGN.match(text, token.end) or _OTHER.match(text, token.end))


def prints_nothing(tokens: list[Token], lengths: Collection[str] = ()) -> bool:
    """Whether tokens print and define nothing: lengths, also of the document's own, rules, and packages."""
    known = _known().commands
    stream = TokenStream(tokens)
    while (token := stream.next()) is not None:
        if token.is_command(*lengths, *_known().registers, *commands.DIMENSION_FOLLOWS, *_OF_FILES):
            given: list[str] = []
            while (following := stream.ahead()) is not None and following.kind == "text":
                stream.next()
                given.append(following.text)
            if _GLUE.fullmatch(" ".join(given)) is None:
                return False
        elif token.kind == "command" and token.text in (*_STYLES, *_SETTINGS):
            stream.option()
            stream.argument()
        elif token.kind == "command" and commands.SIGNATURES.get(token.text, "?").strip("*od") == "":
            for letter in commands.SIGNATURES[token.text]:
                stream.take(letter)
        elif token.kind in ("text", "verb", "&", "param") or (
            token.kind == "command"
            and (token.text not in known or token.text in commands.SYMBOLS or token.text in _NAMING)
        ):
            return False
    return True


def _option_ahead(stream: TokenStream) -> str:
    """The optional argument that stands here, which stays."""
    opening = stream.ahead()
    option = stream.option()
    if option is None or opening is None:
        return ""
    stream.push([opening, *option, opening._replace(kind="]", text="]")])
    return written(option)
