"""The operating point, and the certificates that the calibration states allow there, recomputed.

Reads distributions, action values, the bank, the frozen partitions and the protocol; never a certificate,
a selection or a map record: those are what was reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Literal

import numpy as np

from sealtrace.bundle.frames import Index, Mask, Matrix
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics import bounds
from sealtrace.mathematics.exact import Undecided, as_double
from sealtrace.studies.policies.evidence.outcomes import BOTH, Outcomes, Role, UnscoredError, outcomes_of, twin
from sealtrace.studies.policies.evidence.partitions import FrozenPartition
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.certification import Variant, Weights

ASSUMPTIONS = (
    # Section 3.6 and appendix A.8: what the guarantee rests on.
    "calibration states are independent draws within each group",
    "the distribution within each group is the same at deployment; only the mixture of groups may move",
    "every utility lies in the declared range, also where it was not looked at",
    "candidates, groups, shares and constants were fixed before the calibration scores were seen",
    "no field that policies see carries a score in a form that is not compared, such as under noise",
)
"""What certificates assume, and no record can verify."""


@dataclass(frozen=True)
class Setting:
    """Everything that a certificate or a selection depends on besides records."""

    tau: Fraction
    epsilon_group: Fraction | None
    """The budget of every group that has none of its own."""
    epsilon_groups: tuple[tuple[str, Fraction], ...] | None
    """Groups with budgets of their own; None: as the partition's leaves state them."""
    epsilon_global: Fraction | None
    zeta_risk: Fraction | None
    zeta_util: Fraction | None
    rho: Fraction | None
    utility_range: tuple[Fraction, Fraction] | None
    families: tuple[str, ...] | None
    """The families that compete; None: all of them."""
    scales: tuple[Fraction, ...] | None
    """The scales that compete; None: all of the grid."""
    allocation: str | None
    """The declared allocation; None: the partition's own, or equal shares where not everything competes."""
    utility: str
    """The evaluator of the objective."""
    risk: str
    """The evaluator of degradation."""
    partition: str | None
    """The partition that replaces a selector's own."""
    calibration: int | None
    """Calibration states of a repeated split, where the variant changes them."""


def declared_setting(study: Study, variant: Variant | None = None) -> Setting:
    """The protocol's operating point with what a variant changes."""
    changed = variant or Variant.model_construct()
    budgets = study.declared.certification

    def constant(name: str, *of: str) -> Fraction | None:
        texts = [*(getattr(changed, field) for field in of), getattr(budgets, name, None)]
        return next((exact(text) for text in texts if text is not None), None)

    # A variant that sets the budget of groups sets all of them: leaves with budgets of their own would ignore it.
    own: tuple[tuple[str, Fraction], ...] | None = (
        None if changed.epsilon is None and changed.epsilon_group is None else ()
    )
    if changed.epsilon_groups is not None:
        own = tuple((group, exact(text)) for group, text in sorted(changed.epsilon_groups.items()))

    bounds = changed.utility_range or (None if budgets is None else budgets.utility_range)
    evaluators = changed.evaluators or study.declared.evaluators
    return Setting(
        tau=exact(changed.tau or study.declared.tau),
        epsilon_group=constant("epsilon_group", "epsilon_group", "epsilon"),
        epsilon_groups=own,
        epsilon_global=constant("epsilon_global", "epsilon_global", "epsilon"),
        zeta_risk=constant("zeta_risk", "zeta"),
        zeta_util=constant("zeta_util", "zeta"),
        rho=constant("rho", "rho"),
        utility_range=None if bounds is None else (exact(bounds[0]), exact(bounds[1])),
        families=None if changed.families is None else tuple(changed.families),
        scales=None if changed.scales is None else tuple(sorted(exact(text) for text in changed.scales)),
        allocation=changed.allocation,
        utility=evaluators.utility,
        risk=evaluators.risk,
        partition=changed.partition,
        calibration=changed.calibration,
    )


class UndeclaredError(Exception):
    """The protocol, the partition or the rule lacks what the computation needs."""


class VoidError(Exception):
    """A utility lies outside the declared range, so the utility bounds that it enters mean nothing."""


UNCOMPUTABLE = (UndeclaredError, UnscoredError, VoidError, Undecided)
"""Raised, with the reason, where records or protocol lack what a computation needs."""


