"""Certificates, recomputed: what the calibration states allow.

Reads distributions, action values, the bank, the frozen partitions and the protocol; never a certificate,
a selection or a map record: those are what was reported.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Literal

import numpy as np

from sealtrace.evidence import once
from sealtrace.mathematics import bounds
from sealtrace.mathematics.exact import Undecided, as_double
from sealtrace.studies.policies.evidence.frame import Index, Mask, Matrix
from sealtrace.studies.policies.evidence.outcomes import Outcomes, UnscoredError, outcomes_of, twin
from sealtrace.studies.policies.evidence.partitions import Partition
from sealtrace.studies.policies.evidence.settings import Setting, competing
from sealtrace.studies.policies.evidence.study import Study


class UndeclaredError(Exception):
    """The protocol, the partition or the rule lacks what the computation needs."""


class VoidError(Exception):
    """A utility lies outside the declared range, so the utility bounds that it enters mean nothing."""


class Shares:
    """zeta w by candidate and group: the failure probability that each bound may have."""

    def __init__(self, table: list[list[Fraction]]) -> None:
        self.table = table
        places: dict[Fraction, int] = {}
        self._places = [places.setdefault(share, len(places)) for row in table for share in row]
        self._distinct = list(places)
        self._upper: dict[tuple[int, int, int], float] = {}
        self._columns: dict[tuple[Callable[[int, Fraction], float], int, int], list[float]] = {}

    def at_counts(self, counts: Index, compute: Callable[[int, Fraction], float]) -> Matrix:
        """What depends on n and the share alone, by candidate and group; computed once for equal numbers."""
        columns = []
        for group, states in enumerate(counts.tolist()):
            key = (compute, group, states)
            if key not in self._columns:
                self._columns[key] = [compute(states, row[group]) for row in self.table]
            columns.append(self._columns[key])
        return np.array(columns, np.float64).T

    def risk_upper(self, crossings: Index, counts: Index) -> Matrix:
        """U by candidate and group; repeated splits ask for the same counts again and again."""
        keys = list(zip(self._places, crossings.ravel().tolist(), counts.tolist() * len(crossings), strict=True))
        if absent := list({key for key in keys if key not in self._upper}):
            places, events, states = zip(*absent, strict=True)
            shares = [self._distinct[place] for place in places]
            found = bounds.risk_uppers(np.array(events), np.array(states), shares)
            self._upper.update(zip(absent, found.tolist(), strict=True))
        return np.array([self._upper[key] for key in keys]).reshape(crossings.shape)


class Calibration:
    """The certificates of one partition on some calibration states, under one setting."""

    def __init__(self, study: Study, setting: Setting, partition: Partition, states: Index) -> None:
        self.study = study
        self.setting = setting
        self.partition = partition
        self.candidates = competing(study, setting.families)
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

    def _counted(self, happened: Mask) -> Index:
        """How often something happens by candidate and group, of candidates and all states."""
        if not happened.any():
            return np.zeros((len(self.candidates), len(self.members)), np.int64)
        self.study.room("states x groups", len(self._groups), len(self.members))
        inside = (self._groups[:, None] == np.arange(len(self.members))).astype(np.float64)
        # Sums of zeros and ones are exact in doubles.
        counts: Index = (happened[:, self.states].astype(np.float64) @ inside).astype(np.int64)
        return counts

    @cached_property
    def crossings(self) -> Index:
        """k by candidate and group."""
        self.require_scores()
        return self._counted(self.outcomes.stacked(self.candidates).crossed)

    def require_scores(self) -> None:
        """Refuses calibration states at which a candidate has no score."""
        found = self.outcomes.stacked(self.candidates)
        if found.unscored[self.states].any():
            absent = np.isnan(found.utility[:, self.states]).sum(axis=1)
            row = int(absent.argmax())
            name = self.study.candidates[self.candidates[row]].name
            raise UnscoredError(f"{name} cannot be scored at {int(absent[row])} calibration states")

    @cached_property
    def risk_shares(self) -> Shares:
        return shares_of(self.study, self.partition, self.setting.zeta_risk, self.setting.families, "risk")

    @cached_property
    def utility_shares(self) -> Shares:
        return shares_of(self.study, self.partition, self.setting.zeta_util, self.setting.families, "utility")

    @cached_property
    def upper(self) -> Matrix:
        """U by candidate and group."""
        return self.risk_shares.risk_upper(self.crossings, self.counts)

    @cached_property
    def certified(self) -> Mask:
        """Whether U is at most the group's budget, decided exactly."""
        budget = self.setting.epsilon_group
        if budget is None:
            raise UndeclaredError("the protocol declares no risk budget of groups")
        # U rises with k, so a candidate is certified up to some count that n and its share decide.
        most = self.risk_shares.at_counts(self.counts, _most_certified_within(budget))
        decided: Mask = self.crossings <= most
        return decided

    @cached_property
    def utility(self) -> Matrix:
        """Mean utility by candidate and group, in the evaluator's units; NaN for an empty group."""
        self.require_scores()
        with np.errstate(invalid="ignore", over="ignore"):
            # One state after the other: a matrix product would round otherwise on another machine.
            shape = (len(self.candidates), len(self.members))
            pairs = np.arange(shape[0])[:, None] * shape[1] + self._groups
            values = self.outcomes.stacked(self.candidates).utility[:, self.states]
            sums = np.bincount(pairs.ravel(), values.ravel(), shape[0] * shape[1]).reshape(shape)
            means: Matrix = sums / self.counts
        if not np.isfinite(sums).all():
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
        if self.outside.any():
            row, group = np.argwhere(self.outside)[0].tolist()
            name = self.study.candidates[self.candidates[row]].name
            raise VoidError(f"a utility of {name} in {self.partition.groups[group]} lies outside the utility range")
        return self.stated_lower

    @cached_property
    def stated_lower(self) -> Matrix:
        """L by candidate and group, whether or not the range holds."""
        radii = self.utility_shares.at_counts(self.counts, _radius)
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
def shares_of(
    study: Study,
    partition: Partition,
    zeta: Fraction | None,
    families: tuple[str, ...] | None,
    kind: Literal["risk", "utility"],
) -> Shares:
    """The shares of one kind: equal ones where a variant chooses the families, otherwise as the partition allocates."""
    if zeta is None:
        raise UndeclaredError(f"the protocol declares no failure probability for {kind} bounds")
    if not 0 < zeta < 1:
        raise UndeclaredError(f"the failure probability of {kind} bounds does not lie between 0 and 1")
    candidates, groups = competing(study, families), range(len(partition.groups))
    if families is not None:
        return Shares([[zeta / (len(candidates) * len(groups))] * len(groups)] * len(candidates))

    def weight(candidate: int, group: int) -> Fraction:
        share = partition.shares.get((candidate, group))
        allocated: Fraction | None = None if share is None else getattr(share, kind)
        if allocated is None or not 0 < allocated <= 1:
            name = study.candidates[candidate].name
            raise UndeclaredError(f"{partition.name} allocates no {kind} share to {name} in {partition.groups[group]}")
        return allocated

    return Shares([[zeta * weight(candidate, group) for group in groups] for candidate in candidates])


@cache
def _most_certified_within(budget: Fraction) -> Callable[[int, Fraction], float]:
    """The largest count whose risk bound is within the budget, decided exactly; -1 where none is."""

    @lru_cache(maxsize=65536)
    def most_certified(states: int, share: Fraction) -> int:
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
