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

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import date
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from sealtrace import __version__
from sealtrace.bundle.budget import Asked, Budget, BudgetError
from sealtrace.bundle.defects import nearest
from sealtrace.bundle.frames import Frame
from sealtrace.bundle.model import Bundle, Progress, Stream, UnfinishedBundle
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.resources import default_bundle
from sealtrace.bundle.sealing import draft_bundle
from sealtrace.bundle.shards import Threads, Workers
from sealtrace.checks import families  # noqa: F401 - imported for the checks' registrations
from sealtrace.checks.catalogue import BY_ID, CATALOGUE, Check, pack_of, select, with_needs
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.printed import PrintedNumbers
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.checks.stages import due_stages, stage_links
from sealtrace.checks.streamed import Sources, Streamed
from sealtrace.checks.witnesses import Outside, coverage, disclosures
from sealtrace.contract.details import Details, DrawnTable
from sealtrace.contract.packs import Pack, loaded, packs
from sealtrace.contract.result import (
    GRADES,
    Chain,
    CheckResult,
    ClaimResult,
    Coverage,
    FormulaResult,
    NotLookedAt,
    Result,
    Status,
    Subject,
    Summary,
    Verdict,
)
from sealtrace.contract.waivers import Waiver, accepted, waive
from sealtrace.evidence import Evidence, View, seen_by
from sealtrace.paper.model import Table
from sealtrace.recipes.beside import named_bundles
from sealtrace.recipes.cell_results import CellResult
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.metrics import RecipeError
from sealtrace.recipes.queries import Queries


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


