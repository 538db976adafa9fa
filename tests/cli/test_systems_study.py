"""An author with a benchmark of stores: rows repeat what directories say, and the caption names the statistic."""

from __future__ import annotations

import csv
import json
import random
from itertools import product
from pathlib import Path
from statistics import geometric_mean, mean, median, stdev

from cli.runner import sealtrace

STORES = {"hash": "HashLog", "tree": "TreeLog", "tide": "Tidemark (ours)"}
LOADS, RUNS = ("scan", "write"), (1, 2, 3, 4)
RECIPES = {
    "tab:cost": {
        "Gain": {"metric": "mean", "of": "rate", "where": {"store": "{Store}"}, "minus": {"store": "hash"}},
        "Latency (ms)": {"sql": "SELECT median(latency) FROM results WHERE store = '{Store}'"},
        "Speed-up": {
            "metric": "mean", "of": "rate", "where": {"store": "{Store}"}, "relative_to": {"store": "hash"},
            "group": "load", "average": "geometric_mean",
        },
        "Relative gain (%)": {
            "metric": "mean", "of": "rate", "where": {"store": "{Store}"}, "minus": {"store": "hash"},
            "relative_to": {"store": "hash"}, "group": "load", "over": "run", "show": "mean±sd", "percent": True,
        },
    },
}  # fmt: skip


def written(directory: Path) -> Path:
    """24 files `load/store/run3.csv` whose rows say load, store and run once more, and a paper that follows."""
    chance = random.Random(3)
    rates: dict[tuple[str, str], list[float]] = {}  # of each run
    latencies: dict[str, list[int]] = {}
    for load, store, run in product(LOADS, STORES, RUNS):
        path = directory / "results" / load / store / f"run{run}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["request", "store", "load", "run", "rate", "latency"])
            base = 40 + 8 * [*STORES].index(store) + 10 * LOADS.index(load)
            found = [round(chance.gauss(base, 4), 2) for _ in range(20)]
            rates.setdefault((store, load), []).append(mean(found))
            for place, rate in enumerate(found):
                latency = chance.randint(100, 400) - 20 * [*STORES].index(store)
                latencies.setdefault(store, []).append(latency)
                table.writerow([place, store, load, run, rate, latency])
    shown = {
        (store, load): f"{mean(rates[store, load]):.1f} $\\pm$ {stdev(rates[store, load]):.1f}" for store, load in rates
    }
    whole = {store: mean(mean(rates[store, load]) for load in LOADS) for store in STORES}
    main = [" & ".join([label, *(shown[store, load] for load in LOADS)]) for store, label in STORES.items()]
    gains = {store: f"{rate - whole['hash']:.1f}" for store, rate in whole.items()} | {"hash": "--"}
    ratios = {store: [mean(rates[store, load]) / mean(rates["hash", load]) for load in LOADS] for store in STORES}
    faster = {
        store: [
            mean(100 * (rates[store, load][run] / rates["hash", load][run] - 1) for load in LOADS)
            for run in range(len(RUNS))
        ]
        for store in STORES
    }
    cost = [
        f"{label} & {gains[store]} & {median(latencies[store]):.1f} & {geometric_mean(ratios[store]):.3f}"
        f" & {mean(faster[store]):.1f} $\\pm$ {stdev(faster[store]):.1f}"
        for store, label in STORES.items()
    ]
    paper = directory / "paper.tex"
    paper.write_text(
        "\\documentclass{article}\\title{A store for cold data}\\begin{document}\n"
        f"Under scans, Tidemark hits the cache at a rate of {mean(rates['tide', 'scan']):.1f}\\%.\n"
        "\\begin{table}\\caption{Rate of hits (\\%), mean $\\pm$ standard deviation over four runs.}\\label{tab:rate}\n"
        "\\begin{tabular}{lrr}\nStore & Scan & Write\\\\\\hline\n"
        + "\\\\\n".join(main)
        + "\\\\\n\\end{tabular}\\end{table}\n"
        "\\begin{table}\\caption{Gain in the mean rate over HashLog, median latency of all requests,\n"
        "and the geometric mean of speed-ups of both loads.}\n\\label{tab:cost}\\begin{tabular}{lrrrr}\n"
        "Store & Gain & Latency (ms) & Speed-up & Relative gain (\\%)\\\\\\hline\n"
        + "\\\\\n".join(cost)
        + "\\\\\n\\end{tabular}\\end{table}\n\\end{document}\n"
    )
    return paper


def test_a_draft_says_once_what_rows_and_directories_say_twice(tmp_path: Path) -> None:
    """Fields of rows stand for those of file names, whole numbers of CSV files are in the key, and all of it seals."""
    paper, study, recipes = written(tmp_path), tmp_path / "study", tmp_path / "recipes.json"
    sealtrace("check", paper, tmp_path / "results", "--save", study)
    declared = json.loads((study / "declare/dataset.results.json").read_text())
    assert set(declared["key"]) == {"request", "store", "load", "run"}
    assert set(declared["row"]["properties"]) == {"request", "store", "load", "run", "rate", "latency"}
    names = json.loads((study / "declare/names.json").read_text())["printed"]
    assert names["store"] == {
        "HashLog": "hash", "TreeLog": "tree", "Tidemark (ours)": "tide", "Tidemark": "tide",
    }, "a sentence says Tidemark, and a table Tidemark (ours)"  # fmt: skip
    recipes.write_text(json.dumps(RECIPES))
    assert sealtrace("extract", paper, "-o", study / "report", "--recipes", recipes, "--update").code == 0
    tried = sealtrace("try", study)
    assert tried.code == 0, "a dash in the row of the baseline, and a median that the caption names" + tried.output
    assert sealtrace("seal", study).code == 0
    verified = sealtrace("verify", study, "--reported", paper)
    assert (verified.code, verified.output.startswith("VERIFIED  study")) == (0, True), verified.output


def test_a_sentence_that_was_reworded_keeps_its_recipe(tmp_path: Path) -> None:
    """`extract --update` follows it and says so; `verify --reported` does not follow what is sealed."""
    paper, study = written(tmp_path), tmp_path / "study"
    sealtrace("check", paper, tmp_path / "results", "--save", study)
    before = json.loads((study / "report/table.text.json").read_text())["rows"][0]
    assert before["recipes"]["Printed"]["metric"] == "cell"
    paper.write_text(paper.read_text().replace("Under scans, Tidemark hits", "Under long scans, Tidemark now hits"))
    run = sealtrace("extract", paper, "-o", study / "report", "--update")
    after = json.loads((study / "report/table.text.json").read_text())["rows"][0]
    assert "its sentence has other words now; the recipe is kept" in run.errors
    assert after["quotation"].startswith("Under long scans, Tidemark now hits")
    assert after["recipes"] == before["recipes"]
