"""The metrics of certified maps: what a declared selector chooses, what is certified of it, and what it reaches.

Everything is recomputed from distributions, action values, frozen partitions and the protocol.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

import numpy as np

from sealtrace.bundle.frames import Index
from sealtrace.mathematics.exact import Undecided, as_double, mean
from sealtrace.printed.metrics import (
    Arguments,
    MissingEvidenceError,
    RecipeError,
    Value,
    constant_of,
    metrics_of,
    value_of,
)
from sealtrace.studies.policies.evidence.calibration import UndeclaredError, VoidError, competing
from sealtrace.studies.policies.evidence.choice import Chosen
from sealtrace.studies.policies.evidence.deployment import (
    Deployed,
    Repeat,
    calibration_split,
    chosen_by,
    deploy,
    deployed_candidates,
    map_name,
    repeats_of,
    resampling_of,
    scale_of,
    variant_setting,
)
from sealtrace.studies.policies.evidence.outcomes import UnscoredError, divergences, states_of, traces_by_state
from sealtrace.studies.policies.evidence.partitions import Partition, frozen_partitions
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.policy_metrics import candidate_place

metric = metrics_of("policies")

SECTION = "RSD-Poker paper, section 3.4 and 3.5: dual certification, robust selection"


@contextmanager
def _as_recipe_errors() -> Iterator[None]:
    """What the evidence cannot give is missing; what nobody declared is a recipe that cannot be followed."""
    try:
        yield
    except UndeclaredError as error:
        raise RecipeError(str(error)) from None
    except (UnscoredError, VoidError, Undecided) as error:
        raise MissingEvidenceError(str(error)) from None


def _chosen(study: Study, arguments: Arguments) -> Chosen:
    return chosen_by(study, arguments["selector"], variant_setting(study, arguments.get("variant")))


def _population(study: Study, arguments: Arguments) -> Index:
    name = arguments.get("population", "held-out")
    if name not in study.roles:
        raise RecipeError(f"there is no split {name!r}")
    states = states_of(study, name)
    if not len(states):
        raise MissingEvidenceError(f"{name} has no states")
    return states


def _deployed(study: Study, arguments: Arguments) -> Deployed:
    chosen = _chosen(study, arguments)
    setting = chosen.calibration.setting
    utility, risk = arguments.get("utility", setting.utility), arguments.get("risk", setting.risk)
    return deploy(chosen, _population(study, arguments), utility, risk)


def _traces(study: Study, candidates: Index, states: Index) -> Index:
    rows = np.full(len(states), -1, np.int64)
    for candidate in np.unique(candidates).tolist():
        inside = candidates == candidate
        rows[inside] = traces_by_state(study, candidate)[states[inside]]
    if (rows < 0).any():
        raise MissingEvidenceError(f"{int((rows < 0).sum())} states have no single trace")
    return rows


_EVALUATED = "variant population utility risk"


def _of_deployed(
    name: str, formula: str, reduce: Callable[[Deployed], float | Fraction], source: str = "RSD-Poker paper, appendix D"
) -> None:
    """Registers a metric of a map's policy on a population."""

    @metric(name, formula, source, needs="selector", takes=_EVALUATED)
    def compute_it(study: Study, arguments: Arguments) -> Value:
        with _as_recipe_errors():
            reached = _deployed(study, arguments)
            rows = _traces(study, reached.candidates, reached.states)
            return value_of(study.frame("trace"), rows, reduce(reached))


_of_deployed("map_utility", "mean E_u of the policy that a selector's map deploys", lambda one: mean(one.utility))
_of_deployed("map_delta", "mean d of the policy that a selector's map deploys", lambda one: mean(one.delta))
_of_deployed(
    "map_crossing_rate",
    "share of states with d < -tau under a selector's map",
    lambda one: Fraction(int(one.crossed.sum()), len(one.crossed)),
)
_of_deployed(
    "map_worst_group_rate",
    "largest share of crossings over the groups of the map's partition",
    lambda one: one.worst_group_rate,
)