class Examination:
    """One run of the checks of a bundle. Every command asks this object, so no two of them can disagree."""

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
        self.bundle, self.evidence = bundle, evidence or evidence_of(bundle, progress=progress)
        self.chosen = frozenset(BY_ID) if chosen is None else chosen
        self.strict, self.draft, self.waivers = strict, draft, waivers
        self.outcomes: dict[str, Outcome] = {}
        self.results: dict[str, CheckResult] = {}
        self.seconds: dict[str, float] = {}
        """How long each check took: no part of the report, which is the same on every machine."""
        self._spoilt = cache(self.evidence.spoilt)
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
        pack = pack_of(entry.id)
        outcome = Outcome(entry.id, "" if pack in self._unused else FUNCTIONS[entry.id][1])
        started = time.perf_counter()
        unmet = self.unmet(entry, pack)
        if not self.bundle.manifest_readable and entry.id != "identity.manifest":
            unmet = "manifest.json cannot be read"
        # Asked before what the check lacks: of another kind of study nothing is missing.
        elif pack is not None and (reason := pack.absent(self.evidence)) is not None:
            outcome.not_applicable, unmet = reason, None
        elif not unmet or self._can_look(entry, pack):
            self._look(entry, pack, outcome)
        if outcome.missing and (root := self.damaged(entry)) is not None:
            outcome.missing = f"{outcome.missing} ({root})"
        status, reason = _settle(outcome, unmet)  # (4)
        self.seconds[entry.id] = time.perf_counter() - started
        return outcome, _result(entry, outcome, status, reason)

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

    def seen_by(self, pack: Pack | None) -> Evidence | View:
        """The records as a study pack sees them."""
        return self.evidence if pack is None else seen_by(self.evidence, pack)

    def unmet(self, entry: Check, pack: Pack | None = None) -> str | None:
        """Why a check cannot rely on what it reads and needs, beside damage that it works around; None if it can."""
        around = set(entry.despite)
        for kind in entry.reads:
            if kind not in around and (reason := self._spoilt(kind)):
                return reason
        if pack is not None and (reason := pack.unusable(self.evidence)) is not None:
            return reason
        return next(
            (reason for need in entry.needs if need not in around and (reason := self._failed(need, entry))), None
        )

    def damaged(self, entry: Check) -> str | None:
        """The first damage that a check works around; None if there is none."""
        for name in entry.despite:
            if reason := self._failed(name, entry) if name in BY_ID else self._spoilt(name):
                return reason
        return None

    def _failed(self, need: str, entry: Check) -> str | None:
        """Why a check that another needs did not hold for what that one reads; None where it did."""
        result = self.results[need]
        if need == "join.unique-key" and not any(map(self.evidence.repeats, entry.reads)):
            return None  # keys of other kinds are none of its concern
        if result.status == "fail":
            return f"needs {need}, which failed"
        # The reason at the root is the one to act on.
        return result.reason if result.status == "missing" else None

    def computed(self, check_id: str) -> bool:
        """Whether a check ran to its end, whatever it found."""
        return check_id in self.results and self.results[check_id].status in ("pass", "fail")

    def holds(self, *check_ids: str) -> bool:
        """Whether these checks passed."""
        return all(check in self.results and self.results[check].status == "pass" for check in check_ids)

    # Printed cells

    @property
    def printed(self) -> PrintedNumbers:
        return self.evidence.view(PrintedNumbers)

    @property
    def cells(self) -> list[CellResult]:
        """Every printed cell and what became of it; none where tables were not to be looked at."""
        return self.printed.results if self._tables_judged else []

    @property
    def _tables_judged(self) -> bool:
        return "table.cells" in self.results and self.results["table.cells"].status in ("pass", "fail", "missing")

    def explain(self, address: str) -> CellResult:
        """What became of one cell, by its address `TABLE[ROW, COLUMN]`; `LookupError` where there is none."""
        found = next((result for result in self.cells if _plain(result.cell.name) == _plain(address)), None)
        if found is None:
            raise LookupError(self._unknown(address))
        return found

    def records_behind(self, result: CellResult) -> tuple[int, list[str]]:
        """How many records a cell was computed from, and the first of them; of a query, the rows that it sums up."""
        value = result.value
        if value is None:
            return 0, []
        if value.query is None:
            return value.count, value.records()
        try:
            return Queries(self.evidence).behind(value.query)
        except RecipeError:
            return 0, []

    def _unknown(self, address: str) -> str:
        cells = self.printed.cells
        if held := next((cell for cell in cells if _plain(cell.name) == _plain(address)), None):
            return f"{address} holds {held.text!r}, which is no number"
        tables = sorted({cell.table for cell in cells})
        table, bracket, _ = address.partition("[")
        if table not in tables:
            return f"there is no table {table!r}{nearest(table, tables)}"
        members = [cell for cell in cells if cell.table == table]
        rows = ", ".join(dict.fromkeys(cell.row for cell in members))
        columns = ", ".join(dict.fromkeys(cell.column for cell in members))
        hint = nearest(address, [cell.name for cell in members], listed=0).partition("; there")[0] if bracket else ""
        said = (
            f"{table} has no such cell{hint}" if bracket else f"{table} is a table; name a cell as {table}[ROW, COLUMN]"
        )
        return f"{said.removesuffix('?')}{'?' if hint else '.'} Its rows: {rows}. Its columns: {columns}."

    # The report

    @cached_property
    def full_report(self) -> Result:
        """The report with the evidence behind it, as pages show it."""
        met = {check: outcome.largest for check, outcome in self.outcomes.items()}
        checks = [result.model_copy(update={"largest": met.get(result.id)}) for result in self.report.checks]
        return self.report.model_copy(update={"checks": checks, "details": self.details})

    @cached_property
    def report(self) -> Result:
        """What the verifier says."""
        unused = self._unused
        left_out = {check.id for pack in unused for check in pack.catalogue}
        listed = [check for check in CATALOGUE if check.id not in left_out]
        checks = [
            self.results[check.id]
            if check.id in self.chosen
            else _result(check, Outcome(check.id, FUNCTIONS[check.id][1]), "skipped", "not asked for")
            for check in listed
        ]
        findings = [
            finding for check in CATALOGUE if check.id in self.chosen for finding in self.outcomes[check.id].findings
        ]
        if self.waivers:
            errors = {check: outcome.counts["error"] for check, outcome in self.outcomes.items()}
            findings, checks = waive(findings, checks, errors, self.waivers, date.today())
        # `strict` turns warnings into errors, except those that the reader has accepted for now.
        warned = self.strict and any(finding.severity == "warning" and finding.waived is None for finding in findings)
        return Result(
            sealtrace=__version__,
            command="verify",
            subject=self.subject,
            verdict="findings" if warned else _verdict(checks),  # (6)
            strict=self.strict,
            draft=self.draft,
            summary=self._summary(),  # (5)
            checks=checks,
            findings=findings,
            numbers=accepted([result.number for result in self.cells], findings),
            formulas=formulas_of(self.cells),
            claims=self._claims(),
            coverage=coverage_of(self.cells, self.printed.cells if self._tables_judged else ()),
            not_looked_at=[
                NotLookedAt(what=f"the {len(pack.catalogue)} checks of {pack.name}", why=reason)
                for pack, reason in unused.items()
            ],
        )

    def _claims(self) -> list[ClaimResult]:
        """What became of the sealed claims of a reader, broken ones first."""
        if "relation.holds" not in self.outcomes or not self.bundle.documents_of("claims"):
            return []
        # Here and not above: the engine takes time to import, and most bundles have no claims.
        from sealtrace.checks.sealed_claims import SealedClaims

        decided = self.evidence.view(SealedClaims).decided
        return sorted((result for _path, _place, result in decided), key=lambda claim: GRADES.index(claim.grade))

    @property
    def subject(self) -> Subject:
        told = {name: self.evidence.protocol.get(name) for name in ("title", "about", "field")}
        tables = self.bundle.documents_of("table")
        return Subject(
            name=self.bundle.name,
            **{name: text for name, text in told.items() if isinstance(text, str)},
            root_sha256=self.bundle.root_sha256,
            papers=sorted({str(source) for table in tables if (source := table.value.get("source"))}),
        )

    def _summary(self) -> Summary:
        met = [outcome.largest for outcome in self.outcomes.values() if outcome.largest is not None]
        parts: dict[str, Any] = {"inspected": []}
        for pack in self._present():
            for name, value in loaded(pack.overview).summary(self.seen_by(pack), self).items():
                parts[name] = [*parts[name], *value] if name == "inspected" else value
        return Summary(
            max_discrepancy=max(met, key=lambda place: place.value, default=None),
            chain=self._chain(),
            disclosed=disclosures(self.evidence) if "witness.disclosed" in self.outcomes else [],
            **parts,
        )

    def _chain(self) -> Chain:
        looked = "witness.outside" in self.outcomes
        seen = self.evidence.view(Outside).witnesses if looked else None
        seals = self.bundle.documents_of("seal")
        return Chain(
            seals=len(seals),
            stages=len({*due_stages(self.evidence), *(seal.value["stage"] for seal in seals)}),
            signatures=seen.count("signature") if seen else 0,
            timestamps=seen.count("timestamp") if seen else 0,
            coverage=coverage(self.evidence) if looked else [],
        )

    @cached_property
    def _unused(self) -> dict[Pack, str]:
        """The packs whose kind of study this is not, with the reason; not those whose checks were asked for by name."""
        if not self.bundle.manifest_readable:
            return {}
        whole = self.chosen == frozenset(BY_ID)
        reasons = {pack: pack.absent(self.evidence) for pack in packs()}
        return {
            pack: reason
            for pack, reason in reasons.items()
            if reason is not None and (whole or not any(check.id in self.chosen for check in pack.catalogue))
        }

    def _present(self) -> list[Pack]:
        """The packs that have something to say of this bundle."""
        if not self.bundle.manifest_readable:
            return []
        return [pack for pack in packs() if pack.overview and pack.absent(self.evidence) is None]

    @cached_property
    def details(self) -> Details:
        """The evidence behind the verdict, for pages."""
        parts: dict[str, Any] = {}
        for pack in self._present():
            made = loaded(pack.overview).details(self.seen_by(pack), self)
            parts |= made | {"plots": [*parts.get("plots", []), *made.get("plots", [])]}
        return Details(
            tables=[DrawnTable.of(table) for table in self.printed.tables],
            stages=stage_links(self.evidence, {link.stage: link.witnesses for link in self._chain().coverage}),
            **parts,
        )


