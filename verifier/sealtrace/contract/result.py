"""The result of `verify`, `check`, `audit` and `diff`: one model, the Python result and the JSON output alike.

Every printed number has one of five words; the exact status stands beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

from pydantic import Field

from sealtrace.contract.details import Details
from sealtrace.contract.scalars import Count, Record, example

Severity = Literal["error", "warning", "note"]
Status = Literal["pass", "fail", "missing", "skipped", "not-applicable"]
Verdict = Literal["verified", "findings", "incomplete", "nothing-found"]
Command = Literal["verify", "check", "audit", "diff"]
Word = Literal["follows", "differs", "contradicts", "open", "given"]
Grade = Literal["contradiction", "suspicion", "rounding", "question", "refused", "undecided", "holds", "suggestion"]

GRADES: tuple[Grade, ...] = get_args(Grade)
"""In the order in which they are shown."""
VERSION: Literal[2] = 2
"""Of this contract; the JSON of 0.1 (report, audit and check) was the first (docs/migration.md)."""
WORDS: dict[str, Word] = {
    "exact": "follows",
    "tie": "follows",
    "measured": "follows",
    "double-rounded": "follows",
    "truncated": "follows",
    "explained": "follows",
    "derived": "follows",
    "mismatch": "differs",
    "off": "differs",
    "contradicted": "contradicts",
    "input": "given",
    "missing": "open",
    "elsewhere": "open",
    "constrained": "open",
    "attested": "open",
    "unrelated": "open",
    "unclassified": "open",
    "unexplained": "open",
    "probably-off": "open",
    "suspected": "open",
}
"""Exact status to its word. `elsewhere` is open: where the named bundle was looked at, its own status stands."""
DOUBTFUL = ("double-rounded", "truncated", "suspected", "probably-off")
"""Statuses that are warned of, whatever their word."""
UNDECIDED = ("missing", "unclassified", "unexplained", "probably-off")
"""Open statuses that keep a verdict from being complete; the other open ones are only counted."""


class Subject(Record):
    """What was looked at."""

    name: str = Field(description="The study's name, or the paper's file.")
    title: str | None = Field(None, description="What the study is, in a line.")
    about: str | None = Field(None, description="What the authors say of it, in a sentence or two.")
    field: str | None = Field(None, description="The field of research.")
    root_sha256: str | None = Field(None, description="The bundle's recomputed root digest.")
    papers: list[str] = Field(default=[], description="The papers whose numbers were looked at.")
    results: str | None = Field(None, description="The directory of results that they were compared with.")


class Finding(Record):
    """One thing that is not as it should be, and its place."""

    check: str = Field(description="The check's id.")
    severity: Severity = Field(description="Errors fail a check; warnings fail it under --strict.")
    source: str | None = Field(None, description="Path relative to the bundle.")
    line: Count | None = Field(None, description="Line of a text file, or row of a table, from one.")
    column: Count | None = Field(None, description="Column of a text file, from one.")
    key: dict[str, str] | None = Field(None, description="The record's composite key.")
    field: str | None = Field(None, description="JSON pointer within the record.")
    expected: str | None = Field(None, description="What the rules or the recomputation give.")
    found: str | None = Field(None, description="What is there.")
    message: str = Field(description="What is wrong, and what to do.")
    waived: str | None = Field(None, description="Why the reader accepts it for now, where their settings waive it.")

    @property
    def name(self) -> str:
        """Its subject in one line, as a study lists the findings that it expects."""
        key = [f"{name}={value}" for name, value in (self.key or {}).items()]
        return " ".join(part for part in (self.check, self.source, self.field, *key) if part)


class Place(Record):
    """Where a number stands."""

    value: float = Field(description="The number.")
    check: str = Field(description="The check that met it.")
    source: str | None = Field(None, description="Path relative to the bundle.")
    line: Count | None = Field(None, description="Line or row, from one.")
    key: dict[str, str] | None = Field(None, description="The record's key.")
    field: str | None = Field(None, description="JSON pointer within the record.")


class CheckResult(Record):
    """The outcome of one check."""

    id: str = Field(description="The check's stable id.")
    title: str = Field(description="What it says.")
    status: Status = Field(description="Its outcome.")
    reason: str | None = Field(None, description="Why it is missing, skipped or not applicable.")
    inspected: Count = Field(description="How much it looked at.")
    unit: str = Field(description="What it counted.")
    findings: Count = Field(description="How many findings it made, listed or not.")
    largest: Place | None = Field(None, description="The largest numerical difference it met; only with details.")


class Agreement(Record):
    """How many decisions agree."""

    agree: Count = Field(description="Decisions that agree.")
    total: Count = Field(description="Decisions compared.")


class StageCoverage(Record):
    """What was seen of a stage from outside."""

    stage: str = Field(description="The stage.")
    witnesses: list[str] = Field(description="Each witness of the stage, or of what commits to it.")
    vouched: bool = Field(description="Whether a key or an authority that the reader named vouches for one of them.")
    since: str | None = Field(None, description="The first time at which somebody vouches that it was sealed.")


class Chain(Record):
    """What the stage chain shows."""

    seals: Count = Field(description="Links of the chain that were read.")
    stages: Count = Field(description="Links that a whole chain has.")
    signatures: Count = Field(description="Signatures seen over a stage's digest.")
    timestamps: Count = Field(description="Outside timestamps seen over a stage's digest.")
    coverage: list[StageCoverage] = Field(default=[], description="Stage by stage, where anybody saw anything.")


class SelectorResult(Record):
    """One selector's choice, recomputed."""

    selector: str = Field(description="The selector.")
    recomputed: str | None = Field(None, description="What the records give; absent where nothing does.")
    reported: str | None = Field(None, description="What the selection record says.")


