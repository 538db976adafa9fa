"""Pictures as text: elements whose attributes and text are escaped and harmless, and axes."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from sealtrace.report.inert import harmless


def tag(name: str, *children: Markup | str, **attributes: float | str | None) -> Markup:
    """An element; `class_` stands for class, and other underscores for hyphens."""
    written = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _value(value))
        for key, value in attributes.items()
        if value is not None
    )
    inside = Markup("").join(child if isinstance(child, Markup) else escape(harmless(child)) for child in children)
    return Markup("<{0}{1}>{2}</{0}>" if inside else "<{0}{1}/>").format(Markup(name), written, inside)


def _value(value: float | str) -> str:
    return harmless(value) if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


def words(text: str, x: float, y: float, class_: str = "", anchor: str = "start") -> Markup:
    return tag("text", text, x=x, y=y, class_=class_ or None, text_anchor=None if anchor == "start" else anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


_SHAPES = {
    "square": "M-3.6-3.6h7.2v7.2h-7.2z",
    "triangle": "M0-4.6L4.4 3.4h-8.8z",
    "diamond": "M0-5L5 0L0 5L-5 0z",
    "hexagon": "M-4.6 0L-2.3-4H2.3L4.6 0L2.3 4H-2.3z",
    "wedge": "M0 4.6L4.4-3.4h-8.8z",
    "bar": "M-2-5h4v10h-4z",
    "cross": "M-3.8-3.8L3.8 3.8M3.8-3.8L-3.8 3.8",
}
SHAPES = ("circle", "square", "triangle", "diamond", "hexagon", "wedge", "bar")
"""The marks of families: what colours tell, shapes tell too."""


def mark(shape: str, x: float, y: float, class_: str, title: str = "") -> Markup:
    """A mark at a place, with the words that pointing at it shows."""
    told = [tag("title", title)] if title else []
    if shape == "circle":
        return tag("circle", *told, cx=x, cy=y, r=3.8, class_=class_)
    return tag("path", *told, d=_SHAPES[shape], transform=f"translate({x:.1f} {y:.1f})", class_=class_)


def picture(title: str, description: str, height: float, *children: Markup, width: float) -> Markup:
    """A picture that a screen reader reads out as its title and description."""
    # From the words, so that the same report gives the same page.
    name = f"p{zlib.crc32(f'{title} {description} {width}'.encode('utf-8', 'replace')):08x}"
    return tag(
        "svg",
        tag("title", title, id=f"{name}-t"),
        tag("desc", description, id=f"{name}-d"),
        *children,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        role="img",
        aria_labelledby=f"{name}-t {name}-d",
    )


@dataclass(frozen=True)
class Axis:
    """From numbers to places."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The place of a number; beyond the ends, the end."""
        share = (value - self.low) / (self.high - self.low)
        # Numbers near the end of the doubles' range leave no span to speak of.
        if not math.isfinite(share):
            return self.start
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers within the axis."""
        span = self.high - self.low
        if not math.isfinite(span):
            return []
        step = next(
            unit * 10**power
            for power in range(math.floor(math.log10(span / most)), 400)
            for unit in (1, 2, 5)
            if span / (unit * 10**power) <= most
        )
        first = math.ceil(self.low / step - 1e-9)
        return [round(step * place, 12) for place in range(first, math.floor(self.high / step + 1e-9) + 1)]


def around(values: Sequence[float], start: float, end: float) -> Axis:
    """An axis that holds all values with a little room."""
    low, high = min(values), max(values)
    margin = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    return Axis(low - margin, high + margin, start, end)


def apart(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places of labels near the wanted ones, no two nearer than the gap where the range allows that."""
    order = sorted(range(len(places)), key=lambda place: places[place])
    moved = [0.0] * len(places)
    previous = low - gap
    for place in order:
        previous = moved[place] = max(places[place], previous + gap)
    limit = high + gap
    for place in reversed(order):
        limit = moved[place] = min(moved[place], limit - gap)
    return moved


def short(value: float) -> str:
    """A number of few digits."""
    return f"{value:.4g}"
