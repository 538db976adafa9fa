"""The metrics of a study of policies."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from sealtrace.bundle.encoding import arrow_array, by_reference, references
from sealtrace.bundle.frames import Index, Matrix, Vector, action_matrix
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics import resampling
from sealtrace.mathematics.exact import as_double, mean
from sealtrace.recipes.judgement import Rounded
from sealtrace.recipes.metrics import (
    Arguments,
    MissingEvidenceError,
    RecipeError,
    Value,
    constant_of,
    metrics_of,
    rounded_values,
    value_of,
)
from sealtrace.studies.policies.evidence.bank import ObservedFeature
from sealtrace.studies.policies.evidence.outcomes import in_order, states_of, traces_by_state
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import policies, scores
from sealtrace.studies.policies.records.protocol import Bootstrap, Feature
from sealtrace.studies.policies.uses import is_used


def candidate_place(study: Study, text: str) -> int:
    """The bank's candidate that `arm` or `arm@scale` names; scales are compared as numbers."""
    arm, _, scale = text.partition("@")
    place = study.bank.candidate_at(arm, constant_of(scale) if scale else None)
    if place is None:
        raise RecipeError(f"the bank has no policy {text!r}")
    return place


def state_place(study: Study, text: str) -> int:
    if text not in _state_places(study):
        raise RecipeError(f"there is no observed state {text!r}")
    return _state_places(study)[text]


@once
def _state_places(study: Study) -> dict[str, int]:
    return {name: place for place, name in enumerate(study.states.ids.to_pylist())}


@once
def members_of(study: Study, population: str) -> Index:
    """The observed states of a population, in order of their ids."""
    if (reason := study.states.incomplete(None if population == "all" else population)) is not None:
        raise MissingEvidenceError(reason)
    if population == "all":
        return in_order(study, np.arange(len(study.states.ids)))
    if population not in study.frame("observation").texts("split")[1]:
        raise RecipeError(f"there is no population {population!r}; it is `all` or a split")
    return states_of(study, population)


def traces_of(study: Study, arguments: Arguments) -> Index:
    """The traces of a policy over a population or at a state, in order of state."""
    rows = traces_by_state(study, candidate_place(study, arguments["policy"]))
    if "state" in arguments:
        members = np.array([state_place(study, arguments["state"])])
    else:
        members = members_of(study, arguments["population"])
    chosen: Index = rows[members]
    if not len(chosen) or (chosen < 0).any():
        raise MissingEvidenceError(f"{arguments['policy']} has no single trace at {int((chosen < 0).sum())} states")
    return chosen


def scored_traces(study: Study, arguments: Arguments, field: str) -> tuple[Index, Index]:
    """Traces, and their places among the recomputed scores, which must have the field."""
    rows = traces_of(study, arguments)
    places = _places_of_scores(study)[rows]
    if (places < 0).any() or np.isnan(getattr(study.scored, field)[places]).any():
        raise MissingEvidenceError("a state has no anchor or no action values")
    return rows, places


@once
def _places_of_scores(study: Study) -> Index:
    places = np.full(study.frame("trace").size, -1, np.int64)
    places[study.scored.rows] = np.arange(len(study.scored.rows))
    return places


metric = metrics_of("policies")

# Given quantities


@metric("state")
def state(study: Study, arguments: Arguments) -> Value:
    place = np.array([state_place(study, arguments["state"])])
    digits = "".join(character for character in arguments["state"] if character.isdigit())
    return value_of(study.frame("observation"), place, Fraction(int(digits or "0")))


@metric("observation")
def observation(study: Study, arguments: Arguments) -> Value:
    frame = study.frame("observation")
    field = arguments["field"]
    if field not in study.states.observed or not ObservedFeature(Feature(field=field, form="number")).fits(
        frame.table.schema
    ):
        raise RecipeError(f"an observation has no number {field!r}")
    place = state_place(study, arguments["state"])
    return value_of(frame, np.array([place]), float(frame.numbers(field)[place]))


@metric("scale")
def scale(study: Study, arguments: Arguments) -> Value:
    candidate = study.candidates[candidate_place(study, arguments["policy"])]
    if candidate.scale is None:
        raise RecipeError(f"{arguments['policy']} has no scale")
    return value_of(study.frame("candidate"), np.array([candidate.row]), exact(candidate.scale))


