"""What stays as it is when records of one kind change: found by hiding those records and seeing what runs without.

A check that runs to its end where its bundle lets nobody look at a kind says the same whatever the records of that kind
are, and so does whatever was computed on the way. All of it is taken over; everything else is computed anew for each
change.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from campaign.known import evidence_of_other
from sealtrace.bundle.model import Document
from sealtrace.bundle.stores import Store
from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.printed import PrintedNumbers
from sealtrace.contract.result import CheckResult
from sealtrace.evidence import Evidence
from sealtrace.examination import Examination


class TouchedError(BaseException):
    """Somebody looked at hidden records. Not an `Exception`: no check may take it for a record that is missing."""


class _HiddenDocument(Document):
    def __getattribute__(self, name: str) -> object:
        if name in ("value", "record"):
            raise TouchedError
        if name == "fits":
            return vars(self)["record"] is not None
        return super().__getattribute__(name)


class _HiddenStore(Store):
    def __getattribute__(self, name: str) -> object:
        if name in ("table", "rows", "whole"):
            raise TouchedError
        return super().__getattribute__(name)


@dataclass(frozen=True)
class Ground:
    """What does not depend on the records of one kind."""

    settled: dict[str, tuple[Outcome, CheckResult]]
    """The checks that say the same whatever these records are."""
    evidence: Evidence
    """Everything that was computed without looking at them."""


def ground_without(kind: str, path: str | None, before: Examination, known: Ground | None = None) -> Ground:
    """What an examination found without the records of a kind, or without those of one file of it.

    `known` is the ground without the whole kind, from which that without one file is grown.
    """

    def hidden(record: Document | Store) -> bool:
        return record.kind == kind and path in (None, record.path)

    bundle = replace(
        before.bundle,
        documents=[
            _HiddenDocument(**vars(document)) if hidden(document) else document for document in before.bundle.documents
        ],
        stores=[_HiddenStore(**vars(store)) if hidden(store) else store for store in before.bundle.stores],
    )
    if known is None:
        frames = {name: frame for name, frame in before.evidence.frames.items() if name != kind}
        settled, evidence = {}, Evidence(bundle, frames=frames)
    else:
        settled, evidence = dict(known.settled), evidence_of_other(known.evidence, bundle, kind)
    examination = Examination(bundle, frozenset(), evidence=evidence)
    for entry in CATALOGUE:
        found = before.outcomes[entry.id], before.results[entry.id]
        examination.outcomes[entry.id], examination.results[entry.id] = found
        if entry.id not in settled:
            with suppress(TouchedError):
                examination.run(entry)
                if settled.keys() >= set(entry.needs):
                    settled[entry.id] = found
    printed = evidence.view(PrintedNumbers)
    # Numbers that do not need the hidden records are known afterwards, also for cells that are hidden themselves.
    for cell in before.printed.cells:
        with suppress(TouchedError):
            printed.result_of(cell, before.printed.caption_in(cell.record))
    return Ground(settled, evidence)
