"""What each declared rule takes on the calibration states: a map from groups to candidates.

Certificates come from `calibration`, recomputed; selection and map records are never read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, cmp_to_key, lru_cache

import numpy as np

from sealtrace.bundle.frames import Index, Mask, Matrix, Vector
from sealtrace.contract.scalars import exact
from sealtrace.mathematics import bounds
from sealtrace.mathematics.exact import Undecided, as_double, mean
from sealtrace.studies.policies.evidence.bank import Verdict
from sealtrace.studies.policies.evidence.calibration import Calibration, Setting, UndeclaredError
from sealtrace.studies.policies.evidence.outcomes import NEAR, UnscoredError, divergences, outcomes_of, twin
from sealtrace.studies.policies.evidence.partitions import FrozenPartition, frozen_partitions
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics.maps.comparison import settled
from sealtrace.studies.policies.mathematics.maps.instance import Instance, least_mean
from sealtrace.studies.policies.mathematics.maps.proof import Refuted, Solution, describe
from sealtrace.studies.policies.mathematics.maps.recheck import recheck
from sealtrace.studies.policies.mathematics.maps.search import best_map
from sealtrace.studies.policies.mathematics.scores import ScaleChoice, empirical_zero
from sealtrace.studies.policies.records.certification import Selector

BITS = 256
"""The precision of bounds where doubles do not decide."""
SLACK = Fraction(1, 2 ** (BITS - 16))
"""Bounds that differ by less than this are not told apart by their approximations."""
_upper_ball = lru_cache(maxsize=65536)(bounds.risk_upper_ball)


@dataclass(frozen=True)
class Chosen:
    """What a rule takes: a map from groups to candidates."""

    calibration: Calibration
    rule: str
    assigned: tuple[int | None, ...]
    """The candidate of each group; None is the anchor."""
    fell_back: tuple[bool, ...]
    """Groups in which nothing may be chosen."""
    radius: Fraction
    reason: str
    """Why nothing better exists."""
    solution: Solution | None = None
    """What the search for a robust map found, with its proof."""
    unknown: tuple[tuple[int, str], ...] = ()
    """Groups in which nothing can be said, and why: a candidate has no score there."""

    def require_known(self) -> None:
        """Refuses a map that lacks the candidate of some group."""
        for _, reason in self.unknown:
            raise UnscoredError(reason)

    @property
    def partition(self) -> FrozenPartition:
        return self.calibration.partition

    @property
    def deployed(self) -> list[tuple[str, str, Verdict]]:
        """Group by group, of those that are known: the candidate, or the anchor, and what the rule gave."""
        study = self.calibration.study
        names = [study.bank.anchor_name if place is None else study.candidates[place].name for place in self.assigned]
        unknown = dict(self.unknown)
        return [
            (group, name, "no-certified-candidate" if fell_back else "selected")
            for place, (group, name, fell_back) in enumerate(
                zip(self.partition.groups, names, self.fell_back, strict=True)
            )
            if place not in unknown
        ]

    @property
    def certified(self) -> bool:
        """Whether the repeat or study counts as certified, as the protocol declares."""
        self.require_known()
        study = self.calibration.study
        when = study.declared.certification and study.declared.certification.certified_when
        if when == "every-group-moves":
            return all(place is not None and (study.candidates[place].exact_scale or 0) > 0 for place in self.assigned)
        return not all(self.fell_back) if when == "any-group" else not any(self.fell_back)

    @cached_property
    def doubt(self) -> str | None:
        """Why the proof of a searched map does not hold, checked exactly and without the search; None where it does."""
        if self.solution is not None:
            try:
                recheck(self.solution.instance, self.solution)
            except (Refuted, Undecided) as error:
                return str(error)
        return None

    @property
    def admitted(self) -> Mask:
        """Which candidates the rule may take, by candidate and group."""
        return self.calibration.certified if self.solution is None else self.solution.instance.admissible[:, 1:].T

    @property
    def certifies(self) -> tuple[str, ...]:
        """Which bounds the rule states for its map."""
        return RULES[self.rule].states

    def risk_upper(self, radius: Fraction | None = None) -> float:
        """The map's one risk bound: the largest mixture of U."""
        self.calibration.require_scores(*self._pairs(), ("risk",))
        return self._worst(self.calibration.upper, radius, sign=-1)

    def utility_lower(self, radius: Fraction | None = None) -> float:
        """The map's one utility bound: the smallest mixture of L."""
        self.calibration.require_scores(*self._pairs(), ("utility",))
        self.calibration.require_range(*self._pairs())
        return self._worst(self.calibration.stated_lower, radius, sign=1)

    def bound(self, kind: str) -> float | None:
        """The map's one bound of a kind; None where its rule states none."""
        if kind not in self.certifies:
            return None
        return self.risk_upper() if kind == "risk" else self.utility_lower()

    @cached_property
    def _rows(self) -> list[int | None]:
        """The row of each group's candidate in tables of bounds; None where the bounds of a fallback are known."""
        self.require_known()
        if self.rule == "anchor":
            # The scale-0 candidate is the anchor bit for bit, and has sampled bounds.
            return [_scale_zero(self.calibration)] * len(self.assigned)
        competing = self.calibration.candidates
        return [None if place is None else competing.index(place) for place in self.assigned]

    def _pairs(self) -> tuple[list[int], list[int]]:
        """The candidates and the groups whose bounds the map's bounds are made of."""
        pairs = [(row, group) for group, row in enumerate(self._rows) if row is not None]
        return [row for row, _ in pairs], [group for _, group in pairs]

    def _worst(self, table: Matrix, radius: Fraction | None, sign: int) -> float:
        """The worst mixture of the map's entries in a table of bounds."""
        rows = self._rows
        values = [Fraction(0 if row is None else float(table[row, group])) for group, row in enumerate(rows)]
        counts = self.calibration.counts.tolist()
        if not sum(counts):
            raise UndeclaredError("there are no calibration states")
        moved = min((self.radius if radius is None else radius) / 2, Fraction(1))
        return float(least_mean(values, counts, moved, sign))


