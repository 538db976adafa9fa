"""Metrics over datasets: a statistic of the selected rows, over repeats, shown as a table prints it.

A recipe says what the statistic is of (`of`, and `against` for right answers), which rows (`where`), what is averaged
(`group` within a repeat, `over` for repeats such as seeds), what is taken away (`minus`), and what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.content import combined_codes
from sealtrace.bundle.defects import nearest
from sealtrace.printed.judgement import round_to
from sealtrace.printed.metrics import Arguments, MissingEvidenceError, RecipeError, Value, constant_of, metrics_of
from sealtrace.studies.results.evidence import Results
from sealtrace.studies.results.mathematics import (
    association,
    intervals,
    labels,
    probabilities,
    significance,
    summaries,
    trials,
)
from sealtrace.studies.results.mathematics.sums import Column, Number, UndefinedError
from sealtrace.studies.results.selection import Selection, selection_of, within

metric = metrics_of("results")

Statistic = Callable[[Selection, Arguments], Number]

COMMON = "dataset where of group over show minus divisor confidence interval resamples seed rule generator"
SHOWS = ("mean", "mean±sd", "mean±sem", "mean [ci]", "sd", "sem", "median", "min", "max", "min to max", "count", "sum")
STATISTICS: dict[str, Statistic] = {}


@dataclass(frozen=True)
class _Repeats:
    """A statistic of each repeat, and the rows that it was computed from."""

    values: list[Number]
    selection: Selection


def statistic(name: str, formula: str, *, needs: str = "of", takes: str = "") -> Callable[[Statistic], Statistic]:
    """Registers a statistic of rows as a metric."""

    def register(function: Statistic) -> Statistic:
        STATISTICS[name] = function
        taken = " ".join(word for word in f"{COMMON} {takes}".split() if word not in needs.split())

        @metric(name, formula, "everyday results", needs=needs, takes=taken)
        def computed(results: Results, arguments: Arguments) -> Value:
            try:
                return _shown(results, arguments, function)
            except UndefinedError as error:
                raise MissingEvidenceError(str(error)) from None
            except (ValueError, KeyError) as error:
                raise RecipeError(f"{name}: {str(error).strip(chr(34)).strip(chr(39))}") from None

        return function

    return register


def _shown(results: Results, arguments: Arguments, function: Statistic) -> Value:
    here = _repeats(selection_of(results, arguments), arguments, function)
    values = here.values
    rounded = None
    if changed := within(arguments, "minus"):
        there = _repeats(here.selection.with_conditions(changed), arguments, function)
        if len(there.values) not in (1, len(values)):
            raise RecipeError(f"{len(values)} repeats minus {len(there.values)} repeats")
        base = there.values * len(values) if len(there.values) == 1 else there.values
        values = [_minus(one, other) for one, other in zip(values, base, strict=True)]
        rounded = _rounded_difference(here.values, there.values)
    numbers = _show(values, arguments, here)
    frame = here.selection.frame
    return Value(
        tuple(Fraction(number) for number in numbers),
        frame,
        here.selection.rows,
        rounded=rounded if len(numbers) == 1 else None,
        measured=bool(results.declarations[here.selection.dataset].get("measured")),
    )


def _repeats(selection: Selection, arguments: Arguments, function: Statistic) -> _Repeats:
    over = _names(arguments.get("over"))
    parts = list(selection.groups(over)) if over else [selection]
    return _Repeats([_grouped(part, arguments, function) for part in parts], selection)


def _grouped(selection: Selection, arguments: Arguments, function: Statistic) -> Number:
    """The statistic, or its mean over groups."""
    if group := _names(arguments.get("group")):
        return summaries.mean([function(part, arguments) for part in selection.groups(group)])
    return function(selection, arguments)


def _show(values: list[Number], arguments: Arguments, here: _Repeats) -> tuple[Number, ...]:
    show = arguments.get("show", "mean").replace("+/-", "±").replace("+-", "±").replace(" ± ", "±")
    if show not in SHOWS:
        raise RecipeError(f"show is one of {', '.join(SHOWS)}, not {show!r}")
    divisor = arguments.get("divisor", "n-1")
    if divisor not in ("n-1", "n"):
        raise RecipeError(f"the divisor is n-1 or n, not {divisor!r}")
    if show == "mean [ci]":
        return (summaries.mean(values), *_interval(values, arguments, here))
    low, high = summaries.extremes(values)
    parts: dict[str, Callable[[], tuple[Number, ...]]] = {
        "mean": lambda: (summaries.mean(values),),
        "mean±sd": lambda: (summaries.mean(values), summaries.sd(values, divisor)),
        "mean±sem": lambda: (summaries.mean(values), summaries.sem(values, divisor)),
        "sd": lambda: (summaries.sd(values, divisor),),
        "sem": lambda: (summaries.sem(values, divisor),),
        "median": lambda: (summaries.median(values),),
        "min": lambda: (low,),
        "max": lambda: (high,),
        "min to max": lambda: (low, high),
        "count": lambda: (len(values),),
        "sum": lambda: (summaries.mean(values) * len(values),),
    }
    return parts[show]()


def _interval(values: list[Number], arguments: Arguments, here: _Repeats) -> tuple[float, float]:
    """Over repeats Student's; of a single share Wilson's, or the one that the recipe names."""
    confidence = constant_of(arguments.get("confidence", "0.95"))
    if len(values) > 1:
        return intervals.mean_interval(values, confidence)
    total = len(here.selection.rows)
    count = Fraction(values[0]) * total
    if count.denominator != 1 or not 0 <= count <= total:
        raise RecipeError("only a share of the rows has an interval without repeats; use bootstrap or t_interval")
    return SHARE_INTERVALS[arguments.get("interval", "wilson")](count.numerator, total, confidence)


SHARE_INTERVALS = {"wilson": intervals.wilson, "clopper-pearson": intervals.clopper_pearson, "wald": intervals.wald}


def _minus(one: Number, other: Number) -> Number:
    return Fraction(one) - Fraction(other)


def _rounded_difference(here: list[Number], there: list[Number]) -> Callable[[Fraction], tuple[Fraction, ...]]:
    """The difference of the two means as a table prints them."""
    means = summaries.mean(here), summaries.mean(there)

    def rounded(unit: Fraction) -> tuple[Fraction, ...]:
        first, second = (round_to(value, unit or Fraction(1)) for value in means)
        return (first - second,)

    return rounded


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in text.split(",")] if text else []


# Columns of a selection


def numbers_of(selection: Selection, field: str) -> npt.NDArray[np.float64] | npt.NDArray[np.int64]:
    column = selection.column(field)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int64())
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise RecipeError(f"{field} holds text, not numbers")
    found: npt.NDArray[np.float64] = column.to_numpy()
    return found


def texts_of(selection: Selection, field: str) -> pa.ChunkedArray:
    column = selection.column(field)
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    return plain.cast(pa.string()) if not pa.types.is_string(plain.type) else plain


def truth_field(selection: Selection, arguments: Arguments) -> str:
    """The field of right answers: the recipe's, or the one that the dataset declares."""
    found = arguments.get("against") or selection.results.declarations[selection.dataset].get("truth")
    if found is None:
        raise RecipeError(
            "against what? The recipe names no field of right answers, and the dataset declares no `truth`"
        )
    return str(found)


