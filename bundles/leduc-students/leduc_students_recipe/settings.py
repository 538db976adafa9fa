"""Everything that is declared before a student is judged."""

from __future__ import annotations

from typing import Any

SEEDS = (11, 23, 37, 53, 71)
RUNS = tuple(f"s{seed}" for seed in SEEDS)
THREE = RUNS[:3]
"""The runs of the three-seed table."""
SCALES = tuple(f"{tenth / 10:g}" for tenth in range(20))
FIXED = "0.5"
TEACHER = "cfr+1000"
OPPONENTS = ("early-learner", "rule-player")
PAIRS = 300
CONTEST_SEED = 20260
RESAMPLING_SEED = 4013

FEATURES = (
    *(f"rank {rank}" for rank in "JQK"),
    *(f"public {rank}" for rank in "JQK"),
    "pair",
    "second round",
    "facing a raise",
    "player 1",
    "raises",
    "earlier raises",
)

GAME = {
    "game": "leduc",
    "ranks": ["J", "Q", "K"],
    "copies": 2,
    "ante": 1,
    "raises": [2, 4],
    "most_raises": 2,
    "tolerance": "1e-12",
}
DISTILLATION: dict[str, Any] = {
    "teacher": TEACHER,
    "smoothing": "0.01",
    "features": list(FEATURES),
    "scales": list(SCALES),
    "fixed": FIXED,
    "tau": "0.05",
    "epsilon": "0.05",
    "zeta": "0.05",
    "calibration": {"seed": 7001, "draws": 512},
    "held_out": {"seed": 7002, "draws": 512},
    "divisor": "n-1",
    "association": {
        "ties": "mean-rank",
        "resamples": 1000,
        "permutations": 1000,
        "confidence": "0.95",
        "seed": RESAMPLING_SEED,
    },
}
CONTEST: dict[str, Any] = {
    "seed": CONTEST_SEED,
    "arms": [f"{run}@{scale}" for run in RUNS for scale in SCALES],
    "opponents": list(OPPONENTS),
    "pairs": PAIRS,
    "z": "1.96",
    "limit": "5",
}
ARMS = ("no-residual", "fixed", "calibrated")
SERVICE: dict[str, Any] = {
    "service": "student",
    "arms": [f"{arm}/{run}" for arm in ARMS for run in RUNS],
    "actions": ["fold", "call", "raise"],
    "warm_up": 16,
    "requests": 200,
    "concurrency": 8,
    "batch": 1,
    "attempts": 2,
    "retried": ["illegal-action", "parser-failure", "service-timeout"],
    "timeout_ms": "60",
    "tokens": 20,
    "tool_calls": 0,
    "percentile": "nearest-rank",
    "retry_unit": "attempts",
    "boundary": "from the moment a worker sends the first attempt to the moment it has validated or given up the last",
    "queue": "none outside the service: each of eight workers sends its next request when its last one has ended",
    "failure": "timeouts, illegal and malformed answers are injected by the service; failed requests stay in every "
    "denominator, with their time and their tokens",
    "hardware": "two shared cores of a virtual machine, client and service on the same machine, loopback",
}
