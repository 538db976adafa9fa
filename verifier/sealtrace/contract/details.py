"""What a page shows beside the verdict: drawn tables, stages and plots."""

from __future__ import annotations

from pydantic import Field

from sealtrace.contract.scalars import Count, Record
from sealtrace.paper.model import Table


class DrawnRow(Record):
    """A row as it was printed."""

    label: str = Field(description="The row's label.")
    cells: list[str] = Field(description="The printed strings, one per column.")
    marks: dict[str, str] = Field(default={}, description="Column to how its cell is emphasized.")


class DrawnTable(Record):
    """A table as it stands in the paper, with the cells that hold no number."""

    label: str = Field(description="The table's label.")
    caption: str | None = Field(None, description="What it shows.")
    columns: list[str] = Field(description="The columns' labels, in order.")
    rows: list[DrawnRow] = Field(description="The rows, in order.")

    @classmethod
    def of(cls, table: Table) -> DrawnTable:
        """A table, drawn."""
        rows = [DrawnRow(label=row.label, cells=list(row.texts), marks=dict(row.marks)) for row in table.rows]
        return cls(label=table.label, caption=table.caption or None, columns=list(table.headers), rows=rows)


class StageLink(Record):
    """One link of the stage chain."""

    stage: str = Field(description="The stage.")
    sealed: bool = Field(description="Whether its seal was read.")
    files: Count = Field(description="How many files it froze.")
    bytes: Count = Field(description="Their length together.")
    kinds: dict[str, Count] = Field(description="Record kind to its number of files.")
    digest: str | None = Field(None, description="The seal's recomputed content digest.")
    previous: str | None = Field(None, description="The digest that it names as the seal before it.")
    linked: bool = Field(description="Whether that is the digest of the seal before it.")
    empty_reason: str | None = Field(None, description="Why it holds no file, where it does not.")
    witnesses: list[str] = Field(default=[], description="Who saw it from outside.")


class PlotPoint(Record):
    """One point of a plot, or one row of a plot of intervals."""

    label: str = Field(default="", description="What it stands for.")
    x: float | None = Field(None, description="Its place across; absent in a plot of intervals.")
    y: float = Field(description="Its value.")
    low: float | None = Field(None, description="The lower end of its interval.")
    high: float | None = Field(None, description="The upper end of its interval.")
    note: str = Field(default="", description="What else is known of it, such as a count or where it stands.")
    hollow: bool = Field(default=False, description="Whether it fails what the plot's caption asks of it.")


class PlotSeries(Record):
    """Points that belong together, joined by a line where they have a place across."""

    name: str = Field(description="What they are.")
    points: list[PlotPoint] = Field(description="The points, in order.")
    line: bool = Field(default=True, description="Whether a line joins them.")
    marks: bool = Field(default=True, description="Whether each point is marked.")
    named: bool = Field(default=False, description="Whether labels stand beside the points.")


class PlotLimit(Record):
    """A declared value that a plot shows as a line."""

    name: str = Field(description="What it is.")
    value: float = Field(description="Where it lies.")
    upright: bool = Field(default=True, description="Whether it is a value of the axis across.")


class Plot(Record):
    """A plot that a study pack offers: curves, or values with their intervals."""

    title: str = Field(description="What it shows.")
    section: str = Field(default="", description="Plots of one section stand together, on the same axes.")
    folded: bool = Field(default=False, description="Whether its section is closed until a reader opens it.")
    caption: str = Field(description="How to read it; of a section, the first one's.")
    across: str = Field(description="The axis across: of curves the argument, of intervals the value.")
    up: str | None = Field(None, description="The axis upwards; absent in a plot of intervals.")
    logarithmic: bool = Field(default=False, description="Whether the axes of numbers are logarithmic.")
    linear_up: bool = Field(default=False, description="Whether the axis upwards is linear all the same.")
    series: list[PlotSeries] = Field(description="What is drawn.")
    limits: list[PlotLimit] = Field(default=[], description="Declared values.")


class Details(Record):
    """Evidence behind the verdict, for pages."""

    tables: list[DrawnTable] = Field(default=[], description="The tables as they stand in the paper.")
    stages: list[StageLink] = Field(default=[], description="The stage chain, in its only order.")
    plots: list[Plot] = Field(default=[], description="What study packs draw of their records.")
