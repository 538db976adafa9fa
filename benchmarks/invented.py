"""What `check` says of studies that are invented here, in many layouts: honest ones, and with one number changed.

    python benchmarks/invented.py [--studies 40] [--first 0] [--only LAYOUT] [--text] [--show] [--keep DIRECTORY]

Every decimal number of an invented paper follows from its results, so whatever is accused there is a false alarm, and
whatever is open is missed. Then one decimal number of each paper is changed by some per cent and the paper is checked
again: it counts as named where it differs and the right value is given, as shown where `check` only tells what the best
named record gives, and any other number that is accused is a false alarm.

A layout is how files, keys, tables and sentences are arranged; names, sizes, decimals and words are drawn.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sealtrace.binding.checking import concluded, examine_files
from sealtrace.contract.result import NumberResult

MODELS = [("Base", "base"), ("Large", "large"), ("GPT-4o mini", "gpt-4o-mini"), ("Llama 3 8B", "llama-3-8b"),
          ("Ours", "ours"), ("Ours (full)", "ours_full"), ("RoBERTa", "roberta"), ("XGBoost", "xgb"),
          ("Random Forest", "random_forest"), ("k-NN", "knn")]  # fmt: skip
TASKS = [("NER", "ner"), ("QA", "qa"), ("Summarization", "summarization"), ("Code", "code"), ("MMLU", "mmlu"),
         ("WMT14", "wmt14"), ("In-domain", "in_domain"), ("Out-of-domain", "out_of_domain")]  # fmt: skip
METRICS = [("Accuracy", "accuracy"), ("F1", "f1"), ("BLEU", "bleu"), ("AUC", "auc"), ("Recall", "recall")]
TERMS = [("Age", "age"), ("Female", "female"), ("Income (log)", "log_income"), ("Smoker", "smoker"),
         ("Body mass index", "bmi"), ("Education", "educ_years"), ("Distance", "dist_km")]  # fmt: skip


@dataclass
class Study:
    """An invented study: its results by path, and its paper in Markdown, or in LaTeX with the same lines."""

    draw: random.Random
    files: dict[str, str] = field(default_factory=dict)
    paper: list[str] = field(default_factory=lambda: ["# An invented study", ""])
    tables: int = 0
    latex: bool = False

    def table(self, caption: str, header: list[str], rows: list[list[str]]) -> None:
        """Prints a table."""
        self.tables += 1
        self.paper += [f"Table {self.tables}: {caption}", "", f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
        self.paper += [f"| {' | '.join(row)} |" for row in rows] + [""]

    def say(self, sentence: str) -> None:
        """Prints a sentence."""
        self.paper += [sentence, ""]

    def csv(self, path: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Releases a table."""
        self.files[path] = "\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n"

    def json(self, path: str, value: object) -> None:
        """Releases a document."""
        self.files[path] = json.dumps(value, indent=1)

    def write(self, directory: Path) -> tuple[Path, Path]:
        """The paper and the results as files."""
        for path, text in self.files.items():
            place = directory / "results" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        paper = directory / ("paper.tex" if self.latex else "paper.md")
        paper.write_text("\n".join(_latex(self.paper) if self.latex else self.paper), encoding="utf-8")
        return paper, directory / "results"


_IN_LATEX = {"%": r"\%", "_": r"\_", "±": r"$\pm$", "×": r"$\times$", "β": r"$\beta$", "−": "$-$", " < ": " $<$ "}


def _latex(lines: list[str]) -> list[str]:
    """A paper in Markdown as one in LaTeX: each line becomes one, so that a number keeps its place."""
    found = []
    for at, line in enumerate(lines):
        for sign, command in _IN_LATEX.items():
            line = line.replace(sign, command)
        cells = line.strip("|").split(" | ")
        if at < 2:
            line = r"\documentclass{article}" if not at else r"\begin{document}"
        elif line.startswith("Table "):
            line = rf"\begin{{table}}\caption{{{line.partition(': ')[2]}}}"
        elif lines[at - 1].startswith("Table "):
            line = rf"\begin{{tabular}}{{l{'r' * lines[at + 1].count(' | ')}}}"
        elif line.startswith("|"):
            line = r"\hline" if line.startswith("|---") else " & ".join(cells) + r" \\"
        elif lines[at - 1].startswith("|"):
            line = r"\end{tabular}\end{table}"
        found.append(line)
    return [*found, r"\end{document}"]


def _scores(study: Study, *sizes: int) -> dict[tuple[int, ...], float]:
    """A score between 0.3 and 0.95 for each place, better further on."""
    places: list[tuple[int, ...]] = [()]
    for size in sizes:
        places = [(*place, at) for place in places for at in range(size)]
    return {place: round(min(0.95, max(0.3, 0.5 + 0.05 * place[0] + study.draw.gauss(0, 0.09))), 5) for place in places}


def _percent(study: Study) -> Callable[[float], str]:
    """How shares are printed."""
    decimals = study.draw.choice([1, 2])
    if study.draw.random() < 0.6:
        return lambda value: f"{100 * value:.{decimals}f}"
    return lambda value: f"{value:.{decimals + 2}f}"


