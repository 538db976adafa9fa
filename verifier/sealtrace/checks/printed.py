"""A bundle's printed numbers: its cells, what the records give for them, and what its relations say of them.

Each is computed once, when it is first asked for. The engine of relations, and the reader of PDFs, are imported only
where a bundle has something for them: most have not, and should not wait for them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

from sealtrace.checks.outcome import Outcome
from sealtrace.evidence import Evidence, View, once
from sealtrace.paper.extracted import Reported
from sealtrace.paper.model import Paper, Table
from sealtrace.paper.papers import merged
from sealtrace.paper.reported import UnreadableTypeError, read_reported
from sealtrace.recipes.cell_results import CellResult
from sealtrace.recipes.cells import TableCell, cells_in, table_in, tables_in
from sealtrace.recipes.evaluation import Evaluator
from sealtrace.recipes.judgement import AGREEING, CellStatus, Judgement

if TYPE_CHECKING:
    from sealtrace.checks.sealed_relations import SealedRelations
    from sealtrace.paper.pdf import Located
    from sealtrace.paper.printed_page import ComparedTable


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
        return Evaluator(self.evidence, self._by_name.get)

    @property
    def clashes(self) -> list[str]:
        """Declared names that are the value of another entity: each as a clause."""
        rows = self._evaluator.rows
        return list(rows.clashes()) if rows.names.declared else []

    def meant(self, text: str) -> str:
        """The entity that a printed name stands for; else itself."""
        return self._evaluator.rows.names.meant(text)

    @cached_property
    def _by_name(self) -> dict[str, TableCell]:
        return {cell.name: cell for cell in self.cells}

    def judged(self, cells: list[TableCell]) -> list[CellResult]:
        """Some cells that are not the bundle's own beside what the records and the relations give."""
        own, captions = {cell.name: cell for cell in cells}, self.captions
        evaluator = Evaluator(self.evidence, lambda name: own.get(name) or self._by_name.get(name))
        try:
            found = [evaluator.evaluate(cell, captions.get(cell.table, "")) for cell in cells]
        finally:
            evaluator.close()
        return [self._related(result) for result in found if result is not None]

    def _related(self, result: CellResult) -> CellResult:
        """A cell in a contradiction is contradicted; one called constrained needs a relation that can hold."""
        address = (result.cell.table, result.cell.row, result.cell.column)
        relations = self.relations
        decision = None if relations is None else relations.contradicted.get(address)
        if decision is not None and result.status is not CellStatus.MISMATCH:
            claim = decision.together[0] if decision.together else decision.claim
            sentence = f"the relation {claim.name} cannot hold with {result.cell.text}: {decision.arithmetic}"
            return replace(result, judgement=Judgement(CellStatus.CONTRADICTED, sentence), relation=claim.name)
        if result.status in AGREEING and (doubt := self.doubted.get(result.cell.record)):
            uncertain = f"what is printed is not certain: {doubt}"
            return replace(result, judgement=Judgement(CellStatus.UNCLASSIFIED, uncertain))
        reason = None
        if result.status is CellStatus.DERIVED:
            named = result.relation or ""
            reason = f"called derived by {named}, which is no relation that holds"
            reason = reason if relations is None else relations.underived(named, address)
        elif result.status is CellStatus.CONSTRAINED and (relations is None or not relations.binds(result.cell)):
            reason = "called constrained, but no relation that can hold excludes another number in its place"
        return replace(result, judgement=Judgement(CellStatus.UNCLASSIFIED, reason)) if reason else result

    @cached_property
    def relations(self) -> SealedRelations | None:
        """What the bundle's relations say; None where it has none."""
        if not self.bundle.of_kind("relation"):
            return None
        # Here and not above: the engine takes time to import, and most bundles have no relations.
        from sealtrace.checks.sealed_relations import SealedRelations

        return self.evidence.view(SealedRelations)

    # The manuscript

    @cached_property
    def _manuscripts(self) -> dict[str, Paper]:
        """What every manuscript prints that is sealed as source text, by its path; parts of another are read in it."""
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

    @property
    def paper(self) -> Paper:
        """What the bundle prints: its manuscripts that are sealed as source text, or else its table records."""
        found = list(self._manuscripts.values())
        return merged(found) if found else Paper(tuple(self.tables))

    @property
    def unused_manuscripts(self) -> list[str]:
        """Attachments that a paper's source or PDF may be, where no manuscript is sealed as one."""
        if self.bundle.manuscripts or self.bundle.pages:
            return []
        attached = [entry.path for entry in self.bundle.entries if entry.kind == "attachment"]
        return [path for path in attached if PurePath(path).suffix in (".tex", ".pdf")]

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
        from sealtrace.paper.pdf import pages_of, tables_of_pages  # only where a PDF is sealed

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
    def on_pages(self) -> dict[str, list[tuple[str, ComparedTable]]]:
        """By the label of each table, the pages that show one with its caption, and how these compare with it."""
        from sealtrace.paper.printed_page import compare, matching  # only where a PDF is sealed

        return {
            table.label: [(one.page.source, compare(table, one)) for one in matching(table, self._pages[0])]
            for table in map(self._as_captioned, self.tables)
        }

    @cached_property
    def unsettled_on_pages(self) -> list[str]:
        """Why the sealed PDFs do not settle what is printed: pages that were not read, tables that were not found or
        may be seen otherwise, and tables that no record reports."""
        from sealtrace.paper.printed_page import matching  # only where a PDF is sealed

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
        """What of a sealed manuscript could not be read, or only with a doubt; of each line the first.

        A command that nobody knows is doubtful twice, for what it takes and for what it may change.
        """
        found: dict[str, str] = {}
        for path, paper in self._manuscripts.items():
            for problem in paper.problems:
                if not problem.certain:
                    found.setdefault(f"{path}:{problem.line}", problem.message)
        return [f"{place}: {message}" for place, message in found.items()]

    @cached_property
    def doubted(self) -> dict[str, str]:
        """The first doubt at or above each table, by the path of its record; none where pages settle what is printed.

        A doubt of another file counts as above: where that is put in, its line does not say.
        """
        if not self.doubts or self.settled_by_pages:
            return {}
        found: dict[str, str] = {}
        for table in self.tables:
            for path, due in self.in_manuscripts(table):
                if due is None:
                    continue
                last = max([due.line or 0, *(line for row in due.rows for line in (row.line or 0, *row.lines))])
                for problem in self._manuscripts[path].problems:
                    below = problem.source == due.file and problem.line > last
                    if not problem.certain and not below:
                        found.setdefault(table.path or "", f"{path}:{problem.line}: {problem.message}")
        return found

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


def printed_numbers(evidence: Evidence, _: Outcome) -> PrintedNumbers:
    """For `of`: what a check of printed numbers looks at."""
    return evidence.view(PrintedNumbers)
