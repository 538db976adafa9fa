"""Each family: what it finds, and what it must leave alone."""

from __future__ import annotations

import pytest

from relations.families.small_papers import claimed, contradicted, decided, read, table
from sealtrace.relations.decide import confirmed
from sealtrace.relations.decision import Status

Case = tuple[str, str, list[str]]

WRONG: dict[str, tuple[str, Case]] = {
    "a rate beside its count": (
        "granularity",
        ("Items.", "Arm | Count | Rate", ["A | 3/12 | 0.2500", "B | 5/12 | 0.4617"]),
    ),
    "a rate in percent that no header calls so": (
        "granularity",
        ("", "Arm | Passing | Rate", ["A | 9/20 | 45.0", "B | 12/20 | 65.0"]),
    ),
    "a percentage beside its count": ("granularity", ("", "Arm | Count | Rate (%)", ["A | 3/12 | 24.0"])),
    "a rate over a declared n": ("granularity", ("Here $n=24$.", "Arm | Accuracy", ["A | 0.5417", "B | 0.5500"])),
    "a rate of a unit with its own column": (
        "granularity",
        ("Coverage is the fraction of splits that succeed.", "Arm | Coverage | Splits", ["A | 0.973 | 200"]),
    ),
    "a mean of rates": (
        "granularity",
        ("Accuracy on 20 questions, mean over three seeds.", "Arm | Accuracy (%)", ["A | 51.67", "B | 51.00"]),
    ),
    "a rate of two columns": ("granularity", ("", "Arm | Correct | Total | Accuracy", ["A | 17 | 24 | 0.7100"])),
    "a mean of whole numbers": ("whole numbers", ("Likert ratings, $n=19$.", "Item | Mean", ["A | 3.47", "B | 3.45"])),
    "a deviation of whole numbers": (
        "whole numbers",
        ("Five-point scale; mean ± SD.", "Item | n | Rating", ["A | 10 | 3.50±0.20"]),
    ),
    "a total": ("parts and whole", ("", "Set | Games", ["A | 12", "B | 31", "---", "Total | 45"])),
    "an overall count": ("parts and whole", ("", "Set | Count", ["A | 12", "B | 31", "---", "All | 44"])),
    "a total of splits": ("parts and whole", ("", "Set | Train | Test | Total", ["A | 12 | 31 | 44"])),
    "a total column": (
        "parts and whole",
        ("", "Set | Felled | Planted | Total", ["A | 12 | 31 | 43", "B | 20 | 45 | 66", "C | 8 | 14 | 22"]),
    ),
    "a total of decimals": (
        "parts and whole",
        ("", "Part | Hours | Days", ["A | 1.5 | 2", "B | 2.7 | 9", "---", "Total | 4.6 | 11"]),
    ),
    "a total above a note": (
        "parts and whole",
        ("", "Set | Games", ["A | 12", "B | 31", "---", "Total | 45", "Note: all games of 2019 count. | "]),
    ),
    "a share of the column": (
        "parts and whole",
        ("", "Set | Count | %", ["A | 12 | 25.0", "B | 24 | 50.0", "C | 12 | 26.0"]),
    ),
    "one wrong count among shares of the column": (
        "parts and whole",
        ("", "Set | Count | %", ["A | 12 | 25.0", "B | 94 | 50.0", "C | 12 | 25.0"]),
    ),
    "a total in the caption": (
        "parts and whole",
        ("A total of 1,208 trees by kind.", "Kind | Trees", ["Elm | 700", "Oak | 307", "Ash | 101"]),
    ),
    "shares": ("parts and whole", ("Columns sum to one.", "Kind | Share", ["A | 0.25", "B | 0.31", "C | 0.38"])),
    "a mean of rows": ("mean of rows", ("", "Task | A", ["one | 1.25", "two | 2.50", "---", "Average | 1.98"])),
    "a mean over so many": (
        "mean of rows",
        ("", "Pair | A", ["one | 1.25", "two | 2.50", "six | 3.75", "Mean over 3 pairs | 2.80"]),
    ),
    "a mean of seeds": ("mean of rows", ("", "Arm | Seed 1 | Seed 2 | Mean", ["A | 1.25 | 2.50 | 1.98"])),
    "a difference by header": ("difference", ("", "Arm | A | B | A - B", ["x | 1.25 | 0.75 | 0.25"])),
    "a difference by caption": (
        "difference",
        ("Δ is the difference between New and Old.", "Arm | Old | New | Δ", ["x | 1.25 | 0.75 | 0.25"]),
    ),
    "a change against a row": (
        "difference",
        (
            "",
            "Arm | Yield | Δ vs. Base",
            ["Base | 61.2 | --", "Elm | 63.4 | +2.2", "Oak | 66.0 | +4.8", "Ash | 60.1 | +3.1"],
        ),
    ),
    "a change against a column": (
        "difference",
        ("", "Arm | Old | New | Gain over Old", ["x | 1.25 | 3.75 | 2.50", "y | 2.00 | 3.10 | 1.90"]),
    ),
    "a change": (
        "difference",
        (
            "",
            "Arm | Before | After | Change",
            ["x | 1.25 | 0.75 | 0.25", "y | 1.00 | 1.60 | 0.60", "z | 2.10 | 2.80 | 0.70"],
        ),
    ),
    "ends of an interval": ("order", ("", "Arm | Value | 95% CI", ["x | 1.25 | [1.41, 1.30]"])),
    "a named estimate": ("order", ("", "Arm | Age | Loss | Loss CI", ["x | 2.00 | 1.25 | [1.31, 1.40]"])),
    "bounds": ("order", ("", "Arm | Risk LCB | Risk UCB", ["x | 0.31 | 0.29"])),
    "a mark of the best per column": (
        "marks",
        ("Best value per column in bold.", "Arm | A $\\uparrow$", [r"x | \textbf{2.5}", "y | 3.5", "z | 1.5"]),
    ),
    "a mark in a row that has them all": (
        "marks",
        (
            "Best values in bold.",
            "Arm | A $\\uparrow$ | B $\\uparrow$ | C $\\uparrow$",
            [r"x | 2.5 | 4.1 | 6.6", r"y | 1.5 | 3.9 | 5.2", r"ours | \textbf{3.5} | \textbf{4.9} | \textbf{6.1}"],
        ),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_is_found_by_its_family_alone(name: str) -> None:
    """One wrong number, one kind of contradiction."""
    family, case = WRONG[name]
    assert set(contradicted(read(table(*case)))) == {family}


SILENT: dict[str, Case] = {
    "coefficients of a model of a variance": (
        "",
        "Variable | Yield variance",
        ["Rain | -9.017*", " | (4.318)", "Soil | 2.611", " | (1.181)"],
    ),
    "kinds that several sets share": ("", "Set | Cat.", ["A | 5", "B | 10", "C | 5", "D | 6", "---", "Total | 22"]),
    "a count that two others break down": ("", "Tree | Stops (safe/not)", ["Elm | 1 (0/1)", "Oak | 5 (2/3)"]),
    "a whole whose count is less than its parts'": (
        "",
        "Class | Trees | Grown | Rate",
        ["Elm | 4 | 10/260 | 3.8%", "Oak | 4 | 50/268 | 18.7%", "---", "All | 8 | 60/528 | 11.4%"],
    ),
    "a total of counts with their shares": (
        "",
        "Kind | Count | Trees",
        ["Elm | 804 | 419 (26.8%)", "Oak | 1,743 | 597 (38.1%)", "---", "Total | 2,547 | 810 (51.7%)"],
    ),
    "what is marked by its name": (
        "",
        "Tree | Native | Low | High | Top",
        [
            rf"row{place} | High | {place}.1 | \textbf{{{place + (4 if place < 6 else -3)}.4}} | {place}.3"
            for place in range(1, 8)
        ],
    ),
    "shares that nearly make up a whole": (
        "",
        "Tree | Elm | Oak",
        [
            f"row{place} | .{a} | .{b}"
            for place, (a, b) in enumerate(
                ((95, "05"), (91, "08"), (89, 11), (75, 24), (80, 18), (87, 11), (81, 18), (67, 30))
            )
        ],
    ),
    "counts that are nearly a third": (
        "",
        "Tree | Leaves | Red",
        [
            f"row{place} | {a} | {b}"
            for place, (a, b) in enumerate(((226, 75), (47, 16), (174, 58), (51, 17), (89, 30), (33, 11), (101, 35)))
        ],
    ),
    "a rate that is so many a second": ("", "Arm | Passing | Rate", ["A | 9/20 | 1080", "B | 20/20 | 2400"]),
    "an average over unknown repeats": ("Accuracy on 20 questions, averaged.", "Arm | Accuracy", ["A | 0.511"]),
    "pairs are more than items": ("Here $n=90$.", "Arm | Pairwise accuracy", ["A | 0.978", "B | 0.500", "C | 0.554"]),
    "a number that is no denominator": ("Here $n=24$.", "Arm | Accuracy", ["A | 0.5500", "B | 0.6120", "C | 0.5417"]),
    "a rate over nothing": (
        "Accuracy on 20 questions, $n=0$.",
        "Arm | Accuracy (n=0) | Success",
        ["A | 0.511 | 0.511"],
    ),
    "training data is no denominator": ("Trained on 20 states.", "Arm | Accuracy", ["A | 0.511"]),
    "few-shot examples": ("Accuracy with 16-shot prompts on 16 examples.", "Arm | Accuracy", ["A | 0.511"]),
    "a small number in a caption": ("Accuracy of five models on 3 questions.", "Arm | Accuracy", ["A | 0.511"]),
    "macro accuracy": ("Here $n=24$.", "Arm | Balanced accuracy", ["A | 0.511"]),
    "several items in a scale": ("Likert scale of several items, $n=19$.", "Arm | Mean", ["A | 3.45"]),
    "aggregators as rows": ("", "Readout | A", ["Sum | 1.25", "Max | 2.50", "---", "Mean | 2.98"]),
    "a mean row that is not last": ("", "Arm | A", ["one | 1.25", "two | 2.50", "Mean | 3.98", "four | 2"]),
    "a weighted mean": ("Weighted averages.", "Task | A", ["one | 1.25", "two | 2.50", "---", "Average | 1.50"]),
    "an F1 of means": ("", "Task | F1", ["one | 1.25", "two | 2.50", "---", "Average | 1.50"]),
    "a total of rates": ("", "Set | Rate", ["A | 0.12", "B | 0.31", "---", "Total | 0.22"]),
    "a total of indented parts": ("", "Set | Games", [r"A | 12", r"\quad of these | 3", "B | 4", "---", "Total | 16"]),
    "rounded thousands": ("", "Set | Games", ["A | 1200", "B | 3400", "---", "Total | 4700"]),
    "shares that need not sum": ("Columns may not sum to 100.", "Kind | Share", ["A | 25", "B | 31"]),
    "quartiles around a mean": ("", "Arm | Mean time | IQR", ["x | 9.25 | [1.31, 1.40]"]),
    "bounds of two quantities": ("", "Arm | LCB | UCB", ["x | 0.71 | 0.05"]),
    "elements": ("", "Sample | C | H | N", ["x | 40.2 | 6.7 | 12.5"]),
    "means of counts": ("", "Trait | Elm | Oak", ["Number of leaves | 2.4 | 13", "Count | 6.5 | 18"]),
    "columns that get other names": (
        "",
        "Trait | N | Mean | SD | Min | Max",
        ["Girth | 72 | 1.4 | 1.0 | 0.1 | 5.9", " | N | Girth | Price | Leaf | ", "Elm | 72 | 1.41 | 228.9 | 14.3 | "],
    ),
    "bold for something else": (
        "Bold marks significant gains; best is last.",
        "Arm | A $\\uparrow$",
        [r"x | \textbf{2}", "y | 3"],
    ),
    "a tie of which one is marked": (
        "Best value per column in bold.",
        "Arm | A $\\uparrow$",
        [r"x | \textbf{3.5}", "y | 3.5", "z | 1.5"],
    ),
    "bold among some": ("Best among ours in bold.", "Arm | A $\\uparrow$", [r"x | \textbf{2}", "y | 3"]),
    "best of each block": (
        "Best values are bold.",
        "Arm | A $\\uparrow$",
        [r"x | \textbf{2}", "y | 1", "---", r"z | \textbf{5}", "w | 4"],
    ),
    "shares of each row's own whole, most of them zero": (
        "",
        "Span | Losses | Share",
        ["x | 62,264 | 8.43\\%", "y | 0 | 0\\%", "z | 0 | 0\\%", "w | 0 | 0\\%"],
    ),
    "NashConv of a general game": ("A market.", "Step | BR0 | BR1 | NashConv", ["1 | 0.25 | 0.50 | 0.85"]),
    "simultaneous bounds": (
        "Simultaneous bounds.",
        "Arm | Failed | Clopper-Pearson 95% upper bound",
        ["x | 0/50 | 0.0912"],
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_only_looks_like_an_error_is_left_alone(name: str) -> None:
    """A table that does not say so itself is not held to anything."""
    assert contradicted(read(table(*SILENT[name]))) == []


def test_steps_finer_than_the_print_say_nothing() -> None:
    """Every number of two digits is a rate over a thousand."""
    assert claimed(read(table("Accuracy on 1000 questions.", "Arm | Accuracy", ["A | 0.51"])), "granularity") == []
    # 0.9412 is 32 of the 34 in two of the groups.
    groups = "Here $N = 60$; $N_a = 15$; $N_b = 19$; $N_c = 26$."
    assert claimed(read(table(groups, "Arm | Accuracy", ["A | 0.9412"])), "granularity") == []


def test_marks_without_a_direction_are_no_contradiction() -> None:
    """Where nothing says which way is better, no mark is wrong."""
    rows = [r"Elm | \textbf{4.2} | 1", "Oak | 3.1 | 2", "Ash | 2.7 | 3"]
    assert contradicted(read(table("Best is bold.", "Kind | Girth | Age", rows))) == []


STARS = "Standard errors in parentheses. * p<0.10, ** p<0.05, *** p<0.01."


@pytest.mark.parametrize(
    ("caption", "last", "broken"),
    [
        (STARS, "0.221** | (0.087)", []),
        (STARS, "0.221*** | (0.187)", ["0.221"]),
        (STARS, "0.821 | (0.087)", ["0.821"]),
        ("*, **, and *** denote significance at the 10, 5, and 1 percent level.", "0.221*** | (0.187)", ["0.221"]),
        ("Standard errors in parentheses; * is our choice.", "0.221*** | (0.187)", []),
        (STARS, "0.181* | (0.087)", []),
    ],
)
def test_stars_follow_from_estimates_and_errors(caption: str, last: str, broken: list[str]) -> None:
    """Three stars for a ratio of one, and none for one of nine; between the levels of few and many degrees, neither."""
    rows = ["Elm | -0.281*** | 0.142**", " | (0.041) | (0.060)", "Oak | 0.192*** | 0.019", " | (0.052) | (0.066)"]
    estimate, error = last.split(" | ")
    rows += [f"Ash | 0.097* | {estimate}", f" | (0.051) | {error}"]
    found = decided(read(table(caption, "Tree | (1) | (2)", rows)))
    wrong = [decision for decision in found if decision.status is Status.SUSPICION]
    assert [max(decision.claim.facts, key=lambda fact: fact.value).text for decision in wrong] == broken


def test_stars_of_something_else_prove_nothing() -> None:
    """Numbers in brackets that are ratios themselves agree with stars in one row of three: nothing is said."""
    rows = ["Elm | -0.281***", " | (6.85)", "Oak | 0.192***", " | (3.69)", "Ash | 0.097*", " | (1.90)"]
    assert claimed(read(table(STARS, "Tree | (1)", rows)), "statistics") == []


def test_what_is_underlined_is_second() -> None:
    """Nobody says so: in four columns of five the second number is underlined, and in one the fourth."""
    columns = [[f"{9 - step}.{place + step}" for step in range(4)] for place in range(4)]
    for wrong, expected in ((1, []), (3, ["2.1"])):
        lines = [list(column) for column in (*columns, ["6.3", "5.2", "4.1", "2.1"])]
        for line, place in zip(lines, (1, 1, 1, 1, wrong), strict=True):
            line[0], line[place] = rf"\textbf{{{line[0]}}}", rf"\underline{{{line[place]}}}"
        rows = [f"row{place} | {' | '.join(line)}" for place, line in enumerate(zip(*lines, strict=True))]
        found = decided(read(table("Trees.", "Tree | a | b | c | d | e", rows)))
        assert [one.claim.facts[0].text for one in found if one.status is Status.SUSPICION] == expected


SALES = ["North | 12 | 40 | 7", "South | 30 | 25 | 9", "East | 21 | 33 | 8"]


@pytest.mark.parametrize(
    ("total", "statuses"),
    [
        ("63 | 98 | 25", [Status.CONTRADICTION]),
        ("64 | 99 | 24", [Status.CONTRADICTION] * 2),
        ("64 | 99 | 25", [Status.UNDECIDED] * 3),
        ("63 | 98 | 21", [Status.SUSPICION]),
    ],
)
def test_a_reading_is_confirmed_by_other_numbers_of_its_table(total: str, statuses: list[Status]) -> None:
    """A row called Total that adds up elsewhere proves an error; one that never does is the total of something else.

    Where the whole is less than its parts, they may overlap.
    """
    paper = read(table("Sales by region.", "Region | Spring | Summer | Autumn", [*SALES, f"Total | {total}"]))
    found = [one.status for one in confirmed(decided(paper)) if one.claim.family == "parts and whole"]
    assert [one for one in found if one is not Status.HOLDS] == statuses


def test_a_reading_that_nothing_confirms_is_a_suspicion() -> None:
    """One column, and its total is off."""
    paper = read(
        table("Sales by region.", "Region | Spring", [*(row[: row.index("|") + 4] for row in SALES), "Total | 64"])
    )
    (one,) = [one for one in confirmed(decided(paper)) if one.claim.family == "parts and whole"]
    assert one.status is Status.SUSPICION
    assert "no other number of it confirms" in one.claim.evidence


def test_a_better_row_without_any_mark_may_be_set_apart() -> None:
    """A ceiling that is there for comparison is best, and never bold: suspected, not proved."""
    rows = [r"Elm | \textbf{0.61} | 0.50", r"Oak | 0.55 | \textbf{0.58}", "Ceiling | 0.90 | 0.40"]
    paper = read(table("Best in bold.", r"Tree | Girth $\uparrow$ | Height $\uparrow$", rows))
    found = {one.claim.facts[0].text: one.status for one in decided(paper) if one.claim.family == "marks"}
    assert found == {"0.61": Status.SUSPICION, "0.58": Status.HOLDS}


@pytest.mark.parametrize(("gain", "found"), [("+0.26", []), ("+0.62", ["mean of rows"])])
def test_the_mean_of_gains_is_the_gain_of_means(gain: str, found: list[str]) -> None:
    """Three means follow; that of the gains does or does not."""
    rows = ["Elm | 1.42 | 1.11 | +0.31", "Oak | 2.05 | 1.90 | +0.15", "Ash | 1.77 | 1.45 | +0.32"]
    case = table("Trees.", "Kind | After | Before | Gain", [*rows, "---", f"Average | 1.75 | 1.49 | {gain}"])
    assert [family for family in contradicted(read(case)) if family == "mean of rows"] == found
