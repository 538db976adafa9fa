"""Tables that mislead: what is read in them, and what only looks like an error."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import pairwise

import pytest

from relations.families.small_papers import claimed, decided, read, table
from sealtrace.relations.auditing import claim_record
from sealtrace.relations.decide import confirmed
from sealtrace.relations.decision import Status
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.repeated import _Match, _Tables

BROKEN = (Status.SUSPICION, Status.CONTRADICTION)


def _suspected(paper: AuditedPaper, family: str = "") -> list[set[str]]:
    """The printed numbers of everything that a family, or any, says cannot hold."""
    return [
        {fact.text for fact in one.cells}
        for one in confirmed(decided(paper))
        if one.status in BROKEN and family in ("", one.claim.family)
    ]


def _random_table(chance: random.Random, kind: str) -> str:
    rows = []
    count, width = chance.randint(4, 10), chance.randint(3, 6)
    levels = [chance.uniform(0.2, 0.9) for _ in range(count)]
    curves = [(chance.uniform(0, 1), chance.uniform(-0.5, 0.5)) for _ in range(width)]
    for place in range(count):
        cells = {
            "even": [f"{chance.uniform(0, 1):.3f}" for _ in range(width)],
            "counts": [str(chance.randint(0, 60)) for _ in range(width)],
            "alike": [f"{levels[place] + chance.gauss(0, 0.02):.3f}" for _ in range(width)],
            "smooth": [f"{a + b * place / count:.4f}" for a, b in curves],
            "percent": [f"{min(100.0, chance.gauss(70, 8)):.1f}" for _ in range(width)],
        }[kind]
        rows.append(f"row{place} | " + " | ".join(cells))
    words = ["Total", "Mean", "Gain", "Rate", "A", "B"]
    return table("Random.", "Name | " + " | ".join(words[:width]), rows)


def test_hardly_anything_is_said_of_random_numbers() -> None:
    """Numbers that have nothing to do with each other below telling headers: a total that is none is no error."""
    alarms = 0
    for kind in ("even", "counts", "alike", "smooth", "percent"):
        for seed in range(20):
            alarms += bool(_suspected(read(_random_table(random.Random(seed), kind))))
    assert alarms <= 2


def test_what_two_tables_print_of_one_thing_is_compared() -> None:
    """Four entities agree and one does not."""
    first = [
        f"{name} | {value}"
        for name, value in zip(("Elm", "Oak", "Ash", "Yew", "Fir"), (0.41, 0.22, 0.87, 0.63, 0.35), strict=True)
    ]
    second = [row if not row.startswith("Fir") else "Fir | 0.53" for row in first]
    paper = read(table("", "Tree | Share", first, "tab:a"), table("", "Tree | Part", second, "tab:b"))
    assert _suspected(paper, "same in two tables") == [{"0.35", "0.53"}]


def test_two_tables_that_differ_by_one_in_the_last_digit() -> None:
    """As intervals 0.35 and 0.36 share an end; printed to the same digit they are two numbers."""
    rows = ["Elm | 0.81", "Oak | 0.42", "Ash | 0.67", "Yew | 0.35", "Fir | 0.58"]
    for last, found in (("0.35", []), ("0.36", [{"0.35", "0.36"}]), ("0.354", [])):
        other = [row.replace("0.35", last) for row in rows]
        given = table("Height.", "Tree | Rise", rows, "tab:a") + table("Again.", "Tree | Rise", other, "tab:b")
        assert _suspected(read(given), "same in two tables") == found


def test_tables_that_print_nothing_alike_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many tables name the same rows; only those that print the same numbers of them are laid side by side."""
    compared: list[tuple[str, str]] = []
    whole = _Tables.matches

    def counted(tables: _Tables, columns: Iterable[tuple[int, int]]) -> Iterator[_Match]:
        compared.append((tables.sheet.label, tables.other.label))
        return whole(tables, columns)

    monkeypatch.setattr(_Tables, "matches", counted)
    chance, shares = random.Random(33), ["0.41", "0.22", "0.87", "0.63", "0.35"]
    printed = [[f"{chance.uniform(1, 99):.3f}" for _ in shares] for _ in range(30)]
    # One is printed with other digits, where intervals tell whether it is the same.
    printed[7], printed[21] = shares, [f"{share}2" for share in shares]
    rows = [[f"{name} | {value}" for name, value in zip(_TREES, own, strict=False)] for own in printed]
    paper = read(*(table("", "Tree | Rise", own, f"tab:{number}") for number, own in enumerate(rows)))
    assert len(claimed(paper, "same in two tables")) == len(shares)
    assert compared == [("tab:7", "tab:21")]


