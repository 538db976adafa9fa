"""How long the robust search takes once all bounds are known."""

from __future__ import annotations

import time

from rsd_stratified.population import Population
from rsd_stratified.selectors import robust_map, robust_problem
from rsd_stratified.states import Row, Traced
from rsd_stratified.tables import SEARCH

SUBJECTS = (
    *(f"partition-{name}" for name in ("depth-1", "learned", "depth-3", "depth-4")),
    *(f"families-{count}" for count in (1, 2, 4)),
)
"""The variants whose searches are printed with their times."""
REPEATS = 25


def measurement_rows(protocol: Row, partitions: list[Row], traced_calibration: list[Traced]) -> list[Row]:
    """Search times as measurement records; a rebuild measures others."""
    population = Population(traced_calibration)
    rows = []
    for subject in SUBJECTS:
        problem = robust_problem(protocol, partitions, population, subject)
        robust_map(problem)  # the first search pays for bounds of many digits, which later ones find ready
        for repeat in range(REPEATS):
            started = time.perf_counter()
            robust_map(problem)
            elapsed = (time.perf_counter() - started) * 1000
            rows.append({"quantity": SEARCH, "subject": subject, "repeat": repeat, "value": elapsed, "unit": "ms"})
    return rows
