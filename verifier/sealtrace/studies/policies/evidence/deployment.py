"""A frozen map at work: what its policy reaches on a population, and over repeated splits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from random import Random

import numpy as np

from sealtrace.bundle.frames import Index, Mask, Vector
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics import resampling
from sealtrace.mathematics.exact import mean
from sealtrace.studies.policies.evidence.calibration import Setting, UndeclaredError, declared_setting
from sealtrace.studies.policies.evidence.choice import Chosen, choose, selector_named
from sealtrace.studies.policies.evidence.outcomes import (
    BOTH,
    Reached,
    Role,
    UnscoredError,
    in_order,
    outcomes_of,
    states_of,
)
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.protocol import Resampling


@dataclass(frozen=True)
class Deployed:
    """The policy of a map at every state of a population."""

    states: Index
    groups: Index
    candidates: Index
    """The candidate that decides at each state."""
    utility: Vector
    delta: Vector
    crossed: Mask

    def require(self, *roles: Role) -> None:
        """Refuses states at which one of some evaluators gives no score."""
        numbers = [self.utility if role == "utility" else self.delta for role in roles]
        if absent := int(np.isnan(numbers).any(axis=0).sum()):
            raise UnscoredError(f"{absent} states have no trace, no anchor or no action values")

    @property
    def worst_group_rate(self) -> Fraction:
        """The largest share of crossings over the groups that have states here."""
        # Each count ends with the last group that has one, so that those of crossings may be shorter.
        states, crossings = np.bincount(self.groups).tolist(), np.bincount(self.groups[self.crossed]).tolist()
        return max(Fraction(int(k), int(n)) for k, n in zip_longest(crossings, states, fillvalue=0) if n)


def deciding(chosen: Chosen) -> list[int]:
    """The candidate that decides in each group; the bank's anchor where nothing was chosen."""
    chosen.require_known()
    anchor = chosen.calibration.study.bank.anchor
    if anchor is None and None in chosen.assigned:
        raise UndeclaredError("the bank has no anchor to fall back to")
    return [anchor if place is None else place for place in chosen.assigned]  # type: ignore[misc]


def deployed_candidates(chosen: Chosen, states: Index) -> tuple[Index, Index]:
    """The group of each state, and the candidate that its map assigns there."""
    groups = chosen.partition.group_of[states]
    if (groups < 0).any():
        raise UndeclaredError(f"{int((groups < 0).sum())} states lie in no single group of {chosen.partition.name}")
    return groups, np.array(deciding(chosen), np.int64)[groups]


def deploy(chosen: Chosen, states: Index, utility: str, risk: str) -> Deployed:
    """The map's policy on some states, under evaluators that may be others than those it was chosen with."""
    study = chosen.calibration.study
    groups, candidates = deployed_candidates(chosen, states)
    competing = [*chosen.calibration.candidates, *([] if study.bank.anchor is None else [study.bank.anchor])]
    # Backwards, so that of an anchor that competes as well the first place stands.
    place_of = {candidate: place for place, candidate in reversed([*enumerate(competing)])}
    places = np.array([place_of[candidate] for candidate in deciding(chosen)], np.int64)[groups]
    reached = Reached.nothing(len(states))
    for some, found in outcomes_of(study, utility, risk, chosen.calibration.setting.tau).parts(competing):
        inside = np.flatnonzero((places >= some.start) & (places < some.stop))
        for values, table in zip(reached, found, strict=True):
            values[inside] = table[places[inside] - some.start, states[inside]]
    if not len(states):
        raise UnscoredError("no state has a trace, an anchor and action values")
    return Deployed(states, groups, candidates, *reached)


def calibration_split(study: Study) -> str:
    """The one split that calibrates."""
    splits = study.bank.splits_of("calibration")
    if len(splits) != 1:
        raise UndeclaredError(f"the protocol declares {len(splits)} calibration splits")
    return splits[0]


@once
def chosen_by(study: Study, selector: str, setting: Setting) -> Chosen:
    """What a declared selector takes on the calibration split."""
    states = states_of(study, calibration_split(study))
    if not len(states):
        raise UnscoredError("there are no calibration states")
    return choose(study, selector_named(study, selector), setting, states)


@dataclass(frozen=True)
class Repeat:
    """One repeated split: what was chosen on its calibration states, and what that reached on the held-out ones."""

    certified: bool
    scale: Fraction | None
    """The chosen scale of a map with one group; the anchor counts as scale 0."""
    risk_upper: float | None
    largest_risk: float | None
    """The largest U of the map's groups."""
    utility_lower: float | None
    held_out: int
    crossings: int
    utility: float
    worst_group_rate: Fraction
    assigned: tuple[int | None, ...]
    """The candidate of each group; None for the anchor."""

    @property
    def rate(self) -> Fraction:
        """The held-out share of crossings."""
        return Fraction(self.crossings, self.held_out)


def resampling_of(study: Study) -> Resampling:
    """The declaration of repeated splits."""
    if study.declared.resampling is None:
        raise UndeclaredError("the protocol declares no repeated splits")
    return study.declared.resampling


