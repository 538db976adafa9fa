"""Estimates of a table with their p or their stars: an estimate, and its error or its interval, leave little choice.

No header says which distribution the p is of. So the table does: where nearly all of its estimates have a p between
that of a normal distribution and that of Student's with few degrees of freedom, the one that has another is suspected.
Stars say between which levels a p lies.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from sealtrace.paper.extracted import JOIN
from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import AuditedPaper, Sheet
from sealtrace.relations.families.significance import FAMILY, reported
from sealtrace.relations.families.stated import nearly_all, size_of
from sealtrace.relations.families.wording import plain, real
from sealtrace.relations.syntax import Expression, Formula, Given, all_of, at_most, call, number

_VALUE = re.compile(
    r"(?:estimate|est\.?|coef\w*\.?|β̂?|b|beta|(?:main |marginal |average )?effect(?: size)?|at[et]|a?or|a?hr|rr|irr|"
    r"(?:adjusted |adj\. )?(?:odds|hazard|risk|rate) ratio|(?:mean )?diff\w*\.?|δ|slope|mean change)(?: \([^()]*\))?"
)
_RATIOS = re.compile(r"\ba?(?:or|hr|rr|irr)\b|\bratio\b|exp\(")
_ERROR = re.compile(r"\(?(?:(?:robust |clustered |hac )?se|s\.e\.|std\.? ?err(?:or)?s?\.?|standard errors?)\)?")
_STATISTIC = re.compile(r"(?:wald )?[tz](?:[ -](?:value|stat\w*|score|ratio))?\.?")
_CORRELATION = re.compile(r"(?:(?:pearson|spearman)(?:'s)? )?(?:r|ρ|rho|correlation|corr\.?)")
_P = re.compile(r"(?:(?:two-sided |raw )?p(?:[ -]?val(?:ue)?s?)?|pr ?\(> ?\|[tz]\|\))\.?")
_INTERVAL = re.compile(r"\bci\b|\bc\.i\.|interval|95 ?%")
_ROLES = {"statistic": _STATISTIC, "correlation": _CORRELATION, "value": _VALUE, "error": _ERROR, "p": _P}
_OTHER_P = re.compile(
    r"\bholm\b|bonferroni|benjamini|\bfdr\b|\bfwer?\b|\bbh\b|adjusted p|p-?values? (?:are |were )?(?:adjust|correct)|"
    r"corrected|multiple (?:comparison|test|hypothes)|permut|bootstrap|randomi[sz]ation|one-sided|likelihood ratio",
    re.I,
)
"""Where a caption says so, some p may not be those of the estimates beside them."""
_BELOW = re.compile(r"<\s?(0?\.\d+)")
_IN_BRACKETS = (re.compile(r"\(\s?\d*\.?\d+\s?\)\W*"), re.compile(r"\[\s?\d*\.\d+\s?\]\W*"))
_FREEDOM = {"p": (10, 3), "stars": (5, 5)}
"""The least degrees of freedom by which nearly all have their p, and by which one is said to have another: tests with
few clusters have few of their own."""
_LEAST, _LEAST_STARRED = 5, 3
"""So many estimates with a p of their own, or with stars, have to have the one that follows from them."""
_FEW = 8
"""One estimate in so many may have another p, one may in any case."""
_WIDTH = Fraction(2 * 196, 100)
"""Of an interval of 95 percent, in errors."""
_LEAST_P = Fraction(1, 10**9)


@dataclass(frozen=True)
class _Probability:
    """A p as printed: between what it lies."""

    low: Fraction
    high: Fraction
    said: str
    fact: PrintedNumber | None = None
    """None where it is only said to be below something."""

    @classmethod
    def of(cls, fact: PrintedNumber) -> _Probability:
        """That of a cell."""
        return cls(fact.low, fact.high, f"= {fact.text}", fact)


@dataclass(frozen=True)
class _Estimate:
    """An estimate, what its error is made of, and its p."""

    value: PrintedNumber
    spread: tuple[PrintedNumber, ...]
    """Its error, or the two ends of its interval; nothing where it is a statistic or a correlation."""
    p: _Probability
    size: int = 0
    """Of how many a correlation is."""
    is_ratio: bool = False
    """Whether the interval is symmetric in logarithms."""
    of: PrintedNumber | None = None
    """What a statistic is of, which has its sign."""

    @property
    def apart(self) -> Expression:
        """How far it is from nothing."""
        value = call("log", real(self.value)) if self.is_ratio else real(self.value)
        return value * (-1 if self.value.value < self.is_ratio else 1)

    @property
    def error(self) -> Expression:
        """Its error."""
        if self.size:
            return call("sqrt", (1 - real(self.value) * real(self.value)) / (self.size - 2))
        if len(self.spread) < 2:
            return real(self.spread[0]) if self.spread else number(1)
        low, high = (call("log", real(end)) if self.is_ratio else real(end) for end in self.spread)
        return (high - low) / _WIDTH

    def formula(self, freedom: int) -> Formula:
        """That it has its p, by so many degrees of freedom or more."""
        least, most = quantile(max(self.p.high, _LEAST_P), None), quantile(self.p.low, freedom)
        parts = [] if least is None else [at_most(self.error * least, self.apart)]
        parts += [] if most is None else [at_most(self.apart, self.error * most)]
        parts += [at_most(0, real(self.of) * (-1 if self.value.value < 0 else 1))] if self.of else []
        return all_of(*parts, *([at_most(0, Given(self.p.fact))] if self.p.fact else []))

    def __str__(self) -> str:
        if self.of is not None:
            return f"{self.of.text} with statistic {self.value.text}"
        spread = " to ".join(fact.text for fact in self.spread)
        noun = (f" of {self.size}" if self.size else "", " with error ", " with interval ")[len(self.spread)]
        return f"{self.value.text}{noun}{spread}"


@lru_cache(maxsize=4096)
def quantile(p: Fraction, freedom: int | None) -> Fraction | None:
    """Beyond what, on both sides, so much of a normal or Student's distribution lies; None for nothing or all."""
    from scipy.special import ndtri, stdtrit

    if not _LEAST_P <= p < 1:
        return None
    found = float(ndtri(float(p) / 2) if freedom is None else stdtrit(freedom, float(p) / 2))
    # Far below what is printed, and far above what the library is off.
    return Fraction(round(abs(found) * 10**7) + (1 if freedom else -1), 10**7)


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """What sentences report; and estimates of each table that nearly all have the p of their error, or the stars."""
    yield from reported(paper)
    usual = _levels(paper.words)
    for sheet in paper.both_ways:
        # Where a caption says that p are adjusted, they need not be those of the estimates beside them.
        if not _OTHER_P.search(sheet.caption):
            estimates = [*_beside(sheet), *([] if sheet.is_turned else _below(sheet))]
            yield from _claims(sheet, estimates, "p", lambda estimate: estimate.p.low > 0, _LEAST)
    for sheet in paper.sheets:
        notes = _notes(sheet)
        # Errors that are t-statistics, or p-values of another test, agree with stars by accident only.
        starred = _starred(sheet, _levels(notes) or usual, by_t=_T_BELOW.search(notes) is not None)
        yield from _claims(sheet, list(starred), "stars", lambda estimate: "*" in estimate.p.said, _LEAST_STARRED)


