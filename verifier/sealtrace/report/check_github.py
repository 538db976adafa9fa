"""The check as annotations of a build: what is off is an error at its line."""

from __future__ import annotations

from sealtrace.contract.checked import Check
from sealtrace.report.check_text import counted
from sealtrace.report.inert import harmless


def render(check: Check) -> str:
    """One command per finding, then how the numbers came out."""
    places = [
        *((one.source, one.line, one.message or one.printed) for one in check.cells if one.status == "off"),
        *((one.source, one.line, one.message or one.printed) for one in check.text if one.status == "off"),
    ]
    return (
        "\n".join(
            [
                *(_command("error", source, line, message) for source, line, message in places),
                *(f"::error title=sealtrace {one.kind}::{_value(one.message)}" for one in check.accidents),
                *counted(check),
            ]
        )
        + "\n"
    )


def _command(level: str, source: str, line: int, message: str) -> str:
    name = _value(source).replace(",", "%2C").replace(":", "%3A")
    return f"::{level} file={name},line={line},title=sealtrace check::{_value(message)}"


def _value(text: str) -> str:
    return harmless(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