def same_bound(name: str, due: float | None, stated: float | None, tolerance: float) -> bool:
    """Whether a record states the bound that is due; a utility bound is as exact as numbers around one are."""
    if due is None or stated is None:
        return due is stated
    return abs(due - stated) <= tolerance * max(abs(due), 1.0 if name.startswith("utility") else 0.0)


def _scale_zero(calibration: Calibration) -> int | None:
    """The first competing tilt of scale 0; None where the anchor is a fallback only, with bounds that are known."""
    bank = [calibration.study.candidates[place] for place in calibration.candidates]
    zeros = (row for row, candidate in enumerate(bank) if candidate.policy == "tilt" and candidate.exact_scale == 0)
    return next(zeros, None)


def selector_named(study: Study, name: str) -> Selector:
    """A declared selector."""
    for selector in study.declared.selectors:
        if selector.name == name:
            return selector
    raise UndeclaredError(f"the protocol declares no selector {name!r}")


def partition_of(study: Study, selector: Selector, setting: Setting) -> FrozenPartition:
    """The partition in whose groups a selector's candidates compete."""
    name = setting.partition or selector.partition
    if name is None:
        raise UndeclaredError(f"the selector {selector.name} names no partition")
    return partition_named(study, name)


def partition_named(study: Study, name: str) -> FrozenPartition:
    """A frozen partition."""
    known = frozen_partitions(study.states)
    if name not in known:
        raise UndeclaredError(f"the bundle has no partition {name!r}")
    return known[name]


