"""What a check says: how much it inspected, and every finding with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sealtrace.bundle.defects import Defect
from sealtrace.bundle.frames import Frame, Index, Mask, Vector
from sealtrace.contract.result import Finding, Place, Severity
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import as_double

LISTED = 1000
"""How many findings of one check are kept in full; all are counted."""

LONGEST = 2000
"""How many characters of a text a finding repeats: a name of a million letters may stand in every row."""

USUAL_TOLERANCE = 1e-9
"""The largest difference between a replayed and a stored double that passes without a warning."""
LARGEST_TOLERANCE = Fraction(1, 10**4)
"""A tolerance that any number meets would make every replay pass."""

OWN: object = object()
"""Given as `found`, it stands for the row's own value of the field."""


@dataclass(frozen=True)
class FindingPlace:
    """A place in the bundle that findings are said of: a file, and the record's key and line where it has them."""

    outcome: Outcome
    source: str | None
    key: Mapping[str, str] | None = None
    row: int | None = None
    column: int | None = None

    def error(self, field: str | None, message: str, expected: object = None, found: object = None) -> None:
        """Something is wrong here."""
        self.say("error", field, message, expected, found)

    def expect(self, field: str | None, message: str, expected: object, found: object) -> None:
        """Something is wrong here, unless what is expected was found."""
        if expected != found:
            self.error(field, message, expected, found)

    def warning(self, field: str | None, message: str, expected: object = None, found: object = None) -> None:
        """Something is doubtful here."""
        self.say("warning", field, message, expected, found)

    def tolerance(self, field: str, declared: str) -> None:
        """Whether a declared tolerance is one, and a word where it is loose."""
        value = exact(declared)
        if not 0 < value <= LARGEST_TOLERANCE:
            domain = f"above 0 and at most {LARGEST_TOLERANCE}"
            self.error(field, "The declared value lies outside its domain.", domain, declared)
        elif value > Fraction(str(USUAL_TOLERANCE)):
            message = "The declared tolerance is loose. Warnings name what passes only because of it."
            self.warning(field, message, f"at most {USUAL_TOLERANCE:g}", declared)

    def note(self, field: str | None, message: str) -> None:
        """Something is worth knowing here."""
        self.say("note", field, message, None, None)

    def say(self, severity: Severity, field: str | None, message: str, expected: object, found: object) -> None:
        """A finding of any severity; all are counted, the first are kept."""
        self.outcome.counts[severity] += 1
        if len(self.outcome.findings) < LISTED:
            self.outcome.findings.append(
                Finding(
                    check=self.outcome.check,
                    severity=severity,
                    source=self.source,
                    line=self.row,
                    column=self.column,
                    key=None if self.key is None else {name: cut(value) for name, value in self.key.items()},
                    field=field,
                    expected=None if expected is None else cut(text(expected)),
                    found=None if found is None else cut(text(found)),
                    message=cut(message),
                )
            )


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

    def add(self, other: Outcome) -> None:
        """What the same check found in more records, in their order."""
        self.inspected += other.inspected
        self.findings.extend(other.findings[: LISTED - len(self.findings)])
        for severity, count in other.counts.items():
            self.counts[severity] += count
        self.missing = self.missing or other.missing
        self.not_applicable = self.not_applicable or other.not_applicable
        if other.largest is not None and (self.largest is None or _comes_first(other.largest, self.largest)):
            self.largest = other.largest

    def at(self, source: str | None, key: Mapping[str, str] | None = None, row: int | None = None) -> FindingPlace:
        """A place to say findings of."""
        return FindingPlace(self, source, key, row)

    def on(self, frame: Frame, row: int) -> FindingPlace:
        """A row to say findings of."""
        source, number = frame.place(row)
        return FindingPlace(self, source, frame.key(row), number)

    def defects(self, defects: Iterable[Defect]) -> None:
        """What reading found wrong."""
        for defect in defects:
            spot = FindingPlace(self, defect.path, defect.key, defect.row, defect.column)
            spot.say(defect.severity, defect.field, defect.message, defect.expected, defect.found)

    def rows(
        self,
        frame: Frame,
        where: Mask | Index,
        field: str,
        message: str | Callable[[int], str],
        expected: object = None,
        found: object = OWN,
        severity: Severity = "error",
    ) -> None:
        """One finding per row of a frame that `where` marks or lists; all counted, the first described.

        The message, and what was expected and found, is a value, a function of the row, or an array along `where`.
        """
        marks = where.dtype == np.bool_
        rows = np.flatnonzero(where) if marks else where
        # Only what is kept is looked up: keys and places of a million wrong rows would take minutes.
        listed = rows[: LISTED - len(self.findings)].tolist()
        for place, row in enumerate(listed):
            at = row if marks else place
            was = _own(frame, field, row) if found is OWN else _of(found, row, at)
            self.on(frame, row).say(severity, field, str(_of(message, row, at)), _of(expected, row, at), was)
        self.counts[severity] += len(rows) - len(listed)

    def compare(
        self,
        frame: Frame,
        rows: Index,
        field: str,
        replayed: Vector,
        stored: Vector,
        tolerance: float,
        message: str,
        scale: Vector | float = 0.0,
    ) -> None:
        """Every stored number within the tolerance of the replayed one. Arrays run along `rows`.

        The tolerance is relative to the larger of the two, or to `scale`, the size of what was added up: a
        difference of two large numbers is no more exact than they are.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            distance = np.abs(replayed - stored)
            allowed = tolerance * np.maximum(np.maximum(np.abs(replayed), np.abs(stored)), scale)
        # Not `distance > allowed`, which is false for NaN.
        position = np.flatnonzero(~(distance <= allowed))
        if len(position):
            self.rows(frame, rows[position], field, message, replayed[position], stored[position])
        elif tolerance > USUAL_TOLERANCE:
            self.warn_of_tolerance(
                frame, rows, field, replayed, stored, distance - allowed * (USUAL_TOLERANCE / tolerance)
            )
        self.farthest(frame, rows, field, distance)

    def normalized(self, frame: Frame, rows: Index, field: str, sums: Vector, declared: str) -> None:
        """Every sum of probabilities is one within the declared tolerance; `sums` runs along `rows`."""
        with np.errstate(invalid="ignore", over="ignore"):
            distance = np.abs(sums - 1.0)
        wrong = ~(distance <= as_double(exact(declared)))
        message = "The probabilities do not sum to one."
        self.rows(frame, rows[wrong], field, message, f"1 within {declared}", sums[wrong])
        self.warn_of_tolerance(
            frame, rows, field, np.ones_like(sums), sums, np.where(wrong, 0.0, distance - USUAL_TOLERANCE)
        )
        self.farthest(frame, rows, field, distance)

    def warn_of_tolerance(
        self, frame: Frame, rows: Index, field: str, replayed: Vector, stored: Vector, excess: Vector
    ) -> None:
        """Warns, at the number farthest off, where numbers pass only because the declared tolerance is loose."""
        if len(tolerated := np.flatnonzero(excess > 0)):
            worst = int(excess.argmax())
            self.on(frame, int(rows[worst])).warning(
                field,
                f"{len(tolerated)} numbers agree only because the declared tolerance is loose: "
                f"at {USUAL_TOLERANCE:g} they would be wrong.",
                float(replayed[worst]),
                float(stored[worst]),
            )

    def farthest(self, frame: Frame, rows: Index, field: str, distance: Vector) -> None:
        """Keeps the largest difference of some rows, of those that are numbers; `distance` runs along `rows`."""
        # Minus one loses against any distance, so that a row without a number is never the farthest.
        finite = np.where(np.isfinite(distance), distance, -1.0)
        if len(finite) and finite[worst := int(finite.argmax())] >= 0:
            self.difference(float(finite[worst]), frame, int(rows[worst]), field)

    def difference(self, value: float, frame: Frame, row: int, field: str) -> None:
        """Keeps the largest difference and where it was met."""
        if self.largest is None or value > self.largest.value:
            source, number = frame.place(row)
            self.largest = Place(
                value=value, check=self.check, source=source, line=number, key=frame.key(row), field=field
            )


def cut(text: str) -> str:
    """A text, or its beginning where it is longer than anybody reads."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def _comes_first(place: Place, other: Place) -> bool:
    """Whether a difference is larger, or as large and met earlier in the same file."""
    # Shards are judged in any order, and the same place must be named whichever came first.
    if place.value != other.value:
        return place.value > other.value
    return place.source == other.source and (place.line or 0) < (other.line or 0)


def _of(value: object, row: int, place: int) -> object:
    if callable(value):
        return value(row)
    return value[place] if isinstance(value, np.ndarray | list) else value


def _own(frame: Frame, field: str, row: int) -> object:
    """What a row holds in a field; a list as people write it."""
    name, _, inner = field.removeprefix("/").partition("/")
    value = frame.table.column(name)[row].as_py()
    if inner:
        value = dict(value).get(inner)
    return (", ".join(map(str, value)) or "none") if isinstance(value, list) else "nothing" if value is None else value


def text(value: object) -> str:
    """A value as findings print it."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))
    return str(value)
