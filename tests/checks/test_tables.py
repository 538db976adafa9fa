"""What the checks of printed tables say of small table records, beside their manuscripts, records and relations."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from checks.few_records import evidence_of, outcome_of, told
from sealtrace.bundle.budget import Asked
from sealtrace.checks.printed import PrintedNumbers
from sealtrace.paper.model import Table
from support import Row

T, U = "report/table.t.json", "report/table.u.json"
PAPER = "report/manuscript.paper.tex"


def table(*rows: list[str], columns: str = "System Score Rank", label: str = "tab:t", **more: Any) -> Row:
    """A table record; the first cell of a row is its label."""
    return {
        "label": label,
        "columns": [{"label": name} for name in columns.split()],
        "rows": [{"label": row[0], "cells": row} for row in rows],
        **more,
    }


GOOD = table(["ours", "0.7", "1"], ["weak", "0.6", "2"])


def edited(path: str, value: Any, record: Row = GOOD) -> Row:
    """A table record with another value at a place."""
    changed: Any = deepcopy(record)
    *way, last = path.split("/")
    node = changed
    for step in way:
        node = node[int(step) if isinstance(node, list) else step]
    node[int(last) if isinstance(node, list) else last] = value
    found: Row = changed
    return found


# Shape

SHAPES: dict[str, tuple[Row, list[tuple[Any, ...]]]] = {
    "good": (GOOD, []),
    "two columns": (
        edited("columns/2/label", "Score"),
        [("tab:t", "/columns/2/label", "labels that differ", "Score")],
    ),
    "two rows": (edited("rows/1/label", "ours"), [("tab:t", "/rows/1/label", "labels that differ", "ours")]),
    "a mark nowhere": (
        edited("rows/1/marks", {"Socre": "best", "Score": "second"}),
        [("tab:t weak", "/rows/1/marks", "Rank, Score, System", "Socre")],
    ),
    "recipes nowhere": (
        edited("rows/0/recipes", {"b": {}, "a": {}}),
        [
            ("tab:t ours", "/rows/0/recipes", "Rank, Score, System", "a"),
            ("tab:t ours", "/rows/0/recipes", "Rank, Score, System", "b"),
        ],
    ),
    "a printing nowhere": (
        edited("rows/0/printing", {"Socre": "exact"}),
        [("tab:t ours", "/rows/0/printing", "Rank, Score, System", "Socre")],
    ),
    "a line for each cell": (edited("rows/0/lines", [1, 2, 3]), []),
    "a line too few": (edited("rows/0/lines", [1, 2]), [("tab:t ours", "/rows/0/lines", "3 lines", "2 lines")]),
    "no lines": (edited("rows/0/lines", []), []),
    "a cell too few": (edited("rows/0/cells", ["a", "1"]), [("tab:t ours", "/rows/0/cells", "3 cells", "2 cells")]),
    "a cell too many": (edited("rows/0/cells", [*"abcd"]), [("tab:t ours", "/rows/0/cells", "3 cells", "4 cells")]),
}


@pytest.mark.parametrize(("record", "expected"), SHAPES.values(), ids=SHAPES)
def test_shapes(record: Row, expected: list[tuple[Any, ...]]) -> None:
    """Labels tell cells apart, and each cell has its column, its line and its place."""
    outcome = outcome_of("table.shape", {T: record})
    assert told(outcome, "key", "field", "expected", "found") == expected
    assert outcome.inspected == 1


def test_two_tables_of_one_label() -> None:
    """The second is named, with the first; and whatever is wrong with either is told."""
    outcome = outcome_of("table.shape", {T: GOOD, U: edited("rows/1/label", "ours")})
    assert told(outcome, "source", "field", "expected", "found") == [
        (U, "/label", f"only {T}", U),
        (U, "/rows/1/label", "labels that differ", "ours"),
    ]
    assert outcome.inspected == 2


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ("1 ms, 2 ms, 3 ms, 4 s", [("warning", "tab:t d Score", "/rows/3/cells/1", "ms", "s")]),
        ("1 s, 2 ms, 3 ms, 4 ms", [("warning", "tab:t a Score", "/rows/0/cells/1", "ms", "s")]),
        ("1 ms, 2, 3 ms, 4 ms", [("warning", "tab:t b Score", "/rows/1/cells/1", "ms", "no unit")]),
        ("1, 2, 3, 4 ms", [("warning", "tab:t d Score", "/rows/3/cells/1", "no unit", "ms")]),
        ("1 ms, 2 ms, 3 s", []),
        ("1 ms, 2 ms, 3 ms, 4 s, 5 s", []),
        ("1 ms, 2 ms, 3 ms, 4 s, 5 h", []),
        ("1 ms, 2 ms, 3 ms, n/a", []),
        ("1 ms, 2 ms, 3 ms, fast", []),
        ("1 to 2 ms, 3 to 4 ms, 5 to 6 ms, 7 to 8 s", [("warning", "tab:t d Score", "/rows/3/cells/1", "ms", "s")]),
    ],
)
def test_one_number_of_another_unit(texts: str, expected: list[tuple[Any, ...]]) -> None:
    """One among at least three of the same is a slip or a trick; two of them are a table of two units."""
    rows = [[name, text.strip()] for name, text in zip("abcde", texts.split(","), strict=False)]
    assert told(outcome_of("table.shape", {T: table(*rows, columns="Name Score")})) == expected


# Manuscripts


def environment(*lines: str, columns: str = "System & Score & Rank", label: str = "tab:t") -> str:
    """A table as LaTeX prints it; its first row is on its third line."""
    rows = "".join(f"{line} \\\\\n" for line in lines)
    head = f"\\caption{{Scores.}}\\label{{{label}}}\\begin{{tabular}}{{{'r' * (columns.count('&') + 1)}}}"
    return f"\\begin{{table}}{head}\n{columns} \\\\ \\hline\n{rows}\\end{{tabular}}\\end{{table}}\n"


def paper(*lines: str, columns: str = "System & Score & Rank", label: str = "tab:t", more: str = "") -> str:
    """A manuscript that prints a table, and more after it; the table's first row is on line 4."""
    printed = environment(*lines, columns=columns, label=label)
    return f"\\documentclass{{article}}\\begin{{document}}\n{printed}{more}\\end{{document}}\n"


