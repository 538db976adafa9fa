"""Rows and columns headed Mean or SD: of the rows above, or of the seeds that the row lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, count, plain, real
from sealtrace.relations.syntax import Formula, Unknown, all_of, any_of, at_most, call, equal, some_real

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


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        yield from _mean_rows(sheet)
        yield from _seed_columns(sheet)
    for sheet in paper.both_ways:
        yield from _deviations(sheet)


def _summarized(sheet: Sheet, row: int) -> list[list[int]]:
    """The rows that a summary row may speak of: those of its block, those since the last summary, or all above."""
    above = [place for place in range(row) if not SUMMARY.fullmatch(plain(sheet.rows[place].first))]
    scopes = [above]
    if above:
        # Several summaries in one stack speak of the same rows.
        earlier = sorted(set(range(above[-1])) - set(above))
        ruled = [place for place in above if sheet.rows[place].after_rule]
        starts = [place + 1 for place in earlier[-1:]] + ruled[-1:]
        scopes += [[place for place in above if place >= start] for start in starts]
    unique = {tuple(scope): scope for scope in scopes if len(scope) > 1}
    return list(unique.values())


def _items_above(sheet: Sheet, row: int) -> bool:
    """Whether the rows above are things that one takes a mean of, and the row is not one of several methods."""
    names = [plain(sheet.rows[place].first) for place in range(row)]
    if any(_AGGREGATORS.fullmatch(name) for name in names if not MEAN.fullmatch(name)):
        return False
    header = plain(sheet.record["columns"][0]["label"]) if sheet.record else ""
    listed = [name for name in names if LISTED.fullmatch(name)]
    return sheet.rows[row].after_rule or _ITEM.fullmatch(header) is not None or len(listed) > 1


def _mean_rows(sheet: Sheet) -> Iterator[Claim]:
    if _POOLING.search(sheet.caption):
        return
    for row, line in enumerate(sheet.rows):
        if not MEAN.fullmatch(plain(line.first)):
            continue
        scopes = _summarized(sheet, row)
        if not scopes or not _items_above(sheet, row):
            continue
        if not all(SUMMARY.fullmatch(plain(one.first)) for one in sheet.rows[row + 1 :]) and len(scopes) == 1:
            # Rows below that are not spoken of: the mean may be of a block that nothing marks.
            continue
        for column in sheet.numeric_columns():
            header = plain(sheet.columns[column].label)
            mean = sheet.number(row, column)
            if mean is None or _NOT_MEAN.search(header) or _relative(header):
                continue
            lists = [facts for scope in scopes if (facts := sheet.down(column, scope)) is not None]
            if lists:
                weights = _weights(sheet, scopes[0])
                yield _mean(sheet, mean, lists, weights, f"row {line.label!r}")


def _relative(header: str) -> bool:
    """Whether a mean of the column's numbers may have been computed from other means."""
    return RELATIVE.search(header.replace("δ", "").replace("delta", "").replace("diff", "")) is not None


def _weights(sheet: Sheet, rows: list[int]) -> list[Fact] | None:
    """A column of sizes, by which the mean may be weighted."""
    for column in sheet.numeric_columns():
        facts = sheet.down(column, rows)
        sized = re.search(
            r"#|\b(?:n|count|size|samples|number|examples|support|hands|games)\b", plain(sheet.columns[column].label)
        )
        if sized and facts is not None and all(count(fact) for fact in facts):
            return facts
    return None


def _mean(sheet: Sheet, mean: Fact, lists: list[list[Fact]], weights: list[Fact] | None, said: str) -> Claim:
    ways: list[Formula] = [equal(real(mean), call("mean", *map(real, facts))) for facts in lists]
    if weights is not None and len(weights) == len(lists[0]):
        whole = sum(fact.value for fact in weights)
        terms = [real(fact) * (weight.value / whole) for fact, weight in zip(lists[0], weights, strict=True)]
        ways.append(equal(real(mean), call("sum", *terms)))
    between = all_of(
        at_most(call("min", *map(real, lists[0])), real(mean)), at_most(real(mean), call("max", *map(real, lists[0])))
    )
    return Claim(
        f"{FAMILY} {mean.address}",
        any_of(*ways),
        f"{mean.text} is the mean of {len(lists[0])} numbers above it or beside it.",
        sheet.place(said),
        ("Every number counts the same.",),
        (Repair("some weights", between),),
        f"Of which numbers, with which weights, is {mean.text} the mean?",
        FAMILY,
    )


def _seed_columns(sheet: Sheet) -> Iterator[Claim]:
    listed, column = sheet.headed(LISTED), sheet.only(MEAN)
    if len(listed) < 2 or column is None or _POOLING.search(sheet.caption):
        return
    for _row, (mean, *facts) in sheet.together(column, *listed):
        yield _mean(sheet, mean, [facts], None, f"column {sheet.columns[column].label!r}")


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