@dataclass(frozen=True)
class _Labelled:
    table: labels.Confusion
    names: list[str]
    chosen: list[int] | None

    def place(self, label: str) -> int:
        if label not in self.names:
            raise RecipeError(f"there is no label {label!r}{nearest(label, self.names)}")
        return self.names.index(label)


def labelled(selection: Selection, arguments: Arguments) -> _Labelled:
    """Confusion counts of predicted labels against true ones; `labels` says which there are and count in averages."""
    truth, predicted = texts_of(selection, truth_field(selection, arguments)), texts_of(selection, arguments["of"])
    there = sorted(set(truth.unique().to_pylist()) | set(predicted.unique().to_pylist()))
    wanted = _names(arguments.get("labels"))
    names = [*wanted, *(name for name in there if name not in wanted)]
    codes = [
        pc.index_in(column, value_set=pa.array(names)).to_numpy().astype(np.int64) for column in (truth, predicted)
    ]
    chosen = list(range(len(wanted))) if wanted else None
    selection.results.room("labels x labels", len(names), len(names))
    return _Labelled(labels.confusion(codes[0], codes[1], len(names)), names, chosen)


def happened(selection: Selection, arguments: Arguments) -> npt.NDArray[np.bool_]:
    """Whether what a probability speaks of was so: the truth is `positive`, or is what was `predicted`, or is true."""
    truth = truth_field(selection, arguments)
    if "predicted" in arguments:
        same = pc.equal(texts_of(selection, truth), texts_of(selection, arguments["predicted"]))
        found: npt.NDArray[np.bool_] = same.to_numpy()
        return found
    if "positive" in arguments:
        positive: npt.NDArray[np.bool_] = pc.equal(texts_of(selection, truth), arguments["positive"]).to_numpy()
        return positive
    values = numbers_of(selection, truth)
    if not np.isin(values, (0, 1)).all():
        raise RecipeError(f"{truth} is not only 0 and 1; the recipe must say which label is `positive`")
    return values.astype(np.bool_)


