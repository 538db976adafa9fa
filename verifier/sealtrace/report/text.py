"""The report for people: the verdict, then failures by cause, then the figures."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from sealtrace.contract.report import NOT_SEALED, Chain, CheckResult, Disclosed, Finding, Report
from sealtrace.report.findings import by_cause, finding_lines, missing_by_reason, times, turned_off
from sealtrace.report.formats import Paint, plain
from sealtrace.report.inert import harmless

SAID = ("TRANSCRIBED", "counted_checks", "disclosed_in_words", "evidence_of", "transcribed", "witnesses_of")
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
    """The whole report, no line wider than `width` unless a digest or a path is; `everything` unfolds its lists."""
    limit = len(report.findings) if everything else SHOWN
    lines = [
        *_headline(report, paint, everything),
        *_failures(report, limit, width, paint),
        *_warnings(report, limit, width, paint),
        *_incomplete(report, width, paint),
        "",
        *_figures(report, width, everything),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _headline(report: Report, paint: Paint, everything: bool) -> Iterator[str]:
    word, colour = _HEADLINES[report.headline]
    if report.verdict == "verified" and report.warnings:
        word, colour = f"{word} with {times(report.warnings, 'warning')}", "yellow"
    word = report.as_draft(word).replace("Draft", "DRAFT", 1)
    yield f"{paint(word, colour)}  {harmless(report.bundle.name) or 'unnamed bundle'}"
    if report.draft:
        yield NOT_SEALED
    elif report.bundle.root_sha256:
        yield f"root {report.bundle.root_sha256}"
    if report.waived:
        yield f"{times(report.waived, 'finding')} waived by the reader's settings, and not settled"
    off = any(check.status == "not-applicable" for check in report.checks)
    yield f"{counted_checks(report)}{' (--all says why)' if off and not everything else ''}"


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
    counts = [(sum(one.status == status for one in report.checks), words) for status, words in STATUS_WORDS.items()]
    told = [(count, words[count != 1]) for count, words in counts if count]
    return ", ".join(
        f"{times(count, 'check')} {word}" if not place else f"{count} {word}"
        for place, (count, word) in enumerate(told)
    )


def _failures(report: Report, limit: int, width: int, paint: Paint) -> Iterator[str]:
    """Failed checks, those that follow from another one under it."""
    for check, consequences in by_cause(report):
        yield ""
        yield from _failure(report, check, limit, width, paint)
        for other in consequences:
            yield f"  and so: {paint(other.id, 'red')} ({times(other.findings, 'finding')})"


def _failure(report: Report, check: CheckResult, limit: int, width: int, paint: Paint) -> Iterator[str]:
    yield f"{paint(check.id, 'red')}: {times(check.findings, 'finding')} in {check.inspected} {check.unit}"
    yield from wrapped(check.title, width, "  ")
    findings = [one for one in report.findings if one.check == check.id and one.severity == "error"]
    for finding in findings[:limit]:
        yield from _finding(finding, width)
    if check.findings > len(findings[:limit]):
        yield f"  ... and {check.findings - len(findings[:limit])} more (--all lists them)"


def _finding(finding: Finding, width: int) -> Iterator[str]:
    place, message, *values = finding_lines(finding)
    yield from wrapped(place, width, "  ", "    ")
    yield from wrapped(message, width, "    ")
    for value in values:
        yield from wrapped(value, width, "    ", "      ")


def _warnings(report: Report, limit: int, width: int, paint: Paint) -> Iterator[str]:
    for severity, colour in (("warning", "yellow"), ("note", "cyan")):
        findings = [one for one in report.findings if one.severity == severity]
        if not findings:
            continue
        yield ""
        yield f"{paint(severity, colour)}: {times(len(findings), 'finding')}"
        for finding in findings[:limit]:
            yield from _finding(finding, width)
        if len(findings) > limit:
            yield f"  ... and {len(findings) - limit} more (--all lists them)"


def _incomplete(report: Report, width: int, paint: Paint) -> Iterator[str]:
    """What is missing, by reason; what was skipped, as one line."""
    for reason, ids in missing_by_reason(report):
        yield ""
        yield from titled(("missing", "yellow"), f": {reason}", width, paint, "")
        yield from wrapped(", ".join(ids), width, "  ")
    skipped = sum(check.status == "skipped" for check in report.checks)
    if skipped:
        yield ""
        yield f"{paint('skipped', 'yellow')}: {times(skipped, 'check')} not asked for"


def _figures(report: Report, width: int, everything: bool) -> Iterator[str]:
    summary = report.summary
    yield from figure("Inspected", ", ".join(summary.inspected) or "no records of a kind of study that is known", width)
    if summary.tolerance is not None:
        yield from figure("Tolerance", summary.tolerance, width)
    if (worst := summary.max_discrepancy) is not None:
        key = " ".join((worst.key or {}).values())
        place = f"{worst.source}:{worst.row} ({key}) {worst.field}"
        yield from figure("Discrepancy", f"at most {worst.value:.2e}, at {place}", width)
    if (agreement := summary.threshold_agreement) is not None:
        yield from figure("Crossings", f"{agreement.agree} of {agreement.total} agree", width)
    for one in summary.selected:
        reported = "as reported" if one.recomputed == one.reported else f"reported {one.reported or 'none'}"
        yield from figure("Selected", f"{one.selector}: {one.recomputed or 'none'} ({reported})", width)
    chain = summary.chain
    sealed = "none is sealed yet" if report.draft else f"{chain.seals} of {chain.stages} sealed; {evidence_of(chain)}"
    yield from figure("Stages", sealed, width)
    for line in witnesses_of(chain):
        yield from figure("Witnessed", line, width)
    for seen in summary.disclosed:
        yield from figure("Disclosed", disclosed_in_words(seen), width)
    if summary.assumed:
        yield from figure("Assumed", f"not verified: {'; '.join(summary.assumed)}", width)
    yield from figure("Cells", _coverage(report), width)
    if transcribed(report):
        yield from figure("Tables", TRANSCRIBED, width)
    for number, (reason, ids) in enumerate(turned_off(report) if everything else ()):
        yield from figure("" if number else "Not applied", f"{', '.join(ids)}: {reason}", width)


TRANSCRIBED = "as the authors transcribed them: no manuscript is sealed beside them"


def transcribed(report: Report) -> bool:
    """Whether no table was read again from a sealed manuscript."""
    return bool(report.cells) and any(
        one.id == "table.source" and one.status == "not-applicable" for one in report.checks
    )


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
    for one in chain.coverage:
        together.setdefault(("; ".join(one.witnesses), one.since), []).append(one.stage)
    for (witnesses, since), stages in together.items():
        known = f"sealed by {since}" if since else "when is the authors' word"
        yield f"{', '.join(stages)}: {known} ({witnesses or 'no witness'})"


def _coverage(report: Report) -> str:
    cells = report.coverage
    if not cells.cells:
        looked = all(one.status != "skipped" for one in report.checks if one.id == "table.cells")
        return "the bundle reports no table" if looked else "not looked at"
    statuses = ", ".join(f"{count} {status}" for status, count in cells.statuses.items())
    names = f"; {cells.declared_names} more are declared names" if cells.declared_names else ""
    return f"{cells.recomputed} of {cells.cells} recomputed ({statuses}){names}"


def figure(name: str, value: str, width: int) -> Iterator[str]:
    """A value behind its name, in columns."""
    return wrapped(f"{name:<12} {value}", width, "", " " * 13)


def titled(
    title: tuple[str, str], text: str, width: int, paint: Paint, rest: str, broken: bool = False
) -> Iterator[str]:
    """Wrapped lines whose beginning is a word in its colour."""
    word, colour = title
    for number, line in enumerate(wrapped(word + text, width, "", rest, broken)):
        painted = number == 0 and line.startswith(word)
        yield paint(word, colour) + line.removeprefix(word) if painted else line


def wrapped(text: str, width: int, first: str = "", rest: str | None = None, broken: bool = False) -> Iterator[str]:
    """Lines of at most `width`, made harmless. Paint is put on afterwards: what a bundle says may look like it.

    A word that is longer is `broken`, or left whole; broken, it may begin a line with what was harmless within it.
    """
    yield from map(
        harmless,
        textwrap.wrap(
            harmless(text),
            width,
            initial_indent=first,
            subsequent_indent=first if rest is None else rest,
            break_long_words=broken,
            break_on_hyphens=False,
        ),
    )
