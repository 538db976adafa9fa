"""Metrics of association: rank correlations of risk with strategic endpoints, over students and scales."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from sealtrace.contract.scalars import exact
from sealtrace.printed.metrics import Arguments, MissingEvidenceError, RecipeError, Value, metrics_of
from sealtrace.studies.games.evidence import GameStudy
from sealtrace.studies.games.mathematics import association
from sealtrace.studies.games.mathematics.tables import Vector
from sealtrace.studies.games.student_metrics import QUANTITIES, declared_students, quantity_of

metric = metrics_of("games")

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
