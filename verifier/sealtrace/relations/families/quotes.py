"""Numbers of the text that quote a cell: words alone choose the cell, and then both are compared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sealtrace.paper.fact import plain_address
from sealtrace.paper.names.index import APART
from sealtrace.paper.names.words import stem, vocabulary
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.decision import Claim
from sealtrace.relations.families import estimates
from sealtrace.relations.families.naming import index_of
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.resolving import ALONE, BESIDE, NEAR, Candidate, Reading, Resolver, agrees
from sealtrace.relations.families.wording import LEVEL, is_slip, real, same
from sealtrace.relations.prose import ratios_in
from sealtrace.relations.work import time_is_up

FAMILY = "quote"
LEAST_DIGITS = 2
_NAMED = 0.85
"""What has to speak for the row, and for the column: a name in the sentence itself, or all its other numbers."""
_HINTED, _BARELY = 0.7, 0.3
"""The same for the column of a slip whose row is clear: a word of the name, or the sentence before, has to say it; and
the least that has to speak for anything."""
_SURE, _MARGIN = 3.5, 0.45
"""What a cell's score, and its distance from all others, must be for words to have chosen it: for a slip."""
_REFERRED = 0.6
"""What speaks for a table that the paragraph refers to."""
_MOST_CHANCE = 0.14
"""How often at most an unrelated number may be a slip away from one of the cells that words name as well."""
_CHANCE_OF_TWO = 0.22
"""The same for a number of two digits, whose cell the words have to choose beyond doubt, and as the only one."""
_FAR, _FAR_MARGIN = 4.0, 0.65
"""The same for a number that misses the cell by more than a slip."""
_CERTAIN, _CERTAIN_MARGIN = 5.0, 1.5
"""The same for a number that another cell prints, or another passage says: it may speak of something else."""


