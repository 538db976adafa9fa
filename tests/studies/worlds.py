"""Worlds whose truth is known: laws of states, fresh draws from them, and what selection makes of each draw.

Whatever the verifier computes is computed by the verifier: scores, crossings, partitions, bounds, decisions and maps.
What the truth is, and whether a certificate holds, is decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rsd_stratified import bank, generator
from rsd_stratified import policies as recipe
from rsd_stratified.partitions import competing
from rsd_stratified.protocol import ACTIONS, DIRECTION, MANUAL_LEAVES, protocol
from sealtrace.mathematics import bounds, networks
from sealtrace.studies.policies.mathematics import policies, thresholds
from sealtrace.studies.policies.mathematics.maps.instance import Instance, worst_risk, worst_utility
from sealtrace.studies.policies.mathematics.maps.proof import GroupWise
from sealtrace.studies.policies.mathematics.maps.search import best_map
from sealtrace.studies.policies.mathematics.partitions.rules import Side, TreeClass, assign
from sealtrace.studies.policies.mathematics.partitions.search import best_partition

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Leaves = tuple[tuple[Side, ...], ...]
Upper = Callable[[Index, Index, Fraction], Vector]

BATCH = 2_000
"""Worlds that are drawn at once, which bounds the memory of long runs."""


@dataclass(frozen=True)
class Law:
    """A finite population from which states are drawn, each with the same probability."""

    features: dict[str, Vector]
    degradations: Matrix
    """d of state and candidate."""
    crossings: Matrix
    """v of state and candidate: one or zero."""
    utilities: Matrix
    """Normalized utility of state and candidate, in [0, 1]."""

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.crossings)

    @property
    def candidates(self) -> int:
        """How many candidates compete."""
        return len(self.crossings.T)

    def draws(self, random: np.random.Generator, worlds: int, states: int) -> Index:
        """Independent draws, one row per world."""
        return random.integers(self.states, size=(worlds, states))

    def only(self, candidate: int) -> Law:
        """The same law with a bank of one candidate."""
        column = slice(candidate, candidate + 1)
        tables = (self.degradations, self.crossings, self.utilities)
        return Law(self.features, *(table[:, column] for table in tables))


@dataclass(frozen=True)
class Truth:
    """Group risks and utilities of a law, the anchor in column 0.

    The anchor never degrades from itself. Its certified utility is zero, and no more than that is credited to it.
    """

    risk: Matrix
    utility: Matrix


@dataclass(frozen=True)
class Partition:
    """Groups of a law's states."""

    groups: int
    of: Index

    def truth(self, law: Law, states: Mask | None = None) -> Truth:
        """The exact means within groups, over all states of the law or over some of them."""
        chosen = np.ones(law.states, np.bool_) if states is None else states
        return Truth(*(self._means(table, chosen) for table in (law.crossings, law.utilities)))

    def shifted_truth(self, law: Law, share: float) -> Truth:
        """The truth of a deployment that meets, in every group, only the states where the bank degrades most."""
        degradation = law.degradations.mean(axis=1)
        chosen = np.zeros(law.states, np.bool_)
        for group in range(self.groups):
            members = np.flatnonzero(self.of == group)
            worst_first = members[np.argsort(degradation[members], kind="stable")]
            chosen[worst_first[: int(share * len(members))]] = True
        return self.truth(law, chosen)

    def _means(self, table: Matrix, chosen: Mask) -> Matrix:
        means = np.zeros((self.groups, table.shape[1] + 1))
        for group in range(self.groups):
            means[group, 1:] = table[chosen & (self.of == group)].mean(axis=0)
        return means


@dataclass(frozen=True)
class Tally:
    """What calibration draws add up to in each world and group."""

    counts: Index
    """World by group."""
    crossings: Index
    """World by group by candidate."""
    sums: Matrix
    """Normalized utilities: world by group by candidate."""


@dataclass(frozen=True)
class Certified:
    """The bounds of many worlds: world by group by option, the anchor first."""

    counts: Index
    upper: Matrix
    lower: Matrix
    admissible: Mask


@dataclass(frozen=True)
class Chosen:
    """A map for every world, with what is certified of it."""

    counts: Index
    options: Index
    """World by group."""
    risk: Vector
    """The largest mixture of the upper bounds."""
    utility: Vector
    """The smallest mixture of the lower bounds."""
    searched: int
    """Worlds in which the global budget made groups compete."""


