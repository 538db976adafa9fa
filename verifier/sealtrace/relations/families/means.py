"""Rows and columns headed Mean or SD: of the rows above, or of the seeds that the row lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product

from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.stated import Rule, headers, summaries, weighted
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, count, plain, real
from sealtrace.relations.syntax import Unknown, all_of, any_of, at_most, call, equal, some_real

FAMILY = "mean of rows"
MEAN = re.compile(r"(?:mean|average|avg)\.?(?: ?± ?(?:sd|std\.?|s\.d\.|standard deviation))?")
_SD = re.compile(r"s\.?d\.?|std\.?(?: ?dev\.?)?|st\. ?dev\.|standard deviation")
_OTHER_ERROR = re.compile(r"\bstandard errors?\b|\bSEM\b|\bconfidence|\bbootstrap|\bpooled\b", re.IGNORECASE)
MOST_LISTED = 12
"""Longer lists have too many corners to try."""
LISTED = re.compile(r"(?:seed|run|fold|trial|rep|repeat|replicate|split)s? ?(?:#|no\.)? ?\d+")
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
_SIZE = re.compile(r"#|\b(?:n|count|size|samples|number|examples|support|hands|games)\b")
_IS_MEAN = Rule(
    FAMILY,
    "{0} is the mean of {count} numbers above it or beside it.",
    lambda mean, *values: equal(mean, call("mean", *values)),
    ("Every number counts the same.",),
    "Of which numbers, with which weights, is {0} the mean?",
    (
        "some weights",
        lambda mean, *values: all_of(at_most(call("min", *values), mean), at_most(mean, call("max", *values))),
    ),
)


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        if not _POOLING.search(sheet.caption):
            yield from _mean_rows(sheet)
            listed, column = sheet.headed(LISTED), sheet.only(MEAN)
            if len(listed) > 1:
                yield from _IS_MEAN.claims(sheet, (column, *listed), f"column {headers(sheet, column)}")
    for sheet in paper.both_ways:
        yield from _deviations(sheet)


def _mean_rows(sheet: Sheet) -> Iterator[Claim]:
    for row, column, mean, scopes in summaries(sheet, MEAN):
        header = plain(sheet.columns[column].label)
        # Rows below that are not spoken of: the mean may be of a block that nothing marks.
        last = all(SUMMARY.fullmatch(plain(line.first)) for line in sheet.rows[row + 1 :])
        if not _items_above(sheet, row) or not (last or len(scopes) > 1):
            continue
        lists = [facts for scope in scopes if (facts := sheet.down(column, scope)) is not None]
        if not lists or _NOT_MEAN.search(header) or _relative(header):
            continue
        if abs(sum(fact.value for fact in lists[0]) - mean.value) <= len(lists[0]) * mean.unit:
            # Shares have their whole in that row.
            continue
        cells = [[real(fact) for fact in facts] for facts in lists]
        ways = [equal(real(mean), call("mean", *values)) for values in cells]
        sizes = _sizes(sheet, scopes[0])
        if len(sizes) == len(lists[0]):
            ways.append(equal(real(mean), weighted(cells[0], sizes)))
        label = sheet.rows[row].label
        yield _IS_MEAN.claim(sheet, (mean, *lists[0]), f"row {label!r}", formula=any_of(*ways))


def _items_above(sheet: Sheet, row: int) -> bool:
    """Whether the rows above are things that one takes a mean of, and the row is not one of several methods."""
    names = [plain(sheet.rows[place].first) for place in range(row)]
    if any(_AGGREGATORS.fullmatch(name) for name in names if not MEAN.fullmatch(name)):
        return False
    header = plain(sheet.record["columns"][0]["label"]) if sheet.record else ""
    listed = [name for name in names if LISTED.fullmatch(name)]
    return sheet.rows[row].after_rule or _ITEM.fullmatch(header) is not None or len(listed) > 1


def _relative(header: str) -> bool:
    """Whether a mean of the column's numbers may have been computed from other means."""
    return RELATIVE.search(header.replace("δ", "").replace("delta", "").replace("diff", "")) is not None


def _sizes(sheet: Sheet, rows: list[int]) -> list[Fraction]:
    """Sizes of the rows, by which the mean may be weighted; none where no column gives them."""
    for column in sheet.numeric_columns():
        facts = sheet.down(column, rows) if _SIZE.search(plain(sheet.columns[column].label)) else None
        if facts is not None and all(count(fact) for fact in facts):
            return [fact.value for fact in facts]
    return []


def _deviations(sheet: Sheet) -> Iterator[Claim]:
    """The standard deviation of listed seeds, folds or runs."""
    listed = sheet.headed(LISTED)
    if not 2 <= len(listed) <= MOST_LISTED or _OTHER_ERROR.search(sheet.caption):
        return
    for _row, (deviation, *facts) in sheet.together(sheet.only(_SD), *listed):
        cells = [real(fact) for fact in facts]
        least, most = _squares([(cell.fact.low, cell.fact.high) for cell in cells])
        ways = [equal(real(deviation) ** 2 * divisor, Unknown("v")) for divisor in (len(facts) - 1, len(facts))]
        centre = some_real("m", None, None, equal(Unknown("m"), call("mean", *cells)))
        yield Claim(
            f"{FAMILY} {deviation.address} deviation",
            all_of(centre, some_real("v", least, most, any_of(*ways))),
            f"{deviation.text} is the standard deviation of {', '.join(fact.text for fact in facts)}; their squares "
            f"around their mean sum to {float(least):.6g} to {float(most):.6g}.",
            sheet.place(f"{len(facts)} listed values"),
            ("The divisor is the number of values or one less.",),
            question=f"Which values have the standard deviation {deviation.text}?",
            family=FAMILY,
        )


def _squares(ends: list[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """The least and the greatest sum of squared distances from their own mean, of values within intervals."""

    def around(values: Sequence[Fraction]) -> Fraction:
        centre = sum(values, Fraction(0)) / len(values)
        return sum(((value - centre) ** 2 for value in values), Fraction(0))

    # Least where every value is as near as it can be to one point; a convex function is greatest at a corner.
    points = sorted({end for pair in ends for end in pair})
    away = [[min(max(low, point), high) for low, high in ends] for point in _centres(points, ends)]
    return min(map(around, away)), max(around(corner) for corner in product(*ends))


def _centres(points: list[Fraction], ends: list[tuple[Fraction, Fraction]]) -> Iterator[Fraction]:
    """Between each two neighbouring ends, the point that is best for the values that cannot reach it."""
    yield points[0]
    for left, right in pairwise(points):
        fixed = [high for _low, high in ends if high <= left] + [low for low, _high in ends if low >= right]
        yield min(max(sum(fixed, Fraction(0)) / len(fixed), left), right) if fixed else left
