"""What the check of sealed PDFs says of small table records."""

from __future__ import annotations

from typing import Any

import pytest

from checks.few_records import evidence_of, outcome_of, told
from sealtrace.checks.printed import PrintedNumbers
from sealtrace.paper.model import Table
from set_pages import page_of, pdf, rule, text

T, PDF = "report/table.t.json", "report/manuscript.paper.pdf"
RECORD: dict[str, Any] = {
    "label": "tab:t",
    "caption": "Scores of two systems in the first trial.",
    "source": "paper.tex",
    "columns": [{"label": "System"}, {"label": "Score"}, {"label": "Rank"}],
    "rows": [
        {"label": "ours", "cells": ["ours", "0.71", "-1"]},
        {"label": "weaker", "cells": ["weaker", "0.65", "2"]},
    ],
}
SHOWN = page_of(Table.of(RECORD))


def _turned(string: str, across: int, up: int, left: int, down: int) -> str:
    return f"BT /F1 10 Tf {across} 0 0 {up} {left} {down} Tm ({string}) Tj ET"


def outcome(content: str, *more: str) -> Any:
    """What the check says of the record and a page."""
    return outcome_of("table.page", {T: RECORD, PDF: pdf("\n".join([content, *more]))})


def test_a_page_that_shows_the_record() -> None:
    """It is compared, and nothing is found."""
    seen = outcome(SHOWN)
    assert (told(seen), seen.inspected, seen.missing, seen.not_applicable) == ([], 1, None, None)


def test_without_a_pdf_the_check_does_not_apply() -> None:
    """And it says what tables rest on then."""
    seen = outcome_of("table.page", {T: RECORD})
    assert seen.not_applicable == "no PDF of the manuscript is sealed: tables are read from their source only"


@pytest.mark.parametrize(
    ("changed", "to", "expected"),
    [
        ("(0.65)", "(0.56)", [("/rows/1/cells/1", "0.56", "0.65")]),
        ("(-1)", "(1)", [("/rows/0/cells/2", "1", "-1")]),
        ("(ours)", "(theirs)", [("/rows/0/cells/0", "theirs 0.71 -1", "ours")]),
        ("(2)", "(2 of 3)", [("/rows", "3", "no such number")]),
    ],
)
def test_a_page_that_shows_something_else(changed: str, to: str, expected: list[tuple[str, str, str]]) -> None:
    """Another number, a sign, a label, and a number that the record does not have are errors."""
    assert told(outcome(SHOWN.replace(changed, to)), "field", "expected", "found") == expected


def test_rows_that_the_record_does_not_have() -> None:
    """Whatever the page shows between the rules of a table belongs to it."""
    seen = outcome(SHOWN.replace("(weaker)", "(weaker)").replace(rule(100, 430, 632), rule(100, 430, 600)))
    assert told(seen) == []
    seen = outcome(
        SHOWN.replace(rule(100, 430, 632), rule(100, 430, 600)), text(105, 620, "best"), text(215, 620, "0.99")
    )
    assert told(seen, "field", "expected") == [("/rows", "0.99")]


@pytest.mark.parametrize(
    ("how", "content"),
    [
        ("not seen", SHOWN.replace(text(215, 646, "0.65"), "1 g " + text(215, 646, "0.65") + " 0 g")),
        ("not seen", SHOWN + "\n1 g 210 640 40 12 re f 0 g"),
        (
            "ActualText",
            SHOWN.replace(text(215, 646, "0.65"), f"/S << /ActualText (0.65) >> BDC {text(215, 646, '0.11')} EMC"),
        ),
        ("crossed", SHOWN + "\n210 640 m 230 660 250 640 260 655 c S"),
        ("drawing", SHOWN + "\n240 640 m 250 660 260 640 270 655 c S"),
        (
            "another column",
            SHOWN.replace(text(215, 646, "0.65"), text(325, 646, "0.65")).replace(
                text(325, 646, "2"), text(400, 646, "2")
            ),
        ),
    ],
)
def test_what_a_page_leaves_in_doubt(how: str, content: str) -> None:
    """Text that is hidden or reads otherwise, drawings in a table, numbers in other columns: the check is missing."""
    seen = outcome(content)
    assert seen.missing is not None
    assert how in seen.missing