@once
def repeated_splits(study: Study, calibration: int | None) -> list[tuple[Index, Index]]:
    """The calibration and held-out states of every repeat: blocks of the pool, or as the declared seed gives them."""
    declared, pool = resampling_of(study), _pool(study)
    sizes = [declared.calibration if calibration is None else calibration, declared.held_out]
    room = {
        "python-random": len(pool) - declared.held_out,
        "python-randrange": MOST_DRAWS // declared.repeats - declared.held_out,
        "blocks": declared.calibration,
    }[declared.generator]
    if not len(pool) or not 0 < sizes[0] <= room or not sizes[1]:
        raise UndeclaredError(f"{sizes[0]} and {sizes[1]} states cannot be dealt from a pool of {len(pool)}")
    if declared.generator == "blocks":
        whole = declared.calibration + declared.held_out
        if len(pool) != declared.repeats * whole:
            raise UndeclaredError(f"{declared.repeats} blocks of {whole} states are not a pool of {len(pool)}")
        # A variant that calibrates on fewer states is judged on the same held-out ones.
        return [(block[: sizes[0]], block[declared.calibration :]) for block in pool.reshape(-1, whole)]
    if declared.generator == "python-randrange":
        dealt = [_drawn(seed, len(pool), sizes) for seed in _seeds(declared)]
    else:
        dealt = [resampling.deal(order, sizes) for order in _orders(study)]
    return [(pool[calibrating], pool[held_out]) for calibrating, held_out in dealt]


@once
def _pool(study: Study) -> Index:
    """The states that repeated splits deal or draw, in order of their ids."""
    declared = resampling_of(study)
    if not 0 < declared.repeats <= MOST_REPEATS:
        raise UndeclaredError(f"repeated splits number from 1 to {MOST_REPEATS}")
    return in_order(study, np.concatenate([states_of(study, name) for name in declared.pool]))


def _seeds(declared: Resampling) -> range:
    if declared.seed is None:
        raise UndeclaredError("repeated splits need a seed, unless they are blocks")
    return range(declared.seed, declared.seed + declared.repeats)


def _drawn(seed: int, size: int, sizes: list[int]) -> list[Index]:
    """Places of a pool by independent draws, in which a place may come up again."""
    # One stream for both, the calibration states first: the order is part of what the seed declares.
    drawing = Random(seed)
    return [np.array([drawing.randrange(size) for _ in range(wanted)], np.int64) for wanted in sizes]


@once
def _orders(study: Study) -> list[Index]:
    """The order of the pool's states in every repeat."""
    declared, pool = resampling_of(study), _pool(study)
    strata = [study.states.feature(name)[pool] for name in declared.strata or ()]
    if any(np.isnan(stratum).any() for stratum in strata):
        raise UndeclaredError("a stratum cannot be computed at every state of the pool")
    return [resampling.stratified_order(seed, strata, len(pool)) for seed in _seeds(declared)]


MOST_DRAWS = 5_000_000
MOST_REPEATS = 2_000
"""More would take hours and tell little."""


@once
def repeats_of(study: Study, selector: str, setting: Setting) -> list[Repeat]:
    """What a selector does over all repeated splits."""
    declared = selector_named(study, selector)
    splits = repeated_splits(study, setting.calibration)
    found = []
    for number, (calibrating, held_out) in enumerate(splits, 1):
        found.append(_repeat(choose(study, declared, setting, calibrating), held_out))
        study.evidence.progress("repeated splits", number, len(splits))
    return found


def _repeat(chosen: Chosen, held_out: Index) -> Repeat:
    setting = chosen.calibration.setting
    reached = deploy(chosen, held_out, setting.utility, setting.risk)
    reached.require(*BOTH)
    return Repeat(
        certified=chosen.certified,
        scale=scale_of(chosen),
        risk_upper=chosen.bound("risk"),
        largest_risk=chosen.risk_upper(Fraction(2)) if "risk" in chosen.certifies else None,
        utility_lower=chosen.bound("utility"),
        held_out=len(held_out),
        crossings=int(reached.crossed.sum()),
        utility=mean(reached.utility),
        worst_group_rate=reached.worst_group_rate,
        assigned=tuple(chosen.assigned),
    )


def scale_of(chosen: Chosen) -> Fraction | None:
    """The scale of a map with one group; None for other maps."""
    chosen.require_known()
    if len(chosen.assigned) != 1:
        return None
    candidate = chosen.assigned[0]
    return Fraction(0) if candidate is None else exact(chosen.calibration.study.candidates[candidate].scale or "0")


def map_name(chosen: Chosen) -> str:
    """A map as people write it: its candidates in the order of groups."""
    chosen.require_known()
    bank = chosen.calibration.study.candidates
    return " / ".join("anchor" if place is None else bank[place].name for place in chosen.assigned)


def variant_setting(study: Study, name: str | None) -> Setting:
    """The setting of a declared variant, or the declared operating point."""
    if name is None:
        return declared_setting(study)
    variant = study.declared.variants.get(name)
    if variant is None:
        raise UndeclaredError(f"the protocol declares no variant {name!r}")
    known = {candidate.family for candidate in study.candidates}
    if unknown := [family for family in variant.families or [] if family not in known]:
        raise UndeclaredError(f"the bank has no family {unknown[0]!r}, which the variant {name!r} lets compete")
    return declared_setting(study, variant)
