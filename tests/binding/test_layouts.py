"""Layouts of tables and results that people use, each with what tells its cells from an accident."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from binding.random_studies import Row, latex, write_csv
from binding.test_check import checked
from binding.told import counts
from sealtrace.contract.result import Result
from sealtrace.statistics import significance

MODELS = ("alder", "beech", "cherry", "elder", "hazel")


def _json(directory: Path, document: Any) -> None:
    (directory / "results").mkdir(parents=True, exist_ok=True)
    (directory / "results/all.json").write_text(json.dumps(document))


def _markdown(table: list[list[str]]) -> str:
    lines = ["| " + " | ".join(line) + " |" for line in table]
    return "\n".join([lines[0], "|" + "---|" * len(table[0]), *lines[1:], ""])


def _formulas(check: Result) -> list[str]:
    return [one.formula for one in check.formulas]


def test_a_header_of_abbreviations_is_read_once(tmp_path: Path) -> None:
    """A point behind each could be its own or stand apart; to try both for each doubles the time with each."""
    _json(tmp_path, {"rows": [{"model": model, "error": number} for number, model in enumerate(MODELS)]})
    table = [["Model", "Error", "sd." * 60 + "x"]]
    table += [[model, str(number), "0.5"] for number, model in enumerate(MODELS)]
    assert len(checked(tmp_path, _markdown(table), "README.md").numbers) == 2 * len(MODELS)


def test_keys_that_look_like_numbers_select(tmp_path: Path) -> None:
    """A key such as `5%` names a setting and is no result, whatever it looks like."""
    chance = random.Random(1)
    rates = ("5%", "10%", "1/3")
    made = {rate: {model: {"error_mean": chance.random()} for model in MODELS} for rate in rates}
    _json(tmp_path, {"sweep": made})
    table = [["Model", "5%", "10%", "1/3"]]
    table += [[model, *(f"{made[rate][model]['error_mean']:.3f}" for rate in rates)] for model in MODELS]
    check = checked(tmp_path, _markdown(table), "README.md")
    assert (counts(check)["explained"], counts(check)["off"]) == (15, 0), _formulas(check)


def test_a_field_is_read_by_one_column_of_labels(tmp_path: Path) -> None:
    """Names of conditions are keys where those of models are: a row's condition must not be taken for its model."""
    chance = random.Random(2)
    conditions = ("clean", "noisy", "mixed")
    made = {condition: {model: {"coverage": chance.random()} for model in MODELS} for condition in conditions}
    _json(tmp_path, {"runs": made, "exposure": {"all": {one: {"share": chance.random()} for one in conditions}}})
    table = [["Condition", "Model", "Coverage"]]
    table += [[condition, model, f"{made[condition][model]['coverage']:.3f}"]
              for condition in conditions for model in MODELS]  # fmt: skip
    check = checked(tmp_path, latex(table, "Coverage."))
    assert [(one.by, one.agrees, one.numbers) for one in check.formulas] == [(["key2", "key3"], 15, 15)]


@pytest.mark.parametrize("named", [True, False])
def test_headings_above_a_table_name_what_is_fixed(tmp_path: Path, named: bool) -> None:
    """The dataset of a short table may be named only by the section that it stands in."""
    chance = random.Random(3)
    datasets = tuple(f"{letter}-corpus" for letter in "kqrstuvwxyz")
    made = {dataset: {model: {"recall": chance.uniform(0, 99)} for model in MODELS[:3]} for dataset in datasets}
    _json(tmp_path, made)
    table = [["Model", "Recall"], *([model, f"{made['s-corpus'][model]['recall']:.0f}"] for model in MODELS[:3])]
    section = "## S-corpus\n\n### Main results\n\n" if named else "## Results\n\n### Main results\n\n"
    check = checked(tmp_path, f"# Study\n\n{section}{_markdown(table)}", "README.md")
    assert counts(check)["explained"] == (3 if named else 0), _formulas(check)


def test_rows_that_print_the_same_are_one_observation(tmp_path: Path) -> None:
    """Labels are not read by value from five rows that repeat three numbers."""
    values = (0.0012, 0.0081, 0.0149)
    _json(tmp_path, {name: {"gap": value} for name, value in zip(("first", "second", "third"), values, strict=True)})
    table = [["Model", "Left", "Middle", "Right"], *([model, *(f"{one:.3f}" for one in values)] for model in MODELS)]
    check = checked(tmp_path, latex(table, "Cascades."))
    assert (counts(check)["explained"], counts(check)["off"]) == (0, 0), _formulas(check)


