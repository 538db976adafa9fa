"""Frauds that keep every digest right: a study of a game, spoilt with care and sealed anew, is found out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sealtrace
from checks.game_mutations import Change, hand, the
from games.small_games import Parts, small_games
from sealtrace.bundle.content import document_digest
from sealtrace.contract.result import Result
from sealtrace.studies.games.catalogue import CATALOGUE as GAMES
from sealtrace.studies.services import CATALOGUE as SERVICES


def verified(directory: Path, change: Change) -> Result:
    return sealtrace.verify(small_games(directory / "bundle", change))


def failed(report: Result) -> set[str]:
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


def win_every_hand(parts: Parts) -> None:
    """Has the opponent fold to every raise of an arm: legal hands, rightly paid, and too good to be true."""
    for row in parts["match"]:
        if row["arm"] == "s1@1":
            row |= {"history": ("rf", "crf")[row["seat"]], "result": "win", "value": 1.0, "opponent_value": -1.0}


def unfinished_hand(parts: Parts) -> None:
    """Ends a hand before the answer to its raise."""
    row = next(row for row in parts["match"] if "r" in row["history"])
    row |= {"history": row["history"][: row["history"].index("r") + 1], "value": 0.0, "opponent_value": 0.0}


def rake(parts: Parts) -> None:
    """Takes a little of what the opponent wins."""
    row = next(row for row in parts["match"] if row["value"] < 0)
    row["opponent_value"] -= 0.05


def arm_twice(parts: Parts) -> None:
    """Counts the better arm twice among the arms."""
    parts["contest"]["arms"].append("s1@1")


def unequal_deck(parts: Parts) -> None:
    """A rank that looks like another one and would be a card of its own."""
    parts["game"]["ranks"] = ["J", "Q", "KK"]


def strategy_of_two_games(parts: Parts) -> None:
    """Adds an information set of a larger game, on which nothing depends."""
    row = the(parts, "profile", profile="uniform", information_set="K:")
    parts["profile"].append({**row, "information_set": "A:"})


def play_for_both(parts: Parts) -> None:
    """Exchanges the players of two information sets, so that their numbers stay even."""
    for name in ("J:", "J:c"):
        row = the(parts, "profile", profile="uniform", information_set=name)
        row["player"] = 1 - row["player"]


def bet_more_than_always(parts: Parts) -> None:
    """Lends probability from one action to another: the sum stays one."""
    row = the(parts, "profile", profile="uniform", information_set="K:")
    row["probabilities"] = {"call": -0.25, "raise": 1.25}


def leak(parts: Parts) -> None:
    """Loses a millionth of the probability, far more than rounding does."""
    the(parts, "profile", profile="uniform", information_set="K:")["probabilities"]["raise"] -= 1e-6


def run_twice(parts: Parts) -> None:
    """Reports a second training of one student under a name that hides it."""
    parts["run"].append({**the(parts, "run", run="s1"), "run": "s3"})
    parts["student"]["s3"] = {**parts["student"]["s1"], "run": "s3"}
    del the(parts, "run", run="s3")["data_order"]


def train_on_the_evaluation(parts: Parts) -> None:
    """Trains with the seed that deals the evaluation hands."""
    row = the(parts, "run", run="s1")
    row["training_seed"] = row["evaluation_seed"]


def borrowed_checkpoint(parts: Parts) -> None:
    """Lets one student's run name the weights of the other."""
    the(parts, "run", run="s1")["checkpoint_sha256"] = the(parts, "run", run="s2")["checkpoint_sha256"]


def favourite_arm_twice(parts: Parts) -> None:
    """Serves the fast arm under its name twice."""
    parts["service"]["arms"] = ["s/1", "s/1", "s/2"]


def blame_the_other_arm(parts: Parts) -> None:
    """Charges the retry of one arm to the other."""
    the(parts, "attempt", request="s/1/t1", attempt=1)["arm"] = "s/2"


def innocent_retry(parts: Parts) -> None:
    """Calls the second attempt a first one."""
    the(parts, "attempt", request="s/1/t1", attempt=1)["trigger"] = "first"


def uncounted_tokens(parts: Parts) -> None:
    """Leaves the tokens of an attempt uncounted: what is not there costs nothing."""
    del the(parts, "attempt", request="s/1/t0")["generated_tokens"]


def overlapping_retry(parts: Parts) -> None:
    """Sends the retry before the timeout has passed, so that the request looks quick."""
    first = the(parts, "attempt", request="s/1/t1", attempt=0)
    the(parts, "attempt", request="s/1/t1", attempt=1)["started_ms"] = first["started_ms"] + 1


def entry_in_both_splits(parts: Parts) -> None:
    """Declares the calibration entry for evaluation, too."""
    parts["behaviour"]["entries"].append({"entry": "entry-1", "split": "evaluation"})


def bet_beyond_the_stack(parts: Parts) -> None:
    """Raises to more than the player has."""
    parts["hand"][0]["actions"][3] = "p3 cbr 600"


ATTACKS: dict[Change, set[str]] = {
    win_every_hand: {"match.expectation", "match.replay"},
    unfinished_hand: {"match.legal"},
    rake: {"match.zero-sum"},
    arm_twice: {"contest.players"},
    unequal_deck: {"game.rules"},
    strategy_of_two_games: {"profile.complete"},
    play_for_both: {"profile.player"},
    bet_more_than_always: {"profile.actions"},
    leak: {"profile.simplex"},
    run_twice: {"student.runs", "student.seeds"},
    train_on_the_evaluation: {"student.seeds"},
    borrowed_checkpoint: {"student.checkpoint"},
    favourite_arm_twice: {"service.declared"},
    blame_the_other_arm: {"attempt.contiguous"},
    innocent_retry: {"attempt.trigger"},
    uncounted_tokens: {"attempt.budget"},
    overlapping_retry: {"attempt.times"},
    entry_in_both_splits: {"behaviour.declared"},
    bet_beyond_the_stack: {"behaviour.hands"},
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


def test_every_check_has_an_attack() -> None:
    """A check of games or of services that nobody tried to get around is refused."""
    assert {check.id for check in (*GAMES, *SERVICES)} == set().union(*ATTACKS.values())


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
