"""Snapshots are what the sealed hands give; splits share no player; no player has a name."""

from __future__ import annotations

import re

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.studies.games.behaviour import BehaviourRecords, SeenDecision, behaviour_of
from sealtrace.studies.games.evidence import GameStudy

PSEUDONYM = re.compile(r"player-[0-9]{1,9}")


def _behaviour(study: GameStudy, outcome: Outcome) -> BehaviourRecords | None:
    if not study.bundle.documents_of("behaviour") and not study.bundle.of_kind("hand"):
        outcome.not_applicable = "the study records no behaviour"
        return None
    return behaviour_of(study)


@check("behaviour.declared", "settings", of=_behaviour)
def declared(behaviour: BehaviourRecords, outcome: Outcome) -> None:
    at, settings = outcome.at(behaviour.path), behaviour.declared
    outcome.inspected = len(settings.entries) + 4
    if len(behaviour.splits) < len(settings.entries):
        at.error("/entries", "An entry is there twice.", "every entry once", f"{len(settings.entries)} entries")
    limits = [exact(limit) for limit in settings.sizes]
    if limits != sorted(set(limits)) or limits[0] <= 0:
        at.error("/sizes", "Limits ascend and are positive.", "ascending limits", ", ".join(settings.sizes))
    if not 0 < exact(settings.clip) < 1:
        at.error("/clip", "The declared value is outside its allowed range.", "above 0 and below 1", settings.clip)
    if exact(settings.smoothing) <= 0:
        at.error("/smoothing", "The declared value is outside its allowed range.", "above 0", settings.smoothing)
    for situation, legal in (("facing", {"fold", "call", "raise"}), ("free", {"call", "raise"})):
        prior: dict[str, float] = getattr(settings.prior, situation)
        probable = all(value >= 0 for value in prior.values()) and abs(sum(prior.values()) - 1) <= 1e-12
        if set(prior) != legal or not probable:
            expected = f"a distribution on {', '.join(sorted(legal))}"
            at.error(f"/prior/{situation}", "The prior is no distribution on the legal actions.", expected, str(prior))


@check("behaviour.hands", "hands", of=_behaviour)
def hands(behaviour: BehaviourRecords, outcome: Outcome) -> None:
    frame = behaviour.study.frame("hand")
    outcome.inspected = frame.size
    for row, error in behaviour.read[1].items():
        hand, place = behaviour.hands[row], error.place
        field, found = ("/variant", hand["variant"]) if place < 0 else (f"/actions/{place}", hand["actions"][place])
        message = f"The hand cannot be read: {error}."
        outcome.on(frame, row).error(field, message, "a hand of hold'em in PHH notation", found)
    for row, hand in enumerate(behaviour.hands):
        if hand["entry"] not in behaviour.splits:
            outcome.on(frame, row).error("/entry", "The entry has no split.", "a declared entry", hand["entry"])


@check("behaviour.names", "players", of=_behaviour)
def names(behaviour: BehaviourRecords, outcome: Outcome) -> None:
    frame = behaviour.study.frame("hand")
    for row, hand in enumerate(behaviour.hands):
        outcome.inspected += len(hand["players"])
        for place, name in enumerate(hand["players"]):
            if not PSEUDONYM.fullmatch(name):
                # The name itself is not repeated: a report is read by more people than a bundle.
                at, message = outcome.on(frame, row), "A player's name may not be released."
                at.error(f"/players/{place}", message, "player- and a number", "something else")


@check("behaviour.disjoint", "players", of=_behaviour)
def disjoint(behaviour: BehaviourRecords, outcome: Outcome) -> None:
    frame = behaviour.study.frame("hand")
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


@check("behaviour.snapshots", "snapshots", of=_behaviour)
def snapshots(behaviour: BehaviourRecords, outcome: Outcome) -> None:
    frame = behaviour.study.frame("snapshot")
    due = {each.key: each for each in behaviour.read[0]}
    rows = frame.table.to_pylist()
    outcome.inspected = len(rows)
    for row, record in enumerate(rows):
        at, seen = outcome.on(frame, row), due.pop((record["entry"], record["hand"], record["action"]), None)
        if seen is None:
            at.error("/action", "No such decision is in the sealed hands.", "a decision", record["action"])
            continue
        for field, value in _fields(seen).items():
            same = record[field] == value if not isinstance(value, float) else abs(record[field] - value) <= 1e-9
            if not same:
                at.error(f"/{field}", "The sealed hand gives another value.", value, record[field])
    path = frame.paths[0] if frame.paths else behaviour.path
    for entry, hand, action in list(due)[:20]:
        at = outcome.at(path, {"entry": entry, "hand": str(hand), "action": str(action)})
        at.error("/action", "A decision of the sealed hands has no snapshot.", "a snapshot", "nothing")


def _fields(seen: SeenDecision) -> dict[str, object]:
    own = {name: getattr(seen.decision, name) for name in ("street", "players", "pot", "to_call", "label")}
    return {"split": seen.split, **own, "size": seen.size}
