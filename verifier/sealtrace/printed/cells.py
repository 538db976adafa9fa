"""Every cell of every table: what was printed, where, and by which recipe it follows."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sealtrace.printed.keys import key_columns
from sealtrace.printed.numbers import Printed, looks_numeric, read_printed

Role = Literal["number", "name", "text", "nothing"]
"""What a cell prints: something with a digit to be accounted for, what something is called, words, or nothing."""

NAME = "name"
"""The classification that declares a cell's digits to be part of a name."""
_MARKUP = re.compile(r"\\[A-Za-z]+\*?|[{}$\\]")


@dataclass(frozen=True)
class TableCell:
    """A cell in its place, before anything is computed."""

    table: str
    row: str
    column: str
    text: str
    printed: Printed | None
    """None where the cell holds no number."""
    recipe: dict[str, Any] | None
    table_recipe: dict[str, Any] | None
    """The query that fills the whole table, where there is one."""
    texts: dict[str, str]
    """The row's printed texts by column, for placeholders."""
    arguments: dict[str, str]
    """What the row gives to its recipes."""
    place: int
    """The row's place in its table, from zero."""
    rows: int
    """How many rows the table has."""
    record: str
    """The table record's path in the bundle."""
    pointer: str
    """The cell's JSON pointer in the record."""
    source: str | None = None
    line: int | None = None
    mark: str | None = None
    direction: str | None = None
    among: str | None = None
    key: bool = False
    """It names its row: a label, not a result."""
    spoilt: str | None = None
    """Why the cell has no place that is certain, where its table is misshapen there."""

    @property
    def name(self) -> str:
        """The cell's address, as `explain` takes it."""
        return f"{self.table}[{self.row}, {self.column}]"

    @property
    def declared_name(self) -> bool:
        """Whether its recipe declares it a name."""
        return (self.recipe or {}).get("classification") == NAME

    @property
    def role(self) -> Role:
        """What the cell prints. Whatever holds a digit is a number, unless it is declared a name.

        A row's label declares what the row is called, so words of it that stand in the row are a name, too.
        """
        if self.declared_name:
            return "name"
        if not self.text.strip() or (self.printed is not None and self.printed.form == "not-available"):
            return "nothing"
        if not any(unicodedata.category(character).startswith("N") for character in self.text):
            return "text"
        return "name" if self.key and self.text in self.row and not _is_number(self.text) else "number"


def cells_of(record: dict[str, Any], path: str) -> Iterator[TableCell]:
    """The cells of one table record."""
    columns = record["columns"]
    keys = key_columns(record)
    times = Counter(column["label"] for column in columns), Counter(row["label"] for row in record["rows"])
    for place, row in enumerate(record["rows"]):
        texts = {column["label"]: text for column, text in zip(columns, row["cells"], strict=False)}
        lines = row.get("lines") or [row.get("line")] * len(row["cells"])
        for index, (column, text) in enumerate(zip(columns, row["cells"], strict=False)):
            label = column["label"]
            yield TableCell(
                table=record["label"],
                row=row["label"],
                column=label,
                text=text,
                printed=read_printed(text),
                # A row's own recipe may be empty: then the column's does not apply to it.
                recipe=(row.get("recipes") or {}).get(label, column.get("recipe")),
                table_recipe=record.get("recipe"),
                texts=texts,
                arguments=row.get("arguments") or {},
                place=place,
                rows=len(record["rows"]),
                record=path,
                pointer=f"/rows/{place}/cells/{index}",
                source=record.get("source"),
                line=lines[index] if index < len(lines) else None,
                mark=(row.get("marks") or {}).get(label),
                direction=column.get("direction"),
                among=row.get("among"),
                key=label in keys,
                spoilt=_spoilt(row, label, times, len(columns)),
            )


def _is_number(text: str) -> bool:
    """Whether a text reads as a number, also where it is set in bold or as mathematics."""
    plain = _MARKUP.sub(" ", text)
    printed = read_printed(plain)
    return looks_numeric(plain) or (printed is not None and printed.numeric)


def _spoilt(row: dict[str, Any], column: str, times: tuple[Counter[str], Counter[str]], width: int) -> str | None:
    if len(row["cells"]) != width:
        return f"the row has {len(row['cells'])} cells for {width} columns"
    for label, count in ((column, times[0][column]), (row["label"], times[1][row["label"]])):
        if count > 1:
            return f"the label {label!r} names {count} rows or columns of the table"
    return None
