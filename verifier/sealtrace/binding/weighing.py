"""What the numbers of a series say for a hypothesis: those that agree, less those that do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

import numpy as np
import numpy.typing as npt

from sealtrace.binding import scoring
from sealtrace.binding.frames import Numbers
from sealtrace.binding.series import Series
from sealtrace.paper.numbers import PrintedNumber

Truths = npt.NDArray[np.bool_]


def printed_as(value: float, slot: PrintedNumber) -> str:
    """A value as the paper would have printed it in a number's place."""
    if not math.isfinite(value):
        return "nothing"
    with localcontext() as context:
        context.prec = 60
        unit = Decimal(slot.unit.numerator) / Decimal(slot.unit.denominator) if slot.unit else Decimal(1)
        steps = (Decimal(value) / unit).to_integral_value(ROUND_HALF_EVEN)
        exact = steps * unit
    decimals = slot.decimals
    text = f"{exact:z,.{decimals}f}" if "," in slot.text else f"{exact:z.{decimals}f}"
    if slot.text.startswith("."):
        text = text.replace("0.", ".", 1)
    return f"+{text}" if slot.text.startswith("+") and not text.startswith("-") else text


def bits_of(series: Series) -> Numbers:
    """What each number of a series can give, from its digits."""
    bits = scoring.digits_bits(series.value, series.unit)
    # A bound says little: half of all values lie below it. A number that is bound already says nothing more.
    bits = np.where([slot.is_bound for slot in series.slots], np.minimum(bits, 1.0), bits)
    return np.where(series.fresh, bits, 0.0)


@dataclass(frozen=True)
class Weighed:
    """What the numbers of a hypothesis say for it."""

    evidence: float
    """Bits of the numbers that agree, less the loss of those that do not."""
    beside: float
    """The same beside other bindings in the frame: a constant column is one observation, not none."""
    digits: float
    """The same from printed digits only."""


def weighed(
    series: Series, known: Numbers, expected: Numbers, agrees: Truths, pool: Numbers, *, blind: bool = False
) -> Weighed | None:
    """The evidence for what a hypothesis gives; None where too many numbers are off."""
    covered = np.isfinite(expected)
    wrong = covered & ~agrees
    off = int(wrong.sum())
    swapped = swapped_pair(series, expected, wrong)
    if off > max(2, 0.15 * covered.sum()) or agrees.sum() < off or (off > 1 and agrees.sum() == off and not swapped):
        return None
    bits = np.minimum(known, scoring.common_bits(pool, series.value, series.unit, blind=blind))
    lost = 0.0
    if swapped:
        # Two labels that changed places: their numbers are evidence still, and the pair has to be named.
        size = len(series.slots)
        lost = scoring.SLIP + math.log2(size * (size - 1) / 2) - float(bits[wrong].sum())
    for spot in np.nonzero(wrong)[0] if not swapped else ():
        slot = series.slots[spot]
        if agrees.sum() == off and not scoring.is_slip(slot.text, printed_as(float(expected[spot]), slot)):
            return None
        lost += scoring.loss(slot.text, printed_as(float(expected[spot]), slot), float(bits[spot]))
        lost += math.log2(len(series.slots))
    evidence, digits = (float(weights[agrees].sum()) - lost for weights in (bits, known))
    return Weighed(evidence, min(digits, evidence + scoring.CONSTANT), digits)


def swapped_pair(series: Series, expected: Numbers, wrong: Truths) -> bool:
    """Whether the two numbers that disagree are each what the other should be."""
    places = np.nonzero(wrong)[0]
    if len(places) != 2:
        return False
    crossed = scoring.hits(expected[places[::-1]], series.low[places], series.high[places])
    return bool(crossed.all())
