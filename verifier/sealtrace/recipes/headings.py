"""Whether a column is what its heading says: the statistic, the functions that it goes through, the field it is of.

A heading that says accuracy or mean says that the number is one: all of it right gives the whole, none gives nothing,
and one more everywhere gives one more. Whoever takes a root of it, mixes a count in or divides by another count must
have the table say so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping

import pyarrow as pa

from sealtrace.bundle.frames import Frame, StreamedFrame, plain
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.choices import RecipeChoice
from sealtrace.recipes.forms import HALVES, Level
from sealtrace.statistics import queries

Asking = Callable[[Level], tuple[float, ...] | None]
"""What a recipe gives on records at a level: its numbers, None where it gives none."""
_MEAN = re.compile(r"(?<!\w)(?:mean|average|avg|accuracy|acc|exact match)(?!\w)", re.I)
_OTHERWISE = re.compile(
    r"[Δ±]|(?<!\w)(?:root|rms|geometric|harmonic|squared?|reciprocal|precision|trimmed|weighted|balanced|log|normali[sz]ed|"
    r"relative|delta|diff\w*|gain|change|improve\w*|drop|loss|vs|per|ratio|sd|std|deviation|median|errors?|best|max|min|"
    r"rank|recall|f1)(?!\w)",
    re.I,
)
"""Words beside which a mean is not just that."""
_STATISTICS = {
    "median": ("median",),
    "sd": ("sd", "std", "stdev", "standard deviation"),
    "maximum": ("maximum",),
    "minimum": ("minimum",),
    "sum": ("sum", "total"),
}
"""Statistics that are no mean, and the words by which a heading says so."""
_SCORES = {name: (name,) for name in ("precision", "recall", "f1", "auroc", "brier", "kappa", "specificity")}
_RIGHT = re.compile(r"(?:is_|was_)?(?:correct(?:ness)?|right|match(?:es)?|hit|acc|accuracy|em|exact_match)", re.I)
"""How fields are called that say whether an answer is right."""
_ACCURACY = re.compile(r"(?<!\w)(?:accuracy|acc)(?!\w)", re.I)
_GENERIC = frozenset({"score", "value", "result", "metric", "number", "count", "name", "rate"})
_ORDINARY = re.compile(
    r"avg|mean|sum|fsum|kahan_sum|sumkahan|count(?:_star|_if|if)?|round|[-+*/%&|~]+|\|\||abs|not|ceil(?:ing)?|floor|trunc|"
    r"even|fdiv|divide|f?mod|least|greatest|min|max|(?:arg_?(?:min|max)|min_by|max_by)(?:_null)?|first|last|arbitrary|"
    r"any_value|list|array_agg|nullif|coalesce|if|ifnull|cast|(?:list|array)_\w+|unnest|struct_\w+|map_\w+|row|range|generate_series|"
    r"len|cardinality|element_at|contains|starts_with|ends_with|prefix|suffix|lower|upper|trim|concat|replace|regexp_\w+|"
    r"like_escape|~~\*?|!~~\*?|string_agg|group_concat|histogram|date_\w+|epoch\w*|first_value|last_value|lead|lag|"
    r"isnan|isfinite|isinf|sign|is_histogram_other_bin|substring|substr|split_part|left|right|json_\w+"
)
"""Functions of which a table says nothing; those that choose are looked at by what they choose."""
_SPREAD = ("sd", "std", "stdev", "deviation", "σ", "±", "se", "sem", "error", "ci", "interval", "variance", "spread")
_SAYING: dict[str, tuple[str, ...]] = {
    r"std\w*|var\w*|sem": _SPREAD,
    r"count [+-] .*": (*_SPREAD, "unbiased", "corrected", "smoothed", "laplace", "freedom", "dof", "df"),
    r"sqrt": (*_SPREAD, "root", "rms", "rmse", "norm", "distance", "geometric", "mcc", "matthews", "cosine", "g-mean"),
    r"power|pow|\^|\*\*": (*_SPREAD, "squared", "square", "mse", "rmse", "brier", "power", "r2", "r²", "distance"),
    r"exp": ("exp", "perplexity", "ppl", "geometric", "bleu", "odds", "ratio", "gmean", "softmax"),
    r"log\d*|ln": ("log", "ln", "entropy", "nll", "loss", "bits", "bpb", "bpc", "perplexity", "ppl", "kl", "divergence",
                   "likelihood", "dcg", "ndcg", "information", "odds", "geometric", "db", "surprisal", "bleu"),
    r"corr|covar\w*|regr\w*": ("correlation", "corr", "pearson", "spearman", "kendall", "r", "r2", "r²", "ρ", "τ",
                               "slope", "covariance", "fit"),
    r"median|quantile\w*|approx_quantile|percentile\w*|mad": ("median", "quantile", "percentile", "iqr", "quartile",
                                                              "mad", "p50", "p90", "p95", "p99"),
    r"mode": ("mode", "commonest", "majority", "dominant", "vote", "voting", "maj"),
    r"bool_or|bool_and": ("any", "all", "pass", "solved", "at least", "every"),
    r"geomean|geometric_mean|product": ("geometric", "product", "gmean"),
    r"length|strlen|bit_length|array_length": ("length", "characters", "chars", "size", "long", "words", "tokens"),
}  # fmt: skip
"""Other functions, and words of which a table uses one where its numbers go through them."""
MEANS = frozenset({"mean", "rate", "accuracy", "micro_f1", "micro_recall", "micro_precision", "prior_accuracy",
                   "uniform_accuracy", "dominant_rate", "kept_accuracy"})  # fmt: skip
"""Metrics that are means, or shares of rows."""
_UNITS = (1, 10, 60, 100, 1000, 1024, 3600, 10**4, 10**6, 10**9)


def of_functions(functions: Collection[str], cell: TableCell) -> Iterator[RecipeChoice]:
    """Functions that make something else of a number: the table says it, by a usual word or by the function's name."""
    several = cell.printed is not None and len(cell.printed.parts) > 1
    for name in sorted(set(functions) - set(queries.functions())):
        if not _ORDINARY.fullmatch(name):
            words = next((words for names, words in _SAYING.items() if re.fullmatch(names, name)), ())
            if several and set(_SPREAD) <= set(words):  # a number behind another says how far that is off
                continue
            yield RecipeChoice(f"it takes {name} of its numbers", (*words, name, name.replace("_", " ")))


