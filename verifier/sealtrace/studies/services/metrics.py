"""Metrics of services. Legality is taken over all attempts; latency and failure are taken over all requests."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sealtrace.bundle.defects import nearest
from sealtrace.bundle.frames import Index
from sealtrace.recipes.metrics import Arguments, MissingEvidenceError, RecipeError, Value, metrics_of
from sealtrace.recipes.printed_counts import together
from sealtrace.statistics.summaries import mean, quantile
from sealtrace.studies.services.evidence import ServiceStudy

metric = metrics_of("services")


def _beginning(study: ServiceStudy, arms: str) -> list[str]:
    return [name for name in study.declared.arms if name.startswith(tuple(arms.split(",")))]


def _selected(study: ServiceStudy, arms: str) -> Index:
    """Places along `order` of timed attempts of the arms that begin so; several beginnings with commas."""
    names = _beginning(study, arms)
    if not names:
        raise RecipeError(f"the service declares no arm that begins with {arms!r}")
    order = study.order
    places = np.flatnonzero(np.isin(study.arms[order], names) & study.timed[order])
    if int(study.first[places].sum()) != len(names) * study.declared.requests:
        raise MissingEvidenceError("not every declared request is there")
    if study.evidence.doubtful("attempt").any():
        raise MissingEvidenceError(f"{study.evidence.doubt('attempt')}")
    return places


def _latency(rule: Callable[[ServiceStudy, Index], Fraction]) -> Callable[[ServiceStudy, Index], Fraction]:
    def measured(study: ServiceStudy, places: Index) -> Fraction:
        if not np.isfinite(study.latencies(places)).all():
            raise MissingEvidenceError("an attempt does not say when it was sent")
        return rule(study, places)

    return measured


PERCENTILES = {"nearest-rank": "inverted_cdf", "linear": "linear"}
"""As a service declares its percentiles, and as quantiles call these rules."""


def _share(study: ServiceStudy, places: Index, share: Fraction) -> Fraction:
    return Fraction(quantile(study.latencies(places), share, PERCENTILES[study.declared.percentile]))


def _retry_rate(study: ServiceStudy, places: Index) -> Fraction:
    numbers = study.numbers[study.order[places]]
    if study.declared.retry_unit == "attempts":
        return Fraction(int((numbers > 0).sum()), len(places))
    return Fraction(int((numbers == 1).sum()), int(study.first[places].sum()))


def _failure_rate(study: ServiceStudy, places: Index) -> Fraction:
    ends = study.order[places[study.last[places]]]
    return Fraction(int((study.outcomes[ends] != "ok").sum()), len(ends))


def _counted(*fields: str) -> Callable[[ServiceStudy, Index], Fraction]:
    """What attempts count in some fields, together."""

    def total(study: ServiceStudy, places: Index) -> Fraction:
        frame, rows = study.frame("attempt"), study.order[places]
        counts = np.sum([frame.numbers(field)[rows] for field in fields], axis=0)
        if not np.isfinite(counts).all():
            raise MissingEvidenceError(f"an attempt does not count its {fields[0].rpartition('_')[2]}")
        return Fraction(int(counts.sum()))

    return total


def _per_request(total: Callable[[ServiceStudy, Index], Fraction]) -> Callable[[ServiceStudy, Index], Fraction]:
    return lambda study, places: total(study, places) / int(study.first[places].sum())


_total_tokens = _counted("prompt_tokens", "generated_tokens")


def _throughput(study: ServiceStudy, places: Index) -> Fraction:
    frame, rows = study.frame("attempt"), study.order[places]
    started = frame.numbers("started_ms")[rows]
    span = (started + frame.numbers("elapsed_ms")[rows]).max() - started.min()
    if not span > 0:
        raise MissingEvidenceError("no time passed between the first attempt and the last")
    return 1000 * int(study.first[places].sum()) / Fraction(float(span))


_RULES: dict[str, Callable[[ServiceStudy, Index], Fraction]] = {
    "legality": lambda study, places: Fraction(int((study.outcomes[study.order[places]] == "ok").sum()), len(places)),
    "retry_rate": _retry_rate,
    "failure_rate": _failure_rate,
    "tokens": _per_request(_total_tokens),
    "tool_calls": _per_request(_counted("tool_calls")),
    "total_tokens": _total_tokens,
    "total_ms": _latency(lambda study, places: mean(study.latencies(places)) * int(study.first[places].sum())),
    "mean_ms": _latency(lambda study, places: mean(study.latencies(places))),
    "median_ms": _latency(lambda study, places: _share(study, places, Fraction(1, 2))),
    "p95_ms": _latency(lambda study, places: _share(study, places, Fraction(95, 100))),
    "throughput": _latency(_throughput),
    "requests": lambda study, places: Fraction(int(study.first[places].sum())),
    "attempts": lambda _, places: Fraction(len(places)),
}


def _computed(quantity: str) -> Callable[[ServiceStudy, Index], Fraction]:
    if quantity not in _RULES:
        raise RecipeError(f"there is no quantity {quantity!r}{nearest(quantity, _RULES)}")
    return _RULES[quantity]


@metric("service")
def service(study: ServiceStudy, arguments: Arguments) -> Value:
    rule, places = _computed(arguments["quantity"]), _selected(study, arguments["arms"])
    found = rule(study, places)
    if "base" in arguments:
        if not (unit := rule(study, _selected(study, arguments["base"]))):
            raise MissingEvidenceError(f"{arguments['quantity']} of {arguments['base']!r} is zero")
        found /= unit
    repeats = together(study.evidence, _beginning(study, arguments["arms"]))
    return Value((found,), study.frame("attempt"), study.order[places], repeats=repeats)


@metric("service_over_seeds")
def service_over_seeds(study: ServiceStudy, arguments: Arguments) -> Value:
    rule = _computed(arguments["quantity"])
    names = _beginning(study, arguments["arms"])
    if len(names) < 2:
        raise RecipeError(f"fewer than two arms begin with {arguments['arms']!r}")
    values = np.array([float(rule(study, _selected(study, name))) for name in names])
    both = {"mean": float(values.mean()), "sd": float(values.std(ddof=1))}
    statistic = arguments.get("statistic", "both")
    if statistic not in (*both, "both"):
        raise RecipeError("the statistic over arms is mean, sd or both")
    numbers = tuple(both.values()) if statistic == "both" else (both[statistic],)
    places = _selected(study, arguments["arms"])
    rows, repeats = study.order[places], together(study.evidence, names)
    return Value(tuple(map(Fraction, numbers)), study.frame("attempt"), rows, repeats=repeats)