@dataclass(frozen=True)
class Number:
    """A number of the text, with the cell that the words choose and its distance from all others."""

    sentence: Sentence
    mention: TextNumber
    resolver: Resolver
    cell: Candidate | None
    margin: float

    @property
    def is_right(self) -> bool:
        """Whether the chosen cell prints it."""
        return self.cell is not None and agrees(self.mention, self.cell.fact, self.cell.scale)

    def is_sure(self, score: float, margin: float) -> bool:
        """Whether the words choose the cell so clearly."""
        return self.cell is not None and self.cell.score >= score and self.margin >= margin


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every number whose words name a cell, where a cell says the same, or where words alone choose another."""
    told = set()
    for claim in estimates.find(paper, FAMILY):
        told |= {plain_address(fact) for fact in claim.facts}
        yield claim
    numbers = [
        Number(reading.sentence, mention, resolver, *resolver.best(mention))
        for reading, resolver in readings(paper)
        for mention in resolver.mentions
        if is_quotable(mention) and mention.fact.address not in told
        if not (mention.fact.value in _LEVELS and LEVEL.match(reading.sentence.text, mention.end))
    ]
    said: dict[str, list[str]] = defaultdict(list)
    for number in numbers:
        said[number.mention.text].append("" if number.cell is None else number.cell.fact.address)
    right = {
        number.cell.fact.address
        for number in numbers
        if number.cell and number.is_right and number.is_sure(_FAR, _FAR_MARGIN)
    }
    for number in numbers:
        if time_is_up():
            return
        yield from _quote(number, said[number.mention.text], right)


@lru_cache(maxsize=1)
def readings(paper: AuditedPaper) -> tuple[tuple[Reading, Resolver], ...]:
    """Every sentence with what it and the sentences before it name, read once."""
    return tuple(_read(paper))


def _read(paper: AuditedPaper) -> Iterator[tuple[Reading, Resolver]]:
    index = index_of(paper)
    reading: Reading | None = None
    for sentence in paper.sentences:
        here = (sentence.source, sentence.paragraph)
        before = reading if reading and (reading.sentence.source, reading.sentence.paragraph) == here else None
        names = index.of(sentence)
        earlier = [before.names, *before.earlier][:3] if before else []
        referred = frozenset(sentence.references) | (before.referred if before else frozenset())
        reading = Reading(sentence, names, earlier, referred)
        # A number that belongs to the name of a row or a column quotes nothing.
        spans = [(name.start, name.end) for name in names if name.strength >= APART]
        mentions = [
            mention
            for mention in sentence.amounts
            if not any(a <= mention.start and mention.end - 1 <= b for a, b in spans)
        ]
        if mentions:
            yield reading, Resolver(index, reading, mentions)


def _quote(number: Number, said: list[str], right: set[str]) -> Iterator[Claim]:
    """What a number quotes; `said` has the cells of all that read so, `right` those that the text quotes rightly."""
    mention, cell, resolver = number.mention, number.cell, number.resolver
    good = [found for found in resolver.found[id(mention)] if agrees(mention, found.fact, found.scale)]
    certain = number.is_sure(_CERTAIN, _CERTAIN_MARGIN)
    if certain:
        # Beside a cell that the words choose so clearly, one of which they hardly name a line is another's.
        good = [found for found in good if (found.rows and found.columns) or max(found.rows, found.columns) > NEAR]
    if good:
        match = cell if cell is not None and number.is_right else max(good, key=lambda candidate: candidate.score)
        # Were the cell another number, this one would have to be nobody else's. More is asked than for a slip: the cell
        # counts as checked only where other errors in it, too, are mostly noticed.
        known = len(set(said)) > 1 or resolver.printed(mention) > 1
        telling = match is cell and (certain or not known) and _is_chosen(number, match, slip=True)
        yield _claim(number, match, telling=telling)
        return
    known = len(set(said)) > 1 or len(said) > 2 or resolver.printed(mention) > 0
    near = [] if known else resolver.found[id(mention)]
    slips = [found for found in near if _slipped(mention, found) and _is_meant(number, found)]
    if slips:
        missed = max(slips, key=lambda found: found.score)
        yield _claim(number, missed, chance=_chance(number, missed))
    elif cell is not None and (certain or not known):
        chosen = _is_chosen(number, cell, slip=False, confirmed=cell.fact.address in right)
        if chosen and not _is_taken(number, cell) and not _is_foreign(number, cell, strict=True):
            yield _claim(number, cell)


def _is_chosen(number: Number, cell: Candidate, *, slip: bool, confirmed: bool = False) -> bool:
    """Whether words tie a number to a cell so closely that one of both is wrong where they differ.

    What is no slip needs more: that a row or a column stands right beside it and the other is hardly less clear, that
    it is of the column's size, and that another number of the sentence is found in the table, or that the text quotes
    the cell rightly elsewhere, or that its sign is the cell's.
    """
    mention, (least, most) = number.mention, sorted((cell.rows, cell.columns))
    hinted = slip and cell.rows >= _NAMED * NEAR and cell.columns >= _HINTED
    if not (least >= _NAMED or hinted) or not is_of_its_kind(number, cell):
        return False
    if slip:
        # The more digits a slip leaves alone, the less the words have to say.
        sure = _SURE - 0.85 * max(0, min(2, len(mention.digits.rstrip("0")) - 3))
        return number.is_sure(sure, _MARGIN) and not mention.loose
    entry = cell.sheet.entries[cell.row, cell.column]
    signed = (mention.unit == "×" and "×" in entry.text) or mention.text[-1] in "KMBT"
    symbol = number.sentence.text[: mention.start].rstrip(" +-−").endswith("=")
    apart = abs(mention.fact.value - cell.fact.value * cell.scale)
    bounded = _BOUNDS.match(number.sentence.text, mention.end) is not None
    short = _significant(mention) <= LEAST_DIGITS and not (signed or mention.unit == "%")
    if short or symbol or bounded or (mention.loose and (not signed or apart < abs(cell.fact.value) / 8)):
        return False
    vouched = confirmed or signed or number.resolver.vouches(mention, cell)
    clear = most >= _NAMED * BESIDE and least >= _NAMED * ALONE and number.is_sure(_FAR, _FAR_MARGIN)
    sizes = [abs(fact.value * cell.scale) for fact in (cell.fact, *cell.sheet.every(cell.column))]
    return vouched and clear and (signed or min(sizes) / 4 <= abs(mention.fact.value) <= max(sizes) * 4)


def _is_meant(number: Number, cell: Candidate) -> bool:
    """Whether a number that no cell prints can be nothing but a cell, if it is a slip away from it.

    A slip is evidence by itself: the more digits it leaves alone, and the fewer cells the words name as well, the less
    they have to say. They name both lines, or the row and the table.
    """
    mention, digits = number.mention, _significant(number.mention)
    if digits > LEAST_DIGITS:
        both = cell.rows >= _NAMED and cell.columns >= _BARELY
        # Of a column alone it may be the number of a row that the table has not.
        row = cell.rows >= (_NAMED if digits > 3 else ALONE) and cell.table >= (_BARELY if digits > 3 else _REFERRED)
        meant = both or (row and not _AMONG.match(number.sentence.text, mention.end))
    else:
        meant = min(cell.rows, cell.columns) >= _NAMED and cell.score >= _CERTAIN - _MARGIN
    return (
        meant
        and not mention.loose
        and _chance(number, cell) <= (_MOST_CHANCE if digits > LEAST_DIGITS else _CHANCE_OF_TWO)
        and is_of_its_kind(number, cell)
        and not _is_taken(number, cell)
        and not _is_foreign(number, cell, strict=digits <= LEAST_DIGITS)
    )


def is_quotable(mention: TextNumber) -> bool:
    """Whether a number has enough digits to be told from others."""
    digits = len(mention.digits)
    known = mention.decimals > 0 or digits > 2 or mention.unit == "%" or mention.text[-1] in "KMBT"
    return digits >= LEAST_DIGITS and known and mention.unit != "pp" and "^" not in mention.text


# What is no quote of a cell, although its words name one


_LEVELS = (68, 80, 90, 95, 99)
"""Percents that say how sure an interval is."""
_NO_VALUE_AFTER = re.compile(
    r"\b(?:(?:ratio|difference|gap|gains?|increase|decrease|drop|reduction|change|improvement|sum|total|margin) of|"
    r"by|per|every|each|another|additional|between)\s(?:about |roughly |only |just |up to )?[-+−±~∼]?$|"
    r"\d[%×]?\s?[–—]\s?$|\bbetween\s[^.;]{0,40}\sand\s$|\[[^\[\]a-z]*$|[{∈]\s?[^}]*$|"
    r"\d\s(?-i:[a-z-]+(?:\s[a-z-]+)?)\s\($|\(\s?[\d.,]+%?\sto\s$|"
    r"\b(?:maximum|minimum|largest|smallest) (?:possible|potential|feasible)\b|"
    r"\b(?:second|another|separate|different|additional|independent|follow-up|earlier|previous|prior|harder|larger)\b"
    r"[^.;]{0,40}\b(?:suite|sets?|datasets?|benchmark|runs?|study|experiment|sample|cohort|subset|test|paper|work)\b",
    re.I,
)
"""Before a number that is computed, the end of a range, a share of the count before it, or of another study."""
_NO_VALUE_BEFORE = re.compile(
    r"\s?[–—]\s?[-+−]?\d|\s(?:and|to)\s[-+−]?[\d.]+%? (?:of|higher|lower)\b|"
    r"\s(?:higher|lower|more|less|fewer|better|worse|above|below|larger|smaller|greater|faster|slower)\b|"
    r"[\s-](?:\w+[\s-])?(?:improvement|reduction|increase|decrease|gain|drop|change|speed-?up)\b|\s?\[…\]"
)
"""Behind a number that begins a range, is a difference, or is taken from another paper."""
_BOUNDS = re.compile(r"%?\s?[(\[](?:[^()\[\]]{0,12}\bCI\b\D{0,3})?[-+−]?[\d.]+%?\s?(?:[-–—,]|to)\s?[-+−]?[\d.]+")
"""Behind an estimate that has bounds of its own: it may be that of another group."""
_AMONG = re.compile(r"\s(?:among|for|in|on|within|under|with|at|over)\b")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_VERSION = re.compile(r"[-.]\d|[a-z]\b")
"""Behind a number that is the version of something: `1.7-02`, `2.4b`."""
_AVERAGED = re.compile(r"\b(?:mean|average|median|overall)(?:\s[^\s.,;()]+){0,4}\s?$", re.I)
_OF_ALL = re.compile(r"\b(?:mean|avg|average|med|median|overall|all|total)\b", re.I)
_SYMBOL = re.compile(r"([^\W\d_]\w*(?:\^?2)?|[α-ωΑ-Ω])\s?(?:=|<|>|≈|≤|≥|of\s?=)\s?[-+−±~∼]?$|\b(se)\s$", re.I)
_MEASURED = re.compile(
    r"(?:\s?±\s?[\d.]+)?"
    r"(?:[ ~-](years?|days?|months?|weeks?|hours?|minutes?|seconds?|kg|km|cm|mm|ms|nm|Hz|°)(?!\w)|-([a-z]{3,}))"
)
_COMPARED = re.compile(
    r"\b(?:surpass|exceed|outperform|beat|improv)\w*\b|\b(?:than|over|above|below|versus|vs|compared|against|relative)\b",
    re.I,
)


def is_of_its_kind(number: Number, cell: Candidate) -> bool:
    """Whether a number can be the cell's: printed as it is, and of no other symbol, unit, study or computation."""
    mention, text = number.mention, number.sentence.text
    before, after = text[: mention.start], text[mention.end :]
    names = vocabulary(f"{cell.fact.column} {cell.fact.row}")
    unit, own = real(cell.fact).fact.unit * cell.scale, real(mention.fact).fact.unit
    if not (unit == own or (unit < own and mention.decimals > 0)):
        return False
    if mention.text[:1] in "+-−" and cell.fact.text[:1] not in "+-−":
        return False
    if _NO_VALUE_AFTER.search(before) or _NO_VALUE_BEFORE.match(after) or _YEAR.fullmatch(mention.text):
        return False
    if _VERSION.match(after) or re.search(r"\bversions?\b|\bv$", before[-60:], re.I):
        return False
    if mention.unit == "%" and any(0 <= mention.start - ratio.end < 30 for ratio in ratios_in(number.sentence)):
        return False
    where = f"{cell.sheet.entries[cell.row, cell.column].text} {cell.fact.column} {cell.sheet.caption}"
    if mention.unit == "%" and not mention.decimals and not re.search(r"%|percent", where, re.I):
        return False
    called = [
        word for found in (_SYMBOL.search(before), _MEASURED.match(after)) if found for word in found.groups() if word
    ]
    if any(stem(word.lower()) not in names for word in called):
        return False
    if before.rstrip(" +-−").endswith("=") and cell.rows < _NAMED * (ALONE if called else BESIDE):
        # A symbol is anybody's whose name does not stand beside it.
        return False
    if _AVERAGED.search(before) and not _OF_ALL.search(f"{cell.fact.column} {cell.fact.row}"):
        return False
    rows = number.resolver.called(cell)
    longer = [name for name in rows if re.match(r"[ -][A-Z]\w", text[name.end :])]
    if rows and rows == [name for name in longer if not number.resolver.goes_on(name)]:
        # A longer name is another thing: `Deep Ensemble Entropy`.
        return False
    behind = min((name.start for name in rows if name.start >= mention.end), default=None)
    if behind is None or any(name.end <= mention.start for name in rows):
        return True
    # A row that is named behind it only is what it is compared with.
    return _COMPARED.search(text[mention.end : behind]) is None


