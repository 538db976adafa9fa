"""The check of a paper against a directory of results, stated once.

(1) Read the paper: tables and running text.
(2) Read the results: every data file as columns; what per-example rows say of each run.
(3) Bind tables: enumerate hypotheses, evaluate them on columns, score, choose.
(4) Bind numbers of the running text: to cells, then to results.
(5) Name accidents: an older run, a label beside another run's numbers, text that was left behind.
(6) Audit the paper's own numbers.
(7) Reach the verdict.

One clock runs for all of it: the audit goes first and takes a third at most, reading, columns, search and text have
their shares of what is left, and what there was no time for is said.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sealtrace import __version__
from sealtrace.binding.accidents import ACCIDENTS, Held, accidents_of, message_of, message_of_perhaps
from sealtrace.binding.candidates import Binding, Bound, Doubt
from sealtrace.binding.columns import frames_of
from sealtrace.binding.derived import derived_frames, unlike_flags
from sealtrace.binding.files import LARGE_BYTES, UNREADABLE, WRITTEN, Listing, copies_among, read_results, reason_of
from sealtrace.binding.frames import ResultFrame, melted
from sealtrace.binding.hypotheses import FrameView
from sealtrace.binding.paired import SPOKEN_OF, paired_tests
from sealtrace.binding.proposals import Proposal, learn, learn_initials, tested
from sealtrace.binding.prose import BoundText, bind_text
from sealtrace.binding.series import Grid, GridCell, Spot, grids_of
from sealtrace.binding.tables import bind_tables
from sealtrace.binding.tally import Tally
from sealtrace.binding.weighing import printed_as
from sealtrace.binding.witness import hear_labels
from sealtrace.binding.wording import formula_of, other_names, records_behind, said_of_names, selected_by, statistic_of
from sealtrace.bundle.budget import reading_within
from sealtrace.bundle.defects import BundleError, real_path
from sealtrace.contract.result import (
    WORDS,
    CheckResult,
    Coverage,
    Finding,
    FormulaResult,
    NotLookedAt,
    NumberResult,
    Result,
    Status,
    Subject,
    Summary,
    Verdict,
)
from sealtrace.paper.extracted import ReadingProblem
from sealtrace.paper.model import Paper
from sealtrace.paper.names.index import Names
from sealtrace.paper.papers import other_papers, read_paper
from sealtrace.paper.sentences import Sentence

Progress = Callable[[str, int, int], None]
_RESAMPLED = re.compile(r"bootstrap|resampl", re.IGNORECASE)
VALUES_A_SECOND = 200_000
WORK_A_SECOND = 20_000_000
"""Work that is allowed for each second of the bound: less than a quiet machine does, so that a busy one gives the same
answer."""
LITTLE, MOST_RIVALS = 0.2, 3
"""Share of explained numbers below which other papers are tried, and how many of them."""
Rivals = Callable[[], Iterable[tuple[Path, list[Grid]]]]
READING, FRAMES, SEARCH = 0.35, 0.5, 0.85
"""Shares of the time after which results are read, are columns, and tables are bound; the text has the rest."""
SMALL, LARGE = 0.45, 0.7
"""Where there are large files: shares of the time after which tables are bound to small ones, and large ones read."""


@dataclass
class Findings:
    """Everything that a check found, before it is put into words."""

    paper: str
    results: str
    grids: list[Grid]
    frames: list[ResultFrame]
    bound: Bound
    text: list[BoundText]
    set_aside: int
    listing: Listing
    tally: Tally
    audit: Result | None = None
    refused: list[ReadingProblem] = field(default_factory=list)
    """Tables of the paper that could not be read."""
    title: str | None = None
    """The paper's."""
    copies: list[list[str]] = field(default_factory=list)
    """Files of the same bytes among those that formulas read."""
    proposals: list[Proposal] = field(default_factory=list)
    """Readings of labels that were proposed, with what the results say of each."""


