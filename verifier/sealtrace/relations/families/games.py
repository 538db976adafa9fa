"""Two-player zero-sum games: NashConv is the sum of the best-response values, exploitability is half of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import plain, real
from sealtrace.relations.lexicon import phrase, telling
from sealtrace.relations.syntax import Formula, any_of, equal

FAMILY = "games"
_ZERO_SUM = re.compile(r"zero-sum|\bpoker\b|\bleduc\b|\bkuhn\b|\bgoofspiel\b|\bliar's dice\b|rock-paper-scissors", re.I)
_PLAIN = r"(?!mbb|milli|log|δ|relative|normali[sz]ed)(?:[\w-]+ )?"
_NASHCONV = re.compile(rf"{_PLAIN}nash-?conv")
_EXPLOITABILITY = re.compile(rf"{_PLAIN}(?:exploitability|exploit\.|expl\.)")
_RESPONSE = re.compile(r"(?:br|best[ -]response)(?: value)?,?[ _]?(?:\(?(?:player|p)?[ _]?[012]\)?)")
_HALF = re.compile(
    r"exploitability[^.;]{0,80}(?:\bhalf\b|nashconv ?/ ?2|/ ?2\b|½)|(?:\bhalf\b|nashconv ?/ ?2)[^.;]{0,60}exploitab",
    re.I,
)


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    words = paper.words
    if not _ZERO_SUM.search(words):
        return
    half = _HALF.search(words) is not None
    for sheet in paper.both_ways:
        yield from _sheet(sheet, half)
    if half:
        yield from _across(paper)


def _across(paper: Paper) -> Iterator[Claim]:
    """Exploitability in one table and NashConv in another, whose captions name the same evaluation."""
    for one, other in permutations(paper.both_ways, 2):
        sums, rows = other.only(_NASHCONV), {plain(line.label): row for row, line in enumerate(other.rows)}
        if other.label == one.label or sums is None or not _same_evaluation(one.caption, other.caption):
            continue
        for row, (exploitability,) in one.together(one.only(_EXPLOITABILITY)):
            name = plain(one.rows[row].label)
            nashconv = other.number(rows[name], sums) if name in rows else None
            if nashconv is not None:
                yield _half(one, nashconv, exploitability, True)


def _same_evaluation(one: str, other: str) -> bool:
    """Whether two captions share three words in a row that name something."""
    first, second = phrase(one), phrase(other)
    runs = {first[place : place + 3] for place in range(len(first) - 2)}
    shared = [second[place : place + 3] for place in range(len(second) - 2) if second[place : place + 3] in runs]
    return any(len(telling(run)) == 3 for run in shared)


def _sheet(sheet: Sheet, half: bool) -> Iterator[Claim]:
    sums, responses = sheet.only(_NASHCONV), sheet.headed(_RESPONSE)
    for _row, (nashconv, first, second) in sheet.together(sums, *responses) if len(responses) == 2 else ():
        yield _sum(sheet, nashconv, first, second)
    for _row, (nashconv, exploitability) in sheet.together(sums, sheet.only(_EXPLOITABILITY)):
        yield _half(sheet, nashconv, exploitability, half)


def _sum(sheet: Sheet, nashconv: Fact, first: Fact, second: Fact) -> Claim:
    return Claim(
        f"{FAMILY} {nashconv.address} sum",
        equal(real(nashconv), real(first) + real(second)),
        f"NashConv {nashconv.text} is the sum of the best-response values {first.text} and {second.text}.",
        sheet.place("columns of best responses and NashConv"),
        ("Two players, zero-sum, and best responses to the same profile.",),
        (Repair("NashConv is their mean", equal(real(nashconv) * 2, real(first) + real(second))),),
        f"What are the best-response values behind {nashconv.text}?",
        FAMILY,
    )


def _half(sheet: Sheet, nashconv: Fact, exploitability: Fact, half: bool) -> Claim:
    ways: list[Formula] = [equal(real(exploitability) * 2, real(nashconv))]
    # Some call NashConv itself the exploitability; only a paper that says half is held to it.
    same = equal(real(exploitability), real(nashconv))
    said = "half of" if half else "half of, or the same as,"
    return Claim(
        f"{FAMILY} {exploitability.address} half",
        any_of(*ways) if half else any_of(*ways, same),
        f"Exploitability {exploitability.text} is {said} NashConv {nashconv.text}.",
        sheet.place("columns of NashConv and exploitability"),
        ("Two players, and both numbers are of the same profile.",),
        (Repair("exploitability is NashConv itself", same),) if half else (),
        "How is exploitability defined?",
        FAMILY,
    )
