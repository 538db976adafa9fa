"""What the audit finds of errors that were planted: `python benchmarks/recall.py DIRECTORY`.

Every paper below the directory (a .tex file with \\documentclass) is read and audited as it is. Then one error at a
time is planted into what was read, the audit runs again, and the error counts as found where a contradiction, a
suspicion or rounding that was not there before speaks of the planted number. What is new, no rounding, and speaks of
other numbers is a false alarm.

  digit   one digit of a cell is another one
  swap    two neighbours of a column change places
  stale   a cell repeats the one above it
  mark    the mark of the best moves to another row
  quote   one digit of a number of the text that quotes a cell
  claim   one digit of a number of the text that a claim or another passage rests on

Errors in tables are planted where they break a relation that the paper as it is satisfies: a sum does not know its
terms apart, and no relation sees a change within rounding. Whether the audit still believes the relation once the
number is wrong is what is measured. Quotes are planted wherever a number of the text with at least three digits, or
with two and a sign of percent, is printed by a cell of whose row or column the sentence has a word, whether the audit
binds them or not; round counts and the levels of intervals are none.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sealtrace.contract.result import ClaimResult, Result
from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.fact import plain_address
from sealtrace.paper.model import Cell, Table
from sealtrace.paper.names.words import named_by, vocabulary
from sealtrace.paper.numbers import looks_numeric
from sealtrace.paper.sentences import sentences
from sealtrace.relations.auditing import AuditSubject, audit
from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Status
from sealtrace.relations.families.paper import AuditedPaper
from sealtrace.relations.families.registry import automatic_claims
from sealtrace.relations.families.wording import printed
from sealtrace.relations.search import search
from sealtrace.relations.subjects import read_subject
from sealtrace.relations.syntax import Given, Node, rebuilt
from sealtrace.relations.work import Work

KINDS = ("digit", "swap", "stale", "mark", "quote", "claim")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Plant:
    """One error: the paper with it, and where it stands."""

    kind: str
    subject: AuditSubject
    places: frozenset[tuple[str, int]]
    """Files and lines on which a planted number stands."""
    text: str


def papers_in(directory: Path) -> list[Path]:
    """Main files: those that open a document of their own."""
    found = []
    for path in sorted(directory.rglob("*.tex")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if re.search(r"^\s*\\documentclass", text, re.MULTILINE) and "\\begin{document}" in text:
            found.append(path)
    return found


def other_digit(text: str, chance: random.Random, place: int | None = None) -> str:
    """The text with one of its digits changed; a leading digit never becomes zero."""
    digits = [match.start() for match in _DIGIT.finditer(text)]
    chosen = chance.choice(digits) if place is None else place
    leading = chosen == digits[0] and len(digits) > 1 and text[chosen + 1 : chosen + 2] != "."
    others = [one for one in "0123456789" if one != text[chosen] and not (leading and one == "0")]
    return text[:chosen] + chance.choice(others) + text[chosen + 1 :]


def changed(subject: AuditSubject, tables: list[Table], prose: list[ProseLine] | None = None) -> AuditSubject:
    """The subject with other tables or another text."""
    return replace(subject, tables=tables, prose=subject.prose if prose is None else prose)


def with_cells(table: Table, texts: dict[tuple[int, int], str]) -> Table:
    """A table with some cells printed otherwise."""
    rows = []
    for place, row in enumerate(table.rows):
        cells = list(row.cells)
        for (r, c), text in texts.items():
            if r == place:
                cells[c] = replace(cells[c], text=text)
        rows.append(replace(row, cells=tuple(cells)))
    return replace(table, rows=tuple(rows))


class Relations:
    """The relations that a paper as it is satisfies, to be asked whether an error breaks one of them."""

    def __init__(self, subject: AuditSubject) -> None:
        paper = AuditedPaper.of(subject.tables, subject.facts())
        self.claims = [one for one in automatic_claims(paper) if one.telling and decide(one).status is Status.HOLDS]
        self.facts = {fact.address: fact for fact in subject.facts().every()}

    def broken_by(self, subject: AuditSubject) -> bool:
        """Whether one of them cannot hold of the changed numbers."""
        now = {fact.address: fact for fact in subject.facts().every()}
        changed = {name for name, fact in now.items() if fact.value != self.facts.get(name, fact).value}

        def renewed(node: Node) -> Node:
            if not isinstance(node, Given) or plain_address(node.fact) not in changed:
                return node
            fact = now[plain_address(node.fact)]
            if node.fact.address.startswith("printed("):
                return printed(fact)
            return Given(fact.rounded() if node.fact.address.startswith("rounded(") else fact)

        speaking = [one for one in self.claims if any(plain_address(fact) in changed for fact in one.facts)]
        return any(search(rebuilt(one.formula, renewed), Work(50_000)).status == "impossible" for one in speaking)


def bound_lines(found: Result) -> set[tuple[str, str, str]]:
    """Printed text, file and line of every number that a decided relation that could fail speaks of."""
    decided = [one for one in found.claims if one.telling and one.grade != "undecided"]
    return {(fact.printed, fact.source or "", str(fact.line)) for one in decided for fact in one.numbers}


def table_plants(subject: AuditSubject, found: Result, chance: random.Random, most: int) -> Iterator[Plant]:
    """Errors in cells that some relation speaks of."""
    bound = bound_lines(found)
    places = [
        (number, r, c)
        for number, table in enumerate(subject.tables)
        for r, row in enumerate(table.rows)
        for c, cell in enumerate(row.cells)
        # A text that stands twice in a row leaves open which of the two is spoken of.
        if _bound_parts(cell, bound) and row.texts.count(cell.text) == 1
    ]
    relations = Relations(subject)
    chance.shuffle(places)
    for kind in ("digit", "swap", "stale"):
        made = 0
        for number, r, c in places:
            table = subject.tables[number]
            texts = _cell_error(kind, table, r, c, chance, bound)
            if texts is None:
                continue
            tables = [with_cells(one, texts) if place == number else one for place, one in enumerate(subject.tables)]
            lines = frozenset((table.source, table.rows[row].cells[column].line or 0) for row, column in texts)
            planted = changed(subject, tables)
            if not relations.broken_by(planted):
                continue
            yield Plant(kind, planted, lines, f"{table.label}: {texts}")
            made += 1
            if made == most:
                break
    yield from _marks(subject, chance, most)


def _bound_parts(cell: Cell, bound: set[tuple[str, str, str]]) -> list[re.Match[str]]:
    """The first number of a cell, where some relation speaks of it."""
    numbers = list(re.finditer(r"[-+−]?[\d.,]*\d", cell.text))[:1]
    return [one for one in numbers if (one.group().replace("−", "-"), cell.source, str(cell.line)) in bound]


def _cell_error(
    kind: str, table: Table, r: int, c: int, chance: random.Random, bound: set[tuple[str, str, str]]
) -> dict[tuple[int, int], str] | None:
    cell = table.rows[r].cells[c]
    above = table.rows[r - 1].cells[c] if r else None
    if kind == "digit":
        part = chance.choice(_bound_parts(cell, bound))
        digits = [match.start() for match in _DIGIT.finditer(cell.text, part.start(), part.end())]
        return {(r, c): other_digit(cell.text, chance, chance.choice(digits))}
    if above is None or not looks_numeric(above.text) or above.text == cell.text:
        return None
    return {(r, c): above.text, (r - 1, c): cell.text} if kind == "swap" else {(r, c): above.text}


def _marks(subject: AuditSubject, chance: random.Random, most: int) -> Iterator[Plant]:
    """A bold number among plain ones gives its mark to a neighbour, where the caption speaks of bold."""
    found = []
    for number, table in enumerate(subject.tables):
        if "bold" not in table.caption.lower():
            continue
        for c in range(len(table.columns)):
            cells = [(r, row.cells[c]) for r, row in enumerate(table.rows) if looks_numeric(row.cells[c].text)]
            bold = [r for r, cell in cells if cell.mark == "best"]
            plain = [r for r, cell in cells if cell.mark != "best"]
            if len(bold) == 1 and plain:
                found.append((number, c, bold[0], chance.choice(plain)))
    chance.shuffle(found)
    for number, c, old, new in found[:most]:
        table = subject.tables[number]
        rows = list(table.rows)
        for r, mark in ((old, None), (new, "best")):
            entries, label = list(rows[r].cells), table.headers[c]
            entries[c] = replace(entries[c], mark=mark)
            marks = {name: given for name, given in rows[r].marks.items() if name != label}
            rows[r] = replace(rows[r], cells=tuple(entries), marks=marks | ({label: mark} if mark else {}))
        tables = list(subject.tables)
        tables[number] = replace(table, rows=tuple(rows))
        lines = frozenset((table.source, table.rows[r].cells[c].line or 0) for r in (old, new))
        yield Plant("mark", changed(subject, tables), lines, f"{table.label} column {c}")


def text_plants(subject: AuditSubject, found: Result, chance: random.Random, most: int) -> Iterator[Plant]:
    """Errors in numbers of the text: those that a cell prints, and those that a claim speaks of."""
    cells: dict[str, set[str]] = {}
    for table in subject.tables:
        for row in table.rows:
            names = [text for text in row.texts if not looks_numeric(text)]
            for column, cell in zip(table.columns, row.cells, strict=True):
                own = [*names, column.header]
                for text in re.findall(r"[-+−]?\d[\d.,]*%?", cell.text):
                    bare = text.replace("−", "-").lstrip("+").rstrip("%")
                    cells.setdefault(bare, set()).update(*map(named_by, own))
    inside = {number.id for number in found.numbers if number.table is None}
    claimed = {
        fact.id
        for one in found.claims
        if one.family in ("claim", "text against text") and one.grade == "holds" and one.telling
        for fact in one.numbers
        if fact.number in inside
    }
    places: dict[str, list[tuple[str, int, str]]] = {"quote": [], "claim": []}
    for sentence in sentences(subject.prose):
        for mention in sentence.amounts:
            bare = mention.text.replace("−", "-").lstrip("+").rstrip("%")
            # Round numbers and the levels of intervals are printed by many cells and quote none.
            digits = len(mention.digits if "." in bare else mention.digits.rstrip("0"))
            level = re.match(
                r"[^.;,]{0,40}\b(?:CIs?|confidence|credible|intervals?|bounds?)\b", sentence.text[mention.end :]
            )
            place = (sentence.source, sentence.line_at(mention.start), mention.text)
            if (
                cells.get(bare, set()) & vocabulary(sentence.text)
                and (digits > 2 or (mention.unit == "%" and len(mention.digits) > 1))
                and not (mention.loose or level)
            ):
                places["quote"].append(place)
            address = mention.fact.address
            if {address, f"rounded({address})", f"printed({address})"} & claimed:
                places["claim"].append(place)
    for kind, members in places.items():
        chance.shuffle(members)
        for source, line, text in members[:most]:
            lines = list(subject.prose)
            wrong = other_digit(text, chance)
            for number, one in enumerate(lines):
                whole = re.compile(rf"(?<![\d.,]){re.escape(text)}(?![\d]|[.,]\d)")
                if one.source == source and one.line == line and len(whole.findall(one.text)) == 1:
                    lines[number] = replace(one, text=whole.sub(wrong, one.text))
                    break
            else:
                continue
            yield Plant(
                kind, changed(subject, list(subject.tables), lines), frozenset({(source, line)}), f"{text} → {wrong}"
            )


def signature(one: ClaimResult) -> tuple[str, str]:
    """What makes two findings the same in two runs."""
    return one.family, one.readings[0]


def broken(found: Result) -> list[ClaimResult]:
    """What cannot hold as printed."""
    return [one for one in found.claims if one.grade in ("contradiction", "suspicion", "rounding")]


def speaks_of(one: ClaimResult, places: frozenset[tuple[str, int]]) -> bool:
    """Whether a finding speaks of a number on one of the lines, or of a sentence there."""
    here = {(fact.source or "", fact.line or 0) for fact in one.numbers}
    names = {(Path(source).name, line) for source, line in here} | here
    return bool(names & (places | {(Path(source).name, line) for source, line in places}))


def main() -> int:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--most", type=int, default=8, help="errors of each kind in each paper")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each audit")
    parser.add_argument("--verbose", action="store_true", help="list what was missed, and every false alarm")
    options = parser.parse_args()
    papers = papers_in(options.directory)
    if not papers:
        print(f"{options.directory}: no paper", file=sys.stderr)
        return 2
    planted: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    grades: Counter[str] = Counter()
    for path in papers:
        subject = read_subject([path])[0]
        started = time.monotonic()
        clean = audit(subject, seconds=options.seconds)
        print(f"{path}: {time.monotonic() - started:.1f} s; as it is: {len(broken(clean))} found")
        for one in broken(clean):
            grades[one.grade] += 1
            print(f"  {one.grade}: [{one.family}] {one.says} {one.arithmetic}"[:400])
        known = {signature(one) for one in broken(clean)}
        chance = random.Random(options.seed)
        for plant in (
            *table_plants(subject, clean, chance, options.most),
            *text_plants(subject, clean, chance, options.most),
        ):
            found = audit(plant.subject, seconds=options.seconds)
            new = [one for one in broken(found) if signature(one) not in known]
            right = [one for one in new if speaks_of(one, plant.places)]
            planted[plant.kind] += 1
            hit[plant.kind] += bool(right)
            grades["found as rounding"] += {one.grade for one in right} == {"rounding"}
            for one in new:
                if one not in right and one.grade != "rounding":
                    alarms[plant.kind] += 1
                    if options.verbose:
                        print(f"    false alarm after {plant.kind} {plant.text}: {one.says} {one.arithmetic}"[:300])
            if options.verbose and not right:
                print(f"    missed {plant.kind}: {plant.text} at {sorted(plant.places)}"[:300])
    print(f"\n{'error':<8}{'planted':>9}{'found':>7}{'recall':>8}{'false alarms':>14}")
    groups = [*((kind, (kind,)) for kind in KINDS), ("tables", KINDS[:4]), ("text", KINDS[4:])]
    for name, kinds in groups:
        total, hits = sum(planted[kind] for kind in kinds), sum(hit[kind] for kind in kinds)
        share = f"{100 * hits / total:.0f} %" if total else "-"
        print(f"{name:<8}{total:>9}{hits:>7}{share:>8}{sum(alarms[kind] for kind in kinds):>14}")
    print(f"\n{grades['found as rounding']} of these are found as rounding alone")
    print(f"in the papers as they are: {grades['contradiction']} contradictions, {grades['suspicion']} suspicions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
