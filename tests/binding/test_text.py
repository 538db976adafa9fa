"""Numbers of sentences: they follow from what the sentence names, and differ where that says something else."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.runner import sealtrace

MODELS = ("alpha", "beta", "gamma", "delta", "omega")


def text_numbers(directory: Path) -> dict[str, tuple[str, str | None, str | None]]:
    """Word, given text and formula of each number of the text of `paper.md`."""
    found = directory / "found.json"
    sealtrace("check", directory / "paper.md", directory / "results", "--quiet", "--no-audit", "-o", f"json={found}")
    numbers = json.loads(found.read_text())["numbers"]
    return {number["printed"]: (number["word"], number.get("given"), number.get("formula"))
            for number in numbers if number.get("sentence")}  # fmt: skip


def made(directory: Path) -> dict[str, dict[str, float]]:
    """Accuracies and estimates with their p of five models, in a file; a table with the accuracies."""
    draw = random.Random(9)
    scores = {
        name: {"accuracy": round(draw.uniform(40, 90), 1), "estimate": round(draw.uniform(0.1, 0.9), 3),
               "p_value": round(draw.uniform(0.001, 0.05), 4), "recall": round(draw.uniform(0.3, 0.8), 4)}
        for name in MODELS
    }  # fmt: skip
    (directory / "results").mkdir()
    lines = [f"{name},{','.join(map(str, own.values()))}" for name, own in scores.items()]
    (directory / "results" / "models.csv").write_text(
        "model,accuracy,estimate,p_value,recall\n" + "\n".join(lines) + "\n"
    )
    return scores


def write_paper(directory: Path, scores: dict[str, dict[str, float]], *sentences: str) -> None:
    rows = [f"| {name} | {own['accuracy']:.1f} | {own['estimate']:.3f} |" for name, own in scores.items()]
    table = ["# P", "", "| Model | Accuracy | Estimate |", "|---|---|---|", *rows, ""]
    (directory / "paper.md").write_text("\n".join([*table, *(f"{sentence}\n" for sentence in sentences)]) + "\n")


@pytest.mark.parametrize("order", ["{a} reaches an accuracy of {x}, {b} {y} and {c} {z}.",
                                   "The accuracy was {x} for {a}, {y} for {b} and {z} for {c}."])  # fmt: skip
def test_one_stale_number_of_several_is_named(order: str, tmp_path: Path) -> None:
    """Three models with an accuracy each, of which the second was left behind."""
    scores = made(tmp_path)
    a, b, c = MODELS[:3]
    stale = f"{scores[b]['accuracy'] + 2.3:.1f}"
    said = {"a": a, "b": b, "c": c, "x": scores[a]["accuracy"], "y": stale, "z": scores[c]["accuracy"]}
    write_paper(tmp_path, scores, order.format(**said))
    numbers = text_numbers(tmp_path)
    assert {text: word for text, (word, _, _) in numbers.items()} == {
        str(scores[a]["accuracy"]): "follows", stale: "differs", str(scores[c]["accuracy"]): "follows"
    }  # fmt: skip
    assert numbers[stale][1] == str(scores[b]["accuracy"])


def test_a_sentence_about_one_model_is_not_bound_to_another(tmp_path: Path) -> None:
    """The estimate of one model, printed of another one, does not follow from the row of the first."""
    scores = made(tmp_path)
    wrong = f"{scores['gamma']['p_value']:.4f}"
    right = f"{scores['omega']['p_value']:.4f}"
    write_paper(tmp_path, scores, f"For model delta the p value was {wrong}.", f"For model omega it was p = {right}.")
    numbers = text_numbers(tmp_path)
    assert numbers[wrong][0] != "follows"


def test_a_p_value_is_no_estimate(tmp_path: Path) -> None:
    """`p = 0.412` has the digits of the estimate of the model, which is not what the sentence calls it."""
    scores = made(tmp_path)
    wrong = f"{scores['beta']['estimate']:.3f}"
    write_paper(tmp_path, scores, f"The estimate of model beta is significant (p = {wrong}).")
    assert text_numbers(tmp_path)[wrong][0] != "follows"


def test_a_list_of_models_follows_from_results_that_no_table_prints(tmp_path: Path) -> None:
    """Five recalls in a list, of which one was left behind: its record is named."""
    scores = made(tmp_path)
    stale = f"{scores['gamma']['recall'] + 0.0041:.4f}"
    said = {name: f"{own['recall']:.4f}" for name, own in scores.items()} | {"gamma": stale}
    write_paper(
        tmp_path, scores, "The recall is " + ", ".join(f"{text} for {name}" for name, text in said.items()) + "."
    )
    numbers = text_numbers(tmp_path)
    assert {said[name]: "differs" if name == "gamma" else "follows" for name in MODELS} == {
        text: word for text, (word, _, _) in numbers.items()
    }
    assert numbers[stale] == ("differs", f"{scores['gamma']['recall']:.4f}", "recall at models.csv:4")


@pytest.mark.parametrize(
    ("sentence", "measure", "function"),
    [("Model {a} gains {x:.1f} points over {b} in accuracy.", "accuracy", lambda a, b: abs(a - b)),
     ("The estimate of {a} is {x:.2f} times that of {b}.", "estimate", lambda a, b: a / b),
     ("The estimates of {a} and {b} differ by {x:.1f} %.", "estimate", lambda a, b: 100 * abs(a - b) / b)],
)  # fmt: skip
def test_differences_and_ratios_of_named_rows_follow(
    sentence: str, measure: str, function: Callable[[float, float], float], tmp_path: Path
) -> None:
    scores = made(tmp_path)
    x = function(*(scores[name][measure] for name in ("alpha", "gamma")))
    write_paper(tmp_path, scores, sentence.format(a="alpha", b="gamma", x=x))
    assert {word for word, _, _ in text_numbers(tmp_path).values()} == {"follows"}


def test_a_difference_that_the_named_rows_do_not_have_differs(tmp_path: Path) -> None:
    scores = made(tmp_path)
    gap = abs(scores["alpha"]["accuracy"] - scores["delta"]["accuracy"])
    write_paper(tmp_path, scores, f"Model alpha gains {gap + 2.3:.1f} points over delta in accuracy.")
    assert [(word, given) for word, given, _ in text_numbers(tmp_path).values()] == [("differs", f"{gap:.1f}")]


@pytest.mark.parametrize(
    "sentence",
    ["The correlation with alpha is r = {x}.", "On alpha we ran {n} iterations.", "Only alpha is above {x}.",
     "The best accuracy of alpha over all splits was {x}."],
)  # fmt: skip
def test_a_number_that_is_called_otherwise_does_not_differ(sentence: str, tmp_path: Path) -> None:
    """A symbol, a counted noun, a bound or an extreme says that the sentence does not speak of the record."""
    scores = made(tmp_path)
    x = f"{scores['alpha']['accuracy'] + 3.7:.1f}"
    write_paper(tmp_path, scores, sentence.format(x=x, n=f"{100 + int(float(x))}"), "The accuracy of beta is high.")
    assert "differs" not in {word for word, _, _ in text_numbers(tmp_path).values()}


def test_the_list_of_models_may_have_deviations_in_brackets(tmp_path: Path) -> None:
    """What stands in brackets behind a number and names nothing does not part the number from its name."""
    scores = made(tmp_path)
    stale = f"{scores['gamma']['recall'] + 0.0041:.4f}"
    said = {name: f"{own['recall']:.4f}" for name, own in scores.items()} | {"gamma": stale}
    listed = ", ".join(f"{text} (SD 0.0137) for {name}" for name, text in said.items())
    write_paper(tmp_path, scores, f"The recall is {listed}.")
    numbers = text_numbers(tmp_path)
    assert {name: numbers[text][0] for name, text in said.items()} == dict.fromkeys(MODELS, "follows") | {
        "gamma": "differs"
    }
    assert numbers["0.0137"][0] == "open"


def test_a_number_of_a_table_needs_its_row_to_be_spoken_of(tmp_path: Path) -> None:
    """An accuracy of something else that one of the cells prints as well is not the number of that cell's row."""
    scores = made(tmp_path)
    write_paper(tmp_path, scores, f"Earlier work reported an accuracy of {scores['omega']['accuracy']:.1f}.")
    assert {word for word, _, _ in text_numbers(tmp_path).values()} == {"open"}


