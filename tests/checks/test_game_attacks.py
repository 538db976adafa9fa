"""Frauds that keep every digest right: a study of a game, spoilt with care and sealed anew, is found out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sealtrace
from checks.game_mutations import Change, hand, the
from games.small_games import Parts, small_games
from sealtrace.bundle.content import document_digest
from sealtrace.contract.report import Report


def verified(directory: Path, change: Change) -> Report:
    return sealtrace.verify(small_games(directory / "bundle", change))


def failed(report: Report) -> set[str]:
    return {check.id for check in report.checks if check.status == "fail"}


def drop_lost_deals(parts: Parts) -> None:
    """Leaves a deal out that an arm lost, for all arms and in both seats, and declares one deal less."""
    lost = min(row["match"] for row in parts["match"] if row["arm"] == "s1@1" and row["value"] < 0)
    parts["match"] = [row for row in parts["match"] if row["match"] != lost]
    parts["contest"]["pairs"] -= 1


def swap_results(parts: Parts) -> None:
    """Gives the arm the opponent's side of a lost hand: values, results and the sum stay consistent."""
    row = next(row for row in parts["match"] if row["value"] < 0)
    row["value"], row["opponent_value"], row["result"] = row["opponent_value"], row["value"], "win"


def lucky_cards(parts: Parts) -> None:
    """Swaps the two private cards of a hand and pays what they then win."""
    row = hand(parts)
    row["cards"] = row["cards"][::-1]


def play_twice(parts: Parts) -> None:
    """Counts a won hand twice under another number."""
    row = next(row for row in parts["match"] if row["value"] > 0)
    parts["match"].append({**row, "match": "6"})


def better_weights(parts: Parts) -> None:
    """Exchanges a student's weights and has its run name the new digest."""
    parts["student"]["s1"]["residual"][0]["weights"][0][0] = 2.0
    the(parts, "run", run="s1")["checkpoint_sha256"] = document_digest(parts["student"]["s1"])


def one_violation_fewer(parts: Parts) -> None:
    """Lowers a count together with its bound."""
    row = max(parts["scale"], key=lambda row: row["violations"])
    row["violations"] -= 1
    row["bound"] *= 0.9


def easier_budget(parts: Parts) -> None:
    """Chooses a scale that is not certified, and calls it certified."""
    for row in parts["scale"]:
        row["chosen"] = row["scale"] == "2"
        row["certified"] = True


def calibrate_on_the_test(parts: Parts) -> None:
    """Draws the held-out states with the seed of calibration."""
    parts["distillation"]["held_out"]["seed"] = parts["distillation"]["calibration"]["seed"]


def drop_failed_requests(parts: Parts) -> None:
    """Leaves the requests out that ended badly."""
    parts["attempt"] = [row for row in parts["attempt"] if not row["request"].endswith("t2")]


def drop_failed_attempts(parts: Parts) -> None:
    """Keeps the last attempt of each request only, numbered anew: a tidy ledger without retries."""
    last = {row["request"]: row for row in parts["attempt"]}
    parts["attempt"] = [{**row, "attempt": 0, "trigger": "first"} for row in last.values()]


def warm_slow_requests(parts: Parts) -> None:
    """Calls a slow request a warm-up."""
    for row in parts["attempt"]:
        if row["request"] == "s/1/t1":
            row["phase"] = "warm-up"


def legalise(parts: Parts) -> None:
    """Records an illegal answer as a success, and stops there."""
    row = the(parts, "attempt", request="s/1/t2", attempt=0)
    row["outcome"] = "ok"
    parts["attempt"].remove(the(parts, "attempt", request="s/1/t2", attempt=1))


def own_opponent(parts: Parts) -> None:
    """Weakens the frozen opponent after the hands were played."""
    row = the(parts, "profile", profile="uniform", information_set="K:r")
    row["probabilities"] = {"fold": 1.0, "call": 0.0}


def drop_hard_snapshots(parts: Parts) -> None:
    """Leaves evaluation decisions out that were folds."""
    parts["snapshot"] = [row for row in parts["snapshot"] if row["split"] == "calibration" or row["label"] != "fold"]