def examine_files(
    paper: Path,
    results: Path,
    root: Path | None = None,
    *,
    seconds: float,
    started: float | None = None,
    **options: Any,
) -> tuple[Findings, Paper]:
    """A paper's file and a directory, and what the paper prints; other papers that lie there are its rivals."""
    started = time.process_time() if started is None else started
    with reading_within(started + seconds - time.process_time(), paper.name):
        reported = read_paper(paper, root)

    def rivals() -> Iterator[tuple[Path, list[Grid]]]:
        for path in other_papers(paper, results)[:MOST_RIVALS]:
            with suppress(BundleError):
                yield path, grids_of(read_paper(path, root).tables)

    own = {real_path(paper), *(real_path(paper.parent / name) for name in reported.texts if name.endswith(WRITTEN))}
    found = examine(
        reported, paper.name, results, seconds=seconds, started=started, rivals=rivals, without=own, **options
    )
    return found, reported


def examine(
    reported: Paper,
    paper: str,
    results: Path,
    *,
    seconds: float = 45.0,
    started: float | None = None,
    audited: bool = False,
    progress: Progress | None = None,
    rivals: Rivals = tuple,
    without: Collection[Path] = (),
    large: int = LARGE_BYTES,
    propose: Mapping[str, str] | None = None,
) -> Findings:
    """Steps 1 to 4 and 6 for a paper and a directory; `seconds` bounds everything from when the check `started`.

    Files `without` are the paper's own, and give none of its numbers; `large` is how many bytes of rows are summed up.
    Labels that somebody proposes to read so are tested first, and read so where the results bear it out.
    """
    end = (time.process_time() if started is None else started) + seconds
    audit = _audited(reported, paper, min(seconds / 3, end - time.process_time()), progress) if audited else None  # (6)
    tally = Tally(end)
    if progress is not None:
        progress("reading results", 0, 1)
    grids = grids_of(reported.tables)  # (1)
    # What small files take is little; large ones may take a third of the time.
    tally.begin(READING)
    listing = read_results(results, seconds * VALUES_A_SECOND, tally.deadline, without, large)  # (2)
    if not listing.files and not listing.large and not listing.out_of_time:
        raise BundleError(f"{results}: {listing.nothing_read}")
    tally.end -= listing.elsewhere
    captions = [table.caption for table in reported.tables]
    name = real_path(results).name  # The current directory has none of its own.
    findings = find(
        grids, reported.sentences, listing, paper, name, captions,
        seconds=seconds, tally=tally, progress=progress, rivals=rivals, propose=propose,
    )  # fmt: skip
    refused = [problem for problem in reported.problems if problem.severity == "error"]
    files = {file for binding in findings.bound.bindings for file in binding.candidate.files}
    copies = copies_among(results, files)
    return replace(findings, audit=audit, refused=refused, title=reported.title, copies=copies)


def _audited(reported: Paper, paper: str, seconds: float, progress: Progress | None) -> Result:
    # Only where the paper is audited, too.
    from sealtrace.relations.auditing import audit
    from sealtrace.relations.subjects import subject_of

    return audit(subject_of(reported, paper), progress=progress, seconds=seconds)


