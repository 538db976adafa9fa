"""A small HTTP service on loopback: a request describes a decision, the answer is the student's action.

It spoils a few answers on purpose, by draws that depend on the request and the attempt: it stays silent until the
client has given up, names an action that is not legal, or says something that is no action.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from leduc_recipe.game import ACTIONS
from leduc_recipe.solver import Policy
from leduc_students_recipe.players import SETS, StudentPlayer, load_students
from leduc_students_recipe.risk import draw
from leduc_students_recipe.settings import SERVICE

SERVICE_SEED = 9090
SILENT, ILLEGAL, MALFORMED = 0.010, 0.025, 0.040
"""Below the first draw an attempt is met with silence, below the second with an illegal action, and so on."""


def answer(policies: dict[str, Policy], request: dict[str, Any]) -> str | None:
    """What the service says; None for silence."""
    state = SETS[request["state"]]
    key = f"{request['request']} {request['attempt']}"
    fault = draw(SERVICE_SEED, key, "fault")
    if fault < SILENT:
        return None
    illegal = [action for action in "fcr" if action not in state.legal]
    if fault < ILLEGAL and illegal:
        return ACTIONS[illegal[0]]
    if SILENT <= fault < MALFORMED:
        return "perhaps " + ACTIONS[state.legal[0]]
    drawn, total = draw(SERVICE_SEED, key, "action"), 0.0
    for action, probability in zip(state.legal, policies[request["candidate"]][request["state"]], strict=True):
        total += probability
        if drawn < total:
            return ACTIONS[action]
    return ACTIONS[state.legal[-1]]


def serve(candidates: list[str]) -> None:
    """Serves until its input ends; prints the port first."""
    students = {run: StudentPlayer(record) for run, record in load_students().items()}
    policies = {name: students[name.partition("@")[0]].policy(name.partition("@")[2]) for name in candidates}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = answer(policies, request)
            if said is None:
                time.sleep(2 * float(SERVICE["timeout_ms"]) / 1000)
                self.close_connection = True
                return
            body = said.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Requests are recorded by who sends them."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    serve(sys.argv[1:])
