"""The error of a proof that does not hold."""

from __future__ import annotations


class Refuted(ValueError):  # noqa: N818 - a finding that callers report, not a fault
    """The map is not shown to be the best one."""
