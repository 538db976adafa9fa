"""Marks of people and machines in released bytes: home directories, user names, e-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import islice

import pyarrow as pa

from sealtrace.bundle.defects import Defect
from sealtrace.bundle.encoding import bytes_of

MOST_MARKS = 1000
"""How many marks of one file are named."""

_LONGEST_MARK = 1024


@dataclass(frozen=True)
class _Mark:
    """A sort of mark. The whole pattern is tried only around a fixed text: bytes pass much faster than patterns."""

    what: str
    anchors: tuple[bytes, ...]
    """In small letters; every match holds one of them."""
    before: int
    """How far before its anchor a match may begin."""
    pattern: re.Pattern[bytes]
    from_anchor: re.Pattern[bytes] | None = None
    """What must follow an anchor that is frequent in any bytes."""

    def matches(self, data: bytes, small: bytes) -> Iterator[re.Match[bytes]]:
        """Those of a text, in order; `small` is the text in small letters."""
        reached = 0
        for at in merge(*(_places(small, anchor) for anchor in self.anchors)):
            if at < reached or (self.from_anchor and not self.from_anchor.match(data, at)):
                continue
            for match in self.pattern.finditer(data, max(reached, at - self.before), at + _LONGEST_MARK):
                if match.end() > at:
                    yield match
                    reached = match.end()
                    break


def _places(data: bytes, anchor: bytes) -> Iterator[int]:
    at = data.find(anchor)
    while at >= 0:
        yield at
        at = data.find(anchor, at + 1)


# What may stand before a match is looked at too, and lengths are bounded, so that no run of letters is
# tried from each of its places.
_DOMAIN = rb"@(?:[A-Za-z0-9\-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
_MARKS = (
    _Mark(
        "a machine path",
        (b"/home/", b"users", b"/root/"),
        16,
        re.compile(rb"(?<![\w.\-/])(?:file:/{0,2})?(?:/home/|/Users/|/root/|[A-Za-z]:\\\\?Users\\\\?)[\w.\-]{0,64}"),
    ),
    _Mark(
        "an e-mail address",
        (b"@",),
        64,
        re.compile(rb"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}" + _DOMAIN),
        re.compile(_DOMAIN),
    ),
    _Mark(
        "a user name",
        (b"user", b"login", b"author"),
        0,
        re.compile(
            rb"(?i)(?<![\w.\-])(?:user(?:name)?|login|author)[\"']?\s{0,4}[:=]\s{0,4}[\"']?"
            rb"(?!(?:anonymous|anon|none|null|str|int|bool|true|false|self|optional|any)\b)[A-Za-z][\w.\-]{1,63}"
        ),
    ),
)

_WINDOW = 2**22
_ESCAPE = re.compile(rb"\\(?:/|u00([2-7][0-9a-fA-F]))")
_HALF_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def doubtful(texts: pa.StringArray) -> pa.StringArray:
    """The texts, where one may hold a mark; most columns hold nothing of what every mark, or an escape, holds."""
    small = bytes_of(texts).lower() if len(texts) else b""
    found = b"\\" in small or any(anchor in small for mark in _MARKS for anchor in mark.anchors)
    return texts if found else texts[:0]


def marks_in(pieces: Iterable[bytes], path: str) -> Iterator[Defect]:
    """Every mark, with its line and column; the first thousand of a file. Only some of the bytes are held at a time.

    What JSON writes with a backslash is read as what it stands for, so `\\/home\\/` is found as well.
    """
    return islice(_marks(_windows(pieces), path), MOST_MARKS)


def _windows(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The text in stretches that no escape runs across, and whether each is the last."""
    held = b""
    for piece in pieces:
        held += piece
        if len(held) >= _WINDOW:
            half = _HALF_ESCAPE.search(held, len(held) - 6)
            cut = half.start() if half else len(held)
            yield _plain(held[:cut]), False
            held = held[cut:]
    yield _plain(held), True


def _plain(data: bytes) -> bytes:
    if b"\\" not in data:
        return data
    return _ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()) if match[1] else b"/", data)


def _marks(windows: Iterable[tuple[bytes, bool]], path: str) -> Iterator[Defect]:
    """Marks of a text that comes in stretches; one that might go on in the next stretch waits for it."""
    kept, first_line, first_column = b"", 1, 1  # what of the stretch before may belong to a mark, and its place
    seen = 0  # how many of the kept bytes have been searched already; they stand there for what follows them
    for text, last in windows:
        data = kept + text
        small = data.lower()
        stop = len(data) if last else max(len(data) - _LONGEST_MARK, seen)
        for mark in _MARKS:
            line, counted = first_line, 0
            for match in mark.matches(data, small):
                start = match.start()
                if not seen <= start < stop:
                    continue
                line += data.count(b"\n", counted, start)
                counted = start
                before = data.rfind(b"\n", 0, start)
                yield Defect(
                    f"An anonymous release holds {mark.what}. Remove it and seal again.",
                    path,
                    row=line,
                    column=start - before if before >= 0 else start + first_column,
                    expected="nothing that identifies a person or a machine",
                    found=match.group(0).decode("utf-8", "replace"),
                )
        cut = max(stop - 1, 0)  # one byte more: a mark is told from the end of a word by what stands before it
        newline = data.rfind(b"\n", 0, cut)
        first_column = cut - newline if newline >= 0 else first_column + cut
        first_line += data.count(b"\n", 0, cut)
        kept, seen = data[cut:], stop - cut
