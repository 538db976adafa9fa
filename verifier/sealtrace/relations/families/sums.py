"""Totals, means and differences that a row, a header or a caption names as such."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.stated import Rule, Summary, found_by, headers, summaries, weighted
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, count, plain, real, sentences
from sealtrace.relations.lexicon import phrase, telling
from sealtrace.relations.search import search
from sealtrace.relations.syntax import (
    Expression,
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

TOTALS, MEANS, DIFFERENCES, GAMES = "parts and whole", "mean of rows", "difference", "games"

# Parts and their whole

_TOTAL = re.compile(r"(?:total|totals|sum)[.:]?")
_WHOLE = re.compile(r"(?:total|totals|sum|all|overall)[.:]?")
_NOT_ADDITIVE = re.compile(
    r"avg|mean|median|max|min|unique|distinct|year|rate|ratio|%|\bper\b|length|vocab|types|class|label|categor|entit|"
    r"relation|users|speakers|languages|authors|rank|depth|layers|time|\bid\b|version|seed|score|dim"
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


def find_totals(paper: Paper) -> Iterator[Claim]:
    """Rows and columns of totals, and what a caption says of shares."""
    for sheet in paper.sheets:
        for summary in summaries(sheet, _WHOLE):
            yield from _total(summary)
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


def find_means(paper: Paper) -> Iterator[Claim]:
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
    relative = RELATIVE.search(re.sub("δ|delta|diff", "", header))
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
    header = plain(sheet.record["columns"][0]["label"]) if sheet.record else ""
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


# Differences

_CHANGE = re.compile(r"(?:δ|delta|diff\.?|difference|change|gain|improvement|improv\.?|gap)(?: ?\(?%\)?)?")
_BEFORE = re.compile(r"(?:before|pre|pre-test|initial|old|baseline)(?: ?\(%\))?")
_AFTER = re.compile(r"(?:after|post|post-test|final|new)(?: ?\(%\))?")
_MINUS = r"(?:[-–—]|minus)"
_IS = r"(?: is| =| denotes| equals|:| means| gives)(?: the)?"
_IS_DIFFERENCE = Rule(
    DIFFERENCES,
    "{0} is the difference of {1} and {2}.",
    lambda result, left, right: equal(result, left - right),
    ("Both numbers are of the same row as the difference.",),
    "Which two numbers differ by {0}?",
)


@dataclass(frozen=True)
class _Subtraction:
    """Which column is subtracted from which; where the paper leaves the order open, either from the other."""

    result: int
    left: int
    right: int
    said: str
    ordered: bool = True
    named: bool = True
    """Whether the paper names both columns; where it does not, a change in percent may be meant."""

    def ways(self, result: Expression, left: Expression, right: Expression) -> tuple[list[Formula], list[Formula]]:
        """What the result may be: a difference, or a change in percent of where it started."""
        pairs = [(left, right)] if self.ordered else [(left, right), (right, left)]
        changes = [equal(result * base, (new - old) * 100) for new, old in pairs for base in (left, right)]
        return [equal(result, new - old) for new, old in pairs], list[Formula](changes)

    def claims(self, sheet: Sheet) -> Iterator[Claim]:
        """What it says of every row."""
        columns = self.result, self.left, self.right
        for row, facts in sheet.together(*columns):
            entries = [(sheet.columns[column].label, sheet.entry(row, column)) for column in columns]
            percent, *points = ("%" in label or (entry is not None and "%" in entry.text) for label, entry in entries)
            differences, changes = self.ways(*map(real, facts))
            either = not self.named or (percent and not any(points))
            repairs = (Repair("a change relative to one of them", any_of(*changes)),)
            yield _IS_DIFFERENCE.claim(
                sheet,
                facts,
                self.said,
                formula=any_of(*differences, *(changes if either else ())),
                repairs=repairs if self.named and not percent else (),
            )


def find_differences(paper: Paper) -> Iterator[Claim]:
    """A header `A - B`, a caption that names both columns, or before and after beside a change."""
    for sheet in paper.sheets:
        labels = [plain(sheet.columns[column].label) for column in sheet.numeric_columns()]
        names = {
            label: column
            for label, column in zip(labels, sheet.numeric_columns(), strict=True)
            if labels.count(label) == 1
        }
        found = (*_by_header(sheet, names), *_by_caption(sheet, names), *_by_names(sheet))
        for subtraction in {subtraction.result: subtraction for subtraction in reversed(found)}.values():
            yield from subtraction.claims(sheet)


def _by_header(sheet: Sheet, names: dict[str, int]) -> Iterator[_Subtraction]:
    """A header such as `A - B` or `Δ (A - B)`."""
    for result in sheet.numeric_columns():
        header = plain(sheet.columns[result].label)
        inner = re.fullmatch(rf"{_CHANGE.pattern} ?[(:=]?(.*?)\)?", header)
        for text in (header, inner.group(1).strip() if inner else ""):
            for sign in re.finditer(rf" {_MINUS} |–|—", text):
                left, right = (names.get(side.strip()) for side in (text[: sign.start()], text[sign.end() :]))
                if left is not None and right is not None and result not in (left, right):
                    yield _Subtraction(result, left, right, f"header {headers(sheet, result)}")


def _by_caption(sheet: Sheet, names: dict[str, int]) -> Iterator[_Subtraction]:
    """A caption such as `Gain is A minus B`, or `Δ is the difference between A and B`."""
    one_of = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    minus = rf"(?P<left>{one_of}) {_MINUS} (?P<right>{one_of})"
    between = rf"difference (?:between|of) (?:the )?(?P<one>{one_of}) and (?:the )?(?P<other>{one_of})"
    for result in sheet.headed(_CHANGE):
        header = re.sub(r" ?\(?%\)?$", "", plain(sheet.columns[result].label))
        told = re.compile(rf"(?<!\w){re.escape(header)}{_IS} (?:{minus}|{between})(?!\w)")
        for found in (match for sentence in sentences(sheet.caption) for match in told.finditer(plain(sentence))):
            ordered = found["left"] is not None
            left, right = (names[name] for name in found.group(*(("left", "right") if ordered else ("one", "other"))))
            if len({result, left, right}) == 3:
                yield _Subtraction(result, left, right, "caption", ordered=ordered)


def _by_names(sheet: Sheet) -> Iterator[_Subtraction]:
    """Before and after beside a column of changes, and no fourth column that could be meant."""
    columns = sheet.numeric_columns()
    before, after, result = (sheet.only(pattern) for pattern in (_BEFORE, _AFTER, _CHANGE))
    if len(columns) == 3 and before is not None and after is not None and result is not None:
        said = f"columns {headers(sheet, *columns)}"
        yield _Subtraction(result, after, before, said, ordered=False, named=False)


# Two-player zero-sum games

_ZERO_SUM = re.compile(r"zero-sum|\bpoker\b|\bleduc\b|\bkuhn\b|\bgoofspiel\b|\bliar's dice\b|rock-paper-scissors", re.I)
_PLAIN = r"(?!mbb|milli|log|δ|relative|normali[sz]ed)(?:[\w-]+ )?"
_NASHCONV = rf"{_PLAIN}nash-?conv"
_EXPLOITABILITY = rf"{_PLAIN}(?:exploitability|exploit\.|expl\.)"
_RESPONSE = r"(?:br|best[ -]response)(?: value)?,?[ _]?(?:\(?(?:player|p)?[ _]?[012]\)?)"
_SAYS_HALF = re.compile(
    r"exploitability[^.;]{0,80}(?:\bhalf\b|nashconv ?/ ?2|/ ?2\b|½)|(?:\bhalf\b|nashconv ?/ ?2)[^.;]{0,60}exploitab",
    re.I,
)
_IS_NASHCONV = Rule(
    GAMES,
    "NashConv {0} is the sum of the best-response values {1} and {2}.",
    lambda nashconv, *responses: equal(nashconv, call("sum", *responses)),
    ("Two players, zero-sum, and best responses to the same profile.",),
    "What are the best-response values behind {0}?",
    ("NashConv is their mean", lambda nashconv, *responses: equal(nashconv, call("mean", *responses))),
    headed=(_NASHCONV,),
    listed=_RESPONSE,
)
_IS_HALF = Rule(
    GAMES,
    "Exploitability {0} is half of NashConv {1}.",
    lambda exploitability, nashconv: equal(exploitability * 2, nashconv),
    ("Two players, and both numbers are of the same profile.",),
    "How is exploitability defined?",
    ("exploitability is NashConv itself", equal),
    headed=(_EXPLOITABILITY, _NASHCONV),
)
# Some call NashConv itself the exploitability; only a paper that says half is held to it.
_IS_EITHER = replace(
    _IS_HALF,
    says="Exploitability {0} is half of, or the same as, NashConv {1}.",
    formula=lambda *both: any_of(_IS_HALF.formula(*both), equal(*both)),
    repair=None,
)


def find_games(paper: Paper) -> Iterator[Claim]:
    """NashConv is the sum of the best-response values, exploitability is half of it, also in another table."""
    half = _SAYS_HALF.search(paper.words) is not None
    sheets = list(paper.both_ways) if _ZERO_SUM.search(paper.words) else []
    yield from found_by([_IS_NASHCONV, _IS_HALF if half else _IS_EITHER], sheets)
    for sheet, other in permutations(sheets, 2) if half else ():
        sums, rows = other.only(_NASHCONV), {plain(line.label): row for row, line in enumerate(other.rows)}
        if other.label == sheet.label or sums is None or not _same_evaluation(sheet.caption, other.caption):
            continue
        for row, (exploitability,) in sheet.together(sheet.only(_EXPLOITABILITY)):
            name = plain(sheet.rows[row].label)
            if name in rows and (nashconv := other.number(rows[name], sums)) is not None:
                yield _IS_HALF.claim(
                    sheet, (exploitability, nashconv), f"exploitability, and NashConv of {other.label}"
                )


def _same_evaluation(caption: str, other: str) -> bool:
    """Whether two captions share three words in a row that name something."""
    runs = [{words[place : place + 3] for place in range(len(words) - 2)} for words in (phrase(caption), phrase(other))]
    return any(len(telling(run)) == 3 for run in runs[0] & runs[1])
