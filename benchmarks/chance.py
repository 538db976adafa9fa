"""How many cells `check` explains from results that are not the paper's: their numbers changed places, or are random.

    python benchmarks/chance.py PAPER RESULTS [--how columns file across all rows random] [--seed 0] [--show]

Every CSV, JSON and JSON lines file is written anew with other numbers at the same places: dealt out among one
column of a file (`columns`), among all numbers of a file (`file`), among one column of all files (`across`), among
everything (`all`), with whole rows beside other labels (`rows`), or with other digits (`random`). True and predicted
labels of examples are dealt out like numbers, or drawn anew. A cell whose records hold the same numbers as before (a
median of a file, a count of labels, a file with one row) was not touched by the dealing, and is counted by itself.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sealtrace.binding.checking import Findings, concluded, examine
from sealtrace.binding.frames import GOLD, GUESS, ResultFrame
from sealtrace.binding.series import Spot
from sealtrace.binding.wording import formula_of, rows_behind
from sealtrace.paper.numbers import read_printed
from sealtrace.paper.papers import read_paper

KINDS = ("columns", "file", "across", "all", "rows", "random")
Place = tuple[str, Any, Any, str]
"""The file, the object or row that holds a number, its key there, and what its column is called."""


def is_number(value: object) -> bool:
    """Also `0.65 +/- 0.05` and `12 %`, as results for readers have them."""
    if isinstance(value, str):
        return value[:1] in "0123456789.+-<" and read_printed(value.replace("+/-", "±")) is not None
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_label(file: str, key: object, value: object) -> bool:
    """A true or predicted label of an example; in JSON lines, any short text."""
    told = file.endswith(".jsonl") or GUESS.search(str(key)) or GOLD.search(str(key))
    return isinstance(value, (str, bool)) and len(str(value)) < 40 and bool(told)


def numbers(file: str, value: Any, column: str = "", depth: int = 0) -> Iterator[Place]:
    """Every number of a document, and every label of an example."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        name = f"{depth}:{key}" if isinstance(key, str) else column
        if is_number(inner) or is_label(file, key, inner):
            yield file, value, key, name
        else:
            yield from numbers(file, inner, name, depth + isinstance(key, str))


def siblings(file: str, value: Any) -> Iterator[list[Any]]:
    """Objects side by side: rows of a table, members of a list, values of one object."""
    if isinstance(value, (dict, list)):
        inside = list(value.values() if isinstance(value, dict) else value)
        rows = [one for one in inside if isinstance(one, dict)]
        if len(rows) > 1:
            yield rows
        for one in inside:
            yield from siblings(file, one)


def other_digits(value: Any, chance: random.Random) -> Any:
    """A number of the same size and precision, of either sign where it is negative."""
    text = str(value).lstrip("-") if chance.random() < 0.5 else str(value)
    start = next((place for place, letter in enumerate(text) if letter in "123456789"), len(text))
    digits = [str(chance.randint(place == start, 9)) if one.isdigit() and place >= start else one
              for place, one in enumerate(text)]  # fmt: skip
    return type(value)("".join(digits)) if "e" not in text.lower() else value


def dealt(documents: dict[str, Any], how: str, chance: random.Random) -> None:
    """Changes the numbers of all documents in place."""
    if how == "rows":
        for file, document in documents.items():
            for rows in siblings(file, document):
                kept = [{key: one for key, one in row.items() if is_number(one)} for row in rows]
                chance.shuffle(kept)
                for row, other in zip(rows, kept, strict=True):
                    row.update({key: one for key, one in other.items() if key in row})
        return
    places = [place for file, document in documents.items() for place in numbers(file, document)]
    if how == "random":
        labels: dict[str, set[str]] = {}
        for _, holder, key, name in places:
            if not is_number(holder[key]):
                labels.setdefault(name, set()).add(str(holder[key]))
        drawn = {name: sorted(values) for name, values in labels.items()}
        for _, holder, key, name in places:
            number = is_number(holder[key])
            holder[key] = other_digits(holder[key], chance) if number else chance.choice(drawn[name])
        return
    group: Callable[[Place], object] = {
        "columns": lambda one: (one[0], one[3]),
        "file": lambda one: (one[0], is_number(one[1][one[2]])),
        "across": lambda one: one[3],
        "all": lambda one: is_number(one[1][one[2]]),
    }[how]
    groups: dict[object, list[Place]] = {}
    for place in places:
        groups.setdefault(group(place), []).append(place)
    for members in groups.values():
        values = [holder[key] for _, holder, key, _ in members]
        chance.shuffle(values)
        for (_, holder, key, _), value in zip(members, values, strict=True):
            holder[key] = value


