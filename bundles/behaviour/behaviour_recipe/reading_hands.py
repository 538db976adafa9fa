"""Hands of a directory of PHH files, and the public state before each decision."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VARIANTS = ("NT", "FT")


def read(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """Entry to its hands: a .phh file is one hand, a .phhs file several."""
    entries: dict[str, list[dict[str, Any]]] = {}
    for path in sorted([*directory.rglob("*.phh"), *directory.rglob("*.phhs")]):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        hands = [document] if path.suffix == ".phh" else [document[key] for key in sorted(document, key=int)]
        kept = [hand for hand in hands if hand.get("variant") in VARIANTS]
        if kept:
            entries[path.relative_to(directory).with_suffix("").as_posix()] = kept
    return entries


def split(entries: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """Entries that share a player go together; groups are dealt in turn to the two splits, the larger first."""
    groups: list[tuple[set[str], list[str]]] = []
    for entry, hands in entries.items():
        players = {name for hand in hands for name in names_of(entry, hand)}
        members = [entry]
        for group in [group for group in groups if group[0] & players]:
            groups.remove(group)
            players |= group[0]
            members = group[1] + members
        groups.append((players, members))
    groups.sort(key=lambda group: (-sum(len(entries[entry]) for entry in group[1]), group[1]))
    return {
        entry: ("calibration", "evaluation")[place % 2]
        for place, (_, members) in enumerate(groups)
        for entry in members
    }


def names_of(entry: str, hand: dict[str, Any]) -> list[str]:
    """The players' names. Seats without names are strangers of their entry."""
    count = len(hand["starting_stacks"])
    return [str(name) for name in hand.get("players") or [f"{entry} seat {seat}" for seat in range(count)]]


class Pseudonyms:
    """Numbers in the order in which names first appear."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        return self._known.setdefault(name, f"player-{len(self._known) + 1:03d}")


@dataclass(frozen=True)
class Snapshot:
    """The public state before one decision, and what was done."""

    action: int
    street: int
    players: int
    pot: float
    to_call: float
    label: str
    raised: float | None


def snapshots(hand: dict[str, Any]) -> list[Snapshot]:
    """Follows one hand, action by action."""
    stacks = [float(stack) for stack in hand["starting_stacks"]]
    blinds = [float(blind) for blind in hand["blinds_or_straddles"]]
    if len(stacks) == 2:
        blinds.reverse()
    pot = 0.0
    for seat, ante in enumerate(hand["antes"]):
        pot += min(float(ante), stacks[seat])
        stacks[seat] -= min(float(ante), stacks[seat])
    bets = [min(blind, stack) for blind, stack in zip(blinds, stacks, strict=True)]
    for seat, bet in enumerate(bets):
        stacks[seat] -= bet
        pot += bet
    folded: set[int] = set()
    street = 0
    found = []
    for place, text in enumerate(hand["actions"]):
        words = text.split("#")[0].split()
        if words[0] == "d":
            if words[1] == "db":
                street += 1
                bets = [0.0] * len(stacks)
            continue
        if words[1] not in ("f", "cc", "cbr"):
            continue
        seat = int(words[0][1:]) - 1
        to_call = min(max(bets) - bets[seat], stacks[seat])
        left = len(stacks) - len(folded)
        if words[1] == "f":
            found.append(Snapshot(place, street, left, pot, to_call, "fold", None))
            folded.add(seat)
            continue
        added, raised = to_call, None
        if words[1] == "cbr":
            added = float(words[2]) - bets[seat]
            raised = (float(words[2]) - max(bets)) / (pot + to_call)
        found.append(Snapshot(place, street, left, pot, to_call, "call" if raised is None else "raise", raised))
        bets[seat] += added
        stacks[seat] -= added
        pot += added
    return found