def choose(study: Study, selector: Selector, setting: Setting, states: Index) -> Chosen:
    """What a selector takes on some calibration states."""
    if setting.allocation is None and selector.allocation is not None:
        setting = replace(setting, allocation=selector.allocation)
    calibration = Calibration(study, setting, partition_of(study, selector, setting), states)
    rule = selector.rule
    # Other rules choose at the calibration mixture, and state their bounds there unless they declare a radius.
    radius = Fraction(0) if rule != "robust" else (setting.rho or Fraction(0))
    if selector.radius is not None:
        radius = exact(selector.radius)
    if not 0 <= radius <= 2:
        raise UndeclaredError("the radius of the mixture set does not lie between 0 and 2")
    groups = range(len(calibration.members))
    if rule == "robust":
        return _robust(calibration, radius, within_groups=selector.group_budgets is not False)
    unknown: list[tuple[int, str]] = []

    def taken(group: int) -> Taken:
        try:
            if RULES[rule].scored:
                calibration.require_scores(groups=[group])
            return RULES[rule].take(calibration, selector, group)
        except UnscoredError as error:
            unknown.append((group, str(error)))
            return None

    rows = [taken(group) for group in groups]
    return Chosen(
        calibration=calibration,
        rule=rule,
        assigned=tuple(None if row is None else calibration.candidates[row] for row in rows),
        fell_back=tuple(row is None and rule != "anchor" for row in rows),
        radius=radius,
        reason=RULES[rule].reason,
        unknown=tuple(unknown),
    )


Taken = int | None
"""The row of the candidate that a rule takes in a group; None for the anchor."""


def _take_fixed(calibration: Calibration, selector: Selector, _: int) -> Taken:
    candidate = calibration.study.bank.candidate_at(selector.arm, selector.scale)
    if candidate not in calibration.candidates:
        raise UndeclaredError(f"{selector.arm}@{selector.scale} is no competing candidate")
    return calibration.candidates.index(candidate)


def _take_empirical_zero(calibration: Calibration, selector: Selector, group: int) -> Taken:
    bank = calibration.study.candidates
    rows = {
        exact(bank[candidate].scale or "0"): row
        for row, candidate in enumerate(calibration.candidates)
        if bank[candidate].arm == selector.arm
    }
    taken = empirical_zero(list(rows), calibration.crossings[list(rows.values()), group].tolist()).chosen
    return None if taken is None else rows[taken]


@dataclass(frozen=True)
class CountedScales:
    """The crossings of one arm at every scale of the grid over some states."""

    study: Study
    candidates: list[int]
    crossings: list[int]
    absent: list[int]
    """At how many of the states each candidate has no score."""
    states: int

    def require_scores(self) -> None:
        """Refuses states at which a candidate has no score."""
        for place, absent in zip(self.candidates, self.absent, strict=True):
            if absent:
                name = self.study.candidates[place].name
                raise UnscoredError(f"{name} cannot be scored at {absent} calibration states")

    @cached_property
    def choice(self) -> ScaleChoice:
        """What empirical-zero takes."""
        self.require_scores()
        return empirical_zero(list(map(exact, self.study.declared.scale_grid)), self.crossings)


def count_scales(study: Study, arm: str | None, states: Index, setting: Setting) -> CountedScales:
    """Counts every scale of the protocol's grid, where the bank has the arm at each of them."""
    if not study.declared.scale_grid:
        raise UndeclaredError("the grid of scales is empty")
    if not len(states):
        raise UnscoredError("there are no calibration states")
    candidates = []
    for text in study.declared.scale_grid:
        if (place := study.bank.candidate_at(arm, text)) is None:
            raise UndeclaredError(f"the bank has no {arm}@{text}")
        candidates.append(place)
    outcomes = outcomes_of(study, setting.utility, setting.risk, setting.tau)
    crossings, scored = outcomes.counted(candidates, states)
    return CountedScales(study, candidates, crossings, [len(states) - count for count in scored], len(states))


