"""Two-player zero-sum games: NashConv is the sum of the best-response values, exploitability is half of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import plain, real
from sealtrace.relations.lexicon import phrase, telling
from sealtrace.relations.syntax import Formula, any_of, at_most, compare, equal

FAMILY = "games"
_ZERO_SUM = re.compile(r"zero-sum|\bpoker\b|\bleduc\b|\bkuhn\b|\bgoofspiel\b|\bliar's dice\b|rock-paper-scissors", re.I)
_NASHCONV = re.compile(r"(?:[\w-]+ )?nash-?conv")
_EXPLOITABILITY = re.compile(r"(?:[\w-]+ )?(?:exploitability|exploit\.|expl\.)")
_RESPONSE = re.compile(r"(?:br|best[ -]response)(?: value)?,?[ _]?(?:\(?(?:player|p)?[ _]?([012])\)?)")
_VALUE = re.compile(r"u_?0")
_HALF = re.compile(
    r"exploitability[^.;]{0,80}(?:\bhalf\b|nashconv ?/ ?2|/ ?2\b|½)|(?:\bhalf\b|nashconv ?/ ?2)[^.;]{0,60}exploitab",
    re.I,
)
# A best response that is only approximated may lose.
_APPROXIMATE = re.compile(
    r"\bLBR\b|local best response|approximat\w+ (?:best|exploit|nash)|lower bounds? on exploit|\bDQN-BR|\bISMCTS-BR",
    re.I,
)
_UNITS = re.compile(r"mbb|milli|%|log|Δ|δ|relative|normali[sz]ed", re.I)


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    words = paper.words
    if not _ZERO_SUM.search(words):
        return
    half = _HALF.search(words) is not None
    for sheet in paper.both_ways:
        yield from _sheet(sheet, half, exact=not _APPROXIMATE.search(words))
    if half:
        yield from _across(paper)


def _across(paper: Paper) -> Iterator[Claim]:
    """Exploitability in one table and NashConv in another, whose captions name the same evaluation."""
    ways = list(paper.both_ways)
    for one in ways:
        headers = {column: plain(one.columns[column].label) for column in one.numeric_columns()}
        halves = _only(headers, _EXPLOITABILITY)
        for other in ways if halves is not None else ():
            theirs = {column: plain(other.columns[column].label) for column in other.numeric_columns()}
            sums = _only(theirs, _NASHCONV)
            if other.label == one.label or sums is None or not _same_evaluation(one.caption, other.caption):
                continue
            rows = {plain(line.label): row for row, line in enumerate(other.rows)}
            for row, line in enumerate(one.rows):
                exploitability = one.number(row, halves or 0)
                nashconv = other.number(rows[plain(line.label)], sums) if plain(line.label) in rows else None
                if exploitability is not None and nashconv is not None:
                    yield _half(one, nashconv, exploitability, True)


def _same_evaluation(one: str, other: str) -> bool:
    """Whether two captions share three words in a row that name something."""
    first, second = phrase(one), phrase(other)
    runs = {first[place : place + 3] for place in range(len(first) - 2)}
    shared = [second[place : place + 3] for place in range(len(second) - 2) if second[place : place + 3] in runs]
    return any(len(telling(run)) == 3 for run in shared)


def _sheet(sheet: Sheet, half: bool, *, exact: bool) -> Iterator[Claim]:
    headers = {column: plain(sheet.columns[column].label) for column in sheet.numeric_columns()}
    if _UNITS.search(" ".join(headers.values())) and not sheet.is_turned:
        headers = {column: header for column, header in headers.items() if not _UNITS.search(header)}
    sums = _only(headers, _NASHCONV)
    halves = _only(headers, _EXPLOITABILITY)
    value = _only(headers, _VALUE)
    responses = {
        int(found.group(1)): column for column, header in headers.items() if (found := _RESPONSE.fullmatch(header))
    }
    players = sorted(responses)
    for row, line in enumerate(sheet.rows):
        nashconv = None if sums is None else sheet.number(row, sums)
        exploitability = None if halves is None else sheet.number(row, halves)
        pair = [sheet.number(row, responses[player]) for player in players] if players in ([0, 1], [1, 2]) else []
        if nashconv is not None and len(pair) == 2 and pair[0] is not None and pair[1] is not None:
            yield _sum(sheet, nashconv, pair[0], pair[1])
        if nashconv is not None and exploitability is not None:
            yield _half(sheet, nashconv, exploitability, half)
        for fact in (nashconv, exploitability):
            if fact is not None and exact:
                yield _nonnegative(sheet, fact)
        first = None if value is None else sheet.number(row, value)
        if exact and first is not None and players == [0, 1] and pair[0] is not None and pair[1] is not None:
            yield _value(sheet, line.label, first, pair[0], pair[1])


def _only(headers: dict[int, str], pattern: re.Pattern[str]) -> int | None:
    found = [column for column, header in headers.items() if pattern.fullmatch(header)]
    return found[0] if len(found) == 1 else None


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


def _nonnegative(sheet: Sheet, fact: Fact) -> Claim:
    return Claim(
        f"{FAMILY} {fact.address} sign",
        compare(real(fact), ">=", 0),
        f"{fact.text} is what best responses gain, which is never negative.",
        sheet.place(f"column {fact.column!r}, row {fact.row!r}"),
        question=f"How can a best response lose, as {fact.text} says?",
        family=FAMILY,
        telling=False,
    )


def _value(sheet: Sheet, label: str, value: Fact, first: Fact, second: Fact) -> Claim:
    return Claim(
        f"{FAMILY} {sheet.label}[{label}] value",
        at_most(real(value), real(first)) & at_most(-real(value), real(second)),
        f"Best responses {first.text} and {second.text} are at least {value.text} and its opposite.",
        sheet.place("columns of best responses and of the profile's value"),
        ("Zero-sum, and all three are of the same profile.",),
        question="Are the best responses against the profile whose value is printed?",
        family=FAMILY,
    )
