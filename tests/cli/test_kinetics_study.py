"""An author with rate constants: a summary of fits beside the runs, ratios to a control, counts of their total."""

from __future__ import annotations

import csv
import json
import math
import random
import shutil
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from cli.runner import sealtrace

CATALYSTS = {"none": "No catalyst", "pd_c": "Pd/C", "pt_c": "Pt/C", "ru": "Ru on alumina", "pd_ceria": "Pd on ceria"}
FITTED = {"none": "blank", "pd_c": "fit of pd", "pt_c": "fit of pt", "ru": "fit of ru", "pd_ceria": "fit of ceria"}
TEMPERATURES = (298, 308, 318)
REPLICATES = (1, 2, 3, 4)
WHERE = {"catalyst": "{Catalyst}"}
RECIPES = {
    "tab:rates": {
        f"{t} K": {"metric": "mean", "of": "k_obs", "over": "replicate", "show": "mean±sd",
                   "where": WHERE | {"temperature": str(t)}}
        for t in TEMPERATURES
    },
    "tab:fits": {
        "Energy (kJ/mol)": {"sql": "SELECT energy FROM fits WHERE name = '{Catalyst}'"},
        "R^2": {"sql": "SELECT r2 FROM fits WHERE \"name\" = '{Catalyst}'"},
        "Acceleration": {"metric": "mean", "of": "k_obs", "where": WHERE, "relative_to": {"catalyst": "none"},
                         "group": "temperature"},
        "Conversion at 318 K (%)": {"metric": "mean", "of": "conversion", "where": WHERE | {"temperature": "318"}},
        "Side product": {"metric": "rate", "of": "side", "is": "yes", "where": WHERE, "show": "k/n"},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 runs, five fits, and a paper of two tables."""
    directory, chance = tmp_path_factory.mktemp("kinetics"), random.Random(11)
    rows = [
        {"catalyst": one, "temperature": t, "replicate": n,
         "k_obs": round((3 + 2 * at) * math.exp(chance.gauss((5 - at / 2) * (t - 298) / 60, 0.05)), 4),
         "side": "yes" if chance.random() < 0.3 else "no"}
        for (at, one), t, n in product(enumerate(CATALYSTS), TEMPERATURES, REPLICATES)
    ]  # fmt: skip
    for row in rows:
        row["conversion"] = round(100 * (1 - math.exp(-float(str(row["k_obs"])) / 8)), 2)
    fits = {FITTED[one]: {"energy": round(70 - 5.13 * at, 3), "r2": round(0.991 + 0.00137 * at, 5)}
            for at, one in enumerate(CATALYSTS)}  # fmt: skip
    (directory / "results").mkdir()
    with (directory / "results/rates.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    lines = [json.dumps({"name": name, **fit}) for name, fit in fits.items()]
    (directory / "results/fits.jsonl").write_text("\n".join(lines))

    def rates(one: str, t: int, name: str = "k_obs") -> list[float]:
        return [float(str(row[name])) for row in rows if (row["catalyst"], row["temperature"]) == (one, t)]

    first, second = [], []
    for one, label in CATALYSTS.items():
        cells = [f"{mean(rates(one, t)):.2f} $\\pm$ {stdev(rates(one, t)):.2f}" for t in TEMPERATURES]
        ratio = mean(mean(rates(one, t)) / mean(rates("none", t)) for t in TEMPERATURES)
        sides = sum(row["side"] == "yes" for row in rows if row["catalyst"] == one)
        fit, done = fits[FITTED[one]], mean(rates(one, 318, "conversion"))
        first.append(" & ".join([label, *cells]))
        times = "--" if one == "none" else f"{ratio:.2f}$\\times$"
        second.append(f"{label} & {fit['energy']:.1f} & {fit['r2']:.3f} & {times} & {done:.1f} & {sides}/12")
    (directory / "paper.tex").write_text(
        "\\documentclass{article}\\title{Supported metals as catalysts}\\begin{document}\n"
        "The cutoff was set to 0.125 throughout, and 0.375 was reached.\n"
        "\\begin{table}\\caption{Rate constants at three temperatures, mean and standard deviation.}\n"
        "\\label{tab:rates}\\begin{tabular}{lccc}\nCatalyst & 298 K & 308 K & 318 K\\\\\\hline\n"
        + "\\\\\n".join(first)
        + "\\\\\n\\end{tabular}\\end{table}\n"
        "\\begin{table}\\caption{Fits, acceleration as the mean ratio over the three temperatures, mean conversion "
        "and runs with a side product.}\n"
        "\\label{tab:fits}\\begin{tabular}{lccccc}\n"
        "Catalyst & Energy (kJ/mol) & $R^2$ & Acceleration & Conversion at 318 K (\\%) & Side product\\\\\\hline\n"
        + "\\\\\n".join(second)
        + "\\\\\n\\end{tabular}\\end{table}\n\\end{document}\n"
    )
    study = directory / "study"
    run = sealtrace("check", directory / "paper.tex", directory / "results", "--save", study, "--no-audit")
    # `298 K` is that temperature, and no mean over temperatures, though the caption speaks of one.
    assert (run.code, "results.numbers: " in run.output) == (3, False), run.output
    named = {label: value for value, label in CATALYSTS.items()}
    fitted = {label: FITTED[value] for value, label in CATALYSTS.items()}
    printed = {"catalyst": named, "name": fitted, "temperature": {f"{t} K": str(t) for t in TEMPERATURES}}
    constants = {"cutoff": "0.125", "nobody's": "0.375"}
    (study / "declare/names.json").write_text(json.dumps({"printed": printed, "constants": constants}))
    return directory


def draft(study: Path) -> dict[str, dict[str, Any]]:
    """What `verify --draft` says of each number."""
    numbers = json.loads(sealtrace("verify", study, "--draft", "--format", "json").output)["numbers"]
    return {number["id"]: number for number in numbers}


def test_every_cell_is_sealed_and_verified(written: Path) -> None:
    """A name of values of two fields is that of the field it is compared with, and R² may be a field's own number.

    The control has a dash where ratios to it are taken, and so many runs of all are a share of them.
    """
    study, recipes = written / "study", written / "recipes.json"
    recipes.write_text(json.dumps(RECIPES))
    filled = sealtrace("extract", written / "paper.tex", "-o", study / "report", "--recipes", recipes, "--update")
    assert filled.code == 0, filled.errors
    tables = [one for place, one in draft(study).items() if place.startswith("tab:")]
    assert {one["word"] for one in tables} == {"follows"}, [one for one in tables if one["word"] != "follows"]
    assert len(tables) == 39


@pytest.mark.parametrize("recipe", [
    {"metric": "mean", "of": "r2", "where": {"name": "{Catalyst}"}},
    {"sql": "SELECT avg(r2) FROM fits WHERE name = '{Catalyst}'"},
], ids=["metric", "query"])  # fmt: skip
def test_the_mean_of_a_field_called_by_its_statistic_is_that_statistic(
    written: Path, tmp_path: Path, recipe: dict[str, Any]
) -> None:
    """R² as a summary has it, and no other field under that heading."""
    study = shutil.copytree(written / "study", tmp_path / "study")
    for field, said in (("r2", ""), ("energy", "the heading says r2")):
        own = json.loads(json.dumps(recipe).replace("r2", field))
        (tmp_path / "own.json").write_text(json.dumps({"tab:fits": {"Pd/C": {"R^2": own}}}))
        assert sealtrace("extract", written / "paper.tex", "-o", study / "report", "--recipes", tmp_path / "own.json",
                         "--update").code == 0  # fmt: skip
        assert said in sealtrace("try", study).errors
        number = draft(study)["tab:fits[Pd/C, R^2]"]
        assert (number["word"], number["status"]) == (("differs", "mismatch") if said else ("follows", "exact"))


def test_a_declared_constant_is_a_name_where_the_sentence_calls_it_so(written: Path) -> None:
    """Another number that only happens to be declared is none: it could be any result."""
    path = written / "study/report/table.text.json"
    table = json.loads(path.read_text())
    assert [row["cells"] for row in table["rows"]] == [["0.125"], ["0.375"]]
    for row in table["rows"]:
        row["recipes"] = {"Printed": {"classification": "name"}}
    path.write_text(json.dumps(table))
    run = sealtrace("verify", written / "study", "--draft", "--format", "json").output
    assert [one["printed"] for one in json.loads(run)["numbers"] if one["table"] == "text"] == ["0.375"]