class Disclosed(Record):
    """What was seen of rows that the bundle withholds."""

    tree: str = Field(description="The sealed tree's name.")
    leaves: Count = Field(description="How many rows are withheld.")
    seen: Count = Field(description="How many were disclosed and are those that were sealed.")
    wrong: Count = Field(description="How many of those that were disclosed are wrong.")
    seed: str | None = Field(None, description="The reviewer's seed, where the rows are a random sample by it.")
    most_wrong: Count | None = Field(
        None, description="More wrong rows than this, among all, are excluded at 95 %; only of a random sample."
    )


class Summary(Record):
    """Figures about the study; each pack fills in what its records give."""

    inspected: list[str] = Field(default=[], description="What the study holds, in words, such as `24 states`.")
    states: Count | None = Field(None, description="Observed states; only of a study of policies.")
    policies: Count | None = Field(None, description="Policies; only of a study of policies.")
    traces: Count | None = Field(None, description="State-policy traces; only of a study of policies.")
    tolerance: str | None = Field(None, description="The declared replay tolerance.")
    max_discrepancy: Place | None = Field(None, description="The largest numerical difference.")
    threshold_agreement: Agreement | None = Field(None, description="Recomputed against reported crossings.")
    selected: list[SelectorResult] = Field(default=[], description="Every selector's choice.")
    chain: Chain = Field(
        default=Chain(seals=0, stages=0, signatures=0, timestamps=0),
        description="The stage chain; of a paper, which has none, no stage.",
    )
    disclosed: list[Disclosed] = Field(default=[], description="Withheld rows that were seen.")
    assumed: list[str] = Field(default=[], description="What certificates assume, and no record can verify.")


class NumberResult(Record):
    """One printed number, or one cell of a table, beside what the records or results give."""

    id: str = Field(description="Its address, as `sealtrace explain` takes it.")
    table: str | None = Field(None, description="The table's label; absent for a number of the running text.")
    row: str | None = Field(None, description="The row's label.")
    column: str | None = Field(None, description="The column's label.")
    sentence: str | None = Field(None, description="Of a number of the running text: what stands around it.")
    printed: str = Field(description="The string as printed.")
    word: Word = Field(
        description="`follows`: records or results give it; `differs`: they give something else; `contradicts`: it "
        "cannot be true together with other printed numbers; `open`: nothing here decides it; `given`: a setting or a "
        "declared constant, matched, nothing to recompute."
    )
    status: str = Field(description="The exact status.")
    given: str | None = Field(None, description="What the records or results give.")
    formula: str | None = Field(None, description="How they give it.")
    records: list[str] = Field(default=[], description="The first records behind it.")
    count: Count = Field(default=0, description="How many records there are behind it.")
    odds: float | None = Field(None, description="How many times likelier it is that the word is right than not.")
    source: str | None = Field(None, description="The file that printed it.")
    line: Count | None = Field(None, description="Its line.")
    says: str = Field(default="", description="What the status means for this number.")
    recipe: str | None = Field(None, description="The recipe as the study states it, arguments filled in.")
    population: str | None = Field(None, description="What the formula is taken over.")
    undisclosed: list[str] = Field(default=[], description="Settings that it needs and the paper does not state.")
    formulas: list[str] = Field(default=[], description="Ids of the formulas that give it.")
    relation: str | None = Field(None, description="The relation that contradicts it, where one does.")
    waived: str | None = Field(None, description="Why the reader accepts it for now, where their settings waive it.")

    @property
    def standing(self) -> str:
        """Its word and status, as lists without sentences show them."""
        said = f"{self.word} ({self.status})"
        return said if self.waived is None else f"{said}, waived: {self.waived}"

    @property
    def said(self) -> str:
        """The meaning of its status, and the waiver where there is one: no format shows one without the other."""
        return self.says if self.waived is None else f"{self.says} Waived, not settled: {self.waived}"

    @property
    def place(self) -> str:
        """The file and line that print it."""
        return f"{self.source}:{self.line}" if self.source and self.line else self.source or ""

    @property
    def settled(self) -> bool:
        """Whether there is nothing to look at: it follows without a doubt, or is given, or no evidence was promised."""
        return self.word not in ("differs", "contradicts") and self.status not in (*DOUBTFUL, *UNDECIDED)

    def _repr_markdown_(self) -> str:
        """How a notebook shows it."""
        from sealtrace.report.markdown import render_number  # only in notebooks

        return render_number(self)