def test_numbered_rows_have_the_names_behind_their_numbers() -> None:
    """One table counts its rows, the other one does not."""
    values = (0.41, 0.22, 0.87, 0.63, 0.35)
    first = [
        f"({place}) {name} trees | {value}" for place, (name, value) in enumerate(zip(_TREES, values, strict=False), 1)
    ]
    for last, found in (("0.35", []), ("0.53", [{"0.35", "0.53"}])):
        second = [f"{name} trees | {value}" for name, value in zip(_TREES, (*values[:-1], last), strict=False)]
        paper = read(table("", "Tree | Share", first, "tab:a"), table("", "Tree | Part", second, "tab:b"))
        assert _suspected(paper, "same in two tables") == found


def test_a_rank_that_is_not_the_rank_of_anything_is_found() -> None:
    """Ranks follow one column, in whichever direction; two that changed places do not."""
    scores = ("0.91", "0.64", "0.77", "0.52", "0.83", "0.45", "0.38")
    ranks = [str(1 + sum(float(other) > float(score) for other in scores)) for score in scores]

    def given(numbers: list[str]) -> AuditedPaper:
        rows = [
            f"row{place} | {score} | {number}"
            for place, (score, number) in enumerate(zip(scores, numbers, strict=True))
        ]
        return read(table("Numbers.", "Name | Score | Rank", rows))

    assert _suspected(given(ranks)) == []
    assert [one for one in decided(given(ranks)) if "ranks Score" in one.claim.evidence]
    swapped = [*ranks[:3], ranks[5], ranks[4], ranks[3], ranks[6]]
    assert {"0.52", "0.45"} & set().union(*_suspected(given(swapped)))


def test_numbers_that_are_only_repeated_are_no_evidence() -> None:
    """One number is mean, median, least and greatest: that it is half of another one's is seen once, not four times."""
    rows = ["Elm | 4,703 | 1.041 | 1.041 | 1.041 | 1.041", "Oak | 11,073 | 0.545 | 0.553 | 0.35 | 0.732",
            "Ash | 6,505 | 0.52 | 0.52 | 0.52 | 0.52"]  # fmt: skip
    assert _suspected(read(table("Numbers.", "Kind | Trees | Mean | Median | Min | Max", rows))) == []


def test_a_percentage_of_a_logarithm_is_its_exponential() -> None:
    """Small coefficients are nearly their own percentage; the larger one shows that it is not meant so."""
    rows = [f"row{place} | {value}" for place, value in enumerate(
        ("-0.0203 | -2.01", "0.0041 | 0.41", "-0.0012 | -0.12", "0.0077 | 0.77", "0.0063 | 0.63"))]  # fmt: skip
    assert _suspected(read(table("Numbers.", "Name | ATT | % Effect", rows))) == []


def test_parts_in_percent_are_no_parts_in_numbers() -> None:
    """Of ten rows with counts two do not add up, and both are found; rows that give shares say nothing."""
    rows = [f"row{place} | {a + b + c} | {a} | {b} | {c}" for place, (a, b, c) in enumerate(
        ((246, 20, 40), (392, 30, 61), (169, 25, 27), (802, 34, 68), (545, 35, 70), (58, 24, 21), (11, 5, 4),
         (121, 18, 34)))]  # fmt: skip
    shares = [f"part{place} | 1{place}00 | 70\\% | 10\\% | 20\\%" for place in range(4)]
    wrong = ["one | 356 | 211 | 57 | 118", "two | 572 | 481 | 31 | 65"]
    paper = read(table("Sizes.", "Name | Total | Train | Val | Test", rows + shares + wrong))
    assert sorted(min(one) for one in _suspected(paper)) == ["118", "31"]


def test_rates_that_go_by_halves() -> None:
    """Eleven rates are halves of a point, and one is a quarter: that is the decimal system, no number of items."""
    rates = ("8.00", "7.50", "7.00", "6.50", "9.50", "10.50", "12.50", "13.00", "11.50", "15.50", "5.50", "8.25")
    rows = [f"row{place} | {rate}" for place, rate in enumerate(rates)]
    assert _suspected(read(table("Numbers.", "Name | Rate (%)", rows)), "granularity") == []


