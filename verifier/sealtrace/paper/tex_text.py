"""Tokens to the text that a reader sees, with bold and underlining."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import NamedTuple

from sealtrace.paper import tex_commands as commands
from sealtrace.paper.extracted import REFERENCE, THIN_SPACE, Mark, collapse
from sealtrace.paper.tex_tokens import BLANK, Token, TokenStream, braced, written
from sealtrace.paper.tex_visible import HIDES, hidden

MAX_NESTING = 60
"""No printed cell nests deeper; what does is left out, and said."""
_UNIT = r"(?:pt|em|ex|cm|mm|in|mu|sp|pc|bp|dd|cc|fil+)"
_DIMENSION = re.compile(rf"(?:width|height|depth|plus|minus)?(?:=?[-+]?[0-9]*[.,]?[0-9]+{_UNIT})?")
_FACTOR = re.compile(r"=?[-+]?[0-9]*[.,]?[0-9]*")
_LENGTH = re.compile(rf"\s*[-+]?\s*(?:[0-9.,]+\s*{_UNIT}|[0-9.]*\\[A-Za-z]+)\s*")
"""What may stand in the option of a line break."""
_THOUSAND = re.compile(r"\d{3}(?!\d)")


class Style(NamedTuple):
    """How the next characters are set."""

    bold: bool = False
    underline: bool = False
    math: bool = False
    typewriter: bool = False


class Glyphs(NamedTuple):
    """A piece of text with its style and the token that printed it."""

    text: str
    style: Style
    token: Token


@dataclass
class Rendering:
    """What tokens print, and what was noticed on the way."""

    glyphs: list[Glyphs] = field(default_factory=list)
    doubts: dict[str, Token] = field(default_factory=dict)
    """Why a reader may see something else: commands that are not known, or hide what they set; each where first."""
    rows: str | None = None
    """The span of a \\multirow, as written."""
    inner_table: Token | None = None
    """A table with columns of its own."""
    too_deep: Token | None = None
    references: list[tuple[Token, str]] = field(default_factory=list)
    """The label of each reference, as written; nothing for a citation."""

    def marks(self) -> list[Mark]:
        return [
            Mark(character, glyph.style.bold, glyph.style.underline)
            for glyph in self.glyphs
            for character in glyph.text
        ]

    def text(self) -> str:
        """Plain text."""
        return "".join(mark.character for mark in collapse(self.marks()))

    def lines(self) -> list[tuple[Token, str]]:
        """Plain text cut where the source lines were, each with its first token."""
        found: list[tuple[Token, list[Mark]]] = []
        place: tuple[str, int] | None = None
        for text, _style, token in self.glyphs:
            here = (token.file.name, token.line)
            if here != place and not text.isspace():
                found.append((token, []))
                place = here
            if found:
                found[-1][1].extend(Mark(character) for character in text)
        rendered = ((token, "".join(mark.character for mark in collapse(marks))) for token, marks in found)
        return [(token, text) for token, text in rendered if text]


def render(tokens: list[Token], *, math: bool = False, footnotes: bool = False) -> Rendering:
    """What the tokens print. Footnotes are printed elsewhere, so they count as text only where that is asked for."""
    rendering = Rendering()
    _Renderer(rendering, footnotes).run(tokens, Style(math=math), 0)
    return rendering


class Cursor(TokenStream):
    """A stream in which a command that is an argument brings its own arguments along, as in x^\\mathrm{T}."""

    _nesting = 0

    def alone(self, token: Token) -> list[Token]:
        if token.kind != "command" or self._nesting == MAX_NESTING:
            return [token]
        found = [token]
        self._nesting += 1
        for letter in _arguments(token.text):
            if (taken := self.take(letter)) is not None:
                found += braced(token, taken, "[]" if letter == "o" else "{}")
        self._nesting -= 1
        return found


def _arguments(name: str) -> str:
    """Signature of a command that is itself an argument."""
    if name in commands.SWITCHES:
        return ""
    if name in commands.ACCENTS or _styled(name, Style()) is not None:
        return "s"
    return commands.SIGNATURES.get(name, "")


class _Renderer:
    def __init__(self, rendering: Rendering, footnotes: bool) -> None:
        self.out = rendering
        self.footnotes = footnotes
        self.inner_tables: list[Token] = []
        self.seam = False
        """The place lies at the edge of an unknown command's argument."""

    def run(self, tokens: list[Token], style: Style, depth: int) -> None:
        if depth > MAX_NESTING:
            if tokens:
                self.out.too_deep = tokens[0]
            return
        outer_math = style.math
        cursor = Cursor(tokens)
        while (token := cursor.next()) is not None:
            if token.kind == "{":
                self.run(cursor.group(), style, depth + 1)
            elif token.kind == "command":
                style = self.command(token, cursor, style, depth)
            elif token.kind == "$":
                following = cursor.peek()
                if following is not None and following.kind == "$":
                    cursor.next()
                style = style._replace(math=outer_math if style.math and not outer_math else True)
            elif token.kind in "^_":
                self.script(token, cursor.argument(), style, depth)
            elif token.kind in BLANK:
                self.blank(token, cursor, style)
            elif token.kind in "~&":
                following = cursor.peek()
                thousands = token.kind == "~" and following is not None and _THOUSAND.match(following.text)
                self.emit(THIN_SPACE if thousands else " ", style, token)
                if token.kind == "&" and self.inner_tables:
                    self.out.inner_table = self.inner_tables[-1]
            elif token.kind == "text":
                self.emit(_ligatures(token.text, style), style, token)
            elif token.kind not in ("}", "stray"):
                self.emit(token.text, style, token)

    def emit(self, text: str, style: Style, token: Token) -> None:
        if not text:
            return
        glyphs = self.out.glyphs
        if self.seam and glyphs and glyphs[-1].text[-1].isdecimal() and text[0].isdecimal():
            # What an unknown command prints between its arguments is not known; they are not one number.
            glyphs.append(Glyphs(" ", style, token))
        self.seam = False
        glyphs.append(Glyphs(text, style, token))

    def blank(self, token: Token, cursor: Cursor, style: Style) -> None:
        """White space. Mathematics keeps it as written, for readers, except where it would cut a number in two."""
        if style.math and token.kind != "par":
            before = self.out.glyphs[-1].text[-1] if self.out.glyphs else ""
            following = cursor.peek()
            after = following.text[:1] if following is not None and following.kind == "text" else ""
            if following is not None and following.kind in "^_":
                return
            if after and (before.isdecimal() or before == ".") and (after.isdecimal() or after in (".", ",")):
                return
        self.emit(" ", style, token)

    def aside(self, tokens: list[Token], style: Style, depth: int) -> str:
        """Plain text of some tokens, taken out of the output again."""
        begin = len(self.out.glyphs)
        self.run(tokens, style, depth + 1)
        text = "".join(glyph.text for glyph in self.out.glyphs[begin:])
        del self.out.glyphs[begin:]
        return " ".join(text.split())

    def script(self, token: Token, argument: list[Token], style: Style, depth: int) -> None:
        text = self.aside(argument, style._replace(math=True), depth)
        if not text:
            return
        if token.kind == "^" and text in ("∘", "o"):
            text = "°"
        raised = token.kind == "^" and all(character in commands.RAISED or character in ", " for character in text)
        self.emit(text if raised else f"{token.kind}{text}", style, token)

    def command(self, token: Token, cursor: Cursor, style: Style, depth: int) -> Style:
        """Prints a command with its arguments. Returns the style after it, which a switch changes."""
        name = token.text
        styled = _styled(name, style)
        if styled is not None:
            if name in commands.SWITCHES:
                return styled
            self.run(cursor.argument(), styled, depth + 1)
        elif (signature := commands.SIGNATURES.get(name, commands.COMPOSED.get(name))) is not None:
            self.signature(signature, token, cursor, style, depth)
        elif name in commands.SYMBOLS:
            self.emit(commands.SYMBOLS[name], style, token)
            following = cursor.peek()
            if style.math and following is not None and following.file is token.file:
                # A control word swallows the space behind it; for readers it stands there all the same.
                gap = token.file.text[token.end : following.start]
                if gap and gap.isspace() and token.depth == following.depth == 0:
                    self.blank(token._replace(kind="space"), cursor, style)
        elif name in commands.ACCENTS:
            self.accent(token, cursor, style, depth)
        elif name in ("(", "["):
            return style._replace(math=True)
        elif name in (")", "]"):
            return style._replace(math=False)
        elif name == "\\":
            skip_line_break(cursor)
            self.emit(" ", style, token)
        elif name in ("left", "right"):
            following = cursor.peek()
            if following is not None and following.kind == "text" and following.text.startswith("."):
                cursor.argument()  # the full stop stands for no bracket at all
        elif name in commands.DIMENSION_FOLLOWS:
            following = cursor.peek()
            if following is not None and name in ("hskip", "kern") and hidden("hspace", [following.text], {}):
                self.out.doubts.setdefault(HIDES.format(name), token)
            self.skip_dimension(cursor)
        else:
            self.other(token, cursor, style, depth)
        return style

    def signature(self, signature: str, token: Token, cursor: Cursor, style: Style, depth: int) -> None:
        if token.text in commands.TEXT_IN_MATH:
            style = style._replace(math=False)
        changing, given = commands.HIDING.get(token.text), []
        for letter in signature:
            if letter not in commands.ARGUMENTS:
                self.emit(letter, style, token)
                continue
            taken = cursor.take(letter)
            text = written(taken or [])
            if letter != "*":
                given.append(text)
            if (changing is not None and re.search(changing, text)) or (
                letter in "sd" and hidden(token.text, given, token.file.colours)
            ):
                self.out.doubts.setdefault(HIDES.format(token.text), token)
            if letter in "su" and taken is not None:
                shown = (
                    _units(taken) if letter == "u" else as_number(taken) if token.text in commands.NUMBERS else taken
                )
                self.run(shown, style, depth + 1)
            elif letter == "m":
                self.out.rows = text
            elif letter in "rc":
                self.emit(REFERENCE, style, token)
                self.out.references.append((token, text if letter == "r" else ""))

    def accent(self, token: Token, cursor: Cursor, style: Style, depth: int) -> None:
        text = self.aside(cursor.argument(), style, depth)
        if len(text) == 1:
            text = unicodedata.normalize("NFC", text + commands.ACCENTS[token.text])
        self.emit(text, style, token)

    def other(self, token: Token, cursor: Cursor, style: Style, depth: int) -> None:
        """Commands whose arguments are printed in a way of their own."""
        name = token.text
        if name in ("textsuperscript", "tnote", "tablenotemark", "tablefootmark", "tmark", "textsubscript"):
            sign = "_" if name == "textsubscript" else "^"
            cursor.option()
            argument = cursor.argument()
            # The number of a note is no part of what it stands at.
            if name.startswith("text") or not written(argument).isdecimal():
                self.script(token._replace(kind=sign), argument, style, depth)
        elif name == "ding":
            self.emit(commands.DINGBATS.get(written(cursor.argument()), "•"), style, token)
        elif name in ("footnote", "footnotetext", "tablefootnote", "tabularnote"):
            cursor.option()
            argument = cursor.argument()
            if self.footnotes:
                self.emit(" ", style, token)
                self.run(argument, Style(), depth + 1)
                self.emit(" ", style, token)
        elif name == "begin":
            self.environment(token, cursor)
        elif name == "end":
            if written(cursor.argument()) in commands.TABULARS and self.inner_tables:
                self.inner_tables.pop()
        else:
            following = cursor.peek()
            if following is not None and following.text.startswith("="):
                self.skip_dimension(cursor)  # \aboverulesep=0ex sets a length
            self.out.doubts.setdefault(f"\\{name} is not known: its arguments are read as text", token)
            self.seam = True
            while (following := cursor.peek()) is not None and following.kind == "{":
                self.run(cursor.argument(), style, depth + 1)
                self.seam = True

    def environment(self, token: Token, cursor: Cursor) -> None:
        name = written(cursor.argument())
        for letter in commands.ENVIRONMENTS.get(name, ""):
            cursor.take(letter)
        if name in commands.TABULARS:
            self.inner_tables.append(token)

    def skip_dimension(self, cursor: Cursor) -> None:
        """Passes over a length, as in \\hskip 2pt plus 1fil, \\vrule width 1pt or \\hsize=0.5\\hsize."""
        while (token := cursor.ahead()) is not None and token.kind == "text":
            match = _DIMENSION.match(token.text)
            if match is None or match.end() == 0:
                factor = _FACTOR.fullmatch(token.text)
                cursor.next()
                following = cursor.peek()
                if factor is None or following is None or following.kind != "command":
                    cursor.push([token])
                    return
                cursor.next()
                continue
            cursor.next()
            if match.end() < len(token.text):
                cursor.push([token._replace(text=token.text[match.end() :], start=token.start + match.end())])
                return
            following = cursor.peek()
            if following is not None and following.kind == "space":
                cursor.next()  # a space ends the length, and is not printed