def _settle(outcome: Outcome, unmet: str | None) -> tuple[Status, str | None]:
    # An error fails whatever else is missing; and nothing inspected is never a pass.
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


OF_PRINTED_NUMBERS = ("relation", "table")
"""Families of checks that a study may expect to fail without saying where: its printed numbers cannot all be true."""


def unexpected(examination: Examination) -> list[str]:
    """How a report differs from what its study expects of itself; nothing where it is as expected."""
    report, protocol = examination.report, examination.evidence.protocol
    due, listed = protocol.get("expects"), protocol.get("expected_findings")
    if report.verdict != due:
        return [f"the study expects {due or 'no verdict'}, not {report.verdict}"]
    found = {finding.name for finding in report.findings if finding.severity == "error"}
    if listed is None:
        strange = {name for name in found if name.partition(".")[0] not in OF_PRINTED_NUMBERS}
        return [f"the study does not list this finding as expected: {name}" for name in sorted(strange)]
    kept = Counter(finding.check for finding in report.findings)
    return [
        *(
            f"{result.id} has more findings than are kept to be compared"
            for result in report.checks
            if result.findings > kept[result.id]
        ),
        *(f"the study does not expect this finding: {name}" for name in sorted(found - set(listed))),
        *(f"the study expects a finding that is not there: {name}" for name in sorted(set(listed) - found)),
    ]


