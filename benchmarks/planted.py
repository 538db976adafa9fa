"""What `check` says of errors that were planted: of numbers that follow, how many are named with the right value.

    python benchmarks/planted.py PAPER RESULTS [--kinds slip other …] [--errors 12] [--seconds 30] [--seed 0] [--show]
    python benchmarks/planted.py --made [DIRECTORY]

Results are read once. Then numbers that follow are changed in one table at a time, in one of these ways, and the table
is checked again; `--made` does so with a study that is made up here.

    slip      one digit of a number
    other     another value, some per cent away
    spread    the number behind ±
    count     the n of k/n
    rows      two rows are exchanged
    columns   two columns are exchanged
    run       a whole column is one of the runs that it is the mean of
    best      a whole column is the best of the runs that it is the mean of
    sentence  a number of the text

A number counts as named where it differs, and as right where what is given is what the paper printed before. Any other
number that differs, and did not before, is a false alarm. `chance.py` changes the results instead of the paper.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sealtrace.binding.candidates import SURE, Bound, Selected
from sealtrace.binding.checking import WORK_A_SECOND, views_of
from sealtrace.binding.evaluation import evaluate
from sealtrace.binding.files import read_results
from sealtrace.binding.hypotheses import FrameView
from sealtrace.binding.prose import bind_text
from sealtrace.binding.series import Grid, Spot, grids_of
from sealtrace.binding.tables import bind_tables
from sealtrace.binding.tally import Tally
from sealtrace.binding.weighing import printed_as
from sealtrace.binding.witness import hear_labels
from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.names.index import Names
from sealtrace.paper.numbers import numbers_of
from sealtrace.paper.papers import read_paper
from sealtrace.paper.sentences import sentences

Place = tuple[int, int]
"""Row and column of a cell."""
Change = dict[Place, str]
"""Cells and what they print instead."""


@dataclass
class Said:
    """What is said of a cell or of a number of the text."""

    status: str
    given: str
    odds: float | None = None


@dataclass
class Study:
    """A paper and its results, read once."""

    grids: list[Grid]
    prose: list[ProseLine]
    views: list[FrameView]
    seconds: float

    @classmethod
    def read(cls, paper: Path, results: Path, seconds: float) -> Study:
        """A paper's file and a directory of results."""
        reported = read_paper(paper, None)
        texts = [*(line.text for line in reported.prose), *(table.caption for table in reported.tables)]
        views = views_of(read_results(results), texts, Tally())
        return cls(grids_of(reported.tables), list(reported.prose), views, seconds)

    def bound(self, grid: Grid) -> Bound:
        """One table, searched and heard."""
        tally = Tally(time.process_time() + 3 * self.seconds)
        bound = bind_tables([grid], self.views, tally, self.seconds * WORK_A_SECOND)
        hear_labels([grid], self.views, bound, tally, self.seconds * WORK_A_SECOND)
        return bound

    def text(self, prose: list[ProseLine], bound: Bound) -> dict[str, tuple[int, Said]]:
        """Numbers of the text by their ids, with their lines."""
        frames = [view.frame for view in self.views if not view.melted]
        tally = Tally(time.process_time() + 3 * self.seconds)
        said = list(sentences(prose))
        names = Names([*(one.text for one in said), *(grid.caption for grid in self.grids)])
        found, _ = bind_text(said, self.grids, bound, frames, names, tally)
        return {one.number.id: (one.number.line, Said(one.status, one.expected or one.slot.text)) for one in found}


def said_of(grid: Grid, bound: Bound) -> dict[Place, Said]:
    """What is said of every cell."""
    found = {}
    for place, cell in grid.cells.items():
        numbers = [bound.numbers.get(Spot(grid.number, *place, slot)) for slot in range(len(cell.slots))]
        given = cell.text
        # What was rounded twice or cut off is warned of with its value, and is no difference.
        wrong = [one for one in numbers if one and not one.agrees]
        for one in wrong:
            given = given.replace(one.slot.text, printed_as(one.value, one.slot), 1)
        differs = any(one.rounding is None for one in wrong)
        status = "differs" if differs else "rounded" if wrong else "follows" if all(numbers) else "open"
        found[place] = Said(status, given, next((one.odds for one in wrong if one.odds is not None), None))
    return found


