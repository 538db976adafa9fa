"""The page of a report: the verdict, what to do about it, findings by cause, tables with lineages, and figures."""

from __future__ import annotations

from sealtrace.contract.details import Details, Lineage
from sealtrace.contract.report import NOT_SEALED, CheckResult, Finding, Report
from sealtrace.report.diff import agrees
from sealtrace.report.findings import by_cause, key_text, times, undecided_by_cause
from sealtrace.report.html.page import CHECK_WORDS, Cause, Item, Page, Steps, Tile
from sealtrace.report.html.plots import differences, drawn
from sealtrace.report.html.stages import stage_chain

VERDICTS = {
    "verified": ("Verified", "Everything was there, and everything that was checked holds."),
    "findings": ("Findings", "Something in this bundle contradicts its records, its protocol or its seals."),
    "incomplete": ("Incomplete", "Nothing is wrong so far, but not everything could be decided."),
    "waived": (
        "Waived",
        "No error is left but those that the reader's settings waive. They are listed, and not settled.",
    ),
}
LIMITS = [
    "That the records come from the experiment: consistent records that somebody made up pass as well.",
    "That choices were made before the results were seen: the protocol may have been written afterwards.",
    "That a metric is the right one: each cell shows its formula, and whether that is what the paper should report is "
    "for readers to judge.",
]
FIELDS = ("Rounding", "Formula", "Population", "Recipe", "Records", "Printed at", "Not stated in the paper")
_NOTHING = Lineage()


def page_of(report: Report) -> Page:
    """Everything that the page shows."""
    details = report.details or Details(lineages=[], tables=[], stages=[])
    causes = _causes(report)
    difference = differences(report)
    headline, lead = VERDICTS[report.headline]
    return Page(
        over="What the records say of",
        name=report.bundle.name or "unnamed bundle",
        tool=report.sealtrace,
        verdict=report.verdict,
        headline=report.as_draft(headline),
        lead=f"{NOT_SEALED[0].upper()}{NOT_SEALED[1:]}. {lead}" if report.draft else lead,
        steps=_steps(report, causes),
        tiles=_tiles(report),
        causes=causes,
        checks=report.checks,
        limits=_limits(report),
        tables=details.tables,
        cells=report.cells,
        fields=FIELDS,
        lineages=[
            _lineage(report, number, details.lineages[number] if number < len(details.lineages) else _NOTHING)
            for number in range(len(report.cells))
        ],
        command="sealtrace explain BUNDLE '{}'",
        root=report.bundle.root_sha256,
        assumed=report.summary.assumed,
        selected=report.summary.selected,
        stages=stage_chain(details.stages) if details.stages else None,
        figures=drawn([*details.plots, *([difference] if difference else [])]),
        unlisted=sum(check.findings for check in report.checks) - len(report.findings),
    )


def _lineage(report: Report, number: int, lineage: Lineage) -> tuple[str, ...]:
    cell = report.cells[number]
    shown = len(lineage.records)
    records = [f"{lineage.count:,}{', the first of them' if lineage.count > shown else ''}:", *lineage.records]
    return (
        cell.said,
        "\n".join(part for part in (lineage.formula, lineage.formula_source) if part),
        lineage.population or "",
        cell.recipe or "",
        "\n".join(records) if lineage.count else "",
        f"{cell.source}:{cell.line}" if cell.source and cell.line else cell.source or "",
        "\n".join(lineage.undisclosed),
    )


def _item(finding: Finding) -> Item:
    key = finding.key or {}
    place = finding.source or "bundle"
    for part in (finding.row, finding.column):
        place += "" if part is None else f":{part}"
    # Of a printed cell the sentence says both numbers.
    spoken = finding.check == "table.cells"
    known = (
        ("record", key_text(finding.key)),
        ("field", None if spoken else finding.field),
        ("expected", None if spoken else finding.expected),
        ("found", None if spoken else finding.found),
        ("waived", finding.waived),
    )
    return Item(
        severity=finding.severity,
        check=finding.check,
        place=place,
        message=finding.message,
        facts=[(name, text) for name, text in known if text is not None and (text or name in ("expected", "found"))],
        cells=[(key["table"], key["row"], key["column"])] if {"table", "row", "column"} <= set(key) else [],
    )


def _causes(report: Report) -> list[Cause]:
    """Errors by the check that explains them; then warnings and notes, by check."""
    items: dict[str, list[Item]] = {}
    for finding in report.findings:
        items.setdefault(finding.check, []).append(_item(finding))
    waiting, _ = undecided_by_cause(report)

    def of(check: CheckResult, others: list[CheckResult]) -> Cause:
        undecided = waiting.get(check.id, [])
        return Cause(check.id, check.title, items.get(check.id, []), [of(other, []) for other in others], undecided)

    found = [of(check, others) for check, others in by_cause(report)]
    failed = {check.id for check in report.checks if check.status == "fail"}
    rest = [of(check, []) for check in report.checks if check.id in items and check.id not in failed]
    return found + sorted(rest, key=lambda group: all(item.severity == "note" for item in group.items))


