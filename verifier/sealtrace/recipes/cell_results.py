"""A cell of a table and what became of it, as results and reports have it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sealtrace.contract.result import WORDS, NumberResult
from sealtrace.recipes.arguments import in_words
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.entities import appearance
from sealtrace.recipes.judgement import CellStatus, Judgement, in_print
from sealtrace.recipes.metrics import Value
from sealtrace.recipes.populations import RecipePopulation
from sealtrace.statistics.table import Statistic


@dataclass(frozen=True)
class CellResult:
    """A cell and what became of it."""

    cell: TableCell
    judgement: Judgement
    value: Value | None = None
    recipe: str | None = None
    """The recipe with its arguments filled in, for readers."""
    problem: str | None = None
    """Why the recipe cannot be followed, where it cannot."""
    undisclosed: tuple[str, ...] = ()
    """What the recipe needs and the paper does not say."""
    meaning: str | None = None
    """What the recipe computes, in words."""
    metric: Statistic | None = None
    arguments: dict[str, str] = field(default_factory=dict)
    """What the metric was asked with."""
    unsaid: tuple[str, ...] = ()
    """Where the recipe takes other rows, entities or statistics than the table prints: what it says of itself as not
    stated in the paper makes no difference."""
    population: RecipePopulation | None = None
    """The declared population that the number is about."""
    without_population: str | None = None
    """The number without it."""
    share: tuple[int, int] = (0, 0)
    """How many rows the population has, and how many there are."""
    relation: str | None = None
    """The relation that contradicts the cell, where one does."""
    elsewhere: NumberResult | None = None
    """The cell of another bundle that recomputes this one, where that was looked at."""

    @property
    def status(self) -> CellStatus:
        return self.judgement.status

    def _repr_markdown_(self) -> str:
        """How a notebook shows it."""
        return self.number._repr_markdown_()

    @property
    def number(self) -> NumberResult:
        """The cell as results have it."""
        return NumberResult(
            id=self.cell.name,
            table=self.cell.table,
            row=self.cell.row,
            column=self.cell.column,
            printed=self.cell.text,
            word=WORDS[self.status.value],
            status=self.status.value,
            given=self.recomputed,
            formula=self.formula,
            records=[] if self.value is None else self.value.records(),
            count=0 if self.value is None else self.value.count,
            source=self.cell.source or self.cell.record,
            line=self.cell.line,
            says=self.judgement.sentence,
            recipe=self.recipe,
            population=self.about,
            undisclosed=list(self.undisclosed),
            relation=self.relation,
        )

    @property
    def formula(self) -> str | None:
        """What the recipe computes: a metric's formula with its source, or what a query does in words."""
        return self.meaning if self.metric is None else f"{self.metric.formula}  [{self.metric.source}]"

    @property
    def template(self) -> str | None:
        """What the recipe computes, in words that hold for every row: what the row gives is named, not filled in."""
        if self.metric is None:
            return self.meaning
        said = {**self.arguments, **self.cell.said}
        taken = {
            name: text for name, text in self.metric.defaults.items() if "state" not in said or name != "population"
        }
        return in_words(self.metric, {**said, **{name: text for name, text in taken.items() if name not in said}})

    @property
    def restricted(self) -> str:
        """The declared population with its share of the rows and the number without it; empty where there is none."""
        if self.population is None:
            return ""
        conditions = " and ".join(f"{name} is {' or '.join(values)}" for name, values in self.population.where.items())
        few, every = self.share
        without = f"; without it {self.cell.row} has {self.without_population}" if self.without_population else ""
        return f"{self.population.name} ({conditions}): {few:,} of {every:,} rows of {self.population.dataset}{without}"

    @property
    def stands_for(self) -> list[str]:
        """What the row's name stands for, where that is not what it prints."""
        written = self.cell.said
        filled = {
            key.rpartition(".")[2]: text
            for key, text in self.arguments.items()
            if key in written and written[key] != text
        }
        shown = appearance(" ".join([self.cell.row, *self.cell.naming.values()]))
        return [
            f"{self.cell.row} is {name} {value}" for name, value in filled.items() if appearance(value) not in shown
        ]

    @property
    def about(self) -> str | None:
        """The declared population that the number is about, or the split that its metric was asked over."""
        if self.population is not None:
            return self.population.name
        if self.metric is None or "population" not in self.metric.optional or "state" in self.arguments:
            return None
        return self.arguments.get("population", self.metric.defaults.get("population"))

    @property
    def recomputed(self) -> str | None:
        """The unrounded numbers, for readers."""
        if self.value is None:
            return None if self.elsewhere is None else self.elsewhere.given
        if self.value.text is not None:
            return self.value.text
        scaled = self.value.numbers
        if (printed := self.cell.printed) is not None:
            percent = bool((self.cell.recipe or {}).get("percent") or printed.percent)
            scaled = in_print(printed, scaled, percent=percent)
        shown = [str(value.numerator) if value.denominator == 1 else repr(float(value)) for value in scaled]
        return ", ".join([*shown, *self.value.words])
