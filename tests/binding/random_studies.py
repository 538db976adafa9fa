"""Random studies: results with a random schema, and papers whose tables follow from them by a known rule."""

from __future__ import annotations

import csv
import json
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODELS = ("aspen-7b", "birch-13b", "cedar-3b", "dogwood-1b", "elm-34b", "fir-70b")
TASKS = ("parsing", "tagging", "ranking", "routing")
MEASURES = ("accuracy", "macro_f1", "latency_ms", "brier_score", "perplexity")
_RANGES = {
    "accuracy": (0.2, 0.98),
    "macro_f1": (0.1, 0.9),
    "latency_ms": (11.0, 480.0),
    "brier_score": (0.05, 0.4),
    "perplexity": (2.0, 60.0),
}
_HEADERS = {
    "accuracy": ("Accuracy", "Acc."),
    "macro_f1": ("Macro-F1", "F1"),
    "latency_ms": ("Latency (ms)", "Time [ms]"),
    "brier_score": ("Brier", "Calibration"),
    "perplexity": ("PPL", "Perplexity"),
}
_ALIASES: tuple[Callable[[str], str], ...] = (
    str,
    lambda name: name.replace("-", " ").title(),
    lambda name: name.split("-")[1].upper(),
    lambda name: name.split("-")[0].capitalize(),
)
Row = dict[str, Any]


@dataclass
class Study:
    """Results and the paper that was printed from them."""

    rows: list[Row]
    paper: str
    numbers: int
    """Cells of the table."""
    formulas: list[str]
    """The measure of each column."""


def study(seed: int, *, transposed: bool = False) -> Study:
    """Means over seeds of some measures on one task, by model; labels are aliases of the models' names."""
    chance = random.Random(seed)
    models = chance.sample(MODELS, chance.randint(4, 6))
    tasks = chance.sample(TASKS, chance.randint(1, 3))
    measures = chance.sample(MEASURES, chance.randint(2, 3))
    seeds = list(range(chance.choice((1, 3, 5))))
    rows: list[Row] = [
        {"model": model, "task": task, "seed": number}
        | {measure: chance.uniform(*_RANGES[measure]) for measure in measures}
        for model in models
        for task in tasks
        for number in seeds
    ]
    chance.shuffle(rows)
    task = chance.choice(tasks)
    alias = chance.choice(_ALIASES)
    digits = {measure: 1 if measure == "latency_ms" else 3 for measure in measures}

    def cell(model: str, measure: str) -> str:
        values = [row[measure] for row in rows if row["model"] == model and row["task"] == task]
        mean = f"{statistics.fmean(values):.{digits[measure]}f}"
        if len(seeds) > 1 and measure == measures[0]:
            return rf"{mean} $\pm$ {statistics.stdev(values):.{digits[measure]}f}"
        return mean

    headers = {measure: chance.choice(_HEADERS[measure]) for measure in measures}
    lines = [[alias(model), *(cell(model, measure) for measure in measures)] for model in models]
    table = [["Model", *headers.values()], *lines]
    if transposed:
        table = [list(line) for line in zip(*table, strict=True)]
        table[0][0] = "Measure"
    return Study(rows, latex(table, f"Results on {task}, mean over seeds."), len(models) * len(measures), measures)


