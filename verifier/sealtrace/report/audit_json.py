"""The audit as JSON, described by `audit.schema.json`."""

from __future__ import annotations

from sealtrace.contract.audit import Audit
from sealtrace.report.inert import json_text


def render(audit: Audit) -> str:
    """ASCII only: nothing that a paper prints can act on a terminal."""
    return json_text(audit.model_dump(mode="json", exclude_none=True))
