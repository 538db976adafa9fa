"""What names forbid: orders (ends of intervals, percentiles, least and greatest) and ranges (shares, correlations)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.stated import StatedRule, headers
from sealtrace.relations.families.wording import BARE_RATE, RELATIVE, plain
from sealtrace.relations.syntax import Given, Ordered, all_of, at_most, compare, equal

ORDER, RANGE = "order", "range"

# Orders

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
_QUARTILE = re.compile(
    r"(\bmin(?:imum)?\b\.?)|(\bq1\b|\bp25\b|\b25(?:th)?(?: ?%| ?percentile)|\b(?:first|lower) quartile)|"
    r"(\bmedian\b|\bq2\b|\bp50\b|\b50(?:th)?(?: ?%| ?percentile))|"
    r"(\bq3\b|\bp75\b|\b75(?:th)?(?: ?%| ?percentile)|\b(?:third|upper) quartile)|(\bmax(?:imum)?\b\.?)"
)
_EXTREME = re.compile(r"\b(?:(min|minimum)|(max|maximum)|mean|average|avg|median)\b\.?")
_BOUND = re.compile(
    r"\b(?:(lcb|lower[ -](?:confidence )?(?:bound|limit|ci)|ci[ -](?:low|lower))|"
    r"ucb|upper[ -](?:confidence )?(?:bound|limit|ci)|ci[ -](?:high|upper))\b"
)


def _is_ordered(what: str, *assumes: str) -> StatedRule:
    """That numbers do not fall from one to the next."""
    return StatedRule(
        ORDER,
        f"{{texts}} are {what}, and do not fall.",
        lambda *cells: Ordered("nondecreasing", cells) if len(cells) > 2 else at_most(*cells),
        assumes,
        "In which order do {texts} stand?",
    )


_LEAST_WITHIN = 4
_NO_ESTIMATE = re.compile(r"(?:\w+ )?(?:se|s\.e\.|std\.?.*|standard .*|sd|[nktzp]|n obs\.?|p-?values?|df|sig\w*\.?)")
_ENDS = _is_ordered("the ends of an interval")
_AROUND = _is_ordered("an interval around its estimate", "The interval is about that estimate.")


def find_orders(paper: AuditedPaper) -> Iterator[Claim]:
    """Ends of intervals and their estimates; columns or rows whose headers say where they stand."""
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
        yield from _ranked(sheet)
        for columns, what in _by_headers(sheet):
            rule, rows = _is_ordered(what), range(len(sheet.rows))
            every = [[fact for column in columns if (fact := sheet.number(row, column)) is not None] for row in rows]
            lists = [facts for facts in every if len(facts) > 1]
            falling = sum(any(a.value > b.value for a, b in pairwise(facts)) for facts in lists)
            # Beside percentiles of one thing may stand what is computed at them: a risk at the 95th of the heat.
            if not (sheet.is_turned and 1 < len(lists) < _LEAST_WITHIN * falling):
                yield from (rule.claim(sheet, facts, headers(sheet, *columns)) for facts in lists)


def _within(sheet: Sheet) -> Iterator[Claim]:
    """Numbers with an interval behind them, in their cell or in the next column, that nearly all lie in theirs."""
    for column in sheet.numeric_columns():
        rows = range(len(sheet.rows))
        found = {row: facts for row in rows if (facts := sheet.part(row, column, "mean", "low", "high")) is not None}
        if not found and _CONFIDENCE.search(plain(sheet.columns[column].label)) and _estimate(sheet, column) is None:
            of = _before(sheet, column)
            beside = ((row, sheet.number(row, of), sheet.part(row, column, "low", "high")) for row in rows)
            found = {row: (value, *ends) for row, value, ends in beside if value is not None and ends is not None}
        ordered = [low.value <= value.value <= high.value for value, low, high in found.values()]
        if sum(ordered) < _LEAST_WITHIN or sum(ordered) < len(ordered) - max(1, len(ordered) // 8):
            continue
        evidence = f"{sum(ordered)} of {len(ordered)} numbers of the column lie in the interval behind them"
        for value, low, high in found.values():
            name, said = f"{ORDER} {value.address} within", f"column {headers(sheet, column)}"
            yield _AROUND.claim(sheet, (low, value, high), said, name=name, evidence=evidence)


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


def _by_headers(sheet: Sheet) -> Iterator[tuple[list[int], str]]:
    """Columns of one quantity in the order that their headers give them, and what they are."""
    for rest, places in _grouped(sheet, _PERCENTILE, lambda found: Fraction(found[1] or found[2] or 50)):
        # Headers such as P1 and P2 may be problems or players: only the usual levels are taken for percentiles.
        usual = places.keys() <= _LEVELS and _TELLING & places.keys()
        if usual and not _METHODS.search(f"{rest} {sheet.caption}"):
            yield list(places.values()), f"percentiles {', '.join(f'{float(place):g}' for place in places)}"
    for _rest, places in _grouped(sheet, _QUARTILE, lambda found: Fraction((found.lastindex or 1) - 1)):
        # Without a quartile it is told below; alone, 25% may be a share of something.
        if {1, 3} & places.keys() and (len(places) > 3 or (len(places) > 2 and not _METHODS.search(sheet.caption))):
            yield list(places.values()), "least, quartiles and greatest"
    for rest, places in _grouped(sheet, _EXTREME, lambda found: Fraction(bool(found[2]) - bool(found[1]))):
        # In brackets or behind a dash it is how a method aggregates: logit (words - max.).
        named = re.fullmatch(r"[\w\s%]+", rest) is not None
        if not _METHODS.search(f"{rest} {sheet.caption}") and (named or (not rest and sheet.headed(_DESCRIPTIVE))):
            yield list(places.values()), "least, mean and greatest"
    for rest, places in _grouped(sheet, _BOUND, lambda found: Fraction(found[1] is None)):
        # LCB and UCB alone may be of two quantities.
        if rest or not sheet.headed(r"[lu]cb"):
            yield list(places.values()), "lower and upper bound"


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


# Ranks

_RANK = re.compile(r"\b(?:rank(?:ing)?|place|position|pos)\b|^#$")
_LEAST_RANKED, _MOST_CHANCE = 4, 0.05
"""So many rows, and so rarely would unrelated numbers stand in the order of the ranks."""


def _ranked(sheet: Sheet) -> Iterator[Claim]:
    """A column of ranks and the one that it ranks: read in the order of the ranks, that one rises or falls."""
    columns = sheet.numeric_columns()
    for ranks in (column for column in columns if _RANK.search(plain(sheet.columns[column].label))):
        given = sorted(sheet.rows_with(ranks), key=lambda row: row[1][0].value)
        rows, own = [row for row, _facts in given], [fact for _row, (fact,) in given]
        values = {fact.value for fact in own if fact.exact}
        if len(own) < _LEAST_RANKED or min(values, default=0) != 1 or len(values) < len(own) - 1:
            continue
        ways = []
        for column, falls in product((column for column in columns if column != ranks), (True, False)):
            facts = sheet.column_values(column, rows)
            if facts is not None and len({fact.value for fact in facts}) >= len(rows) - 1:
                wrong = sum((a.value < b.value) if falls else (a.value > b.value) for a, b in pairwise(facts))
                ways.append((wrong, column, falls, facts))
        wrong, column, falls, facts = min(ways, key=lambda way: way[0], default=(2, 0, False, []))
        chance = 2 * len(columns) * (len(rows) - 1) ** wrong / math.factorial(len(rows))
        if wrong > 1 or chance > _MOST_CHANCE:
            continue
        names = sheet.columns[ranks].label, sheet.columns[column].label
        often = f"{names[0]} ranks {names[1]} in {len(rows) - 1 - wrong} of {len(rows) - 1} steps"
        for two, first, second in zip(pairwise(facts), own, own[1:], strict=False):
            yield replace(
                _IS_RANKED.claim(sheet, (first, second, *two), f"column {names[0]!r}", ">=" if falls else "<="),
                evidence=often,
                chance=chance,
                telling=bool(wrong) or chance * (len(rows) - 1) < _MOST_CHANCE,
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

# Ranges

_OF = re.compile(
    r"(?:[\w-]+ )?(?:counts?|correct|solved|successes|passed|accepted|crossings|violations)(?: \(?k/n\)?)?"
)
_RANGES: tuple[tuple[re.Pattern[str], int, int], ...] = (
    (re.compile(r"(?:%|percent(?:age)?) (?:with|who|having|reporting|male|female|aged)\b.*"), 0, 100),
    (re.compile(r"(?:[\w-]+ ){0,2}(?:probability|prob\.|p-value|p value|fraction|proportion)(?: ?\(?%\)?)?"), 0, 1),
    (
        re.compile(
            r"(?!word|char|phone|token|diari)(?:[\w@-]+\.? ){0,2}(?:(?:accuracy|success rate|pass rate|failure rate|"
            r"win rate|violation rate|agreement|legality|auroc|exact match|cert\. rate)(?: ?\(?%\)?)?|"
            r"(?:acc\.|legal|coverage|error rate|violation|viol\.) ?\(%\))"
        ),
        0,
        100,
    ),
    (
        re.compile(
            r"(?:[\w-]+ )?(?:spearman|pearson|kendall|correlation|corr\.)(?:'s)?"
            r"(?: (?:ρ|r|τ|rho|tau|correlation|corr\.))?"
        ),
        -1,
        1,
    ),
)
"""Headers, and between what numbers below them lie; the first also of rows. What lies up to one may be printed in
hundredths."""
_IS_BETWEEN = StatedRule(
    RANGE,
    "{0} is headed {1!r}, which lies between {2} and {3}.",
    lambda cell, _label, low, high: all_of(at_most(low, cell), at_most(cell, high)),
    ("It is computed exactly, and no mean.",),
    "What is {0}, headed {1!r}?",
)
_IS_OUT_OF = StatedRule(
    RANGE, "{0} is a count out of {1}.", at_most, _IS_BETWEEN.assumes, "What is {0} counted out of?", read=Given
)


def find_ranges(paper: AuditedPaper) -> Iterator[Claim]:
    """Probabilities beyond one, percentages beyond one hundred: a header says what a number cannot be.

    A share between 0 and 100 is hardly a check, and none of this is counted as one.
    """
    for sheet in paper.both_ways:
        for column in sheet.numeric_columns():
            label = sheet.columns[column].label
            header, said = plain(label), f"column {label!r}"
            # A row of changes has no bounds.
            rows = [row for row, line in enumerate(sheet.rows) if not RELATIVE.search(plain(line.label))]
            for row in rows if _OF.fullmatch(header) else ():
                if (ratio := sheet.part(row, column, "k", "n")) is not None:
                    yield _IS_OUT_OF.claim(sheet, ratio, said, telling=False)
            # Whole numbers below numbers with decimals count something.
            facts = [fact for row in rows if (fact := sheet.number(row, column)) is not None and fact.unit < 1]
            ranges = _RANGES[:1] if sheet.is_turned else _RANGES
            found = next(((low, high) for named, low, high in ranges if named.fullmatch(header)), None)
            if found is None or RELATIVE.search(header):
                continue
            is_share = 2 * sum(abs(fact.value) <= 1 for fact in facts) > len(facts) > 2 and "%" not in header
            scale = 1 if found[1] == 100 or is_share else 100
            for fact in facts:
                yield _IS_BETWEEN.claim(sheet, [fact], said, label, *(end * scale for end in found), telling=False)