def find(
    grids: list[Grid],
    sentences: Sequence[Sentence],
    listing: Listing,
    paper: str,
    results: str,
    captions: Sequence[str] = (),
    *,
    seconds: float = 45.0,
    tally: Tally | None = None,
    progress: Progress | None = None,
    rivals: Rivals = tuple,
    propose: Mapping[str, str] | None = None,
) -> Findings:
    """Steps 3 and 4, for tables and rows from wherever they came.

    Where hardly anything is explained, the tables of `rivals` are tried as well: the paper may be another one.
    """
    tally = tally or Tally(time.process_time() + seconds)
    tally.begin(FRAMES)
    names = Names([*(sentence.text for sentence in sentences), *captions])
    frames = frames_of(listing.tables, tally, listing.unread)
    if any(map(SPOKEN_OF.search, (*names.texts, *_labels(grids)))):
        frames += [tests for frame in frames for tests in paired_tests(frame)]
    views = _views(frames, names, tally)
    proposals = tested(propose or {}, grids, [view.frame for view in views if not view.melted])
    learn(names.glossary, proposals)
    learn_initials(names.glossary, _labels(grids), [view.frame for view in views if not view.melted])
    tally.begin(SMALL if listing.large else SEARCH)
    bound = Bound()
    if views or not listing.large:
        _bind(grids, views, bound, tally, seconds * WORK_A_SECOND, progress)  # (3)
    if listing.large:
        open_grids = [grid for grid in grids if not _is_given(grid, bound)]
        frames = [view.frame for view in views if not view.melted]
        tally.begin(LARGE)
        if not open_grids and all(
            WORDS[number.status] != "open" for number in bind_text(sentences, grids, bound, frames, names, tally)[0]
        ):
            for group in listing.large:
                listing.skip(group, "smaller files give every number", missed=False)
        elif more := _large_views(listing, _labels(grids), names, tally, progress):
            views = _ordered([*views, *more])
            bound.remove([binding for binding in bound.bindings if binding.candidate.series.grid in open_grids])
            tally.begin(SEARCH)
            _bind(open_grids, views, bound, tally, tally.work + seconds * WORK_A_SECOND, progress)
    frames = [view.frame for view in views if not view.melted]
    tally.begin(1.0)
    for path, others in rivals() if _explained(bound, grids) < LITTLE else ():
        share = _explained(bind_tables(others, views, Tally(tally.end), seconds * WORK_A_SECOND / 4), others)
        if share > 0.5:
            told = f"results give {100 * share:.0f} % of the numbers in its tables, and hardly any in those of {paper}"
            listing.problems.insert(0, f"{path}: {told}; is that the paper?")
    text, set_aside = bind_text(sentences, grids, bound, frames, names, tally, progress)  # (4)
    tally.seconds = time.process_time() - tally.started + listing.elsewhere
    return Findings(paper, results, grids, frames, bound, text, set_aside, listing, tally, proposals=proposals)


def _explained(bound: Bound, grids: list[Grid]) -> float:
    """Share of the numbers of tables that results give."""
    numbers = sum(len(cell.slots) for grid in grids for cell in grid.cells.values())
    return sum(number.agrees for number in bound.numbers.values()) / max(1, numbers)


def _bind(
    grids: list[Grid], views: list[FrameView], bound: Bound, tally: Tally, work: float, progress: Progress | None
) -> None:
    """(3): what the values say, then what the labels say."""
    bind_tables(grids, views, tally, work, progress, bound)
    hear_labels(grids, views, bound, tally, (work - tally.work) / 2)


def _is_given(grid: Grid, bound: Bound) -> bool:
    """Whether results give every number of a table."""
    spots = [Spot(grid.number, *place, slot) for place, cell in grid.cells.items() for slot in range(len(cell.slots))]
    return all(spot in bound.numbers and bound.numbers[spot].agrees for spot in spots)


def views_of(listing: Listing, texts: list[str], tally: Tally) -> list[FrameView]:
    """All results, large ones too, as columns in which labels can be looked up; abbreviations mean what texts say."""
    names = Names(texts)
    views = _views(frames_of(listing.tables, tally, listing.unread), names, tally)
    return _ordered([*views, *_large_views(listing, frozenset(filter(None, texts)), names, tally)])


def _views(frames: list[ResultFrame], names: Names, tally: Tally) -> list[FrameView]:
    frames = frames + [derived for frame in frames for derived in derived_frames(frame, tally)]
    frames = [frame for frame in frames if frame.measures]
    views = [FrameView(frame, False, names) for frame in frames]
    return _ordered(views + [FrameView(long, True, names) for frame in frames if (long := melted(frame)) is not None])


def _ordered(views: list[FrameView]) -> list[FrameView]:
    """What is small is tried first: aggregates are more often printed than what they were made of."""
    return sorted(views, key=lambda view: (view.melted, (view.frame.whole or view.frame).numbers.size))


def _labels(grids: list[Grid]) -> frozenset[str]:
    """Everything that stands beside numbers in tables."""
    rows = {label for grid in grids for labels in grid.row_labels.values() for label in labels}
    texts = rows | {header for grid in grids for header in (*grid.headers, grid.caption)}
    return frozenset(filter(None, texts))