class FormulaResult(Record):
    """How records or results give some numbers: a recipe of the study, or a formula that was found."""

    id: str = Field(description="A name for it within the result.")
    table: str = Field(description="The table's label.")
    kind: Literal["cell", "column", "row", "block"] = Field(description="What it gives.")
    subject: str = Field(description="The header, label or caption of what it gives.")
    formula: str = Field(description="How the numbers come about, for people.")
    files: list[str] = Field(default=[], description="The files that hold the results, at most twenty of them.")
    measure: str | None = Field(None, description="The field that is measured.")
    statistic: str | None = Field(None, description="How values are brought together; `value` where there is one.")
    transformation: str | None = Field(None, description="What is done to the value before it is printed.")
    where: dict[str, str] = Field(default={}, description="Fields that are fixed to one value for all numbers.")
    by: list[str] = Field(default=[], description="Fields whose values the labels name.")
    bits: float | None = Field(
        None,
        description="How sure it is: evidence less description, in bits. Chance reaches b bits once in 2^b papers.",
    )
    agrees: Count | None = Field(None, description="Numbers that are printed as it gives them.")
    numbers: Count | None = Field(None, description="Numbers that it speaks of.")
    ambiguous: list[str] = Field(
        default=[], description="Other formulas that give the same numbers and are about as simple."
    )
    apart: str | None = Field(None, description="What would tell them apart.")

    @property
    def options(self) -> list[str]:
        """The formula, and others that give the same."""
        return [self.formula, *self.ambiguous]


class ClaimNumber(Record):
    """One printed number that a claim speaks of, and the values that print so."""

    id: str = Field(description="As formulas name it, with the part where a cell has several numbers.")
    number: str = Field(description="The id of the number in `numbers` that it is, or is a part of.")
    printed: str = Field(description="The string as printed.")
    low: str = Field(description="The least value that prints so, exactly.")
    high: str = Field(description="The greatest value that prints so, exactly.")
    source: str | None = Field(None, description="The file that printed it.")
    line: Count | None = Field(None, description="Its line.")


class ClaimValue(Record):
    """A number or an unknown, and a value for it."""

    name: str = Field(description="An address, or the name of an unknown.")
    value: str = Field(description="The value: exact, or the ends of a tiny interval where it is irrational.")


class Explanation(Record):
    """An explanation under which a contradiction may vanish."""

    says: str = Field(description="The explanation.")
    works: bool | None = Field(None, description="Whether it repairs the contradiction; absent where undecided.")


