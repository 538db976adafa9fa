"""Numbers of the text that quote a cell: words alone choose the cell, and then both are compared."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import plain_address
from sealtrace.relations.families import estimates
from sealtrace.relations.families.naming import SCATTERED, index_of
from sealtrace.relations.families.paper import Paper
from sealtrace.relations.families.resolving import BESIDE, Candidate, Reading, Resolver, agrees
from sealtrace.relations.families.wording import LEVEL, is_slip, real, same
from sealtrace.relations.lexicon import stem, vocabulary
from sealtrace.relations.prose import Mention, Sentence, ratios_in
from sealtrace.relations.work import time_is_up

FAMILY = "quote"
LEAST_DIGITS = 2
_SURE, _MARGIN = 3.5, 0.45
"""What a cell's score, and its distance from all others, must be for words to have chosen it: for a slip."""
_FAR, _FAR_MARGIN = 4.0, 0.65
"""The same for a number that misses the cell by more than a slip."""

MOST_CHANCE = 0.06
"""How often an unrelated number would be a slip away from a cell that the words speak for, at most."""
_CERTAIN, _CERTAIN_MARGIN = 5.0, 1.5
"""The same for a number that some other cell has, or that is said twice: it may speak of something else."""


def find(paper: Paper) -> Iterator[Claim]:
    """Every number whose words name a cell, where a cell says the same, or where words alone choose another."""
    told = set()
    for claim in estimates.find(paper, FAMILY):
        told |= {plain_address(fact) for fact in claim.facts}
        yield claim
    numbers = [
        _Number(reading.sentence, mention, resolver, resolver.best(mention))
        for reading, resolver in readings(paper)
        for mention in resolver.mentions
        if is_quotable(mention) and mention.fact.address not in told
        if not (mention.fact.value in _LEVELS and LEVEL.match(reading.sentence.text, mention.end))
    ]
    chosen: dict[str, list[str]] = defaultdict(list)
    for number in numbers:
        chosen[number.mention.fact.text].append("" if number.best is None else number.best[0].fact.address)
    confirmed = {
        number.best[0].fact.address
        for number in numbers
        if number.best
        and number.is_sure(_FAR, _FAR_MARGIN)
        and agrees(number.mention, number.best[0].fact, number.best[0].scale)
    }
    for number in numbers:
        if time_is_up():
            return
        # A number that is said twice, and not of the same cell, or often, or that other cells print, may be anything.
        said = chosen[number.mention.fact.text]
        elsewhere = len(set(said)) > 1 or len(said) > 2
        yield from _quote(number, number.resolver.printed(number.mention) + elsewhere, confirmed)


@dataclass(frozen=True)
class _Number:
    """A number of the text, with the cell that the words choose and its margin."""

    sentence: Sentence
    mention: Mention
    resolver: Resolver
    best: tuple[Candidate, float] | None

    def is_sure(self, score: float, margin: float) -> bool:
        """Whether the words choose the cell so clearly."""
        return self.best is not None and self.best[0].score >= score and self.best[1] >= margin


def readings(paper: Paper) -> Iterator[tuple[Reading, Resolver]]:
    """Every sentence with what it and the sentences before it name."""
    index = index_of(paper)
    reading: Reading | None = None
    for sentence in paper.sentences:
        before = (
            reading
            if reading
            and (reading.sentence.source, reading.sentence.paragraph) == (sentence.source, sentence.paragraph)
            else None
        )
        names = index.of(sentence)
        reading = Reading(
            sentence,
            names,
            [before.names, *before.earlier][:3] if before else [],
            frozenset(sentence.references) | (before.referred if before else frozenset()),
        )
        if not sentence.mentions:
            continue
        # A number that belongs to the name of a row or a column quotes nothing.
        spans = [(name.start, name.end) for name in names if name.strength >= SCATTERED]
        mentions = [
            mention
            for mention in sentence.mentions
            if not any(a <= mention.start and mention.end - 1 <= b for a, b in spans)
        ]
        yield reading, Resolver(index, reading, mentions)


