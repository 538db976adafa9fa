"""Orders that hold by definition: ends of intervals, percentiles, least and greatest, lower and upper bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.granularity import BARE_RATE
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import plain, real
from sealtrace.relations.syntax import Ordered, at_most

FAMILY = "order"
_INTERVAL = re.compile(r"\b(?:interval|ci|cis|c\.i\.|confidence|credible|quantiles?|percentiles?|iqr)\b")
_ESTIMATE = re.compile(
    r"δ|\b(?:mean|estimate|est|effect|diff|difference|rate|accuracy|acc|score|value|coef\w*|median|proportion|delta)\b"
)
_CONFIDENCE = re.compile(r"\b(?:interval|ci|cis|c\.i\.|confidence|credible)\b")
_PERCENTILE = re.compile(
    r"\bp ?(\d{1,2}(?:\.\d+)?)\b|\b(\d{1,2}(?:\.\d+)?)(?:th|st|nd|rd)?[ -](?:percentile|pct)\b|\b(median)\b"
)
_LEVELS = frozenset(
    map(Fraction, ("0.1", "1", "2.5", "5", "10", "20", "25", "50", "75", "80", "90", "95", "97.5", "99", "99.9"))
)
_TELLING = frozenset(map(Fraction, (90, 95, 99)))
# Among methods that aggregate, Min, Mean and Max are names; P5 and P10 may be precisions.
_METHODS = re.compile(
    r"pool|aggregat|voting|ensembl|strateg|fusion|readout|operator|scaling|precision|retriev|participant|"
    r"\bfeatures?\b|importance|predictor",
    re.I,
)
_DESCRIPTIVE = re.compile(r"(?:sd|std\.?|s\.d\.|std\.? dev\.?|n|median|q1|q3|range)")
_EXTREME = re.compile(r"\b(min|minimum|max|maximum|mean|average|avg|median)\b\.?")
_BOUND = re.compile(
    r"\b(?:(lcb|lower[ -](?:confidence )?(?:bound|limit|ci)|ci[ -](?:low|lower))|"
    r"ucb|upper[ -](?:confidence )?(?:bound|limit|ci)|ci[ -](?:high|upper))\b"
)
_PLACES = {"min": 0, "minimum": 0, "mean": 1, "average": 1, "avg": 1, "median": 1, "max": 2, "maximum": 2}


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        yield from _intervals(sheet)
    for sheet in paper.both_ways:
        yield from _by_headers(sheet)


def _intervals(sheet: Sheet) -> Iterator[Claim]:
    """The ends of an interval, and the estimate in the column before it."""
    for row, column in sorted(sheet.entries):
        ends = sheet.part(row, column, "low", "high")
        label = sheet.columns[column].label
        named = _INTERVAL.search(plain(label)) or _INTERVAL.search(plain(sheet.rows[row].label))
        if ends is None or not named:
            continue
        yield _ordered(sheet, f"{ends[0].address} ends", list(ends), f"column {label!r}", "the ends of an interval")
        column_of_estimate = _estimate(sheet, column)
        estimate = None if column_of_estimate is None else sheet.number(row, column_of_estimate)
        if estimate is None or column_of_estimate is None:
            continue
        yield _ordered(
            sheet,
            f"{ends[0].address} estimate",
            [ends[0], estimate, ends[1]],
            f"columns {sheet.columns[column_of_estimate].label!r} and {label!r}",
            "an interval around its estimate",
            ("The interval is about that estimate.",),
        )


def _estimate(sheet: Sheet, interval: int) -> int | None:
    """The column that an interval is about: the one that it names, else the only one that it can be about."""
    label = plain(sheet.columns[interval].label)
    # A mean may lie outside quartiles.
    if not _CONFIDENCE.search(label):
        return None
    columns = [
        column
        for column in sheet.numeric_columns()
        if column != interval
        # Counts have no such intervals, and a bare rate may be that of a count beside it.
        and any(not fact.exact for fact in sheet.every(column))
        and not BARE_RATE.fullmatch(plain(sheet.columns[column].label))
    ]
    intervals = {column for (row, column) in sheet.entries if sheet.part(row, column, "low", "high")}
    headers = {column: _bare(plain(sheet.columns[column].label)) for column in columns}
    named = _bare(re.sub(rf"\d+ ?%|{_INTERVAL.pattern}", "", label))
    if named:
        same = [column for column in columns if headers[column] == named]
        return same[0] if len(same) == 1 else None
    alone = len(columns) == len(intervals) == 1 and _ESTIMATE.search(plain(sheet.columns[columns[0]].label))
    return columns[0] if alone else None


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip()


def _grouped(
    sheet: Sheet, pattern: re.Pattern[str], place: Callable[[re.Match[str]], Fraction]
) -> Iterator[tuple[str, dict[Fraction, int]]]:
    """Columns of one quantity by the place that their headers give them, and what the headers say besides."""
    groups: dict[str, list[tuple[Fraction, int]]] = {}
    for column in sheet.numeric_columns():
        header = plain(sheet.columns[column].label)
        found = list(pattern.finditer(header))
        if len(found) == 1:
            rest = " ".join((header[: found[0].start()] + header[found[0].end() :]).split())
            groups.setdefault(rest, []).append((place(found[0]), column))
    for rest, members in groups.items():
        if len(dict(members)) == len(members) > 1:
            yield rest, dict(sorted(members))


def _by_headers(sheet: Sheet) -> Iterator[Claim]:
    """Columns whose headers say where they stand."""
    descriptive, bare_bounds = bool(sheet.headed(_DESCRIPTIVE)), bool(sheet.headed(r"[lu]cb"))
    for rest, places in _grouped(sheet, _PERCENTILE, lambda found: Fraction(found[1] or found[2] or 50)):
        # Headers such as P1 and P2 may be problems or players: only the usual levels are taken for percentiles.
        usual = places.keys() <= _LEVELS and _TELLING & places.keys()
        if usual and not _METHODS.search(f"{rest} {sheet.caption}"):
            yield from _rows(sheet, places, f"percentiles {', '.join(f'{float(place):g}' for place in places)}")
    for rest, places in _grouped(sheet, _EXTREME, lambda found: Fraction(_PLACES[found[1]])):
        if not _METHODS.search(f"{rest} {sheet.caption}") and (rest or descriptive):
            yield from _rows(sheet, places, "least, mean and greatest")
    for rest, places in _grouped(sheet, _BOUND, lambda found: Fraction(found[1] is None)):
        # LCB and UCB alone may be of two quantities.
        if rest or not bare_bounds:
            yield from _rows(sheet, places, "lower and upper bound")


def _rows(sheet: Sheet, places: Mapping[Fraction, int], what: str) -> Iterator[Claim]:
    labels = ", ".join(repr(sheet.columns[column].label) for column in places.values())
    for row, line in enumerate(sheet.rows):
        facts = [fact for column in places.values() if (fact := sheet.number(row, column)) is not None]
        if len(facts) > 1:
            yield _ordered(sheet, f"{sheet.label}[{line.label}] {labels}", facts, labels, what)


def _ordered(sheet: Sheet, name: str, facts: list[Fact], said: str, what: str, assumes: tuple[str, ...] = ()) -> Claim:
    cells = [real(fact) for fact in facts]
    return Claim(
        f"{FAMILY} {name}",
        Ordered("nondecreasing", tuple(cells)) if len(cells) > 2 else at_most(*cells),
        f"{', '.join(fact.text for fact in facts)} are {what}, and do not fall.",
        sheet.place(said),
        assumes,
        question=f"In which order do {', '.join(fact.text for fact in facts)} stand?",
        family=FAMILY,
    )