def move_an_entry(parts: Parts) -> None:
    """Evaluates on what was calibrated on: the other entry becomes a copy with the same players."""
    parts["hand"][1] = {**parts["hand"][0], "entry": "entry-2"}


def hide_a_name(parts: Parts) -> None:
    """A name that begins like a pseudonym."""
    parts["hand"][0]["players"][0] = "player-1 (Somebody Known)"


ATTACKS: dict[Change, set[str]] = {
    drop_hard_snapshots: {"behaviour.snapshots"},
    move_an_entry: {"behaviour.disjoint"},
    hide_a_name: {"behaviour.names"},
    drop_lost_deals: {"match.pairs"},
    swap_results: {"match.value"},
    lucky_cards: {"match.deal"},
    play_twice: {"match.pairs"},
    better_weights: {"student.policy"},
    one_violation_fewer: {"student.calibration"},
    easier_budget: {"student.calibration", "student.choice"},
    calibrate_on_the_test: {"student.declared"},
    drop_failed_requests: {"attempt.requests"},
    drop_failed_attempts: {"attempt.sequence"},
    warm_slow_requests: {"attempt.requests"},
    legalise: {"attempt.outcome"},
    own_opponent: {"match.replay"},
}


@pytest.mark.parametrize(("attack", "due"), ATTACKS.items(), ids=[attack.__name__ for attack in ATTACKS])
def test_attack_is_found(attack: Change, due: set[str], tmp_path: Path) -> None:
    """Each fraud fails the check that is about it."""
    report = verified(tmp_path, attack)
    assert report.verdict == "findings"
    assert due <= failed(report)


def huge_numbers(parts: Parts) -> None:
    parts["contest"]["pairs"] = 10_000_000


def huge_probability(parts: Parts) -> None:
    the(parts, "profile", profile="uniform", information_set="J:")["probabilities"] = {"call": 1e308, "raise": 1e308}


def huge_weights(parts: Parts) -> None:
    for layer in parts["student"]["s1"]["base"]:
        layer["weights"] = [[1e308, -1e308, 1e308] for _ in layer["weights"]]


def narrow_weights(parts: Parts) -> None:
    parts["student"]["s1"]["base"][0]["weights"].pop()


def no_game(parts: Parts) -> None:
    parts["game"] = None


def no_contest(parts: Parts) -> None:
    parts["contest"] = None


def no_service(parts: Parts) -> None:
    parts["service"] = None


def no_teacher(parts: Parts) -> None:
    parts["profile"] = [row for row in parts["profile"] if row["profile"] != "teacher"]


def one_card(parts: Parts) -> None:
    parts["game"] |= {"ranks": ["J", "Q"], "raises": [1, 1]}


def negative_times(parts: Parts) -> None:
    for row in parts["attempt"]:
        row["elapsed_ms"] = -1.0


def strange_notation(parts: Parts) -> None:
    parts["hand"][0]["actions"] = ["p9 cbr 1e999", "p1", "d db", "p1 cbr -4", "p1 cbr NaN"]


def huge_seat(parts: Parts) -> None:
    parts["hand"][0]["actions"][3] = "p" + "9" * 150 + " cc"


def no_behaviour(parts: Parts) -> None:
    parts["behaviour"] = None


def one_player(parts: Parts) -> None:
    parts["hand"][0] |= {"starting_stacks": [1.0], "players": ["player-1"]}


def strange_names(parts: Parts) -> None:
    parts["match"][0] |= {"match": "٣", "cards": "??", "history": "///"}


@pytest.mark.parametrize(
    "damage",
    [
        huge_numbers,
        huge_probability,
        huge_weights,
        narrow_weights,
        no_game,
        no_contest,
        no_service,
        no_teacher,
        one_card,
        negative_times,
        strange_names,
        strange_notation,
        huge_seat,
        no_behaviour,
        one_player,
    ],
)
@pytest.mark.parametrize("details", [False, True])
def test_damage_is_never_verified_and_never_a_crash(damage: Any, details: bool, tmp_path: Path) -> None:
    """Absent, absurd and hostile records end in findings or in an incomplete verdict."""
    report = sealtrace.verify(small_games(tmp_path / "bundle", damage), details=details)
    assert report.verdict in ("findings", "incomplete")
