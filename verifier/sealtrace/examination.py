"""One read of a bundle, one run of its checks, and every answer that a command shows.

The order of verification, stated once:

(1) Open the bundle and read every file once: hash the bytes, then parse those same bytes.
(2) Choose the checks: all, or those asked for, together with everything that they need.
(3) Run them in the catalogue's order. A check looks at every record it can, whatever failed before.
(4) Settle each status: an error is a failure; no error, but evidence that is absent or spoilt, is
    missing; nothing inspected is missing too. An aggregate is not computed on spoilt evidence.
(5) Sum up: what the study packs say of their records, from recomputed values.
(6) Reach the verdict: findings, incomplete or verified.

Printed cells are judged one by one (checks/printed.py): a cell whose records are spoilt is missing, and all others
are judged.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from functools import cache, cached_property, partial
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sealtrace import __version__
from sealtrace.bundle.budget import Asked, Budget, BudgetError
from sealtrace.bundle.defects import nearest
from sealtrace.bundle.reading import Bundle, Progress, Stream, read_bundle
from sealtrace.bundle.resources import default_bundle
from sealtrace.bundle.sealing import draft_bundle
from sealtrace.bundle.shards import Threads, Workers
from sealtrace.checks import families  # noqa: F401 - imported for the checks' registrations
from sealtrace.checks.catalogue import BY_ID, CATALOGUE, Check
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.printed import Printed
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.checks.stages import stage_links
from sealtrace.checks.streamed import Sources, Streamed, Streamer
from sealtrace.checks.witnesses import Outside, coverage, disclosures
from sealtrace.contract.details import Details, DrawnTable, Lineage
from sealtrace.contract.kinds import STAGES
from sealtrace.contract.packs import Pack, loaded, packs
from sealtrace.contract.report import (
    BundleIdentity,
    Cell,
    Chain,
    CheckResult,
    Coverage,
    Place,
    Report,
    StageCoverage,
    Status,
    Summary,
    UnusedPack,
    Verdict,
)
from sealtrace.contract.waivers import Waiver, accepted, waive
from sealtrace.evidence import Evidence
from sealtrace.printed.cells import TableCell
from sealtrace.printed.evaluation import CellResult, named_bundles
from sealtrace.printed.judgement import RECOMPUTED
from sealtrace.printed.judgement import Status as CellStatus
from sealtrace.printed.metrics import RecipeError
from sealtrace.printed.queries import Queries


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
    bundle.asked = asked or Asked()
    bundle.reported = [Path(one) for one in reported]
    named = named_bundles([document.value for document in bundle.documents_of("table")])
    others = [read_bundle(Path(one), progress=progress, budget=budget) for one in beside]
    bundle.beside = [
        Examination(one, progress=progress).report for one in others if {one.name, one.root_sha256} & named
    ]
    return Examination(
        bundle, chosen, strict=strict, draft=draft, expect_root=expect_root, progress=progress, waivers=waivers
    )


def _workers(jobs: int, scheduler: str | None) -> AbstractContextManager[Workers]:
    if scheduler is None:
        return nullcontext(Threads(jobs))
    from sealtrace.bundle.cluster import Cluster

    return Cluster(scheduler)


def _streams(workers: Workers) -> list[Stream]:
    """The ways to judge large files a row group at a time that study packs offer."""
    offering = [pack for pack in packs() if pack.streamer]
    return [Stream(pack.name, pack.streamed, partial(_streamed, pack.streamer, workers)) for pack in offering]


def _streamed(streamer: str, workers: Workers, bundle: Bundle, sources: Sources) -> Streamed:
    judge: Streamer = loaded(streamer)
    return judge(bundle, sources, workers)


class Examination:
    """What was found in one bundle. Every command asks this object, so no two of them can disagree."""

    def __init__(
        self,
        bundle: Bundle,
        chosen: frozenset[str] | None = None,
        *,
        strict: bool = False,
        draft: bool = False,
        expect_root: str | None = None,
        progress: Progress | None = None,
        evidence: Evidence | None = None,
        settled: Mapping[str, tuple[Outcome, CheckResult]] = MappingProxyType({}),
        waivers: Sequence[Waiver] = (),
        until: Callable[[CheckResult, Examination], bool] | None = None,
    ) -> None:
        """`evidence` is what is known of the bundle already, `settled` are checks whose outcome is known.

        `until` is told each result, and ends the run where it says so.
        """
        self.bundle = bundle
        self.strict = strict
        self.draft = draft
        self.waivers = waivers
        self.chosen = frozenset(BY_ID) if chosen is None else chosen
        streamed = {kind: frame for found in bundle.streamed.values() for kind, frame in found.frames.items()}
        self.evidence = evidence or Evidence(bundle, expect_root, progress, streamed)
        self._spoilt = cache(self.evidence.spoilt)
        for pack in packs():
            if pack.name in bundle.streamed:
                self.seen_by(pack).adopt(bundle.streamed[pack.name].beside, frozenset(pack.streamed))
        self.outcomes: dict[str, Outcome] = {}
        self.results: dict[str, CheckResult] = {}
        needed = _closure(self.chosen)
        due = [entry for entry in CATALOGUE if entry.id in needed]  # (2)
        for number, entry in enumerate(due, 1):
            try:
                bundle.budget.on_time(entry.id)
                known = settled.get(entry.id)
                self.outcomes[entry.id], self.results[entry.id] = known or self.run(entry)  # (3)
            except BudgetError as error:
                raise BudgetError(error.reason, [later.id for later in due[number - 1 :]]) from None
            self.evidence.progress("checking", number, len(due))
            if until is not None and until(self.results[entry.id], self):
                break

    # Checks

    def run(self, entry: Check) -> tuple[Outcome, CheckResult]:
        """Runs one check, after those that it needs."""
        unit = FUNCTIONS[entry.id][1]
        outcome = Outcome(entry.id, unit)
        started = time.perf_counter()
        pack = pack_of(entry)
        unmet = self.unmet(entry.reads, entry.needs, pack)
        if not self.bundle.manifest_readable and entry.id != "identity.manifest":
            unmet = "manifest.json cannot be read"
        elif pack is not None and (reason := pack.absent(self.evidence)) is not None:
            outcome.not_applicable, unmet = reason, None
        elif not unmet or self._can_look(entry, pack):
            self._look(entry, pack, outcome)
        status, reason = _settle(outcome, unmet)  # (4)
        return outcome, CheckResult(
            id=entry.id,
            title=entry.title,
            status=status,
            reason=reason,
            inspected=outcome.inspected,
            unit=unit,
            findings=sum(outcome.counts.values()),
            seconds=round(time.perf_counter() - started, 6),
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

    def seen_by(self, pack: Pack | None) -> Evidence:
        """The records as a study pack sees them; the engine itself sees what is printed."""
        if pack is None:
            return self.printed
        view: type[Evidence] = loaded(pack.evidence) if pack.evidence else Evidence
        return self.evidence.seen_as(view)

    def unmet(self, reads: tuple[str, ...], needs: tuple[str, ...], pack: Pack | None = None) -> str | None:
        """Why records of some kinds cannot be relied on, given the checks that they must pass; None where they can."""
        for kind in reads:
            if reason := self._spoilt(kind):
                return reason
        if pack is not None and (reason := pack.unusable(self.evidence)) is not None:
            return reason
        for need in needs:
            if self.results[need].status == "fail":
                return f"needs {need}, which failed"
            if self.results[need].status == "missing":
                # The reason at the root is the one to act on.
                return self.results[need].reason
        return None

    def computed(self, check_id: str) -> bool:
        """Whether a check ran to its end, whatever it found."""
        return check_id in self.results and self.results[check_id].status in ("pass", "fail")

    def holds(self, *check_ids: str) -> bool:
        """Whether these checks passed."""
        return all(one in self.results and self.results[one].status == "pass" for one in check_ids)

    # Printed cells

    @property
    def printed(self) -> Printed:
        """The printed numbers of the bundle."""
        return self.evidence.seen_as(Printed)

    @property
    def cells(self) -> list[CellResult]:
        """Every printed cell and what became of it; none where tables were not to be looked at."""
        return self.printed.results if self._tables_judged else []

    @property
    def _tables_judged(self) -> bool:
        return "table.cells" in self.results and self.results["table.cells"].status in ("pass", "fail", "missing")

    def explain(self, address: str) -> CellResult:
        """What became of one cell, by its address `TABLE[ROW, COLUMN]`; `LookupError` where there is none."""
        found = next((one for one in self.cells if _plain(one.cell.name) == _plain(address)), None)
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
    def report(self) -> Report:
        """What the verifier says."""
        return self._report(details=None)

    @cached_property
    def full_report(self) -> Report:
        """The same with the evidence behind it, which pages show."""
        return self._report(details=self.details)

    def _report(self, details: Details | None) -> Report:
        unused = self._unused()
        left_out = {one.id for pack in unused for one in pack.catalogue}
        listed = [one for one in CATALOGUE if one.id not in left_out]
        checks = [self.results[one.id] if one.id in self.chosen else _skipped(one) for one in listed]
        if details is not None:
            largest = {one: self.outcomes[one].largest for one in self.outcomes}
            checks = [one.model_copy(update={"largest": largest.get(one.id)}) for one in checks]
        findings = [one for check in CATALOGUE if check.id in self.chosen for one in self.outcomes[check.id].findings]
        if self.waivers:
            errors = {one: outcome.counts["error"] for one, outcome in self.outcomes.items()}
            findings, checks = waive(findings, checks, errors, self.waivers, date.today())
        warned = self.strict and any(one.severity == "warning" and one.waived is None for one in findings)
        return Report(
            sealtrace=__version__,
            bundle=BundleIdentity(name=self.bundle.name, root_sha256=self.bundle.root_sha256),
            verdict="findings" if warned else _verdict(checks),  # (6)
            strict=self.strict,
            draft=self.draft,
            summary=self._summary(),  # (5)
            checks=checks,
            unused=[
                UnusedPack(pack=pack.name, reason=reason, checks=len(pack.catalogue)) for pack, reason in unused.items()
            ],
            findings=findings,
            cells=accepted([cell_of(result) for result in self.cells], findings),
            coverage=coverage_of(self.cells, self.printed.cells if self._tables_judged else ()),
            details=details,
        )

    def _summary(self) -> Summary:
        largest: Place | None = None
        for outcome in self.outcomes.values():
            if outcome.largest is not None and (largest is None or outcome.largest.value > largest.value):
                largest = outcome.largest
        parts: dict[str, Any] = {"inspected": []}
        for pack in self._present():
            for name, value in loaded(pack.overview).summary(self.seen_by(pack), self).items():
                parts[name] = [*parts[name], *value] if name == "inspected" else value
        return Summary(
            max_discrepancy=largest,
            chain=self._chain(),
            disclosed=disclosures(self.evidence) if "witness.disclosed" in self.outcomes else [],
            **parts,
        )

    def _coverage(self) -> list[StageCoverage]:
        return coverage(self.evidence) if "witness.outside" in self.outcomes else []

    def _chain(self) -> Chain:
        looked = "witness.outside" in self.outcomes
        return Chain(
            seals=len(self.bundle.documents_of("seal")),
            stages=len(STAGES),
            signatures=self.evidence.seen_as(Outside).witnesses.count("signature") if looked else 0,
            timestamps=self.evidence.seen_as(Outside).witnesses.count("timestamp") if looked else 0,
            coverage=self._coverage(),
        )

    def _unused(self) -> dict[Pack, str]:
        """The packs whose kind of study this is not, with the reason; not those whose checks were asked for by name."""
        if not self.bundle.manifest_readable:
            return {}
        whole = self.chosen == frozenset(BY_ID)
        reasons = {pack: pack.absent(self.evidence) for pack in packs()}
        return {
            pack: reason
            for pack, reason in reasons.items()
            if reason is not None and (whole or not any(one.id in self.chosen for one in pack.catalogue))
        }

    def _present(self) -> list[Pack]:
        """The packs that have something to say of this bundle."""
        if not self.bundle.manifest_readable:
            return []
        return [one for one in packs() if one.overview and one.absent(self.evidence) is None]

    @cached_property
    def details(self) -> Details:
        """The evidence behind the verdict, for pages."""
        parts: dict[str, Any] = {}
        for pack in self._present():
            made = loaded(pack.overview).details(self.seen_by(pack), self)
            parts |= made | {"plots": [*parts.get("plots", []), *made.get("plots", [])]}
        return Details(
            lineages=[_lineage(result) for result in self.cells],
            tables=[DrawnTable.of(table.value) for table in self.bundle.documents_of("table")],
            stages=stage_links(self.evidence, {one.stage: one.witnesses for one in self._coverage()}),
            **parts,
        )


OF_PRINTED_NUMBERS = ("relation", "table")
"""Families of checks that a study may expect to fail without saying where: its printed numbers cannot all be true."""


def unexpected(examination: Examination) -> list[str]:
    """How a report differs from what its study expects of itself; nothing where it is as expected."""
    report, protocol = examination.report, examination.evidence.protocol
    due, listed = protocol.get("expects"), protocol.get("expected_findings")
    if report.verdict != due:
        return [f"the study expects {due or 'no verdict'}, not {report.verdict}"]
    found = {one.name for one in report.findings if one.severity == "error"}
    if listed is None:
        strange = {name for name in found if name.partition(".")[0] not in OF_PRINTED_NUMBERS}
        return [f"the study does not list this finding as expected: {name}" for name in sorted(strange)]
    kept = Counter(one.check for one in report.findings)
    return [
        *(
            f"{one.id} has more findings than are kept to be compared"
            for one in report.checks
            if one.findings > kept[one.id]
        ),
        *(f"the study does not expect this finding: {name}" for name in sorted(found - set(listed))),
        *(f"the study expects a finding that is not there: {name}" for name in sorted(set(listed) - found)),
    ]


def cell_of(result: CellResult) -> Cell:
    """A cell as reports have it."""
    return Cell(
        table=result.cell.table,
        row=result.cell.row,
        column=result.cell.column,
        reported=result.cell.text,
        recomputed=result.recomputed,
        status=result.status.value,
        sentence=result.judgement.sentence,
        source=result.cell.source or result.cell.record,
        line=result.cell.line,
        recipe=result.recipe,
        relation=result.relation,
    )


def coverage_of(cells: Sequence[CellResult], every: Sequence[TableCell]) -> Coverage:
    """How the cells are accounted for, of every cell that the tables have."""
    judged = {result.cell.name for result in cells}
    roles = [cell.role for cell in every if cell.name not in judged]
    statuses = [result.status for result in cells]
    return Coverage(
        cells=len(statuses),
        recomputed=sum(status in RECOMPUTED for status in statuses),
        inputs=statuses.count(CellStatus.INPUT),
        elsewhere=statuses.count(CellStatus.ELSEWHERE),
        constrained=statuses.count(CellStatus.CONSTRAINED),
        contradicted=statuses.count(CellStatus.CONTRADICTED),
        attested=statuses.count(CellStatus.ATTESTED),
        unclassified=statuses.count(CellStatus.UNCLASSIFIED),
        missing=statuses.count(CellStatus.MISSING),
        statuses={status.value: statuses.count(status) for status in CellStatus if status in statuses},
        names=roles.count("name"),
        declared_names=sum(cell.declared_name for cell in every if cell.name not in judged),
        text=roles.count("text"),
    )


def _lineage(result: CellResult) -> Lineage:
    return Lineage(
        formula=None if result.metric is None else result.metric.formula,
        formula_source=None if result.metric is None else result.metric.source,
        population=result.population,
        count=0 if result.value is None else result.value.count,
        records=[] if result.value is None else result.value.records(),
        undisclosed=list(result.undisclosed),
    )


def pack_of(entry: Check) -> Pack | None:
    """The pack that a check belongs to; None for the engine's own."""
    return _packs_by_check().get(entry.id)


@cache
def _packs_by_check() -> dict[str, Pack]:
    return {entry.id: pack for pack in packs() for entry in pack.catalogue}


def select(check: Sequence[str] = (), skip: Sequence[str] = ()) -> frozenset[str]:
    """The ids that `check` and `skip` leave. A prefix is a whole id or whole leading parts of one."""
    for prefix in (*check, *skip):
        if not any(_has_prefix(one.id, prefix) for one in CATALOGUE):
            known = [part for one in CATALOGUE for part in (one.id, one.family)]
            raise ValueError(f"no check has the id or prefix {prefix!r}{nearest(prefix, known)}")
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


def _plain(address: str) -> str:
    """Labels may hold commas, so whole addresses are compared, without their spaces."""
    return "".join(address.split())


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
