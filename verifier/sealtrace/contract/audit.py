"""The audit: which relations between a paper's printed numbers can hold. The Python result and the JSON output."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sealtrace.contract.scalars import Count, Record, example

AuditVerdict = Literal["contradiction", "incomplete", "suspicion", "nothing-found"]
AuditStatus = Literal["holds", "contradiction", "suspicion", "undecided"]


class AuditFact(Record):
    """One printed number, and the values that print so."""

    address: str = Field(description="As relations name it: table, row, column and part, or a number of the text.")
    printed: str = Field(description="The string as printed.")
    low: str = Field(description="The least value that prints so, exactly.")
    high: str = Field(description="The greatest value that prints so, exactly.")
    source: str | None = Field(None, description="The file that printed it.")
    line: Count | None = Field(None, description="Its line.")
    table: str | None = Field(None, description="Its table's label; absent for a number of the running text.")
    row: str | None = Field(None, description="Its row's label.")
    column: str | None = Field(None, description="Its column's label.")


class AuditValue(Record):
    """A number or an unknown, and a value for it."""

    name: str = Field(description="An address, or the name of an unknown.")
    value: str = Field(description="The value: exact, or the ends of a tiny interval where it is irrational.")


class AuditRepair(Record):
    """An explanation under which a contradiction may vanish."""

    says: str = Field(description="The explanation.")
    works: bool | None = Field(None, description="Whether it repairs the contradiction; absent where undecided.")


class AuditDecision(Record):
    """What became of one relation."""

    relation: str = Field(description="Its name.")
    family: str = Field(description="`declared`, the automatic family that made it, or `group`.")
    status: AuditStatus = Field(description="Whether values that print as the paper does can satisfy it.")
    sentence: str = Field(description="What it says.")
    source: str = Field(description="The place of the paper that implies it.")
    place: str | None = Field(None, description="Where it was declared, as file:line.")
    formula: str = Field(description="The formula that was decided.")
    facts: list[str] = Field(description="Addresses of the printed numbers that it speaks of.")
    reason: str | None = Field(None, description="Where it is undecided: what is missing.")
    arithmetic: str | None = Field(None, description="The contradiction in one line that can be followed by hand.")
    distance: str | None = Field(None, description="How far a cell must move, in units of its last printed digit.")
    nearest: str | None = Field(None, description="That cell; absent where no single one repairs it.")
    tightest: list[AuditValue] = Field(default=[], description="Where the two sides come closest.")
    witness: list[AuditValue] = Field(
        default=[], description="Values that satisfy it; what is not listed may be as printed."
    )
    assumes: list[str] = Field(default=[], description="What the contradiction needs besides.")
    repairs: list[AuditRepair] = Field(default=[], description="Explanations that were tried.")
    proof: list[str] = Field(default=[], description="Multiplied comparisons whose sum is impossible, line by line.")
    together: list[str] = Field(default=[], description="Of a group: the relations that cannot all hold.")
    evidence: str | None = Field(None, description="Of a relation that nobody stated: what speaks for it.")
    chance: float | None = Field(None, description="How probable unrelated numbers would look so, where that is known.")
    telling: bool = Field(True, description="Whether a wrong number could break it; otherwise it covers nothing.")
    letter: str | None = Field(None, description="What to write to the authors.")


class AuditProblem(Record):
    """Something that could not be read, or a relation that could not be bound to the paper."""

    message: str = Field(description="What is wrong.")
    severity: Literal["error", "warning"] = Field(description="A warning hides no number and no relation.")
    source: str = Field(description="The file.")
    line: Count | None = Field(None, description="Its line.")
    column: Count | None = Field(None, description="Its column, from one.")


class AuditSuggestion(Record):
    """A relation that the numbers of most rows satisfy and nobody declared: ready for a relations file."""

    name: str = Field(description="A name for it.")
    sentence: str = Field(description="What it says.")
    text: str = Field(
        description="The relation as a relations file takes it; its place in the paper is to be filled in."
    )
    score: float = Field(description="Digits that agree beyond what the number of attempts explains.")
    facts: list[str] = Field(description="Addresses of the printed numbers that it speaks of.")


class AuditTally(Record):
    """How the relations of one family came out."""

    family: str = Field(description="The family.")
    holds: Count = Field(description="Relations that can hold.")
    contradiction: Count = Field(description="Relations that cannot, though the paper states them.")
    suspicion: Count = Field(0, description="Relations that cannot, and that were read by rule.")
    undecided: Count = Field(description="Relations of which neither could be shown.")


class AuditCoverage(Record):
    """How many printed numbers are checked by a decided relation that a wrong number could break."""

    cells: Count = Field(description="Cells with numbers.")
    constrained: Count = Field(description="Cells that such a relation speaks of.")
    contradicted: Count = Field(description="Those of them that a contradiction speaks of.")
    suspected: Count = Field(0, description="Those of them that a suspicion speaks of.")
    unconstrained: Count = Field(description="Cells that no such relation speaks of.")
    text: Count = Field(description="Numbers of the running text that were read or declared.")
    text_constrained: Count = Field(description="Those of them that such a relation speaks of.")


class AuditTable(AuditCoverage):
    """The coverage of one table."""

    table: str = Field(description="The table's label.")


class Audit(Record):
    """Whether a paper's printed numbers can all be true."""

    sealtrace: str = Field(description="Version of the auditor.")
    paper: str = Field(description="The paper's file, or the bundle's study.")
    root_sha256: str | None = Field(None, description="The bundle's root digest, where a bundle was audited.")
    verdict: AuditVerdict = Field(
        description="`contradiction`: a stated relation cannot hold; `incomplete`: none is contradicted, but a "
        "declared one is undecided, something could not be read or was left out for time, or nothing holds that a "
        "wrong number could break; `suspicion`: only relations read by rule are broken; `nothing-found`: nothing of "
        "all this. That nothing was found says as much as the coverage does."
    )
    tallies: list[AuditTally] = Field(description="Results by family.")
    coverage: AuditCoverage = Field(description="Coverage of the whole paper.")
    tables: list[AuditTable] = Field(description="Coverage by table.")
    decisions: list[AuditDecision] = Field(
        description="Every relation: contradictions, then suspicions, then undecided, then the rest."
    )
    facts: list[AuditFact] = Field(description="Every printed number that a relation speaks of.")
    problems: list[AuditProblem] = Field(default=[], description="What could not be read.")
    left_out: list[AuditProblem] = Field(
        default=[], description="What was passed over: a cell says n/a, or the seconds were used up."
    )
    suggestions: list[AuditSuggestion] = Field(default=[], description="Relations to consider, where asked for.")

    model_config = example("""{
        "sealtrace": "0.1.0", "paper": "paper.tex", "verdict": "contradiction",
        "tallies": [{"family": "declared", "holds": 0, "contradiction": 1, "undecided": 0}],
        "coverage": {"cells": 2, "constrained": 2, "contradicted": 2, "unconstrained": 0, "text": 0,
            "text_constrained": 0},
        "tables": [],
        "decisions": [{"relation": "half", "family": "declared", "status": "contradiction",
            "sentence": "Exploitability is half of NashConv.", "source": "definition of exploitability",
            "formula": "tab:leduc[1, Exploit.] == tab:leduc[1, NashConv] / 2", "facts": ["tab:leduc[1, Exploit.]",
            "tab:leduc[1, NashConv]"], "distance": "49/2", "nearest": "tab:leduc[1, Exploit.]"}],
        "facts": [{"address": "tab:leduc[1, Exploit.]", "printed": "0.75", "low": "0.745", "high": "0.755",
            "source": "paper.tex", "line": 12}]
    }""")