def test_tables_of_two_settings_are_not_compared() -> None:
    """What does not change with the limit is the same under both; what does is no error."""
    names = ("Elm", "Oak", "Ash", "Yew", "Fir", "Box", "Asp")
    first = [f"{name} | {value}" for name, value in zip(names, (1.41, 3.22, 0.87, 5.63, 2.35, 8.1, 9.3), strict=True)]
    second = [*first[:-1], "Asp | 9.1"]
    paper = read(
        table("", "Tree | Limit 5 s", first, "tab:a"), table("", "Tree | Limit 10 s", second, "tab:b")
    )  # fmt: skip
    assert _suspected(paper, "same in two tables") == []


def test_tables_of_one_shape_that_print_different_things() -> None:
    """Same rows and columns, and half of the cells agree: two quantities that are alike, not one with errors."""
    names = ("Elm", "Oak", "Ash", "Yew", "Fir", "Box")
    first = [f"{name} | 0.12{place} | 0.31{place}" for place, name in enumerate(names)]
    second = [f"{name} | 0.12{place + (place > 3)} | 0.31{place + place % 2}" for place, name in enumerate(names)]
    paper = read(table("", "Tree | Left | Right", first, "tab:a"), table("", "Tree | Left | Right", second, "tab:b"))
    assert _suspected(paper, "same in two tables") == []


def test_columns_of_the_same_name_are_paired_first() -> None:
    """Two rows that are alike but for one number: each is its namesake's, and not the other's."""
    heads = ("Dry", "Wet")
    rows = [
        "height | 31.25 | 31.25",
        "girth | 12.64 | 12.64",
        "age | 81.3 | 81.3",
        "yield | 0 | 50",
        "leaf | 4.2 | 4.2",
    ]
    paper = read(*(table("", f"What | {' | '.join(heads)}", rows, label) for label in ("tab:a", "tab:b")))
    assert _suspected(paper, "same in two tables") == []


def test_tiny_numbers_are_no_nearer_to_each_other() -> None:
    """Errors of a solver, far below one, have nothing to do with its limits."""
    sizes = zip(
        ("4.1", "5.6", "4.0", "4.4", "1.3", "7.7"), (14, 13, 16, 12, 15, 14), (10, 1000, 60, 25, 81, 300), strict=True
    )
    rows = [
        f"row{place} | ${digits} \\times 10^{{-{power}}}$ | $10^{{-{power - 2}}}$ | {count}"
        for place, (digits, power, count) in enumerate(sizes)
    ]
    paper = read(table("Errors.", "Name | Achieved | Limit | Tests", rows))
    assert _suspected(paper) == []


def test_what_is_found_can_be_recorded() -> None:
    """Every claim has plain values, as a record of the audit takes them."""
    rates = [f"row{place} | {count / 37:.3f} | {place + 1}" for place, count in enumerate((33, 29, 25, 20, 14, 11, 3))]
    for one in decided(read(table("Numbers.", "Name | Rate | Rank", rates))):
        assert claim_record(one).telling in (True, False)


_TREES = ("Elm", "Oak", "Ash", "Yew", "Fir", "Box", "Bay", "Fig")
_COUNTS = ((46, 270), (21, 264), (18, 251), (45, 280), (34, 301), (60, 290), (27, 233), (39, 275))


def _shaped(kind: str) -> tuple[str, list[str], str, str]:
    """A header, true rows, one of their numbers, and another one that is wrong in its place."""
    values = [61.23, 64.91, 63.37, 70.08, 72.66, 71.15, 78.42, 80.05]
    steps = ["--", *(f"{after - before:+.2f}" for before, after in pairwise(values))]
    parts = [137, 912, 45, 388, 264, 71, 530, 198]
    shapes = {
        "the row above": (
            "Tree | Height | Δ", [f"{a:.2f} | {b}" for a, b in zip(values, steps, strict=True)], "+6.71", "+6.11",
        ),
        "the whole": (
            "Tree | Leaves | Share", [f"{part} | {100 * part / sum(parts):.2f}%" for part in parts], "10.37", "10.87",
        ),
        "counts in a cell": ("Tree | Alive", [f"{100 * k / n:.1f}% ({k}/{n})" for k, n in _COUNTS], "11.3", "11.8"),
        "the parts": (
            "Tree | TP | FP | Prec", [f"{k} | {n} | {k / (k + n):.3f}" for k, n in _COUNTS], "0.101", "0.107",
        ),
    }  # fmt: skip
    header, rows, right, wrong = shapes[kind]
    return header, [f"{name} | {row}" for name, row in zip(_TREES, rows, strict=True)], right, wrong


