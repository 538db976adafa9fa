"""The best map from groups to options under the worst mixture, exactly, with a proof.

A map gives every group one option: the anchor, or a candidate with a risk bound U and a utility bound L. The best
map has the largest worst mean of L within the budget on the worst mean of U.

    instance      the problem, and the worst mixture of a map
    groupwise     what each group can decide for itself
    comparison    few maps: all of them are compared; among equal ones, the larger utility at the calibration mixture
    search        many maps: sets of them are bounded, split and emptied (domains, labels)
    proof         why no map is better, as data
    recheck       the proof, checked again without the search
"""

from sealtrace.mathematics.exact import Undecided

from .comparison import nominal_utility, settled
from .instance import Instance, least_mean, worst_risk, worst_utility
from .labels import TooManyLabels
from .proof import Covered, GroupWise, Proof, Refuted, Settled, Solution, describe
from .recheck import recheck
from .search import best_map

__all__ = [
    "Covered",
    "GroupWise",
    "Instance",
    "Proof",
    "Refuted",
    "Settled",
    "Solution",
    "TooManyLabels",
    "Undecided",
    "best_map",
    "describe",
    "least_mean",
    "nominal_utility",
    "recheck",
    "settled",
    "worst_risk",
    "worst_utility",
]
