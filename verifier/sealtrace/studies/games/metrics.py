"""The metrics of games: students and their hands, association of risk with endpoints, recorded behaviour."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from sealtrace.bundle.defects import nearest
from sealtrace.bundle.frames import Index
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.printed.metrics import Arguments, MissingEvidenceError, RecipeError, Value, metrics_of
from sealtrace.studies.games.behaviour import POLICIES, Behaviour, Forecast, behaviour_of
from sealtrace.studies.games.contest import MOST_PAIRS, Hands, hands_of, spread
from sealtrace.studies.games.evidence import GameStudy, IncompleteProfileError
from sealtrace.studies.games.mathematics import association
from sealtrace.studies.games.mathematics.evaluation import Evaluation, evaluate
from sealtrace.studies.games.mathematics.tables import Vector
from sealtrace.studies.games.students import ARMS, Calibrated, Students, students_of

metric = metrics_of("games")

_DEFINITION = "RSD-Poker paper, appendix D: best responses, NashConv and exploitability"


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


@metric("best_response", "b_i = max over σ_i of u_i(σ_i, σ_-i)", _DEFINITION, needs="profile player")
def best_response(study: GameStudy, arguments: Arguments) -> Value:
    place, values = _evaluated(study, arguments)
    responses = {"0": values.best_response_0, "1": values.best_response_1}
    if arguments["player"] not in responses:
        raise RecipeError("the player of a best response is 0 or 1")
    return _value(study, arguments, responses[arguments["player"]][place])


def _of_profile(name: str, formula: str, pick: Callable[[Evaluation], Vector]) -> None:
    @metric(name, formula, _DEFINITION, needs="profile")
    def compute_it(study: GameStudy, arguments: Arguments) -> Value:
        place, values = _evaluated(study, arguments)
        return _value(study, arguments, pick(values)[place])


_of_profile(
    "profile_value", "u_0(σ): what player 0 wins on average where both follow the profile", lambda values: values.value
)
_of_profile("nash_conv", "Σ_i [b_i - u_i], which is b_0 + b_1 in a zero-sum game", lambda values: values.nash_conv)
_of_profile("exploitability", "NashConv / 2", lambda values: values.exploitability)


@metric("run_setting", "a setting that a run declares", "the run's record", needs="run setting", given=True)
def run_setting(study: GameStudy, arguments: Arguments) -> Value:
    frame = study.frame("run")
    codes, names = frame.texts("run")
    rows = (
        np.flatnonzero(codes == names.index(arguments["run"])) if arguments["run"] in names else np.zeros(0, np.int64)
    )
    if len(rows) != 1:
        raise RecipeError(f"there is no run {arguments['run']!r}, or more than one")
    settings = dict(frame.column("settings")[int(rows[0])].as_py() or [])
    if arguments["setting"] not in settings:
        raise RecipeError(f"the run {arguments['run']!r} declares no {arguments['setting']!r}")
    return Value(
        (exact(settings[arguments["setting"]]),), frame, rows, fixed="a setting of a run that nothing else uses"
    )


# Students


def declared_students(study: GameStudy) -> Students:
    _playable(study)
    students = students_of(study)
    if not students.declared or not students.documents:
        raise RecipeError("the study declares no students")
    if students.evaluators is None:
        raise MissingEvidenceError("the teacher's profile is not whole")
    if len(students.by_run) < len(students.documents):
        raise MissingEvidenceError("the weights of a student cannot be run")
    return students


def _candidates(study: GameStudy, arguments: Arguments) -> list[str]:
    """The candidates of an arm, one per run; an arm that is no such is a candidate itself."""
    arm = arguments["arm"]
    if arm not in ARMS:
        return [arm]
    students = declared_students(study)
    runs = arguments["runs"].split(",") if "runs" in arguments else list(students.by_run)
    if unknown := [run for run in runs if run not in students.by_run]:
        raise RecipeError(f"there is no run {unknown[0]!r}")
    deployed = [students.candidate(arm, run) for run in runs]
    found = [name for name in deployed if name is not None]
    if len(found) < len(deployed):
        raise MissingEvidenceError("calibration certifies no scale of some run")
    return found


_PROFILED: dict[str, Callable[[Evaluation], Vector]] = {
    "nash_conv": lambda values: values.nash_conv,
    "exploitability": lambda values: values.exploitability,
    "best_response_0": lambda values: values.best_response_0,
    "best_response_1": lambda values: values.best_response_1,
}
_STATED = ("weak_ev", "strong_ev", "violation")
_TAUGHT = ("accuracy", "calibration_error", "gap")
"""Beside the teacher: held-out states with the teacher's likeliest action; how far the probability of the likeliest
action lies from the teacher's of the same action; and exploitability less the teacher's."""
_PLAYED = ("score", "hand_ev")
QUANTITIES = (*_STATED, *_TAUGHT, *_PROFILED, *_PLAYED)


@once
def quantity_of(study: GameStudy, quantity: str, names: tuple[str, ...]) -> Vector:
    """One number per candidate."""
    students = declared_students(study)
    if unknown := [name for name in names if name not in students.policies]:
        raise RecipeError(f"there is no student and scale {unknown[0]!r}")
    policies = np.stack([students.policies[name] for name in names])
    if quantity in _PROFILED:
        return _PROFILED[quantity](evaluate(study.game, policies))
    if quantity in _STATED:
        assert students.evaluators is not None
        states = students.sample("held_out")
        if quantity == "violation":
            counts = [students.violated(run, states) for run in (name.rpartition("@")[0] for name in names)]
            scales = students.declared["scales"]
            found = [count[scales.index(name.rpartition("@")[2])] for count, name in zip(counts, names, strict=True)]
            return np.array(found) / len(states)
        values = (policies * students.evaluators[_STATED.index(quantity)]).sum(axis=-1)
        means: Vector = values[:, states].mean(axis=1)
        return means
    if quantity in _TAUGHT:
        return _beside_teacher(study, students, quantity, policies)
    if quantity in _PLAYED:
        return np.array([_PLAYS[quantity](study, [name], None) for name in names])
    raise RecipeError(f"there is no quantity {quantity!r}{nearest(quantity, QUANTITIES)}")


def _beside_teacher(study: GameStudy, students: Students, quantity: str, policies: Vector) -> Vector:
    name = students.declared["teacher"]
    if quantity == "gap":
        place, known = study.evaluation(name)
        gaps: Vector = evaluate(study.game, policies).exploitability - known.exploitability[place]
        return gaps
    teacher, top = study.profiles[name], policies.argmax(axis=-1)[..., None]
    if quantity == "accuracy":
        each = (top[..., 0] == teacher.argmax(axis=-1)).astype(float)
    else:
        own = np.take_along_axis(policies, top, axis=-1)
        each = np.abs(own - np.take_along_axis(np.broadcast_to(teacher, policies.shape), top, axis=-1))[..., 0]
    means: Vector = each[:, students.sample("held_out")].mean(axis=1)
    return means


@metric(
    "over_seeds",
    "mean and standard deviation over training seeds, with the declared divisor",
    "RSD-Poker paper, appendix C, denominators: training variability",
    needs="quantity arm",
    takes="runs statistic",
)
def over_seeds(study: GameStudy, arguments: Arguments) -> Value:
    values = quantity_of(study, arguments["quantity"], tuple(_candidates(study, arguments)))
    one_less = students_of(study).declared["divisor"] == "n-1"
    if one_less and len(values) < 2:
        raise RecipeError("a deviation with the divisor n - 1 needs two seeds")
    both = {"mean": float(values.mean()), "sd": float(values.std(ddof=1 if one_less else 0))}
    statistic = arguments.get("statistic", "both")
    if statistic not in (*both, "both"):
        raise RecipeError("the statistic over seeds is mean, sd or both")
    numbers = tuple(both.values()) if statistic == "both" else (both[statistic],)
    return Value(tuple(map(Fraction, numbers)))


@metric(
    "violations",
    "violated held-out states by all, over seeds",
    "RSD-Poker paper, section 3.3, violation",
    needs="arm",
    takes="runs",
)
def violations(study: GameStudy, arguments: Arguments) -> Value:
    names = _candidates(study, arguments)
    size = students_of(study).declared["held_out"]["draws"]
    counts = np.rint(quantity_of(study, "violation", tuple(names)) * size).astype(np.int64)
    return Value((Fraction(int(counts.sum())), Fraction(size * len(names))))


def _calibrated(study: GameStudy, run: str) -> tuple[str, Calibrated]:
    students = declared_students(study)
    if run not in students.calibrated:
        raise RecipeError(f"there is no run {run!r}")
    place = students.chosen(run)
    if place is None:
        raise MissingEvidenceError(f"calibration certifies no scale of {run!r}")
    return students.declared["scales"][place], students.calibrated[run][place]


@metric("calibrated_scale", "the largest certified scale", "RSD-Poker paper, section 3.4: selection", needs="run")
def calibrated_scale(study: GameStudy, arguments: Arguments) -> Value:
    return Value((exact(_calibrated(study, arguments["run"])[0]),))


@metric(
    "calibrated_count", "its violated calibration states by all", "RSD-Poker paper, section 3.4: k and n", needs="run"
)
def calibrated_count(study: GameStudy, arguments: Arguments) -> Value:
    found = _calibrated(study, arguments["run"])[1]
    return Value((Fraction(found.violations), Fraction(found.states)))


@metric("calibrated_bound", "its Clopper-Pearson bound", "RSD-Poker paper, section 3.4, risk bound", needs="run")
def calibrated_bound(study: GameStudy, arguments: Arguments) -> Value:
    return Value((Fraction(_calibrated(study, arguments["run"])[1].bound),))


# Played hands


def _played(study: GameStudy, names: list[str], opponent: str | None) -> tuple[Hands, Index]:
    """The hands of candidates, where each of them is there."""
    _playable(study)
    hands = hands_of(study)
    if not hands.declared:
        raise RecipeError("the study declares no contest")
    opponents = hands.declared["opponents"] if opponent is None else [opponent]
    for kind, known, wanted in (("arm", "arms", names), ("opponent", "opponents", opponents)):
        if unknown := [name for name in wanted if name not in hands.declared[known]]:
            raise RecipeError(f"the contest has no {kind} {unknown[0]!r}")
    if hands.declared["pairs"] > MOST_PAIRS or not hands.whole(names, opponents):
        raise MissingEvidenceError("not every hand of the contest is there, legal and in both seats")
    return hands, hands.rows_of(names, opponents)


def _score(study: GameStudy, names: list[str], opponent: str | None) -> float:
    hands, rows = _played(study, names, opponent)
    return float(((np.sign(hands.due_returns[rows]) + 1) / 2).mean())


def _hand_ev(study: GameStudy, names: list[str], opponent: str | None) -> float:
    hands, rows = _played(study, names, opponent)
    return float(hands.due_returns[rows].mean())


_PLAYS = {"score": _score, "hand_ev": _hand_ev}
_OPPONENTS = "RSD-Poker paper, appendix D: win plus one-half tie, and EV per hand"


def _counted(study: GameStudy, arguments: Arguments, numbers: tuple[float, ...] | tuple[Fraction, ...]) -> Value:
    hands, rows = _played(study, _candidates(study, arguments), arguments.get("opponent"))
    return Value(tuple(map(Fraction, numbers)), hands.frame, rows)


@metric("match_rate", "hands with a result by all hands", _OPPONENTS, needs="arm result", takes="opponent runs")
def match_rate(study: GameStudy, arguments: Arguments) -> Value:
    signs = {"win": 1, "tie": 0, "loss": -1}
    if arguments["result"] not in signs:
        raise RecipeError("a result is win, tie or loss")
    hands, rows = _played(study, _candidates(study, arguments), arguments.get("opponent"))
    count = int((np.sign(hands.due_returns[rows]) == signs[arguments["result"]]).sum())
    return _counted(study, arguments, (Fraction(count, len(rows)),))


@metric("match_score", "wins and half of the ties, by hands", _OPPONENTS, needs="arm", takes="opponent runs")
def match_score(study: GameStudy, arguments: Arguments) -> Value:
    return _counted(study, arguments, (_score(study, _candidates(study, arguments), arguments.get("opponent")),))


@metric("hand_ev", "the mean return of a hand", _OPPONENTS, needs="arm", takes="opponent runs")
def hand_ev(study: GameStudy, arguments: Arguments) -> Value:
    return _counted(study, arguments, (_hand_ev(study, _candidates(study, arguments), arguments.get("opponent")),))


@metric(
    "hand_ev_interval",
    "the mean over deals and z standard errors, each deal the mean of its hands in both seats",
    "RSD-Poker paper, appendix C, denominators: paired match blocks",
    needs="arm",
    takes="opponent runs",
)
def hand_ev_interval(study: GameStudy, arguments: Arguments) -> Value:
    hands, rows = _played(study, _candidates(study, arguments), arguments.get("opponent"))
    found, z = spread(hands.pair_means(rows)), float(exact(hands.declared["z"]))
    return _counted(study, arguments, (found.mean - z * found.error, found.mean + z * found.error))


@metric("tree_ev", "the exact value of the pairing, both seats alike", _DEFINITION, needs="arm opponent", takes="runs")
def tree_ev(study: GameStudy, arguments: Arguments) -> Value:
    _playable(study)
    values = [hands_of(study).exact(name, arguments["opponent"]) for name in _candidates(study, arguments)]
    found = [value for value in values if value is not None]
    if len(found) < len(values):
        raise MissingEvidenceError("a profile of the pairing is not whole")
    return Value((Fraction(sum(found) / len(found)),))


@metric("hands", "how many hands were played", _OPPONENTS, needs="arm", takes="opponent runs")
def hands_played(study: GameStudy, arguments: Arguments) -> Value:
    _, rows = _played(study, _candidates(study, arguments), arguments.get("opponent"))
    return _counted(study, arguments, (len(rows),))


_ASSOCIATION = "RSD-Poker paper, appendix E: association between state-level risk and strategic endpoints"


def _associated(study: GameStudy, arguments: Arguments) -> tuple[Vector, Vector, dict[str, Any]]:
    """Held-out violation rates and an endpoint, over every student at every scale."""
    students = declared_students(study)
    settings = students.declared.get("association")
    if settings is None:
        raise RecipeError("the study declares no association")
    names = list(students.policies)
    if arguments["endpoint"] not in QUANTITIES:
        raise RecipeError(f"there is no endpoint {arguments['endpoint']!r}; there are {', '.join(QUANTITIES)}")
    violation = quantity_of(study, "violation", tuple(names))
    return violation, quantity_of(study, arguments["endpoint"], tuple(names)), settings


def _register(measure: str, formula: str, symbol: str) -> None:
    """The coefficient, its bootstrap interval, and the share of shuffles that reach it."""
    compute = {"spearman": association.spearman, "kendall": association.kendall}[measure]

    @metric(measure, formula, _ASSOCIATION, needs="endpoint")
    def coefficient(study: GameStudy, arguments: Arguments) -> Value:
        risks, values, _ = _associated(study, arguments)
        return _defined(float(compute(risks, values)))

    @metric(f"{measure}_interval", f"percentile bootstrap of {symbol} over candidates", _ASSOCIATION, needs="endpoint")
    def interval(study: GameStudy, arguments: Arguments) -> Value:
        risks, values, settings = _associated(study, arguments)
        level = exact(settings["confidence"])
        if not 0 < level < 1:
            raise RecipeError("a confidence level lies between 0 and 1")
        return _defined(
            *association.bootstrap_interval(measure, risks, values, settings["resamples"], level, settings["seed"])
        )

    shuffles = "(1 + shuffles at least as far from zero) / (1 + shuffles)"

    @metric(f"{measure}_permutation", shuffles, _ASSOCIATION, needs="endpoint")
    def permutation(study: GameStudy, arguments: Arguments) -> Value:
        risks, values, settings = _associated(study, arguments)
        return _defined(
            association.permutation_share(measure, risks, values, settings["permutations"], settings["seed"])
        )


_register("spearman", "the correlation of ranks; equal values share the mean of their ranks", "ρ")
_register("kendall", "Kendall's tau-b", "τ")


@metric("candidates", "students times scales", _ASSOCIATION)
def candidates(study: GameStudy, _: Arguments) -> Value:
    return Value((Fraction(len(declared_students(study).policies)),))


def _defined(*numbers: float) -> Value:
    if not all(map(math.isfinite, numbers)):
        raise MissingEvidenceError("one side does not vary, so there is no correlation")
    return Value(tuple(map(Fraction, numbers)))


_BEHAVIOUR = "RSD-Poker paper, appendix C: behaviour labels, each rate with its own denominator"


def _forecast(study: GameStudy, arguments: Arguments) -> tuple[Behaviour, Forecast]:
    behaviour = behaviour_of(study)
    if not behaviour.declared:
        raise RecipeError("the study declares no behaviour")
    if arguments["policy"] not in POLICIES:
        raise RecipeError(f"there is no predictor {arguments['policy']!r}; there are {', '.join(POLICIES)}")
    if behaviour.read[1]:
        raise MissingEvidenceError("a hand cannot be read")
    if not len(behaviour.labels) or not behaviour.of_split("calibration"):
        raise MissingEvidenceError("a split has no snapshot")
    return behaviour, behaviour.forecast(arguments["policy"])


@metric("action_accuracy", "snapshots whose likeliest action was taken, by all", _BEHAVIOUR, needs="policy")
def action_accuracy(study: GameStudy, arguments: Arguments) -> Value:
    behaviour, forecast = _forecast(study, arguments)
    right = int((forecast.probabilities.argmax(axis=1) == behaviour.labels).sum())
    return Value((Fraction(right, len(behaviour.labels)),))


@metric("log_loss", "-mean log max(p, clip), with p the probability of what was done", _BEHAVIOUR, needs="policy")
def log_loss(study: GameStudy, arguments: Arguments) -> Value:
    behaviour, forecast = _forecast(study, arguments)
    given = forecast.probabilities[np.arange(len(behaviour.labels)), behaviour.labels]
    clipped = np.maximum(given, float(exact(behaviour.declared["clip"])))
    return Value((Fraction(float(-np.log(clipped).mean())),))


@metric("raise_agreement", "raises whose size was predicted, by all raises", _BEHAVIOUR, needs="policy")
def raise_agreement(study: GameStudy, arguments: Arguments) -> Value:
    behaviour, forecast = _forecast(study, arguments)
    raised = [each.size for each in behaviour.of_split("evaluation")]
    if not any(behaviour.raises):
        raise MissingEvidenceError("nobody raised on the evaluation split")
    right = sum(size is not None and size == said for size, said in zip(raised, forecast.sizes, strict=True))
    return Value((Fraction(right, int(behaviour.raises.sum())),))


@metric("snapshots", "how many decisions a split holds", _BEHAVIOUR, needs="split", takes="label")
def snapshots(study: GameStudy, arguments: Arguments) -> Value:
    behaviour = behaviour_of(study)
    if not behaviour.declared:
        raise RecipeError("the study declares no behaviour")
    found = behaviour.of_split(arguments["split"])
    label = arguments.get("label")
    return Value((Fraction(sum(label in (None, each.decision.label) for each in found)),))