class Shares:
    """zeta w by candidate and group: the failure probability that each bound may have."""

    def __init__(self, table: list[list[Fraction]]) -> None:
        self.table = table
        places: dict[Fraction, int] = {}
        self._places = [places.setdefault(share, len(places)) for row in table for share in row]
        self._distinct = list(places)
        self._upper: dict[tuple[int, int, int], float] = {}
        self._columns: dict[tuple[Callable[[int, Fraction], float], int, int], list[float]] = {}

    def at_counts(self, counts: Index, computes: Sequence[Callable[[int, Fraction], float]]) -> Matrix:
        """What depends on n and the share alone, by candidate and group; computed once for equal numbers."""
        columns = []
        for group, (states, compute) in enumerate(zip(counts.tolist(), computes, strict=True)):
            key = (compute, group, states)
            if key not in self._columns:
                self._columns[key] = [compute(states, row[group]) for row in self.table]
            columns.append(self._columns[key])
        return np.array(columns, np.float64).T

    def risk_upper(self, crossings: Index, counts: Index) -> Matrix:
        """U by candidate and group; repeated splits ask for the same counts again and again."""
        # By the number of a share, not the share: hashing fractions takes longer than what is looked up.
        keys = list(zip(self._places, crossings.ravel().tolist(), counts.tolist() * len(crossings), strict=True))
        if absent := list({key for key in keys if key not in self._upper}):
            places, events, states = zip(*absent, strict=True)
            shares = [self._distinct[place] for place in places]
            found = bounds.risk_uppers(np.array(events), np.array(states), shares)
            self._upper.update(zip(absent, found.tolist(), strict=True))
        return np.array([self._upper[key] for key in keys]).reshape(crossings.shape)


