"""The one outcome that is neither yes nor no."""

from __future__ import annotations


class Undecided(ArithmeticError):  # noqa: N818 - an outcome that callers report, not a fault
    """No precision tried separates two values, and nothing shows them equal."""
