"""Confidence intervals. `confidence` is exact, such as 95/100; `scipy.special` gives the tails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sealtrace.mathematics import Index, Matrix, Vector
from sealtrace.statistics.groups import Groups
from sealtrace.statistics.summaries import count, mean, sem
from sealtrace.statistics.sums import Column, UndefinedError, size_of

Interval = tuple[float, float]
NINETY_FIVE = Fraction(95, 100)

Z95 = 1.96
"""The quantile of the normal distribution as papers round it."""
MOST_DRAWS = 4_000_000_000
"""Bounds the work of one bootstrap: resamples times items."""
_BLOCK = 2**21


def mean_interval(column: Column, confidence: Fraction = NINETY_FIVE) -> Interval:
    """Student's t interval of the mean."""
    from scipy.special import stdtrit

    size = size_of(column)
    centre, error = float(mean(column)), float(sem(column, "n-1"))
    half = float(stdtrit(size - 1, float(1 - _tail(confidence)))) * error
    return centre - half, centre + half


def t_half(values: Column | Groups) -> object:
    """Half of the t interval of 95 %, of a column or of every group."""
    from scipy.special import stdtrit

    freedom = np.maximum(np.asarray(count(values)) - 1, 1)
    return stdtrit(freedom, float(1 - _tail(NINETY_FIVE))) * np.asarray(sem(values, "n-1"), float)


def wald(count: int, total: int, confidence: Fraction = NINETY_FIVE) -> Interval:
    """The normal interval of a rate, not cut at 0 and 1."""
    share = float(_share(count, total))
    # Papers that use it print bounds below 0 and above 1, so these are not cut off here.
    half = _normal(confidence) * (share * (1 - share) / total) ** 0.5
    return share - half, share + half


def wilson(count: int, total: int, confidence: Fraction = NINETY_FIVE) -> Interval:
    """Wilson's score interval of a rate."""
    share, z2 = float(_share(count, total)), _normal(confidence) ** 2
    # Wilson (1927): the rates p for which |share - p| = z sqrt(p (1 - p) / n), a quadratic equation in p.
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = (z2 * (share * (1 - share) / total + z2 / (4 * total**2))) ** 0.5 / (1 + z2 / total)
    return max(0.0, centre - half), min(1.0, centre + half)


def wilson_of_flags(values: Column | Groups, *, high: bool) -> object:
    """One end of Wilson's interval of 95 %, of a column of flags or of every group; NaN where another number stands."""
    if isinstance(values, Groups):
        flags = values.count((values.block == 0) | (values.block == 1)) == values.size
        return wilson_end(np.where(flags, mean(values), np.nan), np.maximum(values.size, 1), high=high)
    return wilson(sum(map(int, values)), len(values))[high]


def wilson_end(rate: Matrix, total: Matrix, *, high: bool) -> Matrix:
    """The same of rates of so many, as arrays."""
    z2 = _normal(NINETY_FIVE) ** 2
    centre = (rate + z2 / (2 * total)) / (1 + z2 / total)
    half = np.sqrt(z2 * (rate * (1 - rate) / total + z2 / (4 * total**2))) / (1 + z2 / total)
    found: Matrix = np.clip(centre + half if high else centre - half, 0.0, 1.0)
    return found


def clopper_pearson(count: int, total: int, confidence: Fraction = NINETY_FIVE) -> Interval:
    """The exact interval of a rate."""
    from scipy.special import betainccinv, betaincinv

    _share(count, total)
    tail = float(_tail(confidence))
    # The tails of the binomial are those of beta distributions; `betainccinv` takes the upper tail as it is, where
    # 1 - tail would lose digits.
    low = 0.0 if count == 0 else float(betaincinv(count, total - count + 1, tail))
    high = 1.0 if count == total else float(betainccinv(count + 1, total - count, tail))
    return low, high


