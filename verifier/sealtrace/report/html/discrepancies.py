"""The largest difference of each check on a logarithmic scale."""

from __future__ import annotations

import math

from sealtrace.contract.report import Report
from sealtrace.report.html.figure import Figure
from sealtrace.report.html.svg import WIDTH, Axis, declared, line, mark, picture, words

_LEFT, _TOP, _ROW = 150.0, 22.0, 16.0
_ZERO = _LEFT + 8


def discrepancy_plot(report: Report) -> Figure | None:
    """A dot per check that replayed numbers; None where none did."""
    met = [(check, check.largest) for check in report.checks if check.largest is not None]
    if not met:
        return None
    tolerance = declared(report.summary.tolerance)
    tolerance = tolerance if tolerance and tolerance > 0 else None
    positive = [place.value for _, place in met if place.value > 0]
    powers = [math.log10(value) for value in [*positive, *([tolerance] if tolerance else []), 1e-16]]
    axis = Axis(math.floor(min(powers)) - 0.2, math.ceil(max(powers)) + 0.2, _LEFT + 34, WIDTH - 8.0)
    bottom = _TOP + _ROW * len(met)
    step = max(1, math.ceil((axis.high - axis.low) / 5))
    ticks = range(math.ceil(axis.low), math.floor(axis.high) + 1, step)
    parts = [line(axis.at(power), _TOP - 4, axis.at(power), bottom, "grid") for power in ticks]
    parts += [words(f"1e{power}", axis.at(power), bottom + 13, "tick", "middle") for power in ticks]
    parts += [line(_ZERO, _TOP - 4, _ZERO, bottom, "grid"), words("0", _ZERO, bottom + 13, "tick", "middle")]
    if tolerance:
        at = axis.at(math.log10(tolerance))
        parts.append(line(at, _TOP - 4, at, bottom, "limit"))
        parts.append(words(f"tolerance {report.summary.tolerance}", at, 12, "soft", "middle"))
    for number, (check, place) in enumerate(met):
        y = _TOP + _ROW * number + _ROW / 2
        x = axis.at(math.log10(place.value)) if place.value > 0 else _ZERO
        beyond = tolerance is not None and place.value > tolerance
        parts.append(words(check.id, _LEFT - 6, y + 3.5, "label", "end"))
        parts.append(line(_ZERO, y, x, y, "reach"))
        shape, class_ = ("cross", "dot bad") if beyond else ("circle", "dot good")
        parts.append(mark(shape, x, y, class_, f"{place.value:.2e}"))
    worst, place = max(met, key=lambda one: one[1].value)
    said = f"{len(met)} checks replayed numbers; the largest difference, {place.value:.2e}, was met by {worst.id}."
    return Figure(
        title="Differences between stored and replayed numbers",
        caption="The largest difference that each check met, on a logarithmic scale. A cross is beyond the tolerance.",
        pictures=[picture("Largest differences by check", said, bottom + 18, *parts)],
        columns=["Check", "Largest difference", "Where", "Record", "Field"],
        rows=[
            [
                check.id,
                f"{place.value:.2e}",
                f"{place.source or ''}{f':{place.row}' if place.row else ''}",
                " ".join((place.key or {}).values()),
                place.field or "",
            ]
            for check, place in met
        ],
    )