@pytest.mark.parametrize(
    "kind",
    ["the row above", "the whole", "counts in a cell", "the parts"],
)
def test_what_a_column_is_computed_from_is_found_by_its_shape(kind: str) -> None:
    """Steps from row to row, shares of a sum, counts: eight rows, then one that is wrong."""
    header, rows, right, wrong = _shaped(kind)
    assert sum(right in row for row in rows) == 1
    assert not [one for one in decided(read(table("Trees.", header, rows))) if one.status is not Status.HOLDS]
    paper = read(table("Trees.", header, [row.replace(right, wrong) for row in rows]))
    broken = [one for one in decided(paper) if one.status in (Status.SUSPICION, Status.CONTRADICTION)]
    assert wrong in {fact.text for one in broken for fact in one.cells}


def _marked(best: list[int], turned: bool = False) -> AuditedPaper:
    """Five columns of four numbers, of which the given one is bold, without a word about it."""
    chance = random.Random(11)
    columns = [[f"{chance.uniform(20, 90):.1f}" for _ in range(4)] for _ in range(5)]
    for column, place in zip(columns, best, strict=True):
        order = sorted(range(4), key=lambda row: -float(column[row]))
        column[order[place]] = rf"\textbf{{{column[order[place]]}}}"
    lines = list(columns) if turned else list(zip(*columns, strict=True))
    header = " | ".join(["Tree", *(f"c{number}" for number in range(len(lines[0])))])
    return read(table("Trees.", header, [f"row{place} | {' | '.join(line)}" for place, line in enumerate(lines)]))


@pytest.mark.parametrize("turned", [False, True])
def test_marks_that_nobody_explains(turned: bool) -> None:
    """The greatest is bold in every column, or row: the one in which it is not is suspected."""
    assert _suspected(_marked([0] * 5, turned), "marks") == []
    assert len(_suspected(_marked([0, 0, 2, 0, 0], turned), "marks")) == 1
    assert _suspected(_marked([0, 1, 2, 0, 1], turned), "marks") == []


def test_a_row_that_is_emphasized_marks_nothing() -> None:
    """All of a row is bold, best or not."""
    rows = [f"row{place} | {place + 5}.1 | {place + 2}.4 | {9 - place}.7" for place in range(4)]
    rows.append("ours | " + " | ".join(rf"\textbf{{{text}}}" for text in ("9.3", "8.8", "6.1")))
    assert _suspected(read(table("Trees.", "Tree | a | b | c", rows)), "marks") == []
    more = [f"row{place} | " + " | ".join(f"{place + step}.1" for step in range(6)) + " | 9.9" for place in range(4)]
    more.append(
        "ours | " + " | ".join([rf"\textbf{{{text}}}" for text in ("9.3", "8.8", "7.1", "8.1", "9.5", "5.5")] + ["2.2"])
    )
    assert _suspected(read(table("Trees.", "Tree | a | b | c | d | e | f | g", more)), "marks") == []


def test_tables_that_differ_in_several_places_print_different_things() -> None:
    """Eight trees agree in two columns but for two of them: another year, not two errors."""
    rows = [f"{name} | {k}.5 | {n}.25" for name, (k, n) in zip(_TREES, _COUNTS, strict=True)]
    one = [row.replace("46.5", "48.5") for row in rows]
    several = [row.replace("46.5", "48.5").replace("264.25", "271.25").replace("280.25", "282.25") for row in rows]
    for others, expected in ((rows, 0), (one, 1), (several, 0)):
        paper = read(table("", "Tree | Girth | Age", rows, "tab:a"), table("", "Tree | Girth | Age", others, "tab:b"))
        assert len(_suspected(paper, "same in two tables")) == expected


def test_a_row_that_holds_of_sizes_is_no_error() -> None:
    """A margin over the size of a correlation: one correlation is negative."""
    rows = ["Elm | 0.512 | 0.733 | -0.221", "Oak | 0.348 | 0.590 | -0.242", "Ash | -0.177 | 0.121 | 0.056",
            "Yew | 0.209 | 0.466 | -0.257", "Fir | 0.391 | 0.408 | -0.017"]  # fmt: skip
    assert _suspected(read(table("Trees.", "Tree | r | Other | Margin", rows))) == []
    assert (
        len(_suspected(read(table("Trees.", "Tree | r | Other | Margin", [*rows, "Box | 0.410 | 0.300 | 0.170"])))) == 1
    )