def _scores(selection: Selection, arguments: Arguments) -> npt.NDArray[np.float64]:
    return numbers_of(selection, arguments["of"]).astype(np.float64)


# Counts and summaries


@statistic("count", "rows, or rows whose field is a value", needs="", takes="is")
def _count(selection: Selection, arguments: Arguments) -> Number:
    if "is" not in arguments:
        return len(selection.rows)
    return int(pc.sum(pc.equal(texts_of(selection, arguments["of"]), arguments["is"])).as_py() or 0)


@statistic("distinct", "different values of a field")
def _distinct(selection: Selection, arguments: Arguments) -> Number:
    return len(selection.column(arguments["of"]).unique())


@statistic("rate", "share of rows whose field is a value, or true", takes="is")
def _rate(selection: Selection, arguments: Arguments) -> Number:
    if "is" in arguments:
        return summaries.rate(int(_count(selection, arguments)), len(selection.rows))
    values = numbers_of(selection, arguments["of"])
    if not np.isin(values, (0, 1)).all():
        raise RecipeError(f"{arguments['of']} is not only 0 and 1; the recipe must say which value it counts (`is`)")
    return summaries.rate(int(values.sum()), len(values))


def _of_numbers(name: str, formula: str, reduce: Callable[[Column, Arguments], Number], takes: str = "") -> None:
    """Registers a statistic of one column of numbers."""
    statistic(name, formula, takes=takes)(
        lambda selection, arguments: reduce(numbers_of(selection, arguments["of"]), arguments)
    )


def _quantile(values: Column, arguments: Arguments) -> Number:
    return summaries.quantile(values, constant_of(arguments.get("q", "0.5")), arguments.get("rule", "linear"))


def _deviation(reduce: Callable[[Column, str], Number]) -> Callable[[Column, Arguments], Number]:
    return lambda values, arguments: reduce(values, arguments.get("divisor", "n-1"))


_of_numbers("mean", "sum / n", lambda values, _: summaries.mean(values))
_of_numbers("sum", "sum", lambda values, _: summaries.mean(values) * len(values))
_of_numbers("median", "middle value, or the mean of the two", lambda values, _: summaries.median(values))
_of_numbers("quantile", "value below which a share q lies, by numpy's rule", _quantile, takes="q")
_of_numbers("minimum", "least value", lambda values, _: summaries.extremes(values)[0])
_of_numbers("maximum", "greatest value", lambda values, _: summaries.extremes(values)[1])
_of_numbers("sd", "root of the mean squared deviation, with divisor n-1 or n", _deviation(summaries.sd))
_of_numbers("sem", "sd / sqrt(n), with divisor n-1 or n", _deviation(summaries.sem))


