"""What a check says: how much it inspected, and every finding with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sealtrace.bundle.defects import Defect
from sealtrace.contract.report import Finding, Place, Severity

if TYPE_CHECKING:
    from sealtrace.studies.policies.evidence.frame import Frame

LISTED = 1000
"""How many findings of one check are kept in full; all are counted."""

Index = npt.NDArray[np.int64]
Vector = npt.NDArray[np.float64]


@dataclass
class Outcome:
    """The work of one check."""

    check: str
    unit: str
    inspected: int = 0
    findings: list[Finding] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: {"error": 0, "warning": 0, "note": 0})
    missing: str | None = None
    """Why evidence is absent, where it is."""
    not_applicable: str | None = None
    """Why the study does not exercise the check, where it does not."""
    largest: Place | None = None
    """The largest difference between a replayed and a stored number."""

    def add(
        self,
        message: str,
        *,
        severity: Severity = "error",
        source: str | None = None,
        row: int | None = None,
        column: int | None = None,
        key: dict[str, str] | None = None,
        field: str | None = None,
        expected: object = None,
        found: object = None,
    ) -> None:
        """One finding."""
        self.counts[severity] += 1
        if len(self.findings) < LISTED:
            self.findings.append(
                Finding(
                    check=self.check,
                    severity=severity,
                    source=source,
                    row=row,
                    column=column,
                    key=key,
                    field=field,
                    expected=None if expected is None else text(expected),
                    found=None if found is None else text(found),
                    message=message,
                )
            )

    def defects(self, defects: Iterable[Defect]) -> None:
        """What reading found wrong."""
        for one in defects:
            self.add(
                one.message,
                severity=one.severity,
                source=one.path,
                row=one.row,
                column=one.column,
                key=one.key,
                field=one.field,
                expected=one.expected,
                found=one.found,
            )

    def rows(
        self,
        frame: Frame,
        rows: Index,
        field: str,
        message: str,
        *,
        expected: Callable[[int], object],
        found: Callable[[int], object],
        severity: Severity = "error",
    ) -> None:
        """One finding per row of a frame; all counted, the first described."""
        for row in rows[: LISTED - len(self.findings)].tolist():
            source, number = frame.place(row)
            self.add(
                message,
                severity=severity,
                source=source,
                row=number,
                key=frame.key(row),
                field=field,
                expected=expected(row),
                found=found(row),
            )
            self.counts[severity] -= 1
        self.counts[severity] += len(rows)

    def compare(
        self,
        frame: Frame,
        rows: Index,
        field: str,
        replayed: Vector,
        stored: Vector,
        tolerance: float,
        message: str,
    ) -> None:
        """Every stored number within the tolerance of the replayed one. Arrays run along `rows`."""
        with np.errstate(invalid="ignore", over="ignore"):
            distance = np.abs(replayed - stored)
        wrong = ~(distance <= tolerance)
        position = np.flatnonzero(wrong)
        if len(position):
            place = {int(rows[index]): index for index in position.tolist()}
            self.rows(
                frame,
                rows[position],
                field,
                message,
                expected=lambda row: float(replayed[place[row]]),
                found=lambda row: float(stored[place[row]]),
            )
        finite = np.where(np.isfinite(distance), distance, -1.0)
        if len(finite) and (worst := int(finite.argmax())) >= 0 and finite[worst] >= 0:
            self.difference(float(finite[worst]), frame, int(rows[worst]), field)

    def difference(self, value: float, frame: Frame, row: int, field: str) -> None:
        """Keeps the largest difference and where it was met."""
        if self.largest is None or value > self.largest.value:
            source, number = frame.place(row)
            self.largest = Place(
                value=value, check=self.check, source=source, row=number, key=frame.key(row), field=field
            )


def text(value: object) -> str:
    """A value as findings print it."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))
    return str(value)
