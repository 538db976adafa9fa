"""Results of any field: labelled items, predictions, measurements, and the runs that made them."""

from __future__ import annotations

from sealtrace.contract.packs import STAGES, Form, Kind, Pack, any_role, catalogue, unless_held

_HERE = "sealtrace.studies.results"

KINDS = (
    Kind("label", Form.ROWS, f"{_HERE}.records:Label", ("item",), any_role("declare", "report")),
    Kind("prediction", Form.ROWS, f"{_HERE}.records:Prediction", ("item", "model"), any_role("replay", "report")),
    Kind(
        "measurement",
        Form.ROWS,
        f"{_HERE}.records:Measurement",
        ("quantity", "subject", "repeat"),
        any_role("structure", "select", "report"),
    ),
    Kind("dataset", Form.DOCUMENT, "sealtrace.contract.sealing:Dataset", stages=any_role(*STAGES)),
    Kind("rows", Form.ROWS, "", stages=any_role(*STAGES)),
    Kind("run", Form.ROWS, "sealtrace.contract.sealing:Run", ("run",), any_role("bank", "report")),
)

CATALOGUE = catalogue(
    """
dataset.declared: Every declared dataset has rows, and its references lead to datasets that are declared
    enforces bundle format: datasets
    broken where a reference names a dataset that is not there
    reads dataset rows
dataset.references: Every row that is named is there, and every row that must be named is
    enforces bundle format: references between datasets
    broken where an answer is about an example that the examples do not have
    reads dataset rows; needs dataset.declared; consequences table.cells
dataset.complete: Every declared combination is there as often as declared: every example with every system and seed
    enforces bundle format: completeness of datasets
    broken where the wrong answers of one system are deleted
    reads dataset rows; consequences dataset.counts table.cells
dataset.depends: What is one for each is one: an example has the same right answer for every system
    enforces bundle format: dependencies within datasets
    broken where the right answer of an example is changed for one system
    reads dataset rows; consequences table.cells
dataset.counts: Datasets have as many rows, and fields as many values, as declared
    enforces bundle format: declared counts
    broken where the declaration counts another number of rows
    reads dataset rows
result.predictions: Every model predicts every labelled item of its splits exactly once, and nothing else
    enforces bundle format: predictions join labels
    broken where the wrong predictions of one model are deleted
    reads label prediction; consequences table.cells
result.measurements: Every measured quantity has one unit and the same repeats, from zero, for each subject
    enforces bundle format: measurements
    broken where all but one of the repeats of a subject are deleted
    reads measurement; consequences table.cells
result.runs: Every run that a record names is there, and the checkpoint that a run names is in the bundle
    enforces bundle format: runs
    broken where a run names a checkpoint that is not in the bundle
    reads run
    """
)

_OF_ROWS = "dataset where group over show minus divisor confidence interval resamples seed rule generator"
METRICS = """
everyday results
    count ... [of] [is]: rows, or rows whose field is a value
    distinct of ...: different values of a field
    rate of ... [is]: share of rows whose field is a value, or true
    mean of ...: sum / n
    sum of ...: sum
    median of ...: middle value, or the mean of the two
    quantile of ... [q]: value below which a share q lies, by numpy's rule
    minimum of ...: least value
    maximum of ...: greatest value
    sd of ...: root of the mean squared deviation, with divisor n-1 or n
    sem of ...: sd / sqrt(n), with divisor n-1 or n
    entropy of ... [base] [normalized] [labels]: -sum p log p of a field's values
    dominant_rate of ...: share of the commonest value
    commonest of [dataset] [where] [show]: the value that most rows have; with `show` count, how many have it, and the
        value as the word that follows
    uniform_accuracy of ...: 1 / number of values: the accuracy of guessing any of them
    prior_accuracy of ...: sum of squared shares: the accuracy of guessing values as often as they are
    accuracy of ... [against]: share of rows whose label is the true one
    confusion of is was ... [against]: rows with one true and one predicted label
    macro_precision of ... [against] [labels] [undefined]: macro average of precision over the labels
    micro_precision of ... [against] [labels] [undefined]: micro average of precision over the labels
    weighted_precision of ... [against] [labels] [undefined]: weighted average of precision over the labels
    precision of label ... [against] [labels] [undefined]: precision of one label
    macro_recall of ... [against] [labels] [undefined]: macro average of recall over the labels
    micro_recall of ... [against] [labels] [undefined]: micro average of recall over the labels
    weighted_recall of ... [against] [labels] [undefined]: weighted average of recall over the labels
    recall of label ... [against] [labels] [undefined]: recall of one label
    macro_f1 of ... [against] [labels] [undefined]: macro average of f1 over the labels
    micro_f1 of ... [against] [labels] [undefined]: micro average of f1 over the labels
    weighted_f1 of ... [against] [labels] [undefined]: weighted average of f1 over the labels
    f1 of label ... [against] [labels] [undefined]: f1 of one label
    auroc of ... [against] [positive] [predicted]: chance that a positive is scored above a negative
    average_precision of ... [against] [positive] [predicted]: precision weighted by added recall
    brier of ... [against] [positive] [predicted]: mean of (p - y)^2
    ece of ... [against] [positive] [predicted] [bins]: sum over bins of n_b/n |share right - mean confidence|
    log_loss of ... [against] [positive] [predicted] [clip]: mean of -log p(truth)
    pass_at_k of problem k ...: mean over problems of 1 - C(n-c, k)/C(n, k)
    mae of ... [against]: mean |y - x|
    mse of ... [against]: mean (y - x)^2
    rmse of ... [against]: root of mean (y - x)^2
    r2 of ... [against]: 1 - squared error / variation of the truth
    pearson of ... [against]: correlation
    spearman of ... [against]: correlation of ranks
    kendall of ... [against] [variant]: Kendall's tau; variant b corrects for ties
    win_rate of ... [versus] [ties] [better]: share of items on which the rows are better; ties count half
    mcnemar of ... [against] [versus] [give] [method]: p of McNemar's test; exact is the binomial test
    paired_t_test of ... [versus] [give] [sides]: p of the t test of paired differences
    t_test of ... [versus] [give] [sides] [equal_variances] [mu]: p of Welch's t test, or Student's with equal variances
    wilcoxon of ... [versus] [give] [sides] [method] [correction]: p of Wilcoxon's signed-rank test
    fisher of ... [against] [versus] [give] [sides]: p of Fisher's exact test of right and wrong
    chi_squared of ... [against] [give] [correction]: p of the chi-squared test of two fields
    bootstrap of by resamples seed ... [against] [positive] [predicted] [label] [labels] [give]: bootstrap interval of
        another metric, with a declared seed and rule
    rank of by among ... [against] [positive] [predicted] [label] [labels] [better]: place of the rows' metric among all
        values of a field
""".replace("...", " ".join(f"[{word}]" for word in _OF_ROWS.split()))
"""What recipes can ask for by name; `...` are the words of every statistic of rows."""

PACK = Pack(
    name="results",
    kinds=KINDS,
    catalogue=CATALOGUE,
    checks=f"{_HERE}.checks",
    metrics=f"{_HERE}.metrics",
    functions=f"{_HERE}.sql_functions:FUNCTIONS",
    evidence=f"{_HERE}.evidence:Results",
    overview=f"{_HERE}.evidence",
    measured=("measurement",),
    doubtful=f"{_HERE}.evidence:doubtful",
    streamed=("rows",),
    streamer=f"{_HERE}.streaming:judge",
    absent=unless_held("the study holds no datasets, predictions, measurements or runs", *KINDS),
)
