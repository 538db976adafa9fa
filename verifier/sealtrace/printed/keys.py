"""Which columns of a table name its rows: model sizes, years, seeds and settings are labels, not results."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Any

from sealtrace.printed.extracted import JOIN
from sealtrace.printed.numbers import Part, read_printed

_SETTING = re.compile(
    r"\b(?:model|params?|parameters|size|scale|year|date|month|day|seed|run|fold|split|epochs?|steps?|layers?|depth|dim|"
    r"width|heads?|rank|k|n|m|batch|lr|learning rate|temperature|threshold|budget|level|id|index|no\.?|#|bits?|shots?|"
    r"tier|rho|alpha|beta|gamma|lambda|tau|sigma|epsilon)\b|^[αβγδεζηθκλμνρστφψωϵ]$",
    re.IGNORECASE,
)


def naming_columns(record: dict[str, Any]) -> int:
    """How many of the first columns make up the rows' labels, in most rows."""
    counts = Counter(
        next(
            (n for n in range(1, len(row["cells"])) if JOIN.join(filter(None, row["cells"][:n])) == row["label"]),
            1,
        )
        for row in record["rows"]
    )
    return counts.most_common(1)[0][0] if counts else 1


def key_columns(record: dict[str, Any]) -> frozenset[str]:
    """The columns whose numbers name rows, by their place, their header and what they print."""
    columns = [column["label"] for column in record["columns"]]
    naming = naming_columns(record)
    found = set()
    for place, label in enumerate(columns[:-1]):
        cells = [row["cells"][place] for row in record["rows"] if place < len(row["cells"]) and row["cells"][place]]
        if not cells or place > naming or not _names(label, cells, first=place == 0, naming=place < naming):
            break  # what follows a result is a result
        found.add(label)
    return frozenset(found)


def _names(header: str, cells: list[str], *, first: bool, naming: bool) -> bool:
    printed = [read_printed(text) for text in cells]
    numbers = [one.parts for one in printed if one is not None and one.numeric]
    if 2 * len(numbers) < len(cells):
        return True  # words, some with a number among them
    if any(one is not None and (one.percent or one.form == "plus-minus") for one in printed):
        return False
    if _SETTING.search(header):
        return first or naming or all(map(_is_size, numbers))
    if first and (not header or header.startswith("column ")):
        return True
    if all(map(_is_size, numbers)):
        return first or naming
    values = [parts[0].value for parts in numbers]
    rising = len(values) > 2 and all(a < b for a, b in pairwise(values))
    return first and (rising or all(part.unit >= 1 for parts in numbers for part in parts))


def _is_size(parts: tuple[Part, ...]) -> bool:
    """A number with a scale, such as 0.5B, or a range or year; nothing that was measured."""
    return all(part.text[-1].isalpha() or (part.unit == 1 and 1900 <= part.value <= 2100) for part in parts)
