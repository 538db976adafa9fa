"""Wins, ties and losses: they sum to the matches or to one hundred percent, and give the score."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sealtrace.relations.decision import Claim
from sealtrace.relations.fact import Fact
from sealtrace.relations.families.paper import Paper, Sheet
from sealtrace.relations.families.wording import COUNT, count, count_of, is_percent, plain, real, repeats_of
from sealtrace.relations.syntax import Cell, Expression, any_of, call, equal

FAMILY = "win, tie, loss"
_TUPLE = re.compile(r"(?:w/[td]/l|wins?/(?:ties?|draws?)/loss(?:es)?)(?: ?\(?%\)?)?")
_WIN = re.compile(r"(?:w|wins?|won)(?: ?\(?%\)?)?")
_TIE = re.compile(r"(?:t|d|ties?|tied|draws?|drawn)(?: ?\(?%\)?)?")
_LOSS = re.compile(r"(?:l|loss|losses|lost)(?: ?\(?%\)?)?")
_PLAYED = re.compile(r"(?:# ?|no\. of |number of )?(?:matches|games|hands|rounds)(?: played)?|played")
_SAID = re.compile(rf"\b(?:over|of|out of|in) {COUNT} (?:[\w-]+ )?(?:matches|games|hands|rounds)\b", re.IGNORECASE)
_SCORE = re.compile(r"(?:score|points)(?: ?\(?%\)?)?")
_HALF = re.compile(
    r"\b(?:ties?|draws?) (?:count|counts|counted|counting|score|scores|scored|is worth|are worth|give|gives) "
    r"(?:as )?(?:one |a )?half|\bhalf (?:a )?(?:point|win)\b[^.;]*\b(?:tie|draw)|"
    r"\b(?:w|wins?) ?(?:\+|plus) ?(?:0\.5|half|½|1/2)?[^.;]{0,15}\b(?:t|d|ties?|draws?)\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"\bw/[td]/l\b[^.;]*\bpercent|\bwins?,? (?:ties?|draws?),? (?:and )?loss[^.;]*\bpercent", re.IGNORECASE
)


@dataclass(frozen=True)
class _Result:
    """One row's wins, ties and losses."""

    row: int
    facts: tuple[Fact, Fact, Fact]
    percent: bool
    said: str


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    for sheet in paper.sheets:
        for result in _results(sheet):
            yield from _sums(sheet, result)
            yield from _scores(sheet, result)


def _results(sheet: Sheet) -> Iterator[_Result]:
    headers = [plain(line.label) for line in sheet.columns]
    told = _PERCENT.search(sheet.caption) is not None
    for column, header in enumerate(headers):
        if _TUPLE.fullmatch(header):
            for row in range(len(sheet.rows)):
                entry = sheet.entry(row, column)
                if entry is not None and len(entry.facts) == 3:
                    one, two, three = entry.facts
                    percent = told or is_percent(header, sheet.caption, (entry.text,))
                    yield _Result(row, (one, two, three), percent, f"column {sheet.columns[column].label!r}")
    places = [
        [column for column in sheet.numeric_columns() if pattern.fullmatch(headers[column])]
        for pattern in (_WIN, _TIE, _LOSS)
    ]
    if [len(one) for one in places] != [1, 1, 1]:
        return
    (win,), (tie,), (loss,) = places
    for row in range(len(sheet.rows)):
        wins, ties, losses = (sheet.number(row, column) for column in (win, tie, loss))
        if wins is not None and ties is not None and losses is not None:
            texts = (wins.text, ties.text, losses.text)
            percent = told or all(is_percent(headers[column], sheet.caption, texts) for column in (win, tie, loss))
            labels = ", ".join(repr(sheet.columns[column].label) for column in (win, tie, loss))
            yield _Result(row, (wins, ties, losses), percent, f"columns {labels}")


def _sums(sheet: Sheet, result: _Result) -> Iterator[Claim]:
    name = sheet.rows[result.row].label
    texts = " + ".join(fact.text for fact in result.facts)
    if result.percent:
        yield Claim(
            f"{FAMILY} {sheet.label}[{name}] sum",
            equal(call("sum", *(real(fact) for fact in result.facts)), 100),
            f"Wins, ties and losses of {name!r} are all matches: {texts} is 100 percent.",
            sheet.place(result.said),
            question="Which matches are neither won, tied nor lost?",
            family=FAMILY,
        )
        return
    played = _played(sheet, result.row)
    if played is None or any(count(fact) is None for fact in result.facts) or repeats_of(sheet.caption) != 1:
        return
    yield Claim(
        f"{FAMILY} {sheet.label}[{name}] sum",
        equal(call("sum", *(Cell(fact) for fact in result.facts)), played),
        f"Wins, ties and losses of {name!r} are all matches played: {texts}.",
        sheet.place(result.said),
        ("Every match played is counted.",),
        question="Which matches are neither won, tied nor lost?",
        family=FAMILY,
    )


def _played(sheet: Sheet, row: int) -> Expression | int | None:
    columns = [column for column, line in enumerate(sheet.columns) if _PLAYED.fullmatch(plain(line.label))]
    if len(columns) == 1:
        fact = sheet.number(row, columns[0])
        return Cell(fact) if fact is not None and count(fact) is not None else None
    said = {count_of(one) for one in _SAID.findall(sheet.caption)}
    return said.pop() if not columns and len(said) == 1 else None


def _scores(sheet: Sheet, result: _Result) -> Iterator[Claim]:
    """The score, where the caption says that a tie counts half."""
    if not _HALF.search(sheet.caption):
        return
    columns = [column for column in sheet.numeric_columns() if _SCORE.fullmatch(plain(sheet.columns[column].label))]
    score = sheet.number(result.row, columns[0]) if len(columns) == 1 else None
    if score is None:
        return
    wins, ties, losses = (real(fact) if result.percent else Cell(fact) for fact in result.facts)
    points = wins + ties / 2
    share = points / 100 if result.percent else points / (wins + ties + losses)
    formula = any_of(equal(real(score), share), equal(real(score), share * 100))
    if not result.percent:
        formula = any_of(formula, equal(real(score), points))
    yield Claim(
        f"{FAMILY} {score.address}",
        formula,
        f"The score {score.text} counts a win as one and a tie as half.",
        sheet.place(f"caption, column {sheet.columns[columns[0]].label!r}"),
        ("The score is of the matches of its own row.",),
        question=f"Which wins and ties give the score {score.text}?",
        family=FAMILY,
    )
