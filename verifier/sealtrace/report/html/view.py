"""What the page says in words: the verdict, what to do about it, figures, checks by family, and coverage."""

from __future__ import annotations

from dataclasses import dataclass

from sealtrace.contract.report import CheckResult, Report
from sealtrace.printed.judgement import Status
from sealtrace.report.causes import by_cause, missing_by_reason
from sealtrace.report.diff import agrees
from sealtrace.report.html.data import Layout
from sealtrace.report.html.statuses import CHECK_WORDS, look
from sealtrace.report.places import finding_lines, times

VERDICTS = {
    "verified": ("✓", "Verified", "Everything was there, and everything that was checked holds."),
    "findings": ("✗", "Findings", "Something in this bundle contradicts its records, its protocol or its seals."),
    "incomplete": ("?", "Incomplete", "Nothing is wrong so far, but not everything could be decided."),
}


@dataclass(frozen=True)
class Step:
    """One thing to do, the most urgent first."""

    what: str
    where: str | None
    why: str
    check: str | None = None
    """The check whose findings say more."""


def steps(report: Report) -> list[Step]:
    """Causes before consequences, then what is missing, then what was skipped or only warned of."""
    found = []
    for check, consequences in by_cause(report):
        first = next((one for one in report.findings if one.check == check.id and one.severity == "error"), None)
        after = f" {times(len(consequences), 'other failed check')} may follow from it." if consequences else ""
        place, said = (None, check.title) if first is None else (finding_lines(first)[0], first.message)
        found.append(
            Step(f"Correct {check.id}: {times(check.findings, 'finding')}", place, f"{said}.{after}", check.id)
        )
    for reason, ids in missing_by_reason(report):
        found.append(Step("Supply what is missing", None, f"{reason}. Undecided: {', '.join(ids)}."))
    skipped = sum(check.status == "skipped" for check in report.checks)
    if skipped:
        found.append(Step("Run the skipped checks", None, f"{times(skipped, 'check')} were not asked for."))
    warnings = sum(one.severity == "warning" for one in report.findings)
    if warnings:
        text = f"{times(warnings, 'warning')} left the verdict as it is; under --strict a warning counts as an error."
        found.append(Step("Look at the warnings", None, text))
    return found


@dataclass(frozen=True)
class Tile:
    """One figure."""

    name: str
    value: str
    note: str


def tiles(report: Report) -> list[Tile]:
    """The figures that the paper's appendix asks a verification to print."""
    summary, coverage = report.summary, report.coverage
    counts = {status: sum(check.status == status for check in report.checks) for status in CHECK_WORDS}
    applicable = len(report.checks) - counts["not-applicable"]
    others = [
        f"{counts[name]} {word}" for name, word in CHECK_WORDS.items() if counts[name] and name not in ("pass", "fail")
    ]
    found = [
        Tile(
            "Checks that hold",
            f"{counts['pass']} of {applicable}",
            ", ".join([*([f"{counts['fail']} fail"] if counts["fail"] else []), *others]),
        ),
        Tile(
            "Cells recomputed",
            f"{coverage.recomputed:,} of {coverage.cells:,}" if coverage.cells else "none",
            f"{sum(not agrees(cell) for cell in report.cells):,} to look at" if coverage.cells else "no table reported",
        ),
    ]
    agreement = summary.threshold_agreement
    if agreement is not None:
        some = f"{agreement.agree:,} of {agreement.total:,}"
        all_of_them = agreement.agree == agreement.total
        found.append(
            Tile("Crossings that agree", f"all {agreement.total:,}" if all_of_them else some, "decided exactly")
        )
    if summary.max_discrepancy is not None:
        found.append(
            Tile("Largest difference", f"{summary.max_discrepancy.value:.1e}", f"tolerance {summary.tolerance}")
        )
    if summary.traces:
        found.append(Tile("Traces", f"{summary.traces:,}", f"{summary.states:,} states, {summary.policies:,} policies"))
    chain = summary.chain
    seen = chain.signatures + chain.timestamps
    note = (
        f"{times(chain.signatures, 'signature')}, {times(chain.timestamps, 'outside timestamp')}"
        if seen
        else "no signature or timestamp: the order is the authors’ word"
    )
    found.append(Tile("Stages sealed", f"{chain.seals} of {chain.stages}", note))
    return found


@dataclass(frozen=True)
class Family:
    """The checks whose ids begin alike."""

    name: str
    checks: list[CheckResult]

    @property
    def summary(self) -> str:
        """How many have each status."""
        counts = {word: sum(check.status == status for check in self.checks) for status, word in CHECK_WORDS.items()}
        words = {"holds": "hold", "fails": "fail"}
        return ", ".join(
            f"{count} {words.get(word, word) if count != 1 else word}" for word, count in counts.items() if count
        )

    @property
    def worst(self) -> str:
        """The status that decides how the family looks."""
        statuses = {check.status for check in self.checks}
        return next(one for one in ("fail", "missing", "skipped", "pass", "not-applicable") if one in statuses)


def check_families(report: Report) -> list[Family]:
    """The checks in order, by the first part of their ids."""
    families: dict[str, list[CheckResult]] = {}
    for check in report.checks:
        families.setdefault(check.id.partition(".")[0], []).append(check)
    return [Family(name, checks) for name, checks in families.items()]


@dataclass(frozen=True)
class Part:
    """One piece of the bar of coverage."""

    status: str
    count: int
    family: str
    sign: str
    start: float
    width: float


def coverage_parts(report: Report) -> list[Part]:
    """How the cells are accounted for, as pieces of a bar that is a thousand wide."""
    total = sum(report.coverage.statuses.values())
    parts, start = [], 0.0
    order = ("agree", "warn", "differ", "unproven", "absent")
    for status, count in sorted(report.coverage.statuses.items(), key=lambda item: order.index(look(item[0])[0])):
        width = 1000 * count / total
        parts.append(Part(status, count, *look(status), round(start, 2), round(width, 2)))
        start += width
    return parts


@dataclass(frozen=True)
class TableHead:
    """What stands above a table."""

    label: str
    caption: str | None
    source: str | None
    agreeing: int
    cells: int
    look: str
    """Whether all cells agree, some are only doubtful, or one differs."""


def table_heads(report: Report, tables: list[Layout]) -> list[TableHead]:
    """The heading of each table."""
    heads = []
    for layout in tables:
        members = [report.cells[number] for _, _, number in layout.cells]
        source = next((cell.source for cell in members if cell.source), None)
        first = min((cell.line for cell in members if cell.line), default=None)
        agreeing = sum(map(agrees, members))
        differing = any(cell.status == Status.MISMATCH for cell in members)
        heads.append(
            TableHead(
                layout.table.label,
                layout.table.caption,
                f"{source}:{first}" if source and first else source,
                agreeing,
                len(members),
                "differing" if differing else "all" if agreeing == len(members) else "some",
            )
        )
    return heads
