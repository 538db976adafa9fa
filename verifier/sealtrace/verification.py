"""The order of verification, stated once.

(1) Open the bundle and read every file once: hash the bytes, then parse those same bytes.
(2) Choose the checks: all, or those asked for, together with everything that they need.
(3) Run them in the catalogue's order. A check looks at every record it can, whatever failed before.
(4) Settle each status: an error is a failure; no error, but evidence that is absent or spoilt, is
    missing; nothing inspected is missing too. An aggregate is not computed on spoilt evidence.
(5) Sum up: the figures that the paper's appendix asks for, from recomputed values.
(6) Reach the verdict: findings, incomplete or verified.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from sealtrace import __version__
from sealtrace.bundle.reading import Bundle, Document, Progress, read_bundle
from sealtrace.bundle.resources import default_bundle
from sealtrace.checks import families
from sealtrace.checks.catalogue import BY_ID, CATALOGUE, Check
from sealtrace.checks.cells import evaluated, recomputed_text
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.contract.kinds import STAGES
from sealtrace.contract.report import (
    Agreement,
    BundleIdentity,
    Cell,
    Chain,
    CheckResult,
    Coverage,
    Place,
    Report,
    Selected,
    Status,
    Summary,
    Verdict,
)
from sealtrace.details import details_of
from sealtrace.printed.cells import CellResult, bundle_cells, missing_cells
from sealtrace.printed.judgement import RECOMPUTED
from sealtrace.printed.judgement import Status as CellStatus
from sealtrace.studies.policies.checks.maps import assigned_name, recomputed
from sealtrace.studies.policies.checks.selection import chosen_text, recounted
from sealtrace.studies.policies.evidence.deployment import map_name
from sealtrace.studies.policies.evidence.settings import ASSUMPTIONS
from sealtrace.studies.policies.evidence.study import Study

__all__ = ["families", "select", "unmet_needs", "verify"]


def verify(
    path: str | PathLike[str] | None = None,
    *,
    check: Sequence[str] = (),
    skip: Sequence[str] = (),
    expect_root: str | None = None,
    every_row: bool = False,
    details: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Verify a bundle and say what was found.

    `path` is a directory, a .zip or a .tar.gz; without one, the embedded fixture study. `check` and
    `skip` choose checks by id or id prefix; what is left out is reported as skipped, and the verdict
    is then at best `incomplete`. `expect_root` is the root digest that the paper names. `every_row`
    validates each row with jsonschema and with its model too, besides the column predicates. `details`
    adds the evidence behind the verdict, which pages show. `progress` is called with a step's name, how
    much of it is done, and how much there is.

    Raises `BundleError` where there is no bundle to read, and `ValueError` for a check that does not
    exist. Everything else that is wrong is a finding.
    """
    chosen = select(check, skip)
    bundle = read_bundle(
        default_bundle() if path is None else Path(path), every_row=every_row, progress=progress
    )  # (1)
    study = Study(bundle, expect_root, progress)
    outcomes: dict[str, Outcome] = {}
    results: dict[str, CheckResult] = {}
    due = [entry for entry in CATALOGUE if entry.id in _closure(chosen)]  # (2)
    for number, entry in enumerate(due, 1):
        outcomes[entry.id], results[entry.id] = _run(entry, study, results)  # (3)
        if details:
            results[entry.id] = results[entry.id].model_copy(update={"largest": outcomes[entry.id].largest})
        if progress:
            progress("checking", number, len(due))
    cells = _cells(study, results)
    checks = [results[one.id] if one.id in chosen else _skipped(one) for one in CATALOGUE]
    findings = [finding for one in CATALOGUE if one.id in chosen for finding in outcomes[one.id].findings]
    return Report(
        sealtrace=__version__,
        bundle=BundleIdentity(name=bundle.name, root_sha256=bundle.root_sha256),
        verdict=_verdict(checks),  # (6)
        summary=_summary(study, outcomes, results),  # (5)
        checks=checks,
        findings=findings,
        cells=[cell_of(result) for result in cells],
        coverage=coverage_of(cells),
        details=details_of(study, results, cells) if details else None,
    )


def _cells(study: Study, results: dict[str, CheckResult]) -> list[CellResult]:
    """Every printed cell, where tables were looked at; missing where the evidence for them is."""
    result = results.get("table.cells")
    if result is None or result.status == "not-applicable":
        return []
    if result.inspected:
        return evaluated(study)
    return missing_cells(bundle_cells(study), result.reason or "")


