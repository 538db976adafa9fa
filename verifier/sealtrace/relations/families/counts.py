"""What comes from counting: a rate is k/n for some k, and a mean of n whole numbers has a whole sum."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.paper.sentences import clauses
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.stated import StatedRule, headers, nearly_all, size_of
from sealtrace.relations.families.wording import (
    AVERAGED,
    BARE_RATE,
    COUNT,
    ITEMS,
    RELATIVE,
    count,
    count_of,
    is_percent,
    plain,
    real,
    repeats_of,
)
from sealtrace.relations.syntax import Formula, Multiple, Unknown, all_of, any_of, equal, number, some_integer

GRANULARITY, WHOLE_NUMBERS = "granularity", "whole numbers"
_RATE = re.compile(
    r"(?:[\w-]+ ){0,2}(?:accuracy|acc\.?|success rate|success|error rate|pass rate|failure rate|viol(?:ation|\.) rate|"
    r"agreement|legality|solve rate|completion rate|response rate|exact match|win rate)"
    r"(?: ?\(?%\)?)?(?: ?\(n ?= ?\d+\))?"
)
_UNSUITABLE = re.compile(
    r"\b(?:balanced|worst|best|group|per|inter|max|min|mean|average|avg|weighted|macro|token|pairwise|auc|"
    r"auroc|triplet|ranking|pixel|voxel)\b"
)
_NUMERATOR = re.compile(r"(?:# ?|no\. of |number )?(?:correct|successes|solved|passed|hits|failures|errors)")
_DENOMINATOR = re.compile(
    r"(?:# ?|no\. of |number of )?(?:test |eval(?:uation)? )?"
    r"(?:n|total|attempts|questions|problems|games|hands|matches|episodes|participants|patients|subjects|cases|states)"
)
_TRAINING = re.compile(
    r"train|tuned|tuning|calibrat|\bfit|prompt|\bfew-shot|-shot\b|in-context|demonstrat|distill|select", re.IGNORECASE
)
_DECLARED = re.compile(rf"\b[nN] ?= ?{COUNT}")
_GROUPS = re.compile(r"\b[nN]_\S")
_USED = re.compile(
    rf"\b(?:over|on|of|out of|uses?|and|across) (?:the |all |our )?(?:same )?{COUNT} (?:[\w-]+ ){{0,2}}?{ITEMS}\b"
    r"(?! (?:per|each|from each|in each|for each))",
    re.IGNORECASE,
)
_ANY = re.compile(rf"\b{COUNT} (?:[\w-]+ ){{0,2}}?{ITEMS}\b", re.IGNORECASE)
_DEFINED = re.compile(
    r"(?:^|[;,:] )(\w[\w .-]*?) (?:is|are|denotes|gives|means) (?:the |a )?"
    rf"(?:fraction|share|proportion|percentage) of (?:the |all |our )?(?:{COUNT} )?(?:[\w-]+ ){{0,2}}?(\w+s)\b",
    re.IGNORECASE,
)
_LEAST = 10
"""A smaller number in a caption is rarely a denominator."""


def find_rates(paper: AuditedPaper) -> Iterator[Claim]:
    """Rates beside their counts, and over a number of items that is declared or that all of a column agree on."""
    for sheet in paper.sheets:
        yield from _beside_counts(sheet)
    for sheet in paper.both_ways:
        for column in sheet.numeric_columns():
            yield from _rates(sheet, column)


# A rate beside its count


_IS_SHARE = StatedRule(
    GRANULARITY,
    "{0} is printed as the rate {1}/{2} of the same row.",
    lambda rate, k, n, whole: equal(rate, number(k.fact.value) * whole / number(n.fact.value)),
    ("The rate is that of the count beside it.",),
    "Is {0} the rate of {1} in {2}?",
)


def _beside_counts(sheet: Sheet) -> Iterator[Claim]:
    """A rate in one cell with k/n, beside a cell k/n, or beside a column of counts and one of totals."""
    for (row, column), entry in sheet.entries.items():
        parts = dict(zip(entry.names, entry.facts, strict=False))
        if parts.keys() == {"rate", "k", "n"}:
            yield from _share(
                sheet, row, column, (parts["rate"], parts["k"], parts["n"]), f"column {headers(sheet, column)}"
            )
    if repeats_of(sheet.caption) is None:
        return
    rows = range(len(sheet.rows))
    ratios = [column for column in sheet.numeric_columns() if any(sheet.part(row, column, "k", "n") for row in rows)]
    rates = [*sheet.headed(_RATE), *sheet.headed(BARE_RATE)]
    stem = re.sub(r" ?(?:counts?|k/n|\(k/n\))$", "", plain(sheet.columns[ratios[0]].label)) if ratios else ""
    named = rf"{re.escape(stem)} (?:rate|fraction|proportion|share)(?: ?\(?%\)?)?"
    of_counts = [*sheet.headed(BARE_RATE), *(sheet.headed(named) if stem else ())]
    for column in [*of_counts, *sheet.headed(_RATE)] if len(ratios) == 1 else ():
        said = f"columns {headers(sheet, ratios[0], column)}"
        cells = [(row, sheet.number(row, column), sheet.part(row, ratios[0], "k", "n")) for row in rows]
        claims = [claim for row, rate, ratio in cells if rate and ratio
                  for claim in _share(sheet, row, column, (rate, *ratio), said)]  # fmt: skip
        if column in of_counts:
            yield from claims
        # An accuracy beside the only k/n is that of it where nearly all rows say so.
        elif not AVERAGED.search(f"{sheet.caption} {sheet.columns[column].label}"):
            yield from nearly_all(claims, "rates are those of the counts beside them")
    k, n = sheet.sole_column(_NUMERATOR), sheet.sole_column(_DENOMINATOR)
    if k is not None and n is not None and len(rates) == 1:
        # Errors beside an accuracy: the other share.
        wrong = [re.search("fail|error", plain(sheet.columns[column].label)) is not None for column in (k, rates[0])]
        for row, facts in sheet.rows_with(rates[0], k, n) if len(set(wrong)) == 1 else ():
            yield from _share(sheet, row, rates[0], facts, f"columns {headers(sheet, k, n, rates[0])}")


def _share(sheet: Sheet, row: int, column: int, facts: tuple[PrintedNumber, ...], said: str) -> Iterator[Claim]:
    (rate, k, n), entry = facts, sheet.entry(row, column)
    percent = is_percent(sheet.columns[column].label, sheet.caption, (entry.text,) if entry else ())
    whole = 100 if percent or rate.value > 1 else 1
    # What is beyond all is no share, whatever it is called: so many a second, or a number of tokens.
    # A whole number without a sign of percent is a count that k and n break down: 5 (2/3).
    is_rate = 0 <= rate.value <= whole and (percent or not rate.exact)
    if is_rate and count(k) is not None and count(n) and k.value <= n.value:
        yield _IS_SHARE.claim(sheet, facts, said, whole)


# A number of items that the caption or a header declares, or that all rates of a column agree on

_NO_RATE = re.compile(
    r"\b(?:[pqrtzf]|p-?(?:adj\w*|val\w*)|q-?val\w*|pr|sig\w*|prob\w*|corr\w*|[ρτκα]|s\.?[de]\.?|std|au\w{0,2}c\w*|"
    r"mcc|matthews|kappa|f-?[12]|f-?(?:score|measure)s?|bleu|rouge\S*|m?ap|ndcg\S*|m?iou|dice|brier|r\^2|r²|g-?mean)\b"
)
_ONCE = ("Every item counts once, as 0 or 1.", "Nothing is averaged that the caption does not name.")


@dataclass(frozen=True)
class _Steps:
    """The numbers of items that the rate of each row may be over, and of how many such rates it is a mean."""

    sizes: dict[int, tuple[int, ...]]
    said: str
    whole: Fraction
    """What all of them are: 1, or 100 in percent; half of it where ties count half."""
    repeats: int = 1
    evidence: str = ""
    assumes: tuple[str, ...] = ()

    def claim(self, sheet: Sheet, rate: PrintedNumber, sizes: list[int]) -> Claim:
        """That a rate is a whole number over one of the sizes."""
        repeated = f", averaged over {self.repeats} repeats" if self.repeats > 1 else ""
        ties = " (ties may count half)" if self.whole.denominator > 1 or self.whole == 50 else ""
        return Claim(
            f"{GRANULARITY} {rate.address}",
            self.over(rate, sizes),
            f"{rate.text} is a rate over {' or '.join(map(str, sizes))}{repeated}{ties}.",
            sheet.place(self.said),
            self.assumes,
            question=f"Which count over which number gives {rate.text}?",
            family=GRANULARITY,
            evidence=self.evidence,
        )

    def over(self, rate: PrintedNumber, sizes: list[int]) -> Formula:
        """That a rate is a mean of so many shares of one of the sizes."""
        mean = number(self.repeats) if self.repeats > 1 else None
        return any_of(*(Multiple(real(rate), number(self.whole / size), mean) for size in sizes))

    def fits(self, rate: PrintedNumber, sizes: list[int]) -> bool:
        """Whether it is one."""
        steps = [size * self.repeats / self.whole for size in sizes]
        return any(math.ceil(rate.low * step) <= rate.high * step for step in steps)


def _rates(sheet: Sheet, column: int) -> Iterator[Claim]:
    """Rates over one number of items, or each over its own."""
    header = plain(sheet.columns[column].label)
    # Below a name of what is no rate (a coefficient, a correlation) stands none, whatever the column is.
    numbers = {
        row: sheet.number(row, column) for row, line in enumerate(sheet.rows) if not _NO_RATE.search(plain(line.label))
    }
    rates = {row: fact for row, fact in numbers.items() if fact is not None}
    if RELATIVE.search(header):
        return
    steps = _told(sheet, column, header)
    if steps is None:
        return
    broken, claims = 0, []
    for row, rate in rates.items():
        sizes = list(steps.sizes.get(row, ()))
        # Where the steps are finer than the print, every number is a possible one, and nothing is said.
        if sizes and min(sizes) > 0 < steps.repeats and steps.whole / (max(sizes) * steps.repeats) > rate.unit:
            claims.append(steps.claim(sheet, rate, sizes))
            broken += bool(steps.evidence) and not steps.fits(real(rate).fact, sizes)
    # Where more rates of a column break it than hold, the number that stands there is no denominator.
    if 2 * broken <= len(claims):
        yield from claims


def _told(sheet: Sheet, column: int, header: str) -> _Steps | None:
    """What the caption defines the rate as, or what it, the header or a row's label counts."""
    texts = tuple(entry.text for (_row, place), entry in sheet.entries.items() if place == column)
    percent = is_percent(sheet.columns[column].label, sheet.caption, texts)
    whole = Fraction(100 if percent else 1, 2 if "win" in header else 1)
    if _UNSUITABLE.search(header):
        return None
    for sentence in clauses(sheet.caption):
        for quantity, size, unit in _DEFINED.findall(sentence):
            if plain(quantity) in (header, re.sub(r" ?\(?%\)?$", "", header)):
                return _of_unit(sheet, unit.lower(), [count_of(size)] if size else [], whole)
    repeats = repeats_of(f"{sheet.caption} {sheet.columns[column].label}")
    if repeats is None or not _RATE.fullmatch(header):
        return None
    inside = [*map(count_of, _DECLARED.findall(header))] or _of_caption(sheet.caption)
    labels = [[*map(count_of, _DECLARED.findall(line.label))] or inside for line in sheet.rows]
    sizes = {row: tuple(counts) for row, counts in enumerate(labels) if counts}
    # A number that stands there need not be the denominator, unless the paper says of what the rate is a share.
    evidence = "the header, a label or the caption gives the number of items"
    return _Steps(sizes, "header, label or caption", whole, repeats, evidence, _ONCE) if sizes else None