def _take_by_mean(calibration: Calibration, group: int, admissible: Mask) -> Taken:
    """The largest mean utility among admissible candidates; the earliest among equals."""
    if not calibration.counts[group] or not admissible.any():
        return None
    values = calibration.utility[:, group]

    def compare(row: int, other: int) -> int:
        if _twins(calibration, row, other):
            return 0
        difference = calibration.exact_mean(row, group) - calibration.exact_mean(other, group)
        return (difference > 0) - (difference < 0)

    return _largest(values, admissible, compare)


def _twins(calibration: Calibration, *rows: int) -> bool:
    """Whether rows are the same policy, so that nothing needs to be compared."""
    return len({twin(calibration.study, calibration.candidates[row]) for row in rows}) == 1


def _largest(values: Vector, admissible: Mask, compare: Callable[[int, int], int]) -> int:
    """The earliest of the largest admissible values; those too near to tell apart are compared exactly."""
    rows = np.flatnonzero(admissible)
    best = values[rows].max()
    # Section 3.4: ties go to the smaller scale, then to the lower family index; whether two tie is decided exactly.
    near: list[int] = rows[values[rows] >= best - NEAR * max(1.0, abs(best))].tolist()
    # max keeps the first of equals, and rows come in the order of the tie rule.
    return near[0] if len(near) == 1 else max(near, key=cmp_to_key(compare))


def _take_mean_strong(calibration: Calibration, selector: Selector, group: int) -> Taken:
    limit = -_limit(selector)
    members = calibration.members[group]
    admissible = np.zeros(len(calibration.candidates), np.bool_)
    if len(members):
        for row, candidate in enumerate(calibration.candidates):
            delta = mean(calibration.outcomes.of(candidate).delta[members])
            admissible[row] = delta >= as_double(limit)
            # Beside the limit the stored doubles are summed with nothing rounded.
            if abs(delta - as_double(limit)) <= NEAR:
                admissible[row] = calibration.outcomes.exact_delta(candidate, members) / len(members) >= limit
    return _take_by_mean(calibration, group, admissible)


def _take_kl_budget(calibration: Calibration, selector: Selector, group: int) -> Taken:
    limit, clip = as_double(_limit(selector)), as_double(exact(selector.clip or "0"))
    members = calibration.members[group]
    admissible = np.zeros(len(calibration.candidates), np.bool_)
    if len(members):
        for row, candidate in enumerate(calibration.candidates):
            divergence = mean(divergences(calibration.study, candidate, clip)[members])
            if not np.isfinite(divergence):
                raise UnscoredError(f"{calibration.study.candidates[candidate].name} has no finite teacher KL")
            # A sum of logarithms has no exact value to fall back on, as a mean utility has.
            if abs(divergence - limit) <= NEAR:
                raise Undecided("a mean teacher KL lies too near to the declared limit")
            admissible[row] = divergence < limit
    return _take_by_mean(calibration, group, admissible)


def _limit(selector: Selector) -> Fraction:
    if selector.limit is None:
        raise UndeclaredError(f"the selector {selector.name} declares no limit")
    return exact(selector.limit)


def _take_dual(calibration: Calibration, _: Selector, group: int) -> Taken:
    admissible = calibration.certified[:, group]
    if not admissible.any():
        return None

    def compare(row: int, other: int) -> int:
        shares = calibration.utility_shares.table
        if shares[row][group] == shares[other][group] and _twins(calibration, row, other):
            return 0
        return bounds.compare_lower(calibration.exact_lower(row, group), calibration.exact_lower(other, group))

    calibration.require_range(groups=[group])
    return _largest(calibration.stated_lower[:, group], admissible, compare)


@dataclass(frozen=True)
class SelectionRule:
    """How a selection rule chooses in a group."""

    take: Callable[[Calibration, Selector, int], Taken]
    reason: str
    """Why nothing better exists."""
    states: tuple[str, ...] = ()
    """The bounds that it states for its map."""
    needs: tuple[str, ...] = ("partition",)
    """What a selector of the rule must declare."""
    certified: tuple[str, ...] = ()
    """The bounds that it decides by."""
    scored: bool = True
    """Whether what it takes depends on calibration scores."""


