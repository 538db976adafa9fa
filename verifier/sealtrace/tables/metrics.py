"""Named metrics: quantities of a study that a cell can ask for by name.

A metric reads distributions, action values, observations and ledgers, never a score, a summary or a
selection record: those are what was reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sealtrace.evidence.frame import Frame, Index, Matrix, Vector
from sealtrace.evidence.study import Study, as_double
from sealtrace.recompute import bootstrap, fidelity, policies, selection
from sealtrace.recompute.scores import mean
from sealtrace.records.scalars import exact
from sealtrace.tables.judgement import Rounded, round_to

Arguments = dict[str, str]


class RecipeError(Exception):
    """The recipe asks for something that the study does not have."""


class MissingEvidenceError(Exception):
    """The recipe is sound, but records that it needs are absent."""


@dataclass(frozen=True)
class Value:
    """A recomputed quantity."""

    numbers: tuple[Fraction, ...]
    frame: Frame | None = None
    rows: Index | None = None
    """The records that it was computed from."""
    marks: str | None = None
    """The marks that the cell must carry, where the metric says so."""
    rounded: Rounded | None = None
    """The same quantity from inputs that were rounded first, where it has inputs that a table would print."""

    @property
    def count(self) -> int:
        """How many records there were."""
        return 0 if self.rows is None else len(self.rows)

    def records(self, most: int = 3) -> list[str]:
        """The first few records, as people find them."""
        if self.frame is None or self.rows is None:
            return []
        return [_record(self.frame, row) for row in self.rows[:most].tolist()]


@dataclass(frozen=True)
class Metric:
    """One named metric."""

    name: str
    formula: str
    source: str
    arguments: tuple[str, ...]
    optional: tuple[str, ...]
    given: bool
    """An id, scale or declared constant rather than a result."""
    function: Callable[[Study, Arguments], Value]


METRICS: dict[str, Metric] = {}


def metric(
    name: str, formula: str, source: str, *, needs: str = "", takes: str = "", given: bool = False
) -> Callable[[Callable[[Study, Arguments], Value]], Callable[[Study, Arguments], Value]]:
    """Registers a metric; `needs` and `takes` name its required and optional arguments."""

    def register(function: Callable[[Study, Arguments], Value]) -> Callable[[Study, Arguments], Value]:
        METRICS[name] = Metric(name, formula, source, tuple(needs.split()), tuple(takes.split()), given, function)
        return function

    return register


def compute(study: Study, name: str, arguments: Arguments) -> Value:
    """The value of a metric, or `RecipeError` where it cannot be asked for so."""
    known = METRICS.get(name)
    if known is None:
        raise RecipeError(f"there is no metric {name!r}; `sealtrace metrics` lists them")
    for argument in known.arguments:
        if argument not in arguments:
            raise RecipeError(f"{name} needs the argument {argument!r}")
    for argument in arguments:
        if argument not in known.arguments + known.optional:
            raise RecipeError(f"{name} takes no argument {argument!r}")
    if not study.protocol.get("actions"):
        raise RecipeError(f"{name} is a metric of policies, and the study declares none")
    return known.function(study, arguments)


# What arguments mean


def _candidate(study: Study, text: str) -> int:
    """The bank's candidate that `arm` or `arm@scale` names; scales are compared as numbers."""
    arm, _, scale = text.partition("@")
    try:
        wanted = exact(scale) if scale else None
    except ValueError:
        raise RecipeError(f"{text!r} names no scale") from None
    for index, one in enumerate(study.candidates):
        if one.arm == arm and (None if one.scale is None else exact(one.scale)) == wanted:
            return index
    raise RecipeError(f"the bank has no policy {text!r}")


def _state(study: Study, text: str) -> int:
    places: dict[str, int] = _once(
        study, "state places", lambda: {name: place for place, name in enumerate(study.states.to_pylist())}
    )
    if text not in places:
        raise RecipeError(f"there is no observed state {text!r}")
    return places[text]


def _once(study: Study, name: str, compute_it: Callable[[], Any]) -> Any:
    """What many cells need is computed for the first of them."""
    if name not in study.memory:
        study.memory[name] = compute_it()
    return study.memory[name]


