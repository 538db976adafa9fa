"""Ties check functions to the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TypeVar, cast

from sealtrace.checks.catalogue import BY_ID, pack_of
from sealtrace.checks.outcome import Outcome
from sealtrace.evidence import Evidence, View

Seen = TypeVar("Seen")
"""The evidence, as the pack of a check sees it."""
Subject = TypeVar("Subject")
"""What a check looks at: the same, or a part of it."""


class _Functions(dict[str, tuple[Callable[[object, Outcome], None], str]]):
    """Of a pack, the checks are imported when one of them is asked for: most bundles have no use for most packs."""

    def __missing__(self, check_id: str) -> tuple[Callable[[object, Outcome], None], str]:
        if (pack := pack_of(check_id)) is not None:
            import_module(pack.checks)
        return dict(self)[check_id]


FUNCTIONS = _Functions()
"""Check id to its function, and to the unit that it counts. It fills in the outcome, and changes nothing else."""


def lacking(kind: str, reason: str) -> Callable[[Evidence | View, Outcome], bool]:
    """For `unless`: nothing is to be checked where the bundle holds no records of a kind."""

    def lacks(evidence: Evidence | View, outcome: Outcome) -> bool:
        if evidence.bundle.of_kind(kind) or evidence.bundle.documents_of(kind):
            return False
        outcome.not_applicable = reason
        return True

    return lacks


def check(
    check_id: str,
    unit: str,
    unless: Callable[[Seen, Outcome], bool] | None = None,
    of: Callable[[Seen, Outcome], Subject | None] | None = None,
) -> Callable[[Callable[[Subject, Outcome], None]], Callable[[Subject, Outcome], None]]:
    """Registers the function of a check of the catalogue. What reading found wrong under its id is told already.

    `unless` says in the outcome why nothing is to be checked. `of` takes from the evidence what the function looks at
    instead of it; None where nothing is to be checked, which the outcome then says.
    """
    if check_id not in BY_ID or check_id in FUNCTIONS:
        raise RuntimeError(f"{check_id} is not in the catalogue, or has a function already")

    def register(function: Callable[[Subject, Outcome], None]) -> Callable[[Subject, Outcome], None]:
        def guarded(evidence: object, outcome: Outcome) -> None:
            # The engine hands each check the view of its own pack.
            seen = cast("Seen", evidence)
            outcome.defects(cast("Evidence | View", evidence).bundle.found.get(check_id, ()))
            subject = cast("Subject", evidence) if of is None else of(seen, outcome)
            if subject is not None and (unless is None or not unless(seen, outcome)):
                function(subject, outcome)

        FUNCTIONS[check_id] = (guarded, unit)
        return function

    return register
