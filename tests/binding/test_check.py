"""What a check must find, and what it must never claim, on studies that were made for it."""

from __future__ import annotations

import gzip
import json
import random
import re
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

from binding.random_studies import Row, Study, latex, study, write_csv, write_files, write_nested
from binding.told import accidents, counts, in_text
from sealtrace.binding.checking import concluded, examine
from sealtrace.contract.result import Result
from sealtrace.paper.papers import read_paper

Write = Callable[[Path, list[Row]], None]


def checked(directory: Path, paper: str, name: str = "paper.tex") -> Result:
    """The check of a paper against the results beside it."""
    (directory / name).write_text(paper)
    findings = examine(read_paper(directory / name), name, directory / "results", seconds=600)
    return concluded(findings)


def _as_csv(directory: Path, rows: list[Row]) -> None:
    write_csv(directory / "runs.csv", rows)


def _as_nested(directory: Path, rows: list[Row]) -> None:
    write_nested(directory / "all.json", rows)


@pytest.mark.parametrize("write", [_as_csv, _as_nested, write_files], ids=["csv", "nested", "files"])
@pytest.mark.parametrize("seed", range(4))
def test_a_random_study_is_explained_by_its_own_rule(tmp_path: Path, seed: int, write: Write) -> None:
    """Whatever the schema, the aliases and the layout of files: every cell, by the measure that it was made from."""
    made = study(seed)
    write(tmp_path / "results", made.rows)
    check = checked(tmp_path, made.paper)
    assert (counts(check).total(), counts(check)["off"]) == (made.numbers, 0)
    assert counts(check)["explained"] == made.numbers, [one.formula for one in check.formulas]
    measures = {one.measure for one in check.formulas if one.kind == "column"}
    assert measures == set(made.formulas)


@pytest.mark.parametrize("seed", range(3))
def test_a_transposed_table_is_explained(tmp_path: Path, seed: int) -> None:
    """Measures may stand in rows and models in columns."""
    made = study(seed, transposed=True)
    write_csv(tmp_path / "results/runs.csv", made.rows)
    check = checked(tmp_path, made.paper)
    assert (counts(check)["explained"], counts(check)["off"]) == (made.numbers, 0)


def _shuffled(made: Study, seed: int) -> list[Row]:
    """The same values, each measure dealt out anew over rows."""
    chance = random.Random(seed)
    rows = [dict(row) for row in made.rows]
    for measure in made.formulas:
        values = [row[measure] for row in rows]
        chance.shuffle(values)
        for row, value in zip(rows, values, strict=True):
            row[measure] = value
    return rows


def _replaced(made: Study, seed: int) -> list[Row]:
    """Random values of the same size."""
    chance = random.Random(seed)
    return [row | {name: row[name] * chance.uniform(0.5, 1.5) for name in made.formulas} for row in made.rows]


@pytest.mark.parametrize("change", [_shuffled, _replaced])
def test_chance_explains_nothing(tmp_path: Path, change: Callable[[Study, int], list[Row]]) -> None:
    """On shuffled or random results at most one cell in a hundred may be explained."""
    cells = explained = off = 0
    for seed in range(12):
        made = study(seed + 100)
        directory = tmp_path / str(seed)
        write_csv(directory / "results/runs.csv", change(made, seed))
        counted = counts(checked(directory, made.paper))
        cells, explained, off = cells + counted.total(), explained + counted["explained"], off + counted["off"]
    assert cells > 100
    assert (explained + off) * 100 <= cells


def test_a_changed_digit_is_pointed_at(tmp_path: Path) -> None:
    """Of a hundred changed digits at least 95 are pointed at with the right value, and nothing else is."""
    found = planted = 0
    for seed in range(5):
        made = study(seed + 40)
        directory = tmp_path / str(seed)
        write_csv(directory / "results/runs.csv", made.rows)
        chance = random.Random(seed)
        places = list(re.finditer(r"(?<=& )\d+\.\d+", made.paper))
        for match in chance.sample(places, 8):
            digits = [place for place in range(*match.span()) if made.paper[place].isdigit()]
            place = chance.choice(digits)
            other = chance.choice([digit for digit in "0123456789" if digit != made.paper[place]])
            check = checked(directory, made.paper[:place] + other + made.paper[place + 1 :])
            planted += 1
            off = [cell for cell in check.numbers if cell.status == "off"]
            assert len(off) <= 1, "an untouched cell is pointed at"
            found += bool(off) and (off[0].given or "").startswith(match.group())
    assert found * 100 >= 95 * planted


