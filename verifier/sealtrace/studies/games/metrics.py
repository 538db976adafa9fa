"""Metrics of games: exact values of profiles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sealtrace.printed.metrics import Arguments, MissingEvidenceError, RecipeError, Value, metrics_of
from sealtrace.studies.games.evidence import GameStudy, IncompleteProfileError
from sealtrace.studies.games.mathematics.evaluation import Evaluation

metric = metrics_of("games")

_DEFINITION = "appendix D: best responses, NashConv and exploitability"


def _evaluated(study: GameStudy, arguments: Arguments) -> tuple[int, Evaluation]:
    name = arguments["profile"]
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


@metric("profile_value", "u_0(σ): what player 0 wins on average where both follow the profile", _DEFINITION, needs="profile")
def profile_value(study: GameStudy, arguments: Arguments) -> Value:
    place, values = _evaluated(study, arguments)
    return _value(study, arguments, values.value[place])


@metric("nash_conv", "Σ_i [b_i - u_i], which is b_0 + b_1 in a zero-sum game", _DEFINITION, needs="profile")
def nash_conv(study: GameStudy, arguments: Arguments) -> Value:
    place, values = _evaluated(study, arguments)
    return _value(study, arguments, values.nash_conv[place])


@metric("exploitability", "NashConv / 2", _DEFINITION, needs="profile")
def exploitability(study: GameStudy, arguments: Arguments) -> Value:
    place, values = _evaluated(study, arguments)
    return _value(study, arguments, values.exploitability[place])


@metric("run_setting", "a setting that a run declares", "the run's record", needs="run setting", given=True)
def run_setting(study: GameStudy, arguments: Arguments) -> Value:
    frame = study.frame("run")
    codes, names = frame.texts("run")
    rows = np.flatnonzero(codes == names.index(arguments["run"])) if arguments["run"] in names else []
    if len(rows) != 1:
        raise RecipeError(f"there is no run {arguments['run']!r}, or more than one")
    settings = dict(frame.column("settings")[int(rows[0])].as_py() or [])
    if arguments["setting"] not in settings:
        raise RecipeError(f"the run {arguments['run']!r} declares no {arguments['setting']!r}")
    return Value((Fraction(settings[arguments["setting"]]),), frame, rows)
