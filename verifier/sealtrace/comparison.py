"""Reported beside recomputed: the cells of an examined bundle, of a paper with its recipes, or of two papers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.reading import read_bundle
from sealtrace.contract.report import Cell, Coverage, Finding
from sealtrace.contract.waivers import accepted
from sealtrace.evidence import Evidence
from sealtrace.examination import Examination
from sealtrace.examined import cell_of, coverage_of
from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.papers import is_paper, read_paper
from sealtrace.paper.reported import with_printed
from sealtrace.paper.sentences import sentences
from sealtrace.recipes.cells import TableCell, cells_of, tables_in, wrong_marks
from sealtrace.recipes.evaluation import CellResult
from sealtrace.recipes.judgement import ABSENT, WRONG, CellStatus, Judgement


@dataclass(frozen=True)
class Comparison:
    """Cells with what became of them."""

    results: list[CellResult]
    labels: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What to say besides: problems of a file, numbers in prose that nothing accounts for."""
    every: list[TableCell] = field(default_factory=list)
    """Every cell that the tables have, with those that print no number."""
    bundle_code: int = 0
    """What `verify` of the bundle would end with."""
    waived: list[Finding] = field(default_factory=list)
    """What `verify` says of the bundle that the reader's settings waive."""

    @property
    def cells(self) -> list[Cell]:
        """The cells as reports have them."""
        return accepted([cell_of(result) for result in self.results], self.waived)

    @property
    def coverage(self) -> Coverage:
        """How the cells are accounted for."""
        return coverage_of(self.results, self.every)

    @property
    def exit_code(self) -> int:
        """1 where a cell differs or the bundle fails, 3 where something is missing or unclassified."""
        cells = self.cells
        if any(cell.status in WRONG and cell.waived is None for cell in cells) or self.bundle_code == 1:
            return 1
        absent = not cells or any(cell.waived or cell.status in ABSENT for cell in cells)
        return 3 if absent or self.bundle_code else 0

    def only(self, tables: tuple[str, ...]) -> Comparison:
        """The cells of some tables."""
        return replace(
            self,
            results=[result for result in self.results if result.cell.table in tables],
            every=[cell for cell in self.every if cell.table in tables],
        )


def compare(examination: Examination, reported: list[Path] | None = None) -> Comparison:
    """A bundle's cells, or a paper's cells with the bundle's recipes, beside recomputed values."""
    printed, code = examination.printed, examination.report.exit_code
    waived = [finding for finding in examination.report.findings if finding.waived is not None]
    known = {table.label: table for table in printed.tables}
    labels = [table.label for table in printed.tables]
    if not reported:
        if not labels:
            raise BundleError("the bundle has no table records; name the paper with --reported")
        return Comparison(examination.cells, labels, _mark_remarks(printed.cells), printed.cells, code, waived)
    cells: list[TableCell] = []
    remarks: list[str] = []
    prose: list[ProseLine] = []
    labels = []
    for file in reported:
        paper = read_paper(file)
        prose.extend(paper.prose)
        remarks.extend(
            f"{problem.source}:{problem.line}: {problem.severity}: {problem.message}" for problem in paper.problems
        )
        for table in paper.tables:
            labels.append(table.label)
            sealed = known.get(table.label)
            if sealed is None:
                cells.extend(cells_of(table.as_sealed, file.name))
            else:
                cells.extend(cells_of(with_printed(sealed, table)))
    # Numbers of the running text have no table in the file; their records stay as they are.
    for label, sealed in known.items():
        if label.startswith("text"):
            labels.append(label)
            cells.extend(cells_of(sealed))
    remarks += _mark_remarks(cells) + unaccounted(prose, cells)
    # What a waiver accepts is what the bundle says; a paper that prints something else is judged for itself.
    said = {cell.name: cell.text for cell in printed.cells}
    changed = {cell.name for cell in cells if said.get(cell.name) != cell.text}
    waived = [finding for finding in waived if _address(finding) not in changed]
    return Comparison(printed.judged(cells), labels, remarks, cells, code, waived)


def _address(finding: Finding) -> str:
    key = finding.key or {}
    return f"{key.get('table')}[{key.get('row')}, {key.get('column')}]"


def _mark_remarks(cells: list[TableCell]) -> list[str]:
    return [
        f"{problem.cell.source or problem.cell.record}:{problem.cell.line}: {problem.cell.name}: {problem.message} "
        f"(expected {problem.expected}, found {problem.found})"
        for problem in wrong_marks(cells)
    ]


def unaccounted(prose: list[ProseLine], cells: list[TableCell]) -> list[str]:
    """Decimals in running text that no cell and no bound number accounts for."""
    known = {part.text.replace("−", "-") for cell in cells if cell.printed for part in cell.printed.parts}
    return [
        f"{sentence.source}:{number.line}: {part.text} in the text is accounted for by nothing"
        for sentence in sentences(prose)
        for number in sentence.numbers
        for part in number.printed.parts
        if "." in part.text and part.text not in known
    ]


def compare_printed(left: Path, right: Path) -> Comparison:
    """The printed numbers of two bundles or papers, compared by address."""
    first, second = _printed(left), _printed(right)
    others = {cell.name: cell for cell in second}
    results: list[CellResult] = []
    seen = set()
    for cell in first:
        if cell.printed is None or not cell.printed.numeric:
            continue
        seen.add(cell.name)
        other = others.get(cell.name)
        if other is None:
            results.append(_result(cell, CellStatus.MISSING, f"{right.name} has no such cell"))
        elif other.text == cell.text:
            results.append(_result(cell, CellStatus.EXACT, f"{cell.text} in both"))
        else:
            results.append(
                _result(cell, CellStatus.MISMATCH, f"{cell.text} in {left.name}, {other.text} in {right.name}")
            )
    results.extend(
        _result(cell, CellStatus.MISSING, f"{left.name} has no such cell")
        for cell in second
        if cell.name not in seen and cell.printed is not None and cell.printed.numeric
    )
    return Comparison(results, sorted({result.cell.table for result in results}))


def _result(cell: TableCell, status: CellStatus, sentence: str) -> CellResult:
    return CellResult(cell, Judgement(status, sentence))


def _printed(path: Path) -> list[TableCell]:
    if is_paper(path):
        return [cell for table in read_paper(path).tables for cell in cells_of(table, path.name)]
    return [cell for table in tables_in(Evidence(read_bundle(path))) for cell in cells_of(table)]
