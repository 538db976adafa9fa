"""Hands are replayed: the deal, the players, every action, and what it pays."""

from __future__ import annotations

import numpy as np

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.studies.games.contest import MOST_PAIRS, Hands, hands_of, spread
from sealtrace.studies.games.evidence import GameStudy


def _hands(study: GameStudy, outcome: Outcome) -> Hands | None:
    """The hands of a study, where it plays any."""
    if not study.bundle.documents_of("contest") and not study.bundle.of_kind("match"):
        outcome.not_applicable = "the study plays no hands"
        return None
    hands = hands_of(study)
    if hands is not None and hands.declared.pairs > MOST_PAIRS:
        outcome.missing = f"a contest of more than {MOST_PAIRS} deals is not replayed"
        return None
    return hands if study.playable else None


@check("contest.players", "players", of=_hands)
def players(hands: Hands, outcome: Outcome) -> None:
    for field, names in (("arms", hands.declared.arms), ("opponents", hands.declared.opponents)):
        outcome.inspected += len(names)
        for place, name in enumerate(names):
            at, pointer = outcome.at(hands.path), f"/{field}/{place}"
            if name not in hands.profiles:
                message = "No whole profile or student in the bundle has this name."
                at.error(pointer, message, "a whole profile or a student", name)
            if name in names[:place]:
                at.error(pointer, "The name is there twice.", "names that differ", name)


@check("match.pairs", "hands", of=_hands)
def pairs(hands: Hands, outcome: Outcome) -> None:
    frame, declared = hands.frame, hands.declared
    outcome.inspected = frame.size
    for found, field, message, expected in (
        (hands.matches, "/match", "The contest deals no such match.", f"0 to {declared.pairs - 1}"),
        (hands.arms, "/arm", "The contest has no such arm.", "an arm of the contest"),
        (hands.opponents, "/opponent", "The contest has no such opponent.", "an opponent of the contest"),
        (hands.seats, "/seat", "A hand of a contest names its seat.", "0 or 1"),
    ):
        outcome.rows(frame, found < 0, field, message, expected)
    shape = (len(declared.arms), len(declared.opponents), 2)
    hands.study.evidence.require_memory("arms x opponents", *shape)
    counts = np.zeros(shape, np.int64)
    rows = np.flatnonzero(hands.known)
    np.add.at(counts, (hands.arms[rows], hands.opponents[rows], hands.seats[rows]), 1)
    for arm, opponent, seat in np.argwhere(counts != declared.pairs).tolist():
        key = {"arm": declared.arms[arm], "opponent": declared.opponents[opponent], "seat": str(seat)}
        at, found = outcome.at(frame.paths[0], key), counts[arm, opponent, seat]
        at.error("/match", "Not every deal was played.", f"{declared.pairs} hands", found)


@check("match.deal", "hands", of=_hands)
def dealt(hands: Hands, outcome: Outcome) -> None:
    frame, rows = hands.frame, np.flatnonzero(hands.known)
    outcome.inspected = len(rows)
    ranks, deals = np.array(hands.study.game.ranks, dtype=object), hands.deals[hands.matches[rows]]
    cards = ranks[deals[:, 0]] + ranks[deals[:, 1]]
    wrong = hands.texts("cards")[rows] != cards
    outcome.rows(frame, rows[wrong], "/cards", "The seed deals other cards.", cards[wrong])
    ended = hands.ended[rows]
    public = np.array([*(each.public for each in hands.endings), False])[ended]
    boards = np.where(public, ranks[deals[:, 2]], None)  # type: ignore[call-overload]
    wrong = (ended >= 0) & (hands.texts("board")[rows] != boards)
    message = "The seed deals another public card, or the hand ended before it."
    outcome.rows(frame, rows[wrong], "/board", message, [board or "nothing" for board in boards[wrong]])


@check("match.legal", "hands", of=_hands)
def legal(hands: Hands, outcome: Outcome) -> None:
    outcome.inspected = hands.frame.size
    message = "This history is not a legal hand of the game."
    expected = "legal actions to the end of the hand, such as crc/cc"
    outcome.rows(hands.frame, hands.ended < 0, "/history", message, expected)


@check("match.replay", "hands", of=_hands)
def replayed(hands: Hands, outcome: Outcome) -> None:
    if not hands.profiles:
        return
    rows, histories = hands.replayed
    outcome.inspected = len(rows)
    due = np.array(histories, dtype=object)
    wrong = hands.texts("history")[rows] != due
    message = "The profiles take other actions at the declared draws."
    outcome.rows(hands.frame, rows[wrong], "/history", message, due[wrong])


@check("match.value", "hands", of=_hands)
def valued(hands: Hands, outcome: Outcome) -> None:
    known = ~np.isnan(hands.due_returns)
    due, stored = hands.due_returns, hands.frame.numbers("value")
    outcome.inspected = int(known.sum())
    outcome.rows(hands.frame, known & (stored != due), "/value", "Cards and history pay another amount.", due)
    names = np.array(["loss", "tie", "win"], dtype=object)
    wanted = names[np.sign(np.nan_to_num(due)).astype(np.int64) + 1]
    message = "The return means another result (win, tie or loss)."
    outcome.rows(hands.frame, known & (hands.texts("result") != wanted), "/result", message, wanted)


@check("match.zero-sum", "hands", of=_hands)
def zero_sum(hands: Hands, outcome: Outcome) -> None:
    own, other = hands.frame.numbers("value"), hands.frame.numbers("opponent_value")
    outcome.inspected = hands.frame.size
    due = ["the arm's return with the other sign" if np.isnan(value) else -value for value in own]
    message = "The returns of the two players do not cancel."
    outcome.rows(hands.frame, ~(own == -other), "/opponent_value", message, due)


@check("match.expectation", "pairings", of=_hands)
def expectation(hands: Hands, outcome: Outcome) -> None:
    limit = float(exact(hands.declared.limit))
    for arm in hands.declared.arms:
        for opponent in hands.declared.opponents:
            due = hands.exact(arm, opponent)
            if due is None:
                continue
            outcome.inspected += 1
            found = spread(hands.pair_means(hands.rows_of([arm], [opponent])))
            # A player's mean against itself is zero without an error, its exact value as nearly as doubles are.
            if not abs(found.mean - due) <= limit * found.error + hands.study.tolerance:
                at = outcome.at(hands.frame.paths[0], {"arm": arm, "opponent": opponent})
                message = "The mean return lies far from the exact value of the pairing."
                expected = f"{due:.6g} within {limit:g} standard errors of {found.error:.6g}"
                at.error("/value", message, expected, found.mean)
