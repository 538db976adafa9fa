"""The 24-state fixture of the RSD-Poker paper.

The paper prints the states and the constants. The action values, the costs and what happens on an
accepted query were recovered from its printed tables; it states none of them.
"""

from __future__ import annotations

from typing import Any

from rsd_fixture.names import NAMES
from rsd_fixture.study import Arm, State, Study, Values
from rsd_fixture.tables import table_records

RANKS = "JQKA"
ACTIONS = ["fold", "call", "raise"]
GRID = ["0", "0.04", "0.08", "0.12", "0.16"]

PROTOCOL: dict[str, Any] = {
    "study": "rsd-fixture",
    "title": "RSD-Poker: exact replay of the 24-state fixture",
    "source": "RSD-Poker: Structure-Adaptive and Shift-Robust Risk-Utility Certification (the paper's appendices)",
    "anonymous": True,
    "expects": "verified",
    "actions": ACTIONS,
    "splits": [
        {"name": "calibration", "role": "calibration", "states": 12, "rule": {"modulus": 2, "remainder": 0}},
        {"name": "held-out", "role": "held-out", "states": 12, "rule": {"modulus": 2, "remainder": 1}},
    ],
    "tau": "0.05",
    "scale_grid": GRID,
    "evaluators": {"utility": "weak", "risk": "strong"},
    "features": {
        "pot_pressure": {"field": "pot", "form": "capped-ratio", "cap": "10"},
        "history_depth": {"field": "history", "form": "capped-length", "cap": "4"},
        "rank": {"field": "hero", "form": "lookup", "table": {"J": "0", "Q": "1", "K": "2", "A": "3"}},
        "position_certainty": {"field": "position", "form": "lookup", "table": {"BB": "0.30", "BTN": "0.65"}},
    },
    "teacher": {"temperature": "2.5"},
    "anchor": {"teacher": "0.92", "uniform": "0.08"},
    "prior": {
        "logits": {
            "fold": {"constant": "0.35", "terms": {"rank": "-0.25", "pot_pressure": "0.20"}},
            "call": {"constant": "0.45", "terms": {"rank": "0.15", "position_certainty": "0.10"}},
            "raise": {"constant": "0.20", "terms": {"rank": "0.35", "pot_pressure": "0.15"}},
        },
        "floor": "0.02",
    },
    "query": {
        "entropy": "0.55",
        "terms": {"pot_pressure": "0.30", "history_depth": "0.15"},
        "threshold": "0.80",
    },
    "charges": {
        "policy": {"tokens": 1, "latency_ms": "0.1", "tool_calls": 0},
        "residual": {"tokens": 2, "latency_ms": "0.3", "tool_calls": 0},
        "query-accepted": {"tokens": 8, "latency_ms": "2.0", "tool_calls": 1},
    },
    # The rules of the game, and no evaluator, price a fold: half of the pot is lost.
    "boundary": {"given": [{"action": "fold", "constant": "0", "terms": {"pot": "-1/2"}}]},
    "interfaces": {
        "teacher-backed": [
            "hero",
            "board",
            "position",
            "pot",
            "stack",
            "history",
            "legal",
            "teacher.distribution",
        ],
        "teacher-free": ["hero", "board", "position", "pot", "stack", "history", "legal"],
    },
    "selectors": [{"name": "empirical-zero", "rule": "empirical-zero", "arm": "residual"}],
    "ties": {"action": "earliest-legal"},
    "tolerances": {"normalization": "1e-12", "replay": "1e-12"},
    "bootstrap": {
        "resamples": 4000,
        "confidence": "0.95",
        "seed": 13,
        "generator": "python-randrange",
        "percentile": "floor",
        "schedules": {
            "full-fixture": {
                "order": ["active-query", "anchor", "residual@0.08", "residual@1", "top-1"],
                "step": 10,
            },
            "split": {"order": [f"residual@{scale}" for scale in GRID], "step": 10, "offsets": {"held-out": 2}},
        },
    },
}

DIRECTION: dict[str, Any] = {
    "fold": {"constant": "-0.20"},
    "call": {"constant": "0.05"},
    "raise": {"constant": "0.55", "terms": {"pot_pressure": "1"}},
}


def observation(number: int) -> dict[str, Any]:
    """A row of the printed state inventory."""
    return {
        "state": f"{number:04d}",
        "split": "held-out" if number % 2 else "calibration",
        "legal": ACTIONS,
        "hero": RANKS[number % 4],
        "board": [RANKS[(number + 1) % 4]],
        "position": "BTN" if number % 2 else "BB",
        "pot": 4 + number % 7,
        "stack": 16 + number % 9,
        "history": ["check", "raise"] if number % 3 == 0 else ["check"],
    }


def teacher_values(seen: dict[str, Any]) -> Values:
    """Fold loses half the pot; call is the showdown average less a capped cost; raise is discounted."""
    hero, board, pot = RANKS.index(seen["hero"]), RANKS.index(seen["board"][0]), seen["pot"]
    opponents = [rank for rank in range(4) if rank not in (hero, board)]
    showdown = sum((hero > rank) - (hero < rank) for rank in opponents) / len(opponents)
    discount = sum(4.5 for rank in opponents if rank > hero) / len(opponents)
    return {"fold": -pot / 2, "call": pot * showdown - 2.0, "raise": pot - discount}


def state(number: int) -> State:
    seen = observation(number)
    teacher = teacher_values(seen)
    bonus = 0.75 if len(seen["history"]) == 2 else 0.0
    penalty = (4.0, 4.5, 5.0)[number % 3]
    return State(
        observation=seen,
        teacher=teacher,
        weak={**teacher, "raise": teacher["raise"] + bonus},
        strong={**teacher, "raise": teacher["raise"] - penalty},
    )


def fixture() -> Study:
    """The study that the paper's fixture tables describe."""
    return Study(
        protocol=PROTOCOL,
        direction=DIRECTION,
        arms=[
            Arm("active-query", "query"),
            Arm("anchor", "anchor"),
            *(Arm("residual", "tilt", scale) for scale in [*GRID, "1"]),
            Arm("top-1", "top-action"),
        ],
        states=[state(number) for number in range(24)],
        names=NAMES,
        tables=table_records(),
        empty={"structure": "The fixture fixes one residual direction and learns no partition."},
    )