@dataclass(frozen=True)
class Budgets:
    """What is declared before calibration."""

    zeta_risk: Fraction
    zeta_util: Fraction
    epsilon_group: Fraction
    epsilon_global: Fraction

    @property
    def zeta(self) -> float:
        """The frequency of broken certificates that is allowed."""
        return float(self.zeta_risk + self.zeta_util)


@cache
def generated() -> Law:
    """The recipe's whole population, with the policies of its bank as the verifier computes them."""
    declared = protocol()
    members = generator.population()
    features = {name: _feature(rule, members) for name, rule in declared["features"].items()}
    teacher = _values([generator.teacher_values(one.seen) for one in members])
    weak = _values([generator.weak_values(one.seen) for one in members])
    strong = _values([generator.strong_values(one.seen, one.temper) for one in members])
    legal = np.ones(teacher.shape, np.bool_)
    weights = policies.teacher_weights(teacher, legal, _real(declared["teacher"]["temperature"]))
    mix = declared["anchor"]
    anchor = policies.anchor(policies.normalized(weights), legal, _real(mix["teacher"]), _real(mix["uniform"]))
    directions = _directions(features, len(members))
    low, high = map(_real, declared["certification"]["utility_range"])
    columns = []
    for one in competing(declared):
        assert one.scale is not None
        assert one.family is not None
        tilted = policies.tilt_weights(anchor, directions[one.family], _real(one.scale), legal)
        policy = policies.normalized(tilted) if Fraction(one.scale) else anchor
        crossed = thresholds.crossings(policy, anchor, strong, Fraction(declared["tau"]))
        columns.append((crossed.delta, crossed.crossed, ((policy * weak).sum(axis=1) - low) / (high - low)))
    degradations, crossings, utilities = (
        np.array(table, dtype=np.float64).T.copy() for table in zip(*columns, strict=True)
    )
    return Law(features, degradations, crossings, utilities)


def _feature(rule: dict[str, Any], members: Sequence[generator.Situation]) -> Vector:
    """A declared feature of every member; few values of a field are different."""
    known: dict[str, float] = {}
    texts = [str(one.seen[rule["field"]]) for one in members]
    for text, one in zip(texts, members, strict=True):
        if text not in known:
            known[text] = recipe.feature(rule, one.seen)
    return np.array([known[text] for text in texts])


def _values(rows: list[dict[str, float]]) -> Matrix:
    return np.array([[row[action] for action in ACTIONS] for row in rows])


def _directions(features: dict[str, Vector], states: int) -> dict[str, Matrix]:
    """Family to the direction of its tilt, state by action."""
    names = sorted({name for rule in DIRECTION.values() for name in rule.get("terms", {})})
    constants = np.array([_real(DIRECTION[action]["constant"]) for action in ACTIONS])
    terms = np.array(
        [[_real(DIRECTION[action].get("terms", {}).get(name, "0")) for action in ACTIONS] for name in names]
    )
    directions = {"fixed": policies.affine(constants, terms, [features[name] for name in names], states)}
    for family, record in bank.checkpoints().items():
        layers = [
            networks.NetworkLayer(np.array(layer["weights"]), np.array(layer["bias"]), layer["activation"])
            for layer in record["residual"]
        ]
        outputs = networks.forward(np.column_stack([features[name] for name in record["features"]]), layers)
        directions[family] = outputs[:, [record["actions"].index(action) for action in ACTIONS]]
    return directions


def _real(text: str) -> float:
    return float(Fraction(text))


def declared_budgets() -> Budgets:
    """The study's own budgets."""
    names = ("zeta_risk", "zeta_util", "epsilon_group", "epsilon_global")
    return Budgets(*(Fraction(protocol()["certification"][name]) for name in names))


def declared_class() -> TreeClass:
    """The class of partitions in which the study's own is learned."""
    record = protocol()["partition_classes"]["certificate-aware"]
    return TreeClass(
        record["depth"],
        {name: [Fraction(text) for text in texts] for name, texts in record["thresholds"].items()},
        record["minimum_support"],
        Fraction(record["lambda_cert"]),
        Fraction(record["lambda_comp"]),
    )


def equal_weights(groups: int, candidates: int) -> list[Fraction]:
    """Equal parts of a failure budget, one per candidate in any group."""
    return [Fraction(1, groups * candidates)] * candidates


def graded_weights(groups: int) -> list[Fraction]:
    """The study's parts for its learned partition: smaller scales have more."""
    candidates = competing(protocol())
    scales = sorted({Fraction(one.scale or 0) for one in candidates})
    grades = [len(scales) - scales.index(Fraction(one.scale or 0)) for one in candidates]
    return [Fraction(grade, sum(grades) * groups) for grade in grades]


