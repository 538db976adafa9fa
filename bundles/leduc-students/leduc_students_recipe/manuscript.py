"""The tables as a small manuscript. Its log and its PDF were written by pdflatex once, and lie beside this package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SIGNS = {"%": r"\%", "±": r"$\pm$", "ρ": r"$\rho$", "τ": r"$\tau$", "×": r"$\times$"}


def write(directory: Path, tables: list[dict[str, Any]]) -> None:
    """Writes the source into the report of a bundle, with the log and the PDF that pdflatex made of it."""
    (directory / "report/manuscript.tex").write_text(source(tables), encoding="utf-8")
    for ending in ("log", "pdf"):
        made = Path(__file__).parent.parent / f"manuscript.{ending}"
        (directory / f"report/manuscript.{ending}").write_bytes(made.read_bytes())


def source(tables: list[dict[str, Any]]) -> str:
    """LaTeX that prints every table, and refers to each."""
    named = ", ".join(rf"\ref{{{table['label']}}}" for table in tables)
    parts = [
        r"\documentclass{article}",
        r"\setlength{\textwidth}{17cm}",
        r"\setlength{\oddsidemargin}{-0.5cm}",
        r"\setlength{\tabcolsep}{3pt}",
        r"\begin{document}",
        f"Small networks that learn Leduc poker from a solved strategy. The tables are {named}.",
        *map(_table, tables),
        r"\end{document}",
        "",
    ]
    return "\n".join(parts)


def _table(table: dict[str, Any]) -> str:
    heads = [column["label"] for column in table["columns"]]
    texts = [[cell if isinstance(cell, str) else cell["text"] for cell in row["cells"]] for row in table["rows"]]
    head, *body = [" & ".join(map(_as_latex, cells)) + r" \\" for cells in [heads, *texts]]
    columns = "l" + "r" * (len(heads) - 1)
    return "\n".join(
        [
            r"\begin{table}\centering\scriptsize",
            rf"\caption{{{_as_latex(table['caption'])}}}\label{{{table['label']}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\hline",
            head,
            r"\hline",
            *body,
            r"\hline",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _as_latex(text: str) -> str:
    return "".join(SIGNS.get(sign, sign) for sign in text)
