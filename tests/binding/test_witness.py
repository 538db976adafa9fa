"""The labels' witness: a number that the record of the same name contradicts is named, and nothing else is."""

from __future__ import annotations

import json
import random
import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.runner import sealtrace
from sealtrace.binding.checking import WORK_A_SECOND, views_of
from sealtrace.binding.files import read_results
from sealtrace.binding.series import grids_of
from sealtrace.binding.tables import bind_tables
from sealtrace.binding.tally import Tally
from sealtrace.binding.witness import hear_labels
from sealtrace.paper.papers import read_paper

SYSTEMS = ("base", "ours", "big", "tiny", "huge")
Numbers = dict[str, tuple[str, str | None, str | None]]
"""Row and column to word, given text and what is said."""


def checked(directory: Path, *options: str) -> tuple[int, Numbers]:
    """The exit code, and word, given text and finding of each number of `paper.md` against `results`."""
    found = directory / "found.json"
    run = sealtrace("check", directory / "paper.md", directory / "results", "--quiet", "-o", f"json={found}", *options)
    result = json.loads(found.read_text())
    return run.code, {
        f"{number['row']}, {number['column']}": (number["word"], number.get("given"), number.get("says"))
        for number in result["numbers"]
    }


def study(directory: Path, changed: str) -> Path:
    """Five systems, five seeds, two measures; the paper prints means over seeds, changed in one way."""
    draw = random.Random(3)
    rows = [
        (system, seed, round(level + draw.gauss(0, 0.01), 4), round(level - 0.05 + draw.gauss(0, 0.012), 4))
        for system, level in zip(SYSTEMS, (0.55, 0.7, 0.62, 0.45, 0.74), strict=True)
        for seed in range(1, 6)
    ]
    (directory / "results").mkdir(parents=True)
    lines = ["system,seed,accuracy,f1", *(",".join(map(str, row)) for row in rows)]
    (directory / "results" / "runs.csv").write_text("\n".join(lines) + "\n")

    def of(system: str, column: int) -> list[float]:
        return [100 * float(row[column]) for row in rows if row[0] == system]

    def brought(values: list[float]) -> float:
        return {"best": max(values), "run": values[2]}.get(changed, statistics.mean(values))

    table = {system: [brought(of(system, 2)), brought(of(system, 3))] for system in SYSTEMS}
    if changed == "rows":
        table["ours"], table["big"] = table["big"], table["ours"]
    if changed == "columns":
        table = {system: values[::-1] for system, values in table.items()}
    if changed == "one":
        table["ours"][0] += 1.83
    printed = [f"| {system} | {first:.2f} | {second:.2f} |" for system, (first, second) in table.items()]
    head = ["# Systems", "", "Mean over five seeds.", "", "| System | Accuracy | F1 |", "|---|---|---|"]
    (directory / "paper.md").write_text("\n".join([*head, *printed]) + "\n")
    return directory


def test_a_number_that_its_record_contradicts_differs(tmp_path: Path) -> None:
    """Three rows of a file agree with the table, the fourth says something else: the fourth number is named."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "models.csv").write_text(
        "model,accuracy\nalpha,71.25\nbeta,64.07\ngamma,66.18\ndelta,59.33\n"
    )
    rows = "| alpha | 71.25 |\n| beta | 64.07 |\n| gamma | 68.90 |\n| delta | 59.33 |\n"
    (tmp_path / "paper.md").write_text(f"# Models\n\n| Model | Accuracy |\n|---|---|\n{rows}")
    code, numbers = checked(tmp_path)
    assert code == 1
    word, given, says = numbers["gamma, Accuracy"]
    assert (word, given) == ("differs", "66.18")
    assert says is not None
    assert "the paper prints 68.90; the results give 66.18 (models.csv:4)" in says
    assert {numbers[f"{name}, Accuracy"][0] for name in ("alpha", "beta", "delta")} == {"follows"}


def test_the_paper_as_it_is_names_nothing(tmp_path: Path) -> None:
    """Every number of the study follows."""
    code, numbers = checked(study(tmp_path, ""))
    assert code == 0
    assert {word for word, _, _ in numbers.values()} == {"follows"}


def test_one_other_value_is_named_with_what_the_records_give(tmp_path: Path) -> None:
    """A number that is nobody's slip of a digit: 71.51 for 69.68."""
    code, numbers = checked(study(tmp_path, "one"))
    wrong = {name: given for name, (word, given, _) in numbers.items() if word == "differs"}
    assert code == 1
    assert list(wrong) == ["ours, Accuracy"]
    assert wrong["ours, Accuracy"] == "69.68"


@pytest.mark.parametrize(
    ("changed", "said"), [("columns", "that of F1"), ("best", "greatest"), ("run", "seed = 3 alone")]
)
def test_another_column_or_statistic_than_labels_name_differs(changed: str, said: str, tmp_path: Path) -> None:
    """Many printed numbers follow from something else than the header or the caption says: that is no explanation."""
    code, numbers = checked(study(tmp_path, changed))
    assert code == 1
    assert {word for word, _, _ in numbers.values()} == {"differs"}
    assert said in (numbers["ours, Accuracy"][2] or "")


def test_exchanged_rows_are_an_error(tmp_path: Path) -> None:
    """Two rows print each other's numbers."""
    code, numbers = checked(study(tmp_path, "rows"))
    assert code == 1
    follow = {name.partition(",")[0] for name, (word, _, _) in numbers.items() if word == "follows"}
    assert follow == {"base", "tiny", "huge"}
    assert numbers["ours, Accuracy"][1] == numbers_of_good(tmp_path / "good")["ours, Accuracy"][1]


def numbers_of_good(directory: Path) -> dict[str, tuple[str, str | None, str | None]]:
    """The study without a change."""
    directory.mkdir()
    return checked(study(directory, ""))[1]


def test_a_header_that_is_a_field_is_no_statistic(tmp_path: Path) -> None:
    """A column `Median` is the field of that name, in whichever of two files it stands."""
    (tmp_path / "results").mkdir()
    for name, shift in (("first", 0.0), ("second", 0.9)):
        lines = [f"{kind},{value + shift:.2f}" for kind, value in (("pfoa", 3.3), ("pfos", 12.3), ("pfna", 1.07))]
        (tmp_path / "results" / f"{name}_summary.csv").write_text("Compound,Median\n" + "\n".join(lines) + "\n")
    rows = "| PFOA | 3.30 |\n| PFOS | 12.30 |\n| PFNA | 1.07 |\n"
    (tmp_path / "paper.md").write_text(f"# Compounds\n\n| Compound | Median |\n|---|---|\n{rows}")
    _, numbers = checked(tmp_path)
    assert "differs" not in {word for word, _, _ in numbers.values()}


def test_columns_whose_headers_are_values_of_a_field_differ_where_they_are_exchanged(tmp_path: Path) -> None:
    """`copa` prints the accuracies of `piqa`, and the other way round; `boolq` follows."""
    (tmp_path / "results").mkdir()
    draw = random.Random(4)
    shares = {(name, task): round(draw.uniform(40, 90), 2) for name in SYSTEMS for task in ("boolq", "piqa", "copa")}
    lines = [f"{name},{task},{share}" for (name, task), share in shares.items()]
    (tmp_path / "results" / "runs.csv").write_text("system,task,accuracy\n" + "\n".join(lines) + "\n")
    printed = [" | ".join(f"{shares[name, task]:.2f}" for task in ("boolq", "copa", "piqa")) for name in SYSTEMS]
    rows = "\n".join(f"| {name} | {row} |" for name, row in zip(SYSTEMS, printed, strict=True))
    (tmp_path / "paper.md").write_text(f"# P\n\n| System | boolq | piqa | copa |\n|---|---|---|---|\n{rows}\n")
    code, numbers = checked(tmp_path)
    assert code == 1
    assert {name.rpartition(" ")[2]: word for name, (word, _, _) in numbers.items()} == {
        "boolq": "follows", "piqa": "differs", "copa": "differs"
    }  # fmt: skip
    assert numbers["ours, piqa"][1] == f"{shares['ours', 'piqa']:.2f}"


