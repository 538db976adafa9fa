"""Games whose rules OpenSpiel has: the tree is walked once, and profiles are worth what OpenSpiel says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

import sealtrace
import sealtrace.studies.games as pack
from oracles.openspiel import values_of
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows
from sealtrace.contract.result import Result
from sealtrace.mathematics import Vector
from sealtrace.studies.games import rules
from sealtrace.studies.games.mathematics.evaluation import GameTree
from sealtrace.studies.games.rules import tree_of

DICE = "liars_dice(numdice=1,dice_sides=3)"


def random_profiles(tree: GameTree, count: int, concentration: float) -> Vector:
    weights = np.random.default_rng(11).gamma(concentration, size=(count, *tree.legal.shape)) * tree.legal
    weights += 1e-300 * tree.legal
    profiles: Vector = weights / weights.sum(axis=-1, keepdims=True)
    return profiles


@pytest.mark.parametrize("concentration", [1.0, 0.05])
@pytest.mark.parametrize("name", [DICE, "kuhn_poker"])
def test_equal_to_openspiel(name: str, concentration: float) -> None:
    """Value, both best responses and NashConv to 1e-12, on mixed and on nearly pure profiles."""
    tree = tree_of(name)
    profiles = random_profiles(tree, 2, concentration)
    ours = tree.evaluate(profiles)
    places = {one.name: place for place, one in enumerate(tree.information_sets)}
    for place, profile in enumerate(profiles):

        def probability(state: Any, action: int, profile: Vector = profile) -> float:
            name = " ".join(f"{state.current_player()}: {state.information_state_string()}".split())
            return float(profile[places[name], tree.actions.index(state.action_to_string(action))])

        theirs = values_of(pyspiel.load_game(name), probability)
        assert ours.value[place] == pytest.approx(theirs.value, abs=1e-12)
        assert ours.best_response_0[place] == pytest.approx(theirs.best_response_0, abs=1e-12)
        assert ours.best_response_1[place] == pytest.approx(theirs.best_response_1, abs=1e-12)
        assert ours.nash_conv[place] == pytest.approx(theirs.nash_conv, abs=1e-12)


def study(directory: Path, game: dict[str, Any], nash_conv: str, leave_out: int = 0, share: float = 1) -> Result:
    """A bundle with the uniform profile of Liar's dice and one printed number; what the verifier says of it."""
    tree = tree_of(DICE)
    rows = [
        {
            "profile": "uniform",
            "information_set": one.name,
            "player": one.player,
            "probabilities": {tree.actions[action]: share / len(one.legal) for action in one.legal},
        }
        for one in tree.information_sets[leave_out:]
    ]
    table = {
        "label": "tab:dice",
        "columns": [
            {"label": "Profile"},
            {"label": "NashConv", "recipe": {"metric": "nash_conv", "arguments": {"profile": "{Profile}"}}},
        ],
        "rows": [{"label": "uniform", "cells": ["uniform", nash_conv]}],
    }
    write_document(directory / "declare/protocol.json", {"study": "dice", "title": "Dice", "anonymous": False})
    write_document(directory / "declare/game.json", {"game": "dice", "tolerance": "1e-12", **game})
    write_rows(directory / "bank/profile.jsonl", "profile", rows)
    write_document(directory / "report/table.dice.json", table)
    seal(directory, empty={"all": "Nothing is calibrated."})
    return sealtrace.verify(directory)


def test_a_study_of_dice(tmp_path: Path) -> None:
    """A profile of Liar's dice is checked and valued as one of a game of cards is."""
    due = tree_of(DICE).evaluate(tree_of(DICE).legal / tree_of(DICE).legal.sum(axis=1, keepdims=True)[None])
    report = study(tmp_path / "good", {"openspiel": DICE}, f"{due.nash_conv[0]:.4f}")
    assert (report.verdict, [cell.status for cell in report.numbers]) == ("verified", ["exact"])
    assert study(tmp_path / "bad", {"openspiel": DICE}, "0.1234").verdict == "findings"


def test_an_incomplete_profile(tmp_path: Path) -> None:
    """An information set of the tree that a profile leaves out is named."""
    report = study(tmp_path / "bundle", {"openspiel": DICE}, "1.0000", leave_out=1)
    (finding,) = [one for one in report.findings if one.check == "profile.complete"]
    assert tree_of(DICE).information_sets[0].name in (finding.found or "")


def test_a_tolerance_that_everything_meets(tmp_path: Path) -> None:
    """A sum of 1.00001 passes only by a loose tolerance, and is named; one that any strategy meets is none."""
    loose = study(tmp_path / "loose", {"openspiel": DICE, "tolerance": "1e-4"}, "1.0000", share=1.00001)
    assert [(one.severity, one.field) for one in loose.findings if one.check == "game.rules"] == [
        ("warning", "/tolerance")
    ]
    (eased,) = [one.message for one in loose.findings if one.check == "profile.simplex"]
    assert "numbers agree only because the declared tolerance is loose" in eased
    none = study(tmp_path / "none", {"openspiel": DICE, "tolerance": "5"}, "1.0000", share=1.8)
    assert [one.field for one in none.findings if one.check == "game.rules"] == ["/tolerance"]
    assert none.verdict == "findings"


@pytest.mark.parametrize(
    "game", ["liars_dice(dice_sides=4)", "kuhn_poker(players=3)", "liars_dice(bogus=1)", "leduc_poker(players=x)", "go"]
)
def test_games_that_cannot_be_walked(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too large, for three, or unknown to OpenSpiel: said of the rules, and nothing is computed."""
    monkeypatch.setattr(rules, "MOST_NODES", 3000)
    report = study(tmp_path / "bundle", {"openspiel": game}, "1.0000")
    (finding,) = [one for one in report.findings if one.check == "game.rules"]
    assert (finding.field, finding.found) == ("/openspiel", game)
    assert [cell.status for cell in report.numbers] == ["missing"]


@pytest.mark.parametrize(
    ("game", "field"), [({"openspiel": DICE, "ante": 1}, "/openspiel"), ({"ante": 1}, "/ranks"), ({}, "/ranks")]
)
def test_games_that_are_declared_twice_or_not_at_all(game: dict[str, Any], field: str, tmp_path: Path) -> None:
    """Either OpenSpiel's rules or all rules of a game of cards."""
    report = study(tmp_path / "bundle", game, "1.0000")
    assert [one.field for one in report.findings if one.check == "game.rules"] == [field]


def test_without_openspiel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is not installed nothing is wrong, and nothing verified."""
    monkeypatch.setattr(pack, "find_spec", lambda _: None)
    report = study(tmp_path / "bundle", {"openspiel": DICE}, "1.0000")
    assert report.verdict == "incomplete"
    assert any("OpenSpiel is not installed" in (check.reason or "") for check in report.checks)