# Errors


@dataclass
class Table:
    """A table before it is changed."""

    study: Study
    grid: Grid
    bound: Bound
    said: dict[Place, Said]
    draw: random.Random

    @property
    def following(self) -> list[Place]:
        """Cells that follow, in any order."""
        places = [place for place, said in self.said.items() if said.status == "follows"]
        self.draw.shuffle(places)
        return places


def _with(table: Table, place: Place, slot: int, value: float) -> Change:
    cell = table.grid.cells[place]
    number = cell.slots[slot]
    return {place: cell.text.replace(number.text, printed_as(value, number), 1)}


def _other(value: float, unit: float, draw: random.Random) -> float:
    """Another value, 2 to 15 per cent and at least three units away."""
    away = max(abs(value) * draw.uniform(0.02, 0.15), draw.choice((3, 4, 7)) * unit)
    return value + draw.choice((-1, 1)) * away if value > away else value + away


def slip(table: Table) -> Iterator[Change]:
    """One digit of a number."""
    for place in table.following:
        text = table.grid.cells[place].text
        at = table.draw.choice([at for at, letter in enumerate(text) if letter.isdigit()])
        digit = table.draw.choice([digit for digit in "0123456789" if digit != text[at]])
        yield {place: text[:at] + digit + text[at + 1 :]}


def other(table: Table) -> Iterator[Change]:
    """Another first number of a cell."""
    yield from _of_role(table, lambda slot, _: slot == 0)


def spread(table: Table) -> Iterator[Change]:
    """Another number behind ±."""
    yield from _of_role(table, lambda _, role: role == "sd")


def count(table: Table) -> Iterator[Change]:
    """Another n of k/n."""
    yield from _of_role(table, lambda _, role: role == "n")


def _of_role(table: Table, wanted: Callable[[int, str], bool]) -> Iterator[Change]:
    for place in table.following:
        for at, slot in enumerate(table.grid.cells[place].slots):
            if wanted(at, slot.role):
                unit = float(slot.unit or 1)
                yield _with(table, place, at, _other(float(slot.value), unit, table.draw))


def rows(table: Table) -> Iterator[Change]:
    """Two rows in each other's place."""
    yield from _exchanged(table, 0)


def columns(table: Table) -> Iterator[Change]:
    """Two columns in each other's place."""
    yield from _exchanged(table, 1)


def _exchanged(table: Table, axis: int) -> Iterator[Change]:
    lines: dict[int, set[int]] = {}
    for place in table.following:
        lines.setdefault(place[axis], set()).add(place[1 - axis])
    pairs = [(one, two) for one in lines for two in lines if one < two]
    table.draw.shuffle(pairs)

    def at(line: int, across: int) -> Place:
        return (line, across) if axis == 0 else (across, line)

    for one, two in pairs:
        change: Change = {}
        for across in lines[one] & lines[two]:
            first, second = (table.grid.cells[at(line, across)] for line in (one, two))
            # Columns of other digits cannot be taken for each other, and what is given would be printed otherwise.
            alike = [slot.decimals for slot in first.slots] == [slot.decimals for slot in second.slots]
            if first.text != second.text and alike:
                change |= {at(one, across): second.text, at(two, across): first.text}
        if len(change) >= 4:
            yield change


def best(table: Table) -> Iterator[Change]:
    """Columns with the greatest of the runs instead of their mean."""
    for formula in _means(table):
        evaluated = evaluate(formula.frame, _behind(formula), [], statistics=["max"])
        if evaluated is not None and "max" in evaluated.statistics:
            values = evaluated.of("max")[:, 0, formula.frame.measures.index(formula.measure)]
            yield _column(table, formula, formula.transformation(values))


