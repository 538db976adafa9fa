"""One read of a bundle, one run of its checks, and every answer that a command shows.

The order of verification, stated once:

(1) Open the bundle and read every file once: hash the bytes, then parse those same bytes.
(2) Choose the checks: all, or those asked for, together with everything that they need.
(3) Run them in the catalogue's order. A check looks at every record it can, whatever failed before.
(4) Settle each status: an error is a failure; no error, but evidence that is absent or spoilt, is
    missing; nothing inspected is missing too. An aggregate is not computed on spoilt evidence, unless it looks
    around the damage (`despite`) and says itself which of its parts are missing.
(5) Sum up: what the study packs say of their records, from recomputed values.
(6) Reach the verdict: findings, incomplete or verified.

Printed cells are judged one by one (checks/printed.py): a cell whose records are spoilt is missing, and all others
are judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from os import PathLike
from pathlib import Path

from sealtrace.bundle.budget import Asked, Budget, BudgetError
from sealtrace.bundle.frames import Frame
from sealtrace.bundle.model import Bundle, Progress, Stream, UnfinishedBundle
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.resources import default_bundle
from sealtrace.bundle.sealing import draft_bundle
from sealtrace.bundle.shards import Threads, Workers
from sealtrace.checks import families  # noqa: F401 - imported for the checks' registrations
from sealtrace.checks.catalogue import BY_ID, CATALOGUE, Check, pack_of, select, with_needs
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.checks.streamed import Sources, Streamed
from sealtrace.contract.packs import Pack, loaded, packs
from sealtrace.contract.result import CheckResult, Result, Status
from sealtrace.contract.waivers import Waiver
from sealtrace.evidence import Evidence
from sealtrace.examined import Examined
from sealtrace.paper.model import Table
from sealtrace.recipes.beside import named_bundles


def examine(
    path: str | PathLike[str] | None = None,
    *,
    check: Sequence[str] = (),
    skip: Sequence[str] = (),
    strict: bool = False,
    expect_root: str | None = None,
    every_row: bool = False,
    draft: bool = False,
    reported: Sequence[str | PathLike[str]] = (),
    beside: Sequence[str | PathLike[str]] = (),
    progress: Progress | None = None,
    asked: Asked | None = None,
    budget: Budget | None = None,
    waivers: Sequence[Waiver] = (),
    jobs: int = 1,
    scheduler: str | None = None,
) -> Examination:
    """Examine a bundle: read it once, run its checks, and answer whatever is asked afterwards.

    `path` is a directory, a .zip or a .tar.gz; without one, the embedded fixture study. `check` and
    `skip` choose checks by id or id prefix; what is left out is reported as skipped, and the verdict
    is then at best `incomplete`. With `strict` a warning counts as an error. `expect_root` is the root
    digest that the paper names. `every_row` validates each row with jsonschema and with its model too,
    besides the column predicates. `draft` examines a directory that is not sealed as if it were. `reported` are papers
    whose tables must print what the bundle's table records say. `beside` are bundles that recompute cells of this one;
    those that its recipes name are examined, too. `progress` is called with a step's name, how much of it
    is done, and how much there is. `asked` names the keys and authorities that the reader trusts, and what they must
    have witnessed. `budget` bounds memory, time and reading. `waivers` are findings that the reader accepts for a
    while: the verdict is then at best `incomplete`. `jobs` threads parse files of rows and judge the shards of large
    ones, unless the `scheduler` of a dask cluster is named, whose workers do so; the report is the same for any number.

    Raises `BundleError` where there is no bundle to read or the budget is spent, and `ValueError` for a
    check that does not exist. Everything else that is wrong is a finding.
    """
    chosen = select(check, skip)
    place = default_bundle() if path is None else Path(path)
    with draft_bundle(place) if draft else nullcontext(place) as read_from, _workers(jobs, scheduler) as workers:
        bundle = read_bundle(
            read_from, every_row=every_row, progress=progress, budget=budget, streams=_streams(workers), jobs=jobs
        )  # (1)
    # Read after the bundle and before its checks: its cells ask what became of these bundles.
    named = named_bundles([Table.of(document.value) for document in bundle.documents_of("table")])
    others = [read_bundle(Path(other), progress=progress, budget=budget) for other in beside]
    reports = (
        Examination(other, progress=progress).report for other in others if {other.name, other.root_sha256} & named
    )
    asked = replace(asked or Asked(), root=expect_root, papers=tuple(map(Path, reported)))
    evidence = evidence_of(bundle, asked, progress, tuple(reports))
    return Examination(bundle, chosen, strict=strict, draft=draft, evidence=evidence, waivers=waivers)


def evidence_of(
    bundle: Bundle, asked: Asked | None = None, progress: Progress | None = None, beside: tuple[Result, ...] = ()
) -> Evidence:
    """The records of a bundle, with what judging some of them a shard at a time has found."""
    streamed: list[Streamed] = list(bundle.streamed.values())
    frames: dict[str, Frame] = {}
    for found in streamed:
        frames |= {kind: frame for kind, frame in found.beside.evidence.frames.items() if frame.size}
    for found in streamed:
        frames |= found.frames
    views = [view for found in streamed for view in found.passed_on]
    return Evidence(bundle, asked, progress, frames, beside=beside, views=views)


def _workers(jobs: int, scheduler: str | None) -> AbstractContextManager[Workers]:
    if scheduler is None:
        return nullcontext(Threads(jobs))
    from sealtrace.bundle.cluster import Cluster  # only where a cluster is asked for: an extra

    return Cluster(scheduler)


def _streams(workers: Workers) -> list[Stream]:
    """The ways to judge large files a row group at a time that study packs offer."""

    def judged(pack: Pack) -> Callable[[UnfinishedBundle, Sources], Streamed]:
        return lambda bundle, sources: loaded(pack.streamer)(bundle, sources, workers)

    return [Stream(pack.name, pack.streamed, judged(pack)) for pack in packs() if pack.streamer]


class Examination(Examined):
    """One run of the checks of a bundle."""

    def __init__(
        self,
        bundle: Bundle,
        chosen: frozenset[str] | None = None,
        *,
        strict: bool = False,
        draft: bool = False,
        progress: Progress | None = None,
        evidence: Evidence | None = None,
        waivers: Sequence[Waiver] = (),
    ) -> None:
        """`evidence` is what is known of the bundle already."""
        evidence = evidence or evidence_of(bundle, progress=progress)
        super().__init__(bundle, evidence, frozenset(BY_ID) if chosen is None else chosen)
        self.strict, self.draft, self.waivers = strict, draft, waivers
        needed = with_needs(self.chosen)
        due = [entry for entry in CATALOGUE if entry.id in needed]  # (2)
        for number, entry in enumerate(due, 1):
            try:
                bundle.budget.on_time(entry.id)
                self.outcomes[entry.id], self.results[entry.id] = self.run(entry)  # (3)
            except BudgetError as error:
                raise BudgetError(error.reason, [later.id for later in due[number - 1 :]]) from None
            self.evidence.progress("checking", number, len(due))

    def run(self, entry: Check) -> tuple[Outcome, CheckResult]:
        """Runs one check, after those that it needs."""
        unit = FUNCTIONS[entry.id][1]
        outcome = Outcome(entry.id, unit)
        started = time.perf_counter()
        pack = pack_of(entry.id)
        unmet = self.unmet(entry, pack)
        if not self.bundle.manifest_readable and entry.id != "identity.manifest":
            unmet = "manifest.json cannot be read"
        elif pack is not None and (reason := pack.absent(self.evidence)) is not None:
            outcome.not_applicable, unmet = reason, None
        elif not unmet or self._can_look(entry, pack):
            self._look(entry, pack, outcome)
        if outcome.missing and (root := self.damaged(entry)) is not None:
            outcome.missing = f"{outcome.missing} ({root})"
        status, reason = _settle(outcome, unmet)  # (4)
        self.seconds[entry.id] = time.perf_counter() - started
        return outcome, CheckResult(
            id=entry.id,
            title=entry.title,
            status=status,
            reason=reason,
            inspected=outcome.inspected,
            unit=unit,
            findings=sum(outcome.counts.values()),
        )

    def _look(self, entry: Check, pack: Pack | None, outcome: Outcome) -> None:
        """Runs a check; of rows that were judged a shard at a time, what is known is taken."""
        function, _ = FUNCTIONS[entry.id]
        streamed: Streamed | None = None if pack is None else self.bundle.streamed.get(pack.name)
        if streamed is None or entry.id not in streamed.outcomes:
            function(self.seen_by(pack), outcome)
            return
        if entry.id in streamed.beside_too:
            function(streamed.beside, outcome)
        outcome.add(streamed.outcomes[entry.id])

    def _can_look(self, entry: Check, pack: Pack | None) -> bool:
        """Whether a check may look for errors although it cannot pass: not aggregates, and not without a protocol."""
        if entry.whole or ("protocol" in entry.reads and self.evidence.protocol_document is None):
            return False
        return pack is None or pack.unusable(self.evidence) is None


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