@cache
def manual_partition() -> Partition:
    """The groups that the study names by hand."""
    leaves = tuple(
        tuple(Side(one["feature"], Fraction(one["threshold"]), one["below"]) for one in leaf["conditions"])
        for leaf in MANUAL_LEAVES
    )
    return partition_of(generated(), leaves)


def partition_of(law: Law, leaves: Leaves) -> Partition:
    """The groups of a law's states by a rule."""
    return Partition(len(leaves), assign(law.features, leaves, law.states))


def undivided(law: Law) -> Partition:
    """One group."""
    return partition_of(law, ((),))


def learned_partitions(
    law: Law, random: np.random.Generator, worlds: int, states: int, declared: TreeClass
) -> list[tuple[Partition, int]]:
    """The partitions that fresh structure draws lead to, each with the number of its worlds.

    Calibration is drawn independently of structure, so worlds with the same partition can be calibrated together.
    """
    learned: Counter[Leaves] = Counter()
    for drawn in law.draws(random, worlds, states):
        features = {name: column[drawn] for name, column in law.features.items()}
        learned[best_partition(features, law.degradations[drawn], declared).leaves] += 1
    return [(partition_of(law, leaves), number) for leaves, number in learned.items()]


def tallies(law: Law, partition: Partition, random: np.random.Generator, worlds: int, states: int) -> Iterator[Tally]:
    """Fresh calibration draws, some worlds at a time."""
    for start in range(0, worlds, BATCH):
        size = min(BATCH, worlds - start)
        drawn = law.draws(random, size, states).ravel()
        cells = np.repeat(np.arange(size) * partition.groups, states) + partition.of[drawn]
        shape = (size, partition.groups)
        counts = np.bincount(cells, minlength=size * partition.groups).reshape(shape)
        crossings, sums = np.zeros((2, *shape, law.candidates))
        for column in range(law.candidates):
            for totals, table in ((crossings, law.crossings), (sums, law.utilities)):
                totals[:, :, column] = np.bincount(cells, table[drawn, column], counts.size).reshape(shape)
        yield Tally(counts, np.rint(crossings).astype(np.int64), sums)


def coins(random: np.random.Generator, worlds: int, states: int, shares: Sequence[float], truth: Truth) -> Tally:
    """Calibration draws of a law made for the purpose: crossings and utilities are coins, all of them independent."""
    counts = random.multinomial(states, shares, size=worlds)
    crossings, sums = (random.binomial(counts[:, :, None], table[:, 1:]) for table in (truth.risk, truth.utility))
    return Tally(counts, crossings, sums.astype(np.float64))


def coin_truth(risk: Sequence[Sequence[float]], utility: Sequence[Sequence[float]]) -> Truth:
    """What coins come up with, by group and candidate, and the anchor before them."""
    return Truth(*(np.array([[0.0, *row] for row in table]) for table in (risk, utility)))


def clopper_pearson(crossings: Index, states: Index, share: Fraction) -> Vector:
    """The verifier's upper bound."""
    return bounds.risk_upper(crossings, states, float(share))


def certify(
    tally: Tally, weights: Sequence[Fraction], budgets: Budgets, upper_bound: Upper = clopper_pearson
) -> Certified:
    """Both bounds of every candidate in every group and world, and whether the group's budget admits it."""
    worlds, groups, candidates = tally.crossings.shape
    upper, lower = np.zeros((2, worlds, groups, candidates + 1))
    admissible = np.ones((worlds, groups, candidates + 1), np.bool_)
    means = tally.sums / np.maximum(tally.counts, 1)[:, :, None]
    # The same counts come up in many worlds, and their bounds are the same.
    size = int(tally.counts.max()) + 1
    codes, places = np.unique(tally.crossings * size + tally.counts[:, :, None], return_inverse=True)
    places = places.reshape(tally.crossings.shape)
    crossings, states = np.divmod(codes, size)
    for weight in sorted(set(weights)):
        columns = [column for column, one in enumerate(weights) if one == weight]
        options = [column + 1 for column in columns]
        share = budgets.zeta_risk * weight
        values = upper_bound(crossings, states, share)
        upper[:, :, options] = values[places[:, :, columns]]
        if upper_bound is clopper_pearson:
            within = bounds.risks_at_most(crossings, states, share, budgets.epsilon_group)
        else:
            within = values <= float(budgets.epsilon_group)
        admissible[:, :, options] = within[places[:, :, columns]]
        for number in np.unique(tally.counts).tolist():
            world, group = np.nonzero(tally.counts == number)
            place = np.ix_(range(len(world)), columns)
            found = np.maximum(
                0.0, means[world, group][place] - bounds.utility_radius(number, budgets.zeta_util * weight)
            )
            lower[world[:, None], group[:, None], options] = found
    return Certified(tally.counts, upper, lower, admissible)


