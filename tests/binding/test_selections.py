"""What no label names is no explanation: extremes, means over things that labels tell apart, words that are fields."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path

import pytest

from cli.runner import sealtrace

SYSTEMS = ("base", "ours", "big", "tiny", "huge", "wide")


def formulas_and_words(directory: Path) -> tuple[list[str], set[str]]:
    """The formulas that were found for `paper.md`, and the words of its numbers."""
    found = directory / "found.json"
    sealtrace("check", directory / "paper.md", directory / "results", "--quiet", "--no-audit", "-o", f"json={found}")
    result = json.loads(found.read_text())
    return [formula["formula"] for formula in result["formulas"]], {number["word"] for number in result["numbers"]}


def written(directory: Path, table: dict[str, list[str]], header: str, caption: str, lines: list[str]) -> Path:
    """A paper with one table, and one file of results."""
    (directory / "results").mkdir()
    (directory / "results" / "runs.csv").write_text("\n".join(lines) + "\n")
    rows = [f"| {name} | {' | '.join(cells)} |" for name, cells in table.items()]
    columns = header.count("|") + 2
    text = ["# P", "", caption, "", f"| System | {header} |", "|---" * columns + "|", *rows]
    (directory / "paper.md").write_text("\n".join(text) + "\n")
    return directory


@pytest.mark.parametrize(("caption", "words"), [("Scores.", {"open"}), ("Minimum over the splits.", {"follows"})])
def test_an_extreme_explains_only_where_it_is_named(caption: str, words: set[str], tmp_path: Path) -> None:
    """The least of four splits gives every number; without a word it is what was found for want of a filter."""
    draw = random.Random(1)
    scores = {name: [round(draw.uniform(20, 90), 3) for _ in range(4)] for name in SYSTEMS}
    lines = ["system,split,score"]
    lines += [
        f"{name},{split},{score}" for name, own in scores.items() for split, score in zip("abcd", own, strict=True)
    ]
    table = {name: [f"{min(own):.2f}"] for name, own in scores.items()}
    formulas, found = formulas_and_words(written(tmp_path, table, "Score", caption, lines))
    assert found == words
    assert bool(formulas) == ("follows" in words)


def test_a_header_that_is_a_value_of_a_field_is_no_statistic(tmp_path: Path) -> None:
    """`min` stands for minutes, which a field of the file says."""
    draw = random.Random(2)
    values = {(name, unit): [round(draw.uniform(1, 9) * factor, 3) for _ in range(3)]
              for name in SYSTEMS for unit, factor in (("min", 1), ("kWh", 40))}  # fmt: skip
    lines = ["system,run,unit,value"]
    lines += [f"{name},{run},{unit},{value}" for (name, unit), own in values.items() for run, value in enumerate(own)]
    table = {name: [f"{statistics.mean(values[name, unit]):.2f}" for unit in ("min", "kWh")] for name in SYSTEMS}
    formulas, found = formulas_and_words(written(tmp_path, table, "min | kWh", "Cost of each run.", lines))
    assert found == {"follows"}
    assert not any("least" in formula for formula in formulas)


def test_a_mean_over_what_labels_tell_apart_is_no_explanation(tmp_path: Path) -> None:
    """Both columns print the mean over the sites north and south; the headers name one site each."""
    draw = random.Random(3)
    scores = {name: [round(draw.uniform(20, 90), 3) for _ in range(2)] for name in SYSTEMS}
    lines = ["system,site,score"]
    lines += [f"{name},{site},{own}" for name, two in scores.items()
              for site, own in zip(("north", "south"), two, strict=True)]  # fmt: skip
    table = {name: [f"{statistics.mean(two):.2f}", f"{two[1]:.2f}"] for name, two in scores.items()}
    formulas, found = formulas_and_words(written(tmp_path, table, "north | south", "Scores of each site.", lines))
    assert "mean" not in " ".join(formulas)
    assert "follows" in found
    assert found != {"follows"}
