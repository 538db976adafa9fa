"""Printed numbers for people: by table, the worst first; and what is said of all of them in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sealtrace.contract.result import DOUBTFUL, GRADES, UNDECIDED, Coverage, NumberResult, Result, Word
from sealtrace.report.findings import times
from sealtrace.report.inert import harmless

TEXT = "text"
"""The heading of numbers of the running text, which have no table label."""
WRONG = ("differs", "contradicts")
_SAID: dict[Word, tuple[str, str]] = {
    "differs": ("differs", "differ"),
    "contradicts": ("contradicts", "contradict"),
    "open": ("open", "open"),
    "given": ("given", "given"),
}
"""What became of one number that does not follow, and of several."""
_HEADLINES = {"verified": "Verified", "findings": "Findings", "incomplete": "Incomplete", "waived": "Waived"}


def introduction(result: Result) -> list[str]:
    """What the study is: its title, what the authors say of it, its field and its size."""
    subject = result.subject
    size = ", ".join(result.summary.inspected) if result.command == "verify" else ""
    lines = [subject.title, subject.about, "; ".join(filter(None, (subject.field, size)))]
    return [line for line in lines if line]


def headline(result: Result) -> str:
    """The verdict in a few words: of a bundle whether it holds, elsewhere how the numbers came out."""
    if result.command == "verify":
        word = _HEADLINES[result.headline]
        warned = result.verdict == "verified" and result.warnings
        return f"{word} with {times(result.warnings, 'warning')}" if warned else word
    words, graded = result.coverage.words, _grades(result)
    differing, probably = words["differs"], result.coverage.statuses.get("probably-off", 0)
    told = [f"{count} {how}{'differs' if count == 1 else 'differ'}"
            for count, how in ((differing, ""), (probably, "probably ")) if count]  # fmt: skip
    told += [times(graded["contradiction"], "contradiction")] if graded["contradiction"] else []
    if not told and result.verdict == "findings":
        told = ["Something is wrong"] if result.command != "audit" else ["Findings"]
    elif not told and result.command == "audit":
        told = ["Nothing contradicts" if numbers_in_relations(result) else "Nothing could be compared"]
        told += ["not everything was decided"] if told[0] == "Nothing contradicts" and result.exit_code == 3 else []
    elif not told and result.verdict == "verified" and words["follows"] == result.coverage.numbers:
        told = ["All follow"]
    elif not told:
        # Where nothing follows, warnings say of what records that labels name give instead.
        nothing = "Nothing follows" if result.warnings else "Nothing could be compared"
        told = ["Nothing differs" if words["follows"] + words["given"] else nothing]
    if result.command == "audit":
        told += [times(graded["suspicion"], "suspicion")] if graded["suspicion"] else []
    elif still_open := sum(result.coverage.statuses.get(status, 0) for status in UNDECIDED) - probably:
        told.append(f"{still_open} open")
    return ", ".join(told)


def _grades(result: Result) -> dict[str, int]:
    grades = [claim.grade for claim in result.claims]
    return {grade: grades.count(grade) for grade in GRADES}


def counted_claims(result: Result) -> str:
    """How the relations between printed numbers came out, in a few words."""
    count = _grades(result)
    told = [times(count["contradiction"], "contradiction"), times(count["suspicion"], "suspicion")]
    told += [f"{count['rounding']} by rounding alone"] if count["rounding"] else []
    told += [times(count["question"], "question")] if count["question"] else []
    told += [f"{times(count['refused'], 'claim')} refused"] if count["refused"] else []
    told += [f"{times(count['undecided'], 'relation')} undecided"] if count["undecided"] else []
    told.append(f"{times(count['holds'], 'relation')} that can hold")
    if not sum(count.values()):
        return "no relation between printed numbers was found to decide"
    broken = (claim for claim in result.claims if claim.grade in ("contradiction", "question"))
    families = Counter(claim.family for claim in broken if claim.family != "claims")
    named = ", ".join(f"{number} {family}" for family, number in families.most_common())
    noun = "family of rules" if len(families) == 1 else "families of rules"
    of_families = f"; contradictions and questions come from {len(families)} {noun} ({named})" if families else ""
    return f"{', '.join(told)}{of_families}"


def share_checked(result: Result) -> str:
    """How much an audit checked: without it, that nothing was found says nothing."""
    total, done = result.coverage.numbers, numbers_in_relations(result)
    if not total:
        return "the paper prints no number in a table, and none in its text that says how much something is"
    if not done:
        return (
            f"{times(total, 'printed number')}, none in a relation that a wrong number could break: this audit says "
            "nothing of them; 'sealtrace check' compares them with results, --claims with what a reader read"
        )
    share = f"{100 * done // total} % of {times(total, 'printed number')}"
    return f"{share} {'is' if total == 1 else 'are'} in a relation that a wrong number could break"


def numbers_in_relations(result: Result) -> int:
    """How many numbers stand in a relation that a wrong number could break."""
    return sum(result.coverage.statuses.get(status, 0) for status in ("constrained", "suspected", "contradicted"))


def numbers_in_words(result: Result) -> list[tuple[str, str]]:
    """How the numbers came out: of tables, and of the running text where it was looked at, each behind its name."""
    coverage = result.coverage
    if not coverage.numbers:
        asked = all(check.status != "skipped" for check in result.checks if check.id == "table.cells")
        return [("Numbers", "none is reported" if asked else "not looked at")]
    verb = "names" if coverage.names == 1 else "name"
    names = f"; {coverage.names} more only {verb} something" if result.command == "check" and coverage.names else ""
    names = f"; {coverage.declared_names} more are declared names" if coverage.declared_names else names
    if not coverage.text:
        return [("Numbers", f"{coverage.numbers}: {coverage.in_words}{names}")]
    parts = {"Tables": False, "Text": True}
    found = {
        name: Coverage.of(one.status for one in result.numbers if (one.table is None) == text)
        for name, text in parts.items()
    }
    return [(name, f"{part.numbers}: {part.in_words}{names if name == 'Text' else ''}") for name, part in found.items()]


def by_table(numbers: Iterable[NumberResult]) -> dict[str, list[NumberResult]]:
    """Numbers by the table's label, in the paper's order."""
    tables: dict[str, list[NumberResult]] = {}
    for one in numbers:
        tables.setdefault(one.table or TEXT, []).append(one)
    return tables


def begin_of(members: Iterable[NumberResult]) -> str:
    """Where the first number of a table stands."""
    placed = [one for one in members if one.source]
    source = placed[0].source or "" if placed else ""
    first = min((one.line for one in placed if one.line), default=None)
    return f"{source}:{first}" if first else source


def in_order(numbers: Iterable[NumberResult]) -> dict[str, list[NumberResult]]:
    """Numbers by table; in each the worst first, and tables with something to look at before the others."""
    tables = by_table(numbers)
    for members in tables.values():
        members.sort(key=_urgency)
    return dict(sorted(tables.items(), key=lambda item: all(one.settled for one in item[1])))


def _urgency(one: NumberResult) -> int:
    if one.word in WRONG:
        return WRONG.index(one.word)
    return 2 + (one.status not in DOUBTFUL) + one.settled


def tally(numbers: Iterable[NumberResult]) -> str:
    """How many numbers of a table have which word."""
    return Coverage.of(one.status for one in numbers).in_words


def followed(numbers: list[NumberResult]) -> str:
    """How many numbers of a table follow, and what became of the others."""
    words = Coverage.of(one.status for one in numbers).words
    others = [f"{words[word]} {told[words[word] != 1]}" for word, told in _SAID.items() if words[word]]
    return ", ".join([f"{words['follows']} of {len(numbers)} {'follows' if len(numbers) == 1 else 'follow'}", *others])


def judged_table(numbers: list[NumberResult], strict: bool = False) -> tuple[str, list[str]]:
    """What a test of a table says: `pass`, `fail`, or `missing` where numbers are open or waived; then why."""
    doubted = DOUBTFUL if strict else ()
    wrong = [one for one in numbers if (one.word in WRONG or one.status in doubted) and one.waived is None]
    unknown = [one for one in numbers if one.status in UNDECIDED or one.waived is not None]
    if not wrong and not unknown:
        return "pass", []
    total = times(len(numbers), "number")
    counts = [f"{len(wrong)} of {total} {'differs' if len(wrong) == 1 else 'differ'}"] if wrong else []
    counts += [f"{len(unknown)} of {total} open or waived"] if unknown else []
    lines = [", ".join(counts), *map(_in_a_line, [*wrong, *unknown])]
    return "fail" if wrong else "missing", [harmless(line) for line in lines]


def _in_a_line(one: NumberResult) -> str:
    place = f" at {one.place}" if one.line else ""
    name = f"{one.row}, {one.column}" if one.table else one.id
    return (
        f"{one.word} ({one.status}): {name}{place}: printed {one.printed}, given {one.given or 'nothing'}: {one.said}"
    )