def _is_foreign(number: Number, cell: Candidate, *, strict: bool) -> bool:
    """Whether the sentence speaks of something else: other numbers are no cell's, or, `strict`, not of the table."""
    mention, resolver = number.mention, number.resolver
    for beside in resolver.mentions:
        alike = (beside.decimals, beside.unit == "%") == (mention.decimals, mention.unit == "%")
        signed = beside.fact.text[:1] in "+-−" and mention.text[:1] not in "+-−"
        part = re.fullmatch(r"\s(?:out )?of (?:the |all )?", resolver.text[beside.end : mention.start])
        if beside is mention or not alike or not is_quotable(beside) or beside.loose or signed or part:
            continue
        match = resolver.matched.get(id(beside))
        if (
            (match is None or match.sheet is not cell.sheet)
            if strict
            else (match is None and not resolver.printed(beside))
        ):
            return True
    return False


def _is_taken(number: Number, cell: Candidate) -> bool:
    """Whether another number of the sentence is found in the cell."""
    others = [match for key, match in number.resolver.matched.items() if key != id(number.mention)]
    return any(
        (other.sheet.label, other.row, other.column) == (cell.sheet.label, cell.row, cell.column) for other in others
    )


def _slipped(mention: TextNumber, cell: Candidate) -> bool:
    """Whether a number misses a cell, rounded to its digits, by a slip."""
    value, unit = cell.fact.value * cell.scale, mention.fact.unit
    return is_slip(mention.fact.value, round(value / unit) * unit, unit)


