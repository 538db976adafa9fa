"""Costs beside what they are compared with, in one run: `python benchmarks/ratios.py`.

Seconds depend on the machine and on what else it does. A cost is measured in turn with what it is compared with: each
quotient is of two neighbouring runs, which other programs slow alike, and the median of several leaves out odd ones.
What is beyond its limit is measured again, and the median is of all its quotients, so no busy minute decides.

A limit is `DOUBTFUL` times what is usual, which a cost that doubled exceeds. Growth with length needs no median to be
seen: what compares all with all costs sixteen times as much for four times the input, and a line with a sort four to
five times. It is measured on small inputs here; `make bench` measures it on larger ones.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

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
LIBRARIES = "import click, numpy, pyarrow.compute, pydantic"
"""What no verification can do without."""
ATTEMPTS = 4
QUOTIENTS = 3
"""Of each attempt; one is enough where the limit is far from what must not happen."""
DOUBTFUL = 1.6
"""Medians wavered by a fifth beside twenty other programs, and half as much again is left for other machines."""
STATES = 500
STREAMED = 60_000
"""States of a study whose files are large enough to be judged a shard at a time."""
WARM = f"""
import statistics, sys, time
import sealtrace.process
sealtrace.process.OWN_PROCESS = True
from sealtrace import api
floor = compile({peers.FLOOR!r}, "floor", "exec")
def cpu(work):
    began = time.process_time()
    work()
    return time.process_time() - began
def both():
    return cpu(lambda: api.verify(sys.argv[1])), cpu(lambda: exec(floor, {{}}))
both()  # imports, and schemas that are read once
print(statistics.median(verified / read for verified, read in (both() for _ in range(3))))
"""
"""Verification and the floor in turn, in one process that has loaded everything; what the first takes of the second.

A difference of whole runs says less: 300,000 rows more take the floor 0.04 s, and start-up alone differs by as much.
"""


@dataclass(frozen=True)
class Ratio:
    """One cost as a multiple of another."""

    name: str
    limit: float
    measured: Callable[[], float]
    """One quotient, of neighbouring runs."""
    quotients: int = QUOTIENTS


def usually(name: str, usual: float, measured: Callable[[], float]) -> Ratio:
    """A ratio of which it is known what it usually is."""
    return Ratio(name, DOUBTFUL * usual, measured)


def cpu(*command: str) -> float:
    """The CPU time of a process."""
    return measure(list(command))[0]


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
    usually("sealtrace --help / import click", 1.3, help_to_click),
    usually("verify the fixture / import its libraries", 5.0, verify_to_imports),
    usually("diff / verify, of the fixture", 1.07, diff_to_verify),
    usually("verify 10,000 traces / hash and decode them", 1.6, partial(large_to_floor, 0)),
    usually("the same, peak memory", 0.95, partial(large_to_floor, 2)),
    usually("1,200,000 streamed rows / hash and decode them, without start-up", 4.4, streamed_to_floor),
    usually("verify 600,000 answers / DuckDB's part of the checks", 7.1, dataset_to_duckdb),
    usually("search for maps / general solver", 0.08, search_to_solver),
    *(
        Ratio(
            f"{growth.TIMES} times as long: {family.name}",
            growth.LINEAR_ENOUGH,
            partial(growth.growth, family, quick=True),
            quotients=1,
        )
        for family in growth.FAMILIES
    ),
]


def usual(ratio: Ratio) -> float:
    """The median of some quotients, or of those of all attempts where each median is beyond the limit."""
    found: list[float] = []
    for _ in range(ATTEMPTS):
        found += [ratio.measured() for _ in range(ratio.quotients)]
        print(f"{median(found):7.2f} of at most {ratio.limit:4.1f}  {ratio.name}", flush=True)
        if median(found) <= ratio.limit:
            break
    return median(found)


def main(ratios: list[Ratio]) -> None:
    """Measures all of them; one that stays beyond its limit is an error."""
    if beyond := [ratio.name for ratio in ratios if usual(ratio) > ratio.limit]:
        sys.exit(f"beyond the limit {ATTEMPTS} times: {'; '.join(beyond)}")


if __name__ == "__main__":
    main(RATIOS)