class ClaimResult(Record):
    """A relation that the paper states or implies, and what became of it."""

    id: str = Field(description="Its name.")
    grade: Grade = Field(
        description="`contradiction`: no values that print so satisfy what the paper states; `suspicion`: none do, but "
        "it was read by rule; `rounding`: a unit in the last place mends it; `question`: it rests on an assumption; "
        "`undecided`: neither could be shown; `holds`: some values do; `suggestion`: read by rule, to be declared; "
        "`refused`: a reader's claim that is not tied to the paper."
    )
    says: str = Field(description="What it says.")
    quote: str = Field(description="The sentence or place of the paper that it is from.")
    readings: list[str] = Field(description="The formulas that were decided.")
    numbers: list[ClaimNumber] = Field(description="The printed numbers that it speaks of.")
    arithmetic: list[str] = Field(default=[], description="The contradiction, in lines that can be followed by hand.")
    assumes: list[str] = Field(default=[], description="What the contradiction needs besides.")
    family: str = Field(description="`declared`, the automatic family that made it, or `group`.")
    place: str | None = Field(None, description="Where it was declared, as file:line.")
    reason: str | None = Field(None, description="Where it is undecided: what is missing; where it is refused: why.")
    missing: list[str] = Field(default=[], description="What keeps a broken claim from being a contradiction.")
    meant: str | None = Field(None, description="An address beside one of its own that would mend it.")
    distance: str | None = Field(None, description="How far a number must move, in units of its last printed digit.")
    nearest: str | None = Field(None, description="That number; absent where no single one repairs it.")
    tightest: list[ClaimValue] = Field(default=[], description="Where the two sides come closest.")
    witness: list[ClaimValue] = Field(
        default=[], description="Values that satisfy it; what is not listed may be as printed."
    )
    repairs: list[Explanation] = Field(default=[], description="Explanations that were tried.")
    proof: list[str] = Field(default=[], description="Multiplied comparisons whose sum is impossible, line by line.")
    together: list[str] = Field(default=[], description="Of a group: the claims that cannot all hold.")
    evidence: str | None = Field(None, description="Of a claim that nobody stated: what speaks for it.")
    chance: float | None = Field(None, description="How probable unrelated numbers would look so, where that is known.")
    telling: bool = Field(True, description="Whether a wrong number could break it; otherwise it covers nothing.")
    question: str | None = Field(None, description="What only the authors can answer, as one question.")
    letter: str | None = Field(
        None, description="What to write to the authors: the numbers, the relation, the question."
    )


class Coverage(Record):
    """How the printed numbers are accounted for."""

    numbers: Count = Field(description="All cells with a number, and numbers of the running text that were judged.")
    words: dict[Word, Count] = Field(description="How many have each of the five words.")
    statuses: dict[str, Count] = Field(description="How many have each status.")
    text: Count = Field(default=0, description="How many of them stand in the running text.")
    names: Count = Field(default=0, description="Cells and numbers besides that only say what something is called.")
    declared_names: Count = Field(default=0, description="Those of them that only a declaration makes names.")
    wordy: Count = Field(default=0, description="Cells of words without a digit.")

    @classmethod
    def of(cls, statuses: Iterable[str], **besides: int) -> Coverage:
        """Counts numbers by their statuses, in the order of `WORDS`."""
        counts = Counter(statuses)
        words = {word: sum(counts[status] for status in WORDS if WORDS[status] == word) for word in get_args(Word)}
        known = {status: counts[status] for status in WORDS if counts[status]}
        return cls(numbers=counts.total(), words=words, statuses=known, **besides)

    @property
    def recomputed(self) -> int:
        """How many were computed and compared, whether they agree or not."""
        return self.words["follows"] + self.words["differs"]

    @property
    def in_words(self) -> str:
        """How many have each word, then the statuses behind them."""
        verbs = {"follows": "follow", "differs": "differ", "contradicts": "contradict"}
        words = [
            f"{count} {word if count == 1 else verbs.get(word, word)}" for word, count in self.words.items() if count
        ]
        # What other printed numbers give rests on no record, and what was measured no computation gives again: neither
        # is counted with the rest in silence.
        told = {"derived": "from print", "measured": "measured"}
        besides = [
            f"{self.statuses[status]} of them {said}" for status, said in told.items() if status in self.statuses
        ]
        if besides:
            words[0] += f" ({', '.join(besides)})"
        statuses = ", ".join(f"{count} {status}" for status, count in self.statuses.items())
        return f"{', '.join(words)} ({statuses})" if words else "none"


class NotLookedAt(Record):
    """Something that was passed over."""

    what: str = Field(description="A file, some checks, a table, a formula.")
    why: str = Field(description="Why.")


NOT_SEALED = "nothing is sealed: this says what sealing the directory as it is would give"
"""What every format says of a draft."""