def _quote(number: _Number, known: int, confirmed: set[str]) -> Iterator[Claim]:
    """What a number quotes; `known` is how many cells or passages have it, `confirmed` what the text has right."""
    mention, resolver = number.mention, number.resolver
    good = [cell for cell in resolver.found[id(mention)] if agrees(mention, cell.fact, cell.scale)]
    certain = number.is_sure(_CERTAIN, _CERTAIN_MARGIN)
    if certain:
        # Beside a cell that the words choose so clearly, one of which they name a line only is another's.
        good, known = [cell for cell in good if cell.rows and cell.columns], known or len(good)
    if good:
        match = max(good, key=lambda cell: cell.score)
        telling = number.best is not None and agrees(mention, number.best[0].fact, number.best[0].scale)
        telling = telling and (certain or (known < 2 and number.is_sure(_FAR, _FAR_MARGIN)))
        yield replace(_claim(number, match), telling=telling and _is_of_its_kind(resolver, mention, match))
    elif number.best is not None and _is_missed(
        number, number.best[0], known > 0, number.best[0].fact.address in confirmed
    ):
        yield _claim(number, number.best[0], _chance(mention, number.best[0], resolver))
    elif not known and not mention.loose and (near := _near(number)) is not None:
        yield _claim(number, *near)


def _is_missed(number: _Number, cell: Candidate, known: bool, confirmed: bool) -> bool:
    """Whether words choose the cell so clearly, and nothing else explains the number, that one of both is wrong.

    What is no slip needs more: that a row or a column stands right beside it, and that another number of the sentence
    is found in the table, or that the text quotes the cell rightly elsewhere, or that its sign is the cell's.
    """
    mention, (least, most) = number.mention, sorted((cell.rows, cell.columns))
    beside, slip = 0.9 * BESIDE, len(mention.digits) > LEAST_DIGITS and _slipped(mention, cell)
    # The more digits a slip leaves alone, the less the words have to say.
    sure = _SURE - 0.85 * max(0, min(2, len(mention.digits.rstrip("0")) - 3))
    if not (number.is_sure(sure, _MARGIN) if slip else number.is_sure(_FAR, _FAR_MARGIN)):
        return False
    if known and not number.is_sure(_CERTAIN, _CERTAIN_MARGIN):
        return False
    apart = abs(mention.fact.value - cell.fact.value * cell.scale)
    if mention.loose and (least < beside or apart < abs(cell.fact.value) / 8):
        return False
    signed = mention.unit == "×" or mention.fact.text[-1] in "KMBT"
    vouched = number.resolver.vouches(mention, cell) or confirmed or (signed and least >= beside)
    symbol = number.sentence.text[: mention.start].rstrip(" +-−").endswith("=")
    if not slip and (most < beside or least < 0.9 or symbol or not vouched):
        return False
    return _is_alone(number, cell, confirmed)


def _is_alone(number: _Number, cell: Candidate, confirmed: bool = False) -> bool:
    """Whether nothing but a quote of the cell explains a number."""
    foreign = not confirmed and _foreign(number.mention, number.resolver)
    other = foreign or _is_version(number.mention, number.resolver)
    other = other or _taken(number.mention, cell, number.resolver) or _composed(number.mention, cell)
    return not other and _is_of_its_kind(number.resolver, number.mention, cell)


def _near(number: _Number) -> tuple[Candidate, float] | None:
    """The only cell that a number misses by a slip, among those that its words and the numbers beside it speak for."""
    mention, matched = number.mention, number.resolver.matched
    siblings = Counter(cell.sheet.label for key, cell in matched.items() if key != id(mention))
    named = [
        cell for cell in number.resolver.found[id(mention)] if cell.rows and cell.columns and siblings[cell.sheet.label]
    ]
    near = [cell for cell in named if _slipped(mention, cell) and _is_alone(number, cell)]
    digits = len(mention.digits if mention.decimals else mention.digits.rstrip("0"))
    best = max(near, key=lambda cell: cell.score, default=None)
    if best is None or any(cell.fact.value != best.fact.value and cell.score > best.score - 0.5 for cell in near):
        return None
    rivals = {cell.fact.value for cell in named if cell.score >= best.score}
    chance = len(rivals) * 11 * digits / 10**digits
    return (best, chance) if chance <= MOST_CHANCE * (1 + min(3, siblings[best.sheet.label])) else None


