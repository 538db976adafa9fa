"""The students, their calibration, and what each candidate comes to; computed once for the build."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from leduc_recipe.solver import Policy
from leduc_recipe.values import Worth, worth
from leduc_students_recipe import risk
from leduc_students_recipe.players import StudentPlayer, load_students, teacher_and_opponents
from leduc_students_recipe.settings import ARMS, DISTILLATION, FIXED, RUNS, SCALES


@dataclass(frozen=True)
class Candidate:
    """A student at a scale."""

    run: str
    scale: str
    policy: Policy
    worth: Worth
    weak: float
    strong: float
    violations: int
    """On the held-out states."""
    accuracy: float
    """The share of them at which the likeliest action is the teacher's."""
    miscalibration: float
    """How far, on average, the probability of the likeliest action lies from the teacher's of the same action."""


@dataclass(frozen=True)
class Study:
    teacher: Policy
    opponents: dict[str, Policy]
    candidates: dict[str, Candidate]
    calibration: dict[str, list[risk.Calibrated]]
    chosen: dict[str, str]

    def deployed(self, arm: str, run: str) -> Candidate:
        scale = {"no-residual": "0", "fixed": FIXED, "calibrated": self.chosen[run]}[arm]
        return self.candidates[f"{run}@{scale}"]


@cache
def study() -> Study:
    teacher, opponents = teacher_and_opponents()
    weak, strong = risk.evaluators(teacher)
    settings: dict[str, Any] = DISTILLATION
    calibration_states, held_out = risk.drawn(settings["calibration"]), risk.drawn(settings["held_out"])
    candidates, calibration, chosen = {}, {}, {}
    for run, record in load_students().items():
        student = StudentPlayer(record)
        calibration[run] = risk.calibrate(student, strong, calibration_states)
        chosen[run] = risk.chosen(calibration[run])
        for scale in SCALES:
            policy = student.policy(scale)
            candidates[f"{run}@{scale}"] = Candidate(
                run,
                scale,
                policy,
                worth(policy),
                _mean([risk.expected(policy[name], weak[name]) for name in held_out]),
                _mean([risk.expected(policy[name], strong[name]) for name in held_out]),
                sum(risk.violated(student, scale, strong, held_out)),
                _mean([float(_top(policy[name]) == _top(teacher[name])) for name in held_out]),
                _mean([abs(max(policy[name]) - teacher[name][_top(policy[name])]) for name in held_out]),
            )
    return Study(teacher, opponents, candidates, calibration, chosen)


def deployed() -> dict[str, str]:
    """Service arm to the candidate that it deploys."""
    made = study()
    found = {}
    for arm in ARMS:
        for run in RUNS:
            candidate = made.deployed(arm, run)
            found[f"{arm}/{run}"] = f"{candidate.run}@{candidate.scale}"
    return found


def _top(strategy: list[float]) -> int:
    """The place of the likeliest action, the first among equals."""
    return strategy.index(max(strategy))


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