def test_a_gain_of_two_columns_is_held_to_them() -> None:
    """One other digit, the number of the row above, or any other value is wrong where four rows confirm the header."""
    rows = [
        "Elm | 61.2 | 48.9 | 12.3",
        "Oak | 74.5 | 40.1 | 34.4",
        "Ash | 55.8 | 49.1 | 6.7",
        "Yew | 80.3 | 61.6 | 18.7",
    ]
    for printed, found in (("21.5", 0), ("27.5", 1), ("18.7", 1), ("46.8", 1)):
        paper = read(table("Trees.", "Tree | After | Before | Gain", [*rows, f"Fir | 69.9 | 48.4 | {printed}"]))
        assert len(_suspected(paper)) == found


@pytest.mark.parametrize(("mean", "found"), [("97.1", 0), ("98.3", 1)])
def test_a_measured_number_that_tells_two_rows_of_one_name_apart_is_no_name(mean: str, found: int) -> None:
    """Rows without a name are called by their first number, of which the average is, too."""
    rows = [
        " | Old | 96.9 | 96.4 | 98.7 | 97.3",
        "Oak | New | 97.9 | 96.7 | 97.1 | 97.2",
        " | | 97.4 | 96.5 | 97.8 | 97.2",
    ]
    rows += [f" | Old | 96.3 | 97.3 | 97.7 | {mean}", "Elm | New | 97.1 | 95.3 | 98.3 | 96.9"]
    paper = read(table("Hits.", "Tree | Age | North | East | South | Average", rows))
    assert (len(paper.sheets[0].numeric_columns()), len(_suspected(paper))) == (4, found)


def test_long_identifiers_leave_other_numbers_as_they_are() -> None:
    """Nineteen digits in one row of a table of stars: those of the other rows are no nearer to each other by that."""
    chance = random.Random(9)
    rows = [
        f"{chance.randint(10**6, 10**7)} | {chance.randint(10**18, 3 * 10**18)} | {chance.randint(4000, 6500)} | "
        f"{chance.uniform(5, 40):.2f} | {chance.randint(300, 4000)} | {chance.randint(0, 900)}"
        for _ in range(5)
    ]
    assert _suspected(read(table("Stars.", "Name | Source | Heat | Period | Age | Flags", rows))) == []


@pytest.mark.parametrize(("header", "found"), [("Accuracy", 1), ("Mean acc.", 0)])
def test_a_mean_of_rates_is_not_the_rate_of_all(header: str, found: int) -> None:
    """Beside its count a rate is off in one row of nine; called a mean, it may be of several rates."""
    rows = [f"{name} | {k}/{n} | {100 * k / n:.2f}" for name, (k, n) in zip(_TREES, _COUNTS, strict=True)]
    paper = read(table("Trees.", f"Tree | Alive | {header}", [*rows, "Box | 72/111 | 64.91"]))
    assert len([one for one in decided(paper) if one.status is not Status.HOLDS]) == found


def test_a_share_of_all_also_counts_those_that_are_not_listed() -> None:
    """Two parts of a table: in the second some did not answer, and its shares are of all 257."""
    first, second = (104, 63, 41, 29, 20), (57, 69, 101, 11, 12)
    rows = [
        *(f"Age / {name} | {part} ({100 * part / 257:.1f}%)" for name, part in zip(_TREES, first, strict=False)),
        "---",
        *(f"Size / {name} | {part} ({100 * part / 257:.1f}%)" for name, part in zip(_TREES, second, strict=False)),
    ]
    assert _suspected(read(table("Trees.", "Kind | Trees", rows))) == []


def test_a_number_beyond_doubles_is_left_alone() -> None:
    """It ended the program; nothing is looked for among such numbers."""
    rows = ["a | 12 | 12", "b | 15 | 14", r"c | 18 | $8.58 \times 10^{506}$", "d | 21 | 20"]
    assert _suspected(read(table("Found.", "Case | AuditedPaper | Artifact", rows))) == []


