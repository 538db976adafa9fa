"""Plain enumeration: every map, exactly. It defines what the search must find."""

from __future__ import annotations

import math
from itertools import product

from .contest import Contest
from .instance import Instance
from .proof import Enumerated
from .solution import Solution

LARGEST = 2_000_000
"""More maps than this are refused."""


def enumerate_maps(instance: Instance) -> Solution:
    """The best map by looking at all of them in order of preference."""
    options: list[list[int]] = [row.nonzero()[0].tolist() for row in instance.admissible]
    size = math.prod(map(len, options))
    if size > LARGEST:
        raise ValueError(f"{size:,} maps are too many to enumerate")
    contest = Contest(instance)
    for choice in product(*options):
        contest.offer(choice)
    return Solution(contest.decide(), Enumerated(size), instance)