def test_an_off_cell_says_what_the_others_are(tmp_path: Path) -> None:
    """The message names the row, what it prints, the rule of the others, and what that gives."""
    made = study(1)
    write_csv(tmp_path / "results/runs.csv", made.rows)
    first = re.search(r"(?<=& )\d\.\d+", made.paper)
    assert first is not None
    wrong = first.group()[:-1] + str((int(first.group()[-1]) + 4) % 10)
    check = checked(tmp_path, made.paper[: first.start()] + wrong + made.paper[first.end() :])
    (cell,) = [one for one in check.numbers if one.status == "off"]
    assert check.verdict == "findings"
    assert cell.says is not None
    assert f"the paper prints {wrong}; the results give {first.group()} (runs.csv:" in cell.says
    assert "They give the other" in cell.says


def _accuracy_table(rows: list[Row], label: Callable[[str], str] = str) -> tuple[list[list[str]], list[str]]:
    models = sorted({row["model"] for row in rows})
    tasks = sorted({row["task"] for row in rows})

    def mean(model: str, task: str) -> str:
        values = [row["accuracy"] for row in rows if row["model"] == model and row["task"] == task]
        return f"{100 * sum(values) / len(values):.1f}"

    return [["Model", *tasks], *([label(model), *(mean(model, task) for task in tasks)] for model in models)], models


def _runs(seed: int) -> list[Row]:
    chance = random.Random(seed)
    return [
        {"model": model, "task": task, "seed": number, "accuracy": chance.uniform(0.3, 0.95)}
        for model in ("aspen", "birch", "cedar", "dogwood", "elm")
        for task in ("parsing", "ranking", "tagging")
        for number in (1, 2, 3)
    ]


def test_a_table_of_a_superseded_run_is_named(tmp_path: Path) -> None:
    """The numbers bind to `old/`, and not to the canonical file beside it."""
    write_csv(tmp_path / "results/runs.csv", _runs(1))
    write_csv(tmp_path / "results/old/runs.csv", _runs(2))
    table, _ = _accuracy_table(_runs(2))
    check = checked(tmp_path, latex(table, "Accuracy in percent, mean over seeds."))
    assert {one.partition(":")[0] for one in accidents(check)} == {"superseded-run"}
    assert check.verdict == "findings"
    table, _ = _accuracy_table(_runs(1))
    check = checked(tmp_path, latex(table, "Accuracy in percent, mean over seeds."))
    assert (accidents(check), check.verdict) == ([], "verified")


def test_swapped_labels_are_named(tmp_path: Path) -> None:
    """A label beside another run's numbers, in both rows."""
    rows = _runs(3)
    write_csv(tmp_path / "results/runs.csv", rows)
    other = {"birch": "elm", "elm": "birch"}
    table, _ = _accuracy_table(rows, lambda name: other.get(name, name))
    check = checked(tmp_path, latex(table, "Accuracy in percent, mean over seeds."))
    (accident,) = accidents(check)
    assert accident.partition(":")[0] == "pairing-swap"
    assert "birch" in accident
    assert "elm" in accident
    assert {one.row for one in check.numbers if one.status == "off"} == {"birch", "elm"}


def test_text_that_was_left_behind_is_named(tmp_path: Path) -> None:
    """The table was updated, the sentence was not; a sentence that agrees is explained."""
    rows = _runs(4)
    write_csv(tmp_path / "results/runs.csv", rows)
    table, models = _accuracy_table(rows)
    printed = table[1 + models.index("cedar")][2]
    stale = f"{float(printed) + 2.3:.1f}"
    text = "On ranking, cedar has an accuracy of {} percent."
    check = checked(tmp_path, latex(table, "Accuracy in percent.", text.format(stale)))
    (accident,) = accidents(check)
    assert accident.startswith("stale-text")
    assert [(one.printed, one.given) for one in in_text(check)] == [(f"{stale} percent", printed)]
    check = checked(tmp_path, latex(table, "Accuracy in percent.", text.format(printed)))
    assert (accidents(check), [one.status for one in in_text(check)]) == ([], ["explained"])


def test_predictions_per_example_give_metrics(tmp_path: Path) -> None:
    """Accuracy and the confusion of labels follow from per-example files, without any aggregate."""
    chance = random.Random(7)
    table = [["System", "Accuracy", "Macro-F1"]]
    for system in ("north", "south", "east", "west"):
        skill = chance.uniform(0.4, 0.9)
        rows = []
        for example in range(200):
            gold = chance.choice("abc")
            rows.append({"id": f"x{example}", "gold": gold, "pred": gold if chance.random() < skill else "a"})
        write_csv(tmp_path / f"results/{system}_predictions.csv", rows)
        right = sum(row["gold"] == row["pred"] for row in rows) / len(rows)
        scores = []
        for label in "abc":
            hit = sum(row["gold"] == label == row["pred"] for row in rows)
            both = sum((row["gold"] == label) + (row["pred"] == label) for row in rows)
            scores.append(2 * hit / both)
        table.append([system.title(), f"{right:.3f}", f"{sum(scores) / 3:.3f}"])
    check = checked(tmp_path, latex(table, "Two metrics."))
    assert counts(check)["explained"] == counts(check).total() == 8
    assert [one.measure for one in check.formulas] == ["accuracy", "macro_f1"]