def _claims(
    sheet: Sheet, estimates: list[_Estimate], kind: str, tells: Callable[[_Estimate], bool], least: int
) -> Iterator[Claim]:
    """That each has its p; nothing where too many have another."""
    usual, fewest = _FREEDOM[kind]
    claims = [
        Claim(
            f"{FAMILY} p of {estimate.value.address}",
            estimate.formula(usual),
            f"{estimate} has p {estimate.p.said}.",
            sheet.place("estimates and p"),
            ("The p is two-sided, and of this estimate being nothing.",),
            question=f"Which p has {estimate}?",
            family=FAMILY,
        )
        for estimate in estimates
    ]
    telling = {claim.name for claim, estimate in zip(claims, estimates, strict=True) if tells(estimate)}
    often = "estimates of the table have the p that follows from them"
    believed = nearly_all(claims, often, telling=lambda claim: claim.name in telling, least=least, wrong=_FEW)
    for claim, estimate in zip(believed, estimates, strict=False):
        yield replace(claim, formula=estimate.formula(fewest))


# Stars: the note says below which level a p has so many


_P_BELOW = re.compile(r"(?<![*∗⋆])([*∗⋆]{1,4})\s?(?:denotes? |indicates? )?p\s?(?:-?values?\s?)?[<≤]\s?(0?\.\d+)")
_AT_LEVELS = re.compile(
    r"\*, ?\*\*,? ?(?:and )?\*\*\*[^.]{3,60}?(\d+)\s?%?, ?(\d+)\s?%?,? (?:and )?(\d+)\s?(?:%|percent)"
)
_STARS = re.compile(r"[*∗⋆]+")
_SIGNED = re.compile(r"\(\s*[-−]?[\d.,]+\s*\)\W*")
_POSITIVE = re.compile(r"\(\s*[\d.,]+\s*\)\W*")
_T_BELOW = re.compile(r"\b[tz][- ](?:stat\w*|values?|ratios?) (?:are )?(?:\w+ )?in (?:parenth|bracket)", re.I)
_ROUNDED = Fraction(5, 10**4)
"""A p of three digits that prints as its level may lie so much above it."""


