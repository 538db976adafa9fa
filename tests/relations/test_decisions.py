"""Decisions: what is said of one relation, and that it ends."""

from __future__ import annotations

from fractions import Fraction

import pytest

from relations.families.small_papers import read, table
from relations.papers import formula_of, paper_facts
from sealtrace.relations.decide import decide, decide_each, graded
from sealtrace.relations.decision import Claim, Decision, Repair, Status
from sealtrace.relations.intervals import Interval
from sealtrace.relations.reading import read_relations
from sealtrace.relations.syntax import (
    Given,
    Multiple,
    Number,
    Some,
    any_of,
    at_most,
    call,
    compare,
    equal,
    number,
    some_integer,
)
from sealtrace.relations.syntax import Unknown as SomeUnknown

FACTS = paper_facts()
for name, literal, line in (("low", "4.4074", 3), ("high", "4.4936", 3), ("gain", "0.0862", 3)):
    FACTS.declare(name, literal, line)


def decided(text: str, *repairs: str) -> Decision:
    """A formula's decision."""
    explained = tuple(Repair(one, formula_of(one, FACTS)) for one in repairs)
    return decide(Claim("r", formula_of(text, FACTS), "It is so.", "here", repairs=explained))


HOLD = [
    "high - low == gain",
    "tab:main[A, Interval].low <= tab:main[A, Interval].high",
    "tab:main[A, Count].k / tab:main[A, Count].n == 0.25",
    "some integer k in 0..10000: tab:main[A, Rate] == k / 10000",
    "max(tab:main[*, Weak EV]) == high",
    "abs(low - high) == gain or 1 == 2",
    "some w in [0, 1]: w * high == low",
    "some w in [0, 1]: some integer k in -1..3: k == k^2 and (some integer j in -2..2: w / (j - 2) == 0)",
    "some integer k in 0..512: some w in [0, 1]: tab:main[A, Rate] == cp_upper(k, 512, 0.05 * w)",
    "tab:main[A, Rate] >= hoeffding(512, 0.2)",
    "sqrt(low) == 2.09938",
    "log(high) == 1.50266",
    "low != high",
    "low * high == 19.805",
    "rounded(tab:sizes[32, Groups]) == 2.4",
    "increasing(tab:sizes[*, Groups])",
    "some integer k in -1000000000000000000..1000000000000000000: k * 0.0001 == high",
]


@pytest.mark.parametrize("text", HOLD)
def test_what_holds(text: str) -> None:
    """Some values satisfy it, and the witness lies within the printed intervals."""
    found = decided(text)
    assert found.status is Status.HOLDS
    for fact in found.cells:
        assert found.witness[fact.address].within(Interval(fact.low, fact.high))


LINES = {
    "high - low == gain + 0.001": ("4.4936 - 4.4074 = 0.0862 ± 0.0001, but 0.0862 + 0.001 = 0.08720 ± 0.00005", "8.5"),
    "gain == 2 * (high - low)": ("2 × (4.4936 - 4.4074) = 0.1724 ± 0.0002, printed 0.0862", "429.75"),
    "tab:main[A, Rate] is a multiple of 1/126": (
        "0.0569 ± 0.00005 needs k/126 with k integer: 7/126 = 0.0556, 8/126 = 0.0635",
        "233/18",
    ),
    "some integer k in 0..12: tab:main[A, Rate] == k / 12": (
        "0.0569 ± 0.00005 needs k/12 with k integer: 0/12 = 0.0000, 1/12 = 0.0833",
        None,
    ),
    "tab:main[A, Rate] is a mean of 3 multiples of 1/12": (
        "0.0569 ± 0.00005 needs k/12/3 with k integer: 2/12/3 = 0.0556, 3/12/3 = 0.0833",
        "233/18",
    ),
    "low == high": ("4.4074 in one place, 4.4936 in the other: no value prints as both", "861"),
    "high <= low": ("needs 4.4936 <= 4.4074, but the first is at least 4.49355 and the second at most 4.40745", "861"),
    "decreasing(low, high)": (
        "needs 4.4074 > 4.4936, but the first is at most 4.40745 and the second at least 4.49355",
        "861",
    ),
    "tab:sizes[32, Groups] == 3": ("needs 3, printed 2", "1"),
    "some w in [0, 1]: w * low == high": (
        "no w in [0, 1] gives it: w × 4.4074 = 0.00000 to 4.40745, printed 4.4936",
        "861",
    ),
    "high == 1 or high == 2": ("needs 1, printed 4.4936; nor: needs 2, printed 4.4936", None),
}


@pytest.mark.parametrize("text", LINES)
def test_contradictions_in_one_line(text: str) -> None:
    """The line that a reviewer would send, and how far the nearest number would have to move."""
    found = decided(text)
    assert found.status is Status.CONTRADICTION
    line, distance = LINES[text]
    assert found.arithmetic == line
    if distance is not None:
        assert found.distance == Fraction(distance)
        assert found.nearest is not None


def test_no_single_cell() -> None:
    """Where no cell alone can repair it, the distance is that of all of them together, and no cell is named."""
    found = decided("low == 4 and high == 4")
    assert (found.status, found.nearest) == (Status.CONTRADICTION, None)
    assert found.distance == Fraction("4073.5") + Fraction("4935.5")


def test_tightest_values() -> None:
    """The ends at which the sides come closest."""
    proof = decided("high - low == gain + 0.001").certificate
    assert proof is not None
    assert dict(proof.tightest()) == {
        "high": Fraction("4.49365"),
        "low": Fraction("4.40735"),
        "gain": Fraction("0.08615"),
    }


