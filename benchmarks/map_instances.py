"""Map problems of three kinds, from a seed, and every map of one in turn: for the benchmark and for the tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.special import betainccinv

from sealtrace.studies.policies.mathematics.maps.comparison import MapContest
from sealtrace.studies.policies.mathematics.maps.instance import Instance
from sealtrace.studies.policies.mathematics.maps.proof import Covered, Solution

KINDS = ("realistic", "correlated", "adversarial")
RADII = ("0", "0.1", "0.5", "2")

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]


def make(kind: str, groups: int, options: int, radius: str, seed: int) -> Instance:
    """An instance with a binding budget: about a third of what the group-wise best map would risk."""
    # Distinct streams for distinct arguments, the same on every machine.
    random = np.random.default_rng([KINDS.index(kind), groups, options, RADII.index(radius), seed])
    counts = random.integers(30, 131, groups)
    upper, lower = {"realistic": _realistic, "correlated": _correlated, "adversarial": _adversarial}[kind](
        random, counts, options
    )
    shares = counts / counts.sum()
    greedy = float(shares @ upper[np.arange(groups), lower.argmax(axis=1)])
    budget = Fraction(round(greedy * float(random.uniform(0.3, 0.7)), 3)).limit_denominator(1000)
    return from_doubles(counts, upper, lower, budget, Fraction(radius))


def instance_of(
    counts: Sequence[int],
    upper: Sequence[Sequence[Fraction]],
    lower: Sequence[Sequence[Fraction]],
    admissible: Sequence[Sequence[bool]],
    budget: Fraction | None,
    radius: Fraction,
    slack: Fraction = Fraction(0),
) -> Instance:
    """An instance whose exact values are all at hand; groups may have different numbers of options."""
    width = max(map(len, lower), default=0)
    return Instance(
        tuple(counts),
        np.array([[*map(float, row), *[0.0] * (width - len(row))] for row in upper]),
        np.array([[*map(float, row), *[0.0] * (width - len(row))] for row in lower]),
        np.array([[*row, *[False] * (width - len(row))] for row in admissible], dtype=np.bool_),
        lambda group, option: upper[group][option],
        lambda group, option: lower[group][option],
        budget,
        radius,
        slack,
    )


def from_doubles(
    counts: npt.NDArray[np.int64], upper: Matrix, lower: Matrix, budget: Fraction | None, radius: Fraction
) -> Instance:
    """An instance whose exact values are the doubles, with the anchor put first and everything admissible."""
    everything = [[True] * (1 + upper.shape[1])] * len(counts)
    return instance_of(counts.tolist(), _anchored(upper), _anchored(lower), everything, budget, radius)


def _anchored(values: Matrix) -> list[list[Fraction]]:
    """The doubles as rationals, with the anchor's zero before them."""
    return [[Fraction(0), *map(Fraction, row)] for row in values.tolist()]


def _realistic(random: np.random.Generator, counts: npt.NDArray[np.int64], options: int) -> tuple[Matrix, Matrix]:
    """Clopper–Pearson bounds of few distinct counts, and means less a Hoeffding radius that rise with the scale."""
    size = (len(counts), options)
    level, states = 0.1 / (len(counts) * options), counts[:, None]
    scale = np.sort(random.uniform(0.0, 1.0, size), axis=1)
    events = random.binomial(np.broadcast_to(states, size), 0.3 * scale**2)
    means = np.clip(0.35 + 0.5 * scale + random.normal(0.0, 0.04, size), 0.0, 1.0)
    radius = np.sqrt(np.log(1 / level) / (2 * states))
    upper = np.asarray(betainccinv(events + 1, np.maximum(states - events, 1), level), dtype=np.float64)
    return np.where(events == states, 1.0, upper), np.clip(means - radius, 0.0, 1.0)


def _correlated(random: np.random.Generator, counts: npt.NDArray[np.int64], options: int) -> tuple[Matrix, Matrix]:
    """L is a straight line in U without noise, so that no option is ever dominated by a mixture of others."""
    upper = np.sort(random.uniform(0.0, 0.9, (len(counts), options)), axis=1)
    return upper, 0.05 + random.uniform(0.6, 0.9, (len(counts), 1)) * upper


def _adversarial(random: np.random.Generator, counts: npt.NDArray[np.int64], options: int) -> tuple[Matrix, Matrix]:
    """Every group on almost the same concave frontier: equal marginal ratios everywhere, and tiny gaps."""
    size = (len(counts), options)
    upper = np.sort(random.uniform(0.0, 1.0, size), axis=1)
    bend = random.uniform(0.5, 0.52, (len(counts), 1))
    return upper, np.clip(upper**bend + random.normal(0.0, 1e-4, size), 0.0, 1.0)


MOST_ENUMERATED = 2_000_000


def enumerate_maps(instance: Instance) -> Solution:
    """The best map by looking at all of them in order of preference; it comes without a proof."""
    options: list[list[int]] = [row.nonzero()[0].tolist() for row in instance.admissible]
    if (size := math.prod(map(len, options))) > MOST_ENUMERATED:
        raise ValueError(f"{size:,} maps are too many to enumerate")
    contest = MapContest(instance)
    for choice in product(*options):
        contest.offer(choice)
    return Solution(contest.decide(), Covered(()), instance)
