"""An attempt ledger is whole: every attempt is there, says why it was made, and how it ended."""

from __future__ import annotations

import numpy as np

from sealtrace.bundle.frames import Index
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.studies.services.evidence import ServiceStudy


@check("service.declared", "settings")
def declared(study: ServiceStudy, outcome: Outcome) -> None:
    at, settings = outcome.at(study.declared_path), study.declared
    outcome.inspected = 4
    for field, names in (("arms", settings.arms), ("actions", settings.actions)):
        if len(set(names)) < len(names):
            at.error(f"/{field}", "A name is there twice.", "names that differ", ", ".join(names))
    if "ok" in settings.retried:
        at.error("/retried", "A success is never tried again.", "failures", ", ".join(settings.retried))
    if exact(settings.timeout_ms) <= 0:
        at.error("/timeout_ms", "A timeout is positive.", "more than 0", settings.timeout_ms)


@check("attempt.requests", "requests")
def requests(study: ServiceStudy, outcome: Outcome) -> None:
    frame, settings = study.frame("attempt"), study.declared
    begins = study.order[study.first]
    outcome.inspected = len(begins)
    known = np.isin(study.arms, settings.arms)
    outcome.rows(frame, ~known, "/arm", "The service declares no such arm.", "a declared arm")
    for arm in settings.arms:
        of_arm = begins[study.arms[begins] == arm]
        for phase, timed, due in (("warm-up", False, settings.warm_up), ("timed", True, settings.requests)):
            found = int((study.timed[of_arm] == timed).sum())
            at = outcome.at(frame.paths[0], {"arm": arm, "phase": phase})
            at.expect("/request", "Another number of requests than declared.", due, found)


def _before(study: ServiceStudy) -> tuple[Index, Index]:
    """Rows that continue a request, and the row before each."""
    places = np.flatnonzero(~study.first)
    return study.order[places], study.order[places - 1]


@check("attempt.contiguous", "requests")
def contiguous(study: ServiceStudy, outcome: Outcome) -> None:
    frame = study.frame("attempt")
    outcome.inspected = int(study.first.sum())
    later, before = _before(study)
    due = np.zeros(frame.size, np.int64)
    due[later] = study.numbers[before] + 1
    outcome.rows(frame, study.numbers != due, "/attempt", "An attempt before this one is not there.", due)
    for field, values in (("arm", study.arms), ("phase", study.timed)):
        changed = later[values[later] != values[before]]
        outcome.rows(frame, changed, f"/{field}", f"A request has one {field}.", f"the {field} of the attempt before")


@check("attempt.trigger", "attempts")
def trigger(study: ServiceStudy, outcome: Outcome) -> None:
    frame = study.frame("attempt")
    outcome.inspected = frame.size
    due = np.full(frame.size, "first", dtype=object)
    later, before = _before(study)
    due[later] = study.outcomes[before]
    # The number says whether an attempt is a first one; what lies before a gap is not known.
    known = study.numbers == 0
    known[later] = study.numbers[later] == study.numbers[before] + 1
    found = np.array(study.texts("trigger"), dtype=object)
    outcome.rows(frame, known & (found != due), "/trigger", "The attempt was triggered by something else.", due)


@check("attempt.sequence", "requests")
def sequence(study: ServiceStudy, outcome: Outcome) -> None:
    frame, settings = study.frame("attempt"), study.declared
    outcome.inspected = int(study.first.sum())
    later, before = _before(study)
    stopped = ~np.isin(study.outcomes[before], settings.retried)
    previous = [f"nothing after {ended}" for ended in study.outcomes[before][stopped]]
    outcome.rows(frame, later[stopped], "/attempt", "The request had ended before this attempt.", previous)
    most = settings.attempts
    outcome.rows(frame, study.numbers >= most, "/attempt", "More attempts than declared.", f"{most} at most")
    ends = study.order[study.last]
    early = np.isin(study.outcomes[ends], settings.retried) & (study.numbers[ends] + 1 < most)
    outcome.rows(frame, ends[early], "/outcome", "The request gave up early.", f"another attempt, up to {most}")


@check("attempt.outcome", "attempts")
def terminal(study: ServiceStudy, outcome: Outcome) -> None:
    frame, actions = study.frame("attempt"), set(study.declared.actions)
    answers, legal = study.texts("answer"), frame.column("legal").to_pylist()
    due: dict[int, str] = {}
    unknown = 0
    for row, (answer, allowed) in enumerate(zip(answers, legal, strict=True)):
        if answer is None:
            codes: tuple[str, ...] = ("service-timeout", "solver-timeout")
        elif answer not in actions:
            codes = ("parser-failure",)
        elif allowed is None:
            unknown += 1
            continue
        else:
            codes = ("ok",) if answer in allowed else ("illegal-action",)
        if study.outcomes[row] not in codes:
            due[row] = " or ".join(codes)
    outcome.inspected = frame.size - unknown
    wrong = np.array(list(due), np.int64)
    outcome.rows(frame, wrong, "/outcome", "The answer has another terminal code.", list(due.values()))
    if unknown:
        outcome.missing = f"{unknown} attempts do not say which actions were legal"


@check("attempt.budget", "attempts")
def budget(study: ServiceStudy, outcome: Outcome) -> None:
    frame, settings = study.frame("attempt"), study.declared
    if settings.tokens is None and settings.tool_calls is None:
        outcome.not_applicable = "the service declares no budget"
        return
    outcome.inspected = frame.size
    if settings.tokens is not None:
        read, written = frame.numbers("prompt_tokens"), frame.numbers("generated_tokens")
        message = "An attempt under a budget counts its tokens."
        outcome.rows(frame, np.isnan(read) | np.isnan(written), "/generated_tokens", message, "a count", "nothing")
        tokens = (np.nan_to_num(read) + np.nan_to_num(written)).astype(np.int64)
        most, message = f"{settings.tokens} at most, read and written", "More tokens than the budget allows."
        outcome.rows(frame, tokens > settings.tokens, "/generated_tokens", message, most, tokens)
    if settings.tool_calls is not None:
        uncounted = ~(frame.numbers("tool_calls") <= settings.tool_calls)
        message = "More tool calls than the budget allows, or not counted."
        outcome.rows(frame, uncounted, "/tool_calls", message, f"{settings.tool_calls} at most")


@check("attempt.times", "attempts")
def times(study: ServiceStudy, outcome: Outcome) -> None:
    frame = study.frame("attempt")
    started, elapsed = frame.numbers("started_ms"), frame.numbers("elapsed_ms")
    outcome.inspected = frame.size
    outcome.rows(frame, ~(elapsed >= 0), "/elapsed_ms", "A time is finite and not negative.", "0 or more")
    outcome.rows(frame, ~(started >= 0), "/started_ms", "An attempt says when it was sent.", "0 or more")
    limit = float(exact(study.declared.timeout_ms))
    early, message = (
        (study.outcomes == "service-timeout") & (elapsed < limit),
        "The attempt was given up before its time.",
    )
    outcome.rows(frame, early, "/elapsed_ms", message, f"{study.declared.timeout_ms} or more")
    later, before = _before(study)
    with np.errstate(invalid="ignore"):
        # Starts and lengths are rounded apart, so their sum may pass the next start by a rounding.
        overlap = started[before] + elapsed[before] > started[later] + 0.002
    ended = [f"{float(time)} or later" for time in (started[before] + elapsed[before])[overlap]]
    message = "The attempt began before the one before it had ended."
    outcome.rows(frame, later[overlap], "/started_ms", message, ended)
