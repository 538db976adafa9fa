"""Calibrates, plays, reports, and seals the records of it all."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from leduc_recipe.game import ACTIONS
from leduc_recipe.solver import Policy, uniform
from leduc_students_recipe import contest, manuscript, measure, tables, training
from leduc_students_recipe.names import NAMES
from leduc_students_recipe.players import SETS, load_students
from leduc_students_recipe.settings import (
    ARMS,
    CONTEST,
    CONTEST_SEED,
    DISTILLATION,
    GAME,
    RESAMPLING_SEED,
    RUNS,
    SERVICE,
    TEACHER,
)
from leduc_students_recipe.study import Study, study
from sealtrace.bundle.content import document_digest
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows

PROTOCOL = {
    "study": "leduc-students",
    "title": "Observation-only students of Leduc poker: distilled, calibrated, played against two opponents, served",
    "anonymous": False,
    "expects": "verified",
}
EMPTY = {
    "structure": "Students are calibrated as a whole: nothing is partitioned.",
    "trace": "A student's policy at every information set follows from its weights.",
    "select": "The chosen scale stands with the calibration of each scale.",
    "replay": "Nothing is replayed on a held-out split but what the verifier recomputes.",
}


def build(directory: Path, attachments: dict[str, bytes]) -> None:
    """Makes the bundle in a new directory."""
    made = study()
    declare(directory)
    archive(directory, attachments)
    students = load_students()
    for run, record in students.items():
        write_document(directory / f"bank/student.{run}.json", record)
    write_rows(directory / "bank/run.jsonl", "run", [run_record(run, students[run]) for run in RUNS])
    write_rows(directory / "bank/profile.parquet", "profile", profile_rows(made))
    write_rows(directory / "calibrate/scale.jsonl", "scale", scale_rows(made))
    hands = contest.hands({name: one.policy for name, one in made.candidates.items()}, made.opponents)
    write_rows(directory / "report/match.parquet", "match", hands)
    attempts = measure.attempt_records()
    write_rows(directory / "report/attempt.parquet", "attempt", attempts)
    report = tables.Report(made, hands, attempts)
    reported = {name: table(report) for name, table in tables.TABLES.items()}
    for name, record in reported.items():
        write_document(directory / f"report/table.{name}.json", record)
    manuscript.write(directory, list(reported.values()))
    seal(directory, empty=EMPTY)


def declare(directory: Path) -> None:
    """What is fixed before anything is judged."""
    for name, document in (
        ("protocol", PROTOCOL),
        ("names", NAMES),
        ("game", GAME),
        ("distillation", DISTILLATION),
        ("contest", CONTEST),
        ("service", SERVICE),
    ):
        write_document(directory / f"declare/{name}.json", document)


def run_record(run: str, student: dict[str, Any]) -> dict[str, Any]:
    """How a student was trained, and which seeds judge it."""
    return {
        "run": run,
        "arm": "student",
        "training_seed": int(run[1:]),
        "evaluation_seed": CONTEST_SEED,
        "resampling_seed": RESAMPLING_SEED,
        "data_order": f"all {len(SETS)} information sets, shuffled anew in every epoch by the training seed",
        "checkpoint_sha256": document_digest(student),
        "checkpoint_rule": "the weights after the last epoch",
        "settings": {
            "batch": str(training.BATCH),
            "learning rate": str(training.RATE),
            **{f"epochs of the {head}": str(count) for head, count in training.STEPS.items()},
            **{f"hidden units of the {head}": str(count) for head, count in training.HIDDEN.items()},
        },
    }


def profile_rows(made: Study) -> list[dict[str, Any]]:
    """The teacher, the opponents and every deployed student."""
    profiles: dict[str, Policy] = {"uniform": uniform(), TEACHER: made.teacher, **made.opponents}
    for arm in ARMS:
        for run in RUNS:
            candidate = made.deployed(arm, run)
            profiles[f"{run}@{candidate.scale}"] = candidate.policy
    return [
        {
            "profile": profile,
            "information_set": name,
            "player": state.player,
            "probabilities": {
                ACTIONS[action]: chance for action, chance in zip(state.legal, policy[name], strict=True)
            },
        }
        for profile, policy in profiles.items()
        for name, state in SETS.items()
    ]


def scale_rows(made: Study) -> list[dict[str, Any]]:
    """The calibration of every student at every scale."""
    return [
        {
            "run": run,
            "scale": one.scale,
            "states": DISTILLATION["calibration"]["draws"],
            "violations": one.violations,
            "bound": one.bound,
            "certified": one.certified,
            "chosen": one.scale == made.chosen[run],
        }
        for run, calibrated in made.calibration.items()
        for one in calibrated
    ]


def archive(directory: Path, attachments: dict[str, bytes]) -> None:
    """Keeps the code beside the records, with the hash that it has now."""
    rows = []
    for name, data in sorted(attachments.items()):
        path = f"declare/attachments/{name}"
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
        role = "environment" if name == "environment.json" else "code"
        rows.append({"path": path, "role": role, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    write_rows(directory / "declare/source.jsonl", "source", rows)
