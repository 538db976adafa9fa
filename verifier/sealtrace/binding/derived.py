"""What per-example rows say of a run: accuracy, F1, counts by class, confusion, shares of labels.

Runs are the combinations of the fields that vary between answers to the same example; a field that the example
fixes (its subject, its difficulty) is a slice instead.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import (
    GOLD,
    GUESS,
    Derivation,
    Dimension,
    Frame,
    Numbers,
    Runs,
    field_name,
    quoted,
    run_fields,
    runs_of,
)
from sealtrace.binding.scored import scored_frames
from sealtrace.binding.tally import Tally
from sealtrace.statistics.entries import STATISTICS, TRIED
from sealtrace.statistics.labels import Margins, ratio
from sealtrace.statistics.table import Variant

MAX_LABELS = 60


_REPEAT = re.compile(r"(^|[^a-z])(seed|run|trial|rep|repeat|repetition|fold|replicate|session)s?(_?id|_?idx)?$", re.I)
_ERROR = re.compile(r"(?:^|[_. /-])(?:se|sem|stderr|std_?err(?:or)?|standard_?error)(?=$|[_. /-])", re.I)
_BOUND = re.compile(r"(?:^|[_. /-])(?:ci|low|lower|high|upper|lo|hi|p|pvalue|p_value|n)(?:$|[_. /-])", re.I)
_ESTIMATE = re.compile(r"coef|estimate|mean|beta|effect|^b$|ate$|diff", re.I)
_TOTAL = re.compile(
    r"(?:^|[_. -])(?:n|total|count|num|attempts|trials|examples|questions|samples|episodes|items|tests)(?:$|[_. -])",
    re.IGNORECASE,
)
MOST_RUNS = 5000
MOST_JUDGED, MOST_JUDGEMENTS = 200_000, 12
"""Rows whose texts are counted, and different texts of one field."""


def derived_frames(frame: Frame, tally: Tally) -> list[Frame]:
    """What the rows of each run come to: means of what is measured, and metrics of predictions."""
    found: list[Frame] = []
    for made in (
        _intervals,
        _shares,
        _label_shares,
        _means_of_repeats,
        _of_predictions,
        partial(scored_frames, tally=tally),
    ):
        if not tally.late("metrics of some results"):
            found += made(frame)
    return found


def _intervals(frame: Frame) -> list[Frame]:
    """Bounds of 95 % intervals, where an estimate stands beside its standard error."""
    bounds: dict[str, tuple[Numbers, str]] = {}
    columns = dict(zip(frame.measures, frame.numbers.T, strict=True))
    others = [measure for measure in frame.measures if not _ERROR.search(measure) and not _BOUND.search(measure)]
    for name in frame.measures if frame.rows <= MOST_RUNS else ():
        if (found := _ERROR.search(name)) is None:
            continue
        stem = name[: found.start()] + name[found.end() :]
        near = [column for column in others if column == stem] or [
            column for column in others if stem and column.startswith(stem)
        ]
        for estimate in (near or [column for column in others if not stem and _ESTIMATE.search(column)])[:2]:
            for side, sign in (("low", "-"), ("high", "+")):
                value = columns[estimate] + float(f"{sign}1.96") * columns[name]
                bounds[f"{estimate} ci {side}"] = value, f"avg({field_name(estimate)} {sign} 1.96 * {field_name(name)})"
    return frame.beside("intervals", "estimates and 1.96 standard errors", bounds)


def _shares(frame: Frame) -> list[Frame]:
    """Counts as shares of a total that stands beside them."""
    if frame.rows > MOST_RUNS:
        return []
    columns = dict(zip(frame.measures, frame.numbers.T, strict=True))
    whole = {
        name: values
        for name, values in columns.items()
        if name not in frame.inherited and np.isfinite(values).any() and np.nanmin(values) >= 0
        and np.array_equal(values, np.round(values), equal_nan=True)
    }  # fmt: skip
    shares: dict[str, tuple[Numbers, str]] = {}
    for total in [name for name in whole if _TOTAL.search(name) and np.nanmax(whole[name]) > 4][:2]:
        for part, values in list(whole.items())[:MAX_LABELS]:
            both = np.isfinite(values) & np.isfinite(whole[total])
            if part != total and values[both].any() and np.all(values[both] <= whole[total][both]):
                query = f"avg({field_name(part)} / {field_name(total)})"
                shares[f"{part} / {total}"] = ratio(values, whole[total]), query
    return frame.beside("shares", "counts as shares of a total", shares)


def _label_shares(frame: Frame) -> list[Frame]:
    """How often each text of a field comes in each run, where examples were judged: shares and counts."""
    if not 20 <= frame.rows <= MOST_JUDGED:
        return []
    named = [
        dimension
        for dimension in frame.dimensions
        if dimension.name not in frame.measures and not re.match(r"key\d", dimension.name)
    ]
    if (pair := _pair(frame)) is not None:
        # What was true and what was said of it are counted as predictions are.
        named = [dimension for dimension in named if dimension is not pair[0] and not _repeats(dimension, pair[1])]
    running, slices = run_fields(frame, named)
    found = []
    for judged in [dimension for dimension in slices if 2 <= len(dimension.values) <= MOST_JUDGEMENTS][:3]:
        field = field_name(judged.name)
        for extra in [[], *([dimension] for dimension in slices if dimension is not judged)][:4]:
            runs = runs_of([*running, *extra], frame.rows)
            if runs.count > MOST_RUNS or runs.count * 4 > frame.rows:
                continue
            codes = {value: judged.codes == code for code, value in enumerate(judged.values)}
            counts = {value: runs.sums(here) for value, here in codes.items()}
            known = runs.sums(judged.codes >= 0)
            said = {value: f"count(*) FILTER ({field} = {quoted(value)})" for value in judged.values}
            share, count = f"share of {judged.name} ", f"{judged.name} "
            measures = {share + value: ratio(number, known) for value, number in counts.items()}
            measures |= {count + value: number for value, number in counts.items()}
            queries = {share + value: f"{number} / count({field})" for value, number in said.items()}
            queries |= {count + value: number for value, number in said.items()}
            by = "".join(f" by {dimension.name}" for dimension in extra)
            derivation = Derivation(frame, [dimension.name for dimension in runs.dimensions], queries)
            what = f"{judged.name} per run{by}"
            found.append(runs.frame(frame, what, "how often each text comes", measures, derivation))
    return found


def _means_of_repeats(frame: Frame) -> list[Frame]:
    """Means of each measure in each repeat, where seeds have many rows: deviations are printed over these."""
    repeats = [
        dimension for dimension in frame.dimensions if _REPEAT.search(dimension.name) and len(dimension.values) > 1
    ]
    fields = [
        dimension for dimension in frame.dimensions if 1 < len(dimension.values) <= 40 and "/" not in dimension.name
    ]
    running, _ = run_fields(
        frame, [dimension for dimension in fields if dimension.name not in frame.measures or dimension in repeats]
    )
    if not repeats or not frame.measures or not any(dimension in running for dimension in repeats):
        return []
    runs = runs_of(running, frame.rows)
    if runs.count > MOST_RUNS or runs.count * 2 > frame.rows:
        return []
    finite = np.isfinite(frame.numbers)
    filled = np.where(finite, frame.numbers, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = [runs.sums(total) / runs.sums(known) for total, known in zip(filled.T, finite.T, strict=True)]
    queries = {name: f"avg({field_name(name)})" for name in frame.measures}
    derivation = Derivation(frame, [dimension.name for dimension in running], queries)
    measures = dict(zip(frame.measures, means, strict=True))
    return [runs.frame(frame, "per repeat", "means of each repeat", measures, derivation)]


def _of_predictions(frame: Frame) -> list[Frame]:
    """Metrics of classification, where a frame holds true and predicted labels of examples."""
    pair = _pair(frame)
    if pair is None or frame.rows < 20:
        return []
    gold, guess = pair
    labels = sorted(set(gold.values) | set(guess.values))
    if len(labels) > MAX_LABELS or not set(gold.values) & set(guess.values):
        return []
    place = {label: index for index, label in enumerate(labels)}
    true = np.array([*(place[value] for value in gold.values), -1])[gold.codes]
    said = np.array([*(place[value] for value in guess.values), -1])[guess.codes]
    others = [dimension for dimension in frame.dimensions if dimension is not gold and not _repeats(dimension, guess)]
    running, slices = run_fields(frame, others)
    frames = []
    for fields, suffix in [
        (running, ""),
        *(([*running, dimension], f" by {dimension.name}") for dimension in slices[:3]),
    ]:
        runs = runs_of(fields, frame.rows)
        if runs.count <= MOST_RUNS and _has_repeats(runs, true, said, len(labels)):
            frames += _metrics(frame, runs, pair, true, said, labels, suffix)
    return frames


def _repeats(field: Dimension, guess: Dimension) -> bool:
    """Whether a field is the prediction once more, as the raw answer often is."""
    if field is guess or GUESS.search(field.name):
        return True
    names = np.array([*field.values, ""])
    return bool(np.mean(names[field.codes] == np.array([*guess.values, ""])[guess.codes]) > 0.8)


def _has_repeats(runs: Runs, true: npt.NDArray[np.int64], said: npt.NDArray[np.int64], size: int) -> bool:
    """Whether rows are examples: in a table of counts, no pair of labels comes twice in a run."""
    flat = (runs.codes.astype(np.int64) * size + true) * size + said
    return bool(len(np.unique(flat)) < len(flat))


def _pair(frame: Frame) -> tuple[Dimension, Dimension] | None:
    """The fields with the true and the predicted label: two fields over one vocabulary that agree more than by chance.

    Names only say which of them is the true one; without names it is the one that is the same in every run.
    """
    fields = [
        field for field in frame.dimensions
        if "/" not in field.name and not field.name.startswith(("file", "directory"))
        and 2 <= len(field.values) <= MAX_LABELS
    ]  # fmt: skip
    best: tuple[tuple[bool, int], Dimension, Dimension] | None = None
    for gold, guess in permutations(fields, 2):
        shared = len(set(gold.values) & set(guess.values))
        named = bool(GOLD.search(gold.name) and GUESS.search(guess.name) and not GUESS.search(gold.name))
        if shared < 2 or (not named and not _is_answered(gold, guess, shared)):
            continue
        if best is None or (named, shared) > best[0]:
            best = ((named, shared), gold, guess)
    return None if best is None else (best[1], best[2])


def _is_answered(gold: Dimension, guess: Dimension, shared: int) -> bool:
    """Whether one field answers the other, as far as values say so."""
    if GUESS.search(gold.name) or (GOLD.search(guess.name) and not GOLD.search(gold.name)):
        return False
    if 2 * shared < max(len(gold.values), len(guess.values)):
        return False
    known = (gold.codes >= 0) & (guess.codes >= 0)
    code = np.array([guess.code_of.get(value, -2) for value in gold.values])[gold.codes[known]]
    said = guess.codes[known]
    if not len(said):
        return False
    frequent = np.bincount(said, minlength=len(guess.values)) / len(said)
    by_chance = float(np.where(code >= 0, frequent[np.maximum(code, 0)], 0.0).mean())
    right = float((code == said).mean())
    return by_chance + 3 * math.sqrt(by_chance / len(said)) < right < 1.0


def _metrics(
    frame: Frame,
    runs: Runs,
    pair: tuple[Dimension, Dimension],
    true: npt.NDArray[np.int64],
    said: npt.NDArray[np.int64],
    labels: list[str],
    suffix: str,
) -> list[Frame]:
    size = len(labels)
    valid = (true >= 0) & (said >= 0)
    run, was, given = runs.codes[valid].astype(np.int64), true[valid], said[valid]
    hits, support, said_often = (
        _by_label(runs.count, size, run[rows], codes[rows])
        for codes, rows in ((was, was == given), (was, slice(None)), (given, slice(None)))
    )
    counts = Margins(hits, support, said_often, support.sum(axis=1))
    fields = dict(zip(("true", "given"), (field_name(dimension.name) for dimension in pair), strict=True))
    known = f"(SELECT {fields['true']} AS {{0}} FROM {{{{rows}}}} UNION SELECT {fields['given']} FROM {{{{rows}}}})"

    def derived(what: str, how: str, by: Runs, measures: dict[str, tuple[Numbers, str]]) -> Frame:
        derivation = Derivation(
            frame,
            [dimension.name for dimension in by.dimensions],
            {
                name: text.format(**fields, label="label", was="true_label", **{"is": "predicted_label"})
                for name, (_, text) in measures.items()
            },
            " AND ".join(f"{field} IS NOT NULL" for field in fields.values()),
            " CROSS JOIN ".join(
                known.format(field_name(dimension.name)) for dimension in by.dimensions[len(runs.dimensions) :]
            ),
        )
        return by.frame(
            frame, f"per run{suffix}{what}", how, {name: one[0] for name, one in measures.items()}, derivation
        )

    measures = {"n": (counts.rows, "count(*)")} | {
        name: (_computed(variant, counts), variant.sql) for name, variant in TRIED["labels"].items()
    }
    for name, variant in TRIED["texts"].items():
        column = replace(counts, hits=counts.support if variant.side == "true" else counts.given)
        measures[name] = _computed(variant, column, one=True), variant.sql.format(x=f"{{{variant.side}}}")
    frames = [derived("", "metrics of the predictions of each run", runs, measures)]
    seen = counts.support + counts.given > 0
    run, label = np.nonzero(seen)
    by_class = {name: (_computed(variant, counts)[seen], variant.sql) for name, variant in TRIED["label"].items()}
    labelled = runs.by(run, [Dimension("label", labels, label.astype(np.int32))])
    frames.append(derived(" and label", "metrics of each label in each run", labelled, by_class))
    if size <= 12:
        pairs = _by_label(runs.count, size * size, runs.codes[valid].astype(np.int64), true[valid] * size + said[valid])
        run, was, given = np.nonzero(seen[:, :, None] & seen[:, None, :])
        named = (("true label", was), ("predicted label", given))
        paired = runs.by(run, [Dimension(name, labels, codes.astype(np.int32)) for name, codes in named])
        held = {"count": (pairs[run, was * size + given], STATISTICS["confusion"].sql)}
        frames.append(derived(", confusion", "examples by true and predicted label in each run", paired, held))
    return frames


def _by_label(runs: int, size: int, run: npt.NDArray[np.int64], codes: npt.NDArray[np.int64]) -> Numbers:
    """How often each label comes in each run: [run, label]."""
    return np.bincount(run * size + codes, minlength=runs * size).reshape(runs, size).astype(float)


def _computed(variant: Variant, counts: Margins, *, one: bool = False) -> Numbers:
    """A statistic of the labels of every run, or of one column of labels, which stands in `hits`."""
    assert variant.function is not None
    if variant.at_once:
        there = counts.rows > 0  # A run may have examples without a label only.
        some = Margins(counts.hits[there], counts.support[there], counts.given[there], counts.rows[there])
        values = np.asarray(variant.function(some.hits if one else some), dtype=float)
        whole = np.full((len(there), *values.shape[1:]), np.nan)
        whole[there] = values
        return whole
    found: list[Any] = []
    for hits, support, given, rows in zip(counts.hits, counts.support, counts.given, counts.rows, strict=True):
        single = Margins(hits, support, given, rows)
        try:
            found.append(variant.function(hits if one else single))
        except (ValueError, ArithmeticError):
            found.append(np.nan)
    return np.array(found, dtype=float)
