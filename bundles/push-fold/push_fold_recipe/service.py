"""`python -m push_fold_recipe.service` answers decisions, a line each; undecided arms ask the solver, another process.

With the word `solver` it is that other process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, TextIO

from push_fold_recipe.arms import asks, trained
from push_fold_recipe.game import ACTIONS, POINTS, Policy
from push_fold_recipe.networks import seen, share
from push_fold_recipe.solver import rounded, solve


def started(*words: str) -> subprocess.Popen[str]:
    """A process of this module."""
    command = [sys.executable, "-m", "push_fold_recipe.service", *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(process: subprocess.Popen[str], question: dict[str, Any]) -> dict[str, Any]:
    """One line to a process, and one back."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def serve(solved: Policy, lines: TextIO) -> None:
    """Answers until the input ends; the first line says that it is ready."""
    learnt, solver = trained(solved), started("solver")
    _say({})
    for line in lines:
        request = json.loads(line)
        state, calls = request["state"], 0
        output = learnt[request["arm"]](seen(state))
        bold = share(output)
        if asks(output):
            bold, calls = ask(solver, {"state": state})["bold"], 1
        action = POINTS[state.partition(":")[2]][int(request["draw"] < bold)]
        _say({"answer": ACTIONS[action], "calls": calls})
    solver.communicate()


def _say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    known = rounded(solve())
    if sys.argv[1:] == ["solver"]:
        for asked in sys.stdin:
            _say({"bold": known[json.loads(asked)["state"]][1]})
    else:
        serve(known, sys.stdin)