def skip_line_break(cursor: Cursor) -> list[Token] | None:
    """Skips what may follow a line break, a star and a length in square brackets; the length."""
    cursor.star()
    return cursor.option(fitting=_LENGTH)  # not an interval that opens the next row


_LETTERS = re.compile(r"[A-Za-z]{2}")


def as_number(tokens: list[Token]) -> list[Token]:
    """A number as siunitx sets it: a comma is a point, and spaces part nothing. Words, and what is in braces, stay."""
    if any(token.kind == "text" and _LETTERS.search(token.text) for token in tokens):
        return tokens
    number: list[Token] = []
    depth = 0
    for token in tokens:
        depth += (token.kind == "{") - (token.kind == "}")
        if depth or token.kind not in BLANK:
            plain = depth == 0 and token.kind == "text"
            number.append(token._replace(text=token.text.replace(",", ".")) if plain else token)
    return number


def _units(tokens: list[Token]) -> list[Token]:
    """The names that siunitx has for units, as they are printed."""
    return [
        token._replace(kind="text", text=commands.UNITS[token.text])
        if token.kind == "command" and token.text in commands.UNITS
        else token
        for token in tokens
    ]


def _styled(name: str, style: Style) -> Style | None:
    if name in commands.BOLD:
        style = style._replace(bold=True)
    elif name in commands.UNDERLINE:
        style = style._replace(underline=True)
    elif name in commands.UPRIGHT:
        style = style._replace(bold=False)
    elif name in commands.TYPEWRITER:
        style = style._replace(typewriter=True)
    else:
        return None
    return style._replace(math=False) if name in commands.TEXT_IN_MATH else style


def _ligatures(text: str, style: Style) -> str:
    text = text.replace("−", "-")
    if style.math or style.typewriter:
        return text
    return text.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”").replace("`", "‘")