def cell_of(result: CellResult) -> Cell:
    """A cell as the report has it."""
    return Cell(
        table=result.cell.table,
        row=result.cell.row,
        column=result.cell.column,
        reported=result.cell.text,
        recomputed=recomputed_text(result),
        status=result.status.value,
        sentence=result.judgement.sentence,
        source=result.cell.source or result.cell.record,
        line=result.cell.line,
        recipe=result.recipe,
    )


def coverage_of(cells: list[CellResult]) -> Coverage:
    """How the cells are accounted for."""
    statuses = [result.status for result in cells]
    return Coverage(
        cells=len(statuses),
        recomputed=sum(status in RECOMPUTED for status in statuses),
        constrained=statuses.count(CellStatus.CONSTRAINED),
        attested=statuses.count(CellStatus.ATTESTED),
        unclassified=statuses.count(CellStatus.UNCLASSIFIED),
        missing=statuses.count(CellStatus.MISSING),
        statuses={status.value: statuses.count(status) for status in CellStatus if status in statuses},
    )


def select(check: Sequence[str] = (), skip: Sequence[str] = ()) -> frozenset[str]:
    """The ids that `check` and `skip` leave. A prefix is a whole id or whole leading parts of one."""
    for prefix in (*check, *skip):
        if not any(_has_prefix(one.id, prefix) for one in CATALOGUE):
            raise ValueError(f"no check has the id or prefix {prefix!r}; `sealtrace checks` lists them")
    wanted = frozenset(
        one.id
        for one in CATALOGUE
        if (not check or any(_has_prefix(one.id, prefix) for prefix in check))
        and not any(_has_prefix(one.id, prefix) for prefix in skip)
    )
    if not wanted:
        raise ValueError("no check is left to run")
    return wanted


def _has_prefix(check_id: str, prefix: str) -> bool:
    return check_id == prefix or check_id.startswith(f"{prefix.removesuffix('.')}.")


def _closure(chosen: frozenset[str]) -> frozenset[str]:
    """The chosen checks and everything that they need, directly or not."""
    closure = set(chosen)
    pending = list(chosen)
    while pending:
        for need in BY_ID[pending.pop()].needs:
            if need not in closure:
                closure.add(need)
                pending.append(need)
    return frozenset(closure)


def _run(entry: Check, study: Study, done: dict[str, CheckResult]) -> tuple[Outcome, CheckResult]:
    function, unit = FUNCTIONS[entry.id]
    outcome = Outcome(entry.id, unit)
    started = time.perf_counter()
    unmet = _unmet(entry, study.bundle, done)
    if _about_policies(entry) and not _has_policies(study):
        outcome.not_applicable, unmet = "the study declares no policies", None
    elif not unmet or _can_run_spoilt(entry, study.bundle):
        function(study, outcome)
    status, reason = _settle(outcome, unmet)  # (4)
    result = CheckResult(
        id=entry.id,
        title=entry.title,
        status=status,
        reason=reason,
        inspected=outcome.inspected,
        unit=unit,
        findings=sum(outcome.counts.values()),
        seconds=round(time.perf_counter() - started, 6),
    )
    return outcome, result


_POLICY_KINDS = frozenset(
    {
        "observation",
        "teacher",
        "candidate",
        "checkpoint",
        "residual",
        "trace",
        "values",
        "score",
        "summary",
        "partition",
        "certificate",
        "selection",
        "map",
    }
)


def unmet_needs(study: Study, reads: tuple[str, ...], needs: tuple[str, ...]) -> str | None:
    """Why records of some kinds cannot be computed with, by the checks that they must pass; None where they can."""
    results: dict[str, CheckResult] = {}
    for entry in CATALOGUE:
        if entry.id in _closure(frozenset(needs)):
            _, results[entry.id] = _run(entry, study, results)
    return _unmet(Check("", "", "", "", reads=reads, needs=needs), study.bundle, results)


def _about_policies(entry: Check) -> bool:
    return not _POLICY_KINDS.isdisjoint(entry.reads)


def _has_policies(study: Study) -> bool:
    """Whether the protocol declares actions, or the bundle holds records that only a study of policies has."""
    document = study.protocol_document
    held = any(entry.kind in _POLICY_KINDS for entry in study.bundle.entries)
    return document is None or bool(document.value.get("actions")) or held


def _unmet(entry: Check, bundle: Bundle, done: dict[str, CheckResult]) -> str | None:
    """Why a check cannot pass, whatever it finds; None where it can."""
    if not bundle.manifest_readable and entry.id != "identity.manifest":
        return "manifest.json cannot be read"
    for kind in entry.reads:
        if reason := _spoilt(kind, bundle):
            return reason
    for need in entry.needs:
        if done[need].status == "fail":
            return f"needs {need}, which failed"
        if done[need].status == "missing":
            # The reason at the root is the one to act on.
            return done[need].reason
    return None


