"""`python -m push_fold_recipe.measure` loads the service, one request after the other, and stores what was measured.

Times cannot be measured twice alike, so the measurements are kept beside this package, and the build reads them.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from push_fold_recipe.arms import ARMS, SEEDS
from push_fold_recipe.contest import draw
from push_fold_recipe.game import ACTIONS, information_sets
from push_fold_recipe.service import ask, legal_in, prompt_of, started

MEASURED = Path(__file__).parent.parent / "measured.json"
SERVICE: dict[str, Any] = {
    "service": "push-fold",
    "arms": [f"{arm}/{seed}" for arm in ARMS for seed in SEEDS],
    "actions": ["fold", "call", "raise"],
    "warm_up": 10,
    "requests": 200,
    "concurrency": 1,
    "batch": 1,
    "attempts": 3,
    "retried": ["illegal-action", "parser-failure"],
    "timeout_ms": "1000",
    "tokens": 20,
    "tool_calls": 1,
    "percentile": "nearest-rank",
    "retry_unit": "attempts",
    "boundary": "from the moment the first attempt is written to a pipe to the moment the last answer has been read",
    "queue": "none: the next request is sent when the last one has ended",
    "failure": "illegal and malformed answers are injected by the service; failed requests stay in every denominator, "
    "with their time and their tokens",
    "hardware": "two shared cores of a virtual machine; client, service and solver are three processes of it",
}


def state_of(request: str) -> str:
    """The decision that a request asks for: the same of every arm."""
    listed = information_sets()
    return listed[int(draw(_number(request), f"{_phase(request)} state") * len(listed))]


def _phase(request: str) -> str:
    return "warm-up" if request.rpartition("/")[2].startswith("w") else "timed"


def _number(request: str) -> int:
    return int(request.rpartition("/")[2][1:])


def requests() -> list[str]:
    """All requests: the arms take turns, so that what else the machine does meets all of them alike."""
    turns = [f"w{number}" for number in range(SERVICE["warm_up"])] + [f"t{n}" for n in range(SERVICE["requests"])]
    return [f"{arm}/{turn}" for turn in turns for arm in SERVICE["arms"]]


def outcome_of(said: str, state: str) -> str:
    """The terminal code of an answer."""
    if said not in ACTIONS.values():
        return "parser-failure"
    return "ok" if said in legal_in(state) else "illegal-action"


def measure() -> dict[str, list[list[Any]]]:
    """By request, its attempts: [started, elapsed, answer, calls]."""
    service = started()
    assert service.stdout is not None
    service.stdout.readline()
    found: dict[str, list[list[Any]]] = {}
    began = time.perf_counter()
    for request in requests():
        arm, state, said = request.rpartition("/")[0], state_of(request), ""
        drawn = draw(_number(request), f"{_phase(request)} action")
        found[request] = []
        while len(found[request]) < SERVICE["attempts"] and (not said or outcome_of(said, state) != "ok"):
            question = {
                "arm": arm,
                "prompt": prompt_of(state),
                "draw": drawn,
                "key": f"{request} {len(found[request])}",
            }
            sent = time.perf_counter()
            answer = ask(service, question)
            elapsed, said = time.perf_counter() - sent, answer["answer"]
            times = [round((sent - began) * 1000, 3), round(elapsed * 1000, 3)]
            found[request].append([*times, said, answer["calls"]])
    service.communicate()
    return found


def attempt_records() -> list[dict[str, Any]]:
    """The measured attempts as records; an attempt that follows another was triggered by how that one ended."""
    stored = json.loads(MEASURED.read_text(encoding="utf-8"))["requests"]
    records = []
    for request in requests():
        state, trigger = state_of(request), "first"
        for number, (sent, elapsed, said, calls) in enumerate(stored[request]):
            outcome = outcome_of(said, state)
            records.append(
                {
                    "request": request,
                    "attempt": number,
                    "arm": request.rpartition("/")[0],
                    "phase": _phase(request),
                    "trigger": trigger,
                    "started_ms": sent,
                    "elapsed_ms": elapsed,
                    "legal": legal_in(state),
                    "answer": said,
                    "prompt_tokens": len(prompt_of(state).split()),
                    "generated_tokens": len(said.split()),
                    "tool_calls": calls,
                    "outcome": outcome,
                }
            )
            trigger = outcome
    return records


if __name__ == "__main__":
    measured = measure()
    lines = ",\n".join(f"{json.dumps(request)}: {json.dumps(measured[request])}" for request in requests())
    MEASURED.write_text('{"requests": {\n' + lines + "\n}}\n", encoding="utf-8")