def test_a_label_that_other_columns_explain_predicts_its_cell(tmp_path: Path) -> None:
    """No label is a value letter by letter; what `A→B` means is established by the row's other numbers."""
    (tmp_path / "results").mkdir()
    draw = random.Random(8)
    names = ("cic2017->cic2018", "cic2018->cic2017", "cic2017->cic2019", "cic2019->cic2017")
    records = {name: [round(draw.uniform(0.2, 0.9), 4) for _ in range(3)] for name in names}
    lines = [",".join([name, *map(str, values)]) for name, values in records.items()]
    (tmp_path / "results" / "transfer.csv").write_text("direction,macro_f1,roc_auc,mcc\n" + "\n".join(lines) + "\n")
    table = {name.replace("cic", "").replace("->", "→"): [f"{one:.3f}" for one in values]
             for name, values in records.items()}  # fmt: skip
    right = table["2018→2017"][1]
    table["2018→2017"][1] = f"{float(right) + 0.042:.3f}"
    rows = "\n".join(f"| {name} | {' | '.join(values)} |" for name, values in table.items())
    head = "| Direction | Macro F1 | ROC-AUC | MCC |\n|---|---|---|---|\n"
    (tmp_path / "paper.md").write_text(f"# Transfer\n\n{head}{rows}\n")
    _, numbers = checked(tmp_path)
    differs = {name: given for name, (_, given, says) in numbers.items() if says}
    assert differs == {"2018→2017, ROC-AUC": right}


def test_a_table_none_of_whose_numbers_agrees_is_one_warning(tmp_path: Path) -> None:
    """The file that its labels name says something near, but else, of every number: the table is probably stale."""
    (tmp_path / "results").mkdir()
    rows = {"alpha": (71.25, 0.512), "beta": (64.07, 0.498), "gamma": (66.18, 0.471), "delta": (59.33, 0.533)}
    lines = [f"{name},{first},{second}" for name, (first, second) in rows.items()]
    (tmp_path / "results" / "models.csv").write_text("model,accuracy,loss\n" + "\n".join(lines) + "\n")
    printed = [f"| {name} | {first + 1.37:.2f} | {second - 0.031:.3f} |" for name, (first, second) in rows.items()]
    head = "| Model | Accuracy | Loss |\n|---|---|---|\n"
    (tmp_path / "paper.md").write_text(f"# Models\n\n{head}" + "\n".join(printed) + "\n")
    code, numbers = checked(tmp_path)
    assert code == 3
    assert {word for word, _, _ in numbers.values()} == {"open"}
    (finding,) = json.loads((tmp_path / "found.json").read_text())["findings"]
    assert (finding["severity"], finding["key"]["accident"]) == ("warning", "stale-table")
    assert "none of 8 numbers is what models.csv says" in finding["message"]


def test_frames_of_one_name_may_have_other_fields(tmp_path: Path) -> None:
    """Objects of two depths stand in one file, and a formula of one fixes a field that the other does not have."""
    (tmp_path / "results").mkdir()
    draw = random.Random(2)
    settings = [(size, split) for size in (64, 128, 256) for split in ("test", "dev")]
    rates = {name: round(draw.uniform(40, 60), 2) for name in ("full", "window", "tree", "snap")}
    within = {name: [round(draw.uniform(100, 300), 2) for _ in settings] for name in rates}
    made = {
        name: {"rate": rate, "budgets": [{"budget": size, "split": split, "rate": one}
                                         for (size, split), one in zip(settings, within[name], strict=True)]}
        for name, rate in rates.items()
    }  # fmt: skip
    for run in ("a", "b"):
        (tmp_path / "results" / f"results_{run}.json").write_text(json.dumps({"methods": made, "run": run}))
    rows = "\n".join(
        f"| {name} | {rate:.2f} | " + " | ".join(f"{one:.1f}" for one in within[name][::2]) + " |"
        for name, rate in rates.items()
    )
    head = "| Method | Rate | 64 | 128 | 256 |\n|---|---|---|---|---|\n"
    (tmp_path / "paper.md").write_text(f"# Rates on test\n\n{head}{rows}\n")
    code, numbers = checked(tmp_path)
    assert code in (0, 3)
    assert "differs" not in {word for word, _, _ in numbers.values()}


@pytest.mark.parametrize("exchanged", [False, True])
def test_exchanged_columns_are_named_where_headers_only_resemble_fields(exchanged: bool, tmp_path: Path) -> None:
    """`Macro F1` and `Attack F1` print each other's numbers; neither header is the name of a field letter by letter."""
    (tmp_path / "results").mkdir()
    draw = random.Random(6)
    scores = {
        name: {field: round(draw.uniform(0.1, 0.9), 5) for field in ("f1_macro", "attack_class_f1", "roc_auc")}
        for name in SYSTEMS
    }
    (tmp_path / "results" / "metrics.json").write_text(json.dumps(scores))
    fields = ("attack_class_f1", "f1_macro", "roc_auc") if exchanged else ("f1_macro", "attack_class_f1", "roc_auc")
    rows = [f"| {name} | {' | '.join(f'{own[field]:.3f}' for field in fields)} |" for name, own in scores.items()]
    head = ["# P", "", "| System | Macro F1 | Attack F1 | ROC-AUC |", "|---|---|---|---|"]
    (tmp_path / "paper.md").write_text("\n".join([*head, *rows]) + "\n")
    code, numbers = checked(tmp_path)
    words = {name: word for name, (word, _, _) in numbers.items()}
    assert code == (1 if exchanged else 0)
    assert {name for name, word in words.items() if word == "differs"} == (
        {name for name in words if not name.endswith("AUC")} if exchanged else set()
    )
    assert numbers["ours, Macro F1"][1] == f"{scores['ours']['f1_macro']:.3f}"


@pytest.mark.parametrize(("label", "code"), [("delta", 1), ("delta [7]", 3)])
def test_a_row_of_another_run_is_no_error(label: str, code: int, tmp_path: Path) -> None:
    """All numbers of a row disagree: an error under the record's own name, another run under one that is like it."""
    (tmp_path / "results").mkdir()
    draw = random.Random(8)
    scores = {name: [round(draw.uniform(40, 90), 2) for _ in range(2)] for name in ("alpha", "beta", "gamma", "delta")}
    lines = [f"{name},{one},{two}" for name, (one, two) in scores.items()]
    (tmp_path / "results" / "models.csv").write_text("model,accuracy,f1\n" + "\n".join(lines) + "\n")
    printed = {**scores, "delta": [scores["delta"][0] + 1.37, scores["delta"][1] + 2.18]}
    rows = [f"| {label if name == 'delta' else name} | {one:.2f} | {two:.2f} |" for name, (one, two) in printed.items()]
    head = ["# Models", "", "| Model | Accuracy | F1 |", "|---|---|---|"]
    (tmp_path / "paper.md").write_text("\n".join([*head, *rows]) + "\n")
    found, numbers = checked(tmp_path)
    assert found == code
    assert {word for name, (word, _, _) in numbers.items() if name.startswith("delta")} == (
        {"differs"} if code == 1 else {"open"}
    )
    findings = json.loads((tmp_path / "found.json").read_text())["findings"]
    assert [finding["key"].get("accident") for finding in findings] == ([None] * 2 if code == 1 else ["another-run"])


def test_two_runs_of_the_same_rows_are_told_apart_by_their_values(tmp_path: Path) -> None:
    """Two files of the same columns and rows, neither of which its name calls old: the table follows from one."""
    (tmp_path / "results").mkdir()
    draw = random.Random(10)
    runs = {day: {name: round(draw.uniform(40, 90), 2) for name in SYSTEMS} for day in ("march", "april")}
    for day, scores in runs.items():
        lines = [f"{name},{score}" for name, score in scores.items()]
        (tmp_path / "results" / f"scores_{day}.csv").write_text("system,accuracy\n" + "\n".join(lines) + "\n")
    rows = [f"| {name} | {score:.2f} |" for name, score in runs["march"].items()]
    (tmp_path / "paper.md").write_text("\n".join(["# P", "", "| System | Accuracy |", "|---|---|", *rows]) + "\n")
    code, numbers = checked(tmp_path)
    assert code == 0
    assert {word for word, _, _ in numbers.values()} == {"follows"}
    (finding,) = json.loads((tmp_path / "found.json").read_text())["findings"]
    assert (finding["severity"], finding["key"]["accident"]) == ("warning", "two-runs")
    assert "march" in finding["message"]
    assert "april" in finding["message"]