@dataclass(frozen=True)
class BootstrapRule:
    """How a bootstrap was done: without these, its interval cannot be computed again."""

    resamples: int
    seed: int
    rule: str = "percentile"
    generator: str = "pcg64"


def bootstrap(size: int, statistic: Callable[[Index], float], confidence: Fraction, how: BootstrapRule) -> Interval:
    """The bootstrap interval of a statistic of items, which is given the places of those that were drawn.

    `pcg64` draws `numpy.random.default_rng(seed).integers(0, n, (resamples, n))` and `mt19937`
    `numpy.random.RandomState(seed).randint(0, n, (resamples, n))`, row by row: one row is one resample. Quantiles of
    the resampled values are linear.
    """
    if not 0 < how.resamples * size <= MOST_DRAWS:
        raise UndefinedError(f"a bootstrap draws between 1 and {MOST_DRAWS} times")
    # In blocks, so that memory does not grow with the resamples; row by row the draws are the same.
    draw, block = _generator(how), max(1, _BLOCK // size)
    values = np.empty(how.resamples)
    for start in range(0, how.resamples, block):
        rows = draw(size, min(block, how.resamples - start))
        values[start : start + block] = [statistic(row) for row in rows]
    if not np.isfinite(values).all():
        raise UndefinedError("a resample has no value")
    everything, tail = np.arange(size), _tail(confidence)
    shares = [float(tail), float(1 - tail)]
    if how.rule == "bca":
        shares = _accelerated(values, everything, statistic, shares)
    low, high = (float(value) for value in np.quantile(values, shares))
    if how.rule in ("percentile", "bca"):
        return low, high
    centre = float(statistic(everything))
    if how.rule == "basic":
        # The quantiles of the resampled deviations, reflected at the value itself.
        return 2 * centre - high, 2 * centre - low
    if how.rule == "normal":
        half = _normal(confidence) * float(values.std(ddof=1))
        return centre - half, centre + half
    raise ValueError(f"no rule of bootstraps is called {how.rule!r}")


def _accelerated(
    values: Vector, everything: Index, statistic: Callable[[Index], float], shares: list[float]
) -> list[float]:
    """Percentiles corrected for bias and skewness, by leaving out one item at a time."""
    from scipy.special import ndtr, ndtri

    centre = statistic(everything)
    # Efron (1987). Resamples equal to the value count half, so that a symmetric distribution has no bias.
    bias = float(ndtri(((values < centre).sum() + (values <= centre).sum()) / (2 * len(values))))
    without = np.array([statistic(np.delete(everything, place)) for place in everything])
    # The skewness of the influence of single items, by the jackknife, over six.
    pull = without.mean() - without
    if not (pull**2).sum():
        raise UndefinedError("the statistic does not depend on any single item")
    acceleration = float((pull**3).sum() / (6 * (pull**2).sum() ** 1.5))
    moved = bias + ndtri(np.array(shares))
    return [float(share) for share in ndtr(bias + moved / (1 - acceleration * moved))]


def _generator(how: BootstrapRule) -> Callable[[int, int], Index]:
    if how.generator == "pcg64":
        new = np.random.default_rng(how.seed)
        return lambda size, rows: new.integers(0, size, (rows, size))
    if how.generator == "mt19937":
        old = np.random.RandomState(how.seed)
        return lambda size, rows: old.randint(0, size, (rows, size))
    raise ValueError(f"no generator is called {how.generator!r}")


def _tail(confidence: Fraction) -> Fraction:
    if not 0 < confidence < 1:
        raise UndefinedError("a confidence lies between 0 and 1")
    return (1 - confidence) / 2


def _normal(confidence: Fraction) -> float:
    from scipy.special import ndtri

    return -float(ndtri(float(_tail(confidence))))


def _share(count: int, total: int) -> Fraction:
    if not 0 <= count <= total or not total:
        raise UndefinedError(f"{count} of {total} is no rate")
    return Fraction(count, total)
