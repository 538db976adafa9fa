"""An author with one file of a survey: rows of a table that are fields, tests of two arms, and shares in a sentence."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from statistics import correlation, mean, stdev

import pytest
from scipy.stats import ttest_ind

from cli.runner import sealtrace

FIELDS, REGIONS = ("income", "employed", "schooling", "satisfaction"), ("north", "coast", "hills", "delta")
RECIPES = {
    "defaults": {"where": {"region": "{Region}"}},
    "tab:outcomes": {
        "defaults": {"of": "{Outcome}", "where": {"arm": "cash"}},
        "Difference": {"metric": "mean", "minus": {"arm": "control"}},
        "t": {"metric": "t_test", "versus": {"arm": "control"}, "give": "statistic"},
        "p": {"metric": "t_test", "versus": {"arm": "control"}},
    },
    "text": {
        "s1.n1": {"Printed": {"metric": "count"}},
        "s1.n2": {"Printed": {"metric": "count", "where": {"arm": "cash"}}},  # which has no column Region
        "s2.n1": {
            "Printed": {
                "metric": "mean", "of": "employed", "where": {"arm": "cash"}, "minus": {"arm": "control"},
                "percent": True,
            }
        },
        "s3.n1": {"Printed": {"metric": "pearson", "of": "income", "against": "schooling"}},
    },
}  # fmt: skip
PAPER = r"""\documentclass{article}\title{Cash and work: a household survey}\begin{document}\maketitle
We surveyed %s households, of which %d received cash.
Employment is %.1f percentage points higher with cash than in the control group.
Years of schooling and income correlate with $r = %.2f$.
\begin{table}\caption{Outcomes by arm, with Welch's $t$-test.}\label{tab:outcomes}
\begin{tabular}{lrrrrr}Outcome & Control & Cash & Difference & $t$ & $p$\\\hline
%s\\
\end{tabular}\end{table}
\begin{table}\label{tab:regions}
\caption{Regions: households, share employed (\%%) by arm, and mean income with its standard deviation in brackets.}
\begin{tabular}{lrrrr} & & \multicolumn{2}{c}{Employed (\%%)} & \\ Region & $n$ & Control & Cash & Income (SD)\\\hline
%s\\
\end{tabular}\end{table}
\end{document}
"""


def written(directory: Path) -> Path:
    """One CSV file with a row for each household, and a paper that follows from it."""
    chance, rows = random.Random(5), list[dict[str, object]]()
    for place in range(640):
        region, cash = chance.choice(REGIONS), place % 2
        schooling = max(0, round(chance.gauss(8 + REGIONS.index(region), 3)))
        rows.append({
            "household": f"h{place + 1:04}", "region": region, "arm": ("control", "cash")[cash],
            "income": round(max(40.0, chance.gauss(300 + 22 * schooling + 45 * cash, 120)), 1),
            "employed": int(chance.random() < 0.52 + 0.09 * cash + 0.01 * schooling), "schooling": schooling,
            "satisfaction": min(5, max(1, round(chance.gauss(3 + 0.25 * cash, 1)))),
        })  # fmt: skip
    (directory / "data").mkdir()
    with (directory / "data/survey.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)

    def values(field: str, **where: str) -> list[float]:
        return [float(str(row[field])) for row in rows if all(row[name] == value for name, value in where.items())]

    outcomes, regions = [], []
    for field in FIELDS:
        control, cash_ = values(field, arm="control"), values(field, arm="cash")
        test = ttest_ind(cash_, control, equal_var=False)
        figures = f"{mean(control):.2f} & {mean(cash_):.2f} & {mean(cash_) - mean(control):.2f}"
        outcomes.append(f"{field.capitalize()} & {figures} & {test.statistic:.2f} & {test.pvalue:.3f}")
    for region in REGIONS:
        income = values("income", region=region)
        shares = [100 * mean(values("employed", region=region, arm=arm)) for arm in ("control", "cash")]
        shown = " & ".join(f"{share:.1f}" for share in shares)
        regions.append(f"{region.capitalize()} & {len(income)} & {shown} & {mean(income):.1f} ({stdev(income):.1f})")
    more = 100 * (mean(values("employed", arm="cash")) - mean(values("employed", arm="control")))
    assert more > 0
    r = correlation(values("schooling"), values("income"))
    sizes = f"{len(rows):,}", len(values("income", arm="cash"))
    paper = directory / "paper.tex"
    paper.write_text(PAPER % (*sizes, more, r, "\\\\\n".join(outcomes), "\\\\\n".join(regions)))
    return paper


def test_a_survey_is_sealed_in_five_commands(tmp_path: Path) -> None:
    """Rows that print `Income` take the field of that name; the caption that was missing is followed by an update."""
    paper, study, recipes = written(tmp_path), tmp_path / "study", tmp_path / "recipes.json"
    sealtrace("check", paper, tmp_path / "data", "--save", study)
    regions = json.loads((study / "report/table.regions.json").read_text())
    assert regions["columns"][1]["recipe"] == {"sql": "SELECT count(*) FROM survey WHERE region = '{Region}'"}
    recipes.write_text(json.dumps(RECIPES))
    update = ("extract", paper, "-o", study / "report", "--recipes", recipes, "--update")
    assert sealtrace(*update).code == 0
    tried = sealtrace("try", study)
    assert tried.code == 1
    assert "it takes arm cash and control, and no row, heading or declared name of the caption says so" in tried.errors
    paper.write_text(paper.read_text().replace("by arm, with", "by arm, the difference of Cash and Control, with"))
    assert sealtrace(*update).code == 0
    assert sealtrace("seal", study).code == 0, sealtrace("try", study).errors
    verified = sealtrace("verify", study, "--reported", paper)
    assert (verified.code, "40: 40 follow" in verified.output) == (0, True), verified.output
    text = paper.read_text()
    for before, after in (("Income & ", "Income & 1"), (" received", "1 received"), ("North & ", "North & 1")):
        changed = tmp_path / "changed.tex"
        changed.write_text(text.replace(before, after, 1))
        assert sealtrace("verify", study, "--reported", changed).code == 1, before


@pytest.mark.parametrize("told", ["lower with cash", "what it is with cash"])
def test_a_sentence_must_say_that_it_is_a_difference(tmp_path: Path, told: str) -> None:
    """Points of a percentage and comparatives say it; nothing else does."""
    paper, study, recipes = written(tmp_path), tmp_path / "study", tmp_path / "recipes.json"
    text = paper.read_text().replace(" percentage points higher with cash than in", rf" \% {told} than in", 1)
    paper.write_text(text if told.startswith("lower") else text.replace(" than in", ", not", 1))
    sealtrace("check", paper, tmp_path / "data", "--save", study)
    recipes.write_text(json.dumps({"text": RECIPES["text"]}))
    assert sealtrace("extract", paper, "-o", study / "report", "--recipes", recipes, "--update").code == 0
    said = sealtrace("try", study).errors
    assert ("it is a difference, and the sentence does not say so" in said) == (not told.startswith("lower")), said
