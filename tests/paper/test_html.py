"""Papers as HTML: cells, marks, captions, formulas, and what a browser does not show."""

from __future__ import annotations

import pytest

from sealtrace.paper.model import Paper
from sealtrace.paper.reported import read_reported


def read(text: str) -> Paper:
    return read_reported(text, "paper.html", lambda _: None)


def shown(paper: Paper, number: int = 0) -> list[list[str]]:
    return [[one.shown for one in row.cells] for row in paper.tables[number].rows]


PAGE = """<!DOCTYPE html>
<html><head><title>Not 12.5 read</title></head><body>
<h2>Results</h2>
<p>We reach <b>64.21</b> points with
two seeds.</p>
<table id="tab:main"><caption>Scores of models.</caption>
<thead><tr><th rowspan="2">Model</th><th colspan="2">Scores</th></tr>
<tr><th>F1</th><th>EM</th></tr></thead>
<tbody><tr><td>ada</td><td>61.73</td><td><u>40.1</u></td></tr>
<tr><td>bo</td><td><strong>64.21</strong></td><td>42.5</td></tr></tbody>
</table>
</body></html>
"""


def test_tables_sentences_and_lines_are_read() -> None:
    paper = read(PAGE)
    (table,) = paper.tables
    assert (table.label, table.caption, table.headings) == ("tab:main", "Scores of models.", ("Results",))
    assert table.headers == ("Model", "Scores / F1", "Scores / EM")
    assert shown(paper) == [["ada", "61.73", "40.1"], ["bo", "64.21", "42.5"]]
    assert [row.line for row in table.rows] == [9, 10]
    assert [[one.mark for one in row.cells] for row in table.rows] == [[None, None, "second"], [None, "best", None]]
    assert [sentence.text for sentence in paper.sentences] == ["Results", "We reach 64.21 points with two seeds."]


@pytest.mark.parametrize(
    "page",
    [
        "<figure><figcaption>Table 3: Scores.</figcaption>{}</figure>",
        "<figure>{}<figcaption>Table 3: Scores.</figcaption></figure>",
        "<p>Table 3: Scores.</p>{}",
        "{}<p>Table 3: Scores.</p>",
    ],
)
def test_captions_stand_above_or_below(page: str) -> None:
    table = "<table><tr><th>m</th><th>n</th></tr><tr><td>a</td><td>1.5</td></tr></table>"
    assert read(page.format(table)).tables[0].caption == "Table 3: Scores."


def test_a_text_above_is_no_caption() -> None:
    table = "<table><tr><th>m</th><th>n</th></tr><tr><td>a</td><td>1.5</td></tr></table>"
    assert read(f"<p>We describe what we did.</p>{table}").tables[0].caption == ""
    assert read(f"<figure><figcaption>Figure 2: A plot.</figcaption></figure>{table}").tables[0].caption == ""


def test_what_a_browser_does_not_show_is_not_read() -> None:
    """Hidden elements, scripts, templates and comments."""
    cells = "".join(
        f"<td>{text}</td>"
        for text in (
            '<span style="display: none">9</span>1.5',
            "<span hidden>9</span>2.5",
            "<script>9</script>3.5",
            "<template>9</template>4.5",
            "<!-- 9 -->5.5",
        )
    )
    paper = read(f"<table><tr>{'<th>h</th>' * 6}</tr><tr><td>a</td>{cells}</tr></table>")
    assert shown(paper) == [["a", "1.5", "2.5", "3.5", "4.5", "5.5"]]
    assert [problem.severity for problem in paper.problems] == ["note"]


def test_formulas_and_exponents() -> None:
    """TeX beside MathML, TeX in brackets, raised text; a raised star is a mark."""
    math = r'<math alttext="1.8\times 10^{-5}"><mn>1.8</mn><mo>×</mo><msup><mn>10</mn><mn>-5</mn></msup></math>'
    cells = (math, r"\(2.5 \pm 0.1\)", "3 × 10<sup>−4</sup>", "0.5<sup>*</sup>")
    row = "".join(f"<td>{text}</td>" for text in cells)
    paper = read(f"<table><tr>{'<th>h</th>' * 5}</tr><tr><td>a</td>{row}</tr></table>")
    assert shown(paper) == [["a", "1.8× 10^-5", "2.5 ± 0.1", "3 × 10^-4", "0.5*"]]


def test_elements_that_people_leave_open() -> None:
    paper = read("<table><tr><th>m<th>n<tr><td>a<td>1.5<tr><td>b<td>2.5</table><p>One.<p>Two.")
    assert shown(paper) == [["a", "1.5"], ["b", "2.5"]]
    assert [sentence.text for sentence in paper.sentences] == ["One.", "Two."]


def test_a_table_inside_a_table_is_one_of_its_own() -> None:
    inner = "<table><tr><th>m</th><th>n</th></tr><tr><td>a</td><td>1.5</td></tr></table>"
    paper = read(f"<table><tr><td>x</td><td>{inner}</td></tr></table>")
    assert ["a", "1.5"] in [row for number in range(len(paper.tables)) for row in shown(paper, number)]


@pytest.mark.parametrize(
    "text",
    [
        "<table>" * 3000,
        "<table><tr>" + "<td rowspan=1000 colspan=1000>" * 40,
        "<td>1</td></table></tr>",
        f"<table><tr><td colspan={'9' * 6000}>1",
        "<b>" * 5000 + "1.5",
        "<sup>" * 900 + "1" + "</sup>" * 900,
        "<math alttext='\\frac{1'>",
    ],
    ids=["tables", "spans", "closed", "digits", "deep", "raised", "formula"],
)
def test_hostile_pages_are_read_to_their_end(text: str) -> None:
    assert isinstance(read(text), Paper)
