"""Order statistics of measured times, each under a declared rule."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


def percentile(times: Vector, share: Fraction, rule: str) -> Fraction:
    """The percentile of times, exactly on the stored doubles. There must be some.

    `nearest-rank` is the smallest time that at least the share does not exceed; `linear` interpolates between the
    two times around (n - 1) · share, counted from zero.
    """
    ordered = np.sort(times)
    if rule == "nearest-rank":
        place = max(1, (share * len(ordered)).__ceil__())
        return Fraction(float(ordered[place - 1]))
    position = share * (len(ordered) - 1)
    low = position.__floor__()
    high = min(low + 1, len(ordered) - 1)
    left, right = Fraction(float(ordered[low])), Fraction(float(ordered[high]))
    return left + (position - low) * (right - left)


def mean(times: Vector) -> Fraction:
    """The mean of stored doubles, exactly."""
    return sum(map(Fraction, times.tolist()), Fraction(0)) / len(times)
