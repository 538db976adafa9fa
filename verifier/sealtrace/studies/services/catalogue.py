"""The checks of services: an attempt ledger that leaves nothing out."""

from __future__ import annotations

from sealtrace.contract.packs import Check

_BOTH = ("service", "attempt")
_BOUNDARIES = "RSD-Poker paper, appendix D: retry, failure and timing boundaries"

CATALOGUE: tuple[Check, ...] = (
    Check(
        "service.declared",
        "Arms and actions differ, retried outcomes are failures, and the timeout is positive",
        _BOUNDARIES,
        "a service retries what succeeded",
        reads=("service",),
        consequences=("attempt.sequence",),
    ),
    Check(
        "attempt.requests",
        "Every declared arm has as many warm-up and timed requests as declared, and no other arm is measured",
        "RSD-Poker paper, appendix C, denominators: timed end-to-end requests",
        "a slow request is left out",
        reads=_BOTH,
        needs=("join.unique-key",),
        whole=True,
    ),
    Check(
        "attempt.contiguous",
        "The attempts of a request are numbered from zero without a gap, in one arm and one phase",
        "RSD-Poker paper, appendix D: a retry event records its request and attempt index",
        "the first attempt of a retried request is left out",
        reads=_BOTH,
        needs=("join.unique-key",),
        consequences=("attempt.requests", "attempt.trigger", "attempt.sequence"),
    ),
    Check(
        "attempt.trigger",
        "The first attempt is triggered by nothing, and every later one by the outcome of the one before it",
        "RSD-Poker paper, appendix D: a retry event records its triggering condition",
        "a retry after a timeout says that it follows an illegal action",
        reads=_BOTH,
        needs=("join.unique-key",),
    ),
    Check(
        "attempt.sequence",
        "Nothing follows a success, only retried outcomes are retried, and no request gives up early or too late",
        _BOUNDARIES,
        "a request goes on after its success",
        reads=_BOTH,
        needs=("join.unique-key",),
        consequences=("attempt.trigger", "attempt.outcome"),
    ),
    Check(
        "attempt.outcome",
        "Every terminal code is what the answer and the legal actions say",
        "RSD-Poker paper, appendix D: illegal action, parser failure and timeouts are distinct terminal codes",
        "an illegal answer is recorded as a success",
        reads=_BOTH,
        consequences=("attempt.trigger", "attempt.sequence"),
    ),
    Check(
        "attempt.budget",
        "No attempt reads and writes more tokens or calls more tools than declared",
        "RSD-Poker paper, section 3.7: declared budgets",
        "an attempt writes more tokens than its budget allows",
        reads=_BOTH,
    ),
    Check(
        "attempt.times",
        "Times are finite and not negative, a timeout lasts at least as long as declared, and attempts do not overlap",
        _BOUNDARIES,
        "a timeout ends before the declared time",
        reads=_BOTH,
        needs=("join.unique-key",),
    ),
)