def _settings(chance: random.Random) -> list[Row]:
    return [
        {"model": model, "optimizer": optimizer, "accuracy": chance.random(), "faults": chance.randint(0, 2)}
        for optimizer in ("adam", "lion", "sgd", "muon", "lamb", "adagrad")
        for model in MODELS
    ]


@pytest.mark.parametrize("same", [True, False])
def test_a_column_of_few_digits_follows_from_the_rows_of_its_neighbour(tmp_path: Path, same: bool) -> None:
    """Which rows a table speaks of is paid for by one column; single digits of other rows prove nothing."""
    rows = _settings(random.Random(4))
    write_csv(tmp_path / "results/runs.csv", rows)
    chosen = [row for row in rows if row["optimizer"] == "muon"]
    others = chosen if same else [row for row in rows if row["optimizer"] == "lamb"]
    table = [["Model", "Accuracy", "Faults"]]
    table += [[one["model"], f"{one['accuracy']:.3f}", str(other["faults"])]
              for one, other in zip(chosen, others, strict=True)]  # fmt: skip
    check = checked(tmp_path, latex(table, "Results."))
    assert (counts(check)["explained"], counts(check)["off"]) == (10 if same else 5, 0), _formulas(check)


@pytest.mark.parametrize("label", ["Overall", "All models", "Total (n = 35)"])
def test_a_row_for_all_pools_the_rows(tmp_path: Path, label: str) -> None:
    """The last row is over all records, not the mean of the rows above, and its count is their sum."""
    chance = random.Random(5)
    rows: list[Row] = [{"model": model, "seconds": chance.uniform(1, 9)}
                       for place, model in enumerate(MODELS) for _ in range(3 + 2 * place)]  # fmt: skip
    write_csv(tmp_path / "results/runs.csv", rows)
    table = [["Model", "n", "Seconds"]]
    for name in (*MODELS, label):
        values = [row["seconds"] for row in rows if name in (row["model"], label)]
        table.append([name, str(len(values)), f"{sum(values) / len(values):.3f}"])
    check = checked(tmp_path, latex(table, "Times."))
    assert (counts(check)["explained"], counts(check)["off"]) == (12, 0), _formulas(check)


def test_a_sum_beside_means_is_not_off(tmp_path: Path) -> None:
    """A row of means whose first cell is the sum of the counts above it: nothing is wrong with that cell."""
    chance = random.Random(6)
    columns = ("parsing", "ranking", "tagging", "linking", "reading")
    made = {name: {"n": 45, **{column: chance.random() for column in columns}} for name in ("early", "late")}
    _json(tmp_path, made)
    table = [["Half", "n", *columns]]
    table += [[name, "45", *(f"{one[column]:.3f}" for column in columns)] for name, one in made.items()]
    table.append(["Both", "90", *(f"{sum(one[column] for one in made.values()) / 2:.3f}" for column in columns)])
    check = checked(tmp_path, latex(table, "Halves."))
    assert counts(check)["off"] == 0, [one.says for one in check.numbers if one.says]


def test_some_rows_of_a_table_may_come_from_elsewhere(tmp_path: Path) -> None:
    """Three rows of eight are in the results; what others published is not, and stays unexplained."""
    chance = random.Random(7)
    for model in MODELS[:3]:
        write_csv(
            tmp_path / f"results/cv_{model}.csv", [{"accuracy_mean": chance.random(), "f1_mean": chance.random()}]
        )
    table = [["Model", "Accuracy", "F1"]]
    for model in MODELS[:3]:
        _, line = (tmp_path / f"results/cv_{model}.csv").read_text().splitlines()
        table.append([f"{model.title()} classifier", *(f"{float(one):.4f}" for one in line.split(","))])
    table += [[f"Published {place}", f"{chance.random():.4f}", f"{chance.random():.4f}"] for place in "ABCDE"]
    check = checked(tmp_path, latex(table, "Headline."))
    explained = {cell.row for cell in check.numbers if cell.status == "explained"}
    assert (explained, counts(check)["explained"], counts(check)["off"]) == ({row[0] for row in table[1:4]}, 6, 0)


