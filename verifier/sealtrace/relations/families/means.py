"""Rows and columns headed Mean: the mean of the rows above, or of the seeds that the row lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import RELATIVE, SUMMARY, count, plain, real
from sealtrace.relations.syntax import Formula, all_of, any_of, at_most, call, equal

FAMILY = "mean of rows"
MEAN = re.compile(r"(?:mean|average|avg)\.?(?: ?± ?(?:sd|std\.?|s\.d\.|standard deviation))?")
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


def summarized(sheet: Sheet, row: int) -> list[list[int]]:
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


def items_above(sheet: Sheet, row: int) -> bool:
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
        scopes = summarized(sheet, row)
        if not scopes or not items_above(sheet, row):
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


def seed_columns(sheet: Sheet) -> tuple[list[int], int] | None:
    """Columns that list seeds, folds or runs, and the column of their mean, where nothing else is there to average."""
    headers = [plain(line.label) for line in sheet.columns]
    listed = [column for column in sheet.numeric_columns() if LISTED.fullmatch(headers[column])]
    means = [column for column in sheet.numeric_columns() if MEAN.fullmatch(headers[column])]
    return (listed, means[0]) if len(listed) > 1 and len(means) == 1 else None


def _seed_columns(sheet: Sheet) -> Iterator[Claim]:
    found = seed_columns(sheet)
    if found is None or _POOLING.search(sheet.caption):
        return
    listed, column = found
    for row in range(len(sheet.rows)):
        mean = sheet.number(row, column)
        values = [sheet.number(row, one) for one in listed]
        facts = [one for one in values if one is not None]
        if mean is not None and len(facts) == len(values):
            yield _mean(sheet, mean, [facts], None, f"column {sheet.columns[column].label!r}")
