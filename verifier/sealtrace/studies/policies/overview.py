"""What a study of policies says of itself: its part of the summary, and what a page draws of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sealtrace.contract.details import Plot
from sealtrace.contract.report import Agreement, Selected
from sealtrace.studies.policies.checks.maps import assigned_name, declared_selector
from sealtrace.studies.policies.checks.selection import chosen_text, recounted
from sealtrace.studies.policies.evidence.choice import Chosen
from sealtrace.studies.policies.evidence.deployment import chosen_by, map_name
from sealtrace.studies.policies.evidence.settings import ASSUMPTIONS, declared_setting
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.figures import UNDEFINED, certificates, frontier, mixtures

if TYPE_CHECKING:
    from sealtrace.bundle.reading import Document
    from sealtrace.examination import Examination

_SCORED = (
    "join.unique-key",
    "join.trace",
    "join.values",
    "split.inventory",
    "split.agreement",
    "action.legal-set",
    "action.vocabulary",
)
"""What must hold before a mean over a split means anything."""


def summary(study: Study, examination: Examination) -> dict[str, Any]:
    """The figures that the paper's appendix asks a verification to print."""
    threshold = examination.outcomes.get("threshold.recomputed")
    agreement = None
    if threshold is not None and threshold.inspected:
        wrong = threshold.counts["error"]
        agreement = Agreement(agree=threshold.inspected - wrong, total=threshold.inspected)
    states = len(study.states) if study.bundle.of_kind("observation") else 0
    policies, traces = len(study.candidates), study.frame("trace").size
    return {
        "inspected": [f"{states} states", f"{policies} policies", f"{traces} traces"],
        "states": states,
        "policies": policies,
        "traces": traces,
        "tolerance": study.declared.tolerances.replay if "tolerances" in study.declared.model_fields_set else None,
        "threshold_agreement": agreement,
        "selected": list(_selected(study, examination)),
        "assumed": list(ASSUMPTIONS) if study.bundle.of_kind("certificate") else [],
    }


def _selected(study: Study, examination: Examination) -> Iterator[Selected]:
    if examination.computed("selection.choice"):
        for document, key, counted in recounted(study):
            yield Selected(
                selector=key["selector"],
                recomputed=None if counted is None else chosen_text(study, counted),
                reported=document.value.get("choice"),
            )
    for document, chosen in _chosen_maps(study, examination):
        yield Selected(
            selector=document.value["selector"],
            recomputed=map_name(chosen),
            reported=" / ".join(assigned_name(study, one) for one in document.value["assignments"]),
        )


def _chosen_maps(study: Study, examination: Examination) -> Iterator[tuple[Document, Chosen]]:
    """Sealed maps with what their selector takes, where that was computed."""
    if not examination.computed("map.choice"):
        return
    for document in study.bundle.documents_of("map"):
        if declared_selector(study, document.value) is not None:
            with suppress(*UNDEFINED):
                yield document, chosen_by(study, document.value["selector"], declared_setting(study))


def details(study: Study, examination: Examination) -> dict[str, Any]:
    """Certificates, maps and the frontier, where they could be computed."""
    maps = [(document.value["selector"], chosen) for document, chosen in _chosen_maps(study, examination)]
    plots: list[Plot] = []
    if examination.computed("certificate.certified"):
        plots += certificates(study, with_utility=examination.computed("certificate.utility"))
    plots += mixtures(study, maps)
    if examination.holds(*_SCORED):
        plots += frontier(study, maps)
    return {"plots": plots}
