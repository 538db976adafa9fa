"""How notebooks show a result and a number: the verdict, then what is wrong. It needs no other part of the package."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from sealtrace.report.inert import harmless

if TYPE_CHECKING:
    from sealtrace.contract.result import NumberResult, Result

SHOWN = 20
_GOOD, _BAD = "#1a7f37", "#b42318"
_COLOURS = {
    "verified": _GOOD,
    "nothing-found": _GOOD,
    "follows": _GOOD,
    "given": _GOOD,
    "findings": _BAD,
    "differs": _BAD,
    "contradicts": _BAD,
}


def result_html(result: Result) -> str:
    """A headline, counts, and findings as severity, check, place and message."""
    statuses = [check.status for check in result.checks]
    held = f"{statuses.count('pass')} checks hold, {statuses.count('fail')} fail, {statuses.count('missing')} missing"
    counts = f"{held}; numbers: {result.coverage.in_words}"
    found = [
        (one.severity, one.check, f"{one.source or ''}{f':{one.line}' if one.line else ''}", one.message)
        for one in result.findings[:SHOWN]
    ]
    more = f"<p>and {len(result.findings) - SHOWN} more findings</p>" if len(result.findings) > SHOWN else ""
    word = f"<b style='color:{_colour(result.headline)}'>{_text(result.headline.upper())}</b>"
    head = f"<p>{word} {_text(result.subject.name)}<br>{_text(counts)}</p>"
    return head + _table(("", "check", "where", "what"), found) + more


def number_html(one: NumberResult) -> str:
    """A number's name, word and status, and what is known of it."""
    known = (
        ("printed", one.printed),
        ("given", one.given),
        ("", one.said),
        ("formula", one.formula),
        ("recipe", one.recipe),
        ("where", one.place),
    )
    word = f"<b style='color:{_colour(one.word)}'>{_text(one.word)}</b> ({_text(one.status)})"
    return f"<p><b>{_text(one.id)}</b> {word}</p>" + _table((), [(label, value) for label, value in known if value])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    first = "".join(f"<th style='text-align:left'>{_text(title)}</th>" for title in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{_text(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    return f"<table>{f'<tr>{first}</tr>' if head else ''}{body}</table>"


def _colour(word: str) -> str:
    return _COLOURS.get(word, "#9a6700")


def _text(value: str) -> str:
    return escape(harmless(value))
