"""What `diff`, `extract` and `explain` share: printed numbers from bundles and files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.reading import read_bundle
from sealtrace.checks.relations import bound_by_relations
from sealtrace.contract.report import Cell, Coverage
from sealtrace.printed.cells import CellResult, TableCell, bundle_cells, cells_of, evaluate_tables, missing_cells
from sealtrace.printed.extracted import ProseLine
from sealtrace.printed.judgement import Judgement, Status
from sealtrace.printed.marks import wrong_marks
from sealtrace.printed.reported import Reported, UnreadableTypeError, read_reported, with_printed
from sealtrace.report.inert import harmless
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.verification import cell_of, coverage_of, verify

_DECIMAL = re.compile(r"(?<![\w.])[-−]?\d+\.\d+(?![\w.]*\d)")


@dataclass(frozen=True)
class Printed:
    """Cells with what became of them."""

    results: list[CellResult]
    labels: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What to say besides: problems of a file, numbers in prose that nothing accounts for."""

    @property
    def cells(self) -> list[Cell]:
        return [cell_of(result) for result in self.results]

    @property
    def coverage(self) -> Coverage:
        return coverage_of(self.results)

    @property
    def exit_code(self) -> int:
        """1 for a difference, 3 for something missing or unclassified."""
        statuses = {result.status for result in self.results}
        if Status.MISMATCH in statuses:
            return 1
        return 3 if not statuses or statuses & {Status.MISSING, Status.UNCLASSIFIED} else 0

    def only(self, tables: tuple[str, ...]) -> Printed:
        """The cells of some tables."""
        return replace(self, results=[result for result in self.results if result.cell.table in tables])


def read_file(path: Path) -> Reported:
    """The tables of a paper's source."""
    root = path.parent.resolve()

    def load(name: str) -> str | None:
        """A file that the source includes, from its own directory or below."""
        for candidate in (root / name, root / f"{name}.tex"):
            resolved = candidate.resolve()
            if resolved.is_relative_to(root) and resolved.is_file():
                return resolved.read_text(encoding="utf-8", errors="replace")
        return None

    try:
        text = path.read_text(encoding="utf-8", errors="replace")
        return read_reported(text, path.name, load)
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror or error}") from None
    except UnreadableTypeError as error:
        raise BundleError(str(error)) from None


def recomputed_cells(bundle: Path, files: list[Path]) -> Printed:
    """A bundle's cells, or a paper's cells with the bundle's recipes, beside recomputed values."""
    report = verify(bundle, check=["table"])
    study = Study(read_bundle(bundle))
    records = [(document.value, document.path) for document in study.bundle.documents_of("table")]
    remarks: list[str] = []
    prose: list[ProseLine] = []
    if files:
        known = {record["label"]: (record, path) for record, path in records}
        records = []
        for file in files:
            reported = read_file(file)
            prose.extend(reported.prose)
            remarks.extend(
                f"{harmless(one.source)}:{one.line}: {one.severity}: {harmless(one.message)}"
                for one in reported.problems
            )
            for found in reported.records:
                if found["label"] in known:
                    record, path = known[found["label"]]
                    records.append((with_printed(record, found), path))
                else:
                    records.append((found, file.name))
        # Numbers of the running text have no table in the file; their records stay as they are.
        records.extend(known[label] for label in known if label.startswith("text"))
    elif not records:
        raise BundleError(f"{bundle}: the bundle has no table records; name the paper with --reported")
    cells = [cell for record, path in records for cell in cells_of(record, path)]
    spoilt = next(
        (one for one in report.checks if one.id == "table.cells" and one.status == "missing" and not one.inspected),
        None,
    )
    results = (
        missing_cells(cells, spoilt.reason or "")
        if spoilt
        else bound_by_relations(study, evaluate_tables(study, cells))
    )
    remarks.extend(
        f"{harmless(problem.cell.source or '')}:{problem.cell.line}: {harmless(problem.cell.name)} is marked "
        f"{problem.found}, and the column's direction gives {problem.expected}"
        for problem in wrong_marks(cells)
    )
    remarks.extend(unaccounted(prose, cells))
    return Printed(results, [record["label"] for record, _ in records], remarks)


def unaccounted(prose: list[ProseLine], cells: list[TableCell]) -> list[str]:
    """Decimals in running text that no cell and no bound number accounts for."""
    known = {part.text.replace("−", "-") for cell in cells if cell.printed for part in cell.printed.parts}
    return [
        f"{harmless(line.source)}:{line.line}: {match.group(0)} in the text is accounted for by nothing"
        for line in prose
        for match in _DECIMAL.finditer(line.text)
        if match.group(0).replace("−", "-") not in known
    ]


def compare_printed(left: Path, right: Path) -> Printed:
    """The printed numbers of two bundles or files, compared by address."""
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
            results.append(_result(cell, Status.MISSING, f"{right.name} has no such cell"))
        elif other.text == cell.text:
            results.append(_result(cell, Status.EXACT, f"{cell.text} in both"))
        else:
            results.append(_result(cell, Status.MISMATCH, f"{cell.text} in {left.name}, {other.text} in {right.name}"))
    results.extend(
        _result(cell, Status.MISSING, f"{left.name} has no such cell")
        for cell in second
        if cell.name not in seen and cell.printed is not None and cell.printed.numeric
    )
    return Printed(results, sorted({result.cell.table for result in results}))


def _result(cell: TableCell, status: Status, sentence: str) -> CellResult:
    return CellResult(cell, Judgement(status, sentence))


def _printed(path: Path) -> list[TableCell]:
    if path.is_file() and path.suffix.lower() in (".tex", ".ltx", ".md", ".markdown", ".csv", ".tsv"):
        records: list[tuple[dict[str, Any], str]] = [(record, path.name) for record in read_file(path).records]
        return [cell for record, name in records for cell in cells_of(record, name)]
    return bundle_cells(Study(read_bundle(path)))
