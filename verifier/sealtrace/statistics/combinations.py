"""How printed numbers follow from other printed numbers, for the search of `check` and the trials of `audit`.

A formula is written once, for whatever can be added and divided: doubles, intervals, exact numbers, expressions. It
names each input once where that is possible, so that intervals do not grow.
"""

from __future__ import annotations

from collections.abc import Callable

from sealtrace.statistics.table import Statistic, StatisticKind, register

COMBINATIONS: dict[str, Statistic] = {}


def _combination(
    name: str, text: str, formula: Callable[..., object], words: str, unit: str = "measured", sql: str = ""
) -> None:
    """Registers one; `{0}` and `{1}` are its inputs."""
    in_sql = sql or text.replace("{0}", "({0})").replace("{1}", "({1})").replace("×", "*")
    called = tuple(dict.fromkeys((name, *words.split(", "))))
    COMBINATIONS[name] = Statistic(
        name, text, StatisticKind.COMBINATION, "print", words=called, unit=unit, exact=formula, sql=in_sql, tried=(),
        pack="print", source="printed numbers",
    )  # fmt: skip
    register(COMBINATIONS[name])


# fmt: off
_combination("difference", "{0} - {1}", lambda a, b: a - b,
             "Δ, δ, ∆, delta, diff, diff., gain, improvement, change, gap, drop, lift, margin, increase, decrease, vs, "
             "versus")
_combination("ratio", "{0} / {1}", lambda a, b: a / b, "speedup, speed-up, factor, relative to, normalized to")
_combination("percentage", "100 × {0} / {1}", lambda a, b: 100 * a / b, "%, percent, percent of, retained")
_combination("relative difference", "({0} - {1}) / {1}", lambda a, b: a / b - 1, "relative gain, relative change")
_combination("relative change", "({0} - {1}) / {1} in percent", lambda a, b: 100 * a / b - 100,
             "relative gain, relative improvement, % change, % gain, rel. improvement",
             sql="100 * (({0}) - ({1})) / ({1})")
_combination("relative reduction", "({1} - {0}) / {1} in percent", lambda a, b: 100 - 100 * a / b,
             "reduction, saving, savings, % reduction", sql="100 * (({1}) - ({0})) / ({1})")
_combination("share", "{0} / ({0} + {1})", lambda a, b: 1 / (1 + b / a), "fraction, proportion", "share")
_combination("share in percent", "100 × {0} / ({0} + {1})", lambda a, b: 100 / (1 + b / a), "percentage of all")
_combination("harmonic mean", "2 × {0} × {1} / ({0} + {1})", lambda a, b: 2 / (1 / a + 1 / b), "f1, f-score, f1-score")
_combination("chance-normalized", "({0} - {1}) / (1 - {1})", lambda a, b: 1 - (1 - a) / (1 - b),
             "normalized score, normalised score, chance-normalised, chance-corrected, above chance", "at most one")
_combination("rest of one", "1 - {0}", lambda a: 1 - a, "error rate, failure rate, complement", "share")
_combination("rest of 100", "100 - {0}", lambda a: 100 - a, "error rate (%), failure rate (%)")