def run(table: Table) -> Iterator[Change]:
    """Columns with one of the runs instead of their mean."""
    for formula in _means(table):
        taken = {*formula.selection.fields}
        for place, field in enumerate(formula.frame.dimensions):
            if place in taken or not 1 < len(field.values) <= 20:
                continue
            chosen = _behind(formula) & (field.codes == table.draw.randrange(len(field.values)))[None, :]
            if (
                not chosen.any(axis=1)[formula.agrees].all()
                or (evaluated := evaluate(formula.frame, chosen, [])) is None
            ):
                continue
            values = evaluated.of("mean")[:, 0, formula.frame.measures.index(formula.measure)]
            yield _column(table, formula, formula.transformation(values))
            break


def _means(table: Table) -> list[Selected]:
    formulas = [binding.candidate for binding in table.bound.bindings]
    found = [formula for formula in formulas if isinstance(formula, Selected) and formula.statistic == "mean"
             and formula.series.kind == "column" and not formula.series.spots[0].slot
             and (formula.sizes[formula.agrees] > 1).all()]  # fmt: skip
    table.draw.shuffle(found)
    return found


def _behind(formula: Selected) -> np.ndarray:
    chosen = formula.selection.chosen.copy()
    for name, value in formula.fixed:
        field = next(field for field in formula.frame.dimensions if field.name == name)
        chosen &= (field.codes == (field.code_of.get(value, -2) if value else -1))[None, :]
    return chosen


def _column(table: Table, formula: Selected, values: np.ndarray) -> Change:
    change: Change = {}
    for at in np.nonzero(formula.agrees)[0]:
        spot = formula.series.spots[at]
        change |= _with(table, (spot.row, spot.column), 0, float(values[at]))
    return change


KINDS = {kind.__name__: kind for kind in (slip, other, spread, count, rows, columns, run, best)}


def planted(grid: Grid, change: Change) -> Grid:
    """The table with other texts in some of its cells."""
    changed = copy.deepcopy(grid)
    for place, text in change.items():
        changed.cells[place].text = text
        changed.cells[place].slots = numbers_of(text)
    return changed


# Counting


@dataclass
class Counted:
    """What was planted and what was said of it."""

    planted: int = 0
    named: int = 0
    right: int = 0
    sure: int = 0
    """Rightly, from 20 : 1."""
    alarms: int = 0

    def __str__(self) -> str:
        share = f"{100 * self.right / max(1, self.planted):.0f} %"
        return (f"{self.planted:4} planted, {self.named:4} named, {self.right:4} with the right value ({share}), "
                f"{self.sure} of them as an error, {self.alarms} false alarms")  # fmt: skip


def measured(study: Study, kinds: list[str], errors: int, seed: int, show: Callable[[str], None]) -> dict[str, Counted]:
    """Plants up to so many errors of each kind in all tables, one at a time; the untouched paper counts as a kind."""
    draw = random.Random(seed)
    untouched, bounds = Counted(), {grid.number: study.bound(grid) for grid in study.grids}
    tables = []
    for grid in study.grids:
        said = said_of(grid, bounds[grid.number])
        untouched.planted += sum(one.status == "follows" for one in said.values())
        for place, one in said.items():
            if one.status == "differs":
                untouched.alarms += 1
                show(
                    f"  untouched: {_told(grid, place)} prints {grid.cells[place].text}, given {one.given}, {one.odds}"
                )
        tables.append(Table(study, grid, bounds[grid.number], said, draw))
    found = {"untouched": untouched}
    for kind in kinds:
        if kind != "sentence":
            found[kind] = _planted_in_tables(tables, kind, errors, show)
    if "sentence" in kinds:
        whole = Bound()
        for bound in bounds.values():
            whole.numbers |= bound.numbers
            whole.bindings += bound.bindings
        found["sentence"] = _planted_in_text(study, whole, errors, draw, show)
    return found


def _told(grid: Grid, place: Place) -> str:
    return f"{grid.name} [{grid.row_name(place[0])}, {grid.headers[place[1]]}]"


