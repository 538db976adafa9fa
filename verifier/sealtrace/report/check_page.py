"""The check as a page: what is off, then every table as printed with each cell's formula, records and confidence."""

from __future__ import annotations

from sealtrace.contract.checked import Check, CheckBinding, CheckCell, CheckText
from sealtrace.contract.details import DrawnRow, DrawnTable
from sealtrace.contract.report import Cell, CheckResult, Verdict
from sealtrace.report.audit_html import causes_of
from sealtrace.report.check_text import chance
from sealtrace.report.findings import times
from sealtrace.report.html.data import from_cells
from sealtrace.report.html.page import Address, Cause, Item, Page, Steps, Tile
from sealtrace.report.html.page import render as render_page

TEXT = "Numbers of the text"
Fact = tuple[str, str]
_VERDICTS: dict[str, tuple[Verdict, str, str]] = {
    "explained": ("verified", "All explained", "Formulas over the results give every number that is printed."),
    "off": ("findings", "{off} off", "The formulas that give the numbers beside them give other numbers there."),
    "unexplained": (
        "incomplete",
        "Nothing off, {unexplained} unexplained",
        "Nothing is off, but some numbers follow from no result that was found.",
    ),
}
LIMITS = [
    "That a formula is the one the authors used: it gives the same numbers, and is the simplest that was found.",
    "That unexplained numbers are wrong: their results may not be among the files, or need another formula.",
    "That the results come from the experiment: only sealed records and outside witnesses speak for that.",
]


def render(check: Check) -> str:
    """The whole page."""
    verdict, headline, lead = _VERDICTS[check.verdict]
    rules = {binding.id: binding for binding in check.bindings}
    cells = [_cell_of_table(cell) for cell in check.cells]
    of_text = [_cell((TEXT, str(number), "Number"), text, text.expected) for number, text in enumerate(check.text, 1)]
    counts, search = check.counts, check.search
    off, unexplained = counts.off + counts.text_off, counts.unexplained + counts.text_unexplained
    return render_page(
        Page(
            over=f"What the results in {check.results} say of",
            name=check.paper,
            tool=check.sealtrace,
            verdict=verdict,
            headline=headline.format(off=off or "Something", unexplained=unexplained),
            lead=lead,
            steps=_steps(check),
            tiles=[
                Tile(
                    "Cells explained",
                    f"{counts.explained:,} of {counts.cells:,}",
                    f"{counts.off} off, {counts.unexplained} unexplained",
                ),
                Tile(
                    "Numbers of the text",
                    f"{counts.text_explained:,} of {counts.text:,}",
                    f"{counts.text_off} off, {counts.text_unexplained} unexplained",
                ),
                Tile("Formulas tried", f"{search.hypotheses:,}", f"over {times(search.files, 'file')}"),
            ],
            causes=_causes(check),
            checks=[_rule(binding) for binding in check.bindings],
            limits=LIMITS,
            tables=[*from_cells(cells), *_text_table(check)],
            cells=[*cells, *of_text],
            fields=("Says", "Formula", "Confidence", "Records", "Printed at"),
            lineages=[*(_lineage(cell, rules) for cell in check.cells), *map(_lineage_of_text, check.text)],
            checks_title="Formulas that were found",
            notes=[
                *search.problems,
                *([f"Not tried for want of time: {'; '.join(search.untried)}"] if search.untried else []),
                *(problem.message for problem in (check.audit.left_out if check.audit is not None else ())),
            ],
        )
    )


def _cell(address: Address, number: CheckCell | CheckText, recomputed: str | None, recipe: str | None = None) -> Cell:
    table, row, column = address
    place = {"table": table, "row": row, "column": column, "source": number.source, "line": number.line}
    said = {
        "reported": number.printed,
        "recomputed": recomputed,
        "status": number.status,
        "sentence": number.message or "",
    }
    return Cell.model_validate({**place, **said, "recipe": recipe})


def _cell_of_table(cell: CheckCell) -> Cell:
    recomputed = cell.expected or (cell.printed if cell.status == "explained" else None)
    return _cell((cell.table, cell.row, cell.column), cell, recomputed, " ".join(cell.bindings) or None)


def _lineage(cell: CheckCell, rules: dict[str, CheckBinding]) -> tuple[str, ...]:
    used = [rules[name] for name in cell.bindings if name in rules]
    records = [f"{cell.behind:,}{', the first of them' if cell.behind > len(cell.records) else ''}:", *cell.records]
    return (
        cell.message or "",
        "\n".join(f"{rule.id}: {rule.formula}" for rule in used),
        "\n".join(f"gives {rule.agrees} of {rule.numbers} numbers; fits {chance(rule.bits)}" for rule in used),
        "\n".join(records) if cell.records else "",
        f"{cell.source}:{cell.line}",
    )


