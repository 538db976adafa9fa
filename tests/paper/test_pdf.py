"""Papers as PDF, by their text layer. The PDFs are written here, with nothing but text and rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealtrace.bundle.defects import BundleError
from sealtrace.paper.papers import is_paper, read_paper


def pdf(*pages: str) -> bytes:
    """A PDF whose pages have these content streams, with F1 an ordinary and F2 a bold font."""
    fonts = "<< /F1 3 0 R /F2 4 0 R >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{5 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    ]
    for number, content in enumerate(pages):
        box = "/MediaBox [0 0 612 792]"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R {box} /Resources << /Font {fonts} >> /Contents {6 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    body = "%PDF-1.4\n"
    places = []
    for number, text in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode("ascii")


def text(left: float, up: float, string: str, font: str = "F1") -> str:
    """A string at a place."""
    return f"BT /{font} 10 Tf {left} {up} Td ({string}) Tj ET"


def rule(left: float, right: float, up: float) -> str:
    """A horizontal rule."""
    return f"0.5 w {left} {up} m {right} {up} l S"


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
