"""Rates are counts over a number: k/n for some k, where the table itself declares n."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import (
    COUNT,
    ITEMS,
    RELATIVE,
    count,
    count_of,
    is_percent,
    plain,
    real,
    repeats_of,
    sentences,
)
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Formula, Multiple, any_of, equal, number
from sealtrace.relations.work import Work

FAMILY = "granularity"
_RATE = re.compile(
    r"(?:[\w-]+ ){0,2}(?:accuracy|acc\.?|success rate|success|error rate|pass rate|failure rate|viol(?:ation|\.) rate|"
    r"agreement|legality|solve rate|completion rate|response rate|exact match|win rate)"
    r"(?: ?\(?%\)?)?(?: ?\(n ?= ?\d+\))?"
)
_UNSUITABLE = re.compile(
    r"\b(?:balanced|worst|best|group|per|inter|max|min|mean|average|avg|weighted|macro|token|pairwise|auc|"
    r"auroc|triplet|ranking|pixel|voxel)\b"
)
BARE_RATE = re.compile(r"(?:rate|fraction|proportion|share|percent|percentage|%)(?: ?\(?%\)?)?")
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


@dataclass(frozen=True)
class _Steps:
    """The numbers that a rate may be a share of, and of how many such rates it is a mean."""

    sizes: tuple[int, ...]
    repeats: int
    said: str
    assumes: tuple[str, ...] = ()


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        yield from _within_cells(sheet)
        yield from _beside_counts(sheet)
        yield from _beside_columns(sheet)
    for sheet in paper.both_ways:
        yield from _declared(sheet)


# A rate beside its count


def _within_cells(sheet: Sheet) -> Iterator[Claim]:
    """A cell such as 73.3 % (11/15) prints a rate and the count that it is of."""
    for (row, column), entry in sheet.entries.items():
        parts = dict(zip(entry.names, entry.facts, strict=False))
        if parts.keys() == {"rate", "k", "n"} and 0 < parts["n"].value >= parts["k"].value:
            said = f"column {sheet.columns[column].label!r}"
            yield _share(sheet, row, column, parts["rate"], parts["k"], parts["n"], said)


def _beside_counts(sheet: Sheet) -> Iterator[Claim]:
    """A rate beside a cell k/n is that ratio."""
    ratios = [
        column
        for column in sheet.numeric_columns()
        if any(sheet.part(row, column, "k", "n") for row in range(len(sheet.rows)))
    ]
    if len(ratios) != 1 or repeats_of(sheet.caption) is None:
        return
    counted = plain(sheet.columns[ratios[0]].label)
    stem = re.sub(r" ?(?:counts?|k/n|\(k/n\))$", "", counted)
    for column in sheet.numeric_columns():
        header = plain(sheet.columns[column].label)
        same = stem and re.fullmatch(rf"{re.escape(stem)} (?:rate|fraction|proportion|share)(?: ?\(?%\)?)?", header)
        if not (BARE_RATE.fullmatch(header) or same):
            continue
        for row in range(len(sheet.rows)):
            ratio, rate = sheet.part(row, ratios[0], "k", "n"), sheet.number(row, column)
            if ratio is None or rate is None or not ratio[1].value:
                continue
            yield _share(sheet, row, column, rate, ratio[0], ratio[1], f"column {counted!r} beside {header!r}")


def _beside_columns(sheet: Sheet) -> Iterator[Claim]:
    """A rate beside a column of counts and a column of totals is their ratio."""
    rates = [*sheet.headed(_RATE), *sheet.headed(BARE_RATE)]
    columns = sheet.only(_NUMERATOR), sheet.only(_DENOMINATOR), rates[0] if len(rates) == 1 else None
    headers = [plain(sheet.columns[column].label) for column in columns if column is not None]
    # Errors beside an accuracy: the other share.
    wrong = [re.search("fail|error", header) is not None for header in headers]
    if len(headers) < 3 or wrong[0] != wrong[2] or repeats_of(sheet.caption) is None:
        return
    for row, (k, n, rate) in sheet.together(*columns):
        if count(k) is not None and count(n):
            said = f"columns {headers[0]!r}, {headers[1]!r} and {headers[2]!r}"
            yield _share(sheet, row, rates[0], rate, k, n, said)


def _share(sheet: Sheet, row: int, column: int, rate: Fact, k: Fact, n: Fact, said: str) -> Claim:
    entry = sheet.entry(row, column)
    percent = is_percent(sheet.columns[column].label, sheet.caption, (entry.text,) if entry else ())
    whole = 100 if percent else 1
    ratio = number(k.value) / number(n.value) if whole == 1 else number(k.value) * whole / number(n.value)
    repair = any_of(*(Multiple(real(rate), number(Fraction(whole, d))) for d in _fewer(int(n.value))))
    return Claim(
        f"{FAMILY} {rate.address}",
        equal(real(rate), ratio),
        f"{rate.text} is printed as the rate {k.text}/{n.text} of the same row.",
        sheet.place(said),
        ("The rate is that of the count beside it.",),
        (Repair("the rate is of another count over the same number, or over a few items fewer", repair),),
        f"Is {rate.text} the rate of {k.text} in {n.text}?",
        FAMILY,
    )


# A denominator that the caption or a header declares


def _declared(sheet: Sheet) -> Iterator[Claim]:
    for column in sheet.numeric_columns():
        label = sheet.columns[column].label
        header = plain(label)
        if _UNSUITABLE.search(header) or RELATIVE.search(header):
            continue
        defined = _definition(sheet, header)
        texts = tuple(entry.text for (_row, place), entry in sheet.entries.items() if place == column)
        percent = is_percent(label, sheet.caption, texts)
        claims: list[Claim] = []
        for row in range(len(sheet.rows)):
            rate = sheet.number(row, column)
            if rate is None:
                continue
            steps = _of_unit(sheet, row, *defined) if defined else None
            if steps is None and _RATE.fullmatch(header):
                steps = _of_table(sheet, row, label)
            if steps is not None:
                claims += _multiple(sheet, rate, steps, percent, halves="win" in header)
        # Where more rates of a column break it than hold, the number that stands there is no denominator.
        broken = [claim for claim in claims if search(claim.formula, Work(20_000)).status == "impossible"]
        if not any(claim.evidence for claim in broken) or 2 * len(broken) <= len(claims):
            yield from claims


def _definition(sheet: Sheet, header: str) -> tuple[str, int | None] | None:
    """What the caption calls the column a share of, with its number where it stands there."""
    for quantity, size, unit in (
        found for sentence in sentences(sheet.caption) for found in _DEFINED.findall(sentence)
    ):
        name = plain(quantity)
        if name == header or re.sub(r" ?\(?%\)?$", "", header) == name:
            return unit.lower(), count_of(size) if size else None
    return None


def _of_unit(sheet: Sheet, row: int, unit: str, size: int | None) -> _Steps | None:
    rest = re.sub(rf"\b(?:repeated |independent |random )*{re.escape(unit)}\b", "", sheet.caption, flags=re.IGNORECASE)
    repeats = repeats_of(rest)
    if repeats is None:
        return None
    said = f"caption (a share of {unit})"
    if size is not None:
        return _Steps((size,), repeats, said)
    for column, line in enumerate(sheet.columns):
        if re.fullmatch(rf"(?:# ?|no\. of |number of |num\. )?{re.escape(unit)}", plain(line.label)):
            fact = sheet.number(row, column)
            total = None if fact is None else count(fact)
            return _Steps((total,), repeats, f"{said} and column {line.label!r}") if total else None
    found = re.findall(rf"\b{COUNT} (?:[\w-]+ ){{0,2}}?{re.escape(unit)}\b", sheet.caption, re.IGNORECASE)
    sizes = tuple(dict.fromkeys(count_of(text) for text in found))
    return _Steps(sizes, repeats, said) if sizes else None


def _of_table(sheet: Sheet, row: int, label: str) -> _Steps | None:
    """Denominators that the column's header, the row's label or the caption names."""
    assumes = ("Every item counts once, as 0 or 1.",)
    for text, said in ((label, f"header {label!r}"), (sheet.rows[row].label, f"label {sheet.rows[row].label!r}")):
        found = _DECLARED.findall(text)
        if len(found) == 1:
            repeats = repeats_of(f"{sheet.caption} {label}")
            return None if repeats is None else _Steps((count_of(found[0]),), repeats, said, assumes)
    repeats = repeats_of(f"{sheet.caption} {label}")
    # Where the caption counts groups apart (N_a = 15), a rate may be over some of them together.
    if repeats is None or _GROUPS.search(sheet.caption):
        return None
    sizes: list[int] = []
    for sentence in sentences(sheet.caption):
        if not _TRAINING.search(sentence):
            sizes += [count_of(text) for text in _DECLARED.findall(sentence) + _USED.findall(sentence)]
    if not sizes:
        return None
    # Whatever else the caption counts may be the denominator too.
    sizes += [count_of(text) for text in _ANY.findall(sheet.caption) + _DECLARED.findall(sheet.caption)]
    if min(sizes) < _LEAST:
        return None
    return _Steps(tuple(dict.fromkeys(sizes)), repeats, "caption", assumes)


def _multiple(sheet: Sheet, rate: Fact, steps: _Steps, percent: bool, halves: bool) -> Iterator[Claim]:
    whole = Fraction(100 if percent else 1, 2 if halves else 1)
    finest = whole / (max(steps.sizes) * steps.repeats)
    # Where the steps are finer than the print, every number is a possible one, and nothing is said.
    if finest <= rate.unit:
        return
    sizes = " or ".join(str(size) for size in steps.sizes)
    repeated = f", averaged over {steps.repeats} repeats" if steps.repeats > 1 else ""
    repairs = [Repair("a few items were left out of the denominator", _over(rate, whole, steps, fewer=True))]
    if steps.repeats == 1:
        averaged = any_of(
            *(Multiple(real(rate), number(whole / size), number(m)) for size in steps.sizes for m in range(2, 11))
        )
        repairs.append(Repair("the rate is a mean over 2 to 10 repeats", averaged))
    yield Claim(
        f"{FAMILY} {rate.address}",
        _over(rate, whole, steps, fewer=False),
        f"{rate.text} is a rate over {sizes}{repeated}{' (ties may count half)' if halves else ''}.",
        sheet.place(steps.said),
        steps.assumes + (("Nothing is averaged that the caption does not name.",) if steps.assumes else ()),
        tuple(repairs),
        f"Which count over which number gives {rate.text}?",
        FAMILY,
        # A number that stands there need not be the denominator, unless the paper says of what the rate is a share.
        evidence=f"the {steps.said.split()[0]} gives {sizes}" if steps.assumes else "",
    )


def _over(rate: Fact, whole: Fraction, steps: _Steps, *, fewer: bool) -> Formula:
    sizes = [size for declared in steps.sizes for size in (_fewer(declared) if fewer else [declared])]
    repeats = number(steps.repeats) if steps.repeats > 1 else None
    return any_of(*(Multiple(real(rate), number(whole / size), repeats) for size in sizes))


def _fewer(size: int) -> list[int]:
    return list(range(max(2, size - 20), size + 1))
