"""Reported beside recomputed as LaTeX, for a reproducibility appendix.

The file can be read in by any document: rules are those of booktabs where it is loaded, and plain ones elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealtrace.contract.report import NOT_SEALED, Cell
from sealtrace.report.diff import agrees, in_order
from sealtrace.report.inert import latex

ROWS = 40
"""How many rows one tabular has at most: it cannot break across pages."""

_MINUS = re.compile(r"(?<![\w.)])-(?=\.?\d)")
_HEAD = r"""% Written by sealtrace. Read it in with \input; booktabs is used where it is loaded.
\providecommand{\toprule}{\hline}
\providecommand{\midrule}{\hline}
\providecommand{\bottomrule}{\hline}
"""


def render(cells: list[Cell], *, everything: bool = False, draft: bool = False) -> str:
    """How many cells of each table agree, then the cells that do not, or all of them."""
    tables = in_order(cells)
    rows = [
        [latex(label), str(len(members)), str(sum(map(agrees, members))), _statuses(members)]
        for label, members in tables.items()
    ]
    said = [rf"\noindent\textbf{{Draft}}: {NOT_SEALED}.\par"] if draft else []
    parts = [_HEAD, *said, *_tabulars("lrrl", ["Table", "Cells", "Agree", "Status"], rows)]
    for label, members in tables.items():
        shown = [_row(cell) for cell in members if everything or not agrees(cell)]
        if shown:
            parts.append(rf"\par\medskip\noindent\textbf{{{latex(label)}}}\par\nopagebreak")
            parts.extend(_tabulars("llrrl", ["Row", "Column", "Reported", "Recomputed", "Status"], shown))
    if not tables:
        parts.append("No cell was reported.")
    return "\n".join(parts) + "\n"


def _statuses(cells: list[Cell]) -> str:
    counts: dict[str, int] = {}
    for cell in cells:
        counts[cell.status] = counts.get(cell.status, 0) + 1
    return ", ".join(f"{count} {latex(status)}" for status, count in counts.items())


def _row(cell: Cell) -> list[str]:
    recomputed = "---" if cell.recomputed is None else _number(cell.recomputed)
    return [latex(cell.row), latex(cell.column), _number(cell.reported), recomputed, latex(cell.standing)]


def _number(text: str) -> str:
    """A number with a minus sign rather than a hyphen."""
    return latex(_MINUS.sub("−", text))


def _tabulars(columns: str, header: list[str], rows: list[list[str]]) -> Iterator[str]:
    for start in range(0, len(rows), ROWS):
        yield rf"\par\noindent{{\footnotesize\begin{{tabular}}{{{columns}}}"
        yield rf"\toprule{chr(10)}{' & '.join(header)} \\{chr(10)}\midrule"
        yield from (rf"{' & '.join(row)} \\" for row in rows[start : start + ROWS])
        yield "\\bottomrule\n\\end{tabular}\\par}"