@pytest.mark.parametrize("rank", [False, True])
def test_quantiles_are_tried_where_a_header_names_them(tmp_path: Path, rank: bool) -> None:
    """Between two values as numpy does it, or by rank; a header that names none gets none."""
    chance = random.Random(9)
    rows: list[Row] = [{"model": model, "latency": chance.uniform(1, 99)} for model in MODELS for _ in range(16)]
    write_csv(tmp_path / "results/runs.csv", rows)
    rule: Any = "inverted_cdf" if rank else "linear"
    table = [["Model", "Median latency", "P95 latency", "Usual latency"]]
    for model in MODELS:
        values = [row["latency"] for row in rows if row["model"] == model]
        found = [np.quantile(values, share, method=rule) for share in (0.5, 0.95, 0.9)]
        table.append([model, *(f"{one:.3f}" for one in found)])
    check = checked(tmp_path, latex(table, "Latencies."))
    told = {one.subject: one.statistic for one in check.formulas}
    expected = ("rank50", "rank95") if rank else ("median", "p95")
    assert (told, counts(check)["off"]) == (dict(zip(("Median latency", "P95 latency"), expected, strict=True)), 0)


@pytest.mark.parametrize("told", [True, False])
def test_settings_that_tell_rows_apart_are_given_by_their_records(tmp_path: Path, told: bool) -> None:
    """The window selects the record that gives the time beside it; without that, it is a number like any other."""
    chance = random.Random(11)
    rows: list[Row] = [{"method": "rolling" if place % 2 else "whole", "window": 1024 * (place + 1),
                        "seconds": chance.uniform(1, 99)} for place in range(8)]  # fmt: skip
    write_csv(tmp_path / "results/runs.csv", rows)
    table = [["Method", "Window", "Seconds"]]
    table += [[row["method"], f"{row['window']:,}", f"{row['seconds'] if told else chance.uniform(1, 99):.3f}"]
              for row in rows]  # fmt: skip
    check = checked(tmp_path, latex(table, "Windows."))
    assert (counts(check)["explained"], counts(check)["off"]) == (16 if told else 0, 0), _formulas(check)


def test_times_are_printed_in_larger_units(tmp_path: Path) -> None:
    """Nanoseconds as microseconds, where the header says so."""
    chance = random.Random(8)
    rows: list[Row] = [{"model": model, "median_ns": chance.uniform(2e4, 9e5)} for model in MODELS[:3]]
    write_csv(tmp_path / "results/runs.csv", rows)
    table = [["Model", "Median μs"], *([row["model"], f"{row['median_ns'] / 1000:.1f}"] for row in rows)]
    check = checked(tmp_path, _markdown(table), "README.md")
    assert [one.transformation for one in check.formulas] == ["x / 1000"]


@pytest.mark.parametrize("beside", [True, False])
def test_a_rule_that_is_alone_in_its_place_points_at_nothing(tmp_path: Path, beside: bool) -> None:
    """Where no other column follows from the file, it is one like that which the table was made of, and not it."""
    chance = random.Random(10)
    rows: list[Row] = [{"model": f"{one}{size}", "accuracy": chance.random(), "recall": chance.random(),
                        "precision": chance.random()} for one in MODELS for size in "ab"]  # fmt: skip
    write_csv(tmp_path / "results/runs.csv", rows)
    table = [["Model", "Accuracy", "Recall", "Precision"]]
    for row in rows:
        others = (row["recall"], row["precision"]) if beside else (chance.random(), chance.random())
        table.append([row["model"], *(f"{one:.4f}" for one in (row["accuracy"], *others))])
    table[3][1] = table[3][1][:-1] + str((int(table[3][1][-1]) + 5) % 10)
    check = checked(tmp_path, latex(table, "Scores."))
    assert (counts(check)["explained"], counts(check)["off"]) == ((29, 1) if beside else (9, 0)), _formulas(check)


