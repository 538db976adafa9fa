"""McNemar's test of each run against each other one, over the examples that both answered.

Only where a paper speaks of the test: a p-value of few digits is found by accident among so many pairs.
"""

from __future__ import annotations

import re

import numpy as np

from sealtrace.binding.frames import Dimension, Numbers, ResultFrame, Runs, run_fields, runs_of
from sealtrace.statistics.significance import mcnemar
from sealtrace.statistics.sums import UndefinedError

SPOKEN_OF = re.compile(r"mcnemar", re.IGNORECASE)
MOST_RUNS = 16
"""Runs that are compared with each other."""
_METHODS = {"exact": "exact", "corrected": "with correction", "chi2": "without correction"}


def paired_tests(frame: ResultFrame) -> list[ResultFrame]:
    """What the test says of every two runs of a frame of rows, by the field `against`."""
    if frame.weights is not None or frame.derived:
        return []
    flags = {name: column for name, column in zip(frame.measures, frame.numbers.T, strict=True)
             if len(np.unique(column)) == 2 and np.isin(column, (0.0, 1.0)).all()}  # fmt: skip
    running, _ = run_fields(frame, [one for one in frame.dimensions if one.name not in frame.measures])
    runs = runs_of(running, frame)
    items = _items(frame, runs) if flags and 1 < runs.count <= MOST_RUNS else None
    if items is None:
        return []
    first, second = np.nonzero(~np.eye(runs.count, dtype=bool))
    measures: dict[str, Numbers] = {}
    for flag, column in flags.items():
        right = np.full((runs.count, items.max() + 1), np.nan)
        right[runs.codes, items] = column
        only = (right == 1).astype(float) @ (right == 0).astype(float).T
        counts = [(int(only[a, b]), int(only[b, a])) for a, b in zip(first, second, strict=True)]
        measures |= {f"McNemar p of {flag}, {said}": np.array([_p(*pair, method) for pair in counts])
                     for method, said in _METHODS.items()}  # fmt: skip
    names = _names(runs)
    against = Dimension.of("against", [names[run] for run in second])
    pairs = runs.by(first, [against])
    places = [frame.places[place].split(":")[0] for place in pairs.first]
    return [ResultFrame(f"{frame.name}, McNemar's tests", frame.files, pairs.dimensions, list(measures),
                        np.column_stack([*measures.values()]), places, "McNemar's test of every two runs")]  # fmt: skip


def _items(frame: ResultFrame, runs: Runs) -> np.ndarray | None:
    """Which example each row is about: a column that names each once in every run, and the same ones in all."""
    for column in frame.read.values():
        codes = np.unique([str(value) for value in column], return_inverse=True)[1].reshape(-1)
        size = int(codes.max(initial=-1)) + 1
        if size * runs.count == frame.rows and len(np.unique(runs.codes.astype(np.int64) * size + codes)) == frame.rows:
            return codes
    return None


def _names(runs: Runs) -> list[str]:
    """Each run by what tells it from the others."""
    telling = [one for one in runs.dimensions if len(set(one.codes.tolist())) > 1 and "/" not in one.name]
    return [" ".join(one.values[one.codes[run]] for one in telling if one.codes[run] >= 0) for run in range(runs.count)]


def _p(only_left: int, only_right: int, method: str) -> float:
    try:
        return float(mcnemar(only_left, only_right, method).p)
    except UndefinedError:
        return float("nan")