def four_models(directory: Path, records: str, printed: str) -> tuple[int, Numbers]:
    """What is said of a table of one or two scores beside a file of the same names."""
    (directory / "results").mkdir()
    (directory / "results" / "models.csv").write_text(records)
    columns = printed.splitlines()[0].count("|") - 1
    head = ["| Model | Accuracy | F1 |", "| Model | Accuracy |"][columns == 2]
    (directory / "paper.md").write_text(f"# Models\n\n{head}\n{'|---' * columns}|\n{printed}")
    return checked(directory)


def test_a_number_that_was_rounded_twice_follows_with_a_warning(tmp_path: Path) -> None:
    """0.158494 is 0.158; who printed 0.159 rounded 0.1585 once more, which `verify` calls a warning, too."""
    records = "model,accuracy\nalpha,0.712531\nbeta,0.640702\ngamma,0.158494\ndelta,0.593361\n"
    printed = "| alpha | 0.713 |\n| beta | 0.641 |\n| gamma | 0.159 |\n| delta | 0.593 |\n"
    code, numbers = four_models(tmp_path, records, printed)
    result = json.loads((tmp_path / "found.json").read_text())
    assert code == 0
    assert numbers["gamma, Accuracy"][:2] == ("follows", "0.158")
    assert [number["status"] for number in result["numbers"]].count("double-rounded") == 1
    [finding] = result["findings"]
    assert finding["severity"] == "warning"
    assert "the results give 0.158 (models.csv:4)" in finding["message"]
    assert "rounded once more" in finding["message"]


def test_two_rows_that_are_the_whole_table_are_exchanged_and_not_stale(tmp_path: Path) -> None:
    """Nothing agrees with the record of its name, and everything with the record of the other one."""
    records = "model,accuracy,f1\nalpha,71.25,64.31\nbeta,64.07,58.92\n"
    code, numbers = four_models(tmp_path, records, "| alpha | 64.07 | 58.92 |\n| beta | 71.25 | 64.31 |\n")
    assert code == 1
    assert [(word, given) for word, given, _ in numbers.values()] == [
        ("differs", "71.25"), ("differs", "64.31"), ("differs", "64.07"), ("differs", "58.92"),
    ]  # fmt: skip
    assert "is that of beta" in str(numbers["alpha, Accuracy"][2])


def test_what_labels_were_not_asked_of_has_odds_all_the_same(tmp_path: Path) -> None:
    """Where no work is left for the labels' witness, only the search has pointed at a number, maybe by accident."""
    study(tmp_path, "one")
    grids, tally = grids_of(read_paper(tmp_path / "paper.md", None).tables), Tally()
    views = views_of(read_results(tmp_path / "results"), [], tally)
    bound = bind_tables(grids, views, tally, 10 * WORK_A_SECOND)
    hear_labels(grids, views, bound, tally, -1.0)
    wrong = [number for number in bound.numbers.values() if not number.agrees]
    assert wrong
    assert all(number.odds is not None for number in wrong)


def test_numbers_of_columns_that_only_count_are_not_exchanged(tmp_path: Path) -> None:
    """Columns (1) to (4) of regressions, which the file numbers in another order."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "fits.csv").write_text("id,r2\n1,0.2713\n2,0.4831\n3,0.3994\n4,0.6127\n")
    table = "| | (1) | (2) | (3) | (4) |\n|---|---|---|---|---|\n| R2 | 0.2713 | 0.3994 | 0.4831 | 0.6127 |\n"
    (tmp_path / "paper.md").write_text(f"# Fits\n\n{table}")
    _, numbers = checked(tmp_path)
    assert [word for word, _, _ in numbers.values() if word == "differs"] == []


@pytest.mark.parametrize(("flags", "told"), [("all", False), ("answers", True)])
def test_a_flag_says_something_of_answers_if_it_is_not_always_set(flags: str, told: bool, tmp_path: Path) -> None:
    """A flag that is always set agrees with 57 of 60 right answers, and means something else."""
    lines = ["item,gold,predicted,flag"]
    for item in range(60):
        gold = "abc"[item % 3]
        wrong = item % 20 == 7 if flags == "all" else item % 3 == 1
        answer = "abc"[(item + 1) % 3] if wrong else gold
        lines.append(f"{item},{gold},{answer},{int(flags == 'all' or not wrong or item == 4)}")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "answers.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "paper.md").write_text("# Answers\n\n| Model | Accuracy |\n|---|---|\n| ours | 0.95 |\n")
    checked(tmp_path)
    findings = json.loads((tmp_path / "found.json").read_text())["findings"]
    assert any((finding.get("key") or {}).get("accident") == "unlike-flag" for finding in findings) == told


def test_a_remark_in_brackets_behind_a_number_costs_nothing(tmp_path: Path) -> None:
    """A released table says `79.6 (up 9.9)` in some rows: the column is one of numbers all the same."""
    rows = ["lite,77.2 (up 7.5)", "small,79.6 (up 9.9)", "swin,81.3", "pvt,78.4", "deit,81.8"]
    printed = "| lite | 77.2 |\n| small | 79.6 |\n| swin | 83.1 |\n| pvt | 78.4 |\n| deit | 81.8 |\n"
    code, numbers = four_models(tmp_path, "\n".join(["model,accuracy", *rows]) + "\n", printed)
    assert code == 1
    assert [given for word, given, _ in numbers.values() if word == "differs"] == ["81.3"]
    assert [word for word, _, _ in numbers.values()].count("follows") == 4


@pytest.mark.parametrize(("taken", "follows"), [(max, True), (min, False)])
def test_the_statistic_of_one_header_is_not_that_of_the_next(
    taken: Callable[[list[float]], float], follows: bool, tmp_path: Path
) -> None:
    """`max error` stands behind `min ratio`: the least error explains nothing under it."""
    draw = random.Random(5)
    sizes = ("north", "south", "east", "west", "centre")
    rows = [(size, round(draw.uniform(0.1, 0.9), 4), round(draw.uniform(1, 9), 4)) for size in sizes for _ in range(6)]
    (tmp_path / "results").mkdir()
    lines = ["site,ratio,max_abs_error", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "results" / "sites.csv").write_text("\n".join(lines) + "\n")
    printed = [
        f"| {size} | {min(row[1] for row in rows if row[0] == size):.3f} "
        f"| {taken([row[2] for row in rows if row[0] == size]):.3f} |"
        for size in sizes
    ]
    head = ["# Sites", "", "| Site | min ratio | max error |", "|---|---|---|"]
    (tmp_path / "paper.md").write_text("\n".join([*head, *printed]) + "\n")
    _, numbers = checked(tmp_path)
    assert {word for name, (word, _, _) in numbers.items() if name.endswith("ratio")} == {"follows"}
    assert ({word for name, (word, _, _) in numbers.items() if name.endswith("error")} == {"follows"}) == follows


def test_a_missing_seed_is_said_and_no_error(tmp_path: Path) -> None:
    """Four seeds of one system where the others have five: results are missing, and the paper may be right."""
    file = study(tmp_path, "") / "results" / "runs.csv"
    file.write_text(
        "".join(line for line in file.read_text().splitlines(keepends=True) if not line.startswith("big,4"))
    )
    code, numbers = checked(tmp_path)
    told = [says for _, _, says in numbers.values() if says]
    assert code == 3
    assert told
    assert all("Only 4 of the 5 rows that the other cells have are there" in says for says in told)


def test_files_of_the_same_bytes_are_said(tmp_path: Path) -> None:
    """The same runs under two names give every number, and a warning."""
    results = study(tmp_path, "") / "results"
    (results / "runs_again.csv").write_bytes((results / "runs.csv").read_bytes())
    code, _ = checked(tmp_path)
    [finding] = json.loads((tmp_path / "found.json").read_text())["findings"]
    assert (code, finding["severity"], finding["key"]) == (0, "warning", {"accident": "identical-files"})
    assert "runs.csv, runs_again.csv have the same bytes" in finding["message"]


def test_a_truncated_file_is_said_and_not_called_want_of_time(tmp_path: Path) -> None:
    """One of three files of a kind ends in the middle: none is compared, and the reason is said."""
    (tmp_path / "results").mkdir()
    for number in (1, 2, 3):
        runs = json.dumps([{"system": "base", "seed": seed, "score": 0.5 + seed / 100} for seed in range(9)])
        (tmp_path / "results" / f"part{number}.json").write_text(runs if number < 3 else runs[:70])
    (tmp_path / "paper.md").write_text("# P\n\n| System | Score |\n|---|---|\n| base | 0.540 |\n| big | 0.612 |\n")
    checked(tmp_path)
    passed = json.loads((tmp_path / "found.json").read_text())["not_looked_at"]
    assert any("part3.json of the same kind could not be read" in one["why"] for one in passed)
    assert not any("want of time" in one["why"] for one in passed)


def test_exchanged_rows_are_named_where_labels_are_only_like_the_names(tmp_path: Path) -> None:
    """Every number of two rows disagrees with its own record and is the other's: that is no other run."""
    rows = [("a2017->a2018", "concept", 0.7561, 0.9342), ("a2017->a2018", "covariate", 0.5063, 0.8291),
            ("a2018->a2017", "concept", 0.6127, 0.7719), ("a2018->a2017", "covariate", 0.4418, 0.6935)]  # fmt: skip
    (tmp_path / "results").mkdir()
    lines = ["direction,framing,macro_f1,roc_auc", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "results" / "cross.csv").write_text("\n".join(lines) + "\n")
    printed = [rows[1][2:], rows[0][2:], rows[2][2:], rows[3][2:]]
    table = [f"| {way[1:5]}→{way[-4:]} {framing} | {f1:.3f} | {auc:.3f} |"
             for (way, framing, _, _), (f1, auc) in zip(rows, printed, strict=True)]  # fmt: skip
    head = ["# Years", "", "| Direction | Macro F1 | ROC-AUC |", "|---|---|---|"]
    (tmp_path / "paper.md").write_text("\n".join([*head, *table]) + "\n")
    code, numbers = checked(tmp_path)
    assert code == 1
    assert [given for word, given, _ in numbers.values() if word == "differs"] == ["0.756", "0.934", "0.506", "0.829"]
    assert "is that of 2017→2018 covariate" in str(numbers["2017→2018 concept, Macro F1"][2])