def _planted_in_tables(tables: list[Table], kind: str, errors: int, show: Callable[[str], None]) -> Counted:
    counted = Counted()
    sources = [(table, KINDS[kind](table)) for table in tables]
    made = 0
    while sources and made < errors:
        for table, changes in list(sources):
            change = next(changes, None)
            if change is None or made >= errors:
                sources.remove((table, changes))
                continue
            made += 1
            _judge(table, kind, change, counted, show)
    return counted


def _judge(table: Table, kind: str, change: Change, counted: Counted, show: Callable[[str], None]) -> None:
    changed = planted(table.grid, change)
    for place, one in said_of(changed, table.study.bound(changed)).items():
        printed, before = table.grid.cells[place].text, table.said[place]
        told = f"{kind}: {_told(table.grid, place)}"
        if change.get(place, printed) != printed:
            said = one.status in ("differs", "rounded")
            right = said and one.given.replace(",", "") == printed.replace(",", "")
            counted.planted += 1
            counted.named += said
            counted.right += right
            counted.sure += right and one.status == "differs" and (one.odds is None or one.odds >= SURE)
            if not right:
                show(f"  missed {told} was {printed}, is {change[place]}: {one.status}, given {one.given}, {one.odds}")
        elif one.status == "differs" and before.status != "differs":
            counted.alarms += 1
            show(f"  false alarm {told} prints {printed}, given {one.given}, {one.odds}")


def _planted_in_text(
    study: Study, bound: Bound, errors: int, draw: random.Random, show: Callable[[str], None]
) -> Counted:
    counted = Counted()
    before = study.text(study.prose, bound)
    following = [name for name, (_, said) in before.items() if said.status == "explained"]
    draw.shuffle(following)
    for name in following[:errors]:
        line, said = before[name]
        slot = numbers_of(said.given)[0]
        wrong = printed_as(_other(float(slot.value), float(slot.unit or 1), draw), slot)
        prose = list(study.prose)
        at = next((at for at, one in enumerate(prose) if one.line == line and said.given in one.text), None)
        if at is None:
            continue
        prose[at] = replace(prose[at], text=prose[at].text.replace(said.given, wrong, 1))
        after = {name: one for name, (_, one) in study.text(prose, bound).items()}
        one = after.get(name, Said("gone", ""))
        right = one.status == "off" and one.given == said.given
        counted.planted += 1
        counted.named += one.status == "off"
        counted.right += right
        counted.sure += right
        if not right:
            show(f"  missed sentence: line {line}, was {said.given}, is {wrong}: {one.status}, given {one.given}")
        counted.alarms += sum(
            one.status == "off" and other != name and other in before and before[other][1].status != "off"
            for other, one in after.items()
        )
    return counted


# A study that is made up

MODELS = {"base": 0.55, "ours": 0.7, "large": 0.62, "tiny": 0.45, "distilled": 0.58}
TASKS = {"boolq": 0.05, "piqa": 0.0, "copa": -0.08}


