"""Solves, evaluates, reports, and seals the records of it all."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from leduc_recipe import tables
from leduc_recipe.game import ACTIONS, MOST_RAISES, RAISES, RANKS
from leduc_recipe.names import NAMES
from leduc_recipe.profiles import Checkpoint, checkpoints
from leduc_recipe.solver import information_sets
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows

PROTOCOL = {
    "study": "leduc",
    "title": "Leduc poker: CFR+ checkpoints, and what each is worth exactly",
    "source": "RSD-Poker, table of the exact-Leduc calibration",
    "anonymous": False,
    "expects": "verified",
}
GAME = {
    "game": "leduc",
    "ranks": list(RANKS),
    "copies": 2,
    "ante": 1,
    "raises": list(RAISES),
    "most_raises": MOST_RAISES,
    "tolerance": "1e-12",
}
NO_POLICIES = "Strategies of a whole game: no policy is traced, calibrated or selected."


def build(directory: Path, attachments: dict[str, bytes]) -> None:
    """Makes the bundle in a new directory."""
    write_document(directory / "declare/protocol.json", PROTOCOL)
    write_document(directory / "declare/names.json", NAMES)
    write_document(directory / "declare/game.json", GAME)
    archive(directory, attachments)
    made = checkpoints()
    write_rows(directory / "bank/run.jsonl", "run", [run_record(checkpoint) for checkpoint in made])
    rows = [row for checkpoint in made for row in profile_rows(checkpoint)]
    write_rows(directory / "bank/profile.parquet", "profile", rows)
    by_name = {checkpoint.name: checkpoint for checkpoint in made}
    write_document(directory / "report/table.leduc.json", tables.paper_table())
    write_document(directory / "report/table.curve.json", tables.curve_table(by_name))
    write_document(directory / "report/table.arithmetic.json", tables.arithmetic_table(by_name))
    seal(directory, empty={"all": NO_POLICIES})


def run_record(checkpoint: Checkpoint) -> dict[str, Any]:
    """How a profile was made. Nothing is drawn at random, so there is no seed."""
    if checkpoint.order is None:
        return {"run": checkpoint.name, "arm": "uniform", "settings": {"iterations": "0"}}
    digits = {} if checkpoint.digits is None else {"decimal digits": str(checkpoint.digits)}
    return {
        "run": checkpoint.name,
        "arm": "cfr+",
        "data_order": f"deals in the order {' '.join(checkpoint.order)}",
        "checkpoint_rule": "the average policy after the last iteration",
        "settings": {"iterations": str(checkpoint.iterations), **digits},
    }


def profile_rows(checkpoint: Checkpoint) -> list[dict[str, Any]]:
    """One row per information set."""
    return [
        {
            "profile": checkpoint.name,
            "information_set": name,
            "player": state.player,
            "probabilities": {
                ACTIONS[action]: chance for action, chance in zip(state.legal, checkpoint.policy[name], strict=True)
            },
        }
        for name, state in information_sets().items()
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
