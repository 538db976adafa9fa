"""Text for people: lines of a bounded width, made harmless. Colour is put on afterwards."""

from __future__ import annotations

import textwrap

from sealtrace.report.formats import Paint, plain
from sealtrace.report.inert import harmless


class TextSheet:
    """Lines that are written one below the other, none wider than `width` unless a digest or a path is.

    A word that is longer is `broken`, or left whole.
    """

    def __init__(self, width: int = 80, paint: Paint = plain, *, broken: bool = False) -> None:
        self.width, self.paint, self._broken = width, paint, broken
        self._lines: list[str] = []

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines) + "\n"

    def say(self, text: str, first: str = "", rest: str | None = None) -> None:
        """A paragraph; its first line is indented by `first`, the others by `rest`, or the same."""
        self._lines += self._wrapped(text, first, first if rest is None else rest)

    def gap(self) -> None:
        """An empty line."""
        self._lines.append("")

    def line(self, text: str) -> None:
        """A line that is ours: coloured, or set in columns."""
        self._lines.append(text)

    def titled(self, word: str, colour: str, text: str = "", rest: str = "") -> None:
        """A paragraph that begins with a word in its colour. What a bundle says may look like paint, and is none."""
        first, *others = self._wrapped(word + text, "", rest)
        word = harmless(word)
        self._lines += [self.paint(word, colour) + first.removeprefix(word) if first.startswith(word) else first]
        self._lines += others

    def figure(self, name: str, value: str, column: int = 12) -> None:
        """A value behind its name, in columns."""
        self.say(f"{name:<{column}} {value}", "", " " * (column + 1))

    def more(self, left: int, what: str = "more", where: str = "--all") -> None:
        """How many are left out, if any are, and what lists them."""
        if left > 0:
            self.line(f"  ... and {left} {what} ({where} lists them)")

    def _wrapped(self, text: str, first: str, rest: str) -> list[str]:
        # Where a long word is broken, a line may begin with what was harmless within it.
        lines = textwrap.wrap(
            harmless(text), self.width, initial_indent=first, subsequent_indent=rest,
            break_long_words=self._broken, break_on_hyphens=False,
        )  # fmt: skip
        return list(map(harmless, lines))