def test_repairs() -> None:
    """Explanations are decided, too."""
    found = decided(
        "tab:main[A, Rate] is a multiple of 1/126",
        "some integer n in 120..130: tab:main[A, Rate] is a multiple of 1/n",
        "tab:main[A, Rate] is a multiple of 1/2",
        "sqrt(0 - tab:main[A, Rate]) == 1",
    )
    assert [repair.works for repair in found.repairs] == [True, False, None]


UNDECIDED = {
    "high / (low - low) == 1": "is not defined",
    "sqrt(low - high) == 1": "is not defined",
    "log(0) == 1": "is not defined",
    "cp_upper(13, 12, 0.05) == high": "is not defined",
    "((((high^64)^64)^64)^64) == 1": "the numbers grow too long",
    "sqrt(high)^2 == high": "used up",
    "some x in [-inf, inf]: some y in [-inf, inf]: x * y == 1 and x + y == high": "without bounds",
    "some integer x in 2..1e30: some integer y in 2..1e30: x^2 - 61 * y^2 == 1": "used up",
    "cp_upper(3, 900000000, 0.05) == high": "more than 1000000 states",
    "some integer n in 900000..1000000: some integer k in 0..n: cp_upper(k, n, 0.001) == high / 8": "used up",
}


@pytest.mark.parametrize("text", UNDECIDED)
def test_what_is_undecided_says_why_and_ends(text: str) -> None:
    """Neither answer is guessed, and no question takes for ever."""
    found = decided(text)
    assert found.status is Status.UNDECIDED
    assert UNDECIDED[text] in found.reason


def test_boundaries_belong_to_the_intervals() -> None:
    """A value at the very end of an interval prints either way, unless the comparison is strict."""
    assert decided("high == 4.49365").status is Status.HOLDS
    assert decided("high == 4.493650001").status is Status.CONTRADICTION
    assert decided("high <= 4.49355").status is Status.HOLDS
    assert decided("high < 4.49355").status is Status.CONTRADICTION
    assert decided("high * low == 4.49365 * 4.40745").status is Status.HOLDS
    assert decided("high * low == 4.49365 * 4.40745 + 0.000000000001").status is Status.CONTRADICTION


def test_building_from_python() -> None:
    """Families write formulas with operators and a few named functions."""
    a, b = Given(FACTS.named("low")), Given(FACTS.named("high"))
    k = SomeUnknown("k")
    formulas = [
        equal(b - a, "0.0862"),
        at_most(a, b),
        compare(call("mean", a, b), "<", b),
        any_of(equal(a, 1), equal(2 * a / 2, a)),
        some_integer("k", 0, 100000, equal(b, k / 10000)),
        Some("w", number(0), None, equal(SomeUnknown("w") + a, b)),
        Multiple(a, Number(Fraction(1, 10000))),
    ]
    assert [decide(Claim("r", one, "s", "p")).status for one in formulas] == [Status.HOLDS] * len(formulas)


@pytest.mark.parametrize(
    ("formula", "assumes", "status"),
    [
        ("tab:main[B, Weak EV] >= 9", "", Status.CONTRADICTION),
        ("tab:main[B, Weak EV] >= 9", "something", Status.QUESTION),
    ],
)
def test_what_is_declared_is_graded_by_what_it_rests_on(formula: str, assumes: str, status: Status) -> None:
    """The same arithmetic is a question where it needs something that the paper states nowhere."""
    said = f"  assumes {assumes}\n" if assumes else ""
    text = f"relation a\n  says A.\n  because here\n{said}  holds {formula}\n"
    claims = read_relations(text, "a.relations", paper_facts()).claims
    (one,) = graded(decide_each(claims))
    assert one.status is status
    assert one.arithmetic


def test_a_unit_in_the_last_place_that_mends_is_rounding() -> None:
    """A sum of three rounded numbers that misses by one and a half units, and by more than units of all can mend."""
    for total, status in (("6.5", Status.ROUNDING), ("7.9", Status.CONTRADICTION)):
        rows = [f"Elm | 1.2 | 2.3 | 2.7 | {total}"]
        paper = read(table("Rows sum to what follows.", "Tree | a | b | c | d", rows))
        text = "relation a\n  says A.\n  because here\n  holds tab:t[Elm, d] == sum(tab:t[Elm, * except d])"
        (one,) = graded(decide_each(read_relations(text, "a.relations", paper.facts).claims))
        assert one.status is status


@pytest.mark.parametrize("family", ["declared", "claims", "difference"])
@pytest.mark.parametrize(
    ("value", "missing", "status"),
    [
        ("4.4937", (), Status.ROUNDING),
        ("4.4937", ("a row that is not named",), Status.ROUNDING),
        ("5.1", (), Status.CONTRADICTION),
        ("5.1", ("a row that is not named",), Status.SUSPICION),
    ],
)
def test_one_rule_grades_what_files_readers_and_families_say(
    family: str, value: str, missing: tuple[str, ...], status: Status
) -> None:
    """Whoever says it: a unit in the last place is rounding, and what misses a premise is suspected."""
    formula = formula_of(f"tab:main[B, Weak EV] == {value}")
    (one,) = graded(decide_each([Claim("a", formula, "A.", "here", family=family, missing=missing)]))
    assert one.status is status
    (one,) = graded(decide_each([Claim("a", formula, "A.", "here", ("something",), family=family, missing=missing)]))
    assert one.status is (status if family == "difference" else Status.QUESTION)
