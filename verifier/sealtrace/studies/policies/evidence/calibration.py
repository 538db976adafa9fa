"""Certificates, recomputed: what the calibration states allow.

Reads distributions, action values, the bank, the frozen partitions and the protocol; never a certificate,
a selection or a map record: those are what was reported.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from sealtrace.studies.policies.evidence.frame import Index, Mask, Matrix
from sealtrace.studies.policies.evidence.outcomes import Outcomes, UnscoredError, outcomes_of, twin
from sealtrace.studies.policies.evidence.partitions import Partition
from sealtrace.studies.policies.evidence.settings import Setting, competing
from sealtrace.studies.policies.evidence.study import Study, as_double
from sealtrace.studies.policies.mathematics import bounds
from sealtrace.studies.policies.mathematics.undecided import Undecided


class UndeclaredError(Exception):
    """The protocol, the partition or the rule lacks what the computation needs."""


class VoidError(Exception):
    """A utility lies outside the declared range, so the utility bounds that it enters mean nothing."""


class Shares:
    """zeta w by candidate and group: the failure probability that each bound may have."""

    def __init__(self, table: list[list[Fraction]]) -> None:
        self.table = table
        self.doubles: Matrix = np.array([[float(share) for share in row] for row in table])
        places: dict[Fraction, int] = {}
        self._place = [[places.setdefault(share, len(places)) for share in row] for row in table]
        self._distinct = list(places)
        self._pairs = {(place, group) for row in self._place for group, place in enumerate(row)}
        self._extreme = [
            (row, group)
            for row, shares in enumerate(table)
            for group, share in enumerate(shares)
            if not _LEAST_SHARE <= share <= _GREATEST_SHARE
        ]

    def at_counts(self, counts: Index, compute: Callable[[int, Fraction], float]) -> Matrix:
        """What depends on n and the share alone, by candidate and group; computed once per pair."""
        by_share = np.zeros((len(self._distinct), len(counts)))
        states: list[int] = counts.tolist()
        for place, group in self._pairs:
            by_share[place, group] = compute(states[group], self._distinct[place])
        table: Matrix = by_share[self._place, np.arange(len(counts))]
        return table

    def risk_upper(self, crossings: Index, counts: Index) -> Matrix:
        """U by candidate and group, also where no double is near a share or its distance from one."""
        ordinary = np.clip(self.doubles, float(_LEAST_SHARE), float(_GREATEST_SHARE))
        upper = bounds.risk_upper(crossings, counts[None, :], ordinary)
        for row, group in self._extreme:
            upper[row, group] = _upper_of(int(crossings[row, group]), int(counts[group]), self.table[row][group])
        return upper


_LEAST_SHARE, _GREATEST_SHARE = Fraction(1, 10**200), Fraction(1, 2)
"""Between these, doubles give risk bounds to the last digits."""


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

    @cached_property
    def _inside(self) -> Matrix:
        """One column per group: 1 where a calibration state belongs to it."""
        inside: Matrix = (self._groups[:, None] == np.arange(len(self.members))).astype(np.float64)
        return inside

    @cached_property
    def crossings(self) -> Index:
        """k by candidate and group."""
        self.require_scores()
        crossed = self.outcomes.stacked(self.candidates).crossed[:, self.states]
        # Sums of zeros and ones are exact in doubles.
        return (crossed.astype(np.float64) @ self._inside).astype(np.int64)

    def require_scores(self) -> None:
        """Refuses calibration states at which a candidate has no score."""
        absent = np.isnan(self.outcomes.stacked(self.candidates).utility[:, self.states]).sum(axis=1)
        if absent.any():
            row = int(absent.argmax())
            name = self.study.candidates[self.candidates[row]].name
            raise UnscoredError(f"{name} cannot be scored at {int(absent[row])} calibration states")

    def _shares(self, kind: str) -> Shares:
        zeta = self.setting.zeta_risk if kind == "risk" else self.setting.zeta_util
        if zeta is None:
            raise UndeclaredError(f"the protocol declares no failure probability for {kind} bounds")
        if not 0 < zeta < 1:
            raise UndeclaredError(f"the failure probability of {kind} bounds does not lie between 0 and 1")
        # Repeated splits ask for the same shares again and again.
        key = f"{kind} shares {self.partition.name!r} {zeta} {self.setting.families}"
        if key not in self.study.memory:
            groups = range(len(self.members))
            if self.setting.families is not None:
                table = [[zeta / (len(self.candidates) * len(groups))] * len(groups)] * len(self.candidates)
            else:
                table = [[zeta * self._weight(kind, one, group) for group in groups] for one in self.candidates]
            self.study.memory[key] = Shares(table)
        shares: Shares = self.study.memory[key]
        return shares

    def _weight(self, kind: str, candidate: int, group: int) -> Fraction:
        entry = self.partition.shares.get((candidate, group))
        weight = None if entry is None else getattr(entry, kind)
        if weight is None or not 0 < weight <= 1:
            name = self.study.candidates[candidate].name
            raise UndeclaredError(
                f"{self.partition.name} allocates no {kind} share to {name} in {self.partition.groups[group]}"
            )
        return Fraction(weight)

    @cached_property
    def risk_shares(self) -> Shares:
        return self._shares("risk")

    @cached_property
    def utility_shares(self) -> Shares:
        return self._shares("utility")

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
        most = self.risk_shares.at_counts(self.counts, lambda n, share: _most_certified(n, share, budget))
        decided: Mask = self.crossings <= most
        return decided

    @cached_property
    def utility(self) -> Matrix:
        """Mean utility by candidate and group, in the evaluator's units; NaN for an empty group."""
        self.require_scores()
        with np.errstate(invalid="ignore", over="ignore"):
            sums = self.outcomes.stacked(self.candidates).utility[:, self.states] @ self._inside
            means: Matrix = sums / self.counts
        if not np.isfinite(sums).all():
            raise Undecided("utilities are too large to be averaged in doubles")
        return means

    @property
    def _range(self) -> tuple[Fraction, Fraction]:
        if self.setting.utility_range is None:
            raise UndeclaredError("the protocol declares no utility range")
        low, high = self.setting.utility_range
        if low >= high:
            raise UndeclaredError("q_min is not below q_max")
        if not np.isfinite([as_double(low), as_double(high), as_double(high - low)]).all():
            raise UndeclaredError("the utility range is wider than any that can be computed with")
        return low, high

    @cached_property
    def outside(self) -> Index:
        """How many utilities of each candidate and group lie outside the declared range."""
        low, high = self._range
        beyond = self.outcomes.outside(self.candidates, low, high)[:, self.states]
        return (beyond.astype(np.float64) @ self._inside).astype(np.int64)

    @cached_property
    def normalized(self) -> Matrix:
        """Mean normalized utility by candidate and group; NaN for an empty group."""
        low, high = self._range
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
        low, high = self._range
        if not len(self.members[group]):
            return bounds.Lower(Fraction(0), 0, self.utility_shares.table[row][group])
        normalized = (self.exact_mean(row, group) - low) / (high - low)
        return bounds.Lower(normalized, int(self.counts[group]), self.utility_shares.table[row][group])


@lru_cache(maxsize=65536)
def _most_certified(states: int, share: Fraction, budget: Fraction) -> int:
    """The largest count whose risk bound is within the budget, decided exactly; -1 where none is."""
    low, high = -1, states + 1
    while high - low > 1:
        middle = (low + high) // 2
        if middle <= states and bounds.risk_at_most(middle, states, share, budget):
            low = middle
        else:
            high = middle
    return low


_radius = lru_cache(maxsize=65536)(bounds.utility_radius)
_upper_of = lru_cache(maxsize=65536)(bounds.risk_upper_of)
