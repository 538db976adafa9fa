r"""Recomputed numbers for LaTeX: `\sealed{tab:main}{ours}{Accuracy}` prints what the records give.

A number that a document takes from here cannot drift from its records. The readers of papers understand these commands,
so that a paper which uses them can be checked like any other.
"""

from __future__ import annotations

from collections.abc import Iterable

from sealtrace.printed.evaluation import CellResult
from sealtrace.printed.judgement import AGREEING, RECOMPUTED, as_printed, in_print
from sealtrace.report.inert import harmless, latex

_HEAD = r"""% Written by sealtrace from {bundle}, root {root}. Do not edit it: write it again.
% \input{{sealed}} in the preamble, then \sealed{{table}}{{row}}{{column}}.
\providecommand{{\sealedcell}}[4]{{\expandafter\gdef\csname sealed@\detokenize{{#1@#2@#3}}\endcsname{{#4}}}}
\providecommand{{\sealed}}[3]{{\ifcsname sealed@\detokenize{{#1@#2@#3}}\endcsname
  \csname sealed@\detokenize{{#1@#2@#3}}\endcsname\else\errmessage{{No sealed cell #1, #2, #3}}\fi}}
"""
_ACTIVE = str.maketrans("", "", "\\{}%#^~$&")


def render(results: Iterable[CellResult], bundle: str, root: str) -> tuple[str, list[str]]:
    """The file, and the names of the cells that nothing recomputes, which it leaves out."""
    lines = [_HEAD.format(bundle=" ".join(harmless(bundle).split()), root=root)]
    left_out = []
    for result in results:
        cell = result.cell
        value = recomputed_text(result)
        if value is None:
            left_out.append(cell.name)
            continue
        names = "".join(f"{{{plain_name(one)}}}" for one in (cell.table, cell.row, cell.column))
        lines.append(rf"\sealedcell{names}{{{latex(value)}}}" + "\n")
    return "".join(lines), left_out


def plain_name(label: str) -> str:
    """A label without the characters that LaTeX acts on."""
    return " ".join(harmless(label).translate(_ACTIVE).split())


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
