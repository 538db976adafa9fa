"""What is wrong with a relations file: all of it in one run, each with its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True)
class Problem:
    """One thing that cannot be read, and where it stands."""

    message: str
    source: str
    line: int
    column: int = 1
    absent: bool = False
    """Whether it is only that a cell says n/a: a loop may pass over it."""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}: {self.message}"


def nearest(word: str, known: Iterable[str], listed: int = 8) -> str:
    """A hint at the end of a message: the label that was probably meant, or the ones that there are."""
    labels = list(dict.fromkeys(known))
    close = get_close_matches(word[:200], labels[:500], n=1, cutoff=0.6)
    folded = [label for label in labels if len(word) > 2 and word.casefold() in label.casefold()]
    if close or len(folded) == 1:
        return f"; did you mean {(close or folded)[0]!r}?"
    if not labels:
        return "; there is none"
    shown = ", ".join(repr(label) for label in labels[:listed])
    return f"; there {'is' if len(labels) == 1 else 'are'} {shown}{', …' if len(labels) > listed else ''}"