def predictions(seed: int) -> tuple[dict[str, list[Row]], str, int]:
    """Answers of systems to the same questions, a file for each run, and a paper with what they come to.

    Columns: mean and deviation of accuracy over seeds, macro-F1, the gain over the first system; then the mean row.
    """
    chance = random.Random(seed)
    gold = [chance.choice("abc") for _ in range(140)]
    files: dict[str, list[Row]] = {}
    accuracy: dict[str, list[float]] = {}
    macro: dict[str, list[float]] = {}
    systems = chance.sample(("alder", "beech", "cherry", "elder", "hazel", "larch"), 5)
    for system in systems:
        skill = chance.uniform(0.3, 0.9)
        for number in (1, 2, 3):
            said = [one if chance.random() < skill else chance.choice("abc") for one in gold]
            files[f"{system}_seed{number}.csv"] = [
                {"id": f"q{place}", "gold": one, "prediction": other}
                for place, (one, other) in enumerate(zip(gold, said, strict=True))
            ]
            accuracy.setdefault(system, []).append(sum(map(str.__eq__, gold, said)) / len(gold))
            scores = [
                2 * sum(a == label == b for a, b in zip(gold, said, strict=True)) / (gold + said).count(label)
                for label in "abc"
            ]
            macro.setdefault(system, []).append(statistics.fmean(scores))
    means = {system: statistics.fmean(values) for system, values in accuracy.items()}
    f1 = {system: statistics.fmean(values) for system, values in macro.items()}
    table = [["System", "Accuracy", "Macro-F1", r"$\Delta$ Accuracy"]]
    for system in systems:
        gain = "--" if system == systems[0] else f"{means[system] - means[systems[0]]:+.3f}"
        spread = f"{means[system]:.3f} $\\pm$ {statistics.stdev(accuracy[system]):.3f}"
        table.append([system.title(), spread, f"{f1[system]:.3f}", gain])
    return files, latex(table, "Accuracy and macro-F1, mean over seeds."), 3 * len(systems) - 1


def scores(seed: int) -> tuple[dict[str, list[Row]], str, int]:
    """Scores of systems for yes or no, and their guesses of a quantity, with what both come to in each system."""
    chance = random.Random(seed)
    files: dict[str, list[Row]] = {}
    table = [["System", "AUROC", "Brier", "MAE", "RMSE"]]
    for system in ("alder", "beech", "cherry", "elder", "hazel"):
        noise = chance.uniform(0.1, 0.6)
        rows: list[Row] = []
        for place in range(80):
            so, true = chance.random() < 0.4, chance.uniform(10, 20)
            score = min(1.0, max(0.0, (0.7 if so else 0.3) + chance.gauss(0, noise)))
            rows.append({"id": f"x{place}", "label": int(so), "score": score,
                         "true_size": true, "predicted_size": true + chance.gauss(0, 3 * noise)})  # fmt: skip
        files[f"{system}.csv"] = rows
        yes, no = ([row["score"] for row in rows if row["label"] == wanted] for wanted in (1, 0))
        wins = sum((one > other) + (one == other) / 2 for one in yes for other in no) / (len(yes) * len(no))
        brier = statistics.fmean((row["score"] - row["label"]) ** 2 for row in rows)
        gaps = [row["predicted_size"] - row["true_size"] for row in rows]
        root = statistics.fmean(gap * gap for gap in gaps) ** 0.5
        table.append([system.title(), f"{wins:.3f}", f"{brier:.3f}", f"{statistics.fmean(map(abs, gaps)):.3f}",
                      f"{root:.3f}"])  # fmt: skip
    return files, latex(table, "Ranking, calibration and error."), 20


def latex(table: list[list[str]], caption: str, text: str = "") -> str:
    """A paper with one table."""
    body = [" & ".join(line) + r" \\" for line in table]
    return "\n".join(
        [
            r"\documentclass{article}",
            r"\begin{document}",
            rf"\begin{{table}}\caption{{{caption}}}\label{{tab:main}}",
            rf"\begin{{tabular}}{{l{'c' * (len(table[0]) - 1)}}}",
            r"\toprule",
            body[0],
            r"\midrule",
            *body[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            text,
            r"\end{document}",
        ]
    )


def write_csv(path: Path, rows: list[Row]) -> None:
    """Rows as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_nested(path: Path, rows: list[Row]) -> None:
    """Rows as an object by model, task and seed."""
    nested: dict[str, Any] = {}
    for row in rows:
        measures = {name: value for name, value in row.items() if name not in ("model", "task", "seed")}
        nested.setdefault(row["model"], {}).setdefault(row["task"], {})[f"seed{row['seed']}"] = measures
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(nested))


def write_files(directory: Path, rows: list[Row]) -> None:
    """One JSON document for each run, its fields in the file's name."""
    directory.mkdir(parents=True, exist_ok=True)
    for row in rows:
        measures = {name: value for name, value in row.items() if name not in ("model", "task", "seed")}
        name = f"{row['model'].replace('-', '')}_{row['task']}_seed{row['seed']}.json"
        (directory / name).write_text(json.dumps(measures))
