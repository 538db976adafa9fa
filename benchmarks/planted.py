"""What `check` says of digits that were planted, and of results that are not the paper's.

    python benchmarks/planted.py PAPER RESULTS [--digits 50] [--seconds 60] [--seed 0]

Results are read once. Then explained cells get one other digit, at most one in each table at a time, and the whole
check of the tables runs again: a planted cell counts as found where it is off and the expected text is what the paper
printed; any other cell that is off, and was not before, is a false alarm. Afterwards every number of the results is
replaced by a random one of its column's range (or dealt out anew among the rows of its column, over all files alike),
and the cells that are still explained are counted.
"""

from __future__ import annotations

import argparse
import copy
import random
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from sealtrace.binding.checking import WORK_A_SECOND, views_of
from sealtrace.binding.choosing import printed_as
from sealtrace.binding.files import read_results
from sealtrace.binding.frames import Frame, melted
from sealtrace.binding.hypotheses import FrameView
from sealtrace.binding.series import Grid, Spot, grids_of, slots_of
from sealtrace.binding.tables import bind_tables
from sealtrace.binding.tally import Tally
from sealtrace.printed.papers import read_paper

Place = tuple[int, int, int]
"""Table, row and column of a cell."""


def statuses(grids: list[Grid], views: list[FrameView], seconds: float) -> dict[Place, tuple[str, str]]:
    """Status of every cell, and what is expected where it is off."""
    tally = Tally(time.monotonic() + 20 * seconds)
    bound = bind_tables(grids, views, tally, seconds * WORK_A_SECOND)
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
        cell.slots = slots_of(cell.text)
    return changed


def disturbed(views: list[FrameView], how: str, seed: int) -> list[FrameView]:
    """The same results with other numbers, or with numbers that changed places."""
    noise = np.random.default_rng(seed)

    def other(frame: Frame) -> Frame:
        if how == "shuffled":
            numbers = noise.permuted(frame.numbers, axis=0)
        else:
            low, high = (np.nan_to_num(edge(frame.numbers, axis=0)) for edge in (np.nanmin, np.nanmax))
            numbers = noise.uniform(np.minimum(0.5 * low, low), np.maximum(1.5 * high, high), frame.numbers.shape)
            whole = frame.numbers == np.round(frame.numbers)
            numbers = np.where(np.isfinite(frame.numbers), np.where(whole, np.round(numbers), numbers), np.nan)
        return replace(frame, numbers=numbers)

    plain = [replace(view, frame=other(view.frame)) for view in views if not view.melted]
    fresh = [FrameView(view.frame, False, view.glossary) for view in plain]
    return fresh + [FrameView(long, True, one.glossary) for one in fresh if (long := melted(one.frame)) is not None]


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
    cells = sum(not cell.wordy for grid in grids for cell in grid.cells.values())
    print(f"{len(explained)} of {cells} cells explained")
    print(f"{done} planted: {found} pointed at, {right} rightly, {alarms} false alarms")
    for how in ("random", "shuffled"):
        after = statuses(grids, disturbed(views, how, options.seed), options.seconds)
        counts = {status: sum(one == status for one, _ in after.values()) for status in ("explained", "off")}
        print(f"{how}: {counts['explained']} explained and {counts['off']} off of {cells}")


if __name__ == "__main__":
    main()