@pytest.mark.parametrize(("systems", "off"), [(6, 0), (12, 1)])
def test_a_run_that_was_picked_for_few_numbers_points_at_none_of_the_other(
    tmp_path: Path, systems: int, off: int
) -> None:
    """Each system has two runs, and the table prints the other one of one system: five choices are no rule yet."""
    chance = random.Random(12)
    names = [f"{model} {size}" for model in MODELS for size in ("small", "large", "huge")][:systems]
    rows: list[Row] = [{"system": one, "corpus": corpus, "ppl": chance.uniform(60, 90)}
                       for one in names for corpus in ("wiki", "news")]  # fmt: skip
    write_csv(tmp_path / "results/runs.csv", rows)
    printed = {row["system"]: f"{row['ppl']:.3f}" for row in rows if row["corpus"] == "news"}
    printed[names[1]] = next(f"{row['ppl']:.3f}" for row in rows if row["system"] == names[1])
    check = checked(tmp_path, latex([["System", "PPL"], *([one, printed[one]] for one in names)], "Perplexity."))
    assert (counts(check)["explained"], counts(check)["off"]) == ((11, 1) if off else (0, 0)), _formulas(check)


def test_what_is_measured_selects_only_by_the_value_that_is_said(tmp_path: Path) -> None:
    """A caption that names a threshold of a measure does not make its values filters."""
    chance = random.Random(13)
    rows: list[Row] = [{"system": one, "rouge": round(chance.uniform(0.05, 0.2), 3), "loss": chance.random(),
                        "norm": chance.random(), "depth_score": chance.random()} for one in MODELS]  # fmt: skip
    rows[0]["rouge"] = 0.1
    write_csv(tmp_path / "results/runs.csv", rows)
    names = ("rouge", "loss", "norm", "depth_score")
    table = [["", *names], *(["", *(f"{row[name]:.3f}" for name in names)] for row in rows)]
    check = checked(tmp_path, latex(table, "Good where rouge is below 0.10."))
    assert not [one.where for one in check.formulas if one.where.get("rouge") not in (None, "0.1")]


@pytest.mark.parametrize("grows", [True, False])
def test_tables_print_the_end_of_each_curve(tmp_path: Path, grows: bool) -> None:
    """Of records by a growing step the last one of each run is meant; a number that is not there differs from it."""
    chance = random.Random(7)
    rows: list[Row] = [
        {"step": place if grows else 1, "model": model, "dataset": data, "accuracy": round(chance.uniform(0.5, 1), 4)}
        for data in ("moons", "rings") for model in MODELS for place in range(1, 21)
    ]  # fmt: skip
    write_csv(tmp_path / "results/curves.csv", rows)
    table = [["Model", "moons", "rings"]]
    for model in MODELS:
        own = [row for row in rows if row["model"] == model]
        ends = [[row for row in own if row["dataset"] == data][-1] for data in ("moons", "rings")]
        table.append([model, *(f"{100 * row['accuracy']:.2f}" for row in ends)])
    table[2][1] = f"{float(table[2][1]) + 3:.2f}"
    check = checked(tmp_path, latex(table, "Accuracy."))
    numbers = 2 * len(MODELS)
    assert (counts(check)["explained"], counts(check)["off"]) == ((numbers - 1, 1) if grows else (0, 0))


@pytest.mark.parametrize("numbered", [True, False])
def test_tables_of_regressions_follow(tmp_path: Path, numbered: bool) -> None:
    """Estimates with their errors in brackets below; columns are only counted, and the file numbers them otherwise."""
    models = {
        3: ("north", ["dose"]),
        1: ("north", ["dose", "age"]),
        4: ("south", ["dose"]),
        2: ("south", ["dose", "age"]),
    }
    chance, lines, cells = random.Random(5), ["term,estimate,std_error,id,sample,n,r2"], {}
    for place, (number, (sample, terms)) in enumerate(models.items()):
        size, fit = {"north": 152, "south": 97}[sample], chance.uniform(0.2, 0.8)
        for term in [*terms, "intercept"]:
            estimate, error = chance.gauss(0, 20), chance.uniform(1, 9)
            lines.append(
                f"{term},{estimate:.6f},{error:.6f},{number if numbered else 7 * number},{sample},{size},{fit:.6f}"
            )
            cells[term, place] = f"{estimate:.2f}", f"({error:.3f})"
        cells["N", place], cells["fit", place] = (f"{size}", ""), (f"{fit:.3f}", "")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "models.csv").write_text("\n".join(lines) + "\n")
    table = [["", "(1)", "(2)", "(3)", "(4)"]]
    for label, name in (("Daily amount", "dose"), ("Age (years)", "age"), ("N", "N"), ("Fit", "fit")):
        both = [cells.get((name, place), ("", "")) for place in range(4)]
        table.append([label, *(above for above, _ in both)])
        if any(below for _, below in both):
            table.append(["", *(below for _, below in both)])
    check = checked(tmp_path, latex(table, "Estimates, with standard errors in brackets."))
    words = [(one.row, one.column, one.word) for one in check.numbers if one.word != "follows" and one.table]
    assert words == [], _formulas(check)
    (renamed,) = [one for one in check.findings if one.key and one.key.get("accident") == "another-name"]
    assert (renamed.severity, "(1) = " in renamed.message) == ("note", True)


