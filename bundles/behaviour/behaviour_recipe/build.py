"""Reads hands, takes their names away, predicts, reports, and seals the records of it all."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

from behaviour_recipe.names import NAMES
from behaviour_recipe.reading_hands import Pseudonyms, Snapshot, names_of, read, snapshots, split
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows

PROTOCOL = {
    "study": "behaviour",
    "title": "Recorded behaviour at poker tables: a public prior, frequencies and their top action",
    "anonymous": True,
    "expects": "verified",
}
SIZES = ("0.5", "1")
CLIP = "1e-6"
SMOOTHING = "1"
PRIOR = {"facing": {"fold": 0.35, "call": 0.45, "raise": 0.2}, "free": {"call": 0.7, "raise": 0.3}}
ACTIONS = ("fold", "call", "raise")
TITLES = {"prior": "public prior", "frequency": "frequency calibrated", "top-1": "top-1 calibrated"}
EMPTY = "Recorded behaviour: no policy is traced, calibrated by a certificate, or selected."

Seen = tuple[str, Snapshot]
"""A split and a decision in it."""


def build(directory: Path, hands: Path, attachments: dict[str, bytes]) -> None:
    """Makes the bundle in a new directory."""
    entries = read(hands)
    if not entries:
        raise SystemExit(f"{hands}: no hand of Texas hold'em in PHH notation")
    splits = split(entries)
    write_document(directory / "declare/protocol.json", PROTOCOL)
    write_document(directory / "declare/names.json", NAMES)
    write_document(
        directory / "declare/behaviour.json",
        {
            "entries": [{"entry": name, "split": splits[entry]} for entry, name in _renamed(entries).items()],
            "context": ["street", "facing"],
            "prior": PRIOR,
            "smoothing": SMOOTHING,
            "clip": CLIP,
            "sizes": list(SIZES),
        },
    )
    archive(directory, attachments)
    pseudonyms, hand_rows, rows = Pseudonyms(), [], []
    seen: list[Seen] = []
    for entry, name in _renamed(entries).items():
        for number, hand in enumerate(entries[entry]):
            hand_rows.append(_hand(name, number, hand, [pseudonyms.of(one) for one in names_of(entry, hand)]))
            for snapshot in snapshots(hand):
                seen.append((splits[entry], snapshot))
                rows.append(_row(name, number, splits[entry], snapshot))
    write_rows(directory / "declare/hand.parquet", "hand", hand_rows)
    for name, stage in (("calibration", "bank"), ("evaluation", "report")):
        of_split = [row for row in rows if row["split"] == name]
        write_rows(directory / f"{stage}/snapshot.{name}.parquet", "snapshot", of_split)
    write_document(directory / "report/table.behaviour.json", table(seen))
    write_document(directory / "report/table.splits.json", split_table(seen))
    seal(directory, empty={"all": EMPTY})


def _renamed(entries: dict[str, Any]) -> dict[str, str]:
    """Entries by number: the name of a file may name a player."""
    return {entry: f"entry-{number:03d}" for number, entry in enumerate(entries, 1)}


def _hand(entry: str, number: int, hand: dict[str, Any], players: list[str]) -> dict[str, Any]:
    """What the notation says of play; venue, dates, names and comments stay behind."""
    return {
        "entry": entry,
        "hand": number,
        "variant": hand["variant"],
        "antes": [float(value) for value in hand["antes"]],
        "blinds_or_straddles": [float(value) for value in hand["blinds_or_straddles"]],
        "min_bet": float(hand.get("min_bet", hand.get("small_bet", 0))),
        "starting_stacks": [float(value) for value in hand["starting_stacks"]],
        "players": players,
        "actions": [action.split("#")[0].strip() for action in hand["actions"]],
    }


def _row(entry: str, number: int, in_split: str, snapshot: Snapshot) -> dict[str, Any]:
    size = size_of(snapshot)
    return {
        "entry": entry,
        "hand": number,
        "action": snapshot.action,
        "split": in_split,
        "street": snapshot.street,
        "players": snapshot.players,
        "pot": snapshot.pot,
        "to_call": snapshot.to_call,
        "label": snapshot.label,
        **({} if size is None else {"size": size}),
    }


def size_of(snapshot: Snapshot) -> str | None:
    """How many limits a raise exceeds."""
    if snapshot.raised is None:
        return None
    return f"size {sum(1 for limit in SIZES if snapshot.raised > float(limit))}"


# Predictors


def alike(one: Snapshot, other: Snapshot) -> bool:
    """The same street, and both with a bet to face or both without."""
    return one.street == other.street and facing(one) == facing(other)


def facing(snapshot: Snapshot) -> bool:
    return snapshot.to_call > 0


def met(snapshot: Snapshot, calibration: list[Snapshot]) -> list[Snapshot]:
    """Calibration decisions like this one; where there are none, those that only faced a bet like it."""
    return [each for each in calibration if alike(each, snapshot)] or [
        each for each in calibration if facing(each) == facing(snapshot)
    ]


def frequencies(snapshot: Snapshot, calibration: list[Snapshot]) -> dict[str, float]:
    """Smoothed counts of the legal actions."""
    legal = ACTIONS if facing(snapshot) else ACTIONS[1:]
    like = met(snapshot, calibration)
    counts = {action: float(SMOOTHING) + sum(1 for each in like if each.label == action) for action in legal}
    return {action: count / sum(counts.values()) for action, count in counts.items()}


def predicted(policy: str, snapshot: Snapshot, calibration: list[Snapshot]) -> tuple[dict[str, float], str | None]:
    """The probabilities of actions, and the size of a raise."""
    if policy == "prior":
        return PRIOR["facing" if facing(snapshot) else "free"], None
    shares = frequencies(snapshot, calibration)
    raised = [each for each in calibration if each.raised is not None]
    sizes = [size for each in met(snapshot, raised) if (size := size_of(each)) is not None]
    common = min(set(sizes), key=lambda size: (-sizes.count(size), size)) if sizes else None
    if policy == "top-1":
        return {top(shares): 1.0}, common
    return shares, common


def top(shares: dict[str, float]) -> str:
    """The likeliest action, the earliest among equals."""
    return max(ACTIONS, key=lambda action: (shares.get(action, 0.0), -ACTIONS.index(action)))


def table(seen: list[Seen]) -> dict[str, Any]:
    """The paper's layout, with this study's numbers."""
    calibration = [snapshot for of, snapshot in seen if of == "calibration"]
    evaluation = [snapshot for of, snapshot in seen if of == "evaluation"]
    raises = [snapshot for snapshot in evaluation if snapshot.label == "raise"]
    rows = []
    for policy, title in TITLES.items():
        said = [(snapshot, *predicted(policy, snapshot, calibration)) for snapshot in evaluation]
        right = sum(1 for snapshot, shares, _ in said if top(shares) == snapshot.label)
        loss = -sum(math.log(max(shares.get(snapshot.label, 0.0), float(CLIP))) for snapshot, shares, _ in said)
        sized = sum(1 for snapshot, _, size in said if size is not None and size_of(snapshot) == size)
        cells = [title, f"{right / len(said):.4f}", f"{loss / len(said):.4f}", f"{sized / len(raises):.4f}"]
        rows.append({"label": title, "cells": cells, "arguments": {"policy": policy}})
    arguments = {"policy": "{policy}"}
    return {
        "label": "tab:behaviour",
        "caption": f"Predictors of recorded actions on {len(evaluation)} evaluation snapshots; raise agreement on the "
        f"{len(raises)} raises among them.",
        "columns": [
            {"label": "Policy"},
            {"label": "Action accuracy", "recipe": {"metric": "action_accuracy", "arguments": arguments}},
            {"label": "Log loss", "recipe": {"metric": "log_loss", "arguments": arguments}},
            {"label": "Raise agreement", "recipe": {"metric": "raise_agreement", "arguments": arguments}},
        ],
        "rows": rows,
    }


def split_table(seen: list[Seen]) -> dict[str, Any]:
    """How many decisions each split holds."""
    rows = []
    for name in ("calibration", "evaluation"):
        labels = [snapshot.label for of, snapshot in seen if of == name]
        cells = [name, str(len(labels)), *(str(labels.count(action)) for action in ACTIONS)]
        rows.append({"label": name, "cells": cells})
    count = {"metric": "snapshots", "arguments": {"split": "{Split}"}}
    return {
        "label": "tab:splits",
        "caption": "Decisions by split, and by what was done.",
        "columns": [
            {"label": "Split"},
            {"label": "Snapshots", "recipe": count},
            *(
                {"label": action, "recipe": {**count, "arguments": {"split": "{Split}", "label": action}}}
                for action in ACTIONS
            ),
        ],
        "rows": rows,
    }


def archive(directory: Path, attachments: dict[str, bytes]) -> None:
    """Keeps the code beside the records, with the hash that it has now."""
    rows = []
    for name, data in sorted(attachments.items()):
        path = f"declare/attachments/{name}"
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
        rows.append({"path": path, "role": "code", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    write_rows(directory / "declare/source.jsonl", "source", rows)
