"""The report: what the verifier says. The same object is the Python result and the JSON output."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sealtrace.contract.details import Details
from sealtrace.contract.scalars import Count, Record, example

Severity = Literal["error", "warning", "note"]
Status = Literal["pass", "fail", "missing", "skipped", "not-applicable"]
Verdict = Literal["verified", "findings", "incomplete"]


class Finding(Record):
    """One thing that is not as it should be, and its place."""

    check: str = Field(description="The check's id.")
    severity: Severity = Field(description="Errors fail a check; warnings fail it under --strict.")
    source: str | None = Field(None, description="Path relative to the bundle.")
    row: Count | None = Field(None, description="Line of a text file, or row of a table, from one.")
    column: Count | None = Field(None, description="Column of a text file, from one.")
    key: dict[str, str] | None = Field(None, description="The record's composite key.")
    field: str | None = Field(None, description="JSON pointer within the record.")
    expected: str | None = Field(None, description="What the rules or the recomputation give.")
    found: str | None = Field(None, description="What is there.")
    message: str = Field(description="What is wrong, and what to do.")
    waived: str | None = Field(None, description="Why the reader accepts it for now, where their settings waive it.")

    @property
    def name(self) -> str:
        """What it is about, in one line, as a study may list it among those that it expects."""
        key = [f"{name}={value}" for name, value in (self.key or {}).items()]
        return " ".join(part for part in (self.check, self.source, self.field, *key) if part)


class Place(Record):
    """Where a number stands."""

    value: float = Field(description="The number.")
    check: str = Field(description="The check that met it.")
    source: str | None = Field(None, description="Path relative to the bundle.")
    row: Count | None = Field(None, description="Line or row, from one.")
    key: dict[str, str] | None = Field(None, description="The record's key.")
    field: str | None = Field(None, description="JSON pointer within the record.")


class CheckResult(Record):
    """The outcome of one check."""

    id: str = Field(description="The check's stable id.")
    title: str = Field(description="What it says.")
    status: Status = Field(description="Its outcome.")
    reason: str | None = Field(None, description="Why it is missing, skipped or not applicable.")
    inspected: Count = Field(description="How much it looked at.")
    unit: str = Field(description="What it counted.")
    findings: Count = Field(description="How many findings it made, listed or not.")
    seconds: float = Field(description="How long it took.")
    largest: Place | None = Field(None, description="The largest numerical difference it met; only with details.")


class Agreement(Record):
    """How many decisions agree."""

    agree: Count = Field(description="Decisions that agree.")
    total: Count = Field(description="Decisions compared.")


class StageCoverage(Record):
    """What was seen of a stage from outside."""

    stage: str = Field(description="The stage.")
    witnesses: list[str] = Field(description="Each witness of the stage, or of what commits to it.")
    vouched: bool = Field(description="Whether a key or an authority that the reader named vouches for one of them.")
    since: str | None = Field(None, description="The first time at which somebody vouches that it was sealed.")


class Chain(Record):
    """What the stage chain shows."""

    seals: Count = Field(description="Links of the chain that were read.")
    stages: Count = Field(description="Links that a whole chain has.")
    signatures: Count = Field(description="Signatures seen over a stage's digest.")
    timestamps: Count = Field(description="Outside timestamps seen over a stage's digest.")
    coverage: list[StageCoverage] = Field(default=[], description="Stage by stage, where anybody saw anything.")


class Selected(Record):
    """One selector's choice, recomputed."""

    selector: str = Field(description="The selector.")
    recomputed: str | None = Field(None, description="What the records give; absent where nothing does.")
    reported: str | None = Field(None, description="What the selection record says.")


class Disclosed(Record):
    """What was seen of rows that the bundle withholds."""

    tree: str = Field(description="The sealed tree's name.")
    leaves: Count = Field(description="How many rows are withheld.")
    seen: Count = Field(description="How many were disclosed and are those that were sealed.")
    wrong: Count = Field(description="How many of those that were disclosed are wrong.")
    seed: str | None = Field(None, description="The reviewer's seed, where the rows are a random sample by it.")
    most_wrong: Count | None = Field(
        None, description="More wrong rows than this, among all, are excluded at 95 %; only of a random sample."
    )


