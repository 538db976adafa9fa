"""Relations as records: read from a bundle, and written into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, repeat
from typing import Any

from sealtrace.contract.scalars import exact
from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.facts import Facts
from sealtrace.relations.language import RESERVED, FormulaNames, Locate, Misreading, parse_formula
from sealtrace.relations.syntax import Formula, Number, Shared, all_of, exact_text, formula_text, rebuilt, unknowns_in


def claims_of(
    records: Iterable[dict[str, Any]], source: str, facts: Facts, lines: Sequence[int] | None = None
) -> tuple[list[Claim], list[Misreading]]:
    """The claims of relation records, and what is wrong with the others; one record per line, or on the given lines."""
    claims: list[Claim] = []
    problems: list[Misreading] = []
    for line, record in zip(count(1) if lines is None else lines, records, strict=False):

        def place(offset: int, line: int = line) -> tuple[int, int]:
            return line, offset + 1

        shared = {}
        for unknown in record.get("unknowns") or []:
            low, high = (None if unknown.get(end) is None else exact(unknown[end]) for end in ("low", "high"))
            shared[unknown["name"]] = Shared(unknown["name"], low, high, bool(unknown.get("integer")))
        taken = [name for name in shared if name in RESERVED or name in facts.declared]
        problems += (Misreading(f"{name!r} cannot name an unknown", source, line) for name in taken)
        claim, wrong = claim_of(record, FormulaNames(facts, shared=shared), source, line, repeat(place))
        problems += wrong
        if claim is not None and not taken:
            claims.append(claim)
    return claims, problems


def claim_of(
    record: dict[str, Any], names: FormulaNames, source: str, line: int, places: Iterable[Locate]
) -> tuple[Claim | None, list[Misreading]]:
    """The claim that a relation record makes, or what is wrong with its formula and its repairs; these have places."""
    repairs = record.get("repairs") or []
    texts = [record["formula"], *(repair["formula"] for repair in repairs)]
    read = [parse_formula(text, names, source, place) for text, place in zip(texts, places, strict=False)]
    problems = [problem for _, wrong in read for problem in wrong]
    if problems:
        return None, problems
    formula, *repaired = (formula for formula, _ in read if formula is not None)
    explained = map(Repair, (repair["says"] for repair in repairs), repaired)
    assumes = tuple(record.get("assumes") or ())
    said = record["sentence"], record["source"], assumes, tuple(explained), record.get("question")
    return Claim(record["relation"], formula, *said, place=f"{source}:{line}"), []


def record_of(claim: Claim) -> dict[str, object]:
    """A claim as a relation record, which stands by itself: constants are written out, and it says what its unknowns
    are."""
    ends = ("low", "high")
    record: dict[str, object] = {
        "relation": claim.name,
        "formula": _complete(claim.formula),
        "sentence": claim.sentence,
        "source": claim.source,
        "assumes": list(claim.assumes),
        "repairs": [{"says": repair.says, "formula": _complete(repair.formula)} for repair in claim.repairs],
        "question": claim.question,
        "unknowns": [
            {
                "name": unknown.name,
                **{end: exact_text(value) for end in ends if (value := getattr(unknown, end)) is not None},
                **({"integer": True} if unknown.integer else {}),
            }
            for unknown in unknowns_in(all_of(claim.formula, *(repair.formula for repair in claim.repairs))).values()
        ],
    }
    return {key: value for key, value in record.items() if value}


def _complete(formula: Formula) -> str:
    """The formula with its named constants written out."""
    return formula_text(rebuilt(formula, lambda node: Number(node.value) if isinstance(node, Number) else node))