@statistic("entropy", "-sum p log p of a field's values", takes="base normalized labels")
def _entropy(selection: Selection, arguments: Arguments) -> Number:
    texts = texts_of(selection, arguments["of"])
    counts = {one["values"]: one["counts"] for one in texts.value_counts().to_pylist()}
    names = _names(arguments.get("labels")) or _declared_labels(selection, arguments)
    sizes = [counts.get(name, 0) for name in names] if names else list(counts.values())
    if names and sum(sizes) < len(texts):
        raise RecipeError(f"{arguments['of']} has values beside {', '.join(names)}")
    base, normalized = arguments.get("base", "e"), arguments.get("normalized", "false")
    if base not in ("e", "2") or normalized not in ("true", "false"):
        raise RecipeError("the base is e or 2, and normalized is true or false")
    return summaries.entropy(sizes, base, normalized=normalized == "true")


def _declared_labels(selection: Selection, arguments: Arguments) -> list[str]:
    """The labels of the true answers of the same rows, which are those that could be given."""
    declaration = selection.results.declarations[selection.dataset]
    truth = arguments.get("against") or declaration.get("truth")
    return sorted(texts_of(selection, truth).unique().to_pylist()) if truth else []


@statistic("dominant_rate", "share of the commonest value")
def _dominant(selection: Selection, arguments: Arguments) -> Number:
    counts = texts_of(selection, arguments["of"]).value_counts().field("counts")
    return summaries.rate(int(pc.max(counts).as_py()), len(selection.rows))


@metric(
    "commonest",
    "the value that most rows have; with `show` count, how many have it, and the value as the word that follows",
    "everyday results",
    needs="of",
    takes="dataset where show",
)
def _commonest(results: Results, arguments: Arguments) -> Value:
    selection = selection_of(results, arguments)
    counts = texts_of(selection, arguments["of"]).value_counts().to_pylist()
    most = max(one["counts"] for one in counts)
    found = [one["values"] for one in counts if one["counts"] == most]
    if len(found) > 1:
        raise MissingEvidenceError(f"{', '.join(sorted(found))} are equally common")
    printed = (results.declarations[selection.dataset].get("printed") or {}).get(arguments["of"], {})
    value = printed.get(found[0], found[0])
    if (show := arguments.get("show")) not in (None, "count"):
        raise RecipeError(f"the commonest value can be shown with its count, not as {show!r}")
    if show == "count":
        return Value((Fraction(most),), selection.frame, selection.rows, words=(value,))
    return Value((), selection.frame, selection.rows, text=value)


@statistic("uniform_accuracy", "1 / number of values: the accuracy of guessing any of them")
def _uniform(selection: Selection, arguments: Arguments) -> Number:
    return Fraction(1, len(selection.column(arguments["of"]).unique()))


@statistic("prior_accuracy", "sum of squared shares: the accuracy of guessing values as often as they are")
def _prior(selection: Selection, arguments: Arguments) -> Number:
    counts = texts_of(selection, arguments["of"]).value_counts().field("counts").to_pylist()
    return Fraction(sum(count * count for count in counts), len(selection.rows) ** 2)


# Labels


@statistic("accuracy", "share of rows whose label is the true one", takes="against")
def _accuracy(selection: Selection, arguments: Arguments) -> Number:
    truth, predicted = (texts_of(selection, name) for name in (truth_field(selection, arguments), arguments["of"]))
    return summaries.rate(int(pc.sum(pc.equal(truth, predicted)).as_py() or 0), len(selection.rows))


@statistic("confusion", "rows with one true and one predicted label", needs="of is was", takes="against")
def _confusion(selection: Selection, arguments: Arguments) -> Number:
    truth, predicted = (texts_of(selection, name) for name in (truth_field(selection, arguments), arguments["of"]))
    both = pc.and_(pc.equal(truth, arguments["was"]), pc.equal(predicted, arguments["is"]))
    return int(pc.sum(both).as_py() or 0)


def _register_scores() -> None:
    for score in labels.SCORES:
        for average in labels.AVERAGES:

            def averaged(
                selection: Selection, arguments: Arguments, score: str = score, average: str = average
            ) -> Number:
                found = labelled(selection, arguments)
                return labels.average_score(
                    found.table, score, average, found.chosen, arguments.get("undefined", "zero")
                )

            formula = f"{average} average of {score} over the labels"
            statistic(f"{average}_{score}", formula, takes="against labels undefined")(averaged)

        def of_class(selection: Selection, arguments: Arguments, score: str = score) -> Number:
            found = labelled(selection, arguments)
            return labels.class_score(
                found.table, score, found.place(arguments["label"]), arguments.get("undefined", "zero")
            )

        statistic(score, f"{score} of one label", needs="of label", takes="against labels undefined")(of_class)