def test_deviations_over_seeds_are_of_each_seeds_mean(tmp_path: Path) -> None:
    """Tasks that were passed or not, in three seeds: the deviation is that of the seeds' rates."""
    chance = random.Random(9)
    rows: list[Row] = []
    table = [["Agent", "Pass rate"]]
    for agent in ("plain", "reviewed", "tested", "voted", "planned"):
        rates = []
        for number in (1, 2, 3):
            passed = [chance.random() < 0.2 + 0.1 * len(agent) / 2 for _ in range(45)]
            rows += [
                {"agent": agent, "seed": number, "task": f"t{place}", "passed": one} for place, one in enumerate(passed)
            ]
            rates.append(100 * sum(passed) / 45)
        table.append([agent, rf"{statistics.fmean(rates):.1f} $\pm$ {statistics.stdev(rates):.1f}"])
    write_csv(tmp_path / "results/attempts.csv", rows)
    check = checked(tmp_path, latex(table, "Pass rate in percent, mean and standard deviation over seeds."))
    assert counts(check)["explained"] == 5, check.formulas
    assert "per repeat" in next(one.formula for one in check.formulas if one.statistic == "sd")


def test_a_markdown_paper_is_read(tmp_path: Path) -> None:
    """A README with a pipe table is a paper, too."""
    rows = _runs(5)
    write_csv(tmp_path / "results/runs.csv", rows)
    table, _ = _accuracy_table(rows)
    lines = ["| " + " | ".join(line) + " |" for line in table]
    lines.insert(1, "|" + "---|" * len(table[0]))
    check = checked(tmp_path, "# Results\n\n" + "\n".join(lines) + "\n", "README.md")
    assert check.verdict == "verified"


def test_a_constant_column_is_not_claimed(tmp_path: Path) -> None:
    """Zeros out of zeros prove nothing: such cells stay unexplained."""
    rows = [row | {"crashes": 0} for row in _runs(6)]
    write_csv(tmp_path / "results/runs.csv", rows)
    models = sorted({row["model"] for row in rows})
    check = checked(tmp_path, latex([["Model", "Crashes"], *([one, "0"] for one in models)], "Crashes."))
    assert counts(check)["unexplained"] == len(models)


def _systems(seed: int) -> tuple[list[str], dict[str, dict[str, float]]]:
    """Systems with two measures on three tasks."""
    chance = random.Random(seed)
    systems = ["linear", "forest", "boosted", "network", "ensemble"]
    return systems, {
        system: {
            name: chance.uniform(40, 95)
            for name in ("parsing", "ranking", "tagging", "megabytes", "seconds_of_training")
        }
        for system in systems
    }


def test_gains_ratios_and_means_follow_from_other_numbers_of_the_table(tmp_path: Path) -> None:
    """A mean over columns, a gain over the first row, a speed-up and a mean row, from unrounded values."""
    systems, values = _systems(11)
    write_csv(tmp_path / "results/runs.csv", [{"system": one, **values[one]} for one in systems])
    tasks = ("parsing", "ranking", "tagging")
    average = {one: sum(values[one][task] for task in tasks) / 3 for one in systems}
    cost = {one: values[one]["seconds_of_training"] for one in systems}
    table = [["System", *tasks, "Average", "Gain", "Seconds of training", "Speed-up"]]
    for one in systems:
        first = one == systems[0]
        gain = "--" if first else f"{average[one] - average[systems[0]]:+.2f}"
        faster = "--" if first else f"{cost[systems[0]] / cost[one]:.3f}"
        table.append([one, *(f"{values[one][task]:.2f}" for task in tasks), f"{average[one]:.2f}", gain,
                      f"{cost[one]:.2f}", faster])  # fmt: skip
    table.append(["Mean", *(f"{sum(values[one][task] for one in systems) / 5:.2f}" for task in tasks), "", "", "", ""])
    check = checked(tmp_path, latex(table, "Scores."))
    statistics = {one.subject: one.statistic for one in check.formulas}
    assert (counts(check)["explained"], counts(check)["off"]) == (counts(check).total(), 0), statistics
    assert statistics["Average"] == "mean"
    assert statistics["Gain"] == "difference"
    assert statistics["Speed-up"] == "ratio"


