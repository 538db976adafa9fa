"""The tables as a small manuscript. Its log was written by pdflatex once, and lies beside this file."""

from __future__ import annotations

from typing import Any


def source(tables: list[dict[str, Any]]) -> str:
    """LaTeX that prints every table, and refers to each."""
    named = ", ".join(rf"\ref{{{table['label']}}}" for table in tables)
    parts = [
        r"\documentclass{article}",
        r"\setlength{\textwidth}{18cm}",
        r"\setlength{\oddsidemargin}{-1cm}",
        r"\begin{document}",
        f"An all-in game for two, solved and learnt from. The tables are {named}.",
        *map(_table, tables),
        r"\end{document}",
        "",
    ]
    return "\n".join(parts)


def _table(table: dict[str, Any]) -> str:
    heads = [column["label"].replace("u_0", "$u_0$").replace("%", r"\%") for column in table["columns"]]
    rows = [heads, *(row["cells"] for row in table["rows"])]
    body = "\n".join(" & ".join(cells) + r" \\" for cells in rows).replace("×", r"$\times$")
    columns = "l" + "r" * (len(heads) - 1)
    return "\n".join(
        [
            r"\begin{table}\centering\scriptsize",
            rf"\caption{{{table['caption']}}}\label{{{table['label']}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            body,
            r"\end{tabular}",
            r"\end{table}",
        ]
    )
