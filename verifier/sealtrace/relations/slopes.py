"""Ranges of forms in which a variable stands more than once.

Where the form only rises or only falls with the variable, its ends give the ends of the range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from sealtrace.relations.contraction import Box, Evaluation
from sealtrace.relations.forms import Form, Leaf, Operation
from sealtrace.relations.intervals import INFINITY, WHOLE, ZERO, Interval, greatest, least, point

_ONE = point(Fraction(1))


def occurrences(form: Form) -> Counter[str]:
    """How often each variable stands in a form."""
    return Counter(_occurring(form))


def _occurring(form: Form) -> Iterator[str]:
    for leaf in form.terms:
        if isinstance(leaf, str):
            yield leaf
        else:
            for argument in leaf.arguments:
                yield from _occurring(argument)


def tight_range(form: Form, box: Box) -> tuple[Interval, int]:
    """The values of a form, exactly where it is monotone in every repeated variable; and the steps that it took."""
    values = Evaluation(box)
    whole = values.form(form)
    repeated = [name for name, count in occurrences(form).items() if count > 1 and not box[name].is_point]
    lowest, highest = dict(box), dict(box)
    for name in repeated:
        slope = _slope(form, name, values)
        low, high = box[name].low, box[name].high
        if not (isinstance(low, Fraction) and isinstance(high, Fraction)):
            continue
        if slope.low >= 0:
            lowest[name], highest[name] = point(low), point(high)
        elif slope.high <= 0:
            lowest[name], highest[name] = point(high), point(low)
    if not repeated:
        return whole, values.steps
    least_value, most_value = Evaluation(lowest).form(form).low, Evaluation(highest).form(form).high
    return Interval(max(whole.low, least_value), min(whole.high, most_value)), values.steps * (2 + len(repeated))


def _slope(form: Form, name: str, values: Evaluation) -> Interval:
    """The derivative by one variable, over the whole box."""
    total = ZERO
    for leaf, coefficient in form.terms.items():
        total = total + _leaf_slope(leaf, name, values).scaled(coefficient)
    return total


def _leaf_slope(leaf: Leaf, name: str, values: Evaluation) -> Interval:
    if isinstance(leaf, str):
        return _ONE if leaf == name else ZERO
    slopes = [_slope(argument, name, values) for argument in leaf.arguments]
    if all(slope == ZERO for slope in slopes):
        return ZERO
    inner = [values.form(argument) for argument in leaf.arguments]
    return _chained(leaf, inner, slopes, values)


def _chained(leaf: Operation, inner: list[Interval], slopes: list[Interval], values: Evaluation) -> Interval:
    first, slope = inner[0], slopes[0]
    match leaf.kind:
        case "product":
            total = ZERO
            for place, own in enumerate(slopes):
                for other, value in enumerate(inner):
                    own = own * value if other != place else own
                total = total + own
            return total
        case "inverse":
            if first.low <= 0 <= first.high:
                return WHOLE
            return -(slope * values.leaf(leaf).power(2))
        case "power":
            return slope * first.power(leaf.exponent - 1).scaled(Fraction(leaf.exponent))
        case "sqrt":
            root = first.square_root()
            inverse = root.inverse() if root is not None and root.low > 0 else None
            return WHOLE if inverse is None else slope * inverse.scaled(Fraction(1, 2))
        case "log":
            inverse = first.inverse() if first.low > 0 else None
            return WHOLE if inverse is None else slope * inverse
        case "abs":
            if first.low >= 0:
                return slope
            return -slope if first.high <= 0 else slope * Interval(Fraction(-1), Fraction(1))
        case "min" | "max":
            return Interval(least(slopes).low, greatest(slopes).high)
        case "cp_upper" if slopes[0] == slopes[1] == ZERO:
            return slopes[2] * Interval(-INFINITY, Fraction(0))
    return WHOLE
