"""The result for people: the verdict, then what is wrong by cause, then numbers that need a look, then the figures.

Of a check the first screen has the verdict, what differs, tables with counts, and what was not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sealtrace.contract.result import (
    NOT_SEALED,
    UNDECIDED,
    Chain,
    ClaimResult,
    Disclosed,
    Finding,
    FormulaResult,
    NumberResult,
    Result,
)
from sealtrace.report.claims import BROKEN, SOURCES, bare, is_owed, known_of, place_text
from sealtrace.report.findings import (
    by_cause,
    claim_of,
    claims_by_id,
    finding_lines,
    missing_by_reason,
    number_of,
    times,
    turned_off,
)
from sealtrace.report.formats import Paint, plain
from sealtrace.report.inert import harmless
from sealtrace.report.numbers import (
    begin_of,
    counted_claims,
    followed,
    headline,
    in_order,
    introduction,
    numbers_in_words,
    share_checked,
    tally,
)
from sealtrace.report.sheet import TextSheet

SAID = ("counted_checks", "disclosed_in_words", "evidence_of", "formula_in_words", "subject_of",
        "tables_in_words", "witnesses_of")  # fmt: skip
"""What other formats say in the same words."""
SHOWN, DIFFERING = 3, 40
"""How many places of one check are printed, unless everything is: of a bundle, and of a paper."""
CLAIMS, UNDECIDED_CLAIMS = 200, 20
OPEN = 3
"""How many numbers of a table are listed that nothing decides; a draft lists what its author has still to say."""
LONGEST_RECIPE = 320
"""How many letters of a recipe in words are printed, unless everything is."""
PASSED = 12
"""Most reasons listed for what was not looked at."""

_COLOURS = {"verified": "green", "nothing-found": "green", "findings": "red", "incomplete": "yellow"}
_WORD_COLOURS = {"follows": "green", "given": "green", "open": "yellow", "differs": "red", "contradicts": "red"}


def render(
    result: Result, *, everything: bool = False, width: int = 80, paint: Paint = plain, beside: Sequence[str] = ()
) -> str:
    """The whole result; `everything` unfolds its lists. Where files `beside` have it, a summary is enough."""
    sheet = TextSheet(width, paint)
    claims = claims_by_id(result)
    own = [finding for finding in result.findings if claim_of(finding, claims) is None]
    _headline(sheet, result, everything)
    if beside and not everything:
        _summary(sheet, result, own)
        sheet.gap()
        sheet.say(f"The whole report is in {' and in '.join(beside)}; --format text prints it here, too.")
        return str(sheet)
    _failures(sheet, result, own, everything)
    for grade in BROKEN:
        _claims(sheet, result, grade, "red" if grade == "contradiction" else "yellow", CLAIMS)
    _claims(sheet, result, "refused", "yellow", CLAIMS)
    if result.command != "check":
        _undecided(sheet, result, everything)
    limit = len(own) if everything else SHOWN if result.command == "verify" else DIFFERING
    for severity, colour in (("warning", "yellow"), ("note", "cyan")):
        if findings := [finding for finding in own if finding.severity == severity]:
            sheet.gap()
            sheet.line(f"{paint(severity, colour)}: {times(len(findings), 'finding')}")
            _findings(sheet, findings[:limit], len(findings))
    if result.command == "check":
        # The first screen ends with what the verdict rests on; what is open in detail comes after it.
        _counted_tables(sheet, result)
        _passed_over(sheet, result, everything)
        _undecided(sheet, result, everything)
    if result.command in ("check", "diff") or result.draft:
        _tables(sheet, result, everything)
    for reason, ids in missing_by_reason(result):
        sheet.gap()
        sheet.titled("missing", "yellow", f": {reason}")
        sheet.say(", ".join(ids), "  ")
    if skipped := sum(check.status == "skipped" for check in result.checks):
        sheet.gap()
        sheet.line(f"{paint('skipped', 'yellow')}: {times(skipped, 'check')} not asked for")
    if result.command == "check":
        _formulas(sheet, result)
    if everything:
        _claims(sheet, result, "holds", "green", len(result.claims))
    _suggestions(sheet, result)
    if result.command != "check":
        _passed_over(sheet, result, everything)
    sheet.gap()
    _figures(sheet, result, everything)
    return str(sheet).rstrip("\n") + "\n"


def _summary(sheet: TextSheet, result: Result, own: list[Finding]) -> None:
    """What is wrong, in a few lines each; what is only doubtful is counted."""
    _failures(sheet, result, own, everything=False)
    for grade in ("contradiction", "suspicion"):
        found = [claim for claim in result.claims if claim.grade == grade]
        if found:
            sheet.gap()
            sheet.line(f"{sheet.paint(grade, 'red')}: {len(found)}")
        for claim in found[:DIFFERING]:
            place = place_text(claim.numbers[0]) if claim.numbers else claim.place or ""
            sheet.say(f"{place}: {(claim.arithmetic or [claim.says])[0]}", "  ", "    ")
        sheet.more(len(found) - DIFFERING)
    if result.command == "check":
        _counted_tables(sheet, result)
    if doubted := [finding for finding in own if finding.severity != "error"]:
        counts = Counter(finding.severity for finding in doubted)
        sheet.gap()
        sheet.say(", ".join(times(count, severity) for severity, count in sorted(counts.items(), reverse=True)))


def subject_of(result: Result) -> str:
    """What was looked at, in a few words."""
    against = f" against {result.subject.results}" if result.subject.results else ""
    return f"{result.subject.name or 'unnamed bundle'}{against}"


def _headline(sheet: TextSheet, result: Result, everything: bool) -> None:
    doubted = result.verdict == "verified" and result.command == "verify" and result.warnings
    word = headline(result)
    capitals, _, rest = word.partition(" with ") if result.command == "verify" else (word, "", "")
    word = capitals.upper() + (f" with {rest}" if rest else "")
    word = result.as_draft(word).replace("Draft", "DRAFT", 1)
    suspected = result.verdict == "nothing-found" and result.warnings
    colour = "yellow" if doubted or suspected else _COLOURS[result.verdict]
    sheet.titled(word, colour, f"  {subject_of(result)}")
    for line in introduction(result):
        sheet.say(line)
    if result.draft:
        sheet.line(NOT_SEALED)
    elif result.subject.root_sha256:
        sheet.line(f"root {result.subject.root_sha256}")
    if result.waived:
        sheet.line(f"{times(result.waived, 'finding')} waived by the reader's settings, and not settled")
    if result.command == "verify":
        off = any(check.status == "not-applicable" for check in result.checks)
        sheet.line(f"{counted_checks(result)}{' (--all says why)' if off and not everything else ''}")
    else:
        for name, said in numbers_in_words(result) if result.command != "audit" else ():
            sheet.say(f"{name.lower()} {said}", "", "  ")
    if result.command == "check" and "not read" in result.summary.inspected[0]:
        sheet.say(f"read {result.summary.inspected[0]}", "", "  ")
    if result.claims or result.command == "audit":
        sheet.say(counted_claims(result))
    if result.command == "audit":
        sheet.say(share_checked(result))


STATUS_WORDS = {
    "pass": ("holds", "hold"),
    "fail": ("fails", "fail"),
    "missing": ("cannot be decided", "cannot be decided"),
    "skipped": ("was skipped", "were skipped"),
    "not-applicable": ("does not apply", "do not apply"),
}
"""What became of one check, and of several."""


def counted_checks(result: Result) -> str:
    """How many checks came out how, in words."""
    statuses: Counter[str] = Counter(check.status for check in result.checks)
    told = [f"{statuses[status]} {words[statuses[status] != 1]}" for status, words in STATUS_WORDS.items()
            if statuses[status]]  # fmt: skip
    if not told:
        return "no check was run"
    count, _, rest = told[0].partition(" ")
    return ", ".join([f"{times(int(count), 'check')} {rest}", *told[1:]])


def _failures(sheet: TextSheet, result: Result, own: list[Finding], everything: bool) -> None:
    """Failed checks, each with those that may follow; what claims say stands below, claim by claim."""
    limit = len(own) if everything else SHOWN if result.command == "verify" else DIFFERING
    for check, consequences in by_cause(result):
        errors = [finding for finding in own if finding.check == check.id and finding.severity == "error"]
        if not errors and any(finding.check == check.id for finding in result.findings):
            continue
        sheet.gap()
        found = f"{times(check.findings, 'finding')} in {check.inspected} {check.unit}"
        sheet.line(f"{sheet.paint(check.id, 'red')}: {found}")
        sheet.say(check.title, "  ")
        doubted = sum(finding.check == check.id for finding in own) - len(errors)  # these stand below
        _findings(sheet, errors[:limit], check.findings - doubted)
        for other in consequences:
            told = f"{times(other.findings, 'finding')}{'' if everything else ', which --all lists'}"
            sheet.line(f"  and so: {sheet.paint(other.id, 'red')} ({told})")
            if everything:
                following = [finding for finding in own if finding.check == other.id and finding.severity == "error"]
                _findings(sheet, following, other.findings)


def _findings(sheet: TextSheet, shown: list[Finding], total: int) -> None:
    for place, message, *values in map(finding_lines, shown):
        sheet.say(place, "  ", "    ")
        sheet.say(message, "    ")
        for value in values:
            sheet.say(value, "    ", "      ")
    sheet.more(total - len(shown))


def _claims(sheet: TextSheet, result: Result, grade: str, colour: str, limit: int) -> None:
    """Relations of one grade: what is proved, and what is only suspected, are never mixed."""
    found = [claim for claim in result.claims if claim.grade == grade]
    above: ClaimResult | None = None
    for claim in found[:limit]:
        _claim(sheet, claim, colour, above=above)
        above = claim
    if len(found) > limit:
        sheet.gap()
        sheet.line(f"... and {times(len(found) - limit, f'more {grade}')} (--format json lists them)")


def _claim(
    sheet: TextSheet, claim: ClaimResult, colour: str, *, whole: bool = False, above: ClaimResult | None = None
) -> None:
    """One relation; where it rests on the same words as the one above, only what differs from that."""
    sheet.gap()
    known = known_of(claim)
    said = known_of(above) if above and above.quote == claim.quote else {}
    if is_owed(claim):
        sheet.titled(claim.grade, colour, f": {claim.id}{'  [group]' if claim.family == 'group' else ''}", "  ")
        if not above or not said or above.says != claim.says:
            sheet.say(claim.says, "  ")
    else:
        # What nobody named is called by what it says.
        sheet.titled(claim.grade, colour, f": {claim.says}  [{claim.family}]", "  ")
    repeated = [name for name in known if said.get(name) == known[name] and name != "refused"]
    for name in known if whole or claim.grade != "holds" else SOURCES:
        for number, line in enumerate(known.get(name, ()) if name not in repeated else ()):
            sheet.say(line, f"  {name if number == 0 else '':<11} ", " " * 16)
    if repeated:
        sheet.say(", ".join(repeated), "  as above    ", " " * 16)


def render_number(result: Result, wanted: str, width: int = 80) -> tuple[str | None, int]:
    """What an audit says of one number, by its id or by `file:line`; and 1 where a contradiction speaks of it."""
    wanted = " ".join(wanted.split())
    spoken = [(claim, number) for claim in result.claims for number in claim.numbers
              if wanted in (number.number, bare(number.id), f"{number.source}:{number.line}")]  # fmt: skip
    if not spoken:
        return None, 2
    sheet = TextSheet(width)
    for line in dict.fromkeys(f"{number.printed}  {place_text(number)}" for _, number in spoken):
        sheet.line(harmless(line))
    about = list({claim.id: claim for claim, _ in spoken}.values())
    for claim in about:
        _claim(sheet, claim, "cyan", whole=True)
    return str(sheet), int("contradiction" in {claim.grade for claim in about})


def _undecided(sheet: TextSheet, result: Result, everything: bool) -> None:
    found = [claim for claim in result.claims if claim.grade == "undecided"]
    shown = found if everything else [claim for claim in found if is_owed(claim)][:UNDECIDED_CLAIMS]
    for claim in shown:
        _claim(sheet, claim, "yellow")
    if len(found) > len(shown):
        sheet.gap()
        more = times(len(found) - len(shown), "other relation" if shown else "automatic relation")
        sheet.line(f"{sheet.paint('undecided', 'yellow')}: {more} (--all lists them)")


def _counted_tables(sheet: TextSheet, result: Result) -> None:
    """A line for each table: how many of its numbers follow."""
    sheet.gap()
    for table, members in in_order(result.numbers).items():
        sheet.titled(table, "cyan", f"  {begin_of(members)}  {followed(members)}", "  ")


def _tables(sheet: TextSheet, result: Result, everything: bool) -> None:
    """A block for each table: how many numbers have which word, then those that need a look."""
    counted = result.command == "check"
    told = {number_of(finding) for finding in result.findings if finding.severity == "error" or counted}
    if not counted:
        sheet.gap()
    for table, members in in_order(result.numbers).items():
        wanted = members if everything else [one for one in members if not one.settled]
        if counted and (everything or any(one.id not in told for one in wanted)):
            sheet.gap()
            sheet.titled(table, "cyan", "", "  ")
        elif not counted:
            sheet.titled(table, "cyan", f"  {begin_of(members)}  {tally(members)}", "  ")
        listed: Counter[str] = Counter()
        limit = DIFFERING if result.draft else OPEN
        for one in wanted:
            listed[one.status] += 1
            said = one.id in told and not everything
            if not said and (everything or one.status not in UNDECIDED or listed[one.status] <= limit):
                _number(sheet, one)
        for status in UNDECIDED if not everything else ():
            sheet.more(listed[status] - limit, f"more {status}")


def _number(sheet: TextSheet, one: NumberResult) -> None:
    line = f"  line {one.line}" if one.line else ""
    waived = ", waived" if one.waived else ""
    name = f"{one.row}, {one.column}" if one.table else one.printed
    sheet.titled(f"  {one.word}", _WORD_COLOURS[one.word], f" ({one.status}{waived})  {name}{line}", "    ")
    given = f"   given {one.given}" if one.given else ""
    sheet.say(f"printed {one.printed}{given}", "    ", "      ")
    for said in (one.said, one.sentence, one.formula if one.word == "follows" else None):
        if said:
            sheet.say(said, "    ")


def _formulas(sheet: TextSheet, result: Result) -> None:
    if result.formulas:
        sheet.gap()
        sheet.line(sheet.paint("Formulas found", "cyan"))
    table = None
    for formula in result.formulas:
        if formula.table != table:
            table = formula.table
            sheet.line(f"  {harmless(table)}")
        sheet.say(f"{formula.id}  {formula.kind} {formula_in_words(formula)}", "    ")
        if formula.ambiguous:
            sheet.say(f"or: {'; or: '.join(formula.ambiguous)} (told apart by {formula.apart or ''})", "        ")


def formula_in_words(formula: FormulaResult) -> str:
    """What some numbers are; of a formula that was found, how sure that is."""
    if formula.bits is None:
        return f"{formula.table}[{formula.subject}]: {formula.formula}"
    return f"{formula.subject[:60]}: {formula.formula}  [{fit_in_words(formula)}]"


def fit_in_words(formula: FormulaResult) -> str:
    """How many numbers a formula that was found gives, and how unlikely that is by accident."""
    bits = formula.bits or 0
    if not formula.agrees:
        return "what labels name; gives none of them"
    rare = "less than once in a billion" if bits >= 30 else f"once in {int(float(f'{2.0 ** max(bits, 0):.1g}')):,}"
    return f"gives {formula.agrees} of {formula.numbers}, by chance {rare}"


def _suggestions(sheet: TextSheet, result: Result) -> None:
    found = [claim for claim in result.claims if claim.grade == "suggestion"]
    if found:
        sheet.gap()
        sheet.say(
            f"{times(len(found), 'suggestion')}: read by rule, and they hold. Declare in a relations file what the "
            "paper says."
        )
    for number, claim in enumerate(found, 1):
        sheet.titled(f"  suggestion {number}", "cyan", f", {claim.evidence}")
        for line in "\n".join(claim.readings).splitlines():
            indent = " " * (4 + len(line) - len(line.lstrip()))
            # As a relations file continues a line: whoever copies it need not join it again.
            sheet.say(line.strip(), indent, f"{indent}  ")


def _passed_over(sheet: TextSheet, result: Result, everything: bool) -> None:
    """What was not looked at; kinds of study that a bundle is not are no news."""
    found = result.not_looked_at
    if result.command == "verify" or not found:
        return
    sheet.gap()
    sheet.line(f"{sheet.paint('not looked at', 'yellow')}: {len(found)}")
    reasons: dict[str, list[str]] = {}
    for one in found:
        reasons.setdefault(one.why, []).append(one.what)
    shown = list(reasons.items()) if everything else list(reasons.items())[:PASSED]
    for why, what in shown:
        named = what if everything else what[:SHOWN]
        more = f" and {len(what) - len(named)} more" if len(what) > len(named) else ""
        sheet.say(f"{', '.join(named)}{more}: {why}", "  ", "    ")
    sheet.more(len(reasons) - len(shown), "more reasons")


def _figures(sheet: TextSheet, result: Result, everything: bool) -> None:
    summary, chain = result.summary, result.summary.chain
    if result.command == "verify" and not summary.inspected:
        sheet.figure("Inspected", "no records that a study pack sums up")
    elif result.command != "verify" and summary.inspected:
        sheet.figure("Inspected", ", ".join(summary.inspected))
    if summary.tolerance is not None:
        sheet.figure("Tolerance", summary.tolerance)
    if (worst := summary.max_discrepancy) is not None:
        place = f"{worst.source}:{worst.line} ({' '.join((worst.key or {}).values())}) {worst.field}"
        sheet.figure("Discrepancy", f"at most {worst.value:.2e}, at {place}")
    if (agreement := summary.threshold_agreement) is not None:
        sheet.figure("Crossings", f"{agreement.agree} of {agreement.total} agree: whether a policy loses more than the "
                     "threshold in a state, recomputed and as reported")  # fmt: skip
    for selected in summary.selected:
        reported = (
            "as reported" if selected.recomputed == selected.reported else f"reported {selected.reported or 'none'}"
        )
        sheet.figure("Selected", f"{selected.selector}: {selected.recomputed or 'none'} ({reported})")
    if summary.selected:
        sheet.figure("", "what each selector's rule chooses among the candidates, recomputed")
    if chain.stages:
        sealed = f"{chain.seals} of {chain.stages} sealed; {evidence_of(chain)}"
        sheet.figure("Stages", "none is sealed yet" if result.draft else sealed)
        for line in witnesses_of(chain):
            sheet.figure("Witnessed", line)
    for seen in summary.disclosed:
        sheet.figure("Disclosed", disclosed_in_words(seen))
    if summary.assumed:
        sheet.figure("Assumed", f"not verified: {'; '.join(summary.assumed)}")
    for name, said in numbers_in_words(result) if result.command in ("verify", "audit") else ():
        sheet.figure(name, said)
    if tables := tables_in_words(result):
        sheet.figure("Tables", tables)
    if result.command == "audit":
        _families(sheet, result)
    if result.command == "verify":
        _recipes(sheet, result, everything)
    if result.command == "check":
        sheet.say("--all lists every number; -o html=check.html shows them in their tables; --save DIR writes the "
                  "formulas as a draft to seal.")  # fmt: skip


def _families(sheet: TextSheet, result: Result) -> None:
    counts = Counter((claim.grade, claim.family) for claim in result.claims)
    names = {"holds": "Can hold", "contradiction": "Cannot", "suspicion": "Suspected", "undecided": "Undecided"}
    for grade, name in names.items():
        told = [f"{count} {family}" for (found, family), count in sorted(counts.items()) if found == grade]
        sheet.figure(name, ", ".join(told) or "none")


def _recipes(sheet: TextSheet, result: Result, everything: bool) -> None:
    shown = result.formulas if everything else result.formulas[:DIFFERING]
    for number, formula in enumerate(shown):
        said = formula_in_words(formula)
        short = said if everything or len(said) <= LONGEST_RECIPE else f"{said[:LONGEST_RECIPE].rpartition(' ')[0]} …"
        sheet.figure("" if number else "Recipes", short)
    if left := len(result.formulas) - len(shown):
        sheet.figure("", f"... and {left} more (--all lists them)")
    off = [(", ".join(ids), reason) for reason, ids in turned_off(result)]
    off += [(one.what, one.why) for one in result.not_looked_at]
    for number, (what, why) in enumerate(off if everything else ()):
        sheet.figure("" if number else "Not applied", f"{what}: {why}")


def tables_in_words(result: Result) -> str:
    """What the records of tables were compared with; nothing where there are none, or another command asked."""
    status = {check.id: check.status for check in result.checks}
    if not result.numbers or "table.source" not in status:
        return ""
    if status.get("table.page") in ("pass", "fail"):
        return "compared with the PDF"
    if status["table.source"] == "not-applicable":
        return "as the authors transcribed them: no manuscript is sealed beside them"
    return "read from LaTeX only"


def disclosed_in_words(seen: Disclosed) -> str:
    """What was seen of withheld rows, and what that says of the others."""
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
    by_witness: dict[tuple[str, str | None], list[str]] = {}
    for stage in chain.coverage:
        by_witness.setdefault(("; ".join(stage.witnesses), stage.since), []).append(stage.stage)
    for (witnesses, since), stages in by_witness.items():
        known = f"sealed by {since}" if since else "when is the authors' word"
        yield f"{', '.join(stages)}: {known} ({witnesses or 'no witness'})"
