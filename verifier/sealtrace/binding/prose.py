"""Numbers of the running text: each is looked for in the tables that are explained, then in the results.

A sentence names what it speaks of. A number binds where a cell or a record prints the same, and its names are said in
the sentence or its paragraph well enough that chance would not find another one.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Literal

import numpy as np

from sealtrace.binding.candidates import SHOWN, SURE, Bound
from sealtrace.binding.compounds import OLD
from sealtrace.binding.frames import ResultFrame
from sealtrace.binding.records import Named, Records, summaries, surprise
from sealtrace.binding.scoring import ACCEPTED
from sealtrace.binding.series import Grid, GridCell, Spot
from sealtrace.binding.sizes import size_of, sizes_of
from sealtrace.binding.slots import is_telling, prints, scales
from sealtrace.binding.spoken import CALLED_P, SentenceReading, SentenceWitness, as_results, place_of, sources_of
from sealtrace.binding.tables import Progress
from sealtrace.binding.tally import Tally
from sealtrace.binding.weighing import printed_as
from sealtrace.binding.wording import rows_behind
from sealtrace.paper.names.index import Names
from sealtrace.paper.names.words import stems
from sealtrace.paper.numbers import PrintedNumber
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.recipes.judgement import AGREEING, WARNINGS, judge_number

_SETTING = re.compile(r"([A-Za-z_]\w{0,60})\s{0,9}=\s{0,9}$")
_LONGEST_SETTING = 150
_LEVEL = re.compile(r"\s*(?:CI\b|confidence|credible)", re.IGNORECASE)


@dataclass
class BoundText:
    """One number of the text, what is said around it, and what became of it."""

    number: TextNumber
    sentence: Sentence
    weights: dict[str, float]
    """Words that are said around the number, less for those further away."""
    told: frozenset[str]
    """Those of its own sentence."""
    status: Literal["explained", "off", "probably-off", "unexplained"] = "unexplained"
    by: str | None = None
    expected: str | None = None
    message: str | None = None
    odds: float | None = None
    """That it is wrong, where its sentence names something else."""
    printed_at: tuple[Grid, GridCell, int] | None = None
    """The cell that prints the same, and which of its numbers."""

    @property
    def slot(self) -> PrintedNumber:
        """What it says."""
        return self.number.number

    @property
    def is_p(self) -> bool:
        """Whether the sentence calls it a p-value."""
        return _CALLED_P.search(self.sentence.text[: self.number.start]) is not None

    @property
    def spread(self) -> bool:
        """Whether it stands behind ± and says how the number before it varies."""
        return self.slot.role == "sd" or self.sentence.text[: self.number.start].rstrip().endswith("±")

    def deny(self, given: SentenceReading, expected: str, odds: float) -> None:
        """Its sentence names something that prints otherwise."""
        self.status = "off" if odds >= SURE else "probably-off"
        self.expected, self.by, self.odds = expected, given.text, odds
        self.message = f"The text says {self.slot.text}; {given.text} is {expected}."

    def explain(self, by: str) -> None:
        """Results give it."""
        self.status, self.by = "explained", by


Heard = tuple[BoundText, list[SentenceReading]]
"""A number of the text, and what the words of its sentence give."""
NAMED = 4.5
"""Bits that a record must have over other records as well named, where its file gave a table."""
PRINTED = 3.0
"""The same of a table of the paper, which sentences repeat."""
ALONE = 6.0
"""The same where it did not."""


def bind_text(
    sentences: Sequence[Sentence],
    grids: list[Grid],
    bound: Bound,
    frames: list[ResultFrame],
    names: Names,
    tally: Tally,
    progress: Progress | None = None,
) -> tuple[list[BoundText], int]:
    """Every number of the text that could be a result, and how many only name something."""
    frames = [frame.own for frame in frames]
    settings: dict[str, set[str]] = {}
    for frame in frames:
        for field in frame.dimensions:
            if field.name in frame.measures and any("." in value for value in field.values):
                continue  # What is measured is no setting of a run.
            settings.setdefault(field.name.lower(), set()).update(field.values)
    found, set_aside = _looked_for(sentences, settings)
    _by_tables(found, grids, bound, tally)
    files = {tuple(one.frame.files) for binding in bound.bindings for one in binding.candidate.selected}
    heard = _heard(found, SentenceWitness(sources_of(grids, bound, frames), names), tally)
    spoken = _follow(heard, {file for known in files for file in known})
    records = Records([form for frame in frames for form in (frame, *_short(frame, tally, 2))], 0.4)
    given: dict[int, Named] = {}
    for place, text in enumerate(found):
        if progress is not None:
            progress("binding the text", place, len(found))
        if tally.late("some numbers of the text"):
            break
        named = records.named(text.slot, text.weights) if text.status == "unexplained" and not text.spread else None
        if named is not None and named.bits >= NAMED and not _superseded(named, text) and _is_meant(named, text):
            given[place] = named
    for place, record in given.items():
        spoken.setdefault(tuple(record.frame.files), set()).add(found[place].slot.value)
    # Of a file that no table was bound to, more than two values must be spoken of: one that is repeated is one.
    given = {
        place: record
        for place, record in given.items()
        if (known := tuple(record.frame.files)) in files or (record.bits >= ALONE and len(spoken[known]) > 2)
    }
    sizes = sizes_of(frames)
    beside: dict[str, dict[object, set[Fraction]]] = defaultdict(dict)
    for text, readings in heard if sizes else ():
        for reading in readings if text.status == "explained" else ():
            if reading.prints(text.slot):
                beside[text.sentence.id].setdefault(reading.source.files, set()).add(text.slot.value)
    for text in found:
        behind = text.sentence.text[text.number.end :]
        own = [files for files, told in beside[text.sentence.id].items() if len(told) >= _LEAST_BESIDE]
        if text.status == "unexplained" and (size := size_of(text.slot, behind, text.weights, sizes, own)):
            text.explain(size)
    for place, record in given.items():
        found[place].explain(record.text())
    _follow_beside(heard)
    _shares_of_counts(found)
    _differ(heard, bound)
    _say_what_open_numbers_may_be(heard)
    return found, set_aside


def _heard(found: list[BoundText], spoken: SentenceWitness, tally: Tally) -> list[Heard]:
    """What the words of sentences give for their numbers."""
    heard: list[Heard] = []
    for _, members in groupby(found, key=lambda text: text.sentence.id):
        if tally.late("what sentences name"):
            break
        texts = list(members)
        readings = spoken.readings(texts[0].sentence, [text.number for text in texts])
        heard += [(text, readings[text.number.id]) for text in texts if text.number.id in readings]
    return heard


def _follow(heard: list[Heard], known: set[str]) -> dict[tuple[str, ...], set[Fraction]]:
    """Explains numbers that are what their sentence names; their values by their files.

    A file that gave no table must give several numbers: more than chance finds among all that sentences read in it. Of
    a file that gave one, each number stands by itself, unless hardly any of those that sentences read in it agree: the
    share of agreements that are accidents is bounded, as in tests of many hypotheses.
    """
    agreeing: dict[tuple[str, ...], list[tuple[BoundText, SentenceReading, float]]] = {}
    followed: dict[tuple[str, ...], set[Fraction]] = {}
    for text, readings in heard:
        given = next((reading for reading in readings if reading.prints(text.slot)), None)
        if given is not None and is_telling(text.slot) and text.status == "unexplained":
            agreeing.setdefault(given.source.files, []).append((text, given, surprise(0, text.slot)))
    for files, members in agreeing.items():
        asked = sum(any(reading.source.files == files for reading in readings) for _, readings in heard)
        bits = sum({(text.slot.value, given.text): bits for text, given, bits in members}.values())
        sure = bits - math.log2(math.comb(asked, len(members))) >= ACCEPTED
        least = NAMED + math.log2(asked / len(members))
        for text, given, own in members:
            if sure or (own >= least and not known.isdisjoint(files)):
                text.explain(given.text)
                followed.setdefault(files, set()).add(text.slot.value)
    return followed


def _follow_beside(heard: list[Heard]) -> None:
    """Explains numbers of few digits that their names give beside others of the same record: `p = .17` behind `r`."""
    known: dict[str, list[SentenceReading]] = defaultdict(list)
    for text, readings in heard:
        if text.status == "explained":
            known[text.sentence.id] += [one for one in readings if one.prints(text.slot)]
    for text, readings in heard:
        same = (one.text for one in readings if one.exact and one.prints(text.slot)
                and any(map(one.is_beside, known[text.sentence.id])))  # fmt: skip
        if text.status == "unexplained" and is_telling(text.slot) and (by := next(same, None)):
            text.explain(by)


_FAR = Fraction(1, 2)
"""Share of a value within which a number may be another state of it; what is further away is something else."""
_RIGHT, _WRONG = 14, 1
"""Numbers of 45 public releases whose sentences name a value in full, beside two others of its measure: it gave all of
them, and one stands for those that were not seen.

