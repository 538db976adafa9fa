"""The language of formulas: what it reads, what it writes, and what it says of the rest."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relations.papers import formula_of, paper_facts
from sealtrace.relations.cases import Case, starting_box
from sealtrace.relations.facts import Facts
from sealtrace.relations.intervals import WHOLE, EmptyError, TooLargeError
from sealtrace.relations.language import FormulaNames, parse_formula
from sealtrace.relations.syntax import (
    And,
    Call,
    Comparison,
    Expression,
    Formula,
    Given,
    Multiple,
    Number,
    Or,
    Ordered,
    Some,
    Unknown,
    formula_text,
    some_integer,
    walk,
)
from support import LONG

EXAMPLES = settings(max_examples=5000 if LONG else 80, deadline=None)
FACTS = paper_facts()

READ = [
    "tab:main[A, Weak EV ↑] == tab:main[B, Weak EV ↑] - 0.0862",
    'tab:main["C, tuned", Weak EV ↑] <= 5 and tab:main[A, Count].k / tab:main[A, Count].n < 1',
    "some integer k in 0..12: tab:main[A, Rate] == k / 12",
    "some w in [0, inf]: some v in [-inf, 1]: w * v == tab:main[A, Rate] or w == 2",
    "tab:main[A, Rate] is a multiple of 1 / 126",
    "tab:main[A, Rate] is a mean of 5 multiples of 1 / 126",
    "nonincreasing(tab:main[A, Rate], tab:main[B, Rate], 0)",
    "-(1 + 2 * 3)^2 != abs(-0.5) - sqrt(2) / log(3)",
    "cp_upper(3, 512, 0.05 / 80) + hoeffding(512, 0.05) >= min(1, 2, 3)",
    "(1 == 1 or 2 == 2) and (some integer k in 0..1: k == 1) and 3 == 3",
    "rounded(tab:sizes[32, Groups]) == 2",
]


@pytest.mark.parametrize("text", READ)
def test_text_comes_back(text: str) -> None:
    """What is read is written in the same words."""
    assert formula_text(formula_of(text, FACTS)) == text


def test_lists() -> None:
    """A star stands for the cells of a row or column, less those it excepts."""
    assert formula_of("sum(tab:main[*, Weak EV]) == 1") == formula_of(
        'sum(tab:main[A, Weak EV], tab:main[B, Weak EV], tab:main["C, tuned", Weak EV]) == 1'
    )
    assert formula_of("max(tab:main[* except B, Weak EV], 3) == 1") == formula_of(
        'max(tab:main[A, Weak EV], tab:main["C, tuned", Weak EV], 3) == 1'
    )


def test_chains() -> None:
    """A chain compares each with the next."""
    assert formula_of("1 <= 2 < 3") == formula_of("1 <= 2 and 2 < 3")


numbers = st.builds(Number, st.fractions(min_value=0, max_value=100, max_denominator=1000))
expressions: st.SearchStrategy[Expression] = st.recursive(
    numbers | st.sampled_from([Given(fact) for fact in FACTS.every()]) | st.just(Unknown("k")),
    lambda inner: st.one_of(
        st.builds(operator.neg, inner),
        st.builds(operator.pow, inner, st.integers(1, 64)),
        st.builds(operator.sub, inner, inner),
        st.builds(operator.truediv, inner, inner),
        st.builds(lambda a, b: Call("max", (a, b)), inner, inner),
        st.builds(lambda a: Call("sqrt", (a,)), inner),
    ),
    max_leaves=4,
)
atoms = st.one_of(
    st.builds(Comparison, st.sampled_from(["==", "!=", "<=", ">=", "<", ">"]), expressions, expressions),
    st.builds(Multiple, expressions, expressions, st.none() | expressions),
    st.builds(lambda a, b: Ordered("increasing", (a, b)), expressions, expressions),
)
formulas: st.SearchStrategy[Formula] = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
        st.builds(lambda a, b, body: Some("k", a, b, body, integer=True), expressions, expressions, inner),
        st.builds(lambda a, b, body: Some("k", a, b, body), expressions | st.none(), expressions, inner),
    ),
    max_leaves=4,
)


@EXAMPLES
@given(formulas)
def test_round_trip(formula: Formula) -> None:
    """What is written says the same when it is read, and is then written in the same words."""
    whole = some_integer("k", 0, 9, formula)
    read, problems = parse_formula(formula_text(whole), FormulaNames(FACTS))
    assert read is not None, problems
    assert computed(read) == computed(whole)
    assert parse_formula(formula_text(read), FormulaNames(FACTS))[0] == read


def computed(formula: Formula) -> list[object]:
    """What a formula compares, in the shape that is computed with."""
    found: list[object] = []
    for node in walk(formula):
        if isinstance(node, Comparison):
            try:
                case = Case({**starting_box(node), "k": WHOLE})
                case.compare(node.operator, node.left, node.right, {"k": "k"})
                found.append((case.atoms, case.operations))
            except (TooLargeError, EmptyError):
                found.append(node.operator)
        elif isinstance(node, Formula):
            found.append(type(node))
    return found


WORDS = """== <= .. some integer k in 0..5: x [0, 1]: and or is a multiple of mean inf not 1 2.5 1e9 1e999999 .5
    tab:main[A, Rate] tab:main[*, Rate] tab:main[ tab:x[a,b] {r} {q}[a, b] sum( max( foo( rounded( ( ) [ ] { } , : ;
    . + - * / ^ = < > ≤ ! # " ' “ ٣ é"""
PIECES = st.sampled_from([*WORDS.split(), " ", "\n", "\x00"])


@EXAMPLES
@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=40))
def test_garbage_is_a_list_of_problems(text: str) -> None:
    """Whatever the text, it is a formula or a list of problems, each within the text."""
    formula, problems = parse_formula(text, FormulaNames(FACTS, bindings={"r": "A"}))
    assert (formula is None) == bool(problems)
    assert all(1 <= problem.column <= len(text) + 1 and problem.message for problem in problems)
    if formula is not None:
        assert formula_text(formula)


WRONG = {
    "tab:mian[A, Rate] == 1": (1, "there is no table 'tab:mian'; did you mean 'tab:main'?"),
    "1 == tab:main[D, Rate]": (6, "has no row 'D'"),
    "1 == tab:main[A, Rat]": (6, "did you mean 'Rate'?"),
    "1 == tab:main[A, Count]": (6, "add .k or .n"),
    "1 == tab:main[A, Count].mean": (6, "without a part .mean"),
    "1 == tab:main[C, tuned, Rate]": (6, "has no row 'C'"),
    "1 == tab:main[*, Rate]": (6, "a list of cells belongs inside"),
    "sum(tab:main[*, Rate]) == 1": (5, "says n/a: sum needs every number"),
    "sum(tab:main[*, *]) == 1": (5, "not both"),
    "1 == foo(2)": (6, "no function 'foo'"),
    "1 == squrt(2)": (6, "did you mean 'sqrt'?"),
    "1 == abs(1, 2)": (6, "abs takes 1 arguments, not 2"),
    "1 == k": (6, "'k' is not known"),
    "1 == {r}": (6, "nothing gives {r}"),
    "1 = 2": (3, "write == for equality"),
    "1 + 2": (6, "expected a comparison"),
    "(1 == 2) + 1 == 3": (1, "a value is needed here"),
    "1 == 2 3": (8, "expected the end"),
    "1 == (2": (8, "expected )"),
    "some integer k 0..1: k == 1": (16, "expected 'in'"),
    "some integer in 0..1: k == 1": (14, "expected a name"),
    "some k in 0..1: k == 1": (11, "expected ["),
    "2^k == 1": (3, "expected an exponent"),
    "increasing(1)": (1, "needs a list of two or more"),
    "rounded(1 + 1) == 2": (1, "rounded(…) takes one cell"),
    "1e401 == 1": (1, "is not a number"),
    "1 == " + "9" * 61: (6, "a number of 61 characters"),
    "(" * 41 + "1 == 1" + ")" * 41: (42, "nested more than 40 deep"),
    "1" + " + 1" * 6000 + " == 1": (20001, "more than 5000 terms"),
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:40])
def test_problems_have_places(text: str) -> None:
    """Each kind of mistake is told with its column and what to do about it."""
    formula, problems = parse_formula(text, FormulaNames(FACTS))
    assert formula is None
    column, message = WRONG[text]
    assert (problems[0].column, message in problems[0].message) == (column, True), problems


def test_all_problems_at_once() -> None:
    """Wrong references do not hide each other."""
    _, problems = parse_formula("tab:x[a, b] + foo(1) == bar + tab:main[A, Z]", FormulaNames(FACTS))
    assert [problem.column for problem in problems] == [1, 15, 25, 31]


def test_arrows_in_headers_may_be_left_out() -> None:
    """A header's arrow is not part of what a reader calls the column."""
    assert formula_of("tab:main[A, Weak EV] == 1") == formula_of("tab:main[A, Weak EV ↑] == 1")


def test_no_facts() -> None:
    """Without a paper every cell is unknown, and numbers still compare."""
    nothing = FormulaNames(Facts.of([]))
    assert parse_formula("1 == 1", nothing)[0] is not None
    assert "there is none" in parse_formula("tab:a[b, c] == 1", nothing)[1][0].message
