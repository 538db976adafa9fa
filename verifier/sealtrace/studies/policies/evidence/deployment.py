"""A frozen map at work: what its policy reaches on a population, and over repeated splits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sealtrace.contract.scalars import exact
from sealtrace.studies.policies.evidence.calibration import UndeclaredError
from sealtrace.studies.policies.evidence.choice import Chosen, choose, selector_named
from sealtrace.studies.policies.evidence.frame import Index, Mask, Vector
from sealtrace.studies.policies.evidence.outcomes import UnscoredError, outcomes_of, states_of
from sealtrace.studies.policies.evidence.settings import Setting, declared_setting
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import dealing
from sealtrace.studies.policies.mathematics.scores import mean


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

    @property
    def worst_group_rate(self) -> Fraction:
        """The largest share of crossings over the groups that have states here."""
        rates = []
        for group in np.unique(self.groups).tolist():
            inside = self.groups == group
            rates.append(Fraction(int(self.crossed[inside].sum()), int(inside.sum())))
        return max(rates)


def deployed_candidates(chosen: Chosen, states: Index) -> tuple[Index, Index]:
    """The group of each state, and the candidate that its map assigns there."""
    anchor = chosen.calibration.study.anchor
    groups = chosen.partition.group_of[states]
    if (groups < 0).any():
        raise UndeclaredError(f"{int((groups < 0).sum())} states lie in no single group of {chosen.partition.name}")
    if anchor is None and None in chosen.assigned:
        raise UndeclaredError("the bank has no anchor to fall back to")
    assigned = np.array([anchor if one is None else one for one in chosen.assigned], np.int64)
    return groups, assigned[groups]


def deploy(chosen: Chosen, states: Index, utility: str, risk: str) -> Deployed:
    """The map's policy on some states, under evaluators that may be others than those it was chosen with."""
    study = chosen.calibration.study
    groups, candidates = deployed_candidates(chosen, states)
    outcomes = outcomes_of(study, utility, risk, chosen.calibration.setting.tau)
    values, deltas = np.empty(len(states)), np.empty(len(states))
    crossed = np.zeros(len(states), np.bool_)
    for candidate in np.unique(candidates).tolist():
        inside = candidates == candidate
        found = outcomes.of(candidate)
        values[inside], deltas[inside] = found.utility[states[inside]], found.delta[states[inside]]
        crossed[inside] = found.crossed[states[inside]]
    if not len(states) or np.isnan(values).any():
        raise UnscoredError(f"{int(np.isnan(values).sum())} states have no trace, no anchor or no action values")
    return Deployed(states, groups, candidates, values, deltas, crossed)


def calibration_split(study: Study) -> str:
    """The one split that calibrates."""
    names = [name for name, role in study.roles.items() if role == "calibration"]
    if len(names) != 1:
        raise UndeclaredError(f"the protocol declares {len(names)} calibration splits")
    return names[0]


def chosen_by(study: Study, selector: str, setting: Setting) -> Chosen:
    """What a declared selector takes on the calibration split, computed once."""
    key = f"chosen by {selector!r} {setting}"
    if key not in study.memory:
        states = states_of(study, calibration_split(study))
        if not len(states):
            raise UnscoredError("there are no calibration states")
        study.memory[key] = choose(study, selector_named(study, selector), setting, states)
    chosen: Chosen = study.memory[key]
    return chosen


@dataclass(frozen=True)
class Repeat:
    """One repeated split: what was chosen on its calibration states, and what that reached on the held-out ones."""

    certified: bool
    scale: Fraction | None
    """The chosen scale of a map with one group; the anchor counts as scale 0."""
    risk_upper: float | None
    utility_lower: float | None
    held_out: int
    crossings: int
    utility: float
    worst_group_rate: Fraction


