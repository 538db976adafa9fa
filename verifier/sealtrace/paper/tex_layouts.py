"""How LaTeX tables are laid out: column specifications, and the tables of other packages in the shape of a tabular.

Those are tabularray, AASTeX's deluxetable, tabbing and ctable.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sealtrace.paper.tex_definitions import Macro
from sealtrace.paper.tex_harmless import changes_number
from sealtrace.paper.tex_text import Cursor, render
from sealtrace.paper.tex_tokens import Token, TokenStream, braced, trimmed, written

MAX_COLUMNS = 500
# Column types may be defined by others, and repeated: a short specification can ask for any number of steps.
_MAX_STEPS = 20_000
_MAX_NESTING = 10
_JOINTS = frozenset({"±", "+/-", "/", "–", "-", ":", ".", "×", "(", "[", "→", "·", "[…]", ",", "to", "of"})
_ARGUMENTS = {"p": 1, "m": 1, "b": 1, "w": 2, "W": 2, "D": 3}


class RefusedError(Exception):
    """The table cannot be read without guessing."""

    def __init__(self, message: str, token: Token | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.token = token


@dataclass
class TexColumn:
    """What is put before and after every cell of a column, as by >{\\bfseries}r<{\\%}."""

    before: list[Token] = field(default_factory=list)
    after: list[Token] = field(default_factory=list)
    numeric: bool = False
    """A column of siunitx, for numbers alone."""
    changed: str | None = None
    """What in its specification may print another number than its cells hold."""
    joint: list[Token] | None = None
    """What is printed between it and the next column where both make one number, as in r@{±}l; nothing at all where
    one cell is written for both."""


def read_columns(tokens: list[Token], types: dict[str, Macro]) -> list[TexColumn]:
    columns = _Columns(types)
    columns.read(tokens, 0)
    return columns.found


class _Columns:
    def __init__(self, types: dict[str, Macro]) -> None:
        self.types = types
        self.found: list[TexColumn] = []
        self.before: list[Token] = []
        self.steps = 0

    def read(self, tokens: list[Token], nesting: int) -> None:
        if nesting > _MAX_NESTING:
            raise RefusedError("the column specification nests too deeply")
        stream = TokenStream(tokens)
        while (token := stream.ahead()) is not None:
            self.steps += 1
            if self.steps > _MAX_STEPS or len(self.found) > MAX_COLUMNS:
                raise RefusedError(f"the column specification has more than {MAX_COLUMNS} columns")
            letter = written(stream.argument())
            if token.kind in ("{", "command"):
                continue
            if letter == "*":
                times, repeated = written(_group(stream)), _group(stream)
                if not (times.isascii() and times.isdecimal()) or int(times[:6]) > MAX_COLUMNS:
                    raise RefusedError(f"the column specification repeats {times!r} times")
                for _ in range(int(times)):
                    self.read(repeated, nesting + 1)
            elif letter in ("@", "!"):
                self.between(_group(stream))
            elif letter == ">":
                # The one that is written last is put nearest to the cell's beginning.
                self.before = _group(stream) + self.before
            elif letter == "<":
                after = _group(stream)
                if self.found:
                    self.found[-1].after += after
            elif (column_type := self.types.get(letter)) is not None:
                arguments = [_group(stream) for _ in range(column_type.parameters)]
                self.read(_substitute(column_type.body, arguments), nesting + 1)
            elif letter == "[":
                while (skipped := stream.next()) is not None and skipped.kind != "]":
                    pass
            elif letter == "D" and ((following := stream.ahead()) is None or following.kind != "{"):
                # AASTeX cuts a number at its point, into two columns.
                self.found += [TexColumn(self.before, joint=[]), TexColumn()]
                self.before = []
            elif letter.isalpha():
                given = [written(_group(stream)) for _ in range(_ARGUMENTS.get(letter, 0))]
                changed = "D" if letter == "D" and given[0] != given[1] else None
                if letter == "S" and (key := changes_number(written(stream.option() or []))) is not None:
                    changed = f"S[{key}]"
                while (following := stream.ahead()) is not None and following.kind == "{":
                    stream.argument()  # of a column type that a package defines
                self.found.append(TexColumn(self.before, numeric=letter == "S", changed=changed))
                self.before = []

    def between(self, tokens: list[Token]) -> None:
        """Something that is printed between two columns: a sign joins them, anything else belongs to the left one."""
        text = render(tokens).text()
        if not text or text == "|":
            return
        if not self.found:
            self.before = self.before + tokens
        elif text in _JOINTS:
            self.found[-1].joint = tokens
        else:
            self.found[-1].after += tokens


def _group(stream: TokenStream) -> list[Token]:
    """The group that stands here, if one does."""
    following = stream.ahead()
    return stream.argument() if following is not None and following.kind == "{" else []


def _substitute(body: list[Token], arguments: list[list[Token]]) -> list[Token]:
    result: list[Token] = []
    for token in body:
        if token.kind == "param":
            number = int(token.text[-1])
            result += arguments[number - 1] if number <= len(arguments) else []
        else:
            result.append(token)
    return result


# Tables of other packages, brought into the shape of a tabular

_SPAN = re.compile(r"(?:^|[,{])\s*([rc])\s*=\s*([0-9]{1,3})")
_PLACE = re.compile(r"(?P<what>cell|hline)\s*(?P<first>\{[^{}]*\})?\s*(?P<second>\{[^{}]*\})?")
_MAX_ROWS = 100_000
# Parts of a deluxetable that print nothing in its rows, with the number of their arguments.
_DELUXE = {
    "tabletypesize": 1, "tablewidth": 1, "tablecolumns": 1, "tablenum": 1, "rotate": 0, "tablecomments": 1,
    "tablerefs": 1, "tablenotetext": 2, "label": 1, "setlength": 2, "decimals": 0, "startdata": 0, "enddata": 0,
    "centering": 0, "tabcolsep": 0, "movetabledown": 0, "phantom": 1, "decimalcolnumbers": 0, "colnumbers": 0,
}  # fmt: skip


@dataclass
class Keyed:
    """What the keys of a tabularray table say."""

    columns: list[Token] = field(default_factory=list)
    """The column specification, where there is one."""
    width: int = 1
    """Cells of the longest row, which count where no specification does."""
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    rules: set[int] = field(default_factory=set)
    """Rows, from one, above which a rule stands."""

    def span(self, row: int, column: int) -> tuple[int, int]:
        """Rows and columns of a cell."""
        return self.spans.get((row, column), (1, 1))

    def rule(self, row: int) -> str | None:
        return "hline" if row in self.rules and row > 1 else None


def read_keys(tokens: list[Token]) -> dict[str, list[Token]]:
    """Keys and what stands behind their = signs; what has none is the key's own."""
    pieces: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind == "{") - (token.kind == "}")
        if depth == 0 and token.kind == "text" and "," in token.text:
            for number, text in enumerate(token.text.split(",")):
                pieces += [[]] if number else []
                pieces[-1] += [token._replace(text=text)] if text else []
        else:
            pieces[-1].append(token)
    keys: dict[str, list[Token]] = {}
    for piece in pieces:
        place = next((at for at, token in enumerate(piece) if token.kind == "text" and "=" in token.text), None)
        if place is None:
            continue
        before, _sign, after = piece[place].text.partition("=")
        name = written([*piece[:place], piece[place]._replace(text=before)])
        value = trimmed([*([piece[place]._replace(text=after)] if after else []), *piece[place + 1 :]])
        whole = TokenStream(value)
        inner = whole.argument()
        keys["".join(name.split())] = inner if value and value[0].kind == "{" and whole.peek() is None else value
    return keys