_BOTH = ("risk", "utility")
_LARGER_MEAN = "no candidate within the limit has a larger mean utility"
RULES = {
    "anchor": SelectionRule(lambda *_: None, "the rule always takes the anchor", _BOTH, scored=False),
    "fixed": SelectionRule(
        _take_fixed, "the rule names its candidate", needs=("partition", "arm", "scale"), scored=False
    ),
    "empirical-zero": SelectionRule(_take_empirical_zero, "no larger scale is without a crossing", ("risk",), ("arm",)),
    "mean-strong": SelectionRule(_take_mean_strong, _LARGER_MEAN, needs=("partition", "limit")),
    "kl-budget": SelectionRule(_take_kl_budget, _LARGER_MEAN, needs=("partition", "limit", "clip")),
    "risk-only": SelectionRule(
        lambda calibration, _, group: _take_by_mean(calibration, group, calibration.certified[:, group]),
        "no certified candidate of a group has a larger mean utility",
        ("risk",),
        certified=("risk",),
    ),
    "dual": SelectionRule(
        _take_dual, "no certified candidate of a group has a larger utility bound", _BOTH, certified=_BOTH
    ),
    # What it takes in a group depends on the others: `_robust` searches for the whole map.
    "robust": SelectionRule(lambda *_: None, "no map is better", _BOTH, certified=_BOTH),
}


def map_instance(calibration: Calibration, radius: Fraction, *, within_groups: bool = True) -> Instance:
    """The map problem of a calibration: the anchor first, then candidates in the order of the tie rule."""
    calibration.require_scores()
    shape = (len(calibration.members), len(calibration.candidates) + 1)
    # Section 3.5: the anchor comes first, with bounds that are known instead of sampled.
    upper, lower = np.zeros(shape), np.zeros(shape)
    admissible = np.ones(shape, np.bool_)
    upper[:, 1:], lower[:, 1:] = calibration.upper.T, calibration.lower.T
    if within_groups:
        admissible[:, 1:] = calibration.within_budgets.T

    def exact_upper(group: int, option: int) -> Fraction:
        if option == 0:
            return Fraction(0)
        share = calibration.risk_shares.table[option - 1][group]
        return _upper_ball(int(calibration.crossings[option - 1, group]), int(calibration.counts[group]), share, BITS)

    def exact_lower(group: int, option: int) -> Fraction:
        return Fraction(0) if option == 0 else bounds.lower_value(calibration.exact_lower(option - 1, group), BITS)

    return Instance(
        tuple(calibration.counts.tolist()),
        upper,
        lower,
        admissible,
        exact_upper,
        exact_lower,
        calibration.setting.epsilon_global,
        radius,
        SLACK,
    )


MOST_GROUPS = 256
"""The search for a map takes time and room that grow with the cube of its groups."""


def _robust(calibration: Calibration, radius: Fraction, *, within_groups: bool) -> Chosen:
    if calibration.setting.rho is None:
        raise UndeclaredError("the protocol declares no radius of the mixture set")
    if calibration.setting.epsilon_global is not None and calibration.setting.epsilon_global < 0:
        raise UndeclaredError("the risk budget of the mixture is negative")
    if len(calibration.members) > MOST_GROUPS:
        raise Undecided(f"a map of more than {MOST_GROUPS} groups is not searched for")
    instance = map_instance(calibration, radius, within_groups=within_groups)
    solution = best_map(instance)
    if calibration.study.declared.ties.map == "nominal-utility":
        solution = settled(instance, solution)
    return Chosen(
        calibration=calibration,
        rule="robust",
        assigned=tuple(None if option == 0 else calibration.candidates[option - 1] for option in solution.choice),
        # Where options are left and the search still takes the anchor, that is a choice and no fallback.
        fell_back=tuple(not row[1:].any() for row in instance.admissible),
        radius=radius,
        reason=describe(solution.proof),
        solution=solution,
    )
