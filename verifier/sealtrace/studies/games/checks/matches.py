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
    if not study.playable or not hands.declared:
        return None
    if hands.declared["pairs"] > MOST_PAIRS:
        outcome.missing = f"a contest of more than {MOST_PAIRS} deals is not replayed"
        return None
    return hands


@check("contest.players", "players")
def players(study: GameStudy, outcome: Outcome) -> None:
    if (hands := _hands(study, outcome)) is None:
        return
    for field in ("arms", "opponents"):
        names = hands.declared[field]
        outcome.inspected += len(names)
        for place, name in enumerate(names):
            if name not in hands.profiles:
                message = "No whole profile or student in the bundle has this name."
                outcome.at(hands.path).error(f"/{field}/{place}", message, "a whole profile or a student", name)
            if name in names[:place]:
                outcome.at(hands.path).error(f"/{field}/{place}", "The name is there twice.", "names that differ", name)


@check("match.pairs", "hands")
def pairs(study: GameStudy, outcome: Outcome) -> None:
    if (hands := _hands(study, outcome)) is None:
        return
    frame = hands.frame
    outcome.inspected = frame.size
    outcome.rows(
        frame, hands.matches < 0, "/match", "The contest deals no such match.", f"0 to {hands.declared['pairs'] - 1}"
    )
    outcome.rows(frame, hands.arms < 0, "/arm", "The contest has no such arm.", "an arm of the contest")
    outcome.rows(
        frame, hands.opponents < 0, "/opponent", "The contest has no such opponent.", "an opponent of the contest"
    )
    outcome.rows(frame, hands.seats < 0, "/seat", "A hand of a contest names its seat.", "0 or 1")
    arms, opponents = (len(hands.declared[field]) for field in ("arms", "opponents"))
    study.room("arms x opponents", arms, opponents, 2)
    counts = np.zeros((arms, opponents, 2), np.int64)
    rows = np.flatnonzero(hands.known)
    np.add.at(counts, (hands.arms[rows], hands.opponents[rows], hands.seats[rows]), 1)
    for arm, opponent, seat in np.argwhere(counts != hands.declared["pairs"]).tolist():
        key = {"arm": hands.declared["arms"][arm], "opponent": hands.declared["opponents"][opponent], "seat": str(seat)}
        outcome.at(frame.paths[0], key).error(
            "/match", "Not every deal was played.", f"{hands.declared['pairs']} hands", str(counts[arm, opponent, seat])
        )


@check("match.deal", "hands")
def dealt(study: GameStudy, outcome: Outcome) -> None:
    if (hands := _hands(study, outcome)) is None:
        return
    frame, ranks = hands.frame, study.game.ranks
    rows = np.flatnonzero(hands.known)
    outcome.inspected = len(rows)
    deals = hands.deals[hands.matches[rows]]
    due_cards = np.array([ranks[one] + ranks[other] for one, other in deals[:, :2].tolist()], dtype=object)
    found = np.array(_texts(hands, "cards"), dtype=object)[rows]
    wrong = found != due_cards
    place = {int(row): index for index, row in enumerate(rows.tolist())}
    outcome.rows(frame, rows[wrong], "/cards", "The seed deals other cards.", lambda row: due_cards[place[row]])
    public = np.array([*(each.public for each in hands.endings[1]), False])[hands.ended[rows]]
    due_board = np.array([ranks[board] for board in deals[:, 2].tolist()], dtype=object)
    boards = np.array(_texts(hands, "board"), dtype=object)[rows]
    due_board = np.where(public, due_board, None)  # type: ignore[call-overload]
    legal = hands.ended[rows] >= 0
    outcome.rows(
        frame,
        rows[legal & (boards != due_board)],
        "/board",
        "The seed deals another public card, or the hand ended before it.",
        lambda row: due_board[place[row]] or "nothing",
    )


def _texts(hands: Hands, field: str) -> list[str | None]:
    codes, names = hands.frame.texts(field)
    listed = [*names, None]
    return [listed[code] for code in codes.tolist()]


@check("match.legal", "hands")
def legal(study: GameStudy, outcome: Outcome) -> None:
    if (hands := _hands(study, outcome)) is None:
        return
    outcome.inspected = hands.frame.size
    outcome.rows(
        hands.frame,
        hands.ended < 0,
        "/history",
        "This history is not a legal hand of the game.",
        "legal actions to the end of the hand, such as crc/cc",
    )


@check("match.replay", "hands")
def replayed(study: GameStudy, outcome: Outcome) -> None:
    if (hands := _hands(study, outcome)) is None or not hands.profiles:
        return
    rows, histories = hands.replayed
    outcome.inspected = len(rows)
    stored = _texts(hands, "history")
    due = dict(zip(rows.tolist(), histories, strict=True))
    wrong = np.array([row for row, history in due.items() if stored[row] != history], np.int64)
    outcome.rows(
        hands.frame, wrong, "/history", "The profiles take other actions at the declared draws.", lambda row: due[row]
    )


@check("match.value", "hands")
def valued(study: GameStudy, outcome: Outcome) -> None:
    if (hands := _hands(study, outcome)) is None:
        return
    due, stored = hands.due_returns, hands.frame.numbers("value")
    rows = np.flatnonzero(~np.isnan(due))
    outcome.inspected = len(rows)
    outcome.rows(
        hands.frame,
        rows[stored[rows] != due[rows]],
        "/value",
        "Cards and history pay another amount.",
        lambda row: float(due[row]),
    )
    names = np.array(["loss", "tie", "win"], dtype=object)
    results = np.array(_texts(hands, "result"), dtype=object)
    wanted = names[np.sign(np.nan_to_num(due)).astype(np.int64) + 1]
    outcome.rows(
        hands.frame,
        rows[results[rows] != wanted[rows]],
        "/result",
        "The return means another result (win, tie or loss).",
        lambda row: wanted[row],
    )


@check("match.zero-sum", "hands")
def zero_sum(study: GameStudy, outcome: Outcome) -> None:
    if (hands := _hands(study, outcome)) is None:
        return
    own, other = hands.frame.numbers("value"), hands.frame.numbers("opponent_value")
    outcome.inspected = hands.frame.size
    outcome.rows(
        hands.frame,
        ~(own == -other),
        "/opponent_value",
        "The returns of the two players do not cancel.",
        lambda row: "the arm's return with the other sign" if np.isnan(own[row]) else float(-own[row]),
    )


@check("match.expectation", "pairings")
def expectation(study: GameStudy, outcome: Outcome) -> None:
    if (hands := _hands(study, outcome)) is None:
        return
    limit = float(exact(hands.declared["limit"]))
    for arm in hands.declared["arms"]:
        for opponent in hands.declared["opponents"]:
            due = hands.exact(arm, opponent)
            if due is None:
                continue
            outcome.inspected += 1
            found = spread(hands.pair_means(hands.rows_of([arm], [opponent])))
            if not abs(found.mean - due) <= limit * found.error:
                outcome.at(hands.frame.paths[0], {"arm": arm, "opponent": opponent}).error(
                    "/value",
                    "The mean return lies far from the exact value of the pairing.",
                    f"{due:.6g} within {limit:g} standard errors of {found.error:.6g}",
                    found.mean,
                )