@pytest.mark.parametrize(
    ("how", "content"),
    [
        ("drawing", f"{SHOWN}\n208 649 5 0.5 re f"),
        ("crossed", f"{SHOWN}\n226.5 645.5 0.8 0.8 re f"),
        ("drawing", f"{SHOWN}\n0.6 w 212 646 m 212 652 l S"),
        ("crossed", f"{SHOWN}\n0.8 w 214 649.5 m 236 649.5 l S"),
        ("turned", SHOWN.replace(text(215, 646, "0.65"), _turned("0.65", -1, -1, 236, 653))),
        ("mirrored", SHOWN.replace(text(215, 646, "0.65"), _turned("0.65", 1, -1, 215, 653))),
        ("raised", SHOWN.replace(text(215, 646, "0.65"), "BT /F1 10 Tf 215 646 Td (0) Tj 3 Ts (.) Tj 0 Ts (65) Tj ET")),
        ("l beside 0.65", SHOWN.replace("(0.65)", "(l0.65)")),
        ("O beside 0.65", SHOWN.replace("(0.65)", "(0.65O)")),
        ("< beside 0.65", SHOWN.replace("(0.65)", "(< 0.65)")),
        ("'median'", SHOWN.replace("(Score)", "(Median Score)")),
        ("'oracle'", SHOWN.replace("(ours)", "(ours [oracle])")),
        ("'not'", SHOWN.replace("systems in", "systems not in")),
    ],
)
def test_what_a_reader_sees_besides(how: str, content: str) -> None:
    """Strokes beside digits, turned and mirrored digits, letters that look like digits, and more words are doubts."""
    seen = outcome(content)
    assert told(seen) == []
    assert seen.missing is not None
    assert how in seen.missing


@pytest.mark.parametrize(("kind", "doubted"), [("Stamp", True), ("FreeText", True), ("Link", False)])
def test_what_viewers_draw_over_a_page(kind: str, *, doubted: bool) -> None:
    """An annotation over a table may show another number; a link shows none."""
    note = f"<< /Type /Annot /Subtype /{kind} /Rect [212 644 240 656] /Border [0 0 0] /Contents (9) >>"
    seen = outcome_of("table.page", {T: RECORD, PDF: pdf(SHOWN, notes=note)})
    assert (seen.missing is not None) is doubted


def test_rules_between_columns_are_no_strokes() -> None:
    """What is as high as a row parts columns, and a line below a number underlines it."""
    assert outcome(f"{SHOWN}\n0.4 w 205 642 m 205 656 l S\n215 643 18 0.4 re f").missing is None


@pytest.mark.parametrize(("read_as", "told_of"), [({"6": "6", "5": "5"}, False), ({"6": "5", "5": "5"}, True)])
def test_glyphs_that_read_as_others(read_as: dict[str, str], told_of: bool) -> None:
    """A map that reads a six as a five is doubted, and one that reads it as what it is called is not."""
    shown = SHOWN if not told_of else SHOWN.replace("(0.65)", "(0.66)")  # copied from the page, it is 0.55
    seen = outcome_of("table.page", {T: RECORD, PDF: pdf(shown, read_as=read_as)})
    assert (seen.missing is not None and "ToUnicode" in seen.missing) is told_of
    assert told(seen) == []


@pytest.mark.parametrize(
    "content",
    [
        SHOWN.replace("(Score)", "(Loss)"),
        SHOWN.replace("(Score)", "(@)").replace("(Rank)", "(Score)").replace("(@)", "(Rank)"),
    ],
    ids=["another", "exchanged"],
)
def test_headings_that_the_page_does_not_have(content: str) -> None:
    """A number below another heading is another number."""
    seen = outcome(content)
    assert seen.missing is not None
    assert "heading" in seen.missing


def test_tables_without_a_place_and_places_without_a_table() -> None:
    """Neither is passed over."""
    seen = outcome(
        SHOWN.replace("Scores of two systems in the first trial.", "Quite another matter of plants and soils.")
    )
    assert seen.missing is not None
    assert "tab:t: no page shows a table with its caption and 1 more" in seen.missing


def test_a_pdf_that_cannot_be_read() -> None:
    """Damage leaves the tables open."""
    seen = outcome_of("table.page", {T: RECORD, PDF: b"%PDF-1.7 nothing"})
    assert seen.missing is not None
    assert "not readable" in seen.missing


def test_a_manuscript_that_is_an_attachment_is_not_used() -> None:
    """It is recognised by its ending, and said."""
    seen = outcome_of("table.source", {T: RECORD, "declare/attachments/paper.tex": ""})
    assert told(seen, "source", "severity") == [("declare/attachments/paper.tex", "note")]
    sealed = outcome_of("table.source", {T: RECORD, "declare/attachments/paper.tex": "", PDF: pdf(SHOWN)})
    assert told(sealed) == []


DOUBTED = "\\begin{table}\\caption{Scores.}\\label{tab:t}\\begin{tabular}{lrr}\nSystem & Score & Rank\\\\ \\hline\n"
DOUBTED += "ours & 0.71 & -1\\\\\nweaker & 0.65 & 2\\\\\n\\end{tabular}\\end{table}\n"


@pytest.mark.parametrize(("text", "doubted"), [("\\catcode`3=13\n" + DOUBTED, [T]), (DOUBTED + "\\catcode`3=13\n", [])])
def test_cells_below_a_doubt_are_open(text: str, doubted: list[str]) -> None:
    """Those above it are not."""
    evidence = evidence_of({T: RECORD, "report/manuscript.paper.tex": text})
    assert list(evidence.view(PrintedNumbers).doubted) == doubted
