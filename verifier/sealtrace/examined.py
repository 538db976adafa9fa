"""What was found in one bundle, and every answer that a command shows of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import date
from functools import cache, cached_property
from typing import Any

from sealtrace import __version__
from sealtrace.bundle.defects import nearest
from sealtrace.bundle.model import Bundle
from sealtrace.checks.catalogue import BY_ID, CATALOGUE, Check
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.printed import PrintedNumbers
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.checks.stages import due_stages, stage_links
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
    Subject,
    Summary,
    Verdict,
)
from sealtrace.contract.waivers import Waiver, accepted, waive
from sealtrace.evidence import Evidence, View, seen_by
from sealtrace.recipes.cell_results import CellResult
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.metrics import RecipeError
from sealtrace.recipes.queries import Queries


class Examined:
    """The outcomes of the checks that were chosen. Every command asks this object, so no two of them can disagree."""

    strict, draft = False, False
    waivers: Sequence[Waiver] = ()

    def __init__(self, bundle: Bundle, evidence: Evidence, chosen: frozenset[str]) -> None:
        self.bundle, self.evidence, self.chosen = bundle, evidence, chosen
        self.outcomes: dict[str, Outcome] = {}
        self.results: dict[str, CheckResult] = {}
        self.seconds: dict[str, float] = {}
        """How long each check took: no part of the report, which is the same on every machine."""
        self._spoilt = cache(evidence.spoilt)

    # Checks

    def seen_by(self, pack: Pack | None) -> Evidence | View:
        """The records as a study pack sees them."""
        return self.evidence if pack is None else seen_by(self.evidence, pack)

    def unmet(self, entry: Check, pack: Pack | None = None) -> str | None:
        """Why a check cannot rely on what it reads and needs, but for damage that it looks around; None if it can."""
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
        """The damage that a check looks around, the first at its root; None where there is none."""
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
        """The printed numbers of the bundle."""
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
    def report(self) -> Result:
        """What the verifier says."""
        return self._report(details=None)

    @cached_property
    def full_report(self) -> Result:
        """The report with the evidence behind it, as pages show it."""
        return self._report(details=self.details)

    def _report(self, details: Details | None) -> Result:
        unused = self._unused()
        left_out = {check.id for pack in unused for check in pack.catalogue}
        listed = [check for check in CATALOGUE if check.id not in left_out]
        checks = [self.results[check.id] if check.id in self.chosen else _skipped(check) for check in listed]
        if details is not None:
            largest = {outcome: self.outcomes[outcome].largest for outcome in self.outcomes}
            checks = [result.model_copy(update={"largest": largest.get(result.id)}) for result in checks]
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
            details=details,
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
        """Which bundle it is."""
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


OF_PRINTED_NUMBERS = ("relation", "table")
"""Families of checks that a study may expect to fail without saying where: its printed numbers cannot all be true."""


def unexpected(examination: Examined) -> list[str]:
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


def _skipped(entry: Check) -> CheckResult:
    return CheckResult(
        id=entry.id,
        title=entry.title,
        status="skipped",
        reason="not asked for",
        inspected=0,
        unit=FUNCTIONS[entry.id][1],
        findings=0,
    )


def _verdict(checks: list[CheckResult]) -> Verdict:
    statuses = {check.status for check in checks}
    if "fail" in statuses:
        return "findings"
    # Where nothing applies nothing was verified: one check at least must have passed.
    if statuses <= {"pass", "not-applicable"} and "pass" in statuses:
        return "verified"
    return "incomplete"