def read(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        try:
            if path.suffix in (".csv", ".tsv"):
                with path.open(newline="", encoding="utf-8-sig") as text:
                    found[name] = list(csv.DictReader(text, delimiter="\t" if path.suffix == ".tsv" else ","))
            elif path.suffix == ".json":
                found[name] = json.loads(path.read_text("utf-8-sig"))
            elif path.suffix == ".jsonl":
                found[name] = [json.loads(line) for line in path.read_text("utf-8-sig").splitlines() if line.strip()]
        except ValueError:
            continue
    return found


def write(root: Path, documents: dict[str, Any]) -> None:
    for name, document in documents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as text:
            if path.suffix == ".json":
                json.dump(document, text)
            elif path.suffix == ".jsonl":
                text.writelines(json.dumps(row) + "\n" for row in document)
            elif document:
                table = csv.DictWriter(text, list(document[0]), extrasaction="ignore",
                                       delimiter="\t" if path.suffix == ".tsv" else ",")  # fmt: skip
                table.writeheader()
                table.writerows(document)


Cell = tuple[int, int, int]


def explained(findings: Findings) -> dict[Cell, tuple[str, list[tuple[ResultFrame, str, Any]]]]:
    """Cells that are explained, with their formulas and the rows behind them."""
    found: dict[Cell, tuple[str, list[tuple[ResultFrame, str, Any]]]] = {}
    for grid in findings.grids:
        for (row, column), cell in grid.cells.items():
            spots = [Spot(grid.number, row, column, slot) for slot in range(len(cell.slots))]
            given = [findings.bound.numbers.get(spot) for spot in spots]
            known = [one for one in given if one is not None and one.agrees]
            if len(known) == len(given):
                behind = [(part.frame, part.measure, rows_behind(part, at))
                          for one in known for part, at in one.binding.candidate.behind(one.place)]  # fmt: skip
                formula = " and ".join(formula_of(one.binding.candidate) for one in known)
                found[grid.number, row, column] = f"{grid.name} ({cell.text}): {formula}", behind
    return found


def called(frame: ResultFrame) -> tuple[object, ...]:
    """What tells a table of results from others: two of the same files and depth have other columns."""
    return frame.name, frame.depth, frame.derived, *frame.measures


def untouched(behind: list[tuple[ResultFrame, str, Any]], before: dict[tuple[object, ...], ResultFrame]) -> bool:
    """Whether the rows hold the numbers that they held before."""
    for frame, measure, rows in behind:
        whole = frame.whole or frame
        old = before.get(called(whole))
        if old is None or old.numbers.shape != whole.numbers.shape:
            return False
        if frame.whole is None:
            place = frame.measures.index(measure)
            pair = frame.numbers[rows, place], old.numbers[rows, place]
        else:
            kept = np.isfinite(whole.numbers)
            pair = whole.numbers[kept][rows], old.numbers[kept][rows]
        if not np.allclose(np.sort(pair[0]), np.sort(pair[1]), equal_nan=True):
            return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paper", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--how", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.add_argument("--show", action="store_true", help="what explains them")
    options = parser.parse_args()
    reported = read_paper(options.paper, None)
    known = examine(reported, "paper", options.results, seconds=options.seconds)
    before = {called(one): one for one in known.frames}
    for how in options.how:
        documents = read(options.results)
        dealt(documents, how, random.Random(options.seed))
        started = time.process_time()
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory, options.results.resolve().name)
            root.mkdir()
            write(root, documents)
            findings = examine(reported, "paper", root, seconds=options.seconds)
        check = concluded(findings)
        after = explained(findings)
        by_chance = [formula for formula, behind in after.values() if not untouched(behind, before)]
        inside = [one for one in check.numbers if one.table is None]
        texts = [one for one in inside if one.word == "follows"]
        cells = [one for one in check.numbers if one.table is not None]
        print(
            f"{how}: {len(by_chance)} of {len(cells)} cells explained, {len(after) - len(by_chance)} more "
            f"untouched; {sum(one.word == 'differs' for one in cells)} off; text {len(texts)} of {len(inside)}; "
            f"{time.process_time() - started:.1f} s",
            flush=True,
        )
        if options.show:
            print("".join(f"    {formula}\n" for formula in by_chance), end="")
            print("".join(f"    off: {cell.says}\n" for cell in cells if cell.word == "differs"), end="")
            print("".join(f"    text {one.printed}: {one.formula}\n" for one in texts), end="")


if __name__ == "__main__":
    main()