@metric("constant")
def constant(study: Study, arguments: Arguments) -> Value:
    node: object = study.evidence.protocol
    for part in arguments["path"].strip("/").split("/"):
        try:
            node = node[int(part)] if isinstance(node, list) else node[part]  # type: ignore[index]
        except (KeyError, IndexError, ValueError, TypeError):
            raise RecipeError(f"the protocol has no {arguments['path']}") from None
    if isinstance(node, bool) or not isinstance(node, str | int | float):
        raise RecipeError(f"the protocol's {arguments['path']} is no number")
    number = constant_of(node) if isinstance(node, str) else Fraction(node)
    used = is_used(study, arguments["path"].strip("/").split("/"))
    return Value((number,), fixed=None if used else "a constant of the protocol that nothing else uses")


@metric("states")
def states(study: Study, arguments: Arguments) -> Value:
    members = members_of(study, arguments["population"])
    return value_of(study.frame("observation"), members, Fraction(len(members)))


# Utilities and deltas


def _mean_score(study: Study, arguments: Arguments, field: str) -> Value:
    rows, places = scored_traces(study, arguments, field)
    values = getattr(study.scored, field)[places]

    def rounded(unit: Fraction) -> tuple[Fraction, ...] | None:
        return (sum(rounded_values(values, unit), Fraction(0)) / len(values),)

    return value_of(study.frame("trace"), rows, mean(values), rounded=rounded)


for _field, _names in {
    "weak": ("weak_ev", "expected_utility"),
    "strong": ("strong_ev", "expected_risk"),
    "delta": ("strong_delta", "degradation"),
}.items():
    for _name in _names:
        metric(_name)(partial(_mean_score, field=_field))


def _crossings(study: Study, arguments: Arguments, reduce: Callable[[int, int], tuple[Fraction, ...]]) -> Value:
    rows, places = scored_traces(study, arguments, "delta")
    return value_of(study.frame("trace"), rows, *reduce(int(study.scored.crossed[places].sum()), len(rows)))


metric("crossings")(partial(_crossings, reduce=lambda k, n: (Fraction(k), Fraction(n))))
metric("crossing_count")(partial(_crossings, reduce=lambda k, _: (Fraction(k),)))
metric("crossing_rate")(partial(_crossings, reduce=lambda k, n: (Fraction(k, n),)))


@metric("marked_delta")
def marked_delta(study: Study, arguments: Arguments) -> Value:
    rows, places = scored_traces(study, arguments, "delta")
    crossed = bool(study.scored.crossed[places][0])
    return value_of(study.frame("trace"), rows, float(study.scored.delta[places][0]), marks="†" if crossed else "")


def _gain(study: Study, arguments: Arguments) -> tuple[Index, Vector, Vector]:
    """Paired utilities of a policy and its base, with the policy's traces."""
    rows, places = scored_traces(study, arguments, "weak")
    _, bases = scored_traces(study, {**arguments, "policy": arguments["base"]}, "weak")
    return rows, study.scored.weak[places], study.scored.weak[bases]


def _rounded(policy: Vector, base: Vector, reduce: Callable[[list[Fraction]], Fraction]) -> Rounded:
    """A reduction of differences between printed numbers."""

    def compute_it(unit: Fraction) -> tuple[Fraction, ...] | None:
        if not np.isfinite(policy - base).all():
            return None
        pairs = zip(rounded_values(policy, unit), rounded_values(base, unit), strict=True)
        return (reduce([gained - lost for gained, lost in pairs]),)

    return compute_it


@metric("weak_gain")
def weak_gain(study: Study, arguments: Arguments) -> Value:
    rows, policy, base = _gain(study, arguments)
    rounded = _rounded(policy, base, lambda values: sum(values, Fraction(0)) / len(values))
    return value_of(study.frame("trace"), rows, mean(policy - base), rounded=rounded)


