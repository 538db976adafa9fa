"""What a study of a service says of itself: its part of the summary, and what a page draws of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sealtrace.contract.details import Plot, PlotPoint, PlotSeries
from sealtrace.studies.services.evidence import ServiceStudy

if TYPE_CHECKING:
    from sealtrace.examination import Examination

SHARES = (*(share / 100 for share in range(1, 100)), 0.995, 1.0)
"""The shares of requests at which a latency distribution is drawn."""
MOST_SERIES = 6


def summary(study: ServiceStudy, _: Examination) -> dict[str, Any]:
    """What was there to inspect."""
    attempts = study.frame("attempt").size
    return {"inspected": [f"{attempts} attempts at {int(study.first.sum())} requests"] if attempts else []}


def details(study: ServiceStudy, examination: Examination) -> dict[str, Any]:
    """The distribution of latencies, where requests are whole."""
    if not examination.holds("attempt.requests", "attempt.contiguous", "attempt.times"):
        return {"plots": []}
    groups: dict[str, list[str]] = {}
    for arm in study.declared.arms:
        groups.setdefault(arm.partition("/")[0], []).append(arm)
    series = []
    for name, arms in list(groups.items())[:MOST_SERIES]:
        order = study.order
        places = np.flatnonzero(np.isin(study.arms[order], arms) & study.timed[order])
        times = np.sort(study.latencies(places))
        if len(times):
            ranks = [max(1, int(np.ceil(share * len(times)))) for share in SHARES]
            points = [PlotPoint(x=float(times[rank - 1]), y=share) for rank, share in zip(ranks, SHARES, strict=True)]
            series.append(PlotSeries(name=name, points=points))
    plot = Plot(
        title="Latency of requests",
        caption="The share of timed requests that ended within a time, retries and failed requests among them. Times "
        "are on a logarithmic scale.",
        across="milliseconds",
        up="share of requests",
        logarithmic=True,
        linear_up=True,
        series=series,
    )
    return {"plots": [plot] if series else []}
