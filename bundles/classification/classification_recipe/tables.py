"""The two tables of the paper: strings as printed, and beside each column the SQL that gives them from records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from classification_recipe import metrics
from classification_recipe.items import CLASSES
from classification_recipe.metrics import Answer

Runs = dict[str, list[list[Answer]]]
"""By model, the answers of each of its runs."""

JOINED = "FROM prediction JOIN label USING (item) JOIN run ON run.run = prediction.run WHERE split = 'test'"
RIGHT = "CASE WHEN predicted = label.label THEN 1 ELSE 0 END"

# One row of two numbers: a mean and its deviation.
ACCURACY = f"""
WITH runs AS (
  SELECT 100 * avg({RIGHT}) AS accuracy
  {JOINED} AND arm = '{{Model}}'
  GROUP BY run.run
)
SELECT avg(accuracy), stddev_samp(accuracy) FROM runs
"""
# One number per cell.
MACRO_F1 = f"""
WITH runs AS (
  SELECT arm, macro_f1(list(label.label), list(predicted)) AS f1
  {JOINED}
  GROUP BY arm, run.run
)
SELECT avg(f1) FROM runs WHERE arm = '{{Model}}'
"""
CALIBRATION_ERROR = f"""
WITH runs AS (
  SELECT ece(list(predicted = label.label), list(score), 10) AS error
  {JOINED} AND arm = '{{Model}}'
  GROUP BY run.run
)
SELECT avg(error) FROM runs
"""
# One row of two counts: k/n.
ERRORS = f"SELECT count(*) FILTER (predicted <> label.label), count(*) {JOINED} AND arm = '{{Model}}'"
SEEDS = "SELECT count(*) FROM run WHERE arm = '{Model}'"

ITEMS = "SELECT count(*) FROM label WHERE split = 'test' GROUP BY ROLLUP (label) ORDER BY label NULLS LAST"


def recall_sql(model: str) -> str:
    """The recall of the row's class; every run saw the same items, so their mean is that of all predictions."""
    return f"SELECT avg({RIGHT}) {JOINED} AND arm = '{model}' AND label.label = '{{Class}}'"


def mean_recall_sql(model: str) -> str:
    """The mean over classes."""
    return f"SELECT avg(recall) FROM (SELECT avg({RIGHT}) AS recall {JOINED} AND arm = '{model}' GROUP BY label.label)"


def results(runs: Runs) -> dict[str, Any]:
    """The main table."""
    columns = [
        {"label": "Model"},
        {"label": "Seeds", "recipe": {"sql": SEEDS}},
        {"label": "Accuracy (%)", "recipe": {"sql": ACCURACY.strip()}, "direction": "higher"},
        {"label": "Macro F1", "recipe": {"sql": MACRO_F1.strip()}, "direction": "higher"},
        {"label": "ECE", "recipe": {"sql": CALIBRATION_ERROR.strip()}, "direction": "lower"},
        {"label": "Errors", "recipe": {"sql": ERRORS}, "direction": "lower"},
    ]
    accuracies = {model: [100 * metrics.accuracy(one) for one in answers] for model, answers in runs.items()}
    accuracy = {model: metrics.mean(each) for model, each in accuracies.items()}
    f1 = _means(runs, lambda answers: metrics.macro_f1(answers, CLASSES))
    calibration = _means(runs, metrics.calibration_error)
    errors = {model: sum(metrics.errors(one) for one in answers) for model, answers in runs.items()}
    asked = {model: sum(len(one) for one in answers) for model, answers in runs.items()}
    marks = {
        "Accuracy (%)": _marks(accuracy, higher=True),
        "Macro F1": _marks(f1, higher=True),
        "ECE": _marks(calibration, higher=False),
        "Errors": _marks(errors, higher=False),
    }
    rows = [
        {
            "label": model,
            "cells": [
                model,
                str(len(runs[model])),
                f"{accuracy[model]:.1f} ± {metrics.deviation(accuracies[model]):.1f}",
                f"{f1[model]:.3f}",
                f"{calibration[model]:.3f}",
                f"{errors[model]}/{asked[model]}",
            ],
            "marks": {column: marked[model] for column, marked in marks.items() if model in marked},
        }
        for model in runs
    ]
    return {
        "label": "tab:results",
        "caption": "Mean and deviation over three seeds on the test split. ECE has ten bins of equal width. Errors "
        "are of all seeds together. Best in bold, second underlined.",
        "columns": columns,
        "rows": rows,
    }


def per_class(runs: Runs) -> dict[str, Any]:
    """Recall by class, and its mean."""
    columns: list[dict[str, Any]] = [{"label": "Class"}, {"label": "Items", "recipe": {"sql": ITEMS}}]
    columns += [{"label": model, "recipe": {"sql": recall_sql(model), "percent": True}} for model in runs]
    some_run = next(iter(runs.values()))[0]
    rows: list[dict[str, Any]] = []
    for name in CLASSES:
        count = sum(answer.label == name for answer in some_run)
        recalls = _means(runs, lambda answers: metrics.recall(answers, name))
        rows.append({"label": name, "cells": [name, str(count), *(f"{100 * recalls[model]:.1f}" for model in runs)]})
    means = _means(runs, _mean_recall)
    rows.append(
        {
            "label": "mean",
            "cells": ["mean", str(len(some_run)), *(f"{100 * means[model]:.1f}" for model in runs)],
            "recipes": {model: {"sql": mean_recall_sql(model), "percent": True} for model in runs},
        }
    )
    return {
        "label": "tab:per-class",
        "caption": "Recall in percent on the test split, by class, and the mean over classes. Means over three seeds.",
        "columns": columns,
        "rows": rows,
    }


def _mean_recall(answers: list[Answer]) -> float:
    return metrics.mean([metrics.recall(answers, name) for name in CLASSES])


def _means(runs: Runs, metric: Callable[[list[Answer]], float]) -> dict[str, float]:
    """The mean over seeds of a metric, by model."""
    return {model: metrics.mean([metric(one) for one in answers]) for model, answers in runs.items()}


def _marks(values: Mapping[str, float], *, higher: bool) -> dict[str, str]:
    """The best model and the second, by what was not rounded yet."""
    best, second = sorted(values, key=lambda model: values[model], reverse=higher)[:2]
    return {best: "best", second: "second"}