def test_a_reduction_is_relative_to_its_baseline(tmp_path: Path) -> None:
    """A share of the baseline that is saved is printed without a sign, and computed before rounding."""
    chance = random.Random(6)
    rates = {name: [chance.uniform(0.05, 0.6) for _ in range(4)] for name in ("none", *MODELS)}
    rows: list[Row] = [{"defence": name, "victim": f"v{place}", "attacks": value}
                       for name, values in rates.items() for place, value in enumerate(values)]  # fmt: skip
    write_csv(tmp_path / "results/runs.csv", rows)
    mean = {name: float(np.mean(values)) for name, values in rates.items()}
    table = [["Defence", "Mean attacks", "Attack reduction"], ["none", f"{mean['none']:.3f}", "—"]]
    table += [[name, f"{mean[name]:.3f}", f"{100 - 100 * mean[name] / mean['none']:+.1f}%"] for name in MODELS]
    check = checked(tmp_path, _markdown(table), "README.md")
    assert counts(check) == {"explained": 11}, _formulas(check)


def test_labels_are_read_by_their_initials(tmp_path: Path) -> None:
    """Results call by initials what the paper writes out: a column and a value of a field."""
    chance = random.Random(7)
    spread = {"bmi": (25, 3), "sbp": (128, 12), "ldl": (3, 1)}
    rows: list[Row] = [{name: chance.gauss(*moments) for name, moments in spread.items()} for _ in range(60)]
    write_csv(tmp_path / "results/people.csv", rows)
    names = {"Body mass index": "bmi", "Systolic blood pressure (mmHg)": "sbp"}
    table = [["", "Mean", "SD", "Minimum", "Maximum"]]
    for label, name in names.items():
        values = [float(row[name]) for row in rows]
        measured = np.mean(values), np.std(values, ddof=1), min(values), max(values)
        table.append([label, *(f"{value:.2f}" for value in measured)])
    check = checked(tmp_path, latex(table, "Description of the sample."))
    assert counts(check) == {"explained": 8}, _formulas(check)


def test_labels_name_both_numbers_of_a_cell(tmp_path: Path) -> None:
    """`mean (SD)` and `median [IQR]` in a label stand for the numbers of its cell; the file is one record."""
    chance = random.Random(8)
    record: Row = {}
    table = [["Characteristic", "Value"]]
    for name, label in (("age", "Age, years"), ("bmi", "BMI, kg/m2"), ("iron", "Iron, ng/mL"), ("lead", "Lead")):
        mean, spread = chance.uniform(20, 90), chance.uniform(2, 9)
        if name in ("age", "bmi"):
            record |= {f"{name}_mean": mean, f"{name}_sd": spread}
            table.append([f"{label}, mean (SD)", f"{mean:.1f} ({spread:.1f})"])
        else:
            record |= {f"{name}_median": mean, f"{name}_q25": mean - spread, f"{name}_q75": mean + spread}
            quartiles = "[IQR]" if name == "lead" else "(Q25, Q75)"
            table.append([f"{label}, median {quartiles}", f"{mean:.1f} ({mean - spread:.1f}, {mean + spread:.1f})"])
    write_csv(tmp_path / "results/one.csv", [record])
    check = checked(tmp_path, latex(table, "Description of the sample."))
    assert counts(check) == {"explained": 4}, [(one.row, one.says) for one in check.numbers]


