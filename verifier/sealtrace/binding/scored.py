"""What scores and numeric predictions of examples come to in each run: ranking, calibration, errors, correlations.

The mathematics is that of the study packs, under the names by which their queries call it; a recipe says the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sealtrace.binding.frames import (
    GOLD,
    GUESS,
    Derivation,
    Frame,
    Numbers,
    Runs,
    field_name,
    quoted,
    run_fields,
    runs_of,
)
from sealtrace.binding.tally import Tally
from sealtrace.statistics.queries import functions

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
    metrics: dict[str, tuple[Callable[..., float], str]]
    """Metric to its function and the query that gives it."""


def scored_frames(frame: Frame, tally: Tally) -> list[Frame]:
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
    runs = runs_of(fields, frame.rows)
    if runs.count > MOST_RUNS or runs.count * 10 > frame.rows:
        return []
    measures: dict[str, Numbers] = {}
    queries: dict[str, str] = {}
    for pair in pairs:
        for metric, (function, query) in pair.metrics.items():
            measures[f"{pair.name}{metric}"] = _each(runs, pair, function, tally)
            queries[f"{pair.name}{metric}"] = query
    derivation = Derivation(frame, [dimension.name for dimension in fields], queries)
    return [runs.frame(frame, "scores per run", "metrics of the scores of each run", measures, derivation)]


def _each(runs: Runs, pair: _Pair, function: Callable[..., float], tally: Tally) -> Numbers:
    values = np.full(runs.count, np.nan)
    there = np.isfinite(pair.true) & np.isfinite(pair.said)
    for run in range(runs.count):
        if tally.late("metrics of some results"):
            break
        rows = there & (runs.codes == run)
        try:
            values[run] = function(pair.true[rows], pair.said[rows])
        except (ValueError, ArithmeticError):
            continue
    return values


def _rankings(frame: Frame) -> Iterator[_Pair]:
    """Scores against what was so: a label with two values, or whether an answer was right."""
    known = {name: function for name, (function, _) in functions().items()}
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
            lists = f"list({so}), list({field_name(name)})"
            inside = bool(np.nanmin(values) >= 0 and np.nanmax(values) <= 1)
            metrics: dict[str, tuple[Callable[..., float], str]] = {
                metric: (_of_flags(known[metric]), f"{metric}({lists})")
                for metric in ("auroc", "average_precision", *(("brier",) if inside else ()))
            }
            for bins in (10, 15) if inside else ():
                metrics[f"ece_{bins}"] = (_of_flags(known["ece"], bins), f"ece({lists}, {bins})")
            yield _Pair("" if len(scores) == 1 else f"{name} ", happened, values, metrics)


def _labels(frame: Frame) -> Iterator[tuple[str, Numbers, str]]:
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


def _of_flags(function: Callable[..., float], *more: int) -> Callable[..., float]:
    return lambda true, said: function(true.astype(bool).tolist(), said.tolist(), *more)


def _errors(frame: Frame) -> Iterator[_Pair]:
    """Numeric predictions against true values."""
    known = {name: function for name, (function, _) in functions().items()}
    columns = dict(zip(frame.measures, frame.numbers.T, strict=True))
    varied = [name for name, values in columns.items() if len(np.unique(values)) >= 12]
    truths = [name for name in varied if GOLD.search(name) and not GUESS.search(name)]
    guesses = [name for name in varied if GUESS.search(name)]
    for truth in truths[:1]:
        for guess in guesses[:4]:
            true, said = columns[truth], columns[guess]
            a, b = field_name(truth), field_name(guess)
            metrics: dict[str, tuple[Callable[..., float], str]] = {
                name: (_of_lists(known[name]), f"{name}(list({a}), list({b}))")
                for name in ("rmse", "r2", "spearman", "kendall")
            }
            metrics["mae"] = (lambda x, y: float(np.mean(np.abs(x - y))), f"avg(abs({a} - {b}))")
            metrics["mse"] = (lambda x, y: float(np.mean((x - y) ** 2)), f"avg(({a} - {b}) * ({a} - {b}))")
            metrics["pearson"] = (lambda x, y: float(np.corrcoef(x, y)[0, 1]), f"corr({a}, {b})")
            yield _Pair("" if len(guesses) == 1 else f"{guess} ", true, said, metrics)


def _of_lists(function: Callable[..., float]) -> Callable[..., float]:
    return lambda true, said: function(true.tolist(), said.tolist())
