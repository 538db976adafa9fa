"""LaTeX: tabulars that any document can read in, with nothing in them that a bundle could command."""

from __future__ import annotations

import re

import pytest

from report.samples import KINDS, broken, cell, good
from sealtrace.contract.result import NumberResult
from sealtrace.report import inert, latex

COMMANDS = {
    *(
        "providecommand",
        "toprule",
        "midrule",
        "bottomrule",
        "hline",
        "begin",
        "end",
        "par",
        "noindent",
        "medskip",
        "footnotesize",
    ),
    *("nopagebreak", "textbf", "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater"),
    *("textbar", "char", "ensuremath", "Delta", "zeta"),
}


def checked(cells: list[NumberResult], *, everything: bool = False) -> str:
    """The rendering, without its comment; known commands only, braces paired, as many columns as declared."""
    shown = good().model_copy(update={"numbers": cells, "findings": []})
    comment, _, text = latex.render(shown, everything=everything).partition("\n")
    assert comment.startswith("% ")
    assert text.isascii()
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= COMMANDS
    # `\\`, escaped specials and accents are the only other control sequences.
    assert set(re.findall(r"\\([^A-Za-z])", text.replace("\\\\", ""))) <= set("{}$&#_%'`^~\"")
    bare = re.sub(r"\\\\|\\[^A-Za-z]", "", text)
    assert re.findall(r"[$#_%^~<>|\"`]", bare) == []
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    for columns, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL):
        rows = [line for line in body.splitlines() if line.endswith(r" \\")]
        assert {re.sub(r"\\&", "", row).count("&") for row in rows} == {len(columns) - 1}
        assert [row for row in rows if row.startswith(("[", "*"))] == []
    return text


@pytest.mark.parametrize("kind", ["good", "a wrong cell", "hostile", "none"])
def test_the_form(kind: str) -> None:
    """With the cells that differ, and with all of them."""
    cells = KINDS[kind]().numbers if kind in KINDS else []
    checked(cells)
    text = checked(cells, everything=True)
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}")


def test_differences_and_how_many_agree() -> None:
    """An overview, then only what differs; a minus sign where a number is negative."""
    text = checked([*broken("table.cells").numbers, cell()])
    assert "tab:main & 31 & 24 follow, 2 differ, 5 given (24 exact, 2 mismatch, 5 input) \\\\\n" in text
    assert "0.08 & Weak EV & 4.2890 & 4.288857504796316 & differs (mismatch) \\\\\n" in text
    assert r"a & b & \ensuremath{-}0.5 & \ensuremath{-}0.25 & differs (mismatch) \\" in text
    assert "(exact)" not in text


def test_long_tables_are_cut_at_pages() -> None:
    """A tabular does not break by itself."""
    text = checked([cell(row=str(number)) for number in range(100)])
    assert text.count(r"\begin{tabular}{llrrl}") == 3


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b & 5%", r"a\_b \& 5\%"),
        ("é Ç ï", r"\'{e} \c{C} \"{\i{}}"),
        ("Δ λ Σ", r"\ensuremath{\Delta} \ensuremath{\lambda} \ensuremath{\Sigma}"),
        ("0.5 ± 0.1 ×", r"0.5 \ensuremath{\pm} 0.1 \ensuremath{\times}"),
        ("中", "U+4E2D"),
        ("---", "-{}-{}-"),
        ("\\\\[1cm]", r"\textbackslash{}\textbackslash{}{[}1cm{]}"),
        ("^^5c", r"\textasciicircum{}\textasciicircum{}5c"),
    ],
)
def test_escaping(text: str, written: str) -> None:
    """Character by character."""
    assert inert.latex(text) == written
