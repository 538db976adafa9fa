"""The check for people: what is off first, then what nothing gives, then the rules that were found."""

from __future__ import annotations

from collections.abc import Iterator

from sealtrace.contract.checked import Check, CheckBinding
from sealtrace.report.findings import times
from sealtrace.report.formats import Paint, plain
from sealtrace.report.inert import harmless
from sealtrace.report.text import wrapped

SHOWN = 40
_COLOURS = {"off": "red", "unexplained": "yellow", "explained": "green"}


def render(check: Check, *, everything: bool = False, width: int = 80, paint: Paint = plain) -> str:
    """The whole check; with `everything`, every cell with its formula."""
    lines = [
        *_headline(check, width, paint),
        *_accidents(check, width, paint),
        *_off(check, width, paint),
        *_unexplained(check, width, paint, everything=everything),
        *_bindings(check, width, paint),
        *(_cells(check, width, paint) if everything else ()),
        *_audit(check, width, paint),
        "",
        *_search(check, width),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def chance(bits: float) -> str:
    """How unlikely it is that a formula fits by accident, in words."""
    if bits >= 30:
        return "by chance less than once in a billion"
    times_in = 2.0 ** max(bits, 0)
    return f"by chance once in {int(float(f'{times_in:.1g}')):,}"


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


def _headline(check: Check, width: int, paint: Paint) -> Iterator[str]:
    counts = check.counts
    off, unexplained = counts.off + counts.text_off, counts.unexplained + counts.text_unexplained
    words = {"off": f"{off or 'SOMETHING'} OFF", "unexplained": f"NOTHING OFF, {unexplained} UNEXPLAINED"}
    word = words.get(check.verdict, "ALL EXPLAINED")
    yield f"{paint(word, _COLOURS[check.verdict])}  {harmless(check.paper)} against {harmless(check.results)}"
    for line in counted(check):
        yield from wrapped(line, width, "", "  ")


def _accidents(check: Check, width: int, paint: Paint) -> Iterator[str]:
    for accident in check.accidents:
        yield ""
        yield paint(accident.kind, "red")
        yield from wrapped(f"{harmless(accident.message)} ({', '.join(map(harmless, accident.places))})", width, "  ")


def _off(check: Check, width: int, paint: Paint) -> Iterator[str]:
    cells = [one for one in check.cells if one.status == "off"]
    text = [one for one in check.text if one.status == "off"]
    if not cells and not text:
        return
    yield ""
    yield paint("Off", "red")
    for cell in cells[:SHOWN]:
        place = harmless(f"{cell.source}:{cell.line}  {cell.table}, {cell.column}")
        yield from wrapped(f"{place}: {harmless(cell.message or '')}", width, "  ")
    for one in text[:SHOWN]:
        yield from wrapped(f"{harmless(one.source)}:{one.line}: {harmless(one.message or one.printed)}", width, "  ")
    if len(cells) > SHOWN:
        yield f"  and {len(cells) - SHOWN} more"


def _unexplained(check: Check, width: int, paint: Paint, *, everything: bool) -> Iterator[str]:
    cells = [one for one in check.cells if one.status == "unexplained"]
    text = [one for one in check.text if one.status == "unexplained"]
    if not cells and not text:
        return
    limit = None if everything else 12
    yield ""
    yield paint("Unexplained", "yellow")
    for cell in cells[:limit]:
        place = f"{cell.source}:{cell.line}  {cell.table}, {cell.row}, {cell.column}: {cell.printed}"
        yield from wrapped(harmless(place), width, "  ")
    if limit is not None and len(cells) > limit:
        yield f"  and {times(len(cells) - limit, 'more cell')}"
    for one in text[:limit]:
        yield from wrapped(harmless(f"{one.source}:{one.line}  {one.printed} in: {one.sentence}"), width, "  ")
    if limit is not None and len(text) > limit:
        yield f"  and {times(len(text) - limit, 'more number')} of the text (--all lists them)"


def _bindings(check: Check, width: int, paint: Paint) -> Iterator[str]:
    if not check.bindings:
        return
    yield ""
    yield paint("Formulas found", "cyan")
    table = ""
    for binding in check.bindings:
        if binding.table != table:
            table = binding.table
            yield f"  {harmless(table)}"
        yield from _binding(binding, width)


def _binding(binding: CheckBinding, width: int) -> Iterator[str]:
    subject = harmless(binding.subject[:60])
    yield from wrapped(
        f"{binding.id}  {binding.kind} {subject}: {harmless(binding.formula)}  [gives {binding.agrees} of "
        f"{binding.numbers}, {chance(binding.bits)}]",
        width,
        "    ",
    )
    if binding.ambiguous:
        yield from wrapped(
            f"or: {harmless('; or: '.join(binding.ambiguous))} (told apart by {harmless(binding.apart or '')})",
            width,
            "        ",
        )


def _cells(check: Check, width: int, paint: Paint) -> Iterator[str]:
    yield ""
    yield paint("Every number", "cyan")
    for cell in check.cells:
        rules = " ".join(cell.bindings)
        records = f" from {', '.join(cell.records)}" if cell.records else ""
        text = f"{cell.table}, {cell.row}, {cell.column}: {cell.printed}  {cell.status} {rules}{records}"
        yield from wrapped(harmless(text), width, "  ")
    for said in check.text:
        by = f" {said.by}" if said.by else ""
        text = f"{said.source}:{said.line}, text: {said.printed}  {said.status}{by}"
        yield from wrapped(harmless(text), width, "  ")


def _audit(check: Check, width: int, paint: Paint) -> Iterator[str]:
    if check.audit is None:
        return
    from sealtrace.report.audit_text import counted as counted_relations

    yield ""
    yield paint("The paper's numbers against each other", "cyan")
    yield from wrapped(counted_relations(check.audit), width, "  ")
    for left in check.audit.left_out:
        yield from wrapped(harmless(left.message), width, "  ")
    for decision in check.audit.decisions:
        if decision.status == "contradiction":
            yield from wrapped(harmless(f"{decision.sentence} {decision.arithmetic or ''}"), width, "  ")


def _search(check: Check, width: int) -> Iterator[str]:
    search = check.search
    rate = search.hypotheses / search.seconds if search.seconds else 0
    yield from wrapped(
        f"Searched {times(search.files, 'data file')}, {times(search.frames, 'table')} of results: "
        f"{search.hypotheses:,} formulas in {search.seconds:.1f} s ({rate:,.0f} a second).",
        width,
        "",
    )
    if search.untried:
        yield from wrapped(f"Not tried for want of time: {harmless('; '.join(search.untried[:12]))}", width, "")
    for problem in search.problems[:12]:
        yield from wrapped(harmless(problem), width, "")
    yield from wrapped(
        "--all lists every number; -o html=check.html shows them in their tables; --save DIR writes the formulas as a "
        "draft to seal.",
        width,
    )