def _members(study: Study, population: str) -> Index:
    """The observed states of a population, in order of their ids."""
    members: Index = _once(study, f"members of {population}", lambda: _members_in_order(study, population))
    return members


def _members_in_order(study: Study, population: str) -> Index:
    splits, names = study.frame("observation").texts("split")
    if population == "all":
        members = np.arange(len(study.states))
    elif population in names:
        members = np.flatnonzero(splits == names.index(population))
    else:
        raise RecipeError(f"there is no population {population!r}; it is `all` or a split")
    ids = [text.encode() for text in study.states.to_pylist()]
    return np.array(sorted(members.tolist(), key=ids.__getitem__), np.int64)


def _traces(study: Study, arguments: Arguments) -> Index:
    """The traces of a policy over a population or at a state, in order of state."""
    candidate = _candidate(study, arguments["policy"])
    rows: Index = _once(
        study,
        f"traces of {candidate}",
        lambda: study.by_state("trace", np.flatnonzero(study.trace_candidate == candidate)),
    )
    if "state" in arguments:
        members = np.array([_state(study, arguments["state"])])
    else:
        members = _members(study, arguments.get("population", "all"))
    chosen = rows[members]
    if not len(chosen) or (chosen < 0).any():
        raise MissingEvidenceError(f"{arguments['policy']} has no single trace at {int((chosen < 0).sum())} states")
    traces: Index = chosen
    return traces


def _scored(study: Study, arguments: Arguments) -> tuple[Index, Index]:
    """Traces, and their places among the recomputed scores."""
    rows = _traces(study, arguments)
    places: Index = _once(study, "places of scores", lambda: _places_of_scores(study))
    if (places[rows] < 0).any():
        raise MissingEvidenceError("a state has no anchor or no action values")
    return rows, places[rows]


def _places_of_scores(study: Study) -> Index:
    places = np.full(study.frame("trace").size, -1, np.int64)
    places[study.scored.rows] = np.arange(len(study.scored.rows))
    return places


def _value(
    frame: Frame,
    rows: Index,
    *numbers: float | Fraction,
    marks: str | None = None,
    rounded: Rounded | None = None,
) -> Value:
    for number in numbers:
        if isinstance(number, float) and not np.isfinite(number):
            raise MissingEvidenceError("the value is not finite")
    return Value(tuple(Fraction(number) for number in numbers), frame, rows, marks, rounded)


def _rounded_values(values: Vector, unit: Fraction) -> list[Fraction]:
    """Values as a table would print them. A count is printed whole."""
    return [round_to(Fraction(value), unit or Fraction(1)) for value in values.tolist()]


def _record(frame: Frame, row: int) -> str:
    source, number = frame.place(row)
    return f"{source}:{number} ({' '.join(frame.key(row).values())})"


# Given quantities


@metric("state", "the numeric id of a state", "appendix B: state identity", needs="state", given=True)
def state(study: Study, arguments: Arguments) -> Value:
    place = np.array([_state(study, arguments["state"])])
    digits = "".join(character for character in arguments["state"] if character.isdigit())
    return _value(study.frame("observation"), place, Fraction(int(digits or "0")))


@metric(
    "observation", "a number that the observation records", "appendix B: observation", needs="state field", given=True
)
def observation(study: Study, arguments: Arguments) -> Value:
    frame = study.frame("observation")
    if arguments["field"] not in ("pot", "stack"):
        raise RecipeError(f"an observation has no number {arguments['field']!r}")
    place = _state(study, arguments["state"])
    return _value(frame, np.array([place]), float(frame.numbers(arguments["field"])[place]))


@metric("scale", "the scale of a candidate", "section 3.2: the ordered grid", needs="policy", given=True)
def scale(study: Study, arguments: Arguments) -> Value:
    one = study.candidates[_candidate(study, arguments["policy"])]
    if one.scale is None:
        raise RecipeError(f"{arguments['policy']} has no scale")
    return _value(study.frame("candidate"), np.array([one.row]), exact(one.scale))


