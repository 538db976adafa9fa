"""Costs beside what they are compared with, in one run: `python benchmarks/ratios.py`.

Seconds depend on the machine and on what else it does; a ratio of two CPU times of the same minute hardly does. CI runs
this, names each ratio that passes its limit three times, and fails where one passes twice its limit: on a shared
machine even a ratio wavers by half, while a cost that doubled, or grows with the square (16 for 4), does not come back.
Growth is measured on small inputs here; `make bench` measures it on larger ones.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import growth
import peers
from map_instances import KINDS, make
from map_program import solve
from maps import timed
from million import FLOOR, bundle_of, measure
from sealtrace.studies.policies.mathematics.maps.search import best_map

os.environ["OPENBLAS_NUM_THREADS"] = "1"
SEALTRACE = [sys.executable, "-m", "sealtrace"]
FIXTURE = str(Path(__file__).resolve().parents[1] / "bundles" / "rsd-fixture" / "bundle")
LIBRARIES = "import click, jsonschema, numpy, pyarrow.compute, pydantic"
"""What no verification can do without."""
ATTEMPTS = 3
DOUBLED = 2
STATES = 500
STREAMED = 60_000
"""States of a study whose files are large enough to be judged a shard at a time."""
WARM = f"""
import statistics, sys, time
import sealtrace.bundle
sealtrace.bundle.OWN_PROCESS = True
from sealtrace import api
floor = compile({peers.FLOOR!r}, "floor", "exec")
def cpu(work):
    began = time.process_time()
    work()
    return time.process_time() - began
def both():
    return cpu(lambda: api.verify(sys.argv[1])), cpu(lambda: exec(floor, {{}}))
both()  # imports, and schemas that are read once
print(statistics.median(verified / read for verified, read in (both() for _ in range(5))))
"""
"""Verification and the floor in turn, in one process that has loaded everything; what the first takes of the second.

A difference of whole runs says less: 300,000 rows more take the floor 0.04 s, and start-up alone differs by as much.
Each quotient is of two neighbouring runs, which other programs slow alike; the median leaves out the odd ones.
"""


@dataclass(frozen=True)
class Ratio:
    """One cost as a multiple of another."""

    name: str
    limit: float
    measured: Callable[[], float]


def cpu(*command: str) -> float:
    """The lesser CPU time of two runs of a process."""
    return min(measure(list(command))[0] for _ in range(2))


def help_to_click() -> float:
    """Help needs click and nothing else."""
    return cpu(*SEALTRACE, "--help") / cpu(sys.executable, "-c", "import click")


def verify_to_imports() -> float:
    """The embedded study is small: verifying it costs little more than loading the libraries."""
    return cpu(*SEALTRACE, "verify") / cpu(sys.executable, "-c", LIBRARIES)


def diff_to_verify() -> float:
    """Both ask the same questions of the same records."""
    return cpu(*SEALTRACE, "diff", FIXTURE) / cpu(*SEALTRACE, "verify", FIXTURE)


def large_to_floor(figure: int) -> float:
    """Verification beside hashing every byte and decoding every column once: CPU time, or peak memory."""
    bundle = str(bundle_of(STATES))
    verified = measure([*SEALTRACE, "verify", bundle])
    floor = measure([sys.executable, "-c", FLOOR, bundle])
    return float(verified[figure]) / float(floor[figure])


def streamed_to_floor() -> float:
    """What 1,200,000 rows cost beside hashing and decoding them, without start-up."""
    return float(measure([sys.executable, "-c", WARM, str(bundle_of(STREAMED))])[3])


def dataset_to_duckdb() -> float:
    """What 600,000 answers cost beside DuckDB's part of the checks, start-up included.

    With its best SQL, DuckDB takes 0.05 s for 300,000 rows more, which is less than one run differs from another.
    """
    bundle = str(bundle_of(40_000, "large_dataset"))
    return cpu(*SEALTRACE, "verify", bundle) / cpu(sys.executable, "-c", peers.DATASET, bundle)


def search_to_solver() -> float:
    """All searches for maps of four groups and twenty options, beside a general solver's time for the same."""
    instances = [make(kind, 4, 20, "0.1", 0) for kind in KINDS]
    return sum(timed(partial(best_map, one))[1] for one in instances) / sum(
        timed(partial(solve, one, 1.0))[1] for one in instances
    )


RATIOS = [
    Ratio("sealtrace --help / import click", 3.0, help_to_click),
    Ratio("verify the fixture / import its libraries", 6.0, verify_to_imports),
    Ratio("diff / verify, of the fixture", 2.0, diff_to_verify),
    Ratio("verify 10,000 traces / hash and decode them", 4.0, partial(large_to_floor, 0)),
    Ratio("the same, peak memory", 2.5, partial(large_to_floor, 2)),
    Ratio("1,200,000 streamed rows / hash and decode them, without start-up", 8.0, streamed_to_floor),
    Ratio("verify 600,000 answers / DuckDB's part of the checks", 12.0, dataset_to_duckdb),
    Ratio("search for maps / general solver", 0.5, search_to_solver),
    *(
        Ratio(
            f"{growth.TIMES} times as long: {family.name}",
            growth.LINEAR_ENOUGH,
            partial(growth.growth, family, quick=True),
        )
        for family in growth.FAMILIES
    ),
]


def least(ratio: Ratio) -> float:
    """The first measurement within the limit, or the least of all attempts."""
    found: list[float] = []
    while len(found) < ATTEMPTS and not any(one <= ratio.limit for one in found):
        found.append(ratio.measured())
        print(f"{found[-1]:7.2f} of at most {ratio.limit:4.1f}  {ratio.name}", flush=True)
    return min(found)


def main(ratios: list[Ratio]) -> None:
    """Measures all of them, and names those beyond their limits; one beyond twice its limit is an error."""
    measured = {ratio: least(ratio) for ratio in ratios}
    beyond = [ratio.name for ratio, found in measured.items() if found > ratio.limit]
    if beyond:
        print(f"beyond the limit {ATTEMPTS} times: {'; '.join(beyond)}")
    broken = [ratio.name for ratio, found in measured.items() if found > DOUBLED * ratio.limit]
    if broken:
        sys.exit(f"beyond twice the limit {ATTEMPTS} times: {'; '.join(broken)}")


if __name__ == "__main__":
    main(RATIOS)
