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
from push_fold_recipe.game import ACTIONS, POINTS, information_sets
from push_fold_recipe.service import ask, started

MEASURED = Path(__file__).parent.parent / "measured.json"
SERVICE: dict[str, Any] = {
    "service": "push-fold",
    "arms": [f"{arm}/{seed}" for arm in ARMS for seed in SEEDS],
    "actions": ["fold", "call", "raise"],
    "warm_up": 10,
    "requests": 200,
    "concurrency": 1,
    "batch": 1,
    "attempts": 1,
    "retried": [],
    "timeout_ms": "1000",
    "tool_calls": 1,
    "percentile": "nearest-rank",
    "retry_unit": "attempts",
    "boundary": "from the moment a request is written to a pipe to the moment its answer has been read",
    "queue": "none: the next request is sent when the last one has ended",
    "failure": "no request failed; one that did would stay in every denominator",
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


def measure() -> dict[str, list[Any]]:
    """By request: [started, elapsed, answer, calls]."""
    service = started()
    assert service.stdout is not None
    service.stdout.readline()
    found: dict[str, list[Any]] = {}
    began = time.perf_counter()
    for request in requests():
        drawn = draw(_number(request), f"{_phase(request)} action")
        sent = time.perf_counter()
        said = ask(service, {"arm": request.rpartition("/")[0], "state": state_of(request), "draw": drawn})
        elapsed = time.perf_counter() - sent
        found[request] = [round((sent - began) * 1000, 3), round(elapsed * 1000, 3), said["answer"], said["calls"]]
    service.communicate()
    return found


def attempt_records() -> list[dict[str, Any]]:
    """The measured attempts as records."""
    stored = json.loads(MEASURED.read_text(encoding="utf-8"))["requests"]
    return [
        {
            "request": request,
            "attempt": 0,
            "arm": request.rpartition("/")[0],
            "phase": _phase(request),
            "trigger": "first",
            "started_ms": stored[request][0],
            "elapsed_ms": stored[request][1],
            "legal": [ACTIONS[action] for action in POINTS[state_of(request).partition(":")[2]]],
            "answer": stored[request][2],
            "tool_calls": stored[request][3],
            "outcome": "ok",
        }
        for request in requests()
    ]


if __name__ == "__main__":
    measured = measure()
    lines = ",\n".join(f"{json.dumps(request)}: {json.dumps(measured[request])}" for request in requests())
    MEASURED.write_text('{"requests": {\n' + lines + "\n}}\n", encoding="utf-8")