def of_statistic(
    cell: TableCell, taken: str, fields: Collection[str], mean: Callable[[], bool]
) -> Iterator[RecipeChoice]:
    """A heading that says one statistic above another; `taken` is how the recipe calls its own, empty of a query."""
    scores = [name for name in _SCORES if name in taken.split("_")]
    for heading in (cell.column, cell.row):
        # A row that is called mean sums the others up, column by column.
        found = (_MEAN if heading is cell.column else _ACCURACY).search(heading)
        said = _said(heading, _STATISTICS) if heading is cell.column else None
        if found is not None and not _OTHERWISE.search(heading):
            if not mean():
                given = f"its {taken.replace('_', ' ')}" if taken else "no mean of a field"
                yield RecipeChoice(f"the heading says {found[0]}, and the recipe gives {given}")
            return
        held = said is not None and any(set(name.split("_")) & set(_STATISTICS[said]) for name in fields)
        if said is not None and found is None and not held and mean():
            yield RecipeChoice(f"the heading says {said}, and the recipe gives a mean")
            return
        if scores and (other := _said(heading, _SCORES)) not in (None, *scores):
            yield RecipeChoice(f"the heading says {other}, and the recipe gives {taken.replace('_', ' ')}")
            return


def of_right(cell: TableCell) -> bool:
    """Whether its labels say that it is the share of what is right."""
    return any(_ACCURACY.search(label) for label in (cell.column, cell.row))


def _said(heading: str, words: Mapping[str, tuple[str, ...]]) -> str | None:
    return next((name for name in words if any(_word(word, heading) for word in words[name])), None)


def of_field(
    cell: TableCell, fields: Collection[str], frames: Collection[Frame], truths: Collection[str]
) -> Iterator[RecipeChoice]:
    """A heading that names another field of the same records than any that the recipe reads."""
    heading = cell.column if len(cell.row.split()) > 3 else f"{cell.column}\n{cell.row}"
    measured = {
        name.casefold()
        for frame in frames
        for name, kind in zip(frame.names, _types(frame), strict=True)
        if name not in frame.key_fields and (_is_number(kind) or pa.types.is_boolean(kind))
    }
    if not fields or any(_named(name, heading) for name in fields):
        return
    right = {name for name in measured if _RIGHT.fullmatch(name)} | {name.casefold() for name in truths}
    if (found := _ACCURACY.search(heading)) and right and not right & set(fields):
        yield RecipeChoice(f"the heading says {found[0]}, and the recipe reads {_listed(fields)}, not {_listed(right)}")
        return
    for name in sorted(measured - set(fields) - _GENERIC):
        if len(name) > 2 and not found and (_named(name, cell.column) or _same(name, cell.row)):
            yield RecipeChoice(f"the heading names the field {name}, and the recipe reads {_listed(fields)}")


