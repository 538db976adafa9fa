"""What study packs draw of their records: curves, and values with their intervals."""

from __future__ import annotations

import math

from markupsafe import Markup

from sealtrace.contract.details import Plot, PlotPoint
from sealtrace.report.html.figure import Figure
from sealtrace.report.html.svg import SHAPES, WIDTH, Axis, around, line, mark, picture, short, tag, words

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 390.0, 16.0, 252.0
_ROW = 22.0
_LABELS = 176.0


def drawn(plot: Plot) -> Figure:
    """The plot, and its numbers as a table."""
    curves = plot.up is not None
    several = len(plot.series) > 1
    ends = any(point.low is not None for series in plot.series for point in series.points)
    name = "" if curves else "Of"
    columns = [*(["Series"] if several else []), *([plot.across] if curves else [name]), plot.up or plot.across]
    return Figure(
        title=plot.title,
        caption=plot.caption,
        pictures=[_curves(plot) if curves else _intervals(plot)] if _visible(plot) else [],
        columns=[*columns, *(["From", "To"] if ends else [])],
        rows=[
            [
                *([series.name] if several else []),
                short(point.x) if point.x is not None else point.label,
                short(point.y),
                *([_end(point.low), _end(point.high)] if ends else []),
            ]
            for series in plot.series
            for point in series.points
        ],
        legend=[_key(place, series.name) for place, series in enumerate(plot.series)] if several else [],
    )


def _visible(plot: Plot) -> list[PlotPoint]:
    """The points that have a place: a logarithm of zero does not exist."""
    points = [point for series in plot.series for point in series.points]
    if plot.up is None:
        return points
    return [
        point for point in points if point.x is not None and (not plot.logarithmic or (point.x > 0 and point.y > 0))
    ]


def _end(value: float | None) -> str:
    return "" if value is None else short(value)


def _key(place: int, name: str) -> Markup:
    shape = SHAPES[place % len(SHAPES)]
    class_ = f"dot f{place % len(SHAPES)}"
    drawn_mark = tag("svg", mark(shape, 8, 8, class_), viewBox="0 0 16 16", aria_hidden="true", class_="key")
    return Markup("{}{}").format(drawn_mark, tag("span", name))


def _curves(plot: Plot) -> Markup:
    def shown(value: float) -> float:
        return math.log10(value) if plot.logarithmic else value

    points = _visible(plot)
    across = around([shown(point.x or 0.0) for point in points], _LEFT, _RIGHT)
    up = around([shown(point.y) for point in points], _BOTTOM, _TOP)
    parts = [words(plot.up or "", _LEFT, _TOP - 5, "soft")]
    for axis, horizontal in ((across, True), (up, False)):
        for tick in _ticks(axis, plot.logarithmic):
            label = short(10**tick if plot.logarithmic else tick)
            if horizontal:
                parts.append(line(axis.at(tick), _TOP, axis.at(tick), _BOTTOM, "grid"))
                parts.append(words(label, axis.at(tick), _BOTTOM + 14, "tick", "middle"))
            else:
                parts.append(line(_LEFT, axis.at(tick), _RIGHT, axis.at(tick), "grid"))
                parts.append(words(label, _LEFT - 5, axis.at(tick) + 3.5, "tick", "end"))
    parts.append(words(plot.across, (_LEFT + _RIGHT) / 2, _BOTTOM + 29, "soft", "middle"))
    for place, series in enumerate(plot.series):
        places = [
            (across.at(shown(point.x or 0.0)), up.at(shown(point.y)), point)
            for point in series.points
            if point in points
        ]
        if places:
            parts.append(tag("path", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places), class_="front"))
        # A dense curve is its line; marks on it would hide one another.
        for x, y, point in places if len(places) <= 30 else places[:: len(places) // 12]:
            told = f"{series.name}: {short(point.x or 0.0)}, {short(point.y)}"
            parts.append(mark(SHAPES[place % len(SHAPES)], x, y, f"dot f{place % len(SHAPES)}", told))
    said = "; ".join(_said(series.name, series.points) for series in plot.series if series.points) + "."
    return picture(plot.title, said, _BOTTOM + 36, *parts, width=WIDTH)


def _said(name: str, points: list[PlotPoint]) -> str:
    first, last = points[0], points[-1]
    return f"{name}: from {short(first.y)} at {short(first.x or 0.0)} to {short(last.y)} at {short(last.x or 0.0)}"


def _ticks(axis: Axis, logarithmic: bool) -> list[float]:
    ticks = axis.ticks()
    whole = [tick for tick in ticks if float(tick).is_integer()]
    return whole if logarithmic and whole else list(ticks)


def _intervals(plot: Plot) -> Markup:
    rows = [(place, point) for place, series in enumerate(plot.series) for point in series.points]
    ends = [end for _, point in rows for end in (point.y, point.low, point.high) if end is not None]
    across = around(ends, _LABELS, _RIGHT)
    bottom = _TOP + _ROW * len(rows)
    parts = []
    for tick in across.ticks():
        parts.append(line(across.at(tick), _TOP, across.at(tick), bottom, "grid"))
        parts.append(words(short(tick), across.at(tick), bottom + 14, "tick", "middle"))
    parts.append(words(plot.across, (_LABELS + _RIGHT) / 2, bottom + 29, "soft", "middle"))
    for number, (place, point) in enumerate(rows):
        y = _TOP + _ROW * (number + 0.5)
        label = point.label if len(point.label) <= 30 else point.label[:29] + "…"
        parts.append(words(label, _LABELS - 8, y + 3.5, "label", "end"))
        if point.low is not None and point.high is not None:
            parts.append(line(across.at(point.low), y, across.at(point.high), y, "front"))
        told = f"{point.label}: {short(point.y)}"
        parts.append(mark(SHAPES[place % len(SHAPES)], across.at(point.y), y, f"dot f{place % len(SHAPES)}", told))
    said = "; ".join(f"{point.label}: {short(point.y)}" for _, point in rows) + "."
    return picture(plot.title, said, bottom + 36, *parts, width=WIDTH)
