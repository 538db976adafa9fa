"""What was frozen before what."""

from __future__ import annotations

from sealtrace.bundle.identity import Entry
from sealtrace.bundle.layout import seal_path
from sealtrace.bundle.reading import Document
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.kinds import KINDS, STAGES, may_seal
from sealtrace.studies.policies.evidence.study import Study


def seals_in_order(study: Study) -> list[Document]:
    """The seals that are there, by their stage."""
    seals = study.bundle.documents_of("seal")
    return sorted(seals, key=lambda seal: STAGES.index(seal.value["stage"]))


@check("stage.chain", "seals")
def chain(study: Study, outcome: Outcome) -> None:
    seals = seals_in_order(study)
    outcome.inspected = len(seals)
    stages = [seal.value["stage"] for seal in seals]
    for stage in STAGES:
        if stages.count(stage) > 1:
            outcome.add(
                "the stage is sealed twice",
                source=seal_path(stage),
                expected="one seal",
                found=stages.count(stage),
            )
    previous: str | None = None
    for seal in seals:
        value = seal.value
        position = STAGES.index(value["stage"]) + 1
        if value["position"] != position:
            outcome.add(
                "the seal has another place",
                source=seal.path,
                key={"stage": value["stage"]},
                field="/position",
                expected=position,
                found=value["position"],
            )
        if value.get("previous") != previous:
            outcome.add(
                "the seal does not name the seal before it; the chain is broken here",
                source=seal.path,
                key={"stage": value["stage"]},
                field="/previous",
                expected=previous or "nothing",
                found=value.get("previous") or "nothing",
            )
        if bool(value["files"]) == bool(value.get("empty_reason")):
            outcome.add(
                "a stage holds files, or says why it holds none",
                source=seal.path,
                key={"stage": value["stage"]},
                field="/empty_reason",
                expected="nothing" if value["files"] else "a reason",
                found=value.get("empty_reason") or "nothing",
            )
        previous = study.bundle.contents[seal.path]
    absent = [stage for stage in STAGES if stage not in stages]
    if absent:
        outcome.missing = f"not sealed yet: {', '.join(absent)}"


@check("stage.members", "files")
def members(study: Study, outcome: Outcome) -> None:
    listed = {entry.path: entry for entry in study.bundle.entries if entry.kind != "seal"}
    outcome.inspected = len(listed)
    sealed: dict[str, str] = {}
    for seal in seals_in_order(study):
        stage = seal.value["stage"]
        for file in seal.value["files"]:
            path = file["path"]
            if path in sealed:
                outcome.add(
                    "frozen by two seals",
                    source=seal.path,
                    key={"stage": stage, "path": path},
                    field="/files",
                    expected=f"only {sealed[path]}",
                    found=stage,
                )
            sealed[path] = stage
            if file["stage"] != stage or path.partition("/")[0] != stage:
                outcome.add(
                    "the file belongs to another stage than the seal that froze it",
                    source=seal.path,
                    key={"stage": stage, "path": path},
                    field="/files/*/stage",
                    expected=stage,
                    found=file["stage"] if file["stage"] != stage else path,
                )
            entry = listed.get(path)
            if entry is None:
                outcome.add(
                    "sealed, but not in the manifest",
                    source=seal.path,
                    key={"stage": stage, "path": path},
                    field="/files",
                    expected="listed",
                    found="not listed",
                )
            elif Entry(**file) != entry:
                name = next(name for name in vars(entry) if getattr(entry, name) != file.get(name))
                outcome.add(
                    "seal and manifest disagree",
                    source=seal.path,
                    key={"stage": stage, "path": path},
                    field=f"/files/*/{name}",
                    expected=getattr(entry, name),
                    found=file.get(name),
                )
    stages = {entry.path: entry.stage for entry in study.bundle.entries}
    for seal in seals_in_order(study):
        if seal.path != seal_path(seal.value["stage"]) or stages[seal.path] != seal.value["stage"]:
            outcome.add(
                "the seal lies in another place than its stage's",
                source=seal.path,
                key={"stage": seal.value["stage"]},
                field="/stage",
                expected=seal_path(seal.value["stage"]),
                found=f"{seal.path} of {stages[seal.path]}",
            )
    for path, entry in listed.items():
        if path not in sealed:
            outcome.add(
                "in the manifest, but frozen by no seal",
                source=path,
                key={"stage": entry.stage},
                expected=f"a file of {seal_path(entry.stage)}",
                found="nothing",
            )


@check("stage.chronology", "files")
def chronology(study: Study, outcome: Outcome) -> None:
    entries = [entry for entry in study.bundle.entries if entry.kind in KINDS]
    outcome.inspected = len(entries)
    traced = {entry.split: STAGES.index(entry.stage) for entry in entries if entry.kind == "trace" and entry.split}
    for entry in entries:
        role = study.roles.get(entry.split or "")
        if not may_seal(entry.kind, entry.stage, role):
            allowed = [stage for stage in STAGES if may_seal(entry.kind, stage, role)]
            outcome.add(
                "the file is sealed in a stage that may not hold it",
                source=entry.path,
                key={"kind": entry.kind, "split": entry.split or ""},
                field="/stage",
                expected=" or ".join(allowed) or "a split that the protocol declares",
                found=entry.stage,
            )
        elif (
            entry.kind in ("values", "score")
            and entry.split in traced
            and STAGES.index(entry.stage) <= traced[entry.split]
        ):
            outcome.add(
                "sealed no later than the traces that it scores",
                source=entry.path,
                key={"kind": entry.kind, "split": entry.split or ""},
                field="/stage",
                expected=f"after {STAGES[traced[entry.split]]}",
                found=entry.stage,
            )