def _of_unit(sheet: Sheet, unit: str, sizes: list[int], whole: Fraction) -> _Steps | None:
    """Shares of what the caption calls by this name: so many, those of a column of that name, or of its words."""
    counted = sheet.headed(rf"(?:# ?|no\. of |number of |num\. )?{re.escape(unit)}")
    words = re.findall(rf"\b{COUNT} (?:[\w-]+ ){{0,2}}?{re.escape(unit)}\b", sheet.caption, re.IGNORECASE)
    rest = re.sub(rf"\b(?:repeated |independent |random )*{re.escape(unit)}\b", "", sheet.caption, flags=re.IGNORECASE)
    repeats, same = repeats_of(rest), tuple(sizes or dict.fromkeys(map(count_of, words)))
    by_row: dict[int, tuple[int, ...]] = {}
    for row in range(len(sheet.rows)) if repeats is not None else ():
        fact = sheet.number(row, counted[0]) if counted and not sizes else None
        own = ((count(fact) or 0,) if fact is not None else ()) if counted and not sizes else same
        by_row |= {row: own} if own and all(own) else {}
    return _Steps(by_row, f"caption (a share of {unit})", whole, repeats or 1) if by_row else None


def _of_caption(caption: str) -> list[int]:
    """The numbers of items that a caption gives; none where it does not say over which."""
    told = [
        text
        for sentence in clauses(caption)
        if not _TRAINING.search(sentence)
        for text in _DECLARED.findall(sentence) + _USED.findall(sentence)
    ]
    # Whatever else the caption counts may be the denominator too. Where it counts groups apart (N_a = 15), a rate may
    # be over some of them together.
    sizes = [*map(count_of, told + _ANY.findall(caption) + _DECLARED.findall(caption))]
    return list(dict.fromkeys(sizes)) if told and not _GROUPS.search(caption) and min(sizes) >= _LEAST else []