_register_scores()


# Scores and probabilities


def _of_scores(name: str, formula: str, function: Callable[..., Number]) -> None:
    """Registers a statistic of scores beside what happened."""
    statistic(name, formula, takes="against positive predicted")(
        lambda selection, arguments: function(happened(selection, arguments), _scores(selection, arguments))
    )


_of_scores("auroc", "chance that a positive is scored above a negative", probabilities.auroc)
_of_scores("average_precision", "precision weighted by added recall", probabilities.average_precision)
_of_scores("brier", "mean of (p - y)^2", probabilities.brier)


@statistic("ece", "sum over bins of n_b/n |share right - mean confidence|", takes="against positive predicted bins")
def _ece(selection: Selection, arguments: Arguments) -> Number:
    bins = whole(arguments, "bins", "10", most=10_000)
    rule = arguments.get("rule", "width")
    return probabilities.calibration_error(happened(selection, arguments), _scores(selection, arguments), bins, rule)


@statistic("log_loss", "mean of -log p(truth)", takes="against positive predicted clip")
def _log_loss(selection: Selection, arguments: Arguments) -> Number:
    scores, was = _scores(selection, arguments), happened(selection, arguments)
    clip = constant_of(arguments["clip"]) if "clip" in arguments else None
    return probabilities.log_loss(np.where(was, scores, 1 - scores), clip)


@statistic("pass_at_k", "mean over problems of 1 - C(n-c, k)/C(n, k)", needs="of problem k")
def _pass_at_k(selection: Selection, arguments: Arguments) -> Number:
    parts = [numbers_of(part, arguments["of"]) for part in selection.groups(_names(arguments["problem"]))]
    return trials.pass_at_k(
        [len(part) for part in parts], [int(part.sum()) for part in parts], whole(arguments, "k", "1")
    )


# Two columns of numbers


def _register_pairs() -> None:
    pairs: dict[str, tuple[str, Callable[..., Number]]] = {
        "mae": ("mean |y - x|", association.mean_absolute_error),
        "mse": ("mean (y - x)^2", association.mean_squared_error),
        "rmse": ("root of mean (y - x)^2", association.root_mean_squared_error),
        "r2": ("1 - squared error / variation of the truth", association.r_squared),
        "pearson": ("correlation", association.pearson),
        "spearman": ("correlation of ranks", association.spearman),
    }
    for name, (formula, function) in pairs.items():

        def paired(selection: Selection, arguments: Arguments, function: Callable[..., Number] = function) -> Number:
            truth = numbers_of(selection, truth_field(selection, arguments))
            return function(truth, numbers_of(selection, arguments["of"]))

        statistic(name, formula, takes="against")(paired)


_register_pairs()


@statistic("kendall", "Kendall's tau; variant b corrects for ties", takes="against variant")
def _kendall(selection: Selection, arguments: Arguments) -> Number:
    truth = numbers_of(selection, truth_field(selection, arguments))
    return association.kendall(truth, numbers_of(selection, arguments["of"]), arguments.get("variant", "b"))


# Contests, tests and intervals


def paired_with(selection: Selection, arguments: Arguments) -> tuple[Selection, Selection]:
    """The rows and those that they are compared `versus`, item by item in the same order."""
    changed = within(arguments, "versus")
    if not changed:
        raise RecipeError("versus what? The recipe names no rows to compare with")
    other = _same_repeat(selection, selection.with_conditions(changed), _names(arguments.get("over")))
    if np.array_equal(selection.rows, other.rows):
        raise RecipeError("the rows would be compared with themselves")
    set_aside = {*changed, *_names(arguments.get("over"))}
    key = [name for name in selection.frame.names if name in _key(selection) and name not in set_aside]
    sides = [_in_order(side, key) for side in (selection, other)]
    left, right = sides
    if left.num_rows != right.num_rows or not left.select(key).combine_chunks().equals(
        right.select(key).combine_chunks()
    ):
        raise RecipeError(f"the rows and those that they are compared with are not about the same {', '.join(key)}")
    if len(np.unique(combined_codes(left, tuple(key)))) < left.num_rows:
        raise RecipeError(f"several rows have the same {', '.join(key)}; the recipe must say `over` what")
    first, second = (
        Selection(selection.results, selection.dataset, selection.conditions, side.column(_PLACE).to_numpy())
        for side in sides
    )
    return first, second