PRINTED = "ours & 0.7 & 1", "weak & 0.6 & 2"
DIFFERENCES: dict[str, tuple[tuple[str, ...], str, Row, list[tuple[str, str, str]]]] = {
    "the same": (PRINTED, "System & Score & Rank", GOOD, []),
    "spaces and arrows": (
        ("our  s & 0. 7 & 1", "weak & 0.6 & 2"),
        "System & Score $\\uparrow$ & Rank",
        edited("columns/1/direction", "higher"),
        [],
    ),
    "a row too few": (
        (*PRINTED, "more & 0.5 & 3"),
        "System & Score & Rank",
        GOOD,
        [("/rows", "3 rows", "2 rows")],
    ),
    "a row too many": (PRINTED[:1], "System & Score & Rank", GOOD, [("/rows", "1 rows", "2 rows")]),
    "a column too few": (
        ("ours & 0.7 & 1 & a", "weak & 0.6 & 2 & b"),
        "System & Score & Rank & Note",
        GOOD,
        [("/columns", "4 columns", "3 columns")],
    ),
    "another cell": (
        PRINTED,
        "System & Score & Rank",
        edited("rows/1/cells/1", "0.8"),
        [("/rows/1/cells/1", "0.6", "0.8")],
    ),
    "another column": (
        PRINTED,
        "System & Loss & Rank",
        GOOD,
        [("/columns/1/label", "Loss", "Score")],
    ),
    "a column of signs": (
        PRINTED,
        "System & \\# & Rank",
        edited("columns/1/label", "%"),
        [("/columns/1/label", "#", "%")],
    ),
    "columns that differ in signs": (
        PRINTED,
        "System & F1 & F1*",
        edited("columns/1/label", "F1*", edited("columns/2/label", "F1")),
        [("/columns/1/label", "F1", "F1*"), ("/columns/2/label", "F1*", "F1")],
    ),
    "a column without its sign": (PRINTED, "System & Score* & Rank", GOOD, []),
    "an arrow that nothing says": (
        PRINTED,
        "System & Score $\\uparrow$ & Rank",
        GOOD,
        [("/columns/1/direction", "higher", "nothing")],
    ),
    "an arrow that says otherwise": (
        PRINTED,
        "System & Score $\\uparrow$ & Rank",
        edited("columns/1/direction", "lower"),
        [("/columns/1/direction", "higher", "lower")],
    ),
    "a direction without an arrow": (PRINTED, "System & Score & Rank", edited("columns/1/direction", "lower"), []),
    "another row": (
        PRINTED,
        "System & Score & Rank",
        edited("rows/0/label", "theirs"),
        [("/rows/0/label", "ours", "theirs")],
    ),
    "the other row": (
        ("ours, not weak & 0.7 & 1", "weak & 0.6 & 2"),
        "System & Score & Rank",
        edited("rows/0/label", "weak", edited("rows/0/cells/0", "ours, not weak")),
        [("/rows/0/label", "ours, not weak", "weak")],
    ),
    "a shorter name": (
        ("ours, large & 0.7 & 1", "weak & 0.6 & 2"),
        "System & Score & Rank",
        edited("rows/0/cells/0", "ours, large"),
        [],
    ),
    "rows that differ in signs": (
        ("ours & 0.7 & 1", "ours* & 0.6 & 2"),
        "System & Score & Rank",
        edited("rows/0/label", "ours*", edited("rows/1/label", "ours", edited("rows/1/cells/0", "ours*"))),
        [("/rows/0/label", "ours", "ours*"), ("/rows/1/label", "ours*", "ours")],
    ),
    "its line": (PRINTED, "System & Score & Rank", edited("rows/1/line", 5), []),
    "another line": (PRINTED, "System & Score & Rank", edited("rows/1/line", 6), [("/rows/1/line", "5", "6")]),
    "a line per cell, of one line": (PRINTED, "System & Score & Rank", edited("rows/1/lines", [5, 5, 5]), []),
    "lines of a long row": (
        ("ours & 0.7\n & 1", "weak & 0.6 & 2"),
        "System & Score & Rank",
        edited("rows/0/lines", [4, 4, 4]),
        [("/rows/0/lines", "[4, 4, 5]", "[4, 4, 4]")],
    ),
    "a mark": (
        ("ours & \\textbf{0.7} & 1", "weak & 0.6 & 2"),
        "System & Score & Rank",
        edited("rows/0/marks", {"Score": "best"}),
        [],
    ),
    "a mark that is not transcribed": (
        ("ours & \\textbf{0.7} & 1", "weak & 0.6 & 2"),
        "System & Score & Rank",
        GOOD,
        [("/rows/0/marks", "score best", "none")],
    ),
    "a mark that is not printed": (
        PRINTED,
        "System & Score & Rank",
        edited("rows/0/marks", {"Score": "best", "Rank": "second"}),
        [("/rows/0/marks", "none", "rank second, score best")],
    ),
    "a name in bold": (("\\textbf{ours} & 0.7 & 1", "weak & 0.6 & 2"), "System & Score & Rank", GOOD, []),
}