@metric(
    "map_teacher_kl",
    "mean KL(teacher || policy) under a selector's map, the policy's mass clipped below at `clip`",
    "RSD-Poker paper, appendix B: teacher KL",
    needs="selector clip",
    takes="variant population",
)
def map_teacher_kl(study: Study, arguments: Arguments) -> Value:
    with _as_recipe_errors():
        states = _population(study, arguments)
        _, candidates = deployed_candidates(_chosen(study, arguments), states)
        clip = as_double(constant_of(arguments["clip"]))
        values = np.array([divergences(study, one, clip)[state] for one, state in zip(candidates, states, strict=True)])
        return value_of(study.frame("trace"), _traces(study, candidates, states), mean(values))


@metric(
    "map_cost_ratio",
    "mean of what the ledger counts of `quantity` (latency_ms) under a selector's map, divided by that of `base`",
    "RSD-Poker paper, appendix D: residual families, relative cost",
    needs="selector base",
    takes="variant population quantity",
)
def map_cost_ratio(study: Study, arguments: Arguments) -> Value:
    with _as_recipe_errors():
        states = _population(study, arguments)
        _, candidates = deployed_candidates(_chosen(study, arguments), states)
        base = np.full(len(states), candidate_place(study, arguments["base"]))
        rows = _traces(study, candidates, states)
        quantity = arguments.get("quantity", "latency_ms")
        if quantity not in study.declared.counted:
            raise RecipeError(f"ledgers count no {quantity!r}")
        charged, due = (study.charged(quantity, one) for one in (rows, _traces(study, base, states)))
        if due == 0:
            raise MissingEvidenceError(f"{arguments['base']} is charged nothing")
        return value_of(study.frame("trace"), rows, charged / due)


# The choice and its bounds


def _counted(study: Study) -> Index:
    return states_of(study, calibration_split(study))


@metric(
    "map_name", "the candidates that a selector chooses, group by group", SECTION, needs="selector", takes="variant"
)
def chosen_names(study: Study, arguments: Arguments) -> Value:
    with _as_recipe_errors():
        chosen = _chosen(study, arguments)
        return Value((), study.frame("observation"), _counted(study), text=map_name(chosen))


@metric("map_scale", "the scale that a selector of one group chooses", SECTION, needs="selector", takes="variant")
def map_scale(study: Study, arguments: Arguments) -> Value:
    with _as_recipe_errors():
        scale = scale_of(_chosen(study, arguments))
        if scale is None:
            raise RecipeError(f"{arguments['selector']} chooses in several groups")
        return value_of(study.frame("observation"), _counted(study), scale)


def _of_chosen(name: str, formula: str, bound: str, compute_bound: Callable[[Chosen], float]) -> None:
    @metric(name, formula, SECTION, needs="selector", takes="variant")
    def compute_it(study: Study, arguments: Arguments) -> Value:
        with _as_recipe_errors():
            chosen = _chosen(study, arguments)
            if bound not in chosen.certifies:
                raise RecipeError(f"a {chosen.rule} rule states no {bound} bound")
            return value_of(study.frame("observation"), _counted(study), compute_bound(chosen))


_of_chosen("map_risk_upper", "max over mixtures of sum q U of the chosen map", "risk", lambda one: one.risk_upper())
_of_chosen(
    "map_utility_lower", "min over mixtures of sum q L of the chosen map", "utility", lambda one: one.utility_lower()
)
_of_chosen(
    "map_nominal_risk",
    "sum q U of the chosen map at the calibration mixture",
    "risk",
    lambda one: one.risk_upper(Fraction(0)),
)
_of_chosen(
    "map_largest_risk",
    "max over groups of U of the chosen map: its risk bound whatever the mixture",
    "risk",
    # All of the mass may move to the worst group.
    lambda one: one.risk_upper(Fraction(2)),
)


# Partitions and banks


