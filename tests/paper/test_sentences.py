"""Running text as sentences, with their lines, references and numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper.reading import document
from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.numbers import numbers_in
from sealtrace.paper.reported import paper_of
from sealtrace.paper.sentences import sentences

PAPER = r"""
\begin{document}
The north gave 3.2 tons. The south gave
4.5~tons (Table~\ref{tab:y}), i.e.\ 41\% more. See Fig. 2
and \citet{smith}; all of \cref{tab:y, tab:z} agree.

\begin{table}\caption{Yields. All in tons.}\label{tab:y}\begin{tabular}{l}3\end{tabular}\end{table}
\input{more}
\end{document}
"""


def test_several_sentences_on_a_line_and_one_over_several() -> None:
    """Each has the line on which it begins, and each number the line on which it stands, in every file."""
    found = sentences(document(PAPER, {"more.tex": "One more line.\nIt has 7 of 9 words."}).prose)
    assert [(one.source, one.line, one.text) for one in found] == [
        ("paper.tex", 2, "The north gave 3.2 tons."),
        ("paper.tex", 2, "The south gave 4.5 tons (Table […]), i.e. 41% more."),
        ("paper.tex", 3, "See Fig. 2 and […]; all of […] agree."),
        ("paper.tex", 6, "Yields."),
        ("paper.tex", 6, "All in tons."),
        ("more.tex", 1, "One more line."),
        ("more.tex", 2, "It has 7 of 9 words."),
    ]
    assert [one.caption for one in found] == [False, False, False, True, True, False, False]
    assert [[(number.text, number.line) for number in one.numbers] for one in found[:3]] == [
        [("3.2", 2)],
        [("4.5", 3), ("41%", 3)],
        [("2", 3)],
    ]
    assert [number.number.role for number in found[-1].numbers] == ["k", "n"]
    assert [number.id for number in found[-1].numbers] == ["s7.n1", "s7.n2"]


def quantities(text: str) -> list[tuple[str, str, bool]]:
    """Text, kind and looseness of each number of a sentence."""
    (sentence,) = sentences([ProseLine(text, "a.md", 1, 1)])
    return [(one.text, one.kind, one.loose) for one in sentence.numbers]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("about 70% of twelve runs", [("70%", "quantity", True), ("twelve", "word", False)]),
        ("Tables 1 and 2 of Smith [12]", [("1", "name", False), ("2", "name", False), ("12", "name", False)]),
        ("in 2019 at least 3.5 million", [("2019", "name", False), ("3.5 million", "quantity", True)]),
        ("3.2 Results of the trial", [("3.2", "name", False)]),
        ("71.2 ± 0.3", [("71.2", "quantity", False), ("0.3", "quantity", False)]),
        ("forty-one [3]", [("forty-one", "word", False), ("3", "name", False)]),
        ("CI [0.91, 0.95]", [("0.91", "quantity", False), ("0.95", "quantity", False)]),
        ("6 points more, a 2.5-fold gain", [("6 points", "quantity", False), ("2.5-fold", "quantity", False)]),
    ],
)
def test_a_number_is_a_quantity_a_name_or_a_word(text: str, found: list[tuple[str, str, bool]]) -> None:
    """What only numbers something is told apart, and so are counts in words and what is not meant exactly."""
    assert quantities(text) == found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("We paid Rs. 500 each. All came.", 2),
        ("It cost Fr. 20 and Ksh. 300. All came.", 2),
        ("See Nr. 7 for more.", 1),
        ("We waited 3 hrs. 20 people came.", 2),
        ("It was built with BBS. 20 people came.", 2),
        ("It was in the shed. 20 people came.", 2),
    ],
)
def test_an_abbreviation_before_a_number_ends_no_sentence(text: str, count: int) -> None:
    """Such as a currency: a word without a vowel, unless it is the unit of a number before it."""
    assert len(list(sentences([ProseLine(text, "a.md", 1, 1)]))) == count


def test_a_list_of_references_has_no_quantities() -> None:
    """Its years, pages and volumes are names, and its sentences keep their ids."""
    lines = ["It gave 41.5%.", "References", "Smith (2019). On 12.5 things. 14, 33."]
    found = sentences(ProseLine(text, "a.md", number, number) for number, text in enumerate(lines, 1))
    assert [number.id for one in found for number in one.quantities] == ["s1.n1"]
    assert [one.id for one in found][-1] == f"s{len(found)}"


def test_every_number_of_a_paper_has_one_id() -> None:
    """A cell and a number of the text are found by the ids that all commands give them."""
    paper = paper_of(document(PAPER))
    (cell,) = [table.id(row, column) for table in paper.tables for row, column, _cell in table.places()]
    assert paper.number(cell).text == "3"
    found = paper.number("s2.n2")
    assert (found.text, found.line) == ("41%", 3)
    with pytest.raises(LookupError, match=r"no number s2\.n9"):
        paper.number("s2.n9")


def test_references_are_labels() -> None:
    """A sentence knows the tables that it names; a citation is none of them."""
    found = sentences(document(PAPER).prose)
    assert [one.references for one in found[:3]] == [(), ("tab:y",), ("tab:y", "tab:z")]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from 1,986-question suites (78.8%/80.6%) to GPT-4 and Model3", ["1986", "394/5", "403/5"]),
        ("rises 2.5x, from -0.3 to +0.4", ["5/2", "-3/10", "2/5"]),
        ("on 2026-03-14, v1.2.3 at https://a.org/12/3 cost $3.64 or 12.5k", ["91/25", "12500"]),
        ("0.82 ± 0.01 within 3–5 ms, p < 0.001.", ["41/50", "1/100", "3", "5", "1/1000"]),
        ("12 of 30 (40%), and 3/4.", ["12", "30", "40", "3", "4"]),
    ],
)
def test_numbers_of_running_text(text: str, values: list[str]) -> None:
    """Numbers are found with their parts; dates, addresses and the digits of names are none."""
    parts = [part for _start, _end, printed in numbers_in(text) for part in printed.parts]
    assert [part.value for part in parts] == [Fraction(value) for value in values]


@given(st.lists(st.tuples(st.text(max_size=40), st.booleans()), max_size=6))
def test_nothing_is_lost(lines: list[tuple[str, bool]]) -> None:
    """Whatever stands in lines stands in sentences, in order, and places are true."""
    prose = [ProseLine(text, "a.tex", number, number // 2, caption) for number, (text, caption) in enumerate(lines, 1)]
    found = sentences(prose)
    assert "".join("".join(one.text for one in found).split()) == "".join("".join(text for text, _ in lines).split())
    for sentence in found:
        for number in sentence.numbers:
            assert " ".join(sentence.text[number.start : number.end].split()) == number.text
            assert 1 <= number.line <= len(lines)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("an effect of [-43%,-37%]", ["-43%", "-37%"]),
        ("a range of [0.12,0.45] (95% CI 14.8,28.6)", ["0.12", "0.45", "95%", "14.8", "28.6"]),
        ("n ∈{32,64,128,256,512} and {48,200}", ["32", "64", "128", "256", "512", "48", "200"]),
        ("{1,024,2,048} of 48,200, in {0,125}", ["1,024", "2,048", "48,200", "0", "125"]),
        ("{-1,+1}, {10^-3,10^-4} and {1,2,…,10}", ["-1", "+1", "10^-3", "10^-4", "1", "2", "10"]),
        ("x_{1,2}, 10%^{3,4}, s{1,2} and {0,5;1,0}", ["10%"]),
        ("in 1,05,603 accounts", ["1,05,603 accounts"]),
        ("in 105,603 accounts", ["105,603 accounts"]),
        ("共纳入29篇文献（11篇）", ["29", "11"]),
        ("Table3,4 and v1.2,3 of x12", []),
    ],
)
def test_numbers_beside_commas_and_letters(text: str, printed: list[str]) -> None:
    """A comma parts two numbers where the first has decimals or a percent sign, and members of a set in braces; a sign
    behind it is the next one's."""
    assert [found.text for _, _, found in numbers_in(text)] == printed


def test_members_of_a_set_are_quantities() -> None:
    """The first as the others; a lone number in braces, or a raised one, is part of a formula."""
    (sentence,) = sentences([ProseLine("We try {8, 16}, {32,64} and {7}, with x^{2}.", "a.tex", 1, 1, False)])
    assert [(number.text, number.kind) for number in sentence.numbers] == [
        *((text, "quantity") for text in ("8", "16", "32", "64")),
        *((text, "name") for text in ("7", "2")),
    ]