def _extremes(end: str, place_of: Callable[[Vector], np.intp], reduce: Callable[[list[Fraction]], Fraction]) -> None:
    """Registers the least or the greatest of what differs between states, with the one trace that has it."""

    def extreme(study: Study, rows: Index, values: Vector, rounded: Rounded | None = None) -> Value:
        place = int(place_of(values))
        return value_of(study.frame("trace"), rows[[place]], float(values[place]), rounded=rounded)

    @metric(f"delta_{end}")
    def delta(study: Study, arguments: Arguments) -> Value:
        rows, places = scored_traces(study, arguments, "delta")
        return extreme(study, rows, study.scored.delta[places])

    @metric(f"weak_gain_{end}")
    def gain(study: Study, arguments: Arguments) -> Value:
        rows, policy, base = _gain(study, arguments)
        return extreme(study, rows, policy - base, _rounded(policy, base, reduce))

    @metric(f"strong_ev_{end}")
    def strong(study: Study, arguments: Arguments) -> Value:
        named = [{**arguments, "policy": name.strip()} for name in arguments["policies"].split(",")]
        rows, places = zip(*(scored_traces(study, of_policy, "strong") for of_policy in named), strict=True)
        return extreme(study, np.concatenate(rows), study.scored.strong[np.concatenate(places)])


_extremes("min", np.argmin, min)
_extremes("max", np.argmax, max)


# Fidelity


def _against_teacher(study: Study, arguments: Arguments) -> tuple[Index, Matrix, Matrix, Index]:
    rows = traces_of(study, arguments)
    states = study.joined.state[rows]
    teacher = study.states.teacher[states]
    if not np.isfinite(teacher).all():
        raise MissingEvidenceError("a state has no teacher record")
    return rows, teacher, study.joined.probabilities.values[rows], states


@metric("teacher_kl")
def teacher_kl(study: Study, arguments: Arguments) -> Value:
    rows, teacher, policy, _ = _against_teacher(study, arguments)
    clip = as_double(constant_of(arguments["clip"]))
    return value_of(study.frame("trace"), rows, mean(scores.teacher_kl(teacher, policy, clip)))


@metric("teacher_regret")
def teacher_regret(study: Study, arguments: Arguments) -> Value:
    rows, teacher, policy, states = _against_teacher(study, arguments)
    frame = study.frame("teacher")
    places = study.states.by_state("teacher")[states]
    if not frame.column("values").is_valid().to_numpy(zero_copy_only=False)[places].all():
        raise MissingEvidenceError("a teacher record has no action values")
    values = action_matrix(frame, "values", study.actions).values[places]
    return value_of(study.frame("trace"), rows, mean(scores.teacher_regret(teacher, policy, values)))


@metric("action_agreement")
def action_agreement(study: Study, arguments: Arguments) -> Value:
    rows, teacher, policy, states = _against_teacher(study, arguments)
    legal = study.states.legal.named[states]
    same = policies.top_action(teacher, legal) == policies.top_action(policy, legal)
    return value_of(study.frame("trace"), rows, Fraction(int(same.sum()), len(rows)))


# Ledger


@metric("query_rate")
def query_rate(study: Study, arguments: Arguments) -> Value:
    rows = traces_of(study, arguments)
    column = study.frame("trace").column("query")
    accepted = column.field("accepted").fill_null(False).to_numpy(zero_copy_only=False)
    asked = accepted & column.is_valid().to_numpy(zero_copy_only=False)
    return value_of(study.frame("trace"), rows, Fraction(int(asked[rows].sum()), len(rows)))


