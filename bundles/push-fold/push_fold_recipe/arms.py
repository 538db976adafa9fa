"""Who plays: networks that were trained on the solver's play, and opponents that follow a rule.

Behaviour cloning learns from twenty sampled actions of the solver at every information set. The other arms learn from
its distributions: a small base alone; a wider network from nothing, the full policy; and a residual that is added to
the base, which stays as it is. The shifted residual learned where hands against the loose opponent lead. All these see
what the acting player sees and nothing else; the correction is a residual that is also told what the base says.

Where an arm is undecided, it asks the solver, which is a call, and plays as that does.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from push_fold_recipe.game import POINTS, RANKS, Policy, deals, information_sets
from push_fold_recipe.networks import Example, Network, bend, seen, share, train

SEEDS = (11, 23, 37)
DRAWS = 20
SMALL, WIDE = 2, 6
"""Hidden units."""
EPOCHS = {"base": 60, "further": 160}
UNDECIDED = 0.1
"""How near to even a policy asks the solver."""
ARMS = {
    "cloning": "Behaviour cloning",
    "base": "No residual",
    "full": "Full policy",
    "residual": "Residual",
    "shifted": "Residual: shift",
    "correction": "Residual correction",
}
OPPONENTS = {"careful": 9, "loose": 4}
"""Opponent to the place of the lowest rank that pushes and calls."""

Output = Callable[[list[float]], float]


def sampled(solved: Policy, random: Random) -> dict[str, float]:
    """The share of the bolder action among sampled ones."""
    return {name: sum(random.random() < bold for _ in range(DRAWS)) / DRAWS for name, (_, bold) in solved.items()}


def examples(targets: dict[str, float], weights: dict[str, float], before: Output | None = None) -> list[Example]:
    """Every information set with its target."""
    return [
        (seen(name), target, weights[name], before(seen(name)) if before else 0.0) for name, target in targets.items()
    ]


def reached(policy: Policy, opponent: Policy) -> dict[str, float]:
    """How often each own information set is met against an opponent, relative to the mean of all."""
    found = dict.fromkeys(information_sets(), 0.0)
    for history in POINTS:
        player = len(history) % 2
        for cards, chance in deals():
            weight = float(chance)
            for place, action in enumerate(history):
                acting = policy if place % 2 == player else opponent
                before = history[:place]
                weight *= acting[f"{cards[place % 2]}:{before}"][POINTS[before].index(action)]
            found[f"{cards[player]}:{history}"] += weight
    total = 0.0
    for weight in found.values():
        total += weight
    return {name: weight * len(found) / total for name, weight in found.items()}


def trained(solved: Policy) -> dict[str, Output]:
    """Arm and seed to what its networks say of an observation."""
    even = dict.fromkeys(solved, 1.0)
    bold = {name: chances[1] for name, chances in solved.items()}
    shift = reached(solved, threshold(OPPONENTS["loose"]))
    found: dict[str, Output] = {}
    for seed in SEEDS:
        random = Random(seed)
        cloning = train(Network.drawn(SMALL, random), examples(sampled(solved, random), even), EPOCHS["base"])
        base = train(Network.drawn(SMALL, random), examples(bold, even), EPOCHS["base"])
        full = train(Network.drawn(WIDE, random), examples(bold, even), EPOCHS["further"])
        found |= {f"cloning/{seed}": cloning.output, f"base/{seed}": base.output, f"full/{seed}": full.output}
        for arm, weights in (("residual", even), ("shifted", shift)):
            start = examples(bold, weights, base.output)
            found[f"{arm}/{seed}"] = _added(base, train(Network.drawn(WIDE, random), start, EPOCHS["further"]))
        start = examples(bold, even, base.output)
        told = [(_told(base, values), target, weight, before) for values, target, weight, before in start]
        corrected = train(Network.drawn(WIDE, random, len(told[0][0])), told, EPOCHS["further"])
        found[f"correction/{seed}"] = _corrected(base, corrected)
    return {f"{arm}/{seed}": found[f"{arm}/{seed}"] for arm in ARMS for seed in SEEDS}


def _added(base: Network, residual: Network) -> Output:
    return lambda values: base.output(values) + residual.output(values)


def _told(base: Network, values: list[float]) -> list[float]:
    """What is seen, and what the base says of it."""
    return [*values, bend(base.output(values))]


def _corrected(base: Network, residual: Network) -> Output:
    return lambda values: base.output(values) + residual.output(_told(base, values))


def asks(output: float) -> bool:
    """Whether an arm is undecided."""
    return abs(share(output) - 0.5) < UNDECIDED


def played(learnt: Output, solved: Policy) -> Policy:
    """What an arm plays everywhere."""
    policy = {}
    for name, known in solved.items():
        output = learnt(seen(name))
        policy[name] = list(known) if asks(output) else [1.0 - share(output), share(output)]
    return policy


def threshold(lowest: int) -> Policy:
    """Pushes and calls with a rank from some place on, checks and folds below."""
    policy = {}
    for history in POINTS:
        for place, rank in enumerate(RANKS):
            bold = 1.0 if place >= lowest else 0.0
            policy[f"{rank}:{history}"] = [1.0 - bold, bold]
    return policy