@metric("constant", "a constant of the protocol", "declared before calibration", needs="path", given=True)
def constant(study: Study, arguments: Arguments) -> Value:
    node: object = study.protocol
    for part in arguments["path"].strip("/").split("/"):
        try:
            node = node[int(part)] if isinstance(node, list) else node[part]  # type: ignore[index]
        except (KeyError, IndexError, ValueError, TypeError):
            raise RecipeError(f"the protocol has no {arguments['path']}") from None
    if isinstance(node, bool) or not isinstance(node, str | int | float):
        raise RecipeError(f"the protocol's {arguments['path']} is no number")
    try:
        number = exact(node) if isinstance(node, str) else Fraction(node)
    except ValueError:
        raise RecipeError(f"the protocol's {arguments['path']} is no number") from None
    return Value((number,))


@metric("states", "how many states a population has", "appendix B: denominators", takes="population", given=True)
def states(study: Study, arguments: Arguments) -> Value:
    members = _members(study, arguments.get("population", "all"))
    return _value(study.frame("observation"), members, Fraction(len(members)))


# Utilities and deltas


def _mean_of(name: str) -> Callable[[Study, Arguments], Value]:
    def compute_mean(study: Study, arguments: Arguments) -> Value:
        rows, places = _scored(study, arguments)
        values = getattr(study.scored, name)[places]

        def rounded(unit: Fraction) -> tuple[Fraction, ...]:
            return (sum(_rounded_values(values, unit), Fraction(0)) / len(values),)

        return _value(study.frame("trace"), rows, mean(values), rounded=rounded)

    return compute_mean


metric("weak_ev", "mean of E_w(pi, s)", "appendix B: metrics", needs="policy", takes="population state")(
    _mean_of("weak")
)
metric("strong_ev", "mean of E_s(pi, s)", "appendix B: metrics", needs="policy", takes="population state")(
    _mean_of("strong")
)
metric(
    "strong_delta",
    "mean of d = E_s(pi, s) - E_s(pi_0, s)",
    "violation equation",
    needs="policy",
    takes="population state",
)(_mean_of("delta"))


@metric("delta_min", "least d over the population", "violation equation", needs="policy", takes="population")
def delta_min(study: Study, arguments: Arguments) -> Value:
    rows, places = _scored(study, arguments)
    least = int(study.scored.delta[places].argmin())
    return _value(study.frame("trace"), rows[[least]], float(study.scored.delta[places][least]))


@metric("delta_max", "greatest d over the population", "violation equation", needs="policy", takes="population")
def delta_max(study: Study, arguments: Arguments) -> Value:
    rows, places = _scored(study, arguments)
    greatest = int(study.scored.delta[places].argmax())
    return _value(study.frame("trace"), rows[[greatest]], float(study.scored.delta[places][greatest]))


@metric("marked_delta", "d at a state, with a dagger where it crosses", "violation equation", needs="policy state")
def marked_delta(study: Study, arguments: Arguments) -> Value:
    rows, places = _scored(study, arguments)
    crossed = bool(study.scored.crossed[places][0])
    return _value(study.frame("trace"), rows, float(study.scored.delta[places][0]), marks="†" if crossed else "")


@metric(
    "crossings", "how many states have d < -tau, of how many", "violation equation", needs="policy", takes="population"
)
def crossings(study: Study, arguments: Arguments) -> Value:
    rows, places = _scored(study, arguments)
    return _value(study.frame("trace"), rows, Fraction(int(study.scored.crossed[places].sum())), Fraction(len(rows)))


@metric("crossing_count", "how many states have d < -tau", "violation equation", needs="policy", takes="population")
def crossing_count(study: Study, arguments: Arguments) -> Value:
    rows, places = _scored(study, arguments)
    return _value(study.frame("trace"), rows, Fraction(int(study.scored.crossed[places].sum())))


@metric("crossing_rate", "share of states with d < -tau", "violation equation", needs="policy", takes="population")
def crossing_rate(study: Study, arguments: Arguments) -> Value:
    rows, places = _scored(study, arguments)
    return _value(study.frame("trace"), rows, Fraction(int(study.scored.crossed[places].sum()), len(rows)))


