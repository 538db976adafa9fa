"""The check for people: what is off first, then what nothing gives, then the rules that were found."""

from __future__ import annotations

from sealtrace.contract.checked import Check
from sealtrace.report.audit_text import counted as counted_relations
from sealtrace.report.findings import times
from sealtrace.report.formats import Paint, plain
from sealtrace.report.inert import harmless
from sealtrace.report.sheet import Sheet

SHOWN, FEW = 40, 12
"""How many numbers that are off are listed, and how many that nothing gives."""
_COLOURS = {"off": "red", "unexplained": "yellow", "explained": "green"}


def render(check: Check, *, everything: bool = False, width: int = 80, paint: Paint = plain) -> str:
    """The whole check; with `everything`, every cell with its formula."""
    sheet = Sheet(width, paint)
    _headline(sheet, check)
    for accident in check.accidents:
        _section(sheet, f"Recognised: {accident.kind.replace('-', ' ')}", "red")
        sheet.say(f"{accident.message} ({', '.join(accident.places)})", "  ")
    _off(sheet, check)
    _unexplained(sheet, check, everything)
    _bindings(sheet, check)
    if everything:
        _cells(sheet, check)
    _audit(sheet, check)
    sheet.gap()
    _search(sheet, check)
    return str(sheet)


def chance(bits: float) -> str:
    """How unlikely it is that a formula fits by accident, in words."""
    if bits >= 30:
        return "by chance less than once in a billion"
    return f"by chance once in {int(float(f'{2.0 ** max(bits, 0):.1g}')):,}"


def counted(check: Check) -> list[str]:
    """How the numbers came out, a line for tables and one for the text."""
    counts = check.counts
    aside = f" ({counts.set_aside} more only name something)" if counts.set_aside else ""
    return [
        f"tables: {_outcomes(counts.cells, counts.explained, counts.off, counts.unexplained)}",
        f"text: {_outcomes(counts.text, counts.text_explained, counts.text_off, counts.text_unexplained)}{aside}",
    ]


def _outcomes(numbers: int, explained: int, off: int, unexplained: int) -> str:
    if not numbers:
        return "no numbers"
    share = f" ({100 * explained / numbers:.0f} %)"
    return f"{times(numbers, 'number')}: {explained} explained{share}, {off} off, {unexplained} unexplained"


def _headline(sheet: Sheet, check: Check) -> None:
    counts = check.counts
    off, unexplained = counts.off + counts.text_off, counts.unexplained + counts.text_unexplained
    words = {"off": f"{off or 'SOMETHING'} OFF", "unexplained": f"NOTHING OFF, {unexplained} UNEXPLAINED"}
    word = sheet.paint(words.get(check.verdict, "ALL EXPLAINED"), _COLOURS[check.verdict])
    sheet.line(f"{word}  {harmless(check.paper)} against {harmless(check.results)}")
    for line in counted(check):
        sheet.say(line, "", "  ")


def _section(sheet: Sheet, title: str, colour: str) -> None:
    sheet.gap()
    sheet.line(sheet.paint(title, colour))


def _off(sheet: Sheet, check: Check) -> None:
    cells = [cell for cell in check.cells if cell.status == "off"]
    text = [text for text in check.text if text.status == "off"]
    if cells or text:
        _section(sheet, "Off", "red")
    for cell in cells[:SHOWN]:
        sheet.say(f"{cell.source}:{cell.line}  {cell.table}, {cell.column}: {cell.message or ''}", "  ")
    for number in text[:SHOWN]:
        sheet.say(f"{number.source}:{number.line}: {number.message or number.printed}", "  ")
    if len(cells) > SHOWN:
        sheet.line(f"  and {len(cells) - SHOWN} more")


def _unexplained(sheet: Sheet, check: Check, everything: bool) -> None:
    cells = [cell for cell in check.cells if cell.status == "unexplained"]
    text = [text for text in check.text if text.status == "unexplained"]
    limit = len(cells) + len(text) if everything else FEW
    if cells or text:
        _section(sheet, "Unexplained", "yellow")
    for cell in cells[:limit]:
        sheet.say(f"{cell.source}:{cell.line}  {cell.table}, {cell.row}, {cell.column}: {cell.printed}", "  ")
    if len(cells) > limit:
        sheet.line(f"  and {times(len(cells) - limit, 'more cell')}")
    for number in text[:limit]:
        sheet.say(f"{number.source}:{number.line}  {number.printed} in: {number.sentence}", "  ")
    if len(text) > limit:
        sheet.line(f"  and {times(len(text) - limit, 'more number')} of the text (--all lists them)")


def _bindings(sheet: Sheet, check: Check) -> None:
    if check.bindings:
        _section(sheet, "Formulas found", "cyan")
    table = None
    for binding in check.bindings:
        if binding.table != table:
            table = binding.table
            sheet.line(f"  {harmless(table)}")
        fits = f"[gives {binding.agrees} of {binding.numbers}, {chance(binding.bits)}]"
        sheet.say(f"{binding.id}  {binding.kind} {binding.subject[:60]}: {binding.formula}  {fits}", "    ")
        if binding.ambiguous:
            sheet.say(f"or: {'; or: '.join(binding.ambiguous)} (told apart by {binding.apart or ''})", "        ")


def _cells(sheet: Sheet, check: Check) -> None:
    _section(sheet, "Every number", "cyan")
    for cell in check.cells:
        records = f" from {', '.join(cell.records)}" if cell.records else ""
        how = f"{cell.status} {' '.join(cell.bindings)}{records}"
        sheet.say(f"{cell.table}, {cell.row}, {cell.column}: {cell.printed}  {how}", "  ")
    for said in check.text:
        by = f" {said.by}" if said.by else ""
        sheet.say(f"{said.source}:{said.line}, text: {said.printed}  {said.status}{by}", "  ")


def _audit(sheet: Sheet, check: Check) -> None:
    if check.audit is None:
        return
    _section(sheet, "The paper's numbers against each other", "cyan")
    sheet.say(counted_relations(check.audit), "  ")
    for left in check.audit.left_out:
        sheet.say(left.message, "  ")
    for decision in check.audit.decisions:
        if decision.status == "contradiction":
            sheet.say(f"{decision.sentence} {decision.arithmetic or ''}", "  ")


def _search(sheet: Sheet, check: Check) -> None:
    search = check.search
    rate = search.hypotheses / search.seconds if search.seconds else 0
    sheet.say(
        f"Searched {times(search.files, 'data file')}, {times(search.frames, 'table')} of results: "
        f"{search.hypotheses:,} formulas in {search.seconds:.1f} s ({rate:,.0f} a second)."
    )
    if search.untried:
        sheet.say(f"Not tried for want of time: {'; '.join(search.untried[:12])}")
    for problem in search.problems[:12]:
        sheet.say(problem)
    sheet.say(
        "--all lists every number; -o html=check.html shows them in their tables; --save DIR writes the formulas as a "
        "draft to seal."
    )