def group_wise(certified: Certified) -> Index:
    """The certified candidate of the largest lower bound in every group, the first of equals; else the anchor."""
    lower = np.where(certified.admissible, certified.lower, -1.0)
    # The anchor is what is left where nothing is certified: it does not compete.
    lower[:, :, 0] = -0.5
    options: Index = lower.argmax(axis=2)
    return options


def dual_maps(certified: Certified, radius: Fraction) -> Chosen:
    """Group-wise choices, with the bounds of the whole map over all mixtures within a radius."""
    options = group_wise(certified)
    bounds_of_maps = []
    for world, choice in enumerate(options.tolist()):
        instance = _instance(certified, world, None, radius)
        bounds_of_maps.append((float(worst_risk(instance, choice)), float(worst_utility(instance, choice))))
    risk, utility = np.array(bounds_of_maps).T
    return Chosen(certified.counts, options, risk, utility, 0)


def robust_maps(certified: Certified, radius: Fraction, epsilon_global: Fraction) -> Chosen:
    """The verifier's best map of every world."""
    found = [best_map(_instance(certified, world, epsilon_global, radius)) for world in range(len(certified.counts))]
    return Chosen(
        certified.counts,
        np.array([one.choice for one in found]),
        np.array([float(one.risk) for one in found]),
        np.array([float(one.utility) for one in found]),
        sum(not isinstance(one.proof, GroupWise) for one in found),
    )


def _instance(certified: Certified, world: int, budget: Fraction | None, radius: Fraction) -> Instance:
    """The map problem of one world, for which the doubles of its bounds are taken as exact."""
    upper, lower = certified.upper[world], certified.lower[world]
    return Instance(
        tuple(certified.counts[world].tolist()),
        upper,
        lower,
        certified.admissible[world],
        lambda group, option: Fraction(float(upper[group, option])),
        lambda group, option: Fraction(float(lower[group, option])),
        budget,
        radius,
    )


def some_pair_breaks(certified: Certified, truth: Truth) -> Mask:
    """Worlds in which some bound of some candidate in some group is false, selected or not."""
    broken = (truth.risk > certified.upper) | (truth.utility < certified.lower)
    return np.asarray(broken.any(axis=(1, 2)))


def some_choice_breaks(certified: Certified, truth: Truth) -> Mask:
    """Worlds in which a candidate that a group chose for itself breaks its own certificate."""
    options = group_wise(certified)
    upper, lower = (
        np.take_along_axis(table, options[:, :, None], axis=2)[:, :, 0] for table in (certified.upper, certified.lower)
    )
    groups = np.arange(options.shape[1])
    broken = (truth.risk[groups, options] > upper) | (truth.utility[groups, options] < lower)
    return np.asarray(broken.any(axis=1))


def map_breaks(chosen: Chosen, truth: Truth, radius: Fraction, epsilon_global: Fraction | None = None) -> Mask:
    """Worlds in which some mixture within the radius has a true risk or utility that the map's bounds exclude."""
    groups = np.arange(chosen.options.shape[1])
    shares = chosen.counts / chosen.counts.sum(axis=1, keepdims=True)
    moved = min(float(radius) / 2, 1.0)
    risk = -least_means(-truth.risk[groups, chosen.options], shares, moved)
    utility = least_means(truth.utility[groups, chosen.options], shares, moved)
    broken: Mask = (risk > chosen.risk) | (utility < chosen.utility)
    return broken if epsilon_global is None else broken | (risk > float(epsilon_global))


def least_means(values: Matrix, shares: Matrix, moved: float) -> Vector:
    """The smallest mean over mixtures, by moving mass from the largest values of every row to its smallest."""
    order = np.argsort(-values, axis=1)
    values, shares = np.take_along_axis(values, order, axis=1), np.take_along_axis(shares, order, axis=1)
    taken = np.clip(moved - (np.cumsum(shares, axis=1) - shares), 0.0, shares)
    means: Vector = ((shares - taken) * values).sum(axis=1) + taken.sum(axis=1) * values[:, -1]
    return means
