"""What became of a bundle's relations: read and decided once per study."""

from __future__ import annotations

from collections.abc import Iterable

from sealtrace.bundle.stores import without_nulls
from sealtrace.relations.decision import Claim, Decision, Status
from sealtrace.relations.facts import Facts
from sealtrace.relations.groups import decide_groups
from sealtrace.relations.problems import Problem
from sealtrace.relations.rationing import decide_each
from sealtrace.relations.sealed import Address, bound_cells, facts_of_records, misshapen
from sealtrace.relations.stored import claims_of
from sealtrace.studies.policies.evidence.study import Study


def problems_of(study: Study) -> list[Problem]:
    """Relations that cannot be read."""
    return _read(study)[1]


def decided(study: Study) -> list[Decision]:
    """Every relation by itself."""
    if "relations decided" not in study.memory:
        study.memory["relations decided"] = decide_each(_read(study)[0])
    found: list[Decision] = study.memory["relations decided"]
    return found


def decided_together(study: Study) -> list[Decision]:
    """Every relation by itself, then what cannot hold together."""
    alone = decided(study)
    return [*alone, *decide_groups([one.claim for one in alone if one.status is not Status.CONTRADICTION])]


def bound(study: Study) -> set[Address]:
    """The cells of which a relation speaks that can hold."""
    return bound_cells((one.claim for one in decided(study) if one.status is Status.HOLDS), _tables(study))


def contradictions(decisions: Iterable[Decision]) -> list[Decision]:
    """Those that cannot hold."""
    return [one for one in decisions if one.status is Status.CONTRADICTION]


def undecided(decisions: Iterable[Decision]) -> list[Decision]:
    """Those of which neither could be shown."""
    return [one for one in decisions if one.status is Status.UNDECIDED]


def _read(study: Study) -> tuple[list[Claim], list[Problem]]:
    if "relations" not in study.memory:
        study.memory["relations"] = _claims(study, facts_of_records(_tables(study)))
    found: tuple[list[Claim], list[Problem]] = study.memory["relations"]
    return found


def _tables(study: Study) -> list[dict[str, object]]:
    """The tables whose cells have addresses; what is wrong with the others, table.shape says."""
    records = {document.value["label"]: document.value for document in study.bundle.documents_of("table")}
    return [record for record in records.values() if misshapen(record) is None]


def _claims(study: Study, facts: Facts) -> tuple[list[Claim], list[Problem]]:
    claims: dict[str, Claim] = {}
    problems: list[Problem] = []
    for store in study.bundle.of_kind("relation"):
        records = [without_nulls(row) for row in store.table.to_pylist()]
        found, wrong = claims_of(records, store.path, facts, store.rows.tolist())
        problems += wrong
        for claim in found:
            # A second one of the same name is for join.unique-key to report.
            claims.setdefault(claim.name, claim)
    return list(claims.values()), problems
