"""The metrics of certified maps: what a declared selector chooses, what is certified of it, and what it reaches.

Everything is recomputed from distributions, action values, frozen partitions and the protocol.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

from sealtrace.bundle.frames import Index
from sealtrace.mathematics.exact import Undecided, as_double, mean
from sealtrace.printed.metrics import (
    Arguments,
    MetricFunction,
    MissingEvidenceError,
    RecipeError,
    Value,
    constant_of,
    value_of,
)
from sealtrace.studies.policies.evidence.bank import Candidate
from sealtrace.studies.policies.evidence.calibration import Setting, UndeclaredError, VoidError, declared_setting
from sealtrace.studies.policies.evidence.choice import Chosen, count_scales, selector_named
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
from sealtrace.studies.policies.policy_metrics import candidate_place, charged, members_of, scored_traces
from sealtrace.studies.policies.policy_metrics import metric as plain_metric


def metric(name: str) -> Callable[[MetricFunction], MetricFunction]:
    """Registers a metric: what the evidence cannot give is missing, and what nobody declared cannot be followed."""

    def register(function: MetricFunction) -> MetricFunction:
        @plain_metric(name)
        def computed(study: Study, arguments: Arguments) -> Value:
            try:
                return function(study, arguments)
            except UndeclaredError as error:
                raise RecipeError(str(error)) from None
            except (UnscoredError, VoidError, Undecided) as error:
                raise MissingEvidenceError(str(error)) from None

        return function

    return register


def _setting(study: Study, arguments: Arguments) -> Setting:
    return variant_setting(study, arguments.get("variant"))


def _chosen(study: Study, arguments: Arguments) -> Chosen:
    return chosen_by(study, arguments["selector"], _setting(study, arguments))


def _population(study: Study, name: str) -> Index:
    if name not in study.roles:
        raise RecipeError(f"there is no split {name!r}")
    states = states_of(study, name)
    if not len(states):
        raise MissingEvidenceError(f"{name} has no states")
    return states


def _traces(study: Study, candidates: Index, states: Index) -> Index:
    rows = np.full(len(states), -1, np.int64)
    for candidate in np.unique(candidates).tolist():
        inside = candidates == candidate
        rows[inside] = traces_by_state(study, candidate)[states[inside]]
    if (rows < 0).any():
        raise MissingEvidenceError(f"{int((rows < 0).sum())} states have no single trace")
    return rows


def _of_deployed(name: str, reduce: Callable[[Deployed], float | Fraction]) -> None:
    """Registers a metric of a map's policy on a population."""

    @metric(name)
    def compute_it(study: Study, arguments: Arguments) -> Value:
        chosen, states = _chosen(study, arguments), _population(study, arguments.get("population", "held-out"))
        setting = chosen.calibration.setting
        evaluators = arguments.get("utility", setting.utility), arguments.get("risk", setting.risk)
        reached = deploy(chosen, states, *evaluators)
        return value_of(study.frame("trace"), _traces(study, reached.candidates, reached.states), reduce(reached))


_of_deployed("map_utility", lambda one: mean(one.utility))
_of_deployed("map_delta", lambda one: mean(one.delta))
_of_deployed("map_crossing_rate", lambda one: Fraction(int(one.crossed.sum()), len(one.crossed)))
_of_deployed("map_worst_group_rate", lambda one: one.worst_group_rate)


def _assigned(study: Study, arguments: Arguments) -> tuple[Index, Index]:
    """The states of the population, and the candidate that the map assigns to each."""
    states = _population(study, arguments.get("population", "held-out"))
    return states, deployed_candidates(_chosen(study, arguments), states)[1]


@metric("map_teacher_kl")
def map_teacher_kl(study: Study, arguments: Arguments) -> Value:
    states, candidates = _assigned(study, arguments)
    clip = as_double(constant_of(arguments["clip"]))
    values = np.array([divergences(study, one, clip)[state] for one, state in zip(candidates, states, strict=True)])
    return value_of(study.frame("trace"), _traces(study, candidates, states), mean(values))


@metric("map_cost_ratio")
def map_cost_ratio(study: Study, arguments: Arguments) -> Value:
    states, candidates = _assigned(study, arguments)
    base = np.full(len(states), candidate_place(study, arguments["base"]))
    rows = _traces(study, candidates, states)
    quantity = arguments.get("quantity", "latency_ms")
    if quantity not in study.declared.counted:
        raise RecipeError(f"ledgers count no {quantity!r}")
    cost, base_cost = (charged(study, quantity, traces) for traces in (rows, _traces(study, base, states)))
    if base_cost == 0:
        raise MissingEvidenceError(f"{arguments['base']} is charged nothing")
    return value_of(study.frame("trace"), rows, cost / base_cost)


# The choice and its bounds


def _counted(study: Study) -> Index:
    return states_of(study, calibration_split(study))


@metric("map_name")
def chosen_names(study: Study, arguments: Arguments) -> Value:
    chosen = _chosen(study, arguments)
    return Value((), study.frame("observation"), _counted(study), text=map_name(chosen))


@metric("map_scale")
def map_scale(study: Study, arguments: Arguments) -> Value:
    scale = scale_of(_chosen(study, arguments))
    if scale is None:
        raise RecipeError(f"{arguments['selector']} chooses in several groups")
    return value_of(study.frame("observation"), _counted(study), scale)


@metric("selected_scale")
def selected_scale(study: Study, arguments: Arguments) -> Value:
    arm = selector_named(study, arguments["selector"]).arm
    calibration = next((name for name, role in study.roles.items() if role == "calibration"), "calibration")
    population = arguments.get("population", calibration)
    counted = count_scales(study, arm, members_of(study, population), declared_setting(study))
    for text in study.declared.scale_grid:
        rows, _ = scored_traces(study, {"policy": f"{arm}@{text}", "population": population})
    if counted.choice.chosen is None:
        raise MissingEvidenceError("no scale is certified")
    return value_of(study.frame("trace"), rows, counted.choice.chosen)


