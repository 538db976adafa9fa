"""Marks of people are found however they are written and wherever a stretch of bytes ends."""

from __future__ import annotations

import random
import re

import pytest

from sealtrace.bundle import privacy
from sealtrace.bundle.privacy import marks_in

PLAIN = {
    "path": (b"see /home/jane/run.sh", "/home/jane"),
    "path in a URL": (b"file:///home/jane/run.sh", "file:///home/jane"),
    "path of macOS": (b"(/Users/jane)", "/Users/jane"),
    "path of Windows": (b"C:\\Users\\jane", "C:\\Users\\jane"),
    "path with escaped slashes": (b'{"cwd": "\\/home\\/jane"}', "/home/jane"),
    "path with escaped letters": (b'{"cwd": "\\u002Fhome\\u002fjane"}', "/home/jane"),
    "address": (b"write to jane.doe+x@mail.example.org.", "jane.doe+x@mail.example.org"),
    "address with an escaped sign": (b'"jane\\u0040example.org"', "jane@example.org"),
    "user": (b'{"Author": "jane"}', 'Author": "jane'),
}


def found(data: bytes) -> list[tuple[int | None, int | None, str | None]]:
    """Line, column and text of each mark."""
    return [(one.row, one.column, one.found) for one in marks_in([data], "x")]


@pytest.mark.parametrize(("data", "expected"), PLAIN.values(), ids=PLAIN)
def test_each_form_of_a_mark_is_found(data: bytes, expected: str) -> None:
    """JSON may write a slash in three ways; a URL holds a path as well."""
    assert [text for _, _, text in found(data)] == [expected]


@pytest.mark.parametrize("data", [b"user: anonymous", b"a/home/b", b"see @home", b"user = None", b"x@y", b"/homes/a"])
def test_what_is_no_mark_is_left_alone(data: bytes) -> None:
    """Words that merely look alike."""
    assert found(data) == []


def test_lines_and_columns_count_from_one() -> None:
    """A reader goes to the place."""
    assert found(b"a\n  /home/x\nb c@example.org") == [(2, 3, "/home/x"), (3, 3, "c@example.org")]


def test_a_mark_across_pieces_is_found_once_at_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large files are searched some bytes at a time; where one stretch ends makes no difference."""
    monkeypatch.setattr(privacy, "_LONGEST_MARK", 64)
    generator = random.Random(1)
    texts = [b"/home/jane", b"\\/home\\/jo", b"a@example.org", b"user: jane ", b"\n", b"filler ", b"\\u0040", b"@"]
    for _ in range(60):
        data = b"".join(generator.choice(texts) + b" " for _ in range(80))
        pieces = [data[start : start + 7] for start in range(0, len(data), 7)]
        monkeypatch.setattr(privacy, "_WINDOW", 10**9)
        expected = found(data)
        monkeypatch.setattr(privacy, "_WINDOW", generator.randrange(70, 300))
        parts = [(one.row, one.column, one.found) for one in marks_in(pieces, "x")]
        assert sorted(expected, key=str) == sorted(parts, key=str)
        assert expected


def test_anchors_lose_nothing_that_the_whole_pattern_finds() -> None:
    """The short way around fixed texts against the pattern on everything."""
    generator = random.Random(2)
    words = [
        b"/home/",
        b"Users",
        b"/",
        b"x",
        b"@",
        b"a.b",
        b".org",
        b"user",
        b"=",
        b" ",
        b"C:\\",
        b"-",
        b'"',
        b"AUTHOR",
    ]
    seen = 0
    for _ in range(400):
        data = b"".join(generator.choice(words) for _ in range(60))
        for mark in privacy._MARKS:
            expected = [match.span() for match in re.finditer(mark.pattern, data)]
            seen += len(expected)
            assert [match.span() for match in mark.matches(data, data.lower())] == expected
    assert seen > 200


def test_only_so_many_are_named() -> None:
    """A file of nothing but marks does not fill the report."""
    assert len(found(b"/home/x " * 5000)) == privacy.MOST_MARKS