def _notes(sheet: Sheet) -> str:
    """What stands above and below a table: its caption, and its rows without numbers."""
    empty = (line.label for row, line in enumerate(sheet.rows) if not sheet.row_values(row))
    return " ".join((sheet.caption, *empty))


def _levels(text: str) -> list[Fraction]:
    """Below which level p has no star, one, two and so on; empty where no note says it."""
    told = {len(stars): Fraction(level) for stars, level in _P_BELOW.findall(text)}
    if not told and (levels := _AT_LEVELS.search(text)) is not None:
        told = {place: Fraction(level) / 100 for place, level in enumerate(levels.groups(), 1)}
    known = [told[stars] for stars in sorted(told)]
    return (
        [Fraction(1), *known]
        if known == sorted(known, reverse=True) and sorted(told) == [*range(1, len(told) + 1)]
        else []
    )


def _starred(sheet: Sheet, levels: list[Fraction], *, by_t: bool) -> Iterator[_Estimate]:
    """Estimates with the p that their stars say; `by_t` brackets hold their t or z."""
    for text, value, other in _with_below(sheet, by_t=by_t) if levels else ():
        runs = _STARS.findall(text)
        stars = sum(map(len, runs))
        if stars < len(levels) and len(runs) < 2:
            low, high = [*levels, Fraction(0)][stars + 1], levels[stars]
            said = f"of {'*' * stars or 'no star'}, from {float(low):g} to {float(high):g}"
            p = _Probability(low, high + _ROUNDED if stars else high, said)
            yield from [_Estimate(other, (), p, of=value)] if by_t else _of(value, (other,), p)


def _with_below(sheet: Sheet, *, by_t: bool) -> Iterator[tuple[str, PrintedNumber, PrintedNumber]]:
    """Numbers with another in brackets below them; errors stand in their own cell or in the next column, too."""
    for (row, column), entry in sheet.entries.items():
        if not 1 <= len(entry.facts) <= 2 or not entry.facts[0].value or (by_t and _SIGNED.fullmatch(entry.text)):
            continue
        value, *errors = entry.facts
        beside, below = sheet.number(row, column + 1), sheet.entry(row + 1, column)
        if errors and (by_t or (entry.names != ("mean", "sd") and "(" not in entry.text[1:])):
            continue
        header = plain(sheet.columns[column + 1].label).split(JOIN)[-1] if beside is not None else ""
        if not errors and not by_t and beside is not None and _ERROR.fullmatch(header):
            errors = [beside]
        elif not errors and below is not None and not sheet.rows[row + 1].first:
            errors = list(below.facts) if (_SIGNED if by_t else _POSITIVE).fullmatch(below.text) else []
        if len(errors) == 1:
            yield entry.text, value, errors[0]


