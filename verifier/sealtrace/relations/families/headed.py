"""Columns that are headed by a statistic, beside others from which it follows: one table of names and formulas.

How headers call a statistic stands in the table of statistics, for this and for every other command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.stated import StatedRule, called, headers, nearly_all
from sealtrace.relations.families.wording import AVERAGED, is_percent, is_summary, real
from sealtrace.relations.syntax import Expression, Given, call, equal
from sealtrace.statistics.called import words_of

FAMILY = "statistic of others"


@dataclass(frozen=True)
class HeadedStatistic:
    """A statistic, what it is computed from, and how."""

    name: str
    inputs: tuple[str, ...]
    formula: Callable[..., Expression]
    """Of the inputs, and of what a whole is printed as: one, or a hundred."""
    linear: bool = False
    """Whether means over classes or runs satisfy it, too."""
    counts: bool = False
    """Whether its inputs are counted, not rounded."""

    @cached_property
    def patterns(self) -> list[re.Pattern[str]]:
        """Headers of the statistic, and of each of its inputs."""
        return [called(words_of(name)) for name in (self.name, *self.inputs)]

    def columns(self, sheet: Sheet) -> list[int]:
        """The column of the statistic and those of its inputs; none where one is not there, or is there twice."""
        found = [column for pattern in self.patterns if (column := sheet.sole_column(pattern)) is not None]
        return found if len(found) == len(self.patterns) else []

    def claims(self, sheet: Sheet) -> Iterator[Claim]:
        """What it says of rows that are no means of others."""
        columns = self.columns(sheet)
        named = " ".join((sheet.caption, *(sheet.columns[column].label for column in columns)))
        if not columns or (AVERAGED.search(named) and not self.linear):
            return
        labels = [line.label for line in sheet.rows]
        rows = [
            facts
            for row, facts in sheet.rows_with(*columns)
            if self.linear or not (AVERAGED.search(labels[row]) or is_summary(labels[row]))
        ]
        percent = is_percent(sheet.columns[columns[0]].label, sheet.caption)
        whole = 100 if percent or any(facts[0].value > 1 for facts in rows) else 1
        said = f"columns {headers(sheet, *columns)}"
        rule = _IS_STATISTIC if self.counts else replace(_IS_STATISTIC, read=real)
        claims = [rule.claim(sheet, facts, said, self, whole) for facts in rows]
        # Where precision is recall, any mean of the two is both: such a row tells no reading from another.
        yield from nearly_all(claims, f"rows agree with {self.name} of {', '.join(self.inputs)}", telling=_tells)


def _tells(claim: Claim) -> bool:
    own, *others = claim.facts
    return all(own.value != other.value for other in others)


HEADED = (
    HeadedStatistic("f1", ("precision", "recall"), lambda _whole, a, b: 2 / (1 / a + 1 / b)),
    HeadedStatistic(
        "f1", ("tp", "fp", "fn"), lambda whole, tp, fp, fn: whole * 2 * tp / (2 * tp + fp + fn), counts=True
    ),
    HeadedStatistic("precision", ("tp", "fp"), lambda whole, tp, fp: whole * tp / (tp + fp), counts=True),
    HeadedStatistic("recall", ("tp", "fn"), lambda whole, tp, fn: whole * tp / (tp + fn), counts=True),
    HeadedStatistic("sem", ("sd", "sample_size"), lambda _whole, sd, n: sd / call("sqrt", n), linear=True, counts=True),
    HeadedStatistic("test_statistic", ("estimate", "sem"), lambda _whole, value, error: value / error, linear=True),
    HeadedStatistic("error_rate", ("accuracy",), lambda whole, accuracy: whole - accuracy, linear=True),
)
_IS_STATISTIC = StatedRule(
    FAMILY,
    "{0} follows from what stands beside it.",
    lambda own, *given: equal(real(own.fact), given[-2].formula(given[-1], *given[:-2])),
    ("It is of the same items as the numbers beside it, and no mean over others.",),
    "From what is {0} computed?",
    read=Given,
)


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every statistic of the table, in columns and in rows, and below each name of a group."""
    for sheet in paper.both_ways:
        for group in sheet.groups():
            for headed in HEADED:
                yield from headed.claims(group)