class Calibration:
    """The certificates of one partition on some calibration states, under one setting."""

    def __init__(self, study: Study, setting: Setting, partition: FrozenPartition, states: Index) -> None:
        self.study = study
        self.setting = setting
        self.partition = partition
        self.candidates = study.bank.competing(setting.families, setting.scales)
        if not self.candidates:
            raise UndeclaredError("no candidate competes")
        groups = partition.group_of[states]
        if (groups < 0).any():
            raise UndeclaredError(f"{int((groups < 0).sum())} states lie in no single group of {partition.name}")
        self.members = [states[groups == group] for group in range(len(partition.groups))]
        self.counts: Index = np.array([len(members) for members in self.members], np.int64)
        self.states = states
        self._groups = groups
        self._exact_means: dict[tuple[int, int], Fraction] = {}

    @cached_property
    def outcomes(self) -> Outcomes:
        return outcomes_of(self.study, self.setting.utility, self.setting.risk, self.setting.tau)

    def _pairs(self, rows: int) -> Index:
        """For each candidate and calibration state, the number of that candidate and the state's group."""
        pairs: Index = np.arange(rows)[:, None] * len(self.members) + self._groups
        return pairs

    def _counted(self, happened: Mask) -> Index:
        """How often something happens by candidate and group, of candidates and all states."""
        shape = (len(happened), len(self.members))
        there = self._pairs(len(happened))[happened[:, self.states]]
        counts: Index = np.bincount(there, minlength=shape[0] * shape[1]).reshape(shape)
        return counts

    @cached_property
    def crossings(self) -> Index:
        """k by candidate and group; of the states that are scored, where `absent` are not."""
        parts = [self._counted(found.crossed) for _, found in self.outcomes.parts(self.candidates)]
        return np.concatenate([np.zeros((0, len(self.members)), np.int64), *parts])

    @cached_property
    def absent(self) -> dict[Role, Index]:
        """At how many calibration states of each group each candidate has no score, by the role of the evaluator."""
        return {role: self._absent(role) for role in BOTH}

    def _absent(self, role: Role) -> Index:
        unscored = self.outcomes.unscored(self.candidates, role)
        # Repeated splits ask this again and again, and nearly always nothing is unscored.
        if not unscored.any() or not unscored[self.states].any():
            return np.zeros((len(self.candidates), len(self.members)), np.int64)
        parts = [self._counted(np.isnan(found.of(role))) for _, found in self.outcomes.parts(self.candidates)]
        return np.concatenate(parts)

    def require_scores(
        self, rows: Sequence[int] | None = None, groups: Sequence[int] | None = None, roles: tuple[Role, ...] = BOTH
    ) -> None:
        """Refuses some candidates in some groups, or all, where one has no score at a calibration state."""
        for role in roles:
            if (pair := self._worst_pair(self.absent[role], rows, groups)) is not None:
                (name, group), states = self._named(pair), int(self.absent[role][pair])
                raise UnscoredError(f"{name} cannot be scored at {states} calibration states of {group}")

    def require_range(self, rows: Sequence[int] | None = None, groups: Sequence[int] | None = None) -> None:
        """Refuses candidates in groups where a utility lies outside the declared range."""
        if (pair := self._worst_pair(self.outside, rows, groups)) is not None:
            name, group = self._named(pair)
            raise VoidError(f"a utility of {name} in {group} lies outside the utility range")

    def _worst_pair(
        self, counts: Index, rows: Sequence[int] | None, groups: Sequence[int] | None
    ) -> tuple[int, int] | None:
        """The candidate and group with the largest count, among some; None where all are zero."""
        if not counts.any():
            return None
        chosen = np.zeros(counts.shape, np.bool_)
        limits = zip(counts.shape, (rows, groups), strict=True)
        chosen[np.ix_(*(range(size) if some is None else some for size, some in limits))] = True
        found = np.where(chosen, counts, 0)
        if not found.any():
            return None
        row, group = np.unravel_index(found.argmax(), found.shape)
        return int(row), int(group)

    def _named(self, pair: tuple[int, int]) -> tuple[str, str]:
        return self.study.candidates[self.candidates[pair[0]]].name, self.partition.groups[pair[1]]

    @cached_property
    def risk_shares(self) -> Shares:
        return shares_of(self.study, self.partition, self.setting, "risk")

    @cached_property
    def utility_shares(self) -> Shares:
        return shares_of(self.study, self.partition, self.setting, "utility")

    @cached_property
    def upper(self) -> Matrix:
        """U by candidate and group."""
        return self.risk_shares.risk_upper(self.crossings, self.counts)

    @cached_property
    def budgets(self) -> list[Fraction | None]:
        """epsilon_h of every group; None where neither its leaf nor the protocol declares one."""
        stated = self.setting.epsilon_groups
        own = dict(self.partition.budgets if stated is None else stated)
        if unknown := own.keys() - set(self.partition.groups):
            raise UndeclaredError(
                f"{self.partition.name} has no group {min(unknown)!r}, which a budget is declared for"
            )
        return [own.get(group, self.setting.epsilon_group) for group in self.partition.groups]

    @cached_property
    def certified(self) -> Mask:
        """Whether U is at most the group's budget, decided exactly."""
        if None in self.budgets:
            raise UndeclaredError("the protocol declares no risk budget of groups")
        return self.within_budgets

    @cached_property
    def within_budgets(self) -> Mask:
        """Whether U is at most the group's budget; groups without a budget admit everything."""
        # U rises with k, so a candidate is certified up to some count that n and its share decide.
        # In a group without a budget any count will do.
        rules = [_most_certified_within(one) if one is not None else lambda states, _: states for one in self.budgets]
        decided: Mask = self.crossings <= self.risk_shares.at_counts(self.counts, rules)
        return decided

    @cached_property
    def utility(self) -> Matrix:
        """Mean utility by candidate and group, in the evaluator's units; NaN for an empty group, or one not scored."""
        with np.errstate(invalid="ignore", over="ignore"):
            # One state after the other: a matrix product would round otherwise on another machine.
            sums = np.zeros((len(self.candidates), len(self.members)))
            for place, found in self.outcomes.parts(self.candidates):
                values = found.utility[:, self.states]
                size = len(values) * len(self.members)
                sums[place] = np.bincount(self._pairs(len(values)).ravel(), values.ravel(), size).reshape(
                    len(values), -1
                )
            means: Matrix = sums / self.counts
        if not np.isfinite(sums[self.absent["utility"] == 0]).all():
            raise Undecided("utilities are too large to be averaged in doubles")
        return means

    @cached_property
    def outside(self) -> Index:
        """How many utilities of each candidate and group lie outside the declared range."""
        low, high = _usable_range(self.setting.utility_range)
        return self._counted(self.outcomes.outside(self.candidates, low, high))

    @cached_property
    def normalized(self) -> Matrix:
        """Mean normalized utility by candidate and group; NaN for an empty group."""
        low, high = _usable_range(self.setting.utility_range)
        return (self.utility - as_double(low)) / as_double(high - low)

    @cached_property
    def lower(self) -> Matrix:
        """L by candidate and group; zero for an empty group. Void where a utility lies outside the range."""
        self.require_range()
        return self.stated_lower

    @cached_property
    def stated_lower(self) -> Matrix:
        """L by candidate and group, whether or not the range holds."""
        # Equation 5; a radius depends on the size of the group and the share alone, and many candidates share both.
        radii = self.utility_shares.at_counts(self.counts, [_radius] * len(self.counts))
        # An empty group has no mean and an infinite radius: its bound is zero.
        lower: Matrix = np.maximum(0.0, np.where(self.counts > 0, self.normalized - radii, 0.0))
        return lower

    # Exact values, for what doubles do not decide

    def exact_mean(self, row: int, group: int) -> Fraction:
        """The mean utility with nothing rounded."""
        # Candidates of scale 0 are one policy: what is summed for one of them serves all.
        key = (twin(self.study, self.candidates[row]), group)
        if key not in self._exact_means:
            members = self.members[group]
            self._exact_means[key] = self.outcomes.exact_utility(key[0], members) / len(members)
        return self._exact_means[key]

    def exact_lower(self, row: int, group: int) -> bounds.Lower:
        """L as an exact object."""
        low, high = _usable_range(self.setting.utility_range)
        if not len(self.members[group]):
            return bounds.Lower(Fraction(0), 0, self.utility_shares.table[row][group])
        normalized = (self.exact_mean(row, group) - low) / (high - low)
        return bounds.Lower(normalized, int(self.counts[group]), self.utility_shares.table[row][group])