def repeated_splits(study: Study, calibration: int | None) -> list[tuple[Index, Index]]:
    """The calibration and held-out states of every repeat, regenerated from the declared seed."""
    key = f"repeated splits {calibration}"
    if key in study.memory:
        splits: list[tuple[Index, Index]] = study.memory[key]
        return splits
    declared = study.protocol.get("resampling")
    if declared is None:
        raise UndeclaredError("the protocol declares no repeated splits")
    if not 0 < declared["repeats"] <= MOST_REPEATS:
        raise UndeclaredError(f"repeated splits number from 1 to {MOST_REPEATS}")
    pool = np.concatenate([states_of(study, name) for name in declared["pool"]])
    ids = np.array([text.encode() for text in study.states.take(pool).to_pylist()], dtype=object)
    pool = pool[np.argsort(ids, kind="stable")]
    strata = [study.feature(name)[pool] for name in declared["strata"]]
    if any(np.isnan(one).any() for one in strata):
        raise UndeclaredError("a stratum cannot be computed at every state of the pool")
    sizes = [declared["calibration"] if calibration is None else calibration, declared["held_out"]]
    if sum(sizes) > len(pool) or 0 in sizes:
        raise UndeclaredError(f"{sizes[0]} and {sizes[1]} states cannot be dealt from a pool of {len(pool)}")
    splits = []
    for repeat in range(declared["repeats"]):
        order = dealing.stratified_order(declared["seed"] + repeat, strata, len(pool))
        calibrating, held_out = dealing.deal(order, sizes)
        splits.append((pool[calibrating], pool[held_out]))
    study.memory[key] = splits
    return splits


MOST_REPEATS = 2_000
"""More would take hours and tell little."""


def repeats_of(study: Study, selector: str, setting: Setting) -> list[Repeat]:
    """What a selector does over all repeated splits, computed once."""
    key = f"repeats of {selector!r} {setting}"
    if key not in study.memory:
        declared = selector_named(study, selector)
        splits = repeated_splits(study, setting.calibration)
        found = []
        for number, (calibrating, held_out) in enumerate(splits, 1):
            found.append(_repeat(choose(study, declared, setting, calibrating), held_out))
            study.progress("repeated splits", number, len(splits))
        study.memory[key] = found
    repeats: list[Repeat] = study.memory[key]
    return repeats


def _repeat(chosen: Chosen, held_out: Index) -> Repeat:
    setting = chosen.calibration.setting
    reached = deploy(chosen, held_out, setting.utility, setting.risk)
    return Repeat(
        certified=chosen.certified,
        scale=scale_of(chosen),
        risk_upper=chosen.risk_upper() if "risk" in chosen.certifies else None,
        utility_lower=chosen.utility_lower() if "utility" in chosen.certifies else None,
        held_out=len(held_out),
        crossings=int(reached.crossed.sum()),
        utility=mean(reached.utility),
        worst_group_rate=reached.worst_group_rate,
    )


def scale_of(chosen: Chosen) -> Fraction | None:
    """The scale of a map with one group; None for other maps."""
    if len(chosen.assigned) != 1:
        return None
    candidate = chosen.assigned[0]
    return Fraction(0) if candidate is None else exact(chosen.calibration.study.candidates[candidate].scale or "0")


def map_name(chosen: Chosen) -> str:
    """A map as people write it: its candidates in the order of groups."""
    names = ["anchor" if one is None else chosen.calibration.study.candidates[one].name for one in chosen.assigned]
    return " / ".join(names)


def variant_setting(study: Study, name: str | None) -> Setting:
    """The setting of a declared variant, or the declared operating point."""
    if name is None:
        return declared_setting(study)
    variants = study.protocol.get("variants") or {}
    if name not in variants:
        raise UndeclaredError(f"the protocol declares no variant {name!r}")
    known = {one.family for one in study.candidates}
    if unknown := [family for family in variants[name].get("families") or [] if family not in known]:
        raise UndeclaredError(f"the bank has no family {unknown[0]!r}, which the variant {name!r} lets compete")
    return declared_setting(study, variants[name])
