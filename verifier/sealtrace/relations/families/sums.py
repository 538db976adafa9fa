"""Totals and means that a row, a header or a caption names as such."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet, belongs_to
from sealtrace.relations.families.stated import StatedRule, StatedSummary, headers, is_possible, summaries, weighted
from sealtrace.relations.families.wording import (
    COUNT,
    RELATIVE,
    SUMMARY,
    count,
    count_of,
    is_summary,
    plain,
    printed,
    real,
)
from sealtrace.relations.syntax import Formula, Given, all_of, any_of, at_most, call, equal

TOTALS, MEANS = "parts and whole", "mean of rows"

# Parts and their whole

_TOTAL = re.compile(r"(?:total|totals|sum)[.:]?")
_WHOLE = re.compile(r"(?:total|totals|sum|all|overall)[.:]?")
OVERLAPPING = re.compile(
    r"unique|distinct|vocab|types|class|label|categor|\bcat\b|entit|relation|users|speakers|languages|authors"
)
"""What several parts may have in common, so that the whole has fewer."""
POOLED = re.compile(
    r"%|percent|avg|average|mean|median|\brates?\b|ratio|\bper\b|\bs\.?d\b|\bstd\b|proportion|\bshare\b"
)
"""What the whole has some mean of."""
_NOT_ADDITIVE = re.compile(
    rf"{OVERLAPPING.pattern}|{POOLED.pattern}|max|min|year|length|rank|depth|layers|time|\bid\b|version|seed|score|dim"
)
_ADDITIVE = re.compile(
    r"(?:# ?|no\. of |number of )?(?:[\w-]+ )?"
    r"(?:count|counts|n|samples|instances|examples|states|hands|matches|games|cases|questions|episodes|patients|errors)"
)
_SUMS = re.compile(
    r"\b(columns?|rows?|percentages|shares|proportions|fractions|entries|values|probabilities)\b([^.;]*?)"
    r"\b(?:sums?|adds?(?: up)?|total)s? to (100|one hundred|1|one)\b(?!\.\d)",
    re.IGNORECASE,
)
_DOUBT = re.compile(r"\b(?:not|need|may|might|approximately|about|nearly|except)\b", re.IGNORECASE)


def _adds_up(total: Given, *parts: Given) -> Formula:
    """The sum of all parts; rows that break the whole down in several ways (by age, by region) count it repeatedly."""
    times = (1, 2, 3) if len(parts) > 3 else (1,)
    return any_of(*(equal(total * n if n > 1 else total, call("sum", *parts)) for n in times))


_IS_TOTAL = StatedRule(
    TOTALS,
    "{0} is the total of {count} parts.",
    _adds_up,
    ("The parts are disjoint, or break the whole down once in each of several ways.",),
    "Which parts sum to {0}?",
    read=Given,
)


def find_totals(paper: AuditedPaper) -> Iterator[Claim]:
    """Rows and columns of totals, shares of them, and what a caption says of either."""
    for sheet in paper.both_ways:
        for _row, group in groupby(summaries(sheet, _WHOLE), lambda summary: summary.row):
            yield from _totals(list(group))
    for sheet in paper.sheets:
        for summary in summaries(sheet, _WHOLE):
            yield from _hundred(summary)
        yield from _declared(sheet)
        yield from _captioned(sheet, paper)
        yield from _of_whole(sheet)


def _totals(row: list[StatedSummary]) -> Iterator[Claim]:
    """A row or column of totals, number by number: those that add up speak for the others."""
    found = [summary for summary in row if _is_additive(summary)]
    adding = [summary for summary in found if any(_adding(summary.fact, facts) for facts in summary.lists)]
    for summary in found:
        total, turned = summary.fact, summary.sheet.is_turned
        parts = next((facts for facts in summary.lists if _adding(total, facts)), summary.lists[0])
        added = sum(part.value for part in parts)
        exact, others = _counts([*parts, total]), len(adding) - (summary in adding)
        # What is many times its parts is a total of something else: of what the parts are means of; and parts that
        # are much more than the whole overlap. A digit that is wrong leaves a gap of one digit.
        usual = exact and not turned
        near = usual and 0.8 * added <= total.value <= 4 * added
        near = near or ((others > 0 or not usual) and is_one_digit(total, added))
        if others >= len(found) - len(adding) if turned and others else near or (others and total.value > added):
            lists = [parts] if turned else summary.lists
            ways = any_of(*(_adds_up(Given(total), *map(Given, facts)) for facts in lists))
            # Categories, users or places of several parts may be the same ones.
            overlap = total.value < added and not (turned or _ADDITIVE.fullmatch(summary.header))
            evidence = "the row's name; a whole may be less than its parts where they overlap" if overlap else ""
            yield summary.claim(_IS_TOTAL, parts, formula=ways, evidence=evidence)


def _is_additive(summary: StatedSummary) -> bool:
    """Whether a total is called so, is of all that stands before it, and of what can be added up."""
    named = _TOTAL.fullmatch(summary.name) or _ADDITIVE.fullmatch(summary.header) or summary.sheet.is_turned
    indented = not summary.sheet.is_turned and any(summary.sheet.rows[row].indented for row in summary.scopes[0])
    if not named or indented or not summary.is_last or not summary.lists or _NOT_ADDITIVE.search(summary.header):
        return False
    parts = summary.lists[0]
    alike = {fact.unit for fact in parts} == {summary.fact.unit} != {1} and "%" not in summary.fact.text
    return _counts([*parts, summary.fact]) or (alike and _TOTAL.fullmatch(summary.name) is not None)


def _adding(total: PrintedNumber, parts: Sequence[PrintedNumber]) -> bool:
    """Whether parts add up to a total as printed, or several times, where rows break it down in several ways."""
    slack = sum((fact.high - fact.low for fact in (total, *parts)), Fraction(0)) / 2
    added = sum(part.value for part in parts)
    return any(abs(total.value * times - added) <= slack for times in ((1, 2, 3) if len(parts) > 3 else (1,)))


def is_one_digit(total: PrintedNumber, added: Fraction | int) -> bool:
    """Whether a total misses a sum as it does where one digit of any of the numbers is another one."""
    units = abs(total.value - added) / total.unit
    return units.denominator == 1 and len(str(units.numerator).rstrip("0")) == 1


_IN_CAPTION = re.compile(
    rf"\b(?:a total of|totall?ing|total(?: is|:| =)?|sums? to) {COUNT}\b|\b{COUNT} (?:[a-z-]+ ){{1,3}}in total\b", re.I
)


def _captioned(sheet: Sheet, paper: AuditedPaper) -> Iterator[Claim]:
    """The total that a caption gives of the only column of counts."""
    rows = [row for row in sheet.numbered if not is_summary(sheet.rows[row].first or sheet.rows[row].label)]
    columns = [(column, facts) for column in sheet.numeric_columns() if (facts := sheet.column_values(column, rows))]
    counts = [(column, facts) for column, facts in columns if _counts(facts) and len(facts) > 1]
    for sentence in (one for one in paper.facts.sentences if belongs_to(one, sheet)):
        for found in _IN_CAPTION.finditer(sentence.text) if len(counts) == 1 else ():
            (column, facts), text = counts[0], found[1] or found[2]
            total = sentence.fact(found.start(1 if found[1] else 2), text, Fraction(count_of(text)))
            added = sum(fact.value for fact in facts)
            near = 4 * added <= 5 * total.value <= 6 * added
            if near and not _NOT_ADDITIVE.search(plain(sheet.columns[column].label)):
                yield _IS_TOTAL.claim(sheet, (total, *facts), "caption", name=f"{TOTALS} {total.address} {sheet.label}")


_SHARE = re.compile(
    r"(?:%|share|percent|percentage|proportion|fraction)(?: of (?:the )?(?:all|total|whole|sum))?(?: ?\(?%\)?)?"
)
_IS_SHARE = StatedRule(
    TOTALS,
    "{0} is the share of {1} in the sum of its column.",
    lambda share, count, whole: equal(share, printed(count.fact) * whole),
    ("The rows make up the whole.",),
    "Of which whole is {0} the share?",
)


def _of_whole(sheet: Sheet) -> Iterator[Claim]:
    """A column of shares beside the only column of counts."""
    rows = [row for row in sheet.numbered if not is_summary(sheet.rows[row].first or sheet.rows[row].label)]
    shares, columns = sheet.sole_column(_SHARE), sheet.numeric_columns()
    lists = [
        facts
        for column in columns
        if column != shares and (facts := sheet.column_values(column, rows)) and _counts(facts)
    ]
    parts = sheet.column_values(shares, rows) if shares is not None else None
    if parts is None or len(lists) != 1 or len(rows) < 2 or not (whole := sum(fact.value for fact in lists[0])):
        return
    scale, said = Fraction(100 if any(part.value > 1 for part in parts) else 1), f"column {headers(sheet, shares or 0)}"
    pairs = list(zip(parts, lists[0], strict=True))
    claims = [_IS_SHARE.claim(sheet, pair, said, scale / whole) for pair in pairs]
    # Nothing is nothing of any whole: such a row does not say of which whole the others are shares.
    telling = [claim for claim, (_share, part) in zip(claims, pairs, strict=True) if part.value]
    held = sum(is_possible(claim.formula) for claim in telling)
    if len(telling) > 1 and 2 * held >= len(telling):
        yield from claims
    else:
        yield from _wrong_count(sheet, pairs, scale, said)


_IS_SHARE_OF_REST = replace(
    _IS_SHARE,
    says="{0} is the share of {1} in the whole of which the other rows print shares.",
    formula=lambda share, count, least, most: all_of(
        at_most(printed(count.fact) / most, share), at_most(share, printed(count.fact) / least)
    ),
)


def _wrong_count(
    sheet: Sheet, pairs: Sequence[tuple[PrintedNumber, PrintedNumber]], scale: Fraction, said: str
) -> Iterator[Claim]:
    """One wrong count makes all shares wrong: then one row is at odds with the whole that all others agree on.

    With s the sum of the other counts and p the row's own share, that whole is s / (1 - p), too.
    """
    for place, (share, _count) in enumerate(pairs):
        others = [pair for other, pair in enumerate(pairs) if other != place]
        ends = [
            (scale * part.value / rate.high, scale * part.value / rate.low) for rate, part in others if rate.low > 0
        ]
        rest = sum(part.value for _rate, part in others)
        if len(ends) > 1 and share.low >= 0 and share.high < scale:
            ends.append((rest / (1 - share.low / scale), rest / (1 - share.high / scale)))
            least, most = max(low for low, _high in ends), min(high for _low, high in ends)
            if 0 < least <= most:
                yield _IS_SHARE_OF_REST.claim(sheet, pairs[place], said, least / scale, most / scale)


def _hundred(summary: StatedSummary) -> Iterator[Claim]:
    """Shares above a total of one hundred, where another column shows that all parts are listed."""
    sheet, rows, whole = summary.sheet, summary.scopes[0], summary.fact.value
    parts = sheet.column_values(summary.column, rows)
    if (
        not _TOTAL.fullmatch(summary.name)
        or whole not in (1, 100)
        or not summary.is_last
        or not parts
        or len(parts) < 3
    ):
        return
    for column in sheet.numeric_columns():
        total, facts = sheet.number(summary.row, column), sheet.column_values(column, rows)
        if total is None or facts is None or total.value == whole:
            continue
        apart = abs(sum((fact.value for fact in facts), -total.value))
        if apart <= sum((fact.unit for fact in facts), total.unit) / 2:
            evidence = f"{sheet.columns[column].label} adds up to its total"
            if 0.8 * whole <= sum(part.value for part in parts) <= 1.2 * whole:
                yield summary.claim(_IS_TOTAL, parts, evidence=evidence)
            return


def _counts(facts: Sequence[PrintedNumber]) -> bool:
    """Whether numbers are counts to the last digit: not rounded to hundreds."""
    values = [count(fact) for fact in facts]
    whole = [value for value in values if value is not None]
    return len(whole) == len(facts) and (any(fact % 100 for fact in whole) or max(whole) < 1000)


def _declared(sheet: Sheet) -> Iterator[Claim]:
    """Shares that sum to one hundred or one, as the caption says."""
    for noun, between, whole in _SUMS.findall(sheet.caption):
        kind, target = noun.lower().rstrip("s"), 100 if whole.lower() in ("100", "one hundred") else 1
        way = sheet.turned() if kind == "row" else sheet
        if _DOUBT.search(between) or (kind not in ("row", "column") and len(sheet.numeric_columns()) > 1):
            continue
        rows = [row for row, line in enumerate(way.rows) if not SUMMARY.fullmatch(line.first or line.label)]
        for column in way.numeric_columns():
            label, parts = way.columns[column].label, way.column_values(column, rows)
            if not SUMMARY.fullmatch(label) and parts is not None and len(parts) > 1:
                yield Claim(
                    f"{TOTALS} {sheet.label}[{'row' if way.is_turned else 'column'} {label}]",
                    equal(call("sum", *map(real, parts)), target),
                    f"The {len(parts)} shares of {label!r} sum to {target}.",
                    sheet.place("caption"),
                    question=f"What is missing from the shares of {label!r}?",
                    family=TOTALS,
                )


# Means

_MEAN = re.compile(
    r"(?:macro[- ])?(?:mean|average|avg)\.?(?: ?± ?(?:sd|std\.?|s\.d\.|standard deviation))?"
    rf"(?: (?:over|of|across) (?:all |the )*(?:{COUNT} )?[\w -]+| ?\((?:over |of |n ?= ?)?(?:{COUNT})?[\w -]*\))?"
)
_LISTED = re.compile(r"(?:seed|run|fold|trial|rep|repeat|replicate|split)s? ?(?:#|no\.)? ?\d+")
_ITEM = re.compile(
    r"(?:id|seed|run|fold|trial|split|state|task|dataset|data set|subject|participant|repeat|replicate|game|example|"
    r"instance|item|question|problem|environment|env\.?|benchmark|month|week|day|year|country|site|test)s?(?: ids?)?"
)
# Names of methods that aggregate: among them a row named Mean is a method too.
_AGGREGATORS = re.compile(
    r"(?:sum|max|min|mean|median|average|avg|attention|concat\w*|last|first|cls|vote|majority|none)[.]?"
    r"(?:[ -]?pool\w*)?"
)
_POOLING = re.compile(r"pool|aggregat(?:or|ion)|readout|geometric|weighted|macro|micro|harmonic", re.IGNORECASE)
_NOT_MEAN = re.compile(
    r"\b(?:f1|f-?score|f-?measure|f\d|sd|std|s\.d|ci|interval|p-?value|p|rank|min|max|median|p\d\d|best|worst|"
    r"rmse|geomean|perplexity|ppl|auc|corr\w*|r2|total|sum|count)\b"
)
_DELTA = re.compile("δ|delta|diff")
_APART = re.compile(rf"{_DELTA.pattern}|\b(?:gain|drop|gap|improvement|change)\w*")
"""What one number is more than another, of which the mean is that of their means."""
_RATE = re.compile(r"%|\b(?:rate|accuracy|acc|asr|success|pass(?:ed)?|recall|precision|coverage|share|agreement)\b")
_SIZE = re.compile(r"#|\b(?:n|count|size|samples|number|examples|support|hands|games)\b")


_IS_MEAN = StatedRule(
    MEANS,
    "{0} is the mean of {count} numbers above it or beside it.",
    lambda mean, *values: equal(mean, call("mean", *values)),
    ("Every number counts the same.",),
    "Of which numbers, with which weights, is {0} the mean?",
)


def find_means(paper: AuditedPaper) -> Iterator[Claim]:
    """Means of rows above, or of columns before."""
    plainly = [sheet for sheet in paper.both_ways if not _POOLING.search(sheet.caption)]
    for sheet in plainly:
        every = [*summaries(sheet, _MEAN), *([] if sheet.is_turned else summaries(sheet, _WHOLE))]
        for _row, group in groupby(every, lambda summary: summary.row):
            yield from _means(list(group))


def _means(row: list[StatedSummary]) -> Iterator[Claim]:
    """A row or column of means; those that are the mean of what stands before them speak for the others."""
    found = [summary for summary in row if _may_be_mean(summary)]
    fitting = [summary for summary in found if any(_is_mean_of(summary.fact, facts) for facts in summary.lists)]
    for summary in found:
        others = len(fitting) - (summary in fitting)
        if others and others >= len(found) - len(fitting):
            yield from _mean(summary, known=True)
        elif not summary.sheet.is_turned or _has_items(summary):
            yield from _mean(summary, known=False)


def _may_be_mean(summary: StatedSummary) -> bool:
    header, entry = summary.header, summary.sheet.entries[summary.row, summary.column]
    absolute = _APART if not re.search(r"%|×|\dx\b", f"{entry.text} {header}") else _DELTA
    of_some = (summary.is_last or len(summary.scopes) > 1) and not RELATIVE.search(absolute.sub("", header))
    # Shares have their whole in that row.
    parts = summary.lists[0] if summary.lists else []
    return of_some and bool(parts) and not _NOT_MEAN.search(header) and not _adding(real(summary.fact).fact, parts)


def _is_mean_of(mean: PrintedNumber, parts: Sequence[PrintedNumber]) -> bool:
    """Whether it is the mean as printed; of numbers that differ, otherwise anything between them is."""
    middle = sum((part.value for part in parts), Fraction(0)) / len(parts)
    values = [part.value for part in parts]
    return abs(mean.value - middle) <= mean.unit < max(values) - min(values)


def _mean(summary: StatedSummary, *, known: bool) -> Iterator[Claim]:
    """The mean of the rows above, by sizes or evenly; the rate of a whole where the counts of its parts add up."""
    lists, mean = summary.lists, summary.fact
    sizes, named = _sizes(summary), _MEAN.fullmatch(summary.name)
    # A label may say of how many it is the mean: then of these, or of others than are listed.
    told = count_of(named[1] or named[2] or "zero") if named else 0
    items = (told == len(lists[0]) or (not told and _has_items(summary))) if named else False
    if not (known or items or (not named and _is_rate(summary, lists[0]) and sizes and sizes[-1])):
        return
    cells = [[real(fact) for fact in facts] for facts in lists]
    ways = [equal(real(mean), call("mean", *values)) for values in cells]
    if len(sizes) == len(lists[0]) + 1:
        ways.append(equal(real(mean), weighted(cells[0], sizes[:-1])))
    evidence = "" if named else "the counts of the rows above add up to that of this row"
    yield summary.claim(_IS_MEAN, lists[0], formula=any_of(*ways), evidence=evidence)


def _has_items(summary: StatedSummary) -> bool:
    """Whether the rows above are things that one takes a mean of, and the row is not one of several methods."""
    sheet, row = summary.sheet, summary.row
    names = [plain(line.first or line.label) for line in sheet.rows[:row]]
    if any(_AGGREGATORS.fullmatch(name) for name in names if not _MEAN.fullmatch(name)):
        return False
    header = plain(sheet.table.columns[0].label)
    listed = [name for name in names if _LISTED.fullmatch(name)]
    named = sheet.rows[row].after_rule or _ITEM.fullmatch(header) is not None
    return len(listed) > 1 or (named and not sheet.is_turned)


def _is_rate(summary: StatedSummary, parts: Sequence[PrintedNumber]) -> bool:
    """Whether the column has rates, which differ, and no cell k/n says what that of the whole is made of."""
    sheet, rows = summary.sheet, (*summary.scopes[0], summary.row)
    texts = [entry.text for row in rows if (entry := sheet.entry(row, summary.column)) is not None]
    told = _RATE.search(summary.header) or all(re.fullmatch(r"[\d.]+ ?%", text) for text in texts)
    ratios = [column for column in sheet.numeric_columns() if sheet.part(summary.row, column, "k", "n")]
    return bool(told) and not ratios and len({part.value for part in parts}) > 1


def _sizes(summary: StatedSummary) -> list[Fraction]:
    """Sizes of the rows above, by which a mean may be weighted, and of the row itself; none where nothing has them."""
    sheet, rows = summary.sheet, summary.scopes[0]
    for column in sheet.numeric_columns():
        whole, facts = sheet.number(summary.row, column), sheet.column_values(column, rows)
        if facts is not None and column != summary.column and all(count(fact) for fact in facts):
            sizes = [fact.value for fact in facts]
            adds_up = whole is not None and sum(sizes) == whole.value
            if adds_up or _SIZE.search(plain(sheet.columns[column].label)):
                return [*sizes, Fraction(sum(sizes) if adds_up else 0)]
    return []
