"""What the package offers to Python programs: each function is what the command of its name does.

examine   one read and one run of a bundle; the object answers everything else
verify    its report
check     how each number of a paper follows from a directory of results
diff      its cells, a paper's cells with its recipes, or two papers' cells, side by side
certify   certificates and maps from its records
audit     whether a paper's printed numbers can all be true
read_paper what a paper prints: tables with their cells, sentences with their numbers
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sealtrace.examination import Examination, examine

if TYPE_CHECKING:
    from sealtrace.contract.result import Result
    from sealtrace.paper.model import Paper
    from sealtrace.studies.policies.certified import Certified

__all__ = ["Examination", "audit", "certify", "check", "diff", "examine", "read_paper", "verify"]

AnyPath = str | PathLike[str]


def verify(path: AnyPath | None = None, *, details: bool = False, **options: Any) -> Result:
    """Verify a bundle and say what was found; `options` are those of `examine`.

    `details` adds the evidence behind the verdict, which pages show.
    """
    examination = examine(path, **options)
    return examination.full_report if details else examination.report


def diff(path: AnyPath, other: AnyPath | None = None, *, reported: Sequence[AnyPath] = ()) -> Result:
    """Printed cells beside recomputed ones; with `other`, the cells of two bundles or papers beside each other.

    `reported` are papers whose strings are judged in place of the bundle's table records.
    """
    from sealtrace.comparison import compare, compare_printed

    if other is not None:
        return compare_printed(Path(path), Path(other)).result
    return compare(examine(path), [Path(path) for path in reported]).result


def check(
    paper: AnyPath,
    results: AnyPath | None = None,
    *,
    seconds: float = 45.0,
    audited: bool = True,
    root: AnyPath | None = None,
    propose: Mapping[str, str] | None = None,
) -> Result:
    """How each number that a paper prints follows from a directory of results; `audited` asks the paper's own, too.

    `propose` says what labels mean in the results; each reading is tested by the numbers beside the label, and used
    where they bear it out.
    Where one directory holds both, it is enough to name that. Files that the paper puts in may lie anywhere below
    `root`, by default the top of its repository.
    """
    from sealtrace.binding.checking import concluded, examine_files
    from sealtrace.paper.papers import paper_and_results

    started = time.process_time()
    source, place = paper_and_results(Path(paper), None if results is None else Path(results))
    top = None if root is None else Path(root)
    findings, _ = examine_files(source, place, top, seconds=seconds, started=started, audited=audited, propose=propose)
    return concluded(findings)


def certify(
    path: AnyPath | Examination,
    *,
    selectors: Sequence[str] = (),
    partitions: Sequence[str] = (),
    explored: dict[str, Fraction | tuple[Fraction, Fraction]] | None = None,
) -> Certified:
    """Certificates and maps recomputed from a bundle's records; `explored` changes the declared setting."""
    from sealtrace.studies.policies.certifying import certify as certified

    examination = path if isinstance(path, Examination) else examine(path)
    return certified(examination, selectors, partitions, explored)


def audit(
    path: AnyPath, *, relations: Sequence[AnyPath] = (), seconds: float = 120.0, root: AnyPath | None = None
) -> Result:
    """Whether the numbers that a paper, a bundle or a directory of table records prints can all be true.

    Files that a paper puts in may lie anywhere below `root`, by default the top of its repository.
    """
    from sealtrace.bundle.budget import reading_within
    from sealtrace.relations.auditing import audit as audited
    from sealtrace.relations.subjects import read_source, read_subject

    started = time.process_time()
    with reading_within(seconds, Path(path).name):
        subject, beside = read_subject([Path(path)], root=None if root is None else Path(root))
    seconds = max(0.1, seconds - (time.process_time() - started))
    sources = [*beside, *(read_source(Path(relation)) for relation in relations)]
    return audited(subject, sources, seconds=seconds)


def read_paper(path: AnyPath, *, root: AnyPath | None = None) -> Paper:
    """What a paper prints: tables with header, groups, notes and cells, sentences with their numbers, each with an id.

    The paper is LaTeX, Markdown, CSV, PDF, or the archive of a preprint. Files that it puts in may lie anywhere below
    `root`; the top of its repository, or its own directory, where that is not given. `BundleError` where it cannot be
    read at all; what was refused or is in doubt is listed in `problems`.
    """
    from sealtrace.paper.papers import read_paper as read

    return read(Path(path), None if root is None else Path(root))