@pytest.mark.parametrize("columns", [1, 2])
def test_labels_that_name_nothing_are_read_by_several_numbers_and_never_by_one(tmp_path: Path, columns: int) -> None:
    """Files are called run1 to run5, the paper says Ours and Theirs: two columns pay for that, one does not."""
    systems, values = _systems(12)
    for place, one in enumerate(systems, 1):
        (tmp_path / "results").mkdir(exist_ok=True)
        document = json.dumps({"accuracy": values[one]["parsing"], "f1": values[one]["ranking"]})
        (tmp_path / f"results/run{place}.json").write_text(document)
    labels = ("Ours", "Theirs", "Oracle", "Chance", "Humans")
    table = [["System", "Accuracy", "F1"][: columns + 1]]
    for label, one in zip(labels, systems, strict=True):
        table.append([label, f"{values[one]['parsing']:.2f}", f"{values[one]['ranking']:.2f}"][: columns + 1])
    check = checked(tmp_path, latex(table, "Scores."))
    assert counts(check)["explained"] == (10 if columns == 2 else 0)
    for cell in check.numbers if columns == 2 else ():
        assert [record.split(".")[0] for record in cell.records] == [f"run{1 + labels.index(cell.row)}"]


def test_units_and_constant_columns(tmp_path: Path) -> None:
    """Megabytes from bytes; a constant column that the header names is given, beside others of its file."""
    systems, values = _systems(13)
    rows: list[Row] = [
        {
            "system": one,
            "size_bytes": int(values[one]["megabytes"] * 2**20),
            "score": values[one]["parsing"],
            "width": 196,
        }
        for one in systems
    ]
    write_csv(tmp_path / "results/runs.csv", rows)
    table = [["System", "Score", "Size (MB)", "Width"]]
    table += [[row["system"], f"{row['score']:.2f}", f"{row['size_bytes'] / 2**20:.1f}", "196"] for row in rows]
    check = checked(tmp_path, latex(table, "Sizes."))
    assert counts(check)["explained"] == 15
    assert {one.transformation for one in check.formulas} == {"", "x / 1048576"}


def test_a_result_never_selects_rows_by_itself(tmp_path: Path) -> None:
    """A whole number that is measured is no filter: `where passed = 2` would explain anything."""
    rows = [{"system": f"s{place}", "passed": place % 4, "score": 10.5 * place + 3} for place in range(8)]
    write_csv(tmp_path / "results/runs.csv", rows)
    table = [
        ["Setting", "Score"],
        *([name, f"{rows[place]['score']:.1f}"] for place, name in enumerate(("low", "high"))),
    ]
    check = checked(tmp_path, latex(table, "Scores."))
    assert check.formulas == []


def test_the_same_work_gives_the_same_answer_and_less_work_says_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work is counted, not timed, so that a busy machine answers alike."""
    made = study(2)
    write_csv(tmp_path / "results/runs.csv", made.rows)
    first, second = (checked(tmp_path, made.paper) for _ in range(2))
    assert (first.numbers, first.summary) == (second.numbers, second.summary)
    monkeypatch.setattr("sealtrace.binding.checking.WORK_A_SECOND", 1)
    less = checked(tmp_path, made.paper)
    assert [one.what for one in less.not_looked_at]
    assert counts(less)["explained"] < made.numbers


def test_a_short_column_of_deviations_belongs_to_the_measure_before_it(tmp_path: Path) -> None:
    """`SD` names no measure: three cells of two digits are enough where the column before says which it is."""
    rows = [row for row in _runs(8) if row["model"] in ("aspen", "birch", "cedar")]
    write_csv(tmp_path / "results/runs.csv", rows)
    table = [["Model", r"Accuracy (\%)", "SD"]]
    for model in ("aspen", "birch", "cedar"):
        values = [100 * row["accuracy"] for row in rows if row["model"] == model and row["task"] == "parsing"]
        table.append([model, f"{statistics.fmean(values):.1f}", f"{statistics.stdev(values):.1f}"])
    check = checked(tmp_path, latex(table, "Accuracy on parsing, over seeds."))
    assert [one.statistic for one in check.formulas] == ["mean", "sd"]
    assert check.verdict == "verified"


def test_nothing_is_off_from_a_statistic_that_nobody_mentions(tmp_path: Path) -> None:
    """The paper prints chosen runs; that most of them are the least of their group is no rule that the others break."""
    chance = random.Random(21)
    rows = [{"system": one, "run": f"r{place}", "score": chance.uniform(20, 90)}
            for one in ("ash", "elm", "fir", "oak", "yew") for place in range(4)]  # fmt: skip
    write_csv(tmp_path / "results/runs.csv", rows)
    scores = {
        one: sorted(row["score"] for row in rows if row["system"] == one) for one in ("ash", "elm", "fir", "oak", "yew")
    }
    table = [["System", "Score"], *([one, f"{values[one == 'yew']:.2f}"] for one, values in scores.items())]
    assert counts(checked(tmp_path, latex(table, "Scores.")))["off"] == 0


EXTREMES = ("ash", "elm", "fir", "oak")


def _perplexities(directory: Path, chance: random.Random) -> dict[str, list[float]]:
    """Runs of four systems on five corpora; the perplexities of each, in order."""
    rows: list[Row] = [
        {"system": one, "corpus": f"c{place}", "ppl": chance.uniform(5, 90), "tokens": chance.randrange(10**5)}
        for one in EXTREMES
        for place in range(5)
    ]
    write_csv(directory / "results/runs.csv", rows)
    return {one: sorted(row["ppl"] for row in rows if row["system"] == one) for one in EXTREMES}


@pytest.mark.parametrize("place", [0, -1], ids=["least", "greatest"])
@pytest.mark.parametrize(
    "caption",
    ["Perplexity.", "Perplexity over a range of corpora.", "Perplexity. Best in bold, worst underlined."],
)
@pytest.mark.parametrize("slip", ["another run", "one digit"])
def test_nothing_is_off_from_an_extreme_that_nobody_mentions(
    tmp_path: Path, place: int, caption: str, slip: str
) -> None:
    """Three of four are the least or the greatest of their runs; no label says so, and a caption only in passing."""
    values = _perplexities(tmp_path, random.Random(31))
    printed = {one: f"{found[place]:.2f}" for one, found in values.items()}
    last = f"{values['oak'][2]:.2f}"
    printed["oak"] = last if slip == "another run" else printed["oak"][:-1] + str((int(printed["oak"][-1]) + 3) % 10)
    table = [["System", "PPL"], *([one, printed[one]] for one in EXTREMES)]
    counted = counts(checked(tmp_path, latex(table, caption)))
    assert (counted["off"], counted["explained"]) == (0, 0)


@pytest.mark.parametrize("header", ["Least PPL", "Min PPL"])
def test_a_named_extreme_is_pointed_at(tmp_path: Path, header: str) -> None:
    """Where the header says the least, the number that is not is off; a word that is no statistic's name is none."""
    values = _perplexities(tmp_path, random.Random(32))
    printed = {one: f"{found[0]:.2f}" for one, found in values.items()}
    printed["oak"] = printed["oak"][:-1] + str((int(printed["oak"][-1]) + 3) % 10)
    table = [["System", header], *([one, printed[one]] for one in EXTREMES)]
    assert counts(checked(tmp_path, latex(table, "Perplexity.")))["off"] == header.startswith("Min")