def _of_chosen(name: str, bound: str, compute_bound: Callable[[Chosen], float]) -> None:
    @metric(name)
    def compute_it(study: Study, arguments: Arguments) -> Value:
        chosen = _chosen(study, arguments)
        if bound not in chosen.certifies:
            raise RecipeError(f"a {chosen.rule} rule states no {bound} bound")
        return value_of(study.frame("observation"), _counted(study), compute_bound(chosen))


_of_chosen("map_risk_upper", "risk", lambda one: one.risk_upper())
_of_chosen("map_utility_lower", "utility", lambda one: one.utility_lower())
_of_chosen("map_nominal_risk", "risk", lambda one: one.risk_upper(Fraction(0)))
# All of the mass may move to the worst group.
_of_chosen("map_largest_risk", "risk", lambda one: one.risk_upper(Fraction(2)))


# Partitions and banks


def _partition(study: Study, arguments: Arguments) -> Partition:
    known = frozen_partitions(study)
    if arguments["partition"] not in known:
        raise RecipeError(f"the bundle has no partition {arguments['partition']!r}")
    return known[arguments["partition"]]


@metric("partition_groups")
def partition_groups(study: Study, arguments: Arguments) -> Value:
    return Value((Fraction(len(_partition(study, arguments).groups)),))


@metric("partition_support")
def partition_support(study: Study, arguments: Arguments) -> Value:
    states = _population(study, arguments.get("population") or calibration_split(study))
    partition = _partition(study, arguments)
    groups = partition.group_of[states]
    if (groups < 0).any():
        raise MissingEvidenceError(f"{int((groups < 0).sum())} states lie in no single group")
    counts = np.bincount(groups, minlength=len(partition.groups))
    return value_of(study.frame("observation"), states, Fraction(int(counts.min())))


def _of_bank(name: str, tell_apart: Callable[[Candidate], object]) -> None:
    @metric(name)
    def compute_it(study: Study, arguments: Arguments) -> Value:
        setting = _setting(study, arguments)
        found = [study.candidates[one] for one in study.competing(setting.families, setting.scales)]
        rows = np.array([one.row for one in found], np.int64)
        return value_of(study.frame("candidate"), rows, Fraction(len({tell_apart(one) for one in found})))


_of_bank("bank_size", lambda one: one.row)
_of_bank("bank_families", lambda one: one.family)
_of_bank("bank_scales", lambda one: one.scale)


@metric("utility_range")
def utility_range(study: Study, arguments: Arguments) -> Value:
    declared = _setting(study, arguments).utility_range
    if declared is None:
        raise RecipeError("the protocol declares no utility range")
    return Value(declared)


# Repeated splits


Reduction = Callable[[list[Repeat], Study, Arguments], tuple[float | Fraction, ...]]
"""What becomes of all repeats of a selector."""


def _of_repeats(name: str, reduce: Reduction) -> None:
    @metric(name)
    def compute_it(study: Study, arguments: Arguments) -> Value:
        repeats = repeats_of(study, arguments["selector"], _setting(study, arguments))
        return value_of(study.frame("observation"), _pool(study), *reduce(repeats, study, arguments))


def _pool(study: Study) -> Index:
    return np.concatenate([states_of(study, one) for one in resampling_of(study).pool])


def _share(hits: Iterable[bool], repeats: list[Repeat]) -> tuple[Fraction]:
    return (Fraction(sum(hits), len(repeats)),)


def _rate(repeat: Repeat) -> Fraction:
    return Fraction(repeat.crossings, repeat.held_out)


def _mean(values: list[Fraction]) -> tuple[Fraction]:
    return (sum(values, Fraction(0)) / len(values),)


def _coverage(repeats: list[Repeat], study: Study, arguments: Arguments) -> tuple[Fraction]:
    setting = _setting(study, arguments)
    budget = setting.epsilon_global if arguments.get("budget") == "global" else setting.epsilon_group
    if budget is None:
        raise RecipeError("the protocol declares no risk budget")
    return _share((_rate(one) <= budget for one in repeats), repeats)


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


_of_repeats("repeated_crossing_rate", lambda repeats, _, __: _mean([_rate(one) for one in repeats]))
_of_repeats("repeated_worst_group_rate", lambda repeats, _, __: _mean([one.worst_group_rate for one in repeats]))
_of_repeats("repeated_utility", lambda repeats, _, __: (mean(np.array([one.utility for one in repeats])),))
_of_repeats("repeated_coverage", _coverage)
_of_repeats(
    "repeated_uncertified",
    lambda repeats, _, __: (Fraction(sum(not one.certified for one in repeats)), Fraction(len(repeats))),
)
_of_repeats("repeated_certification_rate", lambda repeats, _, __: _share((one.certified for one in repeats), repeats))
_of_repeats("repeated_median_scale", _median_scale)
for _bound in ("risk_upper", "largest_risk", "utility_lower"):
    _of_repeats(f"repeated_{_bound}", _mean_bound(_bound))


@metric("repeated_disagreement")
def repeated_disagreement(study: Study, arguments: Arguments) -> Value:
    setting = _setting(study, arguments)
    maps = [[one.assigned for one in repeats_of(study, arguments[name], setting)] for name in ("selector", "against")]
    others = sum(one != other for one, other in zip(*maps, strict=True))
    return value_of(study.frame("observation"), _pool(study), Fraction(others), Fraction(len(maps[0])))


# Measurements


@metric("measured_median")
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