def leaderboard(study: Study) -> None:
    """Models by tasks, one metric; a mean over tasks; the results in one of seven arrangements."""
    models, tasks = study.draw.sample(MODELS, 4), study.draw.sample(TASKS, 3)
    metric = study.draw.choice(METRICS)
    score, show = _scores(study, 4, 3), _percent(study)
    form = study.draw.choice(["nested", "composed", "file each", "directories", "long", "wide", "runs"])
    if form == "nested":
        study.json("results.json", {model[1]: {task[1]: {metric[1]: score[m, t], "n": 500}
                                               for t, task in enumerate(tasks)}
                                    for m, model in enumerate(models)})  # fmt: skip
    elif form == "composed":
        study.json("results.json", {f"{model[1]}_{task[1]}": {metric[1]: score[m, t], "seconds": 31 + m}
                                    for m, model in enumerate(models) for t, task in enumerate(tasks)})  # fmt: skip
    elif form == "long":
        study.csv("scores.csv", ["model", "task", "metric", "value"],
                  [[model[1], task[1], metric[1], score[m, t]] for m, model in enumerate(models)
                   for t, task in enumerate(tasks)])  # fmt: skip
    elif form == "wide":
        study.csv("scores.csv", ["model", *(task[1] for task in tasks)],
                  [[model[1], *(score[m, t] for t in range(3))] for m, model in enumerate(models)])  # fmt: skip
    elif form == "runs":
        noise = {place: study.draw.gauss(0, 0.01) for place in _scores(study, 4, 3, 5)}
        runs = {(m, t, s): round(score[m, t] + noise[m, t, s], 5) for m, t, s in noise}
        score = {(m, t): statistics.mean(runs[m, t, s] for s in range(5)) for m, t in score}
        study.csv("runs.csv", ["model", "task", "seed", metric[1]],
                  [[models[m][1], tasks[t][1], s, value] for (m, t, s), value in runs.items()])  # fmt: skip
    else:
        for (m, t), value in score.items():
            name = f"{models[m][1]}/{tasks[t][1]}/metrics" if form == "directories" else f"{models[m][1]}_{tasks[t][1]}"
            study.json(f"{name}.json", {metric[1]: value, "epochs": 3, "loss": round(1.3 - value, 4)})
    means = [statistics.mean(score[m, t] for t in range(3)) for m in range(4)]
    caption = study.draw.choice([f"{metric[0]} of each model on each task.", f"Main results ({metric[0]}).",
                                 f"{metric[0]} on three tasks. Higher is better."])  # fmt: skip
    if form == "runs":
        caption += " Mean over five seeds."
    if study.draw.random() < 0.3:
        study.table(caption, ["Task", *(model[0] for model in models)],
                    [[task[0], *(show(score[m, t]) for m in range(4))] for t, task in enumerate(tasks)])  # fmt: skip
    else:
        mean = study.draw.random() < 0.6
        study.table(caption, ["Model", *(task[0] for task in tasks), *(["Average"] if mean else [])],
                    [[model[0], *(show(score[m, t]) for t in range(3)), *([show(means[m])] if mean else [])]
                     for m, model in enumerate(models)])  # fmt: skip
    best = max(range(4), key=lambda m: score[m, 0])
    study.say(f"On {tasks[0][0]}, {models[best][0]} reaches {show(score[best, 0])} {metric[0]}.")
    study.say(f"On {tasks[1][0]}, {models[0][0]} has {show(score[0, 1])} and {models[1][0]} has {show(score[1, 1])}.")


def two_sets(study: Study) -> None:
    """Several metrics on two sets, under grouped headers; keys of JSON that compose model and set."""
    models, sets = study.draw.sample(MODELS, 4), study.draw.sample(TASKS, 2)
    metrics = study.draw.sample(METRICS, 3)
    score, show = _scores(study, 4, 2, 3), _percent(study)
    plain = study.draw.random() < 0.5
    study.json("main_results.json", {
        model[1] if plain and not s else f"{model[1]}_{one[1]}":
            {"n": 400 + s, **{metric[1]: score[m, s, k] for k, metric in enumerate(metrics)}}
        for m, model in enumerate(models) for s, one in enumerate(sets)
    })  # fmt: skip
    study.table(f"Results on {sets[0][0]} and {sets[1][0]}.",
                ["Model", *(f"{one[0]} {metric[0]}" for one in sets for metric in metrics)],
                [[model[0], *(show(score[m, s, k]) for s in range(2) for k in range(3))]
                 for m, model in enumerate(models)])  # fmt: skip


def regression(study: Study) -> None:
    """Coefficients with their errors and p-values."""
    terms = study.draw.sample(TERMS, 5)
    rows = [[study.draw.gauss(0, 1.2), abs(study.draw.gauss(0.3, 0.1)) + 0.05, study.draw.random()] for _ in terms]
    names = study.draw.choice([["term", "estimate", "std_error", "p_value"], ["variable", "coef", "se", "p"],
                               ["", "Estimate", "Std. Error", "Pr(>|t|)"]])  # fmt: skip
    study.csv(
        "model.csv",
        names,
        [[term[1], *(round(value, 6) for value in row)] for term, row in zip(terms, rows, strict=True)],
    )
    if study.draw.random() < 0.5:
        study.table(
            "Regression results.",
            ["Variable", "Estimate", "SE", "p"],
            [[term[0], f"{b:.3f}", f"{s:.3f}", f"{p:.3f}"] for term, (b, s, p) in zip(terms, rows, strict=True)],
        )
    else:
        study.table(
            "Regression estimates, standard errors in parentheses.",
            ["", "Outcome"],
            [[term[0], f"{b:.3f} ({s:.3f})"] for term, (b, s, _) in zip(terms, rows, strict=True)],
        )
    study.say(f"{terms[1][0]} has a coefficient of {rows[1][0]:.3f} (SE = {rows[1][1]:.3f}).")


def patients(study: Study) -> None:
    """A first table of a trial, from one row per patient."""
    arms = study.draw.choice([("Placebo", "Drug"), ("Control", "Treatment"), ("Usual care", "Intervention")])
    people = [
        [
            f"P{i:03d}",
            arms[study.draw.random() < 0.5].lower(),
            round(study.draw.gauss(61, 11)),
            study.draw.choice(["female", "male"]),
            round(study.draw.gauss(27.3, 4.1), 1),
            int(study.draw.random() < 0.3),
            round(study.draw.gauss(131, 17)),
        ]
        for i in range(study.draw.choice([90, 212]))
    ]
    study.csv("patients.csv", ["patient_id", "arm", "age", "sex", "bmi", "diabetes", "sbp"], people)
    rows = []
    for name, at in (("Age (years)", 2), ("BMI", 4), ("Systolic blood pressure", 6)):
        row = [f"{name}, mean (SD)"]
        for arm in arms:
            own = [float(str(one[at])) for one in people if one[1] == arm.lower()]
            row.append(f"{statistics.mean(own):.1f} ({statistics.stdev(own):.1f})")
        rows.append(row)
    for name, at, wanted in (("Female, n (%)", 3, "female"), ("Diabetes, n (%)", 5, 1)):
        row = [name]
        for arm in arms:
            own = [one[at] == wanted for one in people if one[1] == arm.lower()]
            row.append(f"{sum(own)} ({100 * sum(own) / len(own):.1f})")
        rows.append(row)
    sizes = [sum(one[1] == arm.lower() for one in people) for arm in arms]
    study.table(
        "Baseline characteristics by arm.",
        ["Characteristic", *(f"{arm} (n = {size})" for arm, size in zip(arms, sizes, strict=True))],
        rows,
    )
    ages = [float(str(one[2])) for one in people]
    study.say(f"The mean age of the {len(people)} patients was {statistics.mean(ages):.1f} years.")