def test_one_value_that_is_said_again_and_again_is_one_witness(tmp_path: Path) -> None:
    """A file that gave no table and agrees with a text in one number has not been spoken of often enough."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results/rule.json").write_text('{"sell_day": 525, "buy_day": 900}')
    said = [f"The {which} top came 525 days after the start." for which in ("first", "second", "third", "fourth")]
    (tmp_path / "paper.md").write_text("# P\n\n" + "\n\n".join(said) + "\n")
    assert {word for word, _, _ in text_numbers(tmp_path).values()} == {"open"}


def test_no_mean_over_what_a_sentence_names(tmp_path: Path) -> None:
    """A mean over both cohorts is not what a sentence about one of them prints, though the digits agree."""
    cohorts = {"north": {"auc": 0.6417, "depth": 0.377}, "south": {"auc": 0.6429, "depth": 0.288}}
    (tmp_path / "results").mkdir()
    (tmp_path / "results/cohorts.json").write_text(json.dumps(cohorts))
    said = [f"In the {name} cohort, auc was {round(own['auc'], 3)} and depth {own['depth']}."
            for name, own in cohorts.items()]  # fmt: skip
    (tmp_path / "paper.md").write_text("# P\n\n" + "\n\n".join(said) + "\n")
    numbers = text_numbers(tmp_path)
    assert [numbers[text] for text in ("0.642", "0.643")] == [
        ("follows", "0.642", "auc at cohorts.json#/north"), ("follows", "0.643", "auc at cohorts.json#/south")
    ]  # fmt: skip


@pytest.mark.parametrize("said", ["The sign was preserved in 100% of the shifts.", "At 12% of the items it failed."])
def test_a_share_is_no_number_of_rows(said: str, tmp_path: Path) -> None:
    """One row and twelve rows are counts; a share of what a sentence speaks of is another thing."""
    (tmp_path / "results").mkdir()
    rows = "".join(f"{'shifts' if place else 'items'},{place + 0.377}\n" for place in [0] * 12 + [1])
    (tmp_path / "results/runs.csv").write_text("kind,score\n" + rows)
    (tmp_path / "paper.md").write_text(f"# P\n\n{said}\n")
    assert {word for word, _, _ in text_numbers(tmp_path).values()} == {"open"}


def test_a_number_of_an_address_is_none_of_the_paper(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results/runs.csv").write_text("kind,score\nalpha,0.377\n")
    (tmp_path / "paper.md").write_text("# P\n\nWrite to 0244552@example.org about alpha, whose score was 0.377.\n")
    assert list(text_numbers(tmp_path)) == ["0.377"]


def test_a_row_is_spoken_of_by_what_tells_it_from_the_others(tmp_path: Path) -> None:
    """Words that several rows share name none of them, and a number does not name its own column."""
    (tmp_path / "results").mkdir()
    names = {"tool gamma raw": (2.35, 0.81), "tool uniform raw": (3.23, 0.77), "other": (4.16, 0.85)}
    lines = "".join(f"{name},{error},{band}\n" for name, (error, band) in names.items())
    (tmp_path / "results/errors.csv").write_text("method,error,80-85\n" + lines)
    table = [f"| {name} | {error} | {band} |" for name, (error, band) in names.items()]
    said = ["We ran tool 1.4 and the raw data of viewer 3.23, and other programs.",
            "The error of other methods is worst at 85% of the band.",
            "The tool with gamma has an error of 2.35."]  # fmt: skip
    paper = ["# P", "", "| Method | Error | 80-85 |", "|---|---|---|", *table, "", *(f"{one}\n" for one in said)]
    (tmp_path / "paper.md").write_text("\n".join(paper) + "\n")
    words = {text: word for text, (word, _, _) in text_numbers(tmp_path).items()}
    assert (words["3.23"], words["85%"], words["2.35"]) == ("open", "open", "follows")


@pytest.mark.parametrize(
    "sentence",
    ["Regressing accuracy on the estimates of alpha gave R^2 = {far}.",
     "The recall of alpha ranges from {far} to {farther}."],
)  # fmt: skip
def test_what_a_sentence_hardly_names_does_not_differ(sentence: str, tmp_path: Path) -> None:
    """A letter with many meanings names no record, and neither does a name that leaves one value to two numbers."""
    scores = made(tmp_path)
    rows = "".join(f"{name},{own['recall'] / 2:.4f}\n" for name, own in scores.items())
    (tmp_path / "results/fit.csv").write_text("model,r2\n" + rows)
    said = [f"The recall of {name} is {scores[name]['recall']:.4f}." for name in MODELS[1:]]
    said += [f"For {name}, r2 = {scores[name]['recall'] / 2:.4f}." for name in MODELS[1:]]
    far = scores["alpha"]["recall"] / 2 + 0.0143
    text = sentence.format(far=f"{far:.4f}", farther=f"{far + 0.021:.4f}")
    write_paper(tmp_path, scores, *said, text)
    numbers = text_numbers(tmp_path)
    assert numbers[f"{far:.4f}"][0] == "open"
    assert [numbers[f"{scores[name]['recall']:.4f}"][0] for name in MODELS[1:]] == ["follows"] * 4


def test_a_letter_apart_is_no_word_of_a_label(tmp_path: Path) -> None:
    """`Large T Antigen` and `cells` do not speak of the row `T cell`."""
    counts = {"B cell": 11942, "T cell": 10942, "NK cell": 7341, "Monocyte": 2218}
    (tmp_path / "results").mkdir()
    (tmp_path / "results/cells.csv").write_text("kind,cells\n" + "".join(f"{k},{n}\n" for k, n in counts.items()))
    table = ["| Kind | Cells |", "|---|---|", *(f"| {kind} | {count:,} |" for kind, count in counts.items())]
    said = ["Large T antigen marks seven clusters of 9,682 cells.", "There were 7,341 cells of the kind NK cell.",
            "There were 2,218 cells of the kind Monocyte."]  # fmt: skip
    (tmp_path / "paper.md").write_text("\n".join(["# P", "", *table, "", *(f"{one}\n" for one in said)]) + "\n")
    assert {text: word for text, (word, _, _) in text_numbers(tmp_path).items()} == {
        "9,682": "open", "7,341": "follows", "2,218": "follows"
    }  # fmt: skip


def test_a_part_of_a_joined_word_is_no_name(tmp_path: Path) -> None:
    """`recall-based` speaks of something else than the recall of a model."""
    scores = made(tmp_path)
    said = [f"The recall of {name} is {scores[name]['recall']:.4f}." for name in MODELS[1:]]
    near = f"{scores['alpha']['recall'] + 0.0143:.4f}"
    write_paper(tmp_path, scores, *said, f"The recall-based index of alpha is {near}.")
    assert text_numbers(tmp_path)[near][0] == "open"


def test_the_table_that_knows_all_that_a_sentence_says_is_meant(tmp_path: Path) -> None:
    """An accuracy on one task is no accuracy of the system, which another table has; its caption says what it is."""
    draw = random.Random(3)
    tasks = {name: {task: round(draw.uniform(40, 90), 1) for task in ("boolq", "piqa")} for name in MODELS}
    total = {name: round(draw.uniform(40, 90), 2) for name in MODELS}
    (tmp_path / "results").mkdir()
    (tmp_path / "results/tasks.csv").write_text("model,boolq,piqa\n" + "".join(
        f"{name},{own['boolq']},{own['piqa']}\n" for name, own in tasks.items()))  # fmt: skip
    (tmp_path / "results/runs.csv").write_text("model,accuracy,hours\n" + "".join(
        f"{name},{value},{value / 7:.2f}\n" for name, value in total.items()))  # fmt: skip
    first = [f"| {name} | {own['boolq']} | {own['piqa']} |" for name, own in tasks.items()]
    second = [f"| {name} | {value} | {value / 7:.2f} |" for name, value in total.items()]
    said = {name: own["boolq"] for name, own in tasks.items()} | {"gamma": tasks["gamma"]["boolq"] + 2.3}
    paper = ["# P", "", "Table 1: Accuracy (%) on each task.", "", "| Model | boolq | piqa |", "|---|---|---|", *first,
             "", "| Model | Accuracy | Hours |", "|---|---|---|", *second, "",
             *(f"On boolq, {name} reaches {value:.1f} % accuracy.\n" for name, value in said.items())]  # fmt: skip
    (tmp_path / "paper.md").write_text("\n".join(paper) + "\n")
    numbers = text_numbers(tmp_path)
    assert numbers[f"{said['gamma']:.1f} %"][:2] == ("differs", f"{tasks['gamma']['boolq']:.1f}")
    assert [numbers[f"{said[name]:.1f} %"][0] for name in MODELS if name != "gamma"] == ["follows"] * 4


@pytest.mark.parametrize(("mean", "word"), [("", "open"), ("On average over all horizons, ", "follows")])
def test_a_mean_over_different_things_is_called_a_mean(mean: str, word: str, tmp_path: Path) -> None:
    """What a model has at one horizon is no mean over the horizons, though its digits agree."""
    draw = random.Random(8)
    hits = {model: [round(draw.uniform(0.3, 0.6), 4) for _ in range(3)] for model in MODELS}
    lines = [f"{model},{horizon},{hit}" for model, own in hits.items() for horizon, hit in zip("abc", own, strict=True)]
    (tmp_path / "results").mkdir()
    (tmp_path / "results/hits.csv").write_text("model,horizon,hits\n" + "\n".join(lines) + "\n")
    table = [f"| {model} | {' | '.join(map(str, own))} |" for model, own in hits.items()]
    means = {model: f"{sum(own) / 3:.4f}" for model, own in hits.items()}
    said = [f"{mean}{model} has hits of {value}.\n" for model, value in means.items()]
    paper = ["# P", "", "Hits by horizon.", "", "| Model | a | b | c |", "|---|---|---|---|", *table, "", *said]
    (tmp_path / "paper.md").write_text("\n".join(paper) + "\n")
    assert {text_numbers(tmp_path)[value][0] for value in means.values()} == {word}


def test_a_round_number_is_a_setting_unless_all_of_its_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    counts = {"pilot queries": 1000, "main queries": 2743, "late queries": 3119, "extra queries": 1187}
    lines = "".join(f"{kind},{number},{number / 7:.3f}\n" for kind, number in counts.items())
    (tmp_path / "results/sizes.csv").write_text("kind,number,share\n" + lines)
    table = [f"| {kind} | {number} | {number / 7:.3f} |" for kind, number in counts.items()]
    paper = ["# P", "", "| Kind | Number | Share |", "|---|---|---|", *table, "",
             "Each pilot of queries was stopped after 1000 steps.", "", "Main queries have number 2743."]  # fmt: skip
    (tmp_path / "paper.md").write_text("\n".join(paper) + "\n")
    assert {text: word for text, (word, _, _) in text_numbers(tmp_path).items()} == {"1000": "open", "2743": "follows"}


def test_the_extreme_of_a_column_is_the_record_that_is_named(tmp_path: Path) -> None:
    """`has the largest recall` speaks of the record where it is the largest, and of something else where it is not."""
    scores = made(tmp_path)
    order = sorted(MODELS, key=lambda name: scores[name]["recall"])
    said = [f"The recall of {name} is {scores[name]['recall']:.4f}." for name in order[1:-1]]
    most, middle = (f"{scores[name]['recall'] - 0.0143:.4f}" for name in (order[-1], order[2]))
    write_paper(tmp_path, scores, *said, f"Of these, {order[-1]} has the largest recall ({most}).",
                f"The best recall in the history of {order[2]} was {middle}.")  # fmt: skip
    numbers = text_numbers(tmp_path)
    assert numbers[most][1] == f"{scores[order[-1]]['recall']:.4f}"
    assert numbers[middle][1] is None


@pytest.mark.parametrize(("mean", "statuses"), [("49.7", {"follows"}), ("47.9", {"open"})])
def test_a_sample_is_described_by_its_rows(mean: str, statuses: set[str], tmp_path: Path) -> None:
    """How many rows a file has, and their mean and deviation, stand in one sentence; a wrong one is told beside it."""
    ages = [18 + (37 * at) % 62 for at in range(148)]
    (tmp_path / "results").mkdir()
    rows = [f"P{at:03d},{age},{50 + at % 9}" for at, age in enumerate(ages)]
    (tmp_path / "results" / "sample.csv").write_text("\n".join(["id,age,score", *rows]) + "\n")
    told = {"49.7": f"{statistics.mean(ages):.1f}"}.get(mean, mean)
    sentence = f"We recruited 148 adults (67 women) aged 18 to 79 years (mean {told}, SD {statistics.stdev(ages):.1f})."
    (tmp_path / "paper.md").write_text(f"# Adults\n\n{sentence}\n")
    found = tmp_path / "found.json"
    sealtrace("check", tmp_path / "paper.md", tmp_path / "results", "--quiet", "-o", f"json={found}")
    numbers = {number["printed"]: number for number in json.loads(found.read_text())["numbers"]}
    assert {number["word"] for number in numbers.values()} == statuses
    if statuses == {"open"}:
        named = f"its sentence may name mean of age in sample.csv, which gives {statistics.mean(ages):.1f}"
        assert named in numbers[mean]["says"]


def test_a_text_that_was_left_behind_whole_is_probably_wrong_where_a_table_prints_the_records(tmp_path: Path) -> None:
    """No sentence follows, but the table prints the records that the sentences name: `5d` is the 5-day horizon."""
    draw = random.Random(4)
    rows = {(model, days): {name: round(draw.uniform(0.3, 0.9), 4) for name in ("rmse", "hit_rate", "train_hit_rate")}
            for model in ("Forest", "Boosting", "Ridge") for days in (1, 3, 5)}  # fmt: skip
    (tmp_path / "results").mkdir()
    lines = [f"{model},{days}d,{','.join(map(str, own.values()))}" for (model, days), own in rows.items()]
    text = "\n".join(["model,horizon,rmse,hit_rate,train_hit_rate", *lines])
    (tmp_path / "results" / "metrics.csv").write_text(text + "\n")
    table = ["# P", "", "| Model | Horizon | RMSE | Hit rate | Train hit rate |", "|---|---|---|---|---|"]
    table += [f"| {model} | {days}d | {' | '.join(f'{value:.4f}' for value in own.values())} |"
              for (model, days), own in rows.items()]  # fmt: skip
    right, left = rows["Forest", 5]["train_hit_rate"], rows["Ridge", 1]["rmse"]
    said = [f"At the 5-day horizon, Forest reaches a training hit rate of {right - 0.0712:.4f}.",
            f"Ridge has an RMSE of {left + 0.0533:.4f} at the 1-day horizon."]  # fmt: skip
    (tmp_path / "paper.md").write_text("\n".join([*table, "", *(f"{sentence}\n" for sentence in said)]) + "\n")
    numbers = text_numbers(tmp_path)
    assert {given for _, given, _ in numbers.values()} == {f"{right:.4f}", f"{left:.4f}"}


@pytest.mark.parametrize(
    ("printed", "status", "given"), [("59.2", "explained", "59.2"), ("52.9", "probably-off", "59.2")]
)
def test_a_percentage_behind_counts_that_results_give_is_their_share(
    printed: str, status: str, given: str, tmp_path: Path
) -> None:
    (tmp_path / "results").mkdir()
    passed = {"alpha": 71, "beta": 46, "gamma": 55, "delta": 78}
    (tmp_path / "results" / "passed.csv").write_text(
        "tool,passed,total\n" + "".join(f"{tool},{count},120\n" for tool, count in passed.items())
    )
    rows = [f"| {tool} | {count}/120 |" for tool, count in passed.items()]
    text = ["# P", "", "| Tool | Solved |", "|---|---|", *rows, "",
            f"Alpha solved 71 of 120 tasks ({printed} %), with an interval (95 % CI) that is wide."]  # fmt: skip
    (tmp_path / "paper.md").write_text("\n".join(text) + "\n")
    sealtrace("check", tmp_path / "paper.md", tmp_path / "results", "-q", "-o", f"json={tmp_path / 'found.json'}")
    numbers = json.loads((tmp_path / "found.json").read_text())["numbers"]
    told = [(one["status"], one["given"].strip(" %")) for one in numbers if one["printed"] == f"{printed} %"]
    assert told == [(status, given)]


LATENCIES = {
    ("linux", "pagerank"): 62.53, ("linux", "redis"): 41.07, ("linux", "tpcc"): 77.31,
    ("falcon", "pagerank"): 30.31, ("falcon", "redis"): 55.92, ("falcon", "tpcc"): 20.48,
}  # fmt: skip


def bench(directory: Path, *sentences: str) -> dict[str, tuple[str, str | None, str | None]]:
    """Numbers of sentences beside latencies of two systems and three loads."""
    (directory / "results").mkdir()
    rows = [f"{system},{load},{value},{value / 7:.3f}" for (system, load), value in LATENCIES.items()]
    (directory / "results" / "bench.csv").write_text(
        "\n".join(["system,workload,p99_latency_ms,memory_gb", *rows]) + "\n"
    )
    (directory / "paper.md").write_text("# P\n\n" + "\n\n".join(sentences) + "\n")
    return text_numbers(directory)


def test_names_that_results_spell_together_and_units_in_names_are_heard(tmp_path: Path) -> None:
    """`PageRank` is `pagerank` there, `TPC-C` is `tpcc`, and the unit of `p99_latency_ms` stands behind the number."""
    numbers = bench(tmp_path, "On PageRank the p99 latency of Linux is 62.5 ms, and that of Falcon 30.3 ms.",
                    "On TPC-C the p99 latency of Linux is 77.3 ms, and that of Falcon 20.5 ms.")  # fmt: skip
    assert {text: word for text, (word, _, _) in numbers.items()} == dict.fromkeys(
        ("62.5", "30.3", "77.3", "20.5"), "follows"
    )


def test_the_ends_of_a_change_and_the_change_follow(tmp_path: Path) -> None:
    """`from A to B`: whose value each is follows from the other one; a share and a factor are those of both."""
    numbers = bench(
        tmp_path,
        "On PageRank, Falcon reduces p99 latency from 62.5 ms to 30.3 ms compared with Linux, a 51.5 % reduction.",
        "Falcon lowers p99 latency on TPC-C by a factor of 3.77 over Linux.",
    )
    assert {text: word for text, (word, _, _) in numbers.items()} == dict.fromkeys(
        ("62.5", "30.3", "51.5 %", "3.77"), "follows"
    )


def test_a_stale_end_of_a_change_is_named_with_the_value_of_its_side(tmp_path: Path) -> None:
    numbers = bench(
        tmp_path,
        "On PageRank, Falcon reduces p99 latency from 68.9 ms to 30.3 ms compared with Linux, a 51.5 % reduction.",
        "On TPC-C the p99 latency of Linux is 77.3 ms, and that of Falcon 20.5 ms.",
    )
    assert {text: given for text, (_, given, _) in numbers.items()} == {
        "68.9": "62.5", "30.3": "30.3", "51.5 %": "51.5 %", "77.3": "77.3", "20.5": "20.5"
    }  # fmt: skip


def test_a_range_has_the_least_and_the_greatest_of_what_is_named(tmp_path: Path) -> None:
    numbers = bench(tmp_path, "For Linux, p99 latency is between 41.1 and 77.3 ms.",
                    "For Falcon, p99 latency is between 20.5 and 66.6 ms.")  # fmt: skip
    assert [numbers[text][0] for text in ("41.1", "77.3", "20.5")] == ["follows"] * 3
    assert numbers["66.6"][0] != "follows"


RATIOS = {"diabetes": (1.43, 0.013), "smoking": (0.85, 0.118), "stroke": (2.27, 0.021)}


@pytest.mark.parametrize(("p", "word"), [("0.013", "follows"), ("0.018", "open")])
def test_a_letter_is_denied_beside_another_number_of_its_record(p: str, word: str, tmp_path: Path) -> None:
    """A p has few digits and a name of one letter: the ratio before it says of which record it is."""
    (tmp_path / "results").mkdir()
    rows = [",".join(map(str, (name, *own))) for name, own in RATIOS.items()]
    (tmp_path / "results" / "logistic.csv").write_text("\n".join(["term,odds_ratio,p", *rows]) + "\n")
    said = [f"For {name} the odds ratio was {ratio} (p = {p if name == 'diabetes' else own})."
            for name, (ratio, own) in RATIOS.items()]  # fmt: skip
    (tmp_path / "paper.md").write_text("# P\n\n" + "\n\n".join(said) + "\n")
    numbers = text_numbers(tmp_path)
    assert numbers[p][:2] == (word, "0.013")
    assert {numbers[f"{ratio}"][0] for ratio, _ in RATIOS.values()} == {"follows"}


def test_correlations_of_something_else_are_not_denied(tmp_path: Path) -> None:
    """Of three letters one has by accident what a table says of another pair: the others are no errors."""
    found = {"revenge": 0.43, "degradation": 0.44, "suffering": 0.40, "exclusion": 0.57, "exile": 0.29}
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "motives.csv").write_text(
        "\n".join(["motive,r", *(f"{name},{value}" for name, value in found.items())]) + "\n"
    )
    table = ["Table 1: Correlations with punitiveness.", "", "| Motive | r |", "|---|---|"]
    table += [f"| {name.title()} | {value:.2f} |" for name, value in found.items()]
    said = "Vengefulness was correlated with revenge (r = .46), degradation (r = .37), and suffering (r = .40)."
    (tmp_path / "paper.md").write_text("\n".join(["# P", "", *table, "", said]) + "\n")
    numbers = text_numbers(tmp_path)
    assert [numbers[text][1] for text in (".46", ".37")] == [None, None]


def test_a_table_of_another_measure_denies_nothing(tmp_path: Path) -> None:
    """The table prints latency by load; the sentence speaks of memory."""
    (tmp_path / "results").mkdir()
    rows = [f"{system},{load},{value},{value / 7:.3f}" for (system, load), value in LATENCIES.items()]
    (tmp_path / "results" / "bench.csv").write_text("\n".join(["system,workload,latency,memory", *rows]) + "\n")
    table = ["Table 1: Latency.", "", "| System | PageRank | Redis | TPC-C |", "|---|---|---|---|"]
    table += [f"| {system.title()} | " + " | ".join(f"{LATENCIES[system, load]:.2f}" for load in
              ("pagerank", "redis", "tpcc")) + " |" for system in ("linux", "falcon")]  # fmt: skip
    said = ["The latency of Linux on PageRank is 62.53, and on Redis 41.07.", "The memory of Linux on TPC-C is 52.48."]
    (tmp_path / "paper.md").write_text("\n".join(["# P", "", *table, "", said[0], "", said[1]]) + "\n")
    numbers = text_numbers(tmp_path)
    assert numbers["62.53"][0] == "follows"
    assert numbers["52.48"][:2] == ("open", None)
