"""Marks of people and machines in released bytes: home directories, user names, e-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealtrace.bundle.defects import Defect

_MARKS = {
    "a machine path": re.compile(rb"(?:/home/|/Users/|/root/|/mnt/[a-z]/|[A-Za-z]:\\\\?Users\\)[\w.\-]*"),
    "an e-mail address": re.compile(
        rb"[A-Za-z0-9][A-Za-z0-9._%+\-]*@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,24}\b"
    ),
    "a user name": re.compile(rb"(?i)\b(?:user(?:name)?|login|author)\b[\"']?\s*[:=]\s*[\"']?[A-Za-z][\w.\-]+"),
}


def marks_in(data: bytes, path: str) -> Iterator[Defect]:
    """Every mark, with its line and column."""
    for what, pattern in _MARKS.items():
        for match in pattern.finditer(data):
            start = match.start()
            yield Defect(
                f"{what} in an anonymous release; remove it and seal again",
                path,
                row=data.count(b"\n", 0, start) + 1,
                column=start - data.rfind(b"\n", 0, start),
                expected="nothing that identifies a person or a machine",
                found=match.group(0).decode("utf-8", "replace"),
            )
