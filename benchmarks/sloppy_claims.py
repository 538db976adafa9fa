"""What becomes of sloppy claims: `python benchmarks/sloppy_claims.py [PAPER…]`.

Claims that hold are written mechanically about papers: a sentence with a cell's digits in it quotes that cell, where
its words name row and column; labels state totals; generated papers state gains and superlatives. Then one address of
each is moved to the next row or column: how many end as a contradiction (at most 5 % are wanted). And one digit of a
cell is changed in the paper, the addresses staying right: how many stay contradictions or suspicions (at least 90 %).
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sealtrace.bundle.defects import BundleError
from sealtrace.claims.deciding import decide_claims
from sealtrace.claims.outline import read_papers
from sealtrace.claims.reading import Written
from sealtrace.claims.tying import Ground
from sealtrace.contract.claims import StatedClaim
from sealtrace.paper.model import Paper
from sealtrace.paper.reported import read_reported
from sealtrace.relations.syntax import fact_text

SEED = 7
MOST = 60
"""Claims of one paper."""
GENERATED = 30
_NAMES = ("Alder", "Beech", "Cedar", "Dogwood", "Elm", "Fir", "Gum", "Hazel")
_MEASURES = ("Recall", "Precision", "Coverage", "Yield")


def copies(ground: Ground) -> Iterator[StatedClaim]:
    """Sentences that name a row and a column of a table, with a number that stands in that cell."""
    for sentence in ground.paper.sentences:
        if sentence.caption or sentence.cited:
            continue
        for number in sentence.quantities:
            given = ground.facts.named(number.id)
            for table in ground.paper.tables:
                for row, column, _cell in table.numbers:
                    labels = table.rows[row].label, table.columns[column].label
                    if not all(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", sentence.text) for label in labels):
                        continue
                    try:
                        fact = ground.facts.cell(table.label, *labels)
                    except LookupError:
                        continue
                    if fact.value == given.value and fact.unit == given.unit:
                        reading = f"{number.id} quotes {fact_text(fact)}"
                        yield StatedClaim(at=sentence.id, quote=sentence.text, readings=[reading])


def totals(ground: Ground) -> Iterator[StatedClaim]:
    """Rows called Total, as sums of the others."""
    for table in ground.paper.tables:
        for row in table.rows:
            if row.label.lower() not in ("total", "all", "overall", "sum"):
                continue
            for column in table.headers[1:]:
                here = f'"{table.label}"["{row.label}", "{column}"]'
                others = f'"{table.label}"[* except "{row.label}", "{column}"]'
                yield StatedClaim(at=table.label, quote=row.label, readings=[f"{here} == sum({others})"])


def generated(random_: random.Random) -> tuple[Paper, list[StatedClaim]]:
    """A paper with a table, and sentences that state gains, copies and superlatives of it, all true."""
    names, measures = random_.sample(_NAMES, 5), random_.sample(_MEASURES, 3)
    cells = {(name, measure): random_.randint(400, 980) for name in names for measure in measures}
    rows = "\n".join(
        f"| {name} | " + " | ".join(f"{cells[name, m] / 10:.1f}" for m in measures) + " |" for name in names
    )
    table = f"| Tree | {' | '.join(measures)} |\n|---|{'---|' * len(measures)}\n{rows}\n"
    said, claims = [], []
    for number in range(6):
        first, second = random_.sample(names, 2)
        measure = random_.choice(measures)
        gap = (cells[first, measure] - cells[second, measure]) / 10
        cell = '"table 1"[{}, {}]'.format
        if number % 3 == 0:
            said.append(f"{first} differs from {second} by {gap:.1f} in {measure}.")
            claims.append((said[-1], f"#{gap:.1f} == {cell(first, measure)} - {cell(second, measure)}"))
        elif number % 3 == 1:
            said.append(f"In {measure}, {first} reaches {cells[first, measure] / 10:.1f}.")
            claims.append((said[-1], f"#{cells[first, measure] / 10:.1f} quotes {cell(first, measure)}"))
        else:
            best = max(names, key=lambda name: cells[name, measure])
            said.append(f"{best} has the highest {measure} of all trees.")
            claims.append((said[-1], f'{cell(best, measure)} == max("table 1"[*, {measure}])'))
    paper = read_reported("\n\n".join([*said, table]), "paper.md", lambda _name: None)
    return paper, [StatedClaim(quote=quote.rstrip("."), readings=[reading]) for quote, reading in claims]


def grades(ground: Ground, claims: list[StatedClaim]) -> list[str]:
    """What becomes of each claim by itself."""
    found: list[str] = []
    for number, claim in enumerate(claims, 1):
        (result, *_joint) = decide_claims(
            [Written(claim.model_copy(update={"id": None}), "c", number, number)], ground
        ).results
        found.append(result.grade)
    return found


_CELL = re.compile(r'("[^"]*"|[\w:.-]+)\[("[^"]*"|[^,\]*"]+), ("[^"]*"|[^\]*"]+)\]')


def moved(claim: StatedClaim, ground: Ground, random_: random.Random) -> StatedClaim | None:
    """The claim with one address in the next row or column that holds a number."""
    reading = claim.readings[0]
    places = list(_CELL.finditer(reading))
    random_.shuffle(places)
    for place in places:
        table = next((one for one in ground.paper.tables if one.label == place[1].strip('"')), None)
        row, column = place[2].strip('"'), place[3].strip('"')
        labels = [one.label for one in table.rows] if table else []
        if table is None or row not in labels or column not in table.headers:
            continue
        at, across = labels.index(row), table.headers.index(column)
        steps = [(at + 1, across), (at - 1, across), (at, across + 1), (at, across - 1)]
        random_.shuffle(steps)
        numeric = {(r, c) for r, c, _cell in table.numbers}
        for r, c in steps:
            if (r, c) in numeric:
                other = f'"{table.label}"["{labels[r]}", "{table.headers[c]}"]'
                text = reading[: place.start()] + other + reading[place.end() :]
                return claim.model_copy(update={"readings": [text]})
    return None


def broken(claim: StatedClaim, ground: Ground, random_: random.Random) -> tuple[Ground, StatedClaim] | None:
    """The paper with one cell of the claim printed with another digit, three units or more away."""
    places = list(_CELL.finditer(claim.readings[0]))
    random_.shuffle(places)
    for place in places:
        for number, table in enumerate(ground.paper.tables):
            if table.label != place[1].strip('"'):
                continue
            for r, c, cell in table.numbers:
                if (table.rows[r].label, table.headers[c]) != (place[2].strip('"'), place[3].strip('"')):
                    continue
                digits = [at for at, sign in enumerate(cell.text) if sign.isdecimal()]
                at = random_.choice(digits)
                digit = (int(cell.text[at]) + random_.choice((3, 4, 5, 6, 7))) % 10
                text = f"{cell.text[:at]}{digit}{cell.text[at + 1 :]}"
                cells = list(table.rows[r].cells)
                cells[c] = replace(cell, text=text)
                rows = list(table.rows)
                rows[r] = replace(rows[r], cells=tuple(cells))
                tables = list(ground.paper.tables)
                tables[number] = replace(table, rows=tuple(rows))
                return Ground(replace(ground.paper, tables=tuple(tables))), claim
    return None


def measured(papers: list[tuple[str, Paper, list[StatedClaim] | None]]) -> tuple[Counter[str], Counter[str]]:
    """Grades of claims with a moved address, and of claims about a wrong cell."""
    random_ = random.Random(SEED)
    sloppy, wrong = Counter[str](), Counter[str]()
    for name, paper, given in papers:
        ground = Ground(paper)
        claims = given if given is not None else [*copies(ground), *totals(ground)]
        random_.shuffle(claims)
        holding = [
            claim for claim, grade in zip(claims[:MOST], grades(ground, claims[:MOST]), strict=True) if grade == "holds"
        ]
        shifted = [other for claim in holding if (other := moved(claim, ground, random_)) is not None]
        spoilt = [pair for claim in holding if (pair := broken(claim, ground, random_)) is not None]
        here = Counter(grades(ground, shifted))
        there = Counter(grade for other, claim in spoilt for grade in grades(other, [claim]))
        print(f"{name}: {len(claims)} claims, {len(holding)} hold; moved {dict(here)}; wrong {dict(there)}")
        sloppy, wrong = sloppy + here, wrong + there
    return sloppy, wrong


def main(paths: list[str]) -> int:
    """Papers that are named, and generated ones."""
    random_ = random.Random(SEED)
    papers: list[tuple[str, Paper, list[StatedClaim] | None]] = []
    for path in paths:
        try:
            papers.append((Path(path).parent.name, read_papers([Path(path)]), None))
        except BundleError as error:
            print(error, file=sys.stderr)
    papers += [(f"generated {number}", *generated(random_)) for number in range(1, GENERATED + 1)]
    sloppy, wrong = measured(papers)
    shown = sloppy.total() - sloppy["holds"] - sloppy["refused"]
    kept = wrong["contradiction"] + wrong["suspicion"]
    print(f"moved addresses: {sloppy['contradiction']} of {sloppy.total()} are contradictions ({shown} are broken)")
    # A change that still prints within the claim breaks nothing: it is counted out, and said.
    print(f"wrong cells: {kept} of {wrong.total() - wrong['holds']} stay contradictions or suspicions "
          f"({wrong['contradiction']} contradictions; {wrong['holds']} changes break nothing)")  # fmt: skip
    return (
        0 if 20 * sloppy["contradiction"] <= sloppy.total() and 10 * kept >= 9 * (wrong.total() - wrong["holds"]) else 1
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
