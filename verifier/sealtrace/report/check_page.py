"""The check as a page: what is off, then every table as printed with each cell's formula, records and confidence."""

from __future__ import annotations

from sealtrace.contract.checked import Check, CheckBinding, CheckCell
from sealtrace.contract.details import DrawnRow, DrawnTable
from sealtrace.contract.report import Cell, CheckResult, Verdict
from sealtrace.report.check_text import chance
from sealtrace.report.findings import times
from sealtrace.report.html.data import from_cells
from sealtrace.report.html.page import Cause, Item, Page, Step, Tile
from sealtrace.report.html.page import render as render_page

TEXT = "Numbers of the text"
_VERDICTS: dict[str, tuple[Verdict, str, str]] = {
    "explained": ("verified", "All explained", "Formulas over the results give every number that is printed."),
    "off": (
        "findings",
        "{off} off",
        "The formulas that give the numbers beside them give other numbers there.",
    ),
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
    rules = {one.id: one for one in check.bindings}
    authors, reviewers = _steps(check)
    cells = [_cell(one) for one in check.cells]
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
            for_reviewers=reviewers,
            for_authors=authors,
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
            checks=[_rule(one) for one in check.bindings],
            limits=LIMITS,
            tables=[*from_cells(cells), *_text_table(check)],
            cells=[*cells, *(_text_cell(check, place) for place in range(len(check.text)))],
            fields=("Says", "Formula", "Confidence", "Records", "Printed at"),
            lineages=[
                *(_lineage(one, rules) for one in check.cells),
                *(
                    (
                        one.message or "",
                        one.by or "",
                        f"fits {chance(one.bits)}" if one.bits else "",
                        one.sentence,
                        f"{one.source}:{one.line}",
                    )
                    for one in check.text
                ),
            ],
            checks_title="Formulas that were found",
            notes=[
                *search.problems,
                *([f"Not tried for want of time: {'; '.join(search.untried)}"] if search.untried else []),
                *(one.message for one in (check.audit.left_out if check.audit is not None else ())),
            ],
        )
    )


def _cell(one: CheckCell) -> Cell:
    return Cell(
        table=one.table,
        row=one.row,
        column=one.column,
        reported=one.printed,
        recomputed=one.expected or (one.printed if one.status == "explained" else None),
        status=one.status,
        sentence=one.message or "",
        source=one.source,
        line=one.line,
        recipe=" ".join(one.bindings) or None,
    )


def _lineage(one: CheckCell, rules: dict[str, CheckBinding]) -> tuple[str, ...]:
    used = [rules[name] for name in one.bindings if name in rules]
    records = [f"{one.behind:,}{', the first of them' if one.behind > len(one.records) else ''}:", *one.records]
    return (
        one.message or "",
        "\n".join(f"{rule.id}: {rule.formula}" for rule in used),
        "\n".join(f"gives {rule.agrees} of {rule.numbers} numbers; fits {chance(rule.bits)}" for rule in used),
        "\n".join(records) if one.records else "",
        f"{one.source}:{one.line}",
    )


def _text_cell(check: Check, place: int) -> Cell:
    one = check.text[place]
    return Cell(
        table=TEXT,
        row=str(place + 1),
        column="Number",
        reported=one.printed,
        recomputed=one.expected,
        status=one.status,
        sentence=one.message or "",
        source=one.source,
        line=one.line,
    )


def _text_table(check: Check) -> list[DrawnTable]:
    """Numbers of the running text as a table, behind those of the paper."""
    rows = [
        DrawnRow(label=str(place + 1), cells=[str(place + 1), one.printed, f"{one.source}:{one.line}", one.sentence])
        for place, one in enumerate(check.text)
    ]
    return [DrawnTable(label=TEXT, columns=["No.", "Number", "Line", "Sentence"], rows=rows)] if rows else []


def _id(one: CheckBinding) -> str:
    """What the page calls a formula."""
    return f"{one.table}.{one.id}".replace(" ", "-")