def _steps(report: Report, causes: list[Cause]) -> Steps:
    """Causes, then what is missing, was skipped or only warned of."""
    steps = Steps()
    failed = {check.id: check for check in report.checks if check.status == "fail"}
    for cause in causes:
        if cause.check not in failed:
            continue
        errors = [item for item in cause.items if item.severity == "error"]
        files = list(dict.fromkeys(item.place for item in errors))
        where = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
        said = _sentence(errors[0].message if errors else f"{cause.title} does not hold")
        follows, found = _follows(cause), times(failed[cause.check].findings, "finding")
        steps.add(
            (f"Correct {cause.check}: {found}", f"{said}{follows}"),
            (f"Ask about {cause.check}: {found}", f"“{cause.title}” does not hold.{follows}"),
            cause.check,
            where or None,
        )
    for reason, ids in undecided_by_cause(report)[1]:
        listed = ", ".join(ids[:4]) + (f" and {len(ids) - 4} more" if len(ids) > 4 else "")
        steps.add(
            ("Supply what is missing", f"{reason}. Undecided: {listed}."),
            ("Ask for what is missing", f"{reason}. Without it {listed} cannot be decided."),
        )
    if skipped := sum(check.status == "skipped" for check in report.checks):
        steps.both("Run the skipped checks", f"{times(skipped, 'check')} were not asked for.")
    if warned := [cause.check for cause in causes for item in cause.items if item.severity == "warning"]:
        why = f"{times(len(warned), 'warning')} left the verdict as it is; with --strict a warning counts as an error."
        steps.add(("Look at the warnings", why), ("Read the warnings", why), warned[0])
    if failed:
        why = "Run sealtrace seal, then sealtrace verify, on the corrected bundle."
        steps.add(("Seal and verify again", why), None)
    elif report.verdict == "verified":
        steps.add(
            ("Print the root digest in the paper", "With it, readers can tell that they hold this bundle."),
            ("Compare the root digest", "If the paper prints one, it must be this: sealtrace verify --expect-root."),
        )
    steps.add(None, ("Read what this does not prove", "The list below holds whatever the verdict."))
    return steps


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def _follows(cause: Cause) -> str:
    """What one cause may explain, counted."""
    parts = []
    if cause.consequences:
        count = sum(len(consequence.items) for consequence in cause.consequences)
        parts.append(f"{times(count, 'other finding')} of {times(len(cause.consequences), 'check')} may follow from it")
    if cause.undecided:
        parts.append(f"{times(len(cause.undecided), 'check')} cannot be decided before it is corrected")
    text = " and ".join(parts)
    return f" {_sentence(text)}" if text else ""


def _limits(report: Report) -> list[str]:
    """What the verdict does not prove: always, and of this bundle."""
    chain, coverage = report.summary.chain, report.coverage
    off = sum(check.status == "not-applicable" for check in report.checks)
    withheld = sum(tree.leaves - tree.seen for tree in report.summary.disclosed)
    of_this = (
        (
            not chain.signatures + chain.timestamps,
            "When anything was sealed: nobody outside saw a stage, so the order is the authors’ word.",
        ),
        (coverage.attested, f"{times(coverage.attested, 'cell')} that nothing checks: they are counted as attested."),
        (
            coverage.constrained,
            f"{times(coverage.constrained, 'cell')} without records: their relations hold, "
            "which many numbers would do.",
        ),
        (off, f"What {times(off, 'check')} would say that do not apply here; each states its reason under checks."),
        (withheld, f"{times(withheld, 'row')} that the bundle withholds and nobody disclosed."),
    )
    assumed = [f"Assumed, not verified: {assumption}" for assumption in report.summary.assumed]
    return [*LIMITS, *(said for so, said in of_this if so), *assumed]


def _tiles(report: Report) -> list[Tile]:
    """The figures that the paper's appendix asks a verification to print."""
    summary, coverage = report.summary, report.coverage
    counts = {status: sum(check.status == status for check in report.checks) for status in CHECK_WORDS}
    applicable = len(report.checks) - counts["not-applicable"]
    others = [
        f"{counts[name]} {word}" for name, word in CHECK_WORDS.items() if counts[name] and name not in ("pass", "fail")
    ]
    fail = [f"{counts['fail']} fail"] if counts["fail"] else []
    found = [Tile("Checks that hold", f"{counts['pass']} of {applicable}", ", ".join([*fail, *others]))]
    if coverage.cells:
        looked = f"{sum(not agrees(cell) for cell in report.cells):,} to look at"
        found.append(Tile("Cells recomputed", f"{coverage.recomputed:,} of {coverage.cells:,}", looked))
    else:
        found.append(Tile("Cells recomputed", "none", "no table reported"))
    if (agreement := summary.threshold_agreement) is not None:
        same = agreement.agree == agreement.total
        agreeing = f"all {agreement.total:,}" if same else f"{agreement.agree:,} of {agreement.total:,}"
        found.append(Tile("Crossings that agree", agreeing, "decided exactly"))
    if (worst := summary.max_discrepancy) is not None:
        found.append(Tile("Largest difference", f"{worst.value:.1e}", f"tolerance {summary.tolerance}"))
    if summary.traces:
        found.append(Tile("Traces", f"{summary.traces:,}", f"{summary.states:,} states, {summary.policies:,} policies"))
    elif summary.inspected:
        found.append(Tile("Records", summary.inspected[0], "; ".join(summary.inspected[1:])))
    chain = summary.chain
    seen = chain.signatures + chain.timestamps
    note = (
        f"{times(chain.signatures, 'signature')}, {times(chain.timestamps, 'outside timestamp')}"
        if seen
        else "no signature or timestamp: the order is the authors’ word"
    )
    found.append(Tile("Stages sealed", f"{chain.seals} of {chain.stages}", note))
    return found
