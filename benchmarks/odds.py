"""How often what labels name is what a paper prints: the frequencies behind the odds of `check`.

    python benchmarks/odds.py CLONES --gather FILE      # reads the development releases, a line of JSON for each cell
    python benchmarks/odds.py --fit FILE

For every number of a table the labels' witness predicts a value without looking at the number. Most papers are right,
so that a prediction which is not printed is nearly always a wrong reading of the labels. A logistic regression over
the evidence of the best established prediction of each cell gives the odds that a prediction is right.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from corpus_answers import clone_of, listed, unpacked
from how_well import judged
from planted import Study
from sealtrace.binding.checking import WORK_A_SECOND
from sealtrace.binding.label_odds import WEIGHTS, predictions
from sealtrace.binding.tables import bind_tables
from sealtrace.binding.tally import Tally

MOST_OPTIONS = 12
MOST_OF_A_TABLE = 40.0
"""Cells of one table count as so many at most: they are right or wrong together."""
RIDGE = 1.0


def gathered(name: str, study: Study) -> list[dict[str, Any]]:
    """Every cell that labels name something for, with its readings, the best established first."""
    found = []
    for grid in study.grids:
        tally = Tally(time.process_time() + 2 * study.seconds)
        bound = bind_tables([grid], study.views, tally, study.seconds * WORK_A_SECOND)
        for spot, options in predictions(grid, study.views, bound, tally).items():
            cell, known = grid.cells[spot.row, spot.column], bound.numbers.get(spot)
            named = [option for option in options if option.named][:MOST_OPTIONS]
            found.append({
                "release": name, "table": grid.name, "row": grid.row_name(spot.row), "line": cell.line,
                "column": grid.headers[spot.column], "slot": spot.slot, "printed": cell.text,
                "search": "open" if known is None else "follows" if known.agrees else "differs",
                "options": [{"features": option.evidence.features, "agrees": option.agrees, "value": option.value,
                             "measure": option.said.reading.measure, "statistic": option.said.reading.statistic,
                             "frame": option.said.reading.view.frame.name} for option in named],
            })  # fmt: skip
    return found


def gather(clones: Path, file: Path, seconds: float) -> None:
    """Reads the development releases that a directory has clones of."""
    with file.open("w") as out:
        for release in sorted(listed("releases.toml", "release"), key=lambda release: release["bytes"]):
            clone = clone_of(clones, release["repository"])
            if release["part"] != "development" or clone is None:
                continue
            started = time.process_time()
            with unpacked(clone, release["commit"], release["paper"], release["results"]) as root:
                study = Study.read(root / release["paper"], root / release["results"], seconds)
                for cell in gathered(release["repository"], study):
                    out.write(json.dumps(cell) + "\n")
            print(f"{release['repository']} {time.process_time() - started:.0f} s", flush=True)


def best(cell: dict[str, Any], weights: np.ndarray) -> dict[str, Any]:
    """The best established reading under some weights."""
    return max(cell["options"], key=lambda option: float(np.dot(option["features"], weights)))


def fitted(cells: list[dict[str, Any]]) -> np.ndarray:
    """Weights of a logistic regression over the best readings, which the weights themselves choose."""
    tables = Counter((cell["release"], cell["table"]) for cell in cells)
    share = np.array([min(1.0, MOST_OF_A_TABLE / tables[cell["release"], cell["table"]]) for cell in cells])
    weights = np.array(list(WEIGHTS.values()))
    for _ in range(6):
        chosen = [best(cell, weights) for cell in cells]
        table = np.array([option["features"] for option in chosen])
        right = np.array([option["agrees"] for option in chosen], float)
        weights = _regression(table, right, share)
    return weights


def _regression(table: np.ndarray, right: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Newton's steps with a small penalty, so that what always holds has a finite weight."""
    weights = np.zeros(table.shape[1])
    penalty = RIDGE * np.eye(table.shape[1])
    penalty[0, 0] = 0.0
    for _ in range(60):
        chance = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = table.T @ (share * (right - chance)) - penalty @ weights
        curve = (table * (share * chance * (1 - chance) + 1e-9)[:, None]).T @ table + penalty
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def report(cells: list[dict[str, Any]], weights: np.ndarray) -> None:
    """Predicted odds beside counted ones, and the readings of high odds that are not printed."""
    told = {
        (release["repository"], row["line"], row["printed"]): row["truth"]
        for release in listed("releases.toml", "release")
        if release["part"] == "development"
        for row in judged(release["repository"])
    }
    bands: dict[int, list[bool]] = {}
    for cell in cells:
        option = best(cell, weights)
        score = float(np.dot(option["features"], weights))
        bands.setdefault(math.floor(score / math.log(4)), []).append(option["agrees"])
        if not option["agrees"] and score > math.log(2):
            known = told.get((cell["release"], cell["line"], cell["printed"]), "")
            print(f"  {math.exp(score):6.1f} {cell['search']:8}{known:8} {cell['release'][:24]} {cell['line']} "
                  f"{cell['table']} [{cell['row']}, {cell['column']}] {cell['printed']} -> {option['value']:.5g} "
                  f"{option['statistic']} of {option['measure']} in {option['frame']}")  # fmt: skip
    for band, hits in sorted(bands.items()):
        print(f"odds {4.0**band:8.2f} to {4.0 ** (band + 1):8.2f}: {sum(hits):5} right, {len(hits) - sum(hits):5} not")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path, nargs="?")
    parser.add_argument("--gather", type=Path, metavar="FILE")
    parser.add_argument("--fit", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=15.0)
    options = parser.parse_args()
    if options.gather:
        gather(options.clones, options.gather, options.seconds)
    if options.fit:
        cells = [json.loads(line) for line in options.fit.read_text().splitlines()]
        cells = [cell for cell in cells if cell["options"]]
        weights = fitted(cells)
        report(cells, weights)
        for name, weight in zip(WEIGHTS, weights, strict=True):
            print(f"{name:16} {weight:7.2f}")


if __name__ == "__main__":
    main()
