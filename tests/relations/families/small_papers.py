"""Papers of one table, written for a test."""

from __future__ import annotations

from collections.abc import Sequence

from relations.papers import decide_all
from sealtrace.paper.reported import read_reported
from sealtrace.relations.decision import Claim, Decision, Status
from sealtrace.relations.facts import Facts
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.registry import automatic_claims


def table(caption: str, header: str, rows: Sequence[str], label: str = "tab:t") -> str:
    """A LaTeX table; a row `---` is a rule, and columns are parted by `|`."""
    body = "\n".join(r"\midrule" if row == "---" else _cells(row) for row in rows)
    columns = "l" * (header.count("|") + 1)
    return (
        f"\\begin{{table}}\\caption{{{caption}}}\\label{{{label}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{_cells(header)}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\\end{{table}}\n"
    )


def _cells(row: str) -> str:
    return row.replace("%", r"\%").replace("|", "&").replace("±", r"$\pm$").replace("Δ", r"$\Delta$") + r" \\"


def read(*tables: str, prose: str = "") -> AuditedPaper:
    """A paper of some tables."""
    text = "\\begin{document}\n" + prose + "\n\n" + "\n".join(tables) + "\\end{document}\n"
    return audited(text, "paper.tex")


def audited(text: str, source: str) -> AuditedPaper:
    """A paper as families see it, from its LaTeX."""
    paper = read_reported(text, source, lambda _name: None)
    return AuditedPaper.of(paper.tables, Facts.of(paper.tables, paper.prose, {source: text}))


def claimed(paper: AuditedPaper, family: str) -> list[Claim]:
    """What one family claims."""
    return [claim for claim in automatic_claims(paper) if claim.family == family]


def decided(paper: AuditedPaper) -> list[Decision]:
    """What becomes of everything that is claimed."""
    return decide_all(automatic_claims(paper))


def contradicted(paper: AuditedPaper) -> list[str]:
    """Families of the contradictions, and of the suspicions, which need evidence besides."""
    return [one.claim.family for one in decided(paper) if one.status in (Status.CONTRADICTION, Status.SUSPICION)]