@pytest.mark.parametrize(
    ("row", "found"),
    [("% alive | 22.76 | 22.46 | 22.61", 0), ("kinds | 12 | 9 | 15", 1), ("categories | 12 | 9 | 15", 0)],
)
def test_what_groups_do_not_add_up(row: str, found: int) -> None:
    """Counts of two groups make up the total; a share of all lies between theirs, and kinds may be the same ones."""
    counts = ((104, 263), (57, 869), (411, 120), (96, 75), (310, 222), (18, 90))
    rows = [f"{name} | {a} | {b} | {a + b}" for name, (a, b) in zip(_TREES, counts, strict=False)]
    assert len(_suspected(read(table("Trees.", "Kind | North | South | Total", [*rows, row])))) == found


def test_rows_of_unlike_units_have_no_mean() -> None:
    """A score is about a third of some minutes and two shares in every column but one."""
    rows = ["Share asleep | 0.05 | 0.00 | 0.01 | 0.03 | 0.06 | 0.33", "Time (minutes) | 28 | 20 | 26 | 29 | 31 | 37",
            "Share treated | 0.300 | 0.130 | 0.252 | 0.289 | 0.345 | 0.537",
            "Score (mean) | 9.4 | 6.7 | 8.8 | 9.8 | 10.2 | 12.6"]  # fmt: skip
    assert _suspected(read(table("Teams.", "What | mean | min | 25% | 50% | 75% | max", rows))) == []


def test_two_marks_of_one_number_are_one_finding() -> None:
    """Four columns have their greatest in bold; in the last two rows share it, and a third one is better."""
    rows = [r"Elm | \textbf{9.1} | 4.2 | 3.3 | \textbf{8.4} | \textbf{14.1}",
            r"Oak | 5.5 | \textbf{7.9} | 6.0 | 2.7 | \textbf{14.1}",
            "Ash | 3.8 | 6.4 | 7.2 | 7.7 | 14.3", r"Yew | 8.6 | 1.5 | \textbf{9.8} | 4.9 | 11.0"]  # fmt: skip
    assert len(_suspected(read(table("Trees.", "Tree | a | b | c | d | e", rows)), "marks")) == 1


@pytest.mark.parametrize(("share", "found"), [("11.7", 0), ("10.0", 1)])
def test_shares_make_up_the_hundred_of_their_total(share: str, found: int) -> None:
    """The counts are all listed, as their total shows; the shares are or are not."""
    rows = ["Elm | 158.6 | 38.1%", "Oak | 106.1 | 25.5%", "Ash | 102.8 | 24.7%", f"Yew | 48.8 | {share}%"]
    paper = read(table("Trees.", "Kind | Weight | Share", [*rows, "---", "Total | 416.3 | 100%"]))
    assert len(_suspected(paper, "parts and whole")) == found


def test_numbers_that_are_bold_for_something_else_than_being_best_of_their_row() -> None:
    """Bold where small enough, twice in one row: no row tells its best by it."""
    rows = [rf"row{place} | \textbf{{0.00{place}1}} | 0.{place}11 | 4.{place} | 6.9" for place in range(1, 5)]
    assert _suspected(read(table("Tests.", "Tree | p | q | z | u", rows)), "marks") == []
    rows.append(r"Fir | \textbf{0.011} | \textbf{0.003} | -0.3 | 6.9")
    assert _suspected(read(table("Tests.", "Tree | p | q | z | u", rows)), "marks") == []
    few = [f"row{place} | {place}.1 | 2.{place} | 9.{place} | 5.5" for place in range(8)]
    few += [rf"x{place} | 1.{place} | \textbf{{7.{place}}} | 3.1 | 5.5" for place in range(4)]
    few += [r"y | 1.9 | \textbf{7.2} | 9.1 | 5.5"]
    assert _suspected(read(table("Tests.", "Tree | a | b | c | d", few)), "marks") == []


def test_the_average_of_one_measure_of_two() -> None:
    """Rows of two measures take turns, and the row Average has both."""
    values = [("0.50", "0.23"), ("0.42", "0.24"), ("0.47", "0.28"), ("0.58", "0.22")]
    rows = [
        line for number, (a, b) in enumerate(values) for line in (f"t{number} | score | {a}", f" | rho | {b}", "---")
    ]
    for score, is_right in (("0.49", True), ("0.46", False)):
        given = table("Trees.", "Tree | Measure | Model", [*rows, f"Average | score | {score}", " | rho | 0.24"])
        assert all(one.status is Status.HOLDS for one in decided(read(given))) is is_right
