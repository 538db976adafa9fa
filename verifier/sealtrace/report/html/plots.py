"""Plots: curves, and values with their intervals, each once for a wide page and once for a phone.

Plots of one section stand side by side on the same axes; a plot of its own takes the page's whole width.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from markupsafe import Markup

from sealtrace.contract.details import Plot, PlotPoint, PlotSeries
from sealtrace.report.html.svg import SHAPES, Axis, apart, around, line, mark, picture, short, tag, words

NARROW, WIDE = 350.0, 900.0
"""The widths of pictures, in units that are about as large as a pixel, so that labels can be read."""
_LETTER = 6.4
"""How wide a letter of a label is, about."""
_ROW = 22.0


@dataclass(frozen=True)
class Figure:
    """What a reader sees, and the same as a table."""

    title: str
    caption: str
    pictures: list[Markup]
    columns: list[str]
    rows: list[list[str]]
    legend: list[Markup] = field(default_factory=list)
    wide: bool = False
    """Whether the pictures are one and the same: the first for a wide page, the second for a narrow one."""
    folded: bool = False


def drawn(plots: Iterable[Plot]) -> list[Figure]:
    sections: dict[str, list[Plot]] = {}
    for plot in plots:
        sections.setdefault(plot.section or plot.title, []).append(plot)
    return [_figure(title, members) for title, members in sections.items()]


def _figure(title: str, plots: list[Plot]) -> Figure:
    axes = _Axes(plots)
    visible = [plot for plot in plots if axes.points(plot)]
    alone = len(plots) == 1
    pictures = [
        _curves(plot, axes, width) if plot.up else _intervals(plot, axes, width)
        for plot in visible
        for width in ((WIDE, NARROW) if alone else (NARROW,))
    ]
    names = list(dict.fromkeys((place, one.name) for plot in plots for place, one in enumerate(plot.series)))
    return Figure(
        title=title,
        caption=plots[0].caption,
        pictures=pictures,
        legend=[_key(place, name, axes.series(place)) for place, name in names] if len(names) > 1 else [],
        wide=alone,
        folded=plots[0].folded,
        **_numbers(plots, several=len(names) > 1),
    )


def _numbers(plots: list[Plot], *, several: bool) -> dict[str, list]:  # type: ignore[type-arg]
    """The same as a table, without the columns in which nothing stands."""
    plot = plots[0]
    columns = ["Plot", "Series", "Of", plot.across, plot.up or plot.across, "From", "To", "Besides"]
    rows = [
        [each.title, series.name, point.label, *map(_end, (point.x, point.y, point.low, point.high)), point.note]
        for each in plots
        for series in each.series
        for point in series.points
    ]
    kept = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    kept = [place for place in kept if place > 1 or (len(plots) > 1, several)[place]]
    return {"columns": [columns[place] for place in kept], "rows": [[row[place] for place in kept] for row in rows]}


def _end(value: float | None) -> str:
    return "" if value is None else short(value)


class _Axes:
    """What all plots of a section share: which numbers have a place, and how far the axes reach."""

    def __init__(self, plots: list[Plot]) -> None:
        self.plots = plots
        self.logarithmic = plots[0].logarithmic
        self.upwards = self.logarithmic and not plots[0].linear_up
        points = [point for plot in plots for point in self.points(plot)]
        limits = [limit for plot in plots for limit in plot.limits]
        if plots[0].up is None:
            values = [end for point in points for end in (point.y, point.low, point.high) if end is not None]
            self.across = self._placed([*values, *(limit.value for limit in limits)], self.logarithmic)
            self.up: list[float] = []
        else:
            self.across = self._placed([point.x for point in points if point.x is not None], self.logarithmic)
            level = [limit.value for limit in limits if not limit.upright]
            self.up = self._placed([*(point.y for point in points), *level], self.upwards)

    @staticmethod
    def _placed(values: list[float], logarithmic: bool) -> list[float]:
        return [math.log10(value) for value in values if value > 0] if logarithmic else values

    def points(self, plot: Plot) -> list[PlotPoint]:
        """The points of a plot that have a place: a curve has none where a logarithm does not exist."""
        found = [point for series in plot.series for point in series.points if math.isfinite(point.y)]
        return found if plot.up is None else [point for point in found if self.has_place(point)]

    def has_place(self, point: PlotPoint) -> bool:
        return (
            point.x is not None
            and math.isfinite(point.x)
            and math.isfinite(point.y)
            and (not self.logarithmic or point.x > 0)
            and (not self.upwards or point.y > 0)
        )  # fmt: skip

    def series(self, place: int) -> PlotSeries:
        return next(plot.series[place] for plot in self.plots if len(plot.series) > place)


def _style(place: int, series: PlotSeries) -> str:
    """The colour and the dashes of a series; points with names stand out."""
    return "choice" if _stands_out(series) else f"f{place % len(SHAPES)}"


def _shape(place: int, series: PlotSeries) -> str:
    return "cross" if _stands_out(series) else SHAPES[place % len(SHAPES)]


def _stands_out(series: PlotSeries) -> bool:
    return series.named and not series.line


def _key(place: int, name: str, series: PlotSeries) -> Markup:
    """An entry of the legend."""
    shown = []
    if series.line:
        shown.append(tag("path", d="M0 8H16", class_=f"curve {_style(place, series)}"))
    if series.marks:
        shown.append(mark(_shape(place, series), 8, 8, f"dot {_style(place, series)}"))
    picture_of = tag("svg", *shown, viewBox="0 0 16 16", aria_hidden="true", class_="key")
    return Markup("{}{}").format(picture_of, tag("span", name))


def _ticks(axis: Axis, logarithmic: bool, most: int) -> list[tuple[float, str]]:
    """Places and labels; of a logarithmic axis powers of ten, and what lies between them where there are few."""
    if not logarithmic:
        return [(tick, short(tick)) for tick in axis.ticks(most)]
    powers = range(math.floor(axis.low), math.ceil(axis.high) + 1)
    whole = [power for power in powers if axis.low <= power <= axis.high]
    if len(whole) > most:
        return [(power, _power(1, power)) for power in whole[:: -(-len(whole) // most)]]
    places = [
        (math.log10(unit) + power, unit, power) for power in powers for unit in ((1, 2, 5) if len(whole) < 3 else (1,))
    ]
    return [(place, _power(unit, power)) for place, unit, power in places if axis.low <= place <= axis.high]


def _power(unit: int, power: int) -> str:
    return short(unit * 10.0**power) if -4 < power < 5 else f"{unit}e{power}"


def _rules(axis: Axis, logarithmic: bool, most: int, low: float, high: float) -> Iterator[Markup]:
    """The lines and labels of an axis across."""
    for tick, label in _ticks(axis, logarithmic, most):
        yield line(axis.at(tick), low, axis.at(tick), high, "grid")
        yield words(label, axis.at(tick), high + 16, "tick", "middle")


def _curves(plot: Plot, axes: _Axes, width: float) -> Markup:
    wide = width == WIDE
    labels = [point.label for series in plot.series if series.named for point in series.points]
    beside = min(200.0, _LETTER * max(map(len, labels))) + 22 if labels and wide else 10.0
    top, bottom = 26.0, 330.0 if wide else 250.0
    left, right = 58.0, width - beside
    across, up = around(axes.across, left, right), around(axes.up, bottom, top)
    parts = [words(plot.up or "", 0, 12, "soft")]
    parts += _rules(across, axes.logarithmic, 8 if wide else 5, top, bottom)
    for tick, label in _ticks(up, axes.upwards, 6):
        parts.append(line(left, up.at(tick), right, up.at(tick), "grid"))
        parts.append(words(label, left - 6, up.at(tick) + 4, "tick", "end"))
    parts.append(words(plot.across, (left + right) / 2, bottom + 34, "soft", "middle"))
    for limit in plot.limits:
        value = limit.value
        if limit.upright and across.low <= value <= across.high:
            parts.append(line(across.at(value), top, across.at(value), bottom, "limit"))
            parts.append(words(limit.name, across.at(value) + 4, top + 10, "soft"))
        elif not limit.upright:
            parts.append(line(left, up.at(value), right, up.at(value), "limit"))
            parts.append(words(limit.name, right, up.at(value) - 4, "soft", "end"))
    for place, series in enumerate(plot.series):
        parts += _series(place, series, axes, across, up)
    if labels and wide:
        parts += _names(plot, axes, across, up)
    said = "; ".join(_said(series) for series in plot.series if series.points) + "."
    return picture(plot.title, said, bottom + 42, *parts, width=width)


def _series(place: int, series: PlotSeries, axes: _Axes, across: Axis, up: Axis) -> Iterator[Markup]:
    places = [(*_at(point, axes, across, up), point) for point in series.points if axes.has_place(point)]
    if series.line and places:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places)
        yield tag("path", tag("title", series.name), d=path, class_=f"curve {_style(place, series)}")
    # A dense curve is its line; marks on it would hide one another.
    dense = series.line and len(places) > 30
    for x, y, point in (places[:: len(places) // 12] if dense else places) if series.marks else ():
        told = f"{point.label or series.name}: {short(point.x or 0.0)}, {short(point.y)}"
        yield mark(_shape(place, series), x, y, f"dot {_style(place, series)}", told)


def _at(point: PlotPoint, axes: _Axes, across: Axis, up: Axis) -> tuple[float, float]:
    x, y = point.x or 0.0, point.y
    return (across.at(math.log10(x) if axes.logarithmic else x), up.at(math.log10(y) if axes.upwards else y))


def _names(plot: Plot, axes: _Axes, across: Axis, up: Axis) -> Iterator[Markup]:
    """Labels at the right edge, led to their points; points that coincide share one."""
    right = across.end
    found: dict[tuple[float, float], list[str]] = {}
    for series in plot.series:
        for point in series.points if series.named else ():
            found.setdefault(_at(point, axes, across, up), []).append(point.label)
    heights = apart([y for _, y in found], 15, up.end, up.start)
    for ((x, y), names), height in zip(found.items(), heights, strict=True):
        yield tag("path", d=f"M{x:.1f} {y:.1f}L{right + 4:.1f} {height:.1f}H{right + 10:.1f}", class_="lead")
        yield words(names[0] + (f" +{len(names) - 1}" if len(names) > 1 else ""), right + 13, height + 4)


def _said(series: PlotSeries) -> str:
    first, last = series.points[0], series.points[-1]
    if not series.line:
        return f"{series.name}: {len(series.points)} points"
    return f"{series.name}: from {short(first.y)} at {_end(first.x)} to {short(last.y)} at {_end(last.x)}"


def _intervals(plot: Plot, axes: _Axes, width: float) -> Markup:
    known = axes.points(plot)
    rows = [(place, point) for place, series in enumerate(plot.series) for point in series.points if point in known]
    longest = _LETTER * max(len(point.label) for _, point in rows)
    # Where labels leave too little room for the numbers, each stands above its row.
    above = longest > width * 0.42
    left, right, top = (8.0 if above else longest + 12), width - 14, 26.0 if plot.limits or len(axes.plots) > 1 else 6.0
    row = _ROW + (16 if above else 0)
    zero = left + 6
    across = (
        around(axes.across, left + (26 if axes.logarithmic else 0), right) if axes.across else Axis(0, 1, left, right)
    )
    if not axes.logarithmic and min(axes.across) >= 0:
        across = Axis(max(0.0, across.low), across.high, across.start, across.end)

    def at(value: float) -> float:
        if not axes.logarithmic:
            return across.at(value)
        return across.at(math.log10(value)) if value > 0 else zero

    bottom = top + row * len(rows)
    parts = [words(plot.title, 0, 12, "strong")] if len(axes.plots) > 1 else []
    parts += _rules(across, axes.logarithmic, 7 if width == WIDE else 5, top, bottom)
    if axes.logarithmic:
        parts += [line(zero, top, zero, bottom, "grid"), words("0", zero, bottom + 16, "tick", "middle")]
    parts.append(words(plot.across, (left + right) / 2, bottom + 34, "soft", "middle"))
    for limit in plot.limits:
        x = at(limit.value)
        parts += [line(x, top, x, bottom, "limit")]
        if len(axes.plots) == 1:
            parts.append(words(limit.name, x, top - 6, "soft", "end" if x > width / 2 else "start"))
    for number, (place, point) in enumerate(rows):
        y = top + row * number + row - _ROW / 2
        at_label = (left, y - 13, "", "start") if above else (left - 8, y + 4, "", "end")
        parts.append(words(point.label, *at_label))
        if point.low is not None and point.high is not None:
            parts.append(line(at(point.low), y, at(point.high), y, "reach"))
        style = "dot ring" if point.hollow else f"dot f{place % len(SHAPES)}"
        told = f"{point.label}: {short(point.y)}{f', {point.note}' if point.note else ''}"
        parts.append(mark(SHAPES[place % len(SHAPES)], at(point.y), y, style, told))
    rings = sum(point.hollow for _, point in rows)
    least, most = (choose(point.y for _, point in rows) for choose in (min, max))
    said = f"{plot.section} {len(rows)} values from {short(least)} to {short(most)}, {rings} of them rings."
    return picture(plot.title, said.strip(), bottom + 42, *parts, width=width)