def _large_views(
    listing: Listing, labels: frozenset[str], names: Names, tally: Tally, progress: Progress | None = None
) -> list[FrameView]:
    """Files that are too large to hold, summed up by what labels name; those that could not be read are said."""
    if not listing.large:
        return []
    from sealtrace.binding.large import condensed  # Arrow's readers take time to start, and few releases need them.

    frames: list[ResultFrame] = []
    for place, group in enumerate(listing.large):
        if progress is not None:
            progress(f"reading {group.names[0]} and more", place, len(listing.large))
        try:
            frames += condensed(group, labels, names, tally.deadline)
        except UNREADABLE as error:
            listing.skip(group, reason_of(error))
        else:
            listing.files += len(group.paths)
            listing.bytes += sum(path.stat().st_size for path in group.paths)
    return _views(frames, names, tally)


NUMBERS = "results.numbers"
_TITLES = {NUMBERS: "Each printed number is what the results give", ACCIDENTS: "No known accident explains numbers"}


def concluded(findings: Findings) -> Result:
    """Steps 5 and 7: the findings as a result."""
    bindings = {id(binding): f"b{place}" for place, binding in enumerate(findings.bound.bindings, 1)}
    formulas = [_formula(binding, bindings[id(binding)]) for binding in findings.bound.bindings]
    cells = [(grid, cell) for grid in findings.grids for _, cell in sorted(grid.cells.items())]
    by_id, held = {formula.id: formula for formula in formulas}, Held(findings.frames)
    numbers = [_cell(findings, grid, cell, by_id, bindings, held) for grid, cell in cells]
    numbers += map(_text, findings.text)
    accidents = accidents_of(findings.grids, findings.bound, findings.copies)  # (5)
    serious = any(accident.severity == "error" for accident in accidents)
    together = {doubt.grid.table.id(spot.row, spot.column) for doubt in findings.bound.doubts for spot in doubt.spots}
    differing = [_differs(number) for number in numbers if number.status in _WORST and number.id not in together]
    wrong = [finding for finding in differing if finding.severity == "error"]
    differing += map(_doubted, findings.bound.doubts)
    differing += [finding for frame in findings.frames for finding in _flags(frame)]
    differing += _renamed(findings)
    audit = findings.audit
    if audit is not None:
        # What results give or deny is said first; what only the paper's own numbers deny, contradicts.
        denied = {number.id: number for number in audit.numbers if number.word == "contradicts"}
        numbers = [
            number.model_copy(update={"word": "contradicts", "status": "contradicted"})
            if number.word == "open" and number.id in denied
            else number
            for number in numbers
        ]
    undecided = sum(number.word == "open" for number in numbers)
    missing = "no number was found" if not numbers else f"{undecided} of them are given by nothing" * bool(undecided)
    missing = missing or "a table could not be read" * bool(findings.refused)
    checks = [
        _check(NUMBERS, "fail" if wrong else "missing" if missing else "pass", len(numbers), "numbers",
               len(differing), missing or None),
        _check(ACCIDENTS, "fail" if serious else "pass", len(formulas), "formulas", len(accidents)),
    ]  # fmt: skip
    listing, tally = findings.listing, findings.tally
    passed = [NotLookedAt(what=f"{problem.source}:{problem.line}", why=problem.message) for problem in findings.refused]
    passed += [NotLookedAt(what=what, why=why or "not read") for what, _, why in
              (problem.partition(": ") for problem in (*tally.partial, *listing.problems))]  # fmt: skip
    passed += [NotLookedAt(what=what, why="not tried for want of time") for what in tally.untried]
    passed += [
        NotLookedAt(what=what, why="not tried, it is more work than these seconds allow") for what in tally.too_much
    ]
    return Result(
        sealtrace=__version__,
        command="check",
        subject=Subject(
            name=findings.paper,
            title=findings.title,
            papers=sorted({number.source for number in numbers if number.source}) or [findings.paper],
            results=findings.results,
        ),
        verdict=_verdict(checks, audit),
        summary=Summary(
            inspected=[
                listing.in_words,
                f"{_counted(len(findings.frames), 'table')} of results",
                f"{_counted(tally.hypotheses, 'formula')} compared",
            ]
        ),
        checks=[*checks, *(audit.checks if audit else ())],
        findings=[*accidents, *differing, *(audit.findings if audit else ())],
        numbers=numbers,
        formulas=formulas,
        claims=[*(one.claim() for one in findings.proposals), *(audit.claims if audit else ())],
        coverage=Coverage.of([number.status for number in numbers], text=len(findings.text), names=findings.set_aside),
        not_looked_at=[*passed, *(one for one in audit.not_looked_at if one not in passed)] if audit else passed,
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _check(name: str, status: Status, inspected: int, unit: str, found: int, reason: str | None = None) -> CheckResult:
    if status != "missing":
        reason = None
    return CheckResult(
        id=name, title=_TITLES[name], status=status, reason=reason, inspected=inspected, unit=unit, findings=found
    )


def _verdict(checks: list[CheckResult], audit: Result | None) -> Verdict:
    """(7): numbers of a superseded run follow from results, and are not what the paper should print."""
    statuses = {check.status for check in checks}
    if "fail" in statuses or (audit is not None and audit.verdict == "findings"):
        return "findings"
    return "incomplete" if "missing" in statuses else "verified"


def _differs(number: NumberResult) -> Finding:
    place = {"table": number.table, "row": number.row, "column": number.column}
    return Finding(
        check=NUMBERS,
        severity="error" if number.word == "differs" else "warning",
        source=number.source,
        line=number.line,
        # Text that was left behind when the results changed.
        key={name: label for name, label in place.items() if label is not None}
        or {"number": number.id, "accident": "stale-text"},
        expected=number.given,
        found=number.printed,
        message=(number.says or number.printed) + _chances(number),
    )


def _doubted(doubt: Doubt) -> Finding:
    """A table or a row as a whole."""
    return Finding(
        check=NUMBERS, severity="warning", source=doubt.grid.source, line=doubt.grid.line,
        key={"table": doubt.grid.name, "accident": doubt.accident}, message=doubt.message,
    )  # fmt: skip


def _flags(frame: ResultFrame) -> Iterator[Finding]:
    """Flags of results that do not say what the answers beside them say."""
    for name, right, rows in unlike_flags(frame):
        place = frame.places[rows[0]]
        yield Finding(
            check=NUMBERS,
            severity="warning",
            source=place.partition(":")[0],
            key={"field": name, "accident": "unlike-flag"},
            message=f"{name} does not say whether {right} in {len(rows):,} of {frame.rows:,} rows of {frame.name}, "
            f"first in {place}. Numbers that follow from {name} and from the answers differ.",
        )  # fmt: skip


def _renamed(findings: Findings) -> Iterator[Finding]:
    """Numbers that follow although no label names their records: their values alone say which these are."""
    for grid in findings.grids:
        names: dict[str, str] = {}
        count = 0
        for spot, number in findings.bound.numbers.items():
            if spot.table == grid.number and number.agrees and (found := other_names(number.binding.candidate)):
                names |= found
                count += 1
        if names:
            yield Finding(
                check=NUMBERS, severity="note", source=grid.source, line=grid.line,
                key={"table": grid.name, "accident": "another-name"},
                message=f"{_counted(count, 'number')} of {grid.name} follow under another name, because they stand "
                f"together there: {said_of_names(names)}. No label says so; look whether that is what is meant.",
            )  # fmt: skip


def _chances(number: NumberResult) -> str:
    """How sure it is that the words mean this record, which is what the odds were fitted to."""
    if number.odds is None:
        return ""
    words = "sentence means" if number.sentence else "labels mean"
    probably = "Probably the" if number.status == "probably-off" else "The"
    return f" {probably} {words} this record: odds {number.odds:.0f} : 1."


_WORST = ("off", "probably-off", "truncated", "double-rounded")
"""What is said of a cell with several numbers is the worst that is said of one."""


def _cell(
    findings: Findings,
    grid: Grid,
    cell: GridCell,
    formulas: dict[str, FormulaResult],
    names: dict[int, str],
    held: Held,
) -> NumberResult:
    spots = [Spot(grid.number, cell.row, cell.column, slot) for slot in range(len(cell.slots))]
    found = [findings.bound.numbers[spot] for spot in spots if spot in findings.bound.numbers]
    statuses = [number.status for number in found]
    wrong = sorted((number for number in found if not number.agrees), key=lambda number: _WORST.index(number.status))
    status = next((one for one in _WORST if one in statuses), "explained")
    says = message_of(grid, cell, wrong[0]) if wrong else ""
    if not wrong and len(found) < len(spots):
        status = "unexplained"
        spot, slot = next(one for one in zip(spots, cell.slots, strict=True) if one[0] not in findings.bound.numbers)
        perhaps = findings.bound.perhaps.get(spot)
        why = held.why_open(slot) if perhaps is None else message_of_perhaps(*perhaps)
        says = f"{slot.text}: " * (slot.text != cell.text) + why
        resampled = _RESAMPLED.search(f"{grid.headers[cell.column]} {grid.caption}")
        if resampled is not None and (slot is not cell.slots[0] or len(cell.slots) == 2):
            says += "; ends of bootstrap intervals follow from no formula, since their seeds are not known"
    behind = [records_behind(*number.part) for number in found]
    given = cell.text
    for number in wrong:
        given = given.replace(number.slot.text, printed_as(number.value, number.slot), 1)
    used = list(dict.fromkeys(names[id(number.binding)] for number in found))
    return NumberResult(
        id=grid.table.id(cell.row, cell.column),
        table=grid.name,
        row=grid.table.rows[cell.row].label,
        column=grid.table.headers[cell.column],
        printed=cell.text,
        word=WORDS[status],
        status=status,
        given=None if status == "unexplained" else given,
        formula="; ".join(formulas[name].formula for name in used) or None,
        records=list(dict.fromkeys(place for places, _ in behind for place in places))[:5],
        count=max((count for _, count in behind), default=0),
        source=cell.source,
        line=cell.line,
        says=says,
        odds=next((round(number.odds, 1) for number in wrong if number.odds is not None), None),
        formulas=used,
    )


def _text(text: BoundText) -> NumberResult:
    return NumberResult(
        id=text.number.id,
        sentence=text.sentence.short,
        printed=text.number.text,
        word=WORDS[text.status],
        status=text.status,
        given=text.expected or (text.number.text if text.status == "explained" else None),
        formula=text.by,
        source=text.number.source,
        line=text.number.line,
        says=text.message or "",
        odds=None if text.odds is None else round(text.odds, 1),
    )


def _formula(binding: Binding, name: str) -> FormulaResult:
    candidate = binding.candidate
    others = [formula_of(candidate) for candidate in binding.others]
    return FormulaResult(
        id=name,
        table=candidate.series.grid.name,
        kind=candidate.series.kind,
        subject=candidate.series.constant[0],
        formula=formula_of(candidate),
        files=candidate.files[:20],
        measure=", ".join(dict.fromkeys(selected.measure for selected in candidate.selected)),
        statistic=statistic_of(candidate),
        transformation=candidate.selected[0].transformation.name,
        where=dict(candidate.selected[0].fixed),
        by=selected_by(candidate),
        bits=round(binding.score, 1),
        agrees=int(candidate.agrees.sum()),
        numbers=int(candidate.covered.sum()),
        ambiguous=others,
        apart=_apart(binding) if others else None,
    )


def _apart(binding: Binding) -> str:
    """What would tell a binding from the others."""
    chosen = binding.candidate
    for other in binding.others:
        both = chosen.covered & other.covered
        gaps = np.abs(chosen.expected - other.expected)[both]
        if gaps.size and gaps.max() > 1e-9:
            place = int(np.nonzero(both)[0][int(np.argmax(gaps))])
            label = ", ".join(label.text for label in chosen.series.varying[place])
            return (
                f"one more printed digit: for {label} they give {chosen.expected[place]:.6g} "
                f"and {other.expected[place]:.6g}"
            )
    return "nothing that is printed: they give the same values everywhere"
