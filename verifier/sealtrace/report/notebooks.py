"""How notebooks show a report and a cell: the verdict, then what differs. It needs no other part of the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sealtrace.report.inert import harmless

SHOWN = 20
_COLOURS = {"verified": "#1a7f37", "exact": "#1a7f37", "findings": "#b42318", "mismatch": "#b42318", "error": "#b42318"}


def report_html(headline: str, name: str, counts: str, findings: Sequence[tuple[str, str, str, str]]) -> str:
    """A headline, counts, and findings as severity, check, place and message."""
    more = f"<p>and {len(findings) - SHOWN} more findings</p>" if len(findings) > SHOWN else ""
    head = f"<p><b style='color:{_colour(headline)}'>{_text(headline.upper())}</b> {_text(name)}<br>{_text(counts)}</p>"
    return head + _table(("", "check", "where", "what"), findings[:SHOWN]) + more


def cell_html(name: str, status: str, rows: Iterable[tuple[str, str | None]]) -> str:
    """A cell's name and status, and what is known of it."""
    head = f"<p><b>{_text(name)}</b> <b style='color:{_colour(status)}'>{_text(status)}</b></p>"
    return head + _table((), [(label, value) for label, value in rows if value])


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
