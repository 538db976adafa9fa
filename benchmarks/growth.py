"""How cost grows with length: `python benchmarks/growth.py` reads hostile texts, and four times as long ones.

A reader that looks at each character a bounded number of times needs four times as long for four times the text; one
that backtracks or copies needs sixteen times as long, and a page of it can stop a verifier for hours.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.paper.latex import read_document
from sealtrace.paper.markdown import read_markdown
from sealtrace.paper.reported import read_reported

TIMES = 4
LINEAR_ENOUGH = 9.0
"""Between 4, which is linear, and 16, which is quadratic: room for a noisy machine."""
LEAST = 0.01
"""CPU seconds under which a difference says nothing: the short text is made longer until it takes as much."""


@dataclass(frozen=True)
class Family:
    """Texts of one kind, of any length."""

    name: str
    text: Callable[[int], str]
    read: Callable[[str], object]


def _json(text: str) -> object:
    try:
        return parse(text.encode())
    except StrictJSONError as error:
        return error


def _latex(text: str) -> object:
    return read_document(text, "paper.tex", lambda _: None)


def _markdown(text: str) -> object:
    return read_markdown(text, "paper.md")


def _paper(name: str, text: str) -> object:
    return read_reported(text, name, lambda _: None)


def _keys(count: int) -> str:
    return "{" + ",".join(f'"{number}":0' for number in range(count)) + "}"


def _repeated(piece: str, count: int, before: str = "", after: str = "") -> str:
    return before + piece * count + after


JSON: dict[str, Callable[[int], str]] = {
    "quotes": partial(_repeated, '"'),
    "backslashes": partial(_repeated, "\\", before='"', after='"'),
    "escapes without an end": partial(_repeated, "\\u0041", before='"'),
    "lists in lists": partial(_repeated, "[[]],", before="[", after="0]"),
    "digits": partial(_repeated, "9"),
    "spaces": partial(_repeated, " "),
    "keys": _keys,
}
LATEX = (
    "{", "}", "$", "\\\\", "&", "%\n", "#1", "\\a", "\\begin{tabular}{l}", "\\textbf{", "\\def\\a{", "\\iffalse ",
    "\\newcommand{\\a}{", "\\begin{e}", "\\verb|", "\\footnote{", "\\caption{", "\\left ", "x ", "\n\n",
)  # fmt: skip
MARKDOWN = ("[x](", "<u>", "**", "`", "<!--", "|", "|a|b|\n|-|-|\n", "a ")
ROWS = (
    ("paper.tex", "\\begin{tabular}{lr}\na & b \\\\ \\midrule\n", "a & 0.5 \\\\\n", "\\end{tabular}"),
    ("paper.md", "|a|b|\n|-|-|\n", "|a|0.5|\n", ""),
    ("paper.csv", "a,b\n", "a,0.5\n", ""),
)
"""Long tables: what stands before the rows, a row, and what stands behind them."""

FAMILIES = [
    *(Family(f"JSON {name}", text, _json) for name, text in JSON.items()),
    *(Family(f"LaTeX {piece!r}", partial(_repeated, piece), _latex) for piece in LATEX),
    *(
        Family(
            f"LaTeX table {piece!r}",
            partial(_repeated, piece, before="\\begin{tabular}{ll}\n", after="& b \\\\ \\end{tabular}"),
            _latex,
        )
        for piece in LATEX
    ),
    *(Family(f"Markdown {piece!r}", partial(_repeated, piece), _markdown) for piece in MARKDOWN),
    *(
        Family(f"rows of {name}", partial(_repeated, row, before=before, after=after), partial(_paper, name))
        for name, before, row, after in ROWS
    ),
]


def _cost(family: Family, count: int) -> float:
    """CPU seconds, the least of three runs."""
    text = family.text(count)
    costs = []
    # A full collection costs what all living objects do, and comes when it comes: it says nothing of the reader.
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            started = time.process_time()
            family.read(text)
            costs.append(time.process_time() - started)
    finally:
        gc.enable()
    return min(costs)


def growth(family: Family) -> float:
    """How many times as much a text of four times the length costs; 0 where even the longest costs nothing."""
    count = 500
    while (short := _cost(family, count)) < LEAST:
        count *= TIMES
        if count > 500 * TIMES**6:
            return 0.0
    return _cost(family, TIMES * count) / short


def main() -> None:
    """Prints every family, the worst first."""
    found = sorted(((growth(family), family.name) for family in FAMILIES), reverse=True)
    for ratio, name in found:
        print(f"{ratio:6.1f} x  {name}")
    if found[0][0] > LINEAR_ENOUGH:
        sys.exit(f"{found[0][1]}: {TIMES} times the length costs {found[0][0]:.1f} times as much")


if __name__ == "__main__":
    main()
