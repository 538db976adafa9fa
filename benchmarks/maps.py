"""The map search against enumeration and a general solver: `python benchmarks/maps.py [--quick]`.

All three run in this process one after the other; seconds are CPU seconds. Every map found is rechecked.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent))

from map_instances import KINDS, RADII, enumerate_maps, make
from map_program import solve
from sealtrace.studies.policies.mathematics.maps.instance import Instance
from sealtrace.studies.policies.mathematics.maps.proof import Covered, Solution
from sealtrace.studies.policies.mathematics.maps.recheck import recheck
from sealtrace.studies.policies.mathematics.maps.search import best_map

Result = TypeVar("Result")

HEADER = (
    "kind", "groups", "options", "radius", "search s", "recheck s", "regions", "labels", "maps",
    "enumeration s", "solver s", "solver gap", "solver - search",
)  # fmt: skip


def timed(run: Callable[[], Result]) -> tuple[Result, float]:
    """A result and its CPU seconds."""
    started = time.process_time()
    result = run()
    return result, time.process_time() - started


def work(solution: Solution) -> list[str]:
    """How many regions, labels and maps the proof took."""
    if not isinstance(solution.proof, Covered):
        return ["group-wise", "", ""]
    leaves = [region for region in solution.proof.regions if region.split is None]
    sums = sum(region.labels or 0 for region in leaves), sum(region.maps or 0 for region in leaves)
    return [f"{len(leaves):,}", *(f"{number:,}" for number in sums)]


def row(instance: Instance, enumerable: int, seconds: float) -> list[str]:
    """One instance's measurements."""
    solution, search = timed(lambda: best_map(instance))
    _, check = timed(lambda: recheck(instance, solution))
    cells = [f"{search:.4f}", f"{check:.2f}", *work(solution)]
    if instance.lower.shape[1] ** instance.groups <= enumerable:
        oracle, enumeration = timed(lambda: enumerate_maps(instance))
        if (oracle.choice, oracle.utility) != (solution.choice, solution.utility):
            sys.exit("enumeration found another map")
        cells.append(f"{enumeration:.2f}")
    else:
        cells.append("")
    program, solver = timed(lambda: solve(instance, seconds))
    difference = "" if program.utility is None else f"{program.utility - float(solution.utility):+.1e}"
    return [*cells, f"{solver:.2f}", f"{program.gap:.1e}", difference]


def main() -> None:
    """Measures and prints a table, row by row."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes and short limits, for continuous integration")
    parser.add_argument("--seeds", type=int, default=1, help="instances per kind, size and radius")
    parser.add_argument("--solver-seconds", type=float, help="the general solver's time limit")
    arguments = parser.parse_args()
    sizes = [(4, 8), (4, 20), (10, 20)] if arguments.quick else [(4, 20), (10, 20), (16, 100)]
    seconds = arguments.solver_seconds or (1.0 if arguments.quick else 60.0)
    widths = [max(len(title), 11) for title in HEADER]
    print("  ".join(title.rjust(width) for title, width in zip(HEADER, widths, strict=True)))
    for groups, options in sizes:
        for kind in KINDS:
            for radius in RADII[1:3] if arguments.quick else RADII:
                for seed in range(arguments.seeds):
                    instance = make(kind, groups, options, radius, seed)
                    measured = row(instance, 10_000 if arguments.quick else 200_000, seconds)
                    cells = [kind, str(groups), str(options), radius, *measured]
                    print("  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)), flush=True)


if __name__ == "__main__":
    main()