def _significant(mention: TextNumber) -> int:
    """How many digits of a number another one would not have by itself."""
    return len(mention.digits.lstrip("0") if mention.decimals else mention.digits.rstrip("0"))


def _chance(number: Number, cell: Candidate) -> float:
    """How often an unrelated number would be a slip away from one of the cells that the words name as well."""
    digits, found = _significant(number.mention), number.resolver.found[id(number.mention)]
    rivals = {(rival.fact.value, rival.scale) for rival in found if rival.score >= cell.score - _MARGIN}
    # Counts are anything's, and more often alike.
    common = 1 if number.mention.decimals or number.mention.unit else 3
    return min(1.0, common * len(rivals) * 11 * digits / 10.0**digits)


# Claims


def _claim(number: Number, cell: Candidate, *, telling: bool = True, chance: float | None = None) -> Claim:
    sentence, mention, fact = number.sentence, number.mention, cell.fact
    said = f"“{_around(sentence.text, mention)}” ({sentence.place(mention.start)})"
    names = " and ".join(name for name, pull in (("row", cell.rows), ("column", cell.columns)) if pull)
    agree = agrees(mention, fact, cell.scale)
    missed = "" if agree else f", and it does not print {mention.text}"
    turned = mention.fact.value > 0 > fact.value and agree
    return Claim(
        f"{FAMILY} {mention.fact.address}",
        same(mention.fact, fact, -cell.scale if turned else cell.scale),
        f"{mention.text} in the text is {fact.text} of {fact.address}.",
        said,
        ("The sentence speaks of that cell.",),
        question=f"Is it {mention.text}, as the text says, or {fact.text}, as the table prints?",
        family=FAMILY,
        evidence=(
            f"the words choose its {names or 'table'} before all others{missed}"
            if chance is None
            else f"it is a slip away, no cell prints {mention.text}, and the words name its {names}"
        ),
        chance=chance,
        telling=telling,
    )


def _around(text: str, mention: TextNumber) -> str:
    start, end = max(0, mention.start - 60), min(len(text), mention.end + 40)
    start = text.find(" ", start) + 1 if start else 0
    return re.sub(r"\s+", " ", ("…" if start else "") + text[start:end] + ("…" if end < len(text) else ""))
