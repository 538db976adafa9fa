"""Every form of every entry against the others and against an oracle, on random records."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from oracles import statistics as oracles
from sealtrace.statistics import entries, labels, significance
from sealtrace.statistics.combinations import COMBINATIONS
from sealtrace.statistics.groups import Groups
from sealtrace.statistics.queries import functions
from sealtrace.statistics.sums import UndefinedError

STATISTICS: dict[str, Any] = dict(entries.STATISTICS)
TRIED: dict[str, Any] = dict(entries.TRIED["values"])
OF_PAIRS = {**oracles.OF_SCORES, **oracles.OF_NUMBERS}
NAMES = ["a", "b", "c", "d"]
GROUPS = 3


def records(seed: int) -> dict[str, Any]:
    """Rows of three groups: labels, flags, scores and numbers, with ties."""
    random = np.random.default_rng(seed)
    rows = 60
    return {
        "g": np.sort(random.integers(0, GROUPS, rows)),
        "t": np.array(NAMES)[random.integers(0, 4, rows)],
        "p": np.array(NAMES)[random.integers(0, 3, rows)],
        "was": random.random(rows) < 0.5,
        "score": np.round(random.random(rows), 2),
        "x": np.round(random.normal(1, 2, rows), 1) + 20,
        "y": np.round(random.normal(1, 2, rows), 1),
    }


@pytest.fixture(params=range(2), name="rows")
def _rows(request: pytest.FixtureRequest) -> dict[str, Any]:
    return records(request.param)


@pytest.fixture(scope="module", name="connection")
def _connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for name, (function, takes) in functions().items():
            connection.create_function(name, function, [*takes], "DOUBLE")
        yield connection


@pytest.fixture(name="database")
def _database(connection: duckdb.DuckDBPyConnection, rows: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    connection.register("rows", pa.table(rows))
    return connection


def number(value: Any) -> Any:
    """A result as a number, or as several."""
    value = value.p if isinstance(value, significance.Tested) else value
    return [float(part) for part in value] if isinstance(value, tuple) else float(value)


def each_group(rows: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of each group by themselves."""
    return [{name: column[rows["g"] == group] for name, column in rows.items()} for group in range(GROUPS)]


def asked(database: duckdb.DuckDBPyConnection, sql: str, **fields: str) -> list[float]:
    """What a form gives in a query, for each group."""
    text = sql.format(**{"label": "'b'", **fields})
    return [row[0] for row in database.sql(f"SELECT {text} FROM rows GROUP BY g ORDER BY g").fetchall()]


def margins(rows: dict[str, Any]) -> labels.Margins:
    """The counts of labels."""
    true, given = (np.searchsorted(NAMES, rows[name]) for name in "tp")
    return labels.margins(true, given, len(NAMES))


def stacked(rows: dict[str, Any]) -> labels.Margins:
    """The counts of labels of all groups at once, as doubles."""
    parts = [margins(part) for part in each_group(rows)]
    hits, support, given, rows_ = (
        np.array([getattr(part, name) for part in parts], float) for name in ("hits", "support", "given", "rows")
    )
    return labels.Margins(hits, support, given, rows_)


def test_every_entry_has_an_oracle() -> None:
    """Or stands in a list with the reason."""
    known: list[dict[str, Any]] = [
        OF_PAIRS,
        oracles.OF_VALUES,
        oracles.OF_TEXTS,
        oracles.OF_LABELS,
        oracles.OF_LABEL,
        oracles.OF_COUNTS,
    ]
    assert {name for table in known for name in table} | set(oracles.WITHOUT) == set(STATISTICS)


@pytest.mark.parametrize("key", TRIED)
def test_statistics_of_values(key: str, rows: dict[str, Any], database: duckdb.DuckDBPyConnection) -> None:
    """As `check` tries them: of one column, of all groups at once, in a query, and by numpy or scipy."""
    entry = next(
        one
        for one in STATISTICS.values()
        if (one.name == key if one.tried is None else key in {variant.key for variant in one.tried})
    )
    variant = TRIED[key]
    x = "x" if entry.name in oracles.OF_POSITIVE else "was" if entry.name == "wilson" else "y"
    starts, counts = np.unique(rows["g"], return_index=True, return_counts=True)[1:]
    at_once = variant.function(Groups(rows[x][:, None].astype(float), starts, counts))[:, 0]
    exact = [number(variant.function(part[x])) for part in each_group(rows)]
    if entry.name in oracles.OF_INTERVALS:
        expected = [oracles.OF_INTERVALS[entry.name](part[x], key) for part in each_group(rows)]
    else:
        expected = [oracles.OF_VALUES[entry.name](part[x], **variant.arguments) for part in each_group(rows)]
    assert exact == pytest.approx(expected)
    assert at_once.tolist() == pytest.approx(expected)
    assert asked(database, variant.sql, x=x) == pytest.approx(expected)


@pytest.mark.parametrize("name", oracles.OF_POSITIVE)
def test_statistics_that_need_positive_values(name: str) -> None:
    """One value that is not positive leaves its group without a result, and no other group."""
    block = np.array([[2.0], [8.0], [-1.0], [3.0]])
    function = STATISTICS[name].exact
    assert function is not None
    first, second = function(Groups(block, np.array([0, 2]), np.array([2, 2])))[:, 0]
    assert first == pytest.approx(oracles.OF_VALUES[name]([2.0, 8.0]))
    assert np.isnan(second)
    with pytest.raises(UndefinedError, match="positive"):
        function(block[2:, 0])


