"""The page of a result: the verdict, what to do about it, findings by cause, tables with lineages, and figures."""

from __future__ import annotations

from collections.abc import Iterable

from sealtrace.contract.details import Details, DrawnRow, DrawnTable, StageLink
from sealtrace.contract.result import (
    NOT_SEALED,
    CheckResult,
    ClaimResult,
    Finding,
    FormulaResult,
    NumberResult,
    Result,
    Verdict,
)
from sealtrace.report.claims import known_of
from sealtrace.report.findings import (
    SPOKEN,
    by_cause,
    claim_of,
    claims_by_id,
    finding_lines,
    key_text,
    number_of,
    times,
    undecided_by_cause,
)
from sealtrace.report.html.page import CHECK_WORDS, Cause, Item, Steps, Tile
from sealtrace.report.html.plots import Figure, drawn
from sealtrace.report.numbers import counted_claims, headline, introduction, share_checked
from sealtrace.report.text import fit_in_words

TEXT = "Numbers of the text"
_OVER = {
    "verify": "What the records say of",
    "check": "What the results in {} say of",
    "audit": "What the printed numbers say of each other in",
    "diff": "Printed beside recomputed in",
}
_LEADS = {
    ("verify", "verified"): "Everything was there, and everything that was checked holds.",
    ("verify", "findings"): "Something in this bundle contradicts its records, its protocol or its seals.",
    ("verify", "incomplete"): "Nothing is wrong so far, but not everything could be decided.",
    ("verify", "waived"): "No error is left but those that the reader's settings waive. They are listed, and not "
    "settled.",
    ("check", "verified"): "Formulas over the results give every number that is printed.",
    ("check", "findings"): "Some numbers are not what the results give, or cannot all be true.",
    ("check", "incomplete"): "Nothing differs for certain, but some numbers follow from no result that was found.",
    ("audit", "findings"): "Numbers that the paper prints cannot all be true together.",
    ("audit", "incomplete"): "Nothing is proved wrong so far, but not everything could be decided.",
    ("audit", "nothing-found"): "No relation that the paper states is broken.",
}
_LIMITS = {
    "verify": [
        "That the records come from the experiment: consistent records that somebody made up pass as well.",
        "That choices were made before the results were seen: the protocol may have been written afterwards.",
        "That a metric is the right one: each cell shows its formula, and whether that is what the paper should "
        "report is for readers to judge.",
    ],
    "check": [
        "That a formula is the one the authors used: it gives the same numbers, and is the simplest that was found.",
        "That open numbers are wrong: their results may not be among the files, or need another formula.",
        "That the results come from the experiment: only sealed records and outside witnesses speak for that.",
    ],
    "audit": [
        "That the numbers are right: an audit sees only numbers that disagree with one another. Wrong numbers that "
        "agree pass.",
        "That numbers without a relation are right: they are open.",
        "That a suspicion is an error: a sentence was read by rule, or what holds in the other rows is broken in one.",
    ],
}
_AT_HAND = "table.reported"
FIELDS = ("Says", "Formula", "Confidence", "Population", "Recipe", "Records", "Sentence", "Printed at",
          "Not stated in the paper")  # fmt: skip
MOST_NOTES = 200


class Page:
    """Everything that the page of a result shows, as its template asks for it."""

    def __init__(self, result: Result) -> None:
        self.result, details = result, result.details or Details()
        self.causes = _causes(result)
        self.over = _OVER[result.command].format(result.subject.results)
        self.name = result.subject.name or "unnamed bundle"
        self.about = introduction(result)
        self.verdict: Verdict = "verified" if result.verdict == "nothing-found" else result.verdict
        self.headline = result.as_draft(headline(result))
        self.lead = _lead(result)
        self.steps, self.tiles, self.limits = _steps(result, self.causes), _tiles(result), _limits(result)
        self.numbers = [_placed(one) for one in result.numbers]
        drawn_before = {table.label for table in details.tables}
        inside = [one for one in result.numbers if one.table and one.table not in drawn_before]
        self.tables = [*details.tables, *_from_cells(inside), *_text_table(result)]
        self.lineages = [_lineage(result, one) for one in result.numbers]
        """Cell by cell a text for each of `FIELDS`; lines are items of a list."""
        explained = {"verify": "BUNDLE", "audit": "PAPER"}.get(result.command)
        self.command = f"sealtrace explain {explained} '{{}}'" if explained else ""
        self.formulas = _by_table(one for one in result.formulas if one.bits is not None)
        """Formulas that were found, by table."""
        self.computed = _by_table(one for one in result.formulas if one.bits is None)
        """What recipes compute, by table."""
        self.stages = stage_chain(details.stages) if details.stages else None
        self.figures = drawn(details.plots)
        self.notes = [f"{one.what}: {one.why}" for one in result.not_looked_at][:MOST_NOTES]
        counted = sum(check.findings for check in result.checks) if result.command == "verify" else 0
        self.unlisted = max(0, counted - len(result.findings))
        self.contradictions = [(one.says, _nearest(one)) for one in result.claims if one.grade == "contradiction"]
        """What cannot hold among printed numbers, and the number that would have to move least."""

    @property
    def items(self) -> list[Item]:
        """Every finding, in the order in which the page numbers them."""
        return [item for cause in self.causes for group in (cause, *cause.consequences) for item in group.items]


