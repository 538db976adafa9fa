"""Relations as records: read from a bundle, and written into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, repeat
from typing import Any

from sealtrace.contract.scalars import exact
from sealtrace.relations.decision import Claim, Repair
from sealtrace.relations.facts import Facts
from sealtrace.relations.language import parse_formula
from sealtrace.relations.rendering import exact_text, formula_text
from sealtrace.relations.syntax import Formula, Number, Shared, all_of, rebuilt, unknowns_in
from sealtrace.relations.words import RESERVED, Locate, Misreading, Names


def claims_of(
    records: Iterable[dict[str, Any]], source: str, facts: Facts, lines: Sequence[int] | None = None
) -> tuple[list[Claim], list[Misreading]]:
    """The claims of relation records, and what is wrong with the others; one record per line, or on the given lines."""
    claims: list[Claim] = []
    problems: list[Misreading] = []
    for line, record in zip(count(1) if lines is None else lines, records, strict=False):

        def place(offset: int, line: int = line) -> tuple[int, int]:
            return line, offset + 1

        shared = {one["name"]: _shared(one) for one in record.get("unknowns") or []}
        taken = [name for name in shared if name in RESERVED or name in facts.declared]
        problems += (Misreading(f"{name!r} cannot name an unknown", source, line) for name in taken)
        claim, wrong = claim_of(record, Names(facts, shared=shared), source, line, repeat(place))
        problems += wrong
        if claim is not None and not taken:
            claims.append(claim)
    return claims, problems


def claim_of(
    record: dict[str, Any], names: Names, source: str, line: int, places: Iterable[Locate]
) -> tuple[Claim | None, list[Misreading]]:
    """The claim that a relation record makes, or what is wrong with its formula and its repairs; these have places."""
    repairs = record.get("repairs") or []
    texts = [record["formula"], *(one["formula"] for one in repairs)]
    read = [parse_formula(text, names, source, place) for text, place in zip(texts, places, strict=False)]
    problems = [problem for _, wrong in read for problem in wrong]
    if problems:
        return None, problems
    formula, *repaired = (one for one, _ in read if one is not None)
    assumes, explained = tuple(record.get("assumes") or ()), map(Repair, (one["says"] for one in repairs), repaired)
    said = record["sentence"], record["source"], assumes, tuple(explained), record.get("question")
    return Claim(record["relation"], formula, *said, place=f"{source}:{line}"), []


def record_of(claim: Claim) -> dict[str, Any]:
    """A claim as a relation record, which stands by itself: constants are written out, and it says what its unknowns
    are."""
    record: dict[str, Any] = {
        "relation": claim.name,
        "formula": _complete(claim.formula),
        "sentence": claim.sentence,
        "source": claim.source,
    }
    if claim.assumes:
        record["assumes"] = list(claim.assumes)
    if claim.repairs:
        record["repairs"] = [{"says": one.says, "formula": _complete(one.formula)} for one in claim.repairs]
    if claim.question:
        record["question"] = claim.question
    unknowns = unknowns_in(all_of(claim.formula, *(one.formula for one in claim.repairs)))
    if unknowns:
        record["unknowns"] = [_unknown(one) for one in unknowns.values()]
    return record


def _complete(formula: Formula) -> str:
    """The formula with its named constants written out."""
    return formula_text(rebuilt(formula, lambda node: Number(node.value) if isinstance(node, Number) else node))


def _shared(record: dict[str, Any]) -> Shared:
    low, high = (None if record.get(end) is None else exact(record[end]) for end in ("low", "high"))
    return Shared(record["name"], low, high, bool(record.get("integer")))


def _unknown(one: Shared) -> dict[str, Any]:
    ends = {name: exact_text(end) for name, end in (("low", one.low), ("high", one.high)) if end is not None}
    return {"name": one.name, **ends, **({"integer": True} if one.integer else {})}
