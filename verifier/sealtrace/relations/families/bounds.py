"""Intervals: their ends stand in order, and an estimate between the ends of its own. And ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, product

from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.stated import StatedRule, headers, is_possible, nearly_all
from sealtrace.relations.families.wording import BARE_RATE, plain
from sealtrace.relations.syntax import Given, all_of, at_most, compare, equal

ORDER = "order"

_INTERVAL = re.compile(r"\b(?:interval|ci|cis|c\.i\.|confidence|credible|quantiles?|percentiles?|iqr)\b")
_CONFIDENCE = re.compile(r"\b(?:interval|ci|cis|c\.i\.|confidence|credible)\b")
_ESTIMATE = re.compile(
    r"δ|\b(?:mean|estimate|est|effect|diff|difference|rate|accuracy|acc|score|value|coef\w*|median|proportion|delta)\b"
)
_NO_ESTIMATE = re.compile(r"(?:\w+ )?(?:se|s\.e\.|std\.?.*|standard .*|sd|[nktzp]|n obs\.?|p-?values?|df|sig\w*\.?)")
_LOWER = re.compile(r"(?P<of>(?:.*?\w)??)\W*\b(?:lcb|lower[ -](?:confidence )?(?:bound|limit|ci)|ci[ -](?:low|lower))")
_UPPER = re.compile(r"(?P<of>(?:.*?\w)??)\W*\b(?:ucb|upper[ -](?:confidence )?(?:bound|limit|ci)|ci[ -](?:high|upper))")
_RANK = re.compile(r".*\b(?:rank(?:ing)?|place|position|pos)\b.*|#")
_ENDS = StatedRule(
    ORDER, "{texts} are the ends of an interval, and do not fall.", at_most, (), "In which order do {texts} stand?"
)
_AROUND = StatedRule(
    ORDER,
    "{1} lies between {0} and {2}, the ends of its interval.",
    lambda low, value, high: all_of(at_most(low, value), at_most(value, high)),
    ("The interval is about that estimate.",),
    "Of which estimate is {0} to {2} the interval?",
)
_IS_RANKED = StatedRule(
    ORDER,
    "Ranks {0} and {1} are of {2} and {3}.",
    lambda first, second, a, b, sign: all_of(
        compare(a, sign, b), *(equal(rank, rank.fact.value) for rank in (first, second))
    ),
    ("The ranks are of that column.",),
    "How are {2} and {3} ranked?",
    read=Given,
)


def find_orders(paper: AuditedPaper) -> Iterator[Claim]:
    """Ends of intervals in one cell or two columns, their estimates, and ranks beside what they rank."""
    for sheet in paper.sheets:
        yield from _within(sheet)
        for row, column in sorted(sheet.entries):
            ends, label = sheet.part(row, column, "low", "high"), plain(sheet.columns[column].label)
            if ends is None or not (_INTERVAL.search(label) or _INTERVAL.search(plain(sheet.rows[row].label))):
                continue
            yield _ENDS.claim(sheet, ends, f"column {headers(sheet, column)}")
            of = _estimate(sheet, column)
            if of is not None and (estimate := sheet.number(row, of)) is not None:
                around, said = (ends[0], estimate, ends[1]), f"columns {headers(sheet, of, column)}"
                yield _AROUND.claim(sheet, around, said, name=f"{ORDER} {ends[0].address} estimate")
    for sheet in paper.both_ways:
        for low, high in product(sheet.headed(_LOWER), sheet.headed(_UPPER)):
            below, above = (
                pattern.fullmatch(plain(sheet.columns[column].label))
                for pattern, column in ((_LOWER, low), (_UPPER, high))
            )
            # LCB and UCB alone may be of two quantities.
            if below and above and below["of"] == above["of"] and (below["of"] or "lcb" not in below.group()):
                for _row, facts in sheet.rows_with(low, high):
                    yield _ENDS.claim(sheet, facts, f"columns {headers(sheet, low, high)}")
        for ranks in sheet.headed(_RANK):
            yield from _ranked(sheet, ranks)


def _within(sheet: Sheet) -> Iterator[Claim]:
    """Numbers with an interval behind them, in their cell or in the next column, that nearly all lie in theirs."""
    for column in sheet.numeric_columns():
        rows = range(len(sheet.rows))
        found = [facts for row in rows if (facts := sheet.part(row, column, "mean", "low", "high")) is not None]
        if not found and _CONFIDENCE.search(plain(sheet.columns[column].label)) and _estimate(sheet, column) is None:
            of = _before(sheet, column)
            beside = ((sheet.number(row, of), sheet.part(row, column, "low", "high")) for row in rows)
            found = [(value, *ends) for value, ends in beside if value is not None and ends is not None]
        said = f"column {headers(sheet, column)}"
        claims = [
            _AROUND.claim(sheet, (low, value, high), said, name=f"{ORDER} {value.address} within")
            for value, low, high in found
        ]
        yield from nearly_all(claims, "numbers lie in the interval behind them", least=4, wrong=8)


def _before(sheet: Sheet, interval: int) -> int:
    """The column before an interval, errors and numbers of items passed over."""
    before = range(interval - 1, 0, -1)
    own = (
        column for column in before if not _NO_ESTIMATE.fullmatch(plain(sheet.columns[column].label).split(" / ")[-1])
    )
    return next(own, 0)


def _estimate(sheet: Sheet, interval: int) -> int | None:
    """The column that an interval is about: the one that it names, else the only one that it can be about."""
    label = plain(sheet.columns[interval].label)
    # A mean may lie outside quartiles.
    if not _CONFIDENCE.search(label):
        return None
    # Counts have no such intervals, and a bare rate may be that of a count beside it.
    columns = {
        column: _bare(header)
        for column in sheet.numeric_columns()
        if column != interval
        and any(not fact.exact for fact in sheet.every(column))
        and not BARE_RATE.fullmatch(header := plain(sheet.columns[column].label))
    }
    intervals = {column for (row, column) in sheet.entries if sheet.part(row, column, "low", "high")}
    if named := _bare(re.sub(rf"\d+ ?%|{_INTERVAL.pattern}", "", label)):
        same = [column for column, header in columns.items() if header == named]
    else:
        same = [column for column, header in columns.items() if len(intervals) == 1 and _ESTIMATE.search(header)]
    return same[0] if len(same) == 1 and (named or len(columns) == 1) else None


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip()


def _ranked(sheet: Sheet, ranks: int) -> Iterator[Claim]:
    """Read in the order of its ranks, the column that fits them best falls or rises."""
    given = sorted(sheet.rows_with(ranks), key=lambda row: row[1][0].value)
    rows, own = [row for row, _facts in given], [fact for _row, (fact,) in given]
    if not own or own[0].value != 1 or len({fact.value for fact in own if fact.exact}) < len(own):
        return
    readings = []
    for column, sign in product(sheet.numeric_columns(), (">=", "<=")):
        facts = sheet.column_values(column, rows)
        if column != ranks and facts is not None and len({fact.value for fact in facts}) >= len(rows) - 1:
            said = f"{sheet.columns[ranks].label} ranks {sheet.columns[column].label}"
            steps = zip(pairwise(own), pairwise(facts), strict=True)
            claims = [_IS_RANKED.claim(sheet, (*two, *values), said, sign) for two, values in steps]
            readings.append((claims, said))
    claims, said = max(readings, key=lambda one: sum(is_possible(claim.formula) for claim in one[0]), default=([], ""))
    # Three steps of four would agree by accident in one column of five.
    yield from nearly_all(claims, f"steps agree: {said}", least=5, wrong=len(rows))