def spans_in(text: str) -> tuple[int, int]:
    """Rows and columns in r=2, c=3."""
    found = {letter: int(number) for letter, number in _SPAN.findall(text)}
    return found.get("r", 1), found.get("c", 1)


def keyed_table(specification: list[Token], rows: list[Token]) -> Keyed:
    """The keys of a table, or its columns where those stand alone."""
    widths = [0]
    count = depth = 0
    for token in rows:
        depth += (token.kind == "{") - (token.kind == "}")
        if depth == 0 and token.kind == "&":
            widths[-1] += 1
        elif depth == 0 and token.is_command("\\"):
            widths.append(0)
    count = min(len(widths), _MAX_ROWS)
    keyed = Keyed(width=max(widths) + 1)
    keys = read_keys(specification)
    if not keys:
        keyed.columns = specification
        return keyed
    keyed.columns = keys.get("colspec", [])
    for name, value in keys.items():
        match = _PLACE.fullmatch(name)
        if match is None or match["first"] is None:
            continue
        first = _numbers(match["first"], count)
        if match["what"] == "hline":
            keyed.rules.update(first)
        else:
            for row in first:
                for column in _numbers(match["second"] or "{}", keyed.width):
                    keyed.spans[row, column] = spans_in(written(value))
    return keyed


