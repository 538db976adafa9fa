"""The numbers as CSV, one line each."""

from __future__ import annotations

import csv
import io

from sealtrace.contract.result import NumberResult, Result
from sealtrace.report.inert import harmless

FIELDS = [name for name in NumberResult.model_fields if name not in ("relation", "undisclosed", "formulas")]


def render(result: Result) -> str:
    """Every number; lists are joined."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(FIELDS)
    for one in result.numbers:
        writer.writerow([_spreadsheet(getattr(one, name)) for name in FIELDS])
    return output.getvalue()


def _spreadsheet(value: object) -> object:
    """Text that a spreadsheet will not take for a formula; numbers stay numbers."""
    if isinstance(value, list):
        value = "; ".join(value)
    if isinstance(value, str):
        text = harmless(value)
        starts_formula = text[:1] in "=@\t\r" or (text[:1] in "+-" and not _is_number(text))
        return f"'{text}" if text and starts_formula else text
    return "" if value is None else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