# Means and deviations of whole numbers: both must come from some list of integers of the declared size

_RATINGS = re.compile(
    r"\bLikert\b|\b(?:\d|three|four|five|seven|nine|ten)-point (?:Likert )?scale|"
    r"\binteger (?:scores?|ratings?|grades?)|\bwhole-number (?:scores?|ratings?|grades?)",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\bitems?\b|\bsubscales?\b|\bcomposite\b|\bnormali[sz]ed\b|\bweighted\b|\badjusted\b|\braters\b|"
    r"\bannotators\b|\bper (?:rater|annotator|question)\b|\bmedian\b|\bstandard errors?\b|\bSEM?\b",
    re.IGNORECASE,
)
_MEAN = r"(?:.* / )?(?:(?:mean|m|average|avg\.?)|(?:mean |average |avg\.? )?(?:rating|score|grade)s?(?: mean)?)"
_DEVIATION = r"sd|s\.d\.|std\.?|standard deviation"
_SDS = re.compile(r"\b(?:SD|standard deviations?|s\.d\.)")
_MOST_SUMS = 50
"""With more possible sums than this a deviation tells nothing."""


def find_whole_numbers(paper: AuditedPaper) -> Iterator[Claim]:
    """Ratings in whole numbers, each of which the caption does not call a mean itself."""
    for sheet in paper.sheets:
        if not _RATINGS.search(sheet.caption) or _SEVERAL.search(sheet.caption):
            continue
        means, deviations = sheet.headed(_MEAN), sheet.headed(_DEVIATION)
        for (row, size), column in product(
            ((row, size_of(sheet, row, "n") or 0) for row in range(len(sheet.rows))), means
        ):
            mean, both = sheet.number(row, column), sheet.part(row, column, "mean", "sd")
            if mean is None or size < 2:
                continue
            if Fraction(1, size) > mean.unit:
                yield _OF_INTEGERS.claim(sheet, [mean], f"caption, column {headers(sheet, column)}", size)
            deviation = both[1] if both is not None and _SDS.search(sheet.caption) else None
            if deviation is None and len(means) == len(deviations) == 1:
                deviation = sheet.number(row, deviations[0])
            if deviation is not None and (formula := _some_list(mean, deviation, size)) is not None:
                yield _OF_SQUARES.claim(sheet, [deviation, mean], "caption", size, formula)


