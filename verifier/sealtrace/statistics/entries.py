"""The table's entries for everyday results: labels, numbers, scores, tries and what is counted of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from sealtrace.statistics import association, intervals, labels, probabilities, significance, summaries, trials
from sealtrace.statistics.called import CALLED
from sealtrace.statistics.table import STATISTICS, TRIED, Statistic, StatisticKind, TriedForm, register

__all__ = ["STATISTICS", "TRIED"]

OF_ROWS = (
    "dataset", "where", "group", "average", "over", "show", "minus", "relative_to", "divisor", "confidence", "interval",
    "rule",
)  # fmt: skip
"""What every statistic of rows takes."""
_OF_INTERVALS = ("dataset", "where", "confidence")
"""An interval, and what is resampled, is of all selected rows at once: no repeats, and nothing taken away."""
REPEATS, ITEMS, ORDER, TEST, INTERVAL, _COMBINATION = StatisticKind
_LISTS = ("labels", "scores", "numbers", "paired")


def _entry(
    head: str,
    formula: str,
    kind: StatisticKind,
    reads: str,
    unit: str,
    exact: Callable[..., object] | None,
    words: str,
    not_words: str = "",
    sql: str = "",
    tried: tuple[TriedForm, ...] | None = None,
    common: tuple[str, ...] = OF_ROWS,
    others: str = "",
) -> None:
    """Registers an entry; its head has its name and arguments as `metrics` lists them, words have commas between."""
    name, *listed = head.split()
    needs = tuple(word for word in listed if word[0] != "[")
    own = tuple(word.strip("[]") for word in listed if word[0] == "[")
    called, never, other = (tuple(filter(None, map(str.strip, text.split(",")))) for text in (words, not_words, others))
    called = tuple(dict.fromkeys((name.replace("_", " "), *called)))
    if not sql and reads in _LISTS:
        sql = f"{name}(list({{true}}), list({{given}}))"
    at_once = reads in ("values", "texts", "labels", "label")
    register(
        Statistic(
            name, formula, kind, reads, needs, common + own, called, (*never, *other), other, unit, exact, sql, tried,
            at_once,
        )
    )  # fmt: skip


def _percentile(share: int, key: str, *words: str) -> TriedForm:
    """A quantile as `check` tries it: in between two values (`p95`), or the value that so many do not exceed."""
    ranked = key.startswith("rank")
    text = f"{share}th percentile" + (" (a value that is there)" if ranked else "")
    arguments = {"q": Fraction(share, 100), "rule": "inverted_cdf" if ranked else "linear"}
    sql = f"quantile_{'disc' if ranked else 'cont'}({{x}}, {share / 100})"
    return TriedForm(key, text, sql, arguments, 12.0, words or (f"p{share}", f"q{share}", f"{share}th"), quantile=True)


_INTERVAL_WORDS = ("ci", "cis", "confidence", "interval", "intervals", "wilson")


def _bound(key: str, text: str, sql: str, function: Callable[..., object]) -> TriedForm:
    """A half or an end of an interval of 95 %, as `check` tries it where labels speak of intervals."""
    return TriedForm(key, text, sql, words=_INTERVAL_WORDS, function=function)


def _average_score(
    score: str, average: str, counts: labels.Margins, chosen: list[int] | None = None, undefined: str = "zero"
) -> object:
    return labels.average_score(counts, score, average, chosen, undefined)


def _class_score(score: str, counts: labels.Margins, undefined: str = "zero") -> object:
    return labels.class_scores(counts, score, undefined)


_SEM = "stddev_samp({x}) / sqrt(count({x}))"
_TRUE, _GIVEN = "count(*) FILTER ({true} = {label})", "count(*) FILTER ({given} = {label})"
_BOTH = "count(*) FILTER ({true} = {label} AND {given} = {label})"
_MEDIAN = ("median", "med.", "med", "p50")
_OTHERWISE = {"precision": "average precision, mean average precision", "recall": "recall@k", "f1": "token f1"}
_IN_SQL = {
    "precision": f"coalesce({_BOTH} / nullif({_GIVEN}, 0), 0)",
    "recall": f"coalesce({_BOTH} / nullif({_TRUE}, 0), 0)",
    "f1": f"coalesce(2 * {_BOTH} / nullif({_TRUE} + {_GIVEN}, 0), 0)",
}


def _averages(score: str) -> None:
    """Precision, recall or F1 of a label, and its three averages."""
    names = [score, *CALLED[score].split(", ")]
    against = "[against] [labels] [undefined]"
    for average in labels.AVERAGES:
        forms = [f"{average}{join}{name}" for name in names for join in ("-", " ", "-averaged ", " average ")]
        words = ", ".join([*forms, *(f"{name} ({average})" for name in names)])
        # Over all labels, what is pooled is the accuracy, which the search has already.
        tried = () if average == "micro" else None
        _entry(f"{average}_{score} of {against}", f"{average} average of {score} over the labels", ITEMS, "labels",
               "share", partial(_average_score, score, average), words, tried=tried)  # fmt: skip
    _entry(f"{score} of label {against}", f"{score} of one label", ITEMS, "label", "share",
           partial(_class_score, score), CALLED[score], _OTHERWISE[score], _IN_SQL[score])  # fmt: skip


# fmt: off
# Counts and columns of numbers

_entry("count [of] [is]", "rows, or rows whose field is a value", REPEATS, "rows", "count", lambda count: count,
       "n, #, number, number of, counts", "number of parameters", "count({x})",
       (TriedForm("count", "number of values", "count({x})", price=6.0, words=("count", "n", "#"), everyday=True,
                function=summaries.count),))
_entry("distinct of", "different values of a field", ITEMS, "texts", "count", labels.distinct,
       "unique, different, number of distinct", sql="count(DISTINCT {x})", tried=())
_entry("rate of [is]", "share of rows whose field is a value, or true", REPEATS, "flags", "share", summaries.rate,
       "share, proportion, fraction, percentage, frequency",
       "learning rate, win rate, error rate, sampling rate, rate ratio", "avg({x})")
_entry("mean of", "sum / n", REPEATS, "values", "measured", summaries.mean, "average, avg, avg., μ, x̄",
       "mean squared error, mean absolute error, root mean squared error, root mean square, mean square, "
       "mean average precision, average precision, mean reciprocal rank, geometric mean, "
       "macro average, micro average, standard error of the mean, mean pooling, "
       "average pooling, average rank, mean rank", "avg({x})",
       (TriedForm("mean", price=1.5, words=("mean",), everyday=True),),
       others="harmonic mean, trimmed mean, winsorized mean, winsorised mean, weighted mean, weighted average, "
       "moving average")
_entry("geometric_mean of", "n-th root of the product of positive values", ITEMS, "values", "measured",
       summaries.geometric_mean, "geomean, geo mean, geo. mean, gmean", sql="geomean({x})",
       tried=(TriedForm("geomean", "geometric mean", price=8.0, words=("geomean", "geometric", "gmean")),))
_entry("sum of", "sum", REPEATS, "values", "measured", summaries.total, "total, totals, cumulative",
       "sum of squares, total variation", "sum({x})",
       (TriedForm("sum", price=7.0, words=("total", "sum")),))
_entry("negative of", "how many values are below zero", ITEMS, "values", "count", summaries.negative,
       "flipped, reversed", "negative log-likelihood, negative log likelihood, false negative, true negative, "
       "negative predictive value",
       "count(CASE WHEN {x} < 0 THEN 1 END)",
       (TriedForm("negative", "number of negative values", price=10.0, words=("negative", "flipped", "reversed")),))
_entry("median of", "middle value, or the mean of the two", ORDER, "values", "measured", summaries.median,
       "med., med, p50, 50th percentile", "median absolute deviation", "median({x})",
       (TriedForm("median", price=7.0, words=_MEDIAN, quantile=True),))
_entry("quantile of [q]", "value below which a share q lies, by numpy's rule", ORDER, "values", "measured",
       summaries.quantile, "percentile, quartile, p25, p75, p90, p95, p99, q1, q3, q25, q75, q90, q95, q99",
       "quantile loss, quantile regression", "quantile_cont({x}, {q})",
       (_percentile(25, "p25", "p25", "q1", "25th"), _percentile(75, "p75", "p75", "q3", "75th"),
        *(_percentile(share, f"p{share}") for share in (90, 95, 99)), _percentile(50, "rank50", *_MEDIAN),
        *(_percentile(share, f"rank{share}") for share in (90, 95, 99))))
_entry("minimum of", "least value", ORDER, "values", "measured", summaries.minimum,
       "min, min., worst, lowest, least, smallest",
       "least squares, worst group, worst-group, worst case, worst-case, at least", "min({x})",
       (TriedForm("min", "least", price=8.5, words=("minimum", "min", "worst", "lowest", "range")),))
_entry("maximum of", "greatest value", ORDER, "values", "measured", summaries.maximum,
       "max, max., best, peak, highest, greatest, largest", "best response, max pooling, maximum likelihood",
       "max({x})",
       (TriedForm("max", "greatest", price=8.5, words=("maximum", "max", "best", "peak", "highest", "range")),))
_entry("sd of", "root of the mean squared deviation, with divisor n-1 or n", REPEATS, "values", "deviation",
       summaries.sd, CALLED["sd"], sql="stddev_samp({x})",
       tried=(TriedForm("sd", "standard deviation (n - 1)", price=4.0, words=("sd", "±"), everyday=True),
              TriedForm("sd0", "standard deviation (n)", "stddev_pop({x})", {"divisor": "n"}, 5.0, ("sd",), True)))
_entry("variance of", "mean squared deviation, with divisor n-1 or n", REPEATS, "values", "squared", summaries.variance,
       "sample variance, s²", "explained variance, variance explained, equal variances, variance ratio",
       "var_samp({x})", tried=())
_entry("sem of", "sd / sqrt(n), with divisor n-1 or n", REPEATS, "values", "deviation", summaries.sem,
       CALLED["sem"], sql=_SEM,
       tried=(TriedForm("sem", "standard error", price=6.0, words=("sem", "stderr")),))
_entry("entropy of [base] [normalized] [labels]", "-sum p log p of a field's values", ITEMS, "label counts",
       "information", labels.entropy, "shannon entropy",
       "cross entropy, cross-entropy, relative entropy, conditional entropy", "entropy({x}) * ln(2)")
_entry("normalized_entropy of [labels]", "entropy as a share of that of equally common labels", ITEMS, "label counts",
       "share", partial(labels.entropy, normalized="true"), "relative entropy of labels",
       sql="normalized_entropy(list({x}), {labels})")
_entry("dominant_rate of", "share of the commonest value", ITEMS, "texts", "share", labels.dominant_rate,
       "majority share, modal share", sql="list_max(map_values(histogram({x}))) / count({x})",
       tried=(TriedForm("dominant_rate", side="given"), TriedForm("majority_accuracy", side="true")))
_entry("commonest of [show]", "the value that most rows have; with `show` count, how many have it, and the value as "
       "the word that follows", ORDER, "", "measured", None,
       "mode, most common, most frequent, majority answer, majority",
       common=("dataset", "where"))
_entry("uniform_accuracy of", "1 / number of values: the accuracy of guessing any of them", ITEMS, "texts", "share",
       labels.uniform_accuracy, "chance, random guessing, uniform guessing, random baseline",
       sql="1 / count(DISTINCT {x})", tried=(TriedForm("uniform_accuracy", side="true"),))
_entry("prior_accuracy of", "sum of squared shares: the accuracy of guessing values as often as they are", ITEMS,
       "texts", "share", labels.prior_accuracy, "stratified guessing",
       sql="list_dot_product({0}, {0}) / (count({{x}}) * count({{x}}))".format(
           "map_values(histogram({x}))::DOUBLE[]"),
       tried=(TriedForm("prior_accuracy", side="true"),))

# Given labels against true ones

_entry("accuracy of [against]", "share of rows whose label is the true one", ITEMS, "labels", "share", labels.accuracy,
       CALLED["accuracy"],
       "balanced accuracy, top-5 accuracy, majority accuracy, uniform accuracy, prior accuracy",
       "count(*) FILTER ({true} = {given}) / count(*)")
_entry("correct of [against]", "rows whose label is the true one", ITEMS, "labels", "count",
       lambda counts: counts.hits.sum(axis=-1), "right, hits, number correct", sql="count(*) FILTER ({true} = {given})")
_entry("error_rate of [against]", "share of rows whose label is not the true one", ITEMS, "labels", "share",
       lambda counts: 1 - labels.accuracy(counts), CALLED["error_rate"],
       "", "count(*) FILTER ({true} <> {given}) / count(*)", tried=())
_entry("errors of [against]", "rows whose label is not the true one", ITEMS, "labels", "count",
       lambda counts: counts.rows - counts.hits.sum(axis=-1), "wrong, mistakes, number of errors",
       "standard errors", "count(*) FILTER ({true} <> {given})")
for _score in labels.SCORES:
    _averages(_score)
_entry("balanced_accuracy of [against]", "mean recall of the labels that are true somewhere", ITEMS, "labels", "share",
       labels.balanced_accuracy, "bal. acc., balanced acc, bacc, average recall")
_entry("mcc of [against]", "correlation of given and true labels", ITEMS, "labels", "correlation", labels.mcc,
       "matthews correlation, matthews correlation coefficient, phi coefficient")
_entry("kappa of [against]", "(accuracy - that by chance) / (1 - that by chance)", ITEMS, "labels", "correlation",
       labels.kappa, "cohen's kappa, cohen's κ, κ",
       others="fleiss' kappa, fleiss' κ, weighted kappa, weighted κ, quadratic kappa, linear kappa")
_entry("prediction_entropy of [against]", "entropy of the given labels", ITEMS, "labels", "information",
       lambda counts: labels.entropy(counts.given), "entropy of predictions", sql="entropy({given}) * ln(2)")
_entry("prediction_entropy_normalized of [against]", "the same as a share of that of equally common true labels", ITEMS,
       "labels", "information",
       lambda counts: labels.entropy(counts.given, "e", "true", labels.distinct(counts.support)), "",
       sql="normalized_entropy(list({given}), count(DISTINCT {true})::INTEGER)")
_entry("labels_predicted of [against]", "different given labels", ITEMS, "labels", "count",
       lambda counts: labels.distinct(counts.given), "", sql="count(DISTINCT {given})")
_entry("majority_macro_f1 of [against]", "macro F1 of always guessing the commonest true label", ITEMS, "labels",
       "share", lambda counts: labels.majority_macro_f1(counts.support), "majority baseline f1")
_entry("support of label [against]", "rows whose true label is the label", ITEMS, "label", "count",
       lambda counts: counts.support, "", sql=_TRUE)
_entry("pred_count of label [against]", "rows that were given the label", ITEMS, "label", "count",
       lambda counts: counts.given, "predicted count", sql=_GIVEN)
_entry("tp of label [against]", "rows that were rightly given the label", ITEMS, "label", "count",
       lambda counts: counts.hits, CALLED["tp"], sql=_BOTH)
_entry("fp of label [against]", "rows that were wrongly given the label", ITEMS, "label", "count",
       lambda counts: counts.given - counts.hits, CALLED["fp"], "false positive rate", f"{_GIVEN} - {_BOTH}")
_entry("fn of label [against]", "rows of the label that were given another", ITEMS, "label", "count",
       lambda counts: counts.support - counts.hits, CALLED["fn"], "false negative rate", f"{_TRUE} - {_BOTH}")
_entry("gold_rate of label [against]", "share of rows whose true label is the label", ITEMS, "label", "share",
       lambda counts: counts.shares(counts.support), "prevalence, base rate", sql=f"{_TRUE} / count(*)")
_entry("pred_rate of label [against]", "share of rows that were given the label", ITEMS, "label", "share",
       lambda counts: counts.shares(counts.given), "", sql=f"{_GIVEN} / count(*)")
_entry("confusion of is was [against]", "rows with one true and one predicted label", ITEMS, "one cell", "count",
       lambda count: count, "confusion matrix, confusions", sql="count(*) FILTER ({true} = {was} AND {given} = {is})")

# Scores, tries and numbers against what is true

_SCORED = "[against] [positive] [predicted]"
_entry(f"auroc of {_SCORED}", "chance that a positive is scored above a negative", ITEMS, "scores", "share",
       probabilities.auroc, "auc, roc-auc, roc auc, au-roc, auc-roc, area under the roc curve, c-statistic, c-index",
       "pr-auc, auc-pr, auprc")
_entry(f"average_precision of {_SCORED}", "precision weighted by added recall", ITEMS, "scores", "share",
       probabilities.average_precision, "ap, auprc, pr-auc, auc-pr, au-prc", "mean average precision")
_entry(f"brier of {_SCORED}", "mean of (p - y)^2", ITEMS, "scores", "share", probabilities.brier, "brier score",
       "brier skill score", tried=(TriedForm("brier", of_probabilities=True),))
_ECE = "ece(list({true}), list({given}), {bins})"
_entry(f"ece of {_SCORED} [bins]", "sum over bins of n_b/n |share right - mean confidence|", ITEMS, "scores", "share",
       probabilities.calibration_error, "expected calibration error, calibration error",
       "maximum calibration error, adaptive calibration error", _ECE,
       tuple(TriedForm(f"ece_{bins}", sql=_ECE.replace("{bins}", str(bins)), arguments={"bins": bins},
                     of_probabilities=True) for bins in (10, 15)))
_entry(f"log_loss of {_SCORED} [clip]", "mean of -log p(truth)", ITEMS, "probability of truth", "information",
       probabilities.log_loss,
       "nll, negative log-likelihood, negative log likelihood, cross-entropy, cross entropy, logloss",
       sql="-avg(ln({x}))")
_entry("pass_at_k of problem k", "mean over problems of 1 - C(n-c, k)/C(n, k)", ITEMS, "tries", "share",
       trials.pass_at_k, "pass@k, pass@1, pass", sql="pass_at_k({n}, {c}, {k})")
_entry("mae of [against]", "mean |y - x|", ITEMS, "numbers", "deviation", association.mean_absolute_error,
       "mean absolute error, absolute error", sql="avg(abs({true} - {given}))")
_entry("mse of [against]", "mean (y - x)^2", ITEMS, "numbers", "squared", association.mean_squared_error,
       "mean squared error, mean square error, squared error",
       "root mean squared error, root mean square error", "avg(({true} - {given}) * ({true} - {given}))")
_entry("rmse of [against]", "root of mean (y - x)^2", ITEMS, "numbers", "deviation",
       association.root_mean_squared_error, "root mean squared error, root mean square error, rms error, rmsd")
_entry("r2 of [against]", "1 - squared error / variation of the truth", ITEMS, "numbers", "at most one",
       association.r_squared, "r², r^2, r-squared, coefficient of determination",
       others="adjusted r², adj. r², adjusted r2, adj. r2, adjusted r-squared, pseudo r², pseudo r2")
_entry("pearson of [against]", "correlation", ITEMS, "numbers", "correlation", association.pearson,
       "pearson's r, pearson r, correlation, corr, corr., pcc", "rank correlation",
       "corr({true}, {given})", others="intraclass correlation, partial correlation")
_entry("spearman of [against]", "correlation of ranks", ITEMS, "numbers", "correlation", association.spearman,
       "spearman's ρ, spearman's rho, spearman ρ, rho, ρ, rank correlation, srcc")
_entry("kendall of [against] [variant]", "Kendall's tau; variant b corrects for ties", ITEMS, "numbers", "correlation",
       association.kendall, "kendall's tau, kendall's τ, kendall τ, tau, τ, krcc")
_entry("pooled_ratio of [against]", "sum of one field / sum of another", ITEMS, "numbers", "measured",
       association.pooled_ratio, "micro ratio, overall ratio", sql="sum({given}) / sum({true})", tried=())
_entry("win_rate of [versus] [ties] [better]", "share of items on which the rows are better; ties count half", ITEMS,
       "paired", "share", trials.win_rate, "wins, win %, preference rate",
       sql="avg(CASE WHEN {true} > {given} THEN 1.0 WHEN {true} = {given} THEN 0.5 ELSE 0.0 END)")

# Tests and intervals

_entry("mcnemar of [against] [versus] [give] [method]", "p of McNemar's test; exact is the binomial test", TEST,
       "discordant", "probability", significance.mcnemar, "mcnemar's test, mcnemar p, mcnemar's p",
       sql="mcnemar({b}, {c})")
_entry("paired_t_test of [versus] [give] [sides]", "p of the t test of paired differences", TEST, "paired",
       "probability", significance.paired_t_test, "paired t-test, paired t")
_entry("t_test of [versus] [give] [sides] [equal_variances] [mu]",
       "p of Welch's t test, or Student's with equal variances", TEST, "samples", "probability", significance.t_test,
       "t-test, welch's t-test, student's t-test, welch", "paired t-test")
_entry("wilcoxon of [versus] [give] [sides] [method] [correction]", "p of Wilcoxon's signed-rank test", TEST, "paired",
       "probability", significance.wilcoxon, "signed-rank, signed rank, wilcoxon signed-rank test",
       "rank-sum, rank sum")
_entry("fisher of [against] [versus] [give] [sides]", "p of Fisher's exact test of right and wrong", TEST, "two by two",
       "probability", significance.fisher, "fisher's exact test, fisher exact", "fisher information",
       "fisher({a}, {b}, {c}, {d})")
_entry("chi_squared of [against] [give] [correction]", "p of the chi-squared test of two fields", TEST, "crossed",
       "probability", significance.chi_squared, "χ², χ2, chi-squared, chi-square, chi2")
_entry("t_interval of", "mean and t quantile of n - 1 degrees times the standard error", INTERVAL, "values", "measured",
       intervals.mean_interval, "ci, confidence interval, t interval", "bootstrap ci, wilson ci",
       sql="t_interval_low(list({x})), t_interval_high(list({x}))",
       tried=(TriedForm("ci95", "1.96 standard errors", f"1.96 * {_SEM}", price=7.0, words=_INTERVAL_WORDS,
                      function=lambda values: intervals.Z95 * summaries.sem(values)),
              _bound("ci95_low", "mean - 1.96 standard errors", f"avg({{x}}) - 1.96 * {_SEM}",
                     lambda values: summaries.mean(values) - intervals.Z95 * summaries.sem(values)),
              _bound("ci95_high", "mean + 1.96 standard errors", f"avg({{x}}) + 1.96 * {_SEM}",
                     lambda values: summaries.mean(values) + intervals.Z95 * summaries.sem(values)),
              _bound("t95", "t quantile times the standard error", "t_interval_high(list({x})) - avg({x})",
                     intervals.t_half),
              _bound("t95_low", "lower bound of the t interval", "t_interval_low(list({x}))",
                     lambda values: summaries.mean(values) - intervals.t_half(values)),
              _bound("t95_high", "upper bound of the t interval", "t_interval_high(list({x}))",
                     lambda values: summaries.mean(values) + intervals.t_half(values))), common=_OF_INTERVALS)
_entry("wilson of [is] [against]", "Wilson's score interval of a rate, or of an accuracy", INTERVAL, "right of all",
       "share", intervals.wilson, "wilson interval, wilson ci, wilson score interval",
       sql="wilson_low({k}, {n}), wilson_high({k}, {n})",
       tried=tuple(_bound(f"wilson_{side}", f"{side} bound of Wilson's interval",
                          f"wilson_{side}(sum({{x}})::BIGINT, count({{x}}))",
                          partial(intervals.wilson_of_flags, high=side == "high"))
                   for side in ("low", "high")), common=_OF_INTERVALS)
_entry("clopper_pearson of [is] [against]", "the exact interval of a rate, or of an accuracy", INTERVAL, "right of all",
       "share", intervals.clopper_pearson, "clopper-pearson, clopper–pearson, exact interval, exact ci",
       sql="clopper_pearson_low({k}, {n}), clopper_pearson_high({k}, {n})", tried=(), common=_OF_INTERVALS)
_entry("wald of [is] [against]", "the normal interval of a rate, or of an accuracy", INTERVAL, "right of all",
       "measured", intervals.wald, "wald interval, normal approximation, normal interval", tried=(),
       common=_OF_INTERVALS)
_BY = "[against] [positive] [predicted] [label] [labels]"
_entry(f"bootstrap of by resamples seed {_BY} [give] [rule] [generator]",
       "bootstrap interval of another metric, with a declared seed and rule", INTERVAL, "", "measured", None,
       "bootstrap interval, bootstrap ci, bootstrapped ci", common=_OF_INTERVALS)
_entry(f"rank of by among {_BY} [better]", "place of the rows' metric among all values of a field", ORDER, "", "count",
       None, "place, position", "mean rank, average rank, reciprocal rank",
       common=("dataset", "where", "group", "average", "over", "rule"))
