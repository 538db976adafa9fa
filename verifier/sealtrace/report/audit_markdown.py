"""The audit as Markdown: what a reviewer would hand on."""

from __future__ import annotations

from collections.abc import Iterator

from sealtrace.contract.audit import Audit, AuditDecision, AuditFact
from sealtrace.report.audit_text import checked, counted, distance_text, problem_text, repair_text, steps_of
from sealtrace.report.findings import times
from sealtrace.report.inert import clipped, fenced, harmless, markdown

LONG = 2000
"""How many characters of one text are shown."""
NUMBERS = 12
LISTED = 100

_TITLES = {
    "contradiction": "Some of these numbers cannot all be true",
    "incomplete": "Not everything could be decided",
    "suspicion": "Nothing is contradicted, but something looks wrong",
    "nothing-found": "Nothing found",
}


def render(audit: Audit, *, everything: bool = False) -> str:
    """Contradictions, each with what to write; then what is undecided, counts and coverage."""
    lines = [
        f"# {_short(audit.paper)}: {_TITLES[audit.verdict].lower()}",
        "",
        f"{counted(audit)}; {checked(audit)}. A contradiction is a proof: whatever values were rounded to the printed "
        "numbers, the relation fails. It rests on the assumptions that stand beside it, and on nothing else. A "
        "suspicion is no proof: a sentence was read by rule, or what holds in other rows is broken in one.",
        "",
        *_broken(audit, "contradiction"),
        *_broken(audit, "suspicion"),
        *_undecided(audit, everything=everything),
        *_problems(audit),
        *_families(audit),
        *_coverage(audit),
        *(_held(audit) if everything else ()),
        *_suggestions(audit),
        f"sealtrace {markdown(audit.sealtrace)}"
        + (f" of root {markdown(audit.root_sha256)}" if audit.root_sha256 else ""),
    ]
    return "\n".join(lines) + "\n"


def _short(text: str) -> str:
    return markdown(clipped(harmless(text), LONG))


def _broken(audit: Audit, status: str) -> Iterator[str]:
    found = [one for one in audit.decisions if one.status == status]
    facts = {fact.address: fact for fact in audit.facts}
    if found:
        yield f"## {times(len(found), status)}"
        yield ""
    for number, decision in enumerate(found[:LISTED], 1):
        yield f"### {number}. {_short(decision.relation)}"
        yield ""
        yield f"{_short(decision.sentence)} ({_short(decision.source)})"
        yield ""
        yield from _numbers(decision, facts)
        yield fenced("\n".join(clipped(harmless(line), LONG) for line in steps_of(decision)))
        yield ""
        if decision.evidence:
            yield f"- Evidence: {_short(decision.evidence)}."
        if distance := distance_text(decision):
            yield f"- Off by {_short(distance)}."
        yield from (f"- Together: {_short(name)}" for name in decision.together)
        yield from (f"- Assumes: {_short(one)}" for one in decision.assumes)
        yield from (f"- Explanation: {_short(repair_text(one.says, one.works))}" for one in decision.repairs)
        yield ""
        yield f"> {_short(decision.letter or '')}"
        yield ""
    if len(found) > LISTED:
        yield f"... and {len(found) - LISTED} more, which the JSON lists"
        yield ""


def _numbers(decision: AuditDecision, facts: dict[str, AuditFact]) -> Iterator[str]:
    yield "| printed | where | line |"
    yield "|---|---|---|"
    for address in decision.facts[:NUMBERS]:
        fact = facts[address]
        yield f"| {_short(fact.printed)} | {_short(fact.address)} | {fact.line or ''} |"
    if len(decision.facts) > NUMBERS:
        yield f"| | ... and {len(decision.facts) - NUMBERS} more | |"
    yield ""


def _undecided(audit: Audit, *, everything: bool) -> Iterator[str]:
    found = [one for one in audit.decisions if one.status == "undecided"]
    shown = found if everything else [one for one in found if one.family in ("declared", "group")]
    if shown:
        yield f"## {times(len(shown), 'undecided relation')}"
        yield ""
        yield "| relation | what it says | what is missing |"
        yield "|---|---|---|"
        for one in shown[:LISTED]:
            yield f"| {_short(one.relation)} | {_short(one.sentence)} | {_short(one.reason or '')} |"
        yield ""
    if len(found) > len(shown[:LISTED]):
        yield f"{times(len(found) - len(shown[:LISTED]), 'other relation')} could not be decided."
        yield ""


def _problems(audit: Audit) -> Iterator[str]:
    if audit.problems:
        yield f"## {times(len(audit.problems), 'problem')} of reading"
        yield ""
        yield from (f"- {_short(problem_text(one))}" for one in audit.problems[:LISTED])
        yield ""


def _families(audit: Audit) -> Iterator[str]:
    if audit.tallies:
        yield "## What was decided"
        yield ""
        yield "| relations | can hold | cannot | suspected | undecided |"
        yield "|---|---:|---:|---:|---:|"
        for one in audit.tallies:
            counts = (one.holds, one.contradiction, one.suspicion, one.undecided)
            yield f"| {_short(one.family)} | {' | '.join(map(str, counts))} |"
        yield ""


def _coverage(audit: Audit) -> Iterator[str]:
    whole = audit.coverage
    yield "## Which numbers are checked"
    yield ""
    yield (
        f"{whole.constrained} of {times(whole.cells, 'cell')} with numbers are checked by a relation that could fail, "
        f"{whole.unconstrained} by none; of the running text, {whole.text_constrained} of "
        f"{times(whole.text, 'number')}."
    )
    yield ""
    if audit.tables:
        yield "| table | cells | checked | in a contradiction | in a suspicion | unchecked |"
        yield "|---|---:|---:|---:|---:|---:|"
        for one in audit.tables:
            counts = (one.cells, one.constrained, one.contradicted, one.suspected, one.unconstrained)
            yield f"| {_short(one.table)} | {' | '.join(map(str, counts))} |"
        yield ""
    if audit.left_out:
        yield f"{times(len(audit.left_out), 'relation')} were passed over, because a cell says n/a."
        yield ""


def _held(audit: Audit) -> Iterator[str]:
    found = [one for one in audit.decisions if one.status == "holds"]
    if found:
        yield f"## {times(len(found), 'relation')} that can hold"
        yield ""
        yield "| relation | what it says | implied by |"
        yield "|---|---|---|"
        for one in found:
            yield f"| {_short(one.relation)} | {_short(one.sentence)} | {_short(one.source)} |"
        yield ""


def _suggestions(audit: Audit) -> Iterator[str]:
    if audit.suggestions:
        yield f"## {times(len(audit.suggestions), 'suggestion')}"
        yield ""
        yield "Found by search, not by reading: they hold, perhaps by chance, and the paper may imply none of them."
        yield ""
        for one in audit.suggestions:
            yield f"{_short(one.sentence)} ({one.score:.1f} digits beyond chance)"
            yield ""
            yield fenced("\n".join(clipped(harmless(line), LONG) for line in one.text.splitlines()))
            yield ""