def _lead(result: Result) -> str:
    lead = _LEADS.get((result.command, result.headline), "")
    if result.command == "verify" and {check.id for check in result.checks if check.status == "fail"} == {_AT_HAND}:
        lead = "The paper at hand prints something else than this bundle has. Nothing else is wrong."
    if result.command == "audit":
        lead = f"{lead} {share_checked(result)}."
    return f"{NOT_SEALED[0].upper()}{NOT_SEALED[1:]}. {lead}" if result.draft else lead


def _nearest(claim: ClaimResult) -> str | None:
    """The number of a relation that would have to move least, or its first."""
    near = [one.number for one in claim.numbers if one.id == claim.nearest]
    return next(iter([*near, *(one.number for one in claim.numbers)]), None)


def _by_table(formulas: Iterable[FormulaResult]) -> dict[str, list[FormulaResult]]:
    found: dict[str, list[FormulaResult]] = {}
    for one in formulas:
        found.setdefault(one.table, []).append(one)
    return found


def _placed(one: NumberResult) -> NumberResult:
    """A number of the running text as a row of its own table, behind those of the paper."""
    return one if one.table else one.model_copy(update={"table": TEXT, "row": one.id, "column": "Number"})


def _from_cells(cells: list[NumberResult]) -> list[DrawnTable]:
    """Tables of which only the cells are known: rows and columns as they first appear."""
    members: dict[str, list[NumberResult]] = {}
    for cell in cells:
        members.setdefault(cell.table or "", []).append(cell)
    tables = []
    for label, inside in members.items():
        columns = list(dict.fromkeys(cell.column or "" for cell in inside))
        texts: dict[str, dict[str, str]] = {}
        for cell in inside:
            texts.setdefault(cell.row or "", {})[cell.column or ""] = cell.printed
        rows = [
            DrawnRow(label=row, cells=[printed.get(column, "") for column in columns]) for row, printed in texts.items()
        ]
        tables.append(DrawnTable(label=label, columns=columns, rows=rows))
    return tables


def _text_table(result: Result) -> list[DrawnTable]:
    rows = [
        DrawnRow(label=one.id, cells=[one.id, one.printed, one.place, one.sentence or ""])
        for one in result.numbers
        if one.table is None
    ]
    return [DrawnTable(label=TEXT, columns=["Id", "Number", "Line", "Sentence"], rows=rows)] if rows else []


def _lineage(result: Result, one: NumberResult) -> tuple[str, ...]:
    records = [f"{one.count:,}{', the first of them' if one.count > len(one.records) else ''}:", *one.records]
    used = [formula for formula in result.formulas if formula.id in one.formulas and formula.bits is not None]
    sure = [f"{formula.id} {fit_in_words(formula)}" for formula in used]
    sure += [f"odds {one.odds:,.0f} : 1"] if one.odds is not None else []
    return (
        one.said,
        one.formula or "",
        "\n".join(sure),
        one.population or "",
        one.recipe or "",
        "\n".join(records) if one.count else "",
        one.sentence or "",
        one.place,
        "\n".join(one.undisclosed),
    )


def _causes(result: Result) -> list[Cause]:
    """Errors by the check that explains them; then warnings and notes, by check."""
    claims = claims_by_id(result)
    items: dict[str, list[Item]] = {}

    def item(finding: Finding) -> Item:
        place = finding_lines(finding)[0].partition("  ")[0]
        claim = claim_of(finding, claims)
        if claim is not None:
            known = [(name, "\n".join(lines)) for name, lines in known_of(claim).items()]
            cells = list(dict.fromkeys(number.number for number in claim.numbers))
            return Item(finding.severity, finding.check, place, claim.says, known, cells)
        # Of a printed number the sentence says both numbers.
        spoken = finding.check in SPOKEN
        facts = (
            ("record", key_text(finding.key)),
            ("field", None if spoken else finding.field),
            ("expected", None if spoken else finding.expected),
            ("found", None if spoken else finding.found),
            ("waived", finding.waived),
        )
        kept = [(name, text) for name, text in facts if text is not None and (text or name in ("expected", "found"))]
        number = number_of(finding)
        return Item(finding.severity, finding.check, place, finding.message, kept, [number] if number else [])

    for finding in result.findings:
        # What automatic families could not decide is no finding that a reader waits for.
        if finding.severity != "note" or claim_of(finding, claims) is None:
            items.setdefault(finding.check, []).append(item(finding))
    waiting, _ = undecided_by_cause(result)

    def of(check: CheckResult, others: list[CheckResult]) -> Cause:
        undecided = waiting.get(check.id, [])
        return Cause(check.id, check.title, items.get(check.id, []), [of(other, []) for other in others], undecided)

    found = [of(check, others) for check, others in by_cause(result)]
    failed = {check.id for check in result.checks if check.status == "fail"}
    rest = [of(check, []) for check in result.checks if check.id in items and check.id not in failed]
    known = {check.id for check in result.checks}
    rest += [Cause(check, check, members) for check, members in items.items() if check not in known]
    return found + sorted(rest, key=lambda group: all(item.severity == "note" for item in group.items))


