"""How unlikely it is that unrelated numbers agree as often as the rows of a table do."""

from __future__ import annotations

import math

import numpy as np

from sealtrace.relations.families.columns import FactColumn, Floats, Span, spread
from sealtrace.relations.families.trials import Booleans, Trial

FALSE_DISCOVERIES = 0.05
"""Expected number of regularities in a paper whose numbers have nothing to do with each other."""
LEAST_SURPRISE = -math.log10(FALSE_DISCOVERIES)
_CAP = 3
"""Of a column that only rises or falls, so many rows are evidence: smooth curves agree everywhere or nowhere."""
_LEAST_SMOOTH = 5


def surprise_of(result: FactColumn, value: Span, trial: Trial, fits: Booleans) -> float:
    """How surprising it is that so many rows fit: minus the decimal logarithm of its probability.

    In one row it is the share of the range of the result that would fit as well. That range is the narrowest of the
    result's own, of that of its row, and of its distances from each input: a column that is always near another one is
    no news near it, and what holds for a metric that hardly varies is none either. Of a column that only rises or
    falls, what its neighbours leave open counts, or three rows: smooth curves agree everywhere or nowhere. Rows in
    which a simpler thing is true (the result equals an input, or something is zero) count nothing.
    """
    middle = result.middle
    counts = fits & (middle != 0)
    for column in trial.inputs:
        counts &= ~column.touches(result) & ((column.middle != 0) | trial.sparse | (not trial.near))
    seen: set[tuple[float, ...]] = set()
    for row in np.flatnonzero(counts):
        # The same numbers once more (a mean that is the median, the least and the greatest, too) are no news.
        numbers = (float(middle[row]), *(float(column.middle[row]) for column in trial.inputs))
        counts[row] &= numbers not in seen
        seen.add(numbers)
    unit = np.array([math.nan if fact is None else float(fact.unit) for fact in result.facts])
    width = np.maximum((value.high - value.low) + (result.high - result.low), unit)

    def digits(scale: Floats | float) -> Floats:
        share = np.minimum(1.0, width / np.maximum(scale, unit))
        return np.sort(np.where(counts & np.isfinite(share), -np.log10(share), 0.0))[::-1][trial.is_fitted :]

    scale = np.minimum(result.spread, result.beside)
    if digits(scale).sum() < LEAST_SURPRISE:
        return 0.0
    if trial.near:
        scale = np.minimum(scale, min(spread(middle - column.middle) for column in trial.inputs))
    steps = np.diff(middle[np.isfinite(middle)])
    if len(steps) < 2 or not (np.all(steps >= 0) or np.all(steps <= 0)):
        return float(digits(scale).sum())
    return float(max(digits(scale)[:_CAP].sum(), digits(np.minimum(scale, _left_open(middle))).sum()))


def _left_open(values: Floats) -> float:
    """Over how wide a range the values of a smooth column lie around what their neighbours foretell."""
    known = values[np.isfinite(values)]
    if len(known) < _LEAST_SMOOTH:
        return 0.0
    bends = known[1:-1] - (known[:-2] + known[2:]) / 2
    return spread(bends)