@pytest.mark.parametrize(("header", "off"), [("Recall", 0), ("Minutes", 0), ("Worst", 1)])
def test_nothing_is_off_from_other_columns_in_a_way_that_nobody_mentions(tmp_path: Path, header: str, off: int) -> None:
    """A column nearly the least of those beside it, under a header that says so or not: `Recall` is no `all`."""
    systems, values = _systems(14)
    tasks = ("parsing", "ranking", "tagging")
    write_csv(tmp_path / "results/runs.csv", [{"system": one, **{t: values[one][t] for t in tasks}} for one in systems])
    made = {one: min(values[one][task] for task in tasks) for one in systems}
    made["network"] += 0.04
    table = [["System", *tasks, header]]
    table += [[one, *(f"{values[one][task]:.2f}" for task in tasks), f"{made[one]:.2f}"] for one in systems]
    assert counts(checked(tmp_path, latex(table, "Scores.")))["off"] == off


@pytest.mark.parametrize(("systems", "off"), [(4, 0), (12, 1)])
def test_another_run_is_off_only_where_many_numbers_are_of_one(tmp_path: Path, systems: int, off: int) -> None:
    """Nobody says which run is printed. Three of the first run are no rule for a fourth of another; eleven are."""
    chance = random.Random(33)
    names = [f"{tree}{size}" for tree in ("ash", "elm", "fir", "oak") for size in ("", " small", " large")][:systems]
    rows: list[Row] = [
        {"system": one, "corpus": corpus, "ppl": chance.uniform(5, 90)}
        for one in names
        for corpus in ("wiki", "news", "code")
    ]
    write_csv(tmp_path / "results/runs.csv", rows)
    printed = {row["system"]: f"{row['ppl']:.3f}" for row in rows if row["corpus"] == "news"}
    printed[names[1]] = next(f"{row['ppl']:.3f}" for row in rows if row["system"] == names[1])
    table = [["System", "PPL"], *([one, printed[one]] for one in names)]
    assert counts(checked(tmp_path, latex(table, "Perplexity.")))["off"] == off


def _sweep(chance: random.Random) -> list[Row]:
    return [
        {"mode": mode, "stop": stop, "rarity": chance.uniform(0.1, 0.9), "cost": chance.uniform(1, 9)}
        for mode, stops in (("full", (0.5,)), ("rolling", (0.5, 1.0, 1.5, 2.0)))
        for stop in stops
    ]


