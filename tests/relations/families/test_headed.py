"""Headers that name a statistic or a formula: what nearly all rows confirm is held against the other one."""

from __future__ import annotations

import random

import pytest

from relations.families.small_papers import decided, read, table
from sealtrace.relations.decide import confirmed
from sealtrace.relations.decision import Status
from sealtrace.relations.families.headed import HEADED
from sealtrace.statistics.called import CALLED

Case = tuple[str, list[str], str, str]
"""A header, true rows, one of their numbers, and another one that is wrong in its place."""

PAIRS = ((0.91, 0.83), (0.72, 0.95), (0.64, 0.88), (0.57, 0.79), (0.93, 0.61))
TIMES = ((18.4, 4.1), (95.2, 30.7), (7.7, 1.2), (240.0, 88.1), (61.3, 9.9))
ALIVE = ((46, 370), (21, 264), (180, 51), (45, 280), (34, 301))
CASES: dict[str, Case] = {
    "F1": (
        "Kind | Precision | Recall | F1",
        [f"{p:.2f} | {r:.2f} | {2 * p * r / (p + r):.3f}" for p, r in PAIRS],
        "0.741",
        "0.714",
    ),
    "F1 in percent, of two groups": (
        "Kind | Dev / Prec. | Dev / Rec. | Dev / F-score | Test / Prec. | Test / Rec. | Test / F-score",
        [
            f"{100 * p:.0f} | {100 * r:.0f} | {200 * p * r / (p + r):.1f} | "
            f"{100 * r:.0f} | {90 * p:.1f} | {200 * r * 0.9 * p / (r + 0.9 * p):.1f}"
            for p, r in PAIRS
        ],
        "74.1",
        "71.4",
    ),
    "precision of counts": (
        "Kind | TP | FP | Precision",
        [f"{k} | {n} | {k / (k + n):.3f}" for k, n in ALIVE],
        "0.101",
        "0.107",
    ),
    "an error rate beside its accuracy": (
        "Kind | Accuracy (%) | Error rate (%)",
        [f"{100 * p:.1f} | {100 - 100 * p:.1f}" for p, _r in PAIRS],
        "36.0",
        "63.0",
    ),
    "a standard error": (
        "Kind | SD | n | SE",
        [f"{10 * p:.2f} | {n} | {10 * p / n**0.5:.3f}" for (p, _r), (n, _k) in zip(PAIRS, ALIVE, strict=True)],
        "0.477",
        "0.774",
    ),
    "a statistic of an estimate": (
        "Kind | Coef. | Std. err. | t",
        [f"{p:.3f} | {r / 7:.3f} | {7 * p / r:.1f}" for p, r in PAIRS],
        "5.3",
        "3.5",
    ),
    "a speed-up": (
        "Case | Before (s) | After (s) | Speedup",
        [f"{a} | {b} | {a / b:.2f}" for a, b in TIMES],
        "6.42",
        "4.62",
    ),
    "a speed-up of two times among other columns": (
        "Case | Size | Time A (s) | Time B (s) | Speed-up",
        [f"{n} | {a} | {b} | {a / b:.2f}×" for (a, b), (n, _k) in zip(TIMES, ALIVE, strict=True)],
        "6.42",
        "4.62",
    ),
    "a speed-up against a row": (
        "Case | Time (s) | Speedup",
        ["61.3 | 1.00", *(f"{a} | {61.3 / a:.2f}" for a, _b in TIMES[:4])],
        "7.96",
        "9.76",
    ),
    "a quotient": ("Case | Wood | Bark | Wood / Bark", [f"{a} | {b} | {a / b:.2f}" for a, b in TIMES], "6.42", "4.62"),
    "a sum": ("Case | Wood | Bark | Wood + Bark", [f"{a} | {b} | {a + b:.1f}" for a, b in TIMES], "8.9", "9.8"),
    "a relative reduction": (
        "Case | Old | New | Reduction (%)",
        [f"{a} | {b} | {100 - 100 * b / a:.1f}" for a, b in TIMES],
        "84.4",
        "48.4",
    ),
    "a change against the row above": (
        "Year | Height | Δ",
        ["61.2 | --", "64.9 | +3.7", "63.3 | -1.6", "70.1 | +6.8", "72.6 | +2.5"],
        "+6.8",
        "+8.6",
    ),
    "a change against the first row": (
        "Kind | Height | Gain",
        ["61.2 | --", "64.9 | +3.7", "63.3 | +2.1", "70.1 | +8.9", "72.6 | +11.4"],
        "+8.9",
        "+9.8",
    ),
}


