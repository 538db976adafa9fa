"""What a number cannot be by its name: probabilities beyond one, percentages beyond one hundred, broken counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import AVERAGED, RELATIVE, is_percent, plain, real
from sealtrace.relations.syntax import Cell, Formula, Multiple, all_of, at_most, number

FAMILY = "range"
_UNIT = re.compile(r"(?:[\w-]+ ){0,2}(?:probability|prob\.|p-value|p value|fraction|proportion)")
_SHARE = re.compile(
    r"(?!word|char|phone|token|diari)(?:[\w@-]+\.? ){0,2}"
    r"(?:(?:accuracy|success rate|pass rate|failure rate|win rate|violation rate|agreement|legality|auroc|exact match|"
    r"cert\. rate)(?: ?\(?%\)?)?|(?:acc\.|legal|coverage|error rate|violation|viol\.) ?\(%\))"
)
_CORRELATION = re.compile(
    r"(?:[\w-]+ )?(?:spearman|pearson|kendall|correlation|corr\.)(?:'s)?(?: (?:ρ|r|τ|rho|tau|correlation|corr\.))?"
)
_DIVERGENCE = re.compile(r"(?:[\w-]+ )?(?:kl|kl divergence|jsd|js divergence|log loss|mse|rmse|mae|variance|brier)")
_SAMPLED = re.compile(r"\bestimat|\bmonte[ -]carlo|\bsampled|\bapproximat|\bcontrastive|\blog|\bdb\b|\bnegative", re.I)
_COUNTED = re.compile(r"counts?|number of [\w -]+")
_OF = re.compile(
    r"(?:[\w-]+ )?(?:counts?|correct|solved|successes|passed|accepted|crossings|violations)(?: \(?k/n\)?)?"
)
# What is printed in thousands or per something is a count no longer.
_SCALED = re.compile(r"\b(?:thousands?|millions?|billions?|tokens|parameters|per)\b|10\^|×", re.I)


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.both_ways:
        for column in sheet.numeric_columns():
            yield from _column(sheet, column)


def _column(sheet: Sheet, column: int) -> Iterator[Claim]:
    label = sheet.columns[column].label
    header = plain(label)
    if RELATIVE.search(header.replace("log loss", "")):
        return
    facts = sheet.every(column)
    texts = tuple(entry.text for (_row, place), entry in sheet.entries.items() if place == column)
    percent = is_percent(label, "", texts)
    if _UNIT.fullmatch(re.sub(r" ?\(?%\)?$", "", header)):
        whole = 100 if percent or is_percent(label, sheet.caption) or not _mostly_small(facts) else 1
        if not all(fact.exact for fact in facts):
            yield from _between(sheet, facts, 0, whole, label)
    elif _SHARE.fullmatch(header):
        # Without a sign of percent both scales are in use; what exceeds one hundred is beyond both.
        fraction = rf"\b{re.escape(header)} is (?:a|the) (?:[\w-]+ )?(?:fraction|proportion|share)"
        defined = re.search(fraction, plain(sheet.caption))
        yield from _between(sheet, facts, 0, 1 if defined and not percent else 100, label)
    elif _CORRELATION.fullmatch(header):
        yield from _correlations(sheet, facts, label)
    elif _DIVERGENCE.fullmatch(header) and not _SAMPLED.search(sheet.caption):
        for fact in facts:
            yield _claim(sheet, fact, at_most(0, real(fact)), "is never negative", label, ("It is computed exactly.",))
    elif _COUNTED.fullmatch(header) and not _SCALED.search(header) and not _SCALED.search(sheet.caption):
        for fact in facts:
            if (
                fact.part is None
                and not fact.exact
                and not percent
                and not AVERAGED.search(f"{header} {sheet.caption}")
            ):
                yield _claim(sheet, fact, Multiple(Cell(fact), number(1)), "is a count", label, ("It is not a mean.",))
    if _OF.fullmatch(header):
        yield from _ratios(sheet, column, label)


def _between(sheet: Sheet, facts: list[Fact], low: int, high: int, label: str) -> Iterator[Claim]:
    for fact in facts:
        formula = all_of(at_most(low, real(fact)), at_most(real(fact), high))
        yield _claim(sheet, fact, formula, f"lies between {low} and {high}", label)


def _correlations(sheet: Sheet, facts: list[Fact], label: str) -> Iterator[Claim]:
    """Between -1 and 1, or times one hundred where most of the column can only be that."""
    whole = 1 if _mostly_small(facts) and len(facts) > 2 else 100
    for fact in facts:
        formula = all_of(at_most(-whole, real(fact)), at_most(real(fact), whole))
        yield Claim(
            f"{FAMILY} {fact.address}",
            formula,
            f"{fact.text} is a correlation, between {-whole} and {whole}.",
            sheet.place(repr(label)),
            ("The column is not printed times one hundred.",) if whole == 1 else (),
            (Repair("it is printed times one hundred", at_most(real(fact), Fraction(100))),) if whole == 1 else (),
            f"Which correlation is {fact.text}?",
            FAMILY,
            telling=False,
        )


def _mostly_small(facts: list[Fact]) -> bool:
    """Whether most of a column is not printed times one hundred."""
    return 2 * sum(abs(fact.value) <= 1 for fact in facts) > len(facts)


def _ratios(sheet: Sheet, column: int, label: str) -> Iterator[Claim]:
    for row in range(len(sheet.rows)):
        ratio = sheet.part(row, column, "k", "n")
        if ratio is not None:
            yield _claim(sheet, ratio[0], at_most(Cell(ratio[0]), Cell(ratio[1])), f"is out of {ratio[1].text}", label)


def _claim(sheet: Sheet, fact: Fact, formula: Formula, says: str, label: str, assumes: tuple[str, ...] = ()) -> Claim:
    return Claim(
        f"{FAMILY} {fact.address}",
        formula,
        f"{fact.text} is headed {label!r}, which {says}.",
        sheet.place(repr(label)),
        assumes,
        question=f"What is {fact.text}, headed {label!r}?",
        family=FAMILY,
        telling=False,
    )