def test_rows_that_a_number_tells_apart(tmp_path: Path) -> None:
    """Four rows are called the same; the setting beside their label tells which is which, as its record says."""
    rows = _sweep(random.Random(51))
    write_csv(tmp_path / "results/sweep.csv", rows)
    table = [["Mode", "Stop", "Rarity", "Cost"]]
    table += [[row["mode"], f"{row['stop']:.1f}", f"{row['rarity']:.4f}", f"{row['cost']:.3f}"] for row in rows]
    check = checked(tmp_path, latex(table, "A sweep."))
    assert (counts(check)["explained"], counts(check)["off"]) == (15, 0), check.formulas
    wrong = [[*line] for line in table]
    wrong[3][2] = wrong[3][2][:-1] + str((int(wrong[3][2][-1]) + 5) % 10)
    check = checked(tmp_path, latex(wrong, "A sweep."))
    assert [cell.given for cell in check.numbers if cell.status == "off"] == [table[3][2]]


def test_two_labels_that_name_the_same_rows_point_at_nothing(tmp_path: Path) -> None:
    """`elm` stands twice, for two data sets of which results name one: the other row is no error."""
    rows = [row for row in _runs(52) if row["task"] == "parsing" and row["seed"] == 1]
    write_csv(tmp_path / "results/runs.csv", rows)
    table = [["Data", "Model", "Accuracy"], *(["home", row["model"], f"{row['accuracy']:.4f}"] for row in rows)]
    table.append(["away", "elm", "0.5432"])
    check = checked(tmp_path, latex(table, "Accuracy."))
    assert (counts(check)["explained"], counts(check)["off"], counts(check)["unexplained"]) == (5, 0, 1)


def test_halves_of_column_names_are_named_by_rows_and_headers(tmp_path: Path) -> None:
    """One wide row: `coef_low`, `se_low`, `coef_mod` …; rows say the dose, headers the statistic."""
    chance = random.Random(53)
    doses = ("low", "mod", "high", "peak")
    row: Row = {f"{one}_{dose}": chance.uniform(-1, 1) for dose in doses for one in ("coef", "se", "pvalue")}
    write_csv(tmp_path / "results/dose.csv", [row])
    labels = ("Low dose", "Moderate dose", "High dose", "Peak dose")
    table = [["Dose", "Coefficient", "SE"]]
    table += [[label, f"{row[f'coef_{one}']:.3f}", f"{row[f'se_{one}']:.3f}"]
              for label, one in zip(labels, doses, strict=True)]  # fmt: skip
    check = checked(tmp_path, latex(table, "Response to the dose."))
    assert (counts(check)["explained"], counts(check)["off"]) == (8, 0), check.formulas


def test_single_cells_are_looked_up_by_their_labels(tmp_path: Path) -> None:
    """A table of metrics and values, each somewhere else in a document; a value that no label names stays open."""
    (tmp_path / "results").mkdir()
    document = {
        "experiment_1": {"pearson_r": 0.35047, "samples": 192},
        "experiment_2": {"inner": {"cohens_d": 0.08684, "odd_number": 0.7713}, "t_statistic": -0.15041},
    }
    (tmp_path / "results/summary.json").write_text(json.dumps(document))
    table = [["Metric", "Value"], ["Pearson r", "0.3505"], ["Cohens d", "0.0868"], ["t statistic", "-0.1504"],
             ["Something else", "0.7713"]]  # fmt: skip
    check = checked(tmp_path, latex(table, "Findings."))
    assert counts(check)["off"] == 0
    assert {cell.row for cell in check.numbers if cell.status == "explained"} == {
        "Pearson r",
        "Cohens d",
        "t statistic",
    }


@pytest.mark.parametrize(
    ("sentence", "by"),
    [
        ("All systems answer 137 questions.", None),
        ("On the remote split there are 137 questions.", "rows in each file of *.csv (4 files) named remote"),
        ("On the near split there are 137 questions.", None),
        ("Intervals on the remote split use 137 bootstrap samples.", None),
        ("It was asked on 137 days on the remote split.", None),
    ],
)
def test_a_count_of_rows_is_explained_where_the_words_say_so(tmp_path: Path, sentence: str, by: str | None) -> None:
    """The words behind the number name rows, and the sentence says which of files of different sizes."""
    (tmp_path / "results").mkdir()
    for system in ("ours", "theirs"):
        for split, size in (("near", 211), ("remote", 137)):
            lines = [f"q{place},{'yes' if place % 3 else 'no'},{'yes' if place % 4 else 'no'}" for place in range(size)]
            (tmp_path / f"results/{system}_{split}.csv").write_text("\n".join(["item,gold,predicted", *lines]) + "\n")
    check = checked(tmp_path, f"# Splits\n\n{sentence}\n", "paper.md")
    assert [(one.printed, one.formula) for one in in_text(check)] == [("137", by)]
    assert in_text(check)[0].status == ("explained" if by else "unexplained")


