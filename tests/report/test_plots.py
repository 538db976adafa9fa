"""Plots: everything is drawn once for a wide page and once for a phone, told in words, and harmless."""

from __future__ import annotations

import math
import re

from sealtrace.contract.details import Plot, PlotLimit, PlotPoint, PlotSeries
from sealtrace.report.html.plots import drawn


def curves(*values: tuple[float, float], logarithmic: bool = True, name: str = "run") -> Plot:
    points = [PlotPoint(x=x, y=y) for x, y in values]
    return Plot(
        title="Falling",
        caption="How far.",
        across="steps",
        up="distance",
        logarithmic=logarithmic,
        series=[PlotSeries(name=name, points=points)],
    )


def test_curve_has_its_marks_ticks_and_table() -> None:
    """Each point is a mark, powers of ten are ticks, and the numbers stand beside the picture."""
    (figure,) = drawn([curves((1, 2.5), (10, 0.5), (100, 0.04))])
    wide, narrow = figure.pictures
    for picture in (wide, narrow):
        assert picture.count("<circle") == 3
        assert ">10<" in picture
        assert "from 2.5 at 1 to 0.04 at 100" in picture
    assert figure.columns == ["steps", "distance"]
    assert figure.rows[-1] == ["100", "0.04"]


def test_zero_is_left_out_of_a_logarithmic_curve_and_kept_in_the_table() -> None:
    """A logarithm of zero does not exist, and the number does."""
    (figure,) = drawn([curves((1, 1.0), (2, 0.0), (4, 0.1))])
    assert figure.pictures[0].count("<circle") == 2
    assert len(figure.rows) == 3
    linear = curves((1, 1.0), (2, 0.0), (4, 0.1)).model_copy(update={"linear_up": True})
    assert drawn([linear])[0].pictures[0].count("<circle") == 3


def test_nothing_to_draw_is_no_picture() -> None:
    """A plot without a point that has a place is its table alone."""
    assert drawn([curves()])[0].pictures == []
    (figure,) = drawn([curves((1, 0.0))])
    assert figure.pictures == []
    assert figure.rows == [["1", "0"]]


def wins(section: str = "", *values: float) -> Plot:
    points = [PlotPoint(label="a / b", y=value, low=value - 0.1, high=value + 0.1) for value in values or (0.5,)]
    points.append(PlotPoint(label="c", y=0.2, hollow=True))
    series = [PlotSeries(name="share", points=points)]
    return Plot(title=f"Wins of {section}{values}", section=section, caption="Share.", across="share", series=series)


def test_intervals_are_drawn_with_their_ends() -> None:
    """A row per value, its interval a line, both ends in the table; what fails is a ring."""
    (figure,) = drawn([wins()])
    assert figure.pictures[0].count('class="reach"') == 1
    assert figure.pictures[0].count("dot ring") == 1
    assert figure.columns == ["Of", "share", "From", "To"]
    assert figure.rows == [["a / b", "0.5", "0.4", "0.6"], ["c", "0.2", "", ""]]


def test_plots_of_a_section_share_their_axes() -> None:
    """They can be compared by eye: the same number has the same place in each, and each is drawn once."""
    (figure,) = drawn([wins("s", 0.5), wins("s", 0.9)])
    assert (len(figure.pictures), figure.wide) == (2, False)
    ticks = [re.findall(r'class="tick" text-anchor="middle">([^<]+)', picture) for picture in figure.pictures]
    assert ticks[0] == ticks[1] != []
    assert figure.columns[0] == "Plot"


def test_axes_fit_the_data() -> None:
    """They begin near the smallest number, never below zero where none is; limits are within them."""
    plot = wins().model_copy(update={"limits": [PlotLimit(name="budget 0.7", value=0.7)]})
    picture = drawn([plot])[0].pictures[0]
    ticks = [float(one) for one in re.findall(r'class="tick" text-anchor="middle">([^<]+)', picture)]
    assert min(ticks) >= 0
    assert 0.5 < max(ticks) <= 0.8
    assert "budget 0.7" in picture


def test_short_logarithmic_axes_have_ticks_between_powers() -> None:
    """Each tick says its own number, however large; what is not finite is not drawn."""
    (figure,) = drawn([curves((1e7, 2.0), (6e7, 3.0), (5e7, math.nan))])
    assert figure.pictures[0].count("<circle") == 2
    for label in ("1e7", "2e7", "5e7"):
        assert f">{label}<" in figure.pictures[0]
    (figure,) = drawn([curves((1.0, 1e-300), (10.0, 1e300))])
    assert figure.pictures[0].count("<circle") == 2


def test_long_labels_stand_above_their_rows_on_a_phone() -> None:
    """No label is cut, and the numbers keep their room."""
    name = "a very long name of an arm / a very long name of an opponent"
    plot = Plot(
        title="t", caption="c", across="x", series=[PlotSeries(name="s", points=[PlotPoint(label=name, y=1.0)])]
    )
    for picture in drawn([plot])[0].pictures:
        assert f">{name}</text>" in picture


def test_names_of_a_bundle_cannot_act() -> None:
    """Labels come from records: markup in them is text."""
    (figure,) = drawn([curves((1, 1.0), (2, 2.0), name="<script>alert(1)</script>")])
    assert "<script" not in figure.pictures[0]