def sweep(study: Study) -> None:
    """Settings that are numbers, with a mean and its deviation for each pair."""
    first, second = [0.1, 0.25, 0.5, 1.0], [16, 64]
    value = {(a, b): (study.draw.gauss(40, 9), abs(study.draw.gauss(2, 0.6)) + 0.2) for a in first for b in second}
    study.csv("sweep.csv", ["learning_rate", "width", "mean_loss", "std_loss", "trials"],
              [[a, b, round(mean, 5), round(sd, 5), 20] for (a, b), (mean, sd) in value.items()])  # fmt: skip
    if study.draw.random() < 0.5:
        study.table(
            "Loss by learning rate and width.",
            ["Learning rate", "Width", "Loss", "Trials"],
            [[f"{a}", f"{b}", f"{mean:.2f} ± {sd:.2f}", "20"] for (a, b), (mean, sd) in value.items()],
        )
    else:
        study.table(
            "Loss by learning rate (rows) and width.",
            ["Learning rate", *(f"Width {b}" for b in second)],
            [[f"{a}", *(f"{value[a, b][0]:.2f}" for b in second)] for a in first],
        )
    study.say(f"At a learning rate of 0.25 and width 64 the loss is {value[0.25, 64][0]:.2f}.")


def timings(study: Study) -> None:
    """Times of two programs by size, and what one gains over the other."""
    sizes = [128, 512, 2048, 8192]
    times = {(name, n): round(n ** 0.8 * factor * study.draw.uniform(0.8, 1.25), 3)
             for name, factor in (("reference", 0.9), ("fused", 0.35)) for n in sizes}  # fmt: skip
    if study.draw.random() < 0.5:
        study.csv("bench.csv", ["kernel", "n", "time_ms"], [[name, n, value] for (name, n), value in times.items()])
    else:
        study.json("bench.json", [{"kernel": name, "n": n, "time_ms": value} for (name, n), value in times.items()])
    study.table("Time in milliseconds.", ["n", "Reference", "Fused", "Speedup"],
                [[str(n), f"{times['reference', n]:.1f}", f"{times['fused', n]:.1f}",
                  f"{times['reference', n] / times['fused', n]:.2f}×"] for n in sizes])  # fmt: skip
    study.say(
        f"At n = 2048 the fused kernel takes {times['fused', 2048]:.1f} ms, "
        f"{times['reference', 2048] / times['fused', 2048]:.2f} times faster than the reference."
    )


def answers(study: Study) -> None:
    """One file of answers per model; accuracy and macro-F1 follow from them."""
    models, labels = study.draw.sample(MODELS, 3), ["entail", "neutral", "contradict"]
    gold = [study.draw.choice(labels) for _ in range(240)]
    rows = []
    for m, model in enumerate(models):
        said = [one if study.draw.random() < 0.55 + 0.1 * m else study.draw.choice(labels) for one in gold]
        study.files[f"{model[1]}.jsonl"] = "\n".join(
            json.dumps({"id": i, "gold": one, "prediction": other})
            for i, (one, other) in enumerate(zip(gold, said, strict=True))
        )
        f1 = []
        for label in labels:
            both = sum(a == b == label for a, b in zip(gold, said, strict=True))
            f1.append(2 * both / (gold.count(label) + said.count(label)))
        right = sum(a == b for a, b in zip(gold, said, strict=True))
        rows.append([model[0], f"{100 * right / 240:.1f}", f"{100 * statistics.mean(f1):.1f}"])
    study.table("Accuracy and macro-F1 (%).", ["Model", "Accuracy", "Macro-F1"], rows)
    study.say(f"{models[2][0]} answers {rows[2][1]} % of the questions correctly.")


def correlations(study: Study) -> None:
    """Nested statistics with intervals under keys of their own."""
    metrics = study.draw.sample(METRICS, 4)
    found = {}
    for name, key in metrics:
        r = study.draw.uniform(-0.2, 0.8)
        found[name, key] = (
            r,
            r - study.draw.uniform(0.05, 0.2),
            r + study.draw.uniform(0.05, 0.2),
            study.draw.random() / 3,
        )
    study.json("correlation.json", {"n": 420, "correlations": {
        key: {"pearson": round(r, 4), "pearson_ci": [round(low, 4), round(high, 4)], "p": round(p, 5)}
        for (_, key), (r, low, high, p) in found.items()}})  # fmt: skip
    study.table(
        "Correlation with human judgement.",
        ["Metric", "Pearson r", "95% CI", "p"],
        [[name, f"{r:.3f}", f"[{low:.3f}, {high:.3f}]", f"{p:.3f}"] for (name, _), (r, low, high, p) in found.items()],
    )
    (name, _), (r, *_) = next(iter(found.items()))
    study.say(f"{name} correlates with human judgement at r = {r:.3f}.")


def ablation(study: Study) -> None:
    """A full system and the same without some of its parts."""
    known = [("retrieval", "retrieval"), ("re-ranking", "rerank"), ("data augmentation", "augmentation"),
             ("the auxiliary loss", "aux_loss"), ("pre-training", "pretraining")]  # fmt: skip
    parts = study.draw.sample(known, 3)
    word = study.draw.choice(["no", "without", "wo"])
    metrics, show = study.draw.sample(METRICS, 2), _percent(study)
    score = _scores(study, 4, 2)
    names = ["full", *(f"{word}_{part[1]}" for part in parts)]
    study.csv("ablation.csv", ["variant", *(metric[1] for metric in metrics)],
              [[name, *(score[v, k] for k in range(2))] for v, name in enumerate(names)])  # fmt: skip
    labels = ["Full model", *(f"{study.draw.choice(['w/o', 'without', '-'])} {part[0]}" for part in parts)]
    study.table("Ablation.", ["Variant", *(metric[0] for metric in metrics)],
                [[label, *(show(score[v, k]) for k in range(2))] for v, label in enumerate(labels)])  # fmt: skip