def _steps(result: Result, causes: list[Cause]) -> Steps:
    """Causes, then what is missing, was skipped, only warned of, or open."""
    steps = Steps()
    failed = {check.id: check for check in result.checks if check.status == "fail"}
    for cause in causes:
        if cause.check not in failed:
            continue
        errors = [item for item in cause.items if item.severity == "error"]
        files = list(dict.fromkeys(item.place for item in errors))
        where = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
        said = _sentence(errors[0].message if errors else f"{cause.title} does not hold")
        follows, found = _follows(cause), times(len(errors) or failed[cause.check].findings, "finding")
        steps.add(
            (f"Correct {cause.check}: {found}", f"{said}{follows}"),
            (f"Ask about {cause.check}: {found}", f"“{cause.title}” does not hold.{follows}"),
            cause.check,
            where or None,
        )
    for reason, ids in undecided_by_cause(result)[1]:
        listed = ", ".join(ids[:4]) + (f" and {len(ids) - 4} more" if len(ids) > 4 else "")
        steps.add(
            ("Supply what is missing", f"{_sentence(reason)} Undecided: {listed}."),
            ("Ask for what is missing", f"{_sentence(reason)} Without it {listed} cannot be decided."),
        )
    if skipped := sum(check.status == "skipped" for check in result.checks):
        for_both = ("Run the skipped checks", f"{times(skipped, 'check')} were not asked for.")
        steps.add(for_both, for_both)
    if warned := [cause.check for cause in causes for item in cause.items if item.severity == "warning"]:
        why = f"{times(len(warned), 'warning')} left the verdict as it is; with --strict a warning counts as an error."
        steps.add(("Look at the warnings", why), ("Read the warnings", why), warned[0])
    _next(steps, result, bool(failed))
    steps.add(None, ("Read what this does not prove", "The list below holds whatever the verdict."))
    return steps


def _next(steps: Steps, result: Result, failed: bool) -> None:
    """What the command leads to."""
    if result.command == "verify" and failed:
        why = "Run sealtrace seal, then sealtrace verify, on the corrected bundle."
        steps.add(("Seal and verify again", why), None)
    elif result.command == "verify" and result.verdict == "verified":
        steps.add(
            ("Print the root digest in the paper", "With it, readers can tell that they hold this bundle."),
            ("Compare the root digest", "If the paper prints one, it must be this: sealtrace verify --expect-root."),
        )
    elif result.command == "check":
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
    elif result.command == "audit":
        steps.add(
            (
                "State more relations",
                "A relations file beside the paper says what must hold; sealtrace audit --suggest proposes some.",
            ),
            ("Ask for the records", "Only records show that a number is right: sealtrace check PAPER RESULTS."),
        )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def _follows(cause: Cause) -> str:
    """What one cause may explain, counted."""
    parts = []
    if cause.consequences:
        count = sum(len(consequence.items) for consequence in cause.consequences)
        parts.append(f"{times(count, 'other finding')} of {times(len(cause.consequences), 'check')} may follow from it")
    if cause.undecided:
        parts.append(f"{times(len(cause.undecided), 'check')} cannot be decided before it is corrected")
    text = " and ".join(parts)
    return f" {_sentence(text)}" if text else ""