def _listed(names: Collection[str]) -> str:
    return " and ".join(sorted(names)[:4])


def _named(field: str, heading: str) -> bool:
    return _word(field.replace("_", " "), re.sub(r"[_\-]", " ", heading))


def _same(field: str, label: str) -> bool:
    return field.replace("_", " ") == re.sub(r"[_\-]", " ", label).casefold()


def _word(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}s?(?!\w)", text, re.I) is not None


def _types(frame: Frame) -> list[pa.DataType]:
    table = frame.some if isinstance(frame, StreamedFrame) else frame.table
    return [plain(table.column(name)).type for name in frame.names]


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


# A mean by what it does


def is_mean(
    given: tuple[float, ...], on: Asking, numbers: Collection[str], texts: Collection[str], *, one_kind: bool
) -> bool:
    """Whether numbers move as a mean does: of a field, or of what is right; in any usual unit, also counted down.

    Of one kind of record, what half of the rows give and what the other half give comes to the whole, whichever half.
    """
    for field in numbers:
        more, twice = on(Level("more", field)), on(Level("twice", field))
        if more is None or twice is None or not len(more) == len(twice) == len(given):
            continue
        steps = {_unit(after - before) for before, after in zip(given, more, strict=True)}
        if steps != {None} and len(steps) == 1 and all(map(_close, twice, (2 * number for number in given))):
            return True
    none = on(Level("wrong"))
    if none is None:
        return False
    for text in ("~", *texts):
        if (whole := on(Level("right", text))) is None or len(whole) != len(none):
            continue
        for high, low in ((whole, none), (none, whole)):
            if len(units := {_unit(number) for number in high}) == 1 and units != {None} and not any(low):
                return not one_kind or all(
                    len(one) == len(other) == len(high) and _close(sum(one) + sum(other), sum(high))
                    for one, other in ([on(Level(half, text)) or () for half in halves] for halves in HALVES)
                )
    return False


def counts_wrong(on: Asking, truth: str) -> bool:
    """Whether what is said to be the share of right answers is more than nothing where every answer is a wrong one.

    It is asked only where no answer that fits gives nothing; or where every one does, so that it is counted down.
    """
    none, whole, wrong = (on(level) for level in (Level("wrong"), Level("right", "~"), Level("false", truth)))
    nothing = any(given is not None and not any(given) for given in (none, whole))
    return nothing and wrong is not None and any(wrong)


def _unit(number: float) -> int | None:
    return next((unit for unit in _UNITS if _close(number, unit)), None)


def _close(number: float, other: float) -> bool:
    return math.isclose(number, other, rel_tol=1e-6, abs_tol=1e-9)


# In words


def metric_in_words(name: str, arguments: Mapping[str, str]) -> str:
    """What a metric is asked for, in words."""
    said = name.replace("_", " ")
    if "of" in arguments:
        said += f" of {arguments['of']}"
    said += f" against {arguments['against']}" if "against" in arguments else ""
    said += f" in {arguments['dataset']}" if "dataset" in arguments else ""
    where = [f"{key.partition('.')[2]} is {value}" for key, value in arguments.items() if key.startswith("where.")]
    said += f" where {' and '.join(where)}" if where else ""
    said += f", averaged over {arguments['group']}" if arguments.get("group") else ""
    if arguments.get("over"):
        said += f", {arguments.get('show', 'mean')} over {arguments['over']}"
    minus = [f"{key.partition('.')[2]} is {value}" for key, value in arguments.items() if key.startswith("minus.")]
    said += f", less the same where {' and '.join(minus)}" if minus else ""
    known = {"of", "against", "dataset", "group", "over", "show"}
    rest = [f"{key} {value}" for key, value in arguments.items() if key not in known and "." not in key]
    return f"{said}; {', '.join(rest)}" if rest else said
