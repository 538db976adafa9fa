"""Good maps early: a better one to start with excludes more. Nothing is decided here."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .instance import Matrix, Vector
from .mixtures import worst_risks, worst_utilities
from .problem import Problem

Choices = npt.NDArray[np.int64]

NEIGHBOURS = 4
"""How many options per group, those that lose least, take part in exchanges."""


def climb(problem: Problem, losses: Matrix, start: Choices) -> Choices:
    """Changes one or two groups at a time for as long as the worst utility rises within the budget."""
    groups, options = _promising(losses)
    first, second = np.nonzero(groups[:, None] < groups[None, :])
    choice, utility = start, utilities_within(problem, start[None])[0]
    while True:
        singles = np.repeat(choice[None], len(groups), axis=0)
        singles[np.arange(len(groups)), groups] = options
        better, reached = _best(problem, singles)
        if reached <= utility and len(first):
            pairs = np.repeat(choice[None], len(first), axis=0)
            pairs[np.arange(len(first)), groups[first]] = options[first]
            pairs[np.arange(len(first)), groups[second]] = options[second]
            better, reached = _best(problem, pairs)
        if reached <= utility:
            return choice
        choice, utility = better, reached


def _promising(losses: Matrix) -> tuple[Choices, Choices]:
    """Groups and options that lose least against the bound of a cell."""
    groups, options = np.nonzero(np.isfinite(losses))
    nearest = np.argsort(losses[groups, options], kind="stable")[: NEIGHBOURS * len(losses)]
    return groups[nearest], options[nearest]


def _best(problem: Problem, choices: Choices) -> tuple[Choices, float]:
    """The first best of many maps that surely keep the budget."""
    utilities = utilities_within(problem, choices)
    position = int(utilities.argmax())
    return choices[position], float(utilities[position])


def utilities_within(problem: Problem, choices: Choices) -> Vector:
    """The worst utilities, minus one where the budget is not surely kept."""
    values: Matrix = problem.values[:, np.arange(choices.shape[1]), choices]
    utilities = worst_utilities(problem.instance, values[0])
    risks = worst_risks(problem.instance, -values[1])
    return np.where(risks <= problem.budget - problem.instance.rounding, utilities, -1.0)
