"""A bundle's printed numbers: its cells, what the records give for them, and what its relations say of them.

Each is computed once, when it is first asked for. The relations' engine is imported only where a bundle has
relations: most have none, and should not wait for it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

from sealtrace.bundle.stores import without_nulls
from sealtrace.checks.outcome import Outcome
from sealtrace.evidence import Evidence, View, once
from sealtrace.paper.model import Table
from sealtrace.recipes.cells import TableCell, cells_in, table_in, tables_in
from sealtrace.recipes.evaluation import CellResult, Evaluator
from sealtrace.recipes.judgement import CellStatus, Judgement

if TYPE_CHECKING:
    from sealtrace.paper.model import Paper
    from sealtrace.paper.pdf import Located
    from sealtrace.paper.printed_page import Compared
    from sealtrace.relations.decision import Claim, Decision
    from sealtrace.relations.facts import Facts
    from sealtrace.relations.language import Misreading
    from sealtrace.relations.sealed import Address


class PrintedNumbers(View):
    """What a bundle prints."""

    @property
    def cells(self) -> list[TableCell]:
        """The cells of all table records."""
        return [cell for table in self.tables for cell in cells_in(self.evidence, table.path or "")]

    @property
    def tables(self) -> list[Table]:
        """The tables of all records."""
        return tables_in(self.evidence)

    @cached_property
    def results(self) -> list[CellResult]:
        """Every numeric cell, and what became of it."""
        cells = self.cells
        found = []
        for number, cell in enumerate(cells, 1):
            found.append(self.result_of(cell, self.caption_in(cell.record)))
            self.evidence.progress("recomputing cells", number, len(cells))
        self._evaluator.close()
        return [self._related(result) for result in found if result is not None]

    def result_of(self, cell: TableCell, caption: str) -> CellResult | None:
        """What the records give for a cell of a table with a caption; None where it holds no number."""
        place = cell.record, cell.pointer
        known = self._results.get(place)
        if known is None or known[:2] != (cell, caption):
            known = self._results[place] = cell, caption, self._evaluator.evaluate(cell, caption)
        return known[2]

    @cached_property
    def _results(self) -> dict[tuple[str, str], tuple[TableCell, str, CellResult | None]]:
        """What became of each cell, by its place, and the cell and caption that gave it."""
        return {}

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.evidence, self._cell)

    @property
    def clashes(self) -> list[str]:
        """Declared names that are the value of another entity: each as a clause."""
        return self._evaluator.clashes()

    def _cell(self, name: str) -> TableCell | None:
        return {cell.name: cell for cell in self.cells}.get(name)

    def judged(self, cells: list[TableCell]) -> list[CellResult]:
        """Some cells that are not the bundle's own beside what the records and the relations give."""
        own, captions = {cell.name: cell for cell in cells}, self.captions
        evaluator = Evaluator(self.evidence, lambda name: own.get(name) or self._cell(name))
        try:
            found = [evaluator.evaluate(cell, captions.get(cell.table, "")) for cell in cells]
        finally:
            evaluator.close()
        return [self._related(result) for result in found if result is not None]

    def _related(self, result: CellResult) -> CellResult:
        """A cell in a contradiction is contradicted; one called constrained needs a relation that can hold."""
        address = (result.cell.table, result.cell.row, result.cell.column)
        if (decision := self.contradicted.get(address)) is not None and result.status is not CellStatus.MISMATCH:
            claim = decision.together[0] if decision.together else decision.claim
            sentence = f"the relation {claim.name} cannot hold with {result.cell.text}: {decision.arithmetic}"
            return replace(result, judgement=Judgement(CellStatus.CONTRADICTED, sentence), relation=claim.name)
        if result.status is CellStatus.DERIVED and (reason := self._underived(result.relation or "", address)):
            return replace(result, judgement=Judgement(CellStatus.UNCLASSIFIED, reason))
        if result.status is CellStatus.CONSTRAINED and address not in self.bound:
            return replace(result, judgement=Judgement(CellStatus.UNCLASSIFIED, _UNBOUND))
        return result

    # The manuscript

    @cached_property
    def _manuscripts(self) -> dict[str, Paper]:
        """What every manuscript prints that is sealed as source text, by its path; parts of another are read in it."""
        from sealtrace.paper.reported import UnreadableTypeError, read_reported

        texts = self.bundle.manuscripts
        names = {PurePath(path).name.removeprefix("manuscript."): path for path in texts}
        found: dict[str, Paper] = {}
        parts: set[str] = set()

        def load(name: str) -> str | None:
            path = names.get(PurePath(name).name)
            parts.update([path] if path else [])
            return texts[path] if path else None

        for path, text in texts.items():
            with suppress(UnreadableTypeError):
                found[path] = read_reported(text, PurePath(path).name, load)
        return {path: paper for path, paper in found.items() if path not in parts}

    def in_manuscripts(self, table: Table) -> list[tuple[str, Table | None]]:
        """Every sealed source that prints a table of this label, and the table there.

        Where none does, the source that the record names, with None: it should have.
        """
        printed = {path: {due.label: due for due in found.tables} for path, found in self._manuscripts.items()}
        told = [(path, tables[table.label]) for path, tables in printed.items() if table.label in tables]
        names = {path: PurePath(path).name for path in printed}
        named = [path for path, last in names.items() if table.file in (last, last.removeprefix("manuscript."))]
        return [*told, *((path, None) for path in named if not told)]

    @cached_property
    def _pages(self) -> tuple[list[Located], list[str]]:
        """The tables that the sealed PDFs show, and what could not be read of these."""
        from sealtrace.paper.pdf import pages_of, tables_of_pages
        from sealtrace.paper.reported import Reported

        located, unread = [], []
        for path, data in self.bundle.pages.items():
            try:
                pages, problems = pages_of(data, path)
            except ValueError as error:
                unread.append(f"{path} is not readable ({error})")
                continue
            located += tables_of_pages(pages, Reported())
            unread += [f"{problem.source}: {problem.message}" for problem in problems if problem.severity == "error"]
        return located, unread

    @cached_property
    def on_pages(self) -> dict[str, list[tuple[str, Compared]]]:
        """By the label of each table, the pages that show one with its caption, and how these compare with it."""
        from sealtrace.paper.printed_page import compare, matching

        return {
            table.label: [(one.page.source, compare(table, one)) for one in matching(table, self._pages[0])]
            for table in map(self._as_captioned, self.tables)
        }

    @cached_property
    def unsettled_on_pages(self) -> list[str]:
        """Why the sealed PDFs do not settle what is printed: pages that were not read, tables that were not found or
        may be seen otherwise, and tables that no record reports."""
        from sealtrace.paper.printed_page import matching

        located, found = self._pages
        unsettled = list(found)
        for label, places in self.on_pages.items():
            unsettled += [] if places else [f"{label}: no page shows a table with its caption"]
            unsettled += [f"{label}: {one.doubt} ({source})" for source, one in places if one.doubt is not None]
        known = [id(one) for table in self.tables for one in matching(self._as_captioned(table), located)]
        return unsettled + [
            f"{one.page.source} shows a table that no record reports ({one.caption[:60]})"
            for one in located
            if id(one) not in known and one.has_numbers
        ]

    @property
    def settled_by_pages(self) -> bool:
        """Whether every table was compared with a page: what its source could print otherwise does not matter."""
        return bool(self.bundle.pages) and not self.unsettled_on_pages

    def _as_captioned(self, table: Table) -> Table:
        return replace(table, caption=self.caption_in(table.path or ""))

    @property
    def doubts(self) -> list[str]:
        """What of a sealed manuscript could not be read, or only with a doubt."""
        return [
            f"{path}:{problem.line}: {problem.message}"
            for path, found in self._manuscripts.items()
            for problem in found.problems
            if not problem.certain
        ]

    @property
    def captions(self) -> dict[str, str]:
        """What each table says of itself, by its label."""
        return {table.label: self.caption_in(table.path or "") for table in self.tables}

    @once
    def caption_in(self, path: str) -> str:
        """What the table record at a path says of itself: the sealed manuscript's words, its own only without one."""
        table = table_in(self.evidence, path)
        return next((due for _, due in self.in_manuscripts(table) if due), table).caption

    @property
    def unreported(self) -> list[str]:
        """Tables with numbers that a sealed manuscript prints and no record reports."""
        known = {table.label for table in self.tables}
        printed = [table for found in self._manuscripts.values() for table in found.tables]
        return [table.label for table in printed if table.label not in known and table.as_sealed.numbers]

    # Relations

    @cached_property
    def _facts(self) -> Facts:
        from sealtrace.relations.sealed import facts_of_tables

        return facts_of_tables(self._shapely_tables)

    @cached_property
    def _read_relations(self) -> tuple[list[Claim], list[Misreading]]:
        from sealtrace.relations.stored import claims_of

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
    def relation_problems(self) -> list[Misreading]:
        """Relations that cannot be read."""
        return self._read_relations[1]

    @cached_property
    def decided(self) -> list[Decision]:
        """Every relation by itself."""
        from sealtrace.relations.decide import decide_each

        return decide_each(self._read_relations[0])

    @cached_property
    def decided_together(self) -> list[Decision]:
        """Every relation by itself, then what cannot hold together."""
        from sealtrace.relations.decide import decide_groups
        from sealtrace.relations.decision import Status as Decided

        alone = self.decided
        return [
            *alone,
            *decide_groups([decision.claim for decision in alone if decision.status is not Decided.CONTRADICTION]),
        ]

    @cached_property
    def contradicted(self) -> dict[Address, Decision]:
        """The cells of which a relation speaks that cannot hold."""
        if not self.bundle.of_kind("relation"):
            return {}
        from sealtrace.relations.decision import Status as Decided
        from sealtrace.relations.sealed import cells_of_facts

        found: dict[Address, Decision] = {}
        for decision in self.decided_together:
            if decision.status is Decided.CONTRADICTION:
                claims = decision.together or (decision.claim,)
                facts = (fact for claim in claims for fact in claim.facts)
                for address in cells_of_facts(facts, self._shapely_tables):
                    found.setdefault(address, decision)
        return found

    @cached_property
    def _holding(self) -> dict[str, Claim]:
        """The relations that hold, by name."""
        from sealtrace.relations.decision import Status as Decided

        return {one.claim.name: one.claim for one in self.decided if one.status is Decided.HOLDS}

    @cached_property
    def _derivations(self) -> dict[Address, str | None]:
        """The relation by which each cell is said to be derived."""
        return {(one.table, one.row, one.column): (one.recipe or {}).get("derived") for one in self.cells}

    def _underived(self, relation: str, address: Address) -> str | None:
        """Why other printed numbers do not give a cell by a relation; None where they do."""
        from sealtrace.relations.decide import determines
        from sealtrace.relations.sealed import cells_of_facts

        if (claim := self._holding.get(relation)) is None:
            return f"called derived by {relation}, which is no relation that holds"
        numbers = cells_of_facts(claim.facts, self._shapely_tables).get(address, set())
        if len(numbers) != 1 or not determines(claim, *numbers):
            return f"called derived by {relation}, which leaves other numbers in its place"
        if self._rests_on(address, address, set()):
            return f"called derived by {relation}, which rests on numbers that are derived from it"
        return None

    def _rests_on(self, cell: Address, sought: Address, seen: set[Address]) -> bool:
        """Whether a derived cell is derived, step by step, from another."""
        from sealtrace.relations.sealed import cells_of_facts

        if (claim := self._holding.get(self._derivations.get(cell) or "")) is None or cell in seen:
            return False
        seen.add(cell)
        others = set(cells_of_facts(claim.facts, self._shapely_tables)) - {cell}
        return sought in others or any(self._rests_on(other, sought, seen) for other in others)

    @cached_property
    def bound(self) -> set[Address]:
        """The cells each of whose numbers is bound: a relation that can hold excludes other numbers in its place."""
        if not self.bundle.of_kind("relation"):
            return set()
        from sealtrace.relations.decide import bound_numbers
        from sealtrace.relations.decision import Status as Decided
        from sealtrace.relations.sealed import cells_of_facts

        facts = bound_numbers(decision.claim for decision in self.decided if decision.status is Decided.HOLDS)
        numbers = {(cell.table, cell.row, cell.column): cell.printed for cell in self.cells}
        return {
            address
            for address, known in cells_of_facts(facts, self._shapely_tables).items()
            if (printed := numbers.get(address)) is not None and len(known) >= len(printed.parts)
        }

    @property
    def _shapely_tables(self) -> list[Table]:
        """The tables whose cells have addresses; what is wrong with the others, table.shape says."""
        from sealtrace.relations.sealed import misshapen

        return [table for table in {table.label: table for table in self.tables}.values() if misshapen(table) is None]


_UNBOUND = "called constrained, but no relation that can hold excludes another number in its place"


def printed_numbers(evidence: Evidence, _: Outcome) -> PrintedNumbers:
    """For `of`: what a check of printed numbers looks at."""
    return evidence.view(PrintedNumbers)
