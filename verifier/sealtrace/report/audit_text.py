"""The audit for people: contradictions first, then what is undecided, then counts of what holds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sealtrace.contract.audit import Audit, AuditDecision, AuditFact, AuditProblem
from sealtrace.report.findings import times
from sealtrace.report.formats import Paint, plain
from sealtrace.report.inert import harmless
from sealtrace.report.sheet import Sheet

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
    """The whole audit; with `everything`, what holds is listed, too."""
    sheet = Sheet(width, paint)
    word, colour = _HEADLINES[audit.verdict]
    sheet.titled(word, colour, f"  {audit.paper}")
    if audit.root_sha256:
        sheet.line(f"root {audit.root_sha256}")
    sheet.say(counted(audit))
    sheet.say(checked(audit))
    _broken(sheet, audit, "contradiction", "red")
    _broken(sheet, audit, "suspicion", "yellow")
    _undecided(sheet, audit, everything)
    _problems(sheet, audit)
    if everything:
        _decisions(sheet, audit, _of(audit, "holds"), ("holds", "green"), ("implied by",))
        for problem in audit.left_out:
            sheet.gap()
            sheet.say(f"left out: {problem_text(problem)}", "", "  ")
    _suggestions(sheet, audit)
    sheet.gap()
    _figures(sheet, audit)
    return str(sheet)


def _of(audit: Audit, status: str) -> list[AuditDecision]:
    return [decision for decision in audit.decisions if decision.status == status]


def counted(audit: Audit) -> str:
    """How the relations came out, in a few words."""
    broken, suspected, undecided, held = (
        len(_of(audit, status)) for status in ("contradiction", "suspicion", "undecided", "holds")
    )
    relations = [times(broken, "contradiction"), times(suspected, "suspicion")]
    relations += [f"{times(undecided, 'relation')} undecided"] if undecided else []
    relations += [f"{times(held, 'relation')} that can hold"]
    return ", ".join(relations) if audit.decisions else "no relation between them was found to decide"


def checked(audit: Audit) -> str:
    """How much was checked: without it, that nothing was found says nothing."""
    numbers = audit.coverage.cells + audit.coverage.text
    done = audit.coverage.constrained + audit.coverage.text_constrained
    share = f"{100 * done // numbers} %" if numbers else "none"
    verb = "is" if numbers == 1 else "are"
    return f"{share} of {times(numbers, 'printed number')} {verb} in a relation that a wrong number could break"


def distance_text(decision: AuditDecision) -> str | None:
    """How far the nearest number would have to move."""
    if decision.distance is None:
        return None
    amount = float(Fraction(decision.distance))
    size = f"{amount:,.0f}" if amount >= 100 else f"{amount:.3g}"
    units = f"{size} {'unit' if size == '1' else 'units'} of the last printed digit"
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
    sheet = Sheet(width)
    for fact in {bare(key): fact for key, fact in chosen.items()}.values():
        sheet.line(harmless(f"{fact.printed}  {place_text(fact)}"))
    about = [decision for decision in audit.decisions if set(decision.facts) & set(chosen)]
    for decision in about:
        sheet.gap()
        sheet.say(f"{decision.status}: {decision.sentence}", "", "  ")
        _known(sheet, decision, facts, ("read from", "printed", "evidence", "arithmetic", "assumes", "to ask"))
    return str(sheet), int("contradiction" in {decision.status for decision in about})


def _broken(sheet: Sheet, audit: Audit, status: str, colour: str) -> None:
    """Relations that cannot hold, of one grade: what is proved, and what is only suspected, are never mixed."""
    found = _of(audit, status)
    because = "implied by" if status == "contradiction" else "read from"
    known = (because, "evidence", "printed", "together", "arithmetic", "off by", "assumes", "perhaps", "to ask")
    _decisions(sheet, audit, found[:CONTRADICTIONS], (status, colour), known)
    if len(found) > CONTRADICTIONS:
        sheet.gap()
        sheet.line(f"... and {times(len(found) - CONTRADICTIONS, f'more {status}')} (--format json lists them)")


def _undecided(sheet: Sheet, audit: Audit, everything: bool) -> None:
    found = _of(audit, "undecided")
    shown = (
        found
        if everything
        else [decision for decision in found if decision.family in ("declared", "group")][:UNDECIDED]
    )
    _decisions(sheet, audit, shown, ("undecided", "yellow"), ("printed", "missing"))
    if len(found) > len(shown):
        sheet.gap()
        more = times(len(found) - len(shown), "other relation" if shown else "automatic relation")
        sheet.line(f"{sheet.paint('undecided', 'yellow')}: {more} (--all lists them)")


def _problems(sheet: Sheet, audit: Audit) -> None:
    for severity, word, colour in (("error", "not read", "yellow"), ("warning", "doubtful", "cyan")):
        if found := [problem for problem in audit.problems if problem.severity == severity]:
            sheet.gap()
            sheet.line(f"{sheet.paint(word, colour)}: {times(len(found), 'problem')}")
            for problem in found[:PROBLEMS]:
                sheet.say(problem_text(problem), "  ", "    ")
            sheet.more(len(found) - PROBLEMS, where="--format json")


def _suggestions(sheet: Sheet, audit: Audit) -> None:
    if audit.suggestions:
        sheet.gap()
        sheet.say(
            f"{times(len(audit.suggestions), 'suggestion')}: found by search, not by reading. They hold, perhaps by "
            "chance; the paper may imply none of them."
        )
    for number, suggestion in enumerate(audit.suggestions, 1):
        sheet.line(f"  {sheet.paint(f'suggestion {number}', 'cyan')}, {suggestion.score:.1f} digits beyond chance")
        for line in suggestion.text.splitlines():
            indent = " " * (4 + len(line) - len(line.lstrip()))
            # As a relations file continues a line: whoever copies it need not join it again.
            sheet.say(line.strip(), indent, f"{indent}  ")


def _figures(sheet: Sheet, audit: Audit) -> None:
    names = {"holds": "Can hold", "contradiction": "Cannot", "suspicion": "Suspected", "undecided": "Undecided"}
    for status, name in names.items():
        counts = [(getattr(tally, status), tally.family) for tally in audit.tallies]
        sheet.figure(name, ", ".join(f"{count} {family}" for count, family in counts if count) or "none")
    cells = audit.coverage
    covered = f"{cells.constrained} of {cells.cells} with numbers are checked by something that could fail"
    sheet.figure("Cells", f"{covered}, {cells.unconstrained} by nothing")
    if cells.text:
        sheet.figure("Text", f"{cells.text_constrained} of {cells.text} numbers of the running text are checked so")
    if passed := sum(problem.severity == "warning" for problem in audit.left_out):
        sheet.figure("Left out", f"{times(passed, 'relation')} whose cell says n/a")
    for problem in audit.left_out:
        if problem.severity == "error":
            sheet.figure("Left out", problem.message)


def _decisions(
    sheet: Sheet, audit: Audit, found: list[AuditDecision], word: tuple[str, str], known: tuple[str, ...]
) -> None:
    """Some decisions under a word in its colour, each with some of what is known of it."""
    facts = {fact.address: fact for fact in audit.facts}
    for decision in found:
        sheet.gap()
        if decision.family in ("declared", "group"):
            sheet.titled(*word, f": {decision.relation}{'  [group]' if decision.family == 'group' else ''}", "  ")
            sheet.say(decision.sentence, "  ")
        else:
            # What nobody named is called by what it says.
            sheet.titled(*word, f": {decision.sentence}  [{decision.family}]", "  ")
        _known(sheet, decision, facts, known)


def _known(sheet: Sheet, decision: AuditDecision, facts: dict[str, AuditFact], names: tuple[str, ...]) -> None:
    """What is known of a decision, name by name."""
    members = [f"{facts[each].printed}  {place_text(facts[each])}" for each in decision.facts]
    more = [f"... and {len(members) - NUMBERS} more"] if len(members) > NUMBERS else []
    values: dict[str, Sequence[str | None]] = {
        "implied by": [decision.source],
        "read from": [decision.source],
        "evidence": [decision.evidence],
        "printed": [*members[:NUMBERS], *more],
        "together": decision.together,
        "arithmetic": steps_of(decision),
        "off by": [distance_text(decision)],
        "assumes": decision.assumes,
        "perhaps": [repair_text(repair.says, repair.works) for repair in decision.repairs],
        "to ask": [decision.letter],
        "missing": [decision.reason],
    }
    for name in names:
        for number, value in enumerate(values[name]):
            if value:
                sheet.say(value, f"  {name if number == 0 else '':<11} ", " " * 16)
