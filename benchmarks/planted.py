"""What `check` says of digits that were planted.

    python benchmarks/planted.py PAPER RESULTS [--digits 50] [--seconds 60] [--seed 0]

Results are read once. Then explained cells get one other digit, at most one in each table at a time, and the whole
check of the tables runs again: a planted cell counts as found where it is off and the expected text is what the paper
printed; any other cell that is off, and was not before, is a false alarm. `chance.py` does the same with the results.
"""

from __future__ import annotations

import argparse
import copy
import random
from pathlib import Path

from sealtrace.binding.checking import WORK_A_SECOND, views_of
from sealtrace.binding.files import read_results
from sealtrace.binding.hypotheses import FrameView
from sealtrace.binding.series import Grid, Spot, grids_of
from sealtrace.binding.tables import bind_tables
from sealtrace.binding.tally import Tally
from sealtrace.binding.weighing import printed_as
from sealtrace.paper.numbers import numbers_of
from sealtrace.paper.papers import read_paper

Place = tuple[int, int, int]
"""Table, row and column of a cell."""


def statuses(grids: list[Grid], views: list[FrameView], seconds: float) -> dict[Place, tuple[str, str]]:
    """Status of every cell, and what is expected where it is off."""
    bound = bind_tables(grids, views, Tally(), seconds * WORK_A_SECOND)
    found: dict[Place, tuple[str, str]] = {}
    for grid in grids:
        for (row, column), cell in grid.cells.items():
            spots = [Spot(grid.number, row, column, slot) for slot in range(len(cell.slots))]
            numbers = [bound.numbers.get(spot) for spot in spots]
            expected = cell.text
            for slot, one in zip(cell.slots, numbers, strict=True):
                if one is not None and not one.agrees:
                    value = printed_as(float(one.binding.candidate.expected[one.place]), slot)
                    expected = expected.replace(slot.text, value, 1)
            known = all(one is not None for one in numbers)
            off = any(one is not None and not one.agrees for one in numbers)
            found[grid.number, row, column] = ("off" if off else "explained" if known else "unexplained", expected)
    return found


def planted(grids: list[Grid], places: list[Place], chance: random.Random) -> list[Grid]:
    """The tables with one other digit in each of these cells."""
    changed = copy.deepcopy(grids)
    for table, row, column in places:
        cell = changed[table].cells[row, column]
        digits = [place for place, letter in enumerate(cell.text) if letter.isdigit()]
        place = chance.choice(digits)
        other = chance.choice([digit for digit in "0123456789" if digit != cell.text[place]])
        cell.text = cell.text[:place] + other + cell.text[place + 1 :]
        cell.slots = numbers_of(cell.text)
    return changed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paper", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--digits", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    reported = read_paper(options.paper, None)
    grids = grids_of(reported.tables)
    listing = read_results(options.results)
    texts = [*(line.text for line in reported.prose), *(table.caption for table in reported.tables)]
    views = views_of(listing, texts, Tally())
    before = statuses(grids, views, options.seconds)
    explained = [place for place, (status, _) in before.items() if status == "explained"]
    chance.shuffle(explained)
    left = explained[: options.digits]
    done = found = right = alarms = 0
    while left:
        tables = {place[0]: place for place in left}
        now = list(tables.values())
        left = [place for place in left if place not in now]
        after = statuses(planted(grids, now, chance), views, options.seconds)
        for place in now:
            done += 1
            status, expected = after[place]
            found += status == "off"
            printed = grids[place[0]].cells[place[1], place[2]].text
            right += status == "off" and expected == printed
            if status != "off" or expected != printed:
                print(f"  missed: {grids[place[0]].name} {place[1:]} {printed} ({status}, expected {expected})")
        others = [place for place, (status, _) in after.items() if status == "off" and place not in now]
        new = [place for place in others if before[place][0] != "off"]
        alarms += len(new)
        for place in new:
            print(f"  false alarm: {grids[place[0]].name} {place[1:]} {grids[place[0]].cells[place[1:]].text}")
    cells = sum(len(grid.cells) for grid in grids)
    print(f"{len(explained)} of {cells} cells explained")
    print(f"{done} planted: {found} pointed at, {right} rightly, {alarms} false alarms")


if __name__ == "__main__":
    main()
