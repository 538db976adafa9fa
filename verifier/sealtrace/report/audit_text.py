"""The audit for people: contradictions first, then what is undecided, then counts of what holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from sealtrace.contract.audit import Audit, AuditDecision, AuditFact, AuditProblem
from sealtrace.report.findings import times
from sealtrace.report.formats import Paint, plain
from sealtrace.report.text import figure, titled, wrapped

SAID = ("checked", "counted", "distance_text", "problem_text", "repair_text", "steps_of")
"""What other formats say in the same words."""
CONTRADICTIONS = 200
"""How many contradictions are printed in full."""
UNDECIDED = 20
NUMBERS = 8
"""How many numbers of one relation are printed."""
PROBLEMS = 40

_HEADLINES = {
    "contradiction": ("CONTRADICTION", "red"),
    "incomplete": ("INCOMPLETE", "yellow"),
    "suspicion": ("SUSPICION", "yellow"),
    "nothing-found": ("NOTHING FOUND", "green"),
}
_WORKS = {True: "would repair it", False: "would not repair it", None: "undecided whether it would repair it"}


def render(audit: Audit, *, everything: bool = False, width: int = 80, paint: Paint = plain) -> str:
    """The whole audit, no line wider than `width` unless a word is; with `everything`, what holds is listed, too."""
    lines = [
        *_headline(audit, width, paint),
        *_broken(audit, "contradiction", "red", width, paint),
        *_broken(audit, "suspicion", "yellow", width, paint),
        *_undecided(audit, width, paint, everything=everything),
        *_problems(audit, width, paint),
        *(_held(audit, width, paint) if everything else ()),
        *_suggestions(audit, width, paint),
        "",
        *_figures(audit, width),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def counted(audit: Audit) -> str:
    """How the relations came out, in a few words."""
    broken, suspected, undecided, held = (sum(one.status == status for one in audit.decisions) for status in _STATUSES)
    relations = [times(broken, "contradiction"), times(suspected, "suspicion")]
    relations += [f"{times(undecided, 'relation')} undecided"] if undecided else []
    relations += [f"{times(held, 'relation')} that can hold"]
    return ", ".join(relations) if audit.decisions else "no relation between them was found to decide"


def checked(audit: Audit) -> str:
    """How much was checked: without it, that nothing was found says nothing."""
    numbers = audit.coverage.cells + audit.coverage.text
    done = audit.coverage.constrained + audit.coverage.text_constrained
    share = f"{100 * done // numbers} %" if numbers else "none"
    return f"{share} of {times(numbers, 'printed number')} are in a relation that a wrong number could break"


def distance_text(decision: AuditDecision) -> str | None:
    """How far the nearest number would have to move."""
    if decision.distance is None:
        return None
    amount = float(Fraction(decision.distance))
    units = f"{f'{amount:,.0f}' if amount >= 100 else f'{amount:.3g}'} units of the last printed digit"
    return f"{units} of {bare(decision.nearest)}" if decision.nearest else f"{units}, over several numbers together"


def steps_of(decision: AuditDecision) -> list[str]:
    """The arithmetic: one line, or of relations that contradict each other the lines to add up."""
    return decision.proof if decision.together and decision.proof else [decision.arithmetic or ""]


def bare(address: str) -> str:
    """An address without the way in which its number is read, which only formulas need."""
    for reading in ("rounded(", "printed("):
        if address.startswith(reading):
            return bare(address.removeprefix(reading).removesuffix(")"))
    return address


def place_text(fact: AuditFact) -> str:
    """A printed number's address and line."""
    return f"{bare(fact.address)}, line {fact.line}" if fact.line else bare(fact.address)


def problem_text(problem: AuditProblem) -> str:
    """A problem behind its place."""
    place = ":".join(str(part) for part in (problem.source, problem.line, problem.column) if part is not None)
    return f"{place}: {problem.message}"


def repair_text(says: str, works: bool | None) -> str:
    """An explanation, and what became of it."""
    return f"{says}: {_WORKS[works]}"


_STATUSES = ("contradiction", "suspicion", "undecided", "holds")


def explained(audit: Audit, cell: str, width: int = 80) -> tuple[str | None, int]:
    """What the audit says of one number, by its address or by `file:line`; and 1 where a contradiction speaks of it."""
    wanted = " ".join(cell.split())
    chosen = {
        fact.address: fact
        for fact in audit.facts
        if wanted in (f"{fact.table}[{fact.row}, {fact.column}]", bare(fact.address), f"{fact.source}:{fact.line}")
    }
    if not chosen:
        return None, 2
    facts = {fact.address: fact for fact in audit.facts}
    lines = [f"{fact.printed}  {place_text(fact)}" for fact in {bare(key): one for key, one in chosen.items()}.values()]
    about = [one for one in audit.decisions if set(one.facts) & set(chosen)]
    for one in about:
        lines += ["", *wrapped(f"{one.status}: {one.sentence}", width, "", "  ")]
        lines += _known(one, facts, ("read from", "printed", "evidence", "arithmetic", "assumes", "to ask"), width)
    statuses = {one.status for one in about}
    return "\n".join(line.rstrip() for line in lines) + "\n", int("contradiction" in statuses)


def _headline(audit: Audit, width: int, paint: Paint) -> Iterator[str]:
    yield from titled(_HEADLINES[audit.verdict], f"  {audit.paper}", width, paint, "")
    if audit.root_sha256:
        yield f"root {audit.root_sha256}"
    yield from wrapped(counted(audit), width)
    yield from wrapped(checked(audit), width)


