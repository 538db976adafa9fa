"""Statistics against what they are computed from: p of a test, errors and estimates of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sealtrace.relations.decision import Claim
from sealtrace.relations.families import inference
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.significance import FAMILY, reported
from sealtrace.relations.families.stated import StatedRule
from sealtrace.relations.syntax import equal


def find_statistics(paper: AuditedPaper) -> Iterator[Claim]:
    """What sentences report, and errors in tables."""
    yield from reported(paper)
    yield from inference.find(paper)
    for sheet in paper.sheets:
        yield from _OF_DEVIATION.claims(sheet)
        if not any(_is_padded(sheet, column) for column in _OF_ESTIMATE.columns(sheet)):
            yield from _OF_ESTIMATE.claims(sheet)


# Errors and deviations

_DEVIATION = r"sd|s\.d\.|std\.?|standard deviation"
_ERROR = r"se|s\.e\.|sem|std\.? err(?:or)?\.?|standard error"


def _is_padded(sheet: Sheet, column: int) -> bool:
    """Whether zeros were set behind numbers that had been rounded: all of them end in one."""
    texts = [fact.text for fact in sheet.every(column)]
    return len(texts) > 4 and all("." in text and text.endswith("0") for text in texts)


_OF_DEVIATION = StatedRule(
    FAMILY,
    "{0} is {1} over the root of {2}.",
    lambda error, deviation, n: equal(error**2 * n, deviation**2),
    ("All are of the same row, and nothing is adjusted.",),
    "From what is {0} computed?",
    headed=(_ERROR, _DEVIATION),
    sized=r"n|# ?\w+|sample size",
)
_OF_ESTIMATE = replace(
    _OF_DEVIATION,
    says="{0} is {1} over its error {2}.",
    formula=lambda ratio, value, error: equal(ratio * error, value),
    headed=(r"(?:t|z)(?:[ -](?:value|stat(?:istic)?))?", r"(?:estimate|est\.?|coef\.?|coefficient|β|b|beta)", _ERROR),
    sized=None,
)
