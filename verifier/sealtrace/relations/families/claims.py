"""What sentences say of columns and rows by one word: highest, positive only for.

Each operator reads a passage in every way that its words allow, over every table that they name, as a formula. A way
that holds is what is meant; where none does, the one whose table fits the words best is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.paper.numbers import count_in
from sealtrace.paper.sentences import Sentence
from sealtrace.relations.decision import Claim
from sealtrace.relations.families.naming import Spoken, index_of
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.superlatives import superlatives
from sealtrace.relations.families.ways import Way, numbers_of, settled
from sealtrace.relations.families.wording import printed
from sealtrace.relations.prose import ratios_in
from sealtrace.relations.syntax import Formula, all_of, compare, equal, number
from sealtrace.relations.work import time_is_up


def find(paper: AuditedPaper) -> Iterator[Claim]:
    """Every claim that a sentence makes of a table."""
    index = index_of(paper)
    labels = {sheet.label.split("#")[0] for sheet in paper.sheets}
    before: Sentence | None = None
    for sentence in paper.sentences:
        if time_is_up():
            return
        spoken = index.spoken(sentence)
        # Right behind a sentence that refers to a table it speaks of that one.
        follows = before is not None and (before.source, before.paragraph) == (sentence.source, sentence.paragraph)
        meant = labels.intersection(before.references) if before is not None and follows else frozenset()
        if meant and not sentence.references and not sentence.caption:
            spoken = [named for named in spoken if named.sheet.label.split("#")[0] in meant]
        before = sentence
        near = [named for named in spoken if named.referred]
        for operator, tables in (
            (superlatives, spoken),
            (_signs, near or spoken),
        ):
            yield from settled(sentence, list(operator(sentence, tables)))


# Signs


_ONLY = re.compile(
    r"\b(?P<sign>positive|negative|non-?zero)\s+only\s+(?:for|on|in)\s+(?:the\s+)?"
    r"(?:(?P<count>\d+|one|two|three|four|five|six)\b)?",
    re.I,
)
_SIGN = re.compile(r"\b(?P<sign>positive|negative)\b", re.I)


def _signs(sentence: Sentence, spoken: list[Spoken]) -> Iterator[Way]:
    """`positive only for A and B`, `positive only for the two …`, `negative on 9/10 seeds`."""
    for named, column in ((meant, column) for meant in spoken for column in _signed_columns(meant)):
        facts, label = numbers_of(named.sheet, column), named.sheet.columns[column].label
        for found in _ONLY.finditer(sentence.text):
            count = count_in(found["count"]) if found["count"] else None
            meant = [row for row, spans in named.rows.items() if any(span[0] > found.start() for span in spans)]
            having = {row: fact for row, fact in facts.items() if _has_sign(fact, found["sign"])}
            says = f"column {label!r} is {found.group().lower()}"
            if meant and count in (None, len(meant)):
                opposite = "<=" if found["sign"].lower() == "positive" else ">="
                others = [fact for row, fact in having.items() if row not in meant]
                others = others or [fact for row, fact in facts.items() if row not in meant]
                formula: Formula = all_of(*(compare(printed(fact), opposite, 0) for fact in others))
                says += f" {', '.join(named.sheet.rows[row].label for row in meant)}"
            elif not meant and count is not None:
                formula, says = _counted(list(having.values()), count), f"{says} rows"
            else:
                continue
            yield Way(named.sheet, formula, says, "column", found.start())
        for ratio in ratios_in(sentence) if named.referred else ():
            signs = list(_SIGN.finditer(sentence.text, max(0, ratio.start - 90), ratio.end + 40))
            if len(signs) == 1 and len(facts) == ratio.whole:
                kept = [fact for fact in facts.values() if _has_sign(fact, signs[0]["sign"])]
                says = f"{ratio.text} of column {label!r} are {signs[0]['sign'].lower()}, and {len(kept)} are"
                yield Way(named.sheet, _counted(kept, ratio.part), says, "column", ratio.start)


def _signed_columns(meant: Spoken) -> list[int]:
    """Columns that have both signs: those that the sentence names, or the only one."""
    columns = {column: numbers_of(meant.sheet, column).values() for column in meant.sheet.numeric_columns()}
    signed = [column for column, facts in columns.items() if len(facts) > 3 and min(fact.value for fact in facts) < 0]
    return [column for column in signed if column in meant.columns] or (signed if len(signed) == 1 else [])


def _has_sign(fact: PrintedNumber, word: str) -> bool:
    return {"positive": fact.value > 0, "negative": fact.value < 0}.get(word.lower(), fact.value != 0)


def _counted(facts: list[PrintedNumber], count: int) -> Formula:
    """So many numbers are not zero, no more and no fewer."""
    return all_of(equal(number(len(facts)), number(count)), *(compare(printed(fact), "!=", 0) for fact in facts))
