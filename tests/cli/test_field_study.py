"""An author with field measurements: headings in two levels, a standard deviation, and tests of two groups."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from statistics import mean, stdev

from scipy.stats import ttest_ind

from cli.runner import sealtrace

SITES, TREATMENTS, PLOTS = ("heath", "meadow", "fen"), ("grazed", "fenced"), (1, 2, 3, 4)
RECIPES = {
    "defaults": {"of": "species", "where": {"file_name_part_1": "{Site}", "file_name_part_2": "fenced"}},
    "tab:tests": {
        "Difference": {"metric": "mean", "minus": {"file_name_part_2": "grazed"}},
        "t": {"metric": "t_test", "give": "statistic", "versus": {"file_name_part_2": "grazed"}},
        "p": {"metric": "t_test", "versus": {"file_name_part_2": "grazed"}},
    },
}


def written(directory: Path) -> Path:
    """24 files, and a paper with two tables that follow from them."""
    chance = random.Random(11)
    counts: dict[tuple[str, str], list[int]] = {}
    (directory / "results").mkdir()
    for site, treatment, plot in product(SITES, TREATMENTS, PLOTS):
        usual = 12 + 4 * SITES.index(site) + 3 * TREATMENTS.index(treatment)
        found = [max(1, round(chance.gauss(usual, 3))) for _ in range(12)]
        counts.setdefault((site, treatment), []).extend(found)
        lines = [f"{quadrat},{species}" for quadrat, species in enumerate(found, 1)]
        (directory / "results" / f"{site}_{treatment}_plot{plot}.csv").write_text(
            "\n".join(["quadrat,species", *lines, ""])
        )
    rows, tests = [], []
    for site in SITES:
        grazed, fenced = (counts[site, treatment] for treatment in TREATMENTS)
        figures = [f"{each(found):.2f}" for found in (grazed, fenced) for each in (mean, stdev)]
        rows.append(" & ".join([site.capitalize(), *figures]))
        test = ttest_ind(fenced, grazed, equal_var=False)
        tests.append(
            f"{site.capitalize()} & {mean(fenced) - mean(grazed):.2f} & {test.statistic:.2f} & {test.pvalue:.2g}"
        )
    paper = directory / "paper.tex"
    paper.write_text(
        "\\documentclass{article}\\title{Fencing and \\emph{plant} richness}\\begin{document}\n"
        "\\begin{table}\\caption{Species per quadrat.}\\label{tab:richness}\n\\begin{tabular}{lrrrr}\n"
        "& \\multicolumn{2}{c}{Grazed} & \\multicolumn{2}{c}{Fenced}\\\\\n"
        "Site & Species & SD & Species & SD\\\\\\hline\n" + "\\\\\n".join(rows) + "\\\\\n\\end{tabular}\\end{table}\n"
        "\\begin{table}\\caption{Species, fenced minus grazed, with Welch's t-test.}\\label{tab:tests}\n"
        "\\begin{tabular}{lrrr}\nSite & Difference & t & p\\\\\\hline\n"
        + "\\\\\n".join(tests)
        + "\\\\\n\\end{tabular}\\end{table}\n\\end{document}\n"
    )
    return paper


def test_field_measurements_are_sealed_in_five_commands(tmp_path: Path) -> None:
    """What `check` explains verifies as a draft; three recipes give the rest, and the title is the paper's."""
    paper, study, recipes = written(tmp_path), tmp_path / "study", tmp_path / "recipes.json"
    checked = sealtrace("check", paper, tmp_path / "results", "--save", study)
    assert "Fencing and plant richness\n" in checked.output, "the title ends where it ends"
    assert json.loads((study / "declare/protocol.json").read_text())["title"] == "Fencing and plant richness"
    names = json.loads((study / "declare/names.json").read_text())["printed"]
    assert names["file_name_part_2"] == {"Grazed": "grazed", "Fenced": "fenced"}, "not `Grazed / SD`"
    draft = json.loads(sealtrace("verify", study, "--draft", "--format", "json").output)["coverage"]["words"]
    assert (draft["follows"], draft["differs"]) == (12, 0)
    recipes.write_text(json.dumps(RECIPES))
    assert sealtrace("extract", paper, "-o", study / "report", "--recipes", recipes, "--update").code == 0
    assert sealtrace("seal", study).code == 0
    verified = sealtrace("verify", study, "--reported", paper)
    assert (verified.code, "21 follow" in verified.output) == (0, True), verified.output
    assert "versus the rows where file_name_part_2 is grazed" in " ".join(verified.output.split())
    wrong = tmp_path / "wrong.tex"
    wrong.write_text(paper.read_text().replace("Heath & 1", "Heath & 7", 1))
    assert sealtrace("verify", study, "--reported", wrong).code == 1


def test_a_refused_recipe_is_the_first_thing_that_try_says(tmp_path: Path) -> None:
    """Every number agrees, and `seal` would refuse all the same: the first line says so."""
    paper, study, recipes = written(tmp_path), tmp_path / "study", tmp_path / "recipes.json"
    sealtrace("check", paper, tmp_path / "results", "--save", study)
    recipes.write_text(json.dumps({"tab:richness": {"Grazed / Species": {"metric": "maximum", "of": "species"}}}))
    run = sealtrace("try", study, "--recipes", recipes)
    assert (run.code, run.output.startswith("REFUSED: ")) == (1, True), run.output
    assert "with one of its words (maximum, max, max., best, …)" in run.errors