def _numbers(text: str, last: int) -> list[int]:
    """The places that {1,3-5,Z} names; Z is the last."""
    found: list[int] = []
    for piece in text.strip("{}").replace("Z", str(last)).split(","):
        low, _dash, high = piece.strip().partition("-")
        if low.isdecimal() and (not high or high.isdecimal()) and len(low) < 6 and len(high) < 6:
            found += range(int(low), min(int(high or low), last + 1) + 1)
    return found


def rows_of_deluxe(tokens: list[Token], width: int) -> tuple[list[Token], list[list[Token]]]:
    """The rows of a deluxetable, its head marked as a longtable's is; and its captions."""
    head: list[Token] = []
    body: list[Token] = []
    captions: list[list[Token]] = []
    cursor = Cursor(tokens)
    while (token := cursor.next()) is not None:
        if token.is_command("tablecaption", "caption"):
            captions.append(cursor.argument())
        elif token.is_command("tablehead"):
            inner = trimmed(cursor.argument())
            ended = bool(inner) and inner[-1].is_command("\\")
            head = [*inner, *([] if ended else [_command(token, "\\")]), _command(token, "endhead")]
        elif token.is_command("cutinhead", "sidehead"):
            span = [braced(token, [token._replace(kind="text", text=given)]) for given in (str(width), "l")]
            title = braced(token, cursor.argument())
            body += [_command(token, "multicolumn"), *span[0], *span[1], *title, _command(token, "\\")]
        elif token.kind == "command" and token.text in _DELUXE:
            if token.text == "label" and captions:
                captions[-1] = [*captions[-1], token, *braced(token, cursor.group_ahead())]
            cursor.option()
            for _ in range(_DELUXE[token.text]):
                cursor.argument()
        else:
            body.append(token)
    return head + body, captions


def without_code(tokens: list[Token]) -> list[Token]:
    """A table of nicematrix without what it draws before and after its rows."""
    begin = next((at + 1 for at, token in enumerate(tokens) if token.is_command("Body")), 0)
    before = next((at for at, token in enumerate(tokens) if token.is_command("CodeBefore")), begin)
    end = next((at for at, token in enumerate(tokens) if token.is_command("CodeAfter")), len(tokens))
    return tokens[:before] + tokens[begin:end]


def rows_of_tabbing(tokens: list[Token]) -> list[Token]:
    """The rows of a tabbing environment, its stops as signs of new cells; lines that are killed print nothing."""
    rows: list[Token] = []
    line: list[Token] = []
    for token in tokens:
        if token.is_command("kill"):
            line = []
        elif token.is_command("=", ">"):
            line.append(token._replace(kind="&", text="&"))
        elif not token.is_command("+", "-", "<", "pushtabs", "poptabs"):
            line.append(token)
        if token.is_command("\\"):
            rows, line = rows + line, []
    return rows + line


_CTABLE = {"FL": ("toprule",), "ML": ("\\", "midrule"), "NN": ("\\",), "LL": ("\\", "bottomrule"), "tmark": ()}


def as_table(token: Token, options: list[Token], columns: list[Token], body: list[Token]) -> list[Token]:
    """A \\ctable[caption=…, label=…]{columns}{notes}{rows} as the table and tabular that it stands for."""
    keys = read_keys(options)

    def environment(word: str, name: str) -> list[Token]:
        return [_command(token, word), *braced(token, [token._replace(kind="text", text=name)])]

    head = [[_command(token, name), *braced(token, keys[name])] for name in ("caption", "label") if name in keys]
    rows = [
        _command(token, name) if token.text in _CTABLE and token.kind == "command" else token
        for token in body
        for name in (_CTABLE.get(token.text, ("",)) if token.kind == "command" else ("",))
    ]
    inner = [*environment("begin", "tabular"), *braced(token, columns), *rows, *environment("end", "tabular")]
    return [
        *environment("begin", "table"),
        *(token for part in head for token in part),
        *inner,
        *environment("end", "table"),
    ]


def _command(token: Token, name: str) -> Token:
    return token._replace(kind="command", text=name)