def two_runs(directory: Path, printed: Callable[[str, str], str]) -> tuple[int, Numbers, list[dict[str, Any]]]:
    """Two runs of five systems, three seeds each; `printed` says, by row and column, which run a cell prints."""
    draw = random.Random(10)
    runs = {
        day: {(name, seed): [round(draw.uniform(40, 90), 3) for _ in range(2)] for name in SYSTEMS for seed in range(3)}
        for day in ("march", "april")
    }
    (directory / "results").mkdir()
    for day, scores in runs.items():
        lines = [f"{name},{seed},{one},{two}" for (name, seed), (one, two) in scores.items()]
        (directory / "results" / f"scores_{day}.csv").write_text("\n".join(["system,seed,accuracy,f1", *lines]) + "\n")

    def mean(name: str, column: int) -> str:
        day = printed(name, ("accuracy", "f1")[column])
        return f"{statistics.mean(runs[day][name, seed][column] for seed in range(3)):.2f}"

    rows = [f"| {name} | {mean(name, 0)} | {mean(name, 1)} |" for name in SYSTEMS]
    head = ["# P", "", "Mean over three seeds.", "", "| System | Accuracy | F1 |", "|---|---|---|"]
    (directory / "paper.md").write_text("\n".join([*head, *rows]) + "\n")
    code, numbers = checked(directory)
    return code, numbers, json.loads((directory / "found.json").read_text())["findings"]


def test_a_row_of_the_other_of_two_runs_is_said_to_be_that(tmp_path: Path) -> None:
    """All rows but one follow from one run; the digits of that row are the other run's."""
    _, numbers, _ = two_runs(tmp_path, lambda row, _: "april" if row == "big" else "march")
    told = [str(says) for name, (_, _, says) in numbers.items() if name.startswith("big")]
    assert all("The printed number is that of file_name = scores_april" in says for says in told), told
    assert {word for name, (word, _, _) in numbers.items() if not name.startswith("big")} == {"follows"}


def test_columns_of_two_runs_are_one_warning_at_the_table(tmp_path: Path) -> None:
    """One table prints two runs of the same rows: a person is asked once, at the table, which is meant."""
    _, _, findings = two_runs(tmp_path, lambda _, column: "april" if column == "f1" else "march")
    [finding] = [one for one in findings if one["key"].get("accident") == "two-runs"]
    assert (finding["severity"], finding["source"], finding["line"]) == ("warning", "paper.md", 5)
    assert "Accuracy follows from scores_march, F1 from scores_april" in finding["message"]


def test_a_stale_table_was_compared(tmp_path: Path) -> None:
    """Where the file that labels name says something else everywhere, nothing follows; that is no lack of records."""
    file = study(tmp_path, "") / "paper.md"
    text = file.read_text()
    for at, value in enumerate(sorted(set(re.findall(r"\d\d\.\d\d", text)))):
        text = text.replace(value, f"{float(value) + 1.37 + at / 7:.2f}")
    file.write_text(text)
    run = sealtrace("check", file, tmp_path / "results")
    assert run.output.startswith("NOTHING FOLLOWS, 10 OPEN")


def test_a_table_is_not_stale_by_a_header_that_names_a_setting(tmp_path: Path) -> None:
    """Points of a sweep, of which only the header names a column of the file: no label says which rows are meant."""
    (tmp_path / "results").mkdir()
    lines = [f"{step / 40:.4f},{at / 10:.2f},{-step * at / 7:.4f},40,{step:02}:{at}5" for step in range(4, 17)
             for at in range(8)]  # fmt: skip
    (tmp_path / "results" / "sweep.csv").write_text("\n".join(["a,eps,mean_score,trials,time", *lines]) + "\n")
    rows = ["0.410 | 8000 | -38.1", "0.410 | 8000 | -51.2", "0.285 | 6000 | -46.7", "0.215 | 6000 | -46.3"]
    head = ["# P", "", "Points of the run at 08:15.", "", "| a | N | score |", "|---|---|---|"]
    (tmp_path / "paper.md").write_text("\n".join([*head, *rows]) + "\n")
    checked(tmp_path)
    assert json.loads((tmp_path / "found.json").read_text())["findings"] == []


@pytest.mark.parametrize("label", ["r (Mood, Punishing)", "r_mood_hostile"])
def test_a_row_whose_label_names_two_measures_is_what_it_prints(label: str, tmp_path: Path) -> None:
    """A label that is like two columns follows from the one that gives all its numbers; the name itself is an error."""
    groups = {"Liberal": (0.126, 0.247, 0.328, -0.459, 67.91), "Moderate": (-0.346, -0.214, -0.112, -0.303, 71.63),
              "Conservative": (-0.575, 0.642, 0.715, -0.154, 64.72)}  # fmt: skip
    (tmp_path / "results").mkdir()
    lines = [f"{name},{','.join(map(str, values))}" for name, values in groups.items()]
    head = "group,r_kind_hostile,r_dark_hostile,r_mood_hostile,r_mood_pun,share_dark"
    (tmp_path / "results" / "groups.csv").write_text("\n".join([head, *lines]) + "\n")
    names = {0: "r (Kind, Hostile)", 1: "r (Dark, Hostile)", 3: label, 4: "Share dark"}
    rows = [
        f"| {name} | {' | '.join(f'{values[at]:.2f}' for values in groups.values())} |" for at, name in names.items()
    ]
    text = "The hostile (punishing) answers."
    head = f"# P\n\n{text}\n\n| | {' | '.join(groups)} |\n|---|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    _, numbers = checked(tmp_path)
    words = {word for name, (word, _, _) in numbers.items() if name.startswith(label)}
    assert words == ({"differs"} if label == "r_mood_hostile" else {"follows"})
    assert json.loads((tmp_path / "found.json").read_text())["findings"] == [] or label == "r_mood_hostile"


