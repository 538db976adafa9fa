"""The metrics of games: students and their hands, association of risk with endpoints, recorded behaviour."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from fractions import Fraction

import numpy as np

from sealtrace.bundle.defects import nearest
from sealtrace.bundle.frames import Index
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics import Vector
from sealtrace.recipes.metrics import Arguments, MissingEvidenceError, RecipeError, Value, metrics_of
from sealtrace.recipes.printed_counts import together
from sealtrace.studies.games.behaviour import POLICIES, BehaviourRecords, Forecast, behaviour_of
from sealtrace.studies.games.contest import MOST_PAIRS, Hands, hands_of, spread
from sealtrace.studies.games.evidence import GameStudy, IncompleteProfileError
from sealtrace.studies.games.mathematics import association
from sealtrace.studies.games.mathematics.evaluation import Evaluation, evaluate
from sealtrace.studies.games.mathematics.students import deltas, evaluators
from sealtrace.studies.games.records import Association
from sealtrace.studies.games.students import ARMS, Calibrated, Students, students_of

metric = metrics_of("games")


def _playable(study: GameStudy) -> None:
    if not study.playable:
        raise MissingEvidenceError("the declared game cannot be dealt")


def _evaluated(study: GameStudy, arguments: Arguments) -> tuple[int, Evaluation]:
    name = arguments["profile"]
    _playable(study)
    if not len(study.rows_of(name)):
        raise RecipeError(f"there is no profile {name!r}")
    try:
        return study.evaluation(name)
    except IncompleteProfileError:
        raise MissingEvidenceError(f"the profile {name!r} is no strategy of the whole game") from None


def _value(study: GameStudy, arguments: Arguments, number: float) -> Value:
    return Value((Fraction(float(number)),), study.frame("profile"), study.rows_of(arguments["profile"]))


@metric("best_response")
def best_response(study: GameStudy, arguments: Arguments) -> Value:
    place, values = _evaluated(study, arguments)
    if arguments["player"] not in ("0", "1"):
        raise RecipeError("the player of a best response is 0 or 1")
    return _value(study, arguments, getattr(values, f"best_response_{arguments['player']}")[place])


def _of_profile(name: str, quantity: str) -> None:
    @metric(name)
    def compute_it(study: GameStudy, arguments: Arguments) -> Value:
        place, values = _evaluated(study, arguments)
        return _value(study, arguments, getattr(values, quantity)[place])


_of_profile("profile_value", "value")
_of_profile("nash_conv", "nash_conv")
_of_profile("exploitability", "exploitability")


@metric("run_setting")
def run_setting(study: GameStudy, arguments: Arguments) -> Value:
    frame = study.frame("run")
    rows = np.flatnonzero(frame.says("run", arguments["run"]))
    if len(rows) != 1:
        raise RecipeError(f"there is no run {arguments['run']!r}, or more than one")
    settings = dict(frame.column("settings")[int(rows[0])].as_py() or [])
    if arguments["setting"] not in settings:
        raise RecipeError(f"the run {arguments['run']!r} declares no {arguments['setting']!r}")
    number = exact(settings[arguments["setting"]])
    return Value((number,), frame, rows, fixed="a setting of a run that nothing else uses")


# Students


def declared_students(study: GameStudy) -> Students:
    _playable(study)
    students = students_of(study)
    if students is None or not students.documents:
        raise RecipeError("the study declares no students")
    if students.evaluators is None:
        raise MissingEvidenceError("the teacher's profile is not whole")
    if len(students.by_run) < len(students.documents):
        raise MissingEvidenceError("the weights of a student cannot be run")
    return students


def _candidates(study: GameStudy, arguments: Arguments) -> list[str]:
    """The candidates of an arm, one per run: students as it deploys them, or the profiles `arm/run` of the contest.

    An arm that is no such is a candidate itself.
    """
    arm = arguments["arm"]
    wanted = None if arguments["runs"] == "all" else arguments["runs"].split(",")
    if arm not in ARMS:
        hands = hands_of(study)
        declared = [] if hands is None else hands.declared.arms
        trained = {name.removeprefix(f"{arm}/"): name for name in declared if name.startswith(f"{arm}/")}
        if arm in declared or not trained:
            return [arm]
        return [trained[run] for run in _runs(wanted, list(trained))]
    students = declared_students(study)
    deployed = [students.candidate(arm, run) for run in _runs(wanted, list(students.by_run))]
    found = [name for name in deployed if name is not None]
    if len(found) < len(deployed):
        raise MissingEvidenceError("calibration certifies no scale of some run")
    return found


def _runs(wanted: list[str] | None, known: list[str]) -> list[str]:
    runs = known if wanted is None else wanted
    if unknown := [run for run in runs if run not in known]:
        raise RecipeError(f"there is no run {unknown[0]!r}")
    return runs


_PROFILED = ("nash_conv", "exploitability", "best_response_0", "best_response_1")
_STATED = ("weak_ev", "strong_ev", "violation")
_TAUGHT = ("accuracy", "calibration_error", "gap")
"""Beside the teacher: held-out states with the teacher's likeliest action; how far the probability of the likeliest
action lies from the teacher's of the same action; and exploitability less the teacher's."""
_PLAYED = ("score", "hand_ev")
QUANTITIES = (*_STATED, *_TAUGHT, *_PROFILED, *_PLAYED)


@once
def quantity_of(study: GameStudy, quantity: str, names: tuple[str, ...], teacher: str | None = None) -> Vector:
    """One number per candidate."""
    if quantity not in QUANTITIES:
        raise RecipeError(f"there is no quantity {quantity!r}{nearest(quantity, QUANTITIES)}")
    policies = _policies(study, names)
    if quantity in _PROFILED:
        profiled: Vector = getattr(evaluate(study.game, policies), quantity)
        return profiled
    if quantity in _PLAYED:
        return np.array([_PLAYS[quantity](*_played(study, [name], "all"), {})[0] for name in names], np.float64)
    if quantity in _TAUGHT:
        return _beside_teacher(study, quantity, policies, teacher)
    if quantity == "violation" and students_of(study) is None:
        return _violated_sets(study, names, policies)
    students = declared_students(study)
    assert students.evaluators is not None
    states = students.samples["held_out"]
    if quantity == "violation":
        counts = [
            int(students.violated(policy[None], _run_of(students, name), states)[0])
            for name, policy in zip(names, policies, strict=True)
        ]
        return np.array(counts) / len(states)
    values = (policies * students.evaluators[_STATED.index(quantity)]).sum(axis=-1)
    means: Vector = values[:, states].mean(axis=1)
    return means


def _policies(study: GameStudy, names: tuple[str, ...]) -> Vector:
    """The policies of candidates: of students, or sealed as profiles."""
    _playable(study)
    students = students_of(study)
    known = study.profiles if students is None else {**study.profiles, **students.policies}
    for name in names:
        if name not in known:
            if students is not None and students.documents:
                declared_students(study)
            if len(study.rows_of(name)):
                raise MissingEvidenceError(f"the profile {name!r} is no strategy of the whole game")
            raise RecipeError(f"there is no profile, and no student and scale, {name!r}")
    return np.stack([known[name] for name in names])


def _run_of(students: Students, candidate: str) -> str:
    """The run of `run@scale`, or of `arm/run`; its base is what a violation is measured from."""
    run = candidate.rpartition("@")[0] or candidate.rpartition("/")[2]
    if run not in students.by_run:
        raise RecipeError(f"{candidate!r} belongs to no student, whose base it could be compared with")
    return run


def _beside_teacher(study: GameStudy, quantity: str, policies: Vector, teacher: str | None) -> Vector:
    """Beside the declared teacher on held-out states; without students, beside a named one at all information sets."""
    students = students_of(study)
    name = teacher if students is None else declared_students(study).declared.teacher
    if name is None:
        raise RecipeError("the study declares no students, so the recipe has to name the teacher")
    if students is not None and teacher not in (None, name):
        raise RecipeError(f"the study declares the teacher {name!r}")
    place, known = _evaluated(study, {"profile": name})
    if quantity == "gap":
        gaps: Vector = evaluate(study.game, policies).exploitability - known.exploitability[place]
        return gaps
    plan, top = study.profiles[name], policies.argmax(axis=-1)[..., None]
    if quantity == "accuracy":
        each = (top[..., 0] == plan.argmax(axis=-1)).astype(float)
    else:
        own = np.take_along_axis(policies, top, axis=-1)
        each = np.abs(own - np.take_along_axis(np.broadcast_to(plan, policies.shape), top, axis=-1))[..., 0]
    states = slice(None) if students is None else students.samples["held_out"]
    means: Vector = each[:, states].mean(axis=1)
    return means


def _violated_sets(study: GameStudy, names: tuple[str, ...], policies: Vector) -> Vector:
    """Of arms that are sealed as profiles: the share of information sets that each violates, all alike."""
    hands = hands_of(study)
    declared = None if hands is None else hands.declared.violation
    if declared is None:
        raise RecipeError("the study declares no students, and its contest not what a violation is")
    smoothing, tau = exact(declared.smoothing), exact(declared.tau)
    if not (0 < smoothing <= 1 and tau > 0):
        raise RecipeError("the contest declares a smoothing outside (0, 1], or a tau that is not positive")
    _, strong = evaluators(study.game, _policies(study, (declared.evaluator,))[0], float(smoothing))
    bases = _policies(study, tuple(f"{declared.base}/{name.rpartition('/')[2]}" for name in names))
    margins = deltas(policies, strong, bases) + float(tau)
    # Values are sums of a few hundred products of doubles: nearer than this, rounding would decide.
    if (np.abs(margins) < 1e-9).any():
        raise MissingEvidenceError("a difference lies too near to the threshold to be judged")
    return np.asarray((margins < 0).mean(axis=1), np.float64)


@metric("over_seeds")
def over_seeds(study: GameStudy, arguments: Arguments) -> Value:
    names = tuple(_candidates(study, arguments))
    values = quantity_of(study, arguments["quantity"], names, arguments.get("teacher"))
    return _of_seeds(study, names, values, arguments.get("statistic", "both"))


def _of_seeds(study: GameStudy, names: Collection[str], values: Vector, statistic: str) -> Value:
    """Mean and deviation of one number for each training seed, or one of the two."""
    mean, repeats = Fraction(float(values.mean())), together(study.evidence, names)
    if statistic == "mean":
        return Value((mean,), repeats=repeats)
    said = students_of(study) or hands_of(study)
    divisor = None if said is None else said.declared.divisor
    if divisor is None:
        raise RecipeError("the study declares no divisor of deviations over seeds; the statistic can only be the mean")
    if divisor == "n-1" and len(values) < 2:
        raise RecipeError("a deviation with the divisor n - 1 needs two seeds")
    if statistic not in ("sd", "both"):
        raise RecipeError("the statistic over seeds is mean, sd or both")
    deviation = Fraction(float(values.std(ddof=int(divisor == "n-1"))))
    return Value((deviation,) if statistic == "sd" else (mean, deviation), repeats=repeats)


@metric("violations")
def violations(study: GameStudy, arguments: Arguments) -> Value:
    names = _candidates(study, arguments)
    shares = quantity_of(study, "violation", tuple(names))
    students = students_of(study)
    size = len(study.game.information_sets) if students is None else students.declared.held_out.draws
    counts = np.rint(shares * size).astype(np.int64)
    numbers = Fraction(int(counts.sum())), Fraction(size * len(names))
    return Value(numbers, repeats=together(study.evidence, names))


def _calibrated(study: GameStudy, run: str) -> tuple[str, Calibrated]:
    students = declared_students(study)
    if run not in students.calibrated:
        raise RecipeError(f"there is no run {run!r}")
    place = students.chosen(run)
    if place is None:
        raise MissingEvidenceError(f"calibration certifies no scale of {run!r}")
    return students.declared.scales[place], students.calibrated[run][place]


def _of_calibration(name: str, numbers: Callable[[str, Calibrated], tuple[int | float | Fraction, ...]]) -> None:
    @metric(name)
    def compute_it(study: GameStudy, arguments: Arguments) -> Value:
        found = numbers(*_calibrated(study, arguments["run"]))
        return Value(tuple(Fraction(number) for number in found))


_of_calibration("calibrated_scale", lambda scale, _: (exact(scale),))
_of_calibration("calibrated_count", lambda _, result: (result.violations, result.states))
_of_calibration("calibrated_bound", lambda _, result: (result.bound,))


# Played hands


def _played(study: GameStudy, names: list[str], opponent: str) -> tuple[Hands, Index]:
    """The hands of candidates, where each of them is there."""
    _playable(study)
    hands = hands_of(study)
    if hands is None:
        raise RecipeError("the study declares no contest")
    declared = hands.declared
    opponents = declared.opponents if opponent == "all" else [opponent]
    for kind, known, wanted in (("arm", declared.arms, names), ("opponent", declared.opponents, opponents)):
        if unknown := [name for name in wanted if name not in known]:
            raise RecipeError(f"the contest has no {kind} {unknown[0]!r}")
    if declared.pairs > MOST_PAIRS or not hands.whole(names, opponents):
        raise MissingEvidenceError("not every hand of the contest is there, legal and in both seats")
    return hands, hands.rows_of(names, opponents)


Played = Callable[[Hands, Index, Arguments], tuple[float | Fraction, ...]]
"""What becomes of some hands."""


def _score(hands: Hands, rows: Index, _: Arguments) -> tuple[float]:
    return (float(((np.sign(hands.due_returns[rows]) + 1) / 2).mean()),)


def _hand_ev(hands: Hands, rows: Index, _: Arguments) -> tuple[float]:
    return (float(hands.due_returns[rows].mean()),)


def _match_rate(hands: Hands, rows: Index, arguments: Arguments) -> tuple[Fraction]:
    signs = {"win": 1, "tie": 0, "loss": -1}
    if arguments["result"] not in signs:
        raise RecipeError("a result is win, tie or loss")
    count = int((np.sign(hands.due_returns[rows]) == signs[arguments["result"]]).sum())
    return (Fraction(count, len(rows)),)


def _interval(hands: Hands, rows: Index, _: Arguments) -> tuple[float, float]:
    found, z = spread(hands.pair_means(rows)), float(exact(hands.declared.z))
    return found.mean - z * found.error, found.mean + z * found.error


def _of_hands(name: str, reduce: Played) -> None:
    """Registers a metric of the hands of some candidates against one opponent, or all."""

    @metric(name)
    def compute_it(study: GameStudy, arguments: Arguments) -> Value:
        names = _candidates(study, arguments)
        hands, rows = _played(study, names, arguments["opponent"])
        numbers = tuple(Fraction(value) for value in reduce(hands, rows, arguments))
        return Value(numbers, hands.frame, rows, repeats=together(study.evidence, names))


_PLAYS: dict[str, Played] = {"score": _score, "hand_ev": _hand_ev}
_of_hands("match_rate", _match_rate)
_of_hands("match_score", _score)
_of_hands("hand_ev", _hand_ev)
_of_hands("hand_ev_interval", _interval)
_of_hands("hands", lambda _, rows, __: (Fraction(len(rows)),))


@metric("tree_ev")
def tree_ev(study: GameStudy, arguments: Arguments) -> Value:
    _playable(study)
    hands = hands_of(study)
    if hands is None:
        raise RecipeError("the study declares no contest")
    names = _candidates(study, arguments)
    values = [hands.exact(name, arguments["opponent"]) for name in names]
    found = [value for value in values if value is not None]
    if len(found) < len(values):
        raise MissingEvidenceError("a profile of the pairing is not whole")
    if "statistic" in arguments:
        return _of_seeds(study, names, np.array(found), arguments["statistic"])
    return Value((Fraction(sum(found) / len(found)),), repeats=together(study.evidence, names))


def _associated(study: GameStudy, arguments: Arguments) -> tuple[Vector, Vector, Association]:
    """Held-out violation rates and an endpoint, over every student at every scale."""
    students = declared_students(study)
    settings = students.declared.association
    if settings is None:
        raise RecipeError("the study declares no association")
    names = list(students.policies)
    if arguments["endpoint"] not in QUANTITIES:
        raise RecipeError(f"there is no endpoint {arguments['endpoint']!r}; there are {', '.join(QUANTITIES)}")
    violation = quantity_of(study, "violation", tuple(names))
    return violation, quantity_of(study, arguments["endpoint"], tuple(names)), settings


def _register(measure: str) -> None:
    """The coefficient, its bootstrap interval, and the share of shuffles that reach it."""
    compute = {"spearman": association.spearman, "kendall": association.kendall}[measure]

    @metric(measure)
    def coefficient(study: GameStudy, arguments: Arguments) -> Value:
        risks, values, _ = _associated(study, arguments)
        return _defined(study, float(compute(risks, values)))

    @metric(f"{measure}_interval")
    def interval(study: GameStudy, arguments: Arguments) -> Value:
        risks, values, settings = _associated(study, arguments)
        level = exact(settings.confidence)
        if not 0 < level < 1:
            raise RecipeError("a confidence level lies between 0 and 1")
        drawn = settings.resamples, level, settings.seed
        return _defined(study, *association.bootstrap_interval(measure, risks, values, *drawn))

    @metric(f"{measure}_permutation")
    def permutation(study: GameStudy, arguments: Arguments) -> Value:
        risks, values, settings = _associated(study, arguments)
        shuffled = settings.permutations, settings.seed
        return _defined(study, association.permutation_share(measure, risks, values, *shuffled))


_register("spearman")
_register("kendall")


@metric("candidates")
def candidates(study: GameStudy, _: Arguments) -> Value:
    return Value((Fraction(len(declared_students(study).policies)),))


def _defined(study: GameStudy, *numbers: float) -> Value:
    if not all(map(math.isfinite, numbers)):
        raise MissingEvidenceError("one side does not vary, so there is no correlation")
    students = declared_students(study)
    repeats = together(study.evidence, students.by_run, student=students.by_run, scale=students.declared.scales)
    return Value(tuple(map(Fraction, numbers)), repeats=repeats)


def _declared_behaviour(study: GameStudy) -> BehaviourRecords:
    behaviour = behaviour_of(study)
    if behaviour is None:
        raise RecipeError("the study declares no behaviour")
    return behaviour


def _forecast(study: GameStudy, arguments: Arguments) -> tuple[BehaviourRecords, Forecast]:
    behaviour = _declared_behaviour(study)
    if arguments["policy"] not in POLICIES:
        raise RecipeError(f"there is no predictor {arguments['policy']!r}; there are {', '.join(POLICIES)}")
    if behaviour.read[1]:
        raise MissingEvidenceError("a hand cannot be read")
    if not len(behaviour.labels) or not behaviour.of_split("calibration"):
        raise MissingEvidenceError("a split has no snapshot")
    return behaviour, behaviour.forecast(arguments["policy"])


@metric("action_accuracy")
def action_accuracy(study: GameStudy, arguments: Arguments) -> Value:
    behaviour, forecast = _forecast(study, arguments)
    right = int((forecast.probabilities.argmax(axis=1) == behaviour.labels).sum())
    return Value((Fraction(right, len(behaviour.labels)),))


@metric("log_loss")
def log_loss(study: GameStudy, arguments: Arguments) -> Value:
    behaviour, forecast = _forecast(study, arguments)
    given = forecast.probabilities[np.arange(len(behaviour.labels)), behaviour.labels]
    clipped = np.maximum(given, float(exact(behaviour.declared.clip)))
    return Value((Fraction(float(-np.log(clipped).mean())),))


@metric("raise_agreement")
def raise_agreement(study: GameStudy, arguments: Arguments) -> Value:
    behaviour, forecast = _forecast(study, arguments)
    raised = [each.size for each in behaviour.of_split("evaluation")]
    if not any(behaviour.raises):
        raise MissingEvidenceError("nobody raised on the evaluation split")
    right = sum(size is not None and size == said for size, said in zip(raised, forecast.sizes, strict=True))
    return Value((Fraction(right, int(behaviour.raises.sum())),))


@metric("snapshots")
def snapshots(study: GameStudy, arguments: Arguments) -> Value:
    found = _declared_behaviour(study).of_split(arguments["split"])
    label = arguments.get("label")
    return Value((Fraction(sum(label in (None, each.decision.label) for each in found)),))
