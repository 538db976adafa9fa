"""Metrics of recorded behaviour: predictors refitted, each rate with its own denominator."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sealtrace.contract.scalars import exact
from sealtrace.printed.metrics import Arguments, MissingEvidenceError, RecipeError, Value, metrics_of
from sealtrace.studies.games.behaviour import POLICIES, Behaviour, Forecast, behaviour_of
from sealtrace.studies.games.evidence import GameStudy

metric = metrics_of("games")

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