@pytest.mark.parametrize("name", ["t_interval"])
def test_intervals_of_values(name: str, rows: dict[str, Any]) -> None:
    """Both ends are scipy's."""
    assert number(STATISTICS[name].exact(rows["y"])) == pytest.approx(oracles.OF_VALUES[name](rows["y"]))


@pytest.mark.parametrize("name", oracles.OF_TEXTS)
def test_statistics_of_one_column_of_labels(
    name: str, rows: dict[str, Any], database: duckdb.DuckDBPyConnection
) -> None:
    """From how often each label is there."""
    entry, counts = STATISTICS[name], stacked(rows).given
    parts = [margins(part).given for part in each_group(rows)]
    expected = [oracles.OF_TEXTS[name](part) for part in parts]
    assert [number(entry.exact(part)) for part in parts] == pytest.approx(expected)
    assert np.asarray(entry.exact(counts), np.float64).tolist() == pytest.approx(expected)
    assert asked(database, entry.sql, x="p", labels="4") == pytest.approx(expected)


@pytest.mark.parametrize("name", oracles.OF_LABELS)
def test_statistics_of_labels(name: str, rows: dict[str, Any], database: duckdb.DuckDBPyConnection) -> None:
    """From the counts of one run, from those of all runs, in a query, and by scikit-learn."""
    entry = STATISTICS[name]
    expected = [oracles.OF_LABELS[name](part["t"], part["p"]) for part in each_group(rows)]
    assert [number(entry.exact(margins(part))) for part in each_group(rows)] == pytest.approx(expected)
    assert np.asarray(entry.exact(stacked(rows)), np.float64).tolist() == pytest.approx(expected)
    assert asked(database, entry.sql, true="t", given="p") == pytest.approx(expected)


@pytest.mark.parametrize("name", oracles.OF_LABEL)
def test_statistics_of_one_label(name: str, rows: dict[str, Any], database: duckdb.DuckDBPyConnection) -> None:
    """The same for one of the labels."""
    entry = STATISTICS[name]
    expected = [oracles.OF_LABEL[name](part["t"], part["p"], "b") for part in each_group(rows)]
    assert [number(entry.exact(margins(part))[1]) for part in each_group(rows)] == pytest.approx(expected)
    assert np.asarray(entry.exact(stacked(rows)), np.float64)[:, 1].tolist() == pytest.approx(expected)
    assert asked(database, entry.sql, true="t", given="p") == pytest.approx(expected)


@pytest.mark.parametrize("name", OF_PAIRS)
def test_statistics_of_two_columns(name: str, rows: dict[str, Any], database: duckdb.DuckDBPyConnection) -> None:
    """Of scores and of numbers; a test gives its p."""
    entry = STATISTICS[name]
    first, second = ("was", "score") if name in oracles.OF_SCORES else ("x", "y")
    expected = [OF_PAIRS[name](part[first], part[second]) for part in each_group(rows)]
    exact = [number(entry.exact(part[first], part[second])) for part in each_group(rows)]
    assert exact == pytest.approx(expected)
    if entry.sql:
        assert asked(database, entry.sql, true=first, given=second, bins="10") == pytest.approx(expected)


@pytest.mark.parametrize("name", oracles.OF_COUNTS)
def test_statistics_of_counts(name: str) -> None:
    """Tests and intervals of counts, also where a query calls them."""
    given, oracle = oracles.OF_COUNTS[name]
    found = number(STATISTICS[name].exact(*given))
    assert found == pytest.approx(number(oracle(*given)))
    for called, (function, takes) in functions().items():
        if (
            called.removesuffix("_low").removesuffix("_high") == name
            and len(takes) == len(given)
            and name != "pass_at_k"
        ):
            assert function(*given) in (found if isinstance(found, list) else [found])


@pytest.mark.parametrize("name", [name for name, entry in STATISTICS.items() if entry.kind != "interval"])
def test_results_lie_in_their_range(name: str, rows: dict[str, Any]) -> None:
    """What an entry gives is within the range of its unit."""
    entry = STATISTICS[name]
    if name in OF_PAIRS:
        first, second = ("was", "score") if name in oracles.OF_SCORES else ("x", "y")
        value = number(entry.exact(rows[first], rows[second]))
    elif name in oracles.OF_LABELS:
        value = number(entry.exact(margins(rows)))
    elif name in oracles.OF_COUNTS:
        value = number(entry.exact(*oracles.OF_COUNTS[name][0]))
    else:
        return
    low, high = entry.range
    assert low is None or low <= value
    assert high is None or value <= high


@pytest.mark.parametrize("name", COMBINATIONS)
def test_combinations_of_printed_numbers(name: str) -> None:
    """The formula gives what the query and the text that people read give, of doubles and of fractions."""
    entry: Any = COMBINATIONS[name]
    given = [Fraction(617, 10), Fraction(483, 10)][: 1 + ("{1}" in entry.formula)]
    exact = entry.exact(*given)
    text, percent = entry.formula.removesuffix(" in percent"), 100 if "percent" in entry.formula else 1
    read = percent * eval(text.replace("×", "*").format(*map(float, given)))
    assert float(exact) == pytest.approx(read)
    assert entry.exact(*map(float, given)) == pytest.approx(float(exact))
    with duckdb.connect() as connection:
        row = connection.sql(f"SELECT {entry.sql.format(*(f'{float(value)}::DOUBLE' for value in given))}").fetchall()
    assert row == [(pytest.approx(float(exact)),)]
