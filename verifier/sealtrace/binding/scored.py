"""What scores and numeric predictions of examples come to in each run: ranking, calibration, errors, correlations.

Everything that the table of statistics has for such columns is tried; a recipe says the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sealtrace.binding.frames import (
    GOLD,
    GUESS,
    Derivation,
    Numbers,
    ResultFrame,
    Runs,
    field_name,
    quoted,
    run_fields,
    runs_of,
)
from sealtrace.binding.tally import Tally
from sealtrace.statistics.entries import TRIED
from sealtrace.statistics.table import TriedForm

MOST_ROWS = 300_000
MOST_RUNS = 400
_SCORE = re.compile(r"prob|score|conf|logit|(^|_)p(_|$)|likelihood|similarity", re.IGNORECASE)
_RIGHT = re.compile(r"(^|_)(is_)?(correct|right|passed|success|hit|hallucinat\w*)$", re.IGNORECASE)
_POSITIVE = ("1", "true", "yes", "positive", "pos")


@dataclass(frozen=True)
class _Pair:
    """Two columns that are compared in each run: what was so, and what was said of it."""

    name: str
    """Put before the metrics' names, where several pairs have them."""
    true: Numbers
    said: Numbers
    metrics: dict[str, TriedForm]
    true_sql: str
    said_sql: str
    flags: bool = False
    """Whether what was so is true or false."""


def scored_frames(frame: ResultFrame, tally: Tally) -> list[ResultFrame]:
    """Metrics of scores and of numeric predictions, one row for each run."""
    if not 20 <= frame.rows <= MOST_ROWS:
        return []
    pairs = [*_rankings(frame), *_errors(frame)]
    if not pairs:
        return []
    others = [
        dimension
        for dimension in frame.dimensions
        if not GOLD.search(dimension.name) and not GUESS.search(dimension.name)
    ]
    fields, _ = run_fields(
        frame, [dimension for dimension in others if dimension.name not in frame.measures or "seed" in dimension.name]
    )
    runs = runs_of(fields, frame)
    if runs.count > MOST_RUNS or runs.count * 10 > frame.rows:
        return []
    measures: dict[str, Numbers] = {}
    queries: dict[str, str] = {}
    for pair in pairs:
        for metric, variant in pair.metrics.items():
            measures[f"{pair.name}{metric}"] = _each(runs, pair, variant, tally)
            queries[f"{pair.name}{metric}"] = variant.sql.format(true=pair.true_sql, given=pair.said_sql)
    derivation = Derivation(frame, [dimension.name for dimension in fields], queries)
    return [runs.frame(frame, "scores per run", "metrics of the scores of each run", measures, derivation)]


def _each(runs: Runs, pair: _Pair, variant: TriedForm, tally: Tally) -> Numbers:
    assert variant.function is not None
    values = np.full(runs.count, np.nan)
    kind = bool if pair.flags else float
    there = np.isfinite(pair.true) & np.isfinite(pair.said)
    for run in range(runs.count):
        if tally.late("metrics of some results"):
            break
        rows = there & (runs.codes == run)
        try:
            values[run] = float(variant.function(pair.true[rows].astype(kind), pair.said[rows]))
        except (ValueError, ArithmeticError):
            continue
    return values


def _rankings(frame: ResultFrame) -> Iterator[_Pair]:
    """Scores against what was so: a label with two values, or whether an answer was right."""
    truths = [*_labels(frame), *((name, frame.numbers[:, place], f"{field_name(name)} = 1")
                                 for place, name in enumerate(frame.measures) if _RIGHT.search(name))]  # fmt: skip
    scores = [name for name in frame.measures if _SCORE.search(name) and not GOLD.search(name)][:4]
    for truth, happened, so in truths[:2]:
        if set(np.unique(happened[np.isfinite(happened)])) != {0.0, 1.0}:
            continue
        for name in scores:
            values = frame.numbers[:, frame.measures.index(name)]
            if len(np.unique(values)) < 8 or name == truth:
                continue
            inside = bool(np.nanmin(values) >= 0 and np.nanmax(values) <= 1)
            metrics = {key: one for key, one in TRIED["scores"].items() if inside or not one.of_probabilities}
            called = "" if len(scores) == 1 else f"{name} "
            yield _Pair(called, happened, values, metrics, so, field_name(name), flags=True)


def _labels(frame: ResultFrame) -> Iterator[tuple[str, Numbers, str]]:
    for dimension in frame.dimensions:
        if (
            GOLD.search(dimension.name)
            and "/" not in dimension.name
            and len(dimension.values) == 2
            and not GUESS.search(dimension.name)
        ):
            positive = next(
                (value for value in dimension.values if value.lower() in _POSITIVE), sorted(dimension.values)[1]
            )
            code = dimension.values.index(positive)
            happened = np.where(dimension.codes < 0, np.nan, (dimension.codes == code).astype(float))
            yield dimension.name, happened, f"{field_name(dimension.name)} = {quoted(positive)}"


def _errors(frame: ResultFrame) -> Iterator[_Pair]:
    """Numeric predictions against true values."""
    columns = dict(zip(frame.measures, frame.numbers.T, strict=True))
    varied = [name for name, values in columns.items() if len(np.unique(values)) >= 12]
    truths = [name for name in varied if GOLD.search(name) and not GUESS.search(name)]
    guesses = [name for name in varied if GUESS.search(name)]
    for truth in truths[:1]:
        for guess in guesses[:4]:
            called = "" if len(guesses) == 1 else f"{guess} "
            yield _Pair(called, columns[truth], columns[guess], TRIED["numbers"], field_name(truth), field_name(guess))