def _broken(audit: Audit, status: str, colour: str, width: int, paint: Paint) -> Iterator[str]:
    """Relations that cannot hold, of one grade: what is proved, and what is only suspected, are never mixed."""
    found = [one for one in audit.decisions if one.status == status]
    because = "implied by" if status == "contradiction" else "read from"
    known = (because, "evidence", "printed", "together", "arithmetic", "off by", "assumes", "perhaps", "to ask")
    yield from _decisions(audit, found[:CONTRADICTIONS], (status, colour), known, width, paint)
    if len(found) > CONTRADICTIONS:
        yield ""
        yield f"... and {times(len(found) - CONTRADICTIONS, f'more {status}')} (--format json lists them)"


def _undecided(audit: Audit, width: int, paint: Paint, *, everything: bool) -> Iterator[str]:
    found = [one for one in audit.decisions if one.status == "undecided"]
    shown = found if everything else [one for one in found if one.family in ("declared", "group")][:UNDECIDED]
    yield from _decisions(audit, shown, ("undecided", "yellow"), ("printed", "missing"), width, paint)
    if len(found) > len(shown):
        yield ""
        more = times(len(found) - len(shown), "other relation" if shown else "automatic relation")
        yield f"{paint('undecided', 'yellow')}: {more} (--all lists them)"


def _problems(audit: Audit, width: int, paint: Paint) -> Iterator[str]:
    for severity, word, colour in (("error", "not read", "yellow"), ("warning", "doubtful", "cyan")):
        found = [one for one in audit.problems if one.severity == severity]
        if not found:
            continue
        yield ""
        yield f"{paint(word, colour)}: {times(len(found), 'problem')}"
        for problem in found[:PROBLEMS]:
            yield from wrapped(problem_text(problem), width, "  ", "    ")
        if len(found) > PROBLEMS:
            yield f"  ... and {len(found) - PROBLEMS} more (--format json lists them)"


def _held(audit: Audit, width: int, paint: Paint) -> Iterator[str]:
    held = [one for one in audit.decisions if one.status == "holds"]
    yield from _decisions(audit, held, ("holds", "green"), ("implied by",), width, paint)
    for one in audit.left_out:
        yield ""
        yield from wrapped(f"left out: {problem_text(one)}", width, "", "  ")


def _suggestions(audit: Audit, width: int, paint: Paint) -> Iterator[str]:
    if not audit.suggestions:
        return
    yield ""
    yield from wrapped(
        f"{times(len(audit.suggestions), 'suggestion')}: found by search, not by reading. They hold, perhaps by "
        "chance; the paper may imply none of them.",
        width,
    )
    for number, one in enumerate(audit.suggestions, 1):
        yield f"  {paint(f'suggestion {number}', 'cyan')}, {one.score:.1f} digits beyond chance"
        for line in one.text.splitlines():
            indent = " " * (4 + len(line) - len(line.lstrip()))
            # As a relations file continues a line: whoever copies it need not join it again.
            yield from wrapped(line.strip(), width, indent, f"{indent}  ")


def _figures(audit: Audit, width: int) -> Iterator[str]:
    names = {"holds": "Can hold", "contradiction": "Cannot", "suspicion": "Suspected", "undecided": "Undecided"}
    for status, name in names.items():
        counts = [(getattr(tally, status), tally.family) for tally in audit.tallies]
        listed = ", ".join(f"{count} {family}" for count, family in counts if count)
        yield from figure(name, listed or "none", width)
    cells = audit.coverage
    yield from figure(
        "Cells",
        f"{cells.constrained} of {cells.cells} with numbers are checked by something that could fail, "
        f"{cells.unconstrained} by nothing",
        width,
    )
    if cells.text:
        bound = f"{cells.text_constrained} of {cells.text} numbers of the running text are checked so"
        yield from figure("Text", bound, width)
    passed = [one for one in audit.left_out if one.severity == "warning"]
    if passed:
        yield from figure("Left out", f"{times(len(passed), 'relation')} whose cell says n/a", width)
    for one in audit.left_out:
        if one.severity == "error":
            yield from figure("Left out", one.message, width)


def _decisions(
    audit: Audit, found: list[AuditDecision], word: tuple[str, str], known: tuple[str, ...], width: int, paint: Paint
) -> Iterator[str]:
    """Some decisions under a word in its colour, each with some of what is known of it."""
    facts = {fact.address: fact for fact in audit.facts}
    for one in found:
        origin = "" if one.family == "declared" else f"  [{one.family}]"
        yield ""
        yield from titled(word, f": {one.relation}{origin}", width, paint, "  ")
        yield from wrapped(one.sentence, width, "  ")
        yield from _known(one, facts, known, width)


def _known(one: AuditDecision, facts: dict[str, AuditFact], names: tuple[str, ...], width: int) -> Iterator[str]:
    """What is known of a decision, name by name."""
    members = [f"{facts[each].printed}  {place_text(facts[each])}" for each in one.facts]
    more = [f"... and {len(members) - NUMBERS} more"] if len(members) > NUMBERS else []
    values: dict[str, Sequence[str | None]] = {
        "implied by": [one.source],
        "read from": [one.source],
        "evidence": [one.evidence],
        "printed": [*members[:NUMBERS], *more],
        "together": one.together,
        "arithmetic": steps_of(one),
        "off by": [distance_text(one)],
        "assumes": one.assumes,
        "perhaps": [repair_text(repair.says, repair.works) for repair in one.repairs],
        "to ask": [one.letter],
        "missing": [one.reason],
    }
    for name in names:
        for number, value in enumerate(values[name]):
            if value:
                yield from wrapped(value, width, f"  {name if number == 0 else '':<11} ", " " * 16)
