"""Who plays: arms that were trained on the solver's play, and opponents that follow a rule.

Every arm learns from twenty solved hands per information set and training seed. Behaviour cloning keeps the shares of
the actions that were played; the full policy learns the solver's distribution itself, but only one for two neighbouring
ranks; the residual moves the cloned shares half of the way to that.
"""

from __future__ import annotations

from random import Random

from push_fold_recipe.game import POINTS, RANKS, Policy

SEEDS = (11, 23, 37)
DRAWS = 20
CALLS = DRAWS * len(POINTS) * len(RANKS)
"""Hands of the solver that an arm learns from."""
STEP = 0.5
ARMS = {"cloning": "Behaviour cloning", "full": "Full policy", "residual": "Residual"}
OPPONENTS = {"careful": 9, "loose": 4}
"""Opponent to the place of the lowest rank that pushes and calls."""


def cloned(solved: Policy, seed: int) -> Policy:
    """Shares of sampled actions, each action counted once more than it was seen."""
    random = Random(seed)
    policy = {}
    for name, chances in solved.items():
        first = sum(random.random() < chances[0] for _ in range(DRAWS))
        share = (first + 1) / (DRAWS + 2)
        policy[name] = [share, 1.0 - share]
    return policy


def smoothed(solved: Policy) -> Policy:
    """One distribution for two neighbouring ranks: the mean of theirs."""
    policy = {}
    for history in POINTS:
        for place, rank in enumerate(RANKS):
            pair = RANKS[place - place % 2 : place - place % 2 + 2]
            share = sum(solved[f"{one}:{history}"][0] for one in pair) / len(pair)
            policy[f"{rank}:{history}"] = [share, 1.0 - share]
    return policy


def mixed(one: Policy, other: Policy) -> Policy:
    """From one policy a step towards another."""
    policy = {}
    for name, (first, _) in one.items():
        share = first + STEP * (other[name][0] - first)
        policy[name] = [share, 1.0 - share]
    return policy


def threshold(lowest: int) -> Policy:
    """Pushes and calls with a rank from some place on, checks and folds below."""
    policy = {}
    for history in POINTS:
        for place, rank in enumerate(RANKS):
            bold = 1.0 if place >= lowest else 0.0
            policy[f"{rank}:{history}"] = [1.0 - bold, bold]
    return policy


def trained(solved: Policy) -> dict[str, Policy]:
    """Arm and seed to what was learnt."""
    found = {}
    for seed in SEEDS:
        base, whole = cloned(solved, seed), smoothed(solved)
        found[f"cloning-{seed}"] = base
        found[f"full-{seed}"] = mixed(whole, cloned(whole, seed))
        found[f"residual-{seed}"] = mixed(base, whole)
    return found