def spread(study: Study) -> None:
    """Means and deviations that a summary releases, or that follow from runs."""
    models, tasks = study.draw.sample(MODELS, 3), study.draw.sample(TASKS, 2)
    runs = {place: study.draw.gauss(61 + 4 * place[0], 1.3) for place in _scores(study, 3, 2, 5)}
    own = {(m, t): [runs[m, t, s] for s in range(5)] for m in range(3) for t in range(2)}
    told = {place: (statistics.mean(values), statistics.stdev(values)) for place, values in own.items()}
    if study.draw.random() < 0.5:
        study.csv(
            "summary.csv",
            ["model", "dataset", "mean", "std", "runs"],
            [[models[m][1], tasks[t][1], round(mean, 5), round(sd, 5), 5] for (m, t), (mean, sd) in told.items()],
        )
    else:
        study.json("summary.json", [{"model": models[m][1], "dataset": tasks[t][1], "score_mean": round(mean, 5),
                                     "score_std": round(sd, 5)} for (m, t), (mean, sd) in told.items()])  # fmt: skip
    study.table("Score, mean ± standard deviation of five runs.", ["Model", *(task[0] for task in tasks)],
                [[model[0], *(f"{told[m, t][0]:.1f} ± {told[m, t][1]:.1f}" for t in range(2))]
                 for m, model in enumerate(models)])  # fmt: skip
    study.say(f"{models[0][0]} scores {told[0, 0][0]:.1f} on {tasks[0][0]}.")


def panels(study: Study) -> None:
    """Two panels under titles of their own, with the same rows in each."""
    models, sets, metrics = study.draw.sample(MODELS, 3), study.draw.sample(TASKS, 2), study.draw.sample(METRICS, 2)
    score, show = _scores(study, 3, 2, 2), _percent(study)
    study.csv("all.csv", ["dataset", "method", *(metric[1] for metric in metrics)],
              [[one[1], model[1], *(score[m, s, k] for k in range(2))] for s, one in enumerate(sets)
               for m, model in enumerate(models)])  # fmt: skip
    rows = []
    for s, one in enumerate(sets):
        rows.append([f"*{one[0]}*", "", ""])
        rows += [[model[0], *(show(score[m, s, k]) for k in range(2))] for m, model in enumerate(models)]
    study.table("Results by dataset.", ["Method", *(metric[0] for metric in metrics)], rows)


