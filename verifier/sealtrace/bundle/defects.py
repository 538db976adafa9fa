"""What reading finds wrong, where, and what was probably meant. Checks turn defects into findings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from sealtrace.bundle.strict_json import StrictJSONError


class BundleError(Exception):
    """The input cannot be treated as a bundle at all. The command line exits with 2."""


@contextmanager
def refusing(place: object, kind: type[BundleError] = BundleError) -> Iterator[None]:
    """What the system refuses, or is no strict JSON, is an error that names its place; no file is overwritten."""
    try:
        yield
    except FileExistsError as error:
        raise kind(f"{error.filename2 or error.filename or place}: exists already; nothing is overwritten") from None
    except OSError as error:
        raise kind(f"{error.filename or place}: {error.strerror or error}") from None
    except StrictJSONError as error:
        raise kind(f"{place}: {error}") from None


@dataclass(frozen=True)
class Defect:
    """One thing wrong with the bytes or records of a bundle."""

    message: str
    path: str | None = None
    row: int | None = None
    """Line or row, from one."""
    column: int | None = None
    """Column of a text line, from one."""
    key: dict[str, str] | None = None
    field: str | None = None
    """JSON pointer."""
    expected: str | None = None
    found: str | None = None
    severity: Literal["error", "warning", "note"] = "error"

    @classmethod
    def of_json(cls, error: StrictJSONError, path: str) -> Defect:
        """A text that is not strict JSON."""
        return cls(error.message, path, error.line, error.column)

    @property
    def outcome(self) -> str:
        """What was expected and what is there, where that is known; else the message."""
        return self.message if self.expected is None else f"expected {self.expected}, found {self.found}"


LISTED_DEFECTS = 1000
"""How many defects of one file are kept in full; all are counted."""


@dataclass
class Defects:
    """Defects of one file: all counted, the first kept."""

    listed: list[Defect] = field(default_factory=list)
    total: int = 0

    def add(self, *defects: Defect) -> None:
        """Count some more."""
        self.total += len(defects)
        self.listed += defects[: LISTED_DEFECTS - len(self.listed)]


@dataclass
class RowsReading:
    """One file of rows while it is read: what is wrong with it, and which rows are spoilt by that."""

    path: str
    key: tuple[str, ...]
    """The fields that identify a row."""
    syntax: Defects = field(default_factory=Defects)
    """Text that is not strict JSON, or bytes that are not Parquet."""
    misfits: Defects = field(default_factory=Defects)
    """Rows that their schema refuses."""
    spoilt: set[int] = field(default_factory=set)
    numbers: Sequence[int] = range(1, 2**62)
    """Line or row number of each row."""
    value_of: Callable[[int, str], object] = lambda _row, _name: None
    """The value of a field of a row, as far as it is known when a misfit is met."""
    footer: bytes = b""
    """What a Parquet file says besides its records."""
    _known: set[tuple[int, str]] = field(default_factory=set)

    def of_type(self, row: int, pointer: str, expected: str, found: str) -> None:
        """A value that has no place in its column. It becomes null there."""
        self._known.add((row, pointer))
        self._refuse(row, pointer, expected, found)

    def of_value(self, row: int, pointer: str, expected: str, found: str) -> None:
        """A value that its column holds but its schema refuses; a null left by `of_type` is known already."""
        if (row, pointer) not in self._known:
            self._refuse(row, pointer, expected, found)

    def _refuse(self, row: int, pointer: str, expected: str, found: str) -> None:
        self.spoilt.add(row)
        if self.misfits.total >= LISTED_DEFECTS:
            # Counted only: looking up the key of every bad row of a million takes minutes.
            self.misfits.total += 1
            return
        values = {name: self.value_of(row, name) for name in self.key}
        key = {name: value for name, value in values.items() if isinstance(value, str)} or None
        message, number = "The value does not fit the schema.", int(self.numbers[row])
        self.misfits.add(Defect(message, self.path, number, None, key, pointer, expected, found))


def real_path(path: Path) -> Path:
    """Where a path leads. Links in a circle lead nowhere, and are left for whoever opens them to refuse."""
    return Path(os.path.realpath(path))


def as_text(name: str) -> str:
    """A text that UTF-8 can write: bytes of a file's name that are no UTF-8, and half characters, are spelled out."""
    return name.encode("utf-8", "backslashreplace").decode()


def nearest(word: str, known: Iterable[str], listed: int = 8) -> str:
    """A hint at the end of a message: the name that was probably meant, or those that there are."""
    names = list(dict.fromkeys(known))
    # Bounded, because both may come from a bundle, and comparing takes the product of their lengths.
    close = get_close_matches(word[:200], names[:500], n=1, cutoff=0.6)
    folded = [name for name in names if len(word) > 2 and word.casefold() in name.casefold()]
    if close or len(folded) == 1:
        return f"; did you mean {(close or folded)[0]!r}?"
    if not names:
        return "; there is none"
    shown = ", ".join(repr(name) for name in names[:listed])
    return f"; there {'is' if len(names) == 1 else 'are'} {shown}{', …' if len(names) > listed else ''}"


def ended(message: str) -> str:
    """A message with its full stop, unless it ends in a question."""
    return message if message.endswith("?") else f"{message}."


def nearest_path(path: Path) -> str:
    """A hint for a path that leads nowhere: the first part of it that is wrong, and what is there instead."""
    here = path
    while not here.parent.exists():
        here = here.parent
    try:
        names = sorted(beside.name for beside in here.parent.iterdir())[:5000]
    except OSError:
        return ""
    close = get_close_matches(here.name, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {here.with_name(close[0])}?"
    return "" if here == path else f"; there is no {here} either"
