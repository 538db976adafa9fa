"""The automatic families: one list that documentation, commands and tests read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sealtrace.relations.decision import Claim
from sealtrace.relations.families import (
    bounds,
    claims,
    computed,
    counts,
    emphasis,
    headed,
    inference,
    prose,
    related,
    repeated,
    significance,
    sums,
)
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.work import time_is_up, within_time


@dataclass(frozen=True)
class Family:
    """One kind of relation that tables or sentences of a paper imply."""

    name: str
    sentence: str
    trigger: str
    """What a table must say itself before anything is claimed."""
    find: Callable[[AuditedPaper], Iterable[Claim]]


FAMILIES: tuple[Family, ...] = (
    Family(
        counts.GRANULARITY,
        "A rate over n items is k/n for some whole k, and so is a mean of m such rates with n·m.",
        "A cell k/n or columns of counts and totals beside a rate, or a rate and k/n in one cell; a caption or header "
        "that declares n.",
        counts.find_rates,
    ),
    Family(
        counts.WHOLE_NUMBERS,
        "A mean and a standard deviation of n whole numbers come from some sum and some sum of squares.",
        "A caption that speaks of ratings in whole numbers, and a declared n.",
        counts.find_whole_numbers,
    ),
    Family(
        sums.TOTALS,
        "Parts sum to their whole.",
        "A row or column headed Total, Sum, All or Overall over counts, or over shares of 100 where the counts beside "
        "them add up; shares beside the only counts; a caption that gives a total, or says what sums to 100 or 1.",
        sums.find_totals,
    ),
    Family(
        sums.MEANS,
        "A row or column headed Mean is the mean of what it lists.",
        "A row Mean or Average below items, or a column beside listed seeds, folds or runs; the rate of a whole where "
        "the counts of its parts add up.",
        sums.find_means,
    ),
    Family(
        related.DIFFERENCES,
        "A column of differences, changes, sums or quotients is computed from two others.",
        "A header A - B, A + B or A / B, or a change or speed-up against a row or column that it names; a caption that "
        "names both columns; before and after; the only two columns, or the row above, with which most rows agree.",
        related.find_differences,
    ),
    Family(
        headed.FAMILY,
        "A column headed by a statistic follows from the columns of what it is computed from.",
        "Headers that name F1 beside precision and recall, one of these beside counts of hits and misses, an error "
        "rate beside an accuracy, a standard error or a t beside what it follows from; rows that nearly all agree.",
        headed.find,
    ),
    Family(
        bounds.ORDER,
        "Ends of intervals stand in order, an estimate lies in its interval, and ranks follow what they rank.",
        "Headers that name them for the same quantity; numbers that nearly all lie in the interval behind them; a "
        "column of ranks that follows another one but for a step.",
        bounds.find_orders,
    ),
    Family(
        emphasis.FAMILY,
        "What is marked as best is best, and what is best is marked.",
        "A caption that says that best is bold, over whole columns, and a direction by arrow; without "
        "words, what is bold in nearly all columns or rows, then a suspicion.",
        emphasis.find,
    ),
    Family(
        repeated.FAMILY,
        "What two tables print of one entity is the same number; where it is not, that is a suspicion.",
        "Two columns that agree for most of the entities that both tables name.",
        repeated.find,
    ),
    Family(
        claims.FAMILY,
        "What a sentence says of a column: which row is highest or lowest, where alone it is positive or negative.",
        "A sentence or caption that names the column and the row; beside a superlative nothing that narrows it.",
        claims.find,
    ),
    Family(
        computed.FAMILY,
        "A sentence agrees with itself: sums, shares, changes, means with their total, and counts with what "
        "they enumerate or announce.",
        "A sum, a share, a change, a mean or a list that the sentence writes out; sentences that begin with first, "
        "second and so on behind a count.",
        prose.find,
    ),
    Family(
        significance.FAMILY,
        "Statistics follow from what they come from: p from t, F, χ², Q, r, z; intervals around their estimate; "
        "stars and p from estimates with their errors or intervals.",
        "A test and its p in one sentence, or a p and the word significant; headers, notes or a caption that name the "
        "statistic and what it needs.",
        inference.find,
    ),
)


def automatic_claims(paper: AuditedPaper, families: Iterable[Family] = FAMILIES) -> list[Claim]:
    """What the families claim of a paper, each under a name of its own."""
    claims: list[Claim] = []
    seen: Counter[str] = Counter()
    for family in families:
        if time_is_up():
            break
        # Families look at the clock between their questions; the alarm ends one that hangs in a question.
        with within_time():
            for claim in family.find(paper):
                seen[claim.name] += 1
                again = f"{claim.name} ({seen[claim.name]})"
                claims.append(claim if seen[claim.name] == 1 else replace(claim, name=again))
    return claims
