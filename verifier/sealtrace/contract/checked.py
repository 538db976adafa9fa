"""What `check` says: which results give each printed number, and how sure that is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sealtrace.contract.audit import Audit
from sealtrace.contract.scalars import Count, Record, example

CheckStatus = Literal["explained", "off", "unexplained"]
CheckVerdict = Literal["explained", "off", "unexplained"]


class CheckBinding(Record):
    """One rule that gives numbers of the paper."""

    id: str = Field(description="A name for it within the report.")
    table: str = Field(description="The table's label.")
    kind: Literal["column", "row", "block"] = Field(description="What it gives: a column, a row or a block of cells.")
    subject: str = Field(description="The header, label or caption of what it gives.")
    formula: str = Field(description="How results give the numbers, for people.")
    files: list[str] = Field(description="The files that hold the results, at most twenty of them.")
    measure: str = Field(description="The field that is measured.")
    statistic: str = Field(description="How values are brought together; `value` where there is one.")
    transformation: str = Field(description="What is done to the value before it is printed; empty for nothing.")
    where: dict[str, str] = Field(description="Fields that are fixed to one value for all numbers.")
    by: list[str] = Field(description="Fields whose values the labels name.")
    bits: float = Field(
        description="How sure it is: evidence less description, in bits. Chance reaches b bits once in 2^b papers."
    )
    agrees: Count = Field(description="Numbers that are printed as it gives them.")
    numbers: Count = Field(description="Numbers that it speaks of.")
    ambiguous: list[str] = Field(
        default=[], description="Other formulas that give the same numbers and are about as simple."
    )
    apart: str | None = Field(None, description="What would tell them apart.")


class CheckCell(Record):
    """One cell of a table."""

    table: str = Field(description="The table's label.")
    row: str = Field(description="The row's labels.")
    column: str = Field(description="The column's header.")
    printed: str = Field(description="The cell as printed.")
    source: str = Field(description="The file.")
    line: Count = Field(description="Its line.")
    status: CheckStatus = Field(description="Whether results give every number of it.")
    expected: str | None = Field(None, description="What the results give instead, printed the same way.")
    bindings: list[str] = Field(default=[], description="Ids of the bindings of its numbers, in order.")
    records: list[str] = Field(default=[], description="Where the records behind it stand, at most five.")
    behind: Count = Field(0, description="How many records there are.")
    message: str | None = Field(None, description="What is wrong, in a sentence.")


class CheckText(Record):
    """One number of the running text."""

    printed: str = Field(description="The number as printed.")
    sentence: str = Field(description="What stands around it.")
    source: str = Field(description="The file.")
    line: Count = Field(description="Its line.")
    status: CheckStatus = Field(description="Whether results, or a cell that they give, say the same.")
    by: str | None = Field(None, description="The cell or the record that gives it.")
    expected: str | None = Field(None, description="What they give instead.")
    bits: float | None = Field(None, description="How sure that is, in bits.")
    message: str | None = Field(None, description="What is wrong, in a sentence.")


class CheckAccident(Record):
    """Something known to happen, recognised in several numbers at once."""

    kind: Literal["superseded-run", "pairing-swap", "stale-text", "double-rounding"] = Field(
        description="Numbers of an older run; a label beside another run's numbers; text that was left behind; a "
        "number that was rounded twice."
    )
    message: str = Field(description="What happened, in a sentence.")
    places: list[str] = Field(description="The cells or sentences, as file:line.")


class CheckCounts(Record):
    """How the printed numbers came out."""

    cells: Count = Field(description="Cells of tables with numbers.")
    explained: Count = Field(description="Those that results give.")
    off: Count = Field(description="Those that results give otherwise.")
    unexplained: Count = Field(description="Those that nothing gives.")
    text: Count = Field(description="Numbers of the running text that could be results.")
    text_explained: Count = Field(description="Those that results give.")
    text_off: Count = Field(description="Those that results give otherwise.")
    text_unexplained: Count = Field(description="Those that nothing gives.")
    set_aside: Count = Field(description="Numbers of the text that name something: years, references, small counts.")


class CheckSearch(Record):
    """How far the search went: what was read, how much was compared, and what was left."""

    files: Count = Field(description="Data files that were read.")
    frames: Count = Field(description="Tables of results, as they are and derived.")
    hypotheses: Count = Field(description="Formulas that were evaluated and compared.")
    seconds: float = Field(description="How long the search took.")
    untried: list[str] = Field(default=[], description="What was not tried for want of time.")
    problems: list[str] = Field(default=[], description="What could not be read.")


class Check(Record):
    """Which results give each printed number of a paper."""

    sealtrace: str = Field(description="Version of the tool.")
    paper: str = Field(description="The paper's file.")
    results: str = Field(description="The directory of results.")
    verdict: CheckVerdict = Field(
        description="`off`: some number is not what the results give; `unexplained`: none is off, but some are given "
        "by nothing; `explained`: results give every number."
    )
    counts: CheckCounts = Field(description="How the numbers came out.")
    accidents: list[CheckAccident] = Field(default=[], description="Accidents that were recognised.")
    bindings: list[CheckBinding] = Field(description="The rules that were found.")
    cells: list[CheckCell] = Field(description="Every cell with a number.")
    text: list[CheckText] = Field(description="Every number of the running text that could be a result.")
    search: CheckSearch = Field(description="What was tried.")
    audit: Audit | None = Field(None, description="The audit of the paper's own numbers, where it was run.")

    model_config = example("""{
        "sealtrace": "0.1.0", "paper": "paper.tex", "results": "results", "verdict": "off",
        "counts": {"cells": 2, "explained": 1, "off": 1, "unexplained": 0, "text": 0, "text_explained": 0,
            "text_off": 0, "text_unexplained": 0, "set_aside": 0},
        "bindings": [{"id": "b1", "table": "tab:main", "kind": "column", "subject": "Acc.",
            "formula": "mean of accuracy in runs.csv by model", "files": ["runs.csv"], "measure": "accuracy",
            "statistic": "mean", "transformation": "", "where": {}, "by": ["model"], "bits": 41.5, "agrees": 8,
            "numbers": 9}],
        "cells": [{"table": "tab:main", "row": "small", "column": "Acc.", "printed": "0.412", "source": "paper.tex",
            "line": 20, "status": "off", "expected": "0.402", "bindings": ["b1"],
            "message": "row small prints 0.412; the other 8 cells are mean of accuracy in runs.csv by model, which gives 0.402 here"}],
        "text": [], "search": {"files": 1, "frames": 2, "hypotheses": 5000, "seconds": 0.2}
    }""")  # noqa: E501 - a text of JSON stands on one line
