"""What a page shows beside the verdict: lineages, drawn tables, stages, certificates, the frontier and mixtures."""

from __future__ import annotations

from pydantic import Field

from sealtrace.contract.scalars import Count, Record


class Lineage(Record):
    """Where a cell's value comes from."""

    formula: str | None = Field(None, description="What the metric computes.")
    formula_source: str | None = Field(None, description="The part of the paper that the formula enforces.")
    population: str | None = Field(None, description="The states that it is taken over.")
    count: Count = Field(default=0, description="How many records the value was computed from.")
    records: list[str] = Field(default=[], description="The first of them, with file, row and key.")
    undisclosed: list[str] = Field(default=[], description="Settings that the cell needs and the paper does not state.")


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


class CandidateBound(Record):
    """The recomputed bounds of one candidate in one group."""

    candidate: str = Field(description="The candidate.")
    crossings: Count = Field(description="k: calibration states of the group that cross.")
    risk_upper: float = Field(description="U: the Clopper-Pearson bound.")
    utility_mean: float | None = Field(None, description="Mean normalized utility; absent without one.")
    utility_lower: float | None = Field(None, description="L: the Hoeffding bound; absent without one.")
    certified: bool = Field(description="Whether U is at most the group's budget.")


class GroupBounds(Record):
    """The certificates of one group."""

    group: str = Field(description="The group.")
    states: Count = Field(description="n: its calibration states.")
    bounds: list[CandidateBound] = Field(description="One per competing candidate, in the order of the tie rule.")


class PartitionBounds(Record):
    """The recomputed certificates of one partition."""

    partition: str = Field(description="The partition.")
    declared: bool = Field(description="Whether the protocol certifies in it.")
    budget: str | None = Field(None, description="epsilon_h: the risk budget of a group.")
    groups: list[GroupBounds] = Field(description="Its groups, in order.")


class Reached(Record):
    """What a policy reaches on the held-out states."""

    name: str = Field(description="The candidate, or the selector that chose it.")
    family: str | None = Field(None, description="The candidate's family or arm; absent for what a selector chose.")
    utility: float = Field(description="Mean utility.")
    crossings: Count = Field(description="States that cross.")
    states: Count = Field(description="Of how many.")


class Frontier(Record):
    """Utility against violation on the held-out states."""

    split: str = Field(description="The held-out split.")
    evaluator: str = Field(description="The evaluator of the utility.")
    candidates: list[Reached] = Field(description="Every candidate that was scored there.")
    chosen: list[Reached] = Field(default=[], description="What each selector's map reaches.")


class Mixture(Record):
    """The worst bounds of a map within one radius."""

    radius: float = Field(description="The l1 distance that the mixture of groups may move.")
    risk_upper: float | None = Field(None, description="The largest mixture of U; absent where the map states none.")
    utility_lower: float | None = Field(
        None, description="The smallest mixture of L; absent where the map states none."
    )


class ChosenMap(Record):
    """A selector's map, and its bounds over the l1 ball."""

    selector: str = Field(description="The selector.")
    rule: str = Field(description="Its rule.")
    partition: str = Field(description="The partition whose groups it maps.")
    assigned: dict[str, str] = Field(description="Group to candidate.")
    reason: str = Field(description="Why nothing better exists.")
    mixtures: list[Mixture] = Field(description="Its worst bounds, by rising radius.")


class PlotPoint(Record):
    """One point of a plot, or one row of a plot of intervals."""

    label: str = Field(default="", description="What it stands for.")
    x: float | None = Field(None, description="Its place across; absent in a plot of intervals.")
    y: float = Field(description="Its value.")
    low: float | None = Field(None, description="The lower end of its interval.")
    high: float | None = Field(None, description="The upper end of its interval.")


class PlotSeries(Record):
    """Points that belong together, joined by a line where they have a place across."""

    name: str = Field(description="What they are.")
    points: list[PlotPoint] = Field(description="The points, in order.")


class Plot(Record):
    """A plot that a study pack offers: curves, or values with their intervals."""

    title: str = Field(description="What it shows.")
    caption: str = Field(description="How to read it.")
    across: str = Field(description="The axis across: of curves the argument, of intervals the value.")
    up: str | None = Field(None, description="The axis upwards; absent in a plot of intervals.")
    logarithmic: bool = Field(default=False, description="Whether both axes of curves are logarithmic.")
    series: list[PlotSeries] = Field(description="What is drawn.")


class Details(Record):
    """Evidence behind the verdict, for pages."""

    lineages: list[Lineage] = Field(description="One per cell of the report, in order.")
    tables: list[DrawnTable] = Field(description="The tables as they stand in the paper.")
    stages: list[StageLink] = Field(description="The stage chain, in its only order.")
    certificates: list[PartitionBounds] = Field(default=[], description="Certificates by partition.")
    frontier: Frontier | None = Field(None, description="Utility against violation; absent without held-out scores.")
    maps: list[ChosenMap] = Field(default=[], description="The maps that selectors choose.")
    budget: str | None = Field(None, description="epsilon_global: the risk budget of a map.")
    radius: str | None = Field(None, description="rho: the declared radius of the mixture set.")
    plots: list[Plot] = Field(default=[], description="What study packs draw of their records.")