def test_nothing_differs_from_an_extreme_under_a_filter_that_no_label_says(tmp_path: Path) -> None:
    """`Best range` is over the best of each task; one model's least value gives three rows of four by accident."""
    draw = random.Random(2)
    (tmp_path / "results").mkdir()
    families = ("grade", "stage", "subtype", "marker")
    scores = {(family, task, model): round(draw.uniform(0.5, 0.8), 4)
              for family in families for task in range(4) for model in ("net", "tree")}  # fmt: skip
    for family, task, model in scores:
        if model == "net" and (family, task) != ("subtype", 0):
            scores[family, task, model] = round(scores[family, task, "tree"] + draw.uniform(0.02, 0.15), 4)
    scores["subtype", 0, "net"], scores["subtype", 0, "tree"] = 0.5171, 0.5178
    lines = [f"{family},{family}{task},{model},{score}" for (family, task, model), score in scores.items()]
    (tmp_path / "results" / "cv.csv").write_text("\n".join(["family,task,model,macro_f1", *lines]) + "\n")
    rows = []
    for family in families:
        best = [max(scores[family, task, model] for model in ("net", "tree")) for task in range(4)]
        rows.append(f"| {family} | {min(best):.4f}–{max(best):.4f} |")
    head = ["# P", "", "| Family | Best macro F1 range |", "|---|---|"]
    (tmp_path / "paper.md").write_text("\n".join([*head, *rows]) + "\n")
    code, _ = checked(tmp_path)
    assert (code, json.loads((tmp_path / "found.json").read_text())["findings"]) == (3, [])


