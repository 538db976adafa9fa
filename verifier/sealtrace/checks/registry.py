"""Ties check functions to the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sealtrace.checks.catalogue import BY_ID
from sealtrace.checks.outcome import Outcome

CheckFunction = Callable[[Any, Outcome], None]
"""Looks at the evidence, as its pack sees it, and fills in the outcome; changes nothing else."""

FUNCTIONS: dict[str, tuple[CheckFunction, str]] = {}
"""Check id to its function and to the unit that it counts."""


def lacking(kind: str, reason: str) -> Callable[[Any, Outcome], bool]:
    """For `unless`: nothing is to be checked where the bundle holds no records of a kind."""

    def lacks(evidence: Any, outcome: Outcome) -> bool:
        if evidence.bundle.of_kind(kind) or evidence.bundle.documents_of(kind):
            return False
        outcome.not_applicable = reason
        return True

    return lacks


def check(
    check_id: str,
    unit: str,
    unless: Callable[[Any, Outcome], bool] | None = None,
    of: Callable[[Any, Outcome], Any] | None = None,
) -> Callable[[CheckFunction], CheckFunction]:
    """Registers the function of a check of the catalogue.

    `unless` says in the outcome why nothing is to be checked. `of` takes from the evidence what the function looks at
    instead of it; None where nothing is to be checked, which the outcome then says.
    """
    if check_id not in BY_ID or check_id in FUNCTIONS:
        raise RuntimeError(f"{check_id} is not in the catalogue, or has a function already")

    def register(function: CheckFunction) -> CheckFunction:
        def guarded(evidence: Any, outcome: Outcome) -> None:
            subject = evidence if of is None else of(evidence, outcome)
            if subject is not None and (unless is None or not unless(evidence, outcome)):
                function(subject, outcome)

        FUNCTIONS[check_id] = (guarded, unit)
        return function

    return register
