"""The report for people: the verdict, then failures by cause, then the figures."""

from __future__ import annotations

from collections.abc import Iterator

from sealtrace.contract.report import NOT_SEALED, Chain, CheckResult, Disclosed, Finding, Meaning, Report
from sealtrace.report.findings import by_cause, finding_lines, missing_by_reason, times, turned_off
from sealtrace.report.formats import Paint, plain
from sealtrace.report.inert import harmless
from sealtrace.report.sheet import Sheet

SAID = ("TRANSCRIBED", "counted_checks", "disclosed_in_words", "evidence_of", "meaning_in_words", "transcribed",
        "witnesses_of")  # fmt: skip
"""What other formats say in the same words."""
SHOWN = 3
"""How many places of one check are printed, unless everything is."""

_HEADLINES = {
    "verified": ("VERIFIED", "green"),
    "findings": ("FINDINGS", "red"),
    "incomplete": ("INCOMPLETE", "yellow"),
    "waived": ("WAIVED", "yellow"),
}


def render(report: Report, *, everything: bool = False, width: int = 80, paint: Paint = plain) -> str:
    """The whole report; `everything` unfolds its lists."""
    sheet = Sheet(width, paint)
    limit = len(report.findings) if everything else SHOWN
    _headline(sheet, report, everything)
    for check, consequences in by_cause(report):
        _failure(sheet, report, check, limit)
        for other in consequences:
            sheet.line(f"  and so: {paint(other.id, 'red')} ({times(other.findings, 'finding')})")
    for severity, colour in (("warning", "yellow"), ("note", "cyan")):
        if findings := [finding for finding in report.findings if finding.severity == severity]:
            sheet.gap()
            sheet.line(f"{paint(severity, colour)}: {times(len(findings), 'finding')}")
            _findings(sheet, findings[:limit], len(findings))
    for reason, ids in missing_by_reason(report):
        sheet.gap()
        sheet.titled("missing", "yellow", f": {reason}")
        sheet.say(", ".join(ids), "  ")
    if skipped := sum(check.status == "skipped" for check in report.checks):
        sheet.gap()
        sheet.line(f"{paint('skipped', 'yellow')}: {times(skipped, 'check')} not asked for")
    sheet.gap()
    _figures(sheet, report, everything)
    return str(sheet)


def _headline(sheet: Sheet, report: Report, everything: bool) -> None:
    word, colour = _HEADLINES[report.headline]
    if report.verdict == "verified" and report.warnings:
        word, colour = f"{word} with {times(report.warnings, 'warning')}", "yellow"
    word = report.as_draft(word).replace("Draft", "DRAFT", 1)
    sheet.line(f"{sheet.paint(word, colour)}  {harmless(report.bundle.name) or 'unnamed bundle'}")
    if report.draft:
        sheet.line(NOT_SEALED)
    elif report.bundle.root_sha256:
        sheet.line(f"root {report.bundle.root_sha256}")
    if report.waived:
        sheet.line(f"{times(report.waived, 'finding')} waived by the reader's settings, and not settled")
    off = any(check.status == "not-applicable" for check in report.checks)
    sheet.line(f"{counted_checks(report)}{' (--all says why)' if off and not everything else ''}")


STATUS_WORDS = {
    "pass": ("holds", "hold"),
    "fail": ("fails", "fail"),
    "missing": ("cannot be decided", "cannot be decided"),
    "skipped": ("was skipped", "were skipped"),
    "not-applicable": ("does not apply", "do not apply"),
}
"""What became of one check, and of several."""


def counted_checks(report: Report) -> str:
    """How many checks came out how, in words."""
    counts = [
        (sum(result.status == status for result in report.checks), words) for status, words in STATUS_WORDS.items()
    ]
    told = [(count, words[count != 1]) for count, words in counts if count]
    return ", ".join(
        f"{times(count, 'check')} {word}" if not place else f"{count} {word}"
        for place, (count, word) in enumerate(told)
    )


def _failure(sheet: Sheet, report: Report, check: CheckResult, limit: int) -> None:
    sheet.gap()
    sheet.line(f"{sheet.paint(check.id, 'red')}: {times(check.findings, 'finding')} in {check.inspected} {check.unit}")
    sheet.say(check.title, "  ")
    findings = [finding for finding in report.findings if finding.check == check.id and finding.severity == "error"]
    _findings(sheet, findings[:limit], check.findings)