def test_ends_of_intervals_that_stand_in_lists_are_read(tmp_path: Path) -> None:
    """Programs write an interval as a list beside its estimate."""
    chance = random.Random(9)
    made: dict[str, object] = {}
    table = [["Metric", "Pearson r", "95% CI"]]
    for model in MODELS:
        middle, reach = chance.uniform(0.2, 0.8), chance.uniform(0.02, 0.1)
        ends = [middle - reach, middle + 1.5 * reach]
        made[model] = {"pearson": middle, "pearson_ci": ends, "n": 420}
        table.append([model, f"{middle:.2f}", f"[{ends[0]:.2f}, {ends[1]:.2f}]"])
    _json(tmp_path, {"correlations": made})
    check = checked(tmp_path, _markdown(table), "README.md")
    assert counts(check) == {"explained": 2 * len(MODELS)}, _formulas(check)


@pytest.mark.parametrize("method", ["exact", "corrected"])
def test_mcnemar_against_a_baseline_follows(method: str, tmp_path: Path) -> None:
    """The p-values of paired answers, against the row that the header names."""
    chance = random.Random(10)
    hard = [chance.gauss(0, 1) for _ in range(300)]
    right = {model: [int(chance.gauss(skill, 1) > level) for level in hard]
             for model, skill in zip(MODELS, (0.2, 0.5, 0.35, 0.0, 0.9), strict=True)}  # fmt: skip
    answers = [(model, place, flag) for model, flags in right.items() for place, flag in enumerate(flags)]
    rows: list[Row] = [{"model": model, "item": f"q{place}", "correct": flag} for model, place, flag in answers]
    write_csv(tmp_path / "results/answers.csv", rows)
    base = right["alder"]
    table = [["Model", "Accuracy (%)", "McNemar p vs. alder"], ["alder", f"{100 * np.mean(base):.2f}", "—"]]
    for model in MODELS[1:]:
        pairs = list(zip(right[model], base, strict=True))
        p = float(significance.mcnemar(pairs.count((1, 0)), pairs.count((0, 1)), method).p)
        table.append([model, f"{100 * np.mean(right[model]):.2f}", f"{p:.5f}"])
    check = checked(tmp_path, _markdown(table), "README.md")
    assert counts(check) == {"explained": 9}, _formulas(check)


def test_ends_of_bootstrap_intervals_are_open_with_their_reason(tmp_path: Path) -> None:
    """Nobody released the seeds of the resamples: what follows is the mean, and that is said."""
    chance = random.Random(12)
    rows: list[Row] = [{"model": model, "score": chance.gauss(60, 9)} for model in MODELS for _ in range(40)]
    write_csv(tmp_path / "results/runs.csv", rows)
    table = [["Model", "Score", "95% bootstrap CI"]]
    for model in MODELS:
        values = [float(row["score"]) for row in rows if row["model"] == model]
        means = np.sort([np.mean(chance.choices(values, k=40)) for _ in range(200)])
        table.append([model, f"{np.mean(values):.3f}", f"[{means[4]:.3f}, {means[195]:.3f}]"])
    check = checked(tmp_path, _markdown(table), "README.md")
    intervals = [one for one in check.numbers if one.column == "95% bootstrap CI"]
    assert {one.word for one in check.numbers if one.column == "Score"} == {"follows"}
    assert {(one.word, "seeds are not known" in one.says) for one in intervals} == {("open", True)}


def test_a_label_that_is_printed_once_stands_for_the_rows_below(tmp_path: Path) -> None:
    """Groups of rows whose name stands in the first of them only, as a short form of a name in the results."""
    chance = random.Random(13)
    backbones = {"MF": "PlainMF", "GCN": "SwiftGCN", "RNN": "TinyRNN"}
    recalls = {(model, method, city, split): chance.random() for model in backbones.values() for method in MODELS
               for city in ("Oslo", "Turin") for split in ("valid", "test")}  # fmt: skip
    names = ("model", "method", "city", "split")
    write_csv(tmp_path / "results/runs.csv",
              [dict(zip(names, keys, strict=True), recall=value) for keys, value in recalls.items()])  # fmt: skip
    table = [["Backbone", "Method", "Oslo", "Turin"]]
    for backbone, model in backbones.items():
        for method in MODELS:
            own = [f"{recalls[model, method, city, 'test']:.3f}" for city in ("Oslo", "Turin")]
            table.append([backbone if method == MODELS[0] else "", method, *own])
    check = checked(tmp_path, _markdown(table), "README.md")
    assert counts(check) == {"explained": 30}, _formulas(check)