_OF_INTEGERS = StatedRule(
    WHOLE_NUMBERS,
    "{0} is the mean of {1} answers in whole numbers.",
    lambda mean, size: Multiple(mean, number(Fraction(1, size))),
    ("Each of the declared sample gave one whole-number answer.",),
    "How many answers does the mean {0} have, and what is their sum?",
)
_OF_SQUARES = StatedRule(
    WHOLE_NUMBERS,
    "{1} and {0} are mean and standard deviation of {2} whole numbers.",
    lambda _deviation, _mean, _size, formula: formula,
    (*_OF_INTEGERS.assumes, "The divisor is the sample size or one less."),
    "Which sum and which sum of squares give {1} and {0}?",
)


def _some_list(mean: PrintedNumber, deviation: PrintedNumber, size: int) -> Formula | None:
    """Some sum and sum of squares of so many integers give both; None where many sums or none give the mean."""
    read = real(mean).fact
    sums = range(math.ceil(read.low * size), math.floor(read.high * size) + 1)
    if not 0 < len(sums) <= _MOST_SUMS:
        return None
    cases = []
    for total, divisor in product(sums, (size - 1, size)):
        base, over = divmod(total, size)
        # No integers of this sum have a smaller sum of squares, and every such sum has the parity of the sum itself.
        least = (size - over) * base**2 + over * (base + 1) ** 2
        # A little beyond the printed deviation, so that a reader sees the neighbours that do not fit.
        most = math.floor(divisor * (deviation.high + 2 * deviation.unit) ** 2 + Fraction(total * total, size))
        squares = total + 2 * Unknown("j") - Fraction(total * total, size)
        body = all_of(equal(real(mean), Fraction(total, size)), equal(real(deviation) ** 2 * divisor, squares))
        cases.append(some_integer("j", (least - total) // 2, max(least - total, most - total) // 2, body))
    return any_of(*cases)
