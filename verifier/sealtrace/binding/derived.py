"""What per-example rows say of a run: accuracy, F1, counts by class, confusion, shares of labels.

Runs are the combinations of the fields that vary between answers to the same example; a field that the example
fixes (its subject, its difficulty) is a slice instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import permutations

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import (
    GOLD,
    GUESS,
    SHARE_OF,
    Derivation,
    Dimension,
    Numbers,
    ResultFrame,
    Runs,
    field_name,
    quoted,
    run_fields,
    runs_of,
)
from sealtrace.binding.hypotheses import SETTING
from sealtrace.binding.scored import scored_frames
from sealtrace.binding.tally import Tally
from sealtrace.statistics.entries import STATISTICS, TRIED
from sealtrace.statistics.groups import Moments
from sealtrace.statistics.intervals import wilson_end
from sealtrace.statistics.labels import Margins, ratio
from sealtrace.statistics.table import TriedForm

MAX_LABELS = 60


REPEAT = re.compile(r"(^|[^a-z])(seed|run|trial|rep|repeat|repetition|fold|replicate|session)s?(_?id|_?idx)?$", re.I)
_ERROR = re.compile(r"(?:^|[_. /-])(?:se|sem|stderr|std_?err(?:or)?|standard_?error)(?=$|[_. /-])", re.I)
_BOUND = re.compile(r"(?:^|[_. /-])(?:ci|low|lower|high|upper|lo|hi|p|pvalue|p_value|n)(?:$|[_. /-])", re.I)
_ESTIMATE = re.compile(r"coef|estimate|mean|beta|effect|^b$|ate$|diff", re.I)
_TOTAL = re.compile(
    r"(?:^|[_. -])(?:n|total|count|num|attempts|trials|examples|questions|samples|episodes|items|tests)(?:$|[_. -])",
    re.IGNORECASE,
)
_CURVE = 8
"""Records that a run has on average, of which the last is its end; fewer are settings that were tried in turn."""
MOST_RUNS = 5000
MOST_JUDGED, MOST_JUDGEMENTS = 200_000, 12
"""Rows whose texts are counted, and different texts of one field."""


def derived_frames(frame: ResultFrame, tally: Tally) -> list[ResultFrame]:
    """What the rows of each run come to: means of what is measured, and metrics of predictions."""
    found: list[ResultFrame] = []
    # What takes the numbers of one row together needs the rows.
    of_rows = (_intervals, _shares, partial(scored_frames, tally=tally)) if frame.weights is None else ()
    for made in (*of_rows[:2], _last_of_runs, _label_shares, _means_of_repeats, _of_predictions, *of_rows[2:]):
        if not tally.late("metrics of some results"):
            found += made(frame)
    return found


def _intervals(frame: ResultFrame) -> list[ResultFrame]:
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


def _shares(frame: ResultFrame) -> list[ResultFrame]:
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
    bounds: dict[str, tuple[Numbers, str]] = {}
    pooled: dict[str, tuple[Numbers, str]] = {}
    sizes = []
    for total in [name for name in whole if _TOTAL.search(name) and np.nanmax(whole[name]) > 4][:2]:
        for part, values in list(whole.items())[:MAX_LABELS]:
            both = np.isfinite(values) & np.isfinite(whole[total])
            if part != total and values[both].any() and np.all(values[both] <= whole[total][both]):
                name, share = f"{part}{SHARE_OF}{total}", ratio(values, whole[total])
                shares[name] = share, f"avg({field_name(part)} / {field_name(total)})"
                for end in ("low", "high"):
                    bound = wilson_end(share, np.maximum(whole[total], 1), high=end == "high")
                    query = f"avg(wilson_{end}({field_name(part)}::BIGINT, {field_name(total)}::BIGINT))"
                    bounds[f"{name} ci {end}"] = bound, query
                if len(np.unique(whole[total][both])) > 1:
                    # Where totals are the same, the mean of shares is the pooled one.
                    pooled[name] = share, f"sum({field_name(part)}) / sum({field_name(total)})"
                    sizes.append(np.where(both, whole[total], 0.0))
    found = frame.beside("shares", "counts as shares of a total", shares)
    found += frame.beside("Wilson intervals", "Wilson's intervals of shares of a total", bounds)
    for one in frame.beside("pooled", "counts of all rows as a share of their totals", pooled):
        found.append(replace(one, moments=_of_flags(one.numbers, np.column_stack(sizes))))
    return found


def _of_flags(shares: Numbers, sizes: Numbers) -> Moments:
    """So many flags in each place, of which a share is true: what is pooled weighs every flag alike."""
    known = np.where(np.isfinite(shares), shares, 0.0)
    least, greatest = (np.where(np.isfinite(shares), edge, np.nan) for edge in (known >= 1, known > 0))
    return Moments(np.where(np.isfinite(shares), sizes, 0.0), shares, sizes * known * (1 - known), least, greatest)


def _label_shares(frame: ResultFrame) -> list[ResultFrame]:
    """How often each text of a field comes in each run, where examples were judged: shares and counts."""
    if frame.records < 20 or frame.rows > MOST_JUDGED:
        return []
    named = [
        dimension
        for dimension in frame.dimensions
        if dimension.name not in frame.measures and not re.match(r"key\d", dimension.name)
    ]
    if (pair := labelled_pair(frame)) is not None:
        # What was true and what was said of it are counted as predictions are.
        named = [dimension for dimension in named if dimension is not pair[0] and not _repeats(dimension, pair[1])]
    running, slices = run_fields(frame, named)
    found = []
    for judged in [dimension for dimension in slices if 2 <= len(dimension.values) <= MOST_JUDGEMENTS][:3]:
        field = field_name(judged.name)
        for extra in [[], *([dimension] for dimension in slices if dimension is not judged)][:4]:
            runs = runs_of([*running, *extra], frame)
            if runs.count > MOST_RUNS or runs.count * 4 > frame.records:
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


def _last_of_runs(frame: ResultFrame) -> list[ResultFrame]:
    """The last record of each run, where a step only grows in it: curves end in what tables print. A seed is none."""
    named = [dimension for dimension in frame.dimensions if "/" not in dimension.name]
    fields = [one for one in named if one.name not in frame.measures and _CURVE * len(one.values) <= frame.rows]
    if frame.weights is not None or (runs := runs_of(fields, frame)).count * _CURVE > frame.rows:
        return []
    order = np.argsort(runs.codes, kind="stable")
    ends = np.append(np.diff(runs.codes[order]) > 0, True)
    last = order[ends]
    for step in (name for name in frame.measures if SETTING.search(name) and not REPEAT.search(name)):
        grows = np.diff(frame.numbers[order, frame.measures.index(step)]) > 0
        if grows[~ends[:-1]].all():
            queries = {name: f"arg_max({field_name(name)}, {field_name(step)})" for name in frame.measures}
            derivation = Derivation(frame, [dimension.name for dimension in fields], queries)
            dimensions = [dimension.at(last.astype(np.int32)) for dimension in fields]
            places, how = [frame.places[row] for row in last], f"the record of the last {step} of each run"
            return [
                replace(frame, name=f"{frame.name}, end of each run", numbers=frame.numbers[last], places=places,
                        dimensions=dimensions, derived=how, derivation=derivation, read={})
            ]  # fmt: skip
    return []


def _means_of_repeats(frame: ResultFrame) -> list[ResultFrame]:
    """Means of each measure in each repeat, where seeds have many rows: deviations are printed over these."""
    repeats = [
        dimension for dimension in frame.dimensions if REPEAT.search(dimension.name) and len(dimension.values) > 1
    ]
    fields = [
        dimension for dimension in frame.dimensions if 1 < len(dimension.values) <= 40 and "/" not in dimension.name
    ]
    running, _ = run_fields(
        frame, [dimension for dimension in fields if dimension.name not in frame.measures or dimension in repeats]
    )
    if not repeats or not frame.measures or not any(dimension in running for dimension in repeats):
        return []
    runs = runs_of(running, frame)
    if runs.count > MOST_RUNS or runs.count * 2 > frame.records:
        return []
    sizes = np.isfinite(frame.numbers).astype(float) if frame.moments is None else frame.moments.size
    totals = np.where(sizes > 0, frame.numbers, 0.0) * sizes
    means = [
        ratio(*(np.bincount(runs.codes, column, runs.count) for column in (total, size)))
        for total, size in zip(totals.T, sizes.T, strict=True)
    ]
    queries = {name: f"avg({field_name(name)})" for name in frame.measures}
    derivation = Derivation(frame, [dimension.name for dimension in running], queries)
    measures = dict(zip(frame.measures, means, strict=True))
    return [runs.frame(frame, "per repeat", "means of each repeat", measures, derivation)]


def _of_predictions(frame: ResultFrame) -> list[ResultFrame]:
    """Metrics of classification, where a frame holds true and predicted labels of examples."""
    pair = labelled_pair(frame)
    if pair is None or frame.records < 20:
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
        runs = runs_of(fields, frame)
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
    if runs.weights is not None:
        return bool(runs.weights.max() > 1)
    flat = (runs.codes.astype(np.int64) * size + true) * size + said
    return bool(len(np.unique(flat)) < len(flat))


def labelled_pair(frame: ResultFrame) -> tuple[Dimension, Dimension] | None:
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
        if shared < 2 or (not named and not _is_answered(gold, guess, shared, frame.weights)):
            continue
        if best is None or (named, shared) > best[0]:
            best = ((named, shared), gold, guess)
    return None if best is None else (best[1], best[2])


MOSTLY = 0.9
"""Share of rows in which a flag says whether the answer is right, before the others are taken for mistakes."""


def unlike_flags(frame: ResultFrame) -> Iterator[tuple[str, str, npt.NDArray[np.int64]]]:
    """Flags that say in nearly all rows whether the answer is the right one, with the rows in which they say otherwise.

    A flag may have been set by a looser comparison than that of equal texts, so this is no proof of a mistake.
    """
    if frame.derived or (pair := labelled_pair(frame)) is None:
        return
    gold, guess = pair
    code = np.array([*(guess.code_of.get(value, -2) for value in gold.values), -3])[gold.codes]
    right = code == guess.codes
    for name, values in zip(frame.measures, frame.numbers.T, strict=True):
        known = np.isfinite(values) & (gold.codes >= 0) & (guess.codes >= 0)
        if known.sum() < 20 or not np.isin(values[known], (0, 1)).all():
            continue
        unlike = np.nonzero(known & (right != (values == 1)))[0]
        # A flag that is nearly always set agrees with answers that are nearly always right, and says nothing of them.
        flagged, correct = values[known].mean(), right[known].mean()
        by_chance = known.sum() * (flagged * (1 - correct) + correct * (1 - flagged))
        if 0 < len(unlike) <= (1 - MOSTLY) * 2 * by_chance:
            yield name, f"{guess.name} is {gold.name}", unlike


def _is_answered(gold: Dimension, guess: Dimension, shared: int, weights: Numbers | None) -> bool:
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
    often = np.ones(len(said)) if weights is None else weights[known]
    examples = float(often.sum())
    frequent = np.bincount(said, often, len(guess.values)) / examples
    by_chance = float(np.where(code >= 0, frequent[np.maximum(code, 0)], 0.0) @ often) / examples
    right = float((code == said) @ often) / examples
    return by_chance + 3 * math.sqrt(by_chance / examples) < right < 1.0


def _metrics(
    frame: ResultFrame,
    runs: Runs,
    pair: tuple[Dimension, Dimension],
    true: npt.NDArray[np.int64],
    said: npt.NDArray[np.int64],
    labels: list[str],
    suffix: str,
) -> list[ResultFrame]:
    size = len(labels)
    valid = (true >= 0) & (said >= 0)
    run, was, given = runs.codes[valid].astype(np.int64), true[valid], said[valid]
    often = None if runs.weights is None else runs.weights[valid]
    hits, support, said_often = (
        _by_label(runs.count, size, run[rows], codes[rows], None if often is None else often[rows])
        for codes, rows in ((was, was == given), (was, slice(None)), (given, slice(None)))
    )
    counts = Margins(hits, support, said_often, support.sum(axis=1))
    fields = dict(zip(("true", "given"), (field_name(dimension.name) for dimension in pair), strict=True))
    known = f"(SELECT {fields['true']} AS {{0}} FROM {{{{rows}}}} UNION SELECT {fields['given']} FROM {{{{rows}}}})"

    def derived(what: str, how: str, by: Runs, measures: dict[str, tuple[Numbers, str]]) -> ResultFrame:
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
        both = true[valid] * size + said[valid]
        pairs = _by_label(runs.count, size * size, runs.codes[valid].astype(np.int64), both, often)
        run, was, given = np.nonzero(seen[:, :, None] & seen[:, None, :])
        named = (("true label", was), ("predicted label", given))
        paired = runs.by(run, [Dimension(name, labels, codes.astype(np.int32)) for name, codes in named])
        held = {"count": (pairs[run, was * size + given], STATISTICS["confusion"].sql)}
        frames.append(derived(", confusion", "examples by true and predicted label in each run", paired, held))
    return frames


def _by_label(
    runs: int, size: int, run: npt.NDArray[np.int64], codes: npt.NDArray[np.int64], often: Numbers | None
) -> Numbers:
    """How often each label comes in each run: [run, label]."""
    return np.bincount(run * size + codes, often, runs * size).reshape(runs, size).astype(float)


def _computed(variant: TriedForm, counts: Margins, *, one: bool = False) -> Numbers:
    """A statistic of the labels of every run, or of one column of labels, which stands in `hits`."""
    assert variant.function is not None
    if variant.at_once:
        there = counts.rows > 0  # A run may have examples without a label only.
        some = Margins(counts.hits[there], counts.support[there], counts.given[there], counts.rows[there])
        values = np.asarray(variant.function(some.hits if one else some), dtype=float)
        whole = np.full((len(there), *values.shape[1:]), np.nan)
        whole[there] = values
        return whole
    found: list[object] = []
    for hits, support, given, rows in zip(counts.hits, counts.support, counts.given, counts.rows, strict=True):
        single = Margins(hits, support, given, rows)
        try:
            found.append(variant.function(hits if one else single))
        except (ValueError, ArithmeticError):
            found.append(np.nan)
    return np.array(found, dtype=float)