def formulas_of(results: Sequence[CellResult]) -> list[FormulaResult]:
    """What the recipes of each table compute, of which rows and entities; each once, with the columns that have it."""
    found: dict[tuple[str, str], list[CellResult]] = {}
    seen: set[tuple[str, str, str]] = set()
    for result in results:
        if result.meaning is None:
            continue
        recipe = json.dumps(result.cell.recipe or result.cell.table_recipe, sort_keys=True)
        if result.metric is not None or (result.cell.table, result.cell.column, recipe) not in seen:
            seen.add((result.cell.table, result.cell.column, recipe))
            text = "; ".join(filter(None, [result.template, result.restricted.partition("; without")[0]]))
            found.setdefault((result.cell.table, text), []).append(result)
    return [
        FormulaResult(
            id=f"r{place}",
            table=table,
            kind="column",
            subject=", ".join(dict.fromkeys(one.cell.subject for one in members)),
            formula=". ".join(filter(None, [members[0].template, members[0].restricted, _entities(members)])),
        )
        for place, ((table, _), members) in enumerate(found.items(), 1)
    ]


def _entities(results: Sequence[CellResult]) -> str:
    return "; ".join(dict.fromkeys(said for one in results for said in one.stands_for))


def coverage_of(cells: Sequence[CellResult], every: Sequence[TableCell]) -> Coverage:
    """How the cells are accounted for, of every cell that the tables have."""
    # Cells that were not judged are counted as what they print, so that no digit is left out in silence.
    judged = {result.cell.name for result in cells}
    rest = [cell for cell in every if cell.name not in judged]
    return Coverage.of(
        [result.status.value for result in cells],
        names=sum(cell.role == "name" for cell in rest),
        declared_names=sum(cell.declared_name for cell in rest),
        wordy=sum(cell.role == "text" for cell in rest),
    )


def _plain(address: str) -> str:
    """Labels may hold commas, so whole addresses are compared, without their spaces."""
    return "".join(address.split())


def _result(entry: Check, outcome: Outcome, status: Status, reason: str | None) -> CheckResult:
    return CheckResult(
        id=entry.id,
        title=entry.title,
        status=status,
        reason=reason,
        inspected=outcome.inspected,
        unit=outcome.unit,
        findings=sum(outcome.counts.values()),
    )


def _verdict(checks: list[CheckResult]) -> Verdict:
    statuses = {check.status for check in checks}
    if "fail" in statuses:
        return "findings"
    # Where nothing applies nothing was verified: one check at least must have passed.
    if statuses <= {"pass", "not-applicable"} and "pass" in statuses:
        return "verified"
    return "incomplete"