def _can_run_spoilt(entry: Check, bundle: Bundle) -> bool:
    """Whether a check may look for errors although it cannot pass: not aggregates, and not without a protocol."""
    if not bundle.manifest_readable:
        return entry.id == "identity.manifest"
    protocol = bundle.document("protocol")
    if "protocol" in entry.reads and (
        protocol is None or (_about_policies(entry) and not protocol.value.get("actions"))
    ):
        return False
    return not entry.whole


_NO_PROTOCOL = Document("", "protocol", {}, fits=False)


def _spoilt(kind: str, bundle: Bundle) -> str | None:
    """Why the records of a kind are not whole; None where they are, or where the bundle lists none."""
    for entry in bundle.entries:
        if entry.kind == kind and entry.path not in bundle.digests:
            return f"{entry.path} cannot be read"
    for document in bundle.documents:
        if document.kind == kind and not document.fits:
            return f"{document.path} does not fit its schema"
    for store in bundle.of_kind(kind):
        if store.syntax.total or store.misfits.total:
            return f"{store.path} has rows that cannot be read"
    parsed = {document.path for document in bundle.documents} | {store.path for store in bundle.stores}
    for entry in bundle.entries:
        if entry.kind == kind and entry.path not in parsed:
            return f"{entry.path} cannot be parsed"
    if kind == "protocol" and bundle.document("protocol") is None:
        return "there is no protocol"
    if kind in _POLICY_KINDS and not (bundle.document("protocol") or _NO_PROTOCOL).value.get("actions"):
        return "the protocol declares no actions"
    return None


def _settle(outcome: Outcome, unmet: str | None) -> tuple[Status, str | None]:
    if outcome.counts["error"]:
        return "fail", None
    if unmet:
        return "missing", unmet
    if outcome.not_applicable:
        return "not-applicable", outcome.not_applicable
    if outcome.missing:
        return "missing", outcome.missing
    if outcome.inspected == 0:
        return "missing", f"there are no {outcome.unit} to inspect"
    return "pass", None


def _skipped(entry: Check) -> CheckResult:
    return CheckResult(
        id=entry.id,
        title=entry.title,
        status="skipped",
        reason="not asked for",
        inspected=0,
        unit=FUNCTIONS[entry.id][1],
        findings=0,
        seconds=0.0,
    )


def _verdict(checks: list[CheckResult]) -> Verdict:
    statuses = {check.status for check in checks}
    if "fail" in statuses:
        return "findings"
    if statuses <= {"pass", "not-applicable"} and "pass" in statuses:
        return "verified"
    return "incomplete"


def _summary(study: Study, outcomes: dict[str, Outcome], results: dict[str, CheckResult]) -> Summary:
    largest: Place | None = None
    for outcome in outcomes.values():
        if outcome.largest is not None and (largest is None or outcome.largest.value > largest.value):
            largest = outcome.largest
    threshold = outcomes.get("threshold.recomputed")
    agreement = None
    if threshold is not None and threshold.inspected:
        wrong = threshold.counts["error"]
        agreement = Agreement(agree=threshold.inspected - wrong, total=threshold.inspected)
    readable = study.protocol_document is not None
    selected = []
    if readable and results.get("selection.choice", _NONE).status in ("pass", "fail"):
        selected = [
            Selected(
                selector=key["selector"],
                recomputed=None if counted is None else chosen_text(counted),
                reported=document.value.get("choice"),
            )
            for document, key, counted in recounted(study)
        ]
    if readable and results.get("map.choice", _NONE).status in ("pass", "fail"):
        selected += [
            Selected(
                selector=key["selector"],
                recomputed=map_name(chosen),
                reported=" / ".join(assigned_name(study, one) for one in document.value["assignments"]),
            )
            for document, key, chosen in recomputed(study, Outcome("map.choice", "assignments"))
        ]
    return Summary(
        states=len(study.states) if study.bundle.of_kind("observation") else 0,
        policies=len(study.candidates),
        traces=study.frame("trace").size,
        tolerance=(study.protocol.get("tolerances") or {}).get("replay"),
        max_discrepancy=largest,
        threshold_agreement=agreement,
        selected=selected,
        assumed=list(ASSUMPTIONS) if study.bundle.of_kind("certificate") else [],
        chain=Chain(seals=len(study.bundle.documents_of("seal")), stages=len(STAGES), signatures=0, timestamps=0),
    )


_NONE = CheckResult(id="", title="", status="skipped", inspected=0, unit="", findings=0, seconds=0.0)
