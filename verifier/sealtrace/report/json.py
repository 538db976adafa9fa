"""The machine interface: the report as JSON, described by `report.schema.json`."""

from __future__ import annotations

from sealtrace.contract.report import Report
from sealtrace.report.inert import json_text


def render(report: Report) -> str:
    """ASCII only: nothing in a name can act on a terminal. What only pages show is left to them."""
    document = report.model_dump(mode="json", exclude_none=True, exclude={"details"})
    for check in document["checks"]:
        check.pop("largest", None)
    return json_text(document)