def _same_repeat(selection: Selection, other: Selection, over: list[str]) -> Selection:
    """The other side's rows of the same repeat; all of them where the other side was not repeated."""
    if not over:
        return other
    repeats = {part.level(over): part for part in other.groups(over)}
    found = repeats.get(selection.level(over)) or (other if len(repeats) == 1 else None)
    if found is None:
        raise RecipeError(f"the rows that are compared with have other {', '.join(over)}")
    return found


def _in_order(selection: Selection, key: list[str]) -> pa.Table:
    """The key of each row, as plain text and numbers, with the row's place; in the key's order."""
    found = selection.table(key)
    plain = {
        name: column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for name, column in zip(key, found.columns, strict=True)
    }
    table = pa.table({**plain, _PLACE: pa.array(selection.rows)})
    return table.sort_by([(name, "ascending") for name in key])


_PLACE = "\0row"


def _key(selection: Selection) -> Sequence[str]:
    key: Sequence[str] = selection.results.declarations[selection.dataset]["key"]
    return key


def _right(selection: Selection, arguments: Arguments) -> npt.NDArray[np.bool_]:
    truth = texts_of(selection, truth_field(selection, arguments))
    found: npt.NDArray[np.bool_] = pc.equal(truth, texts_of(selection, arguments["of"])).to_numpy()
    return found


def _given(tested: significance.Tested, arguments: Arguments) -> Number:
    give = arguments.get("give", "p")
    if give not in ("p", "statistic"):
        raise RecipeError(f"a test gives p or statistic, not {give!r}")
    return tested.p if give == "p" else tested.statistic


@statistic("win_rate", "share of items on which the rows are better; ties count half", takes="versus ties better")
def _win_rate(selection: Selection, arguments: Arguments) -> Number:
    left, right = (numbers_of(side, arguments["of"]) for side in paired_with(selection, arguments))
    return trials.win_rate(
        left, right, arguments.get("ties", "half"), higher=arguments.get("better", "higher") == "higher"
    )


@statistic("mcnemar", "p of McNemar's test; exact is the binomial test", takes="against versus give method")
def _mcnemar(selection: Selection, arguments: Arguments) -> Number:
    left, right = (_right(side, arguments) for side in paired_with(selection, arguments))
    only_left, only_right = int((left & ~right).sum()), int((right & ~left).sum())
    return _given(significance.mcnemar(only_left, only_right, arguments.get("method", "exact")), arguments)


@statistic("paired_t_test", "p of the t test of paired differences", takes="versus give sides")
def _paired_t(selection: Selection, arguments: Arguments) -> Number:
    left, right = (numbers_of(side, arguments["of"]) for side in paired_with(selection, arguments))
    return _given(significance.paired_t_test(left, right, arguments.get("sides", "two")), arguments)


@statistic(
    "t_test", "p of Welch's t test, or Student's with equal variances", takes="versus give sides equal_variances mu"
)
def _t_test(selection: Selection, arguments: Arguments) -> Number:
    here, sides = numbers_of(selection, arguments["of"]), arguments.get("sides", "two")
    changed = within(arguments, "versus")
    if not changed:
        return _given(significance.t_test(here, constant_of(arguments.get("mu", "0")), sides), arguments)
    there = numbers_of(selection.with_conditions(changed), arguments["of"])
    equal = arguments.get("equal_variances", "false") == "true"
    return _given(significance.two_sample_t_test(here, there, sides, equal_variances=equal), arguments)


@statistic("wilcoxon", "p of Wilcoxon's signed-rank test", takes="versus give sides method correction")
def _wilcoxon(selection: Selection, arguments: Arguments) -> Number:
    left, right = (numbers_of(side, arguments["of"]).astype(np.float64) for side in paired_with(selection, arguments))
    tested = significance.wilcoxon(
        left, right, arguments.get("sides", "two"), method=arguments.get("method", "auto"),
        correction=arguments.get("correction", "false") == "true",
    )  # fmt: skip
    return _given(tested, arguments)


