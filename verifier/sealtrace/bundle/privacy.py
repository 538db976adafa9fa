"""Marks of people and machines in released bytes: home directories, user names, e-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealtrace.bundle.defects import Defect

MOST_MARKS = 1000
"""How many marks of one file are named."""

# What may stand before a match is looked at too, and lengths are bounded, so that no run of letters is
# tried from each of its places.
_MARKS = {
    "a machine path": re.compile(rb"(?<![\w.\-/])(?:/home/|/Users/|/root/|[A-Za-z]:\\\\?Users\\\\?)[\w.\-]{0,64}"),
    "an e-mail address": re.compile(
        rb"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}@(?:[A-Za-z0-9\-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
    ),
    "a user name": re.compile(
        rb"(?i)(?<![\w.\-])(?:user(?:name)?|login|author)[\"']?\s{0,4}[:=]\s{0,4}[\"']?"
        rb"(?!(?:anonymous|anon|none|null|str|int|bool|true|false|self|optional|any)\b)[A-Za-z][\w.\-]{1,63}"
    ),
}


def marks_in(data: bytes, path: str) -> Iterator[Defect]:
    """Every mark, with its line and column; the first thousand of a file."""
    found = 0
    for what, pattern in _MARKS.items():
        line, counted = 1, 0
        for match in pattern.finditer(data):
            found += 1
            if found > MOST_MARKS:
                return
            start = match.start()
            line += data.count(b"\n", counted, start)
            counted = start
            yield Defect(
                f"{what} in an anonymous release; remove it and seal again",
                path,
                row=line,
                column=start - data.rfind(b"\n", 0, start),
                expected="nothing that identifies a person or a machine",
                found=match.group(0).decode("utf-8", "replace"),
            )
