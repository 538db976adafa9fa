"""Two-player zero-sum games: NashConv is the sum of the best-response values, exploitability is half of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from sealtrace.relations.decision import Claim
from sealtrace.relations.families.paper import Paper
from sealtrace.relations.families.stated import Rule
from sealtrace.relations.families.wording import plain
from sealtrace.relations.lexicon import phrase, telling
from sealtrace.relations.syntax import any_of, equal

FAMILY = "games"
_ZERO_SUM = re.compile(r"zero-sum|\bpoker\b|\bleduc\b|\bkuhn\b|\bgoofspiel\b|\bliar's dice\b|rock-paper-scissors", re.I)
_PLAIN = r"(?!mbb|milli|log|δ|relative|normali[sz]ed)(?:[\w-]+ )?"
_NASHCONV = re.compile(rf"{_PLAIN}nash-?conv")
_EXPLOITABILITY = re.compile(rf"{_PLAIN}(?:exploitability|exploit\.|expl\.)")
_RESPONSE = re.compile(r"(?:br|best[ -]response)(?: value)?,?[ _]?(?:\(?(?:player|p)?[ _]?[012]\)?)")
_SAYS_HALF = re.compile(
    r"exploitability[^.;]{0,80}(?:\bhalf\b|nashconv ?/ ?2|/ ?2\b|½)|(?:\bhalf\b|nashconv ?/ ?2)[^.;]{0,60}exploitab",
    re.I,
)
_PLACE = "columns of NashConv and exploitability"
_SUM = Rule(
    FAMILY,
    "NashConv {0} is the sum of the best-response values {1} and {2}.",
    lambda nashconv, first, second: equal(nashconv, first + second),
    ("Two players, zero-sum, and best responses to the same profile.",),
    "What are the best-response values behind {0}?",
    ("NashConv is their mean", lambda nashconv, first, second: equal(nashconv * 2, first + second)),
)
_HALF = Rule(
    FAMILY,
    "Exploitability {0} is half of NashConv {1}.",
    lambda exploitability, nashconv: equal(exploitability * 2, nashconv),
    ("Two players, and both numbers are of the same profile.",),
    "How is exploitability defined?",
    ("exploitability is NashConv itself", equal),
)
# Some call NashConv itself the exploitability; only a paper that says half is held to it.
_EITHER = replace(
    _HALF,
    says="Exploitability {0} is half of, or the same as, NashConv {1}.",
    formula=lambda *both: any_of(_HALF.formula(*both), equal(*both)),
    repair=None,
)


def find(paper: Paper) -> Iterator[Claim]:
    """Every claim of this family."""
    words = paper.words
    if not _ZERO_SUM.search(words):
        return
    half = _SAYS_HALF.search(words) is not None
    for sheet in paper.both_ways:
        sums, responses = sheet.only(_NASHCONV), sheet.headed(_RESPONSE)
        if len(responses) == 2:
            yield from _SUM.claims(sheet, (sums, *responses), "columns of best responses and NashConv")
        yield from (_HALF if half else _EITHER).claims(sheet, (sheet.only(_EXPLOITABILITY), sums), _PLACE)
    if half:
        yield from _across(paper)


def _across(paper: Paper) -> Iterator[Claim]:
    """Exploitability in one table and NashConv in another, whose captions name the same evaluation."""
    for first, other in permutations(paper.both_ways, 2):
        sums, rows = other.only(_NASHCONV), {plain(line.label): row for row, line in enumerate(other.rows)}
        if other.label == first.label or sums is None or not _same_evaluation(first.caption, other.caption):
            continue
        for row, (exploitability,) in first.together(first.only(_EXPLOITABILITY)):
            name = plain(first.rows[row].label)
            nashconv = other.number(rows[name], sums) if name in rows else None
            if nashconv is not None:
                yield _HALF.claim(first, (exploitability, nashconv), _PLACE)


def _same_evaluation(first: str, other: str) -> bool:
    """Whether two captions share three words in a row that name something."""
    runs = [{words[place : place + 3] for place in range(len(words) - 2)} for words in (phrase(first), phrase(other))]
    return any(len(telling(run)) == 3 for run in runs[0] & runs[1])