def _two_by_two(selection: Selection, arguments: Arguments) -> tuple[int, int, int, int]:
    """Right and wrong of the rows, then of those that they are compared with."""
    other = selection.with_conditions(within(arguments, "versus"))
    counts = [int(_right(side, arguments).sum()) for side in (selection, other)]
    return counts[0], len(selection.rows) - counts[0], counts[1], len(other.rows) - counts[1]


@statistic("fisher", "p of Fisher's exact test of right and wrong", takes="against versus give sides")
def _fisher(selection: Selection, arguments: Arguments) -> Number:
    tested = significance.fisher(*_two_by_two(selection, arguments), arguments.get("sides", "two"))
    return _given(tested, arguments)


@statistic("chi_squared", "p of the chi-squared test of two fields", takes="against give correction")
def _chi_squared(selection: Selection, arguments: Arguments) -> Number:
    found = labelled(selection, arguments)
    counts = found.table.counts
    table = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0].tolist()
    return _given(significance.chi_squared(table, arguments.get("correction", "yates")), arguments)


@metric("bootstrap", "bootstrap interval of another metric, with a declared seed and rule", "everyday results",
        needs="of by resamples seed", takes=f"{COMMON} against positive predicted label labels give")  # fmt: skip
def _bootstrap(results: Results, arguments: Arguments) -> Value:
    function = STATISTICS.get(arguments["by"])
    if function is None:
        raise RecipeError(f"there is no metric {arguments['by']!r} to resample")
    selection = selection_of(results, arguments)
    how = intervals.Bootstrap(
        whole(arguments, "resamples", "1000", most=100_000), whole(arguments, "seed", "0"),
        arguments.get("rule", "percentile"), arguments.get("generator", "pcg64"),
    )  # fmt: skip
    if how.resamples * len(selection.rows) > 50_000_000:
        raise RecipeError("the bootstrap draws more than 50 million rows")
    places = np.arange(len(selection.rows))

    def value(rows: npt.NDArray[np.int64]) -> float:
        return float(function(selection.some(rows), arguments))

    try:
        low, high = intervals.bootstrap([places], value, constant_of(arguments.get("confidence", "0.95")), how)
        centre = function(selection, arguments)
    except UndefinedError as error:
        raise MissingEvidenceError(str(error)) from None
    except ValueError as error:
        raise RecipeError(str(error)) from None
    given = (low, high) if arguments.get("give", "interval") == "interval" else (centre, low, high)
    return Value(tuple(Fraction(number) for number in given), selection.frame, selection.rows)


@metric("rank", "place of the rows' metric among all values of a field", "everyday results",
        needs="of by among", takes=f"{COMMON} against positive predicted label labels better rule")  # fmt: skip
def _rank(results: Results, arguments: Arguments) -> Value:
    function = STATISTICS.get(arguments["by"])
    if function is None:
        raise RecipeError(f"there is no metric {arguments['by']!r} to rank by")
    among = arguments["among"]
    own = selection_of(results, arguments)
    everywhere = selection_of(results, {key: text for key, text in arguments.items() if key != f"where.{among}"})
    try:
        values = [summaries.mean(_repeats(part, arguments, function).values) for part in everywhere.groups([among])]
        mine = summaries.mean(_repeats(own, arguments, function).values)
        higher = arguments.get("better", "higher") == "higher"
        place = trials.rank(mine, values, arguments.get("rule", "min"), higher=higher)
    except UndefinedError as error:
        raise MissingEvidenceError(str(error)) from None
    return Value((place,), everywhere.frame, everywhere.rows)


def whole(arguments: Arguments, name: str, default: str, most: int = 10**12) -> int:
    """A whole number of a recipe."""
    text = arguments.get(name, default)
    if not text.isdecimal() or len(text) > 12:
        raise RecipeError(f"{name} is a whole number, not {text!r}")
    if int(text) > most:
        raise RecipeError(f"{name} is at most {most}, not {text}")
    return int(text)