@lru_cache
def _usable_range(declared: tuple[Fraction, Fraction] | None) -> tuple[Fraction, Fraction]:
    if declared is None:
        raise UndeclaredError("the protocol declares no utility range")
    low, high = declared
    if low >= high:
        raise UndeclaredError("q_min is not below q_max")
    if not np.isfinite([as_double(low), as_double(high), as_double(high - low)]).all():
        raise UndeclaredError("the utility range is wider than any that can be computed with")
    return low, high


@once
def shares_of(study: Study, partition: FrozenPartition, setting: Setting, kind: Literal["risk", "utility"]) -> Shares:
    """The shares of one kind: as the named allocation has them, equal where not everything competes, or as frozen."""
    zeta, allocation = setting.zeta_risk if kind == "risk" else setting.zeta_util, setting.allocation
    if zeta is None:
        raise UndeclaredError(f"the protocol declares no failure probability for {kind} bounds")
    if not 0 < zeta < 1:
        raise UndeclaredError(f"the failure probability of {kind} bounds does not lie between 0 and 1")
    candidates, groups = study.bank.competing(setting.families, setting.scales), range(len(partition.groups))
    if allocation is not None:
        weights = _weighed(study, partition, candidates, allocation, kind)
        return Shares([[zeta * weight for weight in row] for row in weights])
    # Frozen shares are those of the whole bank; where fewer compete, what the others had is shared again, alike.
    if setting.families is not None or setting.scales is not None:
        return Shares([[zeta / (len(candidates) * len(groups))] * len(groups)] * len(candidates))

    # Section 3.4: positive shares that sum to at most one make the bounds of all pairs hold together.
    def weight(candidate: int, group: int) -> Fraction:
        allocated = partition.shares.get((candidate, group, kind))
        if allocated is None or not 0 < allocated <= 1:
            name = study.candidates[candidate].name
            raise UndeclaredError(f"{partition.name} allocates no {kind} share to {name} in {partition.groups[group]}")
        return allocated

    return Shares([[zeta * weight(candidate, group) for group in groups] for candidate in candidates])


def _weighed(
    study: Study, partition: FrozenPartition, candidates: list[int], allocation: str, kind: Literal["risk", "utility"]
) -> list[list[Fraction]]:
    """The shares that a declared allocation gives every pair: products of weights, normalized over what competes."""
    if allocation not in study.declared.allocations:
        raise UndeclaredError(f"the protocol declares no allocation {allocation!r}")
    rule: Weights = getattr(study.declared.allocations[allocation], kind)
    try:
        scales = None if rule.scales is None else {str(exact(scale)): weight for scale, weight in rule.scales.items()}
    except ValueError:
        raise UndeclaredError(f"the allocation {allocation!r} weighs something that is no scale") from None

    def factor(weights: Mapping[str, str] | None, key: str) -> Fraction:
        text = "1" if weights is None else weights.get(key)
        if text is None or exact(text) <= 0:
            raise UndeclaredError(f"the allocation {allocation!r} gives {key} no positive {kind} weight")
        return exact(text)

    bank = [study.candidates[place] for place in candidates]
    of_groups = [factor(rule.groups, group) for group in partition.groups]
    of_bank = [
        factor(scales, str(candidate.exact_scale or 0)) * factor(rule.families, candidate.family or "")
        for candidate in bank
    ]
    table = [[of_candidate * of_group for of_group in of_groups] for of_candidate in of_bank]
    unit = exact(rule.total or "1") / sum(map(sum, table), Fraction(0))
    return [[weight * unit for weight in row] for row in table]


@cache
def _most_certified_within(budget: Fraction) -> Callable[[int, Fraction], float]:
    """The largest count whose risk bound is within the budget, decided exactly; -1 where none is."""

    @lru_cache(maxsize=65536)
    def most_certified(states: int, share: Fraction) -> int:
        # Bisection: the bound rises with the count, so that counts within the budget come before all others.
        low, high = -1, states + 1
        while high - low > 1:
            middle = (low + high) // 2
            if middle <= states and bounds.risk_at_most(middle, states, share, budget):
                low = middle
            else:
                high = middle
        return low

    return most_certified


_radius = lru_cache(maxsize=65536)(bounds.utility_radius)
