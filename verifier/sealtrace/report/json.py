"""The machine interface: the report as JSON, described by `report.schema.json`."""

from __future__ import annotations

import json

from sealtrace.records.report import Report


def render(report: Report) -> str:
    """ASCII only: nothing in a name can act on a terminal."""
    return json.dumps(report.model_dump(mode="json", exclude_none=True), indent=2, ensure_ascii=True) + "\n"