def test_an_open_number_has_its_reason(tmp_path: Path) -> None:
    """Nowhere among the results; there, but under another name; too short to be told from any other."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "models.csv").write_text(
        "model,accuracy\nalpha,71.25\nbeta,64.07\ngamma,66.18\ndelta,59.33\n"
    )
    rows = "| alpha | 71.25 |\n| beta | 64.07 |\n| Theirs | 55.31 |\n| Another | 59.33 |\n| Last | 7 |\n"
    (tmp_path / "paper.md").write_text(f"# Models\n\n| Model | Accuracy |\n|---|---|\n{rows}")
    _, numbers = checked(tmp_path)
    told = {row: str(numbers[f"{row}, Accuracy"][2]) for row in ("Theirs", "Another", "Last")}
    assert "no result that was read holds it" in told["Theirs"]
    assert "models.csv holds this number, but its labels do not name that record" in told["Another"]
    assert "too few digits" in told["Last"]


def test_a_label_that_is_a_value_of_two_fields_accuses_no_cell(tmp_path: Path) -> None:
    """`yes` is a true and a predicted label, `Pred. 1` is like `seed1`: the formula of all cells says what is meant."""
    draw = random.Random(5)
    kinds = {"polyp": ("yes", "no", "maybe"), "fracture": ("left", "right", "both", "none")}
    sizes = {"polyp": 100, "fracture": 600}
    (tmp_path / "results").mkdir()
    counts: dict[tuple[str, str, int], dict[tuple[str, str], int]] = {}
    for task, size, seed in ((task, size, seed) for task in kinds for size in ("small", "large") for seed in (1, 2, 3)):
        labels, own = kinds[task], counts.setdefault((task, size, seed), {})
        lines = []
        for _ in range(sizes[task]):
            true = draw.choices(labels, weights=range(len(labels), 0, -1))[0]
            said = true if draw.random() < 0.6 else draw.choices(labels, weights=range(len(labels), 0, -1))[0]
            own[true, said] = own.get((true, said), 0) + 1
            lines.append(json.dumps({"gold": true, "pred": said}))
        (tmp_path / "results" / f"{task}_{size}_seed{seed}.jsonl").write_text("\n".join(lines) + "\n")
    caption = "Confusion matrices. Polyp uses small seed 2; fracture uses large seed 3."
    rows = [f"# P\n\nTable: {caption}\n\n| Task | Gold | Pred. 1 | Pred. 2 | Pred. 3 | Pred. 4 |", "|---" * 6 + "|"]
    for task, size, seed in (("polyp", "small", 2), ("fracture", "large", 3)):
        own = counts[task, size, seed]
        for true in kinds[task]:
            cells = [f"{own[true, said]} {said}" for said in kinds[task]] + ["", ""]
            rows.append(f"| {task} | {true} | {' | '.join(cells[:4])} |")
    (tmp_path / "paper.md").write_text("\n".join(rows) + "\n")
    _, numbers = checked(tmp_path)
    words = [word for word, _, _ in numbers.values()]
    assert (words.count("differs"), words.count("follows") >= 21) == (0, True)


def test_the_number_of_a_header_that_names_a_measure_is_no_run(tmp_path: Path) -> None:
    """`Top 1` is the measure top1; that there is a run1 does not make the printed numbers those of another run."""
    draw = random.Random(5)
    levels = dict(zip(SYSTEMS, (0.55, 0.7, 0.62, 0.45, 0.74), strict=True))
    rows = [(system, run, *(round(level + more + draw.gauss(0, 0.01), 4) for more in (0, 0.1)))
            for system, level in levels.items() for run in (1, 2, 3)]  # fmt: skip
    (tmp_path / "results").mkdir()
    lines = [f"{system},run{run},{one},{three}" for system, run, one, three in rows]
    (tmp_path / "results" / "runs.csv").write_text("\n".join(["system,run,top1,top3", *lines]) + "\n")
    printed = [f"| {system} | {100 * one:.2f} | {100 * three:.2f} |" for system, run, one, three in rows if run == 2]
    head = ["# P", "", "| System | Top 1 | Top 3 |", "|---|---|---|"]
    (tmp_path / "paper.md").write_text("\n".join([*head, *printed]) + "\n")
    code, _ = checked(tmp_path)
    assert code == 0


@pytest.mark.parametrize("stale", [True, False])
def test_a_column_that_is_another_version_s_is_one_warning(stale: bool, tmp_path: Path) -> None:
    """What its header means, the table beside it says; nine numbers that are all a little off are one finding."""
    draw = random.Random(4)
    kinds = [f"type {letter}" for letter in "ABCDEFGHI"]
    (tmp_path / "results").mkdir()
    text = ["# P"]
    for gene in ("alfa", "beta"):
        held = {kind: (draw.randint(300, 9000), round(draw.uniform(0.2, 18), 4), draw.random()) for kind in kinds}
        lines = [f"{kind},{n},{level},{ratio:.4f}" for kind, (n, level, ratio) in held.items()]
        (tmp_path / "results" / f"cells_{gene}.csv").write_text("\n".join(["kind,n_cells,avg_count,ratio", *lines]))
        text += ["", f"| Kind | Cells | Mean normalized {gene} expression level |", "|---|---|---|"]
        for kind, (n, level, _) in held.items():
            level *= draw.uniform(0.8, 1.2) if stale and gene == "alfa" else 1
            text.append(f"| {kind} | {n} | {level:.3f} |")
        text += ["", f"Table: Expression of {gene}"]
    (tmp_path / "paper.md").write_text("\n".join(text) + "\n")
    code, numbers = checked(tmp_path)
    found = json.loads((tmp_path / "found.json").read_text())["findings"]
    findings = [finding["key"].get("accident") for finding in found]
    assert (code, findings) == ((3, ["stale-column"]) if stale else (0, []))
    assert sum(word == "open" for word, _, _ in numbers.values()) == (9 if stale else 0)
    assert all(given is not None for _, given, _ in numbers.values())


def test_exchanged_columns_are_named_across_files_of_other_shapes(tmp_path: Path) -> None:
    """One column is in a matrix by family, the other in a file of each family; headers name what they should print."""
    draw = random.Random(8)
    families = ("Botnet", "Flood", "Infiltration", "Scan", "Worm")
    stable = {family: [round(draw.random() / 2, 4) for _ in range(15)] for family in families}
    shift = {family: [round(1 - draw.random() / 2, 4) for _ in range(15)] for family in families}
    (tmp_path / "results" / "each").mkdir(parents=True)
    matrix = ["feature," + ",".join(families)]
    matrix += [f"f{at}," + ",".join(str(stable[family][at]) for family in families) for at in range(15)]
    (tmp_path / "results" / "stability_matrix.csv").write_text("\n".join(matrix) + "\n")
    for family in families:
        lines = [f"f{at},{shift[family][at]},{round(draw.random(), 4)}" for at in range(15)]
        text = "\n".join(["feature,shift_calibrated,p", *lines])
        (tmp_path / "results" / "each" / f"{family}.csv").write_text(text + "\n")
    rows = [f"| {family} | {statistics.median(shift[family]):.3f} | {statistics.median(stable[family]):.3f} |"
            for family in families]  # fmt: skip
    head = ["# P", "", "| Family | Med. Sep. Stab. | Med. Shift (Calib.) |", "|---|---|---|"]
    (tmp_path / "paper.md").write_text("\n".join([*head, *rows]) + "\n")
    code, numbers = checked(tmp_path)
    assert (code, {word for word, _, _ in numbers.values()}) == (1, {"differs"})


@pytest.mark.parametrize("size", [2, 3])
def test_a_caption_that_speaks_of_another_site_denies_no_table(size: int, tmp_path: Path) -> None:
    """All numbers follow for one site, which no label names; the caption says where those of another one stand."""
    (tmp_path / "results").mkdir()
    draw = random.Random(0)
    moods = ("alert", "calm", "brisk")
    scores = {(name, site, mood): round(draw.uniform(20, 90), 2)
              for name in SYSTEMS for site in ("meadow", "harbour", "canyon") for mood in moods}  # fmt: skip
    lines = [",".join(map(str, (*names, score))) for names, score in scores.items()]
    (tmp_path / "results" / "r.csv").write_text("\n".join(["system,site,mood,score", *lines]) + "\n")
    rows = [
        " | ".join([name, *(f"{scores[name, 'meadow', mood]:.2f}" for mood in moods[:size])]) for name in SYSTEMS[:3]
    ]
    header = " | ".join(["System", *moods[:size]])
    caption = "Table 1: Scores by mood. Those of harbour are in the appendix."
    table = "\n".join(f"| {row} |" for row in (header, "|".join(["---"] * (size + 1)), *rows))
    (tmp_path / "paper.md").write_text(f"# Sounds\n\n{caption}\n\n{table}\n")
    code, numbers = checked(tmp_path)
    assert (code, {word for word, _, _ in numbers.values()}) == (0, {"follows"})


SITES = ("Ashford", "Burnley", "Corby", "Dunstable", "Ely")
SOIL = tuple(zip((24, 31, 18, 22, 27), (12.4, 15.1, 9.8, 11.7, 13.3), (1.9, 2.4, 1.2, 1.6, 2.0), strict=True))


@pytest.mark.parametrize("header", ["biomass_mean,biomass_sd", "biomass,biomass_std", "mass,sd", "mass_g,mass_g_sem"])
def test_one_wrong_number_behind_plus_minus_is_named_and_the_others_follow(header: str, tmp_path: Path) -> None:
    """The spread that is released beside the measure of the number before ± is meant, whatever the paper prints."""
    rows = [f"{site},{n},{mean},{spread}" for site, (n, mean, spread) in zip(SITES, SOIL, strict=True)]
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "sites.csv").write_text("\n".join([f"site,n,{header}", *rows]) + "\n")
    cells = [f"| {site} | {n} | {mean} ± {2.1 if site == 'Corby' else spread} |"
             for site, (n, mean, spread) in zip(SITES, SOIL, strict=True)]  # fmt: skip
    head = "# Soil\n\n| Site | n | Biomass (g) |\n|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(cells) + "\n")
    code, numbers = checked(tmp_path)
    assert (code, numbers["Corby, Biomass (g)"][:2]) == (1, ("differs", "9.8 ± 1.2"))
    assert {word for name, (word, *_) in numbers.items() if name != "Corby, Biomass (g)"} == {"follows"}


def test_a_lost_sign_is_a_slip(tmp_path: Path) -> None:
    """A minus that is not printed is named, also beside another wrong number of the column."""
    estimates = {"Intercept": "2.314", "Age": "0.042", "Income": "-0.318", "Urban": "0.127", "Education": "0.251"}
    (tmp_path / "results").mkdir()
    lines = [f"{name.lower()},{value}" for name, value in estimates.items()]
    (tmp_path / "results" / "terms.csv").write_text("\n".join(["term,estimate", *lines]) + "\n")
    printed = estimates | {"Income": "0.318", "Education": "0.215"}
    rows = "\n".join(f"| {name} | {value} |" for name, value in printed.items())
    (tmp_path / "paper.md").write_text(f"# Terms\n\n| Variable | Estimate |\n|---|---|\n{rows}\n")
    _, numbers = checked(tmp_path)
    assert numbers["Income, Estimate"][:2] == ("differs", "-0.318")
    assert numbers["Education, Estimate"][:2] == ("differs", "0.251")


@pytest.mark.parametrize(("printed", "word"), [(12, "follows"), (17, "open")])
def test_how_many_rows_a_label_has_follows_where_the_rest_of_its_row_does(
    printed: int, word: str, tmp_path: Path
) -> None:
    """Two equal counts are too few digits to be found by themselves; which rows are meant, the other columns say."""
    draw = random.Random(4)
    scores = {group: [(round(draw.gauss(level, 4), 1), round(draw.gauss(level + 2, 4), 1)) for _ in range(12)]
              for group, level in (("control", 20), ("training", 24))}  # fmt: skip
    (tmp_path / "results").mkdir()
    lines = [f"{group},{pre},{post}" for group, own in scores.items() for pre, post in own]
    (tmp_path / "results" / "scores.csv").write_text("\n".join(["group,pre,post", *lines]) + "\n")
    counts = {"control": 12, "training": printed}
    rows = []
    for group, own in scores.items():
        moments = [
            f"{of(column):.2f}" for column in zip(*own, strict=True) for of in (statistics.mean, statistics.stdev)
        ]
        rows.append(f"| {group} | {counts[group]} | {' | '.join(moments)} |")
    head = "# Groups\n\n| Group | n | Pre M | Pre SD | Post M | Post SD |\n|---|---|---|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    _, numbers = checked(tmp_path)
    assert numbers["control, n"][0] == "follows"
    assert numbers["training, n"][0] == word
    assert word == "follows" or "the results give 12" in str(numbers["training, n"][2])


def test_percents_in_brackets_are_shares_of_the_count_beside(tmp_path: Path) -> None:
    """`31 (26.3%)` in three rows: the sign says that it is a share, and another column has the whole."""
    arms = {"Placebo": (118, 31), "Low dose": (121, 22), "High dose": (119, 14)}
    (tmp_path / "results").mkdir()
    lines = [f"{arm},{whole},{part}" for arm, (whole, part) in arms.items()]
    (tmp_path / "results" / "trial.csv").write_text("\n".join(["arm,patients,events", *lines]) + "\n")
    rows = [f"| {arm} | {whole} | {part} ({100 * part / whole:.1f}%) |" for arm, (whole, part) in arms.items()]
    head = "# Trial\n\n| Arm | Patients | Events |\n|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    code, numbers = checked(tmp_path)
    assert (code, {word for word, *_ in numbers.values()}) == (0, {"follows"})


def test_a_short_row_of_another_run_is_said_to_be_that(tmp_path: Path) -> None:
    """Three rows follow from the second run and one from the first: too few to say which run labels mean, and told."""
    (tmp_path / "results").mkdir()
    scores = {"lead": (35.11, 12.4), "bart": (41.72, 17.9), "pegasus": (43.05, 18.8), "ours": (44.6, 19.7)}
    for run, more in (("first", 0.0), ("second", 1.3)):
        lines = [f"{name},{one + more:.2f},{two + more / 2:.2f}" for name, (one, two) in scores.items()]
        (tmp_path / "results" / f"{run}.csv").write_text("\n".join(["method,rouge,bleu", *lines]) + "\n")
    rows = [f"| {name} | {one + more:.2f} | {two + more / 2:.2f} |"
            for name, (one, two) in scores.items() for more in [0.0 if name == "ours" else 1.3]]  # fmt: skip
    head = "# Summaries\n\n| Method | ROUGE | BLEU |\n|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    _, numbers = checked(tmp_path)
    told = [str(numbers[f"ours, {column}"][2]) for column in ("ROUGE", "BLEU")]
    assert all("The printed number is that of file_name = first" in says for says in told), told


def test_what_labels_name_is_shown_where_it_is_too_little_to_decide_by(tmp_path: Path) -> None:
    """A single row follows beside the one that does not: nothing is accused, and what the record says is told."""
    code, numbers = four_models(
        tmp_path, "model,accuracy\nalpha,71.25\nbeta,64.07\n", "| alpha | 71.25 |\n| beta | 58.91 |\n"
    )
    word, _, says = numbers["beta, Accuracy"]
    assert (code, word) == (3, "open")
    assert "its labels may name accuracy in models.csv, by model (models.csv:3), which gives 64.07" in str(says)


@pytest.mark.parametrize("wrong", [False, True])
def test_errors_in_brackets_below_estimates_are_those_of_their_records(wrong: bool, tmp_path: Path) -> None:
    """As regression tables print them: a row without a label says how the numbers above it vary."""
    draw = random.Random(8)
    terms = {"Constant": "(Intercept)", "Log income": "log_income", "Density": "density", "Share old": "share_old"}
    fits = {(model, term): (round(draw.uniform(-1, 1), 3), round(draw.uniform(0.01, 0.3), 3))
            for model in ("base", "full") for term in terms.values()}  # fmt: skip
    (tmp_path / "results").mkdir()
    lines = [f"{model},{term},{own[0]},{own[1]}" for (model, term), own in fits.items()]
    (tmp_path / "results" / "tidy.csv").write_text("\n".join(["model,term,estimate,std.error", *lines]) + "\n")
    rows = []
    for label, term in terms.items():
        own = [fits[model, term] for model in ("base", "full")]
        errors = [0.888 if wrong and label == "Density" else own[0][1], own[1][1]]
        rows += [f"| {label} | {own[0][0]:.3f} | {own[1][0]:.3f} |", f"| | ({errors[0]:.3f}) | ({errors[1]:.3f}) |"]
    head = "# Fits\n\nStandard errors in brackets.\n\n| | Base | Full |\n|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    _, numbers = checked(tmp_path)
    assert len(numbers) == 16
    others = {word for name, (word, *_) in numbers.items() if name != "Density (2), Base"}
    assert others == {"follows"}
    word, given, _ = numbers["Density (2), Base"]
    assert (word, given) == (("differs", f"({fits['base', 'density'][1]:.3f})") if wrong else ("follows", given))


def test_the_first_line_says_what_probably_differs(tmp_path: Path) -> None:
    """What is too little for an error is not silence: nobody reads further behind "nothing differs"."""
    two_runs(tmp_path, lambda row, _: "april" if row == "big" else "march")
    run = sealtrace("check", tmp_path / "paper.md", tmp_path / "results", "--quiet")
    assert (run.code, run.output.split("  ")[0]) == (3, "2 PROBABLY DIFFER")


def test_a_header_that_is_a_value_is_no_single_run_of_a_mean(tmp_path: Path) -> None:
    """`Mean yield by treatment` over columns `Low` and `High`: each is of its treatment, beside a wrong number."""
    draw = random.Random(5)
    yields = {(treatment, variety): [round(draw.gauss(level + 1.2 * at, 0.8), 2) for _ in range(15)]
              for treatment, level in (("low", 4), ("high", 6)) for at, variety in enumerate("ABC")}  # fmt: skip
    (tmp_path / "results").mkdir()
    lines = [f"{treatment},{variety},{value}" for (treatment, variety), own in yields.items() for value in own]
    (tmp_path / "results" / "yield.csv").write_text("\n".join(["treatment,variety,yield_t_ha", *lines]) + "\n")
    rows = []
    for variety in "ABC":
        both = {treatment: yields[treatment, variety] for treatment in ("low", "high")}
        told = [f"{statistics.mean(own) + 0.6 * (treatment + variety == 'highB'):.2f} (SD {statistics.stdev(own):.2f})"
                for treatment, own in both.items()]  # fmt: skip
        rows.append(f"| {variety} | {' | '.join(told)} |")
    caption = "Table 1: Mean yield (t/ha) of each variety by treatment."
    head = f"# Yields\n\n{caption}\n\n| Variety | Low | High |\n|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    code, numbers = checked(tmp_path)
    assert (code, {name for name, (word, *_) in numbers.items() if word != "follows"}) == (1, {"B, High"})


def test_a_header_that_names_a_ratio_needs_fewer_digits(tmp_path: Path) -> None:
    """Three speed-ups of two digits follow from the times beside them."""
    times = {"numpy": 12.84, "numba": 3.17, "cython": 2.91, "rust": 1.43}
    (tmp_path / "results").mkdir()
    records = [{"impl": name, "seconds": own, "lines": 97 * at, "megabytes": 7.31 * (9 - at), "starts": 13.7 + at * at}
               for at, (name, own) in enumerate(times.items(), 1)]  # fmt: skip
    (tmp_path / "results" / "times.json").write_text(json.dumps(records))
    rows = [f"| {one['impl']} | {one['seconds']:.2f} | {one['lines']} | {one['megabytes']:.2f} | {one['starts']:.1f} | "
            f"{12.84 / own:.1f}× |" for one, own in zip(records, times.values(), strict=True)]  # fmt: skip
    head = (
        "# Times\n\n| Implementation | Seconds | Lines | Megabytes | Starts | Speed-up |\n|---|---|---|---|---|---|\n"
    )
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    _, numbers = checked(tmp_path)
    assert {name for name, (word, *_) in numbers.items() if word != "follows"} == {"numpy, Speed-up"}


def test_a_label_that_is_a_value_of_two_fields_names_no_exchange(tmp_path: Path) -> None:
    """`yes` may be what is true and what was said: columns of which each is one of these did not change places."""
    draw = random.Random(4)
    answers = {(model, true, said): draw.randint(20, 400)
               for model in ("base", "huge", "large", "small", "tiny") for true in ("yes", "no", "maybe")
               for said in ("yes", "no", "maybe")}  # fmt: skip
    (tmp_path / "results").mkdir()

    def count(model: str, at: int, label: str) -> int:
        return sum(number for key, number in answers.items() if key[0] == model and key[at] == label)

    pairs = sorted({(model, label) for model, label, _ in answers})
    for at, field in enumerate(("gold", "predicted"), 1):
        lines = [f"{model},{label},{count(model, at, label)}" for model, label in pairs]
        text = "\n".join([f"model,{field},count", *lines])
        (tmp_path / "results" / f"by_{field}.csv").write_text(text + "\n")
    rows = [
        f"| {model} | {count(model, 1, 'no')} | {count(model, 2, 'yes')} |"
        for model in sorted({key[0] for key in answers})
    ]
    (tmp_path / "paper.md").write_text("\n".join(["# P", "", "| Model | yes | no |", "|---|---|---|", *rows]) + "\n")
    code, numbers = checked(tmp_path)
    assert code != 1
    assert "differs" not in {word for word, _, _ in numbers.values()}


@pytest.mark.parametrize("wrong", [False, True])
def test_a_filter_that_other_groups_of_rows_chose_accuses_no_group_of_its_own(wrong: bool, tmp_path: Path) -> None:
    """Nobody says which run a table prints: `alpha` is run 2, so that its one wrong number is named; `beta` may be
    another run."""
    draw = random.Random(6)
    systems = ("base", "ours", "big", "tiny", "huge", "old", "new", "wide")
    rows = {(task, system, run): round(draw.uniform(40, 90), 2) for task in ("alpha", "beta") for system in systems
            for run in range(1, 7)}  # fmt: skip
    (tmp_path / "results").mkdir()
    lines = ["task,system,run,score", *(",".join(map(str, (*key, value))) for key, value in rows.items())]
    (tmp_path / "results" / "runs.csv").write_text("\n".join(lines) + "\n")
    table = {("alpha", system): rows["alpha", system, 2] for system in systems} | {
        ("beta", "ours"): rows["beta", "ours", 5]
    }
    if wrong:
        table["alpha", "big"] += 3.1
    head = ["# P", "", "| Task | System | Score |", "|---|---|---|"]
    text = [*head, *(f"| {task} | {system} | {value:.2f} |" for (task, system), value in table.items())]
    (tmp_path / "paper.md").write_text("\n".join(text) + "\n")
    _, numbers = checked(tmp_path)
    said = {name: given for name, (_, given, says) in numbers.items() if says and "the results give" in says}
    assert said == ({"alpha / big, Score": f"{rows['alpha', 'big', 2]:.2f}"} if wrong else {})


def test_the_best_run_before_a_spread_is_no_mean(tmp_path: Path) -> None:
    """No word says a mean, but ± does: the greatest of the seeds stands before the spread of all of them."""
    draw = random.Random(2)
    runs = {system: [round(draw.uniform(50, 80), 2) for _ in range(8)] for system in SYSTEMS}
    (tmp_path / "results").mkdir()
    lines = [f"{system},{seed},{value}" for system, own in runs.items() for seed, value in enumerate(own)]
    (tmp_path / "results" / "runs.csv").write_text("\n".join(["system,seed,accuracy", *lines]) + "\n")
    rows = [f"| {system} | {max(own):.2f} ± {statistics.stdev(own):.2f} |" for system, own in runs.items()]
    (tmp_path / "paper.md").write_text("\n".join(["# P", "", "| System | Accuracy |", "|---|---|", *rows]) + "\n")
    code, numbers = checked(tmp_path)
    means = {f"{system}, Accuracy": f"{statistics.mean(own):.2f} ± {statistics.stdev(own):.2f}"
             for system, own in runs.items()}  # fmt: skip
    assert (code, {name: given for name, (_, given, _) in numbers.items()}) == (1, means)
    assert "the greatest" in str(numbers["ours, Accuracy"][2])


def test_counts_under_n_are_those_of_the_rows_that_labels_name(tmp_path: Path) -> None:
    """A survey's table of answers and how many gave each: nothing else of the table is needed to know the rows."""
    answers = ["agree"] * 105 + ["neutral"] * 59 + ["disagree"] * 48
    (tmp_path / "results").mkdir()
    lines = [f"{at},{answer},{18 + at % 60}" for at, answer in enumerate(answers)]
    (tmp_path / "results" / "survey.csv").write_text("\n".join(["id,answer,age", *lines]) + "\n")
    rows = "| Agree | 105 |\n| Neutral | 62 |\n| Disagree | 48 |\n"
    (tmp_path / "paper.md").write_text(f"# Survey\n\n| Answer | n |\n|---|---|\n{rows}")
    _, numbers = checked(tmp_path)
    assert [numbers[f"{name}, n"][0] for name in ("Agree", "Disagree")] == ["follows", "follows"]
    assert "gives 59" in str(numbers["Neutral, n"][2])


