"""Statistics that queries may call, on lists and on counts: `macro_f1(list(gold), list(answer))`, `mcnemar(b, c)`.

Each is the exact form of the entry of the same name, in doubles, which is all that DuckDB can take from Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from inspect import Parameter, Signature

import numpy as np

from sealtrace.statistics import labels
from sealtrace.statistics.entries import STATISTICS
from sealtrace.statistics.significance import Tested
from sealtrace.statistics.table import Statistic

_TEXTS, _NUMBERS, _FLAGS, _WHOLE = "VARCHAR[]", "DOUBLE[]", "BOOLEAN[]", "BIGINT"


def _margins(truth: Sequence[str], given: Sequence[str]) -> tuple[labels.Margins]:
    names = sorted({*truth, *given})
    place = {name: number for number, name in enumerate(names)}
    first, second = (np.array([place[name] for name in column], np.int64) for column in (truth, given))
    return (labels.margins(first, second, len(names)),)


def _label_counts(values: Sequence[str], size: int) -> tuple[labels.Counts]:
    counts = np.unique(np.array(values, dtype=object).astype(str), return_counts=True)[1]
    return (np.pad(counts, (0, max(0, size - len(counts)))),)


_LISTS: dict[str, tuple[list[str], Callable[..., tuple[object, ...]]]] = {
    "values": ([_NUMBERS], lambda column: (list(column),)),
    "labels": ([_TEXTS, _TEXTS], _margins),
    "scores": ([_FLAGS, _NUMBERS], lambda was, given: (np.array(was, bool), np.array(given, np.float64))),
    "numbers": ([_NUMBERS, _NUMBERS], lambda *columns: tuple(np.array(column, np.float64) for column in columns)),
    "paired": ([_NUMBERS, _NUMBERS], lambda *columns: tuple(np.array(column, np.float64) for column in columns)),
    "label counts": ([_TEXTS, _WHOLE], _label_counts),
    "tries": ([_WHOLE, _WHOLE], lambda tries, passed: ([tries], [passed])),
}
"""What statistics of lists are given, and how that becomes their columns."""
_COUNTS = ("discordant", "two by two", "right of all")
"""What statistics of nothing but counts are computed from."""


def _called(entry: Statistic, types: list[str], parameters: int, end: int) -> Callable[..., float]:
    """The exact form of plain values; of an interval, one end."""

    def function(*given: object) -> float:
        assert entry.exact is not None
        columns = _LISTS[entry.reads][1](*given[: len(types)]) if types else ()
        found = entry.exact(*columns, *given[len(types) :])
        return float(found.p if isinstance(found, Tested) else found[end] if isinstance(found, tuple) else found)

    # DuckDB asks a function how many parameters it has.
    names = (Parameter(f"p{place}", Parameter.POSITIONAL_ONLY) for place in range(parameters))
    function.__signature__ = Signature(list(names))  # type: ignore[attr-defined]
    return function


_CALL = r"(\w+)\((?:[^()]|\([^()]*\))*\)"


@cache
def functions() -> dict[str, tuple[Callable[..., float], list[str]]]:
    """Names that queries may call, each with its function and the types of its parameters."""
    offered: dict[str, tuple[Callable[..., float], list[str]]] = {}
    for entry in STATISTICS.values():
        # A form that is written with other functions of queries needs none of its own.
        own = entry.sql.startswith(entry.name) and re.fullmatch(rf"{_CALL}(?:, {_CALL})?", entry.sql)
        if entry.reads == "values" and "list(" not in entry.sql:
            own = None  # `sum({x})` is DuckDB's.
        types = [] if entry.reads in _COUNTS else _LISTS.get(entry.reads, (None,))[0]
        if not own or types is None:
            continue
        for end, call in enumerate(re.finditer(_CALL, entry.sql)):
            more = [_WHOLE] * (call[0].count(", ") + 1 - len(types))
            offered[call[1]] = _called(entry, types, len(types) + len(more), end), [*types, *more]
    return offered