def _beside(sheet: Sheet) -> Iterator[_Estimate]:
    """Estimate, error or interval, and p in columns of one group."""
    groups: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for column in sheet.numeric_columns():
        group, _join, header = plain(sheet.columns[column].label).rpartition(JOIN)
        role = next((name for name, pattern in _ROLES.items() if pattern.fullmatch(header)), "other")
        if role == "other" and _INTERVAL.search(header):
            role = "interval"
        groups[group][role].append(column)
    for group, roles in groups.items():
        (p, *more), rows = roles.get("p") or [-1], range(len(sheet.rows))
        if p < 0 or more or any(len(columns) > 1 for role, columns in roles.items() if role != "other"):
            continue
        of = {role: columns[0] for role, columns in roles.items()}
        for row in rows:
            known = _p(sheet, row, p)
            if known is None:
                continue
            if "statistic" in of and (fact := sheet.number(row, of["statistic"])) is not None:
                yield _Estimate(fact, (), known)
            elif "value" in of:
                yield from _in_row(sheet, row, of["value"], of.get("error", of.get("interval")), known)
            elif "correlation" in of and (fact := sheet.number(row, of["correlation"])) is not None:
                size = size_of(sheet, row, rf"(?:{re.escape(group)}{JOIN})?n")
                if size and size > 2 and abs(fact.value) + fact.unit < 1:
                    yield _Estimate(fact, (), known, size)


def _in_row(sheet: Sheet, row: int, value: int, spread: int | None, p: _Probability) -> Iterator[_Estimate]:
    entry, label = sheet.entry(row, value), plain(f"{sheet.columns[value].label} {sheet.rows[row].label}")
    beside = sheet.entry(row, spread) if spread is not None else None
    if entry is not None and entry.facts:
        ends = tuple(beside.facts) if beside is not None else tuple(entry.facts[1:])
        yield from _of(entry.facts[0], ends, p, is_ratio=len(ends) == 2 and _RATIOS.search(label) is not None)


def _below(sheet: Sheet) -> Iterator[_Estimate]:
    """An estimate, its error below it in brackets, and its p below that in square ones."""
    for row, column in sheet.entries:
        entry, *under = (sheet.entry(row + step, column) for step in range(3))
        unnamed = row + 2 < len(sheet.rows) and not any(line.first for line in sheet.rows[row + 1 : row + 3])
        if entry is None or len(entry.facts) != 1 or not unnamed:
            continue
        texts = [(below.text if below is not None else "") for below in under]
        if all(shape.fullmatch(text) for shape, text in zip(_IN_BRACKETS, texts, strict=True)):
            error, p = (below.facts[0] for below in under if below is not None)
            yield from _of(entry.facts[0], (error,), _Probability.of(p))


def _p(sheet: Sheet, row: int, column: int) -> _Probability | None:
    """A cell's p: a number, or below one."""
    fact, entry = sheet.number(row, column), sheet.entries.get((row, column))
    if fact is not None:
        return _Probability.of(fact) if 0 <= fact.value <= 1 else None
    below = _BELOW.search(entry.text) if entry is not None else None
    return _Probability(Fraction(0), Fraction(below[1]), f"< {below[1]}") if below else None


def _of(
    value: PrintedNumber, spread: tuple[PrintedNumber, ...], p: _Probability, *, is_ratio: bool = False
) -> Iterator[_Estimate]:
    """An estimate, where its numbers can be what they are taken for."""
    facts = [real(fact).fact for fact in (value, *spread)]
    positive = len(spread) == 1 and facts[1].low > 0
    around = len(spread) == 2 and facts[1].high < facts[2].low and facts[1].low <= facts[0].value <= facts[2].high
    if (positive or around) and not (is_ratio and min(fact.low for fact in facts) <= 0):
        yield _Estimate(value, spread, p, is_ratio=is_ratio)