def test_what_a_caption_names_and_another_row_is_called_is_not_meant_by_a_row(tmp_path: Path) -> None:
    """`Layered clustering` prints the record `hclust`; the caption speaks of the natural one, too: a row above."""
    (tmp_path / "results").mkdir()
    lines = ["cluster,mortality,tourism", "kmed,6.777,20.989", "hclust,96,302", "natural,35.048,250"]
    (tmp_path / "results" / "sizes.csv").write_text("\n".join(lines) + "\n")
    caption = "Table 1: Average number of series of medoids clustering, layered clustering, and the natural hierarchy."
    rows = ["| Approach | tourism | mortality |", "|---|---|---|", "| Natural | 250 | 35 |",
            "| Medoids clustering | 21 | 7 |", "| Layered clustering | 302 | 96 |"]  # fmt: skip
    (tmp_path / "paper.md").write_text("\n".join(["# P", "", caption, "", *rows]) + "\n")
    _, numbers = checked(tmp_path)
    said = [str(says) for name, (_, _, says) in numbers.items() if name.startswith("Layered")]
    assert not any("250" in one or "35" in one for one in said), said


@pytest.mark.parametrize("wrong", [False, True])
def test_years_that_head_columns_are_those_of_their_records(wrong: bool, tmp_path: Path) -> None:
    """`Mean biomass by treatment and year` accuses no year of being one run of a mean; a year's number under another
    year differs, whatever other filter gives its digits."""
    draw = random.Random(1)
    means = {(treatment, year): [round(draw.uniform(200, 400), 1), round(draw.uniform(20, 50), 1), 16 - (year % 3 == 0)]
             for treatment in ("control", "mown", "hay") for year in (2021, 2022, 2023)}  # fmt: skip
    means["mown", 2022][2] = means["control", 2023][2] = 14
    (tmp_path / "results").mkdir()
    lines = [f"{treatment},{year},{n},{mean},{sd}" for (treatment, year), (mean, sd, n) in means.items()]
    header = "treatment,year,n,biomass_mean,biomass_sd"
    (tmp_path / "results" / "means.csv").write_text("\n".join([header, *lines]) + "\n")
    rows = []
    for treatment in ("control", "mown", "hay"):
        years = [2021, 2022, 2022 if wrong and treatment == "mown" else 2023]
        told = [f"{means[treatment, year][0]:.1f} ± {means[treatment, year][1]:.1f}" for year in years]
        rows.append(f"| {treatment} | {' | '.join(told)} |")
    caption = "Table 1: Mean biomass (± SD) by treatment and year."
    head = f"# Meadow\n\n{caption}\n\n| Treatment | 2021 | 2022 | 2023 |\n|---|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    code, numbers = checked(tmp_path)
    differing = {name: given for name, (word, given, _) in numbers.items() if word == "differs"}
    right = f"{means['mown', 2023][0]:.1f} ± {means['mown', 2023][1]:.1f}"
    assert (code, differing) == ((1, {"mown, 2023": right}) if wrong else (0, {}))