def rates(study: Study) -> None:
    """Counts of successes, as k/n and in percent."""
    tools = study.draw.sample(MODELS, 4)
    total = study.draw.choice([48, 120, 164])
    passed = [study.draw.randrange(total // 3, total) for _ in tools]
    if study.draw.random() < 0.5:
        study.csv(
            "passed.csv",
            ["tool", "passed", "total"],
            [[one[1], k, total] for one, k in zip(tools, passed, strict=True)],
        )
    else:
        for one, k in zip(tools, passed, strict=True):
            study.json(f"{one[1]}/summary.json", {"passed": k, "failed": total - k, "total": total})
    study.table(
        "Tasks that each tool solved.",
        ["Tool", "Solved", "Rate (%)"],
        [[one[0], f"{k}/{total}", f"{100 * k / total:.1f}"] for one, k in zip(tools, passed, strict=True)],
    )
    study.say(f"{tools[0][0]} solved {passed[0]} of {total} tasks ({100 * passed[0] / total:.1f} %).")


def years(study: Study) -> None:
    """A series by year and country, released long or wide, of which a table prints some years and the change."""
    places, shown = study.draw.sample(["Norway", "Chile", "Japan", "Ghana", "Canada"], 3), [2005, 2015, 2020]
    value = {
        (one, year): round(study.draw.uniform(3, 30) + 0.2 * (year - 2000), 3)
        for one in places
        for year in range(2000, 2021)
    }
    if study.draw.random() < 0.5:
        study.csv("series.csv", ["country", "year", "emissions"], [[*place, one] for place, one in value.items()])
    else:
        study.csv("series.csv", ["country", *map(str, range(2000, 2021))],
                  [[one, *(value[one, year] for year in range(2000, 2021))] for one in places])  # fmt: skip
    study.table("Emissions (tonnes per head).", ["Country", *map(str, shown), "Change 2005 to 2020"],
                [[one, *(f"{value[one, year]:.1f}" for year in shown), f"{value[one, 2020] - value[one, 2005]:+.1f}"]
                 for one in places])  # fmt: skip
    study.say(f"In {places[0]} emissions were {value[places[0], 2020]:.1f} tonnes per head in 2020.")


def seeds(study: Study) -> None:
    """A directory for each seed of each system; the paper prints mean ± deviation."""
    models, metrics = study.draw.sample(MODELS, 3), study.draw.sample(METRICS, 2)
    count = study.draw.choice([3, 5])
    value = {
        place: round(0.5 + 0.07 * place[0] + study.draw.gauss(0, 0.02), 5) for place in _scores(study, 3, 2, count)
    }
    for m, model in enumerate(models):
        for s in range(count):
            study.json(f"{model[1]}/seed_{s}/metrics.json",
                       {"step": 1000, **{metric[1]: value[m, k, s] for k, metric in enumerate(metrics)}})  # fmt: skip
    rows = []
    for m, model in enumerate(models):
        cells = []
        for k in range(2):
            own = [100 * value[m, k, s] for s in range(count)]
            cells.append(f"{statistics.mean(own):.1f} ± {statistics.stdev(own):.1f}")
        rows.append([model[0], *cells])
    study.table(
        f"Mean and standard deviation over {count} seeds.", ["Method", *(metric[0] for metric in metrics)], rows
    )


def transposed(study: Study) -> None:
    """Results with a column for each system, measures as rows; the paper prints it the other way round."""
    models, show = study.draw.sample(MODELS, 4), _percent(study)
    metrics = study.draw.sample(METRICS, 3)
    score = _scores(study, 4, 3)
    study.csv("metrics.csv", ["metric", *(model[1] for model in models)],
              [[metric[1], *(score[m, k] for m in range(4))] for k, metric in enumerate(metrics)])  # fmt: skip
    study.table("Results.", ["System", *(metric[0] for metric in metrics)],
                [[model[0], *(show(score[m, k]) for k in range(3))] for m, model in enumerate(models)])  # fmt: skip


def survey(study: Study) -> None:
    """Answers on a scale from one row per person: shares of each answer by group, and the mean."""
    groups, answers = study.draw.sample(["Students", "Teachers", "Parents", "Staff"], 3), range(1, 6)
    people = [[i, one, study.draw.choices(answers, [1, 2, 3, 3, g + 1])[0]] for g, one in enumerate(groups)
              for i in range(study.draw.randrange(60, 140))]  # fmt: skip
    study.csv("survey.csv", ["id", "group", "satisfaction"], [[i, str(one).lower(), value] for i, one, value in people])
    rows = []
    for one in groups:
        own = [int(str(value)) for _, group, value in people if group == one]
        rows.append([one, str(len(own)), f"{statistics.mean(own):.2f}", f"{statistics.stdev(own):.2f}"])
    study.table("Satisfaction by group.", ["Group", "n", "Mean", "SD"], rows)


def differences(study: Study) -> None:
    """Effects with their intervals under other names in the file."""
    outcomes = study.draw.sample([("Pain", "pain"), ("Quality of life", "qol"), ("Sleep", "sleep_hours"),
                                  ("Depression", "phq9"), ("Mobility", "mobility")], 4)  # fmt: skip
    rows = []
    for _ in outcomes:
        effect, error = study.draw.gauss(0, 2), study.draw.uniform(0.2, 0.9)
        rows.append((effect, effect - 1.96 * error, effect + 1.96 * error, study.draw.random()))
    names = study.draw.choice([["outcome", "diff", "ci_low", "ci_high", "p"],
                               ["outcome", "effect", "lower", "upper", "p_value"],
                               ["endpoint", "mean_difference", "ci95_lo", "ci95_hi", "pval"]])  # fmt: skip
    study.csv(
        "effects.csv",
        names,
        [[key, *(round(value, 5) for value in row)] for (_, key), row in zip(outcomes, rows, strict=True)],
    )
    study.table(
        "Differences between the groups.",
        ["Outcome", "Difference (95% CI)", "p"],
        [
            [name, f"{a:.2f} ({b:.2f} to {c:.2f})", f"{p:.3f}"]
            for (name, _), (a, b, c, p) in zip(outcomes, rows, strict=True)
        ],
    )
    (name, _), (a, b, c, p) = outcomes[0], rows[0]
    study.say(f"{name} differed by {a:.2f} (95% CI {b:.2f} to {c:.2f}, p = {p:.3f}).")


def claims(study: Study) -> None:
    """Sentences of machine learning: gains, pairs, lists, means over tasks, extremes; fewer digits in the end."""
    study.latex = study.draw.random() < 0.5
    models, tasks = study.draw.sample(MODELS, 4), study.draw.sample(TASKS, 3)
    known = [("accuracy", "accuracy", "accuracy"), ("F1 score", "F1", "f1"), ("exact match", "EM", "exact_match"),
             ("average precision", "AP", "average_precision"), ("recall", "recall", "recall")]  # fmt: skip
    long, short, key = study.draw.choice(known)
    score = {place: 100 * value for place, value in _scores(study, 4, 3).items()}
    if study.draw.random() < 0.5:
        study.csv("scores.csv", ["model", "task", key], [[models[m][1], tasks[t][1], round(value, 4)]
                                                         for (m, t), value in score.items()])  # fmt: skip
    else:
        study.json("scores.json", {model[1]: {task[1]: {key: round(score[m, t] / 100, 6)}
                                              for t, task in enumerate(tasks)}
                                   for m, model in enumerate(models)})  # fmt: skip
    printed = study.draw.random() < 0.7
    if long != short:
        study.say(f"We report the {long} ({short}) of each model.")
    if printed:
        study.table(f"{short} of each model on each task (%).", ["Model", *(task[0] for task in tasks)],
                    [[model[0], *(f"{score[m, t]:.2f}" for t in range(3))]
                     for m, model in enumerate(models)])  # fmt: skip
    a, b, c = study.draw.sample(range(4), 3)
    t, u = study.draw.sample(range(3), 2)
    ordered = sorted(range(4), key=lambda m: score[m, u])
    low, best = ordered[0], ordered[-1]
    higher, lower = (a, b) if score[a, t] > score[b, t] else (b, a)
    gap, of = score[higher, t] - score[lower, t], study.draw.choice(["", " of the questions", ""])
    means = [statistics.mean(score[m, k] for k in range(3)) for m in range(4)]
    sentences = [
        f"On {tasks[t][0]}, {models[higher][0]} improves over {models[lower][0]} by {gap:.1f} points "
        f"({score[higher, t]:.1f} vs. {score[lower, t]:.1f}).",
        f"{models[c][0]} has {'an' if short[0] in 'aeFE' else 'a'} {short} of {score[c, t]:.1f} % on {tasks[t][0]} and "
        f"{score[c, u]:.1f} % on {tasks[u][0]}.",
        f"{models[a][0]}, {models[b][0]} and {models[c][0]} reach {score[a, u]:.1f}, {score[b, u]:.1f} and "
        f"{score[c, u]:.1f} {short} on {tasks[u][0]}, respectively.",
        f"Averaged over tasks, {models[a][0]} reaches {means[a]:.1f} {short}.",
        f"The best model on {tasks[u][0]} is {models[best][0]} with {score[best, u]:.2f}.",
        f"On {tasks[u][0]}, {short} is between {score[low, u]:.1f} and {score[best, u]:.1f}.",
        f"On {tasks[u][0]}, {short} ranges from {score[low, u]:.1f} ({models[low][0]}) to {score[best, u]:.1f} "
        f"({models[best][0]}).",
        f"Compared with {models[lower][0]}, {models[higher][0]} gains {100 * gap / score[lower, t]:.1f} % (relative) "
        f"on {tasks[t][0]}.",
        f"In conclusion, {models[best][0]} reaches {score[best, u]:.1f} % {short} on {tasks[u][0]}{of}.",
    ]
    _say(study, sentences)


def _say(study: Study, sentences: list[str]) -> None:
    """Prints sentences in paragraphs of one to three."""
    study.draw.shuffle(sentences)
    while sentences:
        together = study.draw.choice([1, 2, 3])
        study.say(" ".join(sentences[:together]))
        del sentences[:together]


def trial(study: Study) -> None:
    """Sentences of medicine: means with deviations, shares of patients, ratios with their intervals."""
    study.latex = study.draw.random() < 0.5
    arms = study.draw.choice([("placebo", "drug"), ("control", "treatment"), ("usual care", "intervention")])
    people = [[f"P{i:03d}", arms[i % 2], round(study.draw.gauss(61, 11)), study.draw.choice(["female", "male"]),
               round(study.draw.gauss(27.3, 4.1), 1), int(study.draw.random() < 0.3), round(study.draw.gauss(131, 17))]
              for i in range(study.draw.choice([148, 212]))]  # fmt: skip
    study.csv("patients.csv", ["patient_id", "arm", "age", "sex", "bmi", "diabetes", "sbp"], people)
    known = {"Diabetes": "diabetes", "Smoking": "smoking", "Female sex": "female_sex", "Hypertension": "hypertension"}
    ratios = {key: (value := study.draw.uniform(0.6, 2.4), value * study.draw.uniform(0.7, 0.9),
                    value * study.draw.uniform(1.1, 1.5), study.draw.uniform(0.002, 0.6))
              for key in known.values()}  # fmt: skip
    header = study.draw.choice([["term", "or", "ci_low", "ci_high", "p"],
                                ["variable", "odds_ratio", "lower_95", "upper_95", "p_value"]])  # fmt: skip
    study.csv("logistic.csv", header, [[key, *(round(one, 5) for one in own)] for key, own in ratios.items()])
    if study.draw.random() < 0.5:
        study.table("Odds ratios for readmission.", ["Variable", "OR", "95% CI", "p"],
                    [[name, f"{ratios[key][0]:.2f}", f"{ratios[key][1]:.2f} to {ratios[key][2]:.2f}",
                      f"{ratios[key][3]:.3f}"] for name, key in known.items()])  # fmt: skip

    def told(at: int, arm: str = "") -> tuple[float, float]:
        own = [float(str(one[at])) for one in people if not arm or one[1] == arm]
        return statistics.mean(own), statistics.stdev(own)

    (age, age_sd), pressure = told(2), [told(6, arm) for arm in arms]
    female, ill = (sum(one[at] == wanted for one in people) for at, wanted in ((3, "female"), (5, 1)))
    first, second = study.draw.sample(sorted(known), 2)
    r, q = ratios[known[first]], ratios[known[second]]
    sentences = [
        f"Mean age was {age:.1f} years (SD {age_sd:.1f}).",
        f"Of the {len(people)} patients, {female} ({100 * female / len(people):.1f} %) were female.",
        f"Mean systolic blood pressure (SBP) was {pressure[1][0]:.1f} mmHg in the {arms[1]} arm and "
        f"{pressure[0][0]:.1f} mmHg in the {arms[0]} arm.",
        f"In the {arms[0]} arm the mean BMI was {told(4, arms[0])[0]:.1f} (SD {told(4, arms[0])[1]:.1f}).",
        f"At baseline {100 * ill / len(people):.1f} % of the patients had diabetes.",
        f"{first} was associated with readmission (OR {r[0]:.2f}, 95 % CI {r[1]:.2f} to {r[2]:.2f}, p = {r[3]:.3f}).",
        f"For {second.lower()} the odds ratio was {q[0]:.2f} (95 % CI {q[1]:.2f}–{q[2]:.2f}; p = {q[3]:.3f}).",
    ]
    _say(study, sentences)


def _plain(value: float, decimals: int) -> str:
    """A number that cannot exceed one, without its zero."""
    return f"{value:.{decimals}f}".replace("0.", ".", 1)


def experiment(study: Study) -> None:
    """Sentences of psychology: means of conditions, tests with their degrees of freedom, correlations."""
    study.latex = study.draw.random() < 0.5
    low, high = study.draw.choice([("control", "stress"), ("neutral", "threat"), ("implicit", "explicit")])
    known = [("anxiety", "anxiety"), ("self-esteem", "self_esteem"), ("working memory", "working_memory"),
             ("trust", "trust"), ("reaction time", "reaction_time")]  # fmt: skip
    measures, df = study.draw.sample(known, 3), study.draw.choice([38, 76, 118])
    means = {(one[1], arm): (study.draw.uniform(2, 6), study.draw.uniform(0.6, 1.6))
             for one in measures for arm in (low, high)}  # fmt: skip
    tests = {one[1]: (study.draw.uniform(0.4, 4), study.draw.uniform(0.003, 0.6), study.draw.uniform(0.05, 0.9))
             for one in measures}  # fmt: skip
    study.csv("descriptives.csv", ["measure", "condition", "mean", "sd"],
              [[*place, round(mean, 5), round(sd, 5)] for place, (mean, sd) in means.items()])  # fmt: skip
    if study.draw.random() < 0.5:
        study.csv("tests.csv", ["measure", "t", "df", "p", "cohens_d"],
                  [[key, round(t, 5), df, round(p, 6), round(d, 5)] for key, (t, p, d) in tests.items()])  # fmt: skip
    else:
        study.json("tests.json", {key: {"t_statistic": round(t, 5), "df": df, "p_value": round(p, 6), "d": round(d, 5)}
                                  for key, (t, p, d) in tests.items()})  # fmt: skip
    pairs = [(measures[0], measures[1]), (measures[0], measures[2])]
    found = [(study.draw.uniform(0.1, 0.7), study.draw.uniform(0.002, 0.5)) for _ in pairs]
    study.csv("correlations.csv", ["x", "y", "r", "p"],
              [[one[1], other[1], round(r, 5), round(p, 6)]
               for (one, other), (r, p) in zip(pairs, found, strict=True)])  # fmt: skip
    if study.draw.random() < 0.5:
        study.table("Means and standard deviations by condition.", ["Measure", low.title(), high.title()],
                    [[name.capitalize(), *(f"{means[key, arm][0]:.2f} ({means[key, arm][1]:.2f})"
                                           for arm in (low, high))] for name, key in measures])  # fmt: skip
    sentences = []
    for name, key in measures[:2]:
        (a, a_sd), (b, b_sd), (t, p, d) = means[key, high], means[key, low], tests[key]
        word = "higher" if a > b else "lower"
        sentences.append(
            f"Participants in the {high} condition showed {word} {name} (M = {a:.2f}, SD = {a_sd:.2f}) than those in "
            f"the {low} condition (M = {b:.2f}, SD = {b_sd:.2f}), t({df}) = {t:.2f}, p = {_plain(p, 3)}, d = {d:.2f}."
        )
    for (one, other), (r, p) in zip(pairs, found, strict=True):
        sentences.append(
            f"There was a correlation of {one[0]} with {other[0]}, r = {_plain(r, 2)}, p = {_plain(p, 3)}."
        )
    name, key = measures[2]
    sentences.append(
        f"Mean {name} was {means[key, high][0]:.2f} in the {high} condition and {means[key, low][0]:.2f} in the {low} "
        "condition."
    )
    _say(study, sentences)


def wages(study: Study) -> None:
    """Sentences of economics: coefficients with their errors, p-values and fit."""
    study.latex = study.draw.random() < 0.5
    terms = study.draw.sample(TERMS, 5)
    rows = [[study.draw.gauss(0, 0.6), study.draw.uniform(0.05, 0.3), study.draw.uniform(0.002, 0.8)] for _ in terms]
    fit, n = study.draw.uniform(0.2, 0.8), study.draw.choice([1204, 3377])
    header = study.draw.choice([["term", "estimate", "std_error", "p_value"], ["variable", "coef", "se", "p"]])
    study.csv("ols.csv", header, [[term[1], *(round(value, 6) for value in row)]
                                  for term, row in zip(terms, rows, strict=True)])  # fmt: skip
    study.json("fit.json", {"r_squared": round(fit, 5), "n_obs": n})
    if study.draw.random() < 0.6:
        study.table("Determinants of log wages.", ["", "Estimate", "SE", "p"],
                    [[term[0], f"{b:.3f}", f"{s:.3f}", f"{p:.3f}"]
                     for term, (b, s, p) in zip(terms, rows, strict=True)])  # fmt: skip
    (b, s, p), (c, d, _), (e, f, q) = rows[:3]
    names = [term[0] if term[0].endswith(")") else term[0].lower() for term in terms]
    _say(study, [
        f"The effect of {names[0]} is large (β = {b:.2f}, SE = {s:.2f}, p = {p:.3f}).",
        f"The coefficient on {names[1]} is {c:.3f} (s.e. {d:.3f}).",
        f"For {names[2]} we find an estimate of {e:.2f} with a standard error of {f:.2f} (p = {q:.2f}).",
        f"The model explains {100 * fit:.1f} % of the variance (R² = {fit:.3f}, n = {n:,}).",
    ])  # fmt: skip


def systems(study: Study) -> None:
    """Sentences of systems: from one value to another, factors, reductions, of several measures."""
    study.latex = study.draw.random() < 0.5
    loads = study.draw.sample([("YCSB-A", "ycsb_a"), ("TPC-C", "tpcc"), ("Memcached", "memcached"), ("Redis", "redis"),
                               ("PageRank", "pagerank")], 3)  # fmt: skip
    systems = study.draw.sample([("Baseline", "baseline"), ("Falcon", "falcon"), ("Linux", "linux"), ("Shard", "shard"),
                                 ("Ours", "ours")], 3)  # fmt: skip
    known = [("median latency", "median_latency_ms", "ms"), ("p99 latency", "p99_latency_ms", "ms"),
             ("memory", "memory_gb", "GB"), ("energy", "energy_j", "J")]  # fmt: skip
    measures = study.draw.sample(known, 2)
    value = {(s, w, k): study.draw.uniform(4, 90) for s in range(3) for w in range(3) for k in range(2)}
    if study.draw.random() < 0.5:
        study.csv("bench.csv", ["system", "workload", *(one[1] for one in measures)],
                  [[systems[s][1], loads[w][1], *(round(value[s, w, k], 4) for k in range(2))]
                   for s in range(3) for w in range(3)])  # fmt: skip
    else:
        for s, w in ((s, w) for s in range(3) for w in range(3)):
            study.json(f"{systems[s][1]}_{loads[w][1]}.json",
                       {one[1]: round(value[s, w, k], 4) for k, one in enumerate(measures)})  # fmt: skip
    if study.draw.random() < 0.5:
        study.table(f"{measures[0][0].capitalize()} ({measures[0][2]}).", ["System", *(load[0] for load in loads)],
                    [[one[0], *(f"{value[s, w, 0]:.1f}" for w in range(3))]
                     for s, one in enumerate(systems)])  # fmt: skip
    sentences = []
    for k, (name, _, unit) in enumerate(measures):
        w, (s, r) = study.draw.randrange(3), study.draw.sample(range(3), 2)
        old, new = max(value[s, w, k], value[r, w, k]), min(value[s, w, k], value[r, w, k])
        slow, fast = (s, r) if value[s, w, k] > value[r, w, k] else (r, s)
        sentences += [
            f"On {loads[w][0]}, {systems[fast][0]} reduces {name} from {old:.1f} {unit} to {new:.1f} {unit} compared "
            f"with {systems[slow][0]}, a {100 * (old - new) / old:.1f} % reduction.",
            f"{systems[fast][0]} lowers {name} on {loads[w][0]} by a factor of {old / new:.2f} "
            f"over {systems[slow][0]}.",
            f"For {loads[w][0]} the {name} of {systems[slow][0]} is {old:.1f} {unit}, and that of {systems[fast][0]} "
            f"{new:.1f} {unit}.",
        ]
    _say(study, sentences)


def habitats(study: Study) -> None:
    """Sentences of ecology: groups of plots with means and deviations, extremes, ranges, differences."""
    study.latex = study.draw.random() < 0.5
    groups = study.draw.sample(["forest", "meadow", "wetland", "heath", "dune"], 4)
    known = [("species richness", "richness"), ("canopy cover", "canopy_cover"), ("soil moisture", "soil_moisture"),
             ("biomass", "biomass")]  # fmt: skip
    measures = study.draw.sample(known, 2)
    plots = [[f"plot{i}", groups[i % 4], *(round(study.draw.gauss(20 + 6 * (i % 4) + 9 * k, 5), 2) for k in range(2))]
             for i in range(48)]  # fmt: skip
    own = {
        (group, k): [float(str(one[2 + k])) for one in plots if one[1] == group] for group in groups for k in range(2)
    }
    if study.draw.random() < 0.6:
        study.csv("plots.csv", ["plot", "habitat", *(one[1] for one in measures)], plots)
    else:
        study.csv("habitats.csv", ["habitat", *(f"{one[1]}_{what}" for one in measures for what in ("mean", "sd"))],
                  [[group, *(round(what(own[group, k]), 5) for k in range(2)
                             for what in (statistics.mean, statistics.stdev))] for group in groups])  # fmt: skip
    means = {place: statistics.mean(values) for place, values in own.items()}
    if study.draw.random() < 0.5:
        study.table("Habitats (mean ± SD).", ["Habitat", *(one[0].capitalize() for one in measures)],
                    [[group.capitalize(), *(f"{means[group, k]:.1f} ± {statistics.stdev(own[group, k]):.1f}"
                                            for k in range(2))] for group in groups])  # fmt: skip
    sentences = []
    for k, (name, _) in enumerate(measures):
        ordered = sorted(groups, key=lambda group: means[group, k])
        a, b = study.draw.sample(groups, 2)
        sentences += [
            f"Mean {name} was highest in {ordered[-1]} ({means[ordered[-1], k]:.1f}) and lowest in {ordered[0]} "
            f"({means[ordered[0], k]:.1f}).",
            f"In {a} plots {name} averaged {means[a, k]:.1f} ± {statistics.stdev(own[a, k]):.1f}, in {b} plots "
            f"{means[b, k]:.1f} ± {statistics.stdev(own[b, k]):.1f}.",
            f"Mean {name} of the habitats was between {means[ordered[0], k]:.1f} and {means[ordered[-1], k]:.1f}.",
        ]
    _say(study, sentences)


COLUMNS = ("numbers", "follow", "accused", "changed", "named", "probably", "shown", "silent", "wrongly")
LAYOUTS = {
    one.__name__: one
    for one in (leaderboard, two_sets, regression, patients, sweep, timings, answers, correlations, ablation, spread,
                panels, rates, years, seeds, transposed, survey, differences, claims, trial, experiment, wages, systems,
                habitats)
}  # fmt: skip
_DECIMAL = re.compile(r"\d*\.\d+")


def made(layout: str, seed: int) -> Study:
    """The study of a layout that a seed gives."""
    study = Study(random.Random(f"{layout} {seed}"))
    LAYOUTS[layout](study)
    return study


def numbers(study: Study, directory: Path) -> dict[str, NumberResult]:
    """What `check` says of every decimal number."""
    examined, _ = examine_files(*study.write(directory), seconds=30)
    return {one.id: one for one in concluded(examined).numbers if _DECIMAL.search(one.printed)}


def is_accused(number: NumberResult) -> bool:
    """Whether a number is said to differ, surely or probably."""
    return number.word == "differs" or number.status == "probably-off"


def changed(study: Study, number: NumberResult, draw: random.Random) -> str:
    """Changes a number in the paper by some per cent and returns what it was; nothing where its place is not clear."""
    line = (number.line or 1) - 1
    text = study.paper[line] if line < len(study.paper) else ""
    old = _DECIMAL.findall(number.printed)[0]
    if text.count(old) != 1:
        return ""
    new = f"{float(old) * draw.choice([0.89, 0.94, 1.06, 1.13]):.{len(old.partition('.')[2])}f}"
    study.paper[line] = text.replace(old, new)
    return old if new != old else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=40, help="of each layout")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", action="append", choices=sorted(LAYOUTS), help="a layout")
    parser.add_argument("--text", action="store_true", help="count and change numbers of sentences only")
    parser.add_argument("--show", action="store_true", help="every number that is missed or accused")
    parser.add_argument("--keep", type=Path, help="directory for the studies")
    given = parser.parse_args()
    shown: Callable[..., None] = print if given.show else lambda *_: None
    print(f"{'layout':14}" + "".join(f"{column:>10}" for column in COLUMNS))
    for layout in given.only or LAYOUTS:
        count: Counter[str] = Counter()
        for seed in range(given.first, given.first + given.studies):
            with tempfile.TemporaryDirectory() as temporary:
                directory = (given.keep or Path(temporary)) / f"{layout}{seed}"
                study = made(layout, seed)
                before = numbers(study, directory)
                asked = {key: one for key, one in before.items() if one.sentence or not given.text}
                if not asked:
                    continue
                count["numbers"] += len(asked)
                for one in asked.values():
                    count["follow"] += one.word == "follows"
                    count["accused"] += is_accused(one)
                    if one.word != "follows":
                        shown(
                            "  ",
                            "ACCUSED" if is_accused(one) else "open",
                            seed,
                            one.id,
                            one.printed,
                            (one.says or "")[:200],
                        )
                draw = random.Random(seed)
                number = asked[draw.choice(sorted(asked))]
                old = changed(study, number, draw)
                if not old:
                    continue
                after = numbers(study, directory)
                count["changed"] += 1
                for key, one in after.items():
                    if key == number.id:
                        right = old in (one.given or "")
                        found = ("named" if one.word == "differs" and right else "probably" if is_accused(one) and right
                                 else "shown" if old in (one.says or "") else "silent")  # fmt: skip
                        count[found] += 1
                        if found != "named":
                            shown("  ", found, seed, key, f"{old} ->", one.printed, one.word, (one.says or "")[:200])
                    elif is_accused(one) and not is_accused(before.get(key, one)):
                        count["wrongly"] += 1
                        shown("  ", "WRONGLY", seed, key, one.printed, (one.says or "")[:200])
        said = "".join(f"{count[column]:10}" for column in COLUMNS)
        print(f"{layout:14}{said}", flush=True)


if __name__ == "__main__":
    main()