@dataclass(frozen=True)
class _Gain:
    """Paired utilities of a policy and its base."""

    rows: Index
    policy: Vector
    base: Vector

    @property
    def values(self) -> Vector:
        return self.policy - self.base

    def rounded(self, reduce: Callable[[list[Fraction]], Fraction]) -> Rounded:
        """The same reduction of differences between printed numbers."""

        def compute_it(unit: Fraction) -> tuple[Fraction, ...]:
            pairs = zip(_rounded_values(self.policy, unit), _rounded_values(self.base, unit), strict=True)
            return (reduce([one - other for one, other in pairs]),)

        return compute_it


def _gain(study: Study, arguments: Arguments) -> _Gain:
    shared = {name: text for name, text in arguments.items() if name != "base"}
    rows, places = _scored(study, shared)
    _, bases = _scored(study, {**shared, "policy": arguments["base"]})
    return _Gain(rows, study.scored.weak[places], study.scored.weak[bases])


@metric(
    "weak_gain",
    "mean of E_w(pi, s) - E_w(base, s)",
    "appendix B: paired question",
    needs="policy base",
    takes="population",
)
def weak_gain(study: Study, arguments: Arguments) -> Value:
    gain = _gain(study, arguments)
    rounded = gain.rounded(lambda values: sum(values, Fraction(0)) / len(values))
    return _value(study.frame("trace"), gain.rows, mean(gain.values), rounded=rounded)


@metric(
    "weak_gain_min",
    "least E_w(pi, s) - E_w(base, s)",
    "appendix B: paired question",
    needs="policy base",
    takes="population",
)
def weak_gain_min(study: Study, arguments: Arguments) -> Value:
    gain = _gain(study, arguments)
    least = [int(gain.values.argmin())]
    return _value(study.frame("trace"), gain.rows[least], float(gain.values.min()), rounded=gain.rounded(min))


@metric(
    "weak_gain_max",
    "greatest E_w(pi, s) - E_w(base, s)",
    "appendix B: paired question",
    needs="policy base",
    takes="population",
)
def weak_gain_max(study: Study, arguments: Arguments) -> Value:
    gain = _gain(study, arguments)
    greatest = [int(gain.values.argmax())]
    return _value(study.frame("trace"), gain.rows[greatest], float(gain.values.max()), rounded=gain.rounded(max))


def _over_policies(study: Study, arguments: Arguments) -> tuple[Index, Vector]:
    """Strong utilities of several policies, named with commas between them."""
    joined = [_scored(study, {**arguments, "policy": name.strip()}) for name in arguments["policies"].split(",")]
    rows = np.concatenate([rows for rows, _ in joined])
    return rows, study.scored.strong[np.concatenate([places for _, places in joined])]


@metric(
    "strong_ev_min", "least E_s(pi, s) over policies and states", "appendix D", needs="policies", takes="population"
)
def strong_ev_min(study: Study, arguments: Arguments) -> Value:
    rows, strong = _over_policies(study, arguments)
    return _value(study.frame("trace"), rows[[int(strong.argmin())]], float(strong.min()))


@metric(
    "strong_ev_max", "greatest E_s(pi, s) over policies and states", "appendix D", needs="policies", takes="population"
)
def strong_ev_max(study: Study, arguments: Arguments) -> Value:
    rows, strong = _over_policies(study, arguments)
    return _value(study.frame("trace"), rows[[int(strong.argmax())]], float(strong.max()))


# Fidelity


def _against_teacher(study: Study, arguments: Arguments) -> tuple[Index, Matrix, Matrix, Index]:
    rows = _traces(study, arguments)
    states = study.trace_state[rows]
    teacher = study.teacher[states]
    if not np.isfinite(teacher).all():
        raise MissingEvidenceError("a state has no teacher record")
    return rows, teacher, study.probabilities.values[rows], states


@metric(
    "teacher_kl",
    "mean of KL(teacher || policy), the policy's mass clipped below at `clip`",
    "appendix B: teacher KL",
    needs="policy clip",
    takes="population",
)
def teacher_kl(study: Study, arguments: Arguments) -> Value:
    rows, teacher, policy, _ = _against_teacher(study, arguments)
    try:
        clip = as_double(exact(arguments["clip"]))
    except ValueError:
        raise RecipeError(f"clip {arguments['clip']!r} is no number") from None
    return _value(study.frame("trace"), rows, mean(fidelity.teacher_kl(teacher, policy, clip)))