def _findings(sheet: Sheet, shown: list[Finding], total: int) -> None:
    for place, message, *values in map(finding_lines, shown):
        sheet.say(place, "  ", "    ")
        sheet.say(message, "    ")
        for value in values:
            sheet.say(value, "    ", "      ")
    sheet.more(total - len(shown))


def _figures(sheet: Sheet, report: Report, everything: bool) -> None:
    summary, chain = report.summary, report.summary.chain
    sheet.figure("Inspected", ", ".join(summary.inspected) or "no records of a kind of study that is known")
    if summary.tolerance is not None:
        sheet.figure("Tolerance", summary.tolerance)
    if (worst := summary.max_discrepancy) is not None:
        place = f"{worst.source}:{worst.row} ({' '.join((worst.key or {}).values())}) {worst.field}"
        sheet.figure("Discrepancy", f"at most {worst.value:.2e}, at {place}")
    if (agreement := summary.threshold_agreement) is not None:
        sheet.figure("Crossings", f"{agreement.agree} of {agreement.total} agree")
    for selected in summary.selected:
        reported = (
            "as reported" if selected.recomputed == selected.reported else f"reported {selected.reported or 'none'}"
        )
        sheet.figure("Selected", f"{selected.selector}: {selected.recomputed or 'none'} ({reported})")
    sealed = "none is sealed yet" if report.draft else f"{chain.seals} of {chain.stages} sealed; {evidence_of(chain)}"
    sheet.figure("Stages", sealed)
    for line in witnesses_of(chain):
        sheet.figure("Witnessed", line)
    for seen in summary.disclosed:
        sheet.figure("Disclosed", disclosed_in_words(seen))
    if summary.assumed:
        sheet.figure("Assumed", f"not verified: {'; '.join(summary.assumed)}")
    sheet.figure("Cells", _coverage(report))
    if transcribed(report):
        sheet.figure("Tables", TRANSCRIBED)
    shown = report.meanings if everything else report.meanings[:SHOWN]
    for number, meaning in enumerate(shown):
        sheet.figure("" if number else "Recipes", meaning_in_words(meaning))
    if left := len(report.meanings) - len(shown):
        sheet.figure("", f"... and {left} more (--all lists them)")
    for number, (reason, ids) in enumerate(turned_off(report) if everything else ()):
        sheet.figure("" if number else "Not applied", f"{', '.join(ids)}: {reason}")


TRANSCRIBED = "as the authors transcribed them: no manuscript is sealed beside them"


def transcribed(report: Report) -> bool:
    """Whether no table was read again from a sealed manuscript."""
    return bool(report.cells) and any(
        result.id == "table.source" and result.status == "not-applicable" for result in report.checks
    )


def meaning_in_words(meaning: Meaning) -> str:
    """What a column is."""
    return f"{meaning.table}[{meaning.row}, {meaning.column}]: {meaning.words}"


def disclosed_in_words(seen: Disclosed) -> str:
    share = f"{seen.seen} of {seen.leaves} withheld rows of {seen.tree} were seen, {seen.wrong} of them wrong"
    if seen.most_wrong is None:
        return f"{share}; they were chosen, so they say nothing of the rest"
    rate = 100 * seen.most_wrong / seen.leaves
    return f"{share}; drawn by a seed, they exclude at 95 % that more than {seen.most_wrong} ({rate:.2f} %) are"


def evidence_of(chain: Chain) -> str:
    """Whether anybody but the authors saw the stages."""
    if not chain.signatures + chain.timestamps:
        return "the order is the authors' word: no signature or outside timestamp was seen"
    return f"{chain.signatures} signatures, {chain.timestamps} outside timestamps"


def witnesses_of(chain: Chain) -> Iterator[str]:
    """Which stages are covered by what, from which time, and which rest on the authors' word."""
    together: dict[tuple[str, str | None], list[str]] = {}
    for stage in chain.coverage:
        together.setdefault(("; ".join(stage.witnesses), stage.since), []).append(stage.stage)
    for (witnesses, since), stages in together.items():
        known = f"sealed by {since}" if since else "when is the authors' word"
        yield f"{', '.join(stages)}: {known} ({witnesses or 'no witness'})"


def _coverage(report: Report) -> str:
    cells = report.coverage
    if not cells.cells:
        looked = all(result.status != "skipped" for result in report.checks if result.id == "table.cells")
        return "the bundle reports no table" if looked else "not looked at"
    statuses = ", ".join(f"{count} {status}" for status, count in cells.statuses.items())
    names = f"; {cells.declared_names} more are declared names" if cells.declared_names else ""
    return f"{cells.recomputed} of {cells.cells} recomputed ({statuses}){names}"
