"""The verdict as an endpoint badge: the JSON that shields.io draws, so that a README can show the last verdict."""

from __future__ import annotations

from sealtrace.contract.result import Result
from sealtrace.report.inert import json_text
from sealtrace.report.numbers import headline

_COLOURS = {"verified": "brightgreen", "nothing-found": "brightgreen", "findings": "red", "incomplete": "yellow"}


def render(result: Result) -> str:
    """The four fields of the endpoint's first schema; a draft is called one, and is never green."""
    colour = "yellow" if result.draft and result.verdict == "verified" else _COLOURS[result.verdict]
    message = result.as_draft(headline(result)).lower()
    return json_text({"schemaVersion": 1, "label": "sealtrace", "message": message, "color": colour})
