"""Services: attempts at requests, and how they are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealtrace.contract.packs import Form, Kind, Pack, any_role, catalogue, unless_held

if TYPE_CHECKING:
    from sealtrace.evidence import Evidence

_HERE = "sealtrace.studies.services"
KINDS = (
    Kind("service", Form.DOCUMENT, f"{_HERE}.records:Service", stages=any_role("declare")),
    Kind("attempt", Form.ROWS, f"{_HERE}.records:Attempt", ("request", "attempt"), any_role("report")),
)

CATALOGUE = catalogue(
    """
service.declared: Arms and actions differ, retried outcomes are failures, and the timeout is positive
    enforces RSD-Poker paper, appendix D: retry, failure and timing boundaries
    broken where a service retries what succeeded
    reads service; consequences attempt.sequence
attempt.requests: Every declared arm has as many warm-up and timed requests as declared, and no other arm is measured
    enforces RSD-Poker paper, appendix C, denominators: timed end-to-end requests
    broken where a slow request is left out
    reads BOTH; needs join.unique-key; whole
attempt.contiguous: The attempts of a request are numbered from zero without a gap, in one arm and one phase
    enforces RSD-Poker paper, appendix D: a retry event records its request and attempt index
    broken where the first attempt of a retried request is left out
    reads BOTH; needs join.unique-key; consequences attempt.requests attempt.trigger attempt.sequence
attempt.trigger: The first attempt is triggered by nothing, and every later one by the outcome of the one before it
    enforces RSD-Poker paper, appendix D: a retry event records its triggering condition
    broken where a retry after a timeout says that it follows an illegal action
    reads BOTH; needs join.unique-key
attempt.sequence: Nothing follows a success, only retried outcomes are retried, and no request gives up early or too
      late
    enforces RSD-Poker paper, appendix D: retry, failure and timing boundaries
    broken where a request goes on after its success
    reads BOTH; needs join.unique-key; consequences attempt.trigger attempt.outcome
attempt.outcome: Every terminal code is what the answer and the legal actions say
    enforces RSD-Poker paper, appendix D: illegal action, parser failure and timeouts are distinct terminal codes
    broken where an illegal answer is recorded as a success
    reads BOTH; consequences attempt.trigger attempt.sequence
attempt.budget: No attempt reads and writes more tokens or calls more tools than declared
    enforces RSD-Poker paper, section 3.7: declared budgets
    broken where an attempt writes more tokens than its budget allows
    reads BOTH
attempt.times: Times are finite and not negative, a timeout lasts at least as long as declared, and attempts do not
      overlap
    enforces RSD-Poker paper, appendix D: retry, failure and timing boundaries
    broken where a timeout ends before the declared time
    reads BOTH; needs join.unique-key
    """,
    BOTH="service attempt",
)

METRICS = """
appendix C: aggregation units and failure treatment
    service quantity arms [base]: a quantity over the timed requests of all arms whose name begins so (several with
        commas), together; with `base` by that of those arms (measured)
appendix C: training variability
    service_over_seeds quantity arms [statistic]: mean and standard deviation (divisor n - 1) over the arms whose name
        begins so (measured)
"""
"""What recipes can ask for by name, under the part of the paper that defines it."""

QUANTITIES = """
appendix C: aggregation units and failure treatment
    legality: share of attempts whose answer is legal; called legal; not called illegal, illegality (share)
    retry_rate: share of attempts, or of requests, that are tried again; called retry, retries, retried; not called
        first try, first tries, untried, without retry, without retries (share)
    failure_rate: share of requests that end without a legal answer; called failed, failure, failures; not called
        success, successes, successful, succeeded, completed, answered (share)
    tokens: mean of the tokens of a request
    tool_calls: mean of the calls for tools of a request; called calls
    total_tokens: sum of all tokens
    total_ms: sum of all latencies; called total latency
    mean_ms: mean of the latencies of requests; called mean latency
    median_ms: median of the latencies of requests; called median latency
    p95_ms: the latency that 95 % of requests do not exceed; called p95 latency
    throughput: requests by seconds from the first one's start to the last one's end; called requests/s,
        requests per second, req/s
    requests: how many requests there are
    attempts: how many attempts there are
"""
"""What metrics of a service can be asked for as `quantity`."""


def _unusable(evidence: Evidence) -> str | None:
    document = evidence.bundle.document("service")
    return None if document is not None and document.fits else "the service is not declared"


PACK = Pack(
    name="services",
    kinds=KINDS,
    catalogue=CATALOGUE,
    checks=f"{_HERE}.checks",
    entities={"arms": "arm/run", "base": "arm/run"},
    metrics=f"{_HERE}.metrics",
    listed=METRICS + QUANTITIES,
    paper="RSD-Poker paper",
    evidence=f"{_HERE}.evidence:ServiceStudy",
    overview=f"{_HERE}.evidence",
    measured=("attempt",),
    absent=unless_held("the study measures no service", *KINDS),
    unusable=_unusable,
)
