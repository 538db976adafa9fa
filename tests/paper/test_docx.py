"""Papers as .docx: cells, marks, captions and numbers of the text; and files that are damaged or hostile."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from paper.docx_files import W, cell, docx, paragraph, run, table
from sealtrace.bundle.defects import BundleError
from sealtrace.paper import docx as reader
from sealtrace.paper.model import Paper
from sealtrace.paper.papers import read_paper

SCORES = [["Model", "F1", "Time (s)"], ["ada", "61.73", "12"], ["bo", "64.21", "14"]]


def read(tmp_path: Path, *blocks: str, **parts: str) -> Paper:
    return read_paper(docx(tmp_path / "paper.docx", *blocks, **parts))


def shown(paper: Paper, number: int = 0) -> list[list[str]]:
    return [[one.shown for one in row.cells] for row in paper.tables[number].rows]


def test_tables_sentences_and_captions_are_read(tmp_path: Path) -> None:
    """A caption stands above its table or below it, and a heading is over what follows."""
    paper = read(
        tmp_path,
        paragraph("Results", style="Title1"),
        paragraph("We reach ", run("64.21", "<w:b/>"), " points."),
        paragraph("Table 1: Scores of models.", style="Cap"),
        table(SCORES),
        paragraph("In between stands a text."),
        table([["Task", "n"], ["sums", "120"]]),
        paragraph("Table 2. Sizes of tasks."),
    )
    assert [(one.caption, one.headings) for one in paper.tables] == [
        ("Table 1: Scores of models.", ("Results",)),
        ("Table 2. Sizes of tasks.", ("Results",)),
    ]
    assert paper.tables[0].headers == ("Model", "F1", "Time (s)")
    assert shown(paper) == SCORES[1:]
    assert [row.label for row in paper.tables[0].rows] == ["ada", "bo"]
    assert "We reach 64.21 points." in [sentence.text for sentence in paper.sentences]


def test_a_header_need_not_be_declared(tmp_path: Path) -> None:
    assert read(tmp_path, table(SCORES, header=False)).tables[0].headers == ("Model", "F1", "Time (s)")


def test_merged_cells_stand_once_and_reach_over_the_others(tmp_path: Path) -> None:
    """`gridSpan` makes groups of columns, `vMerge` labels of several rows."""
    span, first, below = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    paper = read(
        tmp_path,
        table([
            ["", "", cell("Scores", span)],
            ["Task", "Model", "F1", "EM"],
            [cell("sums", first), "ada", "61.7", "40.1"],
            [cell("", below), "bo", "64.2", "42.5"],
        ]),
    )  # fmt: skip
    assert paper.tables[0].headers == ("Task", "Model", "Scores / F1", "Scores / EM")
    assert [row.label for row in paper.tables[0].rows] == ["sums / ada", "sums / bo"]
    assert shown(paper) == [["sums", "ada", "61.7", "40.1"], ["sums", "bo", "64.2", "42.5"]]


def test_marks_come_from_runs_and_styles(tmp_path: Path) -> None:
    """Bold by the run, by a style, by what that is based on; switched off by the run."""
    off = paragraph(run("4.4", '<w:b w:val="0"/>'), style="Fat")
    under = paragraph(run("5.5", '<w:u w:val="single"/>'))
    bold = paragraph(run("1.1", "<w:b/>"))
    row = ["x", cell(bold), cell(paragraph("2.2", style="Fatter")), cell(off), cell(under)]
    paper = read(tmp_path, table([["m", "a", "b", "c", "d"], row]))
    assert [one.mark for one in paper.tables[0].rows[0].cells] == [None, "best", "best", None, "second"]


def test_what_is_not_printed_is_not_read(tmp_path: Path) -> None:
    """Deleted text of tracked changes, hidden runs and the code of fields."""
    hidden = run("9", "<w:vanish/>")
    deleted = "<w:del><w:r><w:delText>8</w:delText></w:r></w:del>"
    inserted = f"<w:ins>{run('7')}</w:ins>"
    code = "<w:r><w:instrText>SEQ 5</w:instrText></w:r>"
    paper = read(tmp_path, table([["m", "a"], ["x", cell(paragraph(hidden, deleted, inserted, code, run(".25")))]]))
    assert shown(paper) == [["x", "7.25"]]


def test_exponents_are_read_as_such(tmp_path: Path) -> None:
    """Raised runs, and formulas; a raised star is a mark."""
    power = "<m:oMath><m:r><m:t>1.8×</m:t></m:r><m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>−5</m:t>"
    power += "</m:r></m:sup></m:sSup></m:oMath>"
    up = '<w:vertAlign w:val="superscript"/>'
    raised = paragraph("2.5 × 10", run("−3", up))
    star = paragraph("0.5", run("*", up))
    paper = read(tmp_path, table([["m", "p", "q", "r"], ["x", cell(paragraph(power)), cell(raised), cell(star)]]))
    assert shown(paper) == [["x", "1.8×10^-5", "2.5 × 10^-3", "0.5*"]]
    values = [float(number.value) for _, _, one in paper.tables[0].numbers for number in one.numbers]
    assert values == pytest.approx([1.8e-5, 2.5e-3, 0.5])


def test_footnotes_are_read(tmp_path: Path) -> None:
    notes = f"<w:footnotes {W}><w:footnote>{paragraph('We ran 12 seeds.')}</w:footnote></w:footnotes>"
    paper = read(tmp_path, paragraph("A text."), footnotes=notes)
    assert [sentence.text for sentence in paper.sentences] == ["A text.", "We ran 12 seeds."]


def test_a_document_type_is_refused(tmp_path: Path) -> None:
    """Entities would make a short file long."""
    bomb = '<!DOCTYPE a [<!ENTITY b "lol"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'
    with pytest.raises(BundleError, match="a document type in it"):
        read_paper(docx(tmp_path / "a.docx", body=bomb))


def test_a_part_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_PART", 1000)
    with pytest.raises(BundleError, match="unpacks to more than 1000 bytes"):
        read(tmp_path, paragraph("x" * 2000))


@pytest.mark.parametrize("body", ["", "<a", "<a>" * 400 + "</a>" * 400], ids=["empty", "cut", "deep"])
def test_damaged_parts_are_named(tmp_path: Path, body: str) -> None:
    with pytest.raises(BundleError, match=r"not a readable \.docx"):
        read_paper(docx(tmp_path / "a.docx", body=body))


def test_files_that_are_no_word_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(BundleError, match=r"not a readable \.docx"):
        read_paper(tmp_path / "a.docx")
    with zipfile.ZipFile(tmp_path / "b.docx", "w") as archive:
        archive.writestr("other.txt", "x")
    with pytest.raises(BundleError, match="no document in it"):
        read_paper(tmp_path / "b.docx")