class Summary(Record):
    """Figures about the study; each pack fills in what its records give."""

    inspected: list[str] = Field(default=[], description="What the study holds, in words, such as `24 states`.")
    states: Count | None = Field(None, description="Observed states; only of a study of policies.")
    policies: Count | None = Field(None, description="Policies; only of a study of policies.")
    traces: Count | None = Field(None, description="State-policy traces; only of a study of policies.")
    tolerance: str | None = Field(None, description="The declared replay tolerance.")
    max_discrepancy: Place | None = Field(None, description="The largest numerical difference.")
    threshold_agreement: Agreement | None = Field(None, description="Recomputed against reported crossings.")
    selected: list[Selected] = Field(default=[], description="Every selector's choice.")
    chain: Chain = Field(description="The stage chain.")
    disclosed: list[Disclosed] = Field(default=[], description="Withheld rows that were seen.")
    assumed: list[str] = Field(default=[], description="What certificates assume, and no record can verify.")


class Cell(Record):
    """One printed cell beside its recomputed value."""

    table: str = Field(description="The table's label.")
    row: str = Field(description="The row's label.")
    column: str = Field(description="The column's label.")
    reported: str = Field(description="The string as printed.")
    recomputed: str | None = Field(None, description="The unrounded value.")
    status: str = Field(description="The cell's status.")
    sentence: str = Field(description="What that means for this cell.")
    source: str | None = Field(None, description="The file that printed it.")
    line: Count | None = Field(None, description="Its line.")
    recipe: str | None = Field(None, description="How records give it.")
    relation: str | None = Field(None, description="The relation that contradicts it, where one does.")
    waived: str | None = Field(None, description="Why the reader accepts it for now, where their settings waive it.")

    @property
    def name(self) -> str:
        """Its address, as `sealtrace explain` takes it."""
        return f"{self.table}[{self.row}, {self.column}]"

    @property
    def standing(self) -> str:
        """Its status, as lists without sentences show it."""
        return self.status if self.waived is None else f"{self.status}, waived: {self.waived}"

    @property
    def said(self) -> str:
        """What its status means, and that it is waived where it is: no format says one without the other."""
        return self.sentence if self.waived is None else f"{self.sentence} Waived, not settled: {self.waived}"

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        from sealtrace.report.notebooks import cell_html

        place = f"{self.source}:{self.line}" if self.line else self.source
        known = (("printed", self.reported), ("recomputed", self.recomputed), ("", self.said), ("recipe", self.recipe))
        return cell_html(self.name, self.status, (*known, ("where", place)))


class Meaning(Record):
    """What a recipe computes, at the first cell that follows it."""

    table: str = Field(description="The table's label.")
    row: str = Field(description="The cell's row.")
    column: str = Field(description="The cell's column.")
    words: str = Field(description="What the recipe computes, in words.")


class Coverage(Record):
    """How the printed cells are accounted for."""

    cells: Count = Field(description="All cells with a number, or with a digit that is not declared part of a name.")
    recomputed: Count = Field(description="Recomputed from records and compared.")
    inputs: Count = Field(description="Ids, scales and declared constants, matched with the records.")
    elsewhere: Count = Field(default=0, description="Recomputed by a bundle that is named and was not looked at.")
    constrained: Count = Field(description="Without records, but bound by relations that hold.")
    contradicted: Count = Field(description="In a relation that cannot hold.")
    attested: Count = Field(description="Checked by nothing.")
    unclassified: Count = Field(description="Not accounted for.")
    missing: Count = Field(description="To be recomputed from records that are absent or spoilt.")
    statuses: dict[str, Count] = Field(description="How many cells have each status.")
    names: Count = Field(default=0, description="Cells that say what something is called, by declaration or as labels.")
    declared_names: Count = Field(default=0, description="Those of them that only a declaration makes names.")
    text: Count = Field(default=0, description="Cells of words without a digit.")


class BundleIdentity(Record):
    """Which bundle was verified."""

    name: str = Field(description="The study's name.")
    root_sha256: str | None = Field(None, description="The recomputed root digest.")


