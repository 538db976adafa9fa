"""Statistics of the rows that a label selects: what each is called, which words say it, what gives it in a query."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Statistic:
    """One of them."""

    text: str
    """In a formula for people."""
    sql: str
    """In a query; `{x}` is the measure."""
    price: float
    """Bits to name it where no label does."""
    words: tuple[str, ...]
    """Words of labels that name it."""
    quantile: tuple[float, bool] | None = None
    """The share of values below it: between two values, or the value that so many do not exceed (True)."""

    def said(self, context: Container[str]) -> bool:
        """Whether labels say it."""
        return any(word in context for word in self.words)

    def cost(self, context: Container[str]) -> float:
        """Bits to name it: few where labels say it."""
        return 1.0 if self.said(context) else self.price


def _percentile(share: int, ranked: bool, *more: str) -> Statistic:
    told = f"{share}th percentile" + (" (a value that is there)" if ranked else "")
    sql = f"quantile_{'disc' if ranked else 'cont'}({{x}}, {share / 100})"
    return Statistic(told, sql, 12.0, (f"p{share}", *more, f"{share}th"), (share / 100, ranked))


_MEDIAN = ("median", "med.", "med", "p50")
_SEM = "stddev_samp({x}) / sqrt(count({x}))"
STATISTICS = {
    "mean": Statistic("mean", "avg({x})", 1.5, ("mean",)),
    "median": Statistic("median", "median({x})", 7.0, _MEDIAN, (0.5, False)),
    "p25": _percentile(25, False, "q1"),
    "p75": _percentile(75, False, "q3"),
    **{f"p{share}": _percentile(share, False, f"q{share}") for share in (90, 95, 99)},
    "rank50": replace(_percentile(50, True), words=_MEDIAN),
    **{f"rank{share}": _percentile(share, True, f"q{share}") for share in (90, 95, 99)},
    "sd": Statistic("standard deviation (n - 1)", "stddev_samp({x})", 4.0, ("sd", "±")),
    "sd0": Statistic("standard deviation (n)", "stddev_pop({x})", 5.0, ("sd",)),
    "sem": Statistic("standard error", _SEM, 6.0, ("sem", "stderr")),
    "ci95": Statistic("1.96 standard errors", f"1.96 * {_SEM}", 7.0, ("ci", "confidence")),
    "min": Statistic("least", "min({x})", 8.5, ("minimum", "min", "worst", "lowest", "range")),
    "max": Statistic("greatest", "max({x})", 8.5, ("maximum", "max", "best", "peak", "highest", "range")),
    "sum": Statistic("sum", "sum({x})", 7.0, ("total", "sum")),
    "count": Statistic("number of values", "count({x})", 6.0, ("count", "n", "#")),
    "negative": Statistic("number of negative values", "count(CASE WHEN {x} < 0 THEN 1 END)", 10.0,
                          ("negative", "flipped", "reversed")),
}  # fmt: skip
"""By their names within the package."""
EVERYDAY = ("mean", "sd", "sd0", "count")
"""Statistics that a table need not name."""
QUANTILES = {name: statistic.quantile for name, statistic in STATISTICS.items() if statistic.quantile is not None}
