"""Papers as PDF, by their text layer. The PDFs are written here, with nothing but text and rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealtrace.bundle.budget import reading_within
from sealtrace.bundle.defects import BundleError
from sealtrace.paper.model import Paper
from sealtrace.paper.papers import is_paper, read_paper
from set_pages import pdf, rule, text

PAGE = "\n".join(
    [
        text(100, 720, "The north gave 3.25 tons. See Table 1."),
        text(100, 690, "Table 1: Yields by field."),
        rule(100, 400, 680),
        text(105, 668, "Field"), text(205, 668, "Tons"), text(305, 668, "Loss"),
        rule(100, 400, 662),
        text(105, 650, "North"), text(205, 650, "3.25", "F2"), text(305, 650, "12 of 30"),
        text(105, 636, "Far south"), text(205, 636, "4.5"), text(305, 636, "-0.3"),
        rule(100, 400, 628),
        rule(100, 400, 300), text(105, 280, "1.0"), text(205, 280, "0.8"), text(205, 266, "9"), rule(100, 400, 260),
    ]
)  # fmt: skip


def test_a_table_between_rules(tmp_path: Path) -> None:
    """Rows, columns, header, caption and bold come out; a chart without a caption is no table."""
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf(PAGE))
    assert is_paper(path)
    reported = read_paper(path)
    (record,) = reported.records
    assert record["label"] == "Table 1"
    assert record["caption"] == "Table 1: Yields by field."
    assert [column["label"] for column in record["columns"]] == ["Field", "Tons", "Loss"]
    assert [row["cells"] for row in record["rows"]] == [["North", "3.25", "12 of 30"], ["Far south", "4.5", "-0.3"]]
    assert record["rows"][0]["marks"] == {"Tons": "best"}


def _more(caption: str) -> str:
    """The next page: the same header, and one row more."""
    return "\n".join(
        [
            text(100, 690, caption),
            rule(100, 400, 680),
            text(105, 668, "Field"), text(205, 668, "Tons"), text(305, 668, "Loss"),
            rule(100, 400, 662),
            text(105, 650, "West"), text(205, 650, "1.75"), text(305, 650, "3 of 30"),
            text(105, 636, "East"), text(205, 636, "2.5"), text(305, 636, "-0.1"),
            rule(100, 400, 628),
        ]
    )  # fmt: skip


@pytest.mark.parametrize("caption", ["Table 1 \\(continued\\)", "and so on"])
def test_a_table_that_goes_on_overleaf(tmp_path: Path, caption: str) -> None:
    """A continuation says so, or repeats the header without a caption: its rows belong to the table before."""
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf(PAGE, _more(caption)))
    (record,) = read_paper(path).records
    assert [row["label"] for row in record["rows"]] == ["North", "Far south", "West", "East"]
    path.write_bytes(pdf(PAGE, _more("Table 2: Others.")))
    assert [record["label"] for record in read_paper(path).records] == ["Table 1", "Table 2"]


def test_columns_close_to_each_other_under_wide_headers(tmp_path: Path) -> None:
    """A header wider than its numbers, a small gap, and a name over a rule of its own keep their columns."""
    head = [text(105, 680, "Field"), text(208, 680, "Wet"), rule(170, 270, 676)]
    names = [text(140, 664, "Farms"), text(175, 664, "Tons per ha"), text(236, 664, "Loss")]
    rows = [
        part
        for number in range(9)
        for up in [640 - 12 * number]
        for part in (
            text(105, up, f"F{number}"),
            text(140, up, str(30 + number)),
            text(208.5, up, "3.25"),
            text(235, up, "-0.5"),
        )
    ]
    page = [text(100, 700, "Table 1: Yields."), rule(100, 270, 692), *head, *names, rule(100, 270, 658), *rows]
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf("\n".join([*page, rule(100, 270, 538)])))
    (record,) = read_paper(path).records
    assert [column["label"] for column in record["columns"]] == ["Field", "Farms", "Wet / Tons per ha", "Wet / Loss"]
    assert [row["cells"] for row in record["rows"]] == [[f"F{n}", str(30 + n), "3.25", "-0.5"] for n in range(9)]


def test_a_table_without_a_rule_at_its_end(tmp_path: Path) -> None:
    """A table that goes on overleaf has none below its last row: it ends where lines have one cell only."""
    page = PAGE.replace(rule(100, 400, 628), text(105, 618, "The text goes on here, as a line of words."))
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf(page))
    (record,) = read_paper(path).records
    assert [row["cells"] for row in record["rows"]] == [["North", "3.25", "12 of 30"], ["Far south", "4.5", "-0.3"]]
    assert "The text goes on here" in " ".join(line.text for line in read_paper(path).prose)


def test_what_comes_from_a_pdf_says_so(tmp_path: Path) -> None:
    """Cells, tables and sentences name the page, and a warning says that places were read, not cells."""
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf(text(100, 720, "First page."), PAGE))
    reported = read_paper(path)
    cells = [cell for row in reported.tables[0].rows for cell in row.cells]
    assert {cell.source for cell in cells} == {"paper.pdf#page=2"} == {reported.tables[0].source}
    assert reported.records[0]["source"] == "paper.pdf#page=2"
    assert [(one.severity, "PDF" in one.message) for one in reported.problems] == [("warning", True)]
    sentences = [(one.text, one.source) for one in reported.sentences]
    assert sentences[:2] == [("First page.", "paper.pdf#page=1"), ("The north gave 3.25 tons.", "paper.pdf#page=2")]


@pytest.mark.parametrize("content", [b"", b"%PDF-1.4\n", b"not a pdf", pdf(PAGE)[:300], pdf(rule(1, 2, 3))])
def test_what_cannot_be_read(tmp_path: Path, content: bytes) -> None:
    """Damage, and a PDF without text, is a sentence."""
    path = tmp_path / "paper.pdf"
    path.write_bytes(content)
    with pytest.raises(BundleError, match=r"paper\.pdf"):
        read_paper(path)


def found(tmp_path: Path, *content: str) -> Paper:
    """What is read of a PDF with one page of these parts."""
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf("\n".join(content)))
    return read_paper(path)


@pytest.mark.parametrize(
    ("how", "hidden"),
    [
        ("white", "1 g " + text(100, 500, "0.99") + " 0 g"),
        ("invisible", "3 Tr " + text(100, 500, "0.99") + " 0 Tr"),
        ("covered", text(100, 500, "0.99") + " 1 g 90 490 60 30 re f 0 g"),
        ("clipped", "q 0 0 10 10 re W n " + text(100, 500, "0.99") + " Q"),
        ("off the page", text(700, 500, "0.99")),
        ("on a ground of its colour", "90 490 60 30 re f " + text(100, 500, "0.99")),
    ],
)
def test_what_nobody_sees_is_not_read(tmp_path: Path, how: str, hidden: str) -> None:
    """The page looks the same without it, whichever way it was hidden: it is no text of the paper, and that is said."""
    paper = found(tmp_path, PAGE, hidden)
    assert "0.99" not in " ".join(line.text for line in paper.prose), how
    assert any("not seen" in problem.message and "0.99" in problem.message for problem in paper.problems)
    assert len(paper.tables[0].rows) == 2


def test_the_invisible_text_of_a_scan_is_read(tmp_path: Path) -> None:
    """Most of a page that is not seen lies over a picture of itself."""
    paper = found(tmp_path, "3 Tr", text(100, 720, "The north gave 3.25 tons."), "0.5 g 0 0 612 792 re f")
    assert [one.text for one in paper.sentences] == ["The north gave 3.25 tons."]


def test_a_table_on_its_side(tmp_path: Path) -> None:
    """A page whose text runs upwards is read as who reads it turns it."""
    paper = found(tmp_path, "0 1 -1 0 612 0 cm", PAGE)
    assert [row.label for row in paper.tables[0].rows] == ["North", "Far south"]


def test_text_that_the_file_says_reads_otherwise(tmp_path: Path) -> None:
    """ActualText is what programs read and nobody sees."""
    paper = found(tmp_path, PAGE, f"/Span << /ActualText (0.99) >> BDC {text(100, 500, '0.11')} EMC")
    assert any("ActualText" in problem.message for problem in paper.problems)


def test_characters_set_one_by_one_in_any_order(tmp_path: Path) -> None:
    """Words are what stands together, not what follows in the file."""
    paper = found(tmp_path, text(111.12, 720, "north gave 3.25 tons."), text(100, 720, "N"), text(107.2, 720, "o"))
    assert paper.sentences[0].text.startswith("No")


def test_the_time_for_reading_covers_the_process_that_reads(tmp_path: Path) -> None:
    """What a process of its own takes is not on the clock of the one that waits for it."""
    rules = "\n".join(rule(1, 600, up % 700) for up in range(60_000))
    refused = pytest.raises(BundleError, match=r"not read within (0\.\d+|1) s")
    with refused, reading_within(1.0, "the paper"):
        found(tmp_path, text(100, 700, "1.5"), rules)


def test_a_page_without_end_ends_its_reader_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process is stopped by the clock, or stops before it; what called it gets a sentence."""
    monkeypatch.setattr("sealtrace.paper.pdf.SECONDS", 1)
    rules = "\n".join(rule(1, 600, up % 700) for up in range(60_000))
    with pytest.raises(BundleError, match="not read within 1 s"):
        found(tmp_path, text(100, 700, "1.5"), rules)