class UnusedPack(Record):
    """A kind of study that the bundle is not: none of its records are there, so that its checks are not listed."""

    pack: str = Field(description="The study pack's name.")
    reason: str = Field(description="Why its checks do not apply.")
    checks: Count = Field(description="How many they are.")


NOT_SEALED = "nothing is sealed: this says what sealing the directory as it is would give"
"""What every format says of a draft."""


class Report(Record):
    """What the verifier says of a bundle."""

    sealtrace: str = Field(description="Version of the verifier.")
    bundle: BundleIdentity = Field(description="Which bundle.")
    verdict: Verdict = Field(
        description="`findings`: something is wrong; `incomplete`: nothing is wrong, but something is missing or "
        "skipped; `verified`: everything was there and holds."
    )
    strict: bool = Field(default=False, description="Whether a warning counted as an error.")
    draft: bool = Field(
        default=False, description="Whether nothing was sealed: the verdict is what sealing would give."
    )
    summary: Summary = Field(description="Figures.")
    checks: list[CheckResult] = Field(description="Every check of the engine and of the packs that apply, in order.")
    unused: list[UnusedPack] = Field(default=[], description="Packs of other kinds of study, which do not apply.")
    findings: list[Finding] = Field(description="Every finding; at most 1000 are listed for one check.")
    cells: list[Cell] = Field(description="Every printed cell.")
    meanings: list[Meaning] = Field(default=[], description="What each recipe computes, queries first.")
    coverage: Coverage = Field(description="Coverage of cells.")
    details: Details | None = Field(None, description="Evidence behind the verdict; only where it was asked for.")

    model_config = example("""{
        "sealtrace": "0.1.0",
        "bundle": {"name": "example",
            "root_sha256": "0000000000000000000000000000000000000000000000000000000000000000"},
        "verdict": "incomplete",
        "summary": {"inspected": ["0 states"], "chain": {"seals": 0, "stages": 8, "signatures": 0, "timestamps": 0}},
        "checks": [{"id": "stage.chain", "title": "Each seal names the digest of the seal before it",
            "status": "missing", "reason": "no seals", "inspected": 0, "unit": "seals", "findings": 0, "seconds": 0.0}],
        "findings": [], "cells": [],
        "coverage": {"cells": 0, "recomputed": 0, "inputs": 0, "constrained": 0, "contradicted": 0, "attested": 0,
            "unclassified": 0, "missing": 0, "statuses": {}}
    }""")

    @property
    def warnings(self) -> int:
        """How many warnings are listed."""
        return sum(finding.severity == "warning" for finding in self.findings)

    def as_draft(self, verdict: str) -> str:
        """A verdict's word as every format shows it: of a draft, what it would be."""
        return f"Draft, which would be {verdict}" if self.draft else verdict

    @property
    def waived(self) -> int:
        """How many findings the reader's settings waive."""
        return sum(finding.waived is not None for finding in self.findings)

    @property
    def headline(self) -> str:
        """The verdict in a word; a run in which errors are waived, and no other is left, has its own."""
        return "waived" if self.waived and self.verdict == "incomplete" else self.verdict

    @property
    def only_waived(self) -> bool:
        """Whether waived findings, and what depends on them, are all that keeps the verdict from being verified."""
        open_ = {check.id for check in self.checks if check.status in ("missing", "skipped")}
        waived = {finding.check for finding in self.findings if finding.waived is not None}
        return self.headline == "waived" and open_ <= waived

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        from sealtrace.report.notebooks import report_html

        statuses = [check.status for check in self.checks]
        held = (
            f"{statuses.count('pass')} checks hold, {statuses.count('fail')} fail, {statuses.count('missing')} missing"
        )
        cells = f"{self.coverage.recomputed} of {self.coverage.cells} printed cells recomputed"
        places = [f"{finding.source or ''}{f':{finding.row}' if finding.row else ''}" for finding in self.findings]
        findings = [
            (finding.severity, finding.check, place, finding.message)
            for finding, place in zip(self.findings, places, strict=True)
        ]
        return report_html(self.headline, self.bundle.name, f"{held}; {cells}", findings)

    @property
    def exit_code(self) -> int:
        """What a command that shows this report ends with."""
        return {"verified": 0, "findings": 1, "incomplete": 3}[self.verdict]