def _table(case: Case, rows: int, wrong: bool, caption: str = "Trees.") -> str:
    header, lines, right, other = case
    named = [f"k{place} | {line}" for place, line in enumerate(lines)]
    spoilt = next(line for line in named if right in line)
    kept = [spoilt, *(line for line in named if line is not spoilt)][:rows] if rows < len(named) else named
    lines = [line.replace(right, other) if wrong and line is spoilt else line for line in named if line in kept]
    return table(caption, header, lines)


@pytest.mark.parametrize(
    ("name", "rows"), [(name, rows) for name in CASES for rows in (4, 5) if rows == 5 or "against" not in name]
)
def test_the_number_that_its_header_gives_another_value_is_found(name: str, rows: int) -> None:
    """One row of four or five is wrong; rows that lean on others cannot be left out."""
    found = decided(read(_table(CASES[name], rows, wrong=True)))
    wrong = {fact.text for one in found if one.status in (Status.SUSPICION, Status.CONTRADICTION) for fact in one.cells}
    assert CASES[name][3] in {text.rstrip("×") for text in wrong}


@pytest.mark.parametrize("name", CASES)
def test_a_true_table_holds(name: str) -> None:
    """The relation is decided, and nothing is said to be wrong."""
    found = decided(read(_table(CASES[name], 5, wrong=False)))
    assert {one.status for one in found} == {Status.HOLDS}


@pytest.mark.parametrize("turned", [False, True])
def test_rows_of_means_keep_no_harmonic_mean(turned: bool) -> None:
    """The F1 of a macro average is a mean, and so is that of a table of averages."""
    header, lines, _right, _wrong = CASES["F1"]
    rows = [f"k{place} | {line}" for place, line in enumerate(lines)]
    wrong = "0.76 | 0.82 | 0.771"
    cells = [header.split(" | "), *(row.split(" | ") for row in [*rows, f"Subtotal (macro) | {wrong}"])]
    if turned:
        cells = [list(column) for column in zip(*cells, strict=True)]
    first, *others = (" | ".join(cell) for cell in cells)
    assert {one.status for one in decided(read(table("Tests.", first, others)))} == {Status.HOLDS}
    averaged = table("Tests, averaged over five seeds.", header, [*rows, f"k9 | {wrong}"])
    assert [one for one in decided(read(averaged)) if one.status is not Status.HOLDS] == []


def test_an_f1_that_is_any_mean_of_two_equal_numbers_confirms_nothing() -> None:
    """Three rows have equal precision and recall; the fourth may be a mean over classes."""
    rows = [f"k{place} | {p} | {p} | {p}" for place, p in enumerate(("0.81", "0.64", "0.92"))]
    found = decided(read(table("Tests.", "Kind | Precision | Recall | F1", [*rows, "k9 | 0.76 | 0.82 | 0.77"])))
    assert [one for one in found if one.status is not Status.HOLDS] == []


def test_numbers_that_have_nothing_to_do_with_their_headers_are_left_alone() -> None:
    """Random numbers below headers of statistics and formulas: hardly any table seems to confirm its header."""
    alarms = 0
    for seed in range(60):
        chance = random.Random(seed)
        header = CASES[chance.choice([name for name in sorted(CASES) if not name.startswith(("a sum", "a quot"))])][0]
        width = header.count("|")
        rows = [
            f"k{place} | " + " | ".join(f"{chance.uniform(0, 1):.2f}" for _ in range(width))
            for place in range(chance.randint(3, 8))
        ]
        found = confirmed(decided(read(table("Random.", header, rows))))
        alarms += any(one.status in (Status.SUSPICION, Status.CONTRADICTION) for one in found)
    assert alarms <= 1


def test_headed_statistics_have_words() -> None:
    """A statistic of the rules, and all that it follows from, is called something in headers."""
    assert [headed.name for headed in HEADED if not all(pattern.pattern for pattern in headed.patterns)] == []
    assert {name for headed in HEADED for name in (headed.name, *headed.inputs)} <= set(CALLED)