@metric(
    "teacher_regret",
    "mean of max(0, V_T - sum pi Q_T)",
    "appendix B: teacher-value regret",
    needs="policy",
    takes="population",
)
def teacher_regret(study: Study, arguments: Arguments) -> Value:
    rows, teacher, policy, states = _against_teacher(study, arguments)
    frame = study.frame("teacher")
    places = study.by_state("teacher")[states]
    if not frame.column("values").is_valid().to_numpy(zero_copy_only=False)[places].all():
        raise MissingEvidenceError("a teacher record has no action values")
    values = frame.action_matrix("values", study.actions).values[places]
    return _value(study.frame("trace"), rows, mean(fidelity.teacher_regret(teacher, policy, values)))


@metric(
    "action_agreement",
    "share of states with the teacher's top action",
    "appendix B: action agreement",
    needs="policy",
    takes="population",
)
def action_agreement(study: Study, arguments: Arguments) -> Value:
    rows, teacher, policy, states = _against_teacher(study, arguments)
    legal = study.legal.named[states]
    same = policies.top_action(teacher, legal) == policies.top_action(policy, legal)
    return _value(study.frame("trace"), rows, Fraction(int(same.sum()), len(rows)))


# Ledger


@metric(
    "query_rate",
    "share of states with an accepted query",
    "appendix C: query decisions",
    needs="policy",
    takes="population",
)
def query_rate(study: Study, arguments: Arguments) -> Value:
    rows = _traces(study, arguments)
    column = study.frame("trace").column("query")
    accepted = column.field("accepted").fill_null(False).to_numpy(zero_copy_only=False)
    asked = accepted & column.is_valid().to_numpy(zero_copy_only=False)
    return _value(study.frame("trace"), rows, Fraction(int(asked[rows].sum()), len(rows)))


def _mean_charge(name: str) -> Callable[[Study, Arguments], Value]:
    def compute_mean(study: Study, arguments: Arguments) -> Value:
        rows = _traces(study, arguments)
        column = study.frame("trace").column("ledger")
        charges = column.values.field(name).to_numpy(zero_copy_only=False).astype(np.float64)
        totals = np.concatenate([[0.0], np.cumsum(charges)])
        offsets = column.offsets.to_numpy()
        per_trace = totals[offsets[1:]] - totals[offsets[:-1]]
        return _value(study.frame("trace"), rows, mean(per_trace[rows]))

    return compute_mean


for _name in ("tokens", "latency_ms", "tool_calls"):
    metric(
        _name, f"mean of the ledger's {_name} per state", "appendix C: cost ledger", needs="policy", takes="population"
    )(_mean_charge(_name))


# Intervals

MOST_RESAMPLES = 10**6
"""More would take hours and tell nothing."""


def _seed(study: Study, arguments: Arguments) -> int:
    rule = study.protocol.get("bootstrap")
    if rule is None:
        raise RecipeError("the protocol declares no bootstrap")
    if "schedule" not in arguments:
        return int(rule["seed"])
    schedule = (rule.get("schedules") or {}).get(arguments["schedule"])
    if schedule is None:
        raise RecipeError(f"the protocol's bootstrap has no schedule {arguments['schedule']!r}")
    candidate = _candidate(study, arguments["policy"])
    places = [place for place, name in enumerate(schedule["order"]) if _candidate(study, name) == candidate]
    if not places:
        raise RecipeError(f"{arguments['policy']} has no place in the schedule {arguments['schedule']!r}")
    offset = (schedule.get("offsets") or {}).get(arguments.get("population", "all"), 0)
    return int(rule["seed"] + schedule["step"] * places[0] + offset)


def _interval(study: Study, arguments: Arguments, rows: Index, values: Vector) -> Value:
    rule = study.protocol.get("bootstrap") or {}
    seed = _seed(study, arguments)
    if not 0 < exact(rule["confidence"]) < 1 or not 0 < rule["resamples"] <= MOST_RESAMPLES:
        raise MissingEvidenceError("the protocol's bootstrap lies outside its domain")
    low, high = bootstrap.percentile_interval(values, int(rule["resamples"]), exact(rule["confidence"]), seed)
    return _value(study.frame("trace"), rows, low, high)


