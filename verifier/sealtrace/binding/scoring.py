"""How sure a binding is: digits that agree, less what it takes to say the binding.

The rule, in bits (docs/adr/0017-bindings.md):

    score = Σ evidence of the numbers that agree - Σ loss of those that do not - description length

Evidence of a number is -log2 p, where p is the chance that a value of that measure would print the same by accident.
The description length is a code: frames, selections, measures, filters, statistics and transformations are counted
by how many there were to choose from, cheaper where the paper's own labels name them. By Kraft's inequality, the
chance that any hypothesis at all reaches a score of s on unrelated results is at most 2^-s.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sealtrace.binding.frames import Numbers

ACCEPTED = 10.0
"""Bits that a binding must have by itself."""
JOINED = 2.0
"""Bits that a further binding of a table must have, where another one is accepted in the same frame."""
SIBLING = 6.0
"""Bits less that a number needs which stands in one cell with numbers that are bound: the 3 of 0/3."""
POINTED = 5.0
"""Bits that a further binding must have which some number of the table is off from."""
SHUFFLED = 7.0
"""Bits that numbers whose rows were picked by value must have over shuffled results: one accident in a hundred."""
SLIP = 6.0
"""Bits that a number costs which does not agree: one number in 64 is a slip."""
MOST = 16.0
"""Bits that one number can give at most."""
CONSTANT = 7.0
"""Bits that a number which results hold everywhere can give once, in a frame that gave other columns of the table."""


def digits_bits(values: Numbers, units: Numbers) -> Numbers:
    """Bits of each number of a series, from its digits: how many numbers of that size and precision there are.

    A number that the series prints again says less the second time: only which of its distinct values it is.
    """
    size = len(values)
    reach = float(values.max() - values.min()) if size > 1 else 0.0
    typical = float(np.median(np.abs(values)))
    choices = np.maximum(np.maximum(reach, typical / 2), 4 * units) / units
    bits = np.minimum(np.log2(choices), MOST)
    again = math.log2(len(np.unique(values))) if size > 1 else 0.0
    seen: set[float] = set()
    for place, value in enumerate(values):
        if float(value) in seen:
            bits[place] = min(bits[place], again)
        seen.add(float(value))
    return bits


def common_bits(pool: Numbers, values: Numbers, units: Numbers, *, blind: bool = False) -> Numbers:
    """At most these bits, where a measure has the same value often: zero out of zeros proves nothing.

    Where no label says which values are meant (`blind`), a value that is there once proves only that it is this one.
    """
    ordered = np.sort(pool[np.isfinite(pool)])
    size = max(1, len(ordered))
    half = units / 2 * (1 + 1e-9)
    equal = np.searchsorted(ordered, values + half, "right") - np.searchsorted(ordered, values - half, "left")
    with np.errstate(divide="ignore"):
        bits: Numbers = -np.log2((np.maximum(1, equal) if blind else np.maximum(0, equal - 1)) / size)
    return bits


def loss(printed: str, expected: str, bits: float) -> float:
    """Bits that a number takes which does not agree: little where it is a slip of the pen."""
    if is_slip(printed, expected):
        return min(SLIP + 2, max(1.0, SLIP + math.log2(9 * max(1, len(printed))) - bits))
    return SLIP + 2


def is_slip(printed: str, expected: str) -> bool:
    """Whether two numbers differ in one digit, in the order of two neighbours, or in their sign only."""
    if printed.lstrip("+-") == expected.lstrip("+-"):
        return printed != expected
    if len(printed) != len(expected):
        return False
    places = [place for place, (a, b) in enumerate(zip(printed, expected, strict=True)) if a != b]
    if len(places) == 1:
        return printed[places[0]].isdigit() and expected[places[0]].isdigit()
    return (
        len(places) == 2
        and places[1] == places[0] + 1
        and printed[places[0]] == expected[places[1]]
        and printed[places[1]] == expected[places[0]]
    )


def rank_cost(rank: Numbers) -> Numbers:
    """Bits to name the rank-th of a list, without saying how long it is."""
    costs: Numbers = 1.0 + 2.0 * np.log2(rank)
    return costs


def ranks(scores: Numbers) -> Numbers:
    """Places of scores, the best first; equal scores share the middle of their places."""
    order = np.argsort(-scores, kind="stable")
    places = np.empty(len(scores))
    start = 0
    ordered = scores[order]
    while start < len(scores):
        end = start
        while end < len(scores) and ordered[end] == ordered[start]:
            end += 1
        places[order[start:end]] = (start + 1 + end) / 2
        start = end
    return places


def widened(low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """Bounds with room for a double's last bits; the greatest doubles may become infinite by it."""
    with np.errstate(over="ignore"):
        return low - 1e-9 * np.maximum(1e-3, np.abs(low)), high + 1e-9 * np.maximum(1e-3, np.abs(high))


def hits(values: Numbers, low: Numbers, high: Numbers) -> npt.NDArray[np.bool_]:
    """Which values print as the numbers do, ties and a double's last bits allowed; numbers are the first axis."""
    shape = (-1,) + (1,) * (values.ndim - 1)
    low, high = (bound.reshape(shape) for bound in widened(low, high))
    with np.errstate(invalid="ignore"):
        found: npt.NDArray[np.bool_] = (values >= low) & (values <= high)
    return found