def is_quotable(mention: Mention) -> bool:
    """Whether a number has enough digits to be told from others."""
    digits = len(mention.digits)
    if "^" in mention.fact.text:
        return False
    return (
        digits >= LEAST_DIGITS
        and mention.unit != "pp"
        and (mention.decimals > 0 or digits > 2 or mention.unit == "%" or mention.fact.text[-1] in "KMBT")
    )


# What is no quote of a cell, although its words name one


_LEVELS = (68, 80, 90, 95, 99)
"""Percents that say how sure an interval is."""
_SYMBOL = re.compile(
    r"(?<![\w\\])(?:[A-Za-z]|[α-ωΑ-Ω]|R\^?2|se|SE|sd|SD|CI|n\.s\.)\s?[=<>≈≤≥]\s?[-+−±]?$|\bse $|[{∈]\s?[^}]*$"
)
_GIVEN = re.compile(r"([^\W\d_]{2,})\s?(?:=|≈|of\s?=)\s?[-+−±~∼]?$")
_MEASURED = re.compile(
    r"(?:\s?±\s?[\d.]+)?[ ~-](years?|days?|months?|weeks?|hours?|minutes?|seconds?|kg|km|cm|mm|ms|nm|Hz|°)(?!\w)"
)
_DERIVED = re.compile(
    r"\b(?:(?:ratio|difference|gap|gains?|increase|decrease|drop|reduction|change|improvement|sum|total|margin) of|"
    r"by|per|every|each|another|additional)\s(?:about |roughly |only |just |up to )?[-+−±~∼]?$",
    re.I,
)
_ELSEWHERE = re.compile(
    r"\b(?:maximum|minimum|largest|smallest) (?:possible|potential|feasible)\b|"
    r"\b(?:second|another|separate|different|additional|independent|follow-up|earlier|previous|prior|harder|larger)\b"
    r"[^.;]{0,40}\b(?:suite|sets?|datasets?|benchmark|runs?|study|experiment|sample|cohort|subset|test|paper|work)\b",
    re.I,
)
_COMPARED = re.compile(
    r"\b(?:surpass|exceed|outperform|beat|improv)\w*\b|\b(?:than|over|above|below|versus|vs|compared|against|relative)\b",
    re.I,
)


def _is_of_its_kind(resolver: Resolver, mention: Mention, cell: Candidate) -> bool:
    """Whether a number can be the cell's: printed as it is, and of no other symbol, unit, study or computation."""
    before, after = resolver.text[: mention.start], resolver.text[mention.end :]
    names = f"{cell.fact.column} {cell.fact.row}"
    unit, own = real(cell.fact).fact.unit * cell.scale, real(mention.fact).fact.unit
    if not (unit == own or (unit < own and mention.decimals > 0)):
        return False
    if mention.fact.text[:1] in "+-−" and cell.fact.text[:1] not in "+-−":
        return False
    if re.match(r"\s?[–—]\s?[-+−]?\d", after) or re.search(r"\d[%×]?\s?[–—]\s?$|\[[^\[\]a-z]*$", before):
        return False
    if mention.unit == "%" and any(0 <= mention.start - ratio.end < 30 for ratio in ratios_in(resolver.text)):
        return False
    if before.rstrip(" +-−").endswith("=") and cell.rows < 0.9 * BESIDE:
        # A symbol is anybody's whose name does not stand beside it.
        return False
    given, measured, symbol = _GIVEN.search(before), _MEASURED.match(after), _SYMBOL.search(before)
    if given is not None and not {stem(given[1].lower())} & vocabulary(names):
        return False
    if measured is not None and measured[1] not in names.lower():
        return False
    if symbol is not None:
        called = re.match(r"\W*(\w+)", symbol.group())
        if not (called and called[1] in re.findall(r"\w+", names)):
            return False
    if _DERIVED.search(before) or _ELSEWHERE.search(before):
        return False
    rows = resolver.called(cell)
    behind = min((name.start for name in rows if name.start >= mention.end), default=None)
    if behind is None or any(name.end <= mention.start for name in rows):
        return True
    # A row that is named behind it only is what it is compared with.
    return _COMPARED.search(resolver.text[mention.end : behind]) is None