def _rule(one: CheckBinding) -> CheckResult:
    """A formula as a line of the list of checks: it holds where every number is as it gives it."""
    others = (
        f"; {times(len(one.ambiguous), 'other formula')} give the same: {'; '.join(one.ambiguous)}"
        if one.ambiguous
        else ""
    )
    apart = f" (told apart by {one.apart})" if one.ambiguous and one.apart else ""
    return CheckResult(
        id=_id(one),
        title=f"{one.kind} {one.subject}: {one.formula}",
        status="pass" if one.agrees == one.numbers else "fail",
        reason=f"gives {one.agrees} of {one.numbers} numbers; fits {chance(one.bits)}{others}{apart}",
        inspected=one.numbers,
        unit="numbers",
        findings=one.numbers - one.agrees,
        seconds=0.0,
    )


def _causes(check: Check) -> list[Cause]:
    """Accidents, then cells and sentences that are off, then what the paper's own numbers contradict."""
    found: dict[tuple[str, str], list[Item]] = {}
    rules = {one.id: one for one in check.bindings}
    for one in check.accidents:
        item = Item(
            "error", one.kind, one.places[0] if one.places else "", one.message, [("places", "\n".join(one.places))]
        )
        found.setdefault((one.kind, f"Recognised: {one.kind.replace('-', ' ')}"), []).append(item)
    for cell in check.cells:
        if cell.status == "off":
            facts = [("printed", cell.printed), ("results", cell.expected or "")]
            rule = next((rules[name] for name in cell.bindings if name in rules), None)
            name, title = (
                (_id(rule), f"{rule.table}: {rule.kind} {rule.subject}") if rule else ("off", "Cells that are off")
            )
            item = Item(
                "error",
                name,
                f"{cell.source}:{cell.line}",
                cell.message or "The results give another number.",
                facts,
                [(cell.table, cell.row, cell.column)],
            )
            found.setdefault((name, title), []).append(item)
    for place, text in enumerate(check.text):
        if text.status == "off":
            facts = [("printed", text.printed), ("results", text.expected or ""), ("sentence", text.sentence)]
            item = Item(
                "error",
                "text",
                f"{text.source}:{text.line}",
                text.message or "The results give another number.",
                facts,
                [(TEXT, str(place + 1), "Number")],
            )
            found.setdefault(("text", "Sentences that are not what the results give"), []).append(item)
    causes = [Cause(name, title, items) for (name, title), items in found.items()]
    if check.audit is not None:
        from sealtrace.report.audit_html import causes_of

        causes += causes_of(check.audit)
    return causes


def _steps(check: Check) -> tuple[list[Step], list[Step]]:
    """What authors and what reviewers do next."""
    counts = check.counts
    off, open_ = counts.off + counts.text_off, counts.unexplained + counts.text_unexplained
    authors, reviewers = [], []
    if off:
        authors.append(
            Step(
                f"Correct {times(off, 'number')}",
                "Either the paper or the results are out of date; each finding says what the results give.",
            )
        )
        reviewers.append(
            Step(f"Ask about {times(off, 'number')}", "What stands beside follows from the results, this does not.")
        )
    if open_:
        authors.append(
            Step(
                f"Supply results for {times(open_, 'number')}",
                "Add the files that they come from, or write their recipe.",
            )
        )
        reviewers.append(
            Step(
                f"Ask where {times(open_, 'number')} {'comes' if open_ == 1 else 'come'} from",
                "No result that was released gives them; that is no error by itself.",
            )
        )
    authors.append(
        Step(
            "Accept the formulas and seal",
            "sealtrace check --save DIR writes them as recipes; a sealed bundle can be verified by anybody.",
        )
    )
    reviewers.append(
        Step(
            "Check that the formulas make sense",
            "Each is listed below with how sure it is, and with others that give the same.",
        )
    )
    return authors, reviewers
