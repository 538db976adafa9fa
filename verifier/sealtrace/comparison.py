"""Reported beside recomputed: the cells of an examined bundle, of a paper with its recipes, or of two papers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from sealtrace import __version__
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.reading import read_bundle
from sealtrace.contract.result import Finding, NotLookedAt, Result, Subject, Summary, Verdict
from sealtrace.contract.waivers import accepted
from sealtrace.evidence import Evidence
from sealtrace.examination import Examination, coverage_of
from sealtrace.paper.extracted import ProseLine
from sealtrace.paper.fact import cell_id
from sealtrace.paper.model import Paper
from sealtrace.paper.papers import is_paper, read_paper
from sealtrace.paper.quoted import quoted_numbers, with_found
from sealtrace.paper.reported import with_printed
from sealtrace.paper.sentences import sentences
from sealtrace.recipes.cell_results import CellResult
from sealtrace.recipes.cells import TableCell, cells_of, tables_in, wrong_marks
from sealtrace.recipes.judgement import ABSENT, CellStatus, Judgement


@dataclass(frozen=True)
class PaperComparison:
    """Cells with what became of them."""

    results: list[CellResult]
    subject: Subject
    labels: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    """Marks that are wrong, and what the reader's settings waive."""
    not_looked_at: list[NotLookedAt] = field(default_factory=list)
    """Problems of a file, and numbers of the text that nothing accounts for."""
    every: list[TableCell] = field(default_factory=list)
    """Every cell that the tables have, with those that print no number."""
    bundle_code: int = 0
    """What `verify` of the bundle would end with."""

    @property
    def result(self) -> Result:
        """The comparison as commands show it."""
        numbers = accepted([result.number for result in self.results], self.findings)
        wrong = any(one.word in ("differs", "contradicts") and one.waived is None for one in numbers)
        absent = not numbers or any(one.waived or one.status in ABSENT for one in numbers)
        verdict: Verdict = "incomplete" if absent or self.bundle_code else "verified"
        return Result(
            sealtrace=__version__,
            command="diff",
            subject=self.subject,
            verdict="findings" if wrong or self.bundle_code == 1 else verdict,
            summary=Summary(),
            findings=[finding for finding in self.findings if finding.waived is None],
            numbers=numbers,
            coverage=coverage_of(self.results, self.every),
            not_looked_at=self.not_looked_at,
        )

    def of_tables(self, tables: tuple[str, ...]) -> PaperComparison:
        """The cells of some tables."""
        return replace(
            self,
            results=[result for result in self.results if result.cell.table in tables],
            every=[cell for cell in self.every if cell.table in tables],
        )


def compare(examination: Examination, reported: list[Path] | None = None) -> PaperComparison:
    """A bundle's cells, or a paper's cells with the bundle's recipes, beside recomputed values."""
    printed, code = examination.printed, examination.report.exit_code
    waived = [finding for finding in examination.report.findings if finding.waived is not None]
    known = {table.label: table for table in printed.tables}
    labels = [table.label for table in printed.tables]
    if not reported:
        if not labels:
            raise BundleError("the bundle has no table records; name the paper with --reported")
        marks = wrong_marks_of(printed.cells)
        return PaperComparison(
            examination.cells, examination.subject, labels, waived + marks, every=printed.cells, bundle_code=code
        )
    cells: list[TableCell] = []
    passed: list[NotLookedAt] = []
    prose: list[ProseLine] = []
    papers: list[Paper] = []
    labels = []
    for file in reported:
        paper = read_paper(file)
        papers.append(paper)
        prose.extend(paper.prose)
        passed.extend(
            NotLookedAt(what=f"{problem.source}:{problem.line}", why=f"{problem.severity}: {problem.message}")
            for problem in paper.problems
        )
        for table in paper.tables:
            labels.append(table.label)
            sealed = known.get(table.label)
            if sealed is None:
                cells.extend(cells_of(table.as_sealed, file.name))
            else:
                cells.extend(cells_of(with_printed(sealed, table)))
    # Numbers of the running text have no table in the file: they are found by the words around them.
    for label, sealed in known.items():
        if sealed.is_text:
            labels.append(label)
            cells.extend(cells_of(with_found(sealed, quoted_numbers(sealed, papers))))
    # What a waiver accepts is what the bundle says; a paper that prints something else is judged for itself.
    said = {cell.name: cell.text for cell in printed.cells}
    changed = {cell.name for cell in cells if said.get(cell.name) != cell.text}
    waived = [finding for finding in waived if _address(finding) not in changed]
    return PaperComparison(
        printed.judged(cells),
        examination.subject.model_copy(update={"papers": [file.name for file in reported]}),
        labels,
        waived + wrong_marks_of(cells),
        passed + unaccounted(prose, cells),
        cells,
        code,
    )


def _address(finding: Finding) -> str:
    key = finding.key or {}
    return cell_id(key.get("table"), key.get("row"), key.get("column"))


def wrong_marks_of(cells: list[TableCell]) -> list[Finding]:
    """Cells that are emphasized and should not be, or the other way round."""
    return [
        Finding(
            check="table.marks",
            severity="warning",
            source=problem.cell.source or problem.cell.record,
            line=problem.cell.line,
            key={"table": problem.cell.table, "row": problem.cell.row, "column": problem.cell.column},
            message=problem.message,
            expected=problem.expected,
            found=problem.found,
        )
        for problem in wrong_marks(cells)
    ]


def unaccounted(prose: list[ProseLine], cells: list[TableCell]) -> list[NotLookedAt]:
    """Decimals of the running text that equal no number of any cell."""
    known = {part.text.replace("−", "-") for cell in cells if cell.printed for part in cell.printed.parts}
    return [
        NotLookedAt(what=f"{said.source}:{said.line}: {said.number.text} in the text", why="nothing accounts for it")
        for sentence in sentences(prose)
        for said in sentence.quantities
        if "." in said.number.text and said.number.text not in known
    ]


def compare_printed(left: Path, right: Path) -> PaperComparison:
    """The printed numbers of two bundles or papers, compared by address."""
    first, second = _printed(left), _printed(right)
    # By address and not by place: a row that was added must not shift all that follow.
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
    subject = Subject(name=f"{left.name} and {right.name}", papers=[left.name, right.name])
    return PaperComparison(results, subject, sorted({result.cell.table for result in results}))


def _result(cell: TableCell, status: CellStatus, sentence: str) -> CellResult:
    return CellResult(cell, Judgement(status, sentence))


def _printed(path: Path) -> list[TableCell]:
    if is_paper(path):
        return [cell for table in read_paper(path).tables for cell in cells_of(table, path.name)]
    return [cell for table in tables_in(Evidence(read_bundle(path))) for cell in cells_of(table)]