def make_study(directory: Path, seed: int = 5) -> tuple[Path, Path]:
    """Answers of models for tasks and seeds, and summaries in CSV; a paper with four tables and a text."""
    draw = random.Random(seed)
    results = directory / "results"
    results.mkdir(parents=True)
    shares: dict[tuple[str, str], list[float]] = {}
    for model, level in MODELS.items():
        for task, easier in TASKS.items():
            for run_ in (1, 2, 3):
                answers = []
                for item in range(200):
                    gold = random.Random(f"{task}{item}").choice("abcd")
                    right = draw.random() < level + easier + draw.gauss(0, 0.02)
                    given = gold if right else draw.choice([letter for letter in "abcd" if letter != gold])
                    answers.append(
                        {"id": item, "task": task, "model": model, "seed": run_, "gold": gold, "answer": given}
                    )
                share = sum(answer["gold"] == answer["answer"] for answer in answers) / len(answers)
                shares.setdefault((model, task), []).append(100 * share)
                lines = "\n".join(map(json.dumps, answers))
                (results / f"{model}_{task}_{run_}.jsonl").write_text(lines + "\n")
    runs = [
        {"system": system, "seed": run_, "accuracy": round(level + draw.gauss(0, 0.01), 4),
         "f1": round(level - 0.05 + draw.gauss(0, 0.012), 4), "latency": round(30 + 20 * level + draw.gauss(0, 2), 3)}
        for system, level in MODELS.items() for run_ in range(1, 6)
    ]  # fmt: skip
    _write_csv(results / "runs.csv", runs)
    sites = [
        {"site": site, "cases": cases, "events": draw.randrange(20, cases // 2), "age": round(draw.uniform(50, 70), 2),
         "estimate": round(draw.uniform(0.4, 1.9), 4), "low": round(draw.uniform(0.1, 0.38), 4),
         "high": round(draw.uniform(2.0, 3.0), 4)}
        for site, cases in (("north", 212), ("south", 341), ("east", 187), ("west", 298), ("centre", 404))
    ]  # fmt: skip
    _write_csv(results / "sites.csv", sites)

    def mean(system: str, name: str) -> float:
        return statistics.mean(float(str(row[name])) for row in runs if row["system"] == system)

    spreads = {pair: f"{statistics.mean(own):.1f} ± {statistics.stdev(own):.1f}" for pair, own in shares.items()}
    text = ["# A study", "", "## Answers", "", "Accuracy (%) over three seeds, mean and standard deviation.", ""]
    text += _markdown(["Model", *TASKS], [[model, *(spreads[model, task] for task in TASKS)] for model in MODELS])
    text += ["", "## Systems", "", "Mean over five seeds.", ""]
    text += _markdown(
        ["System", "Accuracy", "F1", "Latency"],
        [[system, f"{100 * mean(system, 'accuracy'):.2f}", f"{100 * mean(system, 'f1'):.2f}",
          f"{mean(system, 'latency'):.1f}"] for system in MODELS],
    )  # fmt: skip
    text += ["", "## Sites", "", "Patients of each site.", ""]
    text += _markdown(
        ["Site", "Events", "Age", "Estimate"],
        [[str(row["site"]), f"{row['events']}/{row['cases']}", f"{row['age']:.1f}", f"{row['estimate']:.2f}"]
         for row in sites],
    )  # fmt: skip
    text += ["", "## Text", ""]
    for row in sites:
        text += [f"The estimate for site {row['site']} was {row['estimate']:.2f}.", ""]
    for model in MODELS:
        text += [f"On boolq, {model} reaches {statistics.mean(shares[model, 'boolq']):.1f} % accuracy.", ""]
    (directory / "paper.md").write_text("\n".join(text) + "\n")
    return directory / "paper.md", results


def _write_csv(path: Path, records: list[dict[str, object]]) -> None:
    lines = [",".join(records[0]), *(",".join(str(value) for value in record.values()) for record in records)]
    path.write_text("\n".join(lines) + "\n")


def _markdown(header: list[str], body: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *body)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", type=Path, nargs="?")
    parser.add_argument("results", type=Path, nargs="?")
    parser.add_argument("--made", action="store_true")
    parser.add_argument("--kinds", nargs="+", default=[*KINDS, "sentence"], choices=[*KINDS, "sentence"])
    parser.add_argument("--errors", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="what was missed, and what was said wrongly")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        paper, results = options.paper, options.results
        if options.made:
            paper, results = make_study(Path(scratch))
        study = Study.read(paper, results, options.seconds)
    found = measured(study, options.kinds, options.errors, options.seed, print if options.show else lambda _: None)
    untouched = found.pop("untouched")
    print(f"untouched  {untouched.planted} cells follow, {untouched.alarms} differ")
    total = Counted()
    for kind, counted in found.items():
        print(f"{kind:9} {counted}")
        for name in vars(total):
            setattr(total, name, getattr(total, name) + getattr(counted, name))
    print(f"{'all':9} {total}")


if __name__ == "__main__":
    main()
