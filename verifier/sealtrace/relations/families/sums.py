"""Totals and means that a row, a header or a caption names as such."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from sealtrace.paper.fact import Fact
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.stated import Rule, Summary, found_by, summaries, weighted
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, count, plain, real
from sealtrace.relations.search import search
from sealtrace.relations.syntax import (
    Formula,
    Given,
    Unknown,
    all_of,
    any_of,
    at_most,
    call,
    equal,
    some_real,
)
from sealtrace.relations.work import Work

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
_SPLITS = re.compile(
    r"(?:train|training|dev|development|val\.?|valid\.?|validation|test|testing|calibration|held-?out|structure|tune)"
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


_IS_TOTAL = Rule(
    TOTALS,
    "{0} is the total of {count} parts.",
    _adds_up,
    ("The parts are disjoint, or break the whole down once in each of several ways.",),
    "Which parts sum to {0}?",
    ("the parts overlap", lambda total, *parts: at_most(total, call("sum", *parts))),
    read=Given,
    headed=(_TOTAL,),
    listed=_SPLITS,
)


def find_totals(paper: AuditedPaper) -> Iterator[Claim]:
    """Rows and columns of totals, and what a caption says of shares."""
    for sheet in paper.sheets:
        for summary in summaries(sheet, _WHOLE):
            yield from _total(summary)
            yield from _hundred(summary)
        yield from _ratios(sheet)
        splits = _IS_TOTAL.columns(sheet)
        if len(splits) == len(sheet.numeric_columns()):
            yield from (claim for claim in _IS_TOTAL.claims(sheet) if _counts(claim.facts))
        yield from _declared(sheet)


def _total(summary: Summary) -> Iterator[Claim]:
    named = _TOTAL.fullmatch(summary.name) or _ADDITIVE.fullmatch(summary.header)
    parts = summary.sheet.down(summary.column, summary.scopes[0])
    if not named or _NOT_ADDITIVE.search(summary.header) or not summary.is_last or parts is None:
        return
    # What is many times its parts is a total of something else: of what the parts are means of; and parts that
    # are much more than the whole overlap.
    added, total = sum(part.value for part in parts), summary.fact
    indented = any(summary.sheet.rows[row].indented for row in summary.scopes[0])
    if _counts([*parts, total]) and not indented and 0.8 * added <= total.value <= 4 * added:
        ways = any_of(*(_adds_up(Given(total), *map(Given, facts)) for facts in summary.lists))
        # Categories, users or places of several parts may be the same ones.
        overlap = total.value < added and not _ADDITIVE.fullmatch(summary.header)
        evidence = "the row's name; a whole may be less than its parts where they overlap" if overlap else ""
        yield summary.claim(_IS_TOTAL, parts, formula=ways, evidence=evidence)


def _hundred(summary: Summary) -> Iterator[Claim]:
    """Shares above a total of one hundred, where another column shows that all parts are listed."""
    sheet, rows, whole = summary.sheet, summary.scopes[0], summary.fact.value
    parts = sheet.down(summary.column, rows)
    if (
        not _TOTAL.fullmatch(summary.name)
        or whole not in (1, 100)
        or not summary.is_last
        or not parts
        or len(parts) < 3
    ):
        return
    for column in sheet.numeric_columns():
        total, facts = sheet.number(summary.row, column), sheet.down(column, rows)
        if total is None or facts is None or total.value == whole:
            continue
        apart = abs(sum((fact.value for fact in facts), -total.value))
        if apart <= sum((fact.unit for fact in facts), total.unit) / 2:
            evidence = f"{sheet.columns[column].label} adds up to its total"
            if 0.8 * whole <= sum(part.value for part in parts) <= 1.2 * whole:
                yield summary.claim(_IS_TOTAL, parts, evidence=evidence)
            return


def _ratios(sheet: Sheet) -> Iterator[Claim]:
    """Cells k/n whose numbers of items add up to that of the whole: then so do the counts."""
    items = {(summary.row, summary.column): summary for summary in summaries(sheet.of_part("n"), _WHOLE)}
    for summary in summaries(sheet.of_part("k"), _WHOLE):
        whole = items[summary.row, summary.column]
        for parts, sizes in zip(summary.lists, whole.lists, strict=True):
            if sum(size.value for size in sizes) == whole.fact.value:
                yield summary.claim(_IS_TOTAL, parts, evidence="the numbers of items add up")


def _counts(facts: Sequence[Fact]) -> bool:
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
            label, parts = way.columns[column].label, way.down(column, rows)
            if not SUMMARY.fullmatch(label) and parts is not None and len(parts) > 1:
                yield Claim(
                    f"{TOTALS} {sheet.label}[{'row' if way.is_turned else 'column'} {label}]",
                    equal(call("sum", *map(real, parts)), target),
                    f"The {len(parts)} shares of {label!r} sum to {target}.",
                    sheet.place("caption"),
                    question=f"What is missing from the shares of {label!r}?",
                    family=TOTALS,
                )


# Means, and deviations from them

_MEAN = re.compile(r"(?:mean|average|avg)\.?(?: ?± ?(?:sd|std\.?|s\.d\.|standard deviation))?")
_SD = re.compile(r"s\.?d\.?|std\.?(?: ?dev\.?)?|st\. ?dev\.|standard deviation")
_OTHER_ERROR = re.compile(r"\bstandard errors?\b|\bSEM\b|\bconfidence|\bbootstrap|\bpooled\b", re.IGNORECASE)
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
_WEIGHTED = re.compile(r"weighted (?:total|sum|mean|average|avg\.?|score)|overall score|composite(?: score)?")
_WEIGHTS = re.compile(r"weights?(?: ?\(?(?:%|w|w_i)\)?)?")
_SIZE = re.compile(r"#|\b(?:n|count|size|samples|number|examples|support|hands|games)\b")


def _deviates(deviation: Given, *cells: Given) -> Formula:
    """A standard deviation of numbers that were rounded: theirs as printed, within what rounding can move it.

    Deviations obey the triangle's inequality: numbers that move by so much move theirs by no more.
    """
    middles = [(cell.fact.low + cell.fact.high) / 2 for cell in cells]
    mean = sum(middles, Fraction(0)) / len(cells)
    squares = sum(((middle - mean) ** 2 for middle in middles), Fraction(0))
    moved = sum(((cell.fact.high - cell.fact.low) ** 2 / 4 for cell in cells), Fraction(0))
    ways = [
        at_most(call("abs", deviation * call("sqrt", divisor) - call("sqrt", squares)), call("sqrt", moved))
        for divisor in (len(cells) - 1, len(cells))
    ]
    return all_of(some_real("m", None, None, equal(Unknown("m"), call("mean", *cells))), any_of(*ways))


_IS_MEAN = Rule(
    MEANS,
    "{0} is the mean of {count} numbers above it or beside it.",
    lambda mean, *values: equal(mean, call("mean", *values)),
    ("Every number counts the same.",),
    "Of which numbers, with which weights, is {0} the mean?",
    (
        "some weights",
        lambda mean, *values: all_of(at_most(call("min", *values), mean), at_most(mean, call("max", *values))),
    ),
    headed=(_MEAN,),
    listed=_LISTED,
)
_IS_WEIGHTED = Rule(
    MEANS,
    "{0} is made of {count} numbers by the weights of their rows.",
    lambda whole, *values: equal(whole, call("sum", *values)),
    ("The weights are those of the column headed so.",),
    "With which weights is {0} computed?",
)
_IS_DEVIATION = Rule(
    MEANS,
    "{0} is the standard deviation of {count} listed numbers.",
    _deviates,
    ("The divisor is the number of values or one less.",),
    "Which values have the standard deviation {0}?",
    headed=(_SD,),
    listed=_LISTED,
)


def find_means(paper: AuditedPaper) -> Iterator[Claim]:
    """Means of rows above and of listed seeds, and deviations of those."""
    plainly = [sheet for sheet in paper.sheets if not _POOLING.search(sheet.caption)]
    for sheet in plainly:
        for summary in (*summaries(sheet, _MEAN), *summaries(sheet, _WHOLE)):
            yield from _mean(summary)
    for sheet in paper.both_ways:
        yield from _weighted(sheet)
    yield from found_by([_IS_MEAN], plainly)
    yield from found_by([_IS_DEVIATION], (sheet for sheet in paper.both_ways if not _OTHER_ERROR.search(sheet.caption)))


def _mean(summary: Summary) -> Iterator[Claim]:
    """The mean of the rows above, by sizes or evenly; the rate of a whole where the counts of its parts add up."""
    lists, header, mean = summary.lists, summary.header, summary.fact
    entry = summary.sheet.entries[summary.row, summary.column]
    absolute = _APART if not re.search(r"%|×|\dx\b", f"{entry.text} {header}") else _DELTA
    relative = RELATIVE.search(absolute.sub("", header))
    if not lists or not (summary.is_last or len(summary.scopes) > 1) or _NOT_MEAN.search(header) or relative:
        return
    sizes, is_mean = _sizes(summary), _MEAN.fullmatch(summary.name) is not None
    known = _has_items(summary) if is_mean else _is_rate(summary, lists[0]) and bool(sizes) and bool(sizes[-1])
    # Shares have their whole in that row.
    if not known or abs(sum(fact.value for fact in lists[0]) - mean.value) <= len(lists[0]) * mean.unit:
        return
    cells = [[real(fact) for fact in facts] for facts in lists]
    ways = [equal(real(mean), call("mean", *values)) for values in cells]
    if len(sizes) == len(lists[0]) + 1:
        ways.append(equal(real(mean), weighted(cells[0], sizes[:-1])))
    evidence = "" if is_mean else "the counts of the rows above add up to that of this row"
    yield summary.claim(_IS_MEAN, lists[0], formula=any_of(*ways), evidence=evidence)


def _weighted(sheet: Sheet) -> Iterator[Claim]:
    """Weighted totals below a column of weights that make up one or one hundred."""
    columns, found = sheet.headed(_WEIGHTS), []
    for summary in summaries(sheet, _WEIGHTED) if len(columns) == 1 else ():
        weights, parts = (sheet.down(place, summary.scopes[0]) for place in (*columns, summary.column))
        if weights and parts and summary.column not in columns and sum(fact.value for fact in weights) in (1, 100):
            found.append((summary, parts, [fact.value for fact in weights]))
    for read in (Given, real):
        ways = [weighted([read(part) for part in parts], weights) for _summary, parts, weights in found]
        formulas = [equal(real(summary.fact), way) for (summary, *_), way in zip(found, ways, strict=True)]
        # Whole-number scores are taken as they stand where most totals follow from them so, else as rounded.
        holds = sum(search(formula, Work(20_000)).status == "possible" for formula in formulas)
        if read is real or 2 * holds >= len(formulas):
            evidence = "most weighted totals of the table follow from its numbers as printed" if read is Given else ""
            for (summary, parts, _weights), formula in zip(found, formulas, strict=True):
                yield summary.claim(_IS_WEIGHTED, parts, formula=formula, evidence=evidence)
            return


def _has_items(summary: Summary) -> bool:
    """Whether the rows above are things that one takes a mean of, and the row is not one of several methods."""
    sheet, row = summary.sheet, summary.row
    names = [plain(sheet.rows[place].first) for place in range(row)]
    if any(_AGGREGATORS.fullmatch(name) for name in names if not _MEAN.fullmatch(name)):
        return False
    header = plain(sheet.table.columns[0].label)
    listed = [name for name in names if _LISTED.fullmatch(name)]
    return sheet.rows[row].after_rule or _ITEM.fullmatch(header) is not None or len(listed) > 1


def _is_rate(summary: Summary, parts: Sequence[Fact]) -> bool:
    """Whether the column has rates, which differ, and no cell k/n says what that of the whole is made of."""
    sheet, rows = summary.sheet, (*summary.scopes[0], summary.row)
    texts = [entry.text for row in rows if (entry := sheet.entry(row, summary.column)) is not None]
    told = _RATE.search(summary.header) or all(re.fullmatch(r"[\d.]+ ?%", text) for text in texts)
    ratios = [column for column in sheet.numeric_columns() if sheet.part(summary.row, column, "k", "n")]
    return bool(told) and not ratios and len({part.value for part in parts}) > 1


def _sizes(summary: Summary) -> list[Fraction]:
    """Sizes of the rows above, by which a mean may be weighted, and of the row itself; none where nothing has them."""
    sheet, rows = summary.sheet, summary.scopes[0]
    for column in sheet.numeric_columns():
        whole, facts = sheet.number(summary.row, column), sheet.down(column, rows)
        if facts is not None and column != summary.column and all(count(fact) for fact in facts):
            sizes = [fact.value for fact in facts]
            adds_up = whole is not None and sum(sizes) == whole.value
            if adds_up or _SIZE.search(plain(sheet.columns[column].label)):
                return [*sizes, Fraction(sum(sizes) if adds_up else 0)]
    return []
