"""What a query computes, in words, and whether it is the mean that a heading says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from sealtrace.recipes.forms import Level, Told
from sealtrace.recipes.headings import is_mean, metric_in_words
from sealtrace.recipes.sql_syntax import QueryDescription, described

ROWS = pa.table({
    "item": ["q0", "q1", "q2", "q3"] * 2,
    "seed": [1] * 4 + [2] * 4,
    "gold": ["a", "b", "a", "b"] * 2,
    "answer": ["a", "b", "b", "b", "a", "a", "a", "b"],
    "correct": [True, True, False, True, True, False, True, True],
    "score": [0.5, 0.6, 0.7, 0.8, 0.4, 0.5, 0.9, 0.2],
})  # fmt: skip


def of(sql: str) -> QueryDescription:
    """What a query does."""
    (text,) = duckdb.connect().execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0]
    return described([json.loads(text)])


def given(sql: str, rows: pa.Table) -> tuple[float, ...]:
    """What it gives on some rows."""
    with duckdb.connect() as connection:
        connection.register("answers", rows)
        found: list[tuple[Any, ...]] = connection.execute(sql).fetchall()
    return tuple(float(row[0]) for row in found)


@pytest.mark.parametrize(
    ("expression", "evident", "mean"),
    [
        ("avg(score)", True, True),
        ("100 * avg((answer = gold)::INT)", True, True),
        ("sum(score) / count(*)", False, True),
        ("100.0 * count(*) FILTER (correct) / count(*)", False, True),
        ("1 - avg(correct::INT)", False, True),
        ("sum(score * seed) / sum(seed)", False, True),
        ("sqrt(avg(correct::INT))", False, False),
        ("exp(avg(score))", False, False),
        ("2 * avg(score)", False, False),
        ("sum(correct::INT) / count(DISTINCT item)", False, False),
        ("(sum(score) + 1) / (count(*) + 1)", False, False),
        ("sum(score * score) / sum(score)", False, False),
        ("avg((score > 0.5)::INT)", False, False),
        ("count(*)", False, False),
    ],
)
def test_a_mean_is_one_by_what_it_does(expression: str, evident: bool, mean: bool) -> None:
    """However it is written; and what only looks like one is none."""
    sql = f"SELECT {expression} FROM answers"
    found = of(sql)
    assert found.mean == evident

    def on(form: Level) -> tuple[float, ...]:
        kept = {"item", "seed", *found.selects} - set(found.fields)
        return given(sql, replace(form, kept=frozenset(kept)).of(ROWS, Told()))

    assert is_mean(given(sql, ROWS), on, found.fields, [], one_kind=True) == mean


def test_queries_and_metrics_are_told_in_words() -> None:
    """So that a reader need not know SQL."""
    nested = "SELECT avg(a) FROM (SELECT 100 * avg(correct::INT) AS a FROM answers WHERE seed = 1 GROUP BY item)"
    assert of(nested).words == "mean of a in ((100 × mean of correct) in answers where seed = 1 for each item)"
    assert (of(nested).fields, of(nested).selects) == (("correct",), ("item", "seed"))
    arguments = {"of": "answer", "where.system": "ours", "over": "seed", "show": "max"}
    assert metric_in_words("accuracy", arguments) == "accuracy of answer where system is ours, max over seed"
