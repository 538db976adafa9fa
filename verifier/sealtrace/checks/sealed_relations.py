"""What a bundle's relations say of its printed numbers: which hold, which cannot, and which cells they bind.

This module imports the engine of relations. Most bundles have no relations, so it is imported only for those that do.
"""

from __future__ import annotations

from functools import cached_property

from sealtrace.bundle.stores import without_nulls
from sealtrace.evidence import View, once
from sealtrace.paper.model import Table
from sealtrace.recipes.cells import TableCell, cells_in, tables_in
from sealtrace.recipes.judgement import CellStatus
from sealtrace.relations.decide import (
    ALLOWANCE,
    PER_CLAIM,
    bound_numbers,
    decide_each,
    decide_groups,
    determines,
    graded,
)
from sealtrace.relations.decision import Claim, Decision, Status
from sealtrace.relations.facts import Facts
from sealtrace.relations.language import Misreading
from sealtrace.relations.sealed import Address, cells_of_facts, facts_of_tables, misshapen
from sealtrace.relations.stored import claims_of
from sealtrace.relations.work import Allowance


class SealedRelations(View):
    """The relations of a bundle, each decided once."""

    @property
    def _cells(self) -> list[TableCell]:
        return [cell for table in tables_in(self.evidence) for cell in cells_in(self.evidence, table.path or "")]

    @cached_property
    def _facts(self) -> Facts:
        return facts_of_tables(self._tables)

    @cached_property
    def _read(self) -> tuple[list[Claim], list[Misreading]]:
        facts = self._facts
        claims: dict[str, Claim] = {}
        problems: list[Misreading] = []
        for store in self.bundle.of_kind("relation"):
            records = [without_nulls(row) for row in store.table.to_pylist()]
            found, wrong = claims_of(records, store.path, facts, list(map(int, store.rows)))
            problems += wrong
            for claim in found:
                # A second one of the same name is for join.unique-key to report.
                claims.setdefault(claim.name, claim)
        return list(claims.values()), problems

    @property
    def problems(self) -> list[Misreading]:
        """Relations that cannot be read."""
        return self._read[1]

    @cached_property
    def decided(self) -> list[Decision]:
        """Every relation by itself."""
        return graded(decide_each(self._read[0]))

    @cached_property
    def decided_together(self) -> list[Decision]:
        """Every relation by itself, then what cannot hold together."""
        alone = self.decided
        possible = [one.claim for one in alone if one.status in (Status.HOLDS, Status.UNDECIDED)]
        return [*alone, *graded(decide_groups(possible))]

    @property
    def contradictions(self) -> list[Decision]:
        """Relations that cannot hold, alone or together."""
        return [decision for decision in self.decided_together if decision.status is Status.CONTRADICTION]

    @property
    def in_doubt(self) -> list[Decision]:
        """Relations that cannot hold either, but for rounding or for what the paper states nowhere."""
        grades = (Status.ROUNDING, Status.QUESTION)
        return [decision for decision in self.decided_together if decision.status in grades]

    @property
    def undecided(self) -> list[Decision]:
        """Relations that the engine could not decide."""
        return [decision for decision in self.decided_together if decision.status is Status.UNDECIDED]

    @cached_property
    def contradicted(self) -> dict[Address, Decision]:
        """The cells in relations that cannot hold."""
        found: dict[Address, Decision] = {}
        for decision in self.contradictions:
            facts = (fact for claim in decision.together or (decision.claim,) for fact in claim.facts)
            for address in cells_of_facts(facts, self._tables):
                found.setdefault(address, decision)
        return found

    @cached_property
    def _asking(self) -> Allowance:
        return Allowance(ALLOWANCE, PER_CLAIM)

    @cached_property
    def _holding(self) -> dict[str, Claim]:
        """The relations that hold, by name."""
        return {one.claim.name: one.claim for one in self.decided if one.status is Status.HOLDS}

    @cached_property
    def _derivations(self) -> dict[Address, str | None]:
        """The relation by which each cell is said to be derived."""
        return {(one.table, one.row, one.column): (one.recipe or {}).get("derived") for one in self._cells}

    def underived(self, relation: str, address: Address) -> str | None:
        """Why other printed numbers do not give a cell by a relation; None where they do."""
        if (claim := self._holding.get(relation)) is None:
            return f"called derived by {relation}, which is no relation that holds"
        numbers = cells_of_facts(claim.facts, self._tables).get(address, set())
        determined = len(numbers) == 1 and self._asking.ask(
            (claim, *numbers), lambda: determines(claim, *numbers), False
        )
        if not determined:
            return f"called derived by {relation}, which leaves other numbers in its place"
        if self._rests_on(address, address, set()):
            return f"called derived by {relation}, which rests on numbers that are derived from it"
        return None

    def _rests_on(self, cell: Address, sought: Address, seen: set[Address]) -> bool:
        """Whether a derived cell is derived, step by step, from another."""
        if (claim := self._holding.get(self._derivations.get(cell) or "")) is None or cell in seen:
            return False
        seen.add(cell)
        others = set(cells_of_facts(claim.facts, self._tables)) - {cell}
        return sought in others or any(self._rests_on(other, sought, seen) for other in others)

    def binds(self, cell: TableCell) -> bool:
        """Whether each number of a cell is bound: a relation that can hold excludes other numbers in its place."""
        address = cell.table, cell.row, cell.column
        found = self._bound(self._constrained if address in self._constrained else frozenset([address]))
        return cell.printed is not None and len(found.get(address, ())) >= len(cell.printed.parts)

    @cached_property
    def _constrained(self) -> frozenset[Address]:
        """The cells that are said to follow from no records, and to be bound."""
        called = [one for one in self._cells if one.followed.get("classification") == CellStatus.CONSTRAINED]
        return frozenset((one.table, one.row, one.column) for one in called)

    @once
    def _bound(self, cells: frozenset[Address]) -> dict[Address, set[str]]:
        """The numbers that are bound in some cells, which are asked for together; other cells may lack some."""
        spoken = cells_of_facts((fact for claim in self._holding.values() for fact in claim.facts), self._tables)
        asked = set().union(*(spoken.get(cell, ()) for cell in cells))
        return cells_of_facts(bound_numbers(self._holding.values(), asked), self._tables)

    @property
    def _tables(self) -> list[Table]:
        """The tables whose cells have addresses; what is wrong with the others, table.shape says."""
        by_label = {table.label: table for table in tables_in(self.evidence)}
        return [table for table in by_label.values() if misshapen(table) is None]