def _limits(result: Result) -> list[str]:
    """What the verdict does not prove: always, and of this bundle or paper."""
    statuses, chain = result.coverage.statuses, result.summary.chain
    sealed = result.command in ("verify", "diff")
    attested, constrained = (statuses.get(status, 0) if sealed else 0 for status in ("attested", "constrained"))
    off = sum(check.status == "not-applicable" for check in result.checks)
    withheld = sum(tree.leaves - tree.seen for tree in result.summary.disclosed)
    of_this = (
        (
            chain.stages and not chain.signatures + chain.timestamps,
            "When anything was sealed: nobody outside saw a stage, so the order is the authors’ word.",
        ),
        (attested, f"{times(attested, 'number')} that nothing checks: they are counted as attested."),
        (
            constrained,
            f"{times(constrained, 'number')} without records: their relations hold, which many numbers would do.",
        ),
        (off, f"What {times(off, 'check')} would say that do not apply here; each states its reason under checks."),
        (withheld, f"{times(withheld, 'row')} that the bundle withholds and nobody disclosed."),
    )
    assumed = [f"Assumed, not verified: {assumption}" for assumption in result.summary.assumed]
    return [*_LIMITS.get(result.command, _LIMITS["verify"]), *(said for so, said in of_this if so), *assumed]


def _tiles(result: Result) -> list[Tile]:
    """The figures that the paper's appendix asks a verification to print, and how the numbers came out."""
    summary, coverage = result.summary, result.coverage
    found = [_checks_tile(result)] if result.command == "verify" else []
    if result.command != "audit":
        followed = coverage.words["follows"]
        others = [f"{count} {word}" for word, count in coverage.words.items() if count and word != "follows"]
        value = f"{followed:,} of {coverage.numbers:,}" if coverage.numbers else "none"
        found.append(
            Tile("Numbers that follow", value, ", ".join(others) or "no number reported" * (not value[0].isdigit()))
        )
    else:
        checked = coverage.numbers - coverage.statuses.get("unrelated", 0)
        found.append(Tile("Numbers checked", f"{checked:,} of {coverage.numbers:,}",
                          "by a relation that a wrong number could break"))  # fmt: skip
    if result.claims:
        found.append(Tile("Relations", f"{len(result.claims):,}", counted_claims(result)))
    if (agreement := summary.threshold_agreement) is not None:
        same = agreement.agree == agreement.total
        agreeing = f"all {agreement.total:,}" if same else f"{agreement.agree:,} of {agreement.total:,}"
        found.append(Tile("Crossings that agree", agreeing, "decided exactly"))
    if (worst := summary.max_discrepancy) is not None:
        found.append(Tile("Largest difference", f"{worst.value:.1e}", f"tolerance {summary.tolerance}"))
    if summary.traces:
        found.append(Tile("Traces", f"{summary.traces:,}", f"{summary.states:,} states, {summary.policies:,} policies"))
    elif summary.inspected:
        found.append(Tile("Records", summary.inspected[0], "; ".join(summary.inspected[1:])))
    if (chain := summary.chain).stages:
        seen = chain.signatures + chain.timestamps
        note = (
            f"{times(chain.signatures, 'signature')}, {times(chain.timestamps, 'outside timestamp')}"
            if seen
            else "no signature or timestamp: the order is the authors’ word"
        )
        found.append(Tile("Stages sealed", f"{chain.seals} of {chain.stages}", note))
    return found


def _checks_tile(result: Result) -> Tile:
    counts = {status: sum(check.status == status for check in result.checks) for status in CHECK_WORDS}
    applicable = len(result.checks) - counts["not-applicable"]
    others = [
        f"{counts[name]} {word}" for name, word in CHECK_WORDS.items() if counts[name] and name not in ("pass", "fail")
    ]
    fail = [f"{counts['fail']} fail"] if counts["fail"] else []
    return Tile("Checks that hold", f"{counts['pass']} of {applicable}", ", ".join([*fail, *others]))


_CHAIN = ("Stage", "Link", "Files", "Bytes", "Kinds", "Seen from outside by", "Digest of the seal")


def stage_chain(stages: list[StageLink]) -> Figure:
    """A row for each stage; what is broken or not sealed is said above it."""
    rows = []
    for place, stage in enumerate(stages):
        kinds = ", ".join(f"{number} {kind}" for kind, number in stage.kinds.items()) or stage.empty_reason or ""
        witnesses = "; ".join(stage.witnesses) or "nobody: its time is the authors’ word"
        link = "–" if not stage.sealed else "✗ broken" if not stage.linked else "✓ holds" if place else "first"
        digest = stage.digest or "not sealed"
        rows.append([stage.stage, link, str(stage.files), f"{stage.bytes:,}", kinds, witnesses, digest])
    broken = [link.stage for link in stages if link.sealed and not link.linked]
    absent = [link.stage for link in stages if not link.sealed]
    said = f"{len(stages) - len(absent)} of {len(stages)} stages are sealed"
    said += f". The chain is broken before {', '.join(broken)}." if broken else ". No link is broken."
    said += f" Not sealed: {', '.join(absent)}." if absent else ""
    caption = "Each seal names the digest of the one before it, so a later stage commits to all earlier ones."
    return Figure(title="Stage chain", caption=f"{said} {caption}", pictures=[], columns=list(_CHAIN), rows=rows)
