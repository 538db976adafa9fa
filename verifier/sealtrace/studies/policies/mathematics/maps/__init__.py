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
