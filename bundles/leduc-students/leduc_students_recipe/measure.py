"""`python -m leduc_students_recipe.measure` starts the service, loads it, and stores what was measured.

Times cannot be measured twice alike, so the measurements are kept, and the build reads them.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from leduc_recipe.game import ACTIONS
from leduc_students_recipe.players import SETS
from leduc_students_recipe.risk import draw, in_order
from leduc_students_recipe.settings import SERVICE

MEASURED = Path(__file__).parent / "measured.json"
LOAD_SEED = 808
TIMEOUT = float(SERVICE["timeout_ms"]) / 1000


def state_of(request: str) -> str:
    """The decision that a request asks for."""
    listed = in_order()
    return listed[int(draw(LOAD_SEED, request, "state") * len(listed))]


def prompt_of(state: str) -> str:
    """The decision in words; its words are its tokens."""
    known = SETS[state]
    legal = " ".join(ACTIONS[action] for action in known.legal)
    cards = f"card {known.cards[known.player]} public {known.board or 'none'}"
    return f"seat {known.player} {cards} first {known.first or '-'} second {known.second or '-'} legal {legal}"


def outcome_of(said: str | None, state: str) -> str:
    """The terminal code of an answer."""
    if said is None:
        return "service-timeout"
    if said in (ACTIONS[action] for action in SETS[state].legal):
        return "ok"
    return "illegal-action" if said in ACTIONS.values() else "parser-failure"


def requests_of(arm: str) -> list[tuple[str, str]]:
    """(request, phase): the warm-up first."""
    warm = [(f"{arm}/w{number}", "warm-up") for number in range(int(SERVICE["warm_up"]))]
    return warm + [(f"{arm}/t{number}", "timed") for number in range(int(SERVICE["requests"]))]


def measure(candidates: dict[str, str]) -> dict[str, list[Any]]:
    """By request: [started, elapsed, answer] of each attempt. `candidates` says which student an arm deploys."""
    service = subprocess.Popen(
        [sys.executable, "-m", "leduc_students_recipe.service", *sorted(set(candidates.values()))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert service.stdout is not None
    port = int(service.stdout.readline())
    found: dict[str, list[Any]] = {}
    began = time.perf_counter()

    def ask(request: str, candidate: str) -> None:
        state = state_of(request)
        attempts: list[Any] = []
        while len(attempts) < int(SERVICE["attempts"]):
            body = {"request": request, "attempt": len(attempts), "candidate": candidate, "state": state}
            started = time.perf_counter()
            said = _post(port, json.dumps(body | {"prompt": prompt_of(state)}))
            ended = time.perf_counter()
            attempts.append([round((started - began) * 1000, 3), round((ended - started) * 1000, 3), said])
            if outcome_of(said, state) == "ok":
                break
        found[request] = attempts

    try:
        for arm, candidate in candidates.items():
            for phase in ("warm-up", "timed"):
                wanted = [request for request, of in requests_of(arm) if of == phase]
                with ThreadPoolExecutor(int(SERVICE["concurrency"])) as workers:
                    list(workers.map(lambda request: ask(request, candidate), wanted))
    finally:
        service.communicate("")
    return found


def _post(port: int, body: str) -> str | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        connection.request("POST", "/", body)
        return connection.getresponse().read().decode()
    except (TimeoutError, http.client.HTTPException, ConnectionError):
        return None
    finally:
        connection.close()


def attempt_records() -> list[dict[str, Any]]:
    """The measured attempts as records."""
    stored = json.loads(MEASURED.read_text(encoding="utf-8"))["requests"]
    records = []
    for arm in SERVICE["arms"]:
        for request, phase in requests_of(arm):
            state, trigger = state_of(request), "first"
            for number, (started, elapsed, said) in enumerate(stored[request]):
                outcome = outcome_of(said, state)
                records.append(
                    {
                        "request": request,
                        "attempt": number,
                        "arm": arm,
                        "phase": phase,
                        "trigger": trigger,
                        "started_ms": started,
                        "elapsed_ms": elapsed,
                        "legal": [ACTIONS[action] for action in SETS[state].legal],
                        **({} if said is None else {"answer": said}),
                        "prompt_tokens": len(prompt_of(state).split()),
                        "generated_tokens": 0 if said is None else len(said.split()),
                        "tool_calls": 0,
                        "outcome": outcome,
                    }
                )
                trigger = outcome
    return records


if __name__ == "__main__":
    from leduc_students_recipe.study import deployed

    measured = measure(deployed())
    lines = ",\n".join(f"{json.dumps(request)}: {json.dumps(measured[request])}" for request in sorted(measured))
    MEASURED.write_text('{"requests": {\n' + lines + "\n}}\n", encoding="utf-8")
