"""The best map from groups to options under the worst mixture, exactly, with a proof."""

from sealtrace.mathematics.exact import Undecided

from .enumeration import enumerate_maps
from .instance import Instance
from .labels import TooManyLabels
from .mixtures import worst_risk, worst_utility
from .proof import Covered, Enumerated, GroupWise, Proof, describe
from .recheck import recheck
from .refuted import Refuted
from .search import best_map
from .solution import Solution

__all__ = [
    "Covered",
    "Enumerated",
    "GroupWise",
    "Instance",
    "Proof",
    "Refuted",
    "Solution",
    "TooManyLabels",
    "Undecided",
    "best_map",
    "describe",
    "enumerate_maps",
    "recheck",
    "worst_risk",
    "worst_utility",
]
