"""Labels that hold conditions, cells that hold several numbers, and what is computed of rates: each follows."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist, mean, stdev

import pytest

from binding.random_studies import Row, write_csv
from binding.test_check import checked
from binding.told import counts

MODELS = ("alder", "beech", "cherry", "elder", "hazel")
Made = tuple[list[Row], list[list[str]]]


def conditions(draw: random.Random) -> Made:
    """`32×32, 5 %, 64 agents`: one cell has three fields, two of which share a value."""
    rows: list[Row] = [
        {"size": size, "density": share / 100, "n_agents": agents, "success": draw.random(), "steps": draw.random()}
        for size in (32, 64) for share in (5, 10) for agents in (64, 128)
    ]  # fmt: skip
    table = [["Condition", "Success", "Steps"]]
    table += [
        [f"{row['size']}×{row['size']}, {100 * row['density']:.0f} %, {row['n_agents']} agents",
         f"{row['success']:.3f}", f"{row['steps']:.3f}"]
        for row in rows
    ]  # fmt: skip
    return rows, table


def intervals_in_strings(draw: random.Random) -> Made:
    """`0.48 (0.23, 0.77)` is one text of the file and three numbers."""
    ranges = ((0.4, 0.6), (0.2, 0.39), (0.7, 0.9))
    rows: list[Row] = [
        {"model": name, "ratio": "{:.3f} ({:.3f}, {:.3f})".format(*(draw.uniform(*ends) for ends in ranges))}
        for name in MODELS
    ]
    return rows, [["Model", "Ratio"], *([row["model"], row["ratio"].replace(", ", "–")] for row in rows)]


def percents_as_shares(draw: random.Random) -> Made:
    rows: list[Row] = [{"model": name, "error": round(draw.uniform(20, 90), 2)} for name in MODELS]
    return rows, [["Model", "Error"], *([row["model"], f"{row['error'] / 100:.4f}"] for row in rows)]


def wilson(hits: int, tries: int) -> str:
    z2 = NormalDist().inv_cdf(0.975) ** 2
    share = hits / tries
    centre, half = share + z2 / 2 / tries, math.sqrt(z2 * (share * (1 - share) + z2 / 4 / tries) / tries)
    low, high = ((centre + sign * half) / (1 + z2 / tries) for sign in (-1, 1))
    return f"[{100 * low:.1f}, {100 * high:.1f}]"


def wilson_of_counts(draw: random.Random) -> Made:
    rows: list[Row] = [
        {"model": name, "successes": draw.randint(30, 90), "trials": draw.randint(91, 240)} for name in MODELS
    ]
    table = [["Model", "Rate (%)", "95 % CI"]]
    table += [[row["model"], f"{100 * row['successes'] / row['trials']:.1f}", wilson(row["successes"], row["trials"])]
              for row in rows]  # fmt: skip
    return rows, table


def wilson_of_examples(draw: random.Random) -> Made:
    rows: list[Row] = [{"model": name, "example": at, "correct": int(draw.random() < 0.2 + 0.15 * place)}
                       for place, name in enumerate(MODELS) for at in range(150)]  # fmt: skip
    table = [["Model", "Accuracy (%)", "95 % CI"]]
    for name in MODELS:
        hits = sum(row["correct"] for row in rows if row["model"] == name)
        table.append([name, f"{hits / 1.5:.1f}", wilson(hits, 150)])
    return rows, table


def students_t(draw: random.Random) -> Made:
    """Half of the t interval of five seeds, 2.776 standard errors."""
    rows: list[Row] = [
        {"model": name, "seed": seed, "score": draw.uniform(0.4, 0.9)} for name in MODELS for seed in range(5)
    ]
    table = [["Model", "Score, 95 % confidence interval"]]
    for name in MODELS:
        own = [row["score"] for row in rows if row["model"] == name]
        table.append([name, f"{mean(own):.3f} ± {2.7764451 * stdev(own) / math.sqrt(5):.3f}"])
    return rows, table


def above_chance(draw: random.Random) -> Made:
    """Of four answers one is right by chance: 0.25 is printed as 0."""
    rows: list[Row] = [{"model": name, "accuracy": round(draw.uniform(0.3, 0.9), 4)} for name in MODELS]
    table = [["Model", "Accuracy, normalised by chance (1/4)"]]
    table += [[row["model"], f"{(row['accuracy'] - 0.25) / 0.75:.3f}"] for row in rows]
    return rows, table


KINDS = [
    conditions, intervals_in_strings, percents_as_shares, wilson_of_counts, wilson_of_examples, students_t, above_chance
]  # fmt: skip


@pytest.mark.parametrize("made", KINDS)
def test_every_cell_follows(made: Callable[[random.Random], Made], tmp_path: Path) -> None:
    rows, table = made(random.Random(5))
    (tmp_path / "results").mkdir()
    write_csv(tmp_path / "results/all.csv", rows)
    lines = ["| " + " | ".join(line) + " |" for line in table]
    check = checked(tmp_path, "\n".join([lines[0], "|" + "---|" * len(table[0]), *lines[1:], ""]), "README.md")
    assert dict(counts(check)) == {"explained": len(rows_of(table))}, [one.formula for one in check.formulas]


def rows_of(table: list[list[str]]) -> list[str]:
    """The cells of a table that hold numbers."""
    return [cell for line in table[1:] for cell in line[1:]]
