"""Solves, trains, plays, reports, and seals the records of it all."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path
from typing import Any

from push_fold_recipe import arms, contest, manuscript, risk, tables
from push_fold_recipe.game import ACTIONS, ANTE, COPIES, POINTS, RANKS, STACK, Policy
from push_fold_recipe.measure import SERVICE, attempt_records
from push_fold_recipe.solver import best_response, rounded, solve, uniform
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows

PROTOCOL = {
    "study": "push-fold",
    "title": "A heads-up all-in game: solved, cloned, corrected and played",
    "anonymous": False,
    "expects": "verified",
}
GAME = {
    "game": "push-fold",
    "ranks": list(RANKS),
    "copies": COPIES,
    "ante": ANTE,
    "raises": [STACK],
    "most_raises": 1,
    "tolerance": "1e-12",
}
NO_POLICIES = "Strategies of a whole game: no policy is traced, calibrated or selected."


def build(directory: Path, attachments: dict[str, bytes]) -> None:
    """Makes the bundle in a new directory."""
    solution = solve()
    solved = rounded(solution)
    learnt = {name: arms.played(output, solved) for name, output in arms.trained(solved).items()}
    opponents = {"solver": solved, **{name: arms.threshold(lowest) for name, lowest in arms.OPPONENTS.items()}}
    profiles = {"uniform": uniform(), **opponents, **learnt}
    declared = {
        "seed": contest.SEED,
        "arms": list(learnt),
        "opponents": list(opponents),
        "pairs": contest.PAIRS,
        "z": contest.Z,
        "limit": "5",
        "violation": risk.THRESHOLD,
        "divisor": "n-1",
    }
    for name, document in (
        ("protocol", PROTOCOL),
        ("names", tables.names()),
        ("game", GAME),
        ("contest", declared),
        ("service", SERVICE),
    ):
        write_document(directory / f"declare/{name}.json", document)
    archive(directory, attachments)
    write_rows(directory / "bank/run.jsonl", "run", run_records(best_response(solution, 0)))
    rows = [row for name, policy in profiles.items() for row in profile_rows(name, policy)]
    write_rows(directory / "bank/profile.parquet", "profile", rows)
    hands, attempts = contest.hands(learnt, opponents), attempt_records()
    write_rows(directory / "report/match.parquet", "match", hands)
    write_rows(directory / "report/attempt.parquet", "attempt", attempts)
    reported = tables.made(tables.Study(profiles, hands, attempts))
    for name, table in reported.items():
        write_document(directory / f"report/table.{name}.json", table)
    text = manuscript.source(list(reported.values()))
    (directory / "report/manuscript.tex").write_text(text, encoding="utf-8")
    log = Path(__file__).parent.parent / "manuscript.log"
    (directory / "report/manuscript.log").write_bytes(log.read_bytes())
    seal(directory, empty={"all": NO_POLICIES})


def run_records(value: float | Fraction) -> list[dict[str, Any]]:
    """How the profiles were made."""
    solver = {
        "run": "solver",
        "arm": "simplex",
        "data_order": "all deals, by rank",
        "checkpoint_rule": "the exact solution of a linear program, rounded to doubles",
        "settings": {"value": str(value), "exploitability": "0"},
    }
    return [
        solver,
        *(
            {
                "run": f"{arm}/{seed}",
                "arm": arm,
                "training_seed": seed,
                "evaluation_seed": contest.SEED,
                "data_order": "information sets in the order of the profile, all in every step",
                "checkpoint_rule": "the last step",
            }
            for arm in arms.ARMS
            for seed in arms.SEEDS
        ),
    ]


def profile_rows(profile: str, policy: Policy) -> list[dict[str, Any]]:
    """One row per information set."""
    return [
        {
            "profile": profile,
            "information_set": name,
            "player": len(name.partition(":")[2]) % 2,
            "probabilities": {
                ACTIONS[action]: chance for action, chance in zip(POINTS[name.partition(":")[2]], chances, strict=True)
            },
        }
        for name, chances in policy.items()
    ]


def archive(directory: Path, attachments: dict[str, bytes]) -> None:
    """Keeps the code beside the records, with the hash that it has now."""
    rows = []
    for name, data in sorted(attachments.items()):
        path = f"declare/attachments/{name}"
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
        rows.append({"path": path, "role": "code", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    write_rows(directory / "declare/source.jsonl", "source", rows)
