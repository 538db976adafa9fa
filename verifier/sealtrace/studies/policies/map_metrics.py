"""The metrics of certified maps: what a declared selector chooses, what is certified of it, and what it reaches.

Everything is recomputed from distributions, action values, frozen partitions and the protocol.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from sealtrace.bundle.frames import Index
from sealtrace.mathematics.exact import Undecided, as_double, mean
from sealtrace.recipes.metrics import (
    Arguments,
    MetricFunction,
    MissingEvidenceError,
    RecipeError,
    Value,
    constant_of,
    value_of,
)
from sealtrace.studies.policies.evidence.calibration import Setting, UndeclaredError, VoidError, declared_setting
from sealtrace.studies.policies.evidence.choice import Chosen, count_scales, partition_named, selector_named
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
from sealtrace.studies.policies.evidence.outcomes import Role, UnscoredError, divergences, states_of, traces_by_state
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.policy_metrics import candidate_place, charged, members_of, traces_of
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
    if name not in study.bank.roles:
        raise RecipeError(f"there is no split {name!r}")
    states = states_of(study, name)
    if not len(states):
        raise MissingEvidenceError(f"{name} has no states")
    return states


def _traces(study: Study, candidates: Index, states: Index) -> Index:
    """The trace of the candidate that decides at each state."""
    rows = np.full(len(states), -1, np.int64)
    for candidate in np.unique(candidates).tolist():
        inside = candidates == candidate
        rows[inside] = traces_by_state(study, candidate)[states[inside]]
    if (rows < 0).any():
        raise MissingEvidenceError(f"{int((rows < 0).sum())} states have no single trace")
    return rows


# A map's policy on a population


def _reached(study: Study, arguments: Arguments, role: Role, reduce: Callable[[Deployed], float | Fraction]) -> Value:
    chosen, states = _chosen(study, arguments), _population(study, arguments["population"])
    setting = chosen.calibration.setting
    evaluators = arguments.get("utility", setting.utility), arguments.get("risk", setting.risk)
    reached = deploy(chosen, states, *evaluators)
    reached.require(role)
    return value_of(study.frame("trace"), _traces(study, reached.candidates, reached.states), reduce(reached))


metric("map_utility")(partial(_reached, role="utility", reduce=lambda reached: mean(reached.utility)))
for _name, _reduce in {
    "map_delta": lambda reached: mean(reached.delta),
    "map_crossing_rate": lambda reached: Fraction(int(reached.crossed.sum()), len(reached.crossed)),
    "map_worst_group_rate": lambda reached: reached.worst_group_rate,
}.items():
    metric(_name)(partial(_reached, role="risk", reduce=_reduce))


def _assigned(study: Study, arguments: Arguments) -> tuple[Index, Index]:
    """The states of the population, and the candidate that the map assigns to each."""
    states = _population(study, arguments["population"])
    return states, deployed_candidates(_chosen(study, arguments), states)[1]


@metric("map_teacher_kl")
def map_teacher_kl(study: Study, arguments: Arguments) -> Value:
    states, candidates = _assigned(study, arguments)
    clip = as_double(constant_of(arguments["clip"]))
    pairs = zip(candidates, states, strict=True)
    values = np.array([divergences(study, candidate, clip)[state] for candidate, state in pairs])
    return value_of(study.frame("trace"), _traces(study, candidates, states), mean(values))


@metric("map_cost_ratio")
def map_cost_ratio(study: Study, arguments: Arguments) -> Value:
    states, candidates = _assigned(study, arguments)
    base = np.full(len(states), candidate_place(study, arguments["base"]))
    rows = _traces(study, candidates, states)
    quantity = arguments["quantity"]
    cost, base_cost = (charged(study, quantity, traces) for traces in (rows, _traces(study, base, states)))
    if base_cost == 0:
        raise MissingEvidenceError(f"{arguments['base']} is charged nothing")
    return value_of(study.frame("trace"), rows, cost / base_cost)


# The choice and its bounds


def _calibrated(study: Study) -> Index:
    return states_of(study, calibration_split(study))


@metric("map_name")
def chosen_names(study: Study, arguments: Arguments) -> Value:
    chosen = _chosen(study, arguments)
    return Value((), study.frame("observation"), _calibrated(study), text=map_name(chosen))


@metric("map_scale")
def map_scale(study: Study, arguments: Arguments) -> Value:
    scale = scale_of(_chosen(study, arguments))
    if scale is None:
        raise RecipeError(f"{arguments['selector']} chooses in several groups")
    return value_of(study.frame("observation"), _calibrated(study), scale)


def _calibrating(study: Study, arguments: Arguments) -> str:
    """The population of the recipe; `calibration` may be the split of that role, whatever it is called."""
    name = arguments["population"]
    return calibration_split(study) if name == "calibration" and name not in study.bank.roles else name


@metric("selected_scale")
def selected_scale(study: Study, arguments: Arguments) -> Value:
    arm = selector_named(study, arguments["selector"]).arm
    population = _calibrating(study, arguments)
    counted = count_scales(study, arm, members_of(study, population), declared_setting(study))
    if counted.choice.chosen is None:
        raise MissingEvidenceError("no scale is certified")
    rows = traces_of(study, {"policy": f"{arm}@{study.declared.scale_grid[-1]}", "population": population})
    return value_of(study.frame("trace"), rows, counted.choice.chosen)


def _bound(study: Study, arguments: Arguments, bound: str, compute: Callable[[Chosen], float]) -> Value:
    chosen = _chosen(study, arguments)
    if bound not in chosen.certifies:
        raise RecipeError(f"a {chosen.rule} rule states no {bound} bound")
    return value_of(study.frame("observation"), _calibrated(study), compute(chosen))


metric("map_risk_upper")(partial(_bound, bound="risk", compute=lambda chosen: chosen.risk_upper()))
metric("map_utility_lower")(partial(_bound, bound="utility", compute=lambda chosen: chosen.utility_lower()))
metric("map_nominal_risk")(partial(_bound, bound="risk", compute=lambda chosen: chosen.risk_upper(Fraction(0))))
# All of the mass may move to the worst group.
metric("map_largest_risk")(partial(_bound, bound="risk", compute=lambda chosen: chosen.risk_upper(Fraction(2))))


# Partitions and banks


@metric("partition_groups")
def partition_groups(study: Study, arguments: Arguments) -> Value:
    return Value((Fraction(len(partition_named(study, arguments["partition"]).groups)),))


@metric("partition_support")
def partition_support(study: Study, arguments: Arguments) -> Value:
    states = _population(study, _calibrating(study, arguments))
    partition = partition_named(study, arguments["partition"])
    groups = partition.group_of[states]
    if (groups < 0).any():
        raise MissingEvidenceError(f"{int((groups < 0).sum())} states lie in no single group")
    counts = np.bincount(groups, minlength=len(partition.groups))
    return value_of(study.frame("observation"), states, Fraction(int(counts.min())))


def _different(study: Study, arguments: Arguments, field: str) -> Value:
    """How many different values of a field the competing candidates have."""
    setting = _setting(study, arguments)
    bank = [study.candidates[place] for place in study.bank.competing(setting.families, setting.scales)]
    rows = np.array([candidate.row for candidate in bank], np.int64)
    return value_of(study.frame("candidate"), rows, Fraction(len({getattr(candidate, field) for candidate in bank})))


for _name, _field in {"bank_size": "row", "bank_families": "family", "bank_scales": "scale"}.items():
    metric(_name)(partial(_different, field=_field))


@metric("utility_range")
def utility_range(study: Study, arguments: Arguments) -> Value:
    declared = _setting(study, arguments).utility_range
    if declared is None:
        raise RecipeError("the protocol declares no utility range")
    return Value(declared)


# Repeated splits


def _repeats(study: Study, arguments: Arguments) -> list[Repeat]:
    return repeats_of(study, arguments["selector"], _setting(study, arguments))


def _of_pool(study: Study, *numbers: float | Fraction) -> Value:
    """What the states that repeated splits deal give."""
    declared = resampling_of(study)
    pool = [states_of(study, split) for split in declared.pool]
    value = value_of(study.frame("observation"), np.concatenate(pool), *numbers)
    times = tuple(map(str, range(declared.repeats)))
    return replace(value, repeats={"repeat": times, "split": times, "draw": times})


def _repeated(study: Study, arguments: Arguments, reduce: Callable[[list[Repeat]], float | Fraction]) -> Value:
    return _of_pool(study, reduce(_repeats(study, arguments)))


def _mean(values: list[Fraction] | list[bool]) -> Fraction:
    return Fraction(sum(values)) / len(values)


def _median_scale(repeats: list[Repeat]) -> Fraction:
    scales = [repeat.scale for repeat in repeats if repeat.scale is not None]
    if len(scales) < len(repeats):
        raise RecipeError("the selector chooses in several groups")
    return statistics.median(scales)


def _mean_bound(repeats: list[Repeat], name: str) -> float:
    stated = [getattr(repeat, name) for repeat in repeats if repeat.certified]
    if None in stated:
        raise RecipeError(f"the selector states no {name.replace('_', ' ')}")
    if not stated:
        raise MissingEvidenceError("no repeat is certified")
    return mean(np.array(stated))


_REPEATED: dict[str, Callable[[list[Repeat]], float | Fraction]] = {
    "repeated_crossing_rate": lambda repeats: _mean([repeat.rate for repeat in repeats]),
    "repeated_worst_group_rate": lambda repeats: _mean([repeat.worst_group_rate for repeat in repeats]),
    "repeated_utility": lambda repeats: mean(np.array([repeat.utility for repeat in repeats])),
    "repeated_certification_rate": lambda repeats: _mean([repeat.certified for repeat in repeats]),
    "repeated_median_scale": _median_scale,
    "repeated_risk_upper": partial(_mean_bound, name="risk_upper"),
    "repeated_largest_risk": partial(_mean_bound, name="largest_risk"),
    "repeated_utility_lower": partial(_mean_bound, name="utility_lower"),
}
for _name, _reduction in _REPEATED.items():
    metric(_name)(partial(_repeated, reduce=_reduction))


@metric("repeated_coverage")
def repeated_coverage(study: Study, arguments: Arguments) -> Value:
    setting, repeats = _setting(study, arguments), _repeats(study, arguments)
    budget = setting.epsilon_global if arguments.get("budget") == "global" else setting.epsilon_group
    if budget is None:
        raise RecipeError("the protocol declares no risk budget")
    return _of_pool(study, _mean([repeat.rate <= budget for repeat in repeats]))


@metric("repeated_uncertified")
def repeated_uncertified(study: Study, arguments: Arguments) -> Value:
    repeats = _repeats(study, arguments)
    return _of_pool(study, Fraction(sum(not repeat.certified for repeat in repeats)), Fraction(len(repeats)))


@metric("repeated_disagreement")
def repeated_disagreement(study: Study, arguments: Arguments) -> Value:
    repeats, others = _repeats(study, arguments), _repeats(study, {**arguments, "selector": arguments["against"]})
    differing = sum(repeat.assigned != other.assigned for repeat, other in zip(repeats, others, strict=True))
    return _of_pool(study, Fraction(differing), Fraction(len(repeats)))


# Measurements


@metric("measured_median")
def measured_median(study: Study, arguments: Arguments) -> Value:
    frame = study.frame("measurement")
    quantity, subject = arguments["quantity"], arguments["subject"]
    rows = np.flatnonzero(frame.says("quantity", quantity) & frame.says("subject", subject))
    if not len(rows):
        raise MissingEvidenceError(f"nothing measured {quantity} of {subject}")
    values = [Fraction(value) for value in frame.numbers("value")[rows].tolist()]
    return value_of(frame, rows, statistics.median(values))
