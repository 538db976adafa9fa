"""The labels' witness: a number that the record of the same name contradicts is named, and nothing else is."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path

import pytest

from cli.runner import sealtrace

SYSTEMS = ("base", "ours", "big", "tiny", "huge")
Means = dict[str, list[float]]


def checked(directory: Path, *options: str) -> tuple[int, dict[str, tuple[str, str | None, str | None]]]:
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

    brought = max if changed == "best" else statistics.mean
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


@pytest.mark.parametrize(("changed", "said"), [("columns", "f1"), ("best", "greatest")])
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