@pytest.mark.parametrize(("copies", "together"), [(1, 3), (7, 0)])
def test_labels_are_not_read_by_value_in_shuffled_results(tmp_path: Path, copies: int, together: int) -> None:
    """Three of five pairs of numbers stay together by accident, and any pair comes together where all come often."""
    chance = random.Random(3)
    labels = ("Ours", "Theirs", "Oracle", "Humans", "Before")
    numbers = [{name: chance.uniform(0.1, 0.9) for name in ("accuracy", "recall")} for _ in labels]
    table = [["System", "Accuracy", "Recall"]]
    table += [[label, *(f"{value:.3f}" for value in one.values())] for label, one in zip(labels, numbers, strict=True)]
    for kind in ("whole", "shuffled"):
        rows: list[Row] = [{"run": f"run{run}", "part": f"p{part}", **one} for run, one in enumerate(numbers)
                           for part in range(copies)]  # fmt: skip
        moved = rows[together:] if kind == "shuffled" else []
        values = [one["recall"] for one in moved]
        chance.shuffle(values)
        for one, value in zip(moved, reversed(values) if together else values, strict=True):
            one["recall"] = value
        write_csv(tmp_path / kind / "results/runs.csv", rows)
        check = checked(tmp_path / kind, latex(table, "Scores."))
        assert (counts(check)["explained"], counts(check)["off"]) == (10 if kind == "whole" else 0, 0), check.formulas


def test_a_single_cell_is_not_looked_up_where_those_beside_it_are_elsewhere(tmp_path: Path) -> None:
    """Two numbers of nine stayed where their labels name them; the others were shuffled, and so these prove nothing."""
    chance = random.Random(4)
    values = {f"plot{letter}": chance.uniform(10, 90) for letter in "abcdefghi"}
    for kind in ("whole", "shuffled"):
        moved = list(values.values())
        if kind == "shuffled":
            moved[2:] = [*moved[3:], moved[2]]
        document = {name: {"yield_per_acre": value} for name, value in zip(values, moved, strict=True)}
        (tmp_path / kind / "results").mkdir(parents=True)
        (tmp_path / kind / "results/fields.json").write_text(json.dumps(document))
        table = [["Plot", "Yield per acre"], *([name, f"{value:.2f}"] for name, value in values.items())]
        check = checked(tmp_path / kind, latex(table, "Harvest."))
        assert (counts(check)["explained"], counts(check)["off"]) == (9 if kind == "whole" else 0, 0), check.formulas


def test_counts_are_printed_as_shares_of_a_total(tmp_path: Path) -> None:
    """A document counts outcomes beside how many there were, the paper prints percents."""
    chance = random.Random(8)
    document = {f"setup_{one}": {"total": 173, "solved": chance.randint(80, 170), "timed_out": chance.randint(3, 79)}
                for one in ("plain", "cached", "ranked", "guided", "joined")}  # fmt: skip
    (tmp_path / "results").mkdir()
    with gzip.open(tmp_path / "results/outcomes.json.gz", "wt") as file:
        json.dump(document, file)
    table = [["Setup", "Solved", "Timed out"]]
    table += [[name[6:].title(), *(f"{100 * one[part] / 173:.1f}\\%" for part in ("solved", "timed_out"))]
              for name, one in document.items()]  # fmt: skip
    check = checked(tmp_path, latex(table, "Outcomes."))
    assert (counts(check)["explained"], counts(check)["off"]) == (10, 0), check.formulas
    assert [one.measure for one in check.formulas] == ["solved / total", "timed_out / total"]
    assert check.formulas[0].formula.endswith("by key_1 (setup_plain, setup_cached, …)")


def test_judgements_of_examples_are_printed_as_shares(tmp_path: Path) -> None:
    """Each answer was judged in words; the paper prints how often each judgement came, by system."""
    chance = random.Random(9)
    words = ("supported", "unsupported", "evasive")
    systems = ("alder", "beech", "cherry", "elder", "hazel")
    rows: list[Row] = [{"system": one, "item": f"q{place}", "judgement": chance.choices(words, (5, 2, 1 + at))[0]}
                       for at, one in enumerate(systems) for place in range(211)]  # fmt: skip
    write_csv(tmp_path / "results/answers.csv", rows)
    table = [["System", *(word.title() for word in words)]]
    for one in systems:
        said = [row["judgement"] for row in rows if row["system"] == one]
        table.append([one.title(), *(f"{said.count(word) / 211:.3f}" for word in words)])
    check = checked(tmp_path, latex(table, "How answers were judged."))
    assert (counts(check)["explained"], counts(check)["off"]) == (15, 0), check.formulas
    assert {one.measure for one in check.formulas} == {f"share of judgement {word}" for word in words}