@metric(
    "partition_groups",
    "how many groups a partition has",
    "RSD-Poker paper, section 3.3: partitions",
    needs="partition",
    given=True,
)
def partition_groups(study: Study, arguments: Arguments) -> Value:
    return Value((Fraction(len(_partition(study, arguments).groups)),))


@metric(
    "partition_support",
    "fewest states of a group",
    "RSD-Poker paper, appendix D: minimum support",
    needs="partition",
    takes="population",
)
def partition_support(study: Study, arguments: Arguments) -> Value:
    with _as_recipe_errors():
        population = {**arguments, "population": arguments.get("population", calibration_split(study))}
        states = _population(study, population)
    partition = _partition(study, arguments)
    groups = partition.group_of[states]
    if (groups < 0).any():
        raise MissingEvidenceError(f"{int((groups < 0).sum())} states lie in no single group")
    counts = np.bincount(groups, minlength=len(partition.groups))
    return value_of(study.frame("observation"), states, Fraction(int(counts.min())))


def _partition(study: Study, arguments: Arguments) -> Partition:
    known = frozen_partitions(study)
    if arguments["partition"] not in known:
        raise RecipeError(f"the bundle has no partition {arguments['partition']!r}")
    return known[arguments["partition"]]


def _of_bank(name: str, formula: str, count: Callable[[Study, list[int]], int]) -> None:
    @metric(name, formula, "RSD-Poker paper, section 3.2: the candidate bank", takes="variant", given=True)
    def compute_it(study: Study, arguments: Arguments) -> Value:
        with _as_recipe_errors():
            setting = variant_setting(study, arguments.get("variant"))
            candidates = competing(study, setting.families, setting.scales)
        rows = np.array([study.candidates[one].row for one in candidates], np.int64)
        return value_of(study.frame("candidate"), rows, Fraction(count(study, candidates)))


_of_bank("bank_size", "how many candidates compete", lambda _, found: len(found))
_of_bank(
    "bank_families",
    "how many families compete",
    lambda study, found: len({study.candidates[one].family for one in found}),
)
_of_bank(
    "bank_scales", "how many scales compete", lambda study, found: len({study.candidates[one].scale for one in found})
)


@metric("utility_range", "q_min and q_max", "RSD-Poker paper, section 3.4: normalization", takes="variant", given=True)
def utility_range(study: Study, arguments: Arguments) -> Value:
    with _as_recipe_errors():
        declared = variant_setting(study, arguments.get("variant")).utility_range
    if declared is None:
        raise RecipeError("the protocol declares no utility range")
    return Value(declared)


# Repeated splits


Reduction = Callable[[list[Repeat], Study, Arguments], tuple[float | Fraction, ...]]
"""What becomes of all repeats of a selector."""


def _of_repeats(name: str, formula: str, reduce: Reduction, takes: str = "variant") -> None:
    @metric(name, formula, "RSD-Poker paper, appendix D: repeated splits", needs="selector", takes=takes)
    def compute_it(study: Study, arguments: Arguments) -> Value:
        with _as_recipe_errors():
            repeats = repeats_of(study, arguments["selector"], variant_setting(study, arguments.get("variant")))
            states = np.concatenate([states_of(study, one) for one in resampling_of(study).pool])
            return value_of(study.frame("observation"), states, *reduce(repeats, study, arguments))


def _rate(repeat: Repeat) -> Fraction:
    return Fraction(repeat.crossings, repeat.held_out)


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _coverage(repeats: list[Repeat], study: Study, arguments: Arguments) -> tuple[Fraction]:
    setting = variant_setting(study, arguments.get("variant"))
    budget = setting.epsilon_global if arguments.get("budget") == "global" else setting.epsilon_group
    if budget is None:
        raise RecipeError("the protocol declares no risk budget")
    return (Fraction(sum(_rate(one) <= budget for one in repeats), len(repeats)),)


