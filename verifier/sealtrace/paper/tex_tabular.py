"""One LaTeX tabular, from its tokens to rows of cells."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from sealtrace.paper import tex_commands as commands
from sealtrace.paper.extracted import ExtractedCell, ExtractedRow, ReadingProblem, marked_cell, with_headers
from sealtrace.paper.numbers import looks_numeric
from sealtrace.paper.tex_definitions import Macro
from sealtrace.paper.tex_harmless import changes_table
from sealtrace.paper.tex_layouts import (
    Keyed,
    RefusedError,
    TexColumn,
    keyed_table,
    read_columns,
    read_keys,
    rows_of_deluxe,
    rows_of_tabbing,
    spans_in,
    without_code,
)
from sealtrace.paper.tex_text import Cursor, as_number, render, skip_line_break
from sealtrace.paper.tex_tokens import BLANK, Token, is_undecided, trimmed, written
from sealtrace.paper.tex_visible import HIDES, hidden

_RANGE = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")
_SPAN = re.compile(r"-?[0-9]{1,4}(?:\.[0-9]+)?")
_INDENTS = ("\\quad", "\\qquad", "\\hspace", "\\enspace", "\\hskip", "\\indent", "\\;", "~", "\\ ")


@dataclass
class Tabular:
    """Rows, and what a longtable says of itself."""

    columns: int
    rows: list[ExtractedRow]
    captions: list[list[Token]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    doubts: dict[str, Token] = field(default_factory=dict)


@dataclass
class _Row:
    cells: list[ExtractedCell | None]
    first: Token
    end: Token
    rule: str | None
    below_label: bool = False
    """A rule over all columns but the first stands directly above."""


def read_tabular(
    name: str,
    tokens: list[Token],
    end: Token,
    types: dict[str, Macro],
    problems: list[ReadingProblem],
    head: list[Token] | None = None,
) -> Tabular:
    """Reads what stands between \\begin{name} and \\end{name}. Raises RefusedError rather than guess.

    `head` are rows that the document gave before as the head of tables like this one.
    """
    cursor = Cursor(without_code(tokens) if name.startswith("Nice") else tokens)
    if name in ("tabu", "longtabu"):  # which say how wide they are before their columns: to 5cm, spread 0pt
        while (token := cursor.peek()) is not None and token.kind != "{":
            cursor.next()
    if name == "tabbing":
        rest = rows_of_tabbing(tokens)
        return _Reader([TexColumn() for _ in range(keyed_table([], rest).width)], end, types, problems).read(
            Cursor(rest)
        )
    taken = [(letter, cursor.take(letter)) for letter in commands.ENVIRONMENTS[name]]
    specification = [found for letter, found in taken if letter == "d"][-1] or []
    rest = cursor.rest()
    if name in commands.KEYED_TABULARS:
        keys = read_keys(taken[0][1] or [])
        keyed = keyed_table(specification, rest)
        columns = read_columns(keyed.columns, types) or [TexColumn() for _ in range(keyed.width)]
        reader = _Reader(columns, end, types, problems, keyed)
        if (key := changes_table(written(specification))) is not None:
            reader.result.doubts[HIDES.format(f"begin{{{name}}} with {key}")] = specification[0]
        reader.result.captions = [keys["caption"]] if "caption" in keys else []
        reader.result.labels = [written(keys["label"])] if "label" in keys else []
        return reader.read(Cursor(rest))
    columns = read_columns(specification, types)
    if not columns:
        raise RefusedError("the table has no columns")
    reader = _Reader(columns, end, types, problems)
    if name.startswith("deluxetable"):
        rest, reader.result.captions = rows_of_deluxe(rest, len(columns))
    if head and name in commands.HEADED_TABULARS:
        rest = [*head, end._replace(kind="command", text="endhead"), *rest]
    return reader.read(Cursor(rest))


class _Reader:
    def __init__(
        self,
        columns: list[TexColumn],
        end: Token,
        types: dict[str, Macro],
        problems: list[ReadingProblem],
        keyed: Keyed | None = None,
    ) -> None:
        self.columns = columns
        self.keyed = keyed
        self.end = end
        self.types = types
        self.problems = problems
        self.result = Tabular(len(columns), [])
        self.result.doubts |= {HIDES.format(column.changed): end for column in columns if column.changed}
        self.parts: dict[str, list[_Row]] = {}
        """What a longtable sets apart: endfirsthead, endhead, endfoot, endlastfoot."""
        self.rows: list[_Row] = []
        self.rule: str | None = None
        self.below_label = False
        self.written = 0  # rows so far, in a table whose spans and rules are keys

    def read(self, cursor: Cursor) -> Tabular:
        while True:
            self.between_rows(cursor)
            if cursor.peek() is None:
                break
            self.row(cursor)
        rows = self.in_printed_order()
        grid = [row for row, _head in rows]
        self.fill(grid)
        ruled = next((place for place, row in enumerate(grid) if place and row.below_label), 0)
        unlabelled = all(cell is not None and not cell.text for cell in (row.cells[0] for row in grid[:ruled]))
        if ruled and unlabelled and not any(row.rule for row in grid[1:]):
            # Where no other rule is, one over all columns but that of the labels ends a header without labels.
            grid[ruled].rule = "cline"
        self.resolve_spans(grid)
        self.drop_joined(grid)
        printed = [ExtractedRow(tuple(row.cells), row.first.line, head, rule=row.rule) for row, head in rows]
        self.result.rows = with_headers(printed, closed=self.rule is not None)
        return self.result

    def fill(self, rows: list[_Row]) -> None:
        """Rows with too few cells get empty ones; columns that no row has are no columns."""
        width = self.result.columns = max((len(row.cells) for row in rows), default=0)
        short = [row for row in rows if len(row.cells) < width]
        if short:
            rows_told = f"{len(short)} rows of the table are short; this one" if len(short) > 1 else "a row"
            message = f"{rows_told} has {len(short[0].cells)} cells of {width}: the rest is read as empty"
            self.problems.append(short[0].first.problem(message, warning=True, certain=True))  # TeX does so, too
        for row in short:
            row.cells += [marked_cell((), row.end.file.name, row.end.line) for _ in range(width - len(row.cells))]

    def drop_joined(self, rows: list[_Row]) -> None:
        """Two columns that print one number in every row are one column."""
        for right in range(self.result.columns - 1, 0, -1):
            if self.columns[right - 1].joint is None or any(row.cells[right] is not None for row in rows):
                continue
            for row in rows:
                left = next((at for at in range(right - 1, -1, -1) if row.cells[at] is not None), None)
                cell = row.cells[left] if left is not None else None
                if left is not None and cell is not None and left + cell.columns > right:
                    row.cells[left] = replace(cell, columns=cell.columns - 1)
                del row.cells[right]
            self.result.columns -= 1

    def in_printed_order(self) -> list[tuple[_Row, bool]]:
        """The first head, the body and the last foot; heads and feet of further pages are left out."""
        head = self.parts.get("endfirsthead", self.parts.get("endhead", []))
        foot = self.parts.get("endlastfoot", self.parts.get("endfoot", []))
        return [(row, True) for row in head] + [(row, False) for row in (*self.rows, *foot)]

    def between_rows(self, cursor: Cursor) -> None:
        """Rules, spacing, and what a longtable holds between its rows."""
        while True:
            token = cursor.ahead()
            if token is None or token.kind != "command" or token.text not in commands.BETWEEN_ROWS:
                return
            cursor.next()
            taken = [cursor.take(letter) for letter in commands.BETWEEN_ROWS[token.text]]
            self.look_hidden(token, taken)
            last = taken[-1] if taken else None
            if token.text in commands.FULL_RULES:
                self.rule = token.text if self.rule != "midrule" else "midrule"
            elif token.text in ("cmidrule", "cline", "cdashline"):
                first = self.first_under(taken)
                self.rule = self.rule or (token.text if first == 1 else None)
                self.below_label |= first == 2
            elif token.text.startswith("end"):
                self.parts[token.text] = self.rows
                self.rows = []
            elif token.text == "caption":
                self.result.captions.append(last or [])
            elif token.text == "label":
                self.result.labels.append(written(last or []))

    def look_hidden(self, token: Token, taken: list[list[Token] | None]) -> None:
        """A dark colour behind a row, or a row that is moved onto another."""
        if hidden(token.text, [written(argument or []) for argument in taken], token.file.colours):
            self.result.doubts.setdefault(HIDES.format(token.text), token)

    def first_under(self, taken: list[list[Token] | None]) -> int | None:
        """The first of the columns that a rule is over, where it is over all from there on."""
        match = next((found for tokens in taken if tokens and (found := _RANGE.fullmatch(written(tokens)))), None)
        return int(match[1]) if match is not None and int(match[2]) == len(self.columns) else None

    def row(self, cursor: Cursor) -> None:
        """Reads one row to its line break."""
        cells: list[tuple[list[Token], Token]] = []
        content: list[Token] = []
        braces = environments = 0
        while True:
            token = cursor.next()
            outside = braces == 0 and environments == 0
            if outside and token is not None and token.is_command("endhead", "endfirsthead", "endfoot", "endlastfoot"):
                cursor.push([token])  # it ends the row as well
                cells.append((trimmed(content), token))
                break
            if token is None or (outside and (token.kind == "&" or token.is_command("\\", "tabularnewline", "cr"))):
                cells.append((trimmed(content), token or self.end))
                content = []
                if token is None:
                    break
                if token.kind == "command":
                    option = skip_line_break(cursor)
                    if any(content for content, _end in cells):  # room above an empty row is taken away by many
                        self.look_hidden(token, [option])
                    break
                continue
            content.append(token)
            if token.kind == "stray":
                raise RefusedError("a brace has no partner", token)
            braces += (token.kind == "{") - (token.kind == "}")
            if token.kind == "command":
                if is_undecided(token.text):
                    raise RefusedError(f"\\{token.text} is not evaluated", token)
                environments += (token.text == "begin") - (token.text == "end")
            if braces < 0 or environments < 0:
                raise RefusedError("a group or environment is closed that was not opened in the cell", token)
        if braces or environments:
            raise RefusedError("a group or environment is opened in a cell and not closed in it", cells[-1][1])
        cells = self.without_caption(cells)
        if len(cells) > 1 or any(not token.is_command(" ") for token in cells[0][0]):
            self.add_row(cells)

    def without_caption(self, cells: list[tuple[list[Token], Token]]) -> list[tuple[list[Token], Token]]:
        """A label that follows a longtable's caption is no cell."""
        if len(cells) == 1 and self.result.captions:
            cursor = Cursor(cells[0][0])
            self.between_rows(cursor)
            return [(cursor.rest(), cells[0][1])]
        return cells

    def add_row(self, contents: list[tuple[list[Token], Token]]) -> None:
        cells: list[ExtractedCell | None] = []
        first = next((tokens[0] for tokens, _end in contents if tokens), contents[0][1])
        self.written += 1
        surplus: list[tuple[list[Token], Token]] = []
        place = 0
        while place < len(contents):
            tokens, end = contents[place]
            place += 1
            if len(cells) >= len(self.columns):
                surplus = contents[place - 1 :]
                break
            # Columns that print one number, such as r@{±}l: it stands in the first.
            last = len(cells)
            while (
                (joint := self.columns[last].joint) is not None and last + 1 < len(self.columns) and not _spans(tokens)
            ):
                if joint:
                    if place == len(contents) or _spans(contents[place][0]):
                        break
                    right, end = contents[place]
                    place += 1
                    tail = self.columns[last + 1].after
                    tokens = [*tokens, *joint, *right, *tail] if tokens and right else [*tokens, *right]
                last += 1
            if last > len(cells):
                joined = replace(self.cell(tokens, end, len(cells)), columns=last + 1 - len(cells))
                cells += [joined, *[None] * (joined.columns - 1)]
                continue
            cell = self.cell(tokens, end, len(cells))
            keyed = self.keyed.span(self.written, len(cells) + 1) if self.keyed else (1, 1)
            rows, columns = _block(tokens) or keyed
            if rows > 1 or columns > 1:
                # Cells under a span are written out, and empty.
                cell = replace(cell, rows=rows, columns=min(columns, len(self.columns) - len(cells)))
                while columns > 1 and place < len(contents) and not contents[place][0]:
                    columns, place = columns - 1, place + 1
            cells += [cell, *[None] * (cell.columns - 1)]
        got, expected = len(cells) + len(surplus), len(self.columns)
        numbers = any(looks_numeric(render(tokens).text()) for tokens, _end in surplus)
        if len(cells) > expected or len(surplus) > expected or numbers:
            raise RefusedError(f"a row does not add up to the columns (got {got}, expected {expected})", first)
        rule = self.rule or (self.keyed.rule(self.written) if self.keyed else None)
        self.rows.append(_Row(cells, first, contents[-1][1], rule, self.below_label))
        self.rule, self.below_label = None, False
        if surplus:
            # TeX, too, begins a row here.
            message = f"a row has {got} cells of {expected}: the rest is read as a row of its own"
            self.problems.append(first.problem(message, warning=True))
            if any(tokens for tokens, _end in surplus):
                self.add_row(surplus)

    def cell(self, tokens: list[Token], end: Token, column: int) -> ExtractedCell:
        span, content, around = self.multicolumn(tokens, column)
        if around.numeric:
            content = as_number(content)
        rendering = render([*around.before, *content, *around.after])
        if rendering.inner_table is not None:
            raise RefusedError("a cell holds a table with columns of its own", rendering.inner_table)
        if rendering.too_deep is not None:
            raise RefusedError("a cell nests too deeply", rendering.too_deep)
        self.result.doubts = rendering.doubts | self.result.doubts
        place, indented = end, False
        if told := [token for token in tokens if token.kind not in BLANK]:
            file = told[0].file
            place = min((token for token in told if token.file is file), key=lambda token: token.start)
            indented = file.text.startswith(_INDENTS, place.start)
        rows = 1
        if rendering.rows is not None:
            rows = int(float(rendering.rows)) if _SPAN.fullmatch(rendering.rows) else 0
            if rows == 0:
                raise RefusedError(f"\\multirow over {rendering.rows!r} rows", end)
        return marked_cell(rendering.marks(), place.file.name, place.line, span, rows, indented=indented)

    def multicolumn(self, tokens: list[Token], column: int) -> tuple[int, list[Token], TexColumn]:
        if not tokens or not tokens[0].is_command("multicolumn"):
            return 1, tokens, self.columns[column]
        cursor = Cursor(tokens[1:])
        span = written(cursor.argument())
        specification = read_columns(cursor.argument(), self.types)
        content = cursor.argument()
        if not _SPAN.fullmatch(span) or "." in span or not 1 <= int(span) <= len(self.columns):
            raise RefusedError(f"\\multicolumn over {span!r} columns", tokens[0])
        return int(span), content + cursor.rest(), (specification or [TexColumn()])[0]

    def resolve_spans(self, rows: list[_Row]) -> None:
        """A cell over several rows is kept in the topmost, and leaves None in the others."""
        for index, row in enumerate(rows):
            for column, cell in enumerate(row.cells):
                if cell is None or cell.rows == 1:
                    continue
                # A negative span reaches upwards from the row in which it is written.
                top = max(0, index + cell.rows + 1) if cell.rows < 0 else index
                bottom = index + 1 if cell.rows < 0 else min(len(rows), index + cell.rows)
                if bottom - top < abs(cell.rows):
                    message = f"a cell spans {abs(cell.rows)} rows, and {bottom - top} are there"
                    self.problems.append(ReadingProblem(message, cell.source, cell.line, "warning"))
                covered = range(column, column + cell.columns)
                over = [
                    (other, below.text)
                    for other in range(top, bottom)
                    for below in (rows[other].cells[place] for place in covered)
                    if other != index and below is not None and below.text
                ]
                if over:
                    # Printed over each other. A span from above ends before what it would lie over.
                    message = f"a cell that spans {abs(cell.rows)} rows lies over {over[0][1]!r}"
                    if cell.rows < 0:
                        raise RefusedError(message, self.end)
                    self.problems.append(ReadingProblem(f"{message}: it ends above", cell.source, cell.line, "warning"))
                    bottom = over[0][0]
                for other in range(top, bottom):
                    for place in covered:
                        rows[other].cells[place] = None
                rows[top].cells[column] = replace(cell, rows=bottom - top)


_BLOCK = re.compile(r"\s*([0-9]{0,3})-([0-9]{0,3})\s*")


def _spans(tokens: list[Token]) -> bool:
    return bool(tokens) and tokens[0].is_command("multicolumn", "Block")


def _block(tokens: list[Token]) -> tuple[int, int] | None:
    """Rows and columns of \\Block{2-3}{…} or \\SetCell[r=2,c=3]{…}."""
    if not tokens or not tokens[0].is_command("Block", "SetCell"):
        return None
    cursor = Cursor(tokens[1:])
    option = cursor.option()
    if tokens[0].text == "SetCell":
        return spans_in(written(option or []))
    match = _BLOCK.fullmatch(written(cursor.argument()))
    return (int(match[1] or 1), int(match[2] or 1)) if match is not None else None
