"""Tables and running text of a LaTeX document, with the file and line of each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sealtrace.paper import tex_commands as commands
from sealtrace.paper.extracted import ExtractedTable, Load, ProseLine, ReadingProblem, Reported
from sealtrace.paper.numbers import looks_numeric
from sealtrace.paper.tex_expansion import Expander
from sealtrace.paper.tex_layouts import RefusedError, as_table
from sealtrace.paper.tex_tabular import Tabular, read_tabular
from sealtrace.paper.tex_text import Cursor, render
from sealtrace.paper.tex_tokens import BLANK, Token, TokenStream, written

_CAPTIONS = frozenset({"caption", "captionof", "tbl"})
# A caption made by \captionof holds for the tables in the same box. Classes have floats of their own, called a table.
_BOX = re.compile(rf"{'|'.join(map(re.escape, commands.FLOATS))}|minipage|center|\w*table\*?", re.IGNORECASE)
_ADDRESS = re.compile(r"\w@\w[\w-]*\.\w")
_INNER = frozenset(f"{{{name}}}" for name in commands.TABULARS)


def read_document(text: str, source: str, load: Load) -> Reported:
    """Every table of a LaTeX text, and its running text line by line.

    `load` gives the text of a file that the document puts in, or None where it is not there. It is asked for names
    as they are written, with .tex behind them first, and decides itself which paths it allows.
    """
    return _LatexReader(text, source, load).read()


@dataclass
class _Caption:
    tokens: list[Token]
    label: str | None = None
    starred: bool = False
    """It has no number: beside one that has, it is a note."""


@dataclass
class _Found:
    """A tabular that waits for its caption."""

    tabular: Tabular
    begin: Token
    captions: int
    """How many captions its box had when it was read."""
    order: int
    """Among all tables."""
    own: _Caption | None = None
    """Of a part of a float, beside the caption of the whole."""
    label: str | None = None
    caption: str = ""
    notes: list[ProseLine] = field(default_factory=list)
    """What its float prints behind it, beside the caption."""

    def table(self) -> ExtractedTable:
        rows, place = tuple(self.tabular.rows), (self.begin.file.name, self.begin.line)
        return ExtractedTable(self.label, self.caption, *place, self.tabular.columns, rows, notes=tuple(self.notes))


@dataclass
class _Box:
    """A float or another box that may have captions."""

    name: str
    begin: Token | None = None
    captions: list[_Caption] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    tables: list[_Found] = field(default_factory=list)
    held_table: bool = False
    """A table was read or refused, here or in a box inside."""
    printed: list[_Found] = field(default_factory=list)
    """Of a float of tables: those that were read so far, also in boxes inside."""


class _LatexReader:
    def __init__(self, text: str, source: str, load: Load) -> None:
        self.problems: list[ReadingProblem] = []
        self.expander = Expander(text, source, load, self.problems)
        self.stream = TokenStream(more=self.expander.next)
        self.tables: list[_Found] = []
        self.prose: list[ProseLine] = []
        self.paragraph = 0
        self.buffer: list[Token] = []
        self.boxes = [_Box("")]
        self.count = 0
        self.displays = 0
        self.part: _Caption | None = None
        """The caption of a part of a float, until its table comes."""
        self.head: list[Token] = []
        """The head of the next supertabular, and the one after it."""
        self.head_caption: list[Token] = []
        self.started = not self.expander.has_document
        self.doubts: set[str] = set()
        self.title = ""

    # The document

    def read(self) -> Reported:
        while (token := self.stream.next()) is not None:
            if token.kind == "par":
                self.flush()
            elif token.kind != "command":
                self.buffer.append(token)
            elif token.text == "begin":
                self.begin(token)
            elif token.text == "end":
                self.end(token)
            elif token.text in _CAPTIONS:
                self.caption(token)
            elif token.text == "label":
                label = written(self.stream.argument())
                if self.part is not None and self.part.label is None:
                    self.part.label = label
                else:
                    self.boxes[-1].labels.append(label)
            elif token.text in ("tablefirsthead", "tablehead"):
                given = self.stream.argument()
                self.head = given if token.text == "tablefirsthead" or not self.head else self.head
            elif token.text in ("tablecaption", "topcaption", "bottomcaption"):
                self.stream.option()
                self.head_caption = self.stream.argument()
            elif token.text in ("tabletail", "tablelasttail"):
                self.stream.argument()
            elif token.text in commands.SECTIONS or (token.text == "abstract" and self.stream.group_ahead()):
                self.flush()
                self.stream.star()
                self.stream.option()
                self.buffer = self.stream.argument()
                # Some classes want \abstract{…} before the document begins, and print it there.
                started, self.started = self.started, self.started or token.text == "abstract"
                self.flush()
                self.started = started
            elif token.text == "title":
                self.stream.option()  # what running heads say instead
                self.title = self.title or render(self.stream.argument()).text()
            elif token.text in commands.TITLE_PAGE:
                self.stream.option()
                self.stream.argument()
            elif token.text in commands.TABULARS and self.started and self.stream.group_ahead():
                self.flush()
                self.tabular(token.text, token)  # \tabular{lr} ... \endtabular
            elif token.text in ("subfloat", "subcaptionbox"):
                self.part_caption(token)
            elif token.text == "ctable":
                options, columns, _notes, rows = self.stream.option(), *(self.stream.argument() for _ in range(3))
                self.stream.push(as_table(token, options or [], columns, rows))
            else:
                if token.text in ("item", "par"):
                    self.flush()
                self.buffer.append(token)
        self.flush()
        while self.boxes:
            self.close_box(self.boxes.pop())
        self.problems += self.expander.doubts()
        tables = [found.table() for found in sorted(self.tables, key=lambda found: found.order)]
        return Reported(tables, list(dict.fromkeys(self.problems)), self.prose, title=self.title)

    def begin(self, token: Token) -> None:
        self.flush()
        name = written(self.stream.argument())
        if name == "document":
            self.started = True
        if name in commands.TABULARS or (name == "array" and self.table_float() is not None):
            self.tabular(name, token)
            return
        if name in commands.GRAPHICS:
            self.collect(name)
            return
        for letter in commands.ENVIRONMENTS.get(name, ""):
            following = self.stream.ahead()
            if letter == "o" or (following is not None and following.kind == "{"):
                self.stream.take(letter)
        if _BOX.fullmatch(name):
            self.boxes.append(_Box(name, token))
        self.displays += name in commands.DISPLAYS

    def end(self, _token: Token) -> None:
        name_tokens = self.stream.argument()
        name = written(name_tokens)
        self.flush()
        if name in commands.DISPLAYS and self.displays:
            self.displays -= 1
        if any(box.name == name for box in self.boxes[1:]):
            while (box := self.boxes.pop()).name != name:
                self.close_box(box)
            self.close_box(box)

    def collect(self, name: str) -> tuple[list[Token], Token | None]:
        """Tokens up to the \\end of an environment, and that \\end; or up to where another environment ends instead."""
        tokens: list[Token] = []
        opened: list[str] = []
        while (token := self.stream.next()) is not None:
            if token.is_command(f"end{name}") and not opened:
                return tokens, token
            if token.is_command("begin", "end"):
                environment = written(self.stream.group_ahead())
                if token.text == "begin":
                    opened.append(environment)
                elif opened and opened[-1] == environment:
                    opened.pop()
                elif environment == name and not opened:
                    self.stream.argument()
                    return tokens, self.stream.last
                else:
                    self.stream.push([token])
                    return tokens, None
            tokens.append(token)
        return tokens, None

    # Tables

    def tabular(self, name: str, token: Token) -> None:
        box = self.boxes[-1]
        box.held_table = True
        self.count += 1
        tokens, end = self.collect(name)
        if end is None:
            self.problems.append(token.problem(f"\\begin{{{name}}} is not closed by its \\end: the table is refused"))
            return
        try:
            tabular = read_tabular(name, tokens, end, self.expander.column_types, self.problems, self.head)
        except RefusedError as refused:
            if (inside := _laid_out(name, tokens)) is not None:
                self.stream.push(inside)
                return
            where = refused.token or token
            self.problems.append(where.problem(f"{refused.message}: the table is refused"))
            return
        if not tabular.rows:
            self.problems.append(token.problem("a table without rows", warning=True))
            return
        if name in commands.HEADED_TABULARS and self.head_caption:
            tabular.captions, self.head_caption = [self.head_caption], []
        if not any(row.header for row in tabular.rows):
            # A table of authors has addresses, and no header.
            if any(cell and _ADDRESS.search(cell.text) for row in tabular.rows for cell in row.cells):
                return
            message = "nothing sets a header apart: every row is read as body"
            self.problems.append(token.problem(message, warning=True, certain=True))
        for doubt, where in tabular.doubts.items():
            if doubt not in self.doubts:
                self.doubts.add(doubt)
                self.problems.append(where.problem(doubt, warning=True))
        found = _Found(tabular, token, len(box.captions), self.count, self.part)
        self.part = None
        if (around := self.table_float()) is not None:
            around.printed.append(found)
        if tabular.captions or tabular.labels:
            own = _Box(
                name,
                token,
                [_Caption(tokens, _label_in(tokens)) for tokens in tabular.captions[:1]],
                tabular.labels,
                [found],
            )
            found.captions = 1
            for caption in own.captions:
                self.add_prose(caption.tokens, caption=True)
            self.close_box(own)
        else:
            box.tables.append(found)

    def caption(self, token: Token) -> None:
        self.flush()
        starred = self.stream.star()
        if token.text == "captionof":
            self.stream.argument()
        self.stream.option()
        tokens = self.stream.argument()
        caption = _Caption(tokens, _label_in(tokens), starred)
        self.boxes[-1].captions.append(caption)
        self.add_prose(tokens, caption=True)
        following = self.stream.ahead()
        if caption.label is None and following is not None and following.is_command("label"):
            self.stream.next()  # the label directly behind a caption names it
            caption.label = written(self.stream.argument())

    def part_caption(self, token: Token) -> None:
        """\\subfloat[caption]{table} and \\subcaptionbox{caption}{table}."""
        self.flush()
        self.stream.star()
        if token.text == "subcaptionbox":
            tokens = self.stream.argument()
            self.stream.option()
        else:
            tokens = self.stream.option() or []
        self.part = _Caption(tokens, _label_in(tokens))
        self.add_prose(tokens, caption=True)

    def close_box(self, box: _Box) -> None:
        """Gives the tables of a box their captions."""
        self.part = None  # the caption of a part ends with its float, whether a table followed it or a picture
        parent = self.boxes[-1] if self.boxes else None
        if parent is not None:
            parent.held_table |= box.held_table
        if box.name in commands.TABLE_FLOATS and not box.held_table and box.begin is not None:
            self.problems.append(box.begin.problem(f"a {box.name} without a table that can be read", warning=True))
        if box.name in ("subtable", "subfigure") and len(self.boxes) > 1 and parent is not None:
            # The parts of a float have its caption beside their own.
            own = box.captions[0] if box.captions else _Caption([])
            own.label = own.label or (box.labels[0] if box.labels else None)
            for found in box.tables:
                found.own, found.captions = found.own or own, len(parent.captions)
            parent.tables += box.tables
            return
        if not box.tables and box.name not in commands.FLOATS and parent is not None and parent.name:
            parent.captions += box.captions
            parent.labels += box.labels
            return
        outermost = box.name in commands.FLOATS and parent is not None and not parent.name
        if not box.captions and not box.labels and parent is not None and not outermost:
            for found in box.tables:
                found.captions = len(parent.captions)
            parent.tables += box.tables
            return
        numbered = [caption for caption in box.captions if not caption.starred]
        if numbered and len(box.captions) != len(box.tables):
            box.captions = numbered
        labels = list(box.labels) if box.name else []
        for caption in box.captions:
            if caption.label is None and labels:
                caption.label = labels.pop(0)
        lone_label = labels[0] if labels and not box.captions else None
        for number, found in enumerate(box.tables):
            chosen: _Caption | None = None
            if len(box.captions) == len(box.tables):
                chosen = box.captions[number]
            elif box.captions:
                chosen = box.captions[min(max(1, found.captions), len(box.captions)) - 1]
                if len(box.captions) > 1:
                    message = "captions and tables of a float do not pair: the caption before the table is taken"
                    self.problems.append(found.begin.problem(message, warning=True, certain=True))
            self.add_table(found, chosen, chosen.label if chosen is not None else lone_label)

    def add_table(self, found: _Found, caption: _Caption | None, label: str | None) -> None:
        tokens = caption.tokens if caption is not None else []
        text = render(tokens).text()
        if found.own is not None:
            label = found.own.label or label
            text = " ".join(filter(None, [text, render(found.own.tokens).text()]))
        found.label, found.caption = label, text
        self.tables.append(found)

    def table_float(self) -> _Box | None:
        """The innermost float of tables that is open."""
        return next((box for box in reversed(self.boxes) if box.name in commands.TABLE_FLOATS), None)

    # Running text

    def flush(self) -> None:
        """Ends a paragraph."""
        tokens, self.buffer = self.buffer, []
        self.add_prose(tokens, math=self.displays > 0)

    def add_prose(self, tokens: list[Token], *, caption: bool = False, math: bool = False) -> None:
        if not self.started or not tokens:
            return
        rendering = render(tokens, math=math, footnotes=True)
        named: dict[tuple[str, int], list[str]] = {}
        for token, label in rendering.references:
            named.setdefault((token.file.name, token.line), []).append(label)
        lines = rendering.lines()
        self.paragraph += bool(lines)
        around = None if caption else self.table_float()
        for token, text in lines:
            place = (token.file.name, token.line)
            self.prose.append(ProseLine(text, *place, self.paragraph, caption, tuple(named.get(place, ()))))
            for found in around.printed if around is not None else ():
                found.notes.append(self.prose[-1])


def _laid_out(name: str, tokens: list[Token]) -> list[Token] | None:
    """The cells of a tabular that only sets other tables side by side: each holds one, or words below or above."""
    cursor = Cursor(tokens)
    for letter in commands.ENVIRONMENTS[name]:
        cursor.take(letter)
    cells: list[list[Token]] = [[]]
    depth = 0
    for token in cursor.rest():
        depth += token.is_command("begin") - token.is_command("end")
        if depth == 0 and (token.kind == "&" or token.is_command("\\", "tabularnewline")):
            cells.append([])
        else:
            cells[-1].append(token)
    filled = [cell for cell in cells if any(token.kind not in BLANK for token in cell)]
    inner = [any(written(cell[place + 1 : place + 4]) in _INNER for place in range(len(cell))) for cell in filled]
    words = [cell for cell, is_table in zip(filled, inner, strict=True) if not is_table]
    if not any(inner) or any(looks_numeric(render(cell).text()) for cell in words):
        return None
    return [token for cell in filled for token in cell]


def _label_in(tokens: list[Token]) -> str | None:
    """The label that stands inside a caption."""
    for index, token in enumerate(tokens):
        if token.is_command("label"):
            return written(TokenStream(tokens[index + 1 :]).argument())
    return None