@pytest.mark.parametrize("layout", ["csv", "nested", "files"])
@pytest.mark.parametrize("kind", ["superseded-run", "pairing-swap", "stale-text"])
def test_accidents_are_named_beside_older_results(tmp_path: Path, layout: str, kind: str) -> None:
    """However the results lie, and though older ones hold what the sentence says: the accident has its name."""
    chance = random.Random(5)
    models = ["aspen", "birch", "cedar", "elm"]
    places = [(model, task) for model in models for task in ("parsing", "ranking")]
    now = {place: {"accuracy": chance.uniform(0.4, 0.9), "f1": chance.uniform(0.4, 0.9)} for place in places}
    old = {place: {name: value - chance.uniform(0.01, 0.05) for name, value in one.items()}
           for place, one in now.items()}  # fmt: skip
    for name, values in (("", now), ("old", old)):
        directory = tmp_path / "results" / name
        directory.mkdir(parents=True, exist_ok=True)
        if layout == "csv":
            rows: list[Row] = [{"model": model, "task": task, **one} for (model, task), one in values.items()]
            write_csv(directory / "all.csv", rows)
        elif layout == "nested":
            document = {model: {task: values[model, task] for task in ("parsing", "ranking")} for model in models}
            (directory / "all.json").write_text(json.dumps(document))
        else:
            for (model, task), one in values.items():
                (directory / f"{model}_{task}.json").write_text(json.dumps(one))
    printed = old if kind == "superseded-run" else now
    labels = ["aspen", "cedar", "birch", "elm"] if kind == "pairing-swap" else models
    table = [["Model", "Parsing accuracy", "Parsing F1", "Ranking accuracy"]]
    for label, model in zip(labels, models, strict=True):
        numbers = *printed[model, "parsing"].values(), printed[model, "ranking"]["accuracy"]
        table.append([label.title(), *(f"{value:.3f}" for value in numbers)])
    said = old if kind == "stale-text" else printed
    text = f"On parsing, Cedar reaches an accuracy of {said['cedar', 'parsing']['accuracy']:.3f}."
    check = checked(tmp_path, latex(table, "Accuracy and F1.", text if kind != "pairing-swap" else ""))
    assert {one.partition(":")[0] for one in accidents(check)} == {kind}
    assert check.verdict == "findings"


@pytest.mark.parametrize("same", [True, False])
def test_a_row_that_stands_among_quoted_ones_follows_by_its_values(same: bool, tmp_path: Path) -> None:
    """Results hold one row of seven, under another name: four numbers in one record, under the same headers."""
    draw = random.Random(4)
    (tmp_path / "results").mkdir()
    records = [[f"run{at}", *(f"{draw.uniform(40, 95):.2f}" for _ in range(4))] for at in range(12)]
    lines = [",".join(record) for record in [["run", "R@1", "R@5", "R@10", "mAP"], *records]]
    lines.insert(5, lines[0])  # Written in two goes.
    (tmp_path / "results" / "runs.csv").write_text("\n".join(lines) + "\n")
    rows = [[f"Quoted {name}", *(f"{draw.uniform(40, 95):.2f}" for _ in range(4))] for name in "ABCDEF"]
    own = records[7][1:] if same else [records[at][at - 4] for at in (5, 6, 7, 8)]
    text = [" | ".join(row) for row in [*rows, ["This work", *own]]]
    head = ["# P", "", "| M | R@1 | R@5 | R@10 | mAP |", "|--|--|--|--|--|"]
    said = [(one.row, one.word) for one in checked(tmp_path, "\n".join([*head, *text]) + "\n", "paper.md").numbers]
    assert {word for row, word in said if row != "This work"} == {"open"}
    assert {word for row, word in said if row == "This work"} == {"follows" if same else "open"}


def test_a_header_that_names_nothing_follows_in_rows_that_the_others_explain(tmp_path: Path) -> None:
    """Rows are named like their records, three headers like fields; the fourth header is no field's name."""
    draw = random.Random(6)
    (tmp_path / "results").mkdir()
    people = ["Alder", "Birch", "Cedar", "Dogwood", "Elder", "Fir", "Ginkgo", "Hazel"]
    names = [f"{name} et al. {name.lower()}20{at}deep" for at, name in enumerate(people, 11)]
    records = [[name, *(f"{draw.uniform(10, 95):.2f}" for _ in range(4))] for name in names]
    lines = [",".join(record) for record in [["method", "psnr", "recall", "fps", "drd"], *records]]
    (tmp_path / "results" / "methods.csv").write_text("\n".join(lines) + "\n")
    labels = [f"{name} et al. [{at}]" for at, name in enumerate(people[:5], 31)]
    rows = [" | ".join([label, *record[1:]]) for label, record in zip(labels, records, strict=False)]
    quoted = [" | ".join([label, *(f"{draw.uniform(10, 95):.2f}" for _ in range(4))]) for label in ("X1", "Y1", "Z1")]
    head = ["# P", "", "| M | PSNR | Recall | Pseudo F | DRD |", "|--|--|--|--|--|"]
    check = checked(tmp_path, "\n".join([*head, *rows, *quoted]) + "\n", "paper.md")
    assert {one.word for one in check.numbers if one.row in labels} == {"follows"}
    assert {one.word for one in check.numbers if one.row in ("X1", "Y1", "Z1")} == {"open"}
