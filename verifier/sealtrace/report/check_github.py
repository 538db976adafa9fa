"""The check as annotations of a build: what is off is an error at its line."""

from __future__ import annotations

from sealtrace.contract.checked import Check
from sealtrace.report.check_text import counted
from sealtrace.report.inert import harmless


def render(check: Check) -> str:
    """One command per finding, then how the numbers came out."""
    lines = []
    for cell in check.cells:
        if cell.status == "off":
            lines.append(_command("error", cell.source, cell.line, cell.message or cell.printed))
    for one in check.text:
        if one.status == "off":
            lines.append(_command("error", one.source, one.line, one.message or one.printed))
    for accident in check.accidents:
        lines.append(f"::error title=sealtrace {accident.kind}::{_value(accident.message)}")
    return "\n".join([*lines, *counted(check)]) + "\n"


def _command(level: str, source: str, line: int, message: str) -> str:
    name = _value(source).replace(",", "%2C").replace(":", "%3A")
    return f"::{level} file={name},line={line},title=sealtrace check::{_value(message)}"


def _value(text: str) -> str:
    return harmless(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
