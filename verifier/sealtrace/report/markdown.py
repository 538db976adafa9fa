"""A result as Markdown, for a pull request comment, an artifact evaluation form or a letter.

What a comment may hold is limited, so lists are cut short, and say so. The template prints nothing of a bundle or a
paper but inert text of a bounded length, without asking for it.
"""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from sealtrace.contract.result import NOT_SEALED, Finding, NumberResult, Result
from sealtrace.report import text
from sealtrace.report.claims import BROKEN, SOURCES, is_owed, known_of
from sealtrace.report.findings import (
    by_cause,
    claim_of,
    claims_by_id,
    finding_lines,
    missing_by_reason,
    times,
    turned_off,
)
from sealtrace.report.inert import clipped, fenced, harmless, markdown
from sealtrace.report.numbers import (
    counted_claims,
    headline,
    in_order,
    introduction,
    numbers_in_words,
    share_checked,
    tally,
)

BLOCKS = 8
"""How many checks have their findings unfolded."""
FEW = 3
"""How many findings of one check are shown."""
CELLS = 25
"""How many numbers that need a look are shown."""
LISTED = 20
"""How many relations of one grade are shown."""
LONGEST, CLAIMED = 120, 600
"""How many characters of a text are shown, unless it is ours; and of what a relation says."""


def _inert(value: object) -> object:
    """What a template prints of a bundle or a paper: up to so many characters, unless `whole` is asked for."""
    return markdown(clipped(harmless(value), LONGEST)) if type(value) is str else value


def _code(lines: list[str], longest: int) -> Markup:
    return Markup(fenced("\n".join(clipped(harmless(line), longest) for line in lines)))


def render(result: Result, *, everything: bool = False) -> str:
    """The verdict and what to do first; then counts, checks, findings, relations and numbers."""
    causes = by_cause(result)
    check = causes[0][0].id if causes else None
    claims = claims_by_id(result)
    own = [finding for finding in result.findings if claim_of(finding, claims) is None]
    claimed = {finding.check for finding in result.findings} - {finding.check for finding in own}
    broken = {grade: [claim for claim in result.claims if claim.grade == grade] for grade in BROKEN}
    undecided = [claim for claim in result.claims if claim.grade == "undecided"]
    left = len(result.numbers) if everything else CELLS
    tables = []
    for label, members in in_order(result.numbers).items():
        listed = [one for one in members if everything or not one.settled]
        tables.append((label, tally(members), listed[:left], len(listed) - len(listed[:left])))
        left -= len(listed[:left])
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_inert)
    template = environment.from_string(files(__package__).joinpath("result.md.j2").read_text(encoding="utf-8"))
    shown = template.render(
        whole=lambda value: Markup(markdown(value)),
        times=times,
        introduction=introduction,
        result=result,
        headline=headline(result),
        not_sealed=NOT_SEALED,
        causes=causes,
        first=next((finding for finding in own if finding.check == check and finding.severity == "error"), None),
        failed=[check for check in result.checks if check.status == "fail"],
        missing=next((check for check in result.checks if check.status == "missing"), None),
        blocks=_blocks(result, own, claimed),
        unfolded=BLOCKS,
        broken={grade: found for grade, found in broken.items() if found},
        owed=[claim for claim in undecided if everything or is_owed(claim)],
        suggested=[claim for claim in result.claims if claim.grade == "suggestion"],
        holding=[claim for claim in result.claims if claim.grade == "holds"] if everything else [],
        tables=tables,
        numbers=numbers_in_words(result),
        checked=share_checked(result) if result.command == "audit" else "",
        counted_claims=counted_claims(result) if result.claims or result.command == "audit" else "",
        known_of=known_of,
        sources=SOURCES,
        listed=LISTED,
        code=lambda lines: _code(lines, 2000),
        long=lambda value: Markup(markdown(clipped(harmless(value), CLAIMED))),
        findings=_code_of_findings,
        lines=finding_lines,
        missing_by_reason=missing_by_reason,
        turned_off=turned_off,
        **{name: getattr(text, name) for name in text.SAID},
    )
    return f"{shown}\n"


def render_number(one: NumberResult) -> str:
    """One number with its word and status, and what is known of it."""
    known = {"printed": one.printed, "given": one.given, "": one.said, "formula": one.formula, "recipe": one.recipe,
             "where": one.place}  # fmt: skip
    lines = [f"- {name}: {markdown(text)}" if name else f"- {markdown(text)}" for name, text in known.items() if text]
    return "\n".join([f"**{markdown(one.id)}** **{one.word}** ({one.status})", "", *lines, ""])


def _blocks(result: Result, own: list[Finding], claimed: set[str]) -> list[tuple[str, list[Finding], int]]:
    """The findings of each failed check, then those that fail nothing: what they are, they, and how many there are.

    Checks whose findings claims tell are left to those.
    """
    blocks = []
    failed = [check for check in result.checks if check.status == "fail" and check.id not in claimed]
    for check in failed[:BLOCKS]:
        findings = [finding for finding in own if finding.check == check.id]
        errors = [finding for finding in findings if finding.severity == "error"]
        # A check counts what it does not list, and also what fails nothing.
        total = check.findings - len(findings) + len(errors)
        blocks.append((f"{check.id}: {times(total, 'error')}", errors, total))
    others = {
        severity: [finding for finding in own if finding.severity == severity] for severity in ("warning", "note")
    }
    return blocks + [(times(len(found), severity), found, len(found)) for severity, found in others.items() if found]


def _code_of_findings(findings: list[Finding], total: int) -> Markup:
    lines = []
    for place, *rest in map(finding_lines, findings[:FEW]):
        lines += [place, *(f"  {line}" for line in rest)]
    more = total - len(findings[:FEW])
    return _code([*lines, *([f"... and {more} more"] if more else [])], 120)
