"""What is known of a bundle before it is examined: evidence of another one, and settled checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from types import MappingProxyType

from sealtrace.bundle.model import Bundle
from sealtrace.checks.catalogue import Check
from sealtrace.checks.outcome import Outcome
from sealtrace.contract.result import CheckResult
from sealtrace.evidence import Evidence, Remembering
from sealtrace.examination import Examination

Settled = Mapping[str, tuple[Outcome, CheckResult]]


class _EnoughError(Exception):
    """Whoever asked has heard enough."""


class Rerun(Examination):
    """A run in which `settled` checks are not run again, and which ends where `until`, told each result, says so."""

    def __init__(
        self,
        bundle: Bundle,
        chosen: frozenset[str] | None,
        until: Callable[[CheckResult, Examination], bool] | None,
        evidence: Evidence | None = None,
        settled: Settled = MappingProxyType({}),
    ) -> None:
        self._until, self._settled = until, settled
        with suppress(_EnoughError):
            super().__init__(bundle, chosen, evidence=evidence)

    def run(self, entry: Check) -> tuple[Outcome, CheckResult]:
        found = self._settled.get(entry.id) or super().run(entry)
        self.outcomes[entry.id], self.results[entry.id] = found
        if self._until is not None and self._until(found[1], self):
            raise _EnoughError
        return found


def evidence_of_other(known: Evidence, bundle: Bundle, without: str) -> Evidence:
    """Evidence of a bundle that differs in records of one kind only, and that nothing known has looked at."""
    frames = {kind: frame for kind, frame in known.frames.items() if kind != without}
    other = Evidence(bundle, known.asked, known.progress, frames, beside=known.beside)
    _take_over(other, known)
    for kind, view in known.views.items():
        _take_over(other.view(kind), view)
    return other


def _take_over(taker: Remembering, known: Remembering) -> None:
    """Takes over what was computed elsewhere, except what holds evidence and would go on reading it."""
    given = vars(known).items()
    vars(taker).update({name: _own(value) for name, value in given if name not in vars(taker) and _is_free(value)})
    taker.answers.update({key: _own(value) for key, value in known.answers.items() if _is_free(value)})


def _own(value: object) -> object:
    """What is filled later on is copied: what one asker adds to it must not answer another one."""
    return copy(value) if isinstance(value, dict | list | set) else value


def _is_free(value: object) -> bool:
    """Whether a value does not hold the evidence that it was made of, to compute more from it."""
    items = value if isinstance(value, list | tuple) else value.values() if isinstance(value, dict) else (value,)
    held = (inner for item in items for inner in (item, *getattr(item, "__dict__", {}).values()))
    return not any(isinstance(value, Remembering) for value in held)
