"""Snapshots are what the sealed hands give; splits share no player; no player has a name."""

from __future__ import annotations

import re

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.studies.games.behaviour import Behaviour, Seen, behaviour_of
from sealtrace.studies.games.evidence import GameStudy

PSEUDONYM = re.compile(r"player-[0-9]{1,9}")


def _behaviour(study: GameStudy, outcome: Outcome) -> Behaviour | None:
    if not study.bundle.documents_of("behaviour") and not study.bundle.of_kind("hand"):
        outcome.not_applicable = "the study records no behaviour"
        return None
    behaviour = behaviour_of(study)
    return behaviour if behaviour.declared else None


@check("behaviour.declared", "settings")
def declared(study: GameStudy, outcome: Outcome) -> None:
    if (behaviour := _behaviour(study, outcome)) is None:
        return
    at, settings = outcome.at(behaviour.path), behaviour.declared
    outcome.inspected = len(settings["entries"]) + 4
    if len(behaviour.splits) < len(settings["entries"]):
        at.error("/entries", "An entry is there twice.", "every entry once", f"{len(settings['entries'])} entries")
    limits = [exact(limit) for limit in settings["sizes"]]
    if limits != sorted(set(limits)) or limits[0] <= 0:
        at.error("/sizes", "Limits ascend and are positive.", "ascending limits", ", ".join(settings["sizes"]))
    if not 0 < exact(settings["clip"]) < 1:
        at.error("/clip", "The declared value is outside its allowed range.", "above 0 and below 1", settings["clip"])
    if exact(settings["smoothing"]) <= 0:
        at.error("/smoothing", "The declared value is outside its allowed range.", "above 0", settings["smoothing"])
    for situation, legal in (("facing", {"fold", "call", "raise"}), ("free", {"call", "raise"})):
        prior = settings["prior"].get(situation, {})
        if (
            set(prior) != legal
            or any(not value >= 0 for value in prior.values())
            or abs(sum(prior.values()) - 1) > 1e-12
        ):
            expected = f"a distribution on {', '.join(sorted(legal))}"
            at.error(f"/prior/{situation}", "The prior is no distribution on the legal actions.", expected, str(prior))


@check("behaviour.hands", "hands")
def hands(study: GameStudy, outcome: Outcome) -> None:
    if (behaviour := _behaviour(study, outcome)) is None:
        return
    frame = study.frame("hand")
    outcome.inspected = frame.size
    for row, error in behaviour.read[1].items():
        field = "/variant" if error.place < 0 else f"/actions/{error.place}"
        expected = "a hand of hold'em in PHH notation"
        found = _found(behaviour, row, error.place)
        outcome.on(frame, row).error(field, f"The hand cannot be read: {error}.", expected, found)
    for row, hand in enumerate(behaviour.hands):
        if hand["entry"] not in behaviour.splits:
            outcome.on(frame, row).error("/entry", "The entry has no split.", "a declared entry", hand["entry"])


def _found(behaviour: Behaviour, row: int, place: int) -> str:
    hand = behaviour.hands[row]
    return str(hand["variant"] if place < 0 else hand["actions"][place])


@check("behaviour.names", "players")
def names(study: GameStudy, outcome: Outcome) -> None:
    if (behaviour := _behaviour(study, outcome)) is None:
        return
    frame = study.frame("hand")
    for row, hand in enumerate(behaviour.hands):
        for place, name in enumerate(hand["players"]):
            outcome.inspected += 1
            if not PSEUDONYM.fullmatch(name):
                # The name itself is not repeated: a report is read by more people than a bundle.
                outcome.on(frame, row).error(
                    f"/players/{place}",
                    "A player's name may not be released.",
                    "player- and a number",
                    "something else",
                )


@check("behaviour.disjoint", "players")
def disjoint(study: GameStudy, outcome: Outcome) -> None:
    if (behaviour := _behaviour(study, outcome)) is None:
        return
    frame = study.frame("hand")
    first: dict[str, tuple[str, str]] = {}
    told: set[str] = set()
    for row, hand in enumerate(behaviour.hands):
        split = behaviour.splits.get(hand["entry"], "")
        for place, name in enumerate(hand["players"]):
            known = first.setdefault(name, (split, hand["entry"]))
            if known[0] != split and name not in told:
                told.add(name)
                message = f"The player is in {known[0]} too, in {known[1]}."
                outcome.on(frame, row).error(f"/players/{place}", message, f"players of {split} only", place + 1)
    outcome.inspected = len(first)


@check("behaviour.snapshots", "snapshots")
def snapshots(study: GameStudy, outcome: Outcome) -> None:
    if (behaviour := _behaviour(study, outcome)) is None:
        return
    frame = study.frame("snapshot")
    due = {each.key: each for each in behaviour.read[0]}
    rows = frame.table.to_pylist()
    outcome.inspected = len(rows)
    for row, record in enumerate(rows):
        seen = due.pop((record["entry"], record["hand"], record["action"]), None)
        if seen is None:
            outcome.on(frame, row).error(
                "/action", "No such decision is in the sealed hands.", "a decision", record["action"]
            )
            continue
        for field, value in _fields(seen).items():
            same = record[field] == value if not isinstance(value, float) else abs(record[field] - value) <= 1e-9
            if not same:
                outcome.on(frame, row).error(f"/{field}", "The sealed hand gives another value.", value, record[field])
    for entry, hand, action in list(due)[:20]:
        key = {"entry": entry, "hand": str(hand), "action": str(action)}
        path = frame.paths[0] if frame.paths else behaviour.path
        outcome.at(path, key).error(
            "/action", "A decision of the sealed hands has no snapshot.", "a snapshot", "nothing"
        )


def _fields(seen: Seen) -> dict[str, object]:
    decision = seen.decision
    return {
        "split": seen.split,
        "street": decision.street,
        "players": decision.players,
        "pot": decision.pot,
        "to_call": decision.to_call,
        "label": decision.label,
        "size": seen.size,
    }
