"""Cells as LaTeX: reported beside recomputed for an appendix, and recomputed as commands for a paper to print.

The files can be read in by any document: rules are those of booktabs where it is loaded, and plain ones elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sealtrace.contract.result import NOT_SEALED, NumberResult, Result
from sealtrace.paper.numbers import read_printed
from sealtrace.recipes.cell_judgement import part_names
from sealtrace.recipes.cell_results import CellResult
from sealtrace.recipes.judgement import AGREEING, RECOMPUTED, as_printed, in_print
from sealtrace.report.inert import harmless, latex
from sealtrace.report.numbers import in_order, tally

ROWS = 40
"""How many rows one tabular has at most: it cannot break across pages."""

_MINUS = re.compile(r"(?<![\w.)])-(?=\.?\d)")
_HEAD = r"""% Written by sealtrace. Read it in with \input; booktabs is used where it is loaded.
\providecommand{\toprule}{\hline}
\providecommand{\midrule}{\hline}
\providecommand{\bottomrule}{\hline}
"""


def render(result: Result, *, everything: bool = False) -> str:
    """How the numbers of each table came out, then those that need a look, or all; what is waived is a comment."""
    tables = in_order(result.numbers)
    waived = [
        harmless(f"% Waived: {finding.name}".replace("\n", " ")) + "\n" for finding in result.findings if finding.waived
    ]
    rows = [[latex(label), str(len(members)), latex(tally(members))] for label, members in tables.items()]
    said = [rf"\noindent\textbf{{Draft}}: {NOT_SEALED}.\par"] if result.draft else []
    parts = ["".join(waived) + _HEAD, *said, *_tabulars("lrl", ["Table", "Numbers", "Status"], rows)]
    for label, members in tables.items():
        shown = [_row(one) for one in members if everything or not one.settled]
        if shown:
            parts.append(rf"\par\medskip\noindent\textbf{{{latex(label)}}}\par\nopagebreak")
            parts.extend(_tabulars("llrrl", ["Row", "Column", "Printed", "Given", "Status"], shown))
    if not tables:
        parts.append("No number was reported.")
    return "\n".join(parts) + "\n"


def _row(one: NumberResult) -> list[str]:
    given = "---" if one.given is None else _number(one.given)
    return [latex(one.row or ""), latex(one.column or one.id), _number(one.printed), given, latex(one.standing)]


def _number(text: str) -> str:
    """A number with a minus sign rather than a hyphen."""
    return latex(_MINUS.sub("−", text))


def _tabulars(columns: str, header: list[str], rows: list[list[str]]) -> Iterator[str]:
    for start in range(0, len(rows), ROWS):
        yield rf"\par\noindent{{\footnotesize\begin{{tabular}}{{{columns}}}"
        yield rf"\toprule{chr(10)}{' & '.join(header)} \\{chr(10)}\midrule"
        yield from (rf"{' & '.join(row)} \\" for row in rows[start : start + ROWS])
        yield "\\bottomrule\n\\end{tabular}\\par}"


_MACROS = r"""% Written by sealtrace from {bundle}, root {root}. Do not edit it: write it again.
% \input{{sealed}} in the preamble, then \sealed{{table}}{{row}}{{column}}.
\providecommand{{\sealedcell}}[4]{{\expandafter\gdef\csname sealed@\detokenize{{#1@#2@#3}}\endcsname{{#4}}}}
\providecommand{{\sealed}}[3]{{\ifcsname sealed@\detokenize{{#1@#2@#3}}\endcsname
  \csname sealed@\detokenize{{#1@#2@#3}}\endcsname\else\errmessage{{No sealed cell #1, #2, #3}}\fi}}
"""
_ACTIVE = str.maketrans("", "", "\\{}%#^~$&")


def render_macros(results: Iterable[CellResult], bundle: str, root: str) -> tuple[str, list[str]]:
    """The file, and the names of the cells that nothing recomputes, which it leaves out."""
    lines = [_MACROS.format(bundle=" ".join(harmless(bundle).split()), root=root)]
    left_out = []
    for result in results:
        cell = result.cell
        value = recomputed_text(result)
        if value is None:
            left_out.append(cell.name)
            continue
        printed = read_printed(value)
        texts = {cell.column: value}
        for name, place in part_names(cell).items() if printed is not None else ():
            if not name.isdecimal() and printed is not None and place < len(printed.parts):
                texts[f"{cell.column}:{name}"] = printed.parts[place].text
        for column, text in texts.items():
            # Labels without the characters that LaTeX acts on.
            labels = (harmless(label).translate(_ACTIVE).split() for label in (cell.table, cell.row, column))
            names = "".join(f"{{{' '.join(words)}}}" for words in labels)
            lines.append(rf"\sealedcell{names}{{{latex(text)}}}" + "\n")
    return "".join(lines), left_out


def recomputed_text(result: CellResult) -> str | None:
    """What the records give, with the digits that the cell has; None where they give nothing, or not in that form."""
    cell = result.cell
    if result.status in AGREEING:
        return cell.text
    if result.status not in RECOMPUTED or result.value is None or cell.printed is None:
        return None
    percent = bool((cell.recipe or {}).get("percent") or cell.printed.percent)
    numbers = in_print(cell.printed, result.value.numbers, percent=percent)
    parts = cell.printed.parts
    if len(parts) != len(numbers) or any(
        part.is_bound or not part.unit or part.text not in cell.text for part in parts
    ):
        return None
    text, after = "", cell.text
    for part, number in zip(parts, numbers, strict=True):
        before, _, after = after.partition(part.text)
        text += before + as_printed(number, part.unit)
    return text + after