class Result(Record):
    """What a command says of a bundle or a paper."""

    sealtrace: str = Field(description="Version of the verifier.")
    contract: Literal[2] = Field(default=VERSION, description="Version of this schema.")
    command: Command = Field(description="The command that found it.")
    subject: Subject = Field(description="The bundle or the paper, and what it was compared with.")
    verdict: Verdict = Field(
        description="`findings`: something is wrong; `incomplete`: nothing is wrong, but something is missing, skipped "
        "or undecided; `verified`: everything was there and holds; `nothing-found`: of an audit, which recomputes "
        "nothing: no contradiction was found, which says as much as the coverage does."
    )
    strict: bool = Field(default=False, description="Whether a warning counted as an error.")
    draft: bool = Field(
        default=False, description="Whether nothing was sealed: the verdict is what sealing would give."
    )
    summary: Summary = Field(description="Figures.")
    checks: list[CheckResult] = Field(default=[], description="Every check that applies, in order.")
    findings: list[Finding] = Field(default=[], description="Every finding; at most 1000 are listed for one check.")
    numbers: list[NumberResult] = Field(default=[], description="Every printed number.")
    formulas: list[FormulaResult] = Field(default=[], description="How records or results give them.")
    claims: list[ClaimResult] = Field(
        default=[], description="What the printed numbers say of each other: what is broken first, then the rest."
    )
    coverage: Coverage = Field(description="How many numbers have which word and status.")
    not_looked_at: list[NotLookedAt] = Field(default=[], description="What was passed over, and why.")
    details: Details | None = Field(None, description="What only pages draw; never in the JSON of a command.")

    model_config = example("""{
        "sealtrace": "0.2.0", "contract": 2, "command": "check",
        "subject": {"name": "paper.tex", "papers": ["paper.tex"], "results": "results"},
        "verdict": "findings",
        "summary": {"inspected": ["1 data file", "2 tables of results", "5,000 formulas"]},
        "checks": [{"id": "results.numbers", "title": "Each printed number is what the results give",
            "status": "fail", "inspected": 2, "unit": "numbers", "findings": 1}],
        "findings": [{"check": "results.numbers", "severity": "error", "source": "paper.tex", "line": 20,
            "key": {"table": "tab:main", "row": "small", "column": "Acc."}, "expected": "0.402", "found": "0.412",
            "message": "Row small: the paper prints 0.412; the results give 0.402."}],
        "numbers": [{"id": "tab:main[small, Acc.]", "table": "tab:main", "row": "small", "column": "Acc.",
            "printed": "0.412", "word": "differs", "status": "off", "given": "0.402",
            "formula": "mean of accuracy in runs.csv by model", "records": ["runs.csv:3"], "count": 1,
            "source": "paper.tex", "line": 20, "formulas": ["b1"]}],
        "formulas": [{"id": "b1", "table": "tab:main", "kind": "column", "subject": "Acc.",
            "formula": "mean of accuracy in runs.csv by model", "files": ["runs.csv"], "measure": "accuracy",
            "statistic": "mean", "by": ["model"], "bits": 41.5, "agrees": 8, "numbers": 9}],
        "claims": [{"id": "half", "grade": "holds", "says": "Exploitability is half of NashConv.",
            "quote": "definition 3", "readings": ["tab:leduc[1, Exploit.] == tab:leduc[1, NashConv] / 2"],
            "numbers": [{"id": "tab:leduc[1, Exploit.]", "number": "tab:leduc[1, Exploit.]", "printed": "0.75",
            "low": "0.745", "high": "0.755", "source": "paper.tex", "line": 12}], "family": "declared"}],
        "coverage": {"numbers": 1, "words": {"follows": 0, "differs": 1, "contradicts": 0, "open": 0, "given": 0},
            "statuses": {"off": 1}},
        "not_looked_at": [{"what": "runs.pkl", "why": "no reader for this kind of file"}]
    }""")

    @property
    def warnings(self) -> int:
        """How many warnings are listed."""
        return sum(finding.severity == "warning" for finding in self.findings)

    def as_draft(self, verdict: str) -> str:
        """A verdict's word as every format shows it: of a draft, what it would be."""
        return f"Draft, which would be {verdict}" if self.draft else verdict

    @property
    def waived(self) -> int:
        """How many findings the reader's settings waive."""
        return sum(finding.waived is not None for finding in self.findings)

    @property
    def headline(self) -> str:
        """The verdict in a word; a run in which errors are waived, and no other is left, has its own."""
        return "waived" if self.waived and self.verdict == "incomplete" else self.verdict

    @property
    def only_waived(self) -> bool:
        """Whether waived findings, and what depends on them, are all that keeps the verdict from being verified."""
        open_ = {check.id for check in self.checks if check.status in ("missing", "skipped")}
        waived = {finding.check for finding in self.findings if finding.waived is not None}
        return self.headline == "waived" and open_ <= waived

    def _repr_markdown_(self) -> str:
        """How a notebook shows it."""
        from sealtrace.report.markdown import render  # only in notebooks

        return render(self)

    @property
    def exit_code(self) -> int:
        """What a command that shows this result ends with."""
        return {"verified": 0, "nothing-found": 0, "findings": 1, "incomplete": 3}[self.verdict]