@pytest.mark.parametrize(("lines", "columns", "record", "expected"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_differences(lines: tuple[str, ...], columns: str, record: Row, expected: list[tuple[str, str, str]]) -> None:
    """A table record is what its manuscript prints, but for how that is set."""
    outcome = outcome_of("table.source", {T: record, PAPER: paper(*lines, columns=columns)})
    assert told(outcome, "field", "expected", "found") == expected
    assert (outcome.inspected, outcome.missing) == (1, None)


def test_tables_that_no_manuscript_prints() -> None:
    """Where others are, that is noted; where none is, the check does not apply; a source that is named counts."""
    other = table(["a", "1", "2"], label="tab:u")
    outcome = outcome_of("table.source", {T: GOOD, U: other, PAPER: paper(*PRINTED)})
    assert told(outcome, "severity", "key", "field") == [("note", "tab:u", "/source")]
    assert (outcome.inspected, outcome.not_applicable) == (1, None)
    for files in ({T: GOOD}, {T: GOOD, PAPER: paper(label="tab:other")}):
        outcome = outcome_of("table.source", files)
        assert (told(outcome), outcome.inspected, outcome.not_applicable is None) == ([], 0, False)
    for name in ("paper.tex", "sources/paper.tex", "manuscript.paper.tex"):
        outcome = outcome_of("table.source", {T: {**other, "source": name}, PAPER: paper(label="tab:other")})
        assert told(outcome, "key", "field", "expected", "found") == [("tab:u", "/label", "tab:u", "no such table")]
        assert outcome.inspected == 1
    # Its own table is read from where it is printed, whatever it names.
    files = {T: {**GOOD, "source": "gone.tex"}, PAPER: paper(*PRINTED)}
    assert told(outcome_of("table.source", files)) == []


def test_every_manuscript_that_prints_a_table_counts() -> None:
    """One that is a part of another is read there."""
    second = "report/manuscript.second.tex"
    outcome = outcome_of("table.source", {T: GOOD, PAPER: paper(*PRINTED), second: paper(PRINTED[0], "weak & 0.5 & 2")})
    assert [(finding.field, second in finding.message) for finding in outcome.findings] == [("/rows/1/cells/1", True)]
    part = "report/manuscript.part.tex"
    whole = paper("a & 1 & 2", label="tab:u", more="\\input{part}\n")
    files = {T: GOOD, PAPER: whole, part: environment(*PRINTED), "report/manuscript.log": "x"}
    ((path, found),) = evidence_of(files).view(PrintedNumbers).in_manuscripts(Table.of(GOOD))
    assert found is not None
    assert (path, [row.texts for row in found.rows]) == (PAPER, [("ours", "0.7", "1"), ("weak", "0.6", "2")])


def test_tables_that_no_record_reports() -> None:
    """Those with numbers are missing; words alone are no results."""
    more = environment("a & 1 & 2", label="tab:more") + environment("a & b & c", label="tab:words")
    outcome = outcome_of("table.source", {T: GOOD, PAPER: paper(*PRINTED, more=more)})
    assert outcome.missing == "a sealed manuscript prints tables that no record reports: tab:more"


def test_what_a_manuscript_says_in_doubt() -> None:
    """It is missing, where a table is read from it."""
    doubtful = paper("ours & 0.7\\unheard{x} & 1", PRINTED[1])
    outcome = outcome_of("table.source", {T: GOOD, PAPER: doubtful})
    assert outcome.missing is not None
    assert outcome.missing.startswith(
        "what a sealed manuscript prints is not certain (1 doubts, first report/manuscript.paper.tex:4"
    )
    assert outcome_of("table.source", {U: table(["a"], label="tab:u"), PAPER: doubtful}).missing == (
        "a sealed manuscript prints tables that no record reports: tab:t"
    )


def test_captions() -> None:
    """A manuscript's words count, and a record's own only without one."""
    own = {**GOOD, "caption": "My own."}
    assert evidence_of({T: own}).view(PrintedNumbers).captions == {"tab:t": "My own."}
    assert evidence_of({T: GOOD}).view(PrintedNumbers).captions == {"tab:t": ""}
    assert evidence_of({T: own, PAPER: paper(*PRINTED)}).view(PrintedNumbers).captions == {"tab:t": "Scores."}
    assert evidence_of({T: own, PAPER: paper(label="tab:u")}).view(PrintedNumbers).captions == {"tab:t": "My own."}
    unnamed = {**own, "source": "paper.tex"}
    assert evidence_of({T: unnamed, PAPER: paper(label="tab:u")}).view(PrintedNumbers).captions == {"tab:t": "My own."}


# The paper at hand


def against(record: Row, text: str, tmp_path: Path, **more: Row) -> Any:
    """What is said of a record beside a paper that the reader has."""
    (tmp_path / "mine.tex").write_text(text)
    files = {T: record} | {f"report/table.{name}.json": other for name, other in more.items()}
    return outcome_of("table.reported", files, asked=Asked(papers=(tmp_path / "mine.tex",)))


def test_the_paper_at_hand(tmp_path: Path) -> None:
    """Cells are compared by their labels: other ones, ones that are not there, and ones too many."""
    assert outcome_of("table.reported", {T: GOOD}).not_applicable == "no paper was given to compare with"
    same = against(GOOD, paper(*PRINTED), tmp_path)
    assert (told(same), same.inspected) == ([], 6)
    other = against(GOOD, paper("ours & 0.7 & ", "weak & 0.5 & 2", "more & 0.4 & 3"), tmp_path)
    assert told(other, "source", "line", "key", "expected", "found") == [
        ("mine.tex", 4, "tab:t ours Rank", "1", "nothing"),
        ("mine.tex", 5, "tab:t weak Score", "0.6", "0.5"),
        ("mine.tex", 6, "tab:t more System", "no such cell", "more"),
        ("mine.tex", 6, "tab:t more Score", "no such cell", "0.4"),
        ("mine.tex", 6, "tab:t more Rank", "no such cell", "3"),
    ]
    fewer = against(GOOD, paper(PRINTED[0]), tmp_path)
    assert told(fewer, "source", "line", "key", "found") == [
        (T, None, f"tab:t weak {column}", "no such cell") for column in ("System", "Score", "Rank")
    ]


def test_tables_that_the_paper_at_hand_lacks(tmp_path: Path) -> None:
    """An error, but for numbers of the running text, of which it is noted; what cannot be read is an error, too."""
    text = table(["a", "1", "2"], label="text")
    outcome = against(table(["a", "1", "2"], label="tab:u"), paper(*PRINTED), tmp_path, more=text)
    assert told(outcome) == [("note", "text a", None, "1", "nothing"), ("error", "tab:u", "/label", "tab:u", "nothing")]
    cut = paper(*PRINTED).partition("\\end{tabular}")[0]
    outcome = against(GOOD, cut, tmp_path)
    assert told(outcome, "source", "field")[0] == ("mine.tex", None)
    assert outcome.findings[0].message.startswith("A table cannot be read: ")


def test_numbers_of_the_text_of_the_paper_at_hand(tmp_path: Path) -> None:
    """They are found by the words that were sealed with them; what is not sealed is counted."""
    text = table(["ours", "81.9"], label="text", columns="Name Number")
    text["rows"][0] |= {"quotation": "reaches 81.9 percent of all", "line": 3}

    def said(sentence: str) -> list[Any]:
        document = paper(*PRINTED).replace("\\begin{document}", "\\begin{document}\n" + sentence)
        outcome = against(GOOD, document, tmp_path, more=text)
        return told(outcome, "severity", "source", "expected", "found")

    assert said("It reaches 81.9 percent of all.") == []
    assert said("It reaches 82.9 percent of all.") == [("error", "mine.tex", "81.9", "82.9 percent")]
    gone = said("It does well in 6,060 cases.")
    assert gone == [
        ("warning", "report/table.more.json", "81.9", "nothing"),
        ("note", "mine.tex", None, None),
    ]
