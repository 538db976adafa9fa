"""What was frozen before what."""

from __future__ import annotations

from collections import Counter

from sealtrace.bundle.identity import ListedFile, seal_path
from sealtrace.bundle.model import Document
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.details import StageLink
from sealtrace.contract.kinds import KINDS, STAGES, may_seal, stages_due
from sealtrace.evidence import Evidence


def seals_in_order(evidence: Evidence) -> list[Document]:
    seals = evidence.bundle.documents_of("seal")
    return sorted(seals, key=lambda seal: STAGES.index(seal.value["stage"]))


def due_stages(evidence: Evidence) -> tuple[str, ...]:
    """The stages that the study must seal; all where nothing declares it."""
    return STAGES if evidence.protocol_document is None else stages_due(evidence.protocol)


@check("stage.chain", "seals")
def chain(evidence: Evidence, outcome: Outcome) -> None:
    seals = seals_in_order(evidence)
    outcome.inspected = len(seals)
    stages = [seal.value["stage"] for seal in seals]
    for stage in STAGES:
        if stages.count(stage) > 1:
            outcome.at(seal_path(stage)).error(None, "The stage is sealed twice.", "one seal", stages.count(stage))
    # Each seal commits to all before it by naming one digest; the first has none to name.
    previous: str | None = None
    for seal in seals:
        value, at = seal.value, outcome.at(seal.path, {"stage": seal.value["stage"]})
        message = "The seal is not at the place that its stage has in the chain."
        at.expect("/position", message, STAGES.index(value["stage"]) + 1, value["position"])
        message = (
            "The seal does not name the digest of the seal before it: the chain is broken here. Restore the seals."
        )
        at.expect("/previous", message, previous or "nothing", value.get("previous") or "nothing")
        if bool(value["files"]) == bool(value.get("empty_reason")):
            message = "The stage holds no file and does not say why. Give the reason with --empty."
            due = "nothing" if value["files"] else "a reason"
            at.error("/empty_reason", message, due, value.get("empty_reason") or "nothing")
        previous = evidence.bundle.contents[seal.path]
    absent = [stage for stage in due_stages(evidence) if stage not in stages]
    if absent:
        outcome.missing = f"not sealed yet: {', '.join(absent)}"


@check("stage.members", "files")
def members(evidence: Evidence, outcome: Outcome) -> None:
    listed = {entry.path: entry for entry in evidence.bundle.entries if entry.kind != "seal"}
    outcome.inspected = len(listed)
    sealed: dict[str, str] = {}
    for seal in seals_in_order(evidence):
        stage = seal.value["stage"]
        for file in seal.value["files"]:
            path = file["path"]
            at = outcome.at(seal.path, {"stage": stage, "path": path})
            if path in sealed:
                message = "Two seals name this file. A file belongs to one stage."
                at.error("/files", message, f"only {sealed[path]}", stage)
            sealed[path] = stage
            if file["stage"] != stage or path.partition("/")[0] != stage:
                message = "The file belongs to another stage than the seal that froze it."
                at.error("/files/*/stage", message, stage, file["stage"] if file["stage"] != stage else path)
            entry = listed.get(path)
            if entry is None:
                message = "A seal names this file, and the manifest does not list it. Restore the manifest."
                at.error("/files", message, "listed", "not listed")
            elif ListedFile(**file) != entry:
                name = next(name for name in vars(entry) if getattr(entry, name) != file.get(name))
                message = (
                    "The seal and the manifest give different identities of this file. Restore the one that changed."
                )
                at.error(f"/files/*/{name}", message, getattr(entry, name), file.get(name))
    stages = {entry.path: entry.stage for entry in evidence.bundle.entries}
    for seal in seals_in_order(evidence):
        stage, place = seal.value["stage"], seal_path(seal.value["stage"])
        if seal.path != place or stages[seal.path] != stage:
            message, found = "The seal lies in another place than its stage's.", f"{seal.path} of {stages[seal.path]}"
            outcome.at(seal.path, {"stage": stage}).error("/stage", message, place, found)
    for path, entry in listed.items():
        if path not in sealed:
            message = "The manifest lists this file, and no seal names it. Seal its stage."
            outcome.at(path, {"stage": entry.stage}).error(
                None, message, f"a file of {seal_path(entry.stage)}", "nothing"
            )


@check("stage.chronology", "files")
def chronology(evidence: Evidence, outcome: Outcome) -> None:
    entries = [entry for entry in evidence.bundle.entries if entry.kind in KINDS]
    outcome.inspected = len(entries)
    # Whoever could see the scores of a split before its traces were frozen could have chosen among traces.
    traced = {entry.split: STAGES.index(entry.stage) for entry in entries if entry.kind == "trace" and entry.split}
    for entry in entries:
        at = outcome.at(entry.path, {"kind": entry.kind, "split": entry.split or ""})
        role = evidence.roles.get(entry.split or "")
        if not may_seal(entry.kind, entry.stage, role):
            allowed = [stage for stage in STAGES if may_seal(entry.kind, stage, role)]
            due = " or ".join(allowed) or "a split that the protocol declares"
            at.error("/stage", "The file is sealed in a stage that may not hold it.", due, entry.stage)
        elif (
            entry.kind in ("values", "score")
            and entry.split in traced
            and STAGES.index(entry.stage) <= traced[entry.split]
        ):
            message = "These scores were sealed no later than the traces that they score."
            at.error("/stage", message, f"after {STAGES[traced[entry.split]]}", entry.stage)


def stage_links(evidence: Evidence, seen: dict[str, list[str]]) -> list[StageLink]:
    """The stage chain for the page; `seen` has the outside witnesses of each stage."""
    seals = {seal.value["stage"]: seal for seal in seals_in_order(evidence)}
    links: list[StageLink] = []
    before: str | None = None
    due = due_stages(evidence)
    for stage in STAGES:
        seal = seals.get(stage)
        if seal is None and stage not in due:
            continue
        if seal is None:
            links.append(StageLink(stage=stage, sealed=False, files=0, bytes=0, kinds={}, linked=False))
            continue
        value, digest = seal.value, evidence.bundle.contents[seal.path]
        links.append(
            StageLink(
                stage=stage,
                sealed=True,
                files=len(value["files"]),
                bytes=sum(file["bytes"] for file in value["files"]),
                kinds=dict(Counter(file["kind"] for file in value["files"])),
                digest=digest,
                previous=value.get("previous"),
                linked=value.get("previous") == before,
                empty_reason=value.get("empty_reason"),
                witnesses=seen.get(stage, []),
            )
        )
        before = digest
    return links
