"""Plots of study packs: everything is drawn, told in words, and harmless."""

from __future__ import annotations

from sealtrace.contract.details import Plot, PlotPoint, PlotSeries
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
    figure = drawn(curves((1, 2.5), (10, 0.5), (100, 0.04)))
    (picture,) = figure.pictures
    assert picture.count("<circle") == 3
    assert ">10<" in picture
    assert "from 2.5 at 1 to 0.04 at 100" in picture
    assert figure.columns == ["steps", "distance"]
    assert figure.rows[-1] == ["100", "0.04"]


def test_zero_is_left_out_of_a_logarithmic_picture_and_kept_in_the_table() -> None:
    """A logarithm of zero does not exist, and the number does."""
    figure = drawn(curves((1, 1.0), (2, 0.0), (4, 0.1)))
    assert figure.pictures[0].count("<circle") == 2
    assert len(figure.rows) == 3


def test_nothing_to_draw_is_no_picture() -> None:
    """A plot without a point that has a place is its table alone."""
    assert drawn(curves()).pictures == []
    assert drawn(curves((1, 0.0))).pictures == []
    assert drawn(curves((1, 0.0))).rows == [["1", "0"]]


def test_intervals_are_drawn_with_their_ends() -> None:
    """A row per value, its interval a line, both ends in the table."""
    points = [PlotPoint(label="a / b", y=0.5, low=0.4, high=0.6), PlotPoint(label="c", y=0.2)]
    plot = Plot(title="Wins", caption="Share.", across="share", series=[PlotSeries(name="share", points=points)])
    figure = drawn(plot)
    assert figure.pictures[0].count('class="front"') == 1
    assert figure.columns[-2:] == ["From", "To"]
    assert figure.rows == [["a / b", "0.5", "0.4", "0.6"], ["c", "0.2", "", ""]]


def test_names_of_a_bundle_cannot_act() -> None:
    """Labels come from records: markup in them is text."""
    figure = drawn(curves((1, 1.0), (2, 2.0), name="<script>alert(1)</script>"))
    assert "<script" not in figure.pictures[0]