def _lineage_of_text(text: CheckText) -> tuple[str, ...]:
    sure = f"fits {chance(text.bits)}" if text.bits else ""
    return (text.message or "", text.by or "", sure, text.sentence, f"{text.source}:{text.line}")


def _text_table(check: Check) -> list[DrawnTable]:
    """Numbers of the running text as a table, behind those of the paper."""
    rows = [
        DrawnRow(
            label=str(place + 1), cells=[str(place + 1), text.printed, f"{text.source}:{text.line}", text.sentence]
        )
        for place, text in enumerate(check.text)
    ]
    return [DrawnTable(label=TEXT, columns=["No.", "Number", "Line", "Sentence"], rows=rows)] if rows else []


def _id(binding: CheckBinding) -> str:
    """What the page calls a formula."""
    return f"{binding.table}.{binding.id}".replace(" ", "-")


def _rule(binding: CheckBinding) -> CheckResult:
    """A formula as a line of the list of checks: it holds where every number is as it gives it."""
    others = ""
    if binding.ambiguous:
        others = f"; {times(len(binding.ambiguous), 'other formula')} give the same: {'; '.join(binding.ambiguous)}"
    apart = f" (told apart by {binding.apart})" if binding.ambiguous and binding.apart else ""
    return CheckResult(
        id=_id(binding),
        title=f"{binding.kind} {binding.subject}: {binding.formula}",
        status="pass" if binding.agrees == binding.numbers else "fail",
        reason=f"gives {binding.agrees} of {binding.numbers} numbers; fits {chance(binding.bits)}{others}{apart}",
        inspected=binding.numbers,
        unit="numbers",
        findings=binding.numbers - binding.agrees,
        seconds=0.0,
    )


def _causes(check: Check) -> list[Cause]:
    """Accidents, then cells and sentences that are off, then what the paper's own numbers contradict."""
    found: dict[tuple[str, str], list[Item]] = {}
    rules = {binding.id: binding for binding in check.bindings}

    def add(name: str, title: str, place: str, message: str | None, facts: list[Fact], cells: list[Address]) -> None:
        item = Item("error", name, place, message or "The results give another number.", facts, cells)
        found.setdefault((name, title), []).append(item)

    for accident in check.accidents:
        title, place = f"Recognised: {accident.kind.replace('-', ' ')}", accident.places[0] if accident.places else ""
        add(accident.kind, title, place, accident.message, [("places", "\n".join(accident.places))], [])
    for cell in check.cells:
        if cell.status == "off":
            rule = next((rules[name] for name in cell.bindings if name in rules), None)
            name = "off" if rule is None else _id(rule)
            title = "Cells that are off" if rule is None else f"{rule.table}: {rule.kind} {rule.subject}"
            place, facts = f"{cell.source}:{cell.line}", [("printed", cell.printed), ("results", cell.expected or "")]
            add(name, title, place, cell.message, facts, [(cell.table, cell.row, cell.column)])
    for number, text in enumerate(check.text, 1):
        if text.status == "off":
            facts = [("printed", text.printed), ("results", text.expected or ""), ("sentence", text.sentence)]
            title, place = "Sentences that are not what the results give", f"{text.source}:{text.line}"
            add("text", title, place, text.message, facts, [(TEXT, str(number), "Number")])
    causes = [Cause(name, title, items) for (name, title), items in found.items()]
    return causes if check.audit is None else causes + causes_of(check.audit)


def _steps(check: Check) -> Steps:
    steps, counts = Steps(), check.counts
    if off := counts.off + counts.text_off:
        told = times(off, "number")
        steps.add(
            (
                f"Correct {told}",
                "Either the paper or the results are out of date; each finding says what the results give.",
            ),
            (f"Ask about {told}", "What stands beside follows from the results, this does not."),
        )
    if unexplained := counts.unexplained + counts.text_unexplained:
        told, comes = times(unexplained, "number"), "comes" if unexplained == 1 else "come"
        steps.add(
            (f"Supply results for {told}", "Add the files that they come from, or write their recipe."),
            (f"Ask where {told} {comes} from", "No result that was released gives them; that is no error by itself."),
        )
    steps.add(
        (
            "Accept the formulas and seal",
            "sealtrace check --save DIR writes them as recipes; a sealed bundle can be verified by anybody.",
        ),
        (
            "Check that the formulas make sense",
            "Each is listed below with how sure it is, and with others that give the same.",
        ),
    )
    return steps