def test_exchanged_columns_of_a_field_and_of_a_statistic_are_named(tmp_path: Path) -> None:
    """One header is the name of a field, the other of a statistic: both say what is computed."""
    draw = random.Random(3)
    groups = ("ash", "beech", "cedar", "date", "elm", "fir")
    own = {name: [round(draw.gauss(0.2, 1), 3) for _ in range(30 + 17 * at)] for at, name in enumerate(groups)}
    flows = {name: 100 * len(values) + 37 for name, values in own.items()}
    (tmp_path / "results").mkdir()
    for name, values in own.items():
        lines = [f"{value},{flows[name]}" for value in values]
        (tmp_path / "results" / f"{name}.csv").write_text("\n".join(["stability,flows_seen", *lines]) + "\n")
    rows = [f"| {name} | {sum(value < 0 for value in values)} | {flows[name]:,} |" for name, values in own.items()]
    head = "# Trees\n\n| Tree | Flows seen | # Negative |\n|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    code, numbers = checked(tmp_path)
    assert (code, {word for word, *_ in numbers.values()}) == (1, {"differs"})
    assert numbers["fir, Flows seen"][1] == f"{flows['fir']:,}".replace(",", "")


@pytest.mark.parametrize("classes", [("18-34", "35-54", "55+"), ("spring", "summer", "autumn")])
def test_what_is_the_same_in_every_row_follows_where_its_row_is_known(classes: tuple[str, ...], tmp_path: Path) -> None:
    """An n of 16 everywhere has no digits to be found by; the means of its rows say which records are meant. Classes of
    ages name rows, though they hold digits."""
    draw = random.Random(6)
    own = {(site, name): [round(draw.gauss(50, 6), 2) for _ in range(16)] for site in SITES for name in classes}
    moments = {key: (statistics.mean(values), statistics.stdev(values)) for key, values in own.items()}
    (tmp_path / "results").mkdir()
    lines = [f"{site},{name},16,{mean:.5f},{sd:.5f}" for (site, name), (mean, sd) in moments.items()]
    (tmp_path / "results" / "means.csv").write_text("\n".join(["site,class,n,score_mean,score_sd", *lines]) + "\n")
    rows = [f"| {site} | {name} | 16 | {mean:.2f} ({sd:.2f}) |" for (site, name), (mean, sd) in moments.items()]
    head = "# Scores\n\nTable 1: Mean score (SD).\n\n| Site | Class | n | Score |\n|---|---|---|---|\n"
    (tmp_path / "paper.md").write_text(head + "\n".join(rows) + "\n")
    code, numbers = checked(tmp_path)
    open_ = {name for name, (word, *_) in numbers.items() if word != "follows" and not name.endswith(", Class")}
    assert (code in (0, 3), open_) == (True, set())