def _is_version(mention: Mention, resolver: Resolver) -> bool:
    """Whether a number stands right behind a name that no table has: `Tool 16.1`."""
    found = re.search(r"\b[A-Z]\w+ $", resolver.text[: mention.start])
    if found is None or mention.unit:
        return False
    return not any(name.start <= found.start() < name.end for name in resolver.reading.names)


def _foreign(mention: Mention, resolver: Resolver) -> bool:
    """Whether the sentence speaks of something that no table has: more of its numbers are no cell's."""
    return any(
        beside is not mention
        and is_quotable(beside)
        and beside.decimals == mention.decimals
        and (beside.unit == "%") == (mention.unit == "%")
        and not (
            beside.loose or beside.fact.text[:1] in "+-−" or id(beside) in resolver.matched or resolver.printed(beside)
        )
        and not re.fullmatch(r"\s(?:out )?of (?:the |all )?", resolver.text[beside.end : mention.start])
        for beside in resolver.mentions
    )


def _taken(mention: Mention, cell: Candidate, resolver: Resolver) -> bool:
    """Whether another number of the sentence is found in the cell."""
    others = [match for key, match in resolver.matched.items() if key != id(mention)]
    return any(
        (candidate.sheet.label, candidate.row, candidate.column) == (cell.sheet.label, cell.row, cell.column)
        for candidate in others
    )


def _composed(mention: Mention, cell: Candidate) -> bool:
    """Whether a count is the sum or the difference of two of the cell's row or column."""
    if mention.decimals:
        return False
    value = abs(mention.fact.value) / cell.scale
    for sheet, line in ((cell.sheet, cell.row), (cell.sheet.turned(), cell.column)):
        values = [fact.value for fact in sheet.across(line) if fact.unit == cell.fact.unit and fact.value][:40]
        if any(value in (abs(a + b), abs(a - b)) for a, b in combinations(values, 2)):
            return True
    return False


def _slipped(mention: Mention, cell: Candidate) -> bool:
    """Whether a number misses a cell, rounded to its digits, by a slip."""
    value, unit = cell.fact.value * cell.scale, mention.fact.unit
    return is_slip(mention.fact.value, round(value / unit) * unit, unit)


def _chance(mention: Mention, cell: Candidate, resolver: Resolver) -> float | None:
    """How often an unrelated number would stand as near to one of the cells that the words name."""
    digits = len(mention.digits if mention.decimals else mention.digits.rstrip("0"))
    rivals = {candidate.fact.value for candidate in resolver.found[id(mention)] if candidate.rows and candidate.columns}
    return min(1.0, len(rivals) * 11 * digits / 10**digits) if _slipped(mention, cell) else None


# Claims


def _claim(number: _Number, cell: Candidate, chance: float | None = None) -> Claim:
    sentence, mention, fact = number.sentence, number.mention, cell.fact
    said = f"“{_around(sentence.text, mention)}” ({sentence.place(mention.start)})"
    names = " and ".join(name for name, pull in (("row", cell.rows), ("column", cell.columns)) if pull)
    turned = mention.fact.value > 0 > fact.value and agrees(mention, fact, cell.scale)
    return Claim(
        f"{FAMILY} {mention.fact.address}",
        same(mention.fact, fact, -cell.scale if turned else cell.scale),
        f"{mention.fact.text} in the text is {fact.text} of {fact.address}.",
        said,
        ("The sentence speaks of that cell.",),
        question=f"Is it {mention.fact.text}, as the text says, or {fact.text}, as the table prints?",
        family=FAMILY,
        evidence=f"the words choose its {names or 'table'} before all others"
        + ("" if agrees(mention, fact, cell.scale) else f", and it does not print {mention.fact.text}"),
        chance=chance,
    )


def _around(text: str, mention: Mention) -> str:
    start, end = max(0, mention.start - 60), min(len(text), mention.end + 40)
    start = text.find(" ", start) + 1 if start else 0
    cut = text[start:end]
    return re.sub(r"\s+", " ", ("…" if start else "") + cut + ("…" if end < len(text) else ""))
