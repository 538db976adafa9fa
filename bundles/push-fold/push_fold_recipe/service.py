"""`python -m push_fold_recipe.service` answers decisions, a line each; undecided arms ask the solver, another process.

With the word `solver` it is that other process. A few answers are spoilt on purpose, by draws that depend on the
request and the attempt: they name an action that is not legal, or something that is no action.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, TextIO

from push_fold_recipe.arms import asks, trained
from push_fold_recipe.contest import draw
from push_fold_recipe.game import ACTIONS, POINTS, Policy
from push_fold_recipe.networks import seen, share
from push_fold_recipe.solver import rounded, solve

ILLEGAL, MALFORMED = 0.015, 0.030
"""Below the first draw an answer names an illegal action, below the second it is none."""


def legal_in(state: str) -> list[str]:
    """What may be done at an information set."""
    return [ACTIONS[action] for action in POINTS[state.partition(":")[2]]]


def prompt_of(state: str) -> str:
    """The decision in words, which are its tokens."""
    card, _, done = state.partition(":")
    before = " ".join(ACTIONS[action] for action in done) or "nothing"
    return f"seat {len(done) % 2} card {card} done {before} legal {' '.join(legal_in(state))}"


def _state_in(prompt: str) -> str:
    """The information set that a prompt describes."""
    words = prompt.split()
    done = words[words.index("done") + 1 : words.index("legal")]
    letters = {word: letter for letter, word in ACTIONS.items()}
    return f"{words[words.index('card') + 1]}:" + "".join(letters[word] for word in done if word in letters)


def spoilt(said: str, state: str, key: str) -> str:
    """The answer, or what is said instead."""
    fault = draw(0, f"fault {key}")
    if fault < ILLEGAL:
        return next(action for action in ACTIONS.values() if action not in legal_in(state))
    return f"perhaps {said}" if fault < MALFORMED else said


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
        state, calls = _state_in(request["prompt"]), 0
        output = learnt[request["arm"]](seen(state))
        bold = share(output)
        if asks(output):
            bold, calls = ask(solver, {"state": state})["bold"], 1
        action = POINTS[state.partition(":")[2]][int(request["draw"] < bold)]
        _say({"answer": spoilt(ACTIONS[action], state, request["key"]), "calls": calls})
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
