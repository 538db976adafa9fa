"""One named way to break the tiny study of a game for every check of games and services."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from games.small_games import Parts, small_games

Change = Callable[[Parts], None]

PROFILES = "bank/profile.jsonl"
RUNS = "bank/run.jsonl"
SCALES = "calibrate/scale.jsonl"
MATCHES = "report/match.jsonl"
ATTEMPTS = "report/attempt.jsonl"


@dataclass(frozen=True)
class GameMutation:
    """How to spoil the parts of the tiny study, and what must be found."""

    check: str
    change: Change
    source: str
    pointer: str | None
    key: dict[str, str] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """Arguments of `verify`."""

    def broken(self, directory: Path) -> Path:
        """The spoilt study, sealed."""
        return small_games(directory / "bundle", self.change)


GAME_MUTATIONS: dict[str, GameMutation] = {}


def mutation(
    check: str, source: str, where: str | None, key: dict[str, str] | None = None
) -> Callable[[Change], Change]:
    """Registers a function as the mutation of a check."""

    def register(change: Change) -> Change:
        assert check not in GAME_MUTATIONS, f"{check} has a mutation already"
        GAME_MUTATIONS[check] = GameMutation(check, change, source, where, key)
        return change

    return register


def the(parts: Parts, kind: str, **wanted: Any) -> dict[str, Any]:
    """The one row of a kind with these values."""
    (row,) = [row for row in parts[kind] if wanted.items() <= row.items()]
    found: dict[str, Any] = row
    return found


HAND = {"match": "0", "arm": "s1@1", "opponent": "uniform", "seat": "0"}


def hand(parts: Parts) -> dict[str, Any]:
    """The first hand of the first arm."""
    return the(parts, "match", match="0", arm="s1@1", seat=0)


@mutation("game.rules", "declare/game.json", "/ranks")
def _rank_twice(parts: Parts) -> None:
    parts["game"]["ranks"] = ["J", "Q", "Q"]


@mutation("profile.complete", PROFILES, "/information_set", {"profile": "uniform"})
def _set_left_out(parts: Parts) -> None:
    parts["profile"].remove(the(parts, "profile", profile="uniform", information_set="J:cr"))


@mutation("profile.player", PROFILES, "/player", {"profile": "uniform", "information_set": "J:"})
def _other_player(parts: Parts) -> None:
    the(parts, "profile", profile="uniform", information_set="J:")["player"] = 1


@mutation("profile.actions", PROFILES, "/probabilities", {"profile": "uniform", "information_set": "J:"})
def _folds_to_nothing(parts: Parts) -> None:
    row = the(parts, "profile", profile="uniform", information_set="J:")
    row["probabilities"] = {"fold": 0.0, **row["probabilities"]}


@mutation("profile.simplex", PROFILES, "/probabilities", {"profile": "uniform", "information_set": "J:"})
def _sums_to_more(parts: Parts) -> None:
    the(parts, "profile", profile="uniform", information_set="J:")["probabilities"]["call"] = 0.51


@mutation("contest.players", "declare/contest.json", "/opponents/0")
def _nobody(parts: Parts) -> None:
    parts["contest"]["opponents"] = ["nobody"]


@mutation("match.pairs", MATCHES, "/match", {"arm": "s1@1", "opponent": "uniform", "seat": "0"})
def _hand_left_out(parts: Parts) -> None:
    parts["match"].remove(hand(parts))


@mutation("match.deal", MATCHES, "/cards", HAND)
def _better_card(parts: Parts) -> None:
    row = hand(parts)
    row["cards"] = "KJ" if row["cards"] != "KJ" else "QJ"


@mutation("match.legal", MATCHES, "/history", HAND)
def _one_raise_more(parts: Parts) -> None:
    hand(parts)["history"] = "rrc"


@mutation("match.replay", MATCHES, "/history", HAND)
def _another_action(parts: Parts) -> None:
    row = hand(parts)
    row["history"] = "crf" if row["history"] != "crf" else "cc"


@mutation("match.value", MATCHES, "/value", HAND)
def _paid_more(parts: Parts) -> None:
    row = hand(parts)
    row["value"] *= 2
    row["opponent_value"] *= 2


@mutation("match.zero-sum", MATCHES, "/opponent_value", HAND)
def _both_win(parts: Parts) -> None:
    row = hand(parts)
    row["opponent_value"] = row["value"]


@mutation("match.expectation", MATCHES, "/value", {"arm": "s1@1", "opponent": "uniform"})
def _narrow_limit(parts: Parts) -> None:
    parts["contest"]["limit"] = "0.0001"


@mutation("student.declared", "declare/distillation.json", "/epsilon")
def _no_budget(parts: Parts) -> None:
    parts["distillation"]["epsilon"] = "1.5"


@mutation("student.runs", RUNS, "/checkpoint_rule", {"run": "s1"})
def _rule_unsaid(parts: Parts) -> None:
    del the(parts, "run", run="s1")["checkpoint_rule"]


@mutation("student.seeds", RUNS, "/training_seed", {"run": "s2"})
def _shared_seed(parts: Parts) -> None:
    the(parts, "run", run="s2")["training_seed"] = the(parts, "run", run="s1")["training_seed"]


@mutation("student.checkpoint", RUNS, "/checkpoint_sha256", {"run": "s1"})
def _other_weights(parts: Parts) -> None:
    parts["student"]["s1"]["base"][0]["bias"][0] = 0.5


@mutation("student.policy", PROFILES, "/probabilities", {"profile": "s1@1", "information_set": "J:"})
def _other_policy(parts: Parts) -> None:
    row = the(parts, "profile", profile="s1@1", information_set="J:")
    row["probabilities"] = {"call": 0.5, "raise": 0.5}


@mutation("student.calibration", SCALES, "/violations", {"run": "s2", "scale": "2"})
def _one_too_many(parts: Parts) -> None:
    the(parts, "scale", run="s2", scale="2")["violations"] += 1


@mutation("student.choice", SCALES, "/chosen", {"run": "s1", "scale": "0"})
def _smaller_scale(parts: Parts) -> None:
    for row in parts["scale"]:
        if row["run"] == "s1":
            row["chosen"] = row["scale"] == "0"


@mutation("service.declared", "declare/service.json", "/retried")
def _retries_success(parts: Parts) -> None:
    parts["service"]["retried"].append("ok")


@mutation("attempt.requests", ATTEMPTS, "/request", {"arm": "s/1", "phase": "timed"})
def _request_left_out(parts: Parts) -> None:
    parts["attempt"].remove(the(parts, "attempt", request="s/1/t0"))


@mutation("attempt.contiguous", ATTEMPTS, "/attempt", {"request": "s/1/t1", "attempt": "1"})
def _first_attempt_left_out(parts: Parts) -> None:
    parts["attempt"].remove(the(parts, "attempt", request="s/1/t1", attempt=0))


@mutation("attempt.trigger", ATTEMPTS, "/trigger", {"request": "s/1/t1", "attempt": "1"})
def _other_trigger(parts: Parts) -> None:
    the(parts, "attempt", request="s/1/t1", attempt=1)["trigger"] = "illegal-action"


@mutation("attempt.sequence", ATTEMPTS, "/outcome", {"request": "s/1/t2", "attempt": "0"})
def _gives_up(parts: Parts) -> None:
    parts["attempt"].remove(the(parts, "attempt", request="s/1/t2", attempt=1))


@mutation("attempt.outcome", ATTEMPTS, "/outcome", {"request": "s/1/t2", "attempt": "1"})
def _called_a_success(parts: Parts) -> None:
    the(parts, "attempt", request="s/1/t2", attempt=1)["outcome"] = "ok"


@mutation("attempt.budget", ATTEMPTS, "/generated_tokens", {"request": "s/1/t0", "attempt": "0"})
def _over_budget(parts: Parts) -> None:
    the(parts, "attempt", request="s/1/t0")["generated_tokens"] = 12


@mutation("attempt.times", ATTEMPTS, "/elapsed_ms", {"request": "s/1/t1", "attempt": "0"})
def _early_timeout(parts: Parts) -> None:
    the(parts, "attempt", request="s/1/t1", attempt=0)["elapsed_ms"] = 20.0


@mutation("behaviour.declared", "declare/behaviour.json", "/prior/free")
def _prior_of_more_than_one(parts: Parts) -> None:
    parts["behaviour"]["prior"]["free"]["raise"] = 0.6


@mutation("behaviour.hands", "declare/hand.jsonl", "/actions/9", {"entry": "entry-1", "hand": "0"})
def _acts_after_folding(parts: Parts) -> None:
    parts["hand"][0]["actions"][9] = "p1 cc"


@mutation("behaviour.names", "declare/hand.jsonl", "/players/0", {"entry": "entry-1", "hand": "0"})
def _named(parts: Parts) -> None:
    parts["hand"][0]["players"][0] = "Somebody Known"


@mutation("behaviour.disjoint", "declare/hand.jsonl", "/players/0", {"entry": "entry-2", "hand": "0"})
def _in_both_splits(parts: Parts) -> None:
    parts["hand"][1]["players"][0] = "player-001"


@mutation(
    "behaviour.snapshots",
    "report/snapshot.evaluation.jsonl",
    "/label",
    {"entry": "entry-2", "hand": "0", "action": "3"},
)
def _other_label(parts: Parts) -> None:
    the(parts, "snapshot", entry="entry-2", action=3)["label"] = "call"
