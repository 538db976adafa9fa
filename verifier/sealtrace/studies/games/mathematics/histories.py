"""Hand histories of hold'em as public states: who must add how much, before every decision."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

VARIANTS = ("NT", "FT")
"""No-limit and fixed-limit Texas hold'em."""
LABELS = {"f": "fold", "cc": "call", "cbr": "raise"}


class HistoryError(Exception):
    """The notation says something that no hand can be; `place` is the action that says it."""

    def __init__(self, place: int, message: str) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True)
class HandDecision:
    """The public state before a decision, and what was done."""

    action: int
    player: int
    street: int
    players: int
    pot: float
    to_call: float
    label: str
    raised: float | None
    """What a raise added to a call, as a share of the pot after that call."""


def decisions(hand: dict[str, Any]) -> list[HandDecision]:
    """Every fold, call and raise of a hand, with the state that it was made in."""
    count = len(hand["starting_stacks"])
    if hand["variant"] not in VARIANTS:
        raise HistoryError(-1, f"the variant {hand['variant']!r} is not read; these are: {', '.join(VARIANTS)}")
    if not all(len(hand[name]) == count for name in ("antes", "blinds_or_straddles", "players")) or count < 2:
        raise HistoryError(-1, "stacks, antes, blinds and players have one entry per player, and there are two or more")
    stacks = [_amount(-1, value) for value in hand["starting_stacks"]]
    antes = [min(_amount(-1, ante), stack) for ante, stack in zip(hand["antes"], stacks, strict=True)]
    stacks = [stack - ante for stack, ante in zip(stacks, antes, strict=True)]
    blinds = [_amount(-1, blind) for blind in hand["blinds_or_straddles"]]
    # With two players the button posts the small blind and is listed last.
    paid = [min(blind, stack) for blind, stack in zip(blinds[::-1] if count == 2 else blinds, stacks, strict=True)]
    stacks = [stack - bet for stack, bet in zip(stacks, paid, strict=True)]
    pot, street, playing = sum(antes) + sum(paid), 0, [True] * count
    least = _amount(-1, hand.get("min_bet") or 0)
    cards = _Cards()
    found: list[HandDecision] = []
    for place, action in enumerate(hand["actions"]):
        actor, verb, rest = _parsed(place, action, count)
        cards.take(place, actor, verb, rest)
        if actor is None:
            if verb == "db":
                street, paid = street + 1, [0.0] * count
            continue
        if verb not in LABELS:
            continue
        if not playing[actor]:
            raise HistoryError(place, "the player has folded")
        highest = max(paid)
        to_call = min(highest - paid[actor], stacks[actor])
        raised = None
        added = to_call
        if verb == "cbr":
            if not rest:
                raise HistoryError(place, "a raise without an amount")
            target = _amount(place, rest[0])
            added = target - paid[actor]
            if target <= highest or added > stacks[actor] + 1e-9:
                raise HistoryError(place, "a raise to less than the bet, or to more than the stack")
            if target - highest < least - 1e-9 and added < stacks[actor] - 1e-9:
                raise HistoryError(place, "a raise by less than the least bet, and not of everything")
            raised = (target - highest) / (pot + to_call)
        found.append(HandDecision(place, actor, street, sum(playing), pot, to_call, LABELS[verb], raised))
        if verb == "f":
            playing[actor] = False
        else:
            paid[actor] += added
            stacks[actor] -= added
            pot += added
    return found


class _Cards:
    """The cards of a hand: each is dealt once, and what is shown is what was dealt."""

    def __init__(self) -> None:
        self.dealt: dict[str, list[str]] = {}
        self.known: set[str] = set()
        self.shown: set[int] = set()
        self.streets = 0

    def take(self, place: int, actor: int | None, verb: str, rest: list[str]) -> None:
        if actor is None and verb == "dh" and len(rest) == 2:
            self.dealt[rest[0]] = self._new(place, rest[1])
        elif actor is None and verb == "db" and len(rest) == 1:
            self.streets += 1
            if self.streets > 3:
                raise HistoryError(place, "a fourth public deal")
            if len(self._new(place, rest[0])) != (3 if self.streets == 1 else 1):
                raise HistoryError(place, "a public deal of three cards, then one, then one")
        elif actor is not None and verb == "sm":
            if actor in self.shown:
                raise HistoryError(place, "the player shows cards for a second time")
            self.shown.add(actor)
            held = self.dealt.get(f"p{actor + 1}", [])
            if rest and rest[0] != "-" and "??" not in held and sorted(_cards(place, rest[0])) != sorted(held):
                raise HistoryError(place, "the player shows other cards than were dealt")
        elif actor is None or verb not in LABELS:
            raise HistoryError(place, f"{verb!r} is nothing that happens in hold'em")

    def _new(self, place: int, text: str) -> list[str]:
        found = _cards(place, text)
        for card in found:
            if card != "??" and card in self.known:
                raise HistoryError(place, f"{card} is dealt twice")
            self.known.add(card)
        return found


def _cards(place: int, text: str) -> list[str]:
    found = re.findall(r"[2-9TJQKA][cdhs]|\?\?", text)
    if "".join(found) != text:
        raise HistoryError(place, f"{text!r} is no list of cards")
    return found


def _parsed(place: int, action: str, count: int) -> tuple[int | None, str, list[str]]:
    """(player or None for the dealer, verb, what follows); a comment is left out."""
    words = action.partition("#")[0].split()
    if len(words) < 2:
        raise HistoryError(place, "an action names who acts and what they do")
    if words[0] == "d":
        return None, words[1], words[2:]
    number = words[0].removeprefix("p")
    if words[0] == number or not number.isdecimal() or not number.isascii() or not 1 <= int(number[:4]) <= count:
        raise HistoryError(place, f"there is no player {words[0]!r}")
    return int(number) - 1, words[1], words[2:]


def _amount(place: int, text: object) -> float:
    try:
        value = float(str(text))
    except ValueError:
        raise HistoryError(place, f"{text!r} is no amount") from None
    if not math.isfinite(value) or value < 0:
        raise HistoryError(place, f"{text!r} is no amount")
    return value


def size_of(raised: float | None, limits: Sequence[float]) -> str | None:
    """`size k`, with k the number of limits that a raise exceeds; None where there was none."""
    return None if raised is None else f"size {sum(raised > limit for limit in limits)}"
