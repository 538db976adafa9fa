"""The attempt ledger as arrays: attempts in the order of their requests."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sealtrace.bundle.frames import Index, Mask, Vector
from sealtrace.contract.details import Plot, PlotPoint, PlotSeries
from sealtrace.evidence import View
from sealtrace.studies.services.records import Service

if TYPE_CHECKING:
    from sealtrace.examination import Examination


class ServiceStudy(View):
    """One bundle as the checks and metrics of services see it."""

    @cached_property
    def declared(self) -> Service:
        """How the service is measured, typed; the pack is not used without it."""
        found = self.bundle.only(Service)
        assert found is not None
        return found.record

    @property
    def declared_path(self) -> str:
        document = self.bundle.document("service")
        return "" if document is None else document.path

    @cached_property
    def numbers(self) -> Index:
        """The attempt's index in its request."""
        return self.frame("attempt").numbers("attempt").astype(np.int64)

    @cached_property
    def order(self) -> Index:
        """Rows by request and attempt."""
        codes, _ = self.frame("attempt").texts("request")
        return np.lexsort((self.numbers, codes))

    @cached_property
    def first(self) -> Mask:
        """Along `order`: whether a request begins here."""
        codes, _ = self.frame("attempt").texts("request")
        ordered = codes[self.order]
        return np.r_[True, ordered[1:] != ordered[:-1]] if len(ordered) else np.zeros(0, np.bool_)

    @cached_property
    def last(self) -> Mask:
        """Along `order`: whether a request ends here."""
        return np.r_[self.first[1:], True] if len(self.first) else self.first

    def texts(self, field: str) -> list[str | None]:
        """A text column, row by row."""
        codes, names = self.frame("attempt").texts(field)
        listed = [*names, None]
        return [listed[code] for code in codes.tolist()]

    @cached_property
    def outcomes(self) -> npt.NDArray[np.object_]:
        return np.array(self.texts("outcome"), dtype=object)

    @cached_property
    def timed(self) -> Mask:
        """Rows that enter figures."""
        return np.array([phase != "warm-up" for phase in self.texts("phase")], np.bool_)

    @cached_property
    def arms(self) -> npt.NDArray[np.object_]:
        return np.array(self.texts("arm"), dtype=object)

    def latencies(self, rows: Index) -> Vector:
        """Of requests, given by the places of their attempts along `order`: from the first start to the last end."""
        frame = self.frame("attempt")
        started, elapsed = frame.numbers("started_ms")[self.order], frame.numbers("elapsed_ms")[self.order]
        firsts, lasts = rows[self.first[rows]], rows[self.last[rows]]
        spans: Vector = started[lasts] + elapsed[lasts] - started[firsts]
        return spans


# What the study says of itself


SHARES = (*(share / 100 for share in range(1, 100)), 0.995, 1.0)
"""The shares of requests at which a latency distribution is drawn."""
MOST_SERIES = 6


def summary(study: ServiceStudy, _: Examination) -> dict[str, object]:
    """What was there to inspect."""
    attempts = study.frame("attempt").size
    return {"inspected": [f"{attempts} attempts at {int(study.first.sum())} requests"] if attempts else []}


def details(study: ServiceStudy, examination: Examination) -> dict[str, object]:
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