def charged(study: Study, quantity: str, traces: Index) -> Fraction:
    """What the ledgers of some traces charge together, exactly.

    A stored double that is the nearest one to its event's declared charge stands for the declared decimal.
    """
    if quantity not in study.declared.counted:
        raise RecipeError(f"ledgers count no {quantity!r}; they count {', '.join(study.declared.counted)}")
    items = study.frame("trace").column("ledger").take(arrow_array(traces)).flatten()
    if items.field(quantity).null_count:
        raise MissingEvidenceError(f"a ledger leaves out its {quantity}")
    events, amounts = by_reference(items.field("event")), items.field(quantity).dictionary_encode()
    named, told = events.dictionary.to_pylist(), amounts.dictionary.to_pylist()
    # Arrow would group them, and import everything that it has for files and networks first.
    charges = references(events).astype(np.int64) * len(told) + references(amounts)
    total = Fraction(0)
    for charge, times in zip(*(one.tolist() for one in np.unique(charges, return_counts=True)), strict=True):
        event, amount = named[charge // len(told)], told[charge % len(told)]
        declared = study.declared.charges.get(event, {}).get(quantity)
        usual = declared is not None and float(amount) == as_double(Fraction(declared))
        total += times * Fraction(declared if declared is not None and usual else amount)
    return total


def _mean_charge(study: Study, arguments: Arguments, quantity: str | None = None) -> Value:
    rows, name = traces_of(study, arguments), quantity or arguments["quantity"]
    return value_of(study.frame("trace"), rows, charged(study, name, rows) / len(rows))


metric("cost")(_mean_charge)
for _name in ("tokens", "latency_ms", "tool_calls"):
    metric(_name)(partial(_mean_charge, quantity=_name))


# Intervals

MOST_RESAMPLES = 10**6
"""More would take hours and tell nothing."""


def _seed(study: Study, rule: Bootstrap, arguments: Arguments) -> int:
    if "schedule" not in arguments:
        return rule.seed
    schedule = (rule.schedules or {}).get(arguments["schedule"])
    if schedule is None:
        raise RecipeError(f"the protocol's bootstrap has no schedule {arguments['schedule']!r}")
    candidate = candidate_place(study, arguments["policy"])
    places = [place for place, name in enumerate(schedule.order) if candidate_place(study, name) == candidate]
    if not places:
        raise RecipeError(f"{arguments['policy']} has no place in the schedule {arguments['schedule']!r}")
    offset = (schedule.offsets or {}).get(arguments["population"], 0)
    return rule.seed + schedule.step * places[0] + offset


def _interval(study: Study, arguments: Arguments, rows: Index, values: Vector) -> Value:
    rule = study.declared.bootstrap
    if rule is None:
        raise RecipeError("the protocol declares no bootstrap")
    seed = _seed(study, rule, arguments)
    if not 0 < exact(rule.confidence) < 1 or not 0 < rule.resamples <= MOST_RESAMPLES:
        raise MissingEvidenceError("the protocol's bootstrap lies outside its domain")
    low, high = resampling.percentile_interval(values, rule.resamples, exact(rule.confidence), seed)
    return value_of(study.frame("trace"), rows, low, high)


@metric("delta_interval")
def delta_interval(study: Study, arguments: Arguments) -> Value:
    rows, places = scored_traces(study, arguments, "delta")
    return _interval(study, arguments, rows, study.scored.delta[places])


@metric("difference_interval")
def difference_interval(study: Study, arguments: Arguments) -> Value:
    rows, policy, base = _gain(study, arguments)
    return _interval(study, arguments, rows, policy - base)


# Single records


@metric("probability")
def probability(study: Study, arguments: Arguments) -> Value:
    rows = traces_of(study, {name: arguments[name] for name in ("policy", "state")})
    return value_of(
        study.frame("trace"), rows, float(study.joined.probabilities.values[rows[0], _action(study, arguments)])
    )


def _action(study: Study, arguments: Arguments) -> int:
    if arguments["action"] not in study.actions:
        raise RecipeError(f"the protocol declares no action {arguments['action']!r}")
    return study.actions.index(arguments["action"])


def _of_teacher(name: str, compute: Callable[[Vector, Vector, Callable[[], int]], float]) -> None:
    """Registers what the teacher's probabilities and action values at a state give."""

    @metric(name)
    def compute_it(study: Study, arguments: Arguments) -> Value:
        row, frame = (
            int(study.states.by_state("teacher")[state_place(study, arguments["state"])]),
            study.frame("teacher"),
        )
        if row < 0:
            raise MissingEvidenceError("the state has no single teacher record")
        fields = "distribution", "values"
        chances, values = (action_matrix(frame, field, study.actions).values[row] for field in fields)
        return value_of(frame, np.array([row]), float(compute(chances, values, partial(_action, study, arguments))))


_of_teacher("teacher_probability", lambda chances, _, action: chances[action()])
_of_teacher("teacher_action_value", lambda _, values, action: values[action()])
_of_teacher("teacher_state_value", lambda chances, values, _: (chances * values).sum())