def _mean_bound(name: str) -> Reduction:
    def reduce(repeats: list[Repeat], _: Study, __: Arguments) -> tuple[float]:
        stated = [getattr(one, name) for one in repeats if one.certified]
        if None in stated:
            raise RecipeError(f"the selector states no {name.replace('_', ' ')}")
        if not stated:
            raise MissingEvidenceError("no repeat is certified")
        return (mean(np.array(stated)),)

    return reduce


def _median_scale(repeats: list[Repeat], _: Study, arguments: Arguments) -> tuple[Fraction]:
    scales = [one.scale for one in repeats if one.scale is not None]
    if len(scales) < len(repeats):
        raise RecipeError(f"{arguments['selector']} chooses in several groups")
    return (statistics.median(scales),)


_of_repeats(
    "repeated_crossing_rate",
    "mean over repeats of the held-out share of crossings",
    lambda repeats, _, __: (_mean([_rate(one) for one in repeats]),),
)
_of_repeats(
    "repeated_worst_group_rate",
    "mean over repeats of the largest held-out share of crossings over groups",
    lambda repeats, _, __: (_mean([one.worst_group_rate for one in repeats]),),
)
_of_repeats(
    "repeated_utility",
    "mean over repeats of the held-out mean utility",
    lambda repeats, _, __: (mean(np.array([one.utility for one in repeats])),),
)
_of_repeats(
    "repeated_coverage",
    "share of repeats whose held-out share of crossings is within the groups' budget, or with `budget` global the "
    "mixture's",
    _coverage,
    "variant budget",
)
_of_repeats(
    "repeated_uncertified",
    "how many repeats are not certified, of how many",
    lambda repeats, _, __: (Fraction(sum(not one.certified for one in repeats)), Fraction(len(repeats))),
)
_of_repeats(
    "repeated_certification_rate",
    "share of repeats that are certified",
    lambda repeats, _, __: (Fraction(sum(one.certified for one in repeats), len(repeats)),),
)
_of_repeats("repeated_median_scale", "median over repeats of the chosen scale, the anchor as 0", _median_scale)
_of_repeats("repeated_risk_upper", "mean over certified repeats of the map's risk bound", _mean_bound("risk_upper"))
_of_repeats(
    "repeated_largest_risk",
    "mean over certified repeats of the largest U of the map's groups",
    _mean_bound("largest_risk"),
)
_of_repeats(
    "repeated_utility_lower", "mean over certified repeats of the map's utility bound", _mean_bound("utility_lower")
)


@metric(
    "repeated_disagreement",
    "in how many repeats two selectors choose different maps, of how many",
    "RSD-Poker paper, appendix D: repeated splits",
    needs="selector against",
    takes="variant",
)
def repeated_disagreement(study: Study, arguments: Arguments) -> Value:
    with _as_recipe_errors():
        setting = variant_setting(study, arguments.get("variant"))
        maps = [
            [one.assigned for one in repeats_of(study, arguments[name], setting)] for name in ("selector", "against")
        ]
        states = np.concatenate([states_of(study, one) for one in resampling_of(study).pool])
    others = sum(one != other for one, other in zip(*maps, strict=True))
    return value_of(study.frame("observation"), states, Fraction(others), Fraction(len(maps[0])))


# Measurements


@metric(
    "measured_median",
    "median of sealed measurements",
    "sealed measurements: what cannot be computed again",
    needs="quantity subject",
    measured=True,
)
def measured_median(study: Study, arguments: Arguments) -> Value:
    frame = study.frame("measurement")
    rows = np.arange(frame.size)
    for field in ("quantity", "subject"):
        codes, texts = frame.texts(field)
        wanted = texts.index(arguments[field]) if arguments[field] in texts else -2
        rows = rows[codes[rows] == wanted]
    if not len(rows):
        raise MissingEvidenceError(f"nothing measured {arguments['quantity']} of {arguments['subject']}")
    values = [Fraction(value) for value in frame.numbers("value")[rows].tolist()]
    return value_of(frame, rows, statistics.median(values))
