"""What a number cannot be by its name: probabilities beyond one, percentages beyond one hundred, broken counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import AVERAGED, RELATIVE, is_percent, plain, real
from sealtrace.relations.syntax import Formula, Given, Multiple, all_of, at_most, number

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
_COUNTED = re.compile(r"counts?")
_STATISTIC = re.compile(
    r"\b(?:estimates?|est|effects?|coef\w*|[βbtznp]|beta|att|se|s\.e|sem|std|sd|s\.d|dev\w*|errors?|mean|average|avg|obs\w*|"
    r"median|min\w*|max\w*|diff\w*|values?|ci|statistics?|p-?values?)\b"
)
"""Headers of columns in which a row has numbers of several kinds, whatever its own name is."""
_OF = re.compile(
    r"(?:[\w-]+ )?(?:counts?|correct|solved|successes|passed|accepted|crossings|violations)(?: \(?k/n\)?)?"
)
# What is printed in thousands or per something is a count no longer.
_SCALED = re.compile(r"\b(?:thousands?|millions?|billions?|tokens|parameters|per)\b|10\^|×", re.I)


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.both_ways:
        for column in sheet.numeric_columns():
            if not sheet.is_turned or _of_one_kind(sheet, column):
                yield from _column(sheet, column)


def _of_one_kind(sheet: Sheet, column: int) -> bool:
    """Whether a row of a turned table has one quantity in all its cells, by their headers and their digits."""
    heads = [line.label for row, line in enumerate(sheet.rows) if sheet.number(row, column) is not None]
    units = [fact.unit for fact in sheet.every(column)]
    return len(units) > 2 and len(set(units)) == 1 and not any(_STATISTIC.search(plain(head)) for head in heads)


def _column(sheet: Sheet, column: int) -> Iterator[Claim]:
    label = sheet.columns[column].label
    header = plain(label)
    if RELATIVE.search(header.replace("log loss", "")):
        return
    # A row of changes has no bounds.
    rows = [row for row, line in enumerate(sheet.rows) if not RELATIVE.search(plain(line.label))]
    facts = [fact for row in rows if (fact := sheet.number(row, column)) is not None]
    small = 2 * sum(abs(fact.value) <= 1 for fact in facts) > len(facts)
    texts = tuple(entry.text for (_row, place), entry in sheet.entries.items() if place == column)
    percent = is_percent(label, "", texts)
    bounds: tuple[int, int | None] | None = None
    if _UNIT.fullmatch(re.sub(r" ?\(?%\)?$", "", header)):
        whole = 100 if percent or is_percent(label, sheet.caption) or not small else 1
        bounds = (0, whole) if not all(fact.exact for fact in facts) else None
    elif _SHARE.fullmatch(header):
        # Without a sign of percent both scales are in use; what exceeds one hundred is beyond both.
        fraction = rf"\b{re.escape(header)} is (?:a|the) (?:[\w-]+ )?(?:fraction|proportion|share)"
        bounds = (0, 1 if re.search(fraction, plain(sheet.caption)) and not percent else 100)
    elif _CORRELATION.fullmatch(header):
        # Times one hundred where most of the column can only be that.
        bounds = (-1, 1) if small and len(facts) > 2 else (-100, 100)
    elif _DIVERGENCE.fullmatch(header) and not _SAMPLED.search(sheet.caption):
        bounds = (0, None)
    elif _COUNTED.fullmatch(header) and not _SCALED.search(f"{header} {sheet.caption}"):
        broken = [fact for fact in facts if fact.value.denominator > 1]
        for fact in broken if len(broken) == 1 < len(facts) and not sheet.is_turned else ():
            # Where more of them have decimals they are means of counts.
            measured = fact.part is not None or percent or AVERAGED.search(f"{header} {sheet.caption}")
            if not measured:
                yield _claim(sheet, fact, Multiple(Given(fact), number(1)), "is a count", label)
    # A whole number below numbers with decimals counts something: how many there are, in the last row.
    decimal = [fact for fact in facts if fact.unit < 1] or facts
    for fact in decimal if bounds else ():
        low, high = bounds or (0, None)
        above, below = at_most(low, real(fact)), [at_most(real(fact), high)] if high is not None else []
        says = "is never negative" if high is None else f"lies between {low} and {high}"
        yield _claim(sheet, fact, all_of(above, *below), says, label)
    for row in range(len(sheet.rows)) if _OF.fullmatch(header) else ():
        ratio = sheet.part(row, column, "k", "n")
        if ratio is not None:
            yield _claim(
                sheet, ratio[0], at_most(Given(ratio[0]), Given(ratio[1])), f"is out of {ratio[1].text}", label
            )


def _claim(sheet: Sheet, fact: Fact, formula: Formula, says: str, label: str) -> Claim:
    return Claim(
        f"{FAMILY} {fact.address}",
        formula,
        f"{fact.text} is headed {label!r}, which {says}.",
        sheet.place(repr(label)),
        ("It is computed exactly, and no mean.",),
        question=f"What is {fact.text}, headed {label!r}?",
        family=FAMILY,
        telling=False,
    )
