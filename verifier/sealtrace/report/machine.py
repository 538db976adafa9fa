"""The result as JSON: the machine interface (`sealtrace schema result`), in ASCII, the same on every run."""

from __future__ import annotations

from sealtrace.contract.result import Result
from sealtrace.report.inert import json_text


def render(result: Result) -> str:
    """Everything but what only pages draw."""
    document = result.model_dump(
        mode="json", exclude_none=True, exclude={"details": True, "checks": {"__all__": {"largest"}}}
    )
    return json_text(document)