Without two others beside it, 17 gave the number and 16 did not. So a record is an error's ground only where the same
sentence has the two: `A 0.34, B 0.28, C 0.31`.
"""
_LEAST_BESIDE = 2
"""Other numbers, of different values, that must follow beside one that is denied, as in tables."""


def _differ(heard: list[Heard], bound: Bound) -> None:
    """Numbers that nothing gives, where their sentence names something else in full.

    At least two others, of different values, must follow from the same files, and where a record denies that no table
    prints, in sentences of the same measure. How sure it is that the names mean this value is counted as odds: numbers
    that follow there, in sentences and tables, against those that do not.
    """
    followed: dict[tuple[str, ...], set[Fraction]] = {}
    measured: dict[tuple[tuple[str, ...], int], set[Fraction]] = defaultdict(set)
    told: dict[str, list[tuple[Fraction, SentenceReading]]] = defaultdict(list)
    denied: dict[tuple[str, ...], list[tuple[BoundText, SentenceReading]]] = {}
    for text, readings in heard:
        agreeing = [reading for reading in readings if reading.prints(text.slot)]
        sure = [reading for reading in readings if reading.exact]
        # Where a sentence says more than a source knows, and another knows all of it, that one is meant.
        sure = [reading for reading in sure if not any(reading.heard < other.heard for other in sure)]
        for reading in agreeing if text.status == "explained" else ():
            followed.setdefault(reading.source.files, set()).add(text.slot.value)
            measured[reading.source.files, reading.measure].add(text.slot.value)
            told[text.sentence.id].append((text.slot.value, reading))
        same = len({printed_as(_nearest(reading, text.slot), text.slot) for reading in sure}) == 1
        if text.status == "unexplained" and same and not agreeing and is_telling(text.slot):
            denied.setdefault(sure[0].source.files, []).append((text, sure[0]))
    printed = set()
    for number in (number for number in bound.numbers.values() if denied and number.agrees):
        followed.setdefault(tuple(number.binding.candidate.files), set()).add(number.slot.value)
        for selected, at in number.binding.candidate.behind(number.place):
            rows = rows_behind(selected, at)
            printed |= {f"{selected.measure} at {selected.frame.places[row]}" for row in rows if len(rows) == 1}
    for files, members in denied.items():
        others = len(followed.get(files, ()))
        odds = (_RIGHT + others) / (_WRONG + len(members) - 1)
        wrong = Counter(text.sentence.id for text, _ in members)
        for text, given in members if others >= _LEAST_BESIDE and odds >= SHOWN else ():
            by_record = given.source.grid is None
            # Where more of a sentence is something else, the whole of it is.
            neighbours = len({value for value, other in told[text.sentence.id] if given.is_beside(other)})
            neighbours *= neighbours >= wrong[text.sentence.id]
            if not neighbours and (given.listed or (by_record and len(measured[files, given.measure]) < _LEAST_BESIDE
                                                    and given.text not in printed)):  # fmt: skip
                continue
            in_list = neighbours >= _LEAST_BESIDE
            value = _nearest(given, text.slot)
            if _is_near(value, text.slot):
                shown = odds if in_list or not by_record else min(odds, SURE - 1)
                text.deny(given, printed_as(value, text.slot), shown)


_OUT_OF = re.compile(r"\s*(?:of|out of|/)\s*(?:(?:the|all|these)\s+)?")
_IN_BRACKET = re.compile(r"[^().;]{0,60}\(\s*")


def _shares_of_counts(found: list[BoundText]) -> None:
    """Percentages in brackets behind counts that results give: `solved 71 of 120 tasks (59.2 %)`."""
    known = {text.number.id for text in found if text.status == "explained"}
    for share in (text for text in found if text.status == "unexplained" and text.slot.percent):
        numbers, text = list(share.sentence.numbers), share.sentence.text
        at = numbers.index(share.number)
        part, whole = numbers[at - 2 : at] if at >= 2 else (share.number, share.number)
        told = _OUT_OF.fullmatch(text, part.end, whole.start) and _IN_BRACKET.fullmatch(
            text, whole.end, share.number.start
        )
        if not told or not whole.number.value or whole.id not in known:
            continue
        value = 100 * part.number.value / whole.number.value
        by = f"{part.number.text} of {whole.number.text} in percent"
        if judge_number(share.slot, value).status in AGREEING | WARNINGS:
            share.explain(by)
        elif not share.number.loose and not _LEVEL.match(text, share.number.end):
            # A small count is looked for in no file: it may be the count that is wrong.
            share.status, share.odds = ("off", None) if part.id in known else ("probably-off", SHOWN)
            share.by, share.expected = by, printed_as(float(value), share.slot)
            share.message = f"The text says {share.slot.text}; {by} is {share.expected}."


def _is_near(value: float, slot: PrintedNumber) -> bool:
    """Whether a value may be another state of what is printed."""
    return abs(Fraction(value) - slot.value) <= _FAR * max(abs(slot.value), abs(Fraction(value)))


def _nearest(reading: SentenceReading, slot: PrintedNumber) -> float:
    """What a reading gives, in the view and the scale that are nearest to what is printed."""
    scaled = [view * scale for view in reading.values for scale in scales(slot)]
    return min(scaled, key=lambda value: abs(value - float(slot.value)))


def _say_what_open_numbers_may_be(heard: list[Heard]) -> None:
    """What the records say is told of numbers that stay open, too."""
    for text, readings in heard:
        # What is far from the printed number is another thing, unless the sentence says all names in full.
        near = [one for one in readings if one.exact or _is_near(_nearest(one, text.slot), text.slot)]
        if text.status == "unexplained" and near:
            meant = next((one for one in near if one.exact), near[0])
            given = "the same" if meant.prints(text.slot) else printed_as(_nearest(meant, text.slot), text.slot)
            text.message = f"its sentence may name {meant.text}, which gives {given}; that is too little to decide by"


def _superseded(record: Named, mention: BoundText) -> bool:
    """Whether a value stands among results that were replaced, and the sentence does not speak of these."""
    old = OLD.search(record.frame.places[record.row].partition("#")[0])
    return old is not None and old.group(2).lower() not in mention.told


_CALLED_P = re.compile(r"(?<![A-Za-z])[pP](?:[-\s]?values?)?(?:\s*[=:]|\s+(?:of|is|was|were))?\s*$")


def _is_meant(record: Named, text: BoundText) -> bool:
    """Whether the sentence does not call the number a p-value where the measure is none."""
    return not text.is_p or not CALLED_P.isdisjoint(stems(record.frame.measures[record.measure]))


def _short(frame: ResultFrame, tally: Tally, fields: int) -> list[ResultFrame]:
    return [] if tally.late("means of results for the text") else summaries(frame, fields)


def _looked_for(sentences: Sequence[Sentence], settings: Mapping[str, Container[str]]) -> tuple[list[BoundText], int]:
    """The quantities that could be results, and how many numbers in digits are none."""
    paragraphs = groupby(sentences, key=lambda sentence: (sentence.source, sentence.paragraph))
    found: list[BoundText] = []
    aside = 0
    for members in (list(members) for _paragraph, members in paragraphs):
        near = frozenset(stems(" ".join(sentence.text for sentence in members)))
        before: frozenset[str] = frozenset()
        for sentence in members:
            told = frozenset(stems(sentence.text))
            weights = dict.fromkeys(near, 0.5) | dict.fromkeys(before, 0.7) | dict.fromkeys(told, 1.0)
            for number in (number for number in sentence.numbers if number.kind != "word"):
                if number.kind == "name" or _is_set(number, sentence.text, settings):
                    aside += 1
                    continue
                # A number does not say its own label: 85 % in a column `80–85`.
                own = stems(number.number.text)
                others = (
                    weights if len(own) > 1 else {word: share for word, share in weights.items() if word not in own}
                )
                found.append(BoundText(number, sentence, others, told))
            before = told
    return found, aside


def _is_set(number: TextNumber, text: str, settings: Mapping[str, Container[str]]) -> bool:
    """Whether somebody set a number rather than measured it: a limit, a setting of a run, a level, a small count."""
    digits = number.number.text.lstrip("+-")
    after = text[number.end :]
    if number.number.is_bound or _LEVEL.match(after) or digits[-1] in "BbGT":
        return True  # so many billions are the size of a model
    setting = _SETTING.search(text, max(0, number.start - _LONGEST_SETTING), number.start)
    if setting is not None and digits in settings.get(setting.group(1).lower(), ()):
        return True
    if number.unit in ("%", "pp") or not digits.replace(".", "").isdecimal():
        return False
    if "." in digits:
        # 0.5 and 1.0 are levels that a text explains things with; results have more digits.
        return len(digits.partition(".")[2]) == 1 and len(digits.replace(".", "").strip("0")) <= 1
    return int(digits) < 100 or after.startswith("-")


def _by_tables(found: list[BoundText], grids: list[Grid], bound: Bound, tally: Tally) -> None:
    """Numbers of tables that results give, asked as results are; behind ± only the cell of the one before will do."""
    printed = [(grid, frame) for grid in grids if (frame := as_results(grid, bound)) is not None]
    owner = {id(frame): grid for grid, frame in printed}
    # Headers are longer than names of fields: less of them is said.
    records = Records([frame for _, frame in printed], 0.0, least=0.4)
    before: tuple[Grid, GridCell, int] | None = None
    for text in found:
        if tally.late("numbers of the text in tables"):
            break
        if text.spread:
            before = None if before is None else _next(*before, text, bound)
        else:
            named = records.named(text.slot, text.weights)
            meant = named is not None and named.bits >= PRINTED and _is_meant(named, text)
            before = place_of(owner[id(named.frame)], named.row, named.measure) if named is not None and meant else None
        if before is not None:
            grid, cell, _ = text.printed_at = before
            text.explain(f"{grid.headers[cell.column]} at {grid.name}, row {grid.row_name(cell.row)}")


def _next(grid: Grid, cell: GridCell, at: int, text: BoundText, bound: Bound) -> tuple[Grid, GridCell, int] | None:
    """The number behind one of a cell, where the text prints it and results give it."""
    given = bound.numbers.get(Spot(grid.number, cell.row, cell.column, at + 1))
    same = given is not None and given.agrees and bool(prints(text.slot, np.array([float(given.slot.value)]))[0])
    return (grid, cell, at + 1) if same else None
