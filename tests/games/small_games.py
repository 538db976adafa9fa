"""A tiny study of Kuhn poker with everything that games and services leave: quick to seal, verify and spoil."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sealtrace.bundle.content import document_digest
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows
from sealtrace.contract.scalars import exact
from sealtrace.mathematics import Vector
from sealtrace.mathematics.bounds import risk_at_most, risk_upper_of
from sealtrace.mathematics.networks import NetworkLayer
from sealtrace.studies.games.mathematics import hands, histories, students
from sealtrace.studies.games.mathematics.evaluation import evaluate
from sealtrace.studies.games.mathematics.tables import ACTIONS, Game

LEDUC = Game(("J", "Q", "K"), copies=2, ante=1, raises=(2, 4), cap=2)
KUHN = Game(("J", "Q", "K"), copies=1, ante=1, raises=(1,), cap=1)
GAMES = {"leduc": LEDUC, "kuhn": KUHN}

Parts = dict[str, Any]
SEED = 3
PAIRS = 6
FEATURES = ["rank J", "rank K", "facing a raise", "player 1"]
SCALES = ["0", "1", "2"]
CODES = {"fold": "illegal-action", "perhaps": "parser-failure"}
"""The answers that are none, with their terminal codes."""


def _recorded(entry: str, first: int, actions: list[str]) -> dict[str, Any]:
    dealt = [f"d dh p{seat} {cards}" for seat, cards in enumerate(("AsKs", "QhQd", "7c2d"), 1)]
    return {
        "entry": entry,
        "hand": 0,
        "variant": "NT",
        "antes": [0.0, 0.0, 0.0],
        "blinds_or_straddles": [1.0, 2.0, 0.0],
        "min_bet": 2.0,
        "starting_stacks": [100.0, 100.0, 100.0],
        "players": [f"player-00{number}" for number in range(first, first + 3)],
        "actions": dealt + actions,
    }


HANDS = [
    _recorded("entry-1", 1, ["p3 cbr 6", "p1 f", "p2 cc", "d db AhKd2c", "p2 cc", "p3 cbr 8", "p2 f"]),
    _recorded("entry-2", 4, ["p3 f", "p1 cbr 6", "p2 cc", "d db AhKd2c", "p1 cc", "p2 cbr 13", "p1 f"]),
]
BEHAVIOUR = {
    "entries": [{"entry": "entry-1", "split": "calibration"}, {"entry": "entry-2", "split": "evaluation"}],
    "context": ["street", "facing"],
    "prior": {"facing": {"fold": 0.5, "call": 0.25, "raise": 0.25}, "free": {"call": 0.5, "raise": 0.5}},
    "smoothing": "1",
    "clip": "1e-6",
    "sizes": ["0.5", "1"],
}


def _snapshots() -> list[dict[str, Any]]:
    rows = []
    for hand, split in zip(HANDS, ("calibration", "evaluation"), strict=True):
        for each in histories.decisions(hand):
            size = histories.size_of(each.raised, (0.5, 1.0))
            rows.append(
                {
                    "entry": hand["entry"],
                    "hand": 0,
                    "action": each.action,
                    "split": split,
                    "street": each.street,
                    "players": each.players,
                    "pot": each.pot,
                    "to_call": each.to_call,
                    "label": each.label,
                    **({} if size is None else {"size": size}),
                }
            )
    return rows


def parts() -> Parts:
    """Every record of the study, each right."""
    teacher = _teacher()
    uniform = KUHN.legal / KUHN.legal.sum(axis=1, keepdims=True)
    weights = {"s1": 0.6, "s2": -0.9}
    documents = {run: _student(run, weight) for run, weight in weights.items()}
    policies = {
        f"{run}@{scale}": policy
        for run, document in documents.items()
        for scale, policy in zip(SCALES, _policies(document), strict=True)
    }
    profiles = {"uniform": uniform, "teacher": teacher, "s1@1": policies["s1@1"]}
    distillation = {
        "teacher": "teacher",
        "smoothing": "0.1",
        "features": FEATURES,
        "scales": SCALES,
        "fixed": "1",
        "tau": "0.05",
        "epsilon": "0.5",
        "zeta": "0.5",
        "calibration": {"seed": 21, "draws": 12},
        "held_out": {"seed": 22, "draws": 12},
        "divisor": "n-1",
        "association": {
            "ties": "mean-rank",
            "resamples": 20,
            "permutations": 20,
            "confidence": "0.9",
            "seed": 31,
        },
    }
    contest = {
        "seed": SEED,
        "arms": ["s1@1", "s2@2"],
        "opponents": ["uniform"],
        "pairs": PAIRS,
        "z": "1.96",
        "limit": "9",
    }
    return copy.deepcopy(
        {
            "protocol": {"study": "small-games", "title": "Kuhn poker, two students, one service", "anonymous": False},
            "game": {
                "game": "kuhn",
                "ranks": ["J", "Q", "K"],
                "copies": 1,
                "ante": 1,
                "raises": [1],
                "most_raises": 1,
                "tolerance": "1e-12",
            },
            "distillation": distillation,
            "contest": contest,
            "service": _service(),
            "student": documents,
            "run": [_run(run, seed, documents[run]) for seed, run in enumerate(documents, 11)],
            "profile": [row for name, profile in profiles.items() for row in _profile_rows(name, profile)],
            "scale": _scale_rows(documents, teacher, distillation),
            "match": _hands({**policies, **profiles}, contest),
            "attempt": _attempts(),
            "behaviour": BEHAVIOUR,
            "hand": HANDS,
            "snapshot": _snapshots(),
            "table": {"values": _table(profiles)},
        }
    )


def small_games(directory: Path, change: Callable[[Parts], None] = lambda _: None) -> Path:
    """The study, changed and sealed."""
    made = parts()
    change(made)
    for path, held in files_of(made).items():
        if isinstance(held, dict):
            write_document(directory / path, held)
        elif held:
            write_rows(directory / path, path.partition("/")[2].partition(".")[0], held)
    seal(directory, empty={"all": "A study of a game."})
    return directory


def files_of(made: Parts) -> Parts:
    """Path to document or rows; what is None is left out."""
    files = {f"declare/{kind}.json": made[kind] for kind in DECLARED if made[kind] is not None}
    files |= {f"bank/student.{run}.json": document for run, document in made["student"].items()}
    files |= {f"{stage}/{kind}.jsonl": made[kind] for kind, stage in ROWS.items()}
    for split, stage in (("calibration", "bank"), ("evaluation", "report")):
        files[f"{stage}/snapshot.{split}.jsonl"] = [row for row in made["snapshot"] if row["split"] == split]
    return files | {f"report/table.{name}.json": table for name, table in made["table"].items()}


DECLARED = ("protocol", "game", "distillation", "contest", "service", "behaviour")
ROWS = {"run": "bank", "profile": "bank", "scale": "calibrate", "match": "report", "attempt": "report"} | {
    "hand": "declare"
}


def _teacher() -> Vector:
    """A player who bets kings, calls with them, and otherwise leans to caution."""
    wish = np.ones(KUHN.legal.shape)
    for place, each in enumerate(KUHN.information_sets):
        wish[place] = {"K": (0.0, 1.0, 3.0), "Q": (1.0, 2.0, 0.5), "J": (4.0, 2.0, 1.0)}[each.name[0]]
    wish = wish * KUHN.legal
    profile: Vector = wish / wish.sum(axis=1, keepdims=True)
    return profile


def _student(run: str, weight: float) -> dict[str, Any]:
    def layer(values: list[list[float]]) -> list[dict[str, Any]]:
        return [{"weights": values, "bias": [0.0, 0.1, 0.0], "activation": "identity"}]

    base = [[0.4, 0.1, -0.2], [-0.5, 0.2, 0.3], [0.1, 0.0, 0.0], [0.0, weight / 9, 0.0]]
    residual = [[weight, 0.0, -weight], [-weight, 0.1, weight], [0.0, 0.2, 0.0], [0.0, 0.0, 0.1]]
    return {"run": run, "base": layer(base), "residual": layer(residual)}


def _policies(document: dict[str, Any]) -> Vector:
    base, residual = (
        [
            NetworkLayer(np.array(layer["weights"]), np.array(layer["bias"]), layer["activation"])
            for layer in document[head]
        ]
        for head in ("base", "residual")
    )
    inputs = students.features(KUHN, FEATURES)
    return students.student_policies(KUHN, inputs, base, residual, np.array([float(scale) for scale in SCALES]))


def _run(run: str, seed: int, document: dict[str, Any]) -> dict[str, Any]:
    return {
        "run": run,
        "arm": "student",
        "training_seed": seed,
        "evaluation_seed": SEED,
        "resampling_seed": 31,
        "data_order": "as the game lists them",
        "checkpoint_sha256": document_digest(document),
        "checkpoint_rule": "the last",
        "settings": {"epochs": "5"},
    }


def _profile_rows(name: str, profile: Vector) -> list[dict[str, Any]]:
    return [
        {
            "profile": name,
            "information_set": each.name,
            "player": each.player,
            "probabilities": {ACTIONS[action]: float(profile[place, action]) for action in each.legal},
        }
        for place, each in enumerate(KUHN.information_sets)
    ]


def _scale_rows(documents: dict[str, Any], teacher: Vector, settings: dict[str, Any]) -> list[dict[str, Any]]:
    _, strong = students.evaluators(KUHN, teacher, float(settings["smoothing"]))
    drawn = settings["calibration"]
    states = students.sample(KUHN, drawn["seed"], drawn["draws"])
    share, budget = exact(settings["zeta"]) / len(SCALES), exact(settings["epsilon"])
    rows = []
    for run, document in documents.items():
        policies = _policies(document)
        lost = students.deltas(policies, strong, policies[0])[:, states]
        counts = (lost < -float(settings["tau"])).sum(axis=1).tolist()
        certified = [risk_at_most(count, len(states), share, budget) for count in counts]
        chosen = max(place for place, holds in enumerate(certified) if holds)
        rows += [
            {
                "run": run,
                "scale": scale,
                "states": len(states),
                "violations": counts[place],
                "bound": risk_upper_of(counts[place], len(states), share),
                "certified": certified[place],
                "chosen": place == chosen,
            }
            for place, scale in enumerate(SCALES)
        ]
    return rows


def _hands(profiles: dict[str, Vector], contest: dict[str, Any]) -> list[dict[str, Any]]:
    names = list(profiles)
    endings = {one.history: one for one in hands.endings(KUHN)}
    places = {history: place for place, history in enumerate(endings)}
    rows = []
    for arm in contest["arms"]:
        for match in range(PAIRS):
            for seat in range(2):
                cards = np.array([hands.deal(KUHN, SEED, str(match))])
                pair = [names.index(arm), names.index("uniform")]
                (history,) = hands.play(
                    KUHN,
                    np.stack(list(profiles.values())),
                    np.array([pair if seat == 0 else pair[::-1]]),
                    cards[:, :2],
                    cards[:, 2],
                    lambda _, step, match=match: np.array([hands.draw(SEED, str(match), f"action {step}")]),  # type: ignore[misc]
                )
                ending = np.array([places[history]])
                won = float(hands.returns(KUHN, list(endings.values()), ending, cards[:, :2], cards[:, 2])[0])
                value = won if seat == 0 else -won
                rows.append(
                    {
                        "match": str(match),
                        "arm": arm,
                        "opponent": "uniform",
                        "seat": seat,
                        "cards": "".join(KUHN.ranks[card] for card in cards[0, :2]),
                        "history": history,
                        "result": "win" if value > 0 else "loss",
                        "value": value,
                        "opponent_value": -value,
                    }
                )
    return rows


def _service() -> dict[str, Any]:
    return {
        "service": "student",
        "arms": ["s/1", "s/2"],
        "actions": list(ACTIONS),
        "warm_up": 1,
        "requests": 3,
        "concurrency": 2,
        "batch": 1,
        "attempts": 2,
        "retried": ["illegal-action", "parser-failure", "service-timeout"],
        "timeout_ms": "50",
        "tokens": 20,
        "tool_calls": 0,
        "percentile": "nearest-rank",
        "retry_unit": "attempts",
        "boundary": "from the first attempt sent to the last answer judged",
        "queue": "none",
        "failure": "failed requests count",
    }


def _attempts() -> list[dict[str, Any]]:
    """Per arm: a warm-up, a plain success, a retried timeout, and an illegal answer that stays one."""
    rows = []
    for arm in ("s/1", "s/2"):
        told: dict[str, list[tuple[str | None, float]]] = {
            f"{arm}/w0": [("call", 4.0)],
            f"{arm}/t0": [("raise", 3.5)],
            f"{arm}/t1": [(None, 50.5), ("call", 2.0)],
            f"{arm}/t2": [("fold", 1.0), ("perhaps", 1.5)],
        }
        clock = 0.0
        for request, answers in told.items():
            trigger = "first"
            for number, (answer, elapsed) in enumerate(answers):
                outcome = "service-timeout" if answer is None else CODES.get(answer, "ok")
                rows.append(
                    {
                        "request": request,
                        "attempt": number,
                        "arm": arm,
                        "phase": "warm-up" if request.endswith("w0") else "timed",
                        "trigger": trigger,
                        "started_ms": clock,
                        "elapsed_ms": elapsed,
                        "legal": ["call", "raise"],
                        **({} if answer is None else {"answer": answer}),
                        "prompt_tokens": 9,
                        "generated_tokens": 1,
                        "tool_calls": 0,
                        "outcome": outcome,
                    }
                )
                trigger = outcome
                clock += elapsed + 1
    return rows


def _table(profiles: dict[str, Vector]) -> dict[str, Any]:
    values = evaluate(KUHN, np.stack(list(profiles.values())))
    rows = [{"label": name, "cells": [name, f"{values.nash_conv[place]:.4f}"]} for place, name in enumerate(profiles)]
    recipe = {"metric": "nash_conv", "arguments": {"profile": "{Profile}"}}
    return {
        "label": "tab:values",
        "columns": [{"label": "Profile"}, {"label": "NashConv", "recipe": recipe}],
        "rows": rows,
    }