@metric(
    "delta_interval",
    "percentile bootstrap interval of mean d",
    "appendix B: paired bootstrap",
    needs="policy",
    takes="population schedule",
)
def delta_interval(study: Study, arguments: Arguments) -> Value:
    rows, places = _scored(study, {name: text for name, text in arguments.items() if name != "schedule"})
    return _interval(study, arguments, rows, study.scored.delta[places])


@metric(
    "difference_interval",
    "percentile bootstrap interval of mean E_w(pi, s) - E_w(base, s), the same rows drawn for both",
    "appendix B: paired bootstrap",
    needs="policy base",
    takes="population schedule",
)
def difference_interval(study: Study, arguments: Arguments) -> Value:
    gain = _gain(study, {name: text for name, text in arguments.items() if name != "schedule"})
    return _interval(study, arguments, gain.rows, gain.values)


# Single records


@metric("probability", "pi(a | s)", "section 3.2", needs="policy state action")
def probability(study: Study, arguments: Arguments) -> Value:
    rows = _traces(study, {name: arguments[name] for name in ("policy", "state")})
    return _value(study.frame("trace"), rows, float(study.probabilities.values[rows[0], _action(study, arguments)]))


def _action(study: Study, arguments: Arguments) -> int:
    if arguments["action"] not in study.actions:
        raise RecipeError(f"the protocol declares no action {arguments['action']!r}")
    return study.actions.index(arguments["action"])


def _teacher_row(study: Study, arguments: Arguments) -> int:
    row = int(study.by_state("teacher")[_state(study, arguments["state"])])
    if row < 0:
        raise MissingEvidenceError("the state has no single teacher record")
    return row


@metric("teacher_probability", "pi_T(a | s)", "appendix A: teacher", needs="state action")
def teacher_probability(study: Study, arguments: Arguments) -> Value:
    row = _teacher_row(study, arguments)
    matrix = study.frame("teacher").action_matrix("distribution", study.actions)
    return _value(study.frame("teacher"), np.array([row]), float(matrix.values[row, _action(study, arguments)]))


@metric("teacher_action_value", "Q_T(s, a)", "appendix A: teacher", needs="state action", given=True)
def teacher_action_value(study: Study, arguments: Arguments) -> Value:
    row = _teacher_row(study, arguments)
    matrix = study.frame("teacher").action_matrix("values", study.actions)
    return _value(study.frame("teacher"), np.array([row]), float(matrix.values[row, _action(study, arguments)]))


@metric("teacher_state_value", "V_T = sum_a pi_T Q_T", "appendix A: teacher", needs="state")
def teacher_state_value(study: Study, arguments: Arguments) -> Value:
    row = _teacher_row(study, arguments)
    frame = study.frame("teacher")
    product = (
        frame.action_matrix("distribution", study.actions).values[row]
        * frame.action_matrix("values", study.actions).values[row]
    )
    return _value(frame, np.array([row]), float(product.sum()))


@metric(
    "selected_scale",
    "the scale that a selector takes on the recomputed counts",
    "section 3.4: empirical-zero",
    needs="selector",
    takes="population",
)
def selected_scale(study: Study, arguments: Arguments) -> Value:
    selectors = {one["name"]: one for one in study.protocol.get("selectors") or []}
    if arguments["selector"] not in selectors:
        raise RecipeError(f"the protocol declares no selector {arguments['selector']!r}")
    arm = selectors[arguments["selector"]]["arm"]
    calibration = next(name for name, role in study.roles.items() if role == "calibration")
    counts = []
    rows = np.zeros(0, np.int64)
    for text in study.protocol["scale_grid"]:
        rows, places = _scored(
            study, {"policy": f"{arm}@{text}", "population": arguments.get("population", calibration)}
        )
        counts.append(int(study.scored.crossed[places].sum()))
    choice = selection.empirical_zero([exact(text) for text in study.protocol["scale_grid"]], counts)
    if choice.chosen is None:
        raise MissingEvidenceError("no scale is certified")
    return _value(study.frame("trace"), rows, choice.chosen)
